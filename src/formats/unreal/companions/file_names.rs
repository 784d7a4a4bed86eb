//! Names of files: which part of a pair they are, and which mesh of a script they belong to.

use std::path::Path;

use super::root;

use super::pair_file::PairFile;

/// Tells which part of a pair a file is by its name, and its stem: what both files have in common.
pub(super) fn part(name: &[u8]) -> Option<(PairFile, &[u8])> {
    if let Some(stem) = strip(name, b".uc") {
        return Some((PairFile::Script, stem));
    }
    let stem = strip(name, b".3d")?;
    let suffix = |suffix, part| Some((part, strip(stem, suffix)?));
    let prefix = |prefix: &[u8], part| {
        let (start, rest) = stem.split_at_checked(prefix.len())?;
        start.eq_ignore_ascii_case(prefix).then_some((part, rest))
    };
    suffix(b"_d", PairFile::Data)
        .or_else(|| suffix(b"_a", PairFile::Aniv))
        .or_else(|| prefix(b"data", PairFile::Data))
        .or_else(|| prefix(b"aniv", PairFile::Aniv))
}

/// Returns the name of the other file of a pair: in the same case of letters, and with the old names by number, too.
pub(super) fn partner(name: &[u8]) -> Option<Vec<u8>> {
    let (part, stem) = part(name)?;
    let (old, letter) = if part == PairFile::Data { (b"aniv", b'a') } else { (b"data", b'd') };
    // The letter before the extension; the old names have none.
    let place = stem.len().saturating_add(1);
    if name.len() != place.saturating_add(4) {
        return Some([&old[..], name.get(4..)?].concat());
    }
    let mut partner = name.to_vec();
    let found = partner.get_mut(place)?;
    *found = if found.is_ascii_uppercase() { letter.to_ascii_uppercase() } else { letter };
    Some(partner)
}

/// Removes an ending, in any case of letters.
pub(super) fn strip<'n>(name: &'n [u8], ending: &[u8]) -> Option<&'n [u8]> {
    let (start, end) = name.split_at_checked(name.len().checked_sub(ending.len())?)?;
    end.eq_ignore_ascii_case(ending).then_some(start)
}

/// Returns the last part of a path in a script.
pub(super) fn last(path: &[u8]) -> &[u8] {
    path.rsplit(|byte| matches!(byte, b'\\' | b'/')).next().unwrap_or_default()
}

/// Tells whether `name` is the whole of a stem, or its end behind `_`, `-`, `.` or a blank.
pub(super) fn ends_in(stem: &[u8], name: &[u8]) -> bool {
    let is_end = |stem: &[u8]| match strip(stem, name) {
        _ if name.is_empty() => false,
        Some(before) => before.last().is_none_or(|last| matches!(last, b'_' | b'-' | b'.' | b' ')),
        None => false,
    };
    is_end(stem) || is_end(without_version(stem))
}

/// Removes an ending of a dot and eight hexadecimal digits, as an older version of a file has it.
fn without_version(stem: &[u8]) -> &[u8] {
    match stem.split_at_checked(stem.len().saturating_sub(9)) {
        Some((start, [b'.', digits @ ..])) if digits.len() == 8 && digits.iter().all(u8::is_ascii_hexdigit) => start,
        _ => stem,
    }
}

/// Tells whether a name can be a file's on every system: no path, no device, nothing that systems change.
pub(crate) fn is_file_name(name: &[u8]) -> bool {
    !matches!(name, b"" | b"." | b"..") && root::parts(name).is_some_and(|parts| parts.len() == 1)
}

/// Returns the bytes of a file's name.
pub(super) fn name_of(path: &Path) -> &[u8] {
    path.file_name().map(std::ffi::OsStr::as_encoded_bytes).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_parts_and_partners() {
        for (name, expected, stem, other) in [
            ("cat_d.3d", PairFile::Data, "cat", "cat_a.3d"),
            ("Cat_A.3D", PairFile::Aniv, "Cat", "Cat_D.3D"),
            ("data07.3d", PairFile::Data, "07", "aniv07.3d"),
            ("aniv07.3d", PairFile::Aniv, "07", "data07.3d"),
            ("DATA.3d", PairFile::Data, "", "aniv.3d"),
            ("database_d.3d", PairFile::Data, "database", "database_a.3d"),
            ("_d.3d", PairFile::Data, "", "_a.3d"),
        ] {
            assert_eq!(part(name.as_bytes()), Some((expected, stem.as_bytes())), "{name}");
            assert_eq!(partner(name.as_bytes()).as_deref(), Some(other.as_bytes()), "{name}");
        }
        assert_eq!(part(b"Cat.UC"), Some((PairFile::Script, &b"Cat"[..])));
        assert_eq!((part(b"cat.3d"), part(b"cat"), part(b"")), (None, None, None));
    }

    #[test]
    fn matches_the_end_of_a_stem() {
        let ends = |stem: &str, name: &str| ends_in(stem.as_bytes(), name.as_bytes());
        assert!(ends("Owner-repo__F360", "f360") && ends("cat", "CAT") && ends("a__Cat.66dba020", "cat"));
        assert!(ends("my cat", "cat") && ends("x.66dba020", "66dba020") && ends("a_b_c", "b_c"));
        assert!(!ends("bobcat", "cat") && !ends("cat", "") && !ends("cat.6dba020", "cat") && !ends("at", "cat"));
    }
}
