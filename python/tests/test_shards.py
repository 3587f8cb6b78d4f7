"""Shards: searchers and fronts pass bytes, and the reply is that of one engine over all files."""

from __future__ import annotations

from pathlib import Path

import pytest

import spyhop

FILES = {
    "a/retry.py": "def retry_limit():\n    \"\"\"How often an upload is tried again.\"\"\"\n    return 3\n",
    "a/upload.py": "from retry import retry_limit\n\ndef upload(data):\n    return retry_limit()\n",
    "b/delay.py": "def retry_delay(attempt):\n    \"\"\"The seconds before an upload is tried again.\"\"\"\n    return attempt\n",
    "b/notes.md": "# Uploads\n\nAn upload is tried again after the retry delay.\n",
    "c/cache.py": "class Cache:\n    def evict(self):\n        pass\n",
}


def _tree(root: Path, folders: str) -> spyhop.Engine:
    for name, text in FILES.items():
        if name[0] in folders:
            path = root / "tree" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    return spyhop.Engine(root / "tree", index_dir=root / "index")


@pytest.fixture
def searchers(tmp_path: Path) -> list[spyhop.Searcher]:
    return [
        spyhop.Searcher([_tree(tmp_path / "one", "a"), _tree(tmp_path / "two", "b")]),
        spyhop.Searcher(_tree(tmp_path / "three", "c")),
    ]


def _answered(question: spyhop.Question, searchers: list[spyhop.Searcher]) -> spyhop.Question:
    for _ in range(20):
        messages = question.next()
        if not messages:
            return question
        for shard, message in messages:
            question.take(shard, searchers[shard].answer(message))
    raise AssertionError("the question does not end")


@pytest.mark.parametrize(
    "operation, request_of",
    [
        ("search", {"query": "how often is an upload tried again"}),
        ("search", {"query": "retry_limit", "filter": {"lang": ["python"]}}),
        ("search_batch", {"queries": ["evict the cache", "retry delay"], "request": {"query": ""}}),
        ("grep", {"pattern": "tried again", "enclosing": True}),
        ("files", {"pattern": "rtry"}),
        ("symbols", {"pattern": "retry", "filter": {"kind": ["fn"]}}),
    ],
)
def test_shards_answer_as_one_engine(
    tmp_path: Path, searchers: list[spyhop.Searcher], operation: str, request_of: dict[str, object]
) -> None:
    whole = _tree(tmp_path / "whole", "abc").ask(operation, request_of).to_dict()
    question = _answered(spyhop.Front().ask(operation, request_of, ["one", "two"]), searchers)
    over_shards = question.reply().to_dict()
    del whole["snapshot"], over_shards["snapshot"]
    assert over_shards == whole and whole["results"]


def test_a_lost_shard_is_named(searchers: list[spyhop.Searcher]) -> None:
    question = spyhop.Front().ask("search", {"query": "retry limit"}, ["one", "two"])
    question.lose(1, "not searched: c")
    reply = _answered(question, searchers).reply()
    assert isinstance(reply, spyhop.SearchReply)
    assert not reply.complete and reply.warnings == ["not searched: c"] and reply[0].path == "a/retry.py"


def test_what_is_not_federated_is_refused() -> None:
    front = spyhop.Front()
    with pytest.raises(spyhop.ShardError) as raised:
        front.ask("views", {}, ["one"])
    assert raised.value.kind == "not-federated"
    with pytest.raises(spyhop.RequestError):
        front.ask("search", {"query": ""}, ["one"])
    with pytest.raises(spyhop.ShardError):
        front.ask("search", {"query": "x"}, ["one"]).reply()


def test_a_reply_of_something_else_is_an_error(searchers: list[spyhop.Searcher]) -> None:
    question = spyhop.Front().ask("search", {"query": "retry"}, ["one"])
    [(shard, message)] = question.next()
    with pytest.raises(spyhop.ShardError, match="the shard 'one' sent something else"):
        question.take(shard, b"junk")
    with pytest.raises(spyhop.ShardError, match="the shard 'one' failed"):
        question.take(shard, searchers[0].answer(message[:-2]))
    question.forget(shard)
    assert _answered(question, searchers).reply()
