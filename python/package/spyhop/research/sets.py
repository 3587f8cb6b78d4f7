"""Query sets in the forms of TREC, BEIR and ``ir_datasets``."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, Iterator, Mapping, Union

from ..errors import RequestError

#: By query id: the grade of each document.
Qrels = Dict[str, Dict[str, int]]

_PathLike = Union[str, "os.PathLike[str]"]
# Documents of one folder; large folders are slow to list.
_PER_FOLDER = 1_000


@dataclass(frozen=True)
class QuerySet:
    """Queries with the documents that answer them."""

    #: By id: the text of the query.
    queries: dict[str, str]
    #: By query id: the grade of each document. A grade of 0 or less does not answer.
    qrels: Qrels
    #: By query id: what is held out together, such as the repository. Without it, the set is one group.
    groups: dict[str, str] = field(default_factory=dict)
    #: The name of the set.
    name: str = "queries"

    def __post_init__(self) -> None:
        if unknown := sorted(set(self.qrels) - set(self.queries)):
            raise RequestError(f"the qrels judge queries that the set lacks: {', '.join(unknown[:5])}", "bad-request")

    def __len__(self) -> int:
        return len(self.queries)

    @property
    def ids(self) -> list[str]:
        """The ids of the queries, in the order of :attr:`texts`."""
        return list(self.queries)

    @property
    def texts(self) -> list[str]:
        """The texts of the queries, for ``Engine.search_many`` and ``Engine.features``."""
        return list(self.queries.values())

    def group(self, query: str) -> str:
        """What the query is held out with."""
        return self.groups.get(query, self.name)

    def answered(self) -> QuerySet:
        """The queries that some document answers. Others cannot be measured."""
        kept = {query for query, judged in self.qrels.items() if any(grade > 0 for grade in judged.values())}
        return QuerySet(
            {query: text for query, text in self.queries.items() if query in kept},
            {query: judged for query, judged in self.qrels.items() if query in kept},
            {query: group for query, group in self.groups.items() if query in kept},
            self.name,
        )

    def queries_iter(self) -> Iterator[Any]:
        """The queries as ``ir_datasets`` has them."""
        from ir_datasets.formats import GenericQuery

        for query, text in self.queries.items():
            yield GenericQuery(query, text)

    def qrels_iter(self) -> Iterator[Any]:
        """The qrels as ``ir_datasets`` has them."""
        from ir_datasets.formats import TrecQrel

        for query, judged in self.qrels.items():
            for document, grade in judged.items():
                yield TrecQrel(query, document, grade, "0")


def of_ir_datasets(dataset: Any, *, name: str = "ir_datasets") -> QuerySet:
    """The set of a dataset of ``ir_datasets``, or of any object with ``queries_iter`` and ``qrels_iter``."""
    queries = {}
    for query in dataset.queries_iter():
        queries[query.query_id] = query.default_text() if hasattr(query, "default_text") else query.text
    qrels: Qrels = {}
    for judged in dataset.qrels_iter():
        qrels.setdefault(judged.query_id, {})[judged.doc_id] = int(judged.relevance)
    return QuerySet(queries, {query: judged for query, judged in qrels.items() if query in queries}, name=name)


def read_trec(folder: _PathLike) -> QuerySet:
    """The set of a folder with ``topics*`` and ``qrels*``.

    Topics are lines ``id<TAB>text``, or ``<top>`` elements with ``<num>`` and ``<title>``. Qrels are lines ``topic
    iteration document grade``.
    """
    folder = Path(folder)
    topics, qrels_files = sorted(folder.glob("topics*")), sorted(folder.glob("qrels*"))
    if not topics or not qrels_files:
        raise RequestError(f"{folder} has no files topics* and qrels*", "bad-request")
    queries: dict[str, str] = {}
    for file in topics:
        queries.update(_topics(file))
    qrels: Qrels = {}
    for file in qrels_files:
        for number, line in _lines(file):
            fields = line.split()
            if len(fields) != 4:
                raise _bad(file, number, "a line is 'topic iteration document grade'")
            qrels.setdefault(fields[0], {})[fields[2]] = _grade(file, number, fields[3])
    return QuerySet(queries, {query: judged for query, judged in qrels.items() if query in queries}, name=folder.name)


def write_trec(queries: QuerySet, folder: _PathLike) -> None:
    """Writes ``topics.tsv`` and ``qrels.txt``, which ``spyhop-eval`` and TREC's tools read."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    # A line break would end the topic.
    topics = "".join(f"{query}\t{' '.join(text.split())}\n" for query, text in queries.queries.items())
    qrels = "".join(
        f"{query} 0 {document} {grade}\n"
        for query, judged in queries.qrels.items()
        for document, grade in judged.items()
    )
    (folder / "topics.tsv").write_text(topics, encoding="utf-8")
    (folder / "qrels.txt").write_text(qrels, encoding="utf-8")


def read_beir(folder: _PathLike, *, split: str = "test") -> QuerySet:
    """The set of a folder with ``queries.jsonl`` and ``qrels/SPLIT.tsv``.

    Documents have the ids of the corpus. :func:`write_beir_corpus` writes the corpus as a tree of files.
    """
    folder = Path(folder)
    texts = {}
    for number, line in _lines(folder / "queries.jsonl"):
        try:
            row = json.loads(line)
            texts[str(row["_id"])] = str(row["text"])
        except (ValueError, KeyError, TypeError) as error:
            raise _bad(folder / "queries.jsonl", number, "a line is an object with '_id' and 'text'") from error
    qrels: Qrels = {}
    file = folder / "qrels" / f"{split}.tsv"
    for number, line in _lines(file):
        fields = line.split("\t")
        if number == 1:
            continue
        if len(fields) != 3:
            raise _bad(file, number, "a line is 'query-id<TAB>corpus-id<TAB>score'")
        qrels.setdefault(fields[0], {})[fields[1]] = _grade(file, number, fields[2])
    asked = {query: text for query, text in texts.items() if query in qrels}
    return QuerySet(asked, {query: judged for query, judged in qrels.items() if query in asked}, name=folder.name)


def write_beir(queries: QuerySet, folder: _PathLike, *, corpus: Mapping[str, str], split: str = "test") -> None:
    """Writes ``queries.jsonl``, ``qrels/SPLIT.tsv`` and ``corpus.jsonl`` with the texts of ``corpus``, by document."""
    folder = Path(folder)
    (folder / "qrels").mkdir(parents=True, exist_ok=True)
    rows = ({"_id": query, "text": text} for query, text in queries.queries.items())
    _write_json_lines(folder / "queries.jsonl", rows)
    documents = ({"_id": document, "title": "", "text": text} for document, text in corpus.items())
    _write_json_lines(folder / "corpus.jsonl", documents)
    lines = ["query-id\tcorpus-id\tscore\n"]
    for query, judged in queries.qrels.items():
        lines.extend(f"{query}\t{document}\t{grade}\n" for document, grade in judged.items())
    (folder / "qrels" / f"{split}.tsv").write_text("".join(lines), encoding="utf-8")


def write_beir_corpus(
    folder: _PathLike, tree: _PathLike, *, extensions: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Writes each document of ``corpus.jsonl`` as a file below ``tree``, and returns the document of each path.

    The name of a file is the number of its line, because words of a name would affect ranking. The extension is that
    of the document's ``language`` in ``extensions``, else ``txt``.
    """
    documents = {}
    for number, line in _lines(Path(folder) / "corpus.jsonl"):
        row = json.loads(line)
        extension = (extensions or {}).get(row.get("language", ""), "txt")
        path = f"{number // _PER_FOLDER:04}/{number:07}.{extension}"
        file = Path(tree) / path
        file.parent.mkdir(parents=True, exist_ok=True)
        title = row.get("title", "")
        file.write_text(f"{title}\n\n{row['text']}" if title else row["text"], encoding="utf-8")
        documents[path] = str(row["_id"])
    return documents


def _topics(file: Path) -> dict[str, str]:
    text = file.read_text(encoding="utf-8")
    if not text.lstrip().startswith("<top>"):
        topics = {}
        for number, line in _lines(file):
            query, tab, words = line.partition("\t")
            if not tab:
                raise _bad(file, number, "a line is 'id<TAB>text'")
            topics[query.strip()] = words.strip()
        return topics
    topics = {}
    for top in re.findall(r"<top>(.*?)</top>", text, re.S):
        number_found = re.search(r"<num>\s*(?:Number:)?\s*(\S+?)\s*(?:</num>|\n|<)", top)
        title = re.search(r"<title>\s*(?:Topic:)?\s*(.*?)\s*(?:</title>|\n\s*\n|<|$)", top, re.S)
        if number_found is None or title is None:
            raise RequestError(f"{file}: a <top> has no <num> or no <title>", "bad-request")
        topics[number_found[1]] = " ".join(title[1].split())
    return topics


def _lines(file: Path) -> Iterator[tuple[int, str]]:
    with open(file, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if line.strip():
                yield number, line.rstrip("\r\n")


def _write_json_lines(file: Path, rows: Iterator[dict[str, str]]) -> None:
    file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


def _grade(file: Path, number: int, text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise _bad(file, number, f"'{text}' is not a grade; write a whole number") from None


def _bad(file: Path, number: int, problem: str) -> RequestError:
    return RequestError(f"{file}:{number}: {problem}", "bad-request")
