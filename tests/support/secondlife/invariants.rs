//! Does everything that a caller can do with a Second Life mesh asset, a container or a cache file,
//! valid or not, and tests the invariants that hold for any content.

use meshpeek::internals::{FormatFile, format_file};
use meshpeek::model::SurfaceArrays;
use meshpeek::model::animation::{Affine, SkinMatrix};
use meshpeek::secondlife::llsd::{self, LlsdEvent, LlsdLimits, LlsdValue, LlsdWalk, LlsdWriter};
use meshpeek::secondlife::{
    AssetBlock, AssetPart, Convex, Header, HeaderPrefix, IDENTITY, InflateBuffer, Level, LevelGeometry, Lod, Mesh,
    PhysicsShape, RULES, Skin, Submesh, SubmeshKey, hull_size,
};
use meshpeek::{
    Animations, Array, Bounds, Error, ErrorKind, Finding, FormatVersion, Geometry, Limits, MeshFile as _, Model,
    OpenOptions, Region, Result, Severity, Skeleton, Surface,
};

use crate::support::invariants::{Fate, expect_lossy_weld, expect_named};
use crate::support::random::Random;
use crate::support::{changed, is_error};

/// The number of items of a long list that are read in detail: assets, submeshes, joints, hulls.
const SAMPLES: usize = 6;

/// Opens, surveys and validates a file, lists its regions, inflates every block in several ways,
/// reads every array through the format's view and the neutral view, and writes the file again.
///
/// A file with any error is [`Fate::Damaged`].
pub fn check_invariants(bytes: &[u8], random: &mut Random) -> Fate {
    let length = as_u64(bytes.len());
    let mesh = match Mesh::open(bytes) {
        Ok(mesh) => mesh,
        Err(error) => {
            expect_named(&error, length);
            let found = meshpeek::finding(&error).unwrap();
            assert!(["SL01", "SL03"].contains(&found.rule), "{found}");
            assert_eq!((found.field, Some(found.offset)), (error.field(), error.offset()));
            assert!(
                !Model::open(bytes).is_ok_and(|model| matches!(format_file(&model), FormatFile::SecondLife(_))),
                "{error}"
            );
            return Fate::Refused;
        }
    };
    let findings = look_at_findings(&mesh, random, length);
    look_at_regions(&mesh, length);
    write_again(&mesh, bytes);
    look_at_prefixes(&mesh, bytes, random);
    look_at_container(&mesh);
    let faults = Faults { findings: &findings, length };
    let assets: Vec<usize> = some_of(mesh.asset_count(), random);
    for (number, asset) in mesh.assets().enumerate().filter(|(number, _)| assets.contains(number)) {
        let options = OpenOptions::default().with_asset(number).with_record_access(true);
        let alone = Mesh::open_with(bytes, &options).unwrap();
        assert_eq!(alone.asset_range(), asset.asset_range());
        let first = if random.one_in(2) { &asset } else { &alone };
        look_at_asset(first, &faults, random);
        assert!(alone.access_log(0).unwrap().bytes() <= length, "more bytes were read than the file has");
    }
    if let Ok(model) = Model::open(bytes) {
        assert!(matches!(format_file(&model), FormatFile::SecondLife(_)) && model.file().source_count() == 1);
        let counts = [model.geometry().surface_count(), SurfaceArrays::surface_count(&mesh)].map(Result::ok);
        assert_eq!(counts[0], counts[1]);
    }
    let is_sound = mesh.check().is_ok() && !findings.iter().any(|finding| finding.severity == Severity::Error);
    if is_sound { Fate::Read } else { Fate::Damaged }
}

/// The findings of `validate`, which must include every error that reading returns.
struct Faults<'a> {
    findings: &'a [Finding],
    length: u64,
}

impl Faults<'_> {
    /// Unwraps a result.
    ///
    /// An error must name its part of the file, and `validate` must report it.
    fn some<T>(&self, result: Result<T>) -> Option<T> {
        result.inspect_err(|error| self.expect_told(error)).ok()
    }

    fn expect_told(&self, error: &Error) {
        expect_named(error, self.length);
        let is_callers = matches!(error.kind(), ErrorKind::NoSuch | ErrorKind::Choice);
        let Some(found) = meshpeek::finding(error).filter(|_| !is_callers) else {
            assert!(is_callers || error.kind() == ErrorKind::Missing, "{error}: no rule reports it");
            return;
        };
        assert_eq!((found.severity, found.field), (Severity::Error, error.field()), "{found}");
        // A block outside of the file and an index out of range may be reported by either of two
        // rules.
        let same = |rule: &str| {
            let pairs = [["SL02", "SL05"], ["SL10", "SL08"]];
            rule == found.rule || pairs.iter().any(|pair| pair.contains(&rule) && pair.contains(&found.rule))
        };
        let told = self.findings.iter().any(|told| same(told.rule) && told.severity == Severity::Error);
        assert!(told, "{error}: {} is not reported", found.rule);
    }
}

fn look_at_findings(mesh: &Mesh<&[u8]>, random: &mut Random, length: u64) -> Vec<Finding> {
    let (mut surveyed, mut validated) = (Vec::new(), Vec::new());
    mesh.validate_structure(&mut |finding| surveyed.push(finding)).unwrap();
    mesh.validate(&mut |finding| validated.push(finding)).unwrap();
    if mesh.asset_count() == 1 {
        assert!(validated.starts_with(&surveyed), "validate reports the findings of the survey first");
    } else {
        assert!(surveyed.len() <= validated.len());
    }
    for finding in &validated {
        let known = RULES.iter().find(|rule| rule.id == finding.rule);
        assert!(known.is_some_and(|rule| finding.severity <= rule.severity), "{finding}");
        assert!(finding.offset <= length && finding.source == 0, "{finding} is outside of the file of {length} bytes");
        assert!(!finding.text.is_empty() && !finding.field.to_string().is_empty(), "{finding}");
    }
    if random.one_in(8) {
        let mut again = Vec::new();
        mesh.validate(&mut |finding| again.push(finding)).unwrap();
        assert_eq!(again, validated, "validate must give the same findings twice");
    }
    if let Err(error) = mesh.check() {
        Faults { findings: &validated, length }.expect_told(&error);
    }
    validated
}

fn look_at_regions(mesh: &Mesh<&[u8]>, length: u64) {
    let mut end = 0;
    mesh.regions(0, &mut |Region { field, start, end: next, element, count, .. }| {
        assert_eq!(start, end, "{field} leaves a gap, or overlaps");
        assert!(next > start && !field.to_string().is_empty(), "bytes {start} to {next} have no name");
        assert_eq!(next - start, u64::from(element.size) * count, "{field}");
        end = next;
    })
    .unwrap();
    assert_eq!(end, length, "bytes without a name");
}

fn write_again(mesh: &Mesh<&[u8]>, bytes: &[u8]) {
    let mut written = Vec::new();
    mesh.write_to(0, &mut written).unwrap();
    assert!(written == bytes, "written differently");
}

/// Reads headers from the first bytes only, like a client on the network.
fn look_at_prefixes(mesh: &Mesh<&[u8]>, bytes: &[u8], random: &mut Random) {
    if mesh.container().is_some() || mesh.preamble().is_some() {
        return;
    }
    let limits = Limits::default();
    let whole = mesh.header().unwrap();
    let end = usize::try_from(whole.len()).unwrap();
    let lengths = [0, 1, end.saturating_sub(1), end, random.below(end), random.below(bytes.len() + 1)];
    for length in lengths.into_iter().filter(|length| *length <= bytes.len()) {
        let prefix = &bytes[..length];
        match Header::of_prefix(prefix, &limits).unwrap() {
            HeaderPrefix::Ready(header) => {
                assert!(length >= end && header.len() == whole.len() && header.base() == whole.base());
                let options = OpenOptions::default().with_partial(true);
                let part = Mesh::open_with(prefix, &options).unwrap();
                for part_of in AssetPart::ALL {
                    match (part.view().stored(part_of), mesh.view().stored(part_of)) {
                        (Ok(one), Ok(other)) => assert_eq!(one, other),
                        (Err(error), _) => expect_named(&error, as_u64(bytes.len()).max(error.offset().unwrap_or(0))),
                        (Ok(_), Err(error)) => panic!("the whole file lacks a block of its prefix: {error}"),
                    }
                }
            }
            HeaderPrefix::NeedMore(needed) => {
                assert!(
                    length < end && needed > as_u64(length) && needed <= whole.len(),
                    "{length} of {end}: {needed}"
                );
            }
        }
    }
}

fn look_at_container(mesh: &Mesh<&[u8]>) {
    let Some(container) = mesh.container() else {
        assert_eq!((mesh.asset_count(), mesh.assets().count()), (1, 1));
        return;
    };
    assert_eq!((container.len(), container.is_empty()), (mesh.asset_count(), mesh.asset_count() == 0));
    assert_eq!((container.items().count(), mesh.assets().count()), (container.len(), container.len()));
    let _ = (container.name().map(|name| name.to_string()), container.version(), container.map().len());
    for instance in container.instances().take(SAMPLES) {
        let _ = (instance.mesh_id(), instance.label().map(|label| label.to_string()), instance.transform());
        let _ = instance.materials().map(|list| list.iter().count());
    }
    let beyond = OpenOptions::default().with_asset(container.len().max(1));
    assert_eq!(Mesh::open_with(*mesh.data(), &beyond).unwrap_err().kind().id(), "no-such");
}

fn look_at_asset(mesh: &Mesh<&[u8]>, faults: &Faults<'_>, random: &mut Random) {
    let view = mesh.view();
    let Some(header) = faults.some(view.header()) else {
        assert!(mesh.level(Lod::High).is_err() && mesh.check().is_err());
        return;
    };
    look_at_header(&header, view.asset());
    let mut buffer = InflateBuffer::default();
    for part in AssetPart::ALL {
        if let Some(hash) = faults.some(view.verify_hash(part)).flatten() {
            assert!(!hash || header.hash(part).is_some_and(|hash| hash.len() == 16));
        }
        let before = view.is_inflated(part);
        let block = look_at_block(mesh, part, &mut buffer, faults);
        assert_eq!(view.is_inflated(part), block.is_some() || before, "{part:?}");
        if part.is_geometry() {
            let level = block.and_then(|block| faults.some(block.level()));
            if let Some(level) = level {
                look_at_level(&level, faults, random);
            }
            look_at_detail(&LevelGeometry::new(view, part), level.as_ref(), faults, random);
        }
    }
    if let Some(Some(skin)) = faults.some(mesh.skin()) {
        look_at_skin(&skin, mesh, faults, random);
    }
    if let Some(Some(convex)) = faults.some(mesh.convex()) {
        look_at_convex(&convex, faults);
    }
    look_at_choices(mesh, &header, faults);
    look_at_neutral(mesh, faults, random);
}

fn look_at_header(header: &Header<'_>, asset: &[u8]) {
    let map = header.map();
    assert_eq!((map.len(), map.is_empty()), (header.entries().count(), header.is_empty()));
    look_at_map(&map);
    let line = usize::try_from(header.marker_line()).unwrap();
    assert_eq!(expect_copied(asset, line), usize::try_from(header.len()).unwrap());
    let blocks: Vec<_> = header.blocks().collect();
    for part in AssetPart::ALL {
        if let Ok(found) = header.block(part) {
            assert_eq!(found, blocks.iter().find(|block| block.part == part).copied());
            assert!(found.is_none_or(|block| !block.is_empty() && block.start >= header.base()));
        }
    }
    // A level with a damaged entry is listed, too.
    assert!(header.lods().eq(Lod::ALL.into_iter().filter(|lod| header.has(lod.part()))));
    for lod in header.lods().filter(|lod| blocks.iter().all(|block| block.part != lod.part())) {
        assert!(header.block(lod.part()).is_err(), "{lod:?}");
    }
    let _ = (header.version(), header.creator(), header.date(), header.submodel_id(), header.is_stub());
    let _ = (
        header.material_list().map(|list| list.iter().count()),
        header.physics_cost().map(|cost| (cost.map().len(), cost.mesh())),
    );
}

/// Looks up the key of every entry of a map, and expects the first entry with that key.
fn look_at_map(map: &llsd::LlsdMap<'_>) {
    for entry in map.iter().take(SAMPLES * 4) {
        assert!(entry.key_at < entry.at && entry.at < entry.end);
        let Ok(name) = String::from_utf8(entry.key.content().into_owned()) else { continue };
        let first = map.iter().find(|other| other.key == entry.key).unwrap();
        assert_eq!(map.get(&name).unwrap().at, first.at);
        assert!(first.at <= entry.at && entry.key.is(&name) && !entry.key.to_string().contains('\u{1b}'));
    }
}

/// Walks a value and writes it again unchanged.
///
/// Returns the end of the value.
pub fn expect_copied(bytes: &[u8], at: usize) -> usize {
    let rules = LlsdLimits::default();
    let mut writer = LlsdWriter::new();
    let end = writer.copy(bytes, at, &rules).unwrap();
    assert!(writer.into_bytes() == bytes[at..end], "written differently");
    let mut walk = LlsdWalk::new(bytes, at, &rules);
    let (mut depth, mut deepest) = (0_u32, 0);
    while let Some(event) = walk.next().unwrap() {
        match event {
            LlsdEvent::Open(..) => depth += 1,
            LlsdEvent::Close(_) => depth -= 1,
            LlsdEvent::Key(_) | LlsdEvent::Scalar(_) => {}
        }
        deepest = deepest.max(depth);
    }
    assert_eq!((walk.at(), depth), (end, 0));
    assert!(deepest <= rules.depth);
    assert!(walk.next().unwrap().is_none(), "a walk that has ended stays at its end");
    end
}

/// Inflates a block lazily, into the caller's buffer, and separately.
///
/// All three results must be equal.
fn look_at_block<'a>(
    mesh: &'a Mesh<&[u8]>,
    part: AssetPart,
    buffer: &mut InflateBuffer,
    faults: &Faults<'_>,
) -> Option<AssetBlock<'a>> {
    let view = mesh.view();
    let stored = faults.some(view.stored(part));
    let kept = view.block(part);
    let again = view.block(part);
    assert_eq!(kept.is_ok(), again.is_ok());
    let Some(Some((stored, bytes))) = stored else {
        assert!(matches!(kept, Ok(None) | Err(_)), "a block cannot exist without stored bytes");
        return None;
    };
    assert_eq!(as_u64(bytes.len()), stored.len());
    {
        let lent = view.block_into(part, buffer);
        match (&lent, &kept) {
            (Ok(Some(lent)), Ok(Some(kept))) => expect_same_block(*lent, *kept),
            (Err(one), Err(other)) => assert_eq!(one.to_string(), other.to_string()),
            // Only blocks that are kept count against the budget for all blocks.
            (Ok(Some(_)), Err(error)) => assert!(is_error(error, ErrorKind::Limit, &["(the limit `asset`)"])),
            unlike => panic!("{unlike:?}"),
        }
    }
    let alone = buffer.inflate(part, bytes, &Limits::default());
    match (&alone, &kept) {
        (Ok(alone), Ok(Some(kept))) => {
            assert!(alone.bytes() == kept.bytes() && alone.stored_at() == 0);
        }
        (Err(one), Err(other)) => {
            assert_eq!((one.kind().id(), one.inflated_offset()), (other.kind().id(), other.inflated_offset()));
        }
        unlike => assert!(unlike.0.is_ok(), "{unlike:?}"),
    }
    let block = faults.some(kept)??;
    assert_eq!((block.part(), block.stored_at(), block.stored_len()), (part, stored.start, stored.len()));
    let end = expect_copied(block.bytes(), block.value_at());
    assert_eq!(block.bytes().len() - end, block.rest().len());
    if let LlsdValue::Map(map) = block.value() {
        look_at_map(&map);
    }
    Some(block)
}

fn expect_same_block(one: AssetBlock<'_>, other: AssetBlock<'_>) {
    assert!(one.bytes() == other.bytes() && one.part() == other.part());
    assert_eq!((one.value_at(), one.rest(), one.unused()), (other.value_at(), other.rest(), other.unused()));
    assert_eq!((one.is_gzip(), one.stored_at()), (other.is_gzip(), other.stored_at()));
}

/// Returns indices of some of `count` items, including the first and the last one.
///
/// If there are only a few items, returns all of them.
fn some_of(count: usize, random: &mut Random) -> Vec<usize> {
    if count <= SAMPLES * 2 {
        return (0..count).collect();
    }
    let mut all = vec![0, 1, count - 1];
    all.extend((0..SAMPLES).map(|_| random.below(count)));
    all
}

fn look_at_level(level: &Level<'_>, faults: &Faults<'_>, random: &mut Random) {
    assert_eq!((level.submeshes().len(), level.is_empty()), (level.len(), level.submeshes().next().is_none()));
    assert_eq!(level.submesh(level.len()).unwrap_err().kind().id(), "no-such");
    for index in some_of(level.len(), random) {
        let Some(submesh) = faults.some(level.submesh(index)) else { continue };
        assert_eq!(submesh.index(), index);
        look_at_map(&submesh.map());
        for key in SubmeshKey::ALL {
            let first = submesh.map().get(key.name());
            assert_eq!(submesh.get(key).map(|(at, _)| at), first.map(|entry| entry.at), "{key:?}");
        }
        look_at_submesh(&submesh, faults, random);
    }
}

/// Returns the codes of an array, two bytes each.
fn codes(bytes: &[u8]) -> Vec<u16> {
    bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect()
}

fn stored<'a>(submesh: &Submesh<'a>, key: SubmeshKey) -> &'a [u8] {
    submesh.get(key).and_then(|(_, value)| value.binary()).unwrap_or_default()
}

/// Asserts that floats are equal.
///
/// All NaNs count as equal.
fn expect_same<'f>(found: impl Iterator<Item = f32>, expected: impl Iterator<Item = &'f f32>) {
    let bits = |value: f32| if value.is_nan() { None } else { Some(value.to_bits()) };
    assert!(found.map(bits).eq(expected.copied().map(bits)), "decoded differently");
}

fn look_at_submesh(submesh: &Submesh<'_>, faults: &Faults<'_>, random: &mut Random) {
    if submesh.is_placeholder() {
        // `validate` does not test further content. Reading it must be safe.
        let _ = (submesh.positions().map(|all| all.iter().count()), submesh.normals().is_ok(), submesh.uvs().is_ok());
        let _ =
            (submesh.indices().map(|all| all.iter().count()), submesh.weights().map(|all| all.map(|all| all.len())));
        return;
    }
    let vertices = stored(submesh, SubmeshKey::Position).len() / 6;
    assert_eq!(submesh.vertex_count(), vertices);
    if let Some(positions) = faults.some(submesh.positions()) {
        let domain = submesh.position_domain().unwrap();
        let (min, max) = (domain.min(), domain.max());
        let naive: Vec<[f32; 3]> = codes(stored(submesh, SubmeshKey::Position))
            .chunks_exact(3)
            .map(|code| [0, 1, 2].map(|axis| f32::from(code[axis]) / 65535.0 * (max[axis] - min[axis]) + min[axis]))
            .collect();
        assert_eq!(positions.len(), naive.len());
        let mut out = vec![[0.0; 3]; naive.len()];
        positions.decode_into(&mut out).unwrap();
        expect_same(out.iter().flatten().copied(), naive.iter().flatten());
        expect_same(positions.iter().flatten(), naive.iter().flatten());
        let vertex = random.below(naive.len() + 1);
        expect_same(positions.get(vertex).into_iter().flatten(), naive.get(vertex).into_iter().flatten());
        assert_eq!(positions.bounds(), naive_bounds(&naive));
    }
    if let Some(Some(normals)) = faults.some(submesh.normals()) {
        assert_eq!(normals.len(), vertices);
        let naive: Vec<f32> = codes(stored(submesh, SubmeshKey::Normal))
            .into_iter()
            .map(|code| f32::from(code) / 65535.0 * 2.0 - 1.0)
            .collect();
        expect_same(normals.iter().flatten(), naive.iter());
        let mut out = vec![[0.0; 3]; vertices];
        normals.decode_into(&mut out).unwrap();
        expect_same(out.into_iter().flatten(), naive.iter());
    }
    if let Some(Some(tangents)) = faults.some(submesh.tangents()) {
        assert_eq!(tangents.len(), vertices);
        assert!(tangents.iter().all(|[.., w]| [-1.0, 1.0].contains(&w)));
    }
    if let Some(Some(uvs)) = faults.some(submesh.uvs()) {
        let domain = submesh.uv_domain().unwrap();
        let (min, max) = (domain.min(), domain.max());
        let decoded =
            |code: &[u16]| [0, 1].map(|axis| f32::from(code[axis]) / 65535.0 * (max[axis] - min[axis]) + min[axis]);
        let naive: Vec<[f32; 2]> = codes(stored(submesh, SubmeshKey::TexCoord0)).chunks_exact(2).map(decoded).collect();
        assert_eq!(uvs.len(), vertices);
        expect_same(uvs.iter().flatten(), naive.iter().flatten());
        let mut out = vec![[0.0; 2]; vertices];
        uvs.decode_into(&mut out).unwrap();
        expect_same(out.iter().flatten().copied(), naive.iter().flatten());
        assert!(uvs.get(vertices).is_none() && uvs.decode_into(&mut vec![[0.0; 2]; vertices + 1]).is_err());
    }
    if let Some(indices) = faults.some(submesh.indices()) {
        let naive = codes(stored(submesh, SubmeshKey::TriangleList));
        let whole = naive.len() / 3 * 3;
        assert_eq!((indices.len(), submesh.triangle_count()), (whole, whole / 3));
        assert!(indices.iter().eq(naive[..whole].iter().map(|index| u32::from(*index))));
        let beyond = naive.iter().any(|index| usize::from(*index) >= vertices);
        let told = faults.findings.iter().any(|finding| finding.rule == "SL10");
        assert!(!beyond || told || vertices == 0, "an index is out of range without a finding");
    }
    look_at_weights(submesh, faults, random);
    faults.some(submesh.normalized_scale());
}

/// Reads lists of weights as the format's page describes.
fn naive_weights(mut bytes: &[u8], vertices: usize) -> Vec<Vec<(u8, u16)>> {
    let mut all = Vec::new();
    while all.len() < vertices {
        let mut one = Vec::new();
        let mut rest = bytes;
        loop {
            match rest {
                [255, after @ ..] => rest = after,
                [joint, low, high, after @ ..] => {
                    one.push((*joint, u16::from_le_bytes([*low, *high])));
                    rest = after;
                    if one.len() < 4 {
                        continue;
                    }
                }
                _ => return all,
            }
            break;
        }
        bytes = rest;
        all.push(one);
    }
    all
}

fn look_at_weights(submesh: &Submesh<'_>, faults: &Faults<'_>, random: &mut Random) {
    let Some(Some(weights)) = faults.some(submesh.weights()) else { return };
    assert_eq!(weights.len(), submesh.vertex_count());
    let naive = naive_weights(stored(submesh, SubmeshKey::Weights), weights.len());
    let expected = |list: &[(u8, u16)]| -> Vec<(i16, u16)> { list.iter().map(|(j, w)| (i16::from(*j), *w)).collect() };
    let found = |list: &meshpeek::model::Influences<'_>| -> Vec<(i16, u16)> {
        (0..list.len()).filter_map(|at| list.raw(at)).collect()
    };
    assert!(weights.iter().map(|list| found(&list)).eq(naive.iter().map(|list| expected(list))), "lists in order");
    if naive.len() < weights.len() {
        assert!(faults.findings.iter().any(|finding| finding.rule == "SL12"), "weights are missing without a finding");
    }
    let mut vertices = some_of(weights.len(), random);
    vertices.extend([naive.len(), weights.len()]);
    for vertex in vertices {
        let one = weights.get(vertex as u32);
        assert_eq!(one.map(|list| found(&list)), naive.get(vertex).map(|list| expected(list)), "vertex {vertex}");
        let sound = |list: meshpeek::model::Influences<'_>| list.iter().all(|one| (0.0..=1.0).contains(&one.weight));
        assert!(one.is_none_or(sound));
    }
}

fn naive_bounds(positions: &[[f32; 3]]) -> Bounds {
    let mut found = [[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]];
    for position in positions {
        for axis in 0..3 {
            found[0][axis] = found[0][axis].min(position[axis]);
            found[1][axis] = found[1][axis].max(position[axis]);
        }
    }
    let [min, max] = found;
    if (0..3).all(|axis| min[axis] <= max[axis]) { Bounds { min, max } } else { Bounds::EMPTY }
}

fn look_at_skin(skin: &Skin<'_>, mesh: &Mesh<&[u8]>, faults: &Faults<'_>, random: &mut Random) {
    let shape = faults.some(skin.bind_shape());
    let joints = skin.joint_count();
    for joint in some_of(joints, random) {
        faults.some(skin.joint_name(joint)).map(|name| name.to_string());
        faults.some(skin.inverse_bind(joint));
        faults.some(skin.alt_inverse_bind(joint));
        assert!(Animations::bone(mesh, joint).is_ok() == skin.joint_name(joint).is_ok());
    }
    assert!(skin.joint_name(joints).is_err() && skin.inverse_bind(skin.inverse_bind_count()).is_err());
    assert!(skin.alt_inverse_bind(skin.alt_inverse_bind_count()).is_err());
    faults.some(skin.pelvis_offset());
    faults.some(skin.lock_scale_if_joint_position());
    assert_eq!(Animations::bone_count(mesh).unwrap(), joints);
    let Some(palette) = faults.some(skin.palette(|_| IDENTITY)) else { return };
    assert!(shape.is_some() && palette.matrices().len() == joints);
    if let Ok(skeleton) = Skeleton::new(mesh) {
        // In the neutral view, joints with the identity as world matrix have the same palette.
        let (model, mut matrices) = (vec![Affine::IDENTITY; joints], vec![SkinMatrix::IDENTITY; joints]);
        skeleton.palette(&model, &mut matrices).unwrap();
        assert_eq!(matrices, palette.matrices());
    }
    let Ok(submesh) = mesh.view().nearest_level(Lod::High).and_then(|level| level.submesh(0)) else { return };
    if let (Ok(positions), Ok(Some(weights))) = (submesh.positions(), submesh.weights()) {
        for (position, list) in positions.iter().zip(weights.iter()).take(SAMPLES) {
            let _ = (palette.position(position, list.iter()), palette.direction(position, list.iter()));
        }
    }
}

fn look_at_convex(convex: &Convex<'_>, faults: &Faults<'_>) {
    faults.some(convex.domain());
    faults.some(convex.bounding_points()).flatten().map(|points| points.bounds());
    let sizes = faults.some(convex.hull_sizes()).flatten();
    let points = faults.some(convex.hull_points()).flatten();
    let (Some(hulls), Some(sizes)) = (faults.some(convex.hulls()), sizes) else { return };
    let count = points.map_or(0, |points| points.len());
    let mut at = 0;
    let mut whole = 0;
    for (hull, size) in hulls.zip(sizes) {
        assert_eq!(hull.len(), hull_size(*size));
        let first = points.unwrap().get(at).map(|point| point.map(f32::to_bits));
        assert_eq!(hull.get(0).map(|point| point.map(f32::to_bits)), first);
        (at, whole) = (at + hull.len(), whole + 1);
    }
    assert!(at <= count);
    let sum: usize = sizes.iter().map(|size| hull_size(*size)).sum();
    assert_eq!(whole == sizes.len(), sum <= count, "{whole} hulls of {}", sizes.len());
}

fn look_at_choices(mesh: &Mesh<&[u8]>, header: &Header<'_>, faults: &Faults<'_>) {
    let view = mesh.view();
    let levels = Lod::ALL.map(|lod| faults.some(mesh.level(lod)).map(|level| level.part()));
    for (lod, found) in Lod::ALL.into_iter().zip(levels) {
        assert!(found.is_none_or(|part| part == lod.part()));
        let there = |lod: Lod| header.has(lod.part());
        let nearest = faults.some(view.nearest_level(lod)).map(|level| level.part());
        let expected = lod.nearest(there).map(Lod::part);
        assert!(nearest.is_none() || nearest == expected, "{nearest:?}, {expected:?}");
        assert!(!there(lod) || expected == Some(lod.part()));
    }
    let physics = faults.some(mesh.physics_mesh()).flatten();
    match faults.some(mesh.physics_shape()).flatten() {
        Some(PhysicsShape::Hulls(convex)) => assert!(!convex.hull_sizes().unwrap().unwrap().is_empty()),
        Some(PhysicsShape::Mesh(level)) => assert_eq!(Some(level.part()), physics.map(|level| level.part())),
        Some(PhysicsShape::BoundingHull(convex)) => assert!(convex.bounding_points().unwrap().is_some()),
        None => {}
    }
}

/// Asserts that the neutral view of a level borrows the same arrays as the level itself.
fn look_at_detail(detail: &LevelGeometry<'_>, level: Option<&Level<'_>>, faults: &Faults<'_>, random: &mut Random) {
    assert_eq!(detail.level().is_ok(), level.is_some());
    let count = faults.some(detail.surface_count()).unwrap_or_default();
    assert_eq!(count, level.map_or(0, Level::len));
    let Some(level) = level else {
        assert!(detail.positions(0, 0).is_err() && detail.surface_name(0).is_err());
        return;
    };
    for index in some_of(count, random) {
        let Some(submesh) = faults.some(level.submesh(index)) else { continue };
        if submesh.is_placeholder() {
            continue;
        }
        let surface = Surface::new(detail, index).unwrap();
        let counts = surface.counts().unwrap();
        assert_eq!(usize::try_from(counts.vertices).unwrap(), submesh.vertex_count());
        assert_eq!(usize::try_from(counts.corners).unwrap(), submesh.triangle_count() * 3);
        assert!(!surface.name().unwrap().as_bytes().is_empty() || surface.material().unwrap().is_some());
        let place = |bytes: &[u8]| bytes.as_ptr_range();
        let ours = submesh.positions().map(|array| place(array.as_bytes())).ok();
        assert_eq!(faults.some(surface.positions()).map(|array| place(array.as_bytes())), ours);
        let ours = submesh.normals().ok().flatten().map(|array| place(array.as_bytes()));
        assert_eq!(faults.some(surface.normals()).flatten().map(|array| place(array.as_bytes())), ours);
        let ours = submesh.uvs().ok().flatten().map(|array| place(array.as_bytes()));
        assert_eq!(faults.some(surface.uvs(0)).flatten().map(|array| place(array.as_bytes())), ours);
        let ours = submesh.indices().map(|array| place(array.as_bytes())).ok();
        assert_eq!(faults.some(surface.indices()).map(|array| place(array.as_bytes())), ours);
        assert!(surface.uvs(1).unwrap().is_none() && surface.colors().unwrap().is_none());
        assert!(surface.tangent_frames().unwrap().is_none() && surface.target_positions(1).is_err());
        assert_eq!(surface.weights().map(|one| one.is_some()).ok(), submesh.weights().map(|one| one.is_some()).ok());
        if let (Some(bounds), Ok(positions)) = (faults.some(surface.bounds()), submesh.positions()) {
            assert_eq!(positions.bounds().is_empty(), bounds.is_empty());
            assert!(bounds.is_empty() || positions.bounds() == bounds);
        }
        if let Some(corners) = faults.some(surface.corners()) {
            assert_eq!(corners.triangle_count() as usize, submesh.triangle_count());
        }
        let beyond = submesh.indices().is_ok_and(|all| all.iter().any(|index| index >= counts.vertices));
        if submesh.triangle_count() < 5000 {
            expect_lossy_weld(&surface);
            let welded = faults.some(surface.weld());
            let whole = submesh.positions().is_ok() && submesh.normals().is_ok() && submesh.uvs().is_ok();
            let whole = whole && submesh.indices().is_ok() && !beyond;
            assert!(welded.is_some() == whole || (welded.is_some() && !beyond), "{whole}, {beyond}");
        }
    }
}

fn look_at_neutral(mesh: &Mesh<&[u8]>, faults: &Faults<'_>, random: &mut Random) {
    let level = faults.some(mesh.view().nearest_level(Lod::High));
    let count = faults.some(SurfaceArrays::surface_count(mesh));
    assert_eq!(count, level.map(|level| level.len()));
    let bounds = faults.some(Geometry::bounds(mesh));
    let surfaces = some_of(count.unwrap_or_default(), random);
    for surface in surfaces.into_iter().map(|index| Surface::new(mesh, index).unwrap()) {
        if let Some(own) = faults.some(surface.bounds()) {
            let is_inside = |whole: Bounds| (0..3).all(|axis| whole.min[axis] <= own.min[axis]);
            assert!(own.is_empty() || bounds.is_none_or(is_inside));
        }
        faults.some(surface.material());
    }
    assert!(Animations::clip(mesh, 0).is_err() && Animations::clip_count(mesh).unwrap() == 0);
    assert!(Geometry::sphere(mesh).unwrap().is_none() && FormatVersion::format(mesh) == "secondlife");
}

/// Reads everything that can be borrowed without inflating, and keeps nothing.
///
/// The memory bound for headers and containers applies to this. If `blocks` is true, blocks are
/// inflated as well.
pub fn borrow_everything(bytes: &[u8], blocks: bool) -> Result<()> {
    let mesh = Mesh::open(bytes)?;
    mesh.validate_structure(&mut |_| {})?;
    mesh.regions(0, &mut |_| {})?;
    for asset in mesh.assets() {
        let Ok(header) = asset.header() else { continue };
        let _ = (header.entries().count(), header.blocks().count(), header.version());
        let _ = AssetPart::ALL.map(|part| asset.view().stored(part).is_ok() && asset.view().verify_hash(part).is_ok());
    }
    if !blocks {
        return Ok(());
    }
    mesh.validate(&mut |_| {})?;
    let _ = mesh.check();
    for asset in mesh.assets() {
        for part in AssetPart::ALL {
            let Ok(Some(block)) = asset.block(part) else { continue };
            let Ok(level) = block.level() else { continue };
            for submesh in level.submeshes().flatten() {
                let _ = (submesh.positions().map(|all| all.bounds()), submesh.indices().map(|all| all.len()));
                if let Ok(Some(weights)) = submesh.weights() {
                    let _ = weights.get(weights.len().saturating_sub(1) as u32);
                }
            }
        }
        let _ = (asset.skin().is_ok(), asset.convex().is_ok(), asset.physics_shape().is_ok());
    }
    Ok(())
}

fn as_u64(length: usize) -> u64 {
    u64::try_from(length).unwrap()
}
