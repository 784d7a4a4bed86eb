//! One difference between two meshes, as a line of text and as JSON.

use std::io;

use anstyle::{AnsiColor, Style};
use serde_json::Value;

use super::both::Both;
use super::options::DiffKind;
use super::value::DiffValue;
use crate::Name;
use crate::math::narrow;
use crate::program::args::value_name;
use crate::program::output::json::number;
use crate::program::output::{JsonWriter, counted};

/// The place of a value in both meshes. A place borrows the place that it is in, so a value that
/// does not differ needs no text.
#[derive(Clone, Copy, Debug, Default)]
pub struct DiffPlace<'p> {
    outer: Option<&'p DiffPlace<'p>>,
    step: Step<'p>,
}

/// The way from a place to a place in it.
#[derive(Clone, Copy, Debug, Default)]
enum Step<'p> {
    #[default]
    Root,
    Part {
        name: &'p str,
        label: &'p str,
    },
    Item {
        list: &'p str,
        word: &'p str,
        indices: Both<usize>,
        name: &'p [u8],
    },
}

impl DiffPlace<'_> {
    /// Returns the place of a part of this place. `name` continues the path, and `label` the words.
    pub const fn part<'q>(&'q self, name: &'q str, label: &'q str) -> DiffPlace<'q> {
        DiffPlace { outer: Some(self), step: Step::Part { name, label } }
    }

    /// Returns the place of an item of a list, which may have another number in each mesh. An item
    /// without a name has an empty one.
    pub const fn item<'q>(&'q self, list: &'q str, indices: Both<usize>, name: &'q [u8]) -> DiffPlace<'q> {
        DiffPlace { outer: Some(self), step: Step::Item { list, word: list, indices, name } }
    }

    /// Returns the place of a morph target, which is a shape in the words.
    pub const fn target(&self, target: usize) -> DiffPlace<'_> {
        let indices = Both::new(target, target);
        DiffPlace { outer: Some(self), step: Step::Item { list: "target", word: "shape", indices, name: &[] } }
    }

    /// Returns the path and the words.
    pub fn text(&self) -> PlaceText {
        let PlaceText { path, label } = self.outer.map(DiffPlace::text).unwrap_or_default();
        match self.step {
            Step::Root => PlaceText { path, label },
            Step::Part { name, label: more } => {
                PlaceText { path: path.map(|path| join(&path, ".", name)), label: join(&label, ": ", more) }
            }
            Step::Item { list, word, indices, name } => PlaceText {
                path: Both {
                    a: join(&path.a, ".", &format!("{list}[{}]", indices.a)),
                    b: join(&path.b, ".", &format!("{list}[{}]", indices.b)),
                },
                label: join(&label, ": ", &numbered(word, indices, name)),
            },
        }
    }
}

/// The place of a value in both meshes, as text.
#[derive(Clone, Debug, Default)]
pub struct PlaceText {
    /// The path of the value, such as `surface[0].positions`. The paths differ if surfaces with the
    /// same name have different numbers.
    pub path: Both<String>,
    /// The words in front of the difference in the text output, without control characters.
    pub label: String,
}

/// Returns the words for an item of a list, such as `surface 0 (cube)`.
fn numbered(word: &str, indices: Both<usize>, name: &[u8]) -> String {
    let number = if indices.a == indices.b { indices.a.to_string() } else { format!("{} -> {}", indices.a, indices.b) };
    let name = Name::new(name).to_string();
    if name.is_empty() { format!("{word} {number}") } else { format!("{word} {number} ({name})") }
}

/// Joins two texts with a separator, unless the first text is empty.
fn join(first: &str, separator: &str, second: &str) -> String {
    if first.is_empty() { second.to_owned() } else { format!("{first}{separator}{second}") }
}

/// The differences between the items of two arrays.
#[derive(Clone, Debug, PartialEq)]
pub struct ItemDifferences {
    /// The number of items that differ.
    pub count: u64,
    /// The number of items that were compared.
    pub of: u64,
    /// The index of the first item that differs. In poses, this is the number of the frame.
    pub first: u64,
    /// In poses, the number of the bone of the first difference.
    pub bone: Option<usize>,
    /// The largest difference of two numbers. `None` for whole numbers, such as indices.
    pub largest: Option<f64>,
}

/// One difference between two meshes.
#[derive(Clone, Debug)]
pub struct Difference {
    pub kind: DiffKind,
    pub place: PlaceText,
    /// The two values. Those of an array are the values of the first item that differs.
    pub values: Both<DiffValue>,
    /// The items that differ, if the values belong to an array.
    pub items: Option<ItemDifferences>,
}

const RED: Style = AnsiColor::Red.on_default();
const GREEN: Style = AnsiColor::Green.on_default();

impl Difference {
    /// Returns whether only one of the meshes has an item of a list, such as a surface.
    fn is_one_sided(&self) -> bool {
        self.kind != DiffKind::Bytes && self.items.is_none() && self.place.path.a.ends_with(']')
    }

    /// Returns the line of text about the difference.
    pub fn line(&self) -> String {
        let [a, b] = [&self.values.a, &self.values.b].map(DiffValue::text);
        let label = &self.place.label;
        match (&self.values, &self.items) {
            (Both { a: DiffValue::Range { .. }, .. } | Both { b: DiffValue::Range { .. }, .. }, items) => {
                format!("{label}: {}", self.bytes_text(items.as_ref()))
            }
            (Both { b: DiffValue::Missing, .. }, None) if self.is_one_sided() => format!("{RED}- {label}{RED:#}"),
            (Both { a: DiffValue::Missing, .. }, None) if self.is_one_sided() => format!("{GREEN}+ {label}{GREEN:#}"),
            (_, None) => format!("{label}: {RED}{a}{RED:#} -> {GREEN}{b}{GREEN:#}"),
            (_, Some(items)) => {
                let ItemDifferences { count, of, first, bone, largest } = items;
                let bone = bone.map_or_else(String::new, |bone| format!(", bone {bone}"));
                let first = if items.bone.is_some() { format!("frame {first}") } else { first.to_string() };
                let largest = largest.map(|largest| format!(", largest difference {:?}", narrow(largest)));
                let largest = largest.unwrap_or_default();
                format!(
                    "{label}: {count} of {of} differ, first at {first}{bone}: {RED}{a}{RED:#} -> {GREEN}{b}{GREEN:#}{largest}"
                )
            }
        }
    }

    /// Returns the text about two ranges of bytes.
    fn bytes_text(&self, items: Option<&ItemDifferences>) -> String {
        match (&self.values.a, &self.values.b, items) {
            (DiffValue::Range { bytes, .. }, DiffValue::Missing, _) => {
                format!("{RED}only in A, {}{RED:#}", counted(*bytes, "byte"))
            }
            (DiffValue::Missing, DiffValue::Range { bytes, .. }, _) => {
                format!("{GREEN}only in B, {}{GREEN:#}", counted(*bytes, "byte"))
            }
            (DiffValue::Range { offset: a, bytes }, DiffValue::Range { offset: b, bytes: others }, Some(items)) => {
                let size = if bytes == others { String::new() } else { format!("{bytes} -> {others} bytes; ") };
                let at = |offset: &Option<u64>| offset.map_or_else(|| "its end".into(), |offset| offset.to_string());
                let ItemDifferences { count, of, .. } = items;
                format!(
                    "{size}{count} of {} differ, first at {RED}{}{RED:#} in A, {GREEN}{}{GREEN:#} in B",
                    counted(*of, "byte"),
                    at(a),
                    at(b)
                )
            }
            _ => String::new(),
        }
    }

    /// Writes the fields of the JSON object of the difference.
    pub fn write_json(&self, out: &mut JsonWriter<'_>) -> io::Result<()> {
        let Self { kind, place, values, items } = self;
        out.key("kind").string(&value_name(kind))?;
        out.key("item").string(&place.path.a)?;
        out.field("item_b", (place.path.a != place.path.b).then_some(place.path.b.as_str()))?;
        let types = values.as_ref().map(DiffValue::type_name);
        let is_mixed = types.all().is_some_and(|types| types.a != types.b);
        let as_json = |value: &DiffValue| if is_mixed { value.text().into() } else { value.json() };
        out.field("type", if is_mixed { Some("text") } else { types.a.or(types.b) })?;
        out.field("a", as_json(&values.a))?;
        out.field("b", as_json(&values.b))?;
        let items = items.as_ref();
        out.field("count", items.map(|items| items.count))?;
        out.field("of", items.map(|items| items.of))?;
        out.field("first", items.map(|items| items.first))?;
        out.field("bone", items.and_then(|items| items.bone))?;
        let largest = items.and_then(|items| items.largest);
        out.field("largest", largest.map_or(Value::Null, |largest| number(narrow(largest))))
    }
}
