//! Arrays of a surface that borrow a slice of the program instead of bytes of a file. They make a
//! mesh of the program's own accessible to the queries.

use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::attributes::{
    ColorEncoding, Colors, IndexEncoding, Indices, NormalEncoding, Normals, PositionEncoding, Positions, UvEncoding,
    Uvs,
};
use crate::array::Packed;
use crate::decode::{Floats, Index, Unorm8};
use crate::parse::Record;

/// Returns the items as records in the byte order of files, which is that of the processor.
fn records<T: IntoBytes + Immutable, R: Record>(items: &[T]) -> &[R] {
    FromBytes::ref_from_bytes(items.as_bytes()).unwrap_or_default()
}

/// Implements `From` for slices with the byte order of the processor.
macro_rules! from_slice {
    ($($array:ident($encoding:ident::$variant:ident) of $item:ty, $decoder:expr;)+) => {
        $(
            impl<'a> From<&'a [$item]> for $array<'a> {
                fn from(items: &'a [$item]) -> Self {
                    Self($encoding::$variant(Packed::new(records(items), $decoder)))
                }
            }
        )+
    };
}

from_slice! {
    Positions(PositionEncoding::F32) of [f32; 3], Floats;
    Normals(NormalEncoding::F32) of [f32; 3], Floats;
    Uvs(UvEncoding::F32) of [f32; 2], Floats;
    Colors(ColorEncoding::Unorm8) of [u8; 4], Unorm8;
    Indices(IndexEncoding::U8) of u8, Index::new();
    Indices(IndexEncoding::U16) of u16, Index::new();
    Indices(IndexEncoding::U32) of u32, Index::new();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::array::Array;

    fn items<A: Array>(array: A) -> Vec<A::Item> {
        array.iter().collect()
    }

    #[test]
    fn arrays_have_the_items_of_the_slice() {
        let points = [[1.0, -2.5, 3.0], [0.0, f32::MAX, 1e-40]];
        assert_eq!(items(Positions::from(&points[..])), points);
        assert_eq!(items(Normals::from(&points[..])), points);
        assert_eq!(items(Uvs::from(&[[0.25, 4.0]][..])), [[0.25, 4.0]]);
        assert_eq!(items(Colors::from(&[[0, 255, 51, 102]][..])), [[0.0, 1.0, 0.2, 0.4]]);
        assert_eq!(items(Indices::from(&[0_u8, 255][..])), [0, 255]);
        assert_eq!(items(Indices::from(&[0_u16, 1, 65535][..])), [0, 1, 65535]);
        assert_eq!(items(Indices::from(&[0_u32, 70_000, u32::MAX][..])), [0, 70_000, u32::MAX]);
        assert!(Positions::from(&[][..]).is_empty());
    }
}
