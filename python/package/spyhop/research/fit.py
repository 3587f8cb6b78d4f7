"""Fits the weights of a profile, as ``spyhop-eval fit`` does.

The loss is that of RankNet (Burges et al. 2005) over a linear score: for each pair of a file that answers and one that
does not, log(1 + exp(-difference)); the pairs of a query weigh 1 together. Each kind of query has weights of its own,
which are drawn towards common ones, and those towards 0. A weight has the sign that the sentence of its signal permits.
Groups of queries, such as repositories, are held out whole. The sums are then scaled to log-odds (Platt 1999).

Of the harness, these are missing: questions about names that trees define (``--names``), the weights of places
(``fit-places``) and the calibration of scores (``fit-scores``). A fitted profile therefore shows the logistic function of
the sum as the score, and never warns that no hit seems to answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Iterable, Literal, Sequence

import numpy as np
from numpy.typing import NDArray

from .._features import FeatureMatrix
from .._spyhop import Profile, feature_names
from ..errors import RequestError
from .runs import Run, labels, per_query, run_of_matrix
from .sets import Qrels, QuerySet
from .significance import Comparison, compare

Array = NDArray[np.float64]

_Kind = Literal["names", "mixed", "words"]
_KINDS: tuple[_Kind, ...] = ("names", "mixed", "words")
# The order of files is judged and calibrated on so many first files.
_FIRST = 10
# Pairs have one of so many first files that answer, and one that does not, of so many first files.
_BETTER, _HARD = 10, 30
# A kind with fewer queries takes the calibration of all.
_ENOUGH = 20

_FOR = (
    "lexical chunks file coverage comment symbol symbols definition defined-name adjacent-words mentions reference "
    "path path-related folder file-name file-name-related"
).split()
_AGAINST = "test docs legacy platform older-copy header".split()
_EITHER = "depth size named-as-folder".split()
# Signals that are weighed and not learned: sets have next to none of their questions.
_KEPT = "literal frame run data generated".split()
_BOUNDS = {
    **{signal: (0.0, np.inf) for signal in _FOR},
    **{signal: (-np.inf, 0.0) for signal in _AGAINST},
    **{signal: (-np.inf, np.inf) for signal in _EITHER},
}


@dataclass(frozen=True)
class Fit:
    """What was learned, and what it does for queries of groups that it was not learned from."""

    #: The fitted profile.
    profile: Profile
    #: The features that were learned.
    features: tuple[str, ...]
    #: By group: the fold in which the group is held out.
    folds: dict[str, int]
    #: By query: the group.
    groups: dict[str, str]
    #: The qrels of all queries.
    qrels: Qrels
    #: The lists of the profile to begin with.
    before: Run
    #: The lists under the weights that were learned without the query's group.
    held_out: Run
    #: The number of queries from which something can be learned.
    lessons: int

    def compare(self, measure: Any = "nDCG@10", *, draws: int = 10_000, seed: int = 1) -> Comparison:
        """Compares the lists of groups held out with those of the profile to begin with."""
        values = (per_query(run, self.qrels, measure) for run in (self.before, self.held_out))
        a, b = values
        return compare(a, b, groups=self.groups, draws=draws, seed=seed)


def folds(groups: Iterable[str], n: int, *, seed: int = 1) -> dict[str, int]:
    """The fold of each group, as the harness deals them out: shuffled by the seed, then dealt out in turn."""
    dealt = sorted(set(groups))
    rng = _WyRand(seed)
    for at in range(1, len(dealt)):
        other = rng.below(at + 1)
        dealt[at], dealt[other] = dealt[other], dealt[at]
    return {group: at % n for at, group in enumerate(dealt)}


class _WyRand:
    """The generator of the crate ``fastrand``, so that folds are those of the harness."""

    _MASK = (1 << 64) - 1

    def __init__(self, seed: int) -> None:
        self._state = seed

    def _next(self) -> int:
        self._state = (self._state + 0x2D358DCCAA6C78A5) & self._MASK
        product = self._state * (self._state ^ 0x8BB84B93962EACC9)
        return (product ^ (product >> 64)) & self._MASK

    def below(self, n: int) -> int:
        product = self._next() * n
        if product & self._MASK < n:
            least = (1 << 64) % n
            while product & self._MASK < least:
                product = self._next() * n
        return product >> 64


@dataclass(frozen=True)
class _Lessons:
    """The pairs of some queries: rows of features, and for each pair its two rows, its weight and its query."""

    rows: Array
    kinds: NDArray[np.int64]
    better: NDArray[np.int64]
    worse: NDArray[np.int64]
    weights: Array
    queries: int


@dataclass(frozen=True)
class _Question:
    kind: int
    group: str
    rows: Array
    kept: Array
    right: NDArray[np.bool_]
    better: NDArray[np.int64]
    worse: NDArray[np.int64]

    @property
    def teaches(self) -> bool:
        return len(self.better) > 0 and len(self.worse) > 0


def fit(
    parts: Sequence[tuple[FeatureMatrix, QuerySet]],
    *,
    start: Profile | None = None,
    name: str = "fitted",
    folds: int = 8,
    seed: int = 1,
    strength: float = 0.1,
    kinds: float = 1.5,
    add: Sequence[str] = (),
    without: Sequence[str] = (),
) -> Fit:
    """Learns the weights of a profile.

    ``parts`` are query sets with their feature matrices, usually one for each tree, and no two sets have one name; a matrix has all features and was
    measured with the profile ``start`` (default: the built-in one). Groups of the sets are held out in ``folds`` parts.
    ``strength`` says how far weights may go, and ``kinds`` how far those of a kind of query may be from the common ones.
    The features that ``start`` weighs are learned, and those of ``add``, without those of ``without``; a signal stands for
    all its features.
    """
    names = [queries.name for _, queries in parts]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        text = f"several sets are named '{twice[0]}'; give each QuerySet a name of its own, which tells its queries apart"
        raise RequestError(text, "bad-request")
    begin = start if start is not None else Profile.built_in()
    features = _chosen(begin, add, without)
    questions = [question for part in parts for question in _questions(part, features, begin)]
    dealt = _dealt(questions, folds, seed)
    n_folds = max(dealt.values()) + 1
    bounds = [_BOUNDS[feature.split(".")[0]] for feature in features]

    def weights_of(chosen: list[_Question]) -> Array:
        return _learned(_lessons(chosen, len(features)), bounds, strength, kinds)

    others = [[question for question in questions if dealt[question.group] != fold] for fold in range(n_folds)]
    of_fold = [weights_of(chosen) for chosen in others]
    sums = [q.rows @ of_fold[dealt[q.group]][q.kind] + q.kept for q in questions]
    # Files with equal sums keep the order of the start.
    orders = [np.argsort(-own, kind="stable")[:_FIRST] for own in sums]
    points = [(q.kind, own[order], q.right[order]) for q, own, order in zip(questions, sums, orders)]
    profile = _profile(begin, name, features, weights_of(questions), _lines(points))
    return _fit(parts, profile, features, dealt, sums, sum(question.teaches for question in questions))


def _fit(
    parts: Sequence[tuple[FeatureMatrix, QuerySet]],
    profile: Profile,
    features: list[str],
    dealt: dict[str, int],
    sums: list[Array],
    lessons: int,
) -> Fit:
    several = len(parts) > 1
    before: Run = {}
    held_out: Run = {}
    qrels: Qrels = {}
    groups = {}
    at = 0
    for matrix, queries in parts:
        scores = np.concatenate([np.empty(0), *sums[at : at + len(queries)]])
        at += len(queries)
        # Ids are only unique in a set.
        ids = {query: f"{queries.name}/{query}" if several else query for query in queries.ids}
        for query, listed in run_of_matrix(matrix, matrix.sum, queries).items():
            before[ids[query]] = listed
        for query, listed in run_of_matrix(matrix, scores, queries).items():
            held_out[ids[query]] = listed
        qrels.update({ids[query]: judged for query, judged in queries.qrels.items()})
        groups.update({ids[query]: queries.group(query) for query in queries.ids})
    return Fit(profile, tuple(features), dealt, groups, qrels, before, held_out, lessons)


def _dealt(questions: list[_Question], n: int, seed: int) -> dict[str, int]:
    groups = {question.group for question in questions}
    if len(groups) < 2:
        raise RequestError("weights are judged on groups held out; give the queries two groups or more", "bad-request")
    if not any(question.teaches for question in questions):
        text = "nothing can be learned: no query has an answer and something else among its first files"
        raise RequestError(text, "bad-request")
    return folds(groups, min(n, len(groups)), seed=seed)


def _chosen(start: Profile, add: Sequence[str], without: Sequence[str]) -> list[str]:
    learnable = [feature for feature in feature_names() if feature.split(".")[0] in _BOUNDS]
    weighed = {feature for kind in _KINDS for feature in start.weights(kind)}

    def named(names: Sequence[str]) -> set[str]:
        found = set()
        for name in names:
            own = [feature for feature in learnable if name in (feature, feature.split(".")[0])]
            if not own:
                raise RequestError(f"'{name}' is not a feature that can be learned", "bad-request")
            found.update(own)
        return found

    chosen = ((weighed & set(learnable)) | named(add)) - named(without)
    if not chosen:
        raise RequestError("no feature is left to learn", "bad-request")
    return [feature for feature in learnable if feature in chosen]


def _questions(part: tuple[FeatureMatrix, QuerySet], features: list[str], start: Profile) -> list[_Question]:
    matrix, queries = part
    grades = labels(matrix, queries)
    columns = matrix.select(features).astype(np.float64)
    kept = [feature for feature in feature_names() if feature.split(".")[0] in _KEPT]
    kept_columns = matrix.select(kept).astype(np.float64)
    questions = []
    for at, query in enumerate(queries.ids):
        rows = matrix.rows_of(at)
        kind = _KINDS.index(str(matrix.kinds[at]))
        weights = np.array([start.weight(feature, _KINDS[kind]) for feature in kept])
        right = grades[rows] > 0
        questions.append(
            _Question(
                kind=kind,
                group=queries.group(query),
                rows=columns[rows],
                kept=kept_columns[rows] @ weights,
                right=right,
                better=np.flatnonzero(right)[:_BETTER],
                worse=np.flatnonzero(~right[:_HARD]),
            )
        )
    return questions


def _lessons(questions: list[_Question], n: int) -> _Lessons:
    rows: list[Array] = [np.empty((0, n))]
    kinds, better, worse, weights = [], [], [], []
    at = count = 0
    for question in questions:
        if not question.teaches:
            continue
        chosen = np.concatenate([question.better, question.worse])
        rows.append(question.rows[chosen])
        kinds.append(np.full(len(chosen), question.kind))
        n_better, n_worse = len(question.better), len(question.worse)
        better.append(np.repeat(np.arange(n_better), n_worse) + at)
        worse.append(np.tile(np.arange(n_better, n_better + n_worse), n_better) + at)
        weights.append(np.full(n_better * n_worse, 1.0 / (n_better * n_worse)))
        at += len(chosen)
        count += 1
    none = [np.empty(0, dtype=np.int64)]
    return _Lessons(
        rows=np.concatenate(rows),
        kinds=np.concatenate(none + kinds),
        better=np.concatenate(none + better),
        worse=np.concatenate(none + worse),
        weights=np.concatenate([np.empty(0), *weights]),
        queries=count,
    )


def _scale(lessons: _Lessons) -> Array:
    """The root of the mean, over queries, of each feature's mean squared difference; 1 for one that never differs."""
    squares = np.zeros(lessons.rows.shape[1])
    # In pieces, so that memory stays bounded.
    for begin in range(0, len(lessons.better), 100_000):
        pairs = slice(begin, begin + 100_000)
        differences = lessons.rows[lessons.better[pairs]] - lessons.rows[lessons.worse[pairs]]
        squares += lessons.weights[pairs] @ differences**2
    return np.where(squares > 0.0, np.sqrt(squares / max(lessons.queries, 1)), 1.0)


def _learned(lessons: _Lessons, bounds: Sequence[tuple[float, float]], strength: float, kinds: float) -> Array:
    """The weights, by kind of query and feature."""
    n, shapes = lessons.rows.shape[1], len(_KINDS)
    scale = _scale(lessons)
    rows = lessons.rows / scale
    queries = max(lessons.queries, 1)
    force = 1.0 / (strength * queries) / kinds**2
    whole = shapes + kinds**2
    of_kind = [np.flatnonzero(lessons.kinds == kind) for kind in range(shapes)]

    def loss(point: Array) -> tuple[float, Array]:
        weights = point.reshape(shapes, n)
        sums = np.empty(len(rows))
        for kind, own in enumerate(of_kind):
            sums[own] = rows[own] @ weights[kind]
        difference = sums[lessons.better] - sums[lessons.worse]
        small = np.exp(-np.abs(difference))
        value = float(lessons.weights @ (np.log1p(small) + np.maximum(-difference, 0.0)))
        wrong = np.where(difference > 0.0, small, 1.0) / (1.0 + small) * lessons.weights
        asked = np.bincount(lessons.worse, wrong, len(rows)) - np.bincount(lessons.better, wrong, len(rows))
        gradient = np.stack([asked[own] @ rows[own] for own in of_kind]) / queries
        # The best common weights follow from the others: their sum over the kinds / (kinds + kinds²).
        common = weights.sum(axis=0)
        held_back = 0.5 * force * (np.sum(weights**2) - np.sum(common**2) / whole)
        gradient += force * (weights - common / whole)
        return value / queries + float(held_back), gradient.ravel()

    return _least(loss, list(bounds) * shapes).reshape(shapes, n) / scale


def _least(function: Callable[[Array], tuple[float, Array]], bounds: Sequence[tuple[float, float]]) -> Array:
    """The point within bounds where a convex function is least, from the point nearest to 0."""
    from scipy.optimize import minimize

    begin = np.array([min(max(0.0, low), high) for low, high in bounds])
    options = {"ftol": 1e-15, "gtol": 1e-8, "maxiter": 20_000, "maxfun": 100_000}
    found = minimize(function, begin, jac=True, method="L-BFGS-B", bounds=bounds, options=options)
    return np.asarray(found.x, dtype=np.float64)


def _lines(points: list[tuple[int, Array, NDArray[np.bool_]]]) -> list[tuple[float, float]]:
    """The calibration of each kind: the factor and the summand that make a sum log-odds."""
    lines = [_line(points)]
    for kind in range(len(_KINDS)):
        own = [point for point in points if point[0] == kind]
        lines.append(_line(own) if len(own) >= _ENOUGH else lines[0])
    return lines[1:]


def _line(points: list[tuple[int, Array, NDArray[np.bool_]]]) -> tuple[float, float]:
    sums = np.concatenate([np.empty(0), *(sums for _, sums, _ in points)])
    right = np.concatenate([np.empty(0, dtype=np.bool_), *(right for _, _, right in points)])
    count, hits = max(len(sums), 1), int(right.sum())
    mean = float(sums.mean()) if len(sums) else 0.0
    # As if one more of each had been seen, so that odds stay finite where all are alike.
    wanted = np.where(right, (hits + 1.0) / (hits + 2.0), 1.0 / (len(sums) - hits + 2.0))
    centred = sums - mean

    def loss(point: Array) -> tuple[float, Array]:
        a, b = point
        odds = a * centred + b
        small = np.exp(-np.abs(odds))
        value = 0.5 * (a - 1.0) ** 2 + np.sum(np.log1p(small) + np.maximum(odds, 0.0) - wanted * odds)
        off = np.where(odds > 0.0, 1.0, small) / (1.0 + small) - wanted
        return float(value) / count, np.array([a - 1.0 + off @ centred, off.sum()]) / count

    a, b = _least(loss, [(0.05, np.inf), (-20.0, 20.0)])
    return float(a), float(b - a * mean)


def _profile(
    start: Profile, name: str, features: list[str], weights: Array, lines: list[tuple[float, float]]
) -> Profile:
    """The start with what was learned, in log-odds, and without its calibration, which belongs to other weights."""
    profile = start
    for at, kind in enumerate(_KINDS):
        a, b = lines[at]
        own = {feature: 0.0 for feature in feature_names() if feature.split(".")[0] in (*_BOUNDS, "base")}
        own.update({feature: a * weight for feature, weight in zip(features, weights[at])})
        for feature in feature_names():
            if feature.split(".")[0] in _KEPT:
                own[feature] = a * start.weight(feature, kind)
        own["base.value"] = b
        written = {feature: round(float(weight), 4) for feature, weight in own.items()}
        profile = profile.with_weights(written, kind=kind, name=name)
    identity = {"intercept": 0.0, "sum": 1.0}
    scores = {"doubt": 0.0, **{kind: identity for kind in (*_KINDS, "report")}}
    return Profile.from_dict({"scores": scores}, base=profile)
