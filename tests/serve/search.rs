//! Searches of a person who types: modes, errors in the line, events in their order, and searches that nobody waits for.

use std::io::{BufRead, BufReader, Write};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{BEARER, EVENTS, Page, TOKEN};
use crate::support::{SMALL, Tree};

#[test]
fn a_line_chooses_its_mode() {
    let tree = Tree::new(SMALL);
    let page = Page::new(&tree, &[]);
    let check = |query: &str, mode: &str, path: &str| {
        let reply = page.json(&format!("search?q={query}"));
        assert_eq!(reply["mode"], mode, "{query}");
        assert_eq!(reply["reply"]["results"][0]["path"], path, "{query}: {reply}");
        assert!(reply["is_automatic"].as_bool().unwrap() && !reply["why_mode"].as_str().unwrap().is_empty());
    };
    check("secret+of+a+provider", "ranked", "src/auth.rs");
    check("/draw.circle/", "exact", "src/paint.py");
    check("src/pai", "files", "src/paint.py");
    check("@drawcirc", "symbols", "src/paint.py");
    let chosen = page.json("search?q=circle&mode=exact");
    assert_eq!((&chosen["mode"], &chosen["is_automatic"]), (&json!("exact"), &json!(false)));
    let as_text = page.json("search?q=circle(&mode=exact");
    assert!(as_text["note"].as_str().unwrap().starts_with("searched as a text"), "{as_text}");
    assert_eq!(as_text["reply"]["results"][0]["line"], 1);
}

/// The tokens of a file or an excerpt.
fn shown(file: &Value) -> Vec<(&str, &str)> {
    let (text, spans) = (file["text"].as_str().unwrap(), file["spans"].as_array().unwrap());
    let number = |at: usize| spans[at].as_u64().unwrap() as usize;
    (0..spans.len())
        .step_by(3)
        .map(|at| (&text[number(at)..number(at + 1)], file["classes"][number(at + 2)].as_str().unwrap()))
        .collect()
}

#[test]
fn a_file_and_its_excerpts_are_coloured_by_the_syntax_tree() {
    let tree = Tree::new(
        "\n=== a.py\nclass Kite:\n    \"\"\"Flies,\n    if 1.\n    \"\"\"\n    def fly(self):\n        match = wind(1)\n        return 'ß'\n",
    );
    let page = Page::new(&tree, &[]);
    let file = page.json("file?path=a.py");
    let tokens = shown(&file);
    for token in
        [("class", "keyword"), ("fly", "function"), ("wind", "function"), ("1", "number"), ("'ß'", "string")]
    {
        assert!(tokens.contains(&token), "{token:?}: {tokens:?}");
    }
    // A keyword of other places is a name here.
    assert!(!tokens.contains(&("match", "keyword")), "{tokens:?}");
    // An excerpt from the middle of a text is text, and its places are those of the excerpt.
    let excerpt = page.json("excerpt?path=a.py&lines=3-5");
    let expected = [("    if 1.\n    \"\"\"", "string"), ("def", "keyword"), ("fly", "function")];
    assert_eq!(shown(&excerpt), expected);
}

#[test]
fn a_file_that_no_parser_colours_has_the_colours_of_the_lexer() {
    let deep = format!("[1, {}", "[".repeat(100_000));
    let tree = Tree::new(&format!("\n=== deep.json\n{deep}\n\n=== a.kt\nval a = 1\n"));
    let large = format!("x = 1\n{}", "# a line of a large file\n".repeat(25_000));
    std::fs::write(tree.root().join("large.py"), large).unwrap();
    let page = Page::new(&tree, &[]);
    assert_eq!(shown(&page.json("file?path=deep.json"))[0], ("1", "number"));
    assert_eq!(shown(&page.json("excerpt?path=deep.json&lines=1"))[0], ("1", "number"));
    assert_eq!(shown(&page.json("file?path=a.kt")), [("val", "keyword"), ("1", "number")]);
    assert_eq!(shown(&page.json("file?path=large.py"))[0], ("1", "number"));
    assert_eq!(shown(&page.json("excerpt?path=large.py&lines=1")), [("1", "number")]);
}

#[test]
fn an_error_names_the_word_that_is_wrong() {
    let tree = Tree::new(SMALL);
    tree.git(&["init", "-q", "-b", "main"]);
    tree.commit();
    let page = Page::new(&tree, &[]);
    let check = |line: &str, word: &str, text: &str, choice: &str| {
        let path = format!("/api/v1/search?q={}", line.replace(' ', "+"));
        let error = page.get(&path);
        assert_eq!(error.status, 400, "{line}: {}", error.text());
        let error = error.json();
        let [start, end] = [0, 1].map(|at| error["span"][at].as_u64().unwrap() as usize);
        assert_eq!((&line[start..end], error["word"].as_str()), (word, Some(word)), "{error}");
        assert_eq!(error["kind"], "bad-query");
        assert!(error["error"].as_str().unwrap().contains(text), "{error}");
        let choices = error["choices"].as_array().unwrap();
        assert!(choice.is_empty() || choices.contains(&json!(choice)), "{error}");
        // The same error comes as an event.
        let events = page.events(&path);
        let (name, data) = events.last().unwrap();
        assert_eq!((name.as_str(), &data["span"], &data["status"]), ("failed", &error["span"], &json!(400)));
    };
    check("a kind:fnn b", "kind:fnn", "unknown kind 'fnn'", "fn");
    check("lang:rust,klingon key", "lang:rust,klingon", "unknown language 'klingon'", "rust");
    check("key path:nowhere", "path:nowhere", "does not exist", "");
    check("key path:../x", "path:../x", "..", "");
    check("key view:nowhere", "view:nowhere", "no revision 'nowhere'", "");
    check("key in:nowhere", "in:nowhere", "no source 'nowhere'", "tree");
    check("key -lang:rust", "-lang:rust", "does not exclude", "lang:rust");
    check("key glob:a[ x", "glob:a[", "glob 'a['", "");
    check("kind:fn src/paint.py", "kind:fn", "a file has no kind", "");
    // The filters of a wrong line are known, so that they can be shown and removed.
    let wrong = page.get("/api/v1/search?q=a+lang:rust+kind:fnn").json();
    let keys: Vec<&Value> = wrong["words"].as_array().unwrap().iter().map(|word| &word["key"]).collect();
    assert_eq!(keys, [&json!("lang"), &json!("kind")], "{wrong}");
    let short = page.get("/api/v1/search?q=lang:rust+a&mode=exact").json();
    assert_eq!((&short["word"], &short["error"]), (&json!("a"), &json!("type 2 characters or more")));
}

#[test]
fn values_are_completed() {
    let tree = Tree::new(SMALL);
    tree.git(&["init", "-q", "-b", "main"]);
    tree.commit();
    let page = Page::new(&tree, &[]);
    let check = |query: &str, span: [u64; 2], first: &str| {
        let reply = page.json(&format!("complete?{query}"));
        assert_eq!(reply["span"], json!(span), "{reply}");
        assert_eq!(reply["items"][0]["text"], first, "{query}: {reply}");
    };
    check("q=la", [0, 2], "lang:");
    check("q=x+lang:py", [2, 9], "lang:python");
    check("q=x+lang:rust,py", [2, 14], "lang:rust,python");
    check("q=kind:str+y&at=8", [0, 8], "kind:struct");
    check("q=path:sr", [0, 7], "path:src/");
    check("q=path:src/p", [0, 10], "path:src/paint.py");
    check("q=-path:do", [0, 8], "-path:docs/");
    check("q=view:m", [0, 6], "view:main");
    check("q=in:", [0, 3], "in:tree");
    check("q=@drawc", [0, 6], "@draw_circle");
    check("q=resolve_a", [0, 9], "resolve_api_key");
    tree.write("my docs/a b/one.md", "# One\n");
    tree.run(&["index", "-q"]);
    check("q=path:%22my+d", [0, 10], "path:\"my docs/\"");
    check("q=path:%22my+docs/a+", [0, 16], "path:\"my docs/a b/\"");
    check("q=path:%22my+docs/%22+x&at=14", [0, 15], "path:\"my docs/a b/\"");
    check("q=path:%22my+d+x&at=10", [0, 10], "path:\"my docs/\"");
    let key = |query: &str| page.json(&format!("complete?{query}"))["key"].clone();
    assert_eq!((key("q=x+lang:"), key("q=std::f"), key("q=pa")), (json!("lang"), Value::Null, Value::Null));
    assert_eq!(page.get("/api/v1/complete?q=%C3%A9&at=1").status, 400);
}

#[test]
fn lines_are_shown_before_all_are_counted() {
    let tree = Tree::new(SMALL);
    tree.write("many.txt", "needle\n".repeat(150));
    tree.write("more.txt", "needle\n".repeat(7));
    let page = Page::new(&tree, &[]);
    let events = |query: &str| page.events(&format!("/api/v1/search?q={query}&mode=exact"));
    let found = events("needle");
    let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["query", "results", "counts", "done"]);
    let (reply, counts) = (&found[1].1["reply"], &found[2].1);
    assert_eq!(reply["results"].as_array().unwrap().len(), 100);
    assert!(reply["total_lines"].as_u64().unwrap() >= 100, "{reply}");
    assert_eq!(
        counts,
        &json!({ "total_lines": 157, "total_files": 2, "complete": true, "incomplete": null })
    );
    // One object has all; and what is no expression is counted as the text that was searched.
    assert_eq!(page.json("search?q=needle&mode=exact")["reply"]["total_lines"], 157);
    tree.write("many.txt", "needle(\n".repeat(150));
    let found = events("needle(");
    assert_eq!(found[2].1["total_lines"], 150, "{found:?}");
    // A page with all lines, a later page, and a page that counts nothing have no counts.
    let none = |query: &str| events(query).iter().all(|(name, _)| name != "counts");
    let cursor = reply["next"].as_str().unwrap();
    assert!(
        none("needle&limit=200") && none(&format!("needle&cursor={cursor}")) && none("needle&counts=false")
    );
}

#[test]
fn events_come_in_their_order() {
    let tree = Tree::new(SMALL);
    let page = Page::new(&tree, &[]);
    let names = |query: &str| -> Vec<String> {
        page.events(&format!("/api/v1/search?q={query}")).into_iter().map(|(name, _)| name).collect()
    };
    assert_eq!(names("auth"), ["query", "partial", "results", "colors", "done"]);
    assert_eq!(names("secret+of+a+provider"), ["query", "results", "colors", "done"]);
    assert_eq!(names("paint.py"), ["query", "results", "done"]);
    assert_eq!(names("zzzzzz"), ["query", "results", "done"]);
    let events = page.events("/api/v1/search?q=auth");
    assert_eq!(events[1].1["reply"]["results"][0]["path"], "src/auth.rs");
    assert!(events[4].1["timings"]["total_ms"].as_f64().unwrap() > 0.0);
    // The whole answer has what the events have.
    let whole = page.json("search?q=auth");
    assert_eq!(whole["reply"]["results"], events[2].1["reply"]["results"]);
    assert_eq!(whole["colors"], events[3].1["colors"]);
    let latencies = page.json("latencies");
    let kinds = latencies["kinds"].as_array().unwrap();
    let ranked = kinds.iter().find(|kind| kind["name"] == "search ranked").unwrap();
    assert_eq!(ranked["count"], 5, "{latencies}");
}

#[test]
fn why_not_takes_a_line_with_its_filters() {
    let tree = Tree::new(SMALL);
    let page = Page::new(&tree, &[]);
    let verdict = |query: &str| {
        page.json(&format!("why-not?file=src/paint.py&q={query}"))["verdict"].as_str().unwrap().to_string()
    };
    let plain = verdict("draw+a+circle");
    for filter in ["-paint", "-path:src/paint.py", "-glob:*.py", "lang:rust", "path:docs", "glob:*.rs"] {
        let filtered = verdict(&format!("draw+a+circle+{filter}"));
        assert_ne!(filtered, plain, "{filter}");
    }
    assert_eq!(verdict("draw+a+circle+-guide"), plain);
    assert_eq!(page.get("/api/v1/why-not?file=src/paint.py&q=x&lang=rust").status, 400);
}

#[test]
fn several_trees_are_asked_as_one() {
    let [one, other] = [SMALL, "\n=== lib/kite.rs\n/// Flies a kite.\npub fn fly_kite() {}\n"].map(Tree::new);
    let mut command = one.command();
    command.args(["serve", "--port", "0"]).args([one.root(), other.root()]).env("SPYHOP_MCP_TOKEN", TOKEN);
    // Each tree has a separate index.
    command.env_remove("SPYHOP_INDEX_DIR").env("XDG_CACHE_HOME", one.index_dir());
    let page = Page::start(&mut command);
    let roots = page.json("server")["roots"].clone();
    let [first, second] = [0, 1].map(|at| roots[at]["name"].as_str().unwrap().to_string());
    let names = |reply: &Value| -> Vec<String> {
        let rows = reply["reply"]["results"].as_array().into_iter().flatten();
        rows.map(|row| row["source"]["name"].as_str().unwrap().to_string()).collect()
    };
    let begun = Instant::now();
    let both = "/api/v1/search?q=path:src+in:FIRST&mode=files".replace("FIRST", &first);
    while page.get("/api/v1/search?q=kite&root=*&mode=files").json()["reply"]["results"][0].is_null()
        || page.get(&both).status != 200
    {
        assert!(begun.elapsed() < Duration::from_secs(60), "the indexes were not made");
        std::thread::sleep(Duration::from_millis(50));
    }
    let sources = |query: &str| names(&page.json(&format!("search?{query}")));
    assert!(sources("q=fly+a+kite&root=*").contains(&second));
    assert!(sources("q=draw+a+circle&root=*").contains(&first));
    assert_eq!(sources("q=fly_kite&mode=exact&root=*"), [second.as_str()]);
    assert_eq!(sources(&format!("q=kite+in:{first},{second}&mode=files")), [second.as_str()]);
    let reply = page.json("search?q=kite&mode=files&root=*");
    assert_eq!((&reply["query"]["root"], &reply["query"]["in"]), (&Value::Null, &json!([first, second])));
    let file = page.json(&format!("file?path=lib/kite.rs&root={second}"));
    assert_eq!(file["total_lines"], 2);
    assert_eq!(page.get("/api/v1/search?q=x&root=*&view=main").status, 400);
}

#[cfg(unix)]
mod cancelled {
    use super::*;
    use crate::engine::repository::bomb;

    /// More searches than there are permits.
    const MANY: usize = 12;

    /// A server of a repository with a branch whose walk takes as long as the walk of a commit may take, and that time.
    fn served() -> (Tree, Page, Duration) {
        let tree = Tree::new(SMALL);
        tree.git(&["init", "-q", "-b", "main"]);
        tree.commit();
        bomb(&tree);
        let page = Page::new(&tree, &[]);
        let begun = Instant::now();
        let failed = page.get("/api/v1/search?q=circle+view:bomb&mode=exact");
        assert_eq!(
            (failed.status, failed.json()["kind"].as_str()),
            (413, Some("too-large")),
            "{}",
            failed.text()
        );
        (tree, page, begun.elapsed())
    }

    /// A connection on which a search of that branch has begun.
    fn search(page: &Page, further: &str) -> BufReader<std::net::TcpStream> {
        let mut stream = page.connect();
        let head = format!(
            "GET /api/v1/search?q=circle+view:bomb&mode=exact{further} HTTP/1.1\r\nHost: HOST\r\n{BEARER}\r\n{EVENTS}\r\n\r\n"
        );
        let head = head.replace("HOST", &page.address.to_string()).replace("TOKEN", TOKEN);
        stream.write_all(head.as_bytes()).unwrap();
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        while line != "\r\n" {
            line.clear();
            reader.read_line(&mut line).unwrap();
        }
        reader
    }

    /// A search that takes no time is answered before the cancelled walks would have ended.
    fn check_free(page: &Page, whole: Duration) {
        let begun = Instant::now();
        assert_eq!(page.json("search?q=circle&mode=exact")["reply"]["total_lines"], 2);
        assert!(begun.elapsed() < whole / 2, "{:?}, {whole:?} for a walk", begun.elapsed());
    }

    #[test]
    fn a_search_whose_connection_is_closed_makes_room() {
        let (_tree, page, whole) = served();
        let open: Vec<_> = (0..MANY).map(|_| search(&page, "")).collect();
        std::thread::sleep(Duration::from_millis(200));
        drop(open);
        check_free(&page, whole);
    }

    #[test]
    fn a_newer_search_of_a_tab_ends_the_older_one() {
        let (_tree, page, whole) = served();
        let mut open: Vec<_> = (0..MANY).map(|_| search(&page, "&tab=one")).collect();
        let begun = Instant::now();
        let last = page.json("search?q=circle&mode=exact&tab=one");
        assert_eq!(last["reply"]["total_lines"], 2);
        assert!(begun.elapsed() < whole / 2, "{:?}, {whole:?} for a walk", begun.elapsed());
        let text = |reader: &mut BufReader<std::net::TcpStream>| {
            let mut text = Vec::new();
            while let Some(mut chunk) = super::super::read_chunk(reader) {
                text.append(&mut chunk);
            }
            String::from_utf8(text).unwrap()
        };
        for reader in &mut open {
            let text = text(reader);
            assert!(text.ends_with("event: superseded\ndata: {}\n\n"), "{text}");
        }
    }
}
