"""Evidence in the values of columns against the roles that were guessed from their names."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from dissensus.files.spelling import as_numbers, whole_floats_in_text
from dissensus.files.tables.columns import Reading, fold_name, role_of
from dissensus.files.tables.source import SourceTable
from dissensus.labels.frames import whole_floats
from dissensus.labels.names import text_column
from dissensus.labels.refusals import Way

FEW = 6  # rows below which coincidences are too likely to say anything
NO_ANNOTATORS = Way("pass {annotator} if the annotators are unknown", annotator="")
MANY = 20  # different labels above which fractions or sentences are not classes
WORDS = 4  # on average, from which on a value is a text
REMARKS = ("explanation", "rationale", "note", "notes", "remark")  # texts about an answer, not about an item


def refuse_labels_that_are_no_classes(source: SourceTable, label: str) -> None:
    """A guessed label column that has texts, measurements or identifiers has as many classes as rows."""
    kind = source.table[label].type
    if pa.types.is_nested(kind) or len(source.table[label].unique()) <= MANY:
        return
    values = _values(source, label)
    different = len(values.unique())
    if _are_fractions(values):
        reason = f"{different:,} different fractions"
    elif _are_texts(values) and different > len(values) / 2:
        reason = f"texts, {different:,} different ones"
    elif different > 0.9 * len(values):
        reason = f"{different:,} different values in {len(values):,} rows"
    else:
        return
    raise source.refusal(
        f"column {label!r} looks like the label by its name, but has {reason}",
        Way("name another column with {label}", label=...),
        Way("pass {label} if each is a class", label=label),
    )


def refuse_labels_of_items(
    source: SourceTable, roles: dict[str, str | None], reading: Reading, used: list[str]
) -> None:
    """A guessed label column that never differs between the answers to an item may describe the item, if a column
    of few values, which does differ and is not about the annotator, may be the answer.

    roles: the columns of item, annotator and label
    """
    item, label = (source.codes(str(roles[role])) for role in ("item", "label"))
    if fold_name(str(roles["label"])) == "label" or item is None or label is None or source.size < FEW:
        return
    if not _tells(item, label) or _different(item) > source.size / 1.5:
        return
    who = source.codes(roles["annotator"]) if roles["annotator"] else None
    for name in source.columns:
        values = source.codes(name) if name not in used and role_of(name, reading) is None else None
        if values is None or not 2 <= _different(values) <= MANY or _tells(item, values):
            continue
        if who is None or not _tells(who, values):
            raise source.refusal(
                f"column {roles['label']!r} looks like the label by its name, but is the same in all answers to an "
                f"item, while {name!r} differs",
                Way("pass {label} if the answers are there", label=name),
                Way("pass {label} if all agreed", label=roles["label"]),
            )


def refuse_texts_for_people(source: SourceTable, annotator: str) -> None:
    if is_number(source.table[annotator]):
        return
    values = _values(source, annotator)
    if len(values) and _are_texts(values):
        raise source.refusal(
            f"column {annotator!r} looks like the annotator by its name, but has texts such as "
            f"{values[0].as_py()!r:.60}",
            Way("pass {annotator} if these are people", annotator=annotator),
            NO_ANNOTATORS,
        )


def refuse_unnamed_people(source: SourceTable, item: str, reading: Reading, used: list[str]) -> None:
    """If no column looks like the annotator by its name, ask about one that does by its values."""
    asked = source.codes(item)
    if asked is None or source.size < max(FEW, 1.5 * _different(asked)):
        return
    people = [name for name in _nameless(source, reading, used) if pair_up(asked, source.codes(name))]
    if people:
        raise source.refusal(
            f"no column looks like the annotator by its name, but the values of {people[0]!r} repeat and never answer "
            "an item twice, as people do",
            Way("pass {annotator}", annotator=people[0]),
            NO_ANNOTATORS,
        )


def refuse_numbered_answers(
    source: SourceTable, item: str, annotator: str | None, reading: Reading, used: list[str]
) -> None:
    """A guessed item column with a different value in every row may number the answers, if another column repeats."""
    if fold_name(item) == "item" or source.size < FEW:
        return
    nameless = [name for name in _nameless(source, reading, used) if _repeats(source.codes(name))]
    asked = source.codes(item) if nameless else None
    if asked is None or _different(asked) < source.size:
        return
    if annotator is None:
        pairs = [pair for pair in combinations(nameless[:8], 2) if pair_up(*map(source.codes, pair))]
        others = [name for pair in pairs[:1] for name in pair] or _repeated_texts(source, reading, used)
    else:
        others = [name for name in nameless if pair_up(source.codes(name), source.codes(annotator))]
    if others:
        raise source.refusal(
            f"column {item!r} has a different value in every row, so it may number the answers, while {others[0]!r} "
            "repeats as items do",
            *(Way("pass {item} if they are named there", item=name) for name in others),
            Way("pass {item} if every answer is about another item", item=item),
        )


def _repeated_texts(source: SourceTable, reading: Reading, used: list[str]) -> list[str]:
    """The texts that items may be named by: the one column of them, if it repeats, also beside other texts."""
    rest = [name for name in _nameless(source, reading, used) if fold_name(name) not in REMARKS]
    texts = [name for name in rest if role_of(name, reading) == "text" or _are_texts(_values(source, name))]
    together = np.zeros(source.size, dtype=np.int64)
    for name in texts:
        codes = source.codes(name)
        assert codes is not None
        together = np.unique(together * (int(codes.max(initial=0)) + 1) + codes, return_inverse=True)[1]
    return texts if _repeats(together) else []


def not_people(source: SourceTable, columns: list[str]) -> dict[str, str]:
    """Which of these columns cannot be one person's labels, and what they have instead."""
    different = {name: set(_values(source, name).unique().to_pylist()) for name in columns}
    used_by = Counter(value for values in different.values() for value in values)
    common = any(count > 1 for count in used_by.values())
    reasons = {name: _not_a_person(source, name, different[name], used_by, common) for name in columns}
    return {name: reason for name, reason in reasons.items() if reason is not None}


def _not_a_person(
    source: SourceTable, column: str, different: set[str], used_by: Counter[str], common: bool
) -> str | None:
    """Contents unlike labels: texts, identifiers, or values in no other column while the others share some."""
    values = _values(source, column)
    size = len(values)
    if size < 3:
        return None
    shared = sum(used_by[value] > 1 for value in different) / len(different)
    if _are_texts(values) and (len(different) > size / 2 or shared <= 0.1):
        return f"texts such as {values[0].as_py()!r:.40}"
    if len(different) >= 0.9 * size and (shared <= 0.1 or _counts_on(values) or size == source.size >= 5):
        return f"identifiers, {len(different):,} different values in {size:,} rows"
    if not shared and common:
        return f"values such as {values[0].as_py()!r:.40}, which no other column has"
    return None


def _nameless(source: SourceTable, reading: Reading, used: list[str]) -> list[str]:
    """Columns that could be items or annotators as far as their names tell: whole numbers or text, without gaps."""
    rest = [name for name in source.columns if name not in used and role_of(name, reading) in (None, "text")]
    return [name for name in rest if not source.table[name].null_count and _names_things(source.table[name])]


def is_number(column: pa.ChunkedArray) -> bool:
    return bool(pa.types.is_integer(column.type) or pa.types.is_floating(column.type))


def _names_things(column: pa.ChunkedArray) -> bool:
    kind = whole_floats(column).type
    text = pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_dictionary(kind)
    return bool(text or pa.types.is_integer(kind))


def _repeats(codes: np.ndarray | None) -> bool:
    """Whether there are at least two values, each used twice on average.  (m,)"""
    return codes is not None and 2 <= _different(codes) <= codes.size / 2


def _different(codes: np.ndarray) -> int:
    return int(np.count_nonzero(np.bincount(codes[codes >= 0])))


def _tells(known: np.ndarray, other: np.ndarray) -> bool:
    """Whether the value of one column determines that of another.  (m,), (m,)"""
    pairs = np.unique((known.astype(np.int64) + 1) * (int(other.max(initial=0)) + 2) + other + 1)
    return bool(pairs.size == np.unique(known).size)


def pair_up(first: np.ndarray | None, second: np.ndarray | None) -> bool:
    """Whether two columns repeat their values, but no pair of them.  (m,), (m,)"""
    if first is None or second is None or not _repeats(first) or not _repeats(second):
        return False
    return bool(np.unique(first.astype(np.int64) * (int(second.max()) + 1) + second).size == first.size)


def _values(source: SourceTable, column: str) -> pa.ChunkedArray:
    """The values that are not null, as text; whole floats as the integers they are."""
    values = source.table[column]
    if pa.types.is_nested(values.type) or pa.types.is_binary(values.type):
        return pa.chunked_array([], pa.string())
    if pa.types.is_floating(values.type):
        values = whole_floats(values.filter(pc.is_valid(values)).filter(pc.invert(pc.is_nan(values.drop_null()))))
    return whole_floats_in_text(text_column(values)).drop_null()


def _are_texts(values: pa.ChunkedArray) -> bool:
    words = pc.mean(pc.list_value_length(pc.utf8_split_whitespace(values.unique()))).as_py()
    return bool(words >= WORDS)


def _are_fractions(values: pa.ChunkedArray) -> bool:
    numbers = as_numbers(values)
    return pa.types.is_floating(numbers.type) and pa.types.is_floating(whole_floats(numbers).type)


def _counts_on(values: pa.ChunkedArray) -> bool:
    numbers = as_numbers(values)
    return pa.types.is_integer(numbers.type) and bool((np.diff(numbers.to_numpy()) == 1).all())
