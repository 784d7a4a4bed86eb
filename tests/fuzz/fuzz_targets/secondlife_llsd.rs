//! LLSD: walking, reading and copying agree, and the output equals the input.
#![no_main]

use libfuzzer_sys::fuzz_target;
use meshpeek::secondlife::llsd::{LlsdEvent, LlsdLimits, LlsdValue, LlsdWalk, LlsdWriter, marker_line, read};

/// Visits a value item by item, and returns the number of values.
fn count(value: LlsdValue<'_>, bytes: &[u8], depth: u32) -> u64 {
    assert!(depth <= LlsdLimits::default().depth);
    match value {
        LlsdValue::Array(array) => {
            let items: Vec<_> = array.iter().collect();
            assert_eq!((items.len(), items.is_empty()), (array.len(), array.is_empty()));
            assert!(items.windows(2).all(|two| two[0].end == two[1].at));
            assert_eq!(
                array.numbers::<3>().is_some(),
                items.len() == 3 && items.iter().all(|one| one.value.number().is_some())
            );
            items.iter().map(|item| count(item.value, bytes, depth + 1)).sum::<u64>() + 1
        }
        LlsdValue::Map(map) => {
            let entries: Vec<_> = map.iter().collect();
            assert_eq!((entries.len(), entries.is_empty()), (map.len(), map.is_empty()));
            assert!(entries.windows(2).all(|two| two[0].end == two[1].key_at));
            for entry in entries.iter().take(8) {
                let shown = entry.key.to_string();
                assert!(shown.len() < 5 * 4096 && !shown.contains('\u{1b}'));
                if let Ok(name) = std::str::from_utf8(&entry.key.content()) {
                    let first = entries.iter().find(|other| other.key == entry.key).expect("the entry itself");
                    assert_eq!(map.get(name).map(|found| found.at), Some(first.at));
                }
            }
            entries.iter().map(|entry| count(entry.value, bytes, depth + 1)).sum::<u64>() + 1
        }
        LlsdValue::String(text) | LlsdValue::Uri(text) => {
            assert!(text.bytes().eq(text.content().iter().copied()) && text.content().len() <= text.stored().len());
            1
        }
        _ => 1,
    }
}

fuzz_target!(|bytes: &[u8]| {
    let line = marker_line(bytes);
    assert!(line.is_ok_and(|line| line <= bytes.len().min(66)) || bytes.starts_with(b"<"));
    let rules = LlsdLimits::default();
    let mut writer = LlsdWriter::new();
    let copied = writer.copy(bytes, 0, &rules);
    let walked = LlsdWalk::new(bytes, 0, &rules).finish();
    let found = read(bytes, &rules);
    match (&copied, &walked, &found) {
        (Ok(one), Ok(other), Ok(item)) => assert!(one == other && *one == item.end && item.at == 0),
        (Err(one), Err(two), Err(three)) => {
            for fault in [one, two, three] {
                assert_eq!((fault.at, fault.to_string()), (one.at, one.to_string()));
                assert!(fault.at <= bytes.len() as u64);
            }
            return;
        }
        unlike => panic!("{unlike:?}"),
    }
    let item = found.expect("reading succeeded before");
    let written = writer.into_bytes();
    assert!(written == bytes[..item.end], "written differently");
    let mut again = LlsdWriter::new();
    assert_eq!(again.copy(&written, 0, &rules).expect("meshpeek's own output can be read"), item.end);
    assert!(again.into_bytes() == written);
    let (mut walk, mut values) = (LlsdWalk::new(bytes, 0, &rules), 0);
    while let Some(event) = walk.next().expect("reading succeeded before") {
        values += u64::from(matches!(event, LlsdEvent::Open(..) | LlsdEvent::Scalar(_)));
    }
    // Nested lists are walked again at each level. All items are therefore visited only if there
    // are few.
    if values < 2000 {
        assert_eq!(count(item.value, bytes, 0), values);
    }
    for length in [item.end - 1, item.end / 2, 0] {
        let fault = read(&bytes[..length], &rules).expect_err("a part of a value is not a value");
        assert!(fault.needs_more(), "{fault}");
    }
    let tight = LlsdLimits { items: values - 1, ..rules };
    assert!(
        LlsdWalk::new(bytes, 0, &tight).finish().is_err()
            && LlsdWalk::new(bytes, 0, &LlsdLimits { items: values, ..rules }).finish().is_ok()
    );
});
