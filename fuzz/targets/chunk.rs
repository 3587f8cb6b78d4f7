//! The analysis of a text in a language that the first byte chooses: chunks cover the text in order, and everything
//! lies on the borders of characters.

#![no_main]

use std::cell::RefCell;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use spyhop_syntax::analyze::Analyzer;
use spyhop_syntax::grammar::Grammars;
use spyhop_base::id::LanguageId;

static GRAMMARS: LazyLock<Grammars> = LazyLock::new(Grammars::built_in);

thread_local! {
    static ANALYZER: RefCell<Analyzer> = RefCell::new(Analyzer::new());
}

fuzz_target!(|data: &[u8]| {
    let Some((first, rest)) = data.split_first() else { return };
    let text = String::from_utf8_lossy(rest);
    let rows = GRAMMARS.list();
    let place = usize::from(*first) % (rows.len() + 1);
    let language = rows.get(place).map_or(LanguageId::TEXT, |row| row.id);
    let analysis = ANALYZER.with_borrow_mut(|analyzer| analyzer.analyze(&GRAMMARS, language, &text));
    let is_border = |at: u32| text.is_char_boundary(at as usize);
    let mut at = 0;
    for chunk in &analysis.chunks {
        assert!(chunk.span.start >= at && chunk.span.start <= chunk.span.end, "{chunk:?}");
        assert!(is_border(chunk.span.start) && is_border(chunk.span.end), "{chunk:?}");
        // What no chunk holds is blank.
        assert!(text[at as usize..chunk.span.start as usize].trim().is_empty(), "{chunk:?}");
        at = chunk.span.end;
    }
    assert!(text[at as usize..].trim().is_empty());
    for symbol in &analysis.symbols {
        assert!(is_border(symbol.span.start) && is_border(symbol.span.end), "{symbol:?}");
    }
});
