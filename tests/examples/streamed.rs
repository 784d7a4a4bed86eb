//! Tests of the example `stream`.

use meshpeek::Surface;
use meshpeek::streaming::MeshParts;

use crate::files;
use crate::stream::run;

#[test]
fn streams_every_file() {
    let mut streamed = 0;
    for path in files() {
        let (mut out, model) = (Vec::new(), meshpeek::open(&path).unwrap());
        run(&path, &mut out).unwrap_or_else(|error| panic!("{path:?}: {error}"));
        let out = String::from_utf8(out).unwrap();
        let parts = MeshParts::new(&model, 64 << 10).unwrap().len();
        let start = format!("300 frames, {parts} parts, ");
        let drawn = out.strip_prefix(&*start).and_then(|rest| rest.split_once(" triangles drawn\n"));
        let (drawn, rest) = drawn.unwrap_or_else(|| panic!("{path:?}: {out}"));
        let triangles = |surface: Surface<'_>| surface.corners().unwrap().triangle_count();
        let has_triangles = Surface::all(model.geometry()).unwrap().any(|surface| triangles(surface) > 0);
        assert_eq!(drawn != "0", has_triangles, "{path:?}: {out}");
        assert_eq!(model.geometry().surface_count().unwrap() > 0, parts > 0, "{path:?}");
        assert!(rest.starts_with("requests: ") && rest.lines().count() == 3, "{path:?}: {out}");
        streamed += usize::from(has_triangles);
    }
    assert!(streamed > 20, "{streamed}");
}
