//! List prices: on-demand rent of one accelerator for one hour, without a commitment, taxes,
//! storage and traffic. Where a provider rents whole nodes, the price is the node's divided by its
//! number of GPUs.
//!
//! The accelerators that are compared most have prices of one provider: SXM nodes are Lambda's,
//! single cards RunPod's Secure Cloud. Accelerators that neither lists have another provider's
//! price, or none. Prices move every month: a page shows the date next to each price.

use crate::{ACCELERATORS, CLUSTERS, Price};
use engine::scenario::{CUSTOM, Scenario};

/// Placeholder for a price that no list has; it is never shown as a price ([`known`]). Up to
/// catalog revision 3 it was the price of every accelerator.
pub const UNLISTED: f64 = 2.0;

/// Returns the price of an accelerator in a cloud's own product; `None` if the price is unknown or
/// the cluster is no product.
pub fn product_price(cluster: &str) -> Option<&'static Price> {
    super::super::cluster(cluster)?.price.as_ref()
}

/// Returns the price of an accelerator in a cluster: the cloud's own price if the accelerator
/// belongs to its product, else the list price; `None` if neither is known.
pub fn listed_in(id: &str, cluster: &str) -> Option<&'static Price> {
    let is_its_own = super::super::cluster(cluster).is_some_and(|entry| entry.accelerator == id);
    product_price(cluster).filter(|_| is_its_own).or_else(|| list_price(id))
}

/// Returns a scenario's price of a GPU-hour, from a list or set by the user; `None` if only a
/// placeholder is known. Other providers' prices of the GPU do not count for a cloud's product.
pub fn known(scenario: &Scenario) -> Option<f64> {
    let price = scenario.run.price_per_gpu_hour;
    let (id, cluster) = (scenario.accelerator.id, scenario.network.id);
    let is_product =
        super::super::cluster(cluster).is_some_and(|entry| entry.accelerator == id && entry.is_of_a_cloud());
    let list = if is_product { product_price(cluster) } else { listed_in(id, cluster) };
    let is_a_stand_in = price == UNLISTED || is_product && price == usd_per_hour(id);
    (!is_a_stand_in || list.is_some_and(|list| list.usd_per_hour == price)).then_some(price)
}

/// Returns the list price of an accelerator; `None` if no provider's list has one.
pub fn list_price(id: &str) -> Option<&'static Price> {
    super::super::accelerator(id)?.price.as_ref()
}

/// Days after which a price is old enough for its age to be said.
const OLD_DAYS: i64 = 90;

/// Returns the provider and the product of a price with its date, and with its age if it is older
/// than 90 days. `today` is a day since 1970; without it, no age is said.
///
/// ```
/// use catalog::accelerators::prices::{dated, list_price};
///
/// let price = list_price("h100-sxm").unwrap();
/// assert_eq!(dated(price, None), "Lambda, 8x H100 SXM, 2026-09-20");
/// let later = Some(20_716 + 120);
/// assert_eq!(dated(price, later), "Lambda, 8x H100 SXM, 2026-09-20, 120 days ago");
/// ```
pub fn dated(price: &Price, today: Option<i64>) -> String {
    if price.date.is_empty() {
        return format!("{}, undated", price.source);
    }
    let age = today.zip(days_since_1970(price.date)).map(|(today, day)| today - day);
    let ago = age.filter(|days| *days > OLD_DAYS).map_or_else(String::new, |days| format!(", {days} days ago"));
    format!("{}, {}{ago}", price.source, price.date)
}

/// Returns the days from 1970-01-01 to a day that is written year-month-day; `None` if it is not.
fn days_since_1970(date: &str) -> Option<i64> {
    let mut parts = date.split('-').map(|part| part.parse::<i64>().ok());
    let [year, month, day] = [parts.next()??, parts.next()??, parts.next()??];
    // Years begin in March, so that the day that a leap year adds is their last.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    let before = (153 * month + 2) / 5;
    // 1970-01-01 is 719,468 days after the first of March of the year 0.
    Some(365 * year + leap_days + before + day - 1 - 719_468)
}

/// Returns the default price of an accelerator's hour in a scenario, in US dollars.
pub fn usd_per_hour(id: &str) -> f64 {
    list_price(id).map_or(UNLISTED, |price| price.usd_per_hour)
}

/// Returns the default price of an accelerator's hour in a cluster, in US dollars.
pub fn usd_per_hour_in(id: &str, cluster: &str) -> f64 {
    listed_in(id, cluster).map_or(UNLISTED, |price| price.usd_per_hour)
}

/// Whether a price is a list price rather than one that the user set: the accelerator's list price,
/// or any list price if the accelerator is custom, as it was made from a listed one.
pub fn is_of_the_list(usd_per_hour: f64, id: &str, cluster: &str) -> bool {
    if id == CUSTOM {
        let products = CLUSTERS.iter().filter_map(|entry| entry.price.as_ref());
        let mut prices = ACCELERATORS.iter().filter_map(|entry| entry.price.as_ref()).chain(products);
        usd_per_hour == UNLISTED || prices.any(|price| price.usd_per_hour == usd_per_hour)
    } else {
        usd_per_hour == usd_per_hour_in(id, cluster)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::params::ParamId;

    #[test]
    fn every_price_is_of_an_accelerator_and_within_the_bounds_of_the_control() {
        let number = ParamId::GpuHourPrice.number().unwrap();
        for (id, price) in ACCELERATORS.iter().filter_map(|entry| Some((entry.id, entry.price?))) {
            assert!((number.min..=number.max).contains(&price.usd_per_hour), "{id}");
            let parts: Vec<usize> = price.date.split('-').map(str::len).collect();
            assert!(matches!(parts[..], [4, 2, 2] | [0]), "{id}: {}", price.date);
            assert!(price.source.len() > 3, "{id}");
        }
    }

    /// Published prices: Lambda's page of 2026-09-20 (H100 SXM and A100 SXM in nodes of eight),
    /// AWS's g5.48xlarge at $16.288 an hour for eight A10G, CoreWeave's GB200 tray of four at $42,
    /// Oracle's of GB300 at $72.
    #[test]
    fn prices_are_those_of_the_providers_lists() {
        for (id, usd) in [("h100-sxm", 3.99), ("a100-40gb", 1.99), ("a10g", 2.036), ("gb200", 10.5), ("gb300", 18.0)] {
            assert!((usd_per_hour(id) - usd).abs() < 1e-12, "{id}");
        }
        // NVIDIA sells no H800 outside China.
        for id in ["h800", "custom"] {
            assert_eq!((list_price(id), usd_per_hour(id)), (None, 2.0), "{id}");
        }
    }

    #[test]
    fn the_age_of_a_price_is_said_from_its_ninety_first_day_on() {
        // Days by `date -u -d 2024-02-29 +%s`, divided by 86,400.
        for (date, days) in [("1970-01-01", 0), ("2000-03-01", 11_017), ("2024-02-29", 19_782), ("2026-09-20", 20_716)]
        {
            assert_eq!(days_since_1970(date), Some(days), "{date}");
        }
        assert_eq!([days_since_1970(""), days_since_1970("2026-09")], [None, None]);
        let price = list_price("h100-sxm").unwrap();
        let said = |after: i64| dated(price, Some(20_716 + after));
        assert_eq!((said(90), said(91)), (dated(price, None), format!("{}, 91 days ago", dated(price, None))));
        assert_eq!(said(-1), dated(price, None));
        let undated = list_price("gb300").unwrap();
        assert_eq!(dated(undated, Some(20_716)), "Oracle BM.GPU.GB300.4, a quarter, undated");
    }
}
