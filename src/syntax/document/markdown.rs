//! Markdown.

use super::content::{Document, Heading, one_line};

/// The document in a text in Markdown. The first heading of level 1 is the title, unless the front matter has one.
pub fn extract(text: &str) -> Document {
    let (front, body) = split_front_matter(text);
    let outline = headings(body);
    let front_title = front.iter().find(|(key, _)| *key == "title").and_then(|(_, value)| one_line(value));
    let authors = front.iter().filter(|(key, _)| matches!(*key, "author" | "authors"));
    let authors = authors.flat_map(|(_, value)| value.trim_matches(['[', ']']).split(','));
    let authors = authors.filter_map(|name| one_line(name.trim_matches([' ', '"', '\''])));
    let year = front.iter().find(|(key, _)| matches!(*key, "date" | "year"));
    let year = year.and_then(|(_, value)| value.get(..4)).and_then(|year| year.parse().ok());
    let first = || outline.iter().find(|heading| heading.level == 1).or(outline.first());
    Document {
        title: front_title.or_else(|| first().map(|heading| heading.title.clone())),
        authors: authors.collect(),
        year,
        outline: outline.clone(),
        pages: vec![body.to_string()],
        ..Document::default()
    }
}

/// The keys and values of a front matter in YAML, and the text below.
fn split_front_matter(text: &str) -> (Vec<(&str, &str)>, &str) {
    let Some(rest) = text.strip_prefix("---\n") else { return (Vec::new(), text) };
    let Some((front, body)) = rest.split_once("\n---\n") else { return (Vec::new(), text) };
    let pairs = front.lines().filter_map(|line| line.split_once(':'));
    (pairs.map(|(key, value)| (key.trim(), value.trim().trim_matches(['"', '\'']))).collect(), body)
}

/// The headings with `#` and the underlined ones.
fn headings(text: &str) -> Vec<Heading> {
    let mut headings = Vec::new();
    let mut fence: Option<&str> = None;
    let mut before = "";
    for line in text.lines() {
        let trimmed = line.trim();
        let mark = ["```", "~~~"].into_iter().find(|mark| trimmed.starts_with(mark));
        match (fence, mark) {
            (Some(open), Some(mark)) if open == mark => fence = None,
            (None, Some(mark)) => fence = Some(mark),
            _ => {}
        }
        if fence.is_none() && mark.is_none() {
            let level = trimmed.len() - trimmed.trim_start_matches('#').len();
            if (1..=6).contains(&level) && trimmed[level..].starts_with(' ') {
                headings.extend(heading(level as u8, trimmed[level..].trim_end_matches(['#', ' '])));
            } else if trimmed.len() >= 3 && !before.is_empty() && trimmed.chars().all(|c| c == '=') {
                headings.extend(heading(1, before));
            } else if trimmed.len() >= 3 && !before.is_empty() && trimmed.chars().all(|c| c == '-') {
                headings.extend(heading(2, before));
            }
        }
        before = trimmed;
    }
    headings
}

fn heading(level: u8, title: &str) -> Option<Heading> {
    one_line(title).map(|title| Heading { level, title, page: None })
}
