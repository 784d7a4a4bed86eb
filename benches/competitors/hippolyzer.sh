#!/usr/bin/env bash
# hippolyzer is the Python library that reads and writes Second Life meshes: how long from an asset in memory to everything
# in it decoded? It makes lists of tuples of 0 to 1, ours makes arrays of floats in the box of the mesh; its further step from
# the one to the other is timed by itself, and then what both found is compared. Called with a file, or else it takes the real
# file that the bench `asset` takes, or else one of the samples.
#
# Installs hippolyzer from PyPI into a virtual environment that is removed in the end.
[ $# = 0 ] || file=$(realpath "$1")
source "$(dirname "$0")/prelude.sh"

if [ -z "${file:-}" ]; then
    shopt -s nullglob
    files=(${MESHPEEK_CORPUS:+"$MESHPEEK_CORPUS"/secondlife/*C3C6A477*.llmesh} data/secondlife/*.llmesh)
    [ ${#files[@]} -gt 0 ] || skip "there is no file to decode: name one"
    file=$(realpath "${files[0]}")
fi

case "$file" in
    "$PWD"/data/*) what="the sample $(basename "$file")" ;;
    *) what="a real asset" ;;
esac

# The version that was compared with; it pins what it needs itself, but for these two.
version=0.15.6
packages "hippolyzer==$version" numpy==1.26.4 llsd==1.0.0
load() { "$python" $here/load_hippolyzer.py "$file"; }
peek() { ours asset --probe "$file"; }
load > /dev/null 2> "$folder/load.log" || skip "it does not read the file, or does not run: $(tail -n 1 "$folder/load.log")"

ours asset --write "$file" "$folder/decoded"
"$python" $here/load_hippolyzer.py "$file" "$folder/decoded" >&2 || fail "the answers differ"

compare 7 load peek "$version" "Second Life" "$what, $(size "$file")" "$("$python" -V); LLMeshSerializer" \
    "everything decoded, into buffers that are reused: hippolyzer / reused, at least 30" \
    "everything decoded, nothing reused: hippolyzer / fresh" \
    "everything decoded, and hippolyzer's in the mesh's box, too: placed / reused"
