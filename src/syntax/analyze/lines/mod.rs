//! Line rules applied to a text: symbols, references, comments and the lines at which the text may be cut, without a parser.
//!
//! This module owns the pass over the lines and the items that are open in it; [`crate::grammar`] has the rules. Rules are matched at
//! the first character of each line that does not begin inside a comment or string, against a bounded window, and the ends of
//! items are looked up in tables or found when the pass reaches them: the time is linear in the length of the text, whatever
//! the text. An item that nothing closes ends with its container, so that one unknown construct does not lose what follows.

mod brackets;
mod cuts;
mod ends;
mod fill;
mod lex;
mod state;

pub(super) use cuts::boundaries;
pub(super) use fill::{fill, joined};
pub(super) use lex::tokens;
pub use lex::{LexMode, LexedToken, blanked, lex};

use crate::analyze::walk::WalkedOutline;
use crate::grammar::LineRules;
use spyhop_base::text::{LineIndex, Span};
use state::RuleScan;

/// Reads `text` by `rules`.
pub(super) fn outline(rules: &LineRules, text: &str, lines: &LineIndex) -> WalkedOutline {
    let mut out = scanned(rules, text, lines, &[Span::new(0, text.len())]);
    out.boundaries = cuts::boundaries(text, lines, &out.symbols);
    out
}

/// What `rules` find in the lines that `parts`, which are in order, touch; without boundaries.
fn scanned(rules: &LineRules, text: &str, lines: &LineIndex, parts: &[Span]) -> WalkedOutline {
    let tokens = lex::tokens(text, &rules.lexis, LexMode::Lines);
    let code = lex::blanked(text, &tokens, |token| token.is_comment || token.spans_lines);
    let bare = lex::blanked(text, &tokens, |_| true);
    let mut scan = RuleScan::new(rules, text, lines, (&tokens, &code, &bare));
    let mut next = 1;
    for lines in parts.iter().map(|part| lines.lines_of(*part)) {
        for line in lines.first.max(next)..=lines.last {
            scan.line(line);
        }
        next = next.max(lines.last + 1);
    }
    scan.finish()
}
