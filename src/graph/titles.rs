//! Titles of tests: frameworks that take a test as a block with a title, as `it('adds up', () => ...)` and `it "adds up" do`.
//!
//! A block is found by its indentation, so that one rule serves all languages. Code on one line has the title on this line.

/// The most bytes before a use in which the blocks around the use are looked for.
pub(super) const MOST_BYTES: usize = 64 << 10;

/// The most blocks around a use.
const MOST_TITLES: usize = 8;

/// Words before the title of a group of tests.
const GROUPS: &[&str] =
    &["describe", "context", "suite", "feature", "group", "Describe", "Context", "When", "RSpec"];

/// Words before the title of a test.
const HEADS: &[&str] = &[
    "it",
    "test",
    "specify",
    "scenario",
    "example",
    "xit",
    "fit",
    "It",
    "Specify",
    "TEST_CASE",
    "SCENARIO",
    "SECTION",
    "TEST",
    "TEST_F",
    "TEST_P",
    "testWidgets",
    "subtest",
    "should",
    "Deno",
];

/// The titles of the blocks around a byte.
pub(super) struct Titled<'t> {
    /// The innermost title.
    pub name: &'t str,
    /// The titles around it, outermost first.
    pub container: Option<String>,
    /// The byte at which the line of the innermost title begins.
    pub start: usize,
    /// Whether the innermost title is that of a test, and not that of a group.
    pub is_test: bool,
}

/// The titles around a byte of a text; `None` if there are none.
pub(super) fn around(text: &str, at: usize) -> Option<Titled<'_>> {
    let at = at.min(text.len());
    let line_start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let mut found: Vec<(usize, &str)> = Vec::new();
    found.extend(title(&text[line_start..at]).map(|title| (line_start, title)));
    let line_end = text[at..].find('\n').map_or(text.len(), |end| at + end);
    let mut indent = indent_of(&text[line_start..line_end]);
    let from = (at.saturating_sub(MOST_BYTES)..=at).find(|from| text.is_char_boundary(*from)).unwrap_or(at);
    let mut end = line_start;
    // The title of a table of cases stands after the table: `])('adds %i', ...)`.
    let mut of_table: Option<(usize, &str)> = None;
    while end > from && found.len() < MOST_TITLES && (indent > 0 || of_table.is_some()) {
        let start = text[from..end - 1].rfind('\n').map_or(from, |newline| from + newline + 1);
        let line = &text[start..end - 1];
        end = start;
        let own = indent_of(line);
        if line.trim().is_empty() || own > indent || own == indent && of_table.is_none() {
            continue;
        }
        match of_table.take() {
            Some(table) if own == indent => match head(line.trim_start()) {
                Some(rest) if rest.starts_with(".each") => found.push(table),
                _ => of_table = Some(table),
            },
            _ => {
                indent = own;
                let closes = line.trim_start().starts_with(['`', ']']);
                match title(line) {
                    Some(title) => found.push((start, title)),
                    None if closes => of_table = quoted(line, "(").map(|title| (start, title)),
                    None => {}
                }
            }
        }
    }
    let ((start, name), outer) = found.split_first()?;
    let outer: Vec<&str> = outer.iter().rev().map(|(_, title)| *title).collect();
    let container = (!outer.is_empty()).then(|| outer.join(" "));
    let is_group = |line: &str| {
        GROUPS.iter().any(|word| line.strip_prefix(word).is_some_and(|rest| !rest.starts_with(is_word)))
    };
    let is_test = !is_group(text[*start..].trim_start());
    Some(Titled { name, container, start: *start, is_test })
}

fn is_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}

/// What follows the word before a title.
fn head(line: &str) -> Option<&str> {
    let end = line.find(|c| !is_word(c)).unwrap_or(line.len());
    (HEADS.contains(&&line[..end]) || GROUPS.contains(&&line[..end])).then(|| &line[end..])
}

/// The title in a line that begins a block.
fn title(line: &str) -> Option<&str> {
    let line = line.trim_start().trim_start_matches("await ");
    // `"adds up" {` and `"adds up" in {`.
    if line.starts_with('"') && line.trim_end().ends_with('{') {
        return quoted(line, "").filter(|title| !title.is_empty());
    }
    let rest = head(line.strip_prefix('@').unwrap_or(line))?;
    if let Some(title) = quoted(rest, "(").or_else(|| quoted(rest, " ")) {
        return Some(title);
    }
    // `describe Pool do` and `TEST(PoolTest, Takes) {`.
    let is_group = ["describe", "context", "RSpec", "TEST"].iter().any(|word| line.starts_with(word));
    let named = rest.strip_prefix(".describe").unwrap_or(rest).trim_start_matches(['(', ' ']);
    let named = named[..named.find([')', '{']).unwrap_or(named.len())].trim_end();
    let named = named.strip_suffix(" do").unwrap_or(named).trim_end();
    (is_group && named.starts_with(char::is_uppercase)).then_some(named)
}

/// The first literal that follows `before`.
fn quoted<'t>(text: &'t str, before: &str) -> Option<&'t str> {
    let mut quotes = text.match_indices(['"', '\'', '`']).filter(|(at, _)| text[..*at].ends_with(before));
    let (at, quote) = quotes.next()?;
    let inner = &text[at + 1..];
    Some(&inner[..inner.find(quote)?])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The titles around `take` in a text.
    fn check(text: &str, expected: &str) {
        let found = around(text, text.find("take").unwrap());
        let shown = found.map_or("-".to_string(), |titled| match titled.container {
            Some(container) => format!("{container} | {}", titled.name),
            None => titled.name.to_string(),
        });
        assert_eq!(shown, expected, "{text}");
    }

    #[test]
    fn titles_are_those_of_the_blocks_around() {
        check("it('adds up', () => expect(take()).toBe(0));", "adds up");
        check(
            "describe('Pool', () => {\n  it('gives', () => {});\n  it(\"adds\", async () => {\n    take()\n  })\n})",
            "Pool | adds",
        );
        check("describe('Pool', () => {\n  beforeEach(() => {\n    take()\n  })\n})", "Pool");
        check("test.each([[1], [2]])('adds %i', (n) => {\n  take(n)\n})", "adds %i");
        check("it.each([\n  [1],\n  [2],\n])('adds %i', (n) => {\n  take(n)\n})", "adds %i");
        check("RSpec.describe Pool do\n  describe '#take' do\n", "Pool");
        check("RSpec.describe Pool do\n  it 'gives' do\n    take\n  end\nend", "Pool | gives");
        check("test \"adds up\" do\n  assert take()\nend", "adds up");
        check("TEST_CASE(\"adds up\", \"[pool]\") {\n  take();\n}", "adds up");
        check("TEST(PoolTest, Adds) {\n  take();\n}", "PoolTest, Adds");
        check("class PoolSpec : StringSpec({\n  \"adds up\" {\n    take()\n  }\n})", "adds up");
        check("function setup() {\n  take();\n}", "-");
        check("it('gives', () => {\n  give()\n})\n\nexport const all = take()\n", "-");
    }
}
