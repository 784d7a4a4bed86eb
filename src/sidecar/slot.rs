//! The storage for the optional sidecar of an opened mesh file.

use std::sync::{Arc, OnceLock};

use crate::error::Result;
use crate::sidecar::builder::Builder;
use crate::sidecar::records::{Sidecar, Trust};

/// The optional sidecar of an opened mesh file.
///
/// For an untrusted sidecar, the slot also stores whether the content of the sidecar agrees with
/// the mesh file.
#[derive(Debug, Default)]
pub(crate) struct SidecarSlot {
    sidecar: Option<Arc<Sidecar>>,
    agrees: OnceLock<bool>,
}

impl SidecarSlot {
    pub(crate) fn new(sidecar: Arc<Sidecar>) -> Self {
        Self { sidecar: Some(sidecar), agrees: OnceLock::new() }
    }

    /// Returns whether the opened mesh file has a sidecar, whether trusted or untrusted.
    pub(crate) const fn is_there(&self) -> bool {
        self.sidecar.is_some()
    }

    /// Returns the sidecar of the mesh file.
    ///
    /// Returns `None` if the mesh file has no sidecar, or if an untrusted sidecar does not agree
    /// with the mesh file.
    ///
    /// For an untrusted sidecar, the closure `index` computes the expected content from the mesh
    /// file. The closure `index` is called at most once, and its result is stored. An untrusted
    /// sidecar is never used if its content differs from the expected content.
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
