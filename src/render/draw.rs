//! Draws a mesh: measures it, finds the nearest triangle of each sample, and shades each fragment.

use super::camera::{CameraPlace, CameraView, ViewShape};
use super::corners::CornerReader;
use super::enclosed::{EnclosedVolume, EnclosedVolumes};
use super::measure::{DirectionExtent, measure_surfaces};
use super::options::{Background, Overlay, PictureOptions, Shading};
use super::overlay::{Overlays, WorldBox};
use super::picture::{Backdrop, Picture};
use super::raster::visibility::{CUT_WORK, GLASS_WORK, VisibilityBuffer};
use super::raster::visit::CoveredPixel;
use super::shade::canvas::Canvas;
use super::shade::cut::CutSurface;
use super::shade::edges::EdgeStyle;
use super::shade::fragments::{Fragment, FragmentLists, row_pixels};
use super::shade::light::LitSurface;
use super::shade::paint::{PaintSources, SurfacePaint};
use super::shade::surface::{BandPlace, CornerNormals, FragmentBatch, SurfaceShader};
use super::surfaces::{LeftOutTriangles, PixelVisitor, SurfaceRasteriser, SurfaceSpan};
use super::texture::{MaterialTextures, TextureSource};
use super::uv::draw_uv_layout;
use crate::array::Array as _;
use crate::error::Result;
use crate::math::as_index;
use crate::model::Space;
use crate::scene::normals::{ComputedNormals, NormalSource};
use crate::scene::shape::SurfaceShape;
use crate::scene::{PlacedScene, PlacedSurface, SceneInput};

/// The greatest number of pixels whose samples are in memory at a time: 32 MiB.
const BAND_PIXELS: u32 = 1 << 20;
/// The greatest number of fragments of a translucent surface: 48 MiB.
const MAX_GLASS: usize = 1 << 22;
/// The greatest number of corners of a surface with stored normals whose volume is measured, which
/// takes a tenth of the time of drawing it.
const MAX_MEASURED: usize = 1 << 20;

/// A picture of a mesh.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MeshPicture {
    /// The picture.
    pub picture: Picture,
    /// The number of triangles of the surfaces that are drawn.
    pub triangles: u64,
    /// The number of bones that are drawn.
    #[cfg_attr(not(feature = "cli"), allow(dead_code, reason = "the program prints it"))]
    pub(crate) bones: u64,
    /// The triangles that are not in the picture.
    pub(crate) left_out: LeftOutTriangles,
    /// The number of lines and bones of overlays that are known to be missing in the picture.
    pub left_out_lines: u64,
    /// The number of surfaces that were read, if there are more than a picture may read, or `None`
    /// if all were read.
    pub first_surfaces: Option<u64>,
    /// The damaged levels of detail that are not drawn, and damaged skins, as texts.
    #[cfg_attr(not(feature = "cli"), allow(dead_code, reason = "the program prints them"))]
    pub(crate) damaged_parts: Vec<String>,
}

impl MeshPicture {
    /// Returns the number of triangles that are not in the picture: those with an index that is out
    /// of range or a position that is not finite, those beyond the first 2^32 - 2, and those that
    /// would cover the picture again and again.
    #[must_use]
    pub const fn left_out_triangles(&self) -> u64 {
        let LeftOutTriangles { invalid, not_finite, too_many, too_deep } = self.left_out;
        invalid.saturating_add(not_finite).saturating_add(too_many).saturating_add(too_deep)
    }
}

/// Draws a mesh.
///
/// The mesh is drawn in the conventions of glTF. Its visible surfaces are read one after another,
/// once to measure them, once to find the visible triangles, and once more at the triangles that
/// are visible. The memory depends on the size of the picture, and not on the mesh.
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// use meshpeek::render::{PictureOptions, SceneInput, draw};
/// let mesh = meshpeek::open("data/unigine/cube_ms13.mesh")?;
/// let options = PictureOptions::default().with_size([64, 64]);
/// let drawn = draw(&SceneInput::new(&mesh), &options)?;
/// assert_eq!((drawn.picture.size(), drawn.triangles), ([64, 64], 12));
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// Returns the errors of reading the mesh,
/// [`ErrorKind::NoSuch`](crate::ErrorKind::NoSuch) if the mesh does not have the chosen asset,
/// level, surface, clip or frame, and [`ErrorKind::Limit`](crate::ErrorKind::Limit) if the picture
/// is too large.
pub fn draw(input: &SceneInput<'_>, options: &PictureOptions) -> Result<MeshPicture> {
    draw_scene(input, options, None)
}

/// Draws a mesh with the textures that its materials name.
///
/// # Errors
///
/// Returns the errors of [`draw`].
pub fn draw_textured(
    input: &SceneInput<'_>,
    options: &PictureOptions,
    textures: &dyn TextureSource,
) -> Result<MeshPicture> {
    draw_scene(input, options, Some(textures))
}

fn draw_scene(
    input: &SceneInput<'_>,
    options: &PictureOptions,
    textures: Option<&dyn TextureSource>,
) -> Result<MeshPicture> {
    let mut picture = Picture::new(options.size, [0; 4])?;
    let scene = PlacedScene::new(input, options.scene(), Space::GLTF)?;
    if options.shading == Shading::Uv {
        return draw_uv_layout(&scene, options, picture);
    }
    let sources = PaintSources { materials: MaterialTextures::new(input.contents)?, textures };
    let mut job = DrawJob { scene: &scene, options, sources, overlays: Overlays::default() };
    let view = job.view()?;
    let mut counts = BandCounts::default();
    let [width, height] = options.size;
    let band = BAND_PIXELS.checked_div(width).unwrap_or(1).clamp(1, height.max(1));
    let mut buffer = VisibilityBuffer::new(width, 0..band.min(height))?;
    for first in (0..height).step_by(as_index(band)) {
        if first > 0 {
            buffer.restart(first..first.saturating_add(band).min(height));
        }
        counts = job.band(&view, &mut buffer, &mut picture)?.merged(&counts);
    }
    let BandCounts { left_out, triangles, lines } = counts;
    let left_out_lines = lines.saturating_add(job.overlays.missing());
    let (bones, first_surfaces) = (job.overlays.bones, scene.cut.get());
    let damaged_parts = scene.damaged_parts();
    Ok(MeshPicture { picture, triangles, bones, left_out, left_out_lines, first_surfaces, damaged_parts })
}

/// The counts of a band.
#[derive(Clone, Copy, Debug, Default)]
struct BandCounts {
    left_out: LeftOutTriangles,
    triangles: u64,
    /// The number of lines and bones that are left out.
    lines: u64,
}

impl BandCounts {
    /// Returns these counts, and the greater numbers of both bands for what depends on the band.
    fn merged(mut self, other: &Self) -> Self {
        self.left_out.too_deep = self.left_out.too_deep.max(other.left_out.too_deep);
        Self { lines: self.lines.max(other.lines), ..self }
    }
}

/// Values that are computed from the triangles of the surfaces before they are shaded.
struct MeasuredSurfaces {
    normals: ComputedNormals,
    volumes: EnclosedVolumes,
}

impl MeasuredSurfaces {
    fn new(options: &PictureOptions) -> Self {
        Self { normals: ComputedNormals::new(options.normals), volumes: EnclosedVolumes::default() }
    }

    /// Returns what measures the triangles of a surface, or `None` if they are not measured.
    fn volume(&mut self, surface: &PlacedSurface<'_>) -> Result<Option<&mut EnclosedVolume>> {
        let (input, corners) = (surface.normal_input(), surface.surface.indices()?.len());
        let is_stored = matches!(self.normals.source(&input)?, NormalSource::Stored(_));
        let is_measured = corners >= 3 && (corners <= MAX_MEASURED || !is_stored);
        Ok(if is_measured { self.volumes.pool(surface.position_pool()) } else { None })
    }
}

/// One picture that is drawn.
struct DrawJob<'j, 'a> {
    scene: &'j PlacedScene<'a>,
    options: &'j PictureOptions,
    sources: PaintSources<'j>,
    overlays: Overlays,
}

impl DrawJob<'_, '_> {
    /// Measures the mesh, finds the overlays, and places the camera. If nothing can be drawn, the
    /// camera shows the origin.
    fn view(&mut self) -> Result<CameraView> {
        let shape = ViewShape::new(&self.options.camera, self.options.size);
        let mut extent = DirectionExtent::new(shape.directions());
        // A camera at a point does not need a framing.
        let framing = self.options.framing.filter(|_| matches!(self.options.camera.0, CameraPlace::Orbit { .. }));
        let mut box_extent = DirectionExtent::new(WorldBox::DIRECTIONS);
        if framing.is_none() || self.needs_box() {
            measure_surfaces(self.scene, &mut |positions, map| {
                extent.add(positions, map)?;
                if self.needs_box() { box_extent.add(positions, map) } else { Ok(()) }
            })?;
        }
        let is_alone = framing.map_or_else(|| extent.is_empty(), |framing| framing.is_alone);
        self.overlays = Overlays::new(self.scene, self.options, WorldBox::new(box_extent.least), is_alone)?;
        if let Some(framing) = framing {
            return Ok(shape.fit_or_origin(framing.least(shape.directions())));
        }
        self.overlays.each_point(&mut |point| extent.add_point(point));
        let from_point = match self.options.camera.0 {
            CameraPlace::LookAt { from, .. } => shape.view_from(from, extent.least),
            CameraPlace::Orbit { .. } => None,
        };
        Ok(from_point.unwrap_or_else(|| shape.fit_or_origin(extent.least)))
    }

    /// Returns whether an overlay depends on the size of the mesh.
    fn needs_box(&self) -> bool {
        self.options.shows(Overlay::Bounds) || self.options.shows(Overlay::Normals)
    }

    /// Draws a band of rows.
    fn band(&self, view: &CameraView, buffer: &mut VisibilityBuffer, picture: &mut Picture) -> Result<BandCounts> {
        let mut rasteriser = SurfaceRasteriser::new(view);
        let (mut spans, mut measured, mut has_glass) = (Vec::new(), MeasuredSurfaces::new(self.options), false);
        self.scene.each_surface(&mut |surface| {
            if self.is_smooth(surface)? {
                measured.normals.add(&surface.normal_input())?;
            }
            let mut volume = measured.volume(surface)?;
            let visit = &mut |batch: &_| volume.iter_mut().for_each(|volume| volume.add(batch));
            let paint = self.paint(surface)?;
            has_glass |= paint.is_glass();
            spans.push(if paint.is_glass() {
                SurfaceSpan { first: rasteriser.next, end: rasteriser.next }
            } else if paint.is_cut() {
                let mut cut = CutSurface::new(surface, &paint, view, rasteriser.next)?;
                rasteriser.draw(
                    surface,
                    buffer,
                    visit,
                    Some(&mut PixelVisitor {
                        visit: &mut |buffer, pixel, number| cut.keep(buffer, pixel, number),
                        work: CUT_WORK,
                    }),
                )?
            } else {
                rasteriser.draw(surface, buffer, visit, None)?
            });
            self.scene.input.release();
            Ok(())
        })?;
        let surfaces = spans.len();
        let lines = self.overlays.draw(view, buffer, rasteriser.next, &mut spans);
        let place = BandPlace { row_pixels: row_pixels(buffer), first_row: buffer.rows.start };
        let rows = buffer.rows.clone();
        let mut canvas = Canvas::new(as_index(place.row_pixels).saturating_mul(rows.len()))?;
        if has_glass {
            canvas = canvas.with_glass()?;
            self.draw_glass((view, place), buffer, &mut rasteriser, &mut measured, &mut canvas)?;
        }
        let left_out = LeftOutTriangles { too_deep: buffer.budget.missing, ..rasteriser.left_out };
        let triangles = u64::from(rasteriser.next);
        let lists = FragmentLists::new(buffer, &spans)?;
        self.shade(view, place, &lists, &spans, &measured, &mut canvas)?;
        self.overlays.shade(&lists, surfaces, &mut canvas);
        resolve(&canvas, place, rows, self.options.background, picture);
        Ok(BandCounts { left_out, triangles, lines })
    }

    fn paint<'s>(&self, surface: &PlacedSurface<'s>) -> Result<SurfacePaint<'s>> {
        SurfacePaint::new(surface, self.options, &self.sources)
    }

    /// Draws the surfaces through which others are visible, in file order.
    fn draw_glass(
        &self,
        (view, place): (&CameraView, BandPlace),
        buffer: &mut VisibilityBuffer,
        rasteriser: &mut SurfaceRasteriser<'_>,
        measured: &mut MeasuredSurfaces,
        canvas: &mut Canvas,
    ) -> Result<()> {
        let mut batch = Box::new(FragmentBatch::new());
        self.scene.each_surface(&mut |surface| {
            if !self.paint(surface)?.is_glass() {
                return Ok(());
            }
            let (mut fragments, mut last_missing) = (Vec::new(), None);
            let mut volume = measured.volume(surface)?;
            let visit = &mut |batch: &_| volume.iter_mut().for_each(|volume| volume.add(batch));
            let mut keep = |buffer: &mut VisibilityBuffer, pixel: &CoveredPixel, triangle| {
                if fragments.len() < MAX_GLASS {
                    fragments.push(Fragment { pixel: pixel.index(buffer), triangle, samples: pixel.samples });
                } else if last_missing.replace(triangle) != Some(triangle) {
                    buffer.budget.miss();
                }
            };
            let visitor = Some(&mut PixelVisitor { visit: &mut keep, work: GLASS_WORK });
            let span = rasteriser.draw(surface, buffer, visit, visitor)?;
            let shader = self.shader(view, surface, measured)?;
            shader.shade(span, place, fragments.into_iter(), &mut batch, canvas)
        })
    }

    /// Returns whether a surface is drawn with the normals of its vertices.
    fn is_smooth(&self, surface: &PlacedSurface<'_>) -> Result<bool> {
        // A surface without triangles needs no memory.
        Ok(self.options.shading != Shading::Facets && surface.surface.indices()?.len() >= 3)
    }

    /// Shades the fragments of all surfaces.
    fn shade(
        &self,
        view: &CameraView,
        place: BandPlace,
        lists: &FragmentLists<'_>,
        spans: &[SurfaceSpan],
        measured: &MeasuredSurfaces,
        canvas: &mut Canvas,
    ) -> Result<()> {
        let mut batch = Box::new(FragmentBatch::new());
        let edges = self.edges();
        let mut numbers = spans.iter().copied().enumerate();
        self.scene.each_surface(&mut |surface| {
            let Some((number, span)) = numbers.next() else { return Ok(()) };
            let mut fragments = lists.of(number).peekable();
            if fragments.peek().is_none() {
                return Ok(());
            }
            let shader = self.shader(view, surface, measured)?.with_edges(edges);
            shader.prefetch(lists.count(number));
            shader.shade(span, place, fragments, &mut batch, canvas)?;
            self.scene.input.release();
            Ok(())
        })
    }

    /// Prepares the shading of a surface.
    fn shader<'s>(
        &self,
        view: &CameraView,
        surface: &'s PlacedSurface<'s>,
        measured: &MeasuredSurfaces,
    ) -> Result<SurfaceShader<'s>> {
        let is_smooth = self.is_smooth(surface)?;
        let corner_normals = match measured.normals.source(&surface.normal_input())? {
            _ if !is_smooth => CornerNormals::Flat,
            NormalSource::Stored(_) if matches!(surface.shape, SurfaceShape::Bones(_)) => CornerNormals::Posed,
            NormalSource::Stored(stored) => CornerNormals::Stored(stored),
            NormalSource::Computed(angle) if angle > 0.0 => {
                let corners = measured.normals.corners(&surface.normal_input())?;
                corners.map_or(CornerNormals::Flat, |corners| CornerNormals::Computed(corners.normals))
            }
            NormalSource::Computed(_) | NormalSource::None => CornerNormals::Flat,
        };
        let lit = |reader: &CornerReader<'_>, normals: &CornerNormals<'_>| {
            let projection = view.projection(surface.conversion.map(), reader.origin());
            let (is_flat, is_placed) =
                (matches!(normals, CornerNormals::Flat), matches!(normals, CornerNormals::Computed(_)));
            LitSurface::new(view, &surface.conversion, projection, is_flat, is_placed)
        };
        let is_clockwise = surface.conversion.reverses_corners() != surface.conversion.is_mirrored();
        let volume = measured.volumes.get(surface.position_pool());
        let is_inside_out = volume.is_some_and(|volume| volume.is_inside_out(is_clockwise));
        SurfaceShader::new(surface, corner_normals, lit, self.paint(surface)?, is_inside_out)
    }

    /// Returns how the edges of triangles are drawn, or `None` if they are not.
    fn edges(&self) -> Option<EdgeStyle> {
        let is_alone = self.options.shading == Shading::Wireframe;
        let is_drawn = is_alone || self.options.shows(Overlay::Wireframe);
        is_drawn.then(|| EdgeStyle::new(Overlays::line_width(self.options.size), is_alone))
    }
}

/// Writes the pixels of a band to the picture.
fn resolve(
    canvas: &Canvas,
    place: BandPlace,
    rows: std::ops::Range<u32>,
    background: Background,
    picture: &mut Picture,
) {
    let [width, _] = picture.size();
    let backdrop = Backdrop::new(background, picture.size());
    let stride = as_index(place.row_pixels);
    for (line, row) in rows.enumerate() {
        let start = as_index(row).saturating_mul(as_index(width));
        let out = picture.pixels_mut().get_mut(start..).unwrap_or_default();
        let pixels = (line.saturating_mul(stride)..).zip(out.iter_mut().take(as_index(width)));
        for (column, (at, out)) in pixels.enumerate() {
            // The background of a pixel that is covered is not visible.
            let background = if canvas.is_covered(at) { None } else { backdrop.at([column, as_index(row)]) };
            *out = canvas.pixel(at, background);
        }
    }
}
