//! Finds the files that match a glob pattern of the command line.

use std::path::{Component, Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher};
use ignore::WalkBuilder;

use super::paths::exclusions;
use crate::program::args::WalkArgs;
use crate::program::outcome::UsageError;

/// The characters that make a part of a path a pattern.
const SPECIAL: [char; 3] = ['*', '?', '['];

/// Returns the files and folders that match a pattern, in the order of their names, and the errors
/// of folders that cannot be read. Links to folders are not followed. If a folder matches, its
/// content is not searched for further matches.
///
/// A pattern does not match a hidden file or folder without the option `--hidden`, unless the
/// pattern names it. An invalid pattern matches nothing.
pub fn matches(pattern: &Path, walk: &WalkArgs) -> Result<Vec<Result<PathBuf, ignore::Error>>, UsageError> {
    let (base, depth) = split(pattern);
    let Some(matcher) = compile(pattern) else { return Ok(Vec::new()) };
    let start = if base.as_os_str().is_empty() { Path::new(".") } else { &base };
    if !start.is_dir() {
        return Ok(Vec::new());
    }
    let mut builder = WalkBuilder::new(start);
    builder.standard_filters(false).hidden(!walk.hidden).overrides(exclusions(start, walk)?).max_depth(depth);
    builder.sort_by_file_name(Ord::cmp);
    let mut found = Vec::new();
    let mut folder: Option<PathBuf> = None;
    for entry in builder.build() {
        let entry = match entry {
            Ok(entry) if entry.depth() == 0 => continue,
            Ok(entry) => entry,
            Err(error) => {
                found.push(Err(error));
                continue;
            }
        };
        let plain = entry.path().strip_prefix("./").unwrap_or_else(|_| entry.path());
        let path = if base.as_os_str().is_empty() { plain } else { entry.path() };
        let is_inside = folder.as_ref().is_some_and(|folder| path.starts_with(folder));
        if !is_inside && matcher.is_match(plain) {
            if entry.file_type().is_some_and(|kind| kind.is_dir()) {
                folder = Some(path.to_owned());
            }
            found.push(Ok(path.to_owned()));
        }
    }
    Ok(found)
}

/// Divides a pattern into the folder before its first special character, and the number of levels
/// below this folder that it can match, or `None` for any number.
fn split(pattern: &Path) -> (PathBuf, Option<usize>) {
    let is_special = |part: &Component<'_>| part.as_os_str().to_str().is_some_and(|part| part.contains(SPECIAL));
    let base: PathBuf = pattern.components().take_while(|part| !is_special(part)).collect();
    let rest = pattern.components().skip_while(|part| !is_special(part));
    let is_any_depth = rest.clone().any(|part| part.as_os_str() == "**");
    (base, (!is_any_depth).then(|| rest.count()))
}

/// Compiles a pattern, in which `*` and `?` match no separator.
fn compile(pattern: &Path) -> Option<GlobMatcher> {
    let text = pattern.to_str()?;
    let text = text.strip_prefix("./").unwrap_or(text);
    Some(GlobBuilder::new(text).literal_separator(true).build().ok()?.compile_matcher())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_starts_in_its_last_plain_folder() {
        let split = |pattern: &str| {
            let (base, depth) = split(Path::new(pattern));
            (base.to_str().unwrap().to_owned(), depth)
        };
        assert_eq!(split("*.mesh"), (String::new(), Some(1)));
        assert_eq!(split("a/b/*/c?.mesh"), ("a/b".to_owned(), Some(2)));
        assert_eq!(split("/a/**/*.mesh"), ("/a".to_owned(), None));
    }
}
