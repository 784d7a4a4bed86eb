//! Checkpoints, in memory or in a sidecar, and what a sidecar has of an animation.

use std::sync::Arc;

use zerocopy::little_endian::{U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::index::{Index, Plan, Walked};
use super::view::AnimationView;
use crate::error::Result;
use crate::math::{as_index, as_u64};
use crate::sidecar::{Builder, Kind, RecordSlice, Sidecar};

/// The number that stands for no place.
const NOWHERE: u64 = u64::MAX;

/// What a walk over an animation's keys found.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct RawAnimation {
    keys: U64,
    bytes: U64,
    /// Where the first key with unknown flags is; all ones where there is none.
    unknown: U64,
    flags: U32,
    /// Frames between two checkpoints.
    interval: U32,
    /// The first checkpoint, and how many there are.
    points: [U64; 2],
    /// The last bytes of the keys.
    tail: [u8; 8],
}

/// A checkpoint.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct RawPoint {
    start: U64,
    /// The blob of keys that tell what was told before.
    told: [U64; 3],
}

/// Checkpoints, one behind another.
#[derive(Debug)]
pub(super) enum Points {
    Built {
        /// For each checkpoint, where its frame starts, in bytes from the first key.
        starts: Box<[u64]>,
        /// For each checkpoint, where what was told before starts among `keys`; none for frames that stand alone.
        told: Box<[u64]>,
        keys: Box<[u8]>,
    },
    Stored(RecordSlice<RawPoint>),
}

impl Points {
    /// Returns how many there are.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Built { starts, .. } => starts.len(),
            Self::Stored(points) => usize::try_from(points.len()).unwrap_or(usize::MAX),
        }
    }

    /// Returns where the frame of a checkpoint starts, and all that was told before, as keys; `None` where there is no such
    /// checkpoint, or a sidecar is damaged there.
    pub(super) fn get(&self, place: usize) -> Option<(u64, &[u8])> {
        match self {
            Self::Built { starts, told, keys } => {
                let from = told.get(place).and_then(|told| usize::try_from(*told).ok());
                Some((*starts.get(place)?, from.and_then(|from| keys.get(from..)).unwrap_or_default()))
            }
            Self::Stored(points) => {
                let point = points.get(as_u64(place))?;
                Some((point.start.get(), points.sidecar().blob(point.told.map(U64::get))?))
            }
        }
    }

    /// Returns the bytes of memory that they take.
    pub(super) fn size(&self) -> usize {
        match self {
            Self::Built { starts, told, keys } => {
                starts.len().saturating_add(told.len()).saturating_mul(8).saturating_add(keys.len())
            }
            Self::Stored(_) => 0,
        }
    }

    /// Returns the keys of a checkpoint alone.
    fn told(&self, place: usize) -> &[u8] {
        let Self::Built { told, .. } = self else { return &[] };
        let Some((_, keys)) = self.get(place) else { return &[] };
        let ends =
            told.get(place.saturating_add(1)).zip(told.get(place)).map(|(end, start)| end.saturating_sub(*start));
        keys.get(..ends.and_then(|length| usize::try_from(length).ok()).unwrap_or(keys.len())).unwrap_or_default()
    }
}

/// What a sidecar has of an animation.
#[derive(Debug)]
pub(crate) struct Recalled {
    pub(super) walked: Walked,
    pub(super) keys: u64,
    interval: u32,
    points: RecordSlice<RawPoint>,
    tail: [u8; 8],
}

impl Recalled {
    /// Looks for what a sidecar has of animation `index`.
    pub(crate) fn of(sidecar: &Arc<Sidecar>, index: usize) -> Option<Self> {
        let raw = sidecar.record::<RawAnimation>(Kind::Animations, as_u64(index))?;
        let walked = Walked {
            bytes: raw.bytes.get(),
            flags: u8::try_from(raw.flags.get()).ok()?,
            unknown: Some(raw.unknown.get()).filter(|at| *at != NOWHERE),
        };
        let [first, count] = raw.points.map(U64::get);
        let points = RecordSlice::new(Arc::clone(sidecar), Kind::Checkpoints, first, count);
        Some(Self { walked, keys: raw.keys.get(), interval: raw.interval.get(), points, tail: raw.tail })
    }

    /// Tells whether it is of so many keys, which are followed by whatever else is in `bytes`.
    pub(super) fn fits(&self, bytes: &[u8], keys: u64) -> bool {
        let own = usize::try_from(self.walked.bytes).ok().and_then(|end| bytes.get(..end));
        self.keys == keys && own.is_some_and(|own| tail(own) == self.tail)
    }

    /// Returns the checkpoints, if they are those of a plan.
    pub(super) fn index(&self, plan: &Plan) -> Option<Index> {
        let fits = plan.interval == self.interval && u64::from(plan.count) == self.points.len() && plan.count > 0;
        fits.then(|| Index { interval: self.interval, points: Points::Stored(self.points.clone()) })
    }
}

impl AnimationView<'_> {
    /// Adds to a sidecar what finding its frames again would cost a walk.
    pub(crate) fn push(&self, builder: &mut Builder) -> Result<()> {
        let first = builder.count(Kind::Checkpoints);
        let index = self.index();
        for place in 0..index.map_or(0, |index| index.points.len()) {
            let Some((point, start)) = index.and_then(|index| Some((index, index.points.get(place)?.0))) else { break };
            let told = builder.blob(point.points.told(place))?;
            builder.push(Kind::Checkpoints, &RawPoint { start: start.into(), told: told.map(U64::new) })?;
        }
        let walked = self.walked;
        let raw = RawAnimation {
            keys: self.key_count().into(),
            bytes: walked.bytes.into(),
            unknown: walked.unknown.unwrap_or(NOWHERE).into(),
            flags: u32::from(walked.flags).into(),
            interval: index.map_or(0, |index| index.interval).into(),
            points: [first.into(), builder.count(Kind::Checkpoints).saturating_sub(first).into()],
            tail: tail(self.key_bytes()),
        };
        builder.push(Kind::Animations, &raw)
    }
}

/// Returns the last bytes of some keys, as far as there are any.
fn tail(keys: &[u8]) -> [u8; 8] {
    let mut tail = [0; 8];
    let from = keys.len().saturating_sub(as_index(8));
    tail.iter_mut().zip(keys.get(from..).unwrap_or_default()).for_each(|(place, byte)| *place = *byte);
    tail
}
