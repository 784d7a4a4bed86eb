//! Tests of scripts: valid ones, hostile ones, and real ones.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::support::is_error;
use crate::support::stopwatch::Stopwatch;
use meshpeek::unreal::script::{Argument, Import, Script, Verb};
use meshpeek::{ErrorKind, Finding, Limits, Name, Region, Severity};
use serde_json::Value;

/// A script with every verb once, and with the oddities of real scripts.
const SAMPLE: &str = "\u{feff}//=====
class Cat expands Pawn;

#exec MESH IMPORT MESH=Cat ANIVFILE=MODELS\\cat_a.3d DATAFILE=MODELS\\cat_d.3D X=0 Y=0 Z=0 UNMIRROR=1\r
//#exec MESH IMPORT MESH=Cat ANIVFILE=no DATAFILE=no
\t#Exec mesh origin mesh=cat x=-460.00 Y=.5 YAW=-64
#exec MESH SEQUENCE MESH=Cat SEQ=All      STARTFRAME=0 NUMFRAMES=31
#exec MESH SEQUENCE MESH=Cat\tSEQ=Run STARTFRAME=3 NUMFRAMES=10 RATE=15 GROUP=Gait // runs
#exec MESH NOTIFY MESH=Cat SEQ=Run TIME=0.25 FUNCTION=Step
#exec MESH LODPARAMS MESH=Cat STRENGTH=0.3 MINVERTS=10
#exec MESH DROPFRAMES MESH=Cat STARTFRAME=30 NUMFRAMES=1
/* #exec MESH ORIGIN MESH=Cat X=9
#exec MESH ORIGIN MESH=Cat X=9 */
#exec MESHMAP NEW MESHMAP=CatMap MESH=Cat
#exec MESHMAP SCALE MESHMAP=CatMap X=0.1 Y=0.1 Z=0.2
#exec TEXTURE IMPORT NAME=Fur FILE=\"MODELS\\cat fur.PCX\" GROUP=\"Skins\" FLAGS=2 MIPS=OFF
#exec TEXTURE IMPORT FILE=MODELS\\eye.PCX
#exec MESHMAP SETTEXTURE MESHMAP=Cat NUM=1 TEXTURE=EYE
#exec MESHMAP SETTEXTURE MESHMAP=CatMap NUM=0 TEXTURE=Fur
#exec AUDIO IMPORT FILE=\"Sounds\\purr.wav\" NAME=\"Purr\"

defaultproperties
{
    Mesh=Cat
}
";

fn findings(script: &Script<impl AsRef<[u8]>>) -> Vec<Finding> {
    let mut found = Vec::new();
    script.validate(&mut |finding| found.push(finding));
    found
}

fn regions(script: &Script<impl AsRef<[u8]>>) -> Vec<Region> {
    let mut found = Vec::new();
    script.regions(&mut |region| found.push(region)).unwrap();
    found
}

/// Reads everything that a script provides.
fn check_invariants(bytes: &[u8]) -> Option<usize> {
    let script = Script::open(bytes).ok()?;
    for import in script.imports().take(3) {
        let selected = script.select(import.mesh.as_bytes());
        let mesh = script.mesh(&selected);
        let _ = (mesh.origin(), mesh.scale(), mesh.lod_params(), mesh.drop_frames(), mesh.textures().count());
        let calls: usize = (0..mesh.sequence_count().min(9)).map(|index| mesh.notifies(index).count()).sum();
        assert!(calls <= bytes.len());
    }
    assert_accounted(&script);
    let mut again = Vec::new();
    script.write_to(&mut again).unwrap();
    assert_eq!(again, bytes);
    Some(findings(&script).len())
}

fn assert_accounted(script: &Script<impl AsRef<[u8]>>) {
    let mut at = 0;
    for region in regions(script) {
        assert_eq!((region.start, region.is_empty()), (at, false));
        at = region.end;
    }
    assert_eq!(at, u64::try_from(script.as_bytes().len()).unwrap());
}

#[test]
fn reads_the_sample() {
    let script = Script::open(SAMPLE).unwrap();
    assert_eq!(script.command_count(), 14);
    let selected = script.select(b"CAT");
    let cat = script.mesh(&selected);
    let import = cat.import().unwrap();
    assert_eq!((import.data_file.to_string(), import.unmirror), ("MODELS\\cat_d.3D".into(), true));
    let origin = cat.origin().unwrap();
    assert_eq!((origin.position, origin.yaw), ([-460.0, 0.5, 0.0], -64.0));
    assert_eq!(cat.scale(), Some([0.1, 0.1, 0.2]));
    let run = cat.sequence(1).unwrap();
    assert_eq!((run.start, run.frames, run.rate, run.group), (3, 10, Some(15.0), Some(Name::new(b"Gait"))));
    assert_eq!(cat.notifies(1).map(|notify| notify.time).collect::<Vec<_>>(), [0.25]);
    assert_eq!(cat.lod_params().unwrap().min_verts, Some(10.0));
    assert_eq!(cat.drop_frames().unwrap().start, 30);
    let files: Vec<_> = cat.textures().map(|texture| texture.import.unwrap().file.to_string()).collect();
    assert_eq!(files, ["MODELS\\cat fur.PCX", "MODELS\\eye.PCX"]);
    assert_eq!(findings(&script), []);
}

#[test]
fn accounts_for_every_byte() {
    let script = Script::open(SAMPLE).unwrap();
    assert_accounted(&script);
    let named: Vec<_> = regions(&script).iter().map(|region| region.field.to_string()).take(4).collect();
    assert_eq!(named, ["text[0]", "command[0].import", "text[1]", "command[1].origin"]);
}

#[test]
fn writes_what_it_read() {
    assert_eq!(check_invariants(SAMPLE.as_bytes()), Some(0));
}

#[test]
fn survives_every_prefix() {
    for length in 0..SAMPLE.len() {
        assert!(check_invariants(&SAMPLE.as_bytes()[..length]).is_some(), "{length}");
    }
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it optimised")]
fn survives_any_byte_anywhere() {
    let mut bytes = SAMPLE.as_bytes().to_vec();
    for at in 0..bytes.len() {
        for byte in [0, b'"', b'=', b'/', b'\r', b' ', 0xff] {
            let kept = std::mem::replace(&mut bytes[at], byte);
            assert!(check_invariants(&bytes).is_some(), "{byte:02x} at {at}");
            bytes[at] = kept;
        }
    }
}

#[test]
fn survives_any_count() {
    let limits = Limits::default().with_items(2).with_script(100);
    let error = Script::open_with("#exec A\n".repeat(3), &limits).unwrap_err();
    assert!(
        is_error(&error, ErrorKind::Limit, &["expected at most 2 (the limit `items`), found at least 3"]),
        "{error}"
    );
    let error = Script::open_with("x".repeat(101), &limits).unwrap_err();
    assert!(
        is_error(&error, ErrorKind::Limit, &["expected at most 100 (the limit `script`), found at least 101"]),
        "{error}"
    );
}

/// Asserts that a script of repeated lines is read in time linear in its size.
fn assert_linear(line: impl Fn(usize) -> String) {
    let time = |count: usize| {
        let text: String = (0..count).map(&line).collect();
        let limits = Limits::default().with_script(u64::MAX);
        let started = Stopwatch::start();
        let script = Script::open_with(text, &limits).unwrap();
        let selected = script.select(b"m1");
        let mesh = script.mesh(&selected);
        assert!(mesh.textures().count() <= count && mesh.sequences().count() <= count);
        for index in 0..mesh.sequence_count().min(1000) {
            assert!(mesh.notifies(index).count() <= count);
        }
        assert!(findings(&script).len() <= 14 * 1001);
        started.elapsed()
    };
    let (small, large) = (time(5_000), time(20_000));
    assert!(large < small * 16 + Duration::from_millis(500), "{small:?} for 5,000 and {large:?} for 20,000");
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it optimised")]
fn reads_many_commands_in_linear_time() {
    assert_linear(|n| {
        format!("#exec TEXTURE IMPORT NAME=t{n} FILE=f\n#exec MESHMAP SETTEXTURE MESHMAP=m1 NUM={n} TEXTURE=t{n}\n")
    });
    assert_linear(|n| {
        format!(
            "#exec MESH SEQUENCE MESH=m1 SEQ=s{n} STARTFRAME=0 NUMFRAMES=1\n#exec MESH NOTIFY MESH=m1 SEQ=s{n} TIME=0 FUNCTION=f\n"
        )
    });
    assert_linear(|n| {
        format!(
            "#exec MESHMAP NEW MESHMAP=k{n} MESH=m1\n#exec MESHMAP SCALE MESHMAP=k{n} X=1\n#exec MESH IMPORT MESH=m{n}\n"
        )
    });
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it optimised")]
fn reads_a_million_commands() {
    let script = Script::open("#exec MESH A\n".repeat(1_000_000)).unwrap();
    assert_eq!((script.command_count(), findings(&script).len()), (1_000_000, 0));
    assert!(script.select(b"a").name() == Name::new(b"a"));
}

#[test]
fn skips_long_lines() {
    for line in ["x".repeat(1 << 20), format!("#exec MESH IMPORT MESH={}", "\"a=".repeat(1 << 19))] {
        let text = format!("{line}\n#exec MESH IMPORT MESH=a ANIVFILE=a DATAFILE=d\n");
        let script = Script::open(text.as_bytes()).unwrap();
        let found = findings(&script);
        assert_eq!((script.command_count(), found.len(), found[0].rule), (1, 1, "UR30"));
        assert_eq!(check_invariants(text.as_bytes()), Some(1));
    }
    // The longest allowed line, in which every argument is the start of another.
    let text = format!("#exec MESH IMPORT {}\n", "a= ".repeat(21_000));
    assert!(check_invariants(text.as_bytes()).unwrap() > 1000);
}

/// Converts text to UTF-16, with or without a byte order mark.
fn wide(text: &str, to_bytes: fn(u16) -> [u8; 2], has_mark: bool) -> Vec<u8> {
    let mark = has_mark.then_some('\u{feff}');
    mark.into_iter().collect::<String>().encode_utf16().chain(text.encode_utf16()).flat_map(to_bytes).collect()
}

/// Tests that a script in UTF-16 is read as the same script in UTF-8, with the offsets of the file.
#[test]
fn reads_utf_16_as_utf_8() {
    let faulty = SAMPLE[3..].replacen("RATE=", "RATE=x\u{20ac}y\u{1f600} SEQ=\"", 1);
    for text in [&SAMPLE[3..], &faulty] {
        let plain = Script::open(text).unwrap();
        for (to_bytes, has_mark) in [
            (u16::to_le_bytes as fn(u16) -> [u8; 2], true),
            (u16::to_be_bytes, true),
            (u16::to_le_bytes, false),
            (u16::to_be_bytes, false),
        ] {
            let bytes = wide(text, to_bytes, has_mark);
            let script = Script::open(&bytes[..]).unwrap();
            let start = if has_mark { 2 } else { 0 };
            let in_file = |offset: u64| start + 2 * text[..offset as usize].encode_utf16().count() as u64;
            assert_eq!(script.command_count(), plain.command_count());
            for (found, expected) in script.commands().zip(plain.commands()) {
                assert_eq!((found.verb(), found.as_bytes()), (expected.verb(), expected.as_bytes()));
                assert_eq!((found.offset(), found.index()), (in_file(expected.offset()), expected.index()));
                let moved = expected.arguments().map(|one| Argument { offset: in_file(one.offset), ..one });
                assert!(found.arguments().eq(moved), "{}", String::from_utf8_lossy(found.as_bytes()));
            }
            let told =
                |all: Vec<Finding>| all.into_iter().map(|one| (one.rule, one.offset, one.text)).collect::<Vec<_>>();
            let moved = told(findings(&plain)).into_iter().map(|(rule, at, text)| (rule, in_file(at), text));
            assert_eq!(told(findings(&script)), moved.collect::<Vec<_>>());
            let mut end = 0;
            script
                .regions(&mut |region| {
                    assert_eq!(region.start, end);
                    end = region.end;
                })
                .unwrap();
            assert_eq!(end, bytes.len() as u64);
            let mut written = Vec::new();
            script.write_to(&mut written).unwrap();
            assert_eq!(written, bytes);
        }
    }
}

#[test]
fn skips_wider_text_and_nul() {
    let wide: Vec<u8> =
        "\u{feff}#exec MESH IMPORT MESH=a".chars().flat_map(|one| u32::from(one).to_le_bytes()).collect();
    let script = Script::open(&wide[..]).unwrap();
    let found = findings(&script);
    assert_eq!((script.command_count(), found.len(), found[0].rule), (0, 1, "UR31"));
    let text = SAMPLE.replacen("ORIGIN", "ORIGIN\0", 1).replacen("mesh origin", "mesh origin\0", 1);
    let script = Script::open(&text).unwrap();
    assert_eq!(script.command_count(), 13);
    assert!(findings(&script).iter().all(|finding| finding.rule == "UR31" && finding.severity == Severity::Warning));
}

#[test]
fn reads_names_that_are_no_text() {
    let script = Script::open(&b"#exec MESH IMPORT MESH=\xca\xee\xf2 ANIVFILE=\xff DATAFILE=\x80\n"[..]).unwrap();
    let selected = script.select(b"\xca\xee\xf2");
    assert_eq!(script.mesh(&selected).import().unwrap().data_file.as_bytes(), b"\x80");
    assert_eq!(findings(&script), []);
}

#[test]
fn survives_names_that_go_round() {
    let text = "#exec MESHMAP NEW MESHMAP=a MESH=b\n#exec MESHMAP NEW MESHMAP=b MESH=a\n\
        #exec TEXTURE IMPORT NAME=t FILE=t PALETTE=t\n#exec MESHMAP SETTEXTURE MESHMAP=a NUM=0 TEXTURE=t\n\
        #exec MESH IMPORT MESH=a ANIVFILE=x.uc DATAFILE=x.uc\n";
    let script = Script::open(text).unwrap();
    for name in ["a", "b"] {
        let selected = script.select(name.as_bytes());
        assert_eq!(script.mesh(&selected).textures().count(), 1);
    }
    assert_eq!(check_invariants(text.as_bytes()), Some(0));
}

/// Returns the facts that the reference has about a real script, computed again from the script.
fn facts(script: &Script<Vec<u8>>) -> Value {
    let mut counts = BTreeMap::<String, u64>::new();
    let text = |name: Option<Name<'_>>| name.map(|name| name.to_string_lossy());
    let (mut origins, mut scales) = (BTreeMap::new(), BTreeMap::new());
    let (mut textures, mut sequences) = (Vec::new(), Vec::new());
    for command in script.commands() {
        let words = command.words().map(|word| word.to_string().to_uppercase());
        *counts.entry(words.join(" ")).or_default() += 1;
        let values = |keys: &[&str]| keys.iter().map(|key| text(command.value(key))).collect::<Vec<_>>();
        match command.verb() {
            Verb::MeshOrigin => {
                let axes = ["X", "Y", "Z", "PITCH", "YAW", "ROLL"];
                let axes: BTreeMap<_, _> =
                    axes.iter().filter_map(|key| Some((*key, text(command.value(key))?))).collect();
                origins.insert(text(command.value("MESH")).unwrap(), axes);
            }
            Verb::MeshMapScale => {
                scales.insert(text(command.value("MESHMAP")).unwrap(), values(&["X", "Y", "Z"]));
            }
            Verb::MeshMapSetTexture => textures.push(values(&["MESHMAP", "NUM", "TEXTURE"])),
            Verb::MeshSequence => {
                sequences.push(values(&["MESH", "SEQ", "STARTFRAME", "NUMFRAMES", "RATE", "GROUP"]));
            }
            _ => {}
        }
    }
    let imports: Vec<_> = script.imports().map(|import| import_facts(&import)).collect();
    serde_json::json!({
        "bytes": script.as_bytes().len(), "commands": counts, "import_": imports, "origin": origins,
        "scale": scales, "settexture": textures, "sequences": sequences,
    })
}

fn import_facts(import: &Import<'_>) -> Value {
    let [mesh, aniv, data] = [import.mesh, import.aniv_file, import.data_file].map(|name| name.to_string_lossy());
    serde_json::json!({ "mesh": mesh, "anivfile": aniv, "datafile": data })
}

#[test]
fn agrees_with_the_reference_of_every_real_script() {
    let Some(folder) = crate::support::corpus("unreal") else { return };
    let mut count = 0;
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "uc") {
            continue;
        }
        let stem = path.file_stem().unwrap().to_str().unwrap();
        let reference = std::fs::read(folder.join("reference").join(format!("{stem}.json"))).unwrap();
        let reference: Value = serde_json::from_slice(&reference).unwrap();
        let script = Script::open(std::fs::read(&path).unwrap()).unwrap();
        assert_eq!(facts(&script), reference["uc"], "{stem}");
        let found = findings(&script);
        assert!(found.iter().all(|finding| finding.severity == Severity::Info), "{stem}: {found:?}");
        assert!(check_invariants(script.as_bytes()).is_some());
        count += 1;
    }
    assert_eq!(count, 38);
}
