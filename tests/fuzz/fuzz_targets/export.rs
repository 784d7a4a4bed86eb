//! Any bytes as a file of a format that is detected, written in every output format.
//!
//! An export ends, with an error that names a field or with files. The same export twice gives the
//! same bytes, and a GLB file has the length that its header states.
#![no_main]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a panic is how a fuzz target fails")]

use libfuzzer_sys::fuzz_target;
use meshpeek::Model;
use meshpeek::export::{Export, ExportFormat, SceneInput, ExportOptions, LevelChoice, OutputSpace};

/// The greatest number of bytes of a file that is compared.
const MAX_COMPARED: usize = 1 << 20;

/// A writer that keeps the first bytes of a file, and counts all.
#[derive(Default, PartialEq)]
struct Start {
    bytes: Vec<u8>,
    count: usize,
}

impl std::io::Write for Start {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let room = MAX_COMPARED.saturating_sub(self.bytes.len()).min(bytes.len());
        self.bytes.extend_from_slice(&bytes[..room]);
        self.count += bytes.len();
        // A small file may describe gigabytes of morph targets.
        if self.count > 64 << 20 { Err(std::io::ErrorKind::StorageFull.into()) } else { Ok(bytes.len()) }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Returns all files of an export, or `None` if it fails.
fn files(model: &Model<&[u8]>, format: ExportFormat, options: &ExportOptions) -> Option<Vec<Start>> {
    let input = SceneInput::new(model);
    let export = Export::new(&input, format, options).ok()?;
    let mut files = Vec::new();
    for file in 0..export.file_count() {
        files.push(Start::default());
        export.write_file(file, "fuzz", files.last_mut()?).ok()?;
    }
    Some(files)
}

fuzz_target!(|bytes: &[u8]| {
    let Some((choice, bytes)) = bytes.split_last() else { return };
    let Ok(model) = Model::open(bytes) else { return };
    let options = ExportOptions::default()
        .with_allow_loss(true)
        .with_quantized(choice & 1 != 0)
        .with_hulls(choice & 2 != 0)
        .with_space(if choice & 4 != 0 { OutputSpace::Stored } else { OutputSpace::Target })
        .with_levels(if choice & 8 != 0 { LevelChoice::Scenes } else { LevelChoice::Best })
        .with_frame((choice & 16 != 0).then_some(0.5));
    for format in ExportFormat::ALL {
        let first = files(&model, format, &options);
        assert!(first == files(&model, format, &options), "{format}: two exports differ");
        if let Some([glb]) = first.as_deref().filter(|_| format == ExportFormat::Glb) {
            assert_eq!(u32::from_le_bytes(glb.bytes[8..12].try_into().unwrap()) as usize, glb.count);
        }
    }
});
