//! Writes the text of scripts that import one mesh.

use crate::error::Result;
use crate::formats::unreal::companions::is_file_name;
use crate::formats::unreal::file::Mesh;
use crate::formats::unreal::script::{Line, MeshScript, refused};
use crate::parse::Name;

/// Returns a new script for a mesh with the files `name_d.3d` and `name_a.3d`.
///
/// The script has the defaults of the published program that generates scripts for new meshes: the
/// folder `MODELS` and the sequences `All` and `Still`. Unlike that program, it has one
/// `SETTEXTURE` command for each texture index that a rendered polygon uses, and no other.
///
/// The mesh and its class are called `name`, with `_` in place of each character that is not an
/// ASCII letter or digit, and `_` before a leading digit. The scale converts one unit of the mesh's
/// author to four units of the game. For classic vertices, the scale is the published default of
/// 0.5, 0.5, 1. With the scale for Deus Ex vertices, 1/64 along each axis, a mesh has the same size
/// in the game as the same mesh with classic vertices.
///
/// # Errors
///
/// Returns the same errors as [`Mesh::surface`], and
/// [`ErrorKind::Refused`](crate::error::ErrorKind::Refused) if `name` is not allowed as a file name
/// on every operating system.
pub fn build<D: AsRef<[u8]>>(mesh: &Mesh<D>, name: &str) -> Result<Vec<u8>> {
    let word = word(name)?;
    let line = |second| Line::new("MESH", second).name("MESH", &word);
    let map = |second| Line::new("MESHMAP", second).name("MESHMAP", &word);
    let import = line("IMPORT")?.file("ANIVFILE", format!("MODELS\\{name}_a.3d"))?;
    let import = import.file("DATAFILE", format!("MODELS\\{name}_d.3d"))?;
    let import = ["X", "Y", "Z"].into_iter().fold(import, |import, axis| import.integer(axis, 0));
    let mut lines = vec![import, along(line("ORIGIN")?, [0.0; 3])?];
    let frames = u32::try_from(mesh.frame_count()).unwrap_or(u32::MAX);
    for (name, frames) in [("All", frames), ("Still", frames.min(1))] {
        let sequence = line("SEQUENCE")?.name("SEQ", name)?;
        lines.push(sequence.integer("STARTFRAME", 0).integer("NUMFRAMES", frames.into()));
    }
    let (mut imports, mut numbers, mut last) = (Vec::new(), Vec::new(), None);
    for surface in mesh.surfaces()? {
        let surface = surface?;
        let number = Some(surface.texture());
        // Rendered surfaces are sorted by texture index.
        if surface.is_drawn() && number != last {
            last = number;
            let (number, texture) = (surface.texture(), format!("J{word}{}", surface.texture()));
            let import = Line::new("TEXTURE", "IMPORT").name("NAME", &texture)?;
            imports.push(import.file("FILE", format!("MODELS\\{texture}.PCX"))?.quoted("GROUP", "Skins")?);
            numbers.push(map("SETTEXTURE")?.integer("NUM", number.into()).name("TEXTURE", &texture)?);
        }
    }
    imports.push(map("NEW")?.name("MESH", &word)?);
    imports.push(along(map("SCALE")?, mesh.variant().author_scale().map(|scale| scale * 4.0))?);
    imports.append(&mut numbers);
    let mut text = format!("class {word} expands Object;\n").into_bytes();
    for part in [lines, imports] {
        text.push(b'\n');
        for line in part {
            text.extend(line.as_bytes());
            text.push(b'\n');
        }
    }
    Ok(text)
}

/// Makes a new script for one mesh of an existing script, and gives the mesh and its files a new
/// name.
///
/// The new script has every command about the mesh, with all keys of each command, in the order of
/// the existing script. The class line and the commands about other meshes are not copied.
///
/// # Errors
///
/// Returns [`ErrorKind::Refused`](crate::error::ErrorKind::Refused) if `name` is not allowed as a
/// file name on every operating system, or if the value of a key cannot be written in one line of a
/// script.
pub fn rename(mesh: &MeshScript<'_>, name: &str) -> Result<Vec<u8>> {
    let word = word(name)?;
    let mut text = format!("class {word} expands Object;\n\n").into_bytes();
    let mut add = |line: &Line| {
        text.extend(line.as_bytes());
        text.push(b'\n');
    };
    let mut mapped = false;
    for command in mesh.commands() {
        if command.verb().is_of_map() && !std::mem::replace(&mut mapped, true) {
            add(&Line::new("MESHMAP", "NEW").name("MESHMAP", &word)?.name("MESH", &word)?);
        }
        add(&Line::of(&command, |key| match key {
            b"MESH" | b"MESHMAP" => Some(word.clone().into_bytes()),
            b"DATAFILE" => Some(beside(command.value("DATAFILE")?, &format!("{name}_d.3d"))),
            b"ANIVFILE" => Some(beside(command.value("ANIVFILE")?, &format!("{name}_a.3d"))),
            _ => None,
        })?);
    }
    Ok(text)
}

/// Returns `path` with the file name at its end replaced by `file`.
fn beside(path: Name<'_>, file: &str) -> Vec<u8> {
    let path = path.as_bytes();
    let folder = path.iter().rposition(|byte| matches!(byte, b'\\' | b'/')).map_or(0, |slash| slash.saturating_add(1));
    [path.get(..folder).unwrap_or_default(), file.as_bytes()].concat()
}

/// Converts the stem of a file name to a class name: ASCII letters, digits and `_`, without a digit
/// at the start.
fn word(name: &str) -> Result<String> {
    if !is_file_name(name.as_bytes()) {
        return Err(refused("name", "the stem of a file name", name.as_bytes()));
    }
    let mut word: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if !word.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_') {
        word.insert(0, '_');
    }
    Ok(word)
}

fn along(line: Line, [x, y, z]: [f32; 3]) -> Result<Line> {
    line.number("X", x)?.number("Y", y)?.number("Z", z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::unreal::script::{Script as Read, Selected};

    #[test]
    fn takes_all_of_a_mesh_to_another_name() {
        let old = Read::open(
            "class Zoo expands Object; // not this\n\
             #exec MESH IMPORT MESH=Dog ANIVFILE=d_a.3d DATAFILE=d_d.3d\n\
             #exec mesh import mesh=CAT anivfile=\"My Models\\c_a.3d\" DATAFILE=c_d.3d UNMIRROR=1 stray Odd=7 // nor this\n\
             #exec MESHMAP SCALE MESHMAP=cat X=.1\n\
             #exec MESHMAP SETTEXTURE MESHMAP=Cat NUM=0 TEXTURE=old\n\
             #exec MESHMAP SETTEXTURE MESHMAP=Cat NUM=0 TEXTURE=fur TLOD=5\n\
             #exec TEXTURE IMPORT NAME=Fur FILE=fur.pcx FLAGS=2\n",
        );
        let old = old.unwrap();
        let selected: Selected = old.select(b"cat");
        let text = rename(&old.mesh(&selected), "big cat").unwrap();
        let expected = "class big_cat expands Object;\n\n\
             #exec mesh import mesh=big_cat anivfile=\"My Models\\big cat_a.3d\" DATAFILE=\"big cat_d.3d\" UNMIRROR=1 stray \
             Odd=7\n\
             #exec MESHMAP NEW MESHMAP=big_cat MESH=big_cat\n\
             #exec MESHMAP SCALE MESHMAP=big_cat X=.1\n\
             #exec MESHMAP SETTEXTURE MESHMAP=big_cat NUM=0 TEXTURE=fur TLOD=5\n\
             #exec TEXTURE IMPORT NAME=Fur FILE=fur.pcx FLAGS=2\n";
        assert_eq!(String::from_utf8(text).unwrap(), expected);
        for wrong in ["..\\evil", "../evil", "CON", "", "a.", "a\nb"] {
            let error = rename(&old.mesh(&selected), wrong).unwrap_err();
            assert_eq!(error.kind().id(), "refused", "{wrong:?}");
        }
    }
}
