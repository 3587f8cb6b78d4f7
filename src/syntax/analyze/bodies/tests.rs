//! Tests of the bodies that are removed before parsing, and of what is found in them.

use super::*;
use crate::analyze::analyzer::Analyzer;
use crate::grammar::Grammars;
use spyhop_base::model::{Analysis, ReferenceRole};

/// The text that the rules of a language remove from `text`.
fn taken(language: &str, text: &str) -> Vec<String> {
    let grammars = Grammars::built_in();
    let rules = grammars.rules(grammars.by_name(language).unwrap()).unwrap();
    let holes = find(text, rules.bodies.as_ref().unwrap()).holes;
    holes.iter().map(|hole| text[hole.range()].split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

fn analyze(language: &str, text: &str) -> Analysis {
    let grammars = Grammars::built_in();
    Analyzer::new().analyze(&grammars, grammars.by_name(language).unwrap(), text)
}

fn names<'t>(analysis: &Analysis, text: &'t str, role: ReferenceRole) -> Vec<&'t str> {
    let of_role = analysis.references.iter().filter(|it| it.role == role);
    of_role.map(|it| &text[it.span.range()]).collect()
}

const FILL: &str = "one(two, three); four(five, six);";

#[test]
fn a_body_is_told_by_its_head_or_its_parameters() {
    let check = |language: &str, text: &str, expected: &[&str]| {
        assert_eq!(taken(language, &text.replace("FILL", FILL)), expected, "{text}");
    };
    let fill = &FILL;
    check("go", "func f() {\n\tFILL\n}\n", &[fill]);
    check("go", "func f(a interface{ A() }) (b struct{ c int }, err error) {\n\tFILL\n}\n", &[fill]);
    check("go", "func f() interface{ Close(a, b, c, d, e, f, g) error } {\n\tFILL\n}\n", &[fill]);
    check("go", "func f(a int)\ntype T struct {\n\ta, bcdefghijklmnop, qrstuvwxyz int\n}\n", &[]);
    let table = "\"a, a long one\": 1, \"another\": 2,";
    check("go", &format!("var t = map[string]int{{\n\t{table}\n}}\n"), &[table]);
    check("go", "type I interface {\n\tFirst(a, b int) error\n\tSecond(a, b int) error\n}\n", &[]);
    check("c", "int f(void)\n{\n\tFILL\n}\n", &[fill]);
    let table = ".one = function_of_one, .two = two,";
    check("c", &format!("static struct ops o = {{\n\t{table}\n}};\n"), &[table]);
    check("c", "struct ops {\n\tint (*one)(int a, int b); int (*two)(void);\n};\n", &[]);
    check(
        "c",
        "#define EACH(x) do { one(x); two(x); \\\n\tthree(x); } while (0) {\nint f(void) {\n\tFILL\n}\n",
        &[fill],
    );
}

#[test]
fn doubtful_bodies_are_parsed() {
    let nothing = |language: &str, inside: &str| {
        let text = match language {
            "go" => format!("func f() {{\n\t{FILL}\n{inside}\n}}\n"),
            _ => format!("int f(int a)\n{{\n\t{FILL}\n{inside}\n}}\n"),
        };
        assert_eq!(taken(language, &text), Vec::<String>::new(), "{text}");
    };
    nothing("go", "\ttype local struct{ a int }");
    nothing("go", "\ta[1)");
    nothing("go", "\ta := \"no end");
    nothing("c", "\tstruct local { int a; } b;");
    nothing("c", "#ifdef A\n\tif (a) {\n#else\n\tif (b) {\n#endif\n\t}");
    nothing("c", "#define LOCAL 1");
    // The brace that seems to end the body is in an unusual position.
    assert_eq!(taken("c", &format!("int f(int a)\n{{\n\t{FILL}\n\t}}\n")), Vec::<String>::new());
    // Parsing a very short body costs less than a hole.
    assert_eq!(taken("c", "int f(int a) { return a; }\n"), Vec::<String>::new());
}

#[test]
fn brackets_in_strings_and_comments_do_not_count() {
    let go =
        "func f() {\n\ta(\"{\\\"{\", '{', `{\n{`) // {\n\t/* {\n{ */\n\tsome(more, of, it)\n}\nvar end int\n";
    assert_eq!(taken("go", go).len(), 1);
    let analysis = analyze("go", go);
    assert_eq!(analysis.symbols.iter().map(|it| &*it.name).collect::<Vec<_>>(), ["f", "end"]);
    assert_eq!(
        analysis.comments.iter().map(|it| &go[it.range()]).collect::<Vec<_>>(),
        ["// {", "/* {\n{ */"]
    );
    assert!(analysis.notes.is_empty());
}

#[test]
fn after_a_body_that_cannot_be_read_others_are() {
    let text = format!("int f(void)\n{{\n\tif (a) {{\n}}\n\nint g(int a)\n{{\n\t{FILL}\n}}\n");
    assert_eq!(taken("c", &text), [FILL]);
}

#[test]
fn names_are_found_by_what_stands_beside_them() {
    let go = "func f() {\n\tvar a api.Pod\n\tb := &Store{c: make([]corev1.Node, 2)}\n\td, ok := e.(*Reader)\n\
        \tif ok {\n\t\treturn g(h.Run(b), func(w http.Writer, r *Request) error { return nil })\n\t}\n\
        \tvar m map[Key]*Value\n}\n";
    assert_eq!(taken("go", go).len(), 1);
    let analysis = analyze("go", go);
    assert_eq!(names(&analysis, go, ReferenceRole::Call), ["make", "g", "Run"]);
    let types = ["Pod", "Store", "Node", "Reader", "Writer", "Request", "error", "Key", "Value"];
    assert_eq!(names(&analysis, go, ReferenceRole::Type), types);

    let c = "int f(void)\n{\n\tstruct node *a = find(b, sizeof(struct list));\n\tgfp_t flags;\n\tmy_type **c;\n\
        \tif (a->run(1) * d)\n\t\treturn ((my_other *)a)->e;\n}\n";
    assert_eq!(taken("c", c).len(), 1);
    let analysis = analyze("c", c);
    assert_eq!(names(&analysis, c, ReferenceRole::Call), ["find", "run"]);
    assert_eq!(names(&analysis, c, ReferenceRole::Type), ["node", "list", "gfp_t", "my_type", "my_other"]);
}

#[test]
fn a_long_body_is_cut_before_its_statements() {
    let mut text = String::from("func f() {\n");
    for at in 0..30 {
        text += &format!(
            "\tif a{at} {{\n\t\tcall(b{at},\n\t\t\tc)\n\t}}\n\t// About what follows.\n\tfollows()\n"
        );
    }
    text += "}\n\nfunc g() {}\n";
    assert_eq!(taken("go", &text).len(), 1);
    let analysis = analyze("go", &text);
    assert!(analysis.chunks.len() > 3);
    for chunk in &analysis.chunks[1..] {
        let line = text[chunk.span.range()].lines().next().unwrap();
        assert!(
            ["\tif ", "\t// ", "func g"].iter().any(|begin| line.starts_with(begin)),
            "a chunk begins with {line:?}"
        );
    }
}

#[test]
fn a_table_of_macros_ends_where_it_is_long_enough() {
    let mut text = String::from("#ifndef A_H\n#define A_H\n");
    for at in 0..1200 {
        text += &format!("#define REGISTER_{at} 0x{at:x} /* {at} */\n// Comment {at}.\n");
    }
    text += "#endif\nint f(void);\n";
    let analysis = analyze("c", &text);
    let named = |name: &str| analysis.symbols.iter().any(|symbol| &*symbol.name == name);
    assert!(named("REGISTER_998") && !named("REGISTER_999") && !named("REGISTER_1199") && named("f"));
    assert_eq!(analysis.symbols.len(), 1000);
    assert!(analysis.notes.is_empty());
    let lines: std::collections::BTreeSet<_> =
        analysis.comments.iter().map(|comment| text[comment.range()].to_string()).collect();
    assert!((0..1200).all(|at| lines.contains(&format!("// Comment {at}."))));
}
