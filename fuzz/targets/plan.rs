//! The plan of an exact search may let through too much, never too little: where a pattern matches in a text, its plan
//! takes the words of that text. The input is a byte of flags, a pattern, NUL and a text.

#![no_main]

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use spyhop_grep::{Bounds, Case, Pattern, Plan, Scan, Wanted, scan};
use spyhop_base::path::RelPath;
use spyhop_files::read::Ground;
use spyhop_index::tokenize::for_each_word;

static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| tempfile::tempdir().unwrap().keep());

/// Patterns that take long to compile say nothing about plans.
const LONGEST: usize = 200;

fn takes(plan: &Plan, words: &HashSet<&str>) -> bool {
    match plan {
        Plan::All => true,
        Plan::And(plans) => plans.iter().all(|plan| takes(plan, words)),
        Plan::Or(plans) => plans.iter().any(|plan| takes(plan, words)),
        Plan::Word(part) if part.is_word() => words.contains(part.text.as_str()),
        Plan::Word(part) => words.iter().any(|word| part.tester().takes(word)),
    }
}

fuzz_target!(|data: &[u8]| {
    let Some((flags, rest)) = data.split_first() else { return };
    let Ok(rest) = std::str::from_utf8(rest) else { return };
    let Some((pattern, text)) = rest.split_once('\0') else { return };
    if pattern.len() > LONGEST || text.contains('\0') {
        return;
    }
    let wanted = Wanted {
        fixed: flags & 1 != 0,
        multi_line: flags & 2 != 0,
        dot_all: flags & 4 != 0,
        case: [Case::Sensitive, Case::Ignored, Case::Smart][usize::from(flags >> 3 & 3) % 3],
        bounds: [Bounds::None, Bounds::Word, Bounds::Line][usize::from(flags >> 5 & 3) % 3],
        ..Wanted::new(pattern)
    };
    let Ok(matcher) = Pattern::new(&wanted) else { return };
    let plan = Plan::new(&wanted);
    let mut words = HashSet::new();
    for_each_word(text, |word| _ = words.insert(word));
    if takes(&plan, &words) {
        return;
    }
    // Only where the plan leaves the text out, the matcher has to agree.
    std::fs::write(FOLDER.join("text"), text).unwrap();
    let found = scan(&Scan {
        ground: &Ground::Folder(FOLDER.clone()),
        files: &[RelPath::new("text").unwrap()],
        takes: &|_| true,
        pattern: &matcher,
        after: None,
        within: None,
        page: 1,
        context: (0, 0),
        max_count: None,
        masks: false,
        threads: Some(1),
    });
    assert_eq!(found.total_lines, 0, "{wanted:?} in {text:?}: {plan}");
});
