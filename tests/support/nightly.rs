//! Tests that try more cases at night.

/// A number of cases: the first by day, the second if `SPYHOP_NIGHTLY` is set, as `.ci/nightly` does.
pub fn cases(by_day: usize, by_night: usize) -> usize {
    match std::env::var_os("SPYHOP_NIGHTLY") {
        Some(_) => by_night,
        None => by_day,
    }
}
