//! What the output states about the mesh file: its name, its hash, and the images in its folder.

// Rule: this file sorts and maps by copies only.

use std::fs;
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::Xxh3;

use crate::export::SourceFacts;
use crate::io::{prefetch, read_start};
use crate::program::args::STDIN;
use crate::program::atomic_write;
use crate::program::input::InputAsset;

/// The number of bytes that are hashed before the pages of a mapped file are released.
const HASH_BLOCK: usize = 4 << 20;
/// The greatest number of entries of a folder that are searched for images.
const MAX_ENTRIES: usize = 10_000;

/// Returns the facts about a mesh that is exported to a file in `folder`, or to standard output if
/// there is no folder.
pub fn of(path: &Path, asset: &InputAsset, folder: Option<&Path>) -> SourceFacts {
    let facts = SourceFacts::default().with_name(asset.stem(path));
    let own = atomic_write::folder(path);
    let is_same = folder.is_some_and(|folder| {
        fs::canonicalize(own).ok().zip(fs::canonicalize(folder).ok()).is_some_and(|(own, folder)| own == folder)
    });
    if is_same && path != Path::new(STDIN) { facts.with_images(images(own)) } else { facts }
}

/// Returns the hash of the bytes of all files of a mesh.
pub fn hash(asset: &InputAsset) -> String {
    let mut hash = Xxh3::new();
    let file = asset.model.file();
    for source in (0..file.source_count()).filter_map(|source| file.source(source)) {
        for block in source.as_ref().chunks(HASH_BLOCK) {
            prefetch(block);
            hash.update(block);
            source.release_part(block);
        }
    }
    format!("xxh3-128:{:032x}", hash.digest128())
}

/// Returns the names of the PNG and JPEG files in a folder, sorted.
fn images(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().take(MAX_ENTRIES).filter_map(Result::ok);
    let is_image = |path: &PathBuf| has_image_name(path) && is_image(path);
    let paths = entries.map(|entry| entry.path()).filter(is_image);
    let mut names: Vec<String> =
        paths.filter_map(|path| path.file_name().and_then(|name| name.to_str()).map(str::to_owned)).collect();
    names.sort_unstable();
    names
}

fn has_image_name(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    ["png", "jpg", "jpeg"].iter().any(|name| extension.eq_ignore_ascii_case(name))
}

/// Returns whether a file starts with the magic number of PNG or JPEG.
fn is_image(path: &Path) -> bool {
    let start = read_start(path, 8).unwrap_or_default();
    start == *b"\x89PNG\r\n\x1a\n" || start.starts_with(b"\xff\xd8\xff")
}
