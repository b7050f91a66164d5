"""The study that a TOML file describes, or the same keys in Python.

`read_study` takes it from a file, `study_of` from values. Both check everything that can be checked without the data;
`read_data.py` and `checks.py` do the rest before anything runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dissensus.aggregate.aggregations import AGGREGATIONS
from dissensus.evaluate.metrics import METRICS
from dissensus.labels.completion import COMPLETIONS
from dissensus.study.model_settings import ModelSettings, model_settings
from dissensus.study.pipes import check_delivery, check_transforms
from dissensus.study.spec import (
    ALONE,
    FAMILIES,
    SCHEMES,
    SIDES,
    TESTS,
    Comparing,
    DataSource,
    Evaluation,
    LabelRecipe,
    Split,
    Study,
)
from dissensus.study.spec_lines import SpecText, read_toml

_TOP = (
    "name",
    "question",
    "seeds",
    "delivery",
    "keep_models",
    "data",
    "labels",
    "model",
    "split",
    "evaluate",
    "compare",
    "skip",
)
_DATA = ("labels", "features", "images", "people", "by_position")
_LABELS = ("votes", "completion", "aggregation", "transforms")
_SPLIT = ("scheme", "test", "validation", "folds", "column", "file")
_EVALUATE = ("metrics", "slices", "probes")
_COMPARE = ("baseline", "test", "side", "family")


def read_study(path: str | Path) -> Study:
    """The study of a TOML file."""
    values, text = read_toml(Path(path))
    values.setdefault("name", Path(path).stem)
    return study_of(values, text)


def study_of(values: Mapping[str, Any], text: SpecText = SpecText()) -> Study:  # noqa: B008  (frozen)
    """The study of the keys that a file would have; labels, features and images may be values here."""
    text.check_keys(values, _TOP, ())
    for key in ("data", "model"):
        if not values.get(key):
            text.refuse((key,), f"is missing; expected {'[data.NAME]' if key == 'data' else '[model]'} with its keys")
    data = {str(name): _data(source, ("data", str(name)), text) for name, source in _tables(values, text).items()}
    evaluation, split = _evaluation(_table(values, "evaluate", text), text), _split(_table(values, "split", text), text)
    study = Study(
        name=_name(values.get("name", "study"), text),
        question=_question(values.get("question", ""), text),
        data=data,
        labels=_labels(_table(values, "labels", text), text),
        deliveries=_deliveries(values.get("delivery", "soft"), text),
        models=_models(values["model"], evaluation, text),
        split=split,
        seeds=_seeds(values.get("seeds", 5), text),
        evaluation=evaluation,
        comparing=_comparing(_table(values, "compare", text), split.scheme, text),
        skip=tuple(_skipped(rule, place, text) for place, rule in enumerate(_listed(values.get("skip", [])), 1)),
        keep_models=_yes_or_no(values.get("keep_models", False), ("keep_models",), text),
        text=text,
    )
    _check_inputs(study)
    return study


def _name(value: Any, text: SpecText) -> str:
    if not isinstance(value, str) or not value.strip():
        text.refuse(("name",), f"{value!r} is no name; expected a few words")
    return value.strip()


def _question(value: Any, text: SpecText) -> str:
    if not isinstance(value, str):
        text.refuse(("question",), f"is {value!r}; expected a sentence between quotes")
    return value


def _table(values: Mapping[str, Any], key: str, text: SpecText) -> Mapping[str, Any]:
    table = values.get(key, {})
    if not isinstance(table, Mapping):
        text.refuse((key,), f"is {table!r}; expected a table, [{key}]")
    return table


def _tables(values: Mapping[str, Any], text: SpecText) -> Mapping[str, Any]:
    """[data.NAME] tables; a single [data] is named after its labels."""
    table = _table(values, "data", text)
    if "labels" not in table or isinstance(table["labels"], Mapping):
        return table
    labels = table["labels"]
    return {Path(labels).stem if isinstance(labels, str) else "data": table}


def _data(source: Any, path: tuple[str, ...], text: SpecText) -> DataSource:
    if isinstance(source, DataSource):
        return source
    if not isinstance(source, Mapping):
        text.refuse(path, f"is {source!r}; expected a table with the keys {', '.join(_DATA)}")
    path = path if path in text.lines else path[:1]
    text.check_keys(source, _DATA, path)
    if source.get("labels") is None:
        text.refuse(path, "has no labels; expected labels = a data set or a file")
    if source.get("features") is None and source.get("images") is None:
        text.refuse(
            path,
            'has neither features nor images; expected features = "x.npy" or "pixels" for heads, '
            "images = a data set or a folder for networks",
        )
    for key in ("labels", "features", "images", "people"):
        if text.text and not isinstance(source.get(key, ""), str):
            text.refuse((*path, key), f"is {source[key]!r}; expected one name or path between quotes")
        if isinstance(source.get(key), str) and not source[key]:
            text.refuse((*path, key), "is empty; expected a name or a path")
    by_position = _yes_or_no(source.get("by_position", False), (*path, "by_position"), text)
    return DataSource(**(dict(source) | {"by_position": by_position}))


def _labels(table: Mapping[str, Any], text: SpecText) -> tuple[LabelRecipe, ...]:
    text.check_keys(table, _LABELS, ("labels",))
    axes: dict[str, list[Any]] = {}
    for key in _LABELS:
        path = ("labels", key)
        axes[key] = [_label_value(key, value, path, text) for value in _axis(table.get(key, "none"), path, text)]
    return tuple(
        LabelRecipe(votes, completion, aggregation, transforms)
        for votes in axes["votes"]
        for completion in axes["completion"]
        for aggregation in axes["aggregation"]
        for transforms in axes["transforms"]
    )


def _label_value(key: str, value: Any, path: tuple[str, ...], text: SpecText) -> Any:
    if key == "votes":
        if value in ("none", "all"):
            return None
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            text.refuse(path, f'is {value!r}; expected how many answers per item, 1 or more, or "all"')
        return value
    if key == "transforms":
        return "" if value in ("none", "") else check_transforms(value, path, text)
    known = COMPLETIONS if key == "completion" else AGGREGATIONS
    return None if value == "none" else text.one_of(value, ("none", *known), path)


def _deliveries(value: Any, text: SpecText) -> tuple[str, ...]:
    pipes = [check_delivery(pipe, ("delivery",), text) for pipe in _axis(value, ("delivery",), text)]
    return tuple(_axis(pipes, ("delivery",), text))  # again: one spelling may be there twice


def _models(value: Any, evaluation: Evaluation, text: SpecText) -> tuple[ModelSettings, ...]:
    tables = _listed(value)
    models: list[ModelSettings] = []
    for place, table in enumerate(tables, 1):
        path = ("model", str(place)) if isinstance(value, list | tuple) else ("model",)
        if isinstance(table, ModelSettings):
            models.append(table)
            continue
        if not isinstance(table, Mapping):
            text.refuse(path, f"is {table!r}; expected a table with head = … or network = …")
        for model in model_settings(table, path, text):
            if model in models:
                text.refuse(path, f"{model.name} with these settings is there already; expected each model once")
            models.append(model)
    if evaluation.probes and (heads := [model.name for model in models if model.kind == "head"]):
        text.refuse(("evaluate", "probes"), f"probes look into networks, and {heads[0]} is a head; leave one out")
    return tuple(models)


def _split(table: Mapping[str, Any], text: SpecText) -> Split:
    text.check_keys(table, _SPLIT, ("split",))
    given = dict(table)
    scheme = text.one_of(given.get("scheme", Split.scheme), SCHEMES, ("split", "scheme"))
    needed = {"test": ("per-seed", "fixed"), "folds": ("k-fold",), "column": ("column",), "file": ("file",)}
    for key, schemes in needed.items():
        if key in given and scheme not in schemes:
            text.refuse(("split", key), f"means nothing to the scheme {scheme!r}; it is for {' and '.join(schemes)}")
    for key in ("column", "file"):
        if not isinstance(given.get(key, ""), str | Path):
            text.refuse(("split", key), f"is {given[key]!r}; expected one name between quotes")
    if scheme == "file" and not given.get("file"):
        text.refuse(("split",), "the scheme 'file' needs file = a table with the columns item and part")
    if not _share(given.get("test", Split.test), least=0):
        text.refuse(("split", "test"), f"is {given['test']!r}; expected a share of the items between 0 and 1")
    validation = given.get("validation", Split.validation)
    if validation != "test" and (isinstance(validation, bool) or not (_share(validation, least=0) or validation == 0)):
        text.refuse(("split", "validation"), f'is {validation!r}; expected a share from 0 to below 1, or "test"')
    folds = given.get("folds", Split.folds)
    if not isinstance(folds, int) or isinstance(folds, bool) or folds < 2:
        text.refuse(("split", "folds"), f"is {folds!r}; expected a whole number of 2 or more")
    return Split(**given | {"validation": validation if validation == "test" else float(validation)})


def _evaluation(table: Mapping[str, Any], text: SpecText) -> Evaluation:
    text.check_keys(table, _EVALUATE, ("evaluate",))
    known = {"metrics": tuple(METRICS), "probes": ALONE}
    chosen: dict[str, tuple[str, ...]] = {}
    for key, value in table.items():
        path = ("evaluate", key)
        names = _axis(value, path, text, may_be_empty=key != "metrics")
        chosen[key] = tuple(text.one_of(name, known[key], path) if key in known else str(name) for name in names)
    return Evaluation(**chosen)


def _comparing(table: Mapping[str, Any], scheme: str, text: SpecText) -> Comparing | None:
    if not table:
        return None
    text.check_keys(table, _COMPARE, ("compare",))
    if "baseline" not in table:
        text.refuse(("compare",), 'has no baseline; expected baseline = {delivery = "soft"}, or other values of an arm')
    baseline = table["baseline"]
    if not isinstance(baseline, Mapping) or not baseline:
        text.refuse(("compare", "baseline"), f'is {baseline!r}; expected a table such as {{delivery = "soft"}}')
    for key, known in (("test", TESTS), ("side", SIDES), ("family", FAMILIES)):
        if key in table:
            text.one_of(table[key], known, ("compare", key))
    usual = "corrected-t" if scheme in ("per-seed", "k-fold") else "wilcoxon"
    return Comparing(**({"test": usual} | dict(table)))


def _skipped(rule: Any, place: int, text: SpecText) -> Mapping[str, Any]:
    if not isinstance(rule, Mapping) or not rule:
        text.refuse(("skip", str(place)), f'is {rule!r}; expected a table such as {{delivery = "sls", votes = 1}}')
    return dict(rule)


def _seeds(value: Any, text: SpecText) -> tuple[int, ...]:
    value = list(value) if isinstance(value, range) else value
    seeds = list(range(value)) if isinstance(value, int) and not isinstance(value, bool) else value
    if not isinstance(seeds, list | tuple) or not seeds:
        text.refuse(("seeds",), f"is {value!r}; expected how many, 1 or more, or a list such as [0, 1, 2]")
    for seed in seeds:
        if not isinstance(seed, int) or isinstance(seed, bool) or not 0 <= seed < 2**32:
            text.refuse(("seeds",), f"{seed!r} is no seed; expected whole numbers from 0 to 2**32 - 1")
    if len(set(seeds)) < len(seeds):
        twice = next(seed for seed in seeds if list(seeds).count(seed) > 1)
        text.refuse(("seeds",), f"has {twice} twice; expected each seed once")
    return tuple(seeds)


def _check_inputs(study: Study) -> None:
    """Each set has what each model takes."""
    for name, source in study.data.items():
        for model in study.models:
            needs = "features" if model.kind == "head" else "images"
            if getattr(source, needs) is None:
                study.text.refuse(("data", name), f"has no {needs}, which {model.name} learns from; add {needs} = …")


def _axis(value: Any, path: tuple[str, ...], text: SpecText, *, may_be_empty: bool = False) -> Sequence[Any]:
    values = _listed(value)
    if not values and not may_be_empty:
        text.refuse(
            path,
            "is an empty list, so the study would have nothing to show; expected one value or more"
            if path[:1] == ("evaluate",)
            else "is an empty list, so the study would have no cells; expected one value or more",
        )
    for place, item in enumerate(values):
        if item in values[:place]:
            text.refuse(path, f"has {item!r} twice; expected each value once, or the study would have cells twice")
    return values


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]


def _share(value: Any, least: float) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and least < value < 1


def _yes_or_no(value: Any, path: tuple[str, ...], text: SpecText) -> bool:
    if not isinstance(value, bool):
        text.refuse(path, f"is {value!r}; expected true or false")
    return value
