//! Tests of the values and arrays that only one format has.

use meshpeek::parse::Value;

fn field<'v>(record: &'v Value, name: &str) -> &'v Value {
    let Value::Record(fields) = record else { panic!("{record} is no record") };
    &fields.iter().find(|(found, _)| found == name).unwrap_or_else(|| panic!("no `{name}` in {record}")).1
}

#[test]
fn a_file_has_those_of_its_format() {
    for (path, name, expected) in [
        ("data/ezmesh/crate.ezm", "dialect", "\"MeshSystem\""),
        ("data/ezmesh/crate.ezm", "asset_name", "\"crate\""),
        ("data/secondlife/model.slm", "container_version", "3"),
        ("data/unreal/guard_d.3d", "frame_size", "44"),
        ("data/unigine/skinned_ms12.mesh", "lightmap_channel", "1"),
    ] {
        let properties = meshpeek::open(path).unwrap().properties().unwrap();
        assert_eq!(field(&properties, name).to_string(), expected, "{path}");
    }
    let guard = meshpeek::open("data/unreal/guard_d.3d").unwrap();
    let script = guard.properties().unwrap();
    let Value::List(meshes) = field(field(&script, "script"), "meshes") else { panic!("{script}") };
    assert_eq!(field(&meshes[0], "name"), &Value::Text(b"Guard".to_vec()));
    let Value::List(sequences) = field(&meshes[0], "sequences") else { panic!("{script}") };
    assert_eq!(
        sequences.iter().map(|one| field(one, "frames").clone()).collect::<Vec<_>>(),
        [10, 6].map(Value::Integer)
    );
    assert_eq!(field(&guard.surface_properties(2).unwrap(), "texture").to_string(), "1");
    assert_eq!(guard.surface_properties(9).unwrap_err().kind(), meshpeek::ErrorKind::NoSuch);
}

#[test]
fn a_surface_has_the_arrays_of_its_format() {
    let model = meshpeek::open("data/unreal/guard_d.3d").unwrap();
    let surface = model.surface(0).unwrap();
    let triangles = surface.corners().unwrap().triangle_count() as usize;
    let mut found = 0;
    for name in surface.extra_arrays() {
        let Some(array) = surface.extra_array(name).unwrap() else { continue };
        let values = array.values(0..array.count());
        assert_eq!(values.len(), array.count() * array.width(), "{name}");
        assert!(array.count() == triangles && array.values(triangles..triangles + 1).is_empty(), "{name}");
        found += 1;
    }
    assert!(found > 1);
    let flag = meshpeek::open("data/ezmesh/flag.ezm").unwrap();
    let cloth = flag.surface(0).unwrap();
    for name in cloth.extra_arrays() {
        let Some(array) = cloth.extra_array(name).unwrap() else { continue };
        assert_eq!(array.values(1..usize::MAX), array.values(1..array.count()), "{name}");
        found += 100;
    }
    let types = surface.extra_array(surface.extra_arrays().next().unwrap()).unwrap().unwrap();
    assert_eq!(types.values(0..usize::MAX), types.values(0..triangles));
    assert!(found > 100);
    let tree = meshpeek::open("data/unigine/room_ms14.mesh").unwrap();
    let nodes = tree.surface(0).unwrap().extra_array("tree-nodes").unwrap().unwrap();
    assert!(nodes.count() > 0 && nodes.width() > 1, "{nodes:?}");
    assert!(tree.surface(0).unwrap().extra_array("types").unwrap().is_none());
}
