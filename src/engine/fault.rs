//! Panics become errors at the facade: the program that embeds the library must not end for a fault of the library.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::error::{Error, ErrorKind, no_thread};
use spyhop_syntax::worker::message_of;

/// Runs `act`. A panic becomes an error that names `what`, the operation. The panic hook of the program runs before that, and
/// prints the panic unless the program has set another hook.
pub fn guarded<T>(what: &str, act: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    catch_unwind(AssertUnwindSafe(act)).unwrap_or_else(|panic| {
        let message = message_of(&*panic);
        Err(match no_thread(&message) {
            Some(text) => Error::new(ErrorKind::NoThread, text),
            None => {
                let text = format!("{what} panicked: {message}; this is a fault of the program");
                Error::new(ErrorKind::Internal, text)
            }
        })
    })
}

/// The error of a panic in an index that passes every check.
pub(crate) fn in_sound_index(error: &Error) -> Error {
    let text = format!("{error}; the index passes every check, so this is a fault of the program");
    Error::new(ErrorKind::Internal, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_an_error_with_its_message() {
        let fault =
            guarded("the update", || -> Result<(), Error> { panic!("index {} of 3", 7) }).unwrap_err();
        assert_eq!(fault.kind(), ErrorKind::Internal);
        assert_eq!(fault.to_string(), "the update panicked: index 7 of 3; this is a fault of the program");
        let refused = guarded("the update", || -> Result<(), Error> { panic!("failed to spawn thread: no") });
        assert_eq!(refused.unwrap_err().kind(), ErrorKind::NoThread);
        assert_eq!(guarded("the update", || Ok(3)).unwrap(), 3);
    }
}
