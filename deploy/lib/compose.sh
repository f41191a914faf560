# shellcheck shell=bash
# A compose cluster of our own for a test: other names, ports and images than a user's, built
# without a network from a static binary, gone at the end. Sourced by deploy/smoke and
# deploy/match, from the root of the tree.
#
# compose_prepare KIND WORK, compose_make_builder BINARY, then `compose up`, and compose_clean_up at
# the end; the master is at localhost:$port.

# compose_prepare KIND WORK: names everything after the kind of test; WORK is a folder for files,
# which the caller removes. Sets work, port, label and builder.
compose_prepare() {
    work=$2
    port=$(python3 -c 'import socket
print(socket.create_server(("127.0.0.1", 0)).getsockname()[1])')
    label=aphid-$1=$$
    builder=aphid-$1-builder:$$
    # For compose, and for every aphid that is not told otherwise.
    export COMPOSE_PROJECT_NAME=aphid-$1-$$ APHID_IMAGE=aphid-$1:$$ APHID_BUILDER=$builder
    export APHID_PUBLISH=127.0.0.1:$port APHID_LISTEN=127.0.0.1:$port
    # The classic builder where there is no other.
    export DOCKER_BUILDKIT=${DOCKER_BUILDKIT:-1}
    command docker buildx version >/dev/null 2>&1 || DOCKER_BUILDKIT=0
}

# `docker compose`, by whichever program there is.
docker() {
    if [[ $1 != compose ]] || command docker compose version >/dev/null 2>&1; then
        command docker "$@"
    else
        shift
        docker-compose "$@"
    fi
}
compose() { docker compose -f deploy/compose.yaml "$@"; }

# Takes down whatever there is, and the images, with what the classic builder leaves of the first
# stage.
compose_clean_up() {
    compose down --timeout 5 --remove-orphans --volumes >"$work/down" 2>&1 || cat "$work/down" >&2
    command docker image rm --force "$APHID_IMAGE" >/dev/null 2>&1
    command docker image prune --force --filter label="$label" >/dev/null 2>&1
    command docker image rm --force "$builder" >/dev/null 2>&1
}

containers() { compose ps -q "$1"; }
inspect() { command docker inspect --format "$1" "$2"; }

# compose_make_builder BINARY: a base for the first stage, with a shell, the few tools of
# deploy/static, and a cargo that hands out the binary, which deploy/static has built before.
compose_make_builder() {
    local root=$work/root tool library
    mkdir -p "$root/bin" "$root/prebuilt"
    for tool in sh uname dirname mkdir cp mv; do
        cp -L "$(type -P "$tool")" "$root/bin/"
        # "name => /path (address)" or "/path (address)".
        for library in $(ldd "$root/bin/$tool" | grep -o '/[^ ]*'); do
            mkdir -p "$root$(dirname "$library")"
            cp -L "$library" "$root$library"
        done
    done
    cp "$1" "$root/prebuilt/aphid"
    cat >"$root/bin/cargo" <<'CARGO'
#!/bin/sh
set -eu
[ "$1 $2 $3" = 'rustc --release --locked' ] && [ "$4" = --target ] && [ -f Cargo.lock ]
mkdir -p "target/$5/release"
cp /prebuilt/aphid "target/$5/release/aphid"
CARGO
    chmod +x "$root/bin/cargo"
    tar -C "$root" -c . |
        command docker import --change 'ENV PATH=/bin' --change "LABEL $label" - "$builder" \
            >/dev/null
}
