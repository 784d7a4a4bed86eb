//! Computes the bounding box of a mesh where an export or a picture places it.

use crate::Bounds;
use crate::export::{LevelChoice, SceneInput};
use crate::model::animation::Affine;
use crate::model::corners::corner_positions;
use crate::model::{Contents, Geometry, Space};
use crate::scene::{Adjustment, ColorUse, OutputSpace, PlacedScene, SceneOptions, is_bound};

/// The bounding box of the drawn surfaces in the world.
#[derive(Clone, Copy, Debug)]
pub struct PlacedBounds {
    pub bounds: Bounds,
    /// The length of one unit in metres, or `None` if the format does not define it.
    pub metres_per_unit: Option<f32>,
}

impl PlacedBounds {
    /// Computes the box of all drawn positions after the scale, rotation and origin of a script, on
    /// the joints that place a rigged mesh, and at the instances of the file. Returns `None` if
    /// these do not move the stored positions.
    pub fn of(contents: &dyn Contents, geometry: &dyn Geometry, levels: LevelChoice) -> crate::Result<Option<Self>> {
        if !is_moved(contents)? {
            return Ok(None);
        }
        let options = SceneOptions {
            asset: None,
            surfaces: None,
            levels,
            enough_triangles: None,
            clip: None,
            frame: None,
            colors: ColorUse::Nothing,
            space: OutputSpace::Stored,
            adjustment: Adjustment::default(),
            max_bytes: u64::MAX,
            is_limited: true,
        };
        let mut bounds = Bounds::EMPTY;
        PlacedScene::new(&SceneInput::of_contents(contents), options, Space::UNKNOWN)?.each_surface(&mut |placed| {
            let map = placed.conversion.map();
            if *map == Affine::IDENTITY {
                bounds = bounds.union(&placed.surface.bounds()?);
                return Ok(());
            }
            let (positions, corners) = (placed.surface.positions()?, placed.surface.indices()?);
            let used = corner_positions(&positions, &corners);
            bounds = used.map(|position| point(map.apply(position))).fold(bounds, |sum, one| sum.union(&one));
            Ok(())
        })?;
        Ok(Some(Self { bounds, metres_per_unit: geometry.space().metres_per_unit }))
    }

    /// Returns the box of a mesh that nothing moves.
    pub const fn unchanged(bounds: Bounds, space: &Space) -> Self {
        Self { bounds, metres_per_unit: space.metres_per_unit }
    }
}

/// Returns whether an instance or the joints of an asset may move the stored positions.
fn is_moved(contents: &dyn Contents) -> crate::Result<bool> {
    let count = contents.instance_count()?;
    for index in 0..count {
        if contents.instance(index)?.transform != Affine::IDENTITY {
            return Ok(true);
        }
    }
    // One of several assets may be rigged.
    Ok(contents.asset_count()? > 1 || count > 0 && is_bound(contents.asset(0)?.animations()))
}

/// Returns the box of one point, or an empty box if a coordinate is not a number.
fn point(position: [f32; 3]) -> Bounds {
    if position.iter().any(|part| part.is_nan()) { Bounds::EMPTY } else { Bounds { min: position, max: position } }
}
