mod support;

use support::{Server, address};

#[tokio::test]
async fn the_same_idempotency_key_buys_one_label() {
    let server = Server::start().await;
    let body = serde_json::json!({ "from": address("DE"), "to": address("FR"), "parcels": [{ "grams": 800 }] });
    let first = server.post("/v2/shipments", &body).header("idempotency-key", "k-1").send().await;
    let second = server.post("/v2/shipments", &body).header("idempotency-key", "k-1").send().await;
    assert_eq!((first.status(), second.status()), (201, 200));
    assert_eq!(first.json()["id"], second.json()["id"]);
    assert_eq!(server.outbox().await.len(), 1);
}

#[tokio::test]
async fn a_parcel_without_weight_is_refused() {
    let server = Server::start().await;
    let body = serde_json::json!({ "from": address("DE"), "to": address("FR"), "parcels": [{ "grams": 0 }] });
    let reply = server.post("/v2/shipments", &body).send().await;
    assert_eq!((reply.status(), reply.json()["code"].as_str()), (422, Some("invalid")));
}

#[tokio::test]
async fn a_cancelled_shipment_cannot_be_handed_over() {
    let server = Server::start().await;
    let id = server.shipment().await;
    server.delete(&format!("/v2/shipments/{id}")).send().await;
    assert_eq!(server.hand_over(id).await.status(), 409);
}
