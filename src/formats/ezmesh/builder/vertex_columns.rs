//! The columns of vertices that are written.

// Rule: this file sorts and maps by copies only.

use super::output::Output;
use crate::error::Result;
use crate::formats::ezmesh::elements::vertex_buffer::VertexBuffer;
use crate::formats::ezmesh::semantic::{Semantic, VertexValue};
use crate::formats::ezmesh::vertex_format::VertexFormat;

/// The types of the columns, as each form stores them.
#[derive(Debug)]
pub(crate) struct VertexTypes {
    pub(super) flags: u32,
    pub(super) ctype: String,
    pub(crate) semantic: Vec<u8>,
}

impl VertexTypes {
    fn new(format: &VertexFormat, words: &[&[u8]]) -> Self {
        Self { flags: format.flags().unwrap_or_default(), ctype: format.ctype(), semantic: words.join(&b' ') }
    }

    /// Returns the types of the vertices of a file.
    ///
    /// A column with a known meaning gets the standard word for this meaning. If the standard words
    /// would change how a reader interprets any column, all columns keep their words.
    pub(crate) fn of_buffer(buffer: &VertexBuffer<'_>) -> Self {
        let format = buffer.format();
        let words = || format.columns().iter().map(|column| buffer.word(column).as_bytes());
        let meanings = || format.columns().iter().map(|column| column.semantic);
        let standard: Vec<_> =
            meanings().zip(words()).map(|(meaning, word)| meaning.word().map_or(word, str::as_bytes)).collect();
        let types = Self::new(format, &standard);
        let again = VertexFormat::parse(types.ctype.as_bytes(), &types.semantic);
        if again.is_ok_and(|again| again.columns().iter().map(|column| column.semantic).eq(meanings())) {
            return types;
        }
        Self::new(format, &words().collect::<Vec<_>>())
    }
}

/// Columns with known meanings, in the order in which a form stores them.
#[derive(Debug, Default)]
pub(crate) struct VertexColumns {
    columns: Vec<(Semantic, Vec<VertexValue<'static>>)>,
}

impl VertexColumns {
    /// Adds a column.
    pub(crate) fn push(&mut self, semantic: Semantic, values: impl Iterator<Item = VertexValue<'static>>) {
        self.columns.push((semantic, values.collect()));
    }

    /// Adds a column of floats.
    pub(crate) fn push_floats<const N: usize>(
        &mut self,
        semantic: Semantic,
        items: impl IntoIterator<Item = [f32; N]>,
    ) {
        self.push(semantic, items.into_iter().flatten().map(VertexValue::Float));
    }

    /// Puts the columns into the order of a binary file.
    pub(crate) fn in_binary_order(mut self) -> Self {
        self.columns.sort_by_key(|(semantic, _)| semantic.place_in_binary().map(|(_, rank)| rank));
        self
    }

    fn format(&self) -> VertexFormat {
        VertexFormat::of_semantics(self.columns.iter().map(|(semantic, _)| *semantic)).unwrap_or(VertexFormat::EMPTY)
    }

    pub(crate) fn types(&self) -> VertexTypes {
        let words: Vec<_> =
            self.columns.iter().map(|(semantic, _)| semantic.word().unwrap_or_default().as_bytes()).collect();
        VertexTypes::new(&self.format(), &words)
    }

    /// Writes the first `count` vertices.
    pub(crate) fn write(&self, count: usize, out: &mut Output<'_>) -> Result<()> {
        let format = self.format();
        for row in 0..count {
            for ((_, values), column) in self.columns.iter().zip(format.columns()) {
                let start = row.saturating_mul(column.count.into());
                let values = values.iter().skip(start);
                format.scalars(column).iter().zip(values).try_for_each(|(scalar, value)| out.value(*scalar, *value))?;
            }
            out.end_item()?;
        }
        Ok(())
    }
}
