//! Every mention of the names that a question to the code graph is about, so that no answer hides one.
//!
//! The words of the index choose the files and the matcher of the exact search finds the mentions, which are therefore those
//! of `rg -w`. The graph judges each one. What a question may read is bounded: mentions in further files are counted
//! without being judged, and still further files only as files.

use std::collections::BTreeMap;

use memchr::memmem::Finder;
use rustc_hash::{FxHashMap, FxHashSet};

use super::api::*;
use super::graph::GraphAnswer;
use super::open_index::Viewed;
use crate::error::Error;
use spyhop_base::path::RelPath;
use spyhop_base::text::Span;
use spyhop_graph::{Definition, Mention, NotJudged, REMOVED_FILE, WantedSymbols};
use spyhop_grep::{Bounds, NarrowPlan, Pattern, Wanted};
use spyhop_search::CurrentFile;
use spyhop_search::filter::{Filter, FilterSpec};

/// The files nearest to the definitions whose mentions are judged, however many rows are shown.
const JUDGED: usize = 300;

/// The further files whose mentions are counted.
const COUNTED: usize = 200;

/// The most bytes of files that are read for mentions alone.
const MAX_BYTES: u64 = 32 << 20;

/// The most names whose mentions are counted.
pub(super) const MAX_NAMES: usize = 12;

/// The most paths of files that were not read.
const MAX_PATHS: usize = 5;

/// The count of the mentions of some names.
struct MentionCount<'c, 'a, 'e> {
    asked: &'c GraphAnswer<'a, 'e>,
    found: Mentions,
    unread: BTreeMap<UnreadReason, UnreadMentions>,
    judged: Vec<JudgedMention>,
    /// How many files may still be judged and counted that no edge needed, and how many bytes read.
    judged_left: usize,
    counted_left: usize,
    bytes_left: u64,
    /// The places of uses that mean symbols of another tree.
    proven: FxHashSet<(u32, Span)>,
}

/// A name that is looked for.
struct SoughtName<'n> {
    name: &'n str,
    pattern: Pattern,
    symbols: WantedSymbols,
    /// Whether a change removed the symbols.
    are_removed: bool,
}

/// A mention of a symbol, with what its place among the rows depends on.
struct JudgedMention {
    mention: Mention,
    /// Whether a change removed the symbol.
    is_of_removed: bool,
}

impl GraphAnswer<'_, '_> {
    /// The mentions of the names of `definitions`, in the files that the filter takes: those of the first names, and those of names
    /// that the change removed before others. `shown` are the rows of the answer.
    pub(super) fn mentions(
        &self,
        definitions: &[Definition],
        request: &GraphRequest,
        filter: &Filter,
        shown: &[GraphRow],
    ) -> Result<Option<Mentions>, Error> {
        // Types come before their members, whose uses mostly name the type.
        let mut names: BTreeMap<(bool, bool, &str), Vec<Definition>> = BTreeMap::new();
        let mut there: FxHashMap<&str, Vec<Definition>> = FxHashMap::default();
        for own in definitions {
            let is_there = !self.removed.contains_key(&(own.file, own.place));
            names.entry((is_there, !own.kind.is_type_like(), &own.name)).or_default().push(own.clone());
            if is_there {
                there.entry(&own.name).or_default().push(own.clone());
            }
        }
        if names.is_empty() {
            return Ok(None);
        }
        let mut count = MentionCount::new(self);
        for ((is_there, _, name), definitions) in &names {
            let is_counted = count.found.names.iter().any(|own| own == name);
            if is_counted || count.found.names.len() >= MAX_NAMES {
                continue;
            }
            // A name that a moved file defines is counted as that of the new file.
            let moved = there.get(name).filter(|_| definitions.iter().all(|own| own.file == REMOVED_FILE));
            let definitions = moved.unwrap_or(definitions);
            let homes: Vec<u32> =
                definitions.iter().map(|own| own.file).filter(|file| *file != REMOVED_FILE).collect();
            let symbols = match homes.is_empty() {
                // What was in a removed file is elsewhere, seen from the tree.
                true => {
                    let of =
                        |own: &Definition| self.removed.get(&(own.file, own.place)).map(|row| row.language);
                    self.graph.symbols_elsewhere(definitions.iter().filter_map(of))
                }
                false => {
                    let there = definitions.iter().filter(|own| own.file != REMOVED_FILE);
                    self.graph.wanted_symbols(&there.cloned().collect::<Vec<_>>())
                }
            };
            count.proven = if homes.is_empty() { self.removed_uses.clone() } else { FxHashSet::default() };
            count.add_name(name, (symbols, !is_there, homes), filter)?;
        }
        count.finished(request, shown).map(Some)
    }

    /// The mentions of names of symbols of other trees. `proven` are the places of uses in this tree that mean one of them, and
    /// `shown` the rows of the answer.
    pub(super) fn mentions_elsewhere(
        &self,
        definitions: &[SymbolRow],
        proven: FxHashSet<(u32, Span)>,
        (request, filter): (&GraphRequest, &Filter),
        shown: &[GraphRow],
    ) -> Result<Mentions, Error> {
        let mut names: Vec<&str> = definitions.iter().map(|own| &*own.name).collect();
        names.sort_unstable();
        names.dedup();
        let mut count = MentionCount::new(self);
        count.proven = proven;
        for name in names {
            let languages = definitions.iter().filter(|own| own.name == name).map(|own| own.language);
            let symbols = self.graph.symbols_elsewhere(languages);
            count.add_name(name, (symbols, false, Vec::new()), filter)?;
        }
        count.finished(request, shown)
    }

    /// The mentions to list, as rows.
    fn mention_rows(
        &self,
        mut judged: Vec<JudgedMention>,
        request: &GraphRequest,
        shown: &[GraphRow],
    ) -> Result<Vec<MentionRow>, Error> {
        // Rows and listed mentions share the limit, unless every mention is asked for.
        let before = if request.all_mentions { 0 } else { shown.len() };
        let most = request.max_results.saturating_sub(before);
        let shown: FxHashSet<(&str, u32, u32)> =
            shown.iter().map(|row| (row.path.as_str(), row.line, row.column)).collect();
        // A caller who asks for more certain rows than the default gets no others.
        let least = if request.min_confidence > MIN_CONFIDENCE { request.min_confidence } else { 0.0 };
        // Where no edge is shown, the uses that only the text of a file has, as in a template, are listed.
        let is_alone = request.question == GraphQuestion::References
            && request.relation.is_none()
            && request.filter == FilterSpec::default()
            && shown.is_empty();
        let is_unshown = |own: &Mention| is_alone && own.part == MentionPart::Resolved;
        let is_listed =
            |own: &Mention| own.confidence >= least && (own.part == MentionPart::Possible || is_unshown(own));
        let lines: FxHashSet<(&str, u32)> = shown.iter().map(|(path, line, _)| (*path, *line)).collect();
        let of_impact = request.question == GraphQuestion::Impact;
        let is_test = |own: &Mention| self.graph.is_test(own.file, own.from.as_ref());
        let of_tests = request.question == GraphQuestion::Tests;
        judged.retain(|JudgedMention { mention, .. }| {
            request.all_mentions || is_listed(mention) && (!of_tests || is_test(mention))
        });
        let place = |own: &Mention| (self.snapshot.path(own.file), own.span.start);
        judged.sort_by(
            |JudgedMention { mention: a, is_of_removed },
             JudgedMention { mention: b, is_of_removed: other }| {
                let by_part = other.cmp(is_of_removed).then_with(|| a.part.cmp(&b.part));
                let by_worth = by_part.then_with(|| b.confidence.total_cmp(&a.confidence));
                by_worth.then_with(|| a.relation.cmp(&b.relation)).then_with(|| place(a).cmp(&place(b)))
            },
        );
        let mut rows = Vec::new();
        for JudgedMention { mention: mut own, .. } in judged {
            let (line, column) = self.place_of(own.file, own.span);
            if rows.len() >= most {
                break;
            }
            let path = self.snapshot.path(own.file);
            // A dependent is one row, whatever its line names.
            let is_shown =
                shown.contains(&(path, line, column)) || of_impact && lines.contains(&(path, line));
            if !request.all_mentions && is_shown {
                continue;
            }
            if of_tests {
                own.from = self.graph.test_around(own.file, own.span, own.from.as_ref());
            }
            rows.push(MentionRow {
                part: own.part,
                reason: own.reason,
                relation: own.relation,
                source: None,
                path: RelPath::new(self.snapshot.path(own.file))?,
                line,
                column,
                text: self.text_of(own.file, line),
                from: own.from.as_ref().map(|from| self.symbol_row(from)).transpose()?,
                to: own.to.as_ref().map(|to| self.symbol_row(to)).transpose()?,
                confidence: own.confidence,
            });
        }
        Ok(rows)
    }
}

impl<'c, 'a, 'e> MentionCount<'c, 'a, 'e> {
    fn new(asked: &'c GraphAnswer<'a, 'e>) -> MentionCount<'c, 'a, 'e> {
        MentionCount {
            asked,
            found: Mentions::default(),
            unread: BTreeMap::new(),
            judged: Vec::new(),
            judged_left: JUDGED,
            counted_left: COUNTED,
            bytes_left: MAX_BYTES,
            proven: FxHashSet::default(),
        }
    }

    fn finished(self, request: &GraphRequest, shown: &[GraphRow]) -> Result<Mentions, Error> {
        let MentionCount { asked, mut found, unread, judged, .. } = self;
        found.unread = unread.into_values().collect();
        found.rows = asked.mention_rows(judged, request, shown)?;
        Ok(found)
    }

    /// Adds the mentions of the name of symbols, which are defined in the files `homes` and may have been removed.
    fn add_name(
        &mut self,
        name: &str,
        (symbols, are_removed, homes): (WantedSymbols, bool, Vec<u32>),
        filter: &Filter,
    ) -> Result<(), Error> {
        let wanted = Wanted { fixed: true, bounds: Bounds::Word, ..Wanted::new(name) };
        let plan = NarrowPlan::word(name).unwrap_or_else(|| NarrowPlan::new(&wanted));
        let (asked, snapshot) = (self.asked, self.asked.snapshot);
        let mut files: Vec<u32> = match Viewed::from_snapshot(snapshot).narrowed(&plan)? {
            Some(versions) => versions.into_iter().filter_map(|version| snapshot.file_of(version)).collect(),
            None => (0..snapshot.n_files() as u32).collect(),
        };
        files.retain(|file| filter.takes_file(snapshot.path(*file), snapshot.version(*file).language()));
        asked.graph.sort_by_nearness(&mut files, &homes);
        let sought = SoughtName { name, pattern: Pattern::new(&wanted)?, symbols, are_removed };
        self.found.names.push(name.to_string());
        for file in files {
            self.add_file(file, &sought)?;
        }
        Ok(())
    }

    fn add_file(&mut self, file: u32, sought: &SoughtName<'_>) -> Result<(), Error> {
        let (graph, version) = (&self.asked.graph, self.asked.snapshot.version(file));
        let is_known = graph.knows_facts(file);
        if !is_known {
            let left = self.bytes_left.checked_sub(version.bytes()).filter(|_| self.counted_left > 0);
            let Some(left) = left else { return self.not_judged(file, UnreadReason::Budget, None) };
            self.bytes_left = left;
        }
        if version.content().is_path_only() {
            self.counted_left -= 1;
            return match self.asked.sources.current(file, &Finder::new(sought.name)) {
                CurrentFile::Without => Ok(()),
                CurrentFile::Changed => self.not_judged(file, UnreadReason::Changed, None),
                CurrentFile::Text(text) => match sought.pattern.matches_in(&text).len() {
                    0 => Ok(()),
                    mentions => self.not_judged(file, UnreadReason::PathOnly, Some(mentions)),
                },
            };
        }
        let Some(text) = self.asked.sources.source(file) else {
            return self.not_judged(file, UnreadReason::Changed, None);
        };
        let spans = sought.pattern.matches_in(&text);
        if spans.is_empty() {
            return Ok(());
        }
        let may_judge = is_known || self.judged_left > 0;
        match may_judge {
            true => self.judged_left = self.judged_left.saturating_sub(1),
            false => self.counted_left -= 1,
        }
        let judged = match may_judge {
            true => graph.judge_mentions(file, &spans, &sought.symbols)?,
            false => Err(NotJudged::Budget),
        };
        match judged {
            Ok(mentions) => {
                self.add_mentions(mentions, sought.are_removed);
                Ok(())
            }
            Err(why) => {
                let reason = match why {
                    NotJudged::TooLarge => UnreadReason::TooLarge,
                    NotJudged::Changed => UnreadReason::Changed,
                    NotJudged::Budget => UnreadReason::Budget,
                };
                self.not_judged(file, reason, Some(spans.len()))
            }
        }
    }

    fn add_mentions(&mut self, mut mentions: Vec<Mention>, are_of_removed: bool) {
        for mention in mentions.iter_mut().filter(|own| self.proven.contains(&(own.file, own.span))) {
            (mention.part, mention.reason) = (MentionPart::Resolved, None);
        }
        let found = &mut self.found;
        found.total += mentions.len();
        for mention in &mentions {
            *match mention.part {
                MentionPart::Definition => &mut found.definitions,
                MentionPart::Resolved => &mut found.resolved,
                MentionPart::Possible => &mut found.possible,
                MentionPart::Other => &mut found.other,
                MentionPart::Text => &mut found.comments_and_strings,
            } += 1;
        }
        let judged = |mention| JudgedMention { mention, is_of_removed: are_of_removed };
        self.judged.extend(mentions.into_iter().map(judged));
    }

    /// Notes a file whose mentions were not judged; `mentions` is their number, if they were counted.
    fn not_judged(&mut self, file: u32, reason: UnreadReason, mentions: Option<usize>) -> Result<(), Error> {
        let row = self.unread.entry(reason).or_insert_with(|| UnreadMentions {
            source: None,
            reason,
            files: 0,
            mentions: 0,
            paths: Vec::new(),
        });
        row.files += 1;
        if row.paths.len() < MAX_PATHS {
            row.paths.push(RelPath::new(self.asked.snapshot.path(file))?);
        }
        match mentions {
            Some(mentions) => {
                row.mentions += mentions;
                self.found.not_read += mentions;
                self.found.total += mentions;
            }
            None => self.found.uncounted_files += 1,
        }
        Ok(())
    }
}
