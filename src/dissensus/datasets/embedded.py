"""Two small sets that need no download: Dawid and Skene's anaesthetists, and simulated readers of ambiguous digits."""

from __future__ import annotations

from functools import cache

import numpy as np

from dissensus.datasets.dataset import DataSet, Facts, LabelledItems, build_labelled_items
from dissensus.datasets.simulated_digits import LEARNED, MADE, SEED, ambiguous_digits
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


def anesthesia() -> LabelledItems:
    """Return the fitness of 45 patients for anaesthesia, graded 1 to 4 by five observers, the first three times."""
    grades = np.array([list(row) for row in _PATIENTS.split()], dtype=np.int32)  # (45, 7)
    patients, each = grades.shape
    return build_labelled_items(
        Votes(
            item=np.repeat(np.arange(patients, dtype=np.int32), each),
            items=np.arange(1, patients + 1),
            annotator=np.tile(_OBSERVER, patients),
            annotators=np.arange(1, 6),
            choice=grades.reshape(-1) - 1,
            classes=("1", "2", "3", "4"),
        )
    )


@cache
def digits() -> LabelledItems:
    """Return votes of ten of twenty simulated readers on 1,797 handwritten digits, some made ambiguous.

    The images and the readers are in `ambiguous_digits`; the seed is part of the data set.
    """
    digits = ambiguous_digits()
    votes = digits.read(np.random.default_rng(SEED))
    return build_labelled_items(
        votes,
        gold=[votes.classes[code] for code in digits.gold],
        made=[MADE[code] for code in digits.made],
        split=["train" if i < LEARNED else "test" for i in range(votes.n_items)],
    )


DATASETS = (
    DataSet(
        name="anesthesia",
        title="Fitness for anaesthesia (embedded)",
        what="five observers grade 45 patients from 1 to 4, observer 1 three times; published facts, part of this "
        "package",
        source="Dawid and Skene (1979), table 1, as in GitHub jeffreypullin/rater",
        citation="Dawid, Skene (1979), Maximum Likelihood Estimation of Observer Error-Rates Using the EM Algorithm, "
        "JRSS C",
        licence="none stated; published facts",
        facts=Facts(items=45, classes=4, answers=315, annotators=5, fewest=7, most=7),
        read=anesthesia,
    ),
    DataSet(
        name="digits",
        title="Simulated readers of ambiguous handwritten digits (embedded)",
        what="ten of twenty simulated readers for each of scikit-learn's 1,797 digits; a quarter of the pictures are "
        "blends of two digits, a quarter are partly covered, and readers disagree where the picture is ambiguous",
        source="sklearn.datasets.load_digits; pictures made ambiguous and readers simulated by this package",
        citation="Alpaydin, Kaynak (1998), Optical Recognition of Handwritten Digits, UCI; scikit-learn",
        licence="CC BY 4.0 for the pictures (UCI; the copy comes with scikit-learn)",
        facts=Facts(items=1_797, classes=10, answers=17_970, annotators=20, fewest=10, most=10),
        read=digits,
    ),
)
