//! Why a request was not answered, as the protocol says it.

use lsp_server::{ErrorCode, ResponseError};
use spyhop_engine::{Error, ErrorKind};
use spyhop_interface::render::error_text;

/// The code of a request that is valid and failed; the crate does not name it.
const REQUEST_FAILED: i32 = -32803;

/// A failure with its code.
#[derive(Debug)]
pub struct RequestError {
    code: i32,
    text: String,
}

impl RequestError {
    /// The parameters are wrong.
    pub fn params(text: impl Into<String>) -> RequestError {
        RequestError { code: ErrorCode::InvalidParams as i32, text: text.into() }
    }

    /// The server does not know the method.
    pub fn method(name: &str) -> RequestError {
        RequestError {
            code: ErrorCode::MethodNotFound as i32,
            text: format!("the method '{name}' is not offered"),
        }
    }

    /// The client has to initialize first.
    pub fn not_initialized() -> RequestError {
        let text = "the first request has to be 'initialize'".to_string();
        RequestError { code: ErrorCode::ServerNotInitialized as i32, text }
    }

    /// The client has initialized before.
    pub fn initialized() -> RequestError {
        let text = "the server is initialized already".to_string();
        RequestError { code: ErrorCode::InvalidRequest as i32, text }
    }

    /// The server is shutting down.
    pub fn shut_down() -> RequestError {
        let text = "the server is shutting down; only 'exit' may follow".to_string();
        RequestError { code: ErrorCode::InvalidRequest as i32, text }
    }

    /// The client cancelled the request.
    pub fn cancelled() -> RequestError {
        RequestError {
            code: ErrorCode::RequestCanceled as i32,
            text: "the request was cancelled".to_string(),
        }
    }

    /// The request failed.
    pub fn failed(text: impl Into<String>) -> RequestError {
        RequestError { code: REQUEST_FAILED, text: text.into() }
    }

    /// The answer failed because of a bug.
    pub fn internal(text: impl Into<String>) -> RequestError {
        RequestError { code: ErrorCode::InternalError as i32, text: text.into() }
    }

    /// The failure in the form in which the protocol has it.
    pub fn into_response_error(self) -> ResponseError {
        ResponseError { code: self.code, message: self.text, data: None }
    }
}

impl From<Error> for RequestError {
    fn from(error: Error) -> RequestError {
        match error.kind() {
            ErrorKind::Cancelled => RequestError::cancelled(),
            ErrorKind::BadRequest => RequestError::params(error_text(&error)),
            ErrorKind::Internal => RequestError::internal(error_text(&error)),
            _ => RequestError::failed(error_text(&error)),
        }
    }
}
