//! From the fields of a binary file to its outline.

use super::{FIELDS_AT, Reader};
use crate::decode::ByteOrder;
use crate::error::{ErrorKind, Field, Result};
use crate::formats::ezmesh::outline::{Kind, Outline};
use crate::parse::{AccessLog, Limits};

/// Bytes of a box, and of a position, a rotation and a scale.
const BOX: u64 = 24;
const TRANSFORM: u64 = 40;

/// Finds everything by stepping from count to count.
pub(in crate::formats::ezmesh) fn scan(
    bytes: &[u8],
    order: ByteOrder,
    limits: &Limits,
    touched: Option<&AccessLog>,
) -> Result<Outline> {
    let reader = Reader::at(bytes, order, 0, touched)?;
    let mut scan = Scan { reader, outline: Outline::new(), limits };
    scan.reader.u32("version")?;
    scan.reader.text("tag")?;
    scan.outline.root = FIELDS_AT;
    scan.reader.skip_text("asset_name")?;
    scan.reader.skip_text("asset_info")?;
    scan.reader.lend(2, 4, "asset_version")?;
    scan.add(Kind::SystemBox)?;
    scan.reader.lend(BOX, 1, "bounds")?;
    scan.list(20, "textures", "texture", Kind::Texture, &mut |reader, _| {
        reader.skip_text("name")?;
        reader.lend(3, 4, "size")?;
        reader.skip_text("pixels")
    })?;
    scan.none("tetra_meshes")?;
    scan.skeletons()?;
    scan.animations()?;
    scan.list(8, "materials", "material", Kind::Material, &mut |reader, _| {
        reader.skip_text("name")?;
        reader.skip_text("meta_data")
    })?;
    scan.list(8, "user_data", "user_data", Kind::UserData, &mut |reader, _| {
        reader.skip_text("key")?;
        reader.skip_text("value")
    })?;
    scan.list(8, "user_binary_data", "user_binary_data", Kind::UserBinary, &mut |reader, _| {
        reader.skip_text("name")?;
        reader.skip_text("bytes")
    })?;
    scan.meshes()?;
    scan.list(44, "instances", "instance", Kind::Instance, &mut |reader, _| {
        reader.skip_text("mesh")?;
        reader.lend(TRANSFORM, 1, "transform").map(|_| ())
    })?;
    scan.none("collision_representations")?;
    scan.outline.plane = scan.reader.offset();
    scan.reader.lend(4, 4, "plane")?;
    Ok(scan.outline)
}

struct Scan<'a, 'l> {
    reader: Reader<'a>,
    outline: Outline,
    limits: &'l Limits,
}

impl<'a> Scan<'a, '_> {
    /// Notes that something starts here.
    fn add(&mut self, kind: Kind) -> Result<()> {
        let offset = self.reader.offset();
        if self.outline.push(kind, offset) {
            return Ok(());
        }
        let asked = self.outline.size().saturating_mul(2);
        Err(self.reader.error_at(offset, "", ErrorKind::OutOfMemory { asked }))
    }

    /// Steps over a list of items that have nothing in them.
    fn list(
        &mut self,
        least: u64,
        counted: &'static str,
        list: &'static str,
        kind: Kind,
        step: &mut dyn FnMut(&mut Reader<'a>, u64) -> Result<()>,
    ) -> Result<()> {
        self.reader.set_place(Field::new(""));
        for index in 0..u64::from(self.reader.count(least, self.limits.items, counted)?) {
            self.reader.set_place(Field::new("").of(list, index));
            self.add(kind)?;
            step(&mut self.reader, index)?;
        }
        self.reader.set_place(Field::new(""));
        Ok(())
    }

    /// Steps over the count of a list that no version ever wrote.
    fn none(&mut self, name: &'static str) -> Result<()> {
        let offset = self.reader.offset();
        let count = self.reader.u32(name)?;
        if count == 0 {
            return Ok(());
        }
        let kind = ErrorKind::Unsupported {
            found: format!("{count} {}", name.replace('_', " ")).into(),
            advice: "no published version writes these; tell us about the program that did",
        };
        Err(self.reader.error_at(offset, name, kind))
    }

    /// How many more of a kind there may be.
    fn room(&self, kind: Kind) -> u64 {
        self.limits.items.saturating_sub(crate::math::as_u64(self.outline.count(kind)))
    }

    fn skeletons(&mut self) -> Result<()> {
        for index in 0..u64::from(self.reader.count(8, self.limits.items, "skeletons")?) {
            let place = Field::new("").of("skeleton", index);
            self.reader.set_place(place);
            self.add(Kind::Skeleton)?;
            self.reader.skip_text("name")?;
            for bone in 0..u64::from(self.reader.count(48, self.room(Kind::Bone), "bones")?) {
                self.reader.set_place(place.within("bone", bone));
                self.add(Kind::Bone)?;
                self.reader.skip_text("name")?;
                self.reader.lend(44, 1, "parent")?;
            }
        }
        self.reader.set_place(Field::new(""));
        Ok(())
    }

    fn animations(&mut self) -> Result<()> {
        for index in 0..u64::from(self.reader.count(20, self.limits.items, "animations")?) {
            let place = Field::new("").of("animation", index);
            self.reader.set_place(place);
            self.add(Kind::Animation)?;
            self.reader.skip_text("name")?;
            let tracks = self.reader.count(16, self.room(Kind::Track), "tracks")?;
            self.reader.lend(3, 4, "frames")?;
            for track in 0..u64::from(tracks) {
                self.reader.set_place(place.within("track", track));
                self.add(Kind::Track)?;
                self.reader.skip_text("name")?;
                let frames = self.reader.u32("frames")?;
                self.reader.lend(2, 4, "duration")?;
                self.reader.lend(frames.into(), TRANSFORM, "keys")?;
            }
        }
        self.reader.set_place(Field::new(""));
        Ok(())
    }

    fn meshes(&mut self) -> Result<()> {
        for index in 0..u64::from(self.reader.count(44, self.limits.items, "meshes")?) {
            let place = Field::new("").of("mesh", index);
            self.reader.set_place(place);
            self.add(Kind::Mesh)?;
            self.reader.skip_text("name")?;
            self.reader.skip_text("skeleton")?;
            self.add(Kind::MeshBox)?;
            self.reader.lend(BOX, 1, "bounds")?;
            for section in 0..u64::from(self.reader.count(36, self.room(Kind::Section), "sections")?) {
                self.reader.set_place(place.within("section", section));
                self.add(Kind::Section)?;
                self.reader.skip_text("material")?;
                self.add(Kind::SectionBox)?;
                self.reader.lend(BOX, 1, "bounds")?;
                self.reader.u32("flags")?;
                self.add(Kind::Triangles)?;
                let triangles = self.reader.u32("triangles")?;
                self.reader.lend(triangles.into(), 12, "indices")?;
            }
            self.reader.set_place(place);
            self.add(Kind::MeshVertices)?;
            let layout = self.reader.layout()?;
            let counted = self.reader.offset();
            let vertices = self.reader.u32("vertices")?;
            // Vertices without anything take no bytes, so that no file pays for them.
            let most = self.limits.items;
            if layout.size() == 0 && u64::from(vertices) > most {
                let kind = ErrorKind::Limit { name: "items", allowed: most, asked: vertices.into() };
                return Err(self.reader.error_at(counted, "vertices", kind));
            }
            self.reader.lend(vertices.into(), layout.size().into(), "vertices")?;
        }
        self.reader.set_place(Field::new(""));
        Ok(())
    }
}
