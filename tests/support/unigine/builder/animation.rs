//! An animation of a new mesh or a new animation file.

use zerocopy::IntoBytes;
use zerocopy::little_endian::{F32, I16, U16};

use super::writer::Writer;
use meshpeek::decode::{OffsetScale16, tangent_frame};
use meshpeek::model::Transform;
use meshpeek::unigine::Coding;

/// An animation of a new mesh or a new animation file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Animation {
    /// The name of the animation, without the closing NUL.
    pub name: String,
    /// The indices of the skeleton's bones that the animation moves.
    pub bones: Vec<i16>,
    /// The global flags: a bit mask of the components that the keys of animation frame 0 store. The
    /// global flags are written in mesh files and in an10 only.
    ///
    /// Bits 0 to 2 of the global flags are for the position along x, y and z. Bit 3 of the global
    /// flags is for the rotation. Bits 4 to 6 of the global flags are for the scale along x, y and
    /// z.
    pub flags: u8,
    /// For each animation frame, one key for each bone index in `bones`, in the order of `bones`.
    pub frames: Vec<Vec<BoneKey>>,
}

/// The transform of one bone at one animation frame, in which components may be absent.
///
/// In animations embedded in meshes and in an10 files, a component that is `None` has the same
/// value as in the previous animation frame. From an11 on, a component that is `None` has the value
/// of the identity transform.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BoneKey {
    /// Translation along each axis, in scene units.
    pub position: [Option<f32>; 3],
    /// Rotation, as a unit quaternion x, y, z, w.
    pub rotation: Option<[f32; 4]>,
    /// Scale factor along each axis.
    pub scale: [Option<f32>; 3],
}

impl Animation {
    /// Creates an animation from the transforms of all bones in every animation frame.
    ///
    /// For each animation frame, `poses` contains the transform of each bone of the skeleton. The
    /// keys of animation frame 0 contain all components of the transforms. The keys of later
    /// animation frames contain only the components that differ from the previous animation frame.
    pub fn of_poses(name: &str, poses: &[Vec<Transform>]) -> Self {
        let bones = poses.first().map_or(0, Vec::len);
        let mut before: &[Transform] = &[];
        let mut frames = Vec::new();
        for pose in poses {
            let keys = pose.iter().enumerate().map(|(bone, to)| BoneKey::from_to(before.get(bone), to));
            frames.push(keys.collect());
            before = pose;
        }
        let bones = (0..bones).map(|bone| i16::try_from(bone).unwrap_or(i16::MAX)).collect();
        Self { name: name.to_owned(), bones, flags: 0x7f, frames }
    }

    /// Returns the indices of the animated bones as 16-bit little-endian integers, as the file
    /// stores them.
    pub(super) fn bone_ids(&self) -> Vec<I16> {
        self.bones.iter().map(|bone| I16::new(*bone)).collect()
    }

    /// Writes the number of animation frames, then the keys of all animation frames.
    pub(super) fn write_frames(&self, writer: &mut Writer, coding: &Coding) {
        writer.length(self.frames.len());
        let mut last = vec![LastCodes::default(); self.bones.len()];
        for keys in &self.frames {
            for (key, last) in keys.iter().zip(&mut last) {
                let (flags, components) = match coding {
                    Coding::Changes => key.changes(),
                    Coding::Quantized(boxes) => key.codes(boxes, last),
                    Coding::Whole => key.whole(),
                };
                writer.put(&[flags]);
                writer.put(&components);
            }
        }
    }
}

/// The 16-bit codes that were last written for each component of one bone.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct LastCodes {
    axes: [Option<u16>; 6],
    rotation: Option<[I16; 4]>,
}

impl BoneKey {
    /// Returns a key with the components of `to` that differ from `before`. If `before` is `None`,
    /// the key has all components of `to`.
    fn from_to(before: Option<&Transform>, to: &Transform) -> Self {
        let changed =
            |one: f32, other: Option<f32>| Some(one).filter(|one| other.map(f32::to_bits) != Some(one.to_bits()));
        let axes = |to: [f32; 3], before: Option<[f32; 3]>| {
            let mut axes = [None; 3];
            for (axis, (out, to)) in axes.iter_mut().zip(to).enumerate() {
                *out = changed(to, before.and_then(|before| before.get(axis).copied()));
            }
            axes
        };
        Self {
            position: axes(to.position, before.map(|before| before.position)),
            rotation: Some(to.rotation).filter(|to| before.map(|before| before.rotation) != Some(*to)),
            scale: axes(to.scale, before.map(|before| before.scale)),
        }
    }

    /// Encodes the components of the key in the order of their flag bits.
    ///
    /// The function `axis` encodes one coordinate of the position or scale, and returns whether
    /// this coordinate is stored. The function `turn` receives the encoded rotation, and returns
    /// whether the rotation is stored. Returns the flags and the encoded bytes of the stored
    /// components.
    fn spell(
        &self,
        mut axis: impl FnMut(usize, f32, &mut Vec<u8>) -> bool,
        mut turn: impl FnMut([I16; 4]) -> bool,
    ) -> (u8, Vec<u8>) {
        let (mut flags, mut out) = (0, Vec::new());
        let all = self.position.into_iter().chain(self.scale).enumerate();
        for (number, (value, bit)) in
            all.zip([1_u8, 2, 4, 0x10, 0x20, 0x40]).map(|((at, value), bit)| (at, (value, bit)))
        {
            if number == 3
                && let Some(rotation) = self.rotation
            {
                // In a tangent frame, the sign of the component w stores the handedness, so w must
                // not be 0. The rotation of an animation key has no handedness, so its component w
                // may be 0.
                let rotation = rotation.map(tangent_frame::encode_component);
                if turn(rotation) {
                    flags |= 8;
                    out.extend(rotation.as_bytes());
                }
            }
            if let Some(value) = value
                && axis(number, value, &mut out)
            {
                flags |= bit;
            }
        }
        (flags, out)
    }

    /// Encodes each component of the key that is `Some`: positions and scales as floats, the
    /// rotation as 16-bit integers. Returns the flags of the key and the encoded bytes.
    fn changes(&self) -> (u8, Vec<u8>) {
        let axis = |_: usize, value: f32, out: &mut Vec<u8>| {
            out.extend(F32::new(value).as_bytes());
            true
        };
        self.spell(axis, |_| true)
    }

    /// Encodes the components of the key as 16-bit integers, with one offset and scale for
    /// positions and one for scales. A component whose integer is the same as in the previous
    /// animation frame is omitted. Returns the flags of the key and the encoded bytes.
    fn codes(&self, [positions, scales]: &[OffsetScale16; 2], last: &mut LastCodes) -> (u8, Vec<u8>) {
        let LastCodes { axes, rotation: turned } = last;
        let axis = |number: usize, value: f32, out: &mut Vec<u8>| {
            let code = match number.checked_sub(3) {
                None => positions.encode(number, value),
                Some(axis) => scales.encode(axis, value),
            };
            let before = axes.get_mut(number).and_then(|last| last.replace(code));
            if before == Some(code) {
                return false;
            }
            out.extend(U16::new(code).as_bytes());
            true
        };
        self.spell(axis, |rotation| turned.replace(rotation) != Some(rotation))
    }

    /// Encodes the key as in an11 to an13: the position, the rotation and the scale as complete
    /// vectors of floats. A position, rotation or scale that has its default value is omitted.
    /// Returns the flags of the key and the encoded bytes.
    fn whole(&self) -> (u8, Vec<u8>) {
        let rest = Transform::default();
        let of = |axes: [Option<f32>; 3], rest: f32| axes.map(|value| value.unwrap_or(rest));
        let (position, scale) = (of(self.position, 0.0), of(self.scale, 1.0));
        let rotation = self.rotation.unwrap_or(rest.rotation);
        let (mut flags, mut out) = (0, Vec::new());
        let cases = [(1, &position[..], &rest.position[..]), (2, &rotation, &rest.rotation), (4, &scale, &rest.scale)];
        for (bit, found, default) in cases {
            if found.iter().map(|value| value.to_bits()).ne(default.iter().map(|value| value.to_bits())) {
                flags |= bit;
                out.extend(found.iter().flat_map(|value| value.to_le_bytes()));
            }
        }
        (flags, out)
    }
}
