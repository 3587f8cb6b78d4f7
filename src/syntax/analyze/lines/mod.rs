//! Line rules applied to a text: symbols, references, comments and the lines at which the text may be cut, without a parser.
//!
//! This module owns the pass over the lines and the items that are open in it; [`crate::grammar`] has the rules. Rules are matched at
//! the first character of each line that does not begin inside a comment or string, against a bounded window, and the ends of
//! items are looked up in tables or found when the pass reaches them: the time is linear in the length of the text, whatever
//! the text. An item that nothing closes ends with its container, so that one unknown construct does not lose what follows.

mod brackets;
mod cuts;
mod ends;
pub(super) mod lex;
mod state;

use crate::analyze::walk::WalkedOutline;
use crate::grammar::LineRules;
use spyhop_base::text::LineIndex;
use state::RuleScan;

/// Reads `text` by `rules`.
pub(super) fn outline(rules: &LineRules, text: &str, lines: &LineIndex) -> WalkedOutline {
    let tokens = lex::tokens(text, &rules.lexis);
    let code = lex::masked(text, &tokens, false);
    let bare = lex::masked(text, &tokens, true);
    let mut scan = RuleScan::new(rules, text, lines, (&tokens, &code, &bare));
    for line in 1..=lines.count() {
        scan.line(line);
    }
    let mut out = scan.finish();
    out.boundaries = cuts::boundaries(text, lines, &out.symbols);
    out
}
