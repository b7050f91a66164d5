"""The sentences of an advice: what to do, why, and what it does not rest on."""

from __future__ import annotations

import math

from dissensus.labels.intervals import Interval
from dissensus.report.numbers import format_number
from dissensus.study.advice.ladder import ALPHA, Ladder, Rung
from dissensus.study.advice.quick_study import FOLDS, QuickStudy
from dissensus.study.advice.regime import LabelRegime

COMPLETED = "what was left unsaid is what completions differ about"


def about_estimator(regime: LabelRegime, answers: Ladder | None, brier: Ladder | None) -> list[str]:
    """Why this estimate of what people would answer about an item."""
    if answers is None or brier is None:
        return [_no_pairs(regime)]
    words = [_choice(answers, "foretells answers that it has not seen", "nats per answer")]
    if answers.lowest != answers.chosen:
        words = [
            f"{answers.lowest} foretells answers that it has not seen best, but its lead over {answers.chosen} is "
            f"within what chance does: {_lead(answers)} nats per answer. Either will do."
        ]
    impossible = [rung.name for rung in answers.rungs if math.isinf(rung.loss)]
    if impossible:
        few = (
            "it calls some answers impossible that were given"
            if len(impossible) == 1
            else ("they call some answers impossible that were given")
        )
        words.append(f"The log loss of {_listed(impossible)} is infinite: {few}.")
    if brier.lowest != answers.lowest:
        shown = "" if brier.chosen == brier.lowest else ", by what chance can do"
        words.append(f"By the Brier score {brier.lowest} is best{shown}.")
    words += _gained(answers, "items", "nats per answer")
    if regime.kind == "partial beliefs":
        words.append(f"Beliefs held out are judged by their first choice, since {COMPLETED}.")
    if regime.single:
        words.append(f"{regime.single:.0%} of the items have a single answer and give no evidence.")
    return words


def about_right_class(regime: LabelRegime, authors: Ladder | None) -> list[str]:
    """Why this annotator model, or none."""
    if regime.kind == "probabilities":
        return ["Nobody knows who gave these probabilities, so the largest of each item is all there is."]
    if authors is None:
        if regime.annotators is None:
            return ["It is not known who answered, so no model of annotators can be fitted."]
        return ["Models of annotators were not compared: that takes votes, and items with two of them or more."]
    best = min(authors.rungs[1:], key=lambda rung: rung.loss)
    caution = (
        "Its distributions say which class is right, not what people answer, and score accordingly in the first table. "
        "Where views differ and none is wrong, do not correct for them."
    )
    nobody = authors.rungs[0]
    if authors.chosen == nobody.name:
        losses = f"({best.loss:.4f} nats; without knowing who answers {nobody.loss:.4f})"
        if best.loss < nobody.loss:
            return [
                f"Told who answers, {best.name} foretells the answer best, by what chance can do {losses}.",
                caution,
            ]
        return [
            f"Told who answers, {best.name} does best of the models of annotators, but no better than an estimate that "
            f"does not know {losses}: what differs here is how clear items are, more than how good annotators are. Is "
            "one class right at all?",
            caution,
        ]
    last = authors.rung(authors.chosen)
    words = [
        f"Told who answers, {last.name} foretells the answer better than {_better_than(last)}, "
        f"{_interval(last.difference)} nats per answer: annotators differ in a way that it captures."
    ]
    if best.name != last.name:
        words.append(f"{best.name} does a little better still, by what chance can do.")
    return [*words, caution]


def about_training(regime: LabelRegime, study: QuickStudy | None) -> list[str]:
    """Why these labels and this delivery."""
    if study is None:
        single = regime.per_item is not None and regime.per_item[2] == 1
        return [
            "Not tested: name FEATURES of the items, and a model is trained on each way. "
            + (
                "With one answer per item all deliveries of answers are the same."
                if single
                else "Soft labels are the simplest that keep disagreement."
            )
        ]
    words = [_choice(study.ladder, "teaches a linear head best, by soft NLL on items it has not seen", "nats")]
    words += _gained(study.ladder, "folds", "nats")
    if regime.kind == "partial beliefs":
        words.append(f"Models are judged by first choices, since {COMPLETED}.")
    words += [f"{name} is not among them: {why}" for name, why in study.failed.items()]
    seeds = f"{study.values['seeds']} seeds" if study.values["seeds"] > 1 else "one seed"
    words.append(f"One kind of model, {FOLDS} folds, {seeds}: a larger network may rank them differently.")
    return words


def shown_difference(rung: Rung) -> str:
    """A difference with its interval for a table."""
    return "–" if rung.difference is None else _interval(rung.difference)


def shown_test(rung: Rung) -> str:
    """A corrected p for a table; a dash where nothing was tested."""
    return "–" if rung.p is None or rung.difference is None else format_number(rung.p, "p")


def _choice(ladder: Ladder, does: str, unit: str) -> str:
    last = ladder.rung(ladder.chosen)
    if last.difference is None:  # the first that is finite, or the first of all
        others = [rung for rung in ladder.rungs if math.isfinite(rung.loss) and rung.name != ladder.chosen]
        if not others:
            return f"{ladder.chosen} is the only one that can be told apart."
        worse = [
            rung.name
            for rung in others
            if rung.difference is not None and rung.p is not None and rung.p < ALPHA and rung.difference.value > 0
        ]
        if len(worse) == len(others):
            return f"{ladder.chosen} is the simplest, and all others are shown to be worse."
        text = f"No other way is shown to be better, so take the simplest, {ladder.chosen}."
        if ladder.lowest != ladder.chosen:
            text += f" {ladder.lowest} has the lowest loss, but its lead is within what chance does."
        return text + (f" Shown to be worse: {_listed(worse)}." if worse else "")
    text = f"{last.name} {does} better than {last.against}: {_interval(last.difference)} {unit}, p {_p(last)}."
    if ladder.lowest != ladder.chosen:
        text += f" {ladder.lowest} has the lowest loss, but its lead is within what chance does."
    return text


def _lead(ladder: Ladder) -> str:
    """The difference between the lowest and what stands, or their losses where they were never held against another."""
    lowest = ladder.rung(ladder.lowest)
    if lowest.against == ladder.chosen:
        return _interval(lowest.difference)
    return f"{lowest.loss:.4f} against {ladder.rung(ladder.chosen).loss:.4f}"


def _gained(ladder: Ladder, unit: str, measure: str) -> list[str]:
    """What choosing is worth, where anything was chosen."""
    if ladder.gain is None or ladder.taken == ladder.start:
        return []
    return [
        f"The best of several looks better than it is. Chosen by four fifths of the {unit} and judged on the rest, it "
        f"differs from {ladder.start} by {_interval(ladder.gain)} {measure}."
    ]


def _no_pairs(regime: LabelRegime) -> str:
    if regime.kind == "probabilities":
        return "These are probabilities without answers behind them: nothing can be held out, so take them as they are."
    return (
        "No item has two answers, so nothing tells disagreement from error, and nothing was tested. shrinkage then "
        "rests on its assumption that two people agree half of the way from chance to always: ask some items twice."
    )


def _better_than(rung: Rung) -> str:
    return "an estimate that does not know" if rung.against == "whoever answers" else str(rung.against)


def _interval(interval: Interval | None) -> str:
    return "–" if interval is None else f"{interval.value:+.4f} [{interval.low:+.4f}, {interval.high:+.4f}]"


def _p(rung: Rung) -> str:
    shown = format_number(rung.p or 0.0, "p")
    return shown if shown.startswith("<") else f"= {shown}"


def _listed(names: list[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
