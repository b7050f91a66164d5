"""Figures of a scorecard: reliability, uncertainty against people's, slices, and examples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from dissensus.evaluate.calibration import confidence_and_outcome, equal_mass_bins
from dissensus.evaluate.scorecards import Scorecard
from dissensus.evaluate.slices import high_disagreement
from dissensus.evaluate.smooth_calibration import smooth_reliability
from dissensus.labels.distances import normalised_entropy
from dissensus.labels.sampling import evenly_spaced
from dissensus.report.charts import Line, line_chart, scatter
from dissensus.report.colours import PEOPLE
from dissensus.report.named_rows import grouped_bars

DOTS = 600  # more would hide each other, and make the page heavy
SHOWN_CLASSES = 6  # in an example, at most
RARE = 0.02  # classes below it on every side are left out of an example


def tag(name: str) -> str:
    """A name that fits a legend: what is left out is in the middle, since runs often differ at the end."""
    return name if len(name) <= 18 else f"{name[:9]}…{name[-8:]}"


def reliability(cards: Sequence[Scorecard], colours: Mapping[str, str], *, smooth: bool) -> str:
    """Confidence of the model's choice against the share of people who agree with it; below the diagonal: too sure."""
    lines = []
    for card in cards:
        confidence, share = confidence_and_outcome(card.predictions.probs, card.people.probs)
        if smooth:
            curve = smooth_reliability(confidence, share)
            # With hardly any items nearby, the curve is a guess of the kernel.
            known = (curve.density > 0.05) & (curve.confidence >= confidence.min())
            x, y = curve.confidence[known], curve.outcome[known]
        else:
            bins = equal_mass_bins(confidence, share)
            x, y = bins.confidence, bins.outcome
        lines.append(Line(tag(card.name), x, y, colour=colours[card.name]))
    low = 1 / cards[0].people.targets.n_classes
    return line_chart(
        lines,
        "confidence of the model",
        "share of people who agree",
        x_range=(low, 1.0),
        y_range=(0.0, 1.0),
        diagonal=True,
        marks=not smooth,
    )


def entropy_scatter(card: Scorecard, colours: Mapping[str, str]) -> str:
    """People's entropy against the model's, each divided by ln k; of many items an even selection."""
    at = evenly_spaced(card.people.n_items, DOTS)
    people, model = (normalised_entropy(side[at]) for side in (card.people.probs, card.predictions.probs))
    return scatter(
        people,
        model,
        [str(item) for item in card.people.targets.items[at]],
        "entropy of people",
        "entropy of the model",
        x_range=(0.0, 1.0),
        y_range=(0.0, 1.0),
        diagonal=True,
        colours=colours,
        of=card.name,
    )


def slice_bars(cards: Sequence[Scorecard], by: str, score: str, title: str, colours: Mapping[str, str]) -> str:
    """The mean of a score over each part of the items, with how many it has, one bar per model."""
    parts = cards[0].slices[by][score]
    series = [(tag(card.name), [part.score.value for part in card.slices[by][score]]) for card in cards]
    return grouped_bars(
        [part.name for part in parts], series, title, colours=_by_tag(colours), counts=[part.items for part in parts]
    )


def example_items(card: Scorecard, count: int = 4) -> tuple[list[int], list[int]]:
    """Positions of items on which model and people are closest, among those people dispute, and furthest apart."""
    apart = card.values["js"]
    disputed = np.flatnonzero(high_disagreement(card.people.probs).code == 1)
    if disputed.size < count:
        disputed = np.arange(apart.size)
    closest = disputed[np.argsort(apart[disputed], kind="stable")[:count]]
    furthest = np.argsort(-apart, kind="stable")[:count]
    return closest.tolist(), furthest.tolist()


def example(cards: Sequence[Scorecard], item: int, colours: Mapping[str, str]) -> str:
    """Answers of people and probabilities of each model for one item, class by class; after Singh 2025, fig. 5."""
    people = cards[0].people
    name = next(name for name, colour in colours.items() if colour == PEOPLE)
    sides = [(name, people.probs[item]), *((tag(card.name), card.predictions.probs[item]) for card in cards)]
    most = np.max([row for _, row in sides], axis=0)  # (k,)
    count = min(max(2, int((most > RARE).sum())), SHOWN_CLASSES)
    order = np.sort(np.argsort(-most, kind="stable")[:count])
    series = [(name, [float(row[c]) for c in order]) for name, row in sides]
    names = [people.targets.classes[c] for c in order]
    title = f"item {people.targets.items[item]}"
    return grouped_bars(names, series, title, colours=_by_tag(colours), style=".2f", wide=150)


def _by_tag(colours: Mapping[str, str]) -> dict[str, str]:
    return {tag(name): colour for name, colour in colours.items()}
