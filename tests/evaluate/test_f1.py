"""Soft F1 is the usual F1 on hard labels, and 1 for a perfect model."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import f1_score

from dissensus.evaluate.f1 import soft_f1_of_classes, soft_macro_f1, soft_micro_f1
from dissensus.evaluate.metrics import soft_accuracy


def test_on_hard_labels_it_is_scikit_learns():
    rng = np.random.default_rng(0)
    gold, predicted = rng.integers(0, 4, 300), rng.integers(0, 4, 300)
    model, people = np.eye(5)[predicted], np.eye(5)[gold]  # a fifth class that never occurs
    assert soft_macro_f1(model, people) == pytest.approx(f1_score(gold, predicted, average="macro"))
    assert soft_micro_f1(model, people) == pytest.approx(f1_score(gold, predicted, average="micro"))
    each = soft_f1_of_classes(model, people)
    assert np.allclose(each[:4], f1_score(gold, predicted, average=None)) and np.isnan(each[4])


def test_on_soft_labels_it_is_a_slow_loop():
    rng = np.random.default_rng(1)
    model, people = rng.dirichlet(np.ones(3), 50), rng.dirichlet(np.ones(3), 50)
    each = []
    for c in range(3):
        hit = sum(min(q[c], p[c]) for q, p in zip(model, people, strict=True))
        precision, recall = hit / model[:, c].sum(), hit / people[:, c].sum()
        each.append(2 * precision * recall / (precision + recall))
    assert soft_macro_f1(model, people) == pytest.approx(np.mean(each))
    assert soft_micro_f1(model, people) == pytest.approx(soft_accuracy(model, people).mean())
    assert soft_macro_f1(people, people) == pytest.approx(1.0)
