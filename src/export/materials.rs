//! The materials that surfaces refer to by name.

use std::collections::BTreeMap;

use crate::error::{MAX_SHOWN_BYTES, Result, copy_text};
use crate::model::Contents;
use crate::parse::Name;
use crate::scene::InstancePlace;

/// The materials of a file by the names that surfaces use.
pub(crate) struct MaterialIndex {
    /// Copies of the names, with the indices of the materials in ascending order.
    names: BTreeMap<Vec<u8>, Vec<usize>>,
}

impl MaterialIndex {
    /// Reads the names of all materials of a file.
    pub(crate) fn new(contents: &dyn Contents) -> Result<Self> {
        let mut names = BTreeMap::<Vec<u8>, Vec<usize>>::new();
        for number in 0..contents.material_count()? {
            let material = contents.material(number)?;
            if let Some(name) = material.surface.or(material.name) {
                names.entry(name.to_vec()).or_default().push(number);
            }
        }
        Ok(Self { names })
    }

    /// Returns the index of the first material of a place with the name that a surface uses, or
    /// `None` if the file does not describe the material.
    pub(crate) fn find(&self, place: &InstancePlace, name: Name<'_>) -> Option<usize> {
        let numbers = self.names.get(&name.to_vec())?;
        let first = numbers.partition_point(|number| *number < place.materials.start);
        numbers.get(first).copied().filter(|number| *number < place.materials.end)
    }
}

/// Copies a name to a text of at most 4 KiB, with U+FFFD for bytes that are not UTF-8. Many
/// surfaces can have the same long name.
pub(crate) fn name_text(name: Name<'_>) -> String {
    let bytes = name.as_bytes();
    match bytes.get(..MAX_SHOWN_BYTES) {
        Some(head) if head.len() < bytes.len() => format!("{}…", copy_text(head)),
        _ => copy_text(bytes),
    }
}
