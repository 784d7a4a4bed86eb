//! The limit on the work of a band: triangles that cover it again and again.

/// The number of times that the triangles of a band may cover it, and the lines and bones over them
/// again.
const LAYERS: u64 = 144;
/// The work for each pixel of a UV layout.
const LAYOUT_WORK: u64 = 20;
/// The least budget, for small pictures.
const LEAST: u64 = 1 << 21;
/// The work for a pixel whose samples are tested one by one, for surfaces that are not opaque.
const PIXEL_WORK: u64 = 1;
/// The work for a pixel of a texture that is cut out.
pub(crate) const CUT_WORK: u64 = 3;
/// The work for a pixel of a translucent surface.
pub(crate) const GLASS_WORK: u64 = 2;

/// The work that is left for a band. One unit is the test of a group of pixels.
///
/// The work does not depend on the processor, so neither do the triangles that are left out.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RasterBudget {
    left: u64,
    /// The number of triangles that were left out.
    pub(crate) missing: u64,
}

impl RasterBudget {
    /// Makes the budget for the surfaces of a band with a number of groups, or for the strokes over
    /// them.
    pub(crate) fn of_groups(groups: u64) -> Self {
        Self { left: groups.saturating_mul(LAYERS).max(LEAST), missing: 0 }
    }

    /// Makes the budget for the UV layout in a band with a number of pixels. A unit is the work for
    /// a row or a column of a triangle.
    pub(crate) fn of_layout(pixels: u64) -> Self {
        Self { left: pixels.saturating_mul(LAYOUT_WORK).max(LEAST), missing: 0 }
    }

    /// Takes the work for a triangle. Returns `false` and counts the triangle if less is left.
    #[inline(always)]
    pub(crate) fn take(&mut self, work: u64) -> bool {
        let left = self.left.checked_sub(work);
        self.missing = self.missing.saturating_add(u64::from(left.is_none()));
        self.left = left.unwrap_or(self.left);
        left.is_some()
    }

    /// Counts a triangle that is left out.
    pub(crate) fn miss(&mut self) {
        self.missing = self.missing.saturating_add(1);
    }

    /// Counts the parts of a triangle that were left out as one triangle. `missing` is the number
    /// before.
    pub(crate) fn count_once(&mut self, missing: u64) {
        self.missing = self.missing.min(missing.saturating_add(1));
    }

    /// Takes the work for pixels that are tested one by one.
    pub(crate) fn take_pixels(&mut self, pixels: u64) -> bool {
        self.take(pixels.saturating_mul(PIXEL_WORK))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_triangles_still_fit_after_a_large_one_did_not() {
        let mut budget = RasterBudget::of_groups(0);
        assert!(budget.take(LEAST - 5) && !budget.take(6) && budget.take(5) && !budget.take(1));
        assert_eq!(budget.missing, 2);
        let mut budget = RasterBudget::of_groups(1 << 20);
        assert!(budget.take(LAYERS << 20) && !budget.take_pixels(u64::MAX));
    }
}
