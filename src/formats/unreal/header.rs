//! Reading a pair: what the two files hold and how they fit. The one function that finds it out serves opening, checks
//! and the map alike.

use super::layout::{DATA, RawAnivHeader, RawDataHeader, RawPolygon, Variant};
use crate::error::{Error, ErrorKind, Field, Result};
use crate::math::as_u64;
use crate::parse::Cursor;

/// Bytes before the polygons of a data file.
pub(crate) const POLYGONS_AT: u64 = 48;
/// Bytes before the frames of an aniv file.
pub(crate) const FRAMES_AT: u64 = 4;

/// What a pair of files holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PairHeader {
    /// Triangles.
    pub(crate) polygons: u32,
    /// Vertices of the mesh, and so of each frame.
    pub(crate) vertices: u32,
    /// Frames that the header declares.
    pub(crate) frames: u32,
    /// Bytes of a frame as the header declares them.
    pub(crate) declared: u64,
    /// Bytes from one frame to the next as they are.
    pub(crate) stride: u64,
    /// How vertices are stored.
    pub(crate) variant: Variant,
}

impl PairHeader {
    /// Returns the offset of the byte after the last polygon.
    pub(super) fn polygons_end(&self) -> u64 {
        let size = u64::from(self.polygons).saturating_mul(as_u64(size_of::<RawPolygon>()));
        POLYGONS_AT.saturating_add(size)
    }

    /// Returns where a frame starts.
    pub(super) const fn frame_at(&self, frame: u64) -> u64 {
        FRAMES_AT.saturating_add(frame.saturating_mul(self.stride))
    }

    /// Reads both headers.
    pub(crate) fn read(mut data: Cursor<'_>, mut aniv: Cursor<'_>) -> Result<Self> {
        for cursor in [&data, &aniv] {
            if cursor.left() == 0 {
                return Err(cursor.error("file", ErrorKind::Empty));
            }
        }
        let header = *data.read::<RawDataHeader>("header")?;
        let polygons = header.polygons.get().into();
        data.lend(u64::from(polygons), as_u64(size_of::<RawPolygon>()), "polygons")?;
        let RawAnivHeader { frames, frame_size } = *aniv.read("header")?;
        let (vertices, frames) = (header.vertices.get().into(), frames.get().into());
        let declared = frame_size.get().into();
        let Some((variant, stride)) = fit(vertices, frames, declared, aniv.left()) else {
            let [classic, deus_ex] = [Variant::Classic, Variant::DeusEx].map(|variant| variant.frame_size(vertices));
            let kind = ErrorKind::Value {
                expected: format!("{classic} or {deus_ex} bytes for the data file's {vertices} vertices").into(),
                found: format!("{declared}, and {} bytes behind the header for {frames} frames", aniv.left()).into(),
            };
            return Err(aniv.error_at(2, "frame_size", kind));
        };
        Ok(Self { polygons, vertices, frames, declared, stride, variant })
    }

    /// Returns the bytes that all declared frames take.
    pub(crate) fn frame_bytes(&self) -> u64 {
        self.stride.saturating_mul(self.frames.into())
    }

    /// Returns the bytes of the mesh's own vertices in a frame.
    pub(crate) fn vertex_bytes(&self) -> u64 {
        u64::from(self.vertices).saturating_mul(self.variant.vertex_size().into())
    }

    /// Tells whether the header's frame size is another than the frames'.
    pub(crate) const fn is_stale(&self) -> bool {
        self.declared != self.stride
    }
}

/// Finds how vertices are stored: by the declared size of a frame where the file is as long as that makes it; else by the
/// bytes there are for each frame, if those are a variant's; else by the declared size alone, of a file that is cut or has
/// more behind its end.
fn fit(vertices: u32, frames: u32, declared: u64, body: u64) -> Option<(Variant, u64)> {
    // For two vertices, 16 bytes are a Deus Ex frame and a prototype's: only the first was ever seen.
    let all = [Variant::Classic, Variant::DeusEx, Variant::Prototype];
    let by_size = |size: u64, of: &[Variant]| {
        of.iter().copied().find(|variant| variant.frame_size(vertices) == size).map(|variant| (variant, size))
    };
    let by_declaration = by_size(declared, &all);
    if by_declaration.is_some() && u64::from(frames).saturating_mul(declared) == body {
        return by_declaration;
    }
    let Some(size) = body.checked_div(frames.into()) else {
        // Without frames, nothing says what a vertex would be like, and nothing needs to.
        let classic = || (body == 0).then(|| (Variant::Classic, Variant::Classic.frame_size(vertices)));
        return by_declaration.or_else(classic);
    };
    let by_length = by_size(size, &[Variant::Classic, Variant::DeusEx]).filter(|_| vertices > 0);
    let exactly = by_length.filter(|(_, size)| u64::from(frames).saturating_mul(*size) == body);
    exactly.or(by_declaration).or(by_length)
}

/// Makes the error of an item that a mesh does not have.
pub(super) fn no_such(list: &'static str, count: usize, index: usize) -> Error {
    let kind = ErrorKind::NoSuch { count: as_u64(count), index: as_u64(index) };
    Error::without_offset(DATA, Field::new("").in_list(list, as_u64(index)), kind)
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
        assert_eq!(fit(42, 3, 176, 3 * 168), Some((Variant::Classic, 168)), "stale, and a prototype's by chance");
        assert_eq!(fit(42, 3, 336, 3 * 168), Some((Variant::Classic, 168)), "stale, and Deus Ex's by chance");
        assert_eq!(fit(42, 3, 168, 3 * 168 - 4), Some((Variant::Classic, 168)), "cut");
        assert_eq!(fit(42, 3, 168, 3 * 168 + 16), Some((Variant::Classic, 168)), "something behind the end");
        assert_eq!(fit(20_000, 2, 80_000 - 65_536, 160_000), Some((Variant::Classic, 80_000)), "a wrapped size");
        assert_eq!(fit(10, 3, 41, 123), None);
        assert_eq!(fit(10, 0, 41, 0), Some((Variant::Classic, 40)));
        assert_eq!(fit(10, 0, 41, 3), None);
        assert_eq!(fit(0, 3, 0, 0), Some((Variant::Classic, 0)));
        assert_eq!(fit(0, 3, 5, 15), None);
    }
}
