//! The meshes that are measured where no file is given: of each format, of any size, written by the crate's own writers.
//!
//! What is too large to be built in memory is built in part, and the part's bytes are written as often as it takes; no other
//! bytes would stand in a file that was built whole.

mod ezmesh;
mod field;
mod secondlife;
mod unigine;
mod unreal;

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use anyhow::Context as _;
use clap::ValueEnum;
use meshpeek::decode::ByteOrder;

use super::questions::Files;
use crate::output::shown;

/// A kind of mesh to make.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    /// ms13: mapped as it is
    UnigineStatic,
    /// ms13 with bone weights
    UnigineSkinned,
    /// ms14: a block to inflate for each surface
    UnigineCompressed,
    /// A classic vertex mesh of many frames
    Unreal,
    /// A skinned asset of four levels of detail
    SecondLife,
    /// .ezm
    EzmeshText,
    /// .ezb
    EzmeshBinary,
}

impl Kind {
    pub const fn id(self) -> &'static str {
        match self {
            Self::UnigineStatic => "unigine-static",
            Self::UnigineSkinned => "unigine-skinned",
            Self::UnigineCompressed => "unigine-compressed",
            Self::Unreal => "unreal",
            Self::SecondLife => "second-life",
            Self::EzmeshText => "ezmesh-text",
            Self::EzmeshBinary => "ezmesh-binary",
        }
    }

    /// Returns how many times the file's size the copying loader takes while it loads: what was measured on meshes of 100 MB
    /// made here, rounded up.
    pub const fn growth(self) -> u64 {
        match self {
            Self::UnigineStatic | Self::UnigineSkinned | Self::EzmeshBinary | Self::EzmeshText => 3,
            Self::UnigineCompressed => 4,
            Self::Unreal => 5,
            Self::SecondLife => 6,
        }
    }

    /// Returns about how many bytes a file of it can have, and why no more.
    pub const fn most(self) -> Option<(u64, &'static str)> {
        match self {
            Self::Unreal => Some((unreal::MOST, "65,535 frames of 8,191 vertices, which every reader takes")),
            Self::SecondLife => Some((secondlife::MOST, "8 submeshes of 65,535 vertices")),
            _ => None,
        }
    }
}

/// Makes a mesh of about so many bytes.
pub fn make(kind: Kind, size: u64, folder: &Path) -> anyhow::Result<Files> {
    let write = |extension: &str, write: &dyn Fn(&mut Counted<BufWriter<File>>) -> anyhow::Result<()>| {
        let path = folder.join(format!("{}.{extension}", kind.id()));
        let context = || format!("{}: cannot be written", shown(&path));
        let file = File::create(&path).with_context(context)?;
        let mut out = Counted { out: BufWriter::new(file), written: 0 };
        write(&mut out).and_then(|()| Ok(out.flush()?)).with_context(context)?;
        Ok::<_, anyhow::Error>(path)
    };
    let mut aniv = None;
    let data = match kind {
        Kind::UnigineStatic => write("mesh", &|out| unigine::plain(size, false, out)),
        Kind::UnigineSkinned => write("mesh", &|out| unigine::plain(size, true, out)),
        Kind::UnigineCompressed => write("mesh", &|out| unigine::compressed(size, out)),
        Kind::Unreal => {
            let plan = unreal::Plan::of(size);
            aniv = Some(write("a.3d", &|out| plan.write_aniv(out))?);
            write("d.3d", &|out| plan.write_data(out))
        }
        Kind::SecondLife => write("llmesh", &|out| secondlife::write(size, out)),
        Kind::EzmeshText => write("ezm", &|out| ezmesh::write(size, None, out)),
        Kind::EzmeshBinary => write("ezb", &|out| ezmesh::write(size, Some(ByteOrder::Little), out)),
    }?;
    Ok(Files { data, aniv })
}

/// Something to write to, and how much was written.
pub struct Counted<W> {
    out: W,
    written: u64,
}

impl<W: Write> Write for Counted<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.written = self.written.saturating_add(u64::try_from(written).unwrap_or(u64::MAX));
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
