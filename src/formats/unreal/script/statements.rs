//! Typed views of commands: one view for each verb. If a command lacks a required key, the field of
//! the typed view for the missing key is an empty name or 0.

use super::command::{Command, Verb};
use crate::parse::Name;

/// A typed view of a command that has a certain verb.
pub(super) trait Statement<'a>: Sized {
    /// The verb of the commands that this typed view represents.
    const VERB: Verb;

    /// Makes the typed view of a command that has the verb [`VERB`](Self::VERB).
    fn read(command: Command<'a>) -> Self;

    /// Makes the typed view of a command, or returns `None` if the command has another verb than
    /// [`VERB`](Self::VERB).
    fn of(command: Command<'a>) -> Option<Self> {
        (command.verb() == Self::VERB).then(|| Self::read(command))
    }
}

fn text<'a>(command: &Command<'a>, key: &str) -> Name<'a> {
    command.value(key).unwrap_or_default()
}

fn integer(command: &Command<'_>, key: &str) -> i64 {
    command.integer(key).unwrap_or_default()
}

fn float(command: &Command<'_>, key: &str) -> f32 {
    command.number(key).unwrap_or_default()
}

/// `MESH IMPORT`: the paths of the data file and the aniv file of a mesh, and the import options.
#[derive(Clone, Copy, Debug)]
pub struct Import<'a> {
    /// The `MESH IMPORT` command that this view was made from.
    pub command: Command<'a>,
    /// The name of the mesh.
    pub mesh: Name<'a>,
    /// The path of the aniv file, which holds the animation frames.
    pub aniv_file: Name<'a>,
    /// The path of the data file, which holds the polygons.
    pub data_file: Name<'a>,
    /// Whether the engine mirrors (flips) the model on import: the key `UNMIRROR`. Scripts usually
    /// set `UNMIRROR` for player models. The data file and the aniv file do not show whether the
    /// engine mirrors a model.
    pub unmirror: bool,
    /// Whether the key `MIRROR` is set. The effect of `MIRROR` is not known.
    pub mirror: bool,
    /// Whether the key `ZEROTEX` is set, which means that texture indices start at 0.
    pub zero_tex: bool,
    /// Whether the engine makes levels of detail for the mesh. `None` if the command has no key
    /// `MLOD`: the engine then decides whether to make levels of detail.
    pub mlod: Option<bool>,
    /// Whether the engine ignores textures when it makes levels of detail. `None` if the command
    /// has no key `LODNOTEX`: the engine then decides whether to ignore textures.
    pub lod_no_tex: Option<bool>,
    /// The value of the key `LODSTYLE`, which selects the style in which the engine makes levels of
    /// detail.
    pub lod_style: Option<i64>,
    /// The index of the animation frame whose vertex positions the engine uses to make levels of
    /// detail.
    pub lod_frame: Option<i64>,
    /// The index of a texture that the engine does not mirror on import (the key `UNMIRRORTEX`).
    pub unmirror_tex: Option<i64>,
}

impl<'a> Statement<'a> for Import<'a> {
    const VERB: Verb = Verb::MeshImport;

    fn read(command: Command<'a>) -> Self {
        let flag = |key| command.flag(key).unwrap_or_default();
        Self {
            command,
            mesh: text(&command, "MESH"),
            aniv_file: text(&command, "ANIVFILE"),
            data_file: text(&command, "DATAFILE"),
            unmirror: flag("UNMIRROR"),
            mirror: flag("MIRROR"),
            zero_tex: flag("ZEROTEX"),
            mlod: command.flag("MLOD"),
            lod_no_tex: command.flag("LODNOTEX"),
            lod_style: command.integer("LODSTYLE"),
            lod_frame: command.integer("LODFRAME"),
            unmirror_tex: command.integer("UNMIRRORTEX"),
        }
    }
}

/// `MESH ORIGIN`: the origin and the rotation of a mesh.
#[derive(Clone, Copy, Debug)]
pub struct Origin<'a> {
    /// The `MESH ORIGIN` command that this view was made from.
    pub command: Command<'a>,
    /// The stored position that the engine moves to 0, 0, 0, in the integer units of the aniv file.
    pub position: [f32; 3],
    /// The rotation of the mesh around the z axis, in 1/256 of a turn.
    pub yaw: f32,
    /// The rotation of the mesh around the y axis, in 1/256 of a turn.
    pub pitch: f32,
    /// The rotation of the mesh around the x axis, in 1/256 of a turn.
    pub roll: f32,
}

impl<'a> Statement<'a> for Origin<'a> {
    const VERB: Verb = Verb::MeshOrigin;

    fn read(command: Command<'a>) -> Self {
        let number = |key| float(&command, key);
        Self {
            command,
            position: ["X", "Y", "Z"].map(number),
            yaw: number("YAW"),
            pitch: number("PITCH"),
            roll: number("ROLL"),
        }
    }
}

/// `MESH SEQUENCE`: a named range of animation frames.
#[derive(Clone, Copy, Debug)]
pub struct Sequence<'a> {
    /// The `MESH SEQUENCE` command that this view was made from.
    pub command: Command<'a>,
    /// The name of the sequence.
    pub name: Name<'a>,
    /// The index of the first animation frame of the sequence, as written in the script. The
    /// animation frame with this index may not exist in the mesh.
    pub start: i64,
    /// The number of animation frames of the sequence, as written in the script. The mesh may have
    /// fewer animation frames than the sequence refers to.
    pub frames: i64,
    /// The playback rate in animation frames per second. If the rate is `None`, the engine uses 30
    /// frames per second.
    pub rate: Option<f32>,
    /// The name of the group of the sequence, or `None` if the command gives no group.
    pub group: Option<Name<'a>>,
}

impl<'a> Statement<'a> for Sequence<'a> {
    const VERB: Verb = Verb::MeshSequence;

    fn read(command: Command<'a>) -> Self {
        Self {
            command,
            name: text(&command, "SEQ"),
            start: integer(&command, "STARTFRAME"),
            frames: integer(&command, "NUMFRAMES"),
            rate: command.number("RATE"),
            group: command.value("GROUP"),
        }
    }
}

/// `MESH NOTIFY`: a function that the engine calls when a sequence reaches a given time.
#[derive(Clone, Copy, Debug)]
pub struct Notify<'a> {
    /// The `MESH NOTIFY` command that this view was made from.
    pub command: Command<'a>,
    /// The name of the sequence.
    pub sequence: Name<'a>,
    /// The time at which the engine calls the function, as a fraction of the sequence from 0 to 1.
    pub time: f32,
    /// The name of the function that the engine calls.
    pub function: Name<'a>,
}

impl<'a> Statement<'a> for Notify<'a> {
    const VERB: Verb = Verb::MeshNotify;

    fn read(command: Command<'a>) -> Self {
        let (sequence, function) = (text(&command, "SEQ"), text(&command, "FUNCTION"));
        Self { command, sequence, time: float(&command, "TIME"), function }
    }
}

/// `MESH LODPARAMS`: the parameters for the levels of detail. The engine uses its default value for
/// each level-of-detail parameter that is `None`.
#[derive(Clone, Copy, Debug)]
pub struct LodParams<'a> {
    /// The `MESH LODPARAMS` command that this view was made from.
    pub command: Command<'a>,
    /// The number of vertices below which the engine does not reduce the mesh.
    pub min_verts: Option<f32>,
    /// How quickly the level of detail decreases with distance.
    pub strength: Option<f32>,
    /// The fraction of a change between two levels of detail that the engine blends gradually.
    pub morph: Option<f32>,
    /// The hysteresis (resistance to a change) when the engine switches between levels of detail.
    pub hysteresis: Option<f32>,
    /// The value that is added to the distance of the mesh when the level of detail is selected.
    pub z_displace: Option<f32>,
}

impl<'a> Statement<'a> for LodParams<'a> {
    const VERB: Verb = Verb::MeshLodParams;

    fn read(command: Command<'a>) -> Self {
        Self {
            command,
            min_verts: command.number("MINVERTS"),
            strength: command.number("STRENGTH"),
            morph: command.number("MORPH"),
            hysteresis: command.number("HYSTERESIS"),
            z_displace: command.number("ZDISP"),
        }
    }
}

/// `MESH DROPFRAMES`: a range of animation frames that the engine leaves out on import.
#[derive(Clone, Copy, Debug)]
pub struct DropFrames<'a> {
    /// The `MESH DROPFRAMES` command that this view was made from.
    pub command: Command<'a>,
    /// The index of the first animation frame that the engine leaves out on import.
    pub start: i64,
    /// The number of animation frames that the engine leaves out on import.
    pub frames: i64,
}

impl<'a> Statement<'a> for DropFrames<'a> {
    const VERB: Verb = Verb::MeshDropFrames;

    fn read(command: Command<'a>) -> Self {
        Self { command, start: integer(&command, "STARTFRAME"), frames: integer(&command, "NUMFRAMES") }
    }
}

/// `MESHMAP SETTEXTURE`: assigns a texture to a texture index.
#[derive(Clone, Copy, Debug)]
pub struct SetTexture<'a> {
    /// The `MESHMAP SETTEXTURE` command that this view was made from.
    #[cfg(feature = "internals")]
    pub command: Command<'a>,
    /// The texture index by which polygons refer to the texture.
    pub number: i64,
    /// The name of the texture, or its path in a package: `Package.Group.Name`.
    pub texture: Name<'a>,
    /// The distance from which the texture is rendered with less detail.
    #[cfg(feature = "internals")]
    pub lod: Option<f32>,
}

impl<'a> Statement<'a> for SetTexture<'a> {
    const VERB: Verb = Verb::MeshMapSetTexture;

    fn read(command: Command<'a>) -> Self {
        let (number, texture) = (integer(&command, "NUM"), text(&command, "TEXTURE"));
        Self {
            #[cfg(feature = "internals")]
            command,
            number,
            texture,
            #[cfg(feature = "internals")]
            lod: command.number("TLOD"),
        }
    }
}

/// `TEXTURE IMPORT`: assigns an image file to the name of a texture.
#[derive(Clone, Copy, Debug)]
pub struct TextureImport<'a> {
    /// The `TEXTURE IMPORT` command that this view was made from.
    pub command: Command<'a>,
    /// The name of the texture. If the command has no key `NAME`, the name is the stem of the file
    /// name.
    pub name: Name<'a>,
    /// The path of the image file.
    pub file: Name<'a>,
    /// The name of the group of the texture, or `None` if the command gives no group.
    pub group: Option<Name<'a>>,
    /// The flag bits of the texture. According to unconfirmed descriptions, the value 2 marks a
    /// masked texture.
    pub flags: Option<i64>,
    /// Whether the engine makes smaller images of the texture (mipmaps).
    pub mips: Option<bool>,
    /// The value of the key `LODSET`, which selects the set of texture detail settings for this
    /// texture.
    pub lod_set: Option<i64>,
    /// The name of the texture whose palette this texture uses.
    pub palette: Option<Name<'a>>,
    /// The name of the detail texture, which is rendered over this texture at a short distance.
    pub detail: Option<Name<'a>>,
}

impl<'a> Statement<'a> for TextureImport<'a> {
    const VERB: Verb = Verb::TextureImport;

    fn read(command: Command<'a>) -> Self {
        let file = text(&command, "FILE");
        Self {
            command,
            name: command.value("NAME").unwrap_or_else(|| stem(file)),
            file,
            group: command.value("GROUP"),
            flags: command.integer("FLAGS"),
            mips: command.flag("MIPS"),
            lod_set: command.integer("LODSET"),
            palette: command.value("PALETTE"),
            detail: command.value("DETAIL"),
        }
    }
}

/// Returns the stem of a path: the file name without folders and without its extension.
fn stem(file: Name<'_>) -> Name<'_> {
    let bytes = file.as_bytes();
    let name = bytes.rsplit(|byte| matches!(byte, b'\\' | b'/')).next().unwrap_or_default();
    let dot = name.iter().rposition(|byte| *byte == b'.').filter(|dot| *dot > 0);
    Name::new(name.get(..dot.unwrap_or(name.len())).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::super::encoding::FileOffset;
    use super::*;

    fn view<'a, V: Statement<'a>>(text: &'a str) -> V {
        V::of(Command::new(text.as_bytes(), FileOffset::new(0, false), 0)).unwrap()
    }

    #[test]
    fn reads_each_verb() {
        let import: Import<'_> =
            view("#exec MESH IMPORT MESH=a ANIVFILE=M\\a_a.3d DATAFILE=\"M x\\a_d.3d\" UNMIRROR=1 MLOD=0");
        assert_eq!(import.data_file, Name::new(b"M x\\a_d.3d"));
        assert_eq!((import.unmirror, import.mirror, import.mlod, import.lod_style), (true, false, Some(false), None));
        let origin: Origin<'_> = view("#exec mesh origin mesh=a x=-460.00 z=2 yaw=-64");
        assert_eq!((origin.position, origin.yaw, origin.roll), ([-460.0, 0.0, 2.0], -64.0, 0.0));
        let sequence: Sequence<'_> = view("#exec MESH SEQUENCE MESH=a SEQ=Run STARTFRAME=3 NUMFRAMES=10 RATE=15");
        assert_eq!((sequence.start, sequence.frames, sequence.rate, sequence.group), (3, 10, Some(15.0), None));
        let notify: Notify<'_> = view("#exec MESH NOTIFY MESH=a SEQ=Run TIME=0.5 FUNCTION=Step");
        assert_eq!((notify.sequence, notify.time, notify.function), (Name::new(b"Run"), 0.5, Name::new(b"Step")));
        let lod: LodParams<'_> = view("#exec MESH LODPARAMS MESH=a STRENGTH=0.0");
        assert_eq!((lod.strength, lod.morph), (Some(0.0), None));
        let drop: DropFrames<'_> = view("#exec MESH DROPFRAMES MESH=a STARTFRAME=1 NUMFRAMES=2");
        assert_eq!((drop.start, drop.frames), (1, 2));
        let set: SetTexture<'_> = view("#exec MESHMAP SETTEXTURE MESHMAP=a NUM=3 TEXTURE=P.G.N TLOD=10");
        assert_eq!((set.number, set.texture, set.lod), (3, Name::new(b"P.G.N"), Some(10.0)));
        assert!(Import::of(set.command).is_none());
    }

    #[test]
    fn names_a_texture_after_its_file() {
        let stem = |file: &str| {
            let text = format!("#exec TEXTURE IMPORT FILE={file} MIPS=OFF");
            let import: TextureImport<'_> = view(&text);
            assert_eq!(import.mips, Some(false));
            import.name.to_string()
        };
        assert_eq!(["Textures\\a.b.pcx", "a/b", ".pcx", "\\"].map(stem), ["a.b", "b", ".pcx", ""]);
    }
}
