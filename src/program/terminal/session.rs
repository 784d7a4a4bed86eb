//! The terminal during an interactive view: its modes, its keys, and the signals of the process.

use std::io::{self, Write, stdin, stdout};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::keys::decode_key;
use super::protocol::Protocol;
use super::screen::{Screen, ScreenOutput};
use super::signals::ViewSignals;
use super::size::TerminalSize;
use super::viewer::{EventSource, ViewEvent};

/// The time after which the byte of Escape is a key, and not the start of a sequence.
const ESCAPE_TIME: Duration = Duration::from_millis(50);

/// An interactive view. It restores the terminal when it is dropped, and when a signal ends the
/// process.
pub struct Session {
    screen: Arc<Screen>,
    signals: ViewSignals,
    start: Instant,
    /// Bytes of keys that are not decoded yet.
    bytes: Vec<u8>,
}

impl Session {
    /// Sets the modes of the terminal, and shows an empty screen.
    pub fn start(protocol: Protocol) -> io::Result<Self> {
        let screen = Arc::new(Screen::new(protocol)?);
        let signals = ViewSignals::install(&screen)?;
        let session = Self { screen, signals, start: Instant::now(), bytes: Vec::new() };
        session.screen.enter()?;
        Ok(session)
    }

    /// Returns a writer to the screen.
    pub fn output(&self) -> ScreenOutput {
        ScreenOutput(self.screen.clone())
    }

    /// Returns the first key in the buffer.
    fn buffered(&mut self, has_ended: bool) -> Option<ViewEvent> {
        while let Some((key, length)) = decode_key(&self.bytes, has_ended) {
            self.bytes.drain(..length.min(self.bytes.len()));
            if let Some(key) = key {
                return Some(ViewEvent::Key(key));
            }
        }
        None
    }

    /// Reads the bytes that have arrived. Returns whether the terminal still exists.
    fn read(&mut self) -> bool {
        let mut buffer = [0; 1024];
        match rustix::io::read(stdin(), &mut buffer) {
            Ok(0) => false,
            Ok(length) => {
                self.bytes.extend_from_slice(buffer.get(..length).unwrap_or_default());
                true
            }
            Err(error) => matches!(error, Errno::INTR | Errno::AGAIN),
        }
    }

    /// Stops the process if a signal requests it, and returns an event if the screen must be drawn.
    fn signal_event(&self) -> io::Result<Option<ViewEvent>> {
        let notice = self.signals.take();
        if let Some(signal) = notice.ends {
            let _guard = self.screen.leave();
            signal_hook::low_level::emulate_default_handler(signal)?;
        }
        if notice.stops {
            drop(self.screen.leave());
            // The call returns when the process continues.
            signal_hook::low_level::emulate_default_handler(libc::SIGTSTP)?;
        }
        if notice.stops || notice.continues {
            self.screen.enter()?;
        }
        Ok(Some(ViewEvent::Redraw))
    }
}

impl EventSource for Session {
    fn next(&mut self, timeout: Option<Duration>) -> anyhow::Result<Option<ViewEvent>> {
        if let Some(event) = self.buffered(false) {
            return Ok(Some(event));
        }
        let timeout = if self.bytes.is_empty() { timeout } else { Some(ESCAPE_TIME) };
        let (keys, notices) = (stdin(), &self.signals.notices);
        let mut files = [PollFd::new(&keys, PollFlags::IN), PollFd::new(notices, PollFlags::IN)];
        let timeout = timeout.and_then(|timeout| Timespec::try_from(timeout).ok());
        match poll(&mut files, timeout.as_ref()) {
            Err(Errno::INTR) => return Ok(None),
            Err(error) => return Err(io::Error::from(error).into()),
            Ok(0) => return Ok(self.buffered(true)),
            Ok(_) => {}
        }
        let [has_keys, has_notices] = files.map(|file| !file.revents().is_empty());
        if has_notices {
            return Ok(self.signal_event()?);
        }
        if has_keys && !self.read() {
            return Ok(Some(ViewEvent::Closed));
        }
        Ok(self.buffered(false))
    }

    fn size(&self) -> TerminalSize {
        TerminalSize::of_stdout(&|name| std::env::var(name).ok())
    }

    fn now(&self) -> Duration {
        self.start.elapsed()
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        drop(self.screen.leave());
        self.signals.end();
    }
}

impl Write for ScreenOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        stdout().flush()
    }
}
