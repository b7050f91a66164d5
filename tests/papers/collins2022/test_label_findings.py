"""What the paper says about its labels comes out of the released files, and not out of others."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from dissensus.datasets.dataset import LabelledItems
from dissensus.labels.completion import complete
from dissensus.papers.collins2022.label_findings import label_findings
from dissensus.papers.collins2022.label_numbers import label_numbers


@pytest.fixture(scope="module")
def released(loaded):
    return loaded("cifar10s"), loaded("cifar10h")


def test_the_release_has_the_papers_numbers_but_for_two_and_one_of_them_in_its_direction(released):
    findings = label_findings(label_numbers(*released))
    assert [key for key, finding in findings.items() if finding.verdict == "differs"] == ["wasserstein"]
    assert findings["entropies"].verdict == "same direction"
    assert Counter(finding.verdict for finding in findings.values()) == {
        "equal": 19,
        "same direction": 4,
        "differs": 1,
        "cannot be tested here": 4,
    }


def test_another_completion_is_not_what_was_released(released):
    for wrong in (partial(complete, gamma=0.2), partial(complete, spread="uniform"), partial(complete, top=1)):
        findings = label_findings(label_numbers(*released, completion=wrong))
        assert findings["completion"].verdict == "differs"


def test_answers_about_other_images_say_nothing_about_where_votes_disagree(released):
    """Broken on purpose: each image has the answers that were given about another one."""
    elicited, counted = released
    order = np.random.default_rng(0).permutation(elicited.labels.n_items)
    answers = replace(elicited.labels, item=order[elicited.labels.item].astype(np.int32))
    findings = label_findings(label_numbers(LabelledItems(answers, elicited.items), counted))
    broken = ("easy-images", "entropies", "figures-3-and-9", "figure-8", "first-right", "first-two-right")
    assert {key: findings[key].verdict for key in broken} == dict.fromkeys(broken, "differs")
    assert abs(findings["entropies"].value.value) < 0.15
