//! From the text of a file to its outline.

use super::element::Element;
use super::walk::{Event, Open, walk};
use crate::error::{Error, ErrorKind, Field, Result};
use crate::formats::ezmesh::FORMAT;
use crate::formats::ezmesh::outline::{Kind, Outline};
use crate::formats::ezmesh::view::Dialect;
use crate::math::as_u64;
use crate::parse::Limits;

/// Finds every element, in one pass that reads no number.
pub(in crate::formats::ezmesh) fn scan(bytes: &[u8], limits: &Limits) -> Result<(Outline, Dialect)> {
    let mut scan = Scan { outline: Outline::new(), dialect: None, limits };
    walk(bytes, limits, &mut |event, open| scan.see(&event, open))?;
    // Without a root the walk fails.
    Ok((scan.outline, scan.dialect.unwrap_or(Dialect::MeshSystem)))
}

struct Scan<'l> {
    outline: Outline,
    dialect: Option<Dialect>,
    limits: &'l Limits,
}

impl Scan<'_> {
    fn see(&mut self, event: &Event<'_>, open: &[Open<'_>]) -> Result<()> {
        match event {
            Event::Start { tag, element, end } => {
                self.start(*element, tag.start, open)?;
                if end.is_empty && element.is_data() {
                    self.end(*element, end.end, tag.start, open)?;
                }
                Ok(())
            }
            Event::End { element, tag } if element.is_data() => {
                let (this, open) = open.split_last().map_or((0, open), |(this, open)| (this.tag.start, open));
                self.end(*element, tag.start, this, open)
            }
            _ => Ok(()),
        }
    }

    fn start(&mut self, element: Element, start: usize, open: &[Open<'_>]) -> Result<()> {
        if element == Element::Unknown {
            return Ok(());
        }
        if self.dialect.is_none() {
            self.outline.root = as_u64(start);
            self.dialect = Some(match element {
                Element::SceneGraph => Dialect::SceneGraph,
                Element::Mesh => Dialect::Mesh,
                _ => Dialect::MeshSystem,
            });
        }
        let misplaced =
            open.iter().find(|open| open.element.is_data() || open.element == element && element.is_owner());
        if let Some(around) = misplaced {
            let expected = format!("no {} within {}", element.name(), around.element.name());
            let kind = ErrorKind::Value { expected: expected.into(), found: "one".into() };
            return Err(Error::new(FORMAT, element.field(), as_u64(start), kind));
        }
        let Some(kind) = kind(element, open) else { return Ok(()) };
        let count = as_u64(self.outline.count(kind));
        if count >= self.limits.items {
            let over = ErrorKind::Limit { name: "items", allowed: self.limits.items, asked: count.saturating_add(1) };
            return Err(Error::new(FORMAT, Field::new(element.name()), as_u64(start), over));
        }
        let is_own = kind == Kind::Skeleton && open.iter().any(|open| open.element == Element::Mesh);
        let kept =
            self.outline.push(kind, as_u64(start)) && (!is_own || self.outline.push(Kind::OwnSkeleton, as_u64(start)));
        if kept { Ok(()) } else { Err(self.out_of_memory(element, start)) }
    }

    fn end(&mut self, element: Element, end: usize, start: usize, open: &[Open<'_>]) -> Result<()> {
        let Some(kind) = kind(element, open) else { return Ok(()) };
        if self.outline.push_end(kind, as_u64(end)) { Ok(()) } else { Err(self.out_of_memory(element, start)) }
    }

    fn out_of_memory(&self, element: Element, start: usize) -> Error {
        let asked = self.outline.size().saturating_mul(2);
        Error::new(FORMAT, Field::new(element.name()), as_u64(start), ErrorKind::OutOfMemory { asked })
    }
}

/// Tells whether an element stands where it has a meaning.
pub(in crate::formats::ezmesh) fn belongs(element: Element, open: &[Open<'_>]) -> bool {
    match element {
        Element::MeshSystem | Element::SceneGraph | Element::List(_) => true,
        Element::CollisionBox | Element::CollisionSphere | Element::CollisionCapsule | Element::CollisionConvex => {
            open.iter().any(|open| open.element == Element::Collision)
        }
        _ => kind(element, open).is_some(),
    }
}

/// Returns the list that an element belongs to, by those that it stands in; `None` for what belongs to nothing.
pub(in crate::formats::ezmesh) fn kind(element: Element, open: &[Open<'_>]) -> Option<Kind> {
    let around = |owners: &[Element]| open.iter().rev().map(|open| open.element).find(|one| owners.contains(one));
    // What stands in an element that is in no list must not pass for that of the one before it in the list.
    let listed = |element: Element, owner: Element| {
        let at = open.iter().rposition(|open| open.element == element)?;
        open.get(..at)?.iter().any(|open| open.element == owner).then_some(())
    };
    let in_section = || listed(Element::Section, Element::Mesh);
    let in_collision = || listed(Element::Collision, Element::Representation);
    Some(match element {
        Element::Mesh => Kind::Mesh,
        Element::Skeleton => Kind::Skeleton,
        Element::Animation => Kind::Animation,
        Element::Material => Kind::Material,
        Element::Tetra => Kind::Tetra,
        Element::Instance => Kind::Instance,
        Element::Representation => Kind::Representation,
        Element::Bone => around(&[Element::Skeleton]).map(|_| Kind::Bone)?,
        Element::Track => around(&[Element::Animation]).map(|_| Kind::Track)?,
        Element::Section => around(&[Element::Mesh]).map(|_| Kind::Section)?,
        Element::Collision => around(&[Element::Representation]).map(|_| Kind::Collision)?,
        Element::MeshBox => match around(&[Element::Section, Element::Mesh, Element::MeshSystem])? {
            Element::Section => in_section().map(|()| Kind::SectionBox)?,
            Element::Mesh => Kind::MeshBox,
            _ => Kind::SystemBox,
        },
        Element::VertexBuffer => match around(&[Element::Section, Element::Mesh, Element::CollisionConvex])? {
            Element::Section => in_section().map(|()| Kind::SectionVertices)?,
            Element::Mesh => Kind::MeshVertices,
            _ => in_collision().map(|()| Kind::HullVertices)?,
        },
        Element::IndexBuffer => match around(&[Element::Section, Element::CollisionConvex])? {
            Element::Section => in_section().map(|()| Kind::Triangles)?,
            _ => in_collision().map(|()| Kind::HullTriangles)?,
        },
        Element::MeshSystem
        | Element::SceneGraph
        | Element::List(_)
        | Element::CollisionBox
        | Element::CollisionSphere
        | Element::CollisionCapsule
        | Element::CollisionConvex
        | Element::Idle
        | Element::Unknown => return None,
    })
}
