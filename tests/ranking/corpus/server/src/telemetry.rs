//! Logs and traces: one line of JSON an event, spans sent to a collector when one is set.

use crate::settings::Telemetry;

/// Header values that never reach a log.
const SECRET: &[&str] = &["authorization", "cookie", "parcelbird-signature"];

pub fn start(settings: &Telemetry) -> std::io::Result<()> {
    let filter = EnvFilter::new(&settings.level);
    let registry = Registry::default().with(filter).with(JsonLines::new(std::io::stdout()));
    if let Some(endpoint) = &settings.endpoint {
        registry.with(Exporter::batched(endpoint)).install();
    } else {
        registry.install();
    }
    Ok(())
}

/// Replaces what is secret by three stars.
pub fn redact<'v>(name: &str, value: &'v str) -> &'v str {
    if SECRET.iter().any(|secret| name.eq_ignore_ascii_case(secret)) { "***" } else { value }
}
