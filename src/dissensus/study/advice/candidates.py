"""Candidate methods for labels: those that make sense for their kind and that the code accepts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dissensus.labels.beliefs import Beliefs
from dissensus.labels.completion import COMPLETIONS, is_completable, usual_completion
from dissensus.labels.content_hash import hash_bytes
from dissensus.labels.distributions import Distributions
from dissensus.labels.shares import Labels, as_distributions
from dissensus.labels.votes import Votes
from dissensus.study.construct import make_labels
from dissensus.study.pipes import make_delivery
from dissensus.study.spec import LabelRecipe
from dissensus.train.matching import items_of

COUNTING = ("majority", "dirichlet", "shrinkage")  # simplest first; the share of votes comes before them
ANNOTATOR_MODELS = ("one-coin", "mace", "dawid-skene")
DELIVERED = ("soft", "majority", "majority | smoothed=0.1", "sls", "multipass", "deaggregated", "posterior")
A_LITTLE = "smoothed=0.05"  # for means of beliefs, so that a class nobody spoke of is not impossible
FEW = 50  # items that a way is tried on


def usable(labels: Labels) -> tuple[Labels, list[str]]:
    """The labels that can be used, and notices of what was left out."""
    left_out = []
    if isinstance(labels, Beliefs):
        fine = is_completable(labels)
        if not fine.all():
            left_out.append(
                f"{np.count_nonzero(~fine):,} of {fine.size:,} beliefs cannot be completed, and are left out"
            )
            labels = labels.select(answers=fine)
    if not isinstance(labels, Distributions):
        answered = labels.first_choices().per_item > 0 if isinstance(labels, Beliefs) else labels.per_item > 0
        if not answered.any():
            raise ValueError("no item has an answer, so there is nothing to give advice on")
        if not answered.all():
            left_out.append(f"{np.count_nonzero(~answered):,} of {answered.size:,} items have no answer")
            labels = labels.select(items=answered)
    elif labels.votes is not None:
        labels = Votes.of_counts(labels)
    return labels, left_out


def partial(labels: Labels) -> bool:
    """Whether these are beliefs that leave some probability unsaid."""
    return isinstance(labels, Beliefs) and bool(np.isnan(labels.stated).any())


def estimators(labels: Votes | Beliefs) -> dict[str, LabelRecipe]:
    """Methods that estimate a distribution per item, simplest first, by their names in an advice."""
    known = labels.annotator is not None
    models = {name: LabelRecipe(aggregation=name) for name in (ANNOTATOR_MODELS if known else ())}
    counting = {name: LabelRecipe(aggregation=name) for name in COUNTING}
    if isinstance(labels, Votes):
        ways = {"share": LabelRecipe()} | counting | models
    elif partial(labels):
        # The usual one first: another has to be better to take its place.
        completions = sorted(COMPLETIONS, key=lambda name: name != usual_completion(labels))
        ways = {name: LabelRecipe(completion=name) for name in completions}
        ways |= {f"{name}, {A_LITTLE}": LabelRecipe(completion=name, transforms=A_LITTLE) for name in completions}
        ways |= {f"{name} of first choices": recipe for name, recipe in counting.items() if name != "majority"}
    else:
        ways = {"mean": LabelRecipe(completion="dense"), "log-pool": LabelRecipe(aggregation="log-pool")}
        ways |= {f"mean, {A_LITTLE}": LabelRecipe(completion="dense", transforms=A_LITTLE)}
        ways |= {name: recipe for name, recipe in models.items() if name == "dawid-skene"}
    few = items_of(labels, np.arange(min(FEW, labels.n_items)))
    return {name: recipe for name, recipe in ways.items() if _works(few, recipe)}


def arms(labels: Labels, models: Sequence[str] = ANNOTATOR_MODELS) -> dict[str, tuple[LabelRecipe, str]]:
    """Methods of training on labels: recipe and delivery, simplest first; the others are compared with the first.

    Answers as they are by every delivery that takes them; what an estimator makes of them by soft labels alone, since
    a class drawn from them teaches the same on average. Of two ways that deliver the same targets the first is kept.

    models  the annotator models among them, where it is known who answered
    """
    usual = usual_completion(labels) if isinstance(labels, Beliefs) else None
    of = "" if usual is None else f" of {usual}"
    ways = [(f"{delivery}{of}", LabelRecipe(completion=usual), delivery) for delivery in DELIVERED]
    if not isinstance(labels, Distributions):
        made = {
            name: recipe
            for name, recipe in estimators(labels).items()
            if recipe.completion != usual or recipe.aggregation
        }
        unwanted = {"majority", *(name for name in ANNOTATOR_MODELS if name not in models)}
        ways += [
            (f"soft of {name}", recipe, "soft")
            for name, recipe in made.items()
            if name not in unwanted and not recipe.transforms
        ]
    kept: dict[str, tuple[LabelRecipe, str]] = {}
    seen: set[str] = set()
    for name, recipe, delivery in ways:
        targets = _targets(labels, recipe, delivery)
        if targets is not None and targets not in seen:
            kept[name] = (recipe, delivery)
            seen.add(targets)
    return kept


def _works(labels: Labels, recipe: LabelRecipe) -> bool:
    """Whether the code accepts it: nothing else knows which combinations are possible."""
    try:
        as_distributions(make_labels(labels, recipe, 0))
    except ValueError:
        return False
    return True


def _targets(labels: Labels, recipe: LabelRecipe, delivery: str) -> str | None:
    """Targets of the first two epochs, to distinguish deliveries; None if the code refuses them."""
    try:
        made = make_delivery(make_labels(labels, recipe, 0), delivery, 0)
    except ValueError:
        return None
    epochs = (np.asarray(made.targets(epoch)) for epoch in (0, 1))
    rows = (np.eye(made.n_classes)[targets] if made.hard else targets for targets in epochs)
    return hash_bytes(row.tobytes() for row in rows)
