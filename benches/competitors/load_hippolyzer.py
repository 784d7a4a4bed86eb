"""Decodes an asset ten times, after one run to warm up, and prints the nanoseconds of each run. With a second file, which
has the values that the other program decoded, compares the two."""
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
    """Converts positions and texture coordinates from the range 0 to 1 to their domain."""
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
        # Large texture coordinates are compared relative to their magnitude.
        apart[key] = max([apart[key], *(abs(a - b) / max(1, abs(b)) for a, b in zip(mine, theirs))])
    indices = [index for one in level for triangle in one["TriangleList"] for index in triangle]
    end = at + 4 * len(indices)
    failed |= list(array.array("I", ours[at:end])) != indices
    at = end
    counts.append("%s %d" % (name, sum(len(one["Position"]) for one in level)))
failed |= at != len(ours)
print("  vertices:", ", ".join(counts))
print("  furthest apart:", ", ".join("%s %.2g" % item for item in apart.items()))
# The limit for normals is half a code, because hippolyzer rounds the codes nearest to 0 to 0.
if failed or apart["Position"] > 1e-6 or apart["TexCoord0"] > 1e-6 or apart["Normal"] > 1.6e-5:
    sys.exit("the answers differ")
