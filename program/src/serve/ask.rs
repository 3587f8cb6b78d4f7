//! A question to the interface, as its address and its body give it.

use hyper::StatusCode;
use serde_json::Value;

use super::params::Params;
use super::reply::ApiError;

/// A question to the interface.
pub struct Ask {
    /// The path behind the version.
    pub name: String,
    pub params: Params,
    /// The body of a POST.
    pub body: Option<Value>,
}

impl Ask {
    /// The body of a POST; an error for a GET.
    pub fn body(&self) -> Result<&Value, ApiError> {
        self.body.as_ref().ok_or_else(|| {
            ApiError::new(StatusCode::METHOD_NOT_ALLOWED, "method", "this address takes a POST with JSON")
        })
    }
}
