//! Checks the values of a new mesh or animation file before the first byte is written. A value that
//! the format cannot store is an error.

use super::animation::Animation;
use super::mesh::{Bone, Mesh};
use super::surface::Surface;
use meshpeek::decode::Influence;
use meshpeek::unigine::layout::{INFLUENCES, MAX_NUMBERED, ROOT};
use meshpeek::unigine::{Coding, Generation};
use meshpeek::{Error, ErrorKind, Field, Result};

impl Mesh {
    /// Returns an error if the format version of the mesh cannot store a value of the mesh.
    pub(super) fn check(&self) -> Result<()> {
        let fault =
            |field, expected: &str, found: String| Err(wrong(self.generation.format(), field, expected, &found));
        if self.surfaces.len() > usize::try_from(MAX_NUMBERED).unwrap_or(usize::MAX) {
            return fault(Field::new("surfaces"), "at most 32767", self.surfaces.len().to_string());
        }
        if !self.generation.has_animations() && !self.animations.is_empty() {
            return fault(Field::new("animations"), "none in this generation", self.animations.len().to_string());
        }
        for (index, surface) in (0..).zip(&self.surfaces) {
            check_name(self.generation.format(), ("surface", index), &surface.name)?;
        }
        check_skeleton(self.generation.format(), &self.bones, &self.animations)?;
        if !self.generation.has_bones() && !self.bones.is_empty() {
            return fault(Field::new("bones"), "none in this generation", self.bones.len().to_string());
        }
        for (index, surface) in (0..).zip(&self.surfaces) {
            surface.check(self.generation, index, self.bones.len())?;
        }
        Ok(())
    }
}

impl Surface {
    fn check(&self, generation: Generation, index: u64, bones: usize) -> Result<()> {
        let fault = |name, expected: &str, found: String| {
            Err(wrong(generation.format(), Field::new(name).in_list("surface", index), expected, &found))
        };
        let (positions, frames) = self.base_counts();
        if self.targets.is_empty() {
            return fault("targets", "at least the base shape", String::from("none"));
        }
        if self.targets.iter().any(|target| target.name.contains('\0')) {
            return fault("targets", "names without NUL", String::from("a name with NUL"));
        }
        if !generation.has_targets() && (self.targets.len() > 1 || self.targets.iter().any(|one| !one.name.is_empty()))
        {
            return fault("targets", "exactly one unnamed target in this generation", self.targets.len().to_string());
        }
        if !generation.has_bones() && !self.weights.is_empty() {
            return fault("weights", "none in this generation", self.weights.len().to_string());
        }
        if self.lightmap.is_some() && !generation.has_lightmap() {
            return fault("lightmap", "none in this generation", String::from("lightmap bytes"));
        }
        let lengths = [
            ("weights", self.weights.len(), positions),
            ("uv0", self.uvs[0].len(), frames),
            ("uv1", self.uvs[1].len(), frames),
            ("colors", self.colors.len(), frames),
        ];
        for (name, found, all) in lengths {
            if found != 0 && found != all {
                return fault(name, &format!("0 or {all}"), found.to_string());
            }
        }
        for list in &self.weights {
            if list.len() > usize::from(INFLUENCES) {
                return fault("weights", "at most 4 influences on a vertex", list.len().to_string());
            }
            for Influence { bone, .. } in list {
                if usize::try_from(*bone).map_or(true, |bone| bone >= bones) {
                    return fault("weights", &format!("a bone below {bones}"), bone.to_string());
                }
            }
        }
        if self.indices.len() != self.attribute_indices.len() || !self.indices.len().is_multiple_of(3) {
            let found = format!("{} and {}", self.indices.len(), self.attribute_indices.len());
            return fault("indices", "two index streams of the same length, a multiple of 3", found);
        }
        for (name, stream, items) in
            [("indices", &self.indices, positions), ("attribute_indices", &self.attribute_indices, frames)]
        {
            if let Some(found) = stream.iter().find(|index| usize::try_from(**index).unwrap_or(usize::MAX) >= items) {
                return fault(name, &format!("indices below {items}"), found.to_string());
            }
            if i32::try_from(items).is_err() || i32::try_from(stream.len()).is_err() {
                return fault(name, "fewer than 2^31 items", items.max(stream.len()).to_string());
            }
        }
        Ok(())
    }
}

fn check_name(format: &'static str, (list, index): (&'static str, u64), name: &str) -> Result<()> {
    if name.contains('\0') {
        return Err(wrong(format, Field::new("name").in_list(list, index), "a name without NUL", &format!("{name:?}")));
    }
    Ok(())
}

/// Checks the names and parents of all bones, and the names, bone indices, flags and key counts of
/// all animations.
pub(super) fn check_skeleton(format: &'static str, bones: &[Bone], animations: &[Animation]) -> Result<()> {
    let fault = |field, expected: &str, found: String| Err(wrong(format, field, expected, &found));
    if bones.len() > usize::try_from(MAX_NUMBERED).unwrap_or(usize::MAX) {
        return fault(Field::new("bones"), "at most 32767", bones.len().to_string());
    }
    let known = |bone: i16| usize::try_from(bone).is_ok_and(|bone| bone < bones.len());
    for (index, bone) in (0..).zip(bones) {
        check_name(format, ("bone", index), &bone.name)?;
        if bone.parent != ROOT && !known(bone.parent) {
            let expected = format!("-1, or a bone below {}", bones.len());
            return fault(Field::new("parent").in_list("bone", index), &expected, bone.parent.to_string());
        }
    }
    // The number of the last animation that lists each bone.
    let mut listed_by = vec![u64::MAX; bones.len()];
    for (index, animation) in (0..).zip(animations) {
        check_name(format, ("animation", index), &animation.name)?;
        if let Some(bone) = animation.bones.iter().find(|bone| !known(**bone)) {
            let expected = format!("bone numbers below {}", bones.len());
            return fault(Field::new("bone_ids").in_list("animation", index), &expected, bone.to_string());
        }
        let mut is_again = |bone: i16| {
            let listed = usize::try_from(bone).ok().and_then(|bone| listed_by.get_mut(bone));
            listed.is_some_and(|listed| std::mem::replace(listed, index) == index)
        };
        if let Some(bone) = animation.bones.iter().find(|bone| is_again(**bone)) {
            let found = format!("bone {bone} twice");
            return fault(Field::new("bone_ids").in_list("animation", index), "each bone at most once", found);
        }
        if animation.flags & Coding::Changes.unknown() != 0 {
            let found = format!("0x{:02x}", animation.flags);
            return fault(Field::new("flags").in_list("animation", index), "flags below 0x80", found);
        }
        for frame in &animation.frames {
            if frame.len() != animation.bones.len() {
                let field = Field::new("keys").in_list("animation", index);
                return fault(field, "one key for each bone in every frame", frame.len().to_string());
            }
        }
    }
    Ok(())
}

pub(super) fn wrong(format: &'static str, field: Field, expected: &str, found: &str) -> Error {
    let message = format!("expected {expected}, found {found}");
    Error::custom(ErrorKind::Refused, message).located(format, field, None)
}
