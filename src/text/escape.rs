//! Escapes of text in other text.

/// Encodes all bytes except ASCII letters, digits and the bytes of `kept`.
pub(crate) fn percent_encoded(bytes: &[u8], kept: &[u8]) -> String {
    let is_kept = |byte: u8| byte.is_ascii_alphanumeric() || kept.contains(&byte);
    let encode = |byte: &u8| if is_kept(*byte) { char::from(*byte).into() } else { format!("%{byte:02X}") };
    bytes.iter().map(encode).collect()
}
