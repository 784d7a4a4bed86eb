//! File names of Unreal vertex meshes. The names identify the files, because these have no magic
//! number.

use std::path::Path;

/// Returns whether a file has the name of a data file, which contains the polygons of a mesh.
pub fn is_data(path: &Path) -> bool {
    let name = lower(path);
    name.ends_with("_d.3d") || legacy_half(&name, "data", "aniv").is_some()
}

/// Returns whether a file has the name of an aniv file, which contains the vertex frames of a mesh.
pub fn is_aniv(path: &Path) -> bool {
    let name = lower(path);
    name.ends_with("_a.3d") || legacy_half(&name, "aniv", "data").is_some()
}

/// Returns the path of the data file that belongs to an aniv file, in lower case.
pub fn data_of(aniv: &Path) -> Option<String> {
    let name = lower(aniv);
    let data = name.strip_suffix("_a.3d").map(|stem| format!("{stem}_d.3d"));
    data.or_else(|| legacy_half(&name, "aniv", "data"))
}

/// Returns the path of the other file of a mesh, for a path in lower case that ends in `data07.3d`
/// or `aniv07.3d`, with any number in place of 07.
fn legacy_half(path: &str, from: &str, to: &str) -> Option<String> {
    let name = path.rsplit(['/', '\\']).next()?;
    let number = name.strip_prefix(from)?.strip_suffix(".3d")?;
    let numbered = !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit());
    let start = path.len().saturating_sub(name.len());
    numbered.then(|| format!("{}{to}{number}.3d", path.get(..start).unwrap_or_default()))
}

/// Converts a path to lower case.
pub fn lower(path: &Path) -> String {
    path.to_string_lossy().to_ascii_lowercase()
}
