"""Advice on labels: how to aggregate them and how to train on them, with evidence from these labels."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from dissensus.datasets.dataset import LabelledItems
from dissensus.files.notices import to_stderr
from dissensus.labels.beliefs import Beliefs
from dissensus.labels.display import shapes
from dissensus.labels.distributions import Distributions
from dissensus.labels.doors import ANY_LABELS, takes
from dissensus.labels.names import item_positions
from dissensus.labels.shares import Labels
from dissensus.labels.votes import Votes
from dissensus.study.advice.candidates import arms, estimators, usable
from dissensus.study.advice.holding_out import HeldAnswers, hold_out_answers
from dissensus.study.advice.ladder import GROUPS, Ladder, climb
from dissensus.study.advice.quick_study import QuickStudy, run_quick_study, study_values
from dissensus.study.advice.regime import LabelRegime, regime_of
from dissensus.study.advice.words import IGNORED, about_estimator, about_right_class, about_training
from dissensus.study.data import Say
from dissensus.study.run import Report
from dissensus.train.heads.features import FeatureTable
from dissensus.train.matching import items_of, match_table

MOST_ANSWERS = 100_000  # of which some are held out: more would only take longer
MOST_ITEMS = 2_000  # of the study


@dataclass(frozen=True)
class Recommendation:
    """The advised methods, each with its basis.

    Bases: "evidence" if it is significantly better than something simpler; "lead" if it is best, but not
    significantly; "doubt" if it is the best of its kind and does not help; "simplest" if nothing is significantly
    better; "rule" if nothing could be tested.

    estimator    of the distribution of people's answers to an item
    right_class  method for the right class, if there is one: an annotator model, or "majority" without annotators
    labels       training labels; "answers" as they are, or the name of an estimator
    delivery     how labels reach the loss
    """

    estimator: str
    estimator_basis: str
    right_class: str
    right_class_basis: str
    labels: str
    delivery: str
    training_basis: str


@dataclass(frozen=True, eq=False)
class LabelAdvice:
    """A recommendation for these labels, with its evidence.

    regime       facts about the labels
    recommended  what to do
    answers      evidence by held-out answers: choice by log loss; None if no item has two answers
    brier        the same by the Brier score
    authors      choice among annotator models by how well they predict who answers what, from an estimate that ignores
                 annotators on; None if annotators are unknown
    held         the losses behind these
    study        evidence by a model on held-out items; None without features
    why          reasons in sentences: of "estimator", "right_class" and "training"
    notices      what was left out
    """

    regime: LabelRegime
    recommended: Recommendation
    answers: Ladder | None
    brier: Ladder | None
    authors: Ladder | None
    held: HeldAnswers | None
    study: QuickStudy | None
    why: dict[str, list[str]]
    notices: tuple[str, ...]

    __repr__ = shapes

    def as_json(self) -> dict[str, Any]:
        """Plain values: regime, recommendation, evidence, notices."""
        held = None
        if self.held is not None and self.answers is not None and self.brier is not None:
            held = {
                "items": int(self.held.items.size),
                "answers": self.held.answers,
                "log_loss": self.answers.as_json(),
                "brier": self.brier.as_json(),
                "by_author": None if self.authors is None else self.authors.as_json(),
            }
        return {
            "regime": self.regime.as_json(),
            "recommendation": vars(self.recommended),
            "why": self.why,
            "evidence": {"held_out_answers": held, "study": None if self.study is None else self.study.as_json()},
            "notices": list(self.notices),
        }


@takes(labels=ANY_LABELS)
def advise_labels(
    labels: Labels,
    rng: np.random.Generator,
    features: FeatureTable | None = None,
    *,
    described: LabelledItems | None = None,
    name: str = "labels",
    by_position: bool = False,
    folder: str | Path | None = None,
    seeds: int = 3,
    jobs: int | None = None,
    progress: Report = lambda progress: None,
    say: Say = to_stderr,
    stage: Callable[[str], None] = lambda what: None,
) -> LabelAdvice:
    """Recommend an estimate of people's answers, training labels and a delivery, with evidence from these labels.

    Without features the evidence is in the answers: each is held out once, and an estimate from the other answers to
    its item has to predict it (`hold_out_answers`). With features there is also a model: a linear head is trained by
    each method and tested on held-out items, in five folds per seed (`quick_study`). `climb` reads both: the simplest
    method is kept until another is significantly better, and the gain of the choice is measured on held-out units.

    Parameters
    ----------
    labels      : votes, counts, beliefs or distributions
    rng         : draws the held-out answers, and items if there are too many
    features    : of the items
    described   : the labels with other facts about their items, such as gold, for the records of the study
    name        : of the labels
    by_position : match rows without names by position
    folder      : for the cells of the study; None keeps nothing
    seeds       : trainings per method and fold
    jobs        : threads; one per core by default
    progress    : called when cells are done
    say         : receives notices
    stage       : receives the name of each step

    Returns
    -------
    LabelAdvice

    Examples
    --------
    >>> votes = Votes.of(["a", "a", "b", "b"], ["cat", "dog", "cat", "cat"])
    >>> advise_labels(votes, np.random.default_rng(0)).recommended.delivery
    'soft'
    """
    regime_rng, held_rng, item_rng = rng.spawn(3)
    stage("looking at the labels")
    regime = regime_of(labels, regime_rng)
    all_usable, left_out = usable(labels)
    answers, brier, authors, held = None, None, None, None
    if regime.comparable and not isinstance(all_usable, Distributions):
        stage("holding out answers")
        some, notice = _fewer_answers(all_usable, item_rng)
        left_out += notice
        held = hold_out_answers(some, estimators(some), held_rng)
        groups = held_rng.permutation(held.items.size) % GROUPS
        # The lowest, shown or not: another estimator costs nothing. On 216 simulated crowds with known truth the lowest
        # was the best of all in 92 %, the simplest that was not beaten in 75 %.
        answers, brier = (climb(losses, groups, take="lowest") for losses in (held.log_loss, held.brier))
        if held.by_author:
            counted = {IGNORED: held.log_loss["shrinkage"]}
            authors = climb(counted | held.by_author, groups)
    study = None
    if features is not None:
        study, notice = _run_evidence(
            all_usable,
            features,
            () if authors is None else (authors.lowest,),
            item_rng,
            described=described,
            name=name,
            folder=folder,
            by_position=by_position,
            seeds=seeds,
            jobs=jobs,
            progress=progress,
            say=say,
            stage=stage,
        )
        left_out += notice
    recommended = _recommend(regime, answers, authors, study, all_usable)
    why = {
        "estimator": about_estimator(regime, answers, brier),
        "right_class": about_right_class(regime, authors),
        "training": about_training(regime, study),
    }
    return LabelAdvice(regime, recommended, answers, brier, authors, held, study, why, tuple(left_out))


def _fewer_answers(answers: Votes | Beliefs, rng: np.random.Generator) -> tuple[Votes | Beliefs, list[str]]:
    if answers.n_answers <= MOST_ANSWERS:
        return answers, []
    order = rng.permutation(answers.n_items)
    count = max(int(np.searchsorted(np.cumsum(answers.per_item[order]), MOST_ANSWERS)), 1)
    return answers.select(items=np.sort(order[:count])), [
        f"answers are held out of {count:,} of {answers.n_items:,} items, drawn at random"
    ]


def _run_evidence(
    labels: Labels,
    features: FeatureTable,
    models: tuple[str, ...],
    rng: np.random.Generator,
    *,
    described: LabelledItems | None,
    name: str,
    folder: str | Path | None,
    by_position: bool,
    seeds: int,
    jobs: int | None,
    progress: Report,
    say: Say,
    stage: Callable[[str], None],
) -> tuple[QuickStudy, list[str]]:
    table, matched = match_table(features, labels, say, by_position=by_position)
    left_out = []
    if matched.n_items > MOST_ITEMS:
        left_out.append(f"the study is of {MOST_ITEMS:,} of {matched.n_items:,} items, drawn at random")
        some = np.sort(rng.permutation(matched.n_items)[:MOST_ITEMS])
        table, matched = table.select(some), items_of(matched, some)
    ways = arms(matched, models)
    values = study_values(_describe_labels(matched, described), table, ways, name, seeds=seeds)
    stage(f"training {len(ways)} ways in five folds with {seeds} seeds")
    if folder is not None:
        return run_quick_study(values, ways, Path(folder), jobs=jobs, progress=progress, say=say), left_out
    with tempfile.TemporaryDirectory() as place:
        return run_quick_study(values, ways, Path(place), jobs=jobs, progress=progress, say=say), left_out


def _describe_labels(labels: Labels, described: LabelledItems | None) -> Labels | LabelledItems:
    """Labels with the columns of their items; as they are where nothing, or something else, is known."""
    rows = np.zeros(0) if described is None else item_positions(labels.items, described.labels.items)
    if described is None or (rows < 0).any():
        return labels
    return LabelledItems(labels, described.items.take(pa.array(rows)))


def _recommend(
    regime: LabelRegime, answers: Ladder | None, authors: Ladder | None, study: QuickStudy | None, labels: Labels
) -> Recommendation:
    estimator, estimator_basis = _explain_untested(labels), "rule"
    if answers is not None:
        estimator, estimator_basis = answers.taken, _basis(answers)
    right, right_basis = "majority", "rule"
    if authors is not None:
        # The question assumes that one class is right, and then some model of annotators beats a majority
        # that leaves ties open; `authors` reports whether the answers support that assumption.
        right = min(authors.rungs[1:], key=lambda rung: rung.loss).name
        doubted = authors.lowest == authors.rungs[0].name
        right_basis = "doubt" if doubted else "evidence" if authors.chosen == right else "lead"
    learned, delivery, training_basis = _explain_untested_training(labels), "soft", "rule"
    if study is not None:
        delivery, _, of = study.ladder.chosen.partition(" of ")
        learned, training_basis = of or "answers", _basis(study.ladder)
    return Recommendation(estimator, estimator_basis, right, right_basis, learned, delivery, training_basis)


def _basis(ladder: Ladder) -> str:
    if ladder.taken != ladder.chosen:
        return "lead"
    return "evidence" if ladder.chosen != ladder.start else "simplest"


def _explain_untested(labels: Labels) -> str:
    """Advice if no answer can be compared with another."""
    if isinstance(labels, Distributions):
        return "none"
    return "shrinkage" if isinstance(labels, Votes) else next(iter(estimators(labels)))


def _explain_untested_training(labels: Labels) -> str:
    return next(iter(estimators(labels))) if isinstance(labels, Beliefs) else "answers"
