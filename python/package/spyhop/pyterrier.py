"""A PyTerrier transformer that retrieves from a Spyhop index. PyTerrier's Java parts are not used."""

from __future__ import annotations

from typing import Any

import pandas
import pyterrier as pt

from ._engine import Engine
from .research.documents import document_id

_COLUMNS = ["docno", "rank", "score", "text"]


class SpyhopRetriever(pt.Transformer):
    """Retrieves documents for a frame of queries.

    A document is a file, ``unit="file"``, or a place in a file, ``unit="place"``, with the id ``path:first-last``. The
    result has a row for each document of each query, with ``docno``, ``rank`` (from 0), ``score`` (higher is better)
    and ``text``, the snippet. Scores are those of the hits; equal scores of a query keep the order of the ranks, because
    each later one is lowered by the least difference. Other arguments go to ``Engine.search_many``.
    """

    def __init__(
        self, engine: Engine, *, unit: str = "file", num_results: int = 50, activity: bool = False, **search: Any
    ) -> None:
        if unit not in ("file", "place"):
            raise ValueError(f"unit is '{unit}'; choose 'file' or 'place'")
        self.engine = engine
        self.unit = unit
        self.num_results = num_results
        self.search_arguments = {"activity": activity, **search}

    def __repr__(self) -> str:
        return f"SpyhopRetriever({self.engine!r}, unit={self.unit!r}, num_results={self.num_results})"

    def transform(self, inp: pandas.DataFrame) -> pandas.DataFrame:
        """Retrieves for each row of ``inp``, which has ``qid`` and ``query``; further columns are kept."""
        pt.validate.query_frame(inp, extra_columns=["query"])
        replies = self.engine.search_many(
            [str(query) for query in inp["query"]], max_results=self.num_results, **self.search_arguments
        )
        kept = [column for column in inp.columns if column not in _COLUMNS]
        rows = []
        for asked, reply in zip(inp[kept].itertuples(index=False, name=None), replies):
            seen: set[str] = set()
            last = float("inf")
            for hit in reply:
                document = document_id(hit.path, None if self.unit == "file" else hit.lines)
                if document in seen:
                    continue
                # Tools order by score, so that equal scores would be ordered by document.
                last = min(hit.score, _below(last))
                rows.append((*asked, document, len(seen), last, hit.snippet or ""))
                seen.add(document)
        frame = pandas.DataFrame.from_records(rows, columns=[*kept, *_COLUMNS])
        typed: pandas.DataFrame = frame.astype({"rank": "int64", "score": "float64"})
        return typed


def _below(score: float) -> float:
    import numpy as np

    return float(np.nextafter(score, -np.inf))
