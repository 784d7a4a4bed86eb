//! Files with sidecars, all results of such a file, and functions that damage a sidecar and correct
//! its checksums.

use std::fmt::Display;
use std::hash::{DefaultHasher, Hash, Hasher as _};
use std::path::Path;
use std::sync::Arc;

use crate::support::unigine::builder;
use meshpeek::decode::{Influence, TangentFrame};
use meshpeek::internals::format_file;
use meshpeek::model::Transform;
use meshpeek::sidecar::{Builder, Key, Sidecar, Trust};
use meshpeek::unigine::{Animation, AnimationGeneration, AnimationView, Generation, Mesh, SurfaceView};
use meshpeek::{Animations, Array, Geometry, MeshFile as _, Model, Result};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::support::random::Random;

/// The size of a page in bytes, and the size of its content.
pub const PAGE: usize = 4096;
pub const ROOM: usize = 4088;
/// Offsets in the header: the version, the page size, the hash of the file's header, the number of
/// pages, the number of bytes, and the lists.
///
/// Each list takes 24 bytes: a count, a page and a record size.
pub const VERSION_AT: usize = 8;
pub const PAGE_AT: usize = 12;
pub const STRUCTURE_AT: usize = 72;
pub const PAGES_AT: usize = 80;
pub const LISTS_AT: usize = 96;
pub const LISTS: usize = 6;

/// The identity of some file.
///
/// Any file is good enough here.
pub fn key() -> Key {
    Key::of(&std::fs::metadata(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml")).unwrap())
}

/// Makes the sidecar of a file.
pub fn sidecar_of(bytes: &[u8], key: &Key) -> Vec<u8> {
    let mut builder = Builder::default();
    format_file(&Model::open(bytes).unwrap()).index(&mut builder).unwrap();
    let mut sidecar = Vec::new();
    builder.write_to(key, &mut sidecar).unwrap();
    sidecar
}

/// Corrects the checksum of every page.
pub fn reseal(sidecar: &mut [u8]) {
    let pages = sidecar.get(PAGES_AT..PAGES_AT + 8).map_or(0, |pages| u64::from_le_bytes(pages.try_into().unwrap()));
    for (page, number) in sidecar.chunks_exact_mut(PAGE).zip(0..pages) {
        let hash = xxh3_64_with_seed(&page[..ROOM], number);
        page[ROOM..].copy_from_slice(&hash.to_le_bytes());
    }
}

/// Reads a number of a sidecar.
pub fn number(sidecar: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(sidecar[at..at + 8].try_into().unwrap())
}

/// Returns the byte range of the records of a list, which must fit in one page, and the size of one
/// record.
pub fn records(sidecar: &[u8], list: usize) -> (std::ops::Range<usize>, usize) {
    let at = LISTS_AT + 24 * list;
    let [count, page, size] = [at, at + 8, at + 16].map(|at| number(sidecar, at) as usize);
    assert!(count * size <= ROOM, "the records do not fit in a page");
    (page * PAGE..page * PAGE + count * size, size)
}

/// Builds a surface with one vertex for each count, which is the number of bones that move it.
pub fn surface(name: &str, counts: &[u8]) -> builder::Surface {
    let influences = |vertex: usize, count: u8| {
        let bone = |number: u8| Influence { bone: i32::from(number % 2), weight: 1.0 / (vertex % 5 + 2) as f32 };
        (0..count).map(bone).collect()
    };
    let positions: Vec<_> = (0..counts.len().max(3)).map(|vertex| [vertex as f32, 0.5, -(vertex as f32)]).collect();
    builder::Surface {
        name: name.to_owned(),
        targets: vec![builder::MorphTarget {
            positions,
            frames: vec![TangentFrame::default(); 3],
            ..builder::MorphTarget::default()
        }],
        weights: counts.iter().enumerate().map(|(vertex, count)| influences(vertex, *count)).collect(),
        uvs: [vec![[0.0, 1.0], [0.25, 0.5], [1.0, 0.0]], Vec::new()],
        indices: vec![0, 1, 2],
        attribute_indices: vec![0, 1, 2],
        ..builder::Surface::default()
    }
}

/// Returns `len` random counts from 0 to 4.
pub fn counts(seed: u64, len: usize) -> Vec<u8> {
    let mut random = Random::new(seed);
    (0..len).map(|_| u8::try_from(random.below(5)).unwrap()).collect()
}

fn bones() -> Vec<builder::Bone> {
    let bone = |name: &str, parent| builder::Bone { name: name.to_owned(), parent, bind: Transform::default() };
    vec![bone("root", -1), bone("tip", 0)]
}

/// Builds an animation of two bones: a complete first frame, then the changes.
///
/// `seed` selects the changes.
pub fn motion(frames: u32, seed: u64, whole: bool) -> builder::Animation {
    let mut random = Random::new(seed);
    let mut key = |first: bool| {
        let mut some = || Some(f32::from(u8::try_from(random.below(64)).unwrap()) * 0.25);
        let position = [some(), some(), some()];
        let all = builder::BoneKey { position, rotation: Some([0.0, 0.0, 0.0, 1.0]), scale: [Some(1.0); 3] };
        match (first || whole, random.below(4)) {
            (true, _) => all,
            (_, 0) => builder::BoneKey { position, ..builder::BoneKey::default() },
            (_, 1) => builder::BoneKey { position: [None, position[1], None], ..builder::BoneKey::default() },
            _ => builder::BoneKey::default(),
        }
    };
    builder::Animation {
        name: String::new(),
        bones: vec![0, 1],
        flags: 0x7f,
        frames: (0..frames).map(|frame| vec![key(frame == 0), key(frame == 0)]).collect(),
    }
}

/// Builds a mesh of these surfaces, and of these embedded animations if the generation supports
/// them.
pub fn mesh(generation: Generation, surfaces: Vec<builder::Surface>, animations: Vec<builder::Animation>) -> Vec<u8> {
    let animations = if generation.has_animations() { animations } else { Vec::new() };
    builder::Mesh { bones: bones(), animations, surfaces, ..builder::Mesh::new(generation) }.to_bytes().unwrap()
}

/// Builds an animation file that is long enough for checkpoints.
pub fn animation(generation: AnimationGeneration, frames: u32, seed: u64) -> Vec<u8> {
    let mut moved = motion(frames, seed, !generation.is_quantized());
    if generation.is_quantized() {
        moved.name = String::from("moved");
    }
    let guid = "00112233445566778899aabbccddeeff00112233";
    let file = builder::AnimationFile {
        bones: bones(),
        animations: vec![moved],
        skeleton_guid: guid.to_owned(),
        skeleton_path: format!("guid://{guid}"),
        ..builder::AnimationFile::new(generation)
    };
    file.to_bytes().unwrap()
}

/// Builds the small mesh whose sidecars are damaged.
///
/// It has two embedded animations, one with checkpoints, and two skinned surfaces with more than
/// one index block, with a surface without a skin between them.
pub fn small_mesh() -> Vec<u8> {
    let surfaces = vec![surface("first", &counts(1, 70)), surface("still", &[]), surface("last", &counts(2, 130))];
    mesh(Generation::Ms12, surfaces, vec![motion(260, 3, false), motion(2, 4, false)])
}

/// The queries on a file in order, with a hash of each result: of the values, or of the error
/// message.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Answers(Vec<(String, u64)>);

impl Answers {
    fn note(&mut self, question: impl Display, answer: impl Hash) {
        let mut hasher = DefaultHasher::new();
        answer.hash(&mut hasher);
        self.0.push((question.to_string(), hasher.finish()));
    }

    fn note_result(&mut self, question: impl Display, answer: Result<impl Hash>) {
        match answer {
            Ok(answer) => self.note(question, answer),
            Err(error) => self.note(question, error.to_string()),
        }
    }

    /// Returns the first query whose results differ.
    pub fn differs(&self, other: &Self) -> Option<&str> {
        assert_eq!(self.0.len(), other.0.len());
        let mut pairs = self.0.iter().zip(&other.0);
        pairs.find(|(one, other)| one != other).map(|((question, _), _)| question.as_str())
    }

    /// Returns the number of results, and the number of results that differ.
    pub fn differing(&self, other: &Self) -> (usize, usize) {
        (self.0.len(), self.0.iter().zip(&other.0).filter(|(one, other)| one != other).count())
    }
}

/// Runs every query that a sidecar affects on a mesh or an animation file, in reverse order.
///
/// Of poses and of weights in random order, it reads each `step`th.
pub fn answers(bytes: &[u8], sidecar: Option<Sidecar>, step: usize) -> Answers {
    let mut told = Answers::default();
    let sidecar = sidecar.map(Arc::new);
    if bytes.starts_with(b"an1") {
        let file = Animation::open(bytes).unwrap();
        let file = if let Some(sidecar) = sidecar { file.with_sidecar(sidecar) } else { file };
        ask_animation(&file, &mut told, step);
        return told;
    }
    let mesh = Mesh::open(bytes).unwrap();
    let mesh = if let Some(sidecar) = sidecar { mesh.with_sidecar(sidecar) } else { mesh };
    ask_mesh(&mesh, &mut told, step);
    told
}

/// Runs the queries with a sidecar, if its bytes are accepted as one.
pub fn answers_through(bytes: &[u8], sidecar: &[u8], trust: Trust, step: usize) -> Answers {
    answers(bytes, Sidecar::open(sidecar.to_vec(), &key(), trust), step)
}

fn ask_mesh(mesh: &Mesh<&[u8]>, told: &mut Answers, step: usize) {
    for index in (0..mesh.surface_count()).rev() {
        match mesh.surface(index) {
            Ok(view) => ask_surface(index, &view, told, step),
            Err(error) => told.note(format!("surface {index}"), error.to_string()),
        }
    }
    for index in (0..mesh.animation_count()).rev() {
        match mesh.animation(index) {
            Ok(view) => ask_view(index, &view, told, step),
            Err(error) => told.note(format!("animation {index}"), error.to_string()),
        }
    }
    told.note_result("end", mesh.end());
    told.note_result("check", mesh.check());
    let mut regions = Vec::new();
    let named = mesh.regions(0, &mut |region| regions.push((region.field.to_string(), region.start, region.end)));
    told.note_result("regions", named);
    told.note("all regions", regions);
    told.note("no such surface", mesh.surface(mesh.surface_count()).unwrap_err().to_string());
    told.note("neutral", format!("{:?}", (Geometry::bounds(mesh), Animations::clip_count(mesh))));
}

fn ask_surface(index: usize, view: &SurfaceView<'_>, told: &mut Answers, step: usize) {
    let ask = |question: &str| format!("surface {index}: {question}");
    told.note(ask("offset"), view.offset());
    let bits = |values: [f32; 3]| values.map(f32::to_bits);
    told.note_result(ask("last position"), view.positions().map(|all| all.get(all.len().wrapping_sub(1)).map(bits)));
    match view.weights() {
        Ok(Some(weights)) => {
            told.note(ask("lists"), weights.len());
            let influences = |list: meshpeek::model::Influences<'_>| {
                list.iter().map(|one| (one.bone, one.weight.to_bits())).collect::<Vec<_>>()
            };
            let mut random = Random::new(9);
            for asked in 0..weights.len().div_ceil(step) {
                let vertex = if asked % 2 == 0 { weights.len() - 1 - asked } else { random.below(weights.len()) };
                told.note(ask(&format!("weights of {vertex}")), weights.get(vertex as u32).map(influences));
            }
            told.note(ask("all weights"), weights.iter().map(influences).collect::<Vec<_>>());
            told.note(ask("weights of none"), weights.get(weights.len() as u32).is_none());
        }
        Ok(None) => told.note(ask("weights"), false),
        Err(error) => told.note(ask("weights"), error.to_string()),
    }
    let positions = view.positions().map(|all| all.iter().map(bits).collect::<Vec<_>>());
    told.note_result(ask("positions"), positions);
    told.note_result(ask("frames"), view.tangent_frames().map(|all| format!("{:?}", all.iter().collect::<Vec<_>>())));
    told.note_result(
        ask("uvs"),
        view.uvs(0).map(|all| all.map(|all| all.iter().map(|uv| uv.map(f32::to_bits)).collect::<Vec<_>>())),
    );
    told.note_result(ask("indices"), view.indices().map(|all| all.iter().collect::<Vec<_>>()));
    told.note_result(ask("attribute indices"), view.attribute_indices().map(|all| all.iter().collect::<Vec<_>>()));
    told.note_result(ask("counts"), view.counts().map(|counts| format!("{counts:?}")));
}

fn ask_animation(file: &Animation<&[u8]>, told: &mut Answers, step: usize) {
    for index in (0..file.animation_count()).rev() {
        match file.animation(index) {
            Ok(view) => ask_view(index, &view, told, step),
            Err(error) => told.note(format!("animation {index}"), error.to_string()),
        }
    }
    told.note_result("end", file.end());
    told.note_result("check", file.check());
    let mut regions = Vec::new();
    let named = file.regions(0, &mut |region| regions.push((region.field.to_string(), region.start, region.end)));
    told.note_result("regions", named);
    told.note("all regions", regions);
    told.note("no such animation", file.animation(file.animation_count()).unwrap_err().to_string());
}

fn ask_view(index: usize, view: &AnimationView<'_>, told: &mut Answers, step: usize) {
    let ask = |question: &str| format!("animation {index}: {question}");
    told.note(ask("place"), (view.keys_offset(), view.bones_offset(), view.frames, view.interval()));
    told.note(ask("keys"), view.key_bytes());
    let bits = |bones: &[Transform]| {
        let numbers = |bone: &Transform| bone.position.into_iter().chain(bone.rotation).chain(bone.scale);
        bones.iter().flat_map(numbers).map(f32::to_bits).collect::<Vec<_>>()
    };
    let mut pose = vec![Transform::default(); view.bone_count()];
    for frame in (0..view.frames).rev().step_by(step) {
        let posed = view.pose(frame, &mut pose).map(|()| bits(&pose));
        told.note_result(ask(&format!("frame {frame}")), posed);
    }
    told.note_result(ask("no such frame"), view.pose(view.frames, &mut pose));
    let mut played = match view.play() {
        Ok(played) => played,
        Err(error) => return told.note(ask("play"), error.to_string()),
    };
    let mut all = Vec::new();
    let end = loop {
        match played.next() {
            Ok(Some(bones)) => all.push(bits(bones)),
            Ok(None) => break Ok(()),
            Err(error) => break Err(error),
        }
    };
    told.note_result(ask("played to the end"), end);
    told.note(ask("played"), all);
}
