//! The commands of a script, by their places in it.

use super::command::Command;
use crate::math::as_u64;

/// Where a command stands: the offsets of its first byte and of the byte after its last.
#[derive(Clone, Copy, Debug)]
pub(super) struct CommandRange {
    pub(super) start: usize,
    pub(super) end: usize,
}

/// A script's bytes, and where its commands are.
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
