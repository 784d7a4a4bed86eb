//! Decides which files and folders a search leaves out: those of `--exclude`, those that ignore
//! files name, and hidden ones.
//!
//! The crate `ignore` would open every ignore file in and above a folder, also a link to a device
//! or a pipe, and read it to its end. Here an ignore file must be a small regular file, and links
//! are not followed, as Git does it for its files in a folder.

// Rule: this file sorts and maps by copies only.

use std::collections::BTreeMap;
use std::env;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::{MAIN_SEPARATOR, Path, PathBuf};

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use ignore::overrides::Override;
use ignore::{DirEntry, Match};

use crate::error::copy_text;
use crate::io::{open_regular, open_without_following, read_start};
use crate::math::as_u64;
use crate::program::args::WalkArgs;

/// The greatest size of an ignore file in bytes.
const MAX_SIZE: u64 = 64 << 10;
/// The greatest sum of the sizes of all ignore files that apply to a folder, in bytes.
const MAX_TOTAL: u64 = 256 << 10;
/// The greatest size of a configuration file of Git in bytes. The rest of a larger file is not
/// read.
const MAX_CONFIG: u64 = 256 << 10;
/// The ignore files that are not used, each with the reason.
pub type UnusedFiles = BTreeMap<PathBuf, &'static str>;

/// Decides which entries of a folder are left out. The entries are passed in the order of a walk,
/// in which a folder comes before its content.
pub struct EntryFilter {
    exclusions: Override,
    is_hidden_kept: bool,
    rules: Option<IgnoreRules>,
}

impl EntryFilter {
    /// Returns the filter for a walk of `folder`.
    pub fn new(folder: &Path, walk: &WalkArgs, exclusions: Override) -> Self {
        let rules = (!walk.no_ignore).then(|| IgnoreRules::new(folder));
        Self { exclusions, is_hidden_kept: walk.hidden, rules }
    }

    /// Returns whether an entry below the folder is left out.
    pub fn leaves_out(&mut self, entry: &DirEntry) -> bool {
        let is_dir = entry.file_type().is_some_and(|kind| kind.is_dir());
        if self.exclusions.matched(entry.path(), is_dir).is_ignore() {
            return true;
        }
        let is_ignored = self.rules.as_mut().and_then(|rules| rules.is_ignored(entry.path(), is_dir));
        is_ignored.unwrap_or_else(|| !self.is_hidden_kept && is_hidden(entry))
    }

    /// Takes the ignore files that are not used.
    pub fn take_unused(&mut self) -> UnusedFiles {
        self.rules.as_mut().map(|rules| std::mem::take(&mut rules.unused)).unwrap_or_default()
    }
}

/// The rules of the ignore files in a folder, in the folders above it and of the user.
struct IgnoreRules {
    /// The folder as it is named, and its absolute path.
    named: PathBuf,
    absolute: PathBuf,
    /// The folders from the root of the file system to the one whose entries are tested.
    levels: Vec<FolderRules>,
    /// The rules of the user, which are read when they are first used.
    global: Option<Gitignore>,
    unused: UnusedFiles,
}

/// The rules of the ignore files in one folder.
struct FolderRules {
    folder: PathBuf,
    ignore: Gitignore,
    git_ignore: Gitignore,
    git_exclude: Gitignore,
    is_repository: bool,
    /// Whether this folder or one above it is a repository.
    is_in_repository: bool,
    /// The sum of the sizes of the ignore files in this folder and above it.
    size: u64,
}

impl IgnoreRules {
    fn new(folder: &Path) -> Self {
        let absolute = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
        let (levels, unused) = (Vec::new(), UnusedFiles::new());
        let mut rules = Self { named: folder.to_owned(), absolute, levels, global: None, unused };
        let mut parents: Vec<PathBuf> = rules.absolute.ancestors().map(Path::to_owned).collect();
        while let Some(parent) = parents.pop() {
            rules.add_level(parent);
        }
        rules
    }

    /// Returns whether the rules ignore a file or folder (`true`) or keep it (`false`). Returns
    /// `None` if no rule names it.
    fn is_ignored(&mut self, path: &Path, is_dir: bool) -> Option<bool> {
        let path = self.absolute.join(path.strip_prefix(&self.named).unwrap_or(path));
        let parent = path.parent()?;
        while self.levels.last().is_some_and(|level| !parent.starts_with(&level.folder)) {
            self.levels.pop();
        }
        if self.levels.last().is_none_or(|level| level.folder != parent) {
            self.add_level(parent.to_owned());
        }
        let levels = || self.levels.iter().rev();
        let find = |file: fn(&FolderRules) -> &Gitignore, count: usize| {
            levels().take(count).find_map(|level| decision(file(level), &path, is_dir))
        };
        // The rules of Git apply up to the folder of the repository.
        let in_repository = levels().position(|level| level.is_repository).map_or(0, |index| index.saturating_add(1));
        let found = find(|level| &level.ignore, usize::MAX);
        let found = found.or_else(|| find(|level| &level.git_ignore, in_repository));
        let found = found.or_else(|| find(|level| &level.git_exclude, in_repository));
        if found.is_some() || in_repository == 0 {
            return found;
        }
        decision(self.global(), &path, is_dir)
    }

    /// Reads the ignore files in a folder.
    fn add_level(&mut self, folder: PathBuf) {
        let is_repository = folder.join(".git").exists() || folder.join(".jj").exists();
        let above = self.levels.last();
        let is_in_repository = is_repository || above.is_some_and(|level| level.is_in_repository);
        let mut size = above.map_or(0, |level| level.size);
        let mut read = |name: &str, is_used: bool| {
            if !is_used {
                return Gitignore::empty();
            }
            let path = folder.join(name);
            let found = read_file(&path, MAX_TOTAL.saturating_sub(size));
            size = size.saturating_add(found.as_ref().map_or(0, |bytes| as_u64(bytes.len())));
            rules_of(&mut self.unused, &folder, &path, found)
        };
        let ignore = read(".ignore", true);
        let git_ignore = read(".gitignore", is_in_repository);
        let git_exclude = read(".git/info/exclude", is_repository);
        let level = FolderRules { folder, ignore, git_ignore, git_exclude, is_repository, is_in_repository, size };
        self.levels.push(level);
    }

    /// Returns the rules of the user for all repositories.
    fn global(&mut self) -> &Gitignore {
        let unused = &mut self.unused;
        self.global.get_or_insert_with(|| {
            let path = excludes_path().filter(|path| path.exists() && path != Path::new("/dev/null"));
            let Some(path) = path else { return Gitignore::empty() };
            // Links are followed.
            let opened = open_regular(&path).map_err(|_| "it is not a regular file");
            let found = opened.and_then(|(file, _)| read(file, MAX_SIZE));
            let folder = std::env::current_dir().and_then(fs::canonicalize).unwrap_or_default();
            rules_of(unused, &folder, &path, found)
        })
    }
}

/// Returns the path in `core.excludesFile` of the configuration of Git, or the path that Git uses
/// if there is none.
///
/// The user owns these files, so links to them are followed. A pipe or a device in the place of
/// a configuration file counts as an empty file.
fn excludes_path() -> Option<PathBuf> {
    let own = |name: &str| env::home_dir().map(|home| home.join(name));
    let configured = |name: &str| variable("XDG_CONFIG_HOME").or_else(|| own(".config")).map(|path| path.join(name));
    let users = match variable("GIT_CONFIG_GLOBAL") {
        Some(path) => [Some(path), None],
        None => [own(".gitconfig"), configured("git/config")],
    };
    let system = variable("GIT_CONFIG_SYSTEM").unwrap_or_else(|| PathBuf::from("/etc/gitconfig"));
    let mut configs = users.into_iter().flatten().chain([system]);
    configs.find_map(|path| parse(&read_start(&path, MAX_CONFIG).ok()?)).or_else(|| configured("git/ignore"))
}

/// Returns the path in an environment variable that is neither missing nor empty.
fn variable(name: &str) -> Option<PathBuf> {
    env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// Returns the value of the first `excludesFile` in a configuration file.
fn parse(config: &[u8]) -> Option<PathBuf> {
    copy_text(config).lines().find_map(|line| {
        let (name, value) = line.split_once('=')?;
        let value = value.trim().trim_matches('"').trim();
        let is_path = !value.is_empty() && !value.contains(char::is_whitespace);
        (name.trim().eq_ignore_ascii_case("excludesfile") && is_path).then(|| expand_home(value))
    })
}

/// Replaces `~` at the start of a path by the home folder of the user.
fn expand_home(path: &str) -> PathBuf {
    let rest = path.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with(['/', MAIN_SEPARATOR]));
    let expanded = rest.and_then(|rest| Some(env::home_dir()?.join(rest.trim_start_matches(['/', MAIN_SEPARATOR]))));
    expanded.unwrap_or_else(|| PathBuf::from(path))
}

/// Compiles the patterns of a file, which are relative to `folder`. If the file is not used, the
/// reason is added to `unused`.
fn rules_of(unused: &mut UnusedFiles, folder: &Path, path: &Path, bytes: Result<Vec<u8>, &'static str>) -> Gitignore {
    bytes.and_then(|bytes| compile(folder, &bytes)).unwrap_or_else(|why| {
        unused.insert(path.to_owned(), why);
        Gitignore::empty()
    })
}

/// Compiles patterns. Lines that are no pattern are left out, as Git does.
fn compile(folder: &Path, bytes: &[u8]) -> Result<Gitignore, &'static str> {
    if bytes.is_empty() {
        return Ok(Gitignore::empty());
    }
    let mut builder = GitignoreBuilder::new(folder);
    for line in copy_text(bytes).trim_start_matches('\u{feff}').lines() {
        let _ = builder.add_line(None, line);
    }
    builder.build().map_err(|_| "its patterns are too large")
}

/// Reads an ignore file of at most `limit` bytes, without following a link. A missing file is
/// empty.
fn read_file(path: &Path, limit: u64) -> Result<Vec<u8>, &'static str> {
    if let Some((file, _)) = open_without_following(path) {
        return read(file, limit);
    }
    match fs::symlink_metadata(path) {
        Err(_) => Ok(Vec::new()),
        Ok(metadata) if metadata.is_symlink() => Err("links are not followed"),
        Ok(metadata) if metadata.is_file() => Err("it cannot be read"),
        Ok(_) => Err("it is not a regular file"),
    }
}

fn read(file: File, limit: u64) -> Result<Vec<u8>, &'static str> {
    let limit = limit.min(MAX_SIZE);
    let mut bytes = Vec::new();
    let size = file.take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(|_| "it cannot be read")?;
    if as_u64(size) > limit { Err("it is too large") } else { Ok(bytes) }
}

/// Returns whether a pattern of a file ignores (`true`) or keeps (`false`) a path.
fn decision(rules: &Gitignore, path: &Path, is_dir: bool) -> Option<bool> {
    match rules.matched(path, is_dir) {
        Match::None => None,
        Match::Ignore(_) => Some(true),
        Match::Whitelist(_) => Some(false),
    }
}

/// Returns whether the name of an entry starts with a dot, or the system hides it.
fn is_hidden(entry: &DirEntry) -> bool {
    #[cfg(windows)]
    {
        use std::os::windows::fs::MetadataExt as _;
        if entry.metadata().is_ok_and(|metadata| metadata.file_attributes() & 0x2 != 0) {
            return true;
        }
    }
    entry.file_name().as_encoded_bytes().starts_with(b".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_path_in_a_configuration() {
        let path = |text: &str| parse(text.as_bytes()).map(|path| path.to_str().unwrap().to_owned());
        assert_eq!(path("[core]\n\tExcludesFile = \"/a/b\" \nexcludesfile = c"), Some("/a/b".to_owned()));
        assert_eq!(path("excludesfile=x~1/y\r\n"), Some("x~1/y".to_owned()));
        assert_eq!(path("excludesfile = ~other/y"), Some("~other/y".to_owned()));
        for none in
            ["", "excludesfile", "excludesfile =", "excludesfile = a b", "#excludesfile = a", "xexcludesfile = a"]
        {
            assert_eq!(path(none), None, "{none}");
        }
        let home = env::home_dir().map(|home| home.join("a/b"));
        assert_eq!(parse(b"excludesFile = ~/a/b"), home.or_else(|| Some(PathBuf::from("~/a/b"))));
    }
}
