//! Writes pictures and movies in the format that the extension of a file chooses.

use std::io::{self, Write};
use std::path::Path;

use gif::{DisposalMethod, Encoder, Frame, Repeat};
use image_webp::{ColorType, WebPEncoder};

use super::png::{ApngWriter, write_png};
use crate::render::Picture;

/// How well the colours of a GIF are chosen, from 1 (best) to 30 (fastest).
const GIF_SPEED: i32 = 10;
/// The least alpha of a pixel that a GIF shows, because it has no partly transparent pixels.
const GIF_ALPHA: u8 = 128;

/// The formats of pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PictureFormat {
    /// PNG, and APNG for movies.
    Png,
    Gif,
    /// WebP without loss.
    WebP,
}

impl PictureFormat {
    /// The extensions of movies.
    pub const MOVIES: [&str; 3] = ["png", "apng", "gif"];

    /// Returns the format that the extension of a path chooses, which is PNG by default.
    pub fn of(path: &Path) -> Self {
        let has = |extension: &str| path.extension().is_some_and(|own| own.eq_ignore_ascii_case(extension));
        if has("gif") {
            Self::Gif
        } else if has("webp") {
            Self::WebP
        } else {
            Self::Png
        }
    }

    /// Writes a picture. `texts` are those of a PNG file.
    pub fn write(self, out: &mut dyn Write, picture: &Picture, texts: &[(&str, &str)]) -> io::Result<()> {
        match self {
            Self::Png => write_png(out, picture, texts),
            Self::Gif => {
                let mut movie = GifWriter::new(out, picture.size(), None)?;
                movie.add(picture)?;
                movie.finish()
            }
            Self::WebP => write_webp(out, picture),
        }
    }
}

/// Writes a picture as a WebP file without loss.
fn write_webp(out: &mut dyn Write, picture: &Picture) -> io::Result<()> {
    let [width, height] = picture.size();
    let is_opaque = picture.pixels().iter().all(|[.., alpha]| *alpha == u8::MAX);
    let (bytes, color) = if is_opaque {
        let pixels = picture.pixels().iter().flat_map(|[red, green, blue, _]| [*red, *green, *blue]);
        (pixels.collect(), ColorType::Rgb8)
    } else {
        (picture.pixels().as_flattened().to_vec(), ColorType::Rgba8)
    };
    WebPEncoder::new(out).encode(&bytes, width, height, color).map_err(io::Error::other)
}

/// Writes a movie picture by picture.
pub enum MovieWriter<'w> {
    Png(ApngWriter<'w>),
    Gif(GifWriter<'w>),
}

impl<'w> MovieWriter<'w> {
    /// Writes the header. `delay` is the time of a picture as a fraction of seconds.
    pub fn new(
        format: PictureFormat,
        out: &'w mut dyn Write,
        size: [u32; 2],
        count: u32,
        delay: [u16; 2],
    ) -> io::Result<Self> {
        match format {
            PictureFormat::Gif => GifWriter::new(out, size, Some(delay)).map(Self::Gif),
            PictureFormat::Png | PictureFormat::WebP => ApngWriter::new(out, size, count, delay).map(Self::Png),
        }
    }

    /// Writes the next picture.
    pub fn add(&mut self, picture: &Picture) -> io::Result<()> {
        match self {
            Self::Png(writer) => writer.add(picture),
            Self::Gif(writer) => writer.add(picture),
        }
    }

    /// Writes the end of the file.
    pub fn finish(self) -> io::Result<()> {
        match self {
            Self::Png(writer) => writer.finish(),
            Self::Gif(writer) => writer.finish(),
        }
    }
}

/// Writes a GIF file picture by picture. Each picture has up to 256 colours of its own.
pub struct GifWriter<'w> {
    encoder: Encoder<&'w mut dyn Write>,
    size: [u16; 2],
    /// The time of a picture as a fraction of seconds, or `None` for a still picture.
    delay: Option<[u16; 2]>,
    written: u64,
}

impl<'w> GifWriter<'w> {
    fn new(out: &'w mut dyn Write, [width, height]: [u32; 2], delay: Option<[u16; 2]>) -> io::Result<Self> {
        let narrow = |side: u32| {
            u16::try_from(side).ok().filter(|side| *side > 0).ok_or_else(|| {
                io::Error::other(format!("expected a side of 1 to {} pixels in a GIF file, found {side}", u16::MAX))
            })
        };
        let size @ [width, height] = [narrow(width)?, narrow(height)?];
        let mut encoder = Encoder::new(out, width, height, &[]).map_err(io::Error::other)?;
        if delay.is_some() {
            encoder.set_repeat(Repeat::Infinite).map_err(io::Error::other)?;
        }
        Ok(Self { encoder, size, delay, written: 0 })
    }

    /// Writes the next picture. Returns an error if its size differs from that of the file.
    fn add(&mut self, picture: &Picture) -> io::Result<()> {
        let ([width, height], own) = (self.size, picture.size());
        if own != [width, height].map(u32::from) {
            let [own_width, own_height] = own;
            return Err(io::Error::other(format!(
                "expected a picture of {width} x {height} pixels, found {own_width} x {own_height}"
            )));
        }
        let seen = |[red, green, blue, alpha]: &[u8; 4]| {
            if *alpha < GIF_ALPHA { [0; 4] } else { [*red, *green, *blue, u8::MAX] }
        };
        let mut pixels: Vec<u8> = picture.pixels().iter().flat_map(seen).collect();
        let mut frame = Frame::from_rgba_speed(width, height, &mut pixels, GIF_SPEED);
        frame.dispose = DisposalMethod::Background;
        frame.delay = self.delay.map_or(0, |delay| hundredths(self.written, delay));
        self.written = self.written.saturating_add(1);
        self.encoder.write_frame(&frame).map_err(io::Error::other)
    }

    fn finish(self) -> io::Result<()> {
        self.encoder.into_inner().map_err(io::Error::other)?.flush()
    }
}

/// Returns the time of the picture with an index, in hundredths of a second. The times are rounded
/// so that their sums are exact to a hundredth.
fn hundredths(index: u64, [seconds, divisor]: [u16; 2]) -> u16 {
    let end = |index: u64| {
        let doubled = index.saturating_mul(seconds.into()).saturating_mul(200);
        doubled.checked_div(divisor.max(1).into()).unwrap_or_default().saturating_add(1) / 2
    };
    u16::try_from(end(index.saturating_add(1)).saturating_sub(end(index))).unwrap_or(u16::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(size: [u32; 2], seed: u8, alpha: u8) -> Picture {
        let mut picture = Picture::new(size, [0; 4]).unwrap();
        for (pixel, index) in picture.pixels_mut().iter_mut().zip(0_u8..) {
            *pixel = [index.wrapping_mul(7), seed, 255 - index, if index % 3 == 0 { alpha } else { 255 }];
        }
        picture
    }

    fn gif_frames(bytes: &[u8]) -> Vec<(u16, Vec<u8>)> {
        let mut options = gif::DecodeOptions::new();
        options.set_color_output(gif::ColorOutput::RGBA);
        let mut decoder = options.read_info(bytes).unwrap();
        let mut frames = Vec::new();
        while let Some(frame) = decoder.read_next_frame().unwrap() {
            frames.push((frame.delay, frame.buffer.to_vec()));
        }
        frames
    }

    #[test]
    fn the_extension_chooses_the_format() {
        for (name, format) in [
            ("a.png", PictureFormat::Png),
            ("a.GIF", PictureFormat::Gif),
            ("a.webp", PictureFormat::WebP),
            ("a", PictureFormat::Png),
            ("-", PictureFormat::Png),
        ] {
            assert_eq!(PictureFormat::of(Path::new(name)), format, "{name}");
        }
    }

    #[test]
    fn a_webp_has_the_same_pixels() {
        for alpha in [0, 90, 255] {
            let drawn = picture([13, 9], 5, alpha);
            let mut bytes = Vec::new();
            PictureFormat::WebP.write(&mut bytes, &drawn, &[]).unwrap();
            let mut decoder = image_webp::WebPDecoder::new(io::Cursor::new(&bytes)).unwrap();
            assert_eq!((decoder.dimensions(), decoder.has_alpha()), ((13, 9), alpha < 255));
            let mut read = vec![0; decoder.output_buffer_size().unwrap()];
            decoder.read_image(&mut read).unwrap();
            let width = if alpha < 255 { 4 } else { 3 };
            for (pixel, read) in drawn.pixels().iter().zip(read.chunks(width)) {
                assert_eq!(&pixel[..width], read);
            }
        }
        assert!(PictureFormat::WebP.write(&mut Vec::new(), &picture([0, 3], 5, 9), &[]).is_err());
    }

    #[test]
    fn a_gif_has_few_colours_and_clear_pixels() {
        let drawn = picture([13, 9], 5, 100);
        let mut bytes = Vec::new();
        PictureFormat::Gif.write(&mut bytes, &drawn, &[]).unwrap();
        let frames = gif_frames(&bytes);
        assert_eq!((frames.len(), frames[0].0), (1, 0));
        for (pixel, read) in drawn.pixels().iter().zip(frames[0].1.chunks(4)) {
            let [red, green, blue, alpha] = *pixel;
            if alpha < GIF_ALPHA {
                assert_eq!(read[3], 0);
            } else {
                assert_eq!(read, [red, green, blue, 255]);
            }
        }
        for size in [[0, 3], [70_000, 1]] {
            assert!(GifWriter::new(&mut Vec::new(), size, None).is_err());
        }
    }

    #[test]
    fn the_times_of_a_gif_are_those_of_an_apng() {
        let mut bytes = Vec::new();
        let mut movie = MovieWriter::new(PictureFormat::Gif, &mut bytes, [13, 9], 5, [1, 24]).unwrap();
        for seed in 0..5 {
            movie.add(&picture([13, 9], seed, 255)).unwrap();
        }
        assert!(movie.add(&picture([9, 13], 0, 255)).is_err());
        movie.finish().unwrap();
        let delays: Vec<u16> = gif_frames(&bytes).iter().map(|(delay, _)| *delay).collect();
        assert_eq!(delays, [4, 4, 5, 4, 4]);
        for delay @ [seconds, divisor] in [[1_u16, 24], [1, 30], [100, 2997], [3, 30], [1, 0], [65_535, 1]] {
            let count = 200;
            let sum: u64 = (0..count).map(|index| u64::from(hundredths(index, delay))).sum();
            let exact = f64::from(seconds) / f64::from(divisor.max(1)) * 100.0 * 200.0;
            let whole = if seconds == 65_535 { 65_535.0 * 200.0 } else { exact };
            assert!((f64::from(u32::try_from(sum).unwrap()) - whole).abs() <= 0.5, "{delay:?}: {sum} and {whole}");
        }
    }
}
