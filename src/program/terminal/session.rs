//! The terminal during an interactive view: its modes, its keys, and the signals of the process.

use std::io::{self, Read as _, Write, stdin, stdout};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::termios::{InputModes, LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr};
use signal_hook::flag;
use signal_hook::low_level::{emulate_default_handler, pipe};

use super::encode::remove_image;
use super::keys::decode_key;
use super::protocol::Protocol;
use super::size::TerminalSize;
use super::viewer::{EventSource, IMAGES, ViewEvent};
use crate::io::is_signal_ignored;
use crate::program::threads;

/// The time after which the byte of Escape is a key, and not the start of a sequence.
const ESCAPE_TIME: Duration = Duration::from_millis(50);
/// Signals that end the process.
const ENDING: [i32; 4] = [libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGTERM];
/// Shows the alternate screen without a cursor.
const ENTER: &str = "\x1b[?1049h\x1b[?25l\x1b[2J";
/// Ends any string that was interrupted and the delay of changes, resets the colours, and shows the
/// cursor and the first screen.
const LEAVE: &str = "\x1b\\\x1b[?2026l\x1b[0m\x1b[2J\x1b[?25h\x1b[?1049l";
/// The number of times that [`Screen::leave`] looks whether a picture is being written, every 10
/// ms.
const PATIENCE: u32 = 50;

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

/// The signals that arrive during a view.
struct ViewSignals {
    /// Gets a byte for each signal that the viewer reacts to.
    notices: UnixStream,
    stops: Arc<AtomicBool>,
    continues: Arc<AtomicBool>,
    /// The number of the signal that ends the process, or 0.
    ending: Arc<AtomicUsize>,
    /// Whether signals have their default effect again.
    has_ended: Arc<AtomicBool>,
}

/// The signals since the last look.
#[derive(Clone, Copy, Debug)]
struct SignalNotice {
    stops: bool,
    continues: bool,
    /// The signal that ends the process.
    ends: Option<i32>,
}

impl ViewSignals {
    /// Handles signals until [`end`](Self::end). A signal that the process ignores remains ignored.
    ///
    /// A signal that ends the process restores the screen first, even while a picture is drawn: a
    /// thread waits for it. If the system refuses the thread, the signal ends the process when the
    /// picture is drawn.
    fn install(screen: &Arc<Screen>) -> io::Result<Self> {
        let (notices, sender) = UnixStream::pair()?;
        notices.set_nonblocking(true)?;
        let (stops, continues) = (Arc::default(), Arc::default());
        let signals = Self { notices, stops, continues, ending: Arc::default(), has_ended: Arc::default() };
        let is_awaited = signals.restore_before_the_end(screen.clone())?;
        // The actions run in the order of their registration.
        if !is_signal_ignored(libc::SIGTSTP) {
            flag::register_conditional_default(libc::SIGTSTP, signals.has_ended.clone())?;
            flag::register(libc::SIGTSTP, signals.stops.clone())?;
            pipe::register(libc::SIGTSTP, sender.try_clone()?)?;
        }
        flag::register(libc::SIGCONT, signals.continues.clone())?;
        let awaited = ENDING.iter().filter(|signal| !is_awaited && !is_signal_ignored(**signal));
        for signal in [libc::SIGCONT, libc::SIGWINCH].iter().chain(awaited) {
            pipe::register(*signal, sender.try_clone()?)?;
        }
        Ok(signals)
    }

    /// Starts the thread that restores the screen when a signal ends the process. Returns whether
    /// the system allows it.
    fn restore_before_the_end(&self, screen: Arc<Screen>) -> io::Result<bool> {
        let (mut arrivals, sender) = UnixStream::pair()?;
        let number = self.ending.clone();
        for signal in ENDING.into_iter().filter(|signal| !is_signal_ignored(*signal)) {
            flag::register_conditional_default(signal, self.has_ended.clone())?;
            flag::register_usize(signal, number.clone(), usize::try_from(signal).unwrap_or_default())?;
            pipe::register(signal, sender.try_clone()?)?;
        }
        let wait = move || {
            if arrivals.read_exact(&mut [0]).is_ok() {
                let _guard = screen.leave();
                let signal = i32::try_from(number.load(Ordering::SeqCst)).unwrap_or(libc::SIGTERM);
                let _ = emulate_default_handler(signal);
            }
        };
        Ok(threads::start_detached("signals", wait))
    }

    /// Returns the signals that have arrived since the last call.
    fn take(&self) -> SignalNotice {
        // Reads all bytes, so the file waits for the next signal.
        while matches!((&self.notices).read(&mut [0; 64]), Ok(1..)) {}
        let take = |flag: &AtomicBool| flag.swap(false, Ordering::SeqCst);
        let ends = i32::try_from(self.ending.load(Ordering::SeqCst)).ok().filter(|signal| *signal != 0);
        SignalNotice { stops: take(&self.stops), continues: take(&self.continues), ends }
    }

    /// Gives the signals their default effect.
    fn end(&self) {
        self.has_ended.store(true, Ordering::SeqCst);
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

impl Write for ScreenOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        stdout().flush()
    }
}

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
