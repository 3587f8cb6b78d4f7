//! The table of shipments.

use super::Pool;
use crate::http::Cursor;
use crate::shipment::{Shipment, State};
use crate::{Failure, Result};

pub async fn insert(to: &mut Transaction, shipment: &Shipment, key: Option<&str>) -> Result<()> {
    to.execute_with(
        "insert into shipments (id, shop, state, body, idempotency_key) values ($1, $2, $3, $4, $5)",
        &[&shipment.id, &shipment.shop, &shipment.state, &shipment.json(), &key],
    )
    .await
    .map_err(|error| match error.constraint() {
        Some("shipments_idempotency") => Failure::Conflict("this idempotency key is in use".into()),
        _ => Failure::Database(error.to_string()),
    })
}

/// Rows behind the cursor, newest first; the index on (shop, created_at, id) serves it without a sort.
pub async fn after(pool: &Pool, shop: u64, after: Option<Cursor>, limit: usize) -> Result<Vec<Shipment>> {
    let after = after.unwrap_or(Cursor { created_at: i64::MAX, id: u64::MAX });
    pool.query(
        "select body from shipments where shop = $1 and (created_at, id) < ($2, $3)
         order by created_at desc, id desc limit $4",
        &[&shop, &after.created_at, &after.id, &limit],
    )
    .await
}

pub async fn by_idempotency_key(pool: &Pool, shop: u64, key: Option<&str>) -> Result<Option<Shipment>> {
    let Some(key) = key else { return Ok(None) };
    pool.query_one("select body from shipments where shop = $1 and idempotency_key = $2", &[&shop, &key]).await
}

pub async fn by_id(pool: &Pool, shop: u64, id: u64) -> Result<Option<Shipment>> {
    pool.query_one("select body from shipments where shop = $1 and id = $2", &[&shop, &id]).await
}

/// Locks the row, so that a label which is being bought is not cancelled at the same moment.
pub async fn cancel(pool: &Pool, shop: u64, id: u64) -> Result<Shipment> {
    let mut transaction = pool.begin().await?;
    let mut shipment = transaction.locked(shop, id).await?.ok_or(Failure::NotFound("shipment"))?;
    shipment.advance(State::Cancelled)?;
    transaction.save(&shipment).await?;
    super::outbox::push(&mut transaction, "label.void", &shipment.id).await?;
    transaction.commit().await?;
    Ok(shipment)
}
