//! The words of a command line: which one is the command, and what was probably meant.
//!
//! This module owns the rule that bare words are a search, and the advice for words that are neither: a mistyped
//! command, and a search whose first word is the name of a command.

use std::ffi::OsString;
use std::io;

use clap::Command;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use spyhop_interface::catalog;

/// Puts the subcommand first: options before a subcommand move behind its name, and arguments without a subcommand get
/// `search`.
pub fn with_command(mut argv: Vec<OsString>, command: &Command) -> Vec<OsString> {
    let at = first_word(&argv, command);
    let is_command = |word: &OsString| {
        let word = word.to_string_lossy();
        let is_own = |known: &Command| known.get_name_and_visible_aliases().contains(&&*word);
        word == "help" || command.get_subcommands().any(is_own)
    };
    let asks = |flag: &OsString| ["-h", "--help", "-V", "--version"].iter().any(|known| flag == known);
    match argv.get(at) {
        Some(word) if is_command(word) => argv[1..=at].rotate_right(1),
        None if argv.len() == 1 => {}
        _ if asks(&argv[1]) => {}
        _ => argv.insert(1, catalog::SEARCH.name.into()),
    }
    argv
}

/// The place of the first argument that is neither an option nor the value of one; behind the last where there is none.
/// `--` and an option that no subcommand has end the search: what follows belongs to a query.
fn first_word(argv: &[OsString], command: &Command) -> usize {
    let mut at = 1;
    while let Some(word) = argv.get(at).map(|word| word.to_string_lossy()) {
        if !word.starts_with('-') {
            return at;
        }
        let (flag, has_value) = match word.split_once('=') {
            Some((flag, _)) => (flag, true),
            None => (&*word, false),
        };
        match takes_value(flag, command) {
            Some(takes) => at += if takes && !has_value { 2 } else { 1 },
            None => break,
        }
    }
    argv.len()
}

/// Whether an option takes a value; `None` if neither the search nor a subcommand has the option. A short option may have
/// its value attached, as in `-n5`.
fn takes_value(flag: &str, command: &Command) -> Option<bool> {
    let commands = || std::iter::once(command).chain(command.get_subcommands());
    let takes = |arg: &clap::Arg| arg.get_action().takes_values();
    if let Some(long) = flag.strip_prefix("--") {
        let is_own = |arg: &&clap::Arg| {
            arg.get_long() == Some(long) || arg.get_all_aliases().is_some_and(|all| all.contains(&long))
        };
        return commands().find_map(|own| own.get_arguments().find(is_own)).map(takes);
    }
    let mut letters = flag.strip_prefix('-')?.chars();
    let short = letters.next()?;
    let arg = commands().find_map(|own| own.get_arguments().find(|arg| arg.get_short() == Some(short)))?;
    Some(takes(arg) && letters.next().is_none())
}

/// The variable that names ripgrep's configuration file.
const RIPGREP_CONFIG: &str = "RIPGREP_CONFIG_PATH";

/// Puts the arguments of ripgrep's configuration file behind the command `grep`, unless `--no-config` is given. A line
/// of the file is an argument; lines that begin with `#` and empty lines are not.
pub fn with_ripgrep_config(mut argv: Vec<OsString>) -> io::Result<Vec<OsString>> {
    const NO_CONFIG: &str = "--no-config";
    if argv.get(1).is_none_or(|word| word != catalog::GREP.name) {
        return Ok(argv);
    }
    if let Some(at) = argv.iter().position(|word| word == NO_CONFIG) {
        argv.retain(|word| word != NO_CONFIG);
        debug_assert!(at > 1, "the command comes first");
        return Ok(argv);
    }
    let Some(path) = std::env::var_os(RIPGREP_CONFIG).filter(|path| !path.is_empty()) else {
        return Ok(argv);
    };
    let text = spyhop_base::input::named_text(path.as_ref()).map_err(|error| {
        io::Error::new(error.kind(), format!("{RIPGREP_CONFIG} '{}': {error}", path.display()))
    })?;
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    argv.splice(2..2, lines.map(OsString::from));
    Ok(argv)
}

/// The commands whose words may exclude paths, as in the picker and on the page: `-test` is `--exclude test`.
const WITH_EXCLUSIONS: [&str; 3] = [catalog::SEARCH.name, "files", "symbols"];

/// Puts `--exclude` in place of the dash of a word that is not a group of short options. What follows `--` is a word.
pub fn with_exclusions(mut argv: Vec<OsString>, command: &Command) -> Vec<OsString> {
    let name = argv.get(1).map(|word| word.to_string_lossy().into_owned()).unwrap_or_default();
    let own = command.find_subcommand(&name).filter(|_| WITH_EXCLUSIONS.contains(&name.as_str()));
    let Some(own) = own else { return argv };
    let mut at = 2;
    while let Some(word) = argv.get(at).and_then(|word| word.to_str()) {
        if word == "--" {
            break;
        }
        let excluded = excluded(word).filter(|_| !are_short_options(word, own)).map(str::to_string);
        let takes_next = !word.contains('=') && takes_value(word, own) == Some(true);
        match excluded {
            Some(text) => argv[at] = format!("--exclude={text}").into(),
            None if takes_next => at += 1,
            None => {}
        }
        at += 1;
    }
    argv
}

/// The text of a word that excludes paths: a dash, then letters, digits and what paths have.
fn excluded(word: &str) -> Option<&str> {
    let text = word.strip_prefix('-')?;
    let is_path = |c: char| c.is_alphanumeric() || "_./-".contains(c);
    let is_word =
        text.starts_with(|c: char| c.is_alphabetic() || "_./".contains(c)) && text.chars().all(is_path);
    (is_word && text.chars().nth(1).is_some()).then_some(text)
}

/// Whether the letters of a word are short options, of which the last may have its value attached.
fn are_short_options(word: &str, command: &Command) -> bool {
    let mut letters = word.trim_start_matches('-').chars();
    while let Some(letter) = letters.next() {
        let Some(arg) = command.get_arguments().find(|arg| arg.get_short() == Some(letter)) else {
            return ['h', 'V'].contains(&letter) && letters.as_str().is_empty();
        };
        if arg.get_action().takes_values() {
            return letters.as_str().chars().all(|c| c.is_ascii_digit() || c == '=');
        }
    }
    true
}

/// Words that resemble a command by one letter and are likely queries.
const LIKELY_QUERIES: &[&str] = &[
    "batch", "catch", "couch", "expert", "fibers", "fields", "files", "filed", "filer", "fines", "fires",
    "hatch", "latch", "match", "patch", "report", "slipped", "sport", "state", "stats", "stature", "statute",
    "tiles", "torch", "tough", "vector", "factor", "vies", "vouch", "witch",
];

/// The command that a first word probably misspells: one letter too many, missing, wrong or swapped. A plural or another
/// form of a command's name is a query, and so is every word of less than five letters.
pub fn misspelled(word: &str, command: &Command) -> Option<String> {
    if word.chars().count() < 5 || LIKELY_QUERIES.contains(&word) {
        return None;
    }
    let names: Vec<&str> =
        command.get_subcommands().flat_map(Command::get_name_and_visible_aliases).collect();
    if names.contains(&word) {
        return None;
    }
    let is_close = |name: &&str| {
        name.len() >= 5
            && !name.starts_with(word)
            && !word.starts_with(*name)
            && name.chars().next() == word.chars().next()
            && strsim::damerau_levenshtein(name, word) == 1
    };
    names.into_iter().find(is_close).map(str::to_string)
}

/// The error for a word after `help` that is not a command: what was probably meant, and every command.
pub fn no_such_command(word: &str) -> String {
    let command = super::command();
    let names = || command.get_subcommands().flat_map(Command::get_name_and_visible_aliases);
    let likeness = |name: &&str| (strsim::jaro_winkler(name, word) * 1000.0) as u32;
    let near = names().max_by_key(likeness).filter(|name| likeness(name) >= 800);
    let near = near.map(|name| format!("; did you mean '{name}'?")).unwrap_or_default();
    let all: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
    format!("unrecognized subcommand '{word}'{near}\nCommands: {}", all.join(", "))
}

/// The error for an option of ripgrep that `grep` does not have.
pub fn unsupported(error: &clap::Error, command: &str) -> Option<String> {
    if error.kind() != ErrorKind::UnknownArgument || command != catalog::GREP.name {
        return None;
    }
    let Some(ContextValue::String(option)) = error.get(ContextKind::InvalidArg) else { return None };
    let about = match option.split('=').next().unwrap_or_default() {
        "-P" | "--pcre2" | "--engine" | "--auto-hybrid-regex" => {
            "PCRE2 is not part of this program. Patterns are regular expressions without look-around and \
             backreferences: https://docs.rs/regex/latest/regex/#syntax. A pattern that needs neither works without \
             the option"
        }
        "--pre" | "--pre-glob" | "--hostname-bin" => "grep runs no other programs",
        _ => return None,
    };
    Some(format!("grep has no option '{option}': {about}"))
}

/// The error for an option of `grep` that another command does not have, with what the command has in its place.
pub fn option_of_grep(error: &clap::Error, name: &str, command: &Command) -> Option<String> {
    let Some(ContextValue::String(option)) = error.get(ContextKind::InvalidArg) else { return None };
    let grep = command.find_subcommand(catalog::GREP.name)?;
    let typed = option.split('=').next().unwrap_or_default();
    let is_own = |arg: &clap::Arg| match typed.strip_prefix("--") {
        Some(long) => arg.get_long() == Some(long),
        None => arg.get_short().is_some() && arg.get_short() == typed.chars().nth(1),
    };
    let searches = ["search", "files", "symbols"].contains(&name);
    if error.kind() != ErrorKind::UnknownArgument || !searches || !grep.get_arguments().any(is_own) {
        return None;
    }
    let about = match typed {
        "-t" | "--type" => "--lang LANGUAGE limits it to languages; ",
        "-i" | "--ignore-case" | "-S" | "--smart-case" => "it ignores case; ",
        "-g" | "--iglob" => "--glob GLOB limits it to paths; ",
        "-l" | "--files-with-matches" if name != "files" => "`spyhop files` lists files; ",
        "-m" | "--max-count" => "-n NUMBER limits its results; ",
        _ => "",
    };
    Some(format!(
        "{name} has no option '{typed}': {about}`spyhop grep` has it, for lines that match a pattern"
    ))
}

/// The words that other code searches take for filters, with the option that is the filter here.
const FILTERS: [(&str, &str); 7] = [
    ("lang", "lang"),
    ("language", "lang"),
    ("kind", "kind"),
    ("path", "path"),
    ("file", "glob"),
    ("glob", "glob"),
    ("exclude", "exclude"),
];

/// The most words of a query in which such words are looked for; a longer text is a message or a report.
const MAX_QUERY_WORDS: usize = 10;

/// Warnings about words of a query that other code searches take for filters, such as `lang:rust`.
pub fn filters_in(query: &str) -> Vec<String> {
    let words: Vec<&str> = query.split_whitespace().collect();
    if words.len() > MAX_QUERY_WORDS || query.contains('\n') {
        return Vec::new();
    }
    let warning = |word: &&str| {
        if let Some(text) = excluded(word).filter(|_| words.len() > 1) {
            return Some(format!("'{word}' is searched as words; the filter is --exclude {text}"));
        }
        let (key, value) = word.split_once(':')?;
        let (_, option) = FILTERS.iter().find(|(name, _)| *name == key)?;
        let is_value = !value.is_empty() && !value.starts_with([':', '/']);
        is_value.then(|| format!("'{word}' is searched as words; the filter is --{option} {value}"))
    };
    words.iter().filter_map(warning).collect()
}

/// Whether the first two words are names of commands, and the first is no family of commands.
pub fn are_commands(argv: &[OsString], command: &Command) -> bool {
    let named = |at: usize| command.find_subcommand(argv.get(at)?);
    named(1).is_some_and(|first| !first.has_subcommands()) && named(2).is_some()
}

/// The search for the words of a command line that a command refused, if these are words: no options, and no paths.
pub fn search_instead(argv: &[OsString]) -> Option<String> {
    let words: Option<Vec<&str>> = argv.iter().skip(1).map(|word| word.to_str()).collect();
    let is_word = |word: &&str| !word.starts_with('-') && !word.contains('/') && !word.trim().is_empty();
    let words = words.filter(|words| words.len() >= 2 && words.iter().all(is_word))?;
    Some(format!("spyhop search {}", words.join(" ")))
}

#[cfg(test)]
mod tests {
    use super::super::command;
    use super::*;

    #[test]
    fn filters_of_other_searches_are_told_of() {
        let check = |query: &str, expected: &[&str]| {
            let found = filters_in(query);
            assert_eq!(found.len(), expected.len(), "{query}: {found:?}");
            assert!(found.iter().zip(expected).all(|(one, end)| one.ends_with(end)), "{query}: {found:?}");
        };
        check("language:ruby path:app/models banned", &["--lang ruby", "--path app/models"]);
        check("lang:rust", &["is searched as words; the filter is --lang rust"]);
        for none in ["kind: x", "path::Path", "file:///a", "std::path", "open path", "a:b", "lang:"] {
            check(none, &[]);
        }
        check("a log line of more than ten words that has path:etc in it", &[]);
        check("provider -test", &["'-test' is searched as words; the filter is --exclude test"]);
        for none in ["-test", "a - b", "->next", "x -1", "-n a"] {
            check(none, &[]);
        }
    }

    #[test]
    fn bare_words_are_a_search() {
        let check = |line: &str, expected: &str| {
            let argv = with_command(line.split(' ').map(OsString::from).collect(), &command());
            let words: Vec<&str> = argv.iter().map(|word| word.to_str().unwrap()).collect();
            assert_eq!(words.join(" "), expected);
        };
        check("spyhop", "spyhop");
        check("spyhop where is it", "spyhop search where is it");
        check("spyhop search index", "spyhop search index");
        check("spyhop index", "spyhop index");
        check("spyhop langs", "spyhop langs");
        check("spyhop -- index", "spyhop search -- index");
        check("spyhop --json index", "spyhop index --json");
        check("spyhop --root a -n1 --mode=compact files b c", "spyhop files --root a -n1 --mode=compact b c");
        check("spyhop -n 5 where is it", "spyhop search -n 5 where is it");
        check("spyhop --lang status", "spyhop search --lang status");
        check("spyhop --unknown status", "spyhop search --unknown status");
        check("spyhop --help", "spyhop --help");
        check("spyhop help", "spyhop help");
        check("spyhop help status", "spyhop help status");
        check("spyhop help me find it", "spyhop help me find it");
    }

    #[test]
    fn a_dash_before_a_word_excludes_paths() {
        let check = |line: &str, expected: &str| {
            let argv = line.split(' ').map(OsString::from).collect();
            let command = command();
            let argv = with_exclusions(with_command(argv, &command), &command);
            let words: Vec<&str> = argv.iter().skip(1).map(|word| word.to_str().unwrap()).collect();
            assert_eq!(words.join(" "), expected);
        };
        check("spyhop provider -test", "search provider --exclude=test");
        check(
            "spyhop provider -vendor -node_modules",
            "search provider --exclude=vendor --exclude=node_modules",
        );
        check("spyhop files auth -src/gen -quiet", "files auth --exclude=src/gen --exclude=quiet");
        check("spyhop provider -n5 -q -vv", "search provider -n5 -q -vv");
        check("spyhop provider -node", "search provider --exclude=node");
        check("spyhop provider -n 5 --path -test", "search provider -n 5 --path -test");
        check("spyhop -- provider -test", "search -- provider -test");
        check("spyhop grep -test", "grep -test");
    }

    #[test]
    fn a_misspelled_command_is_told_from_a_query() {
        let check = |word: &str, expected: Option<&str>| {
            assert_eq!(misspelled(word, &command()).as_deref(), expected, "{word}");
        };
        check("statsu", Some("status"));
        check("serach", Some("search"));
        check("serch", Some("search"));
        check("idnex", Some("index"));
        check("fiels", Some("files"));
        check("exprot", Some("export"));
        for query in
            ["file", "symbol", "indexes", "maps", "stats", "state", "match", "patch", "research", "gerp"]
        {
            check(query, None);
        }
    }

    #[test]
    fn words_that_a_command_refused_are_a_search() {
        let of = |line: &str| search_instead(&line.split(' ').map(OsString::from).collect::<Vec<_>>());
        assert_eq!(of("spyhop map reduce shuffle").as_deref(), Some("spyhop search map reduce shuffle"));
        assert_eq!(of("spyhop index"), None);
        assert_eq!(of("spyhop files --lang rust upload handler"), None);
        assert_eq!(of("spyhop index src/lib"), None);
    }
}
