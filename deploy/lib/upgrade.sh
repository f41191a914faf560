# shellcheck shell=bash
# upgrade: a new binary, or new settings, without losing a search. Sourced by deploy/cluster.
#
# All hosts get the binary, which disturbs nothing that runs. Then the workers begin anew one by
# one; each takes its leave, so its leaves go to the others at once, and only when it is back comes
# the next. The master is last: it answers its running search before it ends, and users and workers
# reconnect. A worker that does not come back ends the upgrade, so that one bad binary costs one
# worker and not the cluster.

# A worker and a master with different versions of the protocol refuse each other, so there is no
# going one by one.
expect_same_protocol() {
    local new old
    new=$(sed -n 's/^protocol: *//p' <<<"$binary_version")
    survey "$master_host" || { tell_failure "$master_host"; return 1; }
    old=${facts[protocol]-}
    [[ -n $new && -n $old && $new != "$old" ]] || return 0
    cause="$binary speaks protocol $new, the cluster $old: they cannot work together"
    remedy='let the search end, then deploy/cluster up, which begins all anew at once'
    tell_failure "$master_host"
}

prepare_host() {
    survey "$1" || { tell_failure "$1"; return 1; }
    [[ ${facts[sum]-} != "$binary_sum" ]] || return 0
    copy_binary "$1" || { tell_failure "$1" binary; return 1; }
    tell "$1" "copied the binary, $binary_size"
}

# roll HOST ROLE: fails if it cannot be started or a worker does not come back.
roll() {
    local host=$1 role=$2 reason began=$SECONDS name expected=()
    survey "$host" || { tell_failure "$host"; return 1; }
    read_role "$role"
    reason=$(reason_to_start "$host" "$role" "$binary_sum")
    if [[ -z $reason ]]; then
        tell "$host" "$role is up to date"
        return
    fi
    ask_members || true
    if [[ $role == worker ]]; then
        expected=("$host=${members[$host]-}")
    else
        for name in "${!members[@]}"; do
            # Numbers begin anew with a master.
            expected+=("$name=")
        done
    fi
    step "$host" "$role begins anew ($reason)"
    start_role "$host" "$role" || { tell_failure "$host" "$role"; return 1; }
    if ! await_members "${expected[@]}"; then
        for name in "${missing[@]}"; do
            tell_missing "$name" || true
        done
        return 1
    fi
    if [[ $role == worker ]]; then
        tell "$host" "worker upgraded, and back after $((SECONDS - began)) s"
    else
        tell "$host" \
            "master upgraded, and all its ${#expected[@]} workers back after $((SECONDS - began)) s"
    fi
}

command_upgrade() {
    local host role unprepared=() status=0
    if [[ -n $dry_run ]]; then
        each_host up_host || status=1
        echo 'Workers would go one by one, then the master.'
        return "$status"
    fi
    expect_same_protocol || return 1
    each_host prepare_host || status=1
    unprepared=("${failed[@]}")
    for role in worker master; do
        for host in "${hosts[@]}"; do
            [[ -n ${has_role[$host $role]-} && " ${unprepared[*]} " != *" $host "* ]] || continue
            if ! roll "$host" "$role"; then
                echo 'The upgrade ends here; the workers behind this one and the master go on.'
                return 1
            fi
        done
    done
    return "$status"
}
