//! Parses the numbers of a text file (`.ezm`), directly from the bytes of the file.
//!
//! | module | contents |
//! |---|---|
//! | [`tokens`] | reads tokens in sequence, and parses tokens in the usual notation |
//! | [`character_data`] | the slow path: markup between the numbers, tokens that markup splits, and errors; counts tokens |
//! | [`spans`] | finds the start and the end of many tokens at a time |
//! | `avx2` | kernels of `spans` and `notation` in AVX2 instructions, which most processors have |
//! | [`notation`] | parses decimal digits, sixteen at a time, and all notations of floats and integers |

#[cfg(all(target_arch = "x86_64", not(miri)))]
mod avx2;
mod character_data;
mod notation;
mod spans;
mod tokens;

pub use character_data::{NumberFault, NumberFaultKind, count, is_separator};
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
