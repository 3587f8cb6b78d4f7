//! `spyhop mcp install CLIENT` and `spyhop mcp uninstall CLIENT`: the entry in a client's configuration.
//!
//! This module owns the confirmation. The change is shown as a diff, and nothing is written before a person at a
//! terminal or `--yes` agrees. With neither, nobody can agree, which is an error and does not count as a no.

use std::io::{self, BufRead, IsTerminal, Write};
use std::path::PathBuf;

use anstyle::{AnsiColor, Style};
use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command, ValueHint, value_parser};
use similar::{ChangeTag, TextDiff};
use spyhop_interface::render::clean;

use super::failure::{Failure, Outcome};
use super::output::{self, on_screen};
use crate::install::clients::{CLIENTS, Client, ClientFolders, ConfigScope};
use crate::install::{self, Error, FileEdit, InstallRequest};

pub const INSTALL: &str = "install";
pub const UNINSTALL: &str = "uninstall";

const CLIENT: &str = "client";
const ROOTS: &str = "roots";
const SCOPE: &str = "scope";
const FILE: &str = "file";
const COMMAND: &str = "command";
const YES: &str = "yes";
const PRINT: &str = "print";

pub fn commands() -> [Command; 2] {
    let client = Arg::new(CLIENT)
        .value_name("CLIENT")
        .help("Whose configuration is changed; generic: a file of your choice in the form that most clients read")
        .required(true)
        .value_parser(PossibleValuesParser::new(CLIENTS.iter().map(|client| client.name)));
    let scope = Arg::new(SCOPE)
        .long("scope")
        .value_name("CHOICE")
        .help(
            "user: for you, in every project; project: for all who work in the current folder [default: project for \
             cursor and vscode, else user]",
        )
        .value_parser(PossibleValuesParser::new(ConfigScope::ALL.map(ConfigScope::name)));
    let file = Arg::new(FILE)
        .long("file")
        .value_name("FILE")
        .help("Another file than the client's own")
        .value_parser(value_parser!(PathBuf))
        .value_hint(ValueHint::FilePath);
    let yes = Arg::new(YES).long("yes").short('y').action(ArgAction::SetTrue).help("Write without asking");
    let print = Arg::new(PRINT)
        .long("print")
        .action(ArgAction::SetTrue)
        .conflicts_with(YES)
        .help("Show the change and write nothing");
    let roots = Arg::new(ROOTS)
        .value_name("ROOT")
        .help("The trees to serve; else the project that the client works on")
        .num_args(0..)
        .value_parser(value_parser!(PathBuf))
        .value_hint(ValueHint::DirPath);
    let command = Arg::new(COMMAND)
        .long("command")
        .value_name("TEXT")
        .help("How the server is started [default: this program]");
    let common = [client, scope, file, yes, print];
    let install = Command::new(INSTALL).about("Set the server up in a client's configuration");
    let uninstall =
        Command::new(UNINSTALL).about("Take that back, to the byte where nobody changed the file since");
    [install.args(common.clone()).arg(roots).arg(command), uninstall.args(common)]
}

/// Runs `install` or `uninstall`.
pub fn run(name: &str, matches: &ArgMatches) -> Result<Outcome, Failure> {
    let print = matches.get_flag(PRINT);
    let agreed = matches.get_flag(YES);
    if !print && !agreed && !io::stdin().is_terminal() {
        let text = "standard input is no terminal, so nobody can agree to the change; choose --yes to write it, or \
                    --print to only see it";
        return Err(Failure::Usage(text.to_string()));
    }
    let request = request(matches);
    if print && request.file.is_none() && request.client.default_scope().is_none() {
        return alone(&request);
    }
    let folders = ClientFolders::of_environment(super::place::here()?).ok_or(Error::NoHome).map_err(usage)?;
    let planned = if name == INSTALL { install::install } else { install::uninstall };
    let Some(change) = planned(&request, &folders).map_err(usage)? else {
        let text = if name == INSTALL { "it is set up already" } else { "there is nothing to take back" };
        writeln!(io::stdout(), "{text}")?;
        return Ok(if name == INSTALL { Outcome::Found } else { Outcome::Nothing });
    };
    anstream::print!("{}", diff(&change));
    io::stdout().flush()?;
    if print {
        return Ok(Outcome::Found);
    }
    if !agreed && !agrees(&change, &mut io::stdin().lock())? {
        writeln!(io::stdout(), "nothing was written")?;
        return Ok(Outcome::Nothing);
    }
    let said = done(&change, request.client, name == INSTALL);
    if let Some(error) = change.apply().map_err(usage)? {
        let text = "it was not noted what was there before, so taking it back may leave blanks behind";
        writeln!(io::stderr(), "spyhop: warning: {text}: {error}")?;
    }
    writeln!(io::stdout(), "{}", on_screen(&said))?;
    Ok(Outcome::Found)
}

fn usage(error: Error) -> Failure {
    Failure::Usage(error.to_string())
}

fn request(matches: &ArgMatches) -> InstallRequest {
    let named = |name: &str| matches.get_one::<String>(name);
    let client = named(CLIENT).and_then(|name| Client::by_name(name)).expect("the parser knows the clients");
    let scope = named(SCOPE).and_then(|name| ConfigScope::ALL.into_iter().find(|scope| scope.name() == name));
    let roots = matches.try_get_many::<PathBuf>(ROOTS).ok().flatten();
    InstallRequest {
        client,
        scope,
        file: matches.get_one::<PathBuf>(FILE).cloned(),
        roots: roots.map(|roots| roots.cloned().collect()).unwrap_or_default(),
        command: matches.try_get_one::<String>(COMMAND).ok().flatten().cloned(),
    }
}

/// Shows an entry that belongs to no file.
fn alone(request: &InstallRequest) -> Result<Outcome, Failure> {
    let entry = install::entry(request).map_err(usage)?;
    let text = install::alone(request.client, &entry).map_err(|error| Failure::Usage(error.to_string()))?;
    io::stdout().write_all(on_screen(&text).as_bytes())?;
    Ok(Outcome::Found)
}

/// The change as `diff -u` shows it.
fn diff(change: &FileEdit) -> String {
    let [before, after] = [&change.before, &change.after].map(|text| text.as_deref().unwrap_or_default());
    let name = |text: &Option<String>| {
        text.as_ref()
            .map_or("/dev/null".into(), |_| on_screen(&change.path.display().to_string()).into_owned())
    };
    let diff = TextDiff::from_lines(before, after);
    let mut shown = format!("--- {}\n+++ {}\n", name(&change.before), name(&change.after));
    for hunk in diff.unified_diff().context_radius(3).iter_hunks() {
        shown += &format!("{}\n", hunk.header());
        for line in hunk.iter_changes() {
            let (sign, color) = match line.tag() {
                ChangeTag::Delete => ('-', Style::new().fg_color(Some(AnsiColor::Red.into()))),
                ChangeTag::Insert => ('+', Style::new().fg_color(Some(AnsiColor::Green.into()))),
                ChangeTag::Equal => (' ', Style::new()),
            };
            let text = line.value();
            let text_shown = on_screen(text.trim_end_matches('\n'));
            shown += &format!("{color}{sign}{text_shown}{color:#}\n");
            if !text.ends_with('\n') {
                shown += "\\ No newline at end of file\n";
            }
        }
    }
    shown
}

/// Asks for confirmation.
fn agrees(change: &FileEdit, answers: &mut impl BufRead) -> io::Result<bool> {
    let deed = if change.after.is_some() { "Write" } else { "Remove" };
    let path = change.path.display().to_string();
    output::agrees(&format!("{deed} {}?", clean::line(&path)), answers)
}

/// The message about what was done, and what is left for the user to do.
fn done(change: &FileEdit, client: &Client, installed: bool) -> String {
    let path = change.path.display();
    match (&change.after, installed) {
        (None, _) => format!("removed {path}, which had nothing else in it"),
        (Some(_), true) => format!("wrote {path}; {} reads it when it starts", client.title),
        (Some(_), false) => format!("wrote {path}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(before: Option<&str>, after: Option<&str>) -> FileEdit {
        let folder = tempfile::tempdir().unwrap();
        FileEdit::sample(folder.path().join("file"), before, after)
    }

    #[test]
    fn only_a_yes_is_one() {
        let change = change(Some("a"), Some("b"));
        let asked = |answer: &str| agrees(&change, &mut answer.as_bytes()).unwrap();
        assert!(asked("y\n") && asked("YES\r\n") && asked(" yes "));
        assert!(!asked("\n") && !asked("") && !asked("n\n") && !asked("yesterday\n"));
    }

    #[test]
    fn the_diff_is_one_that_patch_reads() {
        let plain = |before, after| {
            let text = diff(&change(before, after));
            anstream::adapter::strip_str(&text).to_string()
        };
        let shown = plain(Some("{\n  \"a\": 1\n}"), Some("{\n  \"a\": 1,\n  \"b\": 2\n}"));
        let (head, body) = shown.split_once("@@").unwrap();
        assert!(head.starts_with("--- /") && head.contains("\n+++ /"), "{head}");
        assert_eq!(
            body,
            " -1,3 +1,4 @@\n {\n-  \"a\": 1\n+  \"a\": 1,\n+  \"b\": 2\n }\n\\ No newline at end of file\n"
        );
        assert!(plain(None, Some("a\n")).starts_with("--- /dev/null\n+++ /"));
        assert!(plain(Some("a\n"), None).contains("\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"));
    }
}
