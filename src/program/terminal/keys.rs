//! The keys that a terminal sends, as bytes.

const ESCAPE: u8 = 0x1b;
const BELL: u8 = 7;

/// A key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyPress {
    Left,
    Right,
    Up,
    Down,
    Home,
    Escape,
    /// Ctrl-C.
    Interrupt,
    /// An ASCII character.
    Letter(u8),
}

/// The key at the start of a buffer, or `None` for bytes without a meaning here, and their number.
type DecodedKey = (Option<KeyPress>, usize);

/// Decodes the first key of a buffer. Returns `None` if the buffer is empty, or if it ends in a
/// sequence and `has_ended` is false, which means that more bytes may follow.
///
/// Bytes that are no key of the viewer, such as answers of the terminal, have no key.
pub fn decode_key(bytes: &[u8], has_ended: bool) -> Option<DecodedKey> {
    let found = |key: Option<KeyPress>, length| Some((key, length));
    match bytes {
        [] => None,
        [ESCAPE] => has_ended.then_some((Some(KeyPress::Escape), 1)),
        [ESCAPE, ESCAPE, ..] => found(Some(KeyPress::Escape), 1),
        [ESCAPE, b'[', rest @ ..] => control_sequence(rest).or_else(|| incomplete(bytes, has_ended)),
        [ESCAPE, b'O', last, ..] => found(named(&[], *last), 3),
        [ESCAPE, b'O'] => incomplete(bytes, has_ended),
        [ESCAPE, b'_' | b']' | b'P' | b'^' | b'X', ..] => string(bytes).or_else(|| incomplete(bytes, has_ended)),
        [ESCAPE, _, ..] => found(None, 2),
        [3, ..] => found(Some(KeyPress::Interrupt), 1),
        [letter, ..] => found(letter.is_ascii().then_some(KeyPress::Letter(*letter)), 1),
    }
}

/// Skips all bytes if no more follow.
fn incomplete(bytes: &[u8], has_ended: bool) -> Option<DecodedKey> {
    has_ended.then_some((None, bytes.len()))
}

/// Decodes the bytes after `ESC [`: parameters, and a last byte from `@` to `~`.
fn control_sequence(rest: &[u8]) -> Option<DecodedKey> {
    let end = rest.iter().position(|byte| !(0x20..0x40).contains(byte))?;
    let (parameters, last) = rest.split_at_checked(end)?;
    let key = last.first().and_then(|last| named(parameters, *last));
    Some((key, end.saturating_add(3)))
}

/// Returns the key of a sequence. Parameters after the first are modifiers.
fn named(parameters: &[u8], last: u8) -> Option<KeyPress> {
    let first = parameters.split(|byte| *byte == b';').next().unwrap_or_default();
    match (last, first) {
        (b'A', _) => Some(KeyPress::Up),
        (b'B', _) => Some(KeyPress::Down),
        (b'C', _) => Some(KeyPress::Right),
        (b'D', _) => Some(KeyPress::Left),
        (b'H', _) | (b'~', b"1" | b"7") => Some(KeyPress::Home),
        _ => None,
    }
}

/// Skips a string: an answer of the terminal that ends with BEL or `ESC \`.
fn string(bytes: &[u8]) -> Option<DecodedKey> {
    let bell = bytes.iter().position(|byte| *byte == BELL).map(|end| end.saturating_add(1));
    let terminator = bytes.windows(2).position(|pair| pair == [ESCAPE, b'\\']).map(|end| end.saturating_add(2));
    let length = [bell, terminator].into_iter().flatten().min()?;
    Some((None, length))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode_all(mut bytes: &[u8]) -> Vec<KeyPress> {
        let mut keys = Vec::new();
        while let Some((key, length)) = decode_key(bytes, true) {
            assert!((1..=bytes.len()).contains(&length), "{bytes:?}");
            keys.extend(key);
            bytes = &bytes[length..];
        }
        keys
    }

    #[test]
    fn decodes_every_form_of_a_key() {
        use KeyPress::*;
        let table: [(&[u8], &[KeyPress]); 11] = [
            (b"\x1b[A\x1b[B\x1b[C\x1b[D", &[Up, Down, Right, Left]),
            (b"\x1bOA\x1bOB\x1bOC\x1bOD\x1bOH", &[Up, Down, Right, Left, Home]),
            (b"\x1b[H\x1b[1~\x1b[7~", &[Home, Home, Home]),
            (b"\x1b[1;5D\x1b[1;2A", &[Left, Up]),
            (b"q\x03", &[Letter(b'q'), Interrupt]),
            (b"\x1b", &[Escape]),
            (b"\x1b\x1b[A", &[Escape, Up]),
            (b"\x1b[3~\x1b[15~\x1bxn", &[Letter(b'n')]),
            (b"\x1b_Gi=1;OK\x1b\\n\x1b]11;rgb:0/0/0\x07p", &[Letter(b'n'), Letter(b'p')]),
            ("\u{e4}+".as_bytes(), &[Letter(b'+')]),
            (b"\x1b[<0;1", &[]),
        ];
        for (bytes, keys) in table {
            assert_eq!(decode_all(bytes), keys, "{bytes:?}");
        }
    }

    #[test]
    fn waits_for_the_rest_of_a_sequence() {
        for bytes in [&b""[..], b"\x1b", b"\x1b[", b"\x1b[1;5", b"\x1bO", b"\x1b_Gi=1", b"\x1b_Gi=1\x1b"] {
            assert_eq!(decode_key(bytes, false), None, "{bytes:?}");
        }
    }

    #[test]
    fn any_bytes_are_consumed() {
        let mut state = 1_u32;
        for _ in 0..2000 {
            let bytes: Vec<u8> = (0..12)
                .map(|_| {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    b"\x1b[O_A;~1\x07\\q\xff"[usize::try_from(state >> 24).unwrap() % 12]
                })
                .collect();
            decode_all(&bytes);
        }
    }
}
