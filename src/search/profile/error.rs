//! Why a profile is refused.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::signal::{PROFILE_VERSION, PlaceSignal, Signal};
use spyhop_base::similar::{did_you_mean, most_similar};

/// Why a profile was refused.
#[derive(Debug, thiserror::Error)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum ProfileError {
    /// The file could not be read.
    #[error("cannot read the profile {path}: {source}{}", similar_file(path))]
    Unreadable {
        /// The path of the file.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// The text is not a valid profile.
    #[error("not a ranking profile: {0}")]
    Syntax(String),
    /// The profile is written for another version of the signals.
    #[error(
        "profile version {found} is not {PROFILE_VERSION}; fit it again, or adapt it to this program's default profile"
    )]
    Version {
        /// The version in the profile; 0 if it has none.
        found: i64,
    },
    /// The profile has weights for signals that do not exist.
    #[error("unknown signals: {}; this program has: {}", unknown.join(", "), signal_names())]
    UnknownSignals {
        /// The names of all unknown signals.
        unknown: Vec<String>,
    },
}

/// The end of the error about a profile that does not exist: the file in the folder that is probably meant.
fn similar_file(path: &Path) -> String {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let (Some(name), Ok(entries)) = (path.file_name().and_then(OsStr::to_str), folder.read_dir()) else {
        return String::new();
    };
    if path.exists() {
        return String::new();
    }
    let files: Vec<String> =
        entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect();
    let stems = files.iter().filter_map(|file| file.strip_suffix(".toml"));
    match most_similar(name, stems) {
        Some(stem) => format!("; did you mean '{stem}.toml'?"),
        None => did_you_mean(name, files.iter().map(String::as_str).filter(|file| file.ends_with(".toml"))),
    }
}

fn signal_names() -> String {
    let names: Vec<&str> = Signal::ALL.iter().map(|signal| signal.name()).collect();
    let of_places: Vec<&str> = PlaceSignal::ALL.iter().map(|signal| signal.name()).collect();
    format!(
        "{} (each as .value, .relative or .rank); signals of `[places]`: {}",
        names.join(", "),
        of_places.join(", ")
    )
}
