"""The sentences of an advice: its reasons, and when to choose otherwise."""

from __future__ import annotations

from collections.abc import Sequence

from dissensus.plan.advice_options import Option, option_for
from dissensus.plan.information import Regime
from dissensus.plan.pilot import PilotOption
from dissensus.plan.tradeoff import Kind, Preferences, utility_of

ENOUGH = 0.9  # share of what the best label gains over a hard one, at which a smaller one is worth a mention


def describe_label(kind: Kind, k_hat: int) -> str:
    """A kind of label in the words of somebody who has to ask for it."""
    return {
        "hard": "hard labels: one class for each item",
        "soft": "soft labels: a number for every class of each item",
        "sparse": f"sparse labels: numbers for the {k_hat} most likely classes of each item",
        "top-class": f"top-class labels: numbers for the same {k_hat} classes for every item",
        "pairwise": "pairwise similarities: how alike two items are",
    }[kind]


def about_regime(n: int, k: int, where: Regime) -> str:
    each = f"{n:,} items over {k:,} classes"
    return {
        "many-shot": f"{each} is many-shot, {n / k:.3g} items a class: the more there are, the less soft labels add.",
        "one-shot": f"{each} is one-shot, about an item a class: soft labels keep their worth however many there are.",
        "less-than-one-shot": f"{each} is less than one-shot, fewer items than classes: soft labels tell far more.",
    }[where]


def reasons(
    best: Option, labels: Sequence[Option], preferences: Preferences, budget: float | None, n: int
) -> list[str]:
    told = ", ".join(f"{one.name} {one.information_ratio:.2%}" for one in labels)
    found = [f"Of all comparisons between items and classes they answer: {told}."]
    hard = next((one for one in labels if one.kind == "hard"), None)
    if hard is not None and best.kind != "hard" and hard.constraints > 0:
        more, dearer = best.constraints / hard.constraints, best.cost / hard.cost
        found.append(
            f"The recommended labels tell {more:.3g} times as much as hard ones for {dearer:.3g} times the cost."
        )
    if best.kind == "hard":
        found.append(f"What fuller labels tell beyond that is not worth their cost at beta {preferences.beta:g}.")
    if budget is not None:
        covered = "all items" if best.items == n else f"{best.items:,} of {n:,} items"
        found.append(f"Of a budget of {budget:g} hard labels it spends {best.cost:g} and labels {covered}.")
    return found


def about_pilot(ranked: Sequence[PilotOption]) -> list[str]:
    first = ranked[0]
    found = [f"By the pilot {first.name} labels have the lowest loss with a probability of {first.best:.0%}."]
    for one in ranked:
        wrong = "errors not known" if one.flip_rate is None else (
            f"{one.flip_rate.value:.1%} of comparisons wrong [{one.flip_rate.low:.1%}, {one.flip_rate.high:.1%}]"
        )  # fmt: skip
        seconds = f"{one.seconds.value:.3g} s an answer [{one.seconds.low:.3g}, {one.seconds.high:.3g}]"
        found.append(f"{one.name}: {seconds}, {wrong}.")
    if first.best < ENOUGH and len(ranked) > 1:
        found.append(
            f"That is not decided yet against {ranked[1].name} ({ranked[1].best:.0%}): more pilot answers help."
        )
    return found


def untried(best: Option, ranked: Sequence[PilotOption]) -> str:
    tried = {(one.kind, one.k_hat) for one in ranked} | {(one.kind, best.k_hat) for one in ranked if one.kind == "soft"}
    if (best.kind, best.k_hat) in tried or best.kind in {"hard", "soft"} & {one.kind for one in ranked}:
        return ""
    return f"Not in the pilot, but promising at these costs and without errors: {best.name}. Try it next."


def smaller(best: Option, n: int, k: int, preferences: Preferences, budget: float | None) -> list[str]:
    """The smallest label of the same kind that has most of the gain."""
    if best.kind not in ("sparse", "top-class", "soft") or k < 3:
        return []
    kind: Kind = "sparse" if best.kind == "soft" else best.kind
    hard = option_for("hard", 1, n, k, preferences, budget)
    for asked in range(2, best.k_hat):
        one = option_for(kind, asked, n, k, preferences, budget)
        if one and hard and hard.loss - one.loss >= ENOUGH * (hard.loss - best.loss):
            saved = 1 - one.cost / best.cost
            return [f"{one.name} has {ENOUGH:.0%} of the advantage over hard labels and costs {saved:.0%} less."]
    return []


def when_else(n: int, k: int, preferences: Preferences) -> list[str]:
    """Where the choice between hard and soft turns."""
    u = utility_of(preferences.utility)
    gain = float(u(preferences.estimate("soft", n, k, k)) - u(preferences.estimate("hard", n, k, 1)))
    costs = preferences.costs
    dearer = float(costs.total("soft", n, k) / costs.total("hard", n, k) - 1) * n / preferences.reference
    if gain <= 0 or k < 2:
        return ["Soft labels tell no more than hard ones here, whatever they cost."]
    found = []
    if dearer > 0:
        found.append(f"Between hard and soft alone, soft labels win while beta is below {gain / dearer:.3g}.")
    else:
        found.append("Soft labels cost no more than hard ones and tell more, so they win at any beta.")
    if preferences.beta > 0:
        ratio = 1 + gain * preferences.reference / (preferences.beta * n)
        found.append(f"At beta {preferences.beta:g} they win while one costs less than {ratio:.3g} hard labels.")
    return found
