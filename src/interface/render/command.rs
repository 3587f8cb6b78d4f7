//! Command lines and flags of `spyhop` that texts advise to use.

use std::ffi::OsString;

use spyhop_base::clean;
use spyhop_engine::api::{IndexRecipe, Remedy};
use spyhop_engine::{Error, ErrorKind};
use spyhop_library::{SourceKind, UnfinishedImport};

use super::paint::shown;

/// The command line that builds an index, quoted for a shell.
pub fn index_command(recipe: &IndexRecipe) -> String {
    let words = index_arguments(recipe);
    let words = words.iter().map(|word| format!(" {}", quoted(&word.to_string_lossy())));
    format!("spyhop{}", words.collect::<String>())
}

/// The arguments of the command that builds an index. They include a flag for each option that determines the place or
/// the content of the index, so that the command builds exactly the index that was missing.
pub fn index_arguments(recipe: &IndexRecipe) -> Vec<OsString> {
    let root = recipe.root.clone().into_os_string();
    let mut words: Vec<OsString> = match &recipe.view {
        None => vec!["index".into(), root],
        // The first request to a view builds it.
        Some(view) => vec!["files".into(), "--view".into(), view.into(), "--root".into(), root],
    };
    for (flag, path) in [("--index-dir", &recipe.index_dir), ("--grammars", &recipe.grammars)] {
        if let Some(path) = path {
            words.extend([flag.into(), path.into()]);
        }
    }
    let flags = [
        ("--hidden", recipe.hidden),
        ("--no-ignore", recipe.no_ignore),
        ("--no-built-in", recipe.no_built_in),
        ("--secrets", recipe.secrets),
    ];
    words.extend(flags.iter().filter(|(_, is_on)| *is_on).map(|(flag, _)| flag.into()));
    if let Some(bytes) = recipe.max_file_bytes {
        words.extend(["--max-file-size".into(), bytes.to_string().into()]);
    }
    words
}

/// The command line that continues an import, quoted for a shell. The reference, the folder and the copy are part of what
/// the source is.
pub(crate) fn import_command(import: &UnfinishedImport) -> String {
    if import.is_update {
        return format!("spyhop library update {}", quoted(&import.name));
    }
    let origin = &import.origin;
    // Without a reference, the path of a repository names its folder.
    let is_folder_of_git =
        origin.kind == SourceKind::Git && origin.reference.is_none() && origin.location.starts_with('/');
    let location = match is_folder_of_git {
        true => format!("file://{}", origin.location.replace('%', "%25")),
        false => origin.location.clone(),
    };
    let mut command = format!("spyhop add {}", quoted(&location));
    for (flag, value) in [("--ref", &origin.reference), ("--folder", &origin.folder)] {
        if let Some(value) = value {
            command += &format!(" {flag} {}", quoted(value));
        }
    }
    for (flag, is_set) in [(" --snapshot", origin.snapshot), (" --nested", origin.nested)] {
        command += if is_set { flag } else { "" };
    }
    command
}

/// The two lines that a search and a status show if there is no index.
pub fn no_index(recipe: &IndexRecipe) -> String {
    format!("Run: {}\nExpected index at: {}", clean::line(&index_command(recipe)), shown(&recipe.index_path))
}

/// The text of an error, with the advice to use a command or a flag.
pub fn error_text(error: &Error) -> String {
    match error.remedy() {
        Some(Remedy::BuildIndex(recipe)) if error.kind() == ErrorKind::NoIndex => no_index(recipe),
        remedy => with_advice(&error.to_string(), remedy),
    }
}

/// A text, with the advice for a remedy.
pub(crate) fn with_advice(text: &str, remedy: Option<&Remedy>) -> String {
    let advice = match remedy {
        // The text lists the paths.
        None | Some(Remedy::ChoosePath(_)) => return text.to_string(),
        Some(Remedy::BuildIndex(recipe)) => format!("run: {}", index_command(recipe)),
        Some(Remedy::Rebuild) => "spyhop index --rebuild indexes the tree that is here".to_string(),
        Some(Remedy::ReplaceIndex) => "--force replaces it".to_string(),
        Some(Remedy::ExportSources) => "spyhop export --with-snippets includes them".to_string(),
        Some(Remedy::SearchLines { name, sources }) => {
            let sources = in_sources(sources.iter().map(String::as_str));
            format!("spyhop grep -w {}{sources} searches for its lines", quoted(name))
        }
        Some(Remedy::ChooseIndexFolder) => "--index-dir names another folder".to_string(),
    };
    format!("{text}; {advice}")
}

/// The most sources that a command names one by one.
const MAX_IN: usize = 12;

/// The option that asks these sources again; empty if there are none.
pub(super) fn in_sources<'n>(names: impl ExactSizeIterator<Item = &'n str>) -> String {
    match names.len() {
        0 => String::new(),
        1..=MAX_IN => format!(" --in {}", quoted(&names.collect::<Vec<_>>().join(","))),
        _ => " --in all".to_string(),
    }
}

/// A word as a POSIX shell reads it.
pub(super) fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+:@%,=".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_string();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use spyhop_library::SourceOrigin;

    #[test]
    fn the_command_that_continues_an_import_names_the_same_source() {
        let check = |kind, location: &str, parts: [Option<&str>; 2], is_flagged, expected: &str| {
            let [reference, folder] = parts.map(|part| part.map(str::to_string));
            let (snapshot, nested) =
                (is_flagged && kind == SourceKind::Folder, is_flagged && kind == SourceKind::Zip);
            let location = location.to_string();
            let origin = SourceOrigin { kind, location, reference, folder, snapshot, nested };
            let id = "a-0123456789".to_string().try_into().unwrap();
            let mut import = UnfinishedImport {
                id,
                name: "a".into(),
                origin,
                is_update: false,
                stage: "planned",
                begun_at: 0,
            };
            assert_eq!(import_command(&import), expected);
            import.is_update = true;
            assert_eq!(import_command(&import), "spyhop library update a");
        };
        let url = "https://example.org/a.git";
        check(
            SourceKind::Git,
            url,
            [Some("v1"), Some("src/my files")],
            false,
            "spyhop add https://example.org/a.git --ref v1 --folder 'src/my files'",
        );
        check(SourceKind::Git, "/w/100%", [None, None], false, "spyhop add file:///w/100%25");
        check(SourceKind::Git, "/w/a", [Some("v1"), None], false, "spyhop add /w/a --ref v1");
        check(SourceKind::Folder, "/w/a", [None, None], true, "spyhop add /w/a --snapshot");
        check(SourceKind::Zip, "/w/a.zip", [None, None], true, "spyhop add /w/a.zip --nested");
    }

    #[test]
    fn words_are_quoted_where_a_shell_would_change_them() {
        let check = |word: &str, expected: &str| assert_eq!(quoted(word), expected);
        check("/w/größe-1", "/w/größe-1");
        check("/w/my tree", "'/w/my tree'");
        check("it's", "'it'\\''s'");
        check("", "''");
    }
}
