//! Builds the element index from the text of a file.

use super::element_name::ElementName;
use super::walk::{OpenElement, XmlEvent, walk};
use crate::error::{Cause, Error, Field, Result};
use crate::formats::ezmesh::element_index::{ElementIndex, ElementKind};
use crate::formats::ezmesh::layout::FORMAT;
use crate::formats::ezmesh::view::Dialect;
use crate::math::as_u64;
use crate::parse::Limits;

/// Finds every element of a text file, in one pass that parses no numbers.
pub(crate) fn scan(bytes: &[u8], limits: &Limits) -> Result<(ElementIndex, Dialect)> {
    let mut scan = XmlScan { elements: ElementIndex::default(), dialect: None, limits };
    walk(bytes, limits, &mut |event, open| scan.see(&event, open))?;
    // If the file has no root element, `walk` has already returned an error.
    Ok((scan.elements, scan.dialect.unwrap_or(Dialect::MeshSystem)))
}

struct XmlScan<'l> {
    elements: ElementIndex,
    dialect: Option<Dialect>,
    limits: &'l Limits,
}

impl XmlScan<'_> {
    fn see(&mut self, event: &XmlEvent<'_>, open: &[OpenElement<'_>]) -> Result<()> {
        match event {
            XmlEvent::Start { tag, element, end } => {
                self.start(*element, tag.start, open)?;
                if end.is_empty && element.is_data() {
                    self.end(*element, end.end, tag.start, open)?;
                }
                Ok(())
            }
            XmlEvent::End { element, tag } if element.is_data() => {
                let (this, open) = open.split_last().map_or((0, open), |(this, open)| (this.tag.start, open));
                self.end(*element, tag.start, this, open)
            }
            _ => Ok(()),
        }
    }

    fn start(&mut self, element: ElementName, start: usize, open: &[OpenElement<'_>]) -> Result<()> {
        if element == ElementName::Unknown {
            return Ok(());
        }
        if self.dialect.is_none() {
            self.elements.root = as_u64(start);
            self.dialect = Some(match element {
                ElementName::SceneGraph => Dialect::SceneGraph,
                ElementName::Mesh => Dialect::Mesh,
                _ => Dialect::MeshSystem,
            });
        }
        let misplaced =
            open.iter().find(|open| open.element.is_data() || open.element == element && element.is_owner());
        if let Some(around) = misplaced {
            let expected = format!("no {} within {}", element.name(), around.element.name());
            let kind = Cause::value(expected, "one");
            return Err(Error::new(FORMAT, element.field(), as_u64(start), kind));
        }
        let Some(kind) = kind(element, open) else { return Ok(()) };
        let count = as_u64(self.elements.count(kind));
        if count >= self.limits.items {
            let over = Cause::Limit { name: "items", allowed: self.limits.items, asked: count.saturating_add(1) };
            return Err(Error::new(FORMAT, Field::new(element.name()), as_u64(start), over));
        }
        let is_own = kind == ElementKind::Skeleton && open.iter().any(|open| open.element == ElementName::Mesh);
        let kept = self.elements.push(kind, as_u64(start))
            && (!is_own || self.elements.push(ElementKind::OwnSkeleton, as_u64(start)));
        if kept { Ok(()) } else { Err(self.out_of_memory(element, start)) }
    }

    fn end(&mut self, element: ElementName, end: usize, start: usize, open: &[OpenElement<'_>]) -> Result<()> {
        let Some(kind) = kind(element, open) else { return Ok(()) };
        if self.elements.push_end(kind, as_u64(end)) { Ok(()) } else { Err(self.out_of_memory(element, start)) }
    }

    fn out_of_memory(&self, element: ElementName, start: usize) -> Error {
        let asked = self.elements.size().saturating_mul(2);
        Error::new(FORMAT, Field::new(element.name()), as_u64(start), Cause::OutOfMemory { asked })
    }
}

/// Returns whether the format allows an element inside the given open elements.
pub(crate) fn belongs(element: ElementName, open: &[OpenElement<'_>]) -> bool {
    match element {
        ElementName::MeshSystem | ElementName::SceneGraph | ElementName::List(_) => true,
        ElementName::CollisionBox
        | ElementName::CollisionSphere
        | ElementName::CollisionCapsule
        | ElementName::CollisionConvex => open.iter().any(|open| open.element == ElementName::Collision),
        _ => kind(element, open).is_some(),
    }
}

/// Returns the kind under which the element index stores an XML element, or `None` if the element
/// has no meaning inside the given open elements.
///
/// The kind depends on the open elements that contain this element. For example, a `vertexbuffer`
/// has one kind inside a section, and another kind directly inside a mesh.
pub(crate) fn kind(element: ElementName, open: &[OpenElement<'_>]) -> Option<ElementKind> {
    let owners: &[(ElementName, ElementKind)] = match element {
        ElementName::Mesh => return Some(ElementKind::Mesh),
        ElementName::Skeleton => return Some(ElementKind::Skeleton),
        ElementName::Animation => return Some(ElementKind::Animation),
        ElementName::Material => return Some(ElementKind::Material),
        ElementName::Tetra => return Some(ElementKind::Tetra),
        ElementName::Instance => return Some(ElementKind::Instance),
        ElementName::Representation => return Some(ElementKind::Representation),
        ElementName::Bone => &[(ElementName::Skeleton, ElementKind::Bone)],
        ElementName::Track => &[(ElementName::Animation, ElementKind::Track)],
        ElementName::Section => &[(ElementName::Mesh, ElementKind::Section)],
        ElementName::Collision => &[(ElementName::Representation, ElementKind::Collision)],
        ElementName::MeshBox => &[
            (ElementName::Section, ElementKind::SectionBox),
            (ElementName::Mesh, ElementKind::MeshBox),
            (ElementName::MeshSystem, ElementKind::SystemBox),
        ],
        ElementName::VertexBuffer => &[
            (ElementName::Section, ElementKind::SectionVertices),
            (ElementName::Mesh, ElementKind::MeshVertices),
            (ElementName::CollisionConvex, ElementKind::HullVertices),
        ],
        ElementName::IndexBuffer => &[
            (ElementName::Section, ElementKind::Triangles),
            (ElementName::CollisionConvex, ElementKind::HullTriangles),
        ],
        _ => return None,
    };
    let owner_of = |open: &OpenElement<'_>| owners.iter().find(|(owner, _)| *owner == open.element);
    let (owner, kind) = *open.iter().rev().find_map(owner_of)?;
    // A child of an element that is not in the element index must not be counted as a child of an
    // earlier element that is in the element index.
    let is_listed = |element: ElementName, owner: ElementName| {
        let at = open.iter().rposition(|open| open.element == element);
        at.and_then(|at| open.get(..at)).is_some_and(|around| around.iter().any(|open| open.element == owner))
    };
    let is_indexed = match owner {
        ElementName::Section => is_listed(ElementName::Section, ElementName::Mesh),
        ElementName::CollisionConvex => is_listed(ElementName::Collision, ElementName::Representation),
        _ => true,
    };
    is_indexed.then_some(kind)
}
