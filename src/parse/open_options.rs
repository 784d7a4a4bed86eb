//! Options for opening a mesh file, with the maximum sizes and counts that bound the memory and
//! time for reading it.

use crate::parse::options;

options! {
    /// Options for opening a mesh file of any format.
    ///
    /// A format ignores the options that do not apply to it.
    ///
    /// ```
    /// # fn main() -> meshpeek::Result<()> {
    /// use meshpeek::{Model, OpenOptions};
    /// let options = OpenOptions::default().with_record_access(true);
    /// let model = Model::open_with(meshpeek::read("data/unigine/cube_ms13.mesh")?, &options)?;
    /// assert!(model.touched_bytes() > Some(0));
    /// # Ok(())
    /// # }
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
    #[cfg_attr(feature = "serde", serde(default))]
    #[allow(clippy::unsafe_derive_deserialize, reason = "its unsafe methods are unsafe for the file, not for the options")]
    pub struct OpenOptions {
        /// Maximum sizes and counts that bound the memory and time for reading the file.
        limits: Limits = Limits::default(), pub with_limits;
        /// If `true`, opening a file that breaks one of the strict rules of its format returns an
        /// error, even if games load the file.
        ///
        /// The strict rules are about sizes, indices and prototypes of Unreal meshes, and about
        /// EZ-Mesh blocks that contain more numbers than they declare. If `strict` is `false`, only
        /// `validate` reports violations of the strict rules, as findings.
        strict: bool = false, pub with_strict;
        /// If `true`, the mesh records which bytes of the file its parser reads:
        /// [`Model::touched_bytes`](crate::Model::touched_bytes) counts them. This takes about 50
        /// bytes of memory for each separate byte range.
        record_access: bool = false, pub with_record_access;
        /// Index of the asset to open, from 0, in a file that contains several assets (Second Life
        /// `.slm`).
        asset: usize = 0, pub with_asset;
        /// If `true`, the bytes that are passed to the open function are only the first bytes of a
        /// Second Life asset or an aniv file, for example because a network client has not received
        /// the remaining bytes.
        ///
        /// Reading a block of a Second Life asset whose bytes are not available yet returns
        /// [`ErrorKind::Missing`](crate::ErrorKind::Missing). A block that is not available yet is
        /// not reported as damage of the file. A vertex frame of an Unreal mesh that the aniv file
        /// does not contain completely is an error with its [needed
        /// range](crate::Error::needed_range); without this option, the vertices before the end of
        /// the file are returned.
        partial: bool = false, pub with_partial;
    }
}

options! {
    /// Maximum sizes and counts that bound the memory and time for reading one file, even if it is
    /// malicious.
    ///
    /// A damaged or malicious file may declare a wrong number of items. A parser never allocates
    /// memory for more items than the remaining bytes of the file can hold, and `Limits` has
    /// further upper bounds. If a file exceeds one of them, opening or reading it returns
    /// [`ErrorKind::Limit`](crate::error::ErrorKind::Limit) with the name of the limit, such as
    /// `block`, which [`with_block`](Self::with_block) sets.
    ///
    /// ```
    /// let limits = meshpeek::Limits::default().with_items(1000).with_block(256 << 20);
    /// let options = meshpeek::OpenOptions::default().with_limits(limits);
    /// # let _ = options;
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
    #[cfg_attr(feature = "serde", serde(default))]
    pub struct Limits {
        /// Maximum number of items in one list of a file: surfaces, bones, animations, morph
        /// targets, or values in one block of structured data. 1,048,576 by default.
        ///
        /// The number of vertices and indices is not limited, because vertex arrays and index
        /// arrays are borrowed from the file and not copied.
        items: u64 = 1 << 20, pub with_items;
        /// Maximum number of bytes that are read from a stream, such as a pipe, that is not a
        /// regular file. 1 GiB by default.
        stream: u64 = 1 << 30, pub(crate) with_stream;
        /// Maximum size of a script, such as a `.uc` file, in bytes. 16 MiB by default.
        script: u64 = 16 << 20, pub with_script;
        /// Maximum size of one compressed block after it is inflated, in bytes. 64 MiB by default.
        ///
        /// The inflated size of a block is also bounded by its compression format: at most 1,032
        /// times the compressed size for zlib, and at most 255 times the compressed size plus 64
        /// bytes for LZ4. An LZ4 block declares its inflated size and may therefore inflate to 32
        /// times its compressed size, even if the inflated size exceeds the limit `block`.
        block: u64 = 64 << 20, pub with_block;
        /// Maximum size of all inflated blocks of one file that are in memory at the same time, in
        /// bytes. 128 MiB by default.
        ///
        /// If 4 times the file size is more than `asset`, all inflated blocks together may have up
        /// to 4 times the file size. A block in a buffer of the caller, or in a surface that was
        /// [lent](crate::Model::lend), does not count toward the other blocks.
        asset: u64 = 128 << 20, pub with_asset;
        /// Maximum size of a header that does not store its own length, such as the header of a
        /// Second Life mesh, in bytes. 64 KiB by default.
        header: u64 = 64 << 10, pub with_header;
        /// Maximum nesting depth of arrays and maps in structured data. 96 by default. A maximum
        /// depth above 256 has the effect of 256.
        depth: u32 = 96, pub with_depth;
        /// Maximum nesting depth of elements in XML. 64 by default. A maximum depth above 256 has
        /// the effect of 256.
        elements: u32 = 64, pub with_elements;
        /// Maximum number of attributes of one element in XML. 64 by default. A limit above 64
        /// attributes has the effect of 64.
        attributes: u32 = 64, pub(crate) with_attributes;
        /// Maximum size of one attribute value in XML, in bytes. 1 MiB by default.
        attribute: u64 = 1 << 20, pub with_attribute;
        /// Maximum size of one number in text, in bytes. 128 by default. A limit above 128 bytes
        /// has the effect of 128.
        number: u64 = 128, pub(crate) with_number;
    }
}
