//! Does everything that a caller can do with an EZ-Mesh file, valid or not, and tests the
//! invariants that hold for any content.

use meshpeek::ezmesh::{
    Animation, Collision, Form, IndexBuffer, Mesh, MeshElement, RULES, Scalar, Section, Semantic, TetraMesh, Track,
    VertexBuffer, VertexValue, View,
};
use meshpeek::internals::{FormatFile, format_file};
use meshpeek::model::SurfaceArrays as _;
use meshpeek::model::{Indices, Transform};
use meshpeek::{
    Animations, Array, Bounds, Error, ErrorKind, Finding, FormatVersion, Geometry, MeshFile as _, Model, OpenOptions,
    Region, Result, Severity, Surface,
};

use crate::support::changed;
use crate::support::invariants::{Fate, expect_lossy_weld, expect_named, pose_and_skin};

/// The number of items of a long list that are read in detail: bones, tracks, sections, shapes.
const SAMPLES: usize = 24;
/// The number of vertices, triangles and frames of one block that are compared one by one.
const ROWS: usize = 2048;

/// The observations about a file.
struct Look {
    length: u64,
    /// The first error of a part that could not be read.
    damaged: Option<Error>,
    /// Whether something is missing that a mesh needs to be displayed.
    lacking: bool,
}

impl Look {
    /// Unwraps a result.
    ///
    /// The error of a damaged part must name the part.
    fn some<T>(&mut self, result: Result<T>) -> Option<T> {
        result
            .inspect_err(|error| {
                expect_named(error, self.length);
                match error.kind() {
                    ErrorKind::Missing => self.lacking = true,
                    _ => _ = self.damaged.get_or_insert_with(|| error.clone()),
                }
            })
            .ok()
    }

    /// Asserts that two ways to the same value both succeed or both fail.
    fn both<A, B>(&mut self, what: &str, one: Result<A>, other: Result<B>) -> Option<(A, B)> {
        match (one, other) {
            (Ok(one), Ok(other)) => Some((one, other)),
            (Err(one), Err(other)) => {
                self.some(Err::<A, _>(one));
                self.some(Err::<B, _>(other));
                None
            }
            (one, other) => {
                panic!("{what}: one way succeeds where another fails: {:?}, {:?}", one.err(), other.err())
            }
        }
    }

    /// Returns whether a buffer of this size is reasonable for the file.
    ///
    /// The caller of a read function allocates the buffer.
    fn is_paid(&self, bytes: usize) -> bool {
        as_u64(bytes) <= self.length.saturating_mul(4).saturating_add(1 << 16)
    }
}

/// Opens the file in every mode, and reads everything through the format's views and the neutral
/// view.
///
/// Several ways of reading must agree.
pub fn check_invariants(bytes: &[u8]) -> Fate {
    let length = as_u64(bytes.len());
    let strict = Mesh::open_with(bytes, &OpenOptions::default().with_strict(true));
    let watched = Mesh::open_with(bytes, &OpenOptions::default().with_record_access(true));
    let system = match Mesh::open(bytes) {
        Ok(system) => system,
        Err(error) => {
            expect_named(&error, length);
            for other in [strict, watched] {
                assert_eq!(other.unwrap_err().to_string(), error.to_string(), "every mode must refuse it");
            }
            return Fate::Refused;
        }
    };
    let (strict, watched) = (strict.unwrap(), watched.unwrap());
    assert!(watched.access_log(0).is_some_and(|touched| touched.bytes() <= length) && system.access_log(0).is_none());
    if matches!(watched.form(), Form::Text(_)) {
        assert_eq!(watched.access_log(0).unwrap().bytes(), length, "opening a text reads all of it");
    }
    let mut look = Look { length, damaged: None, lacking: false };
    look_at_head(&mut look, &system);
    look_at_bones(&mut look, &system);
    for animation in some_of(system.view().animations()) {
        look_at_animation(&mut look, &animation);
    }
    for mesh in some_of(system.view().meshes()) {
        look_at_mesh(&mut look, &mesh);
    }
    for section in some_of(system.view().sections()) {
        look_at_section(&mut look, &section, system.view());
    }
    look_at_the_rest(&mut look, system.view());
    for surface in some_of(0..system.surface_count().unwrap()) {
        look_at_surface(&mut look, &system, surface);
    }
    look_at_clips(&mut look, &system);
    pose_and_skin(&system);
    for surface in [system.surface_count().unwrap(), usize::MAX] {
        assert_eq!(Surface::new(&system, surface).unwrap_err().kind().id(), "no-such");
    }
    compare_modes(&mut look, &system, &strict, &watched);
    look_at_structure(&mut look, &system, bytes);
    assert!(watched.access_log(0).unwrap().bytes() <= length);
    if look.damaged.is_some() { Fate::Damaged } else { Fate::Read }
}

/// Checks, surveys and validates the structure, and lists its regions.
///
/// Uses both the format's own type and a model of any format.
fn look_at_structure(look: &mut Look, system: &Mesh<&[u8]>, bytes: &[u8]) {
    look.some(system.check());
    let end = named(look.length, |see| system.regions(0, see));
    assert_eq!(end, look.length, "bytes without a name");
    let (mut surveyed, mut validated) = (Vec::new(), Vec::new());
    system.validate_structure(&mut |finding| surveyed.push(finding)).unwrap();
    system.validate(&mut |finding| validated.push(finding)).unwrap();
    assert!(validated.starts_with(&surveyed), "validate reports the findings of the survey first");
    for finding in &validated {
        assert!(RULES.iter().any(|rule| rule.id == finding.rule), "{finding}");
        assert!(finding.offset <= look.length, "{finding} is outside of the file of {} bytes", look.length);
        assert!(!finding.text.is_empty() && !finding.field.to_string().is_empty(), "{finding}");
    }
    if let Err(error) = system.check() {
        let found = meshpeek::finding(&error).unwrap_or_else(|| panic!("{error} breaks no rule"));
        let same = |other: &Finding| (other.rule, other.field, other.offset) == (found.rule, found.field, found.offset);
        assert!(surveyed.iter().any(same), "{error} is not reported: {surveyed:?}");
    }
    // `validate` also reports content that cannot be read.
    if let Some(error) = &look.damaged {
        let is_told = validated.iter().any(|finding| finding.severity == Severity::Error);
        assert!(is_told, "{error} is not reported: {validated:?}");
    }
    if look.lacking {
        assert!(
            validated.iter().any(|finding| finding.rule == "EZ32"),
            "a missing part is not reported: {validated:?}"
        );
    }
    write_twice(system, bytes, &validated);
    let model = Model::open(bytes).unwrap();
    assert!(matches!(format_file(&model), FormatFile::EzMesh(_)) && model.file().rules().len() == RULES.len());
    assert_eq!(model.file().check().is_ok(), system.check().is_ok());
    assert_eq!(named(look.length, |see| model.file().regions(0, see)), look.length);
    let mut again = 0;
    model.file().validate(&mut |_| again += 1).unwrap();
    assert_eq!(again, validated.len());
}

/// Asserts that the written file opens, and that writing it again does not change it.
///
/// A valid binary file is unchanged the first time.
fn write_twice(system: &Mesh<&[u8]>, bytes: &[u8], findings: &[Finding]) {
    let mut once = Vec::new();
    if let Err(error) = system.write_to(0, &mut once) {
        expect_named(&error, as_u64(bytes.len()));
        assert!(once.is_empty(), "{error}, but bytes were written");
        return;
    }
    let again = Mesh::open(once.as_slice()).unwrap_or_else(|error| panic!("the written file does not open: {error}"));
    let counts = |system: &Mesh<&[u8]>| {
        [system.surface_count().unwrap(), system.view().bone_count(), system.view().animations().len()]
    };
    assert_eq!(counts(system), counts(&again));
    let mut twice = Vec::new();
    again.write_to(0, &mut twice).unwrap_or_else(|error| panic!("the written file cannot be written again: {error}"));
    assert!(once == twice, "written differently the second time");
    let is_sound = !findings.iter().any(|finding| finding.severity > Severity::Info && finding.rule != "EZ36");
    if is_sound && matches!(system.form(), Form::Binary { .. }) {
        assert!(bytes.starts_with(&once), "written differently without a finding");
    }
}

/// Asserts that regions have names and no gaps, and returns the end of the last one.
fn named(length: u64, regions: impl FnOnce(&mut dyn FnMut(Region)) -> Result<()>) -> u64 {
    let mut end = 0;
    regions(&mut |Region { field, start, end: next, element, count, .. }| {
        assert_eq!(start, end, "{field} leaves a gap, or overlaps");
        assert!(
            next >= start && next <= length && !field.to_string().is_empty(),
            "{field}: {start} to {next} of {length}"
        );
        if element.size > 0 {
            assert_eq!(next - start, u64::from(element.size) * count, "{field}");
        }
        end = next;
    })
    .unwrap();
    end
}

/// Returns the first items of a list and its last ones.
fn some_of<T>(list: impl ExactSizeIterator<Item = T>) -> impl Iterator<Item = T> {
    let count = list.len();
    list.enumerate()
        .filter(move |(index, _)| *index < SAMPLES || index.saturating_add(2) >= count)
        .map(|(_, item)| item)
}

fn look_at_head(look: &mut Look, system: &Mesh<&[u8]>) {
    let view: View<'_> = system.view();
    let copy = view;
    let _ = (look.some(view.asset_name()), look.some(copy.asset_info()), look.some(view.versions()));
    let _ = (look.some(view.declared_bounds()), look.some(view.plane()));
    assert_eq!(system.dialect().is_some(), matches!(system.form(), Form::Text(_)));
    assert!(!FormatVersion::version(system).is_empty() && FormatVersion::format(system) == "ezmesh");
    assert!(Geometry::sphere(system).unwrap().is_none());
    for material in some_of(view.materials()) {
        look.some(material.name());
        look.some(material.meta_data());
        look.some(material.decoded_meta_data());
    }
}

fn look_at_bones(look: &mut Look, system: &Mesh<&[u8]>) {
    let view = system.view();
    let count = view.bone_count();
    assert_eq!(count, Animations::bone_count(system).unwrap());
    let mut end = 0;
    for skeleton in view.skeletons() {
        let range = skeleton.bone_range();
        assert_eq!(range.start, end, "a bone is in no skeleton or in two");
        end = range.end;
    }
    assert_eq!(end, count, "a bone is in no skeleton");
    for skeleton in some_of(view.skeletons()) {
        look.some(skeleton.name());
        look.some(skeleton.declared_count());
        assert_eq!(skeleton.bones().len(), skeleton.bone_range().len());
        for bone in skeleton.bones().take(SAMPLES) {
            look.some(bone);
        }
    }
    let mut visited = vec![false; count];
    for bone in some_of(0..count) {
        let Some((one, name)) = look.both("bone", Animations::bone(system, bone).map_err(only_named), view.bone(bone))
        else {
            look.some(view.bone_name(bone));
            continue;
        };
        assert_eq!(one.name, look.some(view.bone_name(bone)).unwrap());
        assert_eq!(format!("{one:?}"), format!("{name:?}"));
        // In a binary file the parent may be any number, and in both forms a bone may be its own
        // descendant. The loop therefore marks the visited bones.
        visited.fill(false);
        let mut at = one.parent;
        let mut steps = 0_usize;
        while let Some(parent) = usize::try_from(at).ok().filter(|parent| *parent < count) {
            if std::mem::replace(&mut visited[parent], true) || steps > ROWS {
                break;
            }
            steps += 1;
            let Ok(next) = view.bone(parent) else { break };
            at = next.parent;
        }
        if matches!(system.form(), Form::Text(_)) {
            assert!(one.parent == -1 || usize::try_from(one.parent).unwrap() < count, "{one:?}");
        }
    }
    for beyond in [count, usize::MAX] {
        assert_eq!(view.bone(beyond).unwrap_err().kind().id(), "no-such");
        assert_eq!(view.bone_name(beyond).unwrap_err().kind().id(), "no-such");
    }
}

fn only_named(error: Error) -> Error {
    error
}

fn look_at_animation(look: &mut Look, animation: &Animation<'_>) {
    look.some(animation.name());
    look.some(animation.timing());
    look.some(animation.frame_count());
    for track in some_of(animation.tracks()) {
        look_at_track(look, &track);
    }
}

fn look_at_track(look: &mut Look, track: &Track<'_>) {
    look.some(track.name());
    look.some(track.seconds());
    look.some(track.has_scale());
    let Some(frames) = look.some(track.frame_count()) else {
        assert!(track.keys().is_err());
        return;
    };
    // A key of a text takes at least 14 bytes, and becomes at most 40.
    if !look.is_paid(as_index(frames).saturating_mul(28)) {
        look.some(track.keys().map(drop)).ok_or(()).expect_err("more keys than the file can contain");
        return;
    }
    let Some(keys) = look.some(track.keys()) else { return };
    assert_eq!(keys.len(), as_index(frames));
    assert_eq!(
        (keys.is_empty(), keys.get(keys.len()).is_none(), keys.get(usize::MAX).is_none()),
        (frames == 0, true, true)
    );
    let again = track.keys().unwrap();
    assert_eq!(format!("{:?}", again.get(0)), format!("{:?}", keys.get(0)));
}

fn look_at_mesh(look: &mut Look, mesh: &MeshElement<'_>) {
    let copy = *mesh;
    let _ = (look.some(mesh.name()), look.some(copy.skeleton_name()), look.some(mesh.declared_section_count()));
    let _ = (look.some(mesh.declared_bounds()), look.some(mesh.bones()));
    assert_eq!(mesh.sections().len(), mesh.section_range().len());
    if let Some(Some(buffer)) = look.some(mesh.vertex_buffer()) {
        look_at_vertices(look, &buffer);
    }
}

fn look_at_section(look: &mut Look, section: &Section<'_>, view: View<'_>) {
    assert!(section.mesh().section_range().contains(&section.index()));
    assert!(section.mesh().index() < view.meshes().len());
    let _ = (look.some(section.material_name()), look.some(section.info()), look.some(section.flags()));
    let _ = (look.some(section.repeated_types()), look.some(section.declared_bounds()));
    let shared = section.mesh().vertex_buffer();
    let buffer = section.vertex_buffer();
    if section.has_own_vertices() {
        if let Some(buffer) = look.some(buffer) {
            look_at_vertices(look, &buffer);
        }
    } else if let (Ok(Some(shared)), Ok(buffer)) = (&shared, &buffer) {
        assert_eq!((shared.count(), shared.offset().ok()), (buffer.count(), buffer.offset().ok()));
    } else {
        assert!(buffer.is_err());
        look.some(buffer);
    }
    if let Some(Some(triangles)) = look.some(section.index_buffer()) {
        look_at_triangles(look, &triangles);
    }
}

fn look_at_triangles(look: &mut Look, triangles: &IndexBuffer<'_>) {
    let count = triangles.index_count();
    assert_eq!(count as u64, u64::from(triangles.triangle_count()) * 3);
    assert!(look.some(triangles.offset()).is_none_or(|offset| offset <= look.length));
    if !look.is_paid(count.saturating_mul(4)) {
        look.some(triangles.indices());
        assert!(triangles.indices().is_err(), "more indices than the file can contain");
        return;
    }
    let Some(indices) = look.some(triangles.indices()) else { return };
    assert!(indices.len() == count && indices.get(count).is_none());
    let again: Indices<'_> = triangles.indices().unwrap();
    assert_eq!(again.as_bytes().as_ptr(), indices.as_bytes().as_ptr(), "the block was parsed twice");
}

/// Returns a number as bits, which makes a NaN equal to itself.
fn bits(cell: VertexValue<'_>) -> (u8, i64, Vec<u8>) {
    match cell {
        VertexValue::Float(float) => (0, i64::from(float.to_bits()), Vec::new()),
        VertexValue::Integer(integer) => (1, integer, Vec::new()),
        VertexValue::Hex(hex) => (2, i64::from(hex), Vec::new()),
        VertexValue::Character(byte) => (3, i64::from(byte), Vec::new()),
        VertexValue::Word(name) => (4, 0, name.as_bytes().to_vec()),
    }
}

fn look_at_vertices(look: &mut Look, buffer: &VertexBuffer<'_>) {
    let layout = *buffer.format();
    let count = as_index(buffer.count());
    assert!(look.some(buffer.offset()).is_none_or(|offset| offset <= look.length));
    assert_eq!(buffer.byte_count(), count.saturating_mul(layout.size().into()));
    assert_eq!(
        layout.columns().iter().map(|column| layout.scalars(column).len()).sum::<usize>(),
        layout.all_scalars().len()
    );
    for column in layout.columns() {
        let _ = (buffer.word(column), column.semantic.word());
    }
    let _ = (buffer.types(), buffer.interp_width());
    if !look.is_paid(buffer.byte_count()) {
        look.some(buffer.vertices());
        assert!(buffer.vertices().is_err(), "more vertices than the file can contain");
        return;
    }
    let Some(vertices) = look.some(buffer.vertices()) else { return };
    assert_eq!((vertices.len(), vertices.is_empty(), vertices.format().size()), (count, count == 0, layout.size()));
    assert!(vertices.values(count).next().is_none() && vertices.values(usize::MAX).next().is_none());
    for row in 0..count.min(ROWS) {
        let columns = layout.columns().iter().flat_map(|column| vertices.column_values(column, row));
        assert!(columns.map(bits).eq(vertices.values(row).map(bits)), "vertex {row}");
        assert_eq!(vertices.values(row).count(), layout.all_scalars().len());
    }
    look_at_arrays(buffer);
}

fn look_at_arrays(buffer: &VertexBuffer<'_>) {
    let vertices = buffer.vertices().unwrap();
    let count = vertices.len();
    let has = |semantic| vertices.format().column(semantic).is_some();
    assert_eq!(vertices.positions().map(|all| all.len()), has(Semantic::Position).then_some(count));
    assert_eq!(vertices.normals().map(|all| all.len()), has(Semantic::Normal).then_some(count));
    assert_eq!(vertices.colors().map(|all| all.len()), has(Semantic::Color).then_some(count));
    for set in 0..5_u8 {
        let expected = (set < 4 && has(Semantic::Texcoord(set))).then_some(count);
        assert_eq!(vertices.uvs(set.into()).map(|all| all.len()), expected);
    }
    let skinned = has(Semantic::BlendIndices) && has(Semantic::BlendWeights);
    assert_eq!(
        vertices.lanes().map(|(bones, weights)| (bones.len(), weights.len())),
        skinned.then_some((count, count))
    );
    if let Some(weights) = vertices.weights(7) {
        assert_eq!((weights.len(), weights.iter().count()), (count, count));
        let (bones, stored) = vertices.lanes().unwrap();
        for (vertex, list) in weights.iter().enumerate().take(ROWS) {
            assert_eq!(weights.get(vertex as u32).map(|list| list.len()), Some(list.len()));
            let lanes = bones.get(vertex).into_iter().flatten().zip(stored.get(vertex).into_iter().flatten());
            let expected = lanes
                .filter(|(_, weight)| *weight != 0.0)
                .map(|(bone, weight)| (i32::from(bone) + 7, weight.to_bits()));
            assert!(list.iter().map(|one| (one.bone, one.weight.to_bits())).eq(expected), "vertex {vertex}");
        }
    }
    if let Some(positions) = vertices.positions() {
        let mut decoded = vec![[0.0; 3]; count];
        positions.decode_into(&mut decoded).unwrap();
        let bounds = positions.bounds();
        assert!(decoded.iter().all(|at| contains(&bounds, *at)), "{bounds:?}");
        assert!(positions.get(count).is_none() && positions.slice(0..count + 1).is_none());
    }
}

/// Returns whether a box contains a position.
///
/// A NaN coordinate is inside every box.
fn contains(bounds: &Bounds, position: [f32; 3]) -> bool {
    (0..3).all(|axis| !(position[axis] < bounds.min[axis] || position[axis] > bounds.max[axis]))
}

fn look_at_the_rest(look: &mut Look, view: View<'_>) {
    for tetra in some_of(view.tetra_meshes()) {
        let tetra: TetraMesh<'_> = tetra;
        let count = look.some(tetra.count());
        if let Some(corners) = look.some(tetra.corners()) {
            assert_eq!(Some(corners.len()), count.map(as_index));
            assert!(corners.get(corners.len()).is_none());
        }
    }
    for instance in some_of(view.instances()) {
        look.some(instance.mesh_name());
        look.some(instance.transform());
    }
    let mut shapes = 0;
    for representation in view.representations() {
        shapes += representation.collisions().len();
    }
    assert_eq!(shapes, view.collisions().len(), "a shape is in no group");
    for representation in some_of(view.representations()) {
        let _ = (look.some(representation.name()), look.some(representation.info()));
        look.some(representation.declared_count());
    }
    for collision in some_of(view.collisions()) {
        let collision: Collision<'_> = collision;
        let _ = (look.some(collision.name()), look.some(collision.kind()), look.some(collision.transform()));
        if let Some(Some(points)) = look.some(collision.hull_points()) {
            look_at_vertices(look, &points);
        }
        if let Some(Some(triangles)) = look.some(collision.hull_triangles()) {
            look_at_triangles(look, &triangles);
        }
    }
    for texture in some_of(view.textures()) {
        look.some(texture.picture());
    }
    for pair in some_of(view.user_data()) {
        look.some(pair.pair());
    }
    for content in some_of(view.user_binary_data()) {
        look.some(content.content());
    }
}

fn look_at_surface(look: &mut Look, system: &Mesh<&[u8]>, index: usize) {
    let surface = Surface::new(system, index).unwrap();
    let _ = (look.some(surface.name()), look.some(surface.material()), look.some(surface.is_drawn()));
    assert!(look.some(surface.sphere()).flatten().is_none());
    let counts = look.some(surface.counts());
    let positions = look.some(surface.positions());
    let bounds = look.some(surface.bounds());
    let _ = (look.some(surface.tangent_frames()), surface.vertex_frame(0).is_err());
    for result in [surface.target_positions(1).map(drop), surface.target_normals(1).map(drop)] {
        assert_eq!(result.unwrap_err().kind().id(), "no-such");
    }
    let normals = look.some(surface.normals()).flatten();
    let colors = look.some(surface.colors()).flatten();
    let weights = look.some(surface.weights()).flatten();
    let uvs = [0, 1, 2, 3, 4].map(|set| look.some(surface.uvs(set)).flatten());
    let (indices, attributes) = (look.some(surface.indices()), look.some(surface.attribute_indices()));
    let (Some(counts), Some(positions), Some(indices)) = (counts, positions, indices) else {
        assert!(surface.weld().is_err());
        return;
    };
    let vertices = as_index(counts.vertices);
    assert_eq!((positions.len(), indices.len()), (vertices, as_index(counts.corners)));
    assert!(normals.is_none_or(|all| all.len() == vertices));
    assert_eq!(colors.map(|all| all.len()), counts.colors.then_some(vertices));
    assert_eq!(weights.map(|all| all.len()), counts.weights.then_some(vertices));
    assert!(uvs[as_index(counts.uv_sets)..].iter().all(Option::is_none));
    assert!(attributes.is_some_and(|all| all.iter().eq(indices.iter())));
    let (whole, bounds) = (look.some(Geometry::bounds(system)), bounds.expect("bounds need positions and indices"));
    let used = indices.iter().take(ROWS).filter_map(|index| positions.get(as_index(index)));
    assert!(used.into_iter().all(|at| contains(&bounds, at)), "{bounds:?} does not contain its positions");
    assert!(
        bounds.is_empty() || whole.is_none_or(|whole| contains(&whole, bounds.min) && contains(&whole, bounds.max)),
        "{bounds:?} in {whole:?}"
    );
    let Some(corners) = look.some(surface.corners()) else { return };
    assert_eq!((corners.len(), corners.triangle_count() as usize * 3), (indices.len(), indices.len()));
    let beyond = indices.first_out_of_range(counts.vertices);
    expect_lossy_weld(&surface);
    match look.some(surface.weld()) {
        Some(welded) => {
            assert!(beyond.is_none() && welded.indices.len() == corners.len());
            for (corner, vertex) in corners.iter().zip(&welded.indices).take(ROWS) {
                assert_eq!(welded.vertices.get(as_index(*vertex)), Some(&corner));
            }
        }
        None => assert!(beyond.is_some(), "all indices are in range, but welding fails"),
    }
}

fn look_at_clips(look: &mut Look, system: &Mesh<&[u8]>) {
    let count = Animations::clip_count(system).unwrap();
    assert_eq!(count, system.view().animations().len());
    assert_eq!(Animations::clip(system, count).unwrap_err().kind().id(), "no-such");
    let bones = Animations::bone_count(system).unwrap();
    if bones > 4096 {
        return;
    }
    let mut pose = vec![Transform::default(); bones];
    for index in some_of(0..count).take(4) {
        let Some(clip) = look.some(Animations::clip(system, index)) else { continue };
        for frame in [0, clip.frames / 2, clip.frames.saturating_sub(1)] {
            if frame < clip.frames {
                look.some(Animations::pose(system, index, as_index(frame), &mut pose));
            }
        }
        assert_eq!(
            Animations::pose(system, index, as_index(clip.frames), &mut pose).unwrap_err().kind().id(),
            "no-such"
        );
        assert!(Animations::pose(system, index, 0, &mut vec![Transform::default(); bones + 1]).is_err());
        assert!(clip.rate.is_none());
    }
}

/// Asserts that strict mode reads the same values as the default mode, and that recording accesses
/// changes nothing.
fn compare_modes(look: &mut Look, lenient: &Mesh<&[u8]>, strict: &Mesh<&[u8]>, watched: &Mesh<&[u8]>) {
    let all = [lenient, strict, watched]
        .map(|system| (system.form(), system.surface_count().unwrap(), system.view().bone_count()));
    assert!(all[0] == all[1] && all[0] == all[2]);
    for index in some_of(0..lenient.surface_count().unwrap()) {
        let [one, two, three] = [lenient, strict, watched].map(|system| Surface::new(system, index).unwrap());
        let positions = |surface: &Surface<'_>| surface.positions().map(|all| all.as_bytes().to_vec());
        let indices = |surface: &Surface<'_>| surface.indices().map(|all| all.iter().collect::<Vec<_>>());
        look_the_same(look, positions(&one), &positions(&two), &positions(&three));
        look_the_same(look, indices(&one), &indices(&two), &indices(&three));
    }
}

fn look_the_same<T: PartialEq>(look: &mut Look, lenient: Result<T>, strict: &Result<T>, watched: &Result<T>) {
    let told = lenient.as_ref().err().map(ToString::to_string);
    assert!(told == watched.as_ref().err().map(ToString::to_string) && lenient.as_ref().ok() == watched.as_ref().ok());
    match (&lenient, strict) {
        (Ok(lenient), Ok(strict)) => assert!(lenient == strict, "strict mode reads something else"),
        (Err(_), Ok(_)) => panic!("strict mode reads a value that the default mode does not"),
        (_, Err(error)) => expect_named(error, look.length),
    }
    look.some(lenient);
}

/// Reads everything that can be borrowed, and keeps nothing.
///
/// The bound on memory applies to this. It excludes the bytes of decoded blocks, whose total is
/// returned.
pub fn borrow_everything(bytes: &[u8]) -> Result<usize> {
    let system = Mesh::open(bytes)?;
    let view = system.view();
    let _ = (
        view.asset_name()?,
        view.asset_info()?,
        view.versions().is_ok(),
        view.declared_bounds().is_ok(),
        view.plane()?,
    );
    for bone in 0..view.bone_count() {
        let _ = (Animations::bone(&system, bone).is_ok(), view.bone_name(bone).is_ok());
    }
    for skeleton in view.skeletons() {
        let _ = (skeleton.name()?, skeleton.declared_count().is_ok());
    }
    for material in view.materials() {
        let _ = (material.name()?, material.meta_data()?);
    }
    let mut unfolded = 0;
    let vertices = |buffer: &VertexBuffer<'_>| buffer.vertices().map_or(0, |_| buffer.byte_count());
    let triangles = |buffer: &IndexBuffer<'_>| buffer.indices().map_or(0, |_| buffer.index_count() * 4);
    for animation in view.animations() {
        let _ = (animation.name()?, animation.timing().is_ok(), animation.frame_count().is_ok());
        for track in animation.tracks() {
            let _ = (track.name()?, track.has_scale()?);
            unfolded += track.keys().map_or(0, |keys| keys.len() * if keys.has_scale() { 40 } else { 28 });
        }
    }
    for mesh in view.meshes() {
        let _ = (mesh.name()?, mesh.skeleton_name()?, mesh.declared_bounds().is_ok(), mesh.bones()?);
        let _ = mesh.declared_section_count().is_ok();
        unfolded += mesh.vertex_buffer().ok().flatten().map_or(0, |buffer| vertices(&buffer));
    }
    for section in view.sections() {
        let _ = (section.material_name()?, section.info()?, section.flags()?, section.declared_bounds().is_ok());
        let own = section.has_own_vertices().then(|| section.vertex_buffer().ok()).flatten();
        unfolded += own.map_or(0, |buffer| vertices(&buffer));
        unfolded += section.index_buffer().ok().flatten().map_or(0, |buffer| triangles(&buffer));
    }
    for tetra in view.tetra_meshes() {
        unfolded += tetra.corners().map_or(0, |corners| corners.len() * 48);
    }
    for instance in view.instances() {
        let _ = (instance.mesh_name()?, instance.transform().is_ok());
    }
    for collision in view.collisions() {
        let _ = (collision.name()?, collision.kind()?, collision.transform().is_ok());
        unfolded += collision.hull_points().ok().flatten().map_or(0, |buffer| vertices(&buffer));
        unfolded += collision.hull_triangles().ok().flatten().map_or(0, |buffer| triangles(&buffer));
    }
    for texture in view.textures() {
        texture.picture()?;
    }
    for pair in view.user_data() {
        pair.pair()?;
    }
    for content in view.user_binary_data() {
        content.content()?;
    }
    let _ = Geometry::bounds(&system);
    for surface in Surface::all(&system).unwrap() {
        let _ = (surface.name()?, surface.material()?, surface.counts().is_ok(), surface.positions().is_ok());
        let _ =
            (surface.normals().is_ok(), surface.uvs(0).is_ok(), surface.colors().is_ok(), surface.weights().is_ok());
        let _ = (surface.corners().is_ok(), surface.bounds().is_ok());
    }
    for clip in 0..Animations::clip_count(&system).unwrap() {
        let _ = Animations::clip(&system, clip).is_ok();
        if Animations::bone_count(&system).unwrap() == 0 {
            let _ = Animations::pose(&system, clip, 0, &mut []).is_ok();
        }
    }
    system.validate_structure(&mut drop)?;
    system.validate(&mut drop)?;
    system.regions(0, &mut |_| {})?;
    let _ = system.check().is_ok();
    Ok(unfolded)
}

fn as_u64(length: usize) -> u64 {
    u64::try_from(length).unwrap()
}

fn as_index(number: u32) -> usize {
    usize::try_from(number).unwrap()
}
