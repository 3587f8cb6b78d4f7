//! North Line: prices and labels over JSON; a session is opened first and kept for an hour.

use super::{Carrier, CarrierError};
use crate::money::Money;
use crate::shipment::{Label, Shipment};

#[derive(Default)]
pub struct NorthLine {
    session: std::sync::Mutex<Option<OpenSession>>,
}

struct OpenSession {
    id: String,
    opened_at: std::time::Instant,
}

impl NorthLine {
    /// The session at hand, or a new one when it is older than fifty-five minutes.
    fn session(&self) -> Result<String, CarrierError> {
        let mut open = self.session.lock().unwrap();
        match open.as_ref().filter(|session| session.opened_at.elapsed().as_secs() < 55 * 60) {
            Some(session) => Ok(session.id.clone()),
            None => {
                let id = self.post("/session", &self.credentials())?.text("id");
                *open = Some(OpenSession { id: id.clone(), opened_at: std::time::Instant::now() });
                Ok(id)
            }
        }
    }
}

impl Carrier for NorthLine {
    fn name(&self) -> &'static str {
        "north-line"
    }

    fn quote(&self, shipment: &Shipment) -> Result<Money, CarrierError> {
        let session = self.session()?;
        self.get(&format!("/price?session={session}&grams={}", shipment.chargeable_grams()))?.money("total")
    }

    fn buy_label(&self, shipment: &Shipment) -> Result<Label, CarrierError> {
        let session = self.session()?;
        self.post(&format!("/labels?session={session}"), shipment)?.label()
    }

    fn void_label(&self, tracking_number: &str) -> Result<(), CarrierError> {
        let session = self.session()?;
        self.post(&format!("/labels/{tracking_number}/void?session={session}"), &()).map(|_| ())
    }
}
