"""The class `Engine`: each operation with its arguments, its request and its reply."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Callable, Literal, Optional, Sequence, TypeVar, Union, final

from . import _rows, _spyhop
from ._features import FeatureMatrix
from ._results import FilesReply, MapReply, Progress, SearchReplies, SearchReply, Status, UpdateReport
from ._row import Row
from ._spyhop import Profile
from .errors import of_kind

Texts = Union[str, Sequence[str], None]
PathLike = Union[str, "os.PathLike[str]"]
ProfileLike = Union[Profile, str, "os.PathLike[str]", None]
Mode = Literal["compact", "default", "debug"]
Stale = Literal["refresh", "warn", "ignore", "error", "wait"]
Question = Literal[
    "def", "refs", "callers", "callees", "impls", "tests-of", "imports", "importers", "trace", "impact"
]
OnProgress = Optional[Callable[[Progress], object]]
R = TypeVar("R", bound=Row)

#: The operations, each with the class of its reply.
REPLIES: dict[str, type[Row]] = {
    "search": SearchReply,
    "search_batch": SearchReply,
    "grep": _rows.GrepReply,
    "files": FilesReply,
    "symbols": _rows.SymbolsReply,
    "map": MapReply,
    "read": _rows.ReadReply,
    "status": Status,
    "skipped": _rows.SkippedReply,
    "explain_skips": _rows.Explanation,
    "why_not": _rows.WhyNot,
    "graph": _rows.GraphReply,
    "entries": _rows.EntriesReply,
    "file_graph": _rows.FileGraphReply,
    "pack": _rows.PackReply,
    "search_notes": _rows.NotesReply,
    "list_notes": _rows.NotesReply,
    "show_note": _rows.NotesReply,
    "add_note": _rows.NotesReply,
    "verify_note": _rows.NotesReply,
    "retire_note": _rows.NotesReply,
    "views": _rows.ViewsReply,
    "doctor": _rows.Checkup,
    "languages": _rows.Languages,
}


def _listed(texts: Texts) -> list[str]:
    if texts is None:
        return []
    return [texts] if isinstance(texts, str) else list(texts)


def _filter(paths: Texts, globs: Texts, exclude: Texts, languages: Texts, kinds: Texts = None) -> dict[str, Any]:
    folders = _listed(paths)
    return {
        "path": folders[0] if folders else None,
        "or_paths": folders[1:],
        "path_globs": _listed(globs),
        "exclude": _listed(exclude),
        "lang": _listed(languages),
        "kind": _listed(kinds),
    }


def _one_of(name: str, given: str, choices: Sequence[str]) -> str:
    if given not in choices:
        raise of_kind("bad-request", f"{name} is '{given}'; choose {', '.join(choices)}")
    return given


def with_offset(made: R, cursor: Optional[str]) -> R:
    """A reply of the page that begins at a cursor."""
    if cursor and isinstance(made, (SearchReply, FilesReply)):
        made._data["offset"] = int(cursor.rpartition("-")[2])
    return made


def _told(progress: OnProgress) -> Optional[Callable[..., object]]:
    return None if progress is None else lambda *now: progress(Progress(*now))


@final
class Engine:
    """The index of one source tree, and every question to it.

    - `path`: the root of the tree.
    - `index_dir`: the folder of the index; `None` for a folder in the user's cache folder.
    - `profile`: the ranking profile of searches that name none; `None` for the built-in one.
    - `threads`: the threads of an update and of a batch; `None` for one for each core.
    - `stale`: what a call does about changed files: `refresh` indexes them first, `warn` counts them, `ignore` does not look, `error`
      raises `StaleError`, and `wait` is `refresh` that waits for another process which is indexing.
    - `build`: whether a missing index is built; otherwise `NoIndexError` is raised.
    - `wait`: the seconds for which a change of the index waits for another process.
    - `max_memory`: the bytes that an update may use; `None` for 200 MiB and a share of the tree.
    - `max_file_bytes`: the size above which a file is found by its path only; `None` for 1 MiB.
    - `hidden`, `no_ignore`, `no_built_in`: whether hidden files, ignored files, and files that built-in rules skip are indexed.
    - `secrets`, `show_secrets`: whether files of secrets are indexed, and whether replies show values that look like secrets.
    - `grammars`: a folder of grammars, each in place of the built-in one of its name or new; else `.spyhop/grammars` of the tree.
    - `view`: a git revision that is searched instead of the worktree.

    Searches and lookups take filters, each a text or a list of texts:
    - `paths`: folders and files; a result is in one of them.
    - `globs`: globs over paths, such as `src/**/*.rs`; one that begins with `!` excludes.
    - `exclude`: texts; a path that contains one of them, in any case, is excluded.
    - `languages`: names of languages, such as `python`.
    - `kinds`: kinds of symbols or parts, such as `fn`, `class` or `doc`.

    Other arguments of several methods:
    - `profile`: the ranking profile of the call, a `Profile` or the path of a TOML file; `None` for that of the engine.
    - `cursor`: the `next` of a reply, for the page after it.
    - `max_results`: the most rows of a reply, or of a page.
    - `progress`: a function that is called with a `Progress` in the thread of the caller. Its exception ends the call.
    """

    __slots__ = ("_native",)

    def __init__(
        self,
        path: PathLike,
        *,
        index_dir: Optional[PathLike] = None,
        profile: ProfileLike = None,
        threads: Optional[int] = None,
        stale: Stale = "refresh",
        build: bool = True,
        wait: float = 0.0,
        max_memory: Optional[int] = None,
        max_file_bytes: Optional[int] = None,
        hidden: bool = False,
        no_ignore: bool = False,
        no_built_in: bool = False,
        secrets: bool = False,
        show_secrets: bool = False,
        grammars: Optional[PathLike] = None,
        view: Optional[str] = None,
    ) -> None:
        self._native = _spyhop.NativeEngine(
            path,
            index_dir=index_dir,
            profile=profile,
            threads=threads,
            stale=stale,
            build=build,
            wait=wait,
            max_memory=max_memory,
            max_file_bytes=max_file_bytes,
            hidden=hidden,
            no_ignore=no_ignore,
            no_built_in=no_built_in,
            secrets=secrets,
            show_secrets=show_secrets,
            grammars=grammars,
            view=view,
        )

    def __repr__(self) -> str:
        return f"<Engine {self.root}>"

    @staticmethod
    def find_root(path: PathLike) -> Path:
        """The usual root for the folder `path`: the top folder of its git repository, or the folder itself."""
        return _spyhop.NativeEngine.find_root(path)

    @property
    def root(self) -> Path:
        """The root of the tree."""
        return self._native.root

    @property
    def index_dir(self) -> Path:
        """The folder of the index."""
        return self._native.index_dir

    @property
    def profile(self) -> Profile:
        """The profile of searches that name none."""
        return self._native.profile

    def update(self, *, progress: OnProgress = None) -> UpdateReport:
        """Updates the index, or builds it. If the call is interrupted, the next update continues from there."""
        return UpdateReport(self._native.update(_told(progress)))

    def rebuild(self, *, progress: OnProgress = None) -> UpdateReport:
        """Rebuilds the index from the sources. The old index answers until the end."""
        return UpdateReport(self._native.rebuild(_told(progress)))

    def ask(
        self,
        operation: str,
        request: Optional[dict[str, Any]] = None,
        *,
        profile: ProfileLike = None,
        activity: bool = True,
        progress: OnProgress = None,
    ) -> Row:
        """Answers a request of any operation; the methods below are such requests.

        - `operation`: the name, such as `symbols`; `operations()` lists all of them.
        - `request`: the fields of the request; those that are left out have their defaults.
        - `activity`: whether files that `touch` recorded rank higher.
        """
        reply = REPLIES[_one_of("operation", operation, tuple(REPLIES))]
        return self._ask(operation, request, reply, profile=profile, activity=activity, progress=progress)

    def _ask(
        self,
        operation: str,
        request: Optional[dict[str, Any]],
        reply: type[R],
        *,
        profile: ProfileLike = None,
        activity: bool = True,
        progress: OnProgress = None,
    ) -> R:
        made = reply(self._native.ask(operation, json.dumps(request), profile, activity, _told(progress)))
        return with_offset(made, (request or {}).get("cursor"))

    def search(
        self,
        query: str,
        *,
        max_results: int = 10,
        mode: Mode = "default",
        paths: Texts = None,
        globs: Texts = None,
        exclude: Texts = None,
        languages: Texts = None,
        kinds: Texts = None,
        min_score: float | None = None,
        per_file: Optional[int] = None,
        expand: int = 0,
        exhaustive: bool = False,
        activity: bool = True,
        profile: ProfileLike = None,
        cursor: Optional[str] = None,
        progress: OnProgress = None,
    ) -> SearchReply:
        """Answers a query.

        - `query`: a question, a name or a piece of code.
        - `mode`: the text of each hit: `compact` for none, `default` for the best lines, `debug` for the whole place and every reason.
        - `min_score`: the lowest score of a hit, 0 to 1; else that of `.spyhop/search.toml`, else 0.
        - `per_file`: the most hits in one file; `None` for 10.
        - `expand`: the lines of context around each snippet.
        - `exhaustive`: whether every file that contains the query text is a hit.
        - `activity`: whether files that `touch` recorded rank higher.
        """
        filters = _filter(paths, globs, exclude, languages, kinds)
        request = _search(query, max_results, mode, filters, min_score, per_file, expand, exhaustive, cursor)
        return self._ask("search", request, SearchReply, profile=profile, activity=activity, progress=progress)

    def search_many(
        self,
        queries: Sequence[str],
        *,
        max_results: int = 10,
        mode: Mode = "default",
        paths: Texts = None,
        globs: Texts = None,
        exclude: Texts = None,
        languages: Texts = None,
        kinds: Texts = None,
        min_score: float | None = None,
        per_file: Optional[int] = None,
        expand: int = 0,
        exhaustive: bool = False,
        activity: bool = True,
        profile: ProfileLike = None,
        progress: OnProgress = None,
    ) -> SearchReplies:
        """Answers many queries on all cores, each as `search` would, from one state of the index: the tree is compared with the index
        once, before the first query, as `stale` says, and changes during the batch are not seen. The first query that fails ends the
        batch. `queries` is a list of queries; the other arguments are those of `search`.
        """
        filters = _filter(paths, globs, exclude, languages, kinds)
        request = _search("", max_results, mode, filters, min_score, per_file, expand, exhaustive, None)
        replies = self._native.ask_many(list(queries), json.dumps(request), profile, activity, _told(progress))
        return SearchReplies({"results": replies})

    def features(
        self,
        queries: Sequence[str],
        *,
        names: Optional[Sequence[str]] = None,
        limit: Optional[int] = None,
        paths: Texts = None,
        globs: Texts = None,
        exclude: Texts = None,
        languages: Texts = None,
        kinds: Texts = None,
        activity: bool = False,
        profile: ProfileLike = None,
        progress: OnProgress = None,
    ) -> FeatureMatrix:
        """Measures every file that ranking rescores, by every feature, for many queries: a `FeatureMatrix`. The tree is compared with the
        index once, as in `search_many`.

        - `queries`: the queries.
        - `names`: the features; `None` for all of `feature_names()`.
        - `limit`: the most files of a query, the first ones; `None` for all.
        - `activity`: whether files that `touch` recorded rank higher.
        """
        filters = _filter(paths, globs, exclude, languages, kinds)
        request = _search("", 10, "compact", filters, 0.0, None, 0, False, None)
        chosen = None if names is None else list(names)
        columns = self._native.features(
            list(queries), json.dumps(request), chosen, limit, profile, activity, _told(progress)
        )
        return FeatureMatrix.of_columns(columns)

    def grep(
        self,
        pattern: Union[str, Sequence[str]],
        *,
        fixed: bool = False,
        case: Literal["sensitive", "ignored", "smart"] = "sensitive",
        word: bool = False,
        multi_line: bool = False,
        invert: bool = False,
        max_count: Optional[int] = None,
        rank: bool = False,
        enclosing: bool = False,
        context: int = 0,
        max_results: int = 50,
        paths: Texts = None,
        globs: Texts = None,
        exclude: Texts = None,
        languages: Texts = None,
        kinds: Texts = None,
        cursor: Optional[str] = None,
    ) -> _rows.GrepReply:
        """Finds the lines that match a regular expression; with a list, those that match any of them.

        - `pattern`: the expression or expressions, in the syntax of Rust's `regex`.
        - `fixed`: whether patterns are texts.
        - `case`: `sensitive`, `ignored` or `smart`, which ignores case unless a pattern has an upper-case letter.
        - `word`: whether a match is whole words.
        - `multi_line`: whether a match may span lines.
        - `invert`: whether the lines that do not match are found.
        - `max_count`: the most lines of one file; `None` for all.
        - `rank`: whether files are ordered as a search would rank them, not by path.
        - `enclosing`: whether lines name the definition around them.
        - `context`: the lines of context before and after each line.
        """
        patterns = _listed(pattern)
        request = {
            "pattern": patterns[0] if patterns else "",
            "or_patterns": patterns[1:],
            "fixed": fixed,
            "case": _one_of("case", case, ("sensitive", "ignored", "smart")),
            "bounds": "word" if word else "none",
            "multi_line": multi_line,
            "invert": invert,
            "max_count": max_count,
            "rank": rank,
            "enclosing": enclosing,
            "expand": context,
            "max_results": max_results,
            "filter": _filter(paths, globs, exclude, languages, kinds),
            "cursor": cursor,
        }
        return self._ask("grep", request, _rows.GrepReply)

    def files(
        self,
        pattern: str = "",
        *,
        include_scattered: bool = False,
        max_results: int = 20,
        paths: Texts = None,
        globs: Texts = None,
        exclude: Texts = None,
        languages: Texts = None,
        cursor: Optional[str] = None,
    ) -> FilesReply:
        """Finds files by name.

        - `pattern`: letters of the path in order, with gaps, or a glob; empty for all files.
        - `include_scattered`: whether weak matches are listed beside better ones.
        """
        request = {
            "pattern": pattern,
            "include_scattered": include_scattered,
            "max_results": max_results,
            "filter": _filter(paths, globs, exclude, languages),
            "cursor": cursor,
        }
        return self._ask("files", request, FilesReply)

    def symbols(
        self,
        pattern: str = "",
        *,
        max_results: int = 20,
        paths: Texts = None,
        globs: Texts = None,
        exclude: Texts = None,
        languages: Texts = None,
        kinds: Texts = None,
        cursor: Optional[str] = None,
    ) -> _rows.SymbolsReply:
        """Finds definitions by name.

        - `pattern`: letters of the name in order, a container before it as in `Pool.take`, or a glob; empty for all definitions.
        """
        filters = _filter(paths, globs, exclude, languages, kinds)
        request = {"pattern": pattern, "max_results": max_results, "filter": filters, "cursor": cursor}
        return self._ask("symbols", request, _rows.SymbolsReply)

    def map(
        self,
        path: Optional[str] = None,
        *,
        depth: int = 2,
        max_items: int = 200,
        globs: Texts = None,
        exclude: Texts = None,
        languages: Texts = None,
        kinds: Texts = None,
    ) -> MapReply:
        """The outline of the tree, of a folder or of a file.

        - `path`: the folder or file; `None` for the tree.
        - `depth`: the depth of folders with a row.
        - `max_items`: the most rows of folders, files and symbols.
        """
        filters = _filter(path, globs, exclude, languages, kinds)
        return self._ask("map", {"depth": depth, "max_items": max_items, "filter": filters}, MapReply)

    def read(
        self, path: Optional[str] = None, *, lines: Optional[tuple[int, Optional[int]]] = None, symbol: Optional[str] = None
    ) -> _rows.ReadReply:
        """The text of a file, of some of its lines, or of a definition.

        - `path`: the file, or a path with lines such as `a.py:12-30`.
        - `lines`: the first and the last line; `None` as the last line for the end of the file.
        - `symbol`: the name of a definition, such as `Pool.take`, which needs no path.
        """
        wanted = None if lines is None else {"first": lines[0], "last": lines[1]}
        return self._ask("read", {"path": path, "lines": wanted, "symbol": symbol}, _rows.ReadReply)

    def graph(
        self,
        question: Question,
        target: str = "",
        *,
        to: Optional[str] = None,
        depth: Optional[int] = None,
        relation: Optional[str] = None,
        changes: Optional[str] = None,
        min_confidence: float = 0.5,
        max_results: int = 50,
        paths: Texts = None,
        globs: Texts = None,
        exclude: Texts = None,
        languages: Texts = None,
        kinds: Texts = None,
    ) -> _rows.GraphReply:
        """Asks the code graph: where a name is defined and used, what it calls, and what a change concerns.

        - `question`: `def`, `refs`, `callers`, `callees`, `impls`, `tests-of`, `imports`, `importers`, `trace` or `impact`.
        - `target`: a name, `path:line`, `path#name`, or a file.
        - `to`: the other end of the paths of a `trace`.
        - `depth`: the most steps; `None` for that of the question.
        - `relation`: only uses of this relation, such as `calls`.
        - `changes`: for `impact`, a range of commits such as `main..`, in place of a target.
        - `min_confidence`: the least confidence of a row, 0 to 1.
        """
        request = {
            "question": question,
            "target": target,
            "to": to,
            "depth": depth,
            "relation": relation,
            "changes": None if changes is None else {"between": changes},
            "min_confidence": min_confidence,
            "max_results": max_results,
            "filter": _filter(paths, globs, exclude, languages, kinds),
        }
        return self._ask("graph", request, _rows.GraphReply)

    def entries(
        self,
        kind: Literal["route", "command"],
        pattern: str = "",
        *,
        reaches: Optional[str] = None,
        max_results: int = 100,
        paths: Texts = None,
        globs: Texts = None,
        exclude: Texts = None,
        languages: Texts = None,
    ) -> _rows.EntriesReply:
        """Lists the routes of web frameworks, or the commands of the tree.

        - `kind`: `route` or `command`.
        - `pattern`: words of the route or of the command; empty for all.
        - `reaches`: only those whose handlers lead to this target.
        """
        filters = _filter(paths, globs, exclude, languages)
        request = {"kind": kind, "pattern": pattern, "reaches": reaches, "max_results": max_results, "filter": filters}
        return self._ask("entries", request, _rows.EntriesReply)

    def file_graph(
        self,
        question: Literal["export", "cycles", "orphans", "hubs"] = "hubs",
        *,
        max_results: int = 50,
        paths: Texts = None,
        globs: Texts = None,
        exclude: Texts = None,
        languages: Texts = None,
    ) -> _rows.FileGraphReply:
        """Asks the graph of imports between files.

        - `question`: `export` for every file and import, `cycles`, `orphans` or `hubs`.
        """
        request = {
            "question": question,
            "max_results": max_results,
            "filter": _filter(paths, globs, exclude, languages),
        }
        return self._ask("file_graph", request, _rows.FileGraphReply)

    def pack(
        self,
        task: str,
        *,
        budget: int = 8000,
        max_files: int = 40,
        mode: Mode = "default",
        seed_files: Texts = None,
        seed_symbols: Texts = None,
        paths: Texts = None,
        globs: Texts = None,
        exclude: Texts = None,
        languages: Texts = None,
        kinds: Texts = None,
        activity: bool = True,
        cursor: Optional[str] = None,
        progress: OnProgress = None,
    ) -> _rows.PackReply:
        """Collects the code that a task needs, as whole functions and types within a budget of tokens.

        - `task`: what is to be done, in words.
        - `budget`: the most tokens; a token is 4 bytes.
        - `max_files`: the most files.
        - `mode`: `compact` for places only, `default` for the code, `debug` for the record of each stage as well.
        - `seed_files`, `seed_symbols`: files and symbols to begin with.
        - `activity`: whether files that `touch` recorded rank higher.
        """
        request = {
            "task": task,
            "budget": budget,
            "max_files": max_files,
            "mode": _one_of("mode", mode, ("compact", "default", "debug")),
            "seed_files": _listed(seed_files),
            "seed_symbols": _listed(seed_symbols),
            "filter": _filter(paths, globs, exclude, languages, kinds),
            "cursor": cursor,
        }
        return self._ask("pack", request, _rows.PackReply, activity=activity, progress=progress)

    def notes(self, query: str = "", *, max_results: int = 20) -> _rows.NotesReply:
        """The notes about the tree: those that help with a query, or all of them, the newest first.

        - `query`: the question; empty for all notes.
        """
        if query:
            return self._ask("search_notes", {"query": query, "max_results": max_results}, _rows.NotesReply)
        return self._ask("list_notes", {"max_results": max_results}, _rows.NotesReply)

    def add_note(
        self, text: str, *, kind: str = "decision", links: Texts = None, commit: Optional[str] = None
    ) -> _rows.NotesReply:
        """Records a note about the tree.

        - `text`: what is to be known.
        - `kind`: the kind of the note, such as `decision` or `failure`.
        - `links`: the code that the note is about, such as `src/a.py#name`.
        - `commit`: the commit that the note is about.
        """
        request = {"kind": kind, "text": text, "links": _listed(links), "commit": commit}
        return self._ask("add_note", request, _rows.NotesReply)

    def skipped(self, *, reason: Optional[str] = None) -> _rows.SkippedReply:
        """The files that are not indexed or only partly indexed.

        - `reason`: only files with this reason, such as `too-large`.
        """
        return self._ask("skipped", {"reason": reason}, _rows.SkippedReply)

    def status(self) -> Status:
        """The state of the index, with counts."""
        return self._ask("status", None, Status)

    def views(self) -> _rows.ViewsReply:
        """The views of the index: worktrees, branches and revisions, with their cost."""
        return self._ask("views", None, _rows.ViewsReply)

    def check(self) -> _rows.Checkup:
        """Checks every byte of the index."""
        return self._ask("doctor", None, _rows.Checkup)

    def languages(self) -> _rows.Languages:
        """The languages that are parsed, each with the number of its files."""
        return self._ask("languages", None, _rows.Languages)

    def why_not(
        self,
        path: str,
        query: str,
        *,
        paths: Texts = None,
        globs: Texts = None,
        exclude: Texts = None,
        languages: Texts = None,
        kinds: Texts = None,
        profile: ProfileLike = None,
    ) -> _rows.WhyNot:
        """Explains why a file has its rank for a query, or has none.

        - `path`: the file.
        - `query`: the query.
        """
        search = {"query": query, "filter": _filter(paths, globs, exclude, languages, kinds)}
        return self._ask("why_not", {"path": path, "search": search}, _rows.WhyNot, profile=profile)

    def touch(self, path: str) -> None:
        """Records that the file `path` was read or written, so that it ranks higher in later searches."""
        self._native.touch(path)

    def release_caches(self) -> None:
        """Releases what the next answer can open again."""
        self._native.release_caches()


def operations() -> list[str]:
    """The names of the operations that :meth:`Engine.ask` takes."""
    return _spyhop.operations()


def _search(
    query: str,
    max_results: int,
    mode: str,
    filters: dict[str, Any],
    min_score: float | None,
    per_file: Optional[int],
    expand: int,
    exhaustive: bool,
    cursor: Optional[str],
) -> dict[str, Any]:
    request = {
        "query": query,
        "max_results": max_results,
        "mode": _one_of("mode", mode, ("compact", "default", "debug")),
        "filter": filters,
        "min_score": min_score,
        "expand": expand,
        "exhaustive": exhaustive,
        "cursor": cursor,
        # Notes are for agents; `notes` has them.
        "notes": False,
    }
    return request if per_file is None else {**request, "per_file": per_file}
