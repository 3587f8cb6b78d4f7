//! The first interface, frozen. Translates to and from what we have today; nothing new goes in here.

pub mod cursor;
pub mod parcels;
pub mod rates;
