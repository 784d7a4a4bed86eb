//! The commands of a script, which are stored as byte ranges in the text of the script.

use super::command::Command;
use super::encoding::FileOffset;
use crate::math::as_u64;

/// The byte range of a command in the script: the offset of its first byte, and the offset after
/// its last byte.
#[derive(Clone, Copy, Debug)]
pub(super) struct CommandRange {
    pub(super) start: usize,
    pub(super) end: usize,
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
