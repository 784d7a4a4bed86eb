//! Inline images of iTerm2.

use crate::program::render::base64::base64;

/// Returns the sequence that shows a PNG file at the cursor, in at most `columns` by `rows` cells.
pub fn iterm_image(png: &[u8], [columns, rows]: [u16; 2]) -> String {
    let size = png.len();
    let digits = base64(png);
    format!("\x1b]1337;File=inline=1;size={size};width={columns};height={rows};preserveAspectRatio=1:{digits}\x07")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_size_and_cells() {
        let expected = "\x1b]1337;File=inline=1;size=3;width=4;height=2;preserveAspectRatio=1:Zm9v\x07";
        assert_eq!(iterm_image(b"foo", [4, 2]), expected);
    }
}
