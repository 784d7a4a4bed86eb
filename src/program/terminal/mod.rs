//! Shows pictures in a terminal: one between lines of text, or an interactive view.

mod blocks;
mod encode;
mod inline;
#[cfg_attr(not(unix), allow(dead_code, reason = "the interactive view needs Unix"))]
mod keys;
mod picture_args;
mod protocol;
#[cfg(unix)]
mod screen;
#[cfg(unix)]
mod session;
#[cfg(unix)]
mod signals;
#[cfg(feature = "sixel")]
mod sixel;
mod size;
mod status_line;
mod view_state;
#[cfg_attr(not(unix), allow(dead_code, reason = "the interactive view needs Unix"))]
mod viewer;

use std::io::Write;

use anstream::ColorChoice;

pub use blocks::block_lines;
pub use inline::{print_picture, print_with_text, side_by_side};
pub use picture_args::PictureArgs;
pub use protocol::{BlockColors, Protocol, ProtocolChoice};
pub use size::TerminalSize;
pub use view_state::{TerminalScene, ViewState};

use super::args::Global;
use super::outcome::{Outcome, UsageError, usage};
use super::output::{is_pipe_closed, report};
use protocol::is_dumb;

/// The most columns of a picture that is printed.
const MAX_COLUMNS: u16 = 80;

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

#[cfg(test)]
mod tests {
    use super::*;

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
}
