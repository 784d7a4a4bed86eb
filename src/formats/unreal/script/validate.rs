//! Validates scripts. The module `unreal::validate` checks that the animation frames of a sequence
//! exist, because this check needs the mesh as well as the script.
//!
//! A finding with the severity warning means that a script is read differently from the intention
//! of its author. Findings about unknown meshes, duplicate commands and unknown keys have the
//! severity info, because real scripts refer to meshes of other scripts, define items twice and
//! have keys that the engine ignores. For one script, at most 1,001 findings per rule are reported.

// Rule: this file sorts and maps by copies only.

use std::fmt;

use super::command::{ArgumentKey, ArgumentKind, Command, Verb};
use super::encoding::FileOffset;
use super::file::{Commands, Script};
use super::line::{Argument, LineKind, MAX_LINE, Quote, SourceLines};
use super::number::{self, Fault};
use super::select::{ImportNames, lower};
use super::statements::{Import, Notify, Sequence, SetTexture, Statement as _};
use crate::error::Field;
use crate::formats::unreal::validate::rules::{self, RULES};
use crate::math::as_u64;
use crate::parse::{Finding, Name, Rule};
use crate::validate::Report;

/// The maximum number of animation frames of a mesh.
const MAX_FRAMES: i64 = 65_535;

/// Adds a finding to the report: `command` violates `rule`, and `text` explains the violation.
fn add(report: &mut Report<'_>, rule: Rule, command: &Command<'_>, text: impl fmt::Display) {
    report.add(rule, command.field(), command.offset(), text);
}

impl<D: AsRef<[u8]>> Script<D> {
    /// Calls `report` with a finding for every violation of a validation rule in the script. A
    /// script that is read as its author intended has no findings above
    /// [`Severity::Info`](crate::Severity::Info). `validate` reads every byte of the script.
    pub fn validate(&self, report: &mut dyn FnMut(Finding)) {
        let mut report = Report::new(RULES, report);
        check_text(self.text(), as_u64(self.as_bytes().len()), &mut report);
        for command in self.commands() {
            check_arguments(&command, &mut report);
            check_needed(&command, &mut report);
            check_frames(&command, &mut report);
        }
        check_once(self.all(), &mut report);
        check_names(self.all(), &mut report);
    }
}

/// Adds a finding to the report for each line of the script that is skipped, for an unclosed block
/// comment, and for the first NUL. The field of a finding about a skipped line is `text[i]`, the
/// region that contains the line, where `i` is the number of commands before the line. `end` is the
/// size of the file.
fn check_text((bytes, mut offset): (&[u8], FileOffset), end: u64, report: &mut Report<'_>) {
    let nul = bytes.iter().position(|byte| *byte == 0).map(|at| { offset }.of(bytes, at));
    let field = |index| Field::new("").in_list("text", index);
    let mut commands = 0;
    let mut lines = SourceLines::new(bytes);
    for line in lines.by_ref() {
        let start = offset.of(bytes, line.start);
        match line.kind {
            LineKind::Command => commands = u64::saturating_add(commands, 1),
            LineKind::Text => {}
            LineKind::Nul => {
                report.add(rules::TEXT_ENCODING, field(commands), start, "found a NUL: the command is skipped");
            }
            LineKind::TooLong => {
                let length = line.end.saturating_sub(line.start);
                let text = format_args!("expected at most {MAX_LINE} bytes, found {length}: the line is skipped");
                report.add(rules::LONG_LINE, field(commands), start, text);
            }
        }
    }
    if lines.is_in_comment() {
        let text = "found a block comment that is not closed: commands inside it are skipped";
        report.add(rules::UNCLOSED_COMMENT, field(commands), end, text);
    }
    if let Some(offset) = nul {
        report.add(rules::TEXT_ENCODING, Field::new("text"), offset, "expected text, found a NUL");
    }
}

fn check_arguments(command: &Command<'_>, report: &mut Report<'_>) {
    let keys = command.spelling().map_or(&[][..], |spelling| spelling.keys);
    let mut seen = 0_u32;
    for argument in command.arguments() {
        if argument.quote == Quote::Open {
            let text = format_args!("{}: the quote is not closed; the value extends to the line's end", argument.key);
            report.add(rules::UNCLOSED_QUOTE, command.field(), argument.offset, text);
        }
        let is = |key: &ArgumentKey| argument.key.as_bytes().eq_ignore_ascii_case(key.name.as_bytes());
        match keys.iter().position(is).filter(|_| argument.value.is_some()) {
            // The possible keys of a command with the verb `Verb::Other` are not known, so none of
            // its keys is reported as unknown.
            None if keys.is_empty() => {}
            None => {
                let text = format_args!("expected a key of {}, found {}", spelled(command), argument.key);
                report.add(rules::UNKNOWN_KEY, command.field(), argument.offset, text);
            }
            Some(key) => check_value(command, &argument, (keys.get(key), key), &mut seen, report),
        }
    }
}

/// Checks the value of a key that commands with the same verb can have. The argument `seen` is a
/// bit set of the keys that occurred before in the same command.
fn check_value(
    command: &Command<'_>,
    argument: &Argument<'_>,
    (key, number): (Option<&ArgumentKey>, usize),
    seen: &mut u32,
    report: &mut Report<'_>,
) {
    let (Some(ArgumentKey { name, kind, .. }), Some(value)) = (key, argument.value) else { return };
    let bit = u32::try_from(number).ok().and_then(|number| 1_u32.checked_shl(number)).unwrap_or_default();
    if *seen & bit != 0 {
        let text = format_args!("expected {name} once, found it again: the first is used");
        report.add(rules::DUPLICATE_KEY, command.field(), argument.offset, text);
    }
    *seen |= bit;
    let fault = match kind {
        ArgumentKind::Text => None,
        ArgumentKind::Float => number::float(value.as_bytes()).1,
        ArgumentKind::Integer => number::integer(value.as_bytes()).1,
    };
    let (rule, expected) = match fault {
        None => return,
        Some(Fault::Missing) => (rules::INVALID_NUMBER, "a number"),
        Some(Fault::TooLarge) => (rules::INVALID_NUMBER, "a number that fits its type"),
        Some(Fault::Trailing) => (rules::TEXT_AFTER_NUMBER, "nothing after the number"),
    };
    let text = format_args!("{name}: expected {expected}, found {}", shown(value));
    report.add(rule, command.field(), argument.offset, text);
}

fn check_needed(command: &Command<'_>, report: &mut Report<'_>) {
    let keys = command.spelling().map_or(&[][..], |spelling| spelling.keys);
    for key in keys.iter().filter(|key| key.needed) {
        let found = command.value(key.name);
        // For a numeric key with an empty value, `check_value` has already reported an invalid
        // number.
        if found.is_none() || (key.kind == ArgumentKind::Text && found == Some(Name::default())) {
            let text = format_args!("{} needs {}, which is missing", spelled(command), key.name);
            add(report, rules::MISSING_KEY, command, text);
        }
    }
}

fn check_frames(command: &Command<'_>, report: &mut Report<'_>) {
    if !matches!(command.verb(), Verb::MeshSequence | Verb::MeshDropFrames) {
        return;
    }
    let [start, frames] = ["STARTFRAME", "NUMFRAMES"].map(|key| command.integer(key).unwrap_or_default());
    let end = start.saturating_add(frames);
    if start < 0 || frames < 0 || end > MAX_FRAMES {
        let text = format_args!("expected frames within 0 to {MAX_FRAMES}, found {frames} from frame {start} on");
        add(report, rules::SEQUENCE_RANGE, command, text);
    }
}

/// Adds a finding to the report for each command that sets an item, such as a scale or a sequence,
/// which an earlier command has already set. `check_once` sorts the commands by the item that each
/// command sets; two commands that set the same item are then adjacent.
fn check_once(commands: Commands<'_>, report: &mut Report<'_>) {
    let mut said: Vec<_> =
        commands.iter().enumerate().filter_map(|(index, command)| Some((saying(&command)?, index))).collect();
    said.sort_unstable();
    let pairs = said.windows(2).filter_map(|pair| match pair {
        [(one, first), (other, again)] if one == other => Some((*first, *again)),
        _ => None,
    });
    for (first, again) in pairs {
        if let Some(command) = commands.get(again) {
            let text = format_args!("{} sets the same item as command {first}", spelled(&command));
            add(report, rules::DUPLICATE_COMMAND, &command, text);
        }
    }
}

/// Returns a sort key that identifies the item that a command sets: the verb of the command and the
/// names of the mesh, sequence or texture. Returns `None` for a command that may occur more than
/// once, such as `MESH NOTIFY`.
fn saying(command: &Command<'_>) -> Option<Box<[u8]>> {
    let keys: &[&str] = match command.verb() {
        Verb::MeshImport | Verb::MeshOrigin | Verb::MeshLodParams => &["MESH"],
        Verb::MeshSequence => &["MESH", "SEQ"],
        Verb::MeshMapNew | Verb::MeshMapScale => &["MESHMAP"],
        Verb::MeshMapSetTexture => &["MESHMAP", "NUM"],
        Verb::TextureImport => &["NAME"],
        Verb::MeshNotify | Verb::MeshDropFrames | Verb::Other => return None,
    };
    let mut said = spelled(command).to_string().into_bytes();
    for key in keys {
        said.push(0);
        said.extend(lower(command.value(key)?));
    }
    Some(said.into())
}

/// Adds a finding to the report for each name of a mesh, sequence or texture that a command uses
/// and that the script does not define.
fn check_names(commands: Commands<'_>, report: &mut Report<'_>) {
    let sorted = |mut names: Vec<Box<[u8]>>| {
        names.sort();
        names
    };
    let imported = commands.iter().filter_map(Import::of).map(|import| lower(import.mesh));
    let new = commands.iter().filter(|command| command.verb() == Verb::MeshMapNew);
    let maps = new.filter_map(|command| command.value("MESHMAP")).map(lower);
    let meshes = sorted(imported.chain(maps).collect());
    let sequences = commands.iter().filter_map(Sequence::of);
    let sequences = sorted(sequences.map(|sequence| of_mesh(&sequence.command, sequence.name)).collect());
    let textures = ImportNames::new(commands);
    for command in commands.iter() {
        check_mesh(&command, &meshes, report);
        check_call(&command, &sequences, report);
        check_texture(&command, &textures, report);
    }
}

/// Returns the mesh name in a command and the name of a sequence, both in lower case and separated
/// by a NUL.
fn of_mesh(command: &Command<'_>, sequence: Name<'_>) -> Box<[u8]> {
    [&lower(command.value("MESH").unwrap_or_default())[..], &[0], &lower(sequence)].concat().into()
}

fn check_mesh(command: &Command<'_>, meshes: &[Box<[u8]>], report: &mut Report<'_>) {
    let key = match command.verb() {
        Verb::MeshMapScale | Verb::MeshMapSetTexture => "MESHMAP",
        Verb::TextureImport | Verb::Other => return,
        _ => "MESH",
    };
    let Some(mesh) = command.value(key) else { return };
    if meshes.binary_search(&lower(mesh)).is_err() {
        let text = format_args!("expected a mesh that the script imports, found {}", shown(mesh));
        add(report, rules::UNKNOWN_MESH, command, text);
    }
}

fn check_call(command: &Command<'_>, sequences: &[Box<[u8]>], report: &mut Report<'_>) {
    let Some(notify) = Notify::of(*command) else { return };
    if sequences.binary_search(&of_mesh(command, notify.sequence)).is_err() {
        let text = format_args!("expected a sequence of its mesh, found {}", shown(notify.sequence));
        add(report, rules::INVALID_NOTIFY, command, text);
    }
    if !(0.0..=1.0).contains(&notify.time) {
        add(report, rules::INVALID_NOTIFY, command, format_args!("TIME: expected 0 to 1, found {}", notify.time));
    }
}

fn check_texture(command: &Command<'_>, textures: &ImportNames, report: &mut Report<'_>) {
    let Some(SetTexture { number, texture, .. }) = SetTexture::of(*command) else { return };
    if u8::try_from(number).is_err() {
        add(report, rules::TEXTURE_NUMBER, command, format_args!("NUM: expected 0 to 255, found {number}"));
    }
    if !texture.as_bytes().contains(&b'.') && textures.find(texture).is_none() {
        let text = format_args!("expected a texture that is imported, found {}", shown(texture));
        add(report, rules::UNKNOWN_TEXTURE, command, text);
    }
}

/// Returns the two words of a command in upper case, or an empty text if the verb of the command is
/// `Verb::Other`. The text is formatted when it is displayed.
const fn spelled<'c>(command: &'c Command<'c>) -> SpelledVerb<'c> {
    SpelledVerb(command)
}

/// The two words of a command in upper case.
struct SpelledVerb<'c>(&'c Command<'c>);

impl fmt::Display for SpelledVerb<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = self.0.spelling().into_iter().flat_map(|spelling| spelling.words);
        for (number, word) in words.into_iter().enumerate() {
            if number > 0 {
                out.write_str(" ")?;
            }
            out.write_str(word)?;
        }
        Ok(())
    }
}

fn shown(name: Name<'_>) -> ShownName<'_> {
    ShownName(name)
}

/// A name in double quotes, or `nothing` for an empty name.
struct ShownName<'a>(Name<'a>);

impl fmt::Display for ShownName<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.as_bytes().is_empty() { out.write_str("nothing") } else { write!(out, "\"{}\"", self.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the rules that a script violates, each with the field of the finding.
    fn breaches(text: &str) -> Vec<String> {
        let script = Script::open(text).unwrap();
        let mut found = Vec::new();
        script.validate(&mut |finding| found.push(format!("{} {}", finding.rule, finding.field)));
        found
    }

    const CAT: &str = "#exec MESH IMPORT MESH=Cat ANIVFILE=a DATAFILE=d X=0\n";

    #[test]
    fn knows_each_rule() {
        let long = format!("{CAT}{}\n", " ".repeat(MAX_LINE + 1));
        let one = |line: &str| breaches(&format!("{CAT}#exec {line}\n"));
        assert_eq!(breaches(CAT), [""; 0]);
        assert_eq!(breaches(&long), ["UR30 text[1]"]);
        assert_eq!(one("OBJ LOAD FILE=\0"), ["UR31 text[1]", "UR31 text"]);
        assert_eq!(breaches("\0\0\0#\0\0\0e"), ["UR31 text"]);
        assert_eq!(one("OBJ LOAD FILE=\"a"), ["UR32 command[1].other"]);
        assert_eq!(breaches(&format!("{CAT}/* open\n#exec MESH ORIGIN\n")), ["UR44 text[1]"]);
        assert_eq!(one("MESH ORIGIN MESH=cat X=y Y=1e99"), ["UR33 command[1].origin"; 2]);
        assert_eq!(one("MESHMAP SCALE MESHMAP=cat X=1x"), ["UR34 command[1].scale"]);
        assert_eq!(one("MESH SEQUENCE MESH=cat SEQ= NUMFRAMES=1"), ["UR35 command[1].sequence"; 2]);
        for frames in ["STARTFRAME=-1 NUMFRAMES=2", "STARTFRAME=2 NUMFRAMES=-1", "STARTFRAME=65535 NUMFRAMES=1"] {
            assert_eq!(one(&format!("MESH SEQUENCE MESH=cat SEQ=a {frames}")), ["UR36 command[1].sequence"]);
        }
        assert_eq!(one("MESHMAP SCALE MESHMAP=cat YAW=0 Roll"), ["UR37 command[1].scale"; 2]);
        assert_eq!(one("MESHMAP SCALE MESHMAP=cat X=0 x=1"), ["UR38 command[1].scale"]);
        assert_eq!(one("mesh import MESH=CAT ANIVFILE=a DATAFILE=d"), ["UR39 command[1].import"]);
        assert_eq!(one("MESHMAP SCALE MESHMAP=dog"), ["UR40 command[1].scale"]);
        assert_eq!(one("MESH NOTIFY MESH=cat SEQ=a TIME=2 FUNCTION=f"), ["UR41 command[1].notify"; 2]);
        assert_eq!(one("MESHMAP SETTEXTURE MESHMAP=cat NUM=0 TEXTURE=a"), ["UR42 command[1].set_texture"]);
        assert_eq!(one("MESHMAP SETTEXTURE MESHMAP=cat NUM=256 TEXTURE=a.b"), ["UR43 command[1].set_texture"]);
    }

    #[test]
    fn tells_at_most_a_thousand_of_a_rule() {
        let text = "#exec MESHMAP SCALE MESHMAP=dog\n".repeat(3000);
        let found = breaches(&text);
        assert_eq!(found.len(), 2 * 1001);
    }
}
