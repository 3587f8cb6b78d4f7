//! File names that indicate secrets: environment files, private keys, credentials of tools, the state of terraform.
//!
//! This module owns the table and decides which names match it, in upper and lower case and with the suffix of a backup
//! copy. Unlike other built-in rules these rules apply even to files that git tracks: a key that was committed is still
//! a key, and nobody searches for code in it. A line of a `.spyhopignore` or an option includes such a file. Names that
//! projects also give to settings and manifests, such as `secrets.yaml`, are not in the table: such files stay in the
//! index, and their values are masked (`secrets::Care`).

use std::borrow::Cow;
use std::sync::LazyLock;

use rustc_hash::FxHashSet;

use super::built_in::BuiltInFire;
use SecretName::{Below, Ends, Is, Starts};

/// Names of files that hold secrets.
#[derive(Clone, Copy, Debug)]
enum SecretName {
    /// Exactly this name.
    Is(&'static str),
    /// The second name in a folder with the first name.
    Below(&'static str, &'static str),
    /// A longer name with this suffix.
    Ends(&'static str),
    /// A longer name with this prefix.
    Starts(&'static str),
}

impl SecretName {
    /// A name, `folder/name`, `*end` or `start*`.
    fn new(text: &'static str) -> SecretName {
        if let Some((folder, name)) = text.split_once('/') {
            return Below(folder, name);
        }
        let starts = || text.strip_suffix('*').map(Starts);
        text.strip_prefix('*').map(Ends).or_else(starts).unwrap_or(Is(text))
    }

    /// Whether the pattern matches a file `name`, in lower case.
    fn matches(self, folder: &str, name: &str) -> bool {
        match self {
            Is(whole) => name == whole,
            Below(above, whole) => name == whole && folder.eq_ignore_ascii_case(above),
            Ends(end) => name.len() > end.len() && name.ends_with(end),
            Starts(start) => name.len() > start.len() && name.starts_with(start),
        }
    }
}

impl std::fmt::Display for SecretName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Is(whole) => f.write_str(whole),
            Below(above, whole) => write!(f, "{above}/{whole}"),
            Ends(end) => write!(f, "*{end}"),
            Starts(start) => write!(f, "{start}*"),
        }
    }
}

/// Every name in lower case, with the content of such a file. A line of the text has a content and its names.
static SECRETS: LazyLock<Vec<(SecretName, &str)>> = LazyLock::new(|| {
    let rows = include_str!("secrets.txt").lines().filter_map(|line| line.split_once(": "));
    rows.flat_map(|(content, names)| names.split(' ').map(move |name| (SecretName::new(name), content)))
        .collect()
});

/// Suffixes of sample files, which are meant to be read and copied.
const SAMPLES: &[&str] = &[".example", ".sample", ".template", ".tmpl", ".dist", ".defaults", ".schema"];

/// A quick filter that rejects nearly every name: whole names, and the texts after the last dot.
static GATE: LazyLock<FxHashSet<&str>> = LazyLock::new(|| {
    let key = |(secret, _): &(SecretName, &'static str)| match *secret {
        Is(name) | Below(_, name) => name,
        Ends(end) => end.rsplit('.').next().unwrap_or(end),
        Starts(_) => ENVIRONMENT,
    };
    SECRETS.iter().map(key).collect()
});

/// The one name that is also a prefix.
const ENVIRONMENT: &str = ".env";

/// The suffixes of backup copies.
const ASIDE: &[&str] = &[".bak", ".old", ".orig", ".backup", ".save", ".copy", "~"];

fn rule(path: &str) -> Option<&'static (SecretName, &'static str)> {
    let (above, name) = path.rsplit_once('/').unwrap_or(("", path));
    let name: Cow<'_, str> = match name.bytes().any(|byte| byte.is_ascii_uppercase()) {
        true => name.to_ascii_lowercase().into(),
        false => name.into(),
    };
    let folder = above.rsplit('/').next().unwrap_or_default();
    let aside = || ASIDE.iter().find_map(|end| name.strip_suffix(end));
    rule_of(folder, &name).or_else(|| rule_of(folder, aside()?))
}

/// The rule for a file `name`, in lower case.
fn rule_of(folder: &str, name: &str) -> Option<&'static (SecretName, &'static str)> {
    let ending = name.rsplit('.').next().unwrap_or(name);
    if !(GATE.contains(ending) || GATE.contains(name) || name.starts_with(ENVIRONMENT)) {
        return None;
    }
    let is_sample =
        |sample: &&str| name.ends_with(*sample) || name.strip_suffix(".env") == Some(&sample[1..]);
    if SAMPLES.iter().any(is_sample) {
        return None;
    }
    SECRETS.iter().find(|(secret, _)| secret.matches(folder, name))
}

/// Whether the file at `path`, which is relative to the root, holds secrets according to its name.
pub fn holds_secrets(path: &str) -> bool {
    rule(path).is_some()
}

/// The rule that fires for the file at `path`, if one does.
pub(super) fn fires(path: &str) -> Option<BuiltInFire> {
    let (name, sentence) = rule(path)?;
    Some(BuiltInFire { name: name.to_string(), evidence: "its name says so".to_string(), sentence })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell() {
        let names = ".env a/.env.production deploy/prod.env .envrc home/id_rsa tls/server.key a.pem b.p12 \
                    c.pfx d.jks e.keystore .netrc .pgpass .npmrc .pypirc www/.htpasswd credentials.json \
                    home/.aws/credentials kubeconfig x/.kube/config prod.tfvars terraform.tfstate \
                    terraform.tfstate.backup .docker/config.json PROD.ENV tls/Server.KEY \
                    home/.AWS/Credentials home/id_rsa.bak ID_RSA.old tls/server.key.old server.pem~ \
                    credentials.json.bak";
        for path in names.split(' ') {
            assert!(holds_secrets(path), "{path}");
        }
        let names = ".env.example .env.sample a/.env.template example.env terraform.tfvars.example \
                    id_rsa.pub src/env.rs environment key keys.rs monkey credentials src/credentials.go \
                    config.json config pem server.crt npmrc.md settings.xml credentials.rs \
                    credentials/mod.go secrets.yaml service-account.json appsettings.json wp-config.php \
                    key.old main.rs.bak monkey.old";
        for path in names.split(' ') {
            assert!(!holds_secrets(path), "{path}");
        }
    }

    /// The walk stops at the first row that fits a name, so a second one would never count.
    #[test]
    fn no_two_rows_are_about_one_name() {
        for (at, (secret, sentence)) in SECRETS.iter().enumerate() {
            let path = match secret {
                Is(name) => (*name).to_string(),
                Below(folder, name) => format!("{folder}/{name}"),
                Ends(end) => format!("x{end}"),
                Starts(start) => format!("{start}x"),
            };
            let fits = |(other, _): &(SecretName, &str)| {
                let (folder, name) = path.rsplit_once('/').unwrap_or(("", &path));
                other.matches(folder, name)
            };
            assert_eq!(SECRETS.iter().position(fits), Some(at), "{path}");
            assert!(!sentence.is_empty());
        }
    }
}
