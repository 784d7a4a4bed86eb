//! The joints of the avatar's skeleton as a tree: 133 bones and 26 collision volumes.

// Rule: this file sorts and maps by copies only.

use crate::error::Result;
use crate::parse::filled;

use super::layout::FORMAT;

/// The names of all joints in ascending order, each with the name of its parent. The parent of the
/// root is the empty name.
const JOINTS: [(&str, &str); 159] = [
    ("BELLY", "mTorso"),
    ("BUTT", "mPelvis"),
    ("CHEST", "mChest"),
    ("HEAD", "mHead"),
    ("LEFT_HANDLE", "mTorso"),
    ("LEFT_PEC", "mChest"),
    ("LOWER_BACK", "mTorso"),
    ("L_CLAVICLE", "mCollarLeft"),
    ("L_FOOT", "mAnkleLeft"),
    ("L_HAND", "mWristLeft"),
    ("L_LOWER_ARM", "mElbowLeft"),
    ("L_LOWER_LEG", "mKneeLeft"),
    ("L_UPPER_ARM", "mShoulderLeft"),
    ("L_UPPER_LEG", "mHipLeft"),
    ("NECK", "mNeck"),
    ("PELVIS", "mPelvis"),
    ("RIGHT_HANDLE", "mTorso"),
    ("RIGHT_PEC", "mChest"),
    ("R_CLAVICLE", "mCollarRight"),
    ("R_FOOT", "mAnkleRight"),
    ("R_HAND", "mWristRight"),
    ("R_LOWER_ARM", "mElbowRight"),
    ("R_LOWER_LEG", "mKneeRight"),
    ("R_UPPER_ARM", "mShoulderRight"),
    ("R_UPPER_LEG", "mHipRight"),
    ("UPPER_BACK", "mChest"),
    ("mAnkleLeft", "mKneeLeft"),
    ("mAnkleRight", "mKneeRight"),
    ("mChest", "mSpine4"),
    ("mCollarLeft", "mChest"),
    ("mCollarRight", "mChest"),
    ("mElbowLeft", "mShoulderLeft"),
    ("mElbowRight", "mShoulderRight"),
    ("mEyeLeft", "mHead"),
    ("mEyeRight", "mHead"),
    ("mFaceCheekLowerLeft", "mFaceRoot"),
    ("mFaceCheekLowerRight", "mFaceRoot"),
    ("mFaceCheekUpperLeft", "mFaceRoot"),
    ("mFaceCheekUpperRight", "mFaceRoot"),
    ("mFaceChin", "mFaceJaw"),
    ("mFaceEar1Left", "mFaceRoot"),
    ("mFaceEar1Right", "mFaceRoot"),
    ("mFaceEar2Left", "mFaceEar1Left"),
    ("mFaceEar2Right", "mFaceEar1Right"),
    ("mFaceEyeAltLeft", "mFaceRoot"),
    ("mFaceEyeAltRight", "mFaceRoot"),
    ("mFaceEyeLidLowerLeft", "mFaceRoot"),
    ("mFaceEyeLidLowerRight", "mFaceRoot"),
    ("mFaceEyeLidUpperLeft", "mFaceRoot"),
    ("mFaceEyeLidUpperRight", "mFaceRoot"),
    ("mFaceEyebrowCenterLeft", "mFaceRoot"),
    ("mFaceEyebrowCenterRight", "mFaceRoot"),
    ("mFaceEyebrowInnerLeft", "mFaceRoot"),
    ("mFaceEyebrowInnerRight", "mFaceRoot"),
    ("mFaceEyebrowOuterLeft", "mFaceRoot"),
    ("mFaceEyebrowOuterRight", "mFaceRoot"),
    ("mFaceEyecornerInnerLeft", "mFaceRoot"),
    ("mFaceEyecornerInnerRight", "mFaceRoot"),
    ("mFaceForeheadCenter", "mFaceRoot"),
    ("mFaceForeheadLeft", "mFaceRoot"),
    ("mFaceForeheadRight", "mFaceRoot"),
    ("mFaceJaw", "mFaceRoot"),
    ("mFaceJawShaper", "mFaceRoot"),
    ("mFaceLipCornerLeft", "mFaceTeethUpper"),
    ("mFaceLipCornerRight", "mFaceTeethUpper"),
    ("mFaceLipLowerCenter", "mFaceTeethLower"),
    ("mFaceLipLowerLeft", "mFaceTeethLower"),
    ("mFaceLipLowerRight", "mFaceTeethLower"),
    ("mFaceLipUpperCenter", "mFaceTeethUpper"),
    ("mFaceLipUpperLeft", "mFaceTeethUpper"),
    ("mFaceLipUpperRight", "mFaceTeethUpper"),
    ("mFaceNoseBase", "mFaceRoot"),
    ("mFaceNoseBridge", "mFaceRoot"),
    ("mFaceNoseCenter", "mFaceRoot"),
    ("mFaceNoseLeft", "mFaceRoot"),
    ("mFaceNoseRight", "mFaceRoot"),
    ("mFaceRoot", "mHead"),
    ("mFaceTeethLower", "mFaceJaw"),
    ("mFaceTeethUpper", "mFaceRoot"),
    ("mFaceTongueBase", "mFaceTeethLower"),
    ("mFaceTongueTip", "mFaceTongueBase"),
    ("mFootLeft", "mAnkleLeft"),
    ("mFootRight", "mAnkleRight"),
    ("mGroin", "mPelvis"),
    ("mHandIndex1Left", "mWristLeft"),
    ("mHandIndex1Right", "mWristRight"),
    ("mHandIndex2Left", "mHandIndex1Left"),
    ("mHandIndex2Right", "mHandIndex1Right"),
    ("mHandIndex3Left", "mHandIndex2Left"),
    ("mHandIndex3Right", "mHandIndex2Right"),
    ("mHandMiddle1Left", "mWristLeft"),
    ("mHandMiddle1Right", "mWristRight"),
    ("mHandMiddle2Left", "mHandMiddle1Left"),
    ("mHandMiddle2Right", "mHandMiddle1Right"),
    ("mHandMiddle3Left", "mHandMiddle2Left"),
    ("mHandMiddle3Right", "mHandMiddle2Right"),
    ("mHandPinky1Left", "mWristLeft"),
    ("mHandPinky1Right", "mWristRight"),
    ("mHandPinky2Left", "mHandPinky1Left"),
    ("mHandPinky2Right", "mHandPinky1Right"),
    ("mHandPinky3Left", "mHandPinky2Left"),
    ("mHandPinky3Right", "mHandPinky2Right"),
    ("mHandRing1Left", "mWristLeft"),
    ("mHandRing1Right", "mWristRight"),
    ("mHandRing2Left", "mHandRing1Left"),
    ("mHandRing2Right", "mHandRing1Right"),
    ("mHandRing3Left", "mHandRing2Left"),
    ("mHandRing3Right", "mHandRing2Right"),
    ("mHandThumb1Left", "mWristLeft"),
    ("mHandThumb1Right", "mWristRight"),
    ("mHandThumb2Left", "mHandThumb1Left"),
    ("mHandThumb2Right", "mHandThumb1Right"),
    ("mHandThumb3Left", "mHandThumb2Left"),
    ("mHandThumb3Right", "mHandThumb2Right"),
    ("mHead", "mNeck"),
    ("mHindLimb1Left", "mHindLimbsRoot"),
    ("mHindLimb1Right", "mHindLimbsRoot"),
    ("mHindLimb2Left", "mHindLimb1Left"),
    ("mHindLimb2Right", "mHindLimb1Right"),
    ("mHindLimb3Left", "mHindLimb2Left"),
    ("mHindLimb3Right", "mHindLimb2Right"),
    ("mHindLimb4Left", "mHindLimb3Left"),
    ("mHindLimb4Right", "mHindLimb3Right"),
    ("mHindLimbsRoot", "mPelvis"),
    ("mHipLeft", "mPelvis"),
    ("mHipRight", "mPelvis"),
    ("mKneeLeft", "mHipLeft"),
    ("mKneeRight", "mHipRight"),
    ("mNeck", "mChest"),
    ("mPelvis", ""),
    ("mShoulderLeft", "mCollarLeft"),
    ("mShoulderRight", "mCollarRight"),
    ("mSkull", "mHead"),
    ("mSpine1", "mPelvis"),
    ("mSpine2", "mSpine1"),
    ("mSpine3", "mTorso"),
    ("mSpine4", "mSpine3"),
    ("mTail1", "mPelvis"),
    ("mTail2", "mTail1"),
    ("mTail3", "mTail2"),
    ("mTail4", "mTail3"),
    ("mTail5", "mTail4"),
    ("mTail6", "mTail5"),
    ("mToeLeft", "mFootLeft"),
    ("mToeRight", "mFootRight"),
    ("mTorso", "mSpine2"),
    ("mWing1Left", "mWingsRoot"),
    ("mWing1Right", "mWingsRoot"),
    ("mWing2Left", "mWing1Left"),
    ("mWing2Right", "mWing1Right"),
    ("mWing3Left", "mWing2Left"),
    ("mWing3Right", "mWing2Right"),
    ("mWing4FanLeft", "mWing3Left"),
    ("mWing4FanRight", "mWing3Right"),
    ("mWing4Left", "mWing3Left"),
    ("mWing4Right", "mWing3Right"),
    ("mWingsRoot", "mChest"),
    ("mWristLeft", "mElbowLeft"),
    ("mWristRight", "mElbowRight"),
];

/// Returns the index of a joint in [`JOINTS`], or `None` if the avatar does not have it.
fn find(name: &[u8]) -> Option<usize> {
    JOINTS.binary_search_by(|(known, _)| known.as_bytes().cmp(name)).ok()
}

/// Returns whether the avatar's skeleton has a joint with the given name.
///
/// If the avatar's skeleton has no joint with the name, a viewer uses the joint `mPelvis` instead.
#[must_use]
pub fn is_avatar_joint(name: &[u8]) -> bool {
    find(name).is_some()
}

/// Returns the index of the parent of each joint of a skin: the nearest ancestor in the avatar's
/// skeleton that the skin lists, or -1 if it lists none. `name` returns the name of a joint of the
/// skin, or `None` if it cannot be read.
pub(super) fn parents<'n>(count: usize, name: impl Fn(usize) -> Option<&'n [u8]>) -> Result<Vec<i32>> {
    let joint_of = |index: usize| name(index).and_then(find);
    let mut listed = [-1; JOINTS.len()];
    for index in (0..count).rev() {
        if let Some(listed) = joint_of(index).and_then(|joint| listed.get_mut(joint)) {
            *listed = i32::try_from(index).unwrap_or(-1);
        }
    }
    let mut nearest = [-1; JOINTS.len()];
    for (nearest, (_, parent)) in nearest.iter_mut().zip(&JOINTS) {
        let mut ancestor = find(parent.as_bytes());
        while let Some(joint) = ancestor {
            *nearest = listed.get(joint).copied().unwrap_or(-1);
            ancestor = JOINTS.get(joint).filter(|_| *nearest < 0).and_then(|(_, parent)| find(parent.as_bytes()));
        }
    }
    let mut parents = filled(FORMAT, "joint_names", count, -1)?;
    for (index, parent) in parents.iter_mut().enumerate() {
        *parent = joint_of(index).and_then(|joint| nearest.get(joint).copied()).unwrap_or(-1);
    }
    Ok(parents)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_a_sorted_tree_of_159_joints() {
        assert!(JOINTS.is_sorted_by(|(one, _), (other, _)| one.as_bytes() < other.as_bytes()));
        assert_eq!(JOINTS.iter().filter(|(name, _)| name.starts_with("mFace")).count(), 46);
        assert_eq!(JOINTS.iter().filter(|(name, _)| name.starts_with('m')).count(), 133);
        for (name, parent) in &JOINTS {
            assert!(is_avatar_joint(name.as_bytes()));
            assert_eq!(*name == "mPelvis", !is_avatar_joint(parent.as_bytes()), "{name}");
            // No collision volume has a child.
            assert!(parent.is_empty() || parent.starts_with('m'), "{name}");
        }
        for name in ["", "Left", "mPelvisLeft", "mWrist", "mpelvis", "mPelvis "] {
            assert!(!is_avatar_joint(name.as_bytes()), "{name}");
        }
    }

    fn parents_of(names: &[&str]) -> Vec<i32> {
        parents(names.len(), |index| names.get(index).map(|name| name.as_bytes())).unwrap()
    }

    #[test]
    fn the_parent_is_the_nearest_listed_ancestor() {
        assert_eq!(parents_of(&["mHead", "mChest", "mPelvis", "mNeck"]), [3, 2, -1, 1]);
        // `mSpine1` to `mTorso` are between the pelvis and the chest, and not listed.
        assert_eq!(parents_of(&["mPelvis", "mWristLeft", "CHEST", "mChest"]), [-1, 3, 3, 0]);
        assert_eq!(parents_of(&["mElbowLeft", "mElbowRight"]), [-1, -1]);
        // A joint that the avatar does not have is a root, and has no children. The first of
        // several joints with a name has the children.
        assert_eq!(parents_of(&["bone", "mNeck", "mNeck", "mHead", "mNeck"]), [-1, -1, -1, 1, -1]);
        assert!(parents_of(&[]).is_empty());
    }
}
