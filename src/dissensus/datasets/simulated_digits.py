"""Handwritten digits made ambiguous, and simulated readers who disagree about unclear images.

All disagreement follows from the picture, which is fixed before anybody reads it, so that a model which sees the
picture can learn where readers will be unsure. No person was asked: the readers are simulated.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from dissensus.labels.answers import hold
from dissensus.labels.digits import clean_digits
from dissensus.labels.display import shapes
from dissensus.labels.votes import Votes

SIDE, DARKEST, COVERED = 8, 16.0, 8.0  # pixels per row; ink from 0 to 16; grey of covered rows
LEARNED = 1200  # training items come first, then test items
READERS, READS = 20, 10
SEED = 1797
# The whole number of ink units by which clean digits, each left out in turn, best tell the class of one another.
CAREFUL = 6.0
GLANCE = 2 * CAREFUL
MADE = ("clean", "blended", "covered")
SHARES = (0.5, 0.25, 0.25)


@dataclass(frozen=True, eq=False)
class AmbiguousDigits:
    """1,797 pictures made from scikit-learn's digits, the classes seen on each, and the care of each reader.

    pictures  (n, 8, 8) ink from 0 to 16; rows that are covered are an even grey of 8
    gold      (n,) the digit that was written; of a blend, the one with the larger weight
    made      (n,) codes of `MADE`: half of the items are clean, a quarter blended, a quarter covered
    careful   (n, 10) the classes seen on a picture by a careful look, rows sum to 1
    glance    (n, 10) the same when looking briefly
    care      (20,) the share of pictures at which each reader looks carefully, from 0.6 to 1

        clean    q(x),  q_c(x) ~ sum over the other clean digits j of class c of exp(-|x - x_j|^2 / (2 h^2))
        blended  w q(x) + (1 - w) q(x') for the picture w x + (1 - w) x', w from 1/2 to 1, x' of another class
        covered  q by the visible rows; 3 to 5 rows at the top or at the bottom are covered

    h is 6 for a careful look, which tells clean digits apart best, and 12 for a glance.
    """

    pictures: np.ndarray
    gold: np.ndarray
    made: np.ndarray
    careful: np.ndarray
    glance: np.ndarray
    care: np.ndarray

    __repr__ = shapes

    def __post_init__(self) -> None:
        for name in ("pictures", "gold", "made", "careful", "glance", "care"):
            hold(self, name, getattr(self, name))

    @property
    def answers(self) -> np.ndarray:
        """The distribution of each reader's answer to each picture: care careful + (1 - care) glance.  (20, n, 10)"""
        care = self.care[:, None, None]
        return care * self.careful + (1 - care) * self.glance

    @property
    def truth(self) -> np.ndarray:
        """The distribution from which the votes on a picture are drawn, over all readers.  (n, 10), rows sum to 1"""
        return np.asarray(self.answers.mean(axis=0))

    @property
    def items(self) -> np.ndarray:
        """The names of the pictures: their numbers.  (n,)"""
        return np.arange(self.gold.size)

    @property
    def pixels(self) -> np.ndarray:
        """The images, dark ink on white.  (n, 8, 8, 3) uint8"""
        shades = np.rint(255 * (1 - self.pictures / DARKEST)).astype(np.uint8)
        return np.repeat(shades[..., None], 3, axis=3)

    def read(self, rng: np.random.Generator) -> Votes:
        """Draw votes of ten readers, half of all, on each image."""
        n = self.gold.size
        readers = rng.permuted(np.tile(np.arange(READERS), (n, 1)), axis=1)[:, :READS].reshape(-1)  # (m,)
        item = np.repeat(np.arange(n, dtype=np.int32), READS)
        cumulative = self.answers[readers, item].cumsum(axis=1)  # (m, 10)
        return Votes(
            item=item,
            items=self.items,
            annotator=readers,
            annotators=np.arange(READERS),
            choice=np.minimum((rng.random((item.size, 1)) > cumulative).sum(axis=1), 9),
            classes=tuple(map(str, range(10))),
        )


@cache
def ambiguous_digits() -> AmbiguousDigits:
    """Return the images of the data set `digits` with their simulated readers; always the same.

    Returns
    -------
    AmbiguousDigits : `pixels` (n, 8, 8, 3), `gold` (n,), `truth` (n, 10), and `read(rng)` for new votes

    Examples
    --------
    >>> ambiguous_digits().truth.shape
    (1797, 10)
    """
    clean, gold = clean_digits()  # (n, 64), (n,)
    n = gold.size
    rng = np.random.default_rng(SEED)
    made = rng.choice(len(MADE), n, p=SHARES)
    visible = np.where((made == 2)[:, None], _draw_visible(n, rng), 1.0)  # (n, 64)
    weight = np.where(made == 1, rng.uniform(0.5, 1.0, n), 1.0)[:, None]  # (n, 1)
    partner = _choose_partners(gold, rng)
    covered = made == 2

    def look(kernel: float) -> np.ndarray:
        whole = kernel_posterior(clean, np.ones_like(clean), gold, kernel)
        sees = weight * whole + (1 - weight) * whole[partner]
        return np.where(covered[:, None], kernel_posterior(clean, visible, gold, kernel), sees)

    pictures = np.where(visible > 0, weight * clean + (1 - weight) * clean[partner], COVERED)
    return AmbiguousDigits(
        pictures.reshape(n, SIDE, SIDE),
        gold.astype(np.int32),
        made,
        look(CAREFUL),
        look(GLANCE),
        np.linspace(0.6, 1.0, READERS),
    )


def kernel_posterior(clean: np.ndarray, visible: np.ndarray, gold: np.ndarray, kernel: float) -> np.ndarray:
    """Estimate the class of each digit from the other clean digits, by its visible pixels.

    clean: (n, 64); visible: (n, 64) 1 or 0; gold: (n,) -> (n, 10), rows sum to 1
    """
    # |x - y|^2 over the pixels that are visible, written out so that no (n, n, 64) is needed.
    squared = (
        (visible * clean**2).sum(axis=1)[:, None] + visible @ (clean**2).T - 2 * (visible * clean) @ clean.T
    )  # (n, n)
    np.fill_diagonal(squared, np.inf)
    near = np.exp(-(squared - squared.min(axis=1, keepdims=True)) / (2 * kernel**2))  # (n, n)
    mass = near @ np.eye(10)[gold]
    return np.asarray(mass / mass.sum(axis=1, keepdims=True))


def _draw_visible(n: int, rng: np.random.Generator) -> np.ndarray:
    """1 if a pixel is visible, with 3 to 5 rows at the top or at the bottom covered.  (n, 64)"""
    covered, at_top = rng.integers(3, 6, n)[:, None], rng.random((n, 1)) < 0.5
    row = np.arange(SIDE)
    rows = np.where(at_top, row >= covered, row < SIDE - covered)  # (n, 8)
    return np.repeat(rows, SIDE, axis=1).astype(np.float64)


def _choose_partners(gold: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Choose another item of another class and of the same part, so that no test image occurs in training."""
    part = np.arange(gold.size) < LEARNED
    fits = (gold[:, None] != gold) & (part[:, None] == part)  # (n, n)
    return np.asarray(np.where(fits, rng.random(fits.shape), -1.0).argmax(axis=1))
