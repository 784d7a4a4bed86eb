//! Files that the operating system protects from every change, and that are therefore safe to map.

use std::fs::{File, Metadata};
use std::path::Path;

use crate::error::{Cause, Result};

/// Opens a regular file for reading, and on Windows denies other processes to write to it.
#[cfg(not(windows))]
pub(super) fn open_protected(path: &Path) -> Result<(File, Metadata)> {
    super::regular_file::open_regular(path)
}

/// Opens a regular file for reading, and denies other processes to write to it while it is open.
#[cfg(windows)]
pub(super) fn open_protected(path: &Path) -> Result<(File, Metadata)> {
    use std::os::windows::fs::OpenOptionsExt as _;

    use super::regular_file::{describe, failed};

    /// Other processes may read the file, and may neither write to it nor delete it.
    const FILE_SHARE_READ: u32 = 1;
    let file = std::fs::OpenOptions::new().read(true).share_mode(FILE_SHARE_READ).open(path);
    let file = file.map_err(|error| failed(path, error.into()))?;
    let metadata = file.metadata().map_err(|error| failed(path, error.into()))?;
    if metadata.is_file() {
        return Ok((file, metadata));
    }
    Err(failed(path, Cause::NotRegular { found: describe(&metadata) }))
}

/// Returns an error if a process could change or shorten the file.
pub(super) fn check_protection(file: &File) -> Result<(), Cause> {
    if is_protected(file) { Ok(()) } else { Err(Cause::Unprotected) }
}

#[cfg(target_os = "linux")]
fn is_protected(file: &File) -> bool {
    is_sealed(file) || has_verity(file)
}

/// The file was opened without write sharing. A server of a network drive need not keep to that.
#[cfg(windows)]
const fn is_protected(_file: &File) -> bool {
    true
}

#[cfg(not(any(target_os = "linux", windows)))]
const fn is_protected(_file: &File) -> bool {
    false
}

/// Returns whether a file is a memory file that is sealed against writing and shortening. The
/// system allows the seal against writing only if no writable map of the file exists.
#[cfg(target_os = "linux")]
fn is_sealed(file: &File) -> bool {
    use std::os::fd::AsRawFd as _;
    const SEALS: libc::c_int = libc::F_SEAL_WRITE | libc::F_SEAL_SHRINK;
    // SAFETY: The descriptor is open, because `file` owns it. The call accesses no memory.
    let seals = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_GET_SEALS) };
    seals >= 0 && seals & SEALS == SEALS
}

/// Returns whether a file has fs-verity, which makes its content unchangeable for its lifetime.
#[cfg(all(target_os = "linux", any(target_env = "gnu", target_env = "musl")))]
fn has_verity(file: &File) -> bool {
    use std::os::fd::AsRawFd as _;
    let mut found = std::mem::MaybeUninit::<libc::statx>::zeroed();
    let (descriptor, path) = (file.as_raw_fd(), c"".as_ptr());
    // SAFETY: The descriptor is open, because `file` owns it. The path is a C string, and `statx`
    // writes only one structure. Zero is an allowed value of all its fields, so the structure is
    // initialised even if `statx` fails.
    let (failed, found) =
        unsafe { (libc::statx(descriptor, path, libc::AT_EMPTY_PATH, 0, found.as_mut_ptr()), found.assume_init()) };
    let verity = u64::try_from(libc::STATX_ATTR_VERITY).unwrap_or_default();
    failed == 0 && found.stx_attributes & verity != 0
}

#[cfg(all(target_os = "linux", not(any(target_env = "gnu", target_env = "musl"))))]
const fn has_verity(_file: &File) -> bool {
    false
}
