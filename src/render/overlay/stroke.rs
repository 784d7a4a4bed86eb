//! Lines, bones and joints in the converted space.

use crate::render::srgb::linear;

/// A position in the converted space.
pub(crate) type Point = [f64; 3];

/// The colour and the depth of strokes. Of strokes at the same depth, the first kind is visible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StrokeInk {
    Bounds,
    Hulls,
    Normals,
    /// Bones, in front of everything.
    Bones,
    /// The dark outline of bones.
    Outline,
}

impl StrokeInk {
    pub(crate) const ALL: [Self; 5] = [Self::Bounds, Self::Hulls, Self::Normals, Self::Bones, Self::Outline];

    /// Returns the linear colour.
    pub(crate) fn color(self) -> [f32; 3] {
        linear(match self {
            Self::Bounds => [70, 76, 86],
            Self::Hulls => [38, 140, 84],
            Self::Normals => [34, 118, 190],
            Self::Bones => [236, 150, 58],
            Self::Outline => [74, 42, 14],
        })
    }
}

/// The shape of a stroke.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StrokeShape {
    /// A line between both ends.
    Line,
    /// A small disc at the first end.
    Dot,
    /// A bone from its joint, the first end, to that of a child. It is wide at the first third.
    Bone,
    /// The joint of a bone at the first end. The disc is small if the second end is near.
    Joint,
}

/// A line, a bone or a joint.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stroke {
    pub(crate) ends: [Point; 2],
    pub(crate) shape: StrokeShape,
    pub(crate) ink: StrokeInk,
}

/// Strokes with a limited number.
#[derive(Debug, Default)]
pub(crate) struct StrokeList {
    strokes: Vec<Stroke>,
    /// The number of strokes that are known to be missing.
    pub(crate) missing: u64,
}

/// The greatest number of strokes of each kind.
pub(crate) const MAX_STROKES: usize = 50_000;

impl StrokeList {
    /// Adds a stroke, and returns whether there was room. Strokes with a coordinate that is not
    /// finite are left out.
    pub(crate) fn push(&mut self, stroke: Stroke) -> bool {
        let has_room = !self.is_full();
        if has_room && stroke.ends.iter().flatten().all(|part| part.is_finite() && part.abs() < 1e30) {
            self.strokes.push(stroke);
        }
        self.missing = self.missing.saturating_add(u64::from(!has_room));
        has_room
    }

    /// Adds a line, and returns whether there was room.
    pub(crate) fn line(&mut self, ends: [Point; 2], ink: StrokeInk) -> bool {
        self.push(Stroke { ends, shape: StrokeShape::Line, ink })
    }

    /// Counts a stroke that is missing.
    pub(crate) fn miss(&mut self) {
        self.missing = self.missing.saturating_add(1);
    }

    /// Returns whether there is no room for another stroke.
    pub(crate) fn is_full(&self) -> bool {
        self.strokes.len() >= MAX_STROKES
    }

    pub(crate) fn as_slice(&self) -> &[Stroke] {
        &self.strokes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_has_a_limit() {
        let mut strokes = StrokeList::default();
        assert!(strokes.line([[f64::NAN; 3], [0.0; 3]], StrokeInk::Normals) && strokes.as_slice().is_empty());
        (0..MAX_STROKES).for_each(|_| assert!(strokes.line([[0.0; 3], [1.0; 3]], StrokeInk::Normals)));
        assert!(strokes.is_full() && !strokes.line([[0.0; 3], [1.0; 3]], StrokeInk::Normals));
        assert_eq!((strokes.as_slice().len(), strokes.missing), (MAX_STROKES, 1));
    }
}
