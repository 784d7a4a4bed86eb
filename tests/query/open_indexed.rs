//! Tests of opening a mesh with its sidecar: what is found, written or refused, and equal answers
//! with and without it.
#![allow(unsafe_code, reason = "the meshes of the tests are mapped")]

use std::fs::{self, File};
use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use meshpeek::io::{FileBytes, FileStamp, read_unchanged};
use meshpeek::query::{Ray, Scene};
use meshpeek::sidecar::{Key, Sidecar, SidecarCache, Trust};
use meshpeek::unigine::Generation;
use meshpeek::{Error, ErrorKind, MeshSources, Model, OpenOptions, Result, SidecarState};

use crate::support::allocations::most_held;
use crate::support::process::{own_test, process};
use crate::support::query::{Oracle, Questions, all_faces, ask, grid};
use crate::support::random::Random;
use crate::support::secondlife::large_sheet;
use crate::support::sidecar::{PAGE, counts, mesh, small_mesh, surface};
use crate::support::skip;

const SIDE: u32 = 40;
/// The environment variable with the path of the mesh that a child process opens.
const MESH: &str = "MESHPEEK_OPEN_INDEXED";

/// Builds a mesh with weights and a surface of 3,200 triangles. `seed` selects the weights.
fn city(seed: u64) -> Vec<u8> {
    let ground = grid(SIDE);
    let mut large = surface("ground", &counts(seed, ground.positions.len()));
    large.targets[0].positions = ground.positions.iter().map(|position| position.map(zerocopy::F32::get)).collect();
    large.indices = ground.indices.iter().map(|index| index.get()).collect();
    large.attribute_indices = vec![0; large.indices.len()];
    mesh(Generation::Ms12, vec![surface("first", &counts(seed + 1, 70)), large], Vec::new())
}

/// A model with the state of its sidecar.
struct Indexed {
    model: Model,
    state: SidecarState,
}

impl From<(Model, SidecarState)> for Indexed {
    fn from((model, state): (Model, SidecarState)) -> Self {
        Self { model, state }
    }
}

/// Loads the files of a mesh and its sidecar by two functions.
struct Loaded<M, S>(M, S);

impl<M: Fn(&Path) -> Result<FileBytes>, S: Fn(File) -> Result<Vec<u8>>> MeshSources for Loaded<M, S> {
    type Sidecar = Vec<u8>;

    fn load(&self, path: &Path) -> Result<FileBytes> {
        self.0(path)
    }

    fn load_sidecar(&self, file: File) -> Result<Vec<u8>> {
        self.1(file)
    }

    fn is_usable(&self, _: &Sidecar) -> bool {
        true
    }
}

/// A folder with a mesh file, and the place of its cache.
struct Place {
    folder: tempfile::TempDir,
    mesh: PathBuf,
    cache: SidecarCache,
}

impl Place {
    fn new() -> Self {
        Self::with(&city(1))
    }

    fn with(bytes: &[u8]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mesh = folder.path().join("city.mesh");
        fs::write(&mesh, bytes).unwrap();
        let cache = SidecarCache::in_folder(folder.path().join("game/cache"));
        Self { folder, mesh, cache }
    }

    fn open(&self) -> Indexed {
        OpenOptions::default().open_indexed(&self.mesh, &self.cache).unwrap().into()
    }

    /// Opens the mesh, which must write a sidecar, and returns the path of the sidecar.
    fn write(&self) -> PathBuf {
        let indexed = self.open();
        expect_answers(&indexed);
        let SidecarState::Written(path) = indexed.state else { panic!("{:?}", indexed.state) };
        assert_eq!(Some(&path), self.cache.path(&self.mesh).as_ref());
        assert_eq!(indexed.model.sidecar().unwrap().trust(), Trust::Trusted);
        path
    }

    /// Opens the mesh, which must find a sidecar in the cache and write nothing.
    fn find(&self) -> Indexed {
        let path = self.cache.path(&self.mesh).unwrap();
        let before = identity(&path);
        let indexed = self.open();
        assert!(matches!(&indexed.state, SidecarState::Found(found) if *found == path), "{:?}", indexed.state);
        assert_eq!(identity(&path), before);
        expect_answers(&indexed);
        indexed
    }

    /// Opens the mesh, which must work without a sidecar, and returns the reason.
    fn fail(&self) -> Error {
        let indexed = self.open();
        assert!(indexed.model.sidecar().is_none() && indexed.state.path().is_none());
        expect_answers(&indexed);
        indexed.state.error().expect("a reason").clone()
    }

    /// Returns the names in the cache.
    fn cached(&self) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.cache.folder().unwrap()) else { return Vec::new() };
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }
}

/// Returns the values that differ if a file was written again.
fn identity(path: &Path) -> (SystemTime, Key) {
    (fs::metadata(path).unwrap().modified().unwrap(), Key::of_path(path).unwrap())
}

/// Returns the weights of one vertex of the last surface.
fn weights(model: &Model<FileBytes>, vertex: u32) -> String {
    let surface = model.surfaces().unwrap().last().unwrap();
    let weights = surface.weights().unwrap();
    format!("{:?}", weights.as_ref().and_then(|weights| weights.get(vertex)))
}

/// Compares rays, nearest points, boxes and weights with those of the mesh without a sidecar.
fn expect_answers(indexed: &Indexed) {
    expect_same_answers(&indexed.model);
}

fn expect_same_answers(model: &Model) {
    let plain = Model::open(model.source(0).unwrap().clone()).unwrap();
    let Ok(scene) = Scene::new(plain.geometry()) else {
        assert!(model.scene().is_err() && model.scene_trees().is_err());
        return;
    };
    let faces = all_faces(plain.geometry()).unwrap();
    let questions = Questions::new(&mut Random::new(5), &Oracle::new(&faces), &faces, 20);
    let expected = ask(&scene, &questions);
    assert!(ask(&model.scene().unwrap(), &questions) == expected);
    let trees = model.scene_trees().unwrap();
    assert!(ask(&trees.scene(model.geometry()).unwrap(), &questions) == expected);
    for vertex in [0, 7, 1680] {
        assert_eq!(weights(model, vertex), weights(&plain, vertex));
    }
}

#[test]
fn the_first_call_writes_and_the_second_builds_nothing() {
    let place = Place::new();
    place.write();
    assert_eq!(place.cached().len(), 1);
    let indexed = place.find();
    let ray = Ray::toward([0.3, 0.2, 9.0], [0.3, 0.2, 0.0]);
    assert!(indexed.model.scene().unwrap().ray(&ray).is_some());
    // The trees are not built: making them takes less memory than the nodes of one tree.
    let plain = meshpeek::open(&place.mesh).unwrap();
    let (_, built) = most_held(|| Scene::new(plain.geometry()).unwrap().ray(&ray));
    let (_, stored) = most_held(|| indexed.model.scene().unwrap().ray(&ray));
    assert!(stored < 4096 && built > 2 * stored, "{stored} and {built} bytes");
    assert_eq!(indexed.model.scene().unwrap().trees().count(), 1);
}

#[test]
fn a_mapped_mesh_uses_a_sidecar_next_to_it_and_writes_none() {
    let place = Place::new();
    // SAFETY: nothing changes the files while they are mapped.
    let open = || unsafe { meshpeek::open_mapped(&place.mesh).unwrap() };
    let without = open();
    assert!(without.sidecar().is_none());
    expect_same_answers(&without);
    assert_eq!(fs::read_dir(place.folder.path()).unwrap().count(), 1);
    let adjacent = meshpeek::sidecar::adjacent_path(&place.mesh);
    fs::rename(place.write(), &adjacent).unwrap();
    let with = open();
    assert_eq!(with.sidecar().unwrap().trust(), Trust::Untrusted);
    assert_eq!(with.scene().unwrap().trees().filter(|(_, tree)| tree.is_stored()).count(), 1);
    expect_same_answers(&with);
    // A sidecar of another file is ignored.
    fs::write(&place.mesh, city(3)).unwrap();
    assert!(open().sidecar().is_none());
    // SAFETY: nothing changes the files while they are mapped.
    let indexed = unsafe { OpenOptions::default().open_mapped_indexed(&place.mesh, &place.cache) };
    let indexed = Indexed::from(indexed.unwrap());
    assert!(matches!(indexed.state, SidecarState::Written(_)), "{:?}", indexed.state);
    expect_answers(&indexed);
}

#[test]
fn any_format_is_mapped() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
    let mut formats = std::collections::BTreeSet::new();
    for name in
        ["unigine/wave_an13.anim", "unreal/guard_d.3d", "unreal/guard", "secondlife/model.slm", "ezmesh/flag.ezm"]
    {
        let path = data.join(name);
        // SAFETY: nothing changes the samples while they are mapped.
        let [mapped, copied] = [unsafe { meshpeek::open_mapped(&path) }, meshpeek::open(&path)].map(Result::unwrap);
        assert!((0..mapped.source_count()).all(|source| matches!(mapped.source(source), Some(FileBytes::Map(_)))));
        let bytes = |model: &Model, source| model.source(source).unwrap().as_ref().to_vec();
        assert!((0..3).take(copied.source_count()).all(|source| bytes(&mapped, source) == bytes(&copied, source)));
        assert_eq!(mapped.bounds().unwrap(), copied.bounds().unwrap());
        formats.insert(mapped.format());
    }
    assert_eq!(formats.len(), 4);
    // SAFETY: no file is mapped.
    let missing = unsafe { meshpeek::open_mapped(data.join("missing.mesh")) };
    assert!(missing.unwrap_err().kind() == ErrorKind::Io);
}

#[test]
fn a_replaced_file_gets_a_new_sidecar() {
    let place = Place::new();
    let sidecar = place.write();
    let before = fs::read(&sidecar).unwrap();
    let new = place.folder.path().join("new.mesh");
    fs::write(&new, city(9)).unwrap();
    fs::rename(&new, &place.mesh).unwrap();
    place.write();
    assert!(fs::read(&sidecar).unwrap() != before);
    assert_eq!(place.cached().len(), 1);
    place.find();
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it optimised")]
fn a_damaged_sidecar_is_written_again() {
    let place = Place::new();
    let sidecar = place.write();
    let whole = fs::read(&sidecar).unwrap();
    let pages = whole.len() / PAGE;
    assert!(pages > 4);
    for page in 0..pages {
        let mut damaged = whole.clone();
        damaged[page * PAGE + 99] ^= 4;
        fs::write(&sidecar, damaged).unwrap();
        place.write();
        assert!(fs::read(&sidecar).unwrap() == whole, "page {page}");
    }
    for content in [&whole[..whole.len() - 1], &whole[..PAGE], &whole[..9], b"", b"notes"] {
        fs::write(&sidecar, content).unwrap();
        place.write();
    }
    place.find();
}

#[test]
fn a_folder_that_cannot_be_used_is_reported() {
    let place = Place::new();
    let folder = place.folder.path().join("game");
    fs::write(&folder, "").unwrap();
    let error = place.fail();
    assert!(error.kind() == ErrorKind::Io, "{error}");
    assert_eq!(error.path(), place.cache.folder(), "{error}");
    fs::remove_file(&folder).unwrap();
    // No folder can be created there.
    #[cfg(target_os = "linux")]
    {
        let (cache, options) = (SidecarCache::in_folder("/proc/cache"), OpenOptions::default());
        let indexed = Indexed::from(options.open_indexed(&place.mesh, &cache).unwrap());
        assert_eq!(indexed.state.error().unwrap().path(), cache.folder());
        expect_answers(&indexed);
    }
    // The name of the sidecar is taken.
    let taken = place.cache.path(&place.mesh).unwrap();
    fs::create_dir_all(&taken).unwrap();
    assert_eq!(place.fail().path(), Some(&*taken));
    assert_eq!(place.cached().len(), 1);
}

#[cfg(unix)]
#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it optimised")]
fn a_folder_of_others_is_not_used() {
    use crate::support::files::give_to_another_user;
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown, symlink};
    let place = Place::new();
    let sidecar = place.write();
    let folder = place.cache.folder().unwrap();
    let mode = |mode| fs::set_permissions(folder, fs::Permissions::from_mode(mode)).unwrap();
    let refused = |why: &str| {
        let (error, before) = (place.fail(), fs::read_dir(folder).unwrap().count());
        assert!(error.kind() == ErrorKind::Io && error.path() == Some(folder), "{why}: {error}");
        assert_eq!(before, 1, "{why}");
    };
    assert_eq!(fs::metadata(folder).unwrap().permissions().mode() & 0o777, 0o700);
    assert_eq!(fs::metadata(&sidecar).unwrap().permissions().mode() & 0o777, 0o600);
    for shared in [0o770, 0o707, 0o1777] {
        mode(shared);
        refused("shared");
    }
    mode(0o700);
    let owner = fs::metadata(folder).unwrap().uid();
    if give_to_another_user(folder) {
        refused("another user");
        chown(folder, Some(owner), None).unwrap();
    } else {
        skip("only the superuser can give a folder to another user");
    }
    place.find();
    let moved = place.folder.path().join("moved");
    fs::rename(folder, &moved).unwrap();
    symlink(&moved, folder).unwrap();
    refused("a link");
    fs::remove_file(folder).unwrap();
    fs::rename(&moved, folder).unwrap();
    // A link in the place of the sidecar is neither followed nor replaced.
    let victim = place.folder.path().join("victim");
    fs::rename(&sidecar, &victim).unwrap();
    symlink(&victim, &sidecar).unwrap();
    let before = identity(&victim);
    assert_eq!(place.fail().path(), Some(&*sidecar));
    assert_eq!(identity(&victim), before);
    fs::remove_file(&sidecar).unwrap();
    // A folder that cannot be written to keeps what it has.
    mode(0o500);
    if File::create(folder.join("probe")).is_err() {
        assert!(place.fail().kind() == ErrorKind::Io);
        assert!(place.cached().is_empty());
    } else {
        skip("this user may write everywhere");
    }
    mode(0o700);
}

#[test]
fn an_adjacent_sidecar_is_used_without_trust() {
    let place = Place::new();
    let written = place.write();
    let adjacent = meshpeek::sidecar::adjacent_path(&place.mesh);
    fs::rename(&written, &adjacent).unwrap();
    let good = fs::read(&adjacent).unwrap();
    let indexed = place.open();
    assert!(matches!(&indexed.state, SidecarState::Found(found) if *found == adjacent), "{:?}", indexed.state);
    assert_eq!(indexed.model.sidecar().unwrap().trust(), Trust::Untrusted);
    expect_answers(&indexed);
    assert!(place.cached().is_empty());
    // A damaged one is replaced by a sidecar in the cache.
    let mut damaged = good.clone();
    damaged[PAGE + 7] ^= 1;
    fs::write(&adjacent, &damaged).unwrap();
    place.write();
    assert_eq!(fs::read(&adjacent).unwrap(), damaged);
    place.find();
    // One that is larger than any sidecar of the file is not read to its end.
    fs::remove_file(&written).unwrap();
    File::options().write(true).open(&adjacent).unwrap().set_len(1 << 40).unwrap();
    place.write();
}

#[test]
fn files_without_a_sidecar_open() {
    let place = Place::new();
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
    let open = |options: &OpenOptions, name: &str| {
        let indexed = Indexed::from(options.open_indexed(data.join(name), &place.cache).unwrap());
        assert!(indexed.model.sidecar().is_none() && indexed.model.scene().is_ok(), "{name}");
        indexed.state
    };
    let usual = OpenOptions::default();
    for needless in
        ["unigine/cube_ms13.mesh", "unigine/cube_ms15.mesh", "secondlife/rock.llmesh", "secondlife/model.slm"]
    {
        let state = open(&usual, needless);
        assert!(matches!(state, SidecarState::NotNeeded), "{needless}: {state:?}");
    }
    let other = usual.with_asset(1);
    let partial = usual.with_partial(true);
    for (options, part) in
        [(usual, "unreal/box_d.3d"), (other, "secondlife/model.slm"), (partial, "secondlife/rock.llmesh")]
    {
        let state = open(&options, part);
        assert!(matches!(state, SidecarState::NotPossible), "{part}: {state:?}");
    }
    assert!(!place.folder.path().join("game").exists());
    let missing = OpenOptions::default().open_indexed(data.join("missing.mesh"), &place.cache);
    assert!(missing.unwrap_err().kind() == ErrorKind::Io);
}

/// A sidecar is written for a whole file with the stamp of this file, and for nothing else.
#[test]
fn a_sidecar_belongs_to_one_whole_file() {
    let place = Place::new();
    let asset = large_sheet().to_bytes().unwrap();
    fs::write(&place.mesh, &asset).unwrap();
    let stamp = FileStamp::of(&place.mesh).unwrap();
    let written = |options: OpenOptions, stamp: &FileStamp| {
        let mut out = Cursor::new(Vec::new());
        let model = Model::open_with(asset.clone(), &options).unwrap();
        model.write_sidecar(stamp, &mut out).map(|is_written| is_written.then(|| out.into_inner()))
    };
    let bytes = written(OpenOptions::default(), &stamp).unwrap().unwrap();
    assert!(Sidecar::new(bytes, &stamp, Trust::Trusted).is_some());
    assert!(written(OpenOptions::default().with_partial(true), &stamp).unwrap().is_none());
    fs::write(&place.mesh, city(1)).unwrap();
    let other = FileStamp::of(&place.mesh).unwrap();
    assert_eq!(written(OpenOptions::default(), &other).unwrap_err().kind(), ErrorKind::Changed);
}

#[test]
fn a_cut_file_opens_as_without_a_sidecar() {
    let whole = small_mesh();
    let place = Place::with(&whole[..whole.len() - 20]);
    let error = place.fail();
    assert_eq!(error.path(), Some(&*place.mesh));
    assert!(error.offset().is_some(), "{error}");
    assert!(place.cached().is_empty());
}

/// All contents have the same size. A system with coarse times gives two of them the same time.
#[test]
fn a_file_that_is_written_again_at_once_gets_a_new_sidecar() {
    let mut large = surface("ground", &[]);
    large.indices = [0, 1, 2].repeat(1024);
    large.attribute_indices.clone_from(&large.indices);
    let contents = [1.0, 9.0].map(|height| {
        large.targets[0].positions[0][1] = height;
        mesh(Generation::Ms13, vec![large.clone()], Vec::new())
    });
    let place = Place::with(&contents[0]);
    for round in 0..40 {
        fs::write(&place.mesh, &contents[round % 2]).unwrap();
        let indexed = place.open();
        assert!(matches!(indexed.state, SidecarState::Written(_)), "round {round}: {:?}", indexed.state);
    }
    place.find();
}

/// Opens the mesh, and calls `change` after its bytes are loaded.
fn changed_while_it_opens(place: &Place, change: impl Fn()) -> Result<Indexed> {
    let load = |path: &Path| {
        let bytes = meshpeek::read(path)?;
        change();
        Ok(FileBytes::from(bytes))
    };
    let load_sidecar = |file: File| {
        change();
        read_unchanged(&file, u64::MAX)
    };
    OpenOptions::default()
        .open_or_write_sidecar(&place.mesh, &place.cache, &Loaded(load, load_sidecar))
        .map(Indexed::from)
}

#[test]
fn a_file_that_changes_meanwhile_gets_no_sidecar() {
    let place = Place::new();
    let new = place.folder.path().join("new.mesh");
    let replace = |seed| {
        fs::write(&new, city(seed)).unwrap();
        fs::rename(&new, &place.mesh).unwrap();
    };
    let indexed = changed_while_it_opens(&place, || replace(2)).unwrap();
    assert!(indexed.state.error().unwrap().kind() == ErrorKind::Changed, "{:?}", indexed.state);
    expect_answers(&indexed);
    assert!(place.cached().is_empty());
    // The file changes while an old sidecar is read, before a new one is written.
    let sidecar = place.write();
    replace(3);
    let before = identity(&sidecar);
    let loads = std::cell::Cell::new(0);
    let second = || {
        loads.set(loads.get() + 1);
        if loads.get() == 2 {
            replace(4);
        }
    };
    let indexed = changed_while_it_opens(&place, second).unwrap();
    assert!(indexed.state.error().unwrap().kind() == ErrorKind::Changed, "{:?}", indexed.state);
    expect_answers(&indexed);
    assert_eq!((identity(&sidecar), place.cached().len()), (before, 1));
    place.write();
}

#[test]
fn bytes_that_are_not_those_of_the_file_get_no_sidecar() {
    let place = Place::new();
    let load = |_: &Path| Ok(FileBytes::from(small_mesh()));
    let copy = |file: File| read_unchanged(&file, u64::MAX);
    let indexed = Indexed::from(
        OpenOptions::default().open_or_write_sidecar(&place.mesh, &place.cache, &Loaded(load, copy)).unwrap(),
    );
    assert!(indexed.state.error().unwrap().kind() == ErrorKind::Changed, "{:?}", indexed.state);
    let absent = place.folder.path().join("in an archive");
    let indexed = Indexed::from(
        OpenOptions::default().open_or_write_sidecar(&absent, &place.cache, &Loaded(load, copy)).unwrap(),
    );
    assert_eq!(indexed.state.error().unwrap().path(), Some(&*absent));
    expect_answers(&indexed);
    assert!(place.cached().is_empty());
}

#[test]
fn a_sidecar_that_cannot_be_loaded_is_not_written_again() {
    let place = Place::new();
    let before = identity(&place.write());
    let load = |path: &Path| meshpeek::read(path).map(FileBytes::from);
    let refuse = |file: File| read_unchanged(&file, 10);
    let indexed = Indexed::from(
        OpenOptions::default().open_or_write_sidecar(&place.mesh, &place.cache, &Loaded(load, refuse)).unwrap(),
    );
    assert!(indexed.state.error().unwrap().kind() == ErrorKind::Limit, "{:?}", indexed.state);
    expect_answers(&indexed);
    assert_eq!(identity(&place.cache.path(&place.mesh).unwrap()), before);
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it optimised")]
fn threads_at_once_write_one_whole_sidecar() {
    for round in 0..5 {
        let place = Place::with(&city(round));
        std::thread::scope(|scope| {
            let open = || {
                let indexed = place.open();
                assert!(indexed.state.path().is_some(), "{:?}", indexed.state);
                expect_answers(&indexed);
            };
            for _ in 0..4 {
                scope.spawn(open);
            }
        });
        assert_eq!(place.cached().len(), 1);
        place.find();
    }
}

/// Returns a command that runs [`opens_the_mesh_of_its_environment`], after a shell line that ends
/// with `"$@"`.
fn child(place: &Place, line: &str) -> Command {
    let test = own_test("open_indexed::opens_the_mesh_of_its_environment");
    let mut command = process("sh");
    command.args(["-c", line, "sh"]).arg(test.get_program()).args(test.get_args());
    command.env(MESH, &place.mesh).env("XDG_CACHE_HOME", place.folder.path().join("user"));
    command
}

fn output(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
    text
}

#[test]
#[ignore = "other tests run it as a process with another environment"]
fn opens_the_mesh_of_its_environment() {
    // The other tests set the path. Without it, the test does nothing.
    let Some(path) = std::env::var_os(MESH) else { return };
    let indexed = Indexed::from(OpenOptions::default().open_indexed(&path, &SidecarCache::of_user()).unwrap());
    expect_answers(&indexed);
    println!("state: {:?}", indexed.state);
    // SAFETY: nothing changes the files while they are mapped.
    let mapped = unsafe { meshpeek::open_mapped(&path).unwrap() };
    assert_eq!(mapped.sidecar().is_some(), indexed.state.path().is_some());
    expect_same_answers(&mapped);
}

#[cfg(target_os = "linux")]
#[test]
fn the_cache_of_the_user_is_the_default() {
    let place = Place::new();
    for state in ["Written", "Found"] {
        let text = output(&mut child(&place, "exec \"$@\""));
        assert!(text.contains(&format!("state: {state}(")) && text.contains("user/meshpeek/"), "{text}");
    }
    let text = output(&mut child(&place, "unset HOME XDG_CACHE_HOME; exec \"$@\""));
    assert!(text.contains("no cache folder of the user is known"), "{text}");
}

#[cfg(target_os = "linux")]
#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it optimised")]
fn processes_at_once_write_one_whole_sidecar() {
    let place = Place::new();
    let children: Vec<_> = (0..6).map(|_| child(&place, "exec \"$@\"").spawn().unwrap()).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let user = place.folder.path().join("user/meshpeek");
    assert_eq!(fs::read_dir(&user).unwrap().count(), 1);
    assert!(Place { cache: SidecarCache::in_folder(user), ..place }.find().model.sidecar().unwrap().is_intact());
}

/// A limit for the size of a file refuses a write as a full disk does.
#[cfg(target_os = "linux")]
#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it optimised")]
fn a_write_that_fails_leaves_nothing() {
    let place = Place::new();
    let limited = |blocks: u32| format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$@\"");
    for blocks in [0, 1, 9, 20, 30] {
        let text = output(&mut child(&place, &limited(blocks)));
        assert!(text.contains("state: Failed(") && text.contains("File too large"), "{blocks}: {text}");
        assert_eq!(fs::read_dir(place.folder.path().join("user/meshpeek")).unwrap().count(), 0, "{blocks}");
    }
    assert!(output(&mut child(&place, &limited(1000))).contains("state: Written("));
}
