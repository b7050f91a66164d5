"""`dissensus evaluate`: a model against people, in one table."""

import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dissensus.cli.reading import errors, reads_labels, say
from dissensus.cli.scorecard_table import print_comparison

if TYPE_CHECKING:
    import numpy as np

    from dissensus.labels.distributions import Distributions
    from dissensus.labels.shares import Labels

LABELS = Annotated[str, typer.Argument(metavar="LABELS", help="Votes, counts (NPY) or distributions; or a data set.")]
INFINITE = "\x00infinite"  # stands for a number that JSON writes as 1e999


@reads_labels
def evaluate(
    labels: "Labels",
    predictions: Annotated[str, typer.Argument(help="Probabilities: (n, k) NPY or a distributions file; votes of an "
                                               "ensemble; or a data set of either.")],
    file: LABELS,
    compare: Annotated[list[str] | None, typer.Option(help="Another model, as NAME=FILE; again for a third.")] = None,
    gold: Annotated[Path | None, typer.Option(help="True classes: (n,) NPY of codes, or a file with item and label. "
                                              "A data set brings its own.")] = None,
    slice_by: Annotated[list[str] | None, typer.Option("--slice", help="Column of a data set's items to divide by.")]
    = None,
    smooth: Annotated[float, typer.Option(help="Share of each prediction to spread evenly over all classes, so that "
                                          "none is 0.")] = 0.0,
    shared: Annotated[bool, typer.Option("--shared", help="Score only the items that both sides have.")] = False,
    ceiling: Annotated[bool, typer.Option(help="Estimate how well people predict people.")] = True,
    replicates: Annotated[int, typer.Option(help="Resampled item sets behind each interval.")] = 1000,
    seed: Annotated[int, typer.Option(help="Of the resampling.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    html: Annotated[Path | None, typer.Option(help="Write a page with figures to this file.")] = None,
) -> None:  # fmt: skip
    """A model against people: scores, calibration, slices, beside what people reach themselves."""
    import numpy as np

    from dissensus.evaluate.comparisons import compare as compared
    from dissensus.evaluate.people import as_people
    from dissensus.labels.transforms import smoothed

    labels = _with_names(labels, file, predictions)
    targets = as_people(labels).targets
    models = _models(predictions, compare or [], targets)
    if smooth:
        models = {name: smoothed(model, smooth) for name, model in models.items()}
        say(f"predictions are smoothed: {smooth:g} of each is spread evenly over all classes")
    right, columns = _known_items(file, gold, slice_by or [], targets)
    with errors.status(f"scoring {len(models)} model{'s' * (len(models) > 1)} on {targets.n_items:,} items"):
        try:
            result = compared(
                models, labels, rng=np.random.default_rng(seed), gold=right, columns=columns,
                ceiling=ceiling, replicates=replicates, missing="leave out" if shared else "refuse",
            )  # fmt: skip
        except ValueError as error:  # the way out in Python has another name here
            raise ValueError(str(error).replace("with missing='leave out'", "with --shared")) from None
    if html is not None:
        from dissensus.evaluate.scorecard_page import scorecard_page
        from dissensus.files.whole_files import write_text

        write_text(scorecard_page(result, Path(file).name), html)
        say(f"wrote {html}")
    if as_json:
        typer.echo(json_text(result.as_json()))
        return
    print_comparison(result)
    for remark in dict.fromkeys([r for card in result.cards.values() for r in card.remarks] + list(result.remarks)):
        say(remark)


def json_text(told: dict[str, Any]) -> str:
    """JSON in which infinite numbers are 1e999.

    JSON has no name for infinity, but this is a number by its grammar, and Python, JavaScript, pandas and DuckDB
    read it as infinite. jq reads the largest double; pyarrow and polars refuse what no double holds.
    """

    def marked(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: marked(one) for key, one in value.items()}
        if isinstance(value, list):
            return [marked(one) for one in value]
        return f"{'-' * (value < 0)}{INFINITE}" if isinstance(value, float) and math.isinf(value) else value

    text = json.dumps(marked(told), indent=2, allow_nan=False)
    return text.replace(f'"{json.dumps(INFINITE)[1:-1]}"', "1e999").replace(
        f'"-{json.dumps(INFINITE)[1:-1]}"', "-1e999"
    )


def _with_names(labels: "Labels", file: str, predictions: str) -> "Labels":
    """Labels from an NPY file, which has no names, take those of predictions that have names and the same shape.

    Items and classes that count from 0 in the predictions too, in whatever order, are names that both have: these are
    matched by name.
    """
    from dissensus.labels.distributions import Distributions

    if not file.endswith(".npy") or predictions.endswith(".npy") or not isinstance(labels, Distributions):
        return labels
    named = next(iter(_models(predictions, [], labels, quiet).values()))
    if named.probs.shape != labels.probs.shape:
        return labels
    taken: dict[str, Any] = {}
    if set(named.items.tolist()) != set(labels.items.tolist()):
        taken["items"] = named.items
    if set(named.classes) != set(labels.classes):
        taken["classes"] = named.classes
    if not taken:
        return labels
    parts = " and ".join({"items": "rows", "classes": "columns"}[part] for part in taken)
    say(f"{file}: {parts} without names, matched to {predictions} by position")
    return replace(labels, **taken)


def quiet(_: str) -> None:
    """Notices are given when the file is read again."""


def _models(
    first: str, others: list[str], targets: "Distributions", say: Callable[[str], None] = say
) -> dict[str, "Distributions"]:
    from dissensus.datasets import predictions

    if _is_data_set(first, "predictions"):
        found = predictions(first)
    else:
        found = {Path(first).stem: _read_predictions(first, targets, say)}
    for text in others:
        name, equals, path = text.partition("=")
        if not equals or not name or not path:
            raise ValueError(f"--compare {text}: expected NAME=FILE")
        if name in found:
            raise ValueError(f"--compare {text}: there already is a model {name!r}; give it another name")
        found[name] = _read_predictions(path, targets, say)
    return found


def _read_predictions(path: str, targets: "Distributions", say: Callable[[str], None]) -> "Distributions":
    import numpy as np

    from dissensus.datasets import load
    from dissensus.evaluate.matching import named_predictions
    from dissensus.evaluate.people import as_people
    from dissensus.files.read_labels import read
    from dissensus.labels.distributions import Distributions

    if path.endswith(".npy"):
        matrix = _array(path)
        if matrix.ndim == 2 and matrix.dtype.kind in "iu" and (matrix.sum(axis=1) > 1).any():
            raise ValueError(
                f"{path}: holds whole numbers ({matrix.dtype}); expected probabilities: make the votes of an ensemble "
                f"one with `dissensus aggregate {path} -o predictions.npz`"
            )
        try:
            found = named_predictions(matrix.astype(np.float64), targets, path)
        except ValueError as error:
            raise ValueError(str(error) if str(error).startswith(path) else f"{path}: {error}") from None
        shown = ", ".join(targets.classes[:10]) + ", …" * (targets.n_classes > 10)
        say(f"{path}: rows and columns without names, matched to the labels by position; columns are {shown}")
        return found
    labels = load(path).labels if _is_data_set(path, "labels") else read(path, say=say)
    if isinstance(labels, Distributions):
        return labels
    found = as_people(labels).targets
    say(f"{path}: votes, taken as one prediction per item: the share of each class")
    return found


def _is_data_set(name: str, kind: str) -> bool:
    from dissensus.datasets import DATASETS

    return not Path(name).exists() and name in DATASETS and DATASETS[name].kind == kind


def _known_items(
    file: str, gold: Path | None, slice_by: list[str], targets: "Distributions"
) -> tuple[list[Any] | None, dict[str, list[Any]]]:
    """What is known about the items: gold, and the columns to divide them by."""
    from dissensus.datasets import load

    right: list[Any] | None = None
    columns: dict[str, list[Any]] = {}
    about = load(file).items if _is_data_set(file, "labels") else None
    if gold is not None:
        right = _read_gold(gold, targets)
    elif about is not None and "gold" in about.column_names:
        right = about["gold"].to_pylist()
    for column in slice_by:
        if about is None or column not in about.column_names:
            there = "none, as this is a file" if about is None else ", ".join(about.column_names)
            raise ValueError(f"--slice {column}: no such column about the items; there are {there}")
        columns[column] = about[column].to_pylist()
    return right, columns


def _read_gold(path: Path, targets: "Distributions") -> list[Any]:
    from dissensus.files.read_labels import read
    from dissensus.labels.distributions import Distributions
    from dissensus.labels.votes import Votes

    if path.suffix == ".npy":
        codes = _array(str(path))
        if codes.shape != (targets.n_items,) or codes.dtype.kind not in "iu":
            raise ValueError(f"{path}: {codes.dtype} of shape {codes.shape}; expected {targets.n_items} class codes")
        return [None if code < 0 else targets.classes[code] if code < targets.n_classes else str(code)
                for code in codes.tolist()]  # fmt: skip
    found = read(path, say=say)
    if not isinstance(found, Votes) or (found.counts().sum(axis=1) != 1).any():
        kind = "one distribution per item" if isinstance(found, Distributions) else "several labels of an item"
        raise ValueError(f"{path}: holds {kind}; expected one row per item with its name and its true class")
    told = {found.items[i]: found.classes[c] for i, c in zip(found.item.tolist(), found.choice.tolist(), strict=True)}
    return [told.get(name) for name in targets.items.tolist()]


def _array(path: str) -> "np.ndarray":
    import numpy as np

    if not Path(path).is_file():
        raise ValueError(f"{path}: there is no such file")
    try:
        array = np.load(path, allow_pickle=False)
    except (ValueError, EOFError):
        raise ValueError(f"{path}: not an NPY file of numbers, as np.save writes it") from None
    if not isinstance(array, np.ndarray) or array.dtype.kind not in "iuf":
        raise ValueError(f"{path}: not an NPY file of numbers, as np.save writes it")
    return array
