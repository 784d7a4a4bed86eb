//! Files that tests need in a certain place, of a certain kind, or of another user.

use std::fs;
use std::path::Path;

use tempfile::NamedTempFile;

/// Writes a file to a folder on a disk, if the build folder can be written to. The folder for
/// temporary files is often in memory.
pub fn file_on_disk(bytes: &[u8]) -> NamedTempFile {
    let on_disk = NamedTempFile::new_in(env!("CARGO_TARGET_TMPDIR"));
    let file = on_disk.or_else(|_| NamedTempFile::new()).unwrap();
    fs::write(file.path(), bytes).unwrap();
    // Pages that are not on the disk yet stay in the page cache.
    file.as_file().sync_all().unwrap();
    file
}

/// Gives a file or folder to another user, which only the superuser can do. Returns whether it is
/// done.
#[cfg(unix)]
pub fn give_to_another_user(path: &Path) -> bool {
    use std::os::unix::fs::{MetadataExt as _, chown};
    // A user may give a file to himself.
    let other = if fs::metadata(path).unwrap().uid() == 65534 { 65533 } else { 65534 };
    chown(path, Some(other), None).is_ok()
}

/// Creates a named pipe.
#[cfg(unix)]
#[allow(unsafe_code, reason = "the call of the system is unsafe")]
pub fn make_pipe(path: &Path) {
    use std::os::unix::ffi::OsStrExt as _;
    let name = std::ffi::CString::new(path.as_os_str().as_bytes()).unwrap();
    // SAFETY: the name ends with a zero byte.
    assert_eq!(unsafe { libc::mkfifo(name.as_ptr(), 0o600) }, 0, "{}", std::io::Error::last_os_error());
}
