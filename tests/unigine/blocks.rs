//! Tests of UNIGINE meshes of compressed generations: their blocks, the trees in them, when blocks
//! are inflated, and the errors for damaged content.

use crate::support::unigine::builder;
use meshpeek::decode::TangentFrame;
use meshpeek::unigine::{BlockLocation, Generation, InflateBuffer, Mesh, Storage, SurfaceTree, SurfaceView, TreeNode};
use meshpeek::{Array, Corners, ErrorKind, Limits, MeshFile as _, OpenOptions, Result, Surface};

use crate::support::invariants::expect_named;
use crate::support::is_error;
use crate::support::random::Random;
use crate::support::unigine::{bytes, compact, cube, faults, findings, grid, range, region, regions, samples};

/// Returns all samples that have blocks.
fn compressed() -> impl Iterator<Item = (&'static str, builder::Mesh)> {
    let all = samples().into_iter().filter(|sample| sample.mesh.generation.is_compressed());
    all.map(|sample| (sample.stem, sample.mesh))
}

fn blocks<D: AsRef<[u8]>>(mesh: &Mesh<D>, index: usize) -> [BlockLocation; 2] {
    mesh.blocks(index).unwrap().unwrap()
}

fn stored<'f>(file: &'f [u8], block: &BlockLocation) -> &'f [u8] {
    &file[block.start() as usize..block.end() as usize]
}

/// Replaces the content of a block and its declared raw size, and corrects the table of blocks.
fn reframe(file: &[u8], index: usize, part: usize, raw: i64, content: &[u8]) -> Vec<u8> {
    let mesh = Mesh::open(file).unwrap();
    let block = blocks(&mesh, index)[part];
    let sizes = [raw.to_le_bytes(), (content.len() as i64).to_le_bytes()].concat();
    let mut out = [&file[..block.offset as usize], &sizes, content, &file[block.end() as usize..]].concat();
    let moved = content.len() as i64 - block.stored as i64;
    let table = out.len() - 4 - mesh.surface_count() * 8;
    for surface in 0..mesh.surface_count() {
        let place = blocks(&mesh, surface)[0].offset as i64;
        let place = if place > block.offset as i64 { place + moved } else { place };
        out[table + surface * 8..table + surface * 8 + 8].copy_from_slice(&place.to_le_bytes());
    }
    out
}

/// Encodes bytes as an LZ4 block that consists of literals only, as the format's definition
/// describes.
fn literals(content: &[u8]) -> Vec<u8> {
    let Some(mut more) = content.len().checked_sub(15) else {
        return [&[(content.len() as u8) << 4], content].concat();
    };
    let mut out = vec![0xf0];
    while more >= 255 {
        out.push(255);
        more -= 255;
    }
    out.push(more as u8);
    out.extend(content);
    out
}

/// Returns the content of the blocks of all surfaces, geometry first.
///
/// It writes the mesh with verbatim blocks and takes them from there.
fn contents(file: &[u8]) -> Vec<[Vec<u8>; 2]> {
    let mut raw = Vec::new();
    Mesh::open(file).unwrap().write_stored(&mut raw, Storage::Raw).unwrap();
    let mesh = Mesh::open(raw.as_slice()).unwrap();
    (0..mesh.surface_count()).map(|index| blocks(&mesh, index).map(|block| stored(&raw, &block).to_vec())).collect()
}

/// All values of a surface's views, as bytes and numbers.
type SurfaceValues = (Vec<Vec<u8>>, Vec<u32>, Vec<u32>);

fn said(view: &SurfaceView<'_>) -> Result<SurfaceValues> {
    let mut arrays = Vec::new();
    for target in 0..view.target_count() {
        let target = view.target(target)?;
        arrays.push(target.positions()?.iter().flatten().flat_map(f32::to_le_bytes).collect());
        arrays.push(target.tangent_frames()?.as_bytes().to_vec());
    }
    let lists = view.weights()?;
    arrays.extend(
        lists.into_iter().flat_map(|lists| lists.iter().map(|list| list.as_bytes().to_vec()).collect::<Vec<_>>()),
    );
    for set in 0..2 {
        let uvs = view.uvs(set)?;
        arrays.extend(uvs.map(|uvs| uvs.iter().flatten().flat_map(f32::to_le_bytes).collect::<Vec<u8>>()));
    }
    arrays.extend(view.colors()?.map(|colors| colors.raw().concat()));
    Ok((arrays, view.indices()?.iter().collect(), view.attribute_indices()?.iter().collect()))
}

fn expect_same_tree(one: &SurfaceTree<'_>, other: &SurfaceTree<'_>) {
    assert_eq!((one.edges(), one.corners(), one.nodes()), (other.edges(), other.corners(), other.nodes()));
    assert!(one.boxes().iter().eq(other.boxes().iter()) && one.splits().iter().eq(other.splits().iter()));
}

/// Asserts that two files have the same content, independent of how it is stored.
fn expect_same(one: &[u8], other: &[u8]) {
    let [one, other] = [one, other].map(|file| Mesh::open(file).unwrap());
    assert_eq!(one.surface_count(), other.surface_count());
    for index in 0..one.surface_count() {
        assert_eq!(said(&one.surface(index).unwrap()).unwrap(), said(&other.surface(index).unwrap()).unwrap());
        expect_same_tree(&one.tree(index).unwrap().unwrap(), &other.tree(index).unwrap().unwrap());
    }
}

#[test]
fn reads_the_sample() {
    for (stem, built) in compressed() {
        let whole = built.to_bytes().unwrap();
        let mesh = Mesh::open(whole.as_slice()).unwrap();
        assert_eq!((mesh.leaf_triangles(), mesh.surface_count()), (Some(4), built.surfaces.len()), "{stem}");
        assert!(mesh.memory_estimate().unwrap() > 0);
        // The same surfaces in a generation without blocks.
        let plain = builder::Mesh { generation: Generation::Ms13, ..built.clone() };
        let plain = Mesh::open(plain.to_bytes().unwrap()).unwrap();
        assert!(plain.blocks(0).unwrap().is_none() && plain.tree(0).unwrap().is_none());
        assert_eq!((plain.leaf_triangles(), plain.memory_estimate(), plain.inflated_bytes()), (None, None, 0));
        let mut buffer = InflateBuffer::default();
        for index in 0..mesh.surface_count() {
            let expected = said(&plain.surface(index).unwrap()).unwrap();
            assert_eq!(said(&mesh.surface_in(index, &mut buffer).unwrap()).unwrap(), expected, "{stem} {index}");
            assert_eq!(said(&mesh.surface(index).unwrap()).unwrap(), expected, "{stem} {index}");
            // The mesh has cached the block now, so the buffer is not used.
            assert_eq!(said(&mesh.surface_in(index, &mut buffer).unwrap()).unwrap(), expected);
            assert_eq!(said(&plain.surface_in(index, &mut buffer).unwrap()).unwrap(), expected);
            let [geometry, tree] = blocks(&mesh, index);
            assert_eq!(mesh.surface(index).unwrap().offset(), geometry.offset);
            assert!(geometry.end() <= tree.offset && tree.end() <= whole.len() as u64);
            let [one, other] = contents(&whole)[index].clone();
            assert_eq!([geometry.raw, tree.raw], [one.len() as i64, other.len() as i64]);
        }
        assert!(mesh.surface(mesh.surface_count()).unwrap_err().kind() == ErrorKind::NoSuch);
        assert!(mesh.tree(mesh.surface_count()).unwrap_err().kind() == ErrorKind::NoSuch);
        assert!(mesh.blocks(mesh.surface_count()).unwrap_err().kind() == ErrorKind::NoSuch);
        assert!(mesh.surface_in(mesh.surface_count(), &mut buffer).is_err());
    }
    expect_same(&bytes("cube_ms14"), &bytes("cube_ms14_raw"));
    assert!(bytes("cube_ms14").len() < bytes("cube_ms14_raw").len());
}

/// Compares the tree with its surface, node by node.
#[test]
fn trees_hold_their_triangles() {
    for (stem, built) in compressed() {
        let mesh = Mesh::open(built.to_bytes().unwrap()).unwrap();
        for (index, surface) in built.surfaces.iter().enumerate() {
            let tree = mesh.tree(index).unwrap().unwrap();
            let triangles = surface.indices.len() / 3;
            assert_eq!([tree.edges().len(), tree.corners().len()], [triangles; 2], "{stem}");
            assert_eq!([tree.boxes().len(), tree.splits().len()], [tree.nodes().len(); 2]);
            let mut seen = vec![0; triangles];
            for (number, node) in tree.nodes().iter().enumerate() {
                let outer = tree.boxes().get(number).unwrap();
                if let Some(children) = node.children() {
                    assert!(!node.is_leaf() && children[0] == number + 1 && children[1] > children[0]);
                    for child in children {
                        let inner = tree.boxes().get(child).unwrap();
                        assert!((0..3).all(|axis| outer[axis] <= inner[axis] && outer[axis + 3] >= inner[axis + 3]));
                    }
                    continue;
                }
                let held = tree.triangles(node).unwrap();
                assert!(node.is_leaf() && !held.is_empty());
                for first in held {
                    seen[*first as usize / 3] += 1;
                    for corner in *first..first + 3 {
                        let position = surface.targets[0].positions[surface.indices[corner as usize] as usize];
                        let inside = |axis: usize| (outer[axis]..=outer[axis + 3]).contains(&position[axis]);
                        assert!((0..3).all(inside));
                    }
                }
            }
            assert!(seen.iter().all(|times| *times == 1), "{stem}: each triangle is in one leaf");
            let nowhere = TreeNode { left: -1, right: -1, start: 0, end: i32::MAX, ..TreeNode::default() };
            assert!(tree.triangles(&nowhere).is_none());
        }
    }
}

#[test]
fn accounts_for_every_byte() {
    for (stem, built) in compressed() {
        for storage in [Storage::Raw, Storage::Lz4] {
            let whole = builder::Mesh { storage, ..built.clone() }.to_bytes().unwrap();
            let mesh = Mesh::open(whole.as_slice()).unwrap();
            let all = regions(&whole);
            assert!(all.windows(2).all(|pair| pair[0].end == pair[1].start), "{stem}");
            assert_eq!((all[0].start, all.last().unwrap().end), (0, whole.len() as u64));
            for index in 0..mesh.surface_count() {
                for (block, name) in blocks(&mesh, index).iter().zip(["geometry", "tree"]) {
                    let sizes = region(&whole, &format!("surface[{index}].{name}.sizes"));
                    assert_eq!(sizes, block.offset as usize..block.start() as usize);
                    let inside: Vec<_> = all
                        .iter()
                        .filter(|region| region.start >= block.start() && region.end <= block.end())
                        .filter(|region| region.field.outer().is_some())
                        .collect();
                    // A verbatim block has several named regions inside. A compressed block is a
                    // single region.
                    assert_eq!(inside.len() > 1, block.is_verbatim(), "{stem} {index} {name}");
                    assert!(storage == Storage::Lz4 || block.is_verbatim());
                }
            }
            let table = region(&whole, "offsets");
            let places: Vec<u64> = whole[table].as_chunks().0.iter().map(|place| u64::from_le_bytes(*place)).collect();
            let expected: Vec<u64> = (0..mesh.surface_count()).map(|index| blocks(&mesh, index)[0].offset).collect();
            assert_eq!(places, expected);
        }
    }
}

/// Tests a mesh without surfaces, and surfaces without content.
#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it")]
fn reads_what_is_empty() {
    let nothing = builder::Surface { targets: vec![builder::MorphTarget::default()], ..builder::Surface::default() };
    for surfaces in [Vec::new(), vec![nothing.clone()], vec![nothing.clone(), grid("grid", 3, true), nothing]] {
        for (generation, storage) in [(Generation::Ms14, Storage::Raw), (Generation::Ms15, Storage::Lz4)] {
            let built = builder::Mesh { surfaces: surfaces.clone(), storage, ..builder::Mesh::new(generation) };
            let whole = built.to_bytes().unwrap();
            let mesh = Mesh::open(whole.as_slice()).unwrap();
            mesh.check().unwrap();
            mesh.inflate(&(0..surfaces.len()).collect::<Vec<_>>()).unwrap();
            for (index, surface) in surfaces.iter().enumerate() {
                let tree = mesh.tree(index).unwrap().unwrap();
                assert_eq!([tree.edges().len(), tree.corners().len()], [surface.indices.len() / 3; 2]);
                assert_eq!(tree.nodes().is_empty(), surface.indices.is_empty());
            }
            let found = faults(&whole);
            assert!(found.is_empty(), "{found:?}");
            look_at_all(&whole);
            for length in 0..whole.len() {
                look_at_all(&whole[..length]);
            }
            let mut written = Vec::new();
            mesh.write_to(0, &mut written).unwrap();
            assert!(written == whole);
        }
    }
}

/// Asserts that the geometry ends inside the part that the error names.
fn expect_cut_part(error: &meshpeek::Error, whole: &[u8], content_at: u64, length: usize) {
    let cut = content_at + length as u64;
    let all = regions(whole);
    let part = all.iter().find(|region| region.end > cut).unwrap();
    let named = all.iter().find(|region| region.field == error.field()).unwrap_or_else(|| panic!("{error}"));
    if error.field().name().ends_with(".count") {
        assert!(named.start <= part.start, "cut to {length} in {}: {error}", part.field);
    } else {
        assert_eq!(named.field, part.field, "cut to {length}: {error}");
    }
}

#[test]
fn names_the_field_that_is_cut() {
    let whole = bytes("cube_ms14_raw");
    for (part, name) in [(0, "geometry"), (1, "tree")] {
        let content = contents(&whole)[0][part].clone();
        let start = region(&whole, &format!("surface[0].{name}.sizes")).end as u64;
        let look = |file: &[u8]| {
            let mesh = Mesh::open(file).unwrap();
            let whole = mesh.check();
            let error = if part == 0 { mesh.surface(0).map(drop) } else { mesh.tree(0).map(drop) }.unwrap_err();
            assert_eq!(whole.is_err(), part == 0, "checking a mesh reads no trees");
            let again = if part == 0 { mesh.surface(0).map(drop) } else { mesh.tree(0).map(drop) }.unwrap_err();
            assert_eq!(again.to_string(), error.to_string(), "a failed access fails again");
            expect_named(&error, file.len() as u64);
            assert!(findings(file).iter().any(|found| found.field == error.field()), "{error}");
            error
        };
        for length in 0..content.len() {
            // For a verbatim block, the error has the offset in the file.
            let spoilt = reframe(&whole, 0, part, length as i64, &content[..length]);
            let error = look(&spoilt);
            assert_eq!(error.inflated_offset(), None);
            assert!((start..=start + length as u64).contains(&error.offset().unwrap()), "{error}");
            expect_cut_part(&error, &whole, start, length);
            // For a compressed block, the error has the offset of the block and the offset in the
            // inflated content.
            let spoilt = reframe(&whole, 0, part, length as i64, &literals(&content[..length]));
            let other = look(&spoilt);
            assert_eq!((other.field(), other.offset()), (error.field(), Some(start)), "{error}, {other}");
            assert_eq!(other.inflated_offset().unwrap() + start, error.offset().unwrap());
        }
        let longer = [&content[..], &[0]].concat();
        let spoilt = reframe(&whole, 0, part, longer.len() as i64, &longer);
        assert_eq!(look(&spoilt).offset(), Some(start + content.len() as u64));
        // Declared sizes that are wrong.
        for wrong in [content.len() as i64 - 1, content.len() as i64 + 1, 0, -1, i64::MIN, i64::MAX, 1 << 40] {
            let error = look(&reframe(&whole, 0, part, wrong, &literals(&content)));
            assert!(error.field().name().starts_with(name), "{error}");
        }
    }
}

/// Tests that a block of literals is read like the output of an encoder.
///
/// It may even be longer than its content.
#[test]
fn inflates_what_another_encoder_made() {
    let whole = bytes("room_ms14");
    let mut spoilt = whole.clone();
    for (index, content) in contents(&whole).iter().enumerate() {
        for (part, content) in content.iter().enumerate() {
            spoilt = reframe(&spoilt, index, part, content.len() as i64, &literals(content));
        }
    }
    let mesh = Mesh::open(spoilt.as_slice()).unwrap();
    assert!(blocks(&mesh, 0).iter().all(|block| block.stored as i64 > block.raw && !block.is_verbatim()));
    mesh.check().unwrap();
    expect_same(&spoilt, &whole);
    assert!(faults(&spoilt).is_empty(), "{:?}", faults(&spoilt));
    let mut written = Vec::new();
    mesh.write_to(0, &mut written).unwrap();
    assert!(written == spoilt);
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it")]
fn survives_any_count() {
    for stem in ["cube_ms14_raw", "room_ms14", "skinned_ms14", "cube_ms15"] {
        let built = compressed().find(|(name, _)| *name == stem).unwrap().1;
        let whole = builder::Mesh { storage: Storage::Raw, ..built }.to_bytes().unwrap();
        let counts = regions(&whole);
        let counts = counts.iter().filter(|region| region.element.name == "compact int");
        for count in counts {
            let (name, place) = (count.field.to_string(), range(count));
            let own = meshpeek::decode::compact::decode(&whole[place.clone()]).unwrap().0;
            for other in [0, 1, own - 1, own + 1, i32::MAX, -1, -i32::MAX] {
                let spelled = compact(other);
                let mut spoilt = whole.clone();
                // Inside a block, a replacement of equal length keeps the block sizes and all later
                // offsets.
                if spelled.len() == place.len() {
                    spoilt[place.clone()].copy_from_slice(&spelled);
                } else {
                    spoilt = crate::support::unigine::spoil(&whole, &name, &spelled);
                }
                look_at_all(&spoilt);
            }
        }
    }
}

/// Reads everything of a file that may be damaged.
///
/// Each error names its field, nothing panics, and undamaged parts can be read.
fn look_at_all(file: &[u8]) {
    let length = file.len() as u64;
    let named = |error: &meshpeek::Error| expect_named(error, length);
    let Ok(mesh) = Mesh::open(file).inspect_err(named) else { return };
    let regions = mesh.regions(0, &mut |_| {}).inspect_err(named);
    let validated = mesh.validate(&mut |finding| assert!(finding.offset <= length)).inspect_err(named);
    assert_eq!(regions.is_ok(), validated.is_ok());
    let mut out = Vec::new();
    // If the end of a block is unknown, its bytes still belong to regions and later parts are
    // found, but the mesh cannot be written.
    let written = mesh.write_to(0, &mut out).is_ok();
    assert!(!written || regions.is_ok() && mesh.end().is_ok());
    let mut buffer = InflateBuffer::default();
    for index in 0..mesh.surface_count() {
        let lent = mesh.surface_in(index, &mut buffer).and_then(|view| said(&view)).inspect_err(named);
        let held = mesh.surface(index).and_then(|view| said(&view));
        assert_eq!(lent.is_ok(), held.is_ok());
        if let (Ok(lent), Ok(held)) = (lent, held) {
            assert_eq!(lent, held);
        }
        if let Ok(Some(tree)) = mesh.tree(index).inspect_err(named) {
            assert!(
                tree.nodes()
                    .iter()
                    .all(|node| node.end <= node.start || tree.triangles(node).is_none_or(|held| !held.is_empty()))
            );
        }
    }
}

#[test]
fn writes_what_it_read() {
    for (stem, built) in compressed() {
        let whole = built.to_bytes().unwrap();
        let mesh = Mesh::open(whole.as_slice()).unwrap();
        let write = |mesh: &Mesh<&[u8]>, storage| {
            let mut out = Vec::new();
            mesh.write_stored(&mut out, storage).unwrap();
            out
        };
        assert!(write(&mesh, Storage::Kept) == whole, "{stem}");
        let mut out = Vec::new();
        mesh.write_to(0, &mut out).unwrap();
        assert!(out == whole, "{stem}");
        for storage in [Storage::Raw, Storage::Lz4] {
            let written = write(&mesh, storage);
            assert!(
                written == builder::Mesh { storage, ..built.clone() }.to_bytes().unwrap(),
                "{stem}: equal to the built mesh"
            );
            expect_same(&written, &whole);
            assert!(faults(&written).is_empty());
            let again = Mesh::open(written.as_slice()).unwrap();
            assert!(write(&again, storage) == written && write(&again, Storage::Kept) == written);
        }
        assert_eq!(mesh.inflated_bytes(), 0, "{stem}: writing keeps no inflated block");
    }
    let plain = bytes("cube_ms13");
    let mut out = Vec::new();
    Mesh::open(plain.as_slice()).unwrap().write_stored(&mut out, Storage::Raw).unwrap();
    assert!(out == plain);
}

#[test]
fn agrees_with_the_neutral_view() {
    for (_, built) in compressed() {
        let mesh = Mesh::open(built.to_bytes().unwrap()).unwrap();
        for surface in Surface::all(&mesh).unwrap() {
            let view = mesh.surface(surface.index()).unwrap();
            assert_eq!(surface.counts().unwrap(), view.counts().unwrap());
            let positions = surface.positions().unwrap();
            let own = view.positions().unwrap();
            assert_eq!(positions.as_bytes().as_ptr(), own.raw().as_ptr().cast());
            assert!((0..own.len()).all(|item| positions.get(item) == own.get(item)));
            assert_eq!(
                surface.tangent_frames().unwrap().unwrap().as_bytes(),
                view.tangent_frames().unwrap().as_bytes()
            );
            let corners: Corners<'_> = surface.corners().unwrap();
            assert!(corners.iter().map(|corner| corner.position).eq(view.indices().unwrap().iter()));
            assert!(corners.iter().map(|corner| corner.attribute).eq(view.attribute_indices().unwrap().iter()));
            assert_eq!(surface.name().unwrap(), view.name());
        }
    }
}

/// Tests that opening inflates nothing.
///
/// A surface inflates only its geometry, and its tree inflates only the tree.
#[test]
fn inflates_only_what_is_asked_for() {
    let whole = bytes("room_ms14");
    let mesh = Mesh::open_with(whole.as_slice(), &OpenOptions::default().with_record_access(true)).unwrap();
    let touched = mesh.access_log(0).unwrap();
    let header = region(&whole, "inner_magic").end as u64;
    assert_eq!((touched.bytes(), mesh.inflated_bytes()), (header, 0));
    for surface in Surface::all(&mesh).unwrap() {
        surface.name().unwrap();
        surface.bounds().unwrap();
        surface.sphere().unwrap();
    }
    assert_eq!((touched.bytes(), mesh.inflated_bytes()), (header, 0));

    // The last block but one is located by the table. This reads the magics, all offsets (which
    // must ascend), and the sizes of this block and of the last one. Trees have no table, so the
    // sizes of the trees before are read.
    let index = 3;
    let [geometry, tree] = blocks(&mesh, index);
    let found = touched.bytes() - header;
    assert!(found <= 12 + 5 * 8 + 6 * 16, "{found} bytes read to locate a block");
    assert_eq!(mesh.inflated_bytes(), 0, "locating a block inflates nothing");
    let view = mesh.surface(index).unwrap();
    assert_eq!(mesh.inflated_bytes(), geometry.raw as u64);
    let looked = touched.bytes() - header - found;
    assert!(
        (geometry.stored..=geometry.stored + 64).contains(&looked),
        "{looked} bytes read for {} stored bytes",
        geometry.stored
    );
    let before = touched.bytes();
    assert!(said(&view).is_ok() && mesh.surface(index).is_ok());
    assert_eq!(
        (touched.bytes(), mesh.inflated_bytes()),
        (before, geometry.raw as u64),
        "the block is read once and cached"
    );
    mesh.tree(index).unwrap().unwrap();
    assert!(mesh.inflated_bytes() >= (geometry.raw + tree.raw) as u64);
    assert!(touched.bytes() - before <= tree.stored + 64);

    // Arrays of a verbatim block are borrowed from the file, and no vertex is read.
    let (before, held) = (touched.bytes(), mesh.inflated_bytes());
    let sign = mesh.surface(4).unwrap();
    let place = region(&whole, "surface[4].target[0].positions");
    assert_eq!(sign.positions().unwrap().raw().as_ptr().cast(), whole[place].as_ptr());
    assert_eq!(mesh.inflated_bytes(), held);
    assert!(touched.bytes() - before <= 16 + 8, "only counts and sizes are read");

    // Blocks that are inflated into the caller's buffer do not stay in the mesh.
    let mesh = Mesh::open(whole.as_slice()).unwrap();
    let mut buffer = InflateBuffer::default();
    for index in 0..5 {
        assert!(!mesh.surface_in(index, &mut buffer).unwrap().positions().unwrap().is_empty());
    }
    mesh.check().unwrap();
    mesh.validate(&mut |_| {}).unwrap();
    assert_eq!(mesh.inflated_bytes(), 0);
}

#[test]
fn inflates_several_at_once() {
    let built = builder::Mesh {
        surfaces: (2..22).map(|side| grid("grid", side, side % 2 == 0)).collect(),
        ..builder::Mesh::new(Generation::Ms14)
    };
    let whole = built.to_bytes().unwrap();
    let one_by_one = Mesh::open(whole.as_slice()).unwrap();
    let mesh = Mesh::open(whole.as_slice()).unwrap();
    mesh.inflate(&[]).unwrap();
    assert_eq!(mesh.inflated_bytes(), 0);
    let some = [7, 3, 19, 3];
    mesh.inflate(&some).unwrap();
    let raw = |index: usize| {
        let [geometry, _] = blocks(&one_by_one, index);
        if geometry.is_verbatim() { 0 } else { geometry.raw as u64 }
    };
    assert_eq!(mesh.inflated_bytes(), raw(3) + raw(7) + raw(19));
    mesh.inflate(&(0..20).collect::<Vec<_>>()).unwrap();
    assert_eq!(mesh.inflated_bytes(), (0..20).map(raw).sum::<u64>());
    for index in 0..20 {
        let [found, expected] = [&mesh, &one_by_one].map(|mesh| said(&mesh.surface(index).unwrap()).unwrap());
        assert_eq!(found, expected);
    }
    // The call returns the first failure in the order of the list. The other blocks are inflated
    // nevertheless.
    let mut spoilt = whole.clone();
    for index in [5, 11] {
        let [geometry, _] = blocks(&one_by_one, index);
        spoilt[geometry.offset as usize..geometry.offset as usize + 8].copy_from_slice(&(-1_i64).to_le_bytes());
    }
    let mesh = Mesh::open(spoilt.as_slice()).unwrap();
    let error = mesh.inflate(&[2, 11, 5, 99, 8]).unwrap_err();
    assert_eq!(error.field().outer().unwrap().1, 11, "{error}");
    assert_eq!(mesh.inflated_bytes(), raw(2) + raw(8));
    assert!(mesh.inflate(&[99, 11]).unwrap_err().kind() == ErrorKind::NoSuch);
    // When several threads read the surfaces, each surface is inflated once.
    let mesh = Mesh::open(whole.as_slice()).unwrap();
    std::thread::scope(|scope| {
        for first in 0..4 {
            let mesh = &mesh;
            scope.spawn(move || {
                for index in (0..20).cycle().skip(first * 5).take(20) {
                    mesh.surface(index).unwrap().counts().unwrap();
                    mesh.tree(index).unwrap().unwrap();
                }
            });
        }
    });
    let trees = one_by_one;
    trees.inflate(&(0..20).collect::<Vec<_>>()).unwrap();
    (0..20).for_each(|index| assert!(trees.tree(index).unwrap().is_some()));
    assert_eq!(mesh.inflated_bytes(), trees.inflated_bytes());
}

/// Tests wide indices.
///
/// No real file with such indices is known. They may have four bytes, as in older generations, or
/// be compact ints, as the vendor's page documents.
#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it optimised")]
fn reads_wide_indices_in_both_spellings() {
    let surface = |positions: u32, frames: u32| builder::Surface {
        name: "wide".into(),
        targets: vec![builder::MorphTarget {
            positions: (0..positions).map(|number| [number as f32, (number % 7) as f32, 0.5]).collect(),
            frames: vec![TangentFrame { handedness: -1.0, ..TangentFrame::default() }; frames as usize],
            ..builder::MorphTarget::default()
        }],
        indices: vec![0, positions - 1, 62, 63, positions / 2, 8_191],
        attribute_indices: vec![frames - 1, 0, frames / 2, 1, 2, 3],
        ..builder::Surface::default()
    };
    for (positions, frames) in [(65_536, 70_000), (65_535, 65_536), (70_000, 200), (65_536, 65_535)] {
        for generation in [Generation::Ms14, Generation::Ms15] {
            let surfaces = vec![surface(positions, frames), grid("narrow", 4, true)];
            let built = builder::Mesh { surfaces, ..builder::Mesh::new(generation) };
            let fixed = built.to_bytes().unwrap();
            let view_counts = Mesh::open(fixed.as_slice()).unwrap().surface(0).unwrap().counts().unwrap();
            let wide = |count: u32| {
                if count >= 65_536 {
                    4
                } else if count >= 256 {
                    2
                } else {
                    1
                }
            };
            assert_eq!(view_counts.index_widths, [wide(positions), wide(frames)]);
            // The index streams are at the end of the block. Each wide stream is replaced by
            // compact ints.
            let content = contents(&fixed)[0][0].clone();
            let streams = [(&built.surfaces[0].indices, positions), (&built.surfaces[0].attribute_indices, frames)];
            let tail: usize = streams.iter().map(|(stream, count)| stream.len() * usize::from(wide(*count))).sum();
            let mut spelled = content[..content.len() - tail].to_vec();
            for (stream, count) in streams {
                for index in stream {
                    match wide(count) {
                        4 => spelled.extend(compact(*index as i32)),
                        width => spelled.extend(&index.to_le_bytes()[..width.into()]),
                    }
                }
            }
            assert_ne!(spelled.len(), content.len());
            let verbatim = reframe(&fixed, 0, 0, spelled.len() as i64, &spelled);
            let inflated = reframe(&fixed, 0, 0, spelled.len() as i64, &literals(&spelled));
            let mut buffer = InflateBuffer::default();
            for file in [&fixed, &verbatim, &inflated] {
                let mesh = Mesh::open(file.as_slice()).unwrap();
                mesh.check().unwrap();
                let lent = said(&mesh.surface_in(0, &mut buffer).unwrap()).unwrap();
                assert_eq!(mesh.inflated_bytes(), 0);
                let held = said(&mesh.surface(0).unwrap()).unwrap();
                assert_eq!((&lent.1, &lent.2), (&built.surfaces[0].indices, &built.surfaces[0].attribute_indices));
                assert!(lent == held);
                // The mesh holds four bytes for each index, independent of the encoding in the
                // file.
                assert!(mesh.inflated_bytes() >= content.len() as u64);
                expect_same(file, &fixed);
                let mut written = Vec::new();
                mesh.write_to(0, &mut written).unwrap();
                assert!(&written == file);
                assert!(faults(file).iter().all(|found| found.rule == "UG22"), "{:?}", faults(file));
            }
            // The block has a wrong length for both encodings.
            for wrong in [&spelled[..spelled.len() - 1], &[&spelled[..], &[0]].concat()] {
                let error =
                    Mesh::open(reframe(&fixed, 0, 0, wrong.len() as i64, wrong)).unwrap().surface(0).unwrap_err();
                assert!(["indices", "attribute_indices"].contains(&error.field().name()), "{error}");
            }
        }
    }
}

/// Tests that a wrong table is ignored.
///
/// The blocks are found one after another, and the written file has a correct table.
#[test]
fn walks_around_a_table_that_lies() {
    let whole = bytes("room_ms14");
    let table = region(&whole, "offsets");
    let [first, second] = [0, 1].map(|index| blocks(&Mesh::open(whole.as_slice()).unwrap(), index)[0].offset);
    let length = whole.len() as u64;
    for entry in 0..5 {
        for lie in [0, 1, first, first + 1, second, length - 1, length, u64::MAX, 1 << 63] {
            let mut spoilt = whole.clone();
            let at = table.start + entry * 8;
            if spoilt[at..at + 8] == lie.to_le_bytes() {
                continue;
            }
            spoilt[at..at + 8].copy_from_slice(&lie.to_le_bytes());
            for index in (0..5).rev() {
                let mesh = Mesh::open(spoilt.as_slice()).unwrap();
                let expected = Mesh::open(whole.as_slice()).unwrap();
                let found = said(&mesh.surface(index).unwrap()).unwrap();
                assert_eq!(found, said(&expected.surface(index).unwrap()).unwrap(), "{entry} to {lie}: {index}");
                assert_eq!(blocks(&mesh, index), blocks(&expected, index));
                expect_same_tree(&mesh.tree(index).unwrap().unwrap(), &expected.tree(index).unwrap().unwrap());
            }
            let found = faults(&spoilt);
            assert_eq!(found.iter().map(|found| (found.rule, found.offset)).collect::<Vec<_>>(), [("UG20", at as u64)]);
            let mut written = Vec::new();
            let mesh = Mesh::open(spoilt.as_slice()).unwrap();
            mesh.check().unwrap();
            mesh.write_to(0, &mut written).unwrap();
            assert!(written == whole);
        }
    }
    // A truncated file has no table. The surfaces before the end can be read.
    let mesh = Mesh::open(&whole[..table.start - 4]).unwrap();
    (0..5).for_each(|index| drop(said(&mesh.surface(index).unwrap()).unwrap()));
    assert_eq!(mesh.check().unwrap_err().field().to_string(), "table_magic");
}

/// Tests that a file with a wrong table gives the same results in any order of access.
#[test]
fn finds_the_same_in_any_order() {
    let surfaces = (3..10).map(|side| grid("grid", side, true)).collect();
    let built = builder::Mesh { surfaces, storage: Storage::Raw, ..builder::Mesh::new(Generation::Ms14) };
    let mut whole = built.to_bytes().unwrap();
    let sound = Mesh::open(whole.clone()).unwrap();
    let places: Vec<u64> = (0..7).map(|index| blocks(&sound, index)[0].offset).collect();
    let table = region(&whole, "offsets").start;
    // Inside each block there is a fake block that ends at the start of the next block, or of the
    // one after it.
    let mut lies = vec![0, u64::MAX, places[0] + 1];
    for index in 0..7 {
        let [block, _] = blocks(&sound, index);
        for (into, end) in [(40, block.end()), (80, blocks(&sound, (index + 1).min(6))[0].end())] {
            let at = block.start() + into;
            let sizes = [16_i64, (end - at) as i64 - 16].map(i64::to_le_bytes).concat();
            whole[at as usize..at as usize + 16].copy_from_slice(&sizes);
            lies.push(at);
        }
    }
    let mut random = Random::new(17);
    for round in 0..300 {
        let mut spoilt = whole.clone();
        for _ in 0..=random.below(4) {
            let (entry, lie) = (random.within(1..7), *random.pick(&lies));
            spoilt[table + entry * 8..table + entry * 8 + 8].copy_from_slice(&lie.to_le_bytes());
        }
        let alone: Vec<String> =
            (0..7).map(|index| format!("{:?}", Mesh::open(spoilt.as_slice()).unwrap().blocks(index))).collect();
        let mesh = Mesh::open(spoilt.as_slice()).unwrap();
        for _ in 0..20 {
            let index = random.below(7);
            assert_eq!(format!("{:?}", mesh.blocks(index)), alone[index], "round {round}, surface {index}");
        }
    }
}

/// Tests the limits for all blocks together and for a single block.
#[test]
fn keeps_the_limits() {
    let flat = |name: &str| {
        let mut surface = grid(name, 1, false);
        surface.targets[0].positions = vec![[0.25, 0.5, 0.75]; 20_000];
        surface.indices = vec![0; 300];
        surface.attribute_indices = vec![0; 300];
        surface
    };
    let built = builder::Mesh {
        surfaces: vec![flat("one"), flat("two"), flat("three")],
        ..builder::Mesh::new(Generation::Ms14)
    };
    let whole = built.to_bytes().unwrap();
    let raw = blocks(&Mesh::open(whole.as_slice()).unwrap(), 0)[0].raw as u64;
    assert!(raw > 240_000 && whole.len() < 40_000, "{raw} in {}", whole.len());
    let limits = Limits::default().with_asset(raw + raw / 2);
    let mesh = Mesh::open_with(whole.as_slice(), &OpenOptions::default().with_limits(limits)).unwrap();
    mesh.surface(1).unwrap();
    for _ in 0..2 {
        let error = mesh.surface(2).unwrap_err();
        assert!(is_error(&error, ErrorKind::Limit, &[&format!("at most {} (the limit `asset`)", limits.asset)]));
        assert_eq!(error.field().to_string(), "surface[2].geometry");
    }
    assert_eq!(mesh.inflated_bytes(), raw, "a refused block is not counted");
    // With a buffer for one block at a time, each block fits.
    let mut buffer = InflateBuffer::default();
    (0..3).for_each(|index| assert!(said(&mesh.surface_in(index, &mut buffer).unwrap()).is_ok()));
    mesh.check().unwrap();
    let limits = Limits::default().with_asset(raw - 1);
    let mesh = Mesh::open_with(whole.as_slice(), &OpenOptions::default().with_limits(limits)).unwrap();
    for error in
        [mesh.surface(0).unwrap_err(), mesh.surface_in(0, &mut InflateBuffer::default()).map(drop).unwrap_err()]
    {
        assert!(is_error(&error, ErrorKind::Limit, &["(the limit `asset`)"]), "{error}");
    }
    let limits = Limits::default().with_block(raw - 1);
    let mesh = Mesh::open_with(whole.as_slice(), &OpenOptions::default().with_limits(limits)).unwrap();
    let error = mesh.surface(0).unwrap_err();
    assert!(is_error(&error, ErrorKind::Limit, &["(the limit `block`)", &format!("found at least {raw}")]), "{error}");
    assert_eq!(error.field().to_string(), "surface[0].geometry.sizes");
    // A bomb is refused because of its declared size, before anything is inflated.
    let stored = blocks(&Mesh::open(whole.as_slice()).unwrap(), 0)[0].stored;
    let mut bomb = whole.clone();
    let at = region(&whole, "surface[0].geometry.sizes").start;
    bomb[at..at + 8].copy_from_slice(&((stored * 255 + 65) as i64).to_le_bytes());
    let mesh = Mesh::open(bomb.as_slice()).unwrap();
    let error = mesh.surface(0).unwrap_err();
    assert_eq!((error.kind().id(), error.offset()), ("value", Some(at as u64)), "{error}");
    mesh.surface(1).unwrap();
    // Decoded indices count against the limit, too: an index of one byte takes four bytes.
    let mut wide = flat("wide");
    wide.targets[0].positions = vec![[0.25, 0.5, 0.75]; 70_000];
    wide.indices = vec![0; 900_000];
    wide.attribute_indices = vec![0; 900_000];
    let fixed = builder::Mesh { surfaces: vec![wide], ..builder::Mesh::new(Generation::Ms14) }.to_bytes().unwrap();
    let content = contents(&fixed)[0][0].clone();
    let head = content.len() - 900_000 * 5;
    let spelled = [&content[..head], &vec![0; 1_800_000]].concat();
    let mut spoilt = Vec::new();
    let verbatim = reframe(&fixed, 0, 0, spelled.len() as i64, &spelled);
    Mesh::open(verbatim.as_slice()).unwrap().write_stored(&mut spoilt, Storage::Lz4).unwrap();
    for limit in [content.len(), content.len() - 1] {
        assert!(spoilt.len() * 4 < content.len(), "{} for {}", spoilt.len(), content.len());
        let limits = Limits::default().with_asset(limit as u64 + spelled.len() as u64);
        let mesh = Mesh::open_with(spoilt.as_slice(), &OpenOptions::default().with_limits(limits)).unwrap();
        if limit == content.len() {
            assert!(mesh.surface(0).unwrap().indices().unwrap().iter().all(|index| index == 0));
            assert_eq!(mesh.inflated_bytes(), content.len() as u64);
        } else {
            let error = mesh.surface(0).unwrap_err();
            assert!(is_error(&error, ErrorKind::Limit, &["(the limit `asset`)"]), "{error}");
            assert_eq!(mesh.inflated_bytes(), 0);
        }
    }
}

/// Tests a table that is consistent but omits a block.
///
/// The reader follows it and reports it, and writing the mesh loses no block.
#[test]
fn loses_no_block_that_the_table_leaves_out() {
    let surfaces = ["one", "two", "three"].map(|name| cube(name, 0.5)).to_vec();
    let built = builder::Mesh { surfaces, storage: Storage::Raw, ..builder::Mesh::new(Generation::Ms14) };
    let whole = built.to_bytes().unwrap();
    let table = region(&whole, "offsets").start;
    let [_, _, last] = [0, 1, 2].map(|index| blocks(&Mesh::open(whole.as_slice()).unwrap(), index)[0]);
    let mut spoilt = whole.clone();
    for (index, place) in [(1, last.offset), (2, last.end())] {
        spoilt[table + index * 8..][..8].copy_from_slice(&place.to_le_bytes());
    }
    let mesh = Mesh::open(spoilt.as_slice()).unwrap();
    let mut rules = Vec::new();
    mesh.validate(&mut |finding| rules.push(finding.rule)).unwrap();
    assert!(rules.contains(&"UG20"), "{rules:?}");
    let mut out = Vec::new();
    mesh.write_to(0, &mut out).unwrap();
    assert!(out == whole, "the table is corrected, and no block is lost");

    // A second table after the closing magic number is the one that the reader uses.
    for (places, is_wrong) in [(&spoilt[table..], true), (&whole[table..], false)] {
        let twice = [&whole[..], b"ms14", places].concat();
        let mesh = Mesh::open(twice.as_slice()).unwrap();
        assert_eq!(blocks(&mesh, 1)[0] == last, is_wrong);
        let mut found = Vec::new();
        mesh.validate(&mut |finding| found.push((finding.rule, finding.offset))).unwrap();
        assert_eq!(found.contains(&("UG20", whole.len() as u64 + 4 + 8)), is_wrong, "{found:?}");
        assert!(found.iter().any(|(rule, _)| *rule == "UG24"), "{found:?}");
        let mut out = Vec::new();
        mesh.write_to(0, &mut out).unwrap();
        assert!(out == whole);
    }
}
