//! Tests of `view` without `-o`, in a pseudo terminal.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::process::{ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize};

use crate::support::PATIENCE;
use crate::support::process::{Running, ignore_signals, lead_session, send_signal};
use crate::{code, command, sample, scratch, text};

const ENTER: &str = "\x1b[?1049h\x1b[?25l\x1b[2J";
/// The end of each picture.
const DRAWN: &str = "\x1b[K\x1b[?2026l";
const LEAVE: &str = "\x1b[?25h\x1b[?1049l";

/// A program in a pseudo terminal of 40 by 12 cells. The terminal is its controlling terminal.
struct Pty {
    main: File,
    child: Running,
    output: Receiver<Vec<u8>>,
    seen: String,
}

impl Pty {
    fn start(arguments: &[&str], variables: &[(&str, &str)]) -> Self {
        Self::ignoring(&[], arguments, variables)
    }

    /// Starts the program with ignored signals.
    fn ignoring(signals: &'static [i32], arguments: &[&str], variables: &[(&str, &str)]) -> Self {
        let main = File::from(openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap());
        grantpt(&main).unwrap();
        unlockpt(&main).unwrap();
        resize(&main, [40, 12]);
        let path = ptsname(&main, Vec::new()).unwrap().into_string().unwrap();
        let side = || File::options().read(true).write(true).open(&path).unwrap();
        let mut child = command(arguments);
        child.stdin(side()).stdout(side()).stderr(side());
        child.env("TERM", "xterm-256color").envs(variables.iter().copied());
        lead_session(&mut child);
        ignore_signals(&mut child, signals);
        let child = Running(child.spawn().unwrap());
        let (sender, output) = channel();
        let mut reader = main.try_clone().unwrap();
        thread::spawn(move || {
            let mut buffer = [0; 8192];
            while let Ok(length @ 1..) = reader.read(&mut buffer) {
                let _ = sender.send(buffer[..length].to_vec());
            }
        });
        Self { main, child, output, seen: String::new() }
    }

    /// Waits until the output has a text, and returns everything before and including it.
    fn wait(&mut self, part: &str) -> String {
        let end = Instant::now() + PATIENCE;
        loop {
            if let Some(place) = self.seen.find(part) {
                let rest = self.seen.split_off(place + part.len());
                return std::mem::replace(&mut self.seen, rest);
            }
            let left = end.saturating_duration_since(Instant::now());
            let bytes = self.output.recv_timeout(left).unwrap_or_else(|_| panic!("no {part:?} in {:?}", self.seen));
            self.seen += &String::from_utf8_lossy(&bytes);
        }
    }

    fn press(&mut self, keys: &str) {
        self.main.write_all(keys.as_bytes()).unwrap();
    }

    fn signal(&self, signal: i32) {
        send_signal(&self.child, signal);
    }

    /// Returns whether the terminal gives single keys, as during a view.
    fn is_raw(&self) -> bool {
        !tcgetattr(&self.main).unwrap().local_modes.contains(LocalModes::ICANON | LocalModes::ECHO)
    }

    /// Waits for the end of the program, which must leave the terminal as it was.
    fn end(mut self) -> (ExitStatus, String) {
        let rest = self.wait(LEAVE);
        let status = self.child.wait().unwrap();
        assert!(!self.is_raw(), "{rest:?}");
        while let Ok(bytes) = self.output.recv_timeout(Duration::from_millis(50)) {
            self.seen += &String::from_utf8_lossy(&bytes);
        }
        (status, rest + &self.seen)
    }
}

fn resize(main: &File, [columns, rows]: [u16; 2]) {
    tcsetwinsize(main, Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
}

fn view(variables: &[(&str, &str)]) -> Pty {
    let mut pty = Pty::start(&["view", &sample("cube_ms13")], variables);
    assert!(pty.wait(DRAWN).contains(ENTER));
    assert!(pty.is_raw());
    pty
}

#[test]
fn keys_turn_and_quit() {
    let mut pty = view(&[("COLORTERM", "truecolor")]);
    for key in ["\x1b[C", "\x1bOA", "+", "-", "w", "\x1b[H"] {
        pty.press(key);
        let drawn = pty.wait(DRAWN);
        assert!(drawn.contains("\x1b[12;1H") && drawn.contains("cube_ms13"), "{key:?}: {drawn:?}");
    }
    pty.press("q");
    let (status, rest) = pty.end();
    assert_eq!((status.code(), rest.ends_with(LEAVE)), (Some(0), true), "{rest:?}");
}

#[test]
fn escape_quits() {
    let mut pty = view(&[]);
    pty.press("\x1b");
    assert_eq!(pty.end().0.code(), Some(0));
}

#[test]
fn signals_restore_the_terminal() {
    use std::os::unix::process::ExitStatusExt as _;
    for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGQUIT] {
        let pty = view(&[]);
        pty.signal(signal);
        let (status, rest) = pty.end();
        assert_eq!((status.signal(), rest.ends_with(LEAVE)), (Some(signal), true), "{rest:?}");
    }
    let mut pty = view(&[]);
    pty.press("\x03");
    assert_eq!(pty.end().0.signal(), Some(2));
}

/// A program that `nohup` or a script starts ignores signals, and keeps ignoring them.
#[test]
fn ignored_signals_stay_ignored() {
    const IGNORED: [i32; 4] = [libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGTSTP];
    let mut pty = Pty::ignoring(&IGNORED, &["view", &sample("cube_ms13")], &[]);
    pty.wait(DRAWN);
    for signal in IGNORED {
        pty.signal(signal);
    }
    pty.press("\x03\x1aw");
    pty.wait(DRAWN);
    pty.press("q");
    let (status, rest) = pty.end();
    assert_eq!((status.code(), rest.matches(LEAVE).count()), (Some(0), 1), "{rest:?}");
}

#[test]
fn a_new_size_draws_again() {
    let mut pty = view(&[]);
    resize(&pty.main, [60, 20]);
    let drawn = pty.wait("\x1b[20;1H");
    assert_eq!(drawn.lines().count(), 19, "{drawn:?}");
    pty.press("q");
    assert_eq!(pty.end().0.code(), Some(0));
}

#[test]
fn stops_and_continues() {
    let mut pty = view(&[]);
    pty.press("\x1a");
    pty.wait(LEAVE);
    let stat = format!("/proc/{}/stat", pty.child.id());
    let end = Instant::now() + PATIENCE;
    while !std::fs::read_to_string(&stat).unwrap().contains(") T ") {
        assert!(Instant::now() < end);
        thread::sleep(Duration::from_millis(10));
    }
    assert!(!pty.is_raw());
    pty.signal(libc::SIGCONT);
    assert!(pty.wait(DRAWN).contains(ENTER));
    assert!(pty.is_raw());
    pty.press("q");
    assert_eq!(pty.end().0.code(), Some(0));
}

#[test]
fn kitty_keeps_no_picture() {
    let mut pty = view(&[("TERM", "xterm-kitty")]);
    pty.press("w");
    pty.wait(DRAWN);
    pty.press("q");
    let (status, rest) = pty.end();
    assert_eq!((status.code(), rest.matches("a=d,d=I").count()), (Some(0), 2), "{rest:?}");
}

#[test]
fn the_end_of_the_terminal_ends_the_program() {
    let mut pty = view(&[]);
    // The reader of the output has the terminal, too, so a signal is sent as the system would.
    pty.signal(libc::SIGHUP);
    pty.wait(LEAVE);
    assert!(!pty.child.wait().unwrap().success());
}

#[test]
fn an_error_leaves_the_terminal_as_it_was() {
    let (_folder, nonsense) = scratch("nonsense.mesh", b"nonsense");
    for path in [&nonsense, "data/unigine/missing.mesh"] {
        let mut pty = Pty::start(&["view", path], &[]);
        let text = pty.wait("error");
        assert_eq!(text.contains(ENTER), text.contains(LEAVE), "{text:?}");
        assert_eq!(pty.child.wait().unwrap().code(), Some(3));
        assert!(!pty.is_raw());
    }
}

#[test]
fn prints_where_no_keys_arrive() {
    let cube = sample("cube_ms13");
    let mut pty = Pty::start(&["view", &cube], &[("TERM", "dumb")]);
    assert!(!pty.wait("cube_ms13").contains('\x1b'));
    assert_eq!(pty.child.wait().unwrap().code(), Some(0));
    let output = command(&["view", &cube]).output().unwrap();
    assert_eq!(code(&output), 2);
    assert!(text(&output.stderr).contains("-o OUT.png"), "{}", text(&output.stderr));
    let output = command(&["view", "--protocol", "blocks", &cube]).stdin(Stdio::null()).output().unwrap();
    assert_eq!(code(&output), 0);
    assert!(text(&output.stdout).contains("cube_ms13"));
}
