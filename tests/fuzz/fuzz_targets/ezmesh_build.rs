//! EZ-Mesh files that are built from any values: as text, and as a binary file of either byte
//! order.
//!
//! A file that is written again has the same values, and then the same bytes. Values that text
//! cannot hold are refused by name.
#![no_main]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    reason = "a panic is how a fuzz target fails"
)]

#[path = "shared/input.rs"]
mod input;
#[path = "../../support/mod.rs"]
mod support;

use input::Input;
use libfuzzer_sys::fuzz_target;
use meshpeek::decode::ByteOrder;
use meshpeek::ezmesh::Mesh;
use meshpeek::{Bounds, MeshFile as _};
use support::ezmesh::builder::{
    self, Animation, Bone, Column, Instance, Material, MeshElement, Section, Skeleton, Texture, Track, UserData,
    Values, Vertices,
};

fn bounds(input: &mut Input<'_>) -> Option<Bounds> {
    (input.byte() > 60).then(|| Bounds { min: input.floats(), max: input.floats() })
}

fn columns(input: &mut Input<'_>, rows: usize) -> Vec<Column> {
    let mut columns = Vec::new();
    if input.byte() > 20 {
        columns.push(Column::positions((0..rows).map(|_| input.floats())));
    }
    for kind in input.list(7, |input| input.below(9)) {
        columns.push(match kind {
            0 => Column::normals((0..rows).map(|_| input.floats())),
            1 => Column::colors((0..rows).map(|_| input.word())),
            2 => Column::texcoords(input.byte() % 4, (0..rows).map(|_| input.floats())),
            3 => Column::tangents((0..rows).map(|_| input.floats())),
            4 => Column::weights((0..rows).map(|_| input.floats())),
            5 => Column::bones((0..rows).map(|_| [0; 4].map(|_: u16| u16::from(input.byte()) * 257))),
            6 => Column::radii((0..rows).map(|_| input.float())),
            7 => Column::interps::<4>(input.byte() % 8, (0..rows).map(|_| input.floats())),
            _ => {
                let values = match input.below(4) {
                    0 => Values::I32(1, (0..rows).map(|_| input.word() as i32).collect()),
                    1 => Values::U8(2, (0..rows * 2).map(|_| input.byte()).collect()),
                    2 => Values::Hex16(1, (0..rows).map(|_| input.word() as u16).collect()),
                    _ => Values::Words(1, (0..rows).map(|_| input.name()).collect()),
                };
                Column { word: input.name(), values }
            }
        });
    }
    columns
}

fn vertices(input: &mut Input<'_>) -> Option<Vertices> {
    let rows = input.below(6);
    (input.byte() > 40).then(|| Vertices { columns: columns(input, rows), bare: 0 })
}

fn section(input: &mut Input<'_>, shared: usize) -> Section {
    let vertices = if input.byte() < 50 { vertices(input) } else { None };
    let rows = vertices.as_ref().map_or(shared, Vertices::len);
    Section {
        material: input.name(),
        info: (input.byte() < 30).then(|| input.name()),
        bounds: bounds(input),
        vertices,
        flags: (input.byte() < 30).then(|| input.word()),
        triangles: input.indices(12, rows).as_chunks().0.to_vec(),
    }
}

fn system(input: &mut Input<'_>) -> builder::Mesh {
    let bone = |input: &mut Input<'_>| Bone {
        name: input.name(),
        parent: input.flag().then(|| u32::from(input.byte() % 6)),
        bind: input.transform(),
    };
    let track = |input: &mut Input<'_>| Track {
        name: input.name(),
        seconds: (input.byte() < 30).then(|| input.floats()),
        keys: input.list(4, Input::transform),
    };
    let animation = |input: &mut Input<'_>| Animation {
        name: input.name(),
        frames: (input.byte() < 60).then(|| input.word()),
        duration: (input.byte() > 60).then(|| input.float()),
        dtime: (input.byte() > 60).then(|| input.float()),
        tracks: input.list(3, track),
    };
    let mesh = |input: &mut Input<'_>| {
        let vertices = vertices(input);
        let shared = vertices.as_ref().map_or(0, Vertices::len);
        MeshElement {
            name: input.name(),
            skeleton: input.name(),
            bounds: bounds(input),
            sections: input.list(4, |input| section(input, shared)),
            vertices,
        }
    };
    let mut system = builder::Mesh {
        asset_name: input.name(),
        asset_info: input.name(),
        system_version: input.word() as i32,
        bounds: bounds(input),
        skeletons: input.list(3, |input| Skeleton { name: input.name(), bones: input.list(5, bone) }),
        animations: input.list(3, animation),
        materials: input.list(3, |input| Material { name: input.name(), meta_data: input.name() }),
        meshes: input.list(3, mesh),
        instances: input.list(3, |input| Instance { mesh: input.name(), transform: input.transform() }),
        ..Default::default()
    };
    // A text refers to a parent by its name, which the first bone of this name has.
    for skeleton in &mut system.skeletons {
        for (number, bone) in skeleton.bones.iter_mut().enumerate() {
            bone.name.extend(number.to_string().bytes());
        }
    }
    if input.byte() < 40 {
        system.plane = input.floats();
        system.user_data = input.list(3, |input| UserData { key: input.name(), value: input.name() });
        system.textures = vec![Texture { name: input.name(), width: 1, height: 2, pixel_size: 1, pixels: vec![3, 4] }];
    }
    system
}

/// Writes a file again. Returns `None` if the file is refused, which must name a field.
fn written(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let done = Mesh::open(bytes).ok()?.write_to(0, &mut out);
    let refused = |error: &meshpeek::Error| {
        let is_named = !error.field().to_string().is_empty();
        assert!(out.is_empty() && is_named && ["refused", "value"].contains(&error.kind().id()), "{error}");
    };
    done.inspect_err(refused).ok()?;
    Some(out)
}

/// Asserts that a file which was written opens, has no structural error, and is written in the same
/// bytes again.
fn expect_stable(bytes: &[u8]) {
    let mesh = Mesh::open(bytes).unwrap();
    mesh.check().unwrap();
    assert!(written(bytes).as_deref() == Some(bytes), "the second time, other bytes are written");
}

fuzz_target!(|bytes: &[u8]| {
    let mut input = Input::new(bytes);
    let order = input.pick(&[ByteOrder::Little, ByteOrder::Big]);
    let mut system = system(&mut input);
    if let Some(text) = written(&system.to_ezm()) {
        expect_stable(&text);
    }
    system.reduce_to_ezb();
    let file = system.to_ezb(order);
    if let Some(again) = written(&file) {
        expect_stable(&again);
        // Only bones without their parent are written differently.
        let missing = |bones: &[Bone]| bones.iter().any(|bone| bone.parent.is_some_and(|up| up as usize >= bones.len()));
        assert!(again == file || system.skeletons.iter().any(|skeleton| missing(&skeleton.bones)));
    }
});
