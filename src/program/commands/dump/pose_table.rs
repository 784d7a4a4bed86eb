//! The transforms of all bones at one time of an animation, as text, JSON or arrays.

use std::io::{self, Write};

use crate::model::Transform;
use crate::model::animation::Affine;
use serde_json::{Value, json};

use super::mesh_arrays::add_texts;
use super::npy::{ArrayHead, write_npy};
use super::npz::NpzWriter;
use super::outputs::ArrayContent;
use super::summary::Summary;
use crate::model::NumberType;
use crate::program::render::escape::FloatCell;
use crate::program::render::escape::csv_cell;
use crate::program::render::json::numbers;
use crate::program::render::json_writer::JsonWriter;

/// The columns of a bone relative to its parent.
const LOCAL_COLUMNS: &str = "px,py,pz,qx,qy,qz,qw,sx,sy,sz";
/// The columns of a bone in model space: three axes and a position.
const MODEL_COLUMNS: &str = "xx,xy,xz,yx,yy,yz,zx,zy,zz,px,py,pz";

/// A bone in a table.
#[derive(Clone, Debug)]
pub struct TableBone {
    pub name: String,
    /// The index of the parent bone, or -1.
    pub parent: i32,
}

/// The transforms of all bones.
pub enum BoneTransforms {
    /// Relative to the parents.
    Local(Vec<Transform>),
    /// In model space.
    Model(Vec<Affine>),
}

/// The bones with their transforms, in the same order.
pub struct PoseTable {
    pub bones: Vec<TableBone>,
    pub transforms: BoneTransforms,
}

impl PoseTable {
    /// Prints a bone on each line.
    pub fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        for (at, bone) in self.bones.iter().enumerate() {
            let all: Vec<String> = self.floats(at).iter().map(|value| format!("{value:?}")).collect();
            writeln!(out, "{} {}", all.join(" "), crate::Name::new(bone.name.as_bytes()))?;
        }
        out.flush()
    }

    /// Prints a JSON document with the fields of `head` and a list of bones.
    pub fn print_json(&self, head: &Value, out: &mut dyn Write) -> io::Result<()> {
        let bones = self.bones.iter().enumerate().map(|(at, bone)| self.bone_json(at, bone));
        JsonWriter::indented(out).object(|out| {
            out.fields(head)?;
            out.field_items("bones", bones)
        })?;
        writeln!(out)?;
        out.flush()
    }

    fn bone_json(&self, at: usize, TableBone { name, .. }: &TableBone) -> Value {
        match &self.transforms {
            BoneTransforms::Local(bones) => {
                let Transform { position, rotation, scale } = bones.get(at).copied().unwrap_or_default();
                json!({
                    "name": name,
                    "position": numbers(&position),
                    "rotation": numbers(&rotation),
                    "scale": numbers(&scale),
                })
            }
            BoneTransforms::Model(_) => {
                let columns: Vec<Value> = self.floats(at).chunks(3).map(numbers).collect();
                json!({ "name": name, "model": columns })
            }
        }
    }

    /// Returns all numbers of a bone.
    fn floats(&self, at: usize) -> Vec<f32> {
        match &self.transforms {
            BoneTransforms::Local(bones) => {
                let Transform { position, rotation, scale } = bones.get(at).copied().unwrap_or_default();
                [&position[..], &rotation, &scale].concat()
            }
            BoneTransforms::Model(bones) => {
                bones.get(at).map(|bone| bone.columns_f32().into_iter().flatten().collect()).unwrap_or_default()
            }
        }
    }

    /// Returns some of the numbers of each bone as bytes.
    fn bytes(&self, part: &std::ops::Range<usize>) -> Vec<u8> {
        let numbers =
            (0..self.bones.len()).flat_map(|at| self.floats(at).get(part.clone()).unwrap_or_default().to_vec());
        numbers.flat_map(f32::to_le_bytes).collect()
    }

    /// Returns the names and shapes of the arrays of an archive, with the numbers of a bone that
    /// are in each of them.
    fn arrays(&self) -> Vec<(&'static str, Vec<usize>, std::ops::Range<usize>)> {
        let bones = self.bones.len();
        match self.transforms {
            BoneTransforms::Local(_) => vec![
                ("positions", vec![bones, 3], 0..3),
                ("rotations", vec![bones, 4], 3..7),
                ("scales", vec![bones, 3], 7..10),
            ],
            BoneTransforms::Model(_) => vec![("models", vec![bones, 4, 3], 0..12)],
        }
    }
}

impl ArrayContent for PoseTable {
    fn write_npy(&self, out: &mut dyn Write, summary: &mut Summary) -> anyhow::Result<()> {
        let bones = self.bones.len();
        let (name, shape, width) = match self.transforms {
            BoneTransforms::Local(_) => ("transforms", vec![bones, 10], 10),
            BoneTransforms::Model(_) => ("models", vec![bones, 4, 3], 12),
        };
        let head = ArrayHead::numbers(NumberType::F32, &shape);
        summary.add(name, &head)?;
        write_npy(out, &head, &|sink| Ok(sink(&self.bytes(&(0..width)))?))
    }

    fn write_npz(&self, out: &mut NpzWriter<'_>, summary: &mut Summary) -> anyhow::Result<()> {
        let count = self.bones.len();
        let name = |at| Ok(self.bones.get(at).map(|bone: &TableBone| bone.name.clone()).unwrap_or_default());
        add_texts("names", count, &name, out, summary)?;
        let head = ArrayHead::numbers(NumberType::I32, &[count]);
        let parents: Vec<u8> = self.bones.iter().flat_map(|bone| bone.parent.to_le_bytes()).collect();
        out.add("parents", &head, &|sink| Ok(sink(&parents)?))?;
        summary.add("parents", &head)?;
        for (name, shape, part) in self.arrays() {
            let head = ArrayHead::numbers(NumberType::F32, &shape);
            out.add(name, &head, &|sink| Ok(sink(&self.bytes(&part))?))?;
            summary.add(name, &head)?;
        }
        Ok(())
    }

    fn write_csv(&self, out: &mut dyn Write, summary: &mut Summary) -> anyhow::Result<()> {
        let columns = match self.transforms {
            BoneTransforms::Local(_) => LOCAL_COLUMNS,
            BoneTransforms::Model(_) => MODEL_COLUMNS,
        };
        let header = format!("bone,name,parent,{columns}");
        writeln!(out, "{header}")?;
        for (at, bone) in self.bones.iter().enumerate() {
            write!(out, "{at},{},{}", csv_cell(&bone.name), bone.parent)?;
            self.floats(at).iter().try_for_each(|value| write!(out, ",{}", FloatCell(*value)))?;
            writeln!(out)?;
        }
        for (name, shape, _) in self.arrays() {
            summary.add(name, &ArrayHead::numbers(NumberType::F32, &shape))?;
        }
        summary.set_table(u64::try_from(self.bones.len())?, header.split(',').map(str::to_owned).collect());
        Ok(())
    }
}
