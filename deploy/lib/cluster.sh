# shellcheck shell=bash
# What a host has, what it should have, and the means to get from one to the other. Sourced by
# deploy/cluster.

declare -A facts=() members=()

# survey HOST: `facts` from lib/host.sh's `probe`.
survey() {
    on_host "$1" probe && read_answer facts
}

# How a role runs, from `facts`: as a service, a process or stopped; for how many seconds, which
# binary, with which flags.
how=
age=
running_sum=
flags=
read_role() { read -r how _ age running_sum flags <<<"${facts[$1]-stopped}"; }

# --- where the master is --------------------------------------------------------------------------

# Sets `master_address`, as workers know it, and `ask_address`, as its own machine does.
locate_master() {
    local address port listen
    port=$(value_of "$master_host" master port)
    address=$(value_of "$master_host" master address)
    # The real name behind a short one of ~/.ssh/config, which other machines need not know.
    if [[ -z $address ]]; then
        address=$(ssh -G "${ssh_options[@]}" "${ssh_target[$master_host]}" 2>/dev/null |
            awk '$1 == "hostname" { print $2 }')
    fi
    [[ -n $address ]] || address=${ssh_target[$master_host]#*@}
    [[ $address != *:* || $address == \[* ]] || address=[$address]
    listen=$(value_of "$master_host" master listen)
    master_listen=${listen:-0.0.0.0}:${port:-7300}
    master_address=$address:${port:-7300}
    case $listen in
    '' | 0.0.0.0) ask_address=127.0.0.1:${port:-7300} ;;
    '[::]') ask_address="[::1]:${port:-7300}" ;;
    *) ask_address=$master_listen ;;
    esac
}

# Sets `members[NAME]`, a number that changes when a worker joins anew, from what the master says.
ask_members() {
    local number name text
    members=()
    on_host "$master_host" ask --master "$ask_address" --json || return
    text=$(tr '{' '\n' <<<"$answer" | sed -n 's/^"id":\([0-9]*\),"name":"\([^"]*\)".*/\1 \2/p')
    while read -r number name; do
        [[ -z $name ]] || members[$name]=$number
    done <<<"$text"
}

# await_members NAME=NUMBER ...: until these workers are members, with another number than that.
# Those that are not after half a minute are in `missing`; a worker calls again every 15 seconds at
# least.
missing=()
await_members() {
    local word number deadline=$((SECONDS + 30)) next=$((SECONDS + 5))
    while :; do
        missing=()
        ask_members || true
        for word; do
            number=${members[${word%=*}]-}
            [[ -n $number && $number != "${word##*=}" ]] || missing+=("${word%=*}")
        done
        ((${#missing[@]} > 0)) || return 0
        ((SECONDS < deadline)) || return 1
        if ((SECONDS >= next)); then
            step "$master_host" "waits for ${missing[*]}"
            next=$((SECONDS + 5))
        fi
        sleep 0.3
    done
}

# --- what a host should have ----------------------------------------------------------------------

flags_of() {
    local host=$1 role=$2 key value
    if [[ $role == master ]]; then
        printf '%s' "--listen $master_listen"
        return
    fi
    printf '%s' "--master $master_address --name $host"
    for key in threads hash nice; do
        value=$(value_of "$host" worker "$key")
        [[ -z $value ]] || printf '%s' " --$key $value"
    done
}
start_of() {
    local how=${start_option:-$(value_of "$1" "$2" start)}
    printf '%s' "${how:-auto}"
}

# reason_to_start HOST ROLE WANTED_SUM: why it has to be started, or started anew; nothing if it
# need not.
reason_to_start() {
    local way
    read_role "$2"
    way=$(start_of "$1" "$2")
    if [[ $how == stopped ]]; then
        echo 'it does not run'
    elif [[ $running_sum != "$3" ]]; then
        echo 'new binary'
    elif [[ $flags != "$(flags_of "$1" "$2")" ]]; then
        echo 'new settings'
    elif [[ $way != auto && $way != "$how" ]]; then
        echo "as a $way"
    fi
}

# The unit of a role as it comes with aphid, with our binary, flags and log.
unit_of() {
    local run="ExecStart=%h/$REMOTE_DIR/aphid $1 $2" file=$lib/../systemd/user/aphid-$1.service
    local log="StandardOutput=append:%h/$REMOTE_DIR/$1.log\\nStandardError=inherit"
    sed -e "s|^ExecStart=.*|$run\\n$log|" \
        -e '/^EnvironmentFile=/d' -e '/^# Flags as variables/d' "$file"
}

start_role() {
    local flags
    flags=$(flags_of "$1" "$2")
    on_host "$1" start "$2" "$(start_of "$1" "$2")" "$(unit_of "$2" "$flags")" "$flags"
}

# copy_binary HOST: to a name of its own, then checked and renamed by the host.
copy_binary() {
    local name=aphid.${binary_sum:0:12}.$$.new
    if [[ -n $binary_arch && $binary_arch != "${facts[arch]}" ]]; then
        cause="its processor is ${facts[arch]}, $binary is for $binary_arch"
        remedy="build one for it and give it with --only and --binary"
        return 1
    fi
    step "$1" "gets the binary, $binary_size"
    copy_to "$1" "$binary" "$name" && on_host "$1" place "$binary_sum" "$name"
}
