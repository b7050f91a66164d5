"""Training labels, made from people's answers by a recipe."""

from __future__ import annotations

import numpy as np

from dissensus.aggregate.aggregations import aggregate_labels
from dissensus.labels.beliefs import Beliefs
from dissensus.labels.completion import COMPLETIONS
from dissensus.labels.distributions import Distributions
from dissensus.labels.sampling import subsample
from dissensus.labels.shares import Labels, as_distributions
from dissensus.labels.streams import Stream, stream
from dissensus.labels.votes import Votes
from dissensus.study.pipes import transform
from dissensus.study.spec import LabelRecipe


def make_labels(labels: Labels, recipe: LabelRecipe, seed: int) -> Labels:
    """Draw, complete, aggregate and transform the answers to these items.

    Training labels must not depend on test items, so an annotator model is fitted to these items alone.
    """
    if recipe.votes is not None:
        rng = stream(seed, Stream.ANSWERS)
        if isinstance(labels, Distributions):
            labels = Votes.of_counts(labels)
        _check_enough(labels, recipe.votes)
        if isinstance(labels, Beliefs):
            labels = subsample(labels, recipe.votes, rng)
        else:
            labels = subsample(labels, recipe.votes, rng)
    if recipe.completion is not None:
        if not isinstance(labels, Beliefs):
            raise ValueError(
                f"the completion {recipe.completion} is for beliefs, and these labels are {type(labels).__name__}"
            )
        labels = COMPLETIONS[recipe.completion](labels)
    if recipe.aggregation is not None:
        labels = aggregate_labels(labels, recipe.aggregation).distributions
    if recipe.transforms:
        labels = transform(as_distributions(labels), recipe.transforms, stream(seed, Stream.TRANSFORMS))
    return labels


def _check_enough(labels: Votes | Beliefs, wanted: int) -> None:
    counts = np.bincount(labels.item, minlength=labels.n_items)
    if (counts < wanted).any():
        first = int(np.argmax(counts < wanted))
        raise ValueError(
            f"item {labels.items[first]} has {counts[first]} answers, fewer than the {wanted} drawn per item; "
            f"{np.count_nonzero(counts < wanted)} of {counts.size} items have fewer: draw fewer, or leave them out"
        )
