//! The trait [`Probe`], which receives all bytes that a query reads from the tree and from the
//! mesh.

/// A probe receives the bytes that a query reads from the tree and from the mesh, for example to
/// count them.
///
/// ```
/// use meshpeek::query::{Probe, ProbedScene, Ray};
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
/// let mesh = meshpeek::open("data/unigine/cube_ms13.mesh")?;
/// let mut nodes = NodeCounter::default();
/// let scene = mesh.scene()?;
/// assert!(ProbedScene::new(&scene, &mut nodes).is_hit(&Ray::new([0.1, 0.2, 9.0], [0.0, 0.0, -1.0])));
/// assert!(nodes.0 > 0);
/// # Ok(())
/// # }
/// ```
pub trait Probe {
    /// Whether queries call the methods of this probe. If `ENABLED` is false, queries never call
    /// the methods of the probe.
    const ENABLED: bool = true;

    /// Receives the bytes of a node of the tree that a query has read.
    fn read_node(&mut self, bytes: &[u8]);

    /// Receives bytes of the mesh file that a query has read: the three indices of a triangle, or
    /// the position of one corner.
    fn read_mesh(&mut self, bytes: &[u8]);
}

/// The probe that ignores all bytes and that queries never call.
impl Probe for () {
    const ENABLED: bool = false;

    fn read_node(&mut self, _: &[u8]) {}

    fn read_mesh(&mut self, _: &[u8]) {}
}

impl<P: Probe> Probe for &mut P {
    const ENABLED: bool = P::ENABLED;

    fn read_node(&mut self, bytes: &[u8]) {
        P::read_node(self, bytes);
    }

    fn read_mesh(&mut self, bytes: &[u8]) {
        P::read_mesh(self, bytes);
    }
}
