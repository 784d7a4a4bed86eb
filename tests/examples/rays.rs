//! Tests of the example `raycast`.

use meshpeek::query::Scene;

use crate::support::process::own_test;
use crate::{Model, files, raycast};

/// Checks an image and the line about the nearest hit.
fn expect_image(path: &str, model: &Model, out: &str) {
    let scene = Scene::new(model.geometry()).unwrap();
    let lines: Vec<&str> = out.lines().collect();
    let image = &lines[..48];
    assert!(image.iter().all(|line| line.len() <= 96 && line.chars().all(|shade| " @#*+=-:.".contains(shade))));
    let hits: usize = image.iter().map(|line| line.chars().filter(|shade| *shade != ' ').count()).sum();
    if scene.bounds().is_empty() {
        assert!(hits == 0 && lines.len() == 48, "{path}: {out}");
        return;
    }
    // The camera sees the whole box, in the middle of the image.
    assert!(hits > 20 && lines.len() == 49, "{path}: {out}");
    for edge in [image[0], image[47]] {
        assert!(edge.is_empty(), "{path}: {out}");
    }
    assert!(image.iter().any(|line| line.contains('@')), "{path}: {out}");
    assert!(lines[48].starts_with("nearest hit: surface "), "{path}: {out}");
}

#[test]
#[ignore = "another test runs it as a process with another folder for its cache"]
fn casts_rays_in_the_environment() {
    for path in files() {
        let model = meshpeek::open(&path).unwrap();
        let (shown, mut out) = (path.display().to_string(), Vec::new());
        raycast::run(&path, &mut out).unwrap_or_else(|error| panic!("{shown}: {error}"));
        let out = String::from_utf8(out).unwrap();
        expect_image(&shown, &model, &out);
        // The index that the first call has written gives the same image.
        let mut again = Vec::new();
        raycast::run(&path, &mut again).unwrap();
        assert_eq!(again, out.into_bytes(), "{shown}");
    }
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it optimised")]
fn casts_rays_at_every_file() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = own_test("rays::casts_rays_in_the_environment");
    // The library writes an index to the cache of the user.
    command.env("XDG_CACHE_HOME", folder.path()).env("LOCALAPPDATA", folder.path());
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
    assert!(std::fs::read_dir(folder.path().join("meshpeek")).unwrap().count() > 0, "{text}");
}
