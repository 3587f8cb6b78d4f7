//! The programs that archives come through: pip and curl, npm, cargo, apt-get, git.
//!
//! Each is called as a person would call it, so mirrors, proxies and passwords are found where they are configured, and
//! no registry's address stands here. Nothing of a package is run: pip builds what it downloads in order to know its
//! metadata, so it is only asked for the address.

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::pins::Package;
use super::unpack;

/// Why an archive was not to be had.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The program cannot be started.
    #[error("{program} cannot be run: {source}")]
    Start {
        /// The program.
        program: String,
        /// Why.
        source: io::Error,
    },
    /// The program says that it failed.
    #[error("{program} failed: {said}")]
    Failed {
        /// The program.
        program: String,
        /// The end of what it said.
        said: String,
    },
    /// The program ran, and what was asked for is not there.
    #[error("{program} knows no {what}{hint}")]
    Unknown {
        /// The program.
        program: &'static str,
        /// What was asked for.
        what: String,
        /// What may help.
        hint: &'static str,
    },
    /// The disk.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// The source distribution of a Python package.
pub fn pypi(package: &Package, scratch: &Path) -> Result<PathBuf, ClientError> {
    let Package { package: name, version, .. } = package;
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "index", "versions", "-vv", "--no-color", "--no-binary", ":all:", name]);
    let said = output(&mut pip, "pip")?;
    let address = sdist(&said, version).ok_or_else(|| ClientError::Unknown {
        program: "pip",
        what: format!("source distribution of {name} {version}"),
        hint: "; it needs to be one whose `index versions -vv` names the links that it found",
    })?;
    let archive = scratch.join("sdist.tar.gz");
    let mut curl = Command::new("curl");
    curl.args(["--fail", "--silent", "--show-error", "--location", "--proto", "=https,http,file"]);
    curl.args(["--connect-timeout", "30", "--max-time", "900", "--output"])
        .arg(&archive)
        .arg("--")
        .arg(address);
    output(&mut curl, "curl")?;
    Ok(archive)
}

/// The address in pip's line `Found link ADDRESS#sha256=... (from ...), version: 1.2.3`.
pub fn sdist<'a>(said: &'a str, version: &str) -> Option<&'a str> {
    said.lines().find_map(|line| {
        let (link, of) = line.trim().strip_prefix("Found link ")?.rsplit_once(", version: ")?;
        let address = link.split([' ', '#']).next()?;
        (of == version && address.ends_with(".tar.gz")).then_some(address)
    })
}

/// The tarball of an npm package.
pub fn npm(package: &Package, scratch: &Path) -> Result<PathBuf, ClientError> {
    let what = format!("{}@{}", package.package, package.version);
    let mut npm = Command::new("npm");
    npm.args(["pack", "--loglevel=error", "--ignore-scripts", "--", &what]).current_dir(scratch);
    output(&mut npm, "npm")?;
    let tarball = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "tgz");
    let found = files(scratch)?.into_iter().find(tarball);
    found.ok_or(ClientError::Unknown { program: "npm", what, hint: "" })
}

/// The `.crate` of a Rust package, from cargo's cache.
pub fn crates(package: &Package, scratch: &Path) -> Result<PathBuf, ClientError> {
    let Package { package: name, version, sha256 } = package;
    let cached = || -> Result<Vec<PathBuf>, ClientError> {
        let mut found = Vec::new();
        for registry in files(&cargo_home()?.join("registry").join("cache"))? {
            let archive = registry.join(format!("{name}-{version}.crate"));
            if archive.is_file() {
                found.push(archive);
            }
        }
        // Caches of several registries can hold different files under one name: the pinned one is wanted.
        found.sort_by_key(|archive| unpack::file(archive).ok() != Some(*sha256));
        Ok(found)
    };
    if let Some(archive) = cached()?.into_iter().next() {
        return Ok(archive);
    }
    let what = format!("{name}@{version}");
    let mut cargo = Command::new("cargo");
    cargo.args(["info", "--quiet", "--color", "never", &what]).current_dir(scratch);
    output(&mut cargo, "cargo")?;
    let hint = "; it needs to be 1.82 or later, and to keep a cache";
    cached()?.into_iter().next().ok_or(ClientError::Unknown { program: "cargo", what, hint })
}

fn cargo_home() -> Result<PathBuf, ClientError> {
    if let Some(home) = env::var_os("CARGO_HOME").filter(|home| !home.is_empty()) {
        return Ok(PathBuf::from(home));
    }
    let home = etcetera::home_dir().map_err(|error| io::Error::other(error.to_string()))?;
    Ok(home.join(".cargo"))
}

/// The upstream tarball of a Debian source package.
pub fn debian(package: &Package, scratch: &Path) -> Result<PathBuf, ClientError> {
    let Package { package: name, version, .. } = package;
    let unknown = |what| ClientError::Unknown {
        program: "apt-get",
        what,
        hint: "; it needs lines `deb-src` for a release that has it, and an `apt-get update`",
    };
    let what = format!("source of {name} {version}");
    let mut cache = Command::new("apt-cache");
    cache.args(["showsrc", "--only-source", "--", name]);
    let known = output(&mut cache, "apt-cache")?;
    let full = full_version(&known, version).ok_or_else(|| unknown(what.clone()))?;
    let mut get = Command::new("apt-get");
    get.args(["source", "--download-only", "-qq", "--", &format!("{name}={full}")]).current_dir(scratch);
    output(&mut get, "apt-get")?;
    let tarball = scratch.join(format!("{name}_{version}.orig.tar.gz"));
    if tarball.is_file() { Ok(tarball) } else { Err(unknown(format!("{what} as .orig.tar.gz"))) }
}

/// The Debian version with this upstream version, from the lines `Version: EPOCH:UPSTREAM-REVISION`.
pub fn full_version<'a>(known: &'a str, upstream: &str) -> Option<&'a str> {
    known.lines().filter_map(|line| line.strip_prefix("Version: ")).map(str::trim).find(|full| {
        let bare = full.split_once(':').map_or(*full, |(_, rest)| rest);
        bare.rsplit_once('-').map_or(bare, |(before, _)| before) == upstream
    })
}

/// A revision of a git repository, as an archive.
pub fn git(url: &str, revision: &str, scratch: &Path) -> Result<PathBuf, ClientError> {
    let repository = scratch.join("repository");
    let archive = scratch.join("revision.tar");
    let git = |arguments: &[&str]| {
        let mut git = Command::new("git");
        git.args(["-c", "core.autocrlf=false", "-c", "init.templateDir=", "--git-dir"]).arg(&repository);
        // A pin may name an address, and no program.
        git.env("GIT_ALLOW_PROTOCOL", "https:http:ssh:git:file").env("GIT_TERMINAL_PROMPT", "0");
        output(git.args(arguments), "git").map(drop)
    };
    git(&["init", "--quiet", "--bare"])?;
    git(&["fetch", "--quiet", "--depth=1", "--no-tags", url, revision])?;
    let output = format!("--output={}", archive.display());
    git(&["archive", "--format=tar", "--prefix=tree/", &output, revision])?;
    Ok(archive)
}

/// What a program wrote to both its outputs, when it succeeded.
fn output(command: &mut Command, program: &str) -> Result<String, ClientError> {
    let done = command.stdin(Stdio::null()).env("LC_ALL", "C").output();
    let done = done.map_err(|source| ClientError::Start { program: program.to_string(), source })?;
    let mut said = String::from_utf8_lossy(&done.stdout).into_owned();
    said.push('\n');
    said.push_str(&String::from_utf8_lossy(&done.stderr));
    if done.status.success() {
        return Ok(said);
    }
    let last: Vec<&str> = said.lines().filter(|line| !line.trim().is_empty()).collect();
    let last = last[last.len().saturating_sub(3)..].join(" / ");
    let said = if last.is_empty() { done.status.to_string() } else { last };
    Err(ClientError::Failed { program: program.to_string(), said })
}

/// What lies in a folder, in order; nothing when it is not there.
fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut found = entries.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    found.sort();
    Ok(found)
}
