//! What `dump` prints: arrays that are still in the file, item by item.

use std::io::{self, Write};
use std::ops::Range;

use meshpeek::decode::{EndianFloats, EndianU16s, Tangent16};
use meshpeek::ezmesh::{Column, Vertices};
use meshpeek::io::prefetch;
use meshpeek::model::{Colors, Frames, Indices, InterpolatedPositions, Normals, Positions, Uvs};
use meshpeek::unigine::SurfaceTree;
use meshpeek::unreal::Placement;
use meshpeek::{Packed, Strided, Weights};

use crate::unigine::Part;

#[derive(Clone, Copy, Debug)]
pub enum Axis {
    Normal,
    Tangent,
    Bitangent,
}

/// An array, still in the file.
pub enum Values<'a> {
    Positions(Positions<'a>),
    Frames(Frames<'a>, Axis),
    Normals(Normals<'a>),
    Tangents(Packed<'a, Tangent16>),
    Uvs(Uvs<'a>),
    Colors(Colors<'a>),
    Weights(Weights<'a>),
    Indices(Indices<'a>),
    /// InterpolatedPositions two frames, and placed.
    Between(InterpolatedPositions<'a>, Placement),
    /// Not in the file.
    Computed(Vec<[f32; 3]>),
    /// A byte for each polygon.
    Bytes(Vec<u8>),
    /// Two bytes for each corner.
    BytePairs(Vec<[u8; 2]>),
    /// One group of a vertex's numbers.
    Column(Box<Vertices<'a>>, Column),
    /// A list of a spatial tree.
    Tree(SurfaceTree<'a>, Part),
    /// Bone numbers and weights, four to a vertex.
    Lanes(Strided<'a, EndianU16s<4>>, Strided<'a, EndianFloats<4>>),
}

/// One value, ready to print.
pub enum Item<'v> {
    Number(u32),
    Integer(i32),
    Float(f32),
    Floats(&'v [f32]),
    Integers(&'v [i32]),
    Influences(Vec<(i32, f32)>),
    RawInfluences(Vec<(i16, u16)>),
}

pub type Visit<'v> = &'v mut dyn FnMut(Item<'_>) -> io::Result<()>;

impl Values<'_> {
    pub fn len(&self) -> usize {
        match self {
            Self::Positions(array) => array.len(),
            Self::Frames(array, _) => array.len(),
            Self::Normals(array) => array.len(),
            Self::Tangents(array) => array.len(),
            Self::Uvs(array) => array.len(),
            Self::Colors(array) => array.len(),
            Self::Weights(array) => array.len(),
            Self::Indices(array) => array.len(),
            Self::Between(array, _) => array.len(),
            Self::Computed(array) => array.len(),
            Self::Bytes(array) => array.len(),
            Self::BytePairs(array) => array.len(),
            Self::Column(vertices, _) => vertices.len(),
            Self::Tree(tree, part) => part.len(tree),
            Self::Lanes(array, _) => array.len(),
        }
    }

    /// Returns the bytes of the items of `range`; of those that are found one by one or computed, none.
    fn bytes(&self, range: Range<usize>) -> &[u8] {
        let bytes = match self {
            Self::Positions(array) => array.slice(range).map(|part| part.as_bytes()),
            Self::Frames(array, _) => array.slice(range).map(|part| part.as_bytes()),
            Self::Normals(array) => array.slice(range).map(|part| part.as_bytes()),
            Self::Tangents(array) => array.slice(range).map(|part| part.as_bytes()),
            Self::Uvs(array) => array.slice(range).map(|part| part.as_bytes()),
            Self::Colors(array) => array.slice(range).map(|part| part.as_bytes()),
            Self::Indices(array) => array.slice(range).map(|part| part.as_bytes()),
            Self::Weights(_)
            | Self::Between(..)
            | Self::Computed(_)
            | Self::Bytes(_)
            | Self::BytePairs(_)
            | Self::Column(..)
            | Self::Tree(..)
            | Self::Lanes(..) => None,
        };
        bytes.unwrap_or_default()
    }

    pub fn visit(&self, range: Range<usize>, raw: bool, visit: Visit<'_>) -> io::Result<()> {
        prefetch(self.bytes(range.clone()));
        match self {
            Self::Positions(array @ (Positions::Packed32(_) | Positions::Packed64(_))) if raw => {
                let mut stored = range.filter_map(|index| crate::unreal::stored(array, index));
                stored.try_for_each(|stored| visit(Item::Integers(&stored)))
            }
            Self::Positions(Positions::MinMax16(_)) | Self::Normals(Normals::Unit16(_)) if raw => {
                visit_codes(self.bytes(range), 3, visit)
            }
            Self::Uvs(Uvs::MinMax16(_)) if raw => visit_codes(self.bytes(range), 2, visit),
            Self::Tangents(_) if raw => visit_codes(self.bytes(range), 4, visit),
            Self::Normals(array) => {
                range.filter_map(|index| array.get(index)).try_for_each(|value| visit(Item::Floats(&value)))
            }
            Self::Tangents(array) => {
                range.filter_map(|index| array.get(index)).try_for_each(|value| visit(Item::Floats(&value)))
            }
            Self::Tree(tree, part) => part.visit(tree, range, visit),
            Self::Column(vertices, column) => crate::ezmesh::visit_column(vertices, column, range, visit),
            Self::Lanes(bones, weights) => {
                let lanes = range.filter_map(|index| Some((bones.get(index)?, weights.get(index)?)));
                lanes.into_iter().try_for_each(|(bones, weights)| {
                    visit(Item::Influences(bones.into_iter().map(i32::from).zip(weights).collect()))
                })
            }
            Self::Between(array, placement) => {
                let mut placed = range.filter_map(|index| array.get(index)).map(|value| placement.apply(value));
                placed.try_for_each(|value| visit(Item::Floats(&value)))
            }
            Self::Computed(values) => {
                values.get(range).unwrap_or_default().iter().try_for_each(|value| visit(Item::Floats(value)))
            }
            Self::Bytes(bytes) => {
                let bytes = bytes.get(range).unwrap_or_default();
                bytes.iter().try_for_each(|byte| visit(Item::Number((*byte).into())))
            }
            Self::BytePairs(pairs) => {
                let pairs = pairs.get(range).unwrap_or_default();
                pairs.iter().try_for_each(|pair| visit(Item::Integers(&pair.map(i32::from))))
            }
            Self::Positions(array) => {
                range.filter_map(|index| array.get(index)).try_for_each(|value| visit(Item::Floats(&value)))
            }
            Self::Uvs(array) => {
                range.filter_map(|index| array.get(index)).try_for_each(|value| visit(Item::Floats(&value)))
            }
            Self::Colors(array) if raw => {
                let mut colors = self.bytes(range).chunks_exact(array.place(1));
                colors.try_for_each(|color| {
                    visit(Item::Integers(&color.iter().map(|c| i32::from(*c)).collect::<Vec<_>>()))
                })
            }
            Self::Colors(array) => {
                range.filter_map(|index| array.get(index)).try_for_each(|value| visit(Item::Floats(&value)))
            }
            Self::Frames(array, _) if raw => visit_raw_frames(array, range, visit),
            Self::Frames(array, axis) => range.filter_map(|index| array.get(index)).try_for_each(|frame| {
                visit(Item::Floats(&match axis {
                    Axis::Normal => frame.normal(),
                    Axis::Tangent => frame.tangent(),
                    Axis::Bitangent => frame.bitangent(),
                }))
            }),
            Self::Weights(array) => range.filter_map(|index| array.get(index)).try_for_each(|list| {
                if raw {
                    let stored = (0..list.len()).filter_map(|index| list.stored(index));
                    return visit(Item::RawInfluences(stored.collect()));
                }
                visit(Item::Influences(list.iter().map(|one| (one.bone, one.weight)).collect()))
            }),
            Self::Indices(Indices::U32(array)) if raw => {
                // What is stored is signed, and a damaged file may hold negative ones.
                let raw = array.raw().get(range).unwrap_or_default();
                raw.iter().try_for_each(|raw| visit(Item::Integer(i32::from_le_bytes(raw.to_bytes()))))
            }
            Self::Indices(array) => {
                range.filter_map(|index| array.get(index)).try_for_each(|value| visit(Item::Number(value)))
            }
        }
    }
}

/// Visits codes of 16 bits, so many to an item.
fn visit_codes(bytes: &[u8], width: usize, visit: Visit<'_>) -> io::Result<()> {
    let codes: Vec<i32> = bytes.as_chunks::<2>().0.iter().map(|code| i32::from(u16::from_le_bytes(*code))).collect();
    codes.chunks_exact(width).try_for_each(|item| visit(Item::Integers(item)))
}

fn visit_raw_frames(frames: &Frames<'_>, range: Range<usize>, visit: Visit<'_>) -> io::Result<()> {
    match frames {
        Frames::Quat8(array) => {
            let raw = array.raw().get(range).unwrap_or_default();
            raw.iter().try_for_each(|raw| visit(Item::Integers(&raw.map(|part| i32::from(part.get())))))
        }
        Frames::Quat7(array) => {
            let raw = array.raw().get(range).unwrap_or_default();
            raw.iter().try_for_each(|raw| {
                let [x, y, z] = raw.xyz.map(|part| i32::from(part.get()));
                visit(Item::Integers(&[x, y, z, i32::from(raw.sign)]))
            })
        }
        _ => Ok(()),
    }
}

impl Item<'_> {
    pub fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Self::Number(number) => write!(out, "{number}"),
            Self::Integer(number) => write!(out, "{number}"),
            Self::Float(float) => write!(out, "{float:?}"),
            Self::Floats(floats) => separated(out, " ", floats.iter(), |out, float| write!(out, "{float:?}")),
            Self::Integers(integers) => separated(out, " ", integers.iter(), |out, integer| write!(out, "{integer}")),
            Self::Influences(list) => {
                separated(out, ", ", list.iter(), |out, (bone, weight)| write!(out, "{bone} {weight:?}"))
            }
            Self::RawInfluences(list) => {
                separated(out, ", ", list.iter(), |out, (bone, weight)| write!(out, "{bone} {weight}"))
            }
        }
    }

    pub fn json(&self, out: &mut dyn Write) -> io::Result<()> {
        if let Self::Number(_) | Self::Integer(_) = self {
            return self.text(out);
        }
        if let Self::Float(float) = self {
            return json_float(out, *float);
        }
        write!(out, "[")?;
        match self {
            Self::Number(_) | Self::Integer(_) | Self::Float(_) => {}
            Self::Floats(floats) => separated(out, ",", floats.iter(), |out, float| json_float(out, *float))?,
            Self::Integers(integers) => separated(out, ",", integers.iter(), |out, integer| write!(out, "{integer}"))?,
            Self::Influences(list) => separated(out, ",", list.iter(), |out, (bone, weight)| {
                write!(out, "[{bone},")?;
                json_float(out, *weight)?;
                write!(out, "]")
            })?,
            Self::RawInfluences(list) => {
                separated(out, ",", list.iter(), |out, (bone, weight)| write!(out, "[{bone},{weight}]"))?;
            }
        }
        write!(out, "]")
    }
}

/// Writes the shortest number that reads back as the same `f32`; `null` for what JSON has no number for.
fn json_float(out: &mut dyn Write, value: f32) -> io::Result<()> {
    if value.is_finite() { write!(out, "{value:?}") } else { write!(out, "null") }
}

fn separated<T>(
    out: &mut dyn Write,
    separator: &str,
    items: impl Iterator<Item = T>,
    mut write: impl FnMut(&mut dyn Write, T) -> io::Result<()>,
) -> io::Result<()> {
    for (number, item) in items.enumerate() {
        if number > 0 {
            out.write_all(separator.as_bytes())?;
        }
        write(out, item)?;
    }
    Ok(())
}
