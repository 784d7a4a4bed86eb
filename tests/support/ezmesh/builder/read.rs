//! Copies what was read from a file.

use meshpeek::array::Array;
use meshpeek::ezmesh::{self, IndexBuffer, Scalar, VertexBuffer, VertexValue, View};
use meshpeek::{Name, Result};

use super::{
    Animation, Bone, Collision, Column, Hull, Instance, Material, Mesh, MeshElement, Representation, Section, Skeleton,
    TetraMesh, Texture, Track, UserBinary, UserData, Values, Vertices,
};

fn bytes(name: Name<'_>) -> Vec<u8> {
    name.as_bytes().to_vec()
}

impl Mesh {
    /// Copies the contents of a file.
    pub fn of(view: View<'_>) -> Result<Self> {
        let [system, asset] = view.versions()?;
        let default = Self::default();
        let skeleton = |one: ezmesh::Skeleton<'_>| {
            let first = i32::try_from(one.bone_range().start).unwrap();
            let bone = |bone: meshpeek::model::Bone<'_>| {
                let parent = (bone.parent >= first).then(|| (bone.parent - first).cast_unsigned());
                Bone { name: bytes(bone.name), parent, bind: bone.bind }
            };
            let bones = one.bones().map(|one| Ok(bone(one?))).collect::<Result<_>>()?;
            Ok(Skeleton { name: bytes(one.name()?), bones })
        };
        let user_data = |one: ezmesh::UserData<'_>| {
            let [key, value] = one.pair()?.map(bytes);
            Ok(UserData { key, value })
        };
        let user_binary = |one: ezmesh::UserBinary<'_>| {
            let (name, content) = one.content()?;
            Ok(UserBinary { name: bytes(name), bytes: content.to_vec() })
        };
        let tetra = |one: ezmesh::TetraMesh<'_>| {
            let corners = one.corners()?.iter().map(|floats| {
                let mut corners = [[0.0; 3]; 4];
                corners.as_flattened_mut().copy_from_slice(&floats);
                corners
            });
            Ok(TetraMesh { corners: corners.collect() })
        };
        let textures = view.textures().filter_map(|one| one.picture().transpose());
        Ok(Self {
            asset_name: bytes(view.asset_name()?),
            asset_info: bytes(view.asset_info()?),
            system_version: system.map_or(default.system_version, |version| version.try_into().unwrap()),
            asset_version: asset.map_or(default.asset_version, |version| version.try_into().unwrap()),
            bounds: view.declared_bounds()?,
            textures: textures
                .map(|one| {
                    let (name, [width, height, pixel_size], pixels) = one?;
                    Ok(Texture { name: bytes(name), width, height, pixel_size, pixels: pixels.to_vec() })
                })
                .collect::<Result<_>>()?,
            skeletons: view.skeletons().map(skeleton).collect::<Result<_>>()?,
            animations: view.animations().map(animation).collect::<Result<_>>()?,
            materials: view
                .materials()
                .map(|one| Ok(Material { name: bytes(one.name()?), meta_data: bytes(one.meta_data()?) }))
                .collect::<Result<_>>()?,
            user_data: view.user_data().map(user_data).collect::<Result<_>>()?,
            user_binary_data: view.user_binary_data().map(user_binary).collect::<Result<_>>()?,
            meshes: view.meshes().map(mesh).collect::<Result<_>>()?,
            tetra_meshes: view.tetra_meshes().map(tetra).collect::<Result<_>>()?,
            instances: view
                .instances()
                .map(|one| Ok(Instance { mesh: bytes(one.mesh_name()?), transform: one.transform()? }))
                .collect::<Result<_>>()?,
            representations: view.representations().map(representation).collect::<Result<_>>()?,
            plane: view.plane()?.unwrap_or(default.plane),
        })
    }
}

fn animation(animation: ezmesh::Animation<'_>) -> Result<Animation> {
    let timing = animation.timing()?;
    let seconds = [timing.duration, timing.dtime].map(|seconds| seconds.map(f32::to_bits));
    let track = |track: ezmesh::Track<'_>| {
        let other = track.seconds()?.filter(|other| other.map(|one| Some(one.to_bits())) != seconds);
        Ok(Track { name: bytes(track.name()?), seconds: other, keys: track.keys()?.iter().collect() })
    };
    let tracks = animation.tracks().map(track).collect::<Result<_>>()?;
    let mut copy = Animation { name: bytes(animation.name()?), tracks, ..Default::default() };
    copy.frames = timing.frames.filter(|frames| *frames as usize != copy.longest());
    (copy.duration, copy.dtime) = (timing.duration, timing.dtime);
    Ok(copy)
}

fn mesh(mesh: ezmesh::MeshElement<'_>) -> Result<MeshElement> {
    let shared = mesh.vertex_buffer()?;
    let shared = shared.as_ref().map(vertices).transpose()?;
    let section = |one: ezmesh::Section<'_>| {
        let own = if one.has_own_vertices() { Some(vertices(&one.vertex_buffer()?)?) } else { None };
        Ok(Section {
            material: bytes(one.material_name()?),
            info: one.info()?.map(bytes),
            bounds: one.declared_bounds()?,
            vertices: own,
            flags: one.flags()?,
            triangles: one.index_buffer()?.map_or(Ok(vec![]), triangles)?,
        })
    };
    let mut copy = MeshElement {
        name: bytes(mesh.name()?),
        skeleton: bytes(mesh.skeleton_name()?),
        bounds: mesh.declared_bounds()?,
        vertices: shared.filter(|all| !all.columns.is_empty() || all.bare > 0),
        sections: mesh.sections().map(section).collect::<Result<_>>()?,
    };
    let usual = copy.vertices.as_ref().map_or(0, Vertices::flags);
    copy.sections.iter_mut().for_each(|section| section.flags = section.flags.filter(|flags| *flags != usual));
    Ok(copy)
}

fn triangles(buffer: IndexBuffer<'_>) -> Result<Vec<[u32; 3]>> {
    let indices: Vec<u32> = buffer.indices()?.iter().collect();
    Ok(indices.as_chunks().0.to_vec())
}

fn vertices(buffer: &VertexBuffer<'_>) -> Result<Vertices> {
    let all = buffer.vertices()?;
    let format = buffer.format();
    let mut columns = vec![];
    for column in format.columns() {
        let mut parts: Vec<Values> = vec![];
        let scalars = format.scalars(column);
        for run in scalars.chunk_by(|one, other| one == other) {
            parts.push(empty(run[0], run.len().try_into().unwrap()));
        }
        let part_of: Vec<usize> = scalars
            .chunk_by(|one, other| one == other)
            .zip(0..)
            .flat_map(|(run, part)| vec![part; run.len()])
            .collect();
        for row in 0..all.len() {
            all.column_values(column, row).zip(&part_of).for_each(|(value, part)| push(&mut parts[*part], value));
        }
        let values = if parts.len() == 1 { parts.remove(0) } else { Values::Mixed(parts) };
        let word = column.semantic.word().map_or_else(|| bytes(buffer.word(column)), Into::into);
        columns.push(Column { word, values });
    }
    // The order in which writers of text put the columns of a binary file.
    if buffer.types()[0].as_bytes().is_empty() {
        let last = [&b"blendweights"[..], b"blendindices", b"interp", b"radius"];
        columns.sort_by_key(|column| last.iter().position(|word| column.word.starts_with(word)).map_or(0, |at| at + 1));
    }
    let bare = if columns.is_empty() { buffer.count() } else { 0 };
    Ok(Vertices { columns, bare })
}

fn empty(scalar: Scalar, width: u8) -> Values {
    match scalar {
        Scalar::Float => Values::F32(width, vec![]),
        Scalar::Int32 => Values::I32(width, vec![]),
        Scalar::Int16 => Values::U16(width, vec![]),
        Scalar::Int8 => Values::U8(width, vec![]),
        Scalar::Character => Values::Characters(width, vec![]),
        Scalar::Hex8 => Values::Hex8(width, vec![]),
        Scalar::Hex16 => Values::Hex16(width, vec![]),
        Scalar::Hex32 => Values::Hex32(width, vec![]),
        Scalar::Word => Values::Words(width, vec![]),
    }
}

fn push(values: &mut Values, value: VertexValue<'_>) {
    match (values, value) {
        (Values::F32(_, all), VertexValue::Float(one)) => all.push(one),
        (Values::I32(_, all), VertexValue::Integer(one)) => all.push(one as i32),
        (Values::U16(_, all), VertexValue::Integer(one)) => all.push((one & 0xffff).try_into().unwrap()),
        (Values::U8(_, all), VertexValue::Integer(one)) => all.push((one & 0xff).try_into().unwrap()),
        (Values::Characters(_, all), VertexValue::Character(one)) => all.push(one),
        (Values::Hex8(_, all), VertexValue::Hex(one)) => all.push(one as u8),
        (Values::Hex16(_, all), VertexValue::Hex(one)) => all.push(one as u16),
        (Values::Hex32(_, all), VertexValue::Hex(one)) => all.push(one),
        (Values::Words(_, all), VertexValue::Word(one)) => all.push(bytes(one)),
        (values, value) => panic!("{value:?} in {values:?}"),
    }
}

fn representation(one: ezmesh::Representation<'_>) -> Result<Representation> {
    let collision = |one: ezmesh::Collision<'_>| {
        let points = one.hull_points()?.as_ref().map(vertices).transpose()?;
        let faces = one.hull_triangles()?.map(triangles).transpose()?;
        let hull = points.is_some() || faces.is_some();
        Ok(Collision {
            name: bytes(one.name()?),
            kind: bytes(one.kind()?),
            transform: one.transform()?,
            hull: hull.then(|| Hull { points, triangles: faces.unwrap_or_default() }),
        })
    };
    let collisions = one.collisions().map(collision).collect::<Result<_>>()?;
    Ok(Representation { name: bytes(one.name()?), info: bytes(one.info()?), collisions })
}
