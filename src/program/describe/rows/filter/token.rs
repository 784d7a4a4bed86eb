//! Divides the text of a condition into tokens.

use super::{Operand, Relation};

/// A token of a condition.
#[derive(Clone, Debug, PartialEq)]
pub enum Token {
    /// The name of a column.
    Word(String),
    Value(Operand),
    Compare(Relation),
    /// The operator `~`, or `!~` if the flag is true.
    Match(bool),
    Not,
    And,
    Or,
    Open,
    Close,
}

/// The operators, longest first.
const OPERATORS: [(&str, Token); 15] = [
    ("&&", Token::And),
    ("||", Token::Or),
    ("==", Token::Compare(Relation::Equal)),
    ("!=", Token::Compare(Relation::Unequal)),
    ("<=", Token::Compare(Relation::LessOrEqual)),
    (">=", Token::Compare(Relation::GreaterOrEqual)),
    ("!~", Token::Match(true)),
    ("=~", Token::Match(false)),
    ("=", Token::Compare(Relation::Equal)),
    ("<", Token::Compare(Relation::Less)),
    (">", Token::Compare(Relation::Greater)),
    ("~", Token::Match(false)),
    ("!", Token::Not),
    ("(", Token::Open),
    (")", Token::Close),
];

/// The units of numbers and their factors.
const UNITS: [(&str, f64); 10] = [
    ("", 1.0),
    ("k", 1e3),
    ("kb", 1e3),
    ("m", 1e6),
    ("mb", 1e6),
    ("g", 1e9),
    ("gb", 1e9),
    ("kib", 1024.0),
    ("mib", 1_048_576.0),
    ("gib", 1_073_741_824.0),
];

/// Returns the tokens of a condition, each with its offset in the text.
pub fn tokens(text: &str) -> Result<Vec<(usize, Token)>, String> {
    let (mut found, mut rest) = (Vec::new(), text.trim_start());
    while let Some(first) = rest.chars().next() {
        let at = text.len().saturating_sub(rest.len());
        let (token, after) = match first {
            '\'' | '"' => quoted(rest, first, at)?,
            '0'..='9' | '.' | '-' => number(rest, at)?,
            _ if first.is_alphabetic() || first == '_' => word(rest),
            _ => operator(rest).ok_or_else(|| format!("unexpected {first:?} at character {at}"))?,
        };
        found.push((at, token));
        rest = after.trim_start();
    }
    Ok(found)
}

fn operator(text: &str) -> Option<(Token, &str)> {
    OPERATORS.iter().find_map(|(sign, token)| Some((token.clone(), text.strip_prefix(sign)?)))
}

fn quoted(text: &str, quote: char, at: usize) -> Result<(Token, &str), String> {
    let inner = text.strip_prefix(quote).unwrap_or_default();
    let (value, after) = inner.split_once(quote).ok_or_else(|| format!("no end of the text at character {at}"))?;
    Ok((Token::Value(Operand::Text(value.to_owned())), after))
}

fn word(text: &str) -> (Token, &str) {
    let end = text.find(|one: char| !one.is_alphanumeric() && one != '_').unwrap_or(text.len());
    let (word, after) = text.split_at_checked(end).unwrap_or((text, ""));
    let token = match word {
        "true" => Token::Value(Operand::Flag(true)),
        "false" => Token::Value(Operand::Flag(false)),
        "null" => Token::Value(Operand::Null),
        "and" => Token::And,
        "or" => Token::Or,
        "not" => Token::Not,
        word => Token::Word(word.to_owned()),
    };
    (token, after)
}

fn is_digit(one: char) -> bool {
    one.is_ascii_digit() || matches!(one, '.' | '_' | ',')
}

/// Reads a number with an optional unit, such as `65535`, `1.5`, `64k` or `10 MB` without the
/// blank.
fn number(text: &str, at: usize) -> Result<(Token, &str), String> {
    let (sign, text) = text.strip_prefix('-').map_or((1.0, text), |text| (-1.0, text));
    let mut end = text.find(|one| !is_digit(one)).unwrap_or(text.len());
    // An exponent, such as that of 1e3 or 1e-3.
    let exponent = text.get(end..).and_then(|rest| rest.strip_prefix(['e', 'E']));
    if let Some(rest) = exponent.filter(|rest| rest.trim_start_matches(['-', '+']).starts_with(is_digit)) {
        let unsigned = rest.trim_start_matches(['-', '+']);
        let length = unsigned.find(|one| !is_digit(one)).unwrap_or(unsigned.len());
        let skipped = rest.len().saturating_sub(unsigned.len()).saturating_add(1);
        end = end.saturating_add(skipped).saturating_add(length);
    }
    let (digits, after) = text.split_at_checked(end).unwrap_or((text, ""));
    let end = after.find(|one: char| !one.is_alphanumeric()).unwrap_or(after.len());
    let (unit, after) = after.split_at_checked(end).unwrap_or((after, ""));
    let factor = UNITS.iter().find(|(name, _)| name.eq_ignore_ascii_case(unit)).map(|(_, factor)| factor);
    let value = digits.replace(['_', ','], "").parse::<f64>().ok();
    match (value, factor) {
        (Some(value), Some(factor)) => Ok((Token::Value(Operand::Number(sign * value * factor)), after)),
        _ => Err(format!("expected a number such as 65535, 64k or 10MB at character {at}, found {digits}{unit}")),
    }
}
