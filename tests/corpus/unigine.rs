//! Tests of real UNIGINE meshes.
//!
//! The files have no licence, so the repository contains none of them.

use meshpeek::MeshFile as _;
use std::path::{Path, PathBuf};

use crate::support::unigine::builder;
use meshpeek::decode::TangentFrame;
use meshpeek::model::{TangentFrameEncoding, TangentFrames};
use meshpeek::unigine::{BlockLocation, Generation, Mesh, Storage, SurfaceTree, SurfaceView};
use meshpeek::{Animations, Array, Severity, Surface};
use serde_json::{Value, json};

use crate::support::corpus;
use crate::support::invariants::Fate;
use crate::support::random::Random;
use crate::support::unigine::invariants::check_invariants;
use crate::unigine_animation::compare_animation;
use crate::{Reference, file_name};

/// Returns the files whose first four bytes are one of `magics`, sorted.
pub fn files(folder: &Path, magics: &[&str]) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| magics.iter().any(|magic| file_name(path).starts_with(magic)));
    files.sort();
    assert!(!files.is_empty(), "no file of {magics:?} in {}", folder.display());
    files
}

fn ours() -> Option<(PathBuf, Vec<PathBuf>)> {
    let folder = corpus("unigine")?;
    let files = files(&folder, &Generation::ALL.map(Generation::magic));
    Some((folder, files))
}

pub fn compare_bounds(expected: &mut Reference, bounds: meshpeek::Bounds, sphere: meshpeek::array::Sphere) {
    let mut inner = Reference::new(format!("{} bounds", expected.what), &expected.take("bounds").unwrap());
    inner.floats("min", &bounds.min);
    inner.floats("max", &bounds.max);
    inner.floats("center", &sphere.center);
    inner.floats("radius", &[sphere.radius]);
    inner.done();
}

pub fn compare_skeleton(expected: &mut Reference, motion: &dyn Animations, binds: bool) {
    let count = motion.bone_count().unwrap();
    expected.same("bone_count", count);
    if count == 0 {
        return;
    }
    let bones: Vec<_> = (0..count).map(|index| motion.bone(index).unwrap()).collect();
    let shown: Vec<Value> = bones.iter().map(|bone| json!([bone.name.to_string_lossy(), bone.parent])).collect();
    let listed = expected.take("bones_listed").map_or(count, |listed| listed.as_u64().unwrap() as usize);
    expected.same("bones", shown[..listed].to_vec());
    expected.same_if_any("last_bone", (listed < count).then(|| shown[count - 1].clone()));
    expected.same("parent_index_sum", bones.iter().map(|bone| i64::from(bone.parent)).sum::<i64>());
    expected.same("root_bones", bones.iter().filter(|bone| bone.parent == -1).count());
    let after = (0..).zip(&bones).filter(|(index, bone)| bone.parent > *index).count();
    expected.same("parents_after_children", after);
    if !binds {
        assert!(bones.iter().all(|bone| bone.bind == meshpeek::model::Transform::default()));
        return;
    }
    for (key, bone) in [("bind_first", &bones[0]), ("bind_last", &bones[count - 1])] {
        let bind = bone.bind;
        expected.floats(key, &[&bind.position[..], &bind.rotation, &bind.scale].concat());
    }
}

fn compare_animations(expected: &mut Reference, mesh: &Mesh<Vec<u8>>) {
    if mesh.generation().has_animations() || mesh.animation_count() > 0 {
        expected.same("animation_count", mesh.animation_count());
    }
    let Some(animations) = expected.take("animations") else {
        assert_eq!(mesh.animation_count(), 0, "{}", expected.what);
        return;
    };
    let animations = animations.as_array().unwrap();
    assert_eq!(animations.len(), mesh.animation_count());
    for (index, animation) in animations.iter().enumerate() {
        let expected = Reference::new(format!("{} animation {index}", expected.what), animation);
        compare_animation(expected, mesh, &mesh.animation(index).unwrap());
    }
}

/// Compares one surface that the reference lists.
fn compare_surface(what: &str, value: &Value, mesh: &Mesh<Vec<u8>>, view: &SurfaceView<'_>) {
    let mut expected = Reference::new(what.to_owned(), value);
    expected.take("index").unwrap();
    expected.same("name", view.name().to_string_lossy());
    compare_bounds(&mut expected, view.bounds(), view.sphere());
    expected.same_if_any("lightmap", view.lightmap().map(|bytes| json!(bytes)));
    expected.same("morph_targets", view.target_count());
    expected.same("block_offset", view.offset());
    compare_blocks(&mut expected, mesh, view, value["index"].as_u64().unwrap() as usize);
    let counts = view.counts().unwrap();

    let positions = view.positions().unwrap();
    expected.same("positions", positions.len());
    expected.floats("first_position", &positions.get(0).unwrap());
    expected.floats("last_position", &positions.get(positions.len() - 1).unwrap());
    compare_frames(&mut expected, &view.tangent_frames().unwrap());

    let uvs = [0, 1].map(|set| view.uvs(set).unwrap());
    for (key, uvs) in [("uv0", &uvs[0]), ("uv1", &uvs[1])] {
        expected.same(key, uvs.map_or(0, |uvs| uvs.len()));
        if let Some(uvs) = uvs {
            expected.floats(&format!("first_{key}"), &uvs.get(0).unwrap());
            if key == "uv0" {
                expected.floats("last_uv0", &uvs.get(uvs.len() - 1).unwrap());
            }
        }
    }
    let colors = view.colors().unwrap();
    expected.same("colours", colors.map_or(0, |colors| colors.len()));
    expected.same_if_any("first_colour", colors.map(|colors| json!(colors.raw()[0])));
    let sum = |colors: &[[u8; 4]]| colors.iter().flatten().map(|code| u64::from(*code)).sum::<u64>();
    expected.same_if_any("colour_sum", colors.map(|colors| sum(colors.raw())));

    let weights = view.weights().unwrap();
    expected.same("weights", weights.map_or(0, |weights| weights.len()));
    assert_eq!(counts.weights, weights.is_some());
    if let Some(weights) = weights {
        let raw = |list: meshpeek::model::Influences<'_>| {
            let stored = (0..list.len()).map(|index| list.raw(index).unwrap());
            stored.map(|(bone, weight)| [i64::from(bone), i64::from(weight)]).collect::<Vec<_>>()
        };
        expected.same("first_weights", json!(raw(weights.get(0).unwrap())));
        let all: Vec<_> = weights.iter().map(raw).collect();
        expected.same("weight_entries", all.iter().map(Vec::len).sum::<usize>());
        expected.same("weight_raw_sum", all.iter().flatten().map(|[_, weight]| weight).sum::<i64>());
        expected.same("vertices_without_weights", all.iter().filter(|list| list.is_empty()).count());
    }
    let [indices, attributes] = [view.indices().unwrap(), view.attribute_indices().unwrap()];
    for (stream, key, first, width) in [
        (indices, "coord", "coord_first", counts.index_widths[0]),
        (attributes, "tri", "tri_first", counts.index_widths[1]),
    ] {
        expected.same(&format!("{key}_indices"), stream.len());
        expected.same(&format!("{key}_index_bytes"), width);
        assert_eq!(stream.byte_offset(1), usize::from(width));
        expected.same(&format!("{key}_index_sum"), stream.iter().map(u64::from).sum::<u64>());
        expected.same(first, json!(stream.iter().take(3).collect::<Vec<_>>()));
    }
    // The caller compares these with the regions of the file.
    for key in ["positions_offset", "tangents_offset"] {
        assert_eq!(expected.take(key).is_some(), !mesh.generation().is_compressed(), "{what}: {key}");
    }
    expected.done();
}

/// Compares the blocks of a surface and the tree that the engine stored with it.
fn compare_blocks(expected: &mut Reference, mesh: &Mesh<Vec<u8>>, view: &SurfaceView<'_>, index: usize) {
    let Some([geometry, tree_block]) = mesh.blocks(index).unwrap() else { return };
    assert_eq!(geometry.offset, view.offset());
    let sizes = |expected: &mut Reference, block: &BlockLocation| {
        expected.same("raw", block.raw);
        expected.same("stored", block.stored);
        expected.same("verbatim", block.is_verbatim());
    };
    let of = |expected: &mut Reference, key: &str| {
        Reference::new(format!("{} {key}", expected.what), &expected.take(key).unwrap())
    };
    let mut inner = of(expected, "geometry_block");
    sizes(&mut inner, &geometry);
    inner.done();
    let mut inner = of(expected, "tree_block");
    sizes(&mut inner, &tree_block);
    let tree = mesh.tree(index).unwrap().unwrap();
    inner.same("edges", tree.edges().len());
    inner.same("edge_sum", tree.edges().iter().map(|bits| u64::from(*bits)).sum::<u64>());
    inner.same("indices", tree.corners().len());
    inner.same("index_first", json!(tree.corners()[..tree.corners().len().min(4)]));
    inner.same("nodes", tree.nodes().len());
    inner.same("leaves", tree.nodes().iter().filter(|node| node.is_leaf()).count());
    let root = tree.nodes()[0];
    inner.same("root", json!([i32::from(root.axis), root.left, root.right, root.start, root.end]));
    inner.floats("root_split", &tree.splits().get(0).unwrap());
    inner.floats("root_box", &tree.boxes().get(0).unwrap());
    inner.done();
}

fn compare_frames(expected: &mut Reference, frames: &TangentFrames<'_>) {
    expected.same("tangents", frames.len());
    let mut inner =
        Reference::new(format!("{} first tangent", expected.what), &expected.take("first_tangent").unwrap());
    let raw: Vec<i64> = match frames {
        TangentFrames(TangentFrameEncoding::Quat8(frames)) => {
            frames.raw()[0].iter().map(|part| part.get().into()).collect()
        }
        TangentFrames(TangentFrameEncoding::Quat7(frames)) => {
            let raw = frames.raw()[0];
            raw.xyz.iter().map(|part| i64::from(part.get())).chain([raw.sign.into()]).collect()
        }
    };
    inner.same("raw", json!(raw));
    let frame = frames.get(0).unwrap();
    inner.close("quat", &frame.rotation);
    inner.close("normal", &frame.normal());
    inner.close("tangent", &frame.tangent());
    inner.close("bitangent", &frame.bitangent());
    inner.floats("handedness", &[frame.handedness]);
    inner.done();
}

fn compare_totals(expected: &mut Reference, mesh: &Mesh<Vec<u8>>) {
    let mut totals = Reference::new(format!("{} totals", expected.what), &expected.take("totals").unwrap());
    let mut sums = [0_u64; 6];
    for view in mesh.surfaces().map(Result::unwrap) {
        let counts = view.counts().unwrap();
        let index_sum = |stream: meshpeek::model::Indices<'_>| stream.iter().map(u64::from).sum::<u64>();
        let weights = view.weights().unwrap().map_or(0, |weights| weights.len() as u64);
        let of_surface = [
            counts.vertices.into(),
            counts.attribute_vertices.into(),
            u64::from(counts.corners) / 3,
            index_sum(view.indices().unwrap()),
            index_sum(view.attribute_indices().unwrap()),
            weights,
        ];
        sums.iter_mut().zip(of_surface).for_each(|(sum, one)| *sum += one);
    }
    let keys = ["positions", "tangents", "triangles", "coord_index_sum", "tri_index_sum", "weights"];
    keys.into_iter().zip(sums).for_each(|(key, sum)| totals.same(key, sum));
    totals.done();
}

#[test]
fn equals_the_reference() {
    let Some((folder, files)) = ours() else { return };
    let mut compared = 0;
    for path in &files {
        let name = file_name(path);
        let mesh = Mesh::open(std::fs::read(path).unwrap()).unwrap();
        assert_eq!(mesh.end().unwrap(), mesh.as_bytes().len() as u64, "{name} is read to its last byte");
        let reference = folder.join("reference").join(format!("{name}.json"));
        let reference: Value = serde_json::from_slice(&std::fs::read(reference).unwrap()).unwrap();
        let mut expected = Reference::new(name.clone(), &reference);
        expected.same("file", name.as_str());
        expected.same("magic", mesh.generation().magic());
        expected.same("bytes", mesh.as_bytes().len());
        // The hash only identifies the file for people who download the corpus.
        expected.take("sha256").unwrap();
        let (bounds, sphere) = mesh.bounds().unwrap();
        compare_bounds(&mut expected, bounds, sphere);
        expected.same_if_any("triangles_per_leaf", mesh.leaf_triangles());
        expected.same_if_any("ram_estimate", mesh.memory_estimate());
        compare_skeleton(&mut expected, &mesh, true);
        compare_animations(&mut expected, &mesh);
        compare_totals(&mut expected, &mesh);
        expected.same("surface_count", mesh.surface_count());
        let surfaces = expected.take("surfaces").unwrap();
        let surfaces = surfaces.as_array().unwrap();
        let listed =
            expected.take("surfaces_listed").map_or(mesh.surface_count(), |all| all.as_u64().unwrap() as usize);
        assert_eq!(surfaces.len(), listed);
        expected.done();

        let starts = array_starts(&mesh);
        for value in surfaces {
            let index = value["index"].as_u64().unwrap();
            let view = mesh.surface(index as usize).unwrap();
            compare_surface(&format!("{name} surface {index}"), value, &mesh, &view);
            compared += 1;
            if mesh.generation().is_compressed() {
                continue;
            }
            for (key, part) in [("positions_offset", "positions"), ("tangents_offset", "tangents")] {
                let found = starts.iter().find(|(surface, array, _)| (*surface, *array) == (index, part)).unwrap().2;
                assert_eq!(value[key], found, "{name} surface {index}: {key}");
            }
        }
    }
    eprintln!("{} files, {compared} surfaces compared", files.len());
}

/// Returns the offsets of the base shape's arrays, by surface.
///
/// Also asserts that every byte of the file belongs to a named region.
fn array_starts(mesh: &Mesh<Vec<u8>>) -> Vec<(u64, &'static str, u64)> {
    let mut starts = Vec::new();
    let mut end = 0;
    mesh.regions(0, &mut |region| {
        assert_eq!(region.start, end, "{}", region.field);
        end = region.end;
        if let (Some(surface), Some(0)) = (region.field.outer(), region.field.inner().map(|(_, target)| target)) {
            starts.push((surface.1, region.field.name(), region.start));
        }
    })
    .unwrap();
    assert_eq!(end, mesh.as_bytes().len() as u64);
    starts
}

/// Tests that no rule reports more than [`Severity::Info`] on a real file.
#[test]
fn finds_no_fault() {
    let Some((_, files)) = ours() else { return };
    let mut found = std::collections::BTreeMap::new();
    for path in &files {
        let mesh = Mesh::open(std::fs::read(path).unwrap()).unwrap();
        mesh.validate(&mut |finding| {
            assert!(finding.severity == Severity::Info, "{}: {finding}", path.display());
            *found.entry(finding.rule).or_insert(0) += 1;
        })
        .unwrap();
    }
    eprintln!("{} files; findings of severity info: {found:?}", files.len());
}

#[test]
fn writes_what_it_read() {
    let Some((_, files)) = ours() else { return };
    for path in &files {
        let whole = std::fs::read(path).unwrap();
        let mut written = Vec::with_capacity(whole.len());
        let mesh = Mesh::open(whole.as_slice()).unwrap();
        mesh.write_to(0, &mut written).unwrap();
        assert!(written == whole, "{} was written differently", path.display());
        if !mesh.generation().is_compressed() {
            continue;
        }
        for storage in [Storage::Raw, Storage::Lz4] {
            let mut written = Vec::new();
            mesh.write_stored(&mut written, storage).unwrap();
            let stored = Mesh::open(written).unwrap();
            expect_same_content(&mesh, &stored);
            stored.validate(&mut |finding| assert!(finding.severity == Severity::Info, "{finding}")).unwrap();
            let all = (0..mesh.surface_count()).flat_map(|index| stored.blocks(index).unwrap().unwrap());
            assert!(all.into_iter().all(|block| block.is_verbatim() || storage == Storage::Lz4));
        }
    }
}

/// Tests everything that holds for the samples, and compares the neutral view with the format's own
/// view.
#[test]
fn agrees_with_the_neutral_view() {
    let Some((_, files)) = ours() else { return };
    for path in &files {
        let whole = std::fs::read(path).unwrap();
        let mesh = Mesh::open(whole.as_slice()).unwrap();
        for surface in Surface::all(&mesh).unwrap() {
            let view = mesh.surface(surface.index()).unwrap();
            assert_eq!((surface.name().unwrap(), surface.bounds().unwrap()), (view.name(), view.bounds()));
            assert_eq!(surface.counts().unwrap(), view.counts().unwrap());
            let positions = view.positions().unwrap();
            assert!((0..positions.len()).all(|item| surface.positions().unwrap().get(item) == positions.get(item)));
            assert_eq!(
                surface.tangent_frames().unwrap().unwrap().as_bytes(),
                view.tangent_frames().unwrap().as_bytes()
            );
            let corners = surface.corners().unwrap();
            let (indices, attributes) = (view.indices().unwrap(), view.attribute_indices().unwrap());
            assert!(corners.iter().map(|corner| corner.position).eq(indices.iter()));
            assert!(corners.iter().map(|corner| corner.attribute).eq(attributes.iter()));
        }
        assert_eq!(mesh.clip_count().unwrap(), mesh.animation_count());
        assert_eq!(check_invariants(&whole, &mut Random::new(1)), Fate::Read, "{}", path.display());
    }
}

/// Rebuilds the engine's edge records and trees from positions and indices.
#[test]
fn builds_the_trees_of_the_engine() {
    let Some((_, files)) = ours() else { return };
    let mut compared = 0;
    for path in &files {
        let mesh = Mesh::open(std::fs::read(path).unwrap()).unwrap();
        for index in 0..mesh.surface_count() {
            let Some(tree) = mesh.tree(index).unwrap() else { break };
            let view = mesh.surface(index).unwrap();
            let surface = builder::Surface {
                targets: vec![builder::MorphTarget {
                    positions: view.positions().unwrap().iter().collect(),
                    frames: vec![TangentFrame::default()],
                    ..builder::MorphTarget::default()
                }],
                indices: view.indices().unwrap().iter().collect(),
                attribute_indices: vec![0; view.indices().unwrap().len()],
                ..builder::Surface::default()
            };
            let built = builder::Mesh { surfaces: vec![surface], ..builder::Mesh::new(Generation::Ms14) };
            let built = Mesh::open(built.to_bytes().unwrap()).unwrap();
            let what = format!("{} surface {index}", path.display());
            expect_same_tree(&what, &built.tree(0).unwrap().unwrap(), &tree);
            compared += 1;
        }
    }
    eprintln!("{compared} trees built as the engine's");
    assert!(compared > 0);
}

/// Compares two trees bit by bit.
fn expect_same_tree(what: &str, one: &SurfaceTree<'_>, other: &SurfaceTree<'_>) {
    assert_eq!(one.edges(), other.edges(), "{what}");
    assert_eq!(one.corners(), other.corners(), "{what}");
    assert_eq!(one.nodes(), other.nodes(), "{what}");
    assert!(one.boxes().raw() == other.boxes().raw() && one.splits().raw() == other.splits().raw(), "{what}");
}

/// Compares the complete content of the blocks of two meshes.
fn expect_same_content<D: AsRef<[u8]>, E: AsRef<[u8]>>(one: &Mesh<D>, other: &Mesh<E>) {
    assert_eq!(one.surface_count(), other.surface_count());
    for index in 0..one.surface_count() {
        let what = format!("surface {index}");
        expect_same_tree(&what, &one.tree(index).unwrap().unwrap(), &other.tree(index).unwrap().unwrap());
        let (one, other) = (one.surface(index).unwrap(), other.surface(index).unwrap());
        assert_eq!(one.counts().unwrap(), other.counts().unwrap());
        for target in 0..one.target_count() {
            let (one, other) = (one.target(target).unwrap(), other.target(target).unwrap());
            assert_eq!(one.name(), other.name());
            assert!(one.positions().unwrap().raw() == other.positions().unwrap().raw());
            assert_eq!(one.tangent_frames().unwrap().as_bytes(), other.tangent_frames().unwrap().as_bytes());
        }
        let lists = |view: &SurfaceView<'_>| {
            let lists = view.weights().unwrap();
            lists.map(|lists| lists.iter().map(|list| list.as_bytes().to_vec()).collect::<Vec<_>>())
        };
        assert_eq!(lists(&one), lists(&other));
        for set in 0..2 {
            let raw = |view: &SurfaceView<'_>| view.uvs(set).unwrap().map(|uvs| uvs.raw().to_vec());
            assert!(raw(&one) == raw(&other));
        }
        let colors = |view: &SurfaceView<'_>| view.colors().unwrap().map(|colors| colors.raw().to_vec());
        assert_eq!(colors(&one), colors(&other));
        assert!(one.indices().unwrap().iter().eq(other.indices().unwrap().iter()));
        assert!(one.attribute_indices().unwrap().iter().eq(other.attribute_indices().unwrap().iter()));
    }
}
