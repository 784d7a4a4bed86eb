//! The commands of the scaling test and of the mutants, made from the program's own list of verbs.
//!
//! `completions fish` prints the verbs, their options and the possible values of the options.
//! [`VERBS`] has the arguments with which each verb is run, and [`UNMEASURED`] the options that no
//! command has, each with a reason. A verb, an option or a value that neither has is an error.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::{code, meshpeek, text};

/// The verbs that read no mesh.
const WITHOUT_MESH: [&str; 3] = ["completions", "man", "help"];

/// The options that no command has, and why they need none. `*` stands for every verb.
const UNMEASURED: [(&str, &str, &str); 21] = [
    ("*", "help", "prints a text of the program"),
    ("*", "version", "prints a text of the program"),
    ("*", "quiet", "prints less"),
    ("*", "color", "adds an escape sequence to a line"),
    ("*", "files-from", "is a list of files, each read as if it were named"),
    ("info", "watch", "runs until it is stopped, and each time like a run without it"),
    ("validate", "watch", "runs until it is stopped, and each time like a run without it"),
    ("validate", "rules", "reads no file"),
    ("validate", "explain", "reads no file"),
    ("bench", "size", "is the size of meshes that are generated"),
    ("bench", "format", "is the kind of meshes that are generated"),
    ("bench", "folder", "is the folder of meshes that are generated"),
    ("bench", "plot", "draws times, whose number does not depend on the mesh"),
    ("bench", "force", "replaces the picture of --plot"),
    ("*", "front=y", "is another column of the matrix of --front x"),
    ("*", "front=z", "is another column of the matrix of --front x"),
    ("*", "front=-x", "is another column of the matrix of --front x"),
    ("*", "front=-y", "is another column of the matrix of --front x"),
    ("*", "front=-z", "is another column of the matrix of --front x"),
    ("view", "protocol=sixel", "needs a feature of the program"),
    ("convert", "compress", "needs a feature of the program"),
];

/// The options of every verb, with the arguments that are added to the first command of a verb.
const OF_EVERY_VERB: [&str; 8] =
    ["--json", "--verbose", "--no-mmap", "--no-sidecar", "--strict", "--mesh m", "--uv-divisor EACH", "--jobs 2"];
/// The options whose values are columns, of which shells offer the names.
const COLUMNS: [&str; 5] = ["where", "fail-if", "deny", "columns", "sort"];

/// The arguments of each verb.
///
/// | word | replaced by |
/// |---|---|
/// | `FILE` | the input |
/// | `OTHER` | the input with one item less |
/// | `COPY` | an equal file |
/// | `FOLDER` | the folder of the input |
/// | `OUT`, `OUT.png` | a new file in another folder |
/// | `RAYS`, `POINTS` | a file of eight queries with six numbers, or with three |
/// | `EACH` | each possible value of the option before it, in a command of its own |
///
/// What is before `&&` prepares the input, and only the last command is measured.
const VERBS: [(&str, &[&str]); 16] = [
    (
        "info",
        &[
            "FILE",
            "FILE --verbose --lod all --json",
            "FILE --lod EACH",
            "FILE --fields EACH",
            "FILE --gpu --placed --json",
            "FILE --picture --protocol EACH",
            "FILE --where errors>=0&&topology!=null",
            "FOLDER --hidden --no-ignore --exclude *.none",
        ],
    ),
    (
        "ls",
        &[
            "FILE",
            "FILE --columns +content,topology,gpu_vertices,gpu_bytes,findings,clip_names,materials",
            "FILE --surfaces --columns +asset,gpu_vertices,uv_sets,weights,drawn,material",
            "FILE --surfaces --where triangles>0||material~'*' --sort -triangles,name --limit 9",
            "FOLDER --duplicates=EACH",
            "FILE --surfaces --fail-if triangles<0 --paths",
            "FOLDER --by-folder",
            "FILE --null",
            "FILE --surfaces --format EACH",
            "FILE --gpu --json",
            "FILE --picture --protocol EACH",
            "FILE --lod EACH",
            "FOLDER --hidden --no-ignore --exclude *.none",
        ],
    ),
    ("map", &["FILE", "FILE --at 50", "FILE --at 50 --json", "FILE --summary --json", "FILE --svg OUT.svg --force"]),
    (
        "validate",
        &[
            "FILE",
            "FILE --format EACH",
            "FILE --severity EACH",
            "FILE --select UG,SL,UR,EZ --ignore UG12,SL22",
            "FILE --files-with-findings --null",
            "FILE --where triangles>=0 --deny lod<0 --deny gpu_vertices<0",
            "FILE --write-baseline OUT.json --force",
            "FILE --write-baseline OUT.json --force && FILE --baseline OUT.json",
            "FOLDER --hidden --no-ignore --exclude *.none",
        ],
    ),
    (
        "dump",
        &[
            "FILE",
            "FILE --json --surface 1",
            "FILE --attribute EACH",
            "FILE --attribute positions --raw --range 1.. --target 1",
            "FILE --attribute hull --surface 1",
            "FILE --format EACH -o OUT --force",
            "FILE -o OUT.npz --force --raw --max-output 1G",
            "FILE -o OUT.csv --force --asset 0",
            "FILE --frame 0.5 --clip 0",
            "FILE --attribute normals --frame 1 --shading EACH --placed",
            "FILE --uv-listing",
            "FILE --pose 0",
            "FILE --pose 1 --model --onto FILE --json",
            "FILE --time 0.01 --rate 30 --clip 0 --onto FILE",
            "FILE --lod EACH --output OUT.npz --force",
        ],
    ),
    (
        "rewrite",
        &[
            "FILE --output OUT --allow-loss --force",
            "FILE --output OUT --allow-loss --force --blocks EACH",
            "FILE --output OUT --allow-loss --force --pair --script",
        ],
    ),
    (
        "lod",
        &[
            "FILE --lod high --output OUT --allow-loss --force",
            "FILE --lod EACH --nearest --asset 0 --output OUT --allow-loss --force",
        ],
    ),
    (
        "convert",
        &[
            "FILE --output OUT.glb --allow-loss --force",
            "FILE --to EACH --output OUT --allow-loss --force",
            "FILE --output OUT.glb --allow-loss --force --hulls",
            "FILE --output OUT.glb --allow-loss --force --quantized",
            "FILE --output OUT.gltf --allow-loss --force --hulls --quantized --lod all --split 4K",
            "FILE --output OUT.glb --allow-loss --force --hulls --lod EACH",
            "FILE --output OUT.glb --allow-loss --force --colors EACH",
            "FILE --output OUT.glb --allow-loss --force --space EACH --surface 0 --rate 24",
            "FILE --output OUT.glb --allow-loss --normals 40",
            "FILE --output OUT.glb --allow-loss --force --up EACH --rotate x:30 --scale 2",
            "FILE --output OUT.obj --allow-loss --force --front x --up z",
            "FILE --output OUT.glb --allow-loss --force --clip 0",
            "FILE --output OUT.glb --allow-loss --force --frame 0.5",
            "FILE --output OUT.obj --allow-loss --force --asset 0",
            "FILE --output OUT.glb --allow-loss --force --animation FILE",
            "FILE --output OUT.glb --allow-loss --force --max-output 1G",
            "FOLDER --output OUT/ --to json --allow-loss --force --where triangles>=0 --hidden --no-ignore --exclude *.none",
        ],
    ),
    (
        "view",
        &[
            "FILE --output OUT.png --force --size 64",
            "FILE --output OUT.png --force",
            "FILE --output OUT.png --force --size 64 --camera front --style EACH",
            "FILE --output OUT.png --force --size 64 --camera top --overlay EACH",
            "FILE --output OUT.png --size 64 --normals 40",
            "FILE --output OUT.png --size 64 --force --up EACH --rotate x:30 --scale 2",
            "FILE --output OUT.png --size 64 --force --up z --front x",
            "FILE --output OUT.gif --size 64 --force",
            "FILE --output OUT.webp --size 64 --force",
            "FILE --output OUT.png --force --size 64 --overlay wireframe,normals,skeleton,bounds,hulls --plain",
            "FILE --output OUT.png --force --size 64 --style uv --uv-set 1 --background transparent",
            "FILE --output OUT.png --force --size 64 --surface 0 --asset 0",
            "FILE --output OUT.png --force --size 64 --clip 0 --frame 0.5",
            "FILE --output OUT.png --force --size 64 --animation FILE",
            "FILE --output OUT.png --force --size 64 --lod EACH",
            "FILE --output OUT.png --force --size 64 --colors EACH",
            "FILE --output OUT.png --force --size 64 --turntable=2",
            "FILE --output OUT.png --force --size 16 --animate",
            "FILE --output OUT.png --force --size 64 --sheet --columns 2",
            "FILE --output OUT.png --thumbnail",
            "FILE --output OUT --html --force",
            "FILE --output OUT.html --force --animation FILE",
            "FILE --size 64 --protocol EACH",
            "FOLDER --output OUT.png --force --size 64 --where triangles>=0 --hidden --no-ignore --exclude *.none",
        ],
    ),
    (
        "query ray",
        &[
            "FILE --from 0.1,0.1,9 --direction 0,0,-1",
            "FILE --from 0.1,0.1,9 --direction 0,0,-1 --all --attributes --json",
            "FILE --from 0.1,0.1,9 --toward 0,0,0 --any --limit 99 --surface 0 --asset 0",
            "FILE --from 0.1,0.1,9 --direction 0,0,-1 --frame 0.5 --clip 0",
            "FILE --from 0.1,0.1,9 --direction 0,0,-1 --lod EACH",
            "FILE --from 0.1,0.1,9 --direction 0,0,-1 --placed",
            "FILE --from 0.1,0.1,9 --direction 0,0,-1 --up EACH --rotate x:30 --scale 2",
            "FILE --from 0.1,0.1,9 --direction 0,0,-1 --up z --front x",
            "FILE --batch RAYS --all",
        ],
    ),
    (
        "query nearest",
        &[
            "FILE --point 0,0,0",
            "FILE --point 0,0,0 --attributes --limit 99 --surface 0 --asset 0 --json",
            "FILE --point 0,0,0 --frame 0.5 --clip 0",
            "FILE --point 0,0,0 --lod EACH",
            "FILE --point 0,0,0 --placed",
            "FILE --point 0,0,0 --up EACH --rotate x:30 --scale 2",
            "FILE --point 0,0,0 --up z --front x",
            "FILE --batch POINTS",
        ],
    ),
    (
        "query overlap",
        &[
            "FILE --min=-1,-1,-1 --max 1,1,1",
            "FILE --frustum 1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1 --surface 0 --asset 0",
            "FILE --planes 1,0,0,1,-1,0,0,1,0,1,0,1,0,-1,0,1,0,0,1,1,0,0,-1,1 --json",
            "FILE --min=-1,-1,-1 --max 1,1,1 --frame 0.5 --clip 0",
            "FILE --min=-1,-1,-1 --max 1,1,1 --lod EACH",
            "FILE --min=-1,-1,-1 --max 1,1,1 --up EACH --rotate x:30 --scale 2",
            "FILE --min=-1,-1,-1 --max 1,1,1 --up z --front x",
            "FILE --min=-1,-1,-1 --max 1,1,1 --placed",
            "FILE --batch RAYS",
        ],
    ),
    (
        "query vertex",
        &[
            "FILE --surface 0 --vertex 0",
            "FILE --vertex 0 --frame 0.5 --clip 0 --asset 0",
            "FILE --vertex 0 --lod EACH",
            "FILE --vertex 0 --up EACH --rotate x:30 --scale 2",
            "FILE --vertex 0 --up z --front x",
            "FILE --vertex 0 --placed",
        ],
    ),
    (
        "diff",
        &[
            "FILE OTHER",
            "FILE COPY --bytes --json",
            "FILE OTHER --only EACH",
            "FILE OTHER --epsilon 0.5 --relative 0.1 --bytes",
            "FILE OTHER --brief",
            "FILE COPY --by EACH",
            "FILE OTHER --lod EACH",
            "FILE OTHER --asset 0",
            "--git m FILE 1 100644 OTHER 2 100644",
            "FOLDER FOLDER --hidden --no-ignore --exclude *.none",
        ],
    ),
    (
        "index",
        &[
            "FILE",
            "FILE --beside",
            "FILE --beside && FILE --clear",
            "FILE --beside --where triangles>=0",
            "FOLDER --beside --hidden --no-ignore --exclude *.none",
        ],
    ),
    ("bench", &["FILE --rounds 1", "FILE --stream --frames 2 --budget 16M --workers 1 --rounds 1"]),
];

/// The options of the verbs with their possible values, as the program lists them.
pub type List = BTreeMap<String, BTreeMap<String, Vec<String>>>;

/// Returns the program's list of verbs, with their options and values.
pub fn listed() -> List {
    let script = meshpeek(&["completions", "fish"]);
    assert_eq!(code(&script), 0);
    let script = text(&script.stdout);
    let mut list = List::new();
    for entry in script.split("\ncomplete -c meshpeek -n \"__fish_meshpeek_").skip(1) {
        let (condition, rest) = entry.split_once('"').unwrap();
        let Some(verb) = condition.strip_prefix("using_subcommand ") else {
            if let Some(verb) = rest.strip_prefix(" -f -a ") {
                list.entry(verb.split('"').nth(1).unwrap().to_owned()).or_default();
            }
            continue;
        };
        // The options of a verb that has kinds are those of its kinds.
        let Some(verb) = verb_of(verb) else { continue };
        // Options without a description are hidden: `bench` calls itself with them.
        let Some((start, _)) = rest.split_once(" -d ") else { continue };
        let options = list.entry(verb).or_default();
        if let Some(option) = start.split_once("-l ").map(|(_, option)| option.trim()) {
            let values = if COLUMNS.contains(&option) { Vec::new() } else { values(rest) };
            options.insert(option.to_owned(), values);
        } else {
            assert!(rest.starts_with(" -f -a "), "an option without a long name: {entry}");
        }
    }
    list.remove("query");
    assert!(list.len() > 15 && list["query ray"].contains_key("from"), "the script has another form: {list:?}");
    list
}

/// Returns the verb of a condition of the script, with its kind.
fn verb_of(condition: &str) -> Option<String> {
    match condition.split_once("; and ") {
        None => Some(condition.to_owned()),
        Some((verb, kind)) => Some(format!("{verb} {}", kind.strip_prefix("__fish_seen_subcommand_from ")?)),
    }
}

/// Returns the possible values in an entry of the script. Each has a description after `\t`.
fn values(entry: &str) -> Vec<String> {
    let Some((_, list)) = entry.split_once(" -f -a \"") else { return Vec::new() };
    list.lines().filter_map(|line| Some(line.split_once("\\t")?.0.to_owned())).collect()
}

/// Returns all commands, each as words, and panics if a verb, an option or a value has none.
pub fn commands() -> Vec<String> {
    let list = listed();
    let mut all = Vec::new();
    for (verb, lines) in VERBS {
        let options = list.get(verb).unwrap_or_else(|| panic!("`{verb}` is no verb of the program; remove it"));
        let first = lines[0];
        let more = OF_EVERY_VERB.iter().map(|more| format!("{first} {more}"));
        for line in lines.iter().map(|line| (*line).to_owned()).chain(more) {
            let steps: Vec<String> = line.split(" && ").map(|step| format!("{verb} {step}")).collect();
            all.extend(each(&steps.join(" && "), options));
        }
    }
    let missing = missing(&list, &all);
    assert!(missing.is_empty(), "add to VERBS in tests/cli/scaling_commands.rs, or to UNMEASURED:\n{missing}");
    all
}

/// Replaces `EACH` by each possible value of the option before it.
fn each(line: &str, options: &BTreeMap<String, Vec<String>>) -> Vec<String> {
    let Some((before, _)) = line.split_once("EACH") else { return vec![line.to_owned()] };
    let option = before.rsplit("--").next().unwrap().trim_end_matches(['=', ' ']);
    let values = options.get(option).filter(|values| !values.is_empty());
    let values = values.unwrap_or_else(|| panic!("{line}: --{option} has no list of values"));
    values.iter().map(|value| line.replacen("EACH", value, 1)).collect()
}

/// Returns a line for each verb, option and value that no command has.
fn missing(list: &List, commands: &[String]) -> String {
    let mut lines = String::new();
    let reads_mesh = |verb: &str| !verb.split(' ').any(|word| WITHOUT_MESH.contains(&word));
    for (verb, options) in list.iter().filter(|(verb, _)| reads_mesh(verb)) {
        let of_verb = |line: &&String| line.starts_with(&format!("{verb} "));
        let own: Vec<&String> = commands.iter().filter(of_verb).collect();
        if own.is_empty() {
            writeln!(lines, "the verb `{verb}`: the arguments of its commands").unwrap();
        }
        for (option, values) in options {
            if is_unmeasured(verb, option) {
                continue;
            }
            let has = |argument: &str| own.iter().any(|line| has_argument(line, argument));
            if !has(&format!("--{option}")) {
                writeln!(lines, "`{verb}`: a command with --{option}").unwrap();
            }
            let is_missing = |value: &&String| {
                let both = [' ', '='].map(|between| format!("--{option}{between}{value}"));
                !both.iter().any(|both| has(both)) && !is_unmeasured(verb, &format!("{option}={value}"))
            };
            for value in values.iter().filter(is_missing) {
                writeln!(lines, "`{verb}`: a command with --{option} {value}").unwrap();
            }
        }
    }
    lines
}

fn is_unmeasured(verb: &str, option: &str) -> bool {
    UNMEASURED.iter().any(|(of, name, _)| (*of == "*" || *of == verb) && *name == option)
}

/// Returns whether a line has an argument, which is not only the start of a longer one.
fn has_argument(line: &str, argument: &str) -> bool {
    line.match_indices(argument).any(|(at, _)| {
        let after = line[at + argument.len()..].chars().next();
        line[..at].ends_with(' ') && after.is_none_or(|after| after == ' ' || after == '=' || after == ',')
    })
}

#[test]
fn every_verb_option_and_value_has_a_command() {
    let (list, all) = (listed(), commands());
    assert!(all.len() > 200, "only {} commands", all.len());
    // What has no command is named.
    let mut more = list.clone();
    more.insert("sculpt".to_owned(), BTreeMap::new());
    let view = more.get_mut("view").unwrap();
    view.insert("fog".to_owned(), Vec::new());
    view.get_mut("style").unwrap().push("toon".to_owned());
    let expected = "`view`: a command with --fog\n`view`: a command with --style toon\n";
    let found = missing(&more, &all);
    assert!(found.contains("the verb `sculpt`") && found.contains(expected), "{found}");
    assert_eq!(found.lines().count(), 3, "{found}");
}

#[test]
fn every_reason_is_about_an_option_of_the_program() {
    let list = listed();
    for (verb, option, _) in UNMEASURED {
        let name = option.split('=').next().unwrap();
        let is_listed = list.iter().any(|(of, options)| (verb == "*" || of == verb) && options.contains_key(name));
        assert!(is_listed || option == "version", "{verb} --{option} is no option");
    }
}
