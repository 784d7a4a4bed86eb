//! Writing the joints and weights of lists of influences that are read in order.
//!
//! The influences of sixteen lists are read to lanes, where they are sorted, checked and divided by
//! their sum. [`Greatest`] does the same for one list. It takes lists of more than four influences.

#![allow(clippy::inline_always, reason = "the loops must be compiled for each instruction set")]
#![allow(clippy::indexing_slicing, reason = "a lane is below the length of each row")]

use std::array::from_fn;
use std::ops::Range;

use super::greatest::{BONES, Greatest};
use super::interleave::ColumnBuffer;
use super::layout::VertexFormat;
use crate::error::Result;
use crate::math::{as_index, narrow};
use crate::model::{InfluenceLanes, Influences, LANES, SkinningRules, WeightsIter};
use crate::simd::kernel;

/// The formats of joints and weights, and the rules for joints.
#[derive(Clone, Copy, Debug)]
pub(super) struct SkinFormats {
    pub(super) joints: Option<VertexFormat>,
    pub(super) shares: Option<VertexFormat>,
    /// The number of bones, if joints are checked.
    pub(super) bones: Option<usize>,
    rules: SkinningRules,
}

impl SkinFormats {
    /// Makes formats of vertices without joints and weights.
    pub(super) const fn new(rules: SkinningRules) -> Self {
        Self { joints: None, shares: None, bones: None, rules }
    }

    /// Returns the sizes of joints and weights in bytes.
    pub(super) fn sizes(&self) -> [usize; 2] {
        [self.joints, self.shares].map(|format| format.map_or(0, |format| as_index(format.size())))
    }

    /// Returns the parts of two buffers for the joints and weights of `count` vertices.
    pub(super) fn values<'b>(&self, buffers: &'b mut Option<[ColumnBuffer; 2]>, count: usize) -> [&'b mut [u8]; 2] {
        let [joints, shares] = buffers.get_or_insert_with(|| [ColumnBuffer::EMPTY; 2]);
        let [joint_size, share_size] = self.sizes().map(|size| size.saturating_mul(count));
        [joints.values(joint_size).unwrap_or_default(), shares.values(share_size).unwrap_or_default()]
    }

    /// Writes the joints and weights of one vertex as items `number` of the columns.
    pub(super) fn write_list(
        &self,
        influences: Option<&Influences<'_>>,
        vertex: usize,
        number: usize,
        joints: &mut [u8],
        shares: &mut [u8],
    ) -> Result<()> {
        let [joint_size, share_size] = self.sizes();
        let mut greatest = Greatest::of(influences);
        if let Some(format) = self.joints {
            self.limit_bones(&mut greatest, vertex)?;
            greatest.write_joints(format, vertex, items(joints, number, 1, joint_size))?;
        }
        if let Some(format) = self.shares {
            greatest.write_weights(format, items(shares, number, 1, share_size));
        }
        Ok(())
    }

    /// Applies the rules for bones out of range, if joints are checked.
    fn limit_bones(&self, greatest: &mut Greatest, vertex: usize) -> Result<()> {
        self.bones.map_or(Ok(()), |bones| greatest.limit_bones(bones, self.rules, vertex))
    }

    /// Writes the joints and weights of the first `count` lanes.
    #[inline(always)]
    fn write_lanes(
        &self,
        lanes: &mut InfluenceLanes,
        vertices: Range<usize>,
        joints: &mut [u8],
        shares: &mut [u8],
    ) -> Result<()> {
        sort(lanes);
        if let Some(format) = self.joints {
            self.check_joints(lanes, format, vertices)?;
            let [a, b, c, d] = &lanes.bones.map(|row| row.map(i32::cast_unsigned));
            let pairs = |shift| [pair(a, b, shift), pair(c, d, shift)];
            match format {
                VertexFormat::Uint8x4 => put_bytes(joints, pairs(8)),
                _ => put_words(joints, pairs(16)),
            }
        }
        match self.shares {
            Some(VertexFormat::Unorm8x4) => put_bytes(shares, whole_shares::<255>(&lanes.weights)),
            Some(VertexFormat::Unorm16x4) => put_words(shares, whole_shares::<65535>(&lanes.weights)),
            Some(_) => put_floats(shares, &lanes.weights),
            None => {}
        }
        Ok(())
    }

    /// Replaces joints that are out of range, or returns an error.
    #[inline(always)]
    fn check_joints(&self, lanes: &mut InfluenceLanes, format: VertexFormat, vertices: Range<usize>) -> Result<()> {
        let limit = if format == VertexFormat::Uint8x4 { 256 } else { 65536 };
        let limit = self.bones.map_or(limit, |bones| u32::try_from(bones).map_or(limit, |bones| bones.min(limit)));
        let joints = lanes.bones.as_flattened().iter();
        if joints.fold(0, |most, joint| most.max(joint.cast_unsigned())) < limit {
            return Ok(());
        }
        self.limit_lanes(lanes, format, vertices)
    }

    /// Applies the rules for joints out of range to each lane.
    #[cold]
    #[inline(never)]
    fn limit_lanes(&self, lanes: &mut InfluenceLanes, format: VertexFormat, vertices: Range<usize>) -> Result<()> {
        for (lane, vertex) in vertices.enumerate().take(LANES) {
            let (bones, weights) = (lanes.bones.map(|row| row[lane]), lanes.weights.map(|row| row[lane]));
            let mut greatest = Greatest { bones, weights };
            self.limit_bones(&mut greatest, vertex)?;
            greatest.write_joints(format, vertex, &mut [0; 8])?;
            for (row, bone) in lanes.bones.iter_mut().zip(greatest.bones) {
                row[lane] = bone;
            }
        }
        Ok(())
    }
}

kernel! {
    /// Writes the joints and weights of `vertices`, whose influences are the next of `lists`.
    /// Missing lists are empty.
    pub(super) fn write_lists(
        formats: SkinFormats,
        lists: &mut WeightsIter<'_>,
        vertices: Range<usize>,
        joints: &mut [u8],
        shares: &mut [u8],
    ) -> Result<()> {
        write_lists_any(formats, lists, vertices, joints, shares)
    }
}

#[inline(always)]
fn write_lists_any(
    formats: SkinFormats,
    lists: &mut WeightsIter<'_>,
    vertices: Range<usize>,
    joints: &mut [u8],
    shares: &mut [u8],
) -> Result<()> {
    let [joint_size, share_size] = formats.sizes();
    let mut lanes = InfluenceLanes::EMPTY;
    let mut next = vertices.clone();
    while !next.is_empty() {
        let number = next.start.saturating_sub(vertices.start);
        let wanted = next.len().min(LANES);
        let read = lists.read_lanes(&mut lanes, wanted);
        let after = next.start.saturating_add(read);
        if read > 0 {
            let joints = items(joints, number, read, joint_size);
            let shares = items(shares, number, read, share_size);
            formats.write_lanes(&mut lanes, next.start..after, joints, shares)?;
        }
        next.start = after;
        if read < wanted {
            let number = number.saturating_add(read);
            formats.write_list(lists.next().as_ref(), after, number, joints, shares)?;
            next.start = after.saturating_add(1);
        }
    }
    Ok(())
}

/// Returns the bytes of `count` items of a column from item `number` on.
fn items(column: &mut [u8], number: usize, count: usize, size: usize) -> &mut [u8] {
    let start = number.saturating_mul(size);
    column.get_mut(start..start.saturating_add(count.saturating_mul(size))).unwrap_or_default()
}

/// A value of each lane.
type PerLane<T> = [T; LANES];

/// Sorts the influences of each lane as [`Greatest`] has them.
#[inline(always)]
fn sort(InfluenceLanes { bones, weights }: &mut InfluenceLanes) {
    let exchange = |one: (f32, i32), next: (f32, i32)| if one.0 < next.0 { (next, one) } else { (one, next) };
    for lane in 0..LANES {
        let [a, b, c, d] = from_fn(|place| {
            let (weight, bone) = (weights[place][lane], bones[place][lane]);
            (if weight > 0.0 && weight < f32::INFINITY { weight } else { 0.0 }, bone)
        });
        // Only neighbours are exchanged, so influences with equal weights stay in order.
        let (a, b) = exchange(a, b);
        let (b, c) = exchange(b, c);
        let (c, d) = exchange(c, d);
        let (a, b) = exchange(a, b);
        let (b, c) = exchange(b, c);
        let (a, b) = exchange(a, b);
        for (place, (weight, bone)) in [a, b, c, d].into_iter().enumerate() {
            weights[place][lane] = if place == 0 && weight <= 0.0 { 1.0 } else { weight };
            bones[place][lane] = if weight > 0.0 { bone } else { 0 };
        }
    }
}

/// Returns the [shares](Greatest::write_weights) of each lane, the first two and the last two. A
/// pair of shares takes 16 bits if `ONE` is 255, and 32 bits if it is 65535.
#[inline(always)]
#[allow(clippy::as_conversions, clippy::cast_possible_truncation, reason = "the low bits are meant")]
#[allow(clippy::many_single_char_names, reason = "four weights")]
fn whole_shares<const ONE: u16>(weights: &[PerLane<f32>; BONES]) -> [PerLane<u32>; 2] {
    /// The low bits of the sum of a small integer and this number are the integer.
    const INTEGERS: f64 = 4_503_599_627_370_496.0;
    let mut pairs = [[0; LANES]; 2];
    for lane in 0..LANES {
        let [a, b, c, d] = weights.each_ref().map(|row| f64::from(row[lane]));
        let scale = f64::from(ONE) / (a + b + c + d);
        let exact = [a * scale, b * scale, c * scale, d * scale];
        let [a, b, c, d] = exact.map(f64::trunc);
        let missing = f64::from(ONE) - (a + b + c + d);
        let [e, f, g, h] = [exact[0] - a, exact[1] - b, exact[2] - c, exact[3] - d];
        // The rank of a share is the number of shares that lose more, or that are equal and first.
        let one = |is: bool| if is { 1.0 } else { 0.0 };
        let [ef, eg, eh, fg, fh, gh] = [f > e, g > e, h > e, g > f, h > f, h > g].map(one);
        let ranks = [ef + eg + eh, 1.0 - ef + fg + fh, 2.0 - eg - fg + gh, 3.0 - eh - fh - gh];
        let [e, f, g, h] = ranks.map(|rank| one(rank < missing));
        let factor = f64::from(ONE) + 1.0;
        for (pairs, (first, second)) in pairs.iter_mut().zip([(a + e, b + f), (c + g, d + h)]) {
            pairs[lane] = (first + second * factor + INTEGERS).to_bits() as u32;
        }
    }
    pairs
}

/// Returns two numbers of each lane in one, the second of them shifted left.
#[inline(always)]
fn pair(first: &PerLane<u32>, second: &PerLane<u32>, shift: u32) -> PerLane<u32> {
    from_fn(|lane| first[lane] | second[lane].wrapping_shl(shift))
}

/// Writes pairs of 16 bits.
#[inline(always)]
fn put_bytes(out: &mut [u8], [first, second]: [PerLane<u32>; 2]) {
    put(out, &pair(&first, &second, 16).map(u32::to_le_bytes));
}

/// Writes pairs of 32 bits.
#[inline(always)]
fn put_words(out: &mut [u8], [first, second]: [PerLane<u32>; 2]) {
    let both = |lane| u64::from(first[lane]) | u64::from(second[lane]) << 32;
    put(out, &from_fn(|lane| both(lane).to_le_bytes()));
}

/// Writes the weights of each lane, divided by their sum.
#[inline(always)]
fn put_floats(out: &mut [u8], weights: &[PerLane<f32>; BONES]) {
    let rows: PerLane<[f32; BONES]> = from_fn(|lane| {
        let [a, b, c, d] = weights.each_ref().map(|row| f64::from(row[lane]));
        let sum = a + b + c + d;
        [a, b, c, d].map(|weight| narrow(weight / sum))
    });
    put(out, &rows.map(|row| bytemuck::cast::<_, [u8; 16]>(row.map(f32::to_le_bytes))));
}

/// Writes the first rows to `out`, as many as it has room for.
#[inline(always)]
fn put<const SIZE: usize>(out: &mut [u8], rows: &PerLane<[u8; SIZE]>) {
    for (place, row) in out.as_chunks_mut().0.iter_mut().zip(rows) {
        *place = *row;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::OnceLock;

    use super::*;
    use crate::array::Strided;
    use crate::array::runs::{CountedRuns, TerminatedRuns};
    use crate::decode::{ByteOrder, EndianFloats, EndianU16s};
    use crate::model::{FixedWeights, Weights};
    use crate::simd::at_each_level;

    const VERTICES: usize = 400;

    /// Returns random numbers below a limit.
    fn random() -> impl FnMut(u32) -> u32 {
        let mut state = 9_u64;
        move |limit: u32| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            u32::try_from(state >> 40).unwrap() % limit
        }
    }

    /// Returns lists of influences with a count: most of up to four influences, some of up to 255,
    /// with equal weights, weights of 0 and bones that occur twice.
    fn counted(bones: u32) -> Vec<u8> {
        let (mut random, mut bytes) = (random(), Vec::new());
        for _ in 0..VERTICES {
            let count = [random(5), random(5), random(5), random(9), random(256)][as_index(random(5).min(random(5)))];
            bytes.push(u8::try_from(count).unwrap());
            for _ in 0..count {
                let weight = [random(65536), 0, 1000, 65535][as_index(random(4))];
                let bone = i16::try_from(random(bones + 2)).unwrap().min(300);
                bytes.extend(if bone == 299 { -1 } else { bone }.to_le_bytes());
                bytes.extend(u16::try_from(weight).unwrap().to_le_bytes());
            }
        }
        bytes
    }

    /// Returns lists of up to four influences with a mark.
    fn terminated() -> Vec<u8> {
        let (mut random, mut bytes) = (random(), Vec::new());
        for _ in 0..VERTICES {
            let count = random(5);
            for _ in 0..count {
                bytes.push(u8::try_from(random(255)).unwrap());
                bytes.extend(u16::try_from([random(65536), 0, 9][as_index(random(3))]).unwrap().to_le_bytes());
            }
            bytes.extend((count < 4).then_some(255));
        }
        bytes
    }

    /// Returns records of four bones and four floats of any kind.
    fn fixed() -> Vec<u8> {
        let (mut random, mut bytes) = (random(), Vec::new());
        for _ in 0..VERTICES {
            (0..4).for_each(|_| bytes.extend(u16::try_from(random(300)).unwrap().to_le_bytes()));
            for _ in 0..4 {
                let special = [f32::NAN, f32::INFINITY, -0.5, -0.0, 0.0, 0.25, f32::MAX, f32::MIN_POSITIVE, 1e-45];
                let place = as_index(random(18));
                let weight =
                    special.get(place).copied().unwrap_or(f32::from(u16::try_from(random(1000)).unwrap()) / 999.0);
                bytes.extend(weight.to_le_bytes());
            }
        }
        bytes
    }

    /// Compares blocks of lists with single lists, for all formats.
    fn agree(weights: Weights<'_>) {
        let joint_formats = [None, Some(VertexFormat::Uint8x4), Some(VertexFormat::Uint16x4)];
        let share_formats = [VertexFormat::Unorm8x4, VertexFormat::Unorm16x4, VertexFormat::Float32x4];
        let rules = [SkinningRules::Strict, SkinningRules::Clamped];
        for joints in joint_formats {
            for shares in [None].into_iter().chain(share_formats.map(Some)) {
                for bones in [None, Some(0), Some(20), Some(1000)] {
                    for rules in rules {
                        agree_in(weights, SkinFormats { joints, shares, bones, rules });
                    }
                }
            }
        }
    }

    fn agree_in(weights: Weights<'_>, formats: SkinFormats) {
        let sizes = formats.sizes();
        // The first lists up to one that is an error, and all of them, from some starts.
        let lists = |vertex: usize| weights.get(u32::try_from(vertex).unwrap());
        let room = || sizes.map(|size| vec![0xa5; size * VERTICES]);
        let [mut joints, mut shares] = room();
        let mut error = None;
        for vertex in 0..VERTICES {
            let result = formats.write_list(lists(vertex).as_ref(), vertex, vertex, &mut joints, &mut shares);
            if let Err(wrong) = result {
                error = Some((vertex, wrong.to_string()));
                break;
            }
        }
        let good = error.as_ref().map_or(VERTICES, |(vertex, _)| *vertex);
        for (start, end) in [(0, good), (0, good.min(3)), (good / 3, good), (good / 2, good / 2 + good / 4)] {
            let [mut found, mut found_shares] = room();
            let (parts, count) = ([&joints, &shares], end - start);
            let [found, found_shares] = [&mut found[..count * sizes[0]], &mut found_shares[..count * sizes[1]]];
            write_lists(formats, &mut weights.iter_at(start), start..end, found, found_shares).unwrap();
            assert!(*found == parts[0][start * sizes[0]..end * sizes[0]], "{formats:?} {start}..{end}");
            assert!(*found_shares == parts[1][start * sizes[1]..end * sizes[1]], "{formats:?} {start}..{end}");
        }
        if let Some((_, error)) = error {
            let [mut found, mut found_shares] = room();
            let result = write_lists(formats, &mut weights.iter(), 0..VERTICES, &mut found, &mut found_shares);
            assert_eq!(result.unwrap_err().to_string(), error);
        }
    }

    #[test]
    fn each_level_writes_what_single_lists_are() {
        let (few, many, terminated, fixed) = (counted(18), counted(400), terminated(), fixed());
        let bones = Strided::new(&fixed, 24, 0, EndianU16s(ByteOrder::Little)).unwrap();
        let floats = Strided::new(&fixed, 24, 8, EndianFloats(ByteOrder::Little)).unwrap();
        at_each_level(|_| {
            for bytes in [&few, &many, &terminated] {
                // Cut lists are missing at the end.
                for cut in [0, 1, 1000] {
                    let (bytes, index) = (&bytes[..bytes.len() - cut], OnceLock::new());
                    agree(Weights::from_counted(CountedRuns::new(bytes, VERTICES), Some(&index)));
                }
            }
            for cut in [0, 1, 1000] {
                let (bytes, index) = (&terminated[..terminated.len() - cut], OnceLock::new());
                agree(Weights::from_terminated(TerminatedRuns::new(bytes, VERTICES), Some(&index)));
            }
            agree(Weights::from_fixed(FixedWeights::new(&fixed, bones, floats, 0)));
        });
    }
}
