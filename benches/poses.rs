//! Measures the time to get one pose of a bone animation, many poses in random order, or all poses
//! in order.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "a panic is how a bench fails"
)]

mod support;

use support::{claims, inputs, map};

use std::path::Path;

use meshpeek::model::Transform;
use meshpeek::model::animation::{Affine, SkinMatrix, SkinnedSurface};
use meshpeek::unigine::{Animation, AnimationView, Mesh};
use meshpeek::{Array, Map, Skeleton, Surface};
use support::claims::{Bar, Contestant, bits, claim};
use support::inputs::motion::{BONES, Motions};

/// The number of frames that are picked at random.
const PICKS: u32 = 1000;
/// The number of quads along one side of the skinned surface, which gives 100,489 vertices.
const SIDE: u32 = 316;
/// The number of rounds of measurements that take some milliseconds.
const ROUNDS: usize = 41;
/// The minimum ratio for the first pose: the time to load a matrix for each bone of each frame,
/// divided by the time of meshpeek.
const FIRST: Bar = Bar::AtLeast(1.0);
/// The same for all poses in order: meshpeek is not slower, except for noise.
const WHOLE: Bar = Bar::AtLeast(0.8);

fn main() {
    let motions = Motions::write();
    let files = [("an10", &motions.an10), ("an11", &motions.an11), ("embedded, ms12", &motions.ms12)];
    let files = files.map(|(name, path)| Input { name, path, frames: motions.frames });
    let size = format!("{} frames of {BONES} bones", motions.frames);
    let mut criterion = claims::criterion();
    for input in &files {
        agree(input);
        let name = format!("{}, {size}", input.name);
        claims::compare(&mut criterion, "open to one pose", &name, &first_pose(input, middle(input)));
        claims::compare(&mut criterion, "all poses in order", &name, &all_poses(input));
    }
    criterion.final_summary();
    let mut holds = true;
    for input in &files {
        claims::title(&format!("{}, {size}", input.name));
        holds &= index(input);
        holds &= first(input);
        holds &= random(input);
        holds &= whole(input);
    }
    skinning();
    assert!(holds || claims::testing(), "a claim does not hold");
}

/// A file with one animation.
struct Input<'a> {
    name: &'static str,
    path: &'a Path,
    frames: u32,
}

/// The frame that is measured, which is far from the start.
fn middle(input: &Input<'_>) -> u32 {
    input.frames / 2 + 13
}

/// An open file.
enum Open {
    File(Animation<Map>),
    Mesh(Mesh<Map>),
}

impl Open {
    fn new(path: &Path) -> Self {
        let map = map(path);
        if path.extension().unwrap() == "mesh" {
            Self::Mesh(Mesh::open(map).unwrap())
        } else {
            Self::File(Animation::open(map).unwrap())
        }
    }

    fn animation(&self) -> AnimationView<'_> {
        match self {
            Self::File(file) => file.animation(0).unwrap(),
            Self::Mesh(mesh) => mesh.animation(0).unwrap(),
        }
    }
}

/// The columns of a matrix.
type Matrix = [[f32; 4]; 4];

/// The poses of a file that was read and decoded as a whole, one after another.
struct Copy<T>(Vec<T>);

impl<T> Copy<T> {
    /// Loads a file. `keep` converts each transform to the value that is stored.
    fn load(input: &Input<'_>, keep: impl Fn(&Transform) -> T) -> Self {
        let bytes = meshpeek::read(input.path).unwrap();
        let (file, mesh);
        let animation = if input.path.extension().unwrap() == "mesh" {
            mesh = Mesh::open(bytes).unwrap();
            mesh.animation(0).unwrap()
        } else {
            file = Animation::open(bytes).unwrap();
            file.animation(0).unwrap()
        };
        let (mut played, mut poses) = (animation.play().unwrap(), Vec::new());
        poses.reserve_exact((input.frames * BONES) as usize);
        while let Some(pose) = played.next().unwrap() {
            poses.extend(pose.iter().map(&keep));
        }
        Self(poses)
    }

    fn frame(&self, frame: u32) -> &[T] {
        &self.0[(frame * BONES) as usize..][..BONES as usize]
    }
}

fn fresh() -> Vec<Transform> {
    vec![Transform::default(); BONES as usize]
}

fn sum(pose: &[Transform]) -> u64 {
    let sum_of =
        |bone: &Transform| bits(bone.position).wrapping_add(bits(bone.rotation)).wrapping_add(bits(bone.scale));
    pose.iter().fold(0, |sum, bone| sum.wrapping_add(sum_of(bone)))
}

fn matrix_sum(pose: &[Matrix]) -> u64 {
    pose.iter().flatten().fold(0, |sum, column| sum.wrapping_add(bits(*column)))
}

#[inline]
fn matrix(position: [f32; 3], [x, y, z, w]: [f32; 4], scale: [f32; 3]) -> Matrix {
    let axes = [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + z * w), 2.0 * (x * z - y * w)],
        [2.0 * (x * y - z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + x * w)],
        [2.0 * (x * z + y * w), 2.0 * (y * z - x * w), 1.0 - 2.0 * (x * x + y * y)],
    ];
    let column = |axis: usize| [0, 1, 2, 3].map(|row| if row < 3 { axes[axis][row] * scale[axis] } else { 0.0 });
    let [right, up, out] = position;
    [column(0), column(1), column(2), [right, up, out, 1.0]]
}

fn matrices(pose: &[Transform], out: &mut Vec<Matrix>) {
    out.clear();
    out.extend(pose.iter().map(|bone| matrix(bone.position, bone.rotation, bone.scale)));
}

fn load(input: &Input<'_>) -> Copy<Transform> {
    Copy::load(input, |bone| *bone)
}

fn load_matrices(input: &Input<'_>) -> Copy<Matrix> {
    Copy::load(input, |bone| matrix(bone.position, bone.rotation, bone.scale))
}

/// Panics if the poses in order, those by frame number and those of the copy differ in a bit.
fn agree(input: &Input<'_>) {
    let (open, copy, mut pose) = (Open::new(input.path), load(input), fresh());
    let mut played = open.animation().play().unwrap();
    for frame in 0..input.frames {
        let expected = sum(copy.frame(frame));
        assert_eq!(sum(played.next().unwrap().unwrap()), expected, "{}, frame {frame}", input.name);
        if frame % 7 == 0 {
            open.animation().pose(frame, &mut pose).unwrap();
            assert_eq!(sum(&pose), expected, "{}, frame {frame}", input.name);
        }
    }
    assert!(played.next().unwrap().is_none());
}

/// Measures the interval between checkpoints, and their size.
fn index(input: &Input<'_>) -> bool {
    let open = Open::new(input.path);
    let view = open.animation();
    let length = std::fs::metadata(input.path).unwrap().len() as f64;
    let size = view.index_size() as f64;
    claim("file", length / 1e6, "MB", Bar::None);
    let keys = f64::from(input.frames) * f64::from(BONES);
    let silent = view.keys().filter(|key| key.flags == 0).count() as f64;
    claim("keys without values", silent / keys * 100.0, "%", Bar::None);
    claim("interval", f64::from(view.interval()), "frames", Bar::None);
    claim("index", size / 1e3, "KB", Bar::None);
    let holds = claim("index / file", size / length * 100.0, "%", Bar::AtMost(2.0));
    let decoded = keys * size_of::<Transform>() as f64;
    claim("memory of all decoded transforms / index", decoded / size.max(1.0), "times", Bar::None);
    let [located, built] = claims::race(
        ROUNDS,
        &[
            Contestant::new("locate", || {
                let open = Open::new(input.path);
                let end = open.animation().frames;
                ((), (end, open))
            }),
            Contestant::new("locate and index", || {
                let open = Open::new(input.path);
                let size = open.animation().index_size();
                ((), (u32::try_from(size).unwrap(), open))
            }),
        ],
    );
    let index = claims::Series(built.0.iter().zip(&located.0).map(|(built, located)| built - located).collect());
    claim("open and locate: a walk of all keys", located.times(1e3), "ms", Bar::None);
    claim("the same, for each key", located.times(1e9 / keys), "ns", Bar::None);
    claim("build the index", index.times(1e3), "ms", Bar::None);
    claim("the same, for each key", index.times(1e9 / keys), "ns", Bar::None);
    holds
}

fn first_pose<'a>(input: &'a Input<'_>, frame: u32) -> [Contestant<'a, u64>; 2] {
    [
        Contestant::new("meshpeek", move || {
            let (open, mut pose) = (Open::new(input.path), fresh());
            open.animation().pose(frame, &mut pose).unwrap();
            (sum(&pose), (open, pose))
        }),
        Contestant::new("copying", move || {
            let copy = load(input);
            (sum(copy.frame(frame)), copy)
        }),
    ]
}

/// Measures the time from a closed file to one pose far from the start.
fn first(input: &Input<'_>) -> bool {
    let frame = middle(input);
    let [ours, copying] = claims::race(ROUNDS, &first_pose(input, frame));
    claim("open to one pose, meshpeek", ours.times(1e3), "ms", Bar::None);
    claim("load all transforms, copying", copying.times(1e3), "ms", Bar::None);
    claim("copying / meshpeek", copying.over(&ours), "times", Bar::None);
    let as_matrices = [
        Contestant::new("meshpeek", || {
            let (open, mut pose, mut out) = (Open::new(input.path), fresh(), Vec::new());
            open.animation().pose(frame, &mut pose).unwrap();
            matrices(&pose, &mut out);
            (matrix_sum(&out), (open, pose, out))
        }),
        Contestant::new("copying", || {
            let copy = load_matrices(input);
            (matrix_sum(copy.frame(frame)), copy)
        }),
    ];
    let [ours, copying] = claims::race(ROUNDS, &as_matrices);
    claim("load all matrices, copying", copying.times(1e3), "ms", Bar::None);
    claim("copying / meshpeek, matrices", copying.over(&ours), "times", FIRST)
}

/// Measures poses in random order, from an open or a loaded file. meshpeek decodes on each access,
/// because it stores no decoded values.
fn random(input: &Input<'_>) -> bool {
    let picks: Vec<u32> = (0..PICKS).map(|seed| inputs::random(seed) % input.frames).collect();
    let (open, copy) = (Open::new(input.path), load(input));
    let view = open.animation();
    assert!(view.index_size() > 0 || view.interval() >= view.frames);
    let poses = [
        Contestant::new("meshpeek", || {
            let mut pose = fresh();
            let one = |total: u64, pick: &u32| {
                view.pose(*pick, &mut pose).unwrap();
                total.wrapping_add(sum(&pose))
            };
            (picks.iter().fold(0, one), ())
        }),
        Contestant::new("copying", || {
            let one = |total: u64, pick: &u32| total.wrapping_add(sum(copy.frame(*pick)));
            (picks.iter().fold(0, one), ())
        }),
    ];
    claims::race(1, &poses);
    let [ours, copying] = claims::race(11, &poses).map(|time| time.times(1e6 / f64::from(PICKS)));
    claim("a random pose, meshpeek, index built", ours.clone(), "us", Bar::None);
    claim("a random pose, copying, all decoded", copying.clone(), "us", Bar::None);
    claim("meshpeek / copying", ours.over(&copying), "times", Bar::None);
    if view.interval() < 2 {
        return true;
    }
    let walks = [
        Contestant::new("random", || {
            let mut pose = fresh();
            for pick in &picks {
                view.pose(*pick, &mut pose).unwrap();
            }
            ((), pose)
        }),
        Contestant::new("in order", || {
            let mut played = view.play().unwrap();
            while played.next().unwrap().is_some() {}
            ((), ())
        }),
    ];
    let [random, in_order] = claims::race(ROUNDS, &walks);
    let [random, interval] = [random.times(1e6 / f64::from(PICKS)), in_order.times(1e6 / f64::from(input.frames))];
    let interval = interval.times(f64::from(view.interval()));
    claim("playing one interval in order", interval.clone(), "us", Bar::None);
    claim("a random pose / playing one interval", random.over(&interval), "times", Bar::AtMost(1.5))
}

fn all_poses<'a>(input: &'a Input<'_>) -> [Contestant<'a, u64>; 2] {
    [
        Contestant::new("meshpeek", || {
            let open = Open::new(input.path);
            let mut played = open.animation().play().unwrap();
            let mut total = 0_u64;
            while let Some(pose) = played.next().unwrap() {
                total = total.wrapping_add(sum(pose));
            }
            drop(played);
            (total, open)
        }),
        Contestant::new("copying", || {
            let copy = load(input);
            let one = |total: u64, frame: u32| total.wrapping_add(sum(copy.frame(frame)));
            ((0..input.frames).fold(0, one), copy)
        }),
    ]
}

/// Measures the whole clip in order, from a closed file.
fn whole(input: &Input<'_>) -> bool {
    let [ours, copying] = claims::race(ROUNDS, &all_poses(input));
    claim("open and play all, meshpeek", ours.times(1e3), "ms", Bar::None);
    claim("load and iterate over all, copying", copying.times(1e3), "ms", Bar::None);
    let mut holds = claim("copying / meshpeek", copying.over(&ours), "times", WHOLE);
    let as_matrices = [
        Contestant::new("meshpeek", || {
            let open = Open::new(input.path);
            let mut played = open.animation().play().unwrap();
            let (mut total, mut out) = (0_u64, Vec::new());
            while let Some(pose) = played.next().unwrap() {
                matrices(pose, &mut out);
                total = total.wrapping_add(matrix_sum(&out));
            }
            drop(played);
            (total, open)
        }),
        Contestant::new("copying", || {
            let copy = load_matrices(input);
            let one = |total: u64, frame: u32| total.wrapping_add(matrix_sum(copy.frame(frame)));
            ((0..input.frames).fold(0, one), copy)
        }),
    ];
    let [ours, copying] = claims::race(ROUNDS, &as_matrices);
    holds &= claim("copying / meshpeek, matrices", copying.over(&ours), "times", WHOLE);
    let open = Open::new(input.path);
    let view = open.animation();
    let play = Contestant::new("meshpeek", || {
        let mut played = view.play().unwrap();
        let mut last = 0.0;
        while let Some(pose) = played.next().unwrap() {
            last = pose[0].position[0];
        }
        (last.to_bits(), ())
    });
    let [ours] = claims::race(11, &[play]);
    let keys = f64::from(input.frames) * f64::from(BONES);
    claim("play all, open already, for each key", ours.times(1e9 / keys), "ns", Bar::None);
    holds
}

/// Measures the positions of vertices that are moved by the pose of their bones.
fn skinning() {
    let side = if claims::testing() { 16 } else { SIDE };
    let mesh = Mesh::open(inputs::mesh(1, side, true).to_bytes().unwrap()).unwrap();
    let skeleton = Skeleton::new(&mesh).unwrap();
    let mut pose = meshpeek::Pose::rest(&mesh).unwrap();
    for (bone, number) in pose.bones_mut().iter_mut().zip(0_u8..) {
        bone.position = [f32::from(number) * 0.01, 0.1, 0.0];
    }
    let mut model = vec![Affine::IDENTITY; skeleton.len()];
    skeleton.model(pose.bones(), &mut model).unwrap();
    let mut palette = vec![SkinMatrix::IDENTITY; skeleton.len()];
    skeleton.palette(&model, &mut palette).unwrap();
    let surface = Surface::all(&mesh).unwrap().next().unwrap();
    let skinned = SkinnedSurface::new(&surface, &palette).unwrap();
    let positions = surface.positions().unwrap();
    let count = skinned.len() as f64;
    let mut out = vec![[0.0; 3]; skinned.len()];
    let out = std::cell::RefCell::new(&mut out);
    let contestants = [
        Contestant::new("skinned", || ((), skinned.positions_into(&mut out.borrow_mut()).unwrap())),
        Contestant::new("decoded", || ((), positions.decode_into(&mut out.borrow_mut()).unwrap())),
        Contestant::new("palette", || {
            skeleton.model(pose.bones(), &mut vec![Affine::IDENTITY; skeleton.len()]).unwrap();
            let mut palette = vec![SkinMatrix::IDENTITY; skeleton.len()];
            ((), skeleton.palette(&model, &mut palette).unwrap())
        }),
    ];
    claims::race(1, &contestants);
    let [skinned, decoded, palette] = claims::race(21, &contestants);
    claims::title(&format!("skinning {count} vertices, one to four influences each"));
    claim("positions moved by the pose", skinned.times(1e9 / count), "ns a vertex", Bar::None);
    claim("positions alone", decoded.times(1e9 / count), "ns a vertex", Bar::None);
    claim("palette of 64 bones", palette.times(1e6), "us", Bar::None);
}
