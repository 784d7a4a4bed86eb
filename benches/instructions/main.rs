//! Counts the instructions per item: for a vertex in a [`Packed`](meshpeek::Packed) array, for a
//! value of a bulk decoder, for a call that opens a file. The counts must not exceed those in a
//! table, which is stored next to this file.
//!
//! The bench runs itself under valgrind. Every loop runs once over a number of items, and once over
//! twice that number. The difference between the two runs is the cost of the items. No time is
//! measured, so the counts are the same wherever the same build runs.
//!
//! A count that is more than 6 % above the count in `counts.txt` fails. After a change that is
//! worth it, `MESHPEEK_BLESS=1 cargo bench --bench instructions` writes the table again.
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
mod vertices;

use support::claims;

use table::Table;

fn main() {
    if callgrind::is_child() {
        return callgrind::run(|| {
            let parts = [
                access::kernels(),
                opening::kernels(),
                decoding::kernels(),
                scanning::kernels(),
                querying::kernels(),
                vertices::kernels(),
            ];
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
    assert!(failed.is_empty(), "too many instructions, or an item is missing: {failed:#?}");
}
