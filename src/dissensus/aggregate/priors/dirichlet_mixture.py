"""Mixtures of Dirichlets over vote counts: how likely votes are, and what they leave open about an item.

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
    """What the votes leave open about each item: a mixture of Dirichlets, one for each of j components.

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
    """The posterior of each item, by Bayes' rule; counts may be fractions.  (n, k), (j, k), (j,) -> n items"""
    from scipy.special import softmax

    evidence = np.log(weights) - _rising(counts.sum(axis=1), alpha.sum(axis=1))  # (n, j)
    for code in range(counts.shape[1]):
        evidence += _rising(counts[:, code], alpha[:, code])
    return MixturePosterior(softmax(evidence, axis=1), alpha, counts)


def posterior_mean(posterior: MixturePosterior) -> np.ndarray:
    """The expected distribution, which is also the one with the least expected KL from the truth.  (n, k)"""
    scaled = posterior.weights / posterior.mass  # (n, j)
    mean = posterior.counts * scaled.sum(axis=1, keepdims=True) + scaled @ posterior.alpha
    return mean / mean.sum(axis=1, keepdims=True)


def posterior_variance(posterior: MixturePosterior) -> np.ndarray:
    """The variance of each class's probability, within and between components: 0 to 1/4.  (n, k)

    Var p_c = sum_j w_j a_jc (a_jc + 1) / (A_j (A_j + 1)) - (E p_c)^2,   a = alpha + counts, A its sum
    """
    mass = posterior.mass
    scaled = posterior.weights / (mass * (mass + 1))  # (n, j)
    n_c, alpha = posterior.counts, posterior.alpha
    square = n_c * (n_c + 1) * scaled.sum(axis=1, keepdims=True)
    square += (2 * n_c + 1) * (scaled @ alpha) + scaled @ alpha**2  # (n, k)
    return np.maximum(square - posterior_mean(posterior) ** 2, 0.0)


def expected_kl(posterior: MixturePosterior) -> np.ndarray:
    """The KL divergence still to be expected from the true distribution to the posterior mean, in nats.  (n,)

        E KL(p || mean) = E sum_c p_c ln p_c - sum_c mean_c ln mean_c,
        E p_c ln p_c = sum_j w_j a_jc / A_j (psi(a_jc + 1) - psi(A_j + 1))

    It falls with every vote on average; what an allocation of further votes wants to lower.
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
    """One distribution for each item that its votes leave possible.  (n, k)"""
    edges = np.cumsum(posterior.weights, axis=1)  # (n, j)
    component = (rng.random((edges.shape[0], 1)) > edges[:, :-1]).sum(axis=1)
    drawn = rng.standard_gamma(posterior.alpha[component] + posterior.counts)  # (n, k)
    # Gammas of a tiny shape all underflow to 0 now and then; such a row is as good as certain of its likeliest class.
    empty = np.flatnonzero(drawn.sum(axis=1) == 0)
    drawn[empty, posterior.alpha[component[empty]].argmax(axis=1)] = 1.0
    return drawn / drawn.sum(axis=1, keepdims=True)


def distinct_rows(counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The different rows and which of them each row is: few votes have few outcomes.  (n, k) -> (u, k), (n,)"""
    base, k = int(counts.max(initial=0)) + 1, counts.shape[1]
    if k * np.log2(base) < 62:  # a row is then a whole number in one int64, and sorting those is ten times faster
        _, first, which = np.unique(counts @ (np.int64(base) ** np.arange(k)), return_index=True, return_inverse=True)
        return counts[first], which.reshape(-1)
    rows, which = np.unique(counts, axis=0, return_inverse=True)
    return rows, which.reshape(-1)


@dataclass(frozen=True, eq=False)
class VoteTerms:
    """A table of counts, laid out for `leave_one_out`, which is evaluated many times over.

    ln f of a row is a sum over classes of terms that depend on (class, count) alone, minus one for its total. The
    different pairs are few, so s slots hold them and a sparse 0/1 matrix picks and adds those of each of u rows.

    weight        (u,) what ln f of each row counts: + for whole rows, - for rows that lack one vote
    column, count (s,), (s, 1) the class of each slot (k for the total) and its number of votes
    pick, gather  (u, s) and its transpose
    votes         how many votes the table holds
    """

    weight: np.ndarray
    column: np.ndarray
    count: np.ndarray
    pick: csr_array
    gather: csr_array
    votes: float


def vote_terms(counts: np.ndarray, times: np.ndarray, *, whole: bool = False) -> VoteTerms:
    """counts: (u, k) whole numbers; times: (u,) how often each row occurs, not necessarily whole

    whole  for the likelihood of whole rows, sum_i times_i ln f(x_i), instead of the leave-one-out likelihood
    """
    from scipy.sparse import csr_array

    k = counts.shape[1]
    rows, weight = [counts], [times * (1.0 if whole else counts.sum(axis=1))]
    for code in range(0 if whole else k):
        some = counts[:, code] > 0
        rows.append(counts[some] - np.eye(k, dtype=counts.dtype)[code])
        weight.append(-times[some] * counts[some, code])
    table, which = distinct_rows(np.concatenate(rows))
    wide = np.column_stack([table, table.sum(axis=1)])  # (u, k + 1)
    row, column = np.nonzero(wide)
    base = int(wide.max(initial=0)) + 1
    slots, slot = np.unique(column * base + wide[row, column], return_inverse=True)
    pick = csr_array((np.ones(row.size), (row, slot.reshape(-1))), shape=(table.shape[0], slots.size))
    return VoteTerms(
        weight=np.bincount(which, weights=np.concatenate(weight), minlength=table.shape[0]),
        column=slots // base, count=(slots % base)[:, None], pick=pick, gather=pick.T.tocsr(),
        votes=float(times @ counts.sum(axis=1)),
    )  # fmt: skip


def leave_one_out(terms: VoteTerms, alpha: np.ndarray, log_weight: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """The leave-one-out log-likelihood of a table of counts, in nats, and its slopes.

        L = sum_i times_i sum_v x_iv [ln f(x_i) - ln f(x_i - e_v)]
        f(x) = sum_j weight_j B(alpha_j + x) / B(alpha_j),   so that f(x) / f(x - e_v) = P(v | the other votes)

    alpha: (j, k); log_weight: (j,) -> L, its slope in alpha (j, k) and in log_weight (j,)
    """
    from scipy.special import gammaln, psi

    k = alpha.shape[1]
    at = np.column_stack([alpha, alpha.sum(axis=1)])[:, terms.column].T  # (s, j)
    sign = np.where(terms.column == k, -1.0, 1.0)[:, None]  # (s, 1)
    evidence = terms.pick @ (sign * (gammaln(at + terms.count) - gammaln(at))) + log_weight  # (u, j)
    top = evidence.max(axis=1, keepdims=True)
    share = np.exp(evidence - top)
    total = share.sum(axis=1, keepdims=True)
    value = float(terms.weight @ (top + np.log(total))[:, 0])
    pull = terms.weight[:, None] * (share / total)  # (u, j)
    slope = (terms.gather @ pull) * (sign * (psi(at + terms.count) - psi(at)))  # (s, j)
    by_column = np.zeros((k + 1, alpha.shape[0]))
    np.add.at(by_column, terms.column, slope)
    return value, (by_column[:k] + by_column[k]).T, pull.sum(axis=0)


def _rising(counts: np.ndarray, alpha: np.ndarray) -> np.ndarray:
    """ln alpha (alpha + 1) ... (alpha + count - 1), for fractions too.  (n,), (j,) -> (n, j)"""
    from scipy.special import gammaln

    values, which = np.unique(counts, return_inverse=True)
    return (gammaln(alpha + values[:, None]) - gammaln(alpha))[which.reshape(-1)]
