//! Splits a path in a script into folder and file names, and joins the names to a path inside the
//! root folder of the script. A path is never followed out of this folder.

use std::path::{Path, PathBuf};

use super::folder::{around, failed, is_classes, shown};
use crate::error::{Cause, Result};
use crate::parse::Name;

/// The device names that some operating systems reserve: a file must not have such a name, with or
/// without an extension.
const DEVICES: [&[u8]; 6] = [b"con", b"prn", b"aux", b"nul", b"conin$", b"conout$"];

/// Splits a path in a script into folder and file names, at slashes and backslashes.
///
/// Returns `None` if the path is absolute or names a drive or a device. Also returns `None` if the
/// path contains a file or folder name that some operating systems change when they open the file,
/// such as a name that ends in a dot. The text `%2e` is not decoded to a dot: it is read as three
/// characters.
pub(super) fn parts(path: &[u8]) -> Option<Vec<&[u8]>> {
    let parts: Vec<_> = path.split(|byte| matches!(byte, b'\\' | b'/')).collect();
    let first = parts.first().is_some_and(|first| !first.is_empty());
    (first && parts.iter().all(|part| is_harmless(part))).then_some(parts)
}

fn is_harmless(part: &[u8]) -> bool {
    if matches!(part, b"" | b"." | b"..") {
        return true;
    }
    let odd = part.iter().any(|byte| byte.is_ascii_control() || *byte == b':');
    !odd && !part.ends_with(b".") && !part.ends_with(b" ") && !is_device(part)
}

fn is_device(part: &[u8]) -> bool {
    let stem = part.split(|byte| *byte == b'.').next().unwrap_or_default().trim_ascii().to_ascii_lowercase();
    let numbered = |name: &[u8]| {
        stem.strip_prefix(name).is_some_and(|number| {
            // After `COM` or `LPT`, the superscript digits 1, 2 and 3 also count as digits of a
            // device name, encoded in UTF-8 or in the Western code page.
            matches!(number, [b'0'..=b'9' | 0xb9 | 0xb2 | 0xb3] | [0xc2, 0xb9 | 0xb2 | 0xb3])
        })
    };
    DEVICES.contains(&&*stem) || numbered(b"com") || numbered(b"lpt")
}

/// Appends the names in `parts` to the folder names in `inside`, and resolves `.` and `..`. Returns
/// `None` if the path leads above the root folder.
pub(super) fn join<'p>(inside: &[&'p [u8]], parts: &[&'p [u8]]) -> Option<Vec<&'p [u8]>> {
    let mut joined = inside.to_vec();
    for part in parts {
        match *part {
            b"" | b"." => {}
            b".." => {
                joined.pop()?;
            }
            part => joined.push(part),
        }
    }
    Some(joined)
}

/// Makes the error for a path in a script that leads out of the root folder of the script.
pub(super) fn outside(path: &[u8]) -> Cause {
    Cause::Outside { path: format!("\"{}\"", Name::new(path)) }
}

/// The root folder of a script: the folder that the paths in the script must not leave.
#[derive(Clone, Debug)]
pub(super) struct Root {
    /// The path of the root folder, without resolving links, and relative if the path of the script
    /// is relative.
    pub(super) path: PathBuf,
    /// The canonical path of the root folder, with all links resolved.
    canonical: PathBuf,
    /// The name of the subfolder of the root folder that contains the script, in any case of
    /// letters: `Classes`. `None` if the script is in the root folder itself.
    inside: Option<&'static [u8]>,
}

impl Root {
    /// Returns the root folder for the scripts in `folder`: `folder` itself, or its parent if
    /// `folder` is called `Classes`.
    pub(super) fn of(folder: &Path) -> Result<Self> {
        let classes = is_classes(folder);
        let path = if classes { around(folder) } else { folder.to_owned() };
        let canonical = std::fs::canonicalize(shown(&path)).map_err(|error| failed(&path, error))?;
        let inside = classes.then_some(&b"Classes"[..]);
        Ok(Self { path, canonical, inside })
    }

    /// Returns the names of the folders from the root folder down to the folder of the script,
    /// without the root folder.
    pub(super) fn inside(&self) -> Vec<&[u8]> {
        self.inside.into_iter().collect()
    }

    /// Returns whether a path is inside the root folder. No name in the path may be a link.
    pub(super) fn holds(&self, canonical: &Path) -> bool {
        canonical.starts_with(&self.canonical)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_what_could_lead_elsewhere() {
        for path in [
            "",
            "/a",
            "\\a",
            "\\\\host\\share\\a",
            "//host/a",
            "\\\\?\\C:\\a",
            "C:\\a",
            "C:a",
            "c:/a",
            "a:b",
            "a\\C:\\b",
            "CON",
            "models\\NUL",
            "AUX.3d",
            "prn .3d",
            "com1",
            "LPT9.a.b",
            "COM\u{b9}",
            "a.",
            "a ",
            "a. \\b",
            "...",
            "a\0b",
            "a\nb",
        ] {
            assert!(parts(path.as_bytes()).is_none(), "{path:?}");
        }
        for path in ["a", "a/b\\c", "..\\a", "./a", "a\\\\b", "%2e%2e\\a", "console", "com10", "coma", "a.con", ".a"] {
            assert!(parts(path.as_bytes()).is_some(), "{path:?}");
        }
    }

    #[test]
    fn climbs_no_further_than_the_root() {
        let joined = |inside: &[&'static [u8]], path: &'static str| {
            Some(join(inside, &parts(path.as_bytes())?)?.join(&b'/')).map(|path| String::from_utf8(path).unwrap())
        };
        assert_eq!(joined(&[], "Models\\..\\a/./b"), Some("a/b".into()));
        assert_eq!(joined(&[b"Classes"], "..\\Models\\a"), Some("Models/a".into()));
        assert_eq!(joined(&[b"Classes"], "..\\..\\a"), None);
        assert_eq!(joined(&[], "Models\\..\\..\\Models\\a"), None);
    }
}
