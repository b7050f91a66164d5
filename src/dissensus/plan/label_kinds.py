"""The kinds of label that a plan compares."""

from __future__ import annotations

from typing import Literal, TypeGuard

LabelKind = Literal["hard", "sparse", "top-class", "soft", "pairwise"]
WholeKind = Literal["hard", "soft"]  # about all classes: the nearest one, or a number for each
PartialKind = Literal["sparse", "top-class"]  # numbers for k_hat of the classes: each item's largest, or the same ones

LABEL_KINDS: tuple[LabelKind, ...] = ("hard", "sparse", "top-class", "soft", "pairwise")
WHOLE_KINDS: tuple[WholeKind, ...] = ("hard", "soft")
PARTIAL_KINDS: tuple[PartialKind, ...] = ("sparse", "top-class")


def label_name(kind: LabelKind, k_hat: int) -> str:
    """The name of a kind of label in tables and sentences, with its number of classes if that can be chosen."""
    return f"{kind} ({k_hat} {'class' if k_hat == 1 else 'classes'})" if kind in PARTIAL_KINDS else kind


def is_partial(kind: LabelKind) -> TypeGuard[PartialKind]:
    """Whether the number of classes of a kind of label can be chosen."""
    return kind in PARTIAL_KINDS
