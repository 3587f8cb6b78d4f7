//! The metadata reader on records that somebody made up. The input is a record file; its envelope is sealed anew, and
//! the checks inside count for nothing under `cfg(fuzzing)`, because who makes a record up can compute them as well.

#![no_main]

use std::path::PathBuf;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use spyhop_base::id::Generation;
use spyhop_index::meta::{Commit, Meta, RecordRef};
use spyhop_base::store::{ENVELOPE_LEN, Envelope, FORMAT_VERSION};

static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| tempfile::tempdir().unwrap().keep());

/// The bytes as a record with a sound envelope.
fn sealed(data: &[u8]) -> Option<Vec<u8>> {
    let table_len = u64::from_le_bytes(data.get(16..24)?.try_into().ok()?) as usize;
    let rest = data.get(ENVELOPE_LEN..)?;
    let (table, heap) = rest.split_at_checked(table_len).unwrap_or((rest, &[]));
    let mut record = Envelope::header(1, table, heap.len() as u64).to_vec();
    record.extend_from_slice(table);
    record.extend_from_slice(heap);
    Some(record)
}

fuzz_target!(|data: &[u8]| {
    let Some(record) = sealed(data) else { return };
    let name = "g000000001.base".to_string();
    std::fs::write(FOLDER.join(&name), &record).unwrap();
    let checksum = Envelope::checksum_of(&record);
    let commit = Commit {
        format: FORMAT_VERSION,
        generation: Generation(1),
        fingerprint: String::new(),
        next_version: 1000,
        records: vec![RecordRef { name, len: record.len() as u64, checksum }],
        sources: None,
    };
    let Ok(meta) = Meta::open(&FOLDER, commit) else { return };
    meta.verify();
    for id in meta.version_ids() {
        let Some(version) = meta.version(id) else { continue };
        let _ = (version.path(), version.content(), version.language(), version.notes().count(), version.lengths());
        if let Ok(mut names) = version.symbol_names() {
            while names.advance().is_some() {}
        }
        if let Ok(outline) = version.outline(&mut Vec::new()) {
            outline.symbols.iter().enumerate().for_each(|(place, _)| _ = outline.depth(place));
        }
    }
    for (key, _) in meta.views() {
        let Ok(Some(view)) = meta.view(key) else { continue };
        view.entries().count();
        view.unproven();
        meta.view_versions(key).unwrap();
    }
});
