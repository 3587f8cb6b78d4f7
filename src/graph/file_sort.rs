//! How the words of a file are judged: as code, as text, or as neither, by its language and its name.

use spyhop_base::path;

/// How the words of a file are judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileSort {
    Code,
    /// Code between tags: what is in quotes may be code too.
    Markup,
    /// A text or data, whose words are no identifiers.
    Prose,
    /// A style sheet, whose names are those of classes.
    Style,
    /// A file without a grammar that may be code.
    Unknown,
}

/// The endings of files without a grammar that hold texts and data.
const PROSE: &[&str] = &[
    "adoc", "asciidoc", "csv", "diff", "jsonl", "lock", "log", "markdown", "md", "ndjson", "org", "patch",
    "po", "pot", "rst", "sum", "svg", "tex", "text", "tsv", "txt",
];

/// The beginnings of the names of files without an ending that hold texts.
const PROSE_NAMES: &[&str] = &[
    "authors",
    "changelog",
    "changes",
    "contributing",
    "contributors",
    "copying",
    "credits",
    "history",
    "install",
    "license",
    "maintainers",
    "news",
    "notice",
    "readme",
    "todo",
];

pub(super) fn sort_of(language: &str, path: &str) -> FileSort {
    match language {
        "markdown" | "json" | "asciidoc" | "latex" | "org" | "rst" => FileSort::Prose,
        "css" | "scss" | "less" | "sass" => FileSort::Style,
        "html" | "vue" | "svelte" | "astro" | "mdx" | "xml" | "ejs" | "jinja" => FileSort::Markup,
        "text" => {
            let name = path::split(path).1.to_ascii_lowercase();
            let is_prose = match name.rsplit_once('.') {
                Some((_, ending)) => PROSE.contains(&ending),
                None => PROSE_NAMES.iter().any(|begin| name.starts_with(begin)),
            };
            if is_prose { FileSort::Prose } else { FileSort::Unknown }
        }
        _ => FileSort::Code,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_code_or_text_by_their_language_and_name() {
        let check = |language: &str, path: &str, expected: FileSort| {
            assert_eq!(sort_of(language, path), expected, "{path}");
        };
        check("python", "a.py", FileSort::Code);
        check("markdown", "a.md", FileSort::Prose);
        check("text", "notes.txt", FileSort::Prose);
        check("text", "README", FileSort::Prose);
        check("text", "Jenkinsfile", FileSort::Unknown);
        check("text", "page.vue", FileSort::Unknown);
        check("html", "a.html", FileSort::Markup);
        check("css", "a.css", FileSort::Style);
    }
}
