//! Damaged images of textures, and the memory for large ones.

use meshpeek::internals::{ImageKind, decode_image};
use meshpeek::{ErrorKind, Limits};

use crate::peak;
use crate::support::random::Random;

/// The side of the largest image in these tests.
const SIDE: u16 = 512;

fn png(side: u16, color: png::ColorType, texel: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, side.into(), side.into());
    encoder.set_color(color);
    let samples = texel.repeat(usize::from(side) * usize::from(side));
    encoder.write_header().unwrap().write_image_data(&samples).unwrap();
    bytes
}

fn pcx(side: u16) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = pcx::WriterRgb::new(&mut bytes, (side, side), (72, 72)).unwrap();
    (0..side).for_each(|row| writer.write_row(&[row as u8, 2, 3].repeat(side.into())).unwrap());
    writer.finish().unwrap();
    bytes
}

/// Makes a run-length encoded image of colours.
fn tga(side: u16) -> Vec<u8> {
    let [low, high] = side.to_le_bytes();
    let mut bytes = vec![0, 0, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0, low, high, low, high, 32, 8];
    let count = usize::from(side) * usize::from(side);
    for start in (0..count).step_by(128) {
        let length = (count - start).min(128);
        bytes.extend([0x80 | (length - 1) as u8, 1, 2, 3, 4]);
    }
    bytes
}

#[test]
fn the_memory_is_that_of_the_texels() {
    let texels = usize::from(SIDE) * usize::from(SIDE) * 4;
    let limits = Limits::default().with_block(texels as u64);
    for (kind, image) in [
        (ImageKind::Png, png(SIDE, png::ColorType::Rgba, &[1, 2, 3, 4])),
        (ImageKind::Png, png(SIDE, png::ColorType::Grayscale, &[7])),
        (ImageKind::Pcx, pcx(SIDE)),
        (ImageKind::Tga, tga(SIDE)),
    ] {
        let held = peak(|| decode_image(kind, &image, true, &limits).unwrap());
        // The smaller levels have a third of the texels. The rest is rows and a window to inflate.
        assert!(held <= texels * 4 / 3 + (200 << 10), "{kind:?}: {held} bytes held for {texels} bytes of texels");
        let small = Limits::default().with_block(texels as u64 - 1);
        let refused =
            peak(|| assert_eq!(decode_image(kind, &image, true, &small).unwrap_err().kind(), ErrorKind::Limit));
        assert!(refused <= 200 << 10, "{kind:?}: {refused} bytes held for an image that is refused");
    }
}

#[test]
fn damaged_images_are_errors_or_pictures() {
    let mut random = Random::new(46);
    let limits = Limits::default().with_block(1 << 14);
    let images =
        [(ImageKind::Png, png(9, png::ColorType::Rgb, &[1, 2, 3])), (ImageKind::Pcx, pcx(9)), (ImageKind::Tga, tga(9))];
    for round in 0..600 {
        let (kind, image) = &images[round % 3];
        let mut image = image.clone();
        for _ in 0..=random.below(3) {
            let at = random.below(image.len());
            image[at] = *random.pick(&[0, 1, 0x7f, 0x80, 0xff, at as u8]);
        }
        image.truncate(random.within(image.len() / 2..image.len() + 1));
        let with_alpha = round % 2 == 0;
        let held = peak(|| {
            if let Ok(texture) = decode_image(*kind, &image, with_alpha, &limits) {
                assert!(with_alpha || texture.is_opaque());
            }
        });
        assert!(held <= 400 << 10, "{kind:?}, round {round}: {held} bytes held");
    }
}
