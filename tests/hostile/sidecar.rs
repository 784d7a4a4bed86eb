//! Tests of sidecars that are damaged or built to do harm.

use std::collections::BTreeSet;

use meshpeek::sidecar::{Sidecar, Trust};
use meshpeek::unigine::{AnimationGeneration, Generation};

use crate::support::random::Random;
use crate::support::sidecar::{
    Answers, LISTS, LISTS_AT, PAGE, PAGE_AT, PAGES_AT, STRUCTURE_AT, VERSION_AT, animation, answers, answers_through,
    counts, key, mesh, motion, number, records, reseal, sidecar_of, small_mesh, surface,
};
use crate::within;

/// The factor by which an unoptimised build does less.
const SCALE: usize = if cfg!(debug_assertions) { 25 } else { 1 };
/// The step between the poses and weights that are queried.
const STEP: usize = if cfg!(debug_assertions) { 37 } else { 11 };

const TRUSTS: [Trust; 2] = [Trust::Trusted, Trust::Untrusted];

/// A file, its expected results, and its sidecar.
struct SidecarCase {
    file: Vec<u8>,
    answers: Answers,
    sidecar: Vec<u8>,
}

impl SidecarCase {
    fn new(file: Vec<u8>) -> Self {
        let answers = answers(&file, None, STEP);
        let sidecar = sidecar_of(&file, &key());
        Self { file, answers, sidecar }
    }

    /// Asserts that these bytes, used as a sidecar, change no result.
    fn expect_equal(&self, sidecar: &[u8], trust: Trust, what: &str) {
        let found = answers_through(&self.file, sidecar, trust, STEP);
        assert_eq!(self.answers.differs(&found), None, "{what}, {trust:?}");
    }

    /// Asserts that they change no result, with and without trust in the sidecar.
    fn expect_no_change(&self, sidecar: &[u8], what: &str) {
        for trust in TRUSTS {
            self.expect_equal(sidecar, trust, what);
        }
    }

    /// Asserts that they change no result without trust.
    ///
    /// With trust, queries give values or errors, and end in time.
    fn expect_survived(&self, sidecar: &[u8], what: &str) {
        self.expect_equal(sidecar, Trust::Untrusted, what);
        within(20, what, || answers_through(&self.file, sidecar, Trust::Trusted, STEP));
    }
}

fn all() -> Vec<SidecarCase> {
    let animations = AnimationGeneration::ALL.map(|generation| animation(generation, 700, 5));
    [small_mesh()].into_iter().chain(animations).map(SidecarCase::new).collect()
}

/// Writes a number into a sidecar, and corrects the checksums of its pages.
fn with_number(sidecar: &[u8], at: usize, value: u64) -> Vec<u8> {
    let mut spoilt = sidecar.to_vec();
    spoilt[at..at + 8].copy_from_slice(&value.to_le_bytes());
    reseal(&mut spoilt);
    spoilt
}

#[test]
fn refuses_random_bytes() {
    let mut random = Random::new(1);
    for spoken in all() {
        for round in 0..2000 / SCALE {
            let length = random.below(3 * PAGE);
            let mut noise: Vec<u8> = (0..length).map(|_| random.next().to_le_bytes()[3]).collect();
            if round % 2 == 0 && noise.len() > 100 {
                // With a valid start of a header, and correct page checksums.
                noise[..80].copy_from_slice(&spoken.sidecar[..80]);
                noise[PAGES_AT..PAGES_AT + 8].copy_from_slice(&((length / PAGE) as u64).to_le_bytes());
                noise[88..96].copy_from_slice(&(length as u64).to_le_bytes());
                reseal(&mut noise);
            }
            spoken.expect_survived(&noise, "noise");
        }
    }
}

#[test]
fn refuses_any_changed_byte() {
    for spoken in all() {
        let step = if cfg!(debug_assertions) { 53 } else { 1 };
        let mut random = Random::new(2);
        let mut spoilt = spoken.sidecar.clone();
        for at in (0..spoilt.len()).step_by(step) {
            let flips = 1_u8 << random.below(8);
            spoilt[at] ^= flips;
            spoken.expect_no_change(&spoilt, &format!("byte {at}"));
            spoilt[at] ^= flips;
        }
        assert!(spoilt == spoken.sidecar);
    }
}

#[test]
fn refuses_any_other_length() {
    for spoken in all() {
        let step = if cfg!(debug_assertions) { 211 } else { 1 };
        for length in (0..spoken.sidecar.len()).step_by(step) {
            let cut = &spoken.sidecar[..length];
            assert!(TRUSTS.iter().all(|trust| Sidecar::open(cut.to_vec(), &key(), *trust).is_none()), "{length} bytes");
        }
        let long = [&spoken.sidecar[..], &[0]].concat();
        assert!(Sidecar::open(long, &key(), Trust::Trusted).is_none());
    }
}

#[test]
fn refuses_the_sidecar_of_another_file() {
    let all = all();
    for one in &all {
        for other in &all {
            one.expect_no_change(&other.sidecar, "of another file");
        }
    }
}

/// Returns pairs of files with the same header and the same size.
fn twins() -> Vec<[Vec<u8>; 2]> {
    let skinned = |counts: &[&[u8]]| {
        let surfaces = counts.iter().map(|counts| surface("skin", counts)).collect();
        mesh(Generation::Ms12, surfaces, vec![motion(260, 3, false)])
    };
    let mut moved = counts(1, 200);
    let first = skinned(&[&moved, &counts(2, 100)]);
    moved.rotate_left(1);
    let mut twins = vec![[first, skinned(&[&moved, &counts(2, 100)])]];
    // Both surfaces together have equally many bytes of weights in both files, but each surface
    // alone does not.
    twins.push([skinned(&[&[1; 70], &[2; 70]]), skinned(&[&[2; 70], &[1; 70]])]);
    // Tangent frames replace weights. A frame takes 8 bytes.
    let exchanged = |count: u8, frames: usize| {
        let mut surface = surface("skin", &[count; 64]);
        surface.targets[0].frames.resize(frames, meshpeek::decode::TangentFrame::default());
        surface.uvs[0].clear();
        mesh(Generation::Ms12, vec![surface.clone(), surface], Vec::new())
    };
    // One influence more in each of 64 lists takes 256 bytes, which is the size of 32 tangent
    // frames.
    twins.push([exchanged(2, 8), exchanged(1, 40)]);
    for generation in AnimationGeneration::ALL {
        let [one, other] = [1, 2].map(|seed| animation(generation, 300, seed));
        if one.len() == other.len() {
            twins.push([one, other]);
        }
    }
    assert!(twins.len() >= 6);
    twins
}

#[test]
fn survives_the_sidecar_of_a_twin_with_the_same_header() {
    for [one, other] in twins() {
        assert_eq!(one.len(), other.len());
        let spoken = SidecarCase::new(one);
        spoken.expect_survived(&sidecar_of(&other, &key()), "of a twin");
    }
}

#[test]
fn uses_no_part_of_a_sidecar_that_does_not_fit() {
    // The number of frames differs by one, so the checkpoints would be at the same positions.
    for generation in AnimationGeneration::ALL {
        let [one, other] = [299, 300].map(|frames| animation(generation, frames, u64::from(frames)));
        let spoken = SidecarCase::new(one);
        spoken.expect_no_change(&sidecar_of(&other, &key()), "frames");
    }
    // Both surfaces together have the same number of weights in both files. One surface has more
    // vertices, and the other one has fewer.
    let surfaces = |counts: [usize; 2]| {
        let surfaces = counts.map(|count| {
            let mut surface = surface("skin", &vec![2; count]);
            surface.targets[0].positions.fill([1.0; 3]);
            surface
        });
        mesh(Generation::Ms12, surfaces.to_vec(), Vec::new())
    };
    let [one, other] = [[90, 99], [99, 90]].map(surfaces);
    assert_eq!(one.len(), other.len());
    let spoken = SidecarCase::new(one);
    spoken.expect_no_change(&sidecar_of(&other, &key()), "vertices");
}

#[test]
fn survives_wrong_numbers_in_records() {
    let mut random = Random::new(4);
    for spoken in all() {
        let length = spoken.sidecar.len() as u64;
        let edges = |own: u64| {
            let ends = [0, 1, 2, 63, 64, 65, 4096, u64::from(u32::MAX), 1 << 40, u64::MAX >> 1, u64::MAX - 7, u64::MAX];
            let near = [length, length - 1, length + 1, own.wrapping_add(1), own.wrapping_sub(1), own ^ (1 << 63)];
            ends.into_iter().chain(near).collect::<BTreeSet<_>>()
        };
        // The header: the number of pages, the size, and the count, page and size of every list.
        for at in (PAGES_AT..LISTS_AT + 24 * LISTS).step_by(8) {
            let values = edges(number(&spoken.sidecar, at)).into_iter().filter(|_| random.one_in(SCALE.div_ceil(6)));
            for value in values.collect::<Vec<_>>() {
                spoken.expect_survived(&with_number(&spoken.sidecar, at, value), &format!("{value} at {at}"));
            }
        }
        // Every number of every record. If there are many records, only some of them.
        for list in 0..LISTS {
            let (range, size) = records(&spoken.sidecar, list);
            for at in range.clone().step_by(4) {
                let chosen = at - range.start < 2 * size || random.one_in(4 * SCALE);
                for value in edges(number(&spoken.sidecar, at)).into_iter().filter(|_| chosen) {
                    if !random.one_in(SCALE.div_ceil(4)) || at + 8 > range.end {
                        continue;
                    }
                    spoken.expect_survived(&with_number(&spoken.sidecar, at, value), &format!("{value} at {at}"));
                }
            }
        }
    }
}

#[test]
fn survives_records_in_another_order() {
    let mut random = Random::new(5);
    for spoken in all() {
        for list in 0..LISTS {
            let (range, size) = records(&spoken.sidecar, list);
            if range.len() < 2 * size || range.is_empty() {
                continue;
            }
            let content = spoken.sidecar[range.clone()].to_vec();
            let mut backwards: Vec<&[u8]> = content.chunks(size).rev().collect();
            let mut orders = vec![backwards.concat()];
            backwards.rotate_left(1);
            orders.push(backwards.concat());
            orders.push(content[..size].repeat(content.len() / size));
            for _ in 0..200 / SCALE {
                let (one, other) = (random.below(backwards.len()), random.below(backwards.len()));
                backwards.swap(one, other);
                orders.push(backwards.concat());
            }
            for order in orders {
                let mut spoilt = spoken.sidecar.clone();
                spoilt[range.clone()].copy_from_slice(&order);
                reseal(&mut spoilt);
                spoken.expect_survived(&spoilt, "another order");
            }
        }
        // Lists that are replaced by each other.
        for (one, other) in (0..LISTS).flat_map(|one| (0..LISTS).map(move |other| (one, other))) {
            let mut spoilt = spoken.sidecar.clone();
            spoilt.copy_within(LISTS_AT + 24 * one..LISTS_AT + 24 * one + 16, LISTS_AT + 24 * other);
            reseal(&mut spoilt);
            spoken.expect_survived(&spoilt, "another list");
        }
    }
}

#[test]
fn survives_random_damage() {
    let mut random = Random::new(6);
    for spoken in all() {
        for _ in 0..5000 / SCALE {
            let mut spoilt = spoken.sidecar.clone();
            for _ in 0..=random.below(4) {
                let at = if random.one_in(3) {
                    PAGES_AT + random.below(LISTS_AT + 24 * LISTS - PAGES_AT)
                } else {
                    let page = random.within(1..spoilt.len().div_ceil(PAGE).max(2)) * PAGE;
                    (page + random.below(400)).min(spoilt.len() - 1)
                };
                spoilt[at] = random.next().to_le_bytes()[2];
            }
            reseal(&mut spoilt);
            spoken.expect_survived(&spoilt, "chance");
        }
    }
}

#[test]
fn refuses_other_versions_and_byte_orders() {
    for spoken in all() {
        let mut others = Vec::new();
        for version in [0_u32, 1, 2, 4, 1 << 24, u32::MAX] {
            others.push((VERSION_AT, version.to_le_bytes().to_vec()));
        }
        for page in [0_u32, 1, 512, 8192, 4096_u32.swap_bytes()] {
            others.push((PAGE_AT, page.to_le_bytes().to_vec()));
        }
        others.push((0, b"xdikeepm".to_vec()));
        others.push((0, b"mpeekidy".to_vec()));
        for (at, bytes) in others {
            let mut other = spoken.sidecar.clone();
            other[at..at + bytes.len()].copy_from_slice(&bytes);
            reseal(&mut other);
            assert!(TRUSTS.iter().all(|trust| Sidecar::open(other.clone(), &key(), *trust).is_none()), "byte {at}");
        }
        // Correct checksums show that a changed byte causes the refusal, not a wrong checksum.
        let mut same = spoken.sidecar.clone();
        reseal(&mut same);
        assert!(same == spoken.sidecar);
        let other = with_number(&spoken.sidecar, STRUCTURE_AT, 7);
        spoken.expect_no_change(&other, "another structure");
    }
}
