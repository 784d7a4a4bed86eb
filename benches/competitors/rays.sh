#!/usr/bin/env bash
# Compares with Embree, and with the crates parry3d and obvhs: how fast each builds a tree over one
# mesh, and how fast it answers questions on one thread. rays/main.rs describes the questions. The
# first argument is the number of millions of triangles, by default 1; `--shuffled` after it
# shuffles the triangles. Fails if more than one answer in a thousand differs from that of Embree.
#
# Installs Embree 3 from Debian if it is missing. If it cannot be installed, meshpeek, the first of
# the other contestants, is the reference.
source "$(dirname "$0")/prelude.sh"

link() { echo 'char rtcNewDevice(); int main() { return !rtcNewDevice; }' | cc -xc - -lembree3 -o "$folder/linked"; }
install() { DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends libembree-dev; }
# Installs Embree if a program cannot be linked with it. Prints the reason if that fails.
embree() {
    command -v cc > /dev/null || { echo "no C compiler is installed" && return 1; }
    if ! link 2> "$folder/link.log"; then
        command -v apt-get > /dev/null || { echo "libembree3 is not installed, and this system is not Debian" && return 1; }
        [ "$(id -u)" = 0 ] || { echo "libembree-dev is not installed, and only root can install it" && return 1; }
        install > "$folder/apt.log" 2>&1 || { apt-get update -qq && install; } >> "$folder/apt.log" 2>&1 ||
            { echo "libembree-dev cannot be installed: $(tail -n 1 "$folder/apt.log")" && return 1; }
        link 2> "$folder/link.log" ||
            { echo "a program with libembree3 cannot be compiled: $(head -n 1 "$folder/link.log")" && return 1; }
    fi
}

cargo fetch --quiet --locked --manifest-path $here/Cargo.toml 2> "$folder/fetch.log" ||
    skip "the crates cannot be fetched: $(tail -n 1 "$folder/fetch.log")"
features=embree
why=$(embree) || { echo "skipped: embree: $why" && features=''; }
cargo bench --quiet --locked --manifest-path $here/Cargo.toml --features "$features" --bench rays -- \
    --millions "${1:-1}" "${@:2}"
