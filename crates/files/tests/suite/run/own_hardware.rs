//! Configurations on the hardware on which their makers run them (`tests/runs/own_hardware.csv`):
//! they do run there, so a “no” is an error of the reader or of the engine.

use engine::model::odds::Verdict;
use files::run::{Base, File, read_run, spread};
use links::decode::decode;

const RUNS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/runs");

/// Runs that are called impossible on the hardware that they run on. It may only fall: some are
/// filled to the last GiB by their makers, others have texts far below their cut-off.
const MOST_REFUSED: usize = 9;
/// Runs that are said to fit.
const FEWEST_FITTING: usize = 48;

#[test]
fn what_makers_run_fits() {
    let table = std::fs::read(format!("{RUNS}/own_hardware.csv")).unwrap();
    let mut counts = [0_usize; 3];
    let mut refused = Vec::new();
    for row in csv::Reader::from_reader(table.as_slice()).records().map(Result::unwrap) {
        let [files, gpu, gpus] = [0, 1, 2].map(|column| row[column].to_owned());
        let hardware = gpu.strip_prefix("cluster:").map_or(format!("gpu={gpu}"), |id| format!("cluster={id}"));
        let base = Base {
            over: vec![("gpus".to_owned(), gpus.clone())],
            ..Base::from(&decode(&format!("{hardware}&gpus={gpus}")).scenario)
        };
        let files = files.split('+').map(|path| {
            let name = path.rsplit('/').next().unwrap_or(path);
            File::new(name, std::fs::read_to_string(format!("{RUNS}/{path}")).unwrap())
        });
        let files: Vec<File> = files.collect();
        let run = read_run(&files, &base).unwrap_or_else(|said| panic!("{}: {said}", files[0].name));
        let verdict = spread(&run, &files, &base).verdict();
        // What is asked about has no verdict.
        if !run.unread.is_empty() {
            continue;
        }
        counts[match verdict {
            Verdict::Fits => 0,
            Verdict::Tight => 1,
            Verdict::DoesNotFit | Verdict::HostDoesNotFit => 2,
        }] += 1;
        if matches!(verdict, Verdict::DoesNotFit | Verdict::HostDoesNotFit) {
            refused.push(format!("{} on {gpus} {gpu}", files[0].name));
        }
    }
    assert!(counts[0] >= FEWEST_FITTING && counts[2] <= MOST_REFUSED, "{counts:?}: {refused:#?}");
}
