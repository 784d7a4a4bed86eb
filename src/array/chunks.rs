//! Values handed out in pieces that the nearest cache holds, so that whoever looks at each of them is not held up by memory,
//! and nothing is allocated.

use std::fmt;

use bytemuck::Pod;
use zerocopy::IntoBytes;

use crate::decode::codec::{Decode, one_by_one};
use crate::decode::convert::OutputFormat;
use crate::error::{Error, ErrorKind, Field, Result};
use crate::math::as_u64;
use crate::simd::{LINE, PastCache};

/// Bytes of values that are handed out at a time: a sixth of the smallest first cache there is beside a piece of the file and
/// one of what becomes of it.
pub(crate) const BYTES: usize = 8 << 10;

/// Bytes of an output from which on it is written past the cache: the last cache of most machines holds no more of it. In a
/// cache that does hold the output, this takes twice the time.
pub(crate) const PAST_CACHE: usize = 32 << 20;

/// Room for some values.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Piece([u8; BYTES]);

impl Piece {
    pub(crate) const EMPTY: Self = Self([0; BYTES]);

    /// Returns how many values of a type are handed out at a time: whole lines of the cache, and at least one; 0 of those
    /// that take no room or more than there is.
    pub(crate) const fn count<V>() -> usize {
        let fits = match BYTES.checked_div(size_of::<V>()) {
            Some(fits) if align_of::<V>() <= align_of::<Self>() => fits,
            _ => 0,
        };
        if fits > 16 { fits.saturating_sub(fits % 16) } else { fits }
    }

    /// Returns the room as values.
    #[inline]
    pub(crate) fn values<V: Pod>(&mut self) -> &mut [V] {
        let bytes = Self::count::<V>().saturating_mul(size_of::<V>());
        let room = self.0.get_mut(..bytes).filter(|room| !room.is_empty());
        room.and_then(|room| bytemuck::try_cast_slice_mut(room).ok()).unwrap_or_default()
    }
}

/// An array's values in pieces, each of which lives until the next is asked for.
///
/// ```
/// use meshpeek::{Packed, decode::Index};
///
/// let raw = [7_u8; 5000];
/// let mut chunks = Packed::new(&raw, Index::<u8>::new()).chunks();
/// let mut sum = 0;
/// while let Some(values) = chunks.next() {
///     sum += values.iter().sum::<u32>();
/// }
/// assert_eq!(sum, 35_000);
/// ```
#[derive(Clone)]
pub struct Chunks<'a, D: Decode> {
    left: &'a [D::Raw],
    decode: D,
    piece: Piece,
}

impl<D: Decode> fmt::Debug for Chunks<'_, D> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Chunks").field("left", &self.left.len()).finish_non_exhaustive()
    }
}

impl<'a, D: Decode> Chunks<'a, D> {
    pub(crate) const fn new(raw: &'a [D::Raw], decode: D) -> Self {
        const { assert!(Piece::count::<D::Value>() > 0, "values that a piece has no room for") };
        Self { left: raw, decode, piece: Piece::EMPTY }
    }

    /// Returns how many values are left.
    #[must_use]
    pub const fn left(&self) -> usize {
        self.left.len()
    }

    /// Decodes the next values: of each piece but the last, as many; `None` where none are left.
    #[allow(clippy::should_implement_trait, reason = "an iterator's items could not be lent")]
    pub fn next(&mut self) -> Option<&[D::Value]> {
        self.next_mut().map(|values| &*values)
    }

    pub(crate) fn next_mut(&mut self) -> Option<&mut [D::Value]> {
        let room = self.piece.values();
        let (some, left) = self.left.split_at_checked(room.len()).unwrap_or((self.left, &[]));
        self.left = left;
        let values = room.get_mut(..some.len()).filter(|values| !values.is_empty())?;
        self.decode.decode_all(some, values);
        Some(values)
    }
}

/// Gathers values that come one at a time, and visits them in pieces with the number of the first of each.
pub(crate) struct Gather<V, F> {
    piece: Piece,
    first: usize,
    count: usize,
    visit: F,
    value: std::marker::PhantomData<V>,
}

impl<V: Pod, F: FnMut(usize, &mut [V])> Gather<V, F> {
    pub(crate) const fn new(visit: F) -> Self {
        const { assert!(Piece::count::<V>() > 0, "values that a piece has no room for") };
        Self { piece: Piece::EMPTY, first: 0, count: 0, visit, value: std::marker::PhantomData }
    }

    #[inline]
    pub(crate) fn push(&mut self, value: V) {
        if let Some(place) = self.piece.values().get_mut(self.count) {
            *place = value;
            self.count = self.count.saturating_add(1);
        }
        if self.count == Piece::count::<V>() {
            self.finish();
        }
    }

    /// Visits what is left.
    pub(crate) fn finish(&mut self) {
        if let Some(values) = self.piece.values().get_mut(..self.count).filter(|values| !values.is_empty()) {
            (self.visit)(self.first, values);
        }
        self.first = self.first.saturating_add(self.count);
        self.count = 0;
    }
}

/// Converts values to a format, a piece at a time.
pub(crate) struct Conversion<'a, F: OutputFormat<N>, const N: usize> {
    format: F,
    out: &'a mut [[F::Component; N]],
    past_cache: Option<PastCache>,
    piece: Piece,
}

impl<'a, F: OutputFormat<N>, const N: usize> Conversion<'a, F, N> {
    /// # Errors
    ///
    /// [`ErrorKind::Buffer`] where `out` does not have exactly `count` items.
    pub(crate) fn new(format: F, out: &'a mut [[F::Component; N]], count: usize) -> Result<Self> {
        fits(out, count)?;
        let past_cache = (size_of_val(out) >= PAST_CACHE).then(PastCache::new);
        Ok(Self { format, out, past_cache, piece: Piece::EMPTY })
    }

    /// Converts values, the first of which is number `first`. They are written over.
    pub(crate) fn put(&mut self, first: usize, mut values: &mut [[f32; N]]) {
        let mut out = self.out.get_mut(first..).unwrap_or_default();
        let step = Piece::count::<[F::Component; N]>();
        let Some(past_cache) = self.past_cache.as_ref().filter(|_| step > 0) else {
            self.format.convert_all(values, out);
            return;
        };
        while !values.is_empty() {
            let count = values.len().min(step);
            let Some((some, left)) = std::mem::take(&mut values).split_at_mut_checked(count) else { return };
            let Some((place, rest)) = std::mem::take(&mut out).split_at_mut_checked(count) else { return };
            let converted = self.piece.values().get_mut(..count).unwrap_or_default();
            self.format.convert_all(some, converted);
            past_cache.store(bytemuck::cast_slice_mut(place), bytemuck::cast_slice(converted), &[]);
            (values, out) = (left, rest);
        }
    }
}

/// Decodes into a destination that no cache holds: a piece at a time in the nearest one, and from there past all of them.
pub(crate) fn decode_past_cache<D: Decode>(decode: D, raw: &[D::Raw], out: &mut [D::Value]) {
    let mut piece = Piece::EMPTY;
    let room = piece.values::<D::Value>();
    if room.is_empty() {
        decode.decode_all(raw, out);
        return;
    }
    let past_cache = PastCache::new();
    let next = raw.chunks(room.len()).skip(1).map(IntoBytes::as_bytes).chain(std::iter::once(&[][..]));
    for ((raw, out), next) in raw.chunks(room.len()).zip(out.chunks_mut(room.len())).zip(next) {
        let values = room.get_mut(..raw.len()).unwrap_or_default();
        decode.decode_all(raw, values);
        past_cache.store(bytemuck::cast_slice_mut(out), bytemuck::cast_slice(values), next);
    }
}

/// Values of which so few need no care where they lie.
const FEW: usize = 256;

/// Decodes into a destination that a cache may hold. The first few values are decoded by themselves, so that what comes
/// after them begins with a line of the cache: a store across two lines takes as long as two.
pub(crate) fn decode_cached<D: Decode>(decode: D, raw: &[D::Raw], out: &mut [D::Value]) {
    let misplaced = out.as_ptr().addr() % LINE;
    let begins = |count: &usize| misplaced.wrapping_add(count.wrapping_mul(size_of::<D::Value>())) % LINE == 0;
    let first = if raw.len() < FEW { 0 } else { (0..LINE / 4).find(begins).unwrap_or(0) };
    if let Some(((first_raw, raw), (first, out))) = raw.split_at_checked(first).zip(out.split_at_mut_checked(first)) {
        one_by_one(first_raw, first, |raw| decode.decode(raw));
        decode.decode_all(raw, out);
    }
}

/// Fails where `out` does not have exactly `count` items.
pub(crate) fn fits<V>(out: &[V], count: usize) -> Result<()> {
    if out.len() == count {
        return Ok(());
    }
    let kind = ErrorKind::Buffer { needed: as_u64(count), given: as_u64(out.len()) };
    Err(Error::without_offset("packed array", Field::new("out"), kind))
}
