//! What every carrier can do, and the table of those we know.

pub mod north_line;
pub mod rates;
pub mod swift_post;

use crate::money::Money;
use crate::shipment::{Label, Shipment};

/// A company that moves parcels.
pub trait Carrier: Send + Sync {
    fn name(&self) -> &'static str;
    fn quote(&self, shipment: &Shipment) -> Result<Money, CarrierError>;
    fn buy_label(&self, shipment: &Shipment) -> Result<Label, CarrierError>;
    fn void_label(&self, tracking_number: &str) -> Result<(), CarrierError>;
}

#[derive(Debug)]
pub enum CarrierError {
    /// They do not go there.
    Unserved,
    /// Their side is down; worth another try.
    Down(String),
    /// They said no, and will say no again.
    Refused(String),
}

impl CarrierError {
    pub fn is_transient(&self) -> bool {
        matches!(self, CarrierError::Down(_))
    }
}

impl std::fmt::Display for CarrierError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            CarrierError::Unserved => f.write_str("the carrier does not serve this destination"),
            CarrierError::Down(why) => write!(f, "the carrier is down: {why}"),
            CarrierError::Refused(why) => write!(f, "the carrier refused: {why}"),
        }
    }
}

/// Every carrier that is compiled in.
pub fn all() -> Vec<Box<dyn Carrier>> {
    vec![Box::new(swift_post::SwiftPost::default()), Box::new(north_line::NorthLine::default())]
}
