"""`dissensus evaluate`: a model against people, in one table."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dissensus.cli.contents import Contents, check_page, item_views
from dissensus.cli.printing import AsJson, HtmlPage, print_json
from dissensus.cli.reading import errors, reads_labels, say
from dissensus.cli.refusals import word_settings
from dissensus.cli.seeds import Seed, make_rng
from dissensus.cli.standard_input import check_not_standard_input

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import pyarrow as pa

    from dissensus.labels.shares import Labels

PREDICTIONS = ("rescale",)  # the settings that are about the predictions; the others are about the labels
LABELS = Annotated[
    str,
    typer.Argument(
        metavar="LABELS", help="Compare with these labels: votes, counts (NPY) or distributions, or a data set."
    ),
]


@reads_labels
def evaluate(
    labels: "Labels",
    about: "pa.Table | None",
    predictions: Annotated[
        str,
        typer.Argument(
            help="Score these predictions: (n, k) probabilities (NPY), a distributions file, votes of an ensemble, or "
            "a data set of either."
        ),
    ],
    file: LABELS,
    compare: Annotated[
        list[str] | None, typer.Option(help="Compare with another model, NAME=FILE; repeat for more.")
    ] = None,
    gold: Annotated[
        Path | None,
        typer.Option(
            help="Read true classes: (n,) NPY of codes, or a file with item and label.",
            show_default="those of the data set, if it has any",
        ),
    ] = None,
    slice_by: Annotated[
        list[str] | None,
        typer.Option("--slice", help="Slice by a column about the items of a data set; repeat for more."),
    ] = None,
    smooth: Annotated[
        float, typer.Option(help="Spread this share of each prediction evenly over all classes, so that none is 0.")
    ] = 0.0,
    rescale: Annotated[
        bool, typer.Option("--rescale", help="Divide rows of predictions that do not sum to 1 by their sum.")
    ] = False,
    shared: Annotated[bool, typer.Option("--shared", help="Score only items with labels and predictions.")] = False,
    ceiling: Annotated[bool, typer.Option(help="Estimate how well people predict people.")] = True,
    replicates: Annotated[int, typer.Option(help="Set the number of bootstrap resamples.")] = 1000,
    seed: Seed = 0,
    as_json: AsJson = False,
    html: HtmlPage = None,
    contents: Contents = None,
) -> None:
    """Score a model against people: closeness, calibration and slices, with the human ceiling.

    Example: dissensus evaluate predictions.npy votes.csv --html scorecard.html
    """
    from dissensus.evaluate.comparisons import compare as compare_models
    from dissensus.evaluate.inputs import as_models, gold_names, item_columns, name_labels, smooth_models
    from dissensus.evaluate.people import as_people
    from dissensus.evaluate.scorecard_page import describe_scorecard
    from dissensus.labels.row_numbers import are_named
    from dissensus.report.terminal import print_document

    check_page(contents, html)
    check_not_standard_input(predictions, "PREDICTIONS -")
    check_not_standard_input(str(gold), "--gold -")
    with word_settings(PREDICTIONS, missing="shared"):
        read = _read_models(predictions, compare or [], rescale)
        if not are_named(labels.items):
            labels = name_labels(labels, next(iter(read.values()))[1], file, predictions, say)
        people = as_people(labels)
        models = smooth_models(as_models(read, people, say, rescale=rescale), smooth, say)
        known = None if about is None else about.to_pydict()
        columns = item_columns(known, slice_by or [])
        true_classes: Sequence[object] | None
        if gold is not None:
            with word_settings(()):
                gold_labels = _read_gold(gold)
            true_classes = gold_names(gold_labels, people, str(gold), say)
        else:
            true_classes = _gold_of_data_set(known, file)
        with errors.status(f"scoring {len(models)} model{'s' * (len(models) > 1)} on {people.n_items:,} items"):
            result = compare_models(
                models,
                people,
                rng=make_rng(seed),
                gold=true_classes,
                columns=columns,
                ceiling=ceiling,
                replicates=replicates,
                missing="leave out" if shared else "refuse",
            )
    if html is not None:
        from dissensus.files.whole_files import write_text
        from dissensus.report.html import html_page

        views = item_views(contents, file, labels)
        write_text(html_page(describe_scorecard(result, Path(file).name, views)), html)
        say(f"wrote {html}")
    if as_json:
        print_json(result.as_json())
        return
    print_document(describe_scorecard(result, Path(file).name, details=False))
    for remark in result.all_remarks:
        say(remark)


def _read_models(first: str, others: list[str], rescale: bool) -> "dict[str, tuple[str, np.ndarray | Labels]]":
    """Return the predictions of every model as its file or data set contains them, with their source."""
    from dissensus.datasets.catalogue import predictions
    from dissensus.datasets.sources import is_data_set

    read: dict[str, tuple[str, np.ndarray | Labels]]
    if is_data_set(first, "predictions"):
        read = {name: (first, model) for name, model in predictions(first).items()}
    else:
        read = {Path(first).stem: (first, _read(first, rescale))}
    for text in others:
        name, equals, path = text.partition("=")
        if not equals or not name or not path:
            raise ValueError(f"--compare {text}: expected NAME=FILE")
        check_not_standard_input(path, f"--compare {text}")
        if name in read:
            raise ValueError(f"--compare {text}: a model is already called {name!r}; choose another name")
        read[name] = path, _read(path, rescale)
    return read


def _read(path: str, rescale: bool = False) -> "np.ndarray | Labels":
    """Read the numbers of an NPY file, the labels of any other file or of a data set."""
    from dissensus.datasets.catalogue import load
    from dissensus.datasets.sources import find_source
    from dissensus.files.read_labels import read

    if path.endswith(".npy"):
        return _read_array(path)
    source = find_source(path, "labels")
    return read(source, rescale=rescale, say=say) if isinstance(source, Path) else load(path).labels


def _read_gold(path: Path) -> "np.ndarray | Labels":
    """Read the true classes, also from a column called gold, truth or the like."""
    from dissensus.files.formats import ENDINGS, MATRICES
    from dissensus.files.plain_tables import read_column_names
    from dissensus.files.read_labels import read
    from dissensus.files.tables.columns import Reading, role_of

    if path.is_file() and ENDINGS.get(path.suffix.lower(), "npy") not in MATRICES:
        roles = {name: role_of(name, Reading()) for name in read_column_names(path)}
        right = [name for name, role in roles.items() if role == "gold"]
        if len(right) == 1 and "label" not in roles.values():
            return read(path, layout="votes", label=right[0], annotator="", say=say)
    return _read(str(path))


def _read_array(path: str) -> "np.ndarray":
    import numpy as np

    if not Path(path).is_file():
        raise ValueError(f"{path}: no such file")
    try:
        array = np.load(path, allow_pickle=False)
    except (ValueError, EOFError):
        array = None
    if not isinstance(array, np.ndarray) or array.dtype.kind not in "iuf":
        raise ValueError(f"{path}: not an NPY file of numbers")
    return array


def _gold_of_data_set(about: dict[str, list[object]] | None, file: str) -> list[object] | None:
    if about is None or "gold" not in about:
        return None
    say(f"took: gold = gold of the data set {file}")
    return about["gold"]
