//! The lines of a pack's text around its code. The choice counts these lines and the renderers print them, so that a text
//! has no more tokens than its pack says.

use super::budget::BYTES_PER_TOKEN;
use spyhop_base::clean::{self, line as clean, short_name};
use spyhop_base::text::Lines;

/// The share of the budget that all goals together have at most, as its reciprocal.
const GOALS_SHARE: usize = 4;

/// `goal 1: TEXT`, cut so that the texts of all `n_goals` goals take up to a quarter of the budget.
pub fn goal_line(number: usize, text: &str, n_goals: usize, budget: usize) -> String {
    let most = budget * BYTES_PER_TOKEN / GOALS_SHARE / n_goals.max(1);
    let text = short_name(text);
    let end = text.char_indices().map(|(at, c)| at + c.len_utf8()).take_while(|end| *end <= most).last();
    match end {
        Some(end) if end < text.len() => format!("goal {number}: {}…", &text[..end]),
        _ => format!("goal {number}: {text}"),
    }
}

/// The part of the heading of a file that follows the path.
pub fn file_line(score: f32, is_backup: bool, reason: &str) -> String {
    let backup = if is_backup { "backup; " } else { "" };
    format!("  {score:.2} {backup}{}", short_name(reason))
}

/// The heading of a unit, or of a part of the unit with the lines `whole`.
pub fn unit_line(lines: Lines, whole: Option<Lines>, name: &str, score: f32, reason: &str) -> String {
    let whole = whole.map_or_else(String::new, |whole| format!(" of {}-{}", whole.first, whole.last));
    format!("  {}-{}{whole} {} {score:.2} {}", lines.first, lines.last, short_name(name), short_name(reason))
}

/// The line of a trace; `words` say how the other end is related to the unit.
pub fn trace_line(words: &str, symbol: Option<&str>, path: &str, line: u32) -> String {
    format!("  {words} {} {}:{line}", short_name(symbol.unwrap_or("the file")), clean::path(path))
}

/// The line below the files: the tokens, the mode, and how many places were left out for each reason.
pub fn summary_line(
    (tokens, budget): (usize, usize),
    mode: &str,
    mode_reason: &str,
    left_out: &[(&str, usize)],
) -> String {
    let counts: Vec<String> = left_out.iter().map(|(name, count)| format!("{name} {count}")).collect();
    let all: usize = left_out.iter().map(|(_, count)| count).sum();
    let left_out = match all {
        0 => "left out: none".to_string(),
        all => format!("left out {all}: {}", counts.join(", ")),
    };
    format!("{tokens} of {budget} tokens · {mode}: {mode_reason} · {left_out}")
}

pub fn next_line(cursor: &str) -> String {
    format!("next: {}", clean(cursor))
}

/// The bytes of a line of code behind its number, with the line end.
pub fn row_bytes(width: usize, line: &str) -> usize {
    width + "\t\n".len() + clean::line_bytes(line.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_counts_what_was_left_out() {
        let check = |left_out: &[(&str, usize)], end: &str| {
            let line = summary_line((40, 800), "focused", "the task is about one region", left_out);
            assert_eq!(line, format!("40 of 800 tokens · focused: the task is about one region · {end}"));
        };
        check(&[], "left out: none");
        check(&[("threshold", 28), ("budget", 2)], "left out 30: threshold 28, budget 2");
    }

    #[test]
    fn goals_take_up_to_a_quarter_of_the_budget() {
        let text = "ä".repeat(400);
        let lines: Vec<String> = (1..=5).map(|number| goal_line(number, &text, 5, 200)).collect();
        assert!(lines.iter().all(|line| line.len() <= "goal 1: …".len() + 40 && line.ends_with("ä…")));
        assert_eq!(goal_line(1, "mask secrets", 2, 200), "goal 1: mask secrets");
    }

    #[test]
    fn the_bytes_of_a_row_are_those_of_its_text() {
        let line = "\tlet a = 'ä\u{1b}';  ";
        assert_eq!(row_bytes(3, line), format!("  7\t{}\n", clean(line.trim_end())).len());
    }
}
