//! A surface of a new mesh, with its base shape and morph targets.

use zerocopy::IntoBytes;

use super::bounds;
use super::writer::Writer;
use meshpeek::array::{Bounds, Sphere};
use meshpeek::decode::{Influence, TangentFrame, float, influence4, tangent_frame};
use meshpeek::unigine::Generation;
use meshpeek::unigine::layout::{INFLUENCES, RawBounds};

/// A surface of a new mesh.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surface {
    /// The name of the surface, without the closing NUL.
    pub name: String,
    /// The two lightmap bytes (UV set and resolution code), which are written from ms12 on. If
    /// `lightmap` is `None`, the usual values of the engine are written: the lightmap uses UV set 1
    /// and has a resolution of 256 texels.
    pub lightmap: Option<[u8; 2]>,
    /// The vertices of the surface: first the base shape, then the morph targets. A surface must
    /// have at least the base shape.
    pub targets: Vec<MorphTarget>,
    /// For each position, a list of up to four bone influences. The vector `weights` is empty for
    /// an unskinned surface.
    pub weights: Vec<Vec<Influence>>,
    /// The two UV sets. A UV set is either empty or has one (u, v) pair for each tangent frame of
    /// the base shape.
    pub uvs: [Vec<[f32; 2]>; 2],
    /// The colours: red, green, blue and alpha for each tangent frame of the base shape. The list
    /// of colours is empty if the surface has no colours.
    pub colors: Vec<[u8; 4]>,
    /// The first index stream: for each triangle corner, the index of its position.
    pub indices: Vec<u32>,
    /// The second index stream: for each triangle corner, the index of its tangent frame, UVs and
    /// colour.
    pub attribute_indices: Vec<u32>,
}

/// The vertices of the base shape or of a morph target of a new surface.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MorphTarget {
    /// The name of the base shape or morph target, without the closing NUL. In all examined files,
    /// the names of base shapes and morph targets are empty.
    pub name: String,
    /// The vertex positions of the base shape or morph target, in scene units.
    pub positions: Vec<[f32; 3]>,
    /// The tangent frames of the base shape or morph target. Each triangle corner refers to a
    /// tangent frame by an index of the second index stream.
    pub frames: Vec<TangentFrame>,
}

impl Surface {
    /// Returns the bounding box and the bounding sphere that are written for the surface. The
    /// bounding box and the bounding sphere enclose the base shape only, not the morph targets.
    pub fn bounds(&self) -> RawBounds {
        let positions = self.targets.first().map(|base| base.positions.as_slice()).unwrap_or_default();
        let found: Bounds = positions.iter().copied().collect();
        if found.is_empty() {
            return RawBounds::new(&bounds::EMPTY.0, &bounds::EMPTY.1);
        }
        let center = bounds::center(&found);
        let radius = bounds::radius(center, positions.iter().copied());
        RawBounds::new(&found, &Sphere { center, radius })
    }

    pub(super) fn write_header(&self, writer: &mut Writer, generation: Generation) {
        writer.text(self.name.as_bytes());
        writer.lightmap(generation, self.lightmap);
        if generation.is_compressed() {
            writer.length(self.indices.len());
            writer.length(self.attribute_indices.len());
        }
        writer.bounds(self.bounds());
        if generation.has_targets() {
            writer.length(self.targets.len());
        }
        for target in &self.targets {
            let positions = u32::try_from(target.positions.len()).ok().filter(|_| generation.is_compressed());
            writer.target(generation, target.name.as_bytes(), positions);
        }
    }

    pub(super) fn write_geometry(&self, writer: &mut Writer, generation: Generation) {
        for target in &self.targets {
            if !generation.is_compressed() {
                writer.length(target.positions.len());
            }
            for position in &target.positions {
                writer.put(float::encode(*position).as_bytes());
            }
            writer.length(target.frames.len());
            for frame in &target.frames {
                match generation {
                    Generation::Ms10 => writer.put(tangent_frame::encode7(frame).as_bytes()),
                    _ => writer.put(tangent_frame::encode8(frame).as_bytes()),
                }
            }
        }
        if generation.has_bones() {
            writer.length(self.weights.len());
        }
        for list in &self.weights {
            writer.put(&[u8::try_from(list.len()).unwrap_or(INFLUENCES)]);
            for one in list {
                writer.put(influence4::encode(*one).as_bytes());
            }
        }
        for set in &self.uvs {
            writer.length(set.len());
            for pair in set {
                writer.put(float::encode(*pair).as_bytes());
            }
        }
        writer.length(self.colors.len());
        writer.put(self.colors.as_bytes());
        let (positions, frames) = self.base_counts();
        for (stream, items) in [(&self.indices, positions), (&self.attribute_indices, frames)] {
            if !generation.is_compressed() {
                writer.length(stream.len());
            }
            for index in stream {
                writer.index(*index, items);
            }
        }
    }

    pub(super) fn base_counts(&self) -> (usize, usize) {
        self.targets.first().map_or((0, 0), |base| (base.positions.len(), base.frames.len()))
    }
}
