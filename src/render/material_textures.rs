//! The names of the textures of materials.

use std::ops::Range;

use crate::error::{Result, copy_text};
use crate::model::material_index::MaterialIndex;
use crate::model::{Contents, Material, TextureRole};
use crate::parse::Name;

/// The greatest number of bytes of a text in which names of images are searched.
const MAX_TEXT: usize = 4096;
/// The extensions of images in the texts of materials.
const IMAGES: [&str; 10] = ["bmp", "dds", "gif", "jpeg", "jpg", "pcx", "png", "psd", "tga", "tif"];

/// The materials of a file, to find the textures of its surfaces.
pub(crate) struct MaterialTextures<'a> {
    contents: &'a dyn Contents,
    index: MaterialIndex,
}

impl<'a> MaterialTextures<'a> {
    /// Reads the names of all materials of a file.
    pub(crate) fn new(contents: &'a dyn Contents) -> Result<Self> {
        Ok(Self { contents, index: MaterialIndex::new(contents)? })
    }

    /// Returns the material that a surface names, or `None` if the file does not describe it.
    /// `materials` are those of the instance that shows the surface.
    pub(crate) fn material(&self, materials: &Range<usize>, name: Name<'_>) -> Result<Option<Material<'a>>> {
        self.index.find(materials, name).map(|index| self.contents.material(index)).transpose()
    }

    /// Returns the names and paths under which the colour texture of a surface may be found, the
    /// most exact one first. `name` is the material that the surface names.
    pub(crate) fn names(&self, materials: &Range<usize>, name: Name<'_>) -> Result<Vec<Vec<u8>>> {
        let material = self.material(materials, name)?.unwrap_or_default();
        let colors = material.textures.iter().filter(|texture| texture.role == TextureRole::Color);
        let mut names: Vec<Vec<u8>> =
            colors.flat_map(|texture| [texture.file, Some(texture.name)]).flatten().map(|name| name.to_vec()).collect();
        names.extend(material.text.iter().flat_map(|text| names_in_text(text.as_bytes())));
        names.extend([material.name, Some(name)].into_iter().flatten().map(|name| name.to_vec()));
        names.dedup();
        Ok(names)
    }
}

/// Returns the words of a text that end like the name of an image.
///
/// A text such as `diffuse=%20wood.jpg%20` or a path is common in files whose materials have no
/// field for a texture.
fn names_in_text(text: &[u8]) -> Vec<Vec<u8>> {
    let text = copy_text(text.get(..MAX_TEXT).unwrap_or(text)).replace("%20", " ");
    let is_end = |character: char| character.is_whitespace() || "=,;&|\"'<>".contains(character);
    let is_image = |word: &&str| {
        let extension = word.rsplit_once('.').map(|(_, extension)| extension);
        extension.is_some_and(|extension| IMAGES.iter().any(|image| extension.eq_ignore_ascii_case(image)))
    };
    text.split(is_end).filter(is_image).map(|word| word.as_bytes().to_vec()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Model;

    fn names(path: &str, name: &str) -> Vec<String> {
        let model = crate::open(path).unwrap();
        let contents = Model::contents(&model);
        let textures = MaterialTextures::new(contents).unwrap();
        let materials = contents.instance(0).unwrap().materials;
        let names = textures.names(&materials, Name::new(name.as_bytes())).unwrap();
        names.into_iter().map(|name| String::from_utf8(name).unwrap()).collect()
    }

    #[test]
    fn the_texture_of_a_material_has_several_names() {
        assert_eq!(names("data/unreal/guard.uc", "JGuard"), ["MODELS\\guard skin.PCX", "JGuard"]);
        assert_eq!(names("data/ezmesh/flag.ezm", "cloth"), ["flag.dds", "cloth"]);
        assert_eq!(names("data/ezmesh/flag.ezm", "none"), ["none"]);
    }

    #[test]
    fn texts_of_materials_name_images() {
        for (text, names) in [
            ("diffuse=%20upBodyC.jpg%20", vec!["upBodyC.jpg"]),
            ("\\\\a\\b\\deer_map.dds", vec!["\\\\a\\b\\deer_map.dds"]),
            ("texture=a.PNG normal=\"b.tga\"", vec!["a.PNG", "b.tga"]),
            ("TestMaterialInfo", vec![]),
            ("a.pngx .. . =", vec![]),
        ] {
            let found = names_in_text(text.as_bytes());
            assert_eq!(found, names.iter().map(|name| name.as_bytes().to_vec()).collect::<Vec<_>>(), "{text}");
        }
        assert!(names_in_text(&[0xff; 10_000]).is_empty());
    }
}
