//! The loop of the interactive viewer. It draws when a key or the time changes the view.

use std::fmt::Write as _;
use std::io::Write;
use std::time::Duration;

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use super::encode::{PicturePlace, encode, remove_image};
use super::keys::KeyPress;
use super::protocol::Protocol;
use super::size::TerminalSize;
use super::view_state::{KeyEffect, TerminalScene, ViewState};
use crate::Name;

/// The shortest time between two pictures of an animation.
const FRAME: Duration = Duration::from_millis(50);
/// The ids of the two pictures that kitty shows in turn. Other programs in the same window may have
/// pictures with small ids.
pub const IMAGES: [u32; 2] = [1_836_085_360, 1_836_085_361];

/// Delays the changes of the screen until [`END`], in terminals that know it.
const BEGIN: &str = "\x1b[?2026h\x1b[H";
const END: &str = "\x1b[?2026l";
const ERASE: &str = "\x1b[0m\x1b[2J";
const ERASE_LINE: &str = "\x1b[K";
/// The blanks between two parts of the line.
const GAP: &str = "  ";

/// A change that the viewer reacts to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViewEvent {
    Key(KeyPress),
    /// The screen has another size, or another program has used it.
    Redraw,
    /// The terminal has gone.
    Closed,
}

/// A terminal, or keys of a test.
pub trait EventSource {
    /// Returns the next event, or `None` if there is none within the time. Without a limit it may
    /// return `None`, too.
    fn next(&mut self, timeout: Option<Duration>) -> anyhow::Result<Option<ViewEvent>>;

    /// Returns the present size of the terminal.
    fn size(&self) -> TerminalSize;

    /// Returns the time since the start.
    fn now(&self) -> Duration;
}

/// An interactive viewer.
pub struct Viewer<'v> {
    pub scene: &'v mut dyn TerminalScene,
    pub view: ViewState,
    pub protocol: Protocol,
    clock: Duration,
    /// The id of the next picture, and of the picture on the screen.
    images: [u32; 2],
}

/// The part of the screen that is drawn again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Change {
    Nothing,
    View,
    Screen,
}

impl<'v> Viewer<'v> {
    /// Makes a viewer that has drawn nothing yet.
    pub fn new(scene: &'v mut dyn TerminalScene, view: ViewState, protocol: Protocol) -> Self {
        Self { scene, view, protocol, clock: Duration::ZERO, images: IMAGES }
    }

    /// Draws, and reacts to events until one of them ends the viewer.
    pub fn run(&mut self, events: &mut dyn EventSource, out: &mut dyn Write) -> anyhow::Result<()> {
        let mut change = Change::Screen;
        loop {
            if change != Change::Nothing {
                self.draw(change, events.size(), out)?;
            }
            let Some(next) = self.next_change(events)? else { return Ok(()) };
            change = next;
        }
    }

    /// Waits for events, or for the next picture of an animation. Returns the change by all events
    /// that have arrived, or `None` if one of them ends the viewer.
    fn next_change(&mut self, events: &mut dyn EventSource) -> anyhow::Result<Option<Change>> {
        let was_playing = self.view.is_playing;
        let timeout = was_playing.then(|| FRAME.saturating_sub(events.now().saturating_sub(self.clock)));
        let mut change = Change::Nothing;
        let mut next = events.next(timeout)?;
        while let Some(event) = next {
            let Some(more) = self.react(event) else { return Ok(None) };
            change = change.max(more);
            next = events.next(Some(Duration::ZERO))?;
        }
        let elapsed = events.now().saturating_sub(self.clock);
        self.clock = events.now();
        if was_playing && self.view.is_playing {
            self.view.advance(elapsed.as_secs_f64(), self.scene.duration(&self.view));
            change = change.max(Change::View);
        }
        Ok(Some(change))
    }

    fn react(&mut self, event: ViewEvent) -> Option<Change> {
        let key = match event {
            ViewEvent::Closed => return None,
            ViewEvent::Redraw => return Some(Change::Screen),
            ViewEvent::Key(key) => key,
        };
        let has_animation = self.scene.duration(&self.view).is_some_and(|duration| duration > 0.0);
        match self.view.press(key, self.scene.mesh_count(), has_animation) {
            KeyEffect::Leave => None,
            KeyEffect::Nothing => Some(Change::Nothing),
            KeyEffect::Redraw => Some(Change::View),
        }
    }

    /// Draws the picture and the status line. If one of several meshes cannot be drawn, the status
    /// line has the error.
    fn draw(&mut self, change: Change, size: TerminalSize, out: &mut dyn Write) -> anyhow::Result<()> {
        let (image, error) = match self.image(size) {
            Ok(image) => (image, None),
            Err(error) if self.scene.mesh_count() > 1 => (String::new(), Some(error)),
            Err(error) => return Err(error),
        };
        let mut text = BEGIN.to_owned();
        // Pictures of these protocols do not replace the pixels below them that are transparent.
        let is_drawn_over = !matches!(self.protocol, Protocol::Blocks(_) | Protocol::Kitty);
        if change == Change::Screen || error.is_some() || is_drawn_over {
            text.push_str(ERASE);
        }
        text.push_str(&image);
        if self.protocol == Protocol::Kitty {
            self.images.reverse();
            text.push_str(&remove_image(self.images[0]));
        }
        let columns = size.columns.saturating_sub(1);
        let status = status_line(self.scene, &self.view, error.as_ref(), columns);
        // The cursor moves to the last row. Writing to a `String` does not fail.
        let _ = write!(text, "\x1b[{};1H{status}{ERASE_LINE}{END}", size.rows);
        out.write_all(text.as_bytes())?;
        Ok(out.flush()?)
    }

    fn image(&mut self, size: TerminalSize) -> anyhow::Result<String> {
        let cells = size.above_status();
        let picture = self.scene.draw(&self.view, size.picture_size(self.protocol, cells))?;
        Ok(encode(&picture, self.protocol, PicturePlace { cells, id: Some(self.images[0]) })?)
    }
}

/// Returns the text of the status line in at most `columns` columns.
///
/// Keys that have no effect are left out, and so are parts that have no room.
fn status_line(scene: &dyn TerminalScene, view: &ViewState, error: Option<&anyhow::Error>, columns: u16) -> String {
    let (count, duration) = (scene.mesh_count(), scene.duration(view));
    let mut parts = vec![scene.caption(view)];
    if let Some(error) = error {
        parts = vec![format!("{}: {error:#}", parts.concat())];
    }
    if count > 1 {
        parts.push(format!("{}/{count}", view.mesh.saturating_add(1)));
    }
    if let Some(duration) = duration {
        parts.push(format!("{:.1}/{duration:.1} s", view.seconds));
    }
    let keys = [
        (true, "q quit"),
        (count > 1, "n/p next"),
        (duration.is_some(), "space play"),
        (true, "arrows turn"),
        (true, "+/- zoom"),
        (true, "w wireframe"),
        (true, "home reset"),
    ];
    parts.extend(keys.iter().filter(|(applies, _)| *applies).map(|(_, text)| (*text).to_owned()));
    let shown: Vec<String> = parts.iter().map(|part| Name::new(part.as_bytes()).to_string()).collect();
    fitted(&shown, columns.into())
}

/// Returns the parts that fit in a number of columns. The first part may be cut.
fn fitted(parts: &[String], columns: usize) -> String {
    let (first, others) = parts.split_first().map_or(("", parts), |(first, others)| (first.as_str(), others));
    let mut line = cut(first, columns);
    for part in others {
        let width = line.width().saturating_add(GAP.len()).saturating_add(part.width());
        if width <= columns {
            line.push_str(GAP);
            line.push_str(part);
        }
    }
    line
}

/// Returns the start of a text that takes at most a number of columns.
fn cut(text: &str, columns: usize) -> String {
    let mut left = columns;
    let fits = |character: &char| {
        let rest = left.checked_sub(character.width().unwrap_or_default());
        left = rest.unwrap_or_default();
        rest.is_some()
    };
    text.chars().take_while(fits).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::*;
    use crate::program::terminal::protocol::BlockColors;
    use crate::render::Picture;

    /// Events of a test. Each takes 10 ms, and a timeout takes its time.
    struct Script {
        events: VecDeque<Option<ViewEvent>>,
        size: TerminalSize,
        now: Duration,
    }

    impl EventSource for Script {
        fn next(&mut self, timeout: Option<Duration>) -> anyhow::Result<Option<ViewEvent>> {
            let event = self.events.pop_front().unwrap_or(Some(ViewEvent::Closed));
            self.now += event.map_or(timeout.unwrap_or_default(), |_| Duration::from_millis(10));
            Ok(event)
        }

        fn size(&self) -> TerminalSize {
            self.size
        }

        fn now(&self) -> Duration {
            self.now
        }
    }

    /// Draws one colour, and remembers the views.
    struct Recorder {
        views: Vec<(ViewState, [u32; 2])>,
        meshes: usize,
        broken: Option<usize>,
    }

    impl TerminalScene for Recorder {
        fn draw(&mut self, view: &ViewState, size: [u32; 2]) -> anyhow::Result<Picture> {
            self.views.push((*view, size));
            anyhow::ensure!(self.broken != Some(view.mesh), "no\x1b mesh");
            Ok(Picture::new(size, [255; 4])?)
        }

        fn mesh_count(&self) -> usize {
            self.meshes
        }

        fn caption(&self, view: &ViewState) -> String {
            format!("mesh\n{}", view.mesh)
        }

        fn duration(&self, view: &ViewState) -> Option<f64> {
            (view.mesh == 1).then_some(2.0)
        }
    }

    /// Runs the viewer in a terminal of 6 by 3 cells. `None` is a moment without an event.
    fn run(scene: &mut Recorder, protocol: Protocol, events: &[Option<ViewEvent>]) -> anyhow::Result<String> {
        let size = TerminalSize::new([6, 3], [0, 0]);
        let mut script = Script { events: events.iter().copied().collect(), size, now: Duration::ZERO };
        let mut out = Vec::new();
        Viewer::new(scene, ViewState::new([0.0, 0.0]), protocol).run(&mut script, &mut out)?;
        Ok(String::from_utf8(out)?)
    }

    const SHADES: Protocol = Protocol::Blocks(BlockColors::Shades);

    fn recorder(meshes: usize) -> Recorder {
        Recorder { views: Vec::new(), meshes, broken: None }
    }

    const fn letter(letter: u8) -> ViewEvent {
        ViewEvent::Key(KeyPress::Letter(letter))
    }

    #[test]
    fn draws_once_for_all_keys_that_have_arrived() {
        let mut scene = recorder(1);
        let right = Some(ViewEvent::Key(KeyPress::Right));
        let text = run(&mut scene, SHADES, &[right, right, right, None, Some(letter(b'x')), None, Some(letter(b'q'))])
            .unwrap();
        let yaws: Vec<f32> = scene.views.iter().map(|(view, _)| view.yaw).collect();
        assert_eq!(yaws, [0.0, 30.0]);
        assert_eq!(scene.views[0].1, [6, 4]);
        let frame = "@@@@@@\n@@@@@@\x1b[3;1Hmesh\\\x1b[K\x1b[?2026l";
        assert_eq!(text, format!("\x1b[?2026h\x1b[H\x1b[0m\x1b[2J{frame}\x1b[?2026h\x1b[H{frame}"));
    }

    #[test]
    fn animations_play_in_real_time() {
        let mut scene = recorder(2);
        let events = [
            Some(letter(b'n')),
            None,
            Some(letter(b' ')),
            None,
            None,
            None,
            Some(letter(b' ')),
            None,
            None,
            Some(letter(b'q')),
        ];
        run(&mut scene, SHADES, &events).unwrap();
        let times: Vec<f64> = scene.views.iter().map(|(view, _)| (view.seconds * 1000.0).round()).collect();
        assert_eq!(times, [0.0, 0.0, 0.0, 50.0, 100.0, 100.0]);
        let mut still = recorder(1);
        run(&mut still, SHADES, &[Some(letter(b' ')), None, None, Some(letter(b'q'))]).unwrap();
        assert_eq!(still.views.len(), 1);
    }

    #[test]
    fn kitty_keeps_one_picture() {
        let mut scene = recorder(2);
        let events = [
            Some(letter(b'+')),
            None,
            Some(ViewEvent::Redraw),
            None,
            Some(letter(b'n')),
            None,
            Some(ViewEvent::Closed),
        ];
        let text = run(&mut scene, Protocol::Kitty, &events).unwrap();
        let mut shown = std::collections::HashSet::new();
        for part in text.split("\x1b_G").skip(1) {
            let id = IMAGES.into_iter().find(|id| part.contains(&format!("i={id}"))).unwrap();
            if part.starts_with("a=T") {
                assert!(shown.insert(id), "{part}");
            } else {
                shown.remove(&id);
                assert_eq!(shown.len(), 1);
            }
        }
        assert_eq!(text.matches("a=T").count(), 4);
    }

    #[test]
    fn a_broken_mesh_ends_the_viewer_only_if_it_is_the_only_one() {
        let next = Some(letter(b'n'));
        let mut scene = Recorder { broken: Some(1), ..recorder(3) };
        run(&mut scene, SHADES, &[next, None, next, None, Some(letter(b'q'))]).unwrap();
        assert_eq!(scene.views.len(), 3);
        let mut scene = Recorder { broken: Some(0), ..recorder(1) };
        let error = run(&mut scene, SHADES, &[Some(letter(b'q'))]).unwrap_err();
        assert_eq!(error.to_string(), "no\x1b mesh");
        let error = anyhow::anyhow!("no\x1b mesh");
        let line = status_line(&recorder(2), &ViewState::new([0.0, 0.0]), Some(&error), 80);
        assert!(line.starts_with("mesh\\u{a}0: no\\u{1b} mesh  1/2  q quit"), "{line}");
    }

    #[test]
    fn cuts_at_columns() {
        assert_eq!(cut("abc", 2), "ab");
        assert_eq!(cut("a\u{4e2d}b", 2), "a");
        assert_eq!(cut("a\u{4e2d}b", 3), "a\u{4e2d}");
        assert_eq!(cut("abc", 0), "");
    }

    #[test]
    fn leaves_out_what_has_no_room() {
        let parts = ["name", "q quit", "long text", "w"].map(str::to_owned);
        for (columns, line) in
            [(99, "name  q quit  long text  w"), (15, "name  q quit  w"), (14, "name  q quit"), (3, "nam"), (0, "")]
        {
            assert_eq!(fitted(&parts, columns), line);
        }
        assert_eq!(fitted(&[], 9), "");
    }
}
