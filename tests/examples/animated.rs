//! Tests of the example `animate`.

use std::collections::BTreeMap;

use meshpeek::model::animation::{Affine, SkinMatrix};
use meshpeek::{Array, Bounds, Pose, Skeleton, SkinnedSurface, Surface};

use crate::{Model, animate, for_each_file};

fn bounds_of(points: impl IntoIterator<Item = [f32; 3]>) -> Bounds {
    points.into_iter().fold(Bounds::EMPTY, |all, at| all.union(&Bounds { min: at, max: at }))
}

fn shown(Bounds { min, max }: &Bounds) -> String {
    format!("{min:?} to {max:?}")
}

/// Returns the box of the first frame of the first clip. Each vertex is computed alone.
fn first_box(model: &Model) -> Bounds {
    let mut points = Vec::new();
    if let Some(frame) = model.clip(0).unwrap().first_vertex_frame {
        for surface in Surface::all(model.geometry()).unwrap() {
            points.extend(surface.vertex_frame(frame as usize).unwrap().iter());
        }
        return bounds_of(points);
    }
    let (skeleton, mut pose) = (Skeleton::new(model.animations()).unwrap(), Pose::rest(model.animations()).unwrap());
    let mut bones = vec![Affine::IDENTITY; skeleton.len()];
    let mut palette = vec![SkinMatrix::IDENTITY; skeleton.len()];
    pose.set_frame(model.animations(), 0, 0).unwrap();
    skeleton.model(pose.bones(), &mut bones).unwrap();
    skeleton.palette(&bones, &mut palette).unwrap();
    for surface in Surface::all(model.geometry()).unwrap() {
        let skinned = SkinnedSurface::new(&surface, &palette).unwrap();
        points.extend((0..skinned.len() as u32).map(|vertex| skinned.position(vertex).unwrap().unwrap()));
    }
    bounds_of(points)
}

/// Checks the output for a file without a clip that has frames.
fn expect_targets(path: &str, model: &Model, lines: &[&str]) -> usize {
    let mut expected = Vec::new();
    for surface in Surface::all(model.geometry()).unwrap() {
        for target in 1..surface.counts().unwrap().targets as usize {
            let (base, moved) = (surface.positions().unwrap(), surface.target_positions(target).unwrap());
            let halfway = base.iter().zip(moved.iter());
            let halfway = halfway.map(|(a, b)| std::array::from_fn(|axis| f32::midpoint(a[axis], b[axis])));
            let name = surface.name().unwrap();
            expected.push(format!("{name}, halfway to morph target {target}: {:?}", bounds_of(halfway)));
        }
    }
    let count = expected.len();
    expected.push("no clip with frames".into());
    assert_eq!(lines, expected, "{path}");
    count
}

#[test]
fn plays_every_clip() {
    // The number of files with a clip that moves, for each format and kind of clip.
    let mut moving = BTreeMap::<(String, bool), usize>::new();
    let mut targets = 0;
    for_each_file(animate::run, |path, model, out| {
        let lines: Vec<&str> = out.lines().collect();
        if model.animations().clip_count().unwrap() == 0 || model.clip(0).unwrap().frames == 0 {
            targets += expect_targets(path, model, &lines);
            return;
        }
        let clip = model.clip(0).unwrap();
        let boxes: Vec<&str> = lines.iter().map(|line| line.rsplit_once(" s: ").unwrap().1).collect();
        assert_eq!(boxes.len(), 6, "{path}: {out}");
        assert_eq!(boxes[0], shown(&first_box(model)), "{path}");
        assert!(lines.iter().all(|line| line.starts_with(&format!("{} at ", clip.name))), "{path}: {out}");
        let is_moving = boxes.iter().any(|other| *other != boxes[0]);
        let kind = (model.format().to_owned(), clip.first_vertex_frame.is_some());
        *moving.entry(kind).or_default() += usize::from(is_moving);
    });
    assert!(targets > 0, "no file has a morph target");
    let kinds: Vec<_> = moving.iter().filter(|(_, files)| **files > 0).map(|((_, frames), _)| *frames).collect();
    assert!(kinds.iter().filter(|frames| !**frames).count() >= 2 && kinds.contains(&true), "{moving:?}");
}
