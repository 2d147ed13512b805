//! Source of the price of a GPU-hour.

use catalog::accelerators::prices;
use engine::format;
use engine::scenario::Scenario;

/// Returns the source of the price of a GPU-hour, as a sentence; an old price with its age on
/// `today`, a day since 1970.
pub fn price(scenario: &Scenario, today: Option<i64>) -> String {
    let (id, cluster) = (scenario.accelerator.id, scenario.network.id);
    let listed = prices::listed_in(id, cluster).map(|price| prices::dated(price, today));
    let set = !prices::is_of_the_list(scenario.run.price_per_gpu_hour, id, cluster);
    let product = catalog::cluster(cluster).filter(|entry| entry.accelerator == id && entry.is_of_a_cloud());
    let unpriced = product.filter(|entry| prices::product_price(entry.id).is_none());
    match (catalog::accelerator(id), listed, set) {
        (Some(_), Some(source), false) => match unpriced {
            Some(product) => {
                format!("No list price known for {}: edit it. Another asks for its GPU: {source}.", product.name)
            }
            None => format!("List price: {source}. Edit it."),
        },
        (Some(entry), Some(source), true) => {
            let usd = format::dollars(prices::usd_per_hour_in(id, cluster));
            format!("Not the list price of {}, which is {usd}: {source}.", entry.name)
        }
        (Some(entry), None, false) => format!("No list price known for {}: edit it.", entry.name),
        (Some(entry), None, true) => format!("No list price known for {}.", entry.name),
        (None, ..) => "No list price known for a custom GPU: edit it.".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use links::decode;

    #[test]
    fn the_price_says_where_it_comes_from() {
        let said = |link: &str| price(&decode(link).scenario, None);
        assert_eq!(said("v=1&cluster=dgx-h100"), "List price: Lambda, 8x H100 SXM, 2026-09-20. Edit it.");
        assert_eq!(
            said("v=1&cluster=dgx-h100&price=2"),
            "Not the list price of H100 SXM, which is $3.99: Lambda, 8x H100 SXM, 2026-09-20."
        );
        assert_eq!(said("v=1&gpu=h800"), "No list price known for H800: edit it.");
        assert_eq!(said("v=1&gpu=h800&price=1.5"), "No list price known for H800.");
        assert_eq!(said("v=1&cluster=p5"), "List price: AWS p5.48xlarge, an eighth, 2026-01-21. Edit it.");
        assert_eq!(
            said("v=1&cluster=azure-nd-h100-v5"),
            "No list price known for Azure ND H100 v5: edit it. Another asks for its GPU: Lambda, 8x H100 SXM, 2026-09-20."
        );
        assert!(said("v=1&gpu=tpu-v5p").contains("undated"));
        // 2027-01-01.
        let old = price(&decode("v=1&cluster=dgx-h100").scenario, Some(20_819));
        assert_eq!(old, "List price: Lambda, 8x H100 SXM, 2026-09-20, 103 days ago. Edit it.");
        assert!(said("v=1&gpu=custom").contains("custom GPU"));
    }
}
