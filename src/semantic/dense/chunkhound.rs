//! Vectors from an existing database of ChunkHound, a file of DuckDB: the program `duckdb` reads the database, because
//! its library takes minutes to compile and 60 MB of a program.
//!
//! ```text
//! files            id, path
//! chunks           id, file_id, code, start_byte, end_byte
//! embeddings_DIMS  chunk_id, provider, model, embedding
//! ```
//!
//! The child process opens the database only to read, and in the safe mode of DuckDB: no other file, no extension and no
//! network. Only a build starts the program; searches read the vectors that the build has taken.

use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde::Deserialize;
use spyhop_base::text::Span;

use super::database::{DatabasePart, DatabaseParts};
use super::store::PackedRow;
use crate::error::SemanticError;
use crate::settings::{DatabaseSettings, EndpointSettings};

/// The file in a folder that ChunkHound is told to write.
const FILE: &str = "chunks.db";

/// The most bytes of a message of the program that are shown.
const MESSAGE_BYTES: u64 = 400;

/// A row of the answer.
#[derive(Deserialize)]
struct ChunkRow {
    path: String,
    code: String,
    start: Option<u32>,
    end: Option<u32>,
    embedding: Vec<f32>,
}

/// The parts with vectors of the endpoint's model, by path.
pub fn read(
    settings: &DatabaseSettings,
    endpoint: &EndpointSettings,
    stored_dimensions: usize,
) -> Result<DatabaseParts, SemanticError> {
    let path = file_of(&settings.database);
    let is_missing = !path.is_file();
    let no_database =
        |why: String| SemanticError::NoDatabase { root: root_of(&path), path: path.clone(), why };
    if is_missing {
        return Err(no_database("there is no such file".to_string()));
    }
    let mut child = start(&settings.program, &path, &question(&settings.provider, endpoint))?;
    let mut parts = DatabaseParts::default();
    let mut failed = None;
    let output = child.stdout.take().expect("the output is piped");
    // The program ends an answer without rows with an empty line.
    let lines = BufReader::new(output).lines().filter(|line| !line.as_ref().is_ok_and(String::is_empty));
    for line in lines {
        let row = line.map_err(|error| error.to_string()).and_then(|line| {
            serde_json::from_str::<ChunkRow>(&line)
                .map_err(|error| format!("an answer is not as expected: {error}"))
        });
        match row {
            Ok(row) => add(row, stored_dimensions, &mut parts),
            Err(why) => failed = failed.or(Some(why)),
        }
    }
    let mut message = String::new();
    if let Some(errors) = child.stderr.take() {
        let _ = errors.take(MESSAGE_BYTES).read_to_string(&mut message);
    }
    let is_whole = child.wait().is_ok_and(|status| status.success());
    match failed.filter(|_| is_whole) {
        Some(why) => Err(no_database(why)),
        None if !is_whole => Err(no_database(message.trim().to_string())),
        None if parts.is_empty() => {
            let EndpointSettings { model, dimensions, .. } = endpoint;
            let provider = &settings.provider;
            Err(no_database(format!(
                "it has no vectors of '{provider}', '{model}' with {dimensions} numbers"
            )))
        }
        None => Ok(parts),
    }
}

fn add(row: ChunkRow, stored_dimensions: usize, parts: &mut DatabaseParts) {
    let (Some(start), Some(end)) = (row.start, row.end) else { return };
    if start <= end && row.embedding.iter().all(|number| number.is_finite()) {
        let packed = PackedRow::of_vector(&row.embedding, stored_dimensions);
        parts.entry(row.path).or_default().push(DatabasePart {
            span: Span { start, end },
            code: row.code,
            packed,
        });
    }
}

fn start(program: &Path, database: &Path, question: &str) -> Result<Child, SemanticError> {
    let mut command = Command::new(program);
    command
        .args(["-no-init", "-readonly", "-safe", "-batch", "-jsonlines"])
        .arg(database)
        .args(["-c", question]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().map_err(|error| {
        SemanticError::BadSetting(format!(
            "the program '{}', which reads the database, does not start: {error}; install DuckDB 1.4 or later, or name \
             the program by --duckdb",
            program.display()
        ))
    })
}

/// The question to the database, in the order of the parts.
fn question(provider: &str, endpoint: &EndpointSettings) -> String {
    let quoted = |text: &str| format!("'{}'", text.replace('\'', "''"));
    let (provider, model) = (quoted(provider), quoted(&endpoint.model));
    format!(
        "SELECT f.path AS path, c.code AS code, c.start_byte AS start, c.end_byte AS \"end\", e.embedding AS embedding \
         FROM embeddings_{} e JOIN chunks c ON c.id = e.chunk_id JOIN files f ON f.id = c.file_id \
         WHERE e.provider = {provider} AND e.model = {model} ORDER BY f.path, c.start_byte, c.id",
        endpoint.dimensions
    )
}

/// Whether a path names a database of DuckDB, or one that is missing where ChunkHound would write it. Only the first bytes of
/// the file are read.
pub fn is_named(path: &Path) -> bool {
    let mut head = [0; 12];
    match File::open(file_of(path)).and_then(|mut file| file.read_exact(&mut head)) {
        Ok(()) => head.ends_with(b"DUCK"),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let is_in_folder = path.components().any(|part| part.as_os_str() == ".chunkhound");
            is_in_folder || path.extension().is_some_and(|end| end == "db" || end == "duckdb")
        }
        Err(_) => false,
    }
}

/// The file of the database, of which the file or its folder was named.
pub fn file_of(named: &Path) -> PathBuf {
    if named.is_dir() { named.join(FILE) } else { named.to_path_buf() }
}

/// The tree that ChunkHound indexes into this file by default, or the folder of the file.
fn root_of(file: &Path) -> String {
    let folder = file.parent().unwrap_or(Path::new("."));
    let root = match folder.ends_with(".chunkhound/db") {
        true => folder.parent().and_then(Path::parent).unwrap_or(folder),
        false => folder,
    };
    root.display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_database_says_how_to_make_it() {
        let endpoint = EndpointSettings::new(Some("http://127.0.0.1:1/v1"), Some("it's"), Some(24)).unwrap();
        let question = question("openai", &endpoint);
        assert!(question.contains("embeddings_24") && question.contains("e.model = 'it''s'"), "{question}");
        let settings = DatabaseSettings::new(PathBuf::from("/gone/.chunkhound/db/chunks.db"), None, None);
        let error = read(&settings, &endpoint, 24).err().unwrap().to_string();
        let expected = "Run: chunkhound index /gone\nExpected database at: /gone/.chunkhound/db/chunks.db\n";
        assert!(error.starts_with(expected), "{error}");
    }
}
