//! Wavefront OBJ with a material library.
//!
//! Each surface is an object `o` with a material `usemtl`. Positions `v`, texture coordinates `vt`
//! and normals `vn` have separate numbers, so both index streams of a surface are kept. Surfaces
//! that share their vertices write the positions once, and with a single index stream also the
//! other attributes. Positions that no triangle uses are not written. Vertex colours follow the
//! coordinates of a position, if the surface has a single index stream. Each number is the shortest
//! that reads back as the same `f32`.
//!
//! In names, `_` replaces blanks, backslashes and control characters. The `.mtl` file has a
//! material for each that the surfaces use. It refers to an image only if the caller has listed it.
//! Everything else that the mesh file states about a material is in comments.

// Rule: this file sorts and maps by copies only.

mod faces;
mod library;
mod used_vertices;
mod vertices;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::io::Write;

use library::{Library, word};
use used_vertices::UsedVertices;
use vertices::{VertexNumbers, attribute_count};

use super::flat_losses::{FlatFormat, FlatLosses};
use super::loss::{Loss, LossKind, counted};
use super::options::ExportOptions;
use super::{OutputWriter, SceneInput};
use crate::error::Result;
use crate::export::options::ExportScene;
use crate::model::{Space, UvOrigin};
use crate::scene::shape::PlacedPositions;
use crate::scene::{PlacedSurface, PoolKey};
use crate::text::block::BlockWriter;

const OBJ: FlatFormat = FlatFormat {
    lacks: &[
        LossKind::Skin,
        LossKind::Clips,
        LossKind::MorphTargets,
        LossKind::VertexFrames,
        LossKind::Tangents,
        LossKind::DataColors,
        LossKind::Hulls,
        LossKind::Metadata,
    ],
    uv_sets: 1,
    draw_styles: false,
};

/// A writer of OBJ and MTL.
pub(crate) struct ObjWriter<'a> {
    scene: ExportScene<'a>,
    library: Library,
    /// The positions of each pool that triangles use.
    used: BTreeMap<PoolKey, UsedVertices>,
}

impl<'a> ObjWriter<'a> {
    /// Finds the materials and the triangles of the output.
    pub(crate) fn new(input: &SceneInput<'a>, options: &'a ExportOptions) -> Result<(Self, Vec<Loss>)> {
        let mut losses = FlatLosses::new(&OBJ, options)?;
        let target = Space { uv_origin: Some(UvOrigin::BottomLeft), ..Space::GLTF };
        let scene = ExportScene::new(input, options, target)?.with_normals()?;
        let (mut library, mut used) = (Library::new(input.contents)?, BTreeMap::new());
        scene.placed.each_surface(&mut |surface| {
            losses.surface(surface)?;
            library.add(surface)?;
            check_values(surface, &mut losses, &mut used)
        })?;
        used.values_mut().try_for_each(UsedVertices::number)?;
        let instances = scene.placed.places.iter().filter(|place| place.name.is_some()).count();
        if instances > 0 {
            losses.list.add_by_format(
                LossKind::Names,
                instances,
                format!("names of {}", counted(instances, "instance")),
            );
        }
        let losses = losses.finish(&scene)?;
        Ok((Self { scene, library, used }, losses))
    }

    fn write_objects(&self, stem: &str, out: &mut BlockWriter<'_>) -> Result<()> {
        out.text(concat!("# meshpeek ", env!("CARGO_PKG_VERSION"), "\nmtllib ")).text(&line(stem)).text(".mtl\n");
        let mut numbers = VertexNumbers::new(&self.used);
        self.scene.placed.each_surface(&mut |surface| {
            let (name, material) = (surface.surface.name()?, self.library.name(surface)?);
            out.text("o ").text(&word(name, surface.surface.index())).text("\n");
            numbers.write_vertices(surface, self.scene.stores_normals(surface)?, out)?;
            numbers.has_normals |= self.scene.normals.has(&surface.normal_input())?;
            out.text("usemtl ").text(material).text("\n");
            faces::write_faces(&self.scene, surface, &mut numbers, out)
        })
    }
}

/// Counts the values of a surface that the output leaves out or replaces, and finds the positions
/// that its triangles use.
fn check_values(
    surface: &PlacedSurface<'_>,
    losses: &mut FlatLosses<'_>,
    used: &mut BTreeMap<PoolKey, UsedVertices>,
) -> Result<()> {
    if surface.harmless_colors()?.is_some() && !surface.surface.is_single_stream()? {
        losses.add_by_format(LossKind::Colors, 1);
    }
    losses.values(surface)?;
    let positions = PlacedPositions::new(surface)?;
    let used = match used.entry(surface.position_pool()) {
        Entry::Occupied(found) => found.into_mut(),
        Entry::Vacant(place) => place.insert(UsedVertices::new(positions.stored.len())?),
    };
    let left_out = positions.each_triangle(Some(attribute_count(surface)?), &mut |corners, _| {
        for corner in corners {
            used.add(corner.position);
        }
        Ok(())
    })?;
    losses.list.add_left_out(left_out, surface.surface.index());
    Ok(())
}

/// Returns the text of one line: `_` replaces control characters.
fn line(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { '_' } else { letter }).collect()
}

impl OutputWriter for ObjWriter<'_> {
    fn file_count(&self) -> usize {
        2
    }

    fn ending(&self, _: usize) -> String {
        ".mtl".to_owned()
    }

    fn write(&self, file: usize, stem: &str, out: &mut dyn Write) -> Result<()> {
        let mut out = BlockWriter::new(out);
        if file == 0 {
            self.write_objects(stem, &mut out)?;
        } else {
            self.library.write(self.scene.placed.contents, &self.scene.options.source, &mut out)?;
        }
        Ok(out.finish()?)
    }
}
