//! Files that say what should come out.

use super::repository;

/// Holds a committed file to what it should be; with `SPYHOP_BLESS=1` it is written instead.
pub fn golden(path: &str, text: &str) {
    let file = repository(path);
    if std::env::var_os("SPYHOP_BLESS").is_some() {
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, text).unwrap();
    }
    let committed = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(committed == text, "{path} is not what comes out now; look at it after SPYHOP_BLESS=1\n{text}");
}
