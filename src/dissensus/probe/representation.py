"""Whether two models represent the same similarities between items: centred kernel alignment of their features.

Everything here takes arrays; torch is not needed, and tensors are taken too.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from dissensus.labels.as_json import as_json
from dissensus.labels.display import shapes
from dissensus.probe.feature_rows import feature_rows

LEAST = 4  # items; the unbiased estimate divides by n - 3
BLOCK = 4_000_000  # numbers of a product held at once
ROUNDING = 1e-12  # of the terms that cancel: what is left below is rounding


def linear_cka(x: Any, y: Any) -> float:
    """Compute the linear centred kernel alignment of two feature matrices of the same items.

        CKA = HSIC(K, L) / sqrt(HSIC(K, K) HSIC(L, L)),   K = X X', L = Y Y' with their diagonals set to 0,
        HSIC(K, L) = (tr KL + 1'K1 1'L1 / ((n-1)(n-2)) - 2 1'KL1 / (n-2)) / (n (n-3))

    From -1 to 1, higher is more alike: 1 if one is the other rotated, scaled and shifted, around 0 for unrelated
    features. HSIC is unbiased, so CKA of unrelated features is as often negative as positive, while the biased CKA of
    Kornblith et al. (2019) keeps the diagonals and grows with the number of columns. Song et al. (2012), Feature
    selection via dependence maximization, eq. 5; Nguyen et al. (2021), Do wide and deep networks learn the same
    things?, sec. 3.

    Columns are centred first, which changes only rounding. Then the rows of X X' sum to 0 and

        n (n-3) HSIC(K, L) = |X'Y|^2 - n/(n-2) u.v + sum u sum v / ((n-1)(n-2)),   u_i = |x_i|^2, v_i = |y_i|^2

    so no (n, n) matrix is needed; |X'Y|^2 is computed as tr KL if there are fewer items than columns.

    Parameters
    ----------
    x, y : (n, d), (n, e), the same n >= 4 items in the same order

    Returns
    -------
    float

    Examples
    --------
    >>> x = np.random.default_rng(0).normal(size=(20, 3))
    >>> round(linear_cka(x, 2 * x[:, ::-1] + 1), 6)
    1.0
    """
    left, right = _centre(x, "x"), _centre(y, "y")
    _check_rows(left, right, "x", "y")
    return _alignment(_hsic(left, right), _hsic_with_itself(left, "x"), _hsic_with_itself(right, "y"))


def cka_of_batches(pairs: Iterable[tuple[Any, Any]]) -> float:
    """`linear_cka` of features that come in batches: the number that all rows together give, not a mean over batches.

    Goes once through the batches and holds sums over items, (d + e)^2 numbers: for features of very many columns,
    `linear_cka` of whole arrays is the cheaper.

    pairs: (x, y) of shapes (b, d) and (b, e), of the same b items; b may differ from batch to batch
    """
    sums: _Sums | None = None
    for batch, (x, y) in enumerate(pairs):
        left, right = (
            feature_rows(part, f"the features {name} of batch {batch}") for name, part in (("x", x), ("y", y))
        )
        if len(left) != len(right):
            raise ValueError(_unequal(f"x of batch {batch}", f"y of batch {batch}", len(left), len(right)))
        if sums is None and len(left):
            sums = _Sums(left, right)
        if sums is not None:
            sums.add(left, right, batch)
    if sums is None or sums.n < LEAST:
        raise ValueError(_few(0 if sums is None else sums.n, "the batches together"))
    return sums.alignment()


@dataclass(frozen=True, eq=False)
class CkaTable:
    """CKA between all runs of all methods.

    methods  (r,) the method of each run
    values   (r, r) CKA of each two runs, 1 on the diagonal
    items    how many the features are of
    """

    methods: tuple[str, ...]
    values: np.ndarray
    items: int

    __repr__ = shapes

    @property
    def within(self) -> dict[str, float]:
        """The mean over all pairs of runs of a method; NaN if it has one run only."""
        return {name: float(np.mean(self._pairs(name, name) or math.nan)) for name in dict.fromkeys(self.methods)}

    @property
    def across(self) -> dict[tuple[str, str], float]:
        """The mean over all pairs of a run of one method and a run of another."""
        return {pair: float(np.mean(self._pairs(*pair))) for pair in combinations(dict.fromkeys(self.methods), 2)}

    def as_json(self) -> dict[str, Any]:
        within = [
            {"methods": [name], "pairs": len(self._pairs(name, name)), "mean": as_json(mean)}
            for name, mean in self.within.items()
        ]
        across = [
            {"methods": list(pair), "pairs": len(self._pairs(*pair)), "mean": mean}
            for pair, mean in self.across.items()
        ]
        return {"items": self.items, "within": within, "across": across}

    def _pairs(self, a: str, b: str) -> list[float]:
        """A pair of runs of the same method counts once; one of two methods does too, as a and b are in order."""
        runs = combinations(range(len(self.methods)), 2)
        return [float(self.values[i, j]) for i, j in runs if {self.methods[i], self.methods[j]} == {a, b}]


def cka_table(features: Mapping[str, Sequence[Any]]) -> CkaTable:
    """Compare runs by CKA, within each method and across methods: are representations reproducible?

    `table.within["sls"]` is the mean over pairs of seeds, `table.across["sls", "soft"]` over all pairs of a run of one
    method and a run of the other. Gheibi 2026, fig. 12. Pairs share runs, so their spread is not the error of the mean.

    Parameters
    ----------
    features : runs by method, each (n, d), of the same items in the same order; d may differ

    Returns
    -------
    CkaTable

    Examples
    --------
    >>> runs = np.random.default_rng(0).normal(size=(3, 20, 4))
    >>> sorted(cka_table({"soft": runs[:2], "sls": runs[1:]}).within)
    ['sls', 'soft']
    """
    if not isinstance(features, Mapping):
        raise ValueError(f"features are a {type(features).__name__}; expected a mapping, method: [run, run, ...]")
    named = [
        (method, f"{method}, run {place}", run) for method, runs in features.items() for place, run in enumerate(runs)
    ]
    if len(named) < 2:
        raise ValueError(f"there are features of {len(named)} runs; expected 2 or more, as method: [run, run, ...]")
    centred = [_centre(matrix, name) for _, name, matrix in named]
    for (_, name, _), matrix in zip(named, centred, strict=True):
        _check_rows(centred[0], matrix, named[0][1], name)
    own = [_hsic_with_itself(matrix, name) for (_, name, _), matrix in zip(named, centred, strict=True)]
    values = np.eye(len(named))
    for i, j in combinations(range(len(named)), 2):
        values[i, j] = values[j, i] = _alignment(_hsic(centred[i], centred[j]), own[i], own[j])
    return CkaTable(tuple(method for method, _, _ in named), values, len(centred[0]))


class _Sums:
    """Sums over items from which CKA follows, of columns less their mean in the first batch.

    Any shift gives the same CKA; this one keeps the digits where the means are far from 0. It is exact for constants.
    """

    def __init__(self, x: np.ndarray, y: np.ndarray) -> None:
        self.widths = x.shape[1], y.shape[1]
        self.shift = np.concatenate([side[0] + (side - side[0]).mean(axis=0) for side in (x, y)])
        d = self.shift.size
        self.n = 0
        self.first, self.squares = np.zeros(d), np.zeros(2)
        self.second, self.third, self.fourth = np.zeros((d, d)), np.zeros((2, d)), np.zeros((2, 2))

    def add(self, x: np.ndarray, y: np.ndarray, batch: int) -> None:
        if (x.shape[1], y.shape[1]) != self.widths:
            raise ValueError(
                f"batch {batch} has {x.shape[1]} and {y.shape[1]} columns, those before have {self.widths[0]} and "
                f"{self.widths[1]}; expected the same two layers in all batches"
            )
        both = np.concatenate([x, y], axis=1) - self.shift  # (b, d + e)
        squares = np.stack([(side**2).sum(axis=1) for side in np.split(both, [self.widths[0]], axis=1)], axis=1)
        self.n += len(both)
        self.first += both.sum(axis=0)
        self.squares += squares.sum(axis=0)
        self.second += both.T @ both
        self.third += squares.T @ both
        self.fourth += squares.T @ squares

    def alignment(self) -> float:
        own = [self._hsic(0, 0), self._hsic(1, 1)]
        for name, side, hsic in zip("xy", (0, 1), own, strict=True):
            _check_variety(hsic, self._product(side, side), name)
        return _alignment(self._hsic(0, 1), *own)

    def _columns(self, side: int) -> slice:
        return slice(0, self.widths[0]) if side == 0 else slice(self.widths[0], None)

    def _product(self, a: int, b: int) -> float:
        """|X'Y|^2 of centred columns."""
        left, right = self._columns(a), self._columns(b)
        return float(((self.second[left, right] - np.outer(self.first[left], self.first[right] / self.n)) ** 2).sum())

    def _hsic(self, a: int, b: int) -> float:
        left, right = self._columns(a), self._columns(b)
        n, mean_a, mean_b = self.n, self.first[left] / self.n, self.first[right] / self.n
        square_a, square_b = mean_a @ mean_a, mean_b @ mean_b
        # The product of |x - mean|^2 and |y - mean|^2, each written out, summed over items.
        both = (
            self.fourth[a, b]
            - 2 * self.third[a, right] @ mean_b
            - 2 * self.third[b, left] @ mean_a
            + 4 * mean_a @ self.second[left, right] @ mean_b
            + square_b * self.squares[a]
            + square_a * self.squares[b]
            - 3 * n * square_a * square_b
        )
        lengths = (self.squares[a] - n * square_a) * (self.squares[b] - n * square_b)
        return _unbiased_hsic(self._product(a, b), float(both), float(lengths), n)


def _hsic(x: np.ndarray, y: np.ndarray) -> float:
    """n (n-3) HSIC of centred columns.  (n, d), (n, e)"""
    u, v = (x**2).sum(axis=1), (y**2).sum(axis=1)
    return _unbiased_hsic(_product(x, y), float(u @ v), float(u.sum() * v.sum()), len(x))


def _unbiased_hsic(product: float, both: float, lengths: float, n: int) -> float:
    """n (n-3) HSIC from |X'Y|^2, u.v and sum u sum v."""
    return product - n / (n - 2) * both + lengths / ((n - 1) * (n - 2))


def _hsic_with_itself(x: np.ndarray, name: str) -> float:
    u, product = (x**2).sum(axis=1), _product(x, x)
    hsic = _unbiased_hsic(product, float(u @ u), float(u.sum() ** 2), len(x))
    _check_variety(hsic, product, name)
    return hsic


def _product(x: np.ndarray, y: np.ndarray, block: int = BLOCK) -> float:
    """|X'Y|^2 = sum of X X' times Y Y' over all pairs of items, by whichever takes fewer operations."""
    (n, d), e = x.shape, y.shape[1]
    total = 0.0
    if d * e <= n * (d + e):
        for start in range(0, d, max(1, block // e)):
            part = x[:, start : start + max(1, block // e)].T @ y
            total += float((part**2).sum())
        return total
    for start in range(0, n, max(1, block // n)):
        rows = slice(start, start + max(1, block // n))
        total += float(((x[rows] @ x.T) * (y[rows] @ y.T)).sum())
    return total


def _alignment(between: float, own_x: float, own_y: float) -> float:
    return float(np.clip(between / math.sqrt(own_x) / math.sqrt(own_y), -1.0, 1.0))


def _check_variety(hsic: float, product: float, name: str) -> None:
    if not hsic > ROUNDING * product:
        raise ValueError(
            f"the features {name} see no item as more like a second than like a third: they are the same for all items "
            "or for all but one, or all items are equally far apart; CKA would be 0/0"
        )


def _centre(values: Any, name: str) -> np.ndarray:
    """Columns with mean 0, as float64 of size about 1.  (n, d)"""
    matrix = feature_rows(values, f"the features {name}")
    if len(matrix) < LEAST:
        raise ValueError(_few(len(matrix), name))
    apart = matrix - matrix[0]  # exactly 0 for a constant column, whatever the constant
    apart -= apart.mean(axis=0)
    largest = np.abs(apart).max()
    return np.ldexp(apart, -int(np.frexp(largest)[1])) if largest > 0 else apart  # so that fourth powers stay finite


def _check_rows(x: np.ndarray, y: np.ndarray, name_x: str, name_y: str) -> None:
    if len(x) != len(y):
        raise ValueError(_unequal(name_x, name_y, len(x), len(y)))


def _unequal(name_x: str, name_y: str, n: int, m: int) -> str:
    return f"the features {name_x} have {n} rows and {name_y} {m}; expected those of the same items, in the same order"


def _few(n: int, name: str) -> str:
    return f"{name}: {n} items; unbiased CKA compares items in fours, so it needs {LEAST} or more, better hundreds"
