"""The inner loops of generalised non-metric MDS: hinges over all comparisons, and a descent that runs them.

Imported only to fit an embedding, since importing numba takes half a second.
"""

from __future__ import annotations

import numba
import numpy as np

from dissensus.plan.gnmds.sorted_hinges import sorted_hinges

SORTED_FROM = 2_000  # entries from which sorting is faster than visiting pairs
MEMORY = 12  # pairs of steps and slopes that L-BFGS remembers
LINE_STEPS = 25


@numba.njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def ordered_hinges(squared, order, after, labelled, width, slope):  # type: ignore[no-untyped-def]
    """Hinges over the ordered pairs of every row, added up; their derivatives are added to `slope`.

        sum over rows i and positions p, q >= after_ip of hinge(1 + d_ip - d_iq)
        hinge(s) = w (s - width w/2),   w = clip(s/width, 0, 1)

    The true hinge max(s, 0), rounded off over `width` (Huber). Near a solution distances almost follow the labels, so
    that the least distance from a position on tells where the pairs that violate their margin must end; up to there
    they are visited without a branch, hence vectorised. Rows of more than SORTED_FROM entries are sorted instead.

    squared: (n, k) squared distances;  order: (n, k) columns from highest to lowest label;
    after: (n, k) position from which labels are lower;  labelled: (n,) number of labels
    """
    n, k = squared.shape
    total = 0.0
    sharp = 1.0 / width
    far = np.empty(k)
    least = np.empty(k)
    pull = np.empty(k)
    for i in range(n):
        last = labelled[i]
        for p in range(last):
            far[p] = squared[i, order[i, p]]
            pull[p] = 0.0
        if last > SORTED_FROM:
            total += sorted_hinges(far[:last], after[i, :last], width, pull[:last])
            for p in range(last):
                slope[i, order[i, p]] += pull[p]
            continue
        lowest = far[last - 1] if last > 0 else 0.0
        for p in range(last - 1, -1, -1):
            lowest = min(lowest, far[p])
            least[p] = lowest
        for p in range(last):
            first = after[i, p]
            if first >= last:
                break
            near = far[p] + 1.0
            loss = 0.0
            push = 0.0
            end = last
            while first < end:  # the first position from which all are further than the margin
                middle = (first + end) // 2
                if least[middle] < near:
                    first = middle + 1
                else:
                    end = middle
            for q in range(after[i, p], end):
                gap = near - far[q]
                weight = min(max(gap * sharp, 0.0), 1.0)
                loss += weight * (gap - 0.5 * width * weight)
                push += weight
                pull[q] -= weight
            pull[p] += push
            total += loss
        for p in range(last):
            slope[i, order[i, p]] += pull[p]
    return total


@numba.njit(cache=True, nogil=True, error_model="numpy")
def triplet_hinges(squared, triplets, width, slope):  # type: ignore[no-untyped-def]
    """The same over listed comparisons "a is closer to b than to c".  squared, slope: (N, N);  triplets: (t, 3)"""
    total = 0.0
    sharp = 1.0 / width
    for t in range(triplets.shape[0]):
        a, b, c = triplets[t, 0], triplets[t, 1], triplets[t, 2]
        gap = 1.0 + squared[a, b] - squared[a, c]
        if gap > 0.0:
            weight = min(gap * sharp, 1.0)
            total += weight * (gap - 0.5 * width * weight)
            slope[a, b] += weight
            slope[a, c] -= weight
    return total


@numba.njit(cache=True, nogil=True, error_model="numpy")
def objective(points, n, rows, columns, triplets, width, trace_weight, gradient):  # type: ignore[no-untyped-def]
    """Hinges plus trace_weight tr(Z Z^T), and the gradient in the factor Z, written over `gradient`.

    Labels compare items 0..n-1 with classes n..: only the n x k distances between the two enter. Listed triplets
    compare any points.  points, gradient: (N, r);  rows, columns: (order, after, labelled) of labels and transpose
    """
    size = points.shape[0]
    norms = np.empty(size)
    for i in range(size):
        total = 0.0
        for j in range(points.shape[1]):
            total += points[i, j] * points[i, j]
        norms[i] = total
    value = trace_weight * norms.sum()
    # Loops, here and below: writing an array into a part of another takes numba seconds to compile.
    for i in range(size):
        for j in range(points.shape[1]):
            gradient[i, j] = (2.0 * trace_weight) * points[i, j]
    if rows[0].size > 0:
        items, classes = points[:n], points[n:]
        squared = np.dot(items, classes.T)
        for i in range(n):
            for j in range(size - n):
                squared[i, j] = norms[i] + norms[n + j] - 2.0 * squared[i, j]
        slope, turned = np.zeros((n, size - n)), np.zeros((size - n, n))
        value += ordered_hinges(squared, rows[0], rows[1], rows[2], width, slope)
        value += ordered_hinges(squared.T.copy(), columns[0], columns[1], columns[2], width, turned)
        slope += turned.T
        toward_items, toward_classes = np.dot(slope.T, items), np.dot(slope, classes)
        for i in range(n):
            _add_pull(gradient[i], slope[i].sum(), items[i], toward_classes[i])
        for j in range(size - n):
            _add_pull(gradient[n + j], slope[:, j].sum(), classes[j], toward_items[j])
    if triplets.shape[0] > 0:
        every = np.dot(points, points.T)
        for i in range(size):
            for j in range(size):
                every[i, j] = norms[i] + norms[j] - 2.0 * every[i, j]
        pulls = np.zeros((size, size))
        value += triplet_hinges(every, triplets, width, pulls)
        both = pulls + pulls.T
        toward = np.dot(both, points)
        for i in range(size):
            _add_pull(gradient[i], both[i].sum(), points[i], toward[i])
    return value


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _add_pull(gradient, strength, point, toward):  # type: ignore[no-untyped-def]
    for j in range(point.size):
        gradient[j] += 2.0 * (strength * point[j] - toward[j])


@numba.njit(cache=True, nogil=True, error_model="numpy")
def descend(start, n, rows, columns, triplets, width, trace_weight, iterations, tolerance):  # type: ignore[no-untyped-def]
    """L-BFGS on the factor with a weak Wolfe search, as Lewis and Overton (2013) advise where slopes jump.

    Stops when ten steps together lower the objective by less than a share `tolerance` of it.
    -> points (N, r), objective, evaluations, whether it stopped before its iterations were used up
    """
    shape, size = start.shape, start.size
    place = start.copy().reshape(size)
    slope = np.empty(size)
    value = objective(place.reshape(shape), n, rows, columns, triplets, width, trace_weight, slope.reshape(shape))
    calls = 1
    steps, changes, inverse = np.empty((MEMORY, size)), np.empty((MEMORY, size)), np.empty(MEMORY)
    weights = np.empty(MEMORY)
    kept, newest = 0, -1
    trial, trial_slope = np.empty(size), np.empty(size)
    earlier = np.full(10, np.inf)
    for iteration in range(iterations):
        # Two-loop recursion (Nocedal 1980).
        direction = -slope
        for back in range(kept):
            j = (newest - back) % MEMORY
            weights[j] = inverse[j] * np.dot(steps[j], direction)
            direction -= weights[j] * changes[j]
        if kept > 0:
            direction *= 1.0 / (inverse[newest] * np.dot(changes[newest], changes[newest]))
        for back in range(kept - 1, -1, -1):
            j = (newest - back) % MEMORY
            direction += (weights[j] - inverse[j] * np.dot(changes[j], direction)) * steps[j]
        descent = np.dot(slope, direction)
        if descent >= 0.0:
            if kept == 0:
                return place.reshape(shape), value, calls, True
            kept = 0
            continue
        low, high = 0.0, np.inf
        length = 1.0 if kept > 0 else min(1.0, 1.0 / np.sqrt(-descent))
        accepted = False
        for _ in range(LINE_STEPS):
            for i in range(size):
                trial[i] = place[i] + length * direction[i]
            reached = objective(
                trial.reshape(shape), n, rows, columns, triplets, width, trace_weight, trial_slope.reshape(shape)
            )
            calls += 1
            if reached > value + 1e-4 * length * descent:
                high = length
            elif np.dot(trial_slope, direction) < 0.9 * descent:
                accepted = True
                low = length
            else:
                accepted = True
                break
            length = 2.0 * low if high == np.inf else 0.5 * (low + high)
        if not accepted or reached > value:
            if kept == 0:
                return place.reshape(shape), value, calls, True
            kept = 0
            continue
        newest = (newest + 1) % MEMORY
        for i in range(size):
            steps[newest, i] = trial[i] - place[i]
            changes[newest, i] = trial_slope[i] - slope[i]
        curvature = np.dot(steps[newest], changes[newest])
        if curvature > 0.0:
            inverse[newest] = 1.0 / curvature
            kept = min(kept + 1, MEMORY)
        else:
            newest = (newest - 1) % MEMORY
        for i in range(size):
            place[i] = trial[i]
            slope[i] = trial_slope[i]
        value = reached
        if earlier[iteration % 10] - value < tolerance * abs(value):
            return place.reshape(shape), value, calls, True
        earlier[iteration % 10] = value
    return place.reshape(shape), value, calls, False
