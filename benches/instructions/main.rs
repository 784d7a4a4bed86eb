//! How many instructions does one item cost: a vertex through a [`Packed`](meshpeek::Packed) array, a value of a bulk
//! decoder, a call that opens a file? Not more than the table says, which is kept beside this file.
//!
//! The bench runs itself under valgrind, where every loop runs once over a number of items and once over twice as many; what
//! the second run took more is what the items cost. No clock is asked, so the figures hold wherever the same build runs.
//!
//! A count that is more than 6 % above that of `counts.txt` fails. After a change that is worth it,
//! `MESHPEEK_BLESS=1 cargo bench --bench instructions` writes the table anew.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "a panic is how a bench fails"
)]

mod access;
mod callgrind;
mod decoding;
mod opening;
mod querying;
mod scanning;
#[path = "../support/mod.rs"]
mod support;
mod table;

use support::claims;

use table::Table;

fn main() {
    if callgrind::is_child() {
        return callgrind::run(|| {
            let parts =
                [access::kernels(), opening::kernels(), decoding::kernels(), scanning::kernels(), querying::kernels()];
            parts.into_iter().flatten().collect()
        });
    }
    access::agree();
    println!("\ninstructions for each item");
    if let Some(why) = callgrind::hindrance() {
        return claims::skipped("all", why);
    }
    let Some(found) = callgrind::count() else { return claims::skipped("all", "valgrind is not installed") };
    if std::env::var_os("MESHPEEK_BLESS").is_some() {
        return table::bless(&found);
    }
    let failed = Table::read().judge(&found);
    assert!(failed.is_empty(), "too many instructions, or none known: {failed:#?}");
}
