//! Tests every cut of every sample: the neutral view returns an error, or exactly the surfaces that
//! are whole.

use std::path::Path;

use meshpeek::io::FileBytes;
use meshpeek::{Array, ErrorKind, Model, OpenOptions, Result, Surface};

use crate::support::cases;

/// What the neutral view shows of one surface: all its values.
#[derive(Debug, PartialEq)]
struct Seen {
    name: String,
    positions: Vec<[u32; 3]>,
    normals: Vec<[u32; 3]>,
    uvs: Vec<[u32; 2]>,
    colors: Vec<[u32; 4]>,
    weights: Vec<(i32, u32)>,
    corners: Vec<[u32; 2]>,
}

fn bits<const N: usize>(values: impl Iterator<Item = [f32; N]>) -> Vec<[u32; N]> {
    values.map(|value| value.map(f32::to_bits)).collect()
}

/// Reads all values of a surface, or returns the first error.
fn see(surface: &Surface<'_>) -> Result<Seen> {
    let weights = surface.weights()?;
    let mut influences = Vec::new();
    for vertex in 0..weights.map_or(0, |weights| weights.len() as u32) {
        let one = weights.and_then(|weights| weights.get(vertex));
        let one = one.into_iter().flat_map(|one| one.iter().collect::<Vec<_>>());
        influences.extend(one.map(|influence| (influence.bone, influence.weight.to_bits())));
    }
    Ok(Seen {
        name: surface.name()?.to_string(),
        positions: bits(surface.positions()?.iter()),
        normals: bits(surface.normals()?.iter().flat_map(Array::iter)),
        uvs: bits(surface.uvs(0)?.iter().flat_map(Array::iter)),
        colors: bits(surface.colors()?.iter().flat_map(Array::iter)),
        weights: influences,
        corners: surface.corners()?.iter().map(|corner| [corner.position, corner.attribute]).collect(),
    })
}

/// What the neutral view shows of a file, or the first error that reading all of it returns.
fn see_all(model: &Model<FileBytes>) -> Result<Vec<Seen>> {
    let mut all = Vec::new();
    model.bounds()?;
    for asset in 0..model.contents().asset_count()? {
        let asset = model.asset(asset)?;
        asset.animations().bone_count()?;
        for level in 0..asset.level_count()? {
            let geometry = asset.level(level)?;
            for surface in Surface::all(&*geometry)? {
                all.push(see(&surface)?);
            }
        }
    }
    for surface in Surface::all(model.geometry())? {
        all.push(see(&surface)?);
    }
    for instance in 0..model.contents().instance_count()? {
        model.contents().instance(instance)?;
    }
    Ok(all)
}

/// Opens a mesh whose file at `path` ends after `length` bytes.
fn open_cut(path: &Path, cut: &Path, length: usize) -> Result<Model<FileBytes>> {
    OpenOptions::default().open_by(path, |file| {
        let mut bytes = meshpeek::read(file)?;
        if file == cut {
            bytes.truncate(length);
        }
        Ok(FileBytes::from(bytes))
    })
}

/// Cuts one file of a mesh at every length. Returns the number of cuts, the number of errors, and
/// the number of cuts that lose only surfaces that a finding is about.
fn cut(path: &Path, file: &Path) -> [usize; 3] {
    // A sample of a viewer's cache lacks some levels of detail. Every cut of it must be an error,
    // too.
    let whole = see_all(&meshpeek::open(path).unwrap());
    let length = usize::try_from(std::fs::metadata(file).unwrap().len()).unwrap();
    let step = if length > 20_000 { 7 } else { 1 };
    let mut numbers = [0; 3];
    for length in cases::tested((0..length).step_by(step), 8) {
        numbers[0] += 1;
        let model = match open_cut(path, file, length) {
            Ok(model) => model,
            Err(error) => {
                assert!(error.kind() != ErrorKind::Io, "{error}");
                numbers[1] += 1;
                continue;
            }
        };
        match see_all(&model) {
            Err(_) => numbers[1] += 1,
            Ok(seen) => {
                let whole = whole
                    .as_ref()
                    .unwrap_or_else(|error| panic!("{} cut to {length}: {error} is lost", file.display()));
                let mut findings = 0;
                let fault = model.file().validate(&mut |_| findings += 1).err();
                let is_reported = findings > 0 || fault.is_some();
                let shown: Vec<_> = seen.iter().filter(|one| whole.contains(one)).collect();
                // Of a cut frame of Unreal, the vertices that are there are shown, with a finding.
                let is_partial = model.format() == "unreal" && is_reported;
                let is_whole = is_partial || shown.len() == seen.len();
                assert!(is_whole, "{} cut to {length}: a damaged surface is shown", file.display());
                assert!(
                    is_reported || seen == *whole,
                    "{} cut to {length}: {} of {} surfaces without a finding",
                    file.display(),
                    seen.len(),
                    whole.len()
                );
                numbers[2] += 1;
            }
        }
    }
    numbers
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it")]
fn no_cut_loses_a_surface_silently() {
    let mut sums = [0; 3];
    let mut add = |path: &Path, file: &Path| {
        let numbers = cut(path, file);
        for (sum, number) in sums.iter_mut().zip(numbers) {
            *sum += number;
        }
    };
    for folder in ["unigine", "secondlife", "ezmesh"] {
        for entry in std::fs::read_dir(Path::new("data").join(folder)).unwrap() {
            let path = entry.unwrap().path();
            let extension = path.extension().unwrap_or_default().to_string_lossy().into_owned();
            if ["mesh", "anim", "llmesh", "slm", "asset", "ezm", "ezb"].contains(&&*extension) {
                add(&path, &path);
            }
        }
    }
    for stem in ["box", "crate64", "guard", "prototype"] {
        let files = ["_d.3d", "_a.3d"].map(|end| Path::new("data/unreal").join(format!("{stem}{end}")));
        for file in &files {
            add(&files[0], file);
        }
    }
    eprintln!("{} cuts: {} errors, {} with all whole surfaces", sums[0], sums[1], sums[2]);
    assert!(sums[1] > 0 && sums[0] == sums[1] + sums[2]);
}
