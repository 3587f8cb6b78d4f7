//! A shipment: from whom, to whom, what is in it, and which states it may pass through.

mod address;
mod label;
mod shipment_export;

pub use address::Address;
pub use label::Label;
pub use shipment_export::export_shipments;

use crate::{Failure, Result};

/// A parcel on its way, or about to be.
#[derive(Clone, Debug)]
pub struct Shipment {
    pub id: u64,
    pub shop: u64,
    pub state: State,
    pub from: Address,
    pub to: Address,
    pub parcels: Vec<Parcel>,
    pub label: Option<Label>,
    pub created_at: i64,
}

#[derive(Clone, Debug)]
pub struct Parcel {
    pub grams: u32,
    pub millimetres: [u32; 3],
}

pub struct NewShipment {
    pub from: Address,
    pub to: Address,
    pub parcels: Vec<Parcel>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Draft,
    Bought,
    HandedOver,
    InTransit,
    Delivered,
    Returned,
    Cancelled,
}

impl Shipment {
    /// Checks what the shop sent and makes a draft of it.
    pub fn draft(shop: u64, new: NewShipment) -> Result<Shipment> {
        if new.parcels.is_empty() {
            return Err(Failure::Invalid { field: "parcels", why: "at least one".into() });
        }
        for parcel in &new.parcels {
            if parcel.grams == 0 || parcel.grams > 31_500 {
                return Err(Failure::Invalid { field: "grams", why: "1 to 31500".into() });
            }
        }
        new.from.check("from")?;
        new.to.check("to")?;
        Ok(Shipment {
            id: crate::store::next_id(),
            shop,
            state: State::Draft,
            from: new.from,
            to: new.to,
            parcels: new.parcels,
            label: None,
            created_at: crate::store::now(),
        })
    }

    /// Moves to `next`, if a shipment may go there from where it is.
    pub fn advance(&mut self, next: State) -> Result<()> {
        if !self.state.may_become(next) {
            return Err(Failure::Conflict(format!("a shipment does not go from {:?} to {next:?}", self.state)));
        }
        self.state = next;
        Ok(())
    }

    /// The weight that carriers charge: the real one or that of its volume, whichever is more.
    pub fn chargeable_grams(&self) -> u32 {
        self.parcels.iter().map(|parcel| parcel.grams.max(parcel.volumetric_grams())).sum()
    }
}

impl Parcel {
    /// Five cubic decimetres count as a kilogram.
    fn volumetric_grams(&self) -> u32 {
        let [length, width, height] = self.millimetres.map(u64::from);
        (length * width * height / 5_000) as u32
    }
}

impl State {
    fn may_become(self, next: State) -> bool {
        use State::*;
        matches!(
            (self, next),
            (Draft, Bought | Cancelled)
                | (Bought, HandedOver | Cancelled)
                | (HandedOver, InTransit)
                | (InTransit, Delivered | Returned)
        )
    }
}
