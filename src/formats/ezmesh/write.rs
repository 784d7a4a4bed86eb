//! Writes files that were read, in their form.

use std::io::Write;

use super::builder::{Output, VERSIONS, VertexTypes, failed, refused};
use super::elements::buffers::{IndexBuffer, VertexBuffer};
use super::elements::{Animation, Collision, MeshElement, Representation, Section, Skeleton};
use super::layout::{PLANE, Semantic, VertexValue};
use super::view::View;
use crate::array::Array;
use crate::error::{Field, Result, show_bytes};
use crate::math::as_index;
use crate::model::Transform;

/// Writes a file that was read, in its form.
///
/// Text becomes XML text with the root element `MeshSystem` that every known reader of the format
/// accepts. Lines end with CR LF. A line of numbers has at most 160 bytes, and the text of one
/// number has at most 30 bytes. A float is written with the fewest digits that parse to the same
/// bits. Infinities and NaN are written as `0$` and their bits in eight hexadecimal digits, such as
/// `0$7f800000`. In names, `"` is written as `&quot;`, and `<` is written as `&lt;`.
///
/// # Errors
///
/// Returns [`ErrorKind::Refused`](crate::error::ErrorKind::Refused) with the name of the field,
/// before the first byte is written, if the file has data that cannot be written. Returns the I/O
/// error if writing to `out` fails.
pub(super) fn write_to(view: View<'_>, out: &mut dyn Write) -> Result<()> {
    if view.order().is_some() {
        return write_binary(view, out);
    }
    write_text(view, &mut Output::checking())?;
    let mut out = Output::new(out, false);
    write_text(view, &mut out)?;
    out.finish()
}

/// Maximum length of a word value (type code `p`) of a vertex in a text file, in bytes.
///
/// Words and the texts of numbers have at most 30 bytes, because older readers have no buffer space
/// for longer tokens.
const WORD: usize = 30;
/// Maximum length of the word that describes a vertex column in the attribute `semantic`, such as
/// `position`, in bytes.
const MEANING: usize = 64;

/// Writes a text file, or checks that it can be written if `out` writes nothing.
fn write_text(view: View<'_>, out: &mut Output<'_>) -> Result<()> {
    let names = [view.asset_name()?, view.asset_info()?].map(|name| name.as_bytes());
    let [system, asset] = view.versions()?;
    let [default_system, default_asset] = VERSIONS;
    let system = version("system_version", system, default_system)?;
    let asset = version("asset_version", asset, default_asset)?;
    out.start_system(names, [system, asset], view.declared_bounds()?)?;
    if view.meshes().len() == 0 {
        tetra_meshes(view, out)?;
    }
    out.list(("Skeletons", "skeleton"), view.skeletons(), |out, one| skeleton(out, view, one))?;
    out.list(("Animations", "animation"), view.animations(), animation)?;
    out.list(("Materials", "material"), view.materials(), |out, material| {
        out.material(material.name()?.as_bytes(), material.meta_data()?.as_bytes())
    })?;
    out.list(("Meshes", "mesh"), view.meshes(), |out, one| mesh(out, view, one))?;
    out.list(("MeshInstances", "instance"), view.instances(), |out, instance| {
        let Transform { position, rotation, scale } = instance.transform()?;
        out.tag("MeshInstance").text("mesh", instance.mesh_name()?.as_bytes());
        out.floats("position", &position, b',')
            .floats("rotation", &rotation, b',')
            .floats("scale", &scale, b',')
            .empty()
    })?;
    let lists = ("MeshCollisionRepresentations", "collision_representation");
    out.list(lists, view.representations(), representation)?;
    out.close("MeshSystem")
}

fn version(name: &'static str, stored: Option<i64>, default: i32) -> Result<i32> {
    stored.map_or(Ok(default), |stored| {
        i32::try_from(stored).map_err(|_| refused(Field::new(name), "a version of 32 bits", stored.to_string()))
    })
}

fn skeleton(out: &mut Output<'_>, view: View<'_>, skeleton: Skeleton<'_>) -> Result<()> {
    out.start_skeleton(skeleton.name()?.as_bytes(), skeleton.bone_range().len())?;
    out.items("bone", skeleton.bones(), |out, bone| {
        let bone = bone?;
        let parent = usize::try_from(bone.parent).ok().map(|parent| view.bone_name(parent)).transpose()?;
        out.bone(bone.name.as_bytes(), parent.map(|parent| (0, parent.as_bytes())), &bone.bind)
    })?;
    out.close("Skeleton")
}

fn animation(out: &mut Output<'_>, animation: Animation<'_>) -> Result<()> {
    let timing = animation.timing()?;
    let frames = timing.frames.map_or_else(|| animation.frame_count(), Ok)?;
    let counts = [animation.tracks().len(), as_index(frames)];
    out.start_animation(animation.name()?.as_bytes(), counts, [timing.duration, timing.dtime])?;
    out.items("track", animation.tracks(), |out, track| {
        let keys = track.keys()?;
        out.track((track.name()?.as_bytes(), keys.len()), keys.iter(), [0.0; 2])
    })?;
    out.close("Animation")
}

fn mesh(out: &mut Output<'_>, view: View<'_>, mesh: MeshElement<'_>) -> Result<()> {
    let shared = mesh.vertex_buffer()?;
    let names = [mesh.name()?, mesh.skeleton_name()?].map(|name| name.as_bytes());
    out.start_mesh(names, mesh.declared_bounds()?, mesh.section_range().len())?;
    let types = vertices(out, shared.as_ref())?;
    out.items("section", mesh.sections(), |out, one| section(out, one, shared.as_ref().zip(types.as_ref())))?;
    if mesh.index() == 0 {
        tetra_meshes(view, out)?;
    }
    out.close("Mesh")
}

fn section(
    out: &mut Output<'_>,
    section: Section<'_>,
    shared: Option<(&VertexBuffer<'_>, &VertexTypes)>,
) -> Result<()> {
    let own = if section.has_own_vertices() { Some(section.vertex_buffer()?) } else { None };
    let types = shared.filter(|_| own.is_none()).map(|(_, types)| types);
    let (material, info) = (section.material_name()?.as_bytes(), section.info()?.map(|info| info.as_bytes()));
    out.start_section(material, section.declared_bounds()?, types, info)?;
    vertices(out, own.as_ref())?;
    let buffer = own.as_ref().or(shared.map(|(buffer, _)| buffer));
    triangles(out, section.index_buffer()?.as_ref(), buffer)?;
    if buffer.is_none() {
        let expected = "vertices with columns in the section or in its mesh";
        return Err(refused(out.place.named("vertices"), expected, "none"));
    }
    out.close("MeshSection")
}

/// Writes vertices, and returns their types.
fn vertices(out: &mut Output<'_>, buffer: Option<&VertexBuffer<'_>>) -> Result<Option<VertexTypes>> {
    let Some(buffer) = buffer else { return Ok(None) };
    let (types, vertices) = (VertexTypes::of_buffer(buffer), buffer.vertices()?);
    let scalars = buffer.format().all_scalars();
    out.vertices(vertices.len(), &types, |out| {
        if out.is_checking() {
            check_words(out.place, &types)?;
            return buffer.format().columns().iter().try_for_each(|column| {
                let mut values = (0..vertices.len()).flat_map(|row| vertices.column_values(column, row));
                values.try_for_each(|value| check_value(out.place.named("vertices"), value))
            });
        }
        (0..vertices.len()).try_for_each(|row| {
            scalars.iter().zip(vertices.values(row)).try_for_each(|(scalar, value)| out.value(*scalar, value))?;
            out.end_item()
        })
    })?;
    Ok(Some(types))
}

fn check_words(place: Field, types: &VertexTypes) -> Result<()> {
    let odd = |byte: &u8| *byte <= b' ' || matches!(byte, b',' | b'"' | b'<' | 0x7f);
    let mut words = types.semantic.split(|byte| *byte == b' ');
    match words.find(|word| word.len() > MEANING || word.iter().any(odd)) {
        None => Ok(()),
        Some(word) => {
            let expected = format!("one word of at most {MEANING} bytes");
            Err(refused(place.named("semantic"), expected, show_bytes(word.get(..MEANING).unwrap_or(word))))
        }
    }
}

/// Checks that a character or a word of a vertex is read again as it is written.
fn check_value(field: Field, value: VertexValue<'_>) -> Result<()> {
    let separates = |byte: &u8| matches!(byte, 0..=b' ' | b',' | b'<' | 0x7f);
    match value {
        VertexValue::Character(byte) if separates(&byte) => {
            let expected = "characters other than blanks, commas, `<` and control characters";
            Err(refused(field, expected, show_bytes(&[byte])))
        }
        VertexValue::Word(word) if word.as_bytes().len() > WORD || word.as_bytes().iter().any(separates) => {
            let expected = format!("words of 1 to {WORD} bytes without blanks, commas, `<` and control characters");
            let word = word.as_bytes();
            Err(refused(field, expected, show_bytes(word.get(..WORD).unwrap_or(word))))
        }
        _ => Ok(()),
    }
}

fn triangles(
    out: &mut Output<'_>,
    triangles: Option<&IndexBuffer<'_>>,
    vertices: Option<&VertexBuffer<'_>>,
) -> Result<()> {
    let count = triangles.map_or(0, IndexBuffer::triangle_count);
    out.triangles(as_index(count), |out| match triangles {
        Some(triangles) if out.is_checking() => {
            check_indices(out.place, triangles, vertices.map_or(0, VertexBuffer::count))
        }
        Some(triangles) => triangles.indices()?.triangles().try_for_each(|triangle| out.triangle(triangle)),
        None => Ok(()),
    })
}

/// Checks that the vertices of triangles exist.
fn check_indices(place: Field, triangles: &IndexBuffer<'_>, vertices: u32) -> Result<()> {
    match triangles.indices()?.iter().find(|index| *index >= vertices) {
        None => Ok(()),
        Some(index) => Err(refused(place.named("triangles"), format!("indices below {vertices}"), index.to_string())),
    }
}

fn tetra_meshes(view: View<'_>, out: &mut Output<'_>) -> Result<()> {
    let word = Semantic::Position.word().unwrap_or_default();
    for tetra in view.tetra_meshes() {
        let corners = tetra.corners()?;
        out.tag("TetraMesh").count("count", corners.len()).attribute("ctype", b"fff fff fff fff");
        out.attribute("semantic", [word; 4].join(" ").as_bytes()).open()?;
        for corners in corners.iter().take(if out.is_checking() { 0 } else { corners.len() }) {
            corners.iter().try_for_each(|number| out.float(*number))?;
            out.end_item()?;
        }
        out.close("TetraMesh")?;
    }
    Ok(())
}

fn representation(out: &mut Output<'_>, representation: Representation<'_>) -> Result<()> {
    let name = "MeshCollisionRepresentation";
    out.tag(name).text("name", representation.name()?.as_bytes()).text("info", representation.info()?.as_bytes());
    out.count("count", representation.collisions().len()).open()?;
    out.items("collision", representation.collisions(), collision)?;
    out.close(name)
}

fn collision(out: &mut Output<'_>, collision: Collision<'_>) -> Result<()> {
    let (points, faces) = (collision.hull_points()?, collision.hull_triangles()?);
    let kind = collision.kind()?.as_bytes();
    out.tag("MeshCollision").text("name", collision.name()?.as_bytes()).text("type", kind);
    if let Some(transform) = collision.transform()? {
        out.floats("transform", &transform, b' ');
    }
    out.open()?;
    let is = |name: &str| kind.eq_ignore_ascii_case(name.as_bytes());
    let shapes = [
        ("BOX", "MeshCollisionBox"),
        ("SPHERE", "MeshCollisionSphere"),
        ("CAPSULE", "MeshCollisionCapsule"),
        ("CONVEX", "MeshCollisionConvex"),
    ];
    if points.is_some() || faces.is_some() {
        out.tag("MeshCollisionConvex").open()?;
        vertices(out, points.as_ref())?;
        triangles(out, faces.as_ref(), points.as_ref())?;
        out.close("MeshCollisionConvex")?;
    } else if let Some((_, element)) = shapes.iter().find(|(kind, _)| is(kind)) {
        out.tag(element).empty()?;
    }
    out.close("MeshCollision")
}

/// Writes the bytes of a binary file without those after its last field. A bone whose parent does
/// not exist is written without a parent.
fn write_binary(view: View<'_>, out: &mut dyn Write) -> Result<()> {
    for section in view.sections() {
        if let (Some(triangles), buffer) = (section.index_buffer()?, section.vertex_buffer()?) {
            check_indices(section.element.place, &triangles, buffer.count())?;
        }
    }
    let mut written = 0_usize;
    let mut copy = |end: u64, put: &[u8]| {
        let end = usize::try_from(end).unwrap_or(usize::MAX);
        let bytes = view.bytes.get(written..end).unwrap_or_default();
        written = end.saturating_add(put.len());
        out.write_all(bytes).and_then(|()| out.write_all(put)).map_err(failed)
    };
    for bone in 0..view.bone_count() {
        let Some(mut reader) = view.bone_element(bone).fields_from("parent")? else { continue };
        let offset = reader.cursor.offset();
        if reader.i32("parent")? != -1 && view.bone(bone)?.parent < 0 {
            copy(offset, &(-1_i32).to_le_bytes())?;
        }
    }
    copy(view.state.elements.plane.saturating_add(PLANE.size.into()), b"")?;
    out.flush().map_err(failed)
}
