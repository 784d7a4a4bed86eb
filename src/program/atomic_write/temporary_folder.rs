//! A temporary folder that does not outlive the process, also if a signal ends it.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use tempfile::TempDir;

use super::interrupt::{self, Delay};
use crate::program::threads;

/// The time between two tests for a signal.
const INTERVAL: Duration = Duration::from_millis(50);
/// The number of attempts to remove a folder in which another thread still writes.
const ATTEMPTS: usize = 5;

/// A temporary folder. It is removed when the value is dropped, and when HUP, INT or TERM ends the
/// process.
#[derive(Debug)]
pub struct TemporaryFolder {
    folder: TempDir,
    is_done: Arc<AtomicBool>,
    /// The signals wait until the folder is removed.
    _delay: Option<Delay>,
}

impl TemporaryFolder {
    /// Creates a folder in `parent`, whose name starts with `prefix`.
    pub fn create(prefix: &str, parent: &Path) -> io::Result<Self> {
        let delay = Delay::new();
        let folder = tempfile::Builder::new().prefix(prefix).tempdir_in(parent)?;
        let is_done = Arc::new(AtomicBool::new(false));
        let (path, done) = (folder.path().to_owned(), Arc::clone(&is_done));
        // Without the thread, a signal ends the process at once, and the folder remains.
        let delay = threads::start_detached("signals", move || remove_at_signal(&path, &done)).then_some(delay);
        Ok(Self { folder, is_done, _delay: delay })
    }

    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        self.is_done.store(true, Ordering::SeqCst);
    }
}

/// Waits for a signal, removes the folder, and ends the process by the signal.
fn remove_at_signal(path: &PathBuf, is_done: &AtomicBool) {
    while !is_done.load(Ordering::SeqCst) {
        thread::sleep(INTERVAL);
        if interrupt::has_signal() {
            for _ in 0..ATTEMPTS {
                // Another thread may create a file at the same time.
                let _ = std::fs::remove_dir_all(path);
                if !path.exists() {
                    break;
                }
            }
            interrupt::end_by_signal();
        }
    }
}
