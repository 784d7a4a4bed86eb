//! Builder for the text of a new script that imports one mesh.
//!
//! [`Script`] has public fields, which are checked and encoded when the script is written.
//! [`Script::new`] sets the default values of the published program that generates scripts for new
//! meshes. Unlike the published script generator, this builder writes one `SETTEXTURE` command per
//! texture, and none for an unused texture index.
//!
//! ```
//! # fn main() -> meshpeek::Result<()> {
//! use meshpeek::unreal::builder;
//! let texture = builder::Texture { number: 0, name: "fur".into(), file: "fur.PCX".into() };
//! let cat = builder::Script { textures: vec![texture], ..builder::Script::new("Cat", 15) };
//! let again = meshpeek::unreal::script::Script::open(cat.to_bytes()?)?;
//! let selected = again.select(b"Cat");
//! assert_eq!(again.mesh(&selected).sequence(0).map(|all| all.frames), Some(15));
//! # Ok(())
//! # }
//! ```

use crate::error::Result;
use crate::error::debug::{items, short_debug, text};
use crate::formats::unreal::companions::is_file_name;
use crate::formats::unreal::file::Mesh;
use crate::formats::unreal::script::{Line, MeshScript, refused};
use crate::parse::Name;

/// A new script (`.uc`) to write, which imports one mesh.
#[derive(Clone, PartialEq)]
pub struct Script {
    /// The name of the class: ASCII letters, digits and `_`.
    pub class: String,
    /// The name of the base class in the line `class .. expands ..`.
    pub base: String,
    /// The name of the mesh.
    pub mesh: String,
    /// The folder that the script writes before each file name, such as `MODELS`. If `folder` is
    /// empty, file names are written without a folder.
    pub folder: String,
    /// The name of the data file, which holds the polygons, without the folder.
    pub data_file: String,
    /// The name of the aniv file, which holds the animation frames, without the folder.
    pub aniv_file: String,
    /// Whether the script sets the key `UNMIRROR`, with which the engine mirrors the model on
    /// import.
    pub unmirror: bool,
    /// The position that the engine moves to 0, 0, 0, in the integer units of the aniv file.
    pub origin: [f32; 3],
    /// The yaw, pitch and roll by which the engine rotates the mesh, in 1/256 of a turn.
    pub rotation: [f32; 3],
    /// The sequences: named ranges of animation frames.
    pub sequences: Vec<Sequence>,
    /// The functions that the engine calls at given times of the sequences.
    pub notifies: Vec<Notify>,
    /// The factors by which the engine multiplies the stored x, y and z of a vertex.
    pub scale: [f32; 3],
    /// The textures of the mesh, at most one per texture index.
    pub textures: Vec<Texture>,
}

short_debug!(Script: |script| {
    class: text(&script.class), mesh: text(&script.mesh), data_file: text(&script.data_file),
    aniv_file: text(&script.aniv_file), sequences: items(&script.sequences), notifies: items(&script.notifies),
    textures: items(&script.textures),
});

/// A sequence to write: a named range of animation frames.
#[derive(Clone, Default, PartialEq)]
pub struct Sequence {
    /// The name of the sequence.
    pub name: String,
    /// The index of the first animation frame of the sequence.
    pub start: u32,
    /// The number of animation frames in the sequence.
    pub frames: u32,
    /// The playback rate in animation frames per second. If the rate is `None`, the engine uses 30
    /// frames per second.
    pub rate: Option<f32>,
    /// The name of the group that the sequence belongs to, or `None` for no group.
    pub group: Option<String>,
}

short_debug!(Sequence: |sequence| {
    name: text(&sequence.name), start: sequence.start, frames: sequence.frames, rate: sequence.rate,
    group: sequence.group.as_ref().map(|group| text(group)),
});

/// A notification to write: a function that the engine calls when a sequence reaches a given time.
#[derive(Clone, Default, PartialEq)]
pub struct Notify {
    /// The name of the sequence.
    pub sequence: String,
    /// The time at which the engine calls the function, as a fraction of the sequence from 0 to 1.
    pub time: f32,
    /// The name of the function that the engine calls.
    pub function: String,
}

short_debug!(Notify: |notify| { sequence: text(&notify.sequence), time: notify.time, function: text(&notify.function) });

/// A texture of a new script: its texture index, its name and its image file.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Texture {
    /// The texture index by which polygons refer to the texture.
    pub number: u8,
    /// The name of the texture.
    pub name: String,
    /// The name of the image file, without the folder. If `file` is empty, the script assigns the
    /// texture name to the texture index, but has no `TEXTURE IMPORT` command for the texture.
    pub file: String,
}

short_debug!(Texture: |texture| { number: texture.number, name: text(&texture.name), file: text(&texture.file) });

impl Script {
    /// Makes a script with the defaults of the published script generator: the files
    /// `MODELS\mesh_d.3d` and `MODELS\mesh_a.3d`, the sequences `All` and `Still`, and a scale of
    /// 0.5, 0.5, 1.
    #[must_use]
    pub fn new(mesh: &str, frames: u32) -> Self {
        let sequence = |name: &str, frames| Sequence { name: name.into(), frames, ..Sequence::default() };
        Self {
            class: mesh.into(),
            base: "Object".into(),
            mesh: mesh.into(),
            folder: "MODELS".into(),
            data_file: format!("{mesh}_d.3d"),
            aniv_file: format!("{mesh}_a.3d"),
            unmirror: false,
            origin: [0.0; 3],
            rotation: [0.0; 3],
            sequences: vec![sequence("All", frames), sequence("Still", frames.min(1))],
            notifies: Vec::new(),
            scale: [0.5, 0.5, 1.0],
            textures: Vec::new(),
        }
    }

    /// Returns the bytes of the script.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Refused`](crate::error::ErrorKind::Refused) if a name, text or number
    /// cannot be written in a form that is read back unchanged, or if two textures have the same
    /// texture index.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let mut text = format!("class {} expands {};\n", class(&self.class)?, class(&self.base)?).into_bytes();
        for part in [self.mesh_lines()?, self.texture_lines()?] {
            text.push(b'\n');
            for line in part {
                text.extend(line.as_bytes());
                text.push(b'\n');
            }
        }
        Ok(text)
    }

    fn path(&self, file: &str) -> String {
        if self.folder.is_empty() { file.into() } else { format!("{}\\{file}", self.folder) }
    }

    fn mesh_lines(&self) -> Result<Vec<Line>> {
        let line = |second| Line::new("MESH", second).name("MESH", &self.mesh);
        let import = line("IMPORT")?.file("ANIVFILE", self.path(&self.aniv_file))?;
        let mut import = import.file("DATAFILE", self.path(&self.data_file))?;
        for axis in ["X", "Y", "Z"] {
            import = import.integer(axis, 0);
        }
        if self.unmirror {
            import = import.integer("UNMIRROR", 1);
        }
        let mut lines = vec![import, self.origin_line(line("ORIGIN")?)?];
        for sequence in &self.sequences {
            lines.push(sequence.line(line("SEQUENCE")?)?);
        }
        for notify in &self.notifies {
            let called = line("NOTIFY")?.name("SEQ", &notify.sequence)?.number("TIME", notify.time)?;
            lines.push(called.name("FUNCTION", &notify.function)?);
        }
        Ok(lines)
    }

    fn origin_line(&self, line: Line) -> Result<Line> {
        let line = along(line, self.origin)?;
        if self.rotation.iter().all(|angle| *angle == 0.0) {
            return Ok(line);
        }
        let [yaw, pitch, roll] = self.rotation;
        line.number("YAW", yaw)?.number("PITCH", pitch)?.number("ROLL", roll)
    }

    fn texture_lines(&self) -> Result<Vec<Line>> {
        let mut lines = Vec::new();
        for texture in self.textures.iter().filter(|texture| !texture.file.is_empty()) {
            let import = Line::new("TEXTURE", "IMPORT").name("NAME", &texture.name)?;
            lines.push(import.file("FILE", self.path(&texture.file))?.quoted("GROUP", "Skins")?);
        }
        let map = |second| Line::new("MESHMAP", second).name("MESHMAP", &self.mesh);
        lines.push(map("NEW")?.name("MESH", &self.mesh)?);
        lines.push(along(map("SCALE")?, self.scale)?);
        let mut seen = [false; 256];
        for texture in &self.textures {
            let seen = seen.get_mut(usize::from(texture.number));
            if seen.is_some_and(|seen| std::mem::replace(seen, true)) {
                return Err(refused("NUM", "an unused texture number", texture.number.to_string().as_bytes()));
            }
            lines.push(map("SETTEXTURE")?.integer("NUM", texture.number.into()).name("TEXTURE", &texture.name)?);
        }
        Ok(lines)
    }
}

impl Sequence {
    fn line(&self, line: Line) -> Result<Line> {
        let named = line.name("SEQ", &self.name)?;
        let mut line = named.integer("STARTFRAME", self.start.into()).integer("NUMFRAMES", self.frames.into());
        if let Some(rate) = self.rate {
            line = line.number("RATE", rate)?;
        }
        if let Some(group) = &self.group {
            line = line.name("GROUP", group)?;
        }
        Ok(line)
    }
}

/// Makes a new script for a mesh with the files `name_d.3d` and `name_a.3d`.
///
/// The script has the defaults of [`Script::new`], and one texture for each texture index that a
/// rendered polygon uses. The caller can change the fields of the script before writing it.
///
/// The mesh and its class are called `name`, with `_` in place of each character that is not an
/// ASCII letter or digit, and `_` before a leading digit. The scale converts one unit of the mesh's
/// author to four units of the game. For classic vertices, the scale is the published default of
/// 0.5, 0.5, 1. For Deus Ex vertices, the scale is 1/64 along each axis.
///
/// # Errors
///
/// Returns the same errors as [`Mesh::surface`], and
/// [`ErrorKind::Refused`](crate::error::ErrorKind::Refused) if `name` is not allowed as a file name
/// on every operating system.
pub fn build<D: AsRef<[u8]>>(mesh: &Mesh<D>, name: &str) -> Result<Script> {
    let word = word(name)?;
    let frames = u32::try_from(mesh.frame_count()).unwrap_or(u32::MAX);
    let mut script = Script::new(&word, frames);
    // For classic vertices, the scale is the published default of 0.5, 0.5, 1. With the scale for
    // Deus Ex vertices, a mesh has the same size in the game as the same mesh with classic
    // vertices.
    script.scale = mesh.variant().author_scale().map(|scale| scale * 4.0);
    script.data_file = format!("{name}_d.3d");
    script.aniv_file = format!("{name}_a.3d");
    for surface in mesh.surfaces()? {
        let surface = surface?;
        let number = surface.texture();
        // Rendered surfaces are sorted by texture index, so only the last item of `script.textures`
        // can already have the texture index of this surface.
        let known = script.textures.last().is_some_and(|last| last.number == number);
        if surface.is_drawn() && !known {
            let name = format!("J{word}{number}");
            let file = format!("{name}.PCX");
            script.textures.push(Texture { number, name, file });
        }
    }
    Ok(script)
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

/// Returns `name` if it has only ASCII letters, digits and `_`, without a digit at the start.
/// Returns an error for any other name, because the class name is written without quotes into the
/// code of the script.
fn class(name: &str) -> Result<&str> {
    let word = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if word && name.bytes().next().is_some_and(|first| !first.is_ascii_digit()) {
        return Ok(name);
    }
    Err(refused("class", "letters, digits and `_`, without a digit at the start", name.as_bytes()))
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

    fn texture(number: u8, name: &str) -> Texture {
        Texture { number, name: name.into(), file: format!("{name}.PCX") }
    }

    #[test]
    fn spells_the_published_defaults() {
        let script = Script { textures: vec![texture(0, "fur"), texture(3, "eye")], ..Script::new("Cat", 15) };
        let text = String::from_utf8(script.to_bytes().unwrap()).unwrap();
        let expected = r#"class Cat expands Object;

#exec MESH IMPORT MESH=Cat ANIVFILE=MODELS\Cat_a.3d DATAFILE=MODELS\Cat_d.3d X=0 Y=0 Z=0
#exec MESH ORIGIN MESH=Cat X=0 Y=0 Z=0
#exec MESH SEQUENCE MESH=Cat SEQ=All STARTFRAME=0 NUMFRAMES=15
#exec MESH SEQUENCE MESH=Cat SEQ=Still STARTFRAME=0 NUMFRAMES=1

#exec TEXTURE IMPORT NAME=fur FILE=MODELS\fur.PCX GROUP="Skins"
#exec TEXTURE IMPORT NAME=eye FILE=MODELS\eye.PCX GROUP="Skins"
#exec MESHMAP NEW MESHMAP=Cat MESH=Cat
#exec MESHMAP SCALE MESHMAP=Cat X=0.5 Y=0.5 Z=1.0
#exec MESHMAP SETTEXTURE MESHMAP=Cat NUM=0 TEXTURE=fur
#exec MESHMAP SETTEXTURE MESHMAP=Cat NUM=3 TEXTURE=eye
"#;
        assert_eq!(text, expected);
    }

    #[test]
    fn refuses_names_that_change_the_script() {
        let cat = || Script::new("Cat", 1);
        for wrong in [
            Script { class: "Cat\n#exec X".into(), ..cat() },
            Script { class: "Cat;".into(), ..cat() },
            Script { class: String::new(), ..cat() },
            Script { class: "1Cat".into(), ..cat() },
            Script { base: "Object; /*".into(), ..cat() },
            Script { mesh: "Cat FILE=x".into(), ..cat() },
            Script { mesh: "FILE=".into(), ..cat() },
            Script { data_file: "a\nb".into(), ..cat() },
            Script { folder: "a\"".into(), ..cat() },
            Script { scale: [f32::NAN; 3], ..cat() },
            Script { textures: vec![texture(1, "a"), texture(1, "b")], ..cat() },
        ] {
            let error = wrong.to_bytes().unwrap_err();
            assert_eq!(error.kind().id(), "refused", "{error}");
        }
    }
}
