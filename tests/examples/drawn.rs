//! Tests of the example `draw_ready`.

use meshpeek::{Array as _, Surface};

use crate::draw_ready::run;
use crate::files;

#[test]
fn prints_the_sizes_of_every_surface() {
    let mut surfaces = 0;
    for path in files() {
        let (mut out, model) = (Vec::new(), meshpeek::open(&path).unwrap());
        run(&path, &mut out).unwrap_or_else(|error| panic!("{path:?}: {error}"));
        let out = String::from_utf8(out).unwrap();
        let mut lines = out.lines();
        // 12 bytes of the position, and 4 of the normal, 4 of the UV, 8 of joints and 4 of weights.
        assert_eq!(lines.by_ref().take(5).last(), Some("  28  unorm8x4   Weights"), "{path:?}");
        for surface in Surface::all(model.geometry()).unwrap() {
            let corners = surface.indices().unwrap().len();
            let vertices = if surface.is_single_stream().unwrap() {
                surface.counts().unwrap().vertices as usize
            } else {
                surface.weld().unwrap().vertices.len()
            };
            let name = surface.name().unwrap();
            assert_eq!(lines.next(), Some(&*format!("{name} ({vertices} vertices, {corners} indices)")), "{path:?}");
            let sizes = format!("  {} bytes of vertices, {} bytes of indices", vertices * 32, corners * 4);
            assert_eq!(lines.next(), Some(&*sizes), "{path:?}");
            assert!(lines.next().is_some_and(|line| line.starts_with("  not in the file: [")), "{path:?}");
            if vertices > 0 {
                assert!(lines.next().is_some_and(|line| line.starts_with("  first vertex: [")), "{path:?}");
            }
            surfaces += 1;
        }
        assert_eq!(lines.next(), None, "{path:?}");
    }
    assert!(surfaces > 40, "{surfaces}");
}
