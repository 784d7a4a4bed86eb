//! UNIGINE meshes. The files have no licence, so none is here.

use std::path::{Path, PathBuf};

use meshpeek::surface::Frames;
use meshpeek::unigine::{Generation, Mesh, SurfaceView};
use meshpeek::{ErrorKind, Motion, Severity, Surface};
use serde_json::{Value, json};

use crate::support::corpus;
use crate::support::exercise::{Fate, exercise};
use crate::support::random::Random;
use crate::{Expected, file_name};

/// The files whose first four letters are among `magics`, sorted.
fn files(folder: &Path, magics: &[&str]) -> Vec<PathBuf> {
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

fn compare_bounds(expected: &mut Expected, bounds: meshpeek::Bounds, sphere: meshpeek::surface::Sphere) {
    let mut inner = Expected::new(format!("{} bounds", expected.what), &expected.take("bounds").unwrap());
    inner.floats("min", &bounds.min);
    inner.floats("max", &bounds.max);
    inner.floats("center", &sphere.center);
    inner.floats("radius", &[sphere.radius]);
    inner.done();
}

fn compare_skeleton(expected: &mut Expected, mesh: &Mesh<Vec<u8>>) {
    let count = mesh.bone_count();
    expected.same("bone_count", count);
    if count == 0 {
        return;
    }
    let bones: Vec<_> = (0..count).map(|index| mesh.bone(index).unwrap()).collect();
    let shown: Vec<Value> = bones.iter().map(|bone| json!([bone.name.to_string_lossy(), bone.parent])).collect();
    let listed = expected.take("bones_listed").map_or(count, |listed| listed.as_u64().unwrap() as usize);
    expected.same("bones", shown[..listed].to_vec());
    expected.same_if_any("last_bone", (listed < count).then(|| shown[count - 1].clone()));
    expected.same("parent_index_sum", bones.iter().map(|bone| i64::from(bone.parent)).sum::<i64>());
    expected.same("root_bones", bones.iter().filter(|bone| bone.parent == -1).count());
    let after = (0..).zip(&bones).filter(|(index, bone)| bone.parent > *index).count();
    expected.same("parents_after_children", after);
    for (key, bone) in [("bind_first", &bones[0]), ("bind_last", &bones[count - 1])] {
        let bind = bone.bind;
        expected.floats(key, &[&bind.position[..], &bind.rotation, &bind.scale].concat());
    }
}

fn compare_animations(expected: &mut Expected, mesh: &Mesh<Vec<u8>>) {
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
        let mut expected = Expected::new(format!("{} animation {index}", expected.what), animation);
        let found = mesh.animation(index).unwrap();
        expected.same("name", found.name.to_string_lossy());
        expected.same("animated_bones", found.bones.len());
        assert!(found.bones.iter().map(|bone| i64::from(bone.get())).eq((0..).take(found.bones.len())));
        expected.same("bone_ids", "0..n-1");
        expected.same("frames", found.frames);
        expected.same("global_flags", found.flags);
        let mut histogram = std::collections::BTreeMap::new();
        found.keys().for_each(|key| *histogram.entry(key.flags.to_string()).or_insert(0_u64) += 1);
        expected.same("record_flags", json!(histogram));
        // Poses are for a version that decodes them.
        expected.take("decoded").unwrap();
        expected.done();
    }
}

/// Compares one listed surface.
fn compare_surface(what: &str, value: &Value, view: &SurfaceView<'_>) {
    let mut expected = Expected::new(what.to_owned(), value);
    expected.take("index").unwrap();
    expected.same("name", view.name().to_string_lossy());
    compare_bounds(&mut expected, view.bounds(), view.sphere());
    expected.same_if_any("lightmap", view.lightmap().map(|bytes| json!(bytes)));
    expected.same("morph_targets", view.target_count());
    expected.same("block_offset", view.offset());
    let counts = view.counts().unwrap();

    let positions = view.positions().unwrap();
    expected.same("positions", positions.len());
    expected.floats("first_position", &positions.get(0).unwrap());
    expected.floats("last_position", &positions.get(positions.len() - 1).unwrap());
    compare_frames(&mut expected, &view.frames().unwrap());

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
        let raw = |list: meshpeek::surface::Influences<'_>| {
            let stored = (0..list.len()).map(|index| list.stored(index).unwrap());
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
        assert_eq!(stream.place(1), usize::from(width));
        expected.same(&format!("{key}_index_sum"), stream.iter().map(u64::from).sum::<u64>());
        expected.same(first, json!(stream.iter().take(3).collect::<Vec<_>>()));
    }
    // Compared with the map of the file, by the caller.
    expected.take("positions_offset").unwrap();
    expected.take("tangents_offset").unwrap();
    expected.done();
}

fn compare_frames(expected: &mut Expected, frames: &Frames<'_>) {
    expected.same("tangents", frames.len());
    let mut inner = Expected::new(format!("{} first tangent", expected.what), &expected.take("first_tangent").unwrap());
    let raw: Vec<i64> = match frames {
        Frames::Quat8(frames) => frames.raw()[0].iter().map(|part| part.get().into()).collect(),
        Frames::Quat7(frames) => {
            let raw = frames.raw()[0];
            raw.xyz.iter().map(|part| i64::from(part.get())).chain([raw.sign.into()]).collect()
        }
        other => panic!("{other:?}"),
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

fn compare_totals(expected: &mut Expected, mesh: &Mesh<Vec<u8>>) {
    let mut totals = Expected::new(format!("{} totals", expected.what), &expected.take("totals").unwrap());
    let mut sums = [0_u64; 6];
    for view in mesh.surfaces().map(Result::unwrap) {
        let counts = view.counts().unwrap();
        let index_sum = |stream: meshpeek::surface::Indices<'_>| stream.iter().map(u64::from).sum::<u64>();
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
        let mut expected = Expected::new(name.clone(), &reference);
        expected.same("file", name.as_str());
        expected.same("magic", mesh.generation().magic());
        expected.same("bytes", mesh.as_bytes().len());
        // The hash tells whoever fetches the files whether these are the same ones.
        expected.take("sha256").unwrap();
        let (bounds, sphere) = mesh.bounds().unwrap();
        compare_bounds(&mut expected, bounds, sphere);
        compare_skeleton(&mut expected, &mesh);
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
            compare_surface(&format!("{name} surface {index}"), value, &view);
            for (key, part) in [("positions_offset", "positions"), ("tangents_offset", "tangents")] {
                let found = starts.iter().find(|(surface, array, _)| (*surface, *array) == (index, part)).unwrap().2;
                assert_eq!(value[key], found, "{name} surface {index}: {key}");
            }
            compared += 1;
        }
    }
    eprintln!("{} files, {compared} surfaces compared", files.len());
}

/// Where the base shape's arrays start, by surface; on the way, that no byte is left without a name.
fn array_starts(mesh: &Mesh<Vec<u8>>) -> Vec<(u64, &'static str, u64)> {
    let mut starts = Vec::new();
    let mut end = 0;
    mesh.regions(&mut |region| {
        assert_eq!(region.start, end, "{}", region.field);
        end = region.end;
        if let (Some(surface), Some(0)) = (region.field.outer(), region.field.inner().map(|target| target.index)) {
            starts.push((surface.index, region.field.name(), region.start));
        }
    })
    .unwrap();
    assert_eq!(end, mesh.as_bytes().len() as u64);
    starts
}

/// The rules hold on every real file, so none of them may say more than that something is worth knowing.
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
    eprintln!("{} files; worth knowing: {found:?}", files.len());
}

#[test]
fn writes_what_it_read() {
    let Some((_, files)) = ours() else { return };
    for path in &files {
        let whole = std::fs::read(path).unwrap();
        let mut written = Vec::with_capacity(whole.len());
        Mesh::open(whole.as_slice()).unwrap().write_to(&mut written).unwrap();
        assert!(written == whole, "{} came out differently", path.display());
    }
}

/// Everything that holds for the samples, and the neutral view against the format's own.
#[test]
fn agrees_with_the_neutral_view() {
    let Some((_, files)) = ours() else { return };
    for path in &files {
        let whole = std::fs::read(path).unwrap();
        let mesh = Mesh::open(whole.as_slice()).unwrap();
        for surface in Surface::all(&mesh) {
            let view = mesh.surface(surface.index()).unwrap();
            assert_eq!((surface.name().unwrap(), surface.bounds().unwrap()), (view.name(), view.bounds()));
            assert_eq!(surface.counts().unwrap(), view.counts().unwrap());
            let positions = view.positions().unwrap();
            assert!((0..positions.len()).all(|item| surface.positions().unwrap().get(item) == positions.get(item)));
            assert_eq!(surface.frames().unwrap().unwrap().as_bytes(), view.frames().unwrap().as_bytes());
            let corners = surface.corners().unwrap();
            let (indices, attributes) = (view.indices().unwrap(), view.attribute_indices().unwrap());
            assert!(corners.iter().map(|corner| corner.position).eq(indices.iter()));
            assert!(corners.iter().map(|corner| corner.attribute).eq(attributes.iter()));
        }
        assert_eq!(mesh.clip_count(), mesh.animation_count());
        assert_eq!(exercise(&whole, &mut Random::new(1)), Fate::Read, "{}", path.display());
    }
}

/// The generations that this version does not read are named, not guessed at.
#[test]
fn refuses_other_generations_by_name() {
    let Some(folder) = corpus("unigine") else { return };
    let others = files(&folder, &["ms14", "ms15", "an10", "an11", "an12", "an13"]);
    for path in &others {
        let error = Mesh::open(std::fs::read(path).unwrap()).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Unsupported { .. }), "{error}");
        assert!(error.to_string().contains(&file_name(path)[..4]), "{error}");
    }
    eprintln!("{} files refused", others.len());
}
