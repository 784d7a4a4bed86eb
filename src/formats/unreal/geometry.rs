//! The implementation of the format-independent trait [`Geometry`] for an Unreal vertex mesh.

use super::file::Mesh;
use super::frame::Frame;
use super::header::{FRAMES_AT, POLYGONS_AT, in_aniv};
use super::layout::{ANIV, DATA, PolygonType, RawPolygon, Style};
use super::surface::{Groups, SurfaceView};
use super::transform::Placement;
use crate::array::{Array, Bounds, Consecutive};
use crate::error::{Cause, Error, Field, Result, expect_only};
use crate::math::as_u64;
use crate::model::animation::Affine;
use crate::model::corners::corner_positions;
use crate::model::{
    Axis, Blend, Counts, DrawStyle, ExtraArray, ExtraArrayInfo, Geometry, Handedness, IndexEncoding, Indices,
    Positions, Space, SurfaceArrays, UvOrigin, Uvs, VertexMesh, VertexPool, Winding,
};
use crate::parse::Name;

/// The bytes of polygons that the neutral arrays leave out.
pub const EXTRA_ARRAYS: &[ExtraArrayInfo] = &[
    ExtraArrayInfo::bytes("types", "type", "Type byte of each polygon (Unreal)"),
    ExtraArrayInfo::bytes("textures", "texture", "Texture number of each polygon (Unreal)"),
    ExtraArrayInfo::bytes("color-bytes", "color_byte", "Unused colour byte of each polygon (Unreal)"),
    ExtraArrayInfo::bytes("flags", "flags", "Unused flags byte of each polygon (Unreal)"),
];

impl<D: AsRef<[u8]>> Mesh<D> {
    /// Returns the number of surfaces. A surface consists of all polygons that have the same
    /// texture index and the same type byte. Surfaces that the engine does not render come last.
    ///
    /// # Errors
    ///
    /// Returns the errors of `polygons`, and [`ErrorKind::OutOfMemory`] if an allocation fails.
    ///
    /// [`ErrorKind::OutOfMemory`]: crate::ErrorKind::OutOfMemory
    pub fn surface_count(&self) -> Result<usize> {
        self.groups().map(Groups::len)
    }

    /// Returns the surface with the given index.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::NoSuch`] if `index` is not below `surface_count`, and its errors.
    ///
    /// [`ErrorKind::NoSuch`]: crate::ErrorKind::NoSuch
    pub fn surface(&self, index: usize) -> Result<SurfaceView<'_>> {
        let groups = self.groups()?;
        let Some((group, order)) = groups.get(index) else {
            let kind = Cause::NoSuch { count: as_u64(groups.len()), index: as_u64(index) };
            return Err(Error::without_offset(DATA, Field::new("").in_list("surface", as_u64(index)), kind));
        };
        Ok(SurfaceView::new(self.polygons()?, group, order))
    }

    /// Returns an iterator over all surfaces. Surfaces that the engine does not render come last.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`surface_count`](Self::surface_count).
    pub fn surfaces(&self) -> Result<impl ExactSizeIterator<Item = Result<SurfaceView<'_>>>> {
        Ok((0..self.surface_count()?).map(|index| self.surface(index)))
    }

    /// Returns the bounding box of all vertices of animation frame 0, in the units of the file,
    /// without conversion. The first call computes the bounding box, and later calls return the
    /// cached bounding box. If the aniv file ends within animation frame 0, the box is that of the
    /// vertices that the file contains. The box of no vertices is [`Bounds::EMPTY`].
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::UnexpectedEnd`] if the aniv file ends within animation frame 0, and the
    /// mesh was opened as [`partial`](crate::OpenOptions::with_partial).
    ///
    /// [`ErrorKind::UnexpectedEnd`]: crate::ErrorKind::UnexpectedEnd
    pub fn bounds(&self) -> Result<Bounds> {
        if let Some(bounds) = self.bounds.get() {
            return Ok(*bounds);
        }
        let positions = self.base_positions()?;
        self.note_aniv(FRAMES_AT, as_u64(positions.as_bytes().len()));
        Ok(*self.bounds.get_or_init(|| positions.bounds()))
    }

    /// Returns the positions of animation frame 0 that the aniv file contains, or an empty array if
    /// it contains none.
    pub(super) fn base_positions(&self) -> Result<Positions<'_>> {
        if self.frame_count() == 0 {
            return Ok(Frame::new(&[], self.header).positions());
        }
        self.present_frame(0)
    }

    /// Returns the positions of animation frame `index` that the aniv file contains. Without any of
    /// them, the result is an empty array for frame 0, and an error for another frame.
    ///
    /// If the mesh was opened as [`partial`](crate::OpenOptions::with_partial), an incomplete frame is an
    /// error that names the missing bytes, because the program may load them.
    fn present_frame(&self, index: usize) -> Result<Positions<'_>> {
        if self.is_partial {
            return self.whole_frame(index);
        }
        match self.frame(index) {
            Err(_) if index == 0 && self.frame_count() > 0 => Ok(Frame::new(&[], self.header).positions()),
            frame => frame.map(|frame| frame.positions()),
        }
    }

    /// Returns the positions of all vertices in animation frame `index`, or an error if the aniv
    /// file ends within the vertices of this animation frame.
    pub(super) fn whole_frame(&self, index: usize) -> Result<Positions<'_>> {
        let positions = self.frame(index)?.positions();
        let left = as_u64(positions.as_bytes().len());
        if positions.len() < self.vertex_count() {
            let number = as_u64(index);
            let field = Field::new("positions").in_list("frame", number);
            let kind = Cause::UnexpectedEnd { needed: self.header.vertex_bytes(), left };
            let start = self.header.frame_at(number);
            let needed = start..start.saturating_add(self.header.vertex_bytes());
            return Err(in_aniv(Error::new(ANIV, field, start.saturating_add(left), kind).needing(needed)));
        }
        Ok(positions)
    }

    /// Returns the bounding box of the vertices of all animation frames, in the units of the file,
    /// without conversion. Each call reads all animation frames of the aniv file in one pass, at
    /// the speed of reading memory.
    #[must_use]
    pub fn bounds_of_all_frames(&self) -> Bounds {
        let frames = self.frame_bytes();
        self.note_aniv(FRAMES_AT, as_u64(frames.len()));
        if self.header.variant.extra_vertices() > 0 {
            let frames = (0..self.frame_count()).map_while(|index| self.frame(index).ok());
            return frames.fold(Bounds::EMPTY, |bounds, frame| bounds.union(&frame.bounds()));
        }
        // Except in the prototype format, a frame contains only vertices, so the vertices of all
        // frames form one contiguous array.
        Frame::new(frames, self.header).all_positions().bounds()
    }
}

impl<D: AsRef<[u8]> + Send + Sync> Geometry for Mesh<D> {
    /// Returns left-handed conventions with x forward and z up.
    ///
    /// The placement is that of the script. Without a scale in a script, the placement scales
    /// positions to the units of the mesh's author, which are equal along all axes. The length of a
    /// unit is unknown.
    fn space(&self) -> Space {
        let script = self.script();
        let mut placement = script.as_ref().map_or(Placement::STORED, Placement::of);
        if script.and_then(|script| script.scale()).is_none() {
            placement.scale = Placement::author(self.variant()).scale;
        }
        // Seen in the left-handed space of the engine, the corners of a triangle are in clockwise
        // order.
        let space = Space {
            up: Some(Axis::Z),
            forward: Some(Axis::X),
            handedness: Some(Handedness::Left),
            winding: Some(Winding::Clockwise),
            uv_origin: Some(UvOrigin::TopLeft),
            ..Space::UNKNOWN
        };
        space.placed(Affine::from(&placement))
    }

    /// Returns the computed bounding box of animation frame 0, because the files store no bounding
    /// box of the mesh.
    fn bounds(&self) -> Result<Bounds> {
        Self::bounds(self)
    }

    fn vertex_frame_count(&self) -> Result<usize> {
        Ok(self.frame_count())
    }

    fn extra_arrays(&self) -> &'static [ExtraArrayInfo] {
        EXTRA_ARRAYS
    }

    fn vertex_mesh(&self) -> Option<&dyn VertexMesh> {
        Some(self)
    }
}

impl<D: AsRef<[u8]> + Send + Sync> SurfaceArrays for Mesh<D> {
    /// Returns the positions of all vertices in animation frame `frame`, or fewer if the aniv file
    /// ends within this frame. All surfaces of the mesh share the vertex positions of a frame.
    ///
    /// Returns [`ErrorKind::UnexpectedEnd`] if the aniv file contains no vertex of another frame
    /// than frame 0, or if it ends within the frame and the mesh was opened as
    /// [`partial`](crate::OpenOptions::with_partial).
    ///
    /// [`ErrorKind::UnexpectedEnd`]: crate::ErrorKind::UnexpectedEnd
    fn vertex_frame(&self, _: usize, frame: usize) -> Result<Positions<'_>> {
        self.present_frame(frame)
    }

    /// Returns the positions of all animation frames as one array, or `None` for the prototype
    /// variant, which stores a bounding box after each frame.
    ///
    /// Returns [`ErrorKind::UnexpectedEnd`] if the aniv file ends within an animation frame.
    ///
    /// [`ErrorKind::UnexpectedEnd`]: crate::ErrorKind::UnexpectedEnd
    fn vertex_frames(&self, _: usize) -> Result<Option<Positions<'_>>> {
        let Some(last) = self.frame_count().checked_sub(1) else { return Ok(None) };
        if self.header.stride != self.header.vertex_bytes() {
            return Ok(None);
        }
        self.whole_frame(last)?;
        Ok(Some(Frame::new(self.frame_bytes(), self.header).all_positions()))
    }

    fn surface_count(&self) -> Result<usize> {
        Self::surface_count(self)
    }

    fn surface_name(&self, surface: usize) -> Result<Name<'_>> {
        let label = self.surface(surface)?.label();
        Ok(self.surface_material(surface)?.unwrap_or(Name::new(label.as_bytes())))
    }

    /// Returns the computed bounding box of the vertices that the surface uses in animation frame
    /// 0, because the files store no bounding box of a surface.
    fn surface_bounds(&self, surface: usize) -> Result<Bounds> {
        let positions = self.positions(surface, 0)?;
        self.note_polygons();
        self.note_aniv(FRAMES_AT, as_u64(positions.as_bytes().len()));
        Ok(corner_positions(&positions, &self.indices(surface)?).collect())
    }

    fn surface_material(&self, surface: usize) -> Result<Option<Name<'_>>> {
        let number = self.surface(surface)?.texture();
        Ok(self.script().and_then(|script| script.texture(number.into())).map(|texture| texture.name))
    }

    fn is_drawn(&self, surface: usize) -> Result<bool> {
        self.surface(surface).map(|view| view.is_drawn())
    }

    fn draw_style(&self, surface: usize) -> Result<DrawStyle> {
        let kind = self.surface(surface)?.kind();
        let style = kind.style();
        let blend = match style {
            Style::Normal | Style::TwoSided => Blend::Opaque,
            Style::Translucent => Blend::Translucent,
            Style::Masked => Blend::Masked,
            Style::Modulated => Blend::Modulated,
            Style::AlphaBlend => Blend::Alpha,
            Style::Unknown(code) => Blend::Unknown(code),
        };
        Ok(DrawStyle {
            blend,
            two_sided: style != Style::Normal,
            unlit: kind.has(PolygonType::UNLIT),
            flat: kind.has(PolygonType::FLAT),
            environment: kind.has(PolygonType::ENVIRONMENT),
            unfiltered: kind.has(PolygonType::NO_SMOOTH),
        })
    }

    /// Returns the same pool for all surfaces, because they share the vertices of a frame.
    fn vertex_pool(&self, _: usize) -> Result<VertexPool> {
        Ok(VertexPool::new(0))
    }

    fn counts(&self, surface: usize) -> Result<Counts> {
        let corners = self.surface(surface)?.triangle_count().saturating_mul(3);
        // A frame that is still to be loaded has all of its vertices.
        let vertices = match self.base_positions() {
            Ok(positions) => positions.len(),
            Err(_) => self.vertex_count(),
        };
        let [corners, vertices] = [corners, vertices].map(|count| u32::try_from(count).unwrap_or(u32::MAX));
        Ok(Counts {
            vertices,
            attribute_vertices: corners,
            corners,
            index_widths: [2, 0],
            uv_sets: 1,
            targets: 1,
            ..Counts::default()
        })
    }

    /// Returns the base shape of the surface (morph target 0): the vertex positions of animation
    /// frame 0 that the aniv file contains. The array has fewer positions than the mesh has
    /// vertices if the file ends within frame 0, and none if there is no frame 0.
    fn positions(&self, _: usize, target: usize) -> Result<Positions<'_>> {
        expect_only(DATA, "target", target)?;
        self.base_positions()
    }

    fn uvs(&self, surface: usize, set: usize) -> Result<Option<Uvs<'_>>> {
        let view = self.surface(surface)?;
        Ok((set == 0).then(|| view.uvs(self.uv_divisor())))
    }

    fn indices(&self, surface: usize) -> Result<Indices<'_>> {
        self.surface(surface).map(|view| view.indices())
    }

    /// Returns the attribute indices of a surface, which are the consecutive numbers 0, 1, 2, ..
    /// Each triangle corner has its own texture coordinates, so the attribute index of corner `i`
    /// is `i`.
    fn attribute_indices(&self, surface: usize) -> Result<Option<Indices<'_>>> {
        let corners = self.counts(surface)?.corners;
        Ok(Some(Indices(IndexEncoding::Consecutive(Consecutive::new(corners)))))
    }

    fn extra_array(&self, surface: usize, name: &str) -> Result<Option<ExtraArray<'_>>> {
        let view = self.surface(surface)?;
        let Some(info) = ExtraArrayInfo::find(EXTRA_ARRAYS, name) else { return Ok(None) };
        let byte: fn(&RawPolygon) -> u8 = match name {
            "types" => |polygon| polygon.kind,
            "textures" => |polygon| polygon.texture,
            "color-bytes" => |polygon| polygon.color,
            _ => |polygon| polygon.flags,
        };
        let get = move |index| view.polygon(index).map(|polygon| [byte(polygon).into()]);
        Ok(Some(ExtraArray::integers(info, view.triangle_count(), get)))
    }

    fn fault(&self, surface: usize, name: &'static str, into: u64, error: Error) -> Error {
        let field = Field::new(name).in_list("surface", as_u64(surface));
        match name {
            "indices" | "attribute_indices" => error.located_in(DATA, field, Some(POLYGONS_AT.saturating_add(into))),
            "positions" => in_aniv(error.located_in(ANIV, field, Some(FRAMES_AT.saturating_add(into)))),
            _ => error.located(DATA, field, None),
        }
    }
}
