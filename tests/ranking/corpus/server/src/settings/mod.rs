//! What the operator may set: a file, then the environment, the later one wins.

mod baseline;

use std::collections::BTreeMap;

use serde::Deserialize;

#[derive(Clone, Debug, Deserialize)]
pub struct Settings {
    pub http: Http,
    pub database: Database,
    pub throttle: Throttle,
    pub telemetry: Telemetry,
    pub carriers: BTreeMap<String, Credentials>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Http {
    pub listen: String,
    pub max_body: usize,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Database {
    pub url: String,
    pub connections: u32,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Throttle {
    pub per_second: f64,
    pub burst: f64,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Telemetry {
    pub level: String,
    pub endpoint: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Credentials {
    pub user: String,
    pub secret: String,
}

impl Settings {
    /// Reads the file at `path`, if there is one, and lays `PARCELBIRD_*` variables over it.
    pub fn load(path: Option<&str>) -> Result<Settings, SettingsError> {
        let mut merged = baseline::tree();
        if let Some(path) = path {
            let text = std::fs::read_to_string(path).map_err(|e| SettingsError::Unreadable(path.into(), e))?;
            merge(&mut merged, toml::from_str(&text).map_err(SettingsError::Syntax)?);
        }
        for (name, value) in std::env::vars() {
            if let Some(key) = name.strip_prefix("PARCELBIRD_") {
                set(&mut merged, &key.to_lowercase().replace("__", "."), value);
            }
        }
        merged.try_into().map_err(SettingsError::Syntax)
    }
}

/// Lays `over` on top of `under`, table by table.
fn merge(under: &mut toml::Value, over: toml::Value) {
    match (under, over) {
        (toml::Value::Table(under), toml::Value::Table(over)) => {
            for (key, value) in over {
                match under.get_mut(&key) {
                    Some(known) => merge(known, value),
                    None => _ = under.insert(key, value),
                }
            }
        }
        (under, over) => *under = over,
    }
}

fn set(tree: &mut toml::Value, dotted: &str, value: String) {
    let mut at = tree;
    for part in dotted.split('.') {
        at = at.as_table_mut().unwrap().entry(part).or_insert(toml::Value::Table(Default::default()));
    }
    *at = value.parse::<i64>().map(toml::Value::Integer).unwrap_or(toml::Value::String(value));
}

#[derive(Debug)]
pub enum SettingsError {
    Unreadable(String, std::io::Error),
    Syntax(toml::de::Error),
}
