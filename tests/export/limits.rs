//! Numbers that no output can hold, and outputs that are larger than is allowed.

use crate::support::unigine::builder;
use meshpeek::export::{Export, ExportFormat, ExportOptions, LossKind, SceneInput};
use meshpeek::model::Space;
use meshpeek::unigine::Generation;
use meshpeek::{ErrorKind, Model};
use serde_json::Value;

use crate::gltf::options;
use crate::gltf_reader::Reader;
use crate::gltf_structure::check;
use crate::support::secondlife::raw_assets::{
    array, asset, binary, codes, integer, level, map, reals, spelled, square, stored_asset, string, zlib,
};
use crate::support::unigine::skinned;

/// Exports a model. Returns the output and its losses.
fn export(model: &Model<Vec<u8>>, format: ExportFormat, options: &ExportOptions) -> (Vec<u8>, Vec<(LossKind, String)>) {
    let input = SceneInput::new(model);
    let export = Export::new(&input, format, options).unwrap();
    let losses = export.losses().iter().map(|loss| (loss.kind, loss.to_string())).collect();
    let mut bytes = Vec::new();
    export.write_file(0, "mesh", &mut bytes).unwrap();
    (bytes, losses)
}

fn has(losses: &[(LossKind, String)], kind: LossKind, text: &str) -> bool {
    losses.iter().any(|(other, found)| *other == kind && found.contains(text))
}

/// Exports a model as GLB. Expects that its numbers are finite, and that one loss is listed.
fn expect_listed(model: &Model<Vec<u8>>, kind: LossKind, text: &str) {
    let (bytes, losses) = export(model, ExportFormat::Glb, &options());
    assert!(has(&losses, kind, text), "{text}: {losses:?}");
    let reader = Reader::glb(&bytes);
    check(&reader, text);
    assert!(!has_null(&reader.json), "{text}: {}", reader.json);
}

fn has_null(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.iter().any(has_null),
        Value::Object(fields) => fields.values().any(has_null),
        _ => false,
    }
}

fn open(bytes: Vec<u8>) -> Model<Vec<u8>> {
    Model::open(bytes).unwrap()
}

/// A container whose instances have these transforms.
fn placed(transforms: &[[f64; 16]], material: &[(&str, Vec<u8>)]) -> Model<Vec<u8>> {
    placed_squares(1, transforms, material)
}

fn placed_squares(squares: usize, transforms: &[[f64; 16]], material: &[(&str, Vec<u8>)]) -> Model<Vec<u8>> {
    let numbers =
        |numbers: &[f64]| spelled(|to| numbers.iter().fold(to.open_array(16), |to, one| to.real(*one)).close_array());
    let instance = |transform: &[f64; 16]| {
        map(&[("material", array(&[map(material)])), ("mesh_id", integer(0)), ("transform", numbers(transform))])
    };
    let instances: Vec<_> = transforms.iter().map(instance).collect();
    let list = ("material_list", array(&[string(b"m")]));
    let high = zlib(&level(&vec![square(); squares]));
    let stored = stored_asset(&[list], &[("high_lod", high)]);
    open(map(&[("instance", array(&instances)), ("mesh", array(&[string(&stored)]))]))
}

fn scaled(factor: f64) -> [f64; 16] {
    std::array::from_fn(|at| {
        if at == 15 {
            1.0
        } else if at % 5 == 0 {
            factor
        } else {
            0.0
        }
    })
}

#[test]
fn transforms_that_are_not_finite_are_losses() {
    let mut shifted = scaled(1.0);
    shifted[12] = 1e39;
    for transform in [scaled(1e300), scaled(f64::NAN), scaled(f64::INFINITY), shifted] {
        let model = placed(&[scaled(1.0), transform], &[]);
        expect_listed(&model, LossKind::Placements, "the transform of an instance, which is not finite");
        for format in [ExportFormat::Obj, ExportFormat::Ply, ExportFormat::Stl, ExportFormat::Ezm, ExportFormat::Json] {
            let (bytes, losses) = export(&model, format, &options());
            assert!(
                has(&losses, LossKind::Placements, "the transforms of 1 instance, which are not finite"),
                "{format}"
            );
            let text = String::from_utf8_lossy(&bytes).to_lowercase();
            assert!(format == ExportFormat::Json || !text.contains("nan") && !text.contains("inf "), "{format}");
        }
    }
}

#[test]
fn other_numbers_that_are_not_finite_are_losses() {
    let diffuse = map(&[("color", reals(&[f32::NAN, 2.0, 0.5, 1.0])), ("label", string(b"red"))]);
    let material = [("binding", string(b"m")), ("diffuse", diffuse)];
    expect_listed(&placed(&[scaled(1.0)], &material), LossKind::Values, "the colour of the material `red`");
    let date = ("date", spelled(|to| to.date(f64::NAN)));
    let dated = stored_asset(&[date], &[("high_lod", zlib(&level(&[square()])))]);
    expect_listed(&open(dated), LossKind::Metadata, "`date`, which is not finite");
    let bone = |change: fn(&mut builder::Mesh)| {
        let mut mesh = skinned(Generation::Ms12);
        change(&mut mesh);
        open(mesh.to_bytes().unwrap())
    };
    let far = bone(|mesh| (mesh.bones[1].bind.position, mesh.bones[1].bind.scale) = ([1e38; 3], [1e-3; 3]));
    expect_listed(&far, LossKind::Skin, "which are not finite");
    let infinite = bone(|mesh| mesh.bones[1].bind.position[0] = f32::INFINITY);
    expect_listed(&infinite, LossKind::Values, "the rest transforms of 1 bone");
}

#[test]
fn an_output_has_at_most_the_allowed_size() {
    let model = open(asset(&[("high_lod", level(&[square(), square()]))]));
    for format in ExportFormat::ALL {
        let (bytes, _) = export(&model, format, &options());
        let size = bytes.len() as u64;
        if ![ExportFormat::Glb, ExportFormat::Gltf].contains(&format) {
            assert_eq!(export(&model, format, &options().with_max_bytes(size)).0, bytes, "{format}");
        }
        let options = options().with_max_bytes(size - 1);
        let input = SceneInput::new(&model);
        let mut out = Vec::new();
        let written = Export::new(&input, format, &options).and_then(|export| export.write_file(0, "mesh", &mut out));
        let error = written.unwrap_err();
        assert_eq!((error.kind(), error.field().to_string().as_str()), (ErrorKind::Limit, "output"), "{format}");
        assert!(out.len() as u64 <= size);
    }
}

#[test]
fn a_list_of_draws_has_at_most_the_documented_length() {
    let placed = |count| placed_squares(8, &vec![scaled(1.0); count], &[]);
    let most = placed(1 << 14);
    let list = most.draw_list(&Space::GLTF).unwrap();
    assert_eq!(list.draws().len(), 1 << 17);
    let error = placed((1 << 14) + 1).draw_list(&Space::GLTF).unwrap_err();
    assert_eq!((error.kind(), error.field().to_string().as_str()), (ErrorKind::Limit, "draws"));
}

/// What a small file repeats is refused before it is built: hulls, and an asset at many places.
#[test]
fn a_repeated_output_is_refused_before_it_is_written() {
    let options = options().with_hulls(true).with_max_bytes(20_000);
    let refused = |model: &Model<Vec<u8>>, format| {
        let error = Export::new(&SceneInput::new(model), format, &options).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Limit, "{format}");
    };
    let convex = map(&[("HullList", binary(&[1; 200])), ("Positions", codes(&[0; 600]))]);
    refused(&open(asset(&[("physics_convex", convex), ("high_lod", level(&[square()]))])), ExportFormat::Glb);
    let many = placed(&vec![scaled(1.0); 600], &[]);
    for format in [ExportFormat::Glb, ExportFormat::Obj, ExportFormat::Stl, ExportFormat::Json, ExportFormat::Ezb] {
        refused(&many, format);
    }
}
