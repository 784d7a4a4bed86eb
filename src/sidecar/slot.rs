//! The sidecar that an open mesh file holds.

use std::sync::{Arc, OnceLock};

use crate::error::Result;
use crate::sidecar::builder::Builder;
use crate::sidecar::records::{Sidecar, Trust};

/// The sidecar of an open mesh file, or nothing if no sidecar was set.
///
/// For an untrusted sidecar, the slot also stores whether its content agrees with the mesh file.
#[derive(Debug, Default)]
pub(crate) struct SidecarSlot {
    sidecar: Option<Arc<Sidecar>>,
    agrees: OnceLock<bool>,
}

impl SidecarSlot {
    pub(crate) fn new(sidecar: Arc<Sidecar>) -> Self {
        Self { sidecar: Some(sidecar), agrees: OnceLock::new() }
    }

    /// Returns whether the mesh file has a sidecar, which may be trusted or not.
    pub(crate) const fn is_there(&self) -> bool {
        self.sidecar.is_some()
    }

    /// Returns the sidecar, or `None` if the mesh file has no sidecar or if its sidecar must not be
    /// used.
    ///
    /// For an untrusted sidecar, the closure `index` computes the expected content from the mesh
    /// file. The closure is called at most once. A sidecar with any other content is never used.
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
