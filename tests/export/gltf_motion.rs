//! Compares the animations of a glTF file with poses and vertex frames of the mesh file.

use gltf::animation::Property;
use meshpeek::export::ExportOptions;
use meshpeek::model::animation::{Affine, Retarget, SkinMatrix};
use meshpeek::model::{Contents, SpaceConversion, Transform};
use meshpeek::{Animations, Array, Clip, Geometry, Pose, Skeleton, SkinnedSurface, Surface};

use crate::gltf_compare::{MeshNode, Worst, conversion, diagonal, distance, triangles};
use crate::gltf_reader::{Matrix, Moment, Part, Reader, animate, apply, list, multiply};

/// A file that was exported, and its mesh file.
pub struct Motion<'m> {
    pub reader: &'m Reader,
    pub contents: &'m dyn Contents,
    pub sources: &'m [(&'m str, &'m dyn Animations)],
    pub options: &'m ExportOptions,
    pub nodes: &'m [MeshNode],
    pub what: &'m str,
}

/// A skinned surface at one place.
struct SkinnedPart<'s> {
    surface: Surface<'s>,
    placed: SpaceConversion,
    /// The joints of the skin: the node of each, and its inverse bind matrix.
    joints: Vec<(usize, Matrix)>,
    part: Part,
    /// The vertex of the file for each vertex of the part.
    vertices: Vec<(u32, usize)>,
    size: f64,
}

impl Motion<'_> {
    /// Compares the rest pose and all clips.
    pub fn compare(&self, worst: &mut Worst) {
        let mut animations = self.reader.document.animations();
        for asset in 0..self.contents.asset_count().unwrap() {
            let mut instances = 0..self.contents.instance_count().unwrap();
            let is_placed = instances.any(|instance| self.contents.instance(instance).unwrap().asset == asset);
            if self.options.asset.is_some_and(|chosen| chosen != asset) || !is_placed {
                continue;
            }
            let open = self.contents.asset(asset).unwrap();
            let own = open.animations();
            let mut levels = (0..open.level_count().unwrap()).filter_map(|level| open.level(level).ok());
            let geometry = levels.next().unwrap();
            if geometry.vertex_frame_count().unwrap() > 1 {
                self.vertex_frames(&*geometry, own, asset, &mut animations, worst);
                continue;
            }
            if own.bone_count().unwrap() == 0 {
                continue;
            }
            let skeleton = Skeleton::new(own).unwrap();
            self.with_parts(asset, &mut |parts| {
                let rest = self.reader.rest();
                self.pose(&skeleton, Pose::rest(own).unwrap().bones(), parts, &rest, "rest", worst);
            });
            let is_chosen = |clip: &usize| self.options.clip.is_none_or(|chosen| chosen == *clip);
            for clip in (0..own.clip_count().unwrap()).filter(is_chosen) {
                let pose = |frame: f32, out: &mut [Transform]| {
                    let moment = own.clip(clip).unwrap().at_frame(frame, false).unwrap();
                    let mut pose = Pose::rest(own).unwrap();
                    pose.set_moment(own, clip, &moment).unwrap();
                    out.copy_from_slice(pose.bones());
                };
                self.clip(asset, &skeleton, (own, clip), None, &pose, &mut animations, worst);
            }
            for (name, source) in self.sources {
                for clip in 0..source.clip_count().unwrap() {
                    let pose = |frame: f32, out: &mut [Transform]| {
                        let moment = source.clip(clip).unwrap().at_frame(frame, false).unwrap();
                        let mut retarget = Retarget::new(own, *source).unwrap().lenient();
                        retarget.pose_between(*source, clip, &moment, out).unwrap();
                    };
                    let from = (*source, clip);
                    self.clip(asset, &skeleton, from, Some(name), &pose, &mut animations, worst);
                }
            }
        }
        assert!(animations.next().is_none(), "{}: an animation is not in the file", self.what);
    }

    /// Compares the poses of a clip at some moments.
    #[allow(clippy::too_many_arguments, reason = "the clip and its place in both files")]
    fn clip(
        &self,
        asset: usize,
        skeleton: &Skeleton,
        (from, number): (&dyn Animations, usize),
        name: Option<&str>,
        pose: &dyn Fn(f32, &mut [Transform]),
        animations: &mut gltf::iter::Animations<'_>,
        worst: &mut Worst,
    ) {
        let clip = from.clip(number).unwrap();
        let has_keys = from.keys(number, None).unwrap().any(|key| {
            let bone = key.unwrap().bone.unwrap();
            let name = from.bone(bone).unwrap().name.to_vec();
            let asset = self.contents.asset(asset).unwrap();
            name_exists(asset.animations(), &name)
        });
        if !has_keys {
            return;
        }
        let animation = animations.next().expect("an animation for each clip");
        let stored = clip.name.to_string_lossy();
        let own = self.options.source.name();
        let expected = if stored.is_empty() { name.or(own).unwrap_or_default().to_owned() } else { stored };
        assert_eq!(animation.name().unwrap_or_default(), expected, "{}", self.what);
        let extras = &list(&self.reader.json, "animations")[animation.index()]["extras"];
        assert_eq!(extras["frames"], clip.frames, "{}", self.what);
        let tracks = self.reader.tracks(&animation);
        assert!(animation.channels().all(|channel| channel.target().property() != Property::MorphTargetWeights));
        let rate = rate_of(&clip, self.options);
        let last = f64::from(clip.frames.saturating_sub(1)) / rate;
        let end = tracks.iter().flat_map(|track| &track.times).fold(0.0_f32, |end, time| end.max(*time));
        worst.expect("length of a clip", (f64::from(end) - last).abs() / last.max(1.0), 1e-6, &|| self.what.to_owned());
        self.with_parts(asset, &mut |parts| {
            for frame in frames_of(&clip) {
                let mut locals = vec![Transform::default(); skeleton.len()];
                pose(frame, &mut locals);
                let mut moment = self.reader.rest();
                animate(&mut moment, &tracks, f64::from(frame) / rate);
                self.pose(skeleton, &locals, parts, &moment, &format!("clip {number}, frame {frame}"), worst);
            }
        });
        worst.count("clips", 1);
    }

    /// Compares the positions of all skinned vertices in one pose.
    fn pose(
        &self,
        skeleton: &Skeleton,
        locals: &[Transform],
        parts: &[SkinnedPart<'_>],
        moment: &Moment,
        when: &str,
        worst: &mut Worst,
    ) {
        let mut model = vec![Affine::IDENTITY; skeleton.len()];
        skeleton.model(locals, &mut model).unwrap();
        let mut palette = vec![SkinMatrix::IDENTITY; skeleton.len()];
        if skeleton.palette(&model, &mut palette).is_err() {
            return;
        }
        let worlds = self.reader.worlds(moment);
        for part in parts {
            let skinned = SkinnedSurface::new(&part.surface, &palette).unwrap();
            let joints: Vec<Matrix> =
                part.joints.iter().map(|(node, inverse_bind)| multiply(&worlds[*node], inverse_bind)).collect();
            for (position, vertex) in &part.vertices {
                let expected = part.placed.position(skinned.position(*position).unwrap().unwrap()).map(f64::from);
                let mut found = [0.0; 3];
                for (numbers, weights) in part.part.sets.iter().map(|set| set[*vertex]) {
                    for (joint, weight) in numbers.into_iter().zip(weights).filter(|(_, weight)| *weight > 0.0) {
                        let moved = apply(&joints[usize::from(joint)], part.part.positions[*vertex]);
                        found.iter_mut().zip(moved).for_each(|(sum, moved)| *sum += moved * f64::from(weight));
                    }
                }
                let text = || {
                    let surface = part.surface.index();
                    format!(
                        "{}: {when}, surface {surface}, vertex {position}: {found:?}, expected {expected:?}",
                        self.what
                    )
                };
                let kind = if when == "rest" { "skinned, at rest" } else { "skinned" };
                // An `f32` far from the origin is less exact.
                let far = expected.iter().fold(0.0_f64, |far, part| far.max(part.abs()));
                worst.expect(kind, distance(found, expected) / part.size.max(far * 0.01), 1e-4, &text);
            }
        }
    }

    /// Reads the skinned surfaces of an asset.
    fn with_parts(&self, asset: usize, work: &mut dyn FnMut(&[SkinnedPart<'_>])) {
        let open = self.contents.asset(asset).unwrap();
        for mesh_node in self.nodes.iter().filter(|node| node.asset == asset && node.is_skinned) {
            let geometry = open.level(mesh_node.level).unwrap();
            let node = self.reader.document.nodes().nth(mesh_node.node).unwrap();
            let placement = self.contents.instance(mesh_node.instance).unwrap().transform;
            let placed = conversion(&*geometry, placement, self.options);
            let converted = conversion(&*geometry, Affine::IDENTITY, self.options);
            let mut primitives = self.reader.parts(&node.mesh().unwrap()).into_iter();
            let mut parts = Vec::new();
            for number in &mesh_node.surfaces {
                let surface = Surface::new(&*geometry, *number).unwrap();
                let triangles = triangles(&surface, &converted);
                let mut corners = triangles.as_flattened();
                while !corners.is_empty() {
                    let part = primitives.next().unwrap();
                    let (own, rest) = corners.split_at(part.indices.len());
                    let pairs = own.iter().zip(&part.indices);
                    let mut vertices: Vec<(u32, usize)> =
                        pairs.map(|(corner, index)| (corner.position, *index as usize)).collect();
                    vertices.sort_unstable();
                    vertices.dedup();
                    let joints = self.reader.joints(&node.skin().unwrap());
                    let joints = joints.into_iter().map(|joint| (joint.node, joint.inverse_bind)).collect();
                    let size = diagonal(&placed.bounds(&geometry.bounds().unwrap())).max(1e-6);
                    parts.push(SkinnedPart { surface, placed, joints, part, vertices, size });
                    corners = rest;
                }
            }
            work(&parts);
        }
    }

    /// Compares the vertex frames of all clips with the morph targets at the times of the frames.
    fn vertex_frames(
        &self,
        geometry: &dyn Geometry,
        own: &dyn Animations,
        asset: usize,
        animations: &mut gltf::iter::Animations<'_>,
        worst: &mut Worst,
    ) {
        let is_chosen = |clip: &usize| self.options.clip.is_none_or(|chosen| chosen == *clip);
        for number in (0..own.clip_count().unwrap()).filter(is_chosen) {
            let clip = own.clip(number).unwrap();
            // The only frame of a chosen clip is the base shape, which no animation changes.
            let is_still = clip.frames == 0 || (clip.frames == 1 && self.options.clip.is_some());
            if is_still || clip.first_vertex_frame.is_none() {
                continue;
            }
            let animation = animations.next().expect("an animation for each clip");
            let tracks = self.reader.tracks(&animation);
            let rate = rate_of(&clip, self.options);
            let end = tracks.iter().flat_map(|track| &track.times).fold(0.0_f32, |end, time| end.max(*time));
            let expected = f64::from(clip.frames) / rate;
            let off = (f64::from(end) - expected).abs() / expected;
            worst.expect("length of a clip", off, 1e-6, &|| self.what.to_owned());
            for mesh_node in self.nodes.iter().filter(|node| node.asset == asset) {
                let node = self.reader.document.nodes().nth(mesh_node.node).unwrap();
                let converted = conversion(geometry, Affine::IDENTITY, self.options);
                let size = diagonal(&converted.bounds(&geometry.bounds().unwrap())).max(1e-6);
                let mut parts = self.reader.parts(&node.mesh().unwrap()).into_iter();
                let mut pairs = Vec::new();
                for surface in &mesh_node.surfaces {
                    let surface = Surface::new(geometry, *surface).unwrap();
                    let triangles = triangles(&surface, &converted);
                    pairs.push((surface, triangles, parts.next().unwrap()));
                }
                // After the last frame, a clip goes on with its first.
                let after = [0.5, 1.0].map(|part| clip.frames.saturating_sub(1) as f32 + part);
                for frame in frames_of(&clip).into_iter().chain(after) {
                    let mut moment = self.reader.rest();
                    animate(&mut moment, &tracks, f64::from(frame) / rate);
                    let weights = &moment.weights[&mesh_node.node];
                    let blend = clip.at_frame(frame, true).unwrap();
                    for (surface, triangles, part) in &pairs {
                        // A file may end within its last frame.
                        let whole = surface.counts().unwrap().vertices as usize;
                        let stored =
                            |one: u32| surface.vertex_frame(one as usize).ok().filter(|all| all.len() >= whole);
                        let [from, to] = [blend.from, blend.to].map(stored);
                        let Some((from, to)) = from.zip(to) else { continue };
                        for (corner, index) in triangles.as_flattened().iter().zip(&part.indices) {
                            let at = |array: &meshpeek::model::Positions<'_>| {
                                converted.position(array.get(corner.position as usize).unwrap()).map(f64::from)
                            };
                            let [from, to] = [at(&from), at(&to)];
                            let part_of = f64::from(blend.fraction);
                            let expected = std::array::from_fn(|axis| from[axis] + (to[axis] - from[axis]) * part_of);
                            let mut found = part.positions[*index as usize].map(f64::from);
                            for (weight, [target, ..]) in
                                weights.iter().zip(&part.targets).filter(|(one, _)| **one != 0.0)
                            {
                                let moved = target.as_ref().unwrap()[*index as usize];
                                found.iter_mut().zip(moved).for_each(|(sum, part)| *sum += f64::from(part) * weight);
                            }
                            let text = || format!("{}: clip {number}, frame {frame}, {corner:?}", self.what);
                            // The time of a late frame is rounded, so its weight is not exactly 1.
                            worst.expect("vertex frame", distance(found, expected) / size, 2e-5, &text);
                        }
                    }
                }
            }
            worst.count("clips of vertex frames", 1);
        }
    }
}

fn name_exists(animations: &dyn Animations, name: &[u8]) -> bool {
    (0..animations.bone_count().unwrap()).any(|bone| animations.bone(bone).unwrap().name.as_bytes() == name)
}

/// Returns the rate of a clip in frames per second.
fn rate_of(clip: &Clip<'_>, options: &ExportOptions) -> f64 {
    clip.rate.filter(|rate| *rate > 0.0 && rate.is_finite()).unwrap_or(options.rate).into()
}

/// Returns the first, the last and the middle frame of a clip, and moments between two frames.
fn frames_of(clip: &Clip<'_>) -> Vec<f32> {
    let last = clip.frames.saturating_sub(1) as f32;
    let middle = (last / 2.0).floor();
    let mut frames = vec![0.0, last, middle, (middle + 0.375).min(last), (last - 0.25).max(0.0), 0.5_f32.min(last)];
    frames.sort_by(f32::total_cmp);
    frames.dedup();
    frames
}
