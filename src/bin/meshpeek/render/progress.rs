//! A progress bar on the terminal.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::args::Global;

/// Returns a progress bar that appears after one second, and only on a terminal.
pub fn progress(count: u64, of: &str, global: &Global) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(count), ProgressDrawTarget::hidden());
    if let Ok(style) = ProgressStyle::with_template(&format!("{{spinner}} {{pos}}/{{len}} {of} {{wide_msg}}")) {
        bar.set_style(style);
    }
    if !global.quiet && !global.json {
        let late = bar.clone();
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_secs(1));
            if !late.is_finished() {
                late.set_draw_target(ProgressDrawTarget::stderr());
                late.enable_steady_tick(Duration::from_millis(120));
            }
        });
    }
    bar
}
