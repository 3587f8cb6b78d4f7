"""Whether the difference of two runs is more than chance, as ``spyhop-eval compare`` says it.

The difference is that of the averages, B minus A. An average is the mean over groups of the mean over their queries, so
that a group counts the same with few queries as with many. The interval is that of a paired bootstrap in two levels:
groups are drawn with replacement, then queries of each. The p-value is that of a two-sided paired randomisation test:
how often random signs of the differences give one as large.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Mapping

import numpy as np
from numpy.typing import NDArray

from ..errors import RequestError

# Differences below this are none: they come from the order of additions.
_TIE = 1e-9


@dataclass(frozen=True)
class Comparison:
    """Two runs, compared query by query."""

    #: The number of queries that both have.
    queries: int
    #: The averages.
    a: float
    b: float
    #: B minus A.
    difference: float
    #: The 95 % interval of the difference.
    low: float
    high: float
    #: The p-value.
    p: float
    #: The queries that are better in B, worse in B, and equal.
    wins: int
    losses: int
    ties: int

    def __str__(self) -> str:
        return (
            f"{self.a:.4f} -> {self.b:.4f}, {self.difference:+.4f} (95 % {self.low:+.4f} to {self.high:+.4f}, "
            f"p {self.p:.4f}), {self.wins} wins, {self.losses} losses, {self.ties} ties of {self.queries} queries"
        )


def compare(
    a: Mapping[str, float],
    b: Mapping[str, float],
    *,
    groups: Mapping[str, str] | None = None,
    draws: int = 10_000,
    seed: int = 1,
) -> Comparison:
    """Compares the values of a measure, by query; ``groups`` names the group of each query."""
    both = [query for query in a if query in b]
    if not both:
        raise RequestError("the runs have no query in common", "bad-request")
    names = {query: (groups or {}).get(query, "") for query in both}
    grouped: dict[str, list[str]] = {}
    for query in both:
        grouped.setdefault(names[query], []).append(query)
    differences = [np.array([b[query] - a[query] for query in queries]) for _, queries in sorted(grouped.items())]
    every = np.concatenate(differences)
    rng = np.random.default_rng(seed)
    low, high = _interval(differences, draws, rng)
    mean_a, mean_b = (_mean_of_means(values, grouped) for values in (a, b))
    return Comparison(
        queries=len(both),
        a=mean_a,
        b=mean_b,
        difference=mean_b - mean_a,
        low=low,
        high=high,
        p=_p_value(differences, draws, rng),
        wins=int(np.sum(every > _TIE)),
        losses=int(np.sum(every < -_TIE)),
        ties=int(np.sum(np.abs(every) <= _TIE)),
    )


def _mean_of_means(values: Mapping[str, float], grouped: Mapping[str, list[str]]) -> float:
    return float(np.mean([np.mean([values[query] for query in queries]) for queries in grouped.values()]))


def _interval(groups: list[NDArray[np.float64]], draws: int, rng: np.random.Generator) -> tuple[float, float]:
    chosen = rng.integers(len(groups), size=(draws, len(groups)))
    means = np.empty(chosen.shape)
    for at, group in enumerate(groups):
        # One group at a time, in pieces, so that memory is bounded.
        places = np.argwhere(chosen == at)
        for piece in np.array_split(places, max(1, len(places) * len(group) // 10_000_000)):
            drawn = group[rng.integers(len(group), size=(len(piece), len(group)))]
            means[piece[:, 0], piece[:, 1]] = drawn.mean(axis=1)
    low, high = np.percentile(means.mean(axis=1), [2.5, 97.5])
    return float(low), float(high)


def _p_value(groups: list[NDArray[np.float64]], draws: int, rng: np.random.Generator) -> float:
    actual = abs(np.mean([group.mean() for group in groups]))
    thrown = np.zeros(draws)
    for group in groups:
        # One group at a time, so that memory is bounded by the largest group.
        signs = rng.integers(2, size=(draws, len(group)), dtype=np.int8) * 2 - 1
        thrown += signs @ group / len(group)
    as_far = np.sum(np.abs(thrown / len(groups)) >= actual - _TIE)
    return float((as_far + 1) / (draws + 1))
