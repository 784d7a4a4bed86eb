//! An open folder on Unix. All operations use the open folder and never its path again.

// Rule: this file makes text of copies only.

use std::ffi::{CString, OsStr, OsString};
use std::fs::{self, File, TryLockError};
use std::io;
use std::os::fd::{AsRawFd as _, FromRawFd as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

#[cfg(not(target_os = "linux"))]
use libc::{fstatat, openat, stat as RawStat};
#[cfg(target_os = "linux")]
use libc::{fstatat64 as fstatat, openat64 as openat, stat64 as RawStat};

use super::{ExistingFile, PREFIX, TemporaryFile};
use crate::io::regular_file::{current_user, is_own};

/// The flags for a file that may be a link or a pipe.
const UNKNOWN: i32 = libc::O_RDONLY | libc::O_NOFOLLOW | libc::O_NONBLOCK;
/// The errors of a system that does not support a link, or a rename that never replaces a file.
const UNSUPPORTED: [i32; 6] = [libc::EPERM, libc::EINVAL, libc::ENOSYS, libc::EOPNOTSUPP, libc::ENOTSUP, libc::EMLINK];

/// The folders from which this process has removed the files of dead processes. The values are the
/// device and the inode of each folder.
static CLEANED: Mutex<Vec<(u64, u64)>> = Mutex::new(Vec::new());
static NEXT_NUMBER: AtomicU32 = AtomicU32::new(0);

/// Held while the mask of the process is changed.
static MASK: Mutex<()> = Mutex::new(());

/// Returns the mask of the process as Linux reports it, which does not change it.
fn reported_mask() -> Option<u32> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("Umask:"))?;
    u32::from_str_radix(line.trim(), 8).ok()
}

/// Returns the mask of the process by setting it for a moment.
#[allow(clippy::useless_conversion, reason = "the type of a mode differs between systems")]
fn set_mask() -> u32 {
    let held = MASK.lock();
    // SAFETY: The call changes the mask of the process, and no memory.
    let mask = unsafe { libc::umask(0o077) };
    // SAFETY: The same as above.
    unsafe { libc::umask(mask) };
    drop(held);
    mask.into()
}

/// An open folder.
#[derive(Debug)]
pub(super) struct UnixFolder {
    handle: File,
    path: PathBuf,
}

impl UnixFolder {
    #[cfg(any(feature = "cli", feature = "internals"))]
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        match Self::open_by(path, libc::O_DIRECTORY) {
            // The names in a folder need not be readable to write a file in it.
            #[cfg(target_os = "linux")]
            Err(error) if error.raw_os_error() == Some(libc::EACCES) => {
                Self::open_by(path, libc::O_DIRECTORY | libc::O_PATH)
            }
            result => result,
        }
    }

    /// Opens a folder that belongs to the current user and that no other user can write to. A link
    /// is not followed.
    pub(super) fn open_own(path: &Path) -> io::Result<Self> {
        let folder = Self::open_by(path, libc::O_DIRECTORY | libc::O_NOFOLLOW)?;
        if !is_own(&folder.handle.metadata()?) {
            let text = "expected a folder of the current user that no other user can write to";
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, text));
        }
        Ok(folder)
    }

    fn open_by(path: &Path, flags: i32) -> io::Result<Self> {
        let handle = fs::OpenOptions::new().read(true).custom_flags(flags).open(path)?;
        Ok(Self { handle, path: path.to_owned() })
    }

    /// Returns the properties of a file in the folder. A link is not followed.
    #[allow(clippy::useless_conversion, reason = "the type of a mode differs between systems")]
    pub(super) fn existing(&self, name: &OsStr) -> io::Result<Option<ExistingFile>> {
        let name = to_c(name)?;
        let mut stat = std::mem::MaybeUninit::<RawStat>::uninit();
        // SAFETY: The descriptor is open, because `handle` owns it. `name` ends with a zero byte,
        // and `stat` has room for the result.
        let done =
            unsafe { fstatat(self.handle.as_raw_fd(), name.as_ptr(), stat.as_mut_ptr(), libc::AT_SYMLINK_NOFOLLOW) };
        match check(done) {
            Ok(_) => {
                // SAFETY: The call has succeeded, so it has filled in `stat`.
                let mode = unsafe { stat.assume_init() }.st_mode;
                let is_regular = mode & libc::S_IFMT == libc::S_IFREG;
                Ok(Some(ExistingFile { is_regular, mode: u32::from(mode) & 0o7777 }))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Opens a file in the folder for reading. A link is an error, and a pipe is not waited for.
    pub(super) fn open_file(&self, name: &OsStr) -> io::Result<File> {
        self.open_with(&to_c(name)?, UNKNOWN)
    }

    /// Opens or creates a file in the folder. A new file can only be opened by the current user.
    fn open_with(&self, name: &CString, flags: i32) -> io::Result<File> {
        let mode: libc::c_uint = 0o600;
        // SAFETY: The descriptor of the folder is open, because `handle` owns it, and `name` ends
        // with a zero byte.
        let file = unsafe { openat(self.handle.as_raw_fd(), name.as_ptr(), flags | libc::O_CLOEXEC, mode) };
        // SAFETY: `openat` has just returned the descriptor, and no other value owns it.
        check(file).map(|file| unsafe { File::from_raw_fd(file) })
    }

    pub(super) fn remove(&self, name: &OsStr) -> io::Result<()> {
        let name = to_c(name)?;
        // SAFETY: The descriptor is open, because `handle` owns it, and `name` ends with a zero
        // byte.
        check(unsafe { libc::unlinkat(self.handle.as_raw_fd(), name.as_ptr(), 0) }).map(drop)
    }

    /// Writes the entries of the folder to the disk.
    #[cfg(any(feature = "cli", feature = "internals"))]
    pub(super) fn sync(&self) -> io::Result<()> {
        match self.handle.sync_all() {
            // The file system cannot synchronise a folder.
            Err(error) if matches!(error.raw_os_error(), Some(libc::EINVAL | libc::EBADF)) => Ok(()),
            done => done,
        }
    }

    /// Returns the permissions of a new file that the user has not restricted.
    pub(super) fn default_mode() -> u32 {
        0o666 & !reported_mask().unwrap_or_else(set_mask)
    }

    pub(super) fn set_mode(file: &File, mode: u32) -> io::Result<()> {
        file.set_permissions(fs::Permissions::from_mode(mode))
    }

    /// Asks the system to write the file to the disk, and does not wait for it. The content that is
    /// still in memory when the file is complete, for which the program waits, is then small.
    pub(super) fn start_write_back(file: &File) {
        #[cfg(target_os = "linux")]
        // SAFETY: The descriptor is open, because `file` owns it. A failure has no effect.
        unsafe {
            libc::sync_file_range(file.as_raw_fd(), 0, 0, libc::SYNC_FILE_RANGE_WRITE);
        }
        #[cfg(not(target_os = "linux"))]
        let _ = file;
    }

    /// Reserves space on the disk for `size` bytes. The size of the file does not change.
    ///
    /// Returns an error if the disk or the quota of the user has too little space. If the file
    /// system cannot reserve space, the write itself reports a full disk.
    #[cfg(any(feature = "cli", feature = "internals"))]
    pub(super) fn reserve(file: &File, size: u64) -> io::Result<()> {
        #[cfg(target_os = "linux")]
        if size > 0 {
            let size = i64::try_from(size).unwrap_or(i64::MAX);
            // SAFETY: The descriptor is open, because `file` owns it.
            let done = unsafe { libc::fallocate64(file.as_raw_fd(), libc::FALLOC_FL_KEEP_SIZE, 0, size) };
            if let Err(error) = check(done)
                && matches!(error.raw_os_error(), Some(libc::ENOSPC | libc::EDQUOT | libc::EFBIG))
            {
                return Err(error);
            }
        }
        #[cfg(not(target_os = "linux"))]
        let _ = (file, size);
        Ok(())
    }

    /// Creates a temporary file that only the current user can open.
    pub(super) fn temporary(&self) -> io::Result<TemporaryFile> {
        #[cfg(target_os = "linux")]
        {
            // The file later gets its name through `/proc`. If opening fails because the disk is
            // full, creating a file with a name fails for the same reason.
            if let Ok(file) = self.open_with(&to_c(OsStr::new("."))?, libc::O_TMPFILE | libc::O_RDWR)
                && Path::new("/proc/self/fd").exists()
            {
                return Ok(TemporaryFile { file, name: None });
            }
        }
        let flags = libc::O_CREAT | libc::O_EXCL | libc::O_NOFOLLOW | libc::O_RDWR;
        let (name, file) = with_new_name(|name| self.open_with(name, flags))?;
        lock(&file);
        Ok(TemporaryFile { file, name: Some(name) })
    }

    /// Gives a temporary file its final name, in one step. If the name exists and `replace` is
    /// false, this is an error.
    pub(super) fn rename(&self, temporary: &mut TemporaryFile, target: &OsStr, replace: bool) -> io::Result<()> {
        let target_name = to_c(target)?;
        #[cfg(target_os = "linux")]
        if temporary.name.is_none() {
            let unnamed = CString::new(format!("/proc/self/fd/{}", temporary.file.as_raw_fd()))?;
            match self.link(libc::AT_FDCWD, &unnamed, &target_name, libc::AT_SYMLINK_FOLLOW) {
                Err(error) if replace && error.kind() == io::ErrorKind::AlreadyExists => {}
                done => return done,
            }
            // A link cannot replace a file, but a rename can. The lock lasts until the rename.
            lock(&temporary.file);
            let link = |name: &CString| self.link(libc::AT_FDCWD, &unnamed, name, libc::AT_SYMLINK_FOLLOW);
            temporary.name = Some(with_new_name(link)?.0);
        }
        let Some(name) = &temporary.name else { return Ok(()) };
        if replace {
            self.replace(&to_c(name)?, &target_name)?;
        } else {
            self.rename_to_new_name(name, target, &target_name)?;
        }
        temporary.name = None;
        Ok(())
    }

    /// Renames a file in the folder. If the new name exists, this is an error.
    ///
    /// A file system that supports neither such a rename nor links, such as exFAT on an old kernel,
    /// cannot test and rename in one step. On such a file system, a file that another program
    /// creates between the two steps is replaced.
    fn rename_to_new_name(&self, name: &OsStr, target: &OsStr, target_name: &CString) -> io::Result<()> {
        let from = to_c(name)?;
        let is_unsupported = |error: &io::Error| error.raw_os_error().is_some_and(|code| UNSUPPORTED.contains(&code));
        #[cfg(any(target_os = "linux", target_vendor = "apple"))]
        match self.rename_exclusively(&from, target_name) {
            Err(error) if is_unsupported(&error) => {}
            done => return done,
        }
        // Unlike a plain rename, a new link never replaces a file.
        match self.link(self.handle.as_raw_fd(), &from, target_name, 0) {
            Ok(()) => {
                // The target is complete. A second name that cannot be removed is removed by the
                // next run.
                let _ = self.remove(name);
                return Ok(());
            }
            Err(error) if is_unsupported(&error) => {}
            Err(error) => return Err(error),
        }
        if self.existing(target)?.is_some() {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        self.replace(&from, target_name)
    }

    /// Renames a file in the folder, unless the new name exists.
    #[cfg(any(target_os = "linux", target_vendor = "apple"))]
    fn rename_exclusively(&self, from: &CString, to: &CString) -> io::Result<()> {
        let (folder, from, to) = (self.handle.as_raw_fd(), from.as_ptr(), to.as_ptr());
        // SAFETY: The descriptor is open, because `handle` owns it, and both names end with a zero
        // byte.
        #[cfg(target_os = "linux")]
        let done = unsafe { libc::syscall(libc::SYS_renameat2, folder, from, folder, to, libc::RENAME_NOREPLACE) };
        // SAFETY: The same as above.
        #[cfg(target_vendor = "apple")]
        let done = unsafe { libc::renameatx_np(folder, from, folder, to, libc::RENAME_EXCL) };
        if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }

    /// Renames a file in the folder, and replaces a file that has the new name.
    fn replace(&self, from: &CString, to: &CString) -> io::Result<()> {
        let folder = self.handle.as_raw_fd();
        // SAFETY: The descriptor is open, because `handle` owns it, and both names end with a zero
        // byte.
        check(unsafe { libc::renameat(folder, from.as_ptr(), folder, to.as_ptr()) }).map(drop)
    }

    /// Gives the file `from` in `folder` the name `to` in this folder.
    fn link(&self, folder: i32, from: &CString, to: &CString, flags: i32) -> io::Result<()> {
        // SAFETY: Both descriptors are open, or `AT_FDCWD`, and both names end with a zero byte.
        check(unsafe { libc::linkat(folder, from.as_ptr(), self.handle.as_raw_fd(), to.as_ptr(), flags) }).map(drop)
    }

    /// Removes the temporary files of dead processes of the current user from the folder, once for
    /// each folder. A failure is ignored, because the files do no harm.
    pub(super) fn remove_dead(&self) {
        let Ok(folder) = self.handle.metadata() else { return };
        let place = (folder.dev(), folder.ino());
        if let Ok(mut cleaned) = CLEANED.lock() {
            if cleaned.contains(&place) {
                return;
            }
            cleaned.push(place);
        }
        // If the path meanwhile leads to another folder, its names are looked up in the open one.
        for entry in fs::read_dir(&self.path).into_iter().flatten().flatten() {
            let name = entry.file_name();
            if owner(&name).is_some_and(|process| self.is_dead(&name, process)) {
                let _ = self.remove(&name);
            }
        }
    }

    /// Returns whether a temporary file belongs to the current user and to no living process.
    ///
    /// A process in another container may be alive although its id is unknown here. The lock of the
    /// file detects such a process.
    fn is_dead(&self, name: &OsStr, process: libc::pid_t) -> bool {
        // SAFETY: The signal 0 is not sent, and only tests whether the process exists.
        let found = check(unsafe { libc::kill(process, 0) });
        if !found.is_err_and(|error| error.raw_os_error() == Some(libc::ESRCH)) {
            return false;
        }
        let Ok(file) = self.open_file(name) else { return false };
        let is_own = file.metadata().is_ok_and(|file| file.is_file() && file.uid() == current_user());
        is_own && lock(&file)
    }
}

/// Locks a temporary file while its process lives. Returns whether the file is now locked.
///
/// The lock is only a second protection, because the process id is already in the name.
fn lock(file: &File) -> bool {
    match file.try_lock() {
        Ok(()) => true,
        Err(TryLockError::WouldBlock | TryLockError::Error(_)) => false,
    }
}

/// Calls a function with unused names until one of them does not exist.
fn with_new_name<T>(create: impl Fn(&CString) -> io::Result<T>) -> io::Result<(OsString, T)> {
    for _ in 0..10_000 {
        let number = NEXT_NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = OsString::from(format!("{PREFIX}{}-{number}", std::process::id()));
        match create(&to_c(&name)?) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            done => return Ok((name, done?)),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// Returns the process in the name of a temporary file, or `None` for any other name.
fn owner(name: &OsStr) -> Option<libc::pid_t> {
    let (process, number) = name.to_str()?.strip_prefix(PREFIX)?.split_once('-')?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number(process) || !is_number(number) {
        return None;
    }
    process.parse().ok().filter(|process| *process > 0)
}

/// Returns a name with a zero byte at its end.
fn to_c(name: &OsStr) -> io::Result<CString> {
    Ok(CString::new(name.as_bytes())?)
}

/// Returns the result of a system call, or the error of the operating system if it is negative.
fn check(result: i32) -> io::Result<i32> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_dead_processes_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        // No process has the largest number.
        let [left, alive] = [i32::MAX.unsigned_abs(), std::process::id()].map(|process| format!("{PREFIX}{process}-7"));
        for name in [left.as_str(), &alive, ".meshpeek-x-7", ".meshpeek-0-7"] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        // Another test may have used a folder that had the same inode.
        CLEANED.lock().unwrap().clear();
        UnixFolder::open(folder.path()).unwrap().remove_dead();
        let mut kept: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        kept.sort();
        let mut expected = [alive.as_str(), ".meshpeek-x-7", ".meshpeek-0-7"].map(OsString::from);
        expected.sort();
        assert_eq!(kept, expected);
    }
}
