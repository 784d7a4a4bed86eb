//! Weapon attachments. A weapon attachment is a triangle that marks the position and the axes of a
//! weapon, and that the engine does not render.

use super::file::Mesh;
use super::header::POLYGONS_AT;
use super::layout::{DATA, RawPolygon};
use super::transform::Placement;
use crate::array::Array;
use crate::error::{Cause, Error, Field, Result};
use crate::math::{add, as_index, as_u64, cross, facet, subtract, unit};
use crate::model::Attachment;

impl<D: AsRef<[u8]>> Mesh<D> {
    /// Returns the number of triangles that mark a weapon attachment. In a player model, the first
    /// polygon marks the weapon attachment.
    #[must_use]
    pub fn attachment_count(&self) -> usize {
        self.groups().map_or(0, |groups| groups.weapons().len())
    }

    /// Returns the position and the axes of a weapon attachment in one animation frame. The
    /// vertices of the attachment's triangle are transformed by `placement` before the axes are
    /// computed.
    ///
    /// The position of the attachment is midway between the vertices 0 and 1 of the triangle. The z
    /// axis of the attachment points from vertex 0 to vertex 1, the y axis is the normal of the
    /// triangle, and the x axis is the cross product y × z.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::NoSuch`] if `index` is not below
    /// [`attachment_count`](Self::attachment_count) or the mesh has no animation frame `frame`, and
    /// [`ErrorKind::Value`] if a vertex index of the triangle is out of range.
    ///
    /// [`ErrorKind::NoSuch`]: crate::ErrorKind::NoSuch
    /// [`ErrorKind::Value`]: crate::ErrorKind::Value
    pub fn attachment(&self, index: usize, frame: usize, placement: &Placement) -> Result<Attachment> {
        let weapons = self.groups()?.weapons();
        let Some(number) = weapons.get(index) else {
            let kind = Cause::NoSuch { count: as_u64(weapons.len()), index: as_u64(index) };
            return Err(Error::without_offset(DATA, Field::new("").in_list("attachment", as_u64(index)), kind));
        };
        let polygons = self.polygons()?;
        let polygon = polygons.get(usize::from(*number)).copied().unwrap_or_default();
        let positions = self.frame(frame)?.positions();
        self.note_polygons();
        self.note_aniv(self.header.frame_at(as_u64(frame)), as_u64(positions.as_bytes().len()));
        let place = |vertex: u32| match positions.get(as_index(vertex)) {
            Some(position) => Ok(placement.apply(position)),
            None => Err(beyond((*number).into(), vertex, positions.len())),
        };
        let [first, second, third] = polygon.vertices.map(|vertex| place(vertex.get().into()));
        let corners = [first?, second?, third?];
        let [first, second, _] = corners;
        let axes = unit(subtract(second, first)).zip(unit(facet(corners))).map(|(z, y)| [cross(y, z), y, z]);
        Ok(Attachment { position: add(first, second).map(|sum| sum * 0.5), axes })
    }
}

/// Makes the error for a polygon whose vertex index is not below `count`, the number of vertices in
/// the animation frame.
fn beyond(polygon: u64, vertex: u32, count: usize) -> Error {
    let kind = Cause::value(format!("an index below {count}"), vertex.to_string());
    let offset = POLYGONS_AT.saturating_add(polygon.saturating_mul(as_u64(size_of::<RawPolygon>())));
    Error::new(DATA, Field::new("vertices").in_list("polygon", polygon), offset, kind)
}
