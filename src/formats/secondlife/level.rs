//! [`Level`]: a level of detail or the collision triangles, as the submeshes of an inflated block.

use super::asset_block::AssetBlock;
use super::layout::{AssetPart, TRIPLE};
use super::llsd::{LlsdArray, LlsdValue};
use super::surface::{Submesh, SubmeshKey};
use super::validate::rules;
use crate::array::Array as _;
use crate::decode::MinMax16;
use crate::error::{Breaking as _, Cause, Error, Field, Result};
use crate::math::as_u64;

/// A level of detail or the collision triangles: an array of submeshes, one per material.
#[derive(Clone, Copy, Debug)]
pub struct Level<'a> {
    block: AssetBlock<'a>,
    array: LlsdArray<'a>,
}

impl<'a> AssetBlock<'a> {
    /// Returns the submeshes of a block that holds a level of detail or collision triangles.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Value`] if the type of the block is not a level of detail or collision
    /// triangles, or if the LLSD value of the block is not an array.
    ///
    /// [`ErrorKind::Value`]: crate::ErrorKind::Value
    pub fn level(&self) -> Result<Level<'a>> {
        Level::new(*self)
    }
}

impl<'a> Level<'a> {
    pub(super) fn new(block: AssetBlock<'a>) -> Result<Self> {
        match block.value() {
            LlsdValue::Array(array) if block.part().is_geometry() => Ok(Self { block, array }),
            other => Err(block.wrong_type("an array of submeshes", other.kind())),
        }
    }

    /// Returns the inflated block that holds the level of detail.
    #[must_use]
    pub const fn block(&self) -> AssetBlock<'a> {
        self.block
    }

    /// Returns the type of the block that holds the level of detail.
    #[must_use]
    pub fn part(&self) -> AssetPart {
        self.block.part()
    }

    /// Returns the number of submeshes in the level of detail, including submeshes without
    /// geometry.
    #[must_use]
    pub fn len(&self) -> usize {
        self.array.len()
    }

    /// Returns whether the level of detail has no submeshes.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.array.is_empty()
    }

    /// Returns the submesh at `index` in the level of detail.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::NoSuch`] if the index is out of range, or [`ErrorKind::Value`] if the
    /// submesh is not an LLSD map.
    ///
    /// [`ErrorKind::NoSuch`]: crate::ErrorKind::NoSuch
    /// [`ErrorKind::Value`]: crate::ErrorKind::Value
    pub fn submesh(&self, index: usize) -> Result<Submesh<'a>> {
        let number = as_u64(index);
        let field = Field::new("").in_list(self.part().key(), number);
        let Some(at) = self.block.list(0).get(index) else {
            let kind = Cause::NoSuch { count: as_u64(self.len()), index: number };
            return Err(Error::without_offset(super::layout::FORMAT, field, kind));
        };
        let at = usize::try_from(*at).unwrap_or(usize::MAX);
        match self.block.item_at(at) {
            Some(LlsdValue::Map(map)) => Ok(Submesh::new(self.block, index, at, map)),
            other => {
                let found = other.map_or("nothing", |value| value.kind());
                Err(self.block.wrong(&rules::WRONG_BLOCK_TYPE, field, at, "a map as the submesh", found))
            }
        }
    }

    /// Checks that the level of detail can be shown in full: it has a submesh, and all arrays of
    /// all submeshes are complete and valid.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Value`] or [`ErrorKind::Missing`] for the first array that is missing,
    /// incomplete or invalid, such as an index that is out of range.
    ///
    /// [`ErrorKind::Missing`]: crate::ErrorKind::Missing
    /// [`ErrorKind::Value`]: crate::ErrorKind::Value
    pub fn check(&self) -> Result<()> {
        if self.is_empty() {
            return Err(self.block.wrong_type("an array of submeshes", "an empty array"));
        }
        self.submeshes().try_for_each(|submesh| check_submesh(&submesh?))
    }

    /// Returns an iterator over the submeshes of the level of detail, in file order.
    #[must_use]
    pub fn submeshes(&self) -> impl ExactSizeIterator<Item = Result<Submesh<'a>>> + use<'a> {
        let level = *self;
        (0..level.len()).map(move |index| level.submesh(index))
    }
}

fn check_submesh(submesh: &Submesh<'_>) -> Result<()> {
    let (positions, indices) = (submesh.positions()?, submesh.indices()?);
    let uvs = submesh.uvs()?;
    submesh.normals()?;
    if submesh.is_placeholder() {
        return Ok(());
    }
    let wrong = |key: SubmeshKey, expected: String, found: String| {
        let at = submesh.get(key).map_or(submesh.at(), |(at, _)| at);
        Err(submesh.wrong(key, at, expected, found))
    };
    if positions.is_empty() {
        return wrong(SubmeshKey::Position, "at least one position".into(), "none".into());
    }
    let interval = "an interval of finite numbers";
    if !is_interval(positions.decoder()) {
        return wrong(SubmeshKey::PositionDomain, interval.into(), shown(positions.decoder()));
    }
    if let Some(decoder) = uvs.map(|uvs| uvs.decoder()).filter(|decoder| !is_interval(*decoder)) {
        return wrong(SubmeshKey::TexCoord0Domain, interval.into(), shown(decoder));
    }
    let stored = submesh.bytes(SubmeshKey::TriangleList)?.map_or(0, |(_, bytes)| bytes.len());
    if stored % TRIPLE != 0 {
        return wrong(SubmeshKey::TriangleList, format!("a multiple of {TRIPLE} bytes"), stored.to_string());
    }
    let highest = indices.raw().iter().map(|index| usize::from(index.get())).max();
    if let Some(highest) = highest.filter(|highest| *highest >= positions.len()) {
        return wrong(SubmeshKey::TriangleList, format!("indices below {}", positions.len()), highest.to_string())
            .breaking(&rules::INDEX_OUT_OF_RANGE);
    }
    let Some((runs, (_, bytes))) = submesh.weight_runs()?.zip(submesh.bytes(SubmeshKey::Weights)?) else {
        return Ok(());
    };
    let (whole, used) = runs.measure();
    if whole < runs.len() {
        let expected = format!("weights of {} vertices", runs.len());
        return wrong(SubmeshKey::Weights, expected, format!("those of {whole}"));
    }
    if used < as_u64(bytes.len()) {
        return wrong(SubmeshKey::Weights, format!("{used} bytes of weights"), bytes.len().to_string());
    }
    Ok(())
}

/// Returns whether no minimum exceeds its maximum, and all extents are finite.
fn is_interval<const N: usize>(decoder: MinMax16<N>) -> bool {
    let (min, max) = (decoder.min(), decoder.max());
    min.iter().zip(&max).all(|(min, max)| min <= max && (max - min).is_finite())
}

fn shown<const N: usize>(decoder: MinMax16<N>) -> String {
    format!("{:?} to {:?}", decoder.min(), decoder.max())
}
