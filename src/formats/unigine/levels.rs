//! Levels of detail and shadow proxies. The file stores neither: the names of the surfaces state
//! them.
//!
//! | part of a name | meaning |
//! |---|---|
//! | `lod`, at most one `_` or space, and a number | the number of a level of detail |
//! | the word `shadow` | a shadow proxy: a simple surface that only casts the shadow of others |
//!
//! Upper and lower case are equal. Surfaces whose names are equal without the level are a *chain*,
//! such as `leaves_lod_0_mat` and `leaves_lod_1_mat`. If only a number follows the level, as in
//! `sleeper_LOD0_07`, it counts the pieces of one part, and these are one chain, too. A mesh has
//! levels of detail if a chain has surfaces with different numbers. The numbers of such chains are
//! the levels of the mesh.
//!
//! A level shows of each chain the surfaces with the greatest number that is not greater than the
//! number of the level. A chain that starts at a later level shows its first surfaces before it, if
//! it has several numbers itself. A surface outside of all chains is in every level.
//!
//! A shadow proxy is in no level. A surface with `shadow` in its name is a proxy if the name of
//! another surface starts with the words before `shadow`, or after it if there are none before.

// Rule: this file sorts and maps by copies only.

use std::io::Write as _;
use std::ops::Range;

use super::reader::mesh_reader::MeshReader;
use crate::error::Result;
use crate::model::contents::no_such;
use crate::parse::{Name, filled, room};

/// The greatest number of levels of a mesh. Real meshes have at most 12. More numbers than this do
/// not count levels.
const MAX_LEVELS: usize = 64;

/// The words that may follow `shadow` in the name of a shadow proxy.
const PROXY_WORDS: [&[u8]; 4] = [b"s", b"proxy", b"caster", b"mesh"];

/// A level of detail of a mesh.
#[derive(Clone, Copy, Debug)]
struct LevelLabel {
    /// The word `lod`, a space, and the number.
    text: [u8; 14],
    length: usize,
}

impl LevelLabel {
    fn new(number: u32) -> Self {
        let mut text = *b"lod           ";
        let mut rest = text.get_mut(4..).unwrap_or_default();
        // Ten digits are enough for every number: writing cannot fail.
        let _ = write!(rest, "{number}");
        let free = rest.len();
        Self { length: text.len().saturating_sub(free), text }
    }
}

/// The levels of detail of a mesh, and the surfaces of each.
#[derive(Debug, Default)]
pub(crate) struct LevelTable {
    /// The levels, the most detailed first. Empty if the mesh has no levels of detail.
    labels: Box<[LevelLabel]>,
    /// The indices of the levels that each surface is in. Empty if every surface is in all levels.
    surfaces: Box<[Range<usize>]>,
}

impl LevelTable {
    /// Returns the number of levels of detail: at least one.
    pub(crate) fn len(&self) -> usize {
        self.labels.len().max(1)
    }

    /// Returns the name of a level, such as `lod 1`, or `None` if the mesh has no levels of detail.
    pub(crate) fn name(&self, level: usize) -> Option<Name<'_>> {
        let label = self.labels.get(level)?;
        Some(Name::new(label.text.get(..label.length)?))
    }

    /// Returns whether a surface is in a level.
    pub(crate) fn shows(&self, level: usize, surface: usize) -> bool {
        self.surfaces.get(surface).is_none_or(|levels| levels.contains(&level))
    }

    /// Reads the names of all surfaces. Most meshes have no levels, for which nothing is allocated.
    pub(crate) fn new(reader: MeshReader<'_>) -> Result<Self> {
        let (format, count) = (reader.format(), reader.surface_count());
        let name = |surface| reader.surface_header(surface).map(|head| head.name.as_bytes());
        let (mut has_marks, mut bytes) = (false, 0_usize);
        for surface in 0..count {
            let name = name(surface)?;
            has_marks = has_marks || shadow_word(name).is_some() || level_of(name).is_some();
            bytes = bytes.saturating_add(name.len());
        }
        if !has_marks {
            return Ok(Self::default());
        }
        let mut keys = room(format, "level_names", bytes)?;
        let mut members = room(format, "levels", count)?;
        for surface in 0..count {
            members.push(Member::new(surface, name(surface)?, &mut keys));
        }
        Self::of(format, members, &keys)
    }

    /// Finds the levels of surfaces whose keys are in `keys`.
    fn of(format: &'static str, mut members: Vec<Member>, keys: &[u8]) -> Result<Self> {
        let count = members.len();
        members.sort_unstable_by(|one, other| one.order(keys).cmp(&other.order(keys)));
        let visible = members.partition_point(|member| !member.is_shadow);
        let (visible, shadows) = members.split_at_mut(visible);
        let mut numbers = room(format, "levels", count)?;
        for chain in visible.chunk_by_mut(|one, other| one.key(keys) == other.key(keys)) {
            number_base(chain);
            if let [first, .., last] = numbered(chain)
                && first.number != last.number
            {
                numbers.extend(chain.iter().filter_map(|member| member.number));
            }
        }
        numbers.sort_unstable();
        numbers.dedup();
        if numbers.len() > MAX_LEVELS {
            numbers.clear();
        }
        let mut surfaces = filled(format, "levels", count, 0..numbers.len().max(1))?;
        for chain in visible.chunk_by(|one, other| one.key(keys) == other.key(keys)) {
            place_chain(numbered(chain), &numbers, &mut surfaces);
        }
        for shadow in shadows.iter().filter(|shadow| has_part(visible, shadow.key(keys), keys)) {
            set_range(&mut surfaces, shadow.surface, 0..0);
        }
        Ok(Self { labels: numbers.into_iter().map(LevelLabel::new).collect(), surfaces: surfaces.into() })
    }
}

/// The parts of the name of a surface.
struct Member {
    surface: usize,
    /// The name in a form in which the names of a chain are equal, as a range of bytes. Of a
    /// shadow, the words that name what casts it.
    key: Range<usize>,
    number: Option<u32>,
    is_shadow: bool,
}

impl Member {
    fn new(surface: usize, name: &[u8], keys: &mut Vec<u8>) -> Self {
        let start = keys.len();
        let shadow = shadow_word(name);
        let number = match &shadow {
            None => push_key(keys, name),
            Some(word) => {
                push_key(keys, name.get(..word.start).unwrap_or_default());
                if keys.len() == start {
                    push_key(keys, name.get(word.end..).unwrap_or_default());
                }
                if keys.get(start..).unwrap_or_default().iter().all(|byte| matches!(byte, b'0'..=b'9' | b'_')) {
                    keys.truncate(start);
                }
                None
            }
        };
        Self { surface, key: start..keys.len(), number, is_shadow: shadow.is_some() }
    }

    fn key<'k>(&self, keys: &'k [u8]) -> &'k [u8] {
        keys.get(self.key.clone()).unwrap_or_default()
    }

    /// Returns what members are sorted by: a surface without a number comes before the others.
    fn order<'k>(&self, keys: &'k [u8]) -> (bool, &'k [u8], Option<u32>) {
        (self.is_shadow, self.key(keys), self.number)
    }
}

/// Numbers the surfaces of a chain that have no number, such as `tree` beside `tree_lod_1`, with 0
/// if no other surface has this number.
fn number_base(chain: &mut [Member]) {
    if numbered(chain).first().is_some_and(|first| first.number > Some(0)) {
        for member in chain {
            member.number = member.number.or(Some(0));
        }
    }
}

/// Returns the members of a chain that have numbers.
fn numbered(chain: &[Member]) -> &[Member] {
    let start = chain.partition_point(|member| member.number.is_none());
    chain.get(start..).unwrap_or_default()
}

/// Sets the levels of the surfaces of one chain, which are sorted by their numbers.
fn place_chain(chain: &[Member], levels: &[u32], surfaces: &mut [Range<usize>]) {
    if levels.is_empty() {
        return;
    }
    let level = |number: Option<u32>| levels.partition_point(|level| Some(*level) < number);
    let has_several = chain.first().map(|first| first.number) != chain.last().map(|last| last.number);
    let mut groups = chain.chunk_by(|one, other| one.number == other.number).peekable();
    let mut is_first = has_several;
    while let Some(group) = groups.next() {
        let number = group.first().and_then(|member| member.number);
        let start = level(number).min(levels.len().saturating_sub(1));
        let start = if std::mem::take(&mut is_first) { 0 } else { start };
        let next = groups.peek().and_then(|next| next.first());
        let end = next.map_or(levels.len(), |next| level(next.number));
        for member in group {
            set_range(surfaces, member.surface, start..end);
        }
    }
}

fn set_range(surfaces: &mut [Range<usize>], surface: usize, levels: Range<usize>) {
    if let Some(entry) = surfaces.get_mut(surface) {
        *entry = levels;
    }
}

/// Returns whether the key of a surface starts with the words `key`. The members are sorted by
/// their keys.
fn has_part(members: &[Member], key: &[u8], keys: &[u8]) -> bool {
    let next = |after: &dyn Fn(&[u8]) -> bool| {
        members.get(members.partition_point(|member| after(member.key(keys)))).map(|member| member.key(keys))
    };
    let is_longer = |other: &[u8]| other.strip_prefix(key).is_some_and(|rest| rest.starts_with(b"_"));
    key.is_empty() && !members.is_empty()
        || next(&|other| other < key) == Some(key)
        // The keys that continue with `_` follow one another.
        || next(&|other| other.iter().lt(key.iter().chain(b"_"))).is_some_and(is_longer)
}

/// Adds the key of a name to `keys`: its words in lower case, without levels, and with `_` between
/// them. Returns the number of the first level in the name.
fn push_key(keys: &mut Vec<u8>, name: &[u8]) -> Option<u32> {
    let start = keys.len();
    let (mut rest, mut number, mut tail) = (name, None, None);
    let separate = |keys: &mut Vec<u8>| {
        if keys.len() > start && keys.last() != Some(&b'_') {
            keys.push(b'_');
        }
    };
    while let Some((first, after)) = rest.split_first() {
        if let Some((level, after)) = level_at(rest) {
            number = number.or(Some(level));
            separate(keys);
            (rest, tail) = (after, Some(keys.len()));
            continue;
        }
        if is_letter(*first) || first.is_ascii_digit() {
            keys.push(first.to_ascii_lowercase());
        } else {
            separate(keys);
        }
        rest = after;
    }
    // A number alone after the level counts pieces.
    let is_piece =
        |tail: &usize| keys.get(*tail..).unwrap_or_default().iter().all(|byte| matches!(byte, b'0'..=b'9' | b'_'));
    if let Some(tail) = tail.filter(is_piece) {
        keys.truncate(tail);
    }
    if keys.len() > start && keys.last() == Some(&b'_') {
        keys.pop();
    }
    number
}

/// Returns the number of the first level in a name.
fn level_of(name: &[u8]) -> Option<u32> {
    (0..name.len()).find_map(|at| level_at(name.get(at..)?)).map(|(number, _)| number)
}

/// Returns the number of a level at the start of a text, and the text after it.
fn level_at(text: &[u8]) -> Option<(u32, &[u8])> {
    let rest = strip(text, b"lod")?;
    let rest = match rest {
        [b'_' | b' ', rest @ ..] => rest,
        _ => rest,
    };
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, rest) = rest.split_at_checked(digits).filter(|(digits, _)| !digits.is_empty())?;
    let add = |sum: u32, digit: &u8| sum.saturating_mul(10).saturating_add(digit.saturating_sub(b'0').into());
    Some((digits.iter().fold(0, add), rest))
}

/// Returns where the word `shadow` is in a name, with a word such as `proxy` after it. `no_shadow`
/// is the opposite.
fn shadow_word(name: &[u8]) -> Option<Range<usize>> {
    let starts = |at: usize| {
        let [before, first, second] = [at.checked_sub(1), Some(at), at.checked_add(1)].map(|at| name.get(at?));
        let is_lower = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_lowercase);
        !before.is_some_and(|byte| is_letter(*byte))
            || first.is_some_and(u8::is_ascii_uppercase) && (is_lower(before) || is_lower(second))
    };
    let is_denied = |at: usize| {
        let before = name.get(..at).unwrap_or_default();
        let before = before.strip_suffix(b"_").or(before.strip_suffix(b" ")).unwrap_or(before);
        let no = before.len().checked_sub(2).filter(|no| starts(*no));
        no.and_then(|no| before.get(no..)).is_some_and(|word| word.eq_ignore_ascii_case(b"no"))
    };
    (0..name.len()).find_map(|at| {
        let rest = strip(name.get(at..)?, b"shadow").filter(|_| starts(at) && !is_denied(at))?;
        let joined = |rest| PROXY_WORDS.iter().find_map(|word| strip(rest, word)).filter(|rest| ends(rest));
        let rest = joined(rest).or(Some(rest).filter(|rest| ends(rest)))?;
        let separated = match rest {
            [b'_' | b' ' | b'-', rest @ ..] => joined(rest),
            _ => None,
        };
        Some(at..name.len().saturating_sub(separated.unwrap_or(rest).len()))
    })
}

/// Returns whether a word ends before a text.
fn ends(text: &[u8]) -> bool {
    text.first().is_none_or(|byte| !is_letter(*byte) || byte.is_ascii_uppercase())
}

/// Returns the text after a word at its start, whose letters may be upper-case.
fn strip<'t>(text: &'t [u8], word: &[u8]) -> Option<&'t [u8]> {
    let (start, rest) = text.split_at_checked(word.len())?;
    start.eq_ignore_ascii_case(word).then_some(rest)
}

/// Returns whether a byte is a letter. All bytes of letters that are not ASCII are.
const fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || !byte.is_ascii()
}

/// The levels of detail of a mesh, which are found once.
impl<'a> MeshReader<'a> {
    /// Returns the levels of detail of the mesh. The first call reads the names of all surfaces.
    pub(crate) fn levels(self) -> Result<&'a LevelTable> {
        if let Some(levels) = self.state.levels.get() {
            return Ok(levels);
        }
        let levels = LevelTable::new(self)?;
        Ok(self.state.levels.get_or_init(|| levels))
    }

    /// Returns the number of a level of detail in the name of a surface.
    #[cfg(feature = "cli")]
    pub(crate) fn level_number(self, surface: usize) -> Result<Option<u32>> {
        Ok(level_of(self.surface_header(surface)?.name.as_bytes()))
    }

    /// Returns an error if the mesh has no level with an index.
    pub(crate) fn expect_level(self, level: usize) -> Result<()> {
        let count = self.levels()?.len();
        if level < count { Ok(()) } else { Err(no_such(self.format(), "level", count, level)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the key of a name, the number of its level, and whether it is a shadow.
    fn member(name: &str) -> (String, Option<u32>, bool) {
        let mut keys = Vec::new();
        let member = Member::new(0, name.as_bytes(), &mut keys);
        (String::from_utf8(keys).unwrap(), member.number, member.is_shadow)
    }

    #[test]
    fn finds_levels_anywhere_in_a_name() {
        for (name, key, number) in [
            ("tree_lod_0", "tree", Some(0)),
            ("tree_LOD 12 leaf", "tree_leaf", Some(12)),
            ("spruce_01_3_lod_1_spruce_mat", "spruce_01_3_spruce_mat", Some(1)),
            ("treeLod2Leaf", "tree_leaf", Some(2)),
            ("Sleeper_LOD0_07", "sleeper", Some(0)),
            ("Sleeper_LOD1_", "sleeper", Some(1)),
            ("trunk.lod0.001", "trunk", Some(0)),
            ("bark_lod_1_bark_lod_0", "bark_bark", Some(1)),
            ("lod_3", "", Some(3)),
            ("glod1", "g", Some(1)),
            ("lod99999999999", "", Some(u32::MAX)),
            ("лист_lod_0", "лист", Some(0)),
            ("lod", "lod", None),
            ("lod__1", "lod_1", None),
            ("LODgroup 1", "lodgroup_1", None),
            ("loading1", "loading1", None),
            ("Explode3", "explode3", None),
            ("explode_1", "explode_1", None),
            ("melody1", "melody1", None),
            ("", "", None),
        ] {
            assert_eq!(member(name), (key.to_owned(), number, false), "{name}");
        }
    }

    #[test]
    fn finds_the_word_shadow() {
        for (name, key) in [
            ("leaves_shadow", "leaves"),
            ("tree_shadow_mesh_base", "tree"),
            ("LeavesShadow", "leaves"),
            ("LEAVES_SHADOW", "leaves"),
            ("leaves_lod_1_shadow", "leaves"),
            ("leaves_shadowcaster", "leaves"),
            ("leavesShadowProxy01", "leaves"),
            ("shadow_lod_0", ""),
            ("Shadow Caster", ""),
            ("shadow_02", ""),
            ("shadow_leaves", "leaves"),
            ("shadow_plane", "plane"),
        ] {
            assert_eq!(member(name), (key.to_owned(), None, true), "{name}");
        }
        for name in ["eyeshadow", "shadowed", "shadowless", "glass_no_shadow", "GlassNoShadow", "shado"] {
            assert!(!member(name).2, "{name}");
        }
    }

    /// Returns the levels of surfaces with the given names, as the ranges of their indices.
    fn levels(names: &[&str]) -> (Vec<String>, Vec<Range<usize>>) {
        let mut keys = Vec::new();
        let members = names.iter().enumerate().map(|(at, name)| Member::new(at, name.as_bytes(), &mut keys)).collect();
        let table = LevelTable::of("unigine", members, &keys).unwrap();
        let all = (0..).map_while(|level| table.name(level).map(|name| name.to_string()));
        (all.collect(), table.surfaces.to_vec())
    }

    #[test]
    fn a_level_shows_one_surface_of_each_chain() {
        let none: [&str; 0] = [];
        for (names, labels, ranges) in [
            (
                &["a_lod_0", "b_lod_0", "b_lod_1", "b_shadow"][..],
                &["lod 0", "lod 1"][..],
                &[0..2, 0..1, 1..2, 0..0][..],
            ),
            (&["body_lod1", "head_lod1"], &none, &[0..1, 0..1]),
            // A surface without a number is the most detailed one of its chain.
            (&["box_lod2", "box", "box_lod1"], &["lod 0", "lod 1", "lod 2"], &[2..3, 0..1, 1..2]),
            (&["box_lod0", "box", "box_lod1"], &["lod 0", "lod 1"], &[0..1, 0..2, 1..2]),
            // Chains with gaps, with a later start, and with one later level only.
            (
                &["a_lod0", "a_lod1", "a_lod2", "b_lod0", "b_lod2", "c_lod1", "c_lod2", "d_lod1", "e"],
                &["lod 0", "lod 1", "lod 2"],
                &[0..1, 1..2, 2..3, 0..2, 2..3, 0..2, 2..3, 1..3, 0..3],
            ),
            (&["a_LOD0_01", "a_LOD0_02", "a_LOD1_", "b_LOD9_"], &["lod 0", "lod 1"], &[0..1, 0..1, 1..2, 1..2]),
            // A shadow of nothing is no proxy.
            (&["shadow_body", "shadow_head"], &none, &[0..1, 0..1]),
            (&["floor", "lamp_shadow"], &none, &[0..1, 0..1]),
            (&["tree_trunk", "treetop", "tree_shadow", "tree2_shadow"], &none, &[0..1, 0..1, 0..0, 0..1]),
            (&["body", "shadow"], &none, &[0..1, 0..0]),
        ] {
            let (found, places) = levels(names);
            assert_eq!((found, &places[..]), (labels.iter().map(ToString::to_string).collect(), ranges), "{names:?}");
        }
        let names: Vec<String> = (0..100).map(|number| format!("a_lod_{number}")).collect();
        let (found, places) = levels(&names.iter().map(String::as_str).collect::<Vec<_>>());
        assert!(found.is_empty() && places.iter().all(|levels| *levels == (0..1)), "too many levels are none");
    }
}
