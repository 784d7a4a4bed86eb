//! Skeletons and their bones.

use std::ops::Range;

use super::reader::ElementReader;
use crate::error::{Field, Result};
use crate::formats::ezmesh::element_index::ElementKind;
use crate::formats::ezmesh::name_index::{NameIndex, find};
use crate::formats::ezmesh::view::View;
use crate::formats::ezmesh::xml::tag::AttributeValue;
use crate::math::as_u64;
use crate::model::{Bone, Transform};
use crate::parse::Name;

/// A skeleton: a list of bones.
#[derive(Clone, Copy, Debug)]
pub struct Skeleton<'a> {
    element: ElementReader<'a>,
}

/// The attributes of a bone, as they stand in the file.
pub(crate) const BONE: [&str; 5] = ["name", "parent", "orientation", "position", "scale"];

impl<'a> Skeleton<'a> {
    pub(crate) fn new(view: View<'a>, index: usize) -> Self {
        let place = Field::new("").in_list("skeleton", as_u64(index));
        Self { element: ElementReader { view, kind: ElementKind::Skeleton, index, place } }
    }

    /// Returns its name.
    ///
    /// # Errors
    ///
    /// Where the owner's bytes are no longer those that were opened.
    pub fn name(&self) -> Result<Name<'a>> {
        self.element.first_text("name")
    }

    /// Returns how many bones the file says that it has.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`](crate::error::ErrorKind::Value) where it is no count.
    pub fn declared_count(&self) -> Result<Option<u32>> {
        match self.element.fields()? {
            Some(mut reader) => {
                reader.skip_text("name")?;
                reader.u32("bones").map(Some)
            }
            None => self.element.counted("count"),
        }
    }

    /// Returns the numbers of its bones among all of the file's.
    #[must_use]
    pub fn bone_range(&self) -> Range<usize> {
        self.element.view.within(ElementKind::Bone, ElementKind::Skeleton, self.element.index)
    }

    /// Returns its bones, which hang from others by their numbers among all of the file's.
    #[must_use]
    pub fn bones(&self) -> impl ExactSizeIterator<Item = Result<Bone<'a>>> + use<'a> {
        let view = self.element.view;
        self.bone_range().map(move |bone| view.bone(bone))
    }
}

impl<'a> View<'a> {
    /// Returns the number of bones of all skeletons.
    #[must_use]
    pub fn bone_count(&self) -> usize {
        self.count(ElementKind::Bone)
    }

    /// Returns a bone, by its number among those of all skeletons. What a text file leaves out is the identity; a bone whose
    /// parent is not in its skeleton is a root.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NoSuch`](crate::error::ErrorKind::NoSuch); [`ErrorKind::Value`](crate::error::ErrorKind::Value) where an attribute is
    /// not made of as many numbers as it must.
    pub fn bone(&self, bone: usize) -> Result<Bone<'a>> {
        let element = self.bone_element(bone);
        if let Some(mut reader) = element.fields()? {
            let name = reader.text("name")?;
            let parent = reader.i32("parent")?;
            let bind = reader.transform()?;
            let bones = self.within(ElementKind::Bone, ElementKind::Skeleton, self.skeleton_of(bone));
            let parent = usize::try_from(parent).ok().filter(|parent| *parent < bones.len());
            let parent = parent.and_then(|parent| i32::try_from(bones.start.saturating_add(parent)).ok()).unwrap_or(-1);
            return Ok(Bone { name, parent, bind });
        }
        let [name, _, orientation, position, scale] = element.tag()?.values(BONE);
        let rest = Transform::default();
        let read = |value: Option<AttributeValue<'a>>, name, rest| match value {
            Some(value) => self.floats(value, element.place.named(name)),
            None => Ok(rest),
        };
        let bind = Transform {
            position: read(position, "position", rest.position)?,
            rotation: match orientation {
                Some(value) => self.floats(value, element.place.named("orientation"))?,
                None => rest.rotation,
            },
            scale: read(scale, "scale", rest.scale)?,
        };
        let parent = self.parents().get(bone).copied().unwrap_or(-1);
        Ok(Bone { name: name.map(AttributeValue::name).unwrap_or_default(), parent, bind })
    }

    /// Returns a bone's name.
    ///
    /// # Errors
    ///
    /// As [`bone`](Self::bone).
    pub fn bone_name(&self, bone: usize) -> Result<Name<'a>> {
        let element = self.bone_element(bone);
        element.first_text("name")
    }

    /// Returns the number of the bone that a bone of a binary file hangs from, as the file has it.
    pub(crate) fn stored_parent(&self, bone: usize) -> Result<Option<i32>> {
        let Some(mut reader) = self.bone_element(bone).fields()? else { return Ok(None) };
        reader.skip_text("name")?;
        reader.i32("parent").map(Some)
    }

    /// Returns the name of the bone that a bone of a text file hangs from, as the file has it.
    pub(crate) fn parent_name(&self, bone: usize) -> Option<Name<'a>> {
        self.bone_element(bone).tag().ok()?.value("parent").map(AttributeValue::name)
    }

    pub(crate) fn bone_element(&self, bone: usize) -> ElementReader<'a> {
        if bone >= self.bone_count() {
            let place = Field::new("").in_list("bone", as_u64(bone));
            return ElementReader { view: *self, kind: ElementKind::Bone, index: bone, place };
        }
        let skeleton = self.skeleton_of(bone);
        let local = bone.saturating_sub(self.first_bone_of(bone));
        let place = Field::new("").in_list("skeleton", as_u64(skeleton)).in_inner_list("bone", as_u64(local));
        ElementReader { view: *self, kind: ElementKind::Bone, index: bone, place }
    }

    /// Returns the number of the skeleton that a bone belongs to.
    pub(crate) fn skeleton_of(&self, bone: usize) -> usize {
        let start = self.state.elements.start(ElementKind::Bone, bone).unwrap_or_default();
        self.state.elements.around(ElementKind::Skeleton, start).unwrap_or_default()
    }

    fn first_bone_of(&self, bone: usize) -> usize {
        self.within(ElementKind::Bone, ElementKind::Skeleton, self.skeleton_of(bone)).start
    }

    /// Returns the parent of each bone of a text file, which is named there: the first of its skeleton with that name, whether
    /// it stands before or after. An unknown name is that of none.
    fn parents(&self) -> &'a [i32] {
        self.state.caches.parents.get_or_init(|| {
            let numbers = 0..u32::try_from(self.bone_count()).unwrap_or(u32::MAX);
            let at = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
            let skeleton = |number: u32| u32::try_from(self.skeleton_of(at(number))).unwrap_or(u32::MAX);
            let name = |number: u32| self.bone_name(at(number)).unwrap_or_default();
            let names =
                NameIndex::of(numbers.clone().map(|number| (skeleton(number), name(number).as_bytes(), number)));
            let parent = |number: u32| {
                let parent = names.find(skeleton(number), self.parent_name(at(number))?.as_bytes());
                parent.and_then(|parent| i32::try_from(parent).ok())
            };
            let mut parents = Vec::new();
            // Without the memory for them, no bone hangs from another.
            if parents.try_reserve_exact(self.bone_count()).is_ok() {
                parents.extend(numbers.map(|number| parent(number).unwrap_or(-1)));
            }
            parents.into_boxed_slice()
        })
    }

    /// Returns the first bone of any skeleton with a name.
    pub(crate) fn find_bone(&self, name: Name<'_>) -> Option<usize> {
        find(&self.state.caches.bones, self.bone_count(), name, |bone| self.bone_name(bone))
    }

    /// Returns the first skeleton with a name.
    pub(crate) fn find_skeleton(&self, name: Name<'_>) -> Option<usize> {
        let of = |index| Skeleton::new(*self, index).name();
        find(&self.state.caches.skeletons, self.count(ElementKind::Skeleton), name, of)
    }
}
