//! Which words of the query the comments of a hit hold: those in its lines, and those before its item. The index counts the
//! comments of a whole file, which says nothing of one place of the file.

use super::context::Context;
use super::error::SearchError;
use super::hits::Ranked;
use super::named_outline::{OutlineNames, named_outline};
use crate::query::Query;
use spyhop_base::text::{LineIndex, Span};
use spyhop_index::meta::OutlineSymbol;
use spyhop_index::tokenize::TermList;

/// The terms of the query in the comments of a hit, as a mask. `text` is the current text of the file.
pub(crate) fn terms_in_comments(
    query: &Query,
    context: &Context<'_>,
    (file, hit): (u32, &Ranked),
    text: &str,
) -> Result<u64, SearchError> {
    let version = context.snapshot.version(file);
    let Some(stored) = version.uses()? else { return Ok(0) };
    let mut names = OutlineNames::default();
    let span = span_of(hit, context, &named_outline(version, query, &mut names)?.symbols, text)?;
    let (mut tokenizer, mut terms) = (context.tokenizers.take(), TermList::default());
    for comment in stored.comments.iter().filter(|comment| comment.overlaps(span)) {
        let inside = comment.start.max(span.start)..comment.end.min(span.end);
        tokenizer.terms(text.get(inside.start as usize..inside.end as usize).unwrap_or_default(), &mut terms);
    }
    let bit = |term: &str| query.terms.iter().position(|wanted| wanted.term == term).map_or(0, |at| 1 << at);
    Ok(terms.iter().fold(0, |mask, term| mask | bit(term)))
}

/// The bytes that a hit shows, with the comments before its item. A part of a long item begins with its lines.
fn span_of(
    hit: &Ranked,
    context: &Context<'_>,
    symbols: &[OutlineSymbol<'_>],
    text: &str,
) -> Result<Span, SearchError> {
    let Some(place) = hit.place else { return Ok(context.snapshot.columns(hit.doc)?.span) };
    let shown = LineIndex::new(text).span_of(place.lines);
    let item = place.symbol.and_then(|symbol| symbols.get(symbol as usize));
    let is_begun = item.is_none_or(|item| place.lines.first <= item.lines.first);
    let start = if is_begun { place.span.start.min(shown.start) } else { shown.start };
    Ok(Span { start, end: shown.end })
}
