//! A format outside the crate is read, validated, mapped, dumped, drawn, exported and queried by
//! the same code as the formats of the crate.
//!
//! The test has no harness: it starts itself as the program, with the format of `two_arrays.rs`
//! registered.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::as_conversions,
    reason = "a panic is how a test fails"
)]

#[allow(dead_code, unused_imports, reason = "other tests use the rest")]
#[path = "../support/process.rs"]
mod process;
mod two_arrays;

use std::path::Path;
use std::process::{ExitCode, Output};

use meshpeek::register_format;
use serde_json::{Value, json};

use two_arrays::TwoArrays;

/// The variable that makes this test the program.
const AS_PROGRAM: &str = "MESHPEEK_NEW_FORMAT_AS_PROGRAM";

fn main() -> ExitCode {
    if std::env::var_os(AS_PROGRAM).is_some() {
        register_format::<TwoArrays>();
        return meshpeek::run();
    }
    let folder = tempfile::tempdir().unwrap();
    std::env::set_current_dir(&folder).unwrap();
    std::fs::write("tower.two", tower()).unwrap();
    println!("\nrunning {} tests", TESTS.len());
    for (name, test) in TESTS {
        test();
        println!("test {name} ... ok");
    }
    println!("\ntest result: ok. {} passed; 0 failed\n", TESTS.len());
    ExitCode::SUCCESS
}

const TESTS: [(&str, fn()); 9] = [
    ("is_found_in_a_folder_and_described", is_found_in_a_folder_and_described),
    ("accounts_for_every_byte", accounts_for_every_byte),
    ("is_validated_by_its_own_rules", is_validated_by_its_own_rules),
    ("has_its_extra_array_dumped", has_its_extra_array_dumped),
    ("is_drawn", is_drawn),
    ("is_exported", is_exported),
    ("answers_queries", answers_queries),
    ("writes_what_it_read", writes_what_it_read),
    ("survives_any_damage", survives_any_damage),
];

/// A tower with a square base of 2 m and a height of 3 m, in units of 1/100 m.
fn tower() -> Vec<u8> {
    let vertices: [[i16; 4]; 5] =
        [[-100, 0, 100, 7], [100, 0, 100, -7], [100, 0, -100, 0], [-100, 0, -100, 0], [0, 300, 0, 1000]];
    let triangles: [[u16; 3]; 6] = [[0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4], [0, 2, 1], [0, 3, 2]];
    let mut bytes = b"2ARR".to_vec();
    bytes.extend([5_u32, 6].iter().flat_map(|count| count.to_le_bytes()));
    bytes.extend(0.01_f32.to_le_bytes());
    bytes.extend(vertices.iter().flatten().flat_map(|number| number.to_le_bytes()));
    bytes.extend(triangles.iter().flatten().flat_map(|index| index.to_le_bytes()));
    bytes
}

/// Runs the program with the arguments in `line`.
fn run(line: &str) -> Output {
    let mut command = process::process(std::env::current_exe().unwrap());
    command.env(AS_PROGRAM, "1").args(line.split_whitespace()).output().unwrap()
}

/// Runs the program, and returns what it printed. Its exit code must be `code`.
fn printed(code: i32, line: &str) -> String {
    let output = run(line);
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{line}: {error}");
    String::from_utf8(output.stdout).unwrap()
}

fn printed_json(line: &str) -> Value {
    serde_json::from_str(&printed(0, line)).unwrap()
}

fn is_found_in_a_folder_and_described() {
    let listed = printed_json("ls . --json");
    assert_eq!((&listed["files"][0]["format"], &listed["files"][1]), (&json!("twoarrays"), &Value::Null));
    let info = &printed_json("info tower.two --json")["files"][0];
    assert_eq!((&info["format"], &info["triangles"]), (&json!("twoarrays"), &json!(6)));
    assert_eq!(info["bounds"], json!({ "min": [-100.0, 0.0, -100.0], "max": [100.0, 300.0, 100.0] }));
    assert_eq!(info["surfaces"][0]["vertices"], json!(5));
    assert_eq!(info["properties"], json!({ "metres_per_unit": 0.01 }));
}

fn accounts_for_every_byte() {
    let map = printed_json("map tower.two --json");
    let ends: Vec<_> =
        map["regions"].as_array().unwrap().iter().map(|region| region["end"].as_u64().unwrap()).collect();
    assert_eq!(ends, [4, 8, 12, 16, 56, 92]);
    assert!(printed(0, "map tower.two --at 25").contains("item 1 of 5, each an i16x4\n  value 100.0 0.0 100.0"));
    assert!(printed(0, "map tower.two --at 62").contains("1 2 4"));
}

fn is_validated_by_its_own_rules() {
    assert_eq!(printed_json("validate tower.two --json")["files"][0]["findings"], json!([]));
    let mut damaged = tower();
    damaged[56] = 9;
    std::fs::write("damaged.two", damaged).unwrap();
    let report: Value = serde_json::from_str(&printed(1, "validate damaged.two --json")).unwrap();
    let finding = &report["files"][0]["findings"][0];
    assert_eq!((&finding["rule"], &finding["offset"]), (&json!("TA02"), &json!(56)));
    assert!(printed(0, "validate --rules").contains("TA03"));
    std::fs::remove_file("damaged.two").unwrap();
}

fn has_its_extra_array_dumped() {
    assert_eq!(printed(0, "dump tower.two --attribute marks"), "7\n-7\n0\n0\n1000\n");
    assert_eq!(printed(0, "dump tower.two --attribute positions --range 4..5"), "0.0 300.0 0.0\n");
    printed(0, "dump tower.two -o tower.npz");
    assert!(String::from_utf8_lossy(&std::fs::read("tower.npz").unwrap()).contains("marks.npy"));
}

fn is_drawn() {
    printed(0, "view tower.two -o tower.png --size 64");
    let decoder = png::Decoder::new(std::io::BufReader::new(std::fs::File::open("tower.png").unwrap()));
    let mut reader = decoder.read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut pixels).unwrap();
    let colors: std::collections::BTreeSet<_> = pixels.chunks(4).collect();
    assert!(colors.len() > 8, "{} colours", colors.len());
}

fn is_exported() {
    printed(0, "convert tower.two -o tower.obj");
    let text = std::fs::read_to_string("tower.obj").unwrap();
    let corners = text.lines().filter(|line| line.starts_with("f ")).count();
    assert!(corners == 6 && text.contains("v 0 3 0"), "{text}");
    printed(0, "convert tower.two -o tower.glb");
    let glb = gltf::Gltf::open("tower.glb").unwrap();
    let bounds = glb.meshes().next().unwrap().primitives().next().unwrap().bounding_box();
    assert_eq!((bounds.min, bounds.max), ([-1.0, 0.0, -1.0], [1.0, 3.0, 1.0]));
}

fn answers_queries() {
    let hit = printed_json("query tower.two --json ray --from 0,900,0 --toward 0,0,0");
    assert_eq!((&hit["hit"], &hit["point"]), (&json!(true), &json!([0.0, 300.0, 0.0])));
    let nearest = printed_json("query tower.two --json nearest --point 0,-50,0");
    assert_eq!(nearest["distance"], json!(50.0));
}

fn writes_what_it_read() {
    printed(0, "rewrite tower.two -o again.two");
    assert_eq!(std::fs::read("again.two").unwrap(), tower());
    printed(0, "diff tower.two again.two");
    std::fs::write("longer.two", [&tower()[..], b"rest"].concat()).unwrap();
    printed(1, "diff tower.two longer.two");
    printed(2, "rewrite longer.two -o shorter.two");
    assert!(!Path::new("shorter.two").exists());
    printed(0, "rewrite longer.two -o shorter.two --allow-loss");
    assert_eq!(std::fs::read("shorter.two").unwrap(), tower());
}

fn survives_any_damage() {
    for at in 0..tower().len() {
        let (cut, mut changed) = (&tower()[..at], tower());
        changed[at] ^= 0x81;
        for (name, bytes) in [("cut.two", cut), ("changed.two", &changed)] {
            std::fs::write(name, bytes).unwrap();
            let output = run(&format!("validate {name}"));
            let code = output.status.code();
            let is_cut = name == "cut.two";
            assert!(
                if is_cut { code == Some(3) || code == Some(1) } else { code.is_some_and(|code| code < 4) },
                "{at}: {output:?}"
            );
        }
    }
}
