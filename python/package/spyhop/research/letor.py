"""Features as LETOR and SVMlight files, for learners outside of Python."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._features import FeatureMatrix
from ..errors import RequestError
from .documents import document_id
from .sets import QuerySet

_PathLike = Union[str, "os.PathLike[str]"]


def write_svmlight(
    matrix: FeatureMatrix, grades: ArrayLike, file: _PathLike, *, queries: QuerySet | None = None
) -> None:
    """Writes ``grade qid:N 1:value 2:value ... # document`` for each row of the matrix.

    ``N`` is the number of the query, from 1; with ``queries``, the comment has the id of the query too. Values of 0 are
    left out. The first lines are comments with the names of the features, which :func:`read_svmlight` and
    ``sklearn.datasets.load_svmlight_file`` skip.
    """
    grades = np.asarray(grades)
    if grades.shape != (len(matrix),):
        raise RequestError(f"grades have the shape {grades.shape}; give one for each of {len(matrix)} rows", "bad-request")
    ids = None if queries is None else queries.ids
    paths = matrix.path
    with open(file, "w", encoding="utf-8") as out:
        out.writelines(f"# {number}: {name}\n" for number, name in enumerate(matrix.names, 1))
        for row in range(len(matrix)):
            query = int(matrix.query[row])
            values = matrix.values[row]
            written = " ".join(f"{column + 1}:{values[column]:.9g}" for column in np.flatnonzero(values))
            comment = document_id(paths[row]) if ids is None else f"{ids[query]} {document_id(paths[row])}"
            out.write(f"{grades[row]} qid:{query + 1} {written} # {comment}\n")


def read_svmlight(file: _PathLike) -> tuple[NDArray[np.float32], NDArray[np.int64], NDArray[np.int64], list[str]]:
    """The values, the grades, the query numbers and the names of the features of a file of :func:`write_svmlight`."""
    names: list[str] = []
    grades, numbers, rows = [], [], []
    for line in Path(file).read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            names.append(line.split(": ", 1)[1])
            continue
        grade, query, *values = line.split(" # ", 1)[0].split()
        grades.append(int(grade))
        numbers.append(int(query.split(":")[1]))
        rows.append([value.split(":") for value in values])
    matrix = np.zeros((len(rows), len(names)), dtype=np.float32)
    for at, row in enumerate(rows):
        for column, value in row:
            matrix[at, int(column) - 1] = float(value)
    return matrix, np.array(grades, dtype=np.int64), np.array(numbers, dtype=np.int64), names
