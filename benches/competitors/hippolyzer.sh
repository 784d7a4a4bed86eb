#!/usr/bin/env bash
# Compares with hippolyzer, the Python library that reads and writes Second Life meshes. Measures
# the time from an asset in memory to all of its data in decoded form. hippolyzer creates lists of
# tuples from 0 to 1, while meshpeek creates arrays of floats in the bounding box of the mesh. The
# additional step of hippolyzer from one to the other is measured separately, and then the results
# are compared. The argument is a file; by default, it is the real file of the bench `asset` or,
# without that, one of the samples.
#
# Installs hippolyzer from PyPI into a temporary virtual environment.
[ $# = 0 ] || file=$(realpath "$1")
source "$(dirname "$0")/prelude.sh"

if [ -z "${file:-}" ]; then
    shopt -s nullglob
    files=(${MESHPEEK_CORPUS:+"$MESHPEEK_CORPUS"/secondlife/*C3C6A477*.llmesh} data/secondlife/*.llmesh)
    [ ${#files[@]} -gt 0 ] || skip "no file to decode was found; name one as the argument"
    file=$(realpath "${files[0]}")
fi

case "$file" in
    "$PWD"/data/*) what="the sample $(basename "$file")" ;;
    *) what="a real asset" ;;
esac

# The version to compare with. It pins its own dependencies, except for these two.
version=0.15.6
packages "hippolyzer==$version" numpy==1.26.4 llsd==1.0.0
load() { "$python" $here/load_hippolyzer.py "$file"; }
peek() { ours asset --probe "$file"; }
load > /dev/null 2> "$folder/load.log" || skip "it cannot read the file or cannot run: $(tail -n 1 "$folder/load.log")"

ours asset --write "$file" "$folder/decoded"
"$python" $here/load_hippolyzer.py "$file" "$folder/decoded" >&2 || fail "the answers differ"

compare 7 load peek "$version" "Second Life" "$what, $(size "$file")" "$("$python" -V); LLMeshSerializer" \
    "everything decoded, into buffers that are reused: hippolyzer / reused, at least 30" \
    "everything decoded, nothing reused: hippolyzer / fresh" \
    "everything decoded, and hippolyzer's in the mesh's box, too: placed / reused"
