//! Creates lines of figures, records of lines, and tables of records, for the scripts in the parent
//! folder.

mod host;
mod lines;
mod readme;
mod record;
mod table;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use record::Record;

/// Whether every figure meets its bar, or the error that prevented the operation.
type Outcome = Result<bool, Box<dyn std::error::Error>>;

const USAGE: &str = "figures lines RIVAL VERSION FORMAT MESH NOTE QUESTION... < ROUNDS
figures name
figures record NAME LINES [BENCH CLAIMS]
figures table LINES
figures readme [--check] [RECORD]";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match run(&arguments) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("figures: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &[&str]) -> Outcome {
    match arguments {
        ["lines", competitor, version, format, mesh, note, questions @ ..] => {
            let rounds = lines::Rounds::read(std::io::stdin())?;
            for question in questions {
                let figure = rounds.figure(question, [competitor, version, format, mesh, note])?;
                println!("{}", serde_json::to_string(&figure)?);
            }
            Ok(true)
        }
        ["name"] => {
            println!("{}", record::name());
            Ok(true)
        }
        ["record", name, lines, more @ ..] => {
            let claims = more.get(1).map_or(Ok(String::new()), std::fs::read_to_string)?;
            let record = Record::new(name, &std::fs::read_to_string(lines)?, more.first().map(Path::new), &claims)?;
            println!("{}", table::text(&record));
            println!("recorded in {}", record.write(name)?.display());
            Ok(record.holds())
        }
        ["table", lines] => {
            let record = Record::new("", &std::fs::read_to_string(lines)?, None, "")?;
            println!("{}", table::text(&record));
            Ok(record.holds())
        }
        ["readme", "--check", record @ ..] => readme::check(record.first().map(PathBuf::from)),
        ["readme", record @ ..] => readme::write(record.first().map(PathBuf::from)),
        _ => Err(USAGE.into()),
    }
}
