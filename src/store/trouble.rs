//! What stands behind an I/O error, when somebody can do something about it.

use std::error::Error;
use std::io::{self, ErrorKind};

use crate::cores::NoThread;

/// The cause of a failed read or write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// There is no space left, none that this user may fill, or a file reached the size that this process may give it.
    DiskFull,
    /// Nothing can be written on that file system.
    ReadOnly,
    /// This user may not.
    Permission,
    /// The system gave no thread for it.
    NoThread,
    /// Anything else.
    Other,
}

impl Trouble {
    /// The cause of `error`. Libraries wrap errors in errors, so what it was made of is asked too.
    pub fn of(error: &io::Error) -> Trouble {
        let own = Trouble::of_kind(error.kind());
        if own != Trouble::Other {
            return own;
        }
        // `source` of an I/O error passes over the error that it holds, so that one is asked first.
        let mut inner: Option<&(dyn Error + 'static)> = error.get_ref().map(|inner| inner as _);
        while let Some(error) = inner {
            if error.is::<NoThread>() {
                return Trouble::NoThread;
            }
            if let Some(error) = error.downcast_ref::<io::Error>() {
                return Trouble::of(error);
            }
            inner = error.source();
        }
        Trouble::Other
    }

    fn of_kind(kind: ErrorKind) -> Trouble {
        match kind {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => Trouble::DiskFull,
            ErrorKind::ReadOnlyFilesystem => Trouble::ReadOnly,
            ErrorKind::PermissionDenied => Trouble::Permission,
            _ => Trouble::Other,
        }
    }

    /// What to do about it, to be put behind the error's own words; empty when nothing is known.
    pub fn advice(self) -> &'static str {
        match self {
            Trouble::DiskFull => {
                "; free some space, raise the limit of file sizes, or place the index elsewhere"
            }
            Trouble::ReadOnly => "; place the index where it can be written",
            Trouble::Permission => "; change who may use it, or place the index elsewhere",
            // The error's own words say it.
            Trouble::NoThread | Trouble::Other => "",
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
            assert_eq!(Trouble::of(&error), Trouble::DiskFull, "{error}");
        }
        assert_eq!(Trouble::of(&ErrorKind::ReadOnlyFilesystem.into()), Trouble::ReadOnly);
        assert_eq!(Trouble::of(&ErrorKind::PermissionDenied.into()), Trouble::Permission);
        assert_eq!(Trouble::of(&NoThread::new("text").into()), Trouble::NoThread);
        assert_eq!(Trouble::of(&io::Error::other("text")), Trouble::Other);
    }
}
