//! Reads a Chrome trace of PyTorch's profiler: the time of steps, and the shares in which the GPU
//! computes, communicates and is idle.

use super::Measured;
use core::fmt;
use engine::stats::median;
use serde::de::{IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::borrow::Cow;

/// Activity of one GPU, as shares of the time from its first kernel to its last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Profile {
    /// The GPU runs a kernel that is not a collective.
    pub compute: f64,
    /// The GPU only runs collectives.
    pub exposed_comm: f64,
    /// The GPU runs collectives concurrently with other kernels.
    pub overlapped_comm: f64,
    /// The GPU runs no kernel.
    pub idle: f64,
}

/// Returns whether a text is a Chrome trace.
pub(super) fn is_trace(text: &str) -> bool {
    let start = text.trim_start();
    let head = start.get(..start.len().min(HEAD)).unwrap_or_default();
    start.starts_with(['{', '[']) && (text.contains("\"traceEvents\"") || head.contains("\"ph\""))
}

/// Bytes at the start of a bare list of events in which a trace is recognized.
const HEAD: usize = 2000;

/// Microseconds in a second.
const MICROS: f64 = 1e6;
/// Maximum number of kernels kept.
const MOST: usize = 4_000_000;

/// Reads a trace event by event.
///
/// # Errors
///
/// Returns a sentence if the text is not valid JSON, or has neither steps nor kernels.
pub(super) fn parse_trace(text: &str) -> Result<Measured, String> {
    let Trace(events) = serde_json::from_str(text).map_err(|error| format!("This trace cannot be read: {error}."))?;
    let steps: Vec<f64> = events.steps.iter().skip(usize::from(events.steps.len() > 2)).copied().collect();
    let profile = profile(events.kernels);
    let step_seconds = median(&steps).map(|micros| micros / MICROS);
    if step_seconds.is_none() && profile.is_none() {
        return Err("This trace has neither steps (ProfilerStep#) nor kernels of a GPU.".into());
    }
    Ok(Measured { steps: steps.len(), step_seconds, profile, ..Measured::none("PyTorch's profiler") })
}

/// Computes the shares of time from kernels, given as start, end and whether the kernel is a
/// collective.
fn profile(mut kernels: Vec<(f64, f64, bool)>) -> Option<Profile> {
    kernels.sort_by(|one, other| one.0.total_cmp(&other.0));
    let first = kernels.first()?.0;
    // Latest ends so far, of collectives and of other kernels.
    let (mut comm, mut other) = (first, first);
    let (mut with_comm, mut with_other, mut both, mut any) = (0.0, 0.0, 0.0, 0.0);
    for (start, end, is_comm) in kernels {
        let busy = comm.max(other);
        any += (end - start.max(busy)).max(0.0);
        let (own, beside) = if is_comm { (&mut comm, other) } else { (&mut other, comm) };
        let from = start.max(*own);
        if end > from {
            *(if is_comm { &mut with_comm } else { &mut with_other }) += end - from;
            both += (end.min(beside) - from).max(0.0);
            *own = end;
        }
    }
    let whole = comm.max(other) - first;
    (whole > 0.0).then(|| Profile {
        compute: with_other / whole,
        exposed_comm: (with_comm - both).max(0.0) / whole,
        overlapped_comm: both / whole,
        idle: (1.0 - any / whole).max(0.0),
    })
}

/// Data kept from the events: durations of steps, and kernels.
#[derive(Default)]
struct Events {
    steps: Vec<f64>,
    kernels: Vec<(f64, f64, bool)>,
}

/// Fields of an event that are read.
#[derive(Deserialize)]
struct Event<'a> {
    #[serde(borrow, default)]
    name: Cow<'a, str>,
    #[serde(borrow, default)]
    cat: Cow<'a, str>,
    #[serde(default, deserialize_with = "number")]
    ts: f64,
    #[serde(default, deserialize_with = "number")]
    dur: f64,
}

/// Deserializes a number, which may be written as a string.
fn number<'de, D: Deserializer<'de>>(of: D) -> Result<f64, D::Error> {
    struct Read;
    impl Visitor<'_> for Read {
        type Value = f64;
        fn expecting(&self, text: &mut fmt::Formatter) -> fmt::Result {
            text.write_str("a number")
        }
        fn visit_f64<E>(self, value: f64) -> Result<f64, E> {
            Ok(value)
        }
        fn visit_u64<E>(self, value: u64) -> Result<f64, E> {
            Ok(value as f64)
        }
        fn visit_i64<E>(self, value: i64) -> Result<f64, E> {
            Ok(value as f64)
        }
        fn visit_str<E>(self, value: &str) -> Result<f64, E> {
            Ok(value.parse().unwrap_or(0.0))
        }
    }
    of.deserialize_any(Read)
}

impl Events {
    fn add(&mut self, event: &Event) {
        if !(event.ts.is_finite() && event.dur > 0.0 && event.dur.is_finite()) {
            return;
        }
        if event.name.starts_with("ProfilerStep") && !event.cat.starts_with("gpu_") {
            self.steps.push(event.dur);
        } else if event.cat.eq_ignore_ascii_case("kernel") && self.kernels.len() < MOST {
            let name = event.name.to_ascii_lowercase();
            let is_comm = name.contains("nccl") || name.contains("rccl");
            self.kernels.push((event.ts, event.ts + event.dur, is_comm));
        }
    }
}

struct List;

impl<'de> Visitor<'de> for List {
    type Value = Events;
    fn expecting(&self, text: &mut fmt::Formatter) -> fmt::Result {
        text.write_str("a list of events")
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut events: A) -> Result<Events, A::Error> {
        let mut kept = Events::default();
        while let Some(event) = events.next_element::<Event>()? {
            kept.add(&event);
        }
        Ok(kept)
    }
}

impl<'de> Deserialize<'de> for Events {
    fn deserialize<D: Deserializer<'de>>(of: D) -> Result<Self, D::Error> {
        of.deserialize_seq(List)
    }
}

/// A trace: an object with a list of events, or a bare list.
struct Trace(Events);

impl<'de> Deserialize<'de> for Trace {
    fn deserialize<D: Deserializer<'de>>(of: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = Trace;
            fn expecting(&self, text: &mut fmt::Formatter) -> fmt::Result {
                text.write_str("an object with traceEvents, or a list of events")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, events: A) -> Result<Trace, A::Error> {
                List.visit_seq(events).map(Trace)
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Trace, A::Error> {
                let mut events = Events::default();
                while let Some(key) = map.next_key::<Cow<str>>()? {
                    if key == "traceEvents" {
                        events = map.next_value()?;
                    } else {
                        map.next_value::<IgnoredAny>()?;
                    }
                }
                Ok(Trace(events))
            }
        }
        of.deserialize_any(Either)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops where its data is wrong")]
mod tests {
    use super::*;

    #[test]
    fn shares_of_a_trace_add_up() {
        // Two kernels, a collective that half overlaps the first, and a gap of one fifth.
        let text = r#"{"schemaVersion": 1, "traceEvents": [
            {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#5", "ts": 0, "dur": 100.5},
            {"ph": "X", "cat": "kernel", "name": "gemm", "ts": 0, "dur": 40, "args": {"stream": 7}},
            {"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllGather_RING_LL", "ts": "20", "dur": 40},
            {"ph": "X", "cat": "kernel", "name": "gemm", "ts": 80, "dur": 20},
            {"ph": "M", "name": "process_name", "args": {"name": "python"}}]}"#;
        assert!(is_trace(text));
        let measured = parse_trace(text).unwrap();
        assert_eq!(measured.step_seconds, Some(100.5e-6));
        let profile = measured.profile.unwrap();
        let expected = Profile { compute: 0.6, exposed_comm: 0.2, overlapped_comm: 0.2, idle: 0.2 };
        let near = |one: f64, other: f64| (one - other).abs() < 1e-12;
        assert!(near(profile.compute, expected.compute) && near(profile.idle, expected.idle), "{profile:?}");
        assert!(
            near(profile.exposed_comm, expected.exposed_comm)
                && near(profile.overlapped_comm, expected.overlapped_comm)
        );
        for bad in ["{\"traceEvents\": [", "{\"traceEvents\": {}}", "{\"traceEvents\": []}"] {
            assert!(parse_trace(bad).unwrap_err().ends_with('.'), "{bad}");
        }
    }
}
