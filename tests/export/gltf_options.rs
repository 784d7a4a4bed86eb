//! The options of the glTF export: formats, levels, choices, frames, hulls and clips of other
//! files.

use std::collections::BTreeMap;
use std::path::PathBuf;

use meshpeek::export::{Export, ExportFormat, ExportOptions, LevelChoice, OutputSpace, SceneInput, SourceInfo};
use meshpeek::model::Contents;
use meshpeek::model::animation::{Affine, SkinMatrix};
use meshpeek::{Array, ErrorKind, Pose, Skeleton, SkinnedSurface, Surface};
use serde_json::{Value, json};

use crate::gltf::{compare_file, data, glb, meshes, options};
use crate::gltf_compare::{Worst, conversion, diagonal, distance, mesh_nodes, triangles};
use crate::gltf_reader::{Reader, apply, list};
use crate::gltf_structure::{check, elements};
use crate::support::corpus;

/// Exports a mesh as `.gltf` with its `.bin` files.
fn gltf(contents: &dyn Contents, options: &ExportOptions) -> meshpeek::Result<Reader> {
    let export = Export::new(&SceneInput::of_contents(contents), ExportFormat::Gltf, options)?;
    let mut files = BTreeMap::new();
    for file in 0..export.file_count() {
        let mut bytes = Vec::new();
        export.write_file(file, "a mesh", &mut bytes)?;
        files.insert(export.file_name(file, "a mesh").replace(' ', "%20"), bytes);
    }
    let json = files.remove("a%20mesh.gltf").unwrap();
    assert_eq!(list(&serde_json::from_slice(&json).unwrap(), "buffers").len(), files.len());
    Ok(Reader::gltf(&json, &files))
}

/// Asserts that two files have the same accessors with the same bytes.
fn expect_same(one: &Reader, other: &Reader, what: &str) {
    let accessors = list(&one.json, "accessors").len();
    assert_eq!(accessors, list(&other.json, "accessors").len(), "{what}");
    for accessor in 0..accessors {
        assert!(elements(one, accessor) == elements(other, accessor), "{what}: accessor {accessor}");
    }
    let rest = |reader: &Reader| {
        let mut rest = reader.json.as_object().unwrap().clone();
        for name in ["buffers", "bufferViews", "accessors"] {
            rest.remove(name);
        }
        rest
    };
    assert_eq!(rest(one), rest(other), "{what}");
}

#[test]
fn separate_files_contain_the_same_arrays() {
    let mut splits = 0;
    for path in meshes(data()) {
        let (model, what) = (meshpeek::open(&path).unwrap(), path.display().to_string());
        let whole = Reader::glb(&glb(model.contents(), &[], &options()).unwrap());
        assert!(whole.buffers.len() <= 1, "{what}");
        let separate = gltf(model.contents(), &options()).unwrap();
        assert_eq!(separate.buffers.len(), whole.buffers.len(), "{what}");
        check(&separate, &what);
        expect_same(&separate, &whole, &what);
        let split = gltf(model.contents(), &options().with_split(700)).unwrap();
        check(&split, &what);
        expect_same(&split, &whole, &what);
        for (buffer, bytes) in split.buffers.iter().enumerate() {
            let views = list(&split.json, "bufferViews").iter();
            let own = views.filter(|view| view["buffer"].as_u64() == Some(buffer as u64)).count();
            assert!(bytes.len() <= 700 || own == 1, "{what}: {} bytes", bytes.len());
        }
        splits += usize::from(split.buffers.len() > 2);
    }
    assert!(splits > 10, "{splits}");
}

#[test]
fn states_the_source() {
    let model = meshpeek::open(data().join("unreal/guard_d.3d")).unwrap();
    let facts = SourceInfo::default().with_name("a \"name\"");
    facts.set_hash("xxh3-128:00".to_owned());
    let options = options().with_source(facts);
    let reader = Reader::glb(&glb(model.contents(), &[], &options).unwrap());
    let source = &reader.json["asset"]["extras"]["source"];
    assert_eq!(
        *source,
        json!({"format": "unreal", "version": model.contents().version(), "name": "a \"name\"", "hash": "xxh3-128:00"})
    );
    let metadata = list(&reader.json["asset"]["extras"], "metadata");
    assert!(metadata.contains(&json!({"key": "STRENGTH", "value": "0.5"})), "{metadata:?}");
    let walk = &list(&reader.json, "animations")[1];
    assert_eq!((&walk["name"], walk["extras"]["rate"].as_f64()), (&json!("Walk"), Some(15.0)));
    assert_eq!(list(&walk["extras"], "notifies")[1], json!({"time": 0.75, "function": "PlayFootStep"}));
}

/// Compares all samples with each of some options. An option that does not suit a sample may be an
/// error about an index.
#[test]
fn all_options_come_back() {
    let mut worst = Worst::default();
    let variants = [
        options().with_levels(LevelChoice::Scenes),
        options().with_levels(LevelChoice::Nodes),
        options().with_levels(LevelChoice::One(1)),
        options().with_asset(Some(1)),
        options().with_asset(Some(0)).with_clip(Some(0)),
        options().with_clip(Some(1)).with_rate(12.5),
        options().with_surfaces(Some(vec![0])),
        options().with_surfaces(Some(vec![2, 1])),
        options().with_space(OutputSpace::Stored),
    ];
    let mut counts = vec![0; variants.len()];
    for path in meshes(data()) {
        let model = meshpeek::open(&path).unwrap();
        for (options, count) in variants.iter().zip(&mut counts) {
            let what = format!("{}: {options:?}", path.display());
            match compare_file(model.contents(), &[], options, &what, &mut worst) {
                Ok(_) => *count += 1,
                Err(error) => {
                    // The sample of a cache does not contain the bytes of all its levels.
                    let is_cache = path.ends_with("cache.asset") && error.kind() == ErrorKind::Missing;
                    assert!(is_cache || error.kind() == ErrorKind::NoSuch, "{what}: {error}");
                }
            }
        }
    }
    worst.report();
    assert!(counts.iter().all(|count| *count > 0), "{counts:?}");
    assert_eq!((counts[0], counts[1], counts[8]), (33, 33, 33));
}

#[test]
fn levels_become_scenes() {
    for (file, names) in [("arm.llmesh", 4), ("rock.llmesh", 4), ("model.slm", 4)] {
        let model = meshpeek::open(data().join("secondlife").join(file)).unwrap();
        let options = options().with_levels(LevelChoice::Scenes);
        let reader = Reader::glb(&glb(model.contents(), &[], &options).unwrap());
        assert_eq!((reader.document.scenes().count(), &reader.json["scene"]), (names, &json!(0)));
        for node in mesh_nodes(&reader, model.contents(), &options) {
            let scene = reader.document.scenes().nth(node.level).unwrap();
            assert!(scene.nodes().any(|root| root.index() == node.node), "{file}: level {}", node.level);
            let asset = model.contents().asset(node.asset).unwrap();
            let name = asset.level_name(node.level).unwrap().map(|name| name.to_string_lossy());
            assert_eq!(scene.name(), name.as_deref(), "{file}");
        }
    }
}

#[test]
fn levels_become_nodes() {
    for file in ["arm.llmesh", "rock.llmesh", "model.slm"] {
        let model = meshpeek::open(data().join("secondlife").join(file)).unwrap();
        let options = options().with_levels(LevelChoice::Nodes);
        let reader = Reader::glb(&glb(model.contents(), &[], &options).unwrap());
        assert_eq!(
            (reader.document.scenes().count(), list(&reader.json, "extensionsUsed")),
            (1, &[json!("MSFT_lod")][..])
        );
        let nodes = mesh_nodes(&reader, model.contents(), &options);
        let roots: Vec<usize> = reader.document.scenes().next().unwrap().nodes().map(|node| node.index()).collect();
        for best in nodes.iter().filter(|node| node.level == 0) {
            let lower = nodes
                .iter()
                .filter(|node| (node.instance, node.is_skinned) == (best.instance, best.is_skinned) && node.level > 0);
            let expected: Vec<Value> = lower.map(|node| json!(node.node)).collect();
            let stored = &list(&reader.json, "nodes")[best.node]["extensions"]["MSFT_lod"];
            assert_eq!((list(stored, "ids"), expected.len()), (expected.as_slice(), 3), "{file}");
            assert!(roots.contains(&best.node));
        }
        assert!(nodes.iter().all(|node| node.level == 0 || !roots.contains(&node.node)), "{file}");
    }
}

#[test]
fn frames_become_base_shapes() {
    let mut worst = Worst::default();
    let samples = [
        ("unigine/skinned_ms12.mesh", 0, [0.0, 2.0, 0.75]),
        ("ezmesh/flag.ezm", 0, [0.0, 3.0, 1.25]),
        ("unreal/guard_d.3d", 1, [0.0, 5.0, 2.5]),
        ("unreal/box_d.3d", 0, [0.0, 7.0, 3.5]),
    ];
    for (file, clip, frames) in samples {
        let model = meshpeek::open(data().join(file)).unwrap();
        for frame in frames {
            let options = options().with_clip(Some(clip)).with_frame(Some(frame));
            let what = format!("{file}: frame {frame}");
            let reader = Reader::glb(&glb(model.contents(), &[], &options).unwrap());
            check(&reader, &what);
            assert!(list(&reader.json, "animations").is_empty() && list(&reader.json, "skins").is_empty(), "{what}");
            expect_frame(&reader, model.contents(), &options, &what, &mut worst);
        }
        let beyond = options().with_clip(Some(clip)).with_frame(Some(1000.0));
        assert_eq!(glb(model.contents(), &[], &beyond).unwrap_err().kind(), ErrorKind::NoSuch);
    }
    worst.report();
}

/// Compares the positions of a file with those of a frame of a clip.
fn expect_frame(reader: &Reader, contents: &dyn Contents, options: &ExportOptions, what: &str, worst: &mut Worst) {
    for mesh_node in mesh_nodes(reader, contents, options) {
        let asset = contents.asset(mesh_node.asset).unwrap();
        let (geometry, own) = (asset.level(0).unwrap(), asset.animations());
        let converted = conversion(&*geometry, Affine::IDENTITY, options);
        let clip = own.clip(options.clip.unwrap()).unwrap();
        let moment = clip.at_frame(options.frame.unwrap(), false).unwrap();
        let mut palette = vec![SkinMatrix::IDENTITY; own.bone_count().unwrap()];
        if !palette.is_empty() {
            let (skeleton, mut pose) = (Skeleton::new(own).unwrap(), Pose::rest(own).unwrap());
            pose.set_moment(own, options.clip.unwrap(), &moment).unwrap();
            let mut model = vec![Affine::IDENTITY; palette.len()];
            skeleton.model(pose.bones(), &mut model).unwrap();
            skeleton.palette(&model, &mut palette).unwrap();
        }
        let node = reader.document.nodes().nth(mesh_node.node).unwrap();
        let mut parts = reader.parts(&node.mesh().unwrap()).into_iter();
        for number in &mesh_node.surfaces {
            let (surface, part) = (Surface::new(&*geometry, *number).unwrap(), parts.next().unwrap());
            let all = triangles(&surface, &converted);
            assert_eq!((all.len() * 3, part.targets.len()), (part.indices.len(), 0), "{what}");
            let size = diagonal(&converted.bounds(&geometry.bounds().unwrap()));
            for (corner, index) in all.as_flattened().iter().zip(&part.indices) {
                let stored = if palette.is_empty() {
                    let [from, to] = [moment.from, moment.to].map(|frame| {
                        surface.vertex_frame(frame as usize).unwrap().get(corner.position as usize).unwrap()
                    });
                    std::array::from_fn(|axis| from[axis] + (to[axis] - from[axis]) * moment.fraction)
                } else {
                    let skinned = SkinnedSurface::new(&surface, &palette).unwrap();
                    skinned.position(corner.position).unwrap().unwrap()
                };
                let expected = converted.position(stored).map(f64::from);
                let off = distance(part.positions[*index as usize].map(f64::from), expected);
                worst.expect("position in a frame", off / size, 1e-6, &|| format!("{what}: {corner:?}"));
            }
            let lengths = part.normals.iter().flatten().map(|normal| distance(normal.map(f64::from), [0.0; 3]));
            lengths
                .for_each(|length| worst.expect("normal in a frame", (length - 1.0).abs(), 5e-6, &|| what.to_owned()));
        }
    }
}

#[test]
fn hulls_become_nodes() {
    for (file, count) in [("rock.llmesh", 4), ("ramp.llmesh", 2), ("quad.llmesh", 1)] {
        let model = meshpeek::open(data().join("secondlife").join(file)).unwrap();
        let contents = model.contents();
        let options = options().with_hulls(true);
        let reader = Reader::glb(&glb(contents, &[], &options).unwrap());
        check(&reader, file);
        let nodes = reader.document.nodes().filter(|node| node.mesh().is_some());
        let hulls: Vec<_> = nodes.skip(mesh_nodes(&reader, contents, &options).len()).collect();
        assert_eq!(hulls.len(), count, "{file}");
        let (asset, worlds) = (contents.asset(0).unwrap(), reader.worlds(&reader.rest()));
        let converted = conversion(&*asset.level(0).unwrap(), Affine::IDENTITY, &options);
        let roots: Vec<usize> = reader.document.scenes().next().unwrap().nodes().map(|node| node.index()).collect();
        let mut left = hulls.into_iter();
        for number in 0..asset.hull_count().unwrap() {
            let hull = asset.hull(number).unwrap();
            let node = left.next().unwrap();
            assert!(roots.contains(&node.index()) && !node.name().unwrap().is_empty());
            let (part, points) = (&reader.parts(&node.mesh().unwrap())[0], hull.points.unwrap());
            assert_eq!(part.positions.len(), points.len());
            for (point, found) in points.iter().zip(&part.positions) {
                assert_eq!(*found, converted.position(point));
                let expected = converted.position(hull.transform.apply(point)).map(f64::from);
                assert!(distance(apply(&worlds[node.index()], *found), expected) < 1e-6, "{file}");
            }
            let is_points = node.mesh().unwrap().primitives().next().unwrap().mode() == gltf::mesh::Mode::Points;
            assert_eq!((is_points, part.indices.is_empty()), (hull.triangles.is_none(), hull.triangles.is_none()));
        }
        if let Some(mesh) = asset.collision_mesh().unwrap() {
            let part = &reader.parts(&left.next().unwrap().mesh().unwrap())[0];
            let surface = Surface::new(&*mesh, 0).unwrap();
            let all = triangles(&surface, &converted);
            let positions = surface.positions().unwrap();
            assert_eq!(part.indices.len(), all.len() * 3);
            for (corner, index) in all.as_flattened().iter().zip(&part.indices) {
                let expected = converted.position(positions.get(corner.position as usize).unwrap());
                assert_eq!(part.positions[*index as usize], expected);
            }
        }
        assert!(left.next().is_none());
    }
}

#[test]
fn clips_of_other_files_come_back() {
    let folder = data().join("unigine");
    let mut worst = Worst::default();
    for mesh in ["skinned_ms12.mesh", "skinned_ms10.mesh", "skinned_ms14.mesh"] {
        let model = meshpeek::open(folder.join(mesh)).unwrap();
        for clip in ["wave_an10.anim", "wave_an13.anim", "bend_an10.anim", "still_an11.anim"] {
            let source = meshpeek::open(folder.join(clip)).unwrap();
            let sources = [("other", source.animations())];
            let what = format!("{mesh} with {clip}");
            let reader = compare_file(model.contents(), &sources, &options(), &what, &mut worst).unwrap();
            let count = list(&reader.json, "animations").len();
            let own = model.animations().clip_count().unwrap();
            assert_eq!(count, own + usize::from(!clip.starts_with("still")), "{what}");
        }
    }
    worst.report();
}

#[test]
fn clips_of_real_files_come_back() {
    let Some(folder) = corpus("unigine") else { return };
    let (mut worst, mut played) = (Worst::default(), 0);
    let is_clip = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "anim");
    let clips: Vec<_> =
        std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).filter(is_clip).collect();
    for path in meshes(folder) {
        let Ok(model) = meshpeek::open(&path) else { continue };
        let own = model.animations();
        for clip in &clips {
            let Ok(source) = meshpeek::open(clip) else { continue };
            let animations = source.animations();
            let is_known =
                |bone: usize| own.find_bone(animations.bone(bone).unwrap().name.as_bytes()).unwrap().is_some();
            if (0..animations.bone_count().unwrap()).any(is_known) {
                let what = format!("{} with {}", path.display(), clip.display());
                let sources = [("other", animations)];
                compare_file(model.contents(), &sources, &options(), &what, &mut worst).unwrap();
                played += 1;
            }
        }
    }
    eprintln!("{played} pairs of meshes and animation files");
    worst.report();
}
