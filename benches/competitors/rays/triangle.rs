//! The distance of a point from a triangle, which Embree does not compute.

type Vector = [f32; 3];

/// Returns the square of the distance. The point belongs to one of seven regions of the plane of
/// the triangle: Ericson, Real-Time Collision Detection, 5.1.5.
pub fn distance_squared(point: Vector, [a, b, c]: [Vector; 3]) -> f32 {
    let (ab, ac, ap) = (minus(b, a), minus(c, a), minus(point, a));
    let (d1, d2) = (dot(ab, ap), dot(ac, ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return dot(ap, ap);
    }
    let bp = minus(point, b);
    let (d3, d4) = (dot(ab, bp), dot(ac, bp));
    if d3 >= 0.0 && d4 <= d3 {
        return dot(bp, bp);
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return square(along(ap, ab, d1 / (d1 - d3)));
    }
    let cp = minus(point, c);
    let (d5, d6) = (dot(ab, cp), dot(ac, cp));
    if d6 >= 0.0 && d5 <= d6 {
        return dot(cp, cp);
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return square(along(ap, ac, d2 / (d2 - d6)));
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 >= d3 && d5 >= d6 {
        return square(along(bp, minus(c, b), (d4 - d3) / ((d4 - d3) + (d5 - d6))));
    }
    let sum = va + vb + vc;
    square(along(along(ap, ab, vb / sum), ac, vc / sum))
}

/// Returns `vector` minus `share` times `edge`.
fn along(vector: Vector, edge: Vector, share: f32) -> Vector {
    [0, 1, 2].map(|axis| vector[axis] - share * edge[axis])
}

fn minus(a: Vector, b: Vector) -> Vector {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn dot(a: Vector, b: Vector) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn square(vector: Vector) -> f32 {
    dot(vector, vector)
}
