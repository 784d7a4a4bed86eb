//! The rows of `ls --by-folder`: the sums over the files in each folder. The groups of meshes that
//! occur several times.

// Rule: this file sorts and maps by copies only.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::ValueEnum;

use super::output::{RowOutput, TableFormat};
use super::table::{OutputColumn, json as cell_json, sort_key};
use super::totals::Totals;
use crate::program::args::value_name;
use crate::program::describe::rows::{Cell, ColumnType, TableColumn, TableRow};
use crate::program::outcome::UsageError;
use crate::program::output::{JsonWriter, counted, progress};

/// A column of the table of folders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum FolderColumn {
    Folder,
    Meshes,
    Animations,
    Triangles,
    Vertices,
    Bytes,
    Unreadable,
}

impl FolderColumn {
    /// Returns the column with a name of `--sort`.
    pub fn find(name: &str) -> Result<Self, UsageError> {
        Self::from_str(name, true).map_err(|_| {
            let names: Vec<String> = Self::value_variants().iter().map(value_name).collect();
            let names = names.join(", ");
            UsageError(format!("--sort: expected a column of folders, found {name}; the columns are {names}"))
        })
    }

    /// Returns all columns for the output.
    pub fn output() -> Vec<OutputColumn> {
        let kind = |column: &Self| match column {
            Self::Folder => ColumnType::Text,
            Self::Bytes => ColumnType::Bytes,
            _ => ColumnType::Number,
        };
        let column = |column| OutputColumn { name: value_name(column), kind: kind(column) };
        Self::value_variants().iter().map(column).collect()
    }

    /// Returns the value of the column.
    fn cell(self, folder: &Path, totals: &Totals) -> Cell {
        let [meshes, animations] = totals.kinds();
        match self {
            Self::Folder => Cell::Text(folder.to_string_lossy().into_owned()),
            Self::Meshes => Cell::Number(meshes),
            Self::Animations => Cell::Number(animations),
            Self::Triangles => Cell::Number(totals.triangles),
            Self::Vertices => Cell::Number(totals.vertices),
            Self::Bytes => Cell::Number(totals.bytes),
            Self::Unreadable => Cell::Number(totals.unreadable),
        }
    }
}

/// The cells of a folder, with the names of their columns.
type FolderCells = Vec<(String, Cell)>;

/// The sums over the files in each folder.
#[derive(Default)]
pub struct FolderTotals {
    folders: BTreeMap<PathBuf, Totals>,
}

impl FolderTotals {
    /// Adds a row to the sums of its folder.
    pub fn add(&mut self, row: &TableRow) {
        let parent = row.path.parent().filter(|parent| !parent.as_os_str().is_empty());
        let folder = parent.unwrap_or(Path::new(".")).to_owned();
        self.folders.entry(folder).or_insert_with(|| Totals::new(false, false)).add(row);
    }

    /// Prints the first `limit` folders in an order, and the totals.
    pub fn print(
        &self,
        mut output: RowOutput<'_>,
        order: &[(FolderColumn, bool)],
        limit: usize,
        totals: &Totals,
    ) -> io::Result<()> {
        let mut rows: Vec<_> = self.folders.iter().collect();
        for (column, is_reversed) in order.iter().rev() {
            rows.sort_by_cached_key(|(folder, totals)| sort_key(column.cell(folder, totals), *is_reversed));
        }
        let cells = |(folder, totals): (&PathBuf, &Totals)| {
            let columns = FolderColumn::value_variants().iter();
            columns.map(|column| (value_name(column), column.cell(folder, totals))).collect()
        };
        let mut rows = rows.into_iter().take(limit).map(cells);
        progress::end();
        match output.format {
            TableFormat::Json => return print_json(rows, totals, &mut output.out),
            TableFormat::Jsonl => rows.try_for_each(|row: FolderCells| output.add_object(&row, None))?,
            _ => rows.try_for_each(|row| output.add_cells(row.into_iter().map(|(_, cell)| cell)))?,
        }
        output.finish(&format!("{}: ", counted(self.folders.len(), "folder")), totals)
    }
}

fn print_json(rows: impl Iterator<Item = FolderCells>, totals: &Totals, out: &mut dyn Write) -> io::Result<()> {
    let mut json = JsonWriter::indented(out);
    json.start()?;
    json.key("folders")
        .objects(rows, |json, row| row.iter().try_for_each(|(name, cell)| json.field(name, cell_json(cell))))?;
    json.field("totals", totals.json())?;
    json.end()
}

/// The meaning of a duplicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DuplicateKind {
    /// All bytes of the files are equal
    Content,
    /// The triangles are equal, and the positions of the vertices may differ
    Topology,
}

/// Returns the rows that have a duplicate. The rows of a group follow each other, and the later
/// ones have the path of the first.
pub fn group_duplicates(rows: Vec<TableRow>, kind: DuplicateKind) -> Vec<TableRow> {
    let mut groups: Vec<Vec<TableRow>> = Vec::new();
    let mut indices: HashMap<String, usize> = HashMap::new();
    let mut files = HashSet::new();
    for row in rows {
        let Some(hash) = hash(&row, kind) else { continue };
        // A file that is named twice, or by a link, is no duplicate of itself.
        let file = row.path.canonicalize().unwrap_or_else(|_| row.path.clone());
        if !files.insert((file, row.mesh.clone())) {
            continue;
        }
        let index = *indices.entry(hash).or_insert(groups.len());
        match groups.get_mut(index) {
            Some(group) => group.push(row),
            None => groups.push(vec![row]),
        }
    }
    groups.into_iter().filter(|group| group.len() > 1).flat_map(with_first).collect()
}

/// Returns the hash by which a row is compared, or `None` for a mesh that has no triangles or could
/// not be read.
fn hash(row: &TableRow, kind: DuplicateKind) -> Option<String> {
    let has_triangles = row.number(TableColumn::Triangles).is_some_and(|triangles| triangles > 0);
    let hash = match kind {
        DuplicateKind::Content => row.cell(TableColumn::Content),
        DuplicateKind::Topology if has_triangles => row.cell(TableColumn::Topology),
        DuplicateKind::Topology => return None,
    };
    if let Cell::Text(hash) = hash { Some(hash) } else { None }
}

/// Sets the path of the first row of a group in the others.
fn with_first(mut group: Vec<TableRow>) -> Vec<TableRow> {
    let first: PathBuf = group.first().map(|row| row.path.clone()).unwrap_or_default();
    for row in group.iter_mut().skip(1) {
        row.duplicate_of = Some(first.clone());
    }
    group
}
