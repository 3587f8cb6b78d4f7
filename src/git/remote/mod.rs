//! Repositories on other machines: their branches and tags, and the files of one commit without its history.
//!
//! The Git protocol is gix's, over HTTPS, SSH and Git's own port. HTTP is a client of our own ([`http`]), because those that
//! gix has bring sixty crates or a library in C. What is fetched is written to a bare repository that [`super::open_objects`]
//! opens. Credentials come from the credential helpers that the user's Git configuration names, and from the agent of SSH:
//! nothing is asked on a terminal, stored or logged. No hook, filter or submodule command is run. A server that is silent
//! for too long is given up ([`watched`]), because callers hold locks while they fetch.

mod error;
mod http;
mod meter;
mod shown;
mod watched;

use std::cell::Cell;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use gix::bstr::ByteSlice;
use gix::protocol::fetch::refmap::Source;
use gix::protocol::handshake::Ref;
use gix::protocol::transport::client::blocking_io::Transport;
use gix::protocol::transport::client::blocking_io::http::Transport as HttpTransport;
use gix::protocol::transport::client::blocking_io::ssh::ProgramKind;
use gix::remote::fetch::{Shallow, Tags};
use gix::remote::{Connection, Direction, ref_map};
use gix::url::Scheme;

use http::HttpClient;
use meter::Meter;
use shown::without_secrets;
use watched::PAUSE;

use super::remote_error::{RemoteError, RemoteReference};
use super::sound::MAX_OBJECT_BYTES;

/// The command of SSH, which asks for no password, passphrase or confirmation.
const SSH: &str = "ssh -o BatchMode=yes";

/// The name of the fetched commit in the repository that is written.
const FETCHED: &str = "refs/spyhop/fetched";

/// A repository on another machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteRepository {
    url: gix::Url,
}

impl RemoteRepository {
    /// The repository at a URL, which has the scheme `https`, `http`, `ssh` or `git`, or the form `user@host:path`. The user
    /// of an `https` or `http` URL is left out: it may be a token, and a credential helper names the user.
    ///
    /// # Errors
    /// `BadUrl` if the URL has another scheme, a password, or no host.
    pub fn parse(text: &str) -> Result<RemoteRepository, RemoteError> {
        let shown = without_secrets(text);
        let bad = |reason: &str| RemoteError::BadUrl { url: shown.clone(), reason: reason.to_string() };
        let mut url = gix::url::parse(text.as_bytes().as_bstr()).map_err(|_| bad("it is not a valid URL"))?;
        if !matches!(url.scheme, Scheme::Http | Scheme::Https | Scheme::Ssh | Scheme::Git) {
            return Err(bad("its scheme is none of https, http, ssh and git"));
        }
        if url.password().is_some() {
            return Err(bad(
                "it has a password; leave the password out, and let a credential helper of Git supply it",
            ));
        }
        let is_http = matches!(url.scheme, Scheme::Http | Scheme::Https);
        if is_http && url.path.find_byteset(b"?#").is_some() {
            return Err(bad("it has a query or a fragment; give the URL that git clone takes"));
        }
        if is_http {
            url.set_user(None);
        }
        if url.host().is_none_or(str::is_empty) || url.path_is_root() {
            return Err(bad("it names no repository of a host"));
        }
        Ok(RemoteRepository { url })
    }

    /// The URL, which has no password, and no user if the scheme is `https` or `http`.
    pub fn url(&self) -> String {
        self.url.to_bstring().to_str_lossy().into_owned()
    }

    /// `HEAD`, the branches and the tags.
    ///
    /// # Errors
    /// `Unreachable`, `NoRepository`, `NeedsCredentials`; `File` if no temporary folder can be written.
    pub fn references(&self) -> Result<Vec<RemoteReference>, RemoteError> {
        self.references_within(PAUSE)
    }

    fn references_within(&self, pause: Duration) -> Result<Vec<RemoteReference>, RemoteError> {
        let folder = tempfile::tempdir().map_err(|error| RemoteError::File {
            action: "create a folder in",
            path: std::env::temp_dir(),
            source: error,
        })?;
        let (repository, path) = (self.clone(), folder.path().to_path_buf());
        let work = move || {
            let listed = repository.list(&path);
            listed.map_err(|error| RemoteError::of(&repository.url(), &path, &error))
        };
        let listed = watched::run(self.own_pause(pause), || 0, || (), work);
        listed.unwrap_or_else(|error| Err(self.ended(folder.path(), error)))
    }

    fn list(&self, folder: &Path) -> gix::Result<Vec<RemoteReference>> {
        let local = new_repository(folder)?;
        // The part behind the colon is never written.
        let specs =
            ["HEAD:refs/spyhop/head", "refs/heads/*:refs/spyhop/heads/*", "refs/tags/*:refs/spyhop/tags/*"];
        let remote = self.remote(&local, &specs)?;
        let listed = match http_transport(&remote)? {
            Some(transport) => list(remote.to_connection_with_transport(transport), &local)?,
            None => list(remote.connect(Direction::Fetch)?, &local)?,
        };
        Ok(listed.into_iter().filter_map(reference).collect())
    }

    /// Fetches a branch, a tag or a commit without its history into a new bare repository in `folder`, which must be empty or
    /// missing, and returns the commit. `progress` is called with the number of bytes so far. `wanted` is a full name, or the
    /// 40 digits of a commit. More than `most_bytes` are refused.
    ///
    /// # Errors
    /// As [`RemoteRepository::references`]; `TooLarge`; `File` if the folder cannot be written; `Lost` if the server no longer
    /// has what is wanted.
    pub fn fetch(
        &self,
        wanted: &str,
        folder: &Path,
        most_bytes: u64,
        progress: &(dyn Fn(u64) + Sync),
    ) -> Result<String, RemoteError> {
        let (meter, is_ended, is_too_large) =
            (Meter::new(), Arc::new(AtomicBool::new(false)), Cell::new(false));
        let seen = meter.child(gix::progress::UNKNOWN);
        let report = || {
            let bytes = seen.bytes();
            progress(bytes);
            if bytes > most_bytes {
                is_too_large.set(true);
                is_ended.store(true, Relaxed);
            }
        };
        let (repository, to, name, ends) =
            (self.clone(), folder.to_path_buf(), wanted.to_string(), Arc::clone(&is_ended));
        let work = move || {
            let received = repository.receive(&name, &to, meter, &ends);
            received.map_err(|error| RemoteError::of(&repository.url(), &to, &error))
        };
        let fetched = watched::run(self.own_pause(PAUSE), || seen.signs(), report, work);
        // A thread that nobody waits for ends as soon as the server sends something.
        is_ended.store(true, Relaxed);
        if is_too_large.get() {
            return Err(RemoteError::TooLarge { url: self.url(), most_bytes });
        }
        let fetched = fetched.unwrap_or_else(|error| Err(self.ended(folder, error)))?;
        progress(seen.bytes());
        fetched.ok_or_else(|| RemoteError::Lost { url: self.url(), wanted: wanted.to_string() })
    }

    fn receive(
        &self,
        wanted: &str,
        folder: &Path,
        meter: Meter,
        is_ended: &AtomicBool,
    ) -> gix::Result<Option<String>> {
        let local = new_repository(folder)?;
        let remote = self.remote(&local, &[&format!("+{wanted}:{FETCHED}")])?;
        match http_transport(&remote)? {
            Some(transport) => {
                receive(remote.to_connection_with_transport(transport), &local, meter, is_ended)
            }
            None => receive(remote.connect(Direction::Fetch)?, &local, meter, is_ended),
        }
    }

    /// The pause after which a call is given up. The client of HTTP has its own timeouts.
    fn own_pause(&self, pause: Duration) -> Duration {
        if matches!(self.url.scheme, Scheme::Http | Scheme::Https) { Duration::MAX } else { pause }
    }

    /// The error of a call that was given up.
    fn ended(&self, folder: &Path, error: std::io::Error) -> RemoteError {
        RemoteError::of(&self.url(), folder, &gix::Error::from_error(error))
    }

    fn remote<'r>(&self, local: &'r gix::Repository, specs: &[&str]) -> gix::Result<gix::Remote<'r>> {
        let specs = specs.iter().map(|spec| spec.as_bytes().as_bstr());
        let remote = local.remote_at(self.url.clone())?.with_refspecs(specs, Direction::Fetch)?;
        Ok(remote.with_fetch_tags(Tags::None))
    }
}

/// A new bare repository, whose configuration is that of the user. Unless the user has configured a command of SSH, `ssh` asks
/// nothing.
fn new_repository(folder: &Path) -> gix::Result<gix::Repository> {
    let limit = format!("gitoxide.objects.allocLimit={MAX_OBJECT_BYTES}");
    let created = gix::ThreadSafeRepository::init_opts(
        folder,
        gix::create::Kind::Bare,
        gix::create::Options::default(),
        gix::open::Options::default().config_overrides([limit]),
    );
    let mut local = created?.to_thread_local();
    if local
        .ssh_connect_options()
        .is_ok_and(|ssh| ssh.command.is_none() && ssh.kind.is_none_or(|kind| kind == ProgramKind::Ssh))
    {
        let mut config = local.config_snapshot_mut();
        config.set_raw_value("core.sshCommand", SSH)?;
        config.set_raw_value("ssh.variant", "ssh")?;
        config.commit()?;
    }
    Ok(local)
}

/// The transport to a server that speaks HTTP; gix has the others.
fn http_transport(remote: &gix::Remote<'_>) -> gix::Result<Option<HttpTransport<HttpClient>>> {
    let (url, version) = remote.sanitized_url_and_version(Direction::Fetch)?;
    let is_http = matches!(url.scheme, Scheme::Http | Scheme::Https);
    Ok(is_http.then(|| HttpTransport::new_http(HttpClient::new(), url, version, false)))
}

/// The credentials that helpers supply. Nothing is asked on a terminal, and nothing is stored or erased.
fn credentials(
    local: gix::Repository,
) -> impl FnMut(gix::credentials::helper::Action) -> gix::Result<Option<gix::credentials::protocol::Outcome>>
{
    move |action| {
        let Some(url) = action.context().and_then(|context| context.url.clone().or_else(|| context.to_url()))
        else {
            return Ok(None);
        };
        let url = gix::url::parse(&url)?;
        let (mut helpers, _, mut prompt) = local.config_snapshot().credential_helpers(url)?;
        prompt.mode = gix::prompt::Mode::Disable;
        helpers.invoke(action, prompt)
    }
}

fn list<T: Transport>(
    connection: Connection<'_, '_, '_, T>,
    local: &gix::Repository,
) -> gix::Result<Vec<Ref>> {
    let connection = connection.with_credentials(credentials(local.clone()));
    let (map, _) = connection.ref_map(gix::progress::Discard, ref_map::Options::default())?;
    Ok(map.remote_refs)
}

fn reference(found: Ref) -> Option<RemoteReference> {
    let (name, target, commit) = match found {
        Ref::Peeled { full_ref_name, object, .. } | Ref::Direct { full_ref_name, object } => {
            (full_ref_name, None, object)
        }
        Ref::Symbolic { full_ref_name, target, object, .. } => (full_ref_name, Some(target), object),
        Ref::Unborn { .. } => return None,
    };
    Some(RemoteReference {
        name: name.to_str().ok()?.to_string(),
        target: target.and_then(|target| Some(target.to_str().ok()?.to_string())),
        commit: commit.to_string(),
    })
}

/// Fetches what the refspec of the connection names, and returns the commit; `None` if the server does not have it.
fn receive<T: Transport>(
    connection: Connection<'_, '_, '_, T>,
    local: &gix::Repository,
    meter: Meter,
    is_ended: &AtomicBool,
) -> gix::Result<Option<String>> {
    let connection = connection.with_credentials(credentials(local.clone()));
    let prepared = connection.prepare_fetch(gix::progress::Discard, ref_map::Options::default())?;
    if prepared.ref_map().mappings.is_empty() {
        return Ok(None);
    }
    let depth = Shallow::DepthAtRemote(1.try_into().expect("one is not zero"));
    let fetched = prepared.with_shallow(depth).receive(meter, is_ended)?;
    let found = fetched.ref_map.mappings.first().and_then(|mapping| match &mapping.remote {
        Source::ObjectId(id) => Some(id.to_string()),
        Source::Ref(found) => reference(found.clone()).map(|found| found.commit),
    });
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_checked_before_anything_is_connected() {
        let check = |url: &str, part: &str| {
            let error = RemoteRepository::parse(url).unwrap_err().to_string();
            assert!(error.contains(part) && !error.contains("secret"), "{url}: {error}");
        };
        check(
            "https://me:secret@example.org/a.git",
            "'https://example.org/a.git' cannot be fetched: it has a password",
        );
        check("ftp://example.org/a", "its scheme is none of");
        check("ext::sh -c touch", "its scheme is none of");
        check("https://example.org/", "names no repository");
        check("https://example.org/a?token=secret", "has a query");
        check("https://me:secret/secret@example.org/a", "'https://example.org/a' cannot be fetched");
        check("https://me:secret?secret@example.org/a", "cannot be fetched");
        for (url, expected) in [
            ("https://example.org/a.git", "https://example.org/a.git"),
            ("https://me@example.org/a", "https://example.org/a"),
            ("http://ghp_secret@example.org:8080/a@b", "http://example.org:8080/a@b"),
            ("ssh://me@example.org/a", "ssh://me@example.org/a"),
            ("git@example.org:a/b.git", "git@example.org:a/b.git"),
        ] {
            assert_eq!(RemoteRepository::parse(url).unwrap().url(), expected);
        }
    }

    #[test]
    fn a_server_that_says_nothing_is_given_up() {
        let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("git://127.0.0.1:{}/a", server.local_addr().unwrap().port());
        let repository = RemoteRepository::parse(&url).unwrap();
        let (sender, receiver) = std::sync::mpsc::channel();
        std::thread::spawn(move || sender.send(repository.references_within(Duration::from_millis(200))));
        let listed = receiver.recv_timeout(Duration::from_secs(60)).expect("the call waits for the server");
        match listed.unwrap_err() {
            RemoteError::Unreachable { reason, .. } => {
                assert!(reason.contains("sent nothing for"), "{reason}")
            }
            error => panic!("{error}"),
        }
    }
}
