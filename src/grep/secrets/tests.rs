//! Tests with a set of secrets and of harmless lines, and the share of each that is recognized correctly.
//!
//! The sources contain no values that look like real secrets: the test generates the values of the set from a seed.

use super::*;

/// A generator of pseudo-random numbers that are the same in every run (splitmix64).
pub(super) struct Random(pub u64);

impl Random {
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % bound as u64) as usize
    }

    pub fn signs(&mut self, of: &str, n: usize) -> String {
        (0..n).map(|_| of.as_bytes()[self.below(of.len())] as char).collect()
    }
}

const ALNUM: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const URL: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
pub(super) const BASE64: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const BASE32: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const BECH32: &str = "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L";
const HEX: &str = "0123456789abcdef";

/// Replaces `<<ALPHABET:N>>` in a line by random characters; also returns these characters separately.
fn filled(random: &mut Random, form: &str) -> (String, Vec<String>) {
    let (mut out, mut drawn) = (String::new(), Vec::new());
    let mut rest = form;
    while let Some(at) = rest.find("<<") {
        out += &rest[..at];
        let (inner, behind) = rest[at + 2..].split_once(">>").unwrap();
        let (alphabet, n) = inner.split_once(':').unwrap();
        let alphabet = match alphabet {
            "a" => ALNUM,
            "u" => URL,
            "b" => BASE64,
            "B" => BASE32,
            "g" => BECH32,
            "h" => HEX,
            "d" => "0123456789",
            other => panic!("{other}"),
        };
        let signs = random.signs(alphabet, n.parse().unwrap());
        out += &signs;
        drawn.push(signs);
        rest = behind;
    }
    (out + rest, drawn)
}

/// Lines with a secret, which consists of all the `<<…>>` in the line.
const TRUE: &str = include_str!("tests/secret.txt");

/// Lines without secrets.
const HARMLESS: &str = include_str!("tests/harmless.txt");

/// Whether any part of a line is masked.
fn is_masked(line: &str) -> bool {
    let mut text = line.to_string();
    mask_text(&mut text);
    assert_eq!(text.len(), line.len(), "{line}");
    text != line
}

/// Whether none of the generated values is visible in the masked line, and that line.
fn is_hidden(random: &mut Random, form: &str) -> (bool, String) {
    let (line, drawn) = filled(random, form);
    let mut text = line.clone();
    mask_text(&mut text);
    let is_shown = |signs: &String| {
        signs.as_bytes().windows(12).any(|part| text.contains(std::str::from_utf8(part).unwrap()))
    };
    (text != line && !drawn.iter().any(is_shown), line)
}

#[test]
fn the_verb_pass_before_code_names_no_password() {
    for line in ["you can pass `TRYBUILD=overwrite` to the command", "Pass `SEED=4711` here"] {
        assert!(!is_masked(line), "{line}");
    }
    for line in [
        "login: bob pass `Tr7#kkq92L!x`",
        "password `Tr7#kkq92L!x`",
        "pass \"Tr7#kkq92L!x\"",
        "pass: `Tr7#kkq92L!x`",
    ] {
        assert!(is_masked(line), "{line}");
    }
}

#[test]
fn names_types_and_expressions_of_code_are_no_secrets() {
    for line in [
        "incomingPasswordNeeded = accountState?.incomingPasswordNeeded ?: false,",
        "password = account!!.incomingServerPassword",
        "pass: this.session?.currentUser",
        "password = session->currentUser->plainText",
        "{ \"acmepass\", \"application/vnd.acmepass-acmepass+zip\" },",
        "private const val TOKEN = \"([a-zA-Z0-9-!#$%&'*+.^_`{|}~]+)\"",
        "INSERT INTO portal (\"clientId\", \"clientSecret\", \"wellKnownUrl\", \"role\")",
        "<path d=\"m33.7h17.8l18.3-22.7z 0H0v79.3h13.6V17l50.2 62.3\"/>",
        "\"acme.auth.hashers.PBKDF2PasswordHasher\",\n\"acme.auth.hashers.BCryptSHA256PasswordHasher\",\n",
    ] {
        let mut text = line.to_string();
        mask_text(&mut text);
        assert_eq!(text, line);
        assert!(blocks(line.as_bytes()).is_empty(), "{line}");
    }
    for line in [
        "password = hunter?.7Tr7kq!x",
        "token = \"a-zQ7!kk92[Lx0\"",
        "pass: \"text/Tr7#kkq92L!x\"",
        "password: \"Tr7#kkq92L!x.aB3$\"",
    ] {
        assert!(is_masked(line), "{line}");
    }
}

#[test]
fn secrets_are_told_from_what_looks_like_them() {
    const DRAWS: usize = 8;
    let mut random = Random(7);
    let (mut found, mut all, mut wrong, mut harmless) = (0, 0, 0, 0);
    let mut missed = Vec::new();
    for form in TRUE.lines() {
        for _ in 0..DRAWS {
            let (hidden, line) = is_hidden(&mut random, form);
            all += 1;
            found += usize::from(hidden);
            if !hidden {
                missed.push(format!("missed: {line}"));
            }
        }
    }
    for form in HARMLESS.lines() {
        for _ in 0..DRAWS {
            let (line, _) = filled(&mut random, form);
            harmless += 1;
            if is_masked(&line) {
                wrong += 1;
                missed.push(format!("masked: {line}"));
            }
        }
    }
    assert!(TRUE.lines().count() >= 60 && HARMLESS.lines().count() >= 60);
    let precision = found as f64 / (found + wrong) as f64;
    let recall = found as f64 / all as f64;
    println!("{all} with a secret, {harmless} without: precision {precision:.3}, recall {recall:.3}");
    println!("{}", missed.join("\n"));
    assert!(precision >= 0.97 && recall >= 0.97, "precision {precision:.3}, recall {recall:.3}");
}

#[test]
fn only_what_no_name_looks_like_is_masked_for_the_words_of_its_line() {
    for line in [
        "| password | PxTzSUTIdfdxqB |",
        "snmp-server community ObVcXvPzXqjiEa RO",
        "DB_DSN=app:mtrmL6zj3HrSSPxW@tcp(db:3306)/shop",
        "doctl auth init -t 2820ae748a1054ab68ab0bc55204547b926a3b20dd20cd90453cbbbc37db7843",
    ] {
        assert!(is_masked(line), "{line}");
    }
    for line in [
        "password getSessionTokenFromHttpRequest",
        "SecretKeyFactory.getInstance(\"PBKDF2WithHmacSHA256\");",
        "the token XMLHttpRequestUpload",
        "5d518818f1c6c369040b782f7852f53e  /etc/pam.d/common-password",
        "\"src/session.rs\":\"2820ae748a1054ab68ab0bc55204547b926a3b20dd20cd90453cbbbc37db7843\"",
        "MD5 (session.rs) = 5d518818f1c6c369040b782f7852f53e",
        "commit 2820ae748a1054ab68ab0bc55204547b926a3b20 mends the token",
    ] {
        assert!(!is_masked(line), "{line}");
    }
}

#[test]
fn a_key_in_hexadecimal_is_a_secret_whatever_its_digits() {
    let mut random = Random(13);
    for form in ["api_key: <<h:40>>", "apiKey = \"<<h:40>>\",", "password=<<h:64>>"] {
        for _ in 0..3_000 {
            let (hidden, line) = is_hidden(&mut random, form);
            assert!(hidden, "{line}");
        }
    }
}

fn check(text: &str, expected: &str) {
    let mut masked = text.to_string();
    mask_text(&mut masked);
    assert_eq!(masked, expected);
    let once = masked.clone();
    mask_text(&mut masked);
    assert_eq!(masked, once, "a mask is no secret");
}

#[test]
fn a_mask_says_what_it_stands_for_in_as_many_bytes() {
    let mut random = Random(3);
    let token = random.signs(ALNUM, 36);
    check(&format!("t = ghp_{token};"), &format!("t = ghp_[masked: github token]{};", "*".repeat(14)));
    let password = format!("{}!9", random.signs(ALNUM, 10));
    check(&format!("password: '{password}'"), "password: '[masked]****'");
    let password = random.signs(ALNUM, 20);
    check(&format!("größe; password: '{password}ß'"), "größe; password: '[masked: password]****'");
    check("let a = b;", "let a = b;");
    // A mask ends at a character boundary, even at the maximum length of a pattern.
    for lead in ["aB1!", "aB1!x"] {
        let shown = "ß".repeat(52);
        let line = format!("curl -u me:{lead}{} https://h", "ß".repeat(150));
        let masked = (line.len() - "curl -u me:".len() - shown.len() - " https://h".len())
            - "[masked: password]".len();
        check(&line, &format!("curl -u me:[masked: password]{}{shown} https://h", "*".repeat(masked)));
    }
}

#[test]
fn private_keys_are_masked_on_all_their_lines() {
    let mut random = Random(5);
    let body: Vec<String> = (0..5).map(|_| random.signs(BASE64, 64)).collect();
    let dashes = "-".repeat(5);
    let key = |end: &str| {
        format!(
            "{dashes}BEGIN RSA PRIVATE KEY{dashes}{end}{}{end}{dashes}END RSA PRIVATE KEY{dashes}",
            body.join(end)
        )
    };
    for end in ["\n", "\r\n", "\\n", "\\n\" +\n  \""] {
        let text = format!("a\n\"{}\"\nlet after = 1;\n", key(end));
        let mut masked = text.clone();
        mask_text(&mut masked);
        assert_eq!(masked.len(), text.len());
        assert_eq!(masked.lines().count(), text.lines().count());
        for line in &body {
            assert!(!masked.contains(&line[..12]) && !masked.contains(&line[40..]), "{masked}");
        }
        assert!(masked.starts_with(&format!("a\n\"{dashes}BEGIN RSA")), "{masked}");
        assert!(
            masked.ends_with(&format!("{dashes}END RSA PRIVATE KEY{dashes}\"\nlet after = 1;\n")),
            "{masked}"
        );
        assert!(masked.contains("[masked: private key]"), "{masked}");
        assert_eq!(blocks_of(text.as_bytes()).unwrap(), blocks(text.as_bytes()));
    }
    // A key that is cut off in the middle, and a text about keys.
    let cut = format!("{dashes}BEGIN PRIVATE KEY{dashes}\n{}\n{}\nfn code() {{}}\n", body[0], body[1]);
    let mut masked = cut.clone();
    mask_text(&mut masked);
    assert!(!masked.contains(&body[1][..8]) && masked.ends_with("\nfn code() {}\n"), "{masked}");
    check(
        &format!("a {dashes}BEGIN PRIVATE KEY{dashes} line\nlet more = code();\n"),
        &format!("a {dashes}BEGIN PRIVATE KEY{dashes} line\nlet more = code();\n"),
    );
}

#[test]
fn a_key_in_a_large_file_is_found_wherever_it_stands() {
    let mut random = Random(11);
    let dashes = "-".repeat(5);
    let mut text = String::new();
    for _ in 0..12 {
        for _ in 0..random.below(700) {
            text += "a line of other text about a PRIVATE KEY of somebody\n";
        }
        text += &format!("{dashes}BEGIN EC PRIVATE KEY{dashes}\n");
        for _ in 0..3 {
            text += &format!("{}\n", random.signs(BASE64, 64));
        }
        text += &format!("{dashes}END EC PRIVATE KEY{dashes}\n");
    }
    assert_eq!(blocks(text.as_bytes()).len(), 12);
    assert_eq!(blocks_of(text.as_bytes()).unwrap(), blocks(text.as_bytes()));
}

#[test]
fn a_block_is_found_on_either_side_of_where_a_large_file_is_cut() {
    let mut random = Random(17);
    let filler = "a line of other text, without any secret\n";
    let dashes = "-".repeat(5);
    let lines = |random: &mut Random, n: usize| -> String {
        (0..n).map(|_| random.signs(BASE64, 64) + "\n").collect()
    };
    let mut text = String::new();
    let mut expected = 0;
    // The boundaries of pieces fall at arbitrary positions in these texts.
    while text.len() < 3 * PIECE + 5 * REACH {
        for _ in 0..20 + random.below(200) {
            text += filler;
        }
        expected += 1;
        match random.below(4) {
            0 => {
                let body = lines(&mut random, 25);
                text +=
                    &format!("{dashes}BEGIN PRIVATE KEY{dashes}\n{body}{dashes}END PRIVATE KEY{dashes}\n");
            }
            1 => text += &lines(&mut random, 30),
            2 => {
                let body = lines(&mut random, 30);
                text +=
                    &format!("{dashes}BEGIN CERTIFICATE{dashes}\n{body}{dashes}END CERTIFICATE{dashes}\n");
                expected -= 1;
            }
            _ => text += &format!("password:\n  {}9!\n", random.signs(ALNUM, 14)),
        }
    }
    let whole = blocks(text.as_bytes());
    assert_eq!(whole.len(), expected);
    assert_eq!(blocks_of(text.as_bytes()).unwrap(), whole);
}

/// Base64 whose first line says that it is not a key, or that has a different format than keys.
#[test]
fn base64_of_something_else_is_no_key() {
    let mut random = Random(19);
    let dashes = "-".repeat(5);
    let mut lines = |of: &str, width: usize, n: usize| -> String {
        (0..n).map(|_| random.signs(of, width) + "\n").collect()
    };
    let same = |text: &str| check(text, text);
    for kind in ["CERTIFICATE", "PUBLIC KEY", "PGP PUBLIC KEY BLOCK"] {
        let body = lines(BASE64, 64, 12);
        same(&format!("{dashes}BEGIN {kind}{dashes}\n{body}{dashes}END {kind}{dashes}\n"));
        let quoted = body.replace('\n', "\\n\" +\n    \"");
        same(&format!(
            "x = \"{dashes}BEGIN {kind}{dashes}\\n\" +\n    \"{quoted}{dashes}END {kind}{dashes}\"\n"
        ));
    }
    same(&lines(BASE64, 76, 12));
    same(&lines(BASE64, 64, 2));
    same(&lines(HEX, 64, 12));
    same(&lines(BASE64, 64, 400));
}

#[test]
fn of_a_body_without_its_first_line_all_lines_are_masked() {
    let mut random = Random(29);
    let body: String = (0..6).map(|_| random.signs(BASE64, 64) + "\n").collect();
    let text = format!("before = 1\n{body}{}==\nafter = 2\n", random.signs(BASE64, 22));
    let mut masked = text.clone();
    mask_text(&mut masked);
    let lines: Vec<&str> = masked.lines().collect();
    assert_eq!((lines.len(), lines[0], lines[8]), (9, "before = 1", "after = 2"));
    for (line, was) in lines[1..8].iter().zip(text.lines().skip(1)) {
        assert_eq!(line.len(), was.len());
        assert!(
            line.starts_with("[masked: private key]*") || line.starts_with("[masked: private key]"),
            "{line}"
        );
    }
}

#[test]
fn a_value_on_the_line_after_its_name_is_masked_and_other_lines_stay() {
    let mut random = Random(31);
    let secret = random.signs(ALNUM, 20) + "7!";
    let mask = format!("[masked: password]{}", "*".repeat(22 - 18));
    for form in [
        "password:\n  @\nname: of-the-3rd-kind\n",
        "password:\n\n  @\nname: of-the-3rd-kind\n",
        "password: >-\n  @\nname: of-the-3rd-kind\n",
        "db:\n  password: |\n    @\n    @\n  name: of-the-3rd-kind\n",
        "set_password(\n    \"@\",\n    \"of-the-3rd-kind\",\n)\n",
        "- name: DB_PASSWORD\n  value: \"@\"\n- name: KIND\n  value: of-the-3rd-kind\n",
        "{\r\n  \"Name\": \"DB_PASSWORD\",\r\n  \"Value\": \"@\"\r\n}\r\n",
    ] {
        check(&form.replace('@', &secret), &form.replace('@', &mask));
    }
}

/// The lines of a file at `path` as they are shown.
fn shown_at(path: &str, text: &str) -> String {
    let cover = SecretMask::new(path, false, blocks(text.as_bytes()));
    String::from_utf8(mask_all(text.as_bytes(), &cover)).unwrap()
}

#[test]
fn in_a_file_that_announces_secrets_values_are_masked_whatever_they_look_like() {
    let settings =
        "{\n  \"Password\": \"plain words\",\n  \"Title\": \"plain words\",\n  \"Token\": \"${TOKEN}\"\n}\n";
    let masked = settings.replacen("plain words", "[masked]***", 1);
    assert_eq!(shown_at("api/appsettings.Production.json", settings), masked);
    assert_eq!(shown_at("api/settings.json", settings), settings);

    let php =
        "define( 'AUTH_KEY', 'a b{c}d e%f' );\ndefine( 'DB_HOST', 'localhost' );\n$table_prefix = 'wp_';\n";
    assert_eq!(shown_at("wp-config.php", php), php.replace("a b{c}d e%f", "[masked]***"));

    let values =
        "# plain words\ndata:\n  mailer: plain words\n  - plain words\n  quoted: \"plain words\" # why\n";
    let masked =
        values.replace(" plain words\n  ", " [masked]***\n  ").replace("\"plain words\"", "\"[masked]***\"");
    assert_eq!(shown_at("config/secrets.yaml", values), masked);
    let json = "{\"a\": \"one two three\", \"b\": {\"type\": \"x\", \"c\": 87604329}}\n";
    let masked = "{\"a\": \"[masked]*****\", \"b\": {\"type\": \"x\", \"c\": [masked]}}\n";
    assert_eq!(shown_at("service-account.json", json), masked);
    // A Helm template, and the names in a manifest.
    let template = "{{- if .Values.db }}\napiVersion: v1\nkind: Secret\nmetadata:\n  name: the-database\ndata:\n  \
                    password: {{ .Values.db.password | b64enc }}\n  user: \"{{ .Values.db.user }}\"\n{{- end }}\n";
    assert_eq!(shown_at("templates/secrets.yaml", template), template);
}

#[test]
fn of_a_file_of_secrets_only_names_are_shown() {
    let cover = SecretMask { whole: true, ..SecretMask::default() };
    let shown = |line: &str| {
        cover.line(line.as_bytes(), 0).map_or(line.to_string(), |it| String::from_utf8(it).unwrap())
    };
    assert_eq!(shown("PASSWORD=letmein\n"), "PASSWORD=*******\n");
    assert_eq!(shown("  user: somebody at home\r\n"), "  user: [masked]********\r\n");
    assert_eq!(shown("\n"), "\n");
    let mut random = Random(2);
    let line = format!("{}==", random.signs(ALNUM, 40));
    assert_eq!(shown(&line), format!("[masked: file of secrets]{}", "*".repeat(42 - 25)));
}
