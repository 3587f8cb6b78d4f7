//! What share of the forms in which secrets stand in files an agent is shown, and how many harmless lines are masked.
//!
//! The forms are data beside this file. Patterns are worked on with `forms.toml`; `held_out.toml` was written before
//! the patterns and tells how they fare with what their author did not think of.

use serde::Deserialize;
use spyhop::GrepRequest;
use spyhop_grep::secrets::mask_text;

use super::{Random, Tree, open};

/// How often the random parts of a form are drawn anew; the form counts as hidden if it is each time.
const DRAWS: usize = 6;

#[derive(Deserialize)]
struct Forms {
    form: Vec<OutputFormat>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OutputFormat {
    name: String,
    text: String,
    /// Where the text stands; anywhere if its place does not matter.
    path: Option<String>,
}

/// A form with its random parts drawn.
struct Drawn {
    text: String,
    /// The bytes of `text` that must not be seen.
    secrets: Vec<std::ops::Range<usize>>,
}

fn alphabet(name: &str) -> &'static str {
    match name {
        "a" => "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
        "u" => "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
        "b" => "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
        "B" => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
        "U" => "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
        "l" => "abcdefghijklmnopqrstuvwxyz0123456789",
        "h" => "0123456789abcdef",
        "d" => "0123456789",
        other => panic!("there is no alphabet '{other}'"),
    }
}

fn drawn(random: &mut Random, form: &OutputFormat) -> Drawn {
    let (mut text, mut secrets, mut start) = (String::new(), Vec::new(), None);
    let mut rest = form.text.as_str();
    while let Some(sign) = rest.chars().next() {
        let fill = rest.strip_prefix("<<").and_then(|rest| rest.split_once(">>"));
        match (sign, fill) {
            ('<', Some(("=", behind))) => rest = behind,
            ('<', Some((inner, behind))) => {
                let (name, n) = inner.split_once(':').expect("an alphabet and a number");
                let of = alphabet(name).as_bytes();
                text.extend((0..n.parse().unwrap()).map(|_: usize| of[random.below(of.len())] as char));
                rest = behind;
            }
            ('«', _) => (start, rest) = (Some(text.len()), &rest[sign.len_utf8()..]),
            ('»', _) => {
                secrets.push(start.take().expect("a mark that opens")..text.len());
                rest = &rest[sign.len_utf8()..];
            }
            _ => {
                text.push(sign);
                rest = &rest[sign.len_utf8()..];
            }
        }
    }
    assert!(start.is_none() && !secrets.is_empty(), "{}: marks in pairs", form.name);
    Drawn { text, secrets }
}

/// Whether four bytes in a row of a secret are where they were.
fn shows(shown: &[u8], drawn: &Drawn) -> bool {
    let text = String::from_utf8_lossy(shown);
    assert_eq!(shown.len(), drawn.text.len(), "a mask is as long as its secret: {text}");
    let stays = |at: usize| shown[at..at + 4] == drawn.text.as_bytes()[at..at + 4];
    // A line end stays as it is.
    let is_line = |at: usize| !drawn.text.as_bytes()[at..at + 4].contains(&b'\n');
    drawn.secrets.iter().any(|secret| (secret.start..=secret.end - 4).any(|at| is_line(at) && stays(at)))
}

/// Which forms an exact search hides in each of its draws, and what it shows of the others.
fn told(forms: &[OutputFormat], seed: u64) -> (usize, Vec<String>) {
    let mut random = Random(seed);
    let (mut hidden, mut shown) = (vec![true; forms.len()], Vec::new());
    for _ in 0..DRAWS {
        let tree = Tree::new("\n=== a.rs\nfn a() {}\n");
        let mut placed = Vec::new();
        for (number, form) in forms.iter().enumerate() {
            let drawn = drawn(&mut random, form);
            let path = format!("form-{number}/{}", form.path.as_deref().unwrap_or("notes.txt"));
            tree.write(&path, &drawn.text);
            placed.push((path, drawn));
        }
        let request = GrepRequest { max_results: 1_000, ..GrepRequest::new("^") };
        let reply = open(&tree).ask(&request).unwrap();
        for (number, (path, drawn)) in placed.iter().enumerate() {
            let lines = reply.lines.iter().filter(|line| line.path.as_str() == path);
            let mut text = lines.map(|line| line.text.as_str()).collect::<Vec<_>>().join("\n");
            if drawn.text.ends_with('\n') {
                text.push('\n');
            }
            if shows(text.as_bytes(), drawn) && std::mem::take(&mut hidden[number]) {
                shown.push(format!("shown: {}\n    {}", forms[number].name, text.replace('\n', "\n    ")));
            }
        }
    }
    (hidden.into_iter().filter(|hidden| *hidden).count(), shown)
}

fn check(data: &str, least_forms: usize, least_recall: f64) {
    let forms: Forms = toml::from_str(data).unwrap();
    let (hidden, shown) = told(&forms.form, 7);
    let recall = hidden as f64 / forms.form.len() as f64;
    println!("{hidden} of {} forms are hidden: recall {recall:.3}\n{}", forms.form.len(), shown.join("\n"));
    assert!(forms.form.len() >= least_forms && recall >= least_recall, "recall {recall:.3}");
}

#[test]
fn forms_that_patterns_were_written_for_are_hidden() {
    check(include_str!("secret_forms/forms.toml"), 88, 0.95);
}

#[test]
fn tokens_in_the_forms_of_their_issuers_are_hidden() {
    check(include_str!("secret_forms/issuers.toml"), 140, 0.98);
}

#[test]
fn values_that_only_their_line_ties_to_a_name_are_hidden() {
    check(include_str!("secret_forms/further.toml"), 225, 0.93);
}

#[test]
fn forms_that_no_pattern_was_written_for_are_hidden() {
    check(include_str!("secret_forms/held_out.toml"), 60, 0.85);
}

#[test]
fn lines_without_secrets_stay_as_they_are() {
    let all = include_str!("secret_forms/harmless.txt");
    let lines: Vec<&str> = all.lines().filter(|line| !line.starts_with("%% ")).collect();
    let masked = |line: &&str| {
        let mut text = line.to_string();
        mask_text(&mut text);
        (text != **line).then(|| format!("{line}\n    {text}"))
    };
    let wrong: Vec<String> = lines.iter().filter_map(masked).collect();
    // Lines next to each other, as a file has them.
    let mut whole = all.to_string();
    mask_text(&mut whole);
    let in_file = all.lines().zip(whole.lines()).filter(|(line, masked)| line != masked).count();
    println!("{} of {} are masked, {in_file} in a file\n{}", wrong.len(), lines.len(), wrong.join("\n"));
    assert!(lines.len() >= 1_000 && wrong.len().max(in_file) * 50 <= lines.len(), "{}", wrong.len());
}
