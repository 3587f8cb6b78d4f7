//! The right place in a file comes first, whatever is typed: a pasted line, a message of a log, a qualified name, a name
//! with a slip, a stack trace, a whole report. Reasons are true of the lines that are shown.

use spyhop_engine::Engine;
use spyhop_engine::api::{Hit, SearchRequest};

use super::{ask, corpus, indexed, questions};
use crate::support::Tree;

const QUERY: &str = r#"
"""Sets of rows that are read when they are needed."""

class RawRowSet:
    def _fetch_all(self):
        for row in self.rows:
            self.model_fields.check("row", row)

    def ordered(self):
        return self.rows.sorted(self.model_fields)


class RowSet:
    """Rows of one model."""

    def __init__(self, model):
        self.model = model
        self.sticky = False

    def _fetch_all(self):
        if self.cache is None:
            self.cache = list(self.iterable(self))

    def distinct(self, *names):
        """Rows without repetition."""
        if self.is_sliced:
            raise TypeError("Cannot create distinct fields once a slice has been taken.")
        clone = self.chain()
        clone.query.add_distinct_fields(*names)
        return clone

    def order_by(self, *names):
        if self.is_sliced:
            raise TypeError("Cannot reorder a query once a slice has been taken.")
        return self.chain(ordering=names)

    def as_manager(self, retries):
        log.warning("pool %s gave up after %d attempts to connect", self.model, retries)
        return self.manager
"#;

const POOL: &str = r#"
package pool

// Semaphore bounds how many batches run.
type BatchSemaphore struct {
	permits int
}

func (s *BatchSemaphore) Acquire(n int) error {
	if n > s.permits {
		return errors.New("not enough permits")
	}
	s.permits -= n
	return nil
}

func ResolveProvider(name string) (*Provider, error) {
	provider, ok := providers[name]
	if !ok {
		return nil, fmt.Errorf("no provider is called %q in the table", name)
	}
	return provider, nil
}
"#;

const BARGE: &str = r#"
class Barge {
public:
    explicit Barge(int capacity) : capacity_(capacity) {
        reserve(capacity);
        announce("a barge is ready");
    }

    ~Barge() {
        release(capacity_);
    }

    Barge& operator=(const Barge& other) {
        capacity_ = other.capacity_;
        return *this;
    }
};
"#;

const DOCK: &str = r#"
class Dock
  def open
    @gates.each { |gate| gate.raise_to(:top) }
    log "the dock is open"
  end

  def open?
    @gates.all? { |gate| gate.top? }
  end

  def close!
    @gates.clear
  end
end
"#;

fn engine(tree: &Tree) -> Engine {
    tree.write("app/db/query.py", QUERY);
    tree.write("lib/db/query.py", "def unrelated():\n    return 1\n");
    tree.write("pool/pool.go", POOL);
    tree.write("harbor/barge.cpp", BARGE);
    tree.write("harbor/dock.rb", DOCK);
    let filler: String = (0..40)
        .map(|n| format!("def slice_helper_{n}(pool, query):\n    return pool.take({n}, query)\n\n"))
        .collect();
    tree.write("app/db/helpers.py", filler);
    indexed(tree, "index", None)
}

fn first(engine: &Engine, query: &str) -> Hit {
    let reply = ask(engine, query, 10);
    reply.results.into_iter().next().unwrap_or_else(|| panic!("{query}: nothing"))
}

/// The first hit for each text is the symbol, and holds the line.
fn check(cases: &[(&str, &str, &str)]) {
    let tree = Tree::new("");
    let engine = engine(&tree);
    for (query, symbol, holds) in cases {
        let hit = first(&engine, query);
        assert_eq!(hit.symbol.as_deref(), Some(*symbol), "{query}");
        let text = [QUERY, POOL, BARGE, DOCK]
            .into_iter()
            .find(|text| text.contains(holds))
            .expect("a line of the tree");
        let line = 1 + text[..text.find(holds).unwrap()].matches('\n').count() as u32;
        assert!(hit.lines.first <= line && line <= hit.lines.last, "{query}: {:?} without {line}", hit.lines);
    }
}

#[test]
fn a_pasted_line_is_found_where_it_stands() {
    check(&[
        (
            "raise TypeError(\"Cannot create distinct fields once a slice has been taken.\")",
            "RowSet.distinct",
            "Cannot create",
        ),
        ("return self.rows.sorted(self.model_fields)", "RawRowSet.ordered", "return self.rows.sorted"),
        ("self.cache = list(self.iterable(self))", "RowSet._fetch_all", "self.cache = list"),
        ("if n > s.permits {", "BatchSemaphore.Acquire", "if n > s.permits"),
    ]);
}

#[test]
fn a_message_is_found_behind_a_prefix_and_with_values_filled_in() {
    check(&[
        ("Cannot reorder a query once a slice has been taken.", "RowSet.order_by", "Cannot reorder"),
        (
            "2026-03-14 09:26:53,589 ERROR [db] pid=4711 Cannot reorder a query once a slice has been taken.",
            "RowSet.order_by",
            "Cannot reorder",
        ),
        ("pool main gave up after 3 attempts to connect", "RowSet.as_manager", "gave up after"),
        ("no provider is called \"east\" in the table", "ResolveProvider", "no provider is called"),
    ]);
}

const LINKS: &str = r#"
=== src/proxy/connect.py
def connect(self, url):
    if self.scheme_of(url) is None:
        raise ValueError(f"Unknown scheme for proxy URL {url!r}")
    return self.pool.take(url)
=== src/proxy/timeout.py
def timeout_of_proxy(url, scheme):
    """The timeout for a proxy by the scheme of its URL; unknown ones have none."""
    return TIMEOUTS.get(scheme, None)
=== src/proxy/scheme.py
class UnknownScheme(Exception):
    """The URL of a proxy has an unknown scheme."""
=== src/limits.go
package limits

func Check(count int, min int, max int) error {
	if count < min || count > max {
		return fmt.Errorf("accepts between %d and %d arg(s), received %d", min, max, count)
	}
	return nil
}
=== src/received.go
package limits

// Received counts the args that are received and accepts them between two calls.
func Received(args []string) int {
	return len(args)
}
=== src/rename.js
export function renamed(field, owner) {
  log('Cannot rename the field ' + field + ' of the frozen set ' + owner.name + ' again');
}
=== src/frozen.js
// A frozen set, whose field cannot be renamed again.
export class FrozenSet {
  rename(field) {
    return this.set.rename(field);
  }
}
"#;

#[test]
fn a_message_is_found_by_the_gaps_of_its_template() {
    let tree = Tree::new(LINKS);
    let engine = indexed(&tree, "links", None);
    let check = |query: &str, path: &str, line: u32| {
        let hit = first(&engine, query);
        assert_eq!(hit.path.as_str(), path, "{query}: {hit:#?}");
        assert!(hit.lines.first <= line && line <= hit.lines.last, "{query}: {:?}", hit.lines);
    };
    check("Unknown scheme for proxy URL timeout", "src/proxy/connect.py", 3);
    check("accepts between timeout and main arg(s), received args", "src/limits.go", 5);
    check("Cannot rename the field name of the frozen set colors again", "src/rename.js", 2);
}

#[test]
fn a_word_that_only_a_path_has_decides_and_is_a_reason() {
    let export = "def export(rows):\n    return [row.text for row in rows]\n";
    let tree = Tree::new("");
    for folder in ["admin", "billing", "catalog"] {
        tree.write(&format!("{folder}/export.py"), export);
    }
    let hit = first(&indexed(&tree, "paths", None), "how are the rows of billing exported");
    assert_eq!(hit.path.as_str(), "billing/export.py");
    assert!(hit.reasons.iter().any(|reason| reason.text.starts_with("path-related")), "{:#?}", hit.reasons);
}

#[test]
fn a_wider_snippet_keeps_the_lines_of_the_hit() {
    let tree = Tree::new("");
    let engine = engine(&tree);
    let request = SearchRequest { expand: 8, ..SearchRequest::new("RowSet.order_by") };
    let hit = engine.search(&request).unwrap().results.remove(0);
    let snippet = hit.snippet.expect("a snippet");
    for held in ["def order_by", "Cannot reorder", "return self.chain(ordering=names)"] {
        assert!(snippet.text.contains(held), "{held}: {}", snippet.text);
    }
    assert!(snippet.lines.first + 8 <= hit.lines.first, "{:?} of {:?}", snippet.lines, hit.lines);
    assert!(snippet.lines.last >= hit.lines.last + 3, "{:?} of {:?}", snippet.lines, hit.lines);
}

#[test]
fn a_qualified_name_is_found_by_its_container() {
    check(&[
        ("RowSet._fetch_all", "RowSet._fetch_all", "if self.cache is None"),
        ("RawRowSet._fetch_all", "RawRowSet._fetch_all", "for row in self.rows"),
        ("BatchSemaphore::Acquire", "BatchSemaphore.Acquire", "s.permits -= n"),
        ("RowSet#distinct", "RowSet.distinct", "clone = self.chain()"),
    ]);
}

#[test]
fn a_sign_of_a_name_belongs_to_the_name() {
    check(&[
        ("Barge::~Barge", "Barge.~Barge", "release(capacity_)"),
        ("Barge::operator=", "Barge.operator=", "return *this"),
        ("Dock#open?", "Dock.open?", "@gates.all?"),
        ("Dock#open", "Dock.open", "raise_to(:top)"),
        ("Dock.close!", "Dock.close!", "@gates.clear"),
    ]);
}

#[test]
fn a_name_is_found_however_it_is_typed() {
    check(&[
        ("batchsemaphore", "BatchSemaphore", "type BatchSemaphore struct"),
        ("resolveprovider", "ResolveProvider", "func ResolveProvider"),
        ("resolve_provider", "ResolveProvider", "func ResolveProvider"),
        ("ResovleProvider", "ResolveProvider", "func ResolveProvider"),
        ("ResolvePro", "ResolveProvider", "func ResolveProvider"),
        ("asmanager", "RowSet.as_manager", "def as_manager"),
    ]);
    let tree = Tree::new("");
    let reply = ask(&engine(&tree), "resolveprovider", 10);
    assert_eq!(reply.warnings, ["no name 'resolveprovider' is defined; looked for 'ResolveProvider'"]);
}

const HISTORY: &str = r#"
=== src/main/java/org/map/core/undo/History.java
package org.map.core.undo;

import java.util.ArrayDeque;

/** Remembers what was done. */
public class History {
    private final ArrayDeque<Step> steps = new ArrayDeque<>();
    private final int limit;

    public History(int limit) {
        if (limit < 1) {
            throw new IllegalArgumentException("History limit " + limit);
        }
        this.limit = limit;
    }

    public void commit(Step step) {
        steps.push(step);
        while (steps.size() > limit) {
            steps.removeLast();
        }
    }

    public Step latest() {
        return steps.peek();
    }
}
=== src/main/java/org/map/ui/Board.java
package org.map.ui;

import org.map.core.undo.History;

public class Board {
    private final History history = new History(20);

    public void commit() {
        history.commit(new Step(this));
    }
}
=== include/arc.h
#pragma once

class Arc {
public:
    Arc();
    double bulge() const;
};
=== src/arc.cpp
#include "arc.h"

Arc::Arc() {
    radius = 1.0;
}

double Arc::bulge() const {
    return tan(angle / 4.0);
}
"#;

#[test]
fn types_modules_and_slips_in_members_are_found() {
    let tree = Tree::new(HISTORY);
    let engine = indexed(&tree, "history", None);
    let check = |query: &str, path: &str, symbol: &str| {
        let reply = ask(&engine, query, 5);
        let first = &reply.results[0];
        let found = (first.path.as_str(), first.symbol.as_deref());
        assert_eq!(found, (path, Some(symbol)), "{query}: {reply:#?}");
    };
    let history = "src/main/java/org/map/core/undo/History.java";
    check("History", history, "History");
    check("org.map.core.undo.History", history, "History");
    check("History.comimt", history, "History.commit");
    check("History#latset", history, "History.latest");
    check("Arc", "include/arc.h", "Arc");
    check("Arc::bulge", "src/arc.cpp", "Arc.bulge");
    check("Arc.bulge", "src/arc.cpp", "Arc.bulge");
    let warnings = ask(&engine, "History.comimt", 5).warnings;
    assert_eq!(warnings, ["no name 'comimt' is defined; looked for 'commit'"]);
}

#[test]
fn a_frame_is_followed() {
    check(&[
        (
            "Traceback (most recent call last):\n  File \"/srv/lib/site-packages/app/db/query.py\", line 22, in _fetch_all\n    go()",
            "RowSet._fetch_all",
            "self.cache = list",
        ),
        ("app/db/query.py:33", "RowSet.order_by", "def order_by"),
        (
            "main.(*BatchSemaphore).Acquire(...)\n\t/go/src/example.com/pool/pool.go:13 +0x1d",
            "BatchSemaphore.Acquire",
            "s.permits -= n",
        ),
    ]);
}

#[test]
fn a_report_is_answered_with_its_quotes_by_the_functions_it_names() {
    let filler =
        "Please find the steps below; they were tried on several machines by several people. ".repeat(6);
    let report = format!(
        "\"distinct\" fails on a sliced RowSet\nDescription\n\n{filler}\nCalling RowSet.distinct() raises \"TypeError\" \
         after [:5].\n{filler}\nExpected: \"order_by\" and distinct of RowSet behave alike.\n"
    );
    let tree = Tree::new("");
    let engine = engine(&tree);
    let reply = ask(&engine, &report, 10);
    let symbols: Vec<_> = reply.results.iter().take(3).filter_map(|hit| hit.symbol.as_deref()).collect();
    assert!(symbols.contains(&"RowSet.distinct") && symbols.contains(&"RowSet.order_by"), "{symbols:?}");
}

/// What a reason says of the place is so: the definition stands in the lines, the text, and every token.
fn check_reasons(query: &str, text: &str, hit: &Hit) {
    let lines: Vec<&str> = text.lines().collect();
    let shown = lines[hit.lines.first as usize - 1..(hit.lines.last as usize).min(lines.len())].join("\n");
    let at = |reason: &str| format!("{query}: {reason} at {}:{:?}\n{shown}", hit.path, hit.lines);
    for reason in hit.reasons.iter().map(|reason| reason.text.as_str()) {
        if let Some(name) =
            reason.strip_prefix("definition: ").and_then(|rest| rest.strip_suffix("' is defined here"))
        {
            let name = name.rsplit(['\'', '.']).next().unwrap();
            assert!(defines(&shown, name), "{}", at(reason));
        }
        if reason == "literal: contains the query as written" {
            assert!(shown.contains(query.lines().next().unwrap()), "{}", at(reason));
        }
        if let Some(tokens) = reason.strip_prefix("lexical: matched tokens [") {
            let here = tokens.split(']').next().unwrap();
            for token in here.split(", ") {
                // Stems share their beginnings; irregular forms have one of their own.
                let beginning = match token {
                    "took" => "tak",
                    "keep" => "kep",
                    "given" => "gave",
                    token => token.get(..3).unwrap_or(token),
                };
                assert!(
                    [token, beginning].iter().any(|form| shown.to_lowercase().contains(form)),
                    "{token}: {}",
                    at(reason)
                );
            }
        }
    }
}

/// Whether a text defines a name, by the words that languages begin definitions with, or has it left of a bracket.
fn defines(text: &str, name: &str) -> bool {
    let name = regex::escape(name);
    let words =
        "fn|func|function|def|class|struct|enum|trait|interface|type|const|let|static|impl|mod|export|pub";
    let pattern =
        format!(r"(?m)^\s*(.*\b({words})\b.*)?\b{name}\b\s*[(<:={{;]|\b({words})\b[^\n]*\b{name}\b");
    regex::Regex::new(&pattern).unwrap().is_match(text)
}

#[test]
fn reasons_are_true_of_the_lines_that_are_shown() {
    let tree = corpus();
    let engine = indexed(&tree, "index", None);
    let mut n_hits = 0;
    for question in questions() {
        for hit in ask(&engine, &question.text, 50).results {
            let text = std::fs::read_to_string(tree.root().join(hit.path.as_str())).unwrap();
            check_reasons(&question.text, &text, &hit);
            n_hits += 1;
        }
    }
    assert!(n_hits > 500, "{n_hits}");
}
