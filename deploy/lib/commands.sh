# shellcheck shell=bash
# up, restart, down, status and logs. Sourced by deploy/cluster; upgrade and doctor have files of
# their own.
#
# A host is asked for what it has (`survey`), that is compared with what it should have, and only
# the difference is done or, with --dry-run, told.

# --- up and restart -------------------------------------------------------------------------------

# Why a worker is not there, from its log.
tell_missing() {
    local cause="the worker runs, but has not joined the master at $master_address"
    local remedy="deploy/cluster doctor $1"
    # Its log says why, behind the time.
    if on_host "$1" log worker 1; then
        cause+=": ${answer#* }"
    fi
    tell_failure "$1"
}

# up_host HOST [restart]: makes the host as the inventory says. With `restart` its processes begin
# anew in any case, and the binary is left as it is.
up_host() {
    local host=$1 restart=${2-} role reason did=() wanted_sum
    survey "$host" || { tell_failure "$host"; return 1; }
    wanted_sum=${binary_sum:-${facts[sum]-}}
    [[ -z $restart ]] || wanted_sum=${facts[sum]-}
    if [[ -z $restart && ${facts[sum]-} != "$wanted_sum" ]]; then
        [[ -n $dry_run ]] || copy_binary "$host" || { tell_failure "$host" binary; return 1; }
        did+=("$(deed copy copied) the binary, $binary_size")
    elif [[ -z $wanted_sum ]]; then
        cause='no aphid on this host' remedy='deploy/cluster up'
        tell_failure "$host"
        return 1
    fi
    for role in master worker; do
        read_role "$role"
        if [[ -n ${has_role[$host $role]-} ]]; then
            reason=$(reason_to_start "$host" "$role" "$wanted_sum")
            [[ -n $reason || -z $restart ]] || reason='as told'
            [[ -n $reason ]] || continue
            [[ -n $dry_run ]] || start_role "$host" "$role" || { tell_failure "$host"; return 1; }
            [[ $how != stopped ]] || did+=("$(deed start started) the $role")
            [[ $how == stopped ]] || did+=("$(deed restart restarted) the $role ($reason)")
        elif [[ $how != stopped ]]; then
            [[ -n $dry_run ]] || on_host "$host" stop "$role" || { tell_failure "$host"; return 1; }
            did+=("$(deed stop stopped) the $role, which the inventory has no more")
        fi
    done
    [[ ${#did[@]} != 0 ]] || did=('nothing to do: all is as it should be')
    tell "$host" "$(joined '; ' "${did[@]}")"
}

# deed INFINITIVE PAST: what was done, or would be.
deed() { if [[ -n $dry_run ]]; then printf 'would %s' "$1"; else printf '%s' "$2"; fi; }

# joined SEPARATOR WORD ...
joined() {
    local text=$2 word
    for word in "${@:3}"; do text+=$1$word; done
    printf '%s' "$text"
}

# What is wrong with the cluster as a whole: do all workers that should have joined?
expect_members() {
    local host wanted=() status=0
    for host in "${hosts[@]}"; do
        [[ -z ${has_role[$host worker]-} ]] || has_failed "$host" || wanted+=("$host=")
    done
    if ! ask_members; then
        tell_failure "$master_host" "no answer from the master at $master_address"
        return 1
    fi
    await_members "${wanted[@]}" || true
    for host in "${missing[@]}"; do
        tell_missing "$host" || status=1
    done
    printf '\n%d workers have joined the master at %s.\n' "${#members[@]}" "$master_address"
    return "$status"
}

command_up() {
    local status=0
    each_host up_host "$@" || status=1
    [[ -n $dry_run ]] || expect_members || status=1
    return "$status"
}
command_restart() { command_up restart; }

# --- down -----------------------------------------------------------------------------------------

down_host() {
    local host=$1 role did=()
    survey "$host" || { tell_failure "$host"; return 1; }
    # Workers first: they take their leave while there is somebody to take it from.
    for role in worker master; do
        read_role "$role"
        [[ $how != stopped || -n ${has_role[$host $role]-} ]] || continue
        [[ -n $dry_run ]] || on_host "$host" stop "$role" || { tell_failure "$host"; return 1; }
        [[ $how == stopped ]] || did+=("$(deed stop stopped) the $role")
    done
    [[ ${#did[@]} != 0 ]] || did=('nothing runs')
    tell "$host" "$(joined '; ' "${did[@]}")"
}
command_down() { each_host down_host; }

# --- status ---------------------------------------------------------------------------------------

# span SECONDS: 45s, 12m, 3h05m, 2d07h.
span() {
    local s=$1
    if ((s < 60)); then
        printf '%ds' "$s"
    elif ((s < 3600)); then
        printf '%dm%02ds' $((s / 60)) $((s % 60))
    elif ((s < 86400)); then
        printf '%dh%02dm' $((s / 3600)) $((s / 60 % 60))
    else
        printf '%dd%02dh' $((s / 86400)) $((s / 3600 % 24))
    fi
}
status_row() { tell "$1" "$(printf '%-6s  %-10s  %-7s  %-7s  %s' "${@:2}")"; }

status_host() {
    local host=$1 role state note status=0
    survey "$host" || { tell_failure "$host"; return 1; }
    for role in master worker; do
        read_role "$role"
        [[ $how != stopped || -n ${has_role[$host $role]-} ]] || continue
        note=$(joined ' ' "${facts[version]:-none}" "${facts[commit]-}")
        if [[ $how == stopped ]]; then
            status_row "$host" "$role" stopped - - "$note"
            status=1
            continue
        fi
        state=running
        if [[ $role == worker ]]; then
            state=joined
            [[ -n ${members[$host]-} ]] || state='not joined' status=1
        fi
        [[ -n ${has_role[$host $role]-} ]] || note+=', not in the inventory'
        [[ $running_sum == "${facts[sum]-}" ]] || note+=', runs an older one'
        [[ -z $binary_sum || ${facts[sum]-} == "$binary_sum" ]] || note+=", not $binary"
        status_row "$host" "$role" "$state" "$(span "$age")" "$how" "$note"
    done
    return "$status"
}

command_status() {
    local status=0
    ask_members || true
    status_row HOST ROLE STATE SINCE START BINARY
    each_host status_host || status=1
    echo
    if on_host "$master_host" ask --master "$ask_address"; then
        printf '%s\n' "$answer"
    else
        printf 'The master on %s does not answer: %s\n' "$master_host" "$cause${remedy:+; $remedy}"
        status=1
    fi
    return "$status"
}

# --- logs -----------------------------------------------------------------------------------------

logs_host() {
    local host=$1 role status=0
    for role in $(roles_of "$host"); do
        if on_host "$host" log "$role" "$log_lines"; then
            [[ -z $answer ]] || prefixed "$host" "$role" <<<"$answer"
        else
            tell_failure "$host" || status=1
        fi
    done
    return "$status"
}
prefixed() {
    local line
    while IFS= read -r line; do
        tell "$1" "$2  $line"
    done
}

# follow_log HOST ROLE PIPE: with the pipe for input, and no hand on those of the others (`ends`).
follow_log() {
    local end status
    for end in "${ends[@]}"; do
        exec {end}>&-
    done
    ssh_to "$1" sh -s <"$3" 2>"$3.err" | prefixed "$1" "$2"
    status=${PIPESTATUS[0]}
    ((status == 0)) || explain "$status" "$1" "$3.err" || tell_failure "$1"
}

# Until Ctrl-C. What keeps a host talking is our end of its input: when we end, however that is, it
# does.
command_logs() {
    local host role pipe keep pids=() ends=() status=0 pid
    if [[ -z $follow ]]; then
        each_host logs_host
        return
    fi
    for host in "${hosts[@]}"; do
        for role in $(roles_of "$host"); do
            pipe=$scratch/follow.${#pids[@]}
            mkfifo "$pipe"
            follow_log "$host" "$role" "$pipe" &
            pids+=($!)
            exec {keep}>"$pipe"
            ends+=("$keep")
            host_script follow "$role" "$log_lines" >&"$keep"
        done
    done
    for pid in "${pids[@]}"; do
        wait "$pid" || status=1
    done
    return "$status"
}
