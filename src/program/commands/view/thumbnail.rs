//! The texts of thumbnails, by which a file manager finds out whether a thumbnail is up to date.

use std::fmt::Write as _;
use std::path::Path;
use std::time::UNIX_EPOCH;

use crate::program::input::asset::InputAsset;

/// The size of a thumbnail if none is given.
pub const SIZE: [u32; 2] = [256, 256];

/// The address and the time of the last change of a mesh file.
#[derive(Debug)]
pub struct ThumbnailTexts {
    uri: String,
    seconds: Option<String>,
}

impl ThumbnailTexts {
    /// Finds the texts of the file at `path`, or of the file of a pair that the path names.
    pub fn new(asset: &InputAsset, path: &Path) -> Self {
        let files = asset.files();
        let path = files.get(asset.source).map_or(path, |file| file);
        let changed = std::fs::metadata(path).and_then(|metadata| metadata.modified()).ok();
        let seconds = changed.and_then(|changed| changed.duration_since(UNIX_EPOCH).ok());
        let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        Self { uri: file_uri(&absolute), seconds: seconds.map(|seconds| seconds.as_secs().to_string()) }
    }

    /// Returns the keywords and texts of the PNG file.
    pub fn texts(&self) -> Vec<(&str, &str)> {
        let seconds = self.seconds.as_deref().map(|seconds| ("Thumb::MTime", seconds));
        [("Thumb::URI", self.uri.as_str())].into_iter().chain(seconds).collect()
    }
}

/// Returns the address of a file. The characters that are not escaped are those of `GLib`.
fn file_uri(path: &Path) -> String {
    let mut uri = "file://".to_owned();
    for byte in path.as_os_str().as_encoded_bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@/".contains(byte) {
            uri.push(char::from(*byte));
        } else {
            // Writing to a `String` does not fail.
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_escaped() {
        assert_eq!(file_uri(Path::new("/a b/\u{e9}#1.mesh")), "file:///a%20b/%C3%A9%231.mesh");
    }
}
