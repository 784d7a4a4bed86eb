//! Tests of the examples `walk` and `out_of_core`.

use meshpeek::{Array, Bounds, Surface};

use crate::support::walk::{Totals, walk as count};
use crate::{for_each_file, out_of_core, walk};

/// Returns the sum of the numbers before `word` in lines that start with `start`.
fn sum(out: &str, start: &str, word: &str) -> usize {
    let lines = out.lines().filter(|line| line.starts_with(start));
    let counts = lines.filter_map(|line| line.split_once(word)?.0.rsplit(' ').next()?.parse::<usize>().ok());
    counts.sum()
}

#[test]
fn walk_lists_what_a_file_contains() {
    let mut formats = std::collections::BTreeSet::new();
    for_each_file(walk::run, |path, model, out| {
        formats.insert(model.format());
        let Totals { assets, levels, instances, surfaces, triangles, materials, bones, .. } =
            count(model.contents()).unwrap();
        let lines = |start: &str| out.lines().filter(|line| line.starts_with(start)).count();
        let listed = [lines("asset "), lines("material "), lines("instance ")];
        assert_eq!(listed, [assets, materials, instances], "{path}: {out}");
        let sums = [sum(out, "asset", " levels"), sum(out, "asset", " bones"), sum(out, "  ", " triangles")];
        assert_eq!(sums, [levels, bones, triangles], "{path}: {out}");
        let shown = out.lines().filter(|line| line.contains(" triangles, [")).count();
        assert_eq!(shown, surfaces, "{path}: {out}");
    });
    assert_eq!(formats.len(), 4, "{formats:?}");
}

#[test]
fn out_of_core_visits_every_surface() {
    let mut surfaces = 0;
    for_each_file(out_of_core::run, |path, model, out| {
        let mut lines = out.lines();
        for surface in Surface::all(model.geometry()).unwrap() {
            let (positions, index) = (surface.positions().unwrap(), surface.index());
            let boxes = positions.iter().map(|at| Bounds { min: at, max: at });
            let Bounds { min, max } = boxes.fold(Bounds::EMPTY, |all, one| all.union(&one));
            let (name, count) = (surface.name().unwrap(), positions.len());
            let middle = positions.iter().nth(count / 2);
            let expected =
                format!("surface {index} ({name}): {count} positions, {middle:?} in the middle, {min:?} to {max:?}");
            assert_eq!(lines.next(), Some(&*expected), "{path}");
            surfaces += 1;
        }
        assert_eq!(lines.next(), None, "{path}");
        assert_eq!(model.geometry().surface_count().unwrap(), out.lines().count(), "{path}");
    });
    assert!(surfaces >= 30, "{surfaces}");
}
