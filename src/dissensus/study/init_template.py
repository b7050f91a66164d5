"""A new study: a TOML file with a comment for every key."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path
from typing import Any

from dissensus.aggregate.aggregations import AGGREGATIONS
from dissensus.datasets.dataset import ContentKind
from dissensus.datasets.sources import find_source, is_data_set
from dissensus.deliver.deliveries import DELIVERIES, wrapper_forms
from dissensus.evaluate.metrics import METRICS
from dissensus.files.whole_files import write_text
from dissensus.labels.completion import COMPLETIONS
from dissensus.labels.refusals import Refusal, Way
from dissensus.labels.settings import describe_setting
from dissensus.study.model_settings import default_settings, model_setting
from dissensus.study.pipes import transform_forms
from dissensus.study.spec import ALONE, FAMILIES, SCHEMES, SIDES, SLICES, TESTS, USUAL_METRICS, Split
from dissensus.train.heads.fit_config import HEADS
from dissensus.train.networks.catalogue import NETWORKS

WIDTH = 110


def init_study(
    path: Path, *, labels: str | None = None, features: str | None = None, images: str | None = None
) -> None:
    """Write a commented study that can be run as it is.

    Without arguments it uses the embedded digits and runs in some seconds. `labels` with `features` make a study of
    heads, `labels` with `images` one of networks; a data set of images with labels needs no `labels`.

    Parameters
    ----------
    path     : file to write, which must not exist
    labels   : a label file or a data set
    features : a .npy file, a data set of features, or "pixels"
    images   : a data set of images, a folder, a Parquet file

    Returns
    -------
    None

    Examples
    --------
    >>> from pathlib import Path
    >>> init_study(Path("study.toml"))
    >>> len(cells_of(read_study("study.toml")))
    24
    """
    if path.exists():
        raise Refusal("exists already", str(path), [Way("choose another name"), Way("edit it")])
    if path.suffix != ".toml":
        raise Refusal("not a TOML file; expected a name that ends in .toml", str(path))
    if labels is None and features is not None:
        raise Refusal(
            "{features} need labels", ways=[Way("add {labels}, a file or a data set", labels=...)], features=features
        )
    if labels is not None and features is None and images is None:
        raise Refusal(
            "{labels} need features or images to train on",
            ways=[
                Way(
                    "add {features} for heads, a .npy file that `dissensus embed` makes of texts and pictures",
                    features=...,
                ),
                Way("add {images} for networks", images=...),
            ],
            labels=labels,
        )
    if images is not None and labels is None:
        if not is_data_set(images, "labels"):
            raise Refusal(
                "{images}: not a data set of labels",
                ways=[Way("add the labels of these images with {labels}", labels=...)],
                images=images,
            )
        labels = images
    own = {"labels": labels, "features": None if features == "pixels" else features, "images": images}
    for setting, value in own.items():
        _check_there(setting, value)
    write_text(study_text(path, labels or "digits", features if labels else "pixels", images), path)


def study_text(path: Path, labels: str, features: str | None, images: str | None) -> str:
    """The text of a new study."""
    network = features is None
    small = labels == "digits"
    name = labels if is_data_set(labels, "labels") else Path(labels).stem
    model = {"width": 16, "depth": 1, "epochs": 20, "batch": 32, "crop": 0, "flip": False} if small else {"epochs": 30}
    if not network:
        model = {"hidden": 64, "epochs": 10, "standardise": True} if small else {"standardise": True}
    return TEMPLATE.format(
        path=path,
        name=_toml(f"{name}, first study"),
        seeds=3 if network else 8,
        deliveries=_list(DELIVERIES),
        wrappers=_list(wrapper_forms()),
        table=name if name.replace("-", "").replace("_", "").isalnum() and name.isascii() else _toml(name),
        labels=_pair("labels", labels),
        features=_pair("features", features or "features.npy", live=not network),
        images=_pair("images", images or "digits", live=images is not None),
        completions=_list(["none", *COMPLETIONS]),
        aggregations=_list(["none", *AGGREGATIONS]),
        transforms=_list(transform_forms()),
        heads=_list(HEADS),
        networks=_list(NETWORKS),
        model=_toml("small" if network else "mlp"),
        kind="network" if network else "head",
        settings=_settings("network" if network else "head", "small" if network else "mlp", model),
        schemes=", ".join(SCHEMES),
        test=Split.test,
        validation=Split.validation,
        folds=Split.folds,
        metrics=_toml(list(USUAL_METRICS)),
        all_metrics=_list(METRICS),
        slices=", ".join(SLICES),
        probes=", ".join(ALONE),
        tests=", ".join(TESTS),
        sides=", ".join(SIDES),
        families=", ".join(FAMILIES),
    )


def _check_there(setting: str, value: str | None) -> None:
    kinds: dict[str, tuple[ContentKind, ...]] = {
        "labels": ("labels",),
        "features": ("features",),
        "images": ("images", "labels"),
    }
    try:
        if value is not None:
            find_source(value, *kinds[setting])
    except Refusal as problem:
        raise problem.change(problem=f"{{{setting}}}: {problem.problem}", place="", settings={setting: value}) from None


def _settings(kind: Any, name: str, chosen: dict[str, Any]) -> str:
    """Every setting of a model, those that are left at their defaults behind a #."""
    lines = []
    for key, default in default_settings(kind, name).items():
        value = chosen.get(key, default)
        meaning = describe_setting(model_setting(kind, key))
        lines.append(_line(f"{key} = {_toml(value)}", meaning, live=key in chosen))
    return "\n".join(sorted(lines, key=lambda line: line.startswith("#")))


def _pair(key: str, value: str, *, live: bool = True) -> str:
    return f"{'' if live else '# '}{key} = {_toml(value)}"


def _line(pair: str, meaning: str, *, live: bool) -> str:
    return f"{'' if live else '# '}{pair}".ljust(28) + f"  # {meaning}"


def _list(names: Any) -> str:
    """Names over as many lines of comment as they need."""
    return textwrap.fill(
        ", ".join(names), WIDTH, initial_indent="#   ", subsequent_indent="#   ", break_on_hyphens=False
    )


def _toml(value: Any) -> str:
    if value is None:
        return '"none"'
    return json.dumps(list(value) if isinstance(value, tuple) else value, ensure_ascii=False)


TEMPLATE = """\
# A study of dissensus.
#   dissensus study check {path}           check it, count its cells and estimate the run time
#   dissensus study run {path} -o FOLDER   run it; rerun to resume
#   dissensus study report FOLDER          write the results as one page
#
# If a value is a list, the study runs each of its values: an arm is one combination of all lists, and a cell is one
# arm with one seed. A key after a # has its default value or, for data, an example. Paths are relative to the working
# directory.

name = {name}
question = "Do models that learn from people's disagreement come closer to people than those that learn one class?"
seeds = {seeds}                     # number of seeds, from 0; or a list such as [0, 1, 2]. `study add-seeds` adds more
# keep_models = false         # true: every cell also keeps its model, model.safetensors

# Delivery of labels to the loss, one of
{deliveries}
# with any of these wrappers, each after a |, as in "majority | smoothed=0.1":
{wrappers}
delivery = ["soft", "majority", "majority | smoothed=0.1"]

# The data. Add more tables [data.NAME] to run the study on each.
[data.{table}]
{labels}  # a data set of `dissensus data list`, or a file of votes, beliefs or probabilities
# For heads: a .npy file, a data set of features, or "pixels" (those of the images, from 0 to 1).
{features}
# For networks: a data set of images, a folder, or a Parquet file.
{images}
# people = "people.csv"       # labels to evaluate against, if not all answers of the labels above
# by_position = false         # true: match rows without names by position

# How training labels are made of people's answers, in this order. Models are evaluated against all answers.
[labels]
votes = "all"                 # "all", or the number drawn per item and seed: ["all", 3] runs both
# Completion of partly stated beliefs:
{completions}
# completion = "none"
# From many answers to one distribution per item:
{aggregations}
# aggregation = "none"        # "none": the delivery gets the answers themselves
# Changes to distributions, in this order, as in "tempered=0.5 | smoothed=0.1":
{transforms}
# transforms = "none"

# The model. A head is trained on features: head = one of
{heads}
# A network is trained on images: network = one of
{networks}
# Any setting may be a list. For models with different settings write [[model]] twice.
[model]
{kind} = {model}
{settings}

# Training, validation and test items: {schemes}.
#   per-seed: drawn for each seed    fixed: drawn once    k-fold: each item is tested once per seed
#   column: a column of the data set says train, validation or test    file: a table with the columns item and part
[split]
scheme = "per-seed"
test = {test}                    # share of test items; for per-seed and fixed
validation = {validation}              # share of the others that chooses the epoch; 0: none; "test": optimistic
# folds = {folds}                   # for k-fold
# column = "split"            # for column
# file = "parts.csv"          # for file

# Metrics to show. All are recorded:
{all_metrics}
[evaluate]
metrics = {metrics}
slices = ["disagreement"]     # parts of the items: {slices}, or a column of the data set
# probes = []                 # of networks: {probes}

# Every arm is compared with the arm that has these values and the same other settings, seed by seed.
[compare]
baseline = {{delivery = "majority"}}
test = "corrected-t"          # {tests}; corrected-t for overlapping training sets, as here
# side = "two-sided"          # {sides} (than the baseline)
family = "metric"             # Holm's correction over {families}: all tests of the study, or those of each metric

# Combinations to leave out; repeat to add more.
# [[skip]]
# delivery = "sls"
# votes = 1
"""
