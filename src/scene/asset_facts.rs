//! Facts about an asset on which its place and its shape depend.

use crate::array::Array as _;
use crate::error::Result;
use crate::math::as_index;
use crate::model::{Asset, Geometry, Handle};

/// Returns the number of bytes that are inflated each time an asset is opened.
pub(crate) fn inflated_bytes(asset: &Handle<'_, dyn Asset + '_>) -> u64 {
    if matches!(asset, Handle::Owned(_)) { asset.inflated_bytes() } else { 0 }
}

/// Returns the number of vertex frames of a mesh before the first that the file contains only in
/// part. Frame 0 always counts, as it is the base shape. `surface` is the index of a surface.
pub(crate) fn whole_frames(geometry: &dyn Geometry, surface: usize) -> Result<u32> {
    let count = u32::try_from(geometry.vertex_frame_count()?).unwrap_or(u32::MAX);
    if count < 2 || geometry.surface_count()? == 0 {
        return Ok(count);
    }
    let surface = geometry.surface(surface)?;
    let vertices = as_index(surface.counts()?.vertices);
    let is_whole = |frame: u32| {
        let positions = surface.vertex_frame(as_index(frame));
        frame == 0 || positions.is_ok_and(|positions| positions.len() >= vertices)
    };
    if is_whole(count.saturating_sub(1)) {
        return Ok(count);
    }
    // The frames of a file that is cut are whole up to the place where it ends.
    let (mut whole, mut cut) = (0, count);
    while cut.saturating_sub(whole) > 1 {
        let middle = whole.midpoint(cut);
        if is_whole(middle) { whole = middle } else { cut = middle }
    }
    Ok(cut)
}
