//! Binary STL: a list of triangles with a normal, without names, materials or attributes.

use std::io::Write;

use super::loss::{Loss, LossKind, LossList, counted};
use super::options::ExportOptions;
use super::scene::{Scene, SceneSurface};
use super::{ExportInput, OutputWriter, fault};
use crate::error::{Cause, Result};
use crate::math::{as_index, facet, unit};
use crate::model::{Corner, Space};

/// The size of the header in bytes.
const HEADER: usize = 80;

/// A writer of binary STL.
pub(crate) struct StlWriter<'a> {
    scene: Scene<'a>,
    triangles: u32,
}

impl<'a> StlWriter<'a> {
    /// Counts the triangles of the output.
    pub(crate) fn new(input: &ExportInput<'a>, options: &'a ExportOptions) -> Result<(Self, Vec<Loss>)> {
        let scene = Scene::new(input, options, Space::GLTF)?;
        let (mut losses, mut triangles) = (LossList::default(), 0_u64);
        scene.each_surface(&mut |surface| {
            let (mut count, mut invalid) = (0_u64, 0);
            each_triangle(surface, &mut |triangle| {
                match triangle {
                    Some(_) => count = count.saturating_add(1),
                    None => invalid = usize::saturating_add(invalid, 1),
                }
                Ok(())
            })?;
            if invalid > 0 {
                let text = format!("{} with an invalid index", counted(invalid, "triangle"));
                losses.add(LossKind::Triangles, Some(surface.number), text);
            }
            triangles = triangles.saturating_add(count);
            Ok(())
        })?;
        let too_many = |_| {
            let expected = format!("at most {} triangles in an STL file", u32::MAX).into();
            fault("triangles", Cause::Refused { expected, found: triangles.to_string().into() })
        };
        Ok((Self { scene, triangles: u32::try_from(triangles).map_err(too_many)? }, losses.finish()))
    }
}

/// Calls `visit` with the converted corners of each triangle, or with `None` if an index of the
/// triangle is out of range.
fn each_triangle(surface: &SceneSurface<'_>, visit: &mut dyn FnMut(Option<[[f32; 3]; 3]>) -> Result<()>) -> Result<()> {
    let positions = surface.shape.positions(&surface.surface)?;
    let corners = surface.surface.corners()?;
    for triangle in 0..corners.triangle_count() {
        let Some(corners) = corners.triangle(triangle) else { break };
        let position = |corner: Corner| positions.get(as_index(corner.position));
        let [first, second, third] = surface.conversion.triangle(corners).map(position);
        let found = first.zip(second).zip(third).map(|((first, second), third)| [first, second, third]);
        visit(found.map(|triangle| triangle.map(|position| surface.conversion.position(position))))?;
    }
    Ok(())
}

impl OutputWriter for StlWriter<'_> {
    fn ending(&self, _: usize) -> String {
        ".stl".to_owned()
    }

    fn write(&self, _: usize, _: &str, out: &mut dyn Write) -> Result<()> {
        let mut header = [b' '; HEADER];
        let title = concat!("meshpeek ", env!("CARGO_PKG_VERSION"));
        header.iter_mut().zip(title.bytes()).for_each(|(byte, title)| *byte = title);
        out.write_all(&header)?;
        out.write_all(&self.triangles.to_le_bytes())?;
        self.scene.each_surface(&mut |surface| {
            each_triangle(surface, &mut |triangle| {
                let Some(corners) = triangle else { return Ok(()) };
                let normal = unit(facet(corners)).unwrap_or_default();
                let mut record = [0; 50];
                let values = std::iter::once(normal).chain(corners).flatten();
                for (place, value) in record.as_chunks_mut::<4>().0.iter_mut().zip(values) {
                    *place = value.to_le_bytes();
                }
                Ok(out.write_all(&record)?)
            })
        })
    }
}
