//! The colour of a surface: its material, its texture and its vertex colours.

use std::sync::Arc;

use super::light::FragmentBlock;
use crate::array::Array;
use crate::array::bulk::ChunkBuffer;
use crate::array::gather::Gather as _;
use crate::error::Result;
use crate::math::{as_index, fast_max};
use crate::model::{Blend, Colors, Uvs};
use crate::render::corners::CORNERS;
use crate::render::lanes::LANES;
use crate::render::options::{PictureOptions, Shading};
use crate::render::raster::projection::Projection;
use crate::render::srgb::palette;
use crate::render::texture::{MaterialTextures, Texture, TextureSource};
use crate::scene::{ColorRole, PlacedSurface};

/// The linear colour of a surface without a colour: light gray clay.
const CLAY: [f32; 3] = [0.60, 0.59, 0.57];
/// The factor of colours and textures, which makes white surfaces as light as paper.
const PAPER: f32 = 0.70;
/// The alpha of a translucent surface without a texture.
const GLASS: f32 = 0.45;
/// The alpha below which a texel of a masked texture is cut out.
const CUT_OUT: f32 = 0.5;

/// The materials and the textures of a mesh.
pub(crate) struct PaintSources<'a> {
    pub(crate) materials: MaterialTextures<'a>,
    pub(crate) textures: Option<&'a dyn TextureSource>,
}

/// The colour of a surface.
#[allow(clippy::struct_excessive_bools, reason = "independent flags of the material")]
pub(crate) struct SurfacePaint<'a> {
    albedo: [f32; 3],
    alpha: f32,
    pub(crate) blend: Blend,
    pub(crate) is_two_sided: bool,
    pub(crate) is_unlit: bool,
    is_unfiltered: bool,
    colors: Option<Colors<'a>>,
    texture: Option<(Arc<Texture>, Uvs<'a>)>,
    flips_v: bool,
}

/// Memory for the attributes of the corners of a batch.
pub(crate) struct PaintBuffers {
    uvs: [[f32; 2]; CORNERS],
    colors: [[f32; 4]; CORNERS],
}

impl PaintBuffers {
    pub(crate) const fn new() -> Self {
        Self { uvs: [[0.0; 2]; CORNERS], colors: [[0.0; 4]; CORNERS] }
    }
}

impl<'a> SurfacePaint<'a> {
    /// Finds the colour, the texture and the vertex colours of a surface.
    pub(crate) fn new(
        surface: &PlacedSurface<'a>,
        options: &PictureOptions,
        sources: &PaintSources<'_>,
    ) -> Result<Self> {
        let style = surface.surface.draw_style()?;
        let mut paint = Self {
            albedo: CLAY,
            alpha: 1.0,
            blend: style.blend,
            is_two_sided: style.two_sided,
            is_unlit: style.unlit,
            is_unfiltered: style.unfiltered,
            colors: None,
            texture: None,
            flips_v: surface.conversion.flips_v(),
        };
        if options.shading == Shading::Surfaces {
            paint.albedo = palette(surface.surface.index().wrapping_add(surface.place_number));
            (paint.blend, paint.is_unlit) = (Blend::Opaque, false);
            return Ok(paint);
        }
        if options.plain {
            paint.without_texture();
            return Ok(paint);
        }
        paint.colors = surface.colors()?.filter(|(_, role)| *role == ColorRole::Albedo).map(|(colors, _)| colors);
        paint.find_material(surface, sources)?;
        if paint.texture.is_none() {
            paint.without_texture();
        }
        if paint.colors.is_some() && paint.texture.is_none() {
            paint.albedo = [PAPER; 3];
        }
        Ok(paint)
    }

    fn find_material(&mut self, surface: &PlacedSurface<'a>, sources: &PaintSources<'_>) -> Result<()> {
        let Some(name) = surface.surface.material()? else { return Ok(()) };
        if let Some(material) = sources.materials.material(&surface.place.materials, name)? {
            if let Some([red, green, blue, alpha]) = material.color {
                self.albedo = [red, green, blue].map(|part| linear(part) * PAPER);
                self.alpha = if (0.0..=1.0).contains(&alpha) { alpha } else { 1.0 };
            }
            self.is_unlit |= material.unlit == Some(true);
            if material.masked == Some(true) && self.blend == Blend::Opaque {
                self.blend = Blend::Masked;
            }
        }
        let (Some(textures), Some(uvs)) = (sources.textures, surface.surface.uvs(0)?) else { return Ok(()) };
        let with_alpha = matches!(self.blend, Blend::Masked | Blend::Alpha);
        let names = sources.materials.names(&surface.place.materials, name)?;
        if let Some(texture) = names.iter().find_map(|name| textures.texture(name, with_alpha)) {
            (self.texture, self.albedo) = (Some((texture, uvs)), [PAPER; 3]);
        }
        Ok(())
    }

    /// Replaces styles that need a texture.
    fn without_texture(&mut self) {
        match self.blend {
            Blend::Translucent | Blend::Modulated => (self.blend, self.alpha) = (Blend::Alpha, GLASS),
            Blend::Masked | Blend::Unknown(_) => self.blend = Blend::Opaque,
            Blend::Alpha if self.alpha >= 1.0 => self.alpha = GLASS,
            Blend::Alpha | Blend::Opaque => {}
        }
    }

    /// Returns whether what is behind the surface is visible through it.
    pub(crate) const fn is_glass(&self) -> bool {
        matches!(self.blend, Blend::Translucent | Blend::Modulated | Blend::Alpha)
    }

    /// Returns whether parts of the surface are cut out.
    pub(crate) fn is_cut(&self) -> bool {
        self.blend == Blend::Masked && self.texture.as_ref().is_some_and(|(texture, _)| !texture.is_opaque())
    }

    /// Returns whether the colour depends on the attributes of the corners.
    pub(crate) const fn needs_attributes(&self) -> bool {
        self.colors.is_some() || self.texture.is_some()
    }

    /// Passes the bytes of the attributes to a function that prefetches them.
    pub(crate) fn prefetch(&self, fetch: &dyn Fn(&[u8])) {
        self.texture.iter().for_each(|(_, uvs)| fetch(uvs.as_bytes()));
        self.colors.iter().for_each(|colors| fetch(colors.as_bytes()));
    }

    /// Reads the attributes of corners.
    pub(crate) fn read(&self, indices: &[u32], records: &mut ChunkBuffer, buffers: &mut PaintBuffers) {
        if let Some((_, uvs)) = &self.texture {
            let out = buffers.uvs.get_mut(..indices.len()).unwrap_or_default();
            if uvs.gather_with(indices, records, out).is_none() {
                for (out, index) in out.iter_mut().zip(indices) {
                    *out = uvs.get(as_index(*index)).unwrap_or_default();
                }
            }
        }
        if let Some(colors) = &self.colors {
            for (out, index) in buffers.colors.iter_mut().zip(indices) {
                *out = colors.get(as_index(*index)).unwrap_or([1.0; 4]);
            }
        }
    }

    /// Sets the colours of blocks. The weights of the blocks are known.
    pub(crate) fn apply(&self, projection: &Projection, blocks: &mut [FragmentBlock], buffers: &PaintBuffers) {
        for block in blocks.iter_mut() {
            block.albedo = self.albedo.map(|part| [part; LANES]);
            block.alpha = [self.alpha; LANES];
        }
        if !self.needs_attributes() {
            return;
        }
        let uvs = buffers.uvs.as_chunks::<3>().0.chunks(LANES);
        let corners = uvs.zip(buffers.colors.as_chunks::<3>().0.chunks(LANES));
        for (block, (uvs, colors)) in blocks.iter_mut().zip(corners) {
            let mut painted = [[0.0; 4]; LANES];
            for (lane, (painted, (uvs, colors))) in painted.iter_mut().zip(uvs.iter().zip(colors)).enumerate() {
                *painted = self.color(projection, block, lane, uvs, colors);
            }
            let [reds, greens, blues] = &mut block.albedo;
            let places = reds.iter_mut().zip(greens).zip(blues).zip(&mut block.alpha);
            for ((((red, green), blue), alpha), color) in places.zip(painted) {
                [*red, *green, *blue, *alpha] = color;
            }
        }
    }

    /// Returns the linear colour and the alpha of a fragment.
    fn color(
        &self,
        projection: &Projection,
        block: &FragmentBlock,
        lane: usize,
        uvs: &[[f32; 2]; 3],
        colors: &[[f32; 4]; 3],
    ) -> [f32; 4] {
        let of_lane = |parts: &[f32; LANES]| parts.get(lane).copied().unwrap_or_default();
        let weights = [0, 1, 2].map(|corner| block.weights.get(corner).map_or(0.0, of_lane));
        let [red, green, blue] = self.albedo;
        let mut color = [red, green, blue, self.alpha];
        if let Some((texture, _)) = &self.texture {
            let positions = block.positions.each_ref().map(|corner| corner.each_ref().map(of_lane));
            let texel = self.texel(texture, projection, positions, uvs, weights);
            multiply(&mut color, texel);
        }
        if self.colors.is_some() {
            let [red, green, blue, alpha] = mixed(colors, weights);
            multiply(&mut color, [linear(red), linear(green), linear(blue), alpha]);
        }
        color
    }

    fn texel(
        &self,
        texture: &Texture,
        projection: &Projection,
        positions: [[f32; 3]; 3],
        uvs: &[[f32; 2]; 3],
        weights: [f32; 3],
    ) -> [f32; 4] {
        let [u, v] = mixed(uvs, weights);
        let uv = [u, if self.flips_v { 1.0 - v } else { v }];
        if self.is_unfiltered {
            return texture.sample_nearest(uv);
        }
        let screen = positions.map(|position| {
            let [x, y, _, w] = projection.project(position);
            [x / w * 0.0625, y / w * 0.0625]
        });
        texture.sample(uv, texture.level_for(footprint(texture.size(), screen, uvs)))
    }

    /// Returns whether the texture is cut out at a point of a triangle.
    pub(crate) fn is_cut_out(&self, uvs: &[[f32; 2]; 3], weights: [f32; 3]) -> bool {
        let Some((texture, _)) = &self.texture else { return false };
        let [u, v] = mixed(uvs, weights);
        texture.sample_alpha([u, if self.flips_v { 1.0 - v } else { v }]) < CUT_OUT
    }

    /// Returns the texture coordinates of the corners of a triangle.
    pub(crate) fn uvs(&self, attributes: [u32; 3]) -> [[f32; 2]; 3] {
        let uv = |index: u32| self.texture.as_ref().and_then(|(_, uvs)| uvs.get(as_index(index)));
        attributes.map(|index| uv(index).unwrap_or_default())
    }
}

/// Returns the square root of the number of texels that a pixel of a triangle covers.
fn footprint(size: [u32; 2], screen: [[f32; 2]; 3], uvs: &[[f32; 2]; 3]) -> f32 {
    let area = |[[ax, ay], [bx, by], [cx, cy]]: [[f32; 2]; 3]| ((bx - ax) * (cy - ay) - (cx - ax) * (by - ay)).abs();
    let [width, height] = size.map(|side| crate::math::narrow(f64::from(side)));
    let texels = area(*uvs) * width * height;
    (texels / fast_max(area(screen), 1e-3)).sqrt()
}

fn mixed<const N: usize>(corners: &[[f32; N]; 3], [p, q, r]: [f32; 3]) -> [f32; N] {
    let [a, b, c] = corners;
    let mut out = [0.0; N];
    for (((out, a), b), c) in out.iter_mut().zip(a).zip(b).zip(c) {
        *out = (a * p + b * q) + c * r;
    }
    out
}

fn multiply(color: &mut [f32; 4], other: [f32; 4]) {
    color.iter_mut().zip(other).for_each(|(part, other)| *part *= other);
}

/// Returns an approximate linear value of an sRGB value. Values outside of 0 to 1 are clamped.
fn linear(value: f32) -> f32 {
    let value = if value > 0.0 { if value < 1.0 { value } else { 1.0 } } else { 0.0 };
    value * (value * (value * 0.305_306_01 + 0.682_171_1) + 0.012_522_878)
}
