//! What the format cannot hold, refused before the first byte.

use super::super::anim::NEVER;
use super::super::layout::{Generation, INFLUENCES, MOST, ROOT};
use super::{Mesh, Surface};
use crate::bytes::{as_index, as_u64};
use crate::decode::Influence;
use crate::error::{Error, ErrorKind, Result};
use crate::field::Field;

impl Mesh {
    /// Tests everything that the format cannot hold.
    pub(super) fn check(&self) -> Result<()> {
        let fault = |field, expected: &str, found: String| Err(wrong(self.generation, field, expected, found));
        for (name, count) in [("bones", self.bones.len()), ("surfaces", self.surfaces.len())] {
            if as_u64(count) > MOST.into() {
                return fault(Field::new(name), "at most 32767", count.to_string());
            }
        }
        if !self.generation.has_animations() && !self.animations.is_empty() {
            return fault(Field::new("animations"), "none in this generation", self.animations.len().to_string());
        }
        let lists = [
            ("bone", self.bones.iter().map(|bone| &bone.name).collect::<Vec<_>>()),
            ("animation", self.animations.iter().map(|animation| &animation.name).collect()),
            ("surface", self.surfaces.iter().map(|surface| &surface.name).collect()),
        ];
        for (list, names) in lists {
            for (index, name) in (0..).zip(names) {
                if name.contains('\0') {
                    return fault(Field::new("name").of(list, index), "a name without NUL", format!("{name:?}"));
                }
            }
        }
        let known = |bone: i16| usize::try_from(bone).is_ok_and(|bone| bone < self.bones.len());
        for (index, bone) in (0..).zip(&self.bones) {
            if bone.parent != ROOT && !known(bone.parent) {
                let expected = format!("-1, or a bone below {}", self.bones.len());
                return fault(Field::new("parent").of("bone", index), &expected, bone.parent.to_string());
            }
        }
        for (index, animation) in (0..).zip(&self.animations) {
            if let Some(bone) = animation.bones.iter().find(|bone| !known(**bone)) {
                let expected = format!("bones below {}", self.bones.len());
                return fault(Field::new("bone_ids").of("animation", index), &expected, bone.to_string());
            }
            if animation.flags & NEVER != 0 {
                let found = format!("{:02x}", animation.flags);
                return fault(Field::new("flags").of("animation", index), "flags below 80", found);
            }
            for frame in &animation.frames {
                if frame.len() != animation.bones.len() {
                    let field = Field::new("keys").of("animation", index);
                    return fault(field, "a key for each bone in each frame", frame.len().to_string());
                }
            }
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
            Err(wrong(generation, Field::new(name).of("surface", index), expected, found))
        };
        let (positions, frames) = self.base_counts();
        if self.targets.is_empty() {
            return fault("targets", "at least the base shape", String::from("none"));
        }
        if self.targets.iter().any(|target| target.name.contains('\0')) {
            return fault("targets", "names without NUL", String::from("one with"));
        }
        if self.lightmap.is_some() && !generation.has_lightmap() {
            return fault("lightmap", "none in this generation", String::from("some"));
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
            return fault("indices", "two streams of one length that make whole triangles", found);
        }
        for (name, stream, items) in
            [("indices", &self.indices, positions), ("attribute_indices", &self.attribute_indices, frames)]
        {
            if let Some(found) = stream.iter().find(|index| as_index(**index) >= items) {
                return fault(name, &format!("indices below {items}"), found.to_string());
            }
            if i32::try_from(items).is_err() || i32::try_from(stream.len()).is_err() {
                return fault(name, "fewer than 2^31 items", items.max(stream.len()).to_string());
            }
        }
        Ok(())
    }
}

fn wrong(generation: Generation, field: Field, expected: &str, found: String) -> Error {
    let kind = ErrorKind::Refused { expected: expected.to_owned().into(), found: found.into() };
    Error::without_offset(generation.format(), field, kind)
}
