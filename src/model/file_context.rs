//! The context of an open file, which is stored together with the bytes of the file.

use crate::parse::{AccessLog, OpenOptions};
use crate::sidecar::SidecarSlot;

/// The options with which a file was opened, the access log of the file, and its sidecar.
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

    /// Returns the access log of the file, or `None` if the file was opened without an access log.
    pub(crate) fn access_log(&self) -> Option<&AccessLog> {
        self.access_log.as_deref()
    }
}
