"""The common part of the checks of exported files: finds meshes, runs meshpeek, reads GLB files.

The values that the checks expect come from `meshpeek info` and `meshpeek dump`, which do not use
the exporter. `Source` converts them to the conventions of glTF with a table of its own.
"""

import argparse
import json
import re
import struct
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

# What a format needs to become glTF: the new position, whether the winding of triangles is
# reversed, and whether texture coordinates are flipped.
CONVENTIONS = {
    "unigine": (lambda x, y, z: (-x, z, y), False, False),
    "unreal": (lambda x, y, z: (-y, z, x), True, False),
    "secondlife": (lambda x, y, z: (x, z, -y), False, True),
    "ezmesh": (lambda x, y, z: (x, y, z), False, False),
}

# The scale of stored positions of Unreal meshes for which no script states one.
AUTHOR_SCALES = {"classic": (0.125, 0.125, 0.25), "prototype": (0.125, 0.125, 0.25), "deusex64": (1 / 256,) * 3}

IDENTITY = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]


def arguments(doc):
    """Returns the parser with the options that all checks have."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", metavar="FOLDER", help="folders with meshes, or meshes")
    parser.add_argument("--meshpeek", metavar="PATH", default="target/release/meshpeek", help="the program")
    parser.add_argument("--only", metavar="TEXT", default="", help="checks only the files with this text in their path")
    parser.add_argument("--keep", metavar="FOLDER", type=Path, help="keeps the exported files in this folder")
    parser.add_argument("--verbose", action="store_true", help="prints each file")
    return parser


def skip(reason):
    """Ends the script because it cannot check anything on this machine."""
    print(f"skipped: {reason}")
    sys.exit(0)


def work_folder(keep):
    """Returns the folder for exported files as a context manager."""
    if keep is None:
        return tempfile.TemporaryDirectory(prefix="meshpeek-check-")
    keep.mkdir(parents=True, exist_ok=True)

    class Kept:
        def __enter__(self):
            return str(keep)

        def __exit__(self, *_):
            return None

    return Kept()


class Program:
    """The program meshpeek."""

    def __init__(self, path):
        self.path = path
        if not Path(path).is_file():
            sys.exit(f"{path} does not exist: build it with `cargo build --release`, or use --meshpeek PATH")

    def run(self, *words):
        """Returns the exit code, the standard output and the standard error of a command."""
        done = subprocess.run([self.path, *map(str, words)], capture_output=True, check=False)
        return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")

    def json(self, *words):
        """Returns the JSON document that a command prints."""
        code, out, err = self.run(*words, "--json")
        if not out:
            raise RuntimeError(f"meshpeek {' '.join(map(str, words))}: code {code}: {err.strip()}")
        return json.loads(out)

    def convert(self, mesh, out, *options):
        """Converts a mesh. Returns (whether the file was written, the refusal or error or None).

        Data that the output cannot hold is refused first. The refusal is returned, and the mesh is
        converted without this data.
        """
        words = ["convert", mesh.path, "-o", out, "--force", "--quiet", *options]
        if mesh.name:
            words += ["--mesh", mesh.name]
        code, _, err = self.run(*words)
        if code == 0:
            return True, None
        reason = last_line(err)
        code, _, err = self.run(*words, "--allow-loss")
        return code == 0, reason if code == 0 else last_line(err)


def last_line(text):
    """Returns the error line of a message."""
    lines = [line for line in text.splitlines() if line.strip()]
    return next((line for line in lines if line.startswith("error")), lines[-1] if lines else "no message")


class MeshFile:
    """A file with what `info` and `validate` print about it."""

    def __init__(self, info, findings):
        self.info = info
        self.path = info["path"]
        self.name = info.get("mesh")
        self.format = info.get("format")
        self.version = info.get("version")
        self.surfaces = [one for one in info.get("surfaces", []) if one["drawn"]]
        self.error = info.get("error", findings.get("error"))
        self.errors = [one for one in findings.get("findings", []) if one["severity"] == "error"]

    @property
    def is_animation(self):
        return self.path.endswith(".anim")

    @property
    def is_sound(self):
        """Whether the file can be read and has no finding of severity error."""
        return self.error is None and not self.errors

    @property
    def has_surface(self):
        return any(one["triangles"] for one in self.surfaces)

    @property
    def kind(self):
        return f"{self.format} {self.version}" if self.format else "not readable"


def find_meshes(program, folders):
    """Returns all files with meshes or animations in the folders, in the order of `info`."""
    infos = program.json("info", *folders)["files"]
    findings = {(one["path"], one.get("mesh")): one for one in program.json("validate", *folders)["files"]}
    meshes = [MeshFile(info, findings.get((info["path"], info.get("mesh")), {})) for info in infos]
    names = Counter(mesh.path for mesh in meshes)
    for mesh in meshes:
        # A script can import the files of a mesh under several names.
        mesh.name = mesh.name if names[mesh.path] > 1 else None
    return meshes


def find_partners(program, meshes):
    """Returns the mesh of each animation that has no mesh of its own: {path: (path of the mesh,
    number of bones that the mesh has, number of bones)}. The mesh is in the same folder."""
    partners = {}
    for folder in sorted({Path(mesh.path).parent for mesh in meshes if mesh.is_animation}):
        if not list(folder.glob("*.mesh")):
            continue
        for info in program.json("info", *sorted(folder.glob("*.mesh")), *sorted(folder.glob("*.anim")))["files"]:
            found = (info.get("properties") or {}).get("mesh")
            if found and info["path"].endswith(".anim") and 2 * found["matched_bones"] >= found["bones"]:
                partners[info["path"]] = found["path"], found["matched_bones"], found["bones"]
    return partners


class Source:
    """The decoded values of one surface, in the conventions of glTF."""

    def __init__(self, program, mesh, surface):
        self.turn, self.is_reversed, self.flips = CONVENTIONS[mesh.format]
        self.program, self.mesh, self.surface = program, mesh, surface
        self.asset = surface.get("asset", 0)
        self.name = surface["name"]
        self.positions = self.turned(self.dump("positions"))
        self.corners = self.wound(self.joined(list(zip(self.dump("indices"), self.dump("attribute-indices")))))

    def dump(self, attribute, *options):
        words = ["dump", self.mesh.path, "--surface", self.surface["index"], "--attribute", attribute, *options]
        if self.mesh.name:
            words += ["--mesh", self.mesh.name]
        if "asset" in self.surface:
            words += ["--asset", self.asset]
        document = self.program.json(*words)
        if "values" not in document:
            raise RuntimeError(document["error"]["message"])
        return document["values"]

    def turned(self, vectors):
        return [self.turn(*vector) for vector in vectors]

    def joined(self, corners):
        """Gives corners of an Unreal mesh with equal positions and texture coordinates the same
        attribute, because the file stores an attribute for each corner."""
        if self.mesh.format != "unreal":
            return corners
        uvs, first = self.uvs(0), {}
        return [(position, first.setdefault((position, uvs[attribute]), attribute)) for position, attribute in corners]

    def wound(self, corners):
        if self.is_reversed:
            for first in range(0, len(corners) - 2, 3):
                corners[first + 1], corners[first + 2] = corners[first + 2], corners[first + 1]
        return corners

    def normals(self):
        """Returns the normals, or None. Their length is not 1 in all formats."""
        try:
            return self.turned(self.dump("normals"))
        except RuntimeError:
            return None

    def uvs(self, number):
        pairs = self.dump(f"uv{number}")
        return [(u, 1 - v) for u, v in pairs] if self.flips else [(u, v) for u, v in pairs]

    def weights(self):
        """Returns {bone: share} for each position, or None if the surface has no weights."""
        if not self.surface["weights"]:
            return None
        return [shares(influences) for influences in self.dump("weights")]

    def vertices(self):
        """Returns the vertices with one index each: the corners, each once."""
        return list(dict.fromkeys(self.corners))

    def triangles(self):
        return [tuple(self.corners[first : first + 3]) for first in range(0, len(self.corners) - 2, 3)]


class Place:
    """Surfaces at one place in the scene of a file. `matrix` has the rows of the map from stored
    positions to the scene, in the axes of the file."""

    def __init__(self, surfaces, matrix=IDENTITY):
        self.surfaces, self.matrix = surfaces, matrix

    def positions(self, surface, *options):
        """Returns all positions of a surface in the scene, in the conventions of glTF. The options
        choose a vertex frame of an Unreal mesh."""
        mesh = surface.mesh
        if mesh.format == "unreal":
            script = mesh.info["properties"]["script"]
            if script and any(one["scale"] for one in script["meshes"]):
                return surface.turned(surface.dump("positions", "--placed", *options))
            scale = AUTHOR_SCALES[mesh.version]
            stored = surface.dump("positions", *options)
            return surface.turned([[a * b for a, b in zip(point, scale)] for point in stored])
        if self.matrix == IDENTITY:
            return surface.positions
        rows = self.matrix
        move = lambda point: [sum(a * b for a, b in zip(row, [*point, 1])) for row in rows]  # noqa: E731
        return surface.turned([move(point) for point in surface.dump("positions")])

    def normals(self, surface):
        """Returns the normals of a surface in the scene, or None."""
        normals = surface.normals()
        if normals is None or self.matrix == IDENTITY:
            return normals
        x, y, z = zip(*(row[:3] for row in self.matrix))
        rows = list(zip(cross(y, z), cross(z, x), cross(x, y)))
        sign = -1 if sum(a * b for a, b in zip(x, cross(y, z))) < 0 else 1
        move = lambda normal: [sign * sum(a * b for a, b in zip(row, normal)) for row in rows]  # noqa: E731
        return surface.turned([move(normal) for normal in surface.dump("normals")])


def split(place):
    """Returns (is skinned, surfaces) for each mesh that the GLB exporter makes at a place: one for the
    surfaces without weights, and one for those with weights."""
    has_bones = any(surface.mesh.info["bones"] for surface in place.surfaces)
    groups = {False: [], True: []}
    for surface in place.surfaces:
        if surface.corners:
            groups[bool(has_bones and surface.surface["weights"])].append(surface)
    return [(is_skinned, groups[is_skinned]) for is_skinned in (False, True) if groups[is_skinned]]


def cross(a, b):
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def places(mesh, surfaces):
    """Returns the places of all assets, in the order of the exporter."""
    properties = mesh.info.get("properties") or {}
    instances = properties.get("instances") or []
    if mesh.format == "secondlife" and instances:
        group = lambda one: [surface for surface in surfaces if surface.asset == one["mesh_id"]]  # noqa: E731
        rows = lambda one: [one["transform"][row::4] for row in range(3)]  # noqa: E731
        instances = sorted(instances, key=lambda one: one["mesh_id"])
        return [Place(group(one), rows(one)) for one in instances]
    if mesh.format == "ezmesh" and instances:
        names = [one["name"] for one in properties["meshes"]]
        number = lambda one: names.index(one["mesh"])  # noqa: E731
        group = lambda one: [surface for surface in surfaces if surface.surface["mesh"] == number(one)]  # noqa: E731
        return [Place(group(one), transform(one["position"], one["rotation"], one["scale"])) for one in instances]
    assets = sorted({surface.asset for surface in surfaces})
    return [Place([surface for surface in surfaces if surface.asset == asset]) for asset in assets]


def transform(position, rotation, scale):
    """Returns the rows of a transform."""
    length = sum(part * part for part in rotation) ** 0.5
    x, y, z, w = (part / length for part in rotation)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    return [[*(a * b for a, b in zip(row, scale)), move] for row, move in zip(rows, position)]


def shares(influences):
    """Returns {bone: share of the sum of weights} of positive weights."""
    sums = Counter()
    for bone, weight in influences:
        if weight > 0:
            sums[bone] += weight
    total = sum(sums.values())
    return {bone: weight / total for bone, weight in sums.items()}


def sources(program, mesh):
    """Returns the drawn surfaces of a mesh."""
    return [Source(program, mesh, surface) for surface in mesh.surfaces]


def bounds(points):
    """Returns the minimum and the maximum of points."""
    columns = list(zip(*points)) or [(0.0,)] * 3
    return [min(column) for column in columns], [max(column) for column in columns]


class Glb:
    """A GLB file: its JSON, and the values of its accessors."""

    TYPES = {5120: "b", 5121: "B", 5122: "h", 5123: "H", 5125: "I", 5126: "f"}
    WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}

    def __init__(self, path):
        data = Path(path).read_bytes()
        (length,) = struct.unpack_from("<I", data, 12)
        self.json = json.loads(data[20 : 20 + length])
        self.buffer = data[28 + length :]

    def values(self, accessor):
        """Returns the elements of an accessor as tuples."""
        accessor = self.json["accessors"][accessor]
        code, width = self.TYPES[accessor["componentType"]], self.WIDTHS[accessor["type"]]
        if "bufferView" not in accessor:
            return [(0,) * width] * accessor["count"]
        view = self.json["bufferViews"][accessor["bufferView"]]
        record = struct.Struct(f"<{width}{code}")
        stride = view.get("byteStride", record.size)
        first = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        ends = range(first, first + accessor["count"] * stride, stride)
        return [record.unpack_from(self.buffer, start) for start in ends]

    def meshes(self):
        """Returns the nodes with a mesh, in order."""
        return [node for node in self.json.get("nodes", []) if "mesh" in node]


def table(rows, names):
    """Prints rows of a table, with the widths of the columns aligned."""
    rows = [[str(cell) for cell in row] for row in [names, *rows]]
    widths = [max(len(row[column]) for row in rows) for column in range(len(names))]
    for number, row in enumerate(rows):
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
        if number == 0:
            print("  ".join("-" * width for width in widths))


def plain(reason):
    """Returns a message without names of files and numbers, by which equal reasons are counted."""
    reason = re.sub(r"^error: |\S*[/\\]\S*: ", "", reason)
    return re.sub(r"\d+(\.\d+)?", "N", reason)
