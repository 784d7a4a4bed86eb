//! The signals of the process during an interactive view.

use std::io::{self, Read as _};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use signal_hook::flag;
use signal_hook::low_level::{emulate_default_handler, pipe};

use super::screen::Screen;
use crate::io::is_signal_ignored;
use crate::program::threads;

/// Signals that end the process.
const ENDING: [i32; 4] = [libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGTERM];

/// The signals that arrive during a view.
pub struct ViewSignals {
    /// Gets a byte for each signal that the viewer reacts to.
    pub notices: UnixStream,
    stops: Arc<AtomicBool>,
    continues: Arc<AtomicBool>,
    /// The number of the signal that ends the process, or 0.
    ending: Arc<AtomicUsize>,
    /// Whether signals have their default effect again.
    has_ended: Arc<AtomicBool>,
}

/// The signals since the last look.
#[derive(Clone, Copy, Debug)]
pub struct SignalNotice {
    pub stops: bool,
    pub continues: bool,
    /// The signal that ends the process.
    pub ends: Option<i32>,
}

impl ViewSignals {
    /// Handles signals until [`end`](Self::end). A signal that the process ignores remains ignored.
    ///
    /// A signal that ends the process restores the screen first, even while a picture is drawn: a
    /// thread waits for it. If the system refuses the thread, the signal ends the process when the
    /// picture is drawn.
    pub fn install(screen: &Arc<Screen>) -> io::Result<Self> {
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
    pub fn take(&self) -> SignalNotice {
        // Reads all bytes, so the file waits for the next signal.
        while matches!((&self.notices).read(&mut [0; 64]), Ok(1..)) {}
        let take = |flag: &AtomicBool| flag.swap(false, Ordering::SeqCst);
        let ends = i32::try_from(self.ending.load(Ordering::SeqCst)).ok().filter(|signal| *signal != 0);
        SignalNotice { stops: take(&self.stops), continues: take(&self.continues), ends }
    }

    /// Gives the signals their default effect.
    pub fn end(&self) {
        self.has_ended.store(true, Ordering::SeqCst);
    }
}
