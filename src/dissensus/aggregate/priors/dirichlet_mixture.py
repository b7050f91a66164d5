"""Mixtures of Dirichlets over vote counts: the evidence of votes, and the posterior of an item.

    p ~ sum_j weight_j Dirichlet(alpha_j),   votes ~ p

The predictive distribution of Polya's urn in every component; Minka (2000), Estimating a Dirichlet distribution.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dissensus.labels.answers import hold
from dissensus.labels.display import shapes

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@dataclass(frozen=True, eq=False)
class MixturePosterior:
    """The posterior of each item: a mixture of Dirichlets, one for each of j components.

        p_i given its votes ~ sum_j weights_ij Dirichlet(alpha_j + counts_i)

    weights  (n, j) rows sum to 1
    alpha    (j, k) above 0, the components before any vote
    counts   (n, k) votes, with the fraction of votes a model's prediction was worth where there was one
    """

    weights: np.ndarray
    alpha: np.ndarray
    counts: np.ndarray

    __repr__ = shapes

    def __post_init__(self) -> None:
        for name in ("weights", "alpha", "counts"):
            hold(self, name, np.asarray(getattr(self, name), dtype=np.float64))

    @property
    def mass(self) -> np.ndarray:
        """Votes and prior together, the concentration of each component.  (n, j)"""
        return self.counts.sum(axis=1)[:, None] + self.alpha.sum(axis=1)


def mixture_posterior(counts: np.ndarray, alpha: np.ndarray, weights: np.ndarray) -> MixturePosterior:
    """Compute the posterior of each item by Bayes' rule; counts may be fractions.  (n, k), (j, k), (j,) -> n items"""
    from scipy.special import softmax

    return MixturePosterior(softmax(np.log(weights) + component_evidence(counts, alpha), axis=1), alpha, counts)


def component_evidence(counts: np.ndarray, alpha: np.ndarray) -> np.ndarray:
    """Compute ln B(alpha_j + x) / B(alpha_j), the evidence of each row by Dirichlet.  (n, k), (j, k) -> (n, j)"""
    evidence = -_log_rising_factorial(counts.sum(axis=1), alpha.sum(axis=1))
    for code in range(counts.shape[1]):
        evidence += _log_rising_factorial(counts[:, code], alpha[:, code])
    return evidence


def posterior_mean(posterior: MixturePosterior) -> np.ndarray:
    """Compute the expected distribution, which also has the least expected KL from the truth.  (n, k)"""
    scaled = posterior.weights / posterior.mass  # (n, j)
    mean = posterior.counts * scaled.sum(axis=1, keepdims=True) + scaled @ posterior.alpha
    return mean / mean.sum(axis=1, keepdims=True)


def posterior_variance(posterior: MixturePosterior) -> np.ndarray:
    """Compute the variance of each class's probability, within and between components: 0 to 1/4.  (n, k)

    Var p_c = sum_j w_j a_jc (a_jc + 1) / (A_j (A_j + 1)) - (E p_c)^2,   a = alpha + counts, A its sum
    """
    mass = posterior.mass
    scaled = posterior.weights / (mass * (mass + 1))  # (n, j)
    n_c, alpha = posterior.counts, posterior.alpha
    square = n_c * (n_c + 1) * scaled.sum(axis=1, keepdims=True)
    square += (2 * n_c + 1) * (scaled @ alpha) + scaled @ alpha**2  # (n, k)
    return np.maximum(square - posterior_mean(posterior) ** 2, 0.0)


def expected_kl(posterior: MixturePosterior) -> np.ndarray:
    """Compute the expected KL divergence from the true distribution to the posterior mean, in nats.  (n,)

        E KL(p || mean) = E sum_c p_c ln p_c - sum_c mean_c ln mean_c,
        E p_c ln p_c = sum_j w_j a_jc / A_j (psi(a_jc + 1) - psi(A_j + 1))

    It falls with every vote on average; an allocation of further votes minimises it.
    """
    from scipy.special import psi

    mass = posterior.mass
    scaled = posterior.weights / mass  # (n, j)
    expected = -(posterior.weights * psi(mass + 1)).sum(axis=1)
    for code in range(posterior.counts.shape[1]):
        both = posterior.counts[:, code, None] + posterior.alpha[:, code]  # (n, j)
        expected += (scaled * both * psi(both + 1)).sum(axis=1)
    mean = posterior_mean(posterior)
    return np.maximum(expected - (mean * np.log(mean)).sum(axis=1), 0.0)


def posterior_sample(posterior: MixturePosterior, rng: np.random.Generator) -> np.ndarray:
    """Draw one distribution per item from its posterior.  (n, k)"""
    edges = np.cumsum(posterior.weights, axis=1)  # (n, j)
    component = (rng.random((edges.shape[0], 1)) > edges[:, :-1]).sum(axis=1)
    drawn = rng.standard_gamma(posterior.alpha[component] + posterior.counts)  # (n, k)
    # Gammas of a tiny shape all underflow to 0 now and then; such a row is as good as certain of its likeliest class.
    empty = np.flatnonzero(drawn.sum(axis=1) == 0)
    drawn[empty, posterior.alpha[component[empty]].argmax(axis=1)] = 1.0
    return drawn / drawn.sum(axis=1, keepdims=True)


def distinct_rows(counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the different rows and which of them each row is: few votes have few outcomes.  (n, k) -> (u, k), (n,)"""
    base, k = int(counts.max(initial=0)) + 1, counts.shape[1]
    if k * np.log2(base) < 62:  # a row is then a whole number in one int64, and sorting those is ten times faster
        _, first, which = np.unique(counts @ (np.int64(base) ** np.arange(k)), return_index=True, return_inverse=True)
        return counts[first], which.reshape(-1)
    rows, which = np.unique(counts, axis=0, return_inverse=True)
    return rows, which.reshape(-1)


@dataclass(frozen=True, eq=False)
class VoteTerms:
    """A table of counts, laid out for `log_evidence`, which is evaluated many times over.

    ln f of a row is a sum over classes of terms that depend on (class, count) alone, minus one for its total. The
    different pairs are few, so s slots hold them and a sparse 0/1 matrix picks and adds those of each of u rows.

    weight        (u,) how often ln f of each row counts
    column, count (s,), (s, 1) the class of each slot (k for the total) and its number of votes
    pick, gather  (u, s) and its transpose
    """

    weight: np.ndarray
    column: np.ndarray
    count: np.ndarray
    pick: csr_array
    gather: csr_array


def vote_terms(counts: np.ndarray, times: np.ndarray) -> VoteTerms:
    """Lay out a table of votes.  counts: (u, k) whole numbers; times: (u,) how often each row occurs"""
    from scipy.sparse import csr_array

    table, which = distinct_rows(counts)
    wide = np.column_stack([table, table.sum(axis=1)])  # (u, k + 1)
    row, column = np.nonzero(wide)
    base = int(wide.max(initial=0)) + 1
    slots, slot = np.unique(column * base + wide[row, column], return_inverse=True)
    pick = csr_array((np.ones(row.size), (row, slot.reshape(-1))), shape=(table.shape[0], slots.size))
    return VoteTerms(
        weight=np.bincount(which, weights=times, minlength=table.shape[0]),
        column=slots // base,
        count=(slots % base)[:, None],
        pick=pick,
        gather=pick.T.tocsr(),
    )


def log_evidence(terms: VoteTerms, alpha: np.ndarray, log_weight: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """Compute the log-probability of a table of votes, each item's in their order, in nats, and its gradient.

        L = sum_i times_i ln f(x_i),   f(x) = sum_j weight_j B(alpha_j + x) / B(alpha_j)

    alpha: (j, k); log_weight: (j,) -> L, its gradient in alpha (j, k) and in log_weight (j,)
    """
    from scipy.special import gammaln, psi

    k = alpha.shape[1]
    of_columns = np.column_stack([alpha, alpha.sum(axis=1)]).T  # (k + 1, j)
    at = of_columns[terms.column] + terms.count  # (s, j)
    sign = np.where(terms.column == k, -1.0, 1.0)[:, None]  # (s, 1)
    evidence = terms.pick @ (sign * (gammaln(at) - gammaln(of_columns)[terms.column])) + log_weight  # (u, j)
    top = evidence.max(axis=1, keepdims=True)
    share = np.exp(evidence - top)
    total = share.sum(axis=1, keepdims=True)
    value = float(terms.weight @ (top + np.log(total))[:, 0])
    pull = terms.weight[:, None] * (share / total)  # (u, j)
    slope = (terms.gather @ pull) * (sign * (psi(at) - psi(of_columns)[terms.column]))  # (s, j)
    by_column = np.zeros((k + 1, alpha.shape[0]))
    np.add.at(by_column, terms.column, slope)
    return value, (by_column[:k] + by_column[k]).T, pull.sum(axis=0)


def leave_one_out(counts: np.ndarray, alpha: np.ndarray, weights: np.ndarray) -> float:
    """Compute the mean log-probability of a vote given the other votes of its item, in nats; NaN without votes.

    counts: (n, k) whole numbers; alpha: (j, k); weights: (j,)
    """
    rows, which = distinct_rows(counts)
    times = np.bincount(which, minlength=rows.shape[0])
    total = 0.0
    for code in range(rows.shape[1]):
        some = rows[:, code] > 0
        others = rows[some] - np.eye(rows.shape[1], dtype=rows.dtype)[code]
        likely = posterior_mean(mixture_posterior(others, alpha, weights))[:, code]
        total += float((times * rows[:, code])[some] @ np.log(likely))
    return total / float(counts.sum()) if counts.any() else float("nan")


def _log_rising_factorial(counts: np.ndarray, alpha: np.ndarray) -> np.ndarray:
    """ln alpha (alpha + 1) ... (alpha + count - 1), for fractions too.  (n,), (j,) -> (n, j)"""
    from scipy.special import gammaln

    most = counts.max(initial=0)
    if np.issubdtype(counts.dtype, np.integer) and most <= 4 * counts.size:  # sorting them takes longer
        values, which = np.arange(most + 1), counts
    elif counts.size * alpha.size < 1_000:
        values, which = counts, np.arange(counts.size)
    else:
        values, which = np.unique(counts, return_inverse=True)
    return (gammaln(alpha + values[:, None]) - gammaln(alpha))[which.reshape(-1)]
