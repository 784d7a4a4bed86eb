//! Compares the bytes of two files of the same format, region by region.

use std::collections::VecDeque;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::{self, Scope, ScopedJoinHandle};

use super::both::Both;
use super::comparison::MeshComparison;
use super::difference::{DiffPlace, Difference, ItemDifferences};
use super::options::DiffKind;
use super::value::DiffValue;
use crate::math::as_u64;
use crate::program::input::bytes::Data;
use crate::program::threads;
use crate::{Error, Field, Model, Region, Result};

/// The number of regions whose names are kept.
const MAX_NAMES: usize = 8;
/// The number of regions that are searched for a region with the same name.
const WINDOW: usize = 64;
/// The names of the files of a mesh that has several files.
const FILES: [&str; 3] = ["data", "aniv", "script"];
/// The number of regions that a thread passes on at a time.
const BATCH: usize = 256;
/// The number of batches that wait for the comparison.
const WAITING: usize = 2;
/// The number of regions that are kept of each walk, if the walks are on the calling thread.
const KEPT: usize = 1 << 16;

/// The number of regions whose bytes differ, and the names of the first of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RegionTotals {
    pub count: u64,
    pub names: Vec<String>,
}

/// A region of one of the files, or of both files.
type FoundRegions = Both<Option<Region>>;

impl MeshComparison<'_, '_> {
    /// Compares the formats, the versions, and the bytes of all regions.
    pub fn compare_encoding(&mut self, place: &DiffPlace<'_>) -> anyhow::Result<()> {
        let formats = self.sides.map(|side| DiffValue::Text(side.format().to_owned()));
        self.sink.compare(DiffKind::Bytes, &place.part("format", "format"), formats)?;
        if !self.sides.have_same_format() {
            return Ok(());
        }
        let versions = self.sides.map(|side| DiffValue::Text(side.version().to_owned()));
        self.sink.compare(DiffKind::Bytes, &place.part("version", "version"), versions)?;
        let sides = self.sides;
        let mut failed = Ok(());
        for source in 0..source_count(self) {
            let files = sides.map(|side| side.asset.source_bytes(source));
            self.visit_differing(source, &mut |comparison, found| {
                if failed.is_ok() {
                    let source = source_name(comparison, source);
                    let make = || difference(place, source, found, files);
                    failed = comparison.sink.add(DiffKind::Bytes, make);
                }
            })?;
        }
        Ok(failed?)
    }

    /// Counts the regions whose bytes differ.
    pub fn sum_regions(&mut self) -> anyhow::Result<RegionTotals> {
        let mut totals = RegionTotals::default();
        for source in 0..source_count(self) {
            self.visit_differing(source, &mut |comparison, found| {
                totals.count = totals.count.saturating_add(1);
                if totals.names.len() < MAX_NAMES {
                    let region = found.a.or(found.b);
                    let name = region.map(|region| region.field.to_string()).unwrap_or_default();
                    let source = source_name(comparison, source);
                    totals.names.push(DiffPlace::default().part(source, "").part(&name, "").text().path.a);
                }
            })?;
        }
        Ok(totals)
    }

    /// Calls `visit` for each region that differs, and for each region of one file only.
    fn visit_differing(&mut self, source: usize, visit: &mut dyn FnMut(&mut Self, FoundRegions)) -> Result<()> {
        let sides = self.sides;
        let files = sides.map(|side| side.asset.source_bytes(source));
        with_streams(sides.map(|side| &side.asset.model), source, |streams| {
            loop {
                let Both { a, b } = &mut *streams;
                let found = match (a.peek(), b.peek()) {
                    (None, None) => break,
                    (Some(one), Some(other)) if one.field == other.field => Both::new(a.next(), b.next()),
                    (Some(one), other) if other.is_none() || !b.has_within(WINDOW, &one.field) => {
                        Both::new(a.next(), None)
                    }
                    _ => Both::new(None, b.next()),
                };
                let contents = Both::new(part(files.a, found.a), part(files.b, found.b));
                // A missing region without bytes changes no byte.
                if contents.a != contents.b {
                    visit(self, found);
                }
            }
        })
        .map_err(|errors| match errors {
            Both { a: Some(error), .. } => sides.a.locate_error(error),
            Both { b: Some(error), .. } => sides.b.locate_error(error),
            Both { .. } => crate::Error::custom(crate::ErrorKind::Io, "expected the regions of both files"),
        })
    }
}

/// The regions of one file, in file order.
struct RegionStream<'m> {
    /// Returns the next regions, or an empty list at the end.
    more: Box<dyn FnMut() -> Vec<Region> + 'm>,
    ahead: VecDeque<Region>,
}

impl<'m> RegionStream<'m> {
    fn new(more: impl FnMut() -> Vec<Region> + 'm) -> Self {
        Self { more: Box::new(more), ahead: VecDeque::new() }
    }

    /// Returns the next region without removing it.
    fn peek(&mut self) -> Option<Region> {
        self.fill(1);
        self.ahead.front().copied()
    }

    /// Returns and removes the next region.
    fn next(&mut self) -> Option<Region> {
        self.fill(1);
        self.ahead.pop_front()
    }

    /// Returns whether one of the next `count` regions has the name `field`.
    fn has_within(&mut self, count: usize, field: &Field) -> bool {
        self.fill(count);
        self.ahead.iter().take(count).any(|region| region.field == *field)
    }

    /// Receives regions until `count` of them are held, or until the end of the file.
    fn fill(&mut self, count: usize) {
        while self.ahead.len() < count {
            let batch = (self.more)();
            if batch.is_empty() {
                break;
            }
            self.ahead.extend(batch);
        }
    }
}

/// Calls a function with the regions of the file `source` of two meshes. A mesh without this file
/// has no regions.
///
/// # Errors
///
/// Returns the errors of the walks over the two files. The regions before an error are passed on.
fn with_streams(
    models: Both<&Model<Data>>,
    source: usize,
    compare: impl FnOnce(&mut Both<RegionStream<'_>>),
) -> Result<(), Both<Option<Error>>> {
    let mut errors = Both::<Option<Error>>::default();
    thread::scope(|scope| {
        let (thread_a, a) = start(scope, models.a, source, &mut errors.a);
        let (thread_b, b) = start(scope, models.b, source, &mut errors.b);
        // A walk that waits for a receiver ends when the receiver is gone.
        compare(&mut Both::new(a, b));
        let joined = |thread: Option<ScopedJoinHandle<'_, Result<()>>>| thread?.join().ok()?.err();
        errors = Both::new(errors.a.take().or(joined(thread_a)), errors.b.take().or(joined(thread_b)));
    });
    if errors.a.is_none() && errors.b.is_none() { Ok(()) } else { Err(errors) }
}

/// Starts a walk over the regions of a file on another thread. If the system refuses a thread, the
/// calling thread walks over the file several times, and the error of a walk is put in `error`.
fn start<'s: 'e, 'e>(
    scope: &'s Scope<'s, '_>,
    model: &'s Model<Data>,
    source: usize,
    error: &'e mut Option<Error>,
) -> (Option<ScopedJoinHandle<'s, Result<()>>>, RegionStream<'e>) {
    let (sender, batches) = sync_channel(WAITING);
    if let Some(thread) = threads::start(scope, move || send_all(model, source, &sender)) {
        return (Some(thread), RegionStream::new(move || batches.recv().unwrap_or_default()));
    }
    let mut done = 0_usize;
    let walks = RegionStream::new(move || {
        let (mut batch, mut number) = (Vec::new(), 0_usize);
        let walked = walk(model, source, &mut |region| {
            if number >= done && batch.len() < KEPT {
                batch.push(region);
            }
            number = number.saturating_add(1);
        });
        *error = walked.err();
        done = done.saturating_add(batch.len());
        batch
    });
    (None, walks)
}

/// Passes all regions of a file to `visit`.
fn walk(model: &Model<Data>, source: usize, visit: &mut dyn FnMut(Region)) -> Result<()> {
    let file = model.file();
    if source >= file.source_count() { Ok(()) } else { file.regions(source, visit) }
}

/// Sends all regions of a file to a channel, in batches.
fn send_all(model: &Model<Data>, source: usize, sender: &SyncSender<Vec<Region>>) -> Result<()> {
    let mut batch = Vec::with_capacity(BATCH);
    let send = |batch: &mut Vec<Region>| {
        // If the receiver is gone, the comparison has ended.
        let _ = sender.send(std::mem::replace(batch, Vec::with_capacity(BATCH)));
    };
    let walked = walk(model, source, &mut |region| {
        batch.push(region);
        if batch.len() >= BATCH {
            send(&mut batch);
        }
    });
    send(&mut batch);
    walked
}

/// Returns the number of files of the mesh with more files.
fn source_count(comparison: &MeshComparison<'_, '_>) -> usize {
    let counts = comparison.sides.map(|side| side.asset.model.file().source_count());
    counts.a.max(counts.b)
}

/// Returns the name of a file of a mesh, or an empty text if the mesh is a single file.
fn source_name(comparison: &MeshComparison<'_, '_>, source: usize) -> &'static str {
    if source_count(comparison) > 1 { FILES.get(source).copied().unwrap_or_default() } else { "" }
}

/// Returns the bytes of a region.
fn part(file: &[u8], region: Option<Region>) -> &[u8] {
    let range = region.and_then(|region| Some(usize::try_from(region.start).ok()?..usize::try_from(region.end).ok()?));
    range.and_then(|range| file.get(range)).unwrap_or_default()
}

/// Returns the difference between two regions, or of a region that only one file has.
fn difference(root: &DiffPlace<'_>, source: &str, found: FoundRegions, files: Both<&[u8]>) -> Difference {
    let name = found.a.or(found.b).map(|region| region.field.to_string()).unwrap_or_default();
    let mut place = root.part(source, source).part(&name, &name).text();
    place.label = format!("bytes of {}", place.label.replace(": ", " "));
    let contents = Both::new(part(files.a, found.a), part(files.b, found.b));
    let pairs = contents.a.iter().zip(contents.b);
    let equal = pairs.clone().take_while(|(a, b)| a == b).count();
    let differing = pairs.clone().filter(|(a, b)| a != b).count();
    let compared = pairs.count();
    let range = |region: Option<Region>| {
        region.map_or(DiffValue::Missing, |region| {
            let offset = region.start.saturating_add(as_u64(equal));
            DiffValue::Range { offset: (offset < region.end).then_some(offset), bytes: region.len() }
        })
    };
    let items = ItemDifferences {
        count: as_u64(differing),
        of: as_u64(compared),
        first: as_u64(equal),
        bone: None,
        largest: None,
    };
    let items = found.all().map(|_| items);
    Difference { kind: DiffKind::Bytes, place, values: Both::new(range(found.a), range(found.b)), items }
}
