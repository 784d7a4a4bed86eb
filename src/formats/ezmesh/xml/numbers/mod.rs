//! Parses the numbers of a text file (`.ezm`), directly from the bytes of the file.
//!
//! | module | contents |
//! |---|---|
//! | [`tokens`] | reads tokens in sequence, and parses tokens in the usual notation |
//! | [`character_data`] | the slow path: markup between the numbers, and tokens that markup splits |
//! | [`spans`] | finds the start and the end of many tokens at a time |
//! | [`digits`] | parses decimal digits, sixteen at a time |
//! | `avx2` | the kernels of `spans` and `digits` in AVX2 instructions, which most processors have |
//! | [`float`] | parses all float notations of the format |
//! | [`hex_float`] | parses floats in hexadecimal notation |
//! | [`integer`] | parses all integer notations of the format |
//! | [`count`](mod@count) | counts tokens without parsing them |
//! | [`fault`] | the errors of reading a number |

#[cfg(all(target_arch = "x86_64", not(miri)))]
mod avx2;
mod character_data;
mod count;
mod digits;
mod fault;
mod float;
mod hex_float;
mod integer;
mod spans;
mod tokens;

pub use character_data::{TextPosition, is_separator};
pub use count::count;
pub use fault::{NumberFault, NumberFaultKind};
pub use tokens::Tokens;

/// Returns a generator of pseudo-random numbers below a given bound. The same seed always gives the
/// same numbers.
#[cfg(test)]
fn random(mut state: u64) -> impl FnMut(u64) -> u64 {
    move |bound| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % bound
    }
}
