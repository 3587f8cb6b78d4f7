//! Postal addresses: what must be filled in where, and how they are written on a label.

use crate::{Failure, Result};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    pub name: String,
    pub street: String,
    pub postcode: String,
    pub city: String,
    pub country: [u8; 2],
}

impl Address {
    pub fn check(&self, field: &'static str) -> Result<()> {
        let invalid = |why: &str| Err(Failure::Invalid { field, why: why.into() });
        if self.name.trim().is_empty() {
            return invalid("a name is needed");
        }
        let digits = self.postcode.chars().all(|c| c.is_ascii_digit());
        match (&self.country, self.postcode.len()) {
            (b"DE" | b"FR", 5) | (b"CH" | b"AT", 4) if digits => Ok(()),
            (b"DE" | b"FR" | b"CH" | b"AT", _) => invalid("the postcode does not fit the country"),
            _ => Ok(()),
        }
    }

    /// The lines of a label, the country only when it is abroad.
    pub fn lines(&self, home: [u8; 2]) -> Vec<String> {
        let mut lines = vec![self.name.clone(), self.street.clone(), format!("{} {}", self.postcode, self.city)];
        if self.country != home {
            lines.push(String::from_utf8_lossy(&self.country).into_owned());
        }
        lines
    }
}
