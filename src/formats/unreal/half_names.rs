//! File names of Unreal vertex meshes. The files of an Unreal mesh are recognised by their names,
//! because these files have no magic number.

use std::path::Path;

/// Returns whether a path has the name of a data file, such as `box_d.3d`. A data file contains the
/// polygons of a mesh.
pub fn is_data(path: &Path) -> bool {
    let name = lower(path);
    name.ends_with("_d.3d") || legacy_half(&name, "data", "aniv").is_some()
}

/// Returns whether a path has the name of an aniv file, such as `box_a.3d`. An aniv file contains
/// the vertex frames of a mesh.
pub fn is_aniv(path: &Path) -> bool {
    let name = lower(path);
    name.ends_with("_a.3d") || legacy_half(&name, "aniv", "data").is_some()
}

/// Returns the path, in lower case, of the data file that belongs to an aniv file.
pub fn data_of(aniv: &Path) -> Option<String> {
    let name = lower(aniv);
    let data = name.strip_suffix("_a.3d").map(|stem| format!("{stem}_d.3d"));
    data.or_else(|| legacy_half(&name, "aniv", "data"))
}

/// For the path of one file of a mesh, such as `data07.3d`, returns the path of the other file,
/// such as `aniv07.3d`. The number in the file name, such as 07, may be any decimal number. The
/// path must be in lower case.
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
