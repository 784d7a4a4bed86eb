//! A sidecar in the hands of an owner of a file's bytes.

use std::sync::{Arc, OnceLock};

use crate::error::Result;
use crate::sidecar::builder::Builder;
use crate::sidecar::records::{Sidecar, Trust};

/// The sidecar of a file, if there is one; of a foreign one, what comparing it with the file has shown.
#[derive(Debug, Default)]
pub(crate) struct SidecarSlot {
    sidecar: Option<Arc<Sidecar>>,
    agrees: OnceLock<bool>,
}

impl SidecarSlot {
    pub(crate) fn new(sidecar: Arc<Sidecar>) -> Self {
        Self { sidecar: Some(sidecar), agrees: OnceLock::new() }
    }

    /// Tells whether there is one, verified or not.
    pub(crate) const fn is_there(&self) -> bool {
        self.sidecar.is_some()
    }

    /// Returns the sidecar, if it is to be verified. `index` gathers from the file what a foreign one ought to hold: that is
    /// done once, and one that holds anything else is never used.
    #[inline]
    pub(crate) fn get(&self, index: impl FnOnce(&mut Builder) -> Result<()>) -> Option<&Arc<Sidecar>> {
        let sidecar = self.sidecar.as_ref()?;
        let agrees = || {
            let mut builder = Builder::default();
            index(&mut builder).is_ok() && builder.agrees(sidecar)
        };
        let verified = sidecar.trust() == Trust::Trusted || *self.agrees.get_or_init(agrees);
        verified.then_some(sidecar)
    }
}
