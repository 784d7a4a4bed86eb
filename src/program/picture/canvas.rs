//! Draws rectangles and pictures onto a picture. Parts outside of the picture are not drawn.

use crate::math::as_index;
use crate::render::Picture;

/// Returns `length` pixels of the row `y` from the column `x`, or fewer at the edge of the picture.
pub fn row_part(picture: &mut Picture, [x, y]: [u32; 2], length: u32) -> &mut [[u8; 4]] {
    let [width, _] = picture.size();
    let end = x.saturating_add(length).min(width);
    let start = as_index(y).saturating_mul(as_index(width));
    let range = start.saturating_add(as_index(x))..start.saturating_add(as_index(end));
    picture.pixels_mut().get_mut(range).unwrap_or_default()
}

/// Fills a rectangle with a colour, which may be translucent.
pub fn fill(picture: &mut Picture, [x, y]: [u32; 2], [width, height]: [u32; 2], color: [u8; 4]) {
    for y in y..y.saturating_add(height) {
        for pixel in row_part(picture, [x, y], width) {
            blend(pixel, color, u8::MAX);
        }
    }
}

/// Draws a picture with its left top corner at a point.
pub fn draw(picture: &mut Picture, [x, y]: [u32; 2], source: &Picture) {
    let [width, _] = source.size();
    for (y, row) in (y..=u32::MAX).zip(source.rows()) {
        for (pixel, color) in row_part(picture, [x, y], width).iter_mut().zip(row) {
            blend(pixel, *color, u8::MAX);
        }
    }
}

/// Draws a colour over a part of a pixel. The `coverage` is 255 for the whole pixel.
pub fn blend(pixel: &mut [u8; 4], color: [u8; 4], coverage: u8) {
    let [.., alpha] = color;
    let alpha = over_255(u32::from(alpha).saturating_mul(coverage.into()));
    if alpha == u8::MAX {
        *pixel = color;
        return;
    }
    let alpha = u32::from(alpha);
    let [.., below] = *pixel;
    // The parts of both colours in the result. Their sum is at most 255 * 255.
    let upper = alpha.saturating_mul(255);
    let lower = u32::from(below).saturating_mul(u32::from(u8::MAX).saturating_sub(alpha));
    let sum = upper.saturating_add(lower);
    for (part, color) in pixel.iter_mut().zip(color).take(3) {
        let mixed = u32::from(color).saturating_mul(upper).saturating_add(u32::from(*part).saturating_mul(lower));
        let rounded = mixed.saturating_add(sum / 2).checked_div(sum);
        *part = rounded.and_then(|part| u8::try_from(part).ok()).unwrap_or(*part);
    }
    let [.., pixel_alpha] = pixel;
    *pixel_alpha = over_255(sum);
}

/// Returns the colour between two colours: `first` for a share of 0, and `second` for 255.
pub fn mix(first: [u8; 4], second: [u8; 4], share: u8) -> [u8; 4] {
    let mut mixed = first;
    let rest = u8::MAX.saturating_sub(share);
    for (part, second) in mixed.iter_mut().zip(second) {
        let sum = u32::from(*part).saturating_mul(rest.into());
        *part = over_255(sum.saturating_add(u32::from(second).saturating_mul(share.into())));
    }
    mixed
}

/// Returns a number divided by 255, rounded. The number is at most 255 * 255.
fn over_255(number: u32) -> u8 {
    u8::try_from(number.saturating_add(127) / 255).unwrap_or(u8::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_only_inside_of_the_picture() {
        let mut picture = Picture::new([3, 2], [0, 0, 0, 255]).unwrap();
        fill(&mut picture, [2, 1], [u32::MAX, 5], [9, 9, 9, 255]);
        fill(&mut picture, [3, 0], [1, 1], [7, 7, 7, 255]);
        draw(&mut picture, [u32::MAX, u32::MAX], &Picture::new([2, 2], [7; 4]).unwrap());
        draw(&mut picture, [0, 1], &Picture::new([1, 2], [5, 5, 5, 255]).unwrap());
        let reds: Vec<u8> = picture.pixels().iter().map(|[red, ..]| *red).collect();
        assert_eq!(reds, [0, 0, 0, 5, 0, 9]);
    }

    #[test]
    fn blends_with_straight_alpha() {
        let blended = |pixel, color, coverage| {
            let mut pixel = pixel;
            blend(&mut pixel, color, coverage);
            pixel
        };
        assert_eq!(blended([10, 20, 30, 255], [200, 100, 0, 255], 255), [200, 100, 0, 255]);
        assert_eq!(blended([10, 20, 30, 255], [200, 100, 0, 255], 0), [10, 20, 30, 255]);
        assert_eq!(blended([0, 0, 0, 255], [255, 255, 255, 255], 128), [128, 128, 128, 255]);
        assert_eq!(blended([9, 9, 9, 0], [200, 100, 0, 255], 51), [200, 100, 0, 51]);
        assert_eq!(blended([0, 0, 0, 0], [8, 8, 8, 0], 255), [0, 0, 0, 0]);
        assert_eq!(mix([0, 10, 20, 255], [255, 10, 0, 255], 51), [51, 10, 16, 255]);
    }
}
