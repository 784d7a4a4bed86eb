//! Tests of the JSON output: every sample is read back.

use meshpeek::export::{ExportFormat, ExportOptions, NormalChoice, OutputSpace};
use meshpeek::model::Space;
use serde_json::Value;

use crate::expected::decode;
use crate::{export, for_each_sample, sample};

fn read(contents: &dyn meshpeek::model::Contents, options: &ExportOptions) -> Value {
    let (files, losses) = export(contents, ExportFormat::Json, options).unwrap();
    assert!(losses.is_empty(), "{losses:?}");
    serde_json::from_slice(&files[0]).unwrap()
}

fn vectors<const N: usize>(value: &Value) -> Vec<[u32; N]> {
    let vector = |value: &Value| {
        let all: Vec<u32> =
            value.as_array().unwrap().iter().map(|part| (part.as_f64().unwrap() as f32).to_bits()).collect();
        all.try_into().unwrap()
    };
    value.as_array().map_or(vec![], |all| all.iter().map(vector).collect())
}

fn bits<const N: usize>(values: &[[f32; N]]) -> Vec<[u32; N]> {
    values.iter().map(|value| value.map(f32::to_bits)).collect()
}

fn indices(value: &Value) -> Vec<u32> {
    value.as_array().unwrap().iter().map(|index| index.as_u64().unwrap() as u32).collect()
}

#[test]
fn has_every_value() {
    let (mut shared, mut weights, mut bones) = (0, 0, 0);
    for_each_sample(|name, model| {
        let stored = ExportOptions::default().with_normals(Some(NormalChoice::Stored));
        let (document, expected) = (read(model.contents(), &stored), decode(model.contents(), &Space::GLTF));
        assert_eq!((&document["schema"], &document["space"]), (&1.into(), &"gltf".into()), "{name}");
        let surfaces = document["surfaces"].as_array().unwrap();
        assert_eq!(surfaces.len(), expected.len(), "{name}");
        for (found, expected) in surfaces.iter().zip(&expected) {
            assert_eq!(found["name"], expected.name.as_str(), "{name}");
            assert_eq!(found["material"].as_str(), expected.material.as_deref(), "{name}");
            // A surface without its own vertices names the entry that has them.
            let owner = found["shares"].as_u64().map_or(found, |entry| &surfaces[entry as usize]);
            shared += usize::from(found["shares"].is_u64());
            assert_eq!(vectors(&owner["positions"]), bits(&expected.positions), "{name}");
            let attributes = if found.get("uvs").is_some() { found } else { owner };
            assert_eq!(vectors(&attributes["normals"]), bits(&expected.normals), "{name}");
            assert_eq!(vectors(&attributes["uvs"][0]), bits(&expected.uvs), "{name}");
            assert_eq!(vectors(&attributes["colors"]), bits(&expected.colors), "{name}");
            let corners = || expected.triangles.iter().flatten();
            let positions: Vec<u32> = corners().map(|corner| corner.position).collect();
            assert_eq!(indices(&found["indices"]), positions, "{name}");
            if found["attribute_indices"].is_array() {
                let attributes: Vec<u32> = corners().map(|corner| corner.attribute).collect();
                assert_eq!(indices(&found["attribute_indices"]), attributes, "{name}");
            } else {
                assert!(expected.is_single_stream, "{name}");
            }
            weights += owner["weights"].as_array().map_or(0, Vec::len);
        }
        let assets = document["assets"].as_array().unwrap();
        bones += assets.iter().map(|asset| asset["bones"].as_array().unwrap().len()).sum::<usize>();
    });
    assert!(shared > 0 && weights > 0 && bones > 0, "{shared} {weights} {bones}");
}

#[test]
fn bones_and_keys_are_in_the_space_of_the_output() {
    let model = sample("unigine/skinned_ms12.mesh");
    let stored = read(model.contents(), &ExportOptions::default().with_space(OutputSpace::Stored));
    let gltf = read(model.contents(), &ExportOptions::default());
    let bones = |document: &Value| document["assets"][0]["bones"].as_array().unwrap().clone();
    assert!(!bones(&stored).is_empty());
    for (stored, gltf) in bones(&stored).iter().zip(bones(&gltf)) {
        let [position, scale] = ["position", "scale"].map(|field| {
            let vector =
                |value: &Value| value.as_array().unwrap().iter().map(|part| part.as_f64().unwrap()).collect::<Vec<_>>();
            (vector(&stored[field]), vector(&gltf[field]))
        });
        // In the file, z points up and -y to the front.
        assert_eq!(position.1, [position.0[0], position.0[2], -position.0[1]]);
        assert_eq!(scale.1, [scale.0[0], scale.0[2], scale.0[1]]);
        assert_eq!(stored["parent"], gltf["parent"]);
        assert_eq!(stored["rotation"][3], gltf["rotation"][3]);
    }
}

#[test]
fn frames_and_targets_are_written() {
    let guard = read(sample("unreal/guard_d.3d").contents(), &ExportOptions::default());
    assert_eq!(guard["surfaces"][0]["frames"].as_array().unwrap().len(), 10);
    let clips = guard["assets"][0]["clips"].as_array().unwrap();
    assert!(clips.iter().all(|clip| clip["first_vertex_frame"].is_u64()), "{clips:?}");
    let mut targets = 0;
    for_each_sample(|_, model| {
        for surface in read(model.contents(), &ExportOptions::default())["surfaces"].as_array().unwrap() {
            targets += surface["targets"].as_array().map_or(0, Vec::len);
        }
    });
    assert!(targets > 0);
}
