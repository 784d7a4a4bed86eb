//! Transforms triangles to the screen, with the operations of a level.

/// Defines `set_up` with the operations of the module that calls the macro.
///
/// The module defines `N`, the number of lanes, the types `F` and `I` of `f32` and `i32` lanes, and
/// the type `M` of conditions. The attributes of the macro call apply to each function.
macro_rules! set_up_with_operations {
    ($(#[$meta:meta])*) => {
        use crate::render::lanes::{LANES, Lanes};
        use crate::render::raster::projection::{DEPTHS, Projection};
        use crate::render::raster::block::{Area, BACK_BIAS, GUARD, ROUND, SQUARE, ScreenBlock, Squares};
        use crate::render::raster::visibility::SAMPLE_POSITIONS;

        /// Transforms the corners of triangles to the screen.
        $(#[$meta])*
        pub(in crate::render::raster) fn set_up(projection: &Projection, area: &Area, corners: &[[f32; 3]], out: &mut [ScreenBlock]) {
            let (blocks, _) = bytemuck::cast_slice::<_, f32>(corners).as_chunks::<{ 9 * LANES }>();
            for (block, out) in blocks.iter().zip(out) {
                (out.small, out.large, out.clipped, out.not_finite) = (0, 0, 0, 0);
                for (part, triangles) in block.as_chunks::<{ 9 * N }>().0.iter().enumerate() {
                    set_up_part(projection, area, transposed(triangles), part, out);
                }
            }
        }

        /// Sets up the triangles of one register.
        $(#[$meta])*
        fn set_up_part(projection: &Projection, area: &Area, corners: [F; 9], part: usize, out: &mut ScreenBlock) {
            let [ax, ay, az, bx, by, bz, cx, cy, cz] = corners;
            let a = project(projection, [ax, ay, az]);
            let b = project(projection, [bx, by, bz]);
            let c = project(projection, [cx, cy, cz]);
            let (not_finite, clipped) = (is_infinite(corners), is_clipped([a, b, c], projection.near));
            let ([ax, ay, az, _], [bx, by, bz, _], [cx, cy, cz, _]) = (a, b, c);
            let x = [fixed(ax), fixed(bx), fixed(cx)];
            let y = [fixed(ay), fixed(by), fixed(cy)];
            let behind = mul(back(x, y, projection.back), splat(BACK_BIAS));
            let z = [depth(add(az, behind)), depth(add(bz, behind)), depth(add(cz, behind))];
            let ([min_x, min_y], [max_x, max_y]) = (area.min, area.max);
            let outside = either(is_outside(x, min_x, max_x), is_outside(y, min_y, max_y));
            let left_out = either(either(not_finite, clipped), outside);
            let is_small = both(is_in_square(x), is_in_square(y));
            let is_covered = fit_square(x, y, z, area, part, &mut out.squares);
            store_corners(x, y, z, part, out);
            out.small |= mask(both(both(is_small, is_covered), not(left_out)), part);
            out.large |= mask(not(either(is_small, left_out)), part);
            out.clipped |= mask(both(clipped, not(not_finite)), part);
            out.not_finite |= mask(not_finite, part);
        }

        /// Returns 1 if the back of a triangle is visible, and 0 if it is the front.
        $(#[$meta])*
        fn back([x0, x1, x2]: [I; 3], [y0, y1, y2]: [I; 3], sign: f32) -> F {
            let (px, py) = (float(isub(x1, x0)), float(isub(y1, y0)));
            let (qx, qy) = (float(isub(x2, x0)), float(isub(y2, y0)));
            let area = mul(sub(mul(px, qy), mul(qx, py)), splat(sign));
            least(most(area, splat(0.0)), splat(1.0))
        }

        $(#[$meta])*
        fn store_corners(x: [I; 3], y: [I; 3], z: [F; 3], part: usize, out: &mut ScreenBlock) {
            for (out, value) in out.x.iter_mut().zip(x).chain(out.y.iter_mut().zip(y)) {
                store(out, part, value);
            }
            for (out, value) in out.z.iter_mut().zip(z) {
                store(out, part, value);
            }
        }

        /// Returns x, y and depth divided by w, and w.
        $(#[$meta])*
        fn project(projection: &Projection, [x, y, z]: [F; 3]) -> [F; 4] {
            let [ox, oy, oz] = projection.origin;
            let (x, y, z) = (sub(x, splat(ox)), sub(y, splat(oy)), sub(z, splat(oz)));
            let [p, q, r, w] = projection.rows;
            let (p, q, r, w) = (row(p, x, y, z), row(q, x, y, z), row(r, x, y, z), row(w, x, y, z));
            let inverse = div(splat(1.0), w);
            [mul(p, inverse), mul(q, inverse), mul(r, inverse), w]
        }

        /// Returns one coordinate of a projected position.
        $(#[$meta])*
        fn row([a, b, c, d]: [f32; 4], x: F, y: F, z: F) -> F {
            add(add(mul(splat(a), x), mul(splat(b), y)), add(mul(splat(c), z), splat(d)))
        }

        /// Returns the bits of the magnitude of a number. They are in the order of the magnitudes,
        /// and NaN is the greatest.
        $(#[$meta])*
        fn magnitude(value: F) -> I {
            and(bits(value), int(i32::MAX))
        }

        /// Returns whether a coordinate is not finite.
        $(#[$meta])*
        fn is_infinite(corners: [F; 9]) -> M {
            let mut greatest = int(0);
            for part in corners {
                greatest = imax(greatest, magnitude(part));
            }
            iless(int(f32::MAX.to_bits().cast_signed()), greatest)
        }

        /// Returns whether a corner is in front of the near plane or far outside the picture.
        $(#[$meta])*
        fn is_clipped([a, b, c]: [[F; 4]; 3], near: f32) -> M {
            let ([ax, ay, _, aw], [bx, by, _, bw], [cx, cy, _, cw]) = (a, b, c);
            let reach = imax(imax(magnitude(ax), magnitude(bx)), magnitude(cx));
            let reach = imax(imax(magnitude(ay), magnitude(by)), imax(magnitude(cy), reach));
            let nearest = least(least(aw, bw), cw);
            either(less(nearest, splat(near)), not(iless(reach, int(GUARD.to_bits().cast_signed()))))
        }

        /// Rounds a coordinate of a triangle that is not clipped.
        $(#[$meta])*
        fn fixed(value: F) -> I {
            isub(bits(add(value, splat(ROUND))), int(ROUND.to_bits().cast_signed()))
        }

        $(#[$meta])*
        fn depth(z: F) -> F {
            least(most(z, splat(0.0)), splat(DEPTHS - 1.0))
        }

        $(#[$meta])*
        fn extent([a, b, c]: [I; 3]) -> [I; 2] {
            [imin(imin(a, b), c), imax(imax(a, b), c)]
        }

        /// Returns whether the extent of a triangle along an axis is outside the area, or has no
        /// sample in it.
        $(#[$meta])*
        fn is_outside(corners: [I; 3], low: i32, high: i32) -> M {
            let [min, max] = extent(corners);
            // Samples have the coordinates 2, 6, 10 and 14 in each pixel, along both axes.
            let first_sample = iadd(and(iadd(min, int(1)), int(!3)), int(2));
            either(either(iless(max, int(low)), not(iless(min, int(high)))), iless(max, first_sample))
        }

        /// Returns whether the extent of a triangle along an axis is in two pixels.
        $(#[$meta])*
        fn is_in_square(corners: [I; 3]) -> M {
            let [min, max] = extent(corners);
            iless(isub(max, and(min, int(!15))), int(SQUARE))
        }

        /// Stores the square of two by two pixels of a small triangle, and returns whether the
        /// triangle covers samples. A square at the edge of the area is moved into it.
        $(#[$meta])*
        fn fit_square(x: [I; 3], y: [I; 3], z: [F; 3], area: &Area, part: usize, out: &mut Squares) -> M {
            let ([min_x, _], [min_y, _]) = (extent(x), extent(y));
            let ([first_x, first_y], [_, end_y]) = (area.min, area.max);
            let left = imax(imin(and(min_x, int(!15)), int(area.row_pixels.wrapping_mul(16).wrapping_sub(SQUARE))), int(first_x));
            let top = imax(imin(and(min_y, int(!15)), int(end_y.wrapping_sub(SQUARE))), int(first_y));
            let row = shift_right::<4>(isub(top, int(first_y)));
            let pixel = iadd(imul(row, int(area.row_pixels)), shift_right::<4>(left));
            let ([x0, x1, x2], [y0, y1, y2]) = (x, y);
            let covered = covered(
                [isub(x0, left), isub(x1, left), isub(x2, left)],
                [isub(y0, top), isub(y1, top), isub(y2, top)],
            );
            for (out, value) in out.samples.iter_mut().zip([pixel, covered]) {
                store(out, part, value);
            }
            fit_depths(x, y, z, [isub(left, x0), isub(top, y0)], part, out);
            iless(int(0), covered)
        }

        /// Stores the depths of a small triangle. `corner` is the left top corner of the square,
        /// relative to the first corner of the triangle.
        $(#[$meta])*
        fn fit_depths(x: [I; 3], y: [I; 3], z: [F; 3], corner: [I; 2], part: usize, out: &mut Squares) {
            let ([x0, x1, x2], [y0, y1, y2], [z0, z1, z2], [left, top]) = (x, y, z, corner);
            let (px, py, pz) = (float(isub(x1, x0)), float(isub(y1, y0)), sub(z1, z0));
            let (qx, qy, qz) = (float(isub(x2, x0)), float(isub(y2, y0)), sub(z2, z0));
            let inverse = div(splat(1.0), sub(mul(px, qy), mul(qx, py)));
            let zx = mul(sub(mul(pz, qy), mul(qz, py)), inverse);
            let zy = mul(sub(mul(qz, px), mul(pz, qx)), inverse);
            let rows = [add(z0, mul(zy, float(top))), add(z0, mul(zy, float(iadd(top, int(16)))))];
            let columns = [mul(zx, float(left)), mul(zx, float(iadd(left, int(16))))];
            let range = [least(least(z0, z1), z2), most(most(z0, z1), z2)];
            let places = [&mut out.rows, &mut out.columns, &mut out.slope, &mut out.range];
            for (out, values) in places.into_iter().zip([rows, columns, [zx, zy], range]) {
                for (out, value) in out.iter_mut().zip(values) {
                    store(out, part, value);
                }
            }
        }

        /// Returns the samples of a square that a small triangle covers. The corners are relative
        /// to the square.
        $(#[$meta])*
        fn covered([x0, x1, x2]: [I; 3], [y0, y1, y2]: [I; 3]) -> I {
            let area = isub(
                imul(isub(x1, x0), isub(y2, y0)),
                imul(isub(x2, x0), isub(y1, y0)),
            );
            let is_reversed = iless(area, int(0));
            let (x1, x2) = (choose(is_reversed, x2, x1), choose(is_reversed, x1, x2));
            let (y1, y2) = (choose(is_reversed, y2, y1), choose(is_reversed, y1, y2));
            let edges = [edge([x1, y1], [x2, y2]), edge([x2, y2], [x0, y0]), edge([x0, y0], [x1, y1])];
            let mut values = [[int(0); 4]; 3];
            for (values, edge) in values.iter_mut().zip(edges) {
                for (value, [x, y]) in values.iter_mut().zip(SAMPLE_POSITIONS) {
                    *value = at(edge, x, y);
                }
            }
            let [[pa, pb, _], [qa, qb, _], [ra, rb, _]] = edges;
            let right @ [rp, rq, rr] = [imul(pa, int(16)), imul(qa, int(16)), imul(ra, int(16))];
            let below @ [bp, bq, br] = [imul(pb, int(16)), imul(qb, int(16)), imul(rb, int(16))];
            let outside = or(
                or(outside(&values, [int(0); 3]), imul(outside(&values, right), int(1 << 4))),
                or(
                    imul(outside(&values, below), int(1 << 8)),
                    imul(outside(&values, [iadd(rp, bp), iadd(rq, bq), iadd(rr, br)]), int(1 << 12)),
                ),
            );
            choose(iless(int(0), imul(area, area)), isub(int(0xffff), outside), int(0))
        }

        /// Returns which samples of a pixel are outside of a triangle. `values` are the edge
        /// functions at the samples of the left top pixel, and `steps` the steps to the pixel.
        $(#[$meta])*
        fn outside(values: &[[I; 4]; 3], steps: [I; 3]) -> I {
            let ([ps, qs, rs], [dp, dq, dr]) = (values, steps);
            let mut outside = int(0);
            for (((p, q), r), bit) in ps.iter().zip(qs).zip(rs).zip([1, 2, 4, 8]) {
                let sign = or(or(iadd(*p, dp), iadd(*q, dq)), iadd(*r, dr));
                outside = or(outside, and(shift_right::<31>(sign), int(bit)));
            }
            outside
        }

        /// Returns the steps of an edge function along x and y, and its value at the origin. It is
        /// 0 or more inside of the triangle.
        $(#[$meta])*
        fn edge([ax, ay]: [I; 2], [bx, by]: [I; 2]) -> [I; 3] {
            let (a, b) = (isub(ay, by), isub(bx, ax));
            // An edge on the top or the left of the triangle contains the samples on it.
            let is_left = iless(int(0), a);
            let is_top = both(not(iless(a, int(0))), iless(int(0), b));
            let start = choose(either(is_left, is_top), int(0), int(-1));
            [a, b, isub(start, iadd(imul(a, ax), imul(b, ay)))]
        }

        /// Returns the value of an edge function at a point.
        $(#[$meta])*
        fn at([a, b, start]: [I; 3], x: i32, y: i32) -> I {
            iadd(start, iadd(imul(a, int(x)), imul(b, int(y))))
        }

        /// Writes one register of sixteen lanes.
        #[inline(always)]
        fn store<T: bytemuck::Pod, V: bytemuck::Pod>(lanes: &mut Lanes<T>, part: usize, value: V)
        where
            [T; N]: bytemuck::Pod,
        {
            if let Some(place) = lanes.as_chunks_mut::<N>().0.get_mut(part) {
                *place = bytemuck::cast(value);
            }
        }
    };
}
pub(super) use set_up_with_operations;
