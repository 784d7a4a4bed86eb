//! The row of a mesh or of a surface.

use std::path::{Path, PathBuf};

use super::column::{Cell, TableColumn};
use crate::math::as_u64;
use crate::program::describe::file_summary::FileSummary;
use crate::program::formats::{GpuSize, SurfaceLod, SurfaceSummary};
use crate::{Bounds, Severity};

/// The maximum number of names of materials and of clips in one cell.
const MAX_NAMES: usize = 64;

/// A row: a mesh, or one of its surfaces.
pub struct TableRow {
    pub path: PathBuf,
    /// The name that a script gives to the mesh.
    pub mesh: Option<String>,
    /// The values, or the error if the file could not be read.
    pub values: Result<RowValues, crate::Error>,
    /// The path of the first row with the same content or topology.
    pub duplicate_of: Option<PathBuf>,
    /// The lines of the picture of the mesh, or no lines.
    pub picture: Vec<String>,
}

/// The values of a row that come from the file. A column that is not in the list has no value.
#[derive(Clone, Debug)]
pub struct RowValues {
    pub cells: Vec<(TableColumn, Cell)>,
    /// Whether the mesh has damaged arrays, which are not counted.
    pub is_damaged: bool,
}

impl RowValues {
    /// Returns the values of a whole mesh.
    pub fn of_mesh(summary: &FileSummary) -> Self {
        let [vertices, attribute_vertices] = summary.stored_vertices();
        let lods = summary.described.blocks.iter().filter(|block| block.is_lod).count().max(summary.levels.len());
        let named = summary.clips.iter().filter(|clip| !clip.name.is_empty());
        let clip_names = named.take(MAX_NAMES).map(|clip| clip.name.clone()).collect();
        let seconds = summary.clips.iter().filter_map(|clip| clip.seconds).reduce(f32::max);
        let materials = summary.materials(MAX_NAMES).into_iter().map(str::to_owned).collect();
        let bounds = summary.placed.map_or(summary.drawn_bounds, |placed| placed.bounds);
        let mut values = Self::of_file(summary, summary.gpu(), &bounds);
        values.cells.extend([
            (TableColumn::Clips, count(summary.clips.len())),
            (TableColumn::ClipNames, Cell::List(clip_names)),
            (TableColumn::Frames, Cell::Number(summary.frames())),
            (TableColumn::Seconds, seconds.map_or(Cell::Null, Cell::Float)),
            (TableColumn::Lods, count(lods)),
            (TableColumn::Materials, Cell::List(materials)),
        ]);
        // The counts of a Second Life file are not known if it was not inflated.
        if summary.is_inflated() {
            values.cells.extend([
                (TableColumn::Triangles, Cell::Number(summary.triangles())),
                (TableColumn::Vertices, Cell::Number(vertices)),
                (TableColumn::AttributeVertices, Cell::Number(attribute_vertices)),
                (TableColumn::Surfaces, count(summary.surface_count())),
                (TableColumn::Bones, count(summary.bones.len())),
                (TableColumn::Rigged, Cell::Flag(summary.is_rigged())),
            ]);
        }
        values
    }

    /// Returns the values of one surface of a mesh.
    pub fn of_surface(summary: &FileSummary, surface: &SurfaceSummary) -> Self {
        let SurfaceSummary { counts, bounds, .. } = surface;
        let lod = match surface.lod {
            Some(SurfaceLod::Block(name)) => text(name),
            Some(SurfaceLod::Number(number)) => Cell::Number(number.into()),
            None => Cell::Null,
        };
        let asset = surface.in_block.and_then(|in_block| in_block.asset);
        let mut values = Self::of_file(summary, surface.gpu, bounds);
        values.cells.extend([
            (TableColumn::Triangles, Cell::Number(surface.triangles())),
            (TableColumn::Vertices, Cell::Number(counts.vertices.into())),
            (TableColumn::AttributeVertices, Cell::Number(counts.attribute_vertices.into())),
            (TableColumn::Asset, asset.map_or(Cell::Null, count)),
            (TableColumn::Surface, count(surface.index)),
            (TableColumn::Name, text(&surface.name)),
            (TableColumn::Material, surface.material.as_deref().map_or(Cell::Null, text)),
            (TableColumn::Lod, lod),
            (TableColumn::UvSets, Cell::Number(counts.uv_sets.into())),
            (TableColumn::Weights, Cell::Flag(counts.weights)),
            (TableColumn::Drawn, Cell::Flag(surface.drawn)),
        ]);
        values
    }

    fn of_file(summary: &FileSummary, gpu: Option<GpuSize>, bounds: &Bounds) -> Self {
        let size = (!bounds.is_empty()).then(|| bounds.size());
        let part = |part: fn([f32; 3]) -> f32| size.map_or(Cell::Null, |size| Cell::Float(part(size)));
        let cells = vec![
            (TableColumn::Kind, text(summary.kind())),
            (TableColumn::Format, text(summary.format)),
            (TableColumn::Version, text(summary.version)),
            (TableColumn::Bytes, Cell::Number(summary.bytes)),
            (TableColumn::GpuVertices, gpu.map_or(Cell::Null, |gpu| Cell::Number(gpu.vertices))),
            (TableColumn::GpuBytes, gpu.map_or(Cell::Null, |gpu| Cell::Number(gpu.bytes()))),
            (TableColumn::SizeX, part(|[x, _, _]| x)),
            (TableColumn::SizeY, part(|[_, y, _]| y)),
            (TableColumn::SizeZ, part(|[_, _, z]| z)),
        ];
        Self { cells, is_damaged: summary.findings.iter().any(|finding| finding.severity == Severity::Error) }
    }
}

impl TableRow {
    /// Returns the value of a column.
    pub fn cell(&self, column: TableColumn) -> Cell {
        let path = |path: &Path| Cell::Text(path.to_string_lossy().into_owned());
        match column {
            TableColumn::Path => path(&self.path),
            TableColumn::Mesh => self.mesh.clone().map_or(Cell::Null, Cell::Text),
            TableColumn::Readable => Cell::Flag(self.values.is_ok()),
            TableColumn::DuplicateOf => self.duplicate_of.as_deref().map_or(Cell::Null, path),
            _ => {
                let mut cells = self.values.iter().flat_map(|values| &values.cells);
                cells.find(|(own, _)| *own == column).map_or(Cell::Null, |(_, cell)| cell.clone())
            }
        }
    }

    /// Returns the number in a column, if it has one.
    pub fn number(&self, column: TableColumn) -> Option<u64> {
        if let Cell::Number(number) = self.cell(column) { Some(number) } else { None }
    }
}

fn text(text: &str) -> Cell {
    Cell::Text(text.to_owned())
}

fn count(count: usize) -> Cell {
    Cell::Number(as_u64(count))
}
