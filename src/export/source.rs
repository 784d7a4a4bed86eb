//! What an exported file states about the mesh file that it was made of.

use std::sync::OnceLock;

/// What an exported file states about the mesh file, and which images it may refer to.
///
/// The exporter opens no files, so the caller provides what depends on the file system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceInfo {
    name: Option<String>,
    hash: OnceLock<String>,
    images: Vec<String>,
}

impl SourceInfo {
    /// Sets the name of the mesh: the file name without its extension. The output names the mesh so
    /// if the file stores no name.
    #[must_use]
    pub fn with_name(self, name: impl Into<String>) -> Self {
        Self { name: Some(name.into()), ..self }
    }

    /// Sets the hash of the bytes of the mesh file, with the name of the hash function, such as
    /// `xxh3-128:..`. A hash that is already set is kept.
    ///
    /// The hash is only needed when the output is written. A program may compute it while
    /// [`Export::new`](super::Export::new) runs.
    #[cfg(any(feature = "cli", feature = "internals"))]
    pub fn set_hash(&self, hash: String) {
        let _ = self.hash.set(hash);
    }

    /// Sets the names of the PNG and JPEG files in the folder of the output, without their folder.
    /// The output refers to an image only if its name is in this list.
    #[must_use]
    pub fn with_images(self, images: Vec<String>) -> Self {
        Self { images, ..self }
    }

    /// Returns the name of the mesh, or `None` if it is not known.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Returns the hash of the mesh file, or `None` if it is not known.
    #[must_use]
    pub fn hash(&self) -> Option<&str> {
        self.hash.get().map(String::as_str)
    }

    /// Returns the name of the image to which the path or name of a texture refers, or `None` if
    /// there is no such image.
    ///
    /// Only the last component of the path is used, so the result never leads to another folder.
    /// Case does not matter, and a name without an extension stands for a PNG or JPEG file.
    #[must_use]
    pub fn image(&self, texture: &[u8]) -> Option<&str> {
        let name = texture.rsplit(|byte| matches!(byte, b'/' | b'\\' | b':')).next().filter(|name| !name.is_empty())?;
        let is_same = |image: &&String| image.as_bytes().eq_ignore_ascii_case(name);
        let is_stem = |image: &&String| {
            let stem = image.rsplit_once('.').map(|(stem, _)| stem);
            stem.is_some_and(|stem| stem.as_bytes().eq_ignore_ascii_case(name))
        };
        self.images.iter().find(is_same).or_else(|| self.images.iter().find(is_stem)).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_is_a_bare_name() {
        let facts = SourceInfo::default().with_images(vec!["skin.png".to_owned(), "Wall.JPG".to_owned()]);
        for texture in ["skin.png", "SKIN.PNG", "skin", "../../skin.png", "C:\\art\\skin.png", "C:skin.png"] {
            assert_eq!(facts.image(texture.as_bytes()), Some("skin.png"), "{texture}");
        }
        assert_eq!(facts.image(b"wall"), Some("Wall.JPG"));
        for texture in ["", "/", "..", "skin.tga", "skin.png/", "sk"] {
            assert_eq!(facts.image(texture.as_bytes()), None, "{texture}");
        }
    }
}
