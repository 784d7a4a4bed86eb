//! Writes a binary file that was read: its bytes up to the last field.

use std::io::Write;

use super::super::builder::failed;
use crate::error::Result;
use crate::formats::ezmesh::layout::PLANE;
use crate::formats::ezmesh::view::View;

/// Writes the bytes of a binary file without those after its last field. A bone whose parent does
/// not exist is written without a parent.
pub(super) fn write(view: View<'_>, out: &mut dyn Write) -> Result<()> {
    check_indices(view)?;
    let mut written = 0_usize;
    let mut copy = |end: u64, put: &[u8]| {
        let end = usize::try_from(end).unwrap_or(usize::MAX);
        let bytes = view.bytes.get(written..end).unwrap_or_default();
        written = end.saturating_add(put.len());
        out.write_all(bytes).and_then(|()| out.write_all(put)).map_err(failed)
    };
    for bone in 0..view.bone_count() {
        let Some(mut reader) = view.bone_element(bone).fields_from("parent")? else { continue };
        let offset = reader.offset();
        if reader.i32("parent")? != -1 && view.bone(bone)?.parent < 0 {
            copy(offset, &(-1_i32).to_le_bytes())?;
        }
    }
    copy(view.state.elements.plane.saturating_add(PLANE.size.into()), b"")?;
    out.flush().map_err(failed)
}

fn check_indices(view: View<'_>) -> Result<()> {
    for section in view.sections() {
        let (Some(triangles), count) = (section.index_buffer()?, section.vertex_buffer()?.count()) else { continue };
        super::text_file::check_indices(section.place().0, &triangles, count)?;
    }
    Ok(())
}
