//! The numbers of the text format, read where they stand.
//!
//! | file | what |
//! |---|---|
//! | [`tokens`] | finds one token after another, and reads the usual ones |
//! | [`character_data`] | what is slow: markup between the numbers, and tokens that it splits |
//! | [`spans`] | where tokens start and end, many at a time |
//! | [`digits`] | decimal digits, sixteen at a time |
//! | `avx2` | both again, in the vector instructions that most processors have |
//! | [`float`] | every spelling of a float that the format knows |
//! | [`hex_float`] | floats spelled in hexadecimal |
//! | [`integer`] | every spelling of an integer |
//! | [`count`](mod@count) | how many tokens there are, without reading them |
//! | [`fault`] | what can be wrong |

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

/// Returns a source of numbers below a bound, the same ones each time.
#[cfg(test)]
fn random(mut state: u64) -> impl FnMut(u64) -> u64 {
    move |bound| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % bound
    }
}
