//! Animations: tracks of key frames, one to a bone.

use std::ops::Range;

use super::block::Text;
use super::item::Item;
use super::outline::Kind;
use super::skeleton::widen;
use super::view::View;
use crate::decode::ByteOrder;
use crate::decode::endian::RawWord;
use crate::error::{ErrorKind, Field, Result};
use crate::math::as_u64;
use crate::model::Transform;
use crate::parse::Name;

/// Floats of a key with a scale: position 3, rotation 4, scale 3.
pub(super) const KEY: usize = 10;
/// Floats of a key without.
pub(super) const SHORT_KEY: usize = 7;

/// An animation: tracks for some of the bones.
#[derive(Clone, Copy, Debug)]
pub struct Animation<'a> {
    item: Item<'a>,
}

/// What an animation says of itself. None of it can be relied on: real files have every relation between these numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Timing {
    /// Tracks that the file says there are.
    pub tracks: Option<u32>,
    /// Frames.
    pub frames: Option<u32>,
    /// Seconds that all frames take.
    pub duration: Option<f32>,
    /// Seconds from one frame to the next.
    pub dtime: Option<f32>,
}

impl<'a> Animation<'a> {
    pub(super) const fn new(view: View<'a>, index: usize) -> Self {
        let place = Field::new("").of("animation", widen(index));
        Self { item: Item { view, kind: Kind::Animation, index, place } }
    }

    /// Returns its name.
    ///
    /// # Errors
    ///
    /// Where the owner's bytes are no longer those that were opened.
    pub fn name(&self) -> Result<Name<'a>> {
        match self.item.reader()? {
            Some(mut reader) => reader.text("name"),
            None => self.item.name("name"),
        }
    }

    /// Returns what it says of itself.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] where one of it is no number.
    pub fn timing(&self) -> Result<Timing> {
        let Some(mut reader) = self.item.reader()? else {
            let [duration, dtime] = [self.item.floats("duration")?, self.item.floats("dtime")?];
            return Ok(Timing {
                tracks: self.item.counted("trackcount")?,
                frames: self.item.counted("framecount")?,
                duration: duration.map(|[duration]| duration),
                dtime: dtime.map(|[dtime]| dtime),
            });
        };
        reader.skip_text("name")?;
        let [tracks, frames] = [reader.u32("tracks")?, reader.u32("frames")?];
        let [duration, dtime] = reader.floats("duration")?;
        Ok(Timing { tracks: Some(tracks), frames: Some(frames), duration: Some(duration), dtime: Some(dtime) })
    }

    /// Returns the numbers of its tracks among all of the file's.
    pub(super) fn track_range(&self) -> Range<usize> {
        self.item.view.within(Kind::Track, Kind::Animation, self.item.index)
    }

    /// Returns its tracks.
    #[must_use]
    pub fn tracks(&self) -> impl ExactSizeIterator<Item = Track<'a>> + use<'a> {
        let view = self.item.view;
        self.track_range().map(move |track| Track::new(view, track))
    }

    /// Returns how many frames its longest track has.
    ///
    /// # Errors
    ///
    /// As [`Track::frame_count`].
    pub fn frame_count(&self) -> Result<u32> {
        self.tracks().try_fold(0, |most, track| Ok(track.frame_count()?.max(most)))
    }
}

/// The frames of one bone.
#[derive(Clone, Copy, Debug)]
pub struct Track<'a> {
    item: Item<'a>,
}

impl<'a> Track<'a> {
    pub(super) fn new(view: View<'a>, index: usize) -> Self {
        let start = view.state.outline.start(Kind::Track, index).unwrap_or_default();
        let animation = view.state.outline.around(Kind::Animation, start).unwrap_or_default();
        let first = view.within(Kind::Track, Kind::Animation, animation).start;
        let place =
            Field::new("").of("animation", widen(animation)).within("track", widen(index.saturating_sub(first)));
        Self { item: Item { view, kind: Kind::Track, index, place } }
    }

    /// Returns where it stands in the structure, and where in the file.
    pub(super) fn place(&self) -> (Field, u64) {
        (self.item.place, self.item.start().unwrap_or_default())
    }

    /// Returns the name of the bone that it moves.
    ///
    /// # Errors
    ///
    /// Where the owner's bytes are no longer those that were opened.
    pub fn name(&self) -> Result<Name<'a>> {
        match self.item.reader()? {
            Some(mut reader) => reader.text("name"),
            None => self.item.name("name"),
        }
    }

    /// Returns the offset of the first key in the file, or of the text that they stand in.
    ///
    /// # Errors
    ///
    /// Where the owner's bytes are no longer those that were opened.
    pub fn offset(&self) -> Result<u64> {
        let Some(mut reader) = self.item.reader()? else {
            return Ok(as_u64(self.item.text("keys", "keys")?.content.start));
        };
        reader.skip_text("name")?;
        reader.lend(3, 4, "frames")?;
        Ok(reader.offset())
    }

    /// Returns how many frames it has.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] where the file does not say so.
    pub fn frame_count(&self) -> Result<u32> {
        if let Some(mut reader) = self.item.reader()? {
            reader.skip_text("name")?;
            return reader.u32("frames");
        }
        let count = self.item.counted("count")?;
        count.ok_or_else(|| View::missing(self.item.start().unwrap_or_default(), self.item.place, "count"))
    }

    /// Returns the seconds that a track of the binary form says of itself: of all frames, and between two.
    ///
    /// # Errors
    ///
    /// Where the owner's bytes are no longer those that were opened.
    pub fn seconds(&self) -> Result<Option<[f32; 2]>> {
        let Some(mut reader) = self.item.reader()? else { return Ok(None) };
        reader.skip_text("name")?;
        reader.u32("frames")?;
        reader.floats("duration").map(Some)
    }

    /// Returns whether a text file says that keys have a scale; `None` where it does not say.
    ///
    /// # Errors
    ///
    /// Where the owner's bytes are no longer those that were opened.
    pub fn has_scale(&self) -> Result<Option<bool>> {
        if self.item.view.order().is_some() {
            return Ok(Some(true));
        }
        let value = self.item.tag()?.value("has_scale");
        Ok(value.map(|value| {
            ["true", "1", "yes"].iter().any(|yes| value.bytes.trim_ascii().eq_ignore_ascii_case(yes.as_bytes()))
        }))
    }

    /// Returns the keys, unfolded the first time. Whether they have a scale is what the numbers of keys and floats say.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] where there are fewer numbers than frames need, or one is none; with
    /// [`OpenOptions::strict`](crate::OpenOptions::strict), where there are more.
    pub fn keys(&self) -> Result<Keys<'a>> {
        let frames = self.frame_count()?;
        let rows = usize::try_from(frames).unwrap_or(usize::MAX);
        if let Some(mut reader) = self.item.reader()? {
            reader.skip_text("name")?;
            reader.lend(3, 4, "duration")?;
            let bytes = reader.lend(frames.into(), 40, "keys")?;
            let order = self.item.view.order().unwrap_or_default();
            return Ok(Keys { floats: bytes.as_chunks().0, order, width: KEY, has_more: false });
        }
        let item = &self.item;
        let unfolded = item.view.unfolded(item.kind, item.index, || {
            let (text, width) = self.text()?;
            text.unfold_floats(rows, width)
        })?;
        let width = if unfolded.data.len() == rows.saturating_mul(KEY * 4) { KEY } else { SHORT_KEY };
        let floats = unfolded.data.as_chunks().0;
        Ok(Keys { floats, order: ByteOrder::Little, width, has_more: unfolded.has_more })
    }

    /// Decodes the floats of all keys, key by key, straight into a buffer: 7 or 10 to a key, as [`float_count`](Self::float_count)
    /// says. Allocates nothing.
    ///
    /// # Errors
    ///
    /// As [`keys`](Self::keys); [`ErrorKind::Buffer`].
    pub fn floats_into(&self, out: &mut [f32]) -> Result<()> {
        let fits = |needed: usize| {
            let kind = ErrorKind::Buffer { needed: as_u64(needed), given: as_u64(out.len()) };
            let error = || crate::error::Error::without_offset(super::FORMAT, self.item.place.named("out"), kind);
            if out.len() == needed { Ok(()) } else { Err(error()) }
        };
        if self.item.view.order().is_some() {
            fits(self.float_count()?)?;
            let keys = self.keys()?;
            for (out, word) in out.iter_mut().zip(keys.floats) {
                *out = keys.order.f32(RawWord(*word));
            }
            return Ok(());
        }
        let (text, width) = self.text()?;
        fits(usize::try_from(self.frame_count()?).unwrap_or(usize::MAX).saturating_mul(width))?;
        text.native_floats_into(width, out)
    }

    /// Returns how many floats all keys have.
    ///
    /// # Errors
    ///
    /// As [`frame_count`](Self::frame_count).
    pub fn float_count(&self) -> Result<usize> {
        let frames = usize::try_from(self.frame_count()?).unwrap_or(usize::MAX);
        let width = if self.item.view.order().is_some() { KEY } else { self.text()?.1 };
        Ok(frames.saturating_mul(width))
    }

    /// Returns the text of the keys, and how many floats each has.
    pub(super) fn text(&self) -> Result<(Text<'a>, usize)> {
        let text = self.item.text("keys", "keys")?;
        let frames = u64::from(self.frame_count()?);
        let found = text.count()?;
        let declared = if self.has_scale()? == Some(true) { KEY } else { SHORT_KEY };
        let fits = |width: &usize| frames.checked_mul(as_u64(*width)) == Some(found);
        let has_rows = |width: &usize| {
            let width = as_u64(*width);
            found.is_multiple_of(width) && found > frames.saturating_mul(width)
        };
        // More whole keys than are counted tell as much.
        let widths = [declared, KEY, SHORT_KEY];
        let width = widths.into_iter().find(fits).or_else(|| widths.into_iter().find(has_rows));
        Ok((text, width.unwrap_or(declared)))
    }
}

/// The key frames of a track.
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// let system = meshpeek::ezmesh::MeshSystem::open(meshpeek::read("data/ezmesh/flag101.ezb")?)?;
/// for track in system.animation(0)?.tracks() {
///     let keys = track.keys()?; // of the binary form lent as they are
///     println!("{} moves through {} frames from {:?}", track.name()?, keys.len(), keys.get(0));
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Keys<'a> {
    floats: &'a [[u8; 4]],
    order: ByteOrder,
    width: usize,
    has_more: bool,
}

impl Keys<'_> {
    /// Returns the number of frames.
    #[must_use]
    pub fn len(&self) -> usize {
        self.floats.len().checked_div(self.width).unwrap_or_default()
    }

    /// Tells whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Tells whether keys have a scale.
    #[must_use]
    pub const fn has_scale(&self) -> bool {
        self.width == KEY
    }

    /// Tells whether the file holds more numbers than the frames need.
    #[must_use]
    pub const fn has_more(&self) -> bool {
        self.has_more
    }

    /// Returns a frame, relative to the bone's parent; `None` where there is none. A scale that the file leaves out is 1.
    #[must_use]
    pub fn get(&self, frame: usize) -> Option<Transform> {
        let start = frame.checked_mul(self.width)?;
        let key = self.floats.get(start..start.checked_add(self.width)?)?;
        let mut floats = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0];
        for (float, word) in floats.iter_mut().zip(key) {
            *float = self.order.f32(RawWord(*word));
        }
        let [px, py, pz, x, y, z, w, sx, sy, sz] = floats;
        Some(Transform { position: [px, py, pz], rotation: [x, y, z, w], scale: [sx, sy, sz] })
    }

    /// Returns all frames.
    pub fn iter(&self) -> impl Iterator<Item = Transform> + '_ {
        (0..self.len()).filter_map(|frame| self.get(frame))
    }
}
