//! The lines that a change touches: from git's trees and the worktree, or from the text of a unified diff.

use std::io;
use std::sync::Arc;

use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::api::GraphChanges;
use super::tree::SearchedTree;
use crate::error::Error;
use spyhop_base::path::RelPath;
use spyhop_base::text::Lines;
use spyhop_files::git::{CommitTree, TreeChange};
use spyhop_files::tree::{Tree, TreeEntry};

/// The most bytes of a file whose lines are compared.
const MAX_BYTES: u64 = 1 << 20;

/// The most files of a change that are compared.
const MAX_CHANGED: usize = 1_000;

/// The most lines on both sides, multiplied, that are compared line by line. Beyond that, all lines between the equal
/// beginning and the equal end count as touched.
const MAX_PRODUCT: usize = 100_000_000;

/// Touched lines: `first` to `last`, counted from 1. If lines were only removed, `last` is the line before the gap and
/// `first` is the line after the gap, so a symbol with both lines is touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TouchedLines {
    pub first: u32,
    pub last: u32,
}

impl TouchedLines {
    /// The lines to show: those that are touched, or those around the gap.
    pub fn shown(self) -> Lines {
        Lines { first: self.first.min(self.last).max(1), last: self.first.max(self.last) }
    }
}

/// A changed file.
pub(super) struct ChangedFile {
    pub path: RelPath,
    /// The touched lines of the new content.
    pub touched: Vec<TouchedLines>,
    /// The new content, if that is not the content that is searched.
    pub text: Option<String>,
    /// The old content, if git has it.
    pub old: Option<String>,
    /// Whether the file does not exist any more.
    pub is_removed: bool,
}

/// A change.
#[derive(Default)]
pub(super) struct Changes {
    pub files: Vec<ChangedFile>,
    pub warnings: Vec<String>,
    /// Whether more files differ than are compared.
    pub is_cut: bool,
    /// Whether the change ends in the worktree, where there may be files that git does not track.
    pub is_of_worktree: bool,
}

/// Returns the text of a file that is searched.
type TextOf<'f> = &'f dyn Fn(&RelPath) -> Option<Arc<String>>;

/// The files and lines of a change.
pub(super) fn changes(
    tree: &SearchedTree,
    changes: &GraphChanges,
    text_of: TextOf<'_>,
) -> Result<Changes, Error> {
    let between = match changes {
        GraphChanges::Diff(text) => return changes_of_diff(tree, text, text_of),
        GraphChanges::Between(between) => between.trim(),
    };
    let between = if between.is_empty() { "HEAD" } else { between };
    let (old, new) = match between.split_once("..") {
        // The change since the common ancestor, as in git.
        Some((old, new)) if new.starts_with('.') => {
            let (old, new) = (or_head(old), or_head(&new[1..]));
            (merge_base(tree, old, new)?, Some(commit_tree(tree, new)?))
        }
        Some((old, new)) => (commit_tree(tree, or_head(old))?, Some(commit_tree(tree, or_head(new))?)),
        None => {
            let viewed = tree.view().map(|view| commit_tree(tree, view)).transpose()?;
            (commit_tree(tree, between)?, viewed)
        }
    };
    let unread = |error: io::Error| Error::bad(format!("the change '{between}' cannot be read: {error}"));
    let found = match (&new, tree.repo()) {
        (Some(new), _) => old.changes_to(new),
        (None, Some(repo)) => old.changes_to_worktree(repo),
        (None, None) => Ok(Vec::new()),
    };
    let mut found = found.map_err(unread)?;
    let mut all = Changes::default();
    if found.len() > MAX_CHANGED {
        all.warnings.push(format!(
            "{} files differ; the first {MAX_CHANGED} by path are compared: choose a nearer revision",
            found.len()
        ));
        all.is_cut = true;
        found.truncate(MAX_CHANGED);
    }
    for change in found {
        all.files.extend(compared(tree, &old, new.as_ref(), change, text_of));
    }
    if all.files.is_empty() && !all.is_cut {
        let searched = tree.view().unwrap_or("the worktree");
        let (old, new) = match between.split_once("..") {
            Some((old, new)) if new.starts_with('.') => {
                let (old, new) = (or_head(old), or_head(&new[1..]));
                (format!("the common ancestor of {old} and {new}"), new)
            }
            Some((old, new)) => (or_head(old).to_string(), or_head(new)),
            None => (between.to_string(), searched),
        };
        // Git lists files with other stat data and the same content, and files without indexed text.
        all.warnings.push(format!("no indexed text of a tracked file differs between {old} and {new}"));
    }
    all.is_of_worktree = new.is_none();
    Ok(all)
}

/// The touched lines of a file that may differ; `None` if it does not differ, or is no text.
fn compared(
    tree: &SearchedTree,
    old_tree: &CommitTree,
    new_tree: Option<&CommitTree>,
    change: TreeChange,
    text_of: TextOf<'_>,
) -> Option<ChangedFile> {
    let TreeChange { path, old, new } = change;
    let old = match &old {
        Some(entry) => Some(text_in(old_tree, entry)?),
        None => None,
    };
    let searched = text_of(&path);
    let new = match (new_tree, &new) {
        (Some(tree), Some(entry)) => Some(text_in(tree, entry)?),
        (Some(_), None) => None,
        (None, _) => match &searched {
            Some(text) => Some(text.to_string()),
            None if path.below(tree.root()).exists() => return None,
            None => None,
        },
    };
    let is_removed = new.is_none();
    let new = new.unwrap_or_default();
    let touched = touched_lines(old.as_deref().unwrap_or_default(), &new);
    let text = (searched.as_deref() != Some(&new) && !is_removed).then_some(new);
    (is_removed || !touched.is_empty()).then_some(ChangedFile { path, touched, text, old, is_removed })
}

fn commit_tree(tree: &SearchedTree, spec: &str) -> Result<CommitTree, Error> {
    let (repo, revision) = tree.named_revision(spec)?;
    Ok(repo.tree_of(spec, &revision.commit, tree.root())?)
}

fn merge_base(tree: &SearchedTree, one: &str, other: &str) -> Result<CommitTree, Error> {
    let (Some(repo), Ok(_)) = (tree.repo(), commit_tree(tree, other)) else { return commit_tree(tree, one) };
    let commits = [repo.revision(one)?.commit, repo.revision(other)?.commit];
    let base = repo.merge_base(&commits[0], &commits[1]).ok_or_else(|| {
        Error::bad(format!("'{one}' and '{other}' have no common ancestor; write '{one}..{other}'"))
    })?;
    Ok(repo.tree_of(one, &base, tree.root())?)
}

/// The files and lines of a unified diff, whose paths are relative to the top of the repository or to the root.
fn changes_of_diff(tree: &SearchedTree, text: &str, text_of: TextOf<'_>) -> Result<Changes, Error> {
    let mut all = Changes::default();
    for DiffFile { path, touched, is_removed, hunks } in parse_diff(text) {
        let below = below_root(tree, &path).and_then(|path| RelPath::new(&path).ok());
        match below {
            Some(path) => {
                let new = if is_removed { Some(Arc::default()) } else { text_of(&path) };
                let old = new.and_then(|new| before_hunks(&new, &hunks));
                all.files.push(ChangedFile { path, touched, text: None, old, is_removed })
            }
            None => all.warnings.push(format!("'{path}' of the diff is outside of the tree")),
        }
    }
    match all.files.is_empty() && all.warnings.is_empty() {
        true => Err(Error::bad(
            "the diff names no file; give the output of 'git diff', with lines such as '+++ b/src/a.rs'",
        )),
        false => Ok(all),
    }
}

/// A path of a diff, relative to the root.
fn below_root(tree: &SearchedTree, path: &str) -> Option<String> {
    let top = tree.repo().map(|repo| repo.top().to_path_buf());
    let root = std::fs::canonicalize(tree.root()).unwrap_or_else(|_| tree.root().to_path_buf());
    let prefix = top.and_then(|top| Some(root.strip_prefix(top).ok()?.to_str()?.replace('\\', "/")));
    match prefix.filter(|prefix| !prefix.is_empty()) {
        None => Some(path.to_string()),
        Some(prefix) => {
            path.strip_prefix(&prefix).and_then(|rest| rest.strip_prefix('/')).map(str::to_string)
        }
    }
}

fn or_head(spec: &str) -> &str {
    if spec.is_empty() { "HEAD" } else { spec }
}

fn text_in(tree: &CommitTree, entry: &TreeEntry) -> Option<String> {
    let is_small = tree.size(entry).is_ok_and(|size| size <= MAX_BYTES);
    let bytes = is_small.then(|| tree.read(entry).ok()).flatten()?;
    String::from_utf8(bytes).ok().filter(|text| !text.contains('\0'))
}

/// The lines of `new` that a change from `old` touches.
pub(super) fn touched_lines(old: &str, new: &str) -> Vec<TouchedLines> {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let begin = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let (old, rest) = (&old[begin..], &new[begin..]);
    let end = old.iter().rev().zip(rest.iter().rev()).take_while(|(a, b)| a == b).count();
    let (old, rest) = (&old[..old.len() - end], &rest[..rest.len() - end]);
    if old.is_empty() && rest.is_empty() {
        return Vec::new();
    }
    // Of 0 lines at the place `at`, the last is the line before and the first is the line after.
    let lines = |at: usize, len: usize| TouchedLines {
        first: (begin + at) as u32 + 1,
        last: (begin + at + len) as u32,
    };
    if old.len().saturating_mul(rest.len()) > MAX_PRODUCT {
        return vec![lines(0, rest.len())];
    }
    let operations = capture_diff_slices(Algorithm::Myers, old, rest);
    let touched = operations.iter().filter_map(|operation| match *operation {
        DiffOp::Equal { .. } => None,
        DiffOp::Delete { new_index, .. } => Some(lines(new_index, 0)),
        DiffOp::Insert { new_index, new_len, .. } | DiffOp::Replace { new_index, new_len, .. } => {
            Some(lines(new_index, new_len))
        }
    });
    touched.collect()
}

/// A file of a unified diff.
#[derive(Debug, Default, PartialEq)]
struct DiffFile {
    path: String,
    touched: Vec<TouchedLines>,
    is_removed: bool,
    hunks: Vec<DiffHunk>,
}

/// A hunk: the number of lines of the new content before it, and its rows with their signs.
#[derive(Debug, Default, PartialEq)]
struct DiffHunk {
    before: usize,
    rows: Vec<String>,
}

/// The content before a diff, from the content after it; `None` if that content is not the one of the diff.
fn before_hunks(new: &str, hunks: &[DiffHunk]) -> Option<String> {
    let lines: Vec<&str> = new.lines().collect();
    let (mut old, mut at) = (Vec::new(), 0);
    for hunk in hunks {
        old.extend(lines.get(at..hunk.before)?);
        at = hunk.before;
        for row in &hunk.rows {
            let (sign, text) = row.split_at_checked(1).unwrap_or((" ", ""));
            if sign == "-" {
                old.push(text);
                continue;
            }
            if lines.get(at)?.trim_end() != text.trim_end() {
                return None;
            }
            old.extend((sign != "+").then_some(text));
            at += 1;
        }
    }
    old.extend(&lines[at..]);
    Some(old.join("\n"))
}

/// The files of a unified diff.
fn parse_diff(text: &str) -> Vec<DiffFile> {
    let mut files: Vec<DiffFile> = Vec::new();
    let mut old_path = String::new();
    // The next line of the new content, and the numbers of old and new lines that are left in the hunk.
    let (mut line, mut left) = (0_u32, (0_u32, 0_u32));
    for row in text.lines() {
        if left != (0, 0) {
            let Some(DiffFile { touched, hunks, .. }) = files.last_mut() else { continue };
            if let Some(hunk) = hunks.last_mut().filter(|_| !row.starts_with('\\')) {
                hunk.rows.push(row.to_string());
            }
            match row.as_bytes().first() {
                Some(b'+') => {
                    match touched.last_mut().filter(|last| last.last + 1 == line) {
                        Some(last) => *last = TouchedLines { first: last.first.min(line), last: line },
                        None => touched.push(TouchedLines { first: line, last: line }),
                    }
                    (line, left.1) = (line + 1, left.1.saturating_sub(1));
                }
                Some(b'-') => {
                    if touched.last().is_none_or(|last| last.last + 1 != line) {
                        touched.push(TouchedLines { first: line, last: line.saturating_sub(1) });
                    }
                    left.0 = left.0.saturating_sub(1);
                }
                Some(b'\\') => {}
                _ => {
                    (line, left) = (line + 1, (left.0.saturating_sub(1), left.1.saturating_sub(1)));
                }
            }
        } else if let Some(path) = row.strip_prefix("--- ") {
            old_path = path_of_diff(path, "a/");
        } else if let Some(path) = row.strip_prefix("+++ ") {
            let new_path = path_of_diff(path, "b/");
            let is_removed = new_path == "/dev/null";
            let path = if is_removed { old_path.clone() } else { new_path };
            files.push(DiffFile { path, is_removed, ..DiffFile::default() });
        } else if let Some(hunk) = row.strip_prefix("@@ -")
            && let Some((old, rest)) = hunk.split_once(" +")
            && let Some((new, _)) = rest.split_once(" @@")
        {
            let numbers = |range: &str| {
                let (first, count) = range.split_once(',').unwrap_or((range, "1"));
                (first.parse().unwrap_or(0_u32), count.parse().unwrap_or(0_u32))
            };
            let ((_, removed), (first, added)) = (numbers(old), numbers(new));
            // A range without lines names the line before it.
            line = if added == 0 { first + 1 } else { first };
            left = (removed, added);
            if let Some(file) = files.last_mut() {
                let before = line.saturating_sub(1) as usize;
                file.hunks.push(DiffHunk { before, ..DiffHunk::default() });
            }
        }
    }
    files
}

/// A path as a diff has it: without the prefix, the quotes and the time after a tab.
fn path_of_diff(path: &str, prefix: &str) -> String {
    let path = path.split('\t').next().unwrap_or(path).trim_end();
    let path = match path.strip_prefix('"').and_then(|path| path.strip_suffix('"')) {
        Some(quoted) => unquoted(quoted),
        None => path.to_string(),
    };
    path.strip_prefix(prefix).map(str::to_string).unwrap_or(path)
}

/// A quoted path without git's escapes.
fn unquoted(path: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = path.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let octal = || path_byte(after.get(..3)?);
        match (byte, after.first()) {
            (b'\\', Some(_)) if octal().is_some() => {
                bytes.extend(octal());
                rest = &after[3..];
            }
            (b'\\', Some(&escaped)) => {
                bytes.push(match escaped {
                    b'n' => b'\n',
                    b't' => b'\t',
                    other => other,
                });
                rest = &after[1..];
            }
            _ => {
                bytes.push(byte);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn path_byte(digits: &[u8]) -> Option<u8> {
    u8::from_str_radix(std::str::from_utf8(digits).ok()?, 8).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(first: u32, last: u32) -> TouchedLines {
        TouchedLines { first, last }
    }

    #[test]
    fn lines_of_two_texts_are_compared() {
        assert_eq!(touched_lines("a\nb\nc\n", "a\nb\nc\n"), []);
        assert_eq!(touched_lines("a\nb\nc\n", "a\r\nB\r\nc\r\n"), [lines(2, 2)]);
        assert_eq!(touched_lines("a\nb\nc\n", "a\nc\n"), [lines(2, 1)]);
        assert_eq!(touched_lines("", "a\nb\n"), [lines(1, 2)]);
        assert_eq!(touched_lines("a\nb\nc\nd\ne\n", "x\nb\nc\nd\ne\nf\n"), [lines(1, 1), lines(6, 6)]);
    }

    #[test]
    fn a_unified_diff_is_read() {
        let diff = "diff --git a/src/a.rs b/src/a.rs\nindex 1..2 100644\n--- a/src/a.rs\n+++ b/src/a.rs\n\
                    @@ -1,4 +1,5 @@ fn a() {\n one\n-two\n+TWO\n+2\n three\n four\n@@ -10,2 +11,1 @@\n ten\n--- eleven\n\
                    --- a/old.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\n\
                    --- \"a/\\303\\244.py\"\n+++ \"b/\\303\\244.py\"\n@@ -0,0 +1,2 @@\n+a\n+b\n";
        let expected = [
            ("src/a.rs".to_string(), vec![lines(2, 3), lines(12, 11)], false),
            ("old.py".to_string(), vec![lines(1, 0)], true),
            ("ä.py".to_string(), vec![lines(1, 2)], false),
        ];
        let found: Vec<(String, Vec<TouchedLines>, bool)> =
            parse_diff(diff).into_iter().map(|own| (own.path, own.touched, own.is_removed)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn the_content_before_a_diff_follows_from_the_content_after_it() {
        let diff =
            "--- a/a\n+++ b/a\n@@ -1,3 +1,2 @@\n one\n-two\n three\n@@ -5,1 +4,2 @@\n-five\n+FIVE\n+six\n";
        let hunks = &parse_diff(diff)[0].hunks;
        let before = before_hunks("one\nthree\nfour\nFIVE\nsix\nseven\n", hunks);
        assert_eq!(before.as_deref(), Some("one\ntwo\nthree\nfour\nfive\nseven"));
        assert_eq!(before_hunks("one\ntwo\nthree\nfour\nfive\nseven\n", hunks), None);
        let removed = &parse_diff("--- a/a\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-one\n-two\n")[0].hunks;
        assert_eq!(before_hunks("", removed).as_deref(), Some("one\ntwo"));
    }
}
