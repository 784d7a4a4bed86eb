//! The names of the avatar's joints: 133 bones and 26 collision volumes.

/// Bones and collision volumes of the avatar whose names do not end with `Left` or `Right`, except
/// for the six collision volumes in [`RIGHT`].
const MIDDLE: [&str; 53] = [
    "mChest",
    "mFaceChin",
    "mFaceForeheadCenter",
    "mFaceJaw",
    "mFaceJawShaper",
    "mFaceLipLowerCenter",
    "mFaceLipUpperCenter",
    "mFaceNoseBase",
    "mFaceNoseBridge",
    "mFaceNoseCenter",
    "mFaceRoot",
    "mFaceTeethLower",
    "mFaceTeethUpper",
    "mFaceTongueBase",
    "mFaceTongueTip",
    "mGroin",
    "mHead",
    "mHindLimbsRoot",
    "mNeck",
    "mPelvis",
    "mSkull",
    "mSpine1",
    "mSpine2",
    "mSpine3",
    "mSpine4",
    "mTail1",
    "mTail2",
    "mTail3",
    "mTail4",
    "mTail5",
    "mTail6",
    "mTorso",
    "mWingsRoot",
    "BELLY",
    "BUTT",
    "CHEST",
    "HEAD",
    "LEFT_HANDLE",
    "LEFT_PEC",
    "LOWER_BACK",
    "L_CLAVICLE",
    "L_FOOT",
    "L_HAND",
    "L_LOWER_ARM",
    "L_LOWER_LEG",
    "L_UPPER_ARM",
    "L_UPPER_LEG",
    "NECK",
    "PELVIS",
    "RIGHT_HANDLE",
    "RIGHT_PEC",
    "UPPER_BACK",
    "R_CLAVICLE",
];

/// Collision volumes of the right side of the body that are not in [`MIDDLE`].
const RIGHT: [&str; 6] = ["R_FOOT", "R_HAND", "R_LOWER_ARM", "R_LOWER_LEG", "R_UPPER_ARM", "R_UPPER_LEG"];

/// Bones that exist on both sides of the body. The full bone names are the names in this array with
/// `Left` or `Right` at the end.
const BOTH: [&str; 50] = [
    "mAnkle",
    "mCollar",
    "mElbow",
    "mEye",
    "mFaceCheekLower",
    "mFaceCheekUpper",
    "mFaceEar1",
    "mFaceEar2",
    "mFaceEyeAlt",
    "mFaceEyeLidLower",
    "mFaceEyeLidUpper",
    "mFaceEyebrowCenter",
    "mFaceEyebrowInner",
    "mFaceEyebrowOuter",
    "mFaceEyecornerInner",
    "mFaceForehead",
    "mFaceLipCorner",
    "mFaceLipLower",
    "mFaceLipUpper",
    "mFaceNose",
    "mFoot",
    "mHandIndex1",
    "mHandIndex2",
    "mHandIndex3",
    "mHandMiddle1",
    "mHandMiddle2",
    "mHandMiddle3",
    "mHandPinky1",
    "mHandPinky2",
    "mHandPinky3",
    "mHandRing1",
    "mHandRing2",
    "mHandRing3",
    "mHandThumb1",
    "mHandThumb2",
    "mHandThumb3",
    "mHindLimb1",
    "mHindLimb2",
    "mHindLimb3",
    "mHindLimb4",
    "mHip",
    "mKnee",
    "mShoulder",
    "mToe",
    "mWing1",
    "mWing2",
    "mWing3",
    "mWing4",
    "mWing4Fan",
    "mWrist",
];

/// Returns whether the avatar's skeleton has a joint with the given name.
///
/// If the avatar's skeleton has no joint with the name, a viewer uses the joint `mPelvis` instead.
#[must_use]
pub fn is_avatar_joint(name: &[u8]) -> bool {
    let side = name.strip_suffix(b"Left").or_else(|| name.strip_suffix(b"Right"));
    let is = |known: &str| known.as_bytes() == name;
    MIDDLE.iter().any(|known| is(known))
        || RIGHT.iter().any(|known| is(known))
        || side.is_some_and(|side| BOTH.iter().any(|known| known.as_bytes() == side))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_159_joints() {
        let both = BOTH.iter().flat_map(|name| [format!("{name}Left"), format!("{name}Right")]);
        let all = both.chain(MIDDLE.iter().chain(&RIGHT).map(|name| (*name).to_owned()));
        let all: std::collections::BTreeSet<String> = all.collect();
        assert_eq!(all.len(), 159);
        assert!(all.iter().all(|name| is_avatar_joint(name.as_bytes())));
        assert_eq!(all.iter().filter(|name| name.starts_with("mFace")).count(), 46);
        assert!(
            !is_avatar_joint(b"mPelvisLeft")
                && !is_avatar_joint(b"Left")
                && !is_avatar_joint(b"")
                && !is_avatar_joint(b"mWrist")
        );
    }
}
