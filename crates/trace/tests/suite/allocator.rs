//! Tests of the caching allocator: invariants for arbitrary requests, and agreement with the
//! reference simulation `allocsim.py` (`tests/allocator/traces.py` created the expected values).

use crate::allocator_play::{Player, Style};
use trace::allocator::{Allocator, Segments, Stream};

const EXPECTED: &str = include_str!("../../../../tests/allocator/expected.csv");
/// Random traces, generated as in `traces.py`: name, seed, events, style.
const DRAWN: [(&str, u64, usize, Style); 3] = [
    ("any sizes", 1, 5000, Style { limit: 200, frees: 7, mask: 0xFFFFF }),
    ("few sizes", 2, 5000, Style { limit: 400, frees: 7, mask: 0x80000 }),
    ("few blocks", 3, 3000, Style { limit: 12, frees: 6, mask: 0xC0000 }),
];
/// Recorded steps of training code: name, requests in the format of `traces.py`, and the peaks of
/// the row in the oracle (`fsdp2_memory_2.csv`, columns simulated_reserved and
/// simulated_reserved_expandable).
const RECORDED: [(&str, &str, [u64; 2]); 2] = [
    ("OM-0058", include_str!("../../../../tests/allocator/OM-0058.txt"), [74576822272, 73236742144]),
    ("OM-0188", include_str!("../../../../tests/allocator/OM-0188.txt"), [25035800576, 25901924352]),
];
const GIB: u64 = 1 << 30;

/// Knuth's linear congruential generator (MMIX); returns the upper half of its state.
fn words(seed: u64) -> impl Iterator<Item = u32> {
    let next = |state: &u64| Some(state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407));
    std::iter::successors(next(&seed), next).map(|state| (state >> 32) as u32)
}

#[test]
fn blocks_fill_their_segments_whatever_is_requested() {
    for (name, seed, _, style) in DRAWN {
        let fixed = Allocator::new(Segments::Fixed);
        for allocator in [fixed, Allocator::new(Segments::Expandable), Allocator::within(2 * GIB)] {
            let mut player = Player::new(allocator, style);
            let mut peaks = (0, 0);
            for word in words(seed + 100).take(1000) {
                player.play(word);
                player.check();
                let allocator = &player.allocator;
                peaks = (peaks.0.max(allocator.reserved()), peaks.1.max(allocator.allocated()));
                assert_eq!((allocator.peak_reserved(), allocator.peak_allocated()), peaks, "{name}");
            }
            player.free_all();
            player.check_empty();
        }
    }
}

/// One row of `expected.csv`.
struct Row {
    cells: Vec<&'static str>,
}

impl Row {
    fn cell(&self, name: &str) -> &'static str {
        let place = EXPECTED.lines().next().unwrap().split(',').position(|column| column == name);
        self.cells[place.unwrap_or_else(|| panic!("no column {name}"))]
    }

    /// Returns a number; `None` if the reference has none.
    fn number(&self, name: &str) -> Option<u64> {
        let cell = self.cell(name);
        (!cell.is_empty()).then(|| cell.parse().unwrap())
    }

    fn allocator(&self) -> Allocator {
        match (self.cell("segments"), self.number("capacity")) {
            ("fixed", Some(capacity)) => Allocator::within(capacity),
            ("fixed", None) => Allocator::new(Segments::Fixed),
            ("expandable", None) => Allocator::new(Segments::Expandable),
            other => panic!("{other:?}"),
        }
    }

    fn check(&self, allocator: &Allocator) {
        let figures = [
            ("peak_reserved", allocator.peak_reserved()),
            ("reserved", allocator.reserved()),
            ("peak_allocated", allocator.peak_allocated()),
            ("allocated", allocator.allocated()),
            ("retries", allocator.retries().into()),
            ("failures", allocator.failures().into()),
            ("reserved_compute", allocator.reserved_by(Stream::Compute)),
            ("reserved_all_gather", allocator.reserved_by(Stream::AllGather)),
            ("reserved_reduce_scatter", allocator.reserved_by(Stream::ReduceScatter)),
        ];
        for (name, figure) in figures {
            let Some(expected) = self.number(name) else { continue };
            assert_eq!(figure, expected, "{name} of {:?}", &self.cells[..3]);
        }
    }
}

fn rows_of(trace: &str) -> Vec<Row> {
    let rows = EXPECTED.lines().skip(1).map(|line| Row { cells: line.split(',').collect() });
    let of_trace: Vec<Row> = rows.filter(|row| row.cell("trace") == trace).collect();
    assert!(of_trace.len() >= 2, "{trace}");
    of_trace
}

#[test]
fn drawn_traces_reserve_what_the_reference_simulation_says() {
    for (name, seed, events, style) in DRAWN {
        for row in rows_of(name) {
            let mut player = Player::new(row.allocator(), style);
            words(seed).take(events).for_each(|word| player.play(word));
            row.check(&player.allocator);
        }
    }
}

fn play_recorded(allocator: &mut Allocator, trace: &str) {
    let mut blocks = Vec::new();
    for line in trace.lines() {
        let (sign, rest) = line.split_at(1);
        if sign == "-" {
            allocator.free(blocks[rest.parse::<usize>().unwrap()]);
            continue;
        }
        let (bytes, stream) = rest.split_once(' ').unwrap();
        let stream = [Stream::Compute, Stream::AllGather, Stream::ReduceScatter][stream.parse::<usize>().unwrap()];
        blocks.push(allocator.allocate(bytes.parse().unwrap(), stream));
    }
}

#[test]
fn recorded_traces_reserve_what_the_oracle_says() {
    for (name, trace, [fixed, expandable]) in RECORDED {
        for row in rows_of(name) {
            let mut allocator = row.allocator();
            play_recorded(&mut allocator, trace);
            row.check(&allocator);
            let oracle = if row.cell("segments") == "fixed" { fixed } else { expandable };
            assert_eq!(allocator.peak_reserved(), oracle, "{name}");
        }
    }
}
