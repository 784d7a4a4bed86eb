//! Decodes PNG images with the crate `png`.

use std::io::Cursor;

use png::{ColorType, Decoder, DecodingError, Transformations};

use super::{Decoded, located, texel_count};
use crate::ErrorKind;
use crate::error::{Cause, Error, Result};
use crate::parse::{Limits, Name, filled};

const FORMAT: &str = "PNG";

/// Decodes a PNG image. Of an animation, the still picture is decoded.
pub(super) fn decode(bytes: &[u8], limits: &Limits) -> Result<Decoded> {
    let most = usize::try_from(limits.block).unwrap_or(usize::MAX);
    let mut decoder = Decoder::new_with_limits(Cursor::new(bytes), png::Limits { bytes: most });
    decoder.set_transformations(Transformations::normalize_to_color8());
    decoder.set_ignore_text_chunk(true);
    let mut reader = decoder.read_info().map_err(|error| failed(&error))?;
    let size = [reader.info().width, reader.info().height];
    texel_count(FORMAT, size, limits)?;
    let length = reader.output_buffer_size().unwrap_or(usize::MAX);
    let mut samples = filled(FORMAT, "texels", length, 0_u8)?;
    let info = reader.next_frame(&mut samples).map_err(|error| failed(&error))?;
    samples.truncate(info.buffer_size());
    Ok((size, texels(&samples, info.color_type)?))
}

fn texels(samples: &[u8], color: ColorType) -> Result<Vec<[u8; 4]>> {
    Ok(match color {
        ColorType::Rgba => samples.as_chunks().0.to_vec(),
        ColorType::Rgb => samples.as_chunks().0.iter().map(|[red, green, blue]| [*red, *green, *blue, 255]).collect(),
        ColorType::Grayscale => samples.iter().map(|gray| [*gray, *gray, *gray, 255]).collect(),
        ColorType::GrayscaleAlpha => {
            samples.as_chunks().0.iter().map(|[gray, alpha]| [*gray, *gray, *gray, *alpha]).collect()
        }
        ColorType::Indexed => {
            let cause = Cause::Value { expected: "colours".into(), found: "indices of a palette".into() };
            return Err(located(FORMAT, "texels", cause));
        }
    })
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
