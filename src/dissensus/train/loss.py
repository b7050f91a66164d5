"""Cross-entropy for hard and soft targets, checked."""

from __future__ import annotations

from typing import Literal

import numpy as np
import torch
from torch.nn import functional

from dissensus.labels.refusals import PythonWay, Refusal
from dissensus.labels.row_sums import row_ways

# Sums of float32 rows over a thousand classes stay within it; half precision has three digits in all.
SUM_TOLERANCE = {torch.float16: 1e-2, torch.bfloat16: 3e-2}


def soft_cross_entropy(
    logits: torch.Tensor,
    targets: torch.Tensor,
    *,
    reduction: Literal["mean", "sum", "none"] = "mean",
    check: bool = True,
) -> torch.Tensor:
    """Compute the cross-entropy in nats between hard or soft targets and the softmax of logits.

        soft: -sum_c p_c ln q_c,   hard: -ln q_y,   q = softmax(logits)

    Gheibi 2026, eq. 1 to 4. The mean is over items. Targets are converted to the precision of the logits.

    Parameters
    ----------
    logits : (r, k)
    targets : (r,) whole numbers, or (r, k) probabilities
    reduction : "mean", "sum" or "none"
    check : refuse classes out of range, and probabilities that are negative or do not sum to 1. It waits for the
        accelerator, so check the first epoch and switch it off then

    Returns
    -------
    a number, or (r,) with reduction "none"

    Examples
    --------
    >>> import torch
    >>> soft_cross_entropy(torch.zeros(1, 2), torch.tensor([[0.5, 0.5]])).item()
    0.6931471824645996
    """
    _check_shapes(logits, targets)
    if targets.ndim == 1:
        if check:
            _check_classes(targets, logits.shape[1])
        return functional.cross_entropy(logits, targets.long(), reduction=reduction)
    if check:
        _check_rows(targets)
    return functional.cross_entropy(logits, targets.to(logits.dtype), reduction=reduction)


def _check_shapes(logits: torch.Tensor, targets: torch.Tensor) -> None:
    if not isinstance(logits, torch.Tensor):
        raise ValueError(
            f"the module gives a {type(logits).__name__}; expected logits alone, a tensor (r, k): wrap it in a module "
            "that picks them out"
        )
    if logits.ndim != 2:
        raise ValueError(f"logits have shape {tuple(logits.shape)}; expected one row for each item, (r, k)")
    floating = targets.is_floating_point()
    if targets.dtype == torch.bool or targets.shape != (logits.shape if floating else logits.shape[:1]):
        raise ValueError(
            f"targets are {str(targets.dtype).removeprefix('torch.')} of shape {tuple(targets.shape)}; for logits of "
            f"shape {tuple(logits.shape)} expected ({logits.shape[0]},) whole numbers (classes) or "
            f"{tuple(logits.shape)} floating (probabilities)"
        )


def _check_classes(targets: torch.Tensor, k: int) -> None:
    wrong = (targets < 0) | (targets >= k)
    bad = int(wrong.sum())
    if bad:
        row = int(wrong.nonzero()[0, 0])
        raise ValueError(
            f"target {row} is class {int(targets[row])}, but there are {k} classes, 0..{k - 1}; {bad} of "
            f"{targets.shape[0]} targets are out of range"
        )


def _check_rows(targets: torch.Tensor) -> None:
    if targets.shape[0] == 0:
        return
    tolerance = SUM_TOLERANCE.get(targets.dtype, 1e-4)
    total = targets.sum(dim=1, dtype=torch.float32 if targets.dtype in SUM_TOLERANCE else None)
    # Both written so that NaN fails.
    fine = bool((targets.min() >= 0) & ((total - 1).abs().max() <= tolerance))
    if fine:
        return
    negative = ~(targets >= 0).all(dim=1)
    if negative.any():
        row = int(negative.nonzero()[0, 0])
        raise _refusal(
            f"target row {row} is {_format_shape(targets[row])}; expected probabilities of 0 or more; "
            f"{int(negative.sum())} of {targets.shape[0]} rows have others",
            targets,
        )
    off = (total - 1).abs() > tolerance
    row = int(off.nonzero()[0, 0])
    raise _refusal(
        f"target row {row} sums to {float(total[row]):g}, expected 1; {int(off.sum())} of {targets.shape[0]} rows do "
        "not sum to 1",
        targets,
    )


def _refusal(problem: str, targets: torch.Tensor) -> Refusal:
    """Return a refusal with the ways out that fit the numbers, none if some are not finite."""
    rows = targets.detach().double().cpu().numpy()
    if not np.isfinite(rows).all():
        return Refusal(problem)
    look, ways = row_ways(
        rows,
        divide=[PythonWay("divide each row by its sum with Distributions.from_mass")],
        count=[PythonWay("call Distributions.from_counts")],
    )
    return Refusal(f"{problem}; {look}", ways=ways)


def _format_shape(row: torch.Tensor) -> str:
    numbers = ", ".join(f"{value:g}" for value in row[:8].tolist())
    return f"[{numbers}{', ...' if row.numel() > 8 else ''}]"
