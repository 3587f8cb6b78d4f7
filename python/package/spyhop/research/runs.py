"""Runs: lists of documents for queries, made from replies or feature matrices, and measured by ``ir_measures``."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Dict, Iterable, Mapping, Sequence, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._features import FeatureMatrix
from .._results import SearchReplies, SearchReply
from ..errors import RequestError
from .documents import Target, document_id, parse_document_id
from .sets import Qrels, QuerySet

#: By query id: the score of each document, in the order of the list.
Run = Dict[str, Dict[str, float]]

_PathLike = Union[str, "os.PathLike[str]"]


def run_of(
    replies: SearchReplies | Sequence[SearchReply],
    queries: QuerySet,
    *,
    documents: Mapping[str, str] | None = None,
) -> Run:
    """The run of replies to the queries of a set, in their order.

    Hits are places, and qrels name documents. The first hit that answers a document is listed under its id; where it is
    the first for several, under that of the best grade. Every other hit is listed under an id of its own. So measures
    come out as those of ``spyhop-eval``. With ``documents``, which maps paths to documents, the best hit of each file is
    listed under the document of the file instead. Scores are places, counted from the end: tools know nothing of ties.
    """
    if len(replies) != len(queries):
        raise RequestError(f"{len(replies)} replies are not those of {len(queries)} queries", "bad-request")
    run: Run = {}
    for query, reply in zip(queries.ids, replies):
        if documents is not None:
            listed = [documents[path] for path in dict.fromkeys(hit.path for hit in reply)]
        else:
            listed = _as_targets(reply, queries.qrels.get(query, {}))
        run[query] = _by_place(listed)
    return run


def _as_targets(reply: SearchReply, judged: Mapping[str, int]) -> list[str]:
    targets = [(document, parse_document_id(document), grade) for document, grade in judged.items() if grade > 0]
    answered: set[str] = set()
    taken = set(judged)
    listed = []
    for hit in reply:
        new = [
            (document, grade)
            for document, target, grade in targets
            if document not in answered and target.is_answered_by(hit.path, hit.lines)
        ]
        answered.update(document for document, _ in new)
        # Of equal grades, max takes the first.
        listed.append(max(new, key=lambda pair: pair[1])[0] if new else _free(document_id(hit.path, hit.lines), taken))
    return listed


def _free(document: str, taken: set[str]) -> str:
    free, number = document, 2
    while free in taken:
        free, number = f"{document}#{number}", number + 1
    taken.add(free)
    return free


def _by_place(listed: Sequence[str]) -> dict[str, float]:
    return {document: float(len(listed) - at) for at, document in enumerate(listed)}


def run_of_matrix(matrix: FeatureMatrix, scores: ArrayLike, queries: QuerySet, *, depth: int | None = None) -> Run:
    """The run of the files of a matrix, ordered by ``scores``, a number for each row; ties are ordered by path.

    A file that answers a document is listed under its id, as in :func:`run_of`, whatever the lines of the document.
    """
    scores = np.asarray(scores, dtype=np.float64)
    _same_queries(matrix, queries)
    if scores.shape != (len(matrix),):
        raise RequestError(f"scores have the shape {scores.shape}; give one for each of {len(matrix)} rows", "bad-request")
    paths = matrix.path
    run: Run = {}
    for at, query in enumerate(queries.ids):
        rows = range(*matrix.rows_of(at).indices(len(matrix)))
        order = sorted(rows, key=lambda row: (-scores[row], paths[row]))[:depth]
        targets = _targets(queries.qrels.get(query, {}))
        listed, taken = [], set(queries.qrels.get(query, {}))
        for row in order:
            own = [(document, grade) for document, target, grade in targets if target.is_in(paths[row])]
            targets = [target for target in targets if not target[1].is_in(paths[row])]
            listed.append(max(own, key=lambda pair: pair[1])[0] if own else _free(document_id(paths[row]), taken))
        run[query] = _by_place(listed)
    return run


def _targets(judged: Mapping[str, int]) -> list[tuple[str, Target, int]]:
    return [(document, parse_document_id(document), grade) for document, grade in judged.items() if grade > 0]


def labels(matrix: FeatureMatrix, queries: QuerySet) -> NDArray[np.int64]:
    """By row of the matrix: the best grade of the documents that are in the file, else 0."""
    _same_queries(matrix, queries)
    paths = matrix.path
    grades = np.zeros(len(matrix), dtype=np.int64)
    for at, query in enumerate(queries.ids):
        targets = _targets(queries.qrels.get(query, {}))
        rows = matrix.rows_of(at)
        for row in range(rows.start, rows.stop):
            grades[row] = max((grade for _, target, grade in targets if target.is_in(paths[row])), default=0)
    return grades


def _same_queries(matrix: FeatureMatrix, queries: QuerySet) -> None:
    if list(matrix.queries) != queries.texts:
        raise RequestError("the matrix is not that of the queries of the set, in their order", "bad-request")


def to_scored_docs(run: Run) -> list[Any]:
    """The run as ``ir_measures`` has them."""
    from ir_measures import ScoredDoc

    return [ScoredDoc(query, document, score) for query, listed in run.items() for document, score in listed.items()]


def run_of_scored_docs(scored: Iterable[Any]) -> Run:
    """The run of scored documents of ``ir_measures`` or ``ir_datasets``."""
    run: Run = {}
    for row in scored:
        run.setdefault(row.query_id, {})[row.doc_id] = float(row.score)
    return {query: _sorted(listed) for query, listed in run.items()}


def _sorted(listed: Mapping[str, float]) -> dict[str, float]:
    return dict(sorted(listed.items(), key=lambda pair: (-pair[1], pair[0])))


def read_run(file: _PathLike) -> Run:
    """The run of a file in TREC's form: ``query Q0 document rank score name``."""
    run: Run = {}
    for number, line in enumerate(Path(file).read_text(encoding="utf-8").splitlines(), 1):
        fields = line.split()
        if len(fields) != 6:
            raise RequestError(f"{file}:{number}: a line is 'query Q0 document rank score name'", "bad-request")
        run.setdefault(fields[0], {})[fields[2]] = float(fields[4])
    return {query: _sorted(listed) for query, listed in run.items()}


def write_run(run: Run, file: _PathLike, *, name: str = "spyhop") -> None:
    """Writes a run in TREC's form."""
    lines = (
        f"{query} Q0 {document} {rank} {score:.9g} {name}\n"
        for query, listed in run.items()
        for rank, (document, score) in enumerate(_sorted(listed).items(), 1)
    )
    Path(file).write_text("".join(lines), encoding="utf-8")


def _measure(measure: Any) -> Any:
    import ir_measures

    return ir_measures.parse_measure(measure) if isinstance(measure, str) else measure


def evaluate(run: Run, qrels: Qrels, measures: Iterable[Any]) -> dict[str, float]:
    """The means of measures, such as ``"nDCG@10"``, over the queries of the qrels."""
    import ir_measures

    chosen = [_measure(measure) for measure in measures]
    means = ir_measures.calc_aggregate(chosen, qrels, run)
    return {str(measure): float(means[measure]) for measure in chosen}


def per_query(run: Run, qrels: Qrels, measure: Any) -> dict[str, float]:
    """The value of a measure for each query of the qrels; 0 for a query without a list."""
    import ir_measures

    values = {query: 0.0 for query in qrels}
    for value in ir_measures.iter_calc([_measure(measure)], qrels, run):
        values[value.query_id] = float(value.value)
    return values
