//! Reads the list of files of `--files-from`.

// Rule: this file makes text of copies only.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::Error;
use crate::io::open_stream;
use crate::math::as_u64;
use crate::program::args::{ListArgs, STDIN};
use crate::program::outcome::usage;
use crate::program::output::shown;

/// The greatest size of a list in bytes.
const MAX_LIST: u64 = 64 << 20;

/// Adds the paths of the list of `--files-from` to the files on the command line.
pub fn add_listed(files: &mut Vec<PathBuf>, args: &ListArgs) -> anyhow::Result<()> {
    let Some(path) = &args.files_from else { return Ok(()) };
    if path == Path::new(STDIN) && files.iter().any(|file| file == Path::new(STDIN)) {
        usage!("--files-from: standard input (-) is the list and a file; give one of them");
    }
    let text = if path == Path::new(STDIN) { read(io::stdin().lock(), path)? } else { read(open_stream(path)?, path)? };
    files.extend(paths(&text));
    Ok(())
}

fn read(stream: impl Read, path: &Path) -> anyhow::Result<Vec<u8>> {
    let mut text = Vec::new();
    let size = stream.take(MAX_LIST.saturating_add(1)).read_to_end(&mut text);
    let size = size.map_err(|error| Error::from(error).at_path(path))?;
    if as_u64(size) > MAX_LIST {
        anyhow::bail!("{}: expected a list of at most {MAX_LIST} bytes, found more", shown(path));
    }
    if text.starts_with(b"\xff\xfe") || text.starts_with(b"\xfe\xff") {
        anyhow::bail!("{}: expected a list of paths in UTF-8, found UTF-16; save it as UTF-8", shown(path));
    }
    Ok(text)
}

/// Returns the paths of a list. If the list has a NUL, each path ends with one, and otherwise with
/// a line feed.
///
/// The bytes of a path need not be UTF-8 on Unix.
fn paths(text: &[u8]) -> impl Iterator<Item = PathBuf> {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let has_nul = text.contains(&0);
    let parts = text.split(move |byte| *byte == if has_nul { 0 } else { b'\n' });
    let parts = parts.map(move |part| if has_nul { part } else { part.strip_suffix(b"\r").unwrap_or(part) });
    parts.filter(|part| !part.is_empty()).map(path_of)
}

#[cfg(unix)]
fn path_of(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt as _;
    Path::new(std::ffi::OsStr::from_bytes(bytes)).to_owned()
}

#[cfg(not(unix))]
fn path_of(bytes: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_has_lines_or_nuls() {
        let listed =
            |text: &str| paths(text.as_bytes()).map(|path| path.to_str().unwrap().to_owned()).collect::<Vec<_>>();
        assert_eq!(listed("a b\r\n\nc\n"), ["a b", "c"]);
        assert_eq!(listed("a\nb\0c\0"), ["a\nb", "c"]);
        assert_eq!(listed("\u{feff}a\nb"), ["a", "b"]);
        assert_eq!(listed(""), [""; 0]);
    }
}
