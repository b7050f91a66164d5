"""Soft F1: precision and recall where both sides are distributions."""

from __future__ import annotations

import numpy as np

from dissensus.labels import distances


def soft_f1_of_classes(p_model: np.ndarray, p_people: np.ndarray) -> np.ndarray:
    """F1 of each class, with mass in place of counts; NaN for a class neither side gives any mass.

        TP_c = sum_i min(q_ic, p_ic),   FP_c = sum_i max(q_ic - p_ic, 0),   FN_c = sum_i max(p_ic - q_ic, 0)
        F1_c = 2 TP_c / (2 TP_c + FP_c + FN_c) = 2 sum_i min(q_ic, p_ic) / sum_i (q_ic + p_ic)

    1 where the model equals people; the usual F1 on one-hot rows.
    Harju and Mesaros (2023), Evaluating classification systems against soft labels with fuzzy precision and recall.

    p_model, p_people: (n, k) -> (k,), 0 to 1
    """
    model, people = distances.checked_pair(p_model, p_people)
    both = np.minimum(model, people).sum(axis=0)  # (k,)
    mass = (model + people).sum(axis=0)
    return np.divide(2 * both, mass, out=np.full(mass.size, np.nan), where=mass > 0)


def soft_macro_f1(p_model: np.ndarray, p_people: np.ndarray) -> float:
    """Mean of the classes' soft F1, over classes that either side gives mass: 0 to 1, higher is better.

    scikit-learn's f1_score(average="macro") on one-hot rows, with labels left to what occurs.
    """
    each = soft_f1_of_classes(p_model, p_people)
    return float(each[~np.isnan(each)].mean())


def soft_micro_f1(p_model: np.ndarray, p_people: np.ndarray) -> float:
    """Soft F1 of the classes' masses taken together: 0 to 1, higher is better.

        2 sum_ic min(q_ic, p_ic) / sum_ic (q_ic + p_ic)

    Every row holds mass 1, so this is the mean overlap of the distributions (soft_accuracy), as micro F1 is accuracy on
    hard labels.
    """
    model, people = distances.checked_pair(p_model, p_people)
    return float(2 * np.minimum(model, people).sum() / (model.sum() + people.sum()))
