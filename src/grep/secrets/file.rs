//! Files whose names announce secrets but that are searched and ranked like others: settings that a project tracks,
//! manifests, templates. The purpose of such a file stays readable; its values are masked, whatever their form.
//!
//! Files that contain nothing but secrets are listed in the walk's table (`walk::holds_secrets`).

/// How strictly the values of a file are masked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MaskScope {
    /// Values that look like secrets.
    #[default]
    SecretLike,
    /// All values of names for secrets.
    Names,
    Values,
}

/// Stems of files in which names for secrets have real values.
const SETTINGS: &[&str] = &["appsettings", "local.settings", "wp-config"];

/// Stems of files in which any value may be a secret.
const SECRETS: &[&str] = &[
    "secret",
    "secrets",
    "credential",
    "credentials",
    "service-account",
    "service_account",
    "serviceaccount",
];

/// Extensions of data files. With any other extension, a file is a program or a text about secrets.
const DATA: &[&str] =
    &["json", "yaml", "yml", "toml", "ini", "cfg", "conf", "properties", "xml", "txt", "jsonc", "json5"];

/// Parts of names that mark an example.
const SAMPLES: &[&str] = &["example", "sample", "template", "tmpl", "dist", "defaults", "schema"];

/// The strictness that the name of the file at `path` calls for.
pub fn scope(path: &str) -> MaskScope {
    let name = path.rsplit('/').next().unwrap_or(path);
    // Long names are rejected without a copy, and so are names without `s` and `-`: every listed name has one of the
    // two.
    if name.len() > 64 || !name.bytes().any(|byte| byte.eq_ignore_ascii_case(&b's') || byte == b'-') {
        return MaskScope::SecretLike;
    }
    let name = name.to_ascii_lowercase();
    let (stem, ending) = name.rsplit_once('.').unwrap_or((&name, ""));
    let begins = |word: &&str| {
        let rest = stem.strip_prefix(*word);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.') || rest.starts_with("-"))
    };
    if stem.split(['.', '-', '_']).any(|part| SAMPLES.contains(&part)) || SAMPLES.contains(&ending) {
        return MaskScope::SecretLike;
    }
    if SETTINGS.iter().any(begins) && (ending == "json" || ending == "php") {
        return MaskScope::Names;
    }
    // Names such as `secrets.prod.yaml` and `my-secrets.yaml`.
    let first = stem.split('.').next().unwrap_or(stem);
    let ends = |word: &&str| {
        let rest = first.strip_suffix(*word);
        rest.is_some_and(|rest| rest.is_empty() || rest.ends_with(['-', '_']))
    };
    let is_data = DATA.contains(&ending) || (ending.is_empty() && matches!(stem, "credentials" | "secrets"));
    if is_data && SECRETS.iter().any(ends) { MaskScope::Values } else { MaskScope::SecretLike }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_call_for_care() {
        for path in [
            "credentials",
            "deploy/CREDENTIALS",
            "secrets.yaml",
            "Secrets.YML",
            "config/secrets.json",
            "secrets.prod.yaml",
            "db-secrets.yaml",
            "service-account.json",
            "my_service_account.json",
            "credentials.xml",
        ] {
            assert_eq!(scope(path), MaskScope::Values, "{path}");
        }
        for path in
            ["appsettings.json", "api/appsettings.Production.json", "AppSettings.json", "wp-config.php"]
        {
            assert_eq!(scope(path), MaskScope::Names, "{path}");
        }
        for path in [
            "credentials.rs",
            "credentials/mod.go",
            "src/secrets/mod.rs",
            "secrets.py",
            "secrets.md",
            "secrets.example.yaml",
            "appsettings.template.json",
            "wp-config-sample.php",
            "appsettings.cs",
            "nosecrets.yaml",
            "secret",
            "keys.json",
        ] {
            assert_eq!(scope(path), MaskScope::SecretLike, "{path}");
        }
    }
}
