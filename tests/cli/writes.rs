//! Tests of writing files: kills, signals, limits, links and permissions.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown, symlink};
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::sidecar::User;
use crate::support::files::give_to_another_user;
use crate::support::process::{process, send_signal};
use crate::support::sidecar::small_mesh;
use crate::support::skip;
use crate::{code, sample, text};

const LOD: &str = "data/secondlife/rock.llmesh";

pub fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Lets a command run another one, whose program and arguments become its last arguments.
fn append(command: &mut Command, program: &Command) {
    command.arg(program.get_program()).args(program.get_args());
    command.envs(program.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.current_dir(program.get_current_dir().unwrap());
}

/// Runs the program through a shell line that ends with `"$@"`, such as `ulimit -f 0; exec "$@"`.
pub fn through_shell(line: &str, program: &Command) -> Command {
    let mut shell = process("sh");
    shell.args(["-c", line, "sh"]);
    append(&mut shell, program);
    shell
}

/// Runs a command and ends it with a signal after each of `count` delays.
///
/// After each signal, the output file is one of the allowed contents, and no other file is in the
/// folder. After KILL, the other files are removed by the next run.
fn end_at_many_moments(signal: i32, count: u32, verb: &[&str], user: &User, output: &Path) {
    let folder = output.parent().unwrap();
    let before = [b"old".as_slice(), b"x"].concat();
    fs::create_dir_all(folder).unwrap();
    fs::set_permissions(folder, fs::Permissions::from_mode(0o700)).unwrap();
    assert_eq!(code(&user.run(verb)), 0);
    let new = fs::read(output).unwrap();
    let start = std::time::Instant::now();
    assert_eq!(code(&user.run(verb)), 0);
    let whole = start.elapsed() * 5 / 4;
    let name = output.file_name().unwrap().to_str().unwrap().to_owned();
    let mut ended = 0;
    for number in 0..count {
        let is_index = verb[0] == "index";
        // Every measurement draws another picture.
        let is_picture = verb[0] == "bench";
        if !is_index {
            fs::write(output, &before).unwrap();
        }
        let mut child = user.command(verb).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(whole * number / count);
        send_signal(&child, signal);
        let status = child.wait().unwrap();
        ended += u32::from(status.signal().is_some());
        assert!(status.success() || status.signal() == Some(signal), "{status}");
        let found = fs::read(output).unwrap();
        let is_whole = is_index && found.len() == new.len() || is_picture && found.ends_with(b"</svg>\n");
        assert!(found == new || found == before || is_whole, "torn");
        if signal != libc::SIGKILL {
            assert_eq!(names(folder), [name.as_str()], "stray files after {signal}");
        }
    }
    assert_eq!(code(&user.run(verb)), 0);
    assert_eq!(names(folder), [name.as_str()], "stray files after the next run");
    println!("signal {signal}, {verb:?}: {ended} of {count} ended by the signal, 0 torn files, 0 stray files");
}

fn end_all_verbs(count: u32) {
    let user = User::new();
    let mesh = user.file("city.mesh", &small_mesh());
    let lod = user.path("lod/out.llmesh");
    let again = user.path("again/out.mesh");
    let cached = user.index(&[&mesh])["sidecar"].as_str().unwrap().to_owned();
    for signal in [libc::SIGKILL, libc::SIGINT, libc::SIGTERM] {
        end_at_many_moments(
            signal,
            count,
            &["rewrite", &mesh, "-o", again.to_str().unwrap(), "--force"],
            &user,
            &again,
        );
        end_at_many_moments(
            signal,
            count,
            &["lod", LOD, "--lod", "high", "--nearest", "-o", lod.to_str().unwrap(), "--force"],
            &user,
            &lod,
        );
        end_at_many_moments(signal, count, &["index", &mesh], &user, Path::new(&cached));
        for (verb, option, file) in [
            (&["dump"][..], "-o", "npz/out.npz"),
            (&["dump"], "-o", "csv/out.csv"),
            (&["convert"], "-o", "glb/out.glb"),
            (&["map"], "--svg", "svg/out.svg"),
            (&["view"], "-o", "png/out.png"),
            (&["view", "--turntable=4", "--size", "64"], "-o", "movie/out.png"),
            (&["view", "--sheet", "--size", "64"], "-o", "sheet/out.png"),
            (&["view"], "-o", "html/out.html"),
            (&["validate"], "--write-baseline", "baseline/out.json"),
            (&["bench", "--rounds", "1"], "--plot", "plot/out.svg"),
        ] {
            let output = user.path(file);
            let mesh = if verb.contains(&"bench") { sample("cube_ms13") } else { mesh.clone() };
            let arguments = [verb, &[&*mesh, option, output.to_str().unwrap(), "--force"]].concat();
            end_at_many_moments(signal, count, &arguments, &user, &output);
        }
    }
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it optimised")]
fn ended_at_any_moment_a_verb_leaves_the_old_or_the_new_file() {
    end_all_verbs(10);
}

#[test]
#[ignore = "takes minutes"]
fn ended_at_a_thousand_moments_a_verb_leaves_the_old_or_the_new_file() {
    end_all_verbs(1000);
}

#[test]
fn the_next_run_removes_the_files_of_dead_processes_only() {
    let user = User::new();
    let output = user.path("again.mesh");
    // No process has this number.
    let dead = i32::MAX;
    let own = std::process::id();
    user.file(&format!(".meshpeek-{dead}-0"), b"dead");
    user.file(&format!(".meshpeek-{own}-0"), b"alive");
    user.file(".meshpeek-notes", b"of the user");
    symlink("again.mesh", user.path(&format!(".meshpeek-{dead}-1"))).unwrap();
    fs::create_dir(user.path(&format!(".meshpeek-{dead}-2"))).unwrap();
    assert_eq!(code(&user.run(&["rewrite", &sample("cube_ms13"), "-o", output.to_str().unwrap()])), 0);
    let mut expected = [
        format!(".meshpeek-{dead}-1"),
        format!(".meshpeek-{dead}-2"),
        format!(".meshpeek-{own}-0"),
        ".meshpeek-notes".to_owned(),
        "again.mesh".to_owned(),
    ];
    expected.sort();
    assert_eq!(names(user.folder.path()), expected);
}

/// Returns whether system calls can be traced and made to fail. Otherwise the test is skipped.
#[track_caller]
pub fn strace_runs() -> bool {
    let runs = process("strace").args(["-o", "/dev/null", "true"]).output().is_ok_and(|output| output.status.success());
    if !runs {
        skip("strace is not installed, or cannot trace here");
    }
    runs
}

/// A file that is larger than the limit of 1 block, and a command that replaces `out`.
pub fn large_rewrite(user: &User) -> (Command, std::path::PathBuf) {
    let output = user.path("folder/out.bin");
    fs::create_dir_all(output.parent().unwrap()).unwrap();
    fs::write(&output, b"old").unwrap();
    let mesh = user.file("city.mesh", &small_mesh());
    (user.command(&["rewrite", &mesh, "-o", output.to_str().unwrap(), "--force"]), output)
}

fn refused(output: &Output, file: &Path, name: &str) {
    assert_eq!(code(output), 3, "{name}: {}", text(&output.stderr));
    assert_eq!(fs::read(file).unwrap(), b"old", "{name}");
    assert_eq!(names(file.parent().unwrap()), ["out.bin"], "{name}");
}

#[test]
fn a_limit_for_the_size_of_a_file_is_an_error() {
    let user = User::new();
    let (rewrite, output) = large_rewrite(&user);
    let limited = through_shell("ulimit -f 1; exec \"$@\"", &rewrite).output().unwrap();
    refused(&limited, &output, "ulimit");
    assert!(text(&limited.stderr).contains("File too large"), "{}", text(&limited.stderr));
    let [mesh, other] = ["city.mesh", "other.mesh"].map(|name| user.file(name, &small_mesh()));
    let index = user.command(&["index", &mesh, &other]);
    let limited = through_shell("ulimit -f 1; exec \"$@\"", &index).output().unwrap();
    assert_eq!(code(&limited), 3, "{}", text(&limited.stderr));
    assert!(names(&user.path("cache/meshpeek")).is_empty());
}

#[test]
fn a_system_call_that_fails_leaves_the_old_file() {
    if !strace_runs() {
        return;
    }
    let user = User::new();
    let (rewrite, output) = large_rewrite(&user);
    for (call, error) in [
        ("write", "ENOSPC"),
        ("write", "EIO"),
        ("fchmod", "EPERM"),
        ("fsync", "EIO:when=1"),
        ("fsync", "ENOSPC:when=1"),
        ("linkat", "ENOSPC"),
        ("linkat", "EIO:when=2"),
        ("rename,renameat,renameat2", "EIO"),
        ("rename,renameat,renameat2", "ENOSPC"),
    ] {
        let line = format!("exec strace -f -o /dev/null -e inject={call}:error={error} \"$@\"");
        let mut shell = through_shell(&line, &rewrite);
        refused(&shell.stdout(Stdio::null()).output().unwrap(), &output, call);
    }
    // The new file is in its place before the folder is synchronised.
    let line = "exec strace -f -o /dev/null -e inject=fsync:error=EIO:when=2 \"$@\"";
    let done = through_shell(line, &rewrite).output().unwrap();
    assert_eq!(code(&done), 0);
    assert!(text(&done.stderr).contains("folder cannot be synchronised"), "{}", text(&done.stderr));
    assert_eq!(fs::read(&output).unwrap(), small_mesh());
}

#[test]
fn permissions_are_those_of_the_replaced_file_and_never_wider() {
    let user = User::new();
    let (mut rewrite, output) = large_rewrite(&user);
    for mode in [0o600, 0o640, 0o444] {
        fs::set_permissions(&output, fs::Permissions::from_mode(mode)).unwrap();
        assert!(rewrite.output().unwrap().status.success());
        assert_eq!(fs::metadata(&output).unwrap().permissions().mode() & 0o7777, mode);
    }
    for (mask, mode) in [("022", 0o644), ("077", 0o600), ("002", 0o664)] {
        fs::remove_file(&output).unwrap();
        let line = format!("umask {mask}; exec \"$@\"");
        assert!(through_shell(&line, &rewrite).output().unwrap().status.success());
        assert_eq!(fs::metadata(&output).unwrap().permissions().mode() & 0o7777, mode);
    }
    // At no time does the folder contain a file that others can read.
    fs::set_permissions(&output, fs::Permissions::from_mode(0o600)).unwrap();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let watcher = scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                for entry in fs::read_dir(output.parent().unwrap()).unwrap().flatten() {
                    if let Ok(metadata) = entry.metadata() {
                        assert_eq!(metadata.permissions().mode() & 0o077, 0, "{entry:?}");
                    }
                }
            }
        });
        for _ in 0..10 {
            assert!(rewrite.output().unwrap().status.success());
        }
        done.store(true, Ordering::Relaxed);
        watcher.join().unwrap();
    });
}

#[test]
fn index_replaces_and_removes_sidecars_only() {
    let user = User::new();
    let path = user.file("city.mesh", &small_mesh());
    for content in [b"notes of the user".as_slice(), b"", b"mpeekid"] {
        user.file("city.mesh.mpidx", content);
        let refused = user.run(&["index", "--beside", &path]);
        assert_eq!(code(&refused), 3);
        assert!(text(&refused.stderr).contains("expected a sidecar"), "{}", text(&refused.stderr));
        let kept = user.run(&["index", "--clear", &path]);
        assert!(text(&kept.stderr).contains("is not removed"), "{}", text(&kept.stderr));
        assert_eq!(fs::read(user.path("city.mesh.mpidx")).unwrap(), content);
    }
    fs::remove_file(user.path("city.mesh.mpidx")).unwrap();
    for _ in 0..2 {
        assert_eq!(user.index(&["--beside", &path])["sidecar"], format!("{path}.mpidx"));
    }
    // A link to a sidecar of another file is kept, and so is its target.
    fs::rename(user.path("city.mesh.mpidx"), user.path("other.mpidx")).unwrap();
    let before = fs::read(user.path("other.mpidx")).unwrap();
    symlink("other.mpidx", user.path("city.mesh.mpidx")).unwrap();
    assert_eq!(code(&user.run(&["index", "--beside", &path])), 3);
    user.run(&["index", "--clear", &path]);
    assert!(user.path("city.mesh.mpidx").is_symlink());
    assert_eq!(fs::read(user.path("other.mpidx")).unwrap(), before);
}

#[test]
fn a_link_that_is_swapped_in_is_never_followed() {
    let user = User::new();
    let path = user.file("city.mesh", &small_mesh());
    user.index(&["--beside", &path]);
    let (place, spare) = (user.path("city.mesh.mpidx"), user.path("spare"));
    let sidecar = fs::read(&place).unwrap();
    let victim = user.path("victim");
    fs::write(&victim, &sidecar).unwrap();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                symlink("victim", &spare).unwrap();
                fs::rename(&spare, &place).unwrap();
                fs::write(&spare, &sidecar).unwrap();
                fs::rename(&spare, &place).unwrap();
            }
        });
        for _ in 0..30 {
            let status = code(&user.run(&["index", "--beside", &path]));
            assert!(status == 0 || status == 3);
            let cleared = code(&user.run(&["index", "--clear", &path]));
            assert!(cleared == 0 || cleared == 3);
            assert_eq!(fs::read(&victim).unwrap(), sidecar);
            assert!(!victim.is_symlink());
        }
        done.store(true, Ordering::Relaxed);
    });
}

#[test]
fn a_cache_folder_that_others_can_write_to_is_not_used() {
    let user = User::new();
    let path = user.file("city.mesh", &small_mesh());
    user.index(&[&path]);
    assert!(user.uses(&path));
    let cache = user.path("cache/meshpeek");
    let refused = |why: &str| {
        assert!(!user.uses(&path), "{why}");
        let output = user.run(&["index", &path]);
        assert_eq!(code(&output), 3, "{why}");
        assert!(text(&output.stderr).contains("cannot be used"), "{why}: {}", text(&output.stderr));
    };
    for mode in [0o777, 0o770, 0o1777] {
        fs::set_permissions(&cache, fs::Permissions::from_mode(mode)).unwrap();
        refused(&format!("{mode:o}"));
    }
    fs::set_permissions(&cache, fs::Permissions::from_mode(0o755)).unwrap();
    assert!(user.uses(&path));
    let owner = fs::metadata(&cache).unwrap().uid();
    if give_to_another_user(&cache) {
        refused("another user");
        chown(&cache, Some(owner), None).unwrap();
    } else {
        skip("only the superuser can give a folder to another user");
    }
    fs::rename(&cache, user.path("moved")).unwrap();
    symlink(user.path("moved"), &cache).unwrap();
    refused("a link");
}

#[test]
fn a_sidecar_is_private_to_its_user() {
    let user = User::new();
    let path = user.file("city.mesh", &small_mesh());
    let index = user.command(&["index", &path]);
    assert!(through_shell("umask 002; exec \"$@\"", &index).output().unwrap().status.success());
    let cache = user.path("cache/meshpeek");
    let entry = fs::read_dir(&cache).unwrap().next().unwrap().unwrap();
    assert_eq!(entry.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    assert!(user.uses(&path));
}

/// The exit code of a shell line that could not change the mounts.
const REFUSED: i32 = 77;

/// Runs a command after a shell line that changes the mounts of a new mount namespace. Returns
/// `None` if the system refuses this.
pub fn with_mounts(line: &str, program: &Command) -> Option<Output> {
    let shell = through_shell(&format!("{line} || exit {REFUSED}; exec \"$@\""), program);
    let mut unshare = process("unshare");
    unshare.args(["--mount", "--map-root-user"]);
    append(&mut unshare, &shell);
    let output = unshare.output().ok()?;
    let is_refused = output.status.code() == Some(REFUSED) || output.stderr.starts_with(b"unshare:");
    (!is_refused).then_some(output)
}

#[test]
fn a_temporary_file_with_a_name_is_used_if_no_other_is_possible() {
    let user = User::new();
    let (rewrite, output) = large_rewrite(&user);
    // Without `/proc`, an unnamed file cannot get its name.
    let Some(done) = with_mounts("mount -t tmpfs none /proc", &rewrite) else {
        skip("the mounts cannot be changed");
        return;
    };
    assert!(done.status.success(), "{}", text(&done.stderr));
    assert_eq!(fs::read(&output).unwrap(), small_mesh());
    assert_eq!(names(output.parent().unwrap()), ["out.bin"]);
    fs::write(&output, b"old").unwrap();
    let limited = with_mounts("mount -t tmpfs none /proc && ulimit -f 1", &rewrite).unwrap();
    refused(&limited, &output, "a limit");
}

/// Runs a command under `strace` with options, and returns its output and the trace.
pub fn traced(program: &Command, options: &[String]) -> (Output, String) {
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("trace");
    let mut strace = process("strace");
    strace.arg("-f").arg("-o").arg(&trace).args(options);
    append(&mut strace, program);
    let output = strace.output().unwrap();
    (output, fs::read_to_string(&trace).unwrap())
}

/// Returns the options with which `strace` lets system calls fail.
fn injections(rules: &[&str]) -> Vec<String> {
    rules.iter().flat_map(|rule| ["-e".to_owned(), format!("inject={rule}")]).collect()
}

/// Returns the rule that lets the program create no unnamed file, or `None` if the system has no
/// unnamed files.
fn no_unnamed_file(program: &Command) -> Option<String> {
    let (_, trace) = traced(program, &["-e".to_owned(), "trace=openat".to_owned()]);
    let mut calls = trace.lines().filter(|line| line.contains("openat("));
    let found = calls.position(|line| line.contains("O_TMPFILE"));
    if found.is_none() {
        skip("this system has no unnamed files");
    }
    found.map(|number| format!("openat:error=EOPNOTSUPP:when={}", number + 1))
}

#[test]
fn a_new_file_is_written_where_links_are_not_supported() {
    if !strace_runs() {
        return;
    }
    let user = User::new();
    let mesh = user.file("city.mesh", &small_mesh());
    let folder = user.path("folder");
    fs::create_dir(&folder).unwrap();
    let output = folder.join("out.mesh");
    let rewrite = user.command(&["rewrite", &mesh, "-o", output.to_str().unwrap()]);
    let Some(named) = no_unnamed_file(&rewrite) else { return };
    let no_rename = "renameat2:error=EINVAL";
    let mut traces = Vec::new();
    for rules in [&[&*named][..], &[&named, no_rename], &[&named, no_rename, "linkat:error=EPERM"]] {
        fs::remove_file(&output).unwrap();
        let (done, trace) = traced(&rewrite, &injections(rules));
        assert_eq!(code(&done), 0, "{rules:?}: {}", text(&done.stderr));
        assert_eq!(fs::read(&output).unwrap(), small_mesh(), "{rules:?}");
        assert_eq!(names(&folder), ["out.mesh"], "{rules:?}");
        assert_eq!(trace.matches("(INJECTED)").count(), rules.len(), "{trace}");
        traces.push(trace);
    }
    assert!(traces[0].contains("RENAME_NOREPLACE"), "{}", traces[0]);
    // A link that fails for another reason is an error.
    fs::remove_file(&output).unwrap();
    let (refused, _) = traced(&rewrite, &injections(&[&named, no_rename, "linkat:error=EIO"]));
    assert_eq!(code(&refused), 3);
    assert!(names(&folder).is_empty());
}

#[test]
fn a_full_disk_is_reported_before_the_first_byte_is_written() {
    if !strace_runs() {
        return;
    }
    let user = User::new();
    let (rewrite, output) = large_rewrite(&user);
    let asset = user.path("folder/out.bin");
    let lod = user.command(&["lod", LOD, "--lod", "high", "--nearest", "--force", "-o", asset.to_str().unwrap()]);
    for verb in [&rewrite, &lod] {
        for error in ["ENOSPC", "EDQUOT", "EFBIG"] {
            let rule = format!("fallocate:error={error}");
            let (done, trace) = traced(verb, &injections(&[&rule]));
            refused(&done, &output, error);
            let (_, after) = trace.split_once("(INJECTED)").unwrap();
            // The message on standard error is the only write.
            assert!(!after.lines().any(|line| line.contains(" write(") && !line.contains(" write(2,")), "{trace}");
        }
    }
    let (done, _) = traced(&rewrite, &injections(&["fallocate:error=EOPNOTSUPP"]));
    assert_eq!(code(&done), 0, "{}", text(&done.stderr));
    assert_eq!(fs::read(&output).unwrap(), small_mesh());
}

#[test]
fn a_full_disk_leaves_the_old_file() {
    let user = User::new();
    let (rewrite, output) = large_rewrite(&user);
    let folder = output.parent().unwrap().to_str().unwrap();
    let line = format!("mount -t tmpfs -o size=4k none '{folder}' && printf old > '{folder}/out.mesh'");
    let check = format!(
        "{line} && {{ \"$@\"; code=$?; [ \"$(cat '{folder}'/* '{folder}'/.m* 2>/dev/null)\" = old ] && exit $code; exit 99; }}"
    );
    let Some(done) = with_mounts(&check, &rewrite) else {
        skip("the mounts cannot be changed");
        return;
    };
    assert_eq!(code(&done), 3);
    assert!(text(&done.stderr).contains("No space left"), "{}", text(&done.stderr));
}

#[test]
fn clearing_on_a_read_only_disk() {
    let user = User::new();
    let path = user.file("city.mesh", &small_mesh());
    let folder = user.folder.path().to_str().unwrap().to_owned();
    let clear = user.command(&["index", "--clear", &path]);
    let line = format!("mount --bind '{folder}' '{folder}' && mount -o remount,bind,ro '{folder}'");
    let read_only = || with_mounts(&line, &clear);
    let Some(output) = read_only() else {
        skip("no disk can be made read-only");
        return;
    };
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("had no sidecar"), "{}", text(&output.stdout));
    user.index(&["--beside", &path]);
    let output = read_only().unwrap();
    assert_eq!(code(&output), 3);
    let message = text(&output.stderr);
    assert!(message.contains("city.mesh.mpidx: cannot be removed: Read-only"), "{message}");
}

#[test]
fn a_signal_during_the_last_step_ends_the_program_after_it() {
    if !strace_runs() {
        return;
    }
    let user = User::new();
    let (rewrite, output) = large_rewrite(&user);
    for (signal, number) in [("INT", 2), ("TERM", 15), ("HUP", 1)] {
        fs::write(&output, b"old").unwrap();
        let line = format!("exec strace -f -o /dev/null -e inject=linkat:signal=SIG{signal}:when=2 \"$@\"");
        let done = through_shell(&line, &rewrite).output().unwrap();
        let status = done.status;
        assert!(status.signal() == Some(number) || status.code() == Some(128 + number), "{status}");
        assert_eq!(fs::read(&output).unwrap(), small_mesh());
        assert_eq!(names(output.parent().unwrap()), ["out.bin"]);
    }
}
