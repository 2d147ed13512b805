//! Memory snapshots: any bytes as a pickle, any text as JSON, and a real form with bytes replaced.
//! Each gives a reading or a sentence.

use diagnose::snapshot::{read_json, read_pickle};
use links::decode;

const FORM: &[u8] = include_bytes!("../../tests/snapshots/old-4.pickle");
/// Of the form, which a snapshot with fewer segments has too.
const START: usize = 1500;

/// Reads the bytes as a memory snapshot, and checks the findings or the sentence.
///
/// # Panics
/// When a check fails.
pub fn check(data: &[u8]) {
    let Some((which, data)) = data.split_first() else { return };
    let scenario = decode("model=llama-3.2-1b&cluster=dgx-h100&gpus=8&seq=4096").scenario;
    let found = match which % 3 {
        0 => read_pickle(data, &scenario),
        1 => read_json(&String::from_utf8_lossy(data), &scenario),
        _ => {
            let mut bytes = FORM[..START].to_vec();
            // A place and what stands there, a little at a time.
            for change in data.as_chunks::<3>().0 {
                let place = usize::from(u16::from_le_bytes([change[0], change[1]])) % START;
                bytes[place] = change[2];
            }
            // Whatever is open on the stack is closed.
            bytes.extend(b"ueueue.");
            read_pickle(&bytes, &scenario)
        }
    };
    match found {
        Ok(found) => {
            assert!(found.sentence.ends_with('.'), "{}", found.sentence);
            for change in found.changes {
                assert!(decode(&change.link).issues.is_empty(), "{}", change.link);
            }
        }
        Err(problem) => assert!(problem.ends_with('.'), "{problem}"),
    }
}
