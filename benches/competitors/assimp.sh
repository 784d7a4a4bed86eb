#!/usr/bin/env bash
# assimp is the library that most viewers read Unreal meshes with: how long from closed files, that are in the page cache, to
# knowing one frame? Both are asked of the same pair, which the bench `frames` writes: assimp by one library call that loads
# frame 0, ours by opening the pair and taking the box around frame 0; and then by decoding every corner, as assimp does. What
# each found is compared: the number of triangles, and the box.
#
# Installs libassimp from Debian where it is missing.
source "$(dirname "$0")/prelude.sh"

compile() { cc -std=c99 -O2 $here/load_assimp.c -lassimp -o "$folder/load" 2> "$folder/compile.log"; }
install() { DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends libassimp-dev; }

command -v cc > /dev/null || skip "there is no C compiler"
if ! compile; then
    command -v apt-get > /dev/null || skip "libassimp is not installed, and this is no Debian"
    [ "$(id -u)" = 0 ] || skip "libassimp-dev is not installed, and only root can install it"
    install > "$folder/apt.log" 2>&1 || { apt-get update -qq && install; } >> "$folder/apt.log" 2>&1 ||
        skip "libassimp-dev cannot be installed: $(tail -n 1 "$folder/apt.log")"
    compile || skip "no program can be made with libassimp: $(head -n 1 "$folder/compile.log")"
fi

ours frames --write "$folder"
# The files are read once, so that they are in the page cache whoever comes first.
cat "$folder"/cloth_?.3d > /dev/null
load() { "$folder/load" "$folder/cloth_d.3d"; }
peek() { ours frames --probe "$folder"; }

answers() { grep -E '^(polygons|bounds) '; }
theirs=$(load | answers)
[ "$theirs" = "$(peek | answers)" ] || fail "the answers differ; its own: $theirs"

# The library of Debian's 5.2.5 takes itself for 5.2.4.
version=$(dpkg-query -W -f '${Version}' libassimp5 2> /dev/null) || version=$("$folder/load")
compare 5 load peek "$version" "Unreal" "65,535 polygons, frames of $(size "$folder/cloth_a.3d")" \
    "aiImportFile, which loads all of frame 0" \
    "closed files to the box around frame 0: assimp / box, at least 500" \
    "closed files to every corner of frame 0 in arrays: assimp / corners"
