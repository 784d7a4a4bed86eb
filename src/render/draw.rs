//! Draws a mesh: measures it, finds the nearest triangle of each sample, and shades each fragment.

use super::background::Backdrop;
use super::camera::{Camera, CameraView, ViewShape};
use super::corners::CornerReader;
use super::material_textures::MaterialTextures;
use super::measure::{DirectionExtent, measure_surfaces};
use super::normals::{PoolNormals, VertexNormals};
use super::options::{Background, Overlay, PictureOptions, Shading};
use super::overlay::{Overlays, WorldBox};
use super::picture::Picture;
use super::raster::budget::{CUT_WORK, GLASS_WORK};
use super::raster::visibility::VisibilityBuffer;
use super::raster::visit::CoveredPixel;
use super::shade::canvas::Canvas;
use super::shade::cut::CutSurface;
use super::shade::edges::EdgeStyle;
use super::shade::fragments::{Fragment, FragmentLists, row_pixels};
use super::shade::light::LitSurface;
use super::shade::paint::{PaintSources, SurfacePaint};
use super::shade::surface::{BandPlace, CornerNormals, FragmentBatch, SurfaceShader};
use super::surfaces::{LeftOutTriangles, PixelVisitor, SurfaceRasteriser, SurfaceSpan};
use super::texture::TextureSource;
use super::uv::draw_uv_layout;
use crate::array::Array as _;
use crate::error::Result;
use crate::math::as_index;
use crate::model::Space;
use crate::scene::shape::{ShapePositions, SurfaceShape};
use crate::scene::{PlacedScene, PlacedSurface, SceneInput};

/// The greatest number of pixels whose samples are in memory at a time: 32 MiB.
const BAND_PIXELS: u32 = 1 << 20;
/// The greatest number of fragments of a translucent surface: 12 MiB.
const MAX_GLASS: usize = 1 << 20;
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
    pub bones: u64,
    /// The triangles that are not in the picture.
    pub left_out: LeftOutTriangles,
    /// The number of lines and bones of overlays that are known to be missing in the picture.
    pub left_out_lines: u64,
    /// The number of surfaces that were read, if there are more than a picture may read, or `None`
    /// if all were read.
    pub first_surfaces: Option<u64>,
    /// The damaged levels of detail that are not drawn, as texts.
    #[cfg_attr(not(feature = "cli"), allow(dead_code, reason = "the program prints them"))]
    pub(crate) damaged_levels: Vec<String>,
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
/// let drawn = draw(&SceneInput::new(mesh.contents()), &options)?;
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
    let damaged_levels = scene.damaged.take();
    Ok(MeshPicture { picture, triangles, bones, left_out, left_out_lines, first_surfaces, damaged_levels })
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
        let (framing, mut extent) = (self.options.framing, DirectionExtent::new(shape.directions()));
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
        let from_point = match self.options.camera {
            Camera::LookAt { from, .. } => shape.view_from(from, extent.least),
            Camera::Orbit { .. } => None,
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
        let (mut spans, mut normals, mut has_glass) = (Vec::new(), VertexNormals::default(), false);
        self.scene.each_surface(&mut |surface| {
            let mut computed = self.computed_normals(surface, &mut normals)?;
            let visit = &mut |batch: &_| computed.iter_mut().for_each(|computed| computed.add(batch));
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
            self.draw_glass((view, place), buffer, &mut rasteriser, &mut normals, &mut canvas)?;
        }
        let left_out = LeftOutTriangles { too_deep: buffer.budget.missing, ..rasteriser.left_out };
        let triangles = u64::from(rasteriser.next);
        let lists = FragmentLists::new(buffer, &spans)?;
        self.shade(view, place, &lists, &spans, &normals, &mut canvas)?;
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
        normals: &mut VertexNormals,
        canvas: &mut Canvas,
    ) -> Result<()> {
        let mut batch = Box::new(FragmentBatch::new());
        self.scene.each_surface(&mut |surface| {
            if !self.paint(surface)?.is_glass() {
                return Ok(());
            }
            let (mut fragments, mut last_missing) = (Vec::new(), None);
            let mut computed = self.computed_normals(surface, normals)?;
            let visit = &mut |batch: &_| computed.iter_mut().for_each(|computed| computed.add(batch));
            let mut keep = |buffer: &mut VisibilityBuffer, pixel: &CoveredPixel, triangle| {
                if fragments.len() < MAX_GLASS {
                    fragments.push(Fragment { pixel: pixel.index(buffer), triangle, samples: pixel.samples });
                } else if last_missing.replace(triangle) != Some(triangle) {
                    buffer.budget.miss();
                }
            };
            let visitor = Some(&mut PixelVisitor { visit: &mut keep, work: GLASS_WORK });
            let span = rasteriser.draw(surface, buffer, visit, visitor)?;
            let shader = self.shader(view, surface, normals)?;
            shader.shade(span, place, fragments.into_iter(), &mut batch, canvas)
        })
    }

    /// Returns what is computed from the triangles of a surface: normals, if none are stored, and
    /// which side of the triangles is outside.
    fn computed_normals<'n>(
        &self,
        surface: &PlacedSurface<'_>,
        normals: &'n mut VertexNormals,
    ) -> Result<Option<&'n mut PoolNormals>> {
        // A surface without triangles needs no memory.
        if surface.surface.indices()?.len() < 3 {
            return Ok(None);
        }
        let is_smooth = self.options.shading != Shading::Facets && !surface.surface.draw_style()?.flat;
        if !is_smooth || shades_with_stored(surface)? {
            let is_small = surface.surface.indices()?.len() <= MAX_MEASURED;
            return Ok(normals.pool(surface.position_pool(), 0).filter(|_| is_small));
        }
        let count = match surface.shape.positions(&surface.surface)? {
            ShapePositions::Posed(_) => return Ok(None),
            positions => positions.len(),
        };
        Ok(normals.pool(surface.position_pool(), count))
    }

    /// Shades the fragments of all surfaces.
    fn shade(
        &self,
        view: &CameraView,
        place: BandPlace,
        lists: &FragmentLists<'_>,
        spans: &[SurfaceSpan],
        normals: &VertexNormals,
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
            let shader = self.shader(view, surface, normals)?.with_edges(edges);
            shader.prefetch(lists.count(number));
            shader.shade(span, place, fragments, &mut batch, canvas)?;
            self.scene.input.release();
            Ok(())
        })
    }
}

impl DrawJob<'_, '_> {
    /// Prepares the shading of a surface.
    fn shader<'s>(
        &self,
        view: &CameraView,
        surface: &'s PlacedSurface<'s>,
        normals: &'s VertexNormals,
    ) -> Result<SurfaceShader<'s>> {
        let is_flat = self.options.shading == Shading::Facets || surface.surface.draw_style()?.flat;
        let measured = normals.get(surface.position_pool());
        let stored = if is_flat || !shades_with_stored(surface)? { None } else { surface.surface.normals()? };
        let computed = measured.filter(|measured| stored.is_none() && !measured.sums.is_empty());
        let corner_normals = match (stored, computed) {
            _ if is_flat => CornerNormals::Flat,
            (Some(_), _) if matches!(surface.shape, SurfaceShape::Bones(_)) => CornerNormals::Posed,
            (Some(stored), _) => CornerNormals::Stored(stored),
            (None, Some(computed)) => CornerNormals::Computed(&computed.sums),
            (None, None) => CornerNormals::Flat,
        };
        let is_flat = matches!(corner_normals, CornerNormals::Flat);
        let lit = |reader: &CornerReader<'_>| {
            let projection = view.projection(surface.conversion.map(), reader.origin());
            LitSurface::new(view, &surface.conversion, projection, is_flat, computed.is_some())
        };
        let is_clockwise = surface.conversion.reverses_corners() != surface.conversion.is_mirrored();
        let is_inside_out = measured.is_some_and(|measured| measured.is_inside_out(is_clockwise));
        SurfaceShader::new(surface, corner_normals, lit, self.paint(surface)?, is_inside_out)
    }

    /// Returns how the edges of triangles are drawn, or `None` if they are not.
    fn edges(&self) -> Option<EdgeStyle> {
        let is_alone = self.options.shading == Shading::Wireframe;
        let is_drawn = is_alone || self.options.shows(Overlay::Wireframe);
        is_drawn.then(|| EdgeStyle::new(Overlays::line_width(self.options.size), is_alone))
    }
}

/// Returns whether a surface is shaded with its stored normals: it has some that belong to its
/// shape and say something.
fn shades_with_stored(surface: &PlacedSurface<'_>) -> Result<bool> {
    let has_own = !matches!(surface.shape, SurfaceShape::Frames(_)) && surface.surface.normals()?.is_some();
    Ok(has_own && !surface.surface.has_meaningless_normals()?)
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
