//! Any bytes as the content of blocks.
//!
//! The input is split into the counts of a header, geometry and a tree. The target puts them into a
//! well-formed mesh, stored or compressed. This lets a fuzzer get past the block headers.
#![no_main]

#[path = "../../support/mod.rs"]
mod support;

use libfuzzer_sys::fuzz_target;
use meshpeek::unigine::Generation;
use support::unigine::raw_blocks::{RawBlock, header_of, put_together};

fuzz_target!(|bytes: &[u8]| {
    let Some(([flags, targets, positions, wide, indices, attributes, low, high], rest)) = bytes.split_first_chunk()
    else {
        return;
    };
    let generation = if flags & 1 == 0 { Generation::Ms14 } else { Generation::Ms15 };
    // With many positions, an index stream can be wide although the input is short.
    let positions = usize::from(*positions) + usize::from(*wide) * 256;
    let counts = [positions, usize::from(*indices), usize::from(*attributes)];
    let header = header_of(generation, 1 + usize::from(flags >> 7), 1 + usize::from(targets & 3), counts);
    let (geometry, tree) = rest.split_at(usize::from(u16::from_le_bytes([*low, *high])).min(rest.len()));
    // Positions that the input does not contain are zeros.
    let zeros = if flags & 16 == 0 { 0 } else { positions * 12 };
    let geometry = [&vec![0; zeros], geometry].concat();
    let framed = |content: &[u8], verbatim| if verbatim { RawBlock::verbatim(content) } else { RawBlock::lz4(content) };
    let (geometry, tree) = (framed(&geometry, flags & 2 == 0), framed(tree, flags & 4 == 0));
    let copies = 1 + usize::from(flags >> 7);
    let file = put_together(&header, &vec![geometry; copies], &vec![tree; copies]);
    support::unigine::invariants::check_invariants(&file, &mut support::random::Random::new(u64::from(*flags)));
    let _ = support::unigine::invariants::borrow_everything(&file);
});
