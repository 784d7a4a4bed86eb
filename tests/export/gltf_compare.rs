//! Compares the surfaces and nodes of a glTF file with an independent decode of the mesh file.

use std::collections::BTreeMap;

use meshpeek::export::{ExportOptions, LevelChoice, OutputSpace};
use meshpeek::model::animation::Affine;
use meshpeek::model::{
    Axis, Contents, Corner, Handedness, Influences, NormalEncoding, SkinningRules, Space, SpaceConversion, Transform,
    Weights, Winding,
};
use meshpeek::{Animations, Array, Bounds, ErrorKind, Geometry, Skeleton, Surface};

use crate::expected::placement;
use crate::gltf_reader::{Matrix, Part, Reader, apply, matrix_of};

/// The greatest deviation of each kind that was found, and counts.
#[derive(Debug, Default)]
pub struct Worst {
    deviations: BTreeMap<&'static str, (f64, String)>,
    counts: BTreeMap<&'static str, usize>,
}

impl Worst {
    /// Asserts a bound, and remembers the deviation.
    pub fn expect(&mut self, kind: &'static str, found: f64, bound: f64, what: &dyn Fn() -> String) {
        assert!(found <= bound, "{kind}: {found:e} exceeds {bound:e}: {}", what());
        let worst = self.deviations.entry(kind).or_default();
        if found > worst.0 {
            *worst = (found, what());
        }
    }

    /// Asserts that at least a part of the items of a kind is also of the kind `good`.
    pub fn expect_share(&self, good: &'static str, kind: &'static str, least: f64) {
        let [good, all] = [good, kind].map(|kind| self.counts.get(kind).copied().unwrap_or_default() as f64);
        assert!(good >= all * least, "{good} of {all} {kind}");
    }

    /// Prints everything.
    pub fn report(&self) {
        self.counts.iter().for_each(|(kind, count)| eprintln!("{kind}: {count}"));
        self.deviations.iter().for_each(|(kind, (found, place))| eprintln!("{kind}: at most {found:.1e} off, {place}"));
    }

    /// Adds to a count.
    pub fn count(&mut self, kind: &'static str, count: usize) {
        *self.counts.entry(kind).or_default() += count;
    }
}

/// A node with a mesh, and what it shows.
pub struct MeshNode {
    pub node: usize,
    pub instance: usize,
    pub asset: usize,
    pub level: usize,
    pub surfaces: Vec<usize>,
    pub is_skinned: bool,
}

/// Returns the conversion of a mesh to glTF at a place.
pub fn conversion(geometry: &dyn Geometry, placement: Affine, options: &ExportOptions) -> SpaceConversion {
    let assumed = Space {
        up: Some(Axis::Y),
        handedness: Some(Handedness::Right),
        winding: Some(Winding::CounterClockwise),
        ..Space::UNKNOWN
    };
    let target = if options.space == OutputSpace::Target { Space::GLTF } else { Space::UNKNOWN };
    geometry.space().or(&assumed).placed(placement).conversion_to(&target).unwrap()
}

/// Returns the triangles of a surface that can be drawn, in the order of the output.
pub fn triangles(surface: &Surface<'_>, conversion: &SpaceConversion) -> Vec<[Corner; 3]> {
    let (positions, attributes) = (surface.positions().unwrap(), surface.counts().unwrap().attribute_vertices);
    let streams = [surface.indices().unwrap(), surface.attribute_indices().unwrap()];
    let count = streams[0].len().min(streams[1].len()) / 3;
    let is_valid = |corner: &Corner| {
        let position = positions.get(corner.position as usize);
        corner.attribute < attributes && position.is_some_and(|at| at.iter().all(|part| part.is_finite()))
    };
    let corner = |at: usize| Corner { position: streams[0].get(at).unwrap(), attribute: streams[1].get(at).unwrap() };
    let all = (0..count).map(|triangle| [0, 1, 2].map(|number| corner(3 * triangle + number)));
    all.filter(|corners| corners.iter().all(is_valid)).map(|corners| conversion.triangle(corners)).collect()
}

/// Returns the nodes that show meshes, in the order in which they are expected.
pub fn mesh_nodes(reader: &Reader, contents: &dyn Contents, options: &ExportOptions) -> Vec<MeshNode> {
    let mut found = reader.document.nodes().filter(|node| node.mesh().is_some()).map(|node| node.index());
    let mut nodes = Vec::new();
    for asset in 0..contents.asset_count().unwrap() {
        if options.asset.is_some_and(|chosen| chosen != asset) {
            continue;
        }
        let open = contents.asset(asset).unwrap();
        let bones = open.animations().bone_count().unwrap();
        for instance in 0..contents.instance_count().unwrap() {
            let place = contents.instance(instance).unwrap();
            if place.asset != asset {
                continue;
            }
            let is_there = |level: &usize| !open.level(*level).is_err_and(|error| error.kind() == ErrorKind::Missing);
            let there = (0..open.level_count().unwrap()).filter(is_there);
            let levels: Vec<usize> = match options.levels {
                LevelChoice::Best => there.take(1).collect(),
                LevelChoice::One(level) => vec![level],
                LevelChoice::Scenes | LevelChoice::Nodes => there.collect(),
            };
            for level in levels {
                let geometry = open.level(level).unwrap();
                let converted = conversion(&*geometry, placement(&*open, &*geometry, Affine::IDENTITY), options);
                for is_skinned in [false, true] {
                    let is_shown = |number: &usize| {
                        let surface = Surface::new(&*geometry, *number).unwrap();
                        let is_chosen = match &options.surfaces {
                            Some(chosen) => chosen.contains(number),
                            None => surface.is_drawn().unwrap(),
                        };
                        let skins = options.frame.is_none() && bones > 0 && surface.weights().unwrap().is_some();
                        is_chosen && skins == is_skinned && !triangles(&surface, &converted).is_empty()
                    };
                    let all = place.surfaces.clone().unwrap_or(0..geometry.surface_count().unwrap());
                    let surfaces: Vec<usize> = all.filter(is_shown).collect();
                    if !surfaces.is_empty() {
                        let node = found.next().expect("a node for each mesh");
                        nodes.push(MeshNode { node, instance, asset, level, surfaces, is_skinned });
                    }
                }
            }
        }
    }
    assert!(options.hulls || found.next().is_none(), "a node has a mesh that is not in the file");
    nodes
}

/// Compares all surfaces, skins and placements. Returns the nodes with meshes.
pub fn compare(
    reader: &Reader,
    contents: &dyn Contents,
    options: &ExportOptions,
    what: &str,
    worst: &mut Worst,
) -> Vec<MeshNode> {
    let nodes = mesh_nodes(reader, contents, options);
    let worlds = reader.worlds(&reader.rest());
    for mesh_node in &nodes {
        let asset = contents.asset(mesh_node.asset).unwrap();
        let geometry = asset.level(mesh_node.level).unwrap();
        let converted = conversion(&*geometry, placement(&*asset, &*geometry, Affine::IDENTITY), options);
        let node = reader.document.nodes().nth(mesh_node.node).unwrap();
        let skin = node.skin();
        assert_eq!(skin.is_some(), mesh_node.is_skinned, "{what}");
        let mut parts = reader.parts(&node.mesh().unwrap()).into_iter();
        for number in &mesh_node.surfaces {
            let surface = Surface::new(&*geometry, *number).unwrap();
            let bones = if mesh_node.is_skinned { asset.animations().bone_count().unwrap() } else { 0 };
            let frame = first_frame(&*geometry, asset.animations(), options);
            SurfaceCheck { surface, conversion: converted, bones, frame, what, worst }.compare(&mut parts);
        }
        assert!(parts.next().is_none(), "{what}: a primitive belongs to no surface");
        let transform = contents.instance(mesh_node.instance).unwrap().transform;
        let placed = conversion(&*geometry, placement(&*asset, &*geometry, transform), options);
        if let Some(skin) = skin {
            let bones = conversion(&*geometry, Affine::IDENTITY, options);
            compare_skin(reader, &skin, asset.animations(), &bones, what, worst);
        } else {
            compare_place(&worlds[mesh_node.node], &*geometry, &converted, &placed, what, worst);
        }
    }
    nodes
}

/// Returns the vertex frame that is the base shape, if it is not the first.
fn first_frame(geometry: &dyn Geometry, animations: &dyn Animations, options: &ExportOptions) -> Option<usize> {
    let clip = options.clip.filter(|_| geometry.vertex_frame_count().unwrap() > 0)?;
    animations.clip(clip).unwrap().first_vertex_frame.map(|frame| frame as usize)
}

/// The world transform of a node moves converted points to their place.
fn compare_place(
    world: &Matrix,
    geometry: &dyn Geometry,
    converted: &SpaceConversion,
    placed: &SpaceConversion,
    what: &str,
    worst: &mut Worst,
) {
    let bounds = geometry.bounds().unwrap();
    let size = diagonal(&placed.bounds(&bounds)).max(1e-6);
    for point in [bounds.min, bounds.max, [bounds.min[0], bounds.max[1], bounds.min[2]]] {
        let found = apply(world, converted.position(point));
        let off = distance(found, placed.position(point).map(f64::from));
        let far = placed.position(point).iter().fold(size, |far, part| far.max(f64::from(part.abs())));
        worst.expect("placement", off / far, 2e-6, &|| format!("{what}: {point:?}"));
    }
    // A viewer reverses the corners of a node that mirrors its mesh.
    let [x, y, z] = [0, 1, 2].map(|axis| [0, 1, 2].map(|row| world[axis][row]));
    let is_mirror = dot(x, cross(y, z)) < 0.0;
    assert_eq!(placed.reverses_corners(), converted.reverses_corners() != is_mirror, "{what}");
}

fn without_scale(map: &Affine) -> Affine {
    Affine::from(&Transform { scale: [1.0; 3], ..map.to_transform().unwrap() })
}

/// The joints are the bones, and their matrices are converted.
fn compare_skin(
    reader: &Reader,
    skin: &gltf::Skin<'_>,
    animations: &dyn Animations,
    converted: &SpaceConversion,
    what: &str,
    worst: &mut Worst,
) {
    let joints = reader.joints(skin);
    let rest = reader.rest();
    let skeleton = Skeleton::new(animations).unwrap();
    // Joints that the file binds by matrices have no scale in the output.
    let is_bound = (0..skeleton.len()).any(|bone| animations.inverse_bind(bone).unwrap().is_some());
    let rigid: Vec<Affine> = skeleton.bind().iter().map(without_scale).collect();
    let rigid_inverses: Vec<Option<Affine>> = rigid.iter().map(Affine::inverse).collect();
    let inverses = if is_bound { rigid_inverses.as_slice() } else { skeleton.inverse_binds().unwrap() };
    let local = |bone: usize, stored: &Transform| match skeleton.parent(bone).map(|parent| rigid_inverses[parent]) {
        _ if !is_bound => Affine::from(stored),
        None => rigid[bone],
        Some(parent) => rigid[bone].then(&parent.unwrap()),
    };
    assert!(joints.len() == skeleton.len() || joints.len() == skeleton.len() + 1, "{what}");
    let mut parents = BTreeMap::new();
    for node in reader.document.nodes() {
        node.children().for_each(|child| parents.extend([(child.index(), node.index())]));
    }
    let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [-2.0, 0.5, 3.0]];
    for (bone, joint) in joints.iter().enumerate().take(skeleton.len()) {
        let stored = animations.bone(bone).unwrap();
        let node = reader.document.nodes().nth(joint.node).unwrap();
        let name = stored.name.to_string_lossy();
        assert_eq!(node.name().unwrap_or_default(), name, "{what}: bone {bone}");
        if let Ok(parent) = usize::try_from(stored.parent) {
            assert_eq!(parents.get(&joint.node), Some(&joints[parent].node), "{what}: parent of bone {bone}");
        }
        let [found, bind] = [matrix_of(&rest.locals[joint.node]), joint.inverse_bind];
        for point in points {
            let inside = |map: &Affine| converted.position(map.apply(point)).map(f64::from);
            let at = converted.position(point);
            let expected = inside(&local(bone, &stored.bind));
            let far = expected.iter().fold(1.0_f64, |far, part| far.max(part.abs()));
            let off = distance(apply(&found, at), expected) / far;
            worst.expect("rest transform", off, 3e-6, &|| format!("{what}: bone {bone} `{name}`"));
            let Some(inverse) = &inverses[bone] else { continue };
            let expected = inside(inverse);
            let far = expected.iter().fold(1.0_f64, |far, part| far.max(part.abs()));
            let off = distance(apply(&bind, at), expected) / far;
            worst.expect("inverse bind", off, 3e-6, &|| format!("{what}: bone {bone} `{name}`"));
        }
    }
    worst.count("bones", skeleton.len());
}

/// Compares one surface.
struct SurfaceCheck<'s, 'w> {
    surface: Surface<'s>,
    conversion: SpaceConversion,
    /// The number of bones, or 0 if the surface has no skin.
    bones: usize,
    /// The vertex frame that is the base shape, or `None` for the positions of the surface.
    frame: Option<usize>,
    what: &'w str,
    worst: &'w mut Worst,
}

impl SurfaceCheck<'_, '_> {
    /// Compares each triangle with the primitives of the surface, which are the next of `parts`.
    fn compare(&mut self, parts: &mut impl Iterator<Item = Part>) {
        let triangles = triangles(&self.surface, &self.conversion);
        let name = self.surface.name().unwrap().to_string_lossy();
        let mut left = triangles.as_slice();
        while !left.is_empty() {
            let part = parts.next().expect("a primitive for each surface");
            assert_eq!(part.name.clone().unwrap_or_default(), name, "{}", self.what);
            let (own, rest) = left.split_at(part.indices.len() / 3);
            self.compare_part(own, &part);
            left = rest;
        }
        self.worst.count("triangles", triangles.len());
        self.worst.count("surfaces", 1);
    }

    fn compare_part(&mut self, triangles: &[[Corner; 3]], part: &Part) {
        assert_eq!(triangles.len() * 3, part.indices.len(), "{}", self.what);
        let corners: Vec<(Corner, usize)> =
            triangles.as_flattened().iter().copied().zip(part.indices.iter().map(|index| *index as usize)).collect();
        self.positions(&corners, part);
        self.directions(&corners, part);
        self.attributes(&corners, part);
        if self.bones > 0 {
            self.weights(&corners, part);
        } else {
            assert!(part.sets.is_empty(), "{}", self.what);
        }
        self.targets(&corners, part);
        self.facing(part);
        self.bitangents(part);
    }

    /// Counts the corners whose triangle faces the side of their normal.
    fn facing(&mut self, part: &Part) {
        let Some(normals) = &part.normals else { return };
        for triangle in part.indices.as_chunks::<3>().0 {
            let [a, b, c] = triangle.map(|index| part.positions[index as usize].map(f64::from));
            let [one, other] = [b, c].map(|end| subtract(end, a));
            let front = cross(one, other);
            for vertex in triangle {
                let side = dot(front, normals[*vertex as usize].map(f64::from));
                if side != 0.0 {
                    self.worst.count("shaded corners", 1);
                    self.worst.count("shaded corners that face their normals", usize::from(side > 0.0));
                }
            }
        }
    }

    /// Counts the corners whose bitangent points in the direction in which v decreases in their
    /// triangle, as in glTF.
    fn bitangents(&mut self, part: &Part) {
        let Some((normals, tangents)) = part.normals.as_ref().zip(part.tangents.as_ref()) else { return };
        let Some(uvs) = part.uvs.first() else { return };
        for triangle in part.indices.as_chunks::<3>().0 {
            let [a, b, c] = triangle.map(|index| index as usize);
            let edge = |to: usize| {
                let [at, origin] = [to, a].map(|vertex| part.positions[vertex].map(f64::from));
                let [[u, v], [u0, v0]] = [to, a].map(|vertex| uvs[vertex].map(f64::from));
                (subtract(at, origin), u - u0, v - v0)
            };
            let [(first, u1, v1), (second, u2, v2)] = [edge(b), edge(c)];
            let area = u1 * v2 - u2 * v1;
            // The gradient of the position along v, times the area.
            let down: [f64; 3] = std::array::from_fn(|axis| (second[axis] * u1 - first[axis] * u2) * area.signum());
            for vertex in [a, b, c] {
                let ([x, y, z, sign], normal) = (tangents[vertex].map(f64::from), normals[vertex].map(f64::from));
                let side = dot(cross(normal, [x, y, z]), down) * sign;
                if side != 0.0 && area != 0.0 {
                    self.worst.count("bitangents", 1);
                    self.worst.count("bitangents in the direction of falling v", usize::from(side < 0.0));
                }
            }
        }
    }

    fn place(&self, corner: Corner) -> String {
        format!("{}: surface {}, {corner:?}", self.what, self.surface.index())
    }

    fn positions(&mut self, corners: &[(Corner, usize)], part: &Part) {
        let positions = match self.frame {
            Some(frame) => self.surface.vertex_frame(frame).unwrap(),
            None => self.surface.positions().unwrap(),
        };
        for (corner, vertex) in corners {
            let expected = self.conversion.position(positions.get(corner.position as usize).unwrap());
            let found = part.positions[*vertex];
            // Only the sign of a zero may differ.
            assert_eq!(found, expected, "{}", self.place(*corner));
        }
    }

    fn directions(&mut self, corners: &[(Corner, usize)], part: &Part) {
        let (normals, frames) = (self.surface.normals().unwrap(), self.surface.tangent_frames().unwrap());
        // Computed normals are compared in another test.
        assert!(part.normals.is_some() || normals.is_none(), "{}", self.what);
        assert_eq!(part.tangents.is_some(), frames.is_some(), "{}", self.what);
        let Some((normals, found)) = normals.zip(part.normals.as_ref()) else { return };
        // Equal normals may be replaced by computed ones.
        let is_float = matches!(normals.0, NormalEncoding::F32(_) | NormalEncoding::Strided(_));
        if is_float && normals.iter().all(|normal| Some(normal) == normals.get(0)) {
            return;
        }
        for (corner, vertex) in corners {
            let stored = normals.get(corner.attribute as usize).unwrap();
            let expected = self.conversion.normal(stored).map(f64::from);
            let expected = if expected == [0.0; 3] || expected.iter().any(|part| part.is_nan()) {
                [0.0, 1.0, 0.0]
            } else {
                expected
            };
            let found = found[*vertex].map(f64::from);
            let text = || format!("{}: {stored:?}", self.what);
            // Without a conversion, the length may be that of the decoded normal.
            let bound = if self.conversion == SpaceConversion::IDENTITY { 5e-6 } else { 1e-6 };
            self.worst.expect("normal", distance(found, expected), bound, &text);
            self.worst.expect("length of a normal", (distance(found, [0.0; 3]) - 1.0).abs(), 5e-6, &text);
        }
        let Some((frames, found)) = frames.zip(part.tangents.as_ref()) else { return };
        for (corner, vertex) in corners {
            let stored = frames.get(corner.attribute as usize).unwrap();
            let [x, y, z, sign] = found[*vertex];
            let found = [x, y, z].map(f64::from);
            let expected = self.conversion.direction(stored.tangent()).map(f64::from);
            let text = || format!("{}: {stored:?}", self.what);
            self.worst.expect("tangent", distance(found, expected), 5e-6, &text);
            self.worst.expect("length of a tangent", (distance(found, [0.0; 3]) - 1.0).abs(), 5e-6, &text);
            // In glTF, the bitangent points in the direction in which v decreases.
            let turns = self.conversion.is_mirrored() == self.conversion.flips_v();
            let expected = if turns { -stored.handedness } else { stored.handedness };
            assert_eq!(sign, expected, "{}", self.place(*corner));
        }
    }

    fn attributes(&mut self, corners: &[(Corner, usize)], part: &Part) {
        let sets =
            (0..self.surface.counts().unwrap().uv_sets as usize).filter_map(|set| self.surface.uvs(set).unwrap());
        let sets: Vec<_> = sets.collect();
        assert_eq!(part.uvs.len(), sets.len(), "{}", self.what);
        for (uvs, found) in sets.iter().zip(&part.uvs) {
            for (corner, vertex) in corners {
                let expected = self.conversion.uv(uvs.get(corner.attribute as usize).unwrap());
                let expected = expected.map(|part| if part.is_finite() { part } else { 0.0 });
                assert_eq!(found[*vertex].map(f32::to_bits), expected.map(f32::to_bits), "{}", self.place(*corner));
            }
        }
        let colors = self.surface.colors().unwrap();
        let found = [&part.colors, &part.color_data].into_iter().flatten();
        assert_eq!(found.clone().count(), usize::from(colors.is_some()), "{}", self.what);
        let Some((colors, found)) = colors.zip(found.last()) else { return };
        for (corner, vertex) in corners {
            let expected = colors.get(corner.attribute as usize).unwrap().map(|part| (part * 255.0).round() as u8);
            assert_eq!(found[*vertex], expected, "{}", self.place(*corner));
        }
    }

    fn weights(&mut self, corners: &[(Corner, usize)], part: &Part) {
        let weights = self.surface.weights().unwrap().unwrap();
        for (corner, vertex) in corners {
            let mut found = BTreeMap::<usize, f64>::new();
            for (joints, weights) in part.sets.iter().map(|set| set[*vertex]) {
                for (joint, weight) in joints.into_iter().zip(weights) {
                    assert!(weight > 0.0 || joint == 0, "{}: a joint without weight", self.place(*corner));
                    if weight > 0.0 {
                        let before = found.insert(joint.into(), weight.into());
                        assert_eq!(before, None, "{}: a joint occurs twice", self.place(*corner));
                    }
                }
            }
            let expected = influences(&weights, corner.position, self.bones);
            let mut all: Vec<usize> = found.keys().chain(expected.keys()).copied().collect();
            all.dedup();
            let share = |list: &BTreeMap<usize, f64>, joint: &usize| list.get(joint).copied().unwrap_or_default();
            let off =
                all.iter().map(|joint| (share(&found, joint) - share(&expected, joint)).abs()).fold(0.0, f64::max);
            let text = || format!("{}: {corner:?}: {found:?}, expected {expected:?}", self.what);
            if expected.len() <= 16 {
                self.worst.expect("weight", off, 1e-6, &text);
            }
            self.worst.expect("sum of weights", (found.values().sum::<f64>() - 1.0).abs(), 2e-7 * 16.0, &text);
        }
    }

    fn targets(&mut self, corners: &[(Corner, usize)], part: &Part) {
        let own = self.surface.counts().unwrap().targets.max(1) as usize;
        let size = diagonal(&self.conversion.bounds(&self.surface.positions().unwrap().bounds())).max(1e-30);
        for target in 1..own {
            let [positions, normals, tangents] = &part.targets[target - 1];
            let stored = self.surface.target_positions(target).unwrap();
            let directions = self.surface.target_normals(target).unwrap();
            let frames = self.surface.target_tangent_frames(target).unwrap();
            assert_eq!(normals.is_some(), directions.is_some(), "{}", self.what);
            assert_eq!(tangents.is_some(), frames.is_some(), "{}", self.what);
            for (corner, vertex) in corners {
                let expected = self.conversion.position(stored.get(corner.position as usize).unwrap()).map(f64::from);
                let found = sum(part.positions[*vertex], positions.as_ref().unwrap()[*vertex]);
                let text = || format!("{}: target {target}, {corner:?}", self.what);
                self.worst.expect("position of a target", distance(found, expected) / size, 1e-6, &text);
                let Some((directions, normals)) = directions.as_ref().zip(normals.as_ref()) else { continue };
                let expected =
                    self.conversion.normal(directions.get(corner.attribute as usize).unwrap()).map(f64::from);
                let found = sum(part.normals.as_ref().unwrap()[*vertex], normals[*vertex]);
                self.worst.expect("normal of a target", distance(found, expected), 2e-6, &text);
                let Some((frames, tangents)) = frames.as_ref().zip(tangents.as_ref()) else { continue };
                let tangent = frames.get(corner.attribute as usize).unwrap().tangent();
                let expected = self.conversion.direction(tangent).map(f64::from);
                let [x, y, z, _] = part.tangents.as_ref().unwrap()[*vertex];
                let found = sum([x, y, z], tangents[*vertex]);
                self.worst.expect("tangent of a target", distance(found, expected), 1e-5, &text);
            }
        }
        // A surface with fewer targets than another surface of the mesh has the base shape.
        for differences in part.targets.iter().skip(own - 1).take(if own > 1 { usize::MAX } else { 0 }) {
            assert!(differences.iter().flatten().flatten().all(|difference| *difference == [0.0; 3]), "{}", self.what);
        }
    }
}

/// Returns the share of each joint in the influences on a vertex.
fn influences(weights: &Weights<'_>, vertex: u32, bones: usize) -> BTreeMap<usize, f64> {
    let is_clamped = weights.skinning_rules() == SkinningRules::Clamped;
    let mut shares = BTreeMap::new();
    for one in weights.get(vertex).iter().flat_map(Influences::iter).filter(|one| one.weight > 0.0) {
        let bone = usize::try_from(one.bone).ok().filter(|bone| *bone < bones);
        let joint = if is_clamped { bone.unwrap_or(bones - 1) } else { bone.unwrap() };
        *shares.entry(joint).or_insert(0.0) += f64::from(one.weight);
    }
    let total: f64 = shares.values().sum();
    for share in shares.values_mut() {
        *share /= total;
    }
    if shares.is_empty() {
        shares.insert(if is_clamped { 0 } else { bones }, 1.0);
    }
    shares
}

pub fn sum(one: [f32; 3], other: [f32; 3]) -> [f64; 3] {
    std::array::from_fn(|axis| f64::from(one[axis]) + f64::from(other[axis]))
}

fn subtract(one: [f64; 3], other: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|axis| one[axis] - other[axis])
}

fn dot(one: [f64; 3], other: [f64; 3]) -> f64 {
    (0..3).map(|axis| one[axis] * other[axis]).sum()
}

fn cross([ax, ay, az]: [f64; 3], [bx, by, bz]: [f64; 3]) -> [f64; 3] {
    [ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx]
}

pub fn distance(one: [f64; 3], other: [f64; 3]) -> f64 {
    (0..3).map(|axis| (one[axis] - other[axis]).powi(2)).sum::<f64>().sqrt()
}

pub fn diagonal(bounds: &Bounds) -> f64 {
    if bounds.is_empty() { 0.0 } else { distance(bounds.min.map(f64::from), bounds.max.map(f64::from)) }
}
