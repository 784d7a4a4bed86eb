//! Writes paths for other programs: with forward slashes, and as URIs.

use std::path::{Path, is_separator};

use crate::text::escape::percent_encoded;

/// Returns a path as text with forward slashes, without `./` at its start.
pub fn slashed(path: &Path) -> String {
    let text = path.to_string_lossy();
    let text: String = text.chars().map(|char| if is_separator(char) { '/' } else { char }).collect();
    let mut rest = text.as_str();
    while let Some(inner) = rest.strip_prefix("./").filter(|inner| !inner.is_empty()) {
        rest = inner.trim_start_matches('/');
    }
    rest.to_owned()
}

/// Returns a path as a URI: a relative reference, or a `file` URI for an absolute path.
///
/// All bytes except unreserved characters and slashes are percent-encoded, so bytes that are not
/// UTF-8 are kept.
pub fn uri(path: &Path) -> String {
    let bytes = path.as_os_str().as_encoded_bytes();
    let mut uri = String::new();
    let mut rest = bytes;
    if path.is_absolute() {
        uri.push_str("file://");
        if bytes.first().is_some_and(|first| !is_separator(char::from(*first))) {
            uri.push('/');
        }
    }
    while let Some(inner) = rest.strip_prefix(b"./").filter(|inner| !inner.is_empty()) {
        let slashes = inner.iter().take_while(|byte| **byte == b'/').count();
        rest = inner.get(slashes..).unwrap_or_default();
    }
    uri.push_str(&percent_encoded(rest, b"-._~/"));
    if is_separator('\\') { uri.replace("%5C", "/") } else { uri }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodes_what_a_uri_reserves() {
        assert_eq!(uri(Path::new("data/unigine/cube_ms13.mesh")), "data/unigine/cube_ms13.mesh");
        assert_eq!(uri(Path::new("./a b/é#?%:.mesh")), "a%20b/%C3%A9%23%3F%25%3A.mesh");
        assert_eq!(uri(Path::new("../~x-1.mesh")), "../~x-1.mesh");
        assert_eq!(uri(Path::new("-")), "-");
        assert_eq!(uri(Path::new(".//a/.//b.mesh")), "a/.//b.mesh");
    }

    #[cfg(unix)]
    #[test]
    fn keeps_bytes_that_are_not_text() {
        use std::os::unix::ffi::OsStrExt as _;
        let path = Path::new(std::ffi::OsStr::from_bytes(b"/t/\xff\n.mesh"));
        assert_eq!(uri(path), "file:///t/%FF%0A.mesh");
        assert_eq!(slashed(path), "/t/\u{fffd}\n.mesh");
    }

    #[test]
    fn a_path_has_one_form() {
        for path in ["data/a.mesh", "./data/a.mesh", "././data/a.mesh", ".//data/a.mesh"] {
            assert_eq!(slashed(Path::new(path)), "data/a.mesh");
        }
        assert_eq!((slashed(Path::new("../a")), slashed(Path::new("./"))), ("../a".into(), "./".into()));
    }
}
