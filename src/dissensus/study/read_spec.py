"""The study that a TOML file describes, or the same keys in Python.

`read_study` reads a file, `study_of` takes values. Both check everything that can be checked without the data;
`read_data.py` and `checks.py` check the other parts before anything runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from dissensus.aggregate.aggregations import AGGREGATIONS
from dissensus.evaluate.metrics import METRICS
from dissensus.files.toml import TomlText, read_toml
from dissensus.labels.completion import COMPLETIONS
from dissensus.study.model_settings import ModelSettings, model_settings
from dissensus.study.pipes import check_delivery, check_transforms
from dissensus.study.spec import ALONE, Comparing, DataSource, Evaluation, LabelRecipe, Split, Study

_TABLES = ("data", "labels", "model", "split", "evaluate", "compare", "skip")
_TOP = ("name", "question", "seeds", "delivery", "keep_models", *_TABLES)
_DATA, _LABELS, _SPLIT, _EVALUATE, _COMPARE = (
    tuple(entry.name for entry in fields(table)) for table in (DataSource, LabelRecipe, Split, Evaluation, Comparing)
)


def read_study(path: str | Path) -> Study:
    """Read the study of a TOML file, and check everything that can be checked without its data.

    Parameters
    ----------
    path : the file; an error names its line, the key, the value and what was expected

    Returns
    -------
    Study

    Examples
    --------
    >>> from pathlib import Path
    >>> init_study(Path("study.toml"))
    >>> read_study("study.toml").deliveries
    ('soft', 'majority', 'majority | smoothed=0.1')
    """
    values, text = read_toml(Path(path), missing=f"make one to start from: `dissensus study init {path}`")
    values.setdefault("name", Path(path).stem)
    return study_of(values, text)


def study_of(values: Mapping[str, Any], text: TomlText = TomlText("the study")) -> Study:  # noqa: B008  (frozen)
    """Make a study of the keys that a file would have; labels, features and images may be values.

    Parameters
    ----------
    values : the keys and tables of a study
    text   : where they were written, for errors

    Returns
    -------
    Study

    Examples
    --------
    >>> labels = Distributions.from_counts([[2, 1], [0, 3]] * 10)
    >>> data = {"labels": labels, "features": np.tile(np.eye(2), (10, 1))}
    >>> study = study_of({"data": data, "model": {"head": "logistic", "penalty": 1}, "seeds": 2})
    >>> study.seeds
    (0, 1)
    """
    text.check_keys(values, _TOP, ())
    for key in ("data", "model"):
        if not values.get(key):
            text.refuse((key,), f"is missing; expected {'[data.NAME]' if key == 'data' else '[model]'} with its keys")
    data = {
        str(name): _read_data(source, ("data", str(name)), text) for name, source in _read_tables(values, text).items()
    }
    evaluation = _read_evaluation(_read_table(values, "evaluate", text), text)
    split = _read_split(_read_table(values, "split", text), text)
    study = Study(
        name=_read_name(values.get("name", "study"), text),
        question=_read_question(values.get("question", ""), text),
        data=data,
        labels=_read_labels(_read_table(values, "labels", text), text),
        deliveries=_read_deliveries(values.get("delivery", "soft"), text),
        models=_read_models(values["model"], evaluation, text),
        split=split,
        seeds=_read_seeds(values.get("seeds", 5), text),
        evaluation=evaluation,
        comparing=_read_comparing(_read_table(values, "compare", text), split.scheme, text),
        skip=tuple(_read_skip(rule, place, text) for place, rule in enumerate(_as_list(values.get("skip", [])), 1)),
        keep_models=_read_flag(values.get("keep_models", False), ("keep_models",), text),
        text=text,
    )
    _check_inputs(study)
    return study


def _read_name(value: Any, text: TomlText) -> str:
    if not isinstance(value, str) or not value.strip():
        text.refuse(("name",), f"is {value!r}; expected a few words")
    return value.strip()


def _read_question(value: Any, text: TomlText) -> str:
    if not isinstance(value, str):
        text.refuse_value(("question",), value, "a sentence between quotes")
    return value


def _read_table(values: Mapping[str, Any], key: str, text: TomlText) -> Mapping[str, Any]:
    table = values.get(key, {})
    if not isinstance(table, Mapping):
        text.refuse_value((key,), table, f"a table, [{key}]")
    return table


def _read_tables(values: Mapping[str, Any], text: TomlText) -> Mapping[str, Any]:
    """[data.NAME] tables; a single [data] is named after its labels."""
    table = _read_table(values, "data", text)
    if "labels" not in table or isinstance(table["labels"], Mapping):
        return table
    labels = table["labels"]
    return {Path(labels).stem if isinstance(labels, str) else "data": table}


def _read_data(source: Any, path: tuple[str, ...], text: TomlText) -> DataSource:
    if isinstance(source, DataSource):
        return source
    if not isinstance(source, Mapping):
        text.refuse_value(path, source, f"a table with the keys {', '.join(_DATA)}")
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
    by_position = _read_flag(source.get("by_position", False), (*path, "by_position"), text)
    return DataSource(**(dict(source) | {"by_position": by_position}))


def _read_labels(table: Mapping[str, Any], text: TomlText) -> tuple[LabelRecipe, ...]:
    text.check_keys(table, _LABELS, ("labels",))
    axes: dict[str, list[Any]] = {}
    for key in _LABELS:
        path = ("labels", key)
        axes[key] = [
            _read_label_value(key, value, path, text) for value in _read_axis(table.get(key, "none"), path, text)
        ]
    return tuple(
        LabelRecipe(votes, completion, aggregation, transforms)
        for votes in axes["votes"]
        for completion in axes["completion"]
        for aggregation in axes["aggregation"]
        for transforms in axes["transforms"]
    )


def _read_label_value(key: str, value: Any, path: tuple[str, ...], text: TomlText) -> Any:
    if key == "votes":
        if value in ("none", "all"):
            return None
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            text.refuse_value(path, value, 'how many answers per item, 1 or more, or "all"')
        return value
    if key == "transforms":
        return "" if value in ("none", "") else check_transforms(value, path, text)
    known = COMPLETIONS if key == "completion" else AGGREGATIONS
    return None if value == "none" else text.one_of(value, ("none", *known), path)


def _read_deliveries(value: Any, text: TomlText) -> tuple[str, ...]:
    pipes = [check_delivery(pipe, ("delivery",), text) for pipe in _read_axis(value, ("delivery",), text)]
    return tuple(_read_axis(pipes, ("delivery",), text))  # again: one spelling may be there twice


def _read_models(value: Any, evaluation: Evaluation, text: TomlText) -> tuple[ModelSettings, ...]:
    tables = _as_list(value)
    models: list[ModelSettings] = []
    for place, table in enumerate(tables, 1):
        path = ("model", str(place)) if isinstance(value, list | tuple) else ("model",)
        if isinstance(table, ModelSettings):
            models.append(table)
            continue
        if not isinstance(table, Mapping):
            text.refuse_value(path, table, "a table with head = … or network = …")
        for model in model_settings(table, path, text):
            if model in models:
                text.refuse(path, f"has {model.name} with these settings twice; expected each model once")
            models.append(model)
    if evaluation.probes and (heads := [model.name for model in models if model.kind == "head"]):
        text.refuse(("evaluate", "probes"), f"probes are for networks, and {heads[0]} is a head; leave one out")
    return tuple(models)


def _read_split(table: Mapping[str, Any], text: TomlText) -> Split:
    given = {key: str(value) if isinstance(value, Path) else value for key, value in table.items()}
    split = text.read_record(Split, given, ("split",))
    needed = {"test": ("per-seed", "fixed"), "folds": ("k-fold",), "column": ("column",), "file": ("file",)}
    for key, schemes in needed.items():
        if key in given and split.scheme not in schemes:
            text.refuse(
                ("split", key), f"is not used by the scheme {split.scheme!r}; it is for {' and '.join(schemes)}"
            )
    if split.scheme == "file" and not split.file:
        text.refuse(("split",), "has no file; the scheme 'file' needs a table with the columns item and part")
    share = split.validation
    if share == "test":
        return split
    if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share < 1:
        text.refuse_value(("split", "validation"), share, 'a number from 0 to below 1, or "test"')
    return replace(split, validation=float(share))


def _read_evaluation(table: Mapping[str, Any], text: TomlText) -> Evaluation:
    text.check_keys(table, _EVALUATE, ("evaluate",))
    known = {"metrics": ("metric", METRICS), "probes": ("probe", ALONE)}
    chosen: dict[str, tuple[str, ...]] = {}
    for key, value in table.items():
        path = ("evaluate", key)
        names = _read_axis(value, path, text, may_be_empty=key != "metrics")
        if key in known:
            what, among = known[key]
            names = [text.one_of(name, among, path, what) for name in names]
        chosen[key] = tuple(map(str, names))
    return Evaluation(**chosen)


def _read_comparing(table: Mapping[str, Any], scheme: str, text: TomlText) -> Comparing | None:
    if not table:
        return None
    usual = "corrected-t" if scheme in ("per-seed", "k-fold") else "wilcoxon"
    comparing = text.read_record(Comparing, {"test": usual} | dict(table), ("compare",))
    if not isinstance(comparing.baseline, Mapping) or not comparing.baseline:
        text.refuse_value(("compare", "baseline"), comparing.baseline, 'a table such as {delivery = "soft"}')
    return comparing


def _read_skip(rule: Any, place: int, text: TomlText) -> Mapping[str, Any]:
    if not isinstance(rule, Mapping) or not rule:
        text.refuse(("skip", str(place)), f'is {rule!r}; expected a table such as {{delivery = "sls", votes = 1}}')
    return dict(rule)


def _read_seeds(value: Any, text: TomlText) -> tuple[int, ...]:
    value = list(value) if isinstance(value, range) else value
    seeds = list(range(value)) if isinstance(value, int) and not isinstance(value, bool) else value
    if not isinstance(seeds, list | tuple) or not seeds:
        text.refuse_value(("seeds",), value, "how many, 1 or more, or a list such as [0, 1, 2]")
    for seed in seeds:
        if not isinstance(seed, int) or isinstance(seed, bool) or not 0 <= seed < 2**32:
            text.refuse(("seeds",), f"has {seed!r}, not a valid seed; expected whole numbers from 0 to 2**32 - 1")
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
                study.text.refuse(("data", name), f"has no {needs}, which {model.name} is trained on; add {needs} = …")


def _read_axis(value: Any, path: tuple[str, ...], text: TomlText, *, may_be_empty: bool = False) -> Sequence[Any]:
    values = _as_list(value)
    if not values and not may_be_empty:
        text.refuse(
            path,
            "is an empty list, so the study would have nothing to show; expected one value or more"
            if path[:1] == ("evaluate",)
            else "is an empty list, so the study would have no cells; expected one value or more",
        )
    for place, item in enumerate(values):
        if item in values[:place]:
            text.refuse(path, f"has {item!r} twice; expected each value once")
    return values


def _as_list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]


def _read_flag(value: Any, path: tuple[str, ...], text: TomlText) -> bool:
    if not isinstance(value, bool):
        text.refuse_value(path, value, "true or false")
    return value
