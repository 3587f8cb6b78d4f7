//! The checks of a note before it is recorded: limits, and masks over secrets.

use super::error::MemoryError;
use super::limits::{
    MAX_DIFF_BYTES, MAX_ITEMS, MAX_LINKS, MAX_SHORT_BYTES, MAX_SIGNAL_BYTES, MAX_TEXT_BYTES,
};
use super::note::RevisionNote;
use spyhop_base::limit;
use spyhop_grep::secrets;

/// Masks the secrets of a note and checks its limits. The masks are as long as the secrets, so the limits come first.
pub fn prepare(note: &mut RevisionNote) -> Result<(), MemoryError> {
    check(note).map_err(MemoryError::BadNote)?;
    for text in texts(note) {
        secrets::mask_text(text);
    }
    Ok(())
}

/// Every text of a note that may have a secret.
pub fn texts(note: &mut RevisionNote) -> impl Iterator<Item = &mut String> {
    let RevisionNote {
        text, signals, applies, links, commit, diff, verification, author, retired, time, ..
    } = note;
    let retired = retired.iter_mut().flat_map(|retired| [&mut retired.reason, &mut retired.time]);
    let lists = signals.iter_mut().chain(&mut applies.paths).chain(&mut applies.languages);
    let lists = lists.chain(&mut applies.conditions);
    let links = links.iter_mut().flat_map(|link| link.symbol.iter_mut().chain(&mut link.at));
    let short = [text, time].into_iter().chain(commit).chain(diff).chain(author);
    lists.chain(links).chain(short).chain(verification.reference_mut()).chain(retired)
}

fn check(note: &RevisionNote) -> Result<(), String> {
    if note.text.trim().is_empty() {
        return Err("the text of the note is empty; say what a later reader should know".to_string());
    }
    limit("text", &note.text, MAX_TEXT_BYTES)?;
    note.diff.iter().try_for_each(|diff| limit("diff", diff, MAX_DIFF_BYTES))?;
    let applies = &note.applies;
    let lists = [
        ("signals", &note.signals, MAX_SIGNAL_BYTES),
        ("applies_paths", &applies.paths, MAX_SHORT_BYTES),
        ("applies_languages", &applies.languages, MAX_SHORT_BYTES),
        ("conditions", &applies.conditions, MAX_SHORT_BYTES),
    ];
    for (name, list, most) in lists {
        limit::entries(name, list.len(), MAX_ITEMS).map_err(|error| error.to_string())?;
        list.iter().try_for_each(|text| limit(name, text, most))?;
    }
    if note.links.len() > MAX_LINKS {
        return Err(format!("the note has {} links; the limit is {MAX_LINKS}", note.links.len()));
    }
    for link in &note.links {
        limit("link", link.path.as_str(), 4 * MAX_SHORT_BYTES)?;
        link.symbol.iter().try_for_each(|name| limit("link", name, 2 * MAX_SHORT_BYTES))?;
        link.at.iter().try_for_each(|at| commit_id("at", at))?;
    }
    note.commit.iter().try_for_each(|commit| commit_id("commit", commit))?;
    let short = note.author.iter().chain([&note.time, &note.id]).chain(note.verification.reference());
    let retired = note.retired.iter().flat_map(|retired| [&retired.reason, &retired.time]);
    short.chain(retired).try_for_each(|text| limit("a short text", text, MAX_SHORT_BYTES))
}

/// Checks that a text is the whole id of a git commit.
fn commit_id(name: &str, id: &str) -> Result<(), String> {
    match [40, 64].contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        true => Ok(()),
        false => Err(format!("{name} is not the id of a git commit; give its 40 or 64 hexadecimal digits")),
    }
}

fn limit(name: &str, text: &str, most: usize) -> Result<(), String> {
    limit::bytes(name, text, most).map_err(|error| error.to_string())
}
