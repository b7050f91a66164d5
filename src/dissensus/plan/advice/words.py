"""The sentences of an advice: its reasons, and when to choose otherwise."""

from __future__ import annotations

from collections.abc import Sequence

from dissensus.plan.advice.options import Option, options_for
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
    each, shots = f"{counted(n, 'item')} over {counted(k, 'class', 'classes')}", short(n / k)
    return {
        "many-shot": f"{each} is many-shot, {shots} items a class: the more there are, the less soft labels add.",
        "one-shot": f"{each} is one-shot, about an item a class: soft labels keep their worth however many there are.",
        "less-than-one-shot": f"{each} is less than one-shot, fewer items than classes: soft labels tell far more.",
    }[where]


def short(number: float) -> str:
    """Three digits or all before the point, thousands apart: 0.0123, 1.64, 1,235."""
    return f"{number:,.0f}" if abs(number) >= 100 else f"{number:.3g}"


def counted(number: int, one: str, many: str | None = None) -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def reasons(
    best: Option, labels: Sequence[Option], preferences: Preferences, budget: float | None, n: int
) -> list[str]:
    told = ", ".join(f"{one.name} {one.information_ratio:.2%}" for one in labels)
    found = [f"Of all comparisons between items and classes they answer: {told}."]
    hard = next((one for one in labels if one.kind == "hard"), None)
    if hard is not None and best.kind != "hard" and hard.constraints > 0:
        more, dearer = best.constraints / hard.constraints, best.cost / hard.cost
        found.append(
            f"The recommended labels tell {short(more)} times as much as hard ones for {short(dearer)} times the cost."
        )
    if best.kind == "hard":
        found.append(f"What fuller labels tell beyond that is not worth their cost at beta {preferences.beta:g}.")
    if budget is not None:
        covered = "all items" if best.items == n else f"{best.items:,} of {n:,} items"
        found.append(f"Of a budget of {budget:,g} hard labels it spends {short(best.cost)} and labels {covered}.")
    return found


def about_pilot(ranked: Sequence[PilotOption], n: int) -> list[str]:
    first = ranked[0]
    found = [f"By the pilot {first.name} labels have the lowest loss with a probability of {first.best:.0%}."]
    for one in ranked:
        wrong = "errors not known" if one.flip_rate is None else (
            f"{one.flip_rate.value:.1%} of comparisons wrong [{one.flip_rate.low:.1%}, {one.flip_rate.high:.1%}]"
        )  # fmt: skip
        seconds = f"{one.seconds.value:.3g} s an answer [{one.seconds.low:.3g}, {one.seconds.high:.3g}]"
        found.append(f"{one.name}: {seconds}, {wrong}.")
    if first.items < n:
        found.append(f"The budget pays for {first.items:,} of {n:,} items.")
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
    tried = options_for(kind, range(2, best.k_hat), n, k, preferences, budget)
    for hard in options_for("hard", [1], n, k, preferences, budget):
        enough = hard.loss - ENOUGH * (hard.loss - best.loss)
        for one in tried:
            if one.loss <= enough and one.cost < best.cost and one.items == best.items:
                saved = 1 - one.cost / best.cost
                return [f"{one.name} has {ENOUGH:.0%} of the advantage over hard labels and costs {saved:.0%} less."]
    return []


def about_pairs(others: Sequence[Option], best: Option) -> str:
    """Why pairwise similarity is not recommended where its loss is lower."""
    if not any(one.loss < best.loss for one in others):
        return ""
    return (
        "Pairwise similarities have a lower loss, but say nothing about the classes: choose them where it only matters "
        "which items are alike."
    )


def when_else(n: int, k: int, preferences: Preferences) -> list[str]:
    """Where the choice between hard and soft turns."""
    u = utility_of(preferences.utility)
    gain = float(u(preferences.estimate("soft", n, k, k)) - u(preferences.estimate("hard", n, k, 1)))
    costs = preferences.costs
    dearer = float(costs.total("soft", n, k) / costs.total("hard", n, k) - 1) * n / preferences.reference
    if k < 2:
        return ["With a single class a hard label says nothing; a soft one rates how typical of it an item is."]
    if gain <= 0:
        return ["Soft labels tell no more than hard ones here: take the cheaper ones."]
    if dearer <= 0:
        return ["Soft labels cost no more than hard ones and tell more, so they win at any beta."]
    found = [f"Between hard and soft alone, soft labels win while beta is below {gain / dearer:.3g}."]
    if preferences.beta > 0:
        ratio = 1 + gain * preferences.reference / (preferences.beta * n)
        dear = "about as much as a hard label" if ratio < 1.01 else f"less than {short(ratio)} hard labels"
        found.append(f"At beta {preferences.beta:g} they win while one costs {dear}.")
    return found
