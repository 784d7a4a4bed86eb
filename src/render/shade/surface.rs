//! Shades the fragments of one surface.

use super::canvas::Canvas;
use super::edges::{EdgeStyle, draw_edges};
use super::fragments::Fragment;
use super::light::{FragmentBlock, LitSurface, light, weigh};
use super::paint::{PaintBuffers, SurfacePaint};
use crate::array::Array;
use crate::array::bulk::ChunkBuffer;
use crate::array::gather::Gather as _;
use crate::error::Result;
use crate::io;
use crate::math::{as_index, as_u64};
use crate::model::{Corner, Indices, Normals};
use crate::parse::PAGE;
use crate::render::corners::{CORNERS, CornerBatch, CornerReader};
use crate::render::enclosed::is_reversed;
use crate::render::lanes::LANES;
use crate::render::raster::kernels::BATCH;
use crate::render::raster::visibility::{SAMPLE_POSITIONS, SAMPLES};
use crate::render::surfaces::SurfaceSpan;
use crate::scene::PlacedSurface;

/// The normals of the corners of a surface.
pub(crate) enum CornerNormals<'a> {
    /// Normals in the file, one for each attribute vertex.
    Stored(Normals<'a>),
    /// Normals in a pose of the bones.
    Posed,
    /// Normals that were computed in the conventions of the picture, one for each corner.
    Computed(Vec<[f32; 3]>),
    /// The normals of the triangles.
    Flat,
}

/// Shades the fragments of a surface.
pub(crate) struct SurfaceShader<'a> {
    surface: &'a PlacedSurface<'a>,
    reader: CornerReader<'a>,
    attributes: Indices<'a>,
    normals: CornerNormals<'a>,
    lit: LitSurface,
    paint: SurfacePaint<'a>,
    edges: Option<EdgeStyle>,
}

/// The fragments that are shaded together, and their corners.
pub(crate) struct FragmentBatch {
    fragments: Vec<Fragment>,
    /// The numbers of the corners of the fragments in the surface.
    places: [u32; CORNERS],
    corners: CornerBatch,
    attributes: [u32; CORNERS],
    normals: [[f32; 3]; CORNERS],
    paint: PaintBuffers,
    blocks: Vec<FragmentBlock>,
}

impl FragmentBatch {
    pub(crate) fn new() -> Self {
        Self {
            fragments: Vec::with_capacity(BATCH),
            places: [0; CORNERS],
            corners: CornerBatch::new(),
            attributes: [0; CORNERS],
            normals: [[0.0; 3]; CORNERS],
            paint: PaintBuffers::new(),
            blocks: vec![FragmentBlock::EMPTY; BATCH / LANES],
        }
    }
}

/// The place of the fragments in the picture.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BandPlace {
    /// The number of pixels in a row of the buffer.
    pub(crate) row_pixels: u32,
    /// The first row of the band.
    pub(crate) first_row: u32,
}

impl<'a> SurfaceShader<'a> {
    pub(crate) fn new(
        surface: &'a PlacedSurface<'a>,
        normals: CornerNormals<'a>,
        lit: impl FnOnce(&CornerReader<'_>, &CornerNormals<'_>) -> LitSurface,
        paint: SurfacePaint<'a>,
        is_inside_out: bool,
    ) -> Result<Self> {
        let reader = CornerReader::new(surface)?;
        let lit = lit(&reader, &normals).with_style(paint.is_two_sided, paint.is_unlit);
        let attributes = surface.surface.attribute_indices()?;
        let sign = if surface.conversion.reverses_corners() == surface.conversion.is_mirrored() { 1.0 } else { -1.0 };
        let is_reversed = match &normals {
            CornerNormals::Stored(stored) => is_reversed(&reader, &attributes, stored, sign),
            _ => false,
        };
        // Triangles that are wound the other way than the normals say are turned round alone.
        let lit = lit.with_reversed(is_reversed).with_inside_out(is_inside_out != is_reversed);
        Ok(Self { surface, reader, attributes, normals, lit, paint, edges: None })
    }

    /// Advises the operating system to read the attributes, if so many fragments are shaded that
    /// most pages of the attributes are needed. Reading them one by one takes much longer if they
    /// are on the disk.
    pub(crate) fn prefetch(&self, fragments: usize) {
        let is_worthwhile = |bytes: &[u8]| as_u64(bytes.len()) / PAGE <= as_u64(fragments);
        let fetch = |bytes: &[u8]| {
            if is_worthwhile(bytes) {
                io::prefetch(bytes);
            }
        };
        fetch(self.attributes.as_bytes());
        if let CornerNormals::Stored(normals) = &self.normals {
            fetch(normals.as_bytes());
        }
        self.paint.prefetch(&fetch);
    }

    /// Draws the edges of the triangles too.
    pub(crate) fn with_edges(self, edges: Option<EdgeStyle>) -> Self {
        Self { edges, ..self }
    }

    /// Shades fragments, and adds their colours to the canvas.
    pub(crate) fn shade(
        &self,
        span: SurfaceSpan,
        place: BandPlace,
        mut fragments: impl Iterator<Item = Fragment>,
        batch: &mut FragmentBatch,
        canvas: &mut Canvas,
    ) -> Result<()> {
        loop {
            batch.fragments.clear();
            batch.fragments.extend(fragments.by_ref().take(BATCH));
            if batch.fragments.is_empty() {
                return Ok(());
            }
            self.read(span, batch)?;
            let count = batch.fragments.len().div_ceil(LANES);
            place_blocks(batch, place);
            let blocks = batch.blocks.get_mut(..count).unwrap_or_default();
            weigh(&self.lit, blocks);
            self.paint.apply(&self.lit.projection, blocks, &batch.paint);
            light(&self.lit, blocks);
            self.edges.iter().for_each(|style| draw_edges(style, &self.lit.projection, blocks));
            for (fragments, block) in batch.fragments.chunks(LANES).zip(&batch.blocks) {
                let [reds, greens, blues] = block.color;
                let colors = reds.into_iter().zip(greens).zip(blues).zip(block.coverage).zip(block.alpha);
                for (fragment, ((((red, green), blue), part), alpha)) in fragments.iter().zip(colors) {
                    let samples = u16::try_from(fragment.samples.count_ones()).unwrap_or(4);
                    if self.paint.is_glass() {
                        canvas.add_glass(fragment.pixel, [red, green, blue], alpha, samples, self.paint.blend);
                    } else {
                        canvas.add_part(fragment.pixel, [red, green, blue], part, samples);
                    }
                }
            }
        }
    }

    /// Reads the corners of the fragments.
    fn read(&self, span: SurfaceSpan, batch: &mut FragmentBatch) -> Result<()> {
        let FragmentBatch { fragments, places, corners, attributes, normals, paint, .. } = batch;
        corners.triangles = fragments.len();
        let count = fragments.len().saturating_mul(3);
        for (fragment, places) in fragments.iter().zip(places.as_chunks_mut::<3>().0) {
            let first = fragment.triangle.wrapping_sub(span.first).saturating_mul(3);
            *places = [first, first.saturating_add(1), first.saturating_add(2)];
        }
        let places = places.get(..count).unwrap_or_default();
        let read = |indices: &Indices<'_>, records: &mut ChunkBuffer, out: &mut [u32; CORNERS]| {
            if indices.gather_with(places, records, out).is_none() {
                // The number of a corner is more than 32 bits.
                for (fragment, out) in fragments.iter().zip(out.as_chunks_mut::<3>().0) {
                    let first = as_index(fragment.triangle.wrapping_sub(span.first)).saturating_mul(3);
                    indices.slice(first..first.saturating_add(3)).iter().for_each(|part| part.fill(out));
                }
            }
        };
        read(&self.reader.indices, &mut corners.records, &mut corners.indices);
        corners.read_positions(&self.reader.positions);
        if self.paint.needs_attributes() || matches!(self.normals, CornerNormals::Stored(_) | CornerNormals::Posed) {
            read(&self.attributes, &mut corners.records, attributes);
        }
        self.paint.read(attributes.get(..count).unwrap_or_default(), &mut corners.records, paint);
        match &self.normals {
            CornerNormals::Flat => {}
            CornerNormals::Computed(computed) => {
                for (place, normal) in places.iter().zip(normals.iter_mut()) {
                    *normal = computed.get(as_index(*place)).copied().unwrap_or_default();
                }
            }
            CornerNormals::Stored(stored) => {
                let indices = attributes.get(..count).unwrap_or_default();
                if stored
                    .gather_with(indices, &mut corners.records, normals.get_mut(..count).unwrap_or_default())
                    .is_none()
                {
                    for (index, normal) in indices.iter().zip(normals.iter_mut()) {
                        *normal = stored.get(as_index(*index)).unwrap_or_default();
                    }
                }
            }
            CornerNormals::Posed => {
                let pairs = corners.indices.iter().zip(attributes.iter()).take(count);
                let pairs: Vec<Corner> =
                    pairs.map(|(position, attribute)| Corner { position: *position, attribute: *attribute }).collect();
                if let Some(posed) = self.surface.shape.skinned_normals(&self.surface.surface, &pairs)? {
                    normals.iter_mut().zip(posed).for_each(|(out, normal)| *out = normal);
                }
            }
        }
        Ok(())
    }
}

/// Copies the corners and the places of the fragments to blocks.
fn place_blocks(batch: &mut FragmentBatch, place: BandPlace) {
    let FragmentBatch { fragments, corners, normals, blocks, .. } = batch;
    let inputs = corners.positions.as_chunks::<{ 3 * LANES }>().0.iter().zip(normals.as_chunks::<{ 3 * LANES }>().0);
    for ((block, fragments), (positions, normals)) in blocks.iter_mut().zip(fragments.chunks(LANES)).zip(inputs) {
        transpose(positions, &mut block.positions);
        transpose(normals, &mut block.normals);
        let [xs, ys] = &mut block.point;
        for ((fragment, x), y) in fragments.iter().zip(xs).zip(ys) {
            [*x, *y] = middle(fragment, place);
        }
    }
}

/// Copies the vectors of the corners of sixteen triangles to lanes.
fn transpose(rows: &[[f32; 3]; 3 * LANES], out: &mut [[[f32; LANES]; 3]; 3]) {
    for (lane, triangle) in rows.as_chunks::<3>().0.iter().enumerate() {
        for (value, part) in triangle.as_flattened().iter().zip(out.as_flattened_mut()) {
            if let Some(place) = part.get_mut(lane) {
                *place = *value;
            }
        }
    }
}

/// Returns the middle of the samples of a fragment, in sixteenths of a pixel.
#[allow(clippy::as_conversions, clippy::cast_precision_loss, reason = "at most 2^20")]
fn middle(fragment: &Fragment, place: BandPlace) -> [f32; 2] {
    let corner = [
        fragment.pixel.checked_rem(place.row_pixels).unwrap_or_default(),
        fragment.pixel.checked_div(place.row_pixels).unwrap_or_default().wrapping_add(place.first_row),
    ];
    let (mut sum, mut count) = ([0_i32; 2], 0_i32);
    for (sample, [x, y]) in SAMPLE_POSITIONS.into_iter().enumerate() {
        if fragment.samples & 1_u8.unbounded_shl(u32::try_from(sample).unwrap_or(8)) != 0 {
            let [sx, sy] = sum;
            (sum, count) = ([sx.wrapping_add(x), sy.wrapping_add(y)], count.wrapping_add(1));
        }
    }
    let [x, y] = corner.map(|pixel| pixel.wrapping_mul(16) as f32);
    let [dx, dy] = sum.map(|sum| sum as f32 / count as f32);
    [x + dx, y + dy]
}

const _: () = assert!(SAMPLES == 4);
