//! Tests of the forms and texts of documents.

use super::content::*;
use super::*;

fn page(text: &str) -> Document {
    Document { pages: vec![text.to_string()], ..Document::default() }
}

#[test]
fn forms_are_told_by_content() {
    for (name, head, expected) in [
        ("a.bin", "%PDF-1.5\n", Some(DocumentForm::Pdf)),
        ("a", "\n<!DOCTYPE html><title>a</title>", Some(DocumentForm::Html)),
        ("a.md", "# a\n", Some(DocumentForm::Markdown)),
        ("NOTES.TXT", "a\n", Some(DocumentForm::Text)),
        ("a.docx", "PK\u{3}\u{4}...", Some(DocumentForm::Docx)),
        ("a.zip", "PK\u{3}\u{4}... src/password/document.xml word/", None),
        ("test_pdf.py", "HEADER = b\"%PDF-1.4\"\n", None),
        ("a.rs", "fn a() {}\n", None),
        ("a.txt", "a\0b", None),
    ] {
        assert_eq!(DocumentForm::of(name, head.as_bytes()), expected, "{name}");
    }
}

#[test]
fn identifiers_and_abstracts_are_found() {
    let mut document = page(
        "Fast Retries\nA. Author\narXiv:1706.03762v5\nhttps://doi.org/10.1145/3292500.3330701.\n\nAbstract. Uploads \
         fail when a disk is full or a network is slow, and a client that tries again at once makes both of these \
         worse than before.\n\n1 Introduction\nMore text.\n",
    );
    identifiers::complete(&mut document);
    assert_eq!(document.doi.as_deref(), Some("10.1145/3292500.3330701"));
    assert_eq!((document.arxiv.as_deref(), document.year), (Some("1706.03762"), Some(2017)));
    let found = document.abstract_text.clone().unwrap();
    assert!(found.starts_with("Uploads fail") && found.ends_with("than before."), "{found}");
    assert!(document.is_paper());
    let mut other = page("An abstract class is a class without instances.\n");
    identifiers::complete(&mut other);
    assert!(other.abstract_text.is_none() && !other.is_paper());
}

#[test]
fn a_text_in_markdown_has_an_outline() {
    let text = "---\ntitle: \"Retry limits\"\nauthor: A. One, B. Two\ndate: 2024-05-01\n---\n# Overview\n\n```\n# no \
                heading\n```\n\nDetails\n-------\n";
    let document = extract(DocumentForm::Markdown, text.as_bytes()).unwrap();
    assert_eq!(document.title.as_deref(), Some("Retry limits"));
    assert_eq!((document.authors.len(), document.year), (2, Some(2024)));
    let outline: Vec<_> =
        document.outline.iter().map(|heading| (heading.level, heading.title.as_str())).collect();
    assert_eq!(outline, [(1, "Overview"), (2, "Details")]);
}

#[test]
fn pages_of_a_text_end_with_form_feeds() {
    for (line, page) in [(1, 1), (2, 1), (3, 2), (4, 2), (5, 4)] {
        assert_eq!(page_of("one\n\n\x0c\ntwo\n\x0c\x0cfour", line), Some(page), "{line}");
    }
    assert_eq!(page_of("one\n", 1), None);
    let document = extract(DocumentForm::Text, b"A manual\n# a comment\n\x0cPage two\n").unwrap();
    assert_eq!((document.title.as_deref(), document.page_count), (Some("A manual"), Some(2)));
    let text = document.to_markdown("manual.txt");
    assert!(text.starts_with("# A manual\n") && text.contains("\\# a comment"), "{text}");
    let before = text.split("Page two").next().unwrap();
    assert_eq!(before.matches(PAGE_BREAK).count(), 1);
}

#[cfg(feature = "documents")]
#[test]
fn a_page_in_html_has_headings_and_text() {
    let html = "<!doctype html><html><head><title>Retry &amp; limits</title><meta name=author content='A. One'>\
                <style>p { color: red }</style></head><body><nav>menu</nav><h1>Limits</h1><p>Uploads <b>stop</b> \
                after <code>#max</code>.</p><h2>Why</h2><pre>a\nb</pre><script>alert(1)</script></body></html>";
    let document = extract(DocumentForm::Html, html.as_bytes()).unwrap();
    assert_eq!(document.title.as_deref(), Some("Retry & limits"));
    assert_eq!(document.authors, ["A. One"]);
    let text = &document.pages[0];
    assert!(text.contains("## Limits") && text.contains("Uploads stop after #max.\n"), "{text}");
    assert!(text.contains("a\nb\n"), "{text}");
    assert!(!text.contains("alert") && !text.contains("color") && !text.contains("menu"), "{text}");
    assert_eq!(document.outline.len(), 2);
}

#[cfg(feature = "documents")]
#[test]
fn a_word_document_has_headings_text_and_properties() {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    let cited = "x ".repeat(6_000);
    put(
        "word/document.xml",
        &format!(
            "<w:document xmlns:w=\"a\"><w:body><w:p><w:pPr><w:pStyle w:val=\"Heading1\"/></w:pPr><w:r><w:t>Limits \
             &amp; delays</w:t></w:r></w:p><w:p><w:r><w:t>The client&#8217;s limit</w:t></w:r></w:p><w:p><w:r><w:t>{cited} \
             arXiv:1706.03762</w:t></w:r></w:p></w:body></w:document>"
        ),
    );
    put(
        "docProps/core.xml",
        "<p><dc:title>Research &amp; Development</dc:title><dc:creator>A. One; B. Two</dc:creator></p>",
    );
    put("docProps/app.xml", "<p><Pages>7</Pages></p>");
    let made = std::process::Command::new("python3")
        .args(["-m", "zipfile", "-c", "a.docx", "word/", "docProps/"])
        .current_dir(folder.path())
        .status()
        .unwrap();
    assert!(made.success());
    let bytes = std::fs::read(folder.path().join("a.docx")).unwrap();
    assert_eq!(DocumentForm::of("unnamed", &bytes), Some(DocumentForm::Docx));
    let document = extract(DocumentForm::Docx, &bytes).unwrap();
    assert_eq!(document.title.as_deref(), Some("Research & Development"));
    assert_eq!((document.authors.len(), document.page_count), (2, Some(7)));
    assert_eq!(document.outline[0].title, "Limits & delays");
    assert!(document.pages[0].contains("The client\u{2019}s limit"), "{:?}", &document.pages[0][..80]);
    // A paper that is cited far below is not the document.
    assert!(document.arxiv.is_none() && !document.is_paper());
}

#[cfg(feature = "documents")]
#[test]
fn damaged_files_are_errors() {
    for (form, bytes) in [
        (DocumentForm::Pdf, b"%PDF-1.5\nnothing else".as_slice()),
        (DocumentForm::Docx, b"PK\x03\x04nothing else".as_slice()),
    ] {
        assert!(matches!(extract(form, bytes), Err(DocumentError::Damaged(_))), "{form:?}");
    }
}

/// A PDF file of these objects; the first is the catalog.
#[cfg(feature = "documents")]
fn pdf_of(objects: &[Vec<u8>]) -> Vec<u8> {
    let mut file = b"%PDF-1.5\n".to_vec();
    let mut starts = Vec::new();
    for (at, object) in objects.iter().enumerate() {
        starts.push(file.len());
        file.extend_from_slice(format!("{} 0 obj\n", at + 1).as_bytes());
        file.extend_from_slice(object);
        file.extend_from_slice(b"\nendobj\n");
    }
    let table = file.len();
    file.extend_from_slice(format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1).as_bytes());
    starts.iter().for_each(|start| file.extend_from_slice(format!("{start:010} 00000 n \n").as_bytes()));
    let size = objects.len() + 1;
    file.extend_from_slice(
        format!("trailer\n<</Size {size} /Root 1 0 R>>\nstartxref\n{table}\n%%EOF\n").as_bytes(),
    );
    file
}

#[cfg(feature = "documents")]
fn packed(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut packer = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

#[cfg(feature = "documents")]
fn stream_of(content: &[u8], filters: &str) -> Vec<u8> {
    let head = format!("<</Length {}{filters}>>\nstream\n", content.len());
    [head.as_bytes(), content, b"\nendstream"].concat()
}

/// Small files that the crates for PDF unpack, expand and follow without an end.
#[cfg(feature = "documents")]
#[test]
fn pdf_files_that_take_too_much_memory_or_time_are_refused() {
    let catalog = b"<</Type/Catalog/Pages 2 0 R>>".to_vec();
    let pages = b"<</Type/Pages/Kids[3 0 R]/Count 1>>".to_vec();
    let page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>"
        .to_vec();
    let font =
        b"<</Type/Font/Subtype/Type0/BaseFont/A/Encoding/Identity-H/ToUnicode 6 0 R/DescendantFonts[7 0 R]>>";
    let descendant = b"<</Type/Font/Subtype/CIDFontType2/BaseFont/A>>".to_vec();
    let shown = stream_of(b"BT /F 12 Tf <00410042> Tj ET", "");
    let with = |content: &[u8], map: &[u8]| {
        pdf_of(&[
            catalog.clone(),
            pages.clone(),
            page.clone(),
            content.to_vec(),
            font.to_vec(),
            map.to_vec(),
            descendant.clone(),
        ])
    };
    let map = |range: &str, filters: &str| {
        let text = format!("begincmap 1 beginbfrange\n{range}\nendbfrange endcmap");
        match filters.is_empty() {
            true => stream_of(text.as_bytes(), ""),
            false => stream_of(&packed(text.as_bytes()), filters),
        }
    };
    let small = map("<0041> <0042> <0041>", "");
    let bomb = packed(&packed(&vec![b' '; 65 << 20]));
    let twice = "/Filter[/FlateDecode/FlateDecode]";
    let form = stream_of(b"/X Do", "/Type/XObject/Subtype/Form/Resources<</XObject<</X 4 0 R>>>>");
    let around = b"<</Type/Pages/Kids[3 0 R]/Count 1/Parent 2 0 R>>".to_vec();
    for (name, file, reason) in [
        ("a bomb", with(&stream_of(&bomb, twice), &small), "more than 64 MB when it is unpacked"),
        ("a range", with(&shown, &map("<00000000> <FFFFFFFF> <0041>", "")), "the map of a font"),
        (
            "a packed range",
            with(&shown, &map("<0000> <FFFFFF> [ <0041> ]", "/Filter/FlateDecode")),
            "the map of a font",
        ),
        ("a form", pdf_of(&[catalog.clone(), pages.clone(), page.clone(), form]), "draws itself"),
        ("a circle", pdf_of(&[catalog.clone(), around, page.clone(), shown.clone()]), "ancestors"),
    ] {
        let error = extract(DocumentForm::Pdf, &file).expect_err(name).to_string();
        assert!(error.contains(reason), "{name}: {error}");
    }
    assert_eq!(extract(DocumentForm::Pdf, &with(&shown, &small)).unwrap().page_count, Some(1));
}

/// A tree of such a page takes quadratic time.
#[cfg(feature = "documents")]
#[test]
fn nested_elements_of_a_page_are_read_in_one_pass() {
    let page = format!("<!doctype html><body>{}<h2>Why &lt;h1&gt;</h2>text", "<div><p>".repeat(300_000));
    let document = extract(DocumentForm::Html, page.as_bytes()).unwrap();
    assert_eq!(document.pages[0].trim(), "### Why <h1>\n\ntext");
    let words = (0..300_000).map(|number| format!(" a{number}=1")).collect::<String>();
    let document = extract(DocumentForm::Html, format!("<html><p{words}>text").as_bytes()).unwrap();
    assert_eq!(document.pages[0].trim(), "text");
    let text = format!("<html><p>a < b{words}</p><title>not <b>bold</title><pre>a &amp; b\n  c</pre>");
    let document = extract(DocumentForm::Html, text.as_bytes()).unwrap();
    assert_eq!(document.title.as_deref(), Some("not <b>bold"));
    assert!(document.pages[0].contains("a & b\n  c\n"), "{}", &document.pages[0][..40]);
}

#[cfg(unix)]
#[test]
fn the_end_of_a_reader_is_told_in_words() {
    for (cause, told) in [
        (
            "its parser aborted (SIGABRT): memory allocation of 9 bytes failed",
            "needs more than 512 MB of memory",
        ),
        (
            "its parser aborted (SIGABRT): fatal runtime error: stack overflow, aborting",
            "its parts are nested too deeply",
        ),
        (
            "its parser took more than 3.0 s of processor time",
            "its reader took more than 3.0 s of processor time",
        ),
    ] {
        assert!(DocumentError::of_reader(cause).to_string().contains(told), "{cause}");
    }
}
