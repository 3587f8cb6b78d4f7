//! The plan of an exact search may let through too much, never too little: where a pattern matches in a text, its plan
//! takes the words of that text. The input is a byte of flags, a pattern, NUL and a text.

#![no_main]

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use spyhop_base::path::RelPath;
use spyhop_files::confined::RootFolder;
use spyhop_files::read::TreeSource;
use spyhop_grep::{Bounds, Case, LineScan, NarrowPlan, Pattern, Reading, Wanted, scan};
use spyhop_index::tokenize::for_each_word;

static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| tempfile::tempdir().unwrap().keep());

/// Patterns that take long to compile say nothing about plans.
const MAX_PATTERN_BYTES: usize = 200;

fn takes(plan: &NarrowPlan, words: &HashSet<&str>) -> bool {
    match plan {
        NarrowPlan::All => true,
        NarrowPlan::And(plans) => plans.iter().all(|plan| takes(plan, words)),
        NarrowPlan::Or(plans) => plans.iter().any(|plan| takes(plan, words)),
        NarrowPlan::Word(part) if part.is_word() => words.contains(part.text.as_str()),
        NarrowPlan::Word(part) => words.iter().any(|word| part.tester().takes(word)),
    }
}

fuzz_target!(|data: &[u8]| {
    let Some((flags, rest)) = data.split_first() else { return };
    let Ok(rest) = std::str::from_utf8(rest) else { return };
    let Some((pattern, text)) = rest.split_once('\0') else { return };
    if pattern.len() > MAX_PATTERN_BYTES || text.contains('\0') {
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
    let plan = NarrowPlan::new(&wanted);
    let mut words = HashSet::new();
    for_each_word(text, |word| _ = words.insert(word));
    if takes(&plan, &words) {
        return;
    }
    // Only where the plan leaves the text out, the matcher has to agree.
    std::fs::write(FOLDER.join("text"), text).unwrap();
    let found = scan(&LineScan {
        source_tree: &TreeSource::Folder(RootFolder::new(FOLDER.as_path())),
        files: &[RelPath::new("text").unwrap()],
        takes: &|_| true,
        pattern: &matcher,
        after: None,
        counts: true,
        within: None,
        page: 1,
        context: (0, 0),
        max_count: None,
        masks: false,
        threads: Some(1),
        reading: Reading::default(),
    });
    assert_eq!(found.total_lines, 0, "{wanted:?} in {text:?}: {plan}");
});
