//! How the structure of files is known: counts for the state of an index, and answers that say that the tree does not define
//! a name.

use memchr::memmem::Finder;

use super::api::StructureCounts;
use super::core::Engine;
use super::open_index::Viewed;
use super::source::ReplySources;
use crate::error::Error;
use spyhop_base::id::LanguageId;
use spyhop_base::model::Note;
use spyhop_base::text::LineIndex;
use spyhop_grep::{Bounds, NarrowPlan, Pattern, Wanted};
use spyhop_index::meta::Version;
use spyhop_search::{CurrentFile, SearchSnapshot, query};

/// The most files that are read for mentions of an unknown name, and the most bytes.
const MAX_FILES: usize = 200;
const MAX_BYTES: u64 = 64 << 20;

/// The most places that a sentence names.
const MAX_PLACES: usize = 5;

/// The size from which a file is known by its path only, unless a setting raises the limit.
const LARGE: u64 = 1 << 20;

/// How the structure of a file is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FileStructure {
    /// By a parser.
    Parsed,
    /// By patterns of lines.
    ByRule,
    /// Not at all, because nothing is known of the type of the file.
    UnknownType,
    /// At most by patterns of lines, which find no fields and variants, because the file is above the limit of sizes.
    TooLarge,
    /// Not at all, because the file was generated, or its parser gave up.
    Unread,
}

impl FileStructure {
    fn is_known(self) -> bool {
        matches!(self, FileStructure::Parsed | FileStructure::ByRule)
    }
}

fn none_defines(typed: &str) -> String {
    format!("the tree defines no '{typed}'")
}

/// The number of files of a snapshot whose structure is known in each way.
pub(super) fn counts(snapshot: &SearchSnapshot) -> StructureCounts {
    let mut counts = StructureCounts::default();
    for version in (0..snapshot.n_files() as u32).map(|file| snapshot.version(file)) {
        let is_by_rule = version.notes().any(|note| note == Note::ByRule);
        *match structure_of(version) {
            FileStructure::Parsed => &mut counts.parsed,
            _ if is_by_rule => &mut counts.by_rule,
            _ if version.content().is_path_only() => &mut counts.path_only,
            _ => &mut counts.text_only,
        } += 1;
    }
    counts
}

fn structure_of(version: Version<'_>) -> FileStructure {
    let is_unread = |note: Note| {
        matches!(
            note,
            Note::PathOnly | Note::TextOnly | Note::TooDeep | Note::ParseBudget | Note::Quarantined
        )
    };
    match () {
        () if version.content().is_path_only() && version.bytes() > LARGE => FileStructure::TooLarge,
        () if version.notes().any(is_unread) => FileStructure::Unread,
        () if version.language() == LanguageId::TEXT => FileStructure::UnknownType,
        () if version.notes().any(|note| note == Note::ByRule) => FileStructure::ByRule,
        () => FileStructure::Parsed,
    }
}

/// As [`undefined_in`], if files whose structure is not known mention the name.
pub(super) fn mentioned_in(
    engine: &Engine,
    snapshot: &SearchSnapshot,
    typed: &str,
) -> Result<Option<String>, Error> {
    let text = undefined_in(engine, snapshot, typed)?;
    Ok((text != none_defines(typed)).then_some(text))
}

/// As [`undefined`], for a name that a reply of a tree alone lacks.
pub(super) fn undefined_in(engine: &Engine, snapshot: &SearchSnapshot, typed: &str) -> Result<String, Error> {
    let source_tree = engine.tree().source_of(Viewed::from_snapshot(snapshot))?;
    let name = query::split_container(typed).1;
    undefined(snapshot, &ReplySources::new(source_tree, snapshot), (typed, name))
}

/// The beginning of an error about a name that no file of known structure defines. `typed` is the name as typed, with its
/// container. The tree defines no such name if no other file mentions the name.
pub(super) fn undefined(
    snapshot: &SearchSnapshot,
    sources: &ReplySources<'_>,
    (typed, name): (&str, &str),
) -> Result<String, Error> {
    let wanted = Wanted { fixed: true, bounds: Bounds::Word, ..Wanted::new(name) };
    let plan = NarrowPlan::word(name).unwrap_or_else(|| NarrowPlan::new(&wanted));
    let pattern = Pattern::new(&wanted)?;
    let narrowed = Viewed::from_snapshot(snapshot).narrowed(&plan)?;
    let files: Vec<u32> = match narrowed {
        Some(versions) => versions.into_iter().filter_map(|version| snapshot.file_of(version)).collect(),
        None => (0..snapshot.n_files() as u32).collect(),
    };
    let (mut counts, mut places, mut unread, mut left) = ([0usize; 3], Vec::new(), 0, MAX_BYTES);
    let is_known = |file: &u32| structure_of(snapshot.version(*file)).is_known();
    let others = files.into_iter().filter(|file| !is_known(file));
    for (at, file) in others.enumerate() {
        let version = snapshot.version(file);
        let Some(rest) = left.checked_sub(version.bytes()).filter(|_| at < MAX_FILES) else {
            unread += 1;
            continue;
        };
        left = rest;
        let CurrentFile::Text(text) = sources.read(file, Some(&Finder::new(name)), false) else { continue };
        let spans = pattern.matches_in(&text);
        let Some(first) = spans.first() else { continue };
        counts[match structure_of(version) {
            FileStructure::TooLarge => 0,
            FileStructure::UnknownType => 1,
            _ => 2,
        }] += 1;
        places.push(format!("{}:{}", version.path(), LineIndex::new(&text).line_of(first.start)));
    }
    if places.is_empty() && unread == 0 {
        return Ok(none_defines(typed));
    }
    let known = (0..snapshot.n_files() as u32).filter(is_known).count();
    let sorts = ["above 1 MiB", "of unknown type", "that could not be parsed"];
    let told = counts.iter().zip(sorts).filter(|(count, _)| **count > 0);
    let mut told: Vec<String> = told.map(|(count, sort)| format!("{count} {sort}")).collect();
    if unread > 0 {
        told.push(format!("perhaps {unread} more"));
    }
    places.sort();
    places.truncate(MAX_PLACES);
    Ok(format!(
        "'{typed}' is not defined among {known} files with known structure; other files mention the name, {}: {}",
        told.join(", "),
        places.join(", ")
    ))
}
