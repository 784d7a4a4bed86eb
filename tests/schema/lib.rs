//! Tests that the documents of the program match the schema in `src/guide/schema.json`.
//!
//! The test binary `cli` writes the documents to the file that the variable `MESHPEEK_DOCUMENTS`
//! names. This is a separate workspace, so the validator is not built with the crate.

#![cfg(test)]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use jsonschema::Validator;
use serde_json::{Value, json};

const SCHEMA: &str = include_str!("../../src/guide/schema.json");
/// The page that describes the JSON output.
const GUIDE: &str = include_str!("../../src/guide/json.md");

/// The fields that an object may lack, each with the definition of its document. All other fields
/// of the output are required.
const OPTIONAL: [(&str, &str); 61] = [
    ("convert", "/passed_by"),
    ("index", "/passed_by"),
    ("info", "/passed_by"),
    ("ls_folders", "/totals/duplicates"),
    ("ls_folders", "/totals/gpu_bytes"),
    ("ls_folders", "/totals/gpu_vertices"),
    ("ls_folders", "/totals/passed_by"),
    ("ls_folders", "/totals/rigged"),
    ("ls_folders", "/totals/with_findings"),
    ("rewrite", "/dialect"),
    ("view", "/passed_by"),
    ("baseline", "/findings/*/mesh"),
    ("bench", "/files/*/path"),
    ("convert", "/files/*/error"),
    ("convert", "/files/*/format"),
    ("convert", "/files/*/output"),
    ("convert", "/files/*/outputs"),
    ("dump", "/asset"),
    ("dump", "/frame"),
    ("dump", "/lod"),
    ("dump_file", "/columns"),
    ("dump_file", "/rows"),
    ("info", "/files/*/findings/*/file"),
    ("info", "/files/*/lods/*/asset"),
    ("info", "/files/*/mesh"),
    ("info", "/files/*/placed_bounds"),
    ("info", "/files/*/properties/animations"),
    ("info", "/files/*/properties/hashes/*"),
    ("info", "/files/*/properties/left_out"),
    ("info", "/files/*/properties/members/*/blocks/*/asset"),
    ("info", "/files/*/properties/mesh"),
    ("info", "/files/*/properties/physics_cost_data/*"),
    ("info", "/files/*/surfaces/*/asset"),
    ("info", "/unresolved"),
    ("ls", "/files/*/duplicate_of"),
    ("ls", "/files/*/mesh"),
    ("map", "/error"),
    ("map_at", "/decoded/*"),
    ("map_summary", "/error"),
    ("map_summary", "/svg"),
    ("pose", "/onto"),
    ("query_nearest", "/attributes"),
    ("query_ray", "/attributes"),
    ("query_ray", "/hits"),
    ("query_ray", "/hits/*/attributes"),
    ("ray_answer", "/attributes"),
    ("ray_answer", "/hits"),
    ("validate", "/baseline"),
    ("validate", "/files/*/error"),
    ("validate", "/files/*/findings/*/file"),
    ("validate", "/files/*/mesh"),
    ("validate", "/unresolved"),
    ("view", "/files/*/bones"),
    ("view", "/files/*/bytes"),
    ("view", "/files/*/error"),
    ("view", "/files/*/frames"),
    ("view", "/files/*/height"),
    ("view", "/files/*/left_out"),
    ("view", "/files/*/output"),
    ("view", "/files/*/triangles"),
    ("view", "/files/*/width"),
];

/// The objects whose fields have names from a file, or names that depend on the type of a value.
const OPEN: [&str; 3] = ["decoded", "hashes", "physics_cost_data"];

/// Real documents, each with the name of its definition in the schema.
static DOCUMENTS: LazyLock<Vec<(String, Value)>> = LazyLock::new(|| {
    let path = std::env::var_os("MESHPEEK_DOCUMENTS").expect("MESHPEEK_DOCUMENTS names the file of the documents");
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
});

/// The schema, compiled for each definition.
struct Schema {
    text: Value,
    compiled: BTreeMap<String, Validator>,
}

impl Schema {
    fn new() -> Self {
        Self { text: serde_json::from_str(SCHEMA).unwrap(), compiled: BTreeMap::new() }
    }

    fn of(&mut self, definition: &str) -> &Validator {
        self.compiled.entry(definition.to_owned()).or_insert_with(|| {
            let mut schema = self.text.clone();
            schema.as_object_mut().unwrap().remove("anyOf");
            schema["$ref"] = format!("#/$defs/{definition}").into();
            jsonschema::draft202012::new(&schema).unwrap()
        })
    }
}

#[test]
fn every_document_matches_the_schema() {
    let mut schema = Schema::new();
    assert!(jsonschema::draft202012::meta::is_valid(&schema.text));
    let root = jsonschema::draft202012::new(&schema.text).unwrap();
    for (definition, document) in &*DOCUMENTS {
        let faults = schema.of(definition).iter_errors(document);
        let faults: Vec<String> = faults.map(|fault| format!("{}: {fault}", fault.instance_path())).collect();
        assert!(faults.is_empty(), "{definition}: {faults:#?} in {document:#}");
        assert!(definition.ends_with("_answer") || root.is_valid(document), "{definition}: {document:#}");
    }
}

#[test]
fn the_examples_in_the_guide_match_the_schema() {
    let root = jsonschema::draft202012::new(&serde_json::from_str(SCHEMA).unwrap()).unwrap();
    let blocks = GUIDE.split("```json\n").skip(1).map(|rest| rest.split_once("```").unwrap().0);
    let examples = blocks.map(|block| serde_json::from_str::<Value>(block).unwrap());
    let documents: Vec<Value> = examples.filter(|example| example.get("schema").is_some()).collect();
    assert!(documents.len() >= 12, "only {} examples", documents.len());
    for document in documents {
        assert!(root.is_valid(&document), "{document:#}");
    }
}

#[test]
fn the_schema_refuses_a_wrong_type_and_a_missing_field() {
    let mut schema = Schema::new();
    let (mut seen, mut optional) = (BTreeSet::new(), BTreeSet::new());
    for (definition, document) in &*DOCUMENTS {
        let format = document["files"][0]["format"].as_str().unwrap_or_default();
        let mut places = Vec::new();
        collect_places(document, "", "", &mut places);
        // Each place is spoilt once for each definition and each format.
        places.retain(|(_, general)| seen.insert((definition, format, general.clone())));
        for (pointer, general) in places {
            let mut spoilt = document.clone();
            let value = spoilt.pointer_mut(&pointer).unwrap();
            *value = other_type(value);
            let is_refused = !schema.of(definition).is_valid(&spoilt);
            // The type of a decoded value depends on the element type of its region.
            let is_typed = !general.starts_with("/decoded/");
            assert!(is_refused || !is_typed, "{definition}: {general} has any type: {spoilt:#}");
            let (parent, name) = pointer.rsplit_once('/').unwrap();
            let mut spoilt = document.clone();
            if let Some(object) = spoilt.pointer_mut(parent).unwrap().as_object_mut() {
                object.remove(name).unwrap();
                if schema.of(definition).is_valid(&spoilt) {
                    optional.insert((definition.as_str(), general));
                }
            }
        }
    }
    assert!(seen.len() > 900, "only {} places", seen.len());
    let expected = OPTIONAL.map(|(definition, general)| (definition, general.to_owned()));
    assert_eq!(optional, expected.into());
}

#[test]
fn the_schema_documents_all_fields_that_occur_and_no_others() {
    let mut occurring = BTreeSet::new();
    for (_, document) in &*DOCUMENTS {
        let mut places = Vec::new();
        collect_places(document, "", "", &mut places);
        let names = places.iter().filter_map(|(_, general)| general.rsplit('/').next().filter(|name| *name != "*"));
        occurring.extend(names.map(str::to_owned));
    }
    let mut documented = BTreeSet::new();
    collect_names(&serde_json::from_str(SCHEMA).unwrap(), &mut documented);
    let differing: Vec<&String> = occurring.symmetric_difference(&documented).collect();
    assert!(differing.is_empty(), "{differing:?}");
}

/// Collects the JSON pointer of each value in a document, and the same pointer with `*` for each
/// index and for each name that comes from a file.
fn collect_places(value: &Value, pointer: &str, general: &str, places: &mut Vec<(String, String)>) {
    let is_open = OPEN.iter().any(|name| general.ends_with(&format!("/{name}")));
    let children: Vec<(String, &Value)> = match value {
        Value::Object(fields) => fields.iter().map(|(name, value)| (name.clone(), value)).collect(),
        Value::Array(items) => items.iter().enumerate().map(|(index, value)| (index.to_string(), value)).collect(),
        _ => return,
    };
    for (name, child) in children {
        let general_name = if is_open || value.is_array() { "*" } else { &name };
        let (pointer, general) = (format!("{pointer}/{name}"), format!("{general}/{general_name}"));
        collect_places(child, &pointer, &general, places);
        places.push((pointer, general));
    }
}

/// Collects the names in all `properties` of a schema.
fn collect_names(schema: &Value, names: &mut BTreeSet<String>) {
    match schema {
        Value::Object(fields) => {
            for (keyword, value) in fields {
                match value.as_object() {
                    Some(properties) if keyword == "properties" => {
                        names.extend(properties.keys().cloned());
                        properties.values().for_each(|property| collect_names(property, names));
                    }
                    _ => collect_names(value, names),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect_names(item, names)),
        _ => {}
    }
}

/// Returns a value of a type that no field has in place of this value.
fn other_type(value: &Value) -> Value {
    match value {
        Value::Null | Value::Array(_) => json!({ "wrong": "wrong" }),
        Value::String(_) => json!(false),
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => json!("wrong"),
    }
}
