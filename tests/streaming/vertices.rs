//! Tests of [`MeshParts`] and [`PartVertices`]: the parts together are the surface.

use std::path::Path;
use std::sync::Arc;

use crate::support::unigine::builder;
use meshpeek::io::{Eviction, FileBytes};
use meshpeek::streaming::{
    BufferTarget, MemoryTarget, MeshPart, MeshParts, PartVertices, Priority, StreamOptions, StreamOutcome, Streamer,
};
use meshpeek::unigine::Generation;
use meshpeek::{Array, Bounds, ErrorKind, Model, Surface};

use crate::support::files::file_on_disk;
use crate::support::random::Random;
use crate::support::unigine::grid;
use crate::{corners, decoded, finish, layout, map, open_mapped, samples};

type Mesh = Model<FileBytes>;

/// Returns the bytes of a mesh with surfaces that are divided into many parts, unless they are
/// compressed.
fn large_mesh(generation: Generation) -> Vec<u8> {
    let surfaces = vec![grid("split", 120, true), grid("shared", 200, false), grid("small", 3, false)];
    builder::Mesh { surfaces, ..builder::Mesh::new(generation) }.to_bytes().unwrap()
}

/// Calls `check` with each sample that has surfaces, and with a larger mesh.
fn each_mesh(mut check: impl FnMut(&Path, Mesh)) {
    let mut found = 0;
    for path in ["unigine", "secondlife", "ezmesh", "unreal"].into_iter().flat_map(samples) {
        let Ok(model) = meshpeek::open(&path) else { continue };
        if model.file().has_surfaces() {
            check(&path, model);
            found += 1;
        }
    }
    assert!(found >= 25, "{found} meshes");
    for (name, generation) in [("large_ms13.mesh", Generation::Ms13), ("large_ms14.mesh", Generation::Ms14)] {
        check(Path::new(name), Model::open(FileBytes::from(large_mesh(generation))).unwrap());
    }
}

/// Returns the parts of a mesh in three sizes.
fn divisions(mesh: &Mesh) -> [MeshParts; 3] {
    let of = |bytes| MeshParts::new(mesh, bytes).unwrap();
    [of(4096), of(64), MeshParts::of_surfaces(mesh).unwrap()]
}

/// Loads all parts, and returns the bytes of the corners of each, or the kind of its error.
fn streamed<T>(content: &Arc<PartVertices<Mesh, T>>, workers: usize) -> Vec<Result<Vec<u8>, ErrorKind>>
where
    T: BufferTarget<Buffer = Vec<u8>>,
{
    let count = u32::try_from(content.parts().len()).unwrap();
    let options = StreamOptions::default().with_workers(workers).with_budget(1 << 40).with_requests(count.max(1));
    let mut streamer = Streamer::new(Arc::clone(content), &options).unwrap();
    for part in 0..count {
        let priority = Priority::new((part % 64) as u8);
        streamer.request(&[content.item(part, 0)], priority, part.into()).unwrap();
    }
    let events = finish(&mut streamer, workers);
    assert_eq!(events.len(), count as usize);
    let values = (0..count).zip(events).map(|(part, event)| {
        assert_eq!(event.tag, u64::from(part));
        match event.outcome {
            StreamOutcome::Done => {}
            StreamOutcome::Failed(error) => return Err(error.kind()),
            StreamOutcome::Cancelled => panic!("nothing was cancelled"),
        }
        // Only a block is inflated.
        let is_block = content.parts()[part as usize].is_block;
        let buffers = streamer.get(content.item(part, 0).first).unwrap();
        assert_eq!(event.work.inflated > 0, is_block && buffers.sizes.bytes > 0, "{part}: {:?}", event.work);
        assert_eq!((buffers.buffer.len() as u64, buffers.sizes.index_offset % 4), (buffers.sizes.bytes, 0));
        assert_eq!(buffers.draws.len(), 1);
        let draw = &buffers.draws[0];
        assert_eq!((draw.surface, draw.indices), (content.parts()[part as usize].surface, buffers.sizes.indices));
        Ok(corners(buffers, draw, &layout()))
    });
    values.collect()
}

/// Compares the parts of each surface with a decode of all of it.
fn check_streamed<T>(name: &Path, content: &Arc<PartVertices<Mesh, T>>, workers: usize)
where
    T: BufferTarget<Buffer = Vec<u8>>,
{
    let streamed = streamed(content, workers);
    for surface in content.mesh().surfaces().unwrap() {
        let parts = content.parts().iter().zip(&streamed);
        let parts = parts.filter(|(part, _)| part.surface as usize == surface.index());
        let parts: Result<Vec<u8>, ErrorKind> =
            parts.map(|(_, bytes)| bytes.clone()).try_fold(Vec::new(), |all, part| {
                let mut all = all;
                all.extend(part?);
                Ok(all)
            });
        let whole = decoded(&surface, &layout()).map_err(|error| error.kind());
        assert!(parts == whole, "{}: surface {}", name.display(), surface.index());
    }
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it optimised")]
fn the_parts_of_each_surface_equal_a_direct_decode() {
    each_mesh(|path, mesh| {
        let divisions = divisions(&mesh);
        let mesh = Arc::new(mesh);
        for parts in divisions {
            let content = PartVertices::new(Arc::clone(&mesh), Arc::new(parts), [layout()], MemoryTarget).unwrap();
            check_streamed(path, &Arc::new(content), 0);
        }
    });
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it optimised")]
fn parts_of_a_mapped_file_equal_a_direct_decode() {
    let file = file_on_disk(&large_mesh(Generation::Ms13));
    let map = Arc::new(map(file.path()).unwrap());
    let mesh = Arc::new(open_mapped(&map));
    let parts = Arc::new(MeshParts::new(&*mesh, 4096).unwrap());
    assert!(parts.len() > 150, "{}", parts.len());
    for workers in [0, 2] {
        let content = PartVertices::new(Arc::clone(&mesh), Arc::clone(&parts), [layout()], MemoryTarget).unwrap();
        map.evict(0..u64::MAX, Eviction::Uncache);
        check_streamed(file.path(), &Arc::new(content.with_map(Arc::clone(&map))), workers);
    }
}

/// Returns the indices of the positions and of the attributes of each corner.
fn indices(surface: &Surface<'_>) -> Vec<[u32; 2]> {
    let mut indices = Vec::new();
    surface.corners().unwrap().for_each(|corner| indices.push([corner.position, corner.attribute]));
    indices
}

fn check_ranges(name: &str, part: &MeshPart, surface: &Surface<'_>, indices: &[[u32; 2]]) {
    let positions = surface.positions().unwrap();
    for [position, attribute] in indices {
        assert!(part.positions.contains(position) && part.attributes.contains(attribute), "{name}: {part:?}");
        let Some(at) = positions.get(*position as usize) else { continue };
        assert!(part.bounds.contains(at), "{name}: {at:?} of {part:?}");
    }
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it optimised")]
fn parts_cover_the_triangles_once_and_in_order() {
    each_mesh(|path, mesh| {
        for parts in divisions(&mesh) {
            let mut rest = parts.iter().peekable();
            for surface in Surface::all(mesh.geometry()).unwrap() {
                let (indices, mut next) = (indices(&surface), 0_u32);
                let count = u32::try_from(indices.len() / 3).unwrap();
                let first = *rest.peek().unwrap_or_else(|| panic!("{path:?}: surface {}", surface.index()));
                while let Some(part) = rest.next_if(|part| part.surface as usize == surface.index()) {
                    assert_eq!(part.triangles.start, next, "{path:?}: {part:?}");
                    assert!(std::ptr::eq(first, part) || (!part.is_whole && !first.is_whole), "{path:?}: {part:?}");
                    let end = part.triangles.end.min(count);
                    check_ranges(
                        &path.display().to_string(),
                        part,
                        &surface,
                        &indices[next as usize * 3..end as usize * 3],
                    );
                    assert!(part.is_whole || end > next, "{path:?}: {part:?}");
                    next = if part.is_whole { count } else { part.triangles.end };
                }
                assert_eq!(next, count, "{path:?}: surface {}", surface.index());
            }
            assert_eq!(rest.next(), None, "{path:?}");
        }
    });
}

#[test]
fn compressed_surfaces_are_not_divided() {
    let mut blocks = 0;
    each_mesh(|path, mesh| {
        let name = path.file_name().unwrap().to_str().unwrap();
        let is_compressed = name.contains("ms14") || name.contains("ms15");
        for parts in divisions(&mesh) {
            let is_unigine = Path::new(name).extension().is_some_and(|extension| extension == "mesh");
            if is_compressed {
                assert_eq!(parts.len(), mesh.geometry().surface_count().unwrap(), "{name}");
            }
            for part in parts.iter().filter(|_| is_unigine) {
                assert_eq!(part.is_block, is_compressed, "{name}: {part:?}");
                assert!(part.is_whole || !part.is_block, "{name}: {part:?}");
                blocks += usize::from(part.is_block);
            }
        }
    });
    assert!(blocks >= 12, "{blocks}");
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it optimised")]
fn a_visit_finds_the_parts_that_a_linear_search_finds() {
    let mut random = Random::new(3);
    each_mesh(|path, mesh| {
        for parts in divisions(&mesh) {
            let whole = parts.iter().fold(Bounds::EMPTY, |all, part| all.union(&part.bounds));
            for _ in 0..50 {
                let (center, size) = (whole.center(), whole.size());
                let axes: [f32; 3] = std::array::from_fn(|axis| center[axis] + size[axis] * random.unit() * 0.7);
                let half: [f32; 3] = std::array::from_fn(|axis| size[axis] * random.unit().abs() * 0.3);
                let seen = Bounds {
                    min: std::array::from_fn(|axis| axes[axis] - half[axis]),
                    max: std::array::from_fn(|axis| axes[axis] + half[axis]),
                };
                let mut visited = Vec::new();
                parts.visit(|bounds| bounds.intersects(&seen), |part| visited.push(part));
                let found = (0..).zip(parts.iter()).filter(|(_, part)| part.bounds.intersects(&seen));
                assert_eq!(visited, found.map(|(part, _)| part).collect::<Vec<u32>>(), "{path:?} {seen:?}");
            }
        }
    });
}
