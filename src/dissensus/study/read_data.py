"""The data that a study names, read and brought into one order."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from dissensus.files.convert_command import REPEATED, convert_command, write_option
from dissensus.files.notices import to_stderr
from dissensus.files.plain_tables import read_table
from dissensus.labels.beliefs import Beliefs
from dissensus.labels.completion import COMPLETIONS, usual_completion
from dissensus.labels.content_hash import hash_items, hash_labels, hash_values
from dissensus.labels.distributions import Distributions
from dissensus.labels.matching import match_items
from dissensus.labels.names import first_repeated, item_positions
from dissensus.labels.refusals import Refusal, Toml, Way
from dissensus.labels.row_numbers import are_named
from dissensus.labels.shares import Labels, as_distributions
from dissensus.study.data import Say, StudyData
from dissensus.study.sources import images_of_data_set, read_feature_table, read_image_table, read_labelled_items
from dissensus.study.spec import DataSource, Study
from dissensus.train.heads.features import FeatureTable
from dissensus.train.images import ImageTable, fingerprint
from dissensus.train.matching import Table, items_of, match_table


def load_data(study: Study, say: Say = to_stderr) -> dict[str, StudyData]:
    """Read all data of a study; an error names the data set and its line in the file.

    Parameters
    ----------
    study : by `read_study` or `study_of`
    say   : receives notices, such as the column mapping

    Returns
    -------
    dict of StudyData by name

    Examples
    --------
    >>> labels = Distributions.from_counts([[2, 1], [0, 3]] * 10)
    >>> data = {"labels": labels, "features": np.tile(np.eye(2), (10, 1))}
    >>> study = study_of({"data": data, "model": {"head": "logistic", "penalty": 1}, "seeds": 2})
    >>> load_data(study, say=lambda notice: None)["data"].n_items
    20
    """
    loaded = {}
    for name, source in study.data.items():
        try:
            loaded[name] = _load(name, source, say)
        except (ValueError, OSError) as problem:
            table = ("data", name) if ("data", name) in study.text.lines or not study.text.text else ("data",)
            key = (problem.key,) if isinstance(problem, _KeyError) else ()
            study.text.refuse((*table, *key), _word_for_studies(problem))
        if study.split.scheme == "file":  # once: workers may have no such file, and it may change while they work
            try:
                loaded[name] = replace(loaded[name], given=parts_in_file(loaded[name].labels.items, study.split.file))
            except (ValueError, OSError) as problem:
                study.text.refuse(("split",), f"{name}: {problem}")
    return loaded


class _KeyError(ValueError):
    """A problem with one key of a data set."""

    def __init__(self, problem: Exception, key: str) -> None:
        super().__init__(_word_for_studies(problem))
        self.key = key


class _DataTable(Toml):
    """A table [data.NAME]: settings of readers that it has no key for become a `dissensus convert` command."""

    def __init__(self) -> None:
        super().__init__([entry.name for entry in fields(DataSource)])
        self.commands = 0

    def replace_way(self, way: Way, place: str) -> str | None:
        """Return the whole command the first time, and only its options for every further way out."""
        command = convert_command(place, way.settings)
        if command is None:
            return None
        self.commands += 1
        options = " ".join(write_option(name, way.settings[name], repeated=name in REPEATED) for name in way.settings)
        return f"make a plain file first: `{command}`" if self.commands == 1 else f"`{options}`"


def _word_for_studies(problem: Exception) -> str:
    return problem.word(_DataTable()) if isinstance(problem, Refusal) else str(problem)


@contextmanager
def _key(name: str) -> Iterator[None]:
    try:
        yield
    except (ValueError, OSError) as problem:
        raise _KeyError(problem, name) from None


def parts_in_file(items: np.ndarray, path: str | Path) -> np.ndarray:
    """The part that a table with the columns item and part has each item in.  (n,) -> (n,) texts"""
    if not Path(path).exists():
        raise ValueError(f"{path}: no such file; expected a table with the columns item and part")
    table: Any = read_table(Path(path))
    for column in ("item", "part"):
        if column not in table.column_names:
            raise ValueError(f"{path}: has the columns {', '.join(table.column_names)}; expected item and part")
    named = table["item"].to_pylist()
    if (twice := first_repeated(list(map(str, named)))) is not None:
        raise ValueError(f"{path}: item {twice} is there twice; expected each item once, in one part")
    rows = item_positions(items, np.array(named))
    if (rows < 0).any():
        first = items[np.argmax(rows < 0)]
        raise ValueError(
            f"{path}: item {first} is not in it; {np.count_nonzero(rows < 0)} of {rows.size} items are not"
        )
    return np.array([str(part) for part in table["part"].to_pylist()])[rows]


def _load(name: str, source: DataSource, say: Say) -> StudyData:
    with _key("labels"):
        items = read_labelled_items(source.labels, say)
        if items.labels.n_classes < 2:
            raise ValueError(f"all answers are {items.labels.classes[0]!r}; expected two classes or more")
    labels, rows = items.labels, np.arange(items.labels.n_items)
    with _key("features"):
        features = _features(source)
    with _key("images"):
        images = None if source.images is None else read_image_table(source.images)
    nameless = [table for table in (features, images) if table is not None and not _by_name(table, labels)]
    # Only what has no names is matched by position; where all have, match_table refuses to do so.
    by_position = {id(table): source.by_position for table in nameless or (features, images)}
    if features is not None:
        features, labels, rows = _match(features, labels, say, by_position.get(id(features), False))
    if images is not None:
        images, labels, kept = _match(images, labels, say, by_position.get(id(images), False))
        features, rows = None if features is None else features.select(kept), rows[kept]
    with _key("labels" if source.people is None else "people"):
        people = _people(source, items.labels, rows, labels, say)
        people.select(np.arange(1)).to_arrow()  # refuses names of classes that no file of predictions can have
    columns = {
        column: np.array([_text(value) for value in items.items[column].take(pa.array(rows)).to_pylist()], object)
        for column in items.items.column_names
        if column not in ("item", "gold", "text", "premise", "hypothesis")
    }
    with _key("features"):
        values = None if features is None else _numbers(features)
    gold = items.gold[rows]
    checksums = {
        "labels": hash_labels(labels),
        "people": hash_labels(people),
        "gold": hash_values([gold.astype(np.int64)]),
    }
    checksums |= {f"column {name}": hash_values([column]) for name, column in columns.items()}
    if features is not None and values is not None:
        checksums["features"] = hash_items(features.items, [str(values.shape).encode(), values])
    if images is not None:
        checksums["images"] = fingerprint(images)
    return StudyData(name, labels, people, values, images, gold, columns, checksums)


def _by_name(table: FeatureTable | ImageTable, labels: Labels) -> bool:
    return table.named and are_named(labels.items)


def _match(table: Table, labels: Labels, say: Say, by_position: bool) -> tuple[Table, Labels, np.ndarray]:
    """The items with labels and inputs, in the same order, and their rows among the labels."""
    matched, kept = match_table(table, labels, say, by_position=by_position)
    rows = item_positions(kept.items, labels.items) if _by_name(table, labels) else np.arange(labels.n_items)
    return matched, kept, rows


def _text(value: Any) -> str | None:
    return None if value is None or value != value else str(value)  # NaN is not itself


def _people(source: DataSource, own: Labels, rows: np.ndarray, matched: Labels, say: Say) -> Distributions:
    """The labels to evaluate against, for the matched items in their order."""
    items, classes = matched.items, matched.classes
    labels = own if source.people is None else read_labelled_items(source.people, say).labels
    if isinstance(labels, Beliefs):
        labels = COMPLETIONS[usual_completion(labels)](labels)
    if source.people is None:
        known = rows
    elif source.by_position and are_named(items) != are_named(labels.items):
        match_items(own.items, labels.items, ("labels", "people"), by_position=True)
        known = rows
    else:
        known = item_positions(items, labels.items)
    if (known < 0).any():
        raise ValueError(
            f"people: item {items[np.argmax(known < 0)]} has none; {np.count_nonzero(known < 0)} of {items.size} items "
            "have training labels, but none to evaluate against: leave them out of the labels"
        )
    people = as_distributions(items_of(labels, known))
    if people.classes != classes:
        if set(people.classes) != set(classes):
            raise ValueError(
                f"people have the classes {list(people.classes)}, labels {list(classes)}; expected the same"
            )
        order = [people.classes.index(name) for name in classes]
        people = replace(people, probs=people.probs[:, order], classes=classes)
    return replace(people, items=items)


def _features(source: DataSource) -> FeatureTable | None:
    if source.features is None:
        return None
    if isinstance(source.features, str) and source.features == "pixels":
        images = images_of_data_set(str(source.labels)) if source.images is None else read_image_table(source.images)
        flat = images.pixels.reshape(len(images), -1)
        return FeatureTable(flat.astype(np.float32) / 255, images.items if images.named else None)
    return read_feature_table(source.features)


def _numbers(features: FeatureTable) -> np.ndarray:
    """As models take them.  (n, d) float32"""
    if not features.values.shape[1]:
        raise ValueError(f"there are no columns in features of shape {features.values.shape}; expected one or more")
    with np.errstate(over="ignore"):
        values = np.ascontiguousarray(features.values, dtype=np.float32)
    large = ~np.isfinite(values)
    if large.any():
        row, column = (int(place[0]) for place in np.nonzero(large))
        raise ValueError(
            f"item {features.items[row]} has the feature {features.values[row, column]:g} in column {column}, too "
            f"large for numbers of 32 bits; {np.count_nonzero(large)} of {values.size} are: scale them"
        )
    return values
