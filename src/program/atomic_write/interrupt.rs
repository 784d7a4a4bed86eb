//! Signals that end the program: delays them while a temporary file has a name.

#[cfg(unix)]
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
#[cfg(unix)]
use std::sync::{Arc, OnceLock};

use std::io;

#[cfg(unix)]
use crate::io::is_signal_ignored;

/// The state that the signal handlers use.
#[cfg(unix)]
struct SignalState {
    /// Whether a signal ends the process at once. It is false while a [`Delay`] exists.
    is_idle: Arc<AtomicBool>,
    /// The number of the signal that arrived during a delay, or 0.
    signal: Arc<AtomicUsize>,
    delays: AtomicUsize,
}

#[cfg(unix)]
static STATE: OnceLock<SignalState> = OnceLock::new();

/// While a value of this type exists, the signals HUP, INT and TERM do not end the process.
///
/// When the last value is dropped, the process ends by the signal that has arrived. A shell reports
/// this as the exit status 129, 130 or 143.
#[derive(Debug)]
pub struct Delay(());

impl Delay {
    pub fn new() -> Self {
        #[cfg(unix)]
        {
            let state = STATE.get_or_init(install);
            state.delays.fetch_add(1, Ordering::SeqCst);
            state.is_idle.store(false, Ordering::SeqCst);
        }
        Self(())
    }
}

#[cfg(unix)]
impl Drop for Delay {
    fn drop(&mut self) {
        let Some(state) = STATE.get() else { return };
        if state.delays.fetch_sub(1, Ordering::SeqCst) > 1 {
            return;
        }
        state.is_idle.store(true, Ordering::SeqCst);
        if let Ok(signal @ 1..) = i32::try_from(state.signal.load(Ordering::SeqCst)) {
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
    }
}

/// Returns an error if a signal has arrived during a delay. If the delay has ended meanwhile, ends
/// the process by the signal.
pub fn check() -> io::Result<()> {
    #[cfg(unix)]
    if let Some(state) = STATE.get()
        && let Ok(signal @ 1..) = i32::try_from(state.signal.load(Ordering::SeqCst))
    {
        // The handler of another thread may store the number of the signal just after the last
        // delay has looked for it.
        if state.delays.load(Ordering::SeqCst) == 0 {
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
        return Err(io::Error::other("interrupted by a signal"));
    }
    Ok(())
}

/// Returns whether a signal has arrived during a delay.
pub fn has_signal() -> bool {
    #[cfg(unix)]
    return STATE.get().is_some_and(|state| state.signal.load(Ordering::SeqCst) != 0);
    #[cfg(not(unix))]
    false
}

/// Ends the process by the signal that has arrived, even if other values delay it.
pub fn end_by_signal() {
    #[cfg(unix)]
    if let Some(Ok(signal @ 1..)) = STATE.get().map(|state| i32::try_from(state.signal.load(Ordering::SeqCst))) {
        let _ = signal_hook::low_level::emulate_default_handler(signal);
    }
}

/// Lets a write that exceeds the limit for the size of a file fail with an error. Otherwise the
/// signal XFSZ would end the process.
pub fn survive_file_size_limit() {
    #[cfg(unix)]
    let _ = signal_hook::flag::register(libc::SIGXFSZ, Arc::new(AtomicBool::new(false)));
}

#[cfg(unix)]
fn install() -> SignalState {
    let state =
        SignalState { is_idle: Arc::new(AtomicBool::new(true)), signal: Arc::default(), delays: AtomicUsize::new(0) };
    for signal in [libc::SIGHUP, libc::SIGINT, libc::SIGTERM] {
        let number = usize::try_from(signal).unwrap_or_default();
        // A signal that is ignored, such as HUP under `nohup`, remains ignored. The actions run in
        // the order of their registration.
        if !is_signal_ignored(signal) {
            let _ = signal_hook::flag::register_conditional_default(signal, state.is_idle.clone());
            let _ = signal_hook::flag::register_usize(signal, state.signal.clone(), number);
        }
    }
    state
}
