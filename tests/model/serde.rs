//! Values through JSON and back, with the feature `serde`.

use std::fmt::Debug;

use meshpeek::model::animation::{Affine, SkinMatrix};
use meshpeek::model::{Axis, Counts, Space, Transform};
use meshpeek::{Bounds, Corner, ErrorKind, Format, FrameBlend, Limits, OpenOptions, Severity};
use serde_json::{Value, json};

use crate::support::changed;

/// Asserts that a value is written as `expected`, and read from it.
fn expect<T: serde::Serialize + serde::de::DeserializeOwned + PartialEq + Debug>(value: &T, expected: Value) {
    assert_eq!(serde_json::to_value(value).unwrap(), expected);
    assert_eq!(serde_json::from_value::<T>(expected).unwrap(), *value);
}

#[test]
fn writes_and_reads_plain_values() {
    expect(&Bounds { min: [-1.0; 3], max: [0.5; 3] }, json!({ "min": [-1.0, -1.0, -1.0], "max": [0.5, 0.5, 0.5] }));
    expect(&Corner { position: 7, attribute: u32::MAX }, json!({ "position": 7, "attribute": 4_294_967_295_u32 }));
    expect(&FrameBlend { from: 1, to: 2, fraction: 0.25 }, json!({ "from": 1, "to": 2, "fraction": 0.25 }));
    let transform = Transform { position: [1.0, 2.0, 3.0], ..Transform::default() };
    let written = json!({ "position": [1.0, 2.0, 3.0], "rotation": [0.0, 0.0, 0.0, 1.0], "scale": [1.0, 1.0, 1.0] });
    expect(&transform, written);
    for value in [Affine::IDENTITY, Affine::from(&transform)] {
        let written = serde_json::to_string(&value).unwrap();
        assert_eq!(serde_json::from_str::<Affine>(&written).unwrap(), value);
    }
    let written = serde_json::to_string(&SkinMatrix::IDENTITY).unwrap();
    assert_eq!(serde_json::from_str::<SkinMatrix>(&written).unwrap(), SkinMatrix::IDENTITY);
}

#[test]
fn names_are_those_that_the_program_prints() {
    for format in [Format::Unigine, Format::Unreal, Format::SecondLife, Format::EzMesh] {
        expect(&format, json!(format.to_string()));
    }
    for severity in [Severity::Info, Severity::Warning, Severity::Error] {
        expect(&severity, json!(severity.to_string()));
    }
    for kind in [ErrorKind::Io, ErrorKind::NotRegular, ErrorKind::NoSuch, ErrorKind::OutOfMemory] {
        expect(&kind, json!(kind.id()));
    }
    expect(&Axis::NegativeY, json!("negative-y"));
}

#[test]
fn a_missing_field_has_its_default() {
    let counts: Counts = serde_json::from_value(json!({ "vertices": 3 })).unwrap();
    assert_eq!(counts, changed!(Counts::default(), vertices: 3));
    let space: Space = serde_json::from_value(json!({ "up": "z" })).unwrap();
    assert_eq!(space, changed!(Space::UNKNOWN, up: Some(Axis::Z)));
    let options: OpenOptions = serde_json::from_value(json!({ "strict": true, "limits": { "items": 9 } })).unwrap();
    let limits = Limits::default().with_items(9);
    assert_eq!(options, OpenOptions::default().with_strict(true).with_limits(limits));
    let written = serde_json::to_value(options).unwrap();
    assert_eq!(serde_json::from_value::<OpenOptions>(written).unwrap(), options);
}
