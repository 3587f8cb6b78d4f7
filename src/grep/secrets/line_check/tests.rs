//! Tests of the check of single lines against the masks of whole files.

use super::super::tests::Random;
use super::*;

/// Lines that open, continue, look like, or interrupt blocks. `#` becomes random base64.
const LINES: &[&str] = &[
    "",
    "   ",
    "\t",
    "password =",
    "  password:",
    "  password: |",
    "token: >-",
    "secret:|+\t",
    "db_password = (",
    "set_password(",
    "  \"password\",",
    "- name: DB_PASSWORD",
    "  value: ####################",
    "  \"value\": \"####################\"",
    "<key>api_key</key>",
    "<string>####################</string>",
    "tool --api-key \\",
    "  \"####################\"",
    "    ####################",
    "####################",
    "return nil, err",
    "}",
    "  foo(bar),",
    "a > b || c",
    "-----BEGIN RSA PRIVATE KEY-----",
    "-----END RSA PRIVATE KEY-----",
    "MIIE############################################################",
    "################################################################",
    "################################################################",
    "\"################################################################\\n\" +",
    "########################",
    "ab",
    "variable \"db_password\" {",
    "  default = \"####################\"",
];

fn text_of(random: &mut Random) -> Vec<u8> {
    let mut text = String::new();
    for _ in 0..1 + random.below(14) {
        let line = LINES[random.below(LINES.len())];
        for sign in line.chars() {
            match sign {
                '#' => text += &random.signs(super::super::tests::BASE64, 1),
                sign => text.push(sign),
            }
        }
        text += ["\n", "\n", "\n", "\r\n"][random.below(4)];
    }
    if random.below(4) == 0 {
        text.pop();
    }
    text.into_bytes()
}

#[test]
fn a_check_agrees_with_the_blocks_of_the_whole_text() {
    let mut random = Random(5);
    let (mut covered, mut clear, mut unknown) = (0, 0, 0);
    for _ in 0..30_000 {
        let text = text_of(&mut random);
        let (blocks, check, mut at) = (crate::secrets::blocks(&text), LineCheck::new(&text), 0);
        for line in text.split_inclusive(|byte| *byte == b'\n') {
            let end = at + line.len() as u64;
            let expected = blocks.iter().any(|block| block.span.start < end && block.span.end > at);
            match check.has_block(line, at) {
                Some(found) => {
                    let shown = String::from_utf8_lossy(&text);
                    assert_eq!(found, expected, "{:?} in\n{shown}", String::from_utf8_lossy(line));
                    *if found { &mut covered } else { &mut clear } += 1;
                }
                None => unknown += 1,
            }
            at = end;
        }
    }
    assert!(covered > 300 && clear > 20_000 && unknown > 1_000, "{covered} {clear} {unknown}");
}

#[test]
fn spans_are_masked_as_in_a_search_of_the_whole_text() {
    let (mut random, mut n_masked, mut n_plain) = (Random(11), 0, 0);
    for _ in 0..3_000 {
        let text = String::from_utf8(text_of(&mut random)).unwrap();
        let cover = crate::secrets::SecretMask::new("a.go", false, crate::secrets::blocks(text.as_bytes()));
        let starts: Vec<usize> = std::iter::once(0)
            .chain(text.match_indices('\n').map(|(at, _)| at + 1))
            .chain([text.len()])
            .collect();
        let spans = starts.windows(2).zip(starts.windows(3).step_by(2));
        for (line, lines) in spans {
            let spans = [line[0]..line[1], lines[0]..lines[2]];
            let one = crate::secrets::mask_lines(&text, spans[0].clone(), &cover).into_owned();
            let expected = crate::secrets::mask_lines(&one, spans[1].clone(), &cover).into_owned();
            let masked = crate::secrets::mask_spans(&text, &spans, ("a.go", false));
            assert_eq!(masked, expected, "{spans:?} of\n{text}");
            *if masked == text { &mut n_plain } else { &mut n_masked } += 1;
        }
    }
    assert!(n_masked > 300 && n_plain > 300, "{n_masked} {n_plain}");
}

#[test]
fn a_line_that_is_not_of_the_text_is_unknown() {
    let check = LineCheck::new(b"one\ntwo\n");
    assert_eq!((check.has_block(b"two\n", 4), check.has_block(b"two\n", 3)), (Some(false), None));
    assert_eq!((check.has_block(b"two\n", 6), check.has_block(b"two\n", u64::MAX)), (None, None));
    let parts = [check.has_block(b"wo\n", 5), check.has_block(b"tw", 4), check.has_block(b"one\ntwo\n", 0)];
    assert_eq!(parts, [None; 3]);
}
