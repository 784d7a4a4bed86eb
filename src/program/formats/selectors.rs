//! Surfaces and clips on the command line, which are chosen by their number or by their name.

use std::str::FromStr;

use crate::{Animations, Geometry, Name};

use crate::program::outcome::{UsageError, usage};

/// The number of names that an error message lists.
const MAX_LISTED: usize = 20;

/// The number or the name of a surface or a clip. Text that is a number is always a number. A name
/// in other upper and lower case letters is found if no name is equal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selector {
    text: String,
    /// The number, or `None` if the text is a name.
    pub number: Option<usize>,
}

impl FromStr for Selector {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let number = text.parse::<usize>().ok().filter(|_| is_number);
        if is_number && number.is_none() {
            return Err(format!("expected a number of at most {}", usize::MAX));
        }
        Ok(Self { text: text.to_owned(), number })
    }
}

impl Selector {
    /// Returns the number of the surface. A number is not compared with the number of surfaces.
    pub fn surface(&self, geometry: &dyn Geometry) -> anyhow::Result<usize> {
        let name = |surface| geometry.surface(surface)?.name();
        self.resolve("--surface", "surface", || geometry.surface_count(), name)
    }

    /// Returns the number of the clip. A number is not compared with the number of clips.
    pub fn clip(&self, animations: &dyn Animations) -> anyhow::Result<usize> {
        let name = |clip| Ok(animations.clip(clip)?.name);
        self.resolve("--clip", "clip", || animations.clip_count(), name)
    }

    fn resolve<'a>(
        &self,
        option: &str,
        kind: &str,
        count: impl FnOnce() -> crate::Result<usize>,
        name: impl Fn(usize) -> crate::Result<Name<'a>>,
    ) -> anyhow::Result<usize> {
        if let Some(number) = self.number {
            return Ok(number);
        }
        let (count, wanted) = (count()?, self.text.as_bytes());
        let (mut found, mut similar) = (Vec::new(), Vec::new());
        for number in 0..count {
            let name = name(number)?;
            if name.as_bytes() == wanted {
                found.push(number);
            } else if name.as_bytes().eq_ignore_ascii_case(wanted) {
                similar.push(number);
            }
        }
        if found.is_empty() {
            found = similar;
        }
        let asked = Name::new(self.text.as_bytes());
        match *found {
            [only] => Ok(only),
            [] => {
                let text = if count == 1 && name(0)?.as_bytes().is_empty() {
                    format!(
                        "{option}: no {kind} has the name {asked}; the only {kind} has no name, and its number is 0"
                    )
                } else {
                    let names = listed(0..count, |number| Ok(format!("{number} {:?}", name(number)?.to_string())))?;
                    format!("{option}: no {kind} has the name {asked}; the {kind}s are {names}")
                };
                Err(UsageError(text).into())
            }
            _ => {
                let numbers = listed(found.into_iter(), |number| Ok(number.to_string()))?;
                usage!("{option}: several {kind}s have the name {asked}; give one of the numbers {numbers}")
            }
        }
    }
}

/// Returns the first items of a list as text.
fn listed(
    items: impl ExactSizeIterator<Item = usize>,
    text: impl Fn(usize) -> crate::Result<String>,
) -> crate::Result<String> {
    let more = items.len().saturating_sub(MAX_LISTED);
    let mut all = items.take(MAX_LISTED).map(text).collect::<crate::Result<Vec<_>>>()?;
    if more > 0 {
        all.push(format!("and {more} more"));
    }
    Ok(if all.is_empty() { "none".to_owned() } else { all.join(", ") })
}

/// Returns the numbers of the surfaces that `--surface` chooses, without repetitions.
///
/// Each selector is a surface, or several surfaces with commas between them.
pub fn surfaces(selectors: &[Selector], geometry: &dyn Geometry) -> anyhow::Result<Vec<usize>> {
    let mut numbers = Vec::new();
    for selector in selectors {
        // A name may contain a comma.
        let parts = match selector.surface(geometry) {
            Err(error) if selector.text.contains(',') && error.is::<UsageError>() => {
                selector.text.split(',').map(|part| part.parse().map_err(UsageError)).collect::<Result<_, _>>()?
            }
            Ok(_) | Err(_) => vec![selector.clone()],
        };
        for part in parts {
            let number = part.surface(geometry)?;
            if !numbers.contains(&number) {
                numbers.push(number);
            }
        }
    }
    Ok(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_a_number_and_all_else_a_name() {
        let number = |text: &str| text.parse().map(|selector: Selector| selector.number);
        assert_eq!(number("7"), Ok(Some(7)));
        assert_eq!(number("007"), Ok(Some(7)));
        for name in ["", "body", "+7", "-7", "7 ", "1,2", "1e3"] {
            assert_eq!(number(name), Ok(None), "{name:?}");
        }
        assert!(number("99999999999999999999").is_err());
        assert_eq!(listed(0..0, |_| unreachable!()).unwrap(), "none");
        assert!(listed(0..22, |at| Ok(at.to_string())).unwrap().ends_with("19, and 2 more"));
    }
}
