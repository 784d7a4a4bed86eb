//! The sidecar records of an animation: the result of the scan of its keys, and its checkpoints.

use std::sync::Arc;

use zerocopy::little_endian::{U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::checkpoints::{CheckpointIndex, CheckpointList, CheckpointPlan, RawKeyCheckpoint};
use super::scan::KeyScan;
use crate::error::Result;
use crate::math::as_u64;
use crate::sidecar::{Builder, Kind, RecordSlice, Sidecar};

/// The offset value in a sidecar record that means "no offset".
const INVALID_OFFSET: u64 = u64::MAX;

/// The result of the scan of an animation's keys, as stored in a sidecar.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct RawAnimation {
    keys: U64,
    bytes: U64,
    /// Offset of the first key with flags of unknown meaning, in bytes from the first key. All bits
    /// of the field `unknown` are 1 if no key has flags of unknown meaning.
    unknown: U64,
    flags: U32,
    /// The number of animation frames from one checkpoint to the next.
    interval: U32,
    /// The index of the animation's first checkpoint record in the sidecar, and the number of
    /// checkpoint records of the animation.
    points: [U64; 2],
    /// The last eight bytes of the animation's keys, which must agree with the file.
    tail: [u8; 8],
}

/// The records of one animation in a sidecar.
#[derive(Debug)]
pub(crate) struct StoredCheckpoints {
    pub(crate) scan: KeyScan,
    pub(crate) keys: u64,
    interval: u32,
    points: RecordSlice<RawKeyCheckpoint>,
    tail: [u8; 8],
}

impl StoredCheckpoints {
    /// Returns the records of animation `index` in a sidecar, or `None` if the sidecar has no
    /// well-formed record for this animation.
    pub(crate) fn of(sidecar: &Arc<Sidecar>, index: usize) -> Option<Self> {
        let raw = sidecar.record::<RawAnimation>(Kind::Animations, as_u64(index))?;
        let scan = KeyScan {
            bytes: raw.bytes.get(),
            flags: u8::try_from(raw.flags.get()).ok()?,
            unknown: Some(raw.unknown.get()).filter(|at| *at != INVALID_OFFSET),
        };
        let [first, count] = raw.points.map(U64::get);
        let points = RecordSlice::new(Arc::clone(sidecar), Kind::Checkpoints, first, count);
        Some(Self { scan, keys: raw.keys.get(), interval: raw.interval.get(), points, tail: raw.tail })
    }

    /// Returns whether the sidecar records agree with the `keys` keys at the start of `bytes`: with
    /// the number of keys and with the last eight bytes of the keys.
    ///
    /// Other data may follow the keys in `bytes`.
    pub(crate) fn fits(&self, bytes: &[u8], keys: u64) -> bool {
        let own = usize::try_from(self.scan.bytes).ok().and_then(|end| bytes.get(..end));
        self.keys == keys && own.is_some_and(|own| tail(own) == self.tail)
    }

    /// Returns the checkpoints in the sidecar, or `None` if the number or the interval of these
    /// checkpoints differs from the checkpoint plan.
    pub(crate) fn index(&self, plan: &CheckpointPlan) -> Option<CheckpointIndex> {
        let fits = plan.interval == self.interval && u64::from(plan.count) == self.points.count() && plan.count > 0;
        fits.then(|| CheckpointIndex { interval: self.interval, points: CheckpointList::Stored(self.points.clone()) })
    }
}

/// Adds the result of an animation's key scan, and the animation's checkpoints, to a sidecar.
pub(crate) fn push(
    builder: &mut Builder,
    (keys, key_count): (&[u8], u64),
    scan: &KeyScan,
    index: Option<&CheckpointIndex>,
) -> Result<()> {
    let first = builder.count(Kind::Checkpoints);
    if let Some(CheckpointIndex { points, .. }) = index {
        for place in 0..points.len() {
            let Some((start, _)) = points.get(place) else { break };
            let told = builder.blob(points.told(place))?;
            builder.push(Kind::Checkpoints, &RawKeyCheckpoint { start: start.into(), told: told.map(U64::new) })?;
        }
    }
    let raw = RawAnimation {
        keys: key_count.into(),
        bytes: scan.bytes.into(),
        unknown: scan.unknown.unwrap_or(INVALID_OFFSET).into(),
        flags: u32::from(scan.flags).into(),
        interval: index.map_or(0, |index| index.interval).into(),
        points: [first.into(), builder.count(Kind::Checkpoints).saturating_sub(first).into()],
        tail: tail(keys),
    };
    builder.push(Kind::Animations, &raw)
}

/// Returns the last eight bytes of `keys`. If the keys have fewer than eight bytes, the remaining
/// bytes of the returned array are 0.
fn tail(keys: &[u8]) -> [u8; 8] {
    let mut tail = [0; 8];
    let from = keys.len().saturating_sub(8);
    tail.iter_mut().zip(keys.get(from..).unwrap_or_default()).for_each(|(place, byte)| *place = *byte);
    tail
}
