//! The texts of thumbnails, by which a file manager finds out whether a thumbnail is up to date.

use std::path::Path;
use std::time::UNIX_EPOCH;

use crate::program::input::InputAsset;
use crate::text::escape::percent_encoded;

/// The size of a thumbnail if none is given.
pub const SIZE: [u32; 2] = [256, 256];

/// Returns the keywords and texts of the PNG file: the address and the time of the last change of
/// the file at `path`, or of the file of a pair that the path names.
pub fn texts(asset: &InputAsset, path: &Path) -> Vec<(&'static str, String)> {
    let files = asset.files();
    let path = files.get(asset.source).map_or(path, |file| file);
    let changed = std::fs::metadata(path).and_then(|metadata| metadata.modified()).ok();
    let seconds = changed.and_then(|changed| changed.duration_since(UNIX_EPOCH).ok());
    let time = seconds.map(|seconds| ("Thumb::MTime", seconds.as_secs().to_string()));
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    [("Thumb::URI", file_uri(&absolute))].into_iter().chain(time).collect()
}

/// Returns the address of a file. The characters that are not escaped are those of `GLib`.
fn file_uri(path: &Path) -> String {
    format!("file://{}", percent_encoded(path.as_os_str().as_encoded_bytes(), b"-._~!$&'()*+,;=:@/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_escaped() {
        assert_eq!(file_uri(Path::new("/a b/\u{e9}#1.mesh")), "file:///a%20b/%C3%A9%231.mesh");
    }
}
