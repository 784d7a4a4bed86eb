//! Checks the contents of an EZ-Mesh file (a mesh system) before the first byte is written.
//!
//! A check returns an error if the file format cannot store the data.

// Rule: this file sorts and maps by copies only.

use super::merge::MergedVertices;
use super::mesh::Mesh;
use super::parts::{Bone, MeshElement};
use super::refusal::{mesh_place, refused};
use super::vertices::{Values, Vertices};
use crate::error::{Field, Result, show_bytes};
use crate::formats::ezmesh::layout::FORMAT;
use crate::parse::Limits;

/// Maximum length of a word value (type code `p`) of a vertex in a text file, in bytes.
///
/// Words and the texts of numbers have at most 30 bytes, because older readers have no buffer space
/// for longer tokens.
const WORD: usize = 30;
/// Maximum length of the word that describes a vertex column in the attribute `semantic`, such as
/// `position`, in bytes.
const MEANING: usize = 64;

/// Checks that `count`, the number of items of an array, fits in 32 bits.
fn counted(field: Field, count: usize) -> Result<()> {
    match u32::try_from(count) {
        Ok(_) => Ok(()),
        Err(_) => Err(refused(field, format!("at most {} items", u32::MAX), count.to_string())),
    }
}

impl Mesh {
    /// Checks that the mesh system meets the conditions that apply to both text files and binary
    /// files.
    pub(super) fn check(&self) -> Result<()> {
        self.for_each_name(&mut |field, name| counted(field, name.len()))?;
        let lists = [
            ("textures", self.textures.len()),
            ("skeletons", self.skeletons.len()),
            ("animations", self.animations.len()),
            ("materials", self.materials.len()),
            ("user_data", self.user_data.len()),
            ("user_binary_data", self.user_binary_data.len()),
            ("meshes", self.meshes.len()),
            ("tetra_meshes", self.tetra_meshes.len()),
            ("instances", self.instances.len()),
            ("representations", self.representations.len()),
        ];
        lists.into_iter().try_for_each(|(name, count)| counted(Field::new(name), count))?;
        for (index, texture) in (0..).zip(&self.textures) {
            counted(Field::new("pixels").in_list("texture", index), texture.pixels.len())?;
        }
        for (index, data) in (0..).zip(&self.user_binary_data) {
            counted(Field::new("bytes").in_list("user_binary_data", index), data.bytes.len())?;
        }
        for (index, skeleton) in (0..).zip(&self.skeletons) {
            let place = Field::new("").in_list("skeleton", index);
            counted(place.named("bones"), skeleton.bones.len())?;
            for (number, bone) in (0..).zip(&skeleton.bones) {
                if let Some(parent) = bone.parent.filter(|parent| bone_at(&skeleton.bones, *parent).is_none()) {
                    let field = place.in_inner_list("bone", number).named("parent");
                    return Err(refused(
                        field,
                        format!("a bone index below {}", skeleton.bones.len()),
                        parent.to_string(),
                    ));
                }
            }
        }
        for (index, animation) in (0..).zip(&self.animations) {
            let place = Field::new("").in_list("animation", index);
            counted(place.named("tracks"), animation.tracks.len())?;
            counted(place.named("frames"), animation.longest())?;
        }
        for (index, tetra) in (0..).zip(&self.tetra_meshes) {
            counted(Field::new("corners").in_list("tetra_mesh", index), tetra.corners.len())?;
        }
        for (index, representation) in (0..).zip(&self.representations) {
            let place = Field::new("").in_list("collision_representation", index);
            counted(place.named("collisions"), representation.collisions.len())?;
            for (number, collision) in (0..).zip(&representation.collisions) {
                let Some(hull) = &collision.hull else { continue };
                let place = place.in_inner_list("collision", number);
                let points = hull.points.as_ref().map_or(Ok(0), |points| points.check(place))?;
                check_triangles(place, &hull.triangles, points)?;
            }
        }
        (0..).zip(&self.meshes).try_for_each(|(index, mesh)| mesh.check(mesh_place(index)))
    }

    /// Checks that the mesh system meets the conditions that apply only to text files.
    pub(super) fn check_text(&self) -> Result<()> {
        let lists = [
            ("textures", self.textures.len()),
            ("user_data", self.user_data.len()),
            ("user_binary_data", self.user_binary_data.len()),
        ];
        for (name, count) in lists {
            if count > 0 {
                return Err(refused(Field::new(name), "none in text", count.to_string()));
            }
        }
        self.for_each_name(&mut check_attribute)?;
        for (index, skeleton) in (0..).zip(&self.skeletons) {
            check_parents(Field::new("").in_list("skeleton", index), &skeleton.bones)?;
        }
        for (index, mesh) in (0..).zip(&self.meshes) {
            let place = mesh_place(index);
            mesh.vertices.as_ref().map_or(Ok(()), |vertices| vertices.check_text(place))?;
            for (number, section) in (0..).zip(&mesh.sections) {
                let place = place.in_inner_list("section", number);
                section.vertices.as_ref().map_or(Ok(()), |vertices| vertices.check_text(place))?;
                if mesh.columns_of(section).is_none() {
                    let expected = "vertices with columns in the section or in its mesh";
                    return Err(refused(place.named("vertices"), expected, "none"));
                }
            }
        }
        for (index, representation) in (0..).zip(&self.representations) {
            let place = Field::new("").in_list("collision_representation", index);
            for (number, collision) in (0..).zip(&representation.collisions) {
                let points = collision.hull.as_ref().and_then(|hull| hull.points.as_ref());
                points.map_or(Ok(()), |points| points.check_text(place.in_inner_list("collision", number)))?;
            }
        }
        Ok(())
    }

    /// Checks that a text file can store every name without changing it.
    pub(super) fn check_names(&self) -> Result<()> {
        self.for_each_name(&mut check_unchanged)
    }

    /// Checks that the mesh system meets the conditions that apply only to binary files.
    pub(super) fn check_binary(&self) -> Result<()> {
        for (name, count) in
            [("tetra_meshes", self.tetra_meshes.len()), ("representations", self.representations.len())]
        {
            if count > 0 {
                return Err(refused(Field::new(name), "none in the binary form", count.to_string()));
            }
        }
        (0..).zip(&self.meshes).try_for_each(|(index, mesh)| MergedVertices::new(mesh, mesh_place(index)).map(|_| ()))
    }

    /// Calls `see` once for each name in the mesh system.
    ///
    /// The arguments of `see` are the field path of the name, for error messages, and the bytes of
    /// the name.
    fn for_each_name(&self, see: &mut dyn FnMut(Field, &[u8]) -> Result<()>) -> Result<()> {
        see(Field::new("asset_name"), &self.asset_name)?;
        see(Field::new("asset_info"), &self.asset_info)?;
        for (index, texture) in (0..).zip(&self.textures) {
            see(Field::new("name").in_list("texture", index), &texture.name)?;
        }
        for (index, skeleton) in (0..).zip(&self.skeletons) {
            let place = Field::new("name").in_list("skeleton", index);
            see(place, &skeleton.name)?;
            (0..).zip(&skeleton.bones).try_for_each(|(bone, one)| see(place.in_inner_list("bone", bone), &one.name))?;
        }
        for (index, animation) in (0..).zip(&self.animations) {
            let place = Field::new("name").in_list("animation", index);
            see(place, &animation.name)?;
            (0..)
                .zip(&animation.tracks)
                .try_for_each(|(track, one)| see(place.in_inner_list("track", track), &one.name))?;
        }
        for (index, material) in (0..).zip(&self.materials) {
            let place = Field::new("name").in_list("material", index);
            see(place, &material.name)?;
            see(place.named("meta_data"), &material.meta_data)?;
        }
        for (index, data) in (0..).zip(&self.user_data) {
            let place = Field::new("key").in_list("user_data", index);
            see(place, &data.key)?;
            see(place.named("value"), &data.value)?;
        }
        for (index, data) in (0..).zip(&self.user_binary_data) {
            see(Field::new("name").in_list("user_binary_data", index), &data.name)?;
        }
        for (index, mesh) in (0..).zip(&self.meshes) {
            let place = mesh_place(index);
            see(place.named("name"), &mesh.name)?;
            see(place.named("skeleton"), &mesh.skeleton)?;
            for (number, section) in (0..).zip(&mesh.sections) {
                let place = place.in_inner_list("section", number);
                see(place.named("material"), &section.material)?;
                section.info.as_ref().map_or(Ok(()), |info| see(place.named("info"), info))?;
            }
        }
        for (index, instance) in (0..).zip(&self.instances) {
            see(Field::new("mesh").in_list("instance", index), &instance.mesh)?;
        }
        for (index, representation) in (0..).zip(&self.representations) {
            let place = Field::new("name").in_list("collision_representation", index);
            see(place, &representation.name)?;
            see(place.named("info"), &representation.info)?;
            for (number, collision) in (0..).zip(&representation.collisions) {
                let place = place.in_inner_list("collision", number);
                see(place, &collision.name)?;
                see(place.named("type"), &collision.kind)?;
            }
        }
        Ok(())
    }
}

fn bone_at(bones: &[Bone], number: u32) -> Option<&Bone> {
    bones.get(usize::try_from(number).ok()?)
}

/// Checks that a text file can store a name without changing it. A text file stores `"` and `<` as
/// entities, which readers do not decode.
fn check_unchanged(field: Field, name: &[u8]) -> Result<()> {
    if !name.iter().any(|byte| matches!(byte, b'"' | b'<')) {
        return Ok(());
    }
    let shown = show_bytes(name.get(..64).unwrap_or(name));
    Err(refused(field, "a name without `\"` and `<` (use `&quot;` and `&lt;`, which readers do not decode)", shown))
}

/// Checks that a name can be written as an attribute value between double quotes.
pub(super) fn check_attribute(field: Field, name: &[u8]) -> Result<()> {
    let wrong = name.iter().any(|byte| matches!(byte, 0..=8 | 11 | 12 | 14..=31));
    let most = Limits::default().attribute;
    // The length of the written name, in bytes: `"` is written as `&quot;` (6 bytes), and `<` is
    // written as `&lt;` (4 bytes).
    let spelled = |byte: &u8| match byte {
        b'"' => 6,
        b'<' => 4,
        _ => 1_u64,
    };
    let length = name.iter().map(spelled).fold(0, u64::saturating_add);
    let longer = length > most;
    if !wrong && !longer {
        return Ok(());
    }
    if wrong {
        let shown = show_bytes(name.get(..64).unwrap_or(name));
        return Err(refused(field, "text without control characters", shown));
    }
    Err(refused(field, format!("at most {most} bytes"), length.to_string()))
}

/// Checks that each parent bone has a name, and that no earlier bone of the skeleton has the same
/// name.
///
/// A text file refers to a parent bone by its name. If several bones of the skeleton have the name
/// of the parent, readers choose the first of these bones.
fn check_parents(place: Field, bones: &[Bone]) -> Result<()> {
    let mut first = std::collections::HashMap::new();
    for (number, bone) in (0_u32..).zip(bones) {
        first.entry(bone.name.as_slice()).or_insert(number);
    }
    for (number, bone) in (0..).zip(bones) {
        let Some(parent) = bone.parent else { continue };
        let name = bone_at(bones, parent).map(|bone| bone.name.as_slice()).unwrap_or_default();
        if name.is_empty() || first.get(name) != Some(&parent) {
            let field = place.in_inner_list("bone", number).named("parent");
            let expected = "a parent with a name, which is the first bone of this name";
            return Err(refused(field, expected, show_bytes(name.get(..64).unwrap_or(name))));
        }
    }
    Ok(())
}

fn check_triangles(place: Field, triangles: &[[u32; 3]], vertices: usize) -> Result<()> {
    counted(place.named("triangles"), triangles.len())?;
    let beyond = |index: &&u32| usize::try_from(**index).map_or(true, |index| index >= vertices);
    match triangles.as_flattened().iter().find(beyond) {
        None => Ok(()),
        Some(index) => Err(refused(place.named("triangles"), format!("indices below {vertices}"), index.to_string())),
    }
}

impl MeshElement {
    fn check(&self, place: Field) -> Result<()> {
        counted(place.named("sections"), self.sections.len())?;
        let shared = self.vertices.as_ref().map_or(Ok(0), |vertices| vertices.check(place))?;
        for (number, section) in (0..).zip(&self.sections) {
            let place = place.in_inner_list("section", number);
            let vertices = section.vertices.as_ref().map_or(Ok(shared), |vertices| vertices.check(place))?;
            check_triangles(place, &section.triangles, vertices)?;
        }
        Ok(())
    }
}

impl Vertices {
    /// Checks that every column has one row per vertex, and returns the number of vertices.
    fn check(&self, place: Field) -> Result<usize> {
        let rows = self.len();
        counted(place.named("vertices"), rows)?;
        if self.bare > 0 && !self.columns.is_empty() {
            return Err(refused(place.named("bare"), "0 if there are columns", self.bare.to_string()));
        }
        for column in &self.columns {
            let word = &column.word;
            let field = place.named("semantic");
            let odd = |byte: &u8| *byte <= b' ' || matches!(byte, b',' | b'"' | b'<' | 0x7f);
            if word.is_empty() || word.len() > MEANING || word.iter().any(odd) {
                let expected = format!("one word of at most {MEANING} bytes");
                return Err(refused(field, expected, show_bytes(word.get(..MEANING).unwrap_or(word))));
            }
            let parts = column.values.parts();
            let field = place.named("vertices");
            if parts.is_empty() {
                return Err(refused(place.named("ctype"), "numbers in every column", "none"));
            }
            for part in parts {
                let Some((scalar, width, count)) = part.shape() else {
                    return Err(refused(place.named("ctype"), "parts of one type each", "mixed types"));
                };
                if width == 0 {
                    return Err(refused(place.named("ctype"), format!("one `{}` or more", scalar.code()), "none"));
                }
                let needed = rows.checked_mul(width.into());
                if needed != Some(count) {
                    let expected = format!("{rows} times {width} numbers in each column");
                    return Err(refused(field, expected, count.to_string()));
                }
            }
        }
        match self.format() {
            Ok(_) => Ok(rows),
            Err(misfit) => Err(match misfit.kind {
                crate::error::Cause::Value { expected, found } => {
                    refused(place.named(misfit.attribute), expected, found)
                }
                kind => crate::error::Error::without_offset(FORMAT, place.named(misfit.attribute), kind),
            }),
        }
    }

    /// Checks that the vertices meet the conditions that apply only to text files.
    fn check_text(&self, place: Field) -> Result<()> {
        if self.bare > 0 {
            return Err(refused(place.named("vertices"), "vertices with columns in text", self.bare.to_string()));
        }
        for part in self.columns.iter().flat_map(|column| column.values.parts()) {
            let separates = |byte: &u8| matches!(byte, 0..=b' ' | b',' | b'<' | 0x7f);
            match part {
                Values::Characters(_, all) => {
                    if let Some(byte) = all.iter().find(|byte| separates(byte)) {
                        let expected = "characters other than blanks, commas, `<` and control characters";
                        return Err(refused(place.named("vertices"), expected, show_bytes(&[*byte])));
                    }
                }
                Values::Words(_, all) => {
                    let odd = |word: &&Vec<u8>| word.is_empty() || word.len() > WORD || word.iter().any(separates);
                    if let Some(word) = all.iter().find(odd) {
                        let expected =
                            format!("words of 1 to {WORD} bytes without blanks, commas, `<` and control characters");
                        return Err(refused(
                            place.named("vertices"),
                            expected,
                            show_bytes(word.get(..WORD).unwrap_or(word)),
                        ));
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }
}
