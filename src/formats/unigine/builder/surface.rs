//! A surface to write, with its shapes.

use std::io::Write;

use zerocopy::IntoBytes;

use crate::array::{Bounds, Sphere};
use crate::decode::{Influence, TangentFrame, float, influence4, tangent_frame};
use crate::error::Result;
use crate::formats::unigine::bounds;
use crate::formats::unigine::layout::{Generation, INFLUENCES, RawBounds};
use crate::formats::unigine::writer::FieldWriter;

/// A surface to write.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surface {
    /// Its name, without NUL.
    pub name: String,
    /// The lightmap bytes: from ms12 on. `None` writes what the engine does, UV set 1 and 256 texels.
    pub lightmap: Option<[u8; 2]>,
    /// Shapes: the base shape first. At least one.
    pub targets: Vec<MorphTarget>,
    /// For each position, up to four influences; or no list at all.
    pub weights: Vec<Vec<Influence>>,
    /// Two UV sets: each with a pair for each frame of the base shape, or none.
    pub uvs: [Vec<[f32; 2]>; 2],
    /// For each frame of the base shape red, green, blue, alpha; or none.
    pub colors: Vec<[u8; 4]>,
    /// For each corner, its position.
    pub indices: Vec<u32>,
    /// For each corner, its frame, UVs and colour.
    pub attribute_indices: Vec<u32>,
}

/// A shape to write.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MorphTarget {
    /// Its name, without NUL; empty in every real file.
    pub name: String,
    /// Positions in scene units.
    pub positions: Vec<[f32; 3]>,
    /// Tangent frames.
    pub frames: Vec<TangentFrame>,
}

impl Surface {
    /// Returns the bounds that are written: those of the base shape.
    #[must_use]
    pub fn bounds(&self) -> RawBounds {
        let positions = self.targets.first().map(|base| base.positions.as_slice()).unwrap_or_default();
        let mut found = Bounds::EMPTY;
        for position in positions {
            found = found.union(&Bounds { min: *position, max: *position });
        }
        if found.is_empty() {
            return RawBounds::new(&bounds::EMPTY.0, &bounds::EMPTY.1);
        }
        let center = bounds::center(&found);
        let radius = bounds::radius(center, positions.iter().copied());
        RawBounds::new(&found, &Sphere { center, radius })
    }

    pub(super) fn write_header(&self, writer: &mut FieldWriter<impl Write>, generation: Generation) -> Result<()> {
        writer.text(self.name.as_bytes())?;
        writer.lightmap(generation, self.lightmap)?;
        if generation.is_compressed() {
            self.write_corners(writer)?;
        }
        writer.bounds(&self.bounds())?;
        if generation.has_targets() {
            writer.length(self.targets.len())?;
        }
        for target in &self.targets {
            let positions = u32::try_from(target.positions.len()).ok().filter(|_| generation.is_compressed());
            writer.target(generation, target.name.as_bytes(), positions)?;
        }
        Ok(())
    }

    pub(super) fn write_geometry(&self, writer: &mut FieldWriter<impl Write>, generation: Generation) -> Result<()> {
        for target in &self.targets {
            if !generation.is_compressed() {
                writer.length(target.positions.len())?;
            }
            for position in &target.positions {
                writer.bytes(float::encode(*position).as_bytes())?;
            }
            writer.length(target.frames.len())?;
            for frame in &target.frames {
                match generation {
                    Generation::Ms10 => writer.bytes(tangent_frame::encode7(frame).as_bytes())?,
                    _ => writer.bytes(tangent_frame::encode8(frame).as_bytes())?,
                }
            }
        }
        if generation.has_bones() {
            writer.length(self.weights.len())?;
        }
        for list in &self.weights {
            writer.bytes(&[u8::try_from(list.len()).unwrap_or(INFLUENCES)])?;
            for one in list {
                writer.bytes(influence4::encode(*one).as_bytes())?;
            }
        }
        for set in &self.uvs {
            writer.length(set.len())?;
            for pair in set {
                writer.bytes(float::encode(*pair).as_bytes())?;
            }
        }
        writer.length(self.colors.len())?;
        writer.bytes(self.colors.as_bytes())?;
        let (positions, frames) = self.base_counts();
        for (stream, items) in [(&self.indices, positions), (&self.attribute_indices, frames)] {
            if !generation.is_compressed() {
                writer.length(stream.len())?;
            }
            for index in stream {
                writer.index(*index, items)?;
            }
        }
        Ok(())
    }

    pub(super) fn base_counts(&self) -> (usize, usize) {
        self.targets.first().map_or((0, 0), |base| (base.positions.len(), base.frames.len()))
    }

    /// Writes what only the header of a compressed generation says: how many corners there are in each stream.
    fn write_corners(&self, writer: &mut FieldWriter<impl Write>) -> Result<()> {
        writer.length(self.indices.len())?;
        writer.length(self.attribute_indices.len())
    }
}
