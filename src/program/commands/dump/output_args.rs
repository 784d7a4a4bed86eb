//! The options that choose the output file and its format.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::super::bench::parse_size;
use crate::program::args::{STDIN, value_name};
use crate::program::formats::has_extension;
use crate::program::formats::native_output::advice;
use crate::program::input::asset::{InputAsset, at_output};
use crate::program::outcome::{UsageError, usage};
use crate::program::output::{OutputLimit, shown};

/// A format in which arrays are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ArrayFormat {
    /// One array, for NumPy
    Npy,
    /// Several arrays, for NumPy
    Npz,
    /// A table with one row for each item
    Csv,
}

impl ArrayFormat {
    /// Returns the format that the extension of a path indicates.
    fn named(path: &Path) -> Option<Self> {
        Self::value_variants().iter().copied().find(|format| has_extension(path, &value_name(format)))
    }
}

/// The options that write arrays to a file.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Arrays in a file")]
pub struct OutputArgs {
    /// Write arrays to a file .npy (one array), .npz or .csv (all by default), or to standard
    /// output if OUT is -
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// Format of the output; by default, the extension of OUT
    #[arg(long, value_enum, value_name = "FORMAT", requires = "output")]
    format: Option<ArrayFormat>,
    /// Replace an existing file
    #[arg(long, requires = "output")]
    pub force: bool,
    /// Greatest size of the output, in bytes or with the suffix K, M or G; 16 MiB and 32 times the
    /// size of FILE by default
    #[arg(long, value_parser = parse_size, value_name = "SIZE")]
    max_output: Option<u64>,
}

impl OutputArgs {
    /// Returns the format of the output, or `None` without `-o`.
    pub fn format(&self) -> Result<Option<ArrayFormat>, UsageError> {
        let Some(output) = &self.output else { return Ok(None) };
        if output == Path::new(STDIN) {
            let text = "-o -: no extension chooses the format; give --format npy, npz or csv";
            return self.format.map(Some).ok_or_else(|| UsageError(text.to_owned()));
        }
        match (ArrayFormat::named(output), self.format) {
            (Some(named), Some(format)) if named != format => {
                let (path, format) = (shown(output), value_name(&format));
                let text = "the extension is that of another format than --format";
                usage!("{path}: {text} {format}; end the path with .{format}")
            }
            (Some(named), _) => Ok(Some(named)),
            (None, format) => match (advice(output), format) {
                (None, Some(format)) => Ok(Some(format)),
                (advice, _) => {
                    let expected = format!("{}: expected an extension of npy, npz, csv", shown(output));
                    Err(UsageError(
                        advice.map_or(format!("{expected}, or --format"), |advice| format!("{expected}; {advice}")),
                    ))
                }
            },
        }
    }

    /// Returns the greatest size of an output that is made of a file.
    pub fn limit(&self, asset: &InputAsset) -> OutputLimit {
        OutputLimit::new(asset.size(), self.max_output)
    }

    /// Adds the path of the output to an error that was caused by writing it.
    pub fn locate_error(&self, error: anyhow::Error) -> anyhow::Error {
        match &self.output {
            Some(output) => at_output(error, output),
            None => error,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn format(path: &str, format: Option<ArrayFormat>) -> Result<Option<ArrayFormat>, String> {
        OutputArgs { output: Some(path.into()), format, force: false, max_output: None }
            .format()
            .map_err(|error| error.0)
    }

    #[test]
    fn the_extension_chooses_the_format() {
        assert_eq!(format("a.npy", None), Ok(Some(ArrayFormat::Npy)));
        assert_eq!(format("a.b.NPZ", None), Ok(Some(ArrayFormat::Npz)));
        assert_eq!(format("a.csv", Some(ArrayFormat::Csv)), Ok(Some(ArrayFormat::Csv)));
        assert_eq!(format("a.dat", Some(ArrayFormat::Csv)), Ok(Some(ArrayFormat::Csv)));
        assert_eq!(format("-", Some(ArrayFormat::Npz)), Ok(Some(ArrayFormat::Npz)));
        assert!(format("-", None).unwrap_err().contains("--format npy, npz or csv"));
        assert!(format("a.csv", Some(ArrayFormat::Npy)).unwrap_err().contains("end the path with .npy"));
        for (path, verb) in [("a.glb", "convert"), ("a.json", "convert"), ("a.mesh", "rewrite"), ("a_d.3d", "rewrite")]
        {
            for given in [None, Some(ArrayFormat::Csv)] {
                let error = format(path, given).unwrap_err();
                assert!(error.contains("npy, npz, csv; ") && error.contains(&format!("`meshpeek {verb}")), "{error}");
            }
        }
        let error = format("a.ezb", None).unwrap_err();
        assert!(error.contains("convert") && error.contains("rewrite"));
        for path in ["a", "a.dat", ".npy"] {
            let error = format(path, None).unwrap_err();
            assert!(error.ends_with("npy, npz, csv, or --format"), "{error}");
        }
    }
}
