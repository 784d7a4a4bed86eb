//! The material library (`.mtl`) of an OBJ file.

// Rule: this file sorts and maps by copies only.

use std::collections::BTreeMap;

use super::vertices::write_line;
use crate::error::Result;
use crate::export::materials::name_text;
use crate::export::source::SourceInfo;
use crate::model::contents::MaterialIndex;
use crate::model::{Contents, Material, Texture, TextureRole};
use crate::parse::Name;
use crate::scene::PlacedSurface;
use crate::scene::shape::finite_or_zero;
use crate::text::block::BlockWriter;

/// What a surface states about its material. All text is copied.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum MaterialKey {
    /// The index of a material that the file describes.
    Described(usize),
    /// The name of a material or a texture that the file does not describe.
    Named(Vec<u8>),
    /// The name of a surface without a material.
    Surface(String),
}

/// The materials that the surfaces use, in the order of their first use.
pub(super) struct Library {
    index: MaterialIndex,
    /// The number of each material in `entries`.
    numbers: BTreeMap<MaterialKey, usize>,
    /// Each material, with its name in the output.
    entries: Vec<(MaterialKey, String)>,
    /// The names in the output, with the number that makes the next equal name different.
    names: BTreeMap<String, usize>,
}

impl Library {
    /// Reads the names of all materials of a file.
    pub(super) fn new(contents: &dyn Contents) -> Result<Self> {
        let index = MaterialIndex::new(contents)?;
        Ok(Self { index, numbers: BTreeMap::new(), entries: Vec::new(), names: BTreeMap::new() })
    }

    /// Adds the material of a surface.
    pub(super) fn add(&mut self, surface: &PlacedSurface<'_>) -> Result<()> {
        let key = self.key(surface)?;
        if self.numbers.contains_key(&key) {
            return Ok(());
        }
        let wanted = match surface.surface.material()? {
            Some(name) => word(name, surface.surface.index()),
            None => word(surface.surface.name()?, surface.surface.index()),
        };
        let name = self.unique(wanted);
        self.numbers.insert(key.clone(), self.entries.len());
        self.entries.push((key, name));
        Ok(())
    }

    /// Adds a number to a name that another material has. Such names differ only in replaced
    /// characters, or belong to different instances.
    fn unique(&mut self, wanted: String) -> String {
        let mut number = self.names.get(&wanted).copied().unwrap_or_default();
        let mut name = wanted.clone();
        while self.names.contains_key(&name) {
            number = number.saturating_add(1);
            name = format!("{wanted}_{number}");
        }
        self.names.insert(wanted, number);
        self.names.entry(name.clone()).or_default();
        name
    }

    /// Returns the name of the material of a surface in the output.
    pub(super) fn name(&self, surface: &PlacedSurface<'_>) -> Result<&str> {
        let number = self.numbers.get(&self.key(surface)?);
        Ok(number.and_then(|number| self.entries.get(*number)).map_or("none", |(_, name)| name.as_str()))
    }

    fn key(&self, surface: &PlacedSurface<'_>) -> Result<MaterialKey> {
        let Some(name) = surface.surface.material()? else {
            return Ok(MaterialKey::Surface(word(surface.surface.name()?, surface.surface.index())));
        };
        let described = self.index.find(&surface.place.materials, name);
        Ok(described.map_or_else(|| MaterialKey::Named(name.to_vec()), MaterialKey::Described))
    }

    /// Writes the library.
    pub(super) fn write(&self, contents: &dyn Contents, source: &SourceInfo, out: &mut BlockWriter<'_>) -> Result<()> {
        out.text(concat!("# meshpeek ", env!("CARGO_PKG_VERSION"), "\n"));
        for (key, name) in &self.entries {
            out.text("newmtl ").text(name).text("\n");
            match key {
                MaterialKey::Described(number) => write_material(&contents.material(*number)?, source, out),
                MaterialKey::Named(name) => {
                    write_image(source.image(name), out);
                }
                MaterialKey::Surface(_) => {}
            }
            out.end_record()?;
        }
        Ok(())
    }
}

/// Writes what a file states about a material.
fn write_material(material: &Material<'_>, source: &SourceInfo, out: &mut BlockWriter<'_>) {
    if let Some([red, green, blue, alpha]) = material.color {
        write_line("Kd", &[red, green, blue].map(finite_or_zero), out);
        if alpha < 1.0 {
            write_line("d", &[finite_or_zero(alpha)], out);
        }
    }
    if material.unlit == Some(true) {
        out.text("illum 0\n");
    }
    if material.masked == Some(true) {
        out.text("# masked\n");
    }
    let mut has_image = false;
    for texture in &material.textures {
        let image = find_image(texture, source).filter(|_| texture.role == TextureRole::Color && !has_image);
        has_image |= write_image(image, out);
        if image.is_none() {
            let title = if texture.role == TextureRole::Detail { "detail texture" } else { "texture" };
            write_comment(title, texture.name, out);
            texture.file.into_iter().for_each(|file| write_comment("file", file, out));
        }
    }
    material.text.into_iter().for_each(|text| write_comment("text", text, out));
}

fn write_comment(title: &str, name: Name<'_>, out: &mut BlockWriter<'_>) {
    // The text of a name has no line feed, and has a limited length.
    out.text("# ").text(title).text(" ").text(&name.to_string()).text("\n");
}

/// Writes a reference to an image, and returns whether there is one.
fn write_image(image: Option<&str>, out: &mut BlockWriter<'_>) -> bool {
    let image = image.filter(|image| !image.chars().any(char::is_control));
    if let Some(image) = image {
        out.text("map_Kd ").text(image).text("\n");
    }
    image.is_some()
}

fn find_image<'s>(texture: &Texture<'_>, source: &'s SourceInfo) -> Option<&'s str> {
    let by_file = texture.file.and_then(|file| source.image(file.as_bytes()));
    by_file.or_else(|| source.image(texture.name.as_bytes()))
}

/// Returns a name without blanks, backslashes and control characters, which OBJ gives a meaning. An
/// empty name is replaced by `surface_` and the index of the surface.
pub(super) fn word(name: Name<'_>, surface: usize) -> String {
    let is_word = |letter: char| !(letter.is_whitespace() || letter.is_control() || letter == '\\');
    let word: String = name_text(name).chars().map(|letter| if is_word(letter) { letter } else { '_' }).collect();
    if word.is_empty() { format!("surface_{surface}") } else { word }
}
