//! Counts the allocations for reading EZ-Mesh files.
//!
//! Opening allocates lists, and a block of text is allocated once. Numbers that are written
//! straight into a buffer or borrowed from the file allocate nothing.

use meshpeek::decode::ByteOrder;
use meshpeek::ezmesh::{Mesh, is_known};
use meshpeek::model::SurfaceArrays as _;
use meshpeek::model::Transform;
use meshpeek::{Animations, Array};

use crate::support::allocations::{allocations, most_held};
use crate::support::ezmesh::raw_files::{
    corner_vertices, element, everything, mesh, section, simple, system, triangles, vertices,
};

fn open(bytes: &[u8]) -> Mesh<&[u8]> {
    Mesh::open(bytes).unwrap()
}

/// Returns the number of reallocations of a list that doubles its capacity until it has `items`.
fn doublings(items: usize) -> u64 {
    u64::from(usize::BITS - items.leading_zeros())
}

#[test]
fn opening_allocates_lists_only() {
    for count in [1, 10, 100, 1000] {
        let bones: String =
            (0..count).fold(String::new(), |all, bone| all + &format!("<Bone name=\"b{bone}\" position=\"1 2 3\"/>"));
        let text = system(
            &(element("Skeleton", &bones) + &mesh("m", &(corner_vertices() + &section("s", &triangles(1, "0 1 2"))))),
        );
        let (first, held) = (allocations(|| open(text.as_bytes())), most_held(|| open(text.as_bytes())).1);
        // There is one list for each kind of element, two more (block ends and cache slots) for
        // each of the two kinds of blocks, and the stack of open elements.
        let lists = 6 + 2 * 2 + 1;
        assert!(first <= lists + doublings(count), "{count} bones: {first}");
        assert!(held <= 2 * 16 * u64::try_from(count).unwrap() + 2048, "{count} bones: {held} bytes");
        // The number of numbers makes no difference.
        let long = text.replace("0 0 0, 1 0 0, 0 2 0,", &"0 0 0, 1 0 0, 0 2 0,\r\n".repeat(1000));
        assert_eq!(allocations(|| open(long.as_bytes())), first);
        assert_eq!(allocations(|| assert!(is_known(long.as_bytes()))), 0);
    }
    let described = everything();
    for order in [ByteOrder::Little, ByteOrder::Big] {
        let bytes = described.binary(order);
        // Sixteen lists, and some reallocations.
        assert!(allocations(|| open(&bytes)) <= 16 + 4, "{}", allocations(|| open(&bytes)));
    }
}

/// Allocations of a block: the block itself, and its arrays.
const BLOCK: u64 = 2;

#[test]
fn a_block_of_text_is_unfolded_once() {
    let text = everything().text();
    let system = open(text.as_bytes());
    for mesh in system.view().meshes() {
        let buffer = mesh.vertex_buffer().unwrap().unwrap();
        assert_eq!(allocations(|| buffer.vertices().unwrap()), BLOCK);
        let again = allocations(|| {
            let vertices = mesh.vertex_buffer().unwrap().unwrap().vertices().unwrap();
            vertices.positions().unwrap().for_each(|_| {});
            vertices.colors().map(|colors| colors.get(0));
            vertices.uvs(0).map(|uvs| uvs.get(0));
            vertices.weights(0).map(|weights| weights.iter().map(|list| list.len()).sum::<usize>());
            vertices.weights(0).map(|weights| weights.get(3).map(|list| list.len()));
            vertices.values(0).count()
        });
        assert_eq!(again, 0);
    }
    for section in system.view().sections() {
        // A list without triangles is a block without bytes.
        let triangles = section.index_buffer().unwrap().unwrap();
        let expected = BLOCK - u64::from(triangles.triangle_count() == 0);
        assert_eq!(allocations(|| triangles.indices().unwrap()), expected, "{}", section.index());
        assert_eq!(allocations(|| triangles.indices().unwrap().for_each(|_| {})), 0);
    }
    let tracks: Vec<_> = system.view().animations().flat_map(|animation| animation.tracks()).collect();
    for track in &tracks {
        assert_eq!(allocations(|| track.keys().unwrap()), BLOCK);
        assert_eq!(allocations(|| track.keys().unwrap().iter().count()), 0);
    }
    // Surfaces of the neutral view use the same blocks.
    let count = allocations(|| {
        for surface in 0..system.surface_count().unwrap() {
            system.positions(surface, 0).unwrap();
            system.indices(surface).unwrap();
            system.weights(surface).unwrap();
        }
    });
    // The list of skeleton names, which gives the bone indices of weights their offset.
    assert!(count <= 2, "{count}");
}

#[test]
fn arrays_of_the_binary_form_are_lent() {
    for order in [ByteOrder::Little, ByteOrder::Big] {
        let bytes = everything().binary(order);
        let system = open(&bytes);
        let count = allocations(|| {
            for mesh in system.view().meshes() {
                let vertices = mesh.vertex_buffer().unwrap().unwrap().vertices().unwrap();
                vertices.positions().unwrap().for_each(|_| {});
                assert!(vertices.positions().unwrap().bounds().min[0] == 0.0);
                vertices.normals().inspect(|all| all.for_each(|_| {}));
                vertices.colors().inspect(|all| all.for_each(|_| {}));
                vertices.weights(0).inspect(|all| all.iter().for_each(|list| assert!(list.len() < 5)));
                for section in mesh.sections() {
                    section.index_buffer().unwrap().unwrap().indices().unwrap().for_each(|_| {});
                }
            }
            for track in system.view().animations().flat_map(|animation| animation.tracks()) {
                assert!(track.keys().unwrap().iter().count() > 0);
            }
            for texture in system.view().textures() {
                texture.picture().unwrap();
            }
        });
        assert_eq!(count, 0);
    }
}

#[test]
fn a_pose_takes_the_names_of_bones_and_no_more() {
    for bytes in [everything().text().into_bytes(), everything().binary(ByteOrder::Big)] {
        let system = open(&bytes);
        let mut pose = [Transform::default(); 5];
        system.pose(0, 0, &mut pose).unwrap();
        let count = allocations(|| (0..3).for_each(|frame| system.pose(0, frame, &mut pose).unwrap()));
        assert_eq!(count, 0);
    }
}

/// Asserts that opening a text holds at most 16 times its size and 1 MiB.
fn expect_cheap(what: &str, text: &str) {
    let most = 16 * u64::try_from(text.len()).unwrap() + (1 << 20);
    let (system, held) = most_held(|| open(text.as_bytes()));
    assert!(held <= most, "{what}: opening {} bytes takes {held}", text.len());
    let (sum, held) = most_held(|| {
        let view = system.view();
        let mut sum = 0;
        for section in view.sections() {
            sum += section.vertex_buffer().ok().and_then(|all| all.vertices().ok()).map_or(0, |all| all.len());
            sum += section.index_buffer().unwrap().and_then(|all| all.indices().ok()).map_or(0, |all| all.len());
        }
        for mesh in view.meshes() {
            sum += mesh.vertex_buffer().ok().flatten().and_then(|all| all.vertices().ok()).map_or(0, |all| all.len());
        }
        for track in view.animations().flat_map(|animation| animation.tracks()) {
            sum += track.keys().map_or(0, |keys| keys.len());
        }
        for bone in 0..view.bone_count() {
            sum += usize::from(view.bone(bone).is_ok());
        }
        sum
    });
    assert!(held <= most, "{what}: {sum} items of {} bytes take {held}", text.len());
}

#[test]
fn no_file_takes_more_than_its_bytes_pay_for() {
    let many = 5000;
    let short = element("AnimTrack count=\"1\"", "0 0 0 0 0 0 0");
    expect_cheap("tracks", &system(&element("Animation", &short.repeat(many))));
    expect_cheap("empty tracks", &system(&element("Animation", &"<AnimTrack count=0 />".repeat(many))));
    let small = element("MeshSection", "<indexbuffer count=1>0 0 0</indexbuffer>");
    expect_cheap("triangles", &system(&element("Mesh", &small.repeat(many))));
    let own = element("MeshSection", "<vertexbuffer count=0 ctype=f semantic=a />");
    expect_cheap("sections", &system(&element("Mesh", &own.repeat(many))));
    let meshes = "<Mesh><vertexbuffer count=0 ctype=f semantic=a /></Mesh>";
    expect_cheap("meshes", &system(&meshes.repeat(many)));
    expect_cheap("bones", &system(&element("Skeleton", &"<Bone/>".repeat(many))));
    expect_cheap("named bones", &system(&element("Skeleton", &"<Bone name=a parent=a />".repeat(many))));
    expect_cheap("boxes", &system(&"<MeshAABB/>".repeat(many)));
    expect_cheap("numbers", &simple(&vertices(9999, "f", "radius", &"1,".repeat(9999)), ""));
    expect_cheap("characters", &simple(&vertices(9999, "c", "a", &"1".repeat(9999)), ""));
    expect_cheap("depth", &system(&format!("{}{}", "<a>".repeat(60), "</a>".repeat(60))));
}
