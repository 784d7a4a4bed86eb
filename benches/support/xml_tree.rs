//! Other ways to read EZ-Mesh files. For text, it is an XML library that builds a tree (roxmltree)
//! together with the fastest available parser of floats (fast-float2). For the binary form, it is a
//! loader that copies each part of the records into a list.

use std::path::Path;

use roxmltree::{Document, Node};

/// The type of a number.
#[derive(Clone, Copy)]
enum Kind {
    Float,
    Integer,
    Hex,
}

/// All decoded numbers of a file.
#[derive(Debug, Default, PartialEq)]
pub struct Numbers {
    pub floats: Vec<f32>,
    pub integers: Vec<u32>,
    pub hexes: Vec<u32>,
}

/// All numbers of a file as tokens that are not decoded yet.
#[derive(Default)]
pub struct Tokens<'a> {
    floats: Vec<&'a [u8]>,
    integers: Vec<&'a [u8]>,
    hexes: Vec<&'a [u8]>,
}

pub fn parse(text: &str) -> Document<'_> {
    Document::parse(text).unwrap()
}

/// The elements whose text consists of numbers: vertices, triangles, keys.
const BLOCKS: [&str; 3] = ["vertexbuffer", "indexbuffer", "AnimTrack"];

/// Loads a text: builds a tree, and decodes all numbers in it.
pub fn load(text: &str) -> Numbers {
    let mut numbers = Numbers::default();
    let tree = parse(text);
    for name in BLOCKS {
        each(&tree, name, |kind, token| match kind {
            Kind::Float => numbers.floats.push(float(token)),
            Kind::Integer => numbers.integers.push(integer(token)),
            Kind::Hex => numbers.hexes.push(hex(token)),
        });
    }
    numbers
}

/// Returns all numbers of a tree as tokens: those of vertices, of triangles, of keys.
pub fn split<'a>(tree: &'a Document<'_>) -> [Tokens<'a>; 3] {
    BLOCKS.map(|name| {
        let mut tokens = Tokens::default();
        each(tree, name, |kind, token| match kind {
            Kind::Float => tokens.floats.push(token),
            Kind::Integer => tokens.integers.push(token),
            Kind::Hex => tokens.hexes.push(token),
        });
        tokens
    })
}

impl Tokens<'_> {
    /// Decodes everything into lists that are long enough.
    pub fn decode(&self, numbers: &mut Numbers) {
        numbers.floats.iter_mut().zip(&self.floats).for_each(|(out, token)| *out = float(token));
        numbers.integers.iter_mut().zip(&self.integers).for_each(|(out, token)| *out = integer(token));
        numbers.hexes.iter_mut().zip(&self.hexes).for_each(|(out, token)| *out = hex(token));
    }

    /// Creates lists that are long enough.
    pub fn numbers(&self) -> Numbers {
        Numbers {
            floats: vec![0.0; self.floats.len()],
            integers: vec![0; self.integers.len()],
            hexes: vec![0; self.hexes.len()],
        }
    }

    pub fn len(&self) -> usize {
        self.floats.len() + self.integers.len() + self.hexes.len()
    }
}

/// Passes every number in the elements of one name to `see`.
fn each<'a>(tree: &'a Document<'_>, name: &str, mut see: impl FnMut(Kind, &'a [u8])) {
    for node in tree.descendants().filter(|node| node.has_tag_name(name)) {
        let kinds = kinds(node);
        let text = node.text().unwrap_or_default().as_bytes();
        let tokens = text.split(|byte| matches!(byte, b' ' | b',' | b'\n' | b'\r' | b'\t'));
        let tokens = tokens.filter(|token| !token.is_empty());
        match kinds[..] {
            [kind] => tokens.for_each(|token| see(kind, token)),
            _ => tokens.zip(kinds.iter().cycle()).for_each(|(token, kind)| see(*kind, token)),
        }
    }
}

fn kinds(node: Node<'_, '_>) -> Vec<Kind> {
    match node.tag_name().name() {
        "indexbuffer" => vec![Kind::Integer],
        "AnimTrack" => vec![Kind::Float],
        _ => {
            let letters = node.attribute("ctype").unwrap_or_default().bytes();
            let kind = |letter| match letter {
                b'f' => Some(Kind::Float),
                b'h' => Some(Kind::Integer),
                b'x' => Some(Kind::Hex),
                _ => None,
            };
            letters.filter_map(kind).collect()
        }
    }
}

#[inline]
fn float(token: &[u8]) -> f32 {
    fast_float2::parse(token).unwrap()
}

/// Parses an integer in a simple loop, which is faster than `str::parse`.
#[inline]
fn integer(token: &[u8]) -> u32 {
    token.iter().fold(0, |number, digit| number * 10 + u32::from(digit - b'0'))
}

fn hex(token: &[u8]) -> u32 {
    u32::from_str_radix(std::str::from_utf8(token).unwrap(), 16).unwrap()
}

/// The metadata of a file, which is available before the numbers of its blocks are decoded.
#[derive(Debug, Default, PartialEq)]
pub struct Seen {
    /// The number of blocks of vertices, of triangles, of keys.
    pub blocks: [usize; 3],
    /// The number of vertices, triangles, frames.
    pub counts: [usize; 3],
    /// The total length of all names in bytes.
    pub names: usize,
}

/// Reads the metadata in a tree.
pub fn seen(tree: &Document<'_>) -> Seen {
    let nodes = |name| tree.descendants().filter(move |node: &Node<'_, '_>| node.has_tag_name(name));
    let blocks = BLOCKS.map(|name| (name, if name == "indexbuffer" { "triangle_count" } else { "count" }));
    let count = |node: Node<'_, '_>, name| node.attribute(name).unwrap_or_default().parse::<usize>().unwrap();
    let names = [("Mesh", "name"), ("MeshSection", "material"), ("Bone", "name"), ("AnimTrack", "name")];
    let length = |node: Node<'_, '_>, name| node.attribute(name).unwrap_or_default().len();
    Seen {
        blocks: blocks.map(|(element, _)| nodes(element).count()),
        counts: blocks.map(|(element, name)| nodes(element).map(|node| count(node, name)).sum()),
        names: names.iter().flat_map(|(element, name)| nodes(element).map(|node| length(node, *name))).sum(),
    }
}

/// The vertices of a binary file, with each part in a separate list.
#[derive(Default)]
pub struct Vertices {
    pub positions: Vec<[f32; 3]>,
    pub normals: Vec<[f32; 3]>,
    pub uvs: [Vec<[f32; 2]>; 2],
}

/// Loads a binary file that contains only one mesh with one section.
pub fn load_binary(path: &Path) -> Vertices {
    let bytes = std::fs::read(path).unwrap();
    let mut input = Input { rest: &bytes, big: bytes[3] != 0 };
    input.take(4);
    (0..3).for_each(|_| input.skip_name());
    input.take(2 * 4 + 24);
    (0..7).for_each(|_| assert_eq!(input.int(), 0));
    assert_eq!(input.int(), 1);
    input.skip_name();
    input.skip_name();
    input.take(24);
    assert_eq!(input.int(), 1);
    input.skip_name();
    input.take(24 + 4);
    let triangles = input.int();
    input.take(triangles * 12);
    assert_eq!(input.int(), 27);
    let count = input.int();
    let mut vertices = Vertices::default();
    vertices.positions.reserve_exact(count);
    vertices.normals.reserve_exact(count);
    vertices.uvs.iter_mut().for_each(|uvs| uvs.reserve_exact(count));
    for record in input.take(count * 40).as_chunks::<40>().0 {
        let floats = record.as_chunks().0.iter();
        let mut floats = floats
            .map(|raw| f32::from_bits(if input.big { u32::from_be_bytes(*raw) } else { u32::from_le_bytes(*raw) }));
        let mut next = || floats.next().unwrap();
        vertices.positions.push([next(), next(), next()]);
        vertices.normals.push([next(), next(), next()]);
        vertices.uvs.iter_mut().for_each(|uvs| uvs.push([next(), next()]));
    }
    vertices
}

/// The rest of a binary file that is not read yet.
struct Input<'a> {
    rest: &'a [u8],
    big: bool,
}

impl<'a> Input<'a> {
    fn int(&mut self) -> usize {
        let raw = self.take(4).try_into().unwrap();
        let number = if self.big { u32::from_be_bytes(raw) } else { u32::from_le_bytes(raw) };
        number as usize
    }

    fn skip_name(&mut self) {
        let length = self.int();
        self.take(length);
    }

    fn take(&mut self, length: usize) -> &'a [u8] {
        let (taken, rest) = self.rest.split_at(length);
        self.rest = rest;
        taken
    }
}
