#!/usr/bin/env bash
# Compares with hippolyzer, the Python library that reads and writes Second Life meshes: how long from an asset in memory
# to everything in it decoded? hippolyzer makes lists of tuples of 0 to 1, ours makes arrays of floats in the box of the
# mesh; hippolyzer's further step from the one to the other is timed by itself, and then what both found is compared.
# Called with a file, or else it takes the real file that the bench `asset` takes, or else one of the samples.
#
# Installs hippolyzer from PyPI into a virtual environment that is removed in the end, and nothing else. Where that cannot
# be done it prints a line that begins with `skipped:`. Fails where ours is not 30 times as fast, or where the answers
# differ.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
[ $# = 0 ] || file=$(realpath "$1")
cd "$(dirname "$0")/.."

bar=30
rounds=7
# The version that was compared with; it pins what it needs itself, but for these two.
packages=(hippolyzer==0.15.6 numpy==1.26.4 llsd==1.0.0)

skip() {
    echo "skipped: $1"
    exit 0
}

if [ -z "${file:-}" ]; then
    shopt -s nullglob
    files=(${MESHPEEK_CORPUS:+"$MESHPEEK_CORPUS"/secondlife/*C3C6A477*.llmesh} data/secondlife/*.llmesh)
    [ ${#files[@]} -gt 0 ] || skip "there is no file to decode: name one"
    file=$(realpath "${files[0]}")
fi

cat > "$folder/load.py" << 'PYTHON'
"""Decodes an asset ten times, after once more to warm up; prints the nanoseconds of each. With a second file, which
has what the other program decoded, compares the two."""
import array
import sys
import time

from hippolyzer.lib.base import serialization
from hippolyzer.lib.base.mesh import LLMeshSerializer, positions_from_domain

with open(sys.argv[1], "rb") as file:
    asset = file.read()


def load():
    return serialization.BufferReader("<", asset).read(LLMeshSerializer(parse_segment_contents=True))


def place(mesh):
    """Takes positions and texture coordinates from 0 to 1 to where they are."""
    for level in mesh.iter_lod_materials():
        for key in "Position", "TexCoord0":
            if key in level:
                level[key] = positions_from_domain(level[key], level[key + "Domain"])
    return mesh


LEVELS = "high_lod", "medium_lod", "low_lod", "lowest_lod"
KEYS = "Position", "Normal", "TexCoord0"

if len(sys.argv) == 2:
    for turn in range(11):
        start = time.perf_counter_ns()
        mesh = load()
        decoded = time.perf_counter_ns()
        place(mesh)
        placed = time.perf_counter_ns()
        if turn > 0:
            print("hippolyzer", decoded - start)
            print("placed", placed - start)
    sys.exit()

with open(sys.argv[2], "rb") as file:
    ours = file.read()
mesh, at, apart, failed = place(load()), 0, dict.fromkeys(KEYS, 0.0), False
counts = []
for name in LEVELS:
    if name not in mesh.segments:
        continue
    level = [one for one in mesh.segments[name] if "Position" in one]
    for key in KEYS:
        theirs = [axis for one in level for item in one.get(key, []) for axis in item]
        end = at + 4 * len(theirs)
        mine, at = array.array("f", ours[at:end]), end
        failed |= len(mine) != len(theirs)
        # Absurd texture coordinates are compared by how far they are from 0.
        apart[key] = max([apart[key], *(abs(a - b) / max(1, abs(b)) for a, b in zip(mine, theirs))])
    indices = [index for one in level for triangle in one["TriangleList"] for index in triangle]
    end = at + 4 * len(indices)
    failed |= list(array.array("I", ours[at:end])) != indices
    at = end
    counts.append("%s %d" % (name, sum(len(one["Position"]) for one in level)))
failed |= at != len(ours)
print("  vertices:", ", ".join(counts))
print("  furthest apart:", ", ".join("%s %.2g" % item for item in apart.items()))
# Half a code of the normals: hippolyzer takes what is nearest to 0 for 0.
if failed or apart["Position"] > 1e-6 or apart["TexCoord0"] > 1e-6 or apart["Normal"] > 1.6e-5:
    sys.exit("the answers differ")
PYTHON

command -v python3 > /dev/null || skip "there is no Python"
python3 -m venv "$folder/venv" > "$folder/venv.log" 2>&1 ||
    skip "Python makes no virtual environment: $(tail -n 1 "$folder/venv.log")"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check "${packages[@]}" > "$folder/pip.log" 2>&1 ||
    skip "hippolyzer cannot be installed: $(tail -n 1 "$folder/pip.log")"
python=("$folder/venv/bin/python" "$folder/load.py" "$file")
"${python[@]}" > /dev/null 2> "$folder/python.log" ||
    skip "hippolyzer does not read the file, or does not run: $(tail -n 1 "$folder/python.log")"

cargo bench --quiet --bench asset -- --write "$file" "$folder/decoded"
for _ in $(seq "$rounds"); do
    "${python[@]}" > "$folder/theirs"
    cargo bench --quiet --bench asset -- --probe "$file" > "$folder/ours"
    cat "$folder/theirs" "$folder/ours" >> "$folder/all"
    # The round's medians, beside each other.
    for label in hippolyzer placed reused fresh; do
        sed -n "s/^$label //p" "$folder/theirs" "$folder/ours" | sort -n |
            awk '{ all[NR] = $1 } END { printf "%s ", all[int((NR + 1) / 2)] }'
    done >> "$folder/rounds"
    echo >> "$folder/rounds"
done

cpu=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
echo "everything in ${file##*/}, ${packages[0]/==/ }, $("$folder/venv/bin/python" -V), ${cpu:-an unknown processor}"
"${python[@]}" "$folder/decoded"
awk -v bar="$bar" '
    function line(what, list, unit, count, i, j, swap) {
        count = split(list, all, " ")
        for (i = 2; i <= count; i++)
            for (j = i; j > 1 && all[j] + 0 < all[j - 1] + 0; j--) { swap = all[j]; all[j] = all[j - 1]; all[j - 1] = swap }
        median = all[int((count + 1) / 2)]
        printf "  %-58s %.4g [%.4g..%.4g] %s", what, median, all[1], all[count], unit
    }
    {
        theirs = theirs " " $1 / 1e6; placed = placed " " $2 / 1e6; ours = ours " " $3 / 1e6; fresh = fresh " " $4 / 1e6
        ratio = ratio " " $1 / $3; whole = whole " " $2 / $3; unused = unused " " $1 / $4
    }
    END {
        line("hippolyzer, LLMeshSerializer", theirs, "ms\n")
        line("hippolyzer, and positions and UVs in their boxes", placed, "ms\n")
        line("meshpeek, into buffers that are reused", ours, "ms\n")
        line("meshpeek, nothing reused", fresh, "ms\n")
        line("hippolyzer in their boxes / meshpeek", whole, "times\n")
        line("hippolyzer / meshpeek, nothing reused", unused, "times\n")
        line("hippolyzer / meshpeek", ratio, "times")
        printf ", at least %d: %s\n", bar, median < bar ? "FAILS" : "holds"
        exit median < bar
    }' "$folder/rounds"
