"""The sentences of an advice: its reasons, and when to choose otherwise."""

from __future__ import annotations

from collections.abc import Sequence

from dissensus.plan.advice.options import Option, options_for
from dissensus.plan.information import Regime
from dissensus.plan.label_kinds import LabelKind
from dissensus.plan.pilot import PilotOption, nearest_to_hard
from dissensus.plan.tradeoff import Costs, Preferences, utility_of

ENOUGH = 0.9  # share of what the best label gains over a hard one, at which a smaller one is worth a mention


def describe_label(kind: LabelKind, k_hat: int) -> str:
    """A kind of label in the words of somebody who has to ask for it."""
    return {
        "hard": "hard labels: one class for each item",
        "soft": "soft labels: a number for every class of each item",
        "sparse": f"sparse labels: numbers for the {k_hat} most likely classes of each item",
        "top-class": f"top-class labels: numbers for the same {k_hat} classes for every item",
        "pairwise": "pairwise similarities: how alike two items are",
    }[kind]


def about_regime(n: int, k: int, regime: Regime) -> str:
    size, per_class = f"{counted(n, 'item')} over {counted(k, 'class', 'classes')}", three_digits(n / k)
    return {
        "many-shot": f"{size} is many-shot ({per_class} items per class): the more items, the smaller the "
        "share of all comparisons that any label answers.",
        "one-shot": f"{size} is one-shot (about one item per class): soft labels answer about a quarter of all "
        "comparisons, however many there are.",
        "less-than-one-shot": f"{size} is less than one-shot (fewer items than classes): soft labels tell far more "
        "than hard ones.",
    }[regime]


def three_digits(number: float) -> str:
    """Three digits or all before the point, thousands apart: 0.0123, 1.64, 1,235."""
    return f"{number:,.0f}" if abs(number) >= 100 else f"{number:.3g}"


def counted(number: int, singular: str, plural: str | None = None) -> str:
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"


def reasons(best: Option, labels: Sequence[Option], preferences: Preferences) -> list[str]:
    """Why the best of several options is recommended, without a pilot."""
    shares = ", ".join(f"{option.name} {option.information_ratio:.2%}" for option in labels)
    sentences = [f"Of all comparisons between items and classes, each kind answers: {shares}."]
    hard = next((option for option in labels if option.kind == "hard"), None)
    if hard is not None and best.kind != "hard" and hard.constraints > 0:
        more, cost = best.constraints / hard.constraints, best.cost / hard.cost
        sentences.append(
            f"The recommended labels answer {three_digits(more)} times as many as hard ones, at {three_digits(cost)} "
            "times the cost."
        )
    if best.kind == "hard":
        sentences.append(f"Fuller labels are not worth their extra cost at beta {preferences.beta:g}.")
    return sentences


def about_nothing(best: Option, n: int, k: int, preferences: Preferences) -> list[str]:
    """That no label is worth its cost, where collecting nothing would have a lower loss."""
    if best.loss <= 0:
        return []
    return [
        f"At beta {preferences.beta:g} even these are not worth their cost: collecting nothing has a loss of 0. "
        f"On this scale, {about_scale(n, k, preferences)}."
    ]


def about_scale(n: int, k: int, preferences: Preferences) -> str:
    """What counts 1 in a loss, in one clause."""
    cost, utility = (float(unit) for unit in preferences.scale(n, k))
    if preferences.reference is None:
        return (
            f"a cost of 1 is {three_digits(cost)} hard labels, {counted(k, 'hard label')} for each item, and a utility "
            f"of 1 is what soft labels without errors tell ({three_digits(utility)})"
        )
    return f"a cost of 1 is {three_digits(cost)} hard labels, for sets of any size, and a utility of 1 is a rho of 1"


def about_budget(best: Option, budget: float | None, n: int) -> list[str]:
    """How much of the budget the recommended labels take."""
    if budget is None:
        return []
    covered = "all items" if best.items == n else f"{best.items:,} of {n:,} items"
    return [f"Of the budget of {budget:,g} hard labels, this spends {three_digits(best.cost)} and labels {covered}."]


def about_hard_labels(ranked: Sequence[PilotOption], k: int, assumed: Costs) -> list[str]:
    """What a hard label is taken to cost where the pilot tried none: everything is counted in hard labels."""
    place, cost = nearest_to_hard([(option.kind, option.k_hat) for option in ranked], k, assumed)
    nearest = ranked[place]
    if nearest.kind == "hard":
        return []
    seconds = nearest.seconds.value / cost
    return [
        f"The pilot has no hard labels, in which cost is counted: one is taken to last {seconds:.3g} s, because "
        f"{nearest.name} labels are assumed to cost {three_digits(cost)} hard ones each. Ask for a few to measure it."
    ]


def about_soft_labels(ranked: Sequence[PilotOption], k: int, assumed: Costs, measured: Costs) -> list[str]:
    """What a soft label is taken to cost where the pilot tried none, but labels over fewer classes."""
    before, after = (float(costs.total("soft", 1, k)) / costs.hard for costs in (assumed, measured))
    if before == after or any(option.kind == "soft" for option in ranked):
        return []
    return [
        f"The pilot has no soft labels: each is taken to cost {three_digits(after)} hard ones, not "
        f"{three_digits(before)} as assumed, because labels over fewer classes did not cost what was assumed either."
    ]


def about_pilot(ranked: Sequence[PilotOption]) -> list[str]:
    """What the pilot measured, from the lowest loss to the highest."""
    first = ranked[0]
    lone = [option.name for option in ranked if option.people == 1]
    chance = "" if lone else f" with a probability of {first.best:.0%}"
    sentences = [f"In the pilot, {first.name} labels have the lowest loss{chance}."]
    sentences += [f"{option.name}: {_measured(option)}." for option in ranked]
    if any(option.people is None for option in ranked):
        sentences.append(
            "Who answered is not known, so every answer counts as that of another person: where somebody gave several, "
            "the intervals are too narrow, and a column annotator mends that."
        )
    if lone:
        sentences.append(
            f"One person gave all answers of {', '.join(lone)}. That says nothing about other people, so there are no "
            f"intervals{'' if len(lone) == len(ranked) else ' for it'} and no probabilities: ask four people or more, "
            "each for all kinds."
        )
    elif first.best < ENOUGH and len(ranked) > 1:
        second = max(ranked[1:], key=lambda option: option.best)
        sentences.append(f"It is not yet clearly better than {second.name} ({second.best:.0%}): ask more people.")
    return sentences


def _measured(option: PilotOption) -> str:
    """Seconds and errors of a kind, with intervals where more than one person answered."""
    seconds, flips = option.seconds, option.flip_rate
    time, wrong = f"{seconds.value:.3g} s per answer", "error rate not known"
    if flips is not None:
        wrong = f"{flips.value:.1%} of comparisons wrong"
    if option.people == 1:
        return f"{time}, {wrong}"
    time += f" [{seconds.low:.3g}, {seconds.high:.3g}]"
    return f"{time}, {wrong}" + ("" if flips is None else f" [{flips.low:.1%}, {flips.high:.1%}]")


def untried(promising: Option, best: Option, ranked: Sequence[PilotOption]) -> str:
    """A kind that the pilot left out, where it is expected to be better than the best of those tried."""
    tried = {option.name for option in ranked}
    if promising.name in tried or promising.loss >= best.loss:
        return ""
    return (
        f"Not in the pilot, but promising: {promising.name}, with a loss of {promising.loss:.4f} if its cost and "
        "errors are as assumed. Try it next."
    )


def smaller(best: Option, n: int, k: int, preferences: Preferences, budget: float | None) -> list[str]:
    """The smallest label of the same kind that has most of the gain."""
    if best.kind not in ("sparse", "top-class", "soft") or k < 3:
        return []
    kind: LabelKind = "sparse" if best.kind == "soft" else best.kind
    tried = options_for(kind, range(2, best.k_hat), n, k, preferences, budget)
    for hard in options_for("hard", [1], n, k, preferences, budget):
        enough = hard.loss - ENOUGH * (hard.loss - best.loss)
        for option in tried:
            if option.loss <= enough and option.cost < best.cost and option.items == best.items:
                saved = 1 - option.cost / best.cost
                return [f"{option.name} has {ENOUGH:.0%} of the advantage over hard labels and costs {saved:.0%} less."]
    return []


def about_pairs(pairs: Sequence[Option], best: Option) -> str:
    """Why pairwise similarity is not recommended where its loss is lower."""
    lower = [option for option in pairs if option.loss < best.loss]
    if not lower:
        return ""
    return (
        f"Pairwise similarities have a lower loss, at {three_digits(lower[0].cost / best.cost)} times the cost, but "
        "say nothing about the classes: choose them if it only matters which items are alike."
    )


def when_else(n: int, k: int, preferences: Preferences) -> list[str]:
    """Where the choice between hard and soft turns."""
    u = utility_of(preferences.utility)
    whole_cost, whole_utility = (float(unit) for unit in preferences.scale(n, k))
    gain = float(u(preferences.rho("soft", n, k, k)) - u(preferences.rho("hard", n, k, 1))) / whole_utility
    costs = preferences.costs
    dearer = float(costs.total("soft", n, k) / costs.total("hard", n, k) - 1) * n / whole_cost
    if k < 2:
        return ["With a single class, a hard label says nothing; a soft one rates how typical of it an item is."]
    if gain <= 0:
        return ["Soft labels tell no more than hard ones here, so take the cheaper ones."]
    if dearer <= 0:
        return ["Soft labels cost no more than hard ones and tell more, so they win at any beta."]
    sentences = [f"Between hard and soft alone, soft labels win as long as beta is below {gain / dearer:.3g}."]
    if preferences.beta > 0:
        ratio = 1 + gain * whole_cost / (preferences.beta * n)
        limit = "about as much as a hard label" if ratio < 1.01 else f"less than {three_digits(ratio)} hard labels"
        sentences.append(f"At beta {preferences.beta:g}, they win as long as each costs {limit}.")
    return sentences
