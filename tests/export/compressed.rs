//! Tests of compressed glTF: decompressed, a file has the arrays of its twin without compression.

use meshpeek::export::{Compression, ExportFormat, ExportOptions};
use serde_json::Value;

use crate::{export, for_each_sample};

/// Returns the JSON and the buffer of a GLB file.
fn parts(glb: &[u8]) -> (Value, &[u8]) {
    let length = |at: usize| u32::from_le_bytes(glb[at..at + 4].try_into().unwrap()) as usize;
    let end = 20 + length(12);
    (serde_json::from_slice(&glb[20..end]).unwrap(), glb.get(end + 8..).unwrap_or_default())
}

/// Returns the field of an object as a number, or 0 if it is missing.
fn number(object: &Value, field: &str) -> usize {
    object.get(field).map_or(0, |value| value.as_u64().unwrap() as usize)
}

/// Decompresses items of `N` bytes.
fn items<const N: usize>(bytes: &[u8], count: usize) -> Vec<u8> {
    #[derive(Clone, Copy)]
    struct Item<const N: usize>([u8; N]);
    impl<const N: usize> Default for Item<N> {
        fn default() -> Self {
            Self([0; N])
        }
    }
    meshopt::decode_vertex_buffer::<Item<N>>(bytes, count).unwrap().iter().flat_map(|item| item.0).collect()
}

/// Decompresses a view.
fn decompress(bytes: &[u8], extension: &Value) -> Vec<u8> {
    let (count, stride) = (number(extension, "count"), number(extension, "byteStride"));
    match (extension["mode"].as_str().unwrap(), stride) {
        ("TRIANGLES", 2) => {
            let indices: Vec<u16> = meshopt::decode_index_buffer(bytes, count).unwrap();
            indices.iter().flat_map(|index| index.to_le_bytes()).collect()
        }
        ("TRIANGLES", _) => {
            let indices: Vec<u32> = meshopt::decode_index_buffer(bytes, count).unwrap();
            indices.iter().flat_map(|index| index.to_le_bytes()).collect()
        }
        (_, 4) => items::<4>(bytes, count),
        (_, 8) => items::<8>(bytes, count),
        (_, 12) => items::<12>(bytes, count),
        (_, 16) => items::<16>(bytes, count),
        (_, 20) => items::<20>(bytes, count),
        (_, 64) => items::<64>(bytes, count),
        (mode, stride) => panic!("{mode} of {stride} bytes"),
    }
}

/// Returns the triangles of an index array, each starting with its least index: the codec may turn
/// the corners of a triangle.
fn turned(bytes: &[u8], width: usize) -> Vec<Vec<u32>> {
    let index = |bytes: &[u8]| bytes.iter().rev().fold(0, |sum, byte| sum << 8 | u32::from(*byte));
    let indices: Vec<u32> = bytes.chunks(width).map(index).collect();
    let turn = |triangle: &[u32]| {
        let least = (0..3).min_by_key(|corner| triangle[*corner]).unwrap();
        (0..3).map(|corner| triangle[(least + corner) % 3]).collect()
    };
    indices.chunks(3).map(turn).collect()
}

#[test]
fn compressed_arrays_are_those_of_the_twin() {
    let mut views = 0;
    for_each_sample(|name, model| {
        for (compression, id) in
            [(Compression::Ext, "EXT_meshopt_compression"), (Compression::Khr, "KHR_meshopt_compression")]
        {
            for is_quantized in [false, true] {
                let plain = ExportOptions::default().with_quantized(is_quantized);
                let compressed = plain.clone().with_compression(Some(compression));
                let [plain, compressed] = [plain, compressed]
                    .map(|options| export(model.contents(), ExportFormat::Glb, &options).unwrap().0.remove(0));
                let ((plain, expected), (document, bytes)) = (parts(&plain), parts(&compressed));
                let (Some(all), Some(plain)) = (document["bufferViews"].as_array(), plain["bufferViews"].as_array())
                else {
                    continue;
                };
                assert!(document["extensionsRequired"].as_array().unwrap().contains(&id.into()), "{name}");
                assert_eq!(document["buffers"][1]["extensions"][id]["fallback"], true, "{name}");
                assert_eq!(all.len(), plain.len(), "{name}");
                for (view, plain) in all.iter().zip(plain) {
                    let extension = &view["extensions"][id];
                    let start = number(extension, "byteOffset");
                    let found = decompress(&bytes[start..start + number(extension, "byteLength")], extension);
                    let start = number(plain, "byteOffset");
                    let expected = &expected[start..start + number(plain, "byteLength")];
                    assert_eq!((number(view, "buffer"), number(view, "byteLength")), (1, expected.len()), "{name}");
                    let width = number(extension, "byteStride");
                    if extension["mode"] == "TRIANGLES" {
                        assert_eq!(turned(&found, width), turned(expected, width), "{name}");
                    } else {
                        assert!(found == expected, "{name}");
                    }
                    views += 1;
                }
            }
        }
    });
    assert!(views > 200, "{views}");
}
