//! Tests a struct of a mesh and its trees that threads query while its file is replaced.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, RwLock};

use crate::support::unigine::builder;
use meshpeek::Model;
use meshpeek::io::FileStamp;
use meshpeek::query::{Hit, Ray, Scene, SceneTrees};
use meshpeek::unigine::Generation;

use crate::support::unigine::grid;

/// The number of versions of the file. Each has other positions, and numbers of triangles that
/// occur again.
const VERSIONS: usize = 9;
const READERS: usize = 4;

/// One version of a file, as in the guide.
struct Level<D> {
    stamp: FileStamp,
    model: Model<D>,
    trees: SceneTrees,
    /// The number of the version, from the name of a surface.
    version: usize,
}

impl<D: AsRef<[u8]> + Send + Sync> Level<D> {
    fn open(path: &Path, read: impl Fn(&Path) -> D) -> Self {
        let stamp = FileStamp::of(path).unwrap();
        let model = Model::open(read(path)).unwrap();
        let trees = model.scene_trees().unwrap();
        let version = model.surface(1).unwrap().name().unwrap().to_string().parse().unwrap();
        Self { stamp, model, trees, version }
    }

    fn rays(&self) -> Vec<Option<Hit>> {
        self.trees.scene(self.model.geometry()).unwrap().rays(&rays())
    }
}

#[cfg(unix)]
impl Level<meshpeek::Map> {
    fn map(&self) -> &meshpeek::Map {
        self.model.file().source(0).unwrap()
    }
}

/// Returns a file of two grids. The second has the number of the version as its name.
fn file(version: usize) -> Vec<u8> {
    let mut surfaces = vec![grid("floor", 14, false), grid(&version.to_string(), 5 + version as u32 % 3, true)];
    for position in surfaces.iter_mut().flat_map(|surface| &mut surface.targets[0].positions) {
        position[2] = position[2] * (1.0 + version as f32) - version as f32;
    }
    builder::Mesh { surfaces, ..builder::Mesh::new(Generation::Ms13) }.to_bytes().unwrap()
}

fn rays() -> Vec<Ray> {
    let down = |at: u8| Ray::new([f32::from(at) / 20.0 - 1.0, 0.3, 5.0], [0.01, -0.02, -1.0]);
    (0..40).map(down).collect()
}

/// Returns the hits in a scene that is built from the bytes of one version.
fn fresh(version: usize) -> Vec<Option<Hit>> {
    let model = Model::open(file(version)).unwrap();
    Scene::new(model.geometry()).unwrap().rays(&rays())
}

/// Replaces a file as a program that writes meshes should: by a rename.
fn replace(path: &Path, version: usize) {
    let new = path.with_extension("new");
    std::fs::write(&new, file(version)).unwrap();
    std::fs::rename(&new, path).unwrap();
}

/// Ends the threads that read, also if the test fails.
struct Stop<'a>(&'a AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Queries levels in several threads, and replaces the file and the level after every thread has
/// queried each version.
///
/// `has_changed` returns whether the file of a level was replaced.
fn expect_reloaded<D>(read: impl Fn(&Path) -> D, has_changed: impl Fn(&Level<D>) -> bool)
where
    D: AsRef<[u8]> + Send + Sync,
{
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("level.mesh");
    replace(&path, 0);
    let expected: Vec<_> = (0..VERSIONS).map(fresh).collect();
    let is_hit = |hits: &Vec<Option<Hit>>| hits.iter().flatten().count() > 30;
    assert!(expected.iter().all(is_hit) && expected.windows(2).all(|two| two[0] != two[1]));
    let level = RwLock::new(Arc::new(Level::open(&path, &read)));
    let current = || Arc::clone(&level.read().unwrap());
    let (asked, done) = ([const { AtomicUsize::new(0) }; VERSIONS], AtomicBool::new(false));
    let query = || {
        let mut last = None;
        while !done.load(Ordering::Relaxed) {
            let level = current();
            assert_eq!(level.rays(), expected[level.version]);
            if last.replace(level.version) != Some(level.version) {
                asked[level.version].fetch_add(1, Ordering::Relaxed);
            }
        }
    };
    std::thread::scope(|scope| {
        let _stop = Stop(&done);
        let threads: Vec<_> = (0..READERS).map(|_| scope.spawn(query)).collect();
        let mut old = Vec::new();
        for version in 1..=VERSIONS {
            while asked[version - 1].load(Ordering::Relaxed) < READERS {
                assert!(!threads.iter().any(std::thread::ScopedJoinHandle::is_finished), "a thread failed");
                std::thread::yield_now();
            }
            if version == VERSIONS {
                break;
            }
            let before = current();
            assert!(!has_changed(&before), "before version {version}");
            replace(&path, version);
            assert!(has_changed(&before), "version {version}");
            assert_eq!(before.rays(), expected[version - 1], "the old version can still be used");
            let new = Arc::new(Level::open(before.stamp.path(), &read));
            assert_eq!(new.version, version);
            *level.write().unwrap() = new;
            old.push(before);
        }
        for level in old {
            assert_eq!(level.rays(), expected[level.version], "version {} can still be used", level.version);
            assert!(has_changed(&level));
        }
        assert!(!has_changed(&current()));
    });
}

#[test]
fn a_copied_file_that_is_replaced_is_noticed_and_opened_again() {
    expect_reloaded(|path| meshpeek::read(path).unwrap(), |level| level.stamp.has_changed().unwrap());
}

/// Windows can refuse to rename over a file that is mapped.
#[cfg(unix)]
#[test]
fn a_mapped_file_that_is_replaced_is_noticed_and_opened_again() {
    // SAFETY: the file is only replaced by a rename, and the map keeps the old file.
    #[allow(unsafe_code, reason = "mapping is unsafe")]
    let map = |path: &Path| unsafe { meshpeek::Map::open(path) }.unwrap();
    expect_reloaded(map, |level| {
        let changed = level.map().has_changed().unwrap();
        assert_eq!(level.stamp.has_changed().unwrap(), changed);
        level.map().check().unwrap();
        changed
    });
}

/// A file that is written to in place is against the rule for maps. It gives an error or a wrong
/// answer, and never a panic.
#[cfg(unix)]
#[test]
fn a_mapped_file_that_is_changed_in_place_is_an_error() {
    use std::os::unix::fs::FileExt as _;

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("level.mesh");
    let [old, new] = [0, 3].map(file);
    assert_eq!(old.len(), new.len());
    std::fs::write(&path, &old).unwrap();
    // SAFETY: the test breaks the rule that a mapped file does not change, to show that the library
    // needs only any bits. The file keeps its size.
    #[allow(unsafe_code, reason = "mapping is unsafe")]
    let level = Level::open(&path, |path| unsafe { meshpeek::Map::open(path) }.unwrap());
    assert_eq!(level.rays(), fresh(0));
    let writer = std::fs::File::options().write(true).open(&path).unwrap();
    writer.write_all_at(&new, 0).unwrap();
    writer.set_modified(std::time::SystemTime::now() + std::time::Duration::from_secs(1)).unwrap();
    let error = level.trees.scene(level.model.geometry()).unwrap_err();
    assert_eq!((error.kind().id(), error.field().to_string().as_str()), ("other-mesh", "surface[0].indices"));
    assert!(level.map().has_changed().unwrap() && level.stamp.has_changed().unwrap());
    assert_eq!(level.map().check().unwrap_err().kind().id(), "changed");
    // The same bytes again are the same mesh.
    writer.write_all_at(&old, 0).unwrap();
    assert_eq!(level.rays(), fresh(0));
}
