//! Metadata of the whole file: asset name, versions, declared bounding box, and the plane at the
//! end of a binary file.

use super::binary::BinaryReader;
use super::element_index::ElementKind;
use super::layout::FILE;
use super::view::View;
use super::xml::tag::AttributeValue;
use crate::array::Bounds;
use crate::error::{Field, Result};
use crate::parse::Name;

impl<'a> View<'a> {
    /// Returns the name of the asset, as stored in the file.
    ///
    /// # Errors
    ///
    /// Returns an error if the bytes of the file have changed since the file was opened.
    pub fn asset_name(&self) -> Result<Name<'a>> {
        match self.root(["asset_name", "name"], "asset_name")? {
            ([Some(name), _] | [None, Some(name)], _) => Ok(name.name()),
            (_, Some(mut reader)) => reader.text("asset_name"),
            _ => Ok(Name::default()),
        }
    }

    /// Returns the description of the asset, as stored in the file. The description is free text.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`asset_name`](Self::asset_name).
    pub fn asset_info(&self) -> Result<Name<'a>> {
        match self.root(["asset_info"], "asset_info")? {
            ([Some(info)], _) => Ok(info.name()),
            (_, Some(mut reader)) => reader.text("asset_info"),
            _ => Ok(Name::default()),
        }
    }

    /// Returns two versions: the version of the file format, and the version of the asset. Each of
    /// the two returned versions is `None` if the file does not declare it.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Value`](crate::error::ErrorKind::Value) if a declared version is not an
    /// integer.
    pub fn versions(&self) -> Result<[Option<i64>; 2]> {
        let names = ["mesh_system_version", "mesh_system_asset_version"];
        let (values, reader) = self.root(names, "system_version")?;
        if let Some(mut reader) = reader {
            let system = reader.i32("system_version")?;
            return Ok([Some(system.into()), Some(reader.i32("asset_version")?.into())]);
        }
        let [system, asset] = values;
        let read = |value: Option<AttributeValue<'a>>, name| {
            value.map(|value| self.integer(value, Field::new(name))).transpose()
        };
        Ok([read(system, "mesh_system_version")?, read(asset, "mesh_system_asset_version")?])
    }

    /// Returns the values of the attributes `names` of the root element of a text file. For a
    /// binary file, returns a reader at the first field after the tag `EZMESH`.
    fn root<const N: usize>(
        &self,
        names: [&str; N],
        field: &str,
    ) -> Result<([Option<AttributeValue<'a>>; N], Option<BinaryReader<'a>>)> {
        let start = self.state.elements.root;
        match self.order() {
            Some(order) => {
                let mut reader = self.binary_reader(order, start, Field::new(""))?;
                reader.pass_to(FILE, field)?;
                Ok(([None; N], Some(reader)))
            }
            None => Ok((self.tag(start)?.values(names), None)),
        }
    }

    /// Returns the bounding box that the file declares for all its contents, or `None` if the file
    /// declares no bounding box.
    ///
    /// The declared bounding box may be wrong: in some real files it is ten times smaller than the
    /// meshes.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Value`](crate::error::ErrorKind::Value) if the declared bounding box
    /// does not consist of six numbers.
    pub fn declared_bounds(&self) -> Result<Option<Bounds>> {
        self.box_at(ElementKind::SystemBox, 0..self.count(ElementKind::SystemBox).min(1), Field::new(""))
    }

    /// Returns the plane at the end of a binary file: the three components of the plane's normal,
    /// and the plane's distance from the origin. Returns `None` for a text file.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`asset_name`](Self::asset_name).
    pub fn plane(&self) -> Result<Option<[f32; 4]>> {
        let Some(order) = self.order() else { return Ok(None) };
        self.binary_reader(order, self.state.elements.plane, Field::new(""))?.floats("plane").map(Some)
    }
}
