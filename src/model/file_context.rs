//! What the owner of a file holds beside its bytes.

use crate::parse::{AccessLog, OpenOptions};
use crate::sidecar::SidecarSlot;

/// How a file was opened, what was read of it so far, and its sidecar.
#[derive(Debug, Default)]
pub(crate) struct FileContext {
    pub(crate) options: OpenOptions,
    access_log: Option<Box<AccessLog>>,
    pub(crate) sidecar: SidecarSlot,
}

impl FileContext {
    pub(crate) fn new(options: &OpenOptions) -> Self {
        let access_log = options.record_access.then(Box::default);
        Self { options: *options, access_log, sidecar: SidecarSlot::default() }
    }

    /// Returns the record of what was read, if one is kept.
    pub(crate) fn access_log(&self) -> Option<&AccessLog> {
        self.access_log.as_deref()
    }
}
