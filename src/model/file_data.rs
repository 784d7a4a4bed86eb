//! What the owner of a file holds in every format.

use crate::parse::{AccessLog, Cursor, OpenOptions};
use crate::sidecar::SidecarSlot;

/// The bytes of a file, and what every owner holds beside them.
#[derive(Debug)]
pub(crate) struct FileData<D> {
    data: D,
    context: FileContext,
}

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

impl<D: AsRef<[u8]>> FileData<D> {
    pub(crate) fn new(data: D, options: &OpenOptions) -> Self {
        Self { data, context: FileContext::new(options) }
    }

    /// Returns the bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        self.data.as_ref()
    }

    /// Starts to read at the first byte. Errors name `format`.
    pub(crate) fn cursor(&self, format: &'static str) -> Cursor<'_> {
        Cursor::new(self.bytes(), format).with_access_log(self.access_log())
    }
}

impl<D> FileData<D> {
    /// Returns the owner of the bytes.
    pub(crate) const fn data(&self) -> &D {
        &self.data
    }

    pub(crate) const fn options(&self) -> &OpenOptions {
        &self.context.options
    }

    /// Returns the record of what was read, if one is kept.
    pub(crate) fn access_log(&self) -> Option<&AccessLog> {
        self.context.access_log()
    }
}
