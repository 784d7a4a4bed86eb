//! Which files belong together: the two binary files of a mesh, and the script that names them.
//!
//! | given | looked for |
//! |---|---|
//! | `X_d.3d`, `X_a.3d`, `data07.3d`, `aniv07.3d` | a script that imports the file: its line says which the other is; else the other by its stem, beside it |
//! | `X` | `X_d.3d` and `X_a.3d`, as above; else `X.uc` |
//! | `X.uc` | the files of every mesh that it imports |
//!
//! Scripts are looked for beside the file, in a folder `Classes` there, and in one beside that folder or the one around
//! it. Where none of them imports the file, `X.uc` beside it is its script if it imports one mesh only, or one that is
//! called like the end of `X`. Names are found in any case of letters; an exact one is preferred.
//!
//! The paths in a script start at its folder, or at the folder around it if it is called `Classes`; a file that is not
//! there is looked for in `Models` and beside the script. No path leads out of that folder: neither by its text, nor
//! over a link.

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
