//! Tests of real Second Life mesh assets.
//!
//! Most of them have no licence, so the repository contains none of them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use meshpeek::array::runs::TerminatedRuns;
use meshpeek::model::Influences;
use meshpeek::secondlife::llsd::{self, LlsdLimits, LlsdText, LlsdWriter};
use meshpeek::secondlife::{
    AssetBlock, AssetPart, Convex, Header, HeaderPrefix, InflateBuffer, Level, Lod, Matrix, Mesh, PhysicsShape, Skin,
    Submesh, SubmeshKey,
};
use meshpeek::{Array, Bounds, Decode, Error, ErrorKind, Limits, OpenOptions, Packed};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use zerocopy::little_endian::U16;

use crate::support::corpus;
use crate::support::is_error;
use crate::{Reference, file_name};

/// Returns the paths of the real files, sorted.
fn ours() -> Option<(PathBuf, Vec<PathBuf>)> {
    let folder = corpus("secondlife")?;
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "llmesh" || ending == "slm"));
    files.sort();
    assert!(!files.is_empty(), "no file in {}", folder.display());
    Some((folder, files))
}

fn reference(folder: &Path, name: &str) -> Value {
    serde_json::from_slice(&std::fs::read(folder.join(format!("reference/{name}.json"))).unwrap()).unwrap()
}

/// Calls `look` with each asset of each file.
///
/// The assets of a container are opened one by one.
fn each_asset(mut look: impl FnMut(&str, &Mesh<&[u8]>)) {
    let Some((_, files)) = ours() else { return };
    let mut count = 0;
    for path in &files {
        let bytes = std::fs::read(path).unwrap();
        let mesh = Mesh::open(bytes).unwrap();
        for (number, asset) in mesh.assets().enumerate() {
            look(&format!("{} {number}", file_name(path)), &asset);
            count += 1;
        }
    }
    eprintln!("{} files, {count} assets", files.len());
}

fn hex(bytes: &[u8]) -> String {
    bytes
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .map(|digit| char::from(b"0123456789abcdef"[usize::from(digit)]))
        .collect()
}

fn text(text: LlsdText<'_>) -> String {
    text.name().to_string_lossy()
}

fn keys(map: llsd::LlsdMap<'_>) -> Value {
    map.iter().map(|entry| text(entry.key)).collect()
}

/// Asserts that numbers, alone or in nested lists, equal the expected ones bit by bit.
fn same_bits(what: &str, expected: &Value, found: &[f64]) {
    fn flatten(value: &Value, all: &mut Vec<f64>) {
        match value {
            Value::Array(items) => items.iter().for_each(|item| flatten(item, all)),
            number => all.push(number.as_f64().unwrap()),
        }
    }
    let mut all = Vec::new();
    flatten(expected, &mut all);
    let bits = |numbers: &[f64]| numbers.iter().map(|number| number.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&all), bits(found), "{what}: {all:?}, found {found:?}");
}

fn bits(expected: &mut Reference, key: &str, found: &[f64]) {
    let value = expected.take(key).unwrap_or_else(|| panic!("{}: no {key}", expected.what));
    same_bits(&format!("{}: {key}", expected.what), &value, found);
}

fn widened<const N: usize>(points: &[[f32; N]]) -> Vec<f64> {
    points.iter().flatten().map(|part| f64::from(*part)).collect()
}

fn adler32(bytes: &[u8]) -> u32 {
    let (a, b) = bytes.iter().fold((1, 0), |(a, b), byte| {
        let a = (a + u32::from(*byte)) % 65_521;
        (a, (b + a) % 65_521)
    });
    b << 16 | a
}

/// Compares the header and the positions of blocks that it declares.
fn compare_header(expected: &mut Reference, mesh: &Mesh<Vec<u8>>) {
    let header = mesh.header().unwrap();
    expected.same("header_size", header.len());
    expected.same("header_keys_in_file_order", keys(header.map()));
    let mut scalars = Reference::new(format!("{} scalars", expected.what), &expected.take("header_scalars").unwrap());
    scalars.same_if_any("version", header.version());
    let creator = header.creator().map(|id| [&id[..4], &id[4..6], &id[6..8], &id[8..10], &id[10..]].map(hex).join("-"));
    scalars.same_if_any("creator", creator);
    if let Some(date) = header.date() {
        bits(&mut scalars, "date", &[date]);
    }
    let materials = header.material_list().map(|list| {
        let names = list.iter().map(|item| match item.value {
            llsd::LlsdValue::String(name) => Value::from(text(name)),
            other => panic!("{other:?}"),
        });
        names.collect::<Value>()
    });
    scalars.same_if_any("material_list", materials);
    scalars.done();
    let known = header.entries().filter(|entry| AssetPart::ALL.iter().any(|part| entry.key.is(part.key()))).count();
    assert_eq!(known, header.blocks().count(), "{}", expected.what);
}

fn compare_blocks(expected: &mut Reference, mesh: &Mesh<Vec<u8>>) {
    let mut all = Reference::new(format!("{} blocks", expected.what), &expected.take("blocks").unwrap());
    let header = mesh.header().unwrap();
    let mut end = header.base();
    for stored in header.blocks() {
        let key = stored.part.key();
        let mut one = Reference::new(format!("{} {key}", all.what), &all.take(key).unwrap());
        one.same("offset", stored.start - header.base());
        one.same("size", stored.len());
        one.same("absolute_start", stored.start);
        one.same("absolute_end", stored.end);
        let (found, bytes) = mesh.view().stored(stored.part).unwrap().unwrap();
        assert_eq!((found, bytes.len() as u64), (stored, stored.len()));
        let block = mesh.block(stored.part).unwrap().unwrap();
        assert_eq!((block.stored_at(), block.stored_len()), (stored.start, stored.len()));
        assert!(!block.is_gzip() && block.value_at() == 0);
        one.same("inflated_size", block.bytes().len());
        one.same("zlib_cmf_flg", hex(&bytes[..2]));
        one.same("zlib_stream_complete", true);
        one.same("zlib_unused_tail", block.unused());
        one.same("adler32_ok", bytes.ends_with(&adler32(block.bytes()).to_be_bytes()));
        one.same("llsd_trailing_bytes", block.rest().len());
        one.same("sha256_inflated", hex(&Sha256::digest(block.bytes())));
        one.done();
        end = end.max(stored.end);
    }
    all.done();
    expected.same("trailing_bytes_after_last_block", mesh.view().end() - end);
}

/// Compares one array of codes with the reference.
///
/// The first items and the last item are compared as stored and as decoded, and the codes by their
/// sums.
fn compare_codes<D, const N: usize>(
    expected: &mut Reference,
    [many, one]: [&str; 2],
    listed: usize,
    array: Packed<'_, D>,
) where
    D: Decode<Raw = [U16; N], Value = [f32; N]>,
{
    let first: Vec<[f32; N]> = array.iter().take(listed).collect();
    bits(expected, &format!("{many}_first3"), &widened(&first));
    let raw: Vec<Vec<u16>> = array.raw().iter().map(|codes| codes.iter().map(|code| code.get()).collect()).collect();
    expected.same(&format!("{many}_first3_raw_u16"), json!(raw[..raw.len().min(listed)]));
    let sum = |axis: usize| raw.iter().map(|codes| u64::from(codes[axis])).sum::<u64>();
    expected.same(&format!("{many}_sum_raw_u16"), json!((0..N).map(sum).collect::<Vec<_>>()));
    bits(expected, &format!("{one}_last"), &widened(&[array.get(array.len() - 1).unwrap()]));
}

fn compare_domain<const N: usize>(expected: &mut Reference, key: &str, min: [f32; N], max: [f32; N]) {
    let mut domain = Reference::new(format!("{} {key}", expected.what), &expected.take(key).unwrap());
    bits(&mut domain, "Min", &widened(&[min]));
    bits(&mut domain, "Max", &widened(&[max]));
    domain.done();
}

/// Returns the minimum and the maximum of each coordinate separately.
fn extent(points: impl Iterator<Item = [f32; 3]>) -> [[f32; 3]; 2] {
    let start = [[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]];
    points.fold(start, |[min, max], point| {
        [[0, 1, 2].map(|axis| point[axis].min(min[axis])), [0, 1, 2].map(|axis| point[axis].max(max[axis]))]
    })
}

fn compare_indices(expected: &mut Reference, listed: usize, submesh: &Submesh<'_>) {
    let indices = submesh.indices().unwrap();
    let triangles: Vec<[u32; 3]> =
        indices.iter().collect::<Vec<_>>().chunks(3).map(|corners| corners.try_into().unwrap()).collect();
    expected.same("triangle_count", submesh.triangle_count());
    assert_eq!(triangles.len(), submesh.triangle_count());
    expected.same("triangles_first3", json!(triangles[..triangles.len().min(listed)]));
    expected.same("triangle_last", json!(triangles[triangles.len() - 1]));
    expected.same("index_max", indices.iter().max());
    expected.same("index_sum", indices.iter().map(u64::from).sum::<u64>());
    let degenerate = triangles.iter().filter(|[a, b, c]| a == b || b == c || c == a);
    expected.same("degenerate_index_triangles", degenerate.count());
    let mut unused = vec![true; submesh.vertex_count()];
    indices.iter().for_each(|index| unused[index as usize] = false);
    expected.same("unreferenced_vertices", unused.iter().filter(|unused| **unused).count());
}

fn influences(list: Influences<'_>, with_weight: bool) -> Value {
    let each = list.iter().enumerate().map(|(index, one)| {
        let (joint, raw) = list.raw(index).unwrap();
        assert_eq!(one.bone, i32::from(joint));
        // The reference divides in double precision. Rounded to `f32`, its weights are those that
        // viewers compute.
        let weight = f64::from(raw) / 65_535.0;
        assert_eq!(one.weight, weight as f32);
        if with_weight {
            json!({ "joint": joint, "raw_u16": raw, "weight": weight })
        } else {
            json!({ "joint": joint, "raw_u16": raw })
        }
    });
    each.collect()
}

fn compare_weights(expected: &mut Reference, listed: usize, submesh: &Submesh<'_>) {
    let Some(weights) = submesh.weights().unwrap() else { return };
    assert_eq!(weights.len(), submesh.vertex_count());
    let all: Vec<_> = weights.iter().collect();
    assert_eq!(all.len(), weights.len(), "{}", expected.what);
    let first: Vec<Value> = all.iter().take(listed).map(|list| influences(*list, true)).collect();
    expected.same("weights_first3", first);
    expected.same("weights_last", influences(all[all.len() - 1], false));
    let mut histogram = BTreeMap::new();
    for list in &all {
        *histogram.entry(list.len().to_string()).or_insert(0) += 1;
    }
    expected.same("influences_histogram", json!(histogram));
    let stored = |list: &Influences<'_>| (0..list.len()).map(|at| list.raw(at).unwrap()).collect::<Vec<_>>();
    expected.same("joint_index_max", all.iter().flat_map(stored).map(|(joint, _)| joint).max());
    let sums = all.iter().map(|list| stored(list).iter().map(|(_, weight)| u32::from(*weight)).sum::<u32>());
    expected.same("weight_sum_raw_min_max", json!([sums.clone().min(), sums.max()]));
    let bytes = submesh.get(SubmeshKey::Weights).unwrap().1.binary().unwrap();
    expected.same("weights_stream_bytes", bytes.len());
    // The last list ends at the end of the bytes.
    assert_eq!(TerminatedRuns::new(bytes, weights.len()).measure(), (weights.len(), bytes.len() as u64));
}

fn compare_submesh(what: &str, value: &Value, listed: usize, submesh: &Submesh<'_>) {
    let mut expected = Reference::new(what.to_owned(), value);
    expected.same("keys_in_file_order", keys(submesh.map()));
    let placeholder = submesh.get(SubmeshKey::NoGeometry).map(|(_, value)| match value {
        llsd::LlsdValue::Boolean(value) => value,
        other => panic!("{other:?}"),
    });
    expected.same_if_any("NoGeometry", placeholder);
    assert_eq!(submesh.is_placeholder(), placeholder.is_some());
    if submesh.is_placeholder() {
        assert!(submesh.positions().unwrap().is_empty() && submesh.indices().unwrap().is_empty(), "{what}");
        assert!(submesh.normals().unwrap().is_none() && submesh.uvs().unwrap().is_none(), "{what}");
        assert!(submesh.weights().unwrap().is_none() && submesh.vertex_count() == 0, "{what}");
        return expected.done();
    }
    let binary = submesh.map().iter().filter_map(|entry| Some((text(entry.key), entry.value.binary()?.len())));
    expected.same("field_byte_lengths", json!(binary.collect::<BTreeMap<_, _>>()));
    expected.same("vertex_count", submesh.vertex_count());
    let positions = submesh.positions().unwrap();
    assert_eq!(positions.len(), submesh.vertex_count());
    let domain = submesh.position_domain().unwrap();
    compare_domain(&mut expected, "position_domain", domain.min(), domain.max());
    compare_codes(&mut expected, ["positions", "position"], listed, positions);
    let [min, max] = extent(positions.iter());
    bits(&mut expected, "position_min", &widened(&[min]));
    bits(&mut expected, "position_max", &widened(&[max]));
    assert_eq!(positions.bounds(), Bounds { min, max }, "{what}");
    let normals = submesh.normals().unwrap().unwrap();
    compare_codes(&mut expected, ["normals", "normal"], listed, normals);
    let lengths = normals.iter().map(|normal| {
        let [x, y, z] = normal.map(f64::from);
        (x * x + y * y + z * z).sqrt()
    });
    let [short, long] = [lengths.clone().fold(f64::INFINITY, f64::min), lengths.fold(0.0, f64::max)];
    bits(&mut expected, "normal_length_min_max", &[short, long]);
    let (uvs, domain) = (submesh.uvs().unwrap().unwrap(), submesh.uv_domain().unwrap());
    compare_domain(&mut expected, "texcoord0_domain", domain.min(), domain.max());
    compare_codes(&mut expected, ["texcoord0", "texcoord0"], listed, uvs);
    assert!(submesh.tangents().unwrap().is_none() && submesh.normalized_scale().unwrap().is_none());
    compare_indices(&mut expected, listed, submesh);
    compare_weights(&mut expected, listed, submesh);
    expected.done();
}

/// Returns all blocks with submeshes that the asset contains.
fn levels<D: AsRef<[u8]>>(mesh: &Mesh<D>) -> Vec<Level<'_>> {
    let parts = AssetPart::ALL.into_iter().filter(|part| part.is_geometry());
    parts.filter_map(|part| mesh.block(part).unwrap()).map(|block| block.level().unwrap()).collect()
}

fn compare_levels(expected: &mut Reference, mesh: &Mesh<Vec<u8>>) -> usize {
    let mut all = Reference::new(format!("{} lods", expected.what), &expected.take("lods").unwrap());
    let mut triangles = BTreeMap::new();
    let mut compared = 0;
    for level in levels(mesh) {
        let key = level.part().key();
        let what = format!("{} {key}", expected.what);
        let mut one = Reference::new(what.clone(), &all.take(key).unwrap());
        one.same("submesh_count", level.len());
        let values = one.take("submeshes").unwrap();
        let values = values.as_array().unwrap();
        // If a level has many submeshes, the reference lists only the first item of each array.
        let listed = if level.len() > 4 { 1 } else { 3 };
        assert_eq!((values.len(), level.submeshes().len()), (level.len(), level.len()), "{what}");
        for (number, (value, submesh)) in values.iter().zip(level.submeshes()).enumerate() {
            let submesh = submesh.unwrap();
            assert_eq!(submesh.index(), number);
            compare_submesh(&format!("{what} {number}"), value, listed, &submesh);
            *triangles.entry(key).or_insert(0) += submesh.triangle_count();
            compared += 1;
        }
        one.done();
    }
    all.done();
    expected.same("triangles_per_lod", json!(triangles));
    compared
}

fn compare_convex(expected: &mut Reference, convex: &Convex<'_>) {
    let mut one = Reference::new(format!("{} convex", expected.what), &expected.take("physics_convex").unwrap());
    one.same("keys_in_file_order", keys(convex.map()));
    let domain = convex.domain().unwrap();
    bits(&mut one, "Min", &widened(&[domain.min()]));
    bits(&mut one, "Max", &widened(&[domain.max()]));
    let raw = |points: Packed<'_, meshpeek::decode::MinMax16<3>>| {
        json!(points.raw().iter().take(3).map(|codes| codes.map(U16::get)).collect::<Vec<_>>())
    };
    let bounding = convex.bounding_points().unwrap().unwrap();
    one.same("bounding_vert_count", bounding.len());
    bits(&mut one, "bounding_verts_first3", &widened(&bounding.iter().take(3).collect::<Vec<_>>()));
    one.same("bounding_verts_first3_raw_u16", raw(bounding));
    let [min, max] = extent(bounding.iter());
    bits(&mut one, "bounding_verts_min", &widened(&[min]));
    bits(&mut one, "bounding_verts_max", &widened(&[max]));
    let sizes = convex.hull_sizes().unwrap();
    one.same_if_any("hull_list", sizes.map(|sizes| json!(sizes)));
    one.same_if_any("hull_count", sizes.map(<[u8]>::len));
    let points = convex.hull_points().unwrap();
    one.same_if_any("hull_points_total", points.map(|points| points.len()));
    one.same_if_any("positions_first3_raw_u16", points.map(raw));
    if let Some((points, sizes)) = points.zip(sizes) {
        bits(&mut one, "positions_first3", &widened(&points.iter().take(3).collect::<Vec<_>>()));
        let hulls: Vec<_> = convex.hulls().unwrap().collect();
        assert!(hulls.iter().map(Packed::len).eq(sizes.iter().map(|size| usize::from(*size))), "{}", one.what);
        assert!(hulls.iter().flat_map(Packed::iter).eq(points.iter()));
    } else {
        assert_eq!(convex.hulls().unwrap().count(), 0);
    }
    one.done();
}

/// Returns the numbers of a matrix as the map stores them: floats that were widened to doubles.
fn stored_matrix(value: llsd::LlsdValue<'_>) -> [f64; 16] {
    value.array().unwrap().numbers::<16>().unwrap()
}

fn compare_skin(expected: &mut Reference, skin: &Skin<'_>) {
    let mut one = Reference::new(format!("{} skin", expected.what), &expected.take("skin").unwrap());
    one.same("keys_in_file_order", keys(skin.map()));
    let joints = skin.joint_count();
    one.same("joint_count", joints);
    let names: Vec<String> = (0..joints).map(|joint| skin.joint_name(joint).unwrap().to_string_lossy()).collect();
    one.same("joint_names", names);
    let shape = skin.bind_shape().unwrap();
    bits(&mut one, "bind_shape_matrix", &widened(&[shape]));
    one.same("inverse_bind_matrix_count", skin.inverse_bind_count());
    let inverse: Vec<Matrix> = (0..joints).map(|joint| skin.inverse_bind(joint).unwrap()).collect();
    bits(&mut one, "inverse_bind_matrix_first", &widened(&[inverse[0]]));
    bits(&mut one, "inverse_bind_matrix_last", &widened(&[inverse[joints - 1]]));
    let list = skin.map().get("inverse_bind_matrix").unwrap().value.array().unwrap();
    assert_eq!(list.len(), inverse.len());
    for (item, matrix) in list.iter().zip(&inverse) {
        assert_eq!(stored_matrix(item.value), matrix.map(f64::from));
    }
    assert_eq!(stored_matrix(skin.map().get("bind_shape_matrix").unwrap().value), shape.map(f64::from));
    one.same("alt_inverse_bind_matrix_count", skin.alt_inverse_bind_count());
    assert!(is_error(
        skin.alt_inverse_bind(0).unwrap_err(),
        ErrorKind::NoSuch,
        &["found number 0, but there are none"]
    ));
    one.same("alt_inverse_bind_matrix_first", Value::Null);
    assert!(skin.inverse_bind(joints).unwrap_err().kind() == ErrorKind::NoSuch);
    one.same("pelvis_offset", json!(skin.pelvis_offset().unwrap()));
    let lock = skin.map().get("lock_scale_if_joint_position").map(|_| skin.lock_scale_if_joint_position().unwrap());
    one.same("lock_scale_if_joint_position", json!(lock));
    one.done();
    // If every joint is in its bind pose, the palette only moves vertices into the bind space.
    let palette = skin.palette(|_| meshpeek::secondlife::IDENTITY).unwrap();
    assert_eq!(palette.matrices().len(), joints);
}

#[test]
fn equals_the_reference() {
    let Some((folder, files)) = ours() else { return };
    let (mut blocks, mut submeshes) = (0, 0);
    for path in &files {
        let name = file_name(path);
        let value = reference(&folder, &name);
        if value.get("value").is_some() {
            // This file is a container. Another test compares it.
            continue;
        }
        let mesh = Mesh::open(std::fs::read(path).unwrap()).unwrap();
        assert!(mesh.container().is_none() && mesh.preamble().is_none() && mesh.asset_count() == 1, "{name}");
        let mut expected = Reference::new(name.clone(), &value);
        expected.same("file", name.as_str());
        expected.same("size", mesh.data().len());
        expected.same("sha256", hex(&Sha256::digest(mesh.data())));
        compare_header(&mut expected, &mesh);
        compare_blocks(&mut expected, &mesh);
        submeshes += compare_levels(&mut expected, &mesh);
        let convex = mesh.convex().unwrap();
        convex.inspect(|convex| compare_convex(&mut expected, convex));
        let skin = mesh.skin().unwrap();
        skin.inspect(|skin| compare_skin(&mut expected, skin));
        expected.take("how").unwrap();
        expected.take("findings").unwrap();
        expected.done();
        blocks += mesh.header().unwrap().blocks().count();
        let has_hulls = convex.is_some_and(|convex| convex.hull_sizes().unwrap().is_some());
        match mesh.physics_shape().unwrap() {
            Some(PhysicsShape::Hulls(_)) => assert!(has_hulls, "{name}"),
            Some(PhysicsShape::Mesh(_)) => assert!(!has_hulls && mesh.physics_mesh().unwrap().is_some(), "{name}"),
            Some(PhysicsShape::BoundingHull(_)) => {
                assert!(!has_hulls && mesh.physics_mesh().unwrap().is_none(), "{name}");
            }
            None => assert!(convex.is_none(), "{name}"),
        }
    }
    eprintln!("{} files, {blocks} blocks, {submeshes} submeshes compared", files.len());
}

/// Converts a value to JSON.
///
/// A string that contains an asset becomes its length and its hash, as in the reference.
fn as_json(value: llsd::LlsdValue<'_>) -> Value {
    match value {
        llsd::LlsdValue::Boolean(value) => json!(value),
        llsd::LlsdValue::Integer(value) => json!(value),
        llsd::LlsdValue::Real(value) => json!(value),
        llsd::LlsdValue::String(string) if string.stored().starts_with(b"{") => {
            json!({ "bytes": string.stored().len(), "sha256": hex(&Sha256::digest(string.stored())) })
        }
        llsd::LlsdValue::String(string) => json!(text(string)),
        llsd::LlsdValue::Array(array) => array.iter().map(|item| as_json(item.value)).collect(),
        llsd::LlsdValue::Map(map) => map.iter().map(|entry| (text(entry.key), as_json(entry.value))).collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn equals_the_reference_of_the_container() {
    let Some((folder, files)) = ours() else { return };
    let mut containers = 0;
    for path in &files {
        let name = file_name(path);
        let mut expected = Reference::new(name.clone(), &reference(&folder, &name));
        let Some(value) = expected.take("value") else { continue };
        expected.same("file", name.as_str());
        expected.take("how").unwrap();
        expected.done();
        containers += 1;

        let mesh = Mesh::open(std::fs::read(path).unwrap()).unwrap();
        let container = mesh.container().unwrap();
        assert_eq!(as_json(llsd::LlsdValue::Map(container.map())), value, "{name}");
        assert_eq!(container.version().map(Value::from), Some(value["version"].clone()));
        assert_eq!(container.name().map(text).as_deref(), value["name"].as_str());
        let instances = value["instance"].as_array().unwrap();
        assert_eq!(container.instances().count(), instances.len());
        for (instance, value) in container.instances().zip(instances) {
            let mut expected = Reference::new(format!("{name} instance"), value);
            expected.same("label", text(instance.label().unwrap()));
            expected.same("mesh_id", instance.mesh_id().unwrap());
            bits(&mut expected, "transform", &widened(&[instance.transform().unwrap()]));
            expected.same("material", as_json(llsd::LlsdValue::Array(instance.materials().unwrap())));
            expected.done();
        }

        let count = value["mesh"].as_array().unwrap().len();
        assert_eq!((container.len(), mesh.asset_count(), mesh.assets().count()), (count, count, count));
        for (number, asset) in mesh.assets().enumerate() {
            let file = name.replace("container.slm", &format!("mesh{number}.llmesh"));
            let alone = std::fs::read(folder.join(&file)).unwrap();
            assert!(asset.view().asset() == alone, "{file}");
            assert_eq!(&mesh.data()[asset.asset_range()], alone);
            let chosen = Mesh::open_with(mesh.data(), &OpenOptions::default().with_asset(number)).unwrap();
            let alone = Mesh::open(alone).unwrap();
            for part in AssetPart::ALL {
                let [one, other, third] =
                    [alone.block(part), asset.block(part), chosen.block(part)].map(|block| block.unwrap());
                let bytes = |block: Option<AssetBlock<'_>>| block.map(|block| block.bytes().to_vec());
                assert!(bytes(one) == bytes(other) && bytes(one) == bytes(third), "{file} {part:?}");
                // Offsets are relative to the start of the whole file.
                let start = asset.asset_range().start as u64;
                let placed = one.zip(other).map(|(one, other)| (one.stored_at() + start, other.stored_at()));
                assert!(placed.is_none_or(|(one, other)| one == other), "{file} {part:?}");
            }
        }
        let beyond = Mesh::open_with(mesh.data(), &OpenOptions::default().with_asset(count)).unwrap_err();
        assert!(beyond.kind() == ErrorKind::NoSuch, "{beyond}");
    }
    eprintln!("{containers} container compared");
}

/// Writes a value again and asserts that its bytes are unchanged.
fn expect_copied(what: &str, bytes: &[u8]) {
    let mut writer = LlsdWriter::new();
    assert_eq!(writer.copy(bytes, 0, &LlsdLimits::default()).unwrap(), bytes.len(), "{what}");
    assert!(writer.into_bytes() == bytes, "{what} was written differently");
}

#[test]
fn writes_the_values_that_it_read() {
    let (mut headers, mut blocks) = (0, 0);
    each_asset(|name, mesh| {
        let header = mesh.header().unwrap();
        let length = header.len() as usize;
        expect_copied(name, &mesh.view().asset()[..length]);
        headers += 1;
        for stored in header.blocks() {
            expect_copied(name, mesh.block(stored.part).unwrap().unwrap().bytes());
            blocks += 1;
        }
    });
    eprintln!("{headers} headers, {blocks} blocks");
}

fn expect_decoded<D: Decode<Value: Copy + Default + PartialEq + std::fmt::Debug>>(what: &str, array: &Packed<'_, D>) {
    let mut all = vec![D::Value::default(); array.len()];
    array.decode_into(&mut all).unwrap();
    let each: Vec<_> = (0..array.len()).map(|index| array.get(index).unwrap()).collect();
    assert_eq!(all, each, "{what}");
    assert!(array.iter().eq(each), "{what}");
    assert!(array.get(array.len()).is_none(), "{what}");
    let mut long = vec![D::Value::default(); array.len() + 1];
    assert!(array.decode_into(&mut long).unwrap_err().kind() == ErrorKind::Buffer);
}

#[test]
fn decodes_all_at_once_as_one_by_one() {
    each_asset(|name, mesh| {
        for submesh in levels(mesh).iter().flat_map(Level::submeshes) {
            let submesh = submesh.unwrap();
            expect_decoded(name, &submesh.positions().unwrap());
            expect_decoded(name, &submesh.indices().unwrap());
            submesh.normals().unwrap().inspect(|array| expect_decoded(name, array));
            submesh.uvs().unwrap().inspect(|array| expect_decoded(name, array));
        }
        if let Some(convex) = mesh.convex().unwrap() {
            convex.bounding_points().unwrap().inspect(|array| expect_decoded(name, array));
            convex.hull_points().unwrap().inspect(|array| expect_decoded(name, array));
        }
    });
}

#[test]
fn finds_weights_in_any_order() {
    let mut found = 0;
    each_asset(|name, mesh| {
        for submesh in levels(mesh).iter().flat_map(Level::submeshes) {
            let Some(weights) = submesh.unwrap().weights().unwrap() else { continue };
            let all: Vec<_> = weights.iter().collect();
            // Iterates backwards, to prevent that a result follows from an earlier one.
            for (vertex, list) in all.iter().enumerate().rev() {
                let one = weights.get(vertex as u32).unwrap();
                assert_eq!(one.as_bytes().as_ptr_range(), list.as_bytes().as_ptr_range(), "{name} vertex {vertex}");
                found += 1;
            }
            assert!(weights.get(all.len() as u32).is_none());
        }
    });
    eprintln!("{found} lists found");
}

#[test]
fn reads_a_header_from_its_first_bytes() {
    each_asset(|name, mesh| {
        let asset = mesh.view().asset();
        let whole = mesh.header().unwrap().len();
        for length in 0..whole {
            match Header::of_prefix(&asset[..length as usize], &Limits::default()) {
                Ok(HeaderPrefix::NeedMore(needed)) => {
                    assert!(needed > length && needed <= whole, "{name}: {length}, {needed}");
                }
                other => panic!("{name}: {length} bytes: {other:?}"),
            }
        }
        for length in [whole, whole + 1, asset.len() as u64] {
            let prefix = Header::of_prefix(&asset[..length as usize], &Limits::default()).unwrap();
            let HeaderPrefix::Ready(header) = prefix else { panic!("{name}: {prefix:?}") };
            assert_eq!(header.len(), whole);
            let start = mesh.view().start();
            let known: Vec<_> = mesh.header().unwrap().blocks().map(|block| block.start - start).collect();
            assert!(header.blocks().map(|block| block.start).eq(known), "{name}");
        }
        // The number of bytes that a client usually requests first is enough for any real header.
        assert!(whole <= meshpeek::secondlife::layout::USUAL_PREFIX);
    });
}

#[test]
fn inflates_a_block_that_stands_alone() {
    let mut buffer = InflateBuffer::default();
    each_asset(|name, mesh| {
        for stored in mesh.header().unwrap().blocks() {
            let (_, bytes) = mesh.view().stored(stored.part).unwrap().unwrap();
            let kept = mesh.block(stored.part).unwrap().unwrap();
            let alone = buffer.inflate(stored.part, bytes, &Limits::default()).unwrap();
            assert_eq!((alone.part(), alone.stored_at(), alone.stored_len()), (stored.part, 0, stored.len()));
            assert!(alone.bytes() == kept.bytes() && alone.unused() == 0, "{name} {:?}", stored.part);
            if stored.part.is_geometry() {
                let vertices = |level: Level<'_>| {
                    level.submeshes().map(|submesh| submesh.unwrap().vertex_count()).collect::<Vec<_>>()
                };
                assert_eq!(vertices(alone.level().unwrap()), vertices(kept.level().unwrap()));
            }
            let lent = mesh.view().block_into(stored.part, &mut buffer).unwrap().unwrap();
            assert!(lent.bytes() == kept.bytes() && lent.stored_at() == stored.start, "{name} {:?}", stored.part);
        }
    });
}

/// The expected results of a file that was made to demonstrate one case: of opening it, and of
/// reading each of its blocks.
///
/// A failure is described by its field and its kind.
struct MadeFile {
    file: &'static str,
    open: Outcome,
    blocks: &'static [(AssetPart, Outcome)],
}

type Outcome = Result<(), (&'static str, &'static str)>;

const SOUND: Outcome = Ok(());
const BASIC: &[(AssetPart, Outcome)] = &[(AssetPart::HighLod, SOUND), (AssetPart::PhysicsConvex, SOUND)];

const fn made(file: &'static str, blocks: &'static [(AssetPart, Outcome)]) -> MadeFile {
    MadeFile { file, open: SOUND, blocks }
}

const fn refused(file: &'static str, field: &'static str, kind: &'static str) -> MadeFile {
    MadeFile { file, open: Err((field, kind)), blocks: &[] }
}

const MADE: [MadeFile; 28] = [
    made("syn_minimal.llmesh", &[(AssetPart::HighLod, SOUND)]),
    made("syn_basic.llmesh", BASIC),
    made("syn_legacy_header.llmesh", BASIC),
    made("syn_no_position_domain.llmesh", &[(AssetPart::HighLod, SOUND)]),
    made("syn_normalized_scale_tangent.llmesh", &[(AssetPart::HighLod, SOUND)]),
    made(
        "syn_skin_full.llmesh",
        &[(AssetPart::HighLod, SOUND), (AssetPart::PhysicsConvex, SOUND), (AssetPart::Skin, SOUND)],
    ),
    made("syn_weights_joint254.llmesh", &[(AssetPart::HighLod, SOUND), (AssetPart::Skin, SOUND)]),
    made("syn_hull256.llmesh", BASIC),
    made("syn_submodel.llmesh", BASIC),
    made("syn_nogeometry.llmesh", &[(AssetPart::HighLod, SOUND), (AssetPart::LowestLod, SOUND)]),
    made(
        "syn_sim_header.llmesh",
        &[
            (AssetPart::HighLod, SOUND),
            (AssetPart::LowestLod, SOUND),
            (AssetPart::PhysicsConvex, SOUND),
            (AssetPart::PhysicsHavok, SOUND),
        ],
    ),
    made("syn_quoted_keys.llmesh", BASIC),
    made(
        "syn_shared_blocks.llmesh",
        &[
            (AssetPart::HighLod, SOUND),
            (AssetPart::MediumLod, SOUND),
            (AssetPart::LowLod, SOUND),
            (AssetPart::LowestLod, SOUND),
            (AssetPart::PhysicsConvex, SOUND),
        ],
    ),
    made("syn_trailing_junk.llmesh", BASIC),
    refused("syn_version_1000.llmesh", "version", "unsupported"),
    made("syn_65535_vertices.llmesh", &[(AssetPart::HighLod, SOUND)]),
    made(
        "syn_viewer_cache.asset",
        &[
            (AssetPart::HighLod, Err(("high_lod", "missing"))),
            (AssetPart::LowestLod, SOUND),
            (AssetPart::PhysicsConvex, SOUND),
        ],
    ),
    made("syn_container.slm", BASIC),
    refused("bad_truncated_header.llmesh", "header", "unexpected-end"),
    made(
        "bad_block_past_eof.llmesh",
        &[(AssetPart::HighLod, Err(("high_lod.size", "unexpected-end"))), (AssetPart::PhysicsConvex, SOUND)],
    ),
    made("bad_negative_offset.llmesh", &[(AssetPart::HighLod, Err(("high_lod.offset", "value")))]),
    made("bad_adler.llmesh", &[(AssetPart::HighLod, Err(("high_lod", "value"))), (AssetPart::PhysicsConvex, SOUND)]),
    made("bad_index_oob.llmesh", &[(AssetPart::HighLod, SOUND)]),
    made("bad_weights_truncated.llmesh", &[(AssetPart::HighLod, SOUND)]),
    made("bad_deep_nesting.llmesh", &[(AssetPart::HighLod, Err(("high_lod", "limit")))]),
    refused("bad_huge_count.llmesh", "header", "count"),
    made("bad_bomb_1000x.llmesh", &[(AssetPart::HighLod, Err(("high_lod", "limit")))]),
    refused("bad_not_a_map.llmesh", "header", "value"),
];

/// Reads all arrays and values of a block.
fn look(mesh: &Mesh<Vec<u8>>, part: AssetPart) -> Result<(), Error> {
    let block = mesh.block(part)?.expect("a block");
    if part.is_geometry() {
        for submesh in block.level()?.submeshes() {
            let submesh = submesh?;
            submesh.positions()?.for_each(|point| assert!(point.iter().all(|part| part.is_finite())));
            submesh.normals()?.inspect(|array| array.for_each(|_| {}));
            submesh.uvs()?.inspect(|array| array.for_each(|_| {}));
            submesh.tangents()?.inspect(|array| array.for_each(|_| {}));
            submesh.indices()?.for_each(|_| {});
            submesh.weights()?.inspect(|weights| weights.iter().for_each(|_| {}));
            submesh.normalized_scale()?;
        }
    }
    if part == AssetPart::Skin {
        mesh.skin()?.expect("a skin").palette(|_| meshpeek::secondlife::IDENTITY)?;
    }
    if part == AssetPart::PhysicsConvex
        && let Some(convex) = mesh.convex()?
    {
        convex.bounding_points()?;
        convex.hulls()?.for_each(|_| {});
    }
    Ok(())
}

fn named(error: &Error) -> (String, &'static str) {
    (error.field().to_string(), error.kind().id())
}

#[test]
fn makes_of_made_files_what_they_are_for() {
    let Some(folder) = corpus("secondlife") else { return };
    let folder = folder.join("synthetic");
    let manifest = std::fs::read_to_string(folder.join("MANIFEST.tsv")).unwrap();
    let listed: Vec<Vec<&str>> = manifest.lines().skip(1).map(|line| line.split('\t').collect()).collect();
    assert!(
        listed.iter().map(|line| line[0]).eq(MADE.iter().map(|made| made.file)),
        "the manifest lists the files in order"
    );
    for (line, made) in listed.iter().zip(&MADE) {
        let bytes = std::fs::read(folder.join(made.file)).unwrap();
        assert_eq!((line[1], line[2]), (&*bytes.len().to_string(), &*hex(&Sha256::digest(&bytes))), "{}", made.file);
        let expected = |(field, kind): (&str, &'static str)| (field.to_owned(), kind);
        let mesh = match (Mesh::open(bytes), made.open) {
            (Ok(mesh), Ok(())) => mesh,
            (Err(error), Err(failure)) => {
                assert_eq!(named(&error), expected(failure), "{}: {error}", made.file);
                assert!(error.offset().is_some(), "{error}");
                continue;
            }
            (other, _) => panic!("{}: {other:?}", made.file),
        };
        let header = mesh.header().unwrap();
        let parts = AssetPart::ALL.into_iter().filter(|part| header.get(part.key()).is_some());
        assert!(parts.eq(made.blocks.iter().map(|(part, _)| *part)), "{}", made.file);
        for (part, outcome) in made.blocks {
            let found = look(&mesh, *part).map_err(|error| named(&error));
            assert_eq!(found, outcome.map_err(expected), "{} {part:?}", made.file);
            assert_eq!(mesh.view().is_inflated(*part), outcome.is_ok(), "{} {part:?}", made.file);
        }
    }
    eprintln!("{} files", MADE.len());
}

/// Returns the bytes of a file that was made for the tests.
fn made_bytes(folder: &Path, stem: &str) -> Vec<u8> {
    std::fs::read(folder.join("synthetic").join(stem)).unwrap()
}

fn open_made(folder: &Path, stem: &str) -> Mesh<Vec<u8>> {
    Mesh::open(made_bytes(folder, stem)).unwrap()
}

/// Returns the number of vertices and the number of triangles.
fn counts(mesh: &Mesh<Vec<u8>>) -> (usize, usize) {
    let submesh = mesh.level(Lod::High).unwrap().submesh(0).unwrap();
    (submesh.vertex_count(), submesh.triangle_count())
}

/// Tests the properties of single files that the manifest documents, beyond the fact that they can
/// be read.
#[test]
fn made_blocks_show_what_they_were_made_for() {
    let Some(folder) = corpus("secondlife") else { return };
    let mesh = open_made(&folder, "syn_minimal.llmesh");
    let submesh = mesh.level(Lod::High).unwrap().submesh(0).unwrap();
    assert_eq!(counts(&mesh), (4, 2));
    assert!(submesh.normals().unwrap().is_none() && submesh.uvs().unwrap().is_none());
    let points = [[-0.5, -0.5, -0.25], [0.5, -0.5, -0.25], [0.5, 0.5, -0.25], [-0.5, 0.5, 3.814_697_3e-6]];
    assert!(submesh.positions().unwrap().iter().eq(points));

    let mesh = open_made(&folder, "syn_legacy_header.llmesh");
    assert_eq!((mesh.header().unwrap().marker_line(), mesh.header().unwrap().len()), (18, 128));
    assert_eq!(counts(&mesh), (4, 2));

    let mesh = open_made(&folder, "syn_no_position_domain.llmesh");
    let domain = mesh.level(Lod::High).unwrap().submesh(0).unwrap().position_domain().unwrap();
    assert_eq!((domain.min(), domain.max()), ([-0.5; 3], [0.5; 3]));

    let mesh = open_made(&folder, "syn_normalized_scale_tangent.llmesh");
    let submesh = mesh.level(Lod::High).unwrap().submesh(0).unwrap();
    assert_eq!(submesh.normalized_scale().unwrap(), Some([2.0, 1.0, 0.5]));
    assert_eq!(submesh.tangents().unwrap().unwrap().len(), 4);

    let mesh = open_made(&folder, "syn_skin_full.llmesh");
    let skin = mesh.skin().unwrap().unwrap();
    let names = [0, 1, 2].map(|joint| skin.joint_name(joint).unwrap().to_string_lossy());
    assert_eq!(names, ["mPelvis", "mTorso", "mHandIndex1Left"]);
    assert_eq!((skin.inverse_bind_count(), skin.alt_inverse_bind_count()), (3, 3));
    assert_eq!(skin.alt_inverse_bind(2).unwrap()[12..], [0.125, -0.25, 1.0625, 1.0]);
    assert_eq!(skin.bind_shape().unwrap()[12..], [0.1, 0.2, 0.3, 1.0]);
    assert_eq!(skin.pelvis_offset().unwrap(), Some(0.5));
    assert!(skin.lock_scale_if_joint_position().unwrap());
    let weights = mesh.level(Lod::High).unwrap().submesh(0).unwrap().weights().unwrap().unwrap();
    assert!(weights.iter().map(|list| list.len()).eq([0, 1, 2, 4]));
    assert_eq!(
        influences(weights.get(2).unwrap(), false),
        json!([{"joint": 2, "raw_u16": 32768}, {"joint": 1, "raw_u16": 32767}])
    );

    let mesh = open_made(&folder, "syn_weights_joint254.llmesh");
    let weights = mesh.level(Lod::High).unwrap().submesh(0).unwrap().weights().unwrap().unwrap();
    assert_eq!(weights.get(3).unwrap().raw(0), Some((254, 65535)));
    assert_eq!(mesh.skin().unwrap().unwrap().joint_count(), 3);

    let mesh = open_made(&folder, "syn_hull256.llmesh");
    let convex = mesh.convex().unwrap().unwrap();
    assert_eq!(convex.hull_sizes().unwrap(), Some(&[0, 4][..]));
    assert!(convex.hulls().unwrap().map(|hull| hull.len()).eq([256, 4]));
    assert_eq!(convex.hull_points().unwrap().unwrap().len(), 260);
}

#[test]
fn made_headers_show_what_they_were_made_for() {
    let Some(folder) = corpus("secondlife") else { return };
    let mesh = open_made(&folder, "syn_submodel.llmesh");
    assert_eq!(mesh.header().unwrap().submodel_id(), Some(1));
    assert!(mesh.convex().unwrap().is_none() && mesh.physics_shape().unwrap().is_none());

    let mesh = open_made(&folder, "syn_nogeometry.llmesh");
    let lowest = mesh.level(Lod::Lowest).unwrap();
    let placeholders: Vec<bool> = lowest.submeshes().map(|submesh| submesh.unwrap().is_placeholder()).collect();
    assert_eq!(placeholders, [true, false]);
    assert_eq!(lowest.submesh(1).unwrap().vertex_count(), 3);

    let mesh = open_made(&folder, "syn_sim_header.llmesh");
    let header = mesh.header().unwrap();
    assert_eq!((header.version(), header.date()), (Some(1), Some(1_511_941_196.162_105)));
    assert_eq!(hex(header.creator().unwrap()), "11111111222233334444555555555555");
    for part in [AssetPart::PhysicsConvex, AssetPart::PhysicsHavok] {
        assert_eq!(mesh.view().verify_hash(part).unwrap(), Some(true), "{part:?}");
    }
    assert_eq!(mesh.view().verify_hash(AssetPart::HighLod).unwrap(), None);
    assert_eq!(header.physics_cost().unwrap().hull(), Some(0.36));
    let havok = mesh.block(AssetPart::PhysicsHavok).unwrap().unwrap().value().map().unwrap();
    assert_eq!(keys(havok), json!(["HullMassProps", "WeldingData"]));

    let mesh = open_made(&folder, "syn_quoted_keys.llmesh");
    let quotes: Vec<_> = mesh.header().unwrap().entries().map(|entry| entry.key.quote()).collect();
    assert_eq!(quotes, [Some(b'\''), Some(b'"')]);
    assert_eq!(counts(&mesh), (4, 2));

    let mesh = open_made(&folder, "syn_shared_blocks.llmesh");
    let places = Lod::ALL.map(|lod| mesh.header().unwrap().block(lod.part()).unwrap().unwrap());
    assert!(places.iter().all(|place| (place.start, place.end) == (places[0].start, places[0].end)));

    let mesh = open_made(&folder, "syn_trailing_junk.llmesh");
    let last = mesh.header().unwrap().blocks().map(|block| block.end).max().unwrap();
    assert_eq!(mesh.view().end() - last, 8);

    let version = made_bytes(&folder, "syn_version_1000.llmesh");
    let error = Mesh::open(version.as_slice()).unwrap_err();
    assert!(error.to_string().contains("version 1000"), "{error}");
    let HeaderPrefix::Ready(header) = Header::of_prefix(&version, &Limits::default()).unwrap() else { panic!() };
    assert_eq!(header.version(), Some(1000));

    let mesh = open_made(&folder, "syn_65535_vertices.llmesh");
    assert_eq!(counts(&mesh), (65_535, 21_845));
    assert_eq!(mesh.level(Lod::High).unwrap().submesh(0).unwrap().indices().unwrap().iter().max(), Some(65_534));

    let mesh = open_made(&folder, "syn_viewer_cache.asset");
    let preamble = mesh.preamble().unwrap();
    assert_eq!((preamble.header_size.get(), preamble.flags.get()), (161, 0x21));
    assert_eq!((mesh.asset_range(), mesh.header().unwrap().base()), (12..594, 12 + 161));

    let mesh = open_made(&folder, "syn_container.slm");
    let container = mesh.container().unwrap();
    assert_eq!(
        (container.name().map(text).as_deref(), container.version(), container.len()),
        (Some("syn"), Some(3), 1)
    );
    assert_eq!(mesh.view().asset(), made_bytes(&folder, "syn_basic.llmesh"));
}

#[test]
fn bad_files_show_what_they_were_made_for() {
    let Some(folder) = corpus("secondlife") else { return };
    let cut = made_bytes(&folder, "bad_truncated_header.llmesh");
    assert!(
        matches!(Header::of_prefix(&cut, &Limits::default()).unwrap(), HeaderPrefix::NeedMore(needed) if needed > 60)
    );

    let mesh = open_made(&folder, "bad_block_past_eof.llmesh");
    let error = mesh.level(Lod::High).unwrap_err();
    assert_eq!((error.offset(), error.kind().id()), (Some(179), "unexpected-end"), "{error}");

    let mesh = open_made(&folder, "bad_negative_offset.llmesh");
    assert!(mesh.level(Lod::High).unwrap_err().to_string().contains("-5"));
    assert_eq!(mesh.header().unwrap().blocks().count(), 0);

    let mesh = open_made(&folder, "bad_adler.llmesh");
    let error = mesh.level(Lod::High).unwrap_err();
    assert!(error.to_string().contains("a valid zlib stream"), "{error}");

    let mesh = open_made(&folder, "bad_index_oob.llmesh");
    let submesh = mesh.level(Lod::High).unwrap().submesh(0).unwrap();
    assert_eq!((submesh.vertex_count(), submesh.indices().unwrap().iter().max()), (4, Some(9)));
    assert!(submesh.positions().unwrap().get(9).is_none());

    let mesh = open_made(&folder, "bad_weights_truncated.llmesh");
    let weights = mesh.level(Lod::High).unwrap().submesh(0).unwrap().weights().unwrap().unwrap();
    assert_eq!((weights.len(), weights.iter().count()), (4, 0));
    assert!((0..5).all(|vertex| weights.get(vertex).is_none()));

    let mesh = open_made(&folder, "bad_deep_nesting.llmesh");
    let error = mesh.level(Lod::High).unwrap_err();
    assert!(
        is_error(&error, ErrorKind::Limit, &["expected at most 96 (the limit `depth`), found at least 97"]),
        "{error}"
    );

    let mesh = open_made(&folder, "bad_bomb_1000x.llmesh");
    let error = mesh.level(Lod::High).unwrap_err();
    assert!(
        is_error(&error, ErrorKind::Limit, &["expected at most 67108864 (the limit `block`), found at least 67108865"]),
        "{error}"
    );
}
