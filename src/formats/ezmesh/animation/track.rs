//! Animations (clips) and their tracks. Each track contains the key frames of one bone.

use crate::decode::ByteOrder;
use crate::decode::endian::RawWord;
use crate::error::debug::short_debug;
use crate::error::{Breaking as _, Result};
use crate::formats::ezmesh::element_index::ElementKind;
use crate::formats::ezmesh::elements::{Animation, Track};
use crate::formats::ezmesh::layout::TRANSFORM_SIZE;
use crate::formats::ezmesh::validate::rules::NUMBER_TYPE;
use crate::formats::ezmesh::view::View;
use crate::formats::ezmesh::xml::number_block::NumberBlock;
use crate::math::as_u64;
use crate::model::Transform;

/// The counts and times that a file declares for an animation.
///
/// The declared counts and times are unreliable: in real files, they can contradict each other and
/// the stored key frames.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Timing {
    /// The declared number of tracks of the animation.
    pub tracks: Option<u32>,
    /// The declared number of animation frames.
    pub frames: Option<u32>,
    /// The declared duration of the whole animation, in seconds.
    pub duration: Option<f32>,
    /// The declared time from one animation frame to the next, in seconds.
    pub dtime: Option<f32>,
}

impl<'a> Animation<'a> {
    /// Returns the counts and times that the file declares for the animation.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Value`](crate::error::ErrorKind::Value) if a declared count or time is
    /// not a number.
    pub fn timing(&self) -> Result<Timing> {
        let Some(mut reader) = self.element.fields_from("tracks")? else {
            let [duration, dtime] = [self.element.floats("duration")?, self.element.floats("dtime")?];
            return Ok(Timing {
                tracks: self.element.counted("trackcount").breaking(&NUMBER_TYPE)?,
                frames: self.element.counted("framecount").breaking(&NUMBER_TYPE)?,
                duration: duration.map(|[duration]| duration),
                dtime: dtime.map(|[dtime]| dtime),
            });
        };
        let [tracks, frames] = [reader.u32("tracks")?, reader.u32("frames")?];
        let [duration, dtime] = reader.floats("duration")?;
        Ok(Timing { tracks: Some(tracks), frames: Some(frames), duration: Some(duration), dtime: Some(dtime) })
    }

    /// Returns the tracks of the animation, in file order.
    #[must_use]
    pub fn tracks(&self) -> impl ExactSizeIterator<Item = Track<'a>> + use<'a> {
        let view = self.element.view;
        self.element.inside(ElementKind::Track).map(move |track| Track::new(view, track))
    }

    /// Returns the number of animation frames, which is the number of key frames of the longest
    /// track.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`Track::frame_count`].
    pub fn frame_count(&self) -> Result<u32> {
        self.tracks().try_fold(0, |most, track| Ok(track.frame_count()?.max(most)))
    }
}

/// Number of floats of a key frame with a scale: 3 for the position, 4 for the rotation and 3 for
/// the scale.
pub(crate) const KEY: usize = 10;
/// Number of floats of a key frame without a scale: 3 for the position and 4 for the rotation.
pub(crate) const SHORT_KEY: usize = 7;

impl<'a> Track<'a> {
    /// Returns the byte offset of the first key frame in a binary file, or of the text of the key
    /// frames in a text file.
    ///
    /// # Errors
    ///
    /// Returns an error if the bytes have changed since the file was opened.
    pub fn offset(&self) -> Result<u64> {
        match self.element.fields_from("keys")? {
            Some(reader) => Ok(reader.cursor.offset()),
            None => Ok(as_u64(self.element.block("keys", "keys")?.content.start)),
        }
    }

    /// Returns the number of key frames of the track, as declared in the file.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Value`] if the file does not declare the number of key frames.
    ///
    /// [`ErrorKind::Value`]: crate::ErrorKind::Value
    pub fn frame_count(&self) -> Result<u32> {
        if let Some(mut reader) = self.element.fields_from("frames")? {
            return reader.count(TRANSFORM_SIZE.into(), u64::MAX, "frames");
        }
        let count = self.element.counted("count")?;
        count.ok_or_else(|| View::missing(self.element.start().unwrap_or_default(), self.element.place, "count"))
    }

    /// Returns the times that a track of a binary file declares, in seconds.
    ///
    /// The first item of the array is the duration of the track, and the second item is the time
    /// from one key frame to the next. Returns `None` for a text file.
    ///
    /// # Errors
    ///
    /// Returns an error if the bytes have changed since the file was opened.
    pub fn seconds(&self) -> Result<Option<[f32; 2]>> {
        let reader = self.element.fields_from("duration")?;
        reader.map(|mut reader| reader.floats("duration")).transpose()
    }

    /// Returns whether the file declares that the key frames of the track have a scale.
    ///
    /// Returns `None` if a text file does not declare whether the key frames have a scale. The key
    /// frames of a binary file always have a scale.
    ///
    /// # Errors
    ///
    /// Returns an error if the bytes have changed since the file was opened.
    pub fn has_scale(&self) -> Result<Option<bool>> {
        if self.element.view.order().is_some() {
            return Ok(Some(true));
        }
        let value = self.element.tag()?.value("has_scale");
        Ok(value.map(|value| {
            ["true", "1", "yes"].iter().any(|yes| value.bytes.trim_ascii().eq_ignore_ascii_case(yes.as_bytes()))
        }))
    }

    /// Returns the key frames of the track. For a text file, the first call of `keys` parses the
    /// text of the key frames, and later calls return the cached numbers.
    ///
    /// The number of floats per key frame shows whether the key frames have a scale: 10 floats with
    /// a scale, and 7 floats without a scale.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Value`] if the text has fewer numbers than the key frames need, or if a
    /// word of the text is not a number. With [`OpenOptions::with_strict`](crate::OpenOptions::with_strict),
    /// also returns [`ErrorKind::Value`] if the text has more numbers than the key frames need.
    ///
    /// [`ErrorKind::Value`]: crate::ErrorKind::Value
    pub fn keys(&self) -> Result<Keys<'a>> {
        let frames = self.frame_count()?;
        let rows = usize::try_from(frames).unwrap_or(usize::MAX);
        if let Some(mut reader) = self.element.fields_from("keys")? {
            let bytes = reader.cursor.lend(frames.into(), TRANSFORM_SIZE.into(), "keys")?;
            let order = self.element.view.order().unwrap_or_default();
            return Ok(Keys { floats: bytes.as_chunks().0, order, width: KEY });
        }
        let parsed = self.element.parsed_block(|| {
            let (text, width) = self.block()?;
            text.parse_floats(rows, width)
        })?;
        let width = if parsed.data.len() == rows.saturating_mul(KEY * 4) { KEY } else { SHORT_KEY };
        let floats = parsed.data.as_chunks().0;
        Ok(Keys { floats, order: ByteOrder::Little, width })
    }

    /// Returns the text of the key frames as a [`NumberBlock`], and the number of floats per key
    /// frame: 7 or 10.
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
        // If the text has more numbers than the key frames need, the number of floats per key frame
        // is the factor, 10 or 7, that divides the total count of numbers.
        let widths = [declared, KEY, SHORT_KEY];
        let width = widths.into_iter().find(fits).or_else(|| widths.into_iter().find(has_rows));
        Ok((text, width.unwrap_or(declared)))
    }
}

/// The key frames of an animation track.
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// let system = meshpeek::ezmesh::Mesh::open(meshpeek::read("data/ezmesh/flag101.ezb")?)?;
/// for track in system.animation(0)?.tracks() {
///     let keys = track.keys()?; // borrowed from a binary file
///     println!("{} moves through {} frames from {:?}", track.name()?, keys.len(), keys.get(0));
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy)]
pub struct Keys<'a> {
    floats: &'a [[u8; 4]],
    order: ByteOrder,
    width: usize,
}

short_debug!(Keys<'_>: |keys| { keys: keys.len(), width: keys.width, order: keys.order });

impl Keys<'_> {
    /// Returns the number of key frames.
    #[must_use]
    pub fn len(&self) -> usize {
        self.floats.len().checked_div(self.width).unwrap_or_default()
    }

    /// Returns whether the track has no key frames.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns whether each key frame has a scale.
    #[must_use]
    pub const fn has_scale(&self) -> bool {
        self.width == KEY
    }

    /// Returns the transform of the bone in a key frame, relative to the parent bone.
    ///
    /// Returns `None` if the index of the key frame is out of range. If the key frames of the track
    /// have no scale, the returned scale is 1.
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

    /// Returns the transform in an animation frame. After the end of the track, the bone keeps the
    /// transform of the last key frame. Returns `None` if the track has no key frames.
    pub(super) fn at(&self, frame: usize) -> Option<Transform> {
        self.get(frame.min(self.len().checked_sub(1)?))
    }

    /// Returns an iterator over the transforms of all key frames.
    pub fn iter(&self) -> impl Iterator<Item = Transform> + '_ {
        (0..self.len()).filter_map(|frame| self.get(frame))
    }
}
