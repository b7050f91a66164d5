"""`dissensus advise`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dissensus.cli.features import load_features
from dissensus.cli.printing import AsJson, HtmlPage, print_json
from dissensus.cli.reading import errors, reads_labels, say
from dissensus.cli.seeds import Seed, make_rng

if TYPE_CHECKING:
    import pyarrow as pa

    from dissensus.labels.shares import Labels
    from dissensus.study.advice.advice import LabelAdvice
    from dissensus.study.run import StudyProgress
    from dissensus.train.heads.features import FeatureTable

Features = Annotated[
    str | None,
    typer.Argument(
        metavar="[FEATURES]",
        help="Features of the items: a .npy file, a data set of features, or pixels for the images of the data set of "
        "labels. With features, a model is trained by each method.",
    ),
]


@reads_labels
def advise(
    labels: "Labels",
    about: "pa.Table | None",
    file: Annotated[
        str,
        typer.Argument(
            metavar="LABELS", help="A label file, a data set of `dissensus data list`, or - for standard input."
        ),
    ],
    features: Features = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Keep the study in this folder, for `dissensus study report`; rerun to resume.",
        ),
    ] = None,
    study: Annotated[Path | None, typer.Option(help="Write the study that was run to this file, x.toml.")] = None,
    html: HtmlPage = None,
    seeds: Annotated[int, typer.Option(help="Trainings per method and fold.")] = 3,
    seed: Seed = 0,
    jobs: Annotated[int | None, typer.Option(help="Number of threads.", show_default="one per core")] = None,
    by_position: Annotated[
        bool,
        typer.Option(
            "--by-position",
            help="Assume that features and labels without item names are in the same order.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Recommend an estimate, training labels and a delivery for these labels, with evidence from them.

    Example: dissensus advise digits pixels --html advice.html
    """

    from dissensus.datasets.dataset import LabelledItems
    from dissensus.files.whole_files import check_writable
    from dissensus.study.advice.advice import advise_labels
    from dissensus.study.advice.page import describe_advice

    _check(features, output, study, by_position)
    for place in (study, html):
        if place is not None:
            check_writable(place)
    name = Path(file).stem
    table = None if features is None else _table(features, file)
    with errors.status("looking at the labels") as status:

        def progress(now: "StudyProgress") -> None:
            left = "" if now.left is None else f", about {max(now.left, 1):.0f} s left"
            status.update(f"training heads: {now.done:,} of {now.total:,}{left}")

        advice = advise_labels(
            labels,
            make_rng(seed),
            table,
            described=None if about is None else LabelledItems(labels, about),
            name=name,
            by_position=by_position,
            folder=output,
            seeds=seeds,
            jobs=jobs,
            progress=progress,
            say=say,
            stage=status.update,
        )
    steps = _next_steps(advice, file, features, output, study)
    if html is not None:
        from dissensus.files.whole_files import write_text
        from dissensus.report import html_page

        write_text(html_page(describe_advice(advice, name, steps)), html)
        say(f"wrote {html}")
    if study is not None and features is not None:
        _write_study(advice, study, file, features, by_position)
    if as_json:
        print_json(advice.as_json() | {"next": steps})
    else:
        from dissensus.report import print_document

        print_document(describe_advice(advice, name, steps))


def _check(features: str | None, output: Path | None, study: Path | None, by_position: bool) -> None:
    """Refuse what has no meaning without features."""
    given = {"-o": output is not None, "--study": study is not None, "--by-position": by_position}
    for option, is_given in given.items():
        if is_given and features is None:
            raise ValueError(f"{option} is for the study, which needs FEATURES: add them after LABELS, or leave it out")
    if study is not None and study.suffix != ".toml":
        raise ValueError(f"--study {study}: expected the name of a TOML file, such as {study.with_suffix('.toml')}")


def _table(features: str, file: str) -> "FeatureTable":
    if features != "pixels":
        return load_features(features)
    import numpy as np

    from dissensus.datasets.contents import item_contents
    from dissensus.datasets.sources import is_data_set
    from dissensus.train.heads.features import FeatureTable

    contents = item_contents(file) if is_data_set(file) else None
    if contents is None or contents.pixels is None:
        raise ValueError(f"pixels need a data set with images, and {file} is not one; give a file of features")
    return FeatureTable(contents.pixels.reshape(len(contents.pixels), -1).astype(np.float32) / 255, contents.names)


def _write_study(advice: "LabelAdvice", path: Path, file: str, features: str, by_position: bool) -> None:
    from dissensus.study.toml_text import write_study

    assert advice.study is not None
    copies = write_study(advice.study.values, path, labels=file, features=features, by_position=by_position)
    also = f", with {' and '.join(map(str, copies))} beside it" if copies else ""
    say(f"wrote {path}{also}")


def _next_steps(
    advice: "LabelAdvice", file: str, features: str | None, output: Path | None, study: Path | None
) -> list[str]:
    """Commands that follow the advice."""
    what = advice.recommended
    steps = []
    method, _, then = what.estimator.partition(" of ")[0].partition(", ")
    if method not in ("none", "share", "mean"):
        more = f"  # then {then}, a transform of distributions" if then else ""
        steps.append(f"dissensus aggregate {file} --method {method} -o estimated.parquet{more}")
    if features is not None and features != "pixels":
        first, *wraps = [step.strip() for step in what.delivery.split("|")]
        made = what.labels.partition(" of ")[0]
        source = file
        if made != "answers":
            source = "learned.parquet"
            steps.append(f"dissensus aggregate {file} --method {made} -o {source}")
        wrapped = "".join(f" --wrap {wrap}" for wrap in wraps)
        steps.append(f"dissensus fit {features} {source} --delivery {first}{wrapped} -o model.safetensors")
    if study is not None:
        steps.append(f"dissensus study run {study} -o {output or study.with_suffix('')}")
    elif output is not None:
        steps.append(f"dissensus study report {output}")
    return steps
