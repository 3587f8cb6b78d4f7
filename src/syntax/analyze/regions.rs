//! Languages inside languages: the parts of a text that another parser reads, at their places in the text.
//!
//! This module owns finding the parts, in one pass over the text, and their analysis; [`crate::grammar`] has the patterns. All parts
//! in one language are parsed together, as ranges of the whole text, so that positions and lines are those of the file.

use tree_sitter::{Range, Tree};

use super::{lines, walk};
use crate::grammar::{Grammars, RegionRule, Rules};
use spyhop_base::id::LanguageId;
use spyhop_base::text::{LineIndex, Span};

/// The most parts of a text; what follows stays text. A parser looks through the list of ranges at each token.
const MAX_PARTS: usize = 3000;

/// The parts of a text by language, in the order of their first parts.
pub(super) struct EmbeddedParts<'r>(Vec<LanguageParts<'r>>);

/// The parts of a text in one language.
struct LanguageParts<'r> {
    language: &'r str,
    parts: Vec<Span>,
    /// What belongs to the first language within the parts.
    excepted: Vec<Span>,
    /// What stands in place of the first bytes of the first part.
    begin: Option<(usize, &'r str)>,
    /// The signs in place of the last bytes of parts.
    ends: Vec<(usize, u8)>,
    /// Whether the parts are strings with escapes.
    escaped: bool,
}

impl EmbeddedParts<'_> {
    /// `outline`, and what the parsers of other languages find in the parts of `text` that are theirs. `parse` parses ranges of
    /// a text that has the places of this one.
    pub(super) fn joined(
        &self,
        mut parse: impl FnMut(&Rules, &str, &[Range]) -> Option<Tree>,
        (grammars, language): (&Grammars, LanguageId),
        text: &str,
        index: &LineIndex,
        mut outline: walk::WalkedOutline,
    ) -> walk::WalkedOutline {
        for region in &self.0 {
            let Ok(id) = grammars.by_name(region.language) else { continue };
            let Some(inner) = grammars.rules(id).filter(|_| id != language) else { continue };
            let ranges: Vec<Range> = region.parts.iter().map(|part| range(*part, index)).collect();
            let filled = filled(text, region);
            let Some(tree) = parse(inner, filled.as_deref().unwrap_or(text), &ranges) else { continue };
            let found = walk::outline(inner, &tree, text, index, Default::default());
            outline = lines::joined(text, index, outline, found);
        }
        outline
    }

    /// `text` without its parts in other languages, which become blanks; `None` if there are none. Statements of a template stay,
    /// because line rules read these too.
    pub(super) fn blanked(&self, text: &str) -> Option<String> {
        let is_statement = |region: &&LanguageParts<'_>| !region.ends.is_empty() && !region.escaped;
        let regions: Vec<_> = self.0.iter().filter(|region| !is_statement(region)).collect();
        if regions.is_empty() {
            return None;
        }
        let mut bytes = text.as_bytes().to_vec();
        for part in regions.iter().flat_map(|region| &region.parts) {
            bytes[part.range()].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
        }
        String::from_utf8(bytes).ok()
    }
}

/// The parts of `text` in a language, in order.
pub(crate) fn parts_in(text: &str, rules: &[RegionRule], language: &str) -> Vec<Span> {
    let found = find(text, rules).0.into_iter().find(|region| region.language == language);
    found.map_or_else(Vec::new, |region| region.parts)
}

/// The code of `text`, if it is in strings, without their escapes: all else becomes blanks, and no line begins where `text` has none.
pub(crate) fn code_in_strings(text: &str, rules: &[RegionRule]) -> Option<String> {
    let is_any = rules.iter().any(|rule| rule.escaped);
    let found = is_any.then(|| find(text, rules))?.0.into_iter().find(|region| region.escaped)?;
    let filled = filled(text, &found)?.into_bytes();
    let mut code: Vec<u8> = text.bytes().map(|byte| if byte == b'\n' { b'\n' } else { b' ' }).collect();
    for part in found.parts.iter().map(|part| part.range()) {
        let pairs = code[part.clone()].iter_mut().zip(&filled[part]);
        pairs.filter(|(_, byte)| **byte != b'\n').for_each(|(own, byte)| *own = *byte);
    }
    String::from_utf8(code).ok()
}

/// The parts of `text` that `rules` name.
pub(super) fn find<'r>(text: &str, rules: &'r [RegionRule]) -> EmbeddedParts<'r> {
    let bytes = text.as_bytes();
    let is_off = |rule: &&RegionRule| rule.unless.as_ref().is_some_and(|unless| unless.is_match(bytes));
    let rules: Vec<&RegionRule> = rules.iter().filter(|rule| !is_off(rule)).collect();
    let mut regions: Vec<LanguageParts<'r>> = Vec::new();
    let mut next: Vec<Option<(usize, usize, Option<Span>)>> = vec![Some((0, 0, None)); rules.len()];
    let (mut at, mut n_parts) = (0, 0);
    while n_parts < MAX_PARTS {
        for (known, rule) in next.iter_mut().zip(&rules) {
            if known.is_some_and(|(start, end, _)| start < at || end == 0) {
                *known = rule.open.captures_at(bytes, at).map(|groups| {
                    let whole = groups.get(0).map_or(at..at, |whole| whole.range());
                    let part = groups.name("text").map(|part| Span::new(part.start(), part.end()));
                    (whole.start, whole.end.max(1), part)
                });
            }
        }
        let first = next.iter().zip(&rules).filter_map(|(known, rule)| Some((known.as_ref()?, rule)));
        let Some((&(_, end, part), rule)) = first.min_by_key(|((start, ..), _)| *start) else { break };
        let (part, behind) = match (part, &rule.close) {
            (Some(part), _) => (part, end),
            (None, Some(close)) => match close.find_at(bytes, end) {
                Some(close) => (Span::new(end, close.start()), close.end()),
                None => break,
            },
            (None, None) => break,
        };
        at = behind.max(at + 1).min(bytes.len());
        n_parts += 1;
        if let Some(language) = rule.language.as_deref() {
            let place = regions.iter().position(|region| region.language == language).unwrap_or_else(|| {
                let (parts, excepted, ends) = (Vec::new(), Vec::new(), Vec::new());
                let (begin, escaped) = (None, rule.escaped);
                regions.push(LanguageParts { language, parts, excepted, begin, ends, escaped });
                regions.len() - 1
            });
            if !part.is_empty() && text.get(part.range()).is_some() {
                let sign = rule.ends.filter(|_| bytes.get(part.range().end).is_some_and(u8::is_ascii));
                let end = part.range().end + usize::from(sign.is_some());
                regions[place].ends.extend(sign.map(|sign| (end - 1, sign)));
                let begin = rule.begin.as_deref().filter(|_| regions[place].parts.is_empty());
                let start = part.range().start - begin.map_or(0, str::len);
                regions[place].begin = begin.map(|begin| (start, begin)).or(regions[place].begin);
                regions[place].parts.push(Span::new(start, end));
            }
            if let Some(except) = &rule.except {
                let inside = &bytes[part.range()];
                let moved = |found: regex::bytes::Match<'_>| {
                    Span::new(part.start as usize + found.start(), part.start as usize + found.end())
                };
                regions[place].excepted.extend(except.find_iter(inside).map(moved));
            }
        }
    }
    regions.retain(|region| !region.parts.is_empty());
    EmbeddedParts(regions)
}

/// `text` with a number in place of what a region excepts, because a template most often writes a value there, without the escapes of
/// strings, and with the signs at the ends of parts.
fn filled(text: &str, region: &LanguageParts<'_>) -> Option<String> {
    if region.excepted.is_empty() && region.ends.is_empty() && region.begin.is_none() && !region.escaped {
        return None;
    }
    let mut bytes = text.as_bytes().to_vec();
    if region.escaped {
        region.parts.iter().for_each(|part| unescape(&mut bytes[part.range()]));
    }
    region.ends.iter().for_each(|(at, sign)| bytes[*at] = *sign);
    if let Some((at, begin)) = region.begin {
        bytes[at..at + begin.len()].copy_from_slice(begin.as_bytes());
    }
    for span in &region.excepted {
        let part = &mut bytes[span.range()];
        let digits = if part.contains(&b'\n') { 1 } else { part.len() };
        part.iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
        part[..digits].fill(b'0');
    }
    String::from_utf8(bytes).ok()
}

/// Makes of each run of escapes the characters that are meant, with as many blanks as keep every other byte at its place. The blanks go
/// where they neither divide quotes nor indent a line: before a line end, or else behind the characters.
fn unescape(part: &mut [u8]) {
    let mut at = 0;
    while let Some(start) = memchr::memchr(b'\\', &part[at..]).map(|offset| at + offset) {
        let mut meant = Vec::new();
        at = start;
        while let Some([b'\\', escaped]) = part.get(at..at + 2) {
            meant.push(match escaped {
                b'n' => b'\n',
                b't' => b'\t',
                b'"' | b'/' | b'\\' => *escaped,
                // `\u00e9` and the like are signs within strings and comments.
                _ => b'0',
            });
            at += 2;
        }
        let line_end = meant.iter().position(|byte| *byte == b'\n').unwrap_or(meant.len());
        let behind = at - (meant.len() - line_end);
        part[start..start + line_end].copy_from_slice(&meant[..line_end]);
        part[start + line_end..behind].fill(b' ');
        part[behind..at].copy_from_slice(&meant[line_end..]);
        at = at.max(start + 1);
    }
}

fn range(part: Span, index: &LineIndex) -> Range {
    let point = |at: u32| {
        let line = index.line_of(at);
        tree_sitter::Point::new(line as usize - 1, (at - index.start_of(line)) as usize)
    };
    Range {
        start_byte: part.start as usize,
        end_byte: part.end as usize,
        start_point: point(part.start),
        end_point: point(part.end),
    }
}
