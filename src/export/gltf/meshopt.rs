//! Compression of arrays with the codecs of meshoptimizer.

use super::document::ArraySpec;
use crate::error::Result;
use crate::export::options::Compression;

/// Returns the name of the extension.
pub(super) const fn extension(compression: Compression) -> &'static str {
    match compression {
        Compression::Ext => "EXT_meshopt_compression",
        Compression::Khr => "KHR_meshopt_compression",
    }
}

/// Returns an error if this build cannot compress.
#[cfg(not(feature = "meshopt"))]
pub(super) fn check(compression: Compression) -> Result<()> {
    use crate::error::Cause;

    let expected = "a build with the feature `meshopt` (cargo build --features meshopt)".into();
    Err(crate::export::fault("compression", Cause::Refused { expected, found: extension(compression).into() }))
}

/// Returns an error if this build cannot compress.
#[cfg(feature = "meshopt")]
#[allow(clippy::unnecessary_wraps, reason = "another build returns an error")]
pub(super) fn check(_: Compression) -> Result<()> {
    Ok(())
}

/// Compresses the bytes of an array.
#[cfg(not(feature = "meshopt"))]
pub(super) fn encode(_: &ArraySpec<'_>, compression: Compression, _: &[u8]) -> Result<Vec<u8>> {
    check(compression).map(|()| Vec::new())
}

/// Compresses the bytes of an array.
#[cfg(feature = "meshopt")]
pub(super) fn encode(spec: &ArraySpec<'_>, compression: Compression, bytes: &[u8]) -> Result<Vec<u8>> {
    use super::document::BufferUsage;

    if spec.usage == BufferUsage::Indices {
        return encode_indices(spec, bytes);
    }
    // The first version of the codec is the only one that `EXT_meshopt_compression` allows.
    let version = match compression {
        Compression::Ext => 0,
        Compression::Khr => 1,
    };
    encode_items(spec, version, bytes)
}

/// The compression level for version 1 of the codec, which is the default of the library.
#[cfg(feature = "meshopt")]
const LEVEL: i32 = 2;

/// Compresses items of a size that is one of the given numbers of bytes.
#[cfg(feature = "meshopt")]
macro_rules! by_stride {
    ($bytes:expr, $version:expr, $stride:expr, [$($size:literal),+]) => {
        match $stride {
            $($size => ::meshopt::encode_vertex_buffer_level($bytes.as_chunks::<$size>().0, LEVEL, Some($version)).ok(),)+
            _ => None,
        }
    };
}

#[cfg(feature = "meshopt")]
fn encode_items(spec: &ArraySpec<'_>, version: i32, bytes: &[u8]) -> Result<Vec<u8>> {
    let stride = spec.stride();
    let encoded = by_stride!(bytes, version, stride, [4, 8, 12, 16, 20, 24, 40, 48, 60, 64, 72, 80, 96]);
    encoded.ok_or_else(|| failed(spec))
}

#[cfg(feature = "meshopt")]
fn encode_indices(spec: &ArraySpec<'_>, bytes: &[u8]) -> Result<Vec<u8>> {
    let indices: Vec<u32> = match spec.stride() {
        2 => bytes.as_chunks().0.iter().map(|index| u16::from_le_bytes(*index).into()).collect(),
        _ => bytes.as_chunks().0.iter().map(|index| u32::from_le_bytes(*index)).collect(),
    };
    let vertices = indices.iter().max().map_or(0, |last| crate::math::as_index(*last).saturating_add(1));
    ::meshopt::encode_index_buffer(&indices, vertices).map_err(|_| failed(spec))
}

#[cfg(feature = "meshopt")]
fn failed(spec: &ArraySpec<'_>) -> crate::error::Error {
    let expected = "an array that the codec can compress".into();
    let found = format!("{} items of {} bytes", spec.count, spec.stride()).into();
    crate::export::fault("compression", crate::error::Cause::Refused { expected, found })
}
