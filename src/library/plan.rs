//! The first stage of an import: which source is meant, which commit it has, and what it is called.

use std::path::Path;

use super::api::AddRequest;
use super::error::LibraryError;
use super::format::FileForm;
use super::job::{Job, PlannedSource};
use super::location::{self, Located};
use super::manifest::{IndexSettings, SourceKind, SourceOrigin};
use super::names::{self, SourceId};
use super::web;
use spyhop_engine::is_cancelled;
use spyhop_files::git::{self, Reach, RemoteReference, RemoteRepository};

/// A source that was located, before its commit is known.
pub(super) struct LocatedSource {
    pub id: SourceId,
    pub name: String,
    pub origin: SourceOrigin,
    /// The references of a repository on another machine, if they had to be known to locate the source.
    pub references: Option<Vec<RemoteReference>>,
}

/// Locates the source of a request.
pub(super) fn located(request: &AddRequest) -> Result<LocatedSource, LibraryError> {
    let mut reference = request.reference.clone();
    let mut folder = request.folder.as_deref().map(folder_name).transpose()?;
    let mut references = None;
    let located = location::locate(&request.source, reference.as_deref())?;
    let (kind, location) = match located {
        Located::Remote(address) => {
            if address.page.is_some() {
                if reference.is_some() || folder.is_some() {
                    let url = address.repository.url();
                    let text =
                        format!("the address of a page of {url} names a ref; leave ref and folder out");
                    return Err(LibraryError::BadParameter(text));
                }
                let known = references.insert(address.repository.references(None, &is_cancelled)?);
                let (name, below) = address.named(known).unwrap_or_default();
                (reference, folder) = (Some(name), below.as_deref().map(folder_name).transpose()?);
            }
            (SourceKind::Git, address.repository.url())
        }
        Located::Folder(path) => (SourceKind::Folder, text(&path)),
        Located::Repository(path) => (SourceKind::Git, text(&path)),
        Located::File(path, form) => (file_kind(&path, form)?, text(&path)),
    };
    if kind != SourceKind::Git
        && let Some(reference) = &reference
    {
        let text =
            format!("ref '{reference}' needs a git repository, and {location} is none; leave the ref out");
        return Err(LibraryError::BadParameter(text));
    }
    if request.nested && !kind.is_archive() {
        let text = format!("nested needs an archive, and {location} is not one; leave nested out");
        return Err(LibraryError::BadParameter(text));
    }
    if kind == SourceKind::File && request.folder.is_some() {
        return Err(LibraryError::BadParameter(format!("{location} is one file; leave the folder out")));
    }
    let default = names::default_name(location::last_part(&location));
    let snapshot = kind == SourceKind::Folder && request.snapshot;
    let reference_text = reference.as_deref().unwrap_or_default();
    let flag = match (snapshot, request.nested) {
        (true, _) => "snapshot",
        (_, true) => "nested",
        _ => "",
    };
    let properties = [kind.name(), &location, reference_text, folder.as_deref().unwrap_or_default(), flag];
    let id = SourceId::new(&default, &properties);
    let name = request.name.clone().unwrap_or(default);
    names::check_name(&name)?;
    let origin = SourceOrigin { kind, location, reference, folder, snapshot, nested: request.nested };
    Ok(LocatedSource { id, name, origin, references })
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// The kind of a file, which must be an archive or text.
fn file_kind(path: &Path, form: FileForm) -> Result<SourceKind, LibraryError> {
    form.kind().ok_or_else(|| {
        let what = match form {
            FileForm::Foreign(format) => format!("its format is {format}"),
            _ => "it is neither text nor an archive".to_string(),
        };
        let reason = format!("{what}; give a .zip, .tar, .tar.gz, .tar.zst or a source file");
        LibraryError::bad_source(path.display().to_string(), reason)
    })
}

/// A folder inside of a source, in its plain form.
fn folder_name(typed: &str) -> Result<String, LibraryError> {
    let path = spyhop_base::path::RelPath::new(typed)
        .map_err(|error| LibraryError::BadParameter(format!("folder: {error}")))?;
    Ok(path.as_str().to_string())
}

impl LocatedSource {
    /// Asks the repository for the commit.
    pub fn planned(&mut self, reach: &Reach) -> Result<PlannedSource, LibraryError> {
        planned(&self.origin, reach, self.references.take())
    }

    /// The import that was planned.
    pub(crate) fn job(self, settings: IndexSettings, planned: PlannedSource) -> Job {
        Job::new(self.id, self.name, self.origin, settings, planned)
    }
}

/// The present state of the origin. `references` are those of a repository on another machine, if they are known.
pub(super) fn planned(
    origin: &SourceOrigin,
    reach: &Reach,
    references: Option<Vec<RemoteReference>>,
) -> Result<PlannedSource, LibraryError> {
    let path = origin.path();
    match origin.kind {
        SourceKind::Git if origin.is_remote() => {
            let found = match references {
                Some(all) => web::resolve(origin, &all)?,
                None => asked(origin)?,
            };
            let full = found.target.as_ref().unwrap_or(&found.name);
            let branch = full.strip_prefix("refs/heads/").map(str::to_string);
            let (commit, wanted) = (Some(found.commit), Some(found.name));
            Ok(PlannedSource { commit, branch, wanted, ..PlannedSource::default() })
        }
        SourceKind::Git => {
            let repo = repository_at(&path, origin, reach)?;
            let revision = repo.revision(origin.reference.as_deref().unwrap_or("HEAD"))?;
            let branch = match revision.branch {
                Some(name) => Some(git::short(&name).to_string()),
                None if origin.reference.is_none() => repo.head().branch,
                None => None,
            };
            Ok(PlannedSource { commit: Some(revision.commit), branch, ..PlannedSource::default() })
        }
        SourceKind::Folder => match path.is_dir() {
            true => Ok(PlannedSource::default()),
            false => Err(LibraryError::NoSuchPath { path }),
        },
        SourceKind::Zip | SourceKind::Tar | SourceKind::File => match path.metadata() {
            Ok(metadata) if metadata.is_file() => {
                Ok(PlannedSource { bytes: Some(metadata.len()), ..PlannedSource::default() })
            }
            _ => Err(LibraryError::NoSuchPath { path }),
        },
    }
}

/// Asks a repository on another machine for the reference that an origin names, and for all others only if there is none of
/// that name.
fn asked(origin: &SourceOrigin) -> Result<RemoteReference, LibraryError> {
    let repository = RemoteRepository::parse(&origin.location)?;
    let named = repository.references(Some(origin.reference.as_deref().unwrap_or("HEAD")), &is_cancelled)?;
    match web::resolve(origin, &named) {
        Err(LibraryError::UnknownReference { .. }) => {
            web::resolve(origin, &repository.references(None, &is_cancelled)?)
        }
        found => found,
    }
}

/// The repository in a folder, which an origin names or which was fetched from there.
pub(super) fn repository_at(
    folder: &Path,
    origin: &SourceOrigin,
    reach: &Reach,
) -> Result<git::Repo, LibraryError> {
    git::open_objects(folder, reach)?
        .ok_or_else(|| LibraryError::bad_source(&origin.location, "it is not a git repository"))
}
