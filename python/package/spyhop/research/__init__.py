"""Ranking research: query sets, runs, features for learners, fits of profiles, and significance.

A *query set* has queries with ids, and qrels: the grade of each document for each query. A *document* is a file of the
tree, ``path``, or lines of one, ``path:first-last``, as in ``spyhop-eval``. A *run* is a dict from query ids to dicts
from documents to scores. Qrels and runs are therefore plain dicts, which ``ir_measures`` reads as they are.
"""

from __future__ import annotations

from .documents import Target, document_id, parse_document_id
from .fit import Fit, fit, folds
from .letor import read_svmlight, write_svmlight
from .runs import (
    Run,
    evaluate,
    labels,
    per_query,
    read_run,
    run_of,
    run_of_matrix,
    run_of_scored_docs,
    to_scored_docs,
    write_run,
)
from .sets import Qrels, QuerySet, of_ir_datasets, read_beir, read_trec, write_beir, write_beir_corpus, write_trec
from .significance import Comparison, compare

__all__ = [
    "Comparison",
    "Fit",
    "Qrels",
    "QuerySet",
    "Run",
    "Target",
    "compare",
    "document_id",
    "evaluate",
    "fit",
    "folds",
    "labels",
    "of_ir_datasets",
    "parse_document_id",
    "per_query",
    "read_beir",
    "read_run",
    "read_svmlight",
    "read_trec",
    "run_of",
    "run_of_matrix",
    "run_of_scored_docs",
    "to_scored_docs",
    "write_beir",
    "write_beir_corpus",
    "write_run",
    "write_svmlight",
    "write_trec",
]
