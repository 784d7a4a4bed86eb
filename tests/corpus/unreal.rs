//! Tests of real Unreal vertex meshes.
//!
//! Most of them must not be published, so the repository contains none of them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use meshpeek::model::{PositionEncoding, Positions};
use meshpeek::unreal::{Mesh, RawPolygon};
use meshpeek::{Array, Geometry, MeshFile as _, OpenOptions, Severity, Surface, decode};
use serde_json::{Value, json};
use zerocopy::little_endian::U16;

use crate::support::corpus;
use crate::{Reference, file_name};

/// Returns the stems of all pairs, sorted.
fn stems(folder: &Path) -> Vec<String> {
    let names = std::fs::read_dir(folder).unwrap().map(|entry| file_name(&entry.unwrap().path()));
    let mut stems: Vec<String> = names.filter_map(|name| name.strip_suffix("_d.3d").map(str::to_owned)).collect();
    stems.sort();
    assert!(!stems.is_empty(), "no pair in {}", folder.display());
    stems
}

fn ours() -> Option<(PathBuf, Vec<String>)> {
    let folder = corpus("unreal")?;
    let stems = stems(&folder);
    Some((folder, stems))
}

fn pair(folder: &Path, stem: &str) -> [Vec<u8>; 2] {
    ["d", "a"].map(|end| std::fs::read(folder.join(format!("{stem}_{end}.3d"))).unwrap())
}

fn open(folder: &Path, stem: &str) -> Mesh<Vec<u8>> {
    let [data, aniv] = pair(folder, stem);
    Mesh::open(data, aniv).unwrap()
}

fn reference(folder: &Path, stem: &str) -> Value {
    serde_json::from_slice(&std::fs::read(folder.join(format!("reference/{stem}.json"))).unwrap()).unwrap()
}

/// Returns the stored x, y and z.
///
/// Every float of a view equals the stored integer exactly.
fn stored(positions: &Positions<'_>) -> Vec<[i64; 3]> {
    (0..positions.len()).map(|index| positions.get(index).unwrap().map(|part| part as i64)).collect()
}

fn fold(all: &[[i64; 3]], with: impl Fn(i64, i64) -> i64) -> [i64; 3] {
    all.iter().copied().reduce(|one, other| [0, 1, 2].map(|axis| with(one[axis], other[axis]))).unwrap()
}

fn compare_positions(what: &str, value: &Value, all: &[[i64; 3]]) {
    let mut expected = Reference::new(what.to_owned(), value);
    for (key, found) in [("first_vertex", all[0]), ("last_vertex", all[all.len() - 1])] {
        expected.take(key).inspect(|value| assert_eq!(*value, json!(found), "{what}: {key}"));
    }
    for key in ["vertices", "vertices_present"] {
        expected.take(key).inspect(|value| assert_eq!(*value, json!(all.len()), "{what}: {key}"));
    }
    expected.same("min", json!(fold(all, i64::min)));
    expected.same("max", json!(fold(all, i64::max)));
    expected.same("sum", json!(fold(all, |one, other| one + other)));
    expected.done();
}

fn polygon(raw: &RawPolygon) -> Value {
    json!({
        "v": raw.vertices.map(U16::get),
        "type": raw.kind,
        "color": raw.color,
        "uv": raw.uvs,
        "tex": raw.texture,
        "flags": raw.flags,
    })
}

fn histogram(bytes: impl Iterator<Item = u8>) -> Value {
    let mut counts = BTreeMap::new();
    bytes.for_each(|byte| *counts.entry(byte.to_string()).or_insert(0) += 1);
    json!(counts)
}

fn compare_polygons(expected: &mut Reference, mesh: &Mesh<Vec<u8>>) {
    let polygons = mesh.polygons().unwrap();
    expected.same("polys_present", polygons.len());
    expected.same("first_poly", polygon(&polygons[0]));
    expected.same("last_poly", polygon(&polygons[polygons.len() - 1]));
    expected.same("type_bytes", histogram(polygons.iter().map(|polygon| polygon.kind)));
    expected.same("texture_numbers", histogram(polygons.iter().map(|polygon| polygon.texture)));
    expected.same("weapon_triangles", mesh.attachment_count());
    // Compares the same values through the surfaces. Every polygon belongs to exactly one surface.
    let surfaces: Vec<_> = mesh.surfaces().unwrap().map(Result::unwrap).collect();
    let indices: Vec<u32> = surfaces.iter().flat_map(|surface| surface.indices().iter()).collect();
    expected.same("sum_indices", indices.iter().map(|index| u64::from(*index)).sum::<u64>());
    expected.same("max_index", *indices.iter().max().unwrap());
    let mut sum = 0;
    for surface in Surface::all(mesh).unwrap() {
        let byte = |part: f32| u64::from(decode::unorm::encode([part])[0]);
        surface.uvs(0).unwrap().unwrap().for_each(|[u, v]| sum += byte(u) + byte(v));
    }
    expected.same("sum_uv", sum);
    let degenerate = polygons.iter().filter(|polygon| {
        let [a, b, c] = polygon.vertices.map(U16::get);
        a == b || b == c || c == a
    });
    expected.same("degenerate_polys", degenerate.count());
    let mut unused = vec![true; mesh.vertex_count()];
    for index in indices {
        unused.get_mut(index as usize).into_iter().for_each(|unused| *unused = false);
    }
    expected.same("unreferenced_vertices", unused.iter().filter(|unused| **unused).count());
}

fn compare_frames(expected: &mut Reference, mesh: &Mesh<Vec<u8>>) {
    let frames: Vec<_> = (0..mesh.frame_count()).map(|frame| mesh.frame(frame).unwrap()).collect();
    let positions: Vec<_> = frames.iter().map(|frame| stored(&frame.positions())).collect();
    let what = |which: &str| format!("{} {which}", expected.what);
    compare_positions(&what("frame0"), &expected.left["frame0"], &positions[0]);
    compare_positions(&what("last_frame"), &expected.left["last_frame"], &positions[positions.len() - 1]);
    let all = positions.concat();
    compare_positions(&what("all_frames"), &expected.left["all_frames"], &all);
    for key in ["frame0", "last_frame", "all_frames"] {
        expected.take(key);
    }
    let found = mesh.bounds_of_all_frames();
    assert_eq!(
        [found.min, found.max],
        [fold(&all, i64::min), fold(&all, i64::max)].map(|at| at.map(|part| f32::from(i16::try_from(part).unwrap())))
    );
    let pads = frames.iter().map(|frame| match frame.positions() {
        Positions(PositionEncoding::Packed64(positions)) => {
            positions.raw().iter().filter(|[.., pad]| pad.get() != 0).count()
        }
        _ => 0,
    });
    let pads = pads.sum::<usize>();
    let deus_ex = mesh.variant().vertex_size() == 8;
    expected.same("pad_nonzero", if deus_ex { json!(pads) } else { Value::Null });
}

#[test]
fn equals_the_reference() {
    let Some((folder, stems)) = ours() else { return };
    let mut vertices = 0;
    for stem in &stems {
        let mesh = open(&folder, stem);
        let mut expected = Reference::new(stem.clone(), &reference(&folder, stem));
        expected.same("data_file", format!("{stem}_d.3d"));
        expected.same("aniv_file", format!("{stem}_a.3d"));
        expected.same("data_bytes", mesh.data().len());
        expected.same("aniv_bytes", mesh.aniv().len());
        expected.same("num_polys", mesh.polygon_count());
        expected.same("num_vertices", mesh.vertex_count());
        expected.same("num_frames", mesh.frame_count());
        expected.same("frame_size", mesh.aniv_header().unwrap().frame_size.get());
        expected.same("vertex_bytes", mesh.variant().vertex_size());
        expected.same(
            "stride",
            mesh.frame(0).unwrap().as_bytes().len().max(mesh.vertex_count() * mesh.variant().vertex_size() as usize),
        );
        let variant = expected.take("variant").unwrap();
        assert!(variant == mesh.variant().name() || variant == "odd", "{stem}: {variant}");
        compare_polygons(&mut expected, &mesh);
        compare_frames(&mut expected, &mesh);
        // Other tests compare the anomalies and the scripts. The dumps of other readers are not
        // compared at all.
        for key in ["anomalies", "uc", "uc_features", "assimp_git_21bea12f", "assimp_5_2_5", "umodelinfo"] {
            expected.take(key);
        }
        expected.done();
        vertices += mesh.vertex_count() * mesh.frame_count();
    }
    eprintln!("{} pairs, {vertices} vertices compared", stems.len());
}

/// Returns the rules that report an anomaly, given the reference's words for it.
fn rules(anomaly: &str) -> &'static str {
    let known = [
        ("aniv file -44 bytes", ""),
        ("aniv file -", "UR04"),
        ("last frame holds", "UR04"),
        ("FrameSize", "UR03"),
        ("vertex index 2256 >=", "UR07 UR08"),
        ("vertex index 420 used but absent", "UR08"),
        ("CR LF pairs", "UR09"),
        ("data file +", "UR06"),
        ("non-zero header bytes", "UR11"),
        ("mColor", "UR12"),
        ("mFlags", "UR13"),
    ];
    known.into_iter().find(|(start, _)| anomaly.starts_with(start)).unwrap_or_else(|| panic!("{anomaly}")).1
}

#[test]
fn finds_exactly_the_known_faults() {
    let Some((folder, stems)) = ours() else { return };
    let mut told = 0;
    for stem in &stems {
        let anomalies = reference(&folder, stem)["anomalies"].as_array().unwrap().clone();
        let anomalies: Vec<_> = anomalies.iter().map(|anomaly| anomaly.as_str().unwrap()).collect();
        let mut expected: Vec<&str> = anomalies.iter().flat_map(|anomaly| rules(anomaly).split_whitespace()).collect();
        expected.sort_unstable();
        expected.dedup();
        let mut found = Vec::new();
        open(&folder, stem).validate(&mut |finding| found.push(finding)).unwrap();
        let mut ids: Vec<&str> = found.iter().map(|finding| finding.rule).collect();
        ids.sort_unstable();
        assert_eq!(ids, expected, "{stem}: {found:#?}");
        let sound = found.iter().all(|finding| finding.severity == Severity::Info);
        let [data, aniv] = pair(&folder, stem);
        let strict = Mesh::open_with(data, aniv, &OpenOptions::default().with_strict(true));
        assert_eq!(strict.is_ok(), sound, "{stem}: {strict:?}");
        told += found.len();
    }
    eprintln!("{} pairs, {told} findings", stems.len());
}

#[test]
fn writes_what_it_read() {
    let Some((folder, stems)) = ours() else { return };
    for stem in &stems {
        let [data, aniv] = pair(&folder, stem);
        let mesh = Mesh::open(data.as_slice(), aniv.as_slice()).unwrap();
        let [mut new_data, mut new_aniv] = [Vec::new(), Vec::new()];
        mesh.write_to(0, &mut new_data).unwrap();
        mesh.write_to(1, &mut new_aniv).unwrap();
        assert!(new_data == data && new_aniv == aniv, "{stem} was written differently");
    }
}

#[test]
fn accounts_for_every_byte() {
    let Some((folder, stems)) = ours() else { return };
    for stem in &stems {
        let mesh = open(&folder, stem);
        let mut ends = [0; 2];
        let [data, aniv] = &mut ends;
        for (end, regions) in [(data, true), (aniv, false)] {
            let mut see = |region: meshpeek::Region| {
                assert_eq!(region.start, *end, "{stem}: {}", region.field);
                *end = region.end;
            };
            if regions { mesh.regions(0, &mut see) } else { mesh.regions(1, &mut see) }.unwrap();
        }
        assert_eq!(ends, [mesh.data().len() as u64, mesh.aniv().len() as u64], "{stem}");
    }
}

/// Compares every polygon and every frame with the neutral view.
#[test]
fn agrees_with_the_neutral_view() {
    let Some((folder, stems)) = ours() else { return };
    for stem in &stems {
        let mesh = open(&folder, stem);
        let polygons = mesh.polygons().unwrap();
        let mut seen = vec![0; polygons.len()];
        for surface in Surface::all(&mesh).unwrap() {
            let view = mesh.surface(surface.index()).unwrap();
            let uvs = surface.uvs(0).unwrap().unwrap();
            let corners = surface.corners().unwrap();
            assert_eq!(surface.counts().unwrap().corners as usize, corners.len());
            for (triangle, number) in view.numbers().iter().enumerate() {
                let polygon = &polygons[usize::from(*number)];
                seen[usize::from(*number)] += 1;
                assert_eq!((polygon.texture, polygon.kind), (view.texture(), view.kind().0), "{stem}");
                for corner in 0..3 {
                    let found = corners.get(triangle * 3 + corner).unwrap();
                    assert_eq!(found.position, u32::from(polygon.vertices[corner].get()), "{stem}");
                    let uv = uvs.get(found.attribute as usize).unwrap();
                    assert_eq!(uv, polygon.uvs[corner].map(|code| f32::from(code) / 255.0), "{stem}");
                }
            }
            let frames = (0..mesh.vertex_frame_count().unwrap()).step_by(17);
            for frame in frames {
                let stored = mesh.frame(frame).unwrap().positions();
                match surface.vertex_frame(frame) {
                    Ok(neutral) => {
                        assert_eq!(neutral.as_bytes(), stored.as_bytes());
                        let range = frame * stored.len()..(frame + 1) * stored.len();
                        if let Ok(Some(all)) = surface.vertex_frames() {
                            assert_eq!(all.slice(range).unwrap().as_bytes(), stored.as_bytes(), "{stem}");
                        }
                    }
                    Err(_) => {
                        assert!(stored.len() < mesh.vertex_count(), "{stem}");
                        assert!(surface.vertex_frames().is_err(), "{stem}");
                    }
                }
            }
        }
        assert!(seen.iter().all(|seen| *seen == 1), "{stem}: a polygon is in no surface or in two");
    }
}
