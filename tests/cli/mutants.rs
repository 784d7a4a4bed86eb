//! The command line on mutants of the samples: fields with edge values, spliced fields, cut files.
//!
//! The fields are the regions that `map` lists. An ordinary run makes 100 mutants, and 300 with
//! `MESHPEEK_TESTS=all`. The variable `MESHPEEK_MUTANTS` sets another number, or a range such as
//! `300..9000`. The seed of a mutant is its number, and a failure keeps the file of the mutant and
//! prints its path.
//!
//! Each mutant is read by a few verbs, whose answers are compared, and by a command of
//! [`scaling_commands`](super::scaling_commands), which has every verb with every option.
//! `MESHPEEK_SCALING_PROGRAM` is the path of an optimised program for these commands.

#![allow(clippy::case_sensitive_file_extension_comparisons, reason = "the names of the samples are known")]

use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::Value;

use super::scaling_commands::commands;
use super::{code, command, json, meshpeek};
use crate::support::cases::number;
use crate::support::random::Random;

/// The number of mutants, if all are tested.
const MUTANTS: usize = 300;

/// Numbers at the edges of ranges, which replace counts, offsets and parts of floats.
const EDGES: [u64; 22] = [
    0,
    1,
    2,
    3,
    63,
    64,
    127,
    128,
    255,
    256,
    0x7fff,
    0x8000,
    0xffff,
    0x0001_0000,
    0x7f80_0000, // infinity
    0x7fc0_0000, // not a number
    0x7fff_ffff,
    0x8000_0000,
    0xffff_fffe,
    0xffff_ffff,
    0x7fff_ffff_ffff_ffff,
    u64::MAX,
];
/// Numbers that replace a number of a text.
const WORDS: [&str; 10] =
    ["0", "-1", "65536", "4294967295", "4294967296", "99999999999999999999", "1e39", "nan", "", "0x7fffffff"];

/// A sample that mutants are made of.
struct Original {
    /// The name of the file.
    name: String,
    bytes: Vec<u8>,
    /// The start and the end of each region.
    regions: Vec<[usize; 2]>,
    /// The other files of an Unreal mesh.
    companions: Vec<(String, Vec<u8>)>,
}

impl Original {
    fn is_text(&self) -> bool {
        self.name.ends_with(".ezm") || self.name.ends_with(".uc")
    }
}

fn originals() -> Vec<Original> {
    let mut all = Vec::new();
    for folder in ["unigine", "unreal", "secondlife", "ezmesh"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("data").join(folder);
        let mut files: Vec<PathBuf> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
        let ending = |path: &Path| path.extension().unwrap_or_default().to_str().unwrap().to_owned();
        let known = ["mesh", "anim", "3d", "uc", "llmesh", "slm", "asset", "ezm", "ezb"];
        for path in files.iter().filter(|path| known.contains(&&*ending(path))) {
            let map = meshpeek(&["map", path.to_str().unwrap(), "--json"]);
            assert_eq!(code(&map), 0, "{}", path.display());
            let map = json(&map);
            let offset = |region: &Value, key: &str| region[key].as_u64().unwrap() as usize;
            let regions = map["regions"].as_array().unwrap().iter();
            let stem = name(path).split(['_', '.']).next().unwrap().to_owned();
            let is_companion = |other: &&PathBuf| {
                *other != path
                    && ["3d", "uc"].contains(&&*ending(other))
                    && name(other).split(['_', '.']).next() == Some(&stem)
            };
            let companions = files.iter().filter(is_companion).map(|path| (name(path), std::fs::read(path).unwrap()));
            let companions = if ["3d", "uc"].contains(&&*ending(path)) { companions.collect() } else { Vec::new() };
            all.push(Original {
                name: name(path),
                bytes: std::fs::read(path).unwrap(),
                regions: regions.map(|region| [offset(region, "start"), offset(region, "end")]).collect(),
                companions,
            });
        }
    }
    assert!(all.len() >= 40, "{} samples", all.len());
    all
}

/// Changes one field of a file, or its length.
fn mutate(bytes: &mut Vec<u8>, original: &Original, others: &[Original], random: &mut Random) {
    let [start, end] = *random.pick(&original.regions);
    let (start, end) = (start.min(bytes.len()), end.min(bytes.len()));
    if start == end {
        return;
    }
    match random.below(16) {
        // The file is cut near the border of a region.
        0 | 1 => bytes.truncate((random.pick(&[start, end]) + random.below(3)).saturating_sub(1)),
        // A region of this or another sample replaces the region.
        2 => {
            let other = random.pick(others);
            let [from, to] = *random.pick(&other.regions);
            bytes.splice(start..end, other.bytes[from..to].iter().copied());
        }
        3 => {
            let [from, to] = *random.pick(&original.regions);
            bytes.splice(start..end, original.bytes[from..to].iter().copied());
        }
        // A region is there twice, or it is missing.
        4 => {
            let region = bytes[start..end].to_vec();
            bytes.splice(start..start, region);
        }
        5 => drop(bytes.drain(start..end)),
        // The name or the content of a region has other bytes.
        6 | 7 => {
            let at = random.within(start..end);
            bytes[at] = random.pick(b"\0\x1b\n\"<&\x7f\x80\xff/\\") ^ u8::from(random.one_in(4));
        }
        8 => bytes[start..end].fill(*random.pick(&[0, 0xff, 0x7f, b' '])),
        9 => {
            let at = random.within(start..end);
            bytes[at] ^= 1 << random.below(8);
        }
        // A number of a text, or a binary number at a multiple of its size.
        _ if original.is_text() => {
            let digits = |at: &usize| bytes[*at].is_ascii_digit() && !bytes[at - 1].is_ascii_digit();
            let numbers: Vec<usize> = (start.max(1)..end).filter(digits).collect();
            if !numbers.is_empty() {
                let at = *random.pick(&numbers);
                let length = bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
                bytes.splice(at..at + length, random.pick(&WORDS).bytes());
            }
        }
        _ => {
            let size = (*random.pick(&[1, 2, 4, 4, 8])).min(end - start);
            let at = start + random.below((end - start) / size) * size;
            let number = random.pick(&EDGES).wrapping_add(u64::from(random.one_in(4)));
            let number = if random.one_in(6) { number.swap_bytes().to_be_bytes() } else { number.to_le_bytes() };
            bytes[at..at + size].copy_from_slice(&number[..size]);
        }
    }
}

/// A mutant in its folder.
struct Mutant<'m> {
    number: u64,
    folder: &'m Path,
    path: String,
    length: u64,
    is_text: bool,
    original: &'m Original,
}

impl Mutant<'_> {
    /// Fails the test, and keeps the mutant.
    fn fail(&self, arguments: &[&str], output: &Output, what: &str) -> ! {
        let kept = std::env::temp_dir().join(format!("meshpeek-mutant-{}", self.number));
        let _ = std::fs::create_dir_all(&kept);
        for entry in std::fs::read_dir(self.folder).into_iter().flatten().flatten() {
            let _ = std::fs::copy(entry.path(), kept.join(entry.file_name()));
        }
        let (status, stdout) = (output.status, String::from_utf8_lossy(&output.stdout));
        let stderr = String::from_utf8_lossy(&output.stderr);
        let stdout: String = stdout.chars().take(2000).collect();
        let kept = kept.display();
        panic!("mutant {}: {what}\n{arguments:?} ({status}); the files are in {kept}\n{stdout}\n{stderr}", self.number);
    }

    /// Runs a verb with `--json`. Asserts what holds for every verb and file: an exit code from 0
    /// to 3, no panic, and JSON.
    fn run(&self, arguments: &[&str]) -> (i32, Value) {
        let mut arguments = arguments.to_vec();
        arguments.push("--json");
        let output = command(&arguments).env("XDG_CACHE_HOME", self.folder).output().unwrap();
        let Some(code @ 0..=3) = output.status.code() else {
            self.fail(&arguments, &output, "expected an exit code from 0 to 3")
        };
        let errors = String::from_utf8_lossy(&output.stderr);
        if errors.contains("panicked") || errors.contains("RUST_BACKTRACE") || errors.contains("overflow") {
            self.fail(&arguments, &output, "a panic");
        }
        // Every change that a writer makes has a rule.
        if errors.contains("no rule describes the change") {
            self.fail(&arguments, &output, "a change without a rule");
        }
        if code >= 2 && output.stderr.is_empty() && output.stdout.is_empty() {
            self.fail(&arguments, &output, "a failure without a message");
        }
        if output.stdout.is_empty() && code == 2 {
            return (code, Value::Null);
        }
        match serde_json::from_slice(&output.stdout) {
            Ok(value) => (code, value),
            Err(error) => self.fail(&arguments, &output, &format!("no JSON: {error}")),
        }
    }

    /// Asserts that an error or a finding is inside the file.
    fn expect_inside(&self, what: &Value) {
        let offset = what["offset"].as_u64().unwrap_or_default();
        assert!(offset <= self.length, "mutant {}: {what} is outside of {} bytes", self.number, self.length);
    }

    /// Describes and validates the mutant. Returns whether it can be described, and the description
    /// without the parts that depend on the bytes.
    fn look(&self) -> (bool, Vec<Value>) {
        let (code, described) = self.run(&["info", &self.path]);
        let (validated, findings) = self.run(&["validate", &self.path]);
        let empty = Vec::new();
        let files = |value: &Value| value["files"].as_array().unwrap_or(&empty).clone();
        let mut is_wrong = validated == 3;
        for file in files(&findings) {
            is_wrong |= !file["error"].is_null();
            for finding in file["findings"].as_array().unwrap_or(&empty) {
                is_wrong |= finding["severity"] == "error";
                assert!(validated > 0 || finding["severity"] == "info", "mutant {}: {finding}", self.number);
                if !self.path.ends_with(".3d") && !self.path.ends_with(".uc") {
                    self.expect_inside(finding);
                }
            }
        }
        // A script without a mesh is sound, but has no mesh to describe.
        is_wrong |= files(&described).iter().any(|file| file["error"]["kind"] == "missing");
        assert!(code != 3 || is_wrong, "mutant {}: info fails, and validate finds nothing: {described}", self.number);
        (code < 2, files(&described).into_iter().map(essence).collect())
    }

    /// Writes the mutant again. Asserts that the output is the same file, or that the differences
    /// are listed, and that the output is written in the same bytes.
    fn rewrite(&self, before: &[Value]) {
        let ending = self.path.rsplit('.').next().unwrap();
        // Only the companions of a mesh are in the folder of the mutant.
        let output = tempfile::tempdir().unwrap();
        let output = output.path().join(format!("once.{ending}"));
        let once = output.to_str().unwrap();
        let (mut status, mut listed) = self.run(&["rewrite", &self.path, "-o", once]);
        let is_loss = status == 2;
        if is_loss {
            (status, listed) = self.run(&["rewrite", &self.path, "-o", once, "--allow-loss"]);
        }
        if status > 1 {
            assert!(!output.exists(), "mutant {}: a failed command left an output", self.number);
            return;
        }
        let [own, written] = [Path::new(&self.path), &output].map(|path| std::fs::read(path).unwrap());
        let changes = listed["changes"].as_array().unwrap();
        for change in changes {
            self.expect_inside(change);
        }
        assert_eq!(listed["identical"], own == written, "mutant {}", self.number);
        // The blanks of a text are not listed.
        let is_listed = self.is_text || own == written || !changes.is_empty();
        let is_listed = is_listed && (!is_loss || !changes.is_empty());
        assert!(is_listed, "mutant {}: unlisted differences, {listed}", self.number);
        // The output takes the place of the mutant, which keeps its companions.
        std::fs::rename(once, &self.path).unwrap();
        let (status, again) = self.run(&["rewrite", &self.path, "-o", once]);
        assert!(status < 2 && again["identical"] == true, "mutant {}: the output is written differently", self.number);
        if changes.is_empty() && own == written || self.is_text {
            let (_, described) = self.run(&["info", &self.path]);
            let mut after: Vec<Value> = described["files"].as_array().unwrap().iter().cloned().map(essence).collect();
            let mut before = before.to_vec();
            if changes.iter().any(|change| change["region"] == "Animation.count") {
                [&mut before, &mut after].into_iter().flatten().for_each(forget_track_counts);
            }
            assert_eq!(after, before, "mutant {}: the output has other content", self.number);
        }
        std::fs::write(&self.path, own).unwrap();
        std::fs::remove_file(once).unwrap();
    }

    /// Asserts that the regions have no gap.
    fn map(&self) {
        let (_, map) = self.run(&["map", &self.path]);
        let mut end = 0;
        for region in map["regions"].as_array().into_iter().flatten() {
            assert_eq!(region["start"], end, "mutant {}: a gap before {}", self.number, region["name"]);
            end = region["end"].as_u64().unwrap();
        }
        assert!(end <= self.length, "mutant {}: regions beyond the end", self.number);
        assert!(map["error"].is_object() || end == self.length, "mutant {}: bytes without a name", self.number);
    }

    /// Asserts that queries and values are the same with and without a sidecar.
    fn index(&self, random: &mut Random) {
        let attribute = *random.pick(&["positions", "weights", "indices", "uv0", "normals"]);
        let dump = ["dump", &self.path, "--attribute", attribute];
        let query = ["query", &self.path, "ray", "--from", "0.1,0.2,9", "--toward", "0,0,0"];
        let before = [self.run(&dump), self.run(&query)];
        let (status, _) = self.run(&["index", &self.path, "--beside"]);
        let after = [self.run(&dump), self.run(&query)];
        for ((one, values), (other, again)) in before.into_iter().zip(after) {
            let same = one == other && ["values", "hits", "error"].iter().all(|key| values[key] == again[key]);
            assert!(same, "mutant {}: a sidecar ({status}) changes {values} to {again}", self.number);
        }
        let _ = std::fs::remove_file(format!("{}.mpidx", self.path));
    }

    /// Returns a word of a command of [`commands`] with the paths of this mutant.
    fn word(&self, word: &str) -> String {
        let at = |path: &str| self.folder.join(path).to_str().unwrap().to_owned();
        let path = |word: &str| match word {
            "FILE" | "COPY" => self.path.clone(),
            "OTHER" => at(&format!("original/{}", self.original.name)),
            "FOLDER" => at("original"),
            "RAYS" => at("original/rays"),
            "POINTS" => at("original/points"),
            _ if word.starts_with("OUT") => at(&word.replacen("OUT", "out/new", 1)),
            _ => word.to_owned(),
        };
        path(word)
    }

    /// Runs a command of [`commands`]. Asserts that it ends with an exit code from 0 to 3 in little
    /// time and memory, and without an output if it fails.
    fn obey(&self, line: &str) {
        for part in ["original", "out"] {
            std::fs::create_dir_all(self.folder.join(part)).unwrap();
        }
        std::fs::write(self.word("OTHER"), &self.original.bytes).unwrap();
        std::fs::write(self.word("RAYS"), "0.1 0.1 9 0 0 -1\n").unwrap();
        std::fs::write(self.word("POINTS"), "0.1 0.1 9\n").unwrap();
        let limits = "ulimit -t 20 && ulimit -v 2000000 && exec \"$0\" \"$@\"";
        let program = std::env::var("MESHPEEK_SCALING_PROGRAM");
        let program = program.as_deref().unwrap_or(env!("CARGO_BIN_EXE_meshpeek"));
        for step in line.split(" && ") {
            let words: Vec<String> = step.split(' ').map(|word| self.word(word)).collect();
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let mut command = crate::support::process::process("sh");
            command.args(["-c", limits, program]).args(&words).stdin(std::process::Stdio::null());
            let output = command.env("XDG_CACHE_HOME", self.folder.join("out")).output().unwrap();
            let Some(code @ 0..=3) = output.status.code() else {
                self.fail(&words, &output, "expected an exit code from 0 to 3, in 20 s and 2 GB")
            };
            let errors = String::from_utf8_lossy(&output.stderr);
            if errors.contains("panicked") || errors.contains("RUST_BACKTRACE") {
                self.fail(&words, &output, "a panic");
            }
            if code >= 2 && output.stderr.is_empty() && output.stdout.is_empty() {
                self.fail(&words, &output, "a failure without a message");
            }
            for entry in std::fs::read_dir(self.folder.join("out")).unwrap() {
                let path = entry.unwrap().path();
                if path.is_file() && has_null(&std::fs::read(&path).unwrap(), &path) {
                    self.fail(&words, &output, "a number that is not finite");
                }
            }
        }
        let _ = std::fs::remove_dir_all(self.folder.join("out"));
        let _ = std::fs::remove_file(format!("{}.mpidx", self.path));
    }

    /// Runs the verbs on the mutant: the first two always, some others at random.
    fn survive(&self, commands: &[String], random: &mut Random) {
        let (is_described, before) = self.look();
        let command = random.pick(commands);
        if cfg!(unix) {
            self.obey(command);
        }
        for _ in 0..2 {
            match random.below(6) {
                0 => self.map(),
                1 | 2 if is_described => self.rewrite(&before),
                3 => self.index(random),
                4 => {
                    let point = *random.pick(&["0,0,0", "1e18,-5,0.1"]);
                    self.run(&["query", &self.path, "nearest", "--point", point, "--attributes"]);
                    let frame = *random.pick(&["0", "1.5", "99999"]);
                    self.run(&["query", &self.path, "overlap", "--min=-1,-1,-1", "--max", "1,1,1", "--frame", frame]);
                }
                5 if [".llmesh", ".slm", ".asset"].iter().any(|ending| self.path.ends_with(ending)) => {
                    let output = self.folder.join("lod.llmesh");
                    let lod = *random.pick(&["high", "medium", "low", "lowest"]);
                    let (status, _) =
                        self.run(&["lod", &self.path, "--lod", lod, "-o", output.to_str().unwrap(), "--force"]);
                    assert!(status < 2 || !output.exists(), "mutant {}: a failed command left an output", self.number);
                    let _ = std::fs::remove_file(output);
                }
                _ => {
                    let attributes =
                        ["tangents", "colors", "attribute-indices", "edges", "tree-nodes", "hull", "types"];
                    let (surface, attribute) = (*random.pick(&["0", "1", "7"]), *random.pick(&attributes));
                    self.run(&["dump", &self.path, "--surface", surface, "--attribute", attribute]);
                    self.run(&["dump", &self.path, "--pose", *random.pick(&["0", "3", "4294967295"])]);
                }
            }
        }
    }
}

/// Returns whether a JSON value has a `null` outside of extras.
fn has_null_value(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.iter().any(has_null_value),
        Value::Object(fields) => fields.iter().any(|(key, value)| key != "extras" && has_null_value(value)),
        _ => false,
    }
}

/// Returns whether a glTF file has a `null`, which is what a number that is not finite becomes.
fn has_null(bytes: &[u8], path: &Path) -> bool {
    let json = match path.extension().and_then(|extension| extension.to_str()) {
        Some("glb") => {
            let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap());
            &bytes[20..20 + length as usize]
        }
        Some("gltf") => bytes,
        _ => return false,
    };
    has_null_value(&serde_json::from_slice(json).unwrap())
}

/// Returns a described file without its path, its length and its findings.
fn essence(mut file: Value) -> Value {
    if let Some(file) = file.as_object_mut() {
        for key in ["path", "bytes", "touched_bytes", "findings", "sources", "pages"] {
            file.remove(key);
        }
    }
    forget_words(&mut file);
    forget_dialect(&mut file);
    file
}

/// Removes the XML dialect of a text file, which is written in the usual dialect. Versions that an
/// older dialect does not declare become the versions that are written.
fn forget_dialect(file: &mut Value) {
    let Some(dialect) = file["properties"].get_mut("dialect").filter(|dialect| !dialect.is_null()) else { return };
    *dialect = Value::Null;
    file["version"] = Value::Null;
    for (key, written) in [("mesh_system_version", 1), ("mesh_system_asset_version", 0)] {
        let version = &mut file["properties"][key];
        if version.is_null() {
            *version = written.into();
        }
    }
}

/// Removes the declared numbers of tracks. A wrong number is corrected when a text file is written.
fn forget_track_counts(file: &mut Value) {
    for animation in file["properties"]["animations"].as_array_mut().into_iter().flatten() {
        animation["trackcount"] = Value::Null;
    }
}

/// Removes the words of vertex columns with a known meaning, such as `texel`. A text file is
/// written with the standard words for these meanings.
fn forget_words(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(forget_words),
        Value::Object(fields) => {
            if fields.get("known_as").is_some_and(|known| !known.is_null()) {
                fields.remove("semantic");
            }
            fields.values_mut().for_each(forget_words);
        }
        _ => {}
    }
}

#[test]
fn survives_mutants_of_every_sample() {
    let numbers = std::env::var("MESHPEEK_MUTANTS").map_or(0..number(MUTANTS, 3) as u64, |numbers| {
        let (start, end) = numbers.split_once("..").unwrap_or(("0", &numbers));
        start.parse().unwrap()..end.parse().unwrap()
    });
    let (originals, commands) = (&originals(), &commands());
    let threads = std::thread::available_parallelism().map_or(2, |threads| threads.get() as u64);
    let survive = |number: u64| {
        let mut random = Random::new(number);
        // Each sample has the same share.
        let original = &originals[number as usize % originals.len()];
        let mut bytes = original.bytes.clone();
        for _ in 0..=random.below(2) {
            mutate(&mut bytes, original, originals, &mut random);
        }
        let folder = tempfile::tempdir().unwrap();
        for (name, bytes) in original.companions.iter().chain([&(original.name.clone(), bytes.clone())]) {
            std::fs::write(folder.path().join(name), bytes).unwrap();
        }
        let path = folder.path().join(&original.name).to_str().unwrap().to_owned();
        let (length, is_text) = (bytes.len() as u64, original.is_text());
        let mutant = Mutant { number, folder: folder.path(), path, length, is_text, original };
        mutant.survive(commands, &mut random);
    };
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let own = numbers.clone().skip(thread as usize).step_by(threads as usize);
            scope.spawn(move || own.for_each(survive));
        }
    });
}
