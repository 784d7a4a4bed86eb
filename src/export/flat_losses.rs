//! What the flat formats leave out: those without a scene, such as OBJ.

use super::fault;
use super::loss::{Loss, LossKind, LossList, counted};
use super::options::ExportOptions;
use crate::array::Array;
use crate::error::{Cause, Result};
use crate::export::options::ExportScene;
use crate::math::as_index;
use crate::model::animation::Animations;
use crate::model::{Asset, DrawStyle};
use crate::scene::shape::is_finite;
use crate::scene::{LevelChoice, PlacedSurface, PoolKey, whole_frames};

/// What a flat format can hold.
pub(crate) struct FlatFormat {
    /// The kinds of data that it cannot hold. [`LossKind::UvSets`] is in `uv_sets`.
    pub(crate) lacks: &'static [LossKind],
    /// The number of UV sets that it can hold.
    pub(crate) uv_sets: u32,
    /// Whether it can hold how a surface is drawn.
    pub(crate) draw_styles: bool,
}

/// The losses of an export in a flat format. A loss that many surfaces have is listed once, with
/// their number.
pub(crate) struct FlatLosses<'f> {
    format: &'f FlatFormat,
    /// Whether the output has a pose or a vertex frame instead of animations.
    is_still: bool,
    /// The number of items of each kind, and whether the format can never hold them.
    counts: Vec<(LossKind, bool, usize)>,
    draw_styles: usize,
    /// The pool of the attributes whose values were counted last.
    counted_pool: Option<PoolKey>,
    pub(crate) list: LossList,
}

/// Returns an error if the options need a format that has scenes or compressed buffers.
fn check_options(options: &ExportOptions) -> Result<()> {
    let (name, expected, found) = match options {
        ExportOptions { levels: LevelChoice::Scenes | LevelChoice::Nodes, .. } => {
            ("levels", "one level of detail, because only glTF holds several", "all levels of detail")
        }
        ExportOptions { quantized: true, .. } => {
            ("quantized", "floats, because only glTF holds quantized integers", "quantized integers")
        }
        ExportOptions { compression: Some(_), .. } => {
            ("compression", "no compression, because only glTF has compressed buffers", "compression")
        }
        _ => return Ok(()),
    };
    Err(fault(name, Cause::Refused { expected: expected.into(), found: found.into() }))
}

impl<'f> FlatLosses<'f> {
    /// Returns an error if the options need a format that has scenes or compressed buffers.
    pub(crate) fn new(format: &'f FlatFormat, options: &ExportOptions) -> Result<Self> {
        check_options(options)?;
        let (is_still, list) = (options.frame.is_some(), LossList::default());
        Ok(Self { format, is_still, counts: Vec::new(), draw_styles: 0, counted_pool: None, list })
    }

    /// Counts what the format cannot hold of a surface.
    pub(crate) fn surface(&mut self, surface: &PlacedSurface<'_>) -> Result<()> {
        let view = &surface.surface;
        // Finding an array inflates a compressed block once. The counts are then known.
        view.positions()?;
        let counts = view.counts()?;
        self.count(LossKind::Skin, usize::from(counts.weights && !self.is_still));
        self.count(LossKind::MorphTargets, as_index(counts.targets.saturating_sub(1)));
        if let Some((_, role)) = surface.colors()? {
            let kind = if role.is_harmless() { LossKind::Colors } else { LossKind::DataColors };
            self.count(kind, 1);
        }
        self.count(LossKind::Names, usize::from(!view.name()?.as_bytes().is_empty()));
        self.add_by_format(LossKind::UvSets, as_index(counts.uv_sets.saturating_sub(self.format.uv_sets)));
        self.count_if(LossKind::Normals, || Ok(view.normals()?.is_some()))?;
        self.count_if(LossKind::Tangents, || Ok(view.tangent_frames()?.is_some()))?;
        let has_style = view.draw_style()? != DrawStyle::default();
        if self.lacks(LossKind::Materials) {
            self.count(LossKind::Materials, usize::from(has_style || view.material()?.is_some()));
        } else if has_style && !self.format.draw_styles {
            self.draw_styles = self.draw_styles.saturating_add(1);
        }
        Ok(())
    }

    /// Counts the texture coordinates and normals of a surface with a number that is not finite.
    /// The attributes of a pool are counted once.
    pub(crate) fn values(&mut self, surface: &PlacedSurface<'_>) -> Result<()> {
        let pool = surface.attribute_pool()?;
        if pool.is_some() && pool == self.counted_pool {
            return Ok(());
        }
        self.counted_pool = pool;
        let (uvs, normals) = (surface.surface.uvs(0)?, surface.surface.normals()?);
        self.add(LossKind::Values, count_invalid(uvs).saturating_add(count_invalid(normals)));
        Ok(())
    }

    /// Adds the losses of the whole file, and returns all.
    pub(crate) fn finish(mut self, scene: &ExportScene<'_>) -> Result<Vec<Loss>> {
        for (kind, by_format, count) in std::mem::take(&mut self.counts) {
            if by_format {
                self.list.add_by_format(kind, count, text(kind, count));
            } else {
                self.list.add(kind, None, text(kind, count));
            }
        }
        if self.draw_styles > 0 {
            let text = format!("draw styles of {}", counted(self.draw_styles, "surface"));
            self.list.add_by_format(LossKind::Materials, self.draw_styles, text);
        }
        for asset in scene.placed.assets()? {
            let asset = scene.placed.contents.asset(asset)?;
            self.asset(scene, &*asset)?;
        }
        self.file(scene)?;
        self.list.add_damaged_levels(&scene.placed);
        Ok(self.list.finish())
    }

    fn asset(&mut self, scene: &ExportScene<'_>, asset: &dyn Asset) -> Result<()> {
        let animations = asset.animations();
        if !self.is_still {
            match animations.bone_count() {
                Ok(bones) => self.add_text(LossKind::Skin, bones, counted(bones, "bone")),
                Err(_) => self.add_text(LossKind::Skin, 1, "the skin, which cannot be read".to_owned()),
            }
            let mut frames = 0;
            for level in scene.placed.levels(asset)? {
                let geometry = asset.level(level)?;
                let (whole, all) = (whole_frames(&*geometry, 0)?, geometry.vertex_frame_count()?);
                if !self.lacks(LossKind::VertexFrames) {
                    self.list.add_incomplete_frames(whole, all);
                }
                frames = frames.max(all);
            }
            let more = frames.saturating_sub(1);
            self.add_text(LossKind::VertexFrames, more, counted(more, "vertex frame"));
            let clips = clip_count(animations)?.min(if scene.options.clip.is_some() { 1 } else { usize::MAX });
            self.add_text(LossKind::Clips, clips, counted(clips, "clip"));
        }
        if scene.options.hulls {
            let hulls = asset.hull_count()?.saturating_add(usize::from(asset.collision_mesh()?.is_some()));
            if hulls > 0 && self.lacks(LossKind::Hulls) {
                // The caller chose them.
                self.list.add(LossKind::Hulls, None, counted(hulls, "collision shape"));
            }
        }
        Ok(())
    }

    fn file(&mut self, scene: &ExportScene<'_>) -> Result<()> {
        let mut keys = 0_usize;
        scene.placed.contents.metadata(&mut |_| keys = keys.saturating_add(1))?;
        self.add_text(LossKind::Metadata, keys, format!("{} of metadata", counted(keys, "key")));
        let places = scene.placed.places.iter().filter(|place| !place.transform.fits_f32()).count();
        if places > 0 {
            let text = format!("the transforms of {}, which are not finite", counted(places, "instance"));
            self.list.add(LossKind::Placements, None, text);
        }
        let names = scene.placed.places.iter().filter(|place| place.name.is_some()).count();
        self.add_text(LossKind::Names, names, format!("names of {}", counted(names, "instance")));
        if !self.is_still {
            for (name, animations) in scene.placed.input.clips {
                let clips = clip_count(*animations)?;
                if clips > 0 && self.lacks(LossKind::Clips) {
                    // The caller chose the file.
                    let text = format!("{} of {name}", counted(clips, "clip"));
                    self.list.add(LossKind::Clips, None, text);
                }
            }
        }
        Ok(())
    }

    fn lacks(&self, kind: LossKind) -> bool {
        self.format.lacks.contains(&kind)
    }

    /// Counts items of a kind, if the format lacks the kind.
    fn count(&mut self, kind: LossKind, count: usize) {
        if self.lacks(kind) {
            self.add_by_format(kind, count);
        }
    }

    /// Counts a surface if it has data of a kind that the format lacks.
    fn count_if(&mut self, kind: LossKind, has: impl FnOnce() -> Result<bool>) -> Result<()> {
        let is_lost = self.lacks(kind) && has()?;
        self.count(kind, usize::from(is_lost));
        Ok(())
    }

    /// Counts items of a kind that the format can never hold.
    pub(crate) fn add_by_format(&mut self, kind: LossKind, count: usize) {
        self.add_items(kind, true, count);
    }

    /// Counts items of a kind that the format could hold.
    pub(crate) fn add(&mut self, kind: LossKind, count: usize) {
        self.add_items(kind, false, count);
    }

    fn add_items(&mut self, kind: LossKind, by_format: bool, count: usize) {
        if count == 0 {
            return;
        }
        match self.counts.iter_mut().find(|(other, by, _)| (*other, *by) == (kind, by_format)) {
            Some((.., sum)) => *sum = sum.saturating_add(count),
            None => self.counts.push((kind, by_format, count)),
        }
    }

    fn add_text(&mut self, kind: LossKind, count: usize, text: String) {
        if count > 0 && self.lacks(kind) {
            self.list.add_by_format(kind, count, text);
        }
    }
}

/// Returns the number of items with a number that is not finite.
fn count_invalid<const N: usize>(array: Option<impl Array<Item = [f32; N]>>) -> usize {
    let count = |count: usize, value| count.saturating_add(usize::from(!is_finite(value)));
    array.map_or(0, |array| array.fold(0, count))
}

/// Returns the number of clips that are more than one vertex frame.
fn clip_count(animations: &dyn Animations) -> Result<usize> {
    let mut count = 0_usize;
    for clip in 0..animations.clip_count()? {
        let clip = animations.clip(clip)?;
        let is_still = clip.first_vertex_frame.is_some() && clip.frames <= 1 && clip.name.as_bytes().is_empty();
        count = count.saturating_add(usize::from(!is_still));
    }
    Ok(count)
}

/// Describes the items of a kind.
fn text(kind: LossKind, count: usize) -> String {
    let surfaces = counted(count, "surface");
    match kind {
        LossKind::Skin => format!("bone weights of {surfaces}"),
        LossKind::MorphTargets => counted(count, "morph target"),
        LossKind::UvSets => counted(count, "UV set"),
        LossKind::Normals => format!("normals of {surfaces}"),
        LossKind::Tangents => format!("tangents of {surfaces}"),
        LossKind::Colors => format!("vertex colours of {surfaces}"),
        LossKind::DataColors => format!("vertex colours of {surfaces}, which are data or all black"),
        LossKind::Materials => format!("materials of {surfaces}"),
        LossKind::Names => format!("names of {surfaces}"),
        LossKind::Values => format!("{} that are not finite", counted(count, "value")),
        _ => counted(count, kind.id()),
    }
}
