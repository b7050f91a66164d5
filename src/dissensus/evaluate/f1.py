"""Soft F1: precision and recall where both sides are distributions."""

from __future__ import annotations

import numpy as np

from dissensus.labels import distances


def soft_f1_of_classes(p_model: np.ndarray, p_people: np.ndarray) -> np.ndarray:
    """Compute the F1 of each class, with probability mass in place of counts.

        TP_c = sum_i min(q_ic, p_ic),   FP_c = sum_i max(q_ic - p_ic, 0),   FN_c = sum_i max(p_ic - q_ic, 0)
        F1_c = 2 TP_c / (2 TP_c + FP_c + FN_c) = 2 sum_i min(q_ic, p_ic) / sum_i (q_ic + p_ic)

    1 if the model equals people; the usual F1 on one-hot rows; NaN for a class without mass on either side.
    Harju and Mesaros (2023), Evaluating classification systems against soft labels with fuzzy precision and recall.

    Parameters
    ----------
    p_model, p_people : (n, k), rows sum to 1

    Returns
    -------
    (k,), 0 to 1, higher is better

    Examples
    --------
    >>> soft_f1_of_classes(np.array([[0.8, 0.2]]), np.array([[0.5, 0.5]])).round(3)
    array([0.769, 0.571])
    """
    model, people = distances.checked_pair(p_model, p_people)
    both = np.minimum(model, people).sum(axis=0)  # (k,)
    mass = (model + people).sum(axis=0)
    return np.divide(2 * both, mass, out=np.full(mass.size, np.nan), where=mass > 0)


def soft_macro_f1(p_model: np.ndarray, p_people: np.ndarray) -> float:
    """Compute the mean soft F1 of the classes that have mass on either side.

    Equal to scikit-learn's f1_score(average="macro") on one-hot rows, over the classes that occur.

    Parameters
    ----------
    p_model, p_people : (n, k), rows sum to 1

    Returns
    -------
    0 to 1, higher is better

    Examples
    --------
    >>> round(soft_macro_f1(np.array([[0.8, 0.2]]), np.array([[0.5, 0.5]])), 3)
    0.67
    """
    each = soft_f1_of_classes(p_model, p_people)
    return float(each[~np.isnan(each)].mean())


def soft_micro_f1(p_model: np.ndarray, p_people: np.ndarray) -> float:
    """Compute the soft F1 of all classes together.

        2 sum_ic min(q_ic, p_ic) / sum_ic (q_ic + p_ic)

    Each row has mass 1, so this is the mean of `soft_accuracy`, as micro F1 is accuracy on hard labels.

    Parameters
    ----------
    p_model, p_people : (n, k), rows sum to 1

    Returns
    -------
    0 to 1, higher is better

    Examples
    --------
    >>> round(soft_micro_f1(np.array([[0.8, 0.2]]), np.array([[0.5, 0.5]])), 3)
    0.7
    """
    model, people = distances.checked_pair(p_model, p_people)
    return float(2 * np.minimum(model, people).sum() / (model.sum() + people.sum()))
