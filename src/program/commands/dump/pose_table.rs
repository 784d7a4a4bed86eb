//! The transforms of all bones at one time of an animation, as text, JSON or arrays.

use std::io::{self, Write};
use std::ops::Range;

use crate::Name;
use crate::model::{NumberType, Transform};
use serde_json::{Value, json};

use super::mesh_arrays::add_texts;
use super::npz::{ArrayHead, NpzWriter, write_npy};
use super::outputs::{ArrayContent, Summary};
use crate::program::output::json::numbers;
use crate::program::output::{FloatCell, JsonWriter, csv_cell};

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
    /// The numbers of its transform, in the order of the columns.
    pub floats: Vec<f32>,
}

impl TableBone {
    /// Returns a bone with a transform relative to its parent.
    pub fn local(name: Name<'_>, parent: i32, Transform { position, rotation, scale }: &Transform) -> Self {
        Self { name: name.to_string_lossy(), parent, floats: [&position[..], rotation, scale].concat() }
    }
}

/// The bones with their transforms.
pub struct PoseTable {
    pub bones: Vec<TableBone>,
    /// Whether the transforms are in model space, and not relative to the parents.
    pub is_model: bool,
}

impl PoseTable {
    /// Prints a bone on each line.
    pub fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        for bone in &self.bones {
            let all: Vec<String> = bone.floats.iter().map(|value| format!("{value:?}")).collect();
            writeln!(out, "{} {}", all.join(" "), Name::new(bone.name.as_bytes()))?;
        }
        out.flush()
    }

    /// Prints a JSON document with the fields of `head` and a list of bones.
    pub fn print_json(&self, head: &Value, out: &mut dyn Write) -> io::Result<()> {
        let mut json = JsonWriter::indented(out);
        json.start()?;
        json.fields(head)?;
        json.key("bones").values(self.bones.iter().map(|bone| self.bone_json(bone)))?;
        json.end()
    }

    fn bone_json(&self, TableBone { name, floats, .. }: &TableBone) -> Value {
        if self.is_model {
            return json!({ "name": name, "model": floats.chunks(3).map(numbers).collect::<Value>() });
        }
        let part = |part: Range<usize>| numbers(floats.get(part).unwrap_or_default());
        json!({ "name": name, "position": part(0..3), "rotation": part(3..7), "scale": part(7..10) })
    }

    /// Returns some of the numbers of each bone as bytes.
    fn bytes(&self, part: &Range<usize>) -> Vec<u8> {
        let numbers = self.bones.iter().flat_map(|bone| bone.floats.get(part.clone()).unwrap_or_default());
        numbers.flat_map(|number| number.to_le_bytes()).collect()
    }

    /// Returns the names and shapes of the arrays of an archive, with the numbers of a bone that
    /// are in each of them.
    fn arrays(&self) -> Vec<(&'static str, Vec<usize>, Range<usize>)> {
        let bones = self.bones.len();
        if self.is_model {
            return vec![("models", vec![bones, 4, 3], 0..12)];
        }
        vec![
            ("positions", vec![bones, 3], 0..3),
            ("rotations", vec![bones, 4], 3..7),
            ("scales", vec![bones, 3], 7..10),
        ]
    }
}

impl ArrayContent for PoseTable {
    fn write_npy(&self, out: &mut dyn Write, summary: &mut Summary) -> anyhow::Result<()> {
        let bones = self.bones.len();
        let (name, shape, width) =
            if self.is_model { ("models", vec![bones, 4, 3], 12) } else { ("transforms", vec![bones, 10], 10) };
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
        let columns = if self.is_model { MODEL_COLUMNS } else { LOCAL_COLUMNS };
        let header = format!("bone,name,parent,{columns}");
        writeln!(out, "{header}")?;
        for (at, bone) in self.bones.iter().enumerate() {
            write!(out, "{at},{},{}", csv_cell(&bone.name), bone.parent)?;
            bone.floats.iter().try_for_each(|value| write!(out, ",{}", FloatCell(*value)))?;
            writeln!(out)?;
        }
        for (name, shape, _) in self.arrays() {
            summary.add(name, &ArrayHead::numbers(NumberType::F32, &shape))?;
        }
        summary.set_table(u64::try_from(self.bones.len())?, header.split(',').map(str::to_owned).collect());
        Ok(())
    }
}
