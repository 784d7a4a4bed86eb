//! Groups the polygons of a mesh into surfaces. The polygons that have the same texture index and
//! the same type byte form one surface.

// Rule: this file sorts and maps by copies only.

use std::sync::LazyLock;

use super::layout::{PolygonType, RawPolygon};
use crate::error::Cause;
use crate::math::{as_index, as_u64};

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
