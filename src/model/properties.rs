//! [`Properties`]: the values of a file or a surface that only its format has, one after another.

use std::io;

use crate::error::{Error, Result};
use crate::parse::Value;

/// A receiver of properties, such as a writer of JSON.
///
/// A property has a name and a value. A list or a record whose items are passed one by one starts
/// with [`open`](Self::open) and ends with [`close`](Self::close). An item of a list has no name.
#[allow(clippy::missing_errors_doc, reason = "documented once on the trait `MeshFile`")]
pub trait PropertySink {
    /// Receives a value.
    fn value(&mut self, name: Option<&str>, value: Value) -> io::Result<()>;
    /// Receives the start of a list or a record.
    fn open(&mut self, name: Option<&str>, is_list: bool) -> io::Result<()>;
    /// Receives the end of the innermost list or record.
    fn close(&mut self, is_list: bool) -> io::Result<()>;
    /// Receives the error of a value that cannot be read.
    fn fail(&mut self, error: Error);
}

/// The properties of a file or a surface: passes one value after another to a [`PropertySink`].
#[allow(missing_debug_implementations, reason = "it borrows a trait object")]
pub struct Properties<'s>(&'s mut dyn PropertySink);

#[allow(clippy::missing_errors_doc, reason = "every method returns the errors of the sink")]
impl<'s> Properties<'s> {
    /// Makes properties that are passed to `sink`.
    pub fn new(sink: &'s mut dyn PropertySink) -> Self {
        Self(sink)
    }

    /// Passes a property.
    pub fn field(&mut self, name: &str, value: impl Into<Value>) -> io::Result<()> {
        self.0.value(Some(name), value.into())
    }

    /// Passes a property that is missing if it cannot be read.
    pub fn field_or_fault(&mut self, name: &str, value: Result<impl Into<Value>>) -> io::Result<()> {
        let value = match value {
            Ok(value) => value.into(),
            Err(error) => {
                self.0.fail(error);
                Value::Missing
            }
        };
        self.field(name, value)
    }

    /// Passes the fields of a record.
    pub fn fields(&mut self, record: Value) -> io::Result<()> {
        let Value::Record(fields) = record else { return Ok(()) };
        fields.into_iter().try_for_each(|(name, value)| self.field(&name, value))
    }

    /// Passes a property that is a record, whose fields `fill` passes.
    pub fn record(&mut self, name: &str, fill: impl FnOnce(&mut Self) -> io::Result<()>) -> io::Result<()> {
        self.group(Some(name), false, fill)
    }

    /// Passes a property that is a list, whose items `fill` passes.
    pub fn list(&mut self, name: &str, fill: impl FnOnce(&mut Self) -> io::Result<()>) -> io::Result<()> {
        self.group(Some(name), true, fill)
    }

    /// Passes a property that is a list. Each item is passed before the next one is made.
    pub fn items<T: Into<Value>>(&mut self, name: &str, items: impl IntoIterator<Item = T>) -> io::Result<()> {
        self.list(name, |out| items.into_iter().try_for_each(|item| out.item(item)))
    }

    /// Passes a property that is a list. The list ends before the first item that is an error.
    pub fn results(&mut self, name: &str, items: impl IntoIterator<Item = Result<Value>>) -> io::Result<()> {
        self.list(name, |out| {
            for item in items {
                match item {
                    Ok(item) => out.item(item)?,
                    Err(error) => {
                        out.0.fail(error);
                        break;
                    }
                }
            }
            Ok(())
        })
    }

    /// Passes an item of a list.
    pub fn item(&mut self, value: impl Into<Value>) -> io::Result<()> {
        self.0.value(None, value.into())
    }

    /// Passes an item of a list that is a record, whose fields `fill` passes.
    pub fn item_record(&mut self, fill: impl FnOnce(&mut Self) -> io::Result<()>) -> io::Result<()> {
        self.group(None, false, fill)
    }

    /// Records the error of a value that cannot be read.
    pub fn fail(&mut self, error: Error) {
        self.0.fail(error);
    }

    fn group(
        &mut self,
        name: Option<&str>,
        is_list: bool,
        fill: impl FnOnce(&mut Self) -> io::Result<()>,
    ) -> io::Result<()> {
        self.0.open(name, is_list)?;
        fill(self)?;
        self.0.close(is_list)
    }
}

/// Collects properties in one [`Value::Record`].
///
/// # Errors
///
/// Returns the first error of a value that cannot be read.
pub(crate) fn collect(fill: impl FnOnce(&mut Properties<'_>) -> Result<io::Result<()>>) -> Result<Value> {
    let mut collected = Collected::default();
    // The sink returns no error.
    let _ = fill(&mut Properties::new(&mut collected))?;
    match collected.error {
        Some(error) => Err(error),
        None => Ok(record(collected.values)),
    }
}

type NamedValue = (Option<String>, Value);

/// The properties that were received, and the lists and records that are still open.
#[derive(Default)]
struct Collected {
    values: Vec<NamedValue>,
    outer: Vec<(Option<String>, Vec<NamedValue>)>,
    error: Option<Error>,
}

impl PropertySink for Collected {
    fn value(&mut self, name: Option<&str>, value: Value) -> io::Result<()> {
        self.values.push((name.map(str::to_owned), value));
        Ok(())
    }

    fn open(&mut self, name: Option<&str>, _: bool) -> io::Result<()> {
        self.outer.push((name.map(str::to_owned), std::mem::take(&mut self.values)));
        Ok(())
    }

    fn close(&mut self, is_list: bool) -> io::Result<()> {
        if let Some((name, outer)) = self.outer.pop() {
            let inner = std::mem::replace(&mut self.values, outer);
            let list = |values: Vec<NamedValue>| Value::List(values.into_iter().map(|(_, value)| value).collect());
            self.values.push((name, if is_list { list(inner) } else { record(inner) }));
        }
        Ok(())
    }

    fn fail(&mut self, error: Error) {
        self.error.get_or_insert(error);
    }
}

fn record(values: Vec<NamedValue>) -> Value {
    Value::Record(values.into_iter().map(|(name, value)| (name.unwrap_or_default().into(), value)).collect())
}
