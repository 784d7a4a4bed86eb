//! Binary little-endian PLY: one list of vertices and one list of triangles.
//!
//! | property of a vertex | type | for a surface without it |
//! |---|---|---|
//! | `x`, `y`, `z` | float | |
//! | `nx`, `ny`, `nz` | float | 0 |
//! | `s`, `t`: UV set 0, `t` grows upwards | float | 0 |
//! | `red`, `green`, `blue`, `alpha`: colours that are drawn | uchar | 255 |
//! | `data_red`, `data_green`, `data_blue`, `data_alpha`: vertex colours that are data | uchar | 255 |
//!
//! A property that no surface has is absent. Vertices have one index, so a surface with two
//! different index streams is welded. A face has the property `vertex_indices`, a list of three
//! vertices.
//!
//! The coordinates of a position are in another order, such as `y`, `z`, `x`, if the first byte
//! after the header would be a line feed. Some readers skip such a byte.

use std::io::Write;

use super::flat_losses::{FlatFormat, FlatLosses};
use super::loss::{Loss, LossKind, LossList, undrawn_colors};
use super::options::ExportOptions;
use super::part_faces::each_face;
use super::vertices::CornerBlocks;
use super::{OutputWriter, SceneInput, WrittenPart, fault};
use crate::array::Array;
use crate::decode::OutputFormat;
use crate::decode::convert::Unorm;
use crate::error::{Cause, Result};
use crate::export::options::ExportScene;
use crate::math::{as_index, as_u64};
use crate::model::{Corner, Space, UvOrigin};
use crate::scene::PlacedSurface;
use crate::scene::shape::{PlacedPositions, finite_or_zero};
use crate::text::block::BlockWriter;

const PLY: FlatFormat = FlatFormat {
    lacks: &[
        LossKind::Skin,
        LossKind::Clips,
        LossKind::MorphTargets,
        LossKind::VertexFrames,
        LossKind::Tangents,
        LossKind::Materials,
        LossKind::Names,
        LossKind::Hulls,
        LossKind::Metadata,
    ],
    uv_sets: 1,
    draw_styles: false,
};

/// The optional properties of a vertex.
#[derive(Clone, Copy, Debug, Default)]
#[allow(clippy::struct_excessive_bools, reason = "independent properties")]
struct VertexProperties {
    normals: bool,
    uvs: bool,
    colors: bool,
    /// Vertex colours that are not drawn.
    color_data: bool,
}

/// A writer of binary PLY.
pub(crate) struct PlyWriter<'a> {
    scene: ExportScene<'a>,
    properties: VertexProperties,
    /// The number of coordinates after which the first coordinate is written.
    turn: usize,
    vertices: u64,
    faces: u64,
}

impl<'a> PlyWriter<'a> {
    /// Counts the vertices and the faces of the output.
    pub(crate) fn new(input: &SceneInput<'a>, options: &'a ExportOptions) -> Result<(Self, Vec<Loss>)> {
        let mut losses = FlatLosses::new(&PLY, options)?;
        let target = Space { uv_origin: Some(UvOrigin::BottomLeft), ..Space::GLTF };
        let scene = ExportScene::new(input, options, target)?.with_normals()?;
        let mut writer = Self { scene, properties: VertexProperties::default(), turn: 0, vertices: 0, faces: 0 };
        writer.count(&mut losses)?;
        check_count("vertices", writer.vertices)?;
        check_count("faces", writer.faces)?;
        let losses = losses.finish(&writer.scene)?;
        Ok((writer, losses))
    }

    fn count(&mut self, losses: &mut FlatLosses<'_>) -> Result<()> {
        let (mut properties, mut vertices, mut faces) = (self.properties, 0_u64, 0_u64);
        let mut first = None;
        self.scene.placed.each_surface(&mut |surface| {
            losses.surface(surface)?;
            losses.values(surface)?;
            let view = &surface.surface;
            properties.normals |= self.scene.has_normals(surface)?;
            properties.uvs |= view.uvs(0)?.is_some();
            if let Some((_, role)) = surface.colors()? {
                properties.colors |= role.is_harmless();
                properties.color_data |= !role.is_harmless();
                if let Some(text) = undrawn_colors(role, "the properties data_red to data_alpha") {
                    losses.list.add_by_format(LossKind::DataColors, 1, text);
                }
            }
            let positions = PlacedPositions::new(surface)?;
            self.scene.each_part(surface, &mut losses.list, &mut |WrittenPart { order, .. }, left_out| {
                let corners = CornerBlocks::new(order, positions.stored.len());
                vertices = vertices.saturating_add(as_u64(corners.len()));
                first = first.or_else(|| corners.first().map(|corner| positions.get_finite(corner.position)));
                let missing = each_face(surface, &positions, order, &mut |_| {
                    faces = faces.saturating_add(1);
                    Ok(())
                })?;
                left_out.add_left_out(missing, surface.surface.index());
                Ok(())
            })
        })?;
        (self.properties, self.vertices, self.faces) = (properties, vertices, faces);
        self.turn = first.map_or(0, safe_turn);
        Ok(())
    }

    fn write_header(&self, out: &mut BlockWriter<'_>) {
        out.text("ply\nformat binary_little_endian 1.0\n");
        out.text(concat!("comment meshpeek ", env!("CARGO_PKG_VERSION"), "\n"));
        let source = &self.scene.options.source;
        for text in [source.name(), source.hash()].into_iter().flatten() {
            let is_plain = !text.chars().any(char::is_control);
            out.text(if is_plain { "comment source " } else { "" }).text(if is_plain { text } else { "" });
            out.text(if is_plain { "\n" } else { "" });
        }
        out.text("element vertex ").unsigned(self.vertices).text("\n");
        let VertexProperties { normals, uvs, colors, color_data } = self.properties;
        for (is_written, kind, names) in [
            (true, "float", &turned(["x", "y", "z"], self.turn)[..]),
            (normals, "float", &["nx", "ny", "nz"]),
            (uvs, "float", &["s", "t"]),
            (colors, "uchar", &["red", "green", "blue", "alpha"]),
            (color_data, "uchar", &["data_red", "data_green", "data_blue", "data_alpha"]),
        ] {
            for name in names.iter().filter(|_| is_written) {
                out.text("property ").text(kind).text(" ").text(name).text("\n");
            }
        }
        out.text("element face ").unsigned(self.faces).text("\n");
        out.text("property list uchar uint vertex_indices\nend_header\n");
    }

    /// Writes the vertices of a part of a surface.
    fn write_vertices(
        &self,
        surface: &PlacedSurface<'_>,
        positions: &PlacedPositions<'_>,
        part: &WrittenPart,
        out: &mut BlockWriter<'_>,
    ) -> Result<()> {
        let (view, conversion) = (&surface.surface, surface.conversion);
        let (uvs, colors) = (view.uvs(0)?.map(|uvs| conversion.array(uvs)), surface.colors()?);
        let normals = if self.scene.stores_normals(surface)? { view.normals()? } else { None };
        let normals = normals.map(|normals| conversion.array(normals));
        let mut computed = part.normals.iter().flat_map(|normals| normals.values.iter().copied());
        CornerBlocks::new(&part.order, positions.stored.len()).each(&mut |corners| {
            let posed = surface.shape.skinned_normals(&surface.surface, corners)?;
            for (number, Corner { position, attribute }) in corners.iter().enumerate() {
                let attribute = as_index(*attribute);
                out.le_floats(&turned(positions.get_finite(*position), self.turn));
                if self.properties.normals {
                    let computed = computed.next();
                    let posed = posed.as_ref().and_then(|posed| posed.get(number).copied());
                    let posed = posed.map(|normal| surface.conversion.normal(normal));
                    let normal = computed.or(posed).or_else(|| normals.and_then(|normals| normals.get(attribute)));
                    out.le_floats(&normal.unwrap_or_default().map(finite_or_zero));
                }
                if self.properties.uvs {
                    let uv = uvs.and_then(|uvs| uvs.get(attribute));
                    out.le_floats(&uv.unwrap_or_default().map(finite_or_zero));
                }
                let kinds = [(self.properties.colors, true), (self.properties.color_data, false)];
                for (_, is_harmless) in kinds.into_iter().filter(|(is_written, _)| *is_written) {
                    let own = colors.filter(|(_, role)| role.is_harmless() == is_harmless);
                    let color = own.and_then(|(colors, _)| colors.get(attribute)).unwrap_or([1.0; 4]);
                    out.bytes(&Unorm::<u8>::new().convert(color));
                }
            }
            out.end_record()
        })
    }
}

/// Returns the smallest turn of a position whose first byte in the output is no line feed, or 0.
fn safe_turn(position: [f32; 3]) -> usize {
    position.iter().position(|part| !part.to_le_bytes().starts_with(b"\n")).unwrap_or_default()
}

/// Moves the first `turn` coordinates to the end.
fn turned<T>([x, y, z]: [T; 3], turn: usize) -> [T; 3] {
    match turn {
        1 => [y, z, x],
        2 => [z, x, y],
        _ => [x, y, z],
    }
}

/// Returns an error if there are more items than the indices of the output can number.
fn check_count(name: &'static str, count: u64) -> Result<()> {
    if count <= u32::MAX.into() {
        return Ok(());
    }
    let expected = format!("at most {} {name} in a PLY file", u32::MAX).into();
    Err(fault(name, Cause::Refused { expected, found: count.to_string().into() }))
}

impl OutputWriter for PlyWriter<'_> {
    fn write(&self, _: usize, _: &str, out: &mut dyn Write) -> Result<()> {
        let mut out = BlockWriter::new(out);
        self.write_header(&mut out);
        // Triangles that are left out were listed when the export was made.
        let mut ignored = LossList::default();
        self.scene.placed.each_surface(&mut |surface| {
            let positions = PlacedPositions::new(surface)?;
            let mut write = |part: &WrittenPart| self.write_vertices(surface, &positions, part, &mut out);
            self.scene.each_part(surface, &mut ignored, &mut |part, _| write(part))
        })?;
        let mut first = 0_u32;
        self.scene.placed.each_surface(&mut |surface| {
            let positions = PlacedPositions::new(surface)?;
            self.scene.each_part(surface, &mut ignored, &mut |WrittenPart { order, .. }, _| {
                each_face(surface, &positions, order, &mut |corners| {
                    out.bytes(&[3]);
                    for face in corners {
                        out.bytes(&first.saturating_add(face.vertex).to_le_bytes());
                    }
                    out.end_record()
                })?;
                let count = CornerBlocks::new(order, positions.stored.len()).len();
                first = first.saturating_add(u32::try_from(count).unwrap_or(u32::MAX));
                Ok(())
            })
        })?;
        Ok(out.finish()?)
    }
}
