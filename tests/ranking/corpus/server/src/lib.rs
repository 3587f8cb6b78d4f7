//! The Parcelbird service.

pub mod carrier;
pub mod http;
pub mod money;
pub mod settings;
pub mod shipment;
pub mod store;
pub mod telemetry;
pub mod v1;
pub mod webhook;

/// Anything that can go wrong below a handler.
#[derive(Debug)]
pub enum Failure {
    NotFound(&'static str),
    Conflict(String),
    Invalid { field: &'static str, why: String },
    Carrier(carrier::CarrierError),
    Database(String),
}

pub type Result<T> = std::result::Result<T, Failure>;
