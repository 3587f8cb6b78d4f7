//! Taking in the entries of the inbox.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::api::{FailedEntry, IntakeEvent, IntakeReply, OnIntake, TakenEntry};
use super::class::{EntryContent, IntakeClass, content_of};
use super::papers::{self, ReadDocument};
use super::sorting;
use crate::document::DocumentForm;
use crate::engine::Error;
use crate::engine::api::Options;
use crate::grammar::Grammars;
use crate::library::api::AddRequest;
use crate::library::error::LibraryError;
use crate::library::manifest::{SourceManifest, SourceOrigin};
use crate::library::open::Library;
use crate::library::paths::without_links;
use crate::library::records;
use crate::worker::FileAnalyzer;

/// How long an entry must be unchanged before it is taken in: a file may still be copied.
const QUIET: Duration = Duration::from_secs(2);

/// The intake of one call.
struct Intake<'a> {
    library: &'a Library,
    options: &'a Options,
    grammars: &'a Grammars,
    reader: FileAnalyzer<'a>,
    on_event: OnIntake<'a>,
    reply: IntakeReply,
}

impl Library {
    /// Takes in what lies in the inbox: each entry is sorted by its content, moved to protected storage and made searchable.
    /// An entry that cannot be taken in is moved to the folder `failed`. Entries that changed in the last two seconds wait
    /// for the next intake, unless `all` is set.
    ///
    /// # Errors
    /// `Locked` if another process changes the library; `DiskFull`, `ReadOnly`, `Permission` or `Io` if files cannot be moved
    /// or written. The entries that were not taken in are then where they were.
    pub fn take_in(
        &self,
        options: &Options,
        all: bool,
        on_event: OnIntake<'_>,
    ) -> Result<IntakeReply, Error> {
        let grammars = Grammars::built_in();
        let reader = FileAnalyzer::new(&options.parsing, &grammars);
        let reply = IntakeReply { inbox: self.paths.inbox(), ..IntakeReply::default() };
        let mut intake = Intake { library: self, options, grammars: &grammars, reader, on_event, reply };
        drop(self.lock()?);
        intake.continue_earlier()?;
        intake.take_all(all)?;
        intake.refresh_shared()?;
        Ok(intake.reply)
    }
}

impl Intake<'_> {
    fn take_all(&mut self, all: bool) -> Result<(), LibraryError> {
        let inbox = self.library.paths.inbox();
        for name in records::names(&inbox)? {
            // Programs write files under hidden names before they rename them.
            if name.starts_with('.') {
                continue;
            }
            let entry = inbox.join(&name);
            if !all && is_recent(&entry) {
                self.reply.waiting.push(name);
                continue;
            }
            let content = content_of(&entry, self.grammars);
            match content.map_err(|error| LibraryError::io("read", &entry, error))? {
                Ok(content) => self.take(&name, &entry, content)?,
                Err(reason) => self.fail(&name, &entry, reason)?,
            }
        }
        Ok(())
    }

    fn take(&mut self, name: &str, entry: &Path, content: EntryContent) -> Result<(), LibraryError> {
        let paths = &self.library.paths;
        match content {
            EntryContent::Project => {
                (self.on_event)(IntakeEvent::Taking { name, class: IntakeClass::Project });
                let path = self.keep(entry, &paths.projects())?;
                self.add_source(name, IntakeClass::Project, path)
            }
            EntryContent::Archive => {
                (self.on_event)(IntakeEvent::Taking { name, class: IntakeClass::Archive });
                let path = self.keep(entry, &paths.archives())?;
                self.add_source(name, IntakeClass::Archive, path)
            }
            EntryContent::SourceFile => {
                (self.on_event)(IntakeEvent::Taking { name, class: IntakeClass::File });
                let path = self.keep(entry, &paths.single_files())?;
                self.taken(name, IntakeClass::File, path, shared_name(IntakeClass::File).to_string());
                Ok(())
            }
            EntryContent::Text(form) => {
                let read = papers::read(entry, form, &mut self.reader)?;
                let class = papers::class_of(&read);
                (self.on_event)(IntakeEvent::Taking { name, class });
                let path = self.keep(entry, &paths.documents(class))?;
                self.take_document(name, class, path, &read)
            }
        }
    }

    /// Moves an entry under the lock of the library.
    fn keep(&self, entry: &Path, folder: &Path) -> Result<PathBuf, LibraryError> {
        let _lock = self.library.lock()?;
        sorting::keep(entry, folder)
    }

    fn fail(&mut self, name: &str, entry: &Path, reason: String) -> Result<(), LibraryError> {
        let _lock = self.library.lock()?;
        let path = sorting::fail(entry, &self.library.paths, &reason)?;
        self.reply.failed.push(FailedEntry { name: name.to_string(), path, reason });
        Ok(())
    }

    fn taken(&mut self, name: &str, class: IntakeClass, path: PathBuf, source: String) {
        let name = name.to_string();
        self.reply.taken.push(TakenEntry { name, class, path, source, title: None, problem: None });
    }

    fn take_document(
        &mut self,
        name: &str,
        class: IntakeClass,
        path: PathBuf,
        read: &ReadDocument,
    ) -> Result<(), LibraryError> {
        let record = papers::record(&path, class, read, &self.library.paths)?;
        self.taken(name, class, path, shared_name(class).to_string());
        if let Some(entry) = self.reply.taken.last_mut() {
            (entry.title, entry.problem) = (record.title, record.problem);
        }
        Ok(())
    }

    /// Adds a protected project or archive as a source of its own. An archive that is refused moves to the folder `failed`.
    fn add_source(&mut self, name: &str, class: IntakeClass, path: PathBuf) -> Result<(), LibraryError> {
        let progress = |now| (self.on_event)(IntakeEvent::Source(now));
        let mut request = AddRequest::new(path.to_string_lossy());
        let added = match self.library.add_from_intake(&request, self.options, &progress) {
            // The name of a dropped file is no reason to refuse the file.
            Err(LibraryError::NameTaken { free, .. }) => {
                request.name = Some(free);
                self.library.add_from_intake(&request, self.options, &progress)
            }
            added => added,
        };
        match added {
            Ok(manifest) => self.taken(name, class, path, manifest.name),
            Err(error @ (LibraryError::Refused(_) | LibraryError::BadSource { .. })) => {
                self.fail(name, &path, error.to_string())?;
            }
            Err(LibraryError::Index { name: source, error }) => {
                self.reply.warnings.push(format!("'{source}' is not indexed yet: {error}"));
                self.taken(name, class, path, source);
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Takes in what a killed intake has moved and not made searchable.
    fn continue_earlier(&mut self) -> Result<(), LibraryError> {
        let paths = self.library.paths.clone();
        for class in [IntakeClass::Paper, IntakeClass::Document] {
            for file in records::names(&paths.documents(class))? {
                if paths.document(class, &file).exists() {
                    continue;
                }
                let path = paths.documents(class).join(&file);
                let content = content_of(&path, self.grammars);
                let content = content.map_err(|error| LibraryError::io("read", &path, error))?;
                let form = match content {
                    Ok(EntryContent::Text(form)) => form,
                    _ => DocumentForm::Text,
                };
                let read = papers::read(&path, form, &mut self.reader)?;
                self.take_document(&file, class, path, &read)?;
            }
        }
        let known: Vec<SourceOrigin> =
            self.library.manifests()?.0.into_iter().map(|manifest| manifest.origin).collect();
        for (class, folder) in
            [(IntakeClass::Project, paths.projects()), (IntakeClass::Archive, paths.archives())]
        {
            let folder = without_links(&folder);
            for name in records::names(&folder)? {
                let path = folder.join(&name);
                if !known.iter().any(|origin| origin.path() == path) {
                    self.add_source(&name, class, path)?;
                }
            }
        }
        Ok(())
    }

    /// Indexes the sources that have the single files, the papers and the documents.
    fn refresh_shared(&mut self) -> Result<(), LibraryError> {
        for class in [IntakeClass::File, IntakeClass::Paper, IntakeClass::Document] {
            let folder = self.library.paths.shared(class);
            let is_changed = self.reply.taken.iter().any(|entry| entry.class == class);
            if !is_changed || records::names(&folder)?.is_empty() {
                continue;
            }
            let progress = |now| (self.on_event)(IntakeEvent::Source(now));
            if let Err(error) = self.library.index_shared(class, &folder, self.options, &progress) {
                self.reply.warnings.push(format!("'{}' is not indexed yet: {error}", shared_name(class)));
            }
        }
        Ok(())
    }
}

impl Library {
    /// Adds the folder that several entries share as a source, or indexes that source again.
    fn index_shared(
        &self,
        class: IntakeClass,
        folder: &Path,
        options: &Options,
        progress: crate::library::api::OnAddProgress<'_>,
    ) -> Result<SourceManifest, LibraryError> {
        let mut request = AddRequest::new(folder.to_string_lossy());
        request.name = Some(shared_name(class).to_string());
        match self.add_from_intake(&request, options, progress) {
            Err(LibraryError::AlreadyAdded { name, .. }) => {
                Ok(self.index_and_record(self.find(&name)?, options, progress)?.0)
            }
            added => added,
        }
    }
}

/// The name of the source that has all entries of a class.
fn shared_name(class: IntakeClass) -> &'static str {
    match class {
        IntakeClass::Paper => "papers",
        IntakeClass::Document => "documents",
        _ => "single-files",
    }
}

/// Whether an entry, or what it contains, may still be written.
fn is_recent(entry: &Path) -> bool {
    let now = SystemTime::now();
    let changed = |path: &Path| path.symlink_metadata().and_then(|metadata| metadata.modified()).ok();
    let is_new =
        |path: &Path| changed(path).is_some_and(|then| now.duration_since(then).unwrap_or_default() < QUIET);
    let inside = std::fs::read_dir(entry).into_iter().flatten().flatten();
    is_new(entry) || inside.into_iter().any(|entry| is_new(&entry.path()))
}
