//! The cause of an I/O error, if a user can do something about it.

use std::error::Error;
use std::io::{self, ErrorKind};

use crate::cores::NoThread;

/// The cause of a failed read or write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IoCause {
    /// No space is left on the disk or in the user's quota, or the file has reached the size limit of this process.
    DiskFull,
    /// The file system is read-only.
    ReadOnly,
    /// This user lacks the permission.
    Permission,
    /// The system could not start a thread.
    NoThread,
    /// Any other cause.
    Other,
}

impl IoCause {
    /// The cause of `error`. Libraries wrap errors in errors, so the wrapped errors are examined too.
    pub fn of(error: &io::Error) -> IoCause {
        let cause = IoCause::of_kind(error.kind());
        if cause != IoCause::Other {
            return cause;
        }
        // `source` of an I/O error skips the error that it wraps, so the wrapped error is examined first.
        let mut inner: Option<&(dyn Error + 'static)> = error.get_ref().map(|inner| inner as _);
        while let Some(error) = inner {
            if error.is::<NoThread>() {
                return IoCause::NoThread;
            }
            if let Some(error) = error.downcast_ref::<io::Error>() {
                return IoCause::of(error);
            }
            inner = error.source();
        }
        IoCause::Other
    }

    fn of_kind(kind: ErrorKind) -> IoCause {
        match kind {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => IoCause::DiskFull,
            ErrorKind::ReadOnlyFilesystem => IoCause::ReadOnly,
            ErrorKind::PermissionDenied => IoCause::Permission,
            _ => IoCause::Other,
        }
    }

    /// Advice to append to the message of the error; empty when there is none.
    pub fn advice(self) -> &'static str {
        match self {
            IoCause::DiskFull => {
                "; free some space, raise the limit of file sizes, or place the index elsewhere"
            }
            IoCause::ReadOnly => "; place the index where it can be written",
            IoCause::Permission => "; change who may use it, or place the index elsewhere",
            // The message itself says it.
            IoCause::NoThread | IoCause::Other => "",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_are_found_below_other_errors() {
        let full = || io::Error::from(ErrorKind::StorageFull);
        let wrapped = io::Error::other(io::Error::other(full()));
        for error in [full(), ErrorKind::QuotaExceeded.into(), ErrorKind::FileTooLarge.into(), wrapped] {
            assert_eq!(IoCause::of(&error), IoCause::DiskFull, "{error}");
        }
        assert_eq!(IoCause::of(&ErrorKind::ReadOnlyFilesystem.into()), IoCause::ReadOnly);
        assert_eq!(IoCause::of(&ErrorKind::PermissionDenied.into()), IoCause::Permission);
        assert_eq!(IoCause::of(&NoThread::new("text").into()), IoCause::NoThread);
        assert_eq!(IoCause::of(&io::Error::other("text")), IoCause::Other);
    }
}
