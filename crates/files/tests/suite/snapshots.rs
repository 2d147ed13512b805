//! Tests of memory snapshots: recorded results, and files that are not snapshots. The snapshots
//! were not recorded on a GPU but written by `tests/snapshots/make.py` in PyTorch's documented
//! form.

use files::brought::{Import, ImportKind, Item, import_items};
use links::decode;
use proptest::prelude::*;
use std::fmt::Write;

const SCENARIO: &str = "cluster=dgx-h100&model=llama-3.2-1b&gpus=1&seq=4096&mbs=2";
const REFUSED: &[u8] = include_bytes!("../../../../tests/snapshots/refused-2.pickle");
const PEAK: &[u8] = include_bytes!("../../../../tests/snapshots/peak-5.pickle");
const NOW: &[u8] = include_bytes!("../../../../tests/snapshots/now-3.pickle");
const NOW_JSON: &[u8] = include_bytes!("../../../../tests/snapshots/now.json");
const OLD: &[u8] = include_bytes!("../../../../tests/snapshots/old-4.pickle");

fn read(bytes: &[u8]) -> Result<Import, String> {
    import_items(&[Item { name: Some("snapshot".into()), bytes: bytes.to_vec() }], &decode(SCENARIO).scenario)
}

#[test]
fn snapshots_say_what_is_recorded() {
    let mut text = String::new();
    for (name, bytes) in [("refused", REFUSED), ("peak", PEAK), ("now", NOW), ("old", OLD)] {
        let brought = read(bytes).unwrap();
        assert_eq!((brought.kind, decode(&brought.scenario).scenario), (ImportKind::Error, decode(SCENARIO).scenario));
        writeln!(text, "{name}\n{}\n{}", brought.said, brought.read).unwrap();
        for section in &brought.sections {
            writeln!(text, "{}:", section.title).unwrap();
            for line in &section.lines {
                writeln!(text, "  {line}").unwrap();
            }
        }
        // The memory after a change is tested in the engine.
        for offer in brought.offers {
            let (change, _) = offer.what.split_once(": the run needs").unwrap();
            writeln!(text, "- {change}").unwrap();
        }
        text.push('\n');
    }
    expect_test::expect_file!["../../../../tests/snapshots/said.txt"].assert_eq(&text);
}

#[test]
fn a_pickle_and_its_json_say_the_same() {
    assert_eq!(read(NOW).unwrap(), read(NOW_JSON).unwrap());
}

/// One segment of 1,000 MiB with a tensor of 200 MiB in it, and a refused request.
#[test]
fn fragmentation_is_told_with_what_removes_it() {
    let mib = 1_048_576_u64;
    let text = format!(
        r#"{{"segments": [{{"device": 0, "address": 4096, "total_size": {}, "blocks": [
            {{"address": 4096, "size": {}, "requested_size": {}, "state": "active_allocated", "frames": []}},
            {{"address": {}, "size": {}, "requested_size": 0, "state": "inactive", "frames": []}}]}}],
            "device_traces": [[{{"action": "oom", "size": {}, "device_free": {}, "stream": 0, "frames": []}}]],
            "allocator_settings": {{"expandable_segments": false}}}}"#,
        1000 * mib,
        200 * mib,
        200 * mib,
        4096 + 200 * mib,
        800 * mib,
        900 * mib,
        400 * mib
    );
    let brought = read(text.as_bytes()).unwrap();
    let remarks = brought.sections.iter().find(|section| section.title == "What else the snapshot says").unwrap();
    let said = remarks.lines.join("\n").replace(['\u{a0}', '\u{2009}', '\u{202f}'], " ");
    assert!(said.contains("held 800 MiB without a tensor in it, more than requested"), "{said}");
    assert!(said.contains("Memory without a tensor is in 1 of 1 segments; the largest block has 800 MiB."), "{said}");
    assert!(said.contains("The driver had 400 MiB free") && said.contains("fragmentation ended this run"), "{said}");
    assert!(said.contains("expandable_segments:True"), "{said}");
    assert!(brought.offers.iter().any(|offer| offer.what.contains("Expandable")), "{:?}", brought.offers);
}

fn refused(bytes: &[u8]) -> String {
    let said = read(bytes).unwrap_err();
    assert!(said.starts_with("“snapshot”: ") && said.ends_with('.'), "{said}");
    said
}

#[test]
fn other_files_are_refused_by_a_sentence() {
    // pickle.dumps({"a": 1}), an object whose reading would run a command, and a list.
    assert!(refused(b"\x80\x04}\x94\x8c\x01a\x94K\x01s.").contains("is not a memory snapshot"));
    assert!(refused(b"\x80\x02cos\nsystem\nX\x06\0\0\0rm -rf\x85R.").contains("was not executed"));
    assert!(refused(b"\x80\x02].").contains("empty"));
    assert!(refused(b"\x80\x09N.").contains("protocol 9"));
    assert!(refused(b"\x80\x02\xff.").contains("0xff"));
    assert!(refused(b"\x80\x02u.").contains("contradict each other"));
    assert!(refused(b"\x80\x02X\xff\xff\xff\xff").contains("is incomplete"));
    assert!(refused(br#"{"segments": [{"total_size": 1, "blocks": 3}]}"#).contains("cannot be read"));
    assert!(refused(br#"{"segments": [], "blocks": [], "total_size": 0}"#).contains("empty"));
    for end in (2..REFUSED.len() - 1).step_by(97) {
        refused(&REFUSED[..end]);
    }
}

#[test]
fn bombs_end_at_once() {
    // Two million nested tuples.
    let nested = [&b"\x80\x02N"[..], &vec![0x85; 2_000_000], b"."].concat();
    refused(&nested);
    // Stacks of a hundred thousand equal lines, and an entry that is named 4 million times.
    let line = b"}(X\x08\0\0\0filenameX\x04\0\0\0a.pyX\x04\0\0\0nameX\x01\0\0\0fu";
    let mut lines = [
        &b"\x80\x02}X\x08\0\0\0segments]sX\x0d\0\0\0device_traces]](}(X\x06\0\0\0actionX\x05\0\0\0alloc"[..],
        b"X\x04\0\0\0addrK\0X\x04\0\0\0sizeK\x01X\x06\0\0\0frames](",
        line,
        b"q\0",
    ]
    .concat();
    lines.extend(b"h\0".repeat(100_000));
    lines.extend(b"eu");
    lines.extend(b"q\x01");
    lines.extend(b"h\x01".repeat(4_000_000));
    lines.extend(b"eas.");
    assert!(refused(&lines).contains("too often"));
    // A list that contains itself.
    refused(b"\x80\x02]q\0h\0a.");
    // A text of 4 GiB, of which four bytes are present.
    refused(b"\x80\x04\x8d\0\0\0\0\x01\0\0\0abcd.");
}

proptest! {
    #![proptest_config(crate::cases::cases(256))]

    #[test]
    fn any_bytes_are_answered(place in 2..REFUSED.len(), byte: u8, more in prop::collection::vec(any::<u8>(), 0..40)) {
        let mut changed = REFUSED.to_vec();
        changed[place] = byte;
        for bytes in [changed, [&b"\x80\x04"[..], &more].concat()] {
            match read(&bytes) {
                Ok(brought) => prop_assert!(brought.said.ends_with('.'), "{}", brought.said),
                Err(said) => prop_assert!(said.ends_with('.'), "{said}"),
            }
        }
    }
}
