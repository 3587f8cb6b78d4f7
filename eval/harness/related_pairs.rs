//! `spyhop-eval related-pairs`: pairs of a sentence and code that it describes, from the history and the files of git
//! repositories, for the training of the table of related words (`eval/related.py`).
//!
//! A pair is a line of five fields between tabs: its kind, the repository, the stems of the sentence, the stems of the code, and
//! the sentence. Kinds: `d`, a comment and the item below it without the comment; `t`, the name of a test and its body; `c`, the
//! subject of a commit and a file that it changed, by the changed lines with their surroundings.
//!
//! A repository of an evaluation set, or a fork of one, is refused: by its name, and by the first commits of its history, which a
//! fork shares.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use spyhop_base::model::{Analysis, Symbol, SymbolKind};
use spyhop_base::path::RelPath;
use spyhop_base::text::Span;
use spyhop_index::tokenize::{TermList, Tokenizer};
use spyhop_search::query::Query;
use spyhop_search::test_part;
use spyhop_syntax::analyze::Analyzer;
use spyhop_syntax::grammar::Grammars;

use crate::failure::Failure;

/// Write the pairs of sentences and code of git repositories, for training related words
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The folder of the repositories, each as OWNER+NAME/repo
    mirrors: PathBuf,
    /// The list of the repositories, a line OWNER/NAME for each
    #[arg(long, value_name = "FILE", default_value = "src/index/related/train-repos.txt")]
    repositories: PathBuf,
    /// What must not be learned from: names of repositories, and first commits of their histories
    #[arg(long, value_name = "FILE", default_value = "eval/related/excluded.txt")]
    excluded: PathBuf,
    /// Write the pairs to this file
    #[arg(long, value_name = "FILE.tsv")]
    out: PathBuf,
    /// The most pairs of a kind from a repository
    #[arg(long, value_name = "N", default_value_t = 6_000)]
    most: usize,
}

/// The most bytes of a file that is read.
const MAX_BYTES: usize = 400_000;

/// The most files of a repository.
const MAX_FILES: usize = 3_500;

/// The most stems of the code of a pair.
const MAX_STEMS: usize = 400;

/// The fewest words of a sentence.
const MIN_WORDS: usize = 3;

/// The most files that a commit changes; the subject of a larger one says little of each.
const MAX_CHANGED: usize = 4;

/// Words in subjects of commits that say nothing of the code.
const CHORES: &[&str] = &[
    "bump",
    "release",
    "merge",
    "version",
    "changelog",
    "depend",
    "deps",
    "revert",
    "lint",
    "format",
    "typo",
    "copyright",
    "ci:",
    "upgrade",
];

/// What must not be learned from.
#[derive(Debug, Default)]
struct Excluded {
    names: HashSet<String>,
    roots: HashSet<String>,
}

impl Excluded {
    /// Parses lines that are names of repositories or hashes of first commits; `#` begins a comment.
    fn parse(text: &str) -> Excluded {
        let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
        let mut excluded = Excluded::default();
        for line in lines.filter(|line| !line.is_empty()) {
            let is_hash = line.len() == 40 && line.bytes().all(|byte| byte.is_ascii_hexdigit());
            if is_hash { &mut excluded.roots } else { &mut excluded.names }.insert(line.to_lowercase());
        }
        excluded
    }

    /// Why a repository must not be learned from.
    fn reason(&self, repository: &str, roots: &[String]) -> Option<String> {
        let name = repository.rsplit('/').next().unwrap_or(repository).to_lowercase();
        if self.names.contains(&name) {
            return Some(format!("an evaluation set has a repository of the name '{name}'"));
        }
        let shared = roots.iter().find(|root| self.roots.contains(*root))?;
        Some(format!("it shares the commit {shared} with a repository of an evaluation set"))
    }
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    let read = |path: &Path| {
        std::fs::read_to_string(path).map_err(|error| Failure::Asked(format!("{}: {error}", path.display())))
    };
    let excluded = Excluded::parse(&read(&args.excluded)?);
    let mut out =
        std::io::BufWriter::new(std::fs::File::create(&args.out).map_err(Failure::write(&args.out))?);
    let list = read(&args.repositories)?;
    for repository in list.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let git = Git(args.mirrors.join(repository.replace('/', "+")).join("repo"));
        if !git.0.is_dir() {
            eprintln!("left out, not there: {repository}");
            continue;
        }
        let roots: Vec<String> =
            git.text(&["rev-list", "--max-parents=0", "HEAD"])?.lines().map(str::to_string).collect();
        if let Some(reason) = excluded.reason(repository, &roots) {
            return Err(Failure::Asked(format!("{repository}: {reason}; take it out of the list")));
        }
        let mut pairs = PairWriter::new(repository, args.most);
        pairs.files(&git)?;
        pairs.commits(&git)?;
        eprintln!("{repository}: {} pairs", pairs.lines.len());
        pairs.lines.iter().try_for_each(|line| out.write_all(line.as_bytes()))?;
    }
    Ok(out.flush()?)
}

/// A git directory.
struct Git(PathBuf);

impl Git {
    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new("git");
        command.arg("--git-dir").arg(&self.0).args(args).stderr(Stdio::null());
        command
    }

    fn text(&self, args: &[&str]) -> Result<String, Failure> {
        let output = self.command(args).output()?;
        if !output.status.success() {
            return Err(Failure::Asked(format!("git {} failed in {}", args.join(" "), self.0.display())));
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// The paths and blobs of the files of HEAD, a choice of them if there are many.
    fn files(&self, grammars: &Grammars) -> Result<Vec<(String, RelPath)>, Failure> {
        let listed = self.text(&["ls-tree", "-r", "-l", "HEAD"])?;
        let row = |line: &str| {
            let (entry, path) = line.split_once('\t')?;
            let fields: Vec<&str> = entry.split_whitespace().collect();
            let size: usize = fields.get(3)?.parse().ok()?;
            let path = RelPath::new(path).ok()?;
            let is_code = grammars.name(grammars.detect(&path, "")) != "text" && is_own(path.as_str());
            (is_code && (100..MAX_BYTES).contains(&size)).then(|| (fields[2].to_string(), path))
        };
        let mut files: Vec<_> = listed.lines().filter_map(row).collect();
        files.sort_by_key(|(blob, _)| blob.clone());
        files.truncate(MAX_FILES);
        files.sort_by(|a, b| a.1.as_str().cmp(b.1.as_str()));
        Ok(files)
    }

    /// Calls `each` with the content of blobs, in order.
    fn blobs(
        &self,
        blobs: &[(String, RelPath)],
        mut each: impl FnMut(&RelPath, &str),
    ) -> Result<(), Failure> {
        let mut child =
            self.command(&["cat-file", "--batch"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let mut input = child.stdin.take().expect("it is piped");
        let mut output = BufReader::new(child.stdout.take().expect("it is piped"));
        std::thread::scope(|scope| {
            scope.spawn(move || blobs.iter().try_for_each(|(blob, _)| writeln!(input, "{blob}")));
            for (_, path) in blobs {
                let mut head = String::new();
                output.read_line(&mut head)?;
                let Some(size) = head.split_whitespace().nth(2).and_then(|size| size.parse::<usize>().ok())
                else {
                    return Err(Failure::Asked(format!("git cat-file: '{}'", head.trim())));
                };
                let mut bytes = vec![0; size + 1];
                output.read_exact(&mut bytes)?;
                bytes.pop();
                each(path, &String::from_utf8_lossy(&bytes));
            }
            Ok(())
        })?;
        child.wait()?;
        Ok(())
    }
}

/// Whether a stem is a word, not a number or a long name.
fn is_word(stem: &&str) -> bool {
    stem.len() <= 20 && stem.bytes().all(|byte| byte.is_ascii_lowercase())
}

/// Whether the repository itself maintains a file.
fn is_own(path: &str) -> bool {
    const FOREIGN: &[&str] =
        &["vendor", "third_party", "node_modules", "external", "generated", "dist", "fixtures"];
    !path.split('/').any(|part| FOREIGN.contains(&part.to_lowercase().as_str())) && !path.contains(".min.")
}

/// The pairs of one repository.
struct PairWriter<'r> {
    repository: &'r str,
    most: usize,
    tokenizer: Tokenizer,
    seen: HashSet<String>,
    lines: Vec<String>,
}

impl<'r> PairWriter<'r> {
    fn new(repository: &'r str, most: usize) -> PairWriter<'r> {
        PairWriter { repository, most, tokenizer: Tokenizer::new(), seen: HashSet::new(), lines: Vec::new() }
    }

    /// Adds a pair, unless the sentence is too short or was seen before.
    fn add(&mut self, kind: char, sentence: &str, path: &str, code: &[&str]) {
        // The stems of a sentence are those of a question, without function words.
        let Ok(question) = Query::parse(sentence) else { return };
        let stems = question.terms.iter().map(|term| term.term.as_str()).filter(is_word);
        let stems = stems.collect::<Vec<_>>().join(" ");
        let code = self.stems(&[&[path], code].concat(), MAX_STEMS);
        let words = stems.split(' ').count();
        if words >= MIN_WORDS && code.split(' ').count() > 2 * words && self.seen.insert(stems.clone()) {
            let said = sentence.replace(['\t', '\n', '\r'], " ");
            self.lines.push(format!("{kind}\t{}\t{stems}\t{code}\t{said}\n", self.repository));
        }
    }

    fn stems(&mut self, texts: &[&str], most: usize) -> String {
        let mut terms = TermList::default();
        texts.iter().for_each(|text| self.tokenizer.terms(text, &mut terms));
        let stems: Vec<&str> = terms.iter().filter(is_word).take(most).collect();
        stems.join(" ")
    }

    /// Adds the comments and the tests of the files of HEAD.
    fn files(&mut self, git: &Git) -> Result<(), Failure> {
        let (grammars, mut analyzer) = (Grammars::built_in(), Analyzer::new());
        git.blobs(&git.files(&grammars)?, |path, text| {
            if self.lines.len() < 2 * self.most {
                let analysis = analyzer.analyze(&grammars, grammars.detect(path, text), text);
                analysis
                    .symbols
                    .iter()
                    .for_each(|symbol| self.symbol(path.as_str(), text, &analysis, symbol));
            }
        })
    }

    /// Adds the comment of an item, or the name of a test.
    fn symbol(&mut self, path: &str, text: &str, analysis: &Analysis, symbol: &Symbol) {
        if symbol.lines.last <= symbol.lines.first || symbol.kind == SymbolKind::Text {
            return;
        }
        let is_test = test_part(path).is_some() || symbol.name.to_lowercase().starts_with("test");
        let body = symbol.span;
        if is_test {
            self.add('t', &symbol.name, path, &[&text[symbol.signature.end as usize..body.end as usize]]);
            return;
        }
        let first = analysis.comments.partition_point(|comment| comment.start < body.start);
        let near = |comment: &&Span| comment.end <= body.end && is_adjacent(text, symbol, **comment);
        let lead: Vec<&Span> = analysis.comments[first..].iter().take_while(near).collect();
        let (Some(begin), Some(end)) = (lead.first(), lead.last()) else { return };
        let comment = &text[begin.start as usize..end.end as usize];
        if let Some(sentence) = sentence_of(comment) {
            let container = symbol.container.as_deref().unwrap_or_default();
            let (before, after) =
                (body.start as usize..begin.start as usize, end.end as usize..body.end as usize);
            self.add('d', &sentence, path, &[container, &text[before], &text[after]]);
        }
    }

    /// Adds the subjects of commits with the files that they changed.
    fn commits(&mut self, git: &Git) -> Result<(), Failure> {
        let format = "--format=%x01%s";
        let mut child = git
            .command(&[
                "log",
                "--no-merges",
                "-n",
                "3000",
                format,
                "-p",
                "-U4",
                "--no-renames",
                "--diff-filter=M",
            ])
            .stdout(Stdio::piped())
            .spawn()?;
        let mut output = BufReader::new(child.stdout.take().expect("it is piped"));
        let (mut subject, mut files) = (String::new(), Vec::<(String, String)>::new());
        let (mut line, mut n) = (Vec::new(), 0);
        loop {
            line.clear();
            let is_end = output.read_until(b'\n', &mut line)? == 0 || n >= self.most;
            let text = String::from_utf8_lossy(&line);
            if is_end || text.starts_with('\u{1}') {
                n += self.commit(&subject, &files);
                files.clear();
                subject = text.trim_start_matches('\u{1}').trim().to_string();
            } else if let Some(path) = text.strip_prefix("+++ b/") {
                files.push((path.trim_end().to_string(), String::new()));
            } else if let (Some((_, changed)), Some('+' | ' ')) = (files.last_mut(), text.chars().next())
                && changed.len() < 6_000
            {
                let _ = write!(changed, "{}", &text[1..]);
            }
            if is_end {
                break;
            }
        }
        let _ = child.kill();
        child.wait()?;
        Ok(())
    }

    fn commit(&mut self, subject: &str, files: &[(String, String)]) -> usize {
        let lower = subject.to_lowercase();
        let said = subject.split(" (#").next().unwrap_or_default();
        let is_code = |(path, _): &&(String, String)| test_part(path).is_none() && is_own(path);
        let changed: Vec<_> = files.iter().filter(is_code).collect();
        if changed.is_empty()
            || changed.len() > MAX_CHANGED
            || CHORES.iter().any(|chore| lower.contains(chore))
        {
            return 0;
        }
        let before = self.lines.len();
        self.add('c', said, &changed[0].0, &[&changed[0].1]);
        self.lines.len() - before
    }
}

/// Whether a comment belongs to the head of an item: it stands before the item proper, or directly after the signature.
fn is_adjacent(text: &str, symbol: &Symbol, comment: Span) -> bool {
    let signature = symbol.signature;
    let after = text.get(signature.end as usize..comment.start as usize);
    comment.end <= signature.start
        || after.is_some_and(|gap| gap.chars().all(|c| c.is_whitespace() || ":{".contains(c)))
}

/// The first two sentences of a comment; `None` if it is short, a licence or code.
fn sentence_of(comment: &str) -> Option<String> {
    const OTHER: &[&str] =
        &["copyright", "license", "spdx", "todo", "generated", "deprecated", "inheritdoc", "eslint"];
    let marks = |c: char| "/*#!-|<\"' \t".contains(c);
    let lines = comment.lines().map(|line| line.trim_matches(marks));
    let told = lines
        .skip_while(|line| line.is_empty())
        .take_while(|line| !line.is_empty() && !line.starts_with(['@', ':', '\\']));
    let text = told.collect::<Vec<_>>().join(" ");
    let lower = text.to_lowercase();
    let code = text.chars().filter(|c| "{}();=<>[]".contains(*c)).count();
    let is_prose =
        text.len() >= 15 && code * 12 <= text.len() && !OTHER.iter().any(|other| lower.contains(other));
    let end = text.match_indices(". ").nth(1).map_or(text.len(), |(at, _)| at);
    is_prose.then(|| text[..end].to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs git in a folder.
    fn git(folder: &Path, args: &[&str]) {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=a", "-c", "user.email=a@b.c"]).args(args).current_dir(folder);
        assert!(command.output().unwrap().status.success(), "{args:?}");
    }

    #[test]
    fn an_evaluation_repository_is_refused_by_its_name_and_a_fork_by_its_history() {
        let folder = tempfile::tempdir().unwrap();
        let origin = folder.path().join("someone+origin/repo");
        std::fs::create_dir_all(&origin).unwrap();
        git(&origin, &["init", "-q", "-b", "main"]);
        let code = "/// Removes the entry that was not used for the longest time.\nfn evict(&mut self) {\n    self.order.pop();\n    self.entries.remove(0);\n    self.count -= 1;\n    self.check(self.limit, self.bytes, self.age, self.order);\n}\n";
        std::fs::write(origin.join("cache.rs"), code).unwrap();
        git(&origin, &["add", "."]);
        git(&origin, &["commit", "-q", "-m", "Begin"]);
        let fork = folder.path().join("other+fork");
        std::fs::create_dir_all(&fork).unwrap();
        git(folder.path(), &["clone", "-q", "--bare", "someone+origin/repo", "other+fork/repo"]);
        let bare = folder.path().join("someone+origin");
        git(folder.path(), &["clone", "-q", "--bare", "someone+origin/repo", "someone+origin/bare"]);
        std::fs::remove_dir_all(&origin).unwrap();
        std::fs::rename(bare.join("bare"), &origin).unwrap();
        let root = Git(origin.clone()).text(&["rev-list", "--max-parents=0", "HEAD"]).unwrap();
        let out = folder.path().join("pairs.tsv");
        let ask = |repositories: &str, excluded: &str| {
            let [list, not] = ["list", "not"].map(|name| folder.path().join(name));
            std::fs::write(&list, repositories).unwrap();
            std::fs::write(&not, excluded).unwrap();
            let mirrors = folder.path().to_path_buf();
            run(&Args { mirrors, repositories: list, excluded: not, out: out.clone(), most: 100 })
        };
        ask("other/fork\n", "# nothing\n").unwrap();
        let pairs = std::fs::read_to_string(&out).unwrap();
        assert!(pairs.starts_with("d\tother/fork\tremov entri"), "{pairs}");
        let by_name = ask("other/fork\n", "fork\n").unwrap_err().to_string();
        assert!(by_name.contains("of the name 'fork'"), "{by_name}");
        let by_history = ask("other/fork\n", &format!("origin\n{root}")).unwrap_err().to_string();
        assert!(by_history.contains("it shares the commit"), "{by_history}");
    }

    #[test]
    fn no_training_repository_is_excluded() {
        let read = |path: &str| {
            std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)).unwrap()
        };
        let excluded = Excluded::parse(&read("eval/related/excluded.txt"));
        assert!(excluded.names.len() >= 40 && excluded.roots.len() >= 40);
        let corpora = read("eval/corpora.toml");
        let own = corpora.lines().filter_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"'));
        own.for_each(|name| assert!(excluded.names.contains(name), "{name}"));
        let list = read("src/index/related/train-repos.txt");
        let all: Vec<&str> = list.lines().filter(|line| !line.starts_with('#')).collect();
        assert!(all.len() > 100);
        all.iter().for_each(|repository| assert_eq!(excluded.reason(repository, &[]), None));
    }
}
