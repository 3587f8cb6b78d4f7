"""The feature matrix: its columns are the measures by which ranking orders files."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import spyhop
from conftest import FILES, QUERIES


@pytest.fixture(scope="module")
def matrix(engine: spyhop.Engine) -> spyhop.FeatureMatrix:
    return engine.features(QUERIES)


def test_a_row_for_each_file_of_each_query(matrix: spyhop.FeatureMatrix) -> None:
    assert matrix.queries == tuple(QUERIES)
    assert matrix.values.shape == (len(matrix), len(spyhop.feature_names())) and matrix.values.dtype == np.float32
    assert list(matrix.sizes()) == [int(np.sum(matrix.query == at)) for at in range(len(QUERIES))]
    for at in range(len(QUERIES)):
        rows = matrix.rows_of(at)
        assert set(matrix.query[rows]) == {at}
        assert list(matrix.rank[rows]) == list(range(1, rows.stop - rows.start + 1))
        assert list(matrix.sum[rows]) == sorted(matrix.sum[rows], reverse=True)
    assert set(matrix.path) <= set(FILES)
    assert list(matrix.kinds[:3]) == ["words", "names", "names"]


def test_the_sum_is_that_of_weighed_features(matrix: spyhop.FeatureMatrix) -> None:
    profile = spyhop.Profile.built_in()
    for kind in ("names", "mixed", "words"):
        rows = matrix.kind == kind
        weights = profile.weights(kind)
        sums = matrix.select(list(weights))[rows] @ np.array(list(weights.values()))
        assert np.allclose(sums, matrix.sum[rows], atol=1e-3), kind


def test_rank_and_score_are_those_of_a_search(engine: spyhop.Engine, matrix: spyhop.FeatureMatrix) -> None:
    for at, reply in enumerate(engine.search_many(QUERIES, activity=False, per_file=1)):
        rows = matrix.rows_of(at)
        assert [hit.path for hit in reply] == list(matrix.path[rows])
        assert reply[0].score == pytest.approx(float(matrix.score[rows][0]), abs=1e-5)
        assert reply[0].lines == (matrix.first_line[rows][0], matrix.last_line[rows][0])


def test_columns_by_name(engine: spyhop.Engine, matrix: spyhop.FeatureMatrix) -> None:
    assert np.array_equal(matrix["lexical"], matrix["lexical.value"])
    assert matrix["lexical.relative"].max() == 1.0
    few = engine.features(QUERIES, names=["lexical.rank", "depth"], limit=1)
    assert few.names == ("lexical.rank", "depth.value")
    assert list(few.sizes()) == [1] * len(QUERIES)
    assert np.array_equal(few["depth"], matrix["depth"][matrix.rank == 1])
    with pytest.raises(spyhop.RequestError, match="no feature 'width'"):
        matrix["width"]


def test_a_profile_decides_the_order_and_not_the_measures(engine: spyhop.Engine, matrix: spyhop.FeatureMatrix) -> None:
    prose = spyhop.Profile.built_in().with_weights({"docs.value": 50.0})
    other = engine.features(QUERIES, profile=prose)
    assert not np.array_equal(other.path, matrix.path)
    key = lambda of: sorted(zip(of.query, of.path, of["lexical"]))  # noqa: E731
    assert key(other) == key(matrix)


def test_queries_without_files_and_no_queries(engine: spyhop.Engine) -> None:
    none = engine.features(["zzzz_no_such_word_zzzz", "flush_queue"])
    assert list(none.sizes()) == [0, len(none)] and len(none) > 0
    assert none.rows_of(0) == slice(0, 0)
    empty = engine.features([])
    assert len(empty) == 0 and empty.values.shape == (0, len(spyhop.feature_names()))


def test_frame_and_pickle(matrix: spyhop.FeatureMatrix) -> None:
    frame = matrix.to_pandas()
    assert list(frame["path"]) == list(matrix.path)
    assert np.array_equal(frame["lexical.rank"].to_numpy(), matrix["lexical.rank"])
    again = pickle.loads(pickle.dumps(matrix))
    assert again.names == matrix.names and np.array_equal(again.values, matrix.values)
