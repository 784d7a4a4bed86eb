//! The materials that surfaces refer to by name.

// Rule: this file sorts and maps by copies only.

use std::collections::BTreeMap;
use std::ops::Range;

use super::contents::Contents;
use crate::error::Result;
use crate::parse::Name;

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

    /// Returns the index of the first material with the name that a surface uses, or `None` if the
    /// file does not describe it. `materials` are those of the instance that shows the surface.
    pub(crate) fn find(&self, materials: &Range<usize>, name: Name<'_>) -> Option<usize> {
        let numbers = self.names.get(&name.to_vec())?;
        let first = numbers.partition_point(|number| *number < materials.start);
        numbers.get(first).copied().filter(|number| *number < materials.end)
    }
}
