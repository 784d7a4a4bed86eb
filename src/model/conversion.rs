//! Arrays of a surface in the forms that GPUs read.

use crate::decode::OutputFormat;
use crate::error::Result;
use crate::model::attributes::{Colors, Normals, Positions, Uvs};

/// Gives an enum of arrays of floats its forms.
macro_rules! decode_as {
    ($($name:ident of $count:literal { $($variant:ident)+ })+) => {$(
        impl $name<'_> {
            /// Decodes all items into `out`, in another [format](crate::decode::convert) than floats.
            ///
            /// # Errors
            ///
            /// [`ErrorKind::Buffer`](crate::error::ErrorKind::Buffer) where `out` is not of this length.
            pub fn decode_as<F: OutputFormat<$count>>(&self, format: F, out: &mut [[F::Component; $count]]) -> Result<()> {
                match self { $(Self::$variant(array) => array.decode_as(format, out),)+ }
            }
        }
    )+};
}

decode_as! {
    Positions of 3 { F32 Packed32 Packed64 MinMax16 Strided }
    Normals of 3 { Quat8 Quat7 Unit16 F32 Strided }
    Uvs of 2 { F32 Polygon255 Polygon256 MinMax16 Strided }
    Colors of 4 { Unorm8 Argb8 Strided }
}
