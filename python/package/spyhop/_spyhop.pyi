from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Callable, Iterator, Literal, Mapping, Optional, Sequence, Union, final, overload

import pandas

from ._features import FeatureMatrix

__version__: str

_Texts = Union[str, Sequence[str], None]
_Path = Union[str, os.PathLike[str]]
_Profile = Union["Profile", str, os.PathLike[str], None]
_Kind = Literal["names", "mixed", "words"]
_Mode = Literal["compact", "default", "debug"]
_Stale = Literal["refresh", "warn", "ignore", "error", "wait"]
_OnProgress = Optional[Callable[[Progress], object]]

def feature_names() -> list[str]: ...
def _parse_profile(text: str) -> Profile: ...
def _restore(name: str, json: bytes) -> Any: ...

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
    - `progress`: a function that is called with a `Progress` in the thread of the caller. Its exception ends the call.
    """

    def __new__(
        cls,
        path: _Path,
        *,
        index_dir: _Path | None = None,
        profile: _Profile = None,
        threads: int | None = None,
        stale: _Stale = "refresh",
        build: bool = True,
        wait: float = 0.0,
        max_memory: int | None = None,
        max_file_bytes: int | None = None,
        hidden: bool = False,
        no_ignore: bool = False,
        no_built_in: bool = False,
        secrets: bool = False,
        show_secrets: bool = False,
        grammars: _Path | None = None,
        view: str | None = None,
    ) -> Engine: ...
    @staticmethod
    def find_root(path: _Path) -> Path:
        """The usual root for the folder `path`: the top folder of its git repository, or the folder itself."""
    @property
    def root(self) -> Path: ...
    @property
    def index_dir(self) -> Path: ...
    @property
    def profile(self) -> Profile: ...
    def update(self, *, progress: _OnProgress = None) -> UpdateReport:
        """Updates the index, or builds it. If the call is interrupted, the next update continues from there."""
    def rebuild(self, *, progress: _OnProgress = None) -> UpdateReport:
        """Rebuilds the index from the sources. The old index answers until the end."""
    def search(
        self,
        query: str,
        *,
        max_results: int = 10,
        mode: _Mode = "default",
        paths: _Texts = None,
        globs: _Texts = None,
        exclude: _Texts = None,
        languages: _Texts = None,
        kinds: _Texts = None,
        min_score: float = 0.0,
        per_file: int | None = None,
        expand: int = 0,
        exhaustive: bool = False,
        activity: bool = True,
        profile: _Profile = None,
        cursor: str | None = None,
        progress: _OnProgress = None,
    ) -> SearchReply:
        """Answers a query.

        - `query`: a question, a name or a piece of code.
        - `max_results`: the hits of a page, at most 50.
        - `mode`: the text of each hit: `compact` for none, `default` for the best lines, `debug` for the whole place and every reason.
        - `min_score`: the lowest score of a hit, 0 to 1.
        - `per_file`: the most hits in one file; `None` for 10.
        - `expand`: the lines of context around each snippet.
        - `exhaustive`: whether every file that contains the query text is a hit.
        - `activity`: whether files that `touch` recorded rank higher.
        """
    def search_many(
        self,
        queries: Sequence[str],
        *,
        max_results: int = 10,
        mode: _Mode = "default",
        paths: _Texts = None,
        globs: _Texts = None,
        exclude: _Texts = None,
        languages: _Texts = None,
        kinds: _Texts = None,
        min_score: float = 0.0,
        per_file: int | None = None,
        expand: int = 0,
        exhaustive: bool = False,
        activity: bool = True,
        profile: _Profile = None,
        progress: _OnProgress = None,
    ) -> SearchReplies:
        """Answers many queries on all cores, each as `search` would, from one state of the index: the tree is compared with the index
        once, before the first query, as `stale` says, and changes during the batch are not seen. The first query that fails ends the
        batch. `queries` is a list of queries; the other arguments are those of `search`.
        """
    def features(
        self,
        queries: Sequence[str],
        *,
        names: Sequence[str] | None = None,
        limit: int | None = None,
        paths: _Texts = None,
        globs: _Texts = None,
        exclude: _Texts = None,
        languages: _Texts = None,
        kinds: _Texts = None,
        activity: bool = False,
        profile: _Profile = None,
        progress: _OnProgress = None,
    ) -> FeatureMatrix:
        """Measures every file that ranking rescores, by every feature, for many queries: a `FeatureMatrix`. The tree is compared with the
        index once, as in `search_many`.

        - `queries`: the queries.
        - `names`: the features; `None` for all of `feature_names()`.
        - `limit`: the most files of a query, the first ones; `None` for all.
        - `activity`: whether files that `touch` recorded rank higher.
        """
    def grep(
        self,
        pattern: str | Sequence[str],
        *,
        fixed: bool = False,
        case: Literal["sensitive", "ignored", "smart"] = "sensitive",
        word: bool = False,
        multi_line: bool = False,
        invert: bool = False,
        max_count: int | None = None,
        rank: bool = False,
        enclosing: bool = False,
        context: int = 0,
        max_results: int = 50,
        paths: _Texts = None,
        globs: _Texts = None,
        exclude: _Texts = None,
        languages: _Texts = None,
        kinds: _Texts = None,
        cursor: str | None = None,
    ) -> GrepReply:
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
        - `max_results`: the lines of a page, at most 1,000.
        """
    def files(
        self,
        pattern: str = "",
        *,
        include_scattered: bool = False,
        max_results: int = 20,
        paths: _Texts = None,
        globs: _Texts = None,
        exclude: _Texts = None,
        languages: _Texts = None,
        cursor: str | None = None,
    ) -> FilesReply:
        """Finds files by name.

        - `pattern`: letters of the path in order, with gaps, or a glob; empty for all files.
        - `include_scattered`: whether weak matches are listed beside better ones.
        - `max_results`: the files of a page, at most 1,000.
        """
    def map(
        self,
        path: str | None = None,
        *,
        depth: int = 2,
        max_items: int = 200,
        globs: _Texts = None,
        exclude: _Texts = None,
        languages: _Texts = None,
        kinds: _Texts = None,
    ) -> MapReply:
        """The outline of the tree, of a folder or of a file.

        - `path`: the folder or file; `None` for the tree.
        - `depth`: the depth of folders with a row.
        - `max_items`: the most rows of folders, files and symbols.
        """
    def status(self) -> Status: ...
    def why_not(
        self,
        path: str,
        query: str,
        *,
        paths: _Texts = None,
        globs: _Texts = None,
        exclude: _Texts = None,
        languages: _Texts = None,
        kinds: _Texts = None,
        profile: _Profile = None,
    ) -> WhyNot:
        """Explains why a file has its rank for a query, or has none.

        - `path`: the file.
        - `query`: the query.
        """
    def touch(self, path: str) -> None:
        """Records that the file `path` was read or written, so that it ranks higher in later searches."""
    def release_caches(self) -> None: ...

@final
class Profile:
    @staticmethod
    def built_in() -> Profile: ...
    @staticmethod
    def parse(text: str) -> Profile: ...
    @staticmethod
    def read(path: _Path) -> Profile: ...
    @staticmethod
    def from_dict(values: Mapping[str, Any], *, base: Profile | None = None) -> Profile: ...
    def to_dict(self) -> dict[str, Any]: ...
    def to_toml(self) -> str: ...
    def write(self, path: _Path) -> None: ...
    @property
    def name(self) -> str: ...
    def weight(self, feature: str, kind: _Kind) -> float: ...
    def weights(self, kind: _Kind) -> dict[str, float]: ...
    def with_weights(
        self, weights: Mapping[str, float], *, kind: _Kind | None = None, name: str | None = None
    ) -> Profile: ...
    def sentence(self, signal: str) -> str: ...
    def __hash__(self) -> int: ...

@final
class Snapshot:
    @property
    def root(self) -> str: ...
    @property
    def branch(self) -> str | None: ...
    @property
    def commit(self) -> str | None: ...
    @property
    def generation(self) -> int: ...
    @property
    def indexed_files(self) -> int: ...
    @property
    def skipped_files(self) -> int: ...
    @property
    def stale_files(self) -> int: ...
    @property
    def is_building(self) -> bool: ...

@final
class Reason:
    @property
    def signal(self) -> str: ...
    @property
    def contribution(self) -> float: ...
    @property
    def text(self) -> str: ...

@final
class Hit:
    @property
    def path(self) -> str: ...
    @property
    def lines(self) -> tuple[int, int]: ...
    @property
    def kind(self) -> str: ...
    @property
    def symbol(self) -> str | None: ...
    @property
    def language(self) -> str: ...
    @property
    def score(self) -> float: ...
    @property
    def band(self) -> Literal["high", "good", "possible", "weak"]: ...
    @property
    def reasons(self) -> tuple[Reason, ...]: ...
    @property
    def snippet(self) -> str | None: ...
    @property
    def snippet_lines(self) -> tuple[int, int] | None: ...
    @property
    def highlights(self) -> list[tuple[int, int]]: ...
    @property
    def representative_line(self) -> tuple[int, str] | None: ...
    @property
    def content_hash(self) -> str | None: ...
    @property
    def stale(self) -> bool: ...

@final
class SearchReply:
    @property
    def query(self) -> str: ...
    @property
    def results(self) -> tuple[Hit, ...]: ...
    @property
    def total(self) -> int: ...
    @property
    def offset(self) -> int: ...
    @property
    def next(self) -> str | None: ...
    @property
    def evidence_used(self) -> str: ...
    @property
    def literal_lines(self) -> int: ...
    @property
    def literal_complete(self) -> bool: ...
    @property
    def warnings(self) -> list[str]: ...
    @property
    def snapshot(self) -> Snapshot: ...
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, at: int, /) -> Hit: ...
    @overload
    def __getitem__(self, at: slice, /) -> tuple[Hit, ...]: ...
    def __iter__(self) -> Iterator[Hit]: ...
    def to_pandas(self) -> pandas.DataFrame: ...

@final
class SearchReplies:
    @property
    def results(self) -> tuple[SearchReply, ...]: ...
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, at: int, /) -> SearchReply: ...
    @overload
    def __getitem__(self, at: slice, /) -> tuple[SearchReply, ...]: ...
    def __iter__(self) -> Iterator[SearchReply]: ...
    def to_pandas(self) -> pandas.DataFrame: ...

@final
class Gap:
    @property
    def signal(self) -> str: ...
    @property
    def own(self) -> float: ...
    @property
    def tenth(self) -> float: ...

@final
class WhyNot:
    @property
    def path(self) -> str: ...
    @property
    def verdict(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def rank(self) -> int | None: ...
    @property
    def hit(self) -> Hit | None: ...
    @property
    def missing(self) -> tuple[Gap, ...]: ...
    @property
    def nearest(self) -> list[str]: ...

@final
class ContextLine:
    @property
    def line(self) -> int: ...
    @property
    def text(self) -> str: ...

@final
class GrepLine:
    @property
    def path(self) -> str: ...
    @property
    def line(self) -> int: ...
    @property
    def column(self) -> int: ...
    @property
    def text(self) -> str: ...
    @property
    def highlights(self) -> list[tuple[int, int]]: ...
    @property
    def cut(self) -> bool: ...
    @property
    def enclosing(self) -> str | None: ...
    @property
    def before(self) -> tuple[ContextLine, ...]: ...
    @property
    def after(self) -> tuple[ContextLine, ...]: ...

@final
class GrepReply:
    @property
    def pattern(self) -> str: ...
    @property
    def results(self) -> tuple[GrepLine, ...]: ...
    @property
    def total_lines(self) -> int: ...
    @property
    def total_files(self) -> int: ...
    @property
    def incomplete(self) -> str | None: ...
    @property
    def next(self) -> str | None: ...
    @property
    def warnings(self) -> list[str]: ...
    @property
    def snapshot(self) -> Snapshot: ...
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, at: int, /) -> GrepLine: ...
    @overload
    def __getitem__(self, at: slice, /) -> tuple[GrepLine, ...]: ...
    def __iter__(self) -> Iterator[GrepLine]: ...
    def to_pandas(self) -> pandas.DataFrame: ...

@final
class FileRow:
    @property
    def path(self) -> str: ...
    @property
    def language(self) -> str: ...
    @property
    def lines(self) -> int | None: ...
    @property
    def bytes(self) -> int: ...
    @property
    def matched(self) -> str: ...
    @property
    def highlights(self) -> list[tuple[int, int]]: ...

@final
class FilesReply:
    @property
    def pattern(self) -> str: ...
    @property
    def results(self) -> tuple[FileRow, ...]: ...
    @property
    def total(self) -> int: ...
    @property
    def left_out(self) -> int: ...
    @property
    def offset(self) -> int: ...
    @property
    def next(self) -> str | None: ...
    @property
    def warnings(self) -> list[str]: ...
    @property
    def snapshot(self) -> Snapshot: ...
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, at: int, /) -> FileRow: ...
    @overload
    def __getitem__(self, at: slice, /) -> tuple[FileRow, ...]: ...
    def __iter__(self) -> Iterator[FileRow]: ...
    def to_pandas(self) -> pandas.DataFrame: ...

@final
class MapSymbol:
    @property
    def name(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def path(self) -> str: ...
    @property
    def lines(self) -> tuple[int, int]: ...
    @property
    def depth(self) -> int: ...

@final
class MapEntry:
    @property
    def path(self) -> str: ...
    @property
    def is_dir(self) -> bool: ...
    @property
    def depth(self) -> int: ...
    @property
    def files(self) -> int: ...
    @property
    def lines(self) -> int: ...
    @property
    def languages(self) -> list[tuple[str, int]]: ...
    @property
    def symbols(self) -> tuple[MapSymbol, ...]: ...
    @property
    def total_symbols(self) -> int: ...

@final
class MapReply:
    @property
    def path(self) -> str: ...
    @property
    def files(self) -> int: ...
    @property
    def lines(self) -> int: ...
    @property
    def symbols(self) -> int: ...
    @property
    def languages(self) -> list[tuple[str, int]]: ...
    @property
    def results(self) -> tuple[MapEntry, ...]: ...
    @property
    def complete(self) -> bool: ...
    @property
    def warnings(self) -> list[str]: ...
    @property
    def snapshot(self) -> Snapshot: ...
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, at: int, /) -> MapEntry: ...
    @overload
    def __getitem__(self, at: slice, /) -> tuple[MapEntry, ...]: ...
    def __iter__(self) -> Iterator[MapEntry]: ...
    def to_pandas(self) -> pandas.DataFrame: ...

@final
class Status:
    @property
    def state(self) -> Literal["missing", "indexing", "ready", "stale", "damaged"]: ...
    @property
    def detail(self) -> str | None: ...
    @property
    def root(self) -> str: ...
    @property
    def index_path(self) -> str: ...
    @property
    def branch(self) -> str | None: ...
    @property
    def commit(self) -> str | None: ...
    @property
    def generation(self) -> int | None: ...
    @property
    def files(self) -> int: ...
    @property
    def chunks(self) -> int: ...
    @property
    def symbols(self) -> int: ...
    @property
    def source_bytes(self) -> int: ...
    @property
    def index_bytes(self) -> int: ...
    @property
    def languages(self) -> list[tuple[str, int]]: ...
    @property
    def skipped(self) -> list[tuple[str, int]]: ...
    @property
    def stale_files(self) -> int | None: ...

@final
class UpdateReport:
    @property
    def generation(self) -> int: ...
    @property
    def added(self) -> int: ...
    @property
    def changed(self) -> int: ...
    @property
    def deleted(self) -> int: ...
    @property
    def renamed(self) -> int: ...
    @property
    def parsed(self) -> int: ...
    @property
    def bytes(self) -> int: ...

@final
class Progress:
    @property
    def stage(self) -> Literal["wait", "scan", "text", "index", "commit", "queries"]: ...
    @property
    def done(self) -> int: ...
    @property
    def total(self) -> int: ...
    @property
    def bytes(self) -> int: ...
    @property
    def total_bytes(self) -> int: ...
