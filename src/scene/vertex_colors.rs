//! Decides whether the vertex colours of a surface are drawn, for pictures and exports alike.

use crate::array::Array;
use crate::error::Result;
use crate::model::{Colors, Surface};

/// The greatest distance of a colour component from that of black or white, above which the colour
/// is neither: 3 of 255, and the rounding of a float.
const NEAR: f32 = 3.5 / 255.0;

/// How vertex colours are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(not(feature = "cli"), allow(dead_code, reason = "only the program chooses"))]
pub enum ColorUse {
    /// As the format of the mesh file defines them. Colours that are all black or all white are not
    /// drawn.
    #[default]
    Stored,
    /// They are drawn.
    Albedo,
    /// They are data that is not drawn.
    Data,
    /// They are left out.
    Nothing,
}

/// The role of the vertex colours of a surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ColorRole {
    /// Colours that are drawn.
    Albedo,
    /// Values for another purpose, such as the movement of leaves in the wind.
    Data,
    /// All colours are black or nearly black, as a program writes them that has none.
    Black,
    /// All colours are white or nearly white.
    White,
}

impl ColorRole {
    /// Returns whether a program that multiplies by the colours shows the surface as it is meant.
    pub(crate) fn is_harmless(self) -> bool {
        matches!(self, Self::Albedo | Self::White)
    }
}

impl ColorUse {
    /// Finds the vertex colours of a surface and their role, or returns `None` if the surface has
    /// none or they are left out.
    ///
    /// Colours are read until they are known to be neither all black nor all white.
    pub(crate) fn colors<'a>(self, surface: &Surface<'a>) -> Result<Option<(Colors<'a>, ColorRole)>> {
        if self == Self::Nothing {
            return Ok(None);
        }
        let Some(colors) = surface.colors()? else { return Ok(None) };
        let role = match self {
            Self::Albedo => ColorRole::Albedo,
            Self::Data => ColorRole::Data,
            Self::Stored | Self::Nothing if surface.colors_are_data() => ColorRole::Data,
            Self::Stored | Self::Nothing => role(colors),
        };
        Ok(Some((colors, role)))
    }
}

/// Returns the role of colours that are meant to be drawn.
fn role(colors: Colors<'_>) -> ColorRole {
    let (mut has_black, mut has_white) = (false, false);
    for index in 0..colors.len() {
        let Some([red, green, blue, _]) = colors.get(index) else { break };
        let (least, most) = (red.min(green).min(blue), red.max(green).max(blue));
        has_black |= most <= NEAR;
        has_white |= least >= 1.0 - NEAR;
        if has_black == has_white || !(most <= NEAR || least >= 1.0 - NEAR) {
            return ColorRole::Albedo;
        }
    }
    if has_black { ColorRole::Black } else { ColorRole::White }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::array::Packed;
    use crate::decode::Unorm8;
    use crate::model::ColorEncoding;

    fn role_of(stored: &[[u8; 4]]) -> ColorRole {
        role(Colors(ColorEncoding::Unorm8(Packed::new(stored, Unorm8))))
    }

    fn gray(level: u8) -> [u8; 4] {
        [level, level, level, 255]
    }

    #[test]
    fn colours_that_are_all_nearly_black_or_all_nearly_white_are_not_drawn() {
        assert_eq!(role_of(&[gray(0), gray(1), gray(3)]), ColorRole::Black);
        assert_eq!(role_of(&[gray(255), gray(252), [255, 253, 254, 0]]), ColorRole::White);
        assert_eq!(role_of(&[]), ColorRole::White);
        for colored in [
            &[gray(4)][..],
            &[gray(251)],
            &[gray(0), [0, 0, 4, 255]],
            &[gray(255), [255, 251, 255, 255]],
            &[gray(0), gray(255)],
            &[gray(254), gray(254), gray(1)],
            &[gray(128)],
        ] {
            assert_eq!(role_of(colored), ColorRole::Albedo, "{colored:?}");
        }
    }

    #[test]
    fn one_coloured_vertex_of_many_is_found() {
        let mut stored = vec![gray(0); 10_000];
        assert_eq!(role_of(&stored), ColorRole::Black);
        stored[9_998] = [200, 0, 0, 255];
        assert_eq!(role_of(&stored), ColorRole::Albedo);
    }
}
