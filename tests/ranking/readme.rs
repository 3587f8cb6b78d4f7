//! README shows what the program prints.

use super::corpus;
use crate::support::repository;

#[test]
fn the_sample_answer_of_readme_is_what_the_program_prints() {
    let readme = std::fs::read_to_string(repository("README.md")).unwrap();
    let query = "how is the body of a webhook signed";
    assert!(readme.contains(&format!("`spyhop \"{query}\" --root . -n 1` prints")), "{readme}");
    let sample = readme.split("prints:\n\n```text\n").nth(1).unwrap().split("```").next().unwrap();
    let ran = corpus().run(&[query, "--root", ".", "-n", "1"]);
    assert!(ran.out.starts_with(sample), "README shows\n{sample}\nand the program prints\n{}", ran.out);
}
