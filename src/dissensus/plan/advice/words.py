"""The sentences of a plan: reasons, alternatives, and what its numbers are counted in."""

from __future__ import annotations

from collections.abc import Sequence

from dissensus.plan.advice.options import ENOUGH, LabelOption
from dissensus.plan.information import Regime
from dissensus.plan.label_kinds import LabelKind
from dissensus.plan.pilot import PilotOption
from dissensus.plan.tradeoff import Preferences, TurningPoint


def describe_label(kind: LabelKind, k_hat: int) -> str:
    """A kind of label in the words of somebody who has to ask for it."""
    return {
        "hard": "hard labels: one class per item",
        "soft": "soft labels: a number for every class of each item",
        "sparse": f"sparse labels: numbers for the {k_hat} most likely classes of each item",
        "top-class": f"top-class labels: numbers for the same {k_hat} classes of every item",
        "pairwise": "pairwise similarities: how alike two items are",
    }[kind]


def describe_regime(n: int, k: int, regime: Regime) -> str:
    size, per_class = f"{count(n, 'item')} over {count(k, 'class', 'classes')}", three_digits(n / k)
    return {
        "many-shot": f"{size} is many-shot, with {per_class} items per class: the more items, the smaller the share of "
        "all comparisons that any label answers.",
        "one-shot": f"{size} is one-shot, with about one item per class: soft labels answer about a quarter of all "
        "comparisons.",
        "less-than-one-shot": f"{size} is less than one-shot, with fewer items than classes: soft labels contain far "
        "more information than hard ones.",
    }[regime]


def three_digits(number: float) -> str:
    """Three digits or all before the point, thousands apart: 0.0123, 1.64, 1,235."""
    return f"{number:{three_digit_format(number)}}"


def three_digit_format(number: float) -> str:
    return ",.0f" if abs(number) >= 100 else ".3g"


def count(number: int, singular: str, plural: str | None = None) -> str:
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"


def describe_worth(
    best: LabelOption,
    hard: LabelOption | None,
    n: int,
    k: int,
    preferences: Preferences,
    pilot: Sequence[PilotOption] = (),
) -> list[str]:
    """What the recommended labels gain over hard ones, or that no label is worth its cost."""
    if best.loss > 0:
        return [
            f"At beta {preferences.beta:g} even these are not worth their cost: collecting nothing has a loss of 0.",
            f"{describe_scale(n, k, preferences)}.",
        ]
    if pilot:
        return []
    if best.kind == "hard":
        return [f"Labels with more classes are not worth their extra cost at beta {preferences.beta:g}."]
    if hard is None or not hard.constraints > 0:
        return []
    more, cost = (three_digits(ratio) for ratio in (best.constraints / hard.constraints, best.cost / hard.cost))
    return [f"They answer {more} times as many comparisons as hard labels, at {cost} times the cost."]


def describe_scale(n: int, k: int, preferences: Preferences) -> str:
    """What a cost and a utility of 1 are, in one clause."""
    cost, utility = (float(unit) for unit in preferences.scale(n, k))
    if preferences.reference is None:
        return (
            f"A cost of 1 is {three_digits(cost)} hard labels, {count(k, 'hard label')} per item, and a utility of 1 "
            f"is that of soft labels without errors ({three_digits(utility)})"
        )
    return f"A cost of 1 is {three_digits(cost)} hard labels for sets of any size, and a utility of 1 is a rho of 1"


def describe_budget(best: LabelOption, budget: float | None, n: int) -> list[str]:
    """How much of the budget the recommended labels take."""
    if budget is None:
        return []
    covered = "all items" if best.items == n else f"{best.items:,} of {n:,} items"
    return [f"They cost {three_digits(best.cost)} of the budget of {budget:,g} hard labels and cover {covered}."]


def describe_hard_seconds(stand_in: tuple[PilotOption, float, float] | None) -> list[str]:
    """What a hard label is assumed to cost if the pilot tried none: everything is counted in hard labels."""
    if stand_in is None:
        return []
    option, cost, seconds = stand_in
    return [
        f"The pilot has no hard labels, in which cost is counted. One is assumed to take {seconds:.3g} s, since "
        f"{option.name} labels are assumed to cost {three_digits(cost)} hard labels. Ask for a few to measure it."
    ]


def describe_soft_cost(cost: tuple[float, float] | None) -> list[str]:
    """What a soft label is assumed to cost if the pilot tried only labels over fewer classes."""
    if cost is None:
        return []
    given, scaled = map(three_digits, cost)
    return [
        f"The pilot has no soft labels. Each is assumed to cost {scaled} hard labels instead of {given}, scaled like "
        "the labels over fewer classes that it measured."
    ]


def describe_pilot(ranked: Sequence[PilotOption]) -> list[str]:
    """How clear the result of the pilot is."""
    if not ranked:
        return []
    first = ranked[0]
    lone = [option.name for option in ranked if option.people == 1]
    probability = "more than 99%" if first.best >= 0.995 else f"{first.best:.0%}"
    chance = "" if lone else f", with a probability of {probability}"
    sentences = [f"They have the lowest loss in the pilot{chance}."]
    if any(option.people is None for option in ranked):
        sentences.append(
            "The pilot does not name its annotators, so each answer counts as one person. If a person gave several, "
            "the intervals are too narrow. Add an annotator column to fix this."
        )
    if lone:
        sentences.append(
            f"A single person gave all {', '.join(lone)} answers, so nothing is known about other people: there are no "
            "intervals and no probabilities. Ask four people or more, each for all kinds."
        )
    elif first.best < ENOUGH and len(ranked) > 1:
        second = max(ranked[1:], key=lambda option: option.best)
        sentences.append(f"They are not yet clearly better than {second.name} ({second.best:.0%}). Ask more people.")
    return sentences


def describe_untried(option: LabelOption | None) -> list[str]:
    """A kind that the pilot left out, if it is expected to be better than those tried."""
    if option is None:
        return []
    return [
        f"Try {option.name} labels next: if cost and errors are as assumed, their loss is {option.loss:.4f}. The pilot "
        "did not try them."
    ]


def describe_cheaper(option: LabelOption | None, best: LabelOption) -> list[str]:
    """The smallest label of the same kind that has most of the gain."""
    if option is None:
        return []
    saved = 1 - option.cost / best.cost
    return [f"{option.name} labels have {ENOUGH:.0%} of the advantage over hard labels and cost {saved:.0%} less."]


def describe_pairs(pairs: LabelOption | None, best: LabelOption) -> list[str]:
    """Why pairwise similarities are not recommended although their loss is lower."""
    if pairs is None or pairs.loss >= best.loss:
        return []
    return [
        f"Pairwise similarities have a lower loss, at {three_digits(pairs.cost / best.cost)} times the cost, but "
        "contain nothing about the classes. Choose them if only the similarity of items matters."
    ]


def describe_turning_point(turn: TurningPoint, k: int, beta: float) -> list[str]:
    """Where the choice between hard and soft labels changes."""
    if k < 2:
        return ["With a single class, a hard label contains nothing. A soft label rates how typical an item is."]
    if turn.gain <= 0:
        return ["Soft labels contain no more than hard ones here, so take the cheaper ones."]
    if turn.extra_cost <= 0:
        return ["Soft labels cost no more than hard ones and contain more, so they win at any beta."]
    sentences = [f"Between hard and soft labels alone, soft labels win if beta is below {turn.beta:.3g}."]
    if beta > 0:
        few = turn.ratio < 1.01
        limit = "about as much as a hard label" if few else f"less than {three_digits(turn.ratio)} hard labels"
        sentences.append(f"At beta {beta:g}, soft labels win if each costs {limit}.")
    return sentences
