//! The named byte ranges of a file, and functions to replace one of them.

use meshpeek::unigine::{Animation, Mesh};
use meshpeek::{Error, Finding, MeshFile as _, Region, Severity};

/// Returns every region of a valid file.
pub fn regions(bytes: &[u8]) -> Vec<Region> {
    let mut all = Vec::new();
    Mesh::open(bytes).unwrap().regions(0, &mut |region| all.push(region)).unwrap();
    all
}

/// Returns the byte range of a region.
pub fn range(region: &Region) -> std::ops::Range<usize> {
    usize::try_from(region.start).unwrap()..usize::try_from(region.end).unwrap()
}

/// Returns every region of a valid animation file.
pub fn animation_regions(bytes: &[u8]) -> Vec<Region> {
    let mut all = Vec::new();
    Animation::open(bytes).unwrap().regions(0, &mut |region| all.push(region)).unwrap();
    all
}

/// Returns the byte range of the region named `name`.
pub fn region(bytes: &[u8], name: &str) -> std::ops::Range<usize> {
    let found = regions(bytes).into_iter().find(|region| region.field.to_string() == name);
    range(&found.unwrap_or_else(|| panic!("no region {name}")))
}

/// Replaces the bytes of one named field.
///
/// If the lengths differ, the rest of the file moves.
pub fn spoil(bytes: &[u8], name: &str, replacement: &[u8]) -> Vec<u8> {
    spoil_all(bytes, &[(name, replacement)])
}

/// Replaces the bytes of several named fields.
///
/// All names refer to the file before the replacements.
pub fn spoil_all(bytes: &[u8], replacements: &[(&str, &[u8])]) -> Vec<u8> {
    let mut places: Vec<_> =
        replacements.iter().map(|(name, replacement)| (region(bytes, name), *replacement)).collect();
    places.sort_by_key(|(range, _)| range.start);
    let mut spoilt = Vec::new();
    let mut at = 0;
    for (range, replacement) in places {
        spoilt.extend(&bytes[at..range.start]);
        spoilt.extend(replacement);
        at = range.end;
    }
    spoilt.extend(&bytes[at..]);
    spoilt
}

/// Overwrites bytes of a named field, from the offset `into` on.
pub fn poke(bytes: &[u8], name: &str, into: usize, replacement: &[u8]) -> Vec<u8> {
    let start = region(bytes, name).start + into;
    let mut spoilt = bytes.to_vec();
    spoilt[start..start + replacement.len()].copy_from_slice(replacement);
    spoilt
}

/// Returns the findings of `validate`, which must be able to read the file to its end.
pub fn findings(bytes: &[u8]) -> Vec<Finding> {
    let mut found = Vec::new();
    Mesh::open(bytes).unwrap().validate(&mut |finding| found.push(finding)).unwrap();
    found
}

/// Returns the findings above [`Severity::Info`].
pub fn faults(bytes: &[u8]) -> Vec<Finding> {
    findings(bytes).into_iter().filter(|finding| finding.severity > Severity::Info).collect()
}

/// Opens a file and walks its structure.
///
/// Returns the error that a caller who reads everything gets.
pub fn open_and_check(bytes: &[u8]) -> Result<(), Error> {
    Mesh::open(bytes)?.check()
}
