//! The copying loader of animations. It reads the whole file, and decodes all frames into a list
//! with a matrix or a transform for each bone of each frame. It supports an10 and an11 files, and
//! the first animation of an ms12 mesh.

use std::path::Path;

use super::{Input, floats};

/// The transform of a bone: position, rotation, scale.
#[derive(Clone, Copy)]
pub struct Transform {
    pub position: [f32; 3],
    pub rotation: [f32; 4],
    pub scale: [f32; 3],
}

/// The columns of a matrix.
pub type Matrix = [[f32; 4]; 4];

/// A decoded animation.
pub struct Animation<T> {
    pub bones: usize,
    /// All bones of frame 0, then those of frame 1, and so on.
    pub poses: Vec<T>,
}

impl<T> Animation<T> {
    pub fn frame(&self, frame: usize) -> &[T] {
        &self.poses[frame * self.bones..(frame + 1) * self.bones]
    }
}

/// Loads a file. `keep` converts each transform to the value that is stored.
pub fn load<T>(path: &Path, keep: impl Fn(&Transform) -> T) -> Animation<T> {
    let bytes = std::fs::read(path).unwrap();
    let mut input = Input { rest: &bytes };
    match input.item() {
        b"an10" => input.quantized(keep),
        b"an11" => input.whole(keep),
        b"ms12" => input.embedded(keep),
        magic => unreachable!("{magic:?} is not supported"),
    }
}

impl Input<'_> {
    fn quantized<T>(&mut self, keep: impl Fn(&Transform) -> T) -> Animation<T> {
        self.take(40);
        let bones = self.skeleton();
        assert_eq!(self.int(), 1, "only files with one animation are supported");
        self.text();
        self.take(4);
        let rest = self.rest_pose(bones);
        let ids = self.ids();
        let axes: [f32; 12] = floats::<48, 12>(self.item());
        let ([low, size], [scale_low, scale_size]) = ([&axes[..3], &axes[3..6]], [&axes[6..9], &axes[9..]]);
        let value = |low: f32, size: f32, code: [u8; 2]| {
            (f64::from(low) + f64::from(size) * f64::from(u16::from_le_bytes(code)) / 65535.0) as f32
        };
        self.changes(rest, &ids, keep, |input, flags, bone| {
            for axis in 0..3 {
                if flags & (1 << axis) != 0 {
                    bone.position[axis] = value(low[axis], size[axis], *input.item());
                }
            }
            input.turn(flags, bone);
            for axis in 0..3 {
                if flags & (0x10 << axis) != 0 {
                    bone.scale[axis] = value(scale_low[axis], scale_size[axis], *input.item());
                }
            }
        })
    }

    fn embedded<T>(&mut self, keep: impl Fn(&Transform) -> T) -> Animation<T> {
        self.take(40);
        let bones = self.skeleton();
        assert_eq!(self.int(), 1, "only files with one animation are supported");
        self.text();
        assert_eq!(self.int(), 0, "files with surfaces are not supported");
        self.take(4);
        let rest = self.rest_pose(bones);
        let ids = self.ids();
        self.changes(rest, &ids, keep, |input, flags, bone| {
            for axis in 0..3 {
                if flags & (1 << axis) != 0 {
                    bone.position[axis] = f32::from_le_bytes(*input.item());
                }
            }
            input.turn(flags, bone);
            for axis in 0..3 {
                if flags & (0x10 << axis) != 0 {
                    bone.scale[axis] = f32::from_le_bytes(*input.item());
                }
            }
        })
    }

    fn whole<T>(&mut self, keep: impl Fn(&Transform) -> T) -> Animation<T> {
        let bones = self.skeleton();
        self.take(4);
        let mut pose = self.rest_pose(bones);
        let ids = self.ids();
        let frames = self.int();
        let mut poses = Vec::with_capacity(frames * bones);
        for _ in 0..frames {
            for id in &ids {
                let [flags] = *self.item();
                let mut bone = Transform { position: [0.0; 3], rotation: [0.0, 0.0, 0.0, 1.0], scale: [1.0; 3] };
                if flags & 1 != 0 {
                    bone.position = floats::<12, 3>(self.item());
                }
                if flags & 2 != 0 {
                    bone.rotation = floats::<16, 4>(self.item());
                }
                if flags & 4 != 0 {
                    bone.scale = floats::<12, 3>(self.item());
                }
                pose[*id] = bone;
            }
            poses.extend(pose.iter().map(&keep));
        }
        Animation { bones, poses }
    }

    /// Reads the keys of an animation that stores only changes. `read` reads the values of one key.
    fn changes<T>(
        &mut self,
        mut pose: Vec<Transform>,
        ids: &[usize],
        keep: impl Fn(&Transform) -> T,
        read: impl Fn(&mut Self, u8, &mut Transform),
    ) -> Animation<T> {
        self.take(1);
        let frames = self.int();
        let bones = pose.len();
        let mut poses = Vec::with_capacity(frames * bones);
        for _ in 0..frames {
            for id in ids {
                let [flags] = *self.item();
                if flags != 0 {
                    read(self, flags, &mut pose[*id]);
                }
            }
            poses.extend(pose.iter().map(&keep));
        }
        Animation { bones, poses }
    }

    fn turn(&mut self, flags: u8, bone: &mut Transform) {
        if flags & 8 != 0 {
            let raw: &[u8; 8] = self.item();
            for (out, raw) in bone.rotation.iter_mut().zip(raw.as_chunks().0) {
                *out = f32::from(i16::from_le_bytes(*raw)) / 32767.0;
            }
        }
    }

    fn skeleton(&mut self) -> usize {
        let bones = self.int();
        for _ in 0..bones {
            self.text();
            self.take(2);
        }
        bones
    }

    fn rest_pose(&mut self, bones: usize) -> Vec<Transform> {
        let bind = |raw: [f32; 10]| Transform {
            position: [raw[0], raw[1], raw[2]],
            rotation: [raw[3], raw[4], raw[5], raw[6]],
            scale: [raw[7], raw[8], raw[9]],
        };
        (0..bones).map(|_| bind(floats::<40, 10>(self.item()))).collect()
    }

    fn ids(&mut self) -> Vec<usize> {
        let count = self.int();
        self.take(count * 2).as_chunks().0.iter().map(|id| u16::from_le_bytes(*id).into()).collect()
    }
}
