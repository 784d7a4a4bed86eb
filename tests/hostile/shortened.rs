//! Files that are shortened while they are mapped, with the guard.
#![allow(unsafe_code, reason = "mapping a file is an unsafe call")]

use std::fs::{self, File, OpenOptions};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use meshpeek::io::guard;
use meshpeek::{ErrorKind, Map};

use crate::support::process::own_test;

const PAGE: usize = 4096;
/// The environment variable with the folder in which the child process works.
const CHILD: &str = "MESHPEEK_CHILD_FOLDER";

/// Creates a file of `pages` pages that contain no zero.
fn file_of(folder: &Path, name: &str, pages: usize) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, vec![7; pages * PAGE]).unwrap();
    path
}

fn map(path: &Path) -> Map {
    // SAFETY: The test shortens the file, and reads only bytes, for which any value is allowed. The
    // guard maps zeros in place of lost pages.
    unsafe { Map::open(path).unwrap() }
}

fn cut(path: &Path, length: usize) {
    OpenOptions::new().write(true).open(path).unwrap().set_len(length as u64).unwrap();
}

/// Asserts that `check` returns an error that names the file, and the offset at which it ends.
fn expect_truncated(map: &Map, path: &Path, at: usize) {
    let error = map.check().unwrap_err();
    assert!(error.kind() == ErrorKind::Truncated, "{error}");
    assert_eq!((error.path(), error.offset()), (Some(path), Some(at as u64)));
}

#[test]
fn a_lost_page_reads_as_zeros_and_check_is_an_error() {
    guard::install().unwrap();
    guard::install().unwrap();
    assert!(guard::is_installed());
    let folder = tempfile::tempdir().unwrap();
    let (path, other) = (file_of(folder.path(), "cut", 5), file_of(folder.path(), "whole", 5));
    let (one, whole) = (map(&path), map(&other));
    assert_eq!(one.as_ref()[4 * PAGE], 7);
    cut(&path, 2 * PAGE + 10);
    assert_eq!((one.as_ref()[0], one.as_ref()[2 * PAGE + 9], one.as_ref()[2 * PAGE + 10]), (7, 7, 0));
    expect_truncated(&one, &path, 2 * PAGE + 10);
    assert!(one.as_ref()[3 * PAGE..].iter().all(|byte| *byte == 0));
    expect_truncated(&one, &path, 2 * PAGE + 10);
    assert!(whole.as_ref().iter().all(|byte| *byte == 7));
    whole.check().unwrap();
    // The lost pages stay lost if the file grows again, although its size is the former size.
    cut(&path, 5 * PAGE);
    expect_truncated(&one, &path, 3 * PAGE);
}

#[test]
fn a_file_that_is_cut_to_nothing_is_an_error() {
    guard::install().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = file_of(folder.path(), "cut", 3);
    let one = map(&path);
    cut(&path, 0);
    assert!(one.as_ref().iter().all(|byte| *byte == 0));
    expect_truncated(&one, &path, 0);
}

/// Returns how many files this process may have open.
fn open_files() -> usize {
    let limits = fs::read_to_string("/proc/self/limits").unwrap();
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files")).unwrap();
    line.split_whitespace().next().unwrap().parse().unwrap_or(usize::MAX)
}

#[test]
fn guards_many_maps_at_once_and_thousands_in_turn() {
    guard::install().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = file_of(folder.path(), "many", 2);
    let mut maps = Vec::new();
    // Each map has an open file, and other tests open files at the same time.
    let count = (open_files() / 2).min(400);
    while maps.len() < count {
        maps.push(map(&path));
    }
    cut(&path, PAGE);
    for one in &maps {
        assert_eq!(one.as_ref()[PAGE], 0);
        expect_truncated(one, &path, PAGE);
    }
    drop(maps);
    for _ in 0..2 * guard::MAX_MAPS {
        drop(map(&path));
    }
}

/// Cuts, overwrites and replaces files while eight threads read them.
///
/// `MESHPEEK_CUTS` is the number of changes.
#[test]
fn survives_files_that_are_cut_while_threads_read_them() {
    guard::install().unwrap();
    let changes = std::env::var("MESHPEEK_CUTS").ok().and_then(|text| text.parse().ok()).unwrap_or(600);
    let folder = tempfile::tempdir().unwrap();
    let paths: Vec<PathBuf> = (0..4).map(|number| file_of(folder.path(), &format!("{number}"), 64)).collect();
    let (stop, done, errors, reads) = (AtomicBool::new(false), AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0));
    let until = Instant::now() + Duration::from_secs(600);
    thread::scope(|scope| {
        for number in 0..8 {
            let (path, stop, errors, reads) = (&paths[number % paths.len()], &stop, &errors, &reads);
            scope.spawn(move || {
                while !stop.load(Relaxed) {
                    // The file has no length for a moment while it is replaced.
                    // SAFETY: As for `map`.
                    let Ok(one) = (unsafe { Map::open(path) }) else { continue };
                    let has_zeros = one.as_ref().contains(&0);
                    reads.fetch_add(1, Relaxed);
                    match one.check() {
                        Ok(()) => assert!(!has_zeros, "zeros of lost pages pass as data"),
                        Err(error) => {
                            errors.fetch_add(1, Relaxed);
                            assert_eq!(error.path(), Some(path.as_path()), "{error}");
                            let is_cut = error.kind() == ErrorKind::Truncated;
                            assert!(is_cut == error.offset().is_some(), "{error}");
                            assert!(is_cut || error.kind() == ErrorKind::Changed, "{error}");
                        }
                    }
                }
            });
        }
        let mut random = crate::support::random::Random::new(9);
        while done.fetch_add(1, Relaxed) < changes && Instant::now() < until {
            let path = &paths[random.below(paths.len())];
            match random.below(4) {
                0 | 1 => cut(path, random.below(fs::metadata(path).map_or(1, |now| now.len() as usize + 1))),
                2 => fs::write(path, vec![9; 64 * PAGE]).unwrap(),
                _ => {
                    let next = folder.path().join("next");
                    fs::write(&next, vec![5; 64 * PAGE]).unwrap();
                    fs::rename(&next, path).unwrap();
                }
            }
            if random.below(3) == 0 {
                thread::sleep(Duration::from_micros(200));
            }
        }
        stop.store(true, Relaxed);
    });
    println!("{changes} changes, {} reads, {} errors", reads.into_inner(), errors.into_inner());
}

/// The child process of [`a_fault_outside_of_all_maps_still_ends_the_process`].
#[test]
#[ignore = "another test runs it as a process"]
fn child_that_reads_a_lost_page_of_another_map() {
    // The parent process sets the folder. Without it, the test does nothing.
    let Some(folder) = std::env::var_os(CHILD) else { return };
    guard::install().unwrap();
    let path = file_of(Path::new(&folder), "foreign", 2);
    // SAFETY: The test shortens the file, which ends the process.
    let foreign = unsafe { memmap2::Mmap::map(&File::open(&path).unwrap()).unwrap() };
    cut(&path, 0);
    std::process::exit(i32::from(foreign[PAGE]));
}

#[test]
fn a_fault_outside_of_all_maps_still_ends_the_process() {
    use std::os::unix::process::ExitStatusExt as _;
    let name = "shortened::child_that_reads_a_lost_page_of_another_map";
    let folder = tempfile::tempdir().unwrap();
    let child = own_test(name).env(CHILD, folder.path()).output().unwrap();
    assert_eq!(child.status.signal(), Some(libc::SIGBUS), "{child:?}");
}
