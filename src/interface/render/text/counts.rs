//! Numbers as text: counts with their noun, sizes with their unit. Rows by what they have in common.

/// A number with its noun in the singular or plural.
pub fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// A list of names with their numbers, or `-` for an empty list.
pub fn tally<'a>(counts: impl Iterator<Item = (&'a str, usize)>) -> String {
    let listed: Vec<String> = counts.map(|(name, files)| format!("{name} {files}")).collect();
    if listed.is_empty() { "-".to_string() } else { listed.join(", ") }
}

/// Rows with the same key, keys in the order of their first row.
pub fn grouped<'r, R, K: PartialEq>(
    rows: impl IntoIterator<Item = &'r R>,
    key: impl Fn(&'r R) -> K,
) -> Vec<(K, Vec<&'r R>)> {
    let mut groups: Vec<(K, Vec<&R>)> = Vec::new();
    for row in rows {
        let own = key(row);
        match groups.iter_mut().find(|(known, _)| *known == own) {
            Some((_, rows)) => rows.push(row),
            None => groups.push((own, vec![row])),
        }
    }
    groups
}

/// A number of bytes in binary units.
pub fn bytes(number: u64) -> String {
    const UNITS: [&str; 5] = ["KiB", "MiB", "GiB", "TiB", "PiB"];
    if number < 1024 {
        return format!("{number} B");
    }
    let mut value = number as f64 / 1024.0;
    let mut unit = 0;
    // 1023.95 would be printed as 1024.0.
    while value >= 1023.95 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    format!("{value:.1} {}", UNITS[unit])
}

/// A number of files in whose paths the letters of a pattern are scattered.
pub fn scattered(files: usize) -> String {
    count(files, "scattered match", "scattered matches")
}
