//! Progress on the terminal: the number of files, or the bytes of one large file.
//!
//! There is one progress bar at a time. It appears after one second, on standard error, and only if
//! that is a terminal. Code that prints calls [`suspended`], so that lines and bar do not mix.

use std::io::{self, IsTerminal as _};
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::process_io::ProcessIo;
use crate::program::args::Global;
use crate::program::threads;

/// The time after which the progress bar appears.
const DELAY: Duration = Duration::from_secs(1);
/// The time between two pictures of the progress bar.
const TICK: Duration = Duration::from_millis(120);
/// The size of a file, in bytes, up to which its bytes are not counted. It is read in less than a
/// second.
const MIN_BYTES: u64 = 32 << 20;

/// The text when all bytes of a file have been read once.
const AFTER_READING: &str = "{spinner} {total_bytes} read, working for {elapsed} {wide_msg}";

/// The progress bar that is shown.
static CURRENT: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// The progress of a command. The bar disappears when the value is dropped.
#[derive(Debug)]
pub struct ProgressMeter(Option<ProgressBar>);

impl ProgressMeter {
    /// Shows how many of `count` items are done. `of` is their name, such as `files`.
    pub fn of_items(count: u64, of: &str, global: &Global) -> Self {
        Self::start(count, &format!("{{spinner}} {{pos}}/{{len}} {of} {{wide_msg}}"), global, None)
    }

    /// Shows how many bytes of a file of `bytes` bytes were read. Shows nothing for a small file.
    pub fn of_bytes(bytes: u64, name: &str, global: &Global) -> Self {
        if bytes < MIN_BYTES {
            return Self(None);
        }
        let style = "{spinner} {bytes}/{total_bytes} [{bar:24}] {wide_msg}";
        let progress = Self::start(bytes, style, global, Some(ProcessIo::start()));
        progress.set_message(name.to_owned());
        progress
    }

    fn start(length: u64, style: &str, global: &Global, io: Option<ProcessIo>) -> Self {
        let Ok(mut current) = CURRENT.lock() else { return Self(None) };
        if global.quiet || global.json || current.is_some() {
            return Self(None);
        }
        let bar = ProgressBar::with_draw_target(Some(length), ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template(style) {
            bar.set_style(style);
        }
        *current = Some(bar.clone());
        let shown = bar.clone();
        // If no thread can be made, the command runs without a progress bar.
        threads::start_detached("progress", move || show(&shown, io));
        Self(Some(bar))
    }

    /// Shows a message, such as the name of a file.
    pub fn set_message(&self, message: String) {
        if let Some(bar) = &self.0 {
            bar.set_message(message);
        }
    }

    /// Counts items that are done.
    pub fn add(&self, count: u64) {
        if let Some(bar) = &self.0 {
            bar.inc(count);
        }
    }
}

impl Drop for ProgressMeter {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
            // No other progress starts while this one exists.
            if let Ok(mut current) = CURRENT.lock() {
                *current = None;
            }
        }
    }
}

/// Draws the bar until it is finished.
fn show(bar: &ProgressBar, mut io: Option<ProcessIo>) {
    thread::sleep(DELAY);
    if !bar.is_finished() {
        bar.set_draw_target(ProgressDrawTarget::stderr());
    }
    while !bar.is_finished() {
        if let Some(counts) = &mut io {
            counts.sample();
            let (read, length) = (counts.read(), bar.length().unwrap_or_default());
            bar.set_position(read.min(length));
            // The whole file was read once, and the work on it may go on.
            if let Some(style) = ProgressStyle::with_template(AFTER_READING).ok().filter(|_| read >= length) {
                bar.set_style(style);
                io = None;
            }
        }
        bar.tick();
        thread::sleep(TICK);
    }
}

/// Runs a function that prints, while the progress bar is hidden. Calls may be nested.
pub fn suspended<R>(print: impl FnOnce() -> R) -> R {
    // The inner call of two nested ones finds no bar, because a bar waits for itself.
    let Some(bar) = CURRENT.lock().ok().and_then(|mut current| current.take()) else { return print() };
    let printed = bar.suspend(print);
    if let Ok(mut current) = CURRENT.lock()
        && !bar.is_finished()
    {
        current.get_or_insert(bar);
    }
    printed
}

/// Removes the progress bar if the output that begins goes to the terminal, too.
pub fn end() {
    if !io::stdout().is_terminal() {
        return;
    }
    if let Some(bar) = CURRENT.lock().ok().and_then(|current| current.clone()) {
        bar.finish_and_clear();
    }
}
