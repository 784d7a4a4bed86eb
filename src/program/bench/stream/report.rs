//! Prints a flight as text and as JSON.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::flight::Flight;
use crate::program::output::json::document;
use crate::program::output::units::{bytes, ratio, significant, thousands};

/// What was streamed.
#[derive(Clone, Debug)]
pub struct FlightSubject {
    pub name: String,
    pub bytes: u64,
    /// The greatest number of bytes that are resident.
    pub budget: u64,
    /// The number of parts of the mesh, or of assets.
    pub items: u64,
    /// What an item is, in the plural.
    pub unit: &'static str,
    /// The time in milliseconds and the bytes to find the boxes of all surfaces, and their number.
    pub boxes: Option<(f64, u64, usize)>,
    /// The quotient of the inflated bytes and those of the levels that were drawn.
    pub inflated_per_shown: Option<f64>,
}

pub fn to_json(subject: &FlightSubject, flight: &Flight) -> Value {
    let Flight { statistics, .. } = flight;
    let boxes = subject.boxes.map(|(ms, bytes, count)| json!({"ms": ms, "bytes": bytes, "surfaces": count}));
    document(&json!({
        "name": subject.name,
        "bytes": subject.bytes,
        "frames": flight.frames,
        "warm_up_frames": flight.warm_up_frames,
        "minor_faults": flight.minor_faults,
        "major_faults": flight.major_faults,
        "poll_us_p999": flight.poll_us_p999,
        "poll_us_max": flight.poll_us_most,
        "idle_us_p999": flight.idle_us_p999,
        "update_us_per_10000": flight.update_us_per_10000,
        "wanted_bytes": statistics.work.wanted,
        "read_bytes": statistics.work.read,
        "disk_bytes": flight.disk_bytes,
        "inflated_bytes": statistics.work.inflated,
        "touched_bytes": statistics.work.touched,
        "evicted_bytes": statistics.work.evicted,
        "stalled_us": statistics.work.stalled,
        "inflated_per_shown": subject.inflated_per_shown,
        "budget_bytes": subject.budget,
        "peak_resident_bytes": flight.peak_resident,
        "requests": {
            "made": statistics.requests, "done": statistics.done,
            "failed": statistics.failed, "cancelled": statistics.cancelled,
        },
        "visible_max": flight.most_visible,
        "holes": flight.holes,
        "mmap_us_p999": {"idle": flight.idle.map_us_p999, "streaming": flight.busy.map_us_p999},
        "boxes": boxes,
    }))
}

pub fn print(out: &mut dyn Write, subject: &FlightSubject, flight: &Flight) -> io::Result<()> {
    let Flight { statistics, .. } = flight;
    let known = |number: Option<u64>| number.map_or_else(|| String::from("unknown"), thousands);
    let size = |number: Option<u64>| number.map_or_else(|| String::from("unknown"), bytes);
    let mut row = |name: &str, text: String| writeln!(out, "{name:<12}{text}");
    row(
        "streamed",
        format!("{}: {}, {} {}", subject.name, bytes(subject.bytes), thousands(subject.items), subject.unit),
    )?;
    if let Some((ms, read, count)) = subject.boxes {
        let count = u64::try_from(count).unwrap_or_default();
        row("boxes", format!("{} surfaces in {} ms from {}", thousands(count), significant(ms), bytes(read)))?;
    }
    let seconds = significant(flight.elapsed.as_secs_f64());
    row(
        "frames",
        format!(
            "{} and {} to warm up in {seconds} s, at most {} visible",
            thousands(flight.frames.into()),
            thousands(flight.warm_up_frames.into()),
            thousands(flight.most_visible)
        ),
    )?;
    row(
        "faults",
        format!("{} minor, {} major on the thread that draws", known(flight.minor_faults), known(flight.major_faults)),
    )?;
    let times = [flight.poll_us_p999, flight.poll_us_most, flight.idle_us_p999, flight.update_us_per_10000];
    let [slow, most, idle, update] = times.map(significant);
    row("poll", format!("{slow} µs at the 99.9th percentile, {most} µs at most, {idle} µs without a poll"))?;
    row("update", format!("{update} µs for 10,000 visible {}", subject.unit))?;
    let [idle, busy] = [flight.idle, flight.busy].map(|report| significant(report.map_us_p999));
    row("mmap", format!("{busy} µs at the 99.9th percentile on another thread, {idle} µs without streaming"))?;
    let read = statistics.work.read;
    let wanted = match statistics.work.wanted {
        0 => String::new(),
        wanted => format!(", {} × the {} wanted", significant(ratio(read, wanted)), bytes(wanted)),
    };
    row("read", format!("{}{wanted}; the system counts {}", bytes(read), size(flight.disk_bytes)))?;
    let shown = subject
        .inflated_per_shown
        .map_or_else(String::new, |ratio| format!(", {} × the levels that were drawn", significant(ratio)));
    let [inflated, touched, evicted] = [statistics.work.inflated, statistics.work.touched, statistics.work.evicted];
    row("inflated", format!("{}{shown}", bytes(inflated)))?;
    row("touched", format!("{}, evicted {}", bytes(touched), bytes(evicted)))?;
    row("memory", format!("{} at most, with a budget of {}", size(flight.peak_resident), bytes(subject.budget)))?;
    row(
        "requests",
        format!(
            "{}: {} done, {} failed, {} cancelled",
            thousands(statistics.requests),
            thousands(statistics.done),
            thousands(statistics.failed),
            thousands(statistics.cancelled)
        ),
    )?;
    row(
        "holes",
        format!("{} visible {} without anything to draw, over all frames", thousands(flight.holes), subject.unit),
    )
}
