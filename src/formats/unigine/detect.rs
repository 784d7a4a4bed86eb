//! Detects the UNIGINE format version (generation) of a file from its first four bytes.

use super::layout::{AnimationGeneration, Generation, UNIGINE};
use crate::error::{Cause, Error, Field, NO_FORMAT, Result, copy_text, show_bytes};
use crate::formats::foreign;

/// The length of a magic number, in bytes.
const LENGTH: usize = 4;

/// Returns the mesh format version (ms10 to ms15) that the magic number of a file identifies.
///
/// # Errors
///
/// - [`ErrorKind::Empty`] if the file is empty.
/// - [`ErrorKind::UnexpectedEnd`] if the file has one to three bytes.
/// - [`ErrorKind::Unsupported`] if the first four bytes identify a known format or format version
///   that this crate does not read.
/// - [`ErrorKind::Unknown`] if they identify no known format.
///
/// [`ErrorKind::Empty`]: crate::ErrorKind::Empty
/// [`ErrorKind::UnexpectedEnd`]: crate::ErrorKind::UnexpectedEnd
/// [`ErrorKind::Unsupported`]: crate::ErrorKind::Unsupported
/// [`ErrorKind::Unknown`]: crate::ErrorKind::Unknown
pub(crate) fn mesh(bytes: &[u8]) -> Result<Generation> {
    match file_kind(bytes)? {
        FileKind::Mesh(generation) => Ok(generation),
        FileKind::Animation(generation) => Err(other(generation.magic(), "an animation", "open it as an animation")),
    }
}

/// Returns the animation format version (an10 to an13) that the magic number of a file identifies.
pub(crate) fn animation(bytes: &[u8]) -> Result<AnimationGeneration> {
    match file_kind(bytes)? {
        FileKind::Animation(generation) => Ok(generation),
        FileKind::Mesh(generation) => Err(other(generation.magic(), "a mesh", "open it as a mesh")),
    }
}

/// The file type (mesh or animation) and the format version that the magic number of a file
/// identifies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileKind {
    Mesh(Generation),
    Animation(AnimationGeneration),
}

fn other(magic: &str, what: &str, advice: &'static str) -> Error {
    fail(Cause::Unsupported { found: format!("{what}, {magic}").into(), advice })
}

/// Returns the file type (mesh or animation) and the format version that the magic number of a file
/// identifies.
pub(crate) fn file_kind(bytes: &[u8]) -> Result<FileKind> {
    let Some(&magic) = bytes.first_chunk::<LENGTH>() else {
        let left = crate::math::as_u64(bytes.len());
        return Err(fail(if bytes.is_empty() { Cause::Empty } else { Cause::UnexpectedEnd { needed: 4, left } }));
    };
    let unknown = || fail(Cause::Unknown { found: show_bytes(&magic) });
    let refused = || refusal(magic).map(fail).or_else(|| foreign::error(bytes));
    known(magic).ok_or_else(|| refused().unwrap_or_else(unknown))
}

/// Returns whether the magic number of a file identifies a supported animation format version (an10
/// to an13).
pub(crate) fn is_animation(bytes: &[u8]) -> bool {
    matches!(file_kind(bytes), Ok(FileKind::Animation(_)))
}

/// Returns whether the magic number of a file identifies a known format, even if this crate does
/// not support the format.
pub(crate) fn is_known(bytes: &[u8]) -> bool {
    bytes.first_chunk::<LENGTH>().is_some_and(|magic| refusal(*magic).is_some() || known(*magic).is_some())
}

fn known(magic: [u8; LENGTH]) -> Option<FileKind> {
    let mut meshes = Generation::ALL.into_iter();
    let mut animations = AnimationGeneration::ALL.into_iter();
    let mesh = meshes.find(|generation| generation.magic().as_bytes() == magic).map(FileKind::Mesh);
    mesh.or_else(|| animations.find(|one| one.magic().as_bytes() == magic).map(FileKind::Animation))
}

fn fail(kind: Cause) -> Error {
    let format = if matches!(kind, Cause::Unsupported { .. }) { UNIGINE } else { NO_FORMAT };
    Error::new(format, Field::new("magic"), 0, kind)
}

/// Returns the error for the magic number of a known format that this crate does not read, or
/// `None` for an unknown magic number.
fn refusal(magic: [u8; LENGTH]) -> Option<Cause> {
    let number = match magic {
        [_, _, tens @ b'0'..=b'9', ones @ b'0'..=b'9'] => Some([tens, ones]),
        _ => None,
    };
    let (found, advice) = match (magic, number) {
        ([b'm', b's', ..], Some([b'0', _]))
        | ([b'm', b'i', b'0', _] | [b'a', b'n', b'0', _], Some(_))
        | ([b'm', b'r', b'0', b'2'], _) => {
            ("UNIGINE 1.x (or older) format", "it is not supported; open and re-save it in the engine")
        }
        ([b'm', b's', ..] | [b'a', b'n', ..], Some(_)) | ([b's', b'k' | b'n', b'1', b'0'], _) => (
            "newer/other UNIGINE format",
            "it is not supported by this version of meshpeek; export it as a .mesh of engine 2.20 or before, or an .anim",
        ),
        _ => return None,
    };
    let is_name = magic.iter().all(u8::is_ascii_alphanumeric);
    let found = if is_name { format!("{found} {}", copy_text(&magic)).into() } else { found.into() };
    Some(Cause::Unsupported { found, advice })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(magic: &[u8]) -> String {
        mesh(magic).unwrap_err().to_string()
    }

    #[test]
    fn names_what_it_refuses() {
        for old in ["mi08", "mi00", "ms00", "ms07", "ms09", "an00", "an08", "an09", "mr02"] {
            let text = refused(old.as_bytes());
            assert!(text.contains("UNIGINE 1.x (or older) format") && text.contains(old), "{text}");
            assert!(text.contains("open and re-save it in the engine"), "{text}");
        }
        for new in ["ms16", "ms99", "an14", "sk10", "sn10"] {
            assert!(refused(new.as_bytes()).contains(&format!("newer/other UNIGINE format {new}")));
        }
        for animation in ["an10", "an11", "an12", "an13"] {
            assert!(refused(animation.as_bytes()).contains(&format!("an animation, {animation}")));
        }
        assert!(super::animation(b"ms14").unwrap_err().to_string().contains("a mesh, ms14"));
        assert!(refused(b"@@b@....").contains("Paradox"));
    }

    #[test]
    fn tells_the_rest_by_their_bytes() {
        assert!(matches!(mesh(b"").unwrap_err().cause(), Cause::Empty));
        assert!(matches!(mesh(b"ms1").unwrap_err().cause(), Cause::UnexpectedEnd { needed: 4, left: 3 }));
        for odd in [&b"\x89PN1"[..], b"ms1\xff", b"MS10", b"msxx", b"ms+1", b"an 1"] {
            assert!(matches!(mesh(odd).unwrap_err().cause(), Cause::Unknown { .. }), "{odd:?}");
            assert!(!is_known(odd));
        }
        assert_eq!(mesh(b"ms15").unwrap(), Generation::Ms15);
        assert_eq!(animation(b"an13").unwrap(), AnimationGeneration::An13);
        assert!(is_known(b"ms12") && is_known(b"an13") && is_known(b"mi08"));
    }
}
