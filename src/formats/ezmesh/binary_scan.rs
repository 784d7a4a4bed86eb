//! Builds the [`ElementIndex`] of a binary file in one pass over its fields.

use super::binary_reader::BinaryReader;
use super::element_index::{ElementIndex, ElementKind};
use super::layout::{BOX_SIZE, FIELDS_AT, TRANSFORM_SIZE, TRIANGLE_SIZE};
use super::validate::rules::INVALID_BINARY_FIELD;
use crate::decode::ByteOrder;
use crate::error::{Cause, Field, Result};
use crate::io::WalkAhead;
use crate::parse::{AccessLog, Limits};

/// Finds all elements of a binary file.
///
/// The length fields of lists, strings and arrays are read, and the contents of the strings and
/// arrays are skipped.
pub(super) fn scan(
    bytes: &[u8],
    order: ByteOrder,
    limits: &Limits,
    touched: Option<&AccessLog>,
) -> Result<ElementIndex> {
    let reader = BinaryReader::at(bytes, order, 0, touched)?;
    let mut scan = BinaryScan { reader, bytes, elements: ElementIndex::new(), limits, walk: WalkAhead::default() };
    scan.reader.u32("version")?;
    scan.reader.text("tag")?;
    scan.elements.root = FIELDS_AT;
    scan.reader.skip_text("asset_name")?;
    scan.reader.skip_text("asset_info")?;
    scan.reader.lend(2, 4, "asset_version")?;
    scan.add(ElementKind::SystemBox)?;
    scan.reader.lend(BOX_SIZE.into(), 1, "bounds")?;
    scan.list(20, "textures", "texture", ElementKind::Texture, &mut |reader, _| {
        reader.skip_text("name")?;
        reader.lend(3, 4, "size")?;
        reader.skip_text("pixels")
    })?;
    scan.none("tetra_meshes")?;
    scan.skeletons()?;
    scan.animations()?;
    scan.list(8, "materials", "material", ElementKind::Material, &mut |reader, _| {
        reader.skip_text("name")?;
        reader.skip_text("meta_data")
    })?;
    scan.list(8, "user_data", "user_data", ElementKind::UserData, &mut |reader, _| {
        reader.skip_text("key")?;
        reader.skip_text("value")
    })?;
    scan.list(8, "user_binary_data", "user_binary_data", ElementKind::UserBinary, &mut |reader, _| {
        reader.skip_text("name")?;
        reader.skip_text("bytes")
    })?;
    scan.meshes()?;
    scan.list(44, "instances", "instance", ElementKind::Instance, &mut |reader, _| {
        reader.skip_text("mesh")?;
        reader.lend(TRANSFORM_SIZE.into(), 1, "transform").map(|_| ())
    })?;
    scan.none("collision_representations")?;
    scan.elements.plane = scan.reader.offset();
    scan.reader.lend(4, 4, "plane")?;
    Ok(scan.elements)
}

struct BinaryScan<'a, 'l> {
    reader: BinaryReader<'a>,
    bytes: &'a [u8],
    elements: ElementIndex,
    limits: &'l Limits,
    walk: WalkAhead,
}

impl<'a> BinaryScan<'a, '_> {
    /// Records in the element index that an element of the kind `kind` starts at the current
    /// offset.
    fn add(&mut self, kind: ElementKind) -> Result<()> {
        let offset = self.reader.offset();
        if self.elements.push(kind, offset) {
            return Ok(());
        }
        let asked = self.elements.size().saturating_mul(2);
        Err(self.reader.error_at(offset, "", Cause::OutOfMemory { asked }))
    }

    /// Records the start offset of each item of a list in the element index, and skips the bytes of
    /// the item.
    ///
    /// The items of the list must not contain other lists.
    fn list(
        &mut self,
        least: u64,
        counted: &'static str,
        list: &'static str,
        kind: ElementKind,
        step: &mut dyn FnMut(&mut BinaryReader<'a>, u64) -> Result<()>,
    ) -> Result<()> {
        self.reader.set_place(Field::new(""));
        for index in 0..u64::from(self.reader.count(least, self.limits.items, counted)?) {
            self.reader.set_place(Field::new("").in_list(list, index));
            self.add(kind)?;
            step(&mut self.reader, index)?;
        }
        self.reader.set_place(Field::new(""));
        Ok(())
    }

    /// Reads the length of a list that is empty in every published version of the format, and
    /// returns an error if the length is not 0.
    fn none(&mut self, name: &'static str) -> Result<()> {
        let offset = self.reader.offset();
        let count = self.reader.u32(name)?;
        if count == 0 {
            return Ok(());
        }
        let kind = Cause::Unsupported {
            found: format!("{count} {}", name.replace('_', " ")).into(),
            advice: "no published version writes these; please report which program wrote the file",
        };
        Err(self.reader.error_at(offset, name, kind).breaking(&INVALID_BINARY_FIELD))
    }

    /// Returns how many more elements of the kind `kind` the element index may contain before the
    /// maximum `Limits::items` is reached.
    fn room(&self, kind: ElementKind) -> u64 {
        self.limits.items.saturating_sub(crate::math::as_u64(self.elements.count(kind)))
    }

    fn skeletons(&mut self) -> Result<()> {
        for index in 0..u64::from(self.reader.count(8, self.limits.items, "skeletons")?) {
            let place = Field::new("").in_list("skeleton", index);
            self.reader.set_place(place);
            self.add(ElementKind::Skeleton)?;
            self.reader.skip_text("name")?;
            for bone in 0..u64::from(self.reader.count(48, self.room(ElementKind::Bone), "bones")?) {
                self.reader.set_place(place.in_inner_list("bone", bone));
                self.add(ElementKind::Bone)?;
                self.reader.skip_text("name")?;
                self.reader.lend(44, 1, "parent")?;
            }
        }
        self.reader.set_place(Field::new(""));
        Ok(())
    }

    fn animations(&mut self) -> Result<()> {
        for index in 0..u64::from(self.reader.count(20, self.limits.items, "animations")?) {
            let place = Field::new("").in_list("animation", index);
            self.reader.set_place(place);
            self.add(ElementKind::Animation)?;
            self.reader.skip_text("name")?;
            let tracks = self.reader.count(16, self.room(ElementKind::Track), "tracks")?;
            self.reader.lend(3, 4, "frames")?;
            for track in 0..u64::from(tracks) {
                self.reader.set_place(place.in_inner_list("track", track));
                self.add(ElementKind::Track)?;
                self.reader.skip_text("name")?;
                let frames = self.reader.u32("frames")?;
                self.reader.lend(2, 4, "duration")?;
                self.reader.lend(frames.into(), TRANSFORM_SIZE.into(), "keys")?;
            }
        }
        self.reader.set_place(Field::new(""));
        Ok(())
    }

    fn meshes(&mut self) -> Result<()> {
        for index in 0..u64::from(self.reader.count(44, self.limits.items, "meshes")?) {
            let place = Field::new("").in_list("mesh", index);
            let start = self.reader.offset();
            self.reader.set_place(place);
            self.add(ElementKind::Mesh)?;
            self.reader.skip_text("name")?;
            self.reader.skip_text("skeleton")?;
            self.add(ElementKind::MeshBox)?;
            self.reader.lend(BOX_SIZE.into(), 1, "bounds")?;
            for section in 0..u64::from(self.reader.count(36, self.room(ElementKind::Section), "sections")?) {
                self.reader.set_place(place.in_inner_list("section", section));
                self.add(ElementKind::Section)?;
                self.reader.skip_text("material")?;
                self.add(ElementKind::SectionBox)?;
                self.reader.lend(BOX_SIZE.into(), 1, "bounds")?;
                self.reader.u32("flags")?;
                self.add(ElementKind::Triangles)?;
                let triangles = self.reader.u32("triangles")?;
                self.reader.lend(triangles.into(), TRIANGLE_SIZE.into(), "indices")?;
            }
            self.reader.set_place(place);
            self.add(ElementKind::MeshVertices)?;
            let format = self.reader.format()?;
            let counted = self.reader.offset();
            let vertices = self.reader.u32("vertices")?;
            // Vertices without columns occupy no bytes in the file. Hence the file size does not
            // limit the number of vertices without columns, and this number of vertices is compared
            // with `Limits::items`.
            let most = self.limits.items;
            if format.size() == 0 && u64::from(vertices) > most {
                let kind = Cause::Limit { name: "items", allowed: most, asked: vertices.into() };
                return Err(self.reader.error_at(counted, "vertices", kind));
            }
            self.reader.lend(vertices.into(), format.size().into(), "vertices")?;
            self.walk.pass(self.bytes, start..self.reader.offset());
        }
        self.reader.set_place(Field::new(""));
        Ok(())
    }
}
