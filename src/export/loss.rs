//! What an output format cannot hold.

use crate::error::numbered_noun;
use crate::math::{as_index, as_u64};
pub use crate::parse::Loss;
pub(crate) use crate::parse::LossKind;
use crate::scene::shape::LeftOut;
use crate::scene::{ColorRole, PlacedScene};

/// The greatest number of losses of one kind that are listed one by one.
const MAX_LISTED: usize = 8;

/// Collects losses. After the eighth loss of a kind, the others are only counted, because a small
/// file can have thousands of damaged surfaces.
#[derive(Debug, Default)]
pub(crate) struct LossList {
    listed: Vec<Loss>,
    /// The number of further losses of a kind, with the sum of their items.
    more: Vec<(usize, Loss)>,
}

impl LossList {
    /// Adds a loss of this mesh, which the format could hold.
    pub(crate) fn add(&mut self, kind: LossKind, surface: Option<usize>, text: impl Into<String>) {
        self.push(Loss { kind, surface, text: text.into(), finding: None, by_format: false, count: 1 });
    }

    /// Adds data that the format can never hold. `count` is the number of items.
    pub(crate) fn add_by_format(&mut self, kind: LossKind, count: usize, text: impl Into<String>) {
        self.push(Loss { kind, surface: None, text: text.into(), finding: None, by_format: true, count });
    }

    fn push(&mut self, loss: Loss) {
        let is_alike = |other: &Loss| (other.kind, other.by_format) == (loss.kind, loss.by_format);
        let is_same = |other: &Loss| is_alike(other) && (other.surface, &other.text) == (loss.surface, &loss.text);
        if let Some(same) = self.listed.iter_mut().find(|other| is_same(other)) {
            same.count = same.count.saturating_add(loss.count);
        } else if self.listed.iter().filter(|other| is_alike(other)).count() < MAX_LISTED {
            self.listed.push(loss);
        } else if let Some((number, sum)) = self.more.iter_mut().find(|(_, other)| is_alike(other)) {
            *number = number.saturating_add(1);
            sum.count = sum.count.saturating_add(loss.count);
        } else {
            self.more.push((1, loss));
        }
    }

    /// Adds the triangles that an output does not contain. `surface` is the index of the surface.
    pub(crate) fn add_left_out(&mut self, left_out: LeftOut, surface: usize) {
        for (count, reason) in
            [(left_out.invalid, "an invalid index"), (left_out.not_finite, "a position that is not finite")]
        {
            if count > 0 {
                let text = format!("{} with {reason}", counted(count, "triangle"));
                self.add(LossKind::Triangles, Some(surface), text);
            }
        }
    }

    /// Adds the vertex frames `whole` and later of `all`, which the file contains only in part.
    pub(crate) fn add_incomplete_frames(&mut self, whole: u32, all: usize) {
        let last = all.saturating_sub(1);
        let frames = match last.checked_sub(as_index(whole)) {
            _ if all <= as_index(whole) => return,
            None | Some(0) => format!("vertex frame {whole}"),
            Some(_) => format!("vertex frames {whole} to {last}"),
        };
        self.add(LossKind::VertexFrames, None, format!("{frames}, of which the file has only a part"));
    }

    /// Adds the damaged levels of detail of a scene.
    pub(crate) fn add_damaged_levels(&mut self, scene: &PlacedScene<'_>) {
        scene.damaged.borrow().iter().for_each(|level| self.add(LossKind::Levels, None, level.clone()));
    }

    /// Returns the losses in the order in which they were added, and the counts of the others.
    pub(crate) fn finish(self) -> Vec<Loss> {
        let more = self.more.into_iter().map(|(number, sum)| {
            let text = format!("{number} more of this kind");
            Loss { surface: None, text, ..sum }
        });
        self.listed.into_iter().chain(more).collect()
    }
}

/// Returns `count` and a noun, which is plural unless the count is 1.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    format!("{count} {}", numbered_noun(as_u64(count), noun))
}

/// Describes vertex colours that are in the output, but not as colours to draw, or returns `None`
/// for those that do not change the look of the mesh. `place` is where they are in the output.
pub(crate) fn undrawn_colors(role: ColorRole, place: &str) -> Option<String> {
    let what = match role {
        ColorRole::Albedo | ColorRole::White => return None,
        ColorRole::Data => "data",
        ColorRole::Black => "all black",
    };
    Some(format!("colours to draw: the vertex colours are {what} and in {place}; --colors albedo draws them"))
}

/// The files with clips that move no bone of the mesh.
#[derive(Debug, Default)]
pub(crate) struct ForeignClips<'a> {
    names: Vec<&'a str>,
    /// Whether a clip of another file moves the mesh.
    pub(crate) moves_mesh: bool,
}

impl<'a> ForeignClips<'a> {
    /// The greatest number of files that are named.
    const NAMED: usize = 3;

    /// Adds a file. `clips` is the number of its clips.
    pub(crate) fn add(&mut self, name: &'a str, clips: usize) {
        self.names.extend((clips > 0).then_some(name));
    }

    /// Adds one loss for all files. It is minor if a clip of another file moves the mesh, because
    /// the files are then those of several meshes.
    pub(crate) fn finish(self, losses: &mut LossList) {
        let count = self.names.len();
        let named = self.names.get(..Self::NAMED).unwrap_or(&self.names).join(", ");
        let text = match count.saturating_sub(Self::NAMED) {
            _ if count == 0 => return,
            _ if count == 1 => format!("the clips of {named}, which moves no bone of the mesh"),
            0 => format!("the clips of {count} files, which move no bone of the mesh: {named}"),
            more => format!("the clips of {count} files, which move no bone of the mesh: {named} and {more} more"),
        };
        losses.add(if self.moves_mesh { LossKind::Metadata } else { LossKind::Clips }, None, text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_a_few_of_each_kind() {
        let mut losses = LossList::default();
        for surface in 0..20 {
            losses.add(LossKind::Colors, Some(surface), counted(surface, "colour"));
        }
        losses.add(LossKind::Clips, None, counted(1, "clip"));
        losses.add(LossKind::Clips, None, counted(1, "clip"));
        let texts: Vec<String> = losses.finish().iter().map(Loss::to_string).collect();
        assert_eq!(texts.len(), 10);
        assert_eq!(texts[1], "surface 1: 1 colour");
        assert_eq!(texts[8..], ["1 clip", "12 more of this kind"]);
    }
}
