//! Prints the parts of a description that only `--verbose` adds: the sphere, the compressed blocks
//! and all bones.

use std::io::{self, Write};

use super::text::line;
use crate::Name;
use crate::model::BlockSummary;
use crate::program::describe::fields::{Fields, InfoPart};
use crate::program::describe::file_summary::FileSummary;
use crate::program::output::{bytes, counted};

/// Prints the details of the chosen parts.
pub fn print_details(out: &mut dyn Write, summary: &FileSummary, fields: &Fields) -> io::Result<()> {
    if let Some(sphere) = summary.sphere.filter(|_| fields.has(InfoPart::Size)) {
        let [x, y, z] = sphere.center;
        line(out, "sphere", &format!("radius {} around ({x}, {y}, {z})", sphere.radius))?;
    }
    if fields.has(InfoPart::Lods) {
        print_blocks(out, &summary.described.blocks)?;
    }
    if fields.has(InfoPart::Rig) { print_skeleton(out, summary) } else { Ok(()) }
}

/// Prints the bones, if there are any.
pub fn print_skeleton(out: &mut dyn Write, summary: &FileSummary) -> io::Result<()> {
    if summary.bones.is_empty() {
        return Ok(());
    }
    line(out, "skeleton", &counted(summary.bones.len(), "bone"))?;
    for (index, (name, parent)) in summary.bones.iter().enumerate() {
        let parent = usize::try_from(*parent).ok().and_then(|parent| Some(&summary.bones.get(parent)?.0));
        let parent = parent.map(|parent| format!(", child of {}", Name::new(parent.as_bytes())));
        writeln!(out, "    {index:>5}  {}{}", Name::new(name.as_bytes()), parent.unwrap_or_default())?;
    }
    Ok(())
}

/// Prints the compressed blocks of a file, with their stored sizes and their inflated sizes.
fn print_blocks(out: &mut dyn Write, blocks: &[BlockSummary]) -> io::Result<()> {
    if blocks.is_empty() {
        return Ok(());
    }
    let inflated = blocks.iter().filter(|block| block.inflated.is_some()).count();
    line(out, "blocks", &format!("{}, {inflated} inflated", blocks.len()))?;
    for block in blocks {
        let asset = block.asset.map(|asset| format!("asset {asset}, ")).unwrap_or_default();
        write!(out, "    {asset}{}: {}", block.name, bytes(block.bytes))?;
        match (&block.inflated, block.ratio()) {
            (Some(inflated), Some(ratio)) => {
                write!(out, ", inflated {} ({ratio:.2} times)", bytes(inflated.bytes))?;
                match inflated.counts {
                    Some((submeshes, triangles)) => {
                        writeln!(out, ", {}, {}", counted(submeshes, "submesh"), counted(triangles, "triangle"))?;
                    }
                    None => writeln!(out)?,
                }
            }
            _ => writeln!(out, ", not inflated")?,
        }
    }
    Ok(())
}
