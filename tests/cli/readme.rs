//! Tests that the commands of the README print the output shown there.

use std::fs;
use std::path::Path;

use crate::support::skip;
use crate::{code, command, text, without_pages};

const README: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/README.md");
const BEGIN: &str = "```console\n$ meshpeek ";
const END: &str = "```\n";

/// The picture at the top of the README, and the command that draws it.
const SHEET: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/.github/sheet.png");
const SHEET_COMMAND: &str = "view data/ezmesh/flag.ezm data/secondlife/arm.llmesh data/secondlife/ramp.llmesh \
    data/secondlife/rock.llmesh data/unigine/room_ms11.mesh data/unigine/room_ms14.mesh data/unigine/tree_ms12.mesh \
    data/unigine/wave_an12.anim --columns 8 --size 150 -o sheet.png";

/// Makes a folder with a copy of `data`, in which the commands of the README write their files.
fn folder_with_data() -> tempfile::TempDir {
    fn copy(from: &Path, to: &Path) {
        fs::create_dir(to).unwrap();
        for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
            let place = to.join(entry.file_name());
            if entry.path().is_dir() {
                copy(&entry.path(), &place);
            } else {
                fs::copy(entry.path(), place).unwrap();
            }
        }
    }
    let folder = tempfile::tempdir().unwrap();
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("data"), &folder.path().join("data"));
    folder
}

/// Runs each command of the tour.
///
/// `MESHPEEK_BLESS=1` writes the outputs into the README.
#[test]
fn the_tour_prints_what_the_readme_shows() {
    let readme = fs::read_to_string(README).unwrap();
    let (mut written, mut rest, mut verbs) = (String::new(), readme.as_str(), Vec::new());
    let folder = folder_with_data();
    while let Some((before, block)) = rest.split_once(BEGIN) {
        let (line, shown) = block.split_once('\n').unwrap();
        // A command without an output ends the block.
        let (_, after) =
            if let Some(after) = shown.strip_prefix(END) { ("", after) } else { shown.split_once(END).unwrap() };
        let output = command(&line.split(' ').collect::<Vec<_>>()).current_dir(folder.path()).output().unwrap();
        assert_eq!(code(&output), 0, "{line}: {}", text(&output.stderr));
        written.extend([before, BEGIN, line, "\n", &text(&output.stdout), END]);
        verbs.push(line.split(' ').next().unwrap());
        rest = after;
    }
    written += rest;
    if std::env::var_os("MESHPEEK_BLESS").is_some() {
        fs::write(README, &written).unwrap();
    }
    assert_eq!(verbs, ["info", "ls", "view", "convert", "validate", "query"]);
    assert_eq!(without_pages(&written), without_pages(&fs::read_to_string(README).unwrap()));
}

/// The same command draws the same bytes on every machine. `MESHPEEK_BLESS=1` draws the picture
/// again.
#[test]
fn the_picture_of_the_readme_is_current() {
    if !Path::new(SHEET).parent().is_some_and(Path::exists) {
        skip("a packaged crate has no picture");
        return;
    }
    let folder = folder_with_data();
    let output =
        command(&SHEET_COMMAND.split_whitespace().collect::<Vec<_>>()).current_dir(folder.path()).output().unwrap();
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    let drawn = fs::read(folder.path().join("sheet.png")).unwrap();
    if std::env::var_os("MESHPEEK_BLESS").is_some() {
        fs::write(SHEET, &drawn).unwrap();
    }
    assert!(fs::read(SHEET).unwrap() == drawn, "the picture is not current: MESHPEEK_BLESS=1 draws it again");
    assert!(drawn.len() < 64 << 10, "{} bytes", drawn.len());
}

#[test]
fn the_readme_is_short() {
    let readme = fs::read_to_string(README).unwrap();
    assert!(readme.lines().count() <= 200, "{} lines", readme.lines().count());
    let words = readme.split_whitespace().count();
    assert!(words <= 1200, "{words} words");
}
