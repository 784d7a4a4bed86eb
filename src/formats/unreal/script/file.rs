//! [`Script`], which holds the bytes of a script and the byte ranges of its commands.

use std::io::Write;

use super::command::Command;
use super::encoding::{FileOffset, WideText};
use super::line::{LineKind, SourceLines};
use super::select::{MeshScript, Selected};
use super::statements::{Import, Statement as _};
use crate::error::debug::short_debug;
use crate::error::{Cause, Error, Field, Result};
use crate::formats::unreal::layout::SCRIPT;
use crate::math::as_u64;
use crate::parse::{ElementType, Limits, Region, room, word};

/// The element type of the byte regions of a script: `u8`.
const CHARACTERS: ElementType = ElementType::new("u8", 1, 1).decoded_by(word);

/// A script. `D` is the type of the value that holds the bytes of the script, such as a
/// [`Map`](crate::io::Map), a `Vec<u8>` or a `&str`.
///
/// | call | time | allocates |
/// |---|---|---|
/// | [`open`](Self::open) | O(bytes) | 16 bytes per command; for UTF-16 also the text in UTF-8, and 8 bytes per command |
/// | [`commands`](Self::commands), [`imports`](Self::imports) | O(1) per command | nothing |
/// | [`select`](Self::select) | O(commands), and a sort of names | 8 bytes per sequence, more per call and texture |
/// | [`mesh`](Self::mesh), and each view of it | O(1), or O(log n) for n selected commands | nothing, or the copy of a name |
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// use meshpeek::unreal::script::Script;
/// let script = Script::open("\
/// ##exec MESH IMPORT MESH=Cat ANIVFILE=MODELS\\cat_a.3d DATAFILE=MODELS\\cat_d.3d
/// ##exec MESH SEQUENCE MESH=Cat SEQ=Walk STARTFRAME=0 NUMFRAMES=15 RATE=10
/// ##exec MESHMAP SCALE MESHMAP=Cat X=0.1 Y=0.1 Z=0.2
/// ")?;
/// let selected = script.select(b"cat");
/// let cat = script.mesh(&selected);
/// assert_eq!(cat.scale(), Some([0.1, 0.1, 0.2]));
/// assert_eq!(cat.sequence(0).map(|walk| walk.frames), Some(15));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Script<D> {
    data: D,
    places: Box<[CommandRange]>,
    /// The text of a script in UTF-16.
    wide: Option<Box<WideText>>,
}

short_debug!([D: AsRef<[u8]>] Script<D>: |script| { format: SCRIPT, bytes: script.as_bytes().len(), commands: script.command_count() });

impl<D: AsRef<[u8]>> Script<D> {
    /// Finds the commands in the bytes of a script. A script without commands is not an error.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Limit`] if the script is longer than the limit [`script`](Limits::with_script) or
    /// has more commands than the limit [`items`](Limits::with_items), and [`ErrorKind::OutOfMemory`] if an
    /// allocation fails.
    ///
    /// [`ErrorKind::Limit`]: crate::ErrorKind::Limit
    /// [`ErrorKind::OutOfMemory`]: crate::ErrorKind::OutOfMemory
    pub fn open(data: D) -> Result<Self> {
        Self::open_with(data, &Limits::default())
    }

    /// Finds the commands in the bytes of a script, with the given maximum sizes.
    ///
    /// The limit [`script`](Limits::with_script) is the maximum size of the script, in bytes. [`items`](Limits::with_items)
    /// is the maximum number of commands.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`open`](Self::open).
    pub fn open_with(data: D, limits: &Limits) -> Result<Self> {
        let bytes = data.as_ref();
        within("script", limits.script, as_u64(bytes.len()))?;
        let mut wide = WideText::decode(bytes)?;
        let text = wide.as_ref().map_or(bytes, |wide| &*wide.text);
        let commands = || SourceLines::new(text).filter(|line| line.kind == LineKind::Command);
        let count = commands().count();
        within("items", limits.items, as_u64(count))?;
        let mut places = room(SCRIPT, "commands", count)?;
        places.extend(commands().take(count).map(|line| CommandRange { start: line.start, end: line.end }));
        if let Some(wide) = &mut wide {
            let (mut offset, mut starts) = (FileOffset::new(wide.start, true), room(SCRIPT, "commands", places.len())?);
            starts.extend(places.iter().map(|place: &CommandRange| offset.of(&wide.text, place.start)));
            wide.commands = starts.into();
        }
        Ok(Self { data, places: places.into(), wide: wide.map(Box::new) })
    }

    /// Returns the value that holds the bytes of the script.
    #[must_use]
    pub const fn data(&self) -> &D {
        &self.data
    }

    /// Consumes the script, and returns the value that holds its bytes.
    #[must_use]
    pub fn into_inner(self) -> D {
        self.data
    }

    /// Returns the bytes of the script.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        self.data.as_ref()
    }

    /// Returns the text of the script, and the converter of its offsets to offsets in the file.
    pub(super) fn text(&self) -> (&[u8], FileOffset) {
        match &self.wide {
            Some(wide) => (&wide.text, FileOffset::new(wide.start, true)),
            None => (self.as_bytes(), FileOffset::new(0, false)),
        }
    }

    pub(super) fn all(&self) -> Commands<'_> {
        let starts = self.wide.as_deref().map(|wide| &*wide.commands);
        Commands { bytes: self.text().0, places: &self.places, starts }
    }

    /// Returns the number of commands in the script.
    #[must_use]
    pub const fn command_count(&self) -> usize {
        self.places.len()
    }

    /// Returns an iterator over the commands of the script, in file order.
    pub fn commands(&self) -> impl Iterator<Item = Command<'_>> {
        self.all().iter()
    }

    /// Returns the command with the given index in file order, or `None` if the index is out of
    /// range.
    #[must_use]
    pub fn command(&self, index: usize) -> Option<Command<'_>> {
        self.all().get(index)
    }

    /// Returns an iterator over the `MESH IMPORT` commands, in file order. Each [`Import`] has the
    /// paths of the data file and the aniv file of a mesh.
    pub fn imports(&self) -> impl Iterator<Item = Import<'_>> {
        self.commands().filter_map(Import::of)
    }

    /// Finds the commands about the mesh with the given name, without regard to the case of
    /// letters. Each call of this function reads every command of the script.
    #[must_use]
    pub fn select(&self, mesh: &[u8]) -> Selected {
        Selected::new(self.all(), mesh)
    }

    /// Finds the commands about every mesh that the script imports, in the order of the imports. A
    /// mesh that is imported twice appears once in the returned vector. The function reads the
    /// commands a fixed number of times, independent of the number of meshes.
    #[must_use]
    pub fn select_all(&self) -> Vec<Selected> {
        Selected::all(self.all())
    }

    /// Returns a view of the script's commands about one mesh. The argument `selected` must be a
    /// result of [`select`](Self::select) or [`select_all`](Self::select_all) for this script.
    #[must_use]
    pub fn mesh<'a>(&'a self, selected: &'a Selected) -> MeshScript<'a> {
        MeshScript::new(self.all(), selected)
    }

    /// Calls `see` once for each byte region of the script, in file order. For example, the region
    /// `command[3].scale` is command 3, and the region `text[3]` is the text before command 3.
    ///
    /// # Errors
    ///
    /// Never returns an error, because every byte of an opened script belongs to a command or to
    /// the text between commands.
    pub fn regions(&self, see: &mut dyn FnMut(Region)) -> Result<()> {
        let mut at = 0;
        for command in self.commands() {
            let start = command.offset();
            text(at, start, command.index(), see);
            at = command.end();
            span(command.field(), start, at, see);
        }
        text(at, as_u64(self.as_bytes().len()), as_u64(self.command_count()), see);
        Ok(())
    }

    /// Writes an exact copy of the script to `out`: the commands, and the text between the
    /// commands.
    ///
    /// # Errors
    ///
    /// Returns an error if writing to `out` fails. If an error is returned, the first bytes of the
    /// script may already have been written to `out`.
    pub fn write_to(&self, mut out: impl Write) -> Result<()> {
        let failed = |error: std::io::Error| Error::without_offset(SCRIPT, Field::new("output"), error.into());
        out.write_all(self.as_bytes()).map_err(failed)?;
        out.flush().map_err(failed)
    }
}

/// The byte range of a command in the script: the offset of its first byte, and the offset after
/// its last byte.
#[derive(Clone, Copy, Debug)]
pub(super) struct CommandRange {
    start: usize,
    end: usize,
}

/// The bytes of a script, and the byte ranges of its commands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Commands<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) places: &'a [CommandRange],
    /// The offset of each command in the file, if the text was converted from UTF-16.
    pub(super) starts: Option<&'a [u64]>,
}

impl<'a> Commands<'a> {
    pub(super) fn get(self, index: usize) -> Option<Command<'a>> {
        self.places.get(index).map(|place| self.command(index, place))
    }

    pub(super) fn iter(self) -> impl ExactSizeIterator<Item = Command<'a>> + use<'a> {
        let commands = self.places.iter().enumerate();
        commands.map(move |(index, place)| self.command(index, place))
    }

    fn command(self, index: usize, CommandRange { start, end }: &CommandRange) -> Command<'a> {
        let offset = match self.starts {
            Some(starts) => FileOffset::new(starts.get(index).copied().unwrap_or_default(), true),
            None => FileOffset::new(as_u64(*start), false),
        };
        Command::new(self.bytes.get(*start..*end).unwrap_or_default(), offset, index)
    }
}

/// Calls `see` with the region of the text before command `index`, if this text is not empty.
fn text(start: u64, end: u64, index: u64, see: &mut dyn FnMut(Region)) {
    if start < end {
        span(Field::new("").in_list("text", index), start, end, see);
    }
}

fn span(field: Field, start: u64, end: u64, see: &mut dyn FnMut(Region)) {
    see(Region { field, start, end, element: CHARACTERS, count: end.saturating_sub(start) });
}

fn within(name: &'static str, allowed: u64, asked: u64) -> Result<()> {
    if asked > allowed { Err(wrong(name, Cause::Limit { name, allowed, asked })) } else { Ok(()) }
}

fn wrong(name: &'static str, kind: Cause) -> Error {
    Error::without_offset(SCRIPT, Field::new(name), kind)
}
