//! Checks the validation rules about animations.

use super::report::report_surplus;
use super::rules;
use super::skeletons::{UNIT, is_unit};
use crate::error::{Field, Result, counted};
use crate::formats::ezmesh::view::View;
use crate::validate::{Report, Tally, is_finite};

/// Checks the names of the tracks, and the declared numbers of animation frames.
pub(super) fn check(view: View<'_>, report: &mut Report<'_>) -> Result<()> {
    for (index, animation) in (0_u64..).zip(view.animations()) {
        let place = Field::new("").in_list("animation", index);
        let timing = report.read(animation.timing())?.unwrap_or_default();
        for track in animation.tracks() {
            let (field, start) = track.place();
            let Some(frames) = report.read(track.frame_count())? else { continue };
            if let Some(said) = timing.frames.filter(|said| *said != frames) {
                let text = format_args!("expected {}, as declared by {place}, found {frames}", counted(said, "frame"));
                report.add(rules::TRACK_FRAME_COUNT, field.named("frames"), start, text);
            }
            let name = track.name()?;
            if view.bone_count() > 0 && view.find_bone(name).is_none() {
                let text = format_args!("expected the name of a bone, found \"{name}\"");
                report.add(rules::UNKNOWN_TRACK_BONE, field.named("name"), start, text);
            }
        }
    }
    Ok(())
}

/// Checks the values in the key frames of all tracks.
pub(super) fn check_values(view: View<'_>, report: &mut Report<'_>) -> Result<()> {
    for track in view.tracks() {
        let (field, _) = track.place();
        let Some(keys) = report.read(track.keys())? else { continue };
        let start = track.offset()?;
        let field = field.named("keys");
        if let Some(said) = track.has_scale()?
            && said != keys.has_scale()
            && !keys.is_empty()
        {
            let [with, found] = [said, keys.has_scale()].map(|scale| if scale { 10 } else { 7 });
            let text = format_args!("expected {with} numbers per key, as declared by has_scale, found {found}");
            report.add(rules::KEY_SCALE, field, start, text);
        }
        if keys.has_more() {
            report_surplus(report, field, start, keys.len());
        }
        let (mut wild, mut long) = (Tally::default(), Tally::default());
        for (frame, key) in (0..).zip(keys.iter()) {
            wild.add(frame, !is_finite(&key));
            long.add(frame, !is_unit(key.rotation));
        }
        let cases =
            [(rules::NOT_FINITE, wild, "with numbers that are not finite"), (rules::ROTATION_LENGTH, long, UNIT)];
        for (rule, tally, what) in cases {
            let Tally { count, first } = tally;
            let text = format_args!("{count} of {} {what}, first {first}", counted(keys.len(), "key"));
            report.add_any(tally, rule, field, start, text);
        }
    }
    Ok(())
}
