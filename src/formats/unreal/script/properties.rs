//! Passes the content of scripts as properties.

use std::cell::Cell;
use std::io;
#[cfg(feature = "cli")]
use std::path::Path;

use super::file::Script;
use super::select::{MeshScript, Texture};
use super::statements::Sequence;
#[cfg(feature = "cli")]
use crate::io::read_start;
use crate::model::Properties;
#[cfg(feature = "cli")]
use crate::parse::Limits;
use crate::parse::{Value, record};

/// The maximum total number of meshes, textures, animation sequences and notifications that are
/// passed for a script.
const MAX_LISTED: usize = 100_000;

/// Passes the property `properties` with the content of the script at `path`, if its meshes could
/// not be opened. For any other file, passes nothing.
#[cfg(feature = "cli")]
pub(crate) fn of_unopened(path: &Path, out: &mut Properties<'_>) -> io::Result<()> {
    let is_script = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("uc"));
    let limits = Limits::default();
    // A file of more bytes than the limit is not opened, so it is not read to its end.
    let most = limits.script.saturating_add(1);
    let script = is_script.then(|| read_start(path, most).ok()).flatten();
    let script = script.and_then(|bytes| Script::open_with(bytes, &limits).ok());
    let Some(script) = script else { return Ok(()) };
    let all = script.select_all();
    out.record("properties", |out| {
        out.record("script", |out| pass_meshes(&script, all.iter().map(|selected| script.mesh(selected)), out))
    })
}

/// Passes the commands of a script about each of the given meshes.
pub(crate) fn pass_meshes<'a, D: AsRef<[u8]>>(
    script: &Script<D>,
    meshes: impl Iterator<Item = MeshScript<'a>>,
    out: &mut Properties<'_>,
) -> io::Result<()> {
    // If a script imports the same mesh name n times, each of these n meshes lists all script
    // commands with this mesh name. The number of entries is limited, because a script of n
    // commands could otherwise have n * n entries.
    let left = Cell::new(MAX_LISTED);
    out.field("commands", script.command_count())?;
    out.list("meshes", |out| {
        for mesh in meshes {
            if left.get() == 0 {
                break;
            }
            out.item_record(|out| pass_mesh(&mesh, &left, out))?;
        }
        Ok(())
    })?;
    out.field("complete", left.get() > 0)
}

/// Counts an entry.
fn count(left: &Cell<usize>) {
    left.set(left.get().saturating_sub(1));
}

fn pass_mesh(mesh: &MeshScript<'_>, left: &Cell<usize>, out: &mut Properties<'_>) -> io::Result<()> {
    count(left);
    let import = mesh.import();
    let origin = mesh.origin().map(|origin| {
        record! { "position": origin.position, "yaw": origin.yaw, "pitch": origin.pitch, "roll": origin.roll }
    });
    let lod = mesh.lod_params().map(|lod| {
        record! {
            "min_verts": lod.min_verts,
            "strength": lod.strength,
            "morph": lod.morph,
            "hysteresis": lod.hysteresis,
            "z_displace": lod.z_displace,
        }
    });
    out.field("name", mesh.name())?;
    out.field("data_file", import.map(|import| import.data_file))?;
    out.field("aniv_file", import.map(|import| import.aniv_file))?;
    out.field("unmirror", import.is_some_and(|import| import.unmirror))?;
    out.field("zero_tex", import.is_some_and(|import| import.zero_tex))?;
    out.field("scale", mesh.scale())?;
    out.field("origin", origin)?;
    out.items("textures", mesh.textures().take(left.get()).map(|texture| texture_record(&texture)))?;
    let mut listed = mesh.sequences().take(left.get()).enumerate();
    out.list("sequences", |out| {
        listed.try_for_each(|(number, one)| out.item_record(|out| pass_sequence(mesh, number, &one, left, out)))
    })?;
    out.field("lod_params", lod)?;
    out.field("drop_frames", mesh.drop_frames().map(|drop| record! { "start": drop.start, "frames": drop.frames }))
}

fn texture_record(texture: &Texture<'_>) -> Value {
    let import = texture.import;
    record! {
        "number": texture.number,
        "name": texture.name,
        "file": import.map(|import| import.file),
        "group": import.and_then(|import| import.group),
        "flags": import.and_then(|import| import.flags),
    }
}

fn pass_sequence(
    mesh: &MeshScript<'_>,
    index: usize,
    sequence: &Sequence<'_>,
    left: &Cell<usize>,
    out: &mut Properties<'_>,
) -> io::Result<()> {
    count(left);
    out.field("name", sequence.name)?;
    out.field("start", sequence.start)?;
    out.field("frames", sequence.frames)?;
    out.field("rate", sequence.rate)?;
    out.field("group", sequence.group)?;
    let notifies = mesh.notifies(index).take(left.get()).inspect(|_| count(left));
    out.items("notifies", notifies.map(|one| record! { "time": one.time, "function": one.function }))
}
