//! Welding a surface in which every attribute vertex belongs to one position, without a change of
//! the order of its attribute vertices.

use crate::array::Array;
use crate::error::Result;
use crate::math::as_index;
use crate::model::attributes::Indices;
use crate::model::corners::{Corner, Corners};
use crate::model::surface::Counts;
use crate::model::surface::Surface;
use crate::model::weld::gather::Welded;
use crate::model::weld::reserve::{filled, reserve};
use crate::simd::kernel;

/// Marks an attribute vertex that no corner uses. It is more than the index of every position.
const UNUSED: u32 = u32::MAX;

/// Welds the corners of a surface. The vertices are the attribute vertices from the first to the
/// last that the corners use.
///
/// The time is linear in the number of corners. Returns `None` if a vertex of these would not be
/// used, if two corners use one attribute vertex with different positions, if the attribute indices
/// are farther apart than there are corners, or if an index is out of range.
pub(super) fn weld(surface: &Surface<'_>, corners: &Corners<'_>, counts: Counts) -> Result<Option<Welded>> {
    let mut indices = filled(surface, corners.len(), 0)?;
    corners.attributes().decode_into(&mut indices)?;
    let (first, last) = least_and_greatest(&indices);
    let count = as_index(last.saturating_sub(first)).saturating_add(1);
    if first > last || last >= counts.attribute_vertices || count > corners.len() {
        return Ok(None);
    }
    subtract(&mut indices, first);
    let mut positions = filled(surface, count, UNUSED)?;
    each_chunk(corners.positions(), &indices, |position, place| *place = position, &mut positions);
    // A corner with another position than the last corner of its vertex is found in a second pass.
    // Together, both take less time than one pass with a branch for each corner.
    let mut is_unique = true;
    each_chunk(corners.positions(), &indices, |position, place| is_unique &= *place == position, &mut positions);
    let (_, greatest) = least_and_greatest(&positions);
    if !is_unique || greatest >= counts.vertices {
        return Ok(None);
    }
    let mut vertices = reserve(surface, count)?;
    let corners = positions.iter().zip(first..);
    vertices.extend(corners.map(|(position, attribute)| Corner { position: *position, attribute }));
    Ok(Some(Welded { vertices, indices }))
}

/// Calls `visit` with the index of the position of each corner, and with the place of its vertex in
/// `table`.
fn each_chunk(positions: Indices<'_>, indices: &[u32], mut visit: impl FnMut(u32, &mut u32), table: &mut [u32]) {
    let (mut chunks, mut rest) = (positions.chunks(), indices);
    while let Some(positions) = chunks.next() {
        let (part, after) = rest.split_at_checked(positions.len()).unwrap_or_default();
        rest = after;
        for (position, index) in positions.iter().zip(part) {
            if let Some(place) = table.get_mut(as_index(*index)) {
                visit(*position, place);
            }
        }
    }
}

kernel! {
    /// Returns the least and the greatest index, or a least one that exceeds the greatest if there
    /// are no indices.
    pub(super) fn least_and_greatest(indices: &[u32]) -> (u32, u32) {
        let (mut least, mut greatest) = (u32::MAX, 0);
        for index in indices {
            (least, greatest) = (least.min(*index), greatest.max(*index));
        }
        (least, greatest)
    }
}

kernel! {
    fn subtract(indices: &mut [u32], first: u32) {
        for index in indices {
            *index = index.wrapping_sub(first);
        }
    }
}

#[cfg(test)]
#[cfg(feature = "internals")]
mod tests {
    use super::*;
    use crate::decode::TangentFrame;
    use crate::formats::Model;
    use crate::formats::unigine::Generation;
    use crate::test_builder::{self as builder, MorphTarget};

    const POSITIONS: u32 = 50;
    const ATTRIBUTES: u32 = 70;

    /// Returns the bytes of a mesh with one surface, whose indices take one byte each.
    fn mesh(indices: &[u32], attributes: &[u32]) -> Vec<u8> {
        let target = MorphTarget {
            positions: (0..50_u8).map(|number| [number.into(); 3]).collect(),
            frames: vec![TangentFrame::default(); as_index(ATTRIBUTES)],
            ..MorphTarget::default()
        };
        let surface = builder::Surface {
            targets: vec![target],
            indices: indices.to_vec(),
            attribute_indices: attributes.to_vec(),
            ..builder::Surface::default()
        };
        let mesh = builder::Mesh { surfaces: vec![surface], ..builder::Mesh::new(Generation::Ms13) };
        mesh.to_bytes().unwrap()
    }

    fn in_order(surface: &Surface<'_>) -> Option<Welded> {
        weld(surface, &surface.corners().unwrap(), surface.counts().unwrap()).unwrap()
    }

    #[test]
    fn vertices_are_a_range_of_attribute_vertices() {
        // Each attribute vertex from 10 to 69 occurs once or twice, always with the same position.
        let attributes: Vec<u32> = (0..60).map(|corner| 10 + corner * 7 % 60).chain(10..40).collect();
        let indices: Vec<u32> = attributes.iter().map(|attribute| attribute * 3 % POSITIONS).collect();
        let model = Model::open(mesh(&indices, &attributes)).unwrap();
        let surface = Surface::new(model.geometry(), 0).unwrap();
        let welded = in_order(&surface).unwrap();
        assert!(welded.vertices.iter().map(|vertex| vertex.attribute).eq(10..70));
        for ((position, attribute), index) in indices.iter().zip(&attributes).zip(&welded.indices) {
            let corner = Corner { position: *position, attribute: *attribute };
            assert_eq!(welded.vertices.get(as_index(*index)), Some(&corner));
        }
        assert_eq!(surface.weld_in_any_order(0..u32::MAX).unwrap(), welded);
    }

    #[test]
    fn other_surfaces_are_welded_in_another_way() {
        let attributes: Vec<u32> = (0..60).collect();
        let indices: Vec<u32> = attributes.iter().map(|attribute| attribute % POSITIONS).collect();
        let sound = mesh(&indices, &attributes);
        let place = |list: &[u32]| {
            let list: Vec<u8> = list.iter().map(|index| u8::try_from(*index).unwrap()).collect();
            sound.windows(list.len()).position(|bytes| bytes == list).unwrap()
        };
        let places = [place(&indices), place(&attributes)];
        let is_refused = |stream: usize, corner: usize, index: u8| {
            let mut bytes = sound.clone();
            bytes[places[stream] + corner] = index;
            let model = Model::open(bytes).unwrap();
            let surface = Surface::new(model.geometry(), 0).unwrap();
            assert_eq!(surface.weld_in_any_order(0..20).ok(), surface.weld().ok());
            in_order(&surface).is_none()
        };
        assert!(!is_refused(0, 59, 8), "another position");
        assert!(is_refused(1, 59, 58), "two positions of one attribute vertex");
        assert!(is_refused(1, 30, 29), "an attribute vertex that is not used");
        assert!(is_refused(0, 59, 50), "an invalid index of a position");
        assert!(is_refused(1, 59, 70), "an invalid index of an attribute vertex");
        assert!(is_refused(1, 59, 255), "an index far from the others");
        let model = Model::open(mesh(&[], &[])).unwrap();
        assert!(in_order(&Surface::new(model.geometry(), 0).unwrap()).is_none(), "no corners");
    }
}
