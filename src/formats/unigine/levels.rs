//! Levels of detail and shadow proxies. The file stores neither: the names of the surfaces state
//! them.
//!
//! | part of a name | meaning |
//! |---|---|
//! | `lod`, at most one `_` or space, and a number | the number of a level of detail |
//! | the [word `shadow`](super::shadow_names) | a shadow proxy: a simple surface that only casts the shadow of others |
//!
//! Upper and lower case are equal. Surfaces whose names are equal without the level are a *chain*,
//! such as `leaves_lod_0_mat` and `leaves_lod_1_mat`. If only a number follows the level, as in
//! `sleeper_LOD0_07`, it counts the pieces of one part, and these are one chain, too. A mesh has
//! levels of detail if a chain has surfaces with different numbers. The numbers of such chains are
//! the levels of the mesh.
//!
//! A level shows of each chain the surfaces with the greatest number that is not greater than the
//! number of the level. A chain that starts at a later level shows its first surfaces before it. A
//! surface outside of all chains is in every level. A surface with the name of a chain and without
//! a number is in no level if the chain has a surface with the number 0.
//!
//! A *lone* chain has one number. If it is greater than those of the levels, it is a further level,
//! which shows the lone chain instead of all others, such as `tree_billboard_lod2` after
//! `tree_leaf_lod0` and `tree_leaf_lod1`. Otherwise, the lone chain takes the place of the chains
//! whose names start with its own and whose numbers are less, such as `pad_LOD1` after
//! `pad_left_LOD0`. If there are none, it is in every level but the further ones.
//!
//! A shadow proxy is in no level. If all surfaces of a mesh are shadow proxies, the word has no
//! meaning.

// Rule: this file sorts and maps by copies only.

use std::io::Write as _;
use std::ops::Range;

use super::reader::mesh_reader::MeshReader;
use super::shadow_names::{is_letter, is_shadow, strip};
use crate::error::{Result, no_such};
use crate::parse::{Name, filled, room};

/// The greatest number of levels of a mesh. Real meshes have at most 12. More numbers than this do
/// not count levels.
const MAX_LEVELS: usize = 64;

/// A level of detail of a mesh.
#[derive(Clone, Copy, Debug)]
struct LevelLabel {
    number: u32,
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
        Self { number, length: text.len().saturating_sub(free), text }
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

    /// Returns the number of a level, or `None` if the mesh has no levels of detail.
    pub(crate) fn number(&self, level: usize) -> Option<u32> {
        self.labels.get(level).map(|label| label.number)
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
            has_marks = has_marks || is_shadow(name) || level_of(name).is_some();
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
        if members.iter().all(|member| member.is_shadow) {
            for member in &mut members {
                member.is_shadow = false;
            }
        }
        members.sort_unstable_by(|one, other| one.order(keys).cmp(&other.order(keys)));
        let visible = members.partition_point(|member| !member.is_shadow);
        let (visible, shadows) = members.split_at_mut(visible);
        for chain in visible.chunk_by_mut(|one, other| one.key(keys) == other.key(keys)) {
            number_base(chain);
        }
        let chains = || visible.chunk_by(|one, other| one.key(keys) == other.key(keys)).map(SurfaceChain::new);
        let mut numbers = room(format, "levels", count)?;
        for chain in chains().filter(SurfaceChain::has_several) {
            numbers.extend(chain.numbered.iter().filter_map(|member| member.number));
        }
        numbers.sort_unstable();
        numbers.dedup();
        let common = numbers.len();
        if let Some(last) = numbers.last().copied() {
            let lone = chains().filter(|chain| !chain.has_several()).filter_map(|chain| chain.last());
            numbers.extend(lone.filter(|number| *number > last));
        }
        numbers.sort_unstable();
        numbers.dedup();
        if numbers.len() > MAX_LEVELS {
            numbers.clear();
        }
        let mut surfaces = filled(format, "levels", count, 0..numbers.len().max(1))?;
        if !numbers.is_empty() {
            let mut places = LevelPlaces { levels: &numbers, common, surfaces: &mut surfaces };
            places.place_all(chains(), room(format, "levels", chains().count())?, keys);
        }
        for shadow in shadows {
            set_range(&mut surfaces, shadow.surface, 0..0);
        }
        Ok(Self { labels: numbers.into_iter().map(LevelLabel::new).collect(), surfaces: surfaces.into() })
    }
}

/// The parts of the name of a surface.
struct Member {
    surface: usize,
    /// The name in a form in which the names of a chain are equal, as a range of bytes.
    key: Range<usize>,
    number: Option<u32>,
    is_shadow: bool,
}

impl Member {
    fn new(surface: usize, name: &[u8], keys: &mut Vec<u8>) -> Self {
        let start = keys.len();
        let number = push_key(keys, name);
        Self { surface, key: start..keys.len(), number, is_shadow: is_shadow(name) }
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
    if by_number(chain).1.first().is_some_and(|first| first.number > Some(0)) {
        for member in chain {
            member.number = member.number.or(Some(0));
        }
    }
}

/// Returns the members of a chain that have no numbers, and those that have.
fn by_number(chain: &[Member]) -> (&[Member], &[Member]) {
    chain.split_at(chain.partition_point(|member| member.number.is_none()))
}

/// The surfaces of a chain, sorted by their numbers.
#[derive(Clone, Copy)]
struct SurfaceChain<'m> {
    plain: &'m [Member],
    numbered: &'m [Member],
}

impl<'m> SurfaceChain<'m> {
    fn new(members: &'m [Member]) -> Self {
        let (plain, numbered) = by_number(members);
        Self { plain, numbered }
    }

    fn key<'k>(&self, keys: &'k [u8]) -> &'k [u8] {
        self.plain.first().or(self.numbered.first()).map(|member| member.key(keys)).unwrap_or_default()
    }

    /// Returns the greatest number.
    fn last(&self) -> Option<u32> {
        self.numbered.last().and_then(|member| member.number)
    }

    /// Returns whether the chain has numbers, and all are less than those of another chain.
    fn is_before(&self, other: &Self) -> bool {
        self.last().is_some() && self.last() < other.last()
    }

    /// Returns whether the chain has different numbers.
    fn has_several(&self) -> bool {
        self.numbered.first().and_then(|member| member.number) != self.last()
    }
}

/// Places chains in levels.
struct LevelPlaces<'l> {
    levels: &'l [u32],
    /// The number of levels before the further ones.
    common: usize,
    surfaces: &'l mut [Range<usize>],
}

impl LevelPlaces<'_> {
    /// Places chains that are sorted by their keys. `general` has room for them.
    fn place_all<'m>(
        &mut self,
        chains: impl Iterator<Item = SurfaceChain<'m>>,
        mut general: Vec<(SurfaceChain<'m>, bool)>,
        keys: &[u8],
    ) {
        for chain in chains {
            // The lone chains whose keys are the starts of this one are before it.
            while general.pop_if(|(shorter, _)| !chain.key(keys).starts_with(shorter.key(keys))).is_some() {}
            let later = general.last_mut().filter(|(shorter, _)| chain.is_before(shorter));
            let end = later.and_then(|(shorter, is_placed)| {
                if !std::mem::replace(is_placed, true) {
                    self.place_from(shorter);
                }
                shorter.last()
            });
            self.place(&chain, end);
            if self.is_within(&chain) {
                general.push((chain, false));
            }
        }
    }

    /// Returns the index of the first level that has at least a number.
    fn level(&self, number: Option<u32>) -> usize {
        self.levels.partition_point(|level| Some(*level) < number)
    }

    /// Returns whether a chain is lone, but no further level.
    fn is_within(&self, chain: &SurfaceChain<'_>) -> bool {
        !chain.has_several() && chain.last().is_some() && self.level(chain.last()) < self.common
    }

    /// Places a chain before the level with the number `end`, or in all levels but the further
    /// ones.
    fn place(&mut self, chain: &SurfaceChain<'_>, end: Option<u32>) {
        if chain.has_several() {
            self.set(chain.plain, 0..0);
        }
        let start = self.level(chain.last());
        if !chain.has_several() && start >= self.common {
            self.set(chain.numbered, start..start.saturating_add(1));
            return;
        }
        let end = end.map_or(self.common, |end| self.level(Some(end)));
        let mut groups = chain.numbered.chunk_by(|one, other| one.number == other.number).peekable();
        let mut start = 0;
        while let Some(group) = groups.next() {
            let next = groups.peek().and_then(|next| next.first());
            let next = next.map_or(end, |next| self.level(next.number));
            self.set(group, start..next);
            start = next;
        }
    }

    /// Places a lone chain in the levels from its own number on.
    fn place_from(&mut self, chain: &SurfaceChain<'_>) {
        for member in chain.numbered {
            if let Some(levels) = self.surfaces.get_mut(member.surface) {
                levels.start = self.levels.partition_point(|level| Some(*level) < member.number);
            }
        }
    }

    fn set(&mut self, members: &[Member], levels: Range<usize>) {
        for member in members {
            set_range(self.surfaces, member.surface, levels.clone());
        }
    }
}

fn set_range(surfaces: &mut [Range<usize>], surface: usize, levels: Range<usize>) {
    if let Some(entry) = surfaces.get_mut(surface) {
        *entry = levels;
    }
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
    pub(crate) fn named_level(self, surface: usize) -> Result<Option<u32>> {
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

    /// Returns the key of a name, and the number of its level.
    fn member(name: &str) -> (String, Option<u32>) {
        let mut keys = Vec::new();
        let member = Member::new(0, name.as_bytes(), &mut keys);
        (String::from_utf8(keys).unwrap(), member.number)
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
            assert_eq!(member(name), (key.to_owned(), number), "{name}");
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
            // A surface without a number is the most detailed one of its chain, if it has no other.
            (&["box_lod2", "box", "box_lod1"], &["lod 0", "lod 1", "lod 2"], &[2..3, 0..1, 1..2]),
            (&["box_lod0", "box", "box_lod1"], &["lod 0", "lod 1"], &[0..1, 0..0, 1..2]),
            (&["box_LOD0_01", "BOX", "box_LOD0_02", "box_LOD1_"], &["lod 0", "lod 1"], &[0..1, 0..0, 0..1, 1..2]),
            (&["box_lod0", "box"], &none, &[0..1, 0..1]),
            // Chains with gaps, with a later start, and with one later level only.
            (
                &["a_lod0", "a_lod1", "a_lod2", "b_lod0", "b_lod2", "c_lod1", "c_lod2", "d_lod1", "e"],
                &["lod 0", "lod 1", "lod 2"],
                &[0..1, 1..2, 2..3, 0..2, 2..3, 0..2, 2..3, 0..3, 0..3],
            ),
            (&["wing_lod0", "wing_lod2", "wheel_lod1"], &["lod 0", "lod 2"], &[0..1, 1..2, 0..2]),
            (&["wing_lod0", "wing_lod1", "wheel_lod0"], &["lod 0", "lod 1"], &[0..1, 1..2, 0..2]),
            // Lone surfaces after all levels are further levels.
            (
                &["a_LOD0_01", "a_LOD0_02", "a_LOD1_", "b_LOD9_", "c_lod0", "d"],
                &["lod 0", "lod 1", "lod 9"],
                &[0..1, 0..1, 1..2, 2..3, 0..2, 0..3],
            ),
            (
                &["far_LOD 5", "hut_lod1_wall", "hut_lod2_wall", "hut_lod3_all", "card_LOD5_1", "card_LOD5_2"],
                &["lod 1", "lod 2", "lod 3", "lod 5"],
                &[3..4, 0..1, 1..2, 2..3, 3..4, 3..4],
            ),
            (&["a_lod0", "b_lod1"], &none, &[0..1, 0..1]),
            // A lone surface takes the place of those whose names start with its own.
            (
                &["rail_LOD0", "rail_LOD1", "PadLeft_LOD0_1", "PadLeft_LOD0_2", "PadRight_LOD0", "Pad_LOD1_"],
                &["lod 0", "lod 1"],
                &[0..1, 1..2, 0..1, 0..1, 0..1, 1..2],
            ),
            (
                &["pad_lod1", "pad_left_lod0", "pad_left_lod1", "pad_top"],
                &["lod 0", "lod 1"],
                &[0..2, 0..1, 1..2, 0..2],
            ),
            // A shadow is a proxy of the mesh if it has other surfaces.
            (&["shadow_body", "shadow_head"], &none, &[0..1, 0..1]),
            (&["shadow_lod0", "shadow_lod1"], &["lod 0", "lod 1"], &[0..1, 1..2]),
            (&["floor", "lamp_shadow"], &none, &[0..1, 0..0]),
            (&["bark", "needles", "pine_CastShadow"], &none, &[0..1, 0..1, 0..0]),
            (
                &["pine_lod0", "pine_lod1", "pineshadow_lod0", "pineshadowlod1"],
                &["lod 0", "lod 1"],
                &[0..1, 1..2, 0..0, 0..0],
            ),
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
