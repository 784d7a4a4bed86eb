//! The priority of a thread.

/// Lowers the priority of the calling thread. Threads that wait for a processor then run first.
///
/// The call has no effect on systems other than Linux.
#[cfg(all(target_os = "linux", not(miri)))]
pub(crate) fn lower_thread_priority() {
    const NICE: libc::c_int = 10;
    // SAFETY: The call changes only the priority of the calling thread, because Linux takes the
    // process number 0 as this thread. A refused call changes nothing.
    unsafe {
        libc::setpriority(libc::PRIO_PROCESS, 0, NICE);
    }
}

#[cfg(not(all(target_os = "linux", not(miri))))]
pub(crate) fn lower_thread_priority() {}
