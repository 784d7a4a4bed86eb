//! Tests that neither the program nor a test depends on how it is started.

use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};

use crate::bench::long_bench;
use crate::support::process::{own_test, process, send_signal};
use crate::text;

/// Returns the bits of a process for signals, such as `SigIgn`.
fn signal_bits(process: u32, name: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).unwrap();
    u64::from_str_radix(line.trim(), 16).unwrap()
}

/// A program that `nohup` or a script starts ignores signals, and keeps ignoring them while it
/// delays the others.
#[test]
fn ignored_signals_stay_ignored() {
    const IGNORED: [i32; 2] = [libc::SIGHUP, libc::SIGINT];
    let folder = tempfile::tempdir().unwrap();
    let mut child = long_bench(folder.path(), &IGNORED);
    let has = |name, signal: i32| signal_bits(child.id(), name) >> (signal - 1) & 1 == 1;
    assert!(has("SigCgt", libc::SIGTERM));
    for signal in IGNORED {
        assert!(has("SigIgn", signal) && !has("SigCgt", signal), "{signal}");
        send_signal(&child, signal);
    }
    send_signal(&child, libc::SIGTERM);
    assert_eq!(child.wait().unwrap().signal(), Some(libc::SIGTERM));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// Tests that depended on their start once, or are likely to.
const LIKELY: [&str; 9] = [
    "bench::a_signal_removes_the_generated_meshes",
    "colours_are_for_terminals_that_want_them",
    "convert::files_of_many_jobs_have_the_default_permissions",
    "diff::git_shows_the_differences_of_a_repository",
    "folders::hidden_and_ignored_files_are_skipped",
    "sidecar::writes_into_the_cache",
    "tasks::every_task_is_one_command_with_this_output",
    "view_terminal::signals_restore_the_terminal",
    "writes::a_limit_for_the_size_of_a_file_is_an_error",
];

/// Runs tests again with ignored signals, a closed input, a strict umask, few descriptors, and the
/// settings of an odd user.
#[test]
fn tests_pass_however_they_are_started() {
    let folder = tempfile::tempdir().unwrap();
    let [home, temporary] = ["home", "a b"].map(|name| folder.path().join(name));
    fs::create_dir(&home).unwrap();
    fs::create_dir(&temporary).unwrap();
    fs::write(home.join("ignored"), "*.mesh\n").unwrap();
    let settings = "[core]\nexcludesFile = ~/ignored\n[commit]\ngpgSign = true\n[diff]\nexternal = false\n";
    fs::write(home.join(".gitconfig"), settings).unwrap();
    let test = own_test(LIKELY[0]);
    let line = "trap '' HUP INT QUIT TERM TSTP CHLD; umask 077; ulimit -n 64; exec \"$@\" <&-";
    let mut shell = process("sh");
    shell.args(["-c", line, "sh"]).arg(test.get_program()).args(test.get_args()).args(&LIKELY[1..]);
    shell.env("HOME", &home).env("XDG_CACHE_HOME", "cache").env("XDG_CONFIG_HOME", &home).env("TMPDIR", &temporary);
    for setting in ["CLICOLOR_FORCE=1", "RUST_BACKTRACE=full", "TERM=dumb", "COLUMNS=20", "GIT_DIR=/nowhere", "TMUX=1"]
    {
        let (name, value) = setting.split_once('=').unwrap();
        shell.env(name, value);
    }
    let output = shell.env("LC_ALL", "tr_TR.UTF-8").env("TZ", "Pacific/Kiritimati").output().unwrap();
    let said = text(&output.stdout) + &text(&output.stderr);
    assert!(output.status.success() && said.contains(&format!("{} passed", LIKELY.len())), "{said}");
}

/// Collects the Rust files of a folder.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// A test that makes a command without [`process`], or prints that it is skipped without
/// `support::skip`, would be the next one that depends on its start, or passes without a word.
#[test]
fn every_test_starts_processes_and_skips_alike() {
    let mut paths = Vec::new();
    sources(Path::new("tests"), &mut paths);
    assert!(paths.len() > 100, "{paths:?}");
    for path in paths {
        let source = fs::read_to_string(&path).unwrap();
        for (word, place) in [(concat!("Command::", "new("), "process.rs"), (concat!("(\"", "skipped: "), "mod.rs")] {
            let is_allowed = path == Path::new("tests/support").join(place);
            assert!(is_allowed || !source.contains(word), "{} contains {word}", path.display());
        }
    }
}
