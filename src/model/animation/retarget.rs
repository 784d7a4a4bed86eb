//! Retargeting: playing the clips of one file on the bones of another.

// Rule: this file sorts and maps by copies only.

use crate::error::debug::{items, short_debug};
use crate::error::{Cause, Error, Field, Result};
use crate::math::as_index;
use crate::model::animation::animations::Animations;
use crate::model::animation::clip::FrameBlend;
use crate::model::animation::pose::mix;
use crate::model::bone::Transform;
use crate::parse::{NameCopy, SortedNames, expect_length, filled, room};

/// Maximum number of bone names that an error message lists.
const LISTED: usize = 5;

/// Plays the clips of one file (`from`) on the bones of another file (`onto`).
///
/// Each bone of `onto` is matched with the bone of `from` that has the same name. A matched bone of
/// `onto` gets its transform, relative to its parent, from the clip. If several bones of a file
/// have the same name, the first of these bones is used.
///
/// A clip that moves a bone that `onto` does not have is an error, unless the `Retarget` is
/// [`lenient`](Self::lenient). Then the clip is played on the bones that match, and
/// [`left_out`](Self::left_out) names the bones that are left out.
///
/// A `Retarget` borrows neither the file `from` nor the file `onto`. Playing a clip allocates
/// memory only once, for the first moment between two frames.
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// use meshpeek::model::animation::Retarget;
/// let [body, dance] = ["skinned_ms12", "skinned_ms10"].map(|name| format!("data/unigine/{name}.mesh"));
/// let (body, dance) = (meshpeek::open(body)?, meshpeek::open(dance)?);
/// let retarget = Retarget::new(body.animations(), dance.animations())?;
/// for name in retarget.missing() {
///     println!("{name} is not in the body");
/// }
/// let mut retarget = retarget.lenient();
/// for name in retarget.left_out(dance.animations(), 0)? {
///     println!("{name} would move, but is left out");
/// }
/// let mut pose = meshpeek::Pose::rest(body.animations())?;
/// retarget.pose(dance.animations(), 0, 0, pose.bones_mut())?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Retarget {
    /// The rest transforms of the bones of `onto`.
    rest: Vec<Transform>,
    /// For each bone of `onto`, the index of the bone of `from` with the same name.
    sources: Vec<Option<usize>>,
    /// The indices of the bones of `from` that have no bone with the same name in `onto`. The field
    /// `missing` contains the names of these unmatched bones of `from`.
    lost: Vec<usize>,
    missing: Vec<String>,
    /// The transforms of the bones of `from` in the animation frame that is being played. For each
    /// bone of `from`, the field `moved` contains whether the clip moves the bone.
    frame: Vec<Transform>,
    /// The transforms of the bones of `from` in the next animation frame, for a moment between two
    /// frames.
    next: Vec<Transform>,
    moved: Vec<bool>,
    /// Whether a clip may move bones that `onto` does not have.
    is_lenient: bool,
}

short_debug!(Retarget: |retarget| {
    bones: items(&retarget.rest), lost: items(&retarget.lost), missing: items(&retarget.missing),
});

impl Retarget {
    /// Matches the bones of `onto` with the bones of `from` by name. To match the bones, the
    /// function sorts the bone names of both files.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Animations::bone`], and [`ErrorKind::OutOfMemory`] if an allocation
    /// fails.
    ///
    /// [`ErrorKind::OutOfMemory`]: crate::ErrorKind::OutOfMemory
    pub fn new(onto: &dyn Animations, from: &dyn Animations) -> Result<Self> {
        let (targets, names) = (by_name(onto)?, by_name(from)?);
        let (format, bones) = (onto.format(), onto.bone_count()?);
        let mut rest = room(format, "bones", bones)?;
        for bone in 0..bones {
            rest.push(onto.bone(bone)?.bind);
        }
        let mut sources = filled(format, "bones", bones, None)?;
        let mut lost = Vec::new();
        for (name, same) in names.groups() {
            let Some(source) = same.first().map(NameCopy::number) else { continue };
            match targets.find(name.as_bytes()).and_then(|target| sources.get_mut(target)) {
                Some(target) => *target = Some(source),
                None => lost.push((source, name)),
            }
        }
        lost.sort_unstable_by_key(|(source, _)| *source);
        let (lost, missing) = lost.into_iter().map(|(bone, name)| (bone, name.to_string())).unzip();
        let count = from.bone_count()?;
        let frame = filled(format, "pose", count, Transform::default())?;
        let moved = filled(format, "pose", count, false)?;
        Ok(Self { rest, sources, lost, missing, frame, next: Vec::new(), moved, is_lenient: false })
    }

    /// Makes this `Retarget` play a clip that moves bones that `onto` does not have. The clip is
    /// played on the bones that match.
    #[must_use]
    pub fn lenient(self) -> Self {
        Self { is_lenient: true, ..self }
    }

    /// Returns the names of the bones that a clip of `from` moves and `onto` does not have. A
    /// lenient `Retarget` leaves these bones out. For a strict one, `pose` returns an error if the
    /// list is not empty.
    ///
    /// The names are in the order of the bones in `from`, and escaped for printing.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Animations::animated_bones`], and [`ErrorKind::Buffer`] if the
    /// number of bones of `from` has changed. Returns [`ErrorKind::OutOfMemory`] if an allocation
    /// fails.
    ///
    /// [`ErrorKind::Buffer`]: crate::ErrorKind::Buffer
    /// [`ErrorKind::OutOfMemory`]: crate::ErrorKind::OutOfMemory
    pub fn left_out(&self, from: &dyn Animations, clip: usize) -> Result<Vec<&str>> {
        expect_length(from.format(), "from", from.bone_count()?, self.frame.len())?;
        let mut moved = filled(from.format(), "bones", self.frame.len(), false)?;
        from.animated_bones(clip, &mut moved)?;
        let mut names = room(from.format(), "bones", self.lost.len())?;
        names.extend(self.lost_of(&moved));
        Ok(names)
    }

    /// Returns the names of the bones that `from` has and `onto` does not have.
    ///
    /// The names are in the order of the bones in `from`, and escaped for printing.
    #[must_use]
    pub fn missing(&self) -> &[String] {
        &self.missing
    }

    /// Returns the number of bones of `onto` that have a bone with the same name in `from`.
    #[doc(hidden)]
    #[must_use]
    pub fn matched(&self) -> usize {
        self.sources.iter().flatten().count()
    }

    /// Writes the transform of each bone of `onto` in an animation frame of a clip of `from`. Each
    /// transform is relative to the parent of the bone.
    ///
    /// A bone that the clip does not move, or that `from` does not have, gets its rest transform
    /// from `onto`.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Pose::set_frame`](crate::Pose::set_frame). Returns
    /// [`ErrorKind::Missing`] if the clip moves a bone that `onto` does not have, unless this
    /// `Retarget` is [`lenient`](Self::lenient). Returns [`ErrorKind::Buffer`] if the length of
    /// `out` is not the number of bones of `onto`.
    ///
    /// [`ErrorKind::Missing`]: crate::ErrorKind::Missing
    /// [`ErrorKind::Buffer`]: crate::ErrorKind::Buffer
    pub fn pose(&mut self, from: &dyn Animations, clip: usize, frame: usize, out: &mut [Transform]) -> Result<()> {
        let frame = u32::try_from(frame).unwrap_or(u32::MAX);
        self.pose_between(from, clip, &FrameBlend { from: frame, to: frame, fraction: 0.0 }, out)
    }

    /// Writes the transform of each bone of `onto` at a moment of a clip of `from`.
    ///
    /// If the moment is exactly an animation frame, the result is the same as for
    /// [`pose`](Self::pose). Between two frames, the transforms of the bones that the clip moves
    /// are interpolated.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`pose`](Self::pose).
    pub fn pose_between(
        &mut self,
        from: &dyn Animations,
        clip: usize,
        moment: &FrameBlend,
        out: &mut [Transform],
    ) -> Result<()> {
        expect_length(from.format(), "out", self.rest.len(), out.len())?;
        expect_length(from.format(), "from", from.bone_count()?, self.frame.len())?;
        from.animated_bones(clip, &mut self.moved)?;
        if !self.is_lenient {
            self.expect_all(from.format())?;
        }
        from.pose(clip, as_index(moment.from), &mut self.frame)?;
        if moment.from != moment.to && moment.fraction > 0.0 {
            self.next.resize(self.frame.len(), Transform::default());
            from.pose(clip, as_index(moment.to), &mut self.next)?;
            mix(&mut self.frame, &self.next, moment.fraction);
        }
        for ((out, rest), source) in out.iter_mut().zip(&self.rest).zip(&self.sources) {
            *out = source.and_then(|source| self.source(source)).unwrap_or(*rest);
        }
        Ok(())
    }

    /// Returns the transform of bone `bone` of `from` in the current animation frame, or `None` if
    /// the clip does not move this bone.
    fn source(&self, bone: usize) -> Option<Transform> {
        self.moved.get(bone).filter(|moved| **moved)?;
        self.frame.get(bone).copied()
    }

    /// Returns the names of the bones that are true in `moved`, and that `onto` does not have.
    fn lost_of<'s>(&'s self, moved: &[bool]) -> impl Iterator<Item = &'s str> {
        let is_moved = |bone: &usize| moved.get(*bone).copied().unwrap_or_default();
        self.lost.iter().zip(&self.missing).filter(move |(bone, _)| is_moved(bone)).map(|(_, name)| name.as_str())
    }

    /// Returns an error if the clip moves a bone of `from` that `onto` does not have.
    fn expect_all(&self, format: &'static str) -> Result<()> {
        let mut names = self.lost_of(&self.moved);
        let listed: Vec<String> = names.by_ref().take(LISTED).map(|name| format!("`{name}`")).collect();
        if listed.is_empty() {
            return Ok(());
        }
        let more = match names.count() {
            0 => String::new(),
            count => format!(" and {count} more"),
        };
        let expected = format!("bones that the animation moves: {}{more}", listed.join(", "));
        Err(Error::without_offset(format, Field::new("bones"), Cause::Missing { expected: expected.into() }))
    }
}

/// Returns the bone of `onto` with the name of each bone of `from`. If several bones of `onto` have
/// one name, it is the first of them.
pub(crate) fn bones_by_name(onto: &dyn Animations, from: &dyn Animations) -> Result<Vec<Option<usize>>> {
    let (names, count) = (by_name(onto)?, from.bone_count()?);
    let mut bones = room(from.format(), "bones", count)?;
    for bone in 0..count {
        bones.push(names.find(from.bone(bone)?.name.as_bytes()));
    }
    Ok(bones)
}

/// Returns the name and the index of each bone of a file, sorted by name.
fn by_name(motion: &dyn Animations) -> Result<SortedNames> {
    let mut names = SortedNames::default();
    for bone in 0..motion.bone_count()? {
        let pushed = names.push(motion.bone(bone)?.name.as_bytes(), bone);
        pushed.map_err(|kind| Error::without_offset(motion.format(), Field::new("bones"), kind))?;
    }
    names.sort_copies();
    Ok(names)
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "small whole numbers are exact")]
mod tests {
    use super::*;
    use crate::model::animation::rig::{Rig, at};

    /// Makes a test rig of bones without parents, whose rest positions are x = 1, 2, 3 and so on.
    fn rig(names: &[&str]) -> Rig {
        let places = std::iter::successors(Some(1.0), |place| Some(place + 1.0));
        Rig::new(&names.iter().zip(places).map(|(name, place)| (*name, -1, at(place))).collect::<Vec<_>>())
    }

    /// Makes a test rig with a clip of one frame, which moves the bones to x = 10, 20, 30 and so
    /// on.
    fn moving(names: &[&str], moved: &[bool]) -> Rig {
        let places = std::iter::successors(Some(10.0), |place| Some(place + 10.0));
        rig(names).with_clip(None, moved, vec![places.take(names.len()).map(at).collect()])
    }

    fn play(onto: &Rig, from: &Rig) -> Result<Vec<f32>> {
        let mut out = vec![Transform::default(); onto.bone_count()?];
        Retarget::new(onto, from)?.pose(from, 0, 0, &mut out)?;
        Ok(out.iter().map(|bone| bone.position[0]).collect())
    }

    #[test]
    fn goes_by_names() {
        let (onto, from) = (rig(&["root", "arm", "tail"]), moving(&["arm", "root"], &[true; 2]));
        let retarget = Retarget::new(&onto, &from).unwrap();
        assert_eq!((retarget.matched(), retarget.missing().len()), (2, 0));
        assert_eq!(play(&onto, &from).unwrap(), [20.0, 10.0, 3.0], "a bone that the clip's file lacks rests");
        let still = moving(&["arm", "root"], &[false, true]);
        assert_eq!(play(&onto, &still).unwrap(), [20.0, 2.0, 3.0], "an unmoved bone rests at its own bind");
    }

    #[test]
    fn names_the_bones_that_are_missing() {
        let names = ["wing", "root", "e\x1b", "d", "c", "b", "a"];
        let onto = rig(&["root"]);
        let told = |moved: &[bool; 7]| play(&onto, &moving(&names, moved));
        let still = [false, true, false, false, false, false, false];
        assert_eq!(told(&still).unwrap(), [20.0], "an unmoved missing bone is ignored");
        let error = told(&[true; 7]).unwrap_err();
        assert_eq!(error.kind().id(), "missing");
        let listed = r"`wing`, `e\u{1b}`, `d`, `c`, `b` and 1 more";
        assert!(error.to_string().contains(listed), "{error}");
        let error = told(&[true, true, false, false, false, false, false]).unwrap_err().to_string();
        assert!(error.contains("moves: `wing`,") && !error.contains("more"), "{error}");
        let retarget = Retarget::new(&onto, &moving(&names, &still)).unwrap();
        assert_eq!(retarget.missing(), ["wing", r"e\u{1b}", "d", "c", "b", "a"]);
    }

    #[test]
    fn a_lenient_one_plays_what_matches() {
        let onto = rig(&["root", "arm"]);
        let from = moving(&["wing", "arm", "tail", "root", "e\x1b"], &[true, true, false, true, true]);
        let strict = Retarget::new(&onto, &from).unwrap();
        assert_eq!(strict.left_out(&from, 0).unwrap(), ["wing", r"e\u{1b}"], "`tail` does not move");
        let mut lenient = strict.clone().lenient();
        assert_eq!(lenient.left_out(&from, 0).unwrap(), strict.left_out(&from, 0).unwrap());
        let mut out = [Transform::default(); 2];
        lenient.pose(&from, 0, 0, &mut out).unwrap();
        assert_eq!(out, [at(40.0), at(20.0)]);
        assert_eq!(play(&onto, &from).unwrap_err().kind().id(), "missing");
        // Every other error stays.
        assert_eq!(lenient.pose(&from, 1, 0, &mut out).unwrap_err().kind().id(), "no-such");
        assert_eq!(lenient.pose(&from, 0, 1, &mut out).unwrap_err().kind().id(), "no-such");
        assert_eq!(lenient.left_out(&from, 1).unwrap_err().kind().id(), "no-such");
        assert_eq!(lenient.left_out(&onto, 0).unwrap_err().kind().id(), "buffer");
        let alone = Retarget::new(&rig(&["nothing"]), &from).unwrap().lenient();
        assert_eq!((alone.matched(), alone.left_out(&from, 0).unwrap().len()), (0, 4));
    }

    #[test]
    fn the_first_of_a_name_is_meant() {
        let onto = rig(&["arm", "root", "arm"]);
        assert_eq!(play(&onto, &moving(&["root", "arm", "arm"], &[true; 3])).unwrap(), [20.0, 10.0, 3.0]);
    }

    #[test]
    fn refuses_lists_of_another_length() {
        let (onto, from) = (rig(&["root", "arm"]), moving(&["root"], &[true]));
        let mut retarget = Retarget::new(&onto, &from).unwrap();
        let mut out = [Transform::default(); 3];
        assert_eq!(retarget.pose(&from, 0, 0, &mut out).unwrap_err().kind().id(), "buffer");
        assert_eq!(retarget.pose(&onto, 0, 0, &mut out[..2]).unwrap_err().kind().id(), "buffer");
        assert_eq!(retarget.pose(&from, 0, 7, &mut out[..2]).unwrap_err().kind().id(), "no-such");
        assert_eq!(retarget.pose(&from, 7, 0, &mut out[..2]).unwrap_err().kind().id(), "no-such");
    }
}
