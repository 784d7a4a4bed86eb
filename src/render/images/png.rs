//! Decodes PNG images with the crate `png`.

use std::io::Cursor;

use png::{ColorType, Decoder, DecodingError, InterlaceInfo, Transformations, expand_interlaced_row};

use super::{Decoded, located, texel_count};
use crate::error::{Cause, Error, ErrorKind, Result};
use crate::math::as_index;
use crate::parse::{Limits, Name, filled, room};

const FORMAT: &str = "PNG";

/// The part of the limit `block` that parts of the file other than texels may have.
const OTHER_PARTS: u64 = 16;
/// The least limit of the other parts: rows of the greatest width, with 16 bits for each sample.
const LEAST_LIMIT: usize = 1 << 18;

/// Decodes a PNG image. Of an animation, the still picture is decoded.
///
/// The rows are decoded one by one, so no second copy of the texels is in memory.
pub(super) fn decode(bytes: &[u8], limits: &Limits) -> Result<Decoded> {
    let most = usize::try_from(limits.block / OTHER_PARTS).unwrap_or(usize::MAX).max(LEAST_LIMIT);
    let mut decoder = Decoder::new_with_limits(Cursor::new(bytes), png::Limits { bytes: most });
    decoder.set_transformations(Transformations::normalize_to_color8());
    decoder.set_ignore_text_chunk(true);
    decoder.set_ignore_iccp_chunk(true);
    let mut reader = decoder.read_info().map_err(|error| failed(&error))?;
    let size = [reader.info().width, reader.info().height];
    let count = texel_count(FORMAT, size, limits)?;
    if reader.info().frame_control().is_some_and(|frame| [frame.width, frame.height] != size) {
        return Err(wrong("a still picture of the whole size", "a smaller one"));
    }
    let (color, _) = reader.output_color_type();
    let width = as_index(reader.info().width);
    let mut texels = filled(FORMAT, "texels", count, [0; 4])?;
    let (mut row, mut start) = (room(FORMAT, "texels", width)?, 0_usize);
    while let Some(found) = reader.next_interlaced_row().map_err(|error| failed(&error))? {
        row.clear();
        extend(&mut row, found.data(), color)?;
        if let InterlaceInfo::Adam7(pass) = found.interlace() {
            let (stride, bits) = (width.saturating_mul(4), 32);
            expand_interlaced_row(texels.as_flattened_mut(), stride, row.as_flattened(), pass, bits);
        } else {
            let end = start.saturating_add(width);
            let out = texels.get_mut(start..end).filter(|out| out.len() == row.len());
            out.ok_or_else(|| wrong("rows of the size", "others"))?.copy_from_slice(&row);
            start = end;
        }
    }
    Ok((size, texels))
}

/// Adds the texels of a row.
fn extend(row: &mut Vec<[u8; 4]>, samples: &[u8], color: ColorType) -> Result<()> {
    match color {
        ColorType::Rgba => row.extend_from_slice(samples.as_chunks().0),
        ColorType::Rgb => row.extend(samples.as_chunks().0.iter().map(|[red, green, blue]| [*red, *green, *blue, 255])),
        ColorType::Grayscale => row.extend(samples.iter().map(|gray| [*gray, *gray, *gray, 255])),
        ColorType::GrayscaleAlpha => {
            row.extend(samples.as_chunks().0.iter().map(|[gray, alpha]| [*gray, *gray, *gray, *alpha]));
        }
        ColorType::Indexed => return Err(wrong("colours", "indices of a palette")),
    }
    Ok(())
}

fn wrong(expected: &'static str, found: &'static str) -> Error {
    located(FORMAT, "texels", Cause::value(expected, found))
}

fn failed(error: &DecodingError) -> Error {
    let kind = match error {
        DecodingError::LimitsExceeded => ErrorKind::Limit,
        DecodingError::IoError(_) => ErrorKind::UnexpectedEnd,
        DecodingError::Format(_) | DecodingError::Parameter(_) => ErrorKind::Value,
    };
    let text = format!("expected an image, found a damaged one ({})", Name::new(error.to_string().as_bytes()));
    located(FORMAT, "image", Cause::Custom { kind, text: text.into() })
}

#[cfg(test)]
mod tests {
    use super::super::tests::survives_damage;
    use super::super::{ImageKind, decode};
    use super::*;

    fn written(size: [u32; 2], color: ColorType, depth: png::BitDepth, samples: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, size[0], size[1]);
        encoder.set_color(color);
        encoder.set_depth(depth);
        if color == ColorType::Indexed {
            encoder.set_palette(vec![1, 2, 3, 4, 5, 6]);
            encoder.set_trns(vec![0, 9]);
        }
        encoder.write_header().unwrap().write_image_data(samples).unwrap();
        bytes
    }

    #[test]
    fn every_kind_of_colour_becomes_rgba() {
        use png::BitDepth::{Eight, One, Sixteen};
        for (color, depth, samples, texel) in [
            (ColorType::Rgba, Eight, vec![1, 2, 3, 4], [1, 2, 3, 4]),
            (ColorType::Rgb, Eight, vec![1, 2, 3], [1, 2, 3, 255]),
            (ColorType::Rgb, Sixteen, vec![1, 0, 2, 0, 3, 0], [1, 2, 3, 255]),
            (ColorType::Grayscale, Eight, vec![7], [7, 7, 7, 255]),
            (ColorType::Grayscale, One, vec![0x80], [255, 255, 255, 255]),
            (ColorType::GrayscaleAlpha, Eight, vec![7, 8], [7, 7, 7, 8]),
            (ColorType::Indexed, One, vec![0x80], [4, 5, 6, 9]),
        ] {
            let image = written([1, 1], color, depth, &samples);
            assert_eq!(super::decode(&image, &Limits::default()).unwrap(), ([1, 1], vec![texel]), "{color:?}");
            let texture = decode(ImageKind::Tga, &image, false, &Limits::default()).unwrap();
            assert!(texture.is_opaque());
        }
    }

    /// Writes an image of 3 x 2 texels in the passes of Adam7, without compression.
    fn interlaced() -> Vec<u8> {
        // A filter byte, then the texels: column 0 of the first row in pass 1, column 2 in pass 4,
        // and column 1 in pass 6. The second row is in pass 7.
        let raw = [0, 1, 0, 3, 0, 2, 0, 4, 5, 6];
        let mut data = vec![0x78, 1, 1, 10, 0, 0xf5, 0xff];
        data.extend(raw);
        let (mut a, mut b) = (1_u32, 0_u32);
        for byte in raw {
            a += u32::from(byte);
            b += a;
        }
        data.extend(((b << 16) | a).to_be_bytes());
        let mut bytes = b"\x89PNG\r\n\x1a\n".to_vec();
        for (kind, data) in
            [(b"IHDR", vec![0, 0, 0, 3, 0, 0, 0, 2, 8, 0, 0, 0, 1]), (b"IDAT", data), (b"IEND", Vec::new())]
        {
            let chunk = [kind.as_slice(), &data].concat();
            bytes.extend(u32::try_from(data.len()).unwrap().to_be_bytes());
            bytes.extend(&chunk);
            bytes.extend(crc(&chunk).to_be_bytes());
        }
        bytes
    }

    #[test]
    fn interlaced_rows_are_put_in_their_places() {
        let (size, texels) = super::decode(&interlaced(), &Limits::default()).unwrap();
        assert_eq!(size, [3, 2]);
        assert_eq!(texels.iter().map(|[gray, ..]| *gray).collect::<Vec<_>>(), [1, 2, 3, 4, 5, 6]);
        survives_damage(ImageKind::Png, &interlaced(), 20);
    }

    #[test]
    fn damaged_images_are_errors() {
        let samples: Vec<u8> = (0..=255).cycle().take(9 * 5 * 4).collect();
        survives_damage(ImageKind::Png, &written([9, 5], ColorType::Rgba, png::BitDepth::Eight, &samples), 40);
        survives_damage(ImageKind::Png, &written([9, 5], ColorType::Indexed, png::BitDepth::One, &[0xa5; 10]), 40);
    }

    #[test]
    fn a_bomb_is_refused() {
        // 16,000 x 16,000 texels of one colour are 1 GiB as RGBA.
        let image = written([16_000, 16_000], ColorType::Grayscale, png::BitDepth::One, &vec![0; 2000 * 16_000]);
        let error = super::decode(&image, &Limits::default()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Limit);
        assert!(error.to_string().contains("the limit `block`"), "{error}");
        // The header alone decides. Its checksum must be right.
        let mut image = written([1, 1], ColorType::Rgba, png::BitDepth::Eight, &[0; 4]);
        for size in [[0, 1], [u32::MAX, u32::MAX], [u32::MAX / 2, u32::MAX / 2]] {
            image[16..20].copy_from_slice(&size[0].to_be_bytes());
            image[20..24].copy_from_slice(&size[1].to_be_bytes());
            let sum = crc(&image[12..29]);
            image[29..33].copy_from_slice(&sum.to_be_bytes());
            assert!(super::decode(&image, &Limits::default()).is_err(), "{size:?}");
        }
    }

    fn crc(bytes: &[u8]) -> u32 {
        !bytes.iter().fold(u32::MAX, |sum, byte| {
            (0..8).fold(sum ^ u32::from(*byte), |sum, _| (sum >> 1) ^ if sum & 1 == 1 { 0xedb8_8320 } else { 0 })
        })
    }
}
