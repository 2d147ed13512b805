//! List prices: what renting one accelerator for one hour costs on demand, without a commitment, taxes, storage and traffic. Where
//! a provider rents whole nodes, it is an eighth or a quarter of the node's price.
//!
//! One provider for what is compared most: SXM nodes are Lambda's, single cards RunPod's Secure Cloud. What neither listed is
//! another provider's, and what none listed has no price here. Prices move every month: a page shows the date beside each.

use crate::scenario::{CUSTOM, Id, Scenario};

/// An on-demand list price.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Price {
    /// US dollars for one accelerator and one hour.
    pub usd_per_hour: f64,
    /// Whose price it is, and of what.
    pub source: &'static str,
    /// The day on which the provider's page was read: year, month, day; empty where what was read names none.
    pub date: &'static str,
}

impl Price {
    /// Whose price it is: `Lambda`.
    pub fn provider(&self) -> &'static str {
        self.source.split([' ', ',']).next().unwrap_or_default()
    }
}

/// What a scenario holds in place of a price that no list has; it is never shown as one ([`known`]). Up to catalog revision 3 it was
/// the price of every accelerator.
pub const UNLISTED: f64 = 2.0;

/// Lambda's instances, its page as transcribed in api-evangelist/lambda-labs.
const fn lambda(usd_per_hour: f64, source: &'static str) -> Price {
    Price { usd_per_hour, source, date: "2026-09-20" }
}

/// `RunPod`'s Secure Cloud, one card, as dated notes in public repositories have it.
const fn runpod(usd_per_hour: f64, date: &'static str) -> Price {
    Price { usd_per_hour, source: "RunPod Secure Cloud, as noted publicly", date }
}

/// A share of an AWS instance in US West (Oregon), from SkyPilot's catalog of AWS's price list.
const fn aws(instance: f64, gpus: f64, source: &'static str) -> Price {
    Price { usd_per_hour: instance / gpus, source, date: "2026-09-08" }
}

/// A TPU chip in the United States. SkyPilot's catalog (v8, 006059e) has v5p and v6e, two public price tables all four; none
/// names a day.
const fn google(usd_per_hour: f64) -> Price {
    Price { usd_per_hour, source: "Google Cloud, a chip in the United States", date: "" }
}

/// The prices by accelerator.
const PRICES: &[(Id, Price)] = &[
    ("a100-40gb", lambda(1.99, "Lambda, 8x A100 SXM 40 GB")),
    ("a100-80gb", lambda(2.79, "Lambda, 8x A100 SXM 80 GB")),
    ("a100-pcie-80gb", runpod(1.79, "2026-11-09")),
    ("h100-sxm", lambda(3.99, "Lambda, 8x H100 SXM")),
    ("h100-pcie", runpod(2.89, "2026-11-09")),
    ("h100-nvl", runpod(3.19, "2026-11-09")),
    ("h200", runpod(4.59, "2026-10-07")),
    ("gh200-96gb", lambda(2.29, "Lambda, 1x GH200")),
    ("b200", lambda(6.69, "Lambda, 8x B200 SXM6")),
    ("gb200", Price { usd_per_hour: 42.0 / 4.0, source: "CoreWeave, GB200 NVL72, a quarter", date: "2026-09-20" }),
    ("b300", runpod(7.89, "2026-10-07")),
    ("v100-16gb", lambda(0.79, "Lambda, 8x Tesla V100")),
    ("v100-32gb", aws(31.212, 8.0, "AWS p3dn.24xlarge, an eighth")),
    ("mi300x", Price { usd_per_hour: 2.59, source: "DigitalOcean gpu-mi300x1-192gb", date: "2026-10-08" }),
    ("tpu-v4", google(3.22)),
    ("tpu-v5e", google(1.20)),
    ("tpu-v5p", google(4.20)),
    ("tpu-v6e", google(2.70)),
    ("rtx-3090", runpod(0.50, "2026-09-15")),
    ("rtx-4080", Price { usd_per_hour: 0.15, source: "Akash, starting price", date: "2026-09-20" }),
    ("rtx-4090", runpod(0.74, "2026-09-15")),
    ("rtx-5090", runpod(0.99, "2026-09-19")),
    ("rtx-a5000", runpod(0.27, "2026-09-19")),
    ("rtx-a6000", runpod(0.53, "2026-09-15")),
    ("rtx-6000-ada", runpod(0.84, "2026-09-15")),
    ("rtx-pro-6000", Price { usd_per_hour: 1.85, source: "Hyperstack, RTX Pro 6000 SE", date: "2026-08-26" }),
    ("a40", runpod(0.49, "2026-09-15")),
    ("a10", lambda(1.29, "Lambda, 1x A10")),
    ("a10g", aws(16.288, 8.0, "AWS g5.48xlarge, an eighth")),
    ("l4", runpod(0.49, "2026-09-15")),
    ("l40s", runpod(1.09, "2026-09-15")),
    ("t4", aws(7.824, 8.0, "AWS g4dn.metal, an eighth")),
];

/// A share of an AWS instance in US West (Oregon), as Vantage's list was on 2026-01-21 (tsaol/aws-gpu).
const fn aws_by_8(instance: f64, source: &'static str) -> Price {
    Price { usd_per_hour: instance / 8.0, source, date: "2026-01-21" }
}

/// A share of an Oracle instance, the same in every region, from SkyPilot's catalog (v8, 0588751), which names no day.
const fn oracle_by_8(instance: f64, source: &'static str) -> Price {
    Price { usd_per_hour: instance / 8.0, source, date: "" }
}

/// What clouds ask for their own products, by cluster. A product that is not here has no known price, whatever others ask for its GPU.
const PRODUCTS: &[(Id, Price)] = &[
    ("p4d", aws_by_8(21.957_64, "AWS p4d.24xlarge, an eighth")),
    ("p4de", aws_by_8(27.447_05, "AWS p4de.24xlarge, an eighth")),
    ("p5", aws_by_8(55.04, "AWS p5.48xlarge, an eighth")),
    ("p5en", aws_by_8(63.296, "AWS p5en.48xlarge, an eighth")),
    ("p6-b200", aws_by_8(113.932_8, "AWS p6-b200.48xlarge, an eighth")),
    ("p6-b300", aws_by_8(142.416, "AWS p6-b300.48xlarge, an eighth")),
    ("g5", aws(16.288, 8.0, "AWS g5.48xlarge, an eighth")),
    ("oci-a100", oracle_by_8(32.0, "Oracle BM.GPU.A100-v2.8, an eighth")),
    ("oci-h100", oracle_by_8(80.0, "Oracle BM.GPU.H100.8, an eighth")),
];

/// Returns what a cloud asks for an accelerator of its own product; `None` where that is not known, or the cluster is no product.
pub fn of_product(cluster: &str) -> Option<&'static Price> {
    PRODUCTS.iter().find(|(of, _)| *of == cluster).map(|(_, price)| price)
}

/// Returns the price of an accelerator in a cluster: the cloud's own for its product, else the list's; `None` where none is known.
pub fn listed_in(id: &str, cluster: &str) -> Option<&'static Price> {
    let is_its_own = super::super::cluster(cluster).is_some_and(|entry| entry.accelerator == id);
    of_product(cluster).filter(|_| is_its_own).or_else(|| listed(id))
}

/// Returns a scenario's price of a GPU-hour: that of a list, or one that somebody set; `None` where nobody knows one. What others ask
/// for its GPU is no price of a cloud's product.
pub fn known(scenario: &Scenario) -> Option<f64> {
    let price = scenario.run.price_per_gpu_hour;
    let (id, cluster) = (scenario.accelerator.id, scenario.network.id);
    let is_product =
        super::super::cluster(cluster).is_some_and(|entry| entry.accelerator == id && entry.is_of_a_cloud());
    let list = if is_product { of_product(cluster) } else { listed_in(id, cluster) };
    let is_a_stand_in = price == UNLISTED || is_product && price == usd_per_hour(id);
    (!is_a_stand_in || list.is_some_and(|list| list.usd_per_hour == price)).then_some(price)
}

/// Returns the list price of an accelerator; `None` where no provider's list has it.
pub fn listed(id: &str) -> Option<&'static Price> {
    PRICES.iter().find(|(of, _)| *of == id).map(|(_, price)| price)
}

/// Returns the price of an accelerator's hour that a scenario starts with, in US dollars.
pub fn usd_per_hour(id: &str) -> f64 {
    listed(id).map_or(UNLISTED, |price| price.usd_per_hour)
}

/// Returns the price of an accelerator's hour in a cluster that a scenario starts with, in US dollars.
pub fn usd_per_hour_in(id: &str, cluster: &str) -> f64 {
    listed_in(id, cluster).map_or(UNLISTED, |price| price.usd_per_hour)
}

/// Whether the price of a scenario is the list's rather than one that the user set: that of its accelerator, or of any where it is
/// a custom one, which was made from another.
pub fn is_of_the_list(usd_per_hour: f64, id: &str, cluster: &str) -> bool {
    if id == CUSTOM {
        let is_it = |(_, price): &(Id, Price)| price.usd_per_hour == usd_per_hour;
        usd_per_hour == UNLISTED || PRICES.iter().chain(PRODUCTS).any(is_it)
    } else {
        usd_per_hour == usd_per_hour_in(id, cluster)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::ACCELERATORS;
    use crate::params::ParamId;

    #[test]
    fn every_price_is_of_an_accelerator_and_within_the_bounds_of_the_control() {
        let number = ParamId::GpuHourPrice.number().unwrap();
        for (place, (id, price)) in PRICES.iter().enumerate() {
            assert!(ACCELERATORS.iter().any(|entry| entry.id == *id), "{id}");
            assert!(PRICES[..place].iter().all(|(other, _)| other != id), "{id} has two prices");
            assert!((number.min..=number.max).contains(&price.usd_per_hour), "{id}");
            let parts: Vec<usize> = price.date.split('-').map(str::len).collect();
            assert!(matches!(parts[..], [4, 2, 2] | [0]), "{id}: {}", price.date);
            assert!(price.source.len() > 3, "{id}");
        }
    }

    /// Published prices: Lambda's page of 2026-09-20 (H100 SXM and A100 SXM in nodes of eight), AWS's g5.48xlarge at $16.288 an
    /// hour for eight A10G, CoreWeave's GB200 tray of four at $42.
    #[test]
    fn prices_are_those_of_the_providers_lists() {
        for (id, usd) in [("h100-sxm", 3.99), ("a100-40gb", 1.99), ("a10g", 2.036), ("gb200", 10.5)] {
            assert!((usd_per_hour(id) - usd).abs() < 1e-12, "{id}");
        }
        // NVIDIA sells no H800 outside China, and clouds quote GB300 on request.
        for id in ["h800", "gb300", "custom"] {
            assert_eq!((listed(id), usd_per_hour(id)), (None, 2.0), "{id}");
        }
    }
}
