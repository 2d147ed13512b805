//! Lines of training logs that users posted: measurements and their comparison with the prediction,
//! as recorded.

use diagnose::log::{Comparison, MOST_BYTES, Measured, compare, parse_log};
use links::decode;
use proptest::prelude::*;
use std::fmt::Write;

const LINES: &str = include_str!("../../../../tests/logs/lines.txt");

fn cases() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    let blocks = LINES.split("\n\n").filter(|block| block.starts_with("source "));
    blocks.map(|block| {
        let (source, rest) = block.split_once('\n').unwrap();
        let (scenario, text) = rest.split_once('\n').unwrap();
        (source, scenario.strip_prefix("scenario ").unwrap(), text)
    })
}

fn written(source: &str, measured: &Measured, found: &Comparison) -> String {
    let mut text = format!("{source}\n{}\n", serde_json::to_string(measured).unwrap());
    writeln!(text, "{}", found.sentence).unwrap();
    for reason in &found.reasons {
        writeln!(text, "  {:.0} % {} ({:.4} s)", 100.0 * reason.explains, reason.what, reason.predicted).unwrap();
    }
    for reason in found.memory.iter().flat_map(|memory| &memory.reasons) {
        writeln!(text, "  memory {:.0} % {} ({:.3e} bytes)", 100.0 * reason.explains, reason.what, reason.predicted)
            .unwrap();
    }
    for remark in &found.remarks {
        writeln!(text, "  {remark}").unwrap();
    }
    let ratio = found.ratio.map_or("-".into(), |ratio| format!("{ratio:.3}"));
    writeln!(text, "  ratio {ratio}, {}", found.corrected.as_deref().unwrap_or("-")).unwrap();
    text
}

#[test]
fn lines_of_each_framework_are_read_as_recorded() {
    let (mut all, mut wrong) = (Vec::new(), Vec::new());
    for (source, link, text) in cases() {
        let decoded = decode(link);
        wrong.extend(decoded.issues.iter().map(|issue| format!("{source}: {}", issue.message)));
        let measured = parse_log(text).unwrap_or_else(|error| panic!("{source}: {error}"));
        let found = compare(&measured, &decoded.scenario);
        // The type is sent between workers.
        let json = serde_json::to_string(&found).unwrap();
        assert_eq!(serde_json::from_str::<Comparison>(&json).unwrap(), found);
        // The link contains the correction: the corrected scenario takes the measured time, if the
        // ratio is within bounds and no kernel would exceed its peak.
        let corrected = decode(found.corrected.as_deref().unwrap()).scenario;
        let anchor = corrected.anchor;
        if let Some(seconds) = found.measured.filter(|_| anchor.time > 0.75 && anchor.time < 20.0) {
            let again = corrected.report().update.time.step.get();
            assert!((again / seconds - 1.0).abs() < 0.02, "{source}: {again} for {seconds}");
        }
        all.push(written(source, &measured, &found));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    let text = all.join("\n");
    expect_test::expect_file!["../../../../tests/logs/measured.txt"].assert_eq(&text);
}

#[test]
fn texts_without_figures_are_answered_by_a_sentence() {
    for text in ["", " \n", "loss: 3.1", "step: 1 tps: nan", "time_per_iteration_ms: K", "\u{1b}[", "s/it]"] {
        let error = parse_log(text).unwrap_err();
        assert!(error.ends_with('.'), "{error}");
    }
    const { assert!(MOST_BYTES >= 30 << 20) };
}

#[test]
fn a_log_of_thirty_megabytes_is_read_in_one_pass() {
    let line = "\u{1b}[31mstep: 10\u{1b}[39m  loss: 10.2391  memory: 44.84GiB(47.19%)  tps: 5,615  tflops: 325.20  mfu: 32.88%\n";
    let other = "2025-10-15 10:37:01 WARNING something that has nothing to do with it, 1 of 2, and is long enough to be a line\n";
    let text = (line.to_owned() + other).repeat((30 << 20) / (line.len() + other.len()));
    let measured = parse_log(&text).unwrap();
    assert_eq!((measured.writer.as_ref(), measured.tokens_per_s_per_gpu), ("torchtitan", Some(5615.0)));
}

/// A table as PyTorch prints it: a run with peaks of 47.1 GiB allocated and 51.2 GiB reserved.
#[test]
fn the_peaks_of_a_memory_summary_are_compared() {
    let table = "\
|===========================================================================|
|                  PyTorch CUDA memory summary, device ID 0                 |
|---------------------------------------------------------------------------|
|            CUDA OOMs: 1            |        cudaMalloc retries: 3         |
|===========================================================================|
|        Metric         | Cur Usage  | Peak Usage | Tot Alloc  | Tot Freed  |
|---------------------------------------------------------------------------|
| Allocated memory      |  30500 MiB |  48230 MiB |    129 TiB |    129 TiB |
|       from large pool |  30422 MiB |  48150 MiB |    128 TiB |    128 TiB |
|---------------------------------------------------------------------------|
| GPU reserved memory   |  52440 MiB |  52440 MiB |  99100 MiB |  46660 MiB |
|===========================================================================|";
    let measured = parse_log(table).unwrap();
    assert_eq!(
        (measured.peak_allocated, measured.peak_reserved),
        (Some(48230.0 * 1_048_576.0), Some(52440.0 * 1_048_576.0))
    );
    let found = compare(&measured, &decode("model=llama-3-8b&cluster=dgx-h100&gpus=8&seq=4096").scenario);
    assert_eq!((found.ratio, found.memory.as_ref().map(|memory| memory.of.as_ref())), (None, Some("allocated")));
    assert!(found.remarks[0].contains("3 times") && found.corrected.unwrap().contains("anchormemory="));
}

#[test]
fn a_trace_of_the_profiler_gives_steps_and_what_the_gpu_does() {
    let text = r#"{"traceEvents": [
        {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#1", "ts": 0, "dur": 900000},
        {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#2", "ts": 900000, "dur": 600000},
        {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#3", "ts": 1500000, "dur": 640000},
        {"ph": "X", "cat": "kernel", "name": "ampere_bf16_gemm", "ts": 900000, "dur": 500000},
        {"ph": "X", "cat": "kernel", "name": "ncclDevKernel_ReduceScatter", "ts": 1400000, "dur": 300000},
        {"ph": "X", "cat": "kernel", "name": "ampere_bf16_gemm", "ts": 1900000, "dur": 100000}]}"#;
    let measured = parse_log(text).unwrap();
    assert_eq!((measured.writer.as_ref(), measured.step_seconds), ("PyTorch's profiler", Some(0.62)));
    let found = compare(&measured, &decode("model=llama-3-8b&cluster=dgx-h100&gpus=8").scenario);
    assert!(found.remarks.iter().any(|remark| remark.starts_with("The GPU is idle for")), "{:?}", found.remarks);
    for bad in ["{\"traceEvents\": [{\"ph\": ", "{\"traceEvents\": []}", "[{\"ph\": \"X\"}]"] {
        assert!(parse_log(bad).unwrap_err().ends_with('.'), "{bad}");
    }
}

proptest! {
    #![proptest_config(crate::cases::cases(256))]

    #[test]
    fn any_text_is_answered(text in ".{0,300}", cut in 0..5000_usize) {
        let scenario = decode("").scenario;
        let real: String = LINES.chars().skip(cut).take(900).collect();
        for text in [text, real] {
            if let Ok(measured) = parse_log(&text) {
                let found = compare(&measured, &scenario);
                prop_assert!(found.sentence.ends_with('.'));
                prop_assert!(found.ratio.is_none_or(|ratio| ratio.is_finite() && ratio > 0.0));
            }
        }
    }
}
