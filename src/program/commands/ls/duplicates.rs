//! Finds meshes that occur several times.

// Rule: this file sorts and maps by copies only.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use clap::ValueEnum;

use crate::program::describe::rows::{Cell, TableColumn, TableRow};

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
pub fn group(rows: Vec<TableRow>, kind: DuplicateKind) -> Vec<TableRow> {
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
