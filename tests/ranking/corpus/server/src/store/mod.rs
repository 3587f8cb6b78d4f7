//! The database: a pool, migrations, and a module for each table that has more than a query.

pub mod outbox;
pub mod pool;
pub mod shipments;

pub use pool::Pool;

use std::sync::atomic::{AtomicU64, Ordering};

/// The files of `db/migrations`, in order.
const MIGRATIONS: &[(&str, &str)] = &[
    ("0001", include_str!("../../../db/migrations/0001_shipments.sql")),
    ("0002", include_str!("../../../db/migrations/0002_outbox.sql")),
    ("0003", include_str!("../../../db/migrations/0003_keys.sql")),
];

/// Runs what has not run yet, each in a transaction of its own, under an advisory lock, so that two servers that
/// start together do not trip over each other.
pub async fn migrate(pool: &Pool) -> crate::Result<()> {
    let mut lock = pool.advisory_lock(0x7061_7263).await?;
    let done = lock.query_strings("select name from migrations").await?;
    for (name, sql) in MIGRATIONS.iter().filter(|(name, _)| !done.iter().any(|known| known == name)) {
        let mut transaction = lock.begin().await?;
        transaction.execute(sql).await?;
        transaction.execute_with("insert into migrations values ($1)", &[name]).await?;
        transaction.commit().await?;
    }
    Ok(())
}

static NEXT: AtomicU64 = AtomicU64::new(0);

/// Milliseconds since 1970 in the upper bits, a counter in the lower, so that ids are ordered by time.
pub fn next_id() -> u64 {
    (now() as u64) << 20 | (NEXT.fetch_add(1, Ordering::Relaxed) & 0xf_ffff)
}

pub fn now() -> i64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_millis() as i64
}
