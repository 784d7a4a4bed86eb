//! Implements the format-independent traits for [`Model`]: each method calls the same method of the
//! opened file.

use std::ops::Range;

use super::model::{FormatFile, Model, with_file};
use crate::array::{Bounds, Sphere};
use crate::error::{Error, Result};
use crate::model::animation::{Affine, Animations, Channel, Clip, ClipKeys, Event};
use crate::model::{
    Asset, Bone, ByteRanges, Colors, Contents, Counts, DrawStyle, ExtraArray, ExtraArrayInfo, FormatVersion, Geometry,
    Handle, Indices, Instance, LevelStorage, Material, Metadata, Normals, Part, Positions, Space, SpatialTree,
    TangentFrames, Transform, Uvs, VertexMesh, VertexPool, Weights,
};
use crate::parse::Name;

impl<D: AsRef<[u8]> + Send + Sync> Model<D> {
    fn neutral_geometry(&self) -> &dyn Geometry {
        with_file!(self.format_file(), file => &**file)
    }

    fn stored_parts(&self) -> &dyn ByteRanges {
        with_file!(self.format_file(), file => &**file)
    }

    fn neutral_animations(&self) -> &dyn Animations {
        with_file!(self.format_file(), file => &**file)
    }
}

/// Implements a trait for [`Model`] by calling the same methods of the value that `$view` returns.
macro_rules! forward {
    ($trait:ident to $view:ident { $(fn $name:ident(&self $(, $argument:ident: $type:ty)*) -> $result:ty;)+ }) => {
        impl<D: AsRef<[u8]> + Send + Sync> $trait for Model<D> {
            $(
                fn $name(&self $(, $argument: $type)*) -> $result {
                    self.$view().$name($($argument),*)
                }
            )+
        }
    };
}

forward! {
    FormatVersion to file {
        fn format(&self) -> &'static str;
        fn version(&self) -> &'static str;
    }
}

forward! {
    Geometry to neutral_geometry {
        fn space(&self) -> Space;
        fn bounds(&self) -> Result<Bounds>;
        fn sphere(&self) -> Result<Option<Sphere>>;
        fn vertex_frame_count(&self) -> Result<usize>;
        fn vertex_frame(&self, surface: usize, frame: usize) -> Result<Positions<'_>>;
        fn vertex_frames(&self, surface: usize) -> Result<Option<Positions<'_>>>;
        fn surface_count(&self) -> Result<usize>;
        fn surface_name(&self, surface: usize) -> Result<Name<'_>>;
        fn surface_bounds(&self, surface: usize) -> Result<Bounds>;
        fn surface_sphere(&self, surface: usize) -> Result<Option<Sphere>>;
        fn surface_material(&self, surface: usize) -> Result<Option<Name<'_>>>;
        fn is_drawn(&self, surface: usize) -> Result<bool>;
        fn draw_style(&self, surface: usize) -> Result<DrawStyle>;
        fn vertex_pool(&self, surface: usize) -> Result<VertexPool>;
        fn counts(&self, surface: usize) -> Result<Counts>;
        fn positions(&self, surface: usize, target: usize) -> Result<Positions<'_>>;
        fn tangent_frames(&self, surface: usize, target: usize) -> Result<Option<TangentFrames<'_>>>;
        fn normals(&self, surface: usize, target: usize) -> Result<Option<Normals<'_>>>;
        fn uvs(&self, surface: usize, set: usize) -> Result<Option<Uvs<'_>>>;
        fn colors(&self, surface: usize) -> Result<Option<Colors<'_>>>;
        fn colors_are_data(&self) -> bool;
        fn weights(&self, surface: usize) -> Result<Option<Weights<'_>>>;
        fn indices(&self, surface: usize) -> Result<Indices<'_>>;
        fn attribute_indices(&self, surface: usize) -> Result<Option<Indices<'_>>>;
        fn partition(&self, surface: usize) -> Result<Option<Box<dyn SpatialTree + '_>>>;
        fn extra_arrays(&self) -> &'static [ExtraArrayInfo];
        fn extra_array(&self, surface: usize, name: &str) -> Result<Option<ExtraArray<'_>>>;
        fn vertex_mesh(&self) -> Option<&dyn VertexMesh>;
        fn lend(&self, surface: usize) -> Result<Box<dyn Geometry + '_>>;
        fn file_index(&self, surface: usize) -> usize;
        fn fault(&self, surface: usize, name: &'static str, into: u64, error: Error) -> Error;
    }
}

forward! {
    Animations to neutral_animations {
        fn bone_count(&self) -> Result<usize>;
        fn bone(&self, bone: usize) -> Result<Bone<'_>>;
        fn find_bone(&self, name: &[u8]) -> Result<Option<usize>>;
        fn bind_shape(&self) -> Result<Affine>;
        fn inverse_bind(&self, bone: usize) -> Result<Option<Affine>>;
        fn clip_count(&self) -> Result<usize>;
        fn clip(&self, clip: usize) -> Result<Clip<'_>>;
        fn has_bone_clips(&self) -> bool;
        fn track_pose(&self, clip: usize, frame: usize) -> Result<Option<Vec<(Name<'_>, Transform)>>>;
        fn event(&self, clip: usize, index: usize) -> Result<Option<Event<'_>>>;
        fn pose(&self, clip: usize, frame: usize, out: &mut [Transform]) -> Result<()>;
        fn keys(&self, clip: usize, bone: Option<usize>) -> Result<ClipKeys<'_>>;
        fn channels(&self, clip: usize) -> Result<Vec<Channel>>;
        fn animated_bones(&self, clip: usize, out: &mut [bool]) -> Result<()>;
    }
}

forward! {
    ByteRanges to stored_parts {
        fn byte_ranges(&self, source: usize, part: &Part) -> Result<Vec<Range<u64>>>;
    }
}

forward! {
    Contents to contents {
        fn asset_count(&self) -> Result<usize>;
        fn asset(&self, asset: usize) -> Result<Handle<'_, dyn Asset + '_>>;
        fn level_storage(&self) -> LevelStorage;
        fn script_named(&self, stem: &str) -> Result<Option<Vec<u8>>>;
        fn instance_count(&self) -> Result<usize>;
        fn instance(&self, instance: usize) -> Result<Instance<'_>>;
        fn material_count(&self) -> Result<usize>;
        fn material(&self, material: usize) -> Result<Material<'_>>;
        fn file_bytes(&self) -> u64;
        fn metadata(&self, visit: &mut dyn FnMut(Metadata<'_>)) -> Result<()>;
        fn metadata_is_derived(&self) -> bool;
    }
}
