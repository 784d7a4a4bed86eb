//! The methods of a [`Model`]: surfaces, animations, materials and the regions of its files.

use std::io::Write;
use std::ops::Range;

use super::model::Model;
use crate::array::Bounds;
use crate::error::Result;
use crate::model::animation::{Animations, Clip, Skeleton};
use crate::model::{
    Asset, Contents, DrawList, Geometry, Instance, LentSurface, Material, MaybeOwned, MeshSelection, Space, Surface,
};
use crate::model::{DescribedBlocks, properties};
use crate::parse::{AccessLog, Finding, Name, Region, Rule, Value};
#[cfg(feature = "query")]
use crate::query::{Scene, SceneTrees};

/// Returns the items 0 to `count`, each as `get` returns it.
fn items<T>(count: usize, get: impl Fn(usize) -> Result<T>) -> impl ExactSizeIterator<Item = Result<T>> {
    (0..count).map(get)
}

/// A method with an index that returns a `Result` returns
/// [`ErrorKind::NoSuch`](crate::ErrorKind::NoSuch) if the index is out of range. If the bytes that
/// a method has to read are damaged or missing, it returns the error of the reader of the format,
/// with the field and the byte offset.
#[allow(clippy::missing_errors_doc, reason = "documented once for all methods")]
impl<D: AsRef<[u8]> + Send + Sync> Model<D> {
    /// Returns the name of the format, in lower case and without spaces, such as `unigine`.
    #[must_use]
    pub fn format(&self) -> &'static str {
        self.file().format()
    }

    /// Returns the name of the version within the format, such as `ms13`.
    #[must_use]
    pub fn version(&self) -> &'static str {
        self.file().version()
    }

    /// Returns the coordinate conventions of the stored values. [`Space::conversion_to`] converts
    /// them to other conventions.
    #[must_use]
    pub fn space(&self) -> Space {
        self.file().space()
    }

    /// Returns the bounding box of all surfaces: see [`Geometry::bounds`].
    pub fn bounds(&self) -> Result<Bounds> {
        Geometry::bounds(self.file())
    }

    /// Returns the surfaces that the file is drawn with, in file order: those of its asset in the
    /// highest level of detail, without their placement. [`levels`](Self::levels) and
    /// [`assets`](Self::assets) return all surfaces. A file with animations only, such as UNIGINE
    /// `.anim`, has none.
    ///
    /// The first call reads what the surfaces are counted by: in Second Life, it inflates the level
    /// of detail, and in an Unreal mesh, it groups the polygons by their materials. In all other
    /// formats, no array is read.
    ///
    /// ```
    /// # fn main() -> meshpeek::Result<()> {
    /// let model = meshpeek::open("data/unigine/cube_ms13.mesh")?;
    /// for surface in model.surfaces()? {
    ///     println!("{}: {} triangles", surface.name()?, surface.corners()?.triangle_count());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn surfaces(&self) -> Result<impl ExactSizeIterator<Item = Surface<'_>>> {
        self.geometry().surfaces()
    }

    /// Returns surface `index` of [`surfaces`](Self::surfaces).
    pub fn surface(&self, index: usize) -> Result<Surface<'_>> {
        self.geometry().surface(index)
    }

    /// Lends surface `index` of [`surfaces`](Self::surfaces). In a format that compresses each
    /// surface, the inflated arrays are freed with the returned value.
    ///
    /// Use this method to look at one surface of a large file after another. The model keeps every
    /// surface that [`surface`](Self::surface) inflates, because arrays borrow from the model. In
    /// all other formats, the returned value borrows from the model, too, and lending saves no
    /// memory.
    ///
    /// ```
    /// # fn main() -> meshpeek::Result<()> {
    /// use meshpeek::Array;
    /// let model = meshpeek::open("data/unigine/room_ms14.mesh")?;
    /// for index in 0..model.surfaces()?.len() {
    ///     let lent = model.lend(index)?;
    ///     let surface = lent.surface();
    ///     println!("{}: {:?}", surface.name()?, surface.positions()?.bounds());
    /// } // the arrays of the surface are freed here
    /// # Ok(())
    /// # }
    /// ```
    pub fn lend(&self, index: usize) -> Result<LentSurface<'_>> {
        self.geometry().lend(index)
    }

    /// Returns the surfaces as a [`Geometry`], the type of every level of detail.
    #[must_use]
    pub fn geometry(&self) -> &dyn Geometry {
        self.file()
    }

    /// Makes a scene of all surfaces that are [drawn](Surface::is_drawn), for queries such as ray
    /// casts. A tree over the triangles of each surface is built, unless the
    /// [sidecar](Self::sidecar) has it.
    ///
    /// A struct that contains the model and its trees holds [`scene_trees`](Self::scene_trees).
    ///
    /// ```
    /// # fn main() -> meshpeek::Result<()> {
    /// use meshpeek::query::Ray;
    /// let model = meshpeek::open("data/unigine/cube_ms13.mesh")?;
    /// let scene = model.scene()?;
    /// let hit = scene.ray(&Ray::toward([0.1, 0.2, 9.0], [0.1, 0.2, 0.0]));
    /// assert_eq!(hit.map(|hit| (hit.surface, hit.triangle)), Some((0, 9)));
    /// # Ok(())
    /// # }
    /// ```
    #[cfg(feature = "query")]
    pub fn scene(&self) -> Result<Scene<'_>> {
        let geometry = self.geometry();
        self.sidecar().map_or_else(|| Scene::new(geometry), |sidecar| Scene::indexed(geometry, sidecar))
    }

    /// Makes the trees of all surfaces, like [`scene`](Self::scene), for a struct that contains
    /// them together with the model.
    ///
    /// ```
    /// # fn main() -> meshpeek::Result<()> {
    /// use meshpeek::Model;
    /// use meshpeek::query::SceneTrees;
    ///
    /// struct Level {
    ///     model: Model,
    ///     trees: SceneTrees,
    /// }
    ///
    /// let model = meshpeek::open("data/unigine/cube_ms13.mesh")?;
    /// let trees = model.scene_trees()?;
    /// let level = Level { model, trees };
    /// let scene = level.trees.scene(level.model.geometry())?;
    /// # let _ = scene;
    /// # Ok(())
    /// # }
    /// ```
    #[cfg(feature = "query")]
    pub fn scene_trees(&self) -> Result<SceneTrees> {
        SceneTrees::new(self.geometry(), self.scene()?)
    }

    /// Returns the bones of the model, with their rest transforms and inverse bind matrices.
    pub fn skeleton(&self) -> Result<Skeleton> {
        Skeleton::new(self.animations())
    }

    /// Returns the clips of the model, in file order, without reading their key frames.
    pub fn clips(&self) -> Result<impl ExactSizeIterator<Item = Result<Clip<'_>>>> {
        let animations = self.animations();
        Ok(items(animations.clip_count()?, |clip| animations.clip(clip)))
    }

    /// Returns clip `index` of [`clips`](Self::clips).
    pub fn clip(&self, index: usize) -> Result<Clip<'_>> {
        self.animations().clip(index)
    }

    /// Returns the bones and clips of the model, whose frames a [`Pose`](crate::Pose) reads.
    #[must_use]
    pub fn animations(&self) -> &dyn Animations {
        self.file()
    }

    /// Returns the levels of detail of the model, the most detailed first. A level is opened when
    /// the iterator returns it.
    pub fn levels(&self) -> Result<impl ExactSizeIterator<Item = Result<MaybeOwned<'_, dyn Geometry + '_>>>> {
        let asset = self.opened_asset();
        Ok(items(asset.level_count()?, |level| asset.level(level)))
    }

    /// Returns level of detail `index` of [`levels`](Self::levels).
    pub fn level(&self, index: usize) -> Result<MaybeOwned<'_, dyn Geometry + '_>> {
        self.opened_asset().level(index)
    }

    /// Returns the assets of the file. An asset is a mesh with its levels of detail, its skeleton
    /// and its collision shapes; most files contain one. An asset is opened when the iterator
    /// returns it.
    pub fn assets(&self) -> Result<impl ExactSizeIterator<Item = Result<MaybeOwned<'_, dyn Asset + '_>>>> {
        let contents = self.contents();
        Ok(items(contents.asset_count()?, |asset| contents.asset(asset)))
    }

    /// Returns asset `index` of [`assets`](Self::assets).
    pub fn asset(&self, index: usize) -> Result<MaybeOwned<'_, dyn Asset + '_>> {
        self.contents().asset(index)
    }

    /// Returns the instances of the file: the places of its assets, in file order. A file that
    /// stores no instances has one instance of each asset.
    ///
    /// ```
    /// # fn main() -> meshpeek::Result<()> {
    /// let model = meshpeek::open("data/secondlife/model.slm")?;
    /// for instance in model.instances()? {
    ///     println!("{:?}", instance?.transform.columns());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn instances(&self) -> Result<impl ExactSizeIterator<Item = Result<Instance<'_>>>> {
        let contents = self.contents();
        Ok(items(contents.instance_count()?, |instance| contents.instance(instance)))
    }

    /// Lists what is drawn of the file: each visible surface of each instance, with its transform,
    /// material and bounds, in the conventions `space`. Assets are drawn in the most detailed level
    /// that can be read.
    pub fn draw_list(&self, space: &Space) -> Result<DrawList<'_>> {
        DrawList::new(self.contents(), None, space)
    }

    /// Lists level of detail `level`, or the least detailed one of an asset with fewer levels.
    pub fn draw_list_at(&self, level: usize, space: &Space) -> Result<DrawList<'_>> {
        DrawList::new(self.contents(), Some(level), space)
    }

    /// Returns the materials that the file describes, in file order.
    pub fn materials(&self) -> Result<impl ExactSizeIterator<Item = Result<Material<'_>>>> {
        let contents = self.contents();
        Ok(items(contents.material_count()?, |material| contents.material(material)))
    }

    /// Calls `visit` for each key that describes the whole file, such as its author, in file order.
    /// A value of bytes, such as a UUID, is a text of hexadecimal digits. A damaged entry is not
    /// visited, because [`validate`](Self::validate) reports it.
    pub fn metadata(&self, visit: &mut dyn FnMut(Name<'_>, Value)) -> Result<()> {
        self.contents().metadata(&mut |entry| visit(entry.key, entry.value.into()))
    }

    /// Returns the values of the file that only its format has, as the page
    /// [JSON output](crate::guide::json) lists them, without those in compressed blocks of Second
    /// Life.
    ///
    /// ```
    /// # fn main() -> meshpeek::Result<()> {
    /// let model = meshpeek::open("data/ezmesh/crate.ezm")?;
    /// println!("{}", model.properties()?);
    /// # Ok(())
    /// # }
    /// ```
    pub fn properties(&self) -> Result<Value> {
        let described = DescribedBlocks { is_header_only: true, ..DescribedBlocks::default() };
        properties::collect(|out| Ok(self.file().properties(&described, out)))
    }

    /// Returns the values of surface `index` that only the format of the file has, as a record.
    pub fn surface_properties(&self, index: usize) -> Result<Value> {
        properties::collect(|out| self.file().surface_properties(index, out))
    }

    /// Returns the value that contains or borrows the bytes of source `source`, or `None` if the
    /// index is out of range.
    #[must_use]
    pub fn source(&self, source: usize) -> Option<&D> {
        self.file().source(source)
    }

    /// Returns the number of sources (files) of the model, which is 1 for most formats.
    #[must_use]
    pub fn source_count(&self) -> usize {
        self.file().source_count()
    }

    /// Advises the operating system that the program will soon read all sources, except a script,
    /// from the first byte to the last.
    ///
    /// Call `prefetch` before a program reads most arrays of a mapped mesh, for example to convert
    /// the mesh. Arrays of a file on a disk are then read at its speed, in any order.
    pub fn prefetch(&self) {
        self.file().prefetch();
    }

    /// Returns the byte ranges of source `source` that `part` needs besides
    /// [`MeshSelection::Structure`], for a program with I/O of its own.
    ///
    /// A reader that has the bytes of the structure and of the part reads the same values as from
    /// the whole file. The ranges are in ascending order, do not touch each other, and are not
    /// empty. The list is empty if the part needs no bytes of this file, as an attribute that the
    /// surface does not have. If a part is in a block, the ranges contain all stored bytes of the
    /// block, which is not inflated. The method reads the structure only, as far as it has to find
    /// the part, and no item of an array.
    ///
    /// The ranges lie in the file, unless it is opened as [`partial`](crate::OpenOptions::with_partial):
    /// its header then names the blocks before they are loaded. If the structure is damaged or ends
    /// too early, [`Error::needed_range`](crate::Error::needed_range) names the missing bytes.
    ///
    /// ```
    /// # fn main() -> meshpeek::Result<()> {
    /// use meshpeek::model::MeshSelection;
    /// let model = meshpeek::open("data/unigine/room_ms14.mesh")?;
    /// for range in model.byte_ranges(0, &MeshSelection::Surface(0))? {
    ///     println!("bytes {}..{}", range.start, range.end);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn byte_ranges(&self, source: usize, part: &MeshSelection) -> Result<Vec<Range<u64>>> {
        self.file().byte_ranges(source, part)
    }

    /// Returns the access log of source `source`, if it has one. A script has none.
    #[doc(hidden)]
    #[must_use]
    pub fn access_log(&self, source: usize) -> Option<&AccessLog> {
        self.file().access_log(source)
    }

    /// Returns the number of distinct bytes, in all sources, that were read until now.
    ///
    /// Returns `None` if the file was opened without
    /// [`record_access`](crate::OpenOptions::with_record_access).
    #[must_use]
    pub fn touched_bytes(&self) -> Option<u64> {
        self.file().touched_bytes()
    }

    /// Checks the structure of the whole file, such as its counts and magic numbers, and returns
    /// the first error. The method reads no vertex.
    pub fn check(&self) -> Result<()> {
        self.file().check()
    }

    /// Calls `visit` once for each region of source `source`, in file order.
    ///
    /// A region is a byte range with a field name. The regions cover every byte of the file without
    /// gaps. If the structure of the file is damaged, the regions before the error are visited.
    ///
    /// ```
    /// # fn main() -> meshpeek::Result<()> {
    /// let model = meshpeek::open("data/unigine/cube_ms13.mesh")?;
    /// model.regions(0, &mut |region| println!("{}: {} bytes", region.field, region.len()))?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn regions(&self, source: usize, visit: &mut dyn FnMut(Region)) -> Result<()> {
        self.file().regions(source, visit)
    }

    /// Returns the rules of the format that [`validate`](Self::validate) tests.
    #[must_use]
    pub fn rules(&self) -> &'static [Rule] {
        self.file().rules()
    }

    /// Tests all rules of the format, in the structure and in every value, and passes each
    /// violation to `report`.
    ///
    /// Returns an error if the rest of the file cannot be read after an error in its structure. The
    /// findings before the error have already been passed to `report`.
    pub fn validate(&self, report: &mut dyn FnMut(Finding)) -> Result<()> {
        self.file().validate(report)
    }

    /// Tests only the rules about the structure (counts, names and parents of bones), like
    /// [`validate`](Self::validate). The method reads no vertex.
    #[doc(hidden)]
    pub fn validate_structure(&self, report: &mut dyn FnMut(Finding)) -> Result<()> {
        self.file().validate_structure(report)
    }

    /// Writes source `source` again, with the writer of the format. For a binary file without
    /// errors, the output has the same bytes as the file.
    ///
    /// Returns the first error in the structure of the file, or an error of `out`.
    pub fn write_to(&self, source: usize, out: &mut dyn Write) -> Result<()> {
        self.file().write_to(source, out)
    }

    /// Returns the assets, instances, materials and metadata of the model, for all formats.
    #[doc(hidden)]
    #[must_use]
    pub fn contents(&self) -> &dyn Contents {
        self.file()
    }

    /// Returns the asset that the model was opened with.
    #[doc(hidden)]
    #[must_use]
    pub fn opened_asset(&self) -> &dyn Asset {
        self.file()
    }
}
