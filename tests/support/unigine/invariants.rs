//! Does everything that a caller can do with a UNIGINE mesh, valid or not, and tests the invariants
//! that hold for any content.

use meshpeek::model::SurfaceArrays;
use meshpeek::unigine::{InflatedSurface, Mesh, RULES, Storage, SurfaceTree, SurfaceView};
use meshpeek::{Array, Bounds, Error, Finding, Geometry, MeshFile as _, Name, Region, Result, Surface};

use crate::support::invariants::{Fate, expect_lossy_weld, expect_named, pose_and_skin};
use crate::support::random::Random;

/// The number of items that are read from lists that every access walks again: targets, and weights
/// in random order.
const SAMPLES: usize = 4;
/// The maximum number of bones that are posed, and of vertices that are read one by one.
const MANY: usize = 1024;

/// Opens, checks, surveys and validates a mesh, lists its regions, reads every array in several
/// ways, welds, blends, and writes the mesh again.
pub fn check_invariants(bytes: &[u8], random: &mut Random) -> Fate {
    let length = as_u64(bytes.len());
    let mesh = match Mesh::open(bytes) {
        Ok(mesh) => mesh,
        Err(error) => {
            expect_named(&error, length);
            return Fate::Refused;
        }
    };
    look_at_the_header(&mesh);
    // A surface is located before those that come before it in the file.
    let first = mesh.surface_count().saturating_sub(random.below(3).saturating_add(1));
    look_at_surface(&mesh, first, random, length);

    let structure = mesh.check();
    let (regions, end) = named(&mesh);
    let (mut surveyed, mut validated) = (Vec::new(), Vec::new());
    let survey = mesh.validate_structure(&mut |finding| surveyed.push(finding));
    let validate = mesh.validate(&mut |finding| validated.push(finding));
    let compressed = mesh.generation().is_compressed();
    assert!(compressed || structure.is_ok() == regions.is_ok(), "{structure:?}, {regions:?}");
    assert_eq!(regions.is_ok(), survey.is_ok(), "{regions:?}, {survey:?}");
    assert_eq!(regions.is_ok(), validate.is_ok(), "{regions:?}, {validate:?}");
    assert!(validated.starts_with(&surveyed), "validate reports the findings of the survey first");
    for finding in &validated {
        expect_known(finding, length);
    }
    if let Err(error) = &structure {
        expect_named(error, length);
        let same = |found: &Error| (found.field(), found.offset()) == (error.field(), error.offset());
        let told = regions.as_ref().is_err_and(same);
        assert!(compressed || told, "{error}: the regions give another error");
        // If the table of blocks is wrong, a walk does not reach the blocks that it points to.
        if !lies(&validated) {
            let named = |finding: &Finding| Some(finding.offset) == error.offset();
            assert!(regions.is_err() || surveyed.iter().any(named), "{error} is not reported");
        }
    }
    if regions.is_ok() {
        assert_eq!(end, length, "bytes without a name");
    }
    look_at_blocks(&mesh, length);
    count_and_lend(&mesh, bytes);
    for index in 0..mesh.animation_count() {
        look_at_animation(&mesh, index, length);
    }
    for index in 0..mesh.surface_count() {
        look_at_surface(&mesh, index, random, length);
    }
    pose_and_skin(&mesh);
    if compressed {
        store_again(&mesh, bytes, &validated, regions.is_ok(), random);
    } else {
        write_twice(&mesh, bytes, &validated);
    }
    if structure.is_ok() { Fate::Read } else { Fate::Damaged }
}

fn expect_known(finding: &Finding, length: u64) {
    assert!(RULES.iter().any(|rule| rule.id == finding.rule), "{finding}");
    assert!(finding.offset <= length, "{finding} is outside of the file of {length} bytes");
    assert!(!finding.text.is_empty() && !finding.field.to_string().is_empty(), "{finding}");
}

/// Visits the regions, and returns the end of the last one.
fn named(mesh: &Mesh<&[u8]>) -> (Result<()>, u64) {
    let mut end = 0;
    let result = mesh.regions(0, &mut |Region { field, start, end: next, element, count, .. }| {
        assert_eq!(start, end, "{field} leaves a gap, or overlaps");
        assert!(!field.to_string().is_empty(), "bytes {start} to {next} have no name");
        if element.size > 0 {
            assert_eq!(next.saturating_sub(start), u64::from(element.size).saturating_mul(count), "{field}");
        }
        end = next;
    });
    (result, end)
}

fn look_at_the_header(mesh: &Mesh<&[u8]>) {
    let (bounds, sphere) = mesh.bounds().unwrap();
    let neutral = (Geometry::bounds(mesh).unwrap(), Geometry::sphere(mesh).unwrap());
    assert_eq!(format!("{:?}", (bounds, Some(sphere))), format!("{neutral:?}"));
    for bone in 0..mesh.bone_count() {
        mesh.bone(bone).unwrap();
    }
    assert!(mesh.bone(mesh.bone_count()).is_err());
    for surface in 0..mesh.surface_count() {
        mesh.surface_name(surface).unwrap();
        mesh.surface_bounds(surface).unwrap();
        mesh.surface_sphere(surface).unwrap();
    }
    assert!(mesh.surface_name(mesh.surface_count()).is_err());
}

fn look_at_animation(mesh: &Mesh<&[u8]>, index: usize, length: u64) {
    let Some(animation) = some(mesh.animation(index), length) else { return };
    let keys = as_u64(animation.bones.len()).saturating_mul(animation.frames.into());
    let mut found = 0_u64;
    let mut at = animation.keys_offset();
    for key in animation.keys() {
        assert_eq!(key.offset, at);
        let size = as_u64(key.components.len());
        assert_eq!(size, animation.coding().key_size(key.flags));
        at = at.saturating_add(size).saturating_add(1);
        found = found.saturating_add(1);
    }
    assert_eq!(found, keys, "keys of animation {index}");
    assert!(at <= length);
}

fn look_at_surface(mesh: &Mesh<&[u8]>, index: usize, random: &mut Random, length: u64) {
    let Some(view) = some(mesh.surface(index), length) else { return };
    let Some(counts) = some(view.counts(), length) else { return };
    let Some(positions) = some(view.positions(), length) else { return };
    assert_eq!(positions.len(), as_index(counts.vertices));
    assert_eq!(positions.iter().len(), positions.len());
    let naive = naive_bounds(positions.iter());
    assert_eq!(positions.bounds(), naive);
    if let Some(frames) = some(view.tangent_frames(), length) {
        assert_eq!(frames.len(), as_index(counts.attribute_vertices));
        frames.for_each(|frame| {
            let axes = [frame.normal(), frame.tangent(), frame.bitangent()];
            assert!(axes.iter().flatten().all(|value| value.abs() < 1.01), "{frame:?}");
        });
    }
    for set in 0..3 {
        if let Some(Some(uvs)) = some(view.uvs(set), length) {
            assert_eq!(uvs.len(), as_index(counts.attribute_vertices));
            assert_eq!(uvs.get(uvs.len()).is_none(), uvs.iter().nth(uvs.len()).is_none());
        }
    }
    if let Some(Some(colors)) = some(view.colors(), length) {
        assert!(colors.iter().flatten().all(|value| (0.0..=1.0).contains(&value)));
    }
    look_at_weights(&view, random, length);
    look_at_targets(&view, random, length);
    look_at_corners(mesh, index, random, length);
}

fn look_at_weights(view: &SurfaceView<'_>, random: &mut Random, length: u64) {
    let Some(Some(weights)) = some(view.weights(), length) else { return };
    assert_eq!(weights.iter().count(), weights.len());
    assert!(weights.iter().all(|list| list.len() <= 4 && list.iter().all(|one| one.weight <= 1.0)));
    for _ in 0..SAMPLES {
        let vertex = random.below(weights.len().saturating_add(1));
        let (found, expected) = (weights.get(vertex as u32), weights.iter().nth(vertex));
        let all = |list: &meshpeek::model::Influences<'_>| list.iter().collect::<Vec<_>>();
        assert_eq!(found.as_ref().map(all), expected.as_ref().map(all), "vertex {vertex}");
    }
}

fn look_at_targets(view: &SurfaceView<'_>, random: &mut Random, length: u64) {
    let count = view.target_count();
    assert!(view.target(count).is_err());
    for _ in 0..SAMPLES.min(count) {
        if let Some(target) = some(view.target(random.below(count)), length) {
            let _: Name<'_> = target.name();
            some(target.positions(), length);
            some(target.tangent_frames(), length);
        }
    }
    let weights = [0.5, 0.0, -1.0];
    let weights = &weights[..count.saturating_sub(1).min(weights.len())];
    let mut out = vec![[0.0; 3]; view.positions().map_or(0, |positions| positions.len())];
    some(view.blend(weights, &mut out), length);
    assert!(view.blend(&vec![0.0; count.min(SAMPLES)], &mut out).is_err() == (count <= SAMPLES));
}

fn look_at_corners(mesh: &Mesh<&[u8]>, index: usize, random: &mut Random, length: u64) {
    let surface = Surface::new(mesh, index).unwrap();
    let (Some(indices), Some(attributes)) =
        (some(surface.indices(), length), some(surface.attribute_indices(), length))
    else {
        return;
    };
    let sum = |sum: u64, index: u32| sum.wrapping_add(index.into());
    for stream in [&indices, &attributes] {
        let mut looped = 0;
        stream.for_each(|index| looped = sum(looped, index));
        assert_eq!(stream.iter().fold(0, sum), looped);
        assert!(stream.get(stream.len()).is_none());
        if let Some((at, beyond)) = stream.first_out_of_range(3) {
            assert!(beyond >= 3 && stream.get(at) == Some(beyond));
        }
    }
    expect_lossy_weld(&surface);
    let Some(corners) = some(surface.corners(), length) else { return };
    assert_eq!(corners.len(), indices.len());
    let triangle = random.below(corners.len() / 3 + 1) as u32;
    assert_eq!(corners.triangle(triangle).is_some(), triangle < corners.triangle_count());
    if let Some(welded) = some(surface.weld(), length) {
        assert_eq!(welded.indices.len(), corners.len());
        for (corner, vertex) in corners.iter().zip(&welded.indices) {
            assert_eq!(welded.vertices.get(as_index(*vertex)), Some(&corner));
        }
    }
}

/// Asserts that a mesh that opens and can be written stays the same when it is read and written
/// again.
///
/// A file that only the engine can have written is unchanged the first time, if it is not damaged.
fn write_twice(mesh: &Mesh<&[u8]>, bytes: &[u8], findings: &[Finding]) {
    let mut once = Vec::new();
    let result = mesh.write_to(0, &mut once);
    assert_eq!(result.is_ok(), mesh.check().is_ok(), "{result:?}");
    if result.is_err() {
        return;
    }
    if !findings.iter().any(|finding| ["UG14", "UG20", "UG24"].contains(&finding.rule)) {
        assert!(once == bytes, "written differently without a finding");
    }
    let mut twice = Vec::new();
    Mesh::open(once.as_slice()).unwrap().write_to(0, &mut twice).unwrap();
    assert!(once == twice, "written differently the second time");
}

/// Returns whether the table of blocks was found to be wrong.
///
/// In that case a lookup by the table and a walk may find a block at different offsets.
fn lies(findings: &[Finding]) -> bool {
    findings.iter().any(|finding| finding.rule == "UG20")
}

/// Reads the locations of blocks, and the trees in them.
fn look_at_blocks(mesh: &Mesh<&[u8]>, length: u64) {
    for index in 0..mesh.surface_count() {
        let Some(Some(blocks)) = some(mesh.blocks(index), length) else { continue };
        for block in blocks {
            assert!(block.start() <= block.end() && block.end() <= length, "{block:?}");
        }
        let Some(Some(tree)) = some(mesh.tree(index), length) else { continue };
        assert_eq!((tree.boxes().len(), tree.splits().len()), (tree.nodes().len(), tree.nodes().len()));
        for node in tree.nodes().iter().take(MANY) {
            let found = tree.triangles(node).map_or(0, <[u32]>::len);
            assert!(found <= tree.corners().len());
            assert!(!node.is_leaf() || node.children().is_none());
        }
    }
    assert!(mesh.tree(mesh.surface_count()).is_err() && mesh.blocks(mesh.surface_count()).is_err());
}

/// Asserts that counting the items of a surface and lending the surface give the same results as
/// reading the surface, and that they keep no block.
fn count_and_lend(mesh: &Mesh<&[u8]>, bytes: &[u8]) {
    let fresh = Mesh::open(bytes).unwrap();
    for index in 0..mesh.surface_count() {
        let said = |view: Result<SurfaceView<'_>>| {
            let said = view.and_then(|view| {
                let ends = (view.positions()?.as_bytes().len(), view.attribute_indices()?.iter().last());
                Ok((view.counts()?, view.name().to_string(), ends))
            });
            said.map_err(|error| error.to_string())
        };
        let read = said(mesh.surface(index));
        if read.as_ref().is_err_and(|error| error.contains("asset")) {
            continue;
        }
        let counts = SurfaceArrays::counts(&fresh, index).map_err(|error| error.to_string());
        assert_eq!(counts, read.clone().map(|(counts, ..)| counts), "surface {index}");
        let lent = fresh.lend(index);
        assert_eq!(said(lent.as_ref().map_err(Error::clone).and_then(InflatedSurface::view)), read, "surface {index}");
        let tree = |tree: Result<Option<SurfaceTree<'_>>>| tree.map(|tree| tree.map(|tree| tree.nodes().len())).ok();
        if let Ok(lent) = &lent {
            assert_eq!(tree(lent.tree()), tree(mesh.tree(index)));
        }
    }
    assert_eq!(fresh.inflated_bytes(), 0);
}

/// Asserts that a completely readable mesh is written with unchanged blocks, and has the same
/// content when it is stored in another way.
fn store_again(mesh: &Mesh<&[u8]>, bytes: &[u8], findings: &[Finding], walked: bool, random: &mut Random) {
    let mut once = Vec::new();
    let result = mesh.write_to(0, &mut once);
    let unsized_block =
        |finding: &Finding| finding.rule == "UG19" && ["geometry.sizes", "tree.sizes"].contains(&finding.field.name());
    let sound = walked && !lies(findings) && !findings.iter().any(unsized_block);
    assert!(!sound || result.is_ok(), "{result:?}");
    if sound && !findings.iter().any(|finding| ["UG14", "UG24"].contains(&finding.rule)) {
        assert!(once == bytes, "written differently without a finding");
    }
    let mut raw = Vec::new();
    // Compressing is slow in an unoptimised build.
    let often = !cfg!(debug_assertions) || random.one_in(8);
    if !often || !sound || mesh.write_stored(&mut raw, Storage::Raw).is_err() {
        return;
    }
    let again = |bytes: &[u8], storage| {
        let mut out = Vec::new();
        Mesh::open(bytes).unwrap().write_stored(&mut out, storage).unwrap();
        out
    };
    assert!(again(&raw, Storage::Raw) == raw && again(&raw, Storage::Kept) == raw, "the second file has other bytes");
    let small = again(&raw, Storage::Lz4);
    assert!(again(&small, Storage::Raw) == raw, "the second file has other content");
    let raw = Mesh::open(raw.as_slice()).unwrap();
    for index in 0..mesh.surface_count() {
        let both = [mesh.surface(index), raw.surface(index)];
        assert_eq!(both[0].is_ok(), both[1].is_ok(), "{both:?}");
        if let [Ok(found), Ok(stored)] = both {
            assert_eq!(found.counts().unwrap(), stored.counts().unwrap());
            let bits = |view: &SurfaceView<'_>| {
                let positions = view.positions().unwrap().iter().flatten().map(f32::to_bits);
                positions.collect::<Vec<_>>()
            };
            assert_eq!(bits(&found), bits(&stored));
        }
    }
}

/// Reads everything that can be borrowed, and keeps nothing.
///
/// The bound on memory applies to this.
pub fn borrow_everything(bytes: &[u8]) -> Result<()> {
    let mesh = Mesh::open(bytes)?;
    for bone in 0..mesh.bone_count() {
        mesh.bone(bone)?;
    }
    let checked = mesh.check();
    for index in 0..mesh.animation_count() {
        mesh.animation(index)?.keys().count();
    }
    for view in mesh.surfaces() {
        // A block that cannot be read is a fault of only its surface.
        let Ok(view) = view else { continue };
        let seen = (view.counts()?, view.positions()?.bounds(), view.tangent_frames()?.len(), view.target(0)?.name());
        let _ = (seen, view.uvs(0).is_ok(), view.uvs(1).is_ok(), view.colors().is_ok());
        let _ = (view.indices()?.first_out_of_range(u32::MAX), view.attribute_indices()?.first_out_of_range(u32::MAX));
        if let Ok(Some(weights)) = view.weights() {
            let _ = weights.get(weights.len().saturating_sub(1) as u32);
        }
    }
    checked
}

fn naive_bounds(positions: impl Iterator<Item = [f32; 3]>) -> Bounds {
    let mut found = [[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]];
    for position in positions {
        for (axis, value) in position.into_iter().enumerate() {
            found[0][axis] = found[0][axis].min(value);
            found[1][axis] = found[1][axis].max(value);
        }
    }
    let [min, max] = found;
    if (0..3).all(|axis| min[axis] <= max[axis]) { Bounds { min, max } } else { Bounds::EMPTY }
}

/// Unwraps a result.
///
/// The error of a damaged part must name the part.
fn some<T>(result: Result<T>, length: u64) -> Option<T> {
    result.inspect_err(|error| expect_named(error, length)).ok()
}

fn as_u64(length: usize) -> u64 {
    u64::try_from(length).unwrap()
}

fn as_index(number: u32) -> usize {
    usize::try_from(number).unwrap()
}
