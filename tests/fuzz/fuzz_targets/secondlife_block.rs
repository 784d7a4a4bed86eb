//! Any bytes as the inflated content of a block.
//!
//! The target wraps them into an asset, because a fuzzer cannot produce a valid wrapper. The
//! invariants are in `tests/support/secondlife/invariants.rs`.
#![no_main]

#[path = "../../support/mod.rs"]
mod support;

use libfuzzer_sys::fuzz_target;
use meshpeek::secondlife::AssetPart;
use meshpeek::secondlife::llsd::LlsdWriter;

/// Returns a zlib stream that stores bytes without compression.
fn store(bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![0x78, 0xda];
    for chunk in bytes.chunks(65_535) {
        let length = chunk.len() as u16;
        out.push(0);
        out.extend(length.to_le_bytes());
        out.extend((!length).to_le_bytes());
        out.extend(chunk);
    }
    out.extend([1, 0, 0, 255, 255]);
    let (mut a, mut b) = (1_u32, 0_u32);
    for byte in bytes {
        a = (a + u32::from(*byte)) % 65_521;
        b = (b + a) % 65_521;
    }
    out.extend((b << 16 | a).to_be_bytes());
    out
}

/// The blocks that share the content: single blocks, and a level together with the skin and two
/// physics blocks.
const PARTS: [&[AssetPart]; 5] = [
    &[AssetPart::HighLod],
    &[AssetPart::Skin],
    &[AssetPart::PhysicsConvex],
    &[AssetPart::PhysicsMesh],
    &[AssetPart::LowLod, AssetPart::Skin, AssetPart::PhysicsShape, AssetPart::PhysicsConvex],
];

fuzz_target!(|bytes: &[u8]| {
    // The last byte selects the parts. The bytes before it remain a valid value when the fuzzer
    // appends bytes.
    let Some((choice, bytes)) = bytes.split_last() else { return };
    let parts = PARTS[usize::from(*choice) % PARTS.len()];
    let stored = store(bytes);
    let size = i32::try_from(stored.len()).expect("small");
    let mut random = support::random::Random::new(bytes.len() as u64);
    let mut writer = LlsdWriter::new();
    writer.open_map(parts.len() as u32);
    for part in parts {
        writer.key(part.key()).open_map(2).key("offset").integer(0).key("size").integer(size).close_map();
    }
    writer.close_map();
    let asset = [writer.into_bytes(), stored].concat();
    let fate = support::secondlife::invariants::check_invariants(&asset, &mut random);
    assert_ne!(fate, support::invariants::Fate::Refused);
    let _ = support::secondlife::invariants::borrow_everything(&asset, true);
});
