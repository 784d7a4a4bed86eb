//! Finds the file with the patterns that Git ignores in every repository of the user.

use std::env;
use std::path::{MAIN_SEPARATOR, PathBuf};

use crate::error::copy_text;
use crate::io::read_start;

/// The greatest size of a configuration file of Git in bytes. The rest of a larger file is not
/// read.
const MAX_CONFIG: u64 = 256 << 10;

/// Returns the path in `core.excludesFile` of the configuration of Git, or the path that Git uses
/// if there is none.
///
/// The user owns these files, so links to them are followed. A pipe or a device in the place of
/// a configuration file counts as an empty file.
pub fn excludes_path() -> Option<PathBuf> {
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
