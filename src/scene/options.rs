//! The options that choose a part of a mesh file, its levels of detail, its shape and its
//! conventions, and turn or scale it.

use super::{ColorUse, PlacedScene};
use crate::error::{Error, ErrorKind, Result};
use crate::math::cross;
use crate::model::animation::Affine;
use crate::model::draw_list::known_space;
use crate::model::{Asset, Axis, Geometry, Handedness, Space};

/// The levels of detail that are exported or drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LevelChoice {
    /// The most detailed level of each asset of which the file has the bytes.
    Best,
    /// One level. Level 0 is the most detailed. If an asset has no such level, the export fails.
    One(usize),
    /// All levels, each in a scene of its own. Only glTF has several scenes.
    Scenes,
    /// All levels, as nodes that the extension `MSFT_lod` of glTF connects.
    Nodes,
}

/// The coordinate conventions of the output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OutputSpace {
    /// The conventions of the output format, such as [`Space::GLTF`](crate::model::Space::GLTF) for
    /// glTF. A mesh whose format defines no axes is assumed to be right-handed with y up.
    #[default]
    Target,
    /// The conventions of the mesh file: numbers are not changed.
    Stored,
}

/// The part of a mesh file that is exported or drawn, its shape and its conventions.
#[derive(Clone, Debug)]
pub(crate) struct SceneOptions {
    /// The index of the only asset, or `None` for all assets.
    pub(crate) asset: Option<usize>,
    /// The indices of the surfaces, or `None` for all visible surfaces.
    pub(crate) surfaces: Option<Vec<usize>>,
    /// The levels of detail.
    pub(crate) levels: LevelChoice,
    /// With [`LevelChoice::Best`], the number of triangles of an asset that is enough: the least
    /// detailed level with as many triangles is chosen.
    pub(crate) enough_triangles: Option<u64>,
    /// The index of the clip, or `None` for the first.
    pub(crate) clip: Option<usize>,
    /// The frame of the clip or the vertex frame, or `None` for the base shape.
    pub(crate) frame: Option<f32>,
    /// How vertex colours are used.
    pub(crate) colors: ColorUse,
    /// The conventions of the output.
    pub(crate) space: OutputSpace,
    /// How the placed mesh is turned and scaled.
    pub(crate) adjustment: Adjustment,
    /// The greatest size of the output in bytes.
    pub(crate) max_bytes: u64,
    /// Whether surfaces are left out if there are more than a picture can show in a short time.
    pub(crate) is_limited: bool,
}

/// A turn and a scale of the placed mesh.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Adjustment {
    /// The axis of the mesh that points up, instead of that of its conventions.
    pub(crate) up: Option<Axis>,
    /// The axis of the mesh that points to its front, instead of that of its conventions.
    pub(crate) front: Option<Axis>,
    /// The map that follows.
    pub(crate) then: Affine,
}

impl Adjustment {
    /// Returns whether the mesh stays as it is.
    pub(crate) fn is_identity(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the map of the placed positions of a mesh: its axes `up` and `front` are turned to
    /// those of its conventions, and `then` follows.
    ///
    /// Without `front`, the x axis keeps its direction, or the y axis if x is up. Returns an error
    /// if the two axes are parallel.
    pub(crate) fn map(&self, geometry: &dyn Geometry) -> Result<Affine> {
        let own = Space { placement: Affine::IDENTITY, ..known_space(geometry) };
        let Some(up) = own.up else { return Ok(self.then) };
        let from = Space { up: Some(self.up.unwrap_or(up)), ..own };
        let turn = match self.front {
            Some(front) => {
                let to = Space { forward: Some(own.forward.unwrap_or_else(|| front_of(up, own.handedness))), ..own };
                Space { forward: Some(front), ..from }.conversion_to(&to)?
            }
            None => Space { forward: None, ..from }.conversion_to(&Space { forward: None, ..own })?,
        };
        Ok(turn.map().then(&self.then))
    }
}

/// Returns the axis that a picture shows from the front if a format defines none.
fn front_of(up: Axis, handedness: Option<Handedness>) -> Axis {
    let right = if matches!(up, Axis::X | Axis::NegativeX) { Axis::Y } else { Axis::X };
    let (right, up) = (right.direction(), up.direction());
    let front = if handedness == Some(Handedness::Left) { cross(up, right) } else { cross(right, up) };
    let all = [Axis::X, Axis::Y, Axis::Z, Axis::NegativeX, Axis::NegativeY, Axis::NegativeZ];
    let is_front = |axis: &Axis| axis.direction().iter().zip(front).all(|(one, other)| (one - other).abs() < 0.5);
    all.into_iter().find(is_front).unwrap_or(Axis::Z)
}

/// The greatest number of damaged levels of detail that are reported.
const MAX_DAMAGED: usize = 8;

impl PlacedScene<'_> {
    /// Returns the chosen levels of detail of an asset. A level of which the file does not have the
    /// bytes yet is left out, unless it is chosen by its index. So is a damaged level, unless all
    /// levels are damaged.
    pub(crate) fn levels(&self, asset: &dyn Asset) -> Result<Vec<usize>> {
        let count = match self.options.levels {
            LevelChoice::One(level) => return Ok(vec![level]),
            LevelChoice::Best | LevelChoice::Scenes | LevelChoice::Nodes => asset.level_count()?,
        };
        let is_there = |level: &usize| !asset.level(*level).is_err_and(|error| error.kind() == ErrorKind::Missing);
        if count <= 1 {
            return Ok((0..count)
                .filter(|level| self.options.levels == LevelChoice::Best || is_there(level))
                .collect());
        }
        let is_whole = |level: &usize| match asset.check_level(*level) {
            Ok(()) => true,
            Err(error) => {
                self.add_damaged(asset, *level, &error);
                false
            }
        };
        if self.options.levels != LevelChoice::Best {
            let whole: Vec<usize> = (0..count).filter(is_whole).collect();
            return Ok(if whole.is_empty() { (0..count).filter(is_there).collect() } else { whole });
        }
        let is_enough = |level: &usize| {
            let enough = self.options.enough_triangles.unwrap_or(u64::MAX);
            triangle_count(asset, *level).is_ok_and(|count| count >= enough)
        };
        let lowest = self.options.enough_triangles.and_then(|_| (0..count).rev().filter(is_whole).find(is_enough));
        // A level is inflated to find out whether it is there, so the others are not asked.
        let best = lowest.or_else(|| (0..count).find(is_whole)).or_else(|| (0..count).find(is_there));
        Ok(vec![best.unwrap_or_default()])
    }

    /// Returns the levels of detail that are left out of a picture, and the skins that place no
    /// mesh, because they are damaged.
    pub(crate) fn damaged_parts(&self) -> Vec<String> {
        let mut parts = self.damaged.take();
        let mut assets: Vec<usize> = self.places.iter().take(MAX_DAMAGED).map(|place| place.asset).collect();
        assets.dedup();
        for asset in assets {
            let bones = self.contents.asset(asset).and_then(|asset| asset.animations().bone_count());
            parts.extend(bones.err().map(|error| format!("the skin, which is damaged: {error}")));
        }
        parts
    }

    /// Notes that a level of detail is left out because it is damaged, or not in the file yet.
    fn add_damaged(&self, asset: &dyn Asset, level: usize, error: &Error) {
        let name =
            asset.level_name(level).ok().flatten().map_or_else(|| format!("level {level}"), |name| name.to_string());
        let text = format!("{name}, which is {}: {error}", damage(error));
        let mut damaged = self.damaged.borrow_mut();
        if damaged.len() < MAX_DAMAGED && !damaged.contains(&text) {
            damaged.push(text);
        }
    }
}

/// Returns what is wrong with a level of detail that has an error.
pub(crate) fn damage(error: &Error) -> &'static str {
    let is_absent = error.kind() == ErrorKind::Missing && error.inflated_offset().is_none();
    if is_absent { "not in the file" } else { "damaged" }
}

/// Returns the number of triangles of the visible surfaces of a level of detail.
fn triangle_count(asset: &dyn Asset, level: usize) -> Result<u64> {
    let geometry = asset.level(level)?;
    let mut count = 0_u64;
    for surface in geometry.surfaces()? {
        if surface.is_drawn()? {
            count = count.saturating_add(u64::from(surface.counts()?.corners / 3));
        }
    }
    Ok(count)
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "the values are exact")]
mod tests {
    use super::*;
    use crate::model::Space;

    fn mesh(name: &str) -> crate::Model<Vec<u8>> {
        let bytes = std::fs::read(format!("{}/data/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap();
        crate::Model::open(bytes).unwrap()
    }

    #[test]
    fn the_stated_axes_become_those_of_the_mesh() {
        let flag = mesh("ezmesh/flag.ezm");
        let map = |up, front| Adjustment { up, front, then: Affine::IDENTITY }.map(flag.geometry()).unwrap();
        assert_eq!(map(None, None), Affine::IDENTITY);
        assert_eq!(map(Some(Axis::Y), Some(Axis::Z)), Affine::IDENTITY);
        assert_eq!(map(Some(Axis::Z), None).apply([1.0, 2.0, 3.0]), [1.0, 3.0, -2.0]);
        assert_eq!(map(Some(Axis::NegativeY), None).apply([1.0, 2.0, 3.0]), [1.0, -2.0, -3.0]);
        // Up and front of each pair of axes become y and z, without a mirror.
        let all = [Axis::X, Axis::Y, Axis::Z, Axis::NegativeX, Axis::NegativeY, Axis::NegativeZ];
        for (up, front) in all.into_iter().flat_map(|up| all.map(|front| (up, front))) {
            let adjusted = Adjustment { up: Some(up), front: Some(front), then: Affine::IDENTITY }.map(flag.geometry());
            let [up, front] = [up, front].map(Axis::direction);
            let Ok(map) = adjusted else {
                assert!(crate::math::dot(up, front).abs() > 0.5);
                continue;
            };
            assert_eq!((map.apply(up), map.apply(front)), ([0.0, 1.0, 0.0], [0.0, 0.0, 1.0]));
            assert_eq!(map.apply(cross(up, front)), [1.0, 0.0, 0.0]);
        }
    }

    #[test]
    fn the_axes_of_the_format_are_the_goal() {
        // UNIGINE has z up and -y forward.
        let cube = mesh("unigine/cube_ms13.mesh");
        let map = Adjustment { up: Some(Axis::Y), front: Some(Axis::X), then: Affine::IDENTITY }
            .map(cube.geometry())
            .unwrap();
        assert_eq!((map.apply([0.0, 1.0, 0.0]), map.apply([1.0, 0.0, 0.0])), ([0.0, 0.0, 1.0], [0.0, -1.0, 0.0]));
        let double = Affine::new([[2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 2.0], [0.0; 3]]);
        let map = Adjustment { then: double, ..Adjustment::default() }.map(cube.geometry()).unwrap();
        assert_eq!(map.apply([1.0, 2.0, 3.0]), [2.0, 4.0, 6.0]);
        assert_eq!(front_of(Axis::Y, Space::GLTF.handedness), Axis::Z);
    }
}
