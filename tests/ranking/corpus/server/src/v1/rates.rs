//! `/v1/rates`: quotes with prices as decimal strings, compared one carrier after the other.

use crate::carrier::{self, rates::Quote};
use crate::shipment::Shipment;

pub struct RateV1 {
    pub carrier: String,
    pub price: String,
}

/// Quotes of all carriers for a shipment, cheapest first, as strings.
pub async fn compare(shipment: &Shipment) -> Vec<RateV1> {
    let quotes: Vec<Quote> = carrier::rates::compare(shipment).await;
    quotes
        .into_iter()
        .map(|quote| RateV1 { carrier: quote.carrier.into(), price: format!("{:.2}", quote.price.minor as f64 / 100.0) })
        .collect()
}
