//! The commands of a script. A command is the text of a `#exec` line, such as `#exec MESH IMPORT
//! ..`.

use ArgumentKind::{Float, Integer, Text};

use super::encoding::FileOffset;
use super::line::{Argument, Arguments, EXEC};
use super::number;
use crate::error::Field;
use crate::error::debug::{short_debug, text};
use crate::math::as_u64;
use crate::parse::Name;

/// The operation of a command, which is given by the first two words of the command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verb {
    /// `MESH IMPORT`: assigns a data file and an aniv file to the name of a mesh.
    MeshImport,
    /// `MESH ORIGIN`: sets the origin and the rotation of a mesh.
    MeshOrigin,
    /// `MESH SEQUENCE`: gives a name to a range of animation frames.
    MeshSequence,
    /// `MESH NOTIFY`: calls a function when a sequence reaches a given time.
    MeshNotify,
    /// `MESH LODPARAMS`: sets the parameters for the levels of detail.
    MeshLodParams,
    /// `MESH DROPFRAMES`: leaves out animation frames when the mesh is imported.
    MeshDropFrames,
    /// `MESHMAP NEW`: makes a mesh map, which is another name for a mesh.
    MeshMapNew,
    /// `MESHMAP SCALE`: sets the factors by which the engine multiplies the stored x, y and z.
    MeshMapScale,
    /// `MESHMAP SETTEXTURE`: assigns a texture to a texture index.
    MeshMapSetTexture,
    /// `TEXTURE IMPORT`: assigns an image file to the name of a texture.
    TextureImport,
    /// Any command whose first two words belong to no other `Verb`, and which is not about a mesh.
    /// [`Script::commands`](super::Script::commands) also returns the commands with the verb
    /// `Other`.
    Other,
}

impl Verb {
    /// Returns whether commands with this verb refer to a mesh by the name of a mesh map, as
    /// `MESHMAP SCALE` does.
    pub(in crate::formats::unreal) fn is_of_map(self) -> bool {
        matches!(self, Self::MeshMapScale | Self::MeshMapSetTexture)
    }
}

/// The type of the value of a key in a command: text, float or integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ArgumentKind {
    Text,
    Float,
    Integer,
}

/// A key that a command with a certain verb can have, such as `SEQ` of `MESH SEQUENCE`.
#[derive(Clone, Copy, Debug)]
pub(super) struct ArgumentKey {
    pub(super) name: &'static str,
    pub(super) kind: ArgumentKind,
    pub(super) needed: bool,
}

/// The first two words and the possible keys of the commands with a certain verb.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spelling {
    pub(super) verb: Verb,
    /// The first two words of a command with this verb, such as `MESH` and `IMPORT`.
    pub(super) words: [&'static str; 2],
    /// The name of the command in byte regions and findings, such as `scale`.
    name: &'static str,
    /// The keys that a command with this verb can have.
    pub(super) keys: &'static [ArgumentKey],
}

const fn needed(name: &'static str, kind: ArgumentKind) -> ArgumentKey {
    ArgumentKey { name, kind, needed: true }
}

const fn key(name: &'static str, kind: ArgumentKind) -> ArgumentKey {
    ArgumentKey { name, kind, needed: false }
}

const MESH: ArgumentKey = needed("MESH", Text);
const MESHMAP: ArgumentKey = needed("MESHMAP", Text);
const X: ArgumentKey = key("X", Float);
const Y: ArgumentKey = key("Y", Float);
const Z: ArgumentKey = key("Z", Float);

/// The verbs of the commands that are about meshes, with the keys that occur in 8,000 lines of real
/// scripts.
pub(super) const SPELLINGS: [Spelling; 10] = [
    spelling(
        Verb::MeshImport,
        ["MESH", "IMPORT"],
        "import",
        &[
            MESH,
            needed("ANIVFILE", Text),
            needed("DATAFILE", Text),
            X,
            Y,
            Z,
            key("UNMIRROR", Text),
            key("MIRROR", Text),
            key("ZEROTEX", Text),
            key("MLOD", Text),
            key("LODNOTEX", Text),
            key("LODSTYLE", Integer),
            key("LODFRAME", Integer),
            key("UNMIRRORTEX", Integer),
        ],
    ),
    spelling(
        Verb::MeshOrigin,
        ["MESH", "ORIGIN"],
        "origin",
        &[MESH, X, Y, Z, key("YAW", Float), key("PITCH", Float), key("ROLL", Float)],
    ),
    spelling(
        Verb::MeshSequence,
        ["MESH", "SEQUENCE"],
        "sequence",
        &[
            MESH,
            needed("SEQ", Text),
            needed("STARTFRAME", Integer),
            needed("NUMFRAMES", Integer),
            key("RATE", Float),
            key("GROUP", Text),
        ],
    ),
    spelling(
        Verb::MeshNotify,
        ["MESH", "NOTIFY"],
        "notify",
        &[MESH, needed("SEQ", Text), needed("TIME", Float), needed("FUNCTION", Text)],
    ),
    spelling(
        Verb::MeshLodParams,
        ["MESH", "LODPARAMS"],
        "lod_params",
        &[
            MESH,
            key("MINVERTS", Float),
            key("STRENGTH", Float),
            key("MORPH", Float),
            key("HYSTERESIS", Float),
            key("ZDISP", Float),
        ],
    ),
    spelling(
        Verb::MeshDropFrames,
        ["MESH", "DROPFRAMES"],
        "drop_frames",
        &[MESH, needed("STARTFRAME", Integer), needed("NUMFRAMES", Integer)],
    ),
    spelling(Verb::MeshMapNew, ["MESHMAP", "NEW"], "map", &[MESHMAP, MESH]),
    spelling(Verb::MeshMapScale, ["MESHMAP", "SCALE"], "scale", &[MESHMAP, X, Y, Z]),
    spelling(
        Verb::MeshMapSetTexture,
        ["MESHMAP", "SETTEXTURE"],
        "set_texture",
        &[MESHMAP, needed("NUM", Integer), needed("TEXTURE", Text), key("TLOD", Float)],
    ),
    spelling(
        Verb::TextureImport,
        ["TEXTURE", "IMPORT"],
        "texture",
        &[
            needed("FILE", Text),
            key("NAME", Text),
            key("GROUP", Text),
            key("FLAGS", Integer),
            key("MIPS", Text),
            key("LODSET", Integer),
            key("PALETTE", Text),
            key("FAMILY", Text),
            key("MASK", Text),
            key("DETAIL", Text),
            key("ALPHATRICK", Text),
        ],
    ),
];

const fn spelling(verb: Verb, words: [&'static str; 2], name: &'static str, keys: &'static [ArgumentKey]) -> Spelling {
    Spelling { verb, words, name, keys }
}

/// One command of a script: from `#exec` to the comment after the command, or to the end of the
/// line.
#[derive(Clone, Copy)]
pub struct Command<'a> {
    bytes: &'a [u8],
    offset: u64,
    /// Whether the text was converted from UTF-16.
    is_wide: bool,
    index: u64,
    words: [Name<'a>; 2],
    /// Offset of the first argument from the start of the command, in bytes.
    arguments: usize,
    spelling: Option<&'static Spelling>,
}

short_debug!(Command<'_>: |command| { index: command.index, offset: command.offset, line: text(command.bytes) });

impl<'a> Command<'a> {
    /// Reads the first two words of the command with index `index`. The bytes of the command start
    /// at byte `offset` of the script.
    pub(super) fn new(bytes: &'a [u8], mut offset: FileOffset, index: usize) -> Self {
        let mut words = [Name::default(); 2];
        let mut arguments = EXEC.len();
        let mut walk = Arguments::new(bytes, arguments, offset);
        for word in &mut words {
            let Some(found) = walk.next().filter(|found| found.value.is_none()) else { break };
            *word = found.key;
            arguments = walk.at();
        }
        let is = |word: Name<'_>, text: &str| word.as_bytes().eq_ignore_ascii_case(text.as_bytes());
        let [first, second] = words;
        let spelling =
            SPELLINGS.iter().find(|Spelling { words: [one, other], .. }| is(first, one) && is(second, other));
        let (is_wide, offset) = (offset.is_wide(), offset.of(bytes, 0));
        Self { bytes, offset, is_wide, index: as_u64(index), words, arguments, spelling }
    }

    /// Returns the operation of the command, which is given by the first two words of the command.
    #[must_use]
    pub fn verb(&self) -> Verb {
        self.spelling.map_or(Verb::Other, |spelling| spelling.verb)
    }

    /// Returns the first two words of the command, such as `MESH` and `IMPORT`, as written in the
    /// script. A missing word is returned as an empty name.
    #[must_use]
    pub const fn words(&self) -> [Name<'a>; 2] {
        self.words
    }

    pub(super) const fn spelling(&self) -> Option<&'static Spelling> {
        self.spelling
    }

    /// Returns the offset of the first byte of the command from the start of the script file.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// Returns the offset of the first byte after the command in the file.
    pub(super) fn end(&self) -> u64 {
        FileOffset::new(self.offset, self.is_wide).of(self.bytes, self.bytes.len())
    }

    /// Returns the bytes of the command, without the line end and without a comment after the
    /// command.
    #[must_use]
    pub const fn as_bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Returns the index of the command among all commands of the script, counted from 0.
    #[must_use]
    pub const fn index(&self) -> u64 {
        self.index
    }

    /// Returns the field name of the command in byte regions and findings, such as
    /// `command[3].scale`.
    #[must_use]
    pub fn field(&self) -> Field {
        Field::new(self.spelling.map_or("other", |spelling| spelling.name)).in_list("command", self.index)
    }

    /// Returns an iterator over the arguments of the command, in file order.
    #[must_use]
    pub const fn arguments(&self) -> Arguments<'a> {
        Arguments::new(self.bytes, self.arguments, FileOffset::new(self.offset, self.is_wide))
    }

    pub(super) fn argument(&self, key: &str) -> Option<Argument<'a>> {
        let is = |one: &Argument<'_>| one.value.is_some() && one.key.as_bytes().eq_ignore_ascii_case(key.as_bytes());
        self.arguments().find(is)
    }

    /// Returns the value of a key, or `None` if the command does not have this key. The case of
    /// letters in the key is ignored. If the command has the key twice, returns the first value.
    #[must_use]
    pub fn value(&self, key: &str) -> Option<Name<'a>> {
        self.argument(key)?.value
    }

    /// Returns the float at the start of the value of a key, or `None` if the command does not have
    /// this key. The returned float is 0 if the value does not start with a number.
    #[must_use]
    pub fn number(&self, key: &str) -> Option<f32> {
        self.value(key).map(|value| number::float(value.as_bytes()).0)
    }

    /// Returns the whole number at the start of the value of a key, or `None` if the command does
    /// not have this key. The returned number is 0 if the value does not start with a number.
    #[must_use]
    pub fn integer(&self, key: &str) -> Option<i64> {
        self.value(key).map(|value| number::integer(value.as_bytes()).0)
    }

    /// Returns whether the value of a key switches an option on: the value is a number other than
    /// 0, or `ON`, `TRUE` or `YES`. Returns `None` if the command does not have this key.
    #[must_use]
    pub fn flag(&self, key: &str) -> Option<bool> {
        let value = self.value(key)?;
        let named = [&b"ON"[..], b"TRUE", b"YES"].iter().any(|on| value.as_bytes().eq_ignore_ascii_case(on));
        Some(named || number::integer(value.as_bytes()).0 != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(text: &str) -> Command<'_> {
        Command::new(text.as_bytes(), FileOffset::new(10, false), 3)
    }

    #[test]
    fn reads_keys_in_any_case() {
        let scale = command("#exec MeshMap\tSCALE meshmap=box X=0.1 y=.2 Y=3 Z=junk YAW");
        assert_eq!(scale.verb(), Verb::MeshMapScale);
        assert_eq!(scale.field().to_string(), "command[3].scale");
        assert_eq!(scale.value("MESHMAP"), Some(Name::new(b"box")));
        assert_eq!((scale.number("x"), scale.number("Y"), scale.number("z")), (Some(0.1), Some(0.2), Some(0.0)));
        assert_eq!((scale.number("YAW"), scale.number("ROLL")), (None, None));
        assert_eq!(scale.arguments().map(|one| one.offset).next(), Some(30));
    }

    #[test]
    fn keeps_what_it_does_not_know() {
        for text in
            ["#exec", "#exec ", "#exec MESH", "#exec MESH=IMPORT", "#exec OBJ LOAD FILE=a", "#exec MESH =IMPORT"]
        {
            assert_eq!(command(text).verb(), Verb::Other, "{text}");
        }
        assert_eq!(command("#exec OBJ LOAD FILE=a").value("file"), Some(Name::new(b"a")));
        assert_eq!(command("#exec MESH MESH=a").words(), [Name::new(b"MESH"), Name::new(b"")]);
    }

    #[test]
    fn tells_flags() {
        let import = command("#exec MESH IMPORT A=1 B=0 C=On D=off E=TRUE");
        let flags = ["A", "B", "C", "D", "E", "F"].map(|key| import.flag(key));
        assert_eq!(flags, [Some(true), Some(false), Some(true), Some(false), Some(true), None]);
    }
}
