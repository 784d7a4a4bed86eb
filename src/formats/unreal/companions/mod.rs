//! Finds the files of one mesh: the data file, the aniv file, and the script that imports these two
//! files.
//!
//! | given path | searched files |
//! |---|---|
//! | `X_d.3d`, `X_a.3d`, `data07.3d`, `aniv07.3d` | a script that imports the file, which gives the other file; else the other file by its stem, in the same folder |
//! | `X-data.3d`, `X_anim.3d`, `Xd.3d`, .. | a script that imports the file, as above; else the other file by its stem, if the headers of both files agree |
//! | `X` | `X_d.3d` and `X_a.3d`, or another spelling, as above; else `X.uc` |
//! | `X.uc` | the files of every mesh that the script imports |
//!
//! For a data file or an aniv file, scripts are searched in the folder of the file, and in the
//! `Classes` subfolders of that folder, of its parent and of its grandparent. If no script in these
//! four folders imports the data file or aniv file, the script `X.uc` in the folder of the file
//! `X_d.3d` or `X_a.3d` is used, provided that `X.uc` imports only one mesh, or only one mesh whose
//! name is at the end of `X`. If the scripts in the four folders together are larger than four
//! times the limit [`script`](crate::parse::Limits::with_script), the largest are not searched. Of several
//! scripts of the same size, all or none are searched, so the order of a folder does not matter.
//! File names are compared without regard to the case of letters, but a file whose name has the
//! same case as the searched name is preferred.
//!
//! The paths in a script are relative to the folder of the script. If it is called `Classes`, they
//! are relative to its parent first, and then to the folder itself. A file that does not exist at
//! its path in the script is searched by its name in the subfolder `Models` of the root folder (the
//! folder of the script, or its parent if the folder is called `Classes`), and in the folder of the
//! script. A path must not lead out of the root folder, neither by its text nor through a link.

mod cache;
mod file_names;
mod finder;
mod folder;
mod imports;
#[cfg(feature = "cli")]
mod opener;
mod pair;
mod root;

#[cfg(feature = "internals")]
pub use file_names::PairFile;
#[cfg(any(feature = "cli", feature = "internals"))]
pub(super) use file_names::is_file_name;
#[cfg(feature = "cli")]
pub(crate) use file_names::{data_of, is_aniv, is_data, lower};
#[cfg(any(feature = "cli", feature = "internals"))]
pub use finder::Finder;
#[cfg(feature = "internals")]
pub use finder::ScriptImport;
pub use finder::find;
#[cfg(feature = "cli")]
pub(crate) use opener::{MissingMesh, PairOpener};
#[cfg(any(feature = "cli", feature = "internals"))]
pub use pair::Pair;
