# shellcheck shell=bash
# Runs things on hosts over ssh, many at a time, and says what went wrong. Sourced by
# deploy/cluster.

# Where the binary is put on a host, from its home folder; lib/host.sh has the same.
REMOTE_DIR=.local/share/aphid

# Of the last thing done on a host: its answer, and in one line each why it failed and what helps.
answer=
cause=
remedy=

# ssh asks nothing, since nobody may be there to answer. One connection serves all that a host is
# asked. Options of the user come first, and so win.
ssh_options=()
set_up_ssh() {
    local words=()
    read -ra words <<<"${APHID_SSH_OPTIONS-}"
    ssh_options=("${words[@]}" "${ssh_words[@]}"
        -o BatchMode=yes -o ConnectTimeout=5 -o ServerAliveInterval=5 -o ServerAliveCountMax=3
        -o ControlMaster=auto -o ControlPersist=60 -o "ControlPath=$scratch/%C")
}

# ssh_to HOST COMMAND. The machine at which we sit needs no ssh, and often has no ssh server.
ssh_to() {
    local host=$1 port=()
    shift
    if [[ $host == localhost && ${ssh_target[$host]} == localhost ]]; then
        (cd && exec sh -c "$*")
        return
    fi
    [[ -z ${ssh_port[$host]} ]] || port=(-p "${ssh_port[$host]}")
    # shellcheck disable=SC2029
    ssh "${ssh_options[@]}" "${port[@]}" "${ssh_target[$host]}" "$@"
}

# Ends the connections that ssh has kept for us.
hang_up() {
    local socket
    for socket in "$scratch"/*; do
        [[ ! -S $socket ]] || ssh -o "ControlPath=$socket" -O exit any 2>/dev/null || true
    done
}

# Text as one word of a POSIX shell.
quoted() {
    local quote="'\\''"
    printf "'%s'" "${1//\'/"$quote"}"
}

# host_script VERB WORD ...: lib/host.sh with its arguments.
host_script() {
    local word
    printf 'set --'
    for word; do
        printf ' %s' "$(quoted "$word")"
    done
    printf '\n'
    cat "$lib/host.sh"
}

# on_host HOST VERB WORD ...: the answer goes to `answer`; on failure `cause` and `remedy` are set.
on_host() {
    local host=$1 status=0 file=$scratch/$BASHPID
    shift
    host_script "$@" >"$file.in"
    # Into files: a connection that ssh keeps open would hold a pipe open too.
    ssh_to "$host" sh -s <"$file.in" >"$file.out" 2>"$file.err" || status=$?
    answer=$(<"$file.out")
    ((status == 0)) || explain "$status" "$host" "$file.err"
}

# copy_to HOST FILE NAME: puts a file into the folder of the host.
copy_to() {
    local status=0 file=$scratch/$BASHPID
    ssh_to "$1" "mkdir -p $REMOTE_DIR && cat >$REMOTE_DIR/$3" <"$2" >/dev/null 2>"$file.err" ||
        status=$?
    ((status == 0)) || explain "$status" "$1" "$file.err"
}

# explain STATUS HOST FILE: sets `cause` and `remedy` from what ssh, or the host, said. Always
# fails.
explain() {
    local status=$1 host=$2 text target=${ssh_target[$2]} port
    text=$(<"$3")
    cause=${text##*$'\n'}
    cause=${cause%$'\r'}
    cause=${cause#error: }
    remedy=
    ((status == 255)) || { [[ -n $cause ]] || cause="ended with status $status"; return 1; }
    # ~/.ssh/config may have another than the inventory.
    port=${ssh_port[$host]:-22}
    [[ ! $text =~ port\ ([0-9]+): ]] || port=${BASH_REMATCH[1]}
    case $text in
    *'Could not resolve hostname'*)
        cause="ssh: no host of the name ${target#*@} is known here"
        remedy='write its address, or add the name to /etc/hosts or ~/.ssh/config'
        ;;
    *'IDENTIFICATION HAS CHANGED'*)
        cause='ssh: the host shows another key than it used to'
        remedy="if it was installed anew: ssh-keygen -R ${target#*@}; else somebody is in between"
        ;;
    *'Host key verification failed'*)
        cause='ssh: the key of the host is not known here yet'
        remedy="look at it and accept it once: ssh $target"
        ;;
    *'Permission denied'*)
        cause='ssh: the host takes none of our keys'
        remedy="give it yours: ssh-copy-id $target"
        ;;
    *'Connection refused'*)
        cause="ssh: connection refused: the host is on, but no ssh server at port $port"
        remedy='start one there: sudo systemctl enable --now ssh'
        ;;
    *'timed out'* | *'No route to host'* | *'etwork is unreachable'* | *'not responding'* | \
        *'Broken pipe'*)
        cause='ssh: the host cannot be reached'
        remedy='is it on, awake and on this network? or a firewall drops what we send'
        ;;
    *)
        cause="ssh: ${cause:-it failed and gave no reason}"
        remedy="see what it says to: ssh $target"
        ;;
    esac
    return 1
}

# The answer of a host as an associative array: `read_answer NAME` sets NAME[KEY]=WORDS.
read_answer() {
    local -n into=$1
    local key words
    into=()
    while read -r key words; do
        # shellcheck disable=SC2034
        [[ -z $key ]] || into["$key"]=$words
    done <<<"$answer"
}

# each_host FUNCTION WORD ...: calls it for every host with the host as first word, up to $jobs at a
# time. What it prints comes host after host, as the inventory has them. Fails if any of them did;
# those are in `failed`.
failed=()
each_host() {
    local host pids=() running=0 shown=0
    failed=()
    for host in "${hosts[@]}"; do
        if ((running == jobs)); then
            wait -n || true
            running=$((running - 1))
        fi
        {
            rc=0
            "$1" "$host" "${@:2}" >"$scratch/job.${#pids[@]}" || rc=1
            echo "$rc" >"$scratch/rc.${#pids[@]}"
        } &
        pids+=($!)
        running=$((running + 1))
        show_ended
    done
    while ((shown < ${#pids[@]})); do
        wait "${pids[shown]}" || true
        # One that was killed left no status.
        [[ -s $scratch/rc.$shown ]] || echo 1 >"$scratch/rc.$shown"
        show_ended
    done
    ((${#failed[@]} == 0))
}

# Shows what hosts have to say that ended, in order, and not beyond the first that runs.
show_ended() {
    while [[ -s $scratch/rc.$shown ]]; do
        cat "$scratch/job.$shown"
        [[ $(<"$scratch/rc.$shown") == 0 ]] || failed+=("${hosts[shown]}")
        rm -f "$scratch/rc.$shown"
        shown=$((shown + 1))
    done
}
has_failed() { [[ " ${failed[*]} " == *" $1 "* ]]; }

# --- what people see ------------------------------------------------------------------------------

# tell HOST TEXT: the result of a host, in one line.
tell() { printf '%-*s  %s\n' "$width" "$1" "$2"; }
# step HOST TEXT: what takes a while, as it begins.
step() { printf '%-*s  ... %s\n' "$width" "$1" "$2" >&2; }
# tell_failure HOST [WHAT]: from `cause` and `remedy`. Always fails.
tell_failure() {
    tell "$1" "FAILED: ${2:+$2: }$cause${remedy:+; $remedy}"
    return 1
}
