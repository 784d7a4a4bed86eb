//! Lists of varying length: the index finds the same runs as iteration, for records of several
//! sizes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use meshpeek::array::runs::CountedRuns;
use meshpeek::parse::Record;

fn agree<T: Record + PartialEq + std::fmt::Debug>(bytes: &[u8], len: usize) {
    let runs = CountedRuns::<T>::new(bytes, len);
    let walked: Vec<&[T]> = runs.iter().collect();
    let index = runs.index().expect("memory");
    assert!(index.bytes() <= len.div_ceil(64) * 40 + (len + 1) * 4);
    for (run, expected) in walked.iter().enumerate() {
        assert_eq!(runs.get(&index, run), Some(*expected), "run {run}");
    }
    assert_eq!(runs.get(&index, len), None);
    match runs.measure() {
        Ok(extent) => {
            assert_eq!(walked.len(), len);
            let records: usize = walked.iter().map(|run| run.len()).sum();
            assert_eq!(extent.records, records as u64);
            assert_eq!(extent.bytes, (len + records * size_of::<T>()) as u64);
            assert_eq!(usize::from(extent.longest.1), walked.iter().map(|run| run.len()).max().unwrap_or(0));
        }
        Err(at) => {
            assert!(walked.len() < len && at <= bytes.len() as u64);
            let before: usize = walked.iter().map(|run| 1 + size_of_val(*run)).sum();
            assert_eq!(at, before as u64, "the offset of the run that does not fit");
        }
    }
}

fuzz_target!(|bytes: &[u8]| {
    let Some((len, bytes)) = bytes.split_first_chunk::<2>() else { return };
    let len = usize::from(u16::from_le_bytes(*len)) % 2048;
    agree::<u8>(bytes, len);
    agree::<[u8; 4]>(bytes, len);
    agree::<[u8; 12]>(bytes, len);
});
