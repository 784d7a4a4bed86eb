#!/usr/bin/env bash
# Compares with assimp, the library that most viewers read Unreal meshes with: how long from closed files, that are in the
# page cache, to knowing one frame? Both are asked of the same pair, which the bench `frames` writes (65.5 MB): assimp by
# one library call that loads frame 0, ours by opening the pair and taking the box around frame 0. What each found is
# compared, too: the number of triangles, and the box.
#
# Installs libassimp from Debian where it is missing, and nothing else. Where that cannot be done it prints a line that
# begins with `skipped:`. Fails where ours is not 500 times as fast, or where the answers differ.
set -euo pipefail
cd "$(dirname "$0")/.."

bar=500
rounds=5

skip() {
    echo "skipped: $1"
    exit 0
}

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

cat > "$folder/load.c" <<'C'
#define _POSIX_C_SOURCE 200809L
#include <assimp/cimport.h>
#include <assimp/scene.h>
#include <assimp/version.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* Loads a file five times, after once more to warm up; prints the nanoseconds of each, the number of triangles, and the
   box around them with the last axis turned back. */
int main(int count, char **arguments) {
    if (count < 2) {
        printf("%u.%u.%u\n", aiGetVersionMajor(), aiGetVersionMinor(), aiGetVersionPatch());
        return 0;
    }
    for (int round = 0; round <= 5; round++) {
        struct timespec start, end;
        clock_gettime(CLOCK_MONOTONIC, &start);
        const struct aiScene *scene = aiImportFile(arguments[1], 0);
        clock_gettime(CLOCK_MONOTONIC, &end);
        if (!scene) {
            fprintf(stderr, "%s\n", aiGetErrorString());
            return 1;
        }
        if (round > 0) {
            printf("assimp %lld\n", (end.tv_sec - start.tv_sec) * 1000000000LL + (end.tv_nsec - start.tv_nsec));
        }
        if (round == 5) {
            unsigned triangles = 0;
            float low[3] = {1e9f, 1e9f, 1e9f}, high[3] = {-1e9f, -1e9f, -1e9f};
            for (unsigned m = 0; m < scene->mNumMeshes; m++) {
                const struct aiMesh *mesh = scene->mMeshes[m];
                triangles += mesh->mNumFaces;
                for (unsigned v = 0; v < mesh->mNumVertices; v++) {
                    const struct aiVector3D at = mesh->mVertices[v];
                    const float values[3] = {at.x, at.y, -at.z};
                    for (int axis = 0; axis < 3; axis++) {
                        low[axis] = values[axis] < low[axis] ? values[axis] : low[axis];
                        high[axis] = values[axis] > high[axis] ? values[axis] : high[axis];
                    }
                }
            }
            printf("polygons %u\n", triangles);
            printf("bounds %g %g %g %g %g %g\n", low[0], low[1], low[2], high[0], high[1], high[2]);
        }
        aiReleaseImport(scene);
    }
    return 0;
}
C

compile() {
    cc -std=c99 -O2 "$folder/load.c" -lassimp -o "$folder/load" 2> "$folder/compile.log"
}

command -v cc > /dev/null || skip "there is no C compiler"
if ! compile; then
    command -v apt-get > /dev/null || skip "assimp is not installed, and this is no Debian"
    [ "$(id -u)" = 0 ] || skip "assimp (libassimp-dev) is not installed, and only root can install it"
    install() { DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends libassimp-dev; }
    install > "$folder/apt.log" 2>&1 || { apt-get update -qq && install; } >> "$folder/apt.log" 2>&1 ||
        skip "libassimp-dev cannot be installed: $(tail -n 1 "$folder/apt.log")"
    compile || skip "assimp is installed, and no program can be made with it: $(head -n 1 "$folder/compile.log")"
fi

cargo bench --quiet --bench frames -- --write "$folder"
# The files are read once, so that they are in the page cache whoever comes first.
cat "$folder"/cloth_?.3d > /dev/null
for _ in $(seq "$rounds"); do
    "$folder/load" "$folder/cloth_d.3d" >> "$folder/assimp"
    cargo bench --quiet --bench frames -- --probe "$folder" >> "$folder/ours"
done

# Answers: the same each time, and the same from both.
answers() { grep -E '^(polygons|bounds) ' "$1" | sort -u; }
if [ "$(answers "$folder/assimp")" != "$(answers "$folder/ours")" ]; then
    echo "the answers differ: assimp's, then ours"
    answers "$folder/assimp"
    answers "$folder/ours"
    exit 1
fi

# Prints the median, the least and the most of the figures that carry a label.
spread() {
    sed -n "s/^$1 //p" "$2" | sort -n | awk '{ all[NR] = $1 } END { print all[int((NR + 1) / 2)], all[1], all[NR] }'
}

# The library of Debian's 5.2.5 takes itself for 5.2.4.
version=$(dpkg-query -W -f '${Version}' libassimp5 2> /dev/null) || version=$("$folder/load")
cpu=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
echo "one frame of $(stat -c %s "$folder/cloth_a.3d") bytes of frames, assimp $version, ${cpu:-an unknown processor}"
answers "$folder/ours" | sed 's/^/  both found: /'
{
    echo "assimp $(spread assimp "$folder/assimp")"
    echo "box $(spread box "$folder/ours")"
    echo "corners $(spread corners "$folder/ours")"
} | awk -v bar="$bar" '
    { median[$1] = $2; line[$1] = sprintf("%.1f us [%.1f..%.1f]", $2 / 1e3, $3 / 1e3, $4 / 1e3) }
    END {
        printf "  %-58s %s\n", "assimp, aiImportFile", line["assimp"]
        printf "  %-58s %s\n", "meshpeek, open and the box around frame 0", line["box"]
        printf "  %-58s %s\n", "meshpeek, open and arrays of every corner, as assimp makes", line["corners"]
        printf "  %-58s %.1f times\n", "assimp / meshpeek, arrays of every corner", median["assimp"] / median["corners"]
        ratio = median["assimp"] / median["box"]
        printf "  %-58s %.0f times, at least %d: %s\n", "assimp / meshpeek", ratio, bar, ratio < bar ? "FAILS" : "holds"
        exit ratio < bar
    }'
