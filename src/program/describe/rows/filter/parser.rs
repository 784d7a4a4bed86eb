//! Parses conditions: divides their text into tokens, and parses the tokens.

use clap::ValueEnum as _;

use super::{Condition, Operand, Relation, pattern};
use crate::program::args::value_name;
use crate::program::describe::rows::column::{ColumnType, TableColumn};

/// The maximum number of nested parentheses and negations.
const MAX_DEPTH: usize = 64;

impl Condition {
    /// Parses a condition. The columns are those of a table of surfaces if `surfaces` is true, and
    /// those of both tables if it is `None`.
    pub fn parse(text: &str, surfaces: Option<bool>) -> Result<Self, String> {
        let tokens = tokens(text)?;
        let mut parser = Parser { tokens: &tokens, end: text.len(), surfaces, depth: 0 };
        let condition = parser.any()?;
        match parser.tokens.first() {
            None => Ok(condition),
            Some((at, _)) => Err(format!("expected && or || at character {at}")),
        }
    }
}

struct Parser<'t> {
    tokens: &'t [(usize, Token)],
    /// The length of the text.
    end: usize,
    surfaces: Option<bool>,
    depth: usize,
}

impl Parser<'_> {
    fn next(&mut self) -> Option<Token> {
        let ((_, token), rest) = self.tokens.split_first()?;
        self.tokens = rest;
        Some(token.clone())
    }

    fn accept(&mut self, expected: &Token) -> bool {
        let is_there = self.tokens.first().is_some_and(|(_, token)| token == expected);
        if is_there {
            self.next();
        }
        is_there
    }

    /// Returns the offset of the next token.
    fn at(&self) -> usize {
        self.tokens.first().map_or(self.end, |(at, _)| *at)
    }

    fn any(&mut self) -> Result<Condition, String> {
        let mut list = vec![self.all()?];
        while self.accept(&Token::Or) {
            list.push(self.all()?);
        }
        Ok(if list.len() == 1 { list.remove(0) } else { Condition::Any(list) })
    }

    fn all(&mut self) -> Result<Condition, String> {
        let mut list = vec![self.unary()?];
        while self.accept(&Token::And) {
            list.push(self.unary()?);
        }
        Ok(if list.len() == 1 { list.remove(0) } else { Condition::All(list) })
    }

    fn unary(&mut self) -> Result<Condition, String> {
        self.depth = self.depth.saturating_add(1);
        if self.depth > MAX_DEPTH {
            return Err(format!("expected at most {MAX_DEPTH} nested conditions"));
        }
        let condition = if self.accept(&Token::Not) {
            Condition::Not(Box::new(self.unary()?))
        } else if self.accept(&Token::Open) {
            let inner = self.any()?;
            if !self.accept(&Token::Close) {
                return Err(format!("expected ) at character {}", self.at()));
            }
            inner
        } else {
            self.comparison()?
        };
        self.depth = self.depth.saturating_sub(1);
        Ok(condition)
    }

    fn comparison(&mut self) -> Result<Condition, String> {
        let column = self.column()?;
        match self.tokens.first().map(|(_, token)| token.clone()) {
            Some(Token::Compare(comparison)) => {
                self.next();
                self.compare(column, comparison)
            }
            Some(Token::Match(is_negated)) => {
                self.next();
                let at = self.at();
                let Some(Token::Value(Operand::Text(text))) = self.next() else {
                    return Err(format!("expected a pattern in quotes after ~ at character {at}"));
                };
                if !matches!(column.kind(), ColumnType::Text | ColumnType::List | ColumnType::Level) {
                    return Err(format!("{} is not text; compare it with ==, < or >", value_name(&column)));
                }
                let condition = Condition::Matches(column, Box::new(pattern(&text)?));
                Ok(if is_negated { Condition::Not(Box::new(condition)) } else { condition })
            }
            _ => Ok(Condition::Holds(column)),
        }
    }

    fn column(&mut self) -> Result<TableColumn, String> {
        let at = self.at();
        match self.next() {
            Some(Token::Word(name)) => find(&name, self.surfaces),
            _ => Err(format!("expected the name of a column at character {at}")),
        }
    }

    fn compare(&mut self, column: TableColumn, comparison: Relation) -> Result<Condition, String> {
        let at = self.at();
        let Some(Token::Value(operand)) = self.next() else {
            return Err(format!("expected a number, true, false, null or text in quotes at character {at}"));
        };
        let expected = match column.kind() {
            ColumnType::Number | ColumnType::Bytes => "a number",
            ColumnType::Text | ColumnType::List => "text in quotes",
            ColumnType::Flag => "true or false",
            ColumnType::Level => "a number or text in quotes",
        };
        let fits = match operand {
            Operand::Null => true,
            Operand::Number(_) => expected.starts_with("a number"),
            Operand::Text(_) => expected.ends_with("text in quotes"),
            Operand::Flag(_) => expected == "true or false",
        };
        if fits {
            Ok(Condition::Compare(column, comparison, operand))
        } else {
            Err(format!("{} is compared with {expected}, at character {at}", value_name(&column)))
        }
    }
}

/// A token of a condition.
#[derive(Clone, Debug, PartialEq)]
enum Token {
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
fn tokens(text: &str) -> Result<Vec<(usize, Token)>, String> {
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

/// Returns the column with a name, in the table of surfaces, in that of meshes, or in any table.
pub fn find(name: &str, surfaces: Option<bool>) -> Result<TableColumn, String> {
    match (TableColumn::from_str(name, true), surfaces) {
        (Ok(column), None) => Ok(column),
        (Ok(column), Some(surfaces)) if column.is_in(surfaces) => Ok(column),
        (Ok(_), Some(true)) => Err(format!("{name} is a column of meshes; leave out --surfaces")),
        (Ok(_), Some(false)) => Err(format!("{name} is a column of surfaces; add --surfaces")),
        (Err(_), _) => {
            let names: Vec<String> =
                TableColumn::all(surfaces.unwrap_or_default()).map(|column| value_name(&column)).collect();
            Err(format!("expected a column, found {name}; the columns are {}", names.join(", ")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::describe::rows::column::Cell;
    use crate::program::describe::rows::row::{RowValues, TableRow};

    fn row() -> TableRow {
        let cells = vec![
            (TableColumn::Format, Cell::Text("unigine".to_owned())),
            (TableColumn::Bytes, Cell::Number(0)),
            (TableColumn::Triangles, Cell::Number(70_000)),
            (TableColumn::Bones, Cell::Number(2)),
            (TableColumn::Rigged, Cell::Flag(true)),
            (TableColumn::Materials, Cell::List(vec!["Wood".to_owned(), "steel".to_owned()])),
        ];
        let values = RowValues { cells, is_damaged: false };
        TableRow { path: "a/box.mesh".into(), mesh: None, values: Ok(values), duplicate_of: None, picture: Vec::new() }
    }

    #[test]
    fn decides_as_people_expect() {
        for (text, expected) in [
            ("triangles > 65535 && rigged", true),
            ("triangles>65535&&rigged", true),
            ("triangles > 70k", false),
            ("triangles >= 70k and not (bones == 3)", true),
            ("format == 'unreal' || format = \"unigine\"", true),
            ("materials ~ 'wo*'", true),
            ("materials == 'steel' && materials != 'tin'", true),
            ("path ~ '*.MESH'", true),
            ("path !~ 'a/*'", false),
            ("gpu_vertices == null", true),
            ("gpu_vertices > 0 || gpu_vertices <= 0", false),
            ("rigged == true && !clips", true),
            ("size < 1.5MiB", true),
            ("triangles > -1 && triangles < 1e5 && bones >= 2e0 && bones < 25e-1", true),
            ("bones == 2 || bones == 3 && triangles < 3", true),
        ] {
            let condition = Condition::parse(text, Some(false)).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(condition.holds(&row()), expected, "{text}");
        }
    }

    #[test]
    fn says_what_is_wrong_and_where() {
        for (text, expected) in [
            ("", "expected the name of a column at character 0"),
            ("triangle > 3", "expected a column, found triangle; the columns are path, mesh"),
            ("triangles >", "expected a number, true, false, null or text in quotes at character 11"),
            ("triangles > 'a'", "triangles is compared with a number, at character 12"),
            ("triangles ~ 'a'", "triangles is not text"),
            ("format == unreal", "in quotes at character 10"),
            ("format == 'unreal", "no end of the text at character 10"),
            ("(rigged", "expected ) at character 7"),
            ("rigged clips", "expected && or || at character 7"),
            ("triangles > 3x", "found 3x"),
            ("triangles ? 3", "unexpected '?' at character 10"),
            ("uv_sets > 1", "uv_sets is a column of surfaces; add --surfaces"),
            ("path ~ '['", "unclosed character class"),
            (&"(".repeat(100), "at most 64 nested"),
            (&"!".repeat(100_000), "at most 64 nested"),
        ] {
            let error = Condition::parse(text, Some(false)).unwrap_err();
            assert!(error.contains(expected), "{text}: {error}");
        }
        assert!(
            Condition::parse("lod == 'high_lod' && bones > 1", Some(true))
                .unwrap_err()
                .contains("leave out --surfaces")
        );
    }
}
