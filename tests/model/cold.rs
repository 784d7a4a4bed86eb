//! Counts how many times scans and look-ups in a mapped file wait for the disk, if the file is not
//! in memory. The limits of the tests are a few times the usual numbers, because a scan that is
//! read ahead sometimes waits too, and far below the numbers of pages.
//!
//! The tests say that they are skipped where the system does not drop the file from memory.

use std::fs::File;
use std::os::fd::AsRawFd;
use std::path::Path;

use crate::support::unigine::builder;
use meshpeek::io::PrefetchList;
use meshpeek::model::Positions;
use meshpeek::query::{Attributes, Ray, SceneTrees};
use meshpeek::unigine::Generation;
use meshpeek::{Array, Map, Model, Surface};

use crate::support::files::file_on_disk;
use crate::support::skip;
use crate::support::unigine::grid;

/// A file of several MiB in a folder on a disk.
struct ColdFile(tempfile::NamedTempFile);

impl ColdFile {
    /// Writes a mesh with `count` surfaces, each a grid with `side` squares along a side.
    fn write(count: usize, side: u32) -> Self {
        let surfaces = (0..count).map(|surface| grid(&surface.to_string(), side, false)).collect();
        let bytes = builder::Mesh { surfaces, ..builder::Mesh::new(Generation::Ms13) }.to_bytes().unwrap();
        Self(file_on_disk(&bytes))
    }

    /// Maps the file when no page of it is in memory, and returns how many times `read` waits for
    /// the disk.
    fn waits(&self, read: impl FnOnce(&Model<Map>)) -> u64 {
        evict(self.0.path());
        // SAFETY: No process writes to the file of this test.
        let model = Model::open(unsafe { meshpeek::Map::open(self.0.path()).unwrap() }).unwrap();
        let before = major_faults();
        read(&model);
        major_faults() - before
    }

    fn trees(&self) -> SceneTrees {
        // SAFETY: As above.
        let model = Model::open(unsafe { meshpeek::Map::open(self.0.path()).unwrap() }).unwrap();
        model.scene_trees().unwrap()
    }

    /// Writes a mesh with two large surfaces, as [`of`](Self::of) does.
    #[track_caller]
    fn on_a_disk() -> Option<Self> {
        Self::of(2, 300)
    }

    /// Returns a mesh, or `None` if reading each page of its file does not wait for the disk.
    #[track_caller]
    fn of(count: usize, side: u32) -> Option<Self> {
        let file = Self::write(count, side);
        let pages = file.waits(|model| {
            let bytes = model.file().source(0).unwrap().as_ref();
            bytes.iter().step_by(4096).for_each(|byte| _ = std::hint::black_box(*byte));
        });
        let is_cold = pages > 300;
        if !is_cold {
            skip("the system keeps the file in memory");
        }
        is_cold.then_some(file)
    }
}

fn evict(path: &Path) {
    let file = File::open(path).unwrap();
    file.sync_all().unwrap();
    // SAFETY: The descriptor is open, and the call changes only the page cache.
    assert_eq!(unsafe { libc::posix_fadvise(file.as_raw_fd(), 0, 0, libc::POSIX_FADV_DONTNEED) }, 0);
}

/// Returns how many times this thread has waited for a page of a file.
pub(crate) fn major_faults() -> u64 {
    let stat = std::fs::read_to_string("/proc/thread-self/stat").unwrap();
    stat.rsplit(')').next().unwrap().split_whitespace().nth(9).unwrap().parse().unwrap()
}

fn positions(model: &Model<Map>) -> Positions<'_> {
    Surface::new(model.geometry(), 1).unwrap().positions().unwrap()
}

fn decode_in_pieces(positions: Positions<'_>, length: usize) {
    let mut out = vec![[0.0; 3]; length];
    for start in (0..positions.len() - length).step_by(length) {
        positions.slice(start..start + length).unwrap().decode_into(&mut out).unwrap();
    }
}

/// Decodes positions in small pieces from two places in turn, and calls `between` with the number
/// of each piece after it.
fn scan_two_places(positions: Positions<'_>, mut between: impl FnMut(usize)) {
    let (mut out, mut piece) = ([[0.0; 3]; 128], 0);
    for start in (0..positions.len() / 2 - 128).step_by(128) {
        for start in [start, positions.len() / 2 + start] {
            positions.slice(start..start + 128).unwrap().decode_into(&mut out).unwrap();
            between(piece);
            piece += 1;
        }
    }
}

type Scan = fn(Positions<'_>);

/// The positions of a surface take 265 pages, and no scan waits for each of them.
#[test]
fn no_scan_is_read_page_by_page() {
    let Some(file) = ColdFile::on_a_disk() else { return };
    let scans: [(&str, Scan); 13] = [
        ("decode_into", |positions| decode_in_pieces(positions, positions.len() - 1)),
        ("decode_into of 10,000", |positions| decode_in_pieces(positions, 10_000)),
        ("decode_into of 512", |positions| decode_in_pieces(positions, 512)),
        ("decode_into of 100", |positions| decode_in_pieces(positions, 100)),
        ("decode_into of 7", |positions| decode_in_pieces(positions, 7)),
        ("bounds", |positions| _ = positions.bounds()),
        ("chunks", |positions| positions.for_each_chunk(|_, _| ())),
        ("for_each", |positions| positions.for_each(|_| ())),
        ("iterator", |positions| for _ in positions {}),
        ("iterator with fold", |positions| _ = positions.iter().map(|at| at[0]).sum::<f32>()),
        ("get of some items, then decode_into", |positions| {
            for vertex in [0, 340, 341, 342, positions.len() - 1] {
                let _ = positions.get(vertex).unwrap();
            }
            decode_in_pieces(positions, positions.len() - 1);
        }),
        ("get of every fourth page, then bounds", |positions| {
            (0..positions.len()).step_by(4 * 342).for_each(|vertex| _ = positions.get(vertex));
            let _ = positions.bounds();
        }),
        ("two scans in turn", |positions| scan_two_places(positions, |_| ())),
    ];
    for (name, scan) in scans {
        let waits = file.waits(|model| scan(positions(model)));
        let allowed = if name.contains("every fourth") { 67 + 60 } else { 60 };
        assert!(waits <= allowed, "{name}: waited {waits} times");
    }
}

/// A scan is read ahead when files are mapped meanwhile, whichever of its pieces they follow.
#[test]
fn maps_of_other_files_do_not_stop_reading_ahead() {
    let Some(file) = ColdFile::on_a_disk() else { return };
    for (every, length) in [(1, 512), (7, 512), (31, 128), (3, 7000), (2, 30_000)] {
        let waits = file.waits(|model| {
            let positions = positions(model);
            let mut out = vec![[0.0; 3]; length];
            for (piece, start) in (0..positions.len() - length).step_by(length).enumerate() {
                positions.slice(start..start + length).unwrap().decode_into(&mut out).unwrap();
                if piece % every == 0 {
                    map_a_sample();
                }
            }
        });
        assert!(waits <= 60, "a map after {every} pieces of {length}: waited {waits} times");
    }
    for place in 0..30 {
        let waits = file.waits(|model| {
            scan_two_places(positions(model), |piece| {
                if piece % 60 == 2 * place || piece % 60 == 2 * place + 1 {
                    map_a_sample();
                }
            });
        });
        assert!(waits <= 60, "maps from piece {place}: waited {waits} times");
    }
}

fn map_a_sample() {
    // SAFETY: No process writes to the samples.
    drop(unsafe { meshpeek::Map::open("data/unigine/cube_ms13.mesh").unwrap() });
}

/// What was in memory of an earlier map at the same address is not assumed of a new map.
#[test]
fn a_new_map_at_the_same_address_is_read_ahead() {
    let Some(file) = ColdFile::on_a_disk() else { return };
    for _ in 0..4 {
        let mut waits = Vec::new();
        for half in 0..2 {
            waits.push(file.waits(|model| {
                let positions = positions(model);
                let half = half * positions.len() / 2..(half + 1) * positions.len() / 2;
                decode_in_pieces(positions.slice(half).unwrap(), 1000);
            }));
        }
        assert!(waits.iter().all(|waits| *waits <= 50), "waited {waits:?} times");
    }
}

#[test]
fn a_whole_file_is_read_ahead() {
    let Some(file) = ColdFile::on_a_disk() else { return };
    let waits = file.waits(|model| {
        model.file().prefetch();
        for surface in Surface::all(model.geometry()).unwrap() {
            decode_in_pieces(surface.positions().unwrap(), 1000);
            surface.indices().unwrap().for_each(|_| ());
        }
    });
    assert!(waits <= 100, "waited {waits} times");
}

/// The system loads a file of at most 1 MiB as a whole when its header is read.
#[test]
fn a_small_file_is_read_in_one_request() {
    if !Path::new("/sys/kernel/mm/transparent_hugepage").exists() {
        skip("the system has no pages of 2 MiB");
        return;
    }
    let file = ColdFile::write(12, 32);
    let length = file.0.as_file().metadata().unwrap().len();
    assert!(((512 << 10)..(1 << 20)).contains(&length), "{length} bytes");
    let waits = file.waits(|model| {
        for surface in Surface::all(model.geometry()).unwrap() {
            let positions = surface.positions().unwrap();
            positions.get(positions.len() / 2).unwrap();
            surface.indices().unwrap().for_each(|_| ());
        }
    });
    assert!(waits <= 2, "waited {waits} times");
}

/// The fields of small surfaces are on as many pages, and the walk does not wait for each of them.
#[test]
fn small_surfaces_are_located_ahead() {
    let Some(file) = ColdFile::of(40, 30) else { return };
    let waits = file.waits(|model| _ = Surface::new(model.geometry(), 39).unwrap().positions().unwrap());
    assert!(waits <= 60, "waited {waits} times");
}

/// Returns how many pages of the file of a model are in memory.
fn pages_in_memory(model: &Model<Map>) -> usize {
    let bytes = model.file().source(0).unwrap().as_ref();
    let mut pages = vec![0_u8; bytes.len().div_ceil(4096)];
    // SAFETY: The bytes are mapped, and `pages` has a byte for each page.
    let refused = unsafe { libc::mincore(bytes.as_ptr().cast_mut().cast(), bytes.len(), pages.as_mut_ptr()) };
    assert_eq!(refused, 0);
    pages.iter().filter(|page| **page & 1 != 0).count()
}

/// The system reads no page of 2 MiB if a small page of it is in memory, so the pages that a parser
/// has read are dropped.
#[test]
fn pages_read_before_do_not_split_large_pages() {
    let Some(file) = ColdFile::on_a_disk() else { return };
    if !Path::new("/sys/kernel/mm/transparent_hugepage").exists() {
        skip("the system has no pages of 2 MiB");
        return;
    }
    // The system cannot drop a page that another processor has only just read. The map is a new one
    // each time, because a page of a map that is read in order is read with its neighbours.
    let are_dropped = (0..20).any(|_| {
        let mut after = usize::MAX;
        file.waits(|model| {
            let bytes = model.file().source(0).unwrap().as_ref();
            bytes.iter().step_by(bytes.len() / 30).for_each(|byte| _ = std::hint::black_box(*byte));
            assert!(pages_in_memory(model) >= 30);
            model.file().prefetch();
            after = pages_in_memory(model);
        });
        after == 0
    });
    assert!(are_dropped);
}

/// Items at random are requested together.
#[test]
fn items_are_gathered_in_one_request() {
    let Some(file) = ColdFile::on_a_disk() else { return };
    let indices = |count: usize| -> Vec<u32> {
        (0..2000_u64)
            .map(|number| (number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20) % count as u64)
            .map(|at| at as u32)
            .collect()
    };
    let one_by_one = file.waits(|model| {
        let positions = positions(model);
        for index in indices(positions.len()) {
            std::hint::black_box(positions.get(index as usize));
        }
    });
    let gathered = file.waits(|model| {
        let positions = positions(model);
        let (indices, mut out) = (indices(positions.len()), vec![[0.0; 3]; 2000]);
        positions.gather(&indices, &mut out).unwrap();
        assert!(indices.iter().zip(&out).all(|(index, item)| positions.get(*index as usize).as_ref() == Some(item)));
    });
    let listed = file.waits(|model| {
        let arrays: Vec<_> =
            Surface::all(model.geometry()).unwrap().map(|surface| surface.positions().unwrap()).collect();
        let indices = indices(arrays[0].len());
        let mut list = PrefetchList::default();
        for (index, array) in indices.iter().flat_map(|index| arrays.iter().map(move |array| (*index, array))) {
            array.list_item(index as usize, &mut list);
        }
        list.prefetch();
        for (index, array) in indices.iter().flat_map(|index| arrays.iter().map(move |array| (*index, array))) {
            std::hint::black_box(array.get(index as usize));
        }
    });
    assert!(one_by_one > 150, "waited {one_by_one} times");
    assert!(gathered <= 60, "waited {gathered} times");
    assert!(listed <= 90, "waited {listed} times");
}

#[test]
fn validation_reads_the_file_ahead() {
    let Some(file) = ColdFile::on_a_disk() else { return };
    // All normals of the file are equal.
    let expect = |finding: meshpeek::Finding| assert_eq!(finding.rule, "UG28", "{finding:?}");
    let waits = file.waits(|model| model.file().validate(&mut |finding| expect(finding)).unwrap());
    assert!(waits <= 100, "waited {waits} times");
}

/// A batch of queries requests the arrays of the scene, and then the attributes at its hits.
#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it optimised")]
fn a_batch_of_queries_is_prefetched() {
    let Some(file) = ColdFile::on_a_disk() else { return };
    let trees = file.trees();
    let rays = (0..500_u16).map(|number| [number % 25, number / 25].map(|at| f32::from(at) * 0.07 - 0.8));
    let rays: Vec<Ray> = rays.map(|[x, y]| Ray::new([x, y, 9.0], [0.0, 0.0, -1.0])).collect();
    let cast = |model: &Model<Map>, is_prefetched: bool| {
        let scene = trees.scene(model.geometry()).unwrap();
        if is_prefetched {
            scene.prefetch_for(rays.len());
        }
        let hits: Vec<u32> = rays.iter().map(|ray| scene.ray(ray).unwrap().triangle).collect();
        let attributes = Attributes::new(&Surface::new(model.geometry(), 0).unwrap()).unwrap();
        if is_prefetched {
            attributes.prefetch(&hits);
        }
        assert!(hits.iter().all(|hit| attributes.at(*hit as usize, [0.5, 0.5]).is_some()));
    };
    let (alone, together) = (file.waits(|model| cast(model, false)), file.waits(|model| cast(model, true)));
    assert!(alone > 150, "waited {alone} times");
    assert!(together < alone / 3, "waited {together} times, and {alone} without advice");
}
