//! Which files have tests, by their paths.

use spyhop_base::path;

/// Folders of tests.
const TEST_FOLDERS: &[&str] = &["test", "tests", "testing", "__tests__", "spec", "specs", "e2e"];

/// Folders of code that shows or measures other code. Tests may lie below them, and they may lie below tests.
const OTHER_FOLDERS: &[&str] = &[
    "example",
    "examples",
    "demo",
    "demos",
    "sample",
    "samples",
    "bench",
    "benches",
    "benchmark",
    "benchmarks",
];

/// Folders that hold what tests use, and no tests.
const WITHOUT_TESTS: &[&str] =
    &["fixture", "fixtures", "mock", "mocks", "testdata", "testutil", "testutils", "baselines"];

/// Words of a file name that mark tests, between separators.
const TEST_WORDS: &[&str] = &["test", "tests", "spec"];

/// Whether a file has tests that can be run, by its path: its name says so, or the last folder that says anything.
pub fn is_test_file(path: &str) -> bool {
    let (folders, name) = path::split(path);
    let is_in = |part: &str, list: &[&str]| list.iter().any(|known| part.eq_ignore_ascii_case(known));
    if folders.split('/').any(|part| is_in(part, WITHOUT_TESTS)) {
        return false;
    }
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let first = name.split('.').next().unwrap_or(name);
    let is_camel = || {
        ["Test", "Tests", "IT", "Spec"].iter().any(|end| first.len() > end.len() && first.ends_with(end))
            || first.strip_prefix("Test").is_some_and(|rest| rest.starts_with(char::is_uppercase))
    };
    let mut words = stem.split(['_', '-', '.']);
    let says = |part: &&str| is_in(part, TEST_FOLDERS) || is_in(part, OTHER_FOLDERS);
    words.any(|word| is_in(word, TEST_WORDS))
        || is_camel()
        || folders.split('/').rfind(says).is_some_and(|last| is_in(last, TEST_FOLDERS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_part_of_a_path_that_says_anything_tells_tests_from_examples() {
        let check = |path: &str, expected: bool| assert_eq!(is_test_file(path), expected, "{path}");
        check("tests/pool.py", true);
        check("examples/shop/pool.py", false);
        check("examples/shop/tests/test_pool.py", true);
        check("examples/shop/tests/helper.py", true);
        check("examples/test_pool.py", true);
        check("tests/examples/pool.py", false);
        check("tests/fixtures/test_pool.py", false);
        check("src/test/java/a/Pool.java", true);
        check("src/PoolTest.java", true);
        check("src/TestPool.java", true);
        check("src/Testimony.java", false);
        check("web/cart.spec.ts", true);
        check("benches/pool.rs", false);
        check("demo/src/pool.go", false);
        check("pool_test.go", true);
    }
}
