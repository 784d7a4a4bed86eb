//! [`Loss`]: data of a mesh file that a written file does not contain.

use std::fmt;

use super::finding::Finding;
use crate::error::RewriteEffect;

/// Defines [`LossKind`], with the name of each kind and whether it is minor.
macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident = ($id:literal, $is_minor:literal),)*) => {
        /// A kind of data that an output does not contain.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum LossKind {
            $($(#[$doc])* $kind,)*
        }

        impl LossKind {
            /// Returns the name of the kind, such as `uv-sets`.
            #[must_use]
            pub const fn id(self) -> &'static str {
                match self {
                    $(Self::$kind => $id,)*
                }
            }

            /// Returns whether the loss of data of this kind needs no permission.
            #[must_use]
            #[allow(clippy::match_same_arms, reason = "one arm for each kind")]
            pub const fn is_minor(self) -> bool {
                match self {
                    $(Self::$kind => $is_minor,)*
                }
            }
        }
    };
}

kinds! {
    /// Bones, or bone weights of vertices.
    Skin = ("skin", false),
    /// Influences of bones on a vertex beyond those that the format can hold.
    Influences = ("influences", false),
    /// Clips, or a part of them.
    Clips = ("clips", false),
    /// Bones that a clip of another file moves and the mesh does not have.
    ClipBones = ("clip-bones", true),
    /// Morph targets.
    MorphTargets = ("morph-targets", false),
    /// Vertex frames.
    VertexFrames = ("vertex-frames", false),
    /// UV sets.
    UvSets = ("uv-sets", false),
    /// Normals.
    Normals = ("normals", false),
    /// Tangents, which a program can compute from normals and UVs.
    Tangents = ("tangents", true),
    /// Vertex colours.
    Colors = ("colors", false),
    /// Vertex colours that are data or all black. The output contains them as data or not at all.
    DataColors = ("data-colors", true),
    /// Materials, or a part of them.
    Materials = ("materials", false),
    /// Names.
    Names = ("names", true),
    /// Placements of instances.
    Placements = ("placements", false),
    /// Collision shapes.
    Hulls = ("hulls", false),
    /// Damaged levels of detail. Others are exported instead.
    Levels = ("levels", true),
    /// Metadata of the file.
    Metadata = ("metadata", true),
    /// Triangles with an index that is out of range or with a position that is not finite.
    Triangles = ("triangles", false),
    /// Numbers that are not finite, or directions without length, which were replaced.
    Values = ("values", true),
    /// Data of a file that the reader of its format ignores, such as bytes after the last field.
    #[doc(hidden)]
    Unread = ("unread", false),
    /// The encoding of values, which are written with another one.
    #[doc(hidden)]
    Encoding = ("encoding", true),
}

/// Data of the mesh that a written file does not contain: a file in another format
/// ([`Export`](crate::export::Export)), or the file written again in its own format
/// by the verb `rewrite`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Loss {
    /// The kind of the data.
    #[doc(hidden)]
    pub kind: LossKind,
    /// The index of the surface, or `None` if the data does not belong to one surface.
    pub surface: Option<usize>,
    /// The data that is left out or replaced, such as `1 UV set`.
    pub text: String,
    /// The finding of [`validate`](crate::Model::validate) about the data, if a file is written
    /// again in its own format.
    #[doc(hidden)]
    pub finding: Option<Finding>,
    /// Whether the loss is one of the output format, which can never hold data of this kind, and
    /// not one of this mesh.
    pub(crate) by_format: bool,
    /// The number of items, or 1 if they are not counted.
    pub(crate) count: usize,
}

impl Loss {
    /// Returns the name of the kind of the data, such as `uv-sets`. The page
    /// [export](crate::guide::program) of the guide lists the kinds.
    #[must_use]
    pub const fn id(&self) -> &'static str {
        self.kind.id()
    }

    /// Returns whether the data is left out or replaced without
    /// [`allow_loss`](crate::export::ExportOptions::with_allow_loss) in every format: data that a
    /// program can compute again, and data that describes the mesh but does not change its shape or
    /// look.
    #[must_use]
    pub const fn is_minor(&self) -> bool {
        self.kind.is_minor()
    }

    /// Returns the loss that writing a file again causes, or `None` if the data of the finding is
    /// written as it is.
    pub(crate) fn of_finding(finding: Finding) -> Option<Self> {
        let (kind, text) = match finding.rewrite {
            RewriteEffect::Kept => return None,
            RewriteEffect::Reencoded => (LossKind::Encoding, "the encoding of a value"),
            RewriteEffect::LeftOut => (LossKind::Unread, "data that is not read"),
        };
        Some(Self { kind, surface: None, text: text.into(), finding: Some(finding), by_format: false, count: 1 })
    }

    /// Returns whether data is left out only with the permission of the caller: all that is not
    /// [minor](Self::is_minor) and that the format could hold.
    pub(crate) const fn needs_permission(&self) -> bool {
        !self.by_format && !self.kind.is_minor()
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.finding, self.surface) {
            (Some(Finding { field, offset, text, .. }), _) => write!(out, "{field} at byte {offset}: {text}"),
            (None, Some(surface)) => write!(out, "surface {surface}: {}", self.text),
            (None, None) => out.write_str(&self.text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Field;
    use crate::parse::rules;

    rules! {
        const ALL;
        Warning KEPT "T01" "The first rule." why "It is the first." mend "Follow it.";
        Warning REENCODED "T02" Reencoded "The second rule." why "It is the second." mend "Follow it.";
        Info LEFT_OUT "T03" LeftOut "The third rule." why "It is the third." mend "Follow it.";
    }

    #[test]
    fn a_rule_states_what_writing_again_does() {
        let losses = ALL.iter().map(|rule| Loss::of_finding(Finding::new(*rule, Field::new("a"), 7, "text".into())));
        let losses: Vec<_> = losses.flatten().map(|loss| (loss.kind, loss.needs_permission())).collect();
        assert_eq!(losses, [(LossKind::Encoding, false), (LossKind::Unread, true)]);
        assert_eq!([KEPT, REENCODED, LEFT_OUT].map(|rule| rule.id), ["T01", "T02", "T03"]);
        let loss = Loss::of_finding(Finding::new(LEFT_OUT, Field::new("a"), 7, "text".into())).unwrap();
        assert_eq!(loss.to_string(), "a at byte 7: text");
    }
}
