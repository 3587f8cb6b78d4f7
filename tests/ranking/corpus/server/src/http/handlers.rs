//! One function for each route of v2.

use super::guard::{Caller, Scope};
use super::page::{Cursor, MAX_ROWS, Page};
use super::{Request, Response};
use crate::shipment::{NewShipment, Shipment};
use crate::store::Pool;
use crate::{Failure, Result, carrier, store};

pub type Handler = fn(&Pool, Caller, Request) -> BoxFuture<Result<Response>>;

/// Buys a label. The same idempotency key gives the same shipment again instead of a second one.
pub async fn create(pool: &Pool, caller: Caller, request: Request) -> Result<Response> {
    caller.require(Scope::BuyLabels)?;
    let key = request.header("idempotency-key").map(str::to_string);
    if let Some(known) = store::shipments::by_idempotency_key(pool, caller.shop, key.as_deref()).await? {
        return Ok(Response::json(200, &known));
    }
    let new: NewShipment = request.json()?;
    let shipment = Shipment::draft(caller.shop, new)?;
    let mut transaction = pool.begin().await?;
    store::shipments::insert(&mut transaction, &shipment, key.as_deref()).await?;
    store::outbox::push(&mut transaction, "label.buy", &shipment.id).await?;
    transaction.commit().await?;
    Ok(Response::json(201, &shipment))
}

pub async fn list(pool: &Pool, caller: Caller, request: Request) -> Result<Response> {
    caller.require(Scope::ReadShipments)?;
    let wanted = request.query("limit").unwrap_or(50).min(MAX_ROWS);
    let after = request.query_text("cursor").map(Cursor::decode).transpose()?;
    let rows = store::shipments::after(pool, caller.shop, after, wanted + 1).await?;
    Ok(Response::json(200, &Page::cut(rows, wanted, |row| Cursor { created_at: row.created_at, id: row.id })))
}

pub async fn show(pool: &Pool, caller: Caller, request: Request) -> Result<Response> {
    caller.require(Scope::ReadShipments)?;
    let shipment = store::shipments::by_id(pool, caller.shop, request.id()?).await?;
    shipment.map(|shipment| Response::json(200, &shipment)).ok_or(Failure::NotFound("shipment"))
}

pub async fn cancel(pool: &Pool, caller: Caller, request: Request) -> Result<Response> {
    caller.require(Scope::BuyLabels)?;
    let shipment = store::shipments::cancel(pool, caller.shop, request.id()?).await?;
    Ok(Response::json(200, &shipment))
}

pub async fn quote(_: &Pool, caller: Caller, request: Request) -> Result<Response> {
    caller.require(Scope::ReadShipments)?;
    let quotes = carrier::rates::compare(&request.json()?).await;
    Ok(Response::json(200, &quotes))
}
