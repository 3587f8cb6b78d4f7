//! The extended headers of tar archives: the records of PAX.

/// The value of `key` in the records of a PAX header, the last one. `Err` if the records cannot be read.
pub(super) fn value_of<'b>(records: &'b [u8], key: &str) -> Result<Option<&'b [u8]>, &'static str> {
    let mut found = None;
    let mut rest = records;
    while !rest.is_empty() && rest != b"\0" {
        let (name, value, left) = next(rest).ok_or("its extended header cannot be read")?;
        if name == key.as_bytes() {
            found = Some(value);
        }
        rest = left;
    }
    Ok(found)
}

/// Whether the records describe a sparse file.
pub(super) fn is_sparse(records: &[u8]) -> bool {
    records.windows(b"GNU.sparse.".len()).any(|part| part == b"GNU.sparse.")
}

/// A record is `LENGTH KEY=VALUE\n`, and the length counts the whole record.
fn next(rest: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let space = rest.iter().take(12).position(|byte| *byte == b' ')?;
    let len: usize = std::str::from_utf8(&rest[..space]).ok()?.parse().ok()?;
    let record = rest.get(space + 1..len)?.strip_suffix(b"\n")?;
    let equals = record.iter().position(|byte| *byte == b'=')?;
    Some((&record[..equals], &record[equals + 1..], &rest[len..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_read_by_their_length() {
        let records = b"9 path=a\n11 path=bc\n13 other==\nx\n";
        assert_eq!(value_of(records, "path").unwrap(), Some(&b"bc"[..]));
        assert_eq!(value_of(records, "other").unwrap(), Some(&b"=\nx"[..]));
        assert_eq!(value_of(records, "none").unwrap(), None);
        for bad in [&b"99 path=a\n"[..], b"x", b"3 a\n", b"9 path=abc"] {
            assert!(value_of(bad, "path").is_err());
        }
        assert!(is_sparse(b"22 GNU.sparse.major=1\n") && !is_sparse(b"9 path=a\n"));
    }
}
