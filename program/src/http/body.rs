//! Bodies of requests: how long they may be, and how long they may take.
//!
//! Every body is read here, before anything answers. So a body that is too long, too slow or cut is the fault of the
//! request, whatever would have answered.

use std::fmt::Display;
use std::time::Duration;

use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::StatusCode;
use hyper::body::{Body, Bytes};

/// The longest body: far longer than any valid request, and far shorter than what would use too much memory.
pub const MAX_BODY: usize = 1 << 20;

/// How long a body may take. The longest one comes in time at 35 kB a second.
pub const BODY_TIMEOUT: Duration = Duration::from_secs(30);

/// Why a body was not read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BodyFault {
    #[error("the body has more than {MAX_BODY} bytes")]
    TooLong,
    #[error("the body did not arrive within {} seconds", BODY_TIMEOUT.as_secs())]
    TooSlow,
    #[error("the body cannot be read: {0}")]
    Broken(String),
}

impl BodyFault {
    pub fn status(&self) -> StatusCode {
        match self {
            BodyFault::TooLong => StatusCode::PAYLOAD_TOO_LARGE,
            BodyFault::TooSlow => StatusCode::REQUEST_TIMEOUT,
            BodyFault::Broken(_) => StatusCode::BAD_REQUEST,
        }
    }
}

/// The bytes of a body that ends within `timeout`.
pub async fn read<B>(body: B, timeout: Duration) -> Result<Bytes, BodyFault>
where
    B: Body,
    B::Error: std::error::Error + Send + Sync + 'static,
{
    let whole = tokio::time::timeout(timeout, Limited::new(body, MAX_BODY).collect());
    match whole.await {
        Ok(Ok(collected)) => Ok(collected.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(BodyFault::TooLong),
        Ok(Err(error)) => Err(BodyFault::Broken(with_cause(&*error))),
        Err(_) => Err(BodyFault::TooSlow),
    }
}

/// An error and its cause: hyper's own text names only the kind.
fn with_cause(error: &(dyn std::error::Error + Send + Sync)) -> String {
    let cause = error.source().map(|cause| format!(": {cause}"));
    format!("{error}{}", cause.as_ref().map_or(&"" as &dyn Display, |cause| cause))
}

#[cfg(test)]
mod tests {
    use std::pin::Pin;
    use std::task::{Context, Poll};

    use http_body_util::Full;
    use hyper::body::Frame;

    use super::*;

    /// A body that never ends, and sends nothing.
    struct Silent;

    impl Body for Silent {
        type Data = Bytes;
        type Error = std::io::Error;

        fn poll_frame(
            self: Pin<&mut Self>,
            _: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, std::io::Error>>> {
            Poll::Pending
        }
    }

    #[test]
    fn a_body_is_bounded_in_length_and_time() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let fault = |fault: BodyFault| fault.status().as_u16();
        let of = |length: usize| {
            let body = Full::new(Bytes::from(vec![b'x'; length]));
            runtime.block_on(async { read(body, BODY_TIMEOUT).await })
        };
        assert_eq!(of(MAX_BODY).unwrap().len(), MAX_BODY);
        assert_eq!(fault(of(MAX_BODY + 1).unwrap_err()), 413);
        assert_eq!(fault(runtime.block_on(async { read(Silent, Duration::ZERO).await }).unwrap_err()), 408);
    }
}
