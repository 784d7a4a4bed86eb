//! Compares two inflaters: `miniz_oxide` accepts every stream that this crate accepts, and gives
//! the same bytes.
//!
//! If the first byte is odd, the target adds the zlib wrapper. This lets a fuzzer get past the
//! checksum at the end.
#![no_main]

use libfuzzer_sys::fuzz_target;
use meshpeek::Limits;
use meshpeek::secondlife::{AssetPart, InflateBuffer};
use miniz_oxide::inflate::core::inflate_flags::{
    TINFL_FLAG_COMPUTE_ADLER32, TINFL_FLAG_PARSE_ZLIB_HEADER, TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF,
};
use miniz_oxide::inflate::core::{DecompressorOxide, decompress};
use miniz_oxide::inflate::{TINFLStatus, decompress_to_vec_with_limit};

/// The maximum inflated size for both inflaters.
const LIMIT: usize = 1 << 20;

/// Inflates with `miniz_oxide`.
///
/// Returns the bytes, and the number of stored bytes that it used.
fn other(stored: &[u8]) -> Option<(Vec<u8>, usize)> {
    let mut out = vec![0; LIMIT + 1];
    let flags = TINFL_FLAG_PARSE_ZLIB_HEADER | TINFL_FLAG_COMPUTE_ADLER32 | TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
    let (status, used, written) = decompress(&mut DecompressorOxide::new(), stored, &mut out, 0, flags);
    out.truncate(written);
    // In a fuzzing build, `miniz_oxide` does not verify the checksum.
    let check = stored.get(..used).and_then(|stored| stored.last_chunk::<4>())?;
    (status == TINFLStatus::Done && written <= LIMIT && *check == adler(&out)).then_some((out, used))
}

/// Returns the Adler-32 checksum at the end of a zlib stream.
fn adler(bytes: &[u8]) -> [u8; 4] {
    let (mut a, mut b) = (1_u32, 0_u32);
    for byte in bytes {
        a = (a + u32::from(*byte)) % 65_521;
        b = (b + a) % 65_521;
    }
    (b << 16 | a).to_be_bytes()
}

fuzz_target!(|bytes: &[u8]| {
    let Some((first, rest)) = bytes.split_first() else { return };
    let stored = if first & 1 == 0 {
        rest.to_vec()
    } else {
        // The checksum of the inflated raw stream, or of no bytes if the stream is invalid.
        let inner = decompress_to_vec_with_limit(rest, LIMIT).unwrap_or_default();
        [&[0x78, 0xda], rest, &adler(&inner)].concat()
    };
    if stored.starts_with(&[0x1f, 0x8b]) {
        return;
    }
    let mut limits = Limits::default();
    limits.block = LIMIT as u64;
    // The inflated bytes need not be LLSD. If they are not, the error has an inflated offset.
    let mut buffer = InflateBuffer::default();
    let ours = buffer.inflate(AssetPart::PhysicsHavok, &stored, &limits);
    let theirs = other(&stored);
    match (&ours, &theirs) {
        (Ok(block), Some((out, used))) => {
            assert!(block.bytes() == out, "both accept it, but the bytes differ");
            assert_eq!(block.unused(), (stored.len() - used) as u64);
        }
        (Ok(_), None) => panic!("only meshpeek accepts it"),
        (Err(error), Some((out, _))) => {
            let steep = out.len() as u64 > stored.len() as u64 * 1032;
            assert!(error.inflated_offset().is_some() || steep, "only miniz_oxide accepts it: {error}");
        }
        (Err(error), None) => assert!(error.inflated_offset().is_none(), "only meshpeek inflates it: {error}"),
    }
});
