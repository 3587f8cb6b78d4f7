"""The engine: each operation, its results, and its errors."""

from __future__ import annotations

import errno
import os
import pickle
from pathlib import Path
from typing import Any

import pandas
import pytest

import spyhop
from conftest import FILES, QUERIES, write


def test_a_search_names_place_symbol_and_reasons(engine: spyhop.Engine) -> None:
    reply = engine.search("where is the api key resolved")
    hit = reply[0]
    assert (hit.path, hit.symbol, hit.kind, hit.language) == ("src/auth.py", "resolve_api_key", "fn", "python")
    assert hit.lines[0] == 4
    assert sum(reason.contribution for reason in hit.reasons) == pytest.approx(hit.score, abs=1e-4)
    assert hit.snippet is not None and "def resolve_api_key" in hit.snippet
    assert [hit.path for hit in reply] == [hit.path for hit in reply.results]
    assert reply.snapshot.indexed_files == len(FILES)
    assert reply.results is reply.results, "objects are made once"


def test_highlights_are_spans_of_characters(engine: spyhop.Engine) -> None:
    line = engine.grep("ärgerlich").results[0]
    assert [line.text[first:last] for first, last in line.highlights] == ["ärgerlich"]
    assert (line.path, line.line) == ("docs/grüße.md", 3)
    # The column counts bytes, as in editors' quickfix lists: five letters before the match have two bytes.
    assert line.column == line.text.encode().index("ärgerlich".encode()) + 1
    file = engine.files("grüße").results[0]
    assert "".join(file.path[first:last] for first, last in file.highlights) == "grüße"


def test_a_batch_answers_as_single_searches_do(engine: spyhop.Engine) -> None:
    replies = engine.search_many(QUERIES)
    assert list(replies) == [engine_reply_of(engine, query, replies[0]) for query in QUERIES]
    assert len(engine.search_many([])) == 0


def engine_reply_of(engine: spyhop.Engine, query: str, like: spyhop.SearchReply) -> spyhop.SearchReply:
    reply = engine.search(query)
    assert reply.snapshot == like.snapshot
    return reply


@pytest.mark.parametrize("threads", [1, 3])
def test_a_batch_does_not_depend_on_threads(
    engine: spyhop.Engine, tree: Path, threads: int
) -> None:
    other = spyhop.Engine(tree, index_dir=engine.index_dir, threads=threads)
    assert other.search_many(QUERIES * 5) == engine.search_many(QUERIES * 5)


def test_filters_and_limits(engine: spyhop.Engine) -> None:
    paths = lambda reply: {hit.path for hit in reply}  # noqa: E731
    assert paths(engine.search("flush_queue", paths="docs")) == {"docs/grüße.md"}
    assert paths(engine.search("flush_queue", globs=["*.rs"])) == {"src/queue.rs"}
    assert paths(engine.search("flush_queue", languages="rust", exclude="docs")) == {"src/queue.rs"}
    assert {hit.kind for hit in engine.search("keys", kinds=["class"])} == {"class"}
    first = engine.search("keys", max_results=1)
    assert len(first) == 1 and first.next is not None
    second = engine.search("keys", max_results=1, cursor=first.next)
    assert second.offset == 1 and second[0] != first[0]
    assert engine.search("keys", mode="compact")[0].snippet is None


def test_grep(engine: spyhop.Engine) -> None:
    reply = engine.grep(r"fn \w+|func \w+", context=1, enclosing=True)
    assert [(line.path, line.line) for line in reply] == [("src/net/retry.go", 4), ("src/queue.rs", 4)]
    assert [line.enclosing for line in reply] == ["RetryDelay", "flush_queue"]
    assert reply[1].before[0].text == "/// Flushes every job that waits in the queue."
    assert (reply.total_lines, reply.total_files, reply.incomplete) == (2, 2, None)
    either = engine.grep(["drain(..)", "1 << attempt"], fixed=True)
    assert [line.path for line in either] == ["src/net/retry.go", "src/queue.rs"]
    assert len(engine.grep("RETRYDELAY", case="ignored")) == 2
    assert len(engine.grep("flush", word=True)) == 0


def test_files_map_status_and_why_not(engine: spyhop.Engine, tree: Path) -> None:
    assert [row.path for row in engine.files()] == sorted(FILES)
    assert engine.files("retry")[0].matched == "name"
    outline = engine.map()
    assert outline.files == len(FILES) and outline.complete
    assert "KeyStore" in {symbol.name for entry in engine.map("src/auth.py") for symbol in entry.symbols}
    status = engine.status()
    assert (status.state, status.files, status.root) == ("ready", len(FILES), str(tree.resolve()))
    assert dict(status.languages)["python"] == 1
    assert engine.why_not("src/queue.rs", "flush_queue").verdict == "ranked"
    assert engine.why_not("src/qeue.rs", "flush_queue").nearest == ["src/queue.rs"]
    assert engine.why_not("src/auth.py", "RetryDelay").verdict == "no-term"


def test_every_operation_answers(engine: spyhop.Engine) -> None:
    filled: dict[str, dict[str, Any] | None] = {
        "search": {"query": "keys"},
        "search_batch": {"queries": ["keys", "retry"], "request": {"query": ""}},
        "grep": {"pattern": "key"},
        "files": {"pattern": "auth"},
        "symbols": {"pattern": "KeyStore"},
        "map": {},
        "read": {"path": "src/auth.py"},
        "graph": {"question": "refs", "target": "resolve_api_key"},
        "entries": {"kind": "command"},
        "file_graph": {},
        "pack": {"task": "let keys expire"},
        "why_not": {"path": "src/auth.py", "search": {"query": "keys"}},
        "skipped": {},
        "explain_skips": {"path": "src/auth.py"},
        "status": None,
        "views": None,
        "doctor": None,
        "languages": None,
        "search_notes": {"query": "keys"},
        "list_notes": {},
        "add_note": {"kind": "failure", "text": "Keys expire at midnight", "links": ["src/auth.py"]},
    }
    assert [name for name in spyhop.operations() if name not in filled] == ["show_note", "verify_note", "retire_note"]
    for name, request in filled.items():
        reply = engine.ask(name, request)
        assert pickle.loads(pickle.dumps(reply)) == reply and repr(reply), name
        # Every field of the JSON is an attribute.
        for field in reply.to_dict():
            assert field in ("offset", "checked_at") or hasattr(reply, field), f"{name}: {field}"
    note = engine.notes()[0]
    assert engine.ask("show_note", {"id": note.id}) == engine.notes()
    for name, more in [("verify_note", {"test": "cargo test"}), ("retire_note", {"reason": "it is fixed"})]:
        assert len(engine.ask(name, {"id": note.id, **more}).to_dict()["results"]) == 1
    with pytest.raises(spyhop.RequestError, match="operation is 'serch'; choose search"):
        engine.ask("serch")


def test_definitions_uses_and_lines(engine: spyhop.Engine) -> None:
    symbol = engine.symbols("resolve_api_key")[0]
    assert (symbol.name, symbol.path, symbol.kind, symbol.lines[0]) == ("resolve_api_key", "src/auth.py", "fn", 4)
    text = engine.read(symbol="resolve_api_key")
    assert text.text is not None and text.path == "src/auth.py"
    assert engine.read("src/auth.py", lines=(4, 4)).line == 4
    uses = engine.graph("refs", "resolve_api_key")
    assert uses.definitions[0].symbol == "resolve_api_key"
    packed = engine.pack("let keys expire", budget=500)
    assert packed.tokens <= 500 and packed[0].units[0].lines[0] >= 1
    assert {file.path for file in engine.file_graph("orphans").files} <= set(FILES)
    assert engine.skipped().entries == () and engine.check().clean
    assert "python" in {row.name for row in engine.languages().languages}
    assert engine.views().views[0].current is True


def test_an_update_reports_progress_in_the_thread_of_the_caller(tmp_path: Path) -> None:
    import threading

    write(tmp_path / "tree", FILES)
    engine = spyhop.Engine(tmp_path / "tree", index_dir=tmp_path / "index")
    seen: list[tuple[str, int]] = []

    def listen(progress: spyhop.Progress) -> None:
        assert threading.current_thread() is threading.main_thread()
        seen.append((progress.stage, progress.done))

    report = engine.update(progress=listen)
    assert (report.added, report.parsed) == (len(FILES), len(FILES))
    stages = [stage for stage, _ in seen]
    assert stages[-1] == "commit" and "index" in stages
    assert engine.update().generation == report.generation, "nothing has changed"
    (tmp_path / "tree" / "src" / "queue.rs").unlink()
    assert engine.update().deleted == 1
    queries: list[spyhop.Progress] = []
    engine.search_many(QUERIES, progress=queries.append)
    assert (queries[-1].stage, queries[-1].done, queries[-1].total) == ("queries", len(QUERIES), len(QUERIES))


def test_an_exception_of_a_listener_ends_the_call(engine: spyhop.Engine) -> None:
    class Enough(Exception):
        pass

    def listen(progress: spyhop.Progress) -> None:
        raise Enough

    with pytest.raises(Enough):
        engine.search_many(QUERIES * 200, progress=listen)


def test_a_changed_file_is_found_and_stale_policies_differ(tmp_path: Path) -> None:
    write(tmp_path / "tree", FILES)
    folders: dict[str, Any] = {"path": tmp_path / "tree", "index_dir": tmp_path / "index"}
    with pytest.raises(spyhop.NoIndexError) as raised:
        spyhop.Engine(**folders, build=False).search("keys")
    assert raised.value.kind == "no-index"
    spyhop.Engine(**folders).update()
    write(tmp_path / "tree", {"src/new.py": "def brand_new_function():\n    pass\n"})
    with pytest.raises(spyhop.StaleError):
        spyhop.Engine(**folders, stale="error").search("brand_new_function")
    assert len(spyhop.Engine(**folders, stale="ignore").search("brand_new_function")) == 0
    assert spyhop.Engine(**folders).search("brand_new_function")[0].path == "src/new.py"


@pytest.mark.parametrize(
    ("call", "error", "kind", "text"),
    [
        (lambda engine: engine.search(""), spyhop.RequestError, "bad-request", "query is empty"),
        (lambda engine: engine.search("x", mode="long"), spyhop.RequestError, "bad-request", "choose compact, default"),
        (lambda engine: engine.search("x", max_results=0), spyhop.RequestError, "bad-request", "max_results"),
        (lambda engine: engine.search("x", kinds="gadget"), spyhop.RequestError, "bad-request", "gadget"),
        (lambda engine: engine.search("x", paths="../up"), spyhop.RequestError, "bad-request", "../up"),
        (lambda engine: engine.search_many(["key", ""]), spyhop.RequestError, "bad-request", "query 1: query is empty"),
        (lambda engine: engine.grep("(" ), spyhop.RequestError, "bad-request", "("),
        (lambda engine: engine.touch("gone.py"), spyhop.RequestError, "bad-request", "gone.py"),
        (lambda engine: engine.features(["x"], names=["lexicall"]), spyhop.RequestError, "bad-request", "lexicall"),
    ],
)
def test_errors_have_a_class_a_kind_and_a_text(
    engine: spyhop.Engine, call: Any, error: type[spyhop.SpyhopError], kind: str, text: str
) -> None:
    with pytest.raises(error) as raised:
        call(engine)
    assert raised.value.kind == kind and text in str(raised.value)
    again = pickle.loads(pickle.dumps(raised.value))
    assert (type(again), again.kind, str(again)) == (error, kind, str(raised.value))


def test_classes_of_errors_are_those_that_python_programs_catch(tmp_path: Path) -> None:
    with pytest.raises(LookupError):
        spyhop.Engine(tmp_path / "gone")
    with pytest.raises(ValueError):
        spyhop.Engine(tmp_path, threads=0)
    with pytest.raises(spyhop.IndexStateError) as raised:
        (tmp_path / "one").mkdir()
        (tmp_path / "two").mkdir()
        spyhop.Engine(tmp_path / "one", index_dir=tmp_path / "index").update()
        spyhop.Engine(tmp_path / "two", index_dir=tmp_path / "index").update()
    assert raised.value.kind == "foreign-index"
    assert issubclass(spyhop.StorageError, OSError)


def test_an_error_of_the_system_has_its_number_and_its_file(tmp_path: Path) -> None:
    write(tmp_path, {"tree/a.py": "key = 1\n"})
    engine = spyhop.Engine(tmp_path / "tree", index_dir=tmp_path / "file" / "index")
    write(tmp_path, {"file": "no folder\n"})
    with pytest.raises(OSError) as raised:
        engine.update()
    error = raised.value
    assert isinstance(error, spyhop.StorageError)
    assert (error.errno, error.strerror) == (errno.ENOTDIR, os.strerror(errno.ENOTDIR))
    assert error.filename is not None and error.filename.startswith(str(tmp_path / "file"))
    assert error.filename in str(error)
    again = pickle.loads(pickle.dumps(error))
    assert (again.kind, again.errno, again.filename, str(again)) == (error.kind, error.errno, error.filename, str(error))


def test_a_batch_looks_at_the_tree_once(tmp_path: Path) -> None:
    write(tmp_path / "tree", FILES)
    engine = spyhop.Engine(tmp_path / "tree", index_dir=tmp_path / "index", threads=1)

    def add(progress: spyhop.Progress) -> None:
        if progress.stage == "queries":
            write(tmp_path / "tree", {"src/new.py": "def brand_new_function():\n    pass\n"})

    queries = ["brand_new_function"] * 2_000
    before = engine.search_many(queries, progress=add)
    assert (tmp_path / "tree" / "src" / "new.py").exists()
    assert not any(hit.path == "src/new.py" for reply in before for hit in reply)
    assert all(reply[0].path == "src/new.py" for reply in engine.search_many(queries[:3]))


def test_results_are_pickled_compared_and_frozen(engine: spyhop.Engine) -> None:
    replies = engine.search_many(QUERIES, expand=1)
    results = [
        replies,
        replies[0],
        replies[0][0],
        replies[0][0].reasons[0],
        engine.grep("key", context=2),
        engine.files("auth"),
        engine.map(),
        engine.status(),
        engine.why_not("src/auth.py", "flush"),
        engine.update(),
    ]
    for result in results:
        again = pickle.loads(pickle.dumps(result))
        assert again == result and again is not result and type(again) is type(result)
        assert repr(again) == repr(result)
    assert replies[0] != replies[1]
    with pytest.raises(AttributeError):
        replies[0].total = 3


def test_frames(engine: spyhop.Engine) -> None:
    frame = engine.search("keys that expire").to_pandas()
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame["rank"]) == list(range(1, len(frame) + 1))
    assert frame.loc[0, "path"] == "src/auth.py"
    many = engine.search_many(QUERIES).to_pandas()
    assert set(many["query_index"]) == set(range(len(QUERIES)))
    assert list(engine.grep("key").to_pandas()["path"].unique()) == ["src/auth.py"]
    assert list(engine.files().to_pandas()["path"]) == sorted(FILES)
    assert "docs" in set(engine.map().to_pandas()["path"])


def test_profiles(engine: spyhop.Engine, tree: Path, tmp_path: Path) -> None:
    shipped = spyhop.Profile.built_in()
    assert engine.profile == shipped and shipped.name == "default"
    mine = spyhop.Profile.from_dict({"name": "mine", "signals": {"path": {"value": 3.5}}})
    assert mine.weight("path", "words") == mine.weight("path.value", "names") == 3.5
    assert mine.weights("words") == {**shipped.weights("words"), "path.value": 3.5}
    assert spyhop.Profile.from_dict(mine.to_dict()) == mine == pickle.loads(pickle.dumps(mine))
    mine.write(tmp_path / "mine.toml")
    assert spyhop.Profile.read(tmp_path / "mine.toml") == mine
    none = shipped.with_weights({feature: 0.0 for feature in spyhop.feature_names()}, name="none")
    assert none.weights("names") == {} and none.name == "none"
    scores = lambda profile: {hit.score for hit in engine.search("flush_queue", profile=profile)}  # noqa: E731
    assert scores(None) == scores(shipped) != scores(mine)
    loaded = spyhop.Engine(tree, index_dir=engine.index_dir, profile=tmp_path / "mine.toml")
    assert {hit.score for hit in loaded.search("flush_queue")} == scores(mine)
    refused: list[dict[str, Any]] = [{"signals": {"pathh": {"value": 1.0}}}, {"fusion": {"k": -1.0}}, {"nothing": 1}]
    for wrong in refused:
        with pytest.raises(spyhop.RequestError):
            spyhop.Profile.from_dict(wrong)
    with pytest.raises(spyhop.RequestError):
        shipped.with_weights({"path": float("nan")})
