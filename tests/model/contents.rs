//! Tests the assets, levels of detail, instances, materials, collision shapes, metadata, draw
//! styles and vertex pools of the neutral view.

use std::collections::HashSet;

use meshpeek::model::SurfaceArrays as _;
use meshpeek::model::{Asset, Blend, Contents, DrawStyle, HullKind, Metadata, MetadataValue, Space, TextureRole};
use meshpeek::{Array, Geometry, Model, Surface, unreal};

fn open(file: &str) -> Model<Vec<u8>> {
    Model::open(meshpeek::read(format!("data/{file}")).unwrap()).unwrap()
}

fn pair(stem: &str) -> unreal::Mesh<Vec<u8>> {
    let [data, aniv, script] =
        ["_d.3d", "_a.3d", ".uc"].map(|end| meshpeek::read(format!("data/unreal/{stem}{end}")).unwrap());
    let script = unreal::script::Script::open(script).unwrap();
    unreal::Mesh::open(data, aniv).unwrap().with_script(script, stem.as_bytes()).unwrap()
}

fn keys(contents: &dyn Contents) -> Vec<(String, String)> {
    let mut keys = Vec::new();
    let mut see = |Metadata { key, value, .. }: Metadata<'_>| {
        let value = match value {
            MetadataValue::Text(text) => text.to_string(),
            MetadataValue::Integer(number) => number.to_string(),
            MetadataValue::Real(number) => number.to_string(),
            MetadataValue::Bytes(bytes) => format!("{} bytes", bytes.len()),
            _ => unreachable!(),
        };
        keys.push((key.to_string(), value));
    };
    contents.metadata(&mut see).unwrap();
    keys
}

/// Visits everything that a file contains. Returns the numbers of assets, levels, surfaces of all
/// levels, instances, materials and hulls.
fn walk(contents: &dyn Contents) -> [usize; 6] {
    let mut numbers = [contents.asset_count().unwrap(), 0, 0, contents.instance_count().unwrap(), 0, 0];
    for asset in 0..numbers[0] {
        let asset = contents.asset(asset).unwrap();
        assert_eq!(asset.format(), contents.format());
        for level in 0..asset.level_count().unwrap() {
            numbers[1] += 1;
            asset.level_name(level).unwrap();
            let geometry = asset.level(level).unwrap();
            for surface in Surface::all(&*geometry).unwrap() {
                numbers[2] += 1;
                surface.corners().unwrap();
            }
        }
        let count = asset.level_count().unwrap();
        assert_eq!(asset.level(count).unwrap_err().kind().id(), "no-such");
        numbers[5] += asset.hull_count().unwrap();
        for hull in 0..asset.hull_count().unwrap() {
            assert!(asset.hull(hull).unwrap().points.is_none_or(|points| !points.is_empty()));
        }
        assert_eq!(asset.hull(asset.hull_count().unwrap()).unwrap_err().kind().id(), "no-such");
        asset.animations().bone_count().unwrap();
    }
    numbers[4] = contents.material_count().unwrap();
    for instance in 0..numbers[3] {
        let instance = contents.instance(instance).unwrap();
        assert!(instance.asset < numbers[0] && instance.materials.end <= numbers[4]);
    }
    for material in 0..numbers[4] {
        contents.material(material).unwrap();
    }
    let beyond = [
        contents.asset(numbers[0]).map(drop),
        contents.instance(numbers[3]).map(drop),
        contents.material(numbers[4]).map(drop),
    ];
    assert!(beyond.into_iter().all(|result| result.unwrap_err().kind().id() == "no-such"));
    numbers
}

#[test]
fn counts_the_contents_of_each_sample() {
    for (file, materials) in [("unigine/room_ms14.mesh", 0), ("unigine/wave_an13.anim", 0), ("ezmesh/flag.ezm", 1)] {
        let model = open(file);
        let surfaces = model.geometry().surface_count().unwrap();
        assert_eq!(walk(model.contents()), [1, 1, surfaces, 1, materials, 0], "{file}");
    }
}

/// Tests that a container shows all its assets, instances, transforms and materials.
#[test]
fn shows_all_of_a_container() {
    let model = open("secondlife/model.slm");
    let contents = model.contents();
    let [assets, levels, surfaces, instances, materials, _] = walk(contents);
    assert_eq!((assets, instances), (2, 3));
    assert!(levels >= 2 && surfaces >= 2 && materials >= 1, "{levels}, {surfaces}, {materials}");
    let mesh = meshpeek::secondlife::Mesh::open(meshpeek::read("data/secondlife/model.slm").unwrap()).unwrap();
    let container = mesh.container().unwrap();
    let mut seen = HashSet::new();
    for (index, stored) in container.instances().enumerate() {
        let instance = contents.instance(index).unwrap();
        assert_eq!(instance.asset, usize::try_from(stored.mesh_id().unwrap()).unwrap());
        assert_eq!(instance.name, stored.label().map(|label| label.name()));
        let matrix = stored.transform().unwrap();
        let columns = instance.transform.columns_f32();
        for (row, column) in columns.iter().enumerate() {
            assert_eq!(matrix[row * 4..row * 4 + 3], *column);
        }
        assert_eq!(instance.materials.len(), stored.materials().map_or(0, |list| list.len()));
        for material in instance.materials {
            assert!(seen.insert(material), "a material belongs to one instance");
        }
        // The placed triangles of every instance face the same way as their normals.
        let asset = contents.asset(instance.asset).unwrap();
        let geometry = asset.level(0).unwrap();
        let space = geometry.space().placed(instance.transform);
        let conversion = space.conversion_to(&Space::GLTF).unwrap();
        let positions = geometry.surface(0).unwrap().positions().unwrap();
        let stored = positions.get(0).unwrap();
        let [x, y, z] = instance.transform.apply(stored);
        let found = conversion.array(positions).get(0).unwrap();
        assert!(found.iter().zip([y, z, x]).all(|(a, b)| (a - b).abs() < 1e-4), "{found:?}, {:?}", [x, y, z]);
    }
    assert_eq!(seen.len(), materials);
    assert_eq!(keys(contents)[0].0, "name");
}

#[test]
fn shows_levels_hulls_and_collision_triangles() {
    let model = open("secondlife/arm.llmesh");
    let asset = model.contents().asset(0).unwrap();
    let names: Vec<_> =
        (0..asset.level_count().unwrap()).map(|level| asset.level_name(level).unwrap().unwrap().to_string()).collect();
    assert_eq!(names.first().map(String::as_str), Some("high_lod"));
    let triangles = |level: usize| {
        let geometry = asset.level(level).unwrap();
        Surface::all(&*geometry).unwrap().map(|surface| surface.corners().unwrap().triangle_count()).sum::<u32>()
    };
    assert!((1..names.len()).all(|level| triangles(level) <= triangles(level - 1)), "{names:?}");
    assert!(asset.animations().bone_count().unwrap() > 0);

    let model = open("secondlife/rock.llmesh");
    let mesh = meshpeek::secondlife::Mesh::open(meshpeek::read("data/secondlife/rock.llmesh").unwrap()).unwrap();
    let asset = model.contents().asset(0).unwrap();
    let convex = mesh.convex().unwrap().unwrap();
    let hulls: Vec<_> = convex.hulls().unwrap().collect();
    let bounding = convex.bounding_points().unwrap();
    assert_eq!(asset.hull_count().unwrap(), hulls.len() + usize::from(bounding.is_some()));
    for (index, points) in hulls.iter().enumerate() {
        let hull = asset.hull(index).unwrap();
        assert_eq!((hull.kind, hull.points.unwrap().as_bytes()), (HullKind::Convex, points.as_bytes()));
    }
    if let Some(bounding) = bounding {
        let hull = asset.hull(hulls.len()).unwrap();
        assert_eq!((hull.kind, hull.points.unwrap().as_bytes()), (HullKind::Bounding, bounding.as_bytes()));
    }
    let collision = asset.collision_mesh().unwrap();
    assert_eq!(collision.is_some(), mesh.physics_mesh().unwrap().is_some());
}

/// Tests that a level has all surfaces of the file, of which it shows its own.
#[test]
fn shows_levels_that_names_tell() {
    let model = open("unigine/tree_ms12.mesh");
    let contents = model.contents();
    assert_eq!(walk(contents), [1, 2, 16, 1, 0, 0]);
    let asset = contents.asset(0).unwrap();
    let drawn = |geometry: &dyn Geometry| {
        let surfaces = Surface::all(geometry).unwrap().filter(|surface| surface.is_drawn().unwrap());
        surfaces.map(|surface| surface.name().unwrap().to_string()).collect::<Vec<_>>()
    };
    let best = ["trunk_lod_0", "leaves_lod_0", "stone", "fruit_LOD0_01", "fruit_LOD0_02"];
    assert_eq!(drawn(model.geometry()), best);
    for (level, name, shown) in
        [(0, "lod 0", &best[..]), (1, "lod 1", &["trunk_lod_0", "leaves_lod_1", "stone", "fruit_LOD1_"])]
    {
        assert_eq!(asset.level_name(level).unwrap().unwrap().to_string(), name);
        let geometry = asset.level(level).unwrap();
        assert_eq!(drawn(&*geometry), shown);
        assert_eq!(geometry.bounds().unwrap(), model.geometry().bounds().unwrap());
        for surface in 0..8 {
            assert_eq!(
                geometry.lend(surface).unwrap().surface().is_drawn().unwrap(),
                geometry.surface(surface).unwrap().is_drawn().unwrap()
            );
        }
        let bytes =
            |surface: usize| Surface::new(&*geometry, surface).unwrap().positions().unwrap().as_bytes().as_ptr();
        let own = model.surface(2).unwrap().positions().unwrap().as_bytes().as_ptr();
        assert_eq!(bytes(2), own);
    }
    let scene = meshpeek::query::Scene::new(model.geometry()).unwrap();
    let has: Vec<usize> = (0..8).filter(|surface| scene.triangles(*surface).is_some()).collect();
    assert_eq!(has, [0, 1, 4, 5, 6]);
    assert!(asset.level_name(2).is_err());
}

#[test]
fn shows_instances_materials_and_collisions_of_a_scene() {
    let text = br#"<MeshSystem asset_name="scene" asset_info="a test" mesh_system_version="1" mesh_system_asset_version="7">
 <Materials count="2"><Material name="wood" meta_data="texture=wood.dds"/><Material name="tin" meta_data=""/></Materials>
 <Meshes count="2">
  <Mesh name="one" skeleton="null" submesh_count="2"><vertexbuffer count="3" ctype="fff" semantic="position">0 0 0, 1 0 0, 0 1 0</vertexbuffer>
   <MeshSection material="wood"><indexbuffer triangle_count="1">0 1 2</indexbuffer></MeshSection>
   <MeshSection material="tin"><indexbuffer triangle_count="1">0 2 1</indexbuffer></MeshSection></Mesh>
  <Mesh name="two" skeleton="null" submesh_count="1"><vertexbuffer count="3" ctype="fff" semantic="position">0 0 0, 2 0 0, 0 2 0</vertexbuffer>
   <MeshSection material="tin"><indexbuffer triangle_count="1">0 1 2</indexbuffer></MeshSection></Mesh>
 </Meshes>
 <MeshInstances count="2"><MeshInstance mesh="two" position="1,2,3" rotation="0,0,0,1" scale="2,2,2"/><MeshInstance mesh="one"/></MeshInstances>
 <MeshCollisionRepresentations count="1"><MeshCollisionRepresentation name="r" info="" count="2">
  <MeshCollision name="b" type="BOX" transform="1 0 0 0 0 1 0 0 0 0 1 0 4 5 6 1"><MeshCollisionBox/></MeshCollision>
  <MeshCollision name="c" type="CONVEX"><MeshCollisionConvex>
   <vertexbuffer count="3" ctype="fff" semantic="position">0 0 0, 1 0 0, 0 1 0</vertexbuffer>
   <indexbuffer triangle_count="1">0 1 2</indexbuffer></MeshCollisionConvex></MeshCollision>
 </MeshCollisionRepresentation></MeshCollisionRepresentations>
</MeshSystem>"#;
    let mesh = meshpeek::ezmesh::Mesh::open(&text[..]).unwrap();
    let contents: &dyn Contents = &mesh;
    assert_eq!(walk(contents), [1, 1, 3, 2, 2, 2]);
    let instance = contents.instance(0).unwrap();
    assert_eq!((instance.name.unwrap().to_string().as_str(), instance.surfaces), ("two", Some(2..3)));
    assert_eq!(instance.transform.apply([1.0, 0.0, 0.0]), [3.0, 2.0, 3.0]);
    assert_eq!(contents.instance(1).unwrap().surfaces, Some(0..2));
    let material = contents.material(0).unwrap();
    assert_eq!(material.name.unwrap().to_string(), "wood");
    assert_eq!(material.text.unwrap().to_string(), "texture=wood.dds");
    assert_eq!(contents.material(1).unwrap().text, None);
    let asset = contents.asset(0).unwrap();
    let [boxed, convex] = [0, 1].map(|hull| asset.hull(hull).unwrap());
    assert_eq!(
        (boxed.kind, boxed.points.is_none(), boxed.transform.apply([0.0; 3])),
        (HullKind::Box, true, [4.0, 5.0, 6.0])
    );
    assert_eq!((convex.kind, convex.points.unwrap().len(), convex.triangles.unwrap().len()), (HullKind::Convex, 3, 3));
    let found = keys(contents);
    for (key, value) in [("asset_name", "scene"), ("asset_info", "a test"), ("asset_version", "7")] {
        assert!(found.contains(&(key.to_owned(), value.to_owned())), "{found:?}");
    }
    // The two sections of the first mesh share their vertices.
    let pools = [0, 1, 2].map(|surface| mesh.vertex_pool(surface).unwrap());
    assert!(pools[0] == pools[1] && pools[1] != pools[2]);

    let missing = String::from_utf8(text.to_vec()).unwrap().replace(r#"mesh="two" pos"#, r#"mesh="tow" pos"#);
    let mesh = meshpeek::ezmesh::Mesh::open(missing.as_bytes()).unwrap();
    let error = mesh.instance(0).unwrap_err();
    assert_eq!((error.kind().id(), error.field().to_string().as_str()), ("value", "instance[0].mesh"));
    assert!(error.offset().is_some() && error.to_string().contains("tow"), "{error}");
}

#[test]
fn shows_the_placement_the_textures_and_the_styles_of_a_script() {
    let mesh = pair("guard");
    let contents: &dyn Contents = &mesh;
    let [assets, levels, _, instances, materials, hulls] = walk(contents);
    assert_eq!((assets, levels, instances, hulls), (1, 1, 1, 0));
    let script = mesh.script().unwrap();
    assert_eq!(materials, script.textures().count());
    let instance = contents.instance(0).unwrap();
    assert_eq!(instance.transform, mesh.space().placement);
    for (index, stored) in script.textures().enumerate() {
        let material = contents.material(index).unwrap();
        assert_eq!((material.name, material.textures[0].role), (Some(stored.name), TextureRole::Color));
        assert_eq!(material.textures[0].file, stored.import.map(|import| import.file));
    }
    assert!(keys(contents).iter().any(|(key, _)| key.eq_ignore_ascii_case("mesh")), "{:?}", keys(contents));
    let styles: Vec<DrawStyle> = Surface::all(&mesh).unwrap().map(|surface| surface.draw_style().unwrap()).collect();
    for (surface, style) in styles.iter().enumerate() {
        let kind = mesh.surface(surface).unwrap().kind();
        assert_eq!(style.unlit, kind.has(unreal::PolygonType::UNLIT));
        assert_eq!(style.blend == Blend::Masked, kind.style() == unreal::Style::Masked);
    }
    assert!(styles.iter().collect::<HashSet<_>>().len() > 1, "{styles:?}");
    let pools: HashSet<_> = Surface::all(&mesh).unwrap().map(|surface| surface.vertex_pool().unwrap()).collect();
    assert_eq!(pools.len(), 1);
}

/// Tests that surfaces with equal pools have the same arrays, and no others, for every sample.
#[test]
fn pools_state_which_arrays_are_shared() {
    for file in ["unigine/room_ms11.mesh", "unigine/room_ms14.mesh", "ezmesh/crate.ezm", "ezmesh/flag101.ezb"] {
        let model = open(file);
        let surfaces: Vec<_> = model.surfaces().unwrap().collect();
        for one in &surfaces {
            for other in &surfaces {
                let [a, b] = [one, other].map(|surface| surface.positions().unwrap().as_bytes().as_ptr_range());
                let shared = one.vertex_pool().unwrap() == other.vertex_pool().unwrap();
                assert_eq!(shared, a == b || one.index() == other.index(), "{file}");
            }
        }
    }
}

/// Tests that damaged references of a container are errors with their offset.
#[test]
fn damaged_instances_are_errors() {
    let bytes = meshpeek::read("data/secondlife/model.slm").unwrap();
    let whole = meshpeek::secondlife::Mesh::open(&bytes[..]).unwrap();
    let container = whole.container().unwrap();
    let entry = container.instances().next().unwrap().map().get("mesh_id").unwrap();
    let mut spoilt = bytes.clone();
    spoilt[entry.at + 1..entry.at + 5].copy_from_slice(&(-1_i32).to_be_bytes());
    let mesh = meshpeek::secondlife::Mesh::open(&spoilt[..]).unwrap();
    let error = Contents::instance(&mesh, 0).unwrap_err();
    assert_eq!((error.field().to_string().as_str(), error.offset()), ("instance[0].mesh_id", Some(entry.at as u64)));
    assert!(Contents::instance(&mesh, 1).is_ok());
    // An asset that is not whole is an error, and the others still open.
    let item = container.items().nth(1).unwrap();
    let mut spoilt = bytes.clone();
    let start = item.end - whole.assets().nth(1).unwrap().asset_range().len();
    spoilt[start] = b'x';
    let mesh = meshpeek::secondlife::Mesh::open(&spoilt[..]).unwrap();
    assert!(Contents::asset(&mesh, 1).is_err());
    assert!(Contents::asset(&mesh, 0).is_ok_and(|asset| Asset::level(&*asset, 0).is_ok()));
}
