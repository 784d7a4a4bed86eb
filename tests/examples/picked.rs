//! Tests of the example `pick`.

use std::path::Path;

use crate::files;
use crate::pick::{pick, pixel_ray, run};

#[test]
fn prints_the_hit_of_every_file() {
    let mut hits = 0;
    for path in files() {
        let (mut out, _model) = (Vec::new(), meshpeek::open(&path).unwrap());
        run(&path, &mut out).unwrap_or_else(|error| panic!("{path:?}: {error}"));
        let out = String::from_utf8(out).unwrap();
        let expected = pick(&path, [400.0, 300.0]).unwrap();
        match expected {
            Some((hit, _)) => {
                let start = format!("surface {}, triangle {} at ", hit.surface, hit.triangle);
                assert!(out.starts_with(&start), "{out}");
            }
            None => assert_eq!(out, "nothing\n"),
        }
        hits += usize::from(expected.is_some());
    }
    assert!(hits >= 20, "{hits}");
}

#[test]
fn the_middle_of_the_picture_is_on_each_sample() {
    for (path, has_uv) in [
        ("unigine/cube_ms13.mesh", true),
        ("unreal/box_d.3d", true),
        ("secondlife/arm.llmesh", true),
        ("ezmesh/crate.ezm", true),
    ] {
        let path = format!("{}/data/{path}", env!("CARGO_MANIFEST_DIR"));
        let path = Path::new(&path);
        let (hit, uv) = pick(path, [400.0, 300.0]).unwrap().unwrap_or_else(|| panic!("{path:?}"));
        let length = hit.normal.iter().map(|part| part * part).sum::<f32>();
        assert!((length - 1.0).abs() < 1e-5 && uv.is_some() == has_uv, "{path:?}: {hit:?} {uv:?}");
        assert_eq!(pick(path, [0.0, 0.0]).unwrap(), None, "{path:?}");
    }
}

#[test]
fn the_upper_pixels_see_higher_points() {
    let bounds = meshpeek::Bounds { min: [-1.0; 3], max: [1.0; 3] };
    let at = |x: f32, y: f32| pixel_ray(&bounds, [x, y]).at(5.0);
    assert_eq!(pixel_ray(&bounds, [399.5, 299.5]).direction, [0.0, 1.0, 0.0]);
    assert!(at(0.0, 0.0)[2] > at(0.0, 599.0)[2] && at(0.0, 0.0)[0] < at(799.0, 0.0)[0]);
}
