//! Tests that an error about an index out of range names the index that was passed, and the number
//! of items.

use meshpeek::decode::ByteOrder;
use meshpeek::model::Transform;
use meshpeek::unreal::{NormalShading, Placement};
use meshpeek::{Animations, ErrorKind, Geometry, MeshFile, Pose, Result, Surface, ezmesh, secondlife, unigine, unreal};

use crate::support;
use crate::support::no_such;

/// Indices that no list of a sample has. The list of `usize` ends with numbers above 32 bits.
const OUT_OF_RANGE: [usize; 4] = [77, 40_000, 4_294_967_297, usize::MAX];

/// Asserts that a result is the error for the index `index` of a list with `count` items, and that
/// the field of the error does not have another number of the list.
fn expect_no_such<T>(what: &str, result: Result<T>, count: usize, index: usize) {
    let Err(error) = result else { panic!("{what}: expected an error for {index}") };
    assert_eq!(error.kind(), ErrorKind::NoSuch, "{what}: {error}");
    assert_eq!(error.message().to_string(), no_such(count, index).message().to_string(), "{what}: {error}");
    let field = error.field().to_string();
    let numbers = field.split('[').skip(1).filter_map(|part| part.split(']').next()?.parse::<u64>().ok());
    // Lists around the list of the index have few items.
    assert!({ numbers }.all(|number| number == index as u64 || number < 30), "{what}: {error}");
}

fn expect_surfaces(format: &str, geometry: &dyn Geometry) {
    let count = geometry.surface_count().unwrap();
    for index in OUT_OF_RANGE {
        let expect = |name: &str, result: Result<()>| {
            expect_no_such(&format!("{format}: {name}"), result, count, index);
        };
        expect("surface", geometry.surface(index).map(drop));
        expect("lend", geometry.lend(index).map(drop));
    }
    if count == 0 {
        return;
    }
    let surface = Surface::new(geometry, count - 1).unwrap();
    let targets = surface.counts().unwrap().targets as usize;
    for index in OUT_OF_RANGE {
        let what = |name: &str| format!("{format}: {name} of a target");
        expect_no_such(&what("positions"), surface.target_positions(index), targets, index);
        expect_no_such(&what("tangent_frames"), surface.target_tangent_frames(index), targets, index);
        expect_no_such(&what("normals"), surface.target_normals(index), targets, index);
        let frames = geometry.vertex_frame_count().unwrap();
        expect_no_such(&format!("{format}: vertex_frame"), surface.vertex_frame(index), frames, index);
    }
}

fn expect_clips(format: &str, motion: &dyn Animations) {
    let mut out = vec![Transform::default(); motion.bone_count().unwrap()];
    let mut moved = vec![false; motion.bone_count().unwrap()];
    for index in OUT_OF_RANGE {
        let what = |name: &str| format!("{format}: {name}");
        expect_no_such(&what("bone"), motion.bone(index), motion.bone_count().unwrap(), index);
        let clips = motion.clip_count().unwrap();
        expect_no_such(&what("clip"), motion.clip(index), clips, index);
        expect_no_such(&what("event"), motion.event(index, 0), clips, index);
        expect_no_such(&what("pose"), motion.pose(index, 0, &mut out), clips, index);
        expect_no_such(&what("animated_bones"), motion.animated_bones(index, &mut moved), clips, index);
        expect_no_such(&what("moment"), Pose::moment(motion, index, 0.0, Some(1.0), false), clips, index);
        if clips > 0 && motion.bone_count().unwrap() > 0 {
            let frames = motion.clip(0).unwrap().frames as usize;
            expect_no_such(&what("frame"), motion.pose(0, index, &mut out), frames, index);
            let mut pose = Pose::rest(motion).unwrap();
            expect_no_such(&what("set_frame"), pose.set_frame(motion, 0, index), frames, index);
        }
    }
}

fn expect_sources(format: &str, file: &dyn MeshFile<Data = Vec<u8>>) {
    for index in OUT_OF_RANGE {
        let count = file.source_count();
        expect_no_such(&format!("{format}: regions"), file.regions(index, &mut |_| {}), count, index);
        expect_no_such(&format!("{format}: write_to"), file.write_to(index, &mut Vec::new()), count, index);
        expect_no_such(&format!("{format}: expect_source"), file.expect_source(index), count, index);
    }
}

#[test]
fn unigine_errors_name_the_index() {
    for sample in support::unigine::samples() {
        // In a mesh, a request out of range must not spoil later requests, and the first request
        // must not depend on earlier ones.
        for asked_before in [false, true] {
            let mesh = unigine::Mesh::open(sample.mesh.to_bytes().unwrap()).unwrap();
            let count = mesh.surface_count();
            if asked_before && count > 0 {
                mesh.surface(count - 1).unwrap();
            }
            expect_surfaces(sample.stem, &mesh);
            expect_clips(sample.stem, &mesh);
            expect_sources(sample.stem, &mesh);
            for index in OUT_OF_RANGE {
                let what = |name: &str| format!("{}: {name}", sample.stem);
                expect_no_such(&what("surface"), mesh.surface(index), count, index);
                let mut buffer = unigine::InflateBuffer::default();
                expect_no_such(&what("surface_in"), mesh.surface_in(index, &mut buffer), count, index);
                expect_no_such(&what("lightmap"), mesh.lightmap(index), count, index);
                expect_no_such(&what("inflate"), mesh.inflate(&[index]), count, index);
                expect_no_such(&what("tree"), mesh.tree(index), count, index);
                expect_no_such(&what("blocks"), mesh.blocks(index), count, index);
                expect_no_such(&what("header_counts"), mesh.header_counts(index), count, index);
                expect_no_such(&what("animation"), mesh.animation(index), mesh.animation_count(), index);
                if count > 0 {
                    let surface = mesh.surface(0).unwrap();
                    expect_no_such(&what("target"), surface.target(index), surface.target_count(), index);
                }
            }
            mesh.check().unwrap();
            assert!(mesh.surfaces().all(|surface| surface.is_ok()), "{}", sample.stem);
        }
    }
}

#[test]
fn unigine_animation_errors_name_the_index() {
    for sample in support::unigine::animation_samples() {
        let file = unigine::Animation::open(sample.file.to_bytes().unwrap()).unwrap();
        expect_surfaces(sample.stem, &file);
        expect_clips(sample.stem, &file);
        expect_sources(sample.stem, &file);
        for index in OUT_OF_RANGE {
            expect_no_such(sample.stem, file.animation(index), file.animation_count(), index);
            let view = file.animation(0).unwrap();
            let mut out = vec![Transform::default(); view.bone_count()];
            if let Ok(frame) = u32::try_from(index) {
                expect_no_such(sample.stem, view.pose(frame, &mut out), view.frames as usize, index);
            }
        }
        file.check().unwrap();
    }
}

#[test]
fn unreal_errors_name_the_index() {
    for stem in ["box", "guard", "crate64", "prototype", "empty"] {
        let [data, aniv] = support::unreal::pair(stem);
        let mesh = unreal::Mesh::open(data, aniv).unwrap();
        expect_surfaces(stem, &mesh);
        expect_clips(stem, &mesh);
        expect_sources(stem, &mesh);
        for index in OUT_OF_RANGE {
            expect_no_such(stem, mesh.surface(index), mesh.surface_count().unwrap(), index);
            expect_no_such(stem, mesh.frame(index), mesh.frame_count(), index);
            expect_no_such(
                stem,
                mesh.normals(index, NormalShading::Smooth, &Placement::STORED),
                mesh.frame_count(),
                index,
            );
            let attachments = mesh.attachment_count();
            expect_no_such(stem, mesh.attachment(index, 0, &Placement::STORED), attachments, index);
            if attachments > 0 {
                expect_no_such(stem, mesh.attachment(0, index, &Placement::STORED), mesh.frame_count(), index);
            }
        }
    }
}

#[test]
fn second_life_errors_name_the_index() {
    for sample in support::secondlife::samples() {
        let mesh = secondlife::Mesh::open(sample.bytes).unwrap();
        expect_surfaces(sample.file, &mesh);
        expect_clips(sample.file, &mesh);
        expect_sources(sample.file, &mesh);
        let view = mesh.view();
        for index in OUT_OF_RANGE {
            for lod in mesh.header().unwrap().lods() {
                // A block of a cache file may be missing.
                let Ok(level) = view.level(lod) else { continue };
                expect_no_such(sample.file, level.submesh(index), level.len(), index);
            }
            if let Some(skin) = view.skin().unwrap() {
                expect_no_such(sample.file, skin.joint_name(index), skin.joint_count(), index);
                expect_no_such(sample.file, skin.inverse_bind(index), skin.joint_count(), index);
                expect_no_such(sample.file, skin.alt_inverse_bind(index), skin.alt_inverse_bind_count(), index);
            }
            let options = meshpeek::OpenOptions::default().with_asset(index);
            let bytes = mesh.data().clone();
            let count = mesh.asset_count();
            expect_no_such(sample.file, secondlife::Mesh::open_with(bytes, &options), count, index);
        }
    }
}

#[test]
fn ezmesh_errors_name_the_index() {
    let mut two_skeletons = support::ezmesh::flag();
    two_skeletons.skeletons.push(two_skeletons.skeletons[0].clone());
    two_skeletons.reduce_to_ezb();
    let made = [("two.ezm", two_skeletons.to_ezm()), ("two.ezb", two_skeletons.to_ezb(ByteOrder::Big))];
    let samples = support::ezmesh::samples().into_iter().map(|sample| (sample.file, sample.bytes));
    for (file, bytes) in samples.chain(made) {
        let mesh = ezmesh::Mesh::open(bytes).unwrap();
        expect_surfaces(file, &mesh);
        expect_clips(file, &mesh);
        expect_sources(file, &mesh);
        let view = mesh.view();
        for index in OUT_OF_RANGE {
            expect_no_such(file, mesh.section(index), view.sections().len(), index);
            expect_no_such(file, mesh.animation(index), view.animations().len(), index);
            expect_no_such(file, mesh.mesh(index), view.meshes().len(), index);
            expect_no_such(file, view.bone(index), view.bone_count(), index);
            expect_no_such(file, view.bone_name(index), view.bone_count(), index);
        }
    }
}
