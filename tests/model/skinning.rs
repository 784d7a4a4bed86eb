//! Compares skinning through the neutral view with the rules of each format, in `f64`.
//!
//! The comparison uses 4 x 4 matrices for row vectors, and shares no code with the library. Run it
//! on real files with `MESHPEEK_CORPUS=FOLDER cargo test --test model`.

use std::path::{Path, PathBuf};

use meshpeek::model::animation::{Affine, SkinMatrix};
use meshpeek::model::{Corner, Transform};
use meshpeek::{Animations, Array, Geometry, Pose, Skeleton, SkinnedSurface, Surface, ezmesh, secondlife, unigine};

use crate::support::random::Random;

/// The largest distance of a vertex from its position by the rules of the format, as a fraction of
/// the diagonal of the mesh.
const WORST: f64 = 1e-5;

/// A matrix for row vectors. The fourth row is the translation.
pub type Matrix = [[f64; 4]; 4];

pub const IDENTITY: Matrix = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]];

pub fn multiply(first: &Matrix, next: &Matrix) -> Matrix {
    std::array::from_fn(|row| {
        std::array::from_fn(|column| (0..4).map(|inner| first[row][inner] * next[inner][column]).sum())
    })
}

pub fn apply(point: [f64; 3], matrix: &Matrix) -> [f64; 3] {
    let [x, y, z] = point;
    std::array::from_fn(|axis| x * matrix[0][axis] + y * matrix[1][axis] + z * matrix[2][axis] + matrix[3][axis])
}

/// Inverts a matrix by elimination, or returns `None` if it is singular.
pub fn invert(matrix: &Matrix) -> Option<Matrix> {
    let (mut left, mut right) = (*matrix, IDENTITY);
    for column in 0..4 {
        let pivot = (column..4).max_by(|a, b| left[*a][column].abs().total_cmp(&left[*b][column].abs())).unwrap();
        if left[pivot][column] == 0.0 || !left[pivot][column].is_finite() {
            return None;
        }
        left.swap(column, pivot);
        right.swap(column, pivot);
        let divisor = left[column][column];
        for row in [&mut left[column], &mut right[column]] {
            for part in row {
                *part /= divisor;
            }
        }
        for row in (0..4).filter(|row| *row != column) {
            let factor = left[row][column];
            for part in 0..4 {
                left[row][part] -= factor * left[column][part];
                right[row][part] -= factor * right[column][part];
            }
        }
    }
    Some(right)
}

/// Returns the matrix that scales, then rotates, and then moves a point.
pub fn matrix_of(transform: &Transform) -> Matrix {
    let rotation = transform.rotation.map(f64::from);
    let length = rotation.iter().map(|part| part * part).sum::<f64>().sqrt();
    let [x, y, z, w] = if length > 0.0 { rotation.map(|part| part / length) } else { [0.0, 0.0, 0.0, 1.0] };
    let turned = |vector: [f64; 3]| {
        // v + 2w (q x v) + 2 (q x (q x v)), with the vector q of the quaternion.
        let cross =
            |[ax, ay, az]: [f64; 3], [bx, by, bz]: [f64; 3]| [ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx];
        let once = cross([x, y, z], vector);
        let twice = cross([x, y, z], once);
        std::array::from_fn::<f64, 3, _>(|axis| vector[axis] + 2.0 * w * once[axis] + 2.0 * twice[axis])
    };
    let mut matrix = IDENTITY;
    for (axis, row) in matrix.iter_mut().take(3).enumerate() {
        let mut vector = [0.0; 3];
        vector[axis] = f64::from(transform.scale[axis]);
        row[..3].copy_from_slice(&turned(vector));
    }
    matrix[3][..3].copy_from_slice(&transform.position.map(f64::from));
    matrix
}

/// The skin of a file by the rules of its format.
struct Rules {
    shape: Matrix,
    parents: Vec<i32>,
    inverses: Vec<Matrix>,
    /// Whether a vertex without weights follows the first joint, and the last joint replaces a
    /// joint that is out of range.
    clamped: bool,
}

impl Rules {
    /// The rules of UNIGINE and EZ-Mesh: the bones are bound in their rest pose.
    fn of_rest(bones: &[(i32, Transform)]) -> Self {
        let parents = bones.iter().map(|(parent, _)| *parent).collect();
        let locals: Vec<Transform> = bones.iter().map(|(_, bind)| *bind).collect();
        let mut rules = Self { shape: IDENTITY, parents, inverses: Vec::new(), clamped: false };
        rules.inverses = rules.worlds(&locals).iter().map(|world| invert(world).unwrap()).collect();
        rules
    }

    /// The rules of Second Life: the file stores the bind matrices.
    fn of_skin(skin: &secondlife::Skin<'_>, parents: Vec<i32>) -> Self {
        let wide = |matrix: [f32; 16]| -> Matrix {
            std::array::from_fn(|row| std::array::from_fn(|column| f64::from(matrix[4 * row + column])))
        };
        let joints = 0..skin.joint_count();
        Self {
            shape: wide(skin.bind_shape().unwrap()),
            parents,
            inverses: joints.map(|joint| wide(skin.inverse_bind(joint).unwrap())).collect(),
            clamped: true,
        }
    }

    fn worlds(&self, locals: &[Transform]) -> Vec<Matrix> {
        let mut worlds: Vec<Option<Matrix>> = vec![None; locals.len()];
        while worlds.iter().any(Option::is_none) {
            for bone in 0..locals.len() {
                let parent = match self.parents[bone] {
                    -1 => Some(IDENTITY),
                    parent => worlds[usize::try_from(parent).unwrap()],
                };
                worlds[bone] = worlds[bone].or_else(|| Some(multiply(&matrix_of(&locals[bone]), &parent?)));
            }
        }
        worlds.into_iter().flatten().collect()
    }

    /// Returns the blended matrix of a vertex by the world matrices of the bones, or `None` if the
    /// vertex keeps its position.
    fn blend(&self, influences: &[(i32, f32)], worlds: &[Matrix]) -> Option<Matrix> {
        let moved = |bone: usize| multiply(&multiply(&self.shape, &self.inverses[bone]), &worlds[bone]);
        let sum: f64 = influences.iter().map(|(_, weight)| f64::from(*weight)).sum();
        if sum <= 0.0 {
            return (self.clamped && !worlds.is_empty()).then(|| moved(0));
        }
        let mut mean = [[0.0; 4]; 4];
        for (bone, weight) in influences.iter().filter(|(_, weight)| *weight != 0.0) {
            let bone = usize::try_from(*bone).unwrap();
            let matrix = moved(if self.clamped { bone.min(worlds.len() - 1) } else { bone });
            for (mean, part) in mean.as_flattened_mut().iter_mut().zip(matrix.as_flattened()) {
                *mean += f64::from(*weight) / sum * part;
            }
        }
        Some(mean)
    }

    /// Returns the position of a vertex by the world matrices of the bones.
    fn skin(&self, position: [f32; 3], influences: &[(i32, f32)], worlds: &[Matrix]) -> [f64; 3] {
        let position = position.map(f64::from);
        let moved = |bone: usize| apply(apply(apply(position, &self.shape), &self.inverses[bone]), &worlds[bone]);
        let sum: f64 = influences.iter().map(|(_, weight)| f64::from(*weight)).sum();
        if sum <= 0.0 {
            return if self.clamped && !worlds.is_empty() { moved(0) } else { position };
        }
        let mut mean = [0.0; 3];
        for (bone, weight) in influences {
            let mut bone = usize::try_from(*bone).unwrap();
            if self.clamped {
                bone = bone.min(worlds.len() - 1);
            } else if *weight == 0.0 {
                continue;
            }
            let share = f64::from(*weight) / sum;
            mean.iter_mut().zip(moved(bone)).for_each(|(mean, part)| *mean += share * part);
        }
        mean
    }
}

fn parents(animations: &dyn Animations) -> Vec<i32> {
    (0..animations.bone_count().unwrap()).map(|bone| animations.bone(bone).unwrap().parent).collect()
}

/// The poses of a file: the transforms of the bones, and their world matrices by the format's
/// rules.
struct NamedPose {
    name: String,
    model: Vec<Affine>,
    worlds: Vec<Matrix>,
}

/// Skins all surfaces by a pose, and returns the largest distance from the rules of the format as a
/// fraction of the diagonal, and the number of vertices with weights.
fn compare(geometry: &dyn Geometry, skeleton: &Skeleton, rules: &Rules, pose: &NamedPose, what: &Path) -> (f64, usize) {
    let mut palette = vec![SkinMatrix::IDENTITY; skeleton.len()];
    skeleton.palette(&pose.model, &mut palette).unwrap_or_else(|error| panic!("{}: {error}", what.display()));
    let (mut worst, mut vertices) = (0.0_f64, 0);
    for surface in Surface::all(geometry).unwrap() {
        let Some(weights) = surface.weights().unwrap() else { continue };
        let positions = surface.positions().unwrap();
        let bounds = positions.bounds();
        let diagonal = (0..3).map(|axis| f64::from(bounds.max[axis] - bounds.min[axis]).powi(2)).sum::<f64>().sqrt();
        let skinned = SkinnedSurface::new(&surface, &palette).unwrap();
        let mut moved = vec![[0.0; 3]; skinned.len()];
        skinned.positions_into(&mut moved).unwrap();
        for (vertex, moved) in moved.iter().enumerate() {
            let list: Vec<(i32, f32)> = weights
                .get(vertex as u32)
                .map(|list| list.iter().map(|one| (one.bone, one.weight)).collect())
                .unwrap_or_default();
            let expected = rules.skin(positions.get(vertex).unwrap(), &list, &pose.worlds);
            let off = (0..3).map(|axis| (f64::from(moved[axis]) - expected[axis]).powi(2)).sum::<f64>().sqrt();
            assert!(
                off <= diagonal * WORST,
                "{}, {}: surface {}, vertex {vertex}: {moved:?}, expected {expected:?}",
                what.display(),
                pose.name,
                surface.index()
            );
            assert_eq!(skinned.position(vertex as u32).unwrap(), Some(*moved));
            worst = worst.max(if diagonal > 0.0 { off / diagonal } else { 0.0 });
        }
        vertices += moved.len();
    }
    (worst, vertices)
}

fn dot(one: [f64; 3], other: [f64; 3]) -> f64 {
    (0..3).map(|axis| one[axis] * other[axis]).sum()
}

fn cross([ax, ay, az]: [f64; 3], [bx, by, bz]: [f64; 3]) -> [f64; 3] {
    [ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx]
}

fn unit(vector: [f64; 3]) -> [f64; 3] {
    let length = dot(vector, vector).sqrt();
    vector.map(|part| part / length)
}

fn distance(one: [f32; 3], other: [f64; 3]) -> f64 {
    (0..3).map(|axis| (f64::from(one[axis]) - other[axis]).powi(2)).sum::<f64>().sqrt()
}

/// Compares the skinned normals and tangent frames of all corners with the inverse transpose of the
/// blended matrix. Returns the number of compared normals.
///
/// A blend that is nearly singular amplifies the rounding errors of its matrices, and is left out.
fn compare_directions(
    geometry: &dyn Geometry,
    skeleton: &Skeleton,
    rules: &Rules,
    pose: &NamedPose,
    what: &Path,
) -> usize {
    let mut palette = vec![SkinMatrix::IDENTITY; skeleton.len()];
    skeleton.palette(&pose.model, &mut palette).unwrap();
    let mut compared = 0;
    for surface in Surface::all(geometry).unwrap() {
        let (Some(weights), Some(stored)) = (surface.weights().unwrap(), surface.normals().unwrap()) else { continue };
        let skinned = SkinnedSurface::new(&surface, &palette).unwrap();
        let normals = skinned.normals().unwrap().unwrap();
        let frames = skinned.tangent_frames().unwrap();
        let corners: Vec<Corner> = surface.corners().unwrap().iter().step_by(7).collect();
        let mut all = vec![[0.0; 3]; corners.len()];
        normals.corners_into(&corners, &mut all).unwrap();
        for (corner, found) in corners.iter().zip(all) {
            let attribute = usize::try_from(corner.attribute).unwrap();
            assert_eq!(normals.get(*corner).unwrap(), Some(found));
            let list: Vec<(i32, f32)> = weights
                .get(corner.position)
                .map(|list| list.iter().map(|one| (one.bone, one.weight)).collect())
                .unwrap_or_default();
            let normal = stored.get(attribute).unwrap();
            let Some(blend) = rules.blend(&list, &pose.worlds) else {
                assert_eq!(found, normal, "a vertex that keeps its position keeps its normal");
                continue;
            };
            let axes: [[f64; 3]; 3] = [0, 1, 2].map(|row| [0, 1, 2].map(|part| blend[row][part]));
            let volume = dot(axes[0], cross(axes[1], axes[2]));
            if volume.abs() < 0.05 * axes.iter().map(|axis| dot(*axis, *axis).sqrt()).product::<f64>() {
                continue;
            }
            let linear = {
                let mut linear = blend;
                linear[3] = IDENTITY[3];
                linear
            };
            let inverse = invert(&linear).unwrap();
            let transposed: Matrix = std::array::from_fn(|row| std::array::from_fn(|column| inverse[column][row]));
            let turned = |vector: [f32; 3], matrix: &Matrix| apply(vector.map(f64::from), matrix);
            let expected = unit(turned(normal, &transposed));
            let place = format!("{}, {}: {corner:?}", what.display(), pose.name);
            assert!(distance(found, expected) < 2e-5, "{place}: {found:?}, expected {expected:?}");
            compared += 1;
            let Some(frames) = &frames else { continue };
            let frame = frames.get(*corner).unwrap().unwrap();
            let own = surface.tangent_frames().unwrap().unwrap().get(attribute).unwrap();
            let along = turned(own.tangent(), &linear);
            let expected_normal = unit(turned(own.normal(), &transposed));
            let lean = dot(expected_normal, along);
            let tangent = unit(std::array::from_fn(|axis| along[axis] - lean * expected_normal[axis]));
            assert!(distance(frame.normal(), expected_normal) < 5e-5, "{place}: {frame:?}");
            assert!(distance(frame.tangent(), tangent) < 5e-5, "{place}: {frame:?}, expected {tangent:?}");
            let mirrored = volume < 0.0;
            assert_eq!(frame.handedness, if mirrored { -own.handedness } else { own.handedness }, "{place}");
        }
    }
    compared
}

fn posed(name: String, skeleton: &Skeleton, rules: &Rules, locals: &[Transform]) -> NamedPose {
    let mut model = vec![Affine::IDENTITY; skeleton.len()];
    skeleton.model(locals, &mut model).unwrap();
    NamedPose { name, model, worlds: rules.worlds(locals) }
}

/// Returns a pose in which every bone is turned, moved by up to a quarter of `size`, and scaled
/// along its axes. One pose of three is mirrored.
fn made_up(rest: &[Transform], size: f32, number: usize, random: &mut Random) -> Vec<Transform> {
    let bend = |bone: &Transform| Transform {
        position: bone.position.map(|part| part + random.unit() * size / 4.0),
        rotation: [random.unit(), random.unit(), random.unit(), 1.5 + random.unit()],
        scale: bone.scale.map(|part| part * (1.0 + random.unit() / 4.0)),
    };
    let mut pose: Vec<Transform> = rest.iter().map(bend).collect();
    if number == 1 {
        for bone in &mut pose {
            bone.scale[1] *= -1.0;
        }
    }
    pose
}

/// Compares all poses of a file: the rest pose, some frames of its clips, and made-up poses.
fn compare_all(geometry: &dyn Geometry, motion: &dyn Animations, rules: &Rules, what: &Path) -> (f64, usize) {
    let skeleton = Skeleton::new(motion).unwrap_or_else(|error| panic!("{}: {error}", what.display()));
    let rest = Pose::rest(motion).unwrap();
    let binds: Vec<Matrix> = rules.inverses.iter().map(|inverse| invert(inverse).unwrap()).collect();
    let at_rest = posed("rest pose".into(), &skeleton, rules, rest.bones());
    let bind = NamedPose { name: "bind".into(), model: skeleton.bind().to_vec(), worlds: binds.clone() };
    let mut poses = vec![NamedPose { worlds: binds, ..at_rest }, bind];
    for clip in 0..motion.clip_count().unwrap() {
        let frames = usize::try_from(motion.clip(clip).unwrap().frames).unwrap();
        for frame in [0, frames / 3, frames / 2, frames.saturating_sub(1)].into_iter().take(frames) {
            let mut locals = vec![Transform::default(); skeleton.len()];
            motion.pose(clip, frame, &mut locals).unwrap();
            poses.push(posed(format!("clip {clip}, frame {frame}"), &skeleton, rules, &locals));
        }
    }
    let bounds = geometry.bounds().unwrap();
    let size = (0..3).map(|axis| bounds.max[axis] - bounds.min[axis]).fold(0.0, f32::max);
    let mut random = Random::new(7);
    for number in 0..3 {
        let locals = made_up(rest.bones(), size, number, &mut random);
        poses.push(posed(format!("made-up pose {number}"), &skeleton, rules, &locals));
    }
    let normals: usize = poses.iter().map(|pose| compare_directions(geometry, &skeleton, rules, pose, what)).sum();
    let found = poses.iter().map(|pose| compare(geometry, &skeleton, rules, pose, what));
    let (worst, vertices) =
        found.fold((0.0, 0), |(worst, vertices), (off, count)| (f64::max(worst, off), vertices + count));
    assert_eq!(normals > 0, vertices > 0, "{}: skinned vertices have normals", what.display());
    (worst, vertices)
}

fn files_of(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.is_file());
    files.sort();
    files
}

/// Compares the skinned files of a list with the rules of UNIGINE and EZ-Mesh, or of Second Life.
/// Returns their number.
fn expect_rules(files: &[PathBuf]) -> usize {
    let (mut worst, mut vertices, mut skinned) = (0.0_f64, 0, 0);
    for path in files {
        let bytes = std::fs::read(path).unwrap();
        let mut found = Vec::new();
        if let Ok(mesh) = unigine::Mesh::open(bytes.as_slice()) {
            let bones: Vec<_> = (0..mesh.bone_count()).map(|bone| mesh.bone(bone).unwrap()).collect();
            let bones: Vec<_> = bones.iter().map(|bone| (bone.parent, bone.bind)).collect();
            if !bones.is_empty() {
                found.push(compare_all(&mesh, &mesh, &Rules::of_rest(&bones), path));
            }
        } else if let Ok(mesh) = ezmesh::Mesh::open(bytes.as_slice()) {
            let bones: Vec<_> = (0..mesh.bone_count().unwrap()).map(|bone| mesh.bone(bone).unwrap()).collect();
            let bones: Vec<_> = bones.iter().map(|bone| (bone.parent, bone.bind)).collect();
            if !bones.is_empty() {
                found.push(compare_all(&mesh, &mesh, &Rules::of_rest(&bones), path));
            }
        } else if let Ok(file) = secondlife::Mesh::open(bytes.as_slice()) {
            for mesh in file.assets() {
                if let Ok(Some(skin)) = mesh.skin() {
                    found.push(compare_all(&mesh, &mesh, &Rules::of_skin(&skin, parents(&mesh)), path));
                    let lods = secondlife::Lod::ALL.into_iter().filter(|lod| mesh.level(*lod).is_ok());
                    found.extend(lods.map(|lod| {
                        let level = secondlife::LevelGeometry::new(mesh.view(), lod.part());
                        compare_all(&level, &level, &Rules::of_skin(&skin, parents(&level)), path)
                    }));
                }
            }
        }
        for (off, count) in found {
            skinned += usize::from(count > 0);
            (worst, vertices) = (worst.max(off), vertices + count);
        }
    }
    eprintln!("{skinned} skinned meshes, {vertices} skinned vertices: at most {worst:.1e} of the diagonal off");
    skinned
}

#[test]
fn skins_samples_by_the_rules_of_their_format() {
    let data = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("data");
    for (format, least) in [("unigine", 3), ("ezmesh", 2), ("secondlife", 1)] {
        assert!(expect_rules(&files_of(&data.join(format))) >= least, "{format}");
    }
}

#[test]
fn skins_real_files_by_the_rules_of_their_format() {
    for (format, least) in [("unigine", 8), ("ezmesh", 6), ("secondlife", 8), ("secondlife/synthetic", 2)] {
        let Some(folder) = crate::support::corpus(format) else { return };
        assert!(expect_rules(&files_of(&folder)) >= least, "{format}");
    }
}
