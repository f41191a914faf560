# shellcheck shell=bash
# A small network for deploy/cluster-test: three PCs and a desk on one switch. Every PC has a network,
# processes, files and a host name of its own, and a real ssh server; only the processor is shared.
# Sourced by deploy/cluster-test, which runs as root. Wants `work`, a folder of its own.

lan_pcs=(alpha beta gamma)
declare -A lan_address=([desk]=10.73.7.1 [alpha]=10.73.7.11 [beta]=10.73.7.12 [gamma]=10.73.7.13)
# The process that holds a PC: with it ends all that runs there.
declare -A lan_holder=()

# The names are this run's own.
lan_space() { printf 'aphid-%s-%s' "$$" "$1"; }

# Can such a network be made here? Says why not.
lan_possible() {
    local space
    space=$(lan_space try)
    if ((UID != 0)); then
        echo 'only root may make network namespaces'
        return 1
    elif ! ip netns add "$space" 2>/dev/null; then
        echo 'this machine allows no network namespaces'
        return 1
    fi
    ip netns delete "$space"
    if ! unshare --mount --pid --uts --fork --mount-proc true 2>/dev/null; then
        echo 'this machine allows no namespaces of processes and mounts'
        return 1
    fi
}

lan_up() {
    local pc
    mkdir -p "$work/keys"
    ssh-keygen -q -t ed25519 -N '' -f "$work/keys/ours"
    ssh-keygen -q -t ed25519 -N '' -f "$work/keys/strange"
    {
        echo '127.0.0.1 localhost'
        for pc in "${!lan_address[@]}"; do echo "${lan_address[$pc]} $pc"; done
    } >"$work/hosts"
    # The desk has the switch.
    ip netns add "$(lan_space desk)"
    desk ip link set lo up
    desk ip link add switch type bridge
    desk ip address add "${lan_address[desk]}/24" dev switch
    desk ip link set switch up
    for pc in "${lan_pcs[@]}"; do
        lan_add "$pc"
    done
    lan_write_config
    for pc in "${lan_pcs[@]}"; do
        lan_await "$pc"
    done
}

# Runs a command at the desk.
desk() { ip netns exec "$(lan_space desk)" "$@"; }

lan_add() {
    local pc=$1 space root=$work/$1
    space=$(lan_space "$pc")
    ip netns add "$space"
    desk ip link add "to-$pc" type veth peer name eth0 netns "$space"
    desk ip link set "to-$pc" master switch up
    ip -n "$space" link set lo up
    ip -n "$space" address add "${lan_address[$pc]}/24" dev eth0
    ip -n "$space" link set eth0 up
    mkdir -p "$root/home/.ssh" "$root/etc"
    chmod 700 "$root/home" "$root/home/.ssh"
    cp "$work/keys/ours.pub" "$root/home/.ssh/authorized_keys"
    ssh-keygen -q -t ed25519 -N '' -f "$root/etc/host_key"
    cat >"$root/etc/sshd_config" <<CONFIG
HostKey $root/etc/host_key
AuthorizedKeysFile /root/.ssh/authorized_keys
PermitRootLogin prohibit-password
PasswordAuthentication no
UsePAM no
StrictModes no
PidFile none
CONFIG
    lan_boot "$pc"
}

# The first process of a PC makes it, starts its ssh server, and stays. Both are gone when we are,
# whatever ends us.
lan_boot() {
    local pc=$1 root=$work/$1
    ip netns exec "$(lan_space "$pc")" setpriv --pdeathsig KILL \
        unshare --mount --pid --uts --fork --kill-child --mount-proc bash -euc '
            hostname "$1"
            mount --bind "$2/home" /root
            mount -t tmpfs run /run
            mkdir /run/sshd
            mount --bind "$3" /etc/hosts
            # Not among the others, whatever is in /tmp.
            cd /
            /usr/sbin/sshd -D -f "$2/etc/sshd_config" -E "$2/etc/sshd.log" &
            wait
        ' boot "$pc" "$root" "$work/hosts" >"$root/boot.log" 2>&1 &
    lan_holder[$pc]=$!
}

# For ssh at the desk, as ~/.ssh/config would have it.
lan_write_config() {
    local pc
    {
        echo "IdentityFile $work/keys/ours"
        echo 'IdentitiesOnly yes'
        echo "UserKnownHostsFile $work/known_hosts"
        echo 'GlobalKnownHostsFile /dev/null'
        echo 'CheckHostIP no'
        for pc in "${lan_pcs[@]}"; do
            printf 'Host %s\n  HostName %s\n  HostKeyAlias %s\n' "$pc" "${lan_address[$pc]}" "$pc"
        done
    } >"$work/ssh_config"
    for pc in "${lan_pcs[@]}"; do
        printf '%s %s\n' "$pc" "$(cut -d ' ' -f 1,2 "$work/$pc/etc/host_key.pub")"
    done >"$work/known_hosts"
}

lan_await() {
    local deadline=$((SECONDS + 20))
    until desk ssh -F "$work/ssh_config" -o BatchMode=yes "$1" true 2>"$work/await.err"; do
        ((SECONDS < deadline)) || {
            cat "$work/await.err" "$work/$1/boot.log" "$work/$1/etc/sshd.log" >&2
            return 1
        }
        sleep 0.1
    done
}

# Pulls and plugs the cable of a PC.
lan_pull() { desk ip link set "to-$1" down; }
lan_plug() { desk ip link set "to-$1" up; }

# The answers of a PC from a port are dropped on their way to another, as a firewall does it.
lan_block() { ip -n "$(lan_space "$1")" rule add to "${lan_address[$3]}" ipproto tcp sport "$2" pref 1 blackhole; }
lan_unblock() { ip -n "$(lan_space "$1")" rule delete pref 1; }

# The numbers, as this machine counts, of all processes of a PC.
lan_processes() { ip netns pids "$(lan_space "$1")" 2>/dev/null || true; }
# Those of them that run aphid.
lan_aphids() {
    local pid
    for pid in $(lan_processes "$1"); do
        [[ $(readlink "/proc/$pid/exe" 2>/dev/null) != */aphid* ]] || echo "$pid"
    done
}

# Ends the network with all that runs in it. Fails if something is left.
lan_down() {
    local pc space pid left=''
    for pc in "${!lan_holder[@]}"; do
        kill -KILL "${lan_holder[$pc]}" 2>/dev/null
        wait "${lan_holder[$pc]}" 2>/dev/null
    done
    for pc in "${lan_pcs[@]}" desk; do
        space=$(lan_space "$pc")
        ip netns pids "$space" >/dev/null 2>&1 || continue
        # The kernel ends what a PC ran when its first process ends; give it the time.
        for _ in {1..50}; do
            [[ -n $(lan_processes "$pc") ]] || break
            sleep 0.1
        done
        for pid in $(lan_processes "$pc"); do
            left+=" $pid ($(tr '\0' ' ' 2>/dev/null <"/proc/$pid/cmdline"))"
            kill -KILL "$pid" 2>/dev/null
        done
        ip netns delete "$space"
    done
    [[ -z $left ]] || {
        echo "left running:$left" >&2
        return 1
    }
}
