"""Is one better than the other? Tests for few paired seeds and for many items, never without what they could show.

A p-value says little without the number of pairs behind it and the least value that number allows: five seeds that all
agree give a one-sided p of 0.031 and no less, however large the difference. So a `Comparison` holds all three.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np

from dissensus.evaluate.means import grouped

Alternative = Literal["two-sided", "less", "greater"]
SMALL = 0.0001  # p-values below are only called small


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """One test of a against b, with what it could have shown at best.

    test         which test, and whether exact
    alternative  "less": a tends below b; "greater": above; "two-sided": either
    n            pairs, or the smaller of two independent groups
    difference   mean of a - mean of b
    effect       its size by `effect_name`
    p            chance of so extreme a result if there were no difference
    minimum_p    the least p this test can give for n: 0 where there is no least one
    adjusted_p   p corrected for a family of tests, and the number of these; None and 1 for a test on its own
    minimum_adjusted_p   the least adjusted_p this test can have, whatever the others of its family give
    """

    test: str
    alternative: Alternative
    n: int
    difference: float
    effect: float
    effect_name: str
    p: float
    minimum_p: float
    adjusted_p: float | None = None
    family: int = 1
    minimum_adjusted_p: float | None = None

    def __post_init__(self) -> None:
        if self.alternative not in get_args(Alternative):
            raise ValueError(f"alternative is {self.alternative!r}; expected one of {', '.join(get_args(Alternative))}")
        if self.n < 1 or self.family < 1:
            raise ValueError(f"a comparison of {self.n} pairs in a family of {self.family}; expected 1 or more of both")
        if not 0 <= self.minimum_p <= self.p * (1 + 1e-9) <= 1 + 2e-9:
            raise ValueError(f"p = {self.p:g} and at best {self.minimum_p:g}; expected 0 <= at best <= p <= 1")

    @property
    def decidable(self) -> bool:
        """Whether the strongest possible result would have been below 0.05, after correction for the family."""
        return self.least < 0.05

    @property
    def least(self) -> float:
        """The least p that could have been shown, after correction for the family; 0 where there is no least one."""
        if self.minimum_adjusted_p is not None:
            return self.minimum_adjusted_p
        return min(1.0, self.minimum_p * self.family)

    def __str__(self) -> str:
        best = f"at best {shown_p(self.minimum_p)}" if self.minimum_p > 0 else "no lower bound"
        text = f"{'p = ' if self.p >= SMALL else 'p '}{shown_p(self.p)} (n = {self.n:,}, {best})"
        if self.adjusted_p is not None:
            text += f", Holm over {self.family}: {shown_p(self.adjusted_p)}"
            if self.minimum_p > 0:
                text += f" (at best {shown_p(self.least)})"
        return text

    def as_json(self) -> dict[str, Any]:
        record: dict[str, Any] = {
            "test": self.test,
            "alternative": self.alternative,
            "n": self.n,
            "p": self.p,
            "minimum_p": self.minimum_p,
            "difference": self.difference,
            self.effect_name.replace(" ", "_").replace("'", ""): self.effect,
        }
        if self.adjusted_p is None:
            return record
        return record | {"holm_p": self.adjusted_p, "minimum_holm_p": self.least, "family": self.family}


def holm(family: Mapping[str, Comparison]) -> dict[str, Comparison]:
    """The same comparisons with p-values corrected so that any false finding in the family has a chance below alpha.

        adjusted p_(i) = max over j <= i of min(1, (m - j + 1) p_(j)),   p_(1) <= ... <= p_(m)

    Holm (1979), A simple sequentially rejective multiple test procedure. Valid however the tests depend on each other.
    A family of m tests that cannot give less than p_min each cannot reject anything where m p_min >= alpha. Tests of
    different numbers of pairs have different least p; that after correction is reached where all others give theirs.
    """
    names = list(family)
    adjusted = holm_adjusted(np.array([family[name].p for name in names]))
    least = holm_adjusted(np.array([family[name].minimum_p for name in names]))  # rises with the p of any test
    return {
        name: replace(family[name], adjusted_p=float(p), family=len(names), minimum_adjusted_p=float(low))
        for name, p, low in zip(names, adjusted, least, strict=True)
    }


def holm_adjusted(p: np.ndarray) -> np.ndarray:
    """Holm's corrected p-values, in the order given.  p: (m,) -> (m,)"""
    values = np.asarray(p, dtype=np.float64)
    bad = np.flatnonzero(~((values >= 0) & (values <= 1)))
    if values.ndim != 1 or bad.size:
        raise ValueError(f"p-values {values.tolist()[:10]}: expected one list of numbers from 0 to 1")
    order = np.argsort(values, kind="stable")
    raised = np.maximum.accumulate(np.minimum(values[order] * np.arange(values.size, 0, -1), 1.0))
    adjusted = np.empty(values.size)
    adjusted[order] = raised
    return adjusted


def paired_t(a: Any, b: Any, alternative: Alternative = "two-sided") -> Comparison:
    """Student's paired t-test: is the mean difference 0?

        t = mean(d) / (sd(d) / sqrt n),   d = a - b,   n - 1 degrees of freedom

    For differences that are nearly normal, or many. Student (1908); used by Singh 2025 over 10 seeds. Effect: Cohen's
    d_z. Where all differences are equal the test says nothing (p = 1 if they are 0) and is refused otherwise.

    a, b: (n,) paired, n of 2 or more
    """
    x, y = paired(a, b, least=2)
    d = x - y
    spread = d.std(ddof=1)
    if spread <= 1e-14 * max(np.abs(d).max(), 1e-300) and d.any():
        raise ValueError(
            f"all {d.size} differences are {d[0]:g}, so they have no spread and a t-test has no answer; use wilcoxon"
        )
    t = d.mean() / (spread / math.sqrt(d.size)) if spread > 0 else 0.0
    return Comparison(
        test="paired t-test",
        alternative=alternative,
        n=d.size,
        difference=float(d.mean()),
        effect=cohen_d_paired(x, y),
        effect_name="Cohen's d paired",
        p=_t_tail(t, d.size - 1, alternative) if spread > 0 else 1.0,
        minimum_p=0.0,
    )


def clustered_t(a: Any, b: Any, clusters: Any, alternative: Alternative = "two-sided") -> Comparison:
    """Paired t-test where items come in clusters (sentences of one text): is the mean difference over items 0?

        t = mean(d) / se,   d = a - b,   se^2 = (g - 1)/g sum_g (mean_(g) - mean of these)^2

    with mean_(g) the mean over items without cluster g, and fewer degrees of freedom where few clusters hold most items
    (`means.Groups`). Every item counts once, so the test is of the mean that stands beside it. Without a difference,
    p < 0.05 came out 5.6 times in 100 with 30 clusters of 8 items and 3.0 times with 20 of 1 to 120 (the usual sandwich
    with g - 1 degrees: 5.6 and 10.9). MacKinnon, Nielsen and Webb (2023), Cluster-robust inference: a guide to
    empirical practice. n is the number of clusters; effect: Cohen's d_z over items.

    a, b: (n,) paired; clusters: (n,) names or codes, 2 different ones or more
    """
    x, y = paired(a, b, least=2)
    names = np.asarray(clusters)
    if names.shape != x.shape:
        raise ValueError(f"clusters have shape {names.shape} for {x.size} pairs; expected one for each")
    groups = grouped((x - y)[:, None], names)
    count = groups.first.size
    if count < 2:
        raise ValueError(f"all {x.size} pairs are in one cluster, so there is nothing to compare; expected 2 or more")
    mean, error = float(groups.mean[0]), float(groups.error[0])
    if error <= 1e-14 * abs(mean) and mean:
        raise ValueError(
            f"all {count} clusters differ by {mean:g}, so they have no spread and a t-test has no answer; use wilcoxon"
        )
    return Comparison(
        test="paired t-test over clusters",
        alternative=alternative,
        n=count,
        difference=mean,
        effect=cohen_d_paired(x, y),
        effect_name="Cohen's d paired",
        p=_t_tail(mean / error, float(groups.freedom[0]), alternative) if error > 0 else 1.0,
        minimum_p=0.0,
    )


def corrected_t(a: Any, b: Any, test_to_train: float, alternative: Alternative = "two-sided") -> Comparison:
    """Paired t-test for repeated splits of the same items, whose training sets overlap: is the mean difference 0?

        t = mean(d) / sqrt((1/n + n_test/n_train) var(d)),   d = a - b,   n - 1 degrees of freedom

    Scores of such splits go up and down together, so their spread understates how far the mean could be off; a plain
    t-test then finds differences that are not there, the more the more splits there are. Nadeau and Bengio (2003),
    Inference for the generalization error, sec. 3; over k folds of r seeds, n = k r: Bouckaert and Frank (2004).
    Effect: Cohen's d_z. Differences that are all equal are refused as by `paired_t`.

    test_to_train  n_test / n_train: items judged on for each item learned from, such as 1/9 for ten folds
    a, b: (n,) paired, n of 2 or more
    """
    if not (math.isfinite(test_to_train) and test_to_train > 0):
        raise ValueError(
            f"test_to_train is {test_to_train}; expected items judged on divided by items learned from, above 0: 0.25 "
            "for 20 % of the items judged on and all others learned from"
        )
    plain = paired_t(a, b, alternative)
    x, y = paired(a, b, least=2)
    spread = (x - y).std(ddof=1)
    t = plain.difference / (spread * math.sqrt(1 / plain.n + test_to_train)) if spread > 0 else 0.0
    p = _t_tail(t, plain.n - 1, alternative) if spread > 0 else 1.0
    return replace(plain, test="corrected resampled t-test", p=p)


def welch_t(a: Any, b: Any, alternative: Alternative = "two-sided") -> Comparison:
    """Welch's t-test of two independent groups whose spreads may differ.

        t = (mean a - mean b) / sqrt(s_a^2/n_a + s_b^2/n_b),
        degrees of freedom (s_a^2/n_a + s_b^2/n_b)^2 / ((s_a^2/n_a)^2/(n_a - 1) + (s_b^2/n_b)^2/(n_b - 1))

    Welch (1947). For seeds that are not paired. Effect: Cohen's d with the pooled spread.

    a: (n_a,), b: (n_b,), 2 or more each
    """
    x, y = _finite(a, "a", 2), _finite(b, "b", 2)
    share_x, share_y = x.var(ddof=1) / x.size, y.var(ddof=1) / y.size
    both = share_x + share_y
    if both == 0:
        raise ValueError(f"neither group varies (a is {x[0]:g}, b is {y[0]:g}), so a t-test has no answer")
    t = (x.mean() - y.mean()) / math.sqrt(both)
    freedom = both**2 / (share_x**2 / (x.size - 1) + share_y**2 / (y.size - 1))
    return Comparison(
        test="Welch t-test",
        alternative=alternative,
        n=min(x.size, y.size),
        difference=float(x.mean() - y.mean()),
        effect=cohen_d(x, y),
        effect_name="Cohen's d",
        p=_t_tail(t, freedom, alternative),
        minimum_p=0.0,
    )


def cohen_d_paired(a: Any, b: Any) -> float:
    """Mean difference in units of the spread of the differences.

        d_z = mean(d) / sd(d),   d = a - b;   0 where all differences are 0, infinite where they are equal but not 0

    Cohen (1988), Statistical power analysis, sec. 2.3.5.  a, b: (n,)
    """
    x, y = paired(a, b, least=2)
    return _ratio(float((x - y).mean()), float((x - y).std(ddof=1)))


def cohen_d(a: Any, b: Any) -> float:
    """Difference of means in units of the pooled spread.

        d = (mean a - mean b) / sqrt(((n_a - 1) s_a^2 + (n_b - 1) s_b^2) / (n_a + n_b - 2))

    Cohen (1988), sec. 2.2.  a: (n_a,), b: (n_b,)
    """
    x, y = _finite(a, "a", 2), _finite(b, "b", 2)
    pooled = ((x.size - 1) * x.var(ddof=1) + (y.size - 1) * y.var(ddof=1)) / (x.size + y.size - 2)
    return _ratio(float(x.mean() - y.mean()), math.sqrt(pooled))


def paired(a: Any, b: Any, least: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Two lists of numbers whose i-th belong together, checked.  (n,), (n,)"""
    x, y = _finite(a, "a", least), _finite(b, "b", least)
    if x.size != y.size:
        raise ValueError(
            f"a has {x.size} numbers and b has {y.size}; a paired test needs the same seeds or items in both, in the "
            "same order: select those they share, or use welch_t"
        )
    return x, y


def _finite(values: Any, name: str, least: int) -> np.ndarray:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1 or array.size < least:
        raise ValueError(f"{name} has shape {array.shape}; expected one list of {least} or more numbers")
    bad = np.flatnonzero(~np.isfinite(array))
    if bad.size:
        raise ValueError(
            f"{name}[{bad[0]}] is {array[bad[0]]}; {bad.size} of {array.size} numbers are not finite, so there is no "
            "mean to compare: smooth the predictions (no class exactly 0), or compare a score that stays finite"
        )
    return array


def _t_tail(t: float, freedom: float, alternative: Alternative) -> float:
    from scipy.special import stdtr

    if alternative == "two-sided":
        return float(min(1.0, 2 * stdtr(freedom, -abs(t))))
    return float(stdtr(freedom, t if alternative == "less" else -t))


def _ratio(mean: float, spread: float) -> float:
    if spread > 1e-14 * abs(mean):
        return mean / spread
    return math.copysign(math.inf, mean) if mean else 0.0


def shown_p(p: float) -> str:
    """Two digits; small ones only as small, since their size rests on the far tail of an assumed distribution."""
    return f"{p:.2g}" if p >= SMALL else f"< {SMALL:g}"
