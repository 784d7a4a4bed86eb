//! Finds and reads the textures of a mesh in the folder of its file.

// Rule: this file sorts and maps by copies only.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use super::png::PngStream;
use crate::error::{Cause, Error, Field, Result};
use crate::io::open_without_following;
use crate::math::as_u64;
use crate::parse::Limits;
use crate::render::images::{ImageKind, decode};
use crate::render::{Picture, Texture, TextureSource};

/// The greatest number of entries of a folder that are searched for images.
const MAX_ENTRIES: usize = 100_000;
/// The first bytes of a PNG file.
const PNG_MAGIC: &[u8] = b"\x89PNG\r\n\x1a\n";

/// The images in the folder of a mesh. An image is read when its name is first looked up, and kept.
///
/// Only the last component of a stored path is used, so no image of another folder is read. Links
/// are not followed. Case does not matter, and an image with the same name but another extension is
/// found too.
pub struct TextureFolder {
    /// The paths of the images by their names in lower case.
    images: BTreeMap<Vec<u8>, PathBuf>,
    limits: Limits,
    state: Mutex<TextureCache>,
}

/// The images that were read.
#[derive(Default)]
struct TextureCache {
    /// The textures, with and without alpha. The texture of an image with an error is `None`.
    textures: BTreeMap<(PathBuf, bool), Option<Arc<Texture>>>,
    /// The bytes of all textures as RGBA, without their smaller levels.
    bytes: u64,
    errors: Vec<Error>,
}

impl TextureFolder {
    /// Lists the images in a folder. A folder that cannot be read has none.
    ///
    /// An image is at most as large as the limit `block`, and all images together as the limit
    /// `asset`.
    pub fn new(folder: &Path, limits: &Limits) -> Self {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let entries = fs::read_dir(folder).into_iter().flatten().take(MAX_ENTRIES).filter_map(std::result::Result::ok);
        let paths = entries.map(|entry| entry.path()).filter(|path| ImageKind::of_path(path).is_some());
        let mut images = BTreeMap::<Vec<u8>, PathBuf>::new();
        for path in paths {
            let name = path.file_name().unwrap_or_default().as_encoded_bytes().to_ascii_lowercase();
            // Of two names that differ in case, the first in the order of bytes is used.
            let known = images.entry(name).or_insert_with(|| path.clone());
            if path < *known {
                *known = path;
            }
        }
        Self { images, limits: *limits, state: Mutex::default() }
    }

    /// Takes the errors of the images that could not be read since the last call, each once.
    pub fn take_errors(&self) -> Vec<Error> {
        self.state.lock().map(|mut state| std::mem::take(&mut state.errors)).unwrap_or_default()
    }

    /// Returns the names of all images, as far as they are text.
    pub fn names(&self) -> Vec<String> {
        let names = self.images.values().filter_map(|path| path.file_name().and_then(|name| name.to_str()));
        names.map(str::to_owned).collect()
    }

    /// Returns an image as a PNG file of at most `most` bytes, or `None` if it cannot be read. An
    /// image that needs more bytes is made smaller.
    pub fn png(&self, name: &str, most: u64) -> Option<Vec<u8>> {
        let path = self.find(name.as_bytes())?;
        let (_, bytes) = read_bytes(path, &self.limits).ok()?;
        if bytes.starts_with(PNG_MAGIC) && as_u64(bytes.len()) <= most {
            return Some(bytes);
        }
        let texture = self.texture(name.as_bytes(), true)?;
        let mut files = (0..texture.level_count()).filter_map(|level| level_png(&texture, level));
        files.find(|file| as_u64(file.len()) <= most)
    }

    /// Returns the path of the image for a stored name.
    fn find(&self, name: &[u8]) -> Option<&PathBuf> {
        let name = name.rsplit(|byte| matches!(byte, b'/' | b'\\' | b':')).next()?.to_ascii_lowercase();
        let mut stems = vec![name.as_slice()];
        if let Some(dot) = name.iter().rposition(|byte| *byte == b'.') {
            // The part before the dot is a name without its extension. The part after the dot is
            // the name of a texture in a package, such as `Skins.Wood`.
            stems.extend(name.get(..dot));
            stems.extend(name.get(dot.saturating_add(1)..));
        }
        stems.retain(|stem| !stem.is_empty());
        let with_extension = |stem: &&[u8]| {
            let stem = stem.to_vec();
            ImageKind::EXTENSIONS
                .iter()
                .map(move |(extension, _)| [&stem, b".".as_slice(), extension.as_bytes()].concat())
        };
        let mut others = stems.iter().flat_map(with_extension);
        self.images.get(&name).or_else(|| others.find_map(|name| self.images.get(&name)))
    }
}

impl TextureSource for TextureFolder {
    fn texture(&self, name: &[u8], with_alpha: bool) -> Option<Arc<Texture>> {
        let path = self.find(name)?;
        let mut state = self.state.lock().ok()?;
        if let Some(known) = state.textures.get(&(path.clone(), with_alpha)) {
            return known.clone();
        }
        let left = self.limits.asset.saturating_sub(state.bytes);
        let texture = match read(path, with_alpha, left, &self.limits) {
            Ok(texture) => Some(Arc::new(texture)),
            Err(error) => {
                // The image with alpha has the same error as without.
                if !state.textures.contains_key(&(path.clone(), !with_alpha)) {
                    state.errors.push(error.at_path(path));
                }
                None
            }
        };
        state.bytes = state.bytes.saturating_add(texture.as_ref().map_or(0, |texture| texture_bytes(texture)));
        state.textures.insert((path.clone(), with_alpha), texture.clone());
        texture
    }
}

/// Reads an image of at most `left` bytes as RGBA.
fn read(path: &Path, with_alpha: bool, left: u64, limits: &Limits) -> Result<Texture> {
    let (kind, bytes) = read_bytes(path, limits)?;
    let texture = decode(kind, &bytes, with_alpha, &limits.with_block(limits.block.min(left)))?;
    let asked = limits.asset.saturating_sub(left).saturating_add(texture_bytes(&texture));
    if asked > limits.asset {
        return Err(failed(Cause::Limit { name: "asset", allowed: limits.asset, asked }));
    }
    Ok(texture)
}

/// Reads the file of an image.
fn read_bytes(path: &Path, limits: &Limits) -> Result<(ImageKind, Vec<u8>)> {
    let kind = ImageKind::of_path(path).ok_or_else(|| failed(Cause::Missing { expected: "an image".into() }))?;
    let (file, metadata) = open_without_following(path)
        .ok_or_else(|| failed(Cause::NotRegular { found: "a link, a special file or an unreadable file" }))?;
    if metadata.len() > limits.block {
        return Err(failed(Cause::Limit { name: "block", allowed: limits.block, asked: metadata.len() }));
    }
    let mut bytes = Vec::new();
    let read = file.take(limits.block).read_to_end(&mut bytes);
    read.map_err(|error| failed(error.into()))?;
    Ok((kind, bytes))
}

fn failed(cause: Cause) -> Error {
    Error::without_offset("image", Field::new("image"), cause)
}

/// Returns a level of a texture as a PNG file.
fn level_png(texture: &Texture, level: usize) -> Option<Vec<u8>> {
    let (size, texels) = texture.level(level)?;
    let mut bytes = Vec::new();
    let mut png = PngStream::new(&mut bytes, size, texture.is_opaque(), &[]).ok()?;
    png.add(texels).and_then(|()| png.finish()).ok()?;
    Some(bytes)
}

/// Returns a picture as a PNG file, made smaller by halves until its sides have at most `side`
/// pixels.
pub fn small_png(picture: &Picture, side: u32) -> Option<Vec<u8>> {
    let texture = Texture::new(picture.size(), picture.pixels().to_vec()).ok()?;
    let is_small = |level: &usize| texture.level(*level).is_some_and(|([width, height], _)| width.max(height) <= side);
    level_png(&texture, (0..texture.level_count()).find(is_small)?)
}

fn texture_bytes(texture: &Texture) -> u64 {
    let [width, height] = texture.size().map(u64::from);
    width.saturating_mul(height).saturating_mul(as_u64(size_of::<[u8; 4]>()))
}

#[cfg(test)]
mod tests {
    use super::super::png::write_png;
    use super::*;
    use crate::ErrorKind;

    fn save(path: &Path, side: u32, color: [u8; 4]) {
        let picture = Picture::new([side, side], color).unwrap();
        write_png(&mut fs::File::create(path).unwrap(), &picture, &[]).unwrap();
    }

    /// Makes a folder with images and other files. The side of each image is another one.
    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        save(&path("skin.png"), 1, [1, 2, 3, 4]);
        save(&path("Wall.PNG"), 2, [5; 4]);
        save(&path("b.tga"), 3, [5; 4]);
        fs::create_dir(path("folder.png")).unwrap();
        fs::create_dir(path("inner")).unwrap();
        save(&path("inner/secret.png"), 9, [5; 4]);
        fs::write(path("bad.png"), b"no image").unwrap();
        fs::write(path("note.txt"), b"text").unwrap();
        folder
    }

    #[test]
    fn a_texture_is_a_bare_name_in_the_folder() {
        let folder = folder();
        let textures = TextureFolder::new(folder.path(), &Limits::default());
        let side = |name: &str| textures.texture(name.as_bytes(), false).map(|texture| texture.size()[0]);
        for name in
            ["skin.png", "SKIN.PNG", "skin", "../../skin.png", "C:\\art\\skin.png", "skin.pcx", "skin.dds", "Pack.Skin"]
        {
            assert_eq!(side(name), Some(1), "{name}");
        }
        assert_eq!([side("wall.jpg"), side("B"), side("b.png")], [Some(2), Some(3), Some(3)]);
        for name in
            ["", "/", "..", ".", "secret.png", "inner/secret", "folder.png", "note.txt", "note", "sk", "skin.png/"]
        {
            assert_eq!(side(name), None, "{name}");
        }
        assert!(TextureFolder::new(Path::new("/no/such/folder"), &Limits::default()).texture(b"skin", false).is_none());
    }

    #[test]
    fn an_image_is_read_once_with_and_without_alpha() {
        let folder = folder();
        let textures = TextureFolder::new(folder.path(), &Limits::default());
        let [plain, clear] = [false, true].map(|with_alpha| textures.texture(b"skin", with_alpha).unwrap());
        assert_eq!((plain.is_opaque(), clear.is_opaque()), (true, false));
        fs::remove_file(folder.path().join("skin.png")).unwrap();
        assert!(Arc::ptr_eq(&plain, &textures.texture(b"a/skin.png", false).unwrap()));
    }

    #[test]
    fn each_image_has_one_error() {
        let folder = folder();
        let textures = TextureFolder::new(folder.path(), &Limits::default());
        for _ in 0..2 {
            assert!(textures.texture(b"bad", false).is_none() && textures.texture(b"bad", true).is_none());
        }
        let errors = textures.take_errors();
        assert_eq!((errors.len(), textures.take_errors().len()), (1, 0));
        assert!(errors[0].to_string().contains("bad.png: PNG: image: expected an image, found"), "{}", errors[0]);
        let small = Limits::default().with_asset(4 + 15);
        let textures = TextureFolder::new(folder.path(), &small);
        assert!(textures.texture(b"skin", false).is_some() && textures.texture(b"wall", false).is_none());
        assert_eq!(textures.take_errors()[0].kind(), ErrorKind::Limit);
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed() {
        let folder = folder();
        std::os::unix::fs::symlink(folder.path().join("inner/secret.png"), folder.path().join("link.png")).unwrap();
        let textures = TextureFolder::new(folder.path(), &Limits::default());
        assert!(textures.texture(b"link.png", false).is_none());
        assert_eq!(textures.take_errors()[0].kind(), ErrorKind::NotRegular);
    }
}
