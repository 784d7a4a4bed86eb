//! Merges the vertices of a mesh and the vertices of its sections into one vertex array.
//!
//! A binary file stores only one vertex array per mesh, and all sections of the mesh use this
//! array.

use super::mesh::Mesh;
use super::parts::{MeshElement, Section};
use super::refusal::refused;
use super::vertices::{Column, Values, Vertices};
use crate::array::Bounds;
use crate::error::{Field, Result};
use crate::formats::ezmesh::semantic::Semantic;
use crate::formats::ezmesh::vertex_format::VertexFormat;

/// The merged vertex array of a mesh: the shared vertices of the mesh, and then the separate
/// vertices of each section.
pub(super) struct MergedVertices<'s> {
    /// The vertex flags for the binary file. The vertex flags define the columns of each vertex.
    pub(super) flags: u32,
    /// The total number of vertices in the merged vertex array.
    pub(super) count: u32,
    pub(super) buffers: Vec<&'s Vertices>,
    /// For each section, the index of its first vertex in the merged vertex array. For a section
    /// that uses the shared vertices of the mesh, the element of `firsts` is 0.
    pub(super) firsts: Vec<u32>,
}

impl<'s> MergedVertices<'s> {
    /// Merges the shared vertices of a mesh and the separate vertices of its sections. `place` is
    /// the field path of the mesh, for error messages.
    pub(super) fn new(mesh: &'s MeshElement, place: Field) -> Result<Self> {
        let mut merged = Self { flags: 0, count: 0, buffers: Vec::new(), firsts: Vec::new() };
        if let Some(vertices) = &mesh.vertices {
            merged.add(vertices, place)?;
        }
        for (number, section) in (0..).zip(&mesh.sections) {
            let first = match &section.vertices {
                Some(vertices) => merged.add(vertices, place.in_inner_list("section", number))?,
                None => 0,
            };
            merged.firsts.push(first);
        }
        Ok(merged)
    }

    /// Appends vertices to the merged vertex array, and returns the index of the first appended
    /// vertex.
    fn add(&mut self, vertices: &'s Vertices, place: Field) -> Result<u32> {
        let flags = flags(vertices, place)?;
        if !self.buffers.is_empty() && flags != self.flags {
            let expected = format!("the same columns as the previous vertices, with the flags {:#x}", self.flags);
            return Err(refused(place.named("semantic"), expected, format!("{flags:#x}")));
        }
        let first = self.count;
        let count = u32::try_from(vertices.len()).ok().and_then(|count| first.checked_add(count));
        let expected = || format!("at most {} vertices in a mesh", u32::MAX);
        self.count = count.ok_or_else(|| refused(place.named("vertices"), expected(), "more"))?;
        self.flags = flags;
        self.buffers.push(vertices);
        Ok(first)
    }
}

/// Returns the vertex flags that a binary file stores for the columns of `vertices`.
pub(super) fn flags(vertices: &Vertices, place: Field) -> Result<u32> {
    let format = vertices.format().unwrap_or(VertexFormat::EMPTY);
    let has = |semantic| format.column(semantic).is_some();
    for (known, column) in format.columns().iter().zip(&vertices.columns) {
        let pair = match known.semantic {
            Semantic::BlendIndices => Some(Semantic::BlendWeights),
            Semantic::BlendWeights => Some(Semantic::BlendIndices),
            _ => None,
        };
        let expected = match (known.semantic, pair) {
            (Semantic::Other, _) => "columns that the binary form has a flag for",
            (Semantic::Interp(_), _) if column.values.ctype() != "ffff" => "four floats in an interp column",
            (_, Some(pair)) if !has(pair) => "blendindices and blendweights together",
            _ => continue,
        };
        let found = crate::error::show_bytes(&[&column.word, &b" "[..], column.values.ctype().as_bytes()].concat());
        return Err(refused(place.named("semantic"), expected, found));
    }
    // The loop above returns an error for a column without a vertex flag in binary files, so every
    // column of `format` has a vertex flag.
    Ok(format.flags().unwrap_or_default())
}

/// Returns the vertex attributes (columns) of `vertices` in the order in which a binary file stores
/// columns.
pub(super) fn ordered(vertices: &Vertices, flags: u32) -> Vec<&Values> {
    let format = vertices.format().unwrap_or(VertexFormat::EMPTY);
    let find = |semantic: Semantic| -> Option<&Column> {
        let number = format.columns().iter().position(|column| column.semantic == semantic)?;
        vertices.columns.get(number)
    };
    let standard = VertexFormat::of_flags(flags).unwrap_or(VertexFormat::EMPTY);
    standard.columns().iter().filter_map(|column| find(column.semantic)).map(|column| &column.values).collect()
}

const NOTHING: Bounds = Bounds { min: [0.0; 3], max: [0.0; 3] };

/// Returns `bounds`, or a bounding box with all coordinates 0 if `bounds` is empty.
pub(super) fn or_nothing(bounds: Bounds) -> Bounds {
    if bounds.is_empty() { NOTHING } else { bounds }
}

fn around(positions: &[[f32; 3]]) -> Bounds {
    positions.iter().fold(Bounds::EMPTY, |bounds, at| bounds.union(&Bounds { min: *at, max: *at }))
}

/// Returns the bounding box of the positions that the triangles of a section use.
pub(super) fn section_bounds(section: &Section, shared: Option<&Vertices>) -> Bounds {
    let positions = section.vertices.as_ref().or(shared).and_then(Vertices::positions).unwrap_or_default();
    let used = section.triangles.as_flattened().iter().filter_map(|index| positions.get(usize::try_from(*index).ok()?));
    or_nothing(used.fold(Bounds::EMPTY, |bounds, at| bounds.union(&Bounds { min: *at, max: *at })))
}

/// Returns the bounding box of all positions of a mesh. The returned bounding box is empty if the
/// mesh has no positions.
fn all_positions(mesh: &MeshElement) -> Bounds {
    let own = mesh.sections.iter().filter_map(|section| section.vertices.as_ref());
    let positions = mesh.vertices.iter().chain(own).filter_map(Vertices::positions);
    positions.fold(Bounds::EMPTY, |bounds, positions| bounds.union(&around(positions)))
}

pub(super) fn mesh_bounds(mesh: &MeshElement) -> Bounds {
    or_nothing(all_positions(mesh))
}

pub(super) fn system_bounds(system: &Mesh) -> Bounds {
    or_nothing(system.meshes.iter().map(all_positions).fold(Bounds::EMPTY, |bounds, mesh| bounds.union(&mesh)))
}
