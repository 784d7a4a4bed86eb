//! Tests that compare each fast scan, and combinations of fast scans, with the step-by-step scan.

use super::*;

/// A generator of pseudo-random numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u32) -> u8 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        u8::try_from(u32::try_from(self.0 >> 33).unwrap() % limit).unwrap()
    }
}

/// Encodes runs of four-byte records with the given numbers of records. Each record has a random
/// bone index below `bones` and a random weight.
fn spell(counts: impl IntoIterator<Item = u8>, bones: u32, random: &mut Random) -> Vec<u8> {
    let mut bytes = Vec::new();
    for count in counts {
        bytes.push(count);
        for _ in 0..count {
            bytes.extend([random.below(bones), 0, random.below(256), random.below(256)]);
        }
    }
    bytes
}

/// Returns the combinations of fast scans to test on this processor, with a name for each
/// combination.
fn ways() -> Vec<(&'static str, Vec<WalkKernel>)> {
    #[cfg_attr(not(all(target_arch = "x86_64", not(miri))), allow(unused_mut, reason = "AVX-512 is only on x86-64"))]
    let mut ways: Vec<(&str, Vec<WalkKernel>)> = vec![
        ("uniform", vec![pass_uniform]),
        ("speculative", vec![speculative::pass]),
        ("uniform, speculative", vec![pass_uniform, speculative::pass]),
        ("fastest", fastest().to_vec()),
    ];
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    if avx512::is_supported() {
        ways.push(("avx512", vec![avx512::pass]));
    }
    ways
}

fn agree(bytes: &[u8], len: usize, what: &str) {
    let expected = measure_by(bytes, len, RECORD_SIZE, &[]);
    for (name, ways) in ways() {
        assert_eq!(measure_by(bytes, len, RECORD_SIZE, &ways), expected, "{name}: {what}, {len} runs");
    }
}

/// Checks each fast scan alone, starting at the first byte, against the step-by-step scan.
///
/// A fast scan must report the same number of bytes for its runs as the step-by-step scan.
fn agree_from_the_start(bytes: &[u8], len: usize, count: u8, what: &str) {
    for (name, ways) in ways() {
        for way in ways {
            let passed = way(bytes, WalkLimits { count, runs: len });
            assert!(passed.runs <= len, "{name}: {what}");
            let expected = measure_by(bytes, passed.runs, RECORD_SIZE, &[]).unwrap();
            assert_eq!(as_u64(passed.bytes), expected.bytes, "{name}: {what}, {count}");
            assert!(expected.longest.1 <= count, "{name}: {what}, {count}");
        }
    }
}

#[test]
fn agrees_with_the_steps_on_lists_of_every_kind() {
    let mut random = Random(1);
    for kind in 0..14_u32 {
        for len in [1_000, 20_000] {
            let counts: Vec<u8> = (0..len)
                .map(|run: u32| match kind {
                    0..=4 => u8::try_from(kind).unwrap(),
                    6 => random.below(5),
                    7 => u8::try_from(run / 16 % 5).unwrap(),
                    8 => random.below(2) * 4,
                    9 => random.below(17),
                    10 => [14, 15, 16][usize::from(random.below(3))],
                    11 if random.below(100) == 0 => 255,
                    12 if run % 3_001 == 3_000 => u8::try_from(run / 3_000).unwrap() + 4,
                    5 | 11 | 12 => random.below(4) + 1,
                    _ => random.below(256),
                })
                .collect();
            let mut bytes = spell(counts.iter().copied(), 64, &mut random);
            agree(&bytes, counts.len(), &format!("kind {kind}"));
            agree(&bytes, counts.len() + 1, &format!("kind {kind}, one too many"));
            agree(&bytes[..bytes.len() * 2 / 3], counts.len(), &format!("kind {kind}, cut"));
            bytes.extend([7; 3_000]);
            agree(&bytes, counts.len(), &format!("kind {kind}, more bytes after the runs"));
        }
    }
}

#[test]
fn agrees_with_the_steps_at_every_length_and_alignment() {
    let mut random = Random(2);
    let bytes =
        spell((0..4_000).map(|run: u32| if run < 1_500 { 4 } else { run.to_le_bytes()[0] % 5 }), 8, &mut random);
    for len in 0..=200 {
        agree(&bytes, len, "start");
        agree(&bytes[17 * 1_500..], len, "mixed");
    }
    for start in 0..64 {
        // Most values of `start` are not the offset of an encoded run, but any bytes can be
        // interpreted as runs.
        agree(&bytes[start..], 700, "any start");
        agree(&bytes[start..], 4_000, "any start, all");
    }
}

#[test]
fn agrees_with_the_steps_wherever_the_bytes_end() {
    let mut random = Random(3);
    let bytes = spell((0..400).map(|run: u32| run.to_le_bytes()[0] % 4 + 1), 255, &mut random);
    for length in 0..bytes.len() {
        agree(&bytes[..length], 400, "cut");
    }
}

#[test]
fn agrees_with_the_steps_on_any_bytes() {
    let mut random = Random(4);
    for limit in [1, 2, 3, 5, 6, 16, 17, 18, 40, 256] {
        let bytes: Vec<u8> = (0..60_000).map(|_| random.below(limit)).collect();
        for len in [500, 5_000, 40_000, 70_000] {
            agree(&bytes, len, &format!("bytes below {limit}"));
        }
        for count in [0, 1, 4, 14, 15, 16, 255] {
            agree_from_the_start(&bytes, 60_000, count, &format!("bytes below {limit}"));
            agree_from_the_start(&bytes, 3_000, count, &format!("bytes below {limit}, few runs"));
        }
    }
}

#[test]
fn each_way_gets_ahead_where_it_should() {
    let mut random = Random(5);
    let same = spell(vec![4; 30_000], 64, &mut random);
    let shorter = spell(vec![3; 60_000], 64, &mut random);
    let various: Vec<u8> = (0..60_000).map(|_| random.below(4) + 1).collect();
    let various = spell(various, 64, &mut random);
    let runs = |way: WalkKernel, bytes: &[u8], runs: usize| way(bytes, WalkLimits { count: 4, runs }).runs;
    assert!(runs(pass_uniform, &same, 30_000) > 29_000);
    assert!(runs(pass_uniform, &shorter, 60_000) > 59_000);
    assert!(runs(speculative::pass, &various, 60_000) > 20_000);
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    if avx512::is_supported() {
        assert!(runs(avx512::pass, &various, 60_000) > 59_000);
        assert!(runs(avx512::pass, &same, 30_000) > 29_000);
        let short = spell(vec![1; 60_000], 64, &mut random);
        assert!(runs(avx512::pass, &short, 60_000) > 59_000);
    }
}

#[test]
fn records_of_other_sizes_are_stepped_over() {
    let bytes: Vec<u8> = (0..8_000_u32).map(|byte| byte.to_le_bytes()[0] % 4).collect();
    for size in [1, 2, 3, 5, 8] {
        let found = measure(&bytes, 200, size).unwrap();
        assert_eq!(Ok(found), measure_by(&bytes, 200, size, &[]), "{size}");
        assert_eq!(found.bytes, 200 + found.records * as_u64(size));
    }
}
