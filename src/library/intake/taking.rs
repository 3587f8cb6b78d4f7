//! Taking in the entries of the inbox.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use super::api::{FailedEntry, IntakeEvent, IntakeReply, OnIntake, TakenEntry};
use super::class::{EntryContent, IntakeClass, content_of};
use super::papers::{self, ReadDocument};
use super::quiet;
use super::sorting::{self, name_of};
use crate::api::{AddRequest, OnAddProgress};
use crate::error::LibraryError;
use crate::manifest::{SourceManifest, SourceState};
use crate::open::Library;
use crate::paths::without_links;
use crate::{protect, records};
use spyhop_base::store::{self, Lock};
use spyhop_engine::api::Options;
use spyhop_engine::{Error, ErrorKind};
use spyhop_syntax::document::DocumentForm;
use spyhop_syntax::grammar::Grammars;
use spyhop_syntax::worker::FileAnalyzer;

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
    /// An entry that cannot be taken in is moved to the folder `failed`; one that cannot even be moved stays where it is, with
    /// a warning. Entries that changed in the last two seconds wait for the next intake, unless `all` is set. A killed intake
    /// is continued.
    ///
    /// # Errors
    /// `Locked` if another process changes the library or takes in files; `DiskFull` or `ReadOnly` if nothing can be written.
    /// The entries that were not taken in are then where they were.
    pub fn take_in(
        &self,
        options: &Options,
        all: bool,
        on_event: OnIntake<'_>,
    ) -> Result<IntakeReply, Error> {
        let mut reply = IntakeReply { inbox: self.paths.inbox(), ..IntakeReply::default() };
        // A watched inbox is empty most of the time.
        let mut entries = visible_entries(&self.paths.inbox())?;
        if !all {
            entries.retain(|entry| {
                let waits = quiet::is_recent(entry);
                reply.waiting.extend(waits.then(|| name_of(entry)));
                !waits
            });
        }
        let begun = self.paths.begun_intake();
        if self.paths.inbox().is_dir() && entries.is_empty() && !begun.exists() {
            return Ok(reply);
        }
        drop(self.lock()?);
        let _intake = Lock::acquire(&self.paths.intake_lock(), self.wait, &mut |_| ())
            .map_err(|error| LibraryError::lock(self.paths.root(), error))?;
        let is_continued = begun.exists();
        store::replace(&begun, &[])?;
        let grammars = Grammars::built_in();
        let reader = FileAnalyzer::new(&options.isolation, &grammars);
        let mut intake = Intake { library: self, options, grammars: &grammars, reader, on_event, reply };
        let outcome = match is_continued {
            true => intake.continue_earlier().and_then(|()| intake.take_all(entries)),
            false => intake.take_all(entries),
        };
        // What was moved must be found, also if another entry failed.
        intake.refresh_shared()?;
        outcome?;
        store::remove_file(&begun)?;
        Ok(intake.reply)
    }
}

/// The entries of the inbox, sorted. Programs write files under hidden names before they rename them.
fn visible_entries(inbox: &Path) -> Result<Vec<PathBuf>, LibraryError> {
    let failed = |error| LibraryError::io("list", inbox, error);
    let listed = match std::fs::read_dir(inbox) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        listed => listed.map_err(failed)?,
    };
    let names: io::Result<Vec<OsString>> = listed.map(|entry| Ok(entry?.file_name())).collect();
    let mut names = names.map_err(failed)?;
    names.retain(|name| !name.as_encoded_bytes().starts_with(b"."));
    names.sort();
    Ok(names.into_iter().map(|name| inbox.join(name)).collect())
}

impl Intake<'_> {
    fn take_all(&mut self, entries: Vec<PathBuf>) -> Result<(), LibraryError> {
        for entry in entries {
            let taken = match content_of(&entry, self.grammars) {
                Ok(Ok(content)) => self.take(&entry, content),
                Ok(Err(reason)) => self.fail(&entry, reason),
                Err(error) => Err(LibraryError::io("read", &entry, error)),
            };
            self.settle(&entry, taken)?;
        }
        Ok(())
    }

    /// Goes on after an error about one entry, which then moves to the folder `failed`. Only errors that every other entry
    /// would meet are returned.
    fn settle(&mut self, entry: &Path, taken: Result<(), LibraryError>) -> Result<(), LibraryError> {
        let Err(error) = taken else { return Ok(()) };
        if matches!(error.kind(), ErrorKind::Locked | ErrorKind::DiskFull | ErrorKind::ReadOnly) {
            return Err(error);
        }
        let reason = error.to_string();
        // An entry that has vanished, or that was moved before the error, is not in the inbox any more.
        if entry.symlink_metadata().is_err() {
            self.reply.warnings.push(format!("'{}' is not taken in: {reason}", name_of(entry)));
            return Ok(());
        }
        if let Err(unmovable) = self.fail(entry, reason) {
            let text = format!("'{}' stays where it is: {error}; {unmovable}", name_of(entry));
            self.reply.warnings.push(text);
        }
        Ok(())
    }

    fn take(&mut self, entry: &Path, content: EntryContent) -> Result<(), LibraryError> {
        let paths = &self.library.paths;
        let (class, folder) = match content {
            EntryContent::Project => (IntakeClass::Project, paths.projects()),
            EntryContent::Archive => (IntakeClass::Archive, paths.archives()),
            EntryContent::SourceFile => (IntakeClass::File, paths.single_files()),
            EntryContent::Text(form) => return self.take_text(entry, form),
        };
        let name = name_of(entry);
        (self.on_event)(IntakeEvent::Taking { name: &name, class });
        let path = sorting::keep(entry, &folder)?;
        match class {
            IntakeClass::File => {
                self.taken(name, class, path, shared_name(class).to_string());
                Ok(())
            }
            _ => self.add_source(name, class, path),
        }
    }

    fn take_text(&mut self, entry: &Path, form: DocumentForm) -> Result<(), LibraryError> {
        let read = papers::read(entry, form, &mut self.reader)?;
        let class = papers::class_of(&read);
        let name = name_of(entry);
        (self.on_event)(IntakeEvent::Taking { name: &name, class });
        let path = sorting::keep(entry, &self.library.paths.documents(class))?;
        self.take_document(name, class, path, &read)
    }

    fn fail(&mut self, entry: &Path, reason: String) -> Result<(), LibraryError> {
        let path = sorting::fail(entry, &self.library.paths, &reason)?;
        self.reply.failed.push(FailedEntry { name: name_of(entry), path, reason });
        Ok(())
    }

    fn taken(&mut self, name: String, class: IntakeClass, path: PathBuf, source: String) {
        self.reply.taken.push(TakenEntry { name, class, path, source, title: None, problem: None });
    }

    fn take_document(
        &mut self,
        name: String,
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

    /// Adds a protected project or archive as a separate source. An archive that is refused moves to the folder `failed`.
    fn add_source(&mut self, name: String, class: IntakeClass, path: PathBuf) -> Result<(), LibraryError> {
        let progress = |now| (self.on_event)(IntakeEvent::Source(now));
        let mut request = AddRequest::new(path.to_string_lossy());
        let added = match self.library.add_from_intake(&request, self.options, &progress) {
            // A dropped file is not refused for its name.
            Err(LibraryError::NameTaken { free, .. }) => {
                request.name = Some(free);
                self.library.add_from_intake(&request, self.options, &progress)
            }
            // An earlier entry of that name was deleted by hand.
            Err(LibraryError::AlreadyAdded { name, .. }) => {
                let updated = self.library.update(&name, self.options, &progress);
                updated.map(|updated| updated.source).map_err(|error| LibraryError::Index { name, error })
            }
            added => added,
        };
        match added {
            Ok(manifest) => self.taken(name, class, path, manifest.name),
            Err(error @ (LibraryError::Refused(_) | LibraryError::BadSource { .. })) => {
                self.fail(&path, error.to_string())?;
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
        for class in [IntakeClass::Paper, IntakeClass::Document] {
            let folder = self.library.paths.documents(class);
            for file in records::names(&folder)? {
                let path = folder.join(&file);
                if !self.library.paths.document(class, &file).exists() {
                    let taken = self.continue_document(file, class, &path);
                    self.settle(&path, taken)?;
                }
            }
        }
        let (known, _) = self.library.manifests()?;
        let folders = [
            (IntakeClass::Project, self.library.paths.projects()),
            (IntakeClass::Archive, self.library.paths.archives()),
        ];
        for (class, folder) in folders {
            let folder = without_links(&folder);
            for name in records::names(&folder)? {
                let path = folder.join(&name);
                let is_done = known
                    .iter()
                    .any(|known| known.origin.path() == path && known.state == SourceState::Ready);
                if !is_done {
                    protect::protect(&path)?;
                    let taken = self.add_source(name, class, path.clone());
                    self.settle(&path, taken)?;
                }
            }
        }
        protect::protect_inside(&self.library.paths.single_files())
    }

    fn continue_document(
        &mut self,
        file: String,
        class: IntakeClass,
        path: &Path,
    ) -> Result<(), LibraryError> {
        protect::protect(path)?;
        let content =
            content_of(path, self.grammars).map_err(|error| LibraryError::io("read", path, error))?;
        let form = match content {
            Ok(EntryContent::Text(form)) => form,
            _ => DocumentForm::Text,
        };
        let read = papers::read(path, form, &mut self.reader)?;
        self.take_document(file, class, path.to_path_buf(), &read)
    }

    /// Indexes the sources that have the single files, the papers and the documents.
    fn refresh_shared(&mut self) -> Result<(), LibraryError> {
        let (known, _) = self.library.manifests()?;
        for class in [IntakeClass::File, IntakeClass::Paper, IntakeClass::Document] {
            let folder = without_links(&self.library.paths.shared(class));
            let is_indexed =
                known.iter().any(|known| known.origin.path() == folder && known.state == SourceState::Ready);
            let is_changed = self.reply.taken.iter().any(|entry| entry.class == class);
            if (is_indexed && !is_changed) || records::names(&folder)?.is_empty() {
                continue;
            }
            let progress = |now| (self.on_event)(IntakeEvent::Source(now));
            match self.library.index_shared(class, &folder, self.options, &progress) {
                Ok(source) => {
                    let of_class = self.reply.taken.iter_mut().filter(|entry| entry.class == class);
                    of_class.for_each(|entry| entry.source.clone_from(&source.name));
                }
                Err(error) => {
                    self.reply.warnings.push(format!("'{}' is not indexed yet: {error}", shared_name(class)));
                }
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
        progress: OnAddProgress<'_>,
    ) -> Result<SourceManifest, LibraryError> {
        let mut request = AddRequest::new(folder.to_string_lossy());
        request.name = Some(shared_name(class).to_string());
        match self.add_from_intake(&request, options, progress) {
            // A source of the user has the name.
            Err(LibraryError::NameTaken { free, .. }) => {
                request.name = Some(free);
                self.add_from_intake(&request, options, progress)
            }
            Err(LibraryError::AlreadyAdded { name, .. }) => {
                Ok(self.index_and_record(self.find(&name)?, options, progress)?.0)
            }
            added => added,
        }
    }
}

/// The name of the source that has all entries of a class, unless a source of the user has the name.
fn shared_name(class: IntakeClass) -> &'static str {
    match class {
        IntakeClass::Paper => "papers",
        IntakeClass::Document => "documents",
        _ => "single-files",
    }
}
