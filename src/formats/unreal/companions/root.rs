//! Paths that a script holds: taken apart, and never followed to where the script has no say.

use std::path::{Path, PathBuf};

use super::folder::{around, failed, is_classes, shown};
use crate::error::{ErrorKind, Result};
use crate::parse::Name;

/// Names that some systems give to devices, whatever the extension.
const DEVICES: [&[u8]; 6] = [b"con", b"prn", b"aux", b"nul", b"conin$", b"conout$"];

/// Takes a path apart: both slashes divide it. `None` for one that is absolute, names a drive or a device, or has a name
/// that systems change. `%2e` is no dot, but three characters.
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
            // Superscript digits count, too: in UTF-8, and in the Western code page.
            matches!(number, [b'0'..=b'9' | 0xb9 | 0xb2 | 0xb3] | [0xc2, 0xb9 | 0xb2 | 0xb3])
        })
    };
    DEVICES.contains(&&*stem) || numbered(b"com") || numbered(b"lpt")
}

/// Joins parts to those of a folder `inside` the root; `None` where they climb above the root.
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

/// Says that a path of a script leads outside.
pub(super) fn outside(path: &[u8]) -> ErrorKind {
    ErrorKind::Outside { path: format!("\"{}\"", Name::new(path)) }
}

/// The folder that the paths of a script stay below.
#[derive(Clone, Debug)]
pub(super) struct Root {
    /// The folder, as it was named.
    pub(super) path: PathBuf,
    /// The same, as the system knows it.
    canonical: PathBuf,
    /// The name of the script's own folder below it, in any case of letters; `None` where it is the root itself.
    inside: Option<&'static [u8]>,
}

impl Root {
    /// Returns the root of the scripts in a folder: the folder, or the one around `Classes`.
    pub(super) fn of(folder: &Path) -> Result<Self> {
        let classes = is_classes(folder);
        let path = if classes { around(folder) } else { folder.to_owned() };
        let canonical = std::fs::canonicalize(shown(&path)).map_err(|error| failed(&path, error))?;
        let inside = classes.then_some(&b"Classes"[..]);
        Ok(Self { path, canonical, inside })
    }

    /// Returns the names from the root to the script's own folder.
    pub(super) fn inside(&self) -> Vec<&[u8]> {
        self.inside.into_iter().collect()
    }

    /// Tells whether a path leads below the root once its links are followed.
    pub(super) fn holds(&self, path: &Path) -> bool {
        std::fs::canonicalize(path).is_ok_and(|path| path.starts_with(&self.canonical))
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
