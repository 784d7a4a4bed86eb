//! Decodes PCX images with the crate `pcx`.

use std::io::{self, Cursor};

use pcx::Reader;

use super::{Decoded, expect_bytes, located, texel_count};
use crate::error::{Cause, Error, ErrorKind, Result};
use crate::parse::{Limits, room};

const FORMAT: &str = "PCX";
/// The size of the header in bytes.
const HEADER: usize = 128;
/// The greatest number of bytes that two compressed bytes stand for.
const LONGEST_RUN: u64 = 63;

/// Decodes a PCX image. If `is_masked` is true, the first colour of a palette is cut out.
pub(super) fn decode(bytes: &[u8], is_masked: bool, limits: &Limits) -> Result<Decoded> {
    let mut reader = Reader::new(Cursor::new(bytes)).map_err(|error| failed(&error))?;
    let (width, height) = reader.dimensions();
    let size = [width, height].map(u32::from);
    let count = texel_count(FORMAT, size, limits)?;
    check_length(&reader, bytes)?;
    let mut texels = room(FORMAT, "texels", count)?;
    if reader.is_paletted() {
        let mut palette = [0; 3 * 256];
        reader.get_palette(&mut palette).map_err(|error| failed(&error))?;
        let mut row = vec![0; width.into()];
        for _ in 0..height {
            reader.next_row_paletted(&mut row).map_err(|error| failed(&error))?;
            texels.extend(row.iter().map(|index| texel(&palette, *index, is_masked)));
        }
    } else {
        let mut row = vec![0; usize::from(width).saturating_mul(3)];
        for _ in 0..height {
            reader.next_row_rgb(&mut row).map_err(|error| failed(&error))?;
            texels.extend(row.as_chunks().0.iter().map(|[red, green, blue]| [*red, *green, *blue, 255]));
        }
    }
    Ok((size, texels))
}

/// Returns an error if the bytes of a file are too few for its size, before memory is allocated.
fn check_length(reader: &Reader<Cursor<&[u8]>>, bytes: &[u8]) -> Result<()> {
    let header = &reader.header;
    let lanes = u64::from(header.number_of_color_planes).saturating_mul(header.size.1.into());
    let length = lanes.saturating_mul(header.lane_proper_length().into());
    let needed = if header.is_compressed { length.saturating_mul(2) / LONGEST_RUN } else { length };
    expect_bytes(FORMAT, needed, bytes.len().saturating_sub(HEADER))
}

fn texel(palette: &[u8; 3 * 256], index: u8, is_masked: bool) -> [u8; 4] {
    let alpha = if is_masked && index == 0 { 0 } else { u8::MAX };
    let color = palette.as_chunks().0.get(usize::from(index));
    color.map_or([0, 0, 0, alpha], |[red, green, blue]| [*red, *green, *blue, alpha])
}

fn failed(error: &io::Error) -> Error {
    let is_end = error.kind() == io::ErrorKind::UnexpectedEof;
    let kind = if is_end { ErrorKind::UnexpectedEnd } else { ErrorKind::Value };
    located(
        FORMAT,
        "image",
        Cause::Custom { kind, text: format!("expected an image, found a damaged one ({error})").into() },
    )
}

#[cfg(test)]
mod tests {
    use super::super::ImageKind;
    use super::super::tests::survives_damage;
    use super::*;

    fn paletted(width: u16, rows: &[&[u8]]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let size = (width, u16::try_from(rows.len()).unwrap());
        let mut writer = pcx::WriterPaletted::new(&mut bytes, size, (72, 72)).unwrap();
        for row in rows {
            writer.write_row(row).unwrap();
        }
        let palette: Vec<u8> = (0..=255_u8).flat_map(|index| [index, 0, 255 - index]).collect();
        writer.write_palette(&palette).unwrap();
        bytes
    }

    fn colours() -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut writer = pcx::WriterRgb::new(&mut bytes, (3, 2), (72, 72)).unwrap();
        for row in [[1, 2, 3, 4, 5, 6, 7, 8, 9], [200, 201, 202, 0, 0, 0, 9, 9, 9]] {
            writer.write_row(&row).unwrap();
        }
        writer.finish().unwrap();
        bytes
    }

    #[test]
    fn palettes_and_colours_become_rgba() {
        let image = paletted(3, &[&[0, 1, 2], &[255, 0, 200]]);
        let (size, texels) = decode(&image, false, &Limits::default()).unwrap();
        assert_eq!(
            (size, texels[0], texels[3], texels[5]),
            ([3, 2], [0, 0, 255, 255], [255, 0, 0, 255], [200, 0, 55, 255])
        );
        let (_, masked) = decode(&image, true, &Limits::default()).unwrap();
        assert_eq!(masked.iter().map(|[.., alpha]| *alpha).collect::<Vec<_>>(), [0, 255, 255, 255, 0, 255]);
        let (_, texels) = decode(&colours(), true, &Limits::default()).unwrap();
        assert_eq!((texels[1], texels[3]), ([4, 5, 6, 255], [200, 201, 202, 255]));
    }

    /// Makes an uncompressed image whose rows are packed.
    fn packed(planes: u8, depth: u8, [width, height]: [u16; 2], rows: &[u8]) -> Vec<u8> {
        let lane = (width * u16::from(depth)).div_ceil(8);
        let mut bytes = vec![10, 5, 0, depth, 0, 0, 0, 0];
        bytes.extend((width - 1).to_le_bytes().into_iter().chain((height - 1).to_le_bytes()));
        bytes.extend([0; 4]);
        bytes.extend((0..16).flat_map(|index| [index * 16, index, 0]));
        bytes.extend([0, planes]);
        bytes.extend(lane.to_le_bytes());
        bytes.resize(HEADER, 0);
        bytes.extend(rows);
        bytes
    }

    #[test]
    fn packed_and_planar_rows_are_decoded() {
        let reds = |image: &[u8]| -> Vec<u8> {
            decode(image, false, &Limits::default()).unwrap().1.iter().map(|[red, ..]| *red).collect()
        };
        assert_eq!(reds(&packed(1, 1, [9, 1], &[0b1010_0000, 0x80])), [255, 0, 255, 0, 0, 0, 0, 0, 255]);
        assert_eq!(reds(&packed(1, 4, [3, 1], &[0x1f, 0x20])), [16, 240, 32]);
        assert_eq!(reds(&packed(1, 2, [5, 1], &[0b0001_1011, 0x40])), [0, 16, 32, 48, 16]);
        assert_eq!(reds(&packed(4, 1, [2, 1], &[0x80, 0x40, 0, 0x80])), [144, 32]);
    }

    #[test]
    fn damaged_images_are_errors() {
        survives_damage(ImageKind::Pcx, &paletted(5, &[&[0, 1, 1, 1, 200], &[9; 5]]), 0);
        survives_damage(ImageKind::Pcx, &colours(), 3);
        survives_damage(ImageKind::Pcx, &packed(1, 4, [5, 2], &[0x12; 6]), 0);
        survives_damage(ImageKind::Pcx, &packed(3, 1, [5, 2], &[0x12; 6]), 0);
    }

    #[test]
    fn a_bomb_is_refused() {
        let mut image = paletted(3, &[&[0, 1, 2]]);
        image[8..12].copy_from_slice(&[0xff, 0x0f, 0xff, 0x0f]);
        image[66..68].copy_from_slice(&[0, 0x10]);
        let error = decode(&image, false, &Limits::default()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::UnexpectedEnd, "4096 x 4096 texels in {} bytes", image.len());
        image[8..12].copy_from_slice(&[0xfe, 0xff, 0xfe, 0xff]);
        image[66..68].copy_from_slice(&[0xff, 0xff]);
        assert_eq!(decode(&image, false, &Limits::default()).unwrap_err().kind(), ErrorKind::Value);
    }
}
