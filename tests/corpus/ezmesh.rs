//! Tests of real EZ-Mesh files and of probes.
//!
//! A probe is a small file that differs from a valid one in a single detail. Most of the files have
//! no licence, so the repository contains none of them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use meshpeek::ezmesh::{
    Animation, Column, Dialect, Form, IndexBuffer, Mesh, MeshElement, Scalar, Section, Semantic, Skeleton, TetraMesh,
    Track, VertexBuffer, VertexValue, View, unescape,
};
use meshpeek::model::SurfaceArrays as _;
use meshpeek::model::{Bone, Transform};
use meshpeek::{
    Animations, Array, Bounds, Corner, Error, ErrorKind, FormatVersion as _, Geometry, MeshFile as _, OpenOptions,
    Severity, Surface,
};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::support::corpus;
use crate::support::is_error;
use crate::{Reference, file_name, numbers};

/// A PNG picture whose file name has the extension of a mesh.
const PICTURE: &str = "cs_level1_atlas.ezm";

/// Keys of the reference that the reader has no view of.
///
/// They describe the encoding of a text (line ends, length of numbers, nesting of elements) or were
/// computed for the reference itself.
const OF_THE_SPELLING: [&str; 12] = [
    "tabs",
    "amp",
    "nul",
    "comments",
    "cdata",
    "single_quote_attr",
    "percent_escapes",
    "wellformed",
    "nesting",
    "lf_only",
    "crlf",
    "discrepancies",
];

/// Returns all real files, and the text that the author's tool made from a binary file, sorted.
fn ours() -> Option<(PathBuf, Vec<PathBuf>)> {
    let folder = corpus("ezmesh")?;
    let mut files = Vec::new();
    for place in [folder.clone(), folder.join("derived")] {
        files.extend(std::fs::read_dir(place).unwrap().map(|entry| entry.unwrap().path()));
    }
    files.retain(|path| path.extension().is_some_and(|ending| ending == "ezm" || ending == "ezb"));
    files.sort();
    assert!(!files.is_empty(), "no file in {}", folder.display());
    Some((folder, files))
}

/// Returns all files but the picture that is named like a mesh.
fn meshes() -> Option<(PathBuf, Vec<PathBuf>)> {
    let (folder, mut files) = ours()?;
    files.retain(|path| file_name(path) != PICTURE);
    Some((folder, files))
}

fn reference(folder: &Path, name: &str) -> Value {
    serde_json::from_slice(&std::fs::read(folder.join(format!("reference/{name}.json"))).unwrap()).unwrap()
}

fn open(bytes: &[u8]) -> Mesh<&[u8]> {
    Mesh::open(bytes).unwrap()
}

fn text(name: meshpeek::Name<'_>) -> String {
    name.to_string_lossy()
}

fn bits(floats: &[f32]) -> Vec<u32> {
    floats.iter().map(|float| float.to_bits()).collect()
}

/// Compares floats and distinguishes 0 from -0.
fn same_floats(expected: &mut Reference, key: &str, found: &[f32]) {
    let value = expected.take(key).unwrap_or_else(|| panic!("{}: no {key}", expected.what));
    assert_eq!(bits(&flat(&value)), bits(found), "{}: {key}", expected.what);
}

fn flat(value: &Value) -> Vec<f32> {
    match value {
        Value::Array(items) => items.iter().flat_map(flat).collect(),
        other => numbers(other),
    }
}

/// Compares numbers that the reference computed from the decimals of the text.
///
/// They may differ by the rounding to `f32`.
fn near(expected: &mut Reference, key: &str, found: &[f64], tolerance: f64) {
    let value = expected.take(key).unwrap_or_else(|| panic!("{}: no {key}", expected.what));
    let value: Vec<f64> = value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect();
    assert_eq!(value.len(), found.len(), "{}: {key}", expected.what);
    for (one, other) in value.iter().zip(found) {
        assert!((one - other).abs() <= tolerance, "{}: {key} {other}, expected {one}", expected.what);
    }
}

/// Returns the items of a list with their indices.
///
/// The reference may have omitted items in the middle of the list.
fn listed(what: &str, value: Option<Value>, count: usize) -> Vec<(usize, Value)> {
    let items = value.unwrap_or_else(|| panic!("{what}: no list")).as_array().unwrap().clone();
    let omitted = items.iter().find_map(|item| item.get("omitted").map(|count| count.as_u64().unwrap() as usize));
    let cut = items.iter().position(|item| item.get("omitted").is_some()).unwrap_or(items.len());
    let shown = items.len() - usize::from(omitted.is_some());
    assert_eq!(shown + omitted.unwrap_or_default(), count, "{what}");
    let number = |at: usize| if at < cut { at } else { at - 1 + omitted.unwrap_or_default() };
    items.iter().enumerate().filter(|(at, _)| *at != cut).map(|(at, item)| (number(at), item.clone())).collect()
}

fn drop_all(expected: &mut Reference, keys: &[&str]) {
    for key in keys {
        expected.take(key);
    }
}

/// Returns the number in an attribute that the reference stores as a decimal string.
fn decimal(expected: &mut Reference, key: &str) -> Option<f32> {
    match expected.take(key)? {
        Value::Null => None,
        Value::String(text) => Some(text.parse().unwrap()),
        number => Some(number.as_f64().unwrap() as f32),
    }
}

fn count(expected: &mut Reference, key: &str) -> Option<u32> {
    match expected.take(key)? {
        Value::Null => None,
        Value::String(text) => Some(text.parse().unwrap()),
        number => Some(number.as_u64().unwrap() as u32),
    }
}

fn flat_key(key: &Transform, has_scale: bool) -> Vec<f32> {
    let all = [&key.position[..], &key.rotation, &key.scale].concat();
    if has_scale { all } else { all[..7].to_vec() }
}

fn wide<const N: usize>(point: [f32; N]) -> [f64; N] {
    point.map(f64::from)
}

/// Returns a name as JSON: `null` if it is empty, because the reference has `null` for a missing
/// attribute.
fn optional(name: meshpeek::Name<'_>) -> Value {
    if name.as_bytes().is_empty() { Value::Null } else { text(name).into() }
}

/// Compares a name.
///
/// The reader does not distinguish a missing name from an empty name.
fn same_name(expected: &mut Reference, key: &str, found: meshpeek::Name<'_>) {
    let value = expected.take(key).unwrap_or_else(|| panic!("{}: no {key}", expected.what));
    let value = if value == "" { Value::Null } else { value };
    assert_eq!(value, optional(found), "{}: {key}", expected.what);
}

fn cells(buffer: &VertexBuffer<'_>, column: &Column, vertex: usize) -> Vec<Value> {
    let vertices = buffer.vertices().unwrap();
    vertices
        .column_values(column, vertex)
        .map(|cell| match cell {
            VertexValue::Float(float) => f64::from(float).into(),
            VertexValue::Integer(number) => number.into(),
            VertexValue::Hex(number) => format!("{number:#010X}").replace("0X", "0x").into(),
            other => panic!("{other:?}"),
        })
        .collect()
}

/// Returns the reference's key of each column: its word, with a number appended if the word occurs
/// more than once.
fn keys(buffer: &VertexBuffer<'_>) -> Vec<(String, Column)> {
    let columns = buffer.format().columns();
    let words: Vec<String> = columns.iter().map(|column| text(buffer.word(column))).collect();
    let mut seen = BTreeMap::new();
    let named = words.iter().map(|word| {
        let number = *seen.entry(word).and_modify(|number| *number += 1).or_insert(1);
        if words.iter().filter(|other| *other == word).count() > 1 { format!("{word}#{number}") } else { word.clone() }
    });
    named.zip(columns.iter().copied()).collect()
}

/// Compares the numbers of one vertex. Floats must have equal bits.
fn same_vertex(what: &str, value: &Value, buffer: &VertexBuffer<'_>, vertex: usize, inner: Option<&str>) {
    let mut expected = Reference::new(what.to_owned(), value);
    for (key, column) in keys(buffer) {
        let found = cells(buffer, &column, vertex);
        let value = expected.take(&key).unwrap_or_else(|| panic!("{what}: no {key}"));
        let value = inner.map_or(value.clone(), |inner| value[inner].clone());
        if buffer.format().scalars(&column).contains(&Scalar::Float) {
            assert_eq!(bits(&flat(&value)), bits(&flat(&found.into())), "{what}: {key} of {vertex}");
        } else {
            assert_eq!(value, Value::from(found), "{what}: {key} of {vertex}");
        }
    }
    expected.done();
}

fn compare_vertices(expected: &mut Reference, key: &str, buffer: Option<VertexBuffer<'_>>, is_fact: bool) {
    let value = expected.take(key);
    let Some(buffer) = buffer else {
        assert!(value.is_none_or(|value| value.is_null()), "{}: {key}", expected.what);
        return;
    };
    let mut one = Reference::new(format!("{} {key}", expected.what), &value.unwrap());
    let scalars = buffer.format().all_scalars().len();
    let [ctype, semantic] = buffer.types();
    one.same("count", buffer.count());
    one.same("ctype", text(ctype));
    one.same("semantic", text(semantic));
    one.same(if is_fact { "scalars_per_vertex" } else { "components" }, scalars);
    // The number of tokens equals the declared count exactly.
    one.same("tokens", scalars * buffer.count() as usize);
    assert_eq!(buffer.interp_width(), None, "{}", one.what);
    let vertices = buffer.vertices().unwrap();
    assert_eq!(vertices.len(), buffer.count() as usize);
    let positions = vertices.positions().unwrap();
    let bounds = positions.bounds();
    one.floats_nested(if is_fact { "bbox" } else { "aabb" }, &[bounds.min, bounds.max].concat());
    if is_fact {
        same_sum(&mut one, &positions);
        let first_last = one.take("first_last").unwrap();
        same_vertex(&one.what, &first_last, &buffer, 0, Some("first"));
        same_vertex(&one.what, &first_last, &buffer, vertices.len() - 1, Some("last"));
        return one.done();
    }
    for (key, start) in [("first2", 0), ("last2", vertices.len() - 2)] {
        for (number, value) in listed(&one.what.clone(), one.take(key), 2) {
            same_vertex(&format!("{} {key}", one.what), &value, &buffer, start + number, None);
        }
    }
    if let Some((bones, weights)) = vertices.lanes() {
        let sums = weights.iter().map(|lanes| wide(lanes).iter().sum::<f64>());
        let [least, most] = [sums.clone().fold(f64::INFINITY, f64::min), sums.fold(0.0, f64::max)];
        // The reference adds the decimals, but `f32` keeps 24 bits of each. The four weights of a
        // vertex are each off by at most half of 2^-24.
        near(&mut one, "weight_sum_minmax", &[least, most], 4.0 * 2_f64.powi(-25));
        one.same("blendindices_max", bones.iter().flatten().max().unwrap());
    }
    one.done();
}

impl Reference {
    /// Compares nested lists of floats.
    ///
    /// The reference stores them as decimals, so the sign of zero is lost.
    fn floats_nested(&mut self, key: &str, found: &[f32]) {
        let value = self.take(key).unwrap_or_else(|| panic!("{}: no {key}", self.what));
        assert_eq!(flat(&value), found, "{}: {key}", self.what);
    }
}

/// Compares the sum of all positions.
///
/// Both sums add the same `f64` values, perhaps in another order. Each addition errs by at most
/// half a unit in the last place. The error of each sum is at most n times 2^-53 of the sum of
/// magnitudes.
fn same_sum(expected: &mut Reference, positions: &meshpeek::model::Positions<'_>) {
    let [mut sum, mut magnitudes] = [[0.0; 3]; 2];
    positions.for_each(|position| {
        for axis in 0..3 {
            sum[axis] += f64::from(position[axis]);
            magnitudes[axis] += f64::from(position[axis]).abs();
        }
    });
    let most = magnitudes.iter().fold(0.0, |most: f64, one| most.max(*one));
    near(expected, "position_sum_f64", &sum, 2.0 * positions.len() as f64 * 2_f64.powi(-53) * most);
}

fn compare_triangles(expected: &mut Reference, section: &Section<'_>) {
    let triangles = section.index_buffer().unwrap().unwrap();
    let all: Vec<u32> = triangles.indices().unwrap().iter().collect();
    let mut one = Reference::new(format!("{} indexbuffer", expected.what), &expected.take("indexbuffer").unwrap());
    drop_all(&mut one, &["count_attr"]);
    one.same("triangles", triangles.triangle_count());
    one.same("index_count", all.len());
    assert_eq!(triangles.index_count(), all.len());
    one.same("min", all.iter().min().copied());
    one.same("max", all.iter().max().copied());
    one.same("first6", json!(all[..all.len().min(6)]));
    one.same("last6", json!(all[all.len().saturating_sub(6)..]));
    one.done();
}

fn compare_section(what: String, value: &Value, section: &Section<'_>) {
    let mut expected = Reference::new(what, value);
    same_name(&mut expected, "material", section.material_name().unwrap());
    let types = section.repeated_types().unwrap();
    expected.same("has_ctype", types[0].is_some());
    if let [Some(ctype), Some(semantic)] = types {
        assert_eq!([ctype, semantic], section.vertex_buffer().unwrap().types(), "{}", expected.what);
    }
    let own = section.has_own_vertices().then(|| section.vertex_buffer().unwrap());
    compare_vertices(&mut expected, "vertexbuffer", own, false);
    compare_triangles(&mut expected, section);
    expected.done();
}

fn sum(section: &Section<'_>) -> u64 {
    let indices = section.index_buffer().unwrap().unwrap().indices().unwrap();
    indices.iter().map(u64::from).sum()
}

/// Compares the entry of a section in the `facts` part of a reference, for either form of file.
fn compare_section_facts(what: String, value: &Value, section: &Section<'_>) {
    let mut expected = Reference::new(what, value);
    same_name(&mut expected, "material", section.material_name().unwrap());
    let triangles = section.index_buffer().unwrap().unwrap();
    let indices = triangles.indices().unwrap();
    drop_all(&mut expected, &["count_attr"]);
    expected.same_if_any("flags", section.flags().unwrap());
    expected.same("triangles", triangles.triangle_count());
    expected.same("index_sum", sum(section));
    expected.same("index_max", indices.iter().max());
    let three = |from: usize| (from..from + 3).map(|at| indices.get(at).unwrap()).collect::<Vec<_>>();
    expected.same("index_first", three(0));
    expected.same("index_last", three(indices.len() - 3));
    let own = section.has_own_vertices().then(|| section.vertex_buffer().unwrap());
    compare_vertices(&mut expected, "vertexbuffer", own, true);
    expected.done();
}

fn compare_mesh(what: String, value: &Value, mesh: &MeshElement<'_>) {
    let mut expected = Reference::new(what.clone(), value);
    same_name(&mut expected, "name", mesh.name().unwrap());
    same_name(&mut expected, "skeleton", mesh.skeleton_name().unwrap());
    assert_eq!(count(&mut expected, "submesh_count"), mesh.declared_section_count().unwrap(), "{what}");
    compare_vertices(&mut expected, "vertexbuffer", mesh.vertex_buffer().unwrap(), false);
    let sections: Vec<Section<'_>> = mesh.sections().collect();
    for (number, value) in listed(&what, expected.take("sections"), sections.len()) {
        compare_section(format!("{what} section {number}"), &value, &sections[number]);
    }
    expected.done();
}

fn compare_mesh_facts(what: String, value: &Value, mesh: &MeshElement<'_>, view: &View<'_>) {
    let mut expected = Reference::new(what.clone(), value);
    same_name(&mut expected, "name", mesh.name().unwrap());
    same_name(&mut expected, "skeleton", mesh.skeleton_name().unwrap());
    let sections: Vec<Section<'_>> = mesh.sections().collect();
    for (number, value) in listed(&what, expected.take("sections"), sections.len()) {
        compare_section_facts(format!("{what} section {number}"), &value, &sections[number]);
    }
    match mesh.declared_bounds().unwrap() {
        Some(bounds) => same_floats(&mut expected, "declared_aabb", &[bounds.min, bounds.max].concat()),
        None => assert!(expected.take("declared_aabb").is_none(), "{what}"),
    }
    expected.same("index_sum", sections.iter().map(sum).sum::<u64>());
    compare_vertices(&mut expected, "vertexbuffer", mesh.vertex_buffer().unwrap(), true);
    if let Some(value) = expected.take("tetra") {
        let tetra: Vec<TetraMesh<'_>> = view.tetra_meshes().collect();
        assert_eq!(tetra.len(), 1);
        let mut one = Reference::new(format!("{what} tetra"), &value);
        one.same("count", tetra[0].count().unwrap());
        // The library reads no other types of numbers than twelve floats.
        assert!(one.take("ctype").is_some() && one.take("semantic").is_some());
        one.same("tokens", tetra[0].corners().unwrap().len() * 12);
        one.done();
    } else {
        assert_eq!(view.tetra_meshes().count(), 0, "{what}");
    }
    expected.done();
}

/// Compares a bone with its entry in the reference, in any of the layouts that the references use.
fn compare_bone(what: String, value: &Value, bone: &Bone<'_>, view: &View<'_>) {
    let mut expected = Reference::new(what, value);
    expected.same("name", text(bone.name));
    let parent = usize::try_from(bone.parent).ok().map(|parent| view.bone(parent).unwrap());
    match expected.take("parent") {
        Some(Value::Number(number)) => assert_eq!(number.as_i64(), Some(bone.parent.into()), "{}", expected.what),
        Some(Value::String(name)) => assert_eq!(name, text(parent.unwrap().name), "{}", expected.what),
        None => assert!(parent.is_none(), "{}", expected.what),
        other => panic!("{}: {other:?}", expected.what),
    }
    let Transform { position, rotation, scale } = bone.bind;
    for (names, found) in [
        (["position", "pos"], &position[..]),
        (["orientation", "rot"], &rotation[..]),
        (["scale", "scale"], &scale[..]),
    ] {
        let value = names.into_iter().find_map(|name| expected.take(name));
        let value: Vec<f32> = match value {
            Some(Value::String(text)) => text.split_whitespace().map(|number| number.parse().unwrap()).collect(),
            // Older files store no scale.
            None | Some(Value::Null) => vec![1.0; 3],
            Some(list) => flat(&list),
        };
        assert_eq!(bits(&value), bits(found), "{}: {names:?}", expected.what);
    }
    expected.done();
}

fn compare_skeleton(what: String, value: &Value, skeleton: &Skeleton<'_>, view: &View<'_>) {
    let mut expected = Reference::new(what.clone(), value);
    expected.same("name", text(skeleton.name().unwrap()));
    let declared = skeleton.declared_count().unwrap();
    if expected.left.contains_key("count") {
        assert_eq!(count(&mut expected, "count"), declared, "{what}");
    }
    drop_all(&mut expected, &["parent_tag"]);
    let bones: Vec<Bone<'_>> = skeleton.bones().map(Result::unwrap).collect();
    assert_eq!(declared, Some(bones.len() as u32));
    for (number, value) in listed(&what, expected.take("bones"), bones.len()) {
        compare_bone(format!("{what} bone {number}"), &value, &bones[number], view);
    }
    expected.done();
}

fn compare_track(what: &str, value: &Value, track: &Track<'_>) {
    let mut expected = Reference::new(format!("{what} track {}", track.name().unwrap()), value);
    expected.same("name", text(track.name().unwrap()));
    expected.same("count", track.frame_count().unwrap());
    let keys = track.keys().unwrap();
    if let Some(value) = expected.take("has_scale") {
        let said = value.as_str().map(|text| text == "true");
        assert_eq!(track.has_scale().unwrap(), said, "{}", expected.what);
        assert_eq!(keys.has_scale(), said.unwrap_or_default(), "{}", expected.what);
    }
    let all: Vec<Vec<f32>> = keys.iter().map(|key| flat_key(&key, keys.has_scale())).collect();
    assert_eq!(all.len(), keys.len());
    same_floats(&mut expected, "first", &all[0]);
    same_floats(&mut expected, "last", &all[all.len() - 1]);
    if expected.left.contains_key("quat_norm2_minmax") {
        let norms =
            (0..keys.len()).map(|at| wide(keys.get(at).unwrap().rotation).iter().map(|part| part * part).sum::<f64>());
        let [least, most] = [norms.clone().fold(f64::INFINITY, f64::min), norms.fold(0.0, f64::max)];
        // Each component of a unit quaternion is off by at most 2^-25. Its square is off by twice
        // that, times the component.
        near(&mut expected, "quat_norm2_minmax", &[least, most], 4.0 * 2_f64.powi(-25));
    }
    expected.done();
}

fn compare_animation(what: String, value: &Value, animation: &Animation<'_>) {
    let mut expected = Reference::new(what.clone(), value);
    expected.same("name", text(animation.name().unwrap()));
    let timing = animation.timing().unwrap();
    assert_eq!(count(&mut expected, "trackcount"), timing.tracks, "{what}");
    assert_eq!(count(&mut expected, "framecount"), timing.frames, "{what}");
    assert_eq!(decimal(&mut expected, "duration"), timing.duration, "{what}");
    assert_eq!(decimal(&mut expected, "dtime"), timing.dtime, "{what}");
    drop_all(&mut expected, &["parent_tag", "duration_relation"]);
    let tracks: Vec<Track<'_>> = animation.tracks().collect();
    assert_eq!(timing.tracks, Some(tracks.len() as u32));
    for (number, value) in listed(&what, expected.take("tracks"), tracks.len()) {
        compare_track(&what, &value, &tracks[number]);
    }
    expected.done();
}

fn compare_animation_facts(what: String, value: &Value, animation: &Animation<'_>) {
    let mut expected = Reference::new(what.clone(), value);
    expected.same("name", text(animation.name().unwrap()));
    let timing = animation.timing().unwrap();
    assert_eq!(decimal(&mut expected, "duration"), timing.duration, "{what}");
    assert_eq!(decimal(&mut expected, "dtime"), timing.dtime, "{what}");
    assert_eq!(count(&mut expected, "framecount"), timing.frames, "{what}");
    let tracks: Vec<Track<'_>> = animation.tracks().collect();
    expected.same("tracks", tracks.len());
    let [first, last] = [&tracks[0], &tracks[tracks.len() - 1]];
    let keys = [first.keys().unwrap(), last.keys().unwrap()];
    let width = if keys[0].has_scale() { 10 } else { 7 };
    let floats_per_key = expected.take("floats_per_key");
    assert!(floats_per_key.is_none_or(|number| number == width), "{what}");
    for (track, names) in [(first, "first_track"), (last, "last_track")] {
        if expected.left.contains_key(names) {
            expected.same(names, text(track.name().unwrap()));
        }
    }
    same_floats(&mut expected, "first_key", &flat_key(&keys[0].get(0).unwrap(), keys[0].has_scale()));
    let last = keys[1].get(keys[1].len() - 1).unwrap();
    same_floats(&mut expected, "last_key", &flat_key(&last, keys[1].has_scale()));
    expected.done();
}

fn compare_materials(expected: &mut Reference, view: &View<'_>) {
    let materials: Vec<_> = view.materials().collect();
    let value = expected.take("materials");
    // The `facts` part lists only the first four materials, and stores their total count
    // separately.
    let is_cut = expected.left.contains_key("material_count");
    let count = if is_cut { materials.len().min(4) } else { materials.len() };
    for (number, value) in listed(&expected.what.clone(), value, count) {
        let found = [materials[number].name().unwrap(), materials[number].meta_data().unwrap()].map(text);
        if value.is_array() {
            assert_eq!(value, json!(found), "{} material {number}", expected.what);
            continue;
        }
        let mut one = Reference::new(format!("{} material {number}", expected.what), &value);
        let [name, meta_data] = found;
        one.same("name", name);
        one.same("meta_data", meta_data.clone());
        one.done();
        let decoded = materials[number].decoded_meta_data().unwrap();
        assert_eq!(decoded, meta_data.replace("%20", " "));
    }
}

/// Returns all vertex buffers in file order.
fn vertex_buffers<'a>(view: &View<'a>) -> Vec<VertexBuffer<'a>> {
    let mut all = Vec::new();
    for mesh in view.meshes() {
        all.extend(mesh.vertex_buffer().unwrap());
        all.extend(mesh.sections().filter(Section::has_own_vertices).map(|section| section.vertex_buffer().unwrap()));
    }
    all
}

fn index_buffers<'a>(view: &View<'a>) -> Vec<IndexBuffer<'a>> {
    view.sections().filter_map(|section| section.index_buffer().unwrap()).collect()
}

fn all_tracks<'a>(view: &View<'a>) -> Vec<Track<'a>> {
    view.animations().flat_map(|animation| animation.tracks().collect::<Vec<_>>()).collect()
}

/// Compares the total counts of all kinds of elements.
fn compare_totals(expected: &mut Reference, view: &View<'_>) {
    let mut totals = Reference::new(format!("{} totals", expected.what), &expected.take("totals").unwrap());
    let tracks = all_tracks(view);
    totals.same("meshes", view.meshes().len());
    totals.same("sections", view.sections().len());
    totals.same("vertices", vertex_buffers(view).iter().map(|all| u64::from(all.count())).sum::<u64>());
    totals.same("triangles", index_buffers(view).iter().map(|all| u64::from(all.triangle_count())).sum::<u64>());
    totals.same("bones", view.bone_count());
    totals.same("tracks", tracks.len());
    totals.same("materials", view.materials().len());
    if totals.left.contains_key("skeletons") {
        totals.same("skeletons", view.skeletons().len());
        totals.same("animations", view.animations().len());
        totals.same("keyframes", tracks.iter().map(|track| track.frame_count().unwrap()).sum::<u32>());
    }
    totals.done();
}

/// Compares how often each element and attribute occurs in the file, if the reader exposes it.
fn compare_tags(expected: &mut Reference, system: &Mesh<Vec<u8>>) {
    let view = system.view();
    let own = view.sections().filter_map(|section| section.declared_bounds().unwrap()).count();
    let shared = view.meshes().filter_map(|mesh| mesh.declared_bounds().unwrap()).count();
    let boxes = own + shared + usize::from(view.declared_bounds().unwrap().is_some());
    let roots = match system.dialect().unwrap() {
        Dialect::MeshSystem => [1, 0],
        Dialect::SceneGraph => [0, 1],
        Dialect::Mesh => [0, 0],
    };
    let tracks = all_tracks(&view);
    let mut tags = Reference::new(format!("{} tags", expected.what), &expected.take("tags").unwrap());
    for (name, count) in [
        ("MeshSystem", roots[0]),
        ("SceneGraph", roots[1]),
        ("MeshAABB", boxes),
        ("Skeleton", view.skeletons().len()),
        ("Bone", view.bone_count()),
        ("Animation", view.animations().len()),
        ("AnimTrack", tracks.len()),
        ("Material", view.materials().len()),
        ("Mesh", view.meshes().len()),
        ("MeshSection", view.sections().len()),
        ("vertexbuffer", vertex_buffers(&view).len()),
        ("indexbuffer", index_buffers(&view).len()),
        ("TetraMesh", view.tetra_meshes().len()),
    ] {
        tags.same_if_any(name, (count > 0).then_some(count));
    }
    // The reader skips the elements that only enclose lists.
    drop_all(&mut tags, &["Skeletons", "Animations", "Materials", "Meshes"]);
    tags.done();
    let attributes = expected.take("attrs").unwrap();
    let has = |element: &str, name: &str| attributes[element][name].as_u64().unwrap_or_default() as usize;
    let parents = (0..view.bone_count()).filter(|bone| view.bone(*bone).unwrap().parent >= 0).count();
    assert_eq!(has("Bone", "parent"), parents, "{}", expected.what);
    let scales = tracks.iter().filter(|track| track.has_scale().unwrap().is_some()).count();
    assert_eq!(has("AnimTrack", "has_scale"), scales, "{}", expected.what);
    let repeated = view.sections().filter(|section| section.repeated_types().unwrap()[1].is_some()).count();
    assert_eq!(has("MeshSection", "semantic"), repeated, "{}", expected.what);
    let infos = view.sections().filter(|section| section.info().unwrap().is_some()).count();
    assert_eq!(has("MeshSection", "info"), infos, "{}", expected.what);
    let named: usize = ["triangle_count", "count", "trianglecount"].map(|name| has("indexbuffer", name)).iter().sum();
    assert_eq!(named, index_buffers(&view).len(), "{}", expected.what);
}

/// Compares the histogram of columns and the statistics of all numbers.
fn compare_numbers(expected: &mut Reference, view: &View<'_>) {
    let mut groups = BTreeMap::new();
    let [mut all, mut floats, mut negative_zeros] = [0_usize; 3];
    let mut see = |float: f32| {
        floats += 1;
        negative_zeros += usize::from(float.to_bits() == 1 << 31);
    };
    for buffer in vertex_buffers(view) {
        for column in buffer.format().columns() {
            let types: String = buffer.format().scalars(column).iter().map(|scalar| scalar.code()).collect();
            *groups.entry(format!("{}:{types}", buffer.word(column))).or_insert(0) += 1;
        }
        for cell in all_values(&buffer) {
            all += 1;
            if let VertexValue::Float(float) = cell {
                see(float);
            }
        }
    }
    for track in all_tracks(view) {
        let keys = key_floats(&track);
        all += keys.len();
        keys.into_iter().for_each(&mut see);
    }
    // The reference does not count the indices of tetrahedra here.
    all += index_buffers(view).iter().map(IndexBuffer::index_count).sum::<usize>();
    expected.same("semantics", json!(groups));
    let mut numbers = Reference::new(format!("{} numbers", expected.what), &expected.take("numbers").unwrap());
    numbers.same("tokens", all);
    numbers.same("float_tokens", floats);
    numbers.same("negzero", negative_zeros);
    // These four counts are 0 in all real files. The remaining keys describe the encoding of the
    // text.
    for none in ["exp", "special", "plus", "double_round_diff"] {
        numbers.same(none, 0);
    }
    drop_all(&mut numbers, &["maxlen", "maxdec", "double_round_examples", "unique_float_tokens"]);
    numbers.done();
}

/// Counts the triangles that are counter-clockwise when seen from the direction of their normals,
/// and the others.
fn windings(view: &View<'_>) -> [usize; 2] {
    let mut counts = [0; 2];
    for section in view.sections() {
        let vertices = section.vertex_buffer().unwrap();
        let vertices = vertices.vertices().unwrap();
        let (positions, normals) = (vertices.positions().unwrap(), vertices.normals().unwrap());
        let indices: Vec<u32> = section.index_buffer().unwrap().unwrap().indices().unwrap().iter().collect();
        for corners in indices.chunks_exact(3) {
            let [a, b, c] = [0, 1, 2].map(|corner| wide(positions.get(corners[corner] as usize).unwrap()));
            let normals = [0, 1, 2].map(|corner| wide(normals.get(corners[corner] as usize).unwrap()));
            let [u, v] = [[b, a], [c, a]].map(|[to, from]| [0, 1, 2].map(|axis| to[axis] - from[axis]));
            let cross = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
            let dot: f64 = (0..3).map(|axis| cross[axis] * normals.iter().map(|one| one[axis]).sum::<f64>()).sum();
            counts[0] += usize::from(dot > 0.0);
            counts[1] += usize::from(dot < 0.0);
        }
    }
    counts
}

/// Compares the `facts` part of the reference of a text file.
fn compare_facts(expected: &mut Reference, system: &Mesh<Vec<u8>>) {
    let mut facts = Reference::new(format!("{} facts", expected.what), &expected.take("facts").unwrap());
    let (bytes, view) = (system.data(), system.view());
    facts.same("bytes", bytes.len());
    facts.same("root", root(system.dialect().unwrap()));
    let blanks = bytes.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    facts.same("leading_spaces", blanks);
    facts.same("xml_declaration", bytes[blanks..].starts_with(b"<?xml"));
    compare_lists(&mut facts, &view, true);
    facts.same("material_count", view.materials().len());
    compare_totals(&mut facts, &view);
    drop_all(&mut facts, &["file", "sha256", "eol", "comments", "anomalies"]);
    facts.done();
}

/// Compares the meshes, skeletons, animations and materials in the `facts` part.
fn compare_lists(facts: &mut Reference, view: &View<'_>, is_text: bool) {
    let what = facts.what.clone();
    let meshes: Vec<MeshElement<'_>> = view.meshes().collect();
    for (number, value) in listed(&what, facts.take("meshes"), meshes.len()) {
        let what = format!("{what} mesh {number}");
        if is_text {
            compare_mesh_facts(what, &value, &meshes[number], view);
        } else {
            compare_binary_mesh_facts(what, &value, &meshes[number]);
        }
    }
    for (number, value) in listed(&what, facts.take("skeletons"), view.skeletons().len()) {
        let skeleton = view.skeletons().nth(number).unwrap();
        let mut one = Reference::new(format!("{what} skeleton {number}"), &value);
        one.same("name", text(skeleton.name().unwrap()));
        let bones: Vec<Bone<'_>> = skeleton.bones().map(Result::unwrap).collect();
        one.same("bones", bones.len());
        for (key, bone) in [("first", &bones[0]), ("last", &bones[bones.len() - 1])] {
            compare_bone(format!("{} {key}", one.what), &one.take(key).unwrap(), bone, view);
        }
        one.done();
    }
    let animations: Vec<Animation<'_>> = view.animations().collect();
    for (number, value) in listed(&what, facts.take("animations"), animations.len()) {
        compare_animation_facts(format!("{what} animation {number}"), &value, &animations[number]);
    }
    compare_materials(facts, view);
}

const fn root(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::MeshSystem => "MeshSystem",
        Dialect::Mesh => "Mesh",
        Dialect::SceneGraph => "SceneGraph",
    }
}

fn compare_root(expected: &mut Reference, system: &Mesh<Vec<u8>>) {
    let (dialect, view) = (system.dialect().unwrap(), system.view());
    expected.same("root", root(dialect));
    assert_eq!(system.version(), format!("ezm {}", root(dialect)));
    let mut attributes = Reference::new(format!("{} root", expected.what), &expected.take("root_attrs").unwrap());
    match dialect {
        Dialect::MeshSystem => {
            attributes.same("asset_name", text(view.asset_name().unwrap()));
            attributes.same("asset_info", text(view.asset_info().unwrap()));
            let versions = view.versions().unwrap().map(|version| version.unwrap().to_string());
            let [format, asset] = versions;
            attributes.same("mesh_system_version", format);
            attributes.same("mesh_system_asset_version", asset);
        }
        _ => {
            attributes.same("name", text(view.asset_name().unwrap()));
            assert!(view.asset_info().unwrap().as_bytes().is_empty() && view.versions().unwrap() == [None; 2]);
        }
    }
    attributes.done();
}

fn compare_text(expected: &mut Reference, system: &Mesh<Vec<u8>>) {
    let (bytes, view) = (system.data(), system.view());
    let what = expected.what.clone();
    expected.same("bom", bytes.starts_with(b"\xef\xbb\xbf"));
    expected.same("leading_ws", bytes[0].is_ascii_whitespace());
    expected.same("xml_decl", bytes.trim_ascii_start().starts_with(b"<?xml"));
    expected.same("non_ascii_bytes", bytes.iter().filter(|byte| !byte.is_ascii()).count());
    compare_root(expected, system);
    compare_tags(expected, system);
    compare_numbers(expected, &view);
    compare_totals(expected, &view);
    let mut winding = Reference::new(format!("{what} winding"), &expected.take("winding").unwrap());
    let [counter, clockwise] = windings(&view);
    winding.same("ccw_agrees_with_normals", counter);
    winding.same("cw", clockwise);
    winding.done();
    let meshes: Vec<MeshElement<'_>> = view.meshes().collect();
    for (number, value) in listed(&what, expected.take("meshes"), meshes.len()) {
        compare_mesh(format!("{what} mesh {number}"), &value, &meshes[number]);
    }
    compare_skeletons_and_animations(expected, &view);
    compare_materials(expected, &view);
    // The reference reports exactly the one bounding box that is wrong.
    let differs = view.meshes().any(|mesh| {
        let found = mesh.vertex_buffer().unwrap().map(|all| all.vertices().unwrap().positions().unwrap().bounds());
        let close = |one: Bounds, other: Bounds| {
            [one.min, one.max]
                .concat()
                .iter()
                .zip([other.min, other.max].concat())
                .all(|(one, other)| (one - other).abs() < 1e-3)
        };
        mesh.declared_bounds().unwrap().zip(found).is_some_and(|(said, found)| !close(said, found))
    });
    let told = expected.left["discrepancies"].as_array().unwrap().len();
    assert_eq!(usize::from(differs), told, "{what}");
    drop_all(expected, &OF_THE_SPELLING);
    compare_facts(expected, system);
}

fn compare_skeletons_and_animations(expected: &mut Reference, view: &View<'_>) {
    let what = expected.what.clone();
    let skeletons: Vec<Skeleton<'_>> = view.skeletons().collect();
    for (number, value) in listed(&what, expected.take("skeletons"), skeletons.len()) {
        compare_skeleton(format!("{what} skeleton {number}"), &value, &skeletons[number], view);
    }
    let animations: Vec<Animation<'_>> = view.animations().collect();
    for (number, value) in listed(&what, expected.take("animations"), animations.len()) {
        compare_animation(format!("{what} animation {number}"), &value, &animations[number]);
    }
}

/// Returns all numbers of a vertex of a binary file in the order of the reference.
///
/// The reference stores weights before bones.
fn flat_vertex(buffer: &VertexBuffer<'_>, vertex: usize) -> Vec<f32> {
    let mut columns: Vec<Column> = buffer.format().columns().to_vec();
    if let Some(bones) = columns.iter().position(|column| column.semantic == Semantic::BlendIndices) {
        columns.swap(bones, bones + 1);
    }
    columns.iter().flat_map(|column| flat(&cells(buffer, column, vertex).into())).collect()
}

/// Returns the reference's words for the columns of a binary file's vertices.
fn words(buffer: &VertexBuffer<'_>) -> Vec<String> {
    let columns = buffer.format().columns().iter().filter(|column| column.semantic != Semantic::BlendWeights);
    columns
        .map(|column| match column.semantic {
            Semantic::BlendIndices => "bone".to_owned(),
            _ => text(buffer.word(column)),
        })
        .collect()
}

fn compare_binary_mesh(what: &str, value: &Value, mesh: &MeshElement<'_>) {
    let mut expected = Reference::new(what.to_owned(), value);
    expected.same("name", text(mesh.name().unwrap()));
    expected.same("skeleton", text(mesh.skeleton_name().unwrap()));
    let bounds = mesh.declared_bounds().unwrap().unwrap();
    same_floats(&mut expected, "aabb", &[bounds.min, bounds.max].concat());
    let buffer = mesh.vertex_buffer().unwrap().unwrap();
    expected.same("semantics", words(&buffer));
    expected.same("vertices", buffer.count());
    for (key, start) in [("first2", 0), ("last2", buffer.count() as usize - 2)] {
        for (number, value) in listed(what, expected.take(key), 2) {
            assert_eq!(bits(&flat(&value)), bits(&flat_vertex(&buffer, start + number)), "{what} {key}");
        }
    }
    let sections: Vec<Section<'_>> = mesh.sections().collect();
    assert_eq!(mesh.declared_section_count().unwrap(), Some(sections.len() as u32));
    for (number, value) in listed(what, expected.take("subs"), sections.len()) {
        let mut one = Reference::new(format!("{what} section {number}"), &value);
        let triangles = sections[number].index_buffer().unwrap().unwrap();
        one.same("material", text(sections[number].material_name().unwrap()));
        one.same("tris", triangles.triangle_count());
        one.same("flags", sections[number].flags().unwrap());
        one.same("first6", triangles.indices().unwrap().iter().take(6).collect::<Vec<_>>());
        one.done();
    }
    expected.done();
}

fn compare_binary_mesh_facts(what: String, value: &Value, mesh: &MeshElement<'_>) {
    let mut expected = Reference::new(what.clone(), value);
    expected.same("name", text(mesh.name().unwrap()));
    expected.same("skeleton", text(mesh.skeleton_name().unwrap()));
    let buffer = mesh.vertex_buffer().unwrap().unwrap();
    let sections: Vec<Section<'_>> = mesh.sections().collect();
    expected.same_if_any("flags", sections[0].flags().unwrap());
    expected.same("semantics", words(&buffer));
    expected.same("vertices", buffer.count());
    same_floats(&mut expected, "first_vertex", &flat_vertex(&buffer, 0));
    same_floats(&mut expected, "last_vertex", &flat_vertex(&buffer, buffer.count() as usize - 1));
    let positions = buffer.vertices().unwrap().positions().unwrap();
    let bounds = positions.bounds();
    expected.floats_nested("bbox", &[bounds.min, bounds.max].concat());
    same_sum(&mut expected, &positions);
    let declared = mesh.declared_bounds().unwrap().unwrap();
    same_floats(&mut expected, "declared_aabb", &[declared.min, declared.max].concat());
    for (number, value) in listed(&what, expected.take("sections"), sections.len()) {
        compare_section_facts(format!("{what} section {number}"), &value, &sections[number]);
    }
    expected.done();
}

fn compare_binary(expected: &mut Reference, system: &Mesh<Vec<u8>>) {
    let (bytes, view) = (system.data(), system.view());
    let Form::Binary { order, version } = system.form() else { panic!("{}", expected.what) };
    let endian = if order == meshpeek::decode::ByteOrder::Little { "little" } else { "big" };
    expected.same("endian", endian);
    expected.same("version", version);
    assert_eq!(system.version(), format!("ezb {version}"));
    expected.same("asset_name", text(view.asset_name().unwrap()));
    expected.same("asset_info", text(view.asset_info().unwrap()));
    let bounds = view.declared_bounds().unwrap().unwrap();
    same_floats(expected, "aabb", &[bounds.min, bounds.max].concat());
    compare_skeletons_and_animations(expected, &view);
    compare_materials(expected, &view);
    let meshes: Vec<MeshElement<'_>> = view.meshes().collect();
    for (number, value) in listed(&expected.what.clone(), expected.take("meshes"), meshes.len()) {
        compare_binary_mesh(&format!("{} mesh {number}", expected.what), &value, &meshes[number]);
    }
    let mut facts = Reference::new(format!("{} facts", expected.what), &expected.take("facts").unwrap());
    facts.same("bytes", bytes.len());
    facts.same("ezb_version", version);
    facts.same("endian", endian);
    facts.same("asset_name", text(view.asset_name().unwrap()));
    // The plane is the last field of the file.
    let plane = view.plane().unwrap().unwrap();
    let last: Vec<u32> = bytes[bytes.len() - 16..]
        .as_chunks::<4>()
        .0
        .iter()
        .map(|word| order.u32(meshpeek::decode::endian::RawWord(*word)))
        .collect();
    assert_eq!(bits(&plane), last, "{}", expected.what);
    facts.same("bytes_after_collision_count", 16);
    expected.same("leftover", 0);
    compare_lists(&mut facts, &view, false);
    facts.same("instances", view.instances().len());
    facts.same("collisions", view.collisions().len());
    drop_all(&mut facts, &["file", "sha256", "anomalies"]);
    facts.done();
}

#[test]
fn real_files_are_what_the_reference_says() {
    let Some((folder, files)) = meshes() else { return };
    for path in &files {
        let name = file_name(path);
        let system = Mesh::open(std::fs::read(path).unwrap()).unwrap();
        let mut expected = Reference::new(name.clone(), &reference(&folder, &name));
        expected.same("file", name);
        expected.same("size", system.data().len());
        expected.same("sha256", hex(&Sha256::digest(system.data())));
        match system.dialect() {
            Some(_) => compare_text(&mut expected, &system),
            None => compare_binary(&mut expected, &system),
        }
        expected.done();
    }
    eprintln!("{} files", files.len());
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn a_picture_is_told_to_be_one() {
    let Some((folder, _)) = ours() else { return };
    let bytes = std::fs::read(folder.join(PICTURE)).unwrap();
    assert_eq!(reference(&folder, PICTURE)["facts"]["not_ezm"], "PNG");
    let error = Mesh::open(&bytes[..]).unwrap_err();
    assert_eq!((error.offset(), error.kind().id()), (Some(0), "unsupported"));
    assert!(error.to_string().contains("a PNG image"), "{error}");
    assert!(!meshpeek::ezmesh::is_known(&bytes));
}

/// The simplest possible reader of numbers.
///
/// It removes markup and splits the rest at blanks and commas.
mod naive {
    /// Returns the tokens of every element with a given name, in file order.
    pub fn blocks(text: &str, element: &str) -> Vec<Vec<String>> {
        let text = without(&without(text, "<!--", "-->"), "<?", "?>").replace("<![CDATA[", "").replace("]]>", "");
        let mut blocks = Vec::new();
        for piece in text.split('<').skip(1) {
            let name: String = piece.chars().take_while(char::is_ascii_alphabetic).collect();
            if !name.eq_ignore_ascii_case(element) {
                continue;
            }
            let mut quoted = false;
            let end = piece.find(|byte| {
                quoted ^= byte == '"';
                byte == '>' && !quoted
            });
            let data = &piece[end.unwrap() + 1..];
            let tokens = data.split([' ', '\t', '\r', '\n', ',']).filter(|token| !token.is_empty());
            blocks.push(tokens.map(str::to_owned).collect());
        }
        blocks
    }

    fn without(text: &str, open: &str, close: &str) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(open) {
            out.push_str(&rest[..at]);
            rest = &rest[at + rest[at..].find(close).unwrap() + close.len()..];
        }
        out + rest
    }

    pub fn float(token: &str) -> u32 {
        match token.split_once('$') {
            Some((_, bits)) => u32::from_str_radix(bits, 16).unwrap(),
            None => token.parse::<f32>().unwrap().to_bits(),
        }
    }
}

/// Compares the vertices of a text, read in every way, with the result of the naive reader.
fn same_vertices(what: &str, buffer: &VertexBuffer<'_>, tokens: Option<&Vec<String>>) {
    let (layout, rows) = (buffer.format(), buffer.count() as usize);
    let width = layout.all_scalars().len();
    let seen = all_values(buffer);
    assert_eq!(seen.len(), rows * width, "{what}");
    if let Some(tokens) = tokens {
        assert!(tokens.len() >= seen.len(), "{what}");
        for (token, cell) in tokens.iter().zip(&seen) {
            match cell {
                VertexValue::Float(float) => assert_eq!(naive::float(token), float.to_bits(), "{what}: {token}"),
                VertexValue::Integer(number) => assert_eq!(token.parse(), Ok(*number), "{what}"),
                VertexValue::Hex(number) => assert_eq!(u32::from_str_radix(token, 16), Ok(*number), "{what}"),
                other => panic!("{what}: {other:?}"),
            }
        }
    }
}

/// Returns the values of all vertices.
fn all_values<'a>(buffer: &VertexBuffer<'a>) -> Vec<VertexValue<'a>> {
    let vertices = buffer.vertices().unwrap();
    (0..vertices.len()).flat_map(|vertex| vertices.values(vertex).collect::<Vec<_>>()).collect()
}

/// Returns the floats of all keys of a track.
fn key_floats(track: &Track<'_>) -> Vec<f32> {
    let keys = track.keys().unwrap();
    keys.iter().flat_map(|key| flat_key(&key, keys.has_scale())).collect()
}

fn same_triangles(what: &str, triangles: &IndexBuffer<'_>, tokens: Option<&Vec<String>>) {
    let indices = triangles.indices().unwrap();
    let mut decoded = vec![0; triangles.index_count()];
    indices.decode_into(&mut decoded).unwrap();
    assert!(indices.iter().eq(decoded.iter().copied()), "{what}");
    if let Some(tokens) = tokens {
        let naive: Vec<u32> = tokens.iter().map(|token| token.parse().unwrap()).collect();
        assert_eq!(decoded, naive[..decoded.len()], "{what}");
    }
}

fn same_keys(what: &str, track: &Track<'_>, tokens: Option<&Vec<String>>) {
    if let Some(tokens) = tokens {
        let naive: Vec<u32> = tokens.iter().map(|token| naive::float(token)).collect();
        assert_eq!(bits(&key_floats(track)), naive, "{what}");
    }
}

/// Reads a file in every available way and compares the results with the naive reader.
fn same_all_ways(what: &str, bytes: &[u8]) {
    let system = open(bytes);
    let view = system.view();
    let naive = system.dialect().map(|_| {
        let text = std::str::from_utf8(bytes).unwrap();
        ["vertexbuffer", "indexbuffer", "AnimTrack", "TetraMesh"].map(|element| naive::blocks(text, element))
    });
    let of = |kind: usize, number: usize| naive.as_ref().map(|all| &all[kind][number]);
    for (number, buffer) in vertex_buffers(&view).iter().enumerate() {
        same_vertices(&format!("{what} vertices {number}"), buffer, of(0, number));
    }
    for (number, triangles) in index_buffers(&view).iter().enumerate() {
        same_triangles(&format!("{what} triangles {number}"), triangles, of(1, number));
    }
    for (number, track) in all_tracks(&view).iter().enumerate() {
        same_keys(&format!("{what} track {number}"), track, of(2, number));
    }
    for (number, tetra) in view.tetra_meshes().enumerate() {
        let corners: Vec<f32> = tetra.corners().unwrap().iter().flatten().collect();
        let naive: Vec<u32> = of(3, number).unwrap().iter().map(|token| naive::float(token)).collect();
        assert_eq!(bits(&corners), naive, "{what} tetra {number}");
    }
    for (surface, section) in Surface::all(&system).unwrap().zip(view.sections()) {
        let vertices = section.vertex_buffer().unwrap().vertices().unwrap();
        let same = |one: &[u8], other: &[u8]| assert_eq!(one, other, "{what}");
        same(surface.positions().unwrap().as_bytes(), vertices.positions().unwrap().as_bytes());
        same(surface.normals().unwrap().unwrap().as_bytes(), vertices.normals().unwrap().as_bytes());
        for set in 0..4 {
            assert_eq!(surface.uvs(set).unwrap().map(|all| all.len()), vertices.uvs(set).map(|all| all.len()));
        }
        let corners = surface.corners().unwrap();
        let indices = section.index_buffer().unwrap().unwrap().indices().unwrap();
        assert!(corners.iter().map(|Corner { position, .. }| position).eq(indices.iter()), "{what}");
    }
}

#[test]
fn every_way_of_reading_gives_the_same() {
    let Some((_, files)) = meshes() else { return };
    for path in &files {
        same_all_ways(&file_name(path), &std::fs::read(path).unwrap());
    }
}

#[test]
fn strict_reading_accepts_all_real_files() {
    let Some((_, files)) = meshes() else { return };
    for path in &files {
        let bytes = std::fs::read(path).unwrap();
        let system = Mesh::open_with(&bytes[..], &OpenOptions::default().with_strict(true)).unwrap();
        for surface in Surface::all(&system).unwrap() {
            surface.positions().unwrap();
            surface.indices().unwrap();
        }
        let mut pose = vec![Transform::default(); system.bone_count().unwrap()];
        for clip in 0..system.clip_count().unwrap() {
            let frames = system.clip(clip).unwrap().frames as usize;
            system.pose(clip, frames - 1, &mut pose).unwrap();
        }
        for tetra in system.view().tetra_meshes() {
            tetra.corners().unwrap();
        }
    }
}

/// Largest difference between the binary file and the text made from it.
///
/// The text has nine decimals, so a printed number is off by at most half a unit of the ninth
/// decimal.
const NINE_DECIMALS: f64 = 5e-10;

fn close(what: &str, binary: &[f32], text: &[f32]) {
    assert_eq!(binary.len(), text.len(), "{what}");
    for (binary, text) in binary.iter().zip(text) {
        let off = (f64::from(*binary) - f64::from(*text)).abs();
        assert!(off <= NINE_DECIMALS, "{what}: {binary} became {text}");
    }
}

#[test]
fn text_and_binary_twins_are_alike() {
    let Some((folder, _)) = ours() else { return };
    let [binary, text] = ["ezb_deer_bound.ezb", "derived/deer_bound.from_ezb.ezm"]
        .map(|name| Mesh::open(std::fs::read(folder.join(name)).unwrap()).unwrap());
    let [one, other] = [binary.view(), text.view()];
    assert_eq!(one.asset_name().unwrap(), other.asset_name().unwrap());
    assert_eq!(one.asset_info().unwrap(), other.asset_info().unwrap());
    assert_eq!(one.versions().unwrap(), other.versions().unwrap());
    let flat_transform = |transform: &Transform| flat_key(transform, true);
    assert_eq!(one.bone_count(), other.bone_count());
    for bone in 0..one.bone_count() {
        let [one, other] = [one.bone(bone).unwrap(), other.bone(bone).unwrap()];
        assert_eq!((one.name, one.parent), (other.name, other.parent));
        close("bone", &flat_transform(&one.bind), &flat_transform(&other.bind));
    }
    let tracks = [all_tracks(&one), all_tracks(&other)];
    assert_eq!((tracks[0].len(), tracks[1].len()), (50, 50));
    for (one, other) in tracks[0].iter().zip(&tracks[1]) {
        assert_eq!(one.name().unwrap(), other.name().unwrap());
        let floats = [one, other].map(key_floats);
        close("track", &floats[0], &floats[1]);
    }
    for (one, other) in one.materials().zip(other.materials()) {
        assert_eq!(
            (one.name().unwrap(), one.meta_data().unwrap()),
            (other.name().unwrap(), other.meta_data().unwrap())
        );
    }
    let [first, second] = [vertex_buffers(&one), vertex_buffers(&other)].map(|all| all[0]);
    assert_eq!((first.count(), second.count()), (855, 855));
    let [first, second] = [first.vertices().unwrap(), second.vertices().unwrap()];
    close_arrays("positions", &first.positions().unwrap(), &second.positions().unwrap());
    let [a, b] = [first.normals().unwrap(), second.normals().unwrap()];
    for vertex in 0..855 {
        close("normal", &a.get(vertex).unwrap(), &b.get(vertex).unwrap());
        for set in 0..2 {
            let [a, b] = [&first, &second].map(|all| all.uvs(set).unwrap().get(vertex).unwrap());
            close("uv", &a, &b);
        }
        let [a, b] = [&first, &second].map(|all| {
            let (bones, weights) = all.lanes().unwrap();
            (bones.get(vertex).unwrap(), weights.get(vertex).unwrap())
        });
        assert_eq!(a.0, b.0, "bones of vertex {vertex}");
        close("weights", &a.1, &b.1);
    }
    let [a, b] = [index_buffers(&one), index_buffers(&other)].map(|all| all[0].indices().unwrap());
    assert!(a.iter().eq(b.iter()));
    // The neutral views are equal as well.
    assert_eq!(binary.surface_count().unwrap(), text.surface_count().unwrap());
    let frames = binary.clip(0).unwrap().frames;
    assert_eq!((frames, text.clip(0).unwrap().frames), (41, 41));
    for frame in 0..41 {
        let mut poses = [vec![Transform::default(); 50], vec![Transform::default(); 50]];
        binary.pose(0, frame, &mut poses[0]).unwrap();
        text.pose(0, frame, &mut poses[1]).unwrap();
        for (one, other) in poses[0].iter().zip(&poses[1]) {
            close("pose", &flat_transform(one), &flat_transform(other));
        }
    }
}

fn close_arrays(what: &str, one: &meshpeek::model::Positions<'_>, other: &meshpeek::model::Positions<'_>) {
    assert_eq!(one.len(), other.len());
    for item in 0..one.len() {
        close(what, &one.get(item).unwrap(), &other.get(item).unwrap());
    }
}

/// Returns the probes: name, content, and the behaviour that is expected of a good reader.
fn cases() -> Vec<(String, Vec<u8>, String)> {
    let Some(folder) = corpus("ezmesh") else { return Vec::new() };
    let folder = folder.join("cases");
    let table = std::fs::read_to_string(folder.join("RESULTS.tsv")).unwrap();
    let rows = table.lines().skip(1).map(|line| {
        let cells: Vec<&str> = line.split('\t').collect();
        (cells[0].to_owned(), std::fs::read(folder.join(cells[0])).unwrap(), cells[3].to_owned())
    });
    rows.collect()
}

/// Returns the probes with the given numbers.
fn probes(numbers: &[&str]) -> Vec<(String, Vec<u8>, String)> {
    let mut all = cases();
    all.retain(|(name, ..)| numbers.iter().any(|number| name.starts_with(number)));
    assert!(all.is_empty() || all.len() == numbers.len());
    all
}

/// Returns all content of a probe as text, without the details of its encoding that may differ
/// between files.
fn told(system: &Mesh<&[u8]>) -> BTreeMap<String, String> {
    let view = system.view();
    let mut all = BTreeMap::new();
    let mut put = |name: String, value: String| assert!(all.insert(name, value).is_none());
    put("system".into(), format!("{:?} {:?} {:?}", view.asset_name(), view.asset_info(), view.versions()));
    put("box".into(), format!("{:?}", view.declared_bounds()));
    for bone in 0..view.bone_count() {
        put(format!("bone {bone}"), format!("{:?}", view.bone(bone).unwrap()));
    }
    for (number, skeleton) in view.skeletons().enumerate() {
        put(format!("skeleton {number}"), format!("{:?}", (skeleton.name(), skeleton.bone_range())));
    }
    for (number, animation) in view.animations().enumerate() {
        put(format!("animation {number}"), format!("{:?}", (animation.name(), animation.timing())));
    }
    for (number, track) in all_tracks(&view).iter().enumerate() {
        let keys: Vec<Transform> = track.keys().unwrap().iter().collect();
        put(format!("track {number}"), format!("{:?} {keys:?}", (track.name(), track.has_scale())));
    }
    for (number, material) in view.materials().enumerate() {
        put(format!("material {number}"), format!("{:?}", (material.name(), material.meta_data())));
    }
    for (number, mesh) in view.meshes().enumerate() {
        let said = (mesh.skeleton_name(), mesh.declared_bounds(), mesh.section_range());
        put(format!("mesh {number}"), format!("{said:?}"));
        put(format!("mesh {number} name"), format!("{:?}", mesh.name()));
    }
    for (number, buffer) in vertex_buffers(&view).iter().enumerate() {
        let rows = buffer.vertices().map(|all| {
            let rows = (0..all.len()).map(|vertex| format!("{:?}", all.values(vertex).collect::<Vec<_>>()));
            rows.collect::<Vec<_>>()
        });
        let format = buffer.format();
        let columns: Vec<_> =
            format.columns().iter().map(|column| (column.semantic, format.scalars(column).to_vec())).collect();
        put(format!("layout {number}"), format!("{columns:?}"));
        put(format!("vertices {number}"), format!("{:?}", rows.map_err(|error| error.kind().id())));
    }
    for (number, section) in view.sections().enumerate() {
        put(format!("section {number}"), format!("{:?}", (section.material_name(), section.declared_bounds())));
        let indices = section.index_buffer().unwrap().unwrap().indices();
        let indices = indices.map(|all| all.iter().collect::<Vec<_>>()).map_err(|error| error.kind().id());
        put(format!("triangles {number}"), format!("{indices:?}"));
    }
    all
}

/// Returns the differences between a probe and the valid file, in both directions.
fn differences(bytes: &[u8]) -> Vec<String> {
    let base = std::fs::read(corpus("ezmesh").unwrap().join("cases/00base.ezm")).unwrap();
    let [base, found] = [told(&open(&base)), told(&open(bytes))];
    let names: std::collections::BTreeSet<&String> = base.keys().chain(found.keys()).collect();
    names.into_iter().filter(|name| base.get(*name) != found.get(*name)).cloned().collect()
}

/// The numbers of the probes whose content equals that of the valid file.
const ALIKE: [&str; 23] = [
    "00", "01", "02", "03", "04", "05", "06", "07", "09", "12", "13", "15", "16", "17", "18", "19", "20", "21", "22",
    "23", "25", "26", "27",
];

#[test]
fn probes_that_differ_in_spelling_only_read_the_same() {
    for (name, bytes, advice) in probes(&ALIKE) {
        assert_eq!(differences(&bytes), [""; 0], "{name}: {advice}");
        let strict = Mesh::open_with(&bytes[..], &OpenOptions::default().with_strict(true)).unwrap();
        assert!(
            strict.bounds().unwrap() == open(&bytes).bounds().unwrap() && strict.indices(0).unwrap().len() == 3,
            "{name}"
        );
        if name != "07single_quotes.ezm" {
            same_all_ways(&name, &bytes);
        }
    }
}

#[test]
fn probes_with_another_name_differ_in_that() {
    for (name, bytes, _) in probes(&["08", "34"]) {
        assert_eq!(differences(&bytes), ["mesh 0 name"], "{name}");
        let system = open(&bytes);
        let mesh = system.mesh(0).unwrap().name().unwrap();
        let (raw, decoded) = if name.starts_with("08") { ("A &amp; B", "A & B") } else { ("C:/a/b>c", "C:/a/b>c") };
        assert_eq!((mesh.as_bytes(), unescape(mesh)), (raw.as_bytes(), decoded.to_owned()));
        same_all_ways(&name, &bytes);
    }
}

#[test]
fn probes_with_other_words_differ_in_layout_only() {
    // The same columns with other semantic words.
    for (name, bytes, _) in probes(&["29"]) {
        assert_eq!(differences(&bytes), [""; 0], "{name}");
        let buffer = open(&bytes);
        let buffer = buffer.mesh(0).unwrap().vertex_buffer().unwrap().unwrap();
        assert_eq!(text(buffer.word(&buffer.format().columns()[3])), "texel1");
        assert!(buffer.vertices().unwrap().uvs(1).is_some());
    }
    // The columns are declared with four floats, but the text has three.
    for (name, bytes, _) in probes(&["14"]) {
        assert_eq!(differences(&bytes), [""; 0], "{name}");
        let system = open(&bytes);
        let buffer = system.mesh(0).unwrap().vertex_buffer().unwrap().unwrap();
        assert_eq!(buffer.interp_width(), Some(3));
        same_all_ways(&name, &bytes);
    }
    // A column with an unknown semantic word keeps its numbers.
    for (name, bytes, _) in probes(&["31"]) {
        assert_eq!(differences(&bytes), ["layout 0"], "{name}");
        let system = open(&bytes);
        let buffer = system.mesh(0).unwrap().vertex_buffer().unwrap().unwrap();
        let last = buffer.format().columns().last().unwrap();
        assert_eq!((last.semantic, text(buffer.word(last))), (Semantic::Other, "foo".to_owned()));
        same_all_ways(&name, &bytes);
    }
}

#[test]
fn a_probe_with_another_colour_has_it() {
    for (name, bytes, _) in probes(&["24"]) {
        assert_eq!(differences(&bytes), ["vertices 0"], "{name}");
        let system = open(&bytes);
        let colors = system.colors(0).unwrap().unwrap();
        assert_eq!(colors.get(2), Some([0x80, 0x40, 0xc0, 0xff_u8].map(|channel| f32::from(channel) / 255.0)));
        same_all_ways(&name, &bytes);
    }
}

#[test]
fn probes_with_a_second_bone_have_it() {
    for (name, bytes, _) in probes(&["32", "33"]) {
        let expected: &[&str] =
            if name.starts_with("32") { &["bone 1", "skeleton 0"] } else { &["bone 0", "bone 1", "skeleton 0"] };
        assert_eq!(differences(&bytes), expected, "{name}");
        let system = open(&bytes);
        let bones = [0, 1].map(|bone| system.bone(bone).unwrap());
        assert_eq!((text(bones[1].name), bones[1].parent, bones[1].bind.scale), ("kid".to_owned(), 0, [2.0; 3]));
        assert_eq!(bones[0].bind.scale, [if name.starts_with("32") { 1.0 } else { 3.0 }; 3]);
        same_all_ways(&name, &bytes);
    }
}

fn refused<T>(result: meshpeek::Result<T>) -> Error {
    result.err().unwrap()
}

#[test]
fn probes_whose_count_is_not_that_of_their_numbers() {
    // The first probe declares more vertices than it has numbers for. The second has no indices at
    // all.
    for (name, bytes, _) in probes(&["10"]) {
        assert_eq!(differences(&bytes), ["vertices 0"], "{name}");
        let error = refused(open(&bytes).positions(0, 0));
        assert_eq!((error.field().to_string().as_str(), error.kind().id()), ("mesh[0].vertexbuffer", "value"));
        assert!(error.to_string().contains("128 numbers") && error.to_string().contains("96"), "{error}");
    }
    for (name, bytes, _) in probes(&["30"]) {
        assert_eq!(differences(&bytes), ["triangles 0"], "{name}");
        let error = refused(open(&bytes).indices(0));
        assert_eq!(
            (error.field().to_string().as_str(), error.kind().id()),
            ("mesh[0].section[0].indexbuffer", "value")
        );
        assert!(error.to_string().contains("3 numbers") && error.to_string().contains("found 0"), "{error}");
    }
    // The probe declares fewer vertices than it has numbers for. Strict mode refuses it.
    for (name, bytes, _) in probes(&["11"]) {
        assert_eq!(differences(&bytes), ["vertices 0"], "{name}");
        let system = open(&bytes);
        assert_eq!(system.positions(0, 0).unwrap().len(), 2);
        // One index exceeds the reduced number of vertices.
        assert_eq!(system.indices(0).unwrap().first_out_of_range(2), Some((2, 2)));
        let strict = Mesh::open_with(&bytes[..], &OpenOptions::default().with_strict(true)).unwrap();
        let error = refused(strict.positions(0, 0));
        assert!(error.to_string().contains("64 numbers") && error.to_string().contains("96"), "{error}");
    }
}

#[test]
fn probes_with_bad_indices_are_told_of() {
    for (name, bytes, _) in probes(&["28"]) {
        assert_eq!(differences(&bytes), ["triangles 0"], "{name}");
        let error = refused(open(&bytes).indices(0));
        let at = bytes.windows(5).position(|window| window == b"0;1;2").unwrap() as u64;
        assert_eq!((error.kind().id(), error.offset()), ("value", Some(at)), "{error}");
        assert!(is_error(&error, ErrorKind::Value, &["0;1;2"]), "{error}");
    }
    for (name, bytes, _) in probes(&["35"]) {
        assert_eq!(differences(&bytes), ["triangles 0"], "{name}");
        let system = open(&bytes);
        assert_eq!(system.indices(0).unwrap().first_out_of_range(3), Some((2, 9)));
        assert_eq!(system.positions(0, 0).unwrap().get(9), None);
        let error = refused(Surface::new(&system, 0).unwrap().weld());
        assert_eq!(error.kind().id(), "value", "{error}");
        let at = bytes.windows(5).position(|window| window == b"0 1 9").unwrap() as u64;
        // Only the parser of the block sees the number itself, so the error reports the offset of
        // the block.
        assert!(error.offset().is_some_and(|offset| offset <= at && offset + 40 > at), "{error}");
    }
}

#[test]
fn every_probe_is_in_a_group() {
    let others = ["24", "08", "34", "29", "14", "31", "32", "33", "10", "30", "11", "28", "35"];
    for (name, ..) in cases() {
        let groups = ALIKE.iter().chain(&others).filter(|number| name.starts_with(**number)).count();
        assert_eq!(groups, 1, "{name}");
    }
}

/// Returns the findings of a file above [`Severity::Info`]: rule, severity and field.
fn faults(bytes: &[u8]) -> Vec<(&'static str, Severity, String)> {
    let mut all = Vec::new();
    open(bytes).validate(&mut |found| all.push(found)).unwrap();
    all.retain(|found| found.severity > Severity::Info);
    all.into_iter().map(|found| (found.rule, found.severity, found.field.to_string())).collect()
}

#[test]
fn real_files_have_few_faults() {
    let Some((_, files)) = meshes() else { return };
    let mut all = Vec::new();
    for path in &files {
        let bytes = std::fs::read(path).unwrap();
        open(&bytes).check().unwrap();
        all.extend(faults(&bytes).into_iter().map(|(rule, ..)| (file_name(path), rule)));
    }
    all.dedup();
    // Two levels and a triangle have normals that are all equal.
    let equal = ["cs_level1_atlas_lightMapped_v2.ezm", "cs_level1_lightMapped.ezm", "mi2_export.ezm"];
    let mut expected: Vec<_> = equal.iter().map(|name| ((*name).to_owned(), "EZ45")).collect();
    expected.push(("mi_clothsim.ezm".to_owned(), "EZ21"));
    assert_eq!(all, expected);
}

#[test]
fn probes_are_found_fault_with_as_they_must() {
    let base: Vec<&str> =
        probes(&["00"]).iter().flat_map(|(_, bytes, _)| faults(bytes)).map(|(rule, ..)| rule).collect();
    for (name, bytes, _) in cases() {
        let mut found: Vec<&str> = faults(&bytes).into_iter().map(|(rule, ..)| rule).collect();
        found.retain(|rule| !base.contains(rule));
        found.sort_unstable();
        found.dedup();
        let expected: &[&str] = match &name[..2] {
            "10" | "30" => &["EZ06"],
            "11" => &["EZ08", "EZ12"],
            "14" => &["EZ11"],
            "28" => &["EZ07"],
            "31" => &["EZ10"],
            "35" => &["EZ12"],
            _ => &[],
        };
        assert_eq!(found, expected, "{name}");
    }
}

#[test]
fn every_byte_belongs_to_one_region() {
    let Some((_, files)) = meshes() else { return };
    let files = files.iter().map(|path| (file_name(path), std::fs::read(path).unwrap()));
    for (name, bytes) in files.chain(cases().into_iter().map(|(name, bytes, _)| (name, bytes))) {
        let mut end = 0;
        open(&bytes)
            .regions(0, &mut |region| {
                assert_eq!(region.start, end, "{name}: {}", region.field);
                assert!(region.end > region.start, "{name}: {}", region.field);
                end = region.end;
            })
            .unwrap();
        assert_eq!(end, bytes.len() as u64, "{name}");
    }
}
