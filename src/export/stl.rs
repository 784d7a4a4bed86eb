//! Binary STL: a list of triangles with a normal, without names, materials or attributes.
//!
//! | bytes | content |
//! |---|---|
//! | 80 | the name and the version of this library, and blanks |
//! | 4 | the number of triangles |
//! | 50 for each triangle | the normal, the three corners, and 2 zero bytes |
//!
//! A triangle with an invalid position index, or with a position that is not finite, is left out.
//! The normal is that of the plane of the triangle. It is 0 if the triangle has no area.

use std::io::Write;

use super::flat_losses::{FlatFormat, FlatLosses};
use super::loss::{Loss, LossKind};
use super::options::ExportOptions;
use super::{OutputWriter, SceneInput, fault};
use crate::error::{Cause, Result};
use crate::export::options::ExportScene;
use crate::math::{facet, unit};
use crate::model::Space;
use crate::scene::shape::PlacedPositions;
use crate::text::block::BlockWriter;

/// The size of the header in bytes.
const HEADER: usize = 80;

const STL: FlatFormat = FlatFormat {
    lacks: &[
        LossKind::Skin,
        LossKind::Clips,
        LossKind::MorphTargets,
        LossKind::VertexFrames,
        LossKind::Normals,
        LossKind::Tangents,
        LossKind::Colors,
        LossKind::DataColors,
        LossKind::Materials,
        LossKind::Names,
        LossKind::Hulls,
        LossKind::Metadata,
    ],
    uv_sets: 0,
    draw_styles: false,
};

/// A writer of binary STL.
pub(crate) struct StlWriter<'a> {
    scene: ExportScene<'a>,
    triangles: u32,
}

impl<'a> StlWriter<'a> {
    /// Counts the triangles of the output.
    pub(crate) fn new(input: &SceneInput<'a>, options: &'a ExportOptions) -> Result<(Self, Vec<Loss>)> {
        let mut losses = FlatLosses::new(&STL, options)?;
        let scene = ExportScene::new(input, options, Space::GLTF)?;
        let mut triangles = 0_u64;
        scene.placed.each_surface(&mut |surface| {
            losses.surface(surface)?;
            let left_out = PlacedPositions::new(surface)?.each_triangle(None, &mut |_, _| {
                triangles = triangles.saturating_add(1);
                Ok(())
            })?;
            losses.list.add_left_out(left_out, surface.surface.index());
            Ok(())
        })?;
        let too_many = |_| {
            let expected = format!("at most {} triangles in an STL file", u32::MAX).into();
            fault("triangles", Cause::Refused { expected, found: triangles.to_string().into() })
        };
        let triangles = u32::try_from(triangles).map_err(too_many)?;
        let losses = losses.finish(&scene)?;
        Ok((Self { scene, triangles }, losses))
    }
}

impl OutputWriter for StlWriter<'_> {
    fn write(&self, _: usize, _: &str, out: &mut dyn Write) -> Result<()> {
        let mut out = BlockWriter::new(out);
        let mut header = [b' '; HEADER];
        let title = concat!("meshpeek ", env!("CARGO_PKG_VERSION"));
        header.iter_mut().zip(title.bytes()).for_each(|(byte, title)| *byte = title);
        out.bytes(&header).bytes(&self.triangles.to_le_bytes());
        self.scene.placed.each_surface(&mut |surface| {
            PlacedPositions::new(surface)?.each_triangle(None, &mut |_, corners| {
                out.le_floats(&unit(facet(corners)).unwrap_or_default());
                out.le_floats(corners.as_flattened()).bytes(&[0; 2]).end_record()
            })?;
            Ok(())
        })?;
        Ok(out.finish()?)
    }
}
