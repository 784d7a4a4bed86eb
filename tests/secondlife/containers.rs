//! Tests of access by index: assets, instances and materials of containers, and convex hulls.

use meshpeek::model::{Asset as _, Contents as _, HullKind};
use meshpeek::secondlife::{Mesh, hull_size};
use meshpeek::{Array, ErrorKind};

use crate::support::secondlife::raw_assets::{
    array, asset, binary, codes, integer, level, map, square, stored_asset, string,
};
use crate::support::stopwatch::expect_linear;

fn named(label: &str, mesh: i32, materials: &[&str]) -> Vec<u8> {
    let materials: Vec<_> = materials.iter().map(|name| map(&[("binding", string(name.as_bytes()))])).collect();
    map(&[("label", string(label.as_bytes())), ("material", array(&materials)), ("mesh_id", integer(mesh))])
}

fn container(instances: &[Vec<u8>], assets: &[Vec<u8>]) -> Vec<u8> {
    map(&[
        ("unknown", array(&[integer(1), map(&[("mesh", integer(2))])])),
        ("instance", array(instances)),
        ("mesh", array(assets)),
        ("mesh", array(&[integer(7)])),
        ("version", integer(3)),
    ])
}

/// A container with items that are no assets and no instances among the others.
fn mixed() -> Vec<u8> {
    let assets = [1, 2, 3].map(|version| {
        let bytes = asset(&[("high_lod", level(&vec![square(); version]))]);
        string(&bytes)
    });
    let [one, two, three] = assets;
    let assets = [one, integer(5), two, array(&[integer(1), integer(2)]), three];
    let instances = [
        named("a", 0, &["x", "y"]),
        string(b"no instance"),
        named("b", 2, &[]),
        named("c", 4, &["z"]),
        array(&[integer(1)]),
        named("d", 0, &["x", "w", "v"]),
    ];
    container(&instances, &assets)
}

#[test]
fn items_are_found_by_index() {
    let bytes = mixed();
    let mesh = Mesh::open(bytes.as_slice()).unwrap();
    assert_eq!((mesh.asset_count(), mesh.instance_count().unwrap(), mesh.material_count().unwrap()), (5, 4, 6));
    // In any order, as on the first access.
    let found: Vec<_> = [3, 0, 2, 1]
        .map(|index| mesh.instance(index).unwrap())
        .map(|one| (one.name.unwrap().to_string(), one.asset, one.materials))
        .into();
    let expected = [("d", 0, 3..6), ("a", 0, 0..2), ("c", 4, 2..3), ("b", 2, 2..2)];
    assert_eq!(found, expected.map(|(name, asset, materials)| (name.to_owned(), asset, materials)));
    let names: Vec<_> = (0..6).map(|index| mesh.material(index).unwrap().surface.unwrap().to_string()).collect();
    assert_eq!(names, ["x", "y", "z", "x", "w", "v"]);
    let surfaces = [0, 2, 4].map(|index| mesh.asset(index).unwrap().level(0).unwrap().surface_count().unwrap());
    assert_eq!(surfaces, [1, 2, 3]);
    for index in [1, 3] {
        let error = mesh.asset(index).unwrap_err();
        assert_eq!((error.kind(), error.field().to_string().as_str()), (ErrorKind::Value, "mesh"));
    }
    for error in [
        mesh.asset(5).map(drop).unwrap_err(),
        mesh.instance(4).map(drop).unwrap_err(),
        mesh.material(6).map(drop).unwrap_err(),
    ] {
        assert_eq!(error.kind(), ErrorKind::NoSuch);
    }
}

/// Every asset that is opened from a container can itself be asked for the others.
#[test]
fn an_asset_of_a_container_has_the_same_items() {
    let bytes = mixed();
    let mesh = Mesh::open(bytes.as_slice()).unwrap();
    for asset in mesh.assets() {
        assert_eq!((asset.asset_count(), asset.instance_count().unwrap()), (5, 4));
        assert_eq!(asset.instance(3).unwrap().materials, 3..6);
    }
}

#[test]
fn the_time_for_the_items_of_a_container_is_linear() {
    let empty = |count: usize| container(&[], &vec![string(&map(&[])); count]);
    expect_linear("assets", 250, empty, |bytes| {
        let mesh = Mesh::open(bytes.as_slice()).unwrap();
        (0..mesh.asset_count()).for_each(|index| assert!(mesh.asset(index).is_ok()));
    });
    let instances = |count: usize| container(&vec![named("a", 0, &["x", "y"]); count], &[string(&map(&[]))]);
    expect_linear("instances", 250, instances, |bytes| {
        let mesh = Mesh::open(bytes.as_slice()).unwrap();
        (0..mesh.instance_count().unwrap()).for_each(|index| assert!(mesh.instance(index).is_ok()));
        (0..mesh.material_count().unwrap()).for_each(|index| assert!(mesh.material(index).is_ok()));
    });
    let names = |count: usize| stored_asset(&[("material_list", array(&vec![string(b""); count]))], &[]);
    expect_linear("material names", 1000, names, |bytes| {
        let mesh = Mesh::open(bytes.as_slice()).unwrap();
        (0..mesh.material_count().unwrap()).for_each(|index| assert!(mesh.material(index).is_ok()));
    });
}

/// An asset whose hulls have the given stored sizes, after keys that no reader knows.
fn hulls(sizes: &[u8], keys: usize) -> Vec<u8> {
    let count: usize = sizes.iter().map(|size| hull_size(*size)).sum();
    let points: Vec<u16> = (0..3 * count).map(|code| code as u16).collect();
    let unknown: Vec<String> = (0..keys).map(|key| format!("A{key}")).collect();
    let mut entries: Vec<(&str, Vec<u8>)> = unknown.iter().map(|key| (key.as_str(), integer(1))).collect();
    entries.extend([("BoundingVerts", codes(&[7; 12])), ("HullList", binary(sizes)), ("Positions", codes(&points))]);
    asset(&[("physics_convex", map(&entries)), ("high_lod", level(&[square()]))])
}

#[test]
fn hulls_are_found_by_index() {
    let sizes: Vec<u8> = (0..300_u16).map(|hull| [4, 1, 0, 255, 7][usize::from(hull % 5)]).collect();
    let bytes = hulls(&sizes, 3);
    let mesh = Mesh::open(bytes.as_slice()).unwrap();
    let all: Vec<Vec<[f32; 3]>> =
        mesh.convex().unwrap().unwrap().hulls().unwrap().map(|hull| hull.iter().collect()).collect();
    assert_eq!((all.len(), mesh.hull_count().unwrap()), (300, 301));
    for index in (0..300).rev() {
        let hull = mesh.hull(index).unwrap();
        assert!(hull.points.unwrap().iter().eq(all[index].iter().copied()), "hull {index}");
    }
    let last = mesh.hull(300).unwrap();
    assert_eq!((last.kind, last.points.unwrap().len()), (HullKind::Bounding, 4));
    assert_eq!(mesh.hull(301).unwrap_err().kind(), ErrorKind::NoSuch);
}

#[test]
fn a_hull_beyond_the_points_is_an_error() {
    let entries = [("HullList", binary(&[3; 200])), ("Positions", codes(&vec![1; 3 * 3 * 150]))];
    let bytes = asset(&[("physics_convex", map(&entries)), ("high_lod", level(&[square()]))]);
    let mesh = Mesh::open(bytes.as_slice()).unwrap();
    assert_eq!(mesh.hull(149).unwrap().points.unwrap().len(), 3);
    let error = mesh.hull(150).unwrap_err();
    assert_eq!(
        (error.kind(), error.field().to_string().as_str()),
        (ErrorKind::UnexpectedEnd, "physics_convex.hull[150].Positions")
    );
}

#[test]
fn the_time_for_hulls_is_linear() {
    let ask = |bytes: &Vec<u8>| {
        let mesh = Mesh::open(bytes.as_slice()).unwrap();
        (0..mesh.hull_count().unwrap()).for_each(|index| assert!(mesh.hull(index).is_ok()));
    };
    expect_linear("hulls", 2000, |count| hulls(&vec![1; count], 0), ask);
    expect_linear("hulls and keys", 300, |count| hulls(&vec![1; count], count), ask);
}
