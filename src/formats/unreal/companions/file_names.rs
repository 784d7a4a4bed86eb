//! Splits and compares file names. The files of a mesh are recognised by their names, because they
//! have no magic number. The name of a file gives the role of the file (data file, aniv
//! file or script), and helps to find the mesh in a script that the file belongs to.

use std::path::Path;

/// The role of a file in a mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PairFile {
    /// The data file, which holds the polygons: `X_d.3d`.
    Data,
    /// The aniv file, which holds the animation frames: `X_a.3d`.
    Aniv,
    /// The script: `X.uc`.
    Script,
}

/// Returns the role of a file (data file, aniv file or script) and the stem of its name. Returns
/// `None` if the name is not the name of a data file, an aniv file or a script. The files of one
/// mesh usually have the same stem.
pub(super) fn part(name: &[u8]) -> Option<(PairFile, &[u8])> {
    if let Some(stem) = strip(name, b".uc") {
        return Some((PairFile::Script, stem));
    }
    let stem = strip(name, b".3d")?;
    let suffix = |suffix, part| Some((part, strip(stem, suffix)?));
    let prefix = |prefix: &[u8], part| {
        let rest = without_prefix(stem, prefix).filter(|rest| rest.iter().all(u8::is_ascii_digit))?;
        Some((part, rest))
    };
    suffix(b"_d", PairFile::Data)
        .or_else(|| suffix(b"_a", PairFile::Aniv))
        .or_else(|| prefix(b"data", PairFile::Data))
        .or_else(|| prefix(b"aniv", PairFile::Aniv))
}

/// Returns the name of the aniv file that belongs to a data file, or the name of the data file that
/// belongs to an aniv file.
///
/// If the letter `d` or `a` before the extension is in upper case, the letter that replaces it in
/// the returned name is also in upper case. For an old numbered name, such as `data07.3d`, the
/// returned name starts with `data` or `aniv` in lower case, such as `aniv07.3d`.
pub(super) fn partner(name: &[u8]) -> Option<Vec<u8>> {
    let (part, stem) = part(name)?;
    let (old, letter) = if part == PairFile::Data { (b"aniv", b'a') } else { (b"data", b'd') };
    // The offset of the letter `d` or `a` before the extension. An old numbered name, such as
    // `data07.3d`, has digits before the extension instead of the letter `d` or `a`.
    let place = stem.len().saturating_add(1);
    if name.len() != place.saturating_add(4) {
        return Some([&old[..], name.get(4..)?].concat());
    }
    let mut partner = name.to_vec();
    let found = partner.get_mut(place)?;
    *found = if found.is_ascii_uppercase() { letter.to_ascii_uppercase() } else { letter };
    Some(partner)
}

/// The endings that the names of a data file and an aniv file have before the extension. Exporters
/// and tools write `_d` and `_a`; some older models have the others.
const ENDINGS: [(&[u8], &[u8]); 12] = [
    (b"_d", b"_a"),
    (b"-d", b"-a"),
    (b"_data", b"_aniv"),
    (b"_data", b"_anim"),
    (b"_data", b"_a"),
    (b"_d", b"_aniv"),
    (b"_d", b"_anim"),
    (b"-data", b"-aniv"),
    (b"-data", b"-anim"),
    (b"data", b"aniv"),
    (b"data", b"anim"),
    (b"d", b"a"),
];

/// Returns the names that the other file of a mesh may have, each with the role that the file
/// called `name` then has. Such a name alone does not show that the files belong together.
pub(super) fn possible_partners(name: &[u8]) -> Vec<(PairFile, Vec<u8>)> {
    let Some(stem) = strip(name, b".3d") else { return Vec::new() };
    let mut found = Vec::new();
    for (part, own, other) in [
        (PairFile::Data, &b"data"[..], &b"aniv"[..]),
        (PairFile::Data, b"data", b"anim"),
        (PairFile::Aniv, b"aniv", b"data"),
        (PairFile::Aniv, b"anim", b"data"),
    ] {
        found.extend(without_prefix(stem, own).map(|rest| (part, [other, rest, b".3d"].concat())));
    }
    for (data, aniv) in ENDINGS {
        for (part, own, other, old, new) in
            [(PairFile::Data, data, aniv, &b"data"[..], &b"aniv"[..]), (PairFile::Aniv, aniv, data, b"aniv", b"data")]
        {
            let Some(base) = strip(stem, own) else { continue };
            found.push((part, [base, other, b".3d"].concat()));
            // The pair `data54_d.3d` and `aniv54_a.3d` differs at both ends.
            found.extend(without_prefix(base, old).map(|rest| (part, [new, rest, other, b".3d"].concat())));
        }
    }
    found
}

/// Returns the endings of file names that a stem may have: a separator, a word, and the extension.
pub(super) fn endings() -> impl Iterator<Item = (PairFile, Vec<u8>)> {
    let separated = || ENDINGS.into_iter().filter(|(data, _)| !data.starts_with(b"d"));
    let data = separated().map(|(data, _)| (PairFile::Data, [data, b".3d"].concat()));
    data.chain(separated().map(|(_, aniv)| (PairFile::Aniv, [aniv, b".3d"].concat())))
}

/// Returns the stem that a data file or an aniv file has in common with its script, or the whole
/// name if it has no known ending.
pub(super) fn stem_of(name: &[u8]) -> &[u8] {
    part(name).map(|(_, stem)| stem).or_else(|| endings().find_map(|(_, ending)| strip(name, &ending))).unwrap_or(name)
}

/// Removes the ending `ending` from a file name, without regard to the case of letters. Returns
/// `None` if the file name does not end in `ending`.
pub(super) fn strip<'n>(name: &'n [u8], ending: &[u8]) -> Option<&'n [u8]> {
    let (start, end) = name.split_at_checked(name.len().checked_sub(ending.len())?)?;
    end.eq_ignore_ascii_case(ending).then_some(start)
}

/// Removes the text `prefix` from the start of a file name, without regard to the case of letters.
fn without_prefix<'n>(name: &'n [u8], prefix: &[u8]) -> Option<&'n [u8]> {
    let (start, rest) = name.split_at_checked(prefix.len())?;
    start.eq_ignore_ascii_case(prefix).then_some(rest)
}

/// Returns the file name at the end of a path in a script: the bytes after the last slash or
/// backslash.
pub(super) fn last(path: &[u8]) -> &[u8] {
    path.rsplit(|byte| matches!(byte, b'\\' | b'/')).next().unwrap_or_default()
}

/// Returns whether the stem of a file name is equal to `name`, or ends in `name` after a `_`, `-`,
/// `.` or blank. The comparison ignores the case of letters, and ignores an ending of a dot and
/// eight hexadecimal digits, which marks an older version of a file.
pub(super) fn ends_in(stem: &[u8], name: &[u8]) -> bool {
    let is_end = |stem: &[u8]| match strip(stem, name) {
        _ if name.is_empty() => false,
        Some(before) => before.last().is_none_or(|last| matches!(last, b'_' | b'-' | b'.' | b' ')),
        None => false,
    };
    is_end(stem) || is_end(without_version(stem))
}

/// Removes an ending of a dot and eight hexadecimal digits from the stem of a file name. Such an
/// ending marks an older version of a file.
fn without_version(stem: &[u8]) -> &[u8] {
    match stem.split_at_checked(stem.len().saturating_sub(9)) {
        Some((start, [b'.', digits @ ..])) if digits.len() == 8 && digits.iter().all(u8::is_ascii_hexdigit) => start,
        _ => stem,
    }
}

/// Returns whether a name is allowed as a file name on every operating system: not a path, not the
/// name of a device, and not a name that some operating systems change, such as a name that ends in
/// a dot.
#[cfg(any(feature = "cli", feature = "internals"))]
pub(crate) fn is_file_name(name: &[u8]) -> bool {
    !matches!(name, b"" | b"." | b"..") && super::root::parts(name).is_some_and(|parts| parts.len() == 1)
}

/// Returns the last component of a path, as bytes in the encoding of the operating system, or no
/// bytes if the path has no file name.
pub(super) fn name_of(path: &Path) -> &[u8] {
    path.file_name().map(std::ffi::OsStr::as_encoded_bytes).unwrap_or_default()
}

/// Returns whether a path has the name of a data file, such as `box_d.3d`. A data file contains the
/// polygons of a mesh.
#[cfg(feature = "cli")]
pub fn is_data(path: &Path) -> bool {
    let name = lower(path);
    name.ends_with("_d.3d") || legacy_half(&name, "data", "aniv").is_some()
}

/// Returns whether a path has the name of an aniv file, such as `box_a.3d`. An aniv file contains
/// the vertex frames of a mesh.
#[cfg(feature = "cli")]
pub fn is_aniv(path: &Path) -> bool {
    let name = lower(path);
    name.ends_with("_a.3d") || legacy_half(&name, "aniv", "data").is_some()
}

/// Returns the path, in lower case, of the data file that belongs to an aniv file.
#[cfg(feature = "cli")]
pub fn data_of(aniv: &Path) -> Option<String> {
    let name = lower(aniv);
    let data = name.strip_suffix("_a.3d").map(|stem| format!("{stem}_d.3d"));
    data.or_else(|| legacy_half(&name, "aniv", "data"))
}

/// For the path of one file of a mesh, such as `data07.3d`, returns the path of the other file,
/// such as `aniv07.3d`. The number in the file name, such as 07, may be any decimal number. The
/// path must be in lower case.
#[cfg(feature = "cli")]
fn legacy_half(path: &str, from: &str, to: &str) -> Option<String> {
    let name = path.rsplit(['/', '\\']).next()?;
    let number = name.strip_prefix(from)?.strip_suffix(".3d")?;
    let numbered = !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit());
    let start = path.len().saturating_sub(name.len());
    numbered.then(|| format!("{}{to}{number}.3d", path.get(..start).unwrap_or_default()))
}

/// Converts a path to lower case.
#[cfg(feature = "cli")]
pub fn lower(path: &Path) -> String {
    path.to_string_lossy().to_ascii_lowercase()
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
    fn lists_other_spellings_of_partners() {
        for (name, part, other) in [
            ("lever-data.3D", PairFile::Data, "lever-aniv.3d"),
            ("lever-ANIV.3D", PairFile::Aniv, "lever-data.3d"),
            ("Cat_Anim.3d", PairFile::Aniv, "Cat_data.3d"),
            ("cat-d.3d", PairFile::Data, "cat-a.3d"),
            ("Cat_d.3d", PairFile::Data, "Cat_aniv.3d"),
            ("Cat_ANIV.3d", PairFile::Aniv, "Cat_d.3d"),
            ("dataguard.3d", PairFile::Data, "animguard.3d"),
            ("animguard.3d", PairFile::Aniv, "dataguard.3d"),
            ("catdata.3d", PairFile::Data, "cataniv.3d"),
            ("cata.3d", PairFile::Aniv, "catd.3d"),
            ("data54_d.3d", PairFile::Data, "aniv54_a.3d"),
            ("aniv54_a.3d", PairFile::Aniv, "data54_d.3d"),
        ] {
            let found = possible_partners(name.as_bytes());
            assert!(found.contains(&(part, other.as_bytes().to_vec())), "{name}: {found:?}");
        }
        assert!(possible_partners(b"cat.3d").is_empty() && possible_partners(b"cat_d").is_empty());
        assert_eq!(stem_of(b"Lever-data.3D"), b"Lever");
        assert_eq!((stem_of(b"cat_d.3d"), stem_of(b"cat.3d")), (&b"cat"[..], &b"cat.3d"[..]));
    }

    #[test]
    fn matches_the_end_of_a_stem() {
        let ends = |stem: &str, name: &str| ends_in(stem.as_bytes(), name.as_bytes());
        assert!(ends("Owner-repo__F360", "f360") && ends("cat", "CAT") && ends("a__Cat.66dba020", "cat"));
        assert!(ends("my cat", "cat") && ends("x.66dba020", "66dba020") && ends("a_b_c", "b_c"));
        assert!(!ends("bobcat", "cat") && !ends("cat", "") && !ends("cat.6dba020", "cat") && !ends("at", "cat"));
    }
}
