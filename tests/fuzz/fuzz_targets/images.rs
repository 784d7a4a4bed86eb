//! Any bytes as an image of a texture: PNG, PCX or TGA.
//!
//! Decoding ends with an error or with a texture. The texture has the smaller levels of its size,
//! does not exceed the limit, and is the same when the image is decoded again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use meshpeek::Limits;
use meshpeek::internals::{ImageKind, decode_image};

/// The limit of the bytes of an image as RGBA.
const LIMIT: u64 = 1 << 20;

fuzz_target!(|bytes: &[u8]| {
    let Some((choice, bytes)) = bytes.split_first() else { return };
    let kind = [ImageKind::Png, ImageKind::Pcx, ImageKind::Tga][usize::from(choice & 0x7f) % 3];
    let with_alpha = choice & 0x80 != 0;
    let decode = || decode_image(kind, bytes, with_alpha, &Limits::default().with_block(LIMIT));
    let Ok(texture) = decode() else { return };
    let [width, height] = texture.size();
    assert!(width > 0 && height > 0 && u64::from(width) * u64::from(height) * 4 <= LIMIT);
    assert_eq!(texture.level_count(), 1 + width.max(height).ilog2() as usize);
    assert!(with_alpha || texture.is_opaque());
    for level in 0..texture.level_count() {
        let ([width, height], texels) = texture.level(level).expect("a level");
        assert_eq!(texels.len(), width as usize * height as usize);
    }
    assert!(decode().is_ok_and(|again| again == texture), "decoded in two ways");
});
