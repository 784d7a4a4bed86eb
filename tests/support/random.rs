//! Random numbers that are the same on every run.

/// A generator of the xorshift family.
///
/// It is small, fast, and good enough to damage files at random.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Starts a sequence.
    ///
    /// The same seed gives the same sequence.
    pub fn new(seed: u64) -> Self {
        // Any state but 0 is valid. The product spreads small seeds.
        Self(seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// Returns the next 64 bits.
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// Returns a number below `limit`, or 0 if `limit` is 0.
    pub fn below(&mut self, limit: usize) -> usize {
        let limit = u64::try_from(limit).unwrap_or(u64::MAX);
        usize::try_from((self.next() >> 11).checked_rem(limit).unwrap_or(0)).unwrap_or(0)
    }

    /// Returns a number in a range, which excludes its end.
    pub fn within(&mut self, range: std::ops::Range<usize>) -> usize {
        range.start + self.below(range.len())
    }

    /// Returns a random item of a list.
    pub fn pick<'t, T>(&mut self, list: &'t [T]) -> &'t T {
        &list[self.below(list.len())]
    }

    /// Returns `true` once in `times` calls on average.
    pub fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// Returns a float from -1 to 1.
    pub fn unit(&mut self) -> f32 {
        f32::from(i16::from_le_bytes([self.next().to_le_bytes()[3], self.next().to_le_bytes()[4]])) / 32768.0
    }

    /// Returns any float.
    ///
    /// Every bit pattern is possible.
    pub fn any_float(&mut self) -> f32 {
        match self.below(8) {
            0 => f32::from_bits(u32::try_from(self.next() >> 32).unwrap_or(0)),
            1 => *self.pick(&[0.0, -0.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MIN_POSITIVE, f32::MAX]),
            _ => self.unit() * 100.0,
        }
    }
}
