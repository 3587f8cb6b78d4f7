//! Signatures of webhook calls: proof for the receiver that it was us, and that nobody changed the body.

use hmac::{Hmac, Mac};
use sha2::Sha256;

/// How old a call may be before it is taken for a replay.
const TOLERANCE_SECONDS: i64 = 300;

/// The value of the `Parcelbird-Signature` header.
pub fn sign(secret: &[u8], at: i64, body: &[u8]) -> String {
    format!("t={at},v1={}", hex(&mac(secret, at, body).finalize().into_bytes()))
}

/// Whether `header` was made by `sign` with the same secret, not long ago. Compares in constant time.
pub fn verify(secret: &[u8], header: &str, body: &[u8], now: i64) -> bool {
    let Some((at, signature)) = header.strip_prefix("t=").and_then(|rest| rest.split_once(",v1=")) else {
        return false;
    };
    let Ok(at) = at.parse::<i64>() else { return false };
    let Some(signature) = from_hex(signature) else { return false };
    (now - at).abs() <= TOLERANCE_SECONDS && mac(secret, at, body).verify_slice(&signature).is_ok()
}

fn mac(secret: &[u8], at: i64, body: &[u8]) -> Hmac<Sha256> {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret).expect("any length is fine");
    mac.update(format!("{at}.").as_bytes());
    mac.update(body);
    mac
}
