"""One epoch of one head in machine code, with a single sweep a step over its weights and moments.

A layer is stored as panels of 16 columns. Each row of a panel has 16 weights, 16 first moments and 16 second moments:
three consecutive cache lines. A step computes the gradient of four rows in registers, updates their weights and moments
by Adam, and continues with the next four; no gradient is ever written to memory. While the panel is in cache, the next
batch is multiplied by it.

    first layer    rows are features, columns hidden units        W1[feature, unit]
    last layer     rows are classes, columns hidden units         W2[class, unit]; of a linear head W[class, feature]

Biases are weights of a feature, or a hidden unit, that is always 1. Rows and columns are padded with zeros, which stay
zeros, since their gradients are.
"""

from __future__ import annotations

import numpy as np

from dissensus.train.heads.config import FIRST, GOLDEN, SECOND
from dissensus.train.heads.vectors import (
    inlined,
    larger,
    load,
    magnitude,
    nearest,
    njit,
    power_of_two,
    root,
    spread,
    spread_from,
    store,
    total,
    with_sign,
)

PANEL = 16
CELL = 3 * PANEL  # floats of one row of a panel: weights, first moments, second moments
F = np.float32


@inlined
def exponential(x):  # type: ignore[no-untyped-def]
    """e^x for eight x of 0 or less, within 2e-7.

    2^whole 2^part by Taylor's series to the seventh power, |part| <= 1/2
    """
    scaled = larger(x * spread(F(1.4426950408889634)), spread(F(-126.0)))
    whole = nearest(scaled)
    part = scaled - whole
    series = spread(F(1.5252733804059841e-5))
    series = series * part + spread(F(1.5403530393381609e-4))
    series = series * part + spread(F(1.3333558146428443e-3))
    series = series * part + spread(F(9.618129107628477e-3))
    series = series * part + spread(F(5.5504108664821580e-2))
    series = series * part + spread(F(0.24022650695910072))
    series = series * part + spread(F(0.69314718055994531))
    series = series * part + spread(F(1.0))
    return series * power_of_two(whole)


@inlined
def normal_below(z, bell):  # type: ignore[no-untyped-def]
    """The standard normal distribution function, given bell = e^(-z^2 / 2), within 2e-7.

    Abramowitz and Stegun (1964) 7.1.26 for erf(z / sqrt(2))
    """
    one = spread(F(1.0))
    t = one / (one + spread(F(0.3275911 * 0.7071067811865476)) * magnitude(z))
    series = spread(F(0.5 * 1.061405429)) * t + spread(F(0.5 * -1.453152027))
    series = series * t + spread(F(0.5 * 1.421413741))
    series = series * t + spread(F(0.5 * -0.284496736))
    series = series * t + spread(F(0.5 * 0.254829592))
    half = spread(F(0.5))
    return half + with_sign(half - series * t * bell, z)


@inlined
def move(layer, at, gradient, decay, rate, scale):  # type: ignore[no-untyped-def]
    """One step of torch.optim.Adam for eight weights.

    g += decay w,   m += 0.1 (g - m),   v = 0.999 v + 0.001 g^2,   w -= rate m / (scale sqrt(v) + 1e-8)
    """
    weight = load(layer, at)
    mean = load(layer, at + PANEL)
    square = load(layer, at + 2 * PANEL)
    gradient = gradient + decay * weight
    mean = mean + spread(F(1.0 - 0.9)) * (gradient - mean)
    square = square * spread(F(0.999)) + spread(F(1.0 - 0.999)) * gradient * gradient
    store(layer, at, weight - rate * mean / (scale * root(square) + spread(F(1e-8))))
    store(layer, at + PANEL, mean)
    store(layer, at + 2 * PANEL, square)


@njit
def sweep(layer, base, rows, left, left_width, right, right_width, column, count, decay, rate, scale):  # type: ignore[no-untyped-def]
    """Move one panel by the gradient left^T right of its 16 columns.

    layer: the panel begins at `base`; left: (count, left_width), its columns are the panel's rows; right: (count,
    right_width), of which 16 from `column` on are the panel's columns; rows: a multiple of 4
    """
    weight_decay, step, spread_scale = spread(decay), spread(rate), spread(scale)
    for row in range(0, rows, 4):
        zero = spread(F(0.0))
        a0, a1, b0, b1, c0, c1, d0, d1 = zero, zero, zero, zero, zero, zero, zero, zero
        from_left, from_right = row, column
        for _ in range(count):
            r0, r1 = load(right, from_right), load(right, from_right + 8)
            one = spread_from(left, from_left)
            a0, a1 = a0 + one * r0, a1 + one * r1
            one = spread_from(left, from_left + 1)
            b0, b1 = b0 + one * r0, b1 + one * r1
            one = spread_from(left, from_left + 2)
            c0, c1 = c0 + one * r0, c1 + one * r1
            one = spread_from(left, from_left + 3)
            d0, d1 = d0 + one * r0, d1 + one * r1
            from_left += left_width
            from_right += right_width
        at = base + row * CELL
        move(layer, at, a0, weight_decay, step, spread_scale)
        move(layer, at + 8, a1, weight_decay, step, spread_scale)
        move(layer, at + CELL, b0, weight_decay, step, spread_scale)
        move(layer, at + CELL + 8, b1, weight_decay, step, spread_scale)
        move(layer, at + 2 * CELL, c0, weight_decay, step, spread_scale)
        move(layer, at + 2 * CELL + 8, c1, weight_decay, step, spread_scale)
        move(layer, at + 3 * CELL, d0, weight_decay, step, spread_scale)
        move(layer, at + 3 * CELL + 8, d1, weight_decay, step, spread_scale)


@njit
def multiply(layer, base, rows, left, left_width, out, out_width, column, count):  # type: ignore[no-untyped-def]
    """left times one panel, into 16 columns of out.  left: (count, left_width); count: filled up to a multiple of 4"""
    for first in range(0, count, 4):
        zero = spread(F(0.0))
        a0, a1, b0, b1, c0, c1, d0, d1 = zero, zero, zero, zero, zero, zero, zero, zero
        a, b = first * left_width, (first + 1) * left_width
        c, d = (first + 2) * left_width, (first + 3) * left_width
        at = base
        for row in range(rows):
            w0, w1 = load(layer, at), load(layer, at + 8)
            one = spread_from(left, a + row)
            a0, a1 = a0 + one * w0, a1 + one * w1
            one = spread_from(left, b + row)
            b0, b1 = b0 + one * w0, b1 + one * w1
            one = spread_from(left, c + row)
            c0, c1 = c0 + one * w0, c1 + one * w1
            one = spread_from(left, d + row)
            d0, d1 = d0 + one * w0, d1 + one * w1
            at += CELL
        to = first * out_width + column
        store(out, to, a0)
        store(out, to + 8, a1)
        store(out, to + out_width, b0)
        store(out, to + out_width + 8, b1)
        store(out, to + 2 * out_width, c0)
        store(out, to + 2 * out_width + 8, c1)
        store(out, to + 3 * out_width, d0)
        store(out, to + 3 * out_width + 8, d1)


@njit
def score(layer, rows, inputs, width, logits, logit_width, count):  # type: ignore[no-untyped-def]
    """inputs times the transposed last layer.  inputs: (count, width) -> logits: (count, logit_width), rows of them"""
    for first in range(count):
        for row in range(0, rows, 4):
            zero = spread(F(0.0))
            a, b, c, d = zero, zero, zero, zero
            for panel in range(width // PANEL):
                at = (panel * rows + row) * CELL
                x0, x1 = load(inputs, first * width + panel * PANEL), load(inputs, first * width + panel * PANEL + 8)
                a = a + x0 * load(layer, at) + x1 * load(layer, at + 8)
                b = b + x0 * load(layer, at + CELL) + x1 * load(layer, at + CELL + 8)
                c = c + x0 * load(layer, at + 2 * CELL) + x1 * load(layer, at + 2 * CELL + 8)
                d = d + x0 * load(layer, at + 3 * CELL) + x1 * load(layer, at + 3 * CELL + 8)
            to = first * logit_width + row
            logits[to], logits[to + 1], logits[to + 2], logits[to + 3] = total(a), total(b), total(c), total(d)


@njit
def activate(inner, hidden, width, out, out_width, slope, count, key, items, first, threshold, keep):  # type: ignore[no-untyped-def]
    """GELU and dropout of hidden units, and the slope of both.

    inner: (count, width) -> out: (count, out_width) with 1 in column `hidden`, slope: (count, width)
    items: order of items, of which those from `first` on are here; threshold 0 keeps every unit
    """
    kept = np.ones(width, dtype=np.float32)
    kept[hidden:] = F(0.0)
    half = spread(F(-0.5))
    bend = spread(F(0.3989422804014327))
    for row in range(count):
        if threshold > 0:
            item = hash_words(np.uint32(key + np.uint32(items[first + row]) * np.uint32(GOLDEN)))
            for unit in range(hidden):
                bits = hash_words(np.uint32(item + np.uint32(unit + 1) * np.uint32(GOLDEN)))
                kept[unit] = keep if bits >= threshold else F(0.0)
        for unit in range(0, width, 8):
            z, scale = load(inner, row * width + unit), load(kept, unit)
            bell = exponential(half * z * z)
            below = normal_below(z, bell)
            store(out, row * out_width + unit, z * below * scale)
            store(slope, row * width + unit, (below + z * bend * bell) * scale)
        out[row * out_width + hidden] = F(1.0)


@inlined
def hash_words(word):  # type: ignore[no-untyped-def]
    """lowbias32 of Wellons (2018), as config.py has it."""
    word = np.uint32((word ^ (word >> np.uint32(16))) * np.uint32(FIRST))
    word = np.uint32((word ^ (word >> np.uint32(15))) * np.uint32(SECOND))
    return np.uint32(word ^ (word >> np.uint32(16)))


@njit
def softmax(logits, k, width, count):  # type: ignore[no-untyped-def]
    """Rows of logits as probabilities, in place; width a multiple of 8, zeros beyond k."""
    for row in range(count):
        at = row * width
        top = logits[at]
        for c in range(1, k):
            top = max(top, logits[at + c])
        for c in range(0, width, 8):
            store(logits, at + c, exponential(load(logits, at + c) - spread(top)))
        mass = F(0.0)
        for c in range(k):
            mass += logits[at + c]
        for c in range(k):
            logits[at + c] /= mass
        for c in range(k, width):
            logits[at + c] = F(0.0)


@njit
def gather(features, width, order, first, count, out):  # type: ignore[no-untyped-def]
    """The features of one batch, and rows of zeros up to a multiple of 4.  width: a multiple of 4"""
    for row in range(count):
        at, to = order[first + row] * width, row * width
        for column in range(0, width - 7, 8):
            store(out, to + column, load(features, at + column))
        for column in range(width // 8 * 8, width):
            out[to + column] = features[at + column]
    for position in range(count * width, (count + 3) // 4 * 4 * width):
        out[position] = F(0.0)
