#!/usr/bin/env bash
# Compares with lxml and numpy, which is how Python reads XML and numbers fast: how long from the text of an EZ-Mesh file
# in memory to all numbers in it as arrays? Of numpy's ways to read numbers it takes the fastest; and then what both found is
# compared. Called with a file, or else it takes the text that the bench `text` makes.
#
# Installs lxml and numpy from PyPI into a virtual environment that is removed in the end, and nothing else. Where that
# cannot be done it prints a line that begins with `skipped:`. Fails where to open is not 100 times as fast as lxml and
# numpy, where to decode everything is not 5 times as fast, or where the answers differ.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
[ $# = 0 ] || file=$(realpath "$1")
cd "$(dirname "$0")/.."

open_bar=100
decode_bar=5
rounds=7
# The versions that were compared with.
packages=(lxml==6.1.3 numpy==2.4.6)

skip() {
    echo "skipped: $1"
    exit 0
}

cat > "$folder/load.py" << 'PYTHON'
"""Loads a text some times, after once more to warm up; prints the nanoseconds of each part. With a second file, which has
what the other program decoded, compares the two."""
import sys
import time
import warnings

import numpy as np
from lxml import etree

warnings.simplefilter("ignore")
with open(sys.argv[1], "rb") as file:
    data = file.read()

LETTERS = {"f": np.float32, "h": np.float32, "x": np.uint32}


def parse():
    return etree.fromstring(data, etree.XMLParser(huge_tree=True))


def floats(tokens):
    return np.array(tokens, dtype=np.float32)


def mapped(tokens):
    return np.array(list(map(float, tokens)), dtype=np.float32)


def joined(text):
    return np.fromstring(text.replace(",", " "), dtype=np.float32, sep=" ")


def numbers(node, read):
    """Reads all numbers of an element but those in hexadecimal, which numpy does not read: as text, where there are none."""
    kinds = [letter for letter in node.get("ctype", "f") if letter in LETTERS]
    if "x" not in kinds:
        return read(node.text) if read is joined else read(node.text.replace(",", " ").split())
    tokens = node.text.replace(",", " ").split()
    for place in range(kinds.count("x")):
        first, width = kinds.index("x"), len(kinds)
        np.array([int(token, 16) for token in tokens[first::width]], dtype=np.uint32)
        del tokens[first::width], kinds[first]
    return mapped(tokens) if read is joined else read(tokens)


def indices(node, read):
    if read is joined:
        return np.fromstring(node.text.replace(",", " "), dtype=np.uint32, sep=" ")
    return np.array(list(map(int, node.text.replace(",", " ").split())), dtype=np.uint32)


def load(read):
    tree = parse()
    own = [numbers(node, read) for node in tree.iter("vertexbuffer")]
    keys = [numbers(node, read) for node in tree.iter("AnimTrack")]
    return own + keys, [indices(node, read) for node in tree.iter("indexbuffer")]


if len(sys.argv) == 2:
    jobs = [("parse", parse)] + [(read.__name__, lambda read=read: load(read)) for read in (floats, mapped, joined)]
    for turn in range(4):
        for name, job in jobs:
            start = time.perf_counter_ns()
            job()
            if turn > 0:
                print(name, time.perf_counter_ns() - start)
    sys.exit()

with open(sys.argv[2], "rb") as file:
    ours = file.read()
found, triangles = (np.concatenate(arrays) for arrays in load(mapped))
mine = np.frombuffer(ours, dtype="<f4", count=len(found))
rest = np.frombuffer(ours, dtype="<u4", offset=4 * len(found))
# numpy rounds to 64 bits first, which may be one unit of the last place off.
apart = np.abs(found.view(np.int32).astype(np.int64) - mine.view(np.int32)).max()
print("  %d floats, at most %d units of the last place apart; %d indices" % (len(found), apart, len(triangles)))
if apart > 1 or not np.array_equal(rest, triangles):
    sys.exit("the answers differ")
PYTHON

command -v python3 > /dev/null || skip "there is no Python"
python3 -m venv "$folder/venv" > "$folder/venv.log" 2>&1 ||
    skip "Python makes no virtual environment: $(tail -n 1 "$folder/venv.log")"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check "${packages[@]}" > "$folder/pip.log" 2>&1 ||
    skip "lxml and numpy cannot be installed: $(tail -n 1 "$folder/pip.log")"
if [ -z "${file:-}" ]; then
    file=$folder/static.ezm
    cargo bench --quiet --bench text -- --write "$file"
fi
python=("$folder/venv/bin/python" "$folder/load.py" "$file")
"${python[@]}" > /dev/null 2> "$folder/python.log" ||
    skip "lxml does not read the file, or does not run: $(tail -n 1 "$folder/python.log")"

cargo bench --quiet --bench text -- --decoded "$file" "$folder/decoded"
for _ in $(seq "$rounds"); do
    "${python[@]}" > "$folder/theirs"
    cargo bench --quiet --bench text -- --probe "$file" > "$folder/ours"
    # The round's medians, beside each other.
    for label in parse floats mapped joined open decode; do
        sed -n "s/^$label //p" "$folder/theirs" "$folder/ours" | sort -n |
            awk '{ all[NR] = $1 } END { printf "%s ", all[int((NR + 1) / 2)] }'
    done >> "$folder/rounds"
    echo >> "$folder/rounds"
done

cpu=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
echo "all numbers of ${file##*/}, ${packages[*]}, $("$folder/venv/bin/python" -V), ${cpu:-an unknown processor}"
"${python[@]}" "$folder/decoded"
awk -v open_bar="$open_bar" -v decode_bar="$decode_bar" '
    function line(what, list, unit, count, i, j, swap) {
        count = split(list, all, " ")
        for (i = 2; i <= count; i++)
            for (j = i; j > 1 && all[j] + 0 < all[j - 1] + 0; j--) { swap = all[j]; all[j] = all[j - 1]; all[j - 1] = swap }
        median = all[int((count + 1) / 2)]
        printf "  %-58s %.4g [%.4g..%.4g] %s", what, median, all[1], all[count], unit
    }
    function judge(bar) {
        printf ", at least %d: %s\n", bar, median < bar ? "FAILS" : "holds"
        failed = failed || median < bar
    }
    {
        parse = parse " " $1 / 1e6; floats = floats " " $2 / 1e6; mapped = mapped " " $3 / 1e6; joined = joined " " $4 / 1e6
        best = $2 < $3 ? $2 : $3
        best = $4 < best ? $4 : best
        open = open " " $5 / 1e6; decode = decode " " $6 / 1e6
        parsed = parsed " " $1 / $5; opened = opened " " best / $5; decoded = decoded " " best / $6
    }
    END {
        line("lxml, parsing alone", parse, "ms\n")
        line("lxml and numpy, np.array of tokens", floats, "ms\n")
        line("lxml and numpy, np.array of floats", mapped, "ms\n")
        line("lxml and numpy, np.fromstring", joined, "ms\n")
        line("meshpeek, open", open, "ms\n")
        line("meshpeek, open and decode everything into buffers", decode, "ms\n")
        line("lxml, parsing alone / meshpeek, open", parsed, "times\n")
        line("lxml and numpy, the fastest / meshpeek, open", opened, "times")
        judge(open_bar)
        line("lxml and numpy, the fastest / meshpeek, everything", decoded, "times")
        judge(decode_bar)
        exit failed
    }' "$folder/rounds"
