//! Processes that tests start. They start alike, however the tests themselves were started.

use std::ffi::OsStr;
use std::ops::{Deref, DerefMut};
use std::process::{Child, Command, Stdio};

/// The environment variables that a child process gets from the tests. It gets no other variable,
/// so a test cannot depend on `HOME`, `LANG`, `NO_COLOR`, `GIT_DIR` or `RUST_BACKTRACE`.
const INHERITED: [&str; 7] = ["PATH", "TEMP", "TMP", "SystemRoot", "LLVM_PROFILE_FILE", "ASAN_OPTIONS", "TSAN_OPTIONS"];

/// The prefix of variables of the tests themselves, such as `MESHPEEK_CORPUS`.
const OWN: &str = "MESHPEEK_";

/// Returns a command for a program. Its process has the default action for each signal, the umask
/// 022, no standard input, and few environment variables.
///
/// All tests make their commands with this function. Without it, a test would depend on `nohup`, on
/// the umask and on the variables of the user.
pub fn process(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    let is_own = |name: &OsStr| name.to_str().is_some_and(|name| name.starts_with(OWN));
    let inherited = std::env::vars_os().filter(|(name, _)| INHERITED.iter().any(|known| name == known) || is_own(name));
    command.env_clear().envs(inherited).stdin(Stdio::null());
    // A command may run in another folder, to which a relative path would lead elsewhere.
    command.env("TMPDIR", std::path::absolute(std::env::temp_dir()).unwrap());
    #[cfg(unix)]
    start::reset(&mut command);
    command
}

/// Returns a command that runs one test of this test binary in a process of its own.
pub fn own_test(name: &str) -> Command {
    let mut command = process(std::env::current_exe().unwrap());
    command.args(["--exact", name, "--include-ignored", "--nocapture"]);
    command
}

/// A process that is killed when the test ends, also when the test fails.
pub struct Running(pub Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Deref for Running {
    type Target = Child;

    fn deref(&self) -> &Child {
        &self.0
    }
}

impl DerefMut for Running {
    fn deref_mut(&mut self) -> &mut Child {
        &mut self.0
    }
}

#[cfg(unix)]
pub use start::{ignore_signals, lead_session, send_signal};

#[cfg(unix)]
#[allow(unsafe_code, reason = "the calls for signals, and those between fork and exec, are unsafe")]
mod start {
    use std::io;
    use std::os::unix::process::CommandExt as _;
    use std::process::{Child, Command};
    use std::sync::LazyLock;

    /// All signals but those for real time.
    const SIGNALS: std::ops::Range<i32> = 1..32;
    const UMASK: libc::mode_t = 0o022;

    /// Lets the process of a command start with default signals and umask.
    pub fn reset(command: &mut Command) {
        // A closure makes the standard library fork this process, which takes longer.
        static IS_USUAL: LazyLock<bool> = LazyLock::new(|| has_default_signals() && has_usual_umask());
        if *IS_USUAL {
            return;
        }
        // SAFETY: the closure only makes calls that are allowed after a fork.
        unsafe {
            command.pre_exec(|| {
                for signal in SIGNALS {
                    libc::signal(signal, libc::SIG_DFL);
                }
                let mut none = std::mem::zeroed();
                libc::sigemptyset(&raw mut none);
                check(libc::sigprocmask(libc::SIG_SETMASK, &raw const none, std::ptr::null_mut()))?;
                libc::umask(UMASK);
                Ok(())
            })
        };
    }

    /// Returns whether a child of this process would ignore and block no signal.
    fn has_default_signals() -> bool {
        // With an ignored CHLD, no process can wait for its children.
        if is_ignored(libc::SIGCHLD) {
            // SAFETY: the default action does nothing.
            unsafe { libc::signal(libc::SIGCHLD, libc::SIG_DFL) };
        }
        // The standard library ignores PIPE in this process only.
        SIGNALS.filter(|signal| *signal != libc::SIGPIPE).all(|signal| !is_ignored(signal) && !is_blocked(signal))
    }

    fn is_ignored(signal: i32) -> bool {
        // SAFETY: all bits zero are valid for this plain struct, and without a new action the call
        // only fills it.
        let (action, found) = unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            let found = libc::sigaction(signal, std::ptr::null(), &raw mut action);
            (action, found)
        };
        found == 0 && action.sa_sigaction == libc::SIG_IGN
    }

    fn is_blocked(signal: i32) -> bool {
        // SAFETY: without a new mask, the call only fills the old one.
        unsafe {
            let mut mask = std::mem::zeroed();
            libc::pthread_sigmask(libc::SIG_BLOCK, std::ptr::null(), &raw mut mask);
            libc::sigismember(&raw const mask, signal) == 1
        }
    }

    /// Returns whether the umask is known to be the usual one. Only Linux tells it without changing
    /// it.
    fn has_usual_umask() -> bool {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let umask = status.lines().find_map(|line| line.strip_prefix("Umask:"));
        umask.is_some_and(|umask| libc::mode_t::from_str_radix(umask.trim(), 8) == Ok(UMASK))
    }

    /// Lets the process of a command start with ignored signals, as `nohup` and some shells do.
    pub fn ignore_signals(command: &mut Command, signals: &'static [i32]) {
        // SAFETY: the closure only makes calls that are allowed after a fork.
        unsafe {
            command.pre_exec(move || {
                for signal in signals {
                    libc::signal(*signal, libc::SIG_IGN);
                }
                Ok(())
            })
        };
    }

    /// Lets the process of a command lead a session whose terminal is its standard input.
    pub fn lead_session(command: &mut Command) {
        // SAFETY: the closure only makes calls that are allowed after a fork.
        unsafe { command.pre_exec(|| check(libc::setsid()).and(check(libc::ioctl(0, libc::TIOCSCTTY as _, 0)))) };
    }

    pub fn send_signal(child: &Child, signal: i32) {
        // SAFETY: the process is a child that was not waited for, so its number is still its own.
        check(unsafe { libc::kill(child.id().try_into().unwrap(), signal) }).unwrap();
    }

    fn check(result: i32) -> io::Result<()> {
        if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
    }
}
