//! The files of `--animation`, whose clips are played by the bones with the same names.

use std::path::PathBuf;

use crate::program::args::{Global, WalkArgs};
use crate::program::commands::convert::stem;
use crate::program::formats::selectors::Selector;
use crate::program::input::animation_files::open_animations;
use crate::program::input::asset::InputAsset;
use crate::render::ClipSource;

/// The files whose clips are used, in the order of the command line.
pub struct AnimationFiles {
    /// The name of the clips that have none, and the file.
    files: Vec<(String, InputAsset)>,
    /// The index of the file whose clip a picture shows.
    shown: usize,
}

impl AnimationFiles {
    /// Opens the files. A picture shows the first that has `clip`, or else the first.
    pub fn open(paths: &[PathBuf], walk: &WalkArgs, clip: Option<&Selector>, global: &Global) -> anyhow::Result<Self> {
        let (mut files, mut shown) = (Vec::new(), None);
        for (index, (path, asset)) in open_animations(paths, walk, global)?.into_iter().enumerate() {
            let animations = asset.model.animations().map_err(|error| error.at_path(&path))?;
            if shown.is_none() && clip.is_some_and(|clip| clip.clip(animations).is_ok()) {
                shown = Some(index);
            }
            files.push((stem(&path, &asset), asset));
        }
        Ok(Self { files, shown: shown.unwrap_or_default() })
    }

    /// Returns the clips of all files.
    pub fn sources(&self) -> crate::Result<Vec<ClipSource<'_>>> {
        self.files.iter().map(source).collect()
    }

    /// Returns the clips of the file whose clip a picture shows.
    pub fn shown(&self) -> crate::Result<Option<ClipSource<'_>>> {
        self.files.get(self.shown).map(source).transpose()
    }
}

fn source((name, asset): &(String, InputAsset)) -> crate::Result<ClipSource<'_>> {
    Ok(ClipSource { name, animations: asset.model.animations()? })
}
