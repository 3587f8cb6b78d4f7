//! What a parser may spend on one file, and parsing within it.
//!
//! Grammars are written for code. On other input a scanner looks ahead to the end of the file for every token, error
//! recovery keeps thousands of versions of its stack, or memory runs out. So four things are counted while a file is
//! parsed: progress callbacks, reads, allocations and their bytes. They are the same on every machine, and so is the
//! analysis. Some input spends time on none of them; only processor time stops that, and since it is no measure that
//! two machines share, such a file is quarantined: in one index the answer stays what it was.

use std::cell::Cell;
use std::ffi::c_void;
use std::ops::ControlFlow;
use std::sync::Once;
use std::time::{Duration, Instant};

use tree_sitter::{Allocator, ParseOptions, Parser, Tree};

use crate::model::Note;

/// How many bytes the parser is given at a time.
const WINDOW: usize = 4096;

/// How often processor time is looked at, in callbacks.
const CALLBACKS_A_LOOK: u64 = 16;

/// What may be spent.
#[derive(Clone, Copy, Debug)]
struct Budget {
    /// Progress callbacks. One stands for about a hundred steps of the parser.
    callbacks: u64,
    /// Reads of a window.
    reads: u64,
    /// Allocations.
    allocations: u64,
    /// Their bytes, whether or not they were freed.
    allocated: u64,
    /// Bytes of allocations at which the process is ended: memory can run out between two callbacks, and then nothing else
    /// helps. In a parser worker, this costs the file its structure; in an embedding program that parses in its own
    /// process, it ends the program, and the next update does not parse the file again.
    fatal: u64,
    /// Processor time of the thread.
    time: Duration,
}

impl Budget {
    /// The budget of a file of so many bytes. Every part is five times and more what any file took in the
    /// repositories that it was measured on, processor time three times: for each byte .1 callbacks (JavaScript full of syntax errors), .01 reads,
    /// 1.5 allocations, 200 bytes and 1.3 microseconds. The constants are for short files, which vary most.
    fn of(length: usize) -> Budget {
        let length = length as u64;
        Budget {
            callbacks: 20_000 + length / 5,
            reads: 2_000 + length / WINDOW as u64 * 40,
            allocations: 500_000 + length * 12,
            allocated: (64 << 20) + length * 1_000,
            fatal: (2 << 30) + length * 2_000,
            time: Duration::from_millis(250) + Duration::from_micros(4) * length as u32,
        }
    }
}

/// Parses `text` within the budget; else the note says why not, and the parser is ready for the next file.
///
/// With `is_worker` the process ends at a quarter of the memory at which it would end otherwise: several workers share
/// a machine, and the end of one costs little.
pub(super) fn parse(parser: &mut Parser, text: &str, is_worker: bool) -> Result<Tree, Note> {
    let budget = Budget::of(text.len());
    let fatal = if is_worker { budget.fatal / 4 } else { budget.fatal };
    parse_within(parser, text, &Budget { fatal, ..budget })
}

fn parse_within(parser: &mut Parser, text: &str, budget: &Budget) -> Result<Tree, Note> {
    let begun = cpu_time();
    TALLY.set(Tally { fatal: budget.fatal, ..Tally::NEW });
    let (mut callbacks, reads, late) = (0u64, Cell::new(0u64), Cell::new(false));
    let mut progress = |_: &tree_sitter::ParseState| {
        callbacks += 1;
        if callbacks % CALLBACKS_A_LOOK == 0 && cpu_time().saturating_sub(begun) > budget.time {
            late.set(true);
        }
        let Tally { allocations, allocated, .. } = TALLY.get();
        let spent = callbacks > budget.callbacks
            || reads.get() > budget.reads
            || allocations > budget.allocations
            || allocated > budget.allocated;
        if spent || late.get() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let mut read = |at: usize, _| {
        reads.set(reads.get() + 1);
        // A scanner in the middle of a token knows only one thing that stops it: the end of the file.
        // No character may be cut in two: the lexer would ask for its rest and use an empty answer unseen.
        let mut end = if reads.get() > budget.reads { at } else { at.saturating_add(WINDOW).min(text.len()) };
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text.as_bytes().get(at..end).unwrap_or_default()
    };
    let tree = parser.parse_with_options(&mut read, None, Some(options));
    TALLY.set(Tally::NEW);
    // What was parsed after the text seemed to end is not the file's tree.
    tree.filter(|_| reads.get() <= budget.reads).ok_or_else(|| {
        parser.reset();
        if late.get() { Note::Quarantined } else { Note::ParseBudget }
    })
}

/// What this thread's parser has allocated for the file that it parses.
#[derive(Clone, Copy)]
struct Tally {
    allocations: u64,
    allocated: u64,
    fatal: u64,
}

impl Tally {
    /// Outside parsing nothing is fatal.
    const NEW: Tally = Tally { allocations: 0, allocated: 0, fatal: u64::MAX };
}

thread_local! {
    static TALLY: Cell<Tally> = const { Cell::new(Tally::NEW) };
}

/// Makes tree-sitter count what it allocates. Memory still comes from the C library, so what was allocated before is
/// freed as it should be.
pub(super) fn count_allocations() {
    static ONCE: Once = Once::new();
    let allocator =
        Allocator { malloc: counted_malloc, calloc: counted_calloc, realloc: counted_realloc, free };
    // SAFETY: the functions are the C library's own but for the counting.
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

/// Writes what a process dies of where a parser's assertions write as well. The program that started a worker reads it.
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
    // SAFETY: as the caller's.
    unsafe { malloc(size) }
}

unsafe extern "C" fn counted_calloc(n: usize, size: usize) -> *mut c_void {
    count(n.saturating_mul(size));
    // SAFETY: as the caller's.
    unsafe { calloc(n, size) }
}

unsafe extern "C" fn counted_realloc(pointer: *mut c_void, size: usize) -> *mut c_void {
    count(size);
    // SAFETY: as the caller's.
    unsafe { realloc(pointer, size) }
}

/// The processor time that this thread has taken; where the system does not tell, the time of day.
fn cpu_time() -> Duration {
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

    #[test]
    fn a_parser_out_of_budget_is_ready_for_the_next_file() {
        let grammars = Grammars::built_in();
        for row in grammars.list() {
            // What is one token for a parser is over before the first callback.
            let line = match &*row.name {
                "html" | "json" => "<i>[1]</i>\n",
                "php" => "<?php a(b); ?>\n",
                "yaml" => "- a: [b]\n",
                _ => "a(b);\n",
            };
            let text = line.repeat(5_000);
            let plenty = Budget::of(text.len());
            let mut parser = Parser::new();
            parser.set_language(&grammars.rules(row.id).unwrap().language).unwrap();
            assert!(
                parse_within(&mut parser, &text, &Budget { callbacks: 10, ..plenty }).is_err(),
                "{}",
                row.name
            );
            assert_eq!(
                parse(&mut parser, &text, false).unwrap().root_node().end_byte(),
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
            assert!(parse(&mut parser, &text, false).is_err(), "{language}");
            assert!(parse(&mut parser, "a", false).is_ok(), "{language}");
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
    fn memory_and_time_are_bounded() {
        let grammars = Grammars::built_in();
        let Ok(id) = grammars.by_name("rust") else { return };
        count_allocations();
        let mut parser = Parser::new();
        parser.set_language(&grammars.rules(id).unwrap().language).unwrap();
        let text = "fn f() { a(b); }\n".repeat(2_000);
        let plenty = Budget::of(text.len());
        let mut parse = |budget: Budget| parse_within(&mut parser, &text, &budget).map(drop);
        assert_eq!(parse(Budget { allocations: 100, ..plenty }), Err(Note::ParseBudget));
        assert_eq!(parse(Budget { allocated: 10_000, ..plenty }), Err(Note::ParseBudget));
        assert_eq!(parse(Budget { time: Duration::ZERO, ..plenty }), Err(Note::Quarantined));
        assert_eq!(parse(plenty), Ok(()));
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
            assert!(!parse(&mut parser, &text, false).unwrap().root_node().has_error(), "{shift}");
        }
    }
}
