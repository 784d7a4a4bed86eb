//! Checks the structure of glTF files by the rules of the specification, on the JSON alone.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::gltf_reader::{Reader, list};

fn index(value: &Value, name: &str) -> Option<usize> {
    value.get(name).map(|number| number.as_u64().unwrap() as usize)
}

fn indices(value: &Value, name: &str) -> Vec<usize> {
    list(value, name).iter().map(|number| number.as_u64().unwrap() as usize).collect()
}

/// Returns the number of components of an accessor, and the size of one in bytes.
fn shape(accessor: &Value) -> (usize, usize) {
    let width = match accessor["type"].as_str().unwrap() {
        "SCALAR" => 1,
        "VEC2" => 2,
        "VEC3" => 3,
        "VEC4" => 4,
        "MAT4" => 16,
        other => panic!("{other}"),
    };
    let size = match accessor["componentType"].as_u64().unwrap() {
        5120 | 5121 => 1,
        5122 | 5123 => 2,
        5125 | 5126 => 4,
        other => panic!("{other}"),
    };
    (width, size)
}

/// Returns the bytes of the elements of an accessor, or `None` if the accessor has no view.
pub fn elements(reader: &Reader, accessor: usize) -> Option<Vec<&[u8]>> {
    let accessor = &list(&reader.json, "accessors")[accessor];
    let view = &list(&reader.json, "bufferViews")[index(accessor, "bufferView")?];
    let start = index(view, "byteOffset").unwrap_or(0) + index(accessor, "byteOffset").unwrap_or(0);
    let buffer = &reader.buffers[index(view, "buffer").unwrap()][start..];
    let (width, size) = shape(accessor);
    let stride = index(view, "byteStride").unwrap_or(width * size);
    let count = index(accessor, "count").unwrap();
    Some((0..count).map(|item| &buffer[item * stride..item * stride + width * size]).collect())
}

/// Returns the floats of an accessor.
fn floats(reader: &Reader, accessor: usize) -> Vec<Vec<f32>> {
    let width = shape(&list(&reader.json, "accessors")[accessor]).0;
    let Some(all) = elements(reader, accessor) else {
        return vec![vec![0.0; width]; index(&list(&reader.json, "accessors")[accessor], "count").unwrap()];
    };
    let parse = |item: &[u8]| item.as_chunks::<4>().0.iter().map(|part| f32::from_le_bytes(*part)).collect();
    all.into_iter().map(parse).collect()
}

/// Checks all rules.
pub fn check(reader: &Reader, what: &str) {
    let json = &reader.json;
    assert_eq!(json["asset"]["version"], "2.0", "{what}");
    let generator = json["asset"]["generator"].as_str().unwrap();
    assert_eq!(generator, concat!("meshpeek ", env!("CARGO_PKG_VERSION")), "{what}");
    assert!(json["asset"]["extras"]["source"]["format"].is_string(), "{what}");
    for (name, value) in json.as_object().unwrap() {
        assert!(value.as_array().is_none_or(|list| !list.is_empty()), "{what}: {name} is empty");
    }
    check_buffers(reader, what);
    check_accessors(reader, what);
    check_nodes(json, what);
    check_meshes(reader, what);
    check_animations(reader, what);
}

fn check_buffers(reader: &Reader, what: &str) {
    let buffers = list(&reader.json, "buffers");
    assert_eq!(buffers.len(), reader.buffers.len(), "{what}");
    let mut used = vec![0; buffers.len()];
    for view in list(&reader.json, "bufferViews") {
        let buffer = index(view, "buffer").unwrap();
        let [start, length] = [index(view, "byteOffset").unwrap_or(0), index(view, "byteLength").unwrap()];
        assert!(length > 0 && start.is_multiple_of(4), "{what}: {view}");
        assert!(start >= used[buffer] && start < used[buffer] + 4, "{what}: views follow one another: {view}");
        used[buffer] = start + length;
        let stride = index(view, "byteStride");
        assert_eq!(stride.is_some(), index(view, "target") == Some(34962), "{what}: {view}");
        assert!(stride.is_none_or(|stride| (4..=252).contains(&stride) && stride.is_multiple_of(4)), "{what}: {view}");
    }
    for ((buffer, bytes), used) in buffers.iter().zip(&reader.buffers).zip(used) {
        let length = index(buffer, "byteLength").unwrap();
        assert!(length == used && bytes.len() >= length && bytes.len() < length + 4, "{what}: {length}, {used}");
    }
}

fn check_accessors(reader: &Reader, what: &str) {
    let views = list(&reader.json, "bufferViews");
    let mut is_used = vec![false; views.len()];
    for (number, accessor) in list(&reader.json, "accessors").iter().enumerate() {
        let (width, size) = shape(accessor);
        let count = index(accessor, "count").unwrap();
        assert!(count > 0, "{what}: {accessor}");
        if let Some(view) = index(accessor, "bufferView") {
            is_used[view] = true;
            let view = &views[view];
            let offset = index(accessor, "byteOffset").unwrap_or(0);
            let stride = index(view, "byteStride").unwrap_or(width * size);
            let end = offset + stride * (count - 1) + width * size;
            assert!(end <= index(view, "byteLength").unwrap(), "{what}: accessor {number} exceeds its view");
            assert!(offset.is_multiple_of(size) && (stride.is_multiple_of(size)), "{what}: accessor {number}");
        }
        if accessor["componentType"] == 5126 {
            let all = floats(reader, number);
            assert!(all.iter().flatten().all(|part| part.is_finite()), "{what}: accessor {number} is not finite");
            for (name, pick) in [("min", f32::min as fn(f32, f32) -> f32), ("max", f32::max)] {
                let Some(bound) = accessor.get(name) else { continue };
                let found: Vec<f32> =
                    bound.as_array().unwrap().iter().map(|part| part.as_f64().unwrap() as f32).collect();
                let real = all
                    .iter()
                    .cloned()
                    .reduce(|one, other| one.into_iter().zip(other).map(|(one, other)| pick(one, other)).collect());
                assert_eq!(Some(found), real, "{what}: {name} of accessor {number}");
            }
        }
    }
    assert!(is_used.iter().all(|used| *used), "{what}: a view is not used");
}

/// The nodes are trees, and each root of a scene is the root of a tree.
fn check_nodes(json: &Value, what: &str) {
    let nodes = list(json, "nodes");
    let mut parents = vec![None; nodes.len()];
    for (number, node) in nodes.iter().enumerate() {
        for child in indices(node, "children") {
            assert_eq!(parents[child].replace(number), None, "{what}: node {child} has two parents");
        }
        if let Some(rotation) = node.get("rotation") {
            let square: f64 = rotation.as_array().unwrap().iter().map(|part| part.as_f64().unwrap().powi(2)).sum();
            assert!((square - 1.0).abs() < 1e-5, "{what}: rotation of node {number}");
        }
    }
    let root_of = |node: usize| {
        let (mut at, mut steps) = (node, 0);
        while let Some(parent) = parents[at] {
            (at, steps) = (parent, steps + 1);
            assert!(steps <= nodes.len(), "{what}: node {node} is its own ancestor");
        }
        at
    };
    for scene in list(json, "scenes") {
        let roots = indices(scene, "nodes");
        assert_eq!(roots.len(), roots.iter().collect::<BTreeSet<_>>().len(), "{what}: a root occurs twice");
        assert!(roots.iter().all(|root| parents[*root].is_none()), "{what}: a root has a parent");
    }
    for (number, node) in nodes.iter().enumerate() {
        let Some(skin) = index(node, "skin") else { continue };
        assert!(node.get("mesh").is_some(), "{what}: node {number} has a skin but no mesh");
        let skin = &list(json, "skins")[skin];
        let joints = indices(skin, "joints");
        assert_eq!(joints.len(), joints.iter().collect::<BTreeSet<_>>().len(), "{what}: a joint occurs twice");
        let top = index(skin, "skeleton").unwrap();
        let is_below = |joint: &usize| {
            let mut at = Some(*joint);
            while at.is_some_and(|at| at != top) {
                at = parents[at.unwrap()];
            }
            at.is_some()
        };
        assert!(joints.iter().all(is_below), "{what}: a joint is not below the skeleton's root");
        for scene in list(json, "scenes") {
            let roots = indices(scene, "nodes");
            if roots.contains(&root_of(number)) {
                assert!(joints.iter().all(|joint| roots.contains(&root_of(*joint))), "{what}: joints of another scene");
            }
        }
    }
}

fn check_meshes(reader: &Reader, what: &str) {
    let accessors = list(&reader.json, "accessors");
    for (number, mesh) in list(&reader.json, "meshes").iter().enumerate() {
        let mut targets = BTreeSet::new();
        for primitive in list(mesh, "primitives") {
            let attributes = primitive["attributes"].as_object().unwrap();
            let count = &accessors[index(&primitive["attributes"], "POSITION").unwrap()]["count"];
            let vertices = count.as_u64().unwrap();
            assert!(accessors[index(&primitive["attributes"], "POSITION").unwrap()].get("min").is_some(), "{what}");
            for (name, accessor) in attributes {
                assert_eq!(&accessors[accessor.as_u64().unwrap() as usize]["count"], count, "{what}: {name}");
            }
            for target in list(primitive, "targets") {
                for (name, accessor) in target.as_object().unwrap() {
                    assert!(attributes.contains_key(name), "{what}: target of {name}");
                    assert_eq!(&accessors[accessor.as_u64().unwrap() as usize]["count"], count, "{what}: {name}");
                }
            }
            targets.insert(list(primitive, "targets").len());
            if let Some(indices) = index(primitive, "indices") {
                let bytes = elements(reader, indices).unwrap();
                assert!(bytes.len().is_multiple_of(3), "{what}");
                let code = |item: &&[u8]| item.iter().rev().fold(0, |all, byte| all << 8 | u64::from(*byte));
                let greatest = bytes.iter().map(code).max().unwrap();
                let restart = if bytes[0].len() == 2 { 0xFFFF } else { 0xFFFF_FFFF };
                assert!(greatest < vertices && greatest != restart, "{what}: index {greatest} of {vertices}");
            }
        }
        assert_eq!(targets.len(), 1, "{what}: primitives of mesh {number} have different numbers of targets");
        let count = targets.into_iter().sum::<usize>();
        assert_eq!(list(mesh, "weights").len(), count, "{what}");
        assert_eq!(list(&mesh["extras"], "targetNames").len(), count, "{what}");
    }
}

fn check_animations(reader: &Reader, what: &str) {
    let accessors = list(&reader.json, "accessors");
    for animation in list(&reader.json, "animations") {
        let mut channels = BTreeSet::new();
        let samplers = list(animation, "samplers");
        for channel in list(animation, "channels") {
            let target = &channel["target"];
            let (node, path) = (index(target, "node").unwrap(), target["path"].as_str().unwrap());
            assert!(channels.insert((node, path)), "{what}: two channels of {path} of node {node}");
            let sampler = &samplers[index(channel, "sampler").unwrap()];
            let [input, output] = ["input", "output"].map(|name| index(sampler, name).unwrap());
            assert!(accessors[input].get("min").is_some() && accessors[input].get("max").is_some(), "{what}");
            let times = floats(reader, input);
            assert!(times[0][0] >= 0.0, "{what}: {times:?}");
            assert!(times.windows(2).all(|pair| pair[0][0] < pair[1][0]), "{what}: times do not grow: {times:?}");
            let count = index(&accessors[output], "count").unwrap();
            assert!(count.is_multiple_of(times.len()), "{what}: {count} values of {} keys", times.len());
            if path == "rotation" {
                let square = |value: Vec<f32>| value.iter().map(|part| part * part).sum::<f32>();
                assert!(floats(reader, output).into_iter().all(|value| (square(value) - 1.0).abs() < 1e-5), "{what}");
            }
        }
        let used: BTreeSet<_> = list(animation, "channels").iter().map(|channel| index(channel, "sampler")).collect();
        assert_eq!(used.len(), samplers.len(), "{what}: a sampler is not used");
    }
}
