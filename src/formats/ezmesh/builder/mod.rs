//! Builds EZ-Mesh files in both forms, element by element: for exports, and for text files that are
//! written again. The elements are in the order of their fields in both forms.

// Rule: this file sorts and maps by copies only.

mod output;

pub(crate) use output::{Output, check_text, failed, refused};

use super::elements::buffers::VertexBuffer;
use super::layout::{Semantic, TAG, VertexValue};
use super::vertex_format::VertexFormat;
use crate::array::Bounds;
use crate::error::{Field, Result};
use crate::model::Transform;

/// The version of the format and the version of the asset in a file that does not say others.
pub(crate) const VERSIONS: [i32; 2] = [1, 0];

impl Output<'_> {
    /// Writes the head of the file. A binary file has version 100, which is little-endian.
    pub(crate) fn start_system(
        &mut self,
        [asset_name, asset_info]: [&[u8]; 2],
        [system, asset]: [i32; 2],
        bounds: Option<Bounds>,
    ) -> Result<()> {
        self.markup(&[r#"<?xml version="1.0"?>"#]);
        self.end_line()?;
        self.tag("MeshSystem");
        if self.is_binary() {
            self.number("version", 100).text("tag", TAG);
        }
        self.place = Field::new("");
        self.text("asset_name", asset_name).text("asset_info", asset_info);
        self.number("mesh_system_version", system).number("mesh_system_asset_version", asset).open()?;
        self.bounds(bounds)
    }

    /// Starts a list of `count` items. A text file has no empty lists.
    pub(crate) fn start_list(&mut self, name: &str, count: usize) -> Result<()> {
        let is_left_out = !self.is_binary() && count == 0;
        if is_left_out { Ok(()) } else { self.tag(name).count("count", count).open() }
    }

    pub(crate) fn end_list(&mut self, name: &str, count: usize) -> Result<()> {
        if count > 0 { self.close(name) } else { Ok(()) }
    }

    /// Writes a list of items, which errors name `item`.
    pub(crate) fn list<I>(
        &mut self,
        (name, item): (&str, &'static str),
        items: impl ExactSizeIterator<Item = I>,
        write: impl FnMut(&mut Self, I) -> Result<()>,
    ) -> Result<()> {
        let count = items.len();
        self.start_list(name, count)?;
        self.items(item, items, write)?;
        self.end_list(name, count)
    }

    /// Writes items inside the element that is being written. Errors name an item `item`.
    pub(crate) fn items<I>(
        &mut self,
        item: &'static str,
        items: impl Iterator<Item = I>,
        mut write: impl FnMut(&mut Self, I) -> Result<()>,
    ) -> Result<()> {
        let around = self.place;
        for (index, one) in (0..).zip(items) {
            self.place = around.in_next_list(item, index);
            write(self, one)?;
        }
        self.place = around;
        Ok(())
    }

    /// Writes a list that is always empty, and that only a binary file has.
    pub(crate) fn no_list(&mut self) {
        if self.is_binary() {
            self.count("count", 0);
        }
    }

    pub(crate) fn start_skeleton(&mut self, name: &[u8], bones: usize) -> Result<()> {
        self.tag("Skeleton").text("name", name).count("count", bones).open()
    }

    /// Writes a bone. A text file stores the name of its parent, and a binary file its number.
    pub(crate) fn bone(&mut self, name: &[u8], parent: Option<(u32, &[u8])>, bind: &Transform) -> Result<()> {
        self.tag("Bone").text("name", name);
        let Transform { position, rotation, scale } = bind;
        if self.is_binary() {
            let parent = parent.map_or(-1, |(parent, _)| i64::from(parent));
            self.number("parent", parent).transform(bind)?;
        } else {
            if let Some((_, parent)) = parent {
                self.attribute("parent", parent);
            }
            self.floats("orientation", rotation, b' ').floats("position", position, b' ').floats("scale", scale, b' ');
        }
        self.empty()
    }

    pub(crate) fn start_animation(
        &mut self,
        name: &[u8],
        [tracks, frames]: [usize; 2],
        seconds: [Option<f32>; 2],
    ) -> Result<()> {
        self.tag("Animation").text("name", name).count("trackcount", tracks).count("framecount", frames);
        for (name, seconds) in ["duration", "dtime"].into_iter().zip(seconds) {
            if let Some(seconds) = seconds {
                self.floats(name, &[seconds], b' ');
            }
        }
        self.open()
    }

    /// Writes a track with `count` keys. A binary file repeats the times of the animation.
    pub(crate) fn track(
        &mut self,
        (name, count): (&[u8], usize),
        mut keys: impl Iterator<Item = Transform>,
        seconds: [f32; 2],
    ) -> Result<()> {
        self.tag("AnimTrack").text("name", name).count("count", count).attribute("has_scale", b"true");
        if self.is_binary() {
            self.floats("seconds", &seconds, b' ');
        }
        self.open()?;
        if !self.is_checking() {
            keys.try_for_each(|key| self.transform(&key))?;
        }
        self.close("AnimTrack")
    }

    /// Writes the numbers of a transform: a key, or a field of a binary file.
    fn transform(&mut self, transform: &Transform) -> Result<()> {
        let Transform { position, rotation, scale } = transform;
        position.iter().chain(rotation).chain(scale).try_for_each(|number| self.float(*number))?;
        self.end_item()
    }

    pub(crate) fn material(&mut self, name: &[u8], meta_data: &[u8]) -> Result<()> {
        self.tag("Material").text("name", name).text("meta_data", meta_data).empty()
    }

    pub(crate) fn start_mesh(
        &mut self,
        [name, skeleton]: [&[u8]; 2],
        bounds: Option<Bounds>,
        sections: usize,
    ) -> Result<()> {
        self.tag("Mesh").text("name", name).text("skeleton", skeleton);
        if self.is_binary() {
            self.bounds(bounds)?;
            self.count("sections", sections);
            return Ok(());
        }
        self.count("submesh_count", sections).open()?;
        self.bounds(bounds)
    }

    /// Writes a number of vertices, which `write` writes.
    pub(crate) fn vertices(
        &mut self,
        count: usize,
        types: &VertexTypes,
        write: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<()> {
        self.tag("vertexbuffer");
        if self.is_binary() {
            self.number("flags", types.flags);
        }
        self.count("count", count).types(types).open()?;
        write(self)?;
        self.close("vertexbuffer")
    }

    fn types(&mut self, types: &VertexTypes) -> &mut Self {
        self.attribute("ctype", types.ctype.as_bytes()).attribute("semantic", &types.semantic)
    }

    /// Starts a section, before its triangles. Its vertices have the types of the mesh. Only a text
    /// file has `info`, the path of the source.
    pub(crate) fn start_section(
        &mut self,
        material: &[u8],
        bounds: Option<Bounds>,
        types: Option<&VertexTypes>,
        info: Option<&[u8]>,
    ) -> Result<()> {
        self.tag("MeshSection").text("material", material);
        if self.is_binary() {
            self.bounds(bounds)?;
            self.number("flags", types.map_or(0, |types| types.flags));
            return Ok(());
        }
        if let Some(types) = types {
            self.types(types);
        }
        if let Some(info) = info {
            self.text("info", info);
        }
        self.open()?;
        self.bounds(bounds)
    }

    /// Writes a number of triangles, which `write` writes.
    pub(crate) fn triangles(&mut self, count: usize, write: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        self.tag("indexbuffer").count("triangle_count", count).open()?;
        write(self)?;
        self.end_rows()?;
        self.close("indexbuffer")
    }

    /// Writes the end of a binary file, after the meshes: no instances, no collision shapes, and
    /// the usual plane.
    pub(crate) fn end_system(&mut self) -> Result<()> {
        self.no_list();
        self.no_list();
        if self.is_binary() {
            self.floats("plane", &[1.0, 0.0, 0.0, 0.0], b' ');
        }
        self.close("MeshSystem")
    }
}

/// The types of the columns, as each form stores them.
#[derive(Debug)]
pub(crate) struct VertexTypes {
    flags: u32,
    ctype: String,
    pub(crate) semantic: Vec<u8>,
}

impl VertexTypes {
    fn new(format: &VertexFormat, words: &[&[u8]]) -> Self {
        Self { flags: format.flags().unwrap_or_default(), ctype: format.ctype(), semantic: words.join(&b' ') }
    }

    /// Returns the types of the vertices of a file.
    ///
    /// A column with a known meaning gets the standard word for this meaning. If the standard words
    /// would change how a reader interprets any column, all columns keep their words.
    pub(crate) fn of_buffer(buffer: &VertexBuffer<'_>) -> Self {
        let format = buffer.format();
        let words = || format.columns().iter().map(|column| buffer.word(column).as_bytes());
        let meanings = || format.columns().iter().map(|column| column.semantic);
        let standard: Vec<_> =
            meanings().zip(words()).map(|(meaning, word)| meaning.word().map_or(word, str::as_bytes)).collect();
        let types = Self::new(format, &standard);
        let again = VertexFormat::parse(types.ctype.as_bytes(), &types.semantic);
        if again.is_ok_and(|again| again.columns().iter().map(|column| column.semantic).eq(meanings())) {
            return types;
        }
        Self::new(format, &words().collect::<Vec<_>>())
    }
}

/// Columns with known meanings, in the order in which a form stores them.
#[derive(Debug, Default)]
pub(crate) struct VertexColumns {
    columns: Vec<(Semantic, Vec<VertexValue<'static>>)>,
}

impl VertexColumns {
    /// Adds a column.
    pub(crate) fn push(&mut self, semantic: Semantic, values: impl Iterator<Item = VertexValue<'static>>) {
        self.columns.push((semantic, values.collect()));
    }

    /// Adds a column of floats.
    pub(crate) fn floats<const N: usize>(&mut self, semantic: Semantic, items: impl IntoIterator<Item = [f32; N]>) {
        self.push(semantic, items.into_iter().flatten().map(VertexValue::Float));
    }

    /// Puts the columns into the order of a binary file.
    pub(crate) fn in_binary_order(mut self) -> Self {
        self.columns.sort_by_key(|(semantic, _)| semantic.place_in_binary().map(|(_, rank)| rank));
        self
    }

    fn format(&self) -> VertexFormat {
        VertexFormat::of_semantics(self.columns.iter().map(|(semantic, _)| *semantic)).unwrap_or(VertexFormat::EMPTY)
    }

    pub(crate) fn types(&self) -> VertexTypes {
        let words: Vec<_> =
            self.columns.iter().map(|(semantic, _)| semantic.word().unwrap_or_default().as_bytes()).collect();
        VertexTypes::new(&self.format(), &words)
    }

    /// Writes the first `count` vertices.
    pub(crate) fn write(&self, count: usize, out: &mut Output<'_>) -> Result<()> {
        let format = self.format();
        for row in 0..count {
            for ((_, values), column) in self.columns.iter().zip(format.columns()) {
                let start = row.saturating_mul(column.count.into());
                let values = values.iter().skip(start);
                format.scalars(column).iter().zip(values).try_for_each(|(scalar, value)| out.value(*scalar, *value))?;
            }
            out.end_item()?;
        }
        Ok(())
    }
}
