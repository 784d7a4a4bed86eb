//! Lowering to the neutral view: a level of detail as surfaces, one to a submesh.

use super::check::RULES;
use super::layout::{FORMAT, Lod, Part};
use super::level::Level;
use super::mesh::Mesh;
use super::skin::{Matrix, Skin};
use super::submesh::{Key, Submesh};
use super::view::View;
use crate::array::{Bounds, Sphere};
use crate::decode::TangentFrame;
use crate::error::{Error, ErrorKind, Field, Result};
use crate::math::{as_u64, cross, dot};
use crate::model::animation::{Animations, Clip};
use crate::model::{
    Bone, Colors, Counts, FormatVersion, Frames, Geometry, Indices, MeshFile, Normals, Positions, Transform, Uvs,
    Weights,
};
use crate::parse::{AccessLog, Finding, Name, OpenOptions, Region, Rule};
use std::io::Write;

/// What surfaces are called that have no material's name: by their number, as scripts in the world count them.
const FACES: [&str; 8] = ["face 0", "face 1", "face 2", "face 3", "face 4", "face 5", "face 6", "face 7"];

/// One level of detail of an asset, as a mesh: the neutral view of it. The [`Mesh`] itself is seen as its highest level.
///
/// Texture coordinates grow upwards, other than in most formats; bones have no parents in the file.
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// use meshpeek::secondlife::{Detail, Lod, Mesh};
/// let mesh = Mesh::open(meshpeek::read("data/secondlife/quad.llmesh")?)?;
/// let low = Detail::new(mesh.view(), Lod::Low.part());
/// for surface in meshpeek::Surface::all(&low) {
///     println!("{}: {} triangles", surface.name()?, surface.corners()?.triangle_count());
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Detail<'a> {
    view: View<'a>,
    part: Part,
}

impl<'a> Detail<'a> {
    /// Looks at a block of submeshes: a level of detail, or the triangles to collide with. Whether it is there shows when
    /// something is asked of it; [`level`](Self::level) asks.
    #[must_use]
    pub const fn new(view: View<'a>, part: Part) -> Self {
        Self { view, part }
    }

    /// Returns the block as submeshes.
    ///
    /// # Errors
    ///
    /// As [`View::level`].
    pub fn level(&self) -> Result<Level<'a>> {
        if let Some(lod) = self.part.lod() {
            return self.view.level(lod);
        }
        self.view.block(self.part)?.map_or_else(
            || {
                let kind = ErrorKind::Missing { expected: format!("a block `{}`", self.part.key()).into() };
                Err(Error::new(FORMAT, Field::new(self.part.key()), self.view.start(), kind))
            },
            |block| block.level(),
        )
    }

    /// Returns the asset that it is of.
    #[must_use]
    pub const fn view(&self) -> View<'a> {
        self.view
    }
}

impl<D: AsRef<[u8]>> Mesh<D> {
    /// Returns the level that the neutral view is of: the highest.
    fn highest(&self) -> Result<Level<'_>> {
        let view = self.view();
        // Every look at a surface comes by here: the header is gone through once.
        if let Some(lod) = view.state.highest.get() {
            return view.level(*lod);
        }
        let level = view.nearest_level(Lod::High)?;
        level.part().lod().map(|lod| view.state.highest.get_or_init(|| lod));
        Ok(level)
    }
}

/// Implements the neutral view of joints over something that gives a view of the asset.
macro_rules! lower_motion {
    () => {
        /// The joints of the skin; none where there is none, or it is damaged.
        fn bone_count(&self) -> usize {
            self.view().skin().ok().flatten().map_or(0, |skin| skin.joint_count())
        }

        /// The file names no parents: those of the names it uses are the avatar's.
        fn bone(&self, bone: usize) -> Result<Bone<'_>> {
            match self.view().skin()? {
                Some(skin) => read_bone(&skin, bone),
                None => Err(no_such("bone", 0, bone)),
            }
        }

        fn clip_count(&self) -> usize {
            0
        }

        fn clip(&self, clip: usize) -> Result<Clip<'_>> {
            Err(no_such("clip", 0, clip))
        }
    };
}

/// Implements the neutral view over something that gives a level and a view of the asset.
macro_rules! lower {
    ($level:ident) => {
        /// The box around all positions of the level.
        fn bounds(&self) -> Bounds {
            self.$level().map_or(Bounds::EMPTY, |level| {
                let boxes = level.submeshes().map(|submesh| submesh.map_or(Bounds::EMPTY, |submesh| bounds(&submesh)));
                boxes.fold(Bounds::EMPTY, |sum, one| sum.union(&one))
            })
        }

        fn sphere(&self) -> Option<Sphere> {
            None
        }

        /// Those of the level; none where it is damaged.
        fn surface_count(&self) -> usize {
            self.$level().map_or(0, |level| level.len())
        }

        /// The material's name, where the asset has a list of them; otherwise the number of the face.
        fn surface_name(&self, surface: usize) -> Result<Name<'_>> {
            let material = self.surface_material(surface)?;
            let face = FACES.get(surface).copied().unwrap_or("face");
            Ok(material.unwrap_or(Name::new(face.as_bytes())))
        }

        /// The box around the positions: the one that the file gives is that of all surfaces together.
        fn surface_bounds(&self, surface: usize) -> Result<Bounds> {
            self.$level()?.submesh(surface)?.positions().map(|array| Positions::MinMax16(array).bounds())
        }

        fn surface_sphere(&self, surface: usize) -> Result<Option<Sphere>> {
            self.$level()?.submesh(surface).map(|_| None)
        }

        fn surface_material(&self, surface: usize) -> Result<Option<Name<'_>>> {
            self.$level()?.submesh(surface)?;
            Ok(self.view().material(surface))
        }

        fn counts(&self, surface: usize) -> Result<Counts> {
            let submesh = self.$level()?.submesh(surface)?;
            let [vertices, corners] = [submesh.vertex_count(), submesh.triangle_count().saturating_mul(3)]
                .map(|count| u32::try_from(count).unwrap_or(u32::MAX));
            Ok(Counts {
                vertices,
                attribute_vertices: vertices,
                corners,
                index_widths: [2, 2],
                uv_sets: submesh.get(Key::TexCoord0).is_some().into(),
                colors: false,
                weights: submesh.get(Key::Weights).is_some(),
                targets: 1,
            })
        }

        fn positions(&self, surface: usize, target: usize) -> Result<Positions<'_>> {
            base_shape(target)?;
            self.$level()?.submesh(surface)?.positions().map(Positions::MinMax16)
        }

        /// Assets have normals, and no tangent frames.
        fn frames(&self, surface: usize, target: usize) -> Result<Option<Frames<'_>>> {
            base_shape(target)?;
            self.$level()?.submesh(surface).map(|_| None)
        }

        fn normals(&self, surface: usize, target: usize) -> Result<Option<Normals<'_>>> {
            base_shape(target)?;
            Ok(self.$level()?.submesh(surface)?.normals()?.map(Normals::Unit16))
        }

        fn uvs(&self, surface: usize, set: usize) -> Result<Option<Uvs<'_>>> {
            let submesh = self.$level()?.submesh(surface)?;
            if set > 0 {
                return Ok(None);
            }
            Ok(submesh.uvs()?.map(Uvs::MinMax16))
        }

        fn colors(&self, surface: usize) -> Result<Option<Colors<'_>>> {
            self.$level()?.submesh(surface).map(|_| None)
        }

        fn weights(&self, surface: usize) -> Result<Option<Weights<'_>>> {
            self.$level()?.submesh(surface)?.weights()
        }

        fn indices(&self, surface: usize) -> Result<Indices<'_>> {
            self.$level()?.submesh(surface)?.indices().map(Indices::U16)
        }

        fn attribute_indices(&self, surface: usize) -> Result<Option<Indices<'_>>> {
            self.$level()?.submesh(surface).map(|_| None)
        }

        fn fault(&self, surface: usize, name: &'static str, into: u64, kind: ErrorKind) -> Error {
            let submesh = self.$level().and_then(|level| level.submesh(surface));
            match submesh {
                Ok(submesh) => fault(&submesh, name, into, kind),
                Err(_) => Error::without_offset(FORMAT, Field::new(name).of("surface", as_u64(surface)), kind),
            }
        }
    };
}

impl<D: AsRef<[u8]> + Send + Sync> FormatVersion for Mesh<D> {
    fn format(&self) -> &'static str {
        FORMAT
    }

    fn version(&self) -> &'static str {
        version(&self.view())
    }
}

impl FormatVersion for Detail<'_> {
    fn format(&self) -> &'static str {
        FORMAT
    }

    fn version(&self) -> &'static str {
        version(&self.view())
    }
}

impl<D: AsRef<[u8]> + Send + Sync> Animations for Mesh<D> {
    lower_motion!();
}

impl Animations for Detail<'_> {
    lower_motion!();
}

impl<D: AsRef<[u8]> + Send + Sync> Geometry for Mesh<D> {
    lower!(highest);
}

impl Geometry for Detail<'_> {
    lower!(level);
}

/// Returns what the file is.
fn version(view: &View<'_>) -> &'static str {
    if view.state.fetched.is_some() {
        "cache"
    } else if view.state.in_container {
        "slm"
    } else {
        "llmesh"
    }
}

fn bounds(submesh: &Submesh<'_>) -> Bounds {
    submesh.positions().map_or(Bounds::EMPTY, |array| Positions::MinMax16(array).bounds())
}

fn base_shape(target: usize) -> Result<()> {
    if target == 0 { Ok(()) } else { Err(no_such("target", 1, target)) }
}

fn no_such(list: &'static str, count: usize, index: usize) -> Error {
    let kind = ErrorKind::NoSuch { count: as_u64(count), index: as_u64(index) };
    Error::without_offset(FORMAT, Field::new("").of(list, as_u64(index)), kind)
}

/// Makes an error about a byte of an array, by the array's neutral name.
fn fault(submesh: &Submesh<'_>, name: &'static str, into: u64, kind: ErrorKind) -> Error {
    let key = match name.split('.').next() {
        Some("positions") => Key::Position,
        Some("frames" | "normals") => Key::Normal,
        Some("uv0") => Key::TexCoord0,
        Some("weights") => Key::Weights,
        _ => Key::TriangleList,
    };
    // Behind the marker and the length.
    let start = submesh.get(key).map_or(submesh.at(), |(at, _)| at.saturating_add(5));
    submesh.fault(key, start.saturating_add(usize::try_from(into).unwrap_or(usize::MAX)), kind)
}

fn read_bone<'a>(skin: &Skin<'a>, bone: usize) -> Result<Bone<'a>> {
    let name = skin.joint_name(bone)?;
    // A skin that lacks the matrix still has the name.
    let bind = skin.inverse_bind(bone).ok().and_then(|inverse| rest(&inverse)).unwrap_or_default();
    Ok(Bone { name, parent: -1, bind })
}

/// Returns where a joint rests in the bind space: what its inverse bind matrix undoes. `None` where that undoes
/// nothing.
fn rest(inverse: &Matrix) -> Option<Transform> {
    let rows = inverse.as_chunks::<4>().0;
    let [first, second, third, moved] =
        [0, 1, 2, 3].map(|row| rows.get(row).map_or([0.0; 3], |[x, y, z, _]| [*x, *y, *z]));
    let columns = [cross(second, third), cross(third, first), cross(first, second)];
    let determinant = dot(first, cross(second, third));
    if determinant == 0.0 || !determinant.is_finite() {
        return None;
    }
    let columns = columns.map(|column| column.map(|value| value / determinant));
    // The rows of the inverse are where the axes go.
    let row = |number: usize| columns.map(|column| column.get(number).copied().unwrap_or_default());
    let axes = [row(0), row(1), row(2)];
    let position = columns.map(|column| -dot(moved, column));
    let [width, depth, height] = axes.map(|axis| dot(axis, axis).sqrt());
    let scale = [if determinant < 0.0 { -width } else { width }, depth, height];
    let [right, _, up] = axes;
    let [tangent, normal] =
        [right.map(|value| value / scale.first().copied().unwrap_or(1.0)), up.map(|value| value / height)];
    Some(Transform { position, rotation: TangentFrame::from_axes(normal, tangent, 1.0).rotation, scale })
}

impl<D: AsRef<[u8]> + Send + Sync> MeshFile for Mesh<D> {
    type Data = D;

    fn options(&self) -> &OpenOptions {
        &self.view().state.context.options
    }

    fn source(&self, source: usize) -> Option<&D> {
        (source == 0).then(|| self.data())
    }

    fn access_log(&self, source: usize) -> Option<&AccessLog> {
        self.view().state.context.access_log().filter(|_| source == 0)
    }

    fn check(&self) -> Result<()> {
        Self::check(self)
    }

    fn regions(&self, source: usize, visit: &mut dyn FnMut(Region)) -> Result<()> {
        self.expect_source(source)?;
        Self::regions(self, visit)
    }

    fn rules(&self) -> &'static [Rule] {
        RULES
    }

    fn validate_structure(&self, report: &mut dyn FnMut(Finding)) -> Result<()> {
        self.survey(report)
    }

    fn validate(&self, report: &mut dyn FnMut(Finding)) -> Result<()> {
        Self::validate(self, report)
    }

    fn write_to(&self, source: usize, out: &mut dyn Write) -> Result<()> {
        self.expect_source(source)?;
        Self::write_to(self, out)
    }

    fn geometry(&self) -> Option<&dyn Geometry> {
        Some(self)
    }

    fn animations(&self) -> Option<&dyn Animations> {
        Some(self)
    }
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "small whole numbers are exact")]
mod tests {
    use super::*;

    #[test]
    fn a_joint_rests_where_its_matrix_takes_it_from() {
        let mut matrix = super::super::IDENTITY;
        matrix[12..15].copy_from_slice(&[1.0, -2.0, 3.0]);
        let at = rest(&matrix).unwrap();
        assert_eq!((at.position, at.scale), ([-1.0, 2.0, -3.0], [1.0; 3]));
        assert_eq!(at.rotation.map(f32::abs), [0.0, 0.0, 0.0, 1.0]);
        // From x to y and half the size, so back from y to x and twice the size.
        let turned = [0.0, 0.5, 0.0, 0.0, -0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.0, 1.0];
        let at = rest(&turned).unwrap();
        assert_eq!(at.scale, [2.0; 3]);
        let half = std::f32::consts::FRAC_1_SQRT_2;
        assert!(at.rotation.iter().zip([0.0, 0.0, -half, half]).all(|(a, b)| (a - b).abs() < 1e-6), "{at:?}");
        assert_eq!(rest(&[0.0; 16]), None);
    }
}
