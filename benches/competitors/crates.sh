#!/usr/bin/env bash
# The crates gltf, safetensors, parry3d and obvhs, and the loader that copies: crates/main.rs says what is asked. Called with
# a number of millions of triangles, or else it takes one.
source "$(dirname "$0")/prelude.sh"

cargo fetch --quiet --locked --manifest-path $here/Cargo.toml 2> "$folder/fetch.log" ||
    skip "the crates cannot be had: $(tail -n 1 "$folder/fetch.log")"
cargo bench --quiet --locked --manifest-path $here/Cargo.toml --bench crates -- --millions "${1:-1}"
