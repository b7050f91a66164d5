"""What the paper says about its labels comes out of the released files, and not out of others."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from dissensus import Beliefs
from dissensus.datasets.dataset import LabelledItems
from dissensus.labels.completion import complete
from dissensus.labels.distributions import Distributions
from dissensus.papers.collins2022.label_claims import LABEL_CLAIMS, PUBLISHED
from dissensus.papers.collins2022.label_numbers import compare_groups, label_numbers
from dissensus.papers.collins2022.observe import label_rows
from dissensus.papers.evidence import collect


@pytest.fixture(scope="module")
def released(loaded):
    return loaded("cifar10s"), loaded("cifar10h")


def judged(numbers):
    evidence = collect(label_rows(numbers))
    return {claim.key: claim.judge.judge(evidence, PUBLISHED, claim.table) for claim in LABEL_CLAIMS}


def test_the_release_has_the_papers_numbers_but_for_two_and_labels_converge_no_faster(released):
    verdicts = {key: judgement.verdict for key, judgement in judged(label_numbers(*released)).items()}
    assert {key for key, verdict in verdicts.items() if verdict == "differs"} == {
        "figure-1",
        "entropies-number",
        "wasserstein",
    }
    missing = {key for key, verdict in verdicts.items() if verdict == "cannot be tested here"}
    assert missing == {"disagreement-share", "figure-4", "seconds-per-vote", "gamma", "beta", "learning-rates"}
    assert Counter(verdicts.values()) == {"equal": 21, "same direction": 5, "differs": 3, "cannot be tested here": 6}


def test_another_completion_is_not_what_was_released(released):
    for wrong in (partial(complete, gamma=0.2), partial(complete, spread="uniform"), partial(complete, top=1)):
        assert judged(label_numbers(*released, completion=wrong))["completion"].verdict == "differs"


def test_answers_about_other_images_say_nothing_about_where_votes_disagree(released):
    """Broken on purpose: each image has the answers that were given about another one."""
    elicited, counted = released
    order = np.random.default_rng(0).permutation(elicited.labels.n_items)
    answers = replace(elicited.labels, item=order[elicited.labels.item].astype(np.int32))
    judgements = judged(label_numbers(LabelledItems(answers, elicited.items), counted))
    broken = ("easy-images", "figure-8", "entropies-number", "first-right", "first-two-right")
    assert {key: judgements[key].verdict for key in broken} == dict.fromkeys(broken, "differs")
    for key in ("entropies", "figure-5-first", "figure-5-possible"):
        assert judgements[key].verdict in ("differs", "too weak to tell")
        assert abs(judgements[key].outcomes[0].value.value) < 0.15


def test_an_answer_outside_of_the_interface_is_counted(released):
    elicited, counted = released
    stated = elicited.labels.stated.copy()
    stated[:3] = 0.1  # probabilities of all ten classes, of which at most two are named
    odd = LabelledItems(replace(elicited.labels, stated=stated), elicited.items)
    numbers = label_numbers(odd, counted)["once"]
    assert numbers["impossible_answers"]["s"] == 3 and numbers["inputs"]["s"] > 5


def test_groups_that_agree_have_distance_0_and_divided_ones_that_of_all_splits():
    """Three for each of two classes: one of ten splits is 3 against 3 (distance 1), nine are 2 against 1 (1/3)."""
    n = 400
    sides = np.tile([0, 0, 0, 1, 1, 1], n)
    agreed = np.repeat(np.arange(n) % 2 == 0, 6)  # every second image has one opinion
    stated = np.eye(3)[np.where(agreed, 0, sides)]
    item = np.repeat(np.arange(n), 6)
    named = stated.argmax(axis=1)[:, None]
    beliefs = Beliefs(
        item=item, items=np.arange(n), classes=("a", "b", "c"), stated=stated, ruled_out=stated == 0, named=named
    )
    counts = np.stack([stated[item == image].sum(axis=0) for image in range(n)])
    votes = Distributions.from_counts(counts.astype(int), items=np.arange(n), classes=("a", "b", "c"))
    for metric, expected in (("group_distance", 0.1 * 1 + 0.9 / 3), ("six_entropy", np.log(2))):
        for values in compare_groups(beliefs, votes)[metric].values():
            assert np.allclose(values[::2], 0) and values[1::2].mean() == pytest.approx(expected, abs=0.02)
