//! The parts of a description that `--fields` chooses.

use clap::ValueEnum;

/// A part of the description of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum InfoPart {
    /// Format, version and size of the file
    Format,
    /// Width, height and depth, and the bounding box
    Size,
    /// Number of triangles
    Triangles,
    /// Numbers of vertices, in the file and on a GPU
    Vertices,
    /// Surfaces with their materials
    Surfaces,
    /// Whether the mesh is rigged, and its bones
    Rig,
    /// Levels of detail
    Lods,
    /// Names of the materials
    Materials,
    /// Clips with their lengths and the bones that they move
    Clips,
    /// Findings about the structure of the file
    Findings,
    /// Properties that only the format of the file has
    Properties,
}

/// The chosen parts. An empty list means all parts.
#[derive(Clone, Debug, Default)]
pub struct Fields(pub Vec<InfoPart>);

impl Fields {
    /// Returns whether a part is chosen.
    pub fn has(&self, field: InfoPart) -> bool {
        self.0.is_empty() || self.0.contains(&field)
    }

    /// Returns whether the command line names a part.
    pub fn names(&self, field: InfoPart) -> bool {
        self.0.contains(&field)
    }

    /// Returns whether a field of the JSON output belongs to a chosen part.
    pub fn has_json(&self, name: &str) -> bool {
        let field = match name {
            "kind" | "format" | "version" | "bytes" | "touched_bytes" => InfoPart::Format,
            "bounds" | "bounds_stored" | "drawn_bounds" | "placed_bounds" => InfoPart::Size,
            "triangles" => InfoPart::Triangles,
            "gpu_vertices" | "gpu_bytes" => InfoPart::Vertices,
            // The vertices and the materials are those of the surfaces.
            "surfaces" => {
                return [InfoPart::Surfaces, InfoPart::Vertices, InfoPart::Materials].iter().any(|one| self.has(*one));
            }
            "bones" => InfoPart::Rig,
            "lods" => InfoPart::Lods,
            "clips" => InfoPart::Clips,
            "findings" => InfoPart::Findings,
            _ => InfoPart::Properties,
        };
        self.has(field)
    }
}
