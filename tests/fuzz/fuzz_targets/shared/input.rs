//! Reads values from the input of a fuzzer. An input that has ended gives zeros.
#![allow(dead_code, reason = "each target uses a part")]

use libfuzzer_sys::arbitrary::Unstructured;
use meshpeek::Bounds;
use meshpeek::model::Transform;
use meshpeek::query::Ray;

use crate::support::query::Questions;

pub struct Input<'a>(Unstructured<'a>);

impl<'a> Input<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self(Unstructured::new(bytes))
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn byte(&mut self) -> u8 {
        self.0.arbitrary().unwrap_or_default()
    }

    pub fn word(&mut self) -> u32 {
        self.0.arbitrary().unwrap_or_default()
    }

    pub fn flag(&mut self) -> bool {
        self.byte() & 1 == 1
    }

    /// Returns a number below `limit`, which is at most 256, or 0 if `limit` is 0.
    pub fn below(&mut self, limit: usize) -> usize {
        usize::from(self.byte()) % limit.clamp(1, 256)
    }

    pub fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }

    /// Returns a float: most are of a coarse grid, some have any bits.
    pub fn float(&mut self) -> f32 {
        match self.byte() {
            kind @ 0..=15 => {
                [0.0, -0.0, f32::MAX, f32::MIN_POSITIVE, 1e-45, f32::NAN, f32::INFINITY, 1.3e18][usize::from(kind / 2)]
            }
            16..=47 => f32::from_bits(self.word()),
            kind => f32::from(kind % 32) * 0.25 - 4.0,
        }
    }

    /// Returns a finite float with a small magnitude.
    pub fn small(&mut self) -> f32 {
        f32::from(i16::from_le_bytes([self.byte(), self.byte()])) / 8192.0
    }

    pub fn floats<const N: usize>(&mut self) -> [f32; N] {
        std::array::from_fn(|_| self.float())
    }

    pub fn smalls<const N: usize>(&mut self) -> [f32; N] {
        std::array::from_fn(|_| self.small())
    }

    pub fn transform(&mut self) -> Transform {
        Transform { position: self.floats(), rotation: self.floats(), scale: self.floats() }
    }

    /// Returns a list of fewer than `limit` items.
    pub fn list<T>(&mut self, limit: usize, mut one: impl FnMut(&mut Self) -> T) -> Vec<T> {
        (0..self.below(limit)).map(|_| one(self)).collect()
    }

    pub fn bytes(&mut self, limit: usize) -> Vec<u8> {
        self.list(limit, Self::byte)
    }

    /// Returns a name: one of a few, or any bytes.
    pub fn name(&mut self) -> Vec<u8> {
        match self.below(8) {
            0 => self.bytes(12),
            1 => Vec::new(),
            name => [&b"a"[..], b"b", b"arm", b"root", "größe".as_bytes(), b"A &amp; B"][name - 2].to_vec(),
        }
    }

    pub fn text(&mut self) -> String {
        String::from_utf8_lossy(&self.name()).into_owned()
    }

    /// Returns triangles whose indices are mostly below `vertices`.
    pub fn indices(&mut self, triangles: usize, vertices: usize) -> Vec<u32> {
        let limit = (vertices + usize::from(self.byte() == 255)).max(1);
        let count = if vertices == 0 { 0 } else { self.below(triangles) * 3 };
        (0..count).map(|_| self.below(limit) as u32).collect()
    }

    /// Returns a few queries, most of them on and around small coordinates.
    pub fn questions(&mut self, surfaces: usize, vertices: usize) -> Questions {
        let mut questions = Questions::default();
        for _ in 0..=self.below(4) {
            let (from, to, limit) = (self.floats(), self.floats(), self.float());
            questions.rays.extend([Ray::toward(from, to), Ray::new(from, to).within([-limit, limit])]);
            questions.points.extend([(from, limit), (to, f32::INFINITY)]);
            questions.boxes.extend([Bounds { min: from, max: to }, Bounds { min: to, max: to }]);
        }
        let vertex = |at: usize| (at % surfaces.max(1), at as u32);
        questions.vertices = (0..vertices.min(6)).filter(|_| surfaces > 0).map(vertex).collect();
        questions
    }

    pub fn rest(self) -> &'a [u8] {
        self.0.take_rest()
    }
}
