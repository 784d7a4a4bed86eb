//! Real files, where the machine has them: `MESHPEEK_CORPUS=FOLDER cargo test --test corpus`. What is expected of each stands
//! in `FOLDER/FORMAT/reference`, computed by an independent reader.
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

use std::path::Path;

use serde_json::{Map, Value};

fn file_name(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

/// A JSON object that must be used up: a key that nobody asks for is a value that nobody compared.
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

    /// Compares a value that must be there.
    fn same(&mut self, key: &str, found: impl Into<Value>) {
        let expected = self.take(key);
        assert_eq!(expected, Some(found.into()), "{}: {key}", self.what);
    }

    /// Compares a value that is only there in files that have such a thing.
    fn same_if_any(&mut self, key: &str, found: Option<impl Into<Value>>) {
        assert_eq!(self.take(key), found.map(Into::into), "{}: {key}", self.what);
    }

    /// Compares stored floats exactly: nine digits tell any two apart.
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
        assert!(self.left.is_empty(), "{}: nobody compared {:?}", self.what, self.left.keys());
    }
}

fn numbers(value: &Value) -> Vec<f32> {
    let list = value.as_array().cloned().unwrap_or_else(|| vec![value.clone()]);
    list.iter().map(|number| number.as_f64().unwrap() as f32).collect()
}
