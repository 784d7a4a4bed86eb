#!/usr/bin/env bash
# Compares with assimp, the library with which most viewers read Unreal meshes. Measures the time
# from closed files, which are in the page cache, to one frame. Both programs read the same pair,
# which the bench `frames` writes. assimp loads frame 0 with one library call. meshpeek opens the
# pair and computes the bounding box of frame 0; in a second measurement, it decodes every corner,
# as assimp does. The results are compared: the number of triangles, and the bounding box.
#
# Installs libassimp from Debian if it is missing.
source "$(dirname "$0")/prelude.sh"

compile() { cc -std=c99 -O2 $here/load_assimp.c -lassimp -o "$folder/load" 2> "$folder/compile.log"; }
install() { DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends libassimp-dev; }

command -v cc > /dev/null || skip "no C compiler is installed"
if ! compile; then
    command -v apt-get > /dev/null || skip "libassimp is not installed, and this system is not Debian"
    [ "$(id -u)" = 0 ] || skip "libassimp-dev is not installed, and only root can install it"
    install > "$folder/apt.log" 2>&1 || { apt-get update -qq && install; } >> "$folder/apt.log" 2>&1 ||
        skip "libassimp-dev cannot be installed: $(tail -n 1 "$folder/apt.log")"
    compile || skip "a program with libassimp cannot be compiled: $(head -n 1 "$folder/compile.log")"
fi

ours frames --write "$folder"
# Reads the files once, so that both programs find them in the page cache.
cat "$folder"/cloth_?.3d > /dev/null
load() { "$folder/load" "$folder/cloth_d.3d"; }
peek() { ours frames --probe "$folder"; }

answers() { grep -E '^(polygons|bounds) '; }
theirs=$(load | answers)
[ "$theirs" = "$(peek | answers)" ] || fail "the answers differ; expected the same as assimp: $theirs"

# The library of Debian's 5.2.5 reports version 5.2.4.
version=$(dpkg-query -W -f '${Version}' libassimp5 2> /dev/null) || version=$("$folder/load")
compare 5 load peek "$version" "Unreal" "65,535 polygons, frames of $(size "$folder/cloth_a.3d")" \
    "aiImportFile, which loads all of frame 0" \
    "closed files to the box around frame 0: assimp / box, at least 500" \
    "closed files to every corner of frame 0 in arrays: assimp / corners"
