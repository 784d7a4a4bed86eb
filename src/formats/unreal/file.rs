//! [`Mesh`], which holds the bytes of the files of a mesh. `Mesh<D>` has no lifetime parameter,
//! unless the byte type `D` has one. Methods such as `Mesh::frame` return views of the `Mesh`.

use std::sync::{Arc, OnceLock};

use zerocopy::IntoBytes as _;

use super::frame::Frame;
use super::header::{FRAMES_AT, POLYGONS_AT, PairHeader, in_aniv};
use super::layout::{ANIV, DATA, RawAnivHeader, RawDataHeader, RawPolygon, SCRIPT, Variant};
use super::script::{MeshScript, Script, Selected, choice};
use super::surface::{Groups, UvDivisor};
use super::transform::Placement;
use super::validate::check_strictly;
use crate::array::{Array, Bounds};
use crate::error::debug::short_debug;
use crate::error::{Cause, Error, Field, Result};
use crate::math::{add, as_index, as_u64, cross, facet, subtract, unit};
use crate::model::{Attachment, FormatVersion};
use crate::parse::{AccessLog, Cursor, Name, OpenOptions};

/// An Unreal vertex mesh: a data file (polygons), an aniv file (animation frames) and an optional
/// script. `D` holds the bytes of a file, such as a `Vec<u8>` or a [`Map`](crate::io::Map).
///
/// | call | time | reads | allocates |
/// |---|---|---|---|
/// | [`open`](Self::open) | O(1) | both headers, 52 bytes | nothing |
/// | [`frame`](Self::frame) | O(1) | nothing | nothing |
/// | a surface, first time | O(polygons), and a sort if they are out of order | texture and type of each polygon | 2 bytes per polygon, 12 per surface |
/// | [`bounds`](Self::bounds), first time | O(vertices) | frame 0 | nothing |
/// | [`bounds_of_all_frames`](Self::bounds_of_all_frames) | O(vertices of all frames) | all frames | nothing |
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// use meshpeek::Array;
/// use meshpeek::unreal::Mesh;
/// let [data, aniv] = ["data/unreal/box_d.3d", "data/unreal/box_a.3d"].map(meshpeek::read);
/// let mesh = Mesh::open(data?, aniv?)?;
/// let last = mesh.frame(mesh.frame_count() - 1)?; // no other frame is touched
/// assert_eq!(last.positions().len(), 8);
/// # Ok(())
/// # }
/// ```
pub struct Mesh<D> {
    data: D,
    aniv: D,
    pub(super) header: PairHeader,
    uv_divisor: UvDivisor,
    /// Whether more of the aniv file may be loaded later. A frame that it lacks is then an error.
    pub(super) is_partial: bool,
    pub(super) access_logs: Option<Box<[AccessLog; 2]>>,
    /// The script, and the selection of the script's commands about this mesh. They share one
    /// `Arc`, because a mesh without a script is then cheap to drop.
    facts: Option<Arc<(Arc<Script<D>>, Selected)>>,
    groups: OnceLock<Result<Groups>>,
    pub(super) bounds: OnceLock<Bounds>,
}

short_debug!([D: AsRef<[u8]>] Mesh<D>: |mesh| {
    format: "unreal", version: mesh.variant().name(), data_bytes: mesh.data.as_ref().len(),
    aniv_bytes: mesh.aniv.as_ref().len(), pair: mesh.header, script: mesh.script(),
});

impl<D: AsRef<[u8]>> Mesh<D> {
    /// Opens a mesh: reads the headers of the data file and the aniv file, and no other bytes. A
    /// file that breaks a validation rule is accepted if games load files that break this rule.
    ///
    /// # Errors
    ///
    /// Returns an error with the name and byte offset of the invalid field if a file ends within
    /// its header or polygons, or if the size of an animation frame fits no [`Variant`].
    pub fn open(data: D, aniv: D) -> Result<Self> {
        Self::open_with(data, aniv, &OpenOptions::default())
    }

    /// Opens a mesh like [`open`](Self::open), but with the given options.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`open`](Self::open). With [`OpenOptions::with_strict`], also returns
    /// an error for the first violation of a rule that strict mode checks.
    pub fn open_with(data: D, aniv: D, options: &OpenOptions) -> Result<Self> {
        let access_logs: Option<Box<[AccessLog; 2]>> = options.record_access.then(Box::default);
        let [data_log, aniv_log] = access_logs.as_deref().map_or([None; 2], |logs| logs.each_ref().map(Some));
        let header = PairHeader::read(
            Cursor::new(data.as_ref(), DATA).with_access_log(data_log),
            Cursor::new(aniv.as_ref(), ANIV).with_access_log(aniv_log),
        )?;
        let (groups, bounds) = (OnceLock::new(), OnceLock::new());
        let (uv_divisor, is_partial) = (UvDivisor::default(), options.partial);
        let mesh = Self { data, aniv, header, uv_divisor, is_partial, access_logs, facts: None, groups, bounds };
        if options.strict {
            check_strictly(&mesh)?;
        }
        Ok(mesh)
    }

    /// Sets the divisor that converts the stored bytes of texture coordinates to floats.
    #[must_use]
    pub fn with_uv_divisor(mut self, divisor: UvDivisor) -> Self {
        self.uv_divisor = divisor;
        self
    }

    /// Attaches a script, which gives the clips, textures, scale and origin of the mesh called
    /// `name`. The case of letters in `name` is ignored.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Choice`] if the script does not import a mesh with this name.
    ///
    /// [`ErrorKind::Choice`]: crate::ErrorKind::Choice
    pub fn with_script(self, script: impl Into<Arc<Script<D>>>, name: &[u8]) -> Result<Self> {
        let script = script.into();
        let selected = script.select(name);
        if script.mesh(&selected).import().is_none() {
            let kind =
                choice(script.imports().map(|import| import.mesh.as_bytes()), format!("\"{}\"", Name::new(name)));
            return Err(Error::without_offset(SCRIPT, Field::new("mesh"), kind));
        }
        Ok(self.with_selected(script, selected))
    }

    /// Attaches a script, and the selection of the script's commands about this mesh, from
    /// [`Script::select`] or [`Script::select_all`]. Several meshes can share one script.
    #[must_use]
    pub fn with_selected(mut self, script: Arc<Script<D>>, selected: Selected) -> Self {
        self.facts = Some(Arc::new((script, selected)));
        self
    }

    /// Returns a view of the script's commands about this mesh, or `None` without a script.
    #[must_use]
    pub fn script(&self) -> Option<MeshScript<'_>> {
        self.facts.as_deref().map(|(script, selected)| script.mesh(selected))
    }

    /// Returns the whole script, or `None` if the mesh has no script.
    #[must_use]
    pub fn whole_script(&self) -> Option<&Script<D>> {
        self.facts.as_deref().map(|(script, _)| &**script)
    }

    /// Returns the divisor that converts the stored bytes of texture coordinates to floats.
    #[must_use]
    pub const fn uv_divisor(&self) -> UvDivisor {
        self.uv_divisor
    }

    /// Returns the value that holds the bytes of the data file.
    #[must_use]
    pub const fn data(&self) -> &D {
        &self.data
    }

    /// Returns the value that holds the bytes of the aniv file.
    #[must_use]
    pub const fn aniv(&self) -> &D {
        &self.aniv
    }

    /// Returns the storage format of the vertices.
    #[must_use]
    pub const fn variant(&self) -> Variant {
        self.header.variant
    }

    /// Returns the number of triangles (polygons), including triangles that are not rendered.
    #[must_use]
    pub fn polygon_count(&self) -> usize {
        as_index(self.header.polygons)
    }

    /// Returns the number of vertices of the mesh, which is the same in each animation frame.
    #[must_use]
    pub fn vertex_count(&self) -> usize {
        as_index(self.header.vertices)
    }

    /// Returns the number of animation frames in the header of the aniv file. The file may end
    /// before the last of them.
    #[must_use]
    pub fn frame_count(&self) -> usize {
        as_index(self.header.frames)
    }

    /// Returns the header of the data file, including the 44 unused bytes.
    ///
    /// # Errors
    ///
    /// Returns an error if fewer bytes of the file are available than when the mesh was opened.
    pub fn data_header(&self) -> Result<&RawDataHeader> {
        self.data_cursor().read("header")
    }

    /// Returns the header of the aniv file.
    ///
    /// # Errors
    ///
    /// Returns an error if fewer bytes of the file are available than when the mesh was opened.
    pub fn aniv_header(&self) -> Result<&RawAnivHeader> {
        self.aniv_cursor().read("header").map_err(in_aniv)
    }

    /// Returns all polygons of the data file, without conversion, in file order.
    ///
    /// # Errors
    ///
    /// Returns an error if fewer bytes of the file are available than when the mesh was opened.
    pub fn polygons(&self) -> Result<&[RawPolygon]> {
        self.data_cursor().at(POLYGONS_AT)?.array(self.header.polygons, "polygons")
    }

    /// Returns the bytes of the data file after the last polygon. Most files have none.
    #[must_use]
    pub fn data_rest(&self) -> &[u8] {
        let end = usize::try_from(self.header.polygons_end()).ok();
        end.and_then(|end| self.data.as_ref().get(end..)).unwrap_or_default()
    }

    /// Returns the bytes of the aniv file after the last animation frame. Most files have none.
    #[must_use]
    pub fn aniv_rest(&self) -> &[u8] {
        let end = usize::try_from(FRAMES_AT.saturating_add(self.header.frame_bytes())).ok();
        end.and_then(|end| self.aniv.as_ref().get(end..)).unwrap_or_default()
    }

    /// Returns animation frame `index` without reading the vertices of the frame. If the aniv file
    /// ends within this animation frame, the returned [`Frame`] contains only the bytes that exist.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::NoSuch`] if `index` is not below [`frame_count`](Self::frame_count),
    /// and [`ErrorKind::UnexpectedEnd`] if the aniv file ends before the frame.
    ///
    /// [`ErrorKind::NoSuch`]: crate::ErrorKind::NoSuch
    /// [`ErrorKind::UnexpectedEnd`]: crate::ErrorKind::UnexpectedEnd
    pub fn frame(&self, index: usize) -> Result<Frame<'_>> {
        let number = as_u64(index);
        let field = Field::new("positions").in_list("frame", number);
        if index >= self.frame_count() {
            let kind = Cause::NoSuch { count: self.header.frames.into(), index: number };
            return Err(Error::without_offset(ANIV, field, kind));
        }
        let start = self.header.frame_at(number);
        let bytes = usize::try_from(start).ok().and_then(|start| self.aniv.as_ref().get(start..)).unwrap_or_default();
        if bytes.is_empty() && self.header.stride > 0 {
            let kind = Cause::UnexpectedEnd { needed: self.header.stride, left: 0 };
            let end = as_u64(self.aniv.as_ref().len());
            let needed = start.min(end)..start.saturating_add(self.header.stride);
            return Err(in_aniv(Error::new(ANIV, field, needed.start, kind).needing(needed)));
        }
        let stride = usize::try_from(self.header.stride).unwrap_or(usize::MAX);
        Ok(Frame::new(bytes.get(..stride).unwrap_or(bytes), self.header))
    }

    /// Returns the bytes of all animation frames. If the aniv file is shorter than its header
    /// declares, the function returns only the bytes that exist.
    pub(super) fn frame_bytes(&self) -> &[u8] {
        let body = self.aniv.as_ref().get(size_of::<RawAnivHeader>()..).unwrap_or_default();
        let length = usize::try_from(self.header.frame_bytes()).unwrap_or(usize::MAX);
        body.get(..length).unwrap_or(body)
    }

    pub(super) fn groups(&self) -> Result<&Groups> {
        let groups = self.groups.get_or_init(|| {
            let polygons = self.polygons()?;
            if let Some([data, _]) = self.access_logs.as_deref() {
                data.record_partial(POLYGONS_AT, self.header.polygons_end(), as_u64(polygons.len()).saturating_mul(2));
            }
            crate::io::prefetch(polygons.as_bytes());
            Groups::new(polygons).map_err(|kind| Error::without_offset(DATA, Field::new("polygons"), kind))
        });
        groups.as_ref().map_err(Clone::clone)
    }

    /// Records in the access log that all polygons of the data file were read.
    pub(super) fn note_polygons(&self) {
        if let Some([data, _]) = self.access_logs.as_deref() {
            let end = self.header.polygons_end();
            data.record_partial(POLYGONS_AT, end, end.saturating_sub(POLYGONS_AT));
        }
    }

    /// Records in the access log that bytes `start..start + length` of the aniv file were read.
    pub(super) fn note_aniv(&self, start: u64, length: u64) {
        if let Some([_, aniv]) = self.access_logs.as_deref() {
            aniv.record(start, start.saturating_add(length));
        }
    }

    pub(super) fn data_cursor(&self) -> Cursor<'_> {
        Cursor::new(self.data.as_ref(), DATA)
    }

    pub(super) fn aniv_cursor(&self) -> Cursor<'_> {
        Cursor::new(self.aniv.as_ref(), ANIV)
    }
}

impl<D: AsRef<[u8]> + Send + Sync> FormatVersion for Mesh<D> {
    fn format(&self) -> &'static str {
        "unreal"
    }

    fn version(&self) -> &'static str {
        self.variant().name()
    }
}

impl<D: AsRef<[u8]>> Mesh<D> {
    /// Returns the number of triangles that mark a weapon attachment. In a player model, the first
    /// polygon marks the weapon attachment.
    #[must_use]
    pub fn attachment_count(&self) -> usize {
        self.groups().map_or(0, |groups| groups.weapons().len())
    }

    /// Returns the position and the axes of a weapon attachment in one animation frame. The
    /// vertices of the attachment's triangle are transformed by `placement` before the axes are
    /// computed.
    ///
    /// The position of the attachment is midway between the vertices 0 and 1 of the triangle. The z
    /// axis of the attachment points from vertex 0 to vertex 1, the y axis is the normal of the
    /// triangle, and the x axis is the cross product y × z.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::NoSuch`] if `index` is not below
    /// [`attachment_count`](Self::attachment_count) or the mesh has no animation frame `frame`, and
    /// [`ErrorKind::Value`] if a vertex index of the triangle is out of range.
    ///
    /// [`ErrorKind::NoSuch`]: crate::ErrorKind::NoSuch
    /// [`ErrorKind::Value`]: crate::ErrorKind::Value
    pub fn attachment(&self, index: usize, frame: usize, placement: &Placement) -> Result<Attachment> {
        let weapons = self.groups()?.weapons();
        let Some(number) = weapons.get(index) else {
            let kind = Cause::NoSuch { count: as_u64(weapons.len()), index: as_u64(index) };
            return Err(Error::without_offset(DATA, Field::new("").in_list("attachment", as_u64(index)), kind));
        };
        let polygons = self.polygons()?;
        let polygon = polygons.get(usize::from(*number)).copied().unwrap_or_default();
        let positions = self.frame(frame)?.positions();
        self.note_polygons();
        self.note_aniv(self.header.frame_at(as_u64(frame)), as_u64(positions.as_bytes().len()));
        let place = |vertex: u32| match positions.get(as_index(vertex)) {
            Some(position) => Ok(placement.apply(position)),
            None => Err(beyond((*number).into(), vertex, positions.len())),
        };
        let [first, second, third] = polygon.vertices.map(|vertex| place(vertex.get().into()));
        let corners = [first?, second?, third?];
        let [first, second, _] = corners;
        let axes = unit(subtract(second, first)).zip(unit(facet(corners))).map(|(z, y)| [cross(y, z), y, z]);
        Ok(Attachment { position: add(first, second).map(|sum| sum * 0.5), axes })
    }
}

/// Makes the error for a polygon whose vertex index is not below `count`, the number of vertices in
/// the animation frame.
fn beyond(polygon: u64, vertex: u32, count: usize) -> Error {
    let kind = Cause::value(format!("an index below {count}"), vertex.to_string());
    let offset = POLYGONS_AT.saturating_add(polygon.saturating_mul(as_u64(size_of::<RawPolygon>())));
    Error::new(DATA, Field::new("vertices").in_list("polygon", polygon), offset, kind)
}
