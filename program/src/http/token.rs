//! The bearer token that a request must carry, and its source: a file, an environment variable, or the random
//! generator.
//!
//! This module owns the form of a token and a comparison that does not reveal how much of the token was right. A token
//! file keeps a token across restarts: where the file does not exist, a new token is generated and written to it,
//! readable by its owner only. A file that others may read is refused, as ssh refuses such a key.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// The environment variable that may hold the token.
pub const VARIABLE: &str = "SPYHOP_MCP_TOKEN";

/// The shortest token; a shorter one could be guessed by trying.
const LEAST: usize = 16;
const MOST: usize = 4096;

/// How many random bytes a generated token has; each is written as two hexadecimal digits.
const DRAWN: usize = 32;

/// A token, kept as its hash: two hashes compare in the same time wherever they differ, and neither a log nor a panic
/// can show a text that was never kept.
pub struct Token(blake3::Hash);

/// A token with its source.
pub struct SourcedToken {
    pub token: Token,
    pub origin: Origin,
}

/// The source of a token.
#[derive(Debug, PartialEq, Eq)]
pub enum Origin {
    /// Read from this file.
    File(PathBuf),
    /// Generated and written into this file.
    NewFile(PathBuf),
    /// Read from [`VARIABLE`].
    Variable,
    /// Generated; the server must show the token to the person who starts it.
    Drawn(String),
}

/// Why there is no token.
#[derive(Debug, thiserror::Error)]
pub enum NoToken {
    /// The text is not a valid token.
    #[error(
        "the token in {place} has {len} characters, or some that a bearer token may not have; choose {LEAST} to \
         {MOST} of letters, digits and -._~+/="
    )]
    Unfit { place: String, len: usize },
    /// Users other than the owner may read the file.
    #[error("the token file '{}' may be read by others (mode {mode:03o}); chmod 600 it, or choose another", path.display())]
    Open { path: PathBuf, mode: u32 },
    /// The file belongs to another user, who could change its contents.
    #[error("the token file '{}' belongs to user {uid}; choose a file of your own", path.display())]
    Foreign { path: PathBuf, uid: u32 },
    /// The path is a link, a FIFO, a folder or a device.
    #[error("the token file '{}' is {what}; choose an ordinary file", path.display())]
    Odd { path: PathBuf, what: &'static str },
    /// Reading or writing the file failed.
    #[error("the token file '{}': {error}", path.display())]
    File { path: PathBuf, error: io::Error },
    /// The system returned no random bytes.
    #[error("cannot generate a token: {0}")]
    NoChance(getrandom::Error),
}

impl Token {
    /// Checks `text` and returns its token; `place` names the source of the text for the error message.
    pub fn new(text: &str, place: &dyn Fn() -> String) -> Result<Token, NoToken> {
        let fits = (LEAST..=MOST).contains(&text.len())
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~+/=".contains(&byte));
        if fits {
            Ok(Token(blake3::hash(text.as_bytes())))
        } else {
            Err(NoToken::Unfit { place: place(), len: text.chars().count() })
        }
    }

    /// A text that follows from this token and tells nothing of it; each `purpose` has a text of its own.
    pub fn derive(&self, purpose: &str) -> String {
        blake3::Hash::from(blake3::derive_key(purpose, self.0.as_bytes())).to_hex().to_string()
    }

    /// Whether `given` is this token. blake3 compares hashes in constant time.
    pub fn is(&self, given: &[u8]) -> bool {
        blake3::hash(given) == self.0
    }
}

/// The token of `file`, else of [`VARIABLE`], else a new one.
pub fn find(file: Option<&Path>) -> Result<SourcedToken, NoToken> {
    if let Some(path) = file {
        return of_file(path);
    }
    if let Some(text) = std::env::var_os(VARIABLE).filter(|text| !text.is_empty()) {
        let token = Token::new(text.to_string_lossy().trim(), &|| VARIABLE.to_string())?;
        return Ok(SourcedToken { token, origin: Origin::Variable });
    }
    let text = draw()?;
    let token = Token::new(&text, &String::new)?;
    Ok(SourcedToken { token, origin: Origin::Drawn(text) })
}

fn of_file(path: &Path) -> Result<SourcedToken, NoToken> {
    let failed = |error| NoToken::File { path: path.to_path_buf(), error };
    if path.symlink_metadata().is_ok_and(|found| found.is_symlink()) {
        return Err(NoToken::Odd { path: path.to_path_buf(), what: "a link" });
    }
    match open(path) {
        Ok(file) => {
            let text = read(path, file)?;
            let token = Token::new(text.trim(), &|| format!("'{}'", path.display()))?;
            Ok(SourcedToken { token, origin: Origin::File(path.to_path_buf()) })
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let text = draw()?;
            write(path, &text).map_err(failed)?;
            let token = Token::new(&text, &String::new)?;
            Ok(SourcedToken { token, origin: Origin::NewFile(path.to_path_buf()) })
        }
        Err(error) => Err(failed(error)),
    }
}

/// Opens the file without following a link or waiting at a FIFO.
fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NOFOLLOW | libc::O_NONBLOCK);
    options.open(path)
}

/// Reads the file, if it is an ordinary file of this user that others cannot read. Kind, owner and mode are checked on
/// the open file, so that nobody can exchange the file between check and read.
fn read(path: &Path, file: File) -> Result<String, NoToken> {
    let failed = |error| NoToken::File { path: path.to_path_buf(), error };
    let found = file.metadata().map_err(failed)?;
    if !found.is_file() {
        return Err(NoToken::Odd { path: path.to_path_buf(), what: "not an ordinary file" });
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        // SAFETY: the call only returns the user id of this process.
        let own = unsafe { libc::geteuid() };
        if ![own, 0].contains(&found.uid()) {
            return Err(NoToken::Foreign { path: path.to_path_buf(), uid: found.uid() });
        }
        let mode = found.mode() & 0o777;
        if mode & 0o077 != 0 {
            return Err(NoToken::Open { path: path.to_path_buf(), mode });
        }
    }
    let mut text = String::new();
    file.take(MOST as u64 + 2).read_to_string(&mut text).map_err(failed)?;
    Ok(text)
}

/// Creates the file, which must not exist, readable by its owner only from the start.
fn write(path: &Path, text: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    writeln!(file, "{text}")?;
    file.sync_all()
}

/// A new random text, hexadecimal.
pub fn draw() -> Result<String, NoToken> {
    let mut bytes = [0; DRAWN];
    getrandom::fill(&mut bytes).map_err(NoToken::NoChance)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(text: &str) -> Result<Token, NoToken> {
        Token::new(text, &|| "here".to_string())
    }

    #[test]
    fn a_token_is_itself_and_nothing_else() {
        let text = "0123456789abcdef";
        let token = token(text).unwrap();
        assert!(token.is(text.as_bytes()));
        for other in ["", "0123456789abcde", "0123456789abcdeF", "0123456789abcdef ", "0123456789abcdeff"] {
            assert!(!token.is(other.as_bytes()), "{other}");
        }
    }

    #[test]
    fn what_is_short_or_strange_is_no_token() {
        for text in
            ["", "short", "0123456789abcde", "0123456789 abcdef", "0123456789abcdefé", &"a".repeat(4097)]
        {
            let error = token(text).map(|_| ()).unwrap_err();
            assert!(matches!(error, NoToken::Unfit { .. }), "{text}: {error}");
            assert!(error.to_string().contains("16 to 4096"), "{error}");
        }
    }

    #[test]
    fn drawn_tokens_differ() {
        let [one, two] = [draw().unwrap(), draw().unwrap()];
        assert_eq!(one.len(), 2 * DRAWN);
        assert_ne!(one, two);
    }

    #[test]
    fn a_file_is_made_once_and_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        let made = of_file(&path).unwrap();
        assert_eq!(made.origin, Origin::NewFile(path.clone()));
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(made.token.is(text.trim().as_bytes()));
        let read = of_file(&path).unwrap();
        assert_eq!(read.origin, Origin::File(path.clone()));
        assert!(read.token.is(text.trim().as_bytes()));
        assert!(matches!(of_file(&folder.path().join("no/such")), Err(NoToken::File { .. })));
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_others_may_read_is_refused() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        let set = |mode| std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        of_file(&path).unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        for mode in [0o640, 0o604, 0o660] {
            set(mode);
            assert!(matches!(of_file(&path), Err(NoToken::Open { mode: told, .. }) if told == mode));
        }
        set(0o400);
        assert!(of_file(&path).is_ok());
    }

    #[cfg(unix)]
    #[test]
    fn links_fifos_and_files_of_others_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        of_file(&at("token")).unwrap();
        std::os::unix::fs::symlink(at("token"), at("link")).unwrap();
        std::os::unix::fs::symlink(at("nowhere"), at("dangling")).unwrap();
        let fifo = std::ffi::CString::new(at("fifo").as_os_str().as_encoded_bytes()).unwrap();
        // SAFETY: the name is a string that ends in NUL.
        assert_eq!(unsafe { libc::mkfifo(fifo.as_ptr(), 0o600) }, 0);
        for name in ["link", "dangling", "fifo", ""] {
            let refused = of_file(&at(name)).map(|_| ()).unwrap_err();
            assert!(matches!(refused, NoToken::Odd { .. }), "{name}: {refused}");
        }
        assert!(!at("nowhere").exists());
        // SAFETY: the call only returns the user id of this process.
        if unsafe { libc::geteuid() } == 0 {
            std::os::unix::fs::chown(at("token"), Some(4321), None).unwrap();
            assert!(matches!(of_file(&at("token")), Err(NoToken::Foreign { uid: 4321, .. })));
        }
    }
}
