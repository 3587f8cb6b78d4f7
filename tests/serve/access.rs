//! Who is let in, what leaves the roots, and the headers of every answer.

use std::io::{BufReader, Write};
use std::net::TcpStream;

use serde_json::json;

use super::{BEARER, EVENTS, Page, TOKEN};
use crate::support::{SMALL, Tree};

#[test]
fn a_link_lets_a_browser_in_once() {
    let tree = Tree::new(SMALL);
    let page = Page::new(&tree, &[]);
    let get = |path: &str, header: &str| page.ask("GET", path, &[header], "");
    let refused = get("/", "X: y");
    assert_eq!((refused.status, refused.header("content-type")), (401, Some("text/html; charset=utf-8")));
    assert!(refused.text().contains("press Enter in the terminal"), "{}", refused.text());
    let refused = get("/api/v1/server", "X: y");
    assert_eq!((refused.status, refused.json()["kind"].as_str()), (401, Some("unauthenticated")));
    assert_eq!(get("/assets/app.js", "X: y").status, 401);
    assert_eq!(page.ask("GET", "/enter?code=0123456789abcdef", &[], "").status, 401);
    assert_eq!(page.ask("POST", &format!("/enter?code={}", page.code), &[], "").status, 405);

    let cookie = page.enter();
    assert!(!cookie.contains(TOKEN) && cookie.starts_with(&format!("spyhop-{}=", page.address.port())));
    let again = page.ask("GET", &format!("/enter?code={}", page.code), &[], "");
    assert_eq!((again.status, again.header("set-cookie")), (401, None));
    assert!(again.text().contains("This link has been used"), "{}", again.text());

    let with = format!("Cookie: other=1; {cookie}");
    assert_eq!((get("/", &with).status, get("/api/v1/server", &with).status), (200, 200));
    assert_eq!(get("/api/v1/server", &format!("Cookie: {cookie}0")).status, 401);
    assert_eq!(get("/api/v1/server", "Authorization: Bearer wrong-token-of-tests").status, 401);
    // The endpoint for agents takes the token only.
    let initialize = page.ask("POST", "/mcp", &[&with, "Origin: http://HOST"], "{}");
    assert_eq!(initialize.status, 401, "{}", initialize.text());
    assert_eq!(initialize.header("www-authenticate"), Some("Bearer realm=\"spyhop\""));
}

#[test]
fn agents_are_answered_with_the_token() {
    let tree = Tree::new(SMALL);
    let page = Page::new(&tree, &[]);
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "name": "grep_files", "arguments": { "pattern": "circle" } } });
    let headers = [BEARER, "Content-Type: application/json", "Accept: application/json, text/event-stream"];
    let answer = page.ask("POST", "/mcp", &headers, &call.to_string());
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert!(answer.text().contains("src/paint.py"), "{}", answer.text());
}

#[test]
fn other_hosts_and_other_pages_are_refused() {
    let tree = Tree::new(SMALL);
    let page = Page::new(&tree, &[]);
    let cookie = format!("Cookie: {}", page.enter());
    let get = |headers: &[&str]| {
        let lines: String = headers.iter().map(|header| format!("{header}\r\n")).collect();
        page.raw(&format!("GET /api/v1/server HTTP/1.1\r\n{lines}\r\n")).status
    };
    assert_eq!(get(&["Host: HOST", &cookie]), 200);
    assert_eq!(get(&["Host: evil.example", &cookie]), 403);
    assert_eq!(get(&[&cookie]), 400);
    assert_eq!(get(&["Host: HOST", "Origin: http://evil.example", &cookie]), 403);
    assert_eq!(get(&["Host: HOST", "Origin: http://HOST", &cookie]), 200);
    assert_eq!(get(&["Host: HOST", "Sec-Fetch-Site: cross-site", &cookie]), 403);
    assert_eq!(get(&["Host: HOST", "Sec-Fetch-Site: same-site", &cookie]), 403);
    assert_eq!(get(&["Host: HOST", "Sec-Fetch-Site: same-origin", &cookie]), 200);
    // A link of another site may be followed to a page, which is loaded again with the cookie.
    let link = ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"];
    let follow = |path: &str, headers: &[&str]| page.ask("GET", path, &[headers, &link].concat(), "");
    let again = follow("/?q=circle", &[]);
    assert_eq!(again.status, 200);
    assert!(again.text().contains("http-equiv=\"refresh\" content=\"0\""), "{}", again.text());
    assert_eq!((follow("/", &[&cookie]).status, follow("/api/v1/server", &[]).status), (200, 401));
    let framed = ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: iframe"];
    assert_eq!(page.ask("GET", "/", &framed, "").status, 403);
    let other = Page::new(&tree, &[]);
    let entered = other.ask("GET", &format!("/enter?code={}", other.code), &link, "");
    assert!(entered.text().contains("content=\"0; url=/\"") && entered.header("set-cookie").is_some());
    // A POST with the cookie must come from the page.
    let body = json!({ "items": [] }).to_string();
    let post = |headers: &[&str]| page.ask("POST", "/api/v1/highlight", headers, &body).status;
    assert_eq!((post(&[&cookie]), post(&[&cookie, "Origin: http://HOST"]), post(&[BEARER])), (403, 200, 200));
    assert_eq!(post(&[&cookie, "Origin: http://evil.example"]), 403);
    // Nobody learns whether a token is right before host and page are.
    assert_eq!(get(&["Host: evil.example", "Authorization: Bearer no"]), 403);
}

#[test]
fn every_answer_has_the_headers() {
    let tree = Tree::new(SMALL);
    let page = Page::new(&tree, &[]);
    let security = [
        (
            "content-security-policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
            img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        ),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-embedder-policy", "require-corp"),
        ("cross-origin-resource-policy", "same-origin"),
    ];
    let check = |line: &str, headers: &str, status: u16| {
        let answer = page.raw(&format!("{line} HTTP/1.1\r\n{headers}\r\n"));
        assert_eq!(answer.status, status, "{line}: {}", answer.text());
        for (name, value) in security {
            assert_eq!(answer.header(name), Some(value), "{line}: {}", answer.head);
        }
        let is_of_api = line.contains(" /api/");
        let expected =
            if is_of_api { "no-store" } else { answer.header("cache-control").unwrap_or_default() };
        assert_eq!(
            answer.header("cache-control").filter(|value| !value.is_empty()),
            Some(expected),
            "{}",
            answer.head
        );
        assert_eq!(answer.header("access-control-allow-origin"), None);
    };
    let token = format!("Host: HOST\r\n{BEARER}\r\n");
    check("GET /", &token, 200);
    check("GET /any/path?of=the+page", &token, 200);
    check("GET /assets/app.js", &token, 200);
    check("GET /assets/nothing.js", &token, 404);
    check("GET /assets/../../Cargo.toml", &token, 404);
    check("GET /api/v1/server", &token, 200);
    check("GET /api/v1/search?q=circle", &format!("{token}{EVENTS}\r\n"), 200);
    check("GET /api/v1/search?q=kind:no", &token, 400);
    check("GET /api/v1/nothing", &token, 404);
    check("GET /api/v2/server", &token, 404);
    check("DELETE /api/v1/server", &token, 405);
    check("POST /api/v1/server", &format!("{token}Content-Length: 2\r\n\r\n{{}}"), 405);
    for name in ["search?q=x", "events", "grep?pattern=x", "eval/runs"] {
        check(&format!("POST /api/v1/{name}"), &format!("{token}Content-Length: 2\r\n\r\n{{}}"), 405);
    }
    check("PUT /", &token, 405);
    check("GET /", "Host: HOST\r\n", 401);
    check("GET /api/v1/server", "Host: HOST\r\n", 401);
    check("GET /", "Host: evil.example\r\n", 403);
    check("GET /", "", 400);
    check("GET /enter?code=no", "Host: HOST\r\n", 401);
    check(&format!("GET /enter?code={}", page.code), "Host: HOST\r\n", 303);
    check("GET /mcp", "Host: HOST\r\n", 401);
}

#[cfg(unix)]
#[test]
fn no_path_leaves_its_root() {
    let tree = Tree::new(SMALL);
    let outside = tree.root().parent().unwrap().join("secret.txt");
    std::fs::write(&outside, "the text outside\n").unwrap();
    std::os::unix::fs::symlink(&outside, tree.root().join("link.txt")).unwrap();
    std::os::unix::fs::symlink(outside.parent().unwrap(), tree.root().join("up")).unwrap();
    let page = Page::new(&tree, &["--allow-open"]);
    let absolute = outside.display().to_string();
    let paths = [
        "../secret.txt",
        "%2e%2e/secret.txt",
        "src/../../secret.txt",
        "link.txt",
        "up/secret.txt",
        "~/x",
        "%00",
        "..%5csecret.txt",
        &absolute,
    ];
    for path in paths {
        let questions = "file?path= excerpt?lines=1&path= diff?path= folder?path= coverage?path= explain?path= read?path= \
        grep?pattern=text&path= map?path= files?path= why-not?query=text&file= search?q=path:";
        for question in questions.split(' ') {
            let answer = page.get(&format!("/api/v1/{question}{path}"));
            let text = answer.text();
            assert!([400, 404].contains(&answer.status), "{question}{path}: {} {text}", answer.status);
            assert!(!text.contains("text outside"), "{question}{path}: {text}");
        }
        let plain = path.replace("%2e", ".").replace("%00", "\0").replace("%5c", "\\");
        let opened = page.post("open", &json!({ "path": plain }));
        assert!([400, 404].contains(&opened.status), "{path}: {}", opened.text());
    }
    // A secret of the tree is masked in a file as in every other answer.
    let token = format!("token = \"ghp_{}\"\n", "R4nD0mZq8LxVw2TbY6uKe9HsJc3PfGaMd7Qi");
    tree.write("src/conf.py", &token);
    let text = page.json("file?path=src/conf.py")["text"].as_str().unwrap().to_string();
    assert!(text.contains("[masked: ") && !text.contains("ghp_R4nD0m"), "{text}");
    for question in [
        "excerpt?lines=1&path=src/conf.py",
        "grep?pattern=token",
        "read?path=src/conf.py",
        "search?q=token&mode=exact",
        "search?q=token&mode=ranked&detail=debug",
        "complete?q=token",
    ] {
        let answer = page.get(&format!("/api/v1/{question}"));
        assert!(
            answer.status == 200 && !answer.text().contains("ghp_R4nD0m"),
            "{question}: {}",
            answer.text()
        );
    }
}

#[test]
fn an_editor_is_opened_only_where_that_is_allowed() {
    let tree = Tree::new(SMALL);
    let target = json!({ "path": "src/auth.rs", "line": 2, "column": 5 });
    let page = Page::new(&tree, &[]);
    let refused = page.post("open", &target);
    assert_eq!((refused.status, refused.json()["kind"].as_str()), (403, Some("forbidden")));
    assert_eq!(page.json("server")["can_open"], false);
    drop(page);
    let start = |editor: &str| {
        let mut command = tree.command();
        command.args(["serve", "--port", "0", "--allow-open"]).env("SPYHOP_MCP_TOKEN", TOKEN);
        Page::start(command.env_remove("VISUAL").env("EDITOR", editor))
    };
    let page = start("vim");
    let refused = page.post("open", &target);
    assert_eq!(refused.status, 400);
    assert!(refused.text().contains("needs a terminal"), "{}", refused.text());
    // An editor that tells what it was asked to open.
    let said = tree.index_dir().with_file_name("said");
    let page = start(&format!("sh -c 'echo \"$@\" > {}' code", said.display()));
    let opened = page.post("open", &target);
    assert_eq!(
        (opened.status, opened.json()["opened"].as_str()),
        (200, Some("src/auth.rs")),
        "{}",
        opened.text()
    );
    let begun = std::time::Instant::now();
    while !std::fs::read_to_string(&said).is_ok_and(|text| text.ends_with('\n')) {
        assert!(begun.elapsed().as_secs() < 60, "the editor was not started");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let text = std::fs::read_to_string(&said).unwrap();
    assert_eq!(text.trim(), format!("+2 {}", tree.root().join("src/auth.rs").display()));
    assert_eq!(page.post("open", &json!({ "path": "src/none.rs" })).status, 404);
}

#[test]
fn a_cookie_outlives_its_server_only_with_a_token_file() {
    let tree = Tree::new(SMALL);
    let start = |args: &[&str]| Page::start(tree.command().args(["serve", "--port", "0"]).args(args));
    let get = |page: &Page, cookie: &str| {
        // The name of the cookie has the port of its server.
        let value = cookie.split_once('=').unwrap().1;
        let cookie = format!("Cookie: spyhop-{}={value}", page.address.port());
        page.ask("GET", "/api/v1/server", &[&cookie], "")
    };
    let cookie = start(&[]).enter();
    let refused = get(&start(&[]), &cookie);
    assert_eq!((refused.status, refused.json()["kind"].as_str()), (401, Some("unauthenticated")));
    let file = tree.index_dir().with_file_name("token");
    let args = ["--token-file", file.to_str().unwrap()];
    let cookie = start(&args).enter();
    assert_eq!(get(&start(&args), &cookie).status, 200);
}

#[test]
fn bodies_are_bounded_and_checked() {
    let tree = Tree::new(SMALL);
    let page = Page::new(&tree, &[]);
    let post = |body: &str| page.ask("POST", "/api/v1/highlight", &[BEARER], body);
    assert_eq!(post(&"x".repeat((1 << 20) + 1)).status, 413);
    assert_eq!(post("{").status, 400);
    assert_eq!(post("{\"items\": 3}").status, 400);
    let item = json!({ "language": "rust", "text": "x".repeat(200 << 10) });
    assert_eq!(post(&json!({ "items": [item, item] }).to_string()).status, 400);
    assert_eq!(page.get("/api/v1/highlight").status, 405);
    assert_eq!(page.get("/api/v1/server?x=1").status, 400);
    assert_eq!(page.get("/api/v1/server?q=%FF").status, 400);
}

#[test]
fn parameters_that_there_are_not_are_told_with_those_that_there_are() {
    let tree = Tree::new(SMALL);
    std::fs::create_dir_all(tree.root().join("empty")).unwrap();
    let page = Page::new(&tree, &[]);
    let said = |question: &str| page.get(&format!("/api/v1/{question}")).json()["error"].clone();
    assert_eq!(said("library/list?root=x"), "parameter 'root' is unknown; the operation has no parameters");
    let refs = said("refs?target=x&colour=red").to_string();
    assert_eq!((refs.matches(" view").count(), refs.matches(" mentions").count()), (1, 1), "{refs}");
    assert_eq!(page.json("graph?question=orphans")["question"], "orphans");
    for (folder, status) in [("src", 200), ("empty", 200), ("gone", 404), ("src/paint.py", 404)] {
        assert_eq!(page.get(&format!("/api/v1/folder?path={folder}")).status, status, "{folder}");
    }
}

#[test]
fn no_request_is_a_fault_of_the_server() {
    let tree = Tree::new(SMALL);
    tree.write("a:10.rs", "fn ten() {}\n");
    let page = Page::new(&tree, &[]);
    let long = "x".repeat(5_000);
    let deep = "x/".repeat(2_500);
    for path in [&*long, &*deep, "%00", "%ff", "..", "C:%5Cx", "a%0Ab"] {
        let questions = "file?path= excerpt?lines=1-2&path= folder?path= coverage?folder= diff?path= why-not?q=circle&file= \
        files?query=x&path= grep?pattern=circle&path= read?path= symbols?query=circle&path= \
        search?q=circle&root= search?q=circle&view= search?q=circle&in= eval/query?a=";
        for question in questions.split(' ').chain([""]) {
            let status = page.get(&format!("/api/v1/{question}{path}")).status;
            assert!((200..500).contains(&status), "{question}{path:.20}: {status}");
        }
        assert!((200..500).contains(&page.get(&format!("/{path}")).status), "{path:.20}");
    }
    for path in [&*long, &*deep] {
        let answer = page.get(&format!("/api/v1/file?path={path}"));
        assert_eq!((answer.status, answer.json()["kind"].as_str()), (404, Some("not-found")));
        let opened = page.post("open", &json!({ "path": path }));
        assert!(opened.status < 500, "{}", opened.text());
    }
    assert!(page.json("file?path=a:10.rs")["text"].as_str().unwrap().contains("ten"));
    // Bodies: wrong chunks, wrong lengths, and what is not HTTP.
    let post = "POST PATH HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer TOKEN\r\nContent-Type: application/json\r\n\
                Accept: application/json, text/event-stream\r\n";
    for path in ["/mcp", "/api/v1/highlight"] {
        for body in [
            "Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n",
            "Transfer-Encoding: chunked\r\n\r\n-5\r\n{}\r\n0\r\n\r\n",
            "Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n{}\r\n",
            "Transfer-Encoding: chunked\r\n\r\n1\r\n{}\r\n0\r\n\r\n",
            "Transfer-Encoding: gzip\r\n\r\n",
            "Content-Length: -5\r\n\r\n{}",
            "Content-Length: 5\r\nContent-Length: 6\r\n\r\n{}",
            "Content-Length: 1\r\n\r\n{",
        ] {
            let status = page.raw(&format!("{}{body}", post.replace("PATH", path))).status;
            assert!((400..500).contains(&status), "{path} {body}: {status}");
        }
    }
}

/// Connections that send no more than their beginning.
fn begun(page: &Page, number: usize, head: &str) -> Vec<TcpStream> {
    let head = head.replace("HOST", &page.address.to_string()).replace("TOKEN", TOKEN);
    let begin = |_| {
        let mut stream = page.connect();
        stream.write_all(head.as_bytes()).unwrap();
        stream
    };
    (0..number).map(begin).collect()
}

#[test]
fn streams_and_slow_bodies_of_one_client_shut_out_nobody() {
    let tree = Tree::new(SMALL);
    let page = Page::new(&tree, &[]);
    let cookie = format!("Cookie: {}", page.enter());
    let follow = |header: &str| {
        let head = format!("GET /api/v1/events HTTP/1.1\r\nHost: HOST\r\n{header}\r\n{EVENTS}\r\n\r\n");
        let mut reader = BufReader::new(begun(&page, 1, &head).remove(0));
        assert!(super::read_chunk_after_head(&mut reader).is_some(), "{header}");
        reader
    };
    // A tab of a browser follows the events before a script opens more streams than there may be.
    let mut tab = follow(&cookie);
    let streams: Vec<_> = (0..300).map(|_| follow(BEARER)).collect();
    let slow = "POST /api/v1/highlight HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer TOKEN\r\nContent-Length: 50\r\n\r\n{";
    let bodies = begun(&page, 300, slow);
    for header in [BEARER, &cookie] {
        assert_eq!(page.ask("GET", "/api/v1/search?q=circle", &[header], "").status, 200, "{header}");
        assert_eq!(page.ask("GET", "/", &[header], "").status, 200, "{header}");
    }
    // The stream of the tab goes on.
    tree.write("src/new.py", "def brand_new():\n    pass\n");
    assert!(super::read_chunk(&mut tab).is_some());
    drop((streams, bodies));
}

#[test]
fn nothing_in_a_git_directory_is_served() {
    let tree = Tree::new(SMALL);
    tree.git(&["init", "-q"]);
    tree.commit();
    for file in [".git/config", "sub/.git/config", ".GIT/config"] {
        tree.write(file, "[core]\n\tbare = false\n[x]\n\tnote = walruszz\n");
    }
    #[cfg(unix)]
    std::os::unix::fs::symlink(".git/config", tree.root().join("link.txt")).unwrap();
    let page = Page::new(&tree, &[]);
    for path in [".git/config", "sub/.git/config", ".GIT/config", "link.txt", ".git", "./.git/config"] {
        for question in [
            "file?path=",
            "excerpt?lines=1-9&path=",
            "read?path=",
            "diff?path=",
            "why-not?q=circle&file=",
            "grep?pattern=walruszz&path=",
            "search?mode=exact&q=walruszz%20path:",
        ] {
            let answer = page.get(&format!("/api/v1/{question}{path}"));
            assert!(!answer.text().contains("note = "), "{question}{path}: {}", answer.text());
            let is_explicit = !question.starts_with("search") && !path.ends_with("link.txt");
            assert!(answer.status == 400 || !is_explicit, "{question}{path}: {}", answer.text());
        }
    }
}
