//! Reads the headers of the data file and the aniv file, and checks that the frame size in the aniv
//! file fits the number of vertices in the data file.
//!
//! Opening a mesh, validating a mesh and listing its byte regions all use the headers that
//! `PairHeader::read` returns.

use super::layout::{DATA, RawAnivHeader, RawDataHeader, RawPolygon, Variant};
use super::validate::rules::VERTEX_SIZE;
use crate::error::{Cause, Error, Result};
use crate::math::as_u64;
use crate::parse::Cursor;

/// Offset of the first polygon in a data file, in bytes.
pub(crate) const POLYGONS_AT: u64 = 48;
/// Offset of the first animation frame in an aniv file, in bytes.
pub(crate) const FRAMES_AT: u64 = 4;

/// The counts and sizes in the headers of a data file and an aniv file, and the frame stride and
/// vertex format that the crate derives from the headers and the file length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PairHeader {
    /// The number of triangles (polygons) in the data file.
    pub(crate) polygons: u32,
    /// The number of vertices of the mesh, which is the same in each animation frame.
    pub(crate) vertices: u32,
    /// The number of animation frames that the header of the aniv file declares.
    pub(crate) frames: u32,
    /// The size of one animation frame according to the header of the aniv file, in bytes.
    pub(crate) declared: u64,
    /// The actual distance from the start of one animation frame to the start of the next, in
    /// bytes.
    pub(crate) stride: u64,
    /// The storage format of the vertices.
    pub(crate) variant: Variant,
}

/// Stores in an error that it is about the aniv file.
pub(super) fn in_aniv(error: Error) -> Error {
    error.of_source(1)
}

impl PairHeader {
    /// Returns the offset of the first byte after the last polygon in the data file.
    pub(super) fn polygons_end(&self) -> u64 {
        let size = u64::from(self.polygons).saturating_mul(as_u64(size_of::<RawPolygon>()));
        POLYGONS_AT.saturating_add(size)
    }

    /// Returns the offset of the animation frame with index `frame` in the aniv file, in bytes.
    pub(super) const fn frame_at(&self, frame: u64) -> u64 {
        FRAMES_AT.saturating_add(frame.saturating_mul(self.stride))
    }

    /// Reads the headers of the data file and the aniv file.
    pub(crate) fn read(mut data: Cursor<'_>, mut aniv: Cursor<'_>) -> Result<Self> {
        for (source, cursor) in [&data, &aniv].into_iter().enumerate() {
            if cursor.left() == 0 {
                return Err(cursor.error("file", Cause::Empty).of_source(source));
            }
        }
        let header = *data.read::<RawDataHeader>("header")?;
        let polygons = header.polygons.get().into();
        data.lend(u64::from(polygons), as_u64(size_of::<RawPolygon>()), "polygons")?;
        let RawAnivHeader { frames, frame_size } = *aniv.read("header").map_err(in_aniv)?;
        let (vertices, frames) = (header.vertices.get().into(), frames.get().into());
        let declared = frame_size.get().into();
        let Some((variant, stride)) = fit(vertices, frames, declared, aniv.left()) else {
            let [classic, deus_ex] = [Variant::Classic, Variant::DeusEx].map(|variant| variant.frame_size(vertices));
            let kind = Cause::value(
                format!("{classic} or {deus_ex} bytes for the data file's {vertices} vertices"),
                format!("{declared} bytes, and {} bytes for all {frames} frames", aniv.left()),
            );
            let error = in_aniv(aniv.error_at(2, "frame_size", kind).breaking(&VERTEX_SIZE));
            // The length of the whole file decides about a frame size that fits no variant.
            let needed = FRAMES_AT.saturating_add(classic.saturating_mul(frames.into()));
            let is_short = aniv.left() < needed.saturating_sub(FRAMES_AT);
            return Err(if is_short { error.needing(FRAMES_AT..needed) } else { error });
        };
        Ok(Self { polygons, vertices, frames, declared, stride, variant })
    }

    /// Returns the declared number of animation frames times the actual frame stride, in bytes.
    pub(crate) fn frame_bytes(&self) -> u64 {
        self.stride.saturating_mul(self.frames.into())
    }

    /// Returns the size of the vertices in one animation frame, in bytes. The size does not include
    /// the bounding box that a frame of the prototype variant stores.
    pub(crate) fn vertex_bytes(&self) -> u64 {
        u64::from(self.vertices).saturating_mul(self.variant.vertex_size().into())
    }

    /// Returns whether the frame size in the header of the aniv file differs from the actual
    /// distance between the starts of two frames.
    pub(crate) const fn is_stale(&self) -> bool {
        self.declared != self.stride
    }
}

/// Determines the storage format of the vertices and the stride of the frames.
///
/// The size that the aniv header declares is used if it fits a [`Variant`], without regard to the
/// length of the aniv file: the file may be cut or have extra bytes at its end. Otherwise the size
/// is the number of bytes after the aniv header divided by the number of frames, rounded down. This
/// size is compared only with the classic and Deus Ex variants, and only if the mesh has vertices.
fn fit(vertices: u32, frames: u32, declared: u64, body: u64) -> Option<(Variant, u64)> {
    // With two vertices, a frame of 16 bytes fits both the Deus Ex variant and the prototype
    // variant. Only Deus Ex frames are known from real files, so the Deus Ex variant is tried
    // before the prototype variant.
    let all = [Variant::Classic, Variant::DeusEx, Variant::Prototype];
    let by_size = |size: u64, of: &[Variant]| {
        of.iter().copied().find(|variant| variant.frame_size(vertices) == size).map(|variant| (variant, size))
    };
    let by_declaration = by_size(declared, &all);
    let Some(size) = body.checked_div(frames.into()) else {
        // If an aniv file has no frames and no bytes after its header, and the declared frame size
        // fits no variant, `fit` assumes the classic format, because no vertex is ever decoded.
        let classic = || (body == 0).then(|| (Variant::Classic, Variant::Classic.frame_size(vertices)));
        return by_declaration.or_else(classic);
    };
    let by_length = || by_size(size, &[Variant::Classic, Variant::DeusEx]).filter(|_| vertices > 0);
    by_declaration.or_else(by_length)
}

/// Makes the error for an index that is out of range, in a list such as the clips of a mesh. `list`
/// is the name of one item of the list, such as `clip`, and `count` is the number of items in the
/// list.
pub(super) fn no_such(list: &'static str, count: usize, index: usize) -> Error {
    crate::error::no_such(DATA, list, count, index)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fits_every_variant_and_guesses_no_other() {
        let fit = |vertices, frames, declared, body| fit(vertices, frames, declared, body);
        assert_eq!(fit(10, 3, 40, 120), Some((Variant::Classic, 40)));
        assert_eq!(fit(10, 3, 80, 240), Some((Variant::DeusEx, 80)));
        assert_eq!(fit(10, 3, 48, 144), Some((Variant::Prototype, 48)));
        assert_eq!(fit(2, 3, 16, 48), Some((Variant::DeusEx, 16)), "two vertices");
        assert_eq!(fit(42, 1, 212, 168), Some((Variant::Classic, 168)), "a stale size");
        assert_eq!(fit(42, 3, 176, 3 * 168), Some((Variant::Prototype, 176)), "cut to the length of classic frames");
        assert_eq!(fit(42, 3, 336, 3 * 168), Some((Variant::DeusEx, 336)), "cut to the length of classic frames");
        assert_eq!(fit(42, 3, 168, 3 * 168 - 4), Some((Variant::Classic, 168)), "cut");
        assert_eq!(fit(42, 3, 168, 3 * 168 + 16), Some((Variant::Classic, 168)), "extra bytes after the end");
        assert_eq!(fit(20_000, 2, 80_000 - 65_536, 160_000), Some((Variant::Classic, 80_000)), "a wrapped size");
        assert_eq!(fit(10, 3, 41, 123), None);
        assert_eq!(fit(10, 0, 41, 0), Some((Variant::Classic, 40)));
        assert_eq!(fit(10, 0, 41, 3), None);
        assert_eq!(fit(0, 3, 0, 0), Some((Variant::Classic, 0)));
        assert_eq!(fit(0, 3, 5, 15), None);
    }
}
