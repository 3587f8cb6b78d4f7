//! `/v1/parcels`: shipments as they were called and shaped in the first interface.

use crate::http::{Page, Request, Response};
use crate::shipment::{Shipment, State};
use crate::store::{self, Pool};

/// A shipment in the old shape: one parcel, the state as a number.
pub struct ParcelV1 {
    pub id: String,
    pub state: u8,
    pub weight_kg: f64,
}

impl From<&Shipment> for ParcelV1 {
    fn from(shipment: &Shipment) -> ParcelV1 {
        let state = match shipment.state {
            State::Draft | State::Bought => 0,
            State::HandedOver | State::InTransit => 1,
            State::Delivered => 2,
            State::Returned | State::Cancelled => 9,
        };
        let weight_kg = f64::from(shipment.chargeable_grams()) / 1000.0;
        ParcelV1 { id: shipment.id.to_string(), state, weight_kg }
    }
}

/// Lists parcels by page number; reads and throws away what stands before the page.
pub async fn list(pool: &Pool, shop: u64, request: Request) -> crate::Result<Response> {
    let number: usize = request.query("page").unwrap_or(1);
    let rows = store::shipments::after(pool, shop, None, number * 50).await?;
    let page: Vec<ParcelV1> = rows.iter().skip((number - 1) * 50).map(ParcelV1::from).collect();
    Ok(Response::json(200, &page))
}
