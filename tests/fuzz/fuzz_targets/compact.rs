//! Compact ints: encoding a decoded number in the engine's form and decoding it again gives the
//! same number.
#![no_main]

use libfuzzer_sys::fuzz_target;
use meshpeek::decode::compact::{CompactError, MAX_BYTES, decode, encode, length};

/// Decodes a number digit by digit, as the format's page describes, without any optimisation.
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
        // An encoding is at most one byte shorter than the engine's, which spends a byte more than
        // necessary on some magnitudes, such as 63.
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
