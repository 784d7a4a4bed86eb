//! Lists the byte regions of the data file and the aniv file. Every byte of a data file or an aniv
//! file belongs to exactly one region, such as `polygons`.

use super::file::Mesh;
use super::header::{FRAMES_AT, POLYGONS_AT};
use super::layout::{BYTE, POLYGON, U16_COUNT, UNUSED, Variant};
use crate::array::Array;
use crate::error::{Field, Result};
use crate::math::as_u64;
use crate::parse::{Region, Walk};

/// Calls `visit` once for each byte region of the data file, such as `polygons`. The regions are in
/// file order and cover the data file without gaps.
pub(super) fn data_regions<D: AsRef<[u8]>>(mesh: &Mesh<D>, visit: &mut dyn FnMut(Region)) -> Result<()> {
    mesh.polygons()?;
    let mut walk = Walk::new(visit);
    walk.pass(Field::new("polygon_count"), U16_COUNT, 1);
    walk.pass(Field::new("vertex_count"), U16_COUNT, 1);
    walk.pass(Field::new("unused"), BYTE, as_u64(UNUSED));
    debug_assert_eq!(walk.at(), POLYGONS_AT);
    walk.pass(Field::new("polygons"), POLYGON, mesh.header.polygons.into());
    walk.pass_to(Field::new("data_end"), BYTE, walk.at().saturating_add(as_u64(mesh.data_rest().len())));
    Ok(())
}

/// Calls `visit` once for each byte region of the aniv file, such as `frame[3].positions`. The
/// regions are in file order and cover the aniv file without gaps.
pub(super) fn aniv_regions<D: AsRef<[u8]>>(mesh: &Mesh<D>, visit: &mut dyn FnMut(Region)) -> Result<()> {
    mesh.aniv_header()?;
    let mut walk = Walk::new(visit);
    walk.pass(Field::new("frame_count"), U16_COUNT, 1);
    walk.pass(Field::new("frame_size"), U16_COUNT, 1);
    debug_assert_eq!(walk.at(), FRAMES_AT);
    for number in 0..mesh.frame_count() {
        let Ok(frame) = mesh.frame(number) else { break };
        let place = Field::new("").in_list("frame", as_u64(number));
        let positions = frame.positions();
        let left = frame.as_bytes().len().saturating_sub(positions.as_bytes().len());
        walk.pass(place.named("positions"), mesh.header.variant.element(), as_u64(positions.len()));
        match (mesh.header.variant, left) {
            (Variant::Prototype, 8) => walk.pass(place.named("extremes"), mesh.header.variant.element(), 2),
            // If the aniv file ends within the frame, the region `cut` contains the first bytes of
            // an incomplete vertex, or of the bounding box of a prototype frame.
            _ => walk.pass_to(place.named("cut"), BYTE, walk.at().saturating_add(as_u64(left))),
        }
    }
    walk.pass_to(Field::new("aniv_end"), BYTE, walk.at().saturating_add(as_u64(mesh.aniv_rest().len())));
    Ok(())
}
