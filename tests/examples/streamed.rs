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
        let numbers: Vec<&str> = out.split(' ').filter(|word| word.parse::<u64>().is_ok()).collect();
        let [found, loaded, drawn] = numbers[..] else { panic!("{path:?}: {out}") };
        assert_eq!(found, parts.to_string(), "{path:?}: {out}");
        let triangles = |surface: Surface<'_>| surface.corners().unwrap().triangle_count();
        let has_triangles = Surface::all(model.geometry()).unwrap().any(|surface| triangles(surface) > 0);
        assert_eq!(drawn != "0", has_triangles, "{path:?}: {out}");
        assert_eq!(model.geometry().surface_count().unwrap() > 0, parts > 0, "{path:?}");
        assert_eq!(loaded != "0", has_triangles, "{path:?}: {out}");
        streamed += usize::from(has_triangles);
    }
    assert!(streamed > 20, "{streamed}");
}
