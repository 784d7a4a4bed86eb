//! Tests of the byte ranges that the parts of a mesh need, and of the needed ranges of errors.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use meshpeek::io::FileBytes;
use meshpeek::model::SurfaceArrays as _;
use meshpeek::model::{Attribute, ByteRanges, MeshSelection, Transform};
use meshpeek::{Array, Error, ErrorKind, Geometry, Model, OpenOptions, Result};

use crate::support::cases;
use crate::support::random::Random;

/// The largest number of times that a sample is damaged.
const DAMAGES: usize = 30;

/// The decoded values of a part, as the bits of its numbers.
type Values = Vec<u64>;

fn push<const N: usize>(values: &mut Values, items: impl Iterator<Item = [f32; N]>) {
    let before = values.len();
    values.extend(items.flatten().map(|number| u64::from(number.to_bits())));
    values.push((values.len() - before) as u64);
}

fn attribute(geometry: &dyn Geometry, surface: usize, attribute: Attribute, values: &mut Values) -> Result<()> {
    match attribute {
        Attribute::Positions(target) => push(values, geometry.positions(surface, target)?.iter()),
        Attribute::TangentFrames(target) => {
            if let Some(frames) = geometry.tangent_frames(surface, target)? {
                push(values, frames.iter().map(|frame| frame.rotation));
            }
        }
        Attribute::Normals(target) => {
            push(values, geometry.normals(surface, target)?.iter().flat_map(Array::iter));
        }
        Attribute::Uvs(set) => push(values, geometry.uvs(surface, set)?.iter().flat_map(Array::iter)),
        Attribute::Colors => push(values, geometry.colors(surface)?.iter().flat_map(Array::iter)),
        Attribute::Weights => {
            let weights = geometry.weights(surface)?;
            for vertex in 0..weights.map_or(0, |weights| weights.len() as u32) {
                let one = weights.and_then(|weights| weights.get(vertex));
                for influence in one.into_iter().flat_map(|one| one.iter().collect::<Vec<_>>()) {
                    values.extend([u64::from(influence.bone.cast_unsigned()), influence.weight.to_bits().into()]);
                }
            }
        }
        Attribute::Indices => values.extend(geometry.indices(surface)?.iter().map(u64::from)),
        Attribute::AttributeIndices => {
            let indices = geometry.attribute_indices(surface)?;
            values.extend(indices.iter().flat_map(Array::iter).map(u64::from));
        }
        Attribute::Partition => {
            let tree = geometry.partition(surface)?;
            values.push(tree.map_or(0, |tree| tree.node_count() as u64));
        }
        _ => unreachable!(),
    }
    Ok(())
}

fn attributes(targets: usize) -> Vec<Attribute> {
    let mut all = vec![Attribute::Colors, Attribute::Weights, Attribute::Indices, Attribute::AttributeIndices];
    all.extend((0..3).map(Attribute::Uvs));
    all.push(Attribute::Partition);
    for target in 0..targets {
        all.extend([Attribute::Positions(target), Attribute::TangentFrames(target), Attribute::Normals(target)]);
    }
    all
}

fn surface(geometry: &dyn Geometry, index: usize, values: &mut Values) -> Result<()> {
    let counts = geometry.counts(index)?;
    values.extend([counts.vertices, counts.corners, counts.targets].map(u64::from));
    for one in attributes(counts.targets as usize) {
        attribute(geometry, index, one, values)?;
    }
    Ok(())
}

fn transforms(values: &mut Values, all: &[Transform]) {
    for one in all {
        push(values, [one.position].into_iter());
        push(values, [one.rotation].into_iter());
        push(values, [one.scale].into_iter());
    }
}

fn frames(model: &Model<FileBytes>, clip: usize, frames: Range<usize>, values: &mut Values) -> Result<()> {
    let found = model.clip(clip)?;
    let mut out = vec![Transform::default(); model.animations().bone_count()?];
    for frame in frames {
        if let Some(first) = found.first_vertex_frame {
            push(values, model.geometry().vertex_frame(0, first as usize + frame)?.iter());
        } else {
            model.animations().pose(clip, frame, &mut out)?;
            transforms(values, &out);
        }
    }
    Ok(())
}

/// Decodes a part. The bytes of other parts must not be read.
fn decode(model: &Model<FileBytes>, part: &MeshSelection) -> Result<Values> {
    let mut values = Vec::new();
    match part {
        MeshSelection::Structure if model.format() == "secondlife" => {
            for asset in 0..model.contents().asset_count()? {
                values.push(model.asset(asset)?.level_count()? as u64);
            }
            values.push(model.contents().instance_count()? as u64);
        }
        MeshSelection::Structure => {
            values.extend(
                [model.geometry().surface_count()?, model.animations().bone_count()?, model.animations().clip_count()?]
                    .map(|count| count as u64),
            );
            for clip in 0..model.animations().clip_count()? {
                values.push(model.clip(clip)?.frames.into());
            }
            for surface in 0..model.geometry().surface_count()? {
                values.extend(model.geometry().surface_name(surface)?.as_bytes().iter().map(|byte| u64::from(*byte)));
                if !["ms14", "ms15"].contains(&model.version()) {
                    values.push(model.geometry().counts(surface)?.corners.into());
                }
                if model.format() == "unigine" {
                    let bounds = model.geometry().surface_bounds(surface)?;
                    push(&mut values, [bounds.min, bounds.max].into_iter());
                }
            }
            for material in 0..model.contents().material_count()? {
                model.contents().material(material)?;
            }
        }
        MeshSelection::Surface(index) => surface(model.geometry(), *index, &mut values)?,
        MeshSelection::Attribute { surface, attribute: one } => {
            attribute(model.geometry(), *surface, *one, &mut values)?;
        }
        MeshSelection::VertexFrames(frames) => {
            for frame in frames.clone() {
                push(&mut values, model.geometry().vertex_frame(0, frame)?.iter());
            }
        }
        MeshSelection::Clip(clip) => frames(model, *clip, 0..model.clip(*clip)?.frames as usize, &mut values)?,
        MeshSelection::Frames { clip, frames: range } => frames(model, *clip, range.clone(), &mut values)?,
        MeshSelection::Bones => {
            for bone in 0..model.animations().bone_count()? {
                transforms(&mut values, &[model.animations().bone(bone)?.bind]);
            }
        }
        MeshSelection::Level { asset, level } => {
            let asset = model.asset(*asset)?;
            let geometry = asset.level(*level)?;
            for index in 0..geometry.surface_count()? {
                if geometry.is_drawn(index)? {
                    surface(&*geometry, index, &mut values)?;
                }
            }
        }
        MeshSelection::Hulls(asset) => {
            let asset = model.asset(*asset)?;
            for hull in 0..asset.hull_count()? {
                let hull = asset.hull(hull)?;
                push(&mut values, hull.points.iter().flat_map(Array::iter));
                values.extend(hull.triangles.iter().flat_map(Array::iter).map(u64::from));
            }
        }
        MeshSelection::CollisionMesh(asset) => {
            let asset = model.asset(*asset)?;
            let mesh = asset.collision_mesh()?;
            if let Some(geometry) = mesh {
                for index in 0..geometry.surface_count()? {
                    surface(&*geometry, index, &mut values)?;
                }
            }
        }
        _ => unreachable!(),
    }
    Ok(values)
}

/// Lists all parts of a mesh: every surface, attribute, level and clip, and some frames. Of a large
/// mesh, some surfaces and clips are listed.
fn parts(model: &Model<FileBytes>) -> Vec<MeshSelection> {
    let length = model.file().source(0).map_or(0, |bytes| bytes.as_ref().len());
    let most = ((2 << 20) / length.max(1)).clamp(2, 24);
    let mut all = vec![MeshSelection::Structure, MeshSelection::Bones];
    for index in 0..model.geometry().surface_count().unwrap_or(0).min(most) {
        all.push(MeshSelection::Surface(index));
        let targets = model.geometry().counts(index).map_or(1, |counts| counts.targets as usize).min(3);
        all.extend(
            attributes(targets).into_iter().map(|attribute| MeshSelection::Attribute { surface: index, attribute }),
        );
    }
    let count = model.geometry().vertex_frame_count().unwrap_or(0);
    if count > 0 {
        all.extend([0..1, count - 1..count, count / 3..count.div_ceil(2)].map(MeshSelection::VertexFrames));
    }
    for clip in 0..model.animations().clip_count().unwrap_or(0).min(most) {
        all.push(MeshSelection::Clip(clip));
        let count = model.clip(clip).map_or(0, |clip| clip.frames as usize);
        if count > 0 {
            let ranges = [0..1, count - 1..count, count / 2..count, count / 3..count / 3 + 1];
            all.extend(ranges.map(|frames| MeshSelection::Frames { clip, frames }));
        }
    }
    for asset in 0..model.contents().asset_count().unwrap_or(0) {
        let levels = model.asset(asset).and_then(|asset| asset.level_count()).unwrap_or(0);
        all.extend((0..levels).map(|level| MeshSelection::Level { asset, level }));
        all.extend([MeshSelection::Hulls(asset), MeshSelection::CollisionMesh(asset)]);
    }
    all
}

/// The files of a mesh, by path, with the index of each among the sources of the mesh.
struct Files {
    path: PathBuf,
    bytes: Vec<Vec<u8>>,
    sources: BTreeMap<PathBuf, usize>,
}

impl Files {
    fn load(path: &Path) -> Result<(Self, Model<FileBytes>)> {
        let mut paths = Vec::new();
        let model = OpenOptions::default().open_by(path, |file| {
            paths.push(file.to_owned());
            meshpeek::read(file).map(FileBytes::from)
        })?;
        let count = model.file().source_count();
        let source = |source| model.file().source(source).map(|bytes| bytes.as_ref().to_vec()).unwrap_or_default();
        let bytes: Vec<Vec<u8>> = (0..count).map(source).collect();
        let of = |file: PathBuf| {
            let stored = std::fs::read(&file).unwrap();
            let found = bytes.iter().position(|one| *one == stored);
            (file, found.unwrap_or_default())
        };
        let sources = paths.into_iter().map(of).collect();
        Ok((Self { path: path.to_owned(), bytes, sources }, model))
    }

    /// Opens the mesh with other bytes for each file.
    fn open(&self, bytes: &[Vec<u8>]) -> Result<Model<FileBytes>> {
        let load = |file: &Path| Ok(FileBytes::from(bytes[self.sources[file]].clone()));
        // A frame of an Unreal mesh that is still to be loaded is an error, as in other formats.
        OpenOptions::default().with_partial(self.bytes.len() > 1).open_by(&self.path, load)
    }

    /// Spoils all bytes outside of the ranges.
    fn spoilt(&self, ranges: &[Vec<Range<u64>>], random: &mut Random) -> Vec<Vec<u8>> {
        let fill = random.below(2) == 0;
        let files = self.bytes.iter().zip(ranges);
        files
            .map(|(bytes, ranges)| {
                let mut out: Vec<u8> =
                    bytes.iter().map(|_| if fill { 0xa5 } else { random.next().to_le_bytes()[0] }).collect();
                for range in ranges {
                    let range = range.start as usize..range.end as usize;
                    out[range.clone()].copy_from_slice(&bytes[range]);
                }
                out
            })
            .collect()
    }
}

/// Checks the order and the bounds of byte ranges.
fn check_ranges(ranges: &[Range<u64>], length: usize, what: &str) {
    assert!(ranges.iter().all(|range| range.start < range.end), "{what}: {ranges:?}");
    assert!(ranges.windows(2).all(|two| two[0].end < two[1].start), "{what}: {ranges:?}");
    assert!(ranges.last().is_none_or(|range| range.end <= length as u64), "{what}: {ranges:?} of {length}");
}

/// Checks every part of a mesh. Returns the number of parts that were decoded.
fn check_parts(path: &Path, random: &mut Random) -> usize {
    let Ok((files, model)) = Files::load(path) else { return 0 };
    check_files(&files, &model, random)
}

fn check_files(files: &Files, model: &Model<FileBytes>, random: &mut Random) -> usize {
    let path = &files.path;
    let all = |part: &MeshSelection| -> Result<Vec<Vec<Range<u64>>>> {
        (0..files.bytes.len()).map(|source| model.byte_ranges(source, part)).collect()
    };
    let Ok(structure) = all(&MeshSelection::Structure) else { return 0 };
    let bare = files.open(&files.spoilt(&structure, random)).unwrap();
    let mut count = 0;
    for part in parts(model) {
        let what = format!("{}: {part:?}", path.display());
        let whole = decode(model, &part);
        for source in 0..files.bytes.len() {
            // The structure alone is read to find a part.
            match (model.byte_ranges(source, &part), bare.byte_ranges(source, &part)) {
                (Ok(ranges), Ok(again)) => assert_eq!(ranges, again, "{what}"),
                (Err(error), Err(again)) => assert_eq!(error.to_string(), again.to_string(), "{what}"),
                (one, other) => panic!("{what}: {one:?}, {other:?}"),
            }
        }
        let ranges = match all(&part) {
            Ok(ranges) => ranges,
            Err(error) => {
                assert!(whole.is_err(), "{what}: {error}");
                continue;
            }
        };
        let mut needed = structure.clone();
        for (source, ranges) in ranges.iter().enumerate() {
            check_ranges(ranges, files.bytes[source].len(), &what);
            needed[source].extend(ranges.iter().cloned());
        }
        let spoilt = files.open(&files.spoilt(&needed, random)).unwrap_or_else(|error| panic!("{what}: {error}"));
        match (&whole, decode(&spoilt, &part)) {
            (Ok(whole), Ok(seen)) => assert!(*whole == seen, "{what}: other values"),
            (Err(whole), Err(error)) => assert_eq!(whole.kind().id(), error.kind().id(), "{what}: {whole}, {error}"),
            (Ok(_), Err(error)) => panic!("{what}: {error}"),
            (Err(error), Ok(_)) => panic!("{what}: no {error}"),
        }
        count += 1;
    }
    count
}

/// Lists the meshes of a folder. An Unreal mesh is listed by its data file.
fn meshes(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        let name = path.file_name().unwrap().to_string_lossy().to_lowercase();
        let ends = |end: &&str| name.ends_with(end);
        if path.is_dir() {
            meshes(&path, found);
        } else if ["mesh", ".anim", ".llmesh", ".slm", ".asset", ".ezm", ".ezb", "_d.3d"].iter().any(ends) {
            found.push(path);
        }
    }
}

fn samples() -> Vec<PathBuf> {
    let mut found = Vec::new();
    meshes(Path::new("data"), &mut found);
    assert!(found.len() > 25, "{found:?}");
    found
}

/// Lists the files of the corpus below a size. Of large folders, a part is listed.
fn corpus(size: u64, step: usize) -> Vec<PathBuf> {
    let Some(folder) = std::env::var_os("MESHPEEK_CORPUS") else {
        crate::support::skip("MESHPEEK_CORPUS names no folder of real files");
        return Vec::new();
    };
    let mut found = Vec::new();
    meshes(Path::new(&folder), &mut found);
    found.retain(|path| path.metadata().is_ok_and(|data| data.len() < size));
    found.into_iter().step_by(step).collect()
}

fn corpus_step() -> usize {
    std::env::var("MESHPEEK_CORPUS_STEP").ok().and_then(|step| step.parse().ok()).unwrap_or(1)
}

#[test]
fn name_all_bytes_of_each_part_of_each_sample() {
    let mut random = Random::new(1);
    let count: usize = samples().iter().map(|path| check_parts(path, &mut random)).sum();
    assert!(count > 500, "{count}");
}

#[test]
fn name_all_bytes_of_each_part_of_the_corpus() {
    let mut random = Random::new(2);
    let files = corpus(5 << 20, corpus_step());
    let count: usize = files.iter().map(|path| check_parts(path, &mut random)).sum();
    assert!(files.is_empty() || count > files.len(), "{count}");
    eprintln!("{count} parts of {} files", files.len());
}

#[test]
fn name_all_bytes_of_each_part_of_damaged_files() {
    let mut random = Random::new(3);
    let mut count = 0;
    for path in samples() {
        let (mut files, _) = Files::load(&path).unwrap();
        let sound = files.bytes.clone();
        for _ in 0..cases::number(DAMAGES.min(150_000 / sound[0].len()), 6) {
            files.bytes.clone_from(&sound);
            let source = random.below(sound.len().min(2));
            // Most counts and offsets are near the start or the end of a file.
            let length = sound[source].len();
            let near = random.below(200.min(length));
            let at = match random.below(3) {
                0 => near,
                1 => length - 1 - near,
                _ => random.below(length),
            };
            files.bytes[source][at] = *random.pick(&[0, 1, 2, 5, 0x41, 0x7f, 0x80, 0xff]);
            if let Ok(model) = files.open(&files.bytes) {
                count += check_files(&files, &model, &mut random);
            }
        }
    }
    assert!(count > cases::number(3000, 6), "{count}");
}

/// Returns the only byte range of a part.
fn only(ranges: Result<Vec<Range<u64>>>) -> Range<u64> {
    let ranges = ranges.unwrap();
    assert_eq!(ranges.len(), 1, "{ranges:?}");
    ranges[0].clone()
}

fn size(model: &Model<FileBytes>, source: usize, part: &MeshSelection) -> u64 {
    model.byte_ranges(source, part).unwrap().iter().map(|range| range.end - range.start).sum()
}

#[test]
fn have_the_sizes_of_the_arrays() {
    let of = |surface, attribute| MeshSelection::Attribute { surface, attribute };
    let mesh = meshpeek::open("data/unigine/cube_ms12.mesh").unwrap();
    let counts = mesh.geometry().counts(0).unwrap();
    let [vertices, others, corners] = [counts.vertices, counts.attribute_vertices, counts.corners].map(u64::from);
    assert_eq!(size(&mesh, 0, &of(0, Attribute::Positions(0))), vertices * 12);
    assert_eq!(size(&mesh, 0, &of(0, Attribute::Normals(0))), others * 8);
    assert_eq!(size(&mesh, 0, &of(0, Attribute::Uvs(0))), others * 8);
    assert_eq!(size(&mesh, 0, &of(0, Attribute::Indices)), corners);
    assert_eq!(size(&mesh, 0, &of(0, Attribute::Uvs(7))), 0);

    let mesh = meshpeek::open("data/unreal/guard_d.3d").unwrap();
    let frames = mesh.geometry().vertex_frame_count().unwrap();
    let vertices = u64::from(mesh.geometry().counts(0).unwrap().vertices);
    assert_eq!(only(mesh.byte_ranges(1, &MeshSelection::Structure)), 0..4);
    assert_eq!(size(&mesh, 1, &MeshSelection::VertexFrames(0..frames)), frames as u64 * vertices * 4);
    assert_eq!(only(mesh.byte_ranges(1, &MeshSelection::VertexFrames(1..2))), 4 + vertices * 4..4 + vertices * 8);
    assert!(mesh.byte_ranges(0, &MeshSelection::VertexFrames(1..2)).unwrap().is_empty());
    let surface = u64::from(mesh.geometry().counts(0).unwrap().corners) / 3 * 16;
    assert_eq!(size(&mesh, 0, &of(0, Attribute::Indices)), surface);

    let mesh = meshpeek::open("data/ezmesh/crate100.ezb").unwrap();
    assert_eq!(size(&mesh, 0, &of(0, Attribute::Indices)), u64::from(mesh.geometry().counts(0).unwrap().corners) * 4);
    let all: u64 = mesh.file().source(0).unwrap().as_ref().len() as u64;
    assert!(size(&mesh, 0, &MeshSelection::Structure) < all);
    let text = meshpeek::open("data/ezmesh/crate.ezm").unwrap();
    assert_eq!(size(&text, 0, &MeshSelection::Structure), text.file().source(0).unwrap().as_ref().len() as u64);
    assert!(size(&text, 0, &MeshSelection::Surface(0)) > 0);
}

#[test]
fn name_the_block_of_each_level() {
    let mesh = meshpeek::secondlife::Mesh::open(meshpeek::read("data/secondlife/arm.llmesh").unwrap()).unwrap();
    let blocks = mesh.header().unwrap().blocks().filter(|block| block.part.lod().is_some());
    for (level, block) in blocks.enumerate() {
        assert_eq!(only(mesh.byte_ranges(0, &MeshSelection::Level { asset: 0, level })), block.start..block.end);
    }
    let structure = only(mesh.byte_ranges(0, &MeshSelection::Structure));
    assert_eq!(structure, 0..mesh.header().unwrap().base());
    // The header alone names the blocks of an asset that is not loaded further.
    let head = mesh.data()[..structure.end as usize].to_vec();
    let options = OpenOptions::default().with_partial(true);
    let partial = meshpeek::secondlife::Mesh::open_with(head, &options).unwrap();
    for part in [
        MeshSelection::Surface(0),
        MeshSelection::Bones,
        MeshSelection::Level { asset: 0, level: 0 },
        MeshSelection::Hulls(0),
    ] {
        let ranges = mesh.byte_ranges(0, &part).unwrap();
        assert_eq!(partial.byte_ranges(0, &part).unwrap(), ranges);
    }
    let error = partial.positions(0, 0).unwrap_err();
    assert_eq!(error.needed_range().as_ref(), mesh.byte_ranges(0, &MeshSelection::Surface(0)).unwrap().first());
}

#[test]
fn are_refused_for_what_does_not_exist() {
    for path in samples() {
        let model = meshpeek::open(&path).unwrap();
        let absent = [
            (9, MeshSelection::Structure),
            (0, MeshSelection::Clip(1000)),
            (0, MeshSelection::Frames { clip: 1000, frames: 0..1 }),
            (0, MeshSelection::Level { asset: 0, level: 1000 }),
            (0, MeshSelection::Level { asset: 1000, level: 0 }),
            (0, MeshSelection::VertexFrames(usize::MAX - 1..usize::MAX)),
        ];
        for (source, part) in absent {
            let error = model.byte_ranges(source, &part).unwrap_err();
            assert!(error.kind() == ErrorKind::NoSuch, "{}: {part:?}: {error}", path.display());
        }
    }
}

#[test]
fn contain_the_bytes_that_values_depend_on() {
    for (path, part) in [
        ("data/unigine/cube_ms12.mesh", MeshSelection::Attribute { surface: 0, attribute: Attribute::Positions(0) }),
        ("data/unigine/cube_ms13.mesh", MeshSelection::Attribute { surface: 0, attribute: Attribute::Uvs(0) }),
        ("data/unreal/guard_d.3d", MeshSelection::VertexFrames(1..2)),
        ("data/ezmesh/crate100.ezb", MeshSelection::Attribute { surface: 0, attribute: Attribute::Indices }),
    ] {
        let (files, model) = Files::load(Path::new(path)).unwrap();
        let whole = decode(&model, &part).unwrap();
        let mut bytes = files.bytes.clone();
        let mut count = 0;
        for (source, bytes) in bytes.iter_mut().enumerate() {
            for range in model.byte_ranges(source, &part).unwrap() {
                bytes[range.start as usize..range.end as usize].iter_mut().for_each(|byte| *byte ^= 1);
                count += 1;
            }
        }
        assert!(count > 0, "{path}");
        assert_ne!(decode(&files.open(&bytes).unwrap(), &part).unwrap(), whole, "{path}");
    }
}

#[test]
fn are_found_without_reading_arrays() {
    let options = OpenOptions::default().with_record_access(true);
    for path in ["data/unigine/room_ms14.mesh", "data/secondlife/arm.llmesh", "data/ezmesh/crate100.ezb"] {
        let model = options.open(path).unwrap();
        let structure = size(&model, 0, &MeshSelection::Structure);
        for part in [MeshSelection::Surface(0), MeshSelection::Attribute { surface: 0, attribute: Attribute::Indices }]
        {
            assert!(size(&model, 0, &part) > 0);
        }
        let read = model.file().touched_bytes().unwrap();
        assert!(read <= structure, "{path}: read {read} of {structure} bytes of structure");
    }
}

/// Tests that the error of a file that ends within a part names the bytes of the part.
#[test]
fn errors_name_the_range_of_an_array_that_is_cut() {
    let of = |attribute| MeshSelection::Attribute { surface: 0, attribute };
    let of_mesh = [
        of(Attribute::Positions(0)),
        of(Attribute::TangentFrames(0)),
        of(Attribute::Uvs(0)),
        of(Attribute::Indices),
        of(Attribute::AttributeIndices),
    ];
    let mut cases = Vec::new();
    cases.extend(of_mesh.iter().cloned().map(|part| ("data/unigine/cube_ms12.mesh", 0, part)));
    cases.extend(of_mesh.iter().cloned().map(|part| ("data/unigine/cube_ms10.mesh", 0, part)));
    cases.push(("data/unreal/guard_d.3d", 1, MeshSelection::VertexFrames(2..3)));
    cases.push(("data/unreal/guard_d.3d", 1, MeshSelection::VertexFrames(1..3)));
    for part in [MeshSelection::Surface(0), MeshSelection::Bones] {
        cases.push(("data/secondlife/arm.llmesh", 0, part));
    }
    cases.push(("data/unigine/cube_ms14.mesh", 0, of(Attribute::Colors)));
    for (path, source, part) in cases {
        let (files, model) = Files::load(Path::new(path)).unwrap();
        let range = only(model.byte_ranges(source, &part));
        for length in [range.start, range.start + 1, range.start.midpoint(range.end), range.end - 1] {
            let mut bytes = files.bytes.clone();
            bytes[source].truncate(length as usize);
            let cut = files.open(&bytes).unwrap();
            let error = cut.byte_ranges(source, &part).unwrap_err();
            assert_eq!(error.needed_range().as_ref(), Some(&range), "{path}: {part:?} at {length}: {error}");
            assert_eq!(error.source_index(), source, "{path}: {part:?} at {length}: {error}");
        }
    }
}

/// Reads all parts of a mesh, and returns the first error that the whole file does not have.
fn read_all(model: &Model<FileBytes>, whole: &[(MeshSelection, bool)]) -> Option<Error> {
    model.file().check().err().or_else(|| {
        let sound = whole.iter().filter(|(_, is_sound)| *is_sound);
        sound.map(|(part, _)| decode(model, part)).find_map(Result::err)
    })
}

/// The parts of a mesh, and whether each can be read.
fn sound_parts(model: &Model<FileBytes>) -> Vec<(MeshSelection, bool)> {
    let parts = parts(model).into_iter();
    parts.map(|part| (decode(model, &part).is_ok(), part)).map(|(is_sound, part)| (part, is_sound)).collect()
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it")]
fn errors_of_every_cut_name_the_missing_bytes() {
    let mut count = 0;
    for path in samples() {
        let (files, model) = Files::load(&path).unwrap();
        if model.file().check().is_err() {
            continue;
        }
        let whole = sound_parts(&model);
        for source in 0..files.bytes.len().min(2) {
            let full = files.bytes[source].len();
            let step = if full > 4000 { 13 } else { 1 };
            for length in (0..full).step_by(step) {
                let mut bytes = files.bytes.clone();
                bytes[source].truncate(length);
                let opened = files.open(&bytes);
                let Some(error) = opened.map_or_else(Some, |model| read_all(&model, &whole)) else { continue };
                let needed = error.needed_range();
                let needed = needed.unwrap_or_else(|| panic!("{} cut to {length}: {error}", path.display()));
                let what = format!("{} cut to {length}: {needed:?}: {error}", path.display());
                assert_eq!(error.source_index(), source, "{what}");
                let [length, full] = [length, full].map(|size| size as u64);
                assert!(needed.start <= length && needed.end > length && needed.end <= full, "{what}");
                count += 1;
            }
        }
    }
    assert!(count > 5000, "{count}");
}

/// Loads the files of a mesh as far as errors name missing bytes, until all parts can be read.
/// Returns the number of attempts.
fn load_by_need(path: &Path) -> usize {
    let Ok((files, model)) = Files::load(path) else { return 0 };
    if model.file().check().is_err() {
        return 0;
    }
    let whole = sound_parts(&model);
    let mut lengths: Vec<usize> =
        files.bytes.iter().enumerate().map(|(source, all)| if source < 2 { 0 } else { all.len() }).collect();
    for attempt in 0.. {
        let bytes: Vec<Vec<u8>> =
            files.bytes.iter().zip(&lengths).map(|(all, length)| all[..*length].to_vec()).collect();
        let Some(error) = files.open(&bytes).map_or_else(Some, |model| read_all(&model, &whole)) else {
            return attempt;
        };
        let source = error.source_index();
        let (length, full) = (lengths[source], files.bytes[source].len());
        let what = format!("{} at {length} of {full}: {error}", path.display());
        let needed = error.needed_range().unwrap_or_else(|| panic!("{what}"));
        assert!(needed.end > length as u64 && needed.end <= full as u64, "{needed:?}, {what}");
        // A program loads at least a page, and more of a long file.
        lengths[source] = (needed.end as usize).max(length + length / 2).min(full);
    }
    0
}

#[test]
fn files_can_be_loaded_by_the_needed_ranges() {
    let count: usize = samples().iter().map(|path| load_by_need(path)).sum();
    assert!(count > 100, "{count}");
}

#[test]
fn files_of_the_corpus_can_be_loaded_by_the_needed_ranges() {
    let files = corpus(1 << 20, corpus_step());
    let count: usize = files.iter().map(|path| load_by_need(path)).sum();
    assert!(files.is_empty() || count > files.len(), "{count}");
    eprintln!("{count} attempts for {} files", files.len());
}
