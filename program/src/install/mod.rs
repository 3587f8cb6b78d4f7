//! `spyhop mcp install`: adds an entry for the server to a client's configuration, and removes it again.
//!
//! This module owns the change of the file up to the confirmation; the command line asks for that. A change is planned
//! on the text and verified before it is shown: the file must mean the same to its readers except for Spyhop's entry. A
//! file that cannot be changed that way is left alone, and the entry is shown so that the user can add it by hand.

pub mod clients;
mod entry;
mod error;
mod file;
mod jsonc;
mod record;
mod splice;
mod toml;

use std::io;
use std::path::{Path, PathBuf};

pub use entry::{Entry, NAME};
pub use error::{EditError, Error};

use clients::{Client, ClientFolders, ConfigScope, Format};
use record::Record;
use serde_json::Value;

/// The parameters of an installation.
#[derive(Clone, Debug)]
pub struct InstallRequest {
    pub client: &'static Client,
    /// The scope; by default the client's first.
    pub scope: Option<ConfigScope>,
    /// The file, if it is not the client's file for the scope.
    pub file: Option<PathBuf>,
    /// The trees to serve; if empty, the tree that the client works on.
    pub roots: Vec<PathBuf>,
    /// The command that starts the server; by default this program.
    pub command: Option<String>,
}

/// A change of a file that is not confirmed yet.
#[derive(Debug)]
pub struct FileEdit {
    /// The path as given.
    pub path: PathBuf,
    /// The file that the path leads to, links resolved.
    target: PathBuf,
    pub before: Option<String>,
    /// The new text; `None` to remove the file.
    pub after: Option<String>,
    scope: Option<ConfigScope>,
    /// The record to write; `None` to remove the record.
    record: Option<Record>,
    /// Folders to remove together with the file.
    folders: Vec<PathBuf>,
    state: PathBuf,
}

/// The folder with the records of changes; `None` where there is no home folder.
pub fn records() -> Option<PathBuf> {
    ClientFolders::state_of_environment().map(|state| record::folder(&state))
}

/// The entry for `request`.
pub fn entry(request: &InstallRequest) -> Result<Entry, Error> {
    let client = request.client;
    let scope = scope(request);
    let mut args = vec!["mcp".to_string()];
    for root in &request.roots {
        let whole = std::path::absolute(root).and_then(|whole| whole.metadata().map(|_| whole));
        let whole = whole.map_err(|error| Error::Io { path: root.clone(), error })?;
        args.push(whole.display().to_string());
    }
    if let (Some(project), true) = (client.project, request.roots.is_empty()) {
        match scope {
            Some(ConfigScope::Project) => args.push(project.to_string()),
            _ => return Err(Error::NoRoot { title: client.title }),
        }
    }
    // A shared file must not name a path of this machine. The user's file names the program by its path, because a
    // desktop client may not know the shell's search path.
    let command = match (&request.command, scope) {
        (Some(command), _) => command.clone(),
        (None, Some(ConfigScope::Project)) => NAME.to_string(),
        (None, _) => own_path().display().to_string(),
    };
    Ok(Entry { typed: client.typed, command, args })
}

/// The change that adds the entry; `None` where nothing would change.
pub fn install(request: &InstallRequest, folders: &ClientFolders) -> Result<Option<FileEdit>, Error> {
    let (path, target) = place(request, folders)?;
    let entry = entry(request)?;
    let now = file::read(&target)?;
    let client = request.client;
    let failed = |error| Error::Edit { path: path.clone(), error };
    let text = now.as_deref().unwrap_or_default();
    let after = splice::edited(text, |text| edit(client, text, &entry)).map_err(failed)?;
    let Some(after) = after else { return Ok(None) };
    proved(client, text, &after).map_err(failed)?;
    // After an earlier installation, uninstalling restores the text before that first installation.
    let known = record::read(&folders.state, &target).and_then(|record| {
        let original = record.original(now.as_deref()?)?;
        Some((original, record))
    });
    let (original, made) = match known {
        Some((original, record)) => (original, record.folders),
        None => (now.clone(), Vec::new()),
    };
    let had = servers(client, original.as_deref().unwrap_or_default()).map_err(failed)?.is_some();
    let mut record = Record::new(&target, original.as_deref(), &after, !had);
    record.folders = made;
    Ok(Some(FileEdit {
        path,
        target,
        before: now,
        after: Some(after),
        scope: scope(request),
        record: Some(record),
        folders: Vec::new(),
        state: folders.state.clone(),
    }))
}

/// The change that removes the entry; `None` where there is no entry of Spyhop's.
pub fn uninstall(request: &InstallRequest, folders: &ClientFolders) -> Result<Option<FileEdit>, Error> {
    let (path, target) = place(request, folders)?;
    let Some(now) = file::read(&target)? else { return Ok(None) };
    let record = record::read(&folders.state, &target);
    let original = record.as_ref().and_then(|record| record.original(&now));
    let client = request.client;
    let failed = |error| Error::Edit { path: path.clone(), error };
    let after = match original {
        Some(original) => original,
        None => {
            let whole = record.as_ref().is_some_and(|record| record.whole);
            let remove = |text: &str| match client.format {
                Format::Json => jsonc::remove(text, client.key, whole),
                Format::Toml => toml::remove(text, client.key, whole),
            };
            let Some(after) = splice::edited(&now, remove).map_err(failed)? else { return Ok(None) };
            proved(client, &now, &after).map_err(failed)?;
            Some(after)
        }
    };
    let folders_made = record.filter(|_| after.is_none()).map(|record| record.folders).unwrap_or_default();
    Ok(Some(FileEdit {
        path,
        target,
        before: Some(now),
        after,
        scope: scope(request),
        record: None,
        folders: folders_made,
        state: folders.state.clone(),
    }))
}

impl FileEdit {
    /// A change for tests, which nobody applies.
    #[cfg(test)]
    pub fn sample(path: PathBuf, before: Option<&str>, after: Option<&str>) -> FileEdit {
        FileEdit {
            target: path.clone(),
            state: path.clone(),
            path,
            before: before.map(str::to_string),
            after: after.map(str::to_string),
            scope: None,
            record: None,
            folders: Vec::new(),
        }
    }

    /// Applies the change. An error that is returned as `Some` occurred after the file was written: without the record,
    /// a later uninstall removes the entry but does not restore every blank around it.
    pub fn apply(self) -> Result<Option<io::Error>, Error> {
        let made = file::replace(&self.target, self.before.as_deref(), self.after.as_deref(), self.scope)?;
        file::remove_folders(&self.folders);
        match self.record {
            Some(mut record) => {
                if record.folders.is_empty() {
                    record.folders = made;
                }
                Ok(record::write(&self.state, &record).err())
            }
            None => {
                record::forget(&self.state, &self.target);
                Ok(None)
            }
        }
    }
}

fn scope(request: &InstallRequest) -> Option<ConfigScope> {
    request.scope.or(request.client.default_scope())
}

/// The path as given, and the file that it leads to.
fn place(request: &InstallRequest, folders: &ClientFolders) -> Result<(PathBuf, PathBuf), Error> {
    let scope = scope(request);
    let own = || scope.and_then(|scope| request.client.file(scope, folders));
    let path = request.file.clone().map(|file| folders.project.join(file)).or_else(own);
    let client = request.client.name;
    let path = path.ok_or(Error::NoFile { client, scope: scope.unwrap_or(ConfigScope::User) })?;
    let target = file::behind_links(&path)?;
    Ok((path, target))
}

fn edit(client: &Client, text: &str, entry: &Entry) -> Result<Option<String>, EditError> {
    match client.format {
        Format::Json => jsonc::put(text, client.key, entry),
        Format::Toml => toml::put(text, client.key, entry),
    }
}

/// The entry by itself, as in an otherwise empty file.
pub fn alone(client: &Client, entry: &Entry) -> Result<String, EditError> {
    edit(client, "", entry).map(Option::unwrap_or_default)
}

/// Verifies that two texts mean the same to their readers except for Spyhop's entry.
fn proved(client: &Client, before: &str, after: &str) -> Result<(), EditError> {
    let others = |text: &str| -> Result<Value, EditError> {
        let mut value = value(client, text)?;
        let whole = value.as_object_mut().ok_or(EditError::Elsewhere)?;
        if let Some(servers) = whole.get_mut(client.key).and_then(Value::as_object_mut) {
            servers.remove(NAME);
            if servers.is_empty() {
                whole.remove(client.key);
            }
        }
        Ok(value)
    };
    if others(before)? == others(after)? { Ok(()) } else { Err(EditError::Elsewhere) }
}

/// The table of servers in a text.
fn servers(client: &Client, text: &str) -> Result<Option<Value>, EditError> {
    Ok(value(client, text)?.get_mut(client.key).map(Value::take))
}

fn value(client: &Client, text: &str) -> Result<Value, EditError> {
    let text = text.trim_start_matches('\u{feff}');
    match client.format {
        Format::Json => jsonc::value(text),
        Format::Toml => toml::value(text),
    }
}

/// The path of this program as found in the user's search path, if it is there: that path survives an update, whereas
/// the file behind it may lie in a folder named after its version.
fn own_path() -> PathBuf {
    let own = std::env::current_exe().unwrap_or_else(|_| PathBuf::from(NAME));
    let real = |path: &Path| path.canonicalize().ok();
    let name = format!("{NAME}{}", std::env::consts::EXE_SUFFIX);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let named = std::env::split_paths(&path).map(|folder| folder.join(&name));
    let same = |path: &PathBuf| path.is_absolute() && real(path).is_some() && real(path) == real(&own);
    named.into_iter().find(same).unwrap_or(own)
}
