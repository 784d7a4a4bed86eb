//! Tests of the text of the examples.

use crate::EXAMPLES;

/// Words of a path that only this repository can use, and names of formats.
const PRIVATE: [&str; 15] = [
    "internals",
    "decode",
    "sidecar",
    "scan",
    "bvh",
    "simd",
    "Packed",
    "Cursor",
    "Probe",
    "AtomicFile",
    "unigine",
    "unreal",
    "secondlife",
    "ezmesh",
    "Format",
];

#[test]
fn each_is_short_and_names_no_format() {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/examples")).unwrap() {
        let path = entry.unwrap().path();
        let (name, text) = (path.file_stem().unwrap().to_str().unwrap().to_owned(), std::fs::read_to_string(&path));
        let text = text.unwrap();
        let lines = text.lines().count();
        assert!(lines <= 45, "{name} has {lines} lines");
        let mut words = text.split(|letter: char| !letter.is_alphanumeric());
        assert_eq!(words.find(|word| PRIVATE.contains(word)), None, "{name}");
        for format in ["unigine", "unreal", "second life", "ez-mesh"] {
            assert!(!text.to_lowercase().contains(format), "{name} names {format}");
        }
        names.push(name);
    }
    names.sort();
    assert_eq!(names, EXAMPLES.map(|(name, _)| name), "each example has a test");
}
