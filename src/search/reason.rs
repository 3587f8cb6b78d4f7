//! The reasons of a hit: a sentence for each contributing signal, written from the facts that the measure is based on.

use super::comments::terms_in_comments;
use super::context::Context;
use super::error::SearchError;
use super::hits::Ranked;
use super::measure::{MeasuredFile, Values};
use super::model::{self, RankedFile};
use super::named_outline::{OutlineNames, named_outline};
use super::places::{self, HostPlacePart, MeasuredPlace, Place};
use super::ranking::Ranking;
use super::related;
use super::role;
use super::similar;
use crate::profile::Signal;
use crate::query::Query;
use crate::session::{FileActivity, WeightedActivity};
use spyhop_base::path::RelPath;
use spyhop_index::meta::Outline;

/// The contribution of one signal to a score.
#[derive(Clone, Debug, PartialEq)]
pub struct Contribution {
    pub signal: Signal,
    /// The contribution of the signal to the sum, in log-odds.
    pub value: f32,
    pub amount: f32,
    pub text: String,
}

/// The contributions to a hit of a ranking: the largest first, the base last. The list is never empty, and their amounts
/// add up to the score of the hit. `text` is the current text of the file, which has the pairs of related words.
pub fn reasons(
    query: &Query,
    context: &Context<'_>,
    ranking: &Ranking,
    hit: &Ranked,
    text: Option<&str>,
) -> Result<Vec<Contribution>, SearchError> {
    let ranked = &ranking.files[hit.file];
    let host = HostOfPlace::new(query, context, ranked, (ranking.places_of(hit), hit.place));
    let mut parts = ranked.parts;
    // The lead of a place contains what the host adds to the place.
    let of_host: f32 = host.values.iter().map(|(value, _)| value).sum();
    parts[Signal::BestPlace as usize] -= of_host;
    parts[Signal::Own as usize] += of_host;
    parts[Signal::Sibling as usize] = hit.sibling;
    parts[Signal::Literal as usize] += hit.lift;
    let has_comments = ranked.measured.row.comment_mask != 0;
    let comments = match text.filter(|_| has_comments) {
        Some(text) => Some(terms_in_comments(query, context, (ranked.file, hit), text)?),
        None => None,
    };
    let mut reasons = contributions(query, context, (ranked, hit.place, comments), &parts, host)?;
    if let (Some(vector), Some(text)) = (&ranking.related, text)
        && let Some(reason) = reasons.iter_mut().find(|reason| reason.signal == Signal::Related)
        && let pairs = related::pairs(query, context, vector, ranked.file, text_of(hit, context, text)?)
        && !pairs.is_empty()
    {
        reason.text = format!("{}: {}", Signal::Related, pairs.join(", "));
    }
    let of_models = [
        (&ranking.similar, Signal::Similar),
        (&ranking.expanded, Signal::Expanded),
        (&ranking.reranked, Signal::Rerank),
    ];
    for (compared, signal) in of_models {
        let Some(compared) = compared else { continue };
        let Some(reason) = reasons.iter_mut().find(|reason| reason.signal == signal) else { continue };
        let (version, mut names) = (context.snapshot.version(ranked.file), Vec::new());
        let symbols = version.outline(&mut names)?.symbols;
        if let Some(sentence) = similar::sentence(compared, &symbols, context.snapshot, ranked.file) {
            reason.text = format!("{signal}: {sentence}");
        }
    }
    if hit.lift != 0.0 {
        let literal = reasons.iter_mut().filter(|reason| reason.signal == Signal::Literal);
        literal.for_each(|reason| reason.text.push_str(OF_FEW));
    }
    Ok(reasons)
}

/// The part of a text that a hit shows.
fn text_of<'t>(hit: &Ranked, context: &Context<'_>, text: &'t str) -> Result<&'t str, SearchError> {
    let span = match hit.place {
        Some(place) => place.span,
        None => context.snapshot.columns(hit.doc)?.span,
    };
    Ok(text.get(span.range()).unwrap_or_default())
}

/// The end of the literal reason of a hit that is moved to the first page, because few files contain the query as
/// written.
pub(crate) const OF_FEW: &str = "; moved to the first page";

fn contributions(
    query: &Query,
    context: &Context<'_>,
    (ranked, place, comments): (&RankedFile, Option<Place>, Option<u64>),
    parts: &Values,
    host: HostOfPlace,
) -> Result<Vec<Contribution>, SearchError> {
    let measured = &ranked.measured;
    let amounts = model::amounts(parts);
    let needs_outline = measured.facts.exact.is_some() || measured.facts.best.is_some();
    let version = context.snapshot.version(measured.file);
    let mut names = OutlineNames::default();
    let outline = match needs_outline {
        true => named_outline(version, query, &mut names)?,
        false => Outline::default(),
    };
    let writer = SentenceWriter { query, context, measured, place, comments, lead: host.lead, outline };
    let mut reasons: Vec<Contribution> = Signal::ALL
        .iter()
        .filter(|signal| !matches!(**signal, Signal::Base | Signal::Own) && parts[**signal as usize] != 0.0)
        .map(|signal| Contribution {
            signal: *signal,
            value: parts[*signal as usize],
            amount: amounts[*signal as usize],
            text: format!("{signal}: {}", writer.sentence(*signal)),
        })
        .collect();
    let slope = model::slope(parts);
    reasons.extend(
        ranked.host_parts.iter().zip(&measured.host_measures).filter(|(part, _)| **part != 0.0).map(
            |(part, measure)| {
                let value = part * ranked.factor;
                let text = format!("{}: {}", measure.name, measure.value.sentence);
                Contribution { signal: Signal::Own, value, amount: value * slope, text }
            },
        ),
    );
    let of_place = |(value, text): (f32, String)| Contribution {
        signal: Signal::Own,
        value,
        amount: value * slope,
        text,
    };
    reasons.extend(host.values.into_iter().map(of_place));
    reasons.sort_by(|a, b| b.amount.abs().total_cmp(&a.amount.abs()).then_with(|| a.signal.cmp(&b.signal)));
    reasons.push(Contribution {
        signal: Signal::Base,
        value: parts[Signal::Base as usize],
        amount: amounts[Signal::Base as usize],
        text: base(),
    });
    Ok(reasons)
}

/// The contributions of the host's signals to a hit through its place.
struct HostOfPlace {
    /// The contribution of each signal to the sum of the hit, in log-odds, and its sentence. Only the best place of a file
    /// has a part in the sum of the file, so a signal of another place contributes 0.
    values: Vec<(f32, String)>,
    /// The lead of the best place of the file, without these contributions.
    lead: f32,
}

impl HostOfPlace {
    fn new(
        query: &Query,
        context: &Context<'_>,
        ranked: &RankedFile,
        (places, shown): (&[MeasuredPlace], Option<Place>),
    ) -> HostOfPlace {
        let at = shown.map(|place| place.span.start);
        let found = places.iter().position(|measured| Some(measured.place.span.start) == at);
        let parts = found.map_or(&[][..], |found| &places[found].host_parts);
        let has_lead = found == Some(0) && ranked.parts[Signal::BestPlace as usize] != 0.0;
        let weight = if has_lead { places::best_place_weight(query, context.profile) } else { 0.0 };
        let value = |part: &HostPlacePart| {
            (weight * ranked.factor * part.weighed, format!("{}: {}", part.name, part.sentence))
        };
        let lead = ranked.measured.values[Signal::BestPlace as usize];
        let of_host: f32 = if has_lead { parts.iter().map(|part| part.weighed).sum() } else { 0.0 };
        HostOfPlace { values: parts.iter().map(value).collect(), lead: lead - of_host }
    }
}

pub fn base() -> String {
    "base: before any evidence".to_string()
}

/// The sentence for a file that contains the query as written.
pub fn literal(lines: u32) -> String {
    match lines {
        1 => "contains the query as written".to_string(),
        lines => format!("contains the query as written on {lines} lines"),
    }
}

struct SentenceWriter<'t> {
    query: &'t Query,
    context: &'t Context<'t>,
    measured: &'t MeasuredFile,
    /// The place that is shown. Sentences say so if a match is elsewhere in the file.
    place: Option<Place>,
    /// The terms of the query in the comments of the hit; `None` if the text is not at hand.
    comments: Option<u64>,
    /// The lead of the best place, without what the host adds to the place that is shown.
    lead: f32,
    outline: Outline<'t>,
}

impl SentenceWriter<'_> {
    fn sentence(&self, signal: Signal) -> String {
        let MeasuredFile { file, row, values, facts, .. } = self.measured;
        let version = self.context.snapshot.version(*file);
        let path = version.path();
        let rel = RelPath::new(path).expect("paths are checked before they are recorded");
        let percent = |value: f32| format!("{:.0} %", value * 100.0);
        let value = values[signal as usize];
        match signal {
            Signal::Base => "before any evidence".to_string(),
            Signal::Lexical => self.tokens(row.body_mask),
            Signal::Chunks => match row.chunks.iter().filter(|score| **score > 0.0).count() {
                1 => "one place matches".to_string(),
                n => format!("{n} places or more match"),
            },
            Signal::File => "its words as a whole match".to_string(),
            Signal::Coverage => format!("{} of the query's weight in the file", percent(value)),
            Signal::Symbol => format!("names that the file defines hold [{}]", self.words(row.symbol_mask)),
            Signal::Symbols => "the names that it defines match as a whole".to_string(),
            Signal::Definition => self.definition(),
            Signal::DefinedName => self.defined_name(),
            Signal::AdjacentWords => {
                "neighbours in the query are neighbours in a name of the file".to_string()
            }
            Signal::Path => {
                let component = path_component(path, &self.words(row.path_mask));
                format!("component '{component}' matches query")
            }
            Signal::PathRelated if row.path_mask != 0 => {
                let component = path_component(path, &self.words(row.path_mask));
                format!("'{component}' in the path matches query")
            }
            Signal::PathRelated => format!("{} of the query's weight is related to the path", percent(value)),
            Signal::Folder => format!("the query names {} of the folder's name", percent(value)),
            Signal::FileName => format!("the query names {} of '{}'", percent(value), rel.naming()),
            Signal::FileNameRelated => {
                format!("{} of '{}' is related to the query", percent(value), rel.naming())
            }
            Signal::NamedAsFolder => "named as its folder is".to_string(),
            Signal::Comment => self.comments(row.comment_mask),
            Signal::Mentions => self.mentions(),
            Signal::Reference => {
                let name = facts.exact.map_or("", |place| self.outline.symbols[place as usize].name);
                format!("'{name}' is used in {}", counted(facts.uses as usize, "place"))
            }
            Signal::Literal => match self.place {
                Some(place) if place.literal => literal(1),
                _ => format!("the file {}", literal(row.literal)),
            },
            Signal::Run => "words of the query follow each other in the file as in the query".to_string(),
            Signal::Related => "its words are related to those of the query".to_string(),
            Signal::Similar => "its text is similar to the query".to_string(),
            Signal::Expanded => "a model expands its text with words of the query".to_string(),
            Signal::Rerank => "its text answers the query, for a cross-encoder".to_string(),
            Signal::BestPlace if self.lead >= 0.0 => {
                "by its own lines its best place matches better than the mean of the first files".to_string()
            }
            Signal::BestPlace => {
                "by its own lines its best place matches less than the mean of the first files".to_string()
            }
            Signal::Frame => match facts.moved {
                Some([from, to]) => {
                    format!(
                        "the query names line {from} of the file; the function that it names begins on line {to}"
                    )
                }
                None if self.query.frames.iter().all(|frame| frame.line.is_none()) => {
                    "the query names the file".to_string()
                }
                None => "the query names a line of the file".to_string(),
            },
            Signal::Session => facts.activity.map_or_else(String::new, session_sentence),
            Signal::Depth => format!("{} deep", counted(path.matches('/').count(), "folder")),
            Signal::Size => counted(version.lines() as usize, "line"),
            Signal::Test => format!("'{}' in its path", role::test_part(path).unwrap_or_default()),
            Signal::Legacy => format!("'{}' in its path", role::compat_part(path).unwrap_or_default()),
            Signal::Generated => format!("'{}' in its path", role::generated_part(path).unwrap_or_default()),
            Signal::Platform => format!("'{}' in its path", role::platform_part(path).unwrap_or_default()),
            Signal::OlderCopy => "the same file stands outside of that folder".to_string(),
            Signal::Header => "a source file of the same name is found as well".to_string(),
            Signal::Docs => "prose, not code".to_string(),
            Signal::Data => match role::translation_part(path) {
                Some(part) if value > 1.0 => format!("translations by '{part}' in its path"),
                _ => "data or markup, not code".to_string(),
            },
            Signal::Own => "the signals of the host".to_string(),
            Signal::Sibling => "a better place in the same file stands before it".to_string(),
        }
    }

    fn definition(&self) -> String {
        let Some(at) = self.measured.facts.exact else { return "defined in the file".to_string() };
        let symbol = &self.outline.symbols[at as usize];
        format!("{} '{}' is defined {}", symbol.kind, symbol.qualified(), self.location(at))
    }

    fn defined_name(&self) -> String {
        let Some((at, mask)) = self.measured.facts.best else {
            return "a name defined here matches".to_string();
        };
        let name = self.outline.symbols[at as usize].qualified();
        let words = self.words(mask).replace(", ", "/");
        match self.is_here(at) {
            true => format!("{name} matches '{words}'"),
            false => format!("{name} {} matches '{words}'", self.location(at)),
        }
    }

    fn mentions(&self) -> String {
        let is_held = |name: &usize| self.measured.row.mentions & (1 << name) != 0;
        let held = (0..self.query.names.len()).filter(is_held);
        let names: Vec<&str> = held.map(|name| self.query.names[name].as_str()).collect();
        format!("the file contains {} as written", names.join(", "))
    }

    /// The words of the query in the file: first those in the lines shown, then the others.
    fn tokens(&self, of_file: u64) -> String {
        let Some(place) = self.place else {
            return format!("matched tokens in the file [{}]", self.words(of_file));
        };
        let here = place.mask & of_file;
        // The comments before an item are not among its lines, but they belong to it.
        let own = here | self.comments.unwrap_or(0);
        match (here, of_file & !own) {
            (0, 0) => format!("matched tokens in its comments [{}]", self.words(of_file)),
            (here, 0) => format!("matched tokens [{}]", self.words(here)),
            (0, beside) => format!("matched tokens elsewhere in the file [{}]", self.words(beside)),
            (here, beside) => {
                let (here, beside) = (self.words(here), self.words(beside));
                format!("matched tokens [{here}], elsewhere in the file [{beside}]")
            }
        }
    }

    /// The words of the query in the comments of the hit, or else in other comments of the file.
    fn comments(&self, of_file: u64) -> String {
        match self.comments.map_or(0, |own| own & of_file) {
            0 => format!("other comments of the file mention [{}]", self.words(of_file)),
            own => format!("its comments mention [{}]", self.words(own)),
        }
    }

    /// Whether a symbol of the outline begins in the lines shown.
    fn is_here(&self, at: u32) -> bool {
        let symbol = &self.outline.symbols[at as usize];
        let in_lines =
            |place: Place| place.lines.first <= symbol.lines.first && symbol.lines.first <= place.lines.last;
        self.place.is_some_and(|place| place.symbol == Some(at) || in_lines(place))
    }

    fn location(&self, at: u32) -> String {
        match self.is_here(at) {
            true => "here".to_string(),
            false => format!("on line {} of the file", self.outline.symbols[at as usize].lines.first),
        }
    }

    /// The words of the query in a mask, as a list.
    fn words(&self, mask: u64) -> String {
        let held = self.query.terms.iter().enumerate().filter(|(place, _)| mask & (1 << place) != 0);
        let words: Vec<&str> = held.map(|(_, term)| term.word.as_str()).collect();
        words.join(", ")
    }
}

fn session_sentence(noted: WeightedActivity) -> String {
    let what = match noted.activity {
        FileActivity::Shown => "code of it shown",
        FileActivity::Opened => "file opened",
        FileActivity::Edited => "file edited",
        FileActivity::Touched => "file read",
    };
    match (noted.turns, noted.hours / 24) {
        (0, 0) => format!("{what} just now"),
        (turns, 0) => format!("{what} {} ago", counted(turns, "turn")),
        (_, days) => format!("{what} {} ago", counted(days as usize, "day")),
    }
}

fn counted(n: usize, noun: &str) -> String {
    if n == 1 { format!("1 {noun}") } else { format!("{n} {noun}s") }
}

/// The last component of a path that contains a word of the query, or the file name.
fn path_component<'p>(path: &'p str, words: &str) -> &'p str {
    let is_in = |part: &str| {
        let part = part.to_lowercase();
        words.split(", ").any(|word| !word.is_empty() && part.contains(&word[..floor_boundary(word, 4)]))
    };
    let found = path.rsplit('/').find(|part| is_in(part));
    found.unwrap_or_else(|| path.rsplit('/').next().unwrap_or(path))
}

/// The length in bytes of the first `n` characters of a word. Only these are compared, because stems differ at their
/// ends.
fn floor_boundary(word: &str, n: usize) -> usize {
    word.char_indices().nth(n).map_or(word.len(), |(at, _)| at)
}
