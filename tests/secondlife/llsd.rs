//! Tests of LLSD, the value format of headers and blocks: reading, walking, limits, and writing.

use meshpeek::secondlife::llsd::{
    self, ContainerKind, LlsdEvent, LlsdLimits, LlsdValue, LlsdWalk, LlsdWriter, marker_line, read,
};
use meshpeek::secondlife::{AssetPart, Lod, Mesh, is_known};
use meshpeek::{Array as _, ErrorKind, Limits, OpenOptions};

use crate::mesh::{expect, open};
use crate::support::limit_message;
use crate::support::secondlife::raw_assets::{
    array, asset, everything, integer, level, map, one, spelled, square, stored_asset, string,
};

/// Returns the offset and the kind of the error for an invalid value.
fn refused(bytes: &[u8]) -> (u64, &'static str) {
    let fault = read(bytes, &LlsdLimits::default()).unwrap_err();
    (fault.at, fault.kind().id())
}

/// Copies a value with a writer.
fn copied(bytes: &[u8]) -> Vec<u8> {
    let mut writer = LlsdWriter::new();
    assert_eq!(writer.copy(bytes, 0, &LlsdLimits::default()).unwrap(), bytes.len());
    writer.into_bytes()
}

pub const DATE: [u8; 9] = [0x64, 0xee, 0x5f, 0x0a, 0x13, 0x99, 0x87, 0xd6, 0x41];
pub const UUID: [u8; 16] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16];

/// Returns a map with one value of every marker, and the kinds of the values in order.
fn every_marker() -> (Vec<u8>, [&'static str; 14]) {
    let bytes = map(&[
        ("undefined", b"!".to_vec()),
        ("true", b"1".to_vec()),
        ("false", b"0".to_vec()),
        ("integer", vec![b'i', 0xff, 0xff, 0xff, 0xfe]),
        ("real", vec![b'r', 0x3f, 0xf8, 0, 0, 0, 0, 0, 0]),
        ("uuid", [&[b'u'][..], &UUID].concat()),
        ("string", vec![b's', 0, 0, 0, 2, 0xff, 0xfe]),
        ("uri", b"l\0\0\0\x03a:b".to_vec()),
        ("date", DATE.to_vec()),
        ("binary", vec![b'b', 0, 0, 0, 3, 1, 2, 3]),
        ("array", b"[\0\0\0\x02!1]".to_vec()),
        ("map", b"{\0\0\0\x01'a'0}".to_vec()),
        ("single", b"'it\\'s'".to_vec()),
        ("double", b"\"\"".to_vec()),
    ]);
    let kinds = [
        "an undefined value",
        "a boolean",
        "a boolean",
        "an integer",
        "a real",
        "a UUID",
        "a string",
        "a URI",
        "a date",
        "binary data",
        "an array",
        "a map",
        "a string",
        "a string",
    ];
    (bytes, kinds)
}

#[test]
fn reads_every_marker() {
    let (bytes, kinds) = every_marker();
    let item = read(&bytes, &LlsdLimits::default()).unwrap();
    assert_eq!((item.at, item.end), (0, bytes.len()));
    let entries: Vec<_> = item.value.map().unwrap().iter().collect();
    assert!(entries.iter().map(|entry| entry.value.kind()).eq(kinds));
    // Each entry ends at the start of the next one.
    let starts: Vec<usize> = entries.iter().map(|entry| entry.key_at).chain([bytes.len() - 1]).collect();
    assert_eq!(starts[0], 5);
    for (entry, next) in entries.iter().zip(&starts[1..]) {
        assert_eq!(entry.end, *next);
        assert_eq!(read(&bytes[entry.at..], &LlsdLimits::default()).unwrap().end, entry.end - entry.at);
    }
    let value = |key: &str| item.value.map().unwrap().get(key).unwrap().value;
    assert!(matches!(value("true"), LlsdValue::Boolean(true)) && matches!(value("false"), LlsdValue::Boolean(false)));
    assert!(matches!(value("integer"), LlsdValue::Integer(-2)) && matches!(value("real"), LlsdValue::Real(1.5)));
    assert!(matches!(value("uuid"), LlsdValue::Uuid(&UUID)));
    assert!(matches!(value("date"), LlsdValue::Date(date) if (date - 1_511_941_196.162).abs() < 1e-3));
    assert_eq!(value("binary").binary(), Some(&[1, 2, 3][..]));
    assert_eq!((value("integer").number(), value("real").number()), (Some(-2.0), Some(1.5)));
    assert_eq!((value("date").number(), value("string").binary()), (None, None));
    let LlsdValue::Uri(uri) = value("uri") else { panic!() };
    assert!(uri.is("a:b") && uri.quote().is_none());
    let LlsdValue::String(text) = value("single") else { panic!() };
    assert!(text.is("it's") && text.quote() == Some(b'\'') && text.stored() == b"it\\'s");
    assert!(item.value.map().unwrap().get("nothing").is_none());
    assert_eq!(value("array").array().unwrap().len(), 2);
    assert!(value("array").array().unwrap().numbers::<2>().is_none());
}

#[test]
fn passes_over_a_value_event_by_event() {
    let (bytes, _) = every_marker();
    let mut walk = LlsdWalk::new(&bytes, 0, &LlsdLimits::default());
    let [mut opened, mut closed, mut keys, mut scalars] = [0; 4];
    while let Some(event) = walk.next().unwrap() {
        match event {
            LlsdEvent::Open(kind, count) => {
                assert!(matches!((kind, count), (ContainerKind::Map, 14 | 1) | (ContainerKind::Array, 2)));
                opened += 1;
            }
            LlsdEvent::Close(_) => closed += 1,
            LlsdEvent::Key(_) => keys += 1,
            LlsdEvent::Scalar(_) => scalars += 1,
        }
    }
    assert_eq!((opened, closed, keys, scalars, walk.at()), (3, 3, 15, 15, bytes.len()));
    assert!(walk.next().unwrap().is_none());
}

#[test]
fn dates_are_little_endian() {
    let LlsdValue::Date(date) = read(&DATE, &LlsdLimits::default()).unwrap().value else { panic!() };
    assert_eq!(date, 1_511_941_196.162_105);
    assert_eq!(spelled(|to| to.date(date)), DATE);
    let bytes = stored_asset(&[("date", DATE.to_vec())], &[]);
    assert_eq!(open(&bytes).header().unwrap().date(), Some(date));
}

#[test]
fn strings_are_bytes() {
    for content in [&b"\xff\xfe\0\x80"[..], b"", "ключ".as_bytes()] {
        let bytes = string(content);
        let LlsdValue::String(text) = read(&bytes, &LlsdLimits::default()).unwrap().value else { panic!() };
        assert_eq!((text.stored(), &*text.content()), (content, content));
        assert_eq!(copied(&bytes), bytes);
    }
    // The same bytes as a key.
    let bytes = [b"{\0\0\0\x01k\0\0\0\x02".as_slice(), &[0xff, 0x27], b"!}"].concat();
    let entry = read(&bytes, &LlsdLimits::default()).unwrap().value.map().unwrap().iter().next().unwrap();
    assert_eq!(entry.key.stored(), [0xff, 0x27]);
    assert_eq!(entry.key.to_string(), "\u{fffd}'");
}

/// Bytes between quotes, and the decoded text.
const ESCAPES: [(&[u8], &[u8]); 12] = [
    (b"", b""),
    (b"plain", b"plain"),
    (b"\\a\\b\\f\\n\\r\\t\\v", b"\x07\x08\x0c\n\r\t\x0b"),
    (b"\\x41\\xfF\\x0a", b"A\xff\n"),
    (b"\\\\", b"\\"),
    (b"\\\\n", b"\\n"),
    (b"\\'", b"'"),
    (b"\\\"", b"\""),
    (b"\\q\\0", b"q0"),
    (b"a\\x62c", b"abc"),
    (b"\xff\\\xfe", b"\xff\xfe"),
    (b"\\xx", b""),
];

#[test]
fn quoted_texts_spell_with_escapes() {
    for quote in [b'\'', b'"'] {
        let other = if quote == b'"' { b'\'' } else { b'"' };
        for (stored, content) in &ESCAPES[..11] {
            let quoted = [&[quote][..], stored, &[quote]].concat();
            let LlsdValue::String(text) = read(&quoted, &LlsdLimits::default()).unwrap().value else { panic!() };
            assert_eq!((text.stored(), text.quote(), &*text.content()), (*stored, Some(quote), *content));
            assert!(text == llsd::LlsdText::new(content) && llsd::LlsdText::new(content) == text);
            assert_eq!(copied(&quoted), quoted);
            let keyed = [b"{\0\0\0\x01", &*quoted, b"1}"].concat();
            let entry = read(&keyed, &LlsdLimits::default()).unwrap().value.map().unwrap().iter().next().unwrap();
            assert!(entry.key == text && copied(&keyed) == keyed);
            if let Ok(name) = std::str::from_utf8(content) {
                assert!(text.is(name) && !text.is("something else"));
                assert!(read(&keyed, &LlsdLimits::default()).unwrap().value.map().unwrap().get(name).is_some());
            }
        }
        // The other kind of quote is an ordinary byte.
        let bytes = [quote, other, quote];
        let LlsdValue::String(text) = read(&bytes, &LlsdLimits::default()).unwrap().value else { panic!() };
        assert_eq!(text.stored(), [other]);
        // An escaped quote does not end the string. A hexadecimal escape needs both digits.
        assert_eq!(refused(&[quote, b'a', b'\\', quote]), (4, "unexpected-end"));
        assert_eq!(refused(&[quote, b'\\']), (2, "unexpected-end"));
        assert_eq!(refused(&[quote, b'\\', b'x', b'4']), (3, "unexpected-end"));
        assert_eq!(refused(&[quote, b'\\', b'x', b'4', quote]), (3, "value"));
        assert_eq!(refused(&[quote, b'\\', b'x', b'x', b'x', quote]), (3, "value"));
    }
}

#[test]
fn a_marker_line_may_stand_in_front() {
    let body = one(square());
    let lines = ["<? LLSD/Binary ?>", "<?llsd/binary?>", "<? llsd/BINARY ?>", "<?\tLLSD/Binary  ?>"];
    for line in lines {
        for end in ["", "\n", "\r\n"] {
            let front = [line, end].concat();
            let bytes = [front.as_bytes(), &body].concat();
            assert_eq!(marker_line(&bytes).unwrap(), front.len());
            let mesh = open(&bytes);
            let header = mesh.header().unwrap();
            assert_eq!(header.marker_line(), front.len() as u64);
            assert_eq!(header.len() - header.marker_line(), open(&body).header().unwrap().len());
            assert_eq!(mesh.level(Lod::High).unwrap().submesh(0).unwrap().vertex_count(), 4, "{front:?}");
            assert!(is_known(&bytes));
            // The marker line may also precede the value of a block. Offsets then include the
            // length of the line.
            let block = [front.as_bytes(), &level(&[square()])].concat();
            let bytes = asset(&[("high_lod", block)]);
            let mesh = open(&bytes);
            let found = mesh.block(AssetPart::HighLod).unwrap().unwrap();
            assert_eq!((found.value_at(), found.rest().len()), (front.len(), 0));
            let submesh = mesh.level(Lod::High).unwrap().submesh(0).unwrap();
            assert_eq!(submesh.at(), front.len() + 5);
            assert_eq!(submesh.weights().unwrap().unwrap().get(3).unwrap().len(), 4);
        }
    }
    for wrong in [&b"<? LLSD/XML ?>\n{"[..], b"<llsd/binary?>{", b"<? LLSD Binary ?>", &[b'<'; 80], b"<?\xff"] {
        assert_eq!(marker_line(wrong).unwrap_err().kind().id(), "value", "{wrong:?}");
        assert!(Mesh::open(wrong).is_err() && !is_known(wrong));
    }
}

/// Encodes nested arrays.
fn nested(depth: usize) -> Vec<u8> {
    let mut bytes = b"[\0\0\0\x01".repeat(depth - 1);
    bytes.extend(b"[\0\0\0\0]");
    bytes.extend(vec![b']'; depth - 1]);
    bytes
}

#[test]
fn nests_96_deep_and_no_deeper() {
    assert_eq!(read(&nested(96), &LlsdLimits::default()).unwrap().end, nested(96).len());
    let fault = read(&nested(97), &LlsdLimits::default()).unwrap_err();
    assert!(fault.kind() == ErrorKind::Limit && fault.to_string().contains(&limit_message("depth", 96, 97)), "{fault}");
    assert_eq!(fault.at, 96 * 5);
    // Half a million nested arrays are refused in the same way, without recursion.
    assert_eq!(refused(&nested(500_000)).1, "limit");
    let rules = |depth| LlsdLimits { depth, ..LlsdLimits::default() };
    assert!(read(&nested(3), &rules(3)).is_ok() && read(&nested(4), &rules(3)).is_err());
    assert!(read(b"!", &rules(0)).is_ok() && read(&nested(1), &rules(0)).is_err());
    // The depth is never more than 256, even if the limit allows more.
    assert!(read(&nested(256), &rules(u32::MAX)).is_ok());
    assert!(read(&nested(257), &rules(u32::MAX)).unwrap_err().to_string().contains(&limit_message("depth", 256, 257)));
    // The same limit applies to a header and a block. Their errors name the field.
    let header = |depth| map(&[("x", nested(depth))]);
    assert!(Mesh::open(header(95)).is_ok());
    expect(Mesh::open(header(96)), "header", "limit");
    let block = asset(&[("high_lod", nested(97))]);
    let error = expect(open(&block).level(Lod::High), "high_lod", "limit");
    assert_eq!((error.offset(), error.inflated_offset()), (Some(open(&block).header().unwrap().base()), Some(480)));
}

/// Tests files of five and six bytes that declare any count.
///
/// They are refused at once.
#[test]
fn survives_any_count() {
    for mark in *b"slb[{" {
        for count in [-1, i32::MIN, i32::MAX, i32::MAX / 3, 0x0100_0000, 2] {
            for rest in [&b""[..], b"!"] {
                let bytes = [&[mark][..], &count.to_be_bytes(), rest].concat();
                let expected = match mark {
                    _ if count < 0 => (1, "value"),
                    b'[' | b'{' => (0, "count"),
                    _ => (1, "unexpected-end"),
                };
                assert_eq!(refused(&bytes), expected, "{} {count} {rest:?}", char::from(mark));
                expect(Mesh::open(bytes), "header", expected.1);
            }
        }
    }
    // An entry of a map takes at least three bytes: a pair of quotes, and a value.
    assert!(read(b"{\0\0\0\x01''!}", &LlsdLimits::default()).is_ok());
    assert_eq!(refused(b"{\0\0\0\x02''!}"), (0, "count"));
}

#[test]
fn limits_the_items_of_a_tree() {
    let bytes = array(&vec![b"!".to_vec(); 9]);
    let rules = |items| LlsdLimits { items, ..LlsdLimits::default() };
    assert!(read(&bytes, &rules(10)).is_ok());
    let fault = read(&bytes, &rules(9)).unwrap_err();
    assert!(fault.kind() == ErrorKind::Limit && fault.to_string().contains(&limit_message("items", 9, 10)), "{fault}");
    assert_eq!(fault.at, 5 + 8);
    let mesh = asset(&[("high_lod", bytes)]);
    let limits = Limits::default().with_items(9);
    let mesh = Mesh::open_with(mesh, &OpenOptions::default().with_limits(limits)).unwrap();
    expect(mesh.level(Lod::High), "high_lod", "limit");
}

#[test]
fn terminators_bind() {
    assert_eq!(refused(b"[\0\0\0\x02!]!"), (6, "value"));
    assert_eq!(refused(b"[\0\0\0\x01!}"), (6, "value"));
    assert_eq!(refused(b"[\0\0\0\x01!!"), (6, "value"));
    assert_eq!(refused(b"[\0\0\0\x01!"), (6, "unexpected-end"));
    assert_eq!(refused(b"[\0\0\0\0}"), (5, "value"));
    assert_eq!(refused(b"{\0\0\0\0]"), (5, "value"));
    assert_eq!(refused(b"{\0\0\0\x01'a'!]"), (9, "value"));
    assert_eq!(refused(b"{\0\0\0\x02'a'!}..."), (9, "value"));
    assert_eq!(refused(b"{\0\0\0\x01'a'}..."), (8, "value"));
    assert_eq!(refused(b"{\0\0\0\x01'a'!"), (9, "unexpected-end"));
    // A key without its marker is invalid, even though some viewers accept it.
    assert_eq!(refused(b"{\0\0\0\x01i\0\0\0\x01}"), (5, "value"));
    assert_eq!(refused(b"{\0\0\0\x01s\0\0\0\x01a!}"), (5, "value"));
    for byte in 0..=u8::MAX {
        let bytes = [byte];
        let found = read(&bytes, &LlsdLimits::default()).map_err(|fault| fault.kind().id());
        match byte {
            b'!' | b'1' | b'0' => assert_eq!(found.unwrap().end, 1),
            b'i' | b'r' | b'u' | b's' | b'l' | b'b' | b'd' | b'[' | b'{' | b'\'' | b'"' => {
                assert_eq!(found.unwrap_err(), "unexpected-end", "{byte:02x}");
            }
            _ => assert_eq!(found.unwrap_err(), "value", "{byte:02x}"),
        }
    }
}

#[test]
fn writes_what_it_read() {
    let (bytes, _) = every_marker();
    assert_eq!(copied(&bytes), bytes);
    // The value is copied from the middle of its bytes and appended after other bytes.
    let mut writer = LlsdWriter::after(b"front".to_vec());
    let framed = [b"..".as_slice(), &bytes, b"rest"].concat();
    assert_eq!(writer.copy(&framed, 2, &LlsdLimits::default()).unwrap(), 2 + bytes.len());
    assert_eq!(writer.into_bytes(), [b"front".as_slice(), &bytes].concat());
    // Order and duplicate keys are kept.
    let twice = map(&[("b", integer(1)), ("a", integer(2)), ("b", integer(3))]);
    assert_eq!(copied(&twice), twice);
    let found = read(&twice, &LlsdLimits::default()).unwrap().value.map().unwrap();
    assert!(found.len() == 3 && matches!(found.get("b").unwrap().value, LlsdValue::Integer(1)));
    // If the value is truncated, the bytes before the end have been written.
    let mut writer = LlsdWriter::new();
    assert!(writer.copy(&bytes[..bytes.len() - 1], 0, &LlsdLimits::default()).unwrap_err().needs_more());
    assert_eq!(writer.into_bytes(), bytes[..bytes.len() - 1]);
    let all = everything();
    for stored in open(&all).header().unwrap().blocks() {
        let block = open(&all).block(stored.part).unwrap().unwrap().bytes().to_vec();
        assert_eq!(copied(&block), block, "{:?}", stored.part);
    }
}

/// Tests that a value truncated at any length needs more bytes.
///
/// It is never reported as damaged.
#[test]
fn a_cut_value_needs_more() {
    let (bytes, _) = every_marker();
    for length in 0..bytes.len() {
        let fault = read(&bytes[..length], &LlsdLimits::default()).unwrap_err();
        assert!(fault.needs_more() && fault.at <= length as u64, "{length}: {fault}");
    }
}
