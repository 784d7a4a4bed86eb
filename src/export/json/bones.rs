//! The bones and clips of assets and of other files, as JSON.

use crate::error::Result;
use crate::export::materials::name_text;
use crate::export::options::ExportScene;
use crate::math::narrow;
use crate::model::animation::{Affine, Animations, Clip, ClipKey, KeyValue};
use crate::model::{Bone, SpaceConversion, Transform};
use crate::text::json_text::JsonText;

/// The conversion of the transforms of bones, which are relative to their parents.
struct BoneSpace {
    conversion: SpaceConversion,
    /// The images of the axes, with unit length. They are perpendicular.
    axes: [[f64; 3]; 3],
}

impl BoneSpace {
    fn new(conversion: SpaceConversion) -> Self {
        let [x, y, z, _] = conversion.map().columns();
        let axes = [x, y, z].map(|axis| {
            let length = axis.iter().map(|part| part * part).sum::<f64>().sqrt();
            axis.map(|part| part / length)
        });
        Self { conversion, axes }
    }

    fn transform(&self, stored: &Transform) -> Transform {
        Transform {
            position: self.conversion.position(stored.position),
            rotation: self.rotation(stored.rotation),
            scale: self.scale(stored.scale),
        }
    }

    fn rotation(&self, [x, y, z, w]: [f32; 4]) -> [f32; 4] {
        // The axis of a rotation keeps its direction if the space is mirrored twice.
        let sign = if self.conversion.is_mirrored() { -1.0 } else { 1.0 };
        let [x, y, z] = self.turned([x, y, z], |part| part * sign);
        [x, y, z, w]
    }

    fn scale(&self, scale: [f32; 3]) -> [f32; 3] {
        // The scales along the turned axes: exact if axes are only exchanged, or all scales are
        // equal.
        self.turned(scale, |part| part * part)
    }

    fn turned(&self, vector: [f32; 3], part: impl Fn(f64) -> f64) -> [f32; 3] {
        let mut sum = [0.0; 3];
        for (axis, along) in self.axes.iter().zip(vector) {
            for (sum, axis) in sum.iter_mut().zip(axis) {
                *sum += part(*axis) * f64::from(along);
            }
        }
        sum.map(narrow)
    }
}

/// Writes the fields `assets` and `animations`.
pub(super) fn write_animations(scene: &ExportScene<'_>, json: &mut JsonText<'_>) -> Result<()> {
    let mut first_space = None;
    json.key("assets").list(|json| {
        for number in scene.placed.assets()? {
            let asset = scene.placed.contents.asset(number)?;
            let Some(level) = scene.placed.levels(&*asset)?.first().copied() else { continue };
            let conversion = scene.placed.conversion(&*asset.level(level)?, scene.placed.adjustment_of(number)?)?;
            first_space.get_or_insert(conversion);
            let animations = asset.animations();
            json.object(|json| {
                json.key("asset").count(number)?;
                // The written positions are in the space in which the bones are bound.
                write_matrix(json.key("bind_shape"), Some(Affine::IDENTITY))?;
                write_skeleton(animations, &BoneSpace::new(conversion), scene.options.clip, "", json)
            })?;
        }
        Ok(())
    })?;
    let space = BoneSpace::new(first_space.unwrap_or_default());
    json.key("animations").objects(scene.placed.input.clips, |json, (name, animations)| {
        json.key("name").string(name)?;
        write_skeleton(*animations, &space, None, name, json)
    })
}

/// Returns whether all bones and their stored matrices can be read.
pub(super) fn has_readable_bones(animations: &dyn Animations) -> bool {
    let is_readable = |bone| animations.bone(bone).is_ok() && animations.inverse_bind(bone).is_ok();
    animations.bone_count().is_ok_and(|count| (0..count).all(is_readable))
}

/// Writes the fields `bones` and `clips`. The list of bones is empty if one cannot be read.
/// `chosen` is the index of the only clip that is written. `name` is the name of clips for which
/// the file stores none.
fn write_skeleton(
    animations: &dyn Animations,
    space: &BoneSpace,
    chosen: Option<usize>,
    name: &str,
    json: &mut JsonText<'_>,
) -> Result<()> {
    let count = if has_readable_bones(animations) { animations.bone_count()? } else { 0 };
    json.key("bones").objects(0..count, |json, number| {
        let stored = animations.inverse_bind(number)?;
        let inverse_bind = stored.and_then(|matrix| space.conversion.transform(&matrix));
        write_bone(&animations.bone(number)?, inverse_bind, space, json)
    })?;
    json.key("clips").list(|json| {
        for number in 0..animations.clip_count()? {
            if chosen.is_none_or(|chosen| chosen == number) {
                json.object(|json| write_clip(animations, number, space, name, json))?;
            }
        }
        Ok(())
    })
}

fn write_bone(bone: &Bone<'_>, inverse_bind: Option<Affine>, space: &BoneSpace, json: &mut JsonText<'_>) -> Result<()> {
    let Transform { position, rotation, scale } = space.transform(&bone.bind);
    json.key("name").string(&name_text(bone.name))?;
    json.key("parent").signed(bone.parent.into())?;
    json.key("position").floats(&position)?;
    json.key("rotation").floats(&rotation)?;
    json.key("scale").floats(&scale)?;
    write_matrix(json.key("inverse_bind"), inverse_bind)
}

fn write_clip(
    animations: &dyn Animations,
    number: usize,
    space: &BoneSpace,
    name: &str,
    json: &mut JsonText<'_>,
) -> Result<()> {
    let Clip { name: stored, frames, rate, first_vertex_frame, .. } = animations.clip(number)?;
    let stored = name_text(stored);
    json.key("name").string(if stored.is_empty() { name } else { &stored })?;
    json.key("frames").unsigned(frames)?;
    json.key("rate").optional(rate, JsonText::float)?;
    json.key("first_vertex_frame").optional(first_vertex_frame, JsonText::unsigned)?;
    let events = (0..).map_while(|index| animations.event(number, index).transpose());
    json.key("events").objects(events, |json, event| {
        let event = event?;
        json.key("time").float(event.time)?;
        json.key("function").string(&name_text(event.function))
    })?;
    json.key("keys").list(|json| {
        // The keys of vertex frames are consecutive, so `first_vertex_frame` says the same.
        if first_vertex_frame.is_some() {
            return Ok(());
        }
        animations.keys(number, None)?.try_for_each(|key| write_key(&key?, space, json))
    })
}

fn write_key(key: &ClipKey, space: &BoneSpace, json: &mut JsonText<'_>) -> Result<()> {
    json.object(|json| {
        json.key("frame").unsigned(key.frame)?;
        json.key("bone").optional(key.bone, JsonText::count)?;
        match key.value {
            KeyValue::Position(position) => json.key("position").floats(&space.conversion.position(position)),
            KeyValue::Rotation(rotation) => json.key("rotation").floats(&space.rotation(rotation)),
            KeyValue::Scale(scale) => json.key("scale").floats(&space.scale(scale)),
            KeyValue::VertexFrame(frame) => json.key("vertex_frame").unsigned(frame),
        }
    })
}

/// Writes a matrix as 16 numbers, column after column, or `null`.
pub(super) fn write_matrix(json: &mut JsonText<'_>, matrix: Option<Affine>) -> Result<()> {
    let Some(matrix) = matrix else { return json.null() };
    let [x, y, z, origin] = matrix.columns();
    json.list(|json| {
        [(x, 0.0), (y, 0.0), (z, 0.0), (origin, 1.0)]
            .into_iter()
            .try_for_each(|(column, last)| column.into_iter().chain([last]).try_for_each(|part| json.double(part)))
    })
}
