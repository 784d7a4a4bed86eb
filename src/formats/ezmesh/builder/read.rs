//! Copies the contents of an opened file into a [`Mesh`] of the builder.

// Rule: this file sorts and maps by copies only.

use super::elements::{Collision, Hull, Instance, Representation, TetraMesh, Texture, UserBinary, UserData};
use super::mesh::Mesh;
use super::parts::{Animation, Bone, Material, MeshElement, Section, Skeleton, Track};
use super::vertices::{Column, Values, Vertices};
use crate::array::Array;
use crate::error::{Cause, Error, Field, Result};
use crate::formats::ezmesh::elements::index_buffer::IndexBuffer;
use crate::formats::ezmesh::elements::vertex_buffer::VertexBuffer;
use crate::formats::ezmesh::layout::FORMAT;
use crate::formats::ezmesh::semantic::{Scalar, Semantic, VertexValue};
use crate::formats::ezmesh::vertex_format::MAX_SCALARS;
use crate::formats::ezmesh::view::View;
use crate::formats::ezmesh::{animation, elements};
use crate::math::{as_index, as_u64};
use crate::model::Transform;
use crate::parse::Name;

impl Mesh {
    /// Copies the contents of an opened text file or binary file.
    ///
    /// Every copied number is equal to the number that the reader returns, and every copied float
    /// has the same bits.
    ///
    /// If a text file does not contain an attribute, the copy contains the default value that the
    /// reader returns. For a bounding box or a duration that the file does not contain, the copy
    /// has `None`. In the copy, the semantic of each vertex column is the standard word for its
    /// meaning, such as `position`, not the word from the file. If the file stores no scale for a
    /// key frame, the scale in the copy is 1. If no bone has the parent name that the file stores
    /// for a bone, the copied bone has no parent. Data that readers ignore is not copied: comments,
    /// unknown elements and attributes, wrong counts, and numbers beyond the declared count.
    ///
    /// # Errors
    ///
    /// Returns an error with the field name and the byte offset if an element of the file cannot be
    /// read. Returns [`ErrorKind::OutOfMemory`] if an allocation fails.
    ///
    /// [`ErrorKind::OutOfMemory`]: crate::ErrorKind::OutOfMemory
    pub fn of(view: View<'_>) -> Result<Self> {
        let default = Self::default();
        let [system, asset] = view.versions()?;
        let version = |version: Option<i64>, name, default| match version {
            None => Ok(default),
            Some(version) => i32::try_from(version).map_err(|_| {
                let kind = Cause::Value { expected: "a version of 32 bits".into(), found: version.to_string().into() };
                Error::without_offset(FORMAT, Field::new(name), kind)
            }),
        };
        Ok(Self {
            asset_name: bytes(view.asset_name()?)?,
            asset_info: bytes(view.asset_info()?)?,
            system_version: version(system, "system_version", default.system_version)?,
            asset_version: version(asset, "asset_version", default.asset_version)?,
            bounds: view.declared_bounds()?,
            textures: list(
                view.textures().filter_map(|texture| texture.picture().transpose()).map(|one| picture(one?)),
            )?,
            skeletons: list(view.skeletons().map(|one| skeleton(view, one)))?,
            animations: list(view.animations().map(animation))?,
            materials: list(view.materials().map(|material| {
                Ok(Material { name: bytes(material.name()?)?, meta_data: bytes(material.meta_data()?)? })
            }))?,
            user_data: list(view.user_data().map(|data| {
                let [key, value] = data.pair()?;
                Ok(UserData { key: bytes(key)?, value: bytes(value)? })
            }))?,
            user_binary_data: list(view.user_binary_data().map(|data| {
                let (name, content) = data.content()?;
                Ok(UserBinary { name: bytes(name)?, bytes: bytes(Name::new(content))? })
            }))?,
            meshes: list(view.meshes().map(|one| mesh(view, one)))?,
            tetra_meshes: list(view.tetra_meshes().map(|tetra| {
                let corners = tetra.corners()?;
                let corners = corners.iter().map(|floats| {
                    let mut corners = [[0.0; 3]; 4];
                    corners.as_flattened_mut().copy_from_slice(&floats);
                    Ok(corners)
                });
                Ok(TetraMesh { corners: list(corners)? })
            }))?,
            instances: list(view.instances().map(|instance| {
                Ok(Instance { mesh: bytes(instance.mesh_name()?)?, transform: instance.transform()? })
            }))?,
            representations: list(view.representations().map(|one| representation(view, one)))?,
            plane: view.plane()?.unwrap_or(default.plane),
        })
    }
}

fn out_of_memory(asked: usize) -> Error {
    Error::without_offset(FORMAT, Field::new("copy"), Cause::OutOfMemory { asked: as_u64(asked) })
}

/// Reserves space for `count` more items in a vector, or returns an error if the allocation fails.
fn reserve<T>(list: &mut Vec<T>, count: usize) -> Result<()> {
    list.try_reserve_exact(count).map_err(|_| out_of_memory(count.saturating_mul(size_of::<T>())))
}

fn bytes(name: Name<'_>) -> Result<Vec<u8>> {
    let mut copy = Vec::new();
    reserve(&mut copy, name.as_bytes().len())?;
    copy.extend_from_slice(name.as_bytes());
    Ok(copy)
}

/// Collects items into a vector, or returns an error if an allocation fails.
fn list<T>(items: impl Iterator<Item = Result<T>>) -> Result<Vec<T>> {
    let mut list = Vec::new();
    reserve(&mut list, items.size_hint().1.unwrap_or_default())?;
    for item in items {
        let item = item?;
        if list.len() == list.capacity() {
            list.try_reserve(1).map_err(|_| out_of_memory(list.len().saturating_mul(size_of::<T>())))?;
        }
        list.push(item);
    }
    Ok(list)
}

fn picture(picture: elements::EmbeddedPixels<'_>) -> Result<Texture> {
    let elements::EmbeddedPixels { name, width, height, pixel_size, pixels } = picture;
    Ok(Texture { name: bytes(name)?, width, height, pixel_size, pixels: bytes(Name::new(pixels))? })
}

fn skeleton(view: View<'_>, skeleton: elements::Skeleton<'_>) -> Result<Skeleton> {
    let first = skeleton.bone_range().start;
    let bones = skeleton.bone_range().map(|number| {
        let bone = view.bone(number)?;
        let parent =
            usize::try_from(bone.parent).ok().and_then(|parent| u32::try_from(parent.checked_sub(first)?).ok());
        Ok(Bone { name: bytes(bone.name)?, parent, bind: bone.bind })
    });
    Ok(Skeleton { name: bytes(skeleton.name()?)?, bones: list(bones)? })
}

fn animation(animation: animation::Animation<'_>) -> Result<Animation> {
    let timing = animation.timing()?;
    let seconds = [timing.duration, timing.dtime].map(|seconds| seconds.map(f32::to_bits));
    let tracks = list(animation.tracks().map(|track| {
        let other = track.seconds()?.filter(|other| other.map(|one| Some(one.to_bits())) != seconds);
        Ok(Track { name: bytes(track.name()?)?, seconds: other, keys: keys(track)? })
    }))?;
    let mut copy = Animation { name: bytes(animation.name()?)?, tracks, ..Animation::default() };
    let longest = u32::try_from(copy.longest()).unwrap_or(u32::MAX);
    (copy.duration, copy.dtime) = (timing.duration, timing.dtime);
    copy.frames = timing.frames.filter(|frames| *frames != longest);
    Ok(copy)
}

/// Copies the key frames of a track. For a text file, `keys` parses the text of the key frames but
/// does not cache the parsed numbers.
fn keys(track: animation::Track<'_>) -> Result<Vec<Transform>> {
    if track.seconds()?.is_some() {
        let keys = track.keys()?;
        return list(keys.iter().map(Ok));
    }
    let (text, width) = track.block()?;
    let frames = as_index(track.frame_count()?);
    text.can_hold(frames, as_u64(width).saturating_mul(2), width)?;
    let mut floats = Vec::new();
    reserve(&mut floats, frames.saturating_mul(width))?;
    floats.resize(frames.saturating_mul(width), 0.0);
    text.native_floats_into(width, &mut floats)?;
    list(floats.chunks_exact(width.max(1)).map(|key| {
        let mut all = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0];
        for (place, float) in all.iter_mut().zip(key) {
            *place = *float;
        }
        let [px, py, pz, x, y, z, w, sx, sy, sz] = all;
        Ok(Transform { position: [px, py, pz], rotation: [x, y, z, w], scale: [sx, sy, sz] })
    }))
}

fn mesh(view: View<'_>, mesh: elements::MeshElement<'_>) -> Result<MeshElement> {
    let shared = mesh.vertex_buffer()?;
    let flags = shared.as_ref().and_then(|buffer| buffer.format().flags());
    Ok(MeshElement {
        name: bytes(mesh.name()?)?,
        skeleton: bytes(mesh.skeleton_name()?)?,
        bounds: mesh.declared_bounds()?,
        vertices: vertices(view, shared.as_ref())?,
        sections: list(mesh.sections().map(|section| {
            let own = if section.has_own_vertices() { Some(section.vertex_buffer()?) } else { None };
            Ok(Section {
                material: bytes(section.material_name()?)?,
                info: section.info()?.map(bytes).transpose()?,
                bounds: section.declared_bounds()?,
                vertices: vertices(view, own.as_ref())?,
                flags: section.flags()?.filter(|repeated| Some(*repeated) != flags),
                triangles: section.index_buffer()?.map_or(Ok(Vec::new()), |buffer| triangles(view, buffer))?,
            })
        }))?,
    })
}

fn triangles(view: View<'_>, buffer: IndexBuffer<'_>) -> Result<Vec<[u32; 3]>> {
    let count = as_index(buffer.triangle_count());
    if view.order().is_none() {
        buffer.block()?.can_hold(count, 6, 3)?;
    } else {
        buffer.indices()?;
    }
    let mut triangles = Vec::new();
    reserve(&mut triangles, count)?;
    triangles.resize(count, [0; 3]);
    buffer.indices_into(triangles.as_flattened_mut())?;
    Ok(triangles)
}

/// Copies the vertices of a mesh, a section or a convex hull. Returns `None` if `buffer` is `None`,
/// or if the vertex buffer has neither vertices nor columns.
fn vertices(view: View<'_>, buffer: Option<&VertexBuffer<'_>>) -> Result<Option<Vertices>> {
    let Some(buffer) = buffer else { return Ok(None) };
    let format = *buffer.format();
    if format.columns().is_empty() {
        return Ok(Some(Vertices { columns: Vec::new(), bare: buffer.count() }).filter(|vertices| vertices.bare > 0));
    }
    let rows = as_index(buffer.count());
    if view.order().is_none() {
        buffer.block()?.can_hold(rows, format.least_text().into(), format.all_scalars().len())?;
    }
    // Each sequence of consecutive numbers with the same type within a column is copied to a
    // separate array.
    let mut runs = Vec::new();
    let mut run_of = [0_usize; MAX_SCALARS];
    let mut counts = Vec::new();
    let mut places = run_of.iter_mut();
    for column in format.columns() {
        let scalars = format.scalars(column);
        let before = runs.len();
        for run in scalars.chunk_by(|one, other| one == other) {
            for place in places.by_ref().take(run.len()) {
                *place = runs.len();
            }
            let width = u8::try_from(run.len()).unwrap_or(u8::MAX);
            runs.push(with_room(run.first().copied().unwrap_or(Scalar::Float), width, rows)?);
        }
        counts.push(runs.len().saturating_sub(before));
    }
    let mut lacked = None;
    buffer.for_each(&mut |_, number, cell| {
        let run = run_of.get(number).and_then(|run| runs.get_mut(*run));
        if let Some(Err(error)) = run.map(|run| push(run, cell)) {
            lacked.get_or_insert(error);
        }
    })?;
    if let Some(error) = lacked {
        return Err(error);
    }
    let mut runs = runs.into_iter();
    let columns = format.columns().iter().zip(counts).map(|(column, count)| {
        let mut parts: Vec<Values> = runs.by_ref().take(count).collect();
        let values = if parts.len() == 1 { parts.pop().unwrap_or_default() } else { Values::Mixed(parts) };
        Ok(Column { word: bytes(buffer.word(column))?, values })
    });
    let mut vertices = Vertices { columns: list(columns)?, bare: 0 };
    let words = vertices.standard_words();
    for (column, word) in vertices.columns.iter_mut().zip(words) {
        column.word = word;
    }
    if view.order().is_some() {
        // The copied vertex columns of a binary file are sorted into the order of the text files
        // that exporters write.
        let mut ranks = format.columns().iter().map(|column| rank(column.semantic)).collect::<Vec<_>>().into_iter();
        vertices.columns.sort_by_cached_key(|_| ranks.next());
    }
    Ok(Some(vertices))
}

/// Returns the sort key of a column with the meaning `semantic`. Sorting by the returned key puts
/// the vertex columns of a binary file in the order in which exporters write the columns of a text
/// file.
const fn rank(semantic: Semantic) -> u8 {
    match semantic {
        Semantic::BlendWeights => 1,
        Semantic::BlendIndices => 2,
        Semantic::Interp(_) => 3,
        Semantic::Radius => 4,
        _ => 0,
    }
}

/// Creates an empty array with space for `width` numbers of each of the `rows` vertices.
fn with_room(scalar: Scalar, width: u8, rows: usize) -> Result<Values> {
    let mut values = Values::empty(scalar, width);
    let count = rows.saturating_mul(width.into());
    match &mut values {
        Values::F32(_, all) => reserve(all, count)?,
        Values::I32(_, all) => reserve(all, count)?,
        Values::U16(_, all) | Values::Hex16(_, all) => reserve(all, count)?,
        Values::U8(_, all) | Values::Characters(_, all) | Values::Hex8(_, all) => reserve(all, count)?,
        Values::Hex32(_, all) => reserve(all, count)?,
        Values::Words(_, all) => reserve(all, count)?,
        Values::Mixed(_) => {}
    }
    Ok(values)
}

/// Appends the number `cell` to the array `values`, which must have the same number type and free
/// space.
fn push(values: &mut Values, cell: VertexValue<'_>) -> Result<()> {
    let low = |number: u32| number.to_le_bytes();
    match (values, cell) {
        (Values::F32(_, all), VertexValue::Float(float)) => all.push(float),
        // Only the lowest four, two or one bytes of an integer are copied, depending on the number
        // type of the array.
        (Values::I32(_, all), VertexValue::Integer(number)) => all.push(i32::from_le_bytes(lowest(number))),
        (Values::U16(_, all), VertexValue::Integer(number)) => all.push(u16::from_le_bytes(lowest(number))),
        (Values::U8(_, all), VertexValue::Integer(number)) => all.push(u8::from_le_bytes(lowest(number))),
        (Values::Characters(_, all), VertexValue::Character(byte)) => all.push(byte),
        (Values::Hex8(_, all), VertexValue::Hex(number)) => all.push(u8::from_le_bytes(lowest(number.into()))),
        (Values::Hex16(_, all), VertexValue::Hex(number)) => all.push(u16::from_le_bytes(lowest(number.into()))),
        (Values::Hex32(_, all), VertexValue::Hex(number)) => all.push(u32::from_le_bytes(low(number))),
        (Values::Words(_, all), VertexValue::Word(word)) => all.push(bytes(word)?),
        // The array `values` was created for the number type of `cell`, hence no other combination
        // occurs.
        _ => {}
    }
    Ok(())
}

/// Returns the lowest `N` bytes of a number, in little-endian order.
fn lowest<const N: usize>(number: i64) -> [u8; N] {
    number.to_le_bytes().first_chunk().copied().unwrap_or([0; N])
}

fn representation(view: View<'_>, representation: elements::Representation<'_>) -> Result<Representation> {
    let collisions = representation.collisions().map(|collision| {
        let points = vertices(view, collision.hull_points()?.as_ref())?;
        let faces = collision.hull_triangles()?.map(|buffer| triangles(view, buffer)).transpose()?;
        let hull = points.is_some() || faces.is_some();
        Ok(Collision {
            name: bytes(collision.name()?)?,
            kind: bytes(collision.kind()?)?,
            transform: collision.transform()?,
            hull: hull.then(|| Hull { points, triangles: faces.unwrap_or_default() }),
        })
    });
    Ok(Representation {
        name: bytes(representation.name()?)?,
        info: bytes(representation.info()?)?,
        collisions: list(collisions)?,
    })
}
