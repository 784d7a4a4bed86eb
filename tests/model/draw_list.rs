//! Tests of the list of what is drawn of a file.

use std::path::{Path, PathBuf};

use meshpeek::model::animation::Affine;
use meshpeek::model::{Asset, DrawItem, Space, SpaceConversion};
use meshpeek::{Array, Corner, Model};

use crate::support::random::Random;

/// Returns the paths of all samples that are opened by their own name.
fn samples() -> Vec<PathBuf> {
    let folders = ["ezmesh", "secondlife", "unigine", "unreal"].map(|format| format!("data/{format}"));
    let files = folders.iter().flat_map(|folder| std::fs::read_dir(folder).unwrap());
    let endings = [".ezm", ".ezb", ".llmesh", ".slm", ".asset", ".mesh", "_d.3d"];
    let is_mesh = |path: &PathBuf| endings.iter().any(|ending| path.to_str().unwrap().ends_with(ending));
    files.map(|file| file.unwrap().path()).filter(is_mesh).collect()
}

/// Returns the conversion of every visible surface at every place, as `Space::placed` makes it.
fn placed_conversions(model: &Model, target: &Space) -> Vec<SpaceConversion> {
    let mut all = Vec::new();
    for instance in model.instances().unwrap() {
        let instance = instance.unwrap();
        let asset = model.asset(instance.asset).unwrap();
        let level = asset.level(0).unwrap();
        let placement = if is_bound(&*asset) { level.space().placement } else { instance.transform };
        let conversion = level.space().or(&Space::GLTF).placed(placement).conversion_to(target).unwrap();
        for index in instance.surfaces.unwrap_or(0..level.surfaces().unwrap().len()) {
            all.extend(level.surface(index).unwrap().is_drawn().unwrap().then_some(conversion));
        }
    }
    all
}

/// Returns whether a map mirrors.
fn mirrors(map: &Affine) -> bool {
    let [x, y, z, _] = map.columns();
    let part = |at: usize| x[at] * (y[(at + 1) % 3] * z[(at + 2) % 3] - y[(at + 2) % 3] * z[(at + 1) % 3]);
    part(0) + part(1) + part(2) < 0.0
}

fn is_bound(asset: &dyn Asset) -> bool {
    let animations = asset.animations();
    animations.bone_count().unwrap() > 0 && animations.inverse_bind(0).unwrap().is_some()
}

/// Returns the volume of the mesh that is drawn, which is positive if its triangles face outwards.
fn volume(path: &Path) -> f32 {
    let model = meshpeek::open(path).unwrap();
    let list = model.draw_list(&Space::GLTF).unwrap();
    let volumes = list.draws().iter().map(|draw| {
        let lent = list.surface(draw).unwrap();
        let (positions, corners) = (lent.surface().positions().unwrap(), lent.surface().corners().unwrap());
        let volumes = corners.triangles().map(|corners| {
            let at = |corner: Corner| positions.get(corner.position as usize).unwrap();
            let place = |corner| draw.transform.apply(draw.conversion.position(at(corner)));
            let [[ax, ay, az], [bx, by, bz], [cx, cy, cz]] = draw.conversion.triangle(corners).map(place);
            ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)
        });
        volumes.sum::<f32>() * if mirrors(&draw.transform) { -1.0 } else { 1.0 }
    });
    volumes.sum()
}

#[test]
fn draws_have_the_places_and_bounds_of_the_file() {
    let (mut draws, mut moved, mut materials, mut mirrored) = (0, 0, 0, 0);
    for path in samples() {
        let model = &meshpeek::open(&path).unwrap();
        let list = model.draw_list(&Space::GLTF).unwrap();
        let expected = placed_conversions(model, &Space::GLTF);
        assert_eq!(list.draws().len(), expected.len(), "{}", path.display());
        for (draw, expected) in list.draws().iter().zip(&expected) {
            let lent = list.surface(draw).unwrap();
            let (positions, corners) = (lent.surface().positions().unwrap(), lent.surface().corners().unwrap());
            let (bounds, placed) = (list.bounds(draw).unwrap(), draw.transform.columns_f32());
            mirrored += u32::from(mirrors(&draw.transform));
            for corners in corners.triangles() {
                // The caller reverses the winding if the transform mirrors.
                let [a, b, c] = draw.conversion.triangle(corners);
                let placed_corners = if mirrors(&draw.transform) { [a, c, b] } else { [a, b, c] };
                assert_eq!(placed_corners, expected.triangle(corners), "{}", path.display());
                for corner in placed_corners {
                    let Some(stored) = positions.get(corner.position as usize) else { continue };
                    let at = draw.transform.apply(draw.conversion.position(stored));
                    let expected = expected.position(stored);
                    let size =
                        placed.iter().flatten().chain(&expected).fold(1.0_f32, |size, part| size.max(part.abs()));
                    for axis in 0..3 {
                        let (at, min, max) = (at[axis], bounds.min[axis], bounds.max[axis]);
                        let error = size * 1e-5;
                        assert!((at - expected[axis]).abs() <= error, "{}: {at} is not {expected:?}", path.display());
                        assert!(min - error <= at && at <= max + error, "{}: {at} in {bounds:?}", path.display());
                    }
                }
            }
            let named = lent.surface().material().unwrap();
            if let Some(material) = list.material(draw).unwrap() {
                assert_eq!(material.surface.or(material.name).unwrap().as_bytes(), named.unwrap().as_bytes());
                materials += 1;
            }
            moved += u32::from(placed != [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0; 3]]);
            draws += 1;
        }
    }
    assert!(draws > 30 && moved > 2 && materials > 2, "{draws} draws, {moved} moved, {materials} with material");
    assert_eq!(mirrored, 0, "no sample has a placement that mirrors");
    let folder = tempfile::tempdir().unwrap();
    for name in ["guard_d.3d", "guard_a.3d"] {
        std::fs::copy(format!("data/unreal/{name}"), folder.path().join(name)).unwrap();
    }
    let script = std::fs::read_to_string("data/unreal/guard.uc").unwrap();
    let script = script.replace("X=0.06 Y=0.06", "X=-0.06 Y=0.06");
    assert!(script.contains("X=-0.06"), "{script}");
    std::fs::write(folder.path().join("guard.uc"), script).unwrap();
    let [normal, mirrored] = [Path::new("data/unreal"), folder.path()].map(|folder| volume(&folder.join("guard_d.3d")));
    assert!(normal > 0.0 && (normal - mirrored).abs() <= normal * 1e-3, "{normal}, mirrored {mirrored}");
}

#[test]
fn a_draw_has_the_documented_size() {
    assert!(size_of::<DrawItem>() <= 400);
}

#[test]
fn a_level_is_chosen_or_the_nearest_that_exists() {
    let model = meshpeek::open("data/secondlife/quad.llmesh").unwrap();
    let levels = model.levels().unwrap().len();
    let level_of = |level| model.draw_list_at(level, &Space::GLTF).unwrap().draws().first().map(|draw| draw.level);
    assert_eq!((level_of(0), level_of(levels + 5)), (Some(0), Some(levels - 1)));
}

#[test]
fn a_draw_of_another_list_is_an_error() {
    let [one, other] =
        ["data/secondlife/model.slm", "data/unigine/cube_ms13.mesh"].map(|path| meshpeek::open(path).unwrap());
    let [one, other] = [&one, &other].map(|model| model.draw_list(&Space::GLTF).unwrap());
    let mut draw = one.draws().last().unwrap().clone();
    draw.surface = 99;
    assert_eq!(one.surface(&draw).unwrap_err().kind(), meshpeek::ErrorKind::NoSuch);
    assert_eq!(other.surface(&draw).unwrap_err().kind(), meshpeek::ErrorKind::NoSuch);
}

#[test]
fn a_damaged_file_is_an_error_or_has_draws_that_exist() {
    let (mut random, mut lists, mut refused) = (Random::new(50), 0, 0);
    for path in samples() {
        let sound = std::fs::read(&path).unwrap();
        for _ in 0..40 {
            let mut bytes = sound.clone();
            for _ in 0..=random.below(3) {
                let place = random.below(bytes.len());
                bytes[place] = random.below(256) as u8;
            }
            if random.one_in(4) {
                bytes.truncate(random.below(bytes.len()));
            }
            let Ok(model) = Model::open(bytes) else { continue };
            let _ = model.properties().map(|values| values.to_string());
            let Ok(list) = model.draw_list(&Space::GLTF) else {
                refused += 1;
                continue;
            };
            for draw in list.draws().iter().take(8) {
                let _ =
                    (list.surface(draw).map(|lent| lent.surface().counts()), list.bounds(draw), list.material(draw));
                assert!(draw.material.is_none_or(|index| index < model.materials().unwrap().len()));
            }
            lists += 1;
        }
    }
    assert!(lists > 200 && refused > 20, "{lists} {refused}");
}
