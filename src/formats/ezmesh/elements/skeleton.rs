//! Skeletons and their bones.

use std::ops::Range;

use super::Skeleton;
use super::reader::ElementReader;
use crate::error::Result;
use crate::formats::ezmesh::caches::NameIndex;
use crate::formats::ezmesh::element_index::ElementKind;
use crate::formats::ezmesh::view::View;
use crate::formats::ezmesh::xml::tag::AttributeValue;
use crate::math::as_index;
use crate::model::Bone;
use crate::parse::Name;

impl<'a> Skeleton<'a> {
    /// Returns the number of bones that the file declares for the skeleton, or `None` if the
    /// attribute `count` of a text file is missing.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Value`](crate::error::ErrorKind::Value) if the attribute `count` is not
    /// an integer from 0 to 4294967295.
    pub fn declared_count(&self) -> Result<Option<u32>> {
        match self.element.fields_from("bones")? {
            Some(mut reader) => reader.u32("bones").map(Some),
            None => self.element.counted("count"),
        }
    }

    /// Returns the range of bone indices of the skeleton. Bone indices count the bones of all
    /// skeletons of the file.
    #[must_use]
    pub fn bone_range(&self) -> Range<usize> {
        self.element.view.within(ElementKind::Bone, ElementKind::Skeleton, self.element.index)
    }

    /// Returns the bones of the skeleton. The parent index of a returned bone counts the bones of
    /// all skeletons of the file.
    #[must_use]
    pub fn bones(&self) -> impl ExactSizeIterator<Item = Result<Bone<'a>>> + use<'a> {
        let view = self.element.view;
        self.bone_range().map(move |bone| view.bone(bone))
    }
}

impl<'a> View<'a> {
    /// Returns the total number of bones in all skeletons of the file.
    #[must_use]
    pub fn bone_count(&self) -> usize {
        self.count(ElementKind::Bone)
    }

    /// Returns a bone by its index among the bones of all skeletons.
    ///
    /// If a text file omits the position, rotation or scale of a bone, the identity value (0, no
    /// rotation, or 1) is returned. A bone whose parent is not in the same skeleton is returned
    /// without a parent.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::NoSuch`](crate::error::ErrorKind::NoSuch) if the index is out of range.
    /// Returns [`ErrorKind::Value`](crate::error::ErrorKind::Value) if an attribute of the bone in
    /// a text file does not contain exactly three numbers for a position or scale, or four numbers
    /// for an orientation.
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
        let bind = element.transform(["position", "orientation", "scale"])?;
        Ok(Bone { name: element.name("name")?, parent: self.parents().get(bone).copied().unwrap_or(-1), bind })
    }

    /// Returns the name of the bone with the index `bone`. Bone indices count the bones of all
    /// skeletons.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`bone`](Self::bone).
    pub fn bone_name(&self, bone: usize) -> Result<Name<'a>> {
        self.bone_element(bone).text("name")
    }

    /// Returns the parent index of a bone as stored in a binary file, without a range check.
    /// Returns `None` for a text file.
    pub(crate) fn stored_parent(&self, bone: usize) -> Result<Option<i32>> {
        let reader = self.bone_element(bone).fields_from("parent")?;
        reader.map(|mut reader| reader.i32("parent")).transpose()
    }

    /// Returns the parent name of a bone as stored in a text file, without a check that a bone with
    /// this name exists.
    pub(crate) fn parent_name(&self, bone: usize) -> Option<Name<'a>> {
        self.bone_element(bone).tag().ok()?.value("parent").map(AttributeValue::name)
    }

    pub(crate) fn bone_element(&self, bone: usize) -> ElementReader<'a> {
        let outer = (bone < self.bone_count()).then_some((ElementKind::Skeleton, "skeleton"));
        ElementReader::new(*self, outer, (ElementKind::Bone, "bone"), bone)
    }

    /// Returns the index of the skeleton that contains a bone.
    fn skeleton_of(&self, bone: usize) -> usize {
        let start = self.state.elements.start(ElementKind::Bone, bone).unwrap_or_default();
        self.state.elements.around(ElementKind::Skeleton, start).unwrap_or_default()
    }

    /// Returns an index of the names of all bones, in groups by skeleton.
    pub(in crate::formats::ezmesh) fn bone_names(&self) -> NameIndex {
        let bones = 0..u32::try_from(self.bone_count()).unwrap_or(u32::MAX);
        NameIndex::of(bones.map(|bone| {
            let name = self.bone_name(as_index(bone)).unwrap_or_default();
            (self.bone_group(as_index(bone)), name.as_bytes(), bone)
        }))
    }

    /// Returns the group in [`bone_names`](Self::bone_names) of the bones that are in the skeleton
    /// of a bone.
    pub(crate) fn bone_group(&self, bone: usize) -> u32 {
        u32::try_from(self.skeleton_of(bone)).unwrap_or(u32::MAX)
    }

    /// Returns the parent index of each bone of a text file. A text file stores only the name of a
    /// bone's parent.
    ///
    /// The parent is the first bone of the same skeleton that has the stored parent name. The
    /// parent bone may come before or after the child bone in the file. If no bone of the skeleton
    /// has the stored parent name, the child bone has no parent.
    fn parents(&self) -> &'a [i32] {
        self.state.caches.parents.get_or_init(|| {
            let names = self.bone_names();
            let parent = |bone: usize| {
                let parent = names.find(self.bone_group(bone), self.parent_name(bone)?.as_bytes());
                parent.and_then(|parent| i32::try_from(parent).ok())
            };
            let mut parents = Vec::new();
            // If the allocation of the vector fails, all bones are returned without a parent.
            if parents.try_reserve_exact(self.bone_count()).is_ok() {
                parents.extend((0..self.bone_count()).map(|bone| parent(bone).unwrap_or(-1)));
            }
            parents.into_boxed_slice()
        })
    }
}
