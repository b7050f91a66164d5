"""The information about similarity in labels that people gave: comparisons, entropy, and errors against judgments."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dissensus.labels.distances import entropy
from dissensus.labels.distributions import Distributions
from dissensus.labels.doors import takes
from dissensus.labels.transforms import one_hot, smooth
from dissensus.plan.constraints import count_constraints
from dissensus.plan.gnmds.embedding import Embedding, embed_labels
from dissensus.plan.simulation import recovery

# Label smoothing at the levels of CIFAR-10LS: the mass that CIFAR-10H and CIFAR-10DS leave to other classes.
SMOOTHING = {"smoothed low": 0.05, "smoothed high": 0.2}


@dataclass(frozen=True)
class Informativeness:
    """A set of labels in the measures of Sucholutsky 2023, sec. 7.2.

    constraints      comparisons that the labels answer
    ratio            as a share of all about n items and k classes
    entropy          mean over items, in nats
    peak_variance    variance over items of the largest probability (the first order statistic)
    rho              Spearman's rho between embedded and judged similarity; None without judgments
    error_rate       share of judged comparisons that the embedding gets wrong (bit flips); None without judgments
    contradicted     share of the labels' own comparisons that their embedding contradicts
    """

    constraints: int
    ratio: float
    entropy: float
    peak_variance: float
    rho: float | None
    error_rate: float | None
    contradicted: float


@takes(labels=Distributions)
def informativeness(
    labels: Distributions, rng: np.random.Generator, similarity: np.ndarray | None = None, *, trace_weight: float = 1.0
) -> Informativeness:
    """Measure how much labels tell about the similarity of items, as in Sucholutsky 2023, sec. 7.2.

    Labels are embedded by `embed_labels`, and judged similarities are compared with the inner products of the embedded
    items. Use a few hundred items: the number of comparisons grows as n k (n + k)/2.

    Parameters
    ----------
    labels : distributions of n items
    rng : disturbs the start of the embedding
    similarity : (n, n) judged for the same items in the same order, higher is more alike, NaN if not judged
    trace_weight : weight of the trace of the Gram matrix

    Returns
    -------
    Informativeness : comparisons, information ratio, entropy, and rho and error rate against the judgments

    Examples
    --------
    >>> labels = Distributions.from_counts(np.array([[9, 1, 0], [2, 6, 2], [0, 3, 7]]))
    >>> informativeness(labels, np.random.default_rng(0)).constraints
    17
    """
    embedding = embed_labels(labels.probs, rng, trace_weight=trace_weight, tolerance=1e-5)
    counted = count_constraints(labels.probs)
    rho = rate = None
    if similarity is not None:
        rho, rate = compare_with_judgments(embedding, similarity)
    return Informativeness(
        constraints=counted.total,
        ratio=counted.ratio,
        entropy=float(entropy(labels.probs).mean()),
        peak_variance=float(labels.probs.max(axis=1).var()),
        rho=rho,
        error_rate=rate,
        contradicted=_share_contradicted(embedding, labels.probs),
    )


def compare_with_judgments(embedding: Embedding, similarity: np.ndarray) -> tuple[float, float]:
    """Compute rho and error rate of embedded items against judged similarities.

        error rate = share of triplets of items a, b, c, judged unequal, that the inner products order the other way

    Pairs without a judgment are left out of both, and triplets with equal judgments out of the error rate. Ties in the
    embedding count as half wrong.  similarity: (n, n)
    """
    n = embedding.n_items
    alike = np.asarray(similarity, dtype=np.float64)
    if alike.shape != (n, n):
        raise ValueError(f"the similarity matrix has shape {alike.shape}; expected one row and column for {n} items")
    gram = embedding.gram[:n, :n]
    off = ~np.eye(n, dtype=bool)
    known = ~np.isnan(alike) & off
    if known.sum() < 6:
        raise ValueError(f"{int(known.sum())} judged similarities are too few; expected three items or more, all pairs")
    rho = _recovery_of_known(gram, alike, known)
    wrong = asked = 0.0
    for row in range(n):
        at = np.flatnonzero(known[row])
        true = np.sign(alike[row, at][:, None] - alike[row, at])
        embedded = np.sign(gram[row, at][:, None] - gram[row, at])
        asked += float((true > 0).sum())
        wrong += float(((true > 0) & (embedded < 0)).sum()) + 0.5 * float(((true > 0) & (embedded == 0)).sum())
    if asked == 0:
        raise ValueError("all judged similarities are equal; expected different ones, to compare")
    return rho, wrong / asked


def flip_rate(labels: np.ndarray, reference: np.ndarray) -> float:
    """Compute the share of comparisons answered by both label matrices on which they differ.

    For two kinds of label of the same items and classes, such as votes and beliefs of a pilot. 0 to 1; NaN if they have
    no comparison in common.  labels, reference: (n, k)
    """
    first, second = np.asarray(labels, dtype=np.float64), np.asarray(reference, dtype=np.float64)
    if first.shape != second.shape or first.ndim != 2:
        raise ValueError(f"labels have the shapes {first.shape} and {second.shape}; expected the same (n, k)")
    both = differ = 0
    for a, b in ((first, second), (first.T, second.T)):
        for left, right in zip(a, b, strict=True):
            agreement = np.sign(left[:, None] - left) * np.sign(right[:, None] - right)
            both += int((agreement != 0).sum() - np.isnan(agreement).sum())
            differ += int((agreement < 0).sum())
    return differ / both if both else float("nan")


@takes(labels=Distributions)
def label_variants(labels: Distributions, gold: np.ndarray) -> dict[str, Distributions]:
    """Return the labels with less informative ones of the same items: hard labels, and smoothed hard labels.

    Sucholutsky 2023, sec. 7.1: CIFAR-10 and CIFAR-10LS.  gold: (n,) class codes
    """
    hard = one_hot(gold, labels.items, labels.classes)
    return {"soft": labels, "hard": hard} | {name: smooth(hard, amount) for name, amount in SMOOTHING.items()}


def _recovery_of_known(gram: np.ndarray, alike: np.ndarray, known: np.ndarray) -> float:
    if known.sum() == known.shape[0] * (known.shape[0] - 1):
        return recovery(gram, np.where(np.eye(len(alike), dtype=bool), 0.0, alike))
    from scipy.stats import spearmanr

    upper = np.triu(known)
    return float(spearmanr(gram[upper], alike[upper])[0])


def _share_contradicted(embedding: Embedding, labels: np.ndarray) -> float:
    items, classes = embedding.points[: embedding.n_items], embedding.points[embedding.n_items :]
    squared = (items**2).sum(axis=1)[:, None] + (classes**2).sum(axis=1) - 2 * items @ classes.T
    # Nearer means a higher label, so the embedding is a label matrix of its own.
    rate = flip_rate(-squared, labels)
    return 0.0 if np.isnan(rate) else rate
