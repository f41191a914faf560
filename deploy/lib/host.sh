#!/bin/sh
# What deploy/cluster does on a host. It comes over ssh as the input of `sh -s`, behind a line that
# sets its arguments: a verb and its words. Needs POSIX tools and what every Linux has besides:
# setsid, sha256sum, tail, and for services systemctl. Answers are lines `KEY WORDS`; a failure
# is its cause on stderr and exit code 1.
#
# All that is on the host lies in ~/.local/share/aphid: the binary `aphid`, and of each role
#   ROLE.log      its log; ROLE.log.1 is the one before
#   ROLE.flags    the flags it was started with
#   ROLE.pid      of a detached process: its number, when it started, and in which boot
# A service has its unit in ~/.config/systemd/user as well, aphid-cluster-ROLE.service.
set -u
umask 077
dir=$HOME/.local/share/aphid
units=$HOME/.config/systemd/user
: "${XDG_RUNTIME_DIR:=/run/user/$(id -u)}"
export XDG_RUNTIME_DIR LC_ALL=C

say() { printf '%s\n' "$*"; }
fail() {
    say "$*" >&2
    exit 1
}

# --- processes ------------------------------------------------------------------------------------

# When a process started, in ticks since the boot; nothing when there is none, or only its corpse.
started() {
    sed -n 's/^.*) \([^Z]\) //p' "/proc/$1/stat" 2>/dev/null | cut -d ' ' -f 19
}
boot() { cat /proc/sys/kernel/random/boot_id; }

# identity PID: what tells this process from a later one with the same number.
identity() { echo "$1 $(started "$1") $(boot)"; }

# The detached process of a role, in `pid`; fails when none runs. A number that another process has
# got since is not ours.
find_process() {
    read -r pid rest 2>/dev/null <"$dir/$1.pid" || return 1
    case $pid in '' | *[!0-9]*) return 1 ;; esac
    [ -n "$(started "$pid")" ] && [ "$(identity "$pid")" = "$pid $rest" ]
}

unit() { echo "aphid-cluster-$1.service"; }

# The service of a role, in `pid`; fails when none runs.
find_service() {
    [ -e "$units/$(unit "$1")" ] || return 1
    pid=$(systemctl --user show --property MainPID "$(unit "$1")" 2>/dev/null)
    pid=${pid#MainPID=}
    [ "${pid:-0}" != 0 ]
}

# How a role runs, in `how` and `pid`; fails when it does not.
find_role() {
    if find_service "$1"; then
        how=service
    elif find_process "$1"; then
        how=process
    else
        how='' pid=
        return 1
    fi
}

# Can services be started that stay when nobody is logged in?
can_serve() {
    systemctl --user show-environment >/dev/null 2>&1 || return 1
    [ -e "/var/lib/systemd/linger/$(id -un)" ] || loginctl enable-linger >/dev/null 2>&1
}

# --- what there is --------------------------------------------------------------------------------

# sum FILE: its sha256.
sum() { sha256sum <"$1" | cut -d ' ' -f 1; }

# The lines of `--version` as keys. Fails with what the attempt says.
version_of() {
    text=$("$1" --version 2>&1) || fail "the binary does not run here: $(say "$text" | tail -n 1)"
    say "$text" | sed -n 's/^aphid /version /p; s/^commit: */commit /p; s/^protocol: */protocol /p'
}

# The level of an x86-64 processor, by the features that each level adds.
cpu_level() {
    awk -F: '
        /^flags/ { flags = $2 " "; exit }
        function all(list,    n, i, word) {
            n = split(list, word, " ")
            for (i = 1; i <= n; i++) if (!index(flags, " " word[i] " ")) return 0
            return 1
        }
        END {
            level = 1
            if (all("cx16 lahf_lm popcnt pni sse4_1 sse4_2 ssse3")) level = 2
            if (level == 2 && all("avx avx2 bmi1 bmi2 f16c fma abm movbe xsave")) level = 3
            if (level == 3 && all("avx512f avx512bw avx512cd avx512dq avx512vl")) level = 4
            print level
        }' /proc/cpuinfo
}

role_line() {
    if ! find_role "$1"; then
        echo "$1 stopped"
        return
    fi
    age=$(awk -v began="$(started "$pid")" -v tick="$(getconf CLK_TCK 2>/dev/null || echo 100)" \
        '{ printf "%d", $1 - began / tick }' /proc/uptime)
    # What runs may have been replaced on the disk since.
    running=$(sum "/proc/$pid/exe" 2>/dev/null)
    echo "$1 $how $pid $age ${running:-unknown} $(cat "$dir/$1.flags" 2>/dev/null)"
}

probe() {
    echo "time $(date +%s)"
    echo "arch $(uname -m)"
    [ "$(uname -m)" != x86_64 ] || echo "level $(cpu_level)"
    echo "cores $(nproc 2>/dev/null || grep -c ^processor /proc/cpuinfo)"
    awk '/^MemTotal:/ { printf "memory %d\n", $2 / 1024 }
         /^MemAvailable:/ { printf "available %d\n", $2 / 1024 }' /proc/meminfo
    if [ -x "$dir/aphid" ]; then
        echo "sum $(sum "$dir/aphid")"
        if text=$(version_of "$dir/aphid" 2>&1); then say "$text"; else say "broken $text"; fi
    fi
    role_line master
    role_line worker
}

# --- changes --------------------------------------------------------------------------------------

# One deploy/cluster at a time changes a host.
lock() {
    mkdir -p "$dir"
    command -v flock >/dev/null || return 0
    exec 9>"$dir/lock"
    flock -w 60 9 || fail 'another deploy/cluster is at work on this host'
}

# place SUM FILE: puts the binary that was copied to FILE in the place of the one that is there.
# A running program can be replaced, but not written to. It has to run here before it does.
place() {
    lock
    new=$dir/$2
    find "$dir" -name 'aphid.*.new' -mmin +60 -exec rm -f {} +
    [ "$(sum "$new")" = "$1" ] || fail 'the binary did not arrive as it was sent'
    chmod 755 "$new"
    (version_of "$new") || { rm -f "$new"; exit 1; }
    mv -f "$new" "$dir/aphid"
}

# Ends a role, in ten seconds at the latest; a master answers its running search meanwhile.
end_role() {
    # One that keeps failing has no process at the moment, and is to end all the same.
    if [ -e "$units/$(unit "$1")" ]; then
        systemctl --user disable --now "$(unit "$1")" 2>/dev/null || true
        ! find_service "$1" || fail "$1: the service does not end"
    fi
    find_process "$1" || return 0
    kill -TERM "$pid"
    tries=0
    while find_process "$1"; do
        tries=$((tries + 1))
        [ $tries -lt 100 ] || kill -KILL "$pid"
        [ $tries -lt 150 ] || fail "$1: process $pid does not end"
        sleep 0.1
    done
    rm -f "$dir/$1.pid"
}

# start ROLE HOW UNIT FLAGS: starts a role anew, ending the one that runs; HOW `auto` keeps to the
# way it ran, or else takes a service where there can be one.
start() {
    role=$1 way=$2 unit_text=$3 flags=$4
    lock
    find_role "$role"
    [ "$way" != auto ] || way=$how
    if [ "$way" = service ] && ! can_serve; then
        fail 'no services of a user here that may stay; loginctl enable-linger, or start=process'
    elif [ -z "$way" ]; then
        if can_serve; then way=service; else way=process; fi
    fi
    end_role "$role"
    if [ -e "$dir/$role.log" ] && [ "$(wc -c <"$dir/$role.log")" -gt 1000000 ]; then
        mv -f "$dir/$role.log" "$dir/$role.log.1"
    fi
    echo "--- $(date '+%Y-%m-%d %H:%M:%S') aphid $role $flags" >>"$dir/$role.log"
    echo "$flags" >"$dir/$role.flags"
    start_"$way" "$role" "$unit_text" "$flags"
    settle "$role"
    echo "started $way $pid"
}

start_service() {
    mkdir -p "$units"
    echo "$2" >"$units/$(unit "$1")"
    {
        systemctl --user daemon-reload && systemctl --user enable "$(unit "$1")" &&
            systemctl --user restart "$(unit "$1")"
    } 2>/dev/null || give_up "$1" 'cannot be started as a service'
}

start_process() {
    rm -f "$dir/$1.pid"
    # In a session of its own, so that it outlives ours. Flags are words without blanks.
    # shellcheck disable=SC2086,SC2016
    APHID_LOG=info setsid sh -c 'echo $$ >"$0.new" && exec "$@"' \
        "$dir/$1.pid" "$dir/aphid" "$1" $3 </dev/null >>"$dir/$1.log" 2>&1 9>&- &
    tries=0
    until [ -s "$dir/$1.pid.new" ]; do
        tries=$((tries + 1))
        [ $tries -lt 100 ] || give_up "$1" 'cannot be started'
        sleep 0.05
    done
    identity "$(cat "$dir/$1.pid.new")" >"$dir/$1.pid"
    rm -f "$dir/$1.pid.new"
}

# Waits until a role that was started has said that it works; what is wrong with its flags or its
# port ends it before.
settle() {
    tries=0
    # Behind the line that `start` has written. The words are those of cli/tests/aphid/launching.rs,
    # which fails when the program words them differently.
    until awk '/^--- / { up = 0 } /master is up|worker of [0-9]+ threads/ { up = 1 }
        END { exit !up }' "$dir/$1.log"; do
        tries=$((tries + 1))
        find_role "$1" || give_up "$1" 'ended at once'
        [ $tries -lt 100 ] || give_up "$1" 'not up after 10 s'
        sleep 0.1
    done
    find_role "$1" || give_up "$1" 'ended at once'
}

# give_up ROLE WHY: one that does not work is not left there, to be tried again for ever.
give_up() {
    text=$(tail -n 1 "$dir/$1.log" | sed 's/^error: //')
    end_role "$1"
    fail "$1: $2: $text"
}

# stop ROLE: ends it and forgets how it was started.
stop() {
    lock
    if find_role "$1"; then echo "stopped $how $pid"; fi
    end_role "$1"
    rm -f "$dir/$1.pid" "$dir/$1.flags"
    if [ -e "$units/$(unit "$1")" ]; then
        rm -f "$units/$(unit "$1")"
        systemctl --user daemon-reload 2>/dev/null
    fi
    return 0
}

# --- questions ------------------------------------------------------------------------------------

# log ROLE LINES: the end of its log.
log() {
    [ -e "$dir/$1.log" ] || fail "no log of a $1 here"
    tail -n "$2" "$dir/$1.log"
}

# follow ROLE LINES: the log as it grows, until our input ends.
follow() {
    [ -e "$dir/$1.log" ] || fail "no log of a $1 here"
    tail -n "$2" -F "$dir/$1.log" 2>/dev/null &
    cat >/dev/null
    kill $!
}

# ask FLAG ...: `aphid status` here.
ask() {
    [ -x "$dir/aphid" ] || fail 'no aphid here'
    "$dir/aphid" status "$@" || exit 1
}

# reach HOST PORT: can the master be reached from here? `port open MICROSECONDS`, `port silent` or
# `port closed CAUSE`; then `health`, with the exit code and words of `aphid health`.
reach() {
    host=${1#[}
    host=${host%]}
    # A connection by bash, which every Linux has had for decades, shows a blocked port even
    # while there is no aphid here; its time is one round trip.
    if command -v bash >/dev/null; then
        # shellcheck disable=SC2016
        text=$(timeout 3 bash -c '
            connect() { exec 3<>"/dev/tcp/$0/$1"; }
            connect "$@" && exec 3<&- || exit 1
            best=
            [[ -n ${EPOCHREALTIME-} ]] || { echo open unknown; exit; }
            for _ in 1 2 3; do
                began=${EPOCHREALTIME/[.,]/}
                connect "$@" && took=$((${EPOCHREALTIME/[.,]/} - began)) && exec 3<&-
                [[ -n $best && $best -le $took ]] || best=$took
            done
            echo "open $best"' "$host" "$2" 2>&1)
        case $? in
        0) echo "port $text" ;;
        124) echo 'port silent' ;;
        *) say "port closed $(say "$text" | head -n 1 | sed 's/.*: //')" ;;
        esac
    fi
    if [ -x "$dir/aphid" ]; then
        text=$("$dir/aphid" health --master "$1:$2" 2>&1)
        say "health $? $(say "$text" | tail -n 1 | sed 's/.*is not healthy: //')"
    fi
}

"$@"
