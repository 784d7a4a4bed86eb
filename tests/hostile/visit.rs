//! Visits everything that a file offers, and ignores the results.
//!
//! Nothing here depends on bytes that stay the same, so the file may change during the visit.

use std::hint::black_box;
use std::io::sink;
use std::sync::Arc;

use meshpeek::internals::{FormatFile, format_file};
use meshpeek::model::animation::{Affine, Retarget, SkinMatrix};
use meshpeek::model::{Attribute, Indices, MeshSelection, Space, Transform};
use meshpeek::query::{
    Attributes, Frustum, PagesTouched, ProbedScene, Ray, Scene, SceneTrees, Tree, Triangles, worth_storing,
    write_sidecar,
};
use meshpeek::secondlife::{self, AssetPart, Edit, Lod};
use meshpeek::sidecar::{Builder, Sidecar};
use meshpeek::{
    Animations, Array, Bounds, Geometry, MeshFile, Model, Pose, Skeleton, SkinnedSurface, Surface, ezmesh, unigine,
    unreal,
};

use crate::support::query::{Lists as _, interleaved, neighbors, triangles_around};
use crate::support::random::Random;

/// The largest number of items, such as vertices, bones or surfaces, that a visit reads.
const MANY: usize = 2000;
/// The largest number of clips, frames and assets that a visit reads.
const SOME: usize = 4;

/// Reads a model of any format in every way.
pub fn visit<D: AsRef<[u8]> + Send + Sync>(model: &Model<D>, random: &mut Random) {
    let file = model.file();
    if random.one_in(2) {
        common(file);
        if random.one_in(2) {
            let _ = format_file(model).index(&mut Builder::default());
        }
    }
    ranges(model, random);
    for surface in 0..SOME {
        if random.one_in(2)
            && let Ok(lent) = model.lend(surface)
        {
            visit_surface(&lent.surface(), random);
            let _ = Scene::from_surfaces([lent.surface()], None).map(|scene| query(&scene, random));
        }
    }
    draws(model, random);
    visit_geometry(model.geometry(), random);
    skin(model.geometry(), model.animations(), random);
    visit_animations(model.animations(), random);
    match format_file(model) {
        FormatFile::Unigine(mesh) => visit_unigine(mesh),
        FormatFile::UnigineAnimation(file) => visit_animation_file(file, random),
        FormatFile::Unreal(mesh) => visit_unreal(mesh, random),
        FormatFile::SecondLife(mesh) => visit_second_life(mesh),
        FormatFile::EzMesh(mesh) => visit_ezmesh(mesh),
        FormatFile::Registered(_) => unreachable!("only the test of a new format registers one"),
    }
}

/// Calls the methods that every file has.
fn common<D: AsRef<[u8]>>(file: &dyn MeshFile<Data = D>) {
    let _ = (file.check(), file.format(), file.version(), file.touched_bytes());
    let _ = file.validate(&mut |finding| drop(finding.to_string()));
    let _ = file.validate_structure(&mut |finding| drop(finding.to_string()));
    for source in 0..file.source_count() {
        let _ = file.regions(source, &mut |region| drop(black_box(region.field.to_string())));
        let _ = file.write_to(source, &mut sink());
    }
}

/// Reads some draws of a model, and the values that only its format has.
fn draws<D: AsRef<[u8]> + Send + Sync>(model: &Model<D>, random: &mut Random) {
    let list = if random.one_in(2) {
        model.draw_list(&Space::GLTF)
    } else {
        model.draw_list_at(random.below(SOME), &Space::UNKNOWN)
    };
    if let Ok(list) = list {
        for draw in list.draws().iter().take(SOME) {
            let _ = list.surface(draw).map(|lent| black_box(lent.surface().counts()));
            let _ = (list.bounds(draw), list.material(draw).map(|material| black_box(material.is_some())));
        }
    }
    let _ = (model.properties().map(|values| values.to_string()), model.surface_properties(random.below(SOME)));
}

/// Finds the byte ranges of the parts of a model, which lie in its files.
fn ranges<D: AsRef<[u8]> + Send + Sync>(model: &Model<D>, random: &mut Random) {
    let index = random.below(SOME);
    let (first, attribute) = (random.below(40), Attribute::Positions(random.below(3)));
    let parts = [
        MeshSelection::Structure,
        MeshSelection::Surface(index),
        MeshSelection::Attribute { surface: index, attribute },
        MeshSelection::Attribute { surface: index, attribute: Attribute::Weights },
        MeshSelection::Attribute { surface: index, attribute: Attribute::Indices },
        MeshSelection::VertexFrames(first..first + random.below(SOME)),
        MeshSelection::Clip(index),
        MeshSelection::Frames { clip: index, frames: first..usize::MAX },
        MeshSelection::Frames { clip: index, frames: first..first + random.below(SOME) },
        MeshSelection::Bones,
        MeshSelection::Level { asset: random.below(2), level: index },
        MeshSelection::Hulls(0),
        MeshSelection::CollisionMesh(0),
    ];
    let part = random.pick(&parts);
    for source in 0..=model.file().source_count() {
        let length = model.file().source(source).map_or(0, |bytes| bytes.as_ref().len() as u64);
        if let Ok(ranges) = model.byte_ranges(source, part) {
            assert!(ranges.iter().all(|range| range.start < range.end && range.end <= length), "{part:?}: {ranges:?}");
            assert!(ranges.windows(2).all(|two| two[0].end < two[1].start), "{part:?}: {ranges:?}");
        }
    }
}

/// Reads up to [`MANY`] items of an array in every way.
fn read<A: Array>(array: &A, random: &mut Random)
where
    A::Item: Clone,
{
    let len = array.len().min(MANY);
    (0..8).for_each(|_| {
        black_box(array.get(random.below(len)));
    });
    let part = array.slice(0..len);
    black_box(part.map(|part| part.iter().count()));
    array.slice(0..len).into_iter().for_each(|part| {
        part.for_each(|item| {
            black_box(item);
        });
    });
}

fn visit_surface(surface: &Surface<'_>, random: &mut Random) {
    let _ = (surface.name().map(|name| name.to_string()), surface.material().map(|name| name.map(|n| n.to_vec())));
    let _ = (surface.bounds(), surface.sphere(), surface.counts(), surface.is_drawn());
    for target in 0..2 {
        if let Ok(positions) = surface.target_positions(target) {
            read(&positions, random);
            black_box(positions.bounds());
            let mut out = vec![[0.0; 3]; positions.len().min(1 << 16)];
            let _ = positions.decode_into(&mut out);
        }
        if let Ok(Some(frames)) = surface.target_tangent_frames(target) {
            read(&frames, random);
        }
        if let Ok(Some(normals)) = surface.target_normals(target) {
            read(&normals, random);
        }
    }
    for set in 0..3 {
        if let Ok(Some(uvs)) = surface.uvs(set) {
            read(&uvs, random);
        }
    }
    if let Ok(Some(colors)) = surface.colors() {
        read(&colors, random);
    }
    let indices = |indices: meshpeek::Result<Indices<'_>>, random: &mut Random| {
        let Ok(indices) = indices else { return };
        read(&indices, random);
        black_box(indices.first_out_of_range(9));
        let mut out = vec![0; indices.len().min(1 << 16)];
        let _ = indices.decode_into(&mut out);
    };
    indices(surface.indices(), random);
    indices(surface.attribute_indices(), random);
    if let Ok(Some(weights)) = surface.weights() {
        let all = weights.iter().take(MANY);
        black_box(all.map(|list| list.iter().map(|one| one.weight).sum::<f32>()).sum::<f32>());
        (0..8).for_each(|_| {
            black_box(weights.get(random.below(weights.len()) as u32).map(|list| list.len()));
        });
    }
    if let Ok(corners) = surface.corners() {
        read(&corners, random);
    }
    drop(black_box(surface.weld()));
    let _ = (surface.vertex_frame(0).map(|all| all.bounds()), surface.partition().map(|tree| tree.is_some()));
    if let Ok(attributes) = Attributes::new(surface) {
        for _ in 0..8 {
            let triangle = random.below(attributes.triangle_count());
            let at = [0.25, 0.5];
            black_box((attributes.at(triangle, at), attributes.geometric_normal(triangle)));
            black_box((attributes.weights(triangle, at), attributes.uv(1, triangle, at)));
        }
    }
}

fn visit_geometry(geometry: &dyn Geometry, random: &mut Random) {
    let _ = (geometry.bounds(), geometry.sphere(), geometry.vertex_frame_count());
    for surface in geometry.surfaces().into_iter().flatten().take(SOME) {
        visit_surface(&surface, random);
    }
    match random.below(3) {
        0 => {
            let _ = Scene::new(geometry).map(|scene| query(&scene, random));
        }
        1 => {
            let scene = Scene::from_file_trees(geometry);
            let Ok(trees) = scene.and_then(|scene| SceneTrees::new(geometry, scene)) else { return };
            let _ = trees.scene(geometry).map(|scene| query(&scene, random));
        }
        _ => {
            let _ = worth_storing(geometry);
        }
    }
}

/// Runs every query on a scene, whose tree may belong to other positions than those of now.
pub fn query(scene: &Scene<'_>, random: &mut Random) {
    let mut point = || [random.unit() * 2.0, random.unit() * 2.0, random.unit() * 2.0];
    let rays: Vec<Ray> = (0..8).map(|_| Ray::toward(point(), point())).collect();
    for ray in &rays {
        black_box((scene.ray(ray), scene.all_hits(ray), scene.is_hit(ray), scene.nearest(point(), f32::INFINITY)));
    }
    black_box((scene.rays(&rays), interleaved(scene, &rays)));
    let bounds = Bounds { min: [-0.5; 3], max: [0.75; 3] };
    let planes = [[1.0, 0.0, 0.0, 0.5], [0.0, 1.0, 0.0, 0.5], [0.0; 4], [0.0; 4], [0.0; 4], [0.0, 0.0, 1.0, 0.5]];
    black_box((scene.overlapping_box(&bounds), scene.overlapping_frustum(&Frustum::from_planes(planes))));
    let mut pages = PagesTouched::default();
    black_box(ProbedScene::new(scene, &mut pages).nearest([0.0; 3], 9.0));
    black_box(ProbedScene::new(scene, &mut pages).overlapping_box(&bounds));
    black_box((triangles_around(scene, 0, 1), neighbors(scene, 0, 2), pages.total(), scene.bounds()));
    let triangles = |surface| scene.triangles(surface).copied();
    if let Some(one) = triangles(0) {
        drop(black_box(Tree::new(&one)));
    }
}

fn visit_animations(animations: &dyn Animations, random: &mut Random) {
    let count = animations.bone_count().unwrap_or_default().min(MANY);
    for bone in 0..count {
        let _ = animations.bone(bone).map(|bone| (bone.name.to_string(), bone.parent));
    }
    for clip in 0..animations.clip_count().unwrap_or_default().min(SOME) {
        let _ = animations.clip(clip).map(|clip| (clip.name.to_string(), clip.at(0.5, Some(30.0), true)));
        for event in 0..SOME {
            let _ = animations.event(clip, event).map(|event| event.map(|event| event.function.to_string()));
        }
        if animations.bone_count().is_ok_and(|bones| bones == count) {
            let mut pose = vec![Transform::default(); count];
            let _ = animations.pose(clip, random.below(20), &mut pose);
            let _ = animations.animated_bones(clip, &mut vec![false; count]);
        }
    }
    if animations.bone_count().is_ok_and(|bones| bones > MANY) {
        return;
    }
    if let Ok(mut pose) = Pose::rest(animations) {
        let _ = pose.set_time(animations, 0, 0.05, Some(30.0), true);
    }
    if let Ok(mut retarget) = Retarget::new(animations, animations) {
        black_box((retarget.missing().len(), retarget.matched()));
        let _ = retarget.pose(animations, 0, random.below(4), &mut vec![Transform::default(); count]);
    }
}

fn skin(geometry: &dyn Geometry, animations: &dyn Animations, random: &mut Random) {
    let count = animations.bone_count().unwrap_or_default();
    let (Ok(pose), Ok(skeleton)) = (Pose::rest(animations), Skeleton::new(animations)) else { return };
    let (mut model, mut palette) = (vec![Affine::IDENTITY; count], vec![SkinMatrix::IDENTITY; count]);
    let _ = skeleton.model(pose.bones(), &mut model);
    let _ = skeleton.palette(&model, &mut palette);
    for surface in Surface::all(geometry).into_iter().flatten().take(SOME) {
        let Ok(skinned) = SkinnedSurface::new(&surface, &palette) else { continue };
        let mut moved = vec![[0.0; 3]; skinned.len().min(1 << 16)];
        let _ = (skinned.positions_into(&mut moved), skinned.position(random.below(skinned.len()) as u32));
        if let Ok(corners) = surface.corners() {
            let corner = corners.get(random.below(corners.len())).unwrap_or_default();
            let _ = skinned.normals().map(|normals| normals.map(|normals| normals.get(corner)));
            let _ = skinned.tangent_frames().map(|frames| frames.map(|frames| frames.get(corner)));
        }
        if let (Ok(triangles), Ok(before)) = (Triangles::from_points(&surface, &moved), Triangles::new(&surface)) {
            let _ = Tree::new(&before).map(|tree| tree.refit(&triangles).map(|tree| tree.bytes()));
        }
    }
}

fn visit_unigine<D: AsRef<[u8]> + Send + Sync>(mesh: &unigine::Mesh<D>) {
    let _ = (mesh.bounds(), mesh.end(), mesh.inflated_bytes(), mesh.memory_estimate(), mesh.leaf_triangles());
    let mut buffer = unigine::InflateBuffer::default();
    for surface in 0..mesh.surface_count().min(SOME) {
        let _ = (mesh.lightmap(surface), mesh.blocks(surface), mesh.header_counts(surface));
        if let Ok(view) = mesh.surface_in(surface, &mut buffer) {
            let _ = (view.counts(), view.name().to_string(), view.target_count());
            let _ = view.blend(&[0.5], &mut [[0.0; 3]; 8]);
        }
        if let Ok(Some(tree)) = mesh.tree(surface) {
            black_box(tree.nodes().iter().filter_map(|node| tree.triangles(node)).flatten().count());
            black_box((tree.boxes().iter().count(), tree.splits().iter().count(), tree.edges().len()));
        }
    }
    for animation in 0..mesh.animation_count().min(SOME) {
        let _ = mesh.animation(animation).map(|view| visit_view(&view, mesh.bone_count()));
    }
    let _ = mesh.inflate(&[0]);
    let _ = (0..mesh.bone_count().min(MANY)).map(|bone| mesh.bone(bone).is_ok()).filter(|ok| *ok).count();
    let _ = mesh.write_stored(sink(), unigine::Storage::Raw);
}

fn visit_view(view: &unigine::AnimationView<'_>, bones: usize) {
    black_box((view.keys().take(MANY).count(), view.index_size(), view.interval(), view.coding()));
    if bones > MANY {
        return;
    }
    for frame in (0..).take(SOME) {
        let _ = view.pose(frame, &mut vec![Transform::default(); bones]);
    }
    if let Ok(mut playback) = view.play() {
        for _ in 0..SOME {
            let _ = playback.next().map(|pose| pose.map(<[_]>::len));
        }
    }
}

fn visit_animation_file<D: AsRef<[u8]> + Send + Sync>(file: &unigine::Animation<D>, random: &mut Random) {
    let _ = (file.bounds(), file.end(), file.rate(), file.tail().map(<[_]>::len));
    let _ = file.skeleton().map(|names| names.map(|names| names.map(|name| name.to_string())));
    for animation in 0..file.animation_count().min(SOME) {
        let _ = file.animation(animation).map(|view| visit_view(&view, file.bone_count()));
    }
    black_box((0..file.bone_count().min(MANY)).filter(|bone| file.bone(*bone).is_ok()).count());
    black_box(random.next());
}

fn visit_unreal<D: AsRef<[u8]> + Send + Sync>(mesh: &unreal::Mesh<D>, random: &mut Random) {
    let _ = (mesh.data_header().is_ok(), mesh.aniv_header().is_ok(), mesh.data_rest().len(), mesh.aniv_rest().len());
    let _ = (mesh.bounds(), mesh.bounds_of_all_frames(), mesh.polygons().map(<[_]>::len), mesh.attachment_count());
    let placement = mesh.script().map_or(unreal::Placement::STORED, |script| unreal::Placement::of(&script));
    for frame in 0..mesh.frame_count().min(SOME) {
        let _ = mesh.frame(frame).map(|frame| (frame.positions().iter().count(), frame.stored_bounds()));
        let _ = mesh.normals(frame, unreal::NormalShading::Smooth, &placement).map(|normals| normals.len());
        let _ = mesh.attachment(0, frame, &placement);
    }
    for surface in mesh.surfaces().unwrap().flatten().take(SOME) {
        black_box((surface.polygons().map(|polygon| polygon.texture).max(), surface.label(), surface.numbers().len()));
    }
    let _ = mesh.write_uv_listing(sink());
    let _ = unreal::builder::build(mesh, "copy");
    if let Some(script) = mesh.whole_script() {
        visit_script(script, random);
    }
}

/// Reads a script in every way.
pub fn visit_script<D: AsRef<[u8]>>(script: &unreal::script::Script<D>, random: &mut Random) {
    script.validate(&mut |finding| drop(finding.to_string()));
    let _ = script.regions(&mut |region| drop(region.field.to_string()));
    for command in script.commands().take(MANY) {
        black_box((command.words().map(|word| word.to_string()), command.verb(), command.field()));
        black_box((command.number("X"), command.integer("NUM"), command.flag("MIPS"), command.value("MESH")));
        let _ = unreal::script::Line::of(&command, |_| None).map(|line| line.as_bytes().len());
    }
    let names: Vec<_> = script.imports().take(SOME).map(|import| import.mesh.to_vec()).collect();
    for selected in names.iter().map(|name| script.select(name)).chain(script.select_all().into_iter().take(SOME)) {
        let mesh = script.mesh(&selected);
        black_box((mesh.name().to_string(), mesh.origin().is_some(), mesh.scale(), mesh.commands().len()));
        black_box((mesh.textures().map(|one| one.name.to_vec()).collect::<Vec<_>>(), mesh.texture(1).is_some()));
        for sequence in 0..mesh.sequence_count().min(SOME) {
            black_box((mesh.notifies(sequence).count(), mesh.notify(sequence, random.below(3)).is_some()));
        }
        let _ = unreal::builder::rename(&mesh, "other");
    }
}

fn visit_second_life<D: AsRef<[u8]> + Send + Sync>(mesh: &secondlife::Mesh<D>) {
    let _ = (mesh.asset_range(), mesh.preamble().is_some(), mesh.asset_count());
    if let Some(container) = mesh.container() {
        black_box((container.name().map(|name| name.to_string()), container.version(), container.len()));
        for instance in container.instances().take(SOME) {
            black_box((instance.mesh_id(), instance.label().map(|label| label.content().len()), instance.transform()));
        }
    }
    for asset in mesh.assets().take(SOME) {
        visit_asset(asset.view());
        let _ = black_box(Geometry::bounds(&asset));
    }
}

fn visit_asset(view: secondlife::AssetView<'_>) {
    if let Ok(header) = view.header() {
        let keys = header.entries().map(|entry| (entry.key.to_string(), entry.key.content().into_owned()));
        black_box((keys.count(), header.blocks().count(), header.version(), header.date(), header.is_stub()));
        black_box((header.creator().is_some(), header.material_list().is_some(), header.physics_cost().is_some()));
    }
    let mut buffer = secondlife::InflateBuffer::default();
    for part in AssetPart::ALL {
        let _ = (view.stored(part).is_ok(), view.verify_hash(part));
        if let Ok(Some(block)) = view.block_into(part, &mut buffer) {
            black_box((block.unused(), block.rest().len(), block.bytes().len()));
        }
    }
    for lod in Lod::ALL {
        if let Ok(level) = view.level(lod) {
            for submesh in level.submeshes().flatten().take(SOME) {
                let _ = (submesh.positions().map(|all| all.bounds()), submesh.indices().map(|all| all.len()));
            }
        }
        let _ = secondlife::extract_available(view, lod).map(|(bytes, _)| bytes.len());
    }
    if let Ok(Some(convex)) = view.convex() {
        let _ = convex.hulls().map(|hulls| {
            hulls.for_each(|hull| {
                black_box(hull.bounds());
            });
        });
    }
    let _ = (view.physics_mesh().is_ok(), view.physics_shape().is_ok(), view.nearest_level(Lod::High).is_ok());
    if let Ok(mut edit) = Edit::of(view) {
        edit.remove(AssetPart::LowestLod);
        let _ = edit.to_bytes().map(|bytes| bytes.len());
    }
}

fn visit_ezmesh<D: AsRef<[u8]> + Send + Sync>(mesh: &ezmesh::Mesh<D>) {
    let view = mesh.view();
    let _ = (view.asset_name().map(|name| name.to_string()), view.asset_info().map(ezmesh::unescape));
    black_box((view.versions().is_ok(), view.declared_bounds().is_ok(), view.plane().is_ok()));
    for skeleton in view.skeletons().take(SOME) {
        black_box((skeleton.name().is_ok(), skeleton.bones().take(MANY).flatten().count()));
    }
    for animation in view.animations().take(SOME) {
        black_box((animation.timing().is_ok(), animation.frame_count().is_ok(), animation.name().is_ok()));
        for track in animation.tracks().take(SOME) {
            let _ = track.keys().map(|keys| keys.iter().count());
        }
    }
    let buffer = |buffer: meshpeek::Result<Option<ezmesh::VertexBuffer<'_>>>| {
        let Ok(Some(buffer)) = buffer else { return };
        black_box((buffer.types().map(|types| types.to_string()), buffer.byte_count()));
        if let Ok(vertices) = buffer.vertices() {
            black_box((vertices.positions().is_some(), vertices.values(0).count(), vertices.lanes().is_some()));
        }
    };
    for element in view.meshes().take(SOME) {
        black_box((element.name().is_ok(), element.skeleton_name().is_ok(), element.bones().is_ok()));
        buffer(element.vertex_buffer());
    }
    for section in view.sections().take(SOME) {
        black_box((section.material_name().is_ok(), section.info().is_ok(), section.flags().is_ok()));
        buffer(section.vertex_buffer().map(Some));
        let _ = section.index_buffer().map(|buffer| buffer.map(|buffer| buffer.indices().map(|all| all.len())));
    }
    for material in view.materials().take(SOME) {
        black_box(material.meta_data().map(ezmesh::unescape_percent).is_ok());
    }
    black_box((view.textures().count(), view.user_data().filter(|one| one.pair().is_ok()).count()));
}

/// Writes the sidecar of a file with its trees. Returns the bytes, or `None` if an error occurs.
pub fn sidecar<D: AsRef<[u8]> + Send + Sync>(model: &Model<D>, key: &meshpeek::sidecar::Key) -> Option<Vec<u8>> {
    let mut builder = Builder::default();
    format_file(model).index(&mut builder).ok()?;
    let mut out = std::io::Cursor::new(Vec::new());
    write_sidecar(&mut builder, model.geometry(), key, &mut out).ok()?;
    Some(out.into_inner())
}

/// Runs the queries that use a sidecar.
pub fn visit_indexed<D: AsRef<[u8]> + Send + Sync>(model: &Model<D>, sidecar: &Arc<Sidecar>, random: &mut Random) {
    let _ = Scene::indexed(model.geometry(), sidecar).map(|scene| query(&scene, random));
}
