//! Who is calling? Looks at the bearer token and says which shop it belongs to and what it may do.

use super::Problem;
use crate::store::Pool;

/// A shop that has proved who it is.
pub struct Caller {
    pub shop: u64,
    pub scopes: Vec<Scope>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    ReadShipments,
    BuyLabels,
    ManageKeys,
}

pub struct Guard {
    pool: Pool,
}

impl Guard {
    pub fn new(pool: Pool) -> Guard {
        Guard { pool }
    }

    /// The caller behind the `Authorization` header. Keys are stored as hashes, so we hash before we look up.
    pub async fn caller(&self, request: &super::Request) -> Result<Caller, Problem> {
        let header = request.header("authorization").ok_or_else(|| Problem::unauthorized("no credentials"))?;
        let token = header.strip_prefix("Bearer ").ok_or_else(|| Problem::unauthorized("not a bearer token"))?;
        let digest = blake3::hash(token.as_bytes());
        let row = self.pool.key_by_digest(digest.as_bytes()).await.map_err(|_| Problem::unavailable())?;
        match row {
            Some(row) if !row.revoked => Ok(Caller { shop: row.shop, scopes: row.scopes }),
            Some(_) => Err(Problem::unauthorized("this key was revoked")),
            None => Err(Problem::unauthorized("unknown key")),
        }
    }
}

impl Caller {
    /// Fails unless the key was made with `scope`.
    pub fn require(&self, scope: Scope) -> Result<(), Problem> {
        if self.scopes.contains(&scope) { Ok(()) } else { Err(Problem::forbidden(scope)) }
    }
}
