//! Parses network rates: `8x200 Gb/s HDR IB per node`, `1600 Gbps per node (RoCE)`, `2 Tb/s RoCE`,
//! `400 Gb/s per GPU RDMA`, `1x100 Gb/s IB EDR per node`.

use crate::text::{has, leading_number};

/// InfiniBand generations with the rate of one port in Gbit/s.
const GENERATIONS: [(&str, f64); 5] = [("fdr", 56.0), ("edr", 100.0), ("hdr", 200.0), ("ndr", 400.0), ("xdr", 800.0)];
/// Spelling of Omni-Path 100 in sources.
const OMNI_PATH: &str = "omni-path link";
/// Maximum rate in Gbit/s that counts as the rate of one card, with one card per GPU, if the text
/// has no scope.
pub(super) const ONE_CARD: f64 = 400.0;
/// Rate of an Omni-Path 100 card in Gbit/s, its only generation in GPU clusters.
const OMNI_PATH_CARD: f64 = 100.0;

/// Network rate of one GPU.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rate {
    /// Gbit/s per GPU.
    pub gbit_per_gpu: f64,
    /// Whether the scope of the rate is unstated, so that one card per GPU, or one rate per node,
    /// was assumed.
    pub assumed: bool,
}

/// Parses a rate for nodes with `gpus_per_node` GPUs.
pub(super) fn rate(text: &str, gpus_per_node: u32) -> Option<Rate> {
    let text = spelled(text);
    let named = generation(&text);
    // In `2 x HDR100 (200G)`, the cards are more informative than their sum.
    let (cards, each) = named.filter(|(cards, _)| cards.is_some()).or_else(|| stated(&text)).or(named)?;
    let node = f64::from(gpus_per_node.max(1));
    let said = |gbit_per_gpu| Some(Rate { gbit_per_gpu, assumed: false });
    if has(&text, &["per gpu", "a gpu", "/gpu", "per-gpu", "each gpu"]) {
        said(each * cards.unwrap_or(1.0))
    } else if let Some(cards) = cards {
        said(cards * each / node)
    } else if has(&text, &["node", "host", "server", "instance", "aggregate"]) {
        said(each / node)
    } else if each > if has(&text, &["omni"]) { OMNI_PATH_CARD } else { ONE_CARD } {
        Some(Rate { gbit_per_gpu: each / node, assumed: true })
    } else {
        Some(Rate { gbit_per_gpu: each, assumed: true })
    }
}

/// Converts a text to lower case and spells out bytes: a capital B is a byte (`GB/s`), a small b a
/// bit (`Gb/s`).
fn spelled(text: &str) -> String {
    let bytes = |text: &str, unit: &str| {
        let long = unit.replacen('B', "byte", 1).replace("ps", "/s");
        text.replace(unit, &long)
    };
    ["GB/s", "GBps", "TB/s", "TBps"].iter().fold(text.to_owned(), |text, unit| bytes(&text, unit)).to_ascii_lowercase()
}

/// Parses cards and Gbit/s of the first rate with a unit: `8x200 Gb/s` is eight cards with 200
/// each.
fn stated(text: &str) -> Option<(Option<f64>, f64)> {
    let starts = text.char_indices().filter(|(at, sign)| {
        let before = text.get(..*at).and_then(|before| before.chars().last());
        sign.is_ascii_digit() && !before.is_some_and(|before| before.is_ascii_alphanumeric() || before == '.')
    });
    for (at, _) in starts {
        let Some((number, rest)) = leading_number(text.get(at..)?) else { continue };
        let trimmed = rest.trim_start();
        if let Some(after) = trimmed.strip_prefix(['x', '×', '*'])
            && let Some((each, unit)) = leading_number(after)
            && let Some(factor) = unit_factor(unit)
        {
            return Some((Some(number), each * factor));
        }
        if let Some(factor) = unit_factor(rest) {
            return Some((None, number * factor));
        }
    }
    None
}

/// Returns the factor to Gbit/s for the unit at the start of a lower-case text. A bare `gb` is a
/// gigabit, as network rates are in bits, unless written as bytes (`gbyte/s`, `gib/s`).
fn unit_factor(text: &str) -> Option<f64> {
    let text = text.trim_start();
    let begins = |units: &[&str]| {
        units.iter().any(|unit| {
            text.strip_prefix(unit).is_some_and(|rest| !rest.starts_with(|next: char| next.is_ascii_alphanumeric()))
        })
    };
    if begins(&["gbyte/s", "gigabytes/s", "gib/s"]) {
        Some(8.0)
    } else if begins(&["tbyte/s", "tib/s"]) {
        Some(8000.0)
    } else if begins(&["tb/s", "tbps", "tbit/s", "tb", "t", "tbit"]) {
        Some(1000.0)
    } else if begins(&["gb/s", "gbps", "gbit/s", "gbit", "gbits/s", "gb", "g", "gbe", "ge"]) {
        Some(1.0)
    } else {
        None
    }
}

/// Parses cards and the rate per card from `2 x hdr100`, `hdr` or `ndr400`.
fn generation(text: &str) -> Option<(Option<f64>, f64)> {
    if let Some((before, _)) = text.split_once(OMNI_PATH) {
        let links = before.trim_end().rsplit(' ').next().and_then(|links| links.parse().ok());
        return Some((links, OMNI_PATH_CARD));
    }
    let (at, name, port) = GENERATIONS.iter().find_map(|(name, port)| text.find(name).map(|at| (at, *name, *port)))?;
    let after = text.get(at + name.len()..)?;
    let each = leading_number(after).filter(|_| after.starts_with(|next: char| next.is_ascii_digit()));
    let each = each.map_or(port, |(each, _)| each);
    let before = text.get(..at)?.trim_end();
    let cards = before.strip_suffix(['x', '×']).and_then(|before| {
        let word = before.trim_end().rsplit(|sign: char| !sign.is_ascii_digit()).next()?;
        word.parse().ok()
    });
    Some((cards, each))
}

#[cfg(test)]
mod tests {
    use super::rate;

    fn gbit(text: &str, node: u32) -> Option<f64> {
        rate(text, node).map(|rate| rate.gbit_per_gpu)
    }

    #[test]
    fn rates_are_read_in_the_words_of_their_sources() {
        assert_eq!(gbit("8x200 Gb/s HDR IB per node", 8), Some(200.0));
        assert_eq!(gbit("8x200 Gbps HDR IB per node (Selene)", 8), Some(200.0));
        assert_eq!(gbit("1600 Gbps per node (RoCE) [section heading]", 8), Some(200.0));
        assert_eq!(gbit("4 x 100 Gb RoCE per node (400 Gb/s/node)", 8), Some(50.0));
        assert_eq!(gbit("400 Gb/s per GPU RDMA", 8), Some(400.0));
        assert_eq!(gbit("RDMA 800 Gb/s (per node)", 8), Some(100.0));
        assert_eq!(gbit("1x100 Gb/s IB EDR per node", 8), Some(12.5));
        assert_eq!(gbit("2 x HDR100 IB (200G)", 8), Some(25.0));
        assert_eq!(gbit("2 Tb/s RoCE per the paper's setup text", 8), Some(250.0));
        assert_eq!(gbit("8x200 Gb/s per node (summary: '8x200G NIC multi-rail')", 8), Some(200.0));
        assert_eq!(gbit("Omni-Path; README: supposed to be 400 Gbps max", 4), Some(100.0));
        assert_eq!(gbit("InfiniBand NDR", 8), Some(400.0));
        assert_eq!(gbit("8x50 GB/s InfiniBand a node", 8), Some(400.0));
        assert_eq!(gbit("8x50 Gb/s InfiniBand a node", 8), Some(50.0));
        assert_eq!(gbit("0.4 TB/s per node", 8), Some(400.0));
        assert_eq!(gbit("8x 200 GBit/s a node", 8), Some(200.0));
        assert_eq!(gbit("3200 Gbps EFA", 8), Some(400.0));
        assert_eq!(gbit("InfiniBand (rate not stated)", 8), None);
        assert_eq!(gbit("EFA (AWS-type cluster; measured nccl busbw vs nodes)", 8), None);
        assert_eq!(gbit("4 Omni-Path links per node (README tr11 L42)", 8), Some(50.0));
    }
}
