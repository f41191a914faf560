# shellcheck shell=bash
# doctor: what is wrong, why, and what helps; a line for each host and check. Sourced by
# deploy/cluster.

# check HOST NAME STATE TEXT [REMEDY]: STATE is ok, warn or FAIL; the last one fails the host.
check() {
    tell "$1" "$(printf '%-6s  %-4s  %s' "$2" "$3" "$4${5:+; $5}")"
    [[ $3 != FAIL ]] || ill=yes
}

doctor_host() {
    local host=$1 ill='' began
    began=$(date +%s)
    if ! survey "$host"; then
        check "$host" ssh FAIL "${cause#ssh: }" "$remedy"
        return 1
    fi
    check "$host" ssh ok "reached as ${ssh_target[$host]}"
    check_clock "$host" "$began"
    check_cpu "$host"
    [[ -z ${has_role[$host worker]-} ]] || check_memory "$host"
    check_binary "$host"
    check_master "$host"
    [[ -z $ill ]]
}

check_clock() {
    local there=${facts[time]} off
    # Theirs was read between these two.
    off=$((there - ($2 + $(date +%s)) / 2))
    if ((off > 2 || off < -2)); then
        check "$1" clock warn "$off s from ours: the times of logs will not match" \
            'sudo timedatectl set-ntp true'
    else
        check "$1" clock ok 'as ours'
    fi
}

check_cpu() {
    local threads cores=${facts[cores]} kind=${facts[arch]}
    threads=$(value_of "$1" worker threads)
    [[ $kind != x86_64 ]] || kind=x86-64-v${facts[level]}
    if [[ -n $binary_arch && $binary_arch != "${facts[arch]}" ]]; then
        check "$1" cpu FAIL "${facts[arch]}, but $binary is for $binary_arch" \
            'build one there, and give it with --only and --binary'
    elif [[ -n ${has_role[$1 worker]-} && -n $threads ]] && ((10#$threads > cores)); then
        check "$1" cpu warn "$threads threads on $cores cores get in each other's way" \
            "threads=$cores in the inventory"
    else
        check "$1" cpu ok "$kind, $cores cores"
    fi
}

check_memory() {
    local hash total=${facts[memory]} free=${facts[available]}
    hash=$(value_of "$1" worker hash)
    hash=$((10#${hash:-256}))
    read_role worker
    if ((hash > total * 9 / 10)); then
        check "$1" memory FAIL "a hash table of $hash MB in $total MB of memory" \
            "hash=$((total / 2)) in the inventory"
    elif [[ $how == stopped ]] && ((hash > free)); then
        check "$1" memory warn "a hash table of $hash MB, and $free of $total MB are free" \
            'close something, or give it less hash'
    else
        check "$1" memory ok "$hash MB of $total for the hash table"
    fi
}

check_binary() {
    local what role
    what=$(joined ' ' "${facts[version]:-?}" "${facts[commit]-}")
    if [[ -z ${facts[sum]-} ]]; then
        check "$1" binary FAIL 'no aphid on this host' 'deploy/cluster up'
        return
    elif [[ -n ${facts[broken]-} ]]; then
        check "$1" binary FAIL "${facts[broken]}" \
            'build a static one: sh deploy/static target/aphid'
        return
    elif [[ -n $binary_sum && ${facts[sum]} != "$binary_sum" ]]; then
        check "$1" binary FAIL \
            "old: aphid $what, protocol ${facts[protocol]:-?}, is not the $binary here" \
            'deploy/cluster upgrade'
        return
    fi
    for role in master worker; do
        read_role "$role"
        if [[ $how != stopped && $running_sum != "${facts[sum]}" ]]; then
            check "$1" binary FAIL "the $role runs an older binary than the one on the disk" \
                'deploy/cluster upgrade'
            return
        fi
    done
    check "$1" binary ok \
        "aphid $what, protocol ${facts[protocol]:-?}${binary_sum:+, the same as here}"
}

# Can the master be reached from there, and how long is the way?
check_master() {
    local host=$1 kind rest
    if ! on_host "$host" reach "${master_address%:*}" "${master_address##*:}"; then
        check "$host" master FAIL "$cause" "$remedy"
        return
    fi
    local -A reached
    read_answer reached
    # Without bash there is only what aphid itself says.
    [[ -n ${reached[port]-} || -n ${reached[health]-} ]] || {
        check "$host" master warn 'neither bash nor aphid is there to try it' 'deploy/cluster up'
        return
    }
    read -r kind rest <<<"${reached[port]:-open unknown}"
    if [[ $kind == silent || ${reached[health]-} == *'no answer in'* ]]; then
        check "$host" master FAIL \
            "port blocked: $master_address does not answer, so a firewall drops what we send" \
            "$(open_port)"
    elif [[ $kind == closed ]]; then
        check_closed "$host" "$rest"
    elif [[ -n ${reached[health]-} && ${reached[health]} != 0* ]]; then
        check "$host" master FAIL "$master_address answers, but: ${reached[health]#* }" \
            "see deploy/cluster logs $master_host"
    else
        check "$host" master ok "$master_address answers"
        check_way "$host" "$rest"
    fi
}

# The port can be tried, and is not open. Whether a master runs is in `master_runs`.
check_closed() {
    case $2 in
    *refused*)
        if [[ -z $master_runs ]]; then
            check "$1" master FAIL "no master runs at $master_address" 'deploy/cluster up'
        else
            check "$1" master FAIL "port blocked: $master_address refuses, though the master runs" \
                "$(open_port), or look at address= and listen= in the inventory"
        fi
        ;;
    *'not known'* | *resol*)
        check "$1" master FAIL "the name ${master_address%:*} is not known there" \
            "address=IP in the master's line of the inventory"
        ;;
    *) check "$1" master FAIL "port blocked: $master_address: $2" "$(open_port)" ;;
    esac
}
open_port() {
    printf 'on %s: sudo ufw allow %s/tcp, or firewall-cmd --add-port=%s/tcp' \
        "$master_host" "${master_address##*:}" "${master_address##*:}"
}

check_way() {
    if [[ $2 == unknown ]]; then
        check "$1" trip warn 'cannot be measured without bash 5' \
            'deploy/cluster status has it once the worker has joined'
    elif (($2 > 20000)); then
        check "$1" trip warn "$(milliseconds "$2") to the master: slow for a network at home" \
            'a cable instead of wireless'
    else
        check "$1" trip ok "$(milliseconds "$2") to the master and back"
    fi
}
milliseconds() { printf '%d.%02d ms' $(($1 / 1000)) $(($1 % 1000 / 10)); }

command_doctor() {
    local status=0
    master_runs=
    if survey "$master_host"; then
        read_role master
        [[ $how == stopped ]] || master_runs=yes
    fi
    tell HOST "$(printf '%-6s  %-4s  %s' CHECK '' 'CAUSE; REMEDY')"
    each_host doctor_host || status=1
    return "$status"
}
