#!/usr/bin/env bash
# Compares with Embree 4 and 3, and with crates: how fast each builds a tree over a mesh, and how
# fast it answers questions on one thread. rays/main.rs describes the meshes, the questions and the
# options. The first argument is the number of millions of triangles, by default 1; the options
# follow it. Fails if more than one answer in a thousand differs from that of Embree.
#
# Embree 4.4 is taken from a wheel for Python, which is unpacked in the target folder. Embree 3.13.5
# is that of Debian, which is built with assertions; it is installed if it is missing. The first
# library that can be loaded is the reference, or meshpeek, if there is none.
source "$(dirname "$0")/prelude.sh"
wheel=embreex==4.4.0.post1
unpacked=$CARGO_TARGET_DIR/$wheel

# Prints the file in the wheel, or the reason if it cannot be fetched.
embree4() {
    if [ ! -d "$unpacked" ]; then
        command -v python3 > /dev/null || { echo "Python is not installed" && return 1; }
        python3 -m pip download --quiet --disable-pip-version-check --no-deps --dest "$folder" "$wheel" > "$folder/pip.log" 2>&1 ||
            { echo "$wheel cannot be fetched: $(tail -n 1 "$folder/pip.log")" && return 1; }
        python3 -m zipfile -e "$folder"/embreex-*.whl "$folder/wheel" && mkdir -p "$CARGO_TARGET_DIR" && mv "$folder/wheel" "$unpacked"
    fi
    ls "$unpacked"/embreex.libs/libembree4*
}

# Prints the name of the library, or the reason if it cannot be installed.
embree3() {
    install() { DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends libembree3-3; }
    if ! ldconfig -p | grep -q libembree3.so.3; then
        command -v apt-get > /dev/null || { echo "libembree3 is not installed, and this system is not Debian" && return 1; }
        [ "$(id -u)" = 0 ] || { echo "libembree3-3 is not installed, and only root can install it" && return 1; }
        install > "$folder/apt.log" 2>&1 || { apt-get update -qq && install; } >> "$folder/apt.log" 2>&1 ||
            { echo "libembree3-3 cannot be installed: $(tail -n 1 "$folder/apt.log")" && return 1; }
    fi
    echo libembree3.so.3
}

cargo fetch --quiet --locked --manifest-path $here/Cargo.toml 2> "$folder/fetch.log" ||
    skip "the crates cannot be fetched: $(tail -n 1 "$folder/fetch.log")"
libraries=()
for version in 4 3; do
    if found=$(embree$version); then libraries+=(--embree "$found"); else echo "skipped: embree $version: $found"; fi
done
features=''
if command -v c++ > /dev/null; then
    features=tinybvh
    export RUSTC_WRAPPER=$PWD/$here/with_avx2 CXXFLAGS=-DNO_THREADED_BUILDS
else
    echo "skipped: tinybvh-rs: no C++ compiler is installed"
fi
cargo bench --quiet --locked --manifest-path $here/Cargo.toml --features "$features" --bench rays -- \
    --millions "${1:-1}" "${libraries[@]}" "${@:2}"
