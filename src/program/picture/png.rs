//! Writes pictures as PNG and APNG files. The bytes depend only on the pixels and the texts, and
//! are the same on every run and on every processor.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use png::{BitDepth, ColorType, DeflateCompression, Encoder, Filter, SrgbRenderingIntent, StreamWriter, Writer};

use crate::render::Picture;

/// The level of compression, from 1 (fastest) to 9 (smallest files).
const LEVEL: u8 = 4;
/// The number of pixels that are compressed before their bytes are written.
const BLOCK: usize = 1 << 12;

/// Writes a picture as a PNG file: RGB if all pixels are opaque, RGBA otherwise.
///
/// Each of `texts` is a keyword and its text, such as `Thumb::URI` and the address of the mesh. A
/// keyword has 1 to 79 characters of Latin-1. A text has only characters of Latin-1.
pub fn write_png(out: &mut dyn Write, picture: &Picture, texts: &[(&str, &str)]) -> io::Result<()> {
    let is_opaque = picture.pixels().iter().all(|[.., alpha]| *alpha == u8::MAX);
    let mut stream = PngStream::new(out, picture.size(), is_opaque, texts)?;
    stream.add(picture.pixels())?;
    stream.finish()
}

/// Returns a picture as the bytes of a PNG file.
pub fn png_bytes(picture: &Picture) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    write_png(&mut bytes, picture, &[])?;
    Ok(bytes)
}

/// Writes a PNG file row by row. Only a few rows are in memory.
pub struct PngStream<'w> {
    out: &'w mut dyn Write,
    stream: StreamWriter<'static, SharedBuffer>,
    /// The bytes of the file that are not yet written to `out`. The stream drops errors of its last
    /// writes, so it does not write to `out` directly.
    buffer: SharedBuffer,
    is_opaque: bool,
}

impl<'w> PngStream<'w> {
    /// Starts a file. If `is_opaque` is true, the file has no alpha, and the alpha of the pixels is
    /// ignored.
    pub fn new(out: &'w mut dyn Write, size: [u32; 2], is_opaque: bool, texts: &[(&str, &str)]) -> io::Result<Self> {
        let buffer = SharedBuffer::default();
        let color = if is_opaque { ColorType::Rgb } else { ColorType::Rgba };
        let mut encoder = encoder(buffer.clone(), size, color);
        for (keyword, text) in texts {
            encoder.add_text_chunk((*keyword).to_owned(), (*text).to_owned())?;
        }
        let stream = encoder.write_header()?.into_stream_writer()?;
        Ok(Self { out, stream, buffer, is_opaque })
    }

    /// Writes pixels, row by row from the top left corner.
    pub fn add(&mut self, pixels: &[[u8; 4]]) -> io::Result<()> {
        let mut block = Vec::with_capacity(3 * BLOCK);
        for part in pixels.chunks(BLOCK) {
            if self.is_opaque {
                block.clear();
                block.extend(part.iter().flat_map(|[red, green, blue, _]| [*red, *green, *blue]));
                self.stream.write_all(&block)?;
            } else {
                self.stream.write_all(part.as_flattened())?;
            }
            self.out.write_all(&self.buffer.take())?;
        }
        Ok(())
    }

    /// Writes the end of the file. Returns an error if pixels are missing.
    pub fn finish(self) -> io::Result<()> {
        self.stream.finish()?;
        self.out.write_all(&self.buffer.take())
    }
}

/// A buffer of bytes that is written and read by two owners.
#[derive(Clone, Default)]
struct SharedBuffer(Arc<Mutex<Vec<u8>>>);

impl SharedBuffer {
    /// Takes the bytes that were written since the last call.
    fn take(&self) -> Vec<u8> {
        self.0.lock().map(|mut bytes| std::mem::take(&mut *bytes)).unwrap_or_default()
    }
}

impl Write for SharedBuffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut buffer = self.0.lock().map_err(|_| io::Error::other("expected a buffer, found a panic"))?;
        buffer.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes an animation as an APNG file, frame by frame. It repeats without end. A program that does
/// not know APNG shows the first frame.
pub struct ApngWriter<'w> {
    writer: Writer<&'w mut dyn Write>,
    size: [u32; 2],
    missing_frames: u32,
}

impl<'w> ApngWriter<'w> {
    /// Writes the header. `size` is the width and height of every frame, and `[seconds, divisor]`
    /// the time of a frame as a fraction of seconds.
    ///
    /// Returns an error if the size or the number of frames is 0.
    pub fn new(
        out: &'w mut dyn Write,
        size: [u32; 2],
        frame_count: u32,
        [seconds, divisor]: [u16; 2],
    ) -> io::Result<Self> {
        let mut encoder = encoder(out, size, ColorType::Rgba);
        encoder.set_animated(frame_count, 0)?;
        encoder.set_frame_delay(seconds, divisor.max(1))?;
        Ok(Self { writer: encoder.write_header()?, size, missing_frames: frame_count })
    }

    /// Writes the next frame. Returns an error if its size differs from that of the animation, or
    /// if all frames are already written.
    pub fn add(&mut self, frame: &Picture) -> io::Result<()> {
        let ([width, height], [own_width, own_height]) = (frame.size(), self.size);
        if frame.size() != self.size {
            return Err(io::Error::other(format!(
                "expected a frame of {own_width} x {own_height} pixels, found {width} x {height}"
            )));
        }
        let missing = self.missing_frames.checked_sub(1);
        self.missing_frames = missing.ok_or_else(|| io::Error::other("expected no more frames, found one"))?;
        Ok(self.writer.write_image_data(frame.pixels().as_flattened())?)
    }

    /// Writes the end of the file. Returns an error if frames are missing.
    pub fn finish(self) -> io::Result<()> {
        if self.missing_frames > 0 {
            return Err(io::Error::other(format!("expected {} more frames, found none", self.missing_frames)));
        }
        Ok(self.writer.finish()?)
    }
}

/// Returns an encoder with the settings of every file.
///
/// Level 4 compresses 400 MB/s on one core, and the file is a ninth of that of the fastest method.
/// `zlib-rs` has code for several processors, which gives the same bytes on all of them.
fn encoder<W: Write>(out: W, [width, height]: [u32; 2], color: ColorType) -> Encoder<'static, W> {
    let mut encoder = Encoder::new(out, width, height);
    encoder.set_color(color);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_deflate_compression(DeflateCompression::Level(LEVEL));
    encoder.set_filter(Filter::Up);
    encoder.set_source_srgb(SrgbRenderingIntent::Perceptual);
    encoder
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(size: [u32; 2], alpha: u8) -> Picture {
        let mut picture = Picture::new(size, [0; 4]).unwrap();
        let mut state = 7_u32;
        for pixel in picture.pixels_mut() {
            state = state.wrapping_mul(0x1_9660d).wrapping_add(0x3c6e_f35f);
            let [red, green, blue, _] = state.to_be_bytes();
            *pixel = [red, green, blue / 64, alpha];
        }
        picture
    }

    fn written(picture: &Picture, texts: &[(&str, &str)]) -> Vec<u8> {
        let mut bytes = Vec::new();
        write_png(&mut bytes, picture, texts).unwrap();
        bytes
    }

    fn reader(bytes: &[u8]) -> png::Reader<io::Cursor<&[u8]>> {
        png::Decoder::new(io::Cursor::new(bytes)).read_info().unwrap()
    }

    fn decoded(reader: &mut png::Reader<io::Cursor<&[u8]>>) -> Vec<u8> {
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut pixels).unwrap();
        pixels
    }

    #[test]
    fn pixels_survive_with_and_without_alpha() {
        for size in [[1, 1], [3, 2], [1, 300], [1500, 3]] {
            let opaque = picture(size, 255);
            let bytes = written(&opaque, &[]);
            assert_eq!(bytes, written(&opaque, &[]), "the bytes are the same on every run");
            let mut reader = reader(&bytes);
            assert_eq!((reader.info().color_type, reader.info().srgb.is_some()), (ColorType::Rgb, true));
            let rgb: Vec<u8> = opaque.pixels().iter().flat_map(|[red, green, blue, _]| [*red, *green, *blue]).collect();
            assert_eq!(decoded(&mut reader), rgb);

            let clear = picture(size, 254);
            let bytes = written(&clear, &[]);
            let mut reader = self::reader(&bytes);
            assert_eq!(reader.info().color_type, ColorType::Rgba);
            assert_eq!(decoded(&mut reader), clear.pixels().as_flattened());
        }
    }

    #[test]
    fn texts_are_stored_and_wrong_ones_are_errors() {
        let picture = picture([2, 2], 255);
        let bytes = written(&picture, &[("Thumb::URI", "file:///a.mesh"), ("Thumb::MTime", "12")]);
        let reader = reader(&bytes);
        let texts: Vec<_> =
            reader.info().uncompressed_latin1_text.iter().map(|text| (&*text.keyword, &*text.text)).collect();
        assert_eq!(texts, [("Thumb::URI", "file:///a.mesh"), ("Thumb::MTime", "12")]);
        for text in [("", "a"), ("k", "\u{4e00}")] {
            assert!(write_png(&mut Vec::new(), &picture, &[text]).is_err(), "{text:?}");
        }
    }

    #[test]
    fn an_empty_picture_and_missing_pixels_are_errors() {
        for size in [[0, 0], [0, 5], [5, 0]] {
            assert!(write_png(&mut Vec::new(), &Picture::new(size, [0; 4]).unwrap(), &[]).is_err());
        }
        let mut out = Vec::new();
        let mut stream = PngStream::new(&mut out, [2, 2], true, &[]).unwrap();
        stream.add(&[[0; 4]; 3]).unwrap();
        assert!(stream.finish().is_err());
    }

    /// A writer with space for a number of bytes.
    struct Full(usize);

    impl Write for Full {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let length = bytes.len().min(self.0);
            self.0 -= length;
            if length == 0 { Err(io::Error::other("full")) } else { Ok(length) }
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn every_failed_write_is_reported() {
        let picture = picture([20, 9], 200);
        let size = written(&picture, &[]).len();
        for room in 0..size {
            let error = write_png(&mut Full(room), &picture, &[]).unwrap_err();
            assert_eq!(error.to_string(), "full", "after {room} of {size} bytes");
        }
        write_png(&mut Full(size), &picture, &[]).unwrap();
    }

    #[test]
    fn an_animation_has_its_frames_in_order() {
        let frames = [picture([4, 3], 255), picture([4, 3], 9), picture([4, 3], 0)];
        let mut bytes = Vec::new();
        let mut writer = ApngWriter::new(&mut bytes, [4, 3], 3, [1, 25]).unwrap();
        for frame in &frames {
            writer.add(frame).unwrap();
        }
        assert!(writer.add(&frames[0]).is_err());
        writer.finish().unwrap();

        let mut reader = reader(&bytes);
        assert_eq!(reader.info().animation_control().unwrap().num_frames, 3);
        for frame in &frames {
            assert_eq!(decoded(&mut reader), frame.pixels().as_flattened());
            let control = reader.info().frame_control.unwrap();
            assert_eq!((control.delay_num, control.delay_den), (1, 25));
        }
    }

    #[test]
    fn wrong_frames_are_errors() {
        assert!(ApngWriter::new(&mut Vec::new(), [4, 3], 0, [1, 25]).is_err());
        assert!(ApngWriter::new(&mut Vec::new(), [0, 3], 1, [1, 25]).is_err());
        let mut bytes = Vec::new();
        let mut writer = ApngWriter::new(&mut bytes, [4, 3], 2, [1, 0]).unwrap();
        let error = writer.add(&picture([3, 3], 255)).unwrap_err();
        assert_eq!(error.to_string(), "expected a frame of 4 x 3 pixels, found 3 x 3");
        assert_eq!(writer.finish().unwrap_err().to_string(), "expected 2 more frames, found none");
    }
}
