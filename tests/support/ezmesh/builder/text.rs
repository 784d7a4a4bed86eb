//! Spells a file as text, as every known reader of the format takes it.

use meshpeek::array::Bounds;
use meshpeek::model::Transform;

use super::{Collision, Column, Mesh, MeshElement, Section, TetraMesh, Values, Vertices, of_row};

/// The lines of a text file. The width of rows of numbers is limited.
#[derive(Default)]
struct Lines {
    text: Vec<u8>,
    column: usize,
    depth: usize,
}

impl Mesh {
    /// Returns the bytes of a text file.
    pub fn to_ezm(&self) -> Vec<u8> {
        let mut lines = Lines::default();
        lines.line(b"<?xml version=\"1.0\"?>");
        let names = [("asset_name", &self.asset_name), ("asset_info", &self.asset_info)]
            .map(|(name, one)| (name, one.as_slice()));
        let versions = [self.system_version, self.asset_version].map(|version| version.to_string());
        let versions =
            [("mesh_system_version", versions[0].as_bytes()), ("mesh_system_asset_version", versions[1].as_bytes())];
        lines.open("MeshSystem", &[names, versions].concat());
        lines.bounds(self.bounds);
        if self.meshes.is_empty() {
            for tetra in &self.tetra_meshes {
                lines.tetra_mesh(tetra);
            }
        }
        lines.list("Skeletons", &self.skeletons, |lines, skeleton| {
            lines.open("Skeleton", &[("name", &skeleton.name), ("count", count(skeleton.bones.len()).as_bytes())]);
            for bone in &skeleton.bones {
                let Transform { position, rotation, scale } = &bone.bind;
                let mut attributes = vec![("name", bone.name.clone())];
                let parent = bone.parent.and_then(|parent| skeleton.bones.get(parent as usize));
                attributes.extend(parent.map(|parent| ("parent", parent.name.clone())));
                let parts = [("orientation", &rotation[..]), ("position", position), ("scale", scale)];
                attributes.extend(parts.map(|(name, floats)| (name, joined(floats, " "))));
                lines.empty_owned("Bone", &attributes);
            }
            lines.close("Skeleton");
        });
        lines.list("Animations", &self.animations, |lines, animation| {
            let frames = animation.frames.map_or_else(|| animation.longest(), |frames| frames as usize);
            let mut attributes = vec![
                ("name", animation.name.clone()),
                ("trackcount", count(animation.tracks.len()).into()),
                ("framecount", count(frames).into()),
            ];
            let seconds = [("duration", animation.duration), ("dtime", animation.dtime)];
            attributes.extend(seconds.into_iter().filter_map(|(name, one)| Some((name, joined(&[one?], " ")))));
            lines.open_owned("Animation", &attributes);
            for track in &animation.tracks {
                let keys = count(track.keys.len());
                lines.open("AnimTrack", &[("name", &track.name), ("count", keys.as_bytes()), ("has_scale", b"true")]);
                for Transform { position, rotation, scale } in &track.keys {
                    lines.row(position.iter().chain(rotation).chain(scale).map(|one| float(*one).into()));
                }
                lines.close("AnimTrack");
            }
            lines.close("Animation");
        });
        lines.list("Materials", &self.materials, |lines, one| {
            lines.empty("Material", &[("name", &one.name), ("meta_data", &one.meta_data)]);
        });
        let mut tetra_meshes = self.tetra_meshes.as_slice();
        lines.list("Meshes", &self.meshes, |lines, mesh| lines.mesh(mesh, std::mem::take(&mut tetra_meshes)));
        lines.list("MeshInstances", &self.instances, |lines, instance| {
            let Transform { position, rotation, scale } = &instance.transform;
            let parts = [("position", &position[..]), ("rotation", rotation), ("scale", scale)];
            let mut attributes = vec![("mesh", instance.mesh.clone())];
            attributes.extend(parts.map(|(name, floats)| (name, joined(floats, ","))));
            lines.empty_owned("MeshInstance", &attributes);
        });
        lines.list("MeshCollisionRepresentations", &self.representations, |lines, one| {
            let number = count(one.collisions.len());
            let attributes = [("name", &one.name[..]), ("info", &one.info), ("count", number.as_bytes())];
            lines.open("MeshCollisionRepresentation", &attributes);
            for collision in &one.collisions {
                lines.collision(collision);
            }
            lines.close("MeshCollisionRepresentation");
        });
        lines.close("MeshSystem");
        lines.text
    }
}

fn count(count: usize) -> String {
    count.to_string()
}

/// Returns the shortest text that parses to the same bits.
fn float(number: f32) -> String {
    let size = number.abs();
    if !number.is_finite() {
        format!("0${:08x}", number.to_bits())
    } else if size == 0.0 || (1e-15..1e15).contains(&size) {
        number.to_string()
    } else {
        format!("{number:e}")
    }
}

fn joined(floats: &[f32], between: &str) -> Vec<u8> {
    floats.iter().map(|one| float(*one)).collect::<Vec<_>>().join(between).into()
}

fn types(vertices: &Vertices) -> [Vec<u8>; 2] {
    let ctype = vertices.columns.iter().map(|column| column.values.ctype()).collect::<Vec<_>>().join(" ");
    let words = vertices.columns.iter().map(|column| column.word.as_slice()).collect::<Vec<_>>().join(&b' ');
    [ctype.into(), words]
}

impl Lines {
    fn line(&mut self, line: &[u8]) {
        self.text.extend_from_slice(line);
        self.text.extend_from_slice(b"\r\n");
        self.column = 0;
    }

    fn tag(&mut self, name: &str, attributes: &[(&str, &[u8])], end: &str) {
        let mut line = format!("{}<{name}", "  ".repeat(self.depth)).into_bytes();
        for (name, value) in attributes {
            line.extend([b" ", name.as_bytes(), b"=\"", value, b"\""].concat());
        }
        line.extend_from_slice(end.as_bytes());
        self.line(&line);
    }

    fn open(&mut self, name: &str, attributes: &[(&str, &[u8])]) {
        self.tag(name, attributes, ">");
        self.depth += 1;
    }

    fn empty(&mut self, name: &str, attributes: &[(&str, &[u8])]) {
        self.tag(name, attributes, "/>");
    }

    fn open_owned(&mut self, name: &str, attributes: &[(&str, Vec<u8>)]) {
        self.open(name, &attributes.iter().map(|(name, value)| (*name, value.as_slice())).collect::<Vec<_>>());
    }

    fn empty_owned(&mut self, name: &str, attributes: &[(&str, Vec<u8>)]) {
        self.empty(name, &attributes.iter().map(|(name, value)| (*name, value.as_slice())).collect::<Vec<_>>());
    }

    fn close(&mut self, name: &str) {
        self.depth -= 1;
        self.line(format!("{}</{name}>", "  ".repeat(self.depth)).as_bytes());
    }

    fn list<T>(&mut self, name: &str, items: &[T], mut write: impl FnMut(&mut Self, &T)) {
        if !items.is_empty() {
            self.open(name, &[("count", count(items.len()).as_bytes())]);
            for item in items {
                write(self, item);
            }
            self.close(name);
        }
    }

    fn bounds(&mut self, bounds: Option<Bounds>) {
        if let Some(Bounds { min, max }) = bounds {
            self.empty("MeshAABB", &[("min", &joined(&min, ",")), ("max", &joined(&max, ","))]);
        }
    }

    /// Adds tokens to the current line, or to a new one if they do not fit.
    fn tokens(&mut self, tokens: impl Iterator<Item = Vec<u8>>) {
        for token in tokens {
            if self.column > 0 && self.column + token.len() + 2 > 160 {
                self.line(b"");
            }
            let before = if self.column == 0 { "  ".repeat(self.depth) } else { " ".to_owned() };
            self.text.extend_from_slice(before.as_bytes());
            self.text.extend_from_slice(&token);
            self.column += before.len() + token.len();
        }
    }

    fn row(&mut self, tokens: impl Iterator<Item = Vec<u8>>) {
        self.tokens(tokens);
        self.line(b",");
    }

    fn vertices(&mut self, vertices: &Vertices) {
        let [ctype, words] = types(vertices);
        let attributes = [("count", count(vertices.len()).into_bytes()), ("ctype", ctype), ("semantic", words)];
        self.open_owned("vertexbuffer", &attributes);
        for row in 0..vertices.len() {
            let parts = vertices.columns.iter().flat_map(|Column { values, .. }| values.parts());
            self.row(parts.flat_map(|part| part.tokens(row)));
        }
        self.close("vertexbuffer");
    }

    fn triangles(&mut self, triangles: &[[u32; 3]]) {
        self.open("indexbuffer", &[("triangle_count", count(triangles.len()).as_bytes())]);
        for triangle in triangles {
            let tokens = triangle.map(|index| index.to_string().into_bytes());
            let length = 4 + tokens.iter().map(Vec::len).sum::<usize>();
            self.tokens(tokens.into_iter());
            self.text.push(b',');
            self.column += 1;
            if self.column + length > 160 {
                self.line(b"");
            }
        }
        if self.column > 0 {
            self.line(b"");
        }
        self.close("indexbuffer");
    }

    fn mesh(&mut self, mesh: &MeshElement, tetra_meshes: &[TetraMesh]) {
        let sections = count(mesh.sections.len());
        let names = [("name", &mesh.name[..]), ("skeleton", &mesh.skeleton), ("submesh_count", sections.as_bytes())];
        self.open("Mesh", &names);
        self.bounds(mesh.bounds);
        if let Some(vertices) = &mesh.vertices {
            self.vertices(vertices);
        }
        for section in &mesh.sections {
            self.section(section, mesh.vertices.as_ref());
        }
        for tetra in tetra_meshes {
            self.tetra_mesh(tetra);
        }
        self.close("Mesh");
    }

    fn section(&mut self, section: &Section, shared: Option<&Vertices>) {
        let mut attributes = vec![("material", section.material.clone())];
        if let (Some(shared), None) = (shared, &section.vertices) {
            attributes.extend(["ctype", "semantic"].into_iter().zip(types(shared)));
        }
        attributes.extend(section.info.clone().map(|info| ("info", info)));
        self.open_owned("MeshSection", &attributes);
        self.bounds(section.bounds);
        if let Some(vertices) = &section.vertices {
            self.vertices(vertices);
        }
        self.triangles(&section.triangles);
        self.close("MeshSection");
    }

    fn tetra_mesh(&mut self, tetra: &TetraMesh) {
        let semantic = b"position position position position";
        let number = count(tetra.corners.len());
        let types = [("count", number.as_bytes()), ("ctype", b"fff fff fff fff"), ("semantic", semantic)];
        self.open("TetraMesh", &types);
        for one in &tetra.corners {
            self.row(one.as_flattened().iter().map(|one| float(*one).into()));
        }
        self.close("TetraMesh");
    }

    fn collision(&mut self, collision: &Collision) {
        let mut attributes = vec![("name", collision.name.clone()), ("type", collision.kind.clone())];
        attributes.extend(collision.transform.map(|matrix| ("transform", joined(&matrix, " "))));
        self.open_owned("MeshCollision", &attributes);
        let kind = collision.kind.to_ascii_uppercase();
        match (&collision.hull, kind.as_slice()) {
            (Some(hull), _) => {
                self.open("MeshCollisionConvex", &[]);
                if let Some(points) = &hull.points {
                    self.vertices(points);
                }
                self.triangles(&hull.triangles);
                self.close("MeshCollisionConvex");
            }
            (None, b"BOX") => self.empty("MeshCollisionBox", &[]),
            (None, b"SPHERE") => self.empty("MeshCollisionSphere", &[]),
            (None, b"CAPSULE") => self.empty("MeshCollisionCapsule", &[]),
            (None, b"CONVEX") => self.empty("MeshCollisionConvex", &[]),
            _ => {}
        }
        self.close("MeshCollision");
    }
}

impl Values {
    fn tokens(&self, row: usize) -> Vec<Vec<u8>> {
        fn each<T>(all: &[T], width: u8, row: usize, spell: impl Fn(&T) -> String) -> Vec<Vec<u8>> {
            of_row(all, width, row).iter().map(|one| spell(one).into_bytes()).collect()
        }
        match self {
            Self::F32(width, all) => each(all, *width, row, |one| float(*one)),
            Self::I32(width, all) => each(all, *width, row, ToString::to_string),
            Self::U16(width, all) => each(all, *width, row, ToString::to_string),
            Self::U8(width, all) => each(all, *width, row, ToString::to_string),
            Self::Characters(width, all) => of_row(all, *width, row).iter().map(|one| vec![*one]).collect(),
            Self::Hex8(width, all) => each(all, *width, row, |one| format!("{one:02X}")),
            Self::Hex16(width, all) => each(all, *width, row, |one| format!("{one:04X}")),
            Self::Hex32(width, all) => each(all, *width, row, |one| format!("{one:08X}")),
            Self::Words(width, all) => of_row(all, *width, row).to_vec(),
            Self::Mixed(parts) => parts.iter().flat_map(|part| part.tokens(row)).collect(),
        }
    }
}
