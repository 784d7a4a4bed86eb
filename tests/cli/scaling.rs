//! Tests that the work of every command grows with its input, and not faster.
//!
//! Each family of inputs has a count. Every command runs on a small input and on an input of ten
//! times the count. The processor time and the resident memory of the larger run must be at most
//! twelve times those of the smaller run, and a constant. A file of at most 1 MiB must also stay
//! within the limits of [`Limits`].
//!
//! The memory of a child process counts from its parent's memory, so the test runs itself again in
//! a process that holds little. In a debug build, the limits of processor time are 20 times higher.

use std::fs;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::process::Stdio;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use meshpeek::decode::ByteOrder;
use meshpeek::ezmesh::builder as ezmesh;
use meshpeek::unigine::Generation;
use meshpeek::unreal::{RawPolygon, Variant, builder};

use crate::support::ezmesh::raw_files as xml;
use crate::support::process::{own_test, process};
use crate::support::secondlife::raw_assets as llsd;
use crate::support::unigine::RawFile;
use crate::support::unigine::raw_blocks::{RawBlock, header_of, put_together, put_together_with};

/// The variable that is set in the process that measures.
const ALONE: &str = "MESHPEEK_SCALING";

/// The factor between the limits of a debug build and of a release build.
const SLOWER: u32 = if cfg!(debug_assertions) { 20 } else { 1 };

const MEBIBYTE: u64 = 1 << 20;

/// The files of an input: their names and contents. The first is the one that commands name.
type Files = Vec<(String, Vec<u8>)>;

/// A family of inputs that differ in a count.
struct Family {
    name: &'static str,
    make: fn(usize) -> Files,
    /// The count of an input of 1 MiB, or of the most that its blocks may inflate to.
    most: usize,
    inflates: bool,
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
        Self { time: time * SLOWER, memory: 64 * MEBIBYTE }
    }
}

fn file(name: &str, bytes: impl Into<Vec<u8>>) -> Files {
    vec![(name.to_owned(), bytes.into())]
}

/// Makes a text of elements that differ in their number.
fn numbered(count: usize, element: impl Fn(usize) -> String) -> String {
    (0..count).map(element).collect()
}

fn text(inner: &str) -> Files {
    file("m.ezm", xml::system(inner))
}

fn list(kind: &str, count: usize, element: impl Fn(usize) -> String) -> Files {
    text(&xml::element(kind, &numbered(count, element)))
}

fn sections(count: usize, section: impl Fn(usize) -> String) -> Files {
    let all = xml::corner_vertices() + &numbered(count, section);
    text(&xml::element("Meshes", &xml::mesh("m", &all)))
}

fn skeleton(count: usize, bone: impl Fn(usize) -> String) -> Files {
    text(&xml::element("Skeletons", &xml::element("Skeleton name=\"s\"", &numbered(count, bone))))
}

fn binary_sections(count: usize) -> Files {
    let section = || ezmesh::Section { triangles: vec![[0, 1, 2]], ..ezmesh::Section::default() };
    let positions = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let mesh = ezmesh::MeshElement {
        name: b"m".to_vec(),
        vertices: Some(vec![ezmesh::Column::positions(positions)].into()),
        sections: (0..count).map(|_| section()).collect(),
        ..ezmesh::MeshElement::default()
    };
    let whole = ezmesh::Mesh { meshes: vec![mesh], ..ezmesh::Mesh::default() };
    file("m.ezb", whole.to_ezb(ByteOrder::Little).unwrap())
}

fn tracks(count: usize) -> Files {
    let bones = numbered(count, |bone| format!("<Bone name=\"{bone}\"/>"));
    let tracks = numbered(count, |bone| format!("<AnimTrack name=\"{bone}\" count=\"0\"/>"));
    let skeletons = xml::element("Skeletons", &xml::element("Skeleton name=\"s\"", &bones));
    let animation = xml::element("Animation framecount=\"1\"", &tracks);
    text(&(skeletons + &xml::element("Animations", &animation)))
}

fn instances_of_meshes(count: usize) -> Files {
    let meshes = numbered(count, |mesh| format!("<Mesh name=\"{mesh}\"/>"));
    let instances = numbered(count, |mesh| format!("<MeshInstance mesh=\"{mesh}\"/>"));
    text(&(xml::element("Meshes", &meshes) + &xml::element("MeshInstances", &instances)))
}

fn sections_of_materials(count: usize) -> Files {
    let materials = numbered(count, |name| format!("<Material name=\"{name}\"/>"));
    let sections = numbered(count, |name| format!("<MeshSection material=\"x{name}\"/>"));
    text(&(xml::element("Materials", &materials) + &xml::element("Meshes", &xml::element("Mesh", &sections))))
}

fn rows(count: usize) -> Files {
    let vertices = xml::vertices(count.try_into().unwrap(), "fff", "position", &"0 0 1,".repeat(count));
    let triangles = xml::triangles(count.try_into().unwrap(), &"0 1 2,".repeat(count));
    file("m.ezm", xml::simple(&vertices, &triangles))
}

/// An asset of one level of detail, whose submeshes are all the same.
fn submeshes(count: usize, submesh: &llsd::Entries) -> Files {
    let level = llsd::array(&vec![llsd::map(submesh); count]);
    file("m.llmesh", llsd::asset(&[("high_lod", level)]))
}

fn skin(entries: &[(&'static str, Vec<u8>)]) -> Files {
    let level = llsd::level(&[llsd::square()]);
    file("m.llmesh", llsd::asset(&[("skin", llsd::map(entries)), ("high_lod", level)]))
}

fn joint_names(count: usize) -> Files {
    let names: Vec<_> = (0..count).map(|name| llsd::string(name.to_string().as_bytes())).collect();
    skin(&[("joint_names", llsd::array(&names))])
}

fn deep_values(count: usize) -> Files {
    let open = llsd::spelled(|to| to.open_array(1));
    skin(&[("joint_names", [open.repeat(count), vec![b']'; count]].concat())])
}

fn long_values(count: usize) -> Files {
    let keys: Vec<String> = (0..count).map(|key| format!("k{key}")).collect();
    let entries: Vec<_> = keys.iter().map(|key| (key.as_str(), b"1".to_vec())).collect();
    let level = llsd::array(&[llsd::map(&entries)]);
    file("m.llmesh", llsd::asset(&[("high_lod", level)]))
}

fn hulls(count: usize) -> Files {
    let points = vec![0; 9 * count];
    let hulls = llsd::map(&[("HullList", llsd::binary(&vec![3; count])), ("Positions", llsd::codes(&points))]);
    let level = llsd::level(&[llsd::square()]);
    file("m.llmesh", llsd::asset(&[("physics_convex", hulls), ("high_lod", level)]))
}

/// One block under many names, of which a viewer knows six.
fn names_of_a_block(count: usize) -> Files {
    let block = llsd::zlib(&llsd::array(&vec![llsd::map(&llsd::square()); 1000]));
    let known = ["high_lod", "medium_lod", "low_lod", "lowest_lod", "physics_mesh", "physics_shape"].map(str::to_owned);
    let names: Vec<_> = known.into_iter().chain((0..count).map(|name| format!("n{name}"))).collect();
    let entries: Vec<_> = names.iter().map(|name| (name.as_str(), llsd::place(0, block.len()))).collect();
    file("m.llmesh", [llsd::map(&entries), block].concat())
}

fn container(assets: usize, instances: usize) -> Files {
    let level = llsd::level(&[llsd::square()]);
    let asset = llsd::string(&llsd::asset(&[("high_lod", level)]));
    let instance = llsd::map(&[("label", llsd::string(b"part")), ("mesh_id", llsd::integer(0))]);
    let entries = [
        ("instance", llsd::array(&vec![instance; instances])),
        ("mesh", llsd::array(&vec![asset; assets])),
        ("name", llsd::string(b"model")),
        ("version", llsd::integer(3)),
    ];
    file("m.slm", llsd::map(&entries))
}

fn mesh(generation: Generation) -> RawFile {
    RawFile::new(generation)
}

fn times(count: usize) -> i32 {
    count.try_into().unwrap()
}

fn unigine_surfaces(count: usize) -> Files {
    let count = times(count);
    let surface = |raw: RawFile, _| raw.text(b"").put(&[0, 0]).bounds().count(1).text(b"");
    let raw = mesh(Generation::Ms13).count(0).count(count).times(count, surface).put(b"ms13");
    file("m.mesh", raw.times(count, |raw, _| raw.put(&[0; 8])).put(b"ms13").0)
}

fn unigine_targets(count: usize) -> Files {
    let count = times(count);
    let raw = mesh(Generation::Ms13).count(0).count(1).text(b"").put(&[0, 0]).bounds();
    let raw = raw.count(count).times(count, |raw, _| raw.text(b"")).put(b"ms13");
    file("m.mesh", raw.times(count, |raw, _| raw.put(&[0; 2])).put(&[0; 6]).put(b"ms13").0)
}

fn unigine_bones(count: usize) -> Files {
    let bones = times(count);
    let raw = mesh(Generation::Ms13).count(bones);
    let raw = raw.times(bones, |raw, bone| raw.text(bone.to_string().as_bytes()).put(&[0xff, 0xff]));
    let raw = raw.count(0).put(b"ms13");
    file("m.mesh", raw.times(bones, |raw, _| raw.transform()).put(b"ms13").0)
}

fn unigine_animations(count: usize) -> Files {
    let count = times(count);
    let raw = mesh(Generation::Ms12).count(0).count(count).times(count, |raw, _| raw.text(b"")).count(0);
    file("m.mesh", raw.put(b"ms12").times(count, |raw, _| raw.put(&[0; 3])).put(b"ms12").0)
}

fn unigine_frames(count: usize) -> Files {
    let raw = RawFile::default().put(b"an11").count(1).text(b"b").put(&[0xff, 0xff]).put(b"an11");
    let raw = raw.transform().count(1).put(&[0; 2]).count(times(count));
    file("m.anim", raw.times(times(count), |raw, _| raw.put(&[0])).put(b"an11").0)
}

fn unigine_blocks(count: usize) -> Files {
    let header = header_of(Generation::Ms14, count, 1, [0; 3]);
    let blocks = |content: &[u8]| vec![RawBlock::lz4(content); count];
    file("m.mesh", put_together(&header, &blocks(&[0; 8]), &blocks(&[0; 3])))
}

/// Surfaces whose geometry is the same block, which inflates to 64 KiB.
fn unigine_shared_blocks(count: usize) -> Files {
    let header = header_of(Generation::Ms14, count, 1, [1, 0, 0]);
    let place = i64::try_from(header.len()).unwrap();
    let geometry = [RawBlock::lz4(&vec![0; 1 << 16])];
    file("m.mesh", put_together_with(&header, &geometry, &vec![RawBlock::lz4(&[0; 3]); count], &vec![place; count]))
}

/// A pair of triangles that have the same corners.
fn pair(triangles: usize, surfaces: usize, vertices: u32) -> Files {
    let polygon = |number: usize| RawPolygon {
        vertices: [0, 1, 2].map(Into::into),
        texture: u8::try_from(number % (surfaces / 4)).unwrap(),
        kind: u8::try_from(number / (surfaces / 4) % 4).unwrap(),
        ..RawPolygon::EMPTY
    };
    let frame = |z: i16| (0..vertices).map(|vertex| [[0, 0, z], [8, 0, z], [0, 8, z]][vertex as usize % 3]).collect();
    let polygons = (0..triangles).map(polygon).collect();
    let mesh =
        builder::Mesh { polygons, frames: vec![frame(0), frame(8)], ..builder::Mesh::new(Variant::Classic, vertices) };
    vec![("m_d.3d".to_owned(), mesh.data_bytes().unwrap()), ("m_a.3d".to_owned(), mesh.aniv_bytes().unwrap())]
}

/// A pair with a script that has further lines, and commands name the script or the pair.
fn script(names_script: bool, lines: &str) -> Files {
    let import = "#exec MESH IMPORT MESH=m ANIVFILE=m_a.3d DATAFILE=m_d.3d\n";
    let mut files = pair(300, 1024, 3);
    files.push(("m.uc".to_owned(), (import.to_owned() + lines).into_bytes()));
    if names_script {
        files.rotate_right(1);
    }
    files
}

fn families() -> Vec<Family> {
    let family = |name, most, make| Family { name, make, most, inflates: false };
    let inflating = |name, most, make| Family { name, make, most, inflates: true };
    vec![
        inflating("placeholder submeshes", 500_000, |n| submeshes(n, &vec![("NoGeometry", b"1".to_vec())])),
        inflating("empty submeshes", 500_000, |n| submeshes(n, &vec![])),
        inflating("submeshes of two triangles", 20_000, |n| submeshes(n, &llsd::square())),
        inflating("joint names", 100_000, joint_names),
        inflating("deep values", 100_000, deep_values),
        inflating("keys of a submesh", 100_000, long_values),
        inflating("hulls", 100_000, hulls),
        inflating("names of a block", 20_000, names_of_a_block),
        inflating("assets", 1500, |n| container(n, 1)),
        inflating("instances", 8000, |n| container(1, n)),
        family("elements <Bone/>", 140_000, |n| skeleton(n, |_| "<Bone/>".into())),
        family("bones with names and parents", 30_000, |n| {
            skeleton(n, |bone| format!("<Bone name=\"{bone}\" parent=\"{}\"/>", bone.saturating_sub(1)))
        }),
        family("skeletons", 80_000, |n| list("Skeletons", n, |_| "<Skeleton/>".into())),
        family("materials", 80_000, |n| list("Materials", n, |_| "<Material/>".into())),
        family("meshes", 140_000, |n| list("Meshes", n, |_| "<Mesh/>".into())),
        family("animations", 80_000, |n| list("Animations", n, |_| "<Animation/>".into())),
        family("tracks and bones", 18_000, tracks),
        family("elements <MeshSection/>", 60_000, |n| sections(n, |_| "<MeshSection/>".into())),
        family("sections of one triangle", 10_000, |n| sections(n, |_| xml::section("s", &xml::triangles(1, "0 1 2")))),
        family("columns of sections", 22_000, |n| {
            sections(n, |name| format!("<MeshSection ctype=\"x{name}\" semantic=\"a\"/>"))
        }),
        family("sections of materials", 14_000, sections_of_materials),
        family("vertex buffers", 60_000, |n| sections(n, |_| "<vertexbuffer/>".into())),
        family("instances of meshes", 18_000, instances_of_meshes),
        family("unknown elements", 250_000, |n| text(&"<a/>".repeat(n))),
        family("instructions", 190_000, |n| file("m.ezm", "<?a?>".repeat(n) + "<MeshSystem/>")),
        family("entities", 200_000, |n| file("m.ezm", format!("<MeshSystem asset_name=\"{}\"/>", "&amp;".repeat(n)))),
        family("comments", 100_000, |n| text(&"<!-- -->".repeat(n))),
        family("rows of vertices", 80_000, rows),
        family("sections of a binary file", 9000, binary_sections),
        family("surfaces", 15_000, unigine_surfaces),
        family("morph targets", 250_000, unigine_targets),
        family("bones", 20_000, unigine_bones),
        family("embedded animations", 200_000, unigine_animations),
        family("frames without keys", 1_000_000, unigine_frames),
        family("compressed surfaces", 6000, unigine_blocks),
        family("surfaces that share a block", 6000, unigine_shared_blocks),
        family("polygons", 65_000, |n| pair(n, 64, 3)),
        family("vertices of 1,024 surfaces", 16_000, |n| pair(1024, 1024, n.try_into().unwrap())),
        family("imports", 12_000, |n| {
            script(
                true,
                &numbered(n, |name| format!("#exec MESH IMPORT MESH=M{name} ANIVFILE=m_a.3d DATAFILE=m_d.3d\n")),
            )
        }),
        family("sequences", 14_000, |n| {
            script(
                false,
                &numbered(n, |name| format!("#exec MESH SEQUENCE MESH=m SEQ=a{name} STARTFRAME=0 NUMFRAMES=1\n")),
            )
        }),
        family("notifications", 16_000, |n| {
            let sequence = "#exec MESH SEQUENCE MESH=m SEQ=a STARTFRAME=0 NUMFRAMES=1\n".to_owned();
            script(
                false,
                &(sequence + &numbered(n, |at| format!("#exec MESH NOTIFY MESH=m SEQ=a TIME=0.5 FUNCTION=F{at}\n"))),
            )
        }),
        family("lines of a script", 250_000, |n| script(false, &"//\n\n".repeat(n))),
    ]
}

/// The arguments of all commands. `FILE` is the input, and `OUT` a new file.
const COMMANDS: [&str; 24] = [
    "info FILE",
    "info FILE --json",
    "info FILE --verbose --lod all",
    "info FILE --strict",
    "validate FILE",
    "validate FILE --json",
    "map FILE",
    "map FILE --json",
    "map FILE --at 50",
    "dump FILE",
    "dump FILE --json --surface 1",
    "dump FILE --attribute indices",
    "dump FILE --attribute weights",
    "dump FILE --attribute hull --surface 1",
    "dump FILE --pose 0",
    "rewrite FILE -o OUT --allow-loss --force",
    "lod FILE --lod high -o OUT --allow-loss --force",
    "query FILE ray --from 0.1,0.1,9 --direction 0,0,-1",
    "query FILE ray --from 0.1,0.1,9 --direction 0,0,-1 --all --attributes --json",
    "query FILE ray --from 0.1,0.1,9 --direction 0,0,-1 --frame 0.5",
    "query FILE nearest --point 0,0,0",
    "query FILE overlap --min=-1,-1,-1 --max 1,1,1",
    "query FILE vertex --surface 0 --vertex 0",
    "index FILE --beside --force",
];

/// Runs a command without output, and returns its work. The command ends after a minute of
/// processor time.
#[allow(unsafe_code, reason = "only wait4 returns the memory of one process")]
fn measure(arguments: &[&str]) -> Cost {
    let mut command = process("sh");
    command.args(["-c", "ulimit -t 60; exec \"$0\" \"$@\"", crate::PROGRAM]).args(arguments);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    // The peak memory of a process starts at that of the process that starts it. With a closure to
    // run, the standard library forks this process, and the peak starts at the memory in use now.
    // SAFETY: the closure does nothing.
    unsafe { command.pre_exec(|| Ok(())) };
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

/// An input that was written to a folder of its own.
struct Input {
    folder: tempfile::TempDir,
    name: String,
    size: usize,
}

impl Input {
    fn new(files: &Files) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, bytes) in files {
            fs::write(folder.path().join(name), bytes).unwrap();
        }
        Self { folder, name: files[0].0.clone(), size: files.iter().map(|(_, bytes)| bytes.len()).sum() }
    }

    /// Returns the work of a command on the input.
    fn cost(&self, command: &str) -> Cost {
        let [path, out] =
            [self.name.as_str(), "out"].map(|name| self.folder.path().join(name).to_str().unwrap().to_owned());
        let part = |part| match part {
            "FILE" => path.as_str(),
            "OUT" => out.as_str(),
            other => other,
        };
        measure(&command.split(' ').map(part).collect::<Vec<_>>())
    }
}

/// The number of times that a command which took too long runs again. Another process may slow one
/// run down, so the fastest run counts.
const RUNS_AGAIN: usize = 3;

/// Compares each command on an input of `most` of the family's largest count with a tenth of it.
/// Returns a line for each limit that is exceeded.
#[allow(unsafe_code, reason = "only malloc_trim returns memory to the system")]
fn failures(family: &Family, part: usize) -> Vec<String> {
    let most = family.most / part;
    let [few, many] = [most / 10, most].map(|count| Input::new(&(family.make)(count)));
    // SAFETY: malloc_trim returns unused memory to the system, and has no other effect.
    #[cfg(target_env = "gnu")]
    unsafe {
        libc::malloc_trim(0)
    };
    let limits = Limits::new(family);
    let is_small = many.size as u64 <= MEBIBYTE + 4096;
    let mut lines = Vec::new();
    for command in COMMANDS {
        let [one, mut ten] = [&few, &many].map(|input| input.cost(command));
        let is_slower = |one: &Cost, ten: &Cost| ten.time > 12 * one.time + Duration::from_millis(50);
        let is_slow = |ten: &Cost| is_small && ten.time > limits.time;
        for _ in 0..RUNS_AGAIN {
            if is_slower(&one, &ten) || is_slow(&ten) {
                ten.time = ten.time.min(many.cost(command).time);
            }
        }
        let mut fail = |what: &str| {
            lines.push(format!("{} ({} bytes), {command}: {what}: {one:?}, {ten:?}", family.name, many.size));
        };
        if [one.code, ten.code].iter().any(|code| code.is_none_or(|code| code > 3)) {
            fail("ended by a signal or a panic");
        }
        if is_slower(&one, &ten) {
            fail("more than 12 times the time");
        }
        if ten.memory > 12 * one.memory + 16 * MEBIBYTE {
            fail("more than 12 times the memory");
        }
        if is_slow(&ten) {
            fail("too slow");
        }
        if is_small && ten.memory > limits.memory {
            fail("too much memory");
        }
    }
    lines
}

/// Runs all families, two at a time, and panics if a limit is exceeded.
fn run_all(part: usize) {
    let (families, next, lines) = (families(), AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        while let Some(family) = families.get(next.fetch_add(1, Ordering::Relaxed)) {
            lines.lock().unwrap().extend(failures(family, part));
        }
    };
    thread::scope(|scope| [0; 2].map(|_| scope.spawn(work)).map(|thread| thread.join().unwrap()));
    let lines = lines.into_inner().unwrap();
    assert!(lines.is_empty(), "{} of the runs:\n{}", lines.len(), lines.join("\n"));
}

/// Runs the named test again in a process of its own, in which it calls [`run_all`].
fn alone(test: &str, part: usize) {
    if std::env::var_os(ALONE).is_some() {
        return run_all(part);
    }
    let output = own_test(&format!("scaling::{test}")).env(ALONE, "1").output().unwrap();
    assert!(output.status.success(), "{}", crate::text(&output.stderr));
    assert!(crate::text(&output.stdout).contains("1 passed"), "no test has the name {test}");
}

#[test]
fn ten_times_the_input_takes_at_most_twelve_times_the_work() {
    alone("ten_times_the_input_takes_at_most_twelve_times_the_work", 32);
}

/// Takes some minutes in a debug build.
#[test]
#[ignore = "takes minutes"]
fn inputs_of_a_mebibyte_take_little_time_and_memory() {
    alone("inputs_of_a_mebibyte_take_little_time_and_memory", 1);
}
