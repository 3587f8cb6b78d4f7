//! An agent that has ripgrep and reads files: the model that `spyhop-eval tokens` and `spyhop-eval packs` share.
//!
//! The agent searches for each word of a question, lists the files that hold most of the words, and reads them from the
//! top, or only the lines around the words. `eval/README.md` describes the model.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use spyhop::render::agent;
use spyhop::text::Lines;

use crate::failure::Failure;

/// The files that the list names.
const LISTED: usize = 100;
/// The lines of a file that are read from the top.
const READ: u32 = 2_000;
/// The lines that are read before and after a line with a word.
const AROUND: usize = 5;

/// The agent in a tree.
pub struct RipgrepAgent<'a> {
    /// The program.
    pub rg: &'a Path,
    /// The root of the tree.
    pub root: &'a Path,
}

impl RipgrepAgent<'_> {
    /// The files that hold most of the words of `text`, first, then by path; all of them.
    ///
    /// # Errors
    /// If the program cannot be run, or fails.
    pub fn ranked_files(&self, text: &str) -> Result<Vec<String>, Failure> {
        let mut words: BTreeMap<String, usize> = BTreeMap::new();
        for word in words_of(text) {
            for path in self.files_with(&word)? {
                *words.entry(path).or_default() += 1;
            }
        }
        let mut files: Vec<(String, usize)> = words.into_iter().collect();
        files.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        Ok(files.into_iter().map(|(path, _)| path).collect())
    }

    fn files_with(&self, word: &str) -> Result<Vec<String>, Failure> {
        let mut command = Command::new(self.rg);
        command.args(["--no-config", "-liF", "--", word, "."]).current_dir(self.root);
        let ran = command.output().map_err(|error| {
            Failure::Asked(format!("{} cannot be run: {error}; name ripgrep by --rg", self.rg.display()))
        })?;
        // 1 is nothing found.
        if ran.status.code().is_none_or(|code| code > 1) {
            let said = String::from_utf8_lossy(&ran.stderr);
            return Err(Failure::Asked(format!("{} failed: {said}", self.rg.display())));
        }
        let listed = String::from_utf8_lossy(&ran.stdout);
        Ok(listed.lines().map(|path| path.trim_start_matches("./").to_string()).collect())
    }

    /// The first lines of a file, numbered as agents are shown them.
    pub fn top(&self, path: &str) -> Vec<String> {
        self.lines(path, Lines { first: 1, last: READ })
    }

    /// Lines of a file, numbered as agents are shown them.
    pub fn lines(&self, path: &str, lines: Lines) -> Vec<String> {
        let wanted = (1_u32..).zip(self.text(path).lines().map(str::to_string).collect::<Vec<_>>());
        let wanted = wanted.skip_while(|(number, _)| *number < lines.first);
        let wanted = wanted.take_while(|(number, _)| *number <= lines.last);
        wanted.map(|(number, line)| numbered(number as usize, &line)).collect()
    }

    /// The lines of a file that are close to a line with one of `words`, numbered.
    pub fn around(&self, path: &str, words: &[String]) -> Vec<String> {
        let text = self.text(path);
        let lines: Vec<&str> = text.lines().collect();
        let has_word = |line: &&str| {
            let line = line.to_lowercase();
            words.iter().any(|word| line.contains(word.as_str()))
        };
        let with_word: Vec<usize> = (0..lines.len()).filter(|at| has_word(&lines[*at])).collect();
        let mut shown: Vec<String> = Vec::new();
        let mut next = 0;
        for at in with_word {
            let end = (at + AROUND + 1).min(lines.len());
            let begin = at.saturating_sub(AROUND).max(next).min(end);
            shown.extend((begin + 1..).zip(&lines[begin..end]).map(|(number, line)| numbered(number, line)));
            next = next.max(end);
        }
        shown
    }

    fn text(&self, path: &str) -> String {
        let bytes = std::fs::read(self.root.join(path)).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

fn numbered(number: usize, line: &str) -> String {
    format!("{number}\t{line}\n")
}

/// The tokens of the list of files that the agent is shown first.
pub fn listed_tokens(files: &[String]) -> usize {
    let listed: String = files.iter().take(LISTED).map(|path| format!("{path}\n")).collect();
    agent::tokens(&listed)
}

/// The words that an agent would look for: those of three letters and more that say something.
pub fn words_of(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in text.split(|c: char| !c.is_alphanumeric() && c != '_').map(str::to_lowercase) {
        if word.chars().count() >= 3 && !EMPTY.contains(&word.as_str()) && !words.contains(&word) {
            words.push(word);
        }
    }
    words
}

/// Words that nobody looks for.
const EMPTY: &[&str] = &[
    "and", "are", "for", "from", "how", "into", "that", "the", "their", "them", "then", "there", "this",
    "was", "what", "when", "where", "which", "who", "why", "with", "does", "its", "has", "have", "not",
    "can", "between",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_looks_for_the_words_that_say_something() {
        assert_eq!(
            words_of("Where is the api key of a Provider resolved, and how is draw_circle's Key made?"),
            ["api", "key", "provider", "resolved", "draw_circle", "made"]
        );
    }

    #[test]
    fn lines_around_words_are_shown_once() {
        let folder = tempfile::tempdir().unwrap();
        let text: String = (1..=40).map(|line| format!("line {line}\n")).collect();
        let text = text.replace("line 10\n", "retry 10\n").replace("line 14\n", "Retry 14\n");
        std::fs::write(folder.path().join("a"), text).unwrap();
        let own = RipgrepAgent { rg: Path::new("rg"), root: folder.path() };
        let shown = own.around("a", &["retry".to_string()]);
        assert_eq!(
            (shown.len(), shown[0].as_str(), shown[14].as_str()),
            (15, "5\tline 5\n", "19\tline 19\n")
        );
    }
}
