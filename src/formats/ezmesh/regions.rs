//! Divides a file into named byte regions, which together cover every byte of the file.

use super::binary_reader::BinaryReader;
use super::element_index::ElementKind;
use super::layout::{BOX_SIZE, TRANSFORM_SIZE, VERTEX};
use super::vertex_format::VertexFormat;
use super::view::View;
use super::xml::element_name::ElementName;
use super::xml::scan::kind;
use super::xml::walk::{self, OpenElement, XmlEvent};
use crate::error::{Field, Result};
use crate::math::as_u64;
use crate::parse::{Element, Region, Value, Walk};

const TEXT: Element = Element::TEXT;
const STRING: Element = Element::new("string", 0, 1).decoded_by(|here| {
    // The text follows its length, which is an integer of 32 bits.
    Some(here.found(0, 0, Some(Value::cut_text(here.bytes.get(4..).unwrap_or_default()))))
});
const BYTE: Element = Element::U8;
const U32: Element = Element::U32;
const I32: Element = Element::I32;
const F32: Element = Element::F32;
const BOX: Element = Element::bounds(BOX_SIZE);
const TRANSFORM: Element = Element::transform(TRANSFORM_SIZE);
const PLANE: Element = Element::F32X4;

/// Calls `visit` once for each named region of the file, in file order. The regions cover the file
/// without gaps.
///
/// The regions of a text file are the lists of numbers inside elements, the comments, the DOCTYPE,
/// and the XML markup between these regions. The regions of a binary file are its fields.
///
/// # Errors
///
/// Returns an error if the bytes of the file have changed since the file was opened, and the
/// structure of the file is not valid any more.
pub(super) fn walk(view: View<'_>, visit: &mut dyn FnMut(Region)) -> Result<()> {
    match view.order() {
        None => text(view.bytes, &view.state.context.options.limits, visit),
        Some(order) => {
            let reader = BinaryReader::at(view.bytes, order, 0, None)?;
            BinaryRegions { reader, walk: Walk::new(visit) }.all(as_u64(view.bytes.len()))
        }
    }
}

/// Calls `see` once for each region of a text file.
fn text(bytes: &[u8], limits: &crate::parse::Limits, see: &mut dyn FnMut(Region)) -> Result<()> {
    let mut regions = Walk::new(see);
    let mut numbers = BlockNames::default();
    walk::walk(bytes, limits, &mut |event, open| {
        let data = open.last().filter(|open| open.element.is_data()).and(Some(numbers.block));
        match (event, data) {
            (XmlEvent::Start { element, .. }, _) => numbers.start(element, open),
            (XmlEvent::Text(range) | XmlEvent::Cdata(range), Some(block)) => {
                regions.pass_to(Field::new("elements"), TEXT, as_u64(range.start));
                regions.pass_to(block, TEXT, as_u64(range.end));
            }
            (XmlEvent::Comment(range), _) => {
                regions.pass_to(Field::new("elements"), TEXT, as_u64(range.start));
                regions.pass_to(Field::new("comment"), TEXT, as_u64(range.end));
            }
            (XmlEvent::Doctype(range), _) => {
                regions.pass_to(Field::new("elements"), TEXT, as_u64(range.start));
                regions.pass_to(Field::new("doctype"), TEXT, as_u64(range.end));
            }
            _ => {}
        }
        Ok(())
    })?;
    regions.pass_to(Field::new("elements"), TEXT, as_u64(bytes.len()));
    Ok(())
}

/// Counts the elements of a text file. The name of a region contains the indices of the elements
/// that contain the region, such as the mesh and the section.
#[derive(Default)]
struct BlockNames {
    mesh: u64,
    section: u64,
    animation: u64,
    track: u64,
    tetra: u64,
    collision: u64,
    /// The region name for the list of numbers in the element that started last.
    block: Field,
}

impl BlockNames {
    fn start(&mut self, element: ElementName, open: &[OpenElement<'_>]) {
        let last = |count: u64| count.saturating_sub(1);
        let bump = |count: &mut u64| *count = count.saturating_add(1);
        // A list of numbers that belongs to no known element gets the region name `elements`, like
        // the XML markup around the list.
        if element.is_data() {
            self.block = Field::new("elements");
        }
        let Some(kind) = kind(element, open) else { return };
        match kind {
            ElementKind::Mesh => {
                bump(&mut self.mesh);
                self.section = 0;
            }
            ElementKind::Section => bump(&mut self.section),
            ElementKind::Animation => {
                bump(&mut self.animation);
                self.track = 0;
            }
            ElementKind::Track => bump(&mut self.track),
            ElementKind::Tetra => bump(&mut self.tetra),
            ElementKind::Collision => bump(&mut self.collision),
            _ => {}
        }
        let mesh = Field::new("").in_list("mesh", last(self.mesh));
        let section = mesh.in_inner_list("section", last(self.section));
        let collision = Field::new("").in_list("collision", last(self.collision));
        let track = Field::new("").in_list("animation", last(self.animation)).in_inner_list("track", last(self.track));
        self.block = match kind {
            ElementKind::MeshVertices => mesh.named("vertexbuffer"),
            ElementKind::SectionVertices => section.named("vertexbuffer"),
            ElementKind::Triangles => section.named("indexbuffer"),
            ElementKind::HullVertices => collision.named("vertexbuffer"),
            ElementKind::HullTriangles => collision.named("indexbuffer"),
            ElementKind::Track => track.named("keys"),
            ElementKind::Tetra => Field::new("corners").in_list("tetra_mesh", last(self.tetra)),
            _ => return,
        };
    }
}

/// Calls a closure once for each field of a binary file, with the named region of the field.
struct BinaryRegions<'a, 's> {
    reader: BinaryReader<'a>,
    walk: Walk<'s>,
}

impl BinaryRegions<'_, '_> {
    /// Reports a region of `count` items, such as triangles, and skips the bytes of these items.
    fn pass(&mut self, place: Field, name: &'static str, element: Element, count: u32) -> Result<()> {
        self.reader.lend(count.into(), element.size.into(), name)?;
        self.walk.pass(place.named(name), element, count.into());
        Ok(())
    }

    /// Reports the region of a 32-bit integer, and returns the integer.
    fn number(&mut self, place: Field, name: &'static str, element: Element) -> Result<u32> {
        let number = self.reader.u32(name)?;
        self.walk.pass(place.named(name), element, 1);
        Ok(number)
    }

    /// Reports the region of a string, including the length field before the string.
    fn string(&mut self, place: Field, name: &'static str) -> Result<()> {
        self.reader.skip_text(name)?;
        self.walk.pass_all(place.named(name), STRING, self.reader.offset());
        Ok(())
    }

    fn all(mut self, end: u64) -> Result<()> {
        let top = Field::new("");
        self.number(top, "version", U32)?;
        self.string(top, "tag")?;
        self.string(top, "asset_name")?;
        self.string(top, "asset_info")?;
        self.pass(top, "system_version", I32, 1)?;
        self.pass(top, "asset_version", I32, 1)?;
        self.pass(top, "bounds", BOX, 1)?;
        for index in 0..self.number(top, "textures.count", U32)?.into() {
            let place = top.in_list("texture", index);
            self.string(place, "name")?;
            self.pass(place, "size", U32, 3)?;
            let length = self.number(place, "pixels.count", U32)?;
            self.pass(place, "pixels", BYTE, length)?;
        }
        self.number(top, "tetra_meshes.count", U32)?;
        self.skeletons()?;
        self.animations()?;
        for (counted, list, names) in [
            ("materials.count", "material", ["name", "meta_data"]),
            ("user_data.count", "user_data", ["key", "value"]),
            ("user_binary_data.count", "user_binary_data", ["name", "bytes"]),
        ] {
            for index in 0..self.number(top, counted, U32)?.into() {
                names.iter().try_for_each(|name| self.string(top.in_list(list, index), name))?;
            }
        }
        self.meshes()?;
        for index in 0..self.number(top, "instances.count", U32)?.into() {
            self.string(top.in_list("instance", index), "mesh")?;
            self.pass(top.in_list("instance", index), "transform", TRANSFORM, 1)?;
        }
        self.number(top, "collision_representations.count", U32)?;
        self.pass(top, "plane", PLANE, 1)?;
        self.walk.pass_to(Field::new("end"), BYTE, end);
        Ok(())
    }

    fn skeletons(&mut self) -> Result<()> {
        for index in 0..self.number(Field::new(""), "skeletons.count", U32)?.into() {
            let place = Field::new("").in_list("skeleton", index);
            self.string(place, "name")?;
            for bone in 0..self.number(place, "bones.count", I32)?.into() {
                let place = place.in_inner_list("bone", bone);
                self.string(place, "name")?;
                self.pass(place, "parent", I32, 1)?;
                self.pass(place, "transform", TRANSFORM, 1)?;
            }
        }
        Ok(())
    }

    fn animations(&mut self) -> Result<()> {
        for index in 0..self.number(Field::new(""), "animations.count", U32)?.into() {
            let place = Field::new("").in_list("animation", index);
            self.string(place, "name")?;
            let tracks = self.number(place, "tracks.count", I32)?;
            self.pass(place, "frames", I32, 1)?;
            self.pass(place, "duration", F32, 1)?;
            self.pass(place, "dtime", F32, 1)?;
            for track in 0..tracks.into() {
                let place = place.in_inner_list("track", track);
                self.string(place, "name")?;
                let frames = self.number(place, "keys.count", I32)?;
                self.pass(place, "duration", F32, 1)?;
                self.pass(place, "dtime", F32, 1)?;
                self.pass(place, "keys", TRANSFORM, frames)?;
            }
        }
        Ok(())
    }

    fn meshes(&mut self) -> Result<()> {
        for index in 0..self.number(Field::new(""), "meshes.count", U32)?.into() {
            let place = Field::new("").in_list("mesh", index);
            self.string(place, "name")?;
            self.string(place, "skeleton")?;
            self.pass(place, "bounds", BOX, 1)?;
            for section in 0..self.number(place, "sections.count", U32)?.into() {
                let place = place.in_inner_list("section", section);
                self.string(place, "material")?;
                self.pass(place, "bounds", BOX, 1)?;
                self.pass(place, "flags", U32, 1)?;
                let triangles = self.number(place, "triangles.count", U32)?;
                self.pass(place, "indexbuffer", Element::U32X3, triangles)?;
            }
            let flags = self.number(place, "flags", U32)?;
            let count = self.number(place, "vertices.count", U32)?;
            let size = VertexFormat::of_flags(flags).map_or(0, |format| format.size()).into();
            self.pass(place, "vertexbuffer", Element::new(VERTEX, size, 4), count)?;
        }
        Ok(())
    }
}
