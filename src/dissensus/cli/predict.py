"""`dissensus predict`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dissensus.cli.features import load_features
from dissensus.cli.images import ImageColumn, ImageFit, ImageSize, load_for_network
from dissensus.cli.overwriting import check_table_place, refuse_overwriting
from dissensus.cli.printing import AsJson, print_result
from dissensus.cli.reading import errors, one_line_errors, say
from dissensus.cli.writing import write_labels

if TYPE_CHECKING:
    from dissensus.labels.distributions import Distributions


def predict(
    model: Annotated[Path, typer.Argument(help="Model: a head of `dissensus fit`, or a network of `dissensus train`.")],
    items: Annotated[
        str,
        typer.Argument(
            help="Features for a head: a .npy file or a data set. Images for a network: a data set, a folder, a "
            "Parquet or Arrow file, .npy or .npz."
        ),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Write the distributions to this file: .parquet, .npz, .npy, …")
    ],
    item: Annotated[
        str | None, typer.Option(help="Read the names of the images from this column of a Parquet file.")
    ] = None,
    image: ImageColumn = None,
    size: ImageSize = None,
    fit: ImageFit = None,
    as_json: AsJson = False,
) -> None:
    """Predict a distribution for each item with a trained head or network.

    Example: dissensus predict model.safetensors images/ -o predictions.parquet
    """
    from dissensus.train.cards import HEAD
    from dissensus.train.model_files import model_kind

    with one_line_errors():
        refuse_overwriting({"model": model, "items": items, "output": output})
        check_table_place(output)
        options = {"item": item, "image": image, "size": size, "fit": fit}
        if model_kind(model) == HEAD:
            given = [f"--{name}" for name, value in options.items() if value is not None]
            if given:
                raise ValueError(f"{model}: is a head, which takes features; {', '.join(given)} is for images")
            predictions = _predict_by_head(model, items)
        else:
            predictions = _predict_by_network(model, items, item=item, image=image, size=size, fit=fit)
        write_labels(predictions, output)
    n, classes = predictions.n_items, list(predictions.classes)
    done = {"model": str(model), "items": n, "classes": classes, "output": str(output)}
    print_result(done, f"{n:,} distributions over {len(classes)} classes by {model} -> {output}", as_json)


def _predict_by_head(model: Path, features: str) -> "Distributions":
    from dissensus.datasets.sources import is_data_set
    from dissensus.train.heads.model_files import load_head

    if Path(features).is_dir() or is_data_set(features, "images") or _count_axes(features) == 4:
        raise ValueError(
            f"{features}: contains images, and {model} is a head, which takes features; encode them first with "
            f"`dissensus embed {features} -o FEATURES.npy` and the encoder of its training"
        )
    head = load_head(model)
    table = load_features(features)
    if not table.named:
        say(f"{features}: no item names, so the predictions have none; rows keep their order")
    return head.predict(table)


def _predict_by_network(
    model: Path, images: str, *, item: str | None, image: str | None, size: int | None, fit: str | None
) -> "Distributions":
    from dissensus.datasets.sources import is_data_set
    from dissensus.train.network_files import load_network

    if is_data_set(images, "features") or _count_axes(images) == 2:
        raise ValueError(f"{images}: contains features, and {model} is a network, which takes images; pass the images")
    network = load_network(model)
    table = load_for_network(network, model, images, item=item, image=image, size=size, fit=fit)
    if not table.named:
        say(f"{images}: no item names, so the predictions have none; rows keep their order")
    with errors.status("predicting"):
        try:
            return network.predict(table)
        except RuntimeError as problem:
            here = table.pixels.shape[1:3]
            raise ValueError(
                f"{model}: cannot take images of {here[0]} x {here[1]} pixels ({str(problem).splitlines()[0]}); resize "
                "them with --size"
            ) from None


def _count_axes(name: str) -> int | None:
    """Count the axes of the array in an .npy file; None if there is no such file, or it cannot be read."""
    import numpy as np

    if not (name.endswith(".npy") and Path(name).is_file()):
        return None
    try:
        return int(np.load(name, mmap_mode="r", allow_pickle=False).ndim)
    except (ValueError, OSError, EOFError):
        return None
