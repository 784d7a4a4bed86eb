//! Checks the validation rules about the XML text, and about the bytes after the last field of a
//! binary file.

use std::ops::Range;

use super::rules;
use crate::decode::ByteOrder;
use crate::error::{Field, Result, counted, is_utf8};
use crate::formats::ezmesh::elements::buffers::COUNTS;
use crate::formats::ezmesh::layout::PLANE;
use crate::formats::ezmesh::view::{Form, View};
use crate::formats::ezmesh::xml::element_name::ElementName;
use crate::formats::ezmesh::xml::scan::belongs;
use crate::formats::ezmesh::xml::tag::{Tag, XmlAttribute, is_blank};
use crate::formats::ezmesh::xml::walk::{OpenElement, XmlEvent, walk};
use crate::math::as_u64;
use crate::parse::{Name, Severity};
use crate::validate::Report;

pub(super) fn check(view: View<'_>, report: &mut Report<'_>) -> Result<()> {
    report.read(view.versions())?;
    if let Form::Binary { order, version } = view.state.form {
        if (order == ByteOrder::Little) != (version == 100) {
            let text = format_args!("expected the usual byte order of version {version}, found {order:?}-endian");
            report.add(rules::BINARY_BYTE_ORDER, Field::new("version"), 0, text);
        }
        let end = view.state.elements.plane.saturating_add(PLANE.size.into());
        let left = as_u64(view.bytes.len()).saturating_sub(end);
        if left > 0 {
            let text = format_args!("expected the end of the file, found {left} more bytes");
            report.add(rules::TRAILING_BYTES, Field::new("end"), end, text);
        }
        return Ok(());
    }
    let bytes = view.bytes;
    if bytes.starts_with(b"\xef\xbb\xbf") || bytes.first().is_some_and(|byte| is_blank(*byte)) {
        stumbles(report, 0, "blanks or a byte order mark at the start: the importer reads nothing");
    }
    let mut look = XmlCheck { bytes, report, lists: Vec::new() };
    walk(bytes, &view.state.context.options.limits, &mut |event, open| {
        look.see(&event, open);
        Ok(())
    })
}

fn stumbles(report: &mut Report<'_>, at: usize, what: &str) {
    let text = format_args!("expected XML that the original importer reads, found {what}");
    report.add(rules::ORIGINAL_IMPORTER, Field::new("elements"), as_u64(at), text);
}

/// An element that declares the number of its children, together with the number of children that
/// were found so far.
struct CountedElement {
    element: ElementName,
    said: Option<(u32, u64)>,
    seen: u32,
    depth: usize,
}

struct XmlCheck<'a, 'r, 's> {
    bytes: &'a [u8],
    report: &'r mut Report<'s>,
    lists: Vec<CountedElement>,
}

impl<'a> XmlCheck<'a, '_, '_> {
    fn see(&mut self, event: &XmlEvent<'a>, open: &[OpenElement<'a>]) {
        let in_data = open.last().is_some_and(|open| open.element.is_data());
        let bytes = |range: &Range<usize>| self.bytes.get(range.clone()).unwrap_or_default();
        let (rule, name, at, text) = match event {
            XmlEvent::Start { tag, element, end } => {
                self.start(*tag, *element, open);
                self.begin(*tag, *element, open.len());
                if end.is_empty {
                    self.finish(open.len());
                }
                return;
            }
            XmlEvent::End { .. } => return self.finish(open.len().saturating_sub(1)),
            XmlEvent::Text(range) => {
                let text = bytes(range);
                let first = text.iter().position(|byte| !is_blank(*byte)).filter(|_| !in_data);
                if let Some(first) = first {
                    let head = head(text.get(first..).unwrap_or_default());
                    let text = format_args!("expected elements, found the text \"{head}\", which is ignored");
                    let at = as_u64(range.start.saturating_add(first));
                    self.report.add(rules::TEXT_BETWEEN_NUMBERS, Field::new("elements"), at, text);
                }
                return;
            }
            XmlEvent::Comment(range) => {
                if in_data || open.iter().any(|open| open.element == ElementName::Mesh) {
                    let what = "a comment inside a mesh or its numbers: the importer loses the mesh";
                    stumbles(self.report, range.start, what);
                }
                let text = "expected no comment, found one, which is ignored";
                (rules::COMMENT_OR_INSTRUCTION, "comment", range.start, text)
            }
            XmlEvent::Instruction(range) => {
                if bytes(range).get(..6).is_some_and(|head| head.eq_ignore_ascii_case(b"<?xml ")) {
                    return;
                }
                let text = "expected no processing instruction, found one, which is ignored";
                (rules::COMMENT_OR_INSTRUCTION, "elements", range.start, text)
            }
            XmlEvent::Cdata(range) => {
                stumbles(self.report, range.start, "CDATA: the importer loses the numbers");
                if in_data {
                    return;
                }
                let text = "expected elements, found CDATA, which is ignored";
                (rules::TEXT_BETWEEN_NUMBERS, "elements", range.start, text)
            }
            XmlEvent::Doctype(range) => {
                (rules::DOCTYPE, "doctype", range.start, "expected no DOCTYPE, found one, which is ignored")
            }
        };
        self.report.add(rule, Field::new(name), as_u64(at), text);
    }

    fn start(&mut self, tag: Tag<'a>, element: ElementName, open: &[OpenElement<'a>]) {
        let name = Name::new(tag.name());
        if let Some(list) = self.lists.last_mut()
            && list.depth.saturating_add(1) == open.len()
            && list_items(list.element) == Some(element)
        {
            list.seen = list.seen.saturating_add(1);
        }
        let at = as_u64(tag.start);
        if element == ElementName::Unknown {
            let text = format_args!("expected elements of the format, found <{name}>, which is ignored");
            self.report.add(rules::UNKNOWN_ELEMENT, Field::new("elements"), at, text);
            return;
        }
        if !belongs(element, open) {
            let text = format_args!("expected <{name}> inside its parent element, found it elsewhere; it is ignored");
            self.report.add(rules::UNKNOWN_ELEMENT.with(Severity::Warning), Field::new("elements"), at, text);
        }
        let mut attributes = tag.attributes();
        while let Ok(Some(attribute)) = attributes.next() {
            self.attribute(element, &attribute);
        }
        if element == ElementName::IndexBuffer {
            self.counts(tag);
        }
        if element == ElementName::Bone {
            match tag.values(["position", "parent"]) {
                [None, _] => {
                    stumbles(self.report, tag.start, "a bone without a position: the importer may lose the skeleton");
                }
                [Some(position), Some(parent)] if parent.at > position.at => {
                    stumbles(self.report, tag.start, "a bone with parent after position: the importer crashes");
                }
                _ => {}
            }
        }
    }

    /// Checks that all attributes of a tag that declare the number of triangles have the same
    /// value.
    fn counts(&mut self, tag: Tag<'a>) {
        let [usual, older, published] = tag.values(COUNTS);
        if published.is_some() && usual.or(older).is_none() {
            stumbles(self.report, tag.start, "a triangle count named trianglecount: the importer loses the mesh");
        }
        let mut said = [usual, older, published].into_iter().flatten();
        let Some(first) = said.next() else { return };
        if let Some(other) = said.find(|other| other.bytes.trim_ascii() != first.bytes.trim_ascii()) {
            let [first, found] = [first, other].map(|value| head(value.bytes));
            let text =
                format_args!("expected \"{first}\", as in the earlier attribute, found \"{found}\"; the first is used");
            self.report.add(rules::LIST_COUNT, Field::new("count").in_struct("indexbuffer"), as_u64(other.at), text);
        }
    }

    fn attribute(&mut self, element: ElementName, attribute: &XmlAttribute<'a>) {
        let XmlAttribute { name, value, quote } = attribute;
        let (at, field) = (as_u64(value.at), Field::new("attribute").in_struct(element.name()));
        let is_known = element.attributes().iter().any(|known| name.eq_ignore_ascii_case(known.as_bytes()));
        if !is_known {
            let text = format_args!("expected attributes of the format, found {}, which is ignored", Name::new(name));
            self.report.add(rules::UNKNOWN_ATTRIBUTE, field, at, text);
        }
        if *quote != Some(b'"') {
            let what = "a value without double quotes: the importer loses it and all later attributes";
            stumbles(self.report, value.at, what);
        }
        if value.bytes.contains(&b'&') && is_known {
            let text = "expected no entity, found &; the value is kept as written";
            self.report.add(rules::ENTITY, field, at, text);
        }
        if is_known && memchr::memchr2(b'"', b'<', value.bytes).is_some() {
            let text = "expected no `\"` and no `<`; `rewrite` writes them as the entities `&quot;` and `&lt;`";
            self.report.add(rules::MARKUP_IN_VALUE, field, at, text);
        }
        if !is_utf8(value.bytes) {
            self.report.add(rules::NAME_ENCODING, field, at, "expected UTF-8, found other bytes; they are kept");
        }
    }

    /// Records the start of an element that declares the number of its children.
    fn begin(&mut self, tag: Tag<'a>, element: ElementName, depth: usize) {
        if list_items(element).is_none() {
            return;
        }
        let name = match element {
            ElementName::Mesh => "submesh_count",
            ElementName::Animation => "trackcount",
            _ => "count",
        };
        let value = tag.value(name);
        let said = value.and_then(|value| {
            let digits = value.bytes.trim_ascii();
            let number = digits.iter().try_fold(0_u32, |number, digit| {
                let digit = char::from(*digit).to_digit(10)?;
                number.checked_mul(10)?.checked_add(digit)
            });
            Some((number.filter(|_| !digits.is_empty())?, as_u64(value.at)))
        });
        if let Some(value) = value.filter(|_| said.is_none()) {
            let text = format_args!("expected a count, found \"{}\"", head(value.bytes));
            self.report.add(rules::LIST_COUNT, Field::new("count").in_struct(element.name()), as_u64(value.at), text);
        }
        self.lists.push(CountedElement { element, said, seen: 0, depth });
    }

    /// Compares the number of children that an element declares with the number of children that
    /// the element has.
    fn finish(&mut self, depth: usize) {
        let Some(list) = self.lists.pop_if(|list| list.depth == depth) else { return };
        if let Some((said, at)) = list.said.filter(|(said, _)| *said != list.seen) {
            let text = format_args!("expected {}, as declared, found {}", counted(said, "item"), list.seen);
            self.report.add(rules::LIST_COUNT, Field::new("count").in_struct(list.element.name()), at, text);
        }
    }
}

/// Returns the start of a text, for the text of a finding.
fn head(bytes: &[u8]) -> Name<'_> {
    Name::new(bytes.get(..24).unwrap_or(bytes))
}

/// Returns the kind of child elements whose number an element declares, or `None` if the element
/// declares no such number.
fn list_items(element: ElementName) -> Option<ElementName> {
    Some(match element {
        ElementName::Mesh => ElementName::Section,
        ElementName::Animation => ElementName::Track,
        ElementName::Skeleton => ElementName::Bone,
        ElementName::Representation => ElementName::Collision,
        ElementName::List("Skeletons") => ElementName::Skeleton,
        ElementName::List("Animations") => ElementName::Animation,
        ElementName::List("Materials") => ElementName::Material,
        ElementName::List("Meshes") => ElementName::Mesh,
        ElementName::List("TetraMeshes") => ElementName::Tetra,
        ElementName::List("MeshInstances") => ElementName::Instance,
        ElementName::List("MeshCollisionRepresentations") => ElementName::Representation,
        _ => return None,
    })
}
