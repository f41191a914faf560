# shellcheck shell=bash
# What deploy/cluster-test does at the desk and what it expects to see. Sourced by it; wants the
# network of deploy/lib/lan.sh, `work`, its folder, and `binary`, the aphid to launch.

say() { printf '\n--- %s (%d s)\n' "$1" "$SECONDS"; }
ok() { printf 'ok: %s\n' "$1"; }
die() {
    printf 'cluster-test: %s\n' "$1" >&2
    exit 1
}
# What runs in the background, to be ended with us.
pids=()

# Executes a block of the README at the desk; its output goes to `out`.
block() {
    local text
    text=$(block_text sh "$1") || die "deploy/README.md has no block $1"
    printf '%s\n' "$text" | sed 's/^/$ /'
    blocks_run+=("$1")
    desk bash -euc "${text//target\/aphid/$binary}" >"$work/out" 2>&1 || {
        cat "$work/out" >&2
        die "block $1 failed"
    }
    cat "$work/out"
}

# cluster STATUS WORD ...: deploy/cluster at the desk, which must end with this status.
cluster() {
    local wanted=$1 status=0
    shift
    printf '$ deploy/cluster %s\n' "${*//"$work"\//}"
    desk deploy/cluster "$@" >"$work/out" 2>&1 || status=$?
    cat "$work/out"
    ((status == wanted)) || die "it ended with $status instead of $wanted"
}
# expect PATTERN WHAT: a line of the last output.
expect() {
    grep -Eq -- "$1" "$work/out" || die "no line: $1"
    [[ -z ${2-} ]] || ok "$2"
}
expect_count() {
    local found
    found=$(grep -Ec -- "$1" "$work/out") || true
    ((found == $2)) || die "$found lines instead of $2: $1"
    [[ -z ${3-} ]] || ok "$3"
}

# within SECONDS COMMAND ...: tries it until it succeeds.
within() {
    local deadline=$((SECONDS + $1))
    until "${@:2}"; do
        ((SECONDS < deadline)) || die "not within $1 s: ${*:2}"
        sleep 0.2
    done
}
# No `tail` runs on any PC.
no_tail() {
    local pc
    for pc in "${lan_pcs[@]}"; do
        ! lan_run_by "$pc" '*/tail' | grep -q . || return 1
    done
}

# What the master says, a line for each worker; and waits for a line, a minute at most.
status() { desk "$binary" status --master alpha:7300 --json 2>/dev/null | sed 's/{"id":/\n&/g'; }
said() { status | grep -Eq "$1"; }
await() {
    within 60 said "$1"
    ok "the master says: $1"
}

# The processes of aphid on all PCs, by PC.
aphids() {
    local pc
    for pc in "${lan_pcs[@]}"; do
        echo "$pc" "$(lan_aphids "$pc" | tr '\n' ' ')"
    done
}
expect_no_aphid() {
    local pc
    for pc in "${lan_pcs[@]}"; do
        [[ -z $(lan_aphids "$pc") ]] || die "aphid runs on $pc"
    done
    ok "$1"
}

# expect_ill HOST CHECK CAUSE REMEDY WORD ...: doctor finds just this, and says it in one line.
expect_ill() {
    local host=$1 check=$2 cause=$3 remedy=$4
    shift 4
    cluster 1 doctor "$host" "$@"
    expect_count '^[^ ]+ +[a-z]+ +FAIL ' 1
    expect "^$host +$check +FAIL +.*$cause.*; .*$remedy" "one line with cause and remedy: $cause"
}

# begin_analysis MILLISECONDS: in the background, its pid in `analysis`, until it searches.
begin_analysis() {
    desk_in_place "$binary" analyse --master alpha:7300 --movetime "$1" --json \
        >"$work/analysis" 2>"$work/analysis.err" &
    analysis=$!
    pids+=("$analysis")
    await '"state":"searching"'
}
expect_answer() {
    wait "$analysis" || die "the search failed: $(cat "$work/analysis.err")"
    pids=()
    local answer
    answer=$(tail -n 1 "$work/analysis")
    [[ $answer =~ '"type":"result","bestmove":"'[a-h] ]] || die "no answer: $answer"
    ok "an answer: ${answer:0:100} ..."
}
binary_differs() { printf '\n' >>"$binary"; }

moves_are() {
    (($(grep -Ec '^bestmove [a-h][1-8][a-h][1-8]' "$work/uci.out" || true) == $1))
}
# Plays on over UCI until the process $1 ends, and one move more; every `go` must have its one
# bestmove.
play_until_end_of() {
    local asked=0 answered last=''
    mkfifo "$work/uci.in"
    desk_in_place "$binary" uci --master alpha:7300 \
        <"$work/uci.in" >"$work/uci.out" 2>"$work/uci.err" &
    pids+=($!)
    exec {gui}>"$work/uci.in"
    while [[ -z $last ]]; do
        kill -0 "$1" 2>/dev/null || last=yes
        printf 'position startpos moves e2e4\ngo movetime 1000\n' >&"$gui"
        asked=$((asked + 1))
        within 60 moves_are "$asked"
    done
    exec {gui}>&-
    wait "${pids[-1]}" || die 'the engine did not end well'
    answered=$(grep -c '^bestmove' "$work/uci.out")
    ((answered == asked)) || die "$asked go, $answered bestmove"
    ok "over UCI, $asked go and $answered bestmove"
}
