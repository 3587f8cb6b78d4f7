"""Query sets, runs, files of features, significance, fits: each against the tool or the algebra that knows the answer."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import ir_datasets
import ir_measures
import numpy as np
import pytest
from ir_datasets.datasets.base import Dataset
from ir_datasets.formats import TrecQrels, TsvQueries
from sklearn.datasets import load_svmlight_file

import spyhop
from conftest import FILES, QUERIES, write
from spyhop import research
from spyhop.research.fit import _learned, _lessons, _line, _Question

SET = research.QuerySet(
    queries={f"q{at}": text for at, text in enumerate(QUERIES)},
    qrels={
        "q0": {"src/auth.py": 1},
        "q1": {"src/queue.rs:4-6": 2, "docs/gr%C3%BC%C3%9Fe.md": 1},
        "q2": {"src/net/retry.go": 1, "src/auth.py": 0},
        "q3": {"auth.py:9-13": 1},
        "q4": {"src/net/retry.go": 1},
    },
    groups={"q0": "a", "q1": "b", "q2": "c", "q3": "a", "q4": "c"},
    name="own",
)


def test_document_ids_are_those_of_the_harness() -> None:
    for path, lines, expected in [
        ("src/auth.py", None, "src/auth.py"),
        ("src/auth.py", (3, 9), "src/auth.py:3-9"),
        ("a b/100%.md", (1, 1), "a%20b/100%25.md:1-1"),
    ]:
        assert research.document_id(path, lines) == expected
        assert research.parse_document_id(expected) == (path, lines)
    assert research.parse_document_id("a:b") == ("a:b", None)
    target = research.Target("src/auth.py", (3, 9))
    assert target.is_answered_by("auth.py", (9, 12)) and not target.is_answered_by("auth.py", (10, 12))
    assert not target.is_answered_by("oauth.py", (3, 9))


def test_trec_sets(tmp_path: Path) -> None:
    research.write_trec(SET, tmp_path / "own")
    again = research.read_trec(tmp_path / "own")
    assert (again.queries, again.qrels, again.name) == (SET.queries, SET.qrels, "own")
    assert list(ir_measures.read_trec_qrels(str(tmp_path / "own" / "qrels.txt"))) == list(
        ir_measures.util.QrelsConverter(SET.qrels).as_namedtuple_iter()
    )
    (tmp_path / "own" / "topics.tsv").write_text(
        "<top>\n<num> Number: q0\n<title> where is\nthe key\n\n<desc> Description:\nlong\n</top>\n"
        "<top><num>q1</num><title>flush</title></top>\n"
    )
    assert research.read_trec(tmp_path / "own").queries == {"q0": "where is the key", "q1": "flush"}
    (tmp_path / "own" / "qrels.txt").write_text("q0 0 a.py 1\nq0 0 b.py yes\n")
    with pytest.raises(spyhop.RequestError, match="qrels.txt:2: 'yes' is not a grade"):
        research.read_trec(tmp_path / "own")


def test_beir_sets(tmp_path: Path) -> None:
    corpus = {"d1": "def resolve_api_key():\n    pass\n", "d2": "nothing of interest\n"}
    queries = research.QuerySet({"q": "resolve api key"}, {"q": {"d1": 1}}, name="beir")
    research.write_beir(queries, tmp_path / "beir", corpus=corpus)
    row = json.loads((tmp_path / "beir" / "corpus.jsonl").read_text().splitlines()[0])
    (tmp_path / "beir" / "corpus.jsonl").write_text(
        json.dumps({**row, "title": "Keys", "language": "python"}) + "\n" + json.dumps({"_id": "d2", "text": "none"})
    )
    again = research.read_beir(tmp_path / "beir")
    assert (again.queries, again.qrels) == (queries.queries, queries.qrels)
    documents = research.write_beir_corpus(tmp_path / "beir", tmp_path / "tree", extensions={"python": "py"})
    assert documents == {"0000/0000001.py": "d1", "0000/0000002.txt": "d2"}
    assert (tmp_path / "tree" / "0000" / "0000001.py").read_text() == "Keys\n\n" + corpus["d1"]
    engine = spyhop.Engine(tmp_path / "tree", index_dir=tmp_path / "index")
    run = research.run_of(engine.search_many(again.texts), again, documents=documents)
    assert run == {"q": {"d1": 1.0}}
    assert research.evaluate(run, again.qrels, ["P@1"]) == {"P@1": 1.0}


class File:
    """A file as ``ir_datasets`` reads them."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def stream(self) -> Any:
        return open(self._path, "rb")


def test_sets_of_ir_datasets(tmp_path: Path) -> None:
    research.write_trec(SET, tmp_path)
    dataset = Dataset(
        TsvQueries(File(tmp_path / "topics.tsv"), lang="en"), TrecQrels(File(tmp_path / "qrels.txt"), {1: "relevant"})
    )
    again = research.of_ir_datasets(dataset, name="own")
    assert (again.queries, again.qrels) == (SET.queries, SET.qrels)
    assert research.of_ir_datasets(SET).qrels == SET.qrels
    assert list(SET.queries_iter())[0] == ir_datasets.formats.GenericQuery("q0", QUERIES[0])


def test_a_run_lists_places_as_the_documents_that_they_answer(engine: spyhop.Engine) -> None:
    run = research.run_of(engine.search_many(SET.texts, activity=False), SET)
    assert list(run["q0"])[0] == "src/auth.py" and list(run["q3"])[0] == "auth.py:9-13"
    assert list(run["q1"])[:2] == ["src/queue.rs:4-6", "docs/gr%C3%BC%C3%9Fe.md"]
    # A further hit in a file whose document is listed has an id of its own.
    assert all(len(set(listed)) == len(listed) for listed in run.values())
    means = research.evaluate(run, SET.qrels, ["nDCG@10", "RR", ir_measures.P @ 1])
    assert means == {"nDCG@10": 1.0, "RR": 1.0, "P@1": 1.0}
    values = research.per_query({"q0": run["q0"]}, SET.qrels, "RR")
    assert values == {"q0": 1.0, "q1": 0.0, "q2": 0.0, "q3": 0.0, "q4": 0.0}


def test_runs_in_files_and_as_scored_documents(engine: spyhop.Engine, tmp_path: Path) -> None:
    run = research.run_of(engine.search_many(SET.texts), SET)
    research.write_run(run, tmp_path / "run.txt")
    assert research.read_run(tmp_path / "run.txt") == run
    scored = research.to_scored_docs(run)
    assert sorted(scored) == sorted(ir_measures.read_trec_run(str(tmp_path / "run.txt")))
    assert research.run_of_scored_docs(reversed(scored)) == run


def test_a_matrix_as_a_run_with_labels(engine: spyhop.Engine) -> None:
    matrix = engine.features(SET.texts)
    grades = research.labels(matrix, SET)
    best = {(str(SET.ids[query]), str(path)): int(grade) for query, path, grade in zip(matrix.query, matrix.path, grades)}
    assert best["q1", "src/queue.rs"] == 2 and best["q1", "docs/grüße.md"] == 1 and best["q0", "src/auth.py"] == 1
    run = research.run_of_matrix(matrix, matrix.sum, SET)
    assert research.evaluate(run, SET.qrels, ["nDCG"])["nDCG"] == 1.0
    turned = research.run_of_matrix(matrix, -matrix.sum, SET)
    assert list(turned["q1"]) == list(reversed(run["q1"]))
    with pytest.raises(spyhop.RequestError, match="not that of the queries"):
        research.labels(engine.features(["other"]), SET)


def test_svmlight_files_are_read_by_scikit_learn(engine: spyhop.Engine, tmp_path: Path) -> None:
    matrix = engine.features(SET.texts)
    grades = research.labels(matrix, SET)
    research.write_svmlight(matrix, grades, tmp_path / "features.txt", queries=SET)
    values, read_grades, numbers = load_svmlight_file(
        str(tmp_path / "features.txt"), n_features=len(matrix.names), query_id=True
    )
    assert np.allclose(values.toarray(), matrix.values) and list(read_grades) == list(grades)
    assert list(numbers) == list(matrix.query + 1)
    own_values, own_grades, own_numbers, names = research.read_svmlight(tmp_path / "features.txt")
    assert np.array_equal(own_values, matrix.values) and tuple(names) == matrix.names
    assert list(own_grades) == list(grades) and list(own_numbers) == list(matrix.query + 1)


def test_significance_knows_the_extremes() -> None:
    a = {f"q{at}": 0.5 for at in range(40)}
    groups = {query: query[-1] for query in a}
    same = research.compare(a, a, groups=groups)
    assert (same.difference, same.low, same.high, same.p, same.ties) == (0.0, 0.0, 0.0, 1.0, 40)
    better = research.compare(a, {query: value + 0.1 for query, value in a.items()}, groups=groups)
    assert better.low == pytest.approx(0.1) == better.high and better.p < 0.001 and better.wins == 40
    # Of two values of one sign, half of the signs give a mean as far from 0.
    two = research.compare({"x": 0.0, "y": 0.0}, {"x": 0.2, "y": 0.4}, draws=20_000)
    assert two.p == pytest.approx(0.5, abs=0.02)
    with pytest.raises(spyhop.RequestError):
        research.compare({"x": 0.0}, {"y": 0.0})


def test_the_interval_is_that_of_the_normal_law_for_many_values() -> None:
    rng = np.random.default_rng(3)
    values = rng.normal(0.1, 1.0, 2_000)
    found = research.compare({str(at): 0.0 for at in range(2_000)}, {str(at): v for at, v in enumerate(values)})
    half = 1.96 * values.std() / math.sqrt(len(values))
    assert found.low == pytest.approx(values.mean() - half, abs=0.005)
    assert found.high == pytest.approx(values.mean() + half, abs=0.005)


def test_groups_count_alike() -> None:
    a = dict.fromkeys(["x1", "x2", "x3", "y"], 0.0)
    b = {"x1": 1.0, "x2": 1.0, "x3": 1.0, "y": 0.0}
    assert research.compare(a, b).difference == 0.75
    assert research.compare(a, b, groups={query: query[0] for query in a}).difference == 0.5


def test_folds_are_those_of_the_harness() -> None:
    # The order in which the crate fastrand shuffles r0 to r12, sorted as texts.
    orders = {
        1: "r8 r7 r9 r12 r0 r3 r6 r5 r11 r4 r10 r2 r1",
        2: "r6 r12 r9 r10 r2 r0 r7 r8 r5 r1 r11 r3 r4",
    }
    for seed, order in orders.items():
        dealt = research.folds((f"r{at % 13}" for at in range(40)), 5, seed=seed)
        assert dealt == {name: at % 5 for at, name in enumerate(order.split())}


def question(kind: int, rows: list[list[float]], better: int) -> _Question:
    n = len(rows)
    right = np.arange(n) < better
    return _Question(kind, "g", np.array(rows), np.zeros(n), right, np.flatnonzero(right), np.flatnonzero(~right))


def test_one_pair_gives_the_weight_that_algebra_gives() -> None:
    lessons = _lessons([question(0, [[1.0], [0.0]], 1)], 1)
    names, mixed, words = _learned(lessons, [(0.0, np.inf)], 2.0, 0.5)[:, 0]
    # The best common weight is w / (1 + kinds²), which leaves lambda / 2 · w² / (1 + kinds²) to pay.
    assert 1.0 / (1.0 + math.exp(names)) == pytest.approx(0.5 * names / 1.25, abs=1e-5)
    assert mixed == pytest.approx(names / 1.25, abs=1e-4) and words == pytest.approx(mixed, abs=1e-4)


def test_signs_hold_against_the_data() -> None:
    rng = np.random.default_rng(5)
    means = np.array([-1.0, 1.0, -1.0])
    drawn = []
    for at in range(60):
        rows = rng.uniform(-2, 2, (10, 3))
        rows[0] += means
        drawn.append(question(at % 3, rows.tolist(), 1))
    weights = _learned(_lessons(drawn, 3), [(0.0, np.inf), (-np.inf, 0.0), (-np.inf, np.inf)], 0.1, 0.5)
    assert np.all(weights[:, :2] == 0.0) and np.all(weights[:, 2] < -0.1)


def test_the_line_that_points_were_drawn_from_is_found() -> None:
    rng = np.random.default_rng(3)
    sums = rng.uniform(2, 8, 40_000)
    right = rng.uniform(size=40_000) < 1 / (1 + np.exp(-(0.8 * sums - 4.0)))
    a, b = _line([(0, sums, right)])
    assert a == pytest.approx(0.8, abs=0.05) and b == pytest.approx(-4.0, abs=0.25)


NOISE = {
    "src/noise.py": "def delay_of_keys(api, attempt):\n    # The api key of a failed attempt expires after a delay.\n    pass\n",
    "src/other.rs": "fn wait() { RetryDelay(1); flush_queue(2) } // keys that expire, and where the api key is resolved\n",
}


def test_a_fit_holds_groups_out_and_its_profile_is_loaded(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    write(tree, {**FILES, **NOISE})
    engine = spyhop.Engine(tree, index_dir=tmp_path / "index")
    matrix = engine.features(SET.texts)
    fitted = research.fit([(matrix, SET)], folds=3, without=["depth"], name="mine")
    assert set(fitted.folds) == {"a", "b", "c"} and sorted(fitted.folds.values()) == [0, 1, 2]
    assert not any(feature.startswith("depth") for feature in fitted.features)
    profile = fitted.profile
    assert profile.name == "mine" and profile.weight("depth.value", "words") == 0.0
    assert profile.weights("names") != spyhop.Profile.built_in().weights("names")
    profile.write(tmp_path / "mine.toml")
    fresh = spyhop.Engine(tree, index_dir=engine.index_dir, profile=tmp_path / "mine.toml")
    assert fresh.profile == profile and fresh.search(QUERIES[0])[0].path == "src/auth.py"
    assert fitted.before == research.run_of_matrix(matrix, matrix.sum, SET)
    comparison = fitted.compare("RR", draws=200)
    assert (comparison.queries, fitted.lessons) == (len(SET), len(SET)) and comparison.a > 0.5
    assert research.fit([(matrix, SET)], folds=3, without=["depth"], name="mine").profile == profile
    other = research.QuerySet(SET.queries, SET.qrels, name="alone")
    with pytest.raises(spyhop.RequestError, match="two groups"):
        research.fit([(matrix, other)])
    with pytest.raises(spyhop.RequestError, match="'session' is not a feature"):
        research.fit([(matrix, SET)], add=["session"])
    with pytest.raises(spyhop.RequestError, match="several sets are named 'own'"):
        research.fit([(matrix, SET), (matrix, SET)], folds=2)
    two = research.fit([(matrix, SET), (matrix, other)], folds=2)
    assert "own/q0" in two.held_out and "alone/q0" in two.held_out
