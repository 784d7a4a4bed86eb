//! Decodes Truevision TGA images: colours, grey levels and palettes, plain or run-length encoded.
//!
//! The maintained crates for TGA need a framework for displays or one for colour profiles, which is
//! more code than this file.

use super::{Decoded, expect_bytes, located, texel_count};
use crate::error::{Cause, Result};
use crate::math::as_u64;
use crate::parse::{Limits, room};

const FORMAT: &str = "TGA";
/// The size of the header in bytes.
const HEADER: usize = 18;
/// The greatest number of texels of one run.
const LONGEST_RUN: u64 = 128;
/// The bits of the descriptor for columns from the right and for rows from the top.
const FROM_RIGHT: u8 = 0x10;
const FROM_TOP: u8 = 0x20;

/// The fields of the header that matter.
struct TgaHeader {
    /// The number of bytes between the header and the palette.
    comment: usize,
    /// 1 for palettes, 2 for colours, and 3 for grey levels.
    kind: u8,
    is_compressed: bool,
    has_palette: bool,
    /// The index of the first colour of the palette, and the number of colours.
    palette: [u16; 2],
    palette_bits: u8,
    size: [u32; 2],
    bits: u8,
    descriptor: u8,
}

/// Decodes a TGA image.
pub(super) fn decode(bytes: &[u8], limits: &Limits) -> Result<Decoded> {
    let header = read_header(bytes)?;
    let count = texel_count(FORMAT, header.size, limits)?;
    let rest = skip(bytes, HEADER.saturating_add(header.comment))?;
    let (palette, rest) = read_palette(&header, rest)?;
    let width = usize::from(header.bits.div_ceil(8));
    let texel = u64::from(header.bits.div_ceil(8));
    let runs = as_u64(count).div_ceil(LONGEST_RUN).saturating_mul(texel.saturating_add(1));
    expect_bytes(FORMAT, if header.is_compressed { runs } else { as_u64(count).saturating_mul(texel) }, rest.len())?;
    let has_alpha = header.descriptor & 0xf != 0;
    let color = |bytes: &[u8]| match header.kind {
        1 => palette.get(index(bytes)).copied(),
        3 => gray(bytes),
        _ => color(bytes, header.bits, has_alpha),
    };
    let mut texels = room(FORMAT, "texels", count)?;
    if header.is_compressed {
        inflate(rest, width, count, |texel, times| extend(&mut texels, color(texel), times))?;
    } else {
        for texel in rest.chunks_exact(width).take(count) {
            extend(&mut texels, color(texel), 1)?;
        }
    }
    // Many programs write an alpha of 0 into images that have none.
    if texels.iter().all(|[.., alpha]| *alpha == 0) {
        for [.., alpha] in &mut texels {
            *alpha = u8::MAX;
        }
    }
    Ok((header.size, upright(texels, &header)))
}

fn read_header(bytes: &[u8]) -> Result<TgaHeader> {
    let Some([comment, has_palette, kind, first, first_high, length, length_high, palette_bits, rest @ ..]) =
        bytes.first_chunk::<HEADER>()
    else {
        let left = as_u64(bytes.len());
        return Err(located(FORMAT, "header", Cause::UnexpectedEnd { needed: as_u64(HEADER), left }));
    };
    let [_, _, _, _, width, width_high, height, height_high, bits, descriptor] = *rest;
    let header = TgaHeader {
        comment: (*comment).into(),
        kind: kind & 7,
        is_compressed: kind & 8 != 0,
        has_palette: *has_palette == 1,
        palette: [u16::from_le_bytes([*first, *first_high]), u16::from_le_bytes([*length, *length_high])],
        palette_bits: *palette_bits,
        size: [[width, width_high], [height, height_high]].map(|side| u16::from_le_bytes(side).into()),
        bits,
        descriptor,
    };
    let is_known = match (header.kind, bits) {
        (1, 8 | 16) => header.has_palette && matches!(palette_bits, 15 | 16 | 24 | 32),
        (2, 15 | 16 | 24 | 32) | (3, 8 | 16) => true,
        _ => false,
    };
    if is_known && *kind < 16 && *has_palette < 2 && descriptor & 0xc0 == 0 {
        return Ok(header);
    }
    let found = format!("kind {kind} with {bits} bits, palette {has_palette} and descriptor {descriptor:#x}");
    let expected = "an image of colours, grey levels or a palette";
    Err(located(FORMAT, "header", Cause::value(expected, found)))
}

/// Returns the palette and the bytes after it. The colours before the first stored one are black.
fn read_palette<'a>(header: &TgaHeader, bytes: &'a [u8]) -> Result<(Vec<[u8; 4]>, &'a [u8])> {
    let [first, length] = header.palette.map(usize::from);
    if !header.has_palette {
        return Ok((Vec::new(), bytes));
    }
    let width = usize::from(header.palette_bits.div_ceil(8)).max(1);
    let size = width.saturating_mul(length);
    let after = skip(bytes, size)?;
    let stored = bytes.get(..size).unwrap_or_default().chunks_exact(width);
    let colors = stored.filter_map(|bytes| color(bytes, header.palette_bits, header.palette_bits == 32));
    Ok((std::iter::repeat_n([0, 0, 0, u8::MAX], first).chain(colors).collect(), after))
}

fn skip(bytes: &[u8], length: usize) -> Result<&[u8]> {
    expect_bytes(FORMAT, as_u64(length), bytes.len())?;
    Ok(bytes.get(length..).unwrap_or_default())
}

/// Calls `add` for each stored texel and its number of repetitions, until there are `count` texels.
fn inflate(
    mut bytes: &[u8],
    width: usize,
    count: usize,
    mut add: impl FnMut(&[u8], usize) -> Result<()>,
) -> Result<()> {
    let end =
        |left: usize| located(FORMAT, "texels", Cause::UnexpectedEnd { needed: as_u64(width), left: as_u64(left) });
    let mut missing = count;
    while missing > 0 {
        let (head, rest) = bytes.split_first().ok_or_else(|| end(0))?;
        let length = usize::from(head & 0x7f).saturating_add(1).min(missing);
        let (stored, times) = if head & 0x80 == 0 { (length, 1) } else { (1, length) };
        let size = stored.saturating_mul(width);
        let (texels, rest) = rest.split_at_checked(size).ok_or_else(|| end(rest.len()))?;
        texels.chunks_exact(width).try_for_each(|texel| add(texel, times))?;
        missing = missing.saturating_sub(length);
        bytes = rest;
    }
    Ok(())
}

fn extend(texels: &mut Vec<[u8; 4]>, color: Option<[u8; 4]>, times: usize) -> Result<()> {
    let cause = || Cause::value("an index of the palette", "a greater number");
    let color = color.ok_or_else(|| located(FORMAT, "texels", cause()))?;
    texels.extend(std::iter::repeat_n(color, times));
    Ok(())
}

fn index(bytes: &[u8]) -> usize {
    match bytes {
        [low, high] => u16::from_le_bytes([*low, *high]).into(),
        [index] => (*index).into(),
        _ => usize::MAX,
    }
}

fn gray(bytes: &[u8]) -> Option<[u8; 4]> {
    match bytes {
        [gray] => Some([*gray, *gray, *gray, u8::MAX]),
        [gray, alpha] => Some([*gray, *gray, *gray, *alpha]),
        _ => None,
    }
}

fn color(bytes: &[u8], bits: u8, has_alpha: bool) -> Option<[u8; 4]> {
    match bytes {
        [low, high] => {
            let packed = u16::from_le_bytes([*low, *high]);
            let part = |shift: u16| {
                let five = u8::try_from((packed >> shift) & 0x1f).unwrap_or(0x1f);
                (five << 3) | (five >> 2)
            };
            let is_clear = bits == 16 && has_alpha && packed & 0x8000 == 0;
            Some([part(10), part(5), part(0), if is_clear { 0 } else { u8::MAX }])
        }
        [blue, green, red] => Some([*red, *green, *blue, u8::MAX]),
        [blue, green, red, alpha] => Some([*red, *green, *blue, *alpha]),
        _ => None,
    }
}

/// Returns the texels in rows from the top and columns from the left.
fn upright(texels: Vec<[u8; 4]>, header: &TgaHeader) -> Vec<[u8; 4]> {
    let [width, _] = header.size.map(crate::math::as_index);
    let (from_top, from_right) = (header.descriptor & FROM_TOP != 0, header.descriptor & FROM_RIGHT != 0);
    let mut texels = texels;
    // All texels in reverse order are the rows from below, each from the right.
    if !from_top {
        texels.reverse();
    }
    if from_top == from_right {
        texels.chunks_mut(width.max(1)).for_each(<[_]>::reverse);
    }
    texels
}

#[cfg(test)]
mod tests {
    use super::super::ImageKind;
    use super::super::tests::survives_damage;
    use super::*;
    use crate::ErrorKind;

    /// Makes an image of 2 x 2 texels.
    fn image(kind: u8, bits: u8, descriptor: u8, texels: &[u8]) -> Vec<u8> {
        let mut bytes = vec![0, 0, kind, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 2, 0, bits, descriptor];
        bytes.extend(texels);
        bytes
    }

    fn with_palette(kind: u8, first: u8, texels: &[u8]) -> Vec<u8> {
        let mut bytes = vec![3, 1, kind, first, 0, 2, 0, 24, 0, 0, 0, 0, 2, 0, 2, 0, 8, FROM_TOP];
        bytes.extend([9, 9, 9, 1, 2, 3, 4, 5, 6]);
        bytes.extend(texels);
        bytes
    }

    fn texels(bytes: &[u8]) -> Vec<[u8; 4]> {
        decode(bytes, &Limits::default()).unwrap().1
    }

    #[test]
    fn rows_and_columns_are_put_upright() {
        let firsts = |descriptor| -> Vec<u8> {
            texels(&image(3, 8, descriptor, &[1, 2, 3, 4])).iter().map(|[gray, ..]| *gray).collect()
        };
        assert_eq!(firsts(FROM_TOP), [1, 2, 3, 4]);
        assert_eq!(firsts(0), [3, 4, 1, 2]);
        assert_eq!(firsts(FROM_TOP | FROM_RIGHT), [2, 1, 4, 3]);
        assert_eq!(firsts(FROM_RIGHT), [4, 3, 2, 1]);
    }

    #[test]
    fn every_kind_of_colour_becomes_rgba() {
        assert_eq!(texels(&image(2, 24, FROM_TOP, &[3, 2, 1].repeat(4))), [[1, 2, 3, 255]; 4]);
        assert_eq!(texels(&image(2, 32, FROM_TOP | 8, &[3, 2, 1, 4].repeat(4))), [[1, 2, 3, 4]; 4]);
        assert_eq!(texels(&image(2, 32, FROM_TOP, &[3, 2, 1, 0].repeat(4))), [[1, 2, 3, 255]; 4], "no alpha");
        assert_eq!(texels(&image(2, 16, 0, &[0xe0, 0x7f].repeat(4))), [[255, 255, 0, 255]; 4]);
        let bits = [0x1f, 0x80, 0, 0, 0, 0x80, 0, 0];
        assert_eq!(texels(&image(2, 16, FROM_TOP | 1, &bits)), [[0, 0, 255, 255], [0; 4], [0, 0, 0, 255], [0; 4]]);
        assert_eq!(texels(&image(3, 16, 0, &[7, 8].repeat(4))), [[7, 7, 7, 8]; 4]);
        assert_eq!(texels(&with_palette(1, 0, &[0, 1, 1, 0]))[..2], [[3, 2, 1, 255], [6, 5, 4, 255]]);
        assert_eq!(texels(&with_palette(1, 1, &[0, 1, 2, 0]))[..3], [[0, 0, 0, 255], [3, 2, 1, 255], [6, 5, 4, 255]]);
        assert!(decode(&with_palette(1, 0, &[0, 1, 2, 0]), &Limits::default()).is_err());
    }

    #[test]
    fn runs_cross_rows_and_end_with_the_image() {
        let grays =
            |runs: &[u8]| texels(&image(11, 8, FROM_TOP, runs)).iter().map(|[gray, ..]| *gray).collect::<Vec<_>>();
        assert_eq!(grays(&[0x82, 7, 0, 9]), [7, 7, 7, 9]);
        assert_eq!(grays(&[0x03, 1, 2, 3, 4]), [1, 2, 3, 4]);
        assert_eq!(grays(&[0xff, 5]), [5; 4]);
        assert_eq!(texels(&image(10, 24, FROM_TOP, &[0x83, 3, 2, 1])), [[1, 2, 3, 255]; 4]);
        assert_eq!(texels(&with_palette(9, 0, &[0x83, 1])), [[6, 5, 4, 255]; 4]);
    }

    #[test]
    fn damaged_images_are_errors() {
        survives_damage(ImageKind::Tga, &image(2, 24, 0, &[3, 2, 1].repeat(4)), 0);
        survives_damage(ImageKind::Tga, &image(10, 32, 0, &[0x82, 1, 2, 3, 4, 0, 1, 2, 3, 4]), 0);
        survives_damage(ImageKind::Tga, &image(11, 16, 0, &[0x03, 1, 2, 3, 4, 5, 6, 7, 8]), 0);
        survives_damage(ImageKind::Tga, &with_palette(1, 1, &[0, 1, 2, 0]), 0);
    }

    #[test]
    fn a_bomb_is_refused() {
        for (side, kind) in [
            ([0xff, 0x0f], ErrorKind::UnexpectedEnd),
            ([0xff, 0x2f], ErrorKind::Limit),
            ([0xff, 0xff], ErrorKind::Value),
        ] {
            let mut bomb = image(10, 24, 0, &[0xff, 3, 2, 1].repeat(3));
            bomb[12..14].copy_from_slice(&side);
            bomb[14..16].copy_from_slice(&side);
            assert_eq!(decode(&bomb, &Limits::default()).unwrap_err().kind(), kind, "{side:?}");
        }
        for other in [
            image(0, 24, 0, &[0; 12]),
            image(32, 24, 0, &[0; 12]),
            image(2, 12, 0, &[0; 12]),
            image(2, 24, 0x40, &[0; 12]),
        ] {
            assert_eq!(decode(&other, &Limits::default()).unwrap_err().kind(), ErrorKind::Value);
        }
    }
}
