//! The protocol by which a terminal shows pictures, found from the environment.

use anstream::ColorChoice;
use clap::ValueEnum;

use crate::program::outcome::UsageError;

/// The value of `--protocol`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ProtocolChoice {
    /// The best protocol that the environment variables of the terminal name
    #[default]
    Auto,
    /// Two pixels in each character: every terminal with colours
    Blocks,
    /// The graphics protocol of kitty: kitty, Ghostty, Konsole, `WezTerm`
    Kitty,
    /// Inline images of iTerm2: iTerm2, `WezTerm`, mintty, VS Code with its setting for images
    Iterm,
    /// Sixel graphics: foot, mlterm, contour, xterm -ti vt340
    #[cfg_attr(not(feature = "sixel"), value(hide = true))]
    Sixel,
}

/// A protocol by which a terminal shows a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    Blocks(BlockColors),
    Kitty,
    Iterm,
    #[cfg(feature = "sixel")]
    Sixel,
}

/// The colours of characters that a terminal shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockColors {
    /// Red, green and blue of 8 bits each.
    Rgb,
    /// The colour cube and the greys of the palette of 256 colours.
    Cube,
    /// No colours: ASCII characters of different brightness.
    Shades,
}

/// Returns the value of an environment variable, or `None` if it is not set.
pub type Lookup<'e> = &'e dyn Fn(&str) -> Option<String>;

impl Protocol {
    /// Returns the protocol for the value of `--protocol`, of `--color`, and the environment.
    pub fn choose(choice: ProtocolChoice, color: ColorChoice, lookup: Lookup<'_>) -> Result<Self, UsageError> {
        Ok(match choice {
            ProtocolChoice::Auto => Self::detect(color, lookup),
            ProtocolChoice::Blocks => Self::Blocks(BlockColors::detect(color, lookup)),
            ProtocolChoice::Kitty => Self::Kitty,
            ProtocolChoice::Iterm => Self::Iterm,
            ProtocolChoice::Sixel => return sixel(),
        })
    }

    /// Returns the best protocol that the environment names.
    ///
    /// In tmux, screen and Zellij the variables describe the terminal around them, which does not
    /// get the sequences of pictures. VS Code shows images only if a setting enables them, so it
    /// gets half blocks.
    fn detect(color: ColorChoice, lookup: Lookup<'_>) -> Self {
        let term = text(lookup, "TERM");
        let program = text(lookup, "TERM_PROGRAM");
        let is_set = |names: &[&str]| names.iter().any(|name| lookup(name).is_some_and(|value| !value.is_empty()));
        let is_inside = is_set(&["TMUX", "STY", "ZELLIJ"]) || term.starts_with("screen") || term.starts_with("tmux");
        if is_inside || term == "dumb" {
            return Self::Blocks(BlockColors::detect(color, lookup));
        }
        if matches!(program.as_str(), "iTerm.app" | "WezTerm" | "mintty") || text(lookup, "LC_TERMINAL") == "iTerm2" {
            return Self::Iterm;
        }
        let is_kitty = matches!(term.as_str(), "xterm-kitty" | "xterm-ghostty") || program == "ghostty";
        if is_kitty || (is_set(&["KITTY_WINDOW_ID", "KONSOLE_VERSION"]) && program != "vscode") {
            return Self::Kitty;
        }
        #[cfg(feature = "sixel")]
        if ["foot", "mlterm", "contour", "yaft"].iter().any(|name| term.starts_with(name)) || term.contains("sixel") {
            return Self::Sixel;
        }
        Self::Blocks(BlockColors::detect(color, lookup))
    }
}

#[cfg(feature = "sixel")]
#[allow(clippy::unnecessary_wraps, reason = "a build without the feature returns an error")]
const fn sixel() -> Result<Protocol, UsageError> {
    Ok(Protocol::Sixel)
}

#[cfg(not(feature = "sixel"))]
fn sixel() -> Result<Protocol, UsageError> {
    crate::program::outcome::usage!(
        "--protocol sixel: this program was built without it: build it with `--features sixel`, or use \
                   --protocol blocks"
    )
}

impl BlockColors {
    /// Returns the colours for the value of `--color` and the environment.
    pub fn detect(color: ColorChoice, lookup: Lookup<'_>) -> Self {
        let term = text(lookup, "TERM");
        let is_plain = match color {
            ColorChoice::Never => true,
            ColorChoice::Auto => !text(lookup, "NO_COLOR").is_empty() || is_dumb(&term),
            ColorChoice::Always | ColorChoice::AlwaysAnsi => false,
        };
        match is_plain {
            true => Self::Shades,
            false if has_rgb(&term, lookup) => Self::Rgb,
            false => Self::Cube,
        }
    }
}

/// Returns whether a terminal without any sequences has this value of `TERM`. On Windows, terminals
/// do not set it.
pub fn is_dumb(term: &str) -> bool {
    term == "dumb" || (term.is_empty() && !cfg!(windows))
}

/// Returns whether the terminal shows colours of 24 bits.
fn has_rgb(term: &str, lookup: Lookup<'_>) -> bool {
    let words = ["direct", "truecolor", "kitty", "ghostty", "alacritty", "wezterm", "foot", "contour"];
    let programs = ["iTerm.app", "WezTerm", "vscode", "mintty", "ghostty", "rio", "Hyper"];
    let is_named = |name: &str, values: &[&str]| values.contains(&text(lookup, name).as_str());
    is_named("COLORTERM", &["truecolor", "24bit"])
        || is_named("TERM_PROGRAM", &programs)
        || is_named("LC_TERMINAL", &["iTerm2"])
        || words.iter().any(|word| term.contains(word))
        || ["WT_SESSION", "KONSOLE_VERSION"].iter().any(|name| lookup(name).is_some())
        || (cfg!(windows) && term.is_empty())
}

/// Returns the value of a variable, or an empty text if it is not set.
fn text(lookup: Lookup<'_>, name: &str) -> String {
    lookup(name).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choose(choice: ProtocolChoice, color: ColorChoice, variables: &str) -> Result<Protocol, UsageError> {
        let lookup = |name: &str| {
            let pairs = variables.split(' ').filter_map(|pair| pair.split_once('='));
            pairs.filter(|(key, _)| *key == name).map(|(_, value)| value.to_owned()).next()
        };
        Protocol::choose(choice, color, &lookup)
    }

    const RGB: Protocol = Protocol::Blocks(BlockColors::Rgb);
    const CUBE: Protocol = Protocol::Blocks(BlockColors::Cube);
    const SHADES: Protocol = Protocol::Blocks(BlockColors::Shades);

    #[test]
    fn finds_the_protocol_of_each_terminal() {
        let table = [
            ("TERM=xterm-kitty KITTY_WINDOW_ID=1 COLORTERM=truecolor", Protocol::Kitty),
            ("TERM=xterm-kitty", Protocol::Kitty),
            ("TERM=xterm-ghostty TERM_PROGRAM=ghostty", Protocol::Kitty),
            ("TERM=xterm-256color KONSOLE_VERSION=230800", Protocol::Kitty),
            ("TERM=xterm-256color TERM_PROGRAM=iTerm.app COLORTERM=truecolor", Protocol::Iterm),
            ("TERM=xterm-256color LC_TERMINAL=iTerm2", Protocol::Iterm),
            ("TERM=xterm-256color TERM_PROGRAM=WezTerm", Protocol::Iterm),
            ("TERM=xterm TERM_PROGRAM=mintty", Protocol::Iterm),
            ("TERM=xterm-256color TERM_PROGRAM=vscode", RGB),
            ("TERM=xterm-256color TERM_PROGRAM=vscode KITTY_WINDOW_ID=1", RGB),
            ("TERM=xterm-256color COLORTERM=truecolor", RGB),
            ("TERM=xterm-256color COLORTERM=24bit", RGB),
            ("TERM=xterm-256color WT_SESSION=0", RGB),
            ("TERM=xterm-direct", RGB),
            ("TERM=xterm-256color TERM_PROGRAM=Apple_Terminal", CUBE),
            ("TERM=xterm-256color", CUBE),
            ("TERM=linux", CUBE),
            ("TERM=screen-256color TMUX=/tmp/x KITTY_WINDOW_ID=1 COLORTERM=truecolor", RGB),
            ("TERM=tmux-256color LC_TERMINAL=iTerm2", RGB),
            ("TERM=xterm-256color ZELLIJ=0 TERM_PROGRAM=WezTerm", RGB),
            ("TERM=screen STY=1.pts", CUBE),
            ("TERM=xterm-256color COLORTERM=truecolor NO_COLOR=1", SHADES),
            ("TERM=xterm-256color COLORTERM=truecolor NO_COLOR=", RGB),
            ("TERM=dumb COLORTERM=truecolor TERM_PROGRAM=iTerm.app", SHADES),
        ];
        for (variables, expected) in table {
            let found = choose(ProtocolChoice::Auto, ColorChoice::Auto, variables).unwrap();
            assert_eq!(found, expected, "{variables}");
        }
    }

    #[test]
    fn obeys_the_options() {
        let kitty = "TERM=xterm-kitty";
        let table = [
            (ProtocolChoice::Blocks, ColorChoice::Auto, kitty, RGB),
            (ProtocolChoice::Blocks, ColorChoice::Never, kitty, SHADES),
            (ProtocolChoice::Blocks, ColorChoice::Always, "TERM=dumb NO_COLOR=1", CUBE),
            (ProtocolChoice::Kitty, ColorChoice::Auto, "TERM=dumb", Protocol::Kitty),
            (ProtocolChoice::Iterm, ColorChoice::Auto, kitty, Protocol::Iterm),
        ];
        for (choice, color, variables, expected) in table {
            assert_eq!(choose(choice, color, variables).unwrap(), expected, "{choice:?} {color:?} {variables}");
        }
    }

    #[cfg(feature = "sixel")]
    #[test]
    fn finds_terminals_with_sixel() {
        for variables in ["TERM=foot", "TERM=foot-extra", "TERM=mlterm", "TERM=contour", "TERM=xterm-sixel"] {
            let found = choose(ProtocolChoice::Auto, ColorChoice::Auto, variables).unwrap();
            assert_eq!(found, Protocol::Sixel, "{variables}");
        }
        assert_eq!(choose(ProtocolChoice::Sixel, ColorChoice::Auto, "").unwrap(), Protocol::Sixel);
    }

    #[cfg(not(feature = "sixel"))]
    #[test]
    fn says_how_to_get_sixel() {
        let error = choose(ProtocolChoice::Sixel, ColorChoice::Auto, "TERM=foot").unwrap_err();
        assert!(error.to_string().contains("--features sixel"), "{error}");
        assert_eq!(choose(ProtocolChoice::Auto, ColorChoice::Auto, "TERM=foot").unwrap(), RGB);
    }
}
