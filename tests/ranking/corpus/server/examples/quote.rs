//! Prints what two kilograms from Berlin to Lyon cost: `cargo run --example quote`.

use parcelbird::carrier::rates;
use parcelbird::shipment::{Address, NewShipment, Parcel, Shipment};

#[tokio::main]
async fn main() {
    let berlin = Address { city: "Berlin".into(), country: *b"DE", postcode: "10115".into(), ..Address::sample() };
    let lyon = Address { city: "Lyon".into(), country: *b"FR", postcode: "69001".into(), ..Address::sample() };
    let parcels = vec![Parcel { grams: 2_000, millimetres: [300, 200, 100] }];
    let shipment = Shipment::draft(1, NewShipment { from: berlin, to: lyon, parcels }).unwrap();
    for quote in rates::compare(&shipment).await {
        println!("{:<12} {}", quote.carrier, quote.price);
    }
}
