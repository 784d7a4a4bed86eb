//! Signals that this process ignores.

/// Returns whether this process ignores a signal, as after a start by `nohup`.
pub fn is_signal_ignored(signal: i32) -> bool {
    let mut action = std::mem::MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: Without a new action, the call only fills the old one, for which all bits zero are
    // valid.
    let (found, action) = unsafe {
        let found = libc::sigaction(signal, std::ptr::null(), action.as_mut_ptr());
        (found, action.assume_init())
    };
    found == 0 && action.sa_sigaction == libc::SIG_IGN
}
