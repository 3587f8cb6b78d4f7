//! Messages that must leave the house after a transaction has committed, and not otherwise.

use super::Pool;
use crate::Result;

pub struct Message {
    pub id: u64,
    pub topic: String,
    pub subject: u64,
    pub attempts: u32,
}

/// Writes a message in the caller's transaction: it exists when, and only when, that one commits.
pub async fn push(to: &mut Transaction, topic: &str, subject: &u64) -> Result<()> {
    to.execute_with("insert into outbox (topic, subject) values ($1, $2)", &[&topic, subject]).await
}

/// Takes up to `limit` messages that are due. Rows that another dispatcher holds are skipped.
pub async fn claim(pool: &Pool, limit: usize) -> Result<Vec<Message>> {
    pool.query(
        "update outbox set claimed_until = now() + interval '30 seconds', attempts = attempts + 1
         where id in (select id from outbox where due_at <= now() and delivered_at is null
                      order by id for update skip locked limit $1)
         returning id, topic, subject, attempts",
        &[&limit],
    )
    .await
}

pub async fn delivered(pool: &Pool, message: &Message) -> Result<()> {
    pool.execute_with("update outbox set delivered_at = now() where id = $1", &[&message.id]).await
}

pub async fn postpone(pool: &Pool, message: &Message, seconds: u64) -> Result<()> {
    let sql = "update outbox set due_at = now() + $2 * interval '1 second' where id = $1";
    pool.execute_with(sql, &[&message.id, &seconds]).await
}
