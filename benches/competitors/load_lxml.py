"""Loads a text three times, after one run to warm up, and prints the nanoseconds of each part. With a second file, which has
the values that the other program decoded, compares the two."""
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
    """Reads all numbers of an element except hexadecimal ones, which numpy cannot read. Without any, reads the whole text."""
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
# numpy rounds to 64 bits first, so a result may differ by one unit in the last place.
apart = np.abs(found.view(np.int32).astype(np.int64) - mine.view(np.int32)).max()
print("  %d floats, at most %d units in the last place apart; %d indices" % (len(found), apart, len(triangles)))
if apart > 1 or not np.array_equal(rest, triangles):
    sys.exit("the answers differ")
