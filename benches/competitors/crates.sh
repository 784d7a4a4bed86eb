#!/usr/bin/env bash
# Compares with the crates gltf, safetensors, parry3d and obvhs, and with the copying loader;
# crates/main.rs describes the questions. The argument is the number of millions of triangles, by
# default 1.
source "$(dirname "$0")/prelude.sh"

cargo fetch --quiet --locked --manifest-path $here/Cargo.toml 2> "$folder/fetch.log" ||
    skip "the crates cannot be fetched: $(tail -n 1 "$folder/fetch.log")"
cargo bench --quiet --locked --manifest-path $here/Cargo.toml --bench crates -- --millions "${1:-1}"
