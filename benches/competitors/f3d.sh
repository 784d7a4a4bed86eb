#!/usr/bin/env bash
# Compares with f3d, a fast viewer that draws with OpenGL and that makes the pictures of file managers.
# Measures the time from a closed file, which is in the page cache, to a PNG of 512 x 512 pixels. Both
# run as whole processes. meshpeek reads the mesh. f3d reads the GLB that meshpeek makes of it, of
# frame 0 if the mesh has frames. The mesh is the largest sample of each format that can be converted:
# from the folder that MESHPEEK_CORPUS names or, without that, from data.
#
# Installs f3d and Xvfb from Debian if they are missing. Without a display, f3d draws on Xvfb, which
# is started once and not measured.
source "$(dirname "$0")/prelude.sh"
export LC_ALL=C
corpus=${MESHPEEK_CORPUS:-data}
rounds=5

needed() { command -v f3d > /dev/null && { [ -n "${DISPLAY:-}" ] || command -v Xvfb > /dev/null; }; }
install() { DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends f3d xvfb; }
if ! needed; then
    command -v apt-get > /dev/null || skip "f3d is not installed, and this system is not Debian"
    [ "$(id -u)" = 0 ] || skip "f3d or Xvfb is not installed, and only root can install them"
    install > "$folder/apt.log" 2>&1 || { apt-get update -qq && install; } >> "$folder/apt.log" 2>&1 ||
        skip "f3d cannot be installed: $(tail -n 1 "$folder/apt.log")"
fi
if [ -z "${DISPLAY:-}" ]; then
    mkfifo "$folder/display"
    Xvfb -displayfd 3 -screen 0 1024x768x24 3> "$folder/display" 2> "$folder/xvfb.log" &
    trap 'kill '$!'; rm -rf "$folder"' EXIT
    read -r -t 30 display < "$folder/display" || skip "Xvfb does not start: $(tail -n 1 "$folder/xvfb.log")"
    export DISPLAY=:$display
fi

cargo build --quiet --release
meshpeek=$CARGO_TARGET_DIR/release/meshpeek
version=$(f3d --version 2>&1 | sed -n 's/^f3d //p')

# Prints the files of a format with one of the extensions, the largest first.
files() {
    local names=()
    for extension in "${@:2}"; do names+=(-o -name "*$extension"); done
    find -L "$corpus/$1" -type f \( "${names[@]:1}" \) -printf '%s %p\n' | sort -rn | cut -d ' ' -f 2-
}

# Prints a label and the nanoseconds that a command takes.
timed() {
    local start=${EPOCHREALTIME/./}
    "${@:2}" > "$folder/log" 2>&1 || fail "$2: $(tail -n 1 "$folder/log")"
    echo "$1 $(((${EPOCHREALTIME/./} - start) * 1000))"
}
load() { timed f3d f3d "$folder/mesh.glb" --output="$folder/f3d.png" --resolution=512,512; }
peek() { timed view "$meshpeek" view "$file" -o "$folder/view.png" --size 512 --force; }

# Prints the width and the height of a PNG.
pixels() { od -An -j 16 -N 8 -t u1 "$1"; }

# Compares the largest file of a format: largest FORMAT FOLDER OPTION... -- EXTENSION...
largest() {
    local format=$1 from=$2 options=() converted=''
    shift 2
    while [ "$1" != -- ]; do options+=("$1") && shift; done
    while read -r file; do
        "$meshpeek" convert "$file" -o "$folder/mesh.glb" --force "${options[@]}" > "$folder/log" 2>&1 && converted=1 && break
    done < <(files "$from" "${@:2}")
    [ -n "$converted" ] || fail "no file of $corpus/$from can be converted: $(tail -n 1 "$folder/log")"
    load > /dev/null && peek > /dev/null
    [ "$(pixels "$folder/f3d.png")" = "$(pixels "$folder/view.png")" ] || fail "$file: the pictures differ in size"
    compare "$rounds" load peek "$version" "$format" "$(basename "$file"), $(size "$file")" \
        "whole processes; f3d reads GLB of $(size "$folder/mesh.glb")" \
        "closed file to a picture of 512 x 512: f3d / view, at least 10"
}
largest UNIGINE unigine -- .mesh
largest EZ-Mesh ezmesh -- .ezm .ezb
largest "Second Life" secondlife -- .llmesh
largest Unreal unreal --frame 0 -- _a.3d
