//! Finds pairs whose vertices an exporter has scrambled: written in another order than that to
//! which the polygons refer.
//!
//! In a sound mesh, an edge is much shorter than the distance of two random vertices. If the
//! vertices are scrambled, the ends of an edge are random vertices, too.

use std::ops::RangeInclusive;

use zerocopy::little_endian::U16;

use super::rules;
use crate::array::Array;
use crate::error::Field;
use crate::formats::unreal::header::FRAMES_AT;
use crate::formats::unreal::layout::{PolygonType, RawPolygon, Variant};
use crate::math::{as_u64, dot, subtract};
use crate::model::Positions;
use crate::validate::Report;

/// The least number of drawn polygons of a mesh that is tested. In a small mesh, such as a box, the
/// edges are as long as the mesh.
const LEAST_POLYGONS: usize = 64;

/// The mean length of the edges of a scrambled mesh, as a part of the mean distance of random
/// vertices.
///
/// Of 216 real meshes with 64 polygons or more, the greatest part is 0.70, and real meshes with
/// scrambled vertices have 0.83 to 1.11. Edges that are longer than random ones are spikes, such as
/// those of an explosion.
const SCRAMBLED: RangeInclusive<f64> = 0.77..=1.25;

/// The least mean length of the shortest edges of the polygons of a scrambled mesh, as a part of
/// the mean distance of random vertices. All edges of a scrambled polygon are random, but those of
/// a tube or a fan of long polygons have a short side: at most 0.13. Scrambled copies of 213 real
/// meshes have 0.20 or more.
const LEAST_SHORT: f64 = 0.15;

/// The least number of random distances. Their mean is accurate to 2 percent.
const LEAST_SAMPLES: u64 = 1024;

/// Adds a finding to the report if the vertices of frame 0 have another order than that to which
/// the polygons refer. The random vertices are the same in each call.
pub(super) fn check_order(
    polygons: &[RawPolygon],
    positions: &Positions<'_>,
    variant: Variant,
    report: &mut Report<'_>,
) {
    let scale = variant.author_scale();
    let is_drawn = |polygon: &&RawPolygon| !PolygonType(polygon.kind).has(PolygonType::WEAPON);
    let place = |vertex: U16| positions.get(usize::from(vertex.get())).map(|position| scaled(position, scale));
    let (mut edges, mut shortest) = (Mean::default(), Mean::default());
    for polygon in polygons.iter().filter(is_drawn) {
        let [Some(first), Some(second), Some(third)] = polygon.vertices.map(place) else { continue };
        let lengths = [(first, second), (second, third), (third, first)].map(distance);
        for length in lengths {
            edges.add(length);
        }
        shortest.add(lengths.into_iter().fold(f64::INFINITY, f64::min));
    }
    if edges.count / 3 < LEAST_POLYGONS {
        return;
    }
    let mut distances = Mean::default();
    let corners = as_u64(polygons.len()).saturating_mul(3);
    let random = |number: u64| {
        let corner = mixed(number).checked_rem(corners)?;
        let polygon = polygons.get(usize::try_from(corner / 3).ok()?).filter(is_drawn)?;
        place(*polygon.vertices.get(usize::try_from(corner % 3).ok()?)?)
    };
    for number in (0..corners.max(LEAST_SAMPLES)).map(|number| number.saturating_mul(2)) {
        if let Some(pair) = random(number).zip(random(number.saturating_add(1))) {
            distances.add(distance(pair));
        }
    }
    let part_of = |lengths: Mean| Some(lengths.get()? / distances.get()?);
    let is_short = part_of(shortest).is_none_or(|part| part < LEAST_SHORT);
    if let Some(part) = part_of(edges).filter(|part| SCRAMBLED.contains(part) && !is_short) {
        let text = format_args!(
            "the mean edge is {part:.2} times as long as the mean distance of random vertices; in a sound mesh, it is at \
             most 0.7 times as long"
        );
        report.turn_to(1);
        report.add(rules::SCRAMBLED_VERTICES, Field::new("positions").in_list("frame", 0), FRAMES_AT, text);
    }
}

/// The mean of distances.
#[derive(Clone, Copy, Debug, Default)]
struct Mean {
    sum: f64,
    count: usize,
}

impl Mean {
    fn add(&mut self, length: f64) {
        self.sum += length;
        self.count = self.count.saturating_add(1);
    }

    /// Returns the mean, or `None` without distances or if all are 0.
    fn get(self) -> Option<f64> {
        (self.sum > 0.0).then(|| self.sum / f64::from(u32::try_from(self.count).unwrap_or(u32::MAX)))
    }
}

fn distance((one, other): ([f64; 3], [f64; 3])) -> f64 {
    let difference = subtract(one, other);
    dot(difference, difference).sqrt()
}

/// Multiplies the coordinates of a position by factors.
fn scaled([x, y, z]: [f32; 3], scale: [f32; 3]) -> [f64; 3] {
    let [x_scale, y_scale, z_scale] = scale;
    [x * x_scale, y * y_scale, z * z_scale].map(f64::from)
}

/// Returns bits that all depend on all bits of a number.
fn mixed(number: u64) -> u64 {
    let bits = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ bits >> 31
}
