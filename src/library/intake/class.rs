//! The class of an entry of the inbox, by its content.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::format::{FileForm, form_of};
use spyhop_attributes::{Name, reply};
use spyhop_base::path::RelPath;
use spyhop_syntax::document::DocumentForm;
use spyhop_syntax::grammar::Grammars;

/// The class of an entry of the inbox.
#[reply(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Name)]
#[serde(rename_all = "lowercase")]
pub enum IntakeClass {
    /// A folder with code.
    Project,
    /// One source file.
    File,
    /// A zip or tar archive.
    Archive,
    /// A scientific paper.
    Paper,
    /// Another document.
    Document,
}

impl IntakeClass {
    /// The folder of papers, and the one of documents.
    #[doc(hidden)]
    pub fn folder(self) -> &'static str {
        if self == IntakeClass::Paper { "papers" } else { "documents" }
    }
}

/// The class by the content of an entry, before a document is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EntryContent {
    Project,
    SourceFile,
    Archive,
    /// A paper or another document.
    Text(DocumentForm),
}

/// The first bytes that are examined. The names of the parts of a DOCX file lie within them.
const HEAD_BYTES: u64 = 64 << 10;

/// The most entries of a folder that are examined for code. A folder of more is taken for a project.
const MAX_EXAMINED: usize = 20_000;

/// Languages of documents, which are documents if dropped by themselves.
const DOCUMENT_LANGUAGES: &[&str] = &["markdown", "html"];

/// The class of the entry at `path`, or the reason why it cannot be taken in.
pub(super) fn content_of(path: &Path, grammars: &Grammars) -> io::Result<Result<EntryContent, String>> {
    let metadata = path.symlink_metadata()?;
    if metadata.is_symlink() {
        return Ok(Err("it is a link; drop the file or folder itself".to_string()));
    }
    if metadata.is_dir() {
        if let Some(link) = loop_in(path)? {
            let link = link.strip_prefix(path).unwrap_or(&link).display();
            return Ok(Err(format!("its link '{link}' leads in a circle; drop the folder without the link")));
        }
        return Ok(match has_code(path, grammars)? {
            true => Ok(EntryContent::Project),
            false => Err("the folder has no source files; drop its documents one by one".to_string()),
        });
    }
    if !metadata.is_file() {
        return Ok(Err("it is neither a file nor a folder".to_string()));
    }
    let mut head = Vec::new();
    File::open(path)?.take(HEAD_BYTES).read_to_end(&mut head)?;
    if head.is_empty() {
        return Ok(Err("the file is empty".to_string()));
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if let Some(form @ (DocumentForm::Pdf | DocumentForm::Docx)) = DocumentForm::of(&name, &head) {
        return Ok(Ok(EntryContent::Text(form)));
    }
    Ok(match form_of(path)? {
        FileForm::Zip | FileForm::Tar(_) => Ok(EntryContent::Archive),
        FileForm::Foreign(format) => Err(format!("its format is {format}, which is not read")),
        FileForm::Unknown => Err("it is neither text, nor an archive, nor a document".to_string()),
        FileForm::Text => Ok(text_of(&name, &head, grammars)),
    })
}

/// Whether a text is source code or a document.
fn text_of(name: &str, head: &[u8], grammars: &Grammars) -> EntryContent {
    let language = language_of(name, &String::from_utf8_lossy(head), grammars);
    match (language, DocumentForm::of(name, head)) {
        (Some(language), _) if !DOCUMENT_LANGUAGES.contains(&language) => EntryContent::SourceFile,
        (_, Some(form)) => EntryContent::Text(form),
        (_, None) => EntryContent::Text(DocumentForm::Text),
    }
}

/// The language of a file, if a parser for the language is linked.
fn language_of(name: &str, text: &str, grammars: &Grammars) -> Option<&'static str> {
    let id = grammars.detect(&RelPath::new(name).ok()?, text);
    grammars.has_parser(id).then(|| grammars.name(id))
}

/// Folders whose links are not looked at: nothing in them is code of the project.
const UNEXAMINED: &[&str] = &[".git", "node_modules"];

/// A link in a folder, at any depth, that leads to a folder around the link, or to itself.
fn loop_in(folder: &Path) -> io::Result<Option<PathBuf>> {
    let mut folders = VecDeque::from([folder.to_path_buf()]);
    let mut examined = 0;
    while let Some(folder) = folders.pop_front() {
        let mut around = None;
        for entry in std::fs::read_dir(&folder)? {
            let entry = entry?;
            examined += 1;
            if examined > MAX_EXAMINED {
                return Ok(None);
            }
            let kind = entry.file_type()?;
            if kind.is_dir() && !UNEXAMINED.iter().any(|name| entry.file_name() == *name) {
                folders.push_back(entry.path());
            }
            if kind.is_symlink() {
                if around.is_none() {
                    around = Some(folder.canonicalize()?);
                }
                let leads_back = match entry.path().canonicalize() {
                    Ok(target) => around.as_ref().is_some_and(|around| around.starts_with(target)),
                    Err(error) => is_endless(&error),
                };
                if leads_back {
                    return Ok(Some(entry.path()));
                }
            }
        }
    }
    Ok(None)
}

/// Whether the system gave up following a link.
fn is_endless(error: &io::Error) -> bool {
    #[cfg(unix)]
    return error.raw_os_error() == Some(libc::ELOOP);
    #[cfg(not(unix))]
    return error.raw_os_error() == Some(1921); // ERROR_CANT_RESOLVE_FILENAME
}

/// Whether a folder has a source file, at any depth.
fn has_code(folder: &Path, grammars: &Grammars) -> io::Result<bool> {
    // Sources lie near the top; data may fill the depths.
    let mut folders = VecDeque::from([folder.to_path_buf()]);
    let mut examined = 0;
    while let Some(folder) = folders.pop_front() {
        for entry in std::fs::read_dir(&folder)? {
            let entry = entry?;
            examined += 1;
            if examined > MAX_EXAMINED {
                return Ok(true);
            }
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let kind = entry.file_type()?;
            if name == ".git" {
                return Ok(true);
            }
            if kind.is_dir() {
                folders.push_back(entry.path());
            } else if kind.is_file()
                && language_of(&name, "", grammars)
                    .is_some_and(|language| !DOCUMENT_LANGUAGES.contains(&language))
            {
                return Ok(true);
            }
        }
    }
    Ok(false)
}
