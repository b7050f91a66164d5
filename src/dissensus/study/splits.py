"""The training, validation and test items of a study."""

from __future__ import annotations

import numpy as np

from dissensus.labels.refusals import one_of
from dissensus.labels.streams import Stream, stream
from dissensus.study.data import StudyData
from dissensus.study.read_data import parts_in_file
from dissensus.study.spec import Split
from dissensus.train.splits import Parts, deal_stratified, draw_stratified

PARTS = ("train", "validation", "test")


def split_items(data: StudyData, split: Split, seed: int, fold: int | None) -> Parts:
    """The parts for one seed and fold."""
    kinds = data.people.probs.argmax(axis=1)
    if split.scheme in ("column", "file"):
        return _add_validation(_read_parts(data, split), split, kinds, seed)
    if split.scheme == "k-fold":
        assert fold is not None
        test = deal_stratified(kinds, split.folds, stream(seed, Stream.TEST)) == fold
    else:
        test = draw_stratified(kinds, split.test, stream(0 if split.scheme == "fixed" else seed, Stream.TEST))
    parts = Parts(np.flatnonzero(~test), np.zeros(0, np.int64), np.flatnonzero(test))
    return _add_validation(parts, split, kinds, seed)


def depends_on_seed(data: StudyData, split: Split) -> bool:
    """Whether another seed means other parts, so that models of several seeds cannot be trained together."""
    if split.scheme in ("per-seed", "k-fold"):
        return True
    drawn = split.validation not in (0, "test")
    return drawn and not (split.scheme in ("column", "file") and _read_parts(data, split).validation.size)


def _add_validation(parts: Parts, split: Split, kinds: np.ndarray, seed: int) -> Parts:
    """Add validation items, drawn from the training items unless they were given."""
    if split.validation == "test":
        parts = Parts(parts.train, parts.test, parts.test)
    elif not split.validation:  # also where a column or a file names some
        parts = Parts(parts.train, np.zeros(0, np.int64), parts.test)
    elif not parts.validation.size:
        rng = stream(seed, Stream.VALIDATION)
        held = draw_stratified(kinds[parts.train], float(split.validation), rng)
        parts = Parts(parts.train[~held], parts.train[held], parts.test)
    for name in ("train", "test"):
        if getattr(parts, name).size < 2:
            raise ValueError(f"the split leaves {getattr(parts, name).size} {_USE[name]} items; expected 2 or more")
    if split.validation and not parts.validation.size:
        raise ValueError(
            f"validation = {split.validation} of {parts.train.size} items is less than one item; increase it, or set "
            "it to 0"
        )
    return parts


_USE = {"train": "training", "test": "test"}


def _read_parts(data: StudyData, split: Split) -> Parts:
    if split.scheme == "column":
        named = data.columns[one_of("column", split.column, data.columns, place=data.name)]
    else:
        named = parts_in_file(data.labels.items, split.file) if data.given is None else data.given
    for part in sorted(set(named.tolist()), key=str):
        one_of("part of the split", part, PARTS)
    train, validation, test = (np.flatnonzero(named == part) for part in PARTS)
    return Parts(train, validation, test)
