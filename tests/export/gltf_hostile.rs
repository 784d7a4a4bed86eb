//! Exports of damaged files: no panic, bounded memory, and what is written can be read.

use std::io::{self, Write};
use std::path::Path;

use meshpeek::export::{Export, ExportFormat, ExportOptions, LevelChoice, SceneInput};
use meshpeek::{Model, OpenOptions};

use crate::gltf::{data, meshes, options};
use crate::gltf_reader::Reader;
use crate::gltf_structure::check;
use crate::support::allocations::most_held;
use crate::support::cases;
use crate::support::random::Random;

/// Memory for the blocks in which arrays are decoded and for the objects of the output, in addition
/// to the documented 16 times the size of the files and 1 MiB.
const BLOCKS: u64 = 2 << 20;

/// The files of a mesh, with their bytes.
struct Files {
    path: std::path::PathBuf,
    files: Vec<Vec<u8>>,
}

impl Files {
    fn read(path: &Path) -> Self {
        let mut files = Vec::new();
        let load = |path: &Path| {
            files.push(std::fs::read(path).unwrap());
            meshpeek::read(path)
        };
        OpenOptions::default().open_by(path, load).unwrap();
        Self { path: path.to_owned(), files }
    }

    fn open(&self) -> meshpeek::Result<Model<Vec<u8>>> {
        let mut files = self.files.iter();
        OpenOptions::default().open_by(&self.path, |_| Ok(files.next().cloned().unwrap_or_default()))
    }

    /// Opens and exports the files in all ways.
    fn export(&self, what: &dyn Fn() -> String) -> usize {
        let length: usize = self.files.iter().map(Vec::len).sum();
        let Ok(model) = self.open() else { return 0 };
        let mut count = 0;
        let choices = [
            options(),
            options().with_hulls(true).with_levels(LevelChoice::Scenes),
            options().with_frame(Some(0.5)).with_levels(LevelChoice::Nodes),
        ];
        for options in &choices {
            for format in ExportFormat::ALL {
                let mut bytes = Vec::new();
                let (result, held) = most_held(|| export(&model, format, options, &mut io::sink()));
                let bound = 16 * length as u64 + (1 << 20) + BLOCKS;
                assert!(held <= bound, "{}: {format}: {held} bytes held for {length}", what());
                if result.is_ok() && format == ExportFormat::Glb {
                    export(&model, format, options, &mut bytes).unwrap();
                    check(&Reader::glb(&bytes), &what());
                    count += 1;
                }
            }
        }
        count
    }
}

/// Writes all files of an export to one output.
fn export(
    model: &Model<Vec<u8>>,
    format: ExportFormat,
    options: &ExportOptions,
    out: &mut dyn Write,
) -> meshpeek::Result<()> {
    let export = Export::new(&SceneInput::new(model), format, options)?;
    (0..export.file_count()).try_for_each(|file| export.write_file(file, "mesh", out))
}

#[test]
fn cut_samples_are_exported_or_refused() {
    let mut count = 0;
    for path in meshes(data()) {
        let whole = Files::read(&path);
        count += whole.export(&|| path.display().to_string());
        for source in 0..whole.files.len() {
            for length in cases::tested((0..whole.files[source].len()).step_by(7), 20) {
                let mut files = whole.files.clone();
                files[source].truncate(length);
                let cut = Files { path: path.clone(), files };
                count += cut.export(&|| format!("{}: file {source} cut to {length} bytes", path.display()));
            }
        }
    }
    eprintln!("{count} GLB files of cut samples");
}

#[test]
fn damaged_samples_are_exported_or_refused() {
    let (mut random, mut count) = (Random::new(24), 0);
    for path in meshes(data()) {
        let whole = Files::read(&path);
        for round in 0..cases::number(60, 10) {
            let mut files = whole.files.clone();
            for _ in 0..random.within(1..5) {
                let source = random.below(files.len());
                let bytes = &mut files[source];
                let at = random.below(bytes.len());
                match random.below(3) {
                    0 => bytes[at] ^= 1 << random.below(8),
                    1 => bytes[at] = *random.pick(&[0, 1, 0x7f, 0x80, 0xff]),
                    _ => {
                        let float = random.any_float().to_le_bytes();
                        bytes.iter_mut().skip(at / 4 * 4).zip(float).for_each(|(byte, other)| *byte = other);
                    }
                }
            }
            let damaged = Files { path: path.clone(), files };
            count += damaged.export(&|| format!("{}: damage {round}", path.display()));
        }
    }
    eprintln!("{count} GLB files of damaged samples");
    assert!(count > cases::number(1000, 10), "{count}");
}
