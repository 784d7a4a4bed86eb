//! Welding a surface with two different index streams: sorting its corners to find the corners with
//! equal indices, if a table does not suffice.

// Rule: this file sorts and maps by copies only.

use crate::array::Array;
use crate::error::Result;
use crate::math::as_index;
use crate::model::attributes::{IndexEncoding, Indices, Uvs};
use crate::model::corners::{Corner, Corners};
use crate::model::surface::Surface;
use crate::model::weld::attribute_order::least_and_greatest;
use crate::model::weld::gather::Welded;
use crate::model::weld::reserve::{filled, reserve};

/// Marks an attribute index that no corner has used yet. It is more than any vertex number, because
/// there are fewer than 2^32 vertices.
const UNUSED: u32 = u32::MAX;

/// Welds the corners of a surface. All indices of the corners must be in range: `attributes` is the
/// number of attribute vertices.
pub(super) fn weld(surface: &Surface<'_>, corners: &Corners<'_>, attributes: u32) -> Result<Welded> {
    let byte_uvs = byte_uvs(surface)?;
    if byte_uvs.is_none()
        && let Some(welded) = weld_unique(surface, corners)?
    {
        return Ok(welded);
    }
    let mut represents = filled(surface, corners.len(), 0)?;
    // A sort panics if a key changes between two comparisons, and the index streams of a mapped
    // file may change. Hence the keys of all sorts are copies.
    if let Some(uvs) = byte_uvs {
        // If no two corners share an attribute vertex, all attribute indices differ, but the UVs of
        // two corners may still be equal. In the only format with such UVs, the index of a position
        // has 16 bits.
        represent_equal(surface, corners, &mut represents, |corner| {
            let [first, second] = uvs.raw_bytes(as_index(corner.attribute)).unwrap_or_default();
            let [low, high, ..] = corner.position.to_le_bytes();
            u32::from_le_bytes([first, second, low, high])
        })?;
    } else if corners.len() < as_index(attributes) / 8 {
        // If many surfaces share their vertices, welding one surface must not take time in
        // proportion to the number of all vertices.
        represent_equal(surface, corners, &mut represents, |corner| [corner.attribute, corner.position])?;
    } else {
        let mut keys = filled(surface, corners.len(), (0, 0))?;
        let mut starts = reserve(surface, as_index(attributes).saturating_add(1))?;
        group_by_attribute(corners, attributes, &mut starts, &mut keys);
        for bounds in starts.windows(2) {
            let [start, end] =
                [bounds.first(), bounds.last()].map(|bound| as_index(bound.copied().unwrap_or_default()));
            // After the sort, corners with the same position are adjacent, and the first of them in
            // file order comes first.
            keys.get_mut(start..end).unwrap_or_default().sort_unstable();
            represent(keys.get(start..end).unwrap_or_default(), &mut represents);
        }
    }
    number_vertices(surface, corners, represents)
}

/// Welds the corners of a surface.
///
/// The time is linear in the number of corners. Returns `None` if two corners use one attribute
/// vertex with different positions, or if the attribute indices are
/// farther apart than there are corners, because the table would then take more memory than a sort.
fn weld_unique(surface: &Surface<'_>, corners: &Corners<'_>) -> Result<Option<Welded>> {
    let mut indices = filled(surface, corners.len(), 0)?;
    corners.attributes().decode_into(&mut indices)?;
    let (first, last) = least_and_greatest(&indices);
    let span = as_index(last.saturating_sub(first)).saturating_add(1);
    if first > last || span > corners.len() {
        return Ok(None);
    }
    let mut table = Table { first, numbers: filled(surface, span, UNUSED)?, vertices: reserve(surface, span)? };
    let (mut positions, mut rest) = (corners.positions().chunks(), indices.as_mut_slice());
    while let Some(positions) = positions.next() {
        let (part, after) = rest.split_at_mut_checked(positions.len()).unwrap_or_default();
        rest = after;
        if !table.renumber(positions, part) {
            return Ok(None);
        }
    }
    Ok(Some(Welded { vertices: table.vertices, indices }))
}

/// The vertices that were found until now.
struct Table {
    /// The least attribute index.
    first: u32,
    /// The number of the vertex of each attribute index, from `first` on.
    numbers: Vec<u32>,
    /// The vertices. They have room for one vertex of each attribute index.
    vertices: Vec<Corner>,
}

impl Table {
    /// Replaces the attribute index of each corner by the number of its vertex. Returns `false` if
    /// an attribute vertex has two positions.
    fn renumber(&mut self, positions: &[u32], attributes: &mut [u32]) -> bool {
        for (position, index) in positions.iter().zip(attributes) {
            let Some(number) = self.numbers.get_mut(as_index(index.wrapping_sub(self.first))) else { return false };
            if *number == UNUSED {
                *number = u32::try_from(self.vertices.len()).unwrap_or(UNUSED);
                self.vertices.push(Corner { position: *position, attribute: *index });
            } else if self.vertices.get(as_index(*number)).is_none_or(|vertex| vertex.position != *position) {
                return false;
            }
            *index = *number;
        }
        true
    }
}

/// Sorts all corners by the key that `key` returns, and calls [`represent`] for the sorted corners.
fn represent_equal<K: Copy + Ord>(
    surface: &Surface<'_>,
    corners: &Corners<'_>,
    represents: &mut [u32],
    key: impl Fn(Corner) -> K,
) -> Result<()> {
    let mut keys = reserve(surface, corners.len())?;
    keys.extend(corners.iter().map(key).zip(0_u32..));
    keys.sort_unstable();
    represent(&keys, represents);
    Ok(())
}

/// Returns the UVs of a surface whose attributes are two stored bytes for each corner, or `None`
/// for any other surface.
pub(super) fn byte_uvs<'a>(surface: &Surface<'a>) -> Result<Option<Uvs<'a>>> {
    let Indices(IndexEncoding::Consecutive(_)) = surface.attribute_indices()? else { return Ok(None) };
    if surface.tangent_frames()?.is_some() || surface.colors()?.is_some() || surface.uvs(1)?.is_some() {
        return Ok(None);
    }
    Ok(surface.uvs(0)?.filter(|uvs| uvs.raw_bytes(0).is_some()))
}

/// Makes the first of several corners with the same key the representative of all these corners.
///
/// `keys` contains the key and the index of each corner, sorted by both.
fn represent<K: PartialEq>(keys: &[(K, u32)], represents: &mut [u32]) {
    for same in keys.chunk_by(|(one, _), (next, _)| one == next) {
        let Some((_, earliest)) = same.first() else { continue };
        for (_, corner) in same {
            if let Some(represents) = represents.get_mut(as_index(*corner)) {
                *represents = *earliest;
            }
        }
    }
}

/// Sorts the corners by the attribute index of each corner (counting sort).
///
/// After the sort, `keys[starts[a]..starts[a + 1]]` are the position index and the index of each
/// corner with the attribute index `a`.
fn group_by_attribute(corners: &Corners<'_>, count: u32, starts: &mut Vec<u32>, keys: &mut [(u32, u32)]) {
    starts.resize(as_index(count).saturating_add(1), 0);
    corners.for_each(|corner| {
        increment(starts, corner.attribute);
    });
    let mut sum = 0_u32;
    for start in starts.iter_mut() {
        sum = sum.saturating_add(std::mem::replace(start, sum));
    }
    for (number, corner) in (0_u32..).zip(corners.iter()) {
        let slot = increment(starts, corner.attribute);
        if let Some(key) = keys.get_mut(as_index(slot)) {
            *key = (corner.position, number);
        }
    }
    // The loop has moved each entry of `starts` from the start of its group of corners to the start
    // of the next group. `rotate_right` restores the starts of the groups.
    starts.rotate_right(1);
    if let Some(first) = starts.first_mut() {
        *first = 0;
    }
}

/// Adds 1 to a counter and returns the previous value of the counter.
fn increment(counters: &mut [u32], index: u32) -> u32 {
    counters.get_mut(as_index(index)).map_or(0, |counter| {
        let before = *counter;
        *counter = before.saturating_add(1);
        before
    })
}

/// Assigns a new vertex index to each corner that represents itself, and assigns to every other
/// corner the vertex index of the corner that represents it.
///
/// The vector `represents` is changed in place. A corner that represents other corners always
/// precedes them, so its vertex index is already known.
fn number_vertices(surface: &Surface<'_>, corners: &Corners<'_>, represents: Vec<u32>) -> Result<Welded> {
    let distinct = (0_u32..).zip(&represents).filter(|(corner, earliest)| corner == *earliest).count();
    let mut vertices = reserve(surface, distinct)?;
    let mut indices = represents;
    for (number, corner) in corners.iter().enumerate() {
        let earliest = indices.get(number).map_or(0, |earliest| as_index(*earliest));
        let vertex = if earliest == number {
            vertices.push(corner);
            u32::try_from(vertices.len().saturating_sub(1)).unwrap_or(u32::MAX)
        } else {
            indices.get(earliest).copied().unwrap_or_default()
        };
        if let Some(index) = indices.get_mut(number) {
            *index = vertex;
        }
    }
    Ok(Welded { vertices, indices })
}
