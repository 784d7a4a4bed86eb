//! Finds shadow proxies by the names of surfaces.
//!
//! A name is divided into words where letters end, and where upper case starts, as in `LeafShadow`.
//! A word that starts with `shadow` or ends with it names a shadow proxy, such as `leafshadow`,
//! `shadowcaster` or `castshadow`. After a word that ends with it, some words may follow without a
//! separator, as in `leafshadowproxy`. Words that only contain the letters are no proxies, such as
//! `overshadowed` and `eyeshadow`.

/// The words that may follow `shadow` at the end of a longer word.
const PROXY_WORDS: [&[u8]; 14] = [
    b"s", b"proxy", b"caster", b"casting", b"cast", b"mesh", b"only", b"low", b"high", b"lod", b"mat", b"geo", b"hull",
    b"plane",
];

/// The letters before `shadow` in words that do not name a shadow.
const OTHER_STARTS: [&[u8]; 6] = [b"eye", b"fore", b"over", b"no", b"non", b"un"];

/// The letters after `shadow` in words that do not name a shadow.
const OTHER_ENDS: [&[u8]; 9] = [b"ed", b"er", b"ers", b"ing", b"y", b"less", b"free", b"off", b"like"];

/// The words before and after `shadow` that state that a surface casts none.
const DENIED_BEFORE: [&[u8]; 3] = [b"no", b"non", b"without"];
const DENIED_AFTER: [&[u8]; 3] = [b"less", b"free", b"off"];

const SHADOW: &[u8] = b"shadow";

/// Returns whether a surface with a name is a shadow proxy, if the mesh has other surfaces.
pub(super) fn is_shadow(name: &[u8]) -> bool {
    let mut words = Words { rest: name }.peekable();
    let mut before = None;
    while let Some(word) = words.next() {
        if word.is_shadow(before.as_ref(), words.peek()) {
            return true;
        }
        before = Some(word);
    }
    false
}

/// A word of a name.
struct Word<'n> {
    letters: &'n [u8],
    /// The bytes between the word before and this one.
    gap: &'n [u8],
}

impl Word<'_> {
    fn is_shadow(&self, before: Option<&Word<'_>>, after: Option<&Word<'_>>) -> bool {
        if let Some(rest) = strip(self.letters, SHADOW) {
            return !is_one_of(rest, &OTHER_ENDS)
                && !before.is_some_and(|before| self.is_denied_by(before))
                && !after.is_some_and(|after| after.is_beside() && is_one_of(after.letters, &DENIED_AFTER));
        }
        let mut letters = self.letters;
        while let Some(rest) = PROXY_WORDS.iter().find_map(|word| strip_end(letters, word)) {
            letters = rest;
        }
        strip_end(letters, SHADOW).is_some_and(|start| !is_one_of(start, &OTHER_STARTS))
    }

    /// Returns whether the word before it states that there is no shadow, or makes another word of
    /// it, as in `EyeShadow`.
    fn is_denied_by(&self, before: &Word<'_>) -> bool {
        is_one_of(before.letters, &DENIED_BEFORE) && self.is_beside()
            || is_one_of(before.letters, &OTHER_STARTS) && self.gap.is_empty()
    }

    /// Returns whether at most separators are between the word before and this one.
    fn is_beside(&self) -> bool {
        !self.gap.iter().any(u8::is_ascii_digit)
    }
}

/// The words of a name, in order.
struct Words<'n> {
    rest: &'n [u8],
}

impl<'n> Iterator for Words<'n> {
    type Item = Word<'n>;

    fn next(&mut self) -> Option<Word<'n>> {
        let start = self.rest.iter().position(|byte| is_letter(*byte))?;
        let (gap, rest) = self.rest.split_at_checked(start)?;
        let is_end = |at: usize| {
            let [last, first, second] = [at.checked_sub(1), Some(at), at.checked_add(1)].map(|at| rest.get(at?));
            let is_lower = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_lowercase);
            !first.is_some_and(|byte| is_letter(*byte))
                || first.is_some_and(u8::is_ascii_uppercase) && (is_lower(last) || is_lower(second))
        };
        let end = (1..rest.len()).find(|at| is_end(*at)).unwrap_or(rest.len());
        let (letters, rest) = rest.split_at_checked(end)?;
        self.rest = rest;
        Some(Word { letters, gap })
    }
}

fn is_one_of(letters: &[u8], words: &[&[u8]]) -> bool {
    words.iter().any(|word| letters.eq_ignore_ascii_case(word))
}

/// Returns the text after a word at its start, whose letters may be upper-case.
pub(super) fn strip<'t>(text: &'t [u8], word: &[u8]) -> Option<&'t [u8]> {
    let (start, rest) = text.split_at_checked(word.len())?;
    start.eq_ignore_ascii_case(word).then_some(rest)
}

/// Returns the text before a word at its end, whose letters may be upper-case.
fn strip_end<'t>(text: &'t [u8], word: &[u8]) -> Option<&'t [u8]> {
    let (rest, end) = text.split_at_checked(text.len().checked_sub(word.len())?)?;
    end.eq_ignore_ascii_case(word).then_some(rest)
}

/// Returns whether a byte is a letter. All bytes of letters that are not ASCII are.
pub(super) const fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || !byte.is_ascii()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_word_shadow() {
        for name in [
            "leaves_shadow",
            "tree_shadow_mesh_base",
            "LeavesShadow",
            "LEAVES_SHADOW",
            "LEAVESSHADOW",
            "leaves_lod_1_shadow",
            "leaves_lod1shadow",
            "leaves_shadowlod_1",
            "leavesshadowlod1",
            "leaves_shadowcaster",
            "leaves_shadow_caster",
            "leavesshadowcasters",
            "leavesShadowProxy01",
            "leavesshadowonlymesh",
            "leavesshadowhighmat",
            "shadowbox",
            "leaves_castshadow",
            "leaves_CastShadow",
            "leaves_shadowcast",
            "leaves_shadowlow",
            "leaves.dropshadow",
            "shadow_lod_0",
            "Shadow Caster",
            "shadow_02",
            "shadowleaves",
            "SHADOWLeaves",
            "leavesshadow2",
            "shadows",
            "листshadow",
            "ЛИСТSHADOW",
            "no_leaf_shadow",
            "casino_shadow",
            "no2_shadow",
            "overshadowed_shadow",
        ] {
            assert!(is_shadow(name.as_bytes()), "{name}");
        }
        for name in [
            "eyeshadow",
            "EyeShadow",
            "foreshadow_01",
            "overshadowed",
            "shadowed",
            "shadowy",
            "shadowlike_lod0",
            "treeshadowbox",
            "shadowless",
            "leaf_shadow_less",
            "leafShadowOff",
            "glass_no_shadow",
            "glass no-shadow",
            "GlassNoShadow",
            "noshadows",
            "without shadow",
            "treeshadowbark",
            "sha_dow",
            "shado",
            "",
        ] {
            assert!(!is_shadow(name.as_bytes()), "{name}");
        }
    }
}
