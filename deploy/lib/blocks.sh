# shellcheck shell=bash
# Takes the command blocks out of deploy/README.md, for the tests that execute them. A block is
# named by the word behind its language. Sourced by deploy/smoke, deploy/cluster-test
# and deploy/lan-test.

readme=deploy/README.md
blocks_run=()

# block_text LANGUAGE NAME: what stands in a block; fails if there is none.
block_text() {
    awk -v head="\`\`\`$1 $2" '
        $0 == head { on = 1; found = 1; next }
        /^```/ { on = 0 }
        on
        END { exit !found }
    ' "$readme"
}

# The names of all blocks of commands that begin with a prefix, or, with `not`, that do not.
block_names() {
    if [[ ${2-} == not ]]; then
        sed -n 's/^```sh *//p' "$readme" | grep -v "^$1"
    else
        sed -n 's/^```sh *//p' "$readme" | grep "^$1"
    fi
}
