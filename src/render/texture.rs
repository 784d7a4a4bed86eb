//! Textures: pictures that are drawn onto surfaces, and their names in the materials.

use std::ops::Range;
use std::sync::Arc;

use super::picture::MAX_SIDE;
use super::srgb::{encode, to_linear, to_linear_16};
use crate::error::{Cause, Error, Field, Result, copy_text};
use crate::math::{as_index, as_u64};
use crate::model::contents::MaterialIndex;
use crate::model::{Contents, Material, TextureRole};
use crate::parse::{Name, room};

const FORMAT: &str = "texture";
/// The number of texels for a pixel from which the next smaller level is used.
const NEXT_LEVEL: f32 = 1.5;
/// The greatest number of bytes of a text in which names of images are searched.
const MAX_TEXT: usize = 4096;
/// The extensions of images in the texts of materials.
const IMAGES: [&str; 10] = ["bmp", "dds", "gif", "jpeg", "jpg", "pcx", "png", "psd", "tga", "tif"];

/// Provides the textures that the materials of a mesh name.
pub trait TextureSource {
    /// Returns the texture with a name or path, as a file stores it, or `None` if there is none
    /// that can be read.
    ///
    /// If `with_alpha` is false, all texels are opaque. If it is true, the texels have the alpha of
    /// the image, and in an image with a palette and without alpha, the first colour is cut out.
    fn texture(&self, name: &[u8], with_alpha: bool) -> Option<Arc<Texture>>;
}

/// A picture that is repeated over a surface, with smaller copies for distant surfaces.
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// use std::sync::Arc;
/// use meshpeek::render::{PictureOptions, SceneInput, Texture, TextureSource, draw_textured};
///
/// /// Provides the same texture for every material.
/// struct Red(Arc<Texture>);
///
/// impl TextureSource for Red {
///     fn texture(&self, _name: &[u8], _with_alpha: bool) -> Option<Arc<Texture>> {
///         Some(Arc::clone(&self.0))
///     }
/// }
///
/// let red = Red(Arc::new(Texture::new([1, 1], vec![[255, 0, 0, 255]])?));
/// let mesh = meshpeek::open("data/unreal/guard")?;
/// let options = PictureOptions::default().with_size([64, 64]);
/// let drawn = draw_textured(&SceneInput::new(&mesh), &options, &red)?;
/// assert!(drawn.picture.pixels().iter().any(|[red, green, ..]| *red > 90 && *green < 20));
/// # Ok(())
/// # }
/// ```
///
/// Texels are sRGB with straight alpha. Sampling uses additions, multiplications, divisions and
/// rounding only, so the result is the same on every machine.
#[derive(Debug, PartialEq, Eq)]
pub struct Texture {
    /// The texture, and copies that are half as wide and high as the one before, down to 1 x 1.
    levels: Vec<TextureLevel>,
    is_opaque: bool,
}

/// One copy of a texture.
#[derive(Debug, PartialEq, Eq)]
struct TextureLevel {
    width: u32,
    height: u32,
    /// The texels, row by row from the top left corner.
    texels: Vec<[u8; 4]>,
}

impl Texture {
    /// Makes a texture of texels, row by row from the top left corner.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Value`](crate::ErrorKind::Value) if the number of texels is not that of
    /// the size, or if the size is 0 or above 16,384, and an error if there is no memory.
    pub fn new([width, height]: [u32; 2], texels: Vec<[u8; 4]>) -> Result<Self> {
        let needed = as_u64(as_index(width)).saturating_mul(as_u64(as_index(height)));
        if needed == 0 || needed != as_u64(texels.len()) || width.max(height) > MAX_SIDE {
            let expected = format!("a size of 1 to {MAX_SIDE} and {needed} texels");
            let found = format!("{width} x {height} and {} texels", texels.len());
            let cause = Cause::value(expected, found);
            return Err(Error::without_offset(FORMAT, Field::new("size"), cause));
        }
        let is_opaque = texels.iter().all(|[.., alpha]| *alpha == u8::MAX);
        let mut levels = vec![TextureLevel { width, height, texels }];
        while let Some(smaller) = levels.last().filter(|last| last.texels.len() > 1).map(TextureLevel::halved) {
            levels.push(smaller?);
        }
        Ok(Self { levels, is_opaque })
    }

    /// Returns the width and height in texels.
    #[doc(hidden)]
    #[must_use]
    pub fn size(&self) -> [u32; 2] {
        self.levels.first().map_or([0; 2], |level| [level.width, level.height])
    }

    /// Returns whether the alpha of all texels is 255.
    #[doc(hidden)]
    #[must_use]
    pub const fn is_opaque(&self) -> bool {
        self.is_opaque
    }

    /// Returns the number of levels. Level 0 is the whole texture, and the last one has one texel.
    #[doc(hidden)]
    #[must_use]
    pub const fn level_count(&self) -> usize {
        self.levels.len()
    }

    /// Returns the size and the texels of a level, row by row from the top left corner.
    #[doc(hidden)]
    #[must_use]
    pub fn level(&self, level: usize) -> Option<([u32; 2], &[[u8; 4]])> {
        self.levels.get(level).map(|level| ([level.width, level.height], level.texels.as_slice()))
    }

    /// Returns the level for a pixel that covers `footprint` texels of level 0 in the direction in
    /// which it covers more.
    pub(crate) fn level_for(&self, footprint: f32) -> usize {
        let (mut level, mut footprint) = (0_usize, footprint);
        let last = self.levels.len().saturating_sub(1);
        while footprint >= NEXT_LEVEL && level < last {
            footprint *= 0.5;
            level = level.saturating_add(1);
        }
        level
    }

    /// Returns the colour at texture coordinates in linear light with straight alpha, interpolated
    /// between the four nearest texels of a level.
    ///
    /// The coordinates 0 and 1 are the edges of the texture, and (0, 0) is its top left corner.
    /// Outside of this range the texture is repeated. Coordinates that are not finite count as 0. A
    /// level that does not exist is the last one.
    pub(crate) fn sample(&self, uv: [f32; 2], level: usize) -> [f32; 4] {
        let Some(level) = self.levels.get(level).or(self.levels.last()) else { return [0.0; 4] };
        let (corners, weights) = level.corners(uv);
        if self.is_opaque { mix_opaque(corners, weights) } else { mix_with_alpha(corners, weights) }
    }

    /// Returns the alpha of [`sample`](Self::sample) in level 0.
    pub(crate) fn sample_alpha(&self, uv: [f32; 2]) -> f32 {
        let Some(level) = self.levels.first() else { return 0.0 };
        let (corners, weights) = level.corners(uv);
        let alphas = corners.into_iter().zip(weights);
        alphas.fold(0.0, |sum, ([.., alpha], weight)| sum + f32::from(alpha) / 255.0 * weight)
    }

    /// Returns the colour of the texel of level 0 that contains the texture coordinates, in linear
    /// light with straight alpha. The coordinates are those of [`sample`](Self::sample).
    pub(crate) fn sample_nearest(&self, [u, v]: [f32; 2]) -> [f32; 4] {
        let Some(level) = self.levels.first() else { return [0.0; 4] };
        let place = |coordinate: f32, length| wrapped(whole(fraction(coordinate) * size(length)), length);
        linear(level.texel([place(u, level.width), place(v, level.height)]))
    }
}

impl TextureLevel {
    fn texel(&self, [x, y]: [u32; 2]) -> [u8; 4] {
        let at = as_index(y).saturating_mul(as_index(self.width)).saturating_add(as_index(x));
        self.texels.get(at).copied().unwrap_or_default()
    }

    /// Returns the four texels around texture coordinates, and their weights.
    fn corners(&self, [u, v]: [f32; 2]) -> ([[u8; 4]; 4], [f32; 4]) {
        let ([left, right], x) = neighbours(u, self.width);
        let ([top, bottom], y) = neighbours(v, self.height);
        let corners = [[left, top], [right, top], [left, bottom], [right, bottom]].map(|place| self.texel(place));
        (corners, [(1.0 - x) * (1.0 - y), x * (1.0 - y), (1.0 - x) * y, x * y])
    }

    /// Returns the level with half the width and height, rounded down. Each of its texels is the
    /// average of the texels under it, weighted by area and alpha.
    fn halved(&self) -> Result<Self> {
        let [width, height] = [self.width, self.height].map(|side| (side / 2).max(1));
        let mut texels = room(FORMAT, "levels", as_index(width).saturating_mul(as_index(height)))?;
        let columns: Vec<_> = (0..width).map(|x| overlaps(x, width, self.width)).collect();
        for y in 0..height {
            let rows = overlaps(y, height, self.height);
            texels.extend(columns.iter().map(|columns| self.average(columns, &rows)));
        }
        Ok(Self { width, height, texels })
    }

    fn average(&self, columns: &[(u32, u32)], rows: &[(u32, u32)]) -> [u8; 4] {
        // The sums of colours times weights, of colours times weights and alpha, of alphas and of
        // weights. At most 3 x 3 texels with weights of at most 16,384 in x and in y are added.
        let (mut plain, mut colors, mut alphas, mut weights) = ([0_u64; 3], [0_u64; 3], 0_u64, 0_u64);
        for (y, high) in rows {
            for (x, wide) in columns {
                let [red, green, blue, alpha] = self.texel([*x, *y]);
                let weight = u64::from(*wide).saturating_mul(u64::from(*high));
                let visible = weight.saturating_mul(alpha.into());
                for ((plain, color), srgb) in plain.iter_mut().zip(&mut colors).zip([red, green, blue]) {
                    let linear = u64::from(to_linear_16(srgb));
                    *plain = plain.saturating_add(linear.saturating_mul(weight));
                    *color = color.saturating_add(linear.saturating_mul(visible));
                }
                alphas = alphas.saturating_add(visible);
                weights = weights.saturating_add(weight);
            }
        }
        // Texels without alpha have no visible colour, so the average of all of them is used.
        let (sums, whole) = if alphas == 0 { (plain, weights) } else { (colors, alphas) };
        let [red, green, blue] = sums.map(|sum| encode(u16::try_from(rounded(sum, whole)).unwrap_or(u16::MAX)));
        [red, green, blue, u8::try_from(rounded(alphas, weights)).unwrap_or(u8::MAX)]
    }
}

/// Returns the texels that lie under texel `index` of a smaller level, with the lengths that they
/// share with it.
fn overlaps(index: u32, smaller: u32, larger: u32) -> Vec<(u32, u32)> {
    let start = index.saturating_mul(larger);
    let end = start.saturating_add(larger);
    let first = start.checked_div(smaller).unwrap_or(0);
    let shares = (first..larger).map(|texel| {
        let own = texel.saturating_mul(smaller);
        (texel, own.saturating_add(smaller).min(end).saturating_sub(own.max(start)))
    });
    shares.take_while(|(_, length)| *length > 0).collect()
}

fn rounded(sum: u64, whole: u64) -> u64 {
    sum.saturating_add(whole / 2).checked_div(whole).unwrap_or(0)
}

/// Returns the two texels around a coordinate in one direction, and the weight of the second one.
fn neighbours(coordinate: f32, length: u32) -> ([u32; 2], f32) {
    let place = fraction(coordinate) * size(length) - 0.5;
    let first = place.floor();
    let index = whole(first);
    ([wrapped(index, length), wrapped(index.saturating_add(1), length)], place - first)
}

/// Returns the part of a coordinate after the point, from 0 to 1.
fn fraction(coordinate: f32) -> f32 {
    if coordinate.is_finite() { coordinate - coordinate.floor() } else { 0.0 }
}

#[allow(clippy::as_conversions, clippy::cast_precision_loss, reason = "a side is at most 16,384")]
const fn size(length: u32) -> f32 {
    length as f32
}

#[allow(clippy::as_conversions, clippy::cast_possible_truncation, reason = "between -1 and 16,384")]
const fn whole(number: f32) -> i32 {
    number as i32
}

/// Returns the index of a texel of the repeated texture.
fn wrapped(index: i32, length: u32) -> u32 {
    let length = i32::try_from(length).unwrap_or(i32::MAX);
    index.checked_rem_euclid(length).and_then(|index| u32::try_from(index).ok()).unwrap_or(0)
}

/// Returns a texel in linear light with straight alpha.
fn linear([red, green, blue, alpha]: [u8; 4]) -> [f32; 4] {
    [to_linear(red), to_linear(green), to_linear(blue), f32::from(alpha) / 255.0]
}

fn mix_opaque(corners: [[u8; 4]; 4], weights: [f32; 4]) -> [f32; 4] {
    let mut mixed = [0.0, 0.0, 0.0, 1.0];
    for (corner, weight) in corners.into_iter().zip(weights) {
        let [red, green, blue, _] = corner.map(to_linear);
        for (sum, part) in mixed.iter_mut().zip([red, green, blue]) {
            *sum += part * weight;
        }
    }
    mixed
}

/// Mixes colours in proportion to their alpha, because a transparent texel has no visible colour.
fn mix_with_alpha(corners: [[u8; 4]; 4], weights: [f32; 4]) -> [f32; 4] {
    let mut mixed = [0.0; 4];
    for (corner, weight) in corners.into_iter().zip(weights) {
        let [red, green, blue, alpha] = linear(corner);
        let visible = alpha * weight;
        for (sum, part) in mixed.iter_mut().zip([red, green, blue, 1.0]) {
            *sum += part * visible;
        }
    }
    let [red, green, blue, alpha] = mixed;
    if alpha > 0.0 { [red / alpha, green / alpha, blue / alpha, alpha] } else { [0.0; 4] }
}

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
#[allow(clippy::float_cmp, reason = "exact floats are meant")]
mod tests {
    use super::*;
    use crate::Model;

    fn texture(size: [u32; 2], texels: &[[u8; 4]]) -> Texture {
        Texture::new(size, texels.to_vec()).unwrap()
    }

    const BLACK: [u8; 4] = [0, 0, 0, 255];
    const WHITE: [u8; 4] = [255; 4];
    const RED: [u8; 4] = [255, 0, 0, 255];
    const CLEAR_GREEN: [u8; 4] = [0, 255, 0, 0];

    #[test]
    fn levels_are_averages_in_linear_light() {
        let levels = |texture: &Texture| -> Vec<_> {
            texture.levels.iter().map(|level| (level.width, level.height, level.texels[0])).collect()
        };
        let gray = [187, 187, 187, 255];
        assert_eq!(levels(&texture([2, 2], &[BLACK, WHITE, WHITE, BLACK])), [(2, 2, BLACK), (1, 1, gray)]);
        assert_eq!(levels(&texture([3, 1], &[BLACK, WHITE, BLACK])), [(3, 1, BLACK), (1, 1, [156, 156, 156, 255])]);
        // The colour of a transparent texel is not visible.
        let half = texture([2, 1], &[RED, CLEAR_GREEN]);
        assert_eq!(levels(&half), [(2, 1, RED), (1, 1, [255, 0, 0, 128])]);
        assert_eq!(levels(&texture([1, 2], &[CLEAR_GREEN; 2]))[1], (1, 1, CLEAR_GREEN));
        assert_eq!(texture([5, 3], &[RED; 15]).levels[1].texels, [RED; 2]);
        assert_eq!(overlaps(1, 2, 5), [(2, 1), (3, 2), (4, 2)]);
    }

    #[test]
    fn a_texture_is_repeated() {
        let stripes = texture([2, 1], &[BLACK, WHITE]);
        for (u, red) in
            [(0.25, 0.0), (0.75, 1.0), (0.5, 0.5), (0.0, 0.5), (1.25, 0.0), (-0.25, 1.0), (-1e-10, 0.5), (9e30, 0.5)]
        {
            assert_eq!(stripes.sample([u, 0.3], 0), [red, red, red, 1.0], "{u}");
        }
        for (u, red) in
            [(0.0, 0.0), (0.49, 0.0), (0.5, 1.0), (0.99, 1.0), (-0.1, 1.0), (7.6, 1.0), (-1e-10, 0.0), (f32::NAN, 0.0)]
        {
            assert_eq!(stripes.sample_nearest([u, -5.5]), [red, red, red, 1.0], "{u}");
        }
        for odd in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::MIN, f32::MIN_POSITIVE] {
            let [red, .., alpha] = stripes.sample([odd, odd], usize::MAX);
            assert!((0.0..=1.0).contains(&red) && alpha == 1.0, "{odd}");
        }
    }

    #[test]
    fn transparent_texels_have_no_visible_colour() {
        let edge = texture([2, 1], &[RED, CLEAR_GREEN]);
        assert_eq!(edge.sample([0.5, 0.5], 0), [1.0, 0.0, 0.0, 0.5]);
        assert_eq!(edge.sample([0.75, 0.5], 0), [0.0; 4]);
        for (u, v) in [(0.5, 0.5), (0.75, 0.5), (0.3, -7.1), (f32::NAN, 9.9)] {
            assert_eq!(edge.sample_alpha([u, v]), edge.sample([u, v], 0)[3], "{u} {v}");
        }
        assert!(!edge.is_opaque() && texture([1, 1], &[RED]).is_opaque());
    }

    #[test]
    fn the_level_follows_the_footprint() {
        let texture = texture([8, 2], &[RED; 16]);
        assert_eq!((texture.size(), texture.level_count()), ([8, 2], 4));
        for (footprint, level) in [(0.0, 0), (1.4, 0), (1.5, 1), (2.9, 1), (3.0, 2), (6.0, 3), (1e30, 3)] {
            assert_eq!(texture.level_for(footprint), level, "{footprint}");
        }
        assert_eq!([f32::NAN, f32::INFINITY, -1.0].map(|odd| texture.level_for(odd)), [0, 3, 0]);
    }

    #[test]
    fn wrong_sizes_are_errors() {
        for (size, count) in [([0, 0], 0), ([2, 2], 3), ([u32::MAX, u32::MAX], 1), ([16_385, 1], 16_385), ([0, 5], 0)] {
            assert!(Texture::new(size, vec![RED; count]).is_err(), "{size:?}");
        }
        assert_eq!(Texture::new([16_384, 1], vec![RED; 16_384]).unwrap().level_count(), 15);
    }

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
