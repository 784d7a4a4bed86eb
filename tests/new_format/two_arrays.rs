//! A format of two arrays, written as the formats of the crate are. It is the example of the page
//! "Add a format" in `.github/CONTRIBUTING.md`.
//!
//! | offset | field | type |
//! |---|---|---|
//! | 0 | magic number | `2ARR` |
//! | 4 | number of vertices | u32 |
//! | 8 | number of triangles | u32 |
//! | 12 | metres per unit | f32 |
//! | 16 | x, y, z and mark of each vertex | i16 × 4 |
//! | .. | three vertex indices of each triangle | u16 × 3 |

use std::io::{self, Write};
use std::ops::Range;

use meshpeek::array::{Array as _, Bounds, Packed};
use meshpeek::decode::{Index, Packed64};
use meshpeek::internals::{
    Cause, FileData, FileFormat, FormatDescription, FormatName, IndexCheck, RangeList, RegisteredFile, Report, Walk,
    bytes_of, expect_only,
};
use meshpeek::model::SurfaceArrays;
use meshpeek::model::animation::Animations;
use meshpeek::model::{
    Asset, Attribute, ByteRanges, Contents, Counts, DescribedBlocks, ExtraArray, ExtraArrayInfo, FormatVersion,
    Geometry, IndexEncoding, Indices, ItemOwner, MaybeOwned, MeshFile, MeshSelection, NumberType, PositionEncoding,
    Positions, Properties, Space, WrittenForm,
};
use meshpeek::parse::Cursor;
use meshpeek::{AccessLog, ElementType, Error, ErrorKind, Field, Finding, Name, OpenOptions, Region, Result, Rule};
use zerocopy::little_endian::{F32, I16, U16, U32};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// The header. A field of the file is stated here.
#[derive(Clone, Copy, Debug, FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned)]
#[repr(C)]
struct Header {
    magic: [u8; 4],
    vertices: U32,
    triangles: U32,
    metres: F32,
}

const ARRAYS_AT: u64 = 16;
const VERTEX: ElementType = ElementType::PACKED_64;
const TRIANGLE: ElementType = ElementType::new("u16x3", 6, 2)
    .decoded_by(|here| here.item(|bytes, _| Some(<[U16; 3]>::read_from_bytes(bytes).ok()?.map(U16::get).into())));

/// The name of the format in errors. An error of reading breaks the first rule.
const FORMAT: &FormatName = &FormatName::new("twoarrays", |_: ErrorKind, _| Some(&DAMAGED));

meshpeek::rules! {
    const RULES;
    Error DAMAGED "TA01" "The file has its magic number and both arrays."
        why "The arrays cannot be located."
        mend "Export the file again.";
    Error INDEX_OUT_OF_RANGE "TA02" "Every index is below the number of vertices."
        why "The triangle has no vertex for this corner."
        mend "Export the file again.";
    Warning TRAILING_BYTES "TA03" LeftOut "Nothing follows the triangles."
        why "No field refers to these bytes."
        mend "Write the file again, without these bytes.";
}

const EXTRA_ARRAYS: &[ExtraArrayInfo] = &[ExtraArrayInfo {
    owner: ItemOwner::Vertex,
    number: NumberType::I16,
    ..ExtraArrayInfo::bytes("marks", "mark", "Mark of each vertex")
}];

/// The format, for registration.
pub struct TwoArrays;

impl FileFormat for TwoArrays {
    const DESCRIPTION: &'static FormatDescription = &FormatDescription {
        id: "twoarrays",
        title: "Two Arrays",
        extensions: &["two"],
        part_extensions: &[],
        is_known: |bytes| bytes.starts_with(b"2ARR"),
        rules: RULES,
        extra_arrays: EXTRA_ARRAYS,
    };

    fn open<D: FileData>(data: D, options: &OpenOptions) -> Result<impl RegisteredFile<Data = D> + 'static> {
        Mesh::open(data, options)
    }
}

/// An open file.
#[derive(Debug)]
struct Mesh<D> {
    data: D,
    header: Header,
    access_log: Option<Box<AccessLog>>,
}

/// The arrays of a file with the offset of the end of each, and the bytes after them.
struct Arrays<'a> {
    vertices: (&'a [[I16; 4]], u64),
    triangles: (&'a [[U16; 3]], u64),
    rest: &'a [u8],
}

impl<D: AsRef<[u8]> + Send + Sync> Mesh<D> {
    fn open(data: D, options: &OpenOptions) -> Result<Self> {
        let access_log = options.record_access.then(Box::<AccessLog>::default);
        let mut cursor = Cursor::new(data.as_ref(), FORMAT).with_access_log(access_log.as_deref());
        let start = cursor.clone();
        let header = *cursor.read::<Header>("header")?;
        if header.magic != *b"2ARR" {
            return Err(start.error("magic", Cause::Magic { expected: "2ARR", found: format!("{:?}", header.magic) }));
        }
        let mesh = Self { data, header, access_log };
        mesh.check().map(|()| mesh)
    }

    fn arrays(&self) -> Result<Arrays<'_>> {
        let mut cursor = Cursor::new(self.data.as_ref(), FORMAT).at(ARRAYS_AT)?;
        let vertices = (cursor.array(self.header.vertices.get(), "positions")?, cursor.offset());
        let triangles = (cursor.array(self.header.triangles.get(), "indices")?, cursor.offset());
        Ok(Arrays { vertices, triangles, rest: cursor.rest() })
    }

    /// Returns the arrays of the only surface.
    fn surface(&self, surface: usize) -> Result<Arrays<'_>> {
        expect_only(FORMAT, "surface", surface)?;
        self.arrays()
    }
}

impl<D: Send + Sync> FormatVersion for Mesh<D> {
    fn format(&self) -> &'static str {
        FORMAT
    }

    fn version(&self) -> &'static str {
        "1"
    }
}

impl<D: AsRef<[u8]> + Send + Sync> MeshFile for Mesh<D> {
    type Data = D;

    fn source(&self, source: usize) -> Option<&D> {
        (source == 0).then_some(&self.data)
    }

    fn access_log(&self, source: usize) -> Option<&AccessLog> {
        self.access_log.as_deref().filter(|_| source == 0)
    }

    fn check(&self) -> Result<()> {
        self.arrays().map(|_| ())
    }

    fn regions(&self, source: usize, visit: &mut dyn FnMut(Region)) -> Result<()> {
        self.expect_source(source)?;
        let mut walk = Walk::new(visit);
        walk.pass(Field::new("magic"), ElementType::MAGIC, 1);
        walk.pass(Field::new("vertex_count"), ElementType::U32, 1);
        walk.pass(Field::new("triangle_count"), ElementType::U32, 1);
        walk.pass(Field::new("metres_per_unit"), ElementType::F32, 1);
        walk.pass(Field::new("positions"), VERTEX, self.header.vertices.get().into());
        walk.pass(Field::new("indices"), TRIANGLE, self.header.triangles.get().into());
        walk.pass_to(Field::new("rest"), ElementType::U8, bytes_of(self));
        Ok(())
    }

    fn properties(&self, _: &DescribedBlocks, out: &mut Properties<'_>) -> io::Result<()> {
        out.field("metres_per_unit", self.header.metres.get())
    }

    fn rules(&self) -> &'static [Rule] {
        RULES
    }

    fn validate_structure(&self, report: &mut dyn FnMut(Finding)) -> Result<()> {
        let Arrays { triangles: (_, end), rest, .. } = self.arrays()?;
        if !rest.is_empty() {
            let text = format_args!("{} after the last triangle", rest.len());
            Report::new(RULES, report).add(TRAILING_BYTES, Field::new("rest"), end, text);
        }
        Ok(())
    }

    fn validate(&self, report: &mut dyn FnMut(Finding)) -> Result<()> {
        self.validate_structure(report)?;
        let mut check = IndexCheck::new(self.header.vertices.get());
        check.add_all(&self.indices(0)?);
        let text = check.beyond.text("index", "out of range");
        let at = check.beyond.offset(self.arrays()?.vertices.1, 2);
        Report::new(RULES, report).add_any(check.beyond, INDEX_OUT_OF_RANGE, Field::new("indices"), at, text);
        Ok(())
    }

    fn write_to(&self, source: usize, out: &mut dyn Write) -> Result<()> {
        self.expect_source(source)?;
        let Arrays { vertices: (vertices, _), triangles: (triangles, _), .. } = self.arrays()?;
        let parts = [self.header.as_bytes(), vertices.as_bytes(), triangles.as_bytes()];
        parts.into_iter().try_for_each(|part| out.write_all(part)).map_err(Error::from)
    }

    fn written_form(&self) -> WrittenForm {
        WrittenForm::new(TwoArrays::DESCRIPTION.extensions)
    }
}

impl<D: AsRef<[u8]> + Send + Sync> Geometry for Mesh<D> {
    fn space(&self) -> Space {
        let mut space = Space::GLTF;
        space.metres_per_unit = Some(self.header.metres.get());
        space
    }

    fn bounds(&self) -> Result<Bounds> {
        Ok(self.positions(0, 0)?.bounds())
    }

    fn extra_arrays(&self) -> &'static [ExtraArrayInfo] {
        EXTRA_ARRAYS
    }
}

impl<D: AsRef<[u8]> + Send + Sync> SurfaceArrays for Mesh<D> {
    fn surface_count(&self) -> Result<usize> {
        Ok(1)
    }

    fn surface_name(&self, surface: usize) -> Result<Name<'_>> {
        self.surface(surface).map(|_| Name::new(b"mesh"))
    }

    fn surface_bounds(&self, surface: usize) -> Result<Bounds> {
        let (positions, indices) = (self.positions(surface, 0)?, self.indices(surface)?);
        Ok(indices.iter().filter_map(|index| positions.get(index.try_into().ok()?)).collect())
    }

    fn counts(&self, surface: usize) -> Result<Counts> {
        self.surface(surface)?;
        let (vertices, corners) = (self.header.vertices.get(), self.header.triangles.get().saturating_mul(3));
        let mut counts = Counts::default();
        (counts.vertices, counts.attribute_vertices, counts.corners) = (vertices, vertices, corners);
        (counts.index_widths, counts.targets) = ([2, 0], 1);
        Ok(counts)
    }

    fn positions(&self, surface: usize, target: usize) -> Result<Positions<'_>> {
        expect_only(FORMAT, "target", target)?;
        Ok(Positions(PositionEncoding::Packed64(Packed::new(self.surface(surface)?.vertices.0, Packed64))))
    }

    fn indices(&self, surface: usize) -> Result<Indices<'_>> {
        let (triangles, _) = self.surface(surface)?.triangles;
        Ok(Indices(IndexEncoding::U16(Packed::new(triangles.as_flattened(), Index::new()))))
    }

    fn extra_array(&self, surface: usize, name: &str) -> Result<Option<ExtraArray<'_>>> {
        let (vertices, _) = self.surface(surface)?.vertices;
        let Some(info) = EXTRA_ARRAYS.iter().find(|info| info.name == name) else { return Ok(None) };
        let mark = move |index: usize| vertices.get(index).map(|[.., mark]| [mark.get().into()]);
        Ok(Some(ExtraArray::integers(info, vertices.len(), mark)))
    }

    fn fault(&self, surface: usize, name: &'static str, into: u64, error: Error) -> Error {
        let triangles_at = self.arrays().map_or(ARRAYS_AT, |arrays| arrays.vertices.1);
        let start = if name == "positions" { ARRAYS_AT } else { triangles_at };
        let field = Field::new(name).in_list("surface", u64::try_from(surface).unwrap_or(u64::MAX));
        error.located(FORMAT, field, Some(start.saturating_add(into)))
    }
}

impl<D: AsRef<[u8]> + Send + Sync> ByteRanges for Mesh<D> {
    fn byte_ranges(&self, source: usize, part: &MeshSelection) -> Result<Vec<Range<u64>>> {
        self.expect_source(source)?;
        let Arrays { vertices: (_, middle), triangles: (_, end), .. } = self.arrays()?;
        let mut ranges = RangeList::default();
        match part {
            MeshSelection::Structure => ranges.push(0..ARRAYS_AT)?,
            MeshSelection::Surface(0) | MeshSelection::Level { asset: 0, level: 0 } => ranges.push(ARRAYS_AT..end)?,
            MeshSelection::Attribute { surface: 0, attribute: Attribute::Positions(_) } => {
                ranges.push(ARRAYS_AT..middle)?;
            }
            MeshSelection::Attribute { surface: 0, attribute: Attribute::Indices } => ranges.push(middle..end)?,
            MeshSelection::Surface(other) | MeshSelection::Attribute { surface: other, .. } => {
                expect_only(FORMAT, "surface", *other)?;
            }
            _ => {}
        }
        Ok(ranges.finish())
    }
}

impl<D: Send + Sync> Animations for Mesh<D> {}

impl<D: AsRef<[u8]> + Send + Sync> Contents for Mesh<D> {
    fn asset(&self, asset: usize) -> Result<MaybeOwned<'_, dyn Asset + '_>> {
        expect_only(FORMAT, "asset", asset)?;
        Ok(MaybeOwned::Borrowed(self))
    }

    fn file_bytes(&self) -> u64 {
        bytes_of(self)
    }
}

impl<D: AsRef<[u8]> + Send + Sync> Asset for Mesh<D> {
    fn level(&self, level: usize) -> Result<MaybeOwned<'_, dyn Geometry + '_>> {
        expect_only(FORMAT, "level", level)?;
        Ok(MaybeOwned::Borrowed(self))
    }

    fn animations(&self) -> &dyn Animations {
        self
    }
}
