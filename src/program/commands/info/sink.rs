//! The output of `info --json`. Entries from the first animation on are held back, because an
//! animation is described together with the mesh that it moves, which may follow it.

use std::cell::RefCell;
use std::io::{self, BufWriter, Read, StdoutLock, Write};

use crate::program::describe::skeletons::Skeletons;
use crate::program::output::{HeldOutput, JsonWriter};

/// Standard output, with a part that is held back until the meshes of all animations are known.
pub struct EntrySink {
    out: RefCell<BufWriter<StdoutLock<'static>>>,
    held: RefCell<Option<GappedOutput>>,
}

/// The output that is held back.
struct GappedOutput {
    text: HeldOutput,
    gaps: Vec<Gap>,
}

/// A place in the held output at which the field `mesh` of an animation belongs.
struct Gap {
    at: u64,
    /// The number of lists and objects that are open at this place.
    depth: usize,
    bones: Vec<(String, i32)>,
}

impl EntrySink {
    pub fn new() -> Self {
        Self { out: RefCell::new(BufWriter::new(io::stdout().lock())), held: RefCell::new(None) }
    }

    /// Leaves a gap for the mesh that the animation of `bones` moves. The output after the gap is
    /// held back.
    pub fn leave_gap(&self, depth: usize, bones: &[(String, i32)]) {
        let mut held = self.held.borrow_mut();
        let held = held.get_or_insert_with(|| GappedOutput { text: HeldOutput::start(), gaps: Vec::new() });
        held.gaps.push(Gap { at: held.text.written, depth, bones: bones.to_vec() });
    }

    /// Prints the output that was held back, with the meshes of the animations.
    pub fn finish(self, skeletons: &Skeletons) -> io::Result<()> {
        let mut out = self.out.into_inner();
        if let Some(GappedOutput { mut text, gaps }) = self.held.into_inner() {
            let file = text.rewound()?;
            let mut printed = 0;
            for Gap { at, depth, bones } in gaps {
                io::copy(&mut Read::by_ref(file).take(at.saturating_sub(printed)), &mut out)?;
                printed = at;
                if let Some(fit) = skeletons.fit(&bones) {
                    JsonWriter::indented(&mut out).resumed(depth, true).field("mesh", fit.json())?;
                }
            }
            io::copy(file, &mut out)?;
        }
        out.flush()
    }
}

impl Write for &EntrySink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut *self.held.borrow_mut() {
            Some(held) => held.text.write(bytes),
            None => self.out.borrow_mut().write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.borrow_mut().flush()
    }
}
