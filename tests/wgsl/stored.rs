//! Evaluates the functions on the arrays of the samples and, if the machine has them, of real
//! files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use meshpeek::gpu::{Semantic, StoredAttribute, VertexFormat, wgsl};
use meshpeek::{Array, Geometry, Surface};

use crate::evaluator::{Evaluator, Rounding};
use crate::functions::for_each_item;
use crate::support::corpus;

/// The number of items of each array that are compared.
const ITEMS: usize = 500;

/// How often each function and each width of indices was used.
type Tally = BTreeMap<String, usize>;

/// Returns the first items of an array as floats.
fn floats<const N: usize>(array: impl Array<Item = [f32; N]>) -> Vec<Vec<f32>> {
    array.iter().take(ITEMS).map(Vec::from).collect()
}

/// Returns the first items of the attribute, as the array of the surface decodes them.
fn expected(surface: &Surface<'_>, semantic: Semantic) -> (usize, Vec<Vec<f32>>) {
    match semantic {
        Semantic::Position => surface.positions().map(|array| (array.len(), floats(array))).unwrap(),
        Semantic::Normal => surface.normals().unwrap().map(|array| (array.len(), floats(array))).unwrap(),
        Semantic::Tangent => {
            let array = surface.tangent_frames().unwrap().unwrap();
            let tangent = |frame: meshpeek::decode::TangentFrame| {
                let [x, y, z] = frame.tangent();
                vec![x, y, z, frame.handedness]
            };
            (array.len(), array.iter().take(ITEMS).map(tangent).collect())
        }
        Semantic::Uv(set) => surface.uvs(set as usize).unwrap().map(|array| (array.len(), floats(array))).unwrap(),
        Semantic::Color => surface.colors().unwrap().map(|array| (array.len(), floats(array))).unwrap(),
        other => panic!("{other:?} is no attribute that a file stores"),
    }
}

/// Reads an item of a vertex buffer as a GPU does.
fn fetch(format: VertexFormat, item: &[u8]) -> Vec<f32> {
    let words = || item.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word));
    match format {
        VertexFormat::Float32x2 | VertexFormat::Float32x3 => words().map(f32::from_bits).collect(),
        VertexFormat::Unorm8x4 => item.iter().map(|code| f32::from(*code) / 255.0).collect(),
        VertexFormat::Unorm16x2 => {
            item.as_chunks().0.iter().map(|code| f32::from(u16::from_le_bytes(*code)) / 65535.0).collect()
        }
        other => panic!("no attribute has {other:?}"),
    }
}

fn compare(attribute: &StoredAttribute<'_>, surface: &Surface<'_>, what: &str) {
    let (count, expected) = expected(surface, attribute.semantic);
    assert_eq!(attribute.count, count, "{what}");
    let offsets: Vec<usize> = (0..expected.len()).map(|item| attribute.offset + attribute.stride * item).collect();
    let end = offsets.last().map_or(0, |last| last + attribute.stride).min(attribute.bytes.len());
    let evaluator = Evaluator::new(wgsl::SOURCE, &attribute.bytes[..end], Rounding::Nearest);
    let is_same =
        |found: f32, expected: f32| found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan();
    let mut items = expected.iter();
    for_each_item(&evaluator, attribute.function, attribute.offset_scale, &offsets, |at, bits| {
        let expected = items.next().unwrap();
        let found: Vec<f32> = bits.iter().copied().map(f32::from_bits).collect();
        let equal =
            found.len() == expected.len() && found.iter().zip(expected).all(|(one, other)| is_same(*one, *other));
        assert!(equal, "{what}: {found:?} for {expected:?}");
        let Some(format) = attribute.format else { return };
        let mut fetched = fetch(format, &attribute.bytes[at..at + format.size() as usize]);
        if let Some([offset, scale]) = attribute.offset_scale {
            fetched.iter_mut().enumerate().for_each(|(axis, value)| *value = *value * scale[axis] + offset[axis]);
        }
        assert!(fetched.iter().zip(expected).all(|(one, other)| is_same(*one, *other)), "{what}: {format:?}");
    });
    assert!(items.next().is_none());
}

fn compare_indices(surface: &Surface<'_>, tally: &mut Tally, what: &str) {
    let streams = [surface.indices(), surface.attribute_indices()];
    for indices in streams.into_iter().flatten() {
        let Some(width) = indices.stored_width() else {
            *tally.entry("indices that are not stored".to_owned()).or_default() += 1;
            continue;
        };
        let width = usize::from(width);
        assert_eq!(indices.as_bytes().len(), indices.len() * width, "{what}");
        for (index, bytes) in indices.iter().zip(indices.as_bytes().chunks_exact(width)).take(ITEMS) {
            let mut word = [0; 4];
            word[..width].copy_from_slice(bytes);
            assert_eq!(u32::from_le_bytes(word), index, "{what}");
        }
        *tally.entry(format!("indices of {width}")).or_default() += 1;
    }
}

fn compare_all(geometry: &dyn Geometry, path: &Path, tally: &mut Tally) {
    let Ok(surfaces) = Surface::all(geometry) else { return };
    for surface in surfaces.take(40) {
        let what = format!("{} surface {}", path.display(), surface.index());
        // Damaged files have arrays that cannot be found.
        let Ok(attributes) = StoredAttribute::of(&surface) else { continue };
        for attribute in &attributes {
            compare(attribute, &surface, &format!("{what}: {attribute:?}"));
            *tally.entry(attribute.function.to_owned()).or_default() += 1;
            let aligned = if attribute.is_aligned() { "vertex buffers" } else { "storage buffers only" };
            *tally.entry(aligned.to_owned()).or_default() += 1;
        }
        compare_indices(&surface, tally, &what);
    }
}

fn compare_file(path: &Path, tally: &mut Tally) {
    let Ok(model) = meshpeek::open(path) else { return };
    for asset in 0..model.contents().asset_count().unwrap_or_default() {
        let Ok(asset) = model.asset(asset) else { continue };
        let Ok(geometry) = asset.level(0) else { continue };
        compare_all(&*geometry, path, tally);
    }
    compare_all(model.geometry(), path, tally);
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { all.extend(files(&path)) } else { all.push(path) }
    }
    all.sort();
    all
}

#[test]
fn attributes_of_the_samples_decode_to_the_same_values() {
    let mut tally = Tally::new();
    for path in files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("data")) {
        compare_file(&path, &mut tally);
    }
    // All functions but those of influences, and all widths.
    let functions = tally.keys().filter(|key| key.starts_with("meshpeek_unpack_")).count();
    let widths = tally.keys().filter(|key| key.starts_with("indices of ")).count();
    assert_eq!((functions, widths), (16, 3), "{tally:#?}");
}

#[test]
fn attributes_of_real_files_decode_to_the_same_values() {
    let mut tally = Tally::new();
    for format in ["unigine", "unreal", "secondlife", "ezmesh"] {
        let Some(folder) = corpus(format) else { return };
        let files = files(&folder);
        let step = files.len().div_ceil(60).max(1);
        for path in files.iter().step_by(step) {
            compare_file(path, &mut tally);
        }
    }
    println!("{tally:#?}");
}
