//! Commands: what a `#exec` line says, before anybody asks which mesh it is about.

use ArgumentKind::{Float, Integer, Text};

use super::line::{Argument, Arguments, EXEC};
use super::number;
use crate::error::Field;
use crate::math::as_u64;
use crate::parse::Name;

/// What a command does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verb {
    /// `MESH IMPORT`: binds a mesh's name to its two files.
    MeshImport,
    /// `MESH ORIGIN`: moves and turns a mesh.
    MeshOrigin,
    /// `MESH SEQUENCE`: names a range of frames.
    MeshSequence,
    /// `MESH NOTIFY`: calls a function when a sequence reaches a time.
    MeshNotify,
    /// `MESH LODPARAMS`: tunes the levels of detail.
    MeshLodParams,
    /// `MESH DROPFRAMES`: leaves frames out on import.
    MeshDropFrames,
    /// `MESHMAP NEW`: makes a map of a mesh, under a name of its own.
    MeshMapNew,
    /// `MESHMAP SCALE`: scales the stored integers.
    MeshMapScale,
    /// `MESHMAP SETTEXTURE`: gives a texture number its texture.
    MeshMapSetTexture,
    /// `TEXTURE IMPORT`: binds a texture's name to its file.
    TextureImport,
    /// Any other command: it is kept, and says nothing about a mesh.
    Other,
}

impl Verb {
    /// Tells whether a command names a mesh by its map.
    pub(in crate::formats::unreal) fn is_of_map(self) -> bool {
        matches!(self, Self::MeshMapScale | Self::MeshMapSetTexture)
    }
}

/// How the value of a key is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ArgumentKind {
    Text,
    Float,
    Integer,
}

/// A key that a command knows.
#[derive(Clone, Copy, Debug)]
pub(super) struct ArgumentKey {
    pub(super) name: &'static str,
    pub(super) kind: ArgumentKind,
    pub(super) needed: bool,
}

/// The spelling of a verb.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spelling {
    pub(super) verb: Verb,
    /// The two words it is made of.
    pub(super) words: [&'static str; 2],
    /// What regions and findings call it.
    name: &'static str,
    /// The keys it knows.
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

/// The verbs that are about meshes, and the keys of 8,000 real lines.
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

/// One command of a script: from `#exec` to the comment behind it, or the line's end.
#[derive(Clone, Copy, Debug)]
pub struct Command<'a> {
    bytes: &'a [u8],
    offset: u64,
    index: u64,
    words: [Name<'a>; 2],
    /// Where its arguments begin.
    arguments: usize,
    spelling: Option<&'static Spelling>,
}

impl<'a> Command<'a> {
    /// Reads the words of command `index`, whose bytes start at byte `offset` of the file.
    pub(super) fn new(bytes: &'a [u8], offset: u64, index: usize) -> Self {
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
        Self { bytes, offset, index: as_u64(index), words, arguments, spelling }
    }

    /// Returns what the command does.
    #[must_use]
    pub fn verb(&self) -> Verb {
        self.spelling.map_or(Verb::Other, |spelling| spelling.verb)
    }

    /// Returns the two words that say what the command does, as the script spells them; empty where one is missing.
    #[must_use]
    pub const fn words(&self) -> [Name<'a>; 2] {
        self.words
    }

    pub(super) const fn spelling(&self) -> Option<&'static Spelling> {
        self.spelling
    }

    /// Returns the offset of its first byte from the start of the file.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// Returns its bytes, without the comment behind it and the line's end.
    #[must_use]
    pub const fn as_bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Returns its number among the commands of the script, counted from 0.
    #[must_use]
    pub const fn index(&self) -> u64 {
        self.index
    }

    /// Returns the name that regions and findings give it, such as `command[3].scale`.
    #[must_use]
    pub fn field(&self) -> Field {
        Field::new(self.spelling.map_or("other", |spelling| spelling.name)).in_list("command", self.index)
    }

    /// Returns its arguments, in order.
    #[must_use]
    pub const fn arguments(&self) -> Arguments<'a> {
        Arguments::new(self.bytes, self.arguments, self.offset)
    }

    pub(super) fn argument(&self, key: &str) -> Option<Argument<'a>> {
        let is = |one: &Argument<'_>| one.value.is_some() && one.key.as_bytes().eq_ignore_ascii_case(key.as_bytes());
        self.arguments().find(is)
    }

    /// Returns the value of a key, in any case of letters; of a key given twice, the first.
    #[must_use]
    pub fn value(&self, key: &str) -> Option<Name<'a>> {
        self.argument(key)?.value
    }

    /// Returns the number that a key's value begins with: 0 where it begins with none.
    #[must_use]
    pub fn number(&self, key: &str) -> Option<f32> {
        self.value(key).map(|value| number::float(value.as_bytes()).0)
    }

    /// Returns the whole number that a key's value begins with: 0 where it begins with none.
    #[must_use]
    pub fn integer(&self, key: &str) -> Option<i64> {
        self.value(key).map(|value| number::integer(value.as_bytes()).0)
    }

    /// Tells whether a key's value switches something on: a number other than 0, or `ON`, `TRUE`, `YES`.
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
        Command::new(text.as_bytes(), 10, 3)
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
