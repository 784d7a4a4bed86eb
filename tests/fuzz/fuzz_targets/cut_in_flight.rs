//! Mapped files that are cut, overwritten, grown, replaced or deleted while they are read.
//!
//! The input has a list of changes and a file. The changes happen between the accesses of the
//! reader to the bytes, or in a second thread at the same time. No call panics, no lost page ends
//! the process, and [`Map::check`] returns an error after a cut.
#![no_main]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    unsafe_code,
    reason = "a panic is how a fuzz target fails, and mapping a file is an unsafe call"
)]

#[path = "shared/input.rs"]
mod input;
#[path = "../../support/mod.rs"]
mod support;
#[allow(dead_code, reason = "this target opens no sidecar")]
#[path = "../../hostile/visit.rs"]
mod visit;

use std::fs::{self, File, OpenOptions};
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, LazyLock, Mutex};
use std::thread;

use input::Input;
use libfuzzer_sys::fuzz_target;
use meshpeek::io::guard;
use meshpeek::unigine::{AnimationGeneration, Generation};
use meshpeek::{ErrorKind, Map, Model};
use support::random::Random;
use support::unigine::builder;
use support::unigine::{furnished_room, grid, skinned, wave};

const PAGE: u64 = 4096;
/// The largest size of the file before and after its changes.
const MAX_SIZE: u64 = 64 << 10;

/// Files of several formats. Some have several pages, because only a whole page can be lost.
static SAMPLES: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let mut large = skinned(Generation::Ms12);
    large.surfaces.push(grid("large", 20, true));
    let mut old = builder::Mesh::new(Generation::Ms11);
    old.surfaces = vec![grid("first", 12, true), grid("second", 8, false)];
    vec![
        large.to_bytes().unwrap(),
        furnished_room().to_bytes().unwrap(),
        old.to_bytes().unwrap(),
        wave(AnimationGeneration::An10).to_bytes().unwrap(),
        include_bytes!("../../../data/ezmesh/flag.ezm").to_vec(),
        include_bytes!("../../../data/ezmesh/flag101.ezb").to_vec(),
        include_bytes!("../../../data/secondlife/rock.llmesh").to_vec(),
        include_bytes!("../../../data/secondlife/model.slm").to_vec(),
    ]
});

/// The path of the file of this process, in memory if the system has a folder for such files.
static FILE: LazyLock<PathBuf> = LazyLock::new(|| {
    guard::install().unwrap();
    let shared = Path::new("/dev/shm");
    let base = if shared.is_dir() { shared.to_path_buf() } else { std::env::temp_dir() };
    base.join(format!("meshpeek-fuzz-{}", std::process::id()))
});

/// One change of the file.
#[derive(Clone, Debug)]
enum Change {
    /// Sets the length, which cuts the file or appends zeros.
    Length(u64),
    Write(u64, Vec<u8>),
    Replace,
    Delete,
}

impl Change {
    fn of(input: &mut Input<'_>) -> Self {
        let place = u64::from(input.word() as u16);
        match input.below(8) {
            0 | 1 => Self::Length(place % MAX_SIZE),
            2 | 3 => Self::Length(place % (MAX_SIZE / PAGE) * PAGE),
            4 | 5 => Self::Write(place, input.bytes(16)),
            6 => Self::Replace,
            _ => Self::Delete,
        }
    }

    /// Changes the file. A deleted file keeps its content for the map, and can still be changed.
    fn apply(&self, file: &mut File, path: &Path) {
        match self {
            Self::Length(length) => file.set_len(*length).unwrap(),
            Self::Write(place, bytes) => {
                file.seek(SeekFrom::Start(*place)).unwrap();
                file.write_all(bytes).unwrap();
            }
            Self::Replace => {
                let other = path.with_extension("new");
                fs::write(&other, b"another file").unwrap();
                fs::rename(&other, path).unwrap();
            }
            Self::Delete => drop(fs::remove_file(path)),
        }
    }
}

/// A map whose file changes at some of the accesses to its bytes.
struct Changing {
    map: Map,
    accesses: AtomicUsize,
    /// The number of the access before which each change happens, in descending order.
    changes: Mutex<(File, Vec<(usize, Change)>)>,
    path: PathBuf,
}

impl AsRef<[u8]> for Changing {
    fn as_ref(&self) -> &[u8] {
        let access = self.accesses.fetch_add(1, SeqCst);
        let (file, changes) = &mut *self.changes.lock().unwrap();
        while changes.last().is_some_and(|(at, _)| *at <= access) {
            changes.pop().unwrap().1.apply(file, &self.path);
        }
        self.map.as_ref()
    }
}

/// The bytes of a file that another owner checks afterwards.
struct Shared(Arc<Changing>);

impl AsRef<[u8]> for Shared {
    fn as_ref(&self) -> &[u8] {
        (*self.0).as_ref()
    }
}

fn writable(path: &Path) -> File {
    OpenOptions::new().write(true).open(path).unwrap()
}

fn map(path: &Path) -> Map {
    // SAFETY: The file changes, and the library needs only bytes of any value. The guard maps zeros
    // in place of lost pages.
    unsafe { Map::open(path).unwrap() }
}

/// Reads the model twice, because the second time some values are known from the first.
fn read<D: AsRef<[u8]> + Send + Sync>(bytes: D, seed: u64) {
    let Ok(model) = Model::open(bytes) else { return };
    for number in 0..2 {
        visit::visit(&model, &mut Random::new(seed + number));
    }
}

/// Asserts that `check` returns an error if the file is now shorter, and that an error is named.
fn expect_check(map: &Map, now: u64) {
    let opened = map.as_ref().len() as u64;
    // Every page is read, so the guard is needed for each lost page.
    let _ = map.as_ref().iter().fold(0_u8, |sum, byte| sum ^ byte);
    let Err(error) = map.check() else {
        assert!(now >= opened, "a file of {opened} bytes was cut to {now}, and `check` finds nothing");
        return;
    };
    let is_cut = error.kind() == ErrorKind::Truncated;
    assert!(is_cut || now >= opened && error.kind() == ErrorKind::Changed, "{error}");
    assert!(error.path().is_some() && error.offset().is_some_and(|offset| offset < opened) == is_cut, "{error}");
}

fuzz_target!(|bytes: &[u8]| {
    let mut input = Input::new(bytes);
    let (kind, seed) = (input.byte(), u64::from(input.byte()));
    let mut changes = input.list(9, |input| (usize::from(input.word() as u16) % 3000, Change::of(input)));
    changes.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
    let mut content = SAMPLES[usize::from(kind >> 2) % SAMPLES.len()].clone();
    if kind & 2 == 0 {
        content = input.rest().to_vec();
    }
    let path = FILE.clone();
    fs::write(&path, &content).unwrap();
    let (mut file, map) = (writable(&path), map(&path));
    let unchanged = changes.is_empty();
    if kind & 1 == 0 {
        let observer = file.try_clone().unwrap();
        let changes = Mutex::new((file, changes));
        let changing = Arc::new(Changing { map, accesses: AtomicUsize::new(0), changes, path });
        read(Shared(Arc::clone(&changing)), seed);
        assert!(!unchanged || changing.map.as_ref() == content && changing.map.check().is_ok());
        expect_check(&changing.map, observer.metadata().unwrap().len());
    } else {
        thread::scope(|scope| {
            scope.spawn(|| {
                for (pause, change) in changes.iter().rev() {
                    (0..*pause * 16).for_each(|_| std::hint::spin_loop());
                    change.apply(&mut file, &path);
                }
            });
            read(map.as_ref(), seed);
        });
        expect_check(&map, file.metadata().unwrap().len());
    }
    drop(fs::remove_file(&*FILE));
});
