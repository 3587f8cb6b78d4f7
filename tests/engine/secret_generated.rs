//! Which share of generated passwords is masked, in each of the forms in which passwords stand in files.
//!
//! The forms are data in `secret_forms/generated.toml`. The passwords are drawn from a seed when the test runs.

use serde::Deserialize;
use spyhop_grep::secrets::mask_text;

use super::Random;

/// How many passwords are drawn for each form.
const PASSWORDS: usize = 240;

/// The share of passwords that is masked in every form, and in all forms together.
const MIN_OF_FORM: f64 = 0.9;
const MIN_OF_ALL: f64 = 0.98;

const LETTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const DIGITS: &str = "0123456789";
/// The signs of the generators of passwords: few that every system takes, those of many web sites, and all of ASCII.
const SIGNS: [&str; 5] =
    ["", "-_", "!@#$%^&*", "!#$%&()*+,-./:;<=>?@[]^_{|}~", "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"];

#[derive(Deserialize)]
struct Forms {
    form: Vec<PasswordForm>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PasswordForm {
    name: String,
    text: String,
    #[serde(default)]
    encoding: Encoding,
    #[serde(default)]
    without: String,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Encoding {
    #[default]
    Plain,
    String,
    Single,
    Doubled,
    Shell,
    Xml,
    Percent,
    Base64,
    User,
}

impl Encoding {
    fn encode(&self, password: &str) -> String {
        let escaped = |quote: char| password.replace('\\', "\\\\").replace(quote, &format!("\\{quote}"));
        match self {
            Encoding::Plain => password.to_string(),
            Encoding::String => escaped('"'),
            Encoding::Single => escaped('\''),
            Encoding::Doubled => password.replace('\'', "''"),
            Encoding::Shell => password.replace('\'', "'\\''"),
            Encoding::Xml => {
                let named = [('&', "&amp;"), ('<', "&lt;"), ('>', "&gt;"), ('"', "&quot;")];
                named.iter().fold(password.to_string(), |text, (sign, name)| text.replace(*sign, name))
            }
            Encoding::Percent => {
                let sign = |byte: u8| match byte {
                    byte if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) => {
                        (byte as char).to_string()
                    }
                    byte => format!("%{byte:02X}"),
                };
                password.bytes().map(sign).collect()
            }
            Encoding::Base64 => base64(password.as_bytes()),
            Encoding::User => base64(format!("app:{password}").as_bytes()),
        }
    }
}

fn base64(bytes: &[u8]) -> String {
    let alphabet = [LETTERS, DIGITS, "+/"].concat();
    let group = |three: &[u8]| {
        let bits = three.iter().chain([&0, &0]).take(3).fold(0, |bits, byte| bits << 8 | usize::from(*byte));
        let sign = |at: usize| alphabet.as_bytes()[bits >> (18 - 6 * at) & 63] as char;
        (0..4).map(|at| if at <= three.len() { sign(at) } else { '=' }).collect::<String>()
    };
    bytes.chunks(3).map(group).collect()
}

/// A password as generators make them: 12 to 32 signs, of every class at least one.
fn password(random: &mut Random, without: &str) -> String {
    let classes =
        [LETTERS[..26].to_string(), LETTERS[26..].into(), DIGITS.into(), SIGNS[random.below(5)].into()];
    let classes =
        classes.map(|class| class.chars().filter(|sign| !without.contains(*sign)).collect::<Vec<_>>());
    let all = classes.concat();
    let len = 12 + random.below(21);
    loop {
        let drawn: String = (0..len).map(|_| all[random.below(all.len())]).collect();
        let has = |class: &Vec<char>| class.is_empty() || drawn.chars().any(|sign| class.contains(&sign));
        if classes.iter().all(has) {
            return drawn;
        }
    }
}

/// Whether four bytes in a row of the value at `at` are where they were.
fn shows(text: &str, masked: &str, at: usize, len: usize) -> bool {
    assert_eq!(text.len(), masked.len(), "{masked}");
    (at..=at + len - 4).any(|place| text.as_bytes()[place..place + 4] == masked.as_bytes()[place..place + 4])
}

#[test]
fn generated_passwords_are_masked_in_every_form() {
    let forms: Forms = toml::from_str(include_str!("secret_forms/generated.toml")).unwrap();
    let mut random = Random(11);
    let (mut hidden, mut weak) = (0, Vec::new());
    for form in &forms.form {
        let mut shown = Vec::new();
        for _ in 0..PASSWORDS {
            let value = form.encoding.encode(&password(&mut random, &form.without));
            let (before, behind) = form.text.split_once("@@").unwrap();
            let text = [before, &value, behind].concat();
            let mut masked = text.clone();
            mask_text(&mut masked);
            if shows(&text, &masked, before.len(), value.len()) {
                shown.push(format!("{}\n      {}", text.trim_end(), masked.trim_end()));
            }
        }
        hidden += PASSWORDS - shown.len();
        let share = 1.0 - shown.len() as f64 / PASSWORDS as f64;
        if !shown.is_empty() {
            println!("{share:.3} {}\n      {}", form.name, shown[..shown.len().min(4)].join("\n      "));
        }
        if share < MIN_OF_FORM {
            weak.push(format!("{share:.3} {}", form.name));
        }
    }
    let share = hidden as f64 / (forms.form.len() * PASSWORDS) as f64;
    println!(
        "{hidden} of {} values in {} forms are masked: {share:.4}",
        forms.form.len() * PASSWORDS,
        forms.form.len()
    );
    assert!(weak.is_empty() && share >= MIN_OF_ALL, "{share:.4}, and by form:\n{}", weak.join("\n"));
}
