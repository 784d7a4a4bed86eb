//! System calls for byte ranges of a memory map that only new versions of Linux have, and the
//! priority of a thread.
//!
//! Each function for byte ranges reports that its call is not supported on other systems, and if
//! [`disable_system_calls`] has switched the call off.

#[cfg(not(all(target_os = "linux", not(miri))))]
mod elsewhere;
#[cfg(all(target_os = "linux", not(miri)))]
mod linux;

#[cfg(feature = "internals")]
use std::sync::atomic::AtomicU8;

#[cfg(not(all(target_os = "linux", not(miri))))]
pub(crate) use elsewhere::lower_thread_priority;
#[cfg(not(all(target_os = "linux", not(miri))))]
pub(super) use elsewhere::*;
#[cfg(all(target_os = "linux", not(miri)))]
pub(crate) use linux::lower_thread_priority;
#[cfg(all(target_os = "linux", not(miri)))]
pub(super) use linux::*;

/// The calls that [`disable_system_calls`] has switched off, one bit each.
#[cfg(feature = "internals")]
static DISABLED: AtomicU8 = AtomicU8::new(0);

/// Switches off the system calls of `mask`, and switches on the others.
#[cfg(feature = "internals")]
pub(crate) fn disable_system_calls(mask: u8) {
    DISABLED.store(mask, std::sync::atomic::Ordering::Relaxed);
}

/// Returns whether the system call with the bit `call` is used.
#[cfg(all(target_os = "linux", not(miri)))]
fn is_enabled(call: u8) -> bool {
    #[cfg(feature = "internals")]
    return DISABLED.load(std::sync::atomic::Ordering::Relaxed) & call == 0;
    #[cfg(not(feature = "internals"))]
    return call != 0;
}
