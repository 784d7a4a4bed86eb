//! How a file states that a surface is drawn.

/// How the texture of a surface is combined with the picture behind it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Blend {
    /// The surface hides what is behind it.
    #[default]
    Opaque,
    /// Parts of the texture are cut out, and the others hide what is behind them.
    Masked,
    /// The colours are added to the picture behind the surface.
    Translucent,
    /// The colours of the picture behind the surface are multiplied by those of the texture.
    Modulated,
    /// The alpha of the texture selects between the texture and the picture behind the surface.
    Alpha,
    /// A code that the format does not define.
    Unknown(u8),
}

/// How a file states that a surface is drawn. The default is an opaque, one-sided and lit surface,
/// which is also the style of every surface of a format that stores no styles.
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// use meshpeek::model::DrawStyle;
/// let mesh = meshpeek::open("data/unigine/cube_ms13.mesh")?;
/// assert_eq!(mesh.surface(0)?.draw_style()?, DrawStyle::default());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[allow(clippy::struct_excessive_bools, reason = "independent flags of the file")]
#[non_exhaustive]
pub struct DrawStyle {
    /// How the texture is combined with the picture behind the surface.
    pub blend: Blend,
    /// Whether both sides of each triangle are drawn.
    pub two_sided: bool,
    /// Whether the surface is drawn at full brightness, without lighting.
    pub unlit: bool,
    /// Whether each triangle is lit by the normal of its plane.
    pub flat: bool,
    /// Whether the texture is drawn as a reflection of the environment.
    pub environment: bool,
    /// Whether the texture is drawn without filtering.
    pub unfiltered: bool,
}
