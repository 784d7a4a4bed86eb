//! Checks by their headers and sizes whether a data file and an aniv file belong together.

use std::fs;
use std::path::Path;

use zerocopy::FromBytes;

use crate::formats::unreal::layout::{RawAnivHeader, RawDataHeader, RawPolygon, Variant};
use crate::io;
use crate::math::as_u64;

/// The number of bytes without a field that a file may have at its end. The most in a real file are
/// 48.
const MAX_REST: u64 = 64;

/// Returns whether two files are the data file and the aniv file of one mesh: the sizes of both
/// files are those that their headers declare, and the frames have the vertices of the data file.
/// The last frame may be cut.
pub(super) fn headers_agree(data: &Path, aniv: &Path) -> bool {
    let Some((data, data_size)) = header::<RawDataHeader>(data) else { return false };
    let Some((aniv, aniv_size)) = header::<RawAnivHeader>(aniv) else { return false };
    let [polygons, vertices] = [data.polygons, data.vertices].map(|count| u64::from(count.get()));
    let [frames, frame_size] = [aniv.frames, aniv.frame_size].map(|count| u64::from(count.get()));
    let all = [Variant::Classic, Variant::DeusEx, Variant::Prototype];
    let fits = all.iter().any(|variant| variant.frame_size(data.vertices.get().into()) == frame_size);
    let rest = |size: u64, header: usize, items: u64, item: u64| {
        size.checked_sub(as_u64(header))?.checked_sub(items.saturating_mul(item))
    };
    let data_rest = rest(data_size, size_of::<RawDataHeader>(), polygons, as_u64(size_of::<RawPolygon>()));
    let aniv_rest = rest(aniv_size, size_of::<RawAnivHeader>(), frames.saturating_sub(1), frame_size);
    fits && polygons > 0
        && vertices > 0
        && frames > 0
        && data_rest.is_some_and(|rest| rest <= MAX_REST)
        && aniv_rest.is_some_and(|rest| rest > 0 && rest <= frame_size.saturating_add(MAX_REST))
}

/// Reads the header of a file, and returns it with the size of the file.
fn header<T: FromBytes>(path: &Path) -> Option<(T, u64)> {
    let size = fs::metadata(path).ok()?.len();
    let bytes = io::read_start(path, as_u64(size_of::<T>())).ok()?;
    T::read_from_prefix(&bytes).ok().map(|(header, _)| (header, size))
}
