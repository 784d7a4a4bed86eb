//! Random numbers for tests.

/// A generator of pseudo-random numbers of the xorshift family. The numbers are the same in every
/// run of a test.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// Returns a random whole number from 0 to `limit` - 1.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        let limit = u64::try_from(limit).unwrap();
        usize::try_from((self.next() >> 11) % limit).unwrap()
    }

    /// Returns a random number in the range `from` to `to`.
    pub(crate) fn between(&mut self, from: f32, to: f32) -> f32 {
        let part = u32::try_from(self.next() >> 40).unwrap();
        from + (to - from) * crate::math::narrow(f64::from(part) / 16_777_216.0)
    }

    /// Returns a random vector whose three components are between -`size` and `size`.
    pub(crate) fn vector(&mut self, size: f32) -> [f32; 3] {
        std::array::from_fn(|_| self.between(-size, size))
    }
}
