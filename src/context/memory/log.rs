//! The log of notes: one file to which records are appended.
//!
//! ```text
//! spyhop-memory 1
//! CHECKSUM {"id":"0123456789ab","kind":"failure","text":"...","time":"...","changes":0}
//! ```
//!
//! A record is one line: the first half of the BLAKE3 hash of the JSON behind it, and a note in its newest state. The
//! last record with an id counts. A record whose line break is damaged is read by the end of its JSON. A record is acknowledged after the file is synced. A writer that is killed leaves at
//! most the beginning of a line, which readers pass over and the next writer removes. A log that is mostly older states
//! is replaced as a whole by [`spyhop_base::store::replace`].

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

use rustc_hash::FxHashMap;
use serde::de::IgnoredAny;

use super::error::MemoryError;
use super::limits::MAX_LOG_BYTES;
use super::note::RevisionNote;
use spyhop_base::store::{self, AtFile, FileError, Private, StoreStep};

/// The number of the format of the log. Version log: 1, the first.
pub(crate) const MEMORY_FORMAT: u32 = 1;

const MAGIC: &str = "spyhop-memory ";

/// The content of a log.
#[derive(Debug, Default)]
pub(super) struct LoggedNotes {
    /// The newest state of each note, in the order in which the notes were added.
    pub notes: Vec<RevisionNote>,
    /// The number of complete records whose checksum is wrong.
    pub damaged: usize,
    /// The bytes of complete records; what follows is the beginning of a record that was never acknowledged.
    pub sound_len: u64,
    /// Whether the line break behind the last complete record is missing or damaged.
    pub lacks_break: bool,
    /// The bytes of the newest states alone.
    pub live_len: u64,
}

/// Reads the log at `path`; `None` if there is none.
pub(super) fn read(path: &Path) -> Result<Option<LoggedNotes>, MemoryError> {
    bytes(path)?.map(|bytes| parse(&bytes, path)).transpose()
}

/// The bytes of the log at `path`; `None` if there is none.
pub(super) fn bytes(path: &Path) -> Result<Option<Vec<u8>>, MemoryError> {
    let file = match Private::Read.open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Err::<(), _>(error).at("read", path).unwrap_err().into()),
    };
    check_len(file.metadata().at("read", path)?.len(), path)?;
    let mut bytes = Vec::new();
    file.take(MAX_LOG_BYTES + 1).read_to_end(&mut bytes).at("read", path)?;
    check_len(bytes.len() as u64, path)?;
    Ok(Some(bytes))
}

fn check_len(len: u64, path: &Path) -> Result<(), MemoryError> {
    match len > MAX_LOG_BYTES {
        true => Err(MemoryError::LongLog { path: path.to_path_buf(), len, most: MAX_LOG_BYTES }),
        false => Ok(()),
    }
}

fn parse(bytes: &[u8], path: &Path) -> Result<LoggedNotes, MemoryError> {
    let not_a_log = || MemoryError::NotALog { path: path.to_path_buf() };
    let end = bytes.iter().position(|byte| *byte == b'\n').ok_or_else(not_a_log)?;
    let header = std::str::from_utf8(&bytes[..end]).ok().and_then(|line| line.strip_prefix(MAGIC));
    let found: u32 = header.and_then(|number| number.parse().ok()).ok_or_else(not_a_log)?;
    if found > MEMORY_FORMAT {
        return Err(MemoryError::NewerLog { path: path.to_path_buf(), found, known: MEMORY_FORMAT });
    }
    let mut logged = LoggedNotes { sound_len: end as u64 + 1, ..LoggedNotes::default() };
    let mut place_of: FxHashMap<String, (usize, u64)> = FxHashMap::default();
    let mut rest = &bytes[end + 1..];
    while !rest.is_empty() {
        let end = rest.iter().position(|byte| *byte == b'\n');
        let line = &rest[..end.unwrap_or(rest.len())];
        rest = &rest[end.map_or(rest.len(), |end| end + 1)..];
        let (notes, sound) = notes_of(line);
        for (note, len) in notes {
            match place_of.get_mut(&note.id) {
                Some((place, old)) => {
                    logged.live_len -= std::mem::replace(old, len);
                    logged.notes[*place] = note;
                }
                None => {
                    place_of.insert(note.id.clone(), (logged.notes.len(), len));
                    logged.notes.push(note);
                }
            }
            logged.live_len += len;
        }
        let left = &line[sound..];
        // After a power cut, a file may have its new length but zeros instead of its last bytes.
        let is_torn = rest.is_empty() && left.contains(&0);
        if end.is_some() && !is_torn {
            logged.damaged += usize::from(left.len() > 1);
            logged.sound_len += line.len() as u64 + 1;
        } else {
            // A record that is whole was not cut off by the death of its writer.
            let is_whole =
                parts_of(left).is_some_and(|(_, json)| is_json(json) || is_json(&json[..json.len() - 1]));
            logged.damaged += usize::from(is_whole);
            let kept = if is_whole { line.len() } else { sound };
            logged.sound_len += kept as u64;
            logged.lacks_break = kept > 0;
        }
    }
    Ok(logged)
}

/// The notes of a line, with the bytes of their records and line breaks, and the bytes of all these records. A line has one
/// record, or several if line breaks are damaged.
fn notes_of(line: &[u8]) -> (Vec<(RevisionNote, u64)>, usize) {
    let (mut notes, mut at, mut sound) = (Vec::new(), 0, 0);
    while let Some((_, json)) = line.get(at..).and_then(parts_of) {
        let mut values = serde_json::Deserializer::from_slice(json).into_iter::<IgnoredAny>();
        let Some(Ok(_)) = values.next() else { break };
        let record = &line[at..line.len() - json.len() + values.byte_offset()];
        let Some(note) = note_of(record) else { break };
        notes.push((note, record.len() as u64 + 1));
        sound = at + record.len();
        at = sound + 1;
    }
    (notes, sound)
}

fn is_json(bytes: &[u8]) -> bool {
    serde_json::from_slice::<IgnoredAny>(bytes).is_ok()
}

/// The checksum and the JSON of a record.
fn parts_of(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let (sum, json) = line.split_at_checked(SUM_LEN)?;
    json.strip_prefix(b" ").filter(|json| !json.is_empty()).map(|json| (sum, json))
}

fn note_of(line: &[u8]) -> Option<RevisionNote> {
    let (sum, json) = parts_of(line)?;
    (checksum(json).as_bytes() == sum).then(|| serde_json::from_slice(json).ok()).flatten()
}

const SUM_LEN: usize = 32;

fn checksum(json: &[u8]) -> String {
    blake3::hash(json).to_hex()[..SUM_LEN].to_string()
}

fn records<'n>(notes: impl IntoIterator<Item = &'n RevisionNote>) -> String {
    let mut text = String::new();
    for note in notes {
        let json = serde_json::to_string(note).expect("plain data");
        text += &checksum(json.as_bytes());
        text += " ";
        text += &json;
        text += "\n";
    }
    text
}

/// Replaces the log by one that has only `notes`.
pub(super) fn write<'n>(
    path: &Path,
    notes: impl IntoIterator<Item = &'n RevisionNote>,
) -> Result<(), FileError> {
    let header = format!("{MAGIC}{MEMORY_FORMAT}\n");
    store::replace(path, &[header.as_bytes(), records(notes).as_bytes()])
}

/// Appends records of `notes` behind the complete records of `logged`, and returns the new length of the log. When this fails,
/// none of the notes is recorded.
pub(super) fn append(path: &Path, logged: &LoggedNotes, notes: &[RevisionNote]) -> Result<u64, MemoryError> {
    let sound_len = logged.sound_len;
    let text = if logged.lacks_break { "\n" } else { "" }.to_string() + &records(notes);
    let len = sound_len + text.len() as u64;
    check_len(len, path)?;
    let mut file = Private::Change.open(path).at("open", path)?;
    let appended = append_to(&mut file, path, sound_len, &text);
    if appended.is_err() {
        // If this fails as well, what is left is the beginning of a record, or records that nobody was told of.
        let _ = file.set_len(sound_len);
    }
    Ok(appended.map(|()| len)?)
}

fn append_to(file: &mut File, path: &Path, sound_len: u64, text: &str) -> Result<(), FileError> {
    store::step(StoreStep::Write(path)).at("write", path)?;
    if file.metadata().at("read", path)?.len() > sound_len {
        file.set_len(sound_len).at("write", path)?;
    }
    file.seek(SeekFrom::Start(sound_len)).at("write", path)?;
    file.write_all(text.as_bytes()).at("write", path)?;
    store::sync_file(file, path).at("sync", path)
}
