//! Reads the output of nccl-tests, one point per line.

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// A collective, named by the program that measures it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Collective {
    /// `all_reduce_perf`.
    AllReduce,
    /// `all_gather_perf`.
    AllGather,
    /// `reduce_scatter_perf`.
    ReduceScatter,
    /// `alltoall_perf`.
    AllToAll,
    /// `sendrecv_perf`.
    SendRecv,
}

impl Collective {
    const PROGRAMS: [(&'static str, Self); 5] = [
        ("all_reduce_perf", Self::AllReduce),
        ("all_gather_perf", Self::AllGather),
        ("reduce_scatter_perf", Self::ReduceScatter),
        ("alltoall_perf", Self::AllToAll),
        ("sendrecv_perf", Self::SendRecv),
    ];

    /// Returns the ratio of bus bandwidth to algorithm bandwidth (nccl-tests `doc/PERFORMANCE.md`).
    pub fn factor(self, ranks: f64) -> f64 {
        match self {
            Self::AllReduce => 2.0 * (ranks - 1.0) / ranks,
            Self::AllGather | Self::ReduceScatter | Self::AllToAll => (ranks - 1.0) / ranks,
            Self::SendRecv => 1.0,
        }
    }
}

/// A measured collective.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// The collective.
    pub collective: Collective,
    /// Bytes of the whole buffer.
    pub bytes: f64,
    /// Ranks.
    pub ranks: u32,
    /// Number of nodes; `None` if the output has no host names.
    pub nodes: Option<u32>,
    /// Seconds per call, out of place.
    pub seconds: f64,
}

/// Maximum length of the text, in bytes, and maximum number of points.
const MOST_BYTES: usize = 64 << 20;
const MOST_POINTS: usize = 2000;

/// Columns at the end of a line: time, algorithm bandwidth, bus bandwidth and errors, both out of
/// place and in place.
const COLUMNS: usize = 8;
/// Columns if only one of out-of-place and in-place was measured.
const SHORT: usize = 4;
/// Minimum number of columns before the results: size, count and type.
const BEFORE: usize = 3;

/// State from the comments of one run.
#[derive(Default)]
struct Run<'a> {
    program: Option<Collective>,
    hosts: BTreeSet<&'a str>,
    ranks: BTreeSet<(&'a str, &'a str)>,
    /// Whether the table has begun; the next comment about a rank then starts another run.
    begun: bool,
}

/// Reads the points of one or more outputs.
///
/// # Errors
///
/// Returns a sentence if the text is too long or has no line of a table.
pub fn parse_points(text: &str) -> Result<Vec<Point>, String> {
    if text.len() > MOST_BYTES {
        return Err("This text is longer than 64 MiB; a table of nccl-tests has a few hundred lines.".into());
    }
    let mut points = Vec::new();
    let mut run = Run::default();
    for line in text.lines() {
        let line = printed(line);
        if let Some((_, program)) = Collective::PROGRAMS.into_iter().find(|(name, _)| line.contains(name)) {
            run = Run { program: Some(program), ..Run::default() };
        }
        if let Some(rank) = line.strip_prefix('#').map(str::trim_start).filter(|rest| rest.starts_with("Rank")) {
            if run.begun {
                run = Run { program: run.program, ..Run::default() };
            }
            parse_rank(rank, &mut run);
            continue;
        }
        let is_row = line.starts_with(|first: char| first.is_ascii_digit()) && points.len() < MOST_POINTS;
        if let Some(point) = is_row.then(|| parse_point(line, &run)).flatten() {
            points.push(point);
            run.begun = true;
        }
    }
    if points.is_empty() && is_table(text) {
        return Err(
            "This table of nccl-tests lacks its list of ranks: paste also the command and the lines that begin with # Rank."
                .into(),
        );
    }
    if points.is_empty() {
        return Err(
            "No line of this text is from a table of nccl-tests: size, count, type, redop, root, then time, algbw, \
             busbw and #wrong, out of place and in place. Paste the whole output, with the lines that begin with #, \
             which list the ranks."
                .into(),
        );
    }
    Ok(points)
}

/// Parses `Rank  0 Group  0 Pid    313 on host device  0 [0x18] NVIDIA H100 80GB HBM3`.
fn parse_rank<'a>(line: &'a str, run: &mut Run<'a>) {
    let words: Vec<&str> = line.split_whitespace().collect();
    let after = |word: &str| words.iter().position(|other| *other == word).and_then(|at| words.get(at + 1)).copied();
    let Some(host) = after("on") else { return };
    run.hosts.insert(host);
    run.ranks.insert((host, after("device").unwrap_or_default()));
}

/// Returns whether a text has a line of an nccl-tests table, with or without the comments before
/// it.
pub fn is_table(text: &str) -> bool {
    let begins = |line: &&str| line.starts_with(|first: char| first.is_ascii_digit());
    text.lines().map(printed).filter(begins).any(|line| row(&line.split_whitespace().collect::<Vec<_>>()).is_some())
}

/// Strips prefixes of launchers from a line: `[1,0]<stdout>:` of mpirun, `0: ` of srun, pod name
/// and time of Kubernetes.
fn printed(line: &str) -> &str {
    let line = line.trim();
    if let Some(comment) = line.find('#').and_then(|at| line.get(at..))
        && ["Rank", "nThread", "Using"]
            .iter()
            .any(|word| comment.trim_start_matches(['#', ' ', '\t']).starts_with(word))
    {
        return comment;
    }
    // A line of the table starts with two counts and a type.
    let mut starts = line.split_whitespace().map(|word| word.as_ptr() as usize - line.as_ptr() as usize);
    let is_row = |at: &usize| {
        let mut words = line.get(*at..).unwrap_or_default().split_whitespace();
        let mut count = || words.next().is_some_and(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
        count() && count() && words.next().is_some_and(|word| TYPES.contains(&word))
    };
    starts.find(is_row).and_then(|at| line.get(at..)).unwrap_or(line)
}

/// Types of elements, as nccl-tests and rccl-tests print them (`src/common.cu`, `test_typenames`).
const TYPES: [&str; 16] = [
    "char", "int", "int8", "uint8", "int32", "uint32", "int64", "uint64", "half", "float", "double", "bfloat16",
    "f8e4m3", "f8e5m2", "fp8_e4m3", "fp8_e5m2",
];

/// Returns bytes, microseconds, algorithm bandwidth and bus bandwidth of a line.
fn row(words: &[&str]) -> Option<(f64, f64, f64, f64)> {
    let columns = if words.len() >= BEFORE + COLUMNS { COLUMNS } else { SHORT };
    let first = words.len().checked_sub(columns).filter(|first| *first >= BEFORE)?;
    let number = |at: usize| words.get(at).and_then(|word| word.parse::<f64>().ok()).filter(|value| value.is_finite());
    let row = (number(0)?, number(first)?, number(first + 1)?, number(first + 2)?);
    // The element count; lines without one are no rows.
    number(1)?;
    let is_row = words.get(2)?.parse::<f64>().is_err() && row.0 > 0.0 && row.1 > 0.0;
    is_row.then_some(row)
}

fn parse_point(line: &str, run: &Run) -> Option<Point> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let (bytes, micros, algorithm, bus) = row(&words)?;
    let ratio = bus / algorithm;
    let counted = (run.ranks.len() > 1).then_some(run.ranks.len() as u32);
    let collective = run.program.or_else(|| guessed(&words, ratio, counted?))?;
    let ranks = counted.or_else(|| by_ratio(collective, ratio))?;
    let nodes = (!run.hosts.is_empty()).then_some(run.hosts.len() as u32);
    Some(Point { collective, bytes, ranks, nodes, seconds: micros * 1e-6 })
}

/// Guesses the collective by the ratio of bandwidths, if no program name precedes the table.
fn guessed(words: &[&str], ratio: f64, ranks: u32) -> Option<Collective> {
    let reduces = words.iter().any(|word| matches!(*word, "sum" | "prod" | "max" | "min" | "avg"));
    let options: &[Collective] = if reduces {
        &[Collective::AllReduce, Collective::ReduceScatter]
    } else {
        &[Collective::AllGather, Collective::SendRecv]
    };
    let away = |of: &Collective| (of.factor(f64::from(ranks)) / ratio - 1.0).abs();
    options.iter().copied().filter(|of| away(of) < 0.1).min_by(|one, other| away(one).total_cmp(&away(other)))
}

/// Maximum number of ranks that bandwidths with two decimals can distinguish.
const TOLD_APART: f64 = 64.0;

/// Returns the number of ranks by the ratio of bandwidths, if no comment lists the ranks.
fn by_ratio(collective: Collective, ratio: f64) -> Option<u32> {
    let share = ratio / if collective == Collective::AllReduce { 2.0 } else { 1.0 };
    let ranks = 1.0 / (1.0 - share);
    (collective != Collective::SendRecv && ranks.is_finite() && (1.5..TOLD_APART).contains(&ranks))
        .then(|| ranks.round() as u32)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test stops where its data is wrong")]
mod tests {
    use super::*;

    #[test]
    fn lines_are_points_of_the_program_before_them() {
        let table = "\
mpirun -np 2 build/all_reduce_perf -b 8M
# nThread 1 nGpus 1 minBytes 8388608
#  Rank  0 Group  0 Pid    313 on node-0 device  0 [0x18] NVIDIA H100 80GB HBM3
#  Rank  1 Group  0 Pid    314 on node-1 device  0 [0x2a] NVIDIA H100 80GB HBM3
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
     8388608       2097152     float     sum      -1    181.16   46.30   46.30      0    180.46   46.48   46.48      0
# Out of bounds values : 0 OK";
        let expected = Point {
            collective: Collective::AllReduce,
            bytes: 8_388_608.0,
            ranks: 2,
            nodes: Some(2),
            seconds: 181.16e-6,
        };
        let point = parse_points(table).unwrap()[0];
        assert!((point.seconds - expected.seconds).abs() < 1e-12);
        assert_eq!(Point { seconds: expected.seconds, ..point }, expected);
        // Without comments about ranks, the number of ranks follows from the two bandwidths.
        let alone = "all_reduce_perf\n 33554432 8388608 float sum -1 195.40 171.72 300.51 0 195.40 171.73 300.52 0";
        assert_eq!(parse_points(alone).unwrap().first().map(|point| point.ranks), Some(8));
        for none in ["", "1 2 3", "33554432 8388608 float sum -1 195.40 171.72 300.51 0 195.40 171.73 300.52 0"] {
            assert!(parse_points(none).unwrap_err().ends_with('.'), "{none}");
        }
    }
}
