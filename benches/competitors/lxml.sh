#!/usr/bin/env bash
# Compares with lxml and numpy, the fast way to read XML and numbers in Python. Measures the time
# from the text of an EZ-Mesh file in memory to all of its numbers in arrays. The fastest of three
# ways of numpy to parse numbers is used, and then the results are compared. The argument is a file;
# by default, it is the text that the bench `text` generates.
#
# Installs lxml and numpy from PyPI into a temporary virtual environment.
[ $# = 0 ] || file=$(realpath "$1")
source "$(dirname "$0")/prelude.sh"

# The versions to compare with.
lxml=6.1.3 numpy=2.4.6
packages "lxml==$lxml" "numpy==$numpy"
if [ -z "${file:-}" ]; then
    file=$folder/static.ezm
    ours text --write "$file"
fi
load() { "$python" $here/load_lxml.py "$file"; }
peek() { ours text --probe "$file"; }
load > /dev/null 2> "$folder/load.log" || skip "it cannot read the file or cannot run: $(tail -n 1 "$folder/load.log")"

ours text --decoded "$file" "$folder/decoded"
"$python" $here/load_lxml.py "$file" "$folder/decoded" >&2 || fail "the answers differ"

compare 7 load peek "$lxml" "EZ-Mesh" "text of $(size "$file")" "$("$python" -V), numpy $numpy for the numbers" \
    "open, against parsing alone: parse / open" \
    "open, against all numbers in arrays: floats or mapped or joined / open, at least 100" \
    "open, and all numbers in arrays: floats or mapped or joined / decode, at least 5"
