"""Scores of the truth against the share of N votes: the part that votes determine, and the part of a prior.

Of a polynomial in p up to the power N, votes have an unbiased estimate. All of the Brier score is one; of an entropy

    H(p) = sum_c p_c sum_(r >= 1) (1 - p_c)^r / r

the first N - 1 terms are. Only the further terms depend on a distribution drawn from the posterior.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dissensus.labels import distances
from dissensus.labels.display import shapes
from dissensus.labels.distances import entropy


@dataclass(frozen=True, eq=False)
class PossibleTruth:
    """Distributions drawn from the posterior, with their votes.

    probs   (n, k) one for each item
    counts  (n, k) votes, two or more on each item
    off     nats added to every entropy, to see which scores change
    """

    probs: np.ndarray
    counts: np.ndarray
    off: float = 0.0

    __repr__ = shapes

    @cached_property
    def share(self) -> np.ndarray:
        return self.counts / self.counts.sum(axis=1, keepdims=True)

    @cached_property
    def entropy(self) -> np.ndarray:
        """The entropy of the truth in nats: the terms that votes determine, and the further terms of `probs`.  (n,)"""
        return self.known + self.rest + self.off

    @cached_property
    def known(self) -> np.ndarray:
        """The first N - 1 terms of the entropy, without bias: sum_c x_c/N (psi(N) - psi(x_c)).  (n,)

        Zhang (2012), Entropy estimation in Turing's perspective.
        """
        return _known_entropy(self.counts)

    @cached_property
    def drawn(self) -> np.ndarray:
        """The same terms of `probs`: sum_c p_c sum_(r < N) (1 - p_c)^r / r.  (n,)"""
        return _first_terms(self.probs, self.counts.sum(axis=1))

    @cached_property
    def rest(self) -> np.ndarray:
        """All further terms of `probs`, which are those of rare classes.  (n,)"""
        return entropy(self.probs) - self.drawn


def brier_of_truth(truth: PossibleTruth) -> np.ndarray:
    """Estimate the soft Brier score of the truth, without bias and without a prior.  (n,)

    E sum_c (p_c - x_c/N)^2 = sum_c p_c (1 - p_c) / N,   unbiased: sum_c x_c (N - x_c) / (N^2 (N - 1))
    """
    total = truth.counts.sum(axis=1, keepdims=True)
    return (truth.share * (1 - truth.share) / (total - 1.0)).sum(axis=1)


def soft_nll_of_truth(truth: PossibleTruth) -> np.ndarray:
    """Estimate the soft NLL of the truth in nats: on average over votes its entropy.  (n,)"""
    return truth.entropy


def kl_of_truth(truth: PossibleTruth) -> np.ndarray:
    """Estimate KL from the share of the votes to the truth in nats: the truth's entropy minus the share's.  (n,)"""
    return truth.entropy - entropy(truth.share)


def js_of_truth(truth: PossibleTruth) -> np.ndarray:
    """Estimate the Jensen-Shannon divergence of truth and share in nats: the draw, corrected as its KL is.  (n,)

        JS(x/N, p) + (kl_of_truth - KL(x/N || p)) / 4

    For close distributions JS is a quarter of KL, and so is the error of the draw.
    """
    moved = kl_of_truth(truth) - distances.kl(truth.share, truth.probs)
    return distances.jensen_shannon(truth.share, truth.probs) + moved / 4


def _known_entropy(counts: np.ndarray) -> np.ndarray:
    from scipy.special import psi

    by_count = psi(np.maximum(np.arange(counts.max() + 1), 1))
    total = counts.sum(axis=1, keepdims=True)
    return (counts / total * (psi(total) - by_count[counts])).sum(axis=1)


def _first_terms(probs: np.ndarray, total: np.ndarray) -> np.ndarray:
    """By Horner's rule from the last term.  (n, k), (n,) -> (n,)"""
    order = np.argsort(-total, kind="stable")  # items of many votes first, as they have more terms
    rest, fewer = 1 - probs[order], -total[order]
    value = np.zeros(rest.shape)
    for r in range(int(total.max()) - 1, 0, -1):
        rows = int(np.searchsorted(fewer, -r))  # those of more than r votes
        value[:rows] += 1 / r
        value[:rows] *= rest[:rows]
    terms = np.empty(total.size)
    terms[order] = ((1 - rest) * value).sum(axis=1)
    return terms
