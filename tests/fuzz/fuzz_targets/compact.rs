//! Compact ints: what is read is spelled again in the engine's form, and read as the same number.
#![no_main]

use libfuzzer_sys::fuzz_target;
use meshpeek::decode::compact::{CompactError, MAX_BYTES, decode, encode, length};

/// Decodes by the format's page, digit by digit and without a thought for speed.
fn naive(bytes: &[u8]) -> Result<(i128, usize), CompactError> {
    let Some(last) = bytes.iter().take(MAX_BYTES).position(|byte| byte & 0x80 == 0) else {
        return Err(if bytes.len() < MAX_BYTES { CompactError::End } else { CompactError::Long });
    };
    let mut magnitude = 0_i128;
    for byte in bytes[1..=last].iter().rev() {
        magnitude = magnitude * 128 + i128::from(byte & 0x7f);
    }
    magnitude = magnitude * 64 + i128::from(bytes[0] & 0x3f);
    if magnitude > i128::from(i32::MAX) {
        return Err(CompactError::Large);
    }
    Ok((if bytes[0] & 0x40 == 0 { magnitude } else { -magnitude }, last + 1))
}

fuzz_target!(|bytes: &[u8]| {
    let found = decode(bytes);
    assert_eq!(found.map(|(value, length)| (i128::from(value), length)), naive(bytes));
    if let Ok((value, read)) = found {
        let (spelled, written) = encode(value);
        assert_eq!(decode(&spelled[..written]), Ok((value, written)));
        assert_eq!(written, length(value));
        // Only small numbers have more than one spelling of one length, and only with a sign they do not need.
        assert!(read >= written || written - read == 1, "{value} in {read} and {written} bytes");
    }
    if let Some(four) = bytes.first_chunk::<4>() {
        let value = i32::from_le_bytes(*four);
        if value != i32::MIN {
            let (spelled, written) = encode(value);
            assert_eq!(decode(&spelled[..written]), Ok((value, written)));
        }
    }
});
