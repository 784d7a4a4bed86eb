//! The screen of an interactive view, and the modes of its terminal.

use std::io::{self, stdin, stdout};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};
use std::thread;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::termios::{InputModes, LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr};

use super::encode::remove_image;
use super::protocol::Protocol;
use super::viewer::IMAGES;

/// Shows the alternate screen without a cursor.
const ENTER: &str = "\x1b[?1049h\x1b[?25l\x1b[2J";
/// Ends any string that was interrupted and the delay of changes, resets the colours, and shows the
/// cursor and the first screen.
const LEAVE: &str = "\x1b\\\x1b[?2026l\x1b[0m\x1b[2J\x1b[?25h\x1b[?1049l";

/// The number of times that [`Screen::leave`] looks whether a picture is being written, every 10
/// ms.
const PATIENCE: u32 = 50;

/// The screen of an interactive view.
pub struct Screen {
    original: Termios,
    modes: Termios,
    leave: String,
    /// Is locked while a picture is written.
    writing: Mutex<()>,
}

/// A writer to the screen.
pub struct ScreenOutput(pub Arc<Screen>);

impl Screen {
    /// Reads the modes of the terminal, and changes nothing.
    pub fn new(protocol: Protocol) -> io::Result<Self> {
        let original = tcgetattr(stdin())?;
        let images = if protocol == Protocol::Kitty { IMAGES.map(remove_image).concat() } else { String::new() };
        let modes = view_modes(&original);
        Ok(Self { original, modes, leave: format!("{images}{LEAVE}"), writing: Mutex::new(()) })
    }

    /// Sets the modes for single keys, and shows an empty screen.
    pub fn enter(&self) -> io::Result<()> {
        tcsetattr(stdin(), OptionalActions::Now, &self.modes)?;
        self.write(ENTER.as_bytes())
    }

    /// Restores the modes and the first screen. Nothing else is written while the result exists.
    ///
    /// It waits half a second at most for a picture that is being written. Then the terminal takes
    /// no bytes, and only the modes are restored.
    pub fn leave(&self) -> Option<MutexGuard<'_, ()>> {
        let guard = self.lock_soon();
        // The terminal may have gone. Then nothing is left to restore.
        if guard.is_some() {
            let _ = rustix::io::write(stdout(), self.leave.as_bytes());
        }
        let _ = tcsetattr(stdin(), OptionalActions::Now, &self.original);
        guard
    }

    /// Writes all bytes. Other threads that write or leave wait until then.
    pub fn write(&self, mut bytes: &[u8]) -> io::Result<()> {
        let _guard = self.writing.lock();
        while !bytes.is_empty() {
            match rustix::io::write(stdout(), bytes) {
                Ok(length) => bytes = bytes.get(length..).unwrap_or_default(),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => drop(poll(&mut [PollFd::new(&stdout(), PollFlags::OUT)], None)?),
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Waits half a second until no picture is being written.
    fn lock_soon(&self) -> Option<MutexGuard<'_, ()>> {
        for _ in 0..PATIENCE {
            match self.writing.try_lock() {
                Ok(guard) => return Some(guard),
                Err(TryLockError::Poisoned(poisoned)) => return Some(poisoned.into_inner()),
                Err(TryLockError::WouldBlock) => thread::sleep(Duration::from_millis(10)),
            }
        }
        None
    }
}

/// Returns modes in which each key arrives at once and is not shown. Signals, such as by Ctrl-C and
/// Ctrl-Z, and line breaks in the output remain as they are.
fn view_modes(original: &Termios) -> Termios {
    let mut modes = original.clone();
    modes.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO | LocalModes::IEXTEN);
    modes.input_modes.remove(InputModes::IXON | InputModes::ICRNL | InputModes::INLCR);
    modes.special_codes[SpecialCodeIndex::VMIN] = 1;
    modes.special_codes[SpecialCodeIndex::VTIME] = 0;
    modes
}
