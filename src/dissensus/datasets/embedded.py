"""Two small sets that need no download: the anaesthetists of Dawid and Skene, and simulated readers of digits."""

from __future__ import annotations

from typing import Any

import numpy as np

from dissensus.datasets.dataset import DataSet, Facts, LabelledItems, about_items
from dissensus.labels.votes import Votes

# Dawid and Skene (1979), table 1: for each patient the three grades of observer 1, then those of observers 2 to 5.
# Copies in circulation differ in one cell: patient 7, observer 1 is 1 1 2 here (R package rater), 1 2 2 elsewhere.
_PATIENTS = """
1111111 3334334 1122122 2223121 2223222 2223322 1122111 3333433 2222223 2322223
4444444 2223343 1111111 2223212 1211111 1112111 1111111 1111111 2222221 2221322
2222222 2222221 2223222 2212222 1111111 1111111 2322222 1111111 1111111 1121121
1111111 3333233 1111111 2222222 2223232 4334343 2212232 2323233 3333432 1111111
1111111 1212111 2322222 1211111 2222222
"""
_OBSERVER = np.array([0, 0, 0, 1, 2, 3, 4], dtype=np.int32)
_READERS, _READS = 20, 5


def anesthesia() -> LabelledItems:
    """Fitness for anaesthesia of 45 patients, graded 1 to 4 by five observers, the first of them three times."""
    grades = np.array([list(row) for row in _PATIENTS.split()], dtype=np.int32)  # (45, 7)
    patients, each = grades.shape
    return about_items(
        Votes(
            item=np.repeat(np.arange(patients, dtype=np.int32), each), items=np.arange(1, patients + 1),
            annotator=np.tile(_OBSERVER, patients), annotators=np.arange(1, 6), choice=grades.reshape(-1) - 1,
            classes=("1", "2", "3", "4"),
        )
    )  # fmt: skip


def digits() -> LabelledItems:
    """Five of twenty simulated readers for each of scikit-learn's 1,797 handwritten digits; the truth is the gold.

    Readers err as `digits_confusion` says, always the same: the seed is part of the data set.
    """
    truth = _digits().target.astype(np.int32)  # (n,)
    confusion = digits_confusion()
    rng = np.random.default_rng(1797)
    readers = rng.permuted(np.tile(np.arange(_READERS), (truth.size, 1)), axis=1)[:, :_READS].reshape(-1)
    item = np.repeat(np.arange(truth.size, dtype=np.int32), _READS)
    cumulative = confusion[readers, truth[item]].cumsum(axis=1)  # (m, 10)
    choice = np.minimum((rng.random((item.size, 1)) > cumulative).sum(axis=1), 9)
    classes = tuple(map(str, range(10)))
    votes = Votes(
        item=item, items=np.arange(truth.size), annotator=readers, annotators=np.arange(_READERS), choice=choice,
        classes=classes,
    )  # fmt: skip
    return about_items(votes, gold=[classes[code] for code in truth])


def digits_confusion() -> np.ndarray:
    """How each simulated reader errs: row t of a reader is the distribution of the answer to a true t.

        P(t | t) = accuracy of the reader;   P(c | t) proportional to exp(-4 |mean_t - mean_c|^2 / largest)

    Accuracies run from 0.60 to 0.95 in even steps, and the means are those of the pixels of each class, so digits
    that look alike are taken for each other.  -> (20, 10, 10), rows sum to 1
    """
    pictures = _digits()
    means = np.stack([pictures.data[pictures.target == digit].mean(axis=0) for digit in range(10)])  # (10, 64)
    squared = ((means[:, None] - means[None]) ** 2).sum(axis=2)  # (10, 10)
    alike = np.exp(-4 * squared / squared.max()) * (1 - np.eye(10))
    wrong = alike / alike.sum(axis=1, keepdims=True)
    accuracy = np.linspace(0.60, 0.95, _READERS)[:, None, None]
    return accuracy * np.eye(10) + (1 - accuracy) * wrong


def _digits() -> Any:
    from sklearn.datasets import load_digits

    return load_digits()


DATASETS = (
    DataSet(
        name="anesthesia", title="Fitness for anaesthesia (embedded)",
        what="five observers grade 45 patients from 1 to 4, observer 1 three times; published facts, part of this "
        "package",
        source="Dawid and Skene (1979), table 1, as in GitHub jeffreypullin/rater",
        citation="Dawid, Skene (1979), Maximum Likelihood Estimation of Observer Error-Rates Using the EM Algorithm, "
        "JRSS C", licence="none stated; published facts",
        facts=Facts(items=45, classes=4, answers=315, annotators=5, fewest=7, most=7), read=anesthesia,
    ),
    DataSet(
        name="digits", title="Simulated readers of handwritten digits (embedded)",
        what="five of twenty simulated readers with known errors for each of scikit-learn's 1,797 digits",
        source="sklearn.datasets.load_digits; readers simulated by this package",
        citation="Alpaydin, Kaynak (1998), Optical Recognition of Handwritten Digits, UCI; scikit-learn",
        licence="CC BY 4.0 for the pictures (UCI; the copy comes with scikit-learn)",
        facts=Facts(items=1_797, classes=10, answers=8_985, annotators=20, fewest=5, most=5), read=digits,
    ),
)  # fmt: skip
