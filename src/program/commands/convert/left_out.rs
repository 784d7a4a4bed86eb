//! What the output format can never hold, in one line for all meshes of a command.

// Rule: this file sorts and maps by copies only.

use std::collections::BTreeMap;

use crate::export::{ExportFormat, Loss, LossKind};
use crate::program::output::counted;

/// The data that a format could not hold, of all meshes that were written.
pub struct LeftOutByFormat {
    format: ExportFormat,
    /// The number of items of each kind.
    kinds: BTreeMap<LossKind, usize>,
    /// The number of meshes of which data is left out.
    meshes: usize,
}

impl LeftOutByFormat {
    pub const fn new(format: ExportFormat) -> Self {
        Self { format, kinds: BTreeMap::new(), meshes: 0 }
    }

    /// Adds the losses of a mesh.
    pub fn add(&mut self, losses: &[Loss]) {
        let by_format = losses.iter().filter(|loss| loss.by_format);
        for loss in by_format.clone() {
            let count = self.kinds.entry(loss.kind).or_default();
            *count = count.saturating_add(loss.count);
        }
        self.meshes = self.meshes.saturating_add(usize::from(by_format.count() > 0));
    }

    /// Returns the line, or `None` if nothing is left out.
    pub fn text(&self) -> Option<String> {
        let kinds: Vec<String> = self.kinds.iter().map(|(kind, count)| self.name(*kind, *count)).collect();
        let (last, first) = kinds.split_last()?;
        let named = if first.is_empty() { last.clone() } else { format!("{} and {last}", first.join(", ")) };
        let meshes = if self.meshes > 1 { format!(" of {}", counted(self.meshes, "mesh")) } else { String::new() };
        Some(format!("{} holds {}: left out{meshes}: {named}", self.format, self.format.names().holds))
    }

    /// Returns the name of the items of a kind.
    fn name(&self, kind: LossKind, count: usize) -> String {
        let is_flat = self.format == ExportFormat::Stl;
        match kind {
            LossKind::Skin => "bones and weights".to_owned(),
            LossKind::Clips => counted(count, "clip"),
            LossKind::MorphTargets => counted(count, "morph target"),
            LossKind::VertexFrames => counted(count, "vertex frame"),
            LossKind::UvSets if is_flat => "UVs".to_owned(),
            LossKind::UvSets => counted(count, "further UV set"),
            LossKind::Colors => "vertex colours".to_owned(),
            LossKind::DataColors
                if matches!(self.format, ExportFormat::Glb | ExportFormat::Gltf | ExportFormat::Ply) =>
            {
                "colours to draw, because the vertex colours are data or black (--colors albedo draws them)".to_owned()
            }
            LossKind::DataColors => "vertex colours that are data".to_owned(),
            LossKind::Materials if self.format == ExportFormat::Obj => "draw styles of materials".to_owned(),
            other => other.id().replace('-', " "),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::loss::LossList;

    #[test]
    fn one_line_names_the_kinds_of_all_meshes() {
        let mut all = LeftOutByFormat::new(ExportFormat::Stl);
        assert_eq!(all.text(), None);
        let mut losses = LossList::default();
        losses.add(LossKind::Triangles, Some(0), "1 triangle with an invalid index");
        all.add(&losses.finish());
        assert_eq!(all.text(), None, "a loss of the mesh");
        for clips in [1, 2] {
            let mut losses = LossList::default();
            losses.add_by_format(LossKind::Clips, clips, "clips");
            losses.add_by_format(LossKind::UvSets, 2, "2 UV sets");
            losses.add_by_format(LossKind::Normals, 1, "normals");
            all.add(&losses.finish());
            if clips == 1 {
                let text = "STL holds triangles only: left out: 1 clip, UVs and normals";
                assert_eq!(all.text().as_deref(), Some(text));
            }
        }
        let text = "STL holds triangles only: left out of 2 meshes: 3 clips, UVs and normals";
        assert_eq!(all.text().as_deref(), Some(text));
    }
}
