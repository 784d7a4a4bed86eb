//! Removes the data of a mesh system that a text file or a binary file cannot store.

use super::mesh::{Mesh, PLANE};
use super::refusal::mesh_place;
use super::vertices::{Column, Values, Vertices};
use crate::error::Field;
use crate::formats::ezmesh::semantic::Semantic;

impl Mesh {
    /// Removes the data that a text file cannot store, and returns the paths of the removed fields.
    ///
    /// `reduce_to_ezm` removes textures, user data, a plane that differs from the default plane,
    /// the field `flags` of sections, the field `seconds` of tracks, and vertices without columns.
    /// If a section then has no vertices, not even those of its mesh, an empty column of positions
    /// is added to the mesh, because a text file needs one.
    ///
    /// ```
    /// use meshpeek::ezmesh::builder::{Mesh, UserData};
    /// let mut system = Mesh { user_data: vec![UserData::default()], ..Default::default() };
    /// assert!(system.to_ezm().is_err());
    /// assert_eq!(system.reduce_to_ezm()[0].to_string(), "user_data");
    /// assert!(system.to_ezm().is_ok());
    /// ```
    pub fn reduce_to_ezm(&mut self) -> Vec<Field> {
        let mut taken = Vec::new();
        clear(&mut self.textures, "textures", &mut taken);
        clear(&mut self.user_data, "user_data", &mut taken);
        clear(&mut self.user_binary_data, "user_binary_data", &mut taken);
        for (index, animation) in (0..).zip(&mut self.animations) {
            for (number, track) in (0..).zip(&mut animation.tracks) {
                if track.seconds.take().is_some() {
                    taken.push(Field::new("seconds").in_list("animation", index).in_inner_list("track", number));
                }
            }
        }
        for (index, mesh) in (0..).zip(&mut self.meshes) {
            let place = mesh_place(index);
            let mut drop = |vertices: &mut Option<Vertices>, place: Field| {
                if vertices.take_if(|vertices| vertices.columns.is_empty()).is_some_and(|vertices| vertices.bare > 0) {
                    taken.push(place.named("vertices"));
                }
            };
            drop(&mut mesh.vertices, place);
            for (number, section) in (0..).zip(&mut mesh.sections) {
                drop(&mut section.vertices, place.in_inner_list("section", number));
            }
            if mesh.sections.iter().any(|section| mesh.columns_of(section).is_none()) {
                mesh.vertices = Some(vec![Column::positions([])].into());
            }
            for (number, section) in (0..).zip(&mut mesh.sections) {
                if section.flags.take().is_some() {
                    taken.push(place.in_inner_list("section", number).named("flags"));
                }
            }
        }
        if self.plane.map(f32::to_bits) != PLANE.map(f32::to_bits) {
            self.plane = PLANE;
            taken.push(Field::new("plane"));
        }
        taken
    }

    /// Removes the data that a binary file cannot store, and returns the paths of the changed
    /// fields.
    ///
    /// `reduce_to_ezb` removes tetrahedral meshes, collision shapes, the field `info` of sections,
    /// and columns for which binary files have no vertex flag. An `interp` column with fewer than
    /// four floats per vertex is extended with zeros, and the path of the extended column is also
    /// returned.
    ///
    /// If the vertices of a section have other columns than the preceding vertices of the same
    /// mesh, `reduce_to_ezb` does not convert these columns, and [`Mesh::write_ezb`] returns an
    /// error for the section.
    pub fn reduce_to_ezb(&mut self) -> Vec<Field> {
        let mut taken = Vec::new();
        clear(&mut self.tetra_meshes, "tetra_meshes", &mut taken);
        clear(&mut self.representations, "representations", &mut taken);
        for (index, mesh) in (0..).zip(&mut self.meshes) {
            let place = mesh_place(index);
            mesh.vertices.iter_mut().for_each(|vertices| vertices.reduce(place, &mut taken));
            for (number, section) in (0..).zip(&mut mesh.sections) {
                let place = place.in_inner_list("section", number);
                section.vertices.iter_mut().for_each(|vertices| vertices.reduce(place, &mut taken));
                if section.info.take().is_some() {
                    taken.push(place.named("info"));
                }
            }
        }
        taken
    }
}

fn clear<T>(list: &mut Vec<T>, name: &'static str, taken: &mut Vec<Field>) {
    if !list.is_empty() {
        list.clear();
        taken.push(Field::new(name));
    }
}

impl Vertices {
    fn reduce(&mut self, place: Field, taken: &mut Vec<Field>) {
        let Ok(format) = self.format() else { return };
        let has = |semantic| format.column(semantic).is_some();
        let is_skinned = has(Semantic::BlendIndices) && has(Semantic::BlendWeights);
        let rows = self.len();
        let count = self.columns.len();
        let mut known = format.columns().iter().map(|column| column.semantic);
        self.columns.retain_mut(|column| match known.next().unwrap_or(Semantic::Other) {
            Semantic::Other => false,
            Semantic::BlendIndices | Semantic::BlendWeights => is_skinned,
            Semantic::Interp(_) => {
                if column.widen() {
                    taken.push(place.named("interp"));
                }
                true
            }
            _ => true,
        });
        if self.columns.len() < count {
            taken.push(place.named("semantic"));
        }
        if self.columns.is_empty() {
            self.bare = u32::try_from(rows).unwrap_or(u32::MAX);
        }
    }
}

impl Column {
    /// Extends an `interp` column to four floats per vertex. Returns whether the column had fewer
    /// than four floats per vertex.
    fn widen(&mut self) -> bool {
        let Values::F32(width @ 1..4, floats) = &self.values else { return false };
        let mut wide = Vec::with_capacity(self.values.len().saturating_mul(4));
        for item in floats.chunks_exact(usize::from(*width)) {
            wide.extend(item.iter().copied().chain([0.0; 3]).take(4));
        }
        self.values = Values::F32(4, wide);
        true
    }
}
