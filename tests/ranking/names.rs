//! Names as people type them: alone, with containers, in lower case, with slips, in frames, with numbers. Each test is a
//! small tree in which something else would be found first.

use spyhop_engine::api::{Hit, Mode, Reason, SearchReply, SearchRequest, WhyNotRequest};

use super::{ask, indexed, request, track};
use crate::support::Tree;

/// The reply to each query about a tree.
fn asked(files: &[(&str, &str)], queries: &[&str]) -> Vec<SearchReply> {
    let tree = Tree::new("");
    files.iter().for_each(|(path, text)| tree.write(path, text));
    track(&tree);
    let engine = indexed(&tree, "names", None);
    queries.iter().map(|query| ask(&engine, query, 10)).collect()
}

/// The path and the symbol of the first hit.
fn first(reply: &SearchReply) -> (&str, &str) {
    let hit = reply.results.first().unwrap_or_else(|| panic!("no hit: {:?}", reply.warnings));
    (hit.path.as_str(), hit.symbol.as_deref().unwrap_or_default())
}

const SESSION: &str = "/** Holds what one visitor did. */\nexport class Session {\n  private id = 1;\n  load(): void {\n    this.id = 2;\n  }\n}\n";

#[test]
fn a_bare_name_means_own_code() {
    let copy = "export class Session {}\n";
    for other in ["vendor/acme", "third_party/acme", "tests", "examples", "fakes", "dist"] {
        let path = format!("{other}/session.ts");
        let files =
            [("src/session.ts", SESSION), (path.as_str(), copy), ("src/other.ts", "export const a = 1;\n")];
        let replies = asked(&files, &["Session"]);
        assert_eq!(first(&replies[0]).0, "src/session.ts", "{other}");
        assert!(replies[0].results.iter().any(|hit| hit.path.as_str() == path), "{other}");
    }
}

#[test]
fn a_definition_stands_before_its_declaration() {
    let files = [
        (
            "include/ring.h",
            "int ring_create(int size);\nvoid ring_free(int ring);\nint ring_size(int ring);\n",
        ),
        (
            "src/a_use.c",
            "#include \"ring.h\"\nint use_it(void) {\n  return ring_create(1) + ring_create(2);\n}\n",
        ),
        (
            "src/ring.c",
            "#include \"ring.h\"\nint ring_create(int size) {\n  int all = size * 2;\n  return all;\n}\n",
        ),
    ];
    assert_eq!(first(&asked(&files, &["ring_create"])[0]), ("src/ring.c", "ring_create"));
}

#[test]
fn three_parts_mean_the_last_one() {
    let files = [
        (
            "include/ring.h",
            "namespace acme { namespace render {\nclass RingBuffer {\n public:\n  int sizeHint(int wanted) const;\n  int size() const;\n};\nclass Other {\n public:\n  int sizeHint(int wanted) const;\n};\n} }\n",
        ),
        (
            "src/ring.cpp",
            "#include \"ring.h\"\nnamespace acme { namespace render {\nint RingBuffer::sizeHint(int wanted) const {\n  return wanted * 2;\n}\nint Other::sizeHint(int wanted) const {\n  return wanted;\n}\n} }\n",
        ),
    ];
    let replies = asked(&files, &["acme::render::RingBuffer::sizeHint"]);
    assert_eq!(first(&replies[0]), ("src/ring.cpp", "RingBuffer.sizeHint"));
}

const KEYS: &[(&str, &str)] = &[
    (
        "org/x/BibEntry.java",
        "package org.x;\n\npublic class BibEntry {\n    public String getField(String name) {\n        return name;\n    }\n    public String setField(String name) {\n        return name;\n    }\n}\n",
    ),
    (
        "org/x/CitationKeyGenerator.java",
        "package org.x;\n\npublic class CitationKeyGenerator {\n    private String pattern;\n    public String generateKey(String entry) {\n        return entry + pattern;\n    }\n    public String resetKey() {\n        return pattern;\n    }\n}\n",
    ),
    (
        "org/y/Field.java",
        "package org.y;\n\npublic class Field {\n    public String getField(String name) {\n        return name;\n    }\n    public String save() {\n        return name;\n    }\n}\n",
    ),
    (
        "org/x/UndoHandler.java",
        "package org.x;\n\npublic class UndoHandler {\n    public void undo() {\n    }\n    public void save() {\n    }\n}\n",
    ),
    (
        "org/y/UndoHandler.java",
        "package org.y;\n\npublic class UndoHandler {\n    private int n;\n    public void undo() {\n        n++;\n    }\n}\n",
    ),
];

#[test]
fn names_are_found_however_they_are_typed() {
    let expected = [
        ("bibentry.getfield", "org/x/BibEntry.java", "BibEntry.getField"),
        ("bibentry getfield", "org/x/BibEntry.java", "BibEntry.getField"),
        ("BibEntry getField", "org/x/BibEntry.java", "BibEntry.getField"),
        (
            "citationkeygenerator generatekey",
            "org/x/CitationKeyGenerator.java",
            "CitationKeyGenerator.generateKey",
        ),
        ("citation key generator", "org/x/CitationKeyGenerator.java", "CitationKeyGenerator"),
        ("org.x.UndoHandler", "org/x/UndoHandler.java", "UndoHandler"),
        ("org.y.UndoHandler", "org/y/UndoHandler.java", "UndoHandler"),
        ("UndoHandler save", "org/x/UndoHandler.java", "UndoHandler.save"),
        ("Field save", "org/y/Field.java", "Field.save"),
    ];
    let queries = expected.map(|(query, _, _)| query);
    for (reply, (query, path, symbol)) in asked(KEYS, &queries).iter().zip(expected) {
        assert_eq!(first(reply), (path, symbol), "{query}: {:?}", reply.warnings);
    }
}

#[test]
fn a_qualified_name_in_lower_case_means_its_only_definition() {
    let files = [
        KEYS[0],
        KEYS[1],
        KEYS[3],
        KEYS[4],
        (
            "org/x/Lower.java",
            "package org.x;\n\n/** generate key, undo handler save, citationkeygenerator */\npublic class Lower {\n    public void key() {}\n    public void handler() {}\n    public void citation() {}\n    private int resetkey;\n}\n",
        ),
    ];
    let expected = [
        ("citationkeygeneratorgeneratekey", "CitationKeyGenerator.generateKey"),
        ("citationkeygenerator.generatekey", "CitationKeyGenerator.generateKey"),
        ("citation key generator generate key", "CitationKeyGenerator.generateKey"),
        ("undohandler.save", "UndoHandler.save"),
        ("undohandler save", "UndoHandler.save"),
        ("undohandlersave", "UndoHandler.save"),
        // Only one definition has these letters, though the word occurs.
        ("Resetkey", "CitationKeyGenerator.resetKey"),
    ];
    let replies = asked(&files, &expected.map(|(query, _)| query));
    for (reply, (query, symbol)) in replies.iter().zip(expected) {
        assert_eq!(first(reply).1, symbol, "{query}: {:?}", reply.warnings);
    }
    // Two classes have the method.
    let several = &asked(&files, &["undohandler undo"])[0].warnings;
    assert!(!several.iter().any(|warning| warning.contains("UndoHandler.undo")), "{several:?}");
}

#[test]
fn a_file_that_a_query_names_is_first() {
    let files = [
        ("app/mail/smtpd.py", "import os\n\n\ndef main(port):\n    return port\n"),
        ("app/mail/models.py", "class Letter:\n    pass\n"),
        ("app/web/models.py", "class Page:\n    smtpd = 1\n"),
        (
            "app/web/letter.py",
            "# models of app mail, smtpd.py, smtpd\ndef show(models, smtpd, py):\n    return models\n",
        ),
        (
            "docs/smtpd-guide.md",
            "# The smtpd\n\nThe smtpd.py of app.mail.smtpd starts smtpd, see app/mail/smtpd.py.\n",
        ),
        ("docs/My notes.md", "# Notes\n\nNothing.\n"),
        ("app/0006_add.py", "x = 1\n"),
    ];
    let expected = [
        ("app/mail/smtpd.py", "app/mail/smtpd.py"),
        ("./app/mail/smtpd.py", "app/mail/smtpd.py"),
        ("/home/me/app/mail/smtpd.py", "app/mail/smtpd.py"),
        ("smtpd.py", "app/mail/smtpd.py"),
        ("mail/smtpd", "app/mail/smtpd.py"),
        ("app.mail.smtpd", "app/mail/smtpd.py"),
        ("web/models.py", "app/web/models.py"),
        ("app.web.models", "app/web/models.py"),
        ("docs/My notes.md", "docs/My notes.md"),
        ("app/0006_add.py", "app/0006_add.py"),
        // A definition counts before the stem of a file.
        ("smtpd", "app/web/models.py"),
        ("0006_add", "app/0006_add.py"),
    ];
    let replies = asked(&files, &expected.map(|(query, _)| query));
    for (reply, (query, path)) in replies.iter().zip(expected) {
        assert_eq!(first(reply).0, path, "{query}: {:?}", reply.warnings);
        assert!(reply.warnings.is_empty(), "{query}: {:?}", reply.warnings);
    }
    let reasons = &replies[0].results[0].reasons;
    assert!(reasons.iter().any(|reason| reason.text == "frame: the query names the file"), "{reasons:?}");
}

#[test]
fn a_word_that_no_file_has_is_named_and_leaves_no_hit_certain() {
    let files = [
        (
            "src/sign.rs",
            "/// Signs a transaction.\npub fn sign_transaction(signature: u32) -> u32 {\n    signature\n}\n",
        ),
        ("src/other.rs", "pub fn other() {}\n"),
    ];
    let queries = ["blockchain transaction signature", "sign transaction signature", "sign a SignQL query"];
    let replies = asked(&files, &queries);
    assert!(replies[0].warnings.contains(&"no file contains 'blockchain'".to_string()), "{:?}", replies[0]);
    assert!(replies[0].results.iter().all(|hit| hit.score < 0.8), "{:?}", replies[0].results);
    assert!(replies[1].warnings.is_empty(), "{:?}", replies[1].warnings);
    assert!(
        replies[2].warnings.contains(&"no file contains 'signql' or 'query'".to_string()),
        "{:?}",
        replies[2]
    );
}

#[test]
fn a_slip_in_a_sentence_is_repaired_and_named() {
    let files = [
        (
            "src/auth.rs",
            "/// Resolves the provider.\npub fn resolve_provider(name: &str) -> &str {\n    name\n}\n",
        ),
        ("src/cache.rs", "/// Resolves where a key is.\npub fn resolve(key: u32) -> u32 {\n    key\n}\n"),
        ("src/keys.rs", "/// Resolves a key again.\npub fn resolve_again(key: u32) -> u32 {\n    key\n}\n"),
    ];
    let replies = asked(&files, &["where is provder resolved", "where is provider resolved"]);
    assert_eq!(first(&replies[0]), ("src/auth.rs", "resolve_provider"));
    assert_eq!(replies[0].warnings, ["no file contains 'provder'; looked for 'provider'"]);
    let shown = |reply: &SearchReply| -> Vec<String> {
        reply.results.iter().map(|hit| hit.path.to_string()).collect()
    };
    assert_eq!(shown(&replies[0]), shown(&replies[1]));
}

#[test]
fn a_frame_finds_its_function_when_the_line_has_moved() {
    let text = "package org.x;\n\npublic class MainTable {\n    private int first;\n\n    public void clearAndSelectFirst() {\n        first = 0;\n    }\n\n    public void other() {\n        first = 2;\n        first = 3;\n        first = 4;\n    }\n}\n";
    let query = "at org.x.MainTable.clearAndSelectFirst(MainTable.java:12)";
    let replies = asked(&[("org/x/MainTable.java", text)], &[query]);
    assert_eq!(first(&replies[0]), ("org/x/MainTable.java", "MainTable.clearAndSelectFirst"));
    let reasons: Vec<&str> =
        replies[0].results[0].reasons.iter().map(|reason| reason.text.as_str()).collect();
    let moved = "frame: the query names line 12 of the file; the function that it names begins on line 6";
    assert!(reasons.contains(&moved), "{reasons:?}");
}

#[test]
fn the_innermost_frame_of_a_trace_is_first() {
    let of = |name: &str, calls: &str| {
        format!("def {name}(rope):\n    length = len(rope)\n    return {calls}(rope, length)\n")
    };
    let (main, hook) = (of("main", "lift"), of("lift", "pull"));
    let files = [("crane/main.py", main.as_str()), ("crane/hook.py", hook.as_str())];
    let outer = "  File \"/srv/app/crane/main.py\", line 3, in main\n    return lift(rope, length)\n";
    let inner = "  File \"/srv/app/crane/hook.py\", line 3, in lift\n    return pull(rope, length)\n";
    let library = "  File \"/usr/lib/python3/rope.py\", line 9, in pull\n    raise Torn()\n";
    let head = "Traceback (most recent call last):\n";
    let replies =
        asked(&files, &[&format!("{head}{outer}{inner}{library}Torn"), &format!("{head}{inner}{outer}Torn")]);
    assert_eq!(first(&replies[0]), ("crane/hook.py", "lift"));
    assert_eq!(first(&replies[1]), ("crane/main.py", "main"));
}

#[test]
fn tests_that_expect_a_message_rank_behind_the_code_that_writes_it() {
    let code = "pub fn lift(rope: u32) -> Result<u32, String> {\n    if rope == 0 {\n        return Err(\"the rope of the crane is torn\".to_string());\n    }\n    Ok(rope)\n}\n";
    let test = "#[test]\nfn torn_ropes_are_refused() {\n    assert_eq!(lift(0).unwrap_err(), \"the rope of the crane is torn\");\n}\n\n#[test]\nfn the_rope_of_the_crane_is_torn() {\n    assert_eq!(lift(0), Err(\"the rope of the crane is torn\".to_string()));\n}\n";
    let files = [("src/deep/inside/hook/lift.rs", code), ("tests/rope.rs", test)];
    for reply in asked(
        &files,
        &["the rope of the crane is torn", "ERROR crane: the rope of the crane is torn (code=7)"],
    ) {
        assert_eq!(first(&reply).0, "src/deep/inside/hook/lift.rs");
    }
}

#[test]
fn translations_of_a_text_stand_behind_the_code_that_shows_it() {
    let text = "The basket can no longer be used in this store";
    let view = format!("export function Notice() {{\n  return <Trans defaults=\"{text}\" />;\n}}\n");
    let texts = format!("{{\n  \"basket.gone\": \"{text}\",\n  \"basket.open\": \"Open\"\n}}\n");
    let german = texts.replace("\"Open\"", "\"Der Korb ist wieder offen und bereit\"");
    let codes =
        ["cs", "da", "en", "es", "fi", "fr", "hu", "it", "nl", "pl", "pt", "ro", "sk", "sv", "th", "tr"];
    let paths: Vec<String> = codes.iter().map(|code| format!("web/locales/{code}.json")).collect();
    let mut files = vec![("web/notice.tsx", view.as_str()), ("web/locales/de.json", german.as_str())];
    files.extend(paths.iter().map(|path| (path.as_str(), texts.as_str())));
    let replies = asked(&files, &[text, "Der Korb ist wieder offen und bereit"]);
    assert_eq!(first(&replies[0]).0, "web/notice.tsx");
    assert_eq!(replies[0].results[1].path.as_str(), "web/locales/en.json");
    assert_eq!(first(&replies[1]).0, "web/locales/de.json");
}

#[test]
fn translations_of_resources_stand_behind_the_code_with_their_names() {
    let texts = |word: &str| {
        format!(
            "<resources>\n  <string name=\"app_name\">Shop</string>\n  <string name=\"basket_gone_error\">{word}</string>\n</resources>\n"
        )
    };
    let (base, british) = (texts("Basket Closed Forever"), texts("Basket Closed Forever"));
    let base = base.replace("<resources>", "<!-- texts of the shop -->\n<!-- by screens -->\n<resources>");
    let others: Vec<(String, String)> =
        ["cs", "da", "fi", "fr", "hy", "it", "mnw", "nl", "pl", "pt-rBR", "sv", "th"]
            .iter()
            .map(|code| (format!("app/res/values-{code}/strings.xml"), texts(&format!("Text {code}"))))
            .collect();
    let mapper = "class Mapper(val resources: Resources) {\n    fun map(): String = resources.getString(R.string.basket_gone_error)\n}\n";
    let checker = "class BasketGoneErrorChecker {\n    fun check() {}\n}\n";
    let closed = "class ClosedBasketForeverClosedBasketAction {\n    fun closeForever() {}\n}\n";
    let mut files = vec![
        ("app/res/values/strings.xml", base.as_str()),
        ("app/res/values-en-rGB/strings.xml", british.as_str()),
        ("src/Mapper.kt", mapper),
        ("src/BasketGoneErrorChecker.kt", checker),
        ("src/closed/basket/forever/ClosedBasketForeverClosedBasketAction.kt", closed),
    ];
    files.extend(others.iter().map(|(path, text)| (path.as_str(), text.as_str())));
    let replies = asked(&files, &["basket_gone_error", "basket gone error", "Basket Closed Forever"]);
    let found = |at: usize, n: usize| -> Vec<&str> {
        replies[at].results.iter().take(n).map(|hit| hit.path.as_str()).collect()
    };
    assert_eq!(found(0, 2), ["app/res/values/strings.xml", "src/Mapper.kt"]);
    assert!(found(1, 4).contains(&"src/BasketGoneErrorChecker.kt"), "{:?}", found(1, 4));
    assert_eq!(found(2, 1), ["app/res/values/strings.xml"]);
}

#[test]
fn a_question_for_tests_finds_them_before_the_code_that_they_test() {
    let code = "/** Whether a quiet time lasts over midnight. */\nexport function isQuietTime(start: number, end: number) {\n  return start > end;\n}\n";
    let test = "import { isQuietTime } from \"./quiet-time\";\n\ntest(\"a time that ends on the next day\", () => {\n  expect(isQuietTime(23, 6)).toBe(true);\n});\n";
    let files = [("src/quiet-time.ts", code), ("src/quiet-time.test.ts", test)];
    let questions = [
        "which test covers quiet time over midnight",
        "tests for quiet time over midnight",
        "where is quiet time over midnight tested",
        "how is quiet time over midnight decided",
    ];
    let replies = asked(&files, &questions);
    let found: Vec<&str> = replies.iter().map(|reply| first(reply).0).collect();
    let test = "src/quiet-time.test.ts";
    assert_eq!(found, [test, test, test, "src/quiet-time.ts"]);
}

#[test]
fn a_field_and_a_variant_are_found_where_they_are_declared() {
    let monitor = "export class Monitor {\n  readonly interval = 30;\n\n  get client(): Redis {\n    if (!this.healthClient) {\n      this.healthClient = new Redis();\n    }\n    return this.healthClient;\n  }\n\n  start() {\n    return this.client.ping();\n  }\n\n  private healthClient: Redis;\n}\n";
    let preference =
        "export enum Preference {\n  SeamlessEdit = \"edit\",\n  MembersCanCreate = \"create\",\n}\n";
    let user = "import { Preference } from \"./preference\";\nexport class Cleanup {\n  run(event: any) {\n    return event.has(Preference.MembersCanCreate);\n  }\n}\n";
    let files = [("src/monitor.ts", monitor), ("src/preference.ts", preference), ("src/a_cleanup.ts", user)];
    let asked_for =
        ["Monitor.healthClient", "healthClient", "MembersCanCreate", "Preference.MembersCanCreate"];
    let replies = asked(&files, &asked_for);
    let found: Vec<_> = replies.iter().map(|reply| (first(reply).1, reply.results[0].lines.first)).collect();
    assert_eq!(
        found,
        [
            ("Monitor.healthClient", 15),
            ("Monitor.healthClient", 15),
            ("Preference.MembersCanCreate", 3),
            ("Preference.MembersCanCreate", 3),
        ]
    );
    for reply in &replies {
        let hit = &reply.results[0];
        assert_eq!(
            reply
                .results
                .iter()
                .filter(|other| other.lines.first == hit.lines.first && other.path == hit.path)
                .count(),
            1
        );
    }
}

#[test]
fn plurals_of_acronyms_and_numbers_tell_files_apart() {
    let files = [
        (
            "src/dates.rs",
            "/// Parses a date of RFC 2822.\npub fn parse_mail_date(text: &str) -> &str {\n    text\n}\n",
        ),
        (
            "src/stamps.rs",
            "/// Parses a date of RFC 3339. An RFC date is parsed.\npub fn parse_date(date: &str) -> &str {\n    date\n}\n",
        ),
        ("src/view.rs", "pub fn open_url(url: &str) {\n    browser(url)\n}\n"),
        ("src/window.rs", "pub fn open_window(browser: &str) {\n    open(browser);\n    browser\n}\n"),
    ];
    let replies = asked(&files, &["how is an rfc 2822 date parsed", "open URLs in the browser"]);
    assert_eq!(first(&replies[0]), ("src/dates.rs", "parse_mail_date"));
    assert_eq!(first(&replies[1]), ("src/view.rs", "open_url"));
}

#[test]
fn a_vendored_copy_is_no_hit_of_its_own() {
    let files = [
        ("src/session.ts", SESSION),
        ("vendor/acme/session.ts", SESSION),
        ("lib/session.ts", SESSION),
        ("src/user.ts", "import { Session } from './session';\nexport const user = new Session();\n"),
    ];
    let tree = Tree::new("");
    files.iter().for_each(|(path, text)| tree.write(path, text));
    track(&tree);
    let engine = indexed(&tree, "copies", None);
    let reply = ask(&engine, "Session", 10);
    let of_content = |hit: &&Hit| hit.path.as_str().ends_with("session.ts");
    let shown: Vec<&Hit> = reply.results.iter().filter(of_content).collect();
    let copies: Vec<&str> = shown.iter().flat_map(|hit| &hit.also_in).map(|path| path.as_str()).collect();
    assert!(
        copies.contains(&"vendor/acme/session.ts") && copies.iter().all(|path| path.starts_with("vendor"))
    );
    assert!(!reply.results.iter().any(|hit| hit.path.as_str() == "vendor/acme/session.ts"));
    let every = SearchRequest { exhaustive: true, ..request("Session", 10) };
    let every = engine.search(&every).unwrap();
    assert!(every.results.iter().any(|hit| hit.path.as_str() == "vendor/acme/session.ts"));
}

#[test]
fn a_threshold_says_how_many_hits_it_cut() {
    let files =
        [("src/session.ts", SESSION), ("src/user.ts", "export function openUser() {\n  return 1;\n}\n")];
    let tree = Tree::new("");
    files.iter().for_each(|(path, text)| tree.write(path, text));
    let engine = indexed(&tree, "threshold", None);
    let reply =
        engine.search(&SearchRequest { min_score: Some(0.99), ..request("visitor load user", 10) }).unwrap();
    assert_eq!(reply.total, 0);
    let told = "below 0.99, the min_score; a lower one shows more";
    assert!(reply.warnings.iter().any(|warning| warning.ends_with(told)), "{:?}", reply.warnings);
    // The tree sets a default, which a caller overrides, and whose mistakes change nothing.
    let (warnings_of, all) = (|reply: SearchReply| reply.warnings, request("visitor load user", 10));
    tree.write(".spyhop/search.toml", "min_score = 0.99\n");
    let reply = engine.search(&all).unwrap();
    let told = "below 0.99, the min_score of .spyhop/search.toml; min_score 0 shows every hit";
    assert!(reply.total == 0 && reply.warnings.iter().any(|warning| warning.ends_with(told)), "{reply:?}");
    let every = engine.search(&SearchRequest { min_score: Some(0.0), ..all.clone() }).unwrap();
    assert!(every.total > 0 && every.warnings.is_empty(), "{every:?}");
    let asked = WhyNotRequest::new("src/user.ts", all.clone());
    let why = engine.ask(&asked).unwrap().text;
    assert!(why.contains("is below the min_score 0.99 of .spyhop/search.toml, so a search leaves"), "{why}");
    tree.write(".spyhop/search.toml", "min_score = 2\n");
    let told = ".spyhop/search.toml is ignored: min_score is 2; choose 0 to 1";
    assert_eq!(warnings_of(engine.search(&all).unwrap()), [told]);
}

#[test]
fn the_line_of_a_hit_is_in_its_snippet() {
    let mut text = String::from(
        "/// Drains what is left.\npub fn drain_all(queue: &mut Vec<u32>) -> u32 {\n    let mut sum = 0;\n",
    );
    (0..60).for_each(|n| text += &format!("    sum += queue.pop().unwrap_or({n}) * {n};\n"));
    text += "    let waterline = sum / 2;\n    let waterline_of_pump = waterline + 1;\n    waterline_of_pump\n}\n";
    let tree = Tree::new("");
    tree.write("src/queue.rs", &text);
    let engine = indexed(&tree, "lines", None);
    for query in ["where is the waterline of the pump", "drain_all", "drain the queue", "waterline_of_pump"] {
        let whole = SearchRequest { mode: Mode::Default, ..request(query, 3) };
        for hit in engine.search(&whole).unwrap().results {
            let (lines, line) = (hit.snippet.unwrap().lines, hit.representative_line.unwrap().line);
            assert!(lines.first <= line && line <= lines.last, "{query}: {line} is not in {lines:?}");
        }
    }
}

#[test]
fn a_path_that_matches_alone_is_a_reason() {
    let body = "pub fn handle(event: u32) -> u32 {\n    event\n}\n";
    let mut files = vec![("zebrafish/pond.rs".to_string(), body.replace("event", "event9"))];
    files
        .extend((0..8).map(|n| (format!("animals/pond{n}.rs"), body.replace("event", &format!("event{n}")))));
    let tree = Tree::new("");
    files.iter().for_each(|(path, text)| tree.write(path, text));
    let engine = indexed(&tree, "paths", None);
    let reply = ask(&engine, "zebrafish handle", 10);
    assert_eq!(first(&reply).0, "zebrafish/pond.rs");
    let is_named = |reason: &Reason| reason.text.contains("'zebrafish' in the path matches query");
    assert!(reply.results[0].reasons.iter().any(is_named), "{:?}", reply.results[0].reasons);
}

#[test]
fn capitals_inside_of_a_name_are_meant() {
    let tree = Tree::new("");
    tree.write(
        "src/escapecss.js",
        "exports.escapeCSS = (function () {\n  return window.CSS.escape;\n})();\n",
    );
    tree.write("src/encodings.js", "exports.escapecss = function (source) {\n  return source + 1;\n};\n");
    let engine = indexed(&tree, "capitals", None);
    assert_eq!(first(&ask(&engine, "escapeCSS", 10)).0, "src/escapecss.js");
}
