# shellcheck shell=bash
# Reads the inventory: which hosts there are and what runs on each. Sourced by deploy/cluster.
#
# A line is `ROLE [USER@]HOST[:PORT] KEY=VALUE ...` or `default KEY=VALUE ...`; `#` begins a
# comment. Every fault is told as FILE:LINE:COLUMN, all of them in one go.
# deploy/cluster.example.conf explains the format to people.

# A host goes by its label, HOST or HOST:PORT as written; what a role needs is setting[LABEL ROLE
# KEY].
hosts=()
master_host=
declare -A ssh_target=() ssh_port=() tags_of=() has_role=() setting=() default=()
inventory_faults=0

# fault LINE COLUMN TEXT
fault() {
    printf '%s:%d:%d: %s\n' "$inventory" "$1" "$2" "$3" >&2
    inventory_faults=$((inventory_faults + 1))
}

# Reads $inventory into the arrays above. Fails if anything is wrong with it, having said what.
read_inventory() {
    local text number=0 master_lines=0 master_column
    if [[ ! -f $inventory || ! -r $inventory ]]; then
        fault 1 1 'no such file, or not readable; deploy/cluster.example.conf is one to start from'
        return 1
    fi
    while IFS= read -r text || [[ -n $text ]]; do
        number=$((number + 1))
        read_line "$number" "${text%$'\r'}"
    done <"$inventory"
    if ((master_lines == 0)); then
        fault "$((number > 0 ? number : 1))" 1 'no master; it takes a line such as: master alpha'
    fi
    if [[ $master_host == localhost && ${#hosts[@]} != 1 &&
        -z ${setting[localhost master address]-} ]]; then
        fault "${has_role[localhost master]}" "$master_column" \
            'the other hosts need its real name: localhost address=HOST'
    fi
    ((inventory_faults == 0))
}

# read_line NUMBER TEXT
read_line() {
    local number=$1 text=$2 rest=$2 words=() columns=() blank
    while [[ $rest =~ ^([[:space:]]*)([^[:space:]]+)(.*)$ && ${BASH_REMATCH[2]} != '#'* ]]; do
        blank=${#BASH_REMATCH[1]}
        columns+=($((${#text} - ${#rest} + blank + 1)))
        words+=("${BASH_REMATCH[2]}")
        rest=${BASH_REMATCH[3]}
    done
    case ${words[0]-} in
    '') ;;
    default) read_settings "$number" default '' 1 ;;
    master | worker) read_host "$number" ;;
    *) fault "$number" "${columns[0]}" "'${words[0]}' is none of: master, worker, default" ;;
    esac
}

# The host of a line, in the words and columns of read_line, then its settings.
read_host() {
    local number=$1 role=${words[0]} column=${columns[1]-$((${#text} + 1))}
    local form='^(([A-Za-z0-9._-]+)@)?(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9_][A-Za-z0-9._-]*)(:(.*))?$'
    [[ $role == worker ]] || master_lines=$((master_lines + 1))
    if [[ -z ${words[1]-} || ${words[1]} == *=* ]]; then
        fault "$number" "$column" "a $role needs a host: $role [USER@]HOST[:PORT]"
        return
    elif [[ ! ${words[1]} =~ $form ]]; then
        fault "$number" "$column" "'${words[1]}' is not [USER@]HOST[:PORT]"
        return
    fi
    local user=${BASH_REMATCH[1]} host=${BASH_REMATCH[3]} port=${BASH_REMATCH[5]}
    local label=$host${BASH_REMATCH[4]} name=${host#[}
    if [[ -n ${BASH_REMATCH[4]} ]] && ! in_range "$port" 1 65535; then
        column=$((column + ${#words[1]} - ${#port}))
        fault "$number" "$column" "port '$port' is not a number from 1 to 65535"
        return
    fi
    if [[ -n ${has_role[$label $role]-} ]]; then
        fault "$number" "$column" "$label is a $role already, in line ${has_role[$label $role]}"
        return
    elif [[ -n ${ssh_target[$label]-} && ${ssh_target[$label]} != "$user${name%]}" ]]; then
        fault "$number" "$column" "$label has another user here than above"
        return
    elif [[ $role == master && -n $master_host ]]; then
        fault "$number" "${columns[0]}" \
            "a second master; line ${has_role[$master_host master]} has one"
        return
    fi
    [[ -n ${ssh_target[$label]-} ]] || hosts+=("$label")
    [[ $role == worker ]] || master_host=$label master_column=$column
    ssh_target[$label]=$user${name%]}
    ssh_port[$label]=$port
    has_role[$label $role]=$number
    read_settings "$number" "$role" "$label" 2
}

# read_settings LINE ROLE LABEL FIRST: the words of read_line from FIRST on.
read_settings() {
    local number=$1 role=$2 label=$3 i key value column
    local -A seen=()
    for ((i = $4; i < ${#words[@]}; i++)); do
        key=${words[i]%%=*} value=${words[i]#*=} column=${columns[i]}
        if ! known_key "$role" "$key"; then
            fault "$number" "$column" "'$key' cannot be set here; what can: $(keys_of "$role")"
        elif [[ ${words[i]} != *=* || -z $value ]]; then
            fault "$number" "$column" "'$key' needs a value: $key=$(example_of "$key")"
        elif [[ -n ${seen[$key]-} || ($role == default && -n ${default[$key]-}) ]]; then
            fault "$number" "$column" "'$key' is set already"
        elif ! check_value "$key" "$value"; then
            fault "$number" $((column + ${#key} + 1)) "$key '$value' is not $(range_of "$key")"
        elif [[ $role == default ]]; then
            default[$key]=$value
        elif [[ $key == tags ]]; then
            tags_of[$label]+=,$value
        else
            setting[$label $role $key]=$value
        fi
        seen[$key]=yes
    done
}

keys_of() {
    case $1 in
    default) echo 'threads hash nice start' ;;
    worker) echo 'threads hash nice tags start' ;;
    master) echo 'address port listen tags start' ;;
    esac
}
known_key() { [[ " $(keys_of "$1") " == *" $2 "* && -n $2 ]]; }

range_of() {
    case $1 in
    threads) echo 'a number from 1 to 1024' ;;
    hash) echo 'a number of MB from 1 to 1048576' ;;
    nice) echo 'a number from 0 to 19' ;;
    port) echo 'a number from 1 to 65535' ;;
    start) echo 'auto, service or process' ;;
    tags) echo 'words of letters, digits, - and _ with commas between them' ;;
    listen) echo 'an IP address of the master' ;;
    address) echo 'a host name or IP address' ;;
    esac
}
example_of() {
    case $1 in
    threads) echo 4 ;;
    hash) echo 1024 ;;
    nice) echo 19 ;;
    port) echo 7300 ;;
    start) echo process ;;
    tags) echo fast,kitchen ;;
    listen) echo 0.0.0.0 ;;
    address) echo 192.168.1.10 ;;
    esac
}
check_value() {
    case $1 in
    threads) in_range "$2" 1 1024 ;;
    hash) in_range "$2" 1 1048576 ;;
    nice) in_range "$2" 0 19 ;;
    port) in_range "$2" 1 65535 ;;
    start) [[ $2 =~ ^(auto|service|process)$ ]] ;;
    tags) [[ $2 =~ ^[A-Za-z0-9_-]+(,[A-Za-z0-9_-]+)*$ ]] ;;
    listen) [[ $2 =~ ^([0-9]{1,3}(\.[0-9]{1,3}){3}|\[[0-9A-Fa-f:.]+\])$ ]] ;;
    address) [[ $2 =~ ^([A-Za-z0-9_][A-Za-z0-9._-]*|\[[0-9A-Fa-f:.]+\])$ ]] ;;
    esac
}
# in_range TEXT LOWEST HIGHEST: decimal digits within; what is too long for a number is outside.
in_range() { [[ $1 =~ ^[0-9]{1,9}$ ]] && ((10#$1 >= $2 && 10#$1 <= $3)); }

# value_of LABEL ROLE KEY: as the line says, else as the defaults say, else nothing.
value_of() { printf '%s' "${setting[$1 $2 $3]-${default[$3]-}}"; }

roles_of() {
    local role
    for role in master worker; do
        [[ -z ${has_role[$1 $role]-} ]] || printf '%s\n' "$role"
    done
}

# Leaves in `hosts` those with a label, host name or tag among the words; all of them without words.
# Fails, having said so, if a word means none of them.
select_hosts() {
    local word host chosen=() found wanted
    (($#)) || return 0
    local -A keep=()
    for word; do
        found=
        for host in "${hosts[@]}"; do
            wanted=",$host,${host%:*},${ssh_target[$host]},${tags_of[$host]-},"
            [[ $wanted != *",$word,"* ]] || { keep[$host]=yes found=yes; }
        done
        if [[ -z $found ]]; then
            printf 'cluster: no host and no tag of %s is called %s\n' "$inventory" "'$word'" >&2
            return 1
        fi
    done
    for host in "${hosts[@]}"; do
        [[ -z ${keep[$host]-} ]] || chosen+=("$host")
    done
    hosts=("${chosen[@]}")
}
