//! The parts of an open model that only its format has.

use std::io;

use crate::Model;
use crate::formats::FormatFile;
use crate::formats::unreal::companions::Pair;
use serde_json::{Value, json};

use super::summary::DescribedBlocks;
use super::{ezmesh, secondlife, unigine, unreal};
use crate::program::render::json_writer::JsonWriter;

/// Writes the fields of the JSON object `properties` that `info` prints for the file. `pair`
/// contains the paths of the files of an Unreal mesh. `blocks` has the compressed blocks of a
/// Second Life file that were described.
pub fn write_properties<D: AsRef<[u8]> + Send + Sync>(
    model: &Model<D>,
    pair: Option<&Pair>,
    blocks: &DescribedBlocks,
    out: &mut JsonWriter<'_>,
) -> io::Result<()> {
    match model.format_file() {
        FormatFile::Unigine(mesh) => unigine::properties::write_properties(mesh, out),
        FormatFile::UnigineAnimation(animation) => unigine::properties::write_animation_properties(animation, out),
        FormatFile::Unreal(mesh) => unreal::properties::write_properties(mesh, pair, out),
        FormatFile::SecondLife(mesh) => secondlife::properties::write_properties(mesh, blocks, out),
        FormatFile::EzMesh(mesh) => ezmesh::properties::write_properties(mesh, out),
    }
}

/// Returns a JSON object with the fields of a surface that exist only in its format.
pub fn surface_properties<D: AsRef<[u8]> + Send + Sync>(model: &Model<D>, surface: usize) -> crate::Result<Value> {
    match model.format_file() {
        FormatFile::Unigine(mesh) => Ok(unigine::properties::surface_properties(mesh, surface)),
        FormatFile::Unreal(mesh) => unreal::properties::surface_properties(mesh, surface),
        FormatFile::EzMesh(mesh) => ezmesh::properties::surface_properties(mesh, surface),
        _ => Ok(json!({})),
    }
}

/// Returns additional lines for the text output of `info`. Each line has a heading and a text.
pub fn remarks<D: AsRef<[u8]> + Send + Sync>(model: &Model<D>) -> Vec<(&'static str, String)> {
    let (heading, texts) = match model.format_file() {
        FormatFile::Unigine(mesh) => ("blocks", unigine::properties::blocks_in_words(mesh).into_iter().collect()),
        FormatFile::UnigineAnimation(file) => {
            ("skeleton", unigine::properties::skeleton_in_words(file).into_iter().collect())
        }
        FormatFile::EzMesh(mesh) => ("mesh", ezmesh::properties::composition(mesh)),
        _ => ("", Vec::new()),
    };
    texts.into_iter().map(|text| (heading, text)).collect()
}
