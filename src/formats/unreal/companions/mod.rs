//! Finds the files that belong together: the two binary files of a mesh, and the script that
//! imports them.
//!
//! | given path | searched files |
//! |---|---|
//! | `X_d.3d`, `X_a.3d`, `data07.3d`, `aniv07.3d` | a script that imports the file, which gives the other file; else the other file by its stem, in the same folder |
//! | `X` | `X_d.3d` and `X_a.3d`, as above; else `X.uc` |
//! | `X.uc` | the files of every mesh that the script imports |
//!
//! Scripts are searched in the folder of the file, and in the `Classes` subfolders of that folder,
//! of its parent and of its grandparent. If none of these scripts imports the file, the script
//! `X.uc` in the same folder is used, provided that `X.uc` imports only one mesh, or only one mesh
//! whose name is at the end of `X`. File names are compared without regard to the case of letters,
//! but an exact match is preferred.
//!
//! The paths in a script are relative to the folder of the script. If the folder of the script is
//! called `Classes`, the paths are relative to the parent of the folder first, and then to the
//! folder itself. A file that does not exist at these paths is searched by its name in the folder
//! `Models` and in the folder of the script. No path in a script may lead out of these folders,
//! neither by the text of the path nor through a link.

mod cache;
mod file_names;
mod finder;
mod folder;
mod imports;
mod pair;
mod pair_file;
mod root;

pub(super) use file_names::is_file_name;
pub use finder::{Finder, ScriptImport, find};
pub use pair::Pair;
pub use pair_file::PairFile;
