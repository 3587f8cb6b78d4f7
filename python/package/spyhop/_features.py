"""The feature matrix: the measures of every file that ranking rescores, for many queries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from .errors import RequestError

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True, eq=False)
class FeatureMatrix:
    """One row for each rescored file of each query. The rows of a query are adjacent, best file first.

    ``matrix["lexical.relative"]`` is the column of a feature, and ``matrix["lexical"]`` that of the value of a signal.
    The contribution of a feature to ``sum`` is its measure times its weight in the profile.
    """

    #: The queries of the call.
    queries: tuple[str, ...]
    #: By query: the kind that selects the weights, ``names``, ``mixed`` or ``words``.
    kinds: NDArray[np.str_]
    #: By query: whether the query is a report, whose scores are calibrated separately.
    reports: NDArray[np.bool_]
    #: By row: the index of the query in ``queries``.
    query: NDArray[np.int32]
    #: By row: the rank of the file among the files of the query, from 1.
    rank: NDArray[np.int32]
    #: The files that occur.
    paths: tuple[str, ...]
    #: By row: the index of the file in ``paths``.
    path_numbers: NDArray[np.int32]
    #: By row: the first line of the best place in the file.
    first_line: NDArray[np.int32]
    #: By row: the last line of this place.
    last_line: NDArray[np.int32]
    #: By row: the probability that the profile's calibration gives the file.
    score: NDArray[np.float32]
    #: By row: the sum of the contributions before calibration, in log-odds. The rank follows this sum.
    sum: NDArray[np.float32]
    #: The names of the columns of ``values``.
    names: tuple[str, ...]
    #: Rows by features.
    values: NDArray[np.float32]

    @classmethod
    def of_columns(cls, columns: Mapping[str, Any]) -> FeatureMatrix:
        """The matrix from the buffers of the native module, without a copy."""

        def integers(name: str) -> NDArray[np.int32]:
            return np.frombuffer(columns[name], dtype=np.int32)

        def numbers(name: str) -> NDArray[np.float32]:
            return np.frombuffer(columns[name], dtype=np.float32)

        query = integers("query")
        names = tuple(columns["names"])
        return cls(
            queries=tuple(columns["queries"]),
            kinds=np.array(columns["kinds"], dtype=np.str_),
            reports=np.array(columns["reports"], dtype=np.bool_),
            query=query,
            rank=integers("rank"),
            paths=tuple(columns["paths"]),
            path_numbers=integers("path_numbers"),
            first_line=integers("first_line"),
            last_line=integers("last_line"),
            score=numbers("score"),
            sum=numbers("sum"),
            names=names,
            values=numbers("values").reshape(len(query), len(names)),
        )

    def __len__(self) -> int:
        return len(self.query)

    def __repr__(self) -> str:
        return f"<FeatureMatrix of {len(self.queries)} queries: {len(self)} rows, {len(self.names)} features>"

    def __getitem__(self, name: str) -> NDArray[np.float32]:
        column: NDArray[np.float32] = self.values[:, self.column(name)]
        return column

    def column(self, name: str) -> int:
        """The number of the column of a feature. A signal stands for its value."""
        for written in (name, f"{name}.value"):
            if written in self.names:
                return self.names.index(written)
        raise RequestError(f"the matrix has no feature '{name}'; its features are {', '.join(self.names)}", "bad-request")

    def select(self, names: Sequence[str]) -> NDArray[np.float32]:
        """The columns of these features, rows by features."""
        chosen: NDArray[np.float32] = self.values[:, [self.column(name) for name in names]]
        return chosen

    @property
    def path(self) -> NDArray[np.object_]:
        """By row: the file."""
        return np.array(self.paths, dtype=object)[self.path_numbers]

    @property
    def kind(self) -> NDArray[np.str_]:
        """By row: the kind of the query."""
        by_row: NDArray[np.str_] = self.kinds[self.query]
        return by_row

    def sizes(self) -> NDArray[np.int64]:
        """By query: the number of rows. LightGBM calls these numbers ``group``."""
        return np.bincount(self.query, minlength=len(self.queries)).astype(np.int64)

    def rows_of(self, query: int) -> slice:
        """The rows of a query."""
        first, last = np.searchsorted(self.query, [query, query + 1])
        return slice(int(first), int(last))

    def to_pandas(self) -> pandas.DataFrame:
        """A frame with a row for each file of each query, and a column for each feature."""
        import pandas

        frame = pandas.DataFrame(
            {
                "query_index": self.query,
                "rank": self.rank,
                "path": self.path,
                "first_line": self.first_line,
                "last_line": self.last_line,
                "score": self.score,
                "sum": self.sum,
            }
        )
        measures = pandas.DataFrame(self.values, columns=list(self.names))
        whole: pandas.DataFrame = pandas.concat([frame, measures], axis=1)
        return whole
