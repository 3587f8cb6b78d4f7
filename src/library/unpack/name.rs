//! Names of entries: which of them are paths inside the new folder.

use unicode_normalization::UnicodeNormalization;

use super::error::UnpackFault;
use spyhop_base::path::part_fault;

/// The most bytes of a name, which is the limit of paths on Linux.
pub(super) const MAX_NAME_BYTES: usize = 4096;

/// The most bytes of one part of a name, which is the limit of common file systems.
const MAX_PART_BYTES: usize = 255;

/// Names that Windows gives to devices.
const DEVICES: &[&str] = &[
    "aux", "com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8", "com9", "con", "lpt1", "lpt2",
    "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9", "nul", "prn",
];

/// The meaning of a name.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum EntryName {
    /// A path below the new folder, with `/` between its parts. Empty for that folder itself.
    Path(String),
    /// A file of a version control system.
    VersionControl,
    /// A name that is not UTF-8.
    NotUtf8,
}

/// Checks the name of an entry. A backslash is a separator for some writers and a letter for others, so that a name with
/// one is refused where `backslash` says so.
pub(super) fn check(name: &[u8], depth: usize, backslash: bool) -> Result<EntryName, UnpackFault> {
    if name.len() > MAX_NAME_BYTES {
        return Err(UnpackFault::LongName(name.len()));
    }
    let has_drive = name.len() >= 2 && name[0].is_ascii_alphabetic() && name[1] == b':';
    if matches!(name.first(), Some(b'/' | b'\\')) || has_drive {
        return Err(UnpackFault::Absolute);
    }
    let mut parts: Vec<&[u8]> = Vec::new();
    for part in name.split(|byte| *byte == b'/') {
        // `a//b` and `./a` are common and harmless.
        if part.is_empty() || part == b"." {
            continue;
        }
        if let Some(fault) = fault_of(part, backslash) {
            return Err(UnpackFault::Part(fault));
        }
        parts.push(part);
    }
    if parts.len() > depth + 1 {
        return Err(UnpackFault::Depth { found: parts.len() - 1, limit: depth });
    }
    if parts.iter().any(|part| part.eq_ignore_ascii_case(b".git")) {
        return Ok(EntryName::VersionControl);
    }
    match std::str::from_utf8(&parts.join(&b'/')) {
        Ok(path) => Ok(EntryName::Path(path.to_string())),
        Err(_) => Ok(EntryName::NotUtf8),
    }
}

fn fault_of(part: &[u8], backslash: bool) -> Option<&'static str> {
    if let Some(fault) = part_fault(part) {
        return Some(fault);
    }
    if part.len() > MAX_PART_BYTES {
        return Some("is longer than 255 bytes");
    }
    if part.iter().any(|byte| *byte < b' ' || *byte == 0x7f) {
        return Some("holds a control character");
    }
    if backslash && part.contains(&b'\\') {
        return Some("holds a backslash, which is a separator elsewhere");
    }
    let is_device = || {
        let stem = part.split(|byte| *byte == b'.').next().unwrap_or_default();
        DEVICES.iter().any(|device| stem.eq_ignore_ascii_case(device.as_bytes()))
    };
    // Windows drops these characters at the end of a name.
    if cfg!(windows) && (is_device() || matches!(part.last(), Some(b'.' | b' '))) {
        return Some("is not a name on this system");
    }
    None
}

/// The form of a path in which file systems compare paths that do not distinguish case or forms of letters.
pub(super) fn folded(path: &str) -> String {
    if path.is_ascii() {
        path.to_ascii_lowercase()
    } else {
        path.nfkc().flat_map(char::to_lowercase).collect()
    }
}

/// A name as it is shown in an error.
pub(super) fn shown(name: &[u8]) -> String {
    let text: String = String::from_utf8_lossy(name).chars().take(200).collect();
    text.chars()
        .map(|c| if c.is_control() { format!("{}", c.escape_default()) } else { c.to_string() })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_leave_the_folder_are_refused() {
        for bad in [
            &b"/etc/passwd"[..],
            b"../a",
            b"a/../../b",
            b"a/..",
            b"\\\\host\\share",
            b"C:\\a",
            b"c:a",
            b"a\\..\\b",
            b"a\0b",
            b"a\nb",
            b"a/\x1b[31m",
        ] {
            assert!(check(bad, 9, true).is_err(), "{}", shown(bad));
        }
        assert!(check(&[b'a'; 300], 9, true).is_err());
        assert!(check(&b"a/".repeat(3000), 9999, true).is_err());
        assert!(check(b"a/b/c", 1, true).is_err());
    }

    #[test]
    fn other_names_are_paths() {
        for (name, expected) in [
            ("./a//b/", "a/b"),
            ("a b/ä", "a b/ä"),
            ("..a", "..a"),
            ("", ""),
            ("a/.gitignore", "a/.gitignore"),
        ] {
            assert_eq!(check(name.as_bytes(), 9, true).unwrap(), EntryName::Path(expected.into()), "{name}");
        }
        assert_eq!(check(b"unit\\x2da", 9, false).unwrap(), EntryName::Path("unit\\x2da".into()));
        assert_eq!(check(b"a/.GIT/config", 9, true).unwrap(), EntryName::VersionControl);
        assert_eq!(check(b"caf\xe9", 9, true).unwrap(), EntryName::NotUtf8);
        assert_eq!(folded("Straße/ﬁ.RS"), folded("STRAßE/fi.rs"));
    }
}
