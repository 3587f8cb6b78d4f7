//! Replies as bytes, as they travel from a searcher to a front.
//!
//! The JSON of a reply is for callers and cannot be read back. So each type lists its fields here; a field that is missing in
//! the list does not compile. What only the front knows (sources, sessions), and folders of a machine, does not travel.

use std::path::PathBuf;
use std::sync::{Mutex, OnceLock};
use std::time::SystemTime;

use rustc_hash::FxHashSet;

use super::matched::{MatchedFiles, MatchedFilesRequest, OrderedLinesRequest};
use crate::api::*;
use crate::error::{Error, ErrorKind};
use crate::graph_outside::ElsewhereRequest;
use crate::lock::lock;
use crate::pack::PackOfSource;
use crate::symbols::SymbolsInShard;
use crate::why_not::OutsideHead;
use spyhop_base::id::{ContentHash, Generation};
use spyhop_base::model::{Note, SkipReason, Skipped, SymbolKind};
use spyhop_base::path::RelPath;
use spyhop_base::text::{Lines, Span};
use spyhop_context::memory;
use spyhop_search::profile::Signal;
use spyhop_search::snippet::Snippet;

/// A value that travels as bytes.
pub(crate) trait Portable: Sized {
    /// Appends the value.
    fn pack(&self, out: &mut Vec<u8>);

    /// Takes a value from the beginning of `bytes`; `None` if there is none.
    fn unpack(bytes: &mut &[u8]) -> Option<Self>;

    /// The bytes of the value.
    fn packed(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.pack(&mut out);
        out
    }

    /// The value that all the bytes are.
    fn unpacked(mut bytes: &[u8]) -> Option<Self> {
        Self::unpack(&mut bytes).filter(|_| bytes.is_empty())
    }
}

/// Types that travel as postcard writes them.
macro_rules! packed_by_postcard {
    ($($type:ty),+ $(,)?) => {
        $(impl Portable for $type {
            fn pack(&self, out: &mut Vec<u8>) {
                // A vector takes any number of bytes, and the types have no maps of unknown length.
                out.extend(postcard::to_allocvec(self).unwrap_or_default());
            }

            fn unpack(bytes: &mut &[u8]) -> Option<Self> {
                let (value, rest) = postcard::take_from_bytes(bytes).ok()?;
                *bytes = rest;
                Some(value)
            }
        })+
    };
}

/// Structures whose listed fields travel one after the other. Fields behind `without` have a fixed value at the front.
macro_rules! packed_fields {
    ($($type:ident { $($field:ident),+ $(,)? } $(without { $($fixed:ident: $value:expr),+ $(,)? })?;)+) => {
        $(impl Portable for $type {
            fn pack(&self, out: &mut Vec<u8>) {
                let $type { $($field),+, $($($fixed: _),+)? } = self;
                $($field.pack(out);)+
            }

            fn unpack(bytes: &mut &[u8]) -> Option<Self> {
                Some($type { $($field: Portable::unpack(bytes)?,)+ $($($fixed: $value),+)? })
            }
        })+
    };
}

/// Enumerations of values, each with the number that comes first.
macro_rules! packed_variants {
    ($($type:ident { $($number:literal $variant:ident),+ $(,)? };)+) => {
        $(impl Portable for $type {
            fn pack(&self, out: &mut Vec<u8>) {
                match self {
                    $($type::$variant(value) => {
                        out.push($number);
                        value.pack(out);
                    })+
                }
            }

            fn unpack(bytes: &mut &[u8]) -> Option<Self> {
                Some(match u8::unpack(bytes)? {
                    $($number => $type::$variant(Portable::unpack(bytes)?),)+
                    _ => return None,
                })
            }
        })+
    };
}

/// Structures of one field without a name.
macro_rules! packed_tuples {
    ($($type:ident),+ $(,)?) => {
        $(impl Portable for $type {
            fn pack(&self, out: &mut Vec<u8>) {
                self.0.pack(out);
            }

            fn unpack(bytes: &mut &[u8]) -> Option<Self> {
                Portable::unpack(bytes).map($type)
            }
        })+
    };
}

/// Enumerations without values, by the names of their variants.
macro_rules! packed_names {
    ($($type:ident { $($variant:ident),+ $(,)? };)+) => {
        $(impl Portable for $type {
            fn pack(&self, out: &mut Vec<u8>) {
                match self {
                    $($type::$variant => stringify!($variant).to_string().pack(out),)+
                }
            }

            fn unpack(bytes: &mut &[u8]) -> Option<Self> {
                Some(match &*String::unpack(bytes)? {
                    $(stringify!($variant) => $type::$variant,)+
                    _ => return None,
                })
            }
        })+
    };
}

pub(super) use packed_variants;

packed_by_postcard! {
    bool, u8, u32, u64, usize, f32, String, SystemTime, RelPath, Lines, Span, SymbolKind, Generation, ContentHash, Signal,
    Band, Snippet, SourceLine, ContextLine, LineRange, FileMatch, EntryKind, Relation, EdgeRule, PlaceMeaning, MentionPart,
    MentionReason, UnreadReason, GraphQuestion, FileGraphQuestion, Building, ErrorKind, FilesRequest, MapRequest,
    ReadRequest, GraphRequest, EntriesRequest, FileGraphRequest, GrepRequest, SymbolsRequest, PackRequest, PackMode,
    Mode, SkippedRequest, Skipped, SkipReason, Note, StatusRequest, ListNotesRequest, SearchNotesRequest,
    WhyNotRequest,
}

packed_fields! {
    Snapshot { branch, commit, generation, checked_at, indexed_files, skipped_files, stale_files, building }
        without { root: PathBuf::new() };
    Hit {
        path, also_in, lines, kind, symbol, language, page, snippet, representative_line, content, score, band, reasons,
        stale, query_index,
    } without { source: None, sent_before: None, callers: None };
    Reason { signal, contribution, text };
    GrepReply { pattern, lines, total_lines, total_files, incomplete, next, snapshot, warnings, file_ranks }
        without { sources: Vec::new() };
    GrepLine { path, line, column, text, highlights, enclosing, cut, before, after } without { source: None };
    Enclosing { kind, name, lines };
    FilesReply { pattern, files, total, left_out, next, offset, snapshot, complete, warnings }
        without { sources: Vec::new() };
    FileRow { path, language, lines, bytes, matched, highlights } without { source: None };
    SymbolRow { path, lines, kind, name, container, language, by_rule, highlights } without { source: None };
    MapReply { path, files, lines, symbols, languages, entries, all_rows_listed, snapshot, warnings }
        without { sources: Vec::new() };
    MapEntry { path, is_dir, depth, files, lines, languages, symbols, total_symbols } without { source: None };
    MapSymbol { name, kind, path, lines, depth };
    ReadText { path, language, first, text, cut, total_lines, symbol, next, snapshot, warnings } without { source: None };
    SymbolChoices { symbol, choices, snapshot, warnings };
    GraphReply {
        question, target, definitions, place, code, rows, total, further_files, paths, tests, entries, mentions, notes,
        incomplete, snapshot, warnings,
    } without { sources: Vec::new() };
    GraphPlace { name, meaning, candidates };
    DefinitionCode { definition, lines, text };
    AffectedTest { path, confidence, reason } without { source: None };
    GraphRow {
        relation, is_outgoing, depth, path, line, column, text, from, to, confidence, rule, is_test, is_value,
        is_possible,
    } without { source: None };
    Mentions {
        names, total, definitions, resolved, possible, other, comments_and_strings, not_read, uncounted_files, unread,
        rows,
    };
    UnreadMentions { reason, files, mentions, paths } without { source: None };
    MentionRow { part, reason, relation, path, line, column, text, from, to, confidence } without { source: None };
    EntriesReply { kind, pattern, rows, total, incomplete, snapshot, warnings } without { sources: Vec::new() };
    EntryRow {
        kind, framework, method, name, path, line, column, handler, definition, handler_path, confidence, depth, is_test,
    } without { source: None };
    FileGraphReply { question, files, edges, cycles, total, incomplete, snapshot, warnings }
        without { sources: Vec::new() };
    FileNode { path, language, imports, importers, is_test } without { source: None };
    ElsewhereRequest { request, definitions, shown };
    SourcePackage { ecosystem, name };
    SymbolsReply { pattern, symbols, total, are_similar, next, offset, snapshot, complete, warnings }
        without { sources: Vec::new() };
    SymbolsInShard { request, kinds, near };
    OrderedLinesRequest { request, files, after };
    OutsideHead { request, n_head };
    WhyNot { path, verdict, rank, hit, missing, text, nearest, structure }
        without { source: None, root: PathBuf::new() };
    Gap { signal, own, tenth };
    PackOfSource { request, source };
    PackReply {
        goals, files, notes, left_out, left_out_counts, tokens, budget, mode, record, next, snapshot, warnings,
    } without { sources: Vec::new() };
    PackGoal { text, verb, object, qualifiers, region };
    PackFile { path, language, content, score, reason, is_backup, imports, units } without { source: None };
    PackUnit {
        lines, kind, symbol, enclosing, text, part_of, score, goals, reason, reasons, traces,
    };
    PackLine { line, text };
    PackTrace { relation, is_outgoing, symbol, path, line, confidence };
    LeftOutPlace { path, lines, symbol, score, reason } without { source: None, sent_before: None };
    PackDiagnostics {
        pack_mode, mode_reason, places_per_search, regions, pairs, backup, candidates, edges,
    };
    PackRegion { goals, mass, files };
    PackPair { first, second, nearness, reason, is_merged };
    PackBackup { path, is_kept, trace, neighbor };
    SkippedReply { entries, counts, warnings };
    SkippedRow { skipped } without { source: None };
    NotesReply { notes, total, warnings };
    NoteRow { note, links, score, reasons, warnings } without { source: None };
    LinkRow { path, symbol, state, renamed_to };
    NoteReason { signal, contribution, text };
    SourceStatuses { sources };
    NamedStatus { name, status } without { provenance: None };
    Status {
        state, detail, branch, commit, generation, files, chunks, symbols, source_bytes, index_bytes, languages, skipped,
        notes, structure, grammar_faults, stale_files, building, watcher, vectors,
    } without { index_path: PathBuf::new(), root: PathBuf::new(), recipe: IndexRecipe::default(), views: Vec::new() };
    StructureCounts { parsed, by_rule, text_only, path_only };
}

packed_tuples! { MatchedFilesRequest, MatchedFiles }

packed_names! {
    LeftOutReason { Budget, Files, Threshold, Duplicate, OtherRegion, Sent, Unreadable };
    LinkState { Current, Changed, Gone };
    State { Missing, Indexing, Ready, Stale, Damaged };
}

packed_variants! {
    GraphEnd { 0 Symbol, 1 Removed, 2 File, 3 Outside };
    ReadReply { 0 Text, 1 Choices };
    StatusReply { 0 Tree, 1 Sources };
}

impl<T: Portable> Portable for Option<T> {
    fn pack(&self, out: &mut Vec<u8>) {
        out.push(u8::from(self.is_some()));
        self.iter().for_each(|value| value.pack(out));
    }

    fn unpack(bytes: &mut &[u8]) -> Option<Self> {
        Some(if bool::unpack(bytes)? { Some(T::unpack(bytes)?) } else { None })
    }
}

impl<T: Portable> Portable for Vec<T> {
    fn pack(&self, out: &mut Vec<u8>) {
        self.len().pack(out);
        self.iter().for_each(|value| value.pack(out));
    }

    fn unpack(bytes: &mut &[u8]) -> Option<Self> {
        // A wrong length ends at the first value that is not there.
        (0..usize::unpack(bytes)?).map(|_| T::unpack(bytes)).collect()
    }
}

impl<T: Portable> Portable for Box<T> {
    fn pack(&self, out: &mut Vec<u8>) {
        (**self).pack(out);
    }

    fn unpack(bytes: &mut &[u8]) -> Option<Self> {
        T::unpack(bytes).map(Box::new)
    }
}

impl<A: Portable, B: Portable> Portable for (A, B) {
    fn pack(&self, out: &mut Vec<u8>) {
        self.0.pack(out);
        self.1.pack(out);
    }

    fn unpack(bytes: &mut &[u8]) -> Option<Self> {
        Some((A::unpack(bytes)?, B::unpack(bytes)?))
    }
}

impl<T: Portable, E: Portable> Portable for Result<T, E> {
    fn pack(&self, out: &mut Vec<u8>) {
        self.as_ref().ok().map(Portable::packed).pack(out);
        self.as_ref().err().map(Portable::packed).pack(out);
    }

    fn unpack(bytes: &mut &[u8]) -> Option<Self> {
        let (value, error): (Option<Vec<u8>>, Option<Vec<u8>>) = Portable::unpack(bytes)?;
        match (value, error) {
            (Some(value), _) => T::unpacked(&value).map(Ok),
            (None, error) => E::unpacked(&error?).map(Err),
        }
    }
}

/// The names of languages and frameworks.
impl Portable for &'static str {
    fn pack(&self, out: &mut Vec<u8>) {
        self.to_string().pack(out);
    }

    fn unpack(bytes: &mut &[u8]) -> Option<Self> {
        known_name(String::unpack(bytes)?)
    }
}

/// The most names of languages and frameworks, and the longest one: names stay in memory.
const MAX_NAMES: usize = 4_096;
const MAX_NAME_BYTES: usize = 64;

fn known_name(name: String) -> Option<&'static str> {
    static NAMES: OnceLock<Mutex<FxHashSet<&'static str>>> = OnceLock::new();
    let mut names = lock(NAMES.get_or_init(Mutex::default));
    if let Some(known) = names.get(&*name) {
        return Some(known);
    }
    if names.len() >= MAX_NAMES || name.len() > MAX_NAME_BYTES {
        return None;
    }
    let name: &'static str = name.leak();
    names.insert(name);
    Some(name)
}

impl Portable for SourceName {
    fn pack(&self, out: &mut Vec<u8>) {
        self.as_str().to_string().pack(out);
    }

    fn unpack(bytes: &mut &[u8]) -> Option<Self> {
        String::unpack(bytes).map(|name| SourceName::new(&name))
    }
}

impl Portable for Verdict {
    fn pack(&self, out: &mut Vec<u8>) {
        let (number, why, skipped) = match self {
            Verdict::NoSuchFile => (0u8, None, None),
            Verdict::Skipped(row) => (1, None, Some(row.clone())),
            Verdict::PartlyIndexed(row) => (2, None, Some(row.clone())),
            Verdict::NotIndexed => (3, None, None),
            Verdict::Filtered(why) => (4, Some(why.clone()), None),
            Verdict::NoTerm => (5, None, None),
            Verdict::NotRescored => (6, None, None),
            Verdict::Ranked => (7, None, None),
        };
        (number, (why, skipped)).pack(out);
    }

    fn unpack(bytes: &mut &[u8]) -> Option<Self> {
        let (number, (why, skipped)): (u8, (Option<String>, Option<Skipped>)) = Portable::unpack(bytes)?;
        Some(match number {
            0 => Verdict::NoSuchFile,
            1 => Verdict::Skipped(skipped?),
            2 => Verdict::PartlyIndexed(skipped?),
            3 => Verdict::NotIndexed,
            4 => Verdict::Filtered(why?),
            5 => Verdict::NoTerm,
            6 => Verdict::NotRescored,
            7 => Verdict::Ranked,
            _ => return None,
        })
    }
}

/// A note travels as a line of the log of notes.
impl Portable for RevisionNote {
    fn pack(&self, out: &mut Vec<u8>) {
        memory::to_lines([self]).pack(out);
    }

    fn unpack(bytes: &mut &[u8]) -> Option<Self> {
        memory::from_lines(&String::unpack(bytes)?).0.pop()
    }
}

impl Portable for FileEdge {
    fn pack(&self, out: &mut Vec<u8>) {
        (self.from, (self.to, self.line)).pack(out);
    }

    fn unpack(bytes: &mut &[u8]) -> Option<Self> {
        let (from, (to, line)) = Portable::unpack(bytes)?;
        Some(FileEdge::new(from, to, line))
    }
}

impl Portable for Incomplete {
    fn pack(&self, out: &mut Vec<u8>) {
        let place = IncompleteCause::ALL.iter().position(|own| *own == self.cause);
        (place.unwrap_or_default(), self.text.clone()).pack(out);
    }

    fn unpack(bytes: &mut &[u8]) -> Option<Self> {
        let (place, text): (usize, String) = Portable::unpack(bytes)?;
        Some(IncompleteCause::ALL.get(place)?.with(text))
    }
}

/// An error travels with the remedies that name no index of a machine.
impl Portable for Error {
    fn pack(&self, out: &mut Vec<u8>) {
        let (mut name, mut paths) = (None, None);
        match self.remedy() {
            Some(Remedy::SearchLines { name: own, .. }) => name = Some(own.clone()),
            Some(Remedy::ChoosePath(own)) => paths = Some(own.clone()),
            _ => {}
        }
        ((self.kind(), self.to_string()), (name, paths)).pack(out);
    }

    fn unpack(bytes: &mut &[u8]) -> Option<Self> {
        type Parts = ((ErrorKind, String), (Option<String>, Option<Vec<String>>));
        let ((kind, text), (name, paths)): Parts = Portable::unpack(bytes)?;
        let error = Error::new(kind, text);
        Some(match (name, paths) {
            (Some(name), _) => error.with(Remedy::SearchLines { name, sources: Vec::new() }),
            (None, Some(paths)) => error.with(Remedy::ChoosePath(paths)),
            (None, None) => error,
        })
    }
}
