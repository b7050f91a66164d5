"""Hashes of content: SHA-256 of bytes, arrays, labels, items and files, the same wherever the content is stored.

Digests are recorded in cells, checkpoints and model cards, so what enters each of them must not change.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from dissensus.labels.distributions import Distributions
from dissensus.labels.row_numbers import are_named
from dissensus.labels.shares import Labels
from dissensus.labels.votes import Votes


def hash_bytes(parts: Iterable[Any]) -> str:
    """SHA-256 of bytes and buffers, one after the other, in hexadecimal digits."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part)
    return digest.hexdigest()


def hash_text(text: str) -> str:
    """SHA-256 of a text."""
    return hash_bytes([text.encode()])


def hash_file(path: Path, algorithm: str = "sha256") -> str:
    """The hash of a file, with the algorithm in front: "sha256:..."."""
    with path.open("rb") as file:
        return f"{algorithm}:{hashlib.file_digest(file, algorithm).hexdigest()}"


def hash_arrays(arrays: Iterable[np.ndarray]) -> str:
    """SHA-256 over the types, shapes and content of arrays."""
    return hash_bytes(
        part for array in arrays for part in (f"{array.dtype}{array.shape}".encode(), np.ascontiguousarray(array).data)
    )


def hash_values(values: Iterable[Any]) -> str:
    """SHA-256 over arrays and texts, whose names are hashed as they read; None counts as an empty text."""
    return hash_bytes(_readable(values))


def _readable(values: Iterable[Any]) -> Iterator[Any]:
    for value in values:
        array = np.asarray("" if value is None else value)
        yield f"{array.dtype.kind}{array.shape}".encode()
        if array.dtype.kind in "OU":
            yield "".join(f"{len(text)}:{text}" for text in map(str, array.ravel().tolist())).encode()
        else:
            yield np.ascontiguousarray(array).tobytes()


def hash_items(names: np.ndarray, content: Iterable[Any]) -> str:
    """SHA-256 over the names and the content of items, each part with its length, so that no two lists run together.

    names: (n,); content: bytes, or buffers of them
    """
    return hash_bytes(_with_lengths(names, content))


def _with_lengths(names: np.ndarray, content: Iterable[Any]) -> Iterator[Any]:
    yield b"" if are_named(names) else b"unnamed"
    texts = [str(name).encode() for name in names.tolist()]
    yield b"".join(len(text).to_bytes(8) + text for text in texts)
    for part in chain((b"",), content):
        yield memoryview(part).nbytes.to_bytes(8)
        yield part


def hash_labels(labels: Labels) -> str:
    """SHA-256 over everything that an answer is: equal for equal labels, however they were stored."""
    return hash_values(_answers(labels))


def _answers(labels: Labels) -> Iterator[Any]:
    yield type(labels).__name__
    yield from (labels.items, np.array(labels.classes))
    if isinstance(labels, Distributions):
        yield from (labels.probs, labels.votes)
        return
    yield from (labels.item.astype(np.int64), labels.annotators)
    yield None if labels.annotator is None else labels.annotator.astype(np.int64)
    if isinstance(labels, Votes):
        yield labels.choice.astype(np.int64)
    else:
        stated = ~np.isnan(labels.stated)  # a NaN may be written in several ways
        yield from (stated, np.where(stated, labels.stated, 0.0), labels.ruled_out, labels.named.astype(np.int64))
