//! The commands of a script, which are stored as byte ranges in the text of the script.

use super::command::Command;
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
}

impl<'a> Commands<'a> {
    pub(super) fn get(self, index: usize) -> Option<Command<'a>> {
        let CommandRange { start, end } = *self.places.get(index)?;
        Some(Command::new(self.bytes.get(start..end).unwrap_or_default(), as_u64(start), index))
    }

    pub(super) fn iter(self) -> impl ExactSizeIterator<Item = Command<'a>> + use<'a> {
        let commands = self.places.iter().enumerate();
        commands.map(move |(index, CommandRange { start, end })| {
            Command::new(self.bytes.get(*start..*end).unwrap_or_default(), as_u64(*start), index)
        })
    }
}
