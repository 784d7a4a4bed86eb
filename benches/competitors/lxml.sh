#!/usr/bin/env bash
# lxml and numpy are how Python reads XML and numbers fast: how long from the text of an EZ-Mesh file in memory to all
# numbers in it as arrays? Of numpy's ways to read numbers the fastest counts; and then what both found is compared. Called
# with a file, or else it takes the text that the bench `text` makes.
#
# Installs lxml and numpy from PyPI into a virtual environment that is removed in the end.
[ $# = 0 ] || file=$(realpath "$1")
source "$(dirname "$0")/prelude.sh"

# The versions that were compared with.
lxml=6.1.3 numpy=2.4.6
packages "lxml==$lxml" "numpy==$numpy"
if [ -z "${file:-}" ]; then
    file=$folder/static.ezm
    ours text --write "$file"
fi
load() { "$python" $here/load_lxml.py "$file"; }
peek() { ours text --probe "$file"; }
load > /dev/null 2> "$folder/load.log" || skip "it does not read the file, or does not run: $(tail -n 1 "$folder/load.log")"

ours text --decoded "$file" "$folder/decoded"
"$python" $here/load_lxml.py "$file" "$folder/decoded" >&2 || fail "the answers differ"

compare 7 load peek "$lxml" "EZ-Mesh" "text of $(size "$file")" "$("$python" -V), numpy $numpy for the numbers" \
    "open, against parsing alone: parse / open" \
    "open, against all numbers in arrays: floats or mapped or joined / open, at least 100" \
    "open, and all numbers in arrays: floats or mapped or joined / decode, at least 5"
