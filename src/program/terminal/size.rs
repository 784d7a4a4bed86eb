//! The size of the terminal in cells and pixels, and of the pictures in it.

use super::protocol::{Lookup, Protocol};

/// The size of a terminal that does not report it.
const UNKNOWN: [u16; 2] = [80, 24];
/// The size of a cell in pixels, if the terminal does not report it.
const UNKNOWN_CELL: [u16; 2] = [8, 16];
/// The most columns and rows that are used.
const MAX_CELLS: [u16; 2] = [1000, 500];
/// The greatest width and height of a picture in pixels. The terminal enlarges it.
const MAX_PIXELS: u32 = 2048;
/// The greatest width and height of a cell in pixels. A terminal that reports more is wrong.
const MAX_CELL: u16 = 200;

/// The size of a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TerminalSize {
    /// The number of columns, from 1 to 1000, and of rows, from 1 to 500.
    pub columns: u16,
    pub rows: u16,
    /// Width and height of a cell in pixels, or `None` if they are unknown.
    cell: Option<[u16; 2]>,
}

impl TerminalSize {
    /// Returns the size of the terminal of standard output. If it is unknown, the variables
    /// `COLUMNS` and `LINES` are used, and then 80 by 24.
    pub fn of_stdout(lookup: Lookup<'_>) -> Self {
        let size = terminal_size::terminal_size_of(std::io::stdout());
        let named = |name: &str| lookup(name).and_then(|text| text.trim().parse::<u16>().ok()).unwrap_or_default();
        let cells = size.map_or_else(|| [named("COLUMNS"), named("LINES")], |(width, height)| [width.0, height.0]);
        Self::new(cells, window_pixels())
    }

    /// Makes a size of columns and rows, and of the width and height of the window in pixels. A
    /// number of 0 means unknown.
    pub fn new(cells: [u16; 2], pixels: [u16; 2]) -> Self {
        let [columns, rows] = cells;
        let cell = [pixels[0].checked_div(columns).unwrap_or(0), pixels[1].checked_div(rows).unwrap_or(0)];
        let is_sound = cell.iter().all(|side| (1..=MAX_CELL).contains(side));
        let or = |number: u16, [other, most]: [u16; 2]| if number == 0 { other } else { number.min(most) };
        Self {
            columns: or(columns, [UNKNOWN[0], MAX_CELLS[0]]),
            rows: or(rows, [UNKNOWN[1], MAX_CELLS[1]]),
            cell: is_sound.then_some(cell),
        }
    }

    /// Returns the columns and rows of a square picture that has at most `columns` columns. It
    /// leaves two rows of the terminal for a prompt.
    pub fn square(self, columns: u16) -> [u16; 2] {
        let [width, height] = self.cell.unwrap_or(UNKNOWN_CELL).map(u32::from);
        let scaled = |number: u16, one: u32, other: u32| {
            let number = u32::from(number).saturating_mul(one).checked_div(other).unwrap_or_default();
            u16::try_from(number).unwrap_or(u16::MAX).max(1)
        };
        let most_rows = self.rows.saturating_sub(2).max(1);
        let columns = columns.min(self.columns).max(1);
        let columns = columns.min(scaled(most_rows, height, width));
        [columns, scaled(columns, width, height).min(most_rows)]
    }

    /// Returns the columns and rows of the whole screen without its last row.
    pub fn above_status(self) -> [u16; 2] {
        [self.columns, self.rows.saturating_sub(1).max(1)]
    }

    /// Returns the width and height in pixels of a picture for a number of columns and rows.
    ///
    /// Both are from 1 to 2048. Larger pictures are scaled by the terminal.
    pub fn picture_size(self, protocol: Protocol, cells: [u16; 2]) -> [u32; 2] {
        let cell = match protocol {
            Protocol::Blocks(_) => [1, 2],
            _ => self.cell.unwrap_or(UNKNOWN_CELL),
        };
        let [width, height] = [(cells[0], cell[0]), (cells[1], cell[1])]
            .map(|(cells, pixels)| u32::from(cells.max(1)).saturating_mul(pixels.into()));
        if matches!(protocol, Protocol::Blocks(_)) {
            return [width.min(MAX_PIXELS), height.min(MAX_PIXELS)];
        }
        let longest = width.max(height).max(MAX_PIXELS);
        let scaled = |side: u32| side.saturating_mul(MAX_PIXELS).checked_div(longest).unwrap_or(side).max(1);
        [scaled(width), scaled(height)]
    }
}

/// Returns the width and height of the window in pixels, or zeros if they are unknown.
fn window_pixels() -> [u16; 2] {
    #[cfg(unix)]
    if let Ok(size) = rustix::termios::tcgetwinsize(std::io::stdout()) {
        return [size.ws_xpixel, size.ws_ypixel];
    }
    [0, 0]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::terminal::protocol::BlockColors;

    const BLOCKS: Protocol = Protocol::Blocks(BlockColors::Rgb);

    #[test]
    fn uses_the_cells_that_the_terminal_reports() {
        let size = TerminalSize::new([100, 40], [1000, 800]);
        assert_eq!((size.columns, size.rows), (100, 40));
        assert_eq!(size.picture_size(Protocol::Kitty, [100, 39]), [1000, 780]);
        assert_eq!(size.picture_size(BLOCKS, [100, 39]), [100, 78]);
        assert_eq!(size.above_status(), [100, 39]);
    }

    #[test]
    fn squares_fit_the_terminal() {
        let table = [
            ([100, 40], [1000, 800], 60, [60, 30]),
            ([100, 40], [0, 0], 200, [76, 38]),
            ([20, 40], [0, 0], 60, [20, 10]),
            ([100, 40], [900, 800], 60, [60, 27]),
            ([80, 3], [0, 0], 60, [2, 1]),
            ([1, 1], [0, 0], 0, [1, 1]),
        ];
        for (cells, pixels, columns, expected) in table {
            assert_eq!(TerminalSize::new(cells, pixels).square(columns), expected, "{cells:?} {pixels:?}");
        }
    }

    #[test]
    fn hostile_sizes_stay_in_range() {
        let numbers = [0, 1, 2, 24, 80, 1000, 32768, 65535];
        for columns in numbers {
            for rows in numbers {
                for pixels in [[0, 0], [1, 65535], [65535, 1], [65535, 65535], [800, 600]] {
                    check([columns, rows], pixels);
                }
            }
        }
        assert_eq!(TerminalSize::new([0, 0], [500, 500]), TerminalSize::new([80, 24], [0, 0]));
    }

    fn check(cells: [u16; 2], pixels: [u16; 2]) {
        let size = TerminalSize::new(cells, pixels);
        assert!((1..=1000).contains(&size.columns) && (1..=500).contains(&size.rows));
        for area in [size.above_status(), size.square(u16::MAX), size.square(0), [u16::MAX; 2], [0; 2]] {
            for protocol in [BLOCKS, Protocol::Kitty] {
                let drawn = size.picture_size(protocol, area);
                assert!(drawn.iter().all(|side| (1..=2048).contains(side)), "{cells:?} {pixels:?} {drawn:?}");
            }
        }
    }
}
