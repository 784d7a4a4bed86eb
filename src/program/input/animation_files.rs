//! Opens the files of `--animation`.

use std::path::PathBuf;
use std::slice;

use super::asset::InputAsset;
use super::open::open;
use super::paths::{InputPath, InputPaths};
use crate::model::animation::Animations;
use crate::program::args::{Global, WalkArgs};
use crate::program::formats::is_part;
use crate::program::outcome::usage;
use crate::program::output::shown;

/// A file whose clips are used.
pub struct AnimationFile {
    /// The name of the clips that have none.
    pub name: String,
    pub asset: InputAsset,
}

impl AnimationFile {
    pub fn source(&self) -> (&str, &dyn Animations) {
        (&self.name, self.asset.model.animations())
    }
}

/// Opens the files with clips that the command line names. Of folders and glob patterns, files
/// without clips are left out, and so are Unreal meshes, whose frames fit no other mesh.
pub fn open_animations(names: &[PathBuf], walk: &WalkArgs, global: &Global) -> anyhow::Result<Vec<AnimationFile>> {
    let mut found = Vec::new();
    for name in names {
        let mut inputs = InputPaths::expand(slice::from_ref(name), walk)?;
        inputs.settle(|_| false);
        if let Some((_, error)) = inputs.take_errors().into_iter().next() {
            return Err(error.into());
        }
        let before = found.len();
        let is_named = matches!(&*inputs.paths, [only] if only.path == *name);
        for InputPath { path, is_found } in std::mem::take(&mut inputs.paths) {
            if !is_named && is_part(&path) {
                continue;
            }
            let opened = open(&path, global);
            let fault = opened.as_ref().err().and_then(|error| error.downcast_ref());
            if is_found && fault.is_some_and(|fault| inputs.passed_by.take(fault)) {
                continue;
            }
            let asset = opened?;
            let animations = asset.model.animations();
            if is_named || animations.clip_count()? > 0 {
                found.push(AnimationFile { name: asset.stem(&path), asset });
            }
        }
        if found.len() == before {
            usage!("--animation: {}: expected files with clips, found none", shown(name));
        }
    }
    Ok(found)
}
