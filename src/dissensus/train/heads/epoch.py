"""An epoch of one head, and its loss on held-out items, made of the parts in kernels.py."""

from __future__ import annotations

import math

import numpy as np

from dissensus.train.heads.kernels import (
    CELL,
    PANEL,
    F,
    activate,
    gather,
    multiply,
    score,
    softmax,
    sweep,
)
from dissensus.train.heads.vectors import njit

CHUNK = 32  # held-out items scored at a time; they and a panel fit into the first cache


@njit
def train_epoch(  # type: ignore[no-untyped-def]
    first_layer,
    last_layer,
    hidden,
    k,
    features,
    width,
    order,
    probs,
    classes,
    weights,
    batch,
    key,
    threshold,
    keep,
    learning_rate,
    decay,
    steps,
):
    """Run every step of one epoch; layers are changed in place.

    first_layer, last_layer   as kernels.py lays them out; a linear head has hidden 0 and no first layer
    features                  (n * width,) rows of features, then 1, then zeros
    order                     (n,) positions of items, cut into batches
    probs, classes            (n, k) targets, or if that is empty (n,) classes
    weights                   (n,) the weight of each item's loss
    key, threshold, keep      bits this epoch's dropout starts from; units with fewer go, others are scaled by keep
    steps                     Adam's steps before this epoch
    """
    n = order.size
    units = (hidden + PANEL - 1) // PANEL * PANEL
    inputs = (hidden + PANEL) // PANEL * PANEL if hidden else width  # columns of the last layer, with the one that is 1
    rows = (k + 3) // 4 * 4
    error_width = (k + 7) // 8 * 8
    filled = (batch + 3) // 4 * 4
    batch_rows, next_rows = np.zeros(filled * width, np.float32), np.zeros(filled * width, np.float32)
    inner, back = np.zeros(filled * units, np.float32), np.zeros(filled * units, np.float32)
    slope = np.zeros(filled * units, np.float32)
    shown = np.zeros(filled * inputs if hidden else 0, np.float32)
    error = np.zeros(filled * error_width, np.float32)
    count = min(batch, n)
    gather(features, width, order, 0, count, batch_rows)
    for panel in range(units // PANEL):
        multiply(
            first_layer,
            panel * width * CELL,
            width,
            batch_rows,
            width,
            inner,
            units,
            panel * PANEL,
            (count + 3) // 4 * 4,
        )
    for first in range(0, n, batch):
        count = min(batch, n - first)
        if hidden:
            activate(inner, hidden, units, shown, inputs, slope, count, key, order, first, threshold, keep)
        else:
            shown = batch_rows
        score(last_layer, rows, shown, inputs, error, error_width, count)
        softmax(error, k, error_width, count)
        for row in range(count):
            item = order[first + row]
            share = weights[item] / F(count)
            at = row * error_width
            if classes.size:
                error[at + classes[item]] -= F(1.0)
                for c in range(k):
                    error[at + c] *= share
            else:
                for c in range(k):
                    error[at + c] = (error[at + c] - probs[item, c]) * share
        steps += 1
        rate = F(learning_rate / (1.0 - 0.9**steps))
        scale = F(1.0 / math.sqrt(1.0 - 0.999**steps))
        following = min(batch, n - first - count)
        if following > 0:
            gather(features, width, order, first + count, following, next_rows)
        for panel in range(units // PANEL):
            base, column = panel * rows * CELL, panel * PANEL
            multiply(last_layer, base, rows, error, error_width, back, units, column, (count + 3) // 4 * 4)
            for row in range(count):
                for unit in range(row * units + column, row * units + column + PANEL):
                    back[unit] *= slope[unit]
            base = panel * width * CELL
            sweep(first_layer, base, width, batch_rows, width, back, units, column, count, decay, rate, scale)
            if following > 0:
                filled = (following + 3) // 4 * 4
                multiply(first_layer, base, width, next_rows, width, inner, units, column, filled)
        for panel in range(inputs // PANEL):
            base, column = panel * rows * CELL, panel * PANEL
            sweep(last_layer, base, rows, error, error_width, shown, inputs, column, count, decay, rate, scale)
        batch_rows, next_rows = next_rows, batch_rows
    return steps


@njit
def held_out_loss(first_layer, last_layer, hidden, k, features, width, probs, classes, n):  # type: ignore[no-untyped-def]
    """Compute the mean cross-entropy of the head on items, without dropout, summed in float64."""
    units = (hidden + PANEL - 1) // PANEL * PANEL
    inputs = (hidden + PANEL) // PANEL * PANEL if hidden else width
    rows = (k + 3) // 4 * 4
    logit_width = (k + 7) // 8 * 8
    order = np.arange(n)
    chunk = np.zeros(CHUNK * width, np.float32)
    inner, slope = np.zeros(CHUNK * units, np.float32), np.zeros(CHUNK * units, np.float32)
    shown = np.zeros(CHUNK * inputs if hidden else 0, np.float32)
    logits = np.zeros(CHUNK * logit_width, np.float32)
    summed = 0.0
    for first in range(0, n, CHUNK):
        count = min(CHUNK, n - first)
        gather(features, width, order, first, count, chunk)
        for panel in range(units // PANEL):
            base, column = panel * width * CELL, panel * PANEL
            multiply(first_layer, base, width, chunk, width, inner, units, column, (count + 3) // 4 * 4)
        if hidden:
            activate(
                inner, hidden, units, shown, inputs, slope, count, np.uint32(0), order, first, np.uint32(0), F(1.0)
            )
        else:
            shown = chunk
        score(last_layer, rows, shown, inputs, logits, logit_width, count)
        for row in range(count):
            at = row * logit_width
            top = logits[at]
            for c in range(1, k):
                top = max(top, logits[at + c])
            mass = 0.0
            for c in range(k):
                mass += math.exp(np.float64(logits[at + c]) - top)
            level = top + math.log(mass)
            if classes.size:
                summed += level - logits[at + classes[first + row]]
            else:
                for c in range(k):
                    summed += probs[first + row, c] * (level - logits[at + c])
    return summed / n
