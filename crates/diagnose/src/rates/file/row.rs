//! Reads a row of one of the script's lists, cell by cell.

use engine::params::quantity::shorten;
use serde_json::{Map, Value};

use crate::log::links::{Collective, Point};

/// Maximum number of rows in a list, and largest valid number.
const MOST_ROWS: usize = 2000;
const MOST: f64 = 1e18;
/// Smallest valid number: a femtosecond.
const LEAST: f64 = 1e-15;
/// Maximum number of unreadable rows that are reported.
const MOST_TOLD: usize = 6;
/// Maximum number of ranks of a collective, and maximum bytes per second: the fastest link that a
/// scenario may have.
pub(super) const MOST_RANKS: f64 = 100_000.0;
const FASTEST: f64 = 1e13;

/// A matrix product and its time.
pub(in crate::rates) struct Product {
    pub(in crate::rates) format: String,
    pub(in crate::rates) m: f64,
    pub(in crate::rates) n: f64,
    pub(in crate::rates) k: f64,
    pub(in crate::rates) seconds: f64,
}

impl Product {
    /// Returns the rate in FLOP/s.
    pub(in crate::rates) fn rate(&self) -> f64 {
        2.0 * self.m * self.n * self.k / self.seconds
    }
}

/// Times of causal attention with one kernel.
pub(in crate::rates) struct Attention {
    pub(in crate::rates) kernel: String,
    pub(in crate::rates) head_dim: f64,
    pub(in crate::rates) length: f64,
    pub(in crate::rates) heads: f64,
    pub(in crate::rates) batch: f64,
    pub(in crate::rates) forward: f64,
    pub(in crate::rates) backward: f64,
}

/// One row of a list.
pub(super) struct Row<'a> {
    list: &'static str,
    place: usize,
    pub(super) cells: &'a Map<String, Value>,
}

impl Row<'_> {
    fn wrong(&self, key: &str, what: &str) -> String {
        format!("“{}”, row {}: “{key}” {what}.", self.list, self.place)
    }

    pub(super) fn number(&self, key: &str) -> Result<f64, String> {
        match self.cells.get(key) {
            None => Err(self.wrong(key, "is missing")),
            Some(value) => match value.as_f64() {
                Some(number) if (LEAST..=MOST).contains(&number) => Ok(number),
                _ => Err(self
                    .wrong(key, &format!("is {}, which is not a possible measurement", shorten(&value.to_string())))),
            },
        }
    }

    pub(super) fn word(&self, key: &str) -> Result<String, String> {
        let word = self.cells.get(key).and_then(Value::as_str);
        word.map(shorten).ok_or_else(|| self.wrong(key, "is not text"))
    }

    pub(super) fn product(&self, seconds: &str) -> Result<Product, String> {
        let [m, n, k, seconds] = ["m", "n", "k", seconds].map(|key| self.number(key));
        Ok(Product { format: self.word("format")?, m: m?, n: n?, k: k?, seconds: seconds? })
    }
}

/// Returns the readable rows of a list, and reports the others in `unreadable`.
pub(super) fn rows<T>(
    json: &Map<String, Value>,
    list: &'static str,
    unreadable: &mut Vec<String>,
    read: impl Fn(&Row<'_>) -> Result<T, String>,
) -> Vec<T> {
    let Some(entries) = json.get(list).and_then(Value::as_array) else {
        unreadable.push(format!("“{list}” is missing."));
        return Vec::new();
    };
    let of_row = |(place, entry): (usize, &Value)| {
        let row = entry.as_object().map(|cells| Row { list, place: place + 1, cells });
        let read = row.map_or_else(|| Err(format!("“{list}”, row {}: not an object.", place + 1)), |row| read(&row));
        read.map_err(|problem| {
            if unreadable.len() < MOST_TOLD {
                unreadable.push(problem);
            }
        })
        .ok()
    };
    entries.iter().take(MOST_ROWS).enumerate().filter_map(of_row).collect()
}

/// Reads the times of an attention kernel for one sequence length.
pub(super) fn attention(row: &Row<'_>) -> Result<Attention, String> {
    let [head_dim, length, heads, batch, forward, backward] =
        ["head_dim", "length", "heads", "batch", "forward_seconds", "backward_seconds"].map(|key| row.number(key));
    Ok(Attention {
        kernel: row.word("kernel")?,
        head_dim: head_dim?,
        length: length?,
        heads: heads?,
        batch: batch?,
        forward: forward?,
        backward: backward?,
    })
}

/// Reads the time of a collective for one size.
pub(super) fn point(row: &Row<'_>) -> Result<Point, String> {
    let collective = match row.word("collective")?.as_str() {
        "all_reduce" => Collective::AllReduce,
        "all_gather" => Collective::AllGather,
        "reduce_scatter" => Collective::ReduceScatter,
        _ => return Err(row.wrong("collective", "is unknown")),
    };
    let (bytes, seconds) = (row.number("bytes")?, row.number("seconds")?);
    let [ranks, nodes] = ["ranks", "nodes"].map(|key| row.number(key));
    let (ranks, nodes) = (ranks?, nodes?);
    if !(2.0..=MOST_RANKS).contains(&ranks) || nodes > ranks {
        return Err(row.wrong("ranks", &format!("is {ranks} on {nodes} nodes, too few for a collective")));
    }
    if bytes / seconds > FASTEST {
        return Err(row.wrong("seconds", &format!("is {seconds} for {bytes} bytes, faster than any link")));
    }
    Ok(Point { collective, bytes, ranks: ranks as u32, nodes: Some(nodes as u32), seconds })
}
