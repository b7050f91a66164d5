"""What tells a set of items from every other: a hash of their names and of what they are."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

import numpy as np

from dissensus.labels.row_numbers import are_named


def content_hash(names: np.ndarray, content: Iterable[Any]) -> str:
    """SHA-256 over the names and the content, each part with its length, so that no two lists run together.

    names: (n,); content: bytes, or buffers of them
    """
    digest = hashlib.sha256(b"" if are_named(names) else b"unnamed")
    texts = [str(name).encode() for name in names.tolist()]
    digest.update(b"".join(len(text).to_bytes(8) + text for text in texts))
    for part in (b"", *content):
        digest.update(memoryview(part).nbytes.to_bytes(8))
        digest.update(part)
    return digest.hexdigest()
