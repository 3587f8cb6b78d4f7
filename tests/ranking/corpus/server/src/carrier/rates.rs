//! Asks all carriers for a price at the same time and orders what comes back.

use std::time::Duration;

use super::{Carrier, all};
use crate::money::Money;
use crate::shipment::Shipment;

/// Whoever has not answered by then takes no part.
const BUDGET: Duration = Duration::from_millis(900);

pub struct Quote {
    pub carrier: &'static str,
    pub price: Money,
}

/// The quotes for a shipment, cheapest first; carriers that fail or are late are left out.
pub async fn compare(shipment: &Shipment) -> Vec<Quote> {
    let asked = all().into_iter().map(|carrier| tokio::time::timeout(BUDGET, ask(carrier, shipment)));
    let mut quotes: Vec<Quote> = join_all(asked).await.into_iter().flatten().flatten().collect();
    quotes.sort_by(|a, b| a.price.cmp(&b.price).then_with(|| a.carrier.cmp(b.carrier)));
    quotes
}

async fn ask(carrier: Box<dyn Carrier>, shipment: &Shipment) -> Option<Quote> {
    let price = carrier.quote(shipment).ok()?;
    Some(Quote { carrier: carrier.name(), price })
}
