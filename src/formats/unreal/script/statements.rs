//! What commands mean: one view for each verb. A key that is missing reads as an empty name, or as 0.

use super::command::{Command, Verb};
use crate::parse::Name;

/// A view of the commands with one verb.
pub(super) trait Statement<'a>: Sized {
    /// The verb of its commands.
    const VERB: Verb;

    /// Reads a command with that verb.
    fn read(command: Command<'a>) -> Self;

    /// Reads a command, if it has that verb.
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

/// `MESH IMPORT`: the two files of a mesh.
#[derive(Clone, Copy, Debug)]
pub struct Import<'a> {
    /// The command.
    pub command: Command<'a>,
    /// The mesh's name.
    pub mesh: Name<'a>,
    /// The file of its frames.
    pub aniv_file: Name<'a>,
    /// The file of its polygons.
    pub data_file: Name<'a>,
    /// Whether the model is flipped on import: usual for players' models, and not to be seen in the files.
    pub unmirror: bool,
    /// Whether `MIRROR` is set; what it does is not known.
    pub mirror: bool,
    /// Whether texture numbers start at 0.
    pub zero_tex: bool,
    /// Whether levels of detail are made; `None` leaves it to the engine.
    pub mlod: Option<bool>,
    /// Whether levels of detail ignore textures; `None` leaves it to the engine.
    pub lod_no_tex: Option<bool>,
    /// How levels of detail are made.
    pub lod_style: Option<i64>,
    /// The frame that levels of detail are made from.
    pub lod_frame: Option<i64>,
    /// A texture number that is not flipped.
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

/// `MESH ORIGIN`: where a mesh stands, and how it is turned.
#[derive(Clone, Copy, Debug)]
pub struct Origin<'a> {
    /// The command.
    pub command: Command<'a>,
    /// Offset along each axis, in stored units.
    pub position: [f32; 3],
    /// Rotation around z, in 1/256 of a turn.
    pub yaw: f32,
    /// Rotation around y, in 1/256 of a turn.
    pub pitch: f32,
    /// Rotation around x, in 1/256 of a turn.
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

/// `MESH SEQUENCE`: a named range of frames.
#[derive(Clone, Copy, Debug)]
pub struct Sequence<'a> {
    /// The command.
    pub command: Command<'a>,
    /// Its name.
    pub name: Name<'a>,
    /// Its first frame, as the script says: it may be no frame of the mesh.
    pub start: i64,
    /// How many frames it has, as the script says: there may be fewer.
    pub frames: i64,
    /// Frames per second; `None` leaves it to the engine, which takes 30.
    pub rate: Option<f32>,
    /// The group it belongs to.
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

/// `MESH NOTIFY`: a call when a sequence reaches a time.
#[derive(Clone, Copy, Debug)]
pub struct Notify<'a> {
    /// The command.
    pub command: Command<'a>,
    /// The sequence's name.
    pub sequence: Name<'a>,
    /// When: a fraction of the sequence, 0 to 1.
    pub time: f32,
    /// The function that is called.
    pub function: Name<'a>,
}

impl<'a> Statement<'a> for Notify<'a> {
    const VERB: Verb = Verb::MeshNotify;

    fn read(command: Command<'a>) -> Self {
        let (sequence, function) = (text(&command, "SEQ"), text(&command, "FUNCTION"));
        Self { command, sequence, time: float(&command, "TIME"), function }
    }
}

/// `MESH LODPARAMS`: how levels of detail are chosen. What is `None` is left to the engine.
#[derive(Clone, Copy, Debug)]
pub struct LodParams<'a> {
    /// The command.
    pub command: Command<'a>,
    /// The fewest vertices that are drawn.
    pub min_verts: Option<f32>,
    /// How soon detail goes with distance.
    pub strength: Option<f32>,
    /// How much of a change is blended.
    pub morph: Option<f32>,
    /// How reluctantly the level changes.
    pub hysteresis: Option<f32>,
    /// What is added to the distance.
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

/// `MESH DROPFRAMES`: frames that are left out on import.
#[derive(Clone, Copy, Debug)]
pub struct DropFrames<'a> {
    /// The command.
    pub command: Command<'a>,
    /// The first of them.
    pub start: i64,
    /// How many.
    pub frames: i64,
}

impl<'a> Statement<'a> for DropFrames<'a> {
    const VERB: Verb = Verb::MeshDropFrames;

    fn read(command: Command<'a>) -> Self {
        Self { command, start: integer(&command, "STARTFRAME"), frames: integer(&command, "NUMFRAMES") }
    }
}

/// `MESHMAP SETTEXTURE`: the texture of a texture number.
#[derive(Clone, Copy, Debug)]
pub struct SetTexture<'a> {
    /// The command.
    pub command: Command<'a>,
    /// The number that polygons hold.
    pub number: i64,
    /// The texture's name, or its path in a package: `Package.Group.Name`.
    pub texture: Name<'a>,
    /// The distance from which it is drawn with less detail.
    pub lod: Option<f32>,
}

impl<'a> Statement<'a> for SetTexture<'a> {
    const VERB: Verb = Verb::MeshMapSetTexture;

    fn read(command: Command<'a>) -> Self {
        let (number, texture) = (integer(&command, "NUM"), text(&command, "TEXTURE"));
        Self { command, number, texture, lod: command.number("TLOD") }
    }
}

/// `TEXTURE IMPORT`: the file of a texture.
#[derive(Clone, Copy, Debug)]
pub struct TextureImport<'a> {
    /// The command.
    pub command: Command<'a>,
    /// The texture's name: the file's stem where the command gives none.
    pub name: Name<'a>,
    /// The image's file.
    pub file: Name<'a>,
    /// The group it belongs to.
    pub group: Option<Name<'a>>,
    /// Bits: 2 is said to mean masked.
    pub flags: Option<i64>,
    /// Whether smaller images are made.
    pub mips: Option<bool>,
    /// Which set of texture detail settings it follows.
    pub lod_set: Option<i64>,
    /// The texture whose palette it takes.
    pub palette: Option<Name<'a>>,
    /// The texture that is drawn over it when it is near.
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

/// Returns the name of a file without its folders and without its extension.
fn stem(file: Name<'_>) -> Name<'_> {
    let bytes = file.as_bytes();
    let name = bytes.rsplit(|byte| matches!(byte, b'\\' | b'/')).next().unwrap_or_default();
    let dot = name.iter().rposition(|byte| *byte == b'.').filter(|dot| *dot > 0);
    Name::new(name.get(..dot.unwrap_or(name.len())).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view<'a, V: Statement<'a>>(text: &'a str) -> V {
        V::of(Command::new(text.as_bytes(), 0, 0)).unwrap()
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
