//! The command that makes the index which an engine asks for.
//!
//! Where an index lies and what it holds follows from the options, so the command names every option that matters: who
//! follows the advice of an error gets the index that was missing.

use std::path::Path;

use super::api::Options;
use super::{Engine, Error};

impl Engine {
    /// The command line that makes the index which this engine asks for, quoted for a shell.
    pub(super) fn index_command(&self) -> String {
        let root = quoted(&self.root().to_string_lossy());
        let mut command = match self.view() {
            None => format!("spyhop index {root}"),
            // A view is made by the first question to it.
            Some(view) => format!("spyhop files --view {} --root {root}", quoted(view)),
        };
        let Options { grammars, max_file_bytes, hidden, no_ignore, no_built_in, secrets, .. } = &self.options;
        let index_dir = self.options.index_dir.as_ref().map(|_| self.index_dir());
        for (flag, path) in [("--index-dir", index_dir), ("--grammars", grammars.as_deref())] {
            if let Some(path) = path {
                let whole = std::path::absolute(path).unwrap_or(path.to_path_buf());
                command += &format!(" {flag} {}", quoted(&whole.to_string_lossy()));
            }
        }
        let flags = [
            ("--hidden", hidden),
            ("--no-ignore", no_ignore),
            ("--no-built-in", no_built_in),
            ("--secrets", secrets),
        ];
        flags.iter().filter(|(_, is_on)| **is_on).for_each(|(flag, _)| command += &format!(" {flag}"));
        if *max_file_bytes != Options::default().max_file_bytes {
            command += &format!(" --max-file-size {max_file_bytes}");
        }
        command
    }

    /// There is no index, and the options do not allow for making one.
    pub(super) fn no_index(&self) -> Error {
        Error::no_index(&self.index_command(), self.index_dir())
    }
}

/// Refuses an index folder that cannot be one, because it is a file or lies below one.
pub(super) fn check_index_dir(dir: &Path) -> Result<(), Error> {
    let existing = dir.ancestors().find_map(|above| Some((above, above.metadata().ok()?)));
    match existing {
        Some((above, metadata)) if !metadata.is_dir() => {
            let why = if above == dir {
                "is a file".to_string()
            } else {
                format!("lies below the file '{}'", above.display())
            };
            let text = format!(
                "index_dir '{}' {why}; choose a folder, or one that is yet to be made",
                dir.display()
            );
            Err(Error::bad(text))
        }
        _ => Ok(()),
    }
}

/// A word as a POSIX shell reads it.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+:@%,=".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_string();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_a_shell_would_change_them() {
        let check = |word: &str, expected: &str| assert_eq!(quoted(word), expected);
        check("/w/größe-1", "/w/größe-1");
        check("/w/my tree", "'/w/my tree'");
        check("it's", "'it'\\''s'");
        check("", "''");
    }
}
