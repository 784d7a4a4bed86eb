//! The kinds of bytes in a file, such as positions or names. Each region belongs to one kind, which
//! follows from the fixed names in its path and from its element type, never from a name in the
//! file.

use crate::{Field, Region};

/// A kind of bytes. The name is used in JSON, and the colour is that of its ranges in a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByteKind {
    pub name: &'static str,
    pub color: &'static str,
}

/// Declares the kinds, and the list of all of them.
macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident $name:literal $color:literal;)*) => {
        $($(#[$doc])* pub const $kind: ByteKind = ByteKind { name: $name, color: $color };)*
        /// All kinds.
        pub const ALL: [ByteKind; [$($name),*].len()] = [$($kind),*];
    };
}

kinds! {
    POSITIONS "positions" "#5aa7e6";
    TANGENT_FRAMES "tangent_frames" "#67c6c0";
    UVS "uvs" "#86c66b";
    COLORS "colors" "#ec8fb3";
    WEIGHTS "weights" "#b995e8";
    INDICES "indices" "#f2a154";
    VERTICES "vertices" "#5aa7e6";
    POLYGONS "polygons" "#f2a154";
    ANIMATIONS "animations" "#e8776f";
    SKELETON "skeleton" "#d0a8f0";
    COLLISION "collision" "#c7b15b";
    TEXTURES "textures" "#ec8fb3";
    NAMES "names" "#f0d264";
    BOUNDS "bounds" "#9fd6a5";
    COUNTS "counts" "#cfd4da";
    HEADER "header" "#b3bac2";
    METADATA "metadata" "#d9c39a";
    BLOCK_TABLE "block_table" "#a9b8cf";
    SPATIAL_TREE "spatial_tree" "#c7b15b";
    GEOMETRY_BLOCKS "geometry_blocks" "#5aa7e6";
    TREE_BLOCKS "tree_blocks" "#e3cf7a";
    HIGH_LOD "high_lod" "#5aa7e6";
    MEDIUM_LOD "medium_lod" "#67c6c0";
    LOW_LOD "low_lod" "#86c66b";
    LOWEST_LOD "lowest_lod" "#c3dd8a";
    PHYSICS_MESH "physics_mesh" "#e8776f";
    PHYSICS_SHAPE "physics_shape" "#e8776f";
    PHYSICS_CONVEX "physics_convex" "#f2a154";
    PHYSICS_HAVOK "physics_havok" "#c7b15b";
    SKIN "skin" "#b995e8";
    UNKNOWN_BLOCKS "unknown_blocks" "#d9a0a0";
    MARKUP "markup" "#b3bac2";
    COMMENTS "comments" "#9fd6a5";
    SCRIPT_COMMANDS "script_commands" "#5aa7e6";
    SCRIPT_TEXT "script_text" "#cfd4da";
    UNUSED "unused" "#8d959e";
    /// The bytes after an error, which no region describes.
    UNREADABLE "unreadable" "#d43a3a";
}

impl ByteKind {
    /// Returns the kind of a region.
    pub fn of(region: &Region) -> Self {
        let field = &region.field;
        match region.element.name {
            "zlib" => block(field.name()),
            "magic" => HEADER,
            "string" | "i32 string" if !matches!(field.name(), "meta_data" | "value" | "bytes") => NAMES,
            _ => in_list(field).or_else(|| named(field.name())).unwrap_or(HEADER),
        }
    }

    /// Returns the name with blanks, for text and pictures.
    pub fn label(self) -> String {
        self.name.replace('_', " ")
    }

    /// Returns the position of the kind in the list of all kinds.
    pub fn index(self) -> usize {
        ALL.iter().position(|kind| *kind == self).unwrap_or_default()
    }
}

/// Returns the kind of a compressed block of a Second Life asset.
fn block(name: &str) -> ByteKind {
    let blocks = [
        HIGH_LOD,
        MEDIUM_LOD,
        LOW_LOD,
        LOWEST_LOD,
        PHYSICS_MESH,
        PHYSICS_SHAPE,
        PHYSICS_CONVEX,
        PHYSICS_HAVOK,
        SKIN,
        SKELETON,
    ];
    blocks.into_iter().find(|kind| kind.name == name).unwrap_or(UNKNOWN_BLOCKS)
}

/// Returns the kind of the fields of some lists, or `None` if the list does not determine the kind.
fn in_list(field: &Field) -> Option<ByteKind> {
    let [outer, inner] = [field.outer(), field.inner()].map(|segment| segment.map_or("", |(list, _)| list));
    let is_count = field.name().rsplit('.').next() == Some("count");
    Some(match (outer, inner) {
        ("command", _) => SCRIPT_COMMANDS,
        ("text", _) => SCRIPT_TEXT,
        ("header", _) | (_, "header") => HEADER,
        _ if is_count => COUNTS,
        (_, "tree") => SPATIAL_TREE,
        ("collision" | "tetra_mesh", _) => COLLISION,
        ("animation", _) => ANIMATIONS,
        ("bone" | "skeleton", _) => SKELETON,
        ("texture", _) => TEXTURES,
        _ => return None,
    })
}

/// Returns the kind of a field with the given name, or `None` for a field of a header.
fn named(name: &str) -> Option<ByteKind> {
    Some(match name {
        "positions" | "extremes" => POSITIONS,
        "tangents" => TANGENT_FRAMES,
        "uv0" | "uv1" => UVS,
        "colors" => COLORS,
        "weights" => WEIGHTS,
        "indices" | "attribute_indices" | "indexbuffer" => INDICES,
        "vertexbuffer" => VERTICES,
        "polygons" => POLYGONS,
        "bind_transforms" => SKELETON,
        "rate" | "root_motion" => ANIMATIONS,
        "bounds" => BOUNDS,
        "geometry" => GEOMETRY_BLOCKS,
        "tree" => TREE_BLOCKS,
        "geometry.sizes" | "tree.sizes" | "offsets" | "memory_estimate" => BLOCK_TABLE,
        "meta_data" | "value" | "bytes" => METADATA,
        "elements" => MARKUP,
        "comment" | "doctype" => COMMENTS,
        "unused" | "gap" | "cut" | "end" | "data_end" | "aniv_end" | "unknown" => UNUSED,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::ElementType;

    #[test]
    fn kinds_have_different_names_and_follow_from_the_path() {
        for (index, kind) in ALL.iter().enumerate() {
            assert_eq!(kind.index(), index, "{}", kind.name);
            assert!(ALL.iter().skip(index + 1).all(|other| other.name != kind.name), "{}", kind.name);
        }
        let of = |field: Field, element| {
            ByteKind::of(&Region { field, start: 0, end: 8, element: ElementType::new(element, 1, 1), count: 8 }).name
        };
        let surface = Field::new("positions").in_list("surface", 3);
        assert_eq!(of(surface.in_inner_list("target", 1), "f32x3"), "positions");
        assert_eq!(of(surface.named("tree.sizes"), "i64x2 sizes"), "block_table");
        assert_eq!(of(surface.named("boxes").in_inner_list("tree", 0), "f32x6 box"), "spatial_tree");
        assert_eq!(of(Field::new("name").in_list("animation", 0), "string"), "names");
        assert_eq!(of(Field::new("keys").in_list("animation", 0), "text"), "animations");
        assert_eq!(of(Field::new("vertexbuffer").in_list("collision", 0), "text"), "collision");
        assert_eq!(of(Field::new("high_lod").in_list("asset", 1), "zlib"), "high_lod");
        assert_eq!(of(Field::new("high_lod").in_list("asset", 1).in_inner_list("header", 0), "llsd"), "header");
        assert_eq!(of(Field::new("surfaces.count"), "compact int"), "counts");
    }
}
