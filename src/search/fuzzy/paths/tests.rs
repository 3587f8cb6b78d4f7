//! Bounds against scores by nucleo, of drawn names.

use proptest::prelude::*;

use super::*;

/// Every path scored by nucleo, without bounds, sorted.
fn by_scoring_all(pattern: &str, paths: &[String]) -> Vec<(usize, MatchedPart)> {
    let fuzzy = Fuzzy::new(pattern).unwrap();
    let mut matcher = matcher();
    let mut score = |atom: &Atom, text: &str| {
        atom.score(Utf32Str::new(text, &mut Vec::new()), &mut matcher).map(u32::from)
    };
    let mut found = Vec::new();
    for (place, path) in paths.iter().enumerate() {
        let name = name_of(path);
        let Some(by_path) = score(&fuzzy.atom, path) else { continue };
        let last = fuzzy.last.as_ref().and_then(|last| score(last, name)).unwrap_or(0);
        let by_path = by_path * PATH_WORTH + last;
        let by_name = score(&fuzzy.atom, name).map_or(0, |score| score * NAME_WORTH);
        let lower = name.to_lowercase();
        let stem = lower.rsplit_once('.').map_or(lower.as_str(), |(stem, _)| stem);
        let is_equal = lower == fuzzy.text || stem == fuzzy.text;
        let part = if by_name >= by_path { MatchedPart::Name } else { MatchedPart::Path };
        let typed: String = pattern.split_whitespace().collect();
        let folder = format!("/{}/", typed.trim_matches('/').to_lowercase());
        let in_folder = pattern.contains('/') && format!("/{}", path.to_lowercase()).contains(&folder);
        found.push(((is_equal, in_folder, by_name.max(by_path)), place, part));
    }
    let order = |(score, place, _): &((bool, bool, u32), usize, MatchedPart)| {
        (std::cmp::Reverse(*score), paths[*place].len(), &paths[*place])
    };
    found.sort_by(|a, b| order(a).cmp(&order(b)));
    found.into_iter().map(|(_, place, part)| (place, part)).collect()
}

fn check(pattern: &str, paths: &[String], keep: usize) {
    let mut expected = by_scoring_all(pattern, paths);
    let total = expected.len();
    expected.truncate(keep);
    let fuzzy = Fuzzy::new(pattern).unwrap();
    let path = |file: u32| Some(&paths[file as usize][..]);
    let all = fuzzy.best(paths.len() as u32, keep, true, path);
    let found: Vec<(usize, MatchedPart)> =
        all.found.iter().map(|found| (found.file as usize, found.part)).collect();
    assert_eq!((found, all.total, all.scattered), (expected, total, 0), "{pattern:?} in {paths:?}");
    // Without the scattered matches, the order of the others is the same.
    let every = fuzzy.best(paths.len() as u32, paths.len(), true, path).found;
    let sound = |keep: usize| every.iter().filter(|found| !found.is_scattered).take(keep);
    let cut = fuzzy.best(paths.len() as u32, keep, false, path);
    assert_eq!(cut.found.iter().collect::<Vec<_>>(), sound(keep).collect::<Vec<_>>(), "{pattern:?}");
    assert_eq!((cut.total, cut.total + cut.scattered), (sound(total).count(), total), "{pattern:?}");
}

fn paths(name: &'static str) -> impl Strategy<Value = Vec<String>> {
    prop::collection::btree_set(name, 1..60).prop_map(|paths| paths.into_iter().collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn the_best_are_those_of_scoring_all(
        mut paths in paths("([abAB1_.-]{1,5}/){0,3}[abcAB1_. -]{1,9}"),
        pattern in "[abcAB1_./ -]{0,6}[abc]",
        keep in 0usize..20,
        turned in any::<bool>(),
    ) {
        if turned {
            paths.reverse();
        }
        check(&pattern, &paths, keep);
    }

    #[test]
    fn and_in_other_letters(
        paths in paths("([aéÉßK]{1,4}/){0,2}[aeéEßkK_]{1,6}"),
        pattern in "[aeéßk/]{1,4}",
        keep in 0usize..5,
    ) {
        if !pattern.chars().all(|c| c == '/') {
            check(&pattern, &paths, keep);
        }
    }
}

/// Seeded, with all that names are made of.
fn many(count: usize) -> Vec<String> {
    let words = ["index", "config", "server", "Client", "main", "a", "42", "HTTP"];
    let mut state = 1u32;
    let mut next = |below: usize| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as usize % below
    };
    let mut name = |count: usize| {
        let words: Vec<&str> = (0..count).map(|_| words[next(words.len())]).collect();
        words.join(["", "_", "-"][next(3)])
    };
    let top = |place: usize| if place.is_multiple_of(50) { "größe/" } else { "" };
    let mut path = |place| format!("{}{}/{}/{}{place}.rs", top(place), name(1), name(2), name(3));
    let mut paths: Vec<String> = (0..count).map(&mut path).collect();
    paths.sort_unstable();
    paths
}

#[test]
fn threads_and_long_patterns_change_nothing() {
    let paths = many(33_000);
    let long = "a".repeat(70);
    for pattern in
        ["a", "config", "servercfg", "client/main", "htpix 4", "größe", &long, &long[..63], "ndxrs"]
    {
        check(pattern, &paths, 20);
    }
    let deep = vec![format!("{long}/{long}"), format!("x{long}"), long[..66].to_string()];
    for pattern in [&long, &long[..63], &long[..64], &long[..65], &long[..66]] {
        check(pattern, &deep, 2);
    }
    check("cmain", &paths, paths.len());
}

#[test]
fn paths_that_cannot_be_among_the_best_are_not_scored() {
    let paths = many(33_000);
    for (pattern, most) in [("a", 1_500), ("config", 1_500), ("client", 1_500)] {
        let fuzzy = Fuzzy::new(pattern).unwrap();
        let mut reading = PathMatcher::new(&fuzzy, 20, true);
        paths.iter().enumerate().for_each(|(file, path)| reading.read(file as u32, path));
        let (total, scored) = (reading.best.total, reading.scored);
        assert!(total > 10_000 && scored < most, "{pattern}: {scored} of {total} scored");
    }
}
