//! Skeletons and their bones.

use std::ops::Range;
use std::sync::OnceLock;

use super::item::Item;
use super::markup::tag::Value;
use super::material::Material;
use super::mesh::Mesh;
use super::names::Names;
use super::outline::Kind;
use super::view::View;
use crate::error::{Field, Result};
use crate::model::{Bone, Transform};
use crate::parse::Name;

/// A skeleton: a list of bones.
#[derive(Clone, Copy, Debug)]
pub struct Skeleton<'a> {
    item: Item<'a>,
}

/// The attributes of a bone, as they stand in the file.
pub(super) const BONE: [&str; 5] = ["name", "parent", "orientation", "position", "scale"];

impl<'a> Skeleton<'a> {
    pub(super) const fn new(view: View<'a>, index: usize) -> Self {
        let place = Field::new("").in_list("skeleton", widen(index));
        Self { item: Item { view, kind: Kind::Skeleton, index, place } }
    }

    /// Returns its name.
    ///
    /// # Errors
    ///
    /// Where the owner's bytes are no longer those that were opened.
    pub fn name(&self) -> Result<Name<'a>> {
        match self.item.reader()? {
            Some(mut reader) => reader.text("name"),
            None => self.item.name("name"),
        }
    }

    /// Returns how many bones the file says that it has.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`](crate::error::ErrorKind::Value) where it is no count.
    pub fn declared_count(&self) -> Result<Option<u32>> {
        match self.item.reader()? {
            Some(mut reader) => {
                reader.skip_text("name")?;
                reader.u32("bones").map(Some)
            }
            None => self.item.counted("count"),
        }
    }

    /// Returns the numbers of its bones among all of the file's.
    #[must_use]
    pub fn bone_range(&self) -> Range<usize> {
        self.item.view.within(Kind::Bone, Kind::Skeleton, self.item.index)
    }

    /// Returns its bones, which hang from others by their numbers among all of the file's.
    #[must_use]
    pub fn bones(&self) -> impl ExactSizeIterator<Item = Result<Bone<'a>>> + use<'a> {
        let view = self.item.view;
        self.bone_range().map(move |bone| view.bone(bone))
    }
}

impl<'a> View<'a> {
    /// Returns the number of bones of all skeletons.
    #[must_use]
    pub fn bone_count(&self) -> usize {
        self.count(Kind::Bone)
    }

    /// Returns a bone, by its number among those of all skeletons. What a text file leaves out is the identity; a bone whose
    /// parent is not in its skeleton is a root.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NoSuch`](crate::error::ErrorKind::NoSuch); [`ErrorKind::Value`](crate::error::ErrorKind::Value) where an attribute is
    /// not made of as many numbers as it must.
    pub fn bone(&self, bone: usize) -> Result<Bone<'a>> {
        let item = self.bone_item(bone);
        if let Some(mut reader) = item.reader()? {
            let name = reader.text("name")?;
            let parent = reader.i32("parent")?;
            let bind = reader.transform()?;
            let bones = self.within(Kind::Bone, Kind::Skeleton, self.skeleton_of(bone));
            let parent = usize::try_from(parent).ok().filter(|parent| *parent < bones.len());
            let parent = parent.and_then(|parent| i32::try_from(bones.start.saturating_add(parent)).ok()).unwrap_or(-1);
            return Ok(Bone { name, parent, bind });
        }
        let [name, _, orientation, position, scale] = item.tag()?.values(BONE);
        let rest = Transform::default();
        let read = |value: Option<Value<'a>>, name, rest| match value {
            Some(value) => self.floats(value, item.place.named(name)),
            None => Ok(rest),
        };
        let bind = Transform {
            position: read(position, "position", rest.position)?,
            rotation: match orientation {
                Some(value) => self.floats(value, item.place.named("orientation"))?,
                None => rest.rotation,
            },
            scale: read(scale, "scale", rest.scale)?,
        };
        let parent = self.parents().get(bone).copied().unwrap_or(-1);
        Ok(Bone { name: name.map(Value::name).unwrap_or_default(), parent, bind })
    }

    /// Returns a bone's name.
    ///
    /// # Errors
    ///
    /// As [`bone`](Self::bone).
    pub fn bone_name(&self, bone: usize) -> Result<Name<'a>> {
        let item = self.bone_item(bone);
        match item.reader()? {
            Some(mut reader) => reader.text("name"),
            None => item.name("name"),
        }
    }

    /// Returns the number of the bone that a bone of a binary file hangs from, as the file has it.
    pub(super) fn stored_parent(&self, bone: usize) -> Result<Option<i32>> {
        let Some(mut reader) = self.bone_item(bone).reader()? else { return Ok(None) };
        reader.skip_text("name")?;
        reader.i32("parent").map(Some)
    }

    /// Returns the name of the bone that a bone of a text file hangs from, as the file has it.
    pub(super) fn parent_name(&self, bone: usize) -> Option<Name<'a>> {
        self.bone_item(bone).tag().ok()?.value("parent").map(Value::name)
    }

    pub(super) fn bone_item(&self, bone: usize) -> Item<'a> {
        if bone >= self.bone_count() {
            let place = Field::new("").in_list("bone", widen(bone));
            return Item { view: *self, kind: Kind::Bone, index: bone, place };
        }
        let skeleton = self.skeleton_of(bone);
        let local = bone.saturating_sub(self.first_bone_of(bone));
        let place = Field::new("").in_list("skeleton", widen(skeleton)).in_inner_list("bone", widen(local));
        Item { view: *self, kind: Kind::Bone, index: bone, place }
    }

    /// Returns the number of the skeleton that a bone belongs to.
    pub(super) fn skeleton_of(&self, bone: usize) -> usize {
        let start = self.state.outline.start(Kind::Bone, bone).unwrap_or_default();
        self.state.outline.around(Kind::Skeleton, start).unwrap_or_default()
    }

    fn first_bone_of(&self, bone: usize) -> usize {
        self.within(Kind::Bone, Kind::Skeleton, self.skeleton_of(bone)).start
    }

    /// Returns the parent of each bone of a text file, which is named there: the first of its skeleton with that name, whether
    /// it stands before or after. An unknown name is that of none.
    fn parents(&self) -> &'a [i32] {
        self.state.parents.get_or_init(|| {
            let numbers = 0..u32::try_from(self.bone_count()).unwrap_or(u32::MAX);
            let at = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
            let skeleton = |number: u32| u32::try_from(self.skeleton_of(at(number))).unwrap_or(u32::MAX);
            let name = |number: u32| self.bone_name(at(number)).unwrap_or_default();
            let names = Names::of(numbers.clone().map(|number| (skeleton(number), name(number).as_bytes(), number)));
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
    pub(super) fn find_bone(&self, name: Name<'_>) -> Option<usize> {
        find(&self.state.bones, self.bone_count(), name, |bone| self.bone_name(bone))
    }

    /// Returns the first skeleton with a name.
    pub(super) fn find_skeleton(&self, name: Name<'_>) -> Option<usize> {
        let of = |index| Skeleton::new(*self, index).name();
        find(&self.state.skeletons, self.count(Kind::Skeleton), name, of)
    }

    /// Returns the first mesh with a name.
    pub(super) fn find_mesh(&self, name: Name<'_>) -> Option<usize> {
        find(&self.state.meshes, self.count(Kind::Mesh), name, |index| Mesh::new(*self, index).name())
    }

    /// Returns the first material with a name.
    pub(super) fn find_material(&self, name: Name<'_>) -> Option<usize> {
        let of = |index| Material::new(*self, index).name();
        find(&self.state.materials, self.count(Kind::Material), name, of)
    }
}

/// Returns the first thing of a list with a name; all names are looked at once.
fn find<'a>(
    names: &OnceLock<Names>,
    count: usize,
    name: Name<'_>,
    name_of: impl Fn(usize) -> Result<Name<'a>>,
) -> Option<usize> {
    let at = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
    let names = names.get_or_init(|| {
        let numbers = 0..u32::try_from(count).unwrap_or(u32::MAX);
        Names::of(numbers.map(|number| (0, name_of(at(number)).unwrap_or_default().as_bytes(), number)))
    });
    names.find(0, name.as_bytes()).map(at)
}

/// Widens a number. No platform has more than 64 bits of address.
#[allow(clippy::as_conversions, reason = "widening; `u64::try_from` is not const")]
pub(super) const fn widen(number: usize) -> u64 {
    number as u64
}
