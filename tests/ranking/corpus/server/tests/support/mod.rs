//! A server on a free port with a database of its own, thrown away at the end.

use parcelbird::settings::Settings;

pub struct Server {
    pub base: String,
    database: TemporaryDatabase,
}

impl Server {
    pub async fn start() -> Server {
        Server::with(|_| ()).await
    }

    pub async fn with(change: impl FnOnce(&mut Settings)) -> Server {
        let database = TemporaryDatabase::create().await;
        let mut settings = Settings::load(None).unwrap();
        settings.database.url = database.url();
        settings.http.listen = "127.0.0.1:0".into();
        change(&mut settings);
        let base = spawn(settings).await;
        Server { base, database }
    }
}

pub fn address(country: &str) -> serde_json::Value {
    serde_json::json!({ "name": "Ada", "street": "Weg 1", "postcode": "10115", "city": "Ort", "country": country })
}
