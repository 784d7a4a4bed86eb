//! An open folder on Unix. All operations use the open folder and never its path again.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

#[cfg(target_os = "linux")]
use rustix::fs::FallocateFlags;
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
use rustix::fs::RenameFlags;
use rustix::fs::{AtFlags, FileType, FlockOperation, Mode, OFlags, RawMode, flock, openat, statat};
use rustix::io::Errno;
use rustix::process::{Pid, geteuid, test_kill_process, umask};

use super::interrupt::Delay;
use super::{ExistingFile, TemporaryFile};

/// The start of the name of a temporary file. The process id and a number follow.
const PREFIX: &str = ".meshpeek-";
/// The flags for a folder, and for a file that may be a link or a pipe.
const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
const UNKNOWN: OFlags = OFlags::RDONLY.union(OFlags::NOFOLLOW).union(OFlags::NONBLOCK).union(OFlags::CLOEXEC);
/// The errors of a system that does not support a link, or a rename that never replaces a file.
const UNSUPPORTED: [Errno; 6] =
    [Errno::PERM, Errno::INVAL, Errno::NOSYS, Errno::OPNOTSUPP, Errno::NOTSUP, Errno::MLINK];

/// The folders from which this process has removed the files of dead processes. The values are the
/// device and the inode of each folder.
static CLEANED: Mutex<Vec<(u64, u64)>> = Mutex::new(Vec::new());
static NEXT_NUMBER: AtomicU32 = AtomicU32::new(0);

/// An open folder.
pub struct UnixFolder {
    handle: OwnedFd,
}

impl UnixFolder {
    pub fn open(path: &Path) -> io::Result<Self> {
        match rustix::fs::open(path, FOLDER, Mode::empty()) {
            // The names in a folder need not be readable to write a file in it.
            #[cfg(target_os = "linux")]
            Err(Errno::ACCESS) => Ok(Self { handle: rustix::fs::open(path, FOLDER | OFlags::PATH, Mode::empty())? }),
            result => Ok(Self { handle: result? }),
        }
    }

    /// Opens a folder that belongs to the current user and that no other user can write to. A link
    /// is not followed.
    pub fn open_own(path: &Path) -> io::Result<Self> {
        let handle = rustix::fs::open(path, FOLDER | OFlags::NOFOLLOW, Mode::empty())?;
        let metadata = File::from(handle.try_clone()?).metadata()?;
        if metadata.uid() != geteuid().as_raw() || metadata.mode() & 0o022 != 0 {
            let text = "expected a folder of the current user that no other user can write to";
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, text));
        }
        Ok(Self { handle })
    }

    /// Returns the properties of a file in the folder. A link is not followed.
    #[allow(clippy::useless_conversion, reason = "the type of a mode differs between systems")]
    pub fn existing(&self, name: &OsStr) -> io::Result<Option<ExistingFile>> {
        match statat(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => {
                let is_regular = FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile;
                let mode = Mode::from_raw_mode(stat.st_mode).as_raw_mode();
                Ok(Some(ExistingFile { is_regular, mode: mode.into() }))
            }
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Opens a file in the folder for reading. A link is an error, and a pipe is not waited for.
    pub fn open_file(&self, name: &OsStr) -> io::Result<File> {
        Ok(openat(&self.handle, name, UNKNOWN, Mode::empty())?.into())
    }

    pub fn remove(&self, name: &OsStr) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&self.handle, name, AtFlags::empty())?)
    }

    /// Writes the entries of the folder to the disk.
    pub fn sync(&self) -> io::Result<()> {
        match rustix::fs::fsync(&self.handle) {
            // The file system cannot synchronise a folder.
            Err(Errno::INVAL | Errno::BADF) => Ok(()),
            done => Ok(done?),
        }
    }

    /// Returns the permissions of a new file that the user has not restricted.
    #[allow(clippy::useless_conversion, reason = "the type of a mode differs between systems")]
    pub fn default_mode() -> u32 {
        // The mask can only be read by setting it.
        let mask = umask(Mode::from_raw_mode(0o077));
        umask(mask);
        Mode::from_raw_mode(0o666).difference(mask).as_raw_mode().into()
    }

    pub fn set_mode(file: &File, mode: u32) -> io::Result<()> {
        #[cfg(target_os = "linux")]
        let mode: RawMode = mode;
        #[cfg(not(target_os = "linux"))]
        let mode = RawMode::try_from(mode).unwrap_or(0o600);
        Ok(rustix::fs::fchmod(file, Mode::from_raw_mode(mode))?)
    }

    /// Reserves space on the disk for `size` bytes. The size of the file does not change.
    ///
    /// Returns an error if the disk or the quota of the user has too little space. If the file
    /// system cannot reserve space, the write itself reports a full disk.
    pub fn reserve(file: &File, size: u64) -> io::Result<()> {
        #[cfg(target_os = "linux")]
        if size > 0
            && let Err(error @ (Errno::NOSPC | Errno::DQUOT | Errno::FBIG)) =
                rustix::fs::fallocate(file, FallocateFlags::KEEP_SIZE, 0, size)
        {
            return Err(error.into());
        }
        #[cfg(not(target_os = "linux"))]
        let _ = (file, size);
        Ok(())
    }

    /// Creates a temporary file that only the current user can open.
    pub fn temporary(&self) -> io::Result<TemporaryFile> {
        #[cfg(target_os = "linux")]
        {
            // The file later gets its name through `/proc`. If opening fails because the disk is
            // full, creating a file with a name fails for the same reason.
            let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
            let unnamed = openat(&self.handle, ".", flags, Mode::RUSR | Mode::WUSR);
            if let Ok(file) = unnamed
                && Path::new("/proc/self/fd").exists()
            {
                return Ok(TemporaryFile { file: file.into(), name: None, _delay: None });
            }
        }
        let delay = Delay::new();
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::RDWR | OFlags::CLOEXEC;
        let (name, file) = Self::with_new_name(|name| openat(&self.handle, name, flags, Mode::RUSR | Mode::WUSR))?;
        // The lock is only a second protection, because the process id is already in the name.
        let _ = flock(&file, FlockOperation::NonBlockingLockExclusive);
        Ok(TemporaryFile { file: file.into(), name: Some(name), _delay: Some(delay) })
    }

    /// Gives a temporary file its final name, in one step. If the name exists and `replace` is
    /// false, this is an error.
    pub fn rename(&self, temporary: &mut TemporaryFile, target: &OsStr, replace: bool) -> io::Result<()> {
        #[cfg(target_os = "linux")]
        if temporary.name.is_none() {
            use std::os::fd::AsRawFd as _;
            let unnamed = format!("/proc/self/fd/{}", temporary.file.as_raw_fd());
            let link = |name: &OsStr| {
                rustix::fs::linkat(rustix::fs::CWD, &unnamed, &self.handle, name, AtFlags::SYMLINK_FOLLOW)
            };
            match link(target) {
                Err(Errno::EXIST) if replace => {}
                done => return Ok(done?),
            }
            // A link cannot replace a file, but a rename can. The lock lasts until the rename.
            let _ = flock(&temporary.file, FlockOperation::NonBlockingLockExclusive);
            temporary.name = Some(Self::with_new_name(link)?.0);
        }
        let Some(name) = &temporary.name else { return Ok(()) };
        if replace {
            rustix::fs::renameat(&self.handle, name, &self.handle, target)?;
        } else {
            self.rename_to_new_name(name, target)?;
        }
        temporary.name = None;
        Ok(())
    }

    /// Renames a file in the folder. If the new name exists, this is an error.
    ///
    /// A file system that supports neither such a rename nor links, such as exFAT on an old kernel,
    /// cannot test and rename in one step. On such a file system, a file that another program
    /// creates between the two steps is replaced.
    fn rename_to_new_name(&self, name: &OsStr, target: &OsStr) -> io::Result<()> {
        #[cfg(any(target_os = "linux", target_vendor = "apple"))]
        match rustix::fs::renameat_with(&self.handle, name, &self.handle, target, RenameFlags::NOREPLACE) {
            Err(error) if UNSUPPORTED.contains(&error) => {}
            done => return Ok(done?),
        }
        // Unlike a plain rename, a new link never replaces a file.
        match rustix::fs::linkat(&self.handle, name, &self.handle, target, AtFlags::empty()) {
            Ok(()) => {
                // The target is complete. A second name that cannot be removed is removed by the
                // next run.
                let _ = self.remove(name);
                return Ok(());
            }
            Err(error) if UNSUPPORTED.contains(&error) => {}
            Err(error) => return Err(error.into()),
        }
        if self.existing(target)?.is_some() {
            return Err(Errno::EXIST.into());
        }
        Ok(rustix::fs::renameat(&self.handle, name, &self.handle, target)?)
    }

    /// Calls a function with unused names until one of them does not exist.
    fn with_new_name<T>(create: impl Fn(&OsStr) -> rustix::io::Result<T>) -> io::Result<(OsString, T)> {
        for _ in 0..10_000 {
            let number = NEXT_NUMBER.fetch_add(1, Ordering::Relaxed);
            let name = OsString::from(format!("{PREFIX}{}-{number}", std::process::id()));
            match create(&name) {
                Err(Errno::EXIST) => {}
                done => return Ok((name, done?)),
            }
        }
        Err(Errno::EXIST.into())
    }

    /// Removes the temporary files of dead processes of the current user from the folder, once for
    /// each folder. A failure is ignored, because the files do no harm.
    pub fn remove_dead(&self) {
        let Ok(folder) = rustix::fs::fstat(&self.handle) else { return };
        #[allow(clippy::useless_conversion, reason = "the types differ between systems")]
        let place = (u64::try_from(folder.st_dev).unwrap_or_default(), u64::from(folder.st_ino));
        if let Ok(mut cleaned) = CLEANED.lock() {
            if cleaned.contains(&place) {
                return;
            }
            cleaned.push(place);
        }
        let Ok(entries) = rustix::fs::Dir::read_from(&self.handle) else { return };
        for entry in entries.flatten() {
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if owner(name).is_some_and(|process| self.is_dead(name, process)) {
                let _ = self.remove(name);
            }
        }
    }

    /// Returns whether a temporary file belongs to the current user and to no living process.
    ///
    /// A process in another container may be alive although its id is unknown here. The lock of the
    /// file detects such a process.
    fn is_dead(&self, name: &OsStr, process: Pid) -> bool {
        if test_kill_process(process) != Err(Errno::SRCH) {
            return false;
        }
        let Ok(file) = self.open_file(name) else { return false };
        let is_own = file.metadata().is_ok_and(|file| file.is_file() && file.uid() == geteuid().as_raw());
        is_own && flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok()
    }
}

/// Returns the process in the name of a temporary file, or `None` for any other name.
fn owner(name: &OsStr) -> Option<Pid> {
    let (process, number) = name.to_str()?.strip_prefix(PREFIX)?.split_once('-')?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number(process) || !is_number(number) {
        return None;
    }
    Pid::from_raw(process.parse().ok()?)
}
