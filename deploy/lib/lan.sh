# shellcheck shell=bash
# A small network for deploy/cluster-test: three PCs and a desk on one switch. Every PC has a
# network, processes, files and a host name of its own, and a real ssh server; only the processor is
# shared. Sourced by deploy/cluster-test, which runs as root. Wants `work`, a folder of its own.

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

# Runs a command at the desk, which knows the PCs by name; `in_place` of this shell, so that `$!` is
# its number. `ip netns exec` gives it mounts of its own.
desk() { (desk_in_place "$@"); }
desk_in_place() {
    # shellcheck disable=SC2016
    exec ip netns exec "$(lan_space desk)" \
        bash -c 'mount --bind "$0" /etc/hosts && exec "$@"' "$work/hosts" "$@"
}

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

# The first process of a PC makes it, starts its servers, and stays. They are gone when we are,
# whatever ends us. It begins with nothing of our environment.
lan_boot() {
    local pc=$1 root=$work/$1
    # shellcheck disable=SC2016
    ip netns exec "$(lan_space "$pc")" setpriv --pdeathsig KILL \
        unshare --mount --pid --uts --fork --kill-child --mount-proc \
        env -i PATH="$PATH" HOME=/root XDG_RUNTIME_DIR=/run/user/0 bash -euc '
            hostname "$1"
            mount --bind "$2/home" /root
            mount -t tmpfs run /run
            mkdir -p /run/sshd /run/user/0
            mount --bind "$3" /etc/hosts
            cd /
            /usr/sbin/sshd -D -f "$2/etc/sshd_config" -E "$2/etc/sshd.log" &
            [[ $1 != "$4" ]] || bash -euc "$5" systemd "$2" "$6" &
            wait
        ' boot "$pc" "$root" "$work/hosts" "$lan_systemd_on" "$lan_boot_systemd" \
        "$(lan_space "$pc")" >"$root/boot.log" 2>&1 &
    lan_holder[$pc]=$!
}

# One PC has a systemd for its user, in a control group of its own, if this machine has both; it is
# not the one of the machine, so what that one sets up for users is done here by hand.
lan_systemd_on=gamma
# shellcheck disable=SC2016
lan_boot_systemd='
    mkdir "$1/cgroup"
    mount -t cgroup2 cgroup "$1/cgroup"
    mkdir "$1/cgroup/$2"
    echo 0 >"$1/cgroup/$2/cgroup.procs"
    mkdir -p /run/systemd/system
    mount -t tmpfs state /var/lib/systemd
    mkdir /var/lib/systemd/linger
    touch /var/lib/systemd/linger/root
    mount -t tmpfs cgroup /sys/fs/cgroup
    exec unshare --cgroup bash -euc "
        mount -t cgroup2 cgroup /sys/fs/cgroup
        exec /lib/systemd/systemd --user"
'
# Does it run? With its reasons in its log if not.
lan_has_systemd() {
    local deadline=$((SECONDS + 10))
    [[ -x /lib/systemd/systemd ]] || return 1
    # shellcheck disable=SC2016
    until lan_ssh "$lan_systemd_on" XDG_RUNTIME_DIR=/run/user/0 systemctl --user show-environment \
        >/dev/null 2>&1; do
        ((SECONDS < deadline)) || return 1
        sleep 0.2
    done
}
lan_remove_cgroup() {
    # shellcheck disable=SC2016
    unshare --mount bash -c 'mount -t cgroup2 cgroup "$1" && [[ -d $1/$2 ]] &&
        find "$1/$2" -depth -type d -exec rmdir {} +' remove \
        "$work/$lan_systemd_on/cgroup" "$(lan_space "$lan_systemd_on")" 2>/dev/null || true
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
    } >"$work/ssh_config"
    for pc in "${lan_pcs[@]}"; do
        printf '%s %s\n' "$pc" "$(cut -d ' ' -f 1,2 "$work/$pc/etc/host_key.pub")"
    done >"$work/known_hosts"
}

# Runs a command on a PC, from the desk.
lan_ssh() { desk ssh -F "$work/ssh_config" -o BatchMode=yes "$@"; }

lan_await() {
    local deadline=$((SECONDS + 20))
    until lan_ssh "$1" true 2>"$work/await.err"; do
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
lan_block() {
    ip -n "$(lan_space "$1")" rule add pref 1 to "${lan_address[$3]}" ipproto tcp sport "$2" \
        blackhole
}
lan_unblock() { ip -n "$(lan_space "$1")" rule delete pref 1; }

# The numbers, as this machine counts, of all processes of a PC.
lan_processes() { ip netns pids "$(lan_space "$1")" 2>/dev/null || true; }
# Those of them that run a program, by a pattern for its path.
lan_run_by() {
    local pid
    for pid in $(lan_processes "$1"); do
        # shellcheck disable=SC2053
        [[ $(readlink "/proc/$pid/exe" 2>/dev/null) != $2 ]] || echo "$pid"
    done
}
lan_aphids() { lan_run_by "$1" '*/aphid*'; }

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
    lan_remove_cgroup
    [[ -z $left ]] || {
        echo "left running:$left" >&2
        return 1
    }
}
