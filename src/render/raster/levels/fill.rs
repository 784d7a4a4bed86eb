//! Fills the samples of triangles, with the operations of a level.

/// Defines `fill_blocks` and `fill_triangle` with the operations of the module that calls the
/// macro, as [`set_up_with_operations`](super::set_up::set_up_with_operations) does.
macro_rules! fill_with_operations {
    ($(#[$meta:meta])*) => {
        use crate::math::as_index;
        use crate::render::raster::block::{ScreenTriangle, lanes_of};
        use crate::render::raster::square::{ROUND_DEPTH, fill_square};
        use crate::render::raster::visibility::{EMPTY, VisibilityBuffer};
        use crate::render::raster::walk::{Depths, GroupWalk, OFFSETS, PIXEL_OFFSETS, PIXELS, limited};

        /// The number of registers of a group of samples.
        const PARTS: usize = LANES / N;

        /// Draws the triangles of blocks. `first` is the number of the first triangle.
        $(#[$meta])*
        pub(in crate::render::raster) fn fill_blocks(
            buffer: &mut VisibilityBuffer,
            area: &Area,
            blocks: &[ScreenBlock],
            first: u32,
        ) {
            for (block, first) in blocks.iter().zip((first..).step_by(LANES)) {
                for lane in lanes_of(block.small) {
                    fill_square(buffer, area.row_pixels, &block.squares, as_index(lane), first.wrapping_add(lane));
                }
                for lane in lanes_of(block.large) {
                    fill_triangle(buffer, area, &block.triangle(as_index(lane), first.wrapping_add(lane)));
                }
            }
        }

        /// Draws one triangle.
        #[allow(clippy::indexing_slicing, reason = "the compiler knows that `part` is below `PARTS`")]
        $(#[$meta])*
        pub(in crate::render::raster) fn fill_triangle(
            buffer: &mut VisibilityBuffer,
            area: &Area,
            triangle: &ScreenTriangle,
        ) {
            let Some(mut walk) = GroupWalk::new(buffer, area, triangle) else { return };
            if !buffer.budget.take(walk.work) {
                return;
            }
            let depths = Depths::new(triangle);
            let [[a0, a1, a2], [b0, b1, b2]] = walk.steps;
            let (ps, qs, rs) = (steps(a0, b0), steps(a1, b1), steps(a2, b2));
            let mut planes = [splat(0.0); PARTS];
            let [zx, zy] = depths.slope;
            let (zx, zy) = (splat(zx), splat(zy));
            for (part, plane) in planes.iter_mut().enumerate() {
                let [x, y]: [F; 2] = [load(&PIXEL_OFFSETS[0], part), load(&PIXEL_OFFSETS[1], part)];
                *plane = add(mul(zx, x), mul(zy, y));
            }
            for _ in 0..walk.rows {
                let Some(groups) = buffer.samples.get_mut(walk.groups.clone()) else { return };
                let (mut values, mut x, row) = (walk.values, walk.x, splat(depths.at_row(walk.y)));
                for group in groups {
                    let [v0, v1, v2] = values;
                    let (p, q, r) = (int(limited(v0)), int(limited(v1)), int(limited(v2)));
                    let column = float(int(x));
                    for (part, samples) in group.as_chunks_mut::<N>().0.iter_mut().enumerate() {
                        let outside = or(or(iadd(ps[part], p), iadd(qs[part], q)), iadd(rs[part], r));
                        // A test of few samples would cost more than it saves.
                        if walk.is_narrow || mask(iless(int(-1), outside), 0) != 0 {
                            let z = add(row, mul(zx, add(column, load(&PIXELS, part))));
                            keep_nearest(samples, outside, add(z, planes[part]), depths.range, triangle.number);
                        }
                    }
                    for (value, step) in values.iter_mut().zip(walk.across) {
                        *value = value.wrapping_add(step);
                    }
                    x = x.wrapping_add(64);
                }
                walk.next_row();
            }
        }

        /// Returns the changes of an edge function from the corner of a group to its samples.
        $(#[$meta])*
        fn steps(a: i32, b: i32) -> [I; PARTS] {
            let mut steps = [int(0); PARTS];
            for (part, step) in steps.iter_mut().enumerate() {
                let [x, y]: [I; 2] = [load(&OFFSETS[0], part), load(&OFFSETS[1], part)];
                *step = iadd(imul(int(a), x), imul(int(b), y));
            }
            steps
        }

        /// Keeps the nearest triangle of each sample. A negative number in `outside` means that the
        /// sample is outside the triangle.
        $(#[$meta])*
        fn keep_nearest(samples: &mut [i64; N], outside: I, z: F, [min, max]: [f32; 2], number: u32) {
            let z = add(least(most(z, splat(min)), splat(max)), splat(ROUND_DEPTH));
            let (depths, outside): ([i32; N], [i32; N]) = (bytemuck::cast(bits(z)), bytemuck::cast(outside));
            for ((sample, depth), outside) in samples.iter_mut().zip(depths).zip(outside) {
                let key = (i64::from(depth) << 32) | i64::from(number);
                let key = if outside >= 0 { key } else { EMPTY };
                *sample = if key < *sample { key } else { *sample };
            }
        }

        /// Reads one register of sixteen lanes.
        #[inline(always)]
        fn load<T: bytemuck::Pod, V: bytemuck::Pod>(lanes: &Lanes<T>, part: usize) -> V
        where
            [T; N]: bytemuck::Pod,
        {
            bytemuck::cast(lanes.as_chunks::<N>().0.get(part).copied().unwrap_or_else(bytemuck::Zeroable::zeroed))
        }
    };
}
pub(super) use fill_with_operations;
