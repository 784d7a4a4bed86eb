//! The format-specific code of the program: one implementation of the trait [`FormatFacts`] for
//! each format.

pub mod ezmesh;
pub mod facts;
pub mod frames;
pub mod names;
pub mod options;
pub mod sample;
pub mod secondlife;
pub mod summary;
pub mod unigine;
pub mod unreal;

use std::io;
use std::path::Path;

use meshpeek::{Error, ErrorKind, Format, Limits, Model, OpenOptions, Rule};

use crate::args::Global;
use crate::render::json_writer::JsonWriter;
use facts::{FormatFacts, NoFacts};
use names::{has_any_extension, is_recognised};
use unreal::script_file::MissingMesh;

/// The name and the validation rules of each format.
pub const RULES: [(&str, &[Rule]); 4] = [
    ("unigine", meshpeek::unigine::RULES),
    ("unreal", meshpeek::unreal::RULES),
    ("secondlife", meshpeek::secondlife::RULES),
    ("ezmesh", meshpeek::ezmesh::RULES),
];

/// Returns the [`FormatFacts`] implementation of an open model.
pub fn facts_of<D: AsRef<[u8]> + Send + Sync>(model: &Model<D>) -> &dyn FormatFacts {
    match model {
        Model::Unigine(mesh) => &**mesh,
        Model::UnigineAnimation(animation) => &**animation,
        Model::Unreal(mesh) => &**mesh,
        Model::SecondLife(mesh) => &**mesh,
        Model::EzMesh(system) => &**system,
        _ => &NoFacts,
    }
}

/// Opens a mesh file. For a container of several assets, `asset` selects the asset. The opened
/// model counts the bytes of the file that are read.
pub fn open<D: AsRef<[u8]> + Send + Sync>(
    data: D,
    path: &Path,
    asset: Option<usize>,
    global: &Global,
    limits: &Limits,
) -> meshpeek::Result<Model<D>> {
    let options = OpenOptions {
        asset: asset.unwrap_or_default(),
        strict: global.strict,
        record_access: true,
        limits: *limits,
        ..Default::default()
    };
    // If a file has the extension of a format but its content is not recognised, the file is
    // damaged. A damaged file is opened as a file of the format that its extension indicates,
    // because the error from opening this format is more precise than the error that the format is
    // unknown.
    let is_unknown = |error: &Error| matches!(error.kind(), ErrorKind::Unknown { .. });
    if Format::detect(data.as_ref()).is_err_and(|error| is_unknown(&error)) {
        if has_any_extension(path, &ezmesh::EXTENSIONS) {
            return meshpeek::ezmesh::Mesh::open_with(data, &options).map(Model::from);
        }
        if has_any_extension(path, &secondlife::EXTENSIONS) {
            return meshpeek::secondlife::Mesh::open_with(data, &options).map(Model::from);
        }
    }
    Model::open_with(data, &options)
}

/// Returns whether a file is a mesh file, according to its extension or its first bytes.
pub fn is_mesh_file(path: &Path) -> bool {
    has_any_extension(path, &unigine::EXTENSIONS)
        || has_any_extension(path, &secondlife::EXTENSIONS)
        || has_any_extension(path, &ezmesh::EXTENSIONS)
        || unreal::names::is_data(path)
        || is_recognised(path)
}

/// Writes an item of a list: a mesh that a script imports although the files of the mesh do not
/// exist, with the script commands about the mesh.
pub fn write_missing<D: AsRef<[u8]>>(missing: &MissingMesh<D>, out: &mut JsonWriter<'_>) -> io::Result<()> {
    unreal::script_properties::write_missing(missing, out)
}

/// Writes the field `properties` with the content of an Unreal script or of a Second Life header,
/// for a file that could not be opened as a mesh.
pub fn write_unopened(path: &Path, error: &Error, out: &mut JsonWriter<'_>) -> io::Result<()> {
    unreal::script_properties::write_unopened_script(path, out)?;
    secondlife::properties::write_unopened_header(path, error, out)
}
