//! Decides by its form whether a value is a secret, once its context suggests that it may be one.
//!
//! Examples, values that a program reads from elsewhere, words and names are not secrets. The bounds were set on the
//! test set in `tests.rs` and are otherwise arbitrary.

use memchr::memmem;

use super::table::TABLE;

/// The expected kind of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ValueKind {
    /// A password, made up by a person.
    Password,
    /// A secret such as `client_secret`, made by a machine or made up by a person.
    Secret,
    /// A key, made by a machine.
    Key,
}

impl ValueKind {
    /// The name of such a value in a mask.
    pub fn label(self) -> &'static str {
        if self == ValueKind::Password { "password" } else { "key or token" }
    }
}

/// The context of a value in its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ValueContext {
    /// In quotes.
    Quoted,
    /// Without quotes where quotes are not needed: in a command, an environment, a URL, a line of settings.
    Literal,
    /// Without quotes where code may be.
    Code,
}

/// Whether a token with an issuer's prefix removed is a placeholder.
pub(crate) fn is_placeholder(value: &[u8]) -> bool {
    let placeholder = &TABLE.placeholder;
    is_example(value)
        || placeholder.known.iter().any(|known| value.ends_with(known.as_bytes()))
        || distinct(value) < 5.min(value.len())
}

/// The longest value that is checked for words of examples; a longer value contains some such word by chance.
const MAX_EXAMPLE: usize = 200;

/// Whether a value contains a word that marks an example.
fn is_example(value: &[u8]) -> bool {
    if value.len() > MAX_EXAMPLE {
        return false;
    }
    let lower = value.to_ascii_lowercase();
    // Drawn letters spell a short word by chance, but hardly in one case.
    let is_written = |word: &[u8]| {
        memmem::find_iter(&lower, word).any(|at| {
            let written = &value[at..at + word.len()];
            word.len() > 5
                || written.iter().all(|byte| !byte.is_ascii_uppercase())
                || written[1..].iter().all(|byte| !byte.is_ascii_lowercase())
                || written[1..].iter().all(|byte| !byte.is_ascii_uppercase())
        })
    };
    TABLE.placeholder.words.iter().any(|word| is_written(word.as_bytes()))
}

/// The first of `words` that `lower` contains.
fn holds<'w>(lower: &[u8], words: &'w [String]) -> Option<&'w String> {
    words.iter().find(|word| memmem::find(lower, word.as_bytes()).is_some())
}

/// Whether a value that is assigned to a name for secrets is a secret.
pub(crate) fn is_secret(kind: ValueKind, value: &[u8], value_context: ValueContext) -> bool {
    let least = if kind == ValueKind::Key && !is_generated(value) { 16 } else { 8 };
    if value.len() < least || value.len() > 1_000 || value.iter().any(|byte| *byte <= b' ') {
        return false;
    }
    if value.iter().all(u8::is_ascii_alphabetic)
        && !looks_random(value)
        && (value_context == ValueContext::Code || !is_generated(value))
    {
        return false;
    }
    if is_expression(value, value_context) || is_placeholder(value) {
        return false;
    }
    match kind {
        ValueKind::Password => {
            (looks_random(value)
                || is_generated(value)
                || (value_context != ValueContext::Code && is_made_up(value)))
                && !is_word_for_password(value)
        }
        ValueKind::Secret => {
            (value.len() >= 16 && looks_random(value))
                || is_generated(value)
                || (value.len() >= 10
                    && value_context != ValueContext::Code
                    && has_digit(value)
                    && is_made_up(value))
                    && !is_word_for_password(value)
        }
        ValueKind::Key => looks_random(value) || is_generated(value),
    }
}

/// Whether a generator of passwords made a value, whatever signs the value contains: letters of both cases with digits or
/// signs, which change all the time. Code with as many signs has words between them, and closes each bracket that it opens.
pub(crate) fn is_generated(value: &[u8]) -> bool {
    // Few letters alone make a name, so their runs may be longer if they are not words.
    let most = if value.iter().all(u8::is_ascii_alphabetic) { 26 } else { 23 };
    is_drawn(value, most) || is_unlike_names(value)
}

/// The evidence that letters and digits of both cases were drawn and do not make a name, in tenths of the natural logarithm of
/// the ratio of both chances. Each two neighbours add their part, by how often names and drawn values have such neighbours.
fn evidence(value: &[u8]) -> i32 {
    let of_pair = |pair: &[u8]| match (class(pair[0]), class(pair[1])) {
        (SignClass::Other, _) | (_, SignClass::Other) => 0,
        (SignClass::Digit, SignClass::Digit) => -11,
        (_, SignClass::Digit) => 11,
        (SignClass::Digit, _) => 5,
        // A new word begins.
        (SignClass::Lower, SignClass::Upper) => 12,
        // Abbreviations in capitals have pairs that no word has.
        (SignClass::Upper, SignClass::Upper) if is_known_pair(pair[0], pair[1]) => -2,
        (SignClass::Upper, SignClass::Upper) => 14,
        (before, _) => {
            let of_case = if before == SignClass::Lower { -5 } else { -2 };
            of_case + if is_known_pair(pair[0], pair[1]) { -6 } else { 29 }
        }
    };
    value.windows(2).map(of_pair).sum()
}

/// The least evidence that a value was drawn. Of values of 14 drawn letters 85 in a hundred have more, and of 26,072 real lines
/// with words such as `token` no line more is masked for it.
const MIN_EVIDENCE: i32 = 40;

/// Whether letters and digits of both cases follow each other as in drawn values and in no name.
pub(crate) fn is_unlike_names(value: &[u8]) -> bool {
    (12..=200).contains(&value.len())
        && value.iter().all(|byte| byte.is_ascii_alphanumeric() || b"!@#$%^*+~?/".contains(byte))
        && value.iter().any(u8::is_ascii_lowercase)
        && value.iter().any(u8::is_ascii_uppercase)
        && distinct(value) * 3 >= value.len().min(24) * 2
        && evidence(value) >= MIN_EVIDENCE
}

/// Whether a value of letters and digits may be drawn, though its runs are longer than those of most drawn values.
pub(crate) fn may_be_drawn(value: &[u8]) -> bool {
    is_generated(value)
        || (value.iter().all(u8::is_ascii_alphanumeric) && has_digit(value) && is_drawn(value, 32))
}

/// Whether a value looks drawn, whose runs have at most `most` tenths of a character on average.
fn is_drawn(value: &[u8], most: u32) -> bool {
    value.len() >= 10
        && value.len() <= 200
        && value.iter().all(|byte| *byte > b' ')
        && value.iter().any(u8::is_ascii_lowercase)
        && value.iter().any(u8::is_ascii_uppercase)
        && (has_digit(value)
            || value.iter().filter(|byte| b"!@#$%^+?~".contains(byte)).count() >= 2
            || value.iter().all(u8::is_ascii_alphabetic))
        && distinct(value) * 3 >= value.len().min(24) * 2
        && changes_often(value, most)
        && !is_wordy(value)
        && !is_bracketed(value)
}

/// Whether a run of one class of letters or digits has at most `most` tenths of a character on average: drawn values have
/// 1.6 characters, names more than 3.
fn changes_often(value: &[u8], most: u32) -> bool {
    let (mut runs, mut signs, mut before) = (0u32, 0u32, SignClass::Other);
    for class in value.iter().map(|byte| class(*byte)) {
        signs += u32::from(class != SignClass::Other);
        runs += u32::from(class != SignClass::Other && class != before);
        before = class;
    }
    runs >= 4 && signs * 10 <= runs * most
}

/// Whether half of the letters belong to words of four letters and more, each of which may begin with a capital.
fn is_wordy(value: &[u8]) -> bool {
    let is_seam = |pair: &[u8]| !pair[1].is_ascii_lowercase() || !pair[0].is_ascii_alphabetic();
    let is_word = |part: &[u8]| {
        let word =
            &part[part.len() - part.iter().rev().take_while(|byte| byte.is_ascii_alphabetic()).count()..];
        word.len() >= 4 && word.windows(2).all(|pair| is_known_pair(pair[0], pair[1]))
    };
    let letters = value.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
    let (mut start, mut in_words) = (0, 0);
    for end in (1..=value.len()).filter(|end| *end == value.len() || is_seam(&value[end - 1..=*end])) {
        let part = &value[start..end];
        in_words += if is_word(part) { part.len() } else { 0 };
        start = end;
    }
    in_words * 2 >= letters
}

/// Whether a value calls or indexes: a bracket follows a name, and all brackets are in pairs.
fn is_bracketed(value: &[u8]) -> bool {
    let (mut open, mut follows) = (Vec::new(), false);
    for (at, byte) in value.iter().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => {
                follows |=
                    at > 0 && (value[at - 1].is_ascii_alphanumeric() || b"_])".contains(&value[at - 1]));
                open.push(if *byte == b'(' { b')' } else { byte + 2 });
            }
            b')' | b']' | b'}' if open.pop() != Some(*byte) => return false,
            _ => {}
        }
    }
    follows && open.is_empty()
}

/// Whether there is a real value: for files whose names announce secrets, where the form of a value does not matter.
pub(crate) fn is_given(value: &[u8], value_context: ValueContext) -> bool {
    const WORDS: [&[u8]; 5] = [b"true", b"false", b"null", b"none", b"nil"];
    value_context != ValueContext::Code
        && !WORDS.iter().any(|word| word.eq_ignore_ascii_case(value))
        && !is_reference(value)
        && !is_example(value)
}

/// Whether a value in a file of secrets is a real value, and not structure or a template.
pub(crate) fn is_any_value(value: &[u8]) -> bool {
    const STRUCTURE: &[u8] = b"{}[](),;|>-*&!<?: \t";
    let is_structure = value.iter().all(|byte| STRUCTURE.contains(byte));
    let is_tag = value.first().is_some_and(|first| b"!&*".contains(first)) || matches!(value, b"|+" | b">+");
    !is_structure && !is_tag && is_given(value, ValueContext::Quoted)
}

/// Whether a value refers to another place for the real value.
fn is_reference(value: &[u8]) -> bool {
    const MARKS: [&[u8]; 6] = [b"${", b"{{", b"$(", b"<%", b"#{", b"%{"];
    MARKS.iter().any(|mark| memmem::find(value, mark).is_some())
        || (value.starts_with(b"<") && value.ends_with(b">"))
}

/// Whether a value looks like a password that a person made up: letters with digits or signs, and neither a name nor an
/// address.
fn is_made_up(value: &[u8]) -> bool {
    let is_sign = |byte: &u8| b"!@#$%^&*+~?=".contains(byte);
    if !value.iter().any(u8::is_ascii_alphabetic)
        || is_address(value)
        || value.iter().any(|byte| b"()[]{}\\".contains(byte))
    {
        return false;
    }
    let signs = value.iter().filter(|byte| is_sign(byte)).count();
    let is_mixed = value.iter().any(u8::is_ascii_lowercase) && value.iter().any(u8::is_ascii_uppercase);
    if has_digit(value) {
        let digits_in_a_row = value.windows(2).any(|pair| pair.iter().all(u8::is_ascii_digit));
        let is_path = value.iter().filter(|byte| b"/:".contains(byte)).count() > 1;
        return signs > 0 || (!is_path && (is_mixed || digits_in_a_row));
    }
    // A single sign at either end is punctuation.
    signs > 1 || value[1..value.len() - 1].iter().any(is_sign)
}

/// Whether a value is a word for passwords with a short addition, such as `password123`.
fn is_word_for_password(value: &[u8]) -> bool {
    let lower = value.to_ascii_lowercase();
    let placeholder = &TABLE.placeholder;
    if placeholder.passwords.iter().any(|word| lower == word.as_bytes()) {
        return true;
    }
    let Some(word) = holds(&lower, &placeholder.password_words).filter(|_| value.len() < 24) else {
        return false;
    };
    let start = memmem::find(&lower, word.as_bytes()).unwrap_or_default();
    let added = [&value[..start], &value[start + word.len()..]].concat();
    let has = |of: fn(&u8) -> bool| added.iter().any(of);
    added.len() < 8 || !(has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase) && has_digit(&added))
}

/// Whether a value is a mail address, a format string or the like.
fn is_address(value: &[u8]) -> bool {
    let formats: [&[u8]; 5] = [b"%s", b"%d", b"%v", b"%q", b"%w"];
    let is_mail = || {
        let domain = memchr::memrchr(b'@', value)
            .map(|at| &value[at + 1..])
            .filter(|domain| domain.len() < value.len() - 1);
        domain
            .and_then(|domain| memchr::memrchr(b'.', domain).map(|at| &domain[at + 1..]))
            .is_some_and(|top| (2..=4).contains(&top.len()) && top.iter().all(u8::is_ascii_lowercase))
    };
    formats.iter().any(|format| memmem::find(value, format).is_some()) || is_mail()
}

/// Whether a value looks machine-made: enough different characters, digits among letters, and no words.
pub(crate) fn looks_random(value: &[u8]) -> bool {
    // Letters alone are words unless the case changes all the time.
    let most = match has_digit(value) {
        // Random values of this length can have longer runs.
        true if value.len() >= 24 && value.iter().all(u8::is_ascii_alphanumeric) => 3.7,
        true => 3.2,
        false => 2.8,
    };
    classes(value) >= 2
        && value.iter().any(u8::is_ascii_alphabetic)
        && entropy(value) >= if value.len() < 16 { 2.5 } else { 3.0 }
        && (mean_run(value) <= most || is_hex(value) || is_no_word(value))
}

/// The letters that follow each letter of the alphabet in words. These pairs make up 97.5 % of the pairs in the sources
/// of Linux, Kubernetes and some crates.
#[rustfmt::skip]
const FOLLOWERS: [&[u8]; 26] = [
    b"bcdefgiklmnprstuvwxy", b"aceijlnoprsuy", b"abcdefghiklmnoprstuvy", b"abcdefilmnoprstuvwy",
    b"abcdefgilmnopqrstuvwxy", b"acdefgilmnoprstuy", b"aceghilmnorsu", b"adeilmorstuy",
    b"abcdefgklmnoprstvwxz", b"e", b"aeilnsu", b"abcdefgilmnopstuvy",
    b"abcdeilmnopstuy", b"abcdefghiklmnoprstuvy", b"abcdefgiklmnoprstuvwx", b"acdefhiklmoprstuy",
    b"u", b"abcdefghiklmnopqrstuvwy", b"acdefghiklmnoprstuvwy", b"abcdefhiklmnoprstuwxy",
    b"abcdefgilmnprst", b"acdefimoprst", b"aehilnors", b"abcdefipt",
    b"eimnpst", b"ae",
];

/// Whether too many letter pairs occur in no word: at least three pairs in ten, as in one of a thousand identifiers and
/// in four of five random values.
fn is_no_word(value: &[u8]) -> bool {
    if value.len() < 12 {
        return false;
    }
    let (mut pairs, mut unknown) = (0, 0);
    for pair in value.windows(2).filter(|pair| pair.iter().all(u8::is_ascii_alphabetic)) {
        // An upper-case letter after a lower-case one begins a new word.
        if pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase() {
            continue;
        }
        pairs += 1;
        unknown += usize::from(!is_known_pair(pair[0], pair[1]));
    }
    unknown >= 3 && unknown * 10 >= pairs * 3
}

/// Whether two letters follow each other in words.
fn is_known_pair(first: u8, second: u8) -> bool {
    FOLLOWERS[usize::from(first.to_ascii_lowercase() - b'a')].contains(&second.to_ascii_lowercase())
}

/// Whether a value is a hexadecimal number. Ten of the sixteen digits are decimal, so random numbers can have long runs
/// of decimal digits, and the other six letters form no words of such a length.
fn is_hex(value: &[u8]) -> bool {
    let one_case = !value.iter().any(u8::is_ascii_lowercase) || !value.iter().any(u8::is_ascii_uppercase);
    value.len() >= 16 && one_case && value.iter().all(u8::is_ascii_hexdigit)
}

fn has_digit(value: &[u8]) -> bool {
    value.iter().any(u8::is_ascii_digit)
}

/// Whether a value is an expression for a value from elsewhere.
fn is_expression(value: &[u8], value_context: ValueContext) -> bool {
    const MARKS: [&[u8]; 3] = [b"://", b"()", b"::"];
    let first = value[0];
    if is_inserted(value) || is_regex(value) {
        return true;
    }
    if is_generated(value) {
        return false;
    }
    if is_chain(value, value_context) || is_media_type(value) {
        return true;
    }
    if MARKS.iter().any(|mark| memmem::find(value, mark).is_some()) {
        return true;
    }
    let is_variable = || {
        // A variable has a name; what else follows the sign may be drawn.
        let rest = &value[1..];
        !(rest.len() >= 10
            && rest.iter().all(u8::is_ascii_alphanumeric)
            && classes(rest) == 3
            && looks_random(rest))
    };
    if (b"<${%@&#".contains(&first) && is_variable()) || (value.ends_with(b"}") && value.contains(&b'{')) {
        return true;
    }
    // Numbers, and lists of settings such as the tags of a Go field.
    let is_number = value.starts_with(b"0x") && value.len() <= 18;
    if is_uuid(value) || is_number || (value.contains(&b',') && value.contains(&b'=')) {
        return true;
    }
    // The name of a constant, such as `P2P_SSID_LEN`; without quotes also the name of a variable.
    let quoted = value_context == ValueContext::Quoted;
    let is_other = |byte: &u8| byte.is_ascii_digit() || b"_.".contains(byte);
    let short_pieces = || value.split(|byte| b"_.".contains(byte)).all(|piece| piece.len() <= 12);
    let one_case = value.iter().all(|byte| byte.is_ascii_uppercase() || is_other(byte))
        || (!quoted && value.iter().all(|byte| byte.is_ascii_lowercase() || is_other(byte)));
    if value.contains(&b'_') && one_case && short_pieces() {
        return true;
    }
    if value_context == ValueContext::Literal {
        // Base64 may begin with a slash, as a path does.
        return b"/.~-".contains(&first) && mean_run(value) > 2.5;
    }
    // Code without quotes calls, indexes and names fields.
    !quoted
        && !is_hex(value)
        && (value.iter().any(|byte| b"()[]{}<>".contains(byte))
            || is_path(value)
            || b"/.~*-".contains(&first))
}

/// Whether a value contains the mark of an insertion, and behind the mark what such a mark inserts: the text up to the mark's
/// end is a name or a short expression. A drawn value may contain a mark, but hardly with its end.
fn is_inserted(value: &[u8]) -> bool {
    const MARKS: [(&[u8], u8); 7] = [
        (b"${", b'}'),
        (b"{{", b'}'),
        (b"$(", b')'),
        (b"<%", b'>'),
        (b"%(", b')'),
        (b"#{", b'}'),
        (b"%{", b'}'),
    ];
    MARKS.iter().any(|(mark, end)| {
        let Some(at) = memmem::find(value, mark) else { return false };
        let inner = &value[at + mark.len()..];
        match memchr::memchr(*end, inner) {
            Some(len) => !(is_generated(&inner[..len]) || (at > 0 && is_generated(value))),
            // A blank ends the value within the expression.
            None => at == 0 && !is_generated(value),
        }
    })
}

/// Whether a value has a class of signs of a regular expression, such as `[a-z_]` or `a-zA-Z`.
pub(crate) fn is_regex(value: &[u8]) -> bool {
    const RANGES: [&[u8]; 3] = [b"a-z", b"A-Z", b"0-9"];
    let ranges = |text: &[u8]| RANGES.iter().filter(|range| memmem::find(text, range).is_some()).count();
    let mut classes = memchr::memchr_iter(b'[', value).map(|at| &value[at + 1..]);
    let is_class = |text: &[u8]| ranges(&text[..memchr::memchr(b']', text).unwrap_or(0)]) > 0;
    ranges(value) > 1 || classes.any(is_class)
}

/// Whether a value is a media type, such as `application/vnd.android.package+zip`.
fn is_media_type(value: &[u8]) -> bool {
    const TREES: [&[u8]; 10] = [
        b"application",
        b"audio",
        b"font",
        b"image",
        b"message",
        b"model",
        b"multipart",
        b"text",
        b"video",
        b"chemical",
    ];
    let slash = memchr::memchr(b'/', value).unwrap_or(0);
    let name = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b".+-".contains(byte);
    TREES.contains(&&value[..slash]) && value[slash + 1..].iter().all(name)
}

/// Whether a value is a chain of names: members behind `?.`, `!!.` or `->` in code, or the dotted path of a class.
fn is_chain(value: &[u8], value_context: ValueContext) -> bool {
    let mut plain = Vec::with_capacity(value.len());
    for (at, &byte) in value.iter().enumerate() {
        let behind = &value[at + 1..];
        let leads_on = match byte {
            b'?' => behind.starts_with(b"."),
            b'!' => behind.starts_with(b".") || behind.starts_with(b"!."),
            b'-' => behind.starts_with(b">"),
            _ => false,
        };
        if !leads_on {
            plain.push(if byte == b'>' { b'.' } else { byte });
        }
    }
    let is_code = plain.len() < value.len() && value_context != ValueContext::Quoted;
    let mut names = plain.rsplit(|byte| *byte == b'.');
    // Passwords of several words may have dots between them.
    let is_class = |name: &[u8]| {
        let capitals = name.iter().filter(|byte| byte.is_ascii_uppercase()).count();
        name[..1].iter().all(u8::is_ascii_uppercase)
            && capitals > 1
            && name.iter().any(u8::is_ascii_lowercase)
    };
    let ends_with_class = names.next().is_some_and(|last| !last.is_empty() && is_class(last));
    (is_code || ends_with_class && names.count() > 1) && is_path(&plain)
}

/// Whether a word is a part of the data of a drawn path, such as `0h68.5v12.7h-27.2Z`: commands of one letter, and numbers.
pub(crate) fn is_path_data(word: &[u8]) -> bool {
    let is_letter = |byte: &u8| b"MmLlHhVvCcSsQqTtAaZz".contains(byte);
    word.iter().any(|byte| b".-".contains(byte))
        && word.iter().all(|byte| is_letter(byte) || byte.is_ascii_digit() || b".-".contains(byte))
        && word
            .windows(2)
            .all(|pair| !(is_letter(&pair[0]) && is_letter(&pair[1])) || pair[0].eq_ignore_ascii_case(&b'z'))
}

/// Whether a value is a name, or several names joined by dots, as in code.
fn is_path(value: &[u8]) -> bool {
    // A part between underscores: letters of one case, optionally with a number at the end.
    let is_piece = |piece: &[u8]| {
        let letters = piece.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        let one_case = piece.iter().all(|byte| !byte.is_ascii_lowercase())
            || piece.iter().all(|byte| !byte.is_ascii_uppercase());
        one_case && piece[letters..].iter().all(u8::is_ascii_digit)
    };
    let is_name = |part: &[u8]| {
        part.first().is_some_and(|first| first.is_ascii_alphabetic() || *first == b'_')
            && part.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
            && (mean_run(part) > 3.0 || part.split(|byte| *byte == b'_').all(is_piece))
    };
    value.split(|byte| *byte == b'.').all(is_name)
}

fn is_uuid(value: &[u8]) -> bool {
    let lens = [8, 4, 4, 4, 12];
    let mut parts = value.split(|byte| *byte == b'-');
    lens.iter().all(|len| {
        parts.next().is_some_and(|part| part.len() == *len && part.iter().all(u8::is_ascii_hexdigit))
    }) && parts.next().is_none()
}

/// The number of different bytes.
fn distinct(value: &[u8]) -> usize {
    let mut seen = [false; 256];
    value.iter().for_each(|byte| seen[*byte as usize] = true);
    seen.iter().filter(|seen| **seen).count()
}

/// The entropy in bits a byte, by the frequencies of bytes in the value.
fn entropy(value: &[u8]) -> f32 {
    let mut counts = [0u32; 256];
    value.iter().for_each(|byte| counts[*byte as usize] += 1);
    let all = value.len() as f32;
    let share = |count: &u32| *count as f32 / all;
    counts.iter().filter(|count| **count > 0).map(|count| -share(count) * share(count).log2()).sum()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum SignClass {
    Lower,
    Upper,
    Digit,
    Other,
}

fn class(byte: u8) -> SignClass {
    match byte {
        b'a'..=b'z' => SignClass::Lower,
        b'A'..=b'Z' => SignClass::Upper,
        b'0'..=b'9' => SignClass::Digit,
        _ => SignClass::Other,
    }
}

fn classes(value: &[u8]) -> usize {
    let of = |wanted: SignClass| value.iter().any(|byte| class(*byte) == wanted);
    [SignClass::Lower, SignClass::Upper, SignClass::Digit, SignClass::Other]
        .into_iter()
        .filter(|it| of(*it))
        .count()
}

/// The mean length of runs of one character class, where a capital and the letters after it count as one run: words
/// have long runs, random values short ones. Signs between words do not count.
fn mean_run(value: &[u8]) -> f32 {
    let (mut runs, mut signs, mut before) = (0u32, 0u32, SignClass::Other);
    for (place, byte) in value.iter().enumerate() {
        let this = class(*byte);
        let capital = this == SignClass::Lower && before == SignClass::Upper && place > 0;
        if this != SignClass::Other {
            signs += 1;
            runs += u32::from(this != before && !capital);
        }
        before = this;
    }
    signs as f32 / runs.max(1) as f32
}
