//! Another way to read EZ-Mesh text: an XML library that builds a tree (roxmltree) together with
//! the fastest available parser of floats (fast-float2).
#![allow(clippy::unwrap_used, clippy::arithmetic_side_effects, reason = "a panic is how a bench fails")]

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
