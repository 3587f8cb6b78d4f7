"""The transformer with the real PyTerrier, without Java."""

from __future__ import annotations

import pandas
import pyterrier as pt
import pytest

import spyhop
from conftest import QUERIES
from spyhop.pyterrier import SpyhopRetriever

TOPICS = pandas.DataFrame([[f"q{at}", query] for at, query in enumerate(QUERIES)], columns=["qid", "query"])
QRELS = pandas.DataFrame(
    [["q0", "src/auth.py", 1], ["q1", "src/queue.rs", 1], ["q2", "src/net/retry.go", 1], ["q3", "src/auth.py", 1]],
    columns=["qid", "docno", "label"],
)


def test_files_are_retrieved_best_first(engine: spyhop.Engine) -> None:
    found = SpyhopRetriever(engine).transform(TOPICS)
    assert list(found.columns) == ["qid", "query", "docno", "rank", "score", "text"]
    first = found[found["rank"] == 0].set_index("qid")["docno"]
    assert list(first[["q0", "q1", "q2"]]) == ["src/auth.py", "src/queue.rs", "src/net/retry.go"]
    for _, own in found.groupby("qid"):
        assert own["docno"].is_unique
        assert own["score"].is_monotonic_decreasing and own["score"].is_unique
    assert not pt.java.started()


def test_places_limits_filters_and_further_columns(engine: spyhop.Engine) -> None:
    places = SpyhopRetriever(engine, unit="place", num_results=2).transform(TOPICS.assign(intent="find"))
    assert "src/queue.rs:4-6" in set(places["docno"]) and set(places["intent"]) == {"find"}
    assert places.groupby("qid").size().max() <= 2
    rust = SpyhopRetriever(engine, languages="rust").transform(TOPICS)
    assert set(rust["docno"]) == {"src/queue.rs"}
    with pytest.raises(ValueError, match="choose 'file' or 'place'"):
        SpyhopRetriever(engine, unit="line")


def test_pipelines_and_experiments(engine: spyhop.Engine) -> None:
    retriever = SpyhopRetriever(engine)
    assert len((retriever % 1).transform(TOPICS)) == len(TOPICS)
    assert retriever.search("flush_queue").iloc[0]["docno"] == "src/queue.rs"
    both = retriever + SpyhopRetriever(engine, unit="file", languages="rust")
    means = pt.Experiment(
        [retriever, both], TOPICS, QRELS, eval_metrics=["recip_rank", "map"], names=["spyhop", "both"]
    )
    assert list(means["recip_rank"]) == [1.0, 1.0]


def test_no_queries_and_a_frame_without_queries(engine: spyhop.Engine) -> None:
    none = SpyhopRetriever(engine).transform(TOPICS.head(0))
    assert len(none) == 0 and list(none.columns) == ["qid", "query", "docno", "rank", "score", "text"]
    with pytest.raises(pt.validate.InputValidationError):
        SpyhopRetriever(engine).transform(pandas.DataFrame({"qid": ["q0"]}))
    assert "SpyhopRetriever" in repr(SpyhopRetriever(engine))
    assert pt.inspect.transformer_outputs(SpyhopRetriever(engine), ["qid", "query"])[:3] == ["qid", "query", "docno"]
