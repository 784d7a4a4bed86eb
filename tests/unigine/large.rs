//! Looks at one surface of a large compressed mesh after another, and measures the memory.
//!
//! The positions, frames and UVs in the files are random, because regular values would be
//! compressed to almost nothing.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

use crate::support::unigine::builder;
use meshpeek::decode::TangentFrame;
use meshpeek::internals::{FormatFile, format_file};
use meshpeek::unigine::Generation;
use meshpeek::{Array as _, Bounds, Geometry, Map, Model};

use crate::support::allocations::{most_held, still_held};
use crate::support::process::own_test;
use crate::support::random::Random;
use crate::support::unigine::grid;
use crate::support::unigine::raw_blocks::repeat;

/// The environment variable with the path of the file that the child process reads.
const FILE: &str = "MESHPEEK_LARGE_MESH";
const MIB: u64 = 1 << 20;

/// Returns a surface of `side` * `side` quads. The low bits of its values are random.
fn rough(side: u32, random: &mut Random) -> builder::Surface {
    let mut surface = grid("rough", side, false);
    let mut near = |value: f32, distance: f32| value + random.unit() * random.unit() * distance;
    let base = &mut surface.targets[0];
    base.positions.iter_mut().flatten().for_each(|value| *value = near(*value, 0.5 / side as f32));
    surface.uvs[0].iter_mut().flatten().for_each(|value| *value = near(*value, 0.5 / side as f32));
    for frame in &mut base.frames {
        let [x, y] = [0, 1].map(|_| near(0.0, 0.3));
        let length = (x * x + y * y + 1.0).sqrt();
        let (normal, across) = ([x, y, 1.0].map(|value| value / length), (1.0 + x * x).sqrt());
        *frame = TangentFrame::from_axes(normal, [1.0 / across, 0.0, -x / across], -1.0);
    }
    surface
}

/// Writes an ms14 mesh of at least `length` bytes, in which four surfaces are repeated.
fn write(path: &Path, side: u32, length: u64) -> File {
    let mut random = Random::new(14);
    let surfaces = (0..4).map(|_| rough(side, &mut random)).collect();
    let four = builder::Mesh { surfaces, ..builder::Mesh::new(Generation::Ms14) }.to_bytes().unwrap();
    let times = length.div_ceil(four.len() as u64 - 1000);
    let mut out = BufWriter::new(File::create(path).unwrap());
    repeat(&four, times as usize, &mut out).unwrap();
    out.flush().unwrap();
    let file = out.into_inner().unwrap();
    assert!(file.metadata().unwrap().len() >= length);
    file
}

fn open(path: &Path) -> Model<Map> {
    // SAFETY: the file is in a temporary folder, and nothing writes to it any more.
    #[allow(unsafe_code, reason = "only a map leaves the file out of the memory of the process")]
    Model::open(unsafe { meshpeek::Map::open(path).unwrap() }).unwrap()
}

/// Counts the items of every surface, and reads its header, its positions, normals and indices, and
/// its spatial tree. Calls `look` while the surface is in memory.
///
/// Returns the total number of vertices.
fn read_each(geometry: &dyn Geometry, look: &mut dyn FnMut()) -> u64 {
    let mut vertices = 0;
    for index in 0..geometry.surface_count().unwrap() {
        let counts = geometry.surface(index).unwrap().counts().unwrap();
        let lent = geometry.lend(index).unwrap();
        let surface = lent.surface();
        assert_eq!(surface.name().unwrap().to_string(), "rough");
        let positions = surface.positions().unwrap();
        assert_eq!((positions.len(), positions.bounds()), (counts.vertices as usize, surface.bounds().unwrap()));
        let mut normals = Bounds::EMPTY;
        surface.normals().unwrap().unwrap().for_each(|at| normals = normals.union(&Bounds { min: at, max: at }));
        assert!(normals.min[2] > 0.5 && normals.max[2] < 1.001, "{normals:?}");
        let indices = surface.indices().unwrap();
        assert_eq!((indices.len(), indices.first_out_of_range(counts.vertices)), (counts.corners as usize, None));
        assert_eq!(surface.partition().unwrap().unwrap().triangle_count() * 3, indices.len());
        vertices += u64::from(counts.vertices);
        look();
    }
    vertices
}

/// Returns the sizes of the largest geometry block and of all blocks, after they are inflated.
fn inflated_sizes(model: &Model<Map>) -> [u64; 2] {
    let FormatFile::Unigine(mesh) = format_file(model) else { panic!("the file is not a UNIGINE mesh") };
    let blocks = (0..mesh.surface_count()).map(|index| mesh.blocks(index).unwrap().unwrap());
    let sizes: Vec<_> = blocks.map(|blocks| blocks.map(|block| block.raw as u64)).collect();
    [sizes.iter().map(|[geometry, _]| *geometry).max().unwrap(), sizes.iter().flatten().sum()]
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it optimised")]
fn one_surface_after_another_takes_the_memory_of_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large.mesh");
    write(&path, 160, 64 * MIB);
    let model = open(&path);
    let [largest, all] = inflated_sizes(&model);
    assert!(largest < 2 * MIB && all > 64 * MIB, "{largest} bytes of {all}");
    let geometry = model.geometry();
    let ((vertices, left), peak) = most_held(|| still_held(|| read_each(geometry, &mut || {})));
    assert_eq!(vertices, 161 * 161 * geometry.surface_count().unwrap() as u64);
    // A spatial tree is inflated, and its corners and nodes are decoded.
    assert!(peak < 3 * largest, "{peak} bytes for blocks of at most {largest}");
    let each = left.unsigned_abs() / geometry.surface_count().unwrap() as u64;
    assert!(each < 124, "{each} bytes per surface are still held");
}

/// Returns the memory of this process that is not backed by a file, in bytes.
#[cfg(target_os = "linux")]
fn anonymous() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).unwrap();
    line.trim().strip_suffix(" kB").unwrap().parse::<u64>().unwrap() << 10
}

/// The child process of [`a_gigabyte_is_read_in_less_than_64_mib`], which has built no file.
#[cfg(target_os = "linux")]
#[test]
#[ignore = "another test runs it as a process"]
fn child_that_reads_a_gigabyte() {
    // The parent process sets the path. Without it, the test does nothing.
    let Some(path) = std::env::var_os(FILE).map(PathBuf::from) else { return };
    let model = open(&path);
    let mut most = 0;
    let (vertices, held) = most_held(|| read_each(model.geometry(), &mut || most = most.max(anonymous())));
    let [largest, all] = inflated_sizes(&model);
    let size = std::fs::metadata(&path).unwrap().len();
    println!("{size} bytes, {vertices} vertices, {all} bytes inflated, {largest} in the largest block");
    println!("at most {most} bytes of anonymous memory, {held} of them allocated by this thread");
    assert!(size >= 1 << 30 && all > size && largest > 16 * MIB);
    assert!(held < 64 * MIB && most < 64 * MIB, "{most} bytes of anonymous memory, {held} bytes allocated");
}

#[cfg(target_os = "linux")]
#[test]
#[ignore = "writes a file of 1 GiB, and takes a minute"]
fn a_gigabyte_is_read_in_less_than_64_mib() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large.mesh");
    write(&path, 480, 1 << 30).sync_all().unwrap();
    let output = own_test("large::child_that_reads_a_gigabyte").env(FILE, &path).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    println!("{text}");
    assert!(output.status.success() && text.contains("anonymous memory"), "{output:?}");
}
