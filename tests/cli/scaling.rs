//! Tests that the work of every command grows with its input, and not faster.
//!
//! Each family of inputs has a count. Every command runs on a small input and on an input of ten
//! times the count. The processor time and the resident memory of the larger run must be at most
//! twelve times those of the smaller run, and a constant. A file of at most 1 MiB must also stay
//! within the limits of [`Limits`].
//!
//! [`commands`](super::scaling_commands::commands) makes the commands from the program's list of
//! verbs and options, and [`families`] makes the inputs.
//!
//! | test | inputs | cases |
//! |---|---|---|
//! | `ten_times_the_input_..` | 1/32 of 83 families, each command on one of them | 381 |
//! | the same, with `MESHPEEK_SCALING=all` | 1/32 of 83 families, each command | 31,623 |
//! | `inputs_of_a_mebibyte_..`, which is ignored | 83 families, each command | 31,623 |
//! | the first of them, until every option was in it | 1/32 of 42 families, 24 commands | 1,008 |
//!
//! `MESHPEEK_SCALING=all` runs every command on every family in the first test, too. Any other
//! value is a list of parts of names of families, with commas between.
//! `MESHPEEK_SCALING_PROGRAM` is the path of the program to measure, for an optimised program with
//! tests that are not:
//!
//! ```text
//! MESHPEEK_SCALING_PROGRAM=target/release/meshpeek cargo test --test cli -- --ignored scaling::
//! ```
//!
//! The memory of a child process counts from its parent's memory, so the test runs itself again in
//! a process that holds little. In a debug build, the limits of processor time are 20 times higher.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use super::scaling_commands::commands;
use super::scaling_families::{Family, Files, families};

use crate::support::process::{own_test, process};

/// The variable that chooses the cases: `all`, or parts of the names of families.
const CASES: &str = "MESHPEEK_SCALING";

/// The variable that names an optimised program.
const PROGRAM: &str = "MESHPEEK_SCALING_PROGRAM";

/// The variable that is set in the process that measures.
const ALONE: &str = "MESHPEEK_SCALING_CHILD";

const MEBIBYTE: u64 = 1 << 20;

/// Returns the path of the program to measure.
fn program() -> PathBuf {
    std::env::var_os(PROGRAM).map_or_else(|| env!("CARGO_BIN_EXE_meshpeek").into(), PathBuf::from)
}

/// Returns the factor between the limits of time of this program and of an optimised one.
fn slower() -> u32 {
    match std::env::var_os(PROGRAM) {
        Some(_) => 1,
        None if cfg!(debug_assertions) => 20,
        // The optimised tests are built with little optimisation, and run beside other checks.
        None => 4,
    }
}

/// The work of one run.
#[derive(Clone, Copy, Debug)]
struct Cost {
    time: Duration,
    memory: u64,
    code: Option<i32>,
}

/// What a run on an input of at most 1 MiB may take.
struct Limits {
    time: Duration,
    memory: u64,
}

impl Limits {
    fn new(family: &Family) -> Self {
        let time = Duration::from_millis(if family.inflates { 1000 } else { 500 });
        // The JSON of a glTF output is made in memory.
        Self { time: time * slower(), memory: 128 * MEBIBYTE }
    }
}

/// Runs a command without output, and returns its work. The command ends after `seconds` of
/// processor time.
#[allow(unsafe_code, reason = "only wait4 returns the memory of one process")]
fn measure(arguments: &[&str], cache: &Path, seconds: u64) -> Cost {
    let mut command = process(program());
    command.args(arguments).env("XDG_CACHE_HOME", cache);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let limit = libc::rlimit { rlim_cur: seconds, rlim_max: seconds };
    // The peak memory of a process starts at that of the process that starts it. With a closure to
    // run, the standard library forks this process, and the peak starts at the memory in use now.
    // SAFETY: `setrlimit` may be called after a fork, and the pointer is to a variable.
    unsafe {
        command.pre_exec(move || {
            libc::setrlimit(libc::RLIMIT_CPU, &raw const limit);
            Ok(())
        })
    };
    #[allow(clippy::zombie_processes, reason = "wait4 below waits for the process")]
    let child = command.spawn().unwrap();
    let mut status = 0;
    // SAFETY: all bits zero are valid for this plain struct of integers.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    let id = libc::pid_t::try_from(child.id()).unwrap();
    // SAFETY: both pointers are to variables of this function.
    let ended = unsafe { libc::wait4(id, &raw mut status, 0, &raw mut usage) };
    assert_eq!(ended, id, "{}", io::Error::last_os_error());
    // The kernel divides the time of a short process between these two at its clock ticks, so only
    // their sum is exact.
    let time = [usage.ru_utime, usage.ru_stime].map(|time| {
        Duration::from_secs(time.tv_sec.try_into().unwrap()) + Duration::from_micros(time.tv_usec.try_into().unwrap())
    });
    // Linux counts in KiB, and macOS in bytes.
    let unit = if cfg!(target_os = "macos") { 1 } else { 1024 };
    let code = libc::WIFEXITED(status).then(|| libc::WEXITSTATUS(status));
    Cost { time: time[0] + time[1], memory: u64::try_from(usage.ru_maxrss).unwrap() * unit, code }
}

/// An input that was written to a folder, with the files that commands compare it with.
struct Input {
    folder: tempfile::TempDir,
    name: String,
    size: usize,
}

impl Input {
    fn new(family: &Family, count: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let files: Files = (family.make)(count);
        for (part, files) in [("in", &files), ("copy", &files), ("other", &(family.make)(count.saturating_sub(1)))] {
            fs::create_dir(folder.path().join(part)).unwrap();
            for (name, bytes) in files {
                fs::write(folder.path().join(part).join(name), bytes).unwrap();
            }
        }
        fs::write(folder.path().join("rays"), "0.1 0.1 9 0 0 -1\n".repeat(8)).unwrap();
        fs::write(folder.path().join("points"), "0.1 0.1 9\n".repeat(8)).unwrap();
        Self { folder, name: files[0].0.clone(), size: files.iter().map(|(_, bytes)| bytes.len()).sum() }
    }

    /// Returns a word of a command with the paths of this input.
    fn word(&self, word: &str) -> String {
        let at = |path: &str| self.folder.path().join(path).to_str().unwrap().to_owned();
        match word {
            "FILE" => at(&format!("in/{}", self.name)),
            "COPY" => at(&format!("copy/{}", self.name)),
            "OTHER" => at(&format!("other/{}", self.name)),
            "FOLDER" => at("in"),
            "RAYS" => at("rays"),
            "POINTS" => at("points"),
            _ if word.starts_with("OUT") => at(&word.replacen("OUT", "out/new", 1)),
            _ => word.to_owned(),
        }
    }

    /// Removes what earlier commands wrote.
    fn clear(&self) {
        let out = self.folder.path().join("out");
        let _ = fs::remove_dir_all(&out);
        fs::create_dir(out).unwrap();
        for (word, ending) in [("FILE", ".mpidx"), ("COPY", ".mpidx")] {
            let _ = fs::remove_file(self.word(word) + ending);
        }
    }

    /// Returns the work of the last step of a command on the input.
    fn cost(&self, command: &str, limits: &Limits) -> Cost {
        self.clear();
        let seconds = 1 + (2 * limits.time).as_secs();
        let step = |step: &str| {
            let words: Vec<String> = step.split(' ').map(|word| self.word(word)).collect();
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            measure(&words, &self.folder.path().join("out/cache"), seconds)
        };
        command.split(" && ").map(step).last().unwrap()
    }
}

/// The processor time by which a run may exceed twelve times that of a run on a tenth of its input.
const CONSTANT: Duration = Duration::from_millis(50);

/// The number of times that a command which took too long runs again. Another process may slow one
/// run down, so the fastest run counts.
const RUNS_AGAIN: usize = 3;

/// What the runs have shown.
#[derive(Default)]
struct Report {
    /// A line for each limit that is exceeded.
    lines: Vec<String>,
    /// The commands that could be carried out for a family.
    done: BTreeSet<String>,
    runs: usize,
}

/// Compares each command on an input of `most` of the family's largest count with a tenth of it.
#[allow(unsafe_code, reason = "only malloc_trim returns memory to the system")]
fn compare(family: &Family, commands: &[&String], part: usize, report: &Mutex<Report>) {
    let most = (family.most / part).max(10);
    let [few, many] = [most / 10, most].map(|count| Input::new(family, count));
    // SAFETY: malloc_trim returns unused memory to the system, and has no other effect.
    #[cfg(target_env = "gnu")]
    unsafe {
        libc::malloc_trim(0)
    };
    let limits = Limits::new(family);
    let is_small = many.size as u64 <= MEBIBYTE + 4096;
    for command in commands {
        let mut ten = many.cost(command, &limits);
        // Less than the constants needs no comparison.
        let is_tiny = ten.time <= CONSTANT && ten.memory <= 16 * MEBIBYTE;
        let one = if is_tiny { ten } else { few.cost(command, &limits) };
        // A smaller input that is refused says nothing about the work for a larger one.
        let is_like = one.code == ten.code;
        let is_slower = |ten: &Cost| is_like && ten.time > 12 * one.time + CONSTANT;
        let is_slow = |ten: &Cost| is_small && ten.time > limits.time;
        for _ in 0..RUNS_AGAIN {
            if (is_slower(&ten) || is_slow(&ten)) && ten.time < 4 * limits.time {
                ten.time = ten.time.min(many.cost(command, &limits).time);
            }
        }
        let checks = [
            ([one, ten].iter().any(|cost| cost.code.is_none_or(|code| code > 3)), "ended by a signal or a panic"),
            (is_slower(&ten), "more than 12 times the time"),
            (is_like && ten.memory > 12 * one.memory + 16 * MEBIBYTE, "more than 12 times the memory"),
            (is_slow(&ten), "too slow"),
            (is_small && ten.memory > limits.memory, "too much memory"),
        ];
        let mut report = report.lock().unwrap();
        for (_, what) in checks.iter().filter(|(is_wrong, _)| *is_wrong) {
            let line = format!("{} ({} bytes), {command}: {what}: {one:?}, {ten:?}", family.name, many.size);
            eprintln!("{line}");
            report.lines.push(line);
        }
        report.runs += 1;
        if ten.code.is_some_and(|code| code < 2) {
            report.done.insert((*command).clone());
        }
    }
}

/// Returns whether a family has a command, if each command is tried on one family only.
fn is_sampled(family: usize, command: usize, families: usize) -> bool {
    command * 37 % families == family
}

/// Runs the chosen cases, two families at a time, and panics if a limit is exceeded.
fn run_all(part: usize) {
    let (families, commands, next) = (families(), commands(), AtomicUsize::new(0));
    let cases = std::env::var(CASES).ok().or((part == 1).then(|| "all".to_owned()));
    let report = Mutex::new(Report::default());
    let work = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(family) = families.get(number) else { break };
            let is_chosen = |command: usize| match cases.as_deref() {
                None => is_sampled(number, command, families.len()),
                Some("all") => true,
                Some(names) => names.split(',').any(|name| family.name.contains(name)),
            };
            let chosen = commands.iter().enumerate().filter(|(command, _)| is_chosen(*command));
            let chosen: Vec<&String> = chosen.map(|(_, command)| command).collect();
            if !chosen.is_empty() {
                compare(family, &chosen, part, &report);
            }
        }
    };
    thread::scope(|scope| [0; 2].map(|_| scope.spawn(work)).map(|thread| thread.join().unwrap()));
    let report = report.into_inner().unwrap();
    assert!(report.runs > 0, "no family has the name {cases:?}");
    assert!(report.lines.is_empty(), "{} limits were exceeded in {} runs", report.lines.len(), report.runs);
    if cases.is_some_and(|cases| cases == "all") {
        let idle: Vec<&String> = commands.iter().filter(|command| !report.done.contains(*command)).collect();
        assert!(idle.is_empty(), "no family can be read by these commands: {idle:#?}");
    }
}

/// Runs the named test again in a process of its own, in which it calls [`run_all`].
fn alone(test: &str, part: usize) {
    if std::env::var_os(ALONE).is_some() {
        return run_all(part);
    }
    let output = own_test(&format!("scaling::{test}")).env(ALONE, "1").stderr(Stdio::inherit()).output().unwrap();
    assert!(output.status.success(), "the lines above have the cases; see {CASES} to repeat them");
    assert!(crate::text(&output.stdout).contains("1 passed"), "no test has the name {test}");
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it optimised")]
fn ten_times_the_input_takes_at_most_twelve_times_the_work() {
    alone("ten_times_the_input_takes_at_most_twelve_times_the_work", 32);
}

/// Takes minutes with an optimised program, and much longer with another.
#[test]
#[ignore = "takes minutes"]
fn inputs_of_a_mebibyte_take_little_time_and_memory() {
    alone("inputs_of_a_mebibyte_take_little_time_and_memory", 1);
}
