//! Tests of real files, if the machine has them.
//!
//! Run them with `MESHPEEK_CORPUS=FOLDER cargo test --test corpus`. The expected values of each
//! file are in `FOLDER/FORMAT/reference`. An independent reader computed them.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::float_cmp,
    clippy::cast_sign_loss,
    clippy::format_collect,
    clippy::large_types_passed_by_value,
    clippy::many_single_char_names,
    clippy::needless_pass_by_value,
    clippy::single_match_else,
    reason = "a panic is how a test fails, and exact floats are meant"
)]

mod ezmesh;
mod secondlife;
#[path = "../support/mod.rs"]
mod support;
mod unigine;
mod unigine_animation;
mod unreal;
mod whole_files;

use std::path::Path;

use serde_json::{Map, Value};

fn file_name(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

/// A JSON object of expected values whose keys must all be used.
///
/// A key that remains at the end is a value that no test compared.
struct Reference {
    what: String,
    left: Map<String, Value>,
}

impl Reference {
    fn new(what: String, value: &Value) -> Self {
        Self { what, left: value.as_object().expect("an object").clone() }
    }

    fn take(&mut self, key: &str) -> Option<Value> {
        self.left.remove(key)
    }

    /// Compares a value that the reference must contain.
    fn same(&mut self, key: &str, found: impl Into<Value>) {
        let expected = self.take(key);
        assert_eq!(expected, Some(found.into()), "{}: {key}", self.what);
    }

    /// Compares a value that the reference contains only if the file has such an item.
    fn same_if_any(&mut self, key: &str, found: Option<impl Into<Value>>) {
        assert_eq!(self.take(key), found.map(Into::into), "{}: {key}", self.what);
    }

    /// Compares stored floats exactly.
    ///
    /// The nine digits of the reference distinguish any two `f32` values.
    fn floats(&mut self, key: &str, found: &[f32]) {
        let expected = numbers(&self.take(key).unwrap_or_else(|| panic!("{}: no {key}", self.what)));
        assert_eq!(expected, found, "{}: {key}", self.what);
    }

    fn close(&mut self, key: &str, found: &[f32]) {
        let expected = numbers(&self.take(key).unwrap_or_else(|| panic!("{}: no {key}", self.what)));
        assert_eq!(expected.len(), found.len(), "{}: {key}", self.what);
        for (expected, found) in expected.iter().zip(found) {
            assert!((expected - found).abs() <= 2e-6, "{}: {key} {found}, expected {expected}", self.what);
        }
    }

    fn done(self) {
        assert!(self.left.is_empty(), "{}: keys that no test compared: {:?}", self.what, self.left.keys());
    }
}

fn numbers(value: &Value) -> Vec<f32> {
    let list = value.as_array().cloned().unwrap_or_else(|| vec![value.clone()]);
    list.iter().map(|number| number.as_f64().unwrap() as f32).collect()
}
