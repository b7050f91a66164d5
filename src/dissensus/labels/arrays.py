"""Numbers as users have them (tensors, sparse matrices, frames, sequences) as NumPy arrays."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np


def as_array(values: Any) -> np.ndarray:
    """The same numbers as a dense array on the processor; without the gradient of a tensor."""
    torch = sys.modules.get("torch")  # a caller with a tensor has loaded torch
    if torch is not None and isinstance(values, torch.Tensor):
        tensor = values.detach().cpu()
        # NumPy has no bfloat16; its numbers are single-precision ones too.
        return (tensor.float() if tensor.dtype == torch.bfloat16 else tensor).numpy()
    return values.toarray() if is_sparse(values) else np.asarray(values)


def is_sparse(values: Any) -> bool:
    """Whether this is a sparse matrix or array of SciPy."""
    sparse = sys.modules.get("scipy.sparse")  # a caller with one has loaded it
    return sparse is not None and bool(sparse.issparse(values))
