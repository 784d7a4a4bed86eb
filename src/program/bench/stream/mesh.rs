//! A flight over one large mesh, whose parts are streamed.

use std::cell::Cell;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::bail;

use super::flight::{Drawn, FlightScene};
use crate::io::FileBytes;
use crate::math::as_index;
use crate::streaming::{Content, ItemRange, MeshPart, MeshParts, Priority, Slot, StreamOutcome, Streamer};
use crate::{Array, Bounds, ErrorKind, Geometry, Model};

/// The parts of the budget that the visible parts take, and that the requested parts take.
const VISIBLE_SHARE: f64 = 0.25;
const REQUESTED_SHARE: f64 = 0.6;
/// The distance of the corners that a frame reads of each part, and their greatest number.
const CORNER_STEP: usize = 1024;
const CORNERS_READ: usize = 16;
/// The number of places on the path at which the parts must fit in the budget.
const PLACES: u16 = 400;
/// The greatest number of parts that are near the camera, so that a frame of a mesh with very many
/// small parts does not take longer than that of another.
const MAX_NEAR: usize = 16_384;
/// The number of times that the camera swings to the other side and back.
const SWINGS: f32 = 3.0;

/// The parts of a mesh with the items that each needs.
pub struct MeshScene<'m, C> {
    parts: Arc<MeshParts>,
    /// For each part, the range of its entries in `items`.
    ranges: Vec<(u32, u32)>,
    items: Vec<ItemRange>,
    requests: Vec<Option<(Slot, Priority)>>,
    /// The parts in `requests`, and in the last frame in which they were near.
    live: Vec<u32>,
    near: Vec<(u32, f32)>,
    seen: Vec<u32>,
    frame: u32,
    bounds: Bounds,
    radius: f32,
    /// The radius in which parts are requested.
    reach: f32,
    /// Reads a part, as a program that draws it would.
    read: Box<dyn Fn(u32) -> u64 + 'm>,
    content: Arc<C>,
    pub sum: u64,
}

impl<'m, C: Content> MeshScene<'m, C> {
    /// Makes a scene. `items_of` appends the items of a part to a list.
    pub fn new(
        parts: Arc<MeshParts>,
        content: Arc<C>,
        budget: u64,
        mut items_of: impl FnMut(&MeshPart, u32, &mut Vec<ItemRange>) -> crate::Result<()>,
        read: Box<dyn Fn(u32) -> u64 + 'm>,
    ) -> anyhow::Result<Self> {
        let (mut ranges, mut items) = (Vec::with_capacity(parts.len()), Vec::new());
        for (part, number) in parts.iter().zip(0..) {
            let start = u32::try_from(items.len())?;
            items_of(part, number, &mut items)?;
            ranges.push((start, u32::try_from(items.len())?));
        }
        let bounds = parts.iter().fold(Bounds::EMPTY, |all, part| all.union(&part.bounds));
        if bounds.is_empty() {
            bail!("expected a mesh with vertices, found none");
        }
        let count = parts.len();
        let mut scene = Self {
            parts,
            ranges,
            items,
            requests: vec![None; count],
            live: Vec::with_capacity(count),
            near: Vec::with_capacity(count),
            seen: vec![0; count],
            frame: 0,
            bounds,
            radius: 0.0,
            reach: 0.0,
            read,
            content,
            sum: 0,
        };
        // The lists are filled once, which loads their pages.
        scene.live.resize(count, 0);
        scene.near.resize(count, (0, 0.0));
        scene.live.clear();
        scene.near.clear();
        scene.radius = scene.fitting_radius(budget, VISIBLE_SHARE);
        scene.reach = scene.fitting_radius(budget, REQUESTED_SHARE);
        Ok(scene)
    }

    /// Returns the greatest radius in which the parts take their share of the budget everywhere,
    /// and are at most [`MAX_NEAR`].
    #[allow(clippy::as_conversions, clippy::cast_precision_loss, reason = "a share of a budget is approximate")]
    fn fitting_radius(&self, budget: u64, share: f64) -> f32 {
        let most = budget as f64 * share;
        let (mut fitting, mut wide) = (0.0, self.bounds.size().iter().fold(0.0_f32, |all, size| all + size));
        for _ in 0..20 {
            let radius = f32::midpoint(fitting, wide);
            let fits = (0..=PLACES).all(|step| {
                let eye = self.eye(f32::from(step) / f32::from(PLACES));
                let (bytes, count) = (Cell::new(0_u64), Cell::new(0_usize));
                let fits = || (bytes.get() as f64) <= most && count.get() <= MAX_NEAR;
                let see = |bounds: &Bounds| fits() && distance(bounds, eye) <= radius;
                self.parts.visit(see, |part| {
                    bytes.set(bytes.get().saturating_add(self.bytes(part)));
                    count.set(count.get().saturating_add(1));
                });
                fits()
            });
            (fitting, wide) = if fits { (radius, wide) } else { (fitting, radius) };
        }
        fitting
    }

    fn items(&self, part: u32) -> &[ItemRange] {
        let (start, end) = self.ranges.get(as_index(part)).copied().unwrap_or_default();
        self.items.get(as_index(start)..as_index(end)).unwrap_or_default()
    }

    fn bytes(&self, part: u32) -> u64 {
        let items = self.items(part).iter().flat_map(|range| range.first..range.end);
        items.map(|item| self.content.item_bytes(item)).fold(0, u64::saturating_add)
    }

    /// Returns the position of the camera, which swings along the longest side of the mesh while it
    /// crosses the mesh.
    fn eye(&self, place: f32) -> [f32; 3] {
        let [min, size] = [self.bounds.min, self.bounds.size()];
        let along = (place * SWINGS * std::f32::consts::TAU).cos().mul_add(-0.5, 0.5);
        let length = |axis: usize| size.get(axis).copied().unwrap_or_default();
        // The camera stays in the middle of the shortest side.
        let short = (0..3).min_by(|one, other| length(*one).total_cmp(&length(*other))).unwrap_or(2);
        let (one, other) = match short {
            0 => (1, 2),
            1 => (2, 0),
            _ => (0, 1),
        };
        let [wide, long] = if length(one) < length(other) { [one, other] } else { [other, one] };
        let mut eye = self.bounds.center();
        for (axis, share) in [(long, along), (wide, place)] {
            if let (Some(place), Some(min)) = (eye.get_mut(axis), min.get(axis)) {
                *place = min + share * length(axis);
            }
        }
        eye
    }
}

/// Returns the distance of a point from a box.
fn distance(bounds: &Bounds, point: [f32; 3]) -> f32 {
    let sides = bounds.min.iter().zip(&bounds.max).zip(point);
    sides.map(|((min, max), at)| (min - at).max(at - max).max(0.0).powi(2)).sum::<f32>().sqrt()
}

/// Returns the priority of a part at a distance.
fn priority(distance: f32, radius: f32) -> Priority {
    let near = 1.0 - (distance / radius).clamp(0.0, 1.0);
    #[allow(clippy::as_conversions, clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 63")]
    Priority::new((near * 63.0) as u8)
}

impl<C: Content> FlightScene for MeshScene<'_, C> {
    type Content = C;

    fn draw(&mut self, streamer: &mut Streamer<C>, place: f32) -> anyhow::Result<Drawn> {
        let start = Instant::now();
        self.frame = self.frame.saturating_add(1);
        let (eye, reach) = (self.eye(place), self.reach);
        let mut near = std::mem::take(&mut self.near);
        near.clear();
        let parts = Arc::clone(&self.parts);
        let count = Cell::new(0_usize);
        let see = |bounds: &Bounds| count.get() < MAX_NEAR && distance(bounds, eye) <= reach;
        parts.visit(see, |part| {
            count.set(count.get().saturating_add(1));
            near.push((part, 0.0));
        });
        for (part, far) in &mut near {
            *far = parts.get(as_index(*part)).map_or(reach, |part| distance(&part.bounds, eye));
        }
        let mut drawn = Drawn::default();
        for (part, far) in &near {
            if let Some(seen) = self.seen.get_mut(as_index(*part)) {
                *seen = self.frame;
            }
            let is_visible = *far <= self.radius;
            drawn.visible = drawn.visible.saturating_add(u64::from(is_visible));
            if streamer.are_resident(self.items(*part)) {
                if is_visible {
                    self.sum = self.sum.wrapping_add((self.read)(*part));
                }
                continue;
            }
            drawn.holes = drawn.holes.saturating_add(u64::from(is_visible));
            drawn.awaited = drawn.awaited.saturating_add(1);
            let priority = priority(*far, reach);
            match self.requests.get(as_index(*part)).copied().flatten() {
                Some((slot, before)) if before != priority => {
                    streamer.set_priority(slot, priority);
                    if let Some(request) = self.requests.get_mut(as_index(*part)) {
                        *request = Some((slot, priority));
                    }
                }
                Some(_) => {}
                None => {
                    let slot = match streamer.request(self.items(*part), priority, u64::from(*part)) {
                        Ok(slot) => slot,
                        // All slots are used. The next frame requests the part again.
                        Err(error) if error.kind() == ErrorKind::Refused => continue,
                        Err(error) => return Err(error.into()),
                    };
                    if let Some(request) = self.requests.get_mut(as_index(*part)) {
                        *request = Some((slot, priority));
                    }
                    self.live.push(*part);
                }
            }
        }
        self.near = near;
        // Requests for parts that are no longer near are cancelled.
        let (requests, seen, frame) = (&self.requests, &self.seen, self.frame);
        self.live.retain(|part| {
            let slot = requests.get(as_index(*part)).copied().flatten();
            let is_near = seen.get(as_index(*part)) == Some(&frame);
            if let Some((slot, _)) = slot.filter(|_| !is_near) {
                streamer.cancel(slot);
            }
            slot.is_some() && is_near
        });
        drawn.update = start.elapsed();
        Ok(drawn)
    }

    fn take_events(&mut self, streamer: &mut Streamer<C>) -> anyhow::Result<()> {
        while let Some(event) = streamer.next_event() {
            if let StreamOutcome::Failed(error) = event.outcome {
                return Err(error.into());
            }
            if let Some(request) = usize::try_from(event.tag).ok().and_then(|part| self.requests.get_mut(part)) {
                *request = None;
            }
        }
        Ok(())
    }
}

/// Returns a function that reads some vertices of a part of a mesh. All arrays are found now,
/// because finding an array later could read pages that are not resident.
pub fn reader<'m>(mesh: &'m dyn Geometry, parts: &'m MeshParts) -> crate::Result<Box<dyn Fn(u32) -> u64 + 'm>> {
    let arrays = mesh.surfaces()?.map(|surface| Ok((surface.indices()?, surface.positions()?)));
    let arrays = arrays.collect::<crate::Result<Vec<_>>>()?;
    Ok(Box::new(move |part| {
        let Some(part) = parts.get(as_index(part)) else { return 0 };
        let Some((indices, positions)) = arrays.get(as_index(part.surface)) else { return 0 };
        let corners = as_index(part.triangles.start).saturating_mul(3)..as_index(part.triangles.end).saturating_mul(3);
        corners.step_by(CORNER_STEP).take(CORNERS_READ).fold(0, |sum, corner| {
            let index = indices.get(corner).map_or(usize::MAX, as_index);
            let [x, y, z] = positions.get(index).unwrap_or_default().map(f32::to_bits);
            sum.wrapping_add(u64::from(x ^ y ^ z))
        })
    }))
}

/// The boxes of all surfaces of a file that was just opened, with the time and the bytes that it
/// took to find them.
pub fn read_boxes(model: &Model<FileBytes>, start: Instant) -> crate::Result<(Duration, usize)> {
    let surfaces = model.surfaces()?;
    let count = surfaces.len();
    for surface in surfaces {
        surface.bounds()?;
    }
    Ok((start.elapsed(), count))
}
