//! A progress bar on the terminal.

use std::thread;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::program::args::Global;

/// The time after which the progress bar appears.
const DELAY: Duration = Duration::from_secs(1);
/// The time between two pictures of the spinner.
const TICK: Duration = Duration::from_millis(120);

/// Returns a progress bar that appears after one second, and only on a terminal.
pub fn progress(count: u64, of: &str, global: &Global) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(count), ProgressDrawTarget::hidden());
    if let Ok(style) = ProgressStyle::with_template(&format!("{{spinner}} {{pos}}/{{len}} {of} {{wide_msg}}")) {
        bar.set_style(style);
    }
    if !global.quiet && !global.json {
        let late = bar.clone();
        let show = move || {
            thread::sleep(DELAY);
            if !late.is_finished() {
                late.set_draw_target(ProgressDrawTarget::stderr());
            }
            while !late.is_finished() {
                late.tick();
                thread::sleep(TICK);
            }
        };
        // If no thread can be made, the command runs without a progress bar.
        let _ = thread::Builder::new().spawn(show);
    }
    bar
}
