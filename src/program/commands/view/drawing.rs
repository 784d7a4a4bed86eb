//! The drawing of one mesh with the options on the command line.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::args::ViewArgs;
use crate::export::{ExportOptions, LevelChoice};
use crate::program::args::{Global, STDIN};
use crate::program::atomic_write::folder;
use crate::program::describe::picture::with_scene;
use crate::program::formats::selectors::surfaces as selected_surfaces;
use crate::program::formats::{LodFilter, level_index};
use crate::program::input::{AnimationFile, InputAsset, open_animations};
use crate::program::output::note;
use crate::program::picture::textures::TextureFolder;
use crate::render::{CameraMotion, Framing, MeshPicture, PictureOptions, draw, draw_textured};
use crate::{Animations, Limits};

/// Draws meshes with the options on the command line.
pub struct Drawing<'a> {
    args: &'a ViewArgs,
    /// The files whose clips are used, in the order of the command line.
    pub animations: Vec<AnimationFile>,
    /// The index of the file whose clip a picture shows.
    shown: usize,
    /// The textures in the folder of the last mesh.
    textures: Mutex<Option<(PathBuf, Arc<TextureFolder>)>>,
    /// The errors of images that are missing in pictures.
    errors: Mutex<Vec<crate::Error>>,
}

impl<'a> Drawing<'a> {
    pub fn new(args: &'a ViewArgs, global: &Global) -> anyhow::Result<Self> {
        let animations = open_animations(&args.animations, &args.files.walk, global)?;
        // A picture shows the first file that has the clip of `--clip`, or else the first.
        let has_clip = |file: &AnimationFile| {
            args.clip.as_ref().is_some_and(|clip| clip.clip(file.asset.model.animations()).is_ok())
        };
        let shown = animations.iter().position(has_clip).unwrap_or_default();
        Ok(Self { args, animations, shown, textures: Mutex::default(), errors: Mutex::default() })
    }

    /// Returns the clips of the file whose clip a picture shows.
    fn shown(&self) -> Option<(&str, &dyn Animations)> {
        self.animations.get(self.shown).map(AnimationFile::source)
    }

    /// Returns the number of the clip of `--clip`, in the file whose clip a picture shows.
    fn clip(&self, own: &dyn Animations) -> anyhow::Result<Option<usize>> {
        let animations = self.shown().map_or(own, |(_, animations)| animations);
        self.args.clip.as_ref().map(|clip| clip.clip(animations)).transpose()
    }

    /// Returns the name of the clip of `--clip`.
    pub fn clip_name(&self, asset: &InputAsset) -> anyhow::Result<Option<String>> {
        let first = asset.model.contents().asset(self.args.asset.unwrap_or_default())?;
        let Some(clip) = self.clip(first.animations())? else { return Ok(None) };
        let source = self.shown();
        let name = source.map_or(first.animations(), |(_, animations)| animations).clip(clip)?.name.to_string_lossy();
        Ok(Some(if name.is_empty() { source.map_or(name, |(file, _)| file.to_owned()) } else { name }))
    }

    /// Returns the options on the command line for the geometry of a mesh on a page. The clip is
    /// the only one, unless there are clips of other files.
    pub fn export_options(&self, asset: &InputAsset) -> anyhow::Result<ExportOptions> {
        let PictureOptions { asset: number, surfaces, level, clip, colors, adjustment, .. } =
            self.options(asset, [1; 2])?;
        let levels = level.map_or(LevelChoice::Scenes, LevelChoice::One);
        let options = ExportOptions::default().with_asset(number).with_surfaces(surfaces).with_levels(levels);
        let options = options.with_colors(colors).with_normals(self.args.normals).with_adjustment(adjustment);
        Ok(options.with_clip(clip.filter(|_| self.args.animations.is_empty())))
    }

    /// Returns the options on the command line for a mesh. The size is that of `--size`, or else
    /// `size`.
    pub fn options(&self, asset: &InputAsset, size: [u32; 2]) -> anyhow::Result<PictureOptions> {
        let args = self.args;
        let first = asset.model.contents().asset(args.asset.unwrap_or_default())?;
        let clip = self.clip(first.animations())?;
        let surfaces =
            if args.surfaces.is_empty() { None } else { Some(selected_surfaces(&args.surfaces, &*first.level(0)?)?) };
        let level = match args.lod {
            Some(LodFilter::One(number)) => Some(level_index(&*first, number)?),
            _ => None,
        };
        let is_moved = args.clip.is_some() || !args.animations.is_empty();
        let frame = args.frame.as_ref().map(|frame| frame.value).or(is_moved.then_some(0.0));
        Ok(PictureOptions::default()
            .with_size(args.size.unwrap_or(size))
            .with_camera(args.camera)
            .with_background(args.drawn_background())
            .with_shading(args.style)
            .with_normals(args.normals)
            .with_plain(args.plain)
            .with_colors(args.colors.unwrap_or_default())
            .with_overlays(args.overlays.clone())
            .with_uv_set(args.uv_set)
            .with_asset(args.asset)
            .with_surfaces(surfaces)
            .with_level(level)
            .with_clip(clip)
            .with_frame(frame)
            .with_adjustment(args.adjust.adjustment(&*first)?))
    }

    /// Draws a mesh.
    pub fn draw(&self, asset: &InputAsset, path: &Path, options: &PictureOptions) -> anyhow::Result<MeshPicture> {
        let textures = self.textures(path);
        let drawn = with_scene(asset, path, self.shown().as_slice(), |input| match textures.as_deref() {
            Some(textures) => draw_textured(input, options, textures),
            None => draw(input, options),
        });
        let errors = textures.as_deref().map(TextureFolder::take_errors).unwrap_or_default();
        self.errors.lock().unwrap_or_else(PoisonError::into_inner).extend(errors);
        drawn
    }

    /// Prints a note for each image that is missing in the pictures until now.
    pub fn print_notes(&self, global: &Global) {
        for error in self.errors.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            note(&format!("not in the picture: the texture {error}"), global);
        }
    }

    /// Returns the textures in the folder of a mesh. They are kept until a mesh of another folder
    /// is drawn.
    pub fn textures(&self, path: &Path) -> Option<Arc<TextureFolder>> {
        if self.args.plain || path == Path::new(STDIN) {
            return None;
        }
        let folder = folder(path);
        let mut kept = self.textures.lock().unwrap_or_else(PoisonError::into_inner);
        match &*kept {
            Some((own, textures)) if own == folder => Some(Arc::clone(textures)),
            _ => {
                let textures = Arc::new(TextureFolder::new(folder, &Limits::default()));
                *kept = Some((folder.to_owned(), Arc::clone(&textures)));
                Some(textures)
            }
        }
    }

    /// Measures what all pictures of a mesh show.
    pub fn framing(
        &self,
        asset: &InputAsset,
        path: &Path,
        pictures: &[PictureOptions],
        motion: CameraMotion,
    ) -> anyhow::Result<Framing> {
        with_scene(asset, path, self.shown().as_slice(), |input| Framing::new(input, pictures, motion))
    }

    /// Returns the clip that is played: that of the options, or else the first, or all vertex
    /// frames. Returns `None` if the mesh does not move.
    pub fn played_clip(&self, asset: &InputAsset, options: &PictureOptions) -> anyhow::Result<Option<PlayedClip>> {
        let first = asset.model.contents().asset(self.args.asset.unwrap_or_default())?;
        let other = self.shown().map(|(_, animations)| animations);
        let animations = other.unwrap_or_else(|| first.animations());
        let (clip, frames, rate) = if animations.clip_count()? > 0 {
            let number = options.clip.unwrap_or_default();
            let clip = animations.clip(number)?;
            (Some(number).filter(|_| other.is_none() || options.clip.is_some()), clip.frames, clip.rate)
        } else {
            let all =
                if other.is_some() || first.level_count()? == 0 { 0 } else { first.level(0)?.vertex_frame_count()? };
            (None, u32::try_from(all).unwrap_or(u32::MAX), None)
        };
        let rate = rate.filter(|rate| rate.is_finite() && *rate > 0.0);
        Ok((frames > 0).then_some(PlayedClip { clip, frames, rate }))
    }
}

/// A clip that is played.
#[derive(Clone, Copy, Debug)]
pub struct PlayedClip {
    /// The number of the clip, or `None` for the first clip of another file, or for all vertex
    /// frames.
    pub clip: Option<usize>,
    pub frames: u32,
    /// Frames per second, if the file defines them.
    pub rate: Option<f32>,
}
