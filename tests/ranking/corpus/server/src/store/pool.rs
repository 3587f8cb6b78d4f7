//! Connections, opened once and handed around.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;

use crate::settings::Database;

/// How long a request waits for a free connection before it gives up.
const PATIENCE: Duration = Duration::from_secs(3);

#[derive(Clone)]
pub struct Pool {
    idle: Arc<Mutex<Vec<Connection>>>,
    permits: Arc<Semaphore>,
    url: Arc<str>,
}

pub async fn connect(settings: &Database) -> crate::Result<Pool> {
    let pool = Pool {
        idle: Arc::default(),
        permits: Arc::new(Semaphore::new(settings.connections as usize)),
        url: settings.url.as_str().into(),
    };
    // Fail now rather than on the first request.
    drop(pool.checkout().await?);
    Ok(pool)
}

impl Pool {
    /// A connection of one's own until it is dropped; broken ones are not put back.
    pub async fn checkout(&self) -> crate::Result<Checkout> {
        let permit = tokio::time::timeout(PATIENCE, self.permits.clone().acquire_owned()).await??;
        let known = self.idle.lock().unwrap().pop().filter(Connection::is_alive);
        let connection = match known {
            Some(connection) => connection,
            None => Connection::open(&self.url).await?,
        };
        Ok(Checkout { connection: Some(connection), home: self.clone(), _permit: permit })
    }
}

impl Drop for Checkout {
    fn drop(&mut self) {
        if let Some(connection) = self.connection.take().filter(Connection::is_alive) {
            self.home.idle.lock().unwrap().push(connection);
        }
    }
}
