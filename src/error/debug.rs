//! Short `Debug` output.
//!
//! The `Debug` output of a type that holds the bytes of a file, or a list whose length depends on a
//! file, contains the length of each list and none of its items. The output has at most some
//! hundred bytes for every file, and no byte of the file is read except names.

use std::fmt;

use super::shown::Shown;

/// The maximum number of bytes of a name in `Debug` output, without the quotes.
const MAX_TEXT_BYTES: usize = 48;

/// A list in `Debug` output: the type of its items and their number, such as `[f32; 3] x 8823`.
#[derive(Clone, Copy)]
pub(crate) struct Items {
    item: &'static str,
    count: usize,
}

/// Returns the `Debug` output of the list `list`, which contains no item.
pub(crate) fn items<T>(list: &[T]) -> Items {
    item_count::<T>(list.len())
}

/// Returns the `Debug` output of a list of `count` items of the type `T`.
pub(crate) fn item_count<T: ?Sized>(count: usize) -> Items {
    Items { item: std::any::type_name::<T>(), count }
}

impl fmt::Debug for Items {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_part_of_path = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == ':';
        for part in self.item.split_inclusive(|letter| !is_part_of_path(letter)) {
            out.write_str(part.rsplit("::").next().unwrap_or(part))?;
        }
        write!(out, " x {}", self.count)
    }
}

/// A name in `Debug` output: quoted, and cut after 48 bytes.
pub(crate) struct ShortText<'a>(&'a [u8]);

/// Returns the `Debug` output of a name.
pub(crate) fn text<T: AsRef<[u8]> + ?Sized>(name: &T) -> ShortText<'_> {
    ShortText(name.as_ref())
}

impl fmt::Debug for ShortText<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A character has up to 4 bytes. One that is cut at the end of `head` is never printed.
        let head = self.0.get(..MAX_TEXT_BYTES.saturating_add(4)).unwrap_or(self.0);
        let shown = Shown(head).to_string();
        let mut ends = shown.char_indices().map(|(at, letter)| at.saturating_add(letter.len_utf8()));
        let end = ends.rfind(|end| *end <= MAX_TEXT_BYTES).unwrap_or_default();
        let rest = if end < shown.len() || head.len() < self.0.len() { "…" } else { "" };
        write!(out, "\"{}{rest}\"", shown.get(..end).unwrap_or_default())
    }
}

/// Implements a short `Debug` for a type: its name, and the given values with their names, or one
/// value on the same line.
macro_rules! short_debug {
    ($([$($generic:tt)+])? $type:ident $(<$($argument:tt),+>)?: |$this:ident| ($value:expr)) => {
        impl $(<$($generic)+>)? std::fmt::Debug for $type $(<$($argument),+>)? {
            fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let $this = self;
                write!(out, "{}({:?})", stringify!($type), $value)
            }
        }
    };
    ($([$($generic:tt)+])? $type:ident $(<$($argument:tt),+>)?: |$this:ident| { $($field:ident: $value:expr),+ $(,)? }) => {
        impl $(<$($generic)+>)? std::fmt::Debug for $type $(<$($argument),+>)? {
            fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let $this = self;
                out.debug_struct(stringify!($type))$(.field(stringify!($field), &$value))+.finish()
            }
        }
    };
}
pub(crate) use short_debug;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Transform;

    #[test]
    fn prints_the_length_of_a_list() {
        for (shown, expected) in [
            (items(&[[0.0_f32; 3]; 7]), "[f32; 3] x 7"),
            (item_count::<Vec<Option<Transform>>>(8823), "Vec<Option<Transform>> x 8823"),
            (item_count::<(u8, &str)>(0), "(u8, &str) x 0"),
        ] {
            assert_eq!((format!("{shown:?}"), format!("{shown:#?}")), (expected.to_owned(), expected.to_owned()));
        }
    }

    #[test]
    fn cuts_long_names() {
        let long = |part: &str| part.repeat(100);
        for (name, expected) in [
            (String::from("wheel"), String::from("\"wheel\"")),
            ("x".repeat(48), format!("\"{}\"", "x".repeat(48))),
            ("x".repeat(49), format!("\"{}…\"", "x".repeat(48))),
            (long("\u{10348}"), format!("\"{}…\"", "\u{10348}".repeat(12))),
            (format!("x{}", long("\u{10348}")), format!("\"x{}…\"", "\u{10348}".repeat(11))),
            (long("\n"), format!("\"{}\\u{{…\"", "\\u{a}".repeat(9))),
        ] {
            assert_eq!(format!("{:?}", text(&name)), expected);
        }
        assert!(format!("{:?}", text(&[0xff; 5000])).len() < 80);
    }
}
