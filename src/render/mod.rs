//! Replies to JSON and to text.
//!
//! The formats are the wire format in [`json`], the terminal's in [`text`] and an agent's in [`agent`]. Front ends choose
//! the format and whether a stream takes colour. Nothing here prints, reads the environment or reads the clock, so that a
//! reply always renders to the same bytes.
//!
//! The wire has structs of its own instead of `Serialize` on the facade's: a field that is renamed inside the
//! library must not rename itself in somebody's script.

pub mod agent;
pub mod json;
pub mod text;

mod paint;

pub use crate::clean;
pub use paint::Style;

use std::time::{SystemTime, UNIX_EPOCH};

use crate::engine::api::Status;
use crate::model::Note;

/// The two lines that a search and a status give where there is no index.
pub fn no_index(status: &Status) -> String {
    format!(
        "Run: {}\nExpected index at: {}",
        clean::line(&status.index_command),
        paint::shown(&status.index_path)
    )
}

/// A note's name in replies, and a sentence for people.
fn note_words(note: Note) -> (&'static str, &'static str) {
    match note {
        Note::SyntaxErrors => ("syntax-errors", "the parser met errors"),
        Note::TooDeep => ("too-deep", "nested too deep to parse, cut by lines"),
        Note::ParseBudget => ("parse-budget", "parsing was given up, cut by lines"),
        Note::Decoded => ("decoded", "decoded from another encoding than UTF-8"),
        Note::PathOnly => ("path-only", "found by path only"),
        Note::Quarantined => ("quarantined", "too much for the parser, cut by lines"),
        Note::TextOnly => ("text-only", "not parsed yet, cut by lines"),
    }
}

/// A moment as RFC 3339 in UTC with milliseconds. The calendar is the proleptic Gregorian one, reckoned in eras of
/// 400 years that begin in March, so that the leap day is the last day of its year; not worth a dependency.
fn rfc3339(time: SystemTime) -> String {
    let millis = match time.duration_since(UNIX_EPOCH) {
        Ok(after) => after.as_millis() as i64,
        Err(before) => -(before.duration().as_millis() as i64),
    };
    let (days, in_day) = (millis.div_euclid(86_400_000), millis.rem_euclid(86_400_000));
    let shifted = days + 719_468; // days from 0000-03-01
    let (era, day_of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = era * 400 + year_of_era + i64::from(month <= 2);
    let (hour, minute, second) = (in_day / 3_600_000, in_day / 60_000 % 60, in_day / 1_000 % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{:03}Z", in_day % 1_000)
}

#[cfg(test)]
mod samples;

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn moments_are_rfc_3339() {
        let check = |seconds: u64, millis: u64, expected: &str| {
            let time = UNIX_EPOCH + Duration::from_secs(seconds) + Duration::from_millis(millis);
            assert_eq!(rfc3339(time), expected);
        };
        check(0, 0, "1970-01-01T00:00:00.000Z");
        check(951_782_399, 7, "2000-02-28T23:59:59.007Z");
        check(951_782_400, 0, "2000-02-29T00:00:00.000Z");
        check(951_868_800, 0, "2000-03-01T00:00:00.000Z");
        check(1_709_164_800, 250, "2024-02-29T00:00:00.250Z");
        check(4_107_542_400, 0, "2100-03-01T00:00:00.000Z");
        assert_eq!(rfc3339(UNIX_EPOCH - Duration::from_millis(1)), "1969-12-31T23:59:59.999Z");
    }
}
