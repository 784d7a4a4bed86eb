//! [`SurfaceView`], a view of one surface: all polygons of a mesh with the same texture index and
//! type byte.

// Rule: this file sorts and maps by copies only.

use std::sync::LazyLock;

use super::layout::{DATA, PolygonType, RawPolygon};
use crate::array::CornerArray;
use crate::decode::{PolygonIndices, PolygonUvs};
use crate::error::Cause;
use crate::error::debug::short_debug;
use crate::math::{as_index, as_u64};
use crate::model::{IndexEncoding, Indices, UvEncoding, Uvs};

/// The divisor that converts the stored bytes of texture coordinates to floats: the byte value that
/// becomes 1.0, the far edge of the texture image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UvDivisor {
    /// Divides texture coordinates by 255: the byte 255 becomes 1.0, the far edge of the texture
    /// image. Most programs that read Unreal vertex meshes divide by 255.
    #[default]
    By255,
    /// Divides texture coordinates by 256: the byte 255 becomes 255/256, just before the far edge
    /// of the texture image. The published page of the format divides by 256.
    By256,
}

/// One surface: all polygons with the same texture index and type byte, borrowed from the bytes of
/// the data file.
#[derive(Clone, Copy)]
pub struct SurfaceView<'a> {
    polygons: &'a [RawPolygon],
    order: &'a [u16],
    texture: u8,
    kind: PolygonType,
}

short_debug!(SurfaceView<'_>: |surface| {
    format: DATA, texture: surface.texture, kind: surface.kind, triangles: surface.triangle_count(),
});

impl<'a> SurfaceView<'a> {
    pub(super) const fn new(polygons: &'a [RawPolygon], group: &'a Group, order: &'a [u16]) -> Self {
        Self { polygons, order, texture: group.texture, kind: group.kind }
    }

    /// Returns the number of triangles of the surface.
    #[must_use]
    pub const fn triangle_count(&self) -> usize {
        self.order.len()
    }

    /// Returns the texture index of the surface.
    #[must_use]
    pub const fn texture(&self) -> u8 {
        self.texture
    }

    /// Returns the type byte (drawing style and flags) that all polygons of the surface have.
    #[must_use]
    pub const fn kind(&self) -> PolygonType {
        self.kind
    }

    /// Returns the default name of the surface, such as `texture 3`. The default name is used if no
    /// script sets a texture for the texture index of the surface.
    #[must_use]
    pub fn label(&self) -> &'static str {
        label(self.texture)
    }

    /// Returns whether the engine renders the surface. The engine does not render the triangles
    /// that mark weapon attachments.
    #[must_use]
    pub const fn is_drawn(&self) -> bool {
        !self.kind.has(PolygonType::WEAPON)
    }

    /// Returns the polygon indices of the surface, in ascending order. A polygon index is a
    /// position in the array of all polygons of the data file.
    #[must_use]
    pub const fn numbers(&self) -> &'a [u16] {
        self.order
    }

    /// Returns the polygons of the surface as they are stored, without conversion, in file order.
    #[must_use]
    pub fn polygons(&self) -> impl ExactSizeIterator<Item = &'a RawPolygon> + Clone + use<'a> {
        static NONE: RawPolygon = RawPolygon::EMPTY;
        let polygons = self.polygons;
        self.order.iter().map(move |number| polygons.get(usize::from(*number)).unwrap_or(&NONE))
    }

    /// Returns the polygon with an index in the surface, or `None` if the index is out of range.
    pub(super) fn polygon(&self, index: usize) -> Option<&'a RawPolygon> {
        let number = *self.order.get(index)?;
        Some(self.polygons.get(usize::from(number)).unwrap_or(&RawPolygon::EMPTY))
    }

    /// Returns the vertex index of each triangle corner of the surface, three indices per triangle.
    #[must_use]
    pub const fn indices(&self) -> Indices<'a> {
        Indices(IndexEncoding::Polygon(CornerArray::new(self.polygons, self.order, PolygonIndices)))
    }

    /// Returns the texture coordinates of each triangle corner of the surface, three pairs per
    /// triangle. The texture coordinate v increases from the top of the image to its bottom.
    #[must_use]
    pub const fn uvs(&self, divisor: UvDivisor) -> Uvs<'a> {
        match divisor {
            UvDivisor::By255 => Uvs(UvEncoding::Polygon255(CornerArray::new(self.polygons, self.order, PolygonUvs))),
            UvDivisor::By256 => Uvs(UvEncoding::Polygon256(CornerArray::new(self.polygons, self.order, PolygonUvs))),
        }
    }
}

/// The polygons of one surface: all polygons with the same texture index and type byte.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub(crate) texture: u8,
    pub(crate) kind: PolygonType,
    /// The range of the surface in the sorted polygon indices: from `start` up to, but not
    /// including, `end`.
    start: u32,
    end: u32,
}

/// Returns the default name of a surface, such as `texture 3`. The default name is used if no
/// script sets a texture for the texture index of the surface.
pub(crate) fn label(texture: u8) -> &'static str {
    static LABELS: LazyLock<Vec<String>> =
        LazyLock::new(|| (0..=u8::MAX).map(|texture| format!("texture {texture}")).collect());
    LABELS.get(usize::from(texture)).map_or("", String::as_str)
}

/// The indices of all polygons, sorted by surface. Each polygon index is stored as a `u16`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Groups {
    order: Box<[u16]>,
    groups: Vec<Group>,
}

impl Groups {
    /// Sorts polygons by texture index and type byte. Polygons that the engine does not render are
    /// sorted after all rendered polygons. Within a surface, polygons stay in file order.
    pub(crate) fn new(polygons: &[RawPolygon]) -> Result<Self, Cause> {
        let mut keys = reserve(polygons.len())?;
        // Each polygon is read once. A sort panics if a key changes between two comparisons, and
        // the polygons of a mapped file may change.
        keys.extend((0..=u16::MAX).zip(polygons).map(|(number, polygon)| {
            let RawPolygon { texture, kind, .. } = *polygon;
            (PolygonType(kind).has(PolygonType::WEAPON), texture, kind, number)
        }));
        keys.sort_unstable();
        let alike = |one: &PolygonKey, next: &PolygonKey| (one.1, one.2) == (next.1, next.2);
        // The surfaces are counted before the vector of surfaces is allocated. Each polygon may be
        // a separate surface, and a vector that grows by doubling would then take three times the
        // memory of a vector with the exact capacity.
        let mut groups = reserve(keys.chunk_by(alike).count())?;
        let mut start = 0;
        for same in keys.chunk_by(alike) {
            let Some(&(_, texture, kind, _)) = same.first() else { continue };
            let end = u32::try_from(same.len()).map_or(u32::MAX, |length| length.saturating_add(start));
            groups.push(Group { texture, kind: PolygonType(kind), start, end });
            start = end;
        }
        let mut order = reserve(keys.len())?;
        order.extend(keys.iter().map(|(.., number)| *number));
        Ok(Self { order: order.into(), groups })
    }

    pub(crate) const fn len(&self) -> usize {
        self.groups.len()
    }

    pub(crate) fn get(&self, index: usize) -> Option<(&Group, &[u16])> {
        let group = self.groups.get(index)?;
        Some((group, self.order.get(as_index(group.start)..as_index(group.end))?))
    }

    /// Returns the indices of the polygons that mark weapon attachments, sorted by surface.
    pub(crate) fn weapons(&self) -> &[u16] {
        let hidden = self.groups.iter().find(|group| group.kind.has(PolygonType::WEAPON));
        hidden.and_then(|first| self.order.get(as_index(first.start)..)).unwrap_or_default()
    }
}

/// The sort key of a polygon: whether the engine does not render it, its texture index, its type
/// byte and its index.
type PolygonKey = (bool, u8, u8, u16);

fn reserve<T>(count: usize) -> Result<Vec<T>, Cause> {
    let mut list = Vec::new();
    let asked = as_u64(count.saturating_mul(size_of::<T>()));
    list.try_reserve_exact(count).map_err(|_| Cause::OutOfMemory { asked })?;
    Ok(list)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorts_polygons_by_texture_and_type() {
        let polygon = |texture, kind| RawPolygon { kind, texture, ..RawPolygon::default() };
        let polygons =
            [polygon(0, 8), polygon(3, 0), polygon(1, 2), polygon(3, 0), polygon(1, 0), polygon(1, 2), polygon(0, 24)];
        let groups = Groups::new(&polygons).unwrap();
        let all: Vec<_> = (0..groups.len())
            .map(|index| groups.get(index).unwrap())
            .map(|(group, order)| (group.texture, group.kind.0, order.to_vec()))
            .collect();
        let expected = [(1, 0, vec![4]), (1, 2, vec![2, 5]), (3, 0, vec![1, 3]), (0, 8, vec![0]), (0, 24, vec![6])];
        assert_eq!(all, expected);
        assert_eq!(groups.weapons(), [0, 6]);
        assert!(Groups::new(&[]).unwrap().weapons().is_empty());
    }
}
