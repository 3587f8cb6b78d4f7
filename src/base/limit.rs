//! The limits of requests: how many entries a list has and how long a text is, whichever front end a request comes from.
//! One request must not take the memory or the time of all others.

/// The most queries of a batch.
pub const MAX_QUERIES: usize = 100;

/// The most entries of any other list.
pub const MAX_ENTRIES: usize = 1_000;

/// The most folders and files that a command line names; a shell passes hardly more.
pub const MAX_PATHS: usize = 100_000;

/// The most bytes of all entries of a list of patterns together.
pub const MAX_PATTERN_BYTES: usize = 64 << 10;

/// The most bytes of a text.
pub const MAX_TEXT_BYTES: usize = 64 << 10;

/// The most bytes of a name, such as that of a symbol, a place or a cursor.
pub const MAX_NAME_BYTES: usize = 10_000;

/// The most bytes of a diff.
pub const MAX_DIFF_BYTES: usize = 16 << 20;

/// A value of a request that is above its limit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name} has {given} {unit}; the limit is {limit}")]
pub struct AboveLimit {
    name: String,
    given: usize,
    unit: &'static str,
    limit: usize,
}

fn within(name: &str, given: usize, unit: &'static str, limit: usize) -> Result<(), AboveLimit> {
    match given > limit {
        true => Err(AboveLimit { name: name.to_string(), given, unit, limit }),
        false => Ok(()),
    }
}

/// Checks the number of entries of a list.
pub fn entries(name: &str, given: usize, limit: usize) -> Result<(), AboveLimit> {
    within(name, given, "entries", limit)
}

/// Checks the length of a text.
pub fn bytes(name: &str, text: &str, limit: usize) -> Result<(), AboveLimit> {
    within(name, text.len(), "bytes", limit)
}

/// Checks a list of names: the number of entries, and the length of each.
pub fn names(name: &str, list: &[String]) -> Result<(), AboveLimit> {
    entries(name, list.len(), MAX_ENTRIES)?;
    list.iter().try_for_each(|text| bytes(name, text, MAX_NAME_BYTES))
}

/// Checks a list of patterns, which are compiled together: the number of entries, and the length of all.
pub fn patterns(name: &str, list: &[String]) -> Result<(), AboveLimit> {
    entries(name, list.len(), MAX_ENTRIES)?;
    within(name, list.iter().map(String::len).sum(), "bytes", MAX_PATTERN_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_names_the_value_and_the_limit() {
        let list = |entries: usize, bytes: usize| vec!["x".repeat(bytes); entries];
        assert_eq!(names("seeds", &list(MAX_ENTRIES, 1)), Ok(()));
        assert_eq!(patterns("glob", &list(MAX_ENTRIES, 1)), Ok(()));
        let says = |checked: Result<(), AboveLimit>| checked.unwrap_err().to_string();
        assert_eq!(says(names("seeds", &list(1_001, 1))), "seeds has 1001 entries; the limit is 1000");
        assert_eq!(says(names("seeds", &list(1, 10_001))), "seeds has 10001 bytes; the limit is 10000");
        assert_eq!(says(patterns("glob", &list(20, 4_000))), "glob has 80000 bytes; the limit is 65536");
    }
}
