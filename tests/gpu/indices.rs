//! Tests of indices in all formats and ways out.

use std::mem::MaybeUninit;

use meshpeek::gpu::{Drawable, IndexFormat};
use meshpeek::model::{Handedness, Space, SpaceConversion, Welded, Winding};
use meshpeek::{Array, ErrorKind};

use crate::each_surface;
use crate::support::allocations::allocations;

fn bytes(format: IndexFormat, indices: &[u32]) -> Vec<u8> {
    let size = format.size() as usize;
    indices.iter().flat_map(|index| index.to_le_bytes()[..size].to_vec()).collect()
}

#[test]
fn indices_are_those_of_the_converted_surface() {
    each_surface(|path, geometry, surface| {
        let mut assumed = Space::GLTF;
        (assumed.forward, assumed.winding) = (None, Some(Winding::Clockwise));
        let mut left = Space::GLTF;
        left.handedness = Some(Handedness::Left);
        let reversed = geometry.space().or(&assumed).conversion_to(&left).unwrap();
        let Ok(is_single) = surface.is_single_stream() else { return };
        let Ok(welded) = surface.weld() else { return };
        let stored: Vec<u32> = surface.indices().unwrap().iter().collect();
        let plain = if is_single { &stored } else { &welded.indices };
        for (format, conversion) in [
            (IndexFormat::Uint16, SpaceConversion::IDENTITY),
            (IndexFormat::Uint32, SpaceConversion::IDENTITY),
            (IndexFormat::Uint32, reversed),
        ] {
            let expected: Vec<u32> =
                plain.as_chunks::<3>().0.iter().flat_map(|corners| conversion.triangle(*corners)).collect();
            let drawable = surface.drawable().unwrap();
            let source = drawable.indices(format).unwrap().in_space(conversion);
            let (count, size) = (source.index_count(), format.size() as usize);
            assert_eq!((count, source.byte_len()), (expected.len(), expected.len() * size), "{path}");
            if format == IndexFormat::Uint16 && expected.iter().any(|index| *index > 65535) {
                let error = source.push(0..count, |_, _| {}).unwrap_err();
                assert!(matches!(error.kind(), ErrorKind::Refused), "{path}: {error}");
                continue;
            }
            for range in [0..count, 0..0, 1..count.max(1), count / 3..count / 2, count.min(1601)..count, 2..2] {
                if range.end > count || range.start > range.end {
                    continue;
                }
                let expected = bytes(format, &expected[range.clone()]);
                let mut out = vec![9; expected.len()];
                let mut memory = vec![MaybeUninit::uninit(); expected.len()];
                let made = allocations(|| {
                    source.write_into(range.clone(), &mut out).unwrap();
                    assert_eq!(source.write_uninit(range.clone(), &mut memory).unwrap(), expected);
                    let check = |offset: u64, block: &[u8]| {
                        assert_eq!(block, &expected[usize::try_from(offset).unwrap()..][..block.len()]);
                    };
                    source.push(range.clone(), check).unwrap();
                });
                assert_eq!(made, 0, "{path}");
                assert_eq!(out, expected, "{path} {range:?}");
            }
        }
    });
}

#[test]
fn indices_out_of_range_are_errors() {
    let model = meshpeek::Model::open(meshpeek::read("data/secondlife/quad.llmesh").unwrap()).unwrap();
    let surface = model.surface(0).unwrap();
    let mut welded = surface.weld().unwrap();
    let count = welded.vertices.len();
    welded.indices[4] = u32::try_from(count).unwrap();
    let write = |welded: &Welded, format, range| {
        let drawable = Drawable::with_weld(surface, welded.clone());
        drawable.indices(format).unwrap().push(range, |_, _| {}).map_err(|error| error.to_string())
    };
    let message = write(&welded, IndexFormat::Uint32, 0..6).unwrap_err();
    assert!(message.contains("at corner 4") && message.contains("below"), "{message}");
    assert!(write(&welded, IndexFormat::Uint32, 0..4).is_ok() && write(&welded, IndexFormat::Uint32, 5..6).is_ok());
    let corner = welded.vertices[0];
    welded.vertices.resize(70_000, corner);
    welded.indices[4] = 65_536;
    let message = write(&welded, IndexFormat::Uint16, 0..6).unwrap_err();
    assert!(message.contains("65536 at corner 4") && message.contains("uint32"), "{message}");
    welded.indices[4] = 65_535;
    assert!(write(&welded, IndexFormat::Uint16, 0..6).is_ok());
}
