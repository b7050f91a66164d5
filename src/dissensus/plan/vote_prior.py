"""How people disagree, learned from votes of which some items have more because of what the first ones said."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from dissensus.aggregate.dirichlet_mixture import (
    MixturePosterior,
    VoteTerms,
    distinct_rows,
    mixture_posterior,
    posterior_mean,
    vote_terms,
)

# The two steps of the fit are those of `shrinkage`; only the likelihood they climb differs.
from dissensus.aggregate.shrinkage import _freed, _tied
from dissensus.labels.answers import hold

FIT_ROWS = 20_000  # different rows of counts the prior is fitted on, as in shrinkage


@dataclass(frozen=True, eq=False)
class VotePrior:
    """What items look like before they are asked about: a mixture of Dirichlets.

    alpha    (j, k) above 0
    weights  (j,) sums to 1
    """

    alpha: np.ndarray
    weights: np.ndarray

    def __post_init__(self) -> None:
        for name in ("alpha", "weights"):
            hold(self, name, np.asarray(getattr(self, name), dtype=np.float64))

    def posterior(self, counts: np.ndarray) -> MixturePosterior:
        """What votes leave open about each item.  (n, k)"""
        if np.issubdtype(counts.dtype, np.integer):
            different, which = distinct_rows(counts)
            found = mixture_posterior(different, self.alpha, self.weights)
            return MixturePosterior(found.weights[which], self.alpha, counts)
        return mixture_posterior(counts, self.alpha, self.weights)

    def estimate(self, counts: np.ndarray) -> np.ndarray:
        """The expected distribution of each item.  (n, k), rows sum to 1"""
        return posterior_mean(self.posterior(counts))


def vote_prior(
    counts: np.ndarray, *, levels: int = 2, spread: float = 1.0, agreement: float = 0.6, pairs: float = 10.0
) -> VotePrior:
    """The prior that makes the votes of all items most probable.

        maximise sum_i ln f(votes_i),   f(x) = sum_j weights_j B(alpha_j + x) / B(alpha_j)

    The model, its two steps and its options are those of `aggregate.shrinkage`. That one maximises the probability of
    each vote given the others of its item, which needs items whose number of votes has nothing to do with what was
    said. Where doubtful items were asked about again it takes their disagreement for everybody's: 0.0925 against 0.0833
    nats from the truth with 2.5 adaptive votes an image of CIFAR-10H (benchmarks/allocation.py). The likelihood of
    whole sequences is right in both cases, since a rule that only sees votes cancels from it: such votes are missing at
    random in the sense of Rubin (1976), Inference and missing data.

    counts: (n, k) whole numbers, rows of zeros allowed
    """
    k = counts.shape[1]
    different, which = distinct_rows(counts)
    if different.shape[0] > FIT_ROWS:
        different, which = distinct_rows(counts[np.linspace(0, counts.shape[0] - 1, FIT_ROWS).astype(np.int64)])
    times = np.bincount(which, minlength=different.shape[0]).astype(np.float64)
    share = (counts.sum(axis=0) + 0.5) / (counts.sum() + 0.5 * k)  # (k,), no class impossible
    one, other = np.triu_indices(k, 1)
    each = np.eye(k, dtype=counts.dtype)
    apart = share[one] * share[other]
    imagined = np.concatenate([agreement * share, (1 - agreement) * apart / max(apart.sum(), np.finfo(float).tiny)])
    rows = np.concatenate([different, 2 * each, each[one] + each[other]])
    terms = _whole_rows(rows, np.concatenate([times, pairs * imagined]))
    tied, tied_weight = _tied(terms, share, levels)
    alpha, weights, _ = _freed(terms, tied, tied_weight, spread, 300)
    return VotePrior(alpha, weights)


def _whole_rows(rows: np.ndarray, times: np.ndarray) -> VoteTerms:
    """Terms of which `leave_one_out` makes sum_i times_i ln f(x_i): rows that lack a vote weigh nothing."""
    terms = vote_terms(rows, times)
    wide = np.column_stack([rows, rows.sum(axis=1)])  # (u, k + 1)
    row, column = np.nonzero(wide)
    slots = {
        pair: place for place, pair in enumerate(zip(terms.column.tolist(), terms.count[:, 0].tolist(), strict=True))
    }
    slot = [slots[pair] for pair in zip(column.tolist(), wide[row, column].tolist(), strict=True)]
    pick = type(terms.pick)((np.ones(row.size), (row, slot)), shape=(rows.shape[0], terms.column.size))
    return replace(terms, weight=times, pick=pick, gather=pick.T.tocsr())
