//! Tracks: the key frames of one bone.

use crate::decode::ByteOrder;
use crate::decode::endian::RawWord;
use crate::error::{ErrorKind, Field, Result};
use crate::formats::ezmesh::element_index::ElementKind;
use crate::formats::ezmesh::elements::reader::ElementReader;
use crate::formats::ezmesh::layout::FORMAT;
use crate::formats::ezmesh::view::View;
use crate::formats::ezmesh::xml::number_block::NumberBlock;
use crate::math::as_u64;
use crate::model::Transform;
use crate::parse::Name;

/// Floats of a key with a scale: position 3, rotation 4, scale 3.
pub(crate) const KEY: usize = 10;
/// Floats of a key without.
pub(crate) const SHORT_KEY: usize = 7;

/// The frames of one bone.
#[derive(Clone, Copy, Debug)]
pub struct Track<'a> {
    element: ElementReader<'a>,
}

impl<'a> Track<'a> {
    pub(crate) fn new(view: View<'a>, index: usize) -> Self {
        let start = view.state.elements.start(ElementKind::Track, index).unwrap_or_default();
        let animation = view.state.elements.around(ElementKind::Animation, start).unwrap_or_default();
        let first = view.within(ElementKind::Track, ElementKind::Animation, animation).start;
        let place = Field::new("")
            .in_list("animation", as_u64(animation))
            .in_inner_list("track", as_u64(index.saturating_sub(first)));
        Self { element: ElementReader { view, kind: ElementKind::Track, index, place } }
    }

    /// Returns where it stands in the structure, and where in the file.
    pub(crate) fn place(&self) -> (Field, u64) {
        (self.element.place, self.element.start().unwrap_or_default())
    }

    /// Returns the name of the bone that it moves.
    ///
    /// # Errors
    ///
    /// Where the owner's bytes are no longer those that were opened.
    pub fn name(&self) -> Result<Name<'a>> {
        self.element.first_text("name")
    }

    /// Returns the offset of the first key in the file, or of the text that they stand in.
    ///
    /// # Errors
    ///
    /// Where the owner's bytes are no longer those that were opened.
    pub fn offset(&self) -> Result<u64> {
        let Some(mut reader) = self.element.fields()? else {
            return Ok(as_u64(self.element.block("keys", "keys")?.content.start));
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
        if let Some(mut reader) = self.element.fields()? {
            reader.skip_text("name")?;
            return reader.u32("frames");
        }
        let count = self.element.counted("count")?;
        count.ok_or_else(|| View::missing(self.element.start().unwrap_or_default(), self.element.place, "count"))
    }

    /// Returns the seconds that a track of the binary form says of itself: of all frames, and between two.
    ///
    /// # Errors
    ///
    /// Where the owner's bytes are no longer those that were opened.
    pub fn seconds(&self) -> Result<Option<[f32; 2]>> {
        let Some(mut reader) = self.element.fields()? else { return Ok(None) };
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
        if self.element.view.order().is_some() {
            return Ok(Some(true));
        }
        let value = self.element.tag()?.value("has_scale");
        Ok(value.map(|value| {
            ["true", "1", "yes"].iter().any(|yes| value.bytes.trim_ascii().eq_ignore_ascii_case(yes.as_bytes()))
        }))
    }

    /// Returns the keys, parsed the first time. Whether they have a scale is what the numbers of keys and floats say.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] where there are fewer numbers than frames need, or one is none; with
    /// [`OpenOptions::strict`](crate::OpenOptions::strict), where there are more.
    pub fn keys(&self) -> Result<Keys<'a>> {
        let frames = self.frame_count()?;
        let rows = usize::try_from(frames).unwrap_or(usize::MAX);
        if let Some(mut reader) = self.element.fields()? {
            reader.skip_text("name")?;
            reader.lend(3, 4, "duration")?;
            let bytes = reader.lend(frames.into(), 40, "keys")?;
            let order = self.element.view.order().unwrap_or_default();
            return Ok(Keys { floats: bytes.as_chunks().0, order, width: KEY, has_more: false });
        }
        let parsed = self.element.parsed_block(|| {
            let (text, width) = self.block()?;
            text.parse_floats(rows, width)
        })?;
        let width = if parsed.data.len() == rows.saturating_mul(KEY * 4) { KEY } else { SHORT_KEY };
        let floats = parsed.data.as_chunks().0;
        Ok(Keys { floats, order: ByteOrder::Little, width, has_more: parsed.has_more })
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
            let error = || crate::error::Error::without_offset(FORMAT, self.element.place.named("out"), kind);
            if out.len() == needed { Ok(()) } else { Err(error()) }
        };
        if self.element.view.order().is_some() {
            fits(self.float_count()?)?;
            let keys = self.keys()?;
            for (out, word) in out.iter_mut().zip(keys.floats) {
                *out = keys.order.f32(RawWord(*word));
            }
            return Ok(());
        }
        let (text, width) = self.block()?;
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
        let width = if self.element.view.order().is_some() { KEY } else { self.block()?.1 };
        Ok(frames.saturating_mul(width))
    }

    /// Returns the text of the keys, and how many floats each has.
    pub(crate) fn block(&self) -> Result<(NumberBlock<'a>, usize)> {
        let text = self.element.block("keys", "keys")?;
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
/// let system = meshpeek::ezmesh::Mesh::open(meshpeek::read("data/ezmesh/flag101.ezb")?)?;
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
