//! The values that hold where nobody says otherwise.

/// Listens on localhost only, so that a fresh install is not open to the world.
const LISTEN: &str = "127.0.0.1:8080";
const MAX_BODY: i64 = 256 * 1024;
const CONNECTIONS: i64 = 10;
const PER_SECOND: f64 = 20.0;
const BURST: f64 = 60.0;

pub fn tree() -> toml::Value {
    toml::toml! {
        [http]
        listen = LISTEN
        max_body = MAX_BODY
        [database]
        connections = CONNECTIONS
        [throttle]
        per_second = PER_SECOND
        burst = BURST
        [telemetry]
        level = "info"
        [carriers]
    }
    .into()
}
