//! Finds the mesh whose bones an animation moves, among the files on the command line.

// Rule: this file sorts and maps by copies only.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::Name;
use serde_json::{Value, json};

use crate::program::output::shown;

/// The maximum number of meshes whose skeletons are kept in memory.
const MAX_MESHES: usize = 1024;
/// The maximum number of bones of a mesh whose skeleton is kept in memory. A skeleton of an engine
/// has a few hundred bones.
const MAX_BONES: usize = 65_536;
/// The maximum number of bones that `info` lists as moved by one animation but absent from the
/// mesh.
const MAX_LACKING: usize = 64;

/// The skeletons of all meshes among the files on the command line.
#[derive(Debug, Default)]
pub struct Skeletons {
    meshes: Vec<(PathBuf, BTreeSet<String>)>,
}

/// The mesh on the command line that contains the most bones of an animation, and the bones of the
/// animation that this mesh lacks.
pub struct SkeletonFit {
    mesh: PathBuf,
    matched: usize,
    bones: usize,
    lacking: Vec<String>,
}

impl Skeletons {
    /// Adds the bones of a mesh to the list of skeletons.
    pub fn add(&mut self, path: &Path, bones: &[(String, i32)]) {
        if self.meshes.len() < MAX_MESHES && (1..=MAX_BONES).contains(&bones.len()) {
            self.meshes.push((path.to_owned(), bones.iter().map(|(name, _)| name.clone()).collect()));
        }
    }

    /// Returns the mesh that contains the most bones of an animation. Bones are compared by name.
    ///
    /// If only one mesh is on the command line, that mesh is returned. If several meshes contain
    /// equally many bones of the animation, the first of these meshes is returned. A mesh that
    /// contains less than half of the bones of the animation is not returned.
    pub fn fit(&self, bones: &[(String, i32)]) -> Option<SkeletonFit> {
        let lacks = |names: &BTreeSet<String>| bones.iter().filter(|(name, _)| !names.contains(name)).count();
        let meshes = self.meshes.iter().map(|(mesh, names)| (lacks(names), mesh, names));
        let (count, mesh, names) = meshes.min_by_key(|(count, ..)| *count)?;
        let matched = bones.len().saturating_sub(count);
        let lacking = bones.iter().filter(|(name, _)| !names.contains(name)).map(|(name, _)| name.clone());
        let lacking = lacking.take(MAX_LACKING).collect();
        let fits = self.meshes.len() == 1 || matched >= bones.len().div_ceil(2);
        fits.then(|| SkeletonFit { mesh: mesh.clone(), matched, bones: bones.len(), lacking })
    }
}

impl SkeletonFit {
    /// Returns a JSON object with the path of the mesh and the bones of the animation that the mesh
    /// lacks.
    pub fn json(&self) -> Value {
        json!({
            "path": self.mesh.to_string_lossy(),
            "matched_bones": self.matched,
            "bones": self.bones,
            "lacking_bones": self.lacking,
        })
    }

    /// Returns a sentence with the path of the mesh and the bones of the animation that the mesh
    /// lacks.
    pub fn in_words(&self) -> String {
        let Self { mesh, matched, bones, lacking } = self;
        let lacking: Vec<String> = lacking.iter().map(|name| Name::new(name.as_bytes()).to_string()).collect();
        let lacking = if lacking.is_empty() { String::new() } else { format!("; it lacks {}", lacking.join(", ")) };
        format!("{} has {matched} of {bones} bones{lacking}", shown(mesh))
    }
}
