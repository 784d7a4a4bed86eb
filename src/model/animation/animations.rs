//! The trait of files that contain bones and animations.

use super::affine::Affine;
use super::clip::Clip;
use super::keys::{Channel, ClipKeys, channels_of_keys, keys_of_poses};
use crate::error::{Cause, Error, Field, Result, no_such};
use crate::model::bone::{Bone, Transform};
use crate::model::written_form::FormatVersion;
use crate::parse::{Name, expect_length};

/// An event of a clip: a time at which the game calls a function, for example for a footstep or a
/// shot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event<'a> {
    /// Time of the event within the clip: 0 is the start of the clip, 1 is its end.
    pub time: f32,
    /// Name of the function that the game calls at this time.
    pub function: Name<'a>,
}

/// The bones of a file and the animations that move them. [`Model`](crate::Model) implements this
/// trait.
///
/// Every method with an index returns [`ErrorKind::NoSuch`] if the index is out of range. If the
/// bytes that a method has to read are damaged or missing, the method returns the error that the
/// reader of the file format reports. Every method with an output slice returns
/// [`ErrorKind::Buffer`] if the length of the slice is not the number of bones.
///
/// [`ErrorKind::NoSuch`]: crate::ErrorKind::NoSuch
/// [`ErrorKind::Buffer`]: crate::ErrorKind::Buffer
#[allow(clippy::missing_errors_doc, reason = "documented once on the trait")]
pub trait Animations: FormatVersion {
    /// Returns the number of bones.
    fn bone_count(&self) -> Result<usize> {
        Ok(0)
    }
    /// Returns bone `bone` of the file.
    fn bone(&self, bone: usize) -> Result<Bone<'_>> {
        Err(no_such(self.format(), "bone", self.bone_count()?, bone))
    }
    /// Returns the index of the first bone with the name `name`, or `None` if no bone has this
    /// name.
    ///
    /// The method reads the names of the bones in order. If the animations of a format refer to
    /// bones by name, the first call sorts the names, and later calls read the found name only.
    fn find_bone(&self, name: &[u8]) -> Result<Option<usize>> {
        find_in_order(self, name)
    }
    /// Returns the bind shape matrix of the file: the map from the space of the mesh to the space
    /// in which the bones are bound.
    ///
    /// The bind shape matrix is the identity if the file stores none.
    #[doc(hidden)]
    fn bind_shape(&self) -> Result<Affine> {
        Ok(Affine::IDENTITY)
    }
    /// Returns the inverse bind matrix that the file stores for a bone: the map from the space in
    /// which the bones are bound to the space of the bone.
    ///
    /// Returns `None` if the format stores no inverse bind matrices. The inverse bind matrix is
    /// then the inverse of the rest transforms of the bone and its ancestors.
    /// [`Skeleton::inverse_binds`](super::Skeleton::inverse_binds) returns the inverse bind
    /// matrices of all formats.
    #[doc(hidden)]
    fn inverse_bind(&self, bone: usize) -> Result<Option<Affine>> {
        if bone < self.bone_count()? { Ok(None) } else { self.bone(bone).map(|_| None) }
    }
    /// Returns the number of animations in the file.
    fn clip_count(&self) -> Result<usize> {
        Ok(0)
    }
    /// Finds animation `clip` in the file, without reading its key frames.
    fn clip(&self, clip: usize) -> Result<Clip<'_>> {
        Err(no_such(self.format(), "clip", self.clip_count()?, clip))
    }
    /// Returns whether the format stores clips that move bones. A file of such a format may contain
    /// no clip.
    #[doc(hidden)]
    fn has_bone_clips(&self) -> bool {
        true
    }
    /// Returns the name of every track of a clip, with its transform at frame `frame`, or `None` if
    /// the tracks of the format have no names of their own. A track that is shorter than the clip
    /// keeps its last transform.
    #[doc(hidden)]
    fn track_pose(&self, clip: usize, frame: usize) -> Result<Option<Vec<(Name<'_>, Transform)>>> {
        let _ = (clip, frame);
        Ok(None)
    }
    /// Returns event `index` of an animation, in file order, or `None` if `index` is not below the
    /// number of events of the animation.
    fn event(&self, clip: usize, index: usize) -> Result<Option<Event<'_>>> {
        let _ = index;
        self.clip(clip).map(|_| None)
    }
    /// Writes to `out` the transform of each bone in frame `frame` of animation `clip`. Each
    /// transform is relative to the parent of the bone.
    ///
    /// A bone that the animation does not move gets its rest transform. The length of `out` must be
    /// the number of bones.
    #[doc(hidden)]
    fn pose(&self, clip: usize, frame: usize, out: &mut [Transform]) -> Result<()> {
        let _ = (frame, out);
        self.clip(clip)?;
        let expected = "an animation of bones that can be read by frames".into();
        Err(Error::without_offset(self.format(), Field::new("pose"), Cause::Missing { expected }))
    }
    /// Returns the keys of a clip, without interpolation: the keys of all bones, or of the bone
    /// `bone`.
    ///
    /// The keys are read from the file while the iterator runs, so a caller that stops early reads
    /// no further. The value of a channel at an animation frame is the value of its last key at or
    /// before the frame. Before its first key, a property has the value of the rest transform. A
    /// channel has no key at a frame for which the file stores no new value. Values that the format
    /// defines for a moved bone without storing them, such as a scale of 1, are keys, too. A clip
    /// of vertex frames has one key for each frame.
    ///
    /// | stored keys | time for all bones | time for one bone | allocates |
    /// |---|---|---|---|
    /// | frame after frame | all keys of the clip | the flags of all keys of the clip | 44 bytes per moved bone, or for one bone |
    /// | track after track | all tracks of the clip | its track, and the names of all tracks | 16 bytes per bone, and per moved bone; text: the numbers of each track, once |
    /// | vertex frames | frames | nothing | nothing |
    fn keys(&self, clip: usize, bone: Option<usize>) -> Result<ClipKeys<'_>> {
        keys_of_poses(self, clip, bone)
    }
    /// Returns the channels for which a clip has keys, sorted by bone and property.
    ///
    /// The method reads all keys of a clip that is stored frame after frame. It reads the names and
    /// lengths of the tracks of a clip that is stored track after track.
    fn channels(&self, clip: usize) -> Result<Vec<Channel>> {
        channels_of_keys(self, clip)
    }
    /// Writes to `out`, for each bone, whether animation `clip` moves the bone. A bone that the
    /// animation does not move keeps its rest transform in all frames of the animation.
    ///
    /// The length of `out` must be the number of bones. For formats that do not store this
    /// information, the method writes `true` for all bones.
    fn animated_bones(&self, clip: usize, out: &mut [bool]) -> Result<()> {
        self.clip(clip)?;
        expect_length(self.format(), "out", self.bone_count()?, out.len())?;
        out.fill(true);
        Ok(())
    }
}

/// Returns the index of the first bone with the name `name`. Reads the names of the bones in order.
pub(crate) fn find_in_order<A: Animations + ?Sized>(motion: &A, name: &[u8]) -> Result<Option<usize>> {
    for bone in 0..motion.bone_count()? {
        if motion.bone(bone)?.name.as_bytes() == name {
            return Ok(Some(bone));
        }
    }
    Ok(None)
}
