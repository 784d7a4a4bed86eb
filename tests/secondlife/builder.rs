//! Tests of building assets from values and of removing blocks of existing assets.

use crate::support::secondlife::builder;
use meshpeek::decode::Influence;
use meshpeek::secondlife::llsd::{LlsdLimits, LlsdValue, LlsdWriter, read};
use meshpeek::secondlife::{AssetPart, Edit, Header, HeaderPrefix, Lod, Mesh, SubmeshKey, extract, hull_size};
use meshpeek::{Array, ErrorKind, Limits, MeshFile as _};

use crate::support::secondlife::{arm, bytes, copied, quad, ramp, rock, samples};

fn open(asset: &builder::Asset) -> Mesh<Vec<u8>> {
    Mesh::open(asset.to_bytes().unwrap()).unwrap()
}

fn stored(mesh: &Mesh<impl AsRef<[u8]>>, part: AssetPart) -> Option<&[u8]> {
    mesh.view().stored(part).unwrap().map(|(_, bytes)| bytes)
}

fn all_assets() -> [builder::Asset; 4] {
    [quad(), arm(), rock(), ramp()]
}

fn levels(asset: &builder::Asset) -> [(AssetPart, Option<&builder::Level>); 5] {
    [
        (AssetPart::HighLod, Some(&asset.high)),
        (AssetPart::MediumLod, asset.medium.as_ref()),
        (AssetPart::LowLod, asset.low.as_ref()),
        (AssetPart::LowestLod, asset.lowest.as_ref()),
        (AssetPart::PhysicsMesh, asset.physics_mesh.as_ref()),
    ]
}

/// Asserts that numbers differ by at most half a step of `extent` and the rounding of `f32`.
fn near(one: &[f32], other: &[f32], extent: f32) {
    assert_eq!(one.len(), other.len());
    for (a, b) in one.iter().zip(other) {
        assert!((a - b).abs() <= extent / 65535.0 * 0.5 + 2e-7, "{a} and {b}");
    }
}

#[test]
fn reads_back_what_was_built() {
    for asset in all_assets() {
        let mesh = open(&asset);
        for (part, level) in levels(&asset) {
            let Some(level) = level else { continue };
            let block = mesh.block(part).unwrap().unwrap();
            assert!(block.rest().is_empty() && block.unused() == 0);
            let again = copied::level(block.level().unwrap());
            assert_eq!(again.submeshes.len(), level.submeshes.len());
            for (again, built) in again.submeshes.iter().zip(&level.submeshes) {
                near(again.positions.as_flattened(), built.positions.as_flattened(), 1.0);
                near(again.normals.as_flattened(), built.normals.as_flattened(), 2.0);
                near(again.uvs.as_flattened(), built.uvs.as_flattened(), 2.0);
                assert_eq!(again.triangles, built.triangles);
                assert_eq!(again.weights.len(), built.weights.len());
                for (again, built) in again.weights.iter().zip(&built.weights) {
                    assert_eq!(again.len(), built.len());
                    for (again, built) in again.iter().zip(built) {
                        assert_eq!(again.bone, built.bone);
                        near(&[again.weight], &[built.weight], 1.0);
                    }
                }
            }
        }
        assert_eq!(copied::skin(&mesh), asset.skin);
        let convex = copied::convex(mesh.convex().unwrap().unwrap());
        let built = asset.convex.as_ref().unwrap();
        near(convex.bounding.as_flattened(), built.bounding.as_flattened(), 1.0);
        assert_eq!(convex.hulls.len(), built.hulls.len());
        for (again, built) in convex.hulls.iter().zip(&built.hulls) {
            near(again.as_flattened(), built.as_flattened(), 1.0);
        }
    }
}

#[test]
fn every_code_returns() {
    let mut asset = arm();
    let submesh = &mut asset.high.submeshes[0];
    submesh.tangents = submesh.normals.iter().map(|[x, y, z]| [*y, *z, *x, 1.0]).collect();
    submesh.normalized_scale = Some([2.0, 0.5, 0.25]);
    for asset in [quad(), asset, rock(), ramp()] {
        let first = open(&asset);
        let mut again = asset.clone();
        let read = |part| copied::level(first.block(part).unwrap().unwrap().level().unwrap());
        again.high = read(AssetPart::HighLod);
        for (level, part) in [
            (&mut again.medium, AssetPart::MediumLod),
            (&mut again.low, AssetPart::LowLod),
            (&mut again.lowest, AssetPart::LowestLod),
            (&mut again.physics_mesh, AssetPart::PhysicsMesh),
        ] {
            *level = level.as_ref().map(|_| read(part));
        }
        again.convex = first.convex().unwrap().map(copied::convex);
        let second = open(&again);
        for (part, level) in levels(&asset) {
            let Some(level) = level else { continue };
            let [one, two] = [&first, &second].map(|mesh| mesh.block(part).unwrap().unwrap().level().unwrap());
            for number in 0..level.submeshes.len() {
                let [one, two] = [one, two].map(|level| level.submesh(number).unwrap());
                for key in [
                    SubmeshKey::Position,
                    SubmeshKey::Normal,
                    SubmeshKey::TexCoord0,
                    SubmeshKey::Tangent,
                    SubmeshKey::TriangleList,
                    SubmeshKey::Weights,
                ] {
                    let [one, two] =
                        [one, two].map(|submesh| submesh.get(key).map(|(_, value)| value.binary().unwrap()));
                    assert_eq!(one, two, "{part:?} {number} {key:?}");
                }
                assert_eq!(one.normalized_scale().unwrap(), two.normalized_scale().unwrap());
                assert_eq!(one.is_placeholder(), two.is_placeholder());
            }
        }
        let [one, two] = [&first, &second].map(|mesh| mesh.convex().unwrap().unwrap());
        assert_eq!(one.hull_sizes().unwrap(), two.hull_sizes().unwrap());
        assert_eq!(one.hull_points().unwrap().map(|all| all.raw()), two.hull_points().unwrap().map(|all| all.raw()));
        assert_eq!(one.bounding_points().unwrap().unwrap().raw(), two.bounding_points().unwrap().unwrap().raw());
    }
}

#[test]
fn writes_as_viewers_do() {
    let mesh = open(&arm());
    let header = mesh.header().unwrap();
    let keys: Vec<_> = header.entries().map(|entry| entry.key.content().into_owned()).collect();
    assert!(keys.is_sorted());
    let mut blocks: Vec<_> = header.blocks().collect();
    blocks.sort_by_key(|block| block.start);
    let order = [
        AssetPart::Skin,
        AssetPart::PhysicsConvex,
        AssetPart::LowestLod,
        AssetPart::LowLod,
        AssetPart::MediumLod,
        AssetPart::HighLod,
    ];
    assert!(blocks.iter().map(|block| block.part).eq(order));
    let mut at = header.base();
    for block in &blocks {
        assert_eq!(block.start, at, "no gaps");
        assert_eq!(stored(&mesh, block.part).unwrap()[..2], [0x78, 0xda]);
        at = block.end;
    }
    assert_eq!(at, mesh.view().end());
    // All submeshes of a level share one box, and the keys of each are sorted.
    let rock = open(&rock());
    let level = rock.level(Lod::High).unwrap();
    let domains: Vec<_> = level.submeshes().map(|submesh| submesh.unwrap().position_domain().unwrap()).collect();
    assert_eq!(domains.len(), 2);
    assert_eq!(domains[0], domains[1]);
    for submesh in level.submeshes() {
        let keys: Vec<_> = submesh.unwrap().map().iter().map(|entry| entry.key.content().into_owned()).collect();
        assert!(keys.is_sorted() && keys.len() == 6);
    }
    let sizes = rock.convex().unwrap().unwrap().hull_sizes().unwrap().unwrap();
    assert_eq!(sizes, [0, 8, 3]);
    assert_eq!(sizes.iter().map(|size| hull_size(*size)).sum::<usize>(), 267);
    let placeholder = rock.level(Lod::Lowest).unwrap().submesh(1).unwrap();
    assert!(placeholder.is_placeholder() && placeholder.map().len() == 1);
    assert!(matches!(placeholder.get(SubmeshKey::NoGeometry), Some((_, LlsdValue::Boolean(true)))));
    // The coordinate of a flat axis is 0 everywhere.
    let flat = open(&quad());
    let positions = flat.level(Lod::High).unwrap().submesh(0).unwrap().positions().unwrap();
    assert!(positions.raw().iter().all(|[_, _, z]| z.get() == 0));
}

#[test]
fn weights_are_no_more_than_one_together() {
    let mut asset = arm();
    let list = &mut asset.high.submeshes[0].weights[0];
    *list =
        (0..4).map(|bone| Influence { bone, weight: [0.5, 0.25, 0.25, 0.0][usize::try_from(bone).unwrap()] }).collect();
    asset.high.submeshes[0].weights[1] = Vec::new();
    let mesh = open(&asset);
    let submesh = mesh.level(Lod::High).unwrap().submesh(0).unwrap();
    let weights = submesh.weights().unwrap().unwrap();
    let codes: Vec<_> = (0..4).map(|at| weights.get(0).unwrap().raw(at).unwrap().1).collect();
    assert_eq!(codes, [32767, 16384, 16384, 0]);
    assert_eq!(weights.get(1).unwrap().iter().count(), 0);
    for list in weights.iter().skip(2) {
        let sum: u32 = (0..list.len()).map(|at| u32::from(list.raw(at).unwrap().1)).sum();
        assert!((65532..=65535).contains(&sum));
    }
}

#[test]
fn a_box_stands_in_for_the_hull_around_everything() {
    let hull = vec![[0.0, 0.0, 0.0], [0.25, 0.0, 0.0], [0.0, 0.5, -0.25]];
    let convex = builder::Convex { hulls: vec![hull], ..Default::default() };
    let mesh = open(&builder::Asset { convex: Some(convex), ..quad() });
    let points: Vec<_> = mesh.convex().unwrap().unwrap().bounding_points().unwrap().unwrap().iter().collect();
    assert_eq!(points.len(), 8);
    assert!(points.contains(&[0.25, 0.5, 0.0]) && points.contains(&[0.0, 0.0, -0.25]));
    // A sub-model without hulls stores no value for them.
    let header = builder::Header { submodel_id: Some(1), ..Default::default() };
    let mesh = open(&builder::Asset { header, convex: None, ..quad() });
    assert!(matches!(mesh.block(AssetPart::PhysicsConvex).unwrap().unwrap().value(), LlsdValue::Undefined));
    assert!(mesh.convex().unwrap().is_none());
}

#[test]
fn blocks_stand_alone() {
    let block = arm().high.encode();
    let mesh = open(&arm());
    assert_eq!(mesh.block(AssetPart::HighLod).unwrap().unwrap().bytes(), block);
}

#[test]
fn nothing_changed_is_nothing_changed() {
    for sample in samples() {
        let mesh = Mesh::open(&sample.bytes).unwrap();
        for asset in mesh.assets() {
            if sample.file == "cache.asset" {
                // One block was not downloaded, so it cannot be copied.
                let error = Edit::of(asset.view()).unwrap().to_bytes().unwrap_err();
                assert!(error.kind() == ErrorKind::Missing, "{error}");
                continue;
            }
            assert_eq!(Edit::of(asset.view()).unwrap().to_bytes().unwrap(), asset.view().asset(), "{}", sample.file);
        }
    }
}

/// Builds an asset whose header has everything that is unusual but allowed.
///
/// It has unsorted and quoted keys, unknown entries and blocks, a shared and an absent block, and
/// bytes after the last block.
fn odd() -> Vec<u8> {
    let block = quad().high.encode();
    let made = quad().to_bytes().unwrap();
    let mesh = Mesh::open(&made).unwrap();
    let (high, low) = (stored(&mesh, AssetPart::HighLod).unwrap(), stored(&mesh, AssetPart::LowLod).unwrap());
    assert_eq!(mesh.block(AssetPart::HighLod).unwrap().unwrap().bytes(), block);
    let whole = |bytes: &[u8]| i32::try_from(bytes.len()).unwrap();
    let mut writer = LlsdWriter::after(b"<? LLSD/Binary ?>\n".to_vec());
    writer.open_map(7);
    writer.key("low_lod").open_map(3).key("offset").integer(whole(high) + 5).key("note").string(b"\xff");
    writer.key("size").integer(whole(low)).close_map();
    let mut bytes = writer.into_bytes();
    bytes.extend(b"'high\\x5flod'");
    let mut writer = LlsdWriter::after(bytes);
    writer.open_map(3).key("size").integer(whole(high)).key("hash").binary(&md5::compute(high).0);
    writer.key("mesh_triangles").integer(7).close_map();
    writer.key("medium_lod").open_map(2).key("size").integer(whole(high)).key("offset").integer(0).close_map();
    writer.key("lowest_lod").open_map(2).key("offset").integer(3).key("size").integer(0).close_map();
    writer.key("extra").open_map(2).key("offset").integer(whole(high)).key("size").integer(5).close_map();
    writer.key("zoo").open_array(1).undefined().close_array();
    writer.key("physics_cost_data").open_map(1).key("hull").real(0.5).close_map();
    writer.close_map();
    let mut bytes = writer.into_bytes();
    for part in [high, b"extra", low, b"behind the last"] {
        bytes.extend(part);
    }
    bytes
}

#[test]
fn odd_assets_stay_as_they_are() {
    let bytes = odd();
    let mesh = Mesh::open(&bytes).unwrap();
    assert_eq!(Edit::of(mesh.view()).unwrap().to_bytes().unwrap(), bytes);
}

#[test]
fn a_level_alone_is_an_asset() {
    let grid = bytes("grid.llmesh");
    let mesh = Mesh::open(&grid).unwrap();
    for lod in Lod::ALL {
        let alone = extract(mesh.view(), lod).unwrap();
        let alone = Mesh::open(&alone).unwrap();
        assert_eq!(alone.header().unwrap().lods().collect::<Vec<_>>(), [Lod::High]);
        assert_eq!(stored(&alone, AssetPart::HighLod), stored(&mesh, lod.part()));
        assert_eq!(stored(&alone, AssetPart::PhysicsConvex), stored(&mesh, AssetPart::PhysicsConvex));
        assert_eq!(alone.header().unwrap().date(), mesh.header().unwrap().date());
        assert_eq!(alone.view().verify_hash(AssetPart::PhysicsConvex).unwrap(), Some(true));
    }
    assert!(AssetPart::ALL.iter().all(|part| !mesh.view().is_inflated(*part)));
    let mut small = Edit::of(mesh.view()).unwrap();
    let small = small.remove(AssetPart::LowestLod).to_bytes().unwrap();
    let small = Mesh::open(&small).unwrap();
    let error = extract(small.view(), Lod::Lowest).unwrap_err();
    assert!(error.to_string().contains("one of high, medium, low, found lowest"), "{error}");
    assert_eq!(error.to_string(), small.level(Lod::Lowest).unwrap_err().to_string());
    // From a cache file, a downloaded level can be extracted. Another level that is missing does
    // not matter.
    let cached = bytes("cache.asset");
    let cached = Mesh::open(&cached).unwrap();
    let alone = extract(cached.view(), Lod::High).unwrap();
    assert_eq!(stored(&Mesh::open(&alone).unwrap(), AssetPart::HighLod), stored(&cached, AssetPart::HighLod));
    assert!(extract(cached.view(), Lod::Lowest).unwrap_err().kind() == ErrorKind::Missing);
}

#[test]
fn blocks_beyond_the_end_can_be_left_out() {
    let made = quad().to_bytes().unwrap();
    let cut = &made[..made.len() - 10];
    let mesh = Mesh::open(cut).unwrap();
    let mut edit = Edit::of(mesh.view()).unwrap();
    let error = edit.to_bytes().unwrap_err();
    assert_eq!(error.field().to_string(), "high_lod.size");
    assert!(error.kind() == ErrorKind::UnexpectedEnd, "{error}");
    let without = edit.remove(AssetPart::HighLod).to_bytes().unwrap();
    let again = Mesh::open(&without).unwrap();
    assert_eq!(again.header().unwrap().lods().count(), 3);
    assert_eq!(again.header().unwrap().blocks().map(|block| block.end).max(), Some(again.view().end()));
}

#[test]
fn containers_and_cache_files() {
    let model = bytes("model.slm");
    let mesh = Mesh::open(&model).unwrap();
    let container = mesh.container().unwrap();
    assert_eq!((container.len(), container.version()), (2, Some(3)));
    assert!(container.name().unwrap().is("yard"));
    let labels: Vec<_> = container.instances().map(|instance| instance.label().unwrap().to_string()).collect();
    assert_eq!(labels, ["floor", "roof", "way up"]);
    let ids: Vec<_> = container.instances().map(|instance| instance.mesh_id().unwrap()).collect();
    assert_eq!(ids, [0, 0, 1]);
    assert!(container.instances().nth(1).unwrap().transform().unwrap()[12] > 1.0);
    for asset in mesh.assets() {
        assert_eq!(asset.header().unwrap().material_list().unwrap().len(), 1);
        assert!(asset.level(Lod::High).is_ok());
    }
    let asset = quad().to_bytes().unwrap();
    let cached = bytes("cache.asset");
    let mesh = Mesh::open(&cached).unwrap();
    let preamble = mesh.preamble().unwrap();
    let HeaderPrefix::Ready(header) = Header::of_prefix(&asset, &Limits::default()).unwrap() else { panic!() };
    assert_eq!((preamble.version.get(), u64::from(preamble.header_size.get())), (1, header.len()));
    assert_eq!(preamble.flags.get(), 0b10_1110);
    assert!(mesh.level(Lod::Lowest).unwrap_err().kind() == ErrorKind::Missing);
    assert!(mesh.level(Lod::Low).is_ok());
    assert!(mesh.convex().unwrap().is_some());
}

#[test]
fn the_header_of_the_smallest_sample_is_short() {
    let quad = bytes("quad.llmesh");
    let HeaderPrefix::Ready(header) = Header::of_prefix(&quad[..400], &Limits::default()).unwrap() else { panic!() };
    assert_eq!(header.lods().count(), 4);
    assert!(read(&quad, &LlsdLimits::default()).is_ok());
}

#[test]
fn levels_of_the_samples_shrink() {
    for sample in samples() {
        for mesh in Mesh::open(&sample.bytes).unwrap().assets() {
            let count = |lod| Some(mesh.level(lod).ok()?.submeshes().map(|one| one.unwrap().triangle_count()).sum());
            let counts: Vec<usize> = Lod::ALL.into_iter().filter_map(count).collect();
            assert!(counts.is_sorted_by(|one, other| one > other), "{}: {counts:?}", sample.file);
            for level in Lod::ALL.into_iter().filter_map(|lod| mesh.level(lod).ok()) {
                for submesh in level.submeshes().map(Result::unwrap) {
                    let used: std::collections::BTreeSet<u32> = submesh.indices().unwrap().iter().collect();
                    assert_eq!(used.len(), submesh.vertex_count(), "{}", sample.file);
                    faces_outwards(&submesh);
                }
            }
        }
    }
}

/// Asserts that each triangle faces in the direction of its normals.
fn faces_outwards(submesh: &meshpeek::secondlife::Submesh<'_>) {
    let (Ok(positions), Ok(Some(normals))) = (submesh.positions(), submesh.normals()) else { return };
    let indices: Vec<usize> = submesh.indices().unwrap().iter().map(|index| usize::try_from(index).unwrap()).collect();
    for [a, b, c] in indices.as_chunks().0 {
        let [first, second, third] = [a, b, c].map(|index| positions.get(*index).unwrap());
        let [one, two] = [second, third].map(|corner| [0, 1, 2].map(|axis| corner[axis] - first[axis]));
        let side = [(1, 2), (2, 0), (0, 1)].map(|(y, z)| one[y] * two[z] - one[z] * two[y]);
        let sum = [a, b, c].map(|index| normals.get(*index).unwrap());
        let along: f32 = sum.iter().map(|normal| normal.iter().zip(side).map(|(n, s)| n * s).sum::<f32>()).sum();
        assert!(along > 0.0);
    }
}

#[test]
fn real_assets_stay_as_they_are() {
    let Some(folder) = crate::support::corpus("secondlife") else { return };
    let (mut seen, mut blocks, mut identical) = (0, 0, 0);
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        if !path.extension().is_some_and(|ending| ending == "llmesh" || ending == "slm") {
            continue;
        }
        let bytes = std::fs::read(&path).unwrap();
        for asset in Mesh::open(&bytes).unwrap().assets() {
            let view = asset.view();
            assert_eq!(Edit::of(view).unwrap().to_bytes().unwrap(), view.asset(), "{}", path.display());
            for lod in view.header().unwrap().lods() {
                let alone = extract(view, lod).unwrap();
                let alone = Mesh::open(&alone).unwrap();
                assert_eq!(stored(&alone, AssetPart::HighLod), stored(&asset, lod.part()));
            }
            // The codes of a level are unchanged after a conversion to floats and back.
            for part in view.header().unwrap().blocks().map(|block| block.part).filter(|part| part.is_geometry()) {
                let block = asset.block(part).unwrap().unwrap();
                let built = copied::level(block.level().unwrap()).encode();
                assert_eq!(built.len(), block.bytes().len(), "{} {part:?}", path.display());
                blocks += 1;
                identical += usize::from(built == block.bytes());
            }
            seen += 1;
        }
    }
    // The remaining blocks have their keys in another order.
    assert!(seen > 0 && identical + 2 >= blocks, "{identical} of {blocks} blocks");
}

#[test]
fn equal_normals_of_a_ramp_are_reported() {
    let rules = |asset: &builder::Asset| {
        let mut rules = Vec::new();
        open(asset).validate(&mut |finding| rules.push(finding.rule)).unwrap();
        rules.retain(|rule| *rule == "SL42");
        rules
    };
    let mut asset = ramp();
    assert!(rules(&asset).is_empty());
    let submesh = &mut asset.high.submeshes[0];
    submesh.normals = vec![[1.0, 0.0, 0.0]; submesh.positions.len()];
    assert_eq!(rules(&asset), ["SL42"]);
}
