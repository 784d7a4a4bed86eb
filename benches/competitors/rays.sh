#!/usr/bin/env bash
# Embree, and the crates parry3d and obvhs: trees over one mesh, how fast each is built and asked on one thread;
# rays/main.rs says what. Called with a number of millions of triangles, or else it takes one; `--shuffled` after it puts
# the triangles in no order. Fails where more than one answer in a thousand is not Embree's.
#
# Installs Embree 3 from Debian where it is missing; where it cannot be had, the first of the crates takes its place.
source "$(dirname "$0")/prelude.sh"

link() { echo 'char rtcNewDevice(); int main() { return !rtcNewDevice; }' | cc -xc - -lembree3 -o "$folder/linked"; }
install() { DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends libembree-dev; }
# Sees to it that a program can be made with Embree, or says why none can.
embree() {
    command -v cc > /dev/null || { echo "there is no C compiler" && return 1; }
    if ! link 2> "$folder/link.log"; then
        command -v apt-get > /dev/null || { echo "libembree3 is not installed, and this is no Debian" && return 1; }
        [ "$(id -u)" = 0 ] || { echo "libembree-dev is not installed, and only root can install it" && return 1; }
        install > "$folder/apt.log" 2>&1 || { apt-get update -qq && install; } >> "$folder/apt.log" 2>&1 ||
            { echo "libembree-dev cannot be installed: $(tail -n 1 "$folder/apt.log")" && return 1; }
        link 2> "$folder/link.log" ||
            { echo "no program can be made with libembree3: $(head -n 1 "$folder/link.log")" && return 1; }
    fi
}

cargo fetch --quiet --locked --manifest-path $here/Cargo.toml 2> "$folder/fetch.log" ||
    skip "the crates cannot be had: $(tail -n 1 "$folder/fetch.log")"
features=embree
why=$(embree) || { echo "skipped: embree: $why" && features=''; }
cargo bench --quiet --locked --manifest-path $here/Cargo.toml --features "$features" --bench rays -- \
    --millions "${1:-1}" "${@:2}"
