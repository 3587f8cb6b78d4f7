//! Tells shops what happened to their parcels, by calling an address they gave.

mod retry;
mod sign;

pub use sign::{sign, verify};

use crate::store::{Pool, outbox};

pub struct Endpoint {
    pub url: String,
    pub secret: Vec<u8>,
    pub failures: u32,
}

/// Delivers what is due, forever.
pub async fn dispatch(pool: Pool, client: Client) {
    loop {
        for message in outbox::claim(&pool, 50).await.unwrap_or_default() {
            match deliver(&pool, &client, &message).await {
                Ok(()) => _ = outbox::delivered(&pool, &message).await,
                Err(_) => match retry::pause(message.attempts) {
                    Some(pause) => _ = outbox::postpone(&pool, &message, pause.as_secs()).await,
                    None => switch_off(&pool, &message).await,
                },
            }
        }
        tokio::time::sleep(std::time::Duration::from_millis(500)).await;
    }
}

async fn deliver(pool: &Pool, client: &Client, message: &outbox::Message) -> Result<(), DeliveryError> {
    let endpoint = pool.endpoint_of(message.subject).await?;
    let body = pool.event_json(message).await?;
    let header = sign(&endpoint.secret, crate::store::now() / 1000, body.as_bytes());
    let reply = client.post(&endpoint.url).header("Parcelbird-Signature", header).body(body).send().await?;
    if reply.status().is_success() { Ok(()) } else { Err(DeliveryError::Status(reply.status())) }
}
