//! Exports of real files, if the machine has them: the numbers of triangles are those of the file.

use std::io::Write;

use meshpeek::export::{Export, ExportFormat, ExportOptions, SceneInput};
use meshpeek::model::Contents;
use meshpeek::{ErrorKind, Surface};

use crate::meshes;
use crate::support::corpus;

/// A sink that keeps what the numbers of triangles are found by.
#[derive(Default)]
struct Counter {
    head: Vec<u8>,
    length: usize,
    /// The number of line feeds that `f` follows.
    faces: usize,
    last: u8,
}

impl Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.head.extend(bytes.iter().take(1024_usize.saturating_sub(self.head.len())));
        for byte in bytes {
            self.faces += usize::from(self.last == b'\n' && *byte == b'f');
            self.last = *byte;
        }
        self.length += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn triangles(counter: &Counter, format: ExportFormat) -> usize {
    match format {
        ExportFormat::Obj => counter.faces,
        ExportFormat::Ply => {
            let text = String::from_utf8_lossy(&counter.head);
            let line = text.lines().find_map(|line| line.strip_prefix("element face ")).unwrap();
            line.parse().unwrap()
        }
        _ => (counter.length - 84) / 50,
    }
}

/// Returns the number of triangles at all places, or `None` if a surface is damaged.
fn count(contents: &dyn Contents) -> meshpeek::Result<usize> {
    let mut sum = 0;
    for instance in 0..contents.instance_count()? {
        let instance = contents.instance(instance)?;
        let asset = contents.asset(instance.asset)?;
        let geometry = asset.level(0)?;
        for surface in instance.surfaces.clone().unwrap_or(0..geometry.surface_count()?) {
            let surface = Surface::new(&*geometry, surface).unwrap();
            if surface.is_drawn()? {
                surface.weld()?;
                sum += surface.corners()?.triangle_count() as usize;
            }
        }
    }
    Ok(sum)
}

#[test]
fn exports_have_all_triangles_of_real_files() {
    let options = ExportOptions::default().with_allow_loss(true);
    let (mut files, mut damaged) = (0, 0);
    for folder in ["unigine", "unreal", "secondlife", "ezmesh"] {
        let Some(folder) = corpus(folder) else { return };
        for path in meshes(&folder) {
            let name = path.display();
            let Ok(model) = meshpeek::open(&path) else { continue };
            let expected = match count(model.contents()) {
                Ok(expected) => expected,
                Err(error) => {
                    assert_ne!(error.kind(), ErrorKind::Io, "{name}: {error}");
                    damaged += 1;
                    continue;
                }
            };
            for format in [ExportFormat::Obj, ExportFormat::Ply, ExportFormat::Stl] {
                let export = Export::new(&SceneInput::new(&model), format, &options)
                    .unwrap_or_else(|error| panic!("{name}: {error}"));
                let mut counter = Counter::default();
                export.write_file(0, "out", &mut counter).unwrap_or_else(|error| panic!("{name}: {error}"));
                assert_eq!(triangles(&counter, format), expected, "{name}: {format}: {:?}", export.losses());
            }
            files += 1;
        }
    }
    assert!(files > 200, "{files} files, {damaged} damaged");
}
