mod support;

use support::Server;

#[tokio::test]
async fn a_burst_is_answered_and_then_throttled() {
    let server = Server::with(|settings| settings.throttle.burst = 3.0).await;
    for _ in 0..3 {
        assert_eq!(server.get("/v2/shipments").send().await.status(), 200);
    }
    let reply = server.get("/v2/shipments").send().await;
    assert_eq!(reply.status(), 429);
    assert!(reply.header("retry-after").unwrap().parse::<f64>().unwrap() > 0.0);
}

#[tokio::test]
async fn keys_have_buckets_of_their_own() {
    let server = Server::with(|settings| settings.throttle.burst = 1.0).await;
    assert_eq!(server.get("/v2/shipments").bearer("one").send().await.status(), 200);
    assert_eq!(server.get("/v2/shipments").bearer("two").send().await.status(), 200);
}
