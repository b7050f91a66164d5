"""A table -> Votes, Beliefs or Distributions."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from dissensus.files.spelling import as_numbers
from dissensus.files.tables.beliefs import beliefs_from_table
from dissensus.files.tables.columns import Reading, choose
from dissensus.files.tables.layouts import recognise
from dissensus.files.tables.matrix import distributions_from_table
from dissensus.files.tables.reshape import annotator_columns_to_rows, unnest
from dissensus.files.tables.rows import extra_columns, nan_as_null, shared_fields, who, without_missing
from dissensus.files.tables.several import beliefs_of_ticks, one_row_per_class, split_ticks
from dissensus.files.tables.slider import beliefs_from_slider, hint_at_slider
from dissensus.files.tables.source import SourceTable
from dissensus.files.tables.spellings import ids_as_written, integers_in_text, refuse_classes_alike, words_as_missing
from dissensus.files.tables.survey_exports import refuse_survey_exports
from dissensus.files.tables.took import took_from_table
from dissensus.labels.beliefs import Beliefs
from dissensus.labels.frames import decode_columns, whole_floats
from dissensus.labels.names import encode_classes, first_repeated, ordered_levels, text_column
from dissensus.labels.refusals import Refusal, Way, one_of
from dissensus.labels.shares import Labels
from dissensus.labels.votes import Votes

METADATA = b"dissensus"  # key in an Arrow schema under which a written table says how to read it
STORED = ("layout", "item", "annotator", "label", "seconds", "classes", "items", "annotators", "scale")


def labels_from_table(source: SourceTable, reading: Reading) -> Labels:
    """The value a table has; columns that play no role stay with the answers as extra columns."""
    ours = METADATA in (source.table.schema.metadata or {})
    if source.size == 0 and not ours:
        raise ValueError(f"{source.name}: the table has no rows; expected one row per answer or per item")
    repeated = first_repeated(source.columns)
    if repeated is not None:
        raise ValueError(f"{source.name}: two columns are named {repeated!r}; rename one of {source.columns}")
    refuse_survey_exports(source, reading)
    reading = as_stored(source, reading)
    source = source.with_table(decode_columns(source.table))
    source = _with_gold_named(_without_dropped(source, reading), reading)
    guesses: list[str] = []
    remarks: list[str] = []  # said after what was taken
    say, source = source.say, replace(source, say=remarks.append, guess=guesses.append)
    if not ours:
        source = unnest(source)
    numbers_known = source.with_table(_type_table(source, reading)) if source.text else source
    used = recognise(numbers_known, reading)
    if reading.several is not None and used.layout not in ("votes", "annotators"):
        problem = f"{{several}} is for labels, and this is {used.layout}"
        raise Refusal(problem, source.name, [Way("leave it out")], several=reading.several)
    if not (ours or source.export):  # names in exports are those of accounts and records, not typed by hand
        source = ids_as_written(source, used)
    if used.layout == "counts" and reading.layout is None and reading.rescale:  # mass, of which no votes are known
        used = replace(used, layout="probabilities")
    if used.layout in ("counts", "probabilities"):
        counted = used.layout == "counts" and reading.layout is None and "votes" not in source.columns
        numbers_known = _with_items_of(source, numbers_known, used)
        labels: Labels = distributions_from_table(
            numbers_known, used, check_sums=reading.classes is None, guessed_counts=counted
        )
    elif used.layout == "annotators":
        labels = votes_or_beliefs(*annotator_columns_to_rows(source, used))
    elif used.layout == "votes":
        labels = votes_or_beliefs(source, used)
    elif used.layout == "slider":
        labels = beliefs_from_slider(source, used)
    else:
        labels = beliefs_from_table(source, used)
    if used.layout == "votes" and isinstance(labels, Votes) and reading.classes is None and reading.label is None:
        hint_at_slider(source, str(used.label))
    for notice in (took_from_table(source, reading, used, labels, guesses), *remarks):
        if notice is not None:
            say(notice)
    return labels


def as_stored(source: SourceTable, reading: Reading) -> Reading:
    """The reading that a table written by this package asks for in its schema, if the caller did not say."""
    stored = (source.table.schema.metadata or {}).get(METADATA)
    if stored is None:
        return reading
    try:
        entry = json.loads(stored)
        wishes = {name: entry[name] for name in STORED if entry.get(name) is not None}
        wishes = {name: wish for name, wish in wishes.items() if getattr(reading, name) is None}
        if wishes.get("layout") == "annotators" and "annotators" in wishes:
            others = (*(reading.drop or ()), reading.gold)
            wishes["annotators"] = [name for name in wishes["annotators"] if str(name) not in others]
        if source.rows is not None:
            wishes |= {f"{role}s": _those_left(source, wishes, role) for role in ("item", "annotator")}
        return replace(reading, **wishes, repeats=reading.repeats or "keep")
    except (ValueError, AttributeError, TypeError, RecursionError) as error:
        raise ValueError(
            f"{source.name}: the schema's entry {METADATA!r} is {stored!r:.120}; expected what dissensus writes "
            f"({error}): remove the entry, or write the file again"
        ) from None


def votes_or_beliefs(source: SourceTable, reading: Reading) -> Votes | Beliefs:
    """One label per row as votes; where answers tick several classes, votes or beliefs as `several` says."""
    ticked = split_ticks(source, reading)
    if ticked is None:
        return votes_from_table(source, reading)
    if reading.several == "beliefs":
        return beliefs_of_ticks(ticked, reading)
    return votes_from_table(*one_row_per_class(ticked, reading))


def votes_from_table(source: SourceTable, reading: Reading) -> Votes:
    """reading: as `recognise` filled it in"""
    label = reading.label
    assert label
    source = words_as_missing(source.with_table(nan_as_null(source.table, label)), label, reading)
    source = without_missing(source, label, "label", reading)
    source, roles, shared = shared_fields(source, reading, skip=label)
    column = source.table[label]
    column = integers_in_text(column, reading.classes) if source.text else column
    levels = ordered_levels(column) if reading.classes is None else None
    if reading.classes is None and levels is None:
        refuse_classes_alike(source, label, column)
    choice, classes = encode_classes(whole_floats(column), levels if reading.classes is None else reading.classes)
    bad = np.flatnonzero(choice < 0)
    if bad.size:
        row = int(bad[0])
        raise ValueError(
            f"{source.name}: row {source.row(row)} ({who(source, roles, row)}) has label {column[row].as_py()!r}, but "
            f"the classes are {list(classes)}; {bad.size} of {source.size} rows have another label"
        )
    extra = extra_columns(source, [*roles.values(), label])
    with source.name_rows():
        return Votes(**shared, classes=classes, choice=choice, extra=extra)


def _without_dropped(source: SourceTable, reading: Reading) -> SourceTable:
    absent = [name for name in reading.drop or () if name not in source.columns]
    if absent:
        one_of("column", absent[0], source.columns, place=source.name)
    return source.with_table(source.table.drop_columns(list(reading.drop))) if reading.drop else source


def _with_gold_named(source: SourceTable, reading: Reading) -> SourceTable:
    """The column of right answers under the name `gold`, which no role takes."""
    gold = reading.gold
    if gold is None or gold == "gold" in source.columns:
        return source
    one_of("gold column", gold, source.columns, place=source.name)
    if "gold" in source.columns:
        raise source.refusal(
            f"gold is to be column {gold!r}, but there is a column 'gold' as well",
            Way("leave that one out with {drop}", drop=["gold"]),
        )
    return source.with_table(source.table.rename_columns(["gold" if n == gold else n for n in source.columns]))


def _those_left(source: SourceTable, wishes: dict[str, Any], role: str) -> Any:
    """The stored names that still occur, if only some rows were chosen; None if none are stored."""
    names, column = wishes.get(f"{role}s"), wishes.get(role, role)
    if names is None or column not in source.columns:
        return names
    left = set(text_column(source.table[column]).unique().to_pylist())
    return [name for name in names if str(name) in left]


def _with_items_of(source: SourceTable, numbers_known: SourceTable, reading: Reading) -> SourceTable:
    """The table of numbers with the names of items that another table from the same file has."""
    if not reading.item:
        return numbers_known
    place = numbers_known.columns.index(reading.item)
    return numbers_known.with_table(numbers_known.table.set_column(place, reading.item, source.table[reading.item]))


def _type_table(source: SourceTable, reading: Reading) -> pa.Table:
    """Numbers as numbers, but the names of items as they were typed."""
    item = choose(source, "item", reading, needed=False)
    columns = {name: source.table[name] for name in source.columns}
    return pa.table({name: column if name == item else as_numbers(column) for name, column in columns.items()})
