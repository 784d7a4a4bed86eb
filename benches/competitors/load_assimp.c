#define _POSIX_C_SOURCE 200809L
#include <assimp/cimport.h>
#include <assimp/scene.h>
#include <assimp/version.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* Loads a file five times, after one run to warm up. Prints the nanoseconds of each run, the number of triangles, and
   their bounding box with the sign of the last axis restored. */
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
