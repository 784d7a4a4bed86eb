//! Shows pictures in a terminal: one between lines of text, or an interactive view.

mod blocks;
mod encode;
#[cfg_attr(not(unix), allow(dead_code, reason = "the interactive view needs Unix"))]
mod keys;
mod protocol;
#[cfg(unix)]
mod session;
#[cfg(feature = "sixel")]
mod sixel;
mod size;
mod view_state;
#[cfg_attr(not(unix), allow(dead_code, reason = "the interactive view needs Unix"))]
mod viewer;

use std::io::{self, IsTerminal as _, Write};

use anstream::ColorChoice;
use clap::Args;

pub use blocks::block_lines;
pub use protocol::{BlockColors, Protocol, ProtocolChoice};
pub use size::TerminalSize;
pub use view_state::{TerminalScene, ViewState};

use super::args::Global;
use super::outcome::{Outcome, UsageError, usage};
use super::output::{is_pipe_closed, report};
use crate::render::Picture;
use encode::{PicturePlace, encode};
use protocol::is_dumb;

/// The most columns of a picture that is printed.
const MAX_COLUMNS: u16 = 80;
/// The number of blanks between a picture and the text at its right.
const GAP: usize = 2;

/// The options of pictures in the terminal.
#[derive(Debug, Args)]
#[command(next_help_heading = "Pictures")]
pub struct PictureArgs {
    /// Show a picture of each mesh in the terminal
    #[arg(long)]
    pub picture: bool,
    /// How the terminal shows pictures
    #[arg(long, value_enum, value_name = "PROTOCOL", default_value = "auto", requires = "picture")]
    protocol: ProtocolChoice,
}

impl PictureArgs {
    /// Returns the terminal that gets pictures, or `None` without the option `--picture`.
    ///
    /// A protocol that is named is printed to a file or a pipe, too.
    pub fn terminal(&self, global: &Global) -> Result<Option<Terminal>, UsageError> {
        if !self.picture {
            return Ok(None);
        }
        if global.json {
            usage!("--picture: JSON has no pictures; leave one of --picture and --json out");
        }
        if self.protocol == ProtocolChoice::Auto && !std::io::stdout().is_terminal() {
            usage!(
                "--picture: standard output is not a terminal; write pictures to files with `meshpeek view`, or \
                        name the protocol of the terminal that gets the output, such as --protocol blocks"
            );
        }
        Terminal::detect(self.protocol, global.color).map(Some)
    }

    /// Returns the colours of pictures of blocks, or `None` without the option `--picture`.
    pub fn blocks(&self, global: &Global) -> Result<Option<BlockColors>, UsageError> {
        if self.picture && !matches!(self.protocol, ProtocolChoice::Auto | ProtocolChoice::Blocks) {
            usage!("--protocol: expected blocks, which fit into the lines of a table");
        }
        Ok(self.terminal(global)?.map(|terminal| match terminal.protocol {
            Protocol::Blocks(colors) => colors,
            _ => BlockColors::detect(global.color, &variable),
        }))
    }
}

/// A terminal: its protocol for pictures and its size.
#[derive(Clone, Copy, Debug)]
pub struct Terminal {
    pub protocol: Protocol,
    pub size: TerminalSize,
}

/// The way to show meshes on standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presentation {
    /// A view that the keys change.
    Interactive,
    /// One picture for each mesh.
    Print,
}

impl Terminal {
    /// Finds the terminal of standard output. Returns an error if the protocol is not available.
    pub fn detect(choice: ProtocolChoice, color: ColorChoice) -> Result<Self, UsageError> {
        let protocol = Protocol::choose(choice, color, &variable)?;
        Ok(Self { protocol, size: TerminalSize::of_stdout(&variable) })
    }

    /// Returns the columns and rows of a picture that is printed, and its size in pixels. The
    /// picture has at most `columns` columns.
    pub fn square(&self, columns: u16) -> ([u16; 2], [u32; 2]) {
        let cells = self.size.square(columns);
        (cells, self.size.picture_size(self.protocol, cells))
    }
}

impl Presentation {
    /// Returns the way to show meshes if no output file is named.
    pub fn choose(choice: ProtocolChoice) -> Result<Self, UsageError> {
        use std::io::IsTerminal as _;
        let are_terminals = [std::io::stdin().is_terminal(), std::io::stdout().is_terminal()];
        Self::of(choice, are_terminals, &variable("TERM").unwrap_or_default())
    }

    /// Returns the way for a value of `--protocol`, for whether standard input and standard output
    /// are terminals, and for the value of `TERM`.
    ///
    /// A protocol that is named is printed to a file or a pipe, too, because the program at its end
    /// may be a terminal.
    fn of(choice: ProtocolChoice, are_terminals: [bool; 2], term: &str) -> Result<Self, UsageError> {
        let can_react = cfg!(unix) && !is_dumb(term);
        match are_terminals {
            [true, true] if can_react => Ok(Self::Interactive),
            [_, true] => Ok(Self::Print),
            _ if choice != ProtocolChoice::Auto => Ok(Self::Print),
            _ => usage!(
                "standard output is not a terminal: write a file with -o OUT.png, or name the protocol of the terminal \
                 that gets the output, such as --protocol blocks"
            ),
        }
    }
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// Shows meshes in the terminal until a key ends the view, or prints one picture for each mesh. The
/// terminal is restored before the function returns.
pub fn show(
    scene: &mut dyn TerminalScene,
    view: ViewState,
    (terminal, presentation): (&Terminal, Presentation),
    global: &Global,
) -> anyhow::Result<Outcome> {
    #[cfg(unix)]
    if presentation == Presentation::Interactive {
        let mut session = session::Session::start(terminal.protocol)?;
        let mut output = session.output();
        viewer::Viewer::new(scene, view, terminal.protocol).run(&mut session, &mut output)?;
        return Ok(Outcome::Fine);
    }
    let _ = presentation;
    let mut out = anstream::AutoStream::always(std::io::stdout().lock());
    print_meshes(scene, view, terminal, (&mut out, global))
}

/// Prints a picture and a caption for each mesh. Reports the meshes that cannot be drawn, and
/// returns the outcome with the highest exit code.
fn print_meshes(
    scene: &mut dyn TerminalScene,
    mut view: ViewState,
    terminal: &Terminal,
    (out, global): (&mut dyn Write, &Global),
) -> anyhow::Result<Outcome> {
    let mut outcome = Outcome::Fine;
    for mesh in 0..scene.mesh_count() {
        view.mesh = mesh;
        match print_mesh(scene, &view, terminal, out) {
            Err(error) if is_pipe_closed(&error) => return Err(error),
            Err(error) => outcome = outcome.max(report(&error, global)),
            Ok(()) => {}
        }
    }
    Ok(outcome)
}

fn print_mesh(
    scene: &mut dyn TerminalScene,
    view: &ViewState,
    terminal: &Terminal,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let (cells, pixels) = terminal.square(MAX_COLUMNS);
    let picture = scene.draw(view, pixels)?;
    print_picture(out, &picture, (terminal.protocol, cells))?;
    Ok(writeln!(out, "{}", crate::Name::new(scene.caption(view).as_bytes()))?)
}

/// Prints a picture in a number of columns and rows, and ends the line.
fn print_picture(out: &mut dyn Write, picture: &Picture, (protocol, cells): (Protocol, [u16; 2])) -> io::Result<()> {
    let text = encode(picture, protocol, PicturePlace { cells, id: None })?;
    writeln!(out, "{text}")
}

/// Prints a picture and lines of text: the text at the right of a picture of blocks, or below a
/// picture of another protocol.
pub fn print_with_text(
    out: &mut dyn Write,
    picture: &Picture,
    text: &[String],
    (protocol, cells): (Protocol, [u16; 2]),
) -> io::Result<()> {
    let lines = if let Protocol::Blocks(colors) = protocol {
        side_by_side(&block_lines(picture, colors), cells[0].into(), text, 0)
    } else {
        print_picture(out, picture, (protocol, cells))?;
        text.to_vec()
    };
    lines.iter().try_for_each(|line| writeln!(out, "{line}"))
}

/// Returns lines with a picture at the left and text at the right.
///
/// `picture` has the lines of [`block_lines`], each `columns` wide. The first line of the text is
/// next to the line `first` of the picture. Lines of text below the picture are indented.
pub fn side_by_side(picture: &[String], columns: usize, text: &[String], first: usize) -> Vec<String> {
    let blank = " ".repeat(columns);
    let count = picture.len().max(text.len().saturating_add(first));
    let line = |index: usize| {
        let left = picture.get(index).unwrap_or(&blank);
        let right = index.checked_sub(first).and_then(|index| text.get(index)).filter(|text| !text.is_empty());
        right.map_or_else(|| left.trim_end_matches(' ').to_owned(), |right| format!("{left}{:GAP$}{right}", ""))
    };
    (0..count).map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::protocol::BlockColors;
    use super::*;
    use crate::program::output::base64;
    use crate::program::picture::png::png_bytes;

    #[test]
    fn shows_only_where_a_terminal_is() {
        let auto = ProtocolChoice::Auto;
        let of = |choice, terminals, term| Presentation::of(choice, terminals, term).map_err(|error| error.to_string());
        if cfg!(unix) {
            assert_eq!(of(auto, [true, true], "xterm"), Ok(Presentation::Interactive));
        }
        assert_eq!(of(auto, [true, true], "dumb"), Ok(Presentation::Print));
        assert_eq!(of(auto, [false, true], "xterm"), Ok(Presentation::Print));
        assert!(of(auto, [true, false], "xterm").unwrap_err().contains("-o OUT.png"));
        assert!(of(auto, [false, false], "xterm").unwrap_err().contains("--protocol blocks"));
        assert_eq!(of(ProtocolChoice::Kitty, [false, false], ""), Ok(Presentation::Print));
    }

    fn texts(lines: &[&str]) -> Vec<String> {
        lines.iter().map(|line| (*line).to_owned()).collect()
    }

    #[test]
    fn text_is_right_of_the_picture() {
        let picture = texts(&["ab", "cd", " e"]);
        assert_eq!(side_by_side(&picture, 2, &texts(&["one", ""]), 0), ["ab  one", "cd", " e"]);
        assert_eq!(side_by_side(&picture, 2, &texts(&["one"]), 1), ["ab", "cd  one", " e"]);
        let long = side_by_side(&picture[..1], 2, &texts(&["one", "", "three"]), 0);
        assert_eq!(long, ["ab  one", "", "    three"]);
        assert_eq!(side_by_side(&[], 3, &texts(&["one"]), 1), ["", "     one"]);
        assert!(side_by_side(&[], 3, &[], 0).is_empty());
    }

    #[test]
    fn text_is_below_other_pictures() {
        let picture = Picture::new([2, 2], [255; 4]).unwrap();
        let print = |protocol| {
            let mut out = Vec::new();
            print_with_text(&mut out, &picture, &texts(&["one"]), (protocol, [2, 1])).unwrap();
            String::from_utf8(out).unwrap()
        };
        assert_eq!(print(Protocol::Blocks(BlockColors::Shades)), "@@  one\n");
        let png = png_bytes(&picture).unwrap();
        let (size, digits) = (png.len(), base64(&png));
        assert_eq!(print(Protocol::Kitty), format!("\x1b_Ga=T,f=100,q=2,c=2,r=1,m=0;{digits}\x1b\\\none\n"));
        let image = format!("\x1b]1337;File=inline=1;size={size};width=2;height=1;preserveAspectRatio=1:{digits}\x07");
        assert_eq!(print(Protocol::Iterm), format!("{image}\none\n"));
    }
}
