//! What observes a query: which bytes it reads.

/// Receives the bytes that a query reads, of the tree and of the mesh.
///
/// ```
/// use meshpeek::query::{Probe, Ray, Scene};
///
/// #[derive(Default)]
/// struct NodeCounter(usize);
///
/// impl Probe for NodeCounter {
///     fn read_node(&mut self, _: &[u8]) {
///         self.0 += 1;
///     }
///
///     fn read_mesh(&mut self, _: &[u8]) {}
/// }
///
/// # fn main() -> meshpeek::Result<()> {
/// let mesh = meshpeek::unigine::Mesh::open(meshpeek::read("data/unigine/cube_ms13.mesh")?)?;
/// let mut nodes = NodeCounter::default();
/// assert!(Scene::new(&mesh)?.probed(&mut nodes).is_hit(&Ray::new([0.1, 0.2, 9.0], [0.0, 0.0, -1.0])));
/// assert!(nodes.0 > 0);
/// # Ok(())
/// # }
/// ```
pub trait Probe {
    /// Whether the probe records anything. A query makes no reports to a probe that does not.
    const ENABLED: bool = true;

    /// Receives the bytes of a node of a tree.
    fn read_node(&mut self, bytes: &[u8]);

    /// Receives bytes of the mesh: the indices of a triangle, or the position of one of its corners.
    fn read_mesh(&mut self, bytes: &[u8]);
}

/// Records nothing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NoProbe;

impl Probe for NoProbe {
    const ENABLED: bool = false;

    fn read_node(&mut self, _: &[u8]) {}

    fn read_mesh(&mut self, _: &[u8]) {}
}
