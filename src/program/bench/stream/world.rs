//! A flight over many small assets, whose levels of detail are streamed.

use std::sync::Arc;
use std::time::Instant;

use super::flight::{Drawn, FlightScene};
use crate::Bounds;
use crate::math::{as_index, narrow};
use crate::program::output::units::{ratio, whole};
use crate::streaming::{Content, ItemRange, LevelOfDetail, Priority, Slot, StreamOutcome, Streamer};

/// The number of levels of an asset.
const LEVELS: u32 = 4;
const LEVEL_COUNT: usize = 4;
/// The distance between the centres of two assets, whose size is 1.
const SPACING: f32 = 2.0;
/// The greatest number of assets in the view.
const MAX_VISIBLE: f32 = 10_000.0;
/// The greatest part of all assets in the view.
const VISIBLE_SHARE: f32 = 0.2;
/// The part of the radius in which assets are drawn by which the camera is ahead where the coarsest
/// levels are loaded early.
const LOOK_AHEAD: f32 = 0.25;
/// The priority of a coarsest level that is not visible yet. It is higher than that of the detailed
/// levels.
const AHEAD: Priority = Priority::new(48);
/// The number of pixels from which an asset is drawn in full detail, relative to its size at the
/// edge of the view.
const FULL_DETAIL: f32 = 24.0;

/// An asset near the camera, and its place.
#[derive(Clone, Copy)]
struct NearAsset {
    asset: u32,
    x: f32,
    y: f32,
    is_visible: bool,
}

/// What is known of an asset. It is in one place, because thousands of assets are visible.
#[derive(Clone, Copy)]
struct AssetRecord {
    /// The request for each level, or `None`.
    requests: [Option<(Slot, Priority)>; LEVEL_COUNT],
    /// The level that was wanted last, or 255 if the asset was not visible.
    wanted: u8,
    /// Whether the coarsest level is pinned or about to be.
    is_pinned: bool,
    /// Whether each level was drawn.
    is_shown: [bool; LEVEL_COUNT],
    /// The number of bytes that each level was inflated to.
    inflated: [u64; LEVEL_COUNT],
}

/// Assets on a grid, over which the camera flies.
pub struct WorldScene<C, I> {
    /// Finds the item of a level of an asset.
    item: I,
    assets: u32,
    side: u32,
    radius: f32,
    records: Vec<AssetRecord>,
    last_view: Vec<NearAsset>,
    view: Vec<NearAsset>,
    content: std::marker::PhantomData<Arc<C>>,
}

impl<C: Content, I: Fn(u32, u32) -> ItemRange> WorldScene<C, I> {
    pub fn new(assets: u32, item: I) -> Self {
        let count = as_index(assets);
        let record = AssetRecord {
            requests: [None; LEVEL_COUNT],
            wanted: u8::MAX,
            is_pinned: false,
            is_shown: [false; LEVEL_COUNT],
            inflated: [0; LEVEL_COUNT],
        };
        let visible = (float(assets) * VISIBLE_SHARE).clamp(1.0, MAX_VISIBLE);
        let nowhere = NearAsset { asset: 0, x: 0.0, y: 0.0, is_visible: false };
        let [mut view, mut last_view] = [(); 2].map(|()| vec![nowhere; count]);
        view.clear();
        last_view.clear();
        Self {
            item,
            assets,
            side: assets.isqrt().max(1),
            radius: (visible / std::f32::consts::PI).sqrt() * SPACING,
            records: vec![record; count],
            last_view,
            view,
            content: std::marker::PhantomData,
        }
    }

    /// Collects the assets that are visible from `eye`, or will be on the way to `ahead`. Both are
    /// places on the diagonal of the world.
    fn find_near(&mut self, eye: f32, ahead: f32) {
        let side = f64::from(self.side);
        let cell = |at: f32| u32::try_from(whole(f64::from(at / SPACING).clamp(0.0, side))).unwrap_or_default();
        let cells = cell(eye - self.radius)..=cell(ahead + self.radius);
        self.view.clear();
        for row in cells.clone() {
            let ay = float(row) * SPACING;
            for column in cells.clone().take_while(|column| *column < self.side) {
                let asset = row.saturating_mul(self.side).saturating_add(column);
                let ax = float(column) * SPACING;
                if asset < self.assets && self.is_visible(ax, ay, eye, ahead) {
                    let is_visible = self.is_visible(ax, ay, eye, eye);
                    self.view.push(NearAsset { asset, x: ax, y: ay, is_visible });
                }
            }
        }
    }

    /// Returns whether an asset is visible from a place between `eye` and `ahead`.
    fn is_visible(&self, x: f32, y: f32, eye: f32, ahead: f32) -> bool {
        let nearest = f32::midpoint(x, y).clamp(eye, ahead);
        (x - nearest).powi(2) + (y - nearest).powi(2) <= self.radius * self.radius
    }

    /// Returns the quotient of all inflated bytes and those of the levels that were drawn. Returns
    /// `None` if nothing was drawn.
    pub fn inflated_per_shown(&self) -> Option<f64> {
        let (mut all, mut shown) = (0_u64, 0_u64);
        for record in &self.records {
            for (bytes, is_shown) in record.inflated.iter().zip(record.is_shown) {
                all = all.saturating_add(*bytes);
                shown = shown.saturating_add(if is_shown { *bytes } else { 0 });
            }
        }
        (shown > 0).then(|| ratio(all, shown))
    }

    /// Requests a level, or changes the priority of the request for it.
    fn want(
        &mut self,
        streamer: &mut Streamer<C>,
        asset: u32,
        level: u32,
        priority: Priority,
        pins: bool,
    ) -> crate::Result<()> {
        let item = (self.item)(asset, level);
        let record = self.records.get_mut(as_index(asset));
        let Some(request) = record.and_then(|record| record.requests.get_mut(as_index(level))) else { return Ok(()) };
        if let Some((slot, before)) = request {
            if *before != priority {
                streamer.set_priority(*slot, priority);
                *before = priority;
            }
            return Ok(());
        }
        let tag = u64::from(asset.saturating_mul(LEVELS).saturating_add(level));
        let slot = if pins {
            streamer.request_pinned(&[item], priority, tag)
        } else {
            streamer.request(&[item], priority, tag)
        };
        match slot {
            Ok(slot) => *request = Some((slot, priority)),
            // All slots are used. The next frame requests the level again.
            Err(error) if error.kind() == crate::ErrorKind::Refused => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }

    fn cancel(&self, streamer: &mut Streamer<C>, asset: u32, level: u32) {
        let record = self.records.get(as_index(asset));
        if let Some((slot, _)) = record.and_then(|record| record.requests.get(as_index(level)).copied().flatten()) {
            streamer.cancel(slot);
        }
    }

    /// Unpins distant items, and cancels their loads.
    fn forget_far(&mut self, streamer: &mut Streamer<C>, eye: f32, ahead: f32) {
        let coarsest = LEVELS.saturating_sub(1);
        for index in 0..self.last_view.len() {
            let Some(NearAsset { asset, x: ax, y: ay, .. }) = self.last_view.get(index).copied() else { break };
            if self.is_visible(ax, ay, eye, ahead) {
                continue;
            }
            (0..LEVELS).for_each(|level| self.cancel(streamer, asset, level));
            let item = (self.item)(asset, coarsest).first;
            if streamer.unpin(item)
                && let Some(record) = self.records.get_mut(as_index(asset))
            {
                record.is_pinned = false;
            }
        }
    }
}

impl<C: Content, I: Fn(u32, u32) -> ItemRange> FlightScene for WorldScene<C, I> {
    type Content = C;

    fn draw(&mut self, streamer: &mut Streamer<C>, place: f32) -> anyhow::Result<Drawn> {
        let start = Instant::now();
        // The camera starts within the world, and crosses it diagonally.
        let (side, margin) = (float(self.side) * SPACING, self.radius * 0.7);
        let length = (side - 2.0 * margin).max(0.0);
        let (end, along) = (margin + length, margin + length * place);
        let ahead = (along + self.radius * LOOK_AHEAD).min(end);
        let eye = [along, along, self.radius * 0.02];
        let mut camera = LevelOfDetail::new(eye, 1.0, 1080.0);
        camera.full_detail = camera.scale / self.radius * FULL_DETAIL;
        std::mem::swap(&mut self.view, &mut self.last_view);
        self.find_near(along, ahead);
        let coarsest = LEVELS.saturating_sub(1);
        let mut drawn = Drawn::default();
        for index in 0..self.view.len() {
            let Some(NearAsset { asset, x, y, is_visible }) = self.view.get(index).copied() else { break };
            let Some(record) = self.records.get(as_index(asset)).copied() else { break };
            let mut changed = record;
            if !record.is_pinned || record.requests.last().is_some_and(Option::is_some) {
                let priority = if is_visible { Priority::MOST } else { AHEAD };
                self.want(streamer, asset, coarsest, priority, true)?;
                changed = self.records.get(as_index(asset)).copied().unwrap_or(changed);
                changed.is_pinned = changed.requests.last().is_some_and(Option::is_some);
                drawn.awaited = drawn.awaited.saturating_add(1);
            }
            if is_visible {
                drawn.visible = drawn.visible.saturating_add(1);
                let bounds = Bounds { min: [x - 0.5, y - 0.5, 0.0], max: [x + 0.5, y + 0.5, 1.0] };
                let level = camera.level(&bounds, LEVELS);
                changed.wanted = u8::try_from(level).unwrap_or(u8::MAX);
                if changed.wanted != record.wanted && u32::from(record.wanted) < coarsest {
                    self.cancel(streamer, asset, record.wanted.into());
                }
                // The best resident level is drawn. A coarser one replaces a missing level.
                let is_resident = |level: &u32| streamer.get((self.item)(asset, *level).first).is_some();
                let shown = (level..LEVELS).find(is_resident).or_else(|| (0..level).rev().find(is_resident));
                if let Some(is_shown) = shown.and_then(|shown| changed.is_shown.get_mut(as_index(shown))) {
                    *is_shown = true;
                }
                drawn.holes = drawn.holes.saturating_add(u64::from(shown.is_none()));
                if let Some(place) = self.records.get_mut(as_index(asset)) {
                    *place = changed;
                }
                if shown != Some(level) && level < coarsest {
                    let urgency = coarsest.saturating_sub(level).saturating_mul(8);
                    self.want(streamer, asset, level, Priority::new(u8::try_from(urgency).unwrap_or(0)), false)?;
                }
            } else if let Some(place) = self.records.get_mut(as_index(asset)) {
                *place = changed;
            }
        }
        self.forget_far(streamer, along, ahead);
        drawn.update = start.elapsed();
        Ok(drawn)
    }

    fn take_events(&mut self, streamer: &mut Streamer<C>) -> anyhow::Result<()> {
        while let Some(event) = streamer.next_event() {
            let Ok(tag) = u32::try_from(event.tag) else { continue };
            let [asset, level] = [tag / LEVELS, tag % LEVELS].map(as_index);
            let Some(record) = self.records.get_mut(asset) else { continue };
            if let Some(request) = record.requests.get_mut(level) {
                *request = None;
            }
            if let Some(inflated) = record.inflated.get_mut(level) {
                *inflated = inflated.saturating_add(event.work.inflated);
            }
            match event.outcome {
                StreamOutcome::Done => {}
                StreamOutcome::Failed(error) if error.kind() != crate::ErrorKind::Limit => return Err(error.into()),
                // The request was cancelled, or pinned levels take the whole budget. A level that
                // was not pinned is requested again when the asset is near.
                _ => record.is_pinned &= level.saturating_add(1) < LEVEL_COUNT,
            }
        }
        Ok(())
    }
}

fn float(number: u32) -> f32 {
    narrow(number.into())
}
