"""The sentences of an advice: what to do, why, and the limits of the evidence."""

from __future__ import annotations

import math

from dissensus.labels.intervals import Interval
from dissensus.report.numbers import format_interval, format_p
from dissensus.study.advice.ladder import ALPHA, Ladder, Rung
from dissensus.study.advice.quick_study import FOLDS, QuickStudy
from dissensus.study.advice.regime import LabelRegime
from dissensus.study.reporting.answers import join_names

IGNORED = "annotator ignored"  # the name of an estimate without an annotator model
COMPLETED = "completions differ only in the unstated part"


def about_estimator(regime: LabelRegime, answers: Ladder | None, brier: Ladder | None) -> list[str]:
    """Reasons for the estimate of what people would answer about an item."""
    if answers is None or brier is None:
        return [_explain_no_pairs(regime)]
    words = [_explain_choice(answers, "predicts held-out answers", "nats per answer")]
    if answers.lowest != answers.chosen:
        words = [
            f"{answers.lowest} predicts held-out answers best, but not significantly better than {answers.chosen}: "
            f"{_word_lead(answers)} nats per answer. Either will do."
        ]
    impossible = [rung.name for rung in answers.rungs if math.isinf(rung.loss)]
    if impossible:
        words.append(f"The log loss of {join_names(impossible)} is infinite: some answers had probability 0.")
    if brier.lowest != answers.lowest:
        shown = "" if brier.chosen == brier.lowest else ", but not significantly"
        words.append(f"By the Brier score {brier.lowest} is best{shown}.")
    words += _word_gain(answers, "items", "nats per answer")
    if regime.kind == "partial beliefs":
        words.append(f"Held-out beliefs count by their first choice, since {COMPLETED}.")
    if regime.single:
        words.append(f"{regime.single:.0%} of the items have a single answer and provide no evidence.")
    return words


def about_right_class(regime: LabelRegime, authors: Ladder | None) -> list[str]:
    """Reasons for the annotator model, or for none."""
    if regime.kind == "probabilities":
        return ["These probabilities have no annotators, so the right class is the most probable one."]
    if authors is None:
        if regime.annotators is None:
            return ["The annotators are unknown, so no annotator model can be fitted."]
        return ["Annotator models were not compared: that needs votes, and items with two or more of them."]
    best = min(authors.rungs[1:], key=lambda rung: rung.loss)
    caution = (
        "Its distributions estimate the right class, not people's answers, and score accordingly in the first table. "
        "If views differ and none is wrong, do not correct for them."
    )
    nobody = authors.rungs[0]
    if authors.chosen == nobody.name:
        losses = f"({best.loss:.3f} nats with the annotator known, {nobody.loss:.3f} without)"
        if best.loss < nobody.loss:
            return [
                f"With the annotator known, {best.name} predicts the answer best, but not significantly {losses}.",
                caution,
            ]
        return [
            f"No annotator model beats an estimate that ignores annotators. The best is {best.name} {losses}. Items "
            "differ in clarity more than annotators in quality. Perhaps no single class is right.",
            caution,
        ]
    last = authors.rung(authors.chosen)
    words = [
        f"With the annotator known, {last.name} predicts the answer better than {_name_rival(last)}, by "
        f"{_word_interval(last.difference)} nats per answer: annotators differ, and it captures how."
    ]
    if best.name != last.name:
        words.append(f"{best.name} has a slightly lower loss, but not significantly.")
    return [*words, caution]


def about_training(regime: LabelRegime, study: QuickStudy | None) -> list[str]:
    """Reasons for the labels and the delivery."""
    if study is None:
        single = regime.per_item is not None and regime.per_item[2] == 1
        return [
            "Not tested: that needs features of the items. "
            + (
                "With one answer per item, all deliveries of answers are the same."
                if single
                else "Soft labels are the simplest delivery that keeps disagreement."
            )
        ]
    words = [_explain_choice(study.ladder, "trains a linear head (soft NLL on held-out items)", "nats")]
    words += _word_gain(study.ladder, "folds", "nats")
    if regime.kind == "partial beliefs":
        words.append(f"Models are evaluated against first choices, since {COMPLETED}.")
    words += [f"{name} is left out: {why}" for name, why in study.failed.items()]
    seeds = f"{study.values['seeds']} seeds" if study.values["seeds"] > 1 else "one seed"
    words.append(
        f"This is one kind of model with {FOLDS} folds and {seeds}; a larger network may rank them differently."
    )
    return words


def _explain_choice(ladder: Ladder, does: str, unit: str) -> str:
    last = ladder.rung(ladder.chosen)
    if last.difference is None:  # the first that is finite, or the first of all
        others = [rung for rung in ladder.rungs if math.isfinite(rung.loss) and rung.name != ladder.chosen]
        if not others:
            return f"{ladder.chosen} is the only method with a finite loss."
        worse = [
            rung.name
            for rung in others
            if rung.difference is not None and rung.p is not None and rung.p < ALPHA and rung.difference.value > 0
        ]
        if len(worse) == len(others):
            return f"{ladder.chosen} is the simplest, and all others are significantly worse."
        text = f"No other method is significantly better, so use the simplest, {ladder.chosen}."
        if ladder.lowest != ladder.chosen:
            text += f" {ladder.lowest} has the lowest loss, but not significantly."
        return text + (f" Significantly worse: {join_names(worse)}." if worse else "")
    size = f"{_word_interval(last.difference)} {unit}, {format_p(last.p or 0.0)}"
    text = f"{last.name} {does} better than {last.against}: {size}."
    if ladder.lowest != ladder.chosen:
        text += f" {ladder.lowest} has the lowest loss, but not significantly."
    return text


def _word_lead(ladder: Ladder) -> str:
    """The difference between the lowest and the chosen method, or their losses if they were not compared."""
    lowest = ladder.rung(ladder.lowest)
    if lowest.against == ladder.chosen:
        return _word_interval(lowest.difference)
    return f"{lowest.loss:.3f} against {ladder.rung(ladder.chosen).loss:.3f}"


def _word_gain(ladder: Ladder, unit: str, measure: str) -> list[str]:
    """The held-out gain of the choice, if anything was chosen."""
    if ladder.gain is None or ladder.taken == ladder.start:
        return []
    return [
        f"The best of several looks better than it is. Chosen on four fifths of the {unit} and tested on the others, "
        f"it differs from {ladder.start} by {_word_interval(ladder.gain)} {measure}."
    ]


def _explain_no_pairs(regime: LabelRegime) -> str:
    if regime.kind == "probabilities":
        return "These are probabilities without answers, so nothing can be held out. Use them as they are."
    return (
        "No item has two answers, so disagreement and error cannot be distinguished, and nothing was tested. shrinkage "
        "then assumes that two people agree half of the way from chance to always. Collect two answers for some items."
    )


def _name_rival(rung: Rung) -> str:
    return "an estimate that ignores annotators" if rung.against == IGNORED else str(rung.against)


def _word_interval(interval: Interval | None) -> str:
    return "–" if interval is None else format_interval(interval, "+.3f")
