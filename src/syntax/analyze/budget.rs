//! The budget of a parser for one file, and parsing within that budget.
//!
//! Grammars are written for code. On other input, a scanner looks ahead to the end of the file for every token, error
//! recovery keeps thousands of versions of its stack, or memory runs out. So progress callbacks and reads are
//! counted while a file is parsed, and in a parser worker allocations and allocated bytes too. These counts are the same on
//! every machine, and so is the analysis. A watchdog on processor time ([`watchdog`]) is only for parsers that hang: its limit
//! is so high that a parser which ends ends before, on slow machines too. A file that the watchdog stops is reported as such.
//!
//! Allocations are counted by an allocator of tree-sitter, which a process has once. So only a parser worker, a process that
//! parses and does nothing else, calls [`count_allocations`]: in the process of a host, tree-sitter keeps the allocator that the
//! host gave it.

use std::cell::Cell;
use std::ffi::c_void;
use std::ops::ControlFlow;
use std::sync::Once;
use std::time::{Duration, Instant};

use tree_sitter::{Allocator, ParseOptions, Parser, Tree};

use spyhop_base::model::Note;

/// The number of bytes that the parser gets at a time.
const WINDOW: usize = 4096;

/// The number of callbacks between two checks of the processor time.
const CALLBACKS_A_LOOK: u64 = 16;

/// The processor time after which the parser of a text of `length` bytes counts as hanging. Real files take at most 1.3
/// microseconds a byte. The openings of `eval/mutate.py`, repeated for 60,000 bytes, take up to 16 microseconds a byte until they
/// end or use up a count, in a release build. Only Haskell's `<<~A` takes longer.
pub(crate) fn watchdog(length: usize) -> Duration {
    Duration::from_secs(5) + Duration::from_micros(60) * length as u32
}

/// The limits for one file.
#[derive(Clone, Copy, Debug)]
struct ParseBudget {
    /// Progress callbacks. Each stands for about a hundred steps of the parser.
    callbacks: u64,
    reads: u64,
    allocations: u64,
    /// Allocated bytes, whether or not they were freed.
    allocated: u64,
    /// The allocated bytes at which a parser worker is aborted: memory can run out between two callbacks, and then nothing
    /// else helps. The end of a worker costs the file its structure.
    fatal: u64,
    /// The [`watchdog`] on the processor time of the thread.
    time: Duration,
}

impl ParseBudget {
    /// The budget of a file of `length` bytes. Each counted limit is at least five times what any file took in the
    /// repositories that were measured. The highest measured rates for each byte are .1 callbacks (JavaScript full of syntax
    /// errors), .01 reads, 1.5 allocations and 200 bytes. The constants are for short files, which vary most.
    fn of(length: usize) -> ParseBudget {
        let time = watchdog(length);
        let length = length as u64;
        ParseBudget {
            callbacks: 20_000 + length / 5,
            reads: 2_000 + length / WINDOW as u64 * 40,
            allocations: 500_000 + length * 12,
            allocated: (64 << 20) + length * 1_000,
            fatal: (512 << 20) + length * 500,
            time,
        }
    }
}

/// Parses `text` within the budget. On failure, returns a note with the reason, and the parser is ready for the next
/// file.
pub(super) fn parse(parser: &mut Parser, text: &str) -> Result<Tree, Note> {
    parse_within(parser, text, &ParseBudget::of(text.len()))
}

fn parse_within(parser: &mut Parser, text: &str, budget: &ParseBudget) -> Result<Tree, Note> {
    let begun = cpu_time();
    TALLY.set(AllocationTally { fatal: budget.fatal, ..AllocationTally::NEW });
    let (mut callbacks, reads, late) = (0u64, Cell::new(0u64), Cell::new(false));
    let mut progress = |_: &tree_sitter::ParseState| {
        callbacks += 1;
        if callbacks % CALLBACKS_A_LOOK == 0 && cpu_time().saturating_sub(begun) > budget.time {
            late.set(true);
        }
        let AllocationTally { allocations, allocated, .. } = TALLY.get();
        let spent = callbacks > budget.callbacks
            || reads.get() > budget.reads
            || allocations > budget.allocations
            || allocated > budget.allocated;
        if spent || late.get() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let mut read = |at: usize, _| {
        reads.set(reads.get() + 1);
        // A scanner in the middle of a token stops only at the end of the file. The window must not split a character:
        // the lexer would ask for the rest of that character and silently use an empty result.
        let mut end = if reads.get() > budget.reads { at } else { at.saturating_add(WINDOW).min(text.len()) };
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text.as_bytes().get(at..end).unwrap_or_default()
    };
    let tree = parser.parse_with_options(&mut read, None, Some(options));
    #[cfg(test)]
    tests::LAST.set((TALLY.get().allocations, TALLY.get().allocated));
    TALLY.set(AllocationTally::NEW);
    // A tree that was cut off by a simulated end of the file is not the file's tree.
    tree.filter(|_| reads.get() <= budget.reads).ok_or_else(|| {
        parser.reset();
        if late.get() { Note::Quarantined } else { Note::ParseBudget }
    })
}

/// The allocations of this thread's parser for the current file.
#[derive(Clone, Copy)]
struct AllocationTally {
    allocations: u64,
    allocated: u64,
    fatal: u64,
}

impl AllocationTally {
    /// Outside parsing, no number of allocations is fatal.
    const NEW: AllocationTally = AllocationTally { allocations: 0, allocated: 0, fatal: u64::MAX };
}

thread_local! {
    static TALLY: Cell<AllocationTally> = const { Cell::new(AllocationTally::NEW) };
}

/// Makes tree-sitter count its allocations, in the whole process. Only parser workers call this function. Memory still comes
/// from the C library, so memory that was allocated before is freed correctly.
pub(super) fn count_allocations() {
    static ONCE: Once = Once::new();
    let allocator =
        Allocator { malloc: counted_malloc, calloc: counted_calloc, realloc: counted_realloc, free };
    // SAFETY: the functions are those of the C library, with counting added.
    ONCE.call_once(|| unsafe { tree_sitter::set_allocator(Some(allocator)) });
}

fn count(bytes: usize) {
    let mut tally = TALLY.get();
    tally.allocations += 1;
    tally.allocated = tally.allocated.saturating_add(bytes as u64);
    if tally.allocated > tally.fatal {
        say_last_words(&format!("the parser allocated more than {} MiB\n", tally.fatal >> 20));
        std::process::abort();
    }
    TALLY.set(tally);
}

/// Writes the cause of the process's death to where a parser's assertions go. The program that started the worker reads
/// it.
fn say_last_words(words: &str) {
    #[cfg(unix)]
    // SAFETY: a live buffer of that length; a closed descriptor is an error that nobody is left to handle.
    unsafe {
        libc::write(libc::STDERR_FILENO, words.as_ptr().cast(), words.len());
    }
    #[cfg(not(unix))]
    let _ = words;
}

unsafe extern "C" {
    fn malloc(size: usize) -> *mut c_void;
    fn calloc(count: usize, size: usize) -> *mut c_void;
    fn realloc(pointer: *mut c_void, size: usize) -> *mut c_void;
    fn free(pointer: *mut c_void);
}

unsafe extern "C" fn counted_malloc(size: usize) -> *mut c_void {
    count(size);
    // SAFETY: the caller upholds the contract of `malloc`.
    unsafe { malloc(size) }
}

unsafe extern "C" fn counted_calloc(n: usize, size: usize) -> *mut c_void {
    count(n.saturating_mul(size));
    // SAFETY: the caller upholds the contract of `calloc`.
    unsafe { calloc(n, size) }
}

unsafe extern "C" fn counted_realloc(pointer: *mut c_void, size: usize) -> *mut c_void {
    count(size);
    // SAFETY: the caller upholds the contract of `realloc`.
    unsafe { realloc(pointer, size) }
}

/// The processor time of this thread; where the system does not report it, the time on the clock.
pub(super) fn cpu_time() -> Duration {
    #[cfg(unix)]
    {
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: a live struct.
        if unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) } == 0 {
            return Duration::new(time.tv_sec as u64, time.tv_nsec as u32);
        }
    }
    static BEGUN: std::sync::LazyLock<Instant> = std::sync::LazyLock::new(Instant::now);
    BEGUN.elapsed()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::Grammars;

    thread_local! {
        /// The allocations and allocated bytes of the last text.
        pub(super) static LAST: Cell<(u64, u64)> = const { Cell::new((0, 0)) };
    }

    #[test]
    fn a_parser_out_of_budget_is_ready_for_the_next_file() {
        let grammars = Grammars::built_in();
        for row in grammars.list().into_iter().filter(|row| grammars.has_parser(row.id)) {
            // A text that is a single token to a parser ends before the first callback.
            let line = match &*row.name {
                "html" | "json" => "<i>[1]</i>\n",
                "php" => "<?php a(b); ?>\n",
                "yaml" => "- a: [b]\n",
                _ => "a(b);\n",
            };
            let text = line.repeat(5_000);
            // A busy machine takes any time.
            let plenty = ParseBudget { time: Duration::MAX, ..ParseBudget::of(text.len()) };
            let mut parser = Parser::new();
            parser.set_language(&grammars.rules(row.id).unwrap().language).unwrap();
            assert!(
                parse_within(&mut parser, &text, &ParseBudget { callbacks: 10, ..plenty }).is_err(),
                "{}",
                row.name
            );
            assert_eq!(
                parse_within(&mut parser, &text, &plenty).unwrap().root_node().end_byte(),
                text.len(),
                "{}",
                row.name
            );
        }
    }

    #[test]
    fn a_scanner_that_looks_ahead_to_the_end_each_time_is_stopped() {
        let grammars = Grammars::built_in();
        let check = |language: &str, text: String| {
            let Ok(id) = grammars.by_name(language) else { return };
            let mut parser = Parser::new();
            parser.set_language(&grammars.rules(id).unwrap().language).unwrap();
            assert!(parse(&mut parser, &text).is_err(), "{language}");
            assert!(parse(&mut parser, "a").is_ok(), "{language}");
        };
        check("css", "/* ".repeat(100_000));
        check("css", "a:b".repeat(100_000));
        check("html", "<!-- ".repeat(60_000));
        let quoted = "let a = 'é';".repeat(80_000);
        check("kotlin", quoted.clone());
        check("lua", quoted.clone());
        check("scala", quoted);
    }

    #[test]
    fn memory_and_time_are_bounded_in_a_worker() {
        let grammars = Grammars::built_in();
        let Ok(id) = grammars.by_name("rust") else { return };
        count_allocations();
        let mut parser = Parser::new();
        parser.set_language(&grammars.rules(id).unwrap().language).unwrap();
        let text = "fn f() { a(b); }\n".repeat(2_000);
        let plenty = ParseBudget::of(text.len());
        let mut parse = |budget: ParseBudget| parse_within(&mut parser, &text, &budget).map(drop);
        assert_eq!(parse(ParseBudget { allocations: 100, ..plenty }), Err(Note::ParseBudget));
        assert_eq!(parse(ParseBudget { allocated: 10_000, ..plenty }), Err(Note::ParseBudget));
        assert_eq!(parse(ParseBudget { time: Duration::ZERO, ..plenty }), Err(Note::Quarantined));
        assert_eq!(parse(plenty), Ok(()));
    }

    #[test]
    fn a_parser_that_is_slow_comes_to_its_end() {
        let grammars = Grammars::built_in();
        for (language, text) in [("rust", "\"\"\"".repeat(30_000)), ("ruby", "'a".repeat(30_000))] {
            let Ok(id) = grammars.by_name(language) else { continue };
            let mut parser = Parser::new();
            parser.set_language(&grammars.rules(id).unwrap().language).unwrap();
            assert!(parse(&mut parser, &text).unwrap().root_node().has_error(), "{language}");
        }
    }

    #[test]
    fn a_text_takes_the_same_allocations_whatever_was_parsed_before() {
        let grammars = Grammars::built_in();
        let Ok(id) = grammars.by_name("rust") else { return };
        count_allocations();
        let mut analyzer = super::super::Analyzer::new();
        let mut of = |text: &str| {
            analyzer.analyze(&grammars, id, text);
            LAST.get()
        };
        let text = "fn f() { a(b); }\n".repeat(100);
        let before = of(&text);
        of(&"let a = [b(c), (d, e)]; \"\"\"".repeat(1_000));
        assert_eq!(of(&text), before);
    }

    #[test]
    fn characters_on_the_edge_of_a_window_are_whole() {
        let grammars = Grammars::built_in();
        let Ok(id) = grammars.by_name("rust") else { return };
        let mut parser = Parser::new();
        parser.set_language(&grammars.rules(id).unwrap().language).unwrap();
        for shift in 0..4 {
            let text =
                format!("{}fn f() {{ let s = \"{}\"; }}", " ".repeat(shift), "𝄞".repeat(3 * WINDOW / 4));
            assert!(!parse(&mut parser, &text).unwrap().root_node().has_error(), "{shift}");
        }
    }
}
