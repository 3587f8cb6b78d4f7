//! The history of query lines, a file in the user's state folder.
//!
//! Queries may contain what nobody else should read, so only the owner can read the file. A history that cannot be read
//! or written is no reason to refuse work: the picker goes on without it.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use spyhop_base::input;

/// The most lines that are kept.
const MOST: usize = 1_000;

/// The file of the history; `None` where there is no home folder.
pub fn place() -> Option<PathBuf> {
    use etcetera::BaseStrategy;
    let strategy = etcetera::choose_base_strategy().ok()?;
    Some(strategy.state_dir().unwrap_or_else(|| strategy.data_dir()).join("spyhop").join("queries"))
}

/// The lines of the history, the newest last.
pub fn read(place: &Path) -> Vec<String> {
    // A file of another kind, such as a pipe, would block.
    if !place.symlink_metadata().is_ok_and(|found| found.is_file()) {
        return Vec::new();
    }
    let bytes = input::bounded(place, input::MAX_TEXT_BYTES).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    text.lines().filter(|line| !line.trim().is_empty()).map(str::to_string).collect()
}

/// Adds a line as the newest. An equal older line and the oldest lines beyond the limit are removed.
pub fn add(place: &Path, line: &str) -> io::Result<()> {
    // Another picker may have added lines meanwhile.
    let mut lines = read(place);
    lines.retain(|known| known != line);
    lines.push(line.to_string());
    let oldest = lines.len().saturating_sub(MOST);
    let folder = place.parent().unwrap_or(Path::new("."));
    make_private(folder)?;
    // The mode of a temporary file lets only its owner read it.
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    for line in &lines[oldest..] {
        writeln!(file, "{line}")?;
    }
    file.persist(place)?;
    Ok(())
}

fn make_private(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_kept_once_and_up_to_a_limit() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("state/spyhop/queries");
        assert_eq!(read(&place), Vec::<String>::new());
        for line in ["a", "b", "a", "größe"] {
            add(&place, line).unwrap();
        }
        assert_eq!(read(&place), ["b", "a", "größe"]);
        let many: String = (0..1_500).map(|number| format!("line {number}\n")).collect();
        fs::write(&place, many).unwrap();
        add(&place, "last").unwrap();
        let lines = read(&place);
        assert_eq!((lines.len(), lines[0].as_str(), lines[999].as_str()), (1_000, "line 501", "last"));
    }

    #[cfg(unix)]
    #[test]
    fn only_the_owner_can_read_the_history() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("spyhop/queries");
        add(&place, "a").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&place), mode(place.parent().unwrap())), (0o600, 0o700));
    }
}
