//! Tests of the program when each of its system calls fails in turn, and when a size limit or a
//! full disk stops it at each step.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::support::unigine::builder;
use meshpeek::unigine::Generation;

use crate::sidecar::User;
use crate::support::sidecar::small_mesh;
use crate::support::skip;
use crate::support::unigine::grid;
use crate::writes::{names, strace_runs, through_shell, traced, with_mounts};
use crate::{code, text, without_pages};

/// The system calls that open, read, write, name or describe a file.
///
/// A failing `close` is left out. The standard library ignores it for a file, and panics for a
/// folder.
const CALLS: &str = "open,openat,read,pread64,write,pwrite64,lseek,statx,newfstatat,fstat,readlink,getdents64,mkdir,\
                     fallocate,fchmod,fsync,linkat,renameat,renameat2,unlinkat,flock,fcntl,ioctl,mmap";

type Files = BTreeMap<String, Vec<u8>>;

/// A command, with the files of its output folder before it and after it.
struct Case {
    command: Command,
    folder: PathBuf,
    old: Files,
    new: Files,
    stdout: Vec<u8>,
    code: i32,
}

impl Case {
    /// Runs a command once. `folder` is the folder that it may change.
    fn new(user: &User, arguments: &[&str], folder: &Path, old: Files) -> Self {
        fs::create_dir_all(folder).unwrap();
        let command = user.command(arguments);
        let mut case = Self { command, folder: folder.to_owned(), old, new: Files::new(), stdout: Vec::new(), code: 0 };
        case.reset();
        let output = case.command.output().unwrap();
        case.code = code(&output);
        assert!(case.code < 2, "{arguments:?}: {}", text(&output.stderr));
        case.new = case.files();
        case.stdout = output.stdout;
        case
    }

    fn files(&self) -> Files {
        names(&self.folder).into_iter().map(|name| (name.clone(), fs::read(self.folder.join(name)).unwrap())).collect()
    }

    fn reset(&self) {
        let found = self.files();
        for name in found.keys().filter(|name| found.get(*name) != self.old.get(*name)) {
            fs::remove_file(self.folder.join(name)).unwrap();
        }
        // A file that is unchanged keeps its times.
        for (name, bytes) in self.old.iter().filter(|(name, bytes)| found.get(*name) != Some(bytes)) {
            fs::write(self.folder.join(name), bytes).unwrap();
        }
    }

    /// Asserts that a disturbed run ended with an error and left each file old or new. A run that
    /// succeeded must have made the same files and printed the same as without a disturbance.
    fn expect_whole(&self, output: &Output, what: &str) {
        let message = text(&output.stderr);
        let what = format!("{:?}, {what}: {message}", self.command);
        self.expect_files(output, &what);
        let found = code(output);
        if found == self.code {
            assert_eq!(self.files(), self.new, "{what}");
            assert_eq!(without_pages(&text(&output.stdout)), without_pages(&text(&self.stdout)), "{what}");
        } else {
            assert_eq!(found, 3, "{what}");
            // With `--json`, the message is in the document. The folder of a file is named if it
            // cannot be searched.
            let message = message + &text(&output.stdout);
            let folders = self.command.get_args().filter_map(|path| Path::new(path).parent());
            let mut named = folders.chain([self.folder.as_path()]).filter_map(Path::to_str);
            let is_named = named.any(|folder| !folder.is_empty() && message.contains(folder));
            assert!(is_named, "the message names no file: {what}");
        }
    }

    /// Asserts that a run ended without a signal or a panic, and that each file is the old or the
    /// new one.
    fn expect_files(&self, output: &Output, what: &str) {
        let files = self.files();
        for (name, bytes) in &files {
            let is_whole = [&self.old, &self.new].into_iter().any(|whole| whole.get(name) == Some(bytes));
            assert!(is_whole, "{name} is torn or stray: {what}");
        }
        for name in self.old.keys().filter(|name| self.new.contains_key(*name)) {
            assert!(files.contains_key(name), "{name} is lost: {what}");
        }
        assert!(output.status.code().is_some() && !what.contains("panicked"), "{}: {what}", output.status);
    }
}

fn files<const N: usize>(files: [(&str, &[u8]); N]) -> Files {
    files.into_iter().map(|(name, bytes)| (name.to_owned(), bytes.to_vec())).collect()
}

/// A mesh with a surface that is large enough for a tree.
fn indexed_mesh() -> Vec<u8> {
    let surfaces = vec![grid("large", 24, false)];
    builder::Mesh { surfaces, ..builder::Mesh::new(Generation::Ms12) }.to_bytes().unwrap()
}

/// Returns one command of each verb that writes files.
fn writers(user: &User) -> Vec<Case> {
    let mesh = user.file("city.mesh", &small_mesh());
    let large = user.file("large.mesh", &indexed_mesh());
    user.index(&[&large]);
    let at = |name: &str| user.path(name).to_str().unwrap().to_owned();
    let out = user.path("out");
    let case = |arguments: &[&str], old: Files| Case::new(user, arguments, &out, old);
    let name = |verb: &str| at(&format!("out/{verb}"));
    let lod = "data/secondlife/rock.llmesh";
    let text_file = "data/ezmesh/flag.ezm";
    let mut cases = vec![
        case(&["rewrite", &mesh, "-o", &name("a.mesh")], Files::new()),
        case(&["rewrite", &mesh, "-o", &name("a.mesh"), "--force"], files([("a.mesh", b"old")])),
        case(&["rewrite", text_file, "-o", &name("a.ezm"), "--force"], files([("a.ezm", b"old")])),
        case(
            &["rewrite", "data/unreal/box_d.3d", "--pair", "--script", "-o", &name("box"), "--force"],
            files([("box_d.3d", b"old"), ("box_a.3d", b"old")]),
        ),
        case(&["lod", lod, "--lod", "high", "--nearest", "-o", &name("a"), "--force"], files([("a", b"old")])),
    ];
    let cache = user.path("cache/meshpeek");
    let old: Files =
        names(&cache).into_iter().map(|name| (name.clone(), fs::read(cache.join(name)).unwrap())).collect();
    cases.push(Case::new(user, &["index", &large], &cache, Files::new()));
    cases.push(Case::new(user, &["index", &large], &cache, old.clone()));
    cases.push(Case::new(user, &["index", "--clear", &large], &cache, old));
    let beside = user.path("beside");
    let place = at("beside/large.mesh");
    cases.push(Case::new(user, &["index", "--beside", &place], &beside, files([("large.mesh", &indexed_mesh())])));
    cases
}

/// Returns one command of each verb that only reads files. A sidecar is in use.
fn readers(user: &User) -> Vec<Case> {
    let large = user.file("read.mesh", &indexed_mesh());
    user.index(&[&large]);
    // A file above 1 MiB is mapped.
    let mapped = user.file("mapped.mesh", &[small_mesh(), vec![7; 1 << 20]].concat());
    let nothing = user.path("nothing");
    let arguments: [&[&str]; 9] = [
        &["info", &large],
        &["info", &mapped, "--json"],
        &["map", &mapped],
        &["validate", &large, &mapped],
        &["validate", "data/ezmesh/flag.ezm", "data/secondlife/arm.llmesh"],
        &["dump", &mapped, "--attribute", "weights"],
        &["dump", &mapped, "--no-mmap"],
        &["query", &large, "ray", "--from", "0.3,0.3,9", "--toward", "0.3,0.3,0"],
        &["dump", "data/unreal/box_d.3d", "--frame", "0"],
    ];
    arguments.into_iter().map(|arguments| Case::new(user, arguments, &nothing, Files::new())).collect()
}

/// Lets each system call of a command fail, one run after another, and returns the number of runs.
///
/// Calls of the loader, before the first line of `main`, are left out.
fn sweep(case: &Case, errors: &[&str]) -> usize {
    case.reset();
    let (_, trace) = traced(&case.command, &["-e".to_owned(), format!("trace={CALLS},rt_sigaction")]);
    let mut counts = BTreeMap::new();
    let (mut in_main, mut runs) = (false, 0);
    for line in trace.lines() {
        // `main` first sets the action of this signal.
        in_main |= line.contains("rt_sigaction(SIGXFSZ");
        let Some((call, arguments)) = line.split_once(' ').and_then(|(_, rest)| rest.trim_start().split_once('('))
        else {
            continue;
        };
        if !CALLS.split(',').any(|name| name == call) {
            continue;
        }
        let number = counts.entry(call.to_owned()).or_insert(0);
        *number += 1;
        // Memory that no file backs is a failed allocation, which ends the program.
        if !in_main || call == "mmap" && arguments.contains("MAP_ANONYMOUS") {
            continue;
        }
        for error in errors {
            case.reset();
            let rule = format!("inject={call}:error={error}:when={number}");
            let (output, disturbed) = traced(&case.command, &["-e".to_owned(), rule.clone()]);
            // The number of calls that read `/proc` varies.
            if !disturbed.contains("(INJECTED)") {
                continue;
            }
            let is_print = call == "write" && (arguments.starts_with("1,") || arguments.starts_with("2,"));
            if is_print {
                case.expect_files(&output, &format!("{:?}, {rule}: {}", case.command, text(&output.stderr)));
            } else {
                case.expect_whole(&output, &rule);
            }
            runs += 1;
        }
    }
    assert!(runs > 5, "only {runs} calls of {:?} failed", case.command);
    runs
}

fn sweep_all(errors: &[&str]) {
    if !strace_runs() {
        return;
    }
    let user = User::new();
    for case in writers(&user).iter().chain(&readers(&user)) {
        let runs = sweep(case, errors);
        println!("{}: {runs} failed calls, no torn file", case.command.get_args().next().unwrap().display());
    }
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it optimised")]
fn any_failing_call_leaves_the_old_or_the_new_file() {
    sweep_all(&["EIO"]);
}

#[test]
#[ignore = "takes minutes"]
fn any_failing_call_with_any_error_leaves_the_old_or_the_new_file() {
    sweep_all(&["ENOSPC", "EINTR", "ENOMEM", "EINVAL"]);
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it optimised")]
fn any_size_limit_leaves_the_old_or_the_new_file() {
    let user = User::new();
    for case in writers(&user) {
        let largest = case.new.values().map(Vec::len).max().unwrap_or_default();
        let mut refusals = 0;
        // A block has 512 or 1,024 bytes, depending on the shell.
        for blocks in 0..=largest / 512 + 1 {
            case.reset();
            let line = format!("ulimit -f {blocks}; exec \"$@\"");
            let output = through_shell(&line, &case.command).output().unwrap();
            case.expect_whole(&output, &format!("a limit of {blocks} blocks"));
            refusals += usize::from(code(&output) == 3);
        }
        assert!(refusals > 0 || case.new.is_empty(), "{:?}", case.command);
    }
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it optimised")]
fn a_disk_that_is_full_at_any_step_keeps_the_old_file() {
    let user = User::new();
    let whole = user.path("whole");
    fs::create_dir(&whole).unwrap();
    // A copy of a mesh is another file, which has another sidecar.
    for case in writers(&user).iter().filter(|case| !case.old.contains_key("large.mesh")) {
        let [folder, kept] = [&case.folder, &whole].map(|path| path.to_str().unwrap());
        let bytes: usize = case.old.values().chain(case.new.values()).map(|bytes| bytes.len().div_ceil(4096)).sum();
        let mut refusals = 0;
        for pages in 1..=bytes + 3 {
            case.reset();
            fs::remove_dir_all(&whole).unwrap();
            fs::create_dir(&whole).unwrap();
            for (name, content) in &case.old {
                fs::write(whole.join(name), content).unwrap();
            }
            // The disk is gone after the command, so its files are copied.
            let line = format!(
                "mount -t tmpfs -o size={}k,mode=700 none '{folder}' && cp -a '{kept}/.' '{folder}/' && {{ \"$@\"; code=$?; \
                 rm -f '{kept}'/*; cp -a '{folder}/.' '{kept}/'; exit $code; }}",
                pages * 4
            );
            let Some(output) = with_mounts(&line, &case.command) else {
                if pages > case.old.values().map(|bytes| bytes.len().div_ceil(4096)).sum() {
                    skip("the mounts cannot be changed");
                    return;
                }
                continue;
            };
            for name in names(&case.folder) {
                fs::remove_file(case.folder.join(name)).unwrap();
            }
            for name in names(&whole) {
                fs::rename(whole.join(&name), case.folder.join(&name)).unwrap();
            }
            case.expect_whole(&output, &format!("a disk of {pages} pages"));
            refusals += usize::from(code(&output) == 3);
        }
        assert!(refusals > 0 || case.new.is_empty(), "{:?}", case.command);
    }
}
