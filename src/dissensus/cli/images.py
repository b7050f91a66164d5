"""The argument IMAGES of the verbs for networks, and its options."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dissensus.cli.notices import progress_bar, say_or_warn
from dissensus.cli.reading import say
from dissensus.cli.refusals import word_settings
from dissensus.cli.standard_input import check_not_standard_input
from dissensus.labels.refusals import Refusal, Way

if TYPE_CHECKING:
    from dissensus.train.images import ImageTable
    from dissensus.train.network import Network
    from dissensus.train.squares import Fit

ImageSource = Annotated[
    str, typer.Argument(help="Images: a data set, a folder, a Parquet or Arrow file, .npy or .npz.", metavar="IMAGES")
]
ImageColumn = Annotated[
    str | None,
    typer.Option(help="Read the images from this column of a Parquet file.", show_default="found by its name"),
]
ImageItem = Annotated[
    str | None, typer.Option(help="Read the names of the images from this column; --item is for the labels.")
]
ByPosition = Annotated[
    bool,
    typer.Option("--by-position", help="Assume that images and labels without item names are in the same order."),
]
ImageSize = Annotated[
    int | None,
    typer.Option(help="Resize all images to a square of this side, in pixels."),
]
ImageFit = Annotated[
    str | None,
    typer.Option(
        help="Make images square, with --size: crop takes the middle, pad adds white, stretch distorts.",
        show_default="as the network was trained, else crop",
        metavar="METHOD",
    ),
]


def load_images(
    name: str,
    *,
    item: str | None = None,
    image: str | None = None,
    size: int | None = None,
    fit: str | None = None,
    network: "Network | None" = None,
) -> "ImageTable":
    """Load the images of a path, or of a data set if there is no such path, with a progress bar.

    item, image  columns of a Parquet or Arrow file
    size         side of the square to which all are resized
    fit          how images become square; by default as the network was trained, else "crop"
    network      that is to take them: in colour, if it takes colour
    """
    from dissensus.train.image_sources import add_colour
    from dissensus.train.squares import check_fit

    if fit is not None and size is None:
        raise ValueError(f"--fit {fit}: no size given; add one, as in --size 32")
    seen = None if network is None else network.card.get("images from")
    trained = seen.get("fit", "crop") if isinstance(seen, dict) else "crop"
    with word_settings(("image", "item", "size", "fit"), None, item="image_item"):
        images = _load_images(name, item, image, size, check_fit(fit or trained))
    return images if network is None else add_colour(images, network.channels, say_or_warn)


def load_for_network(
    network: "Network",
    model: Path,
    name: str,
    *,
    item: str | None,
    image: str | None,
    size: int | None,
    fit: str | None = None,
) -> "ImageTable":
    """Load the images for a trained network, and report if it was trained on images of another size."""
    from dissensus.train.decode_images import SizesDifferError
    from dissensus.train.network import find_training_size

    seen = find_training_size(network)
    try:
        table = load_images(name, item=item, image=image, size=size, fit=fit, network=network)
    except SizesDifferError as problem:
        if seen is None:
            raise
        known = f"{model} was trained on images of {seen[0]} x {seen[1]} pixels"
        ways = [Way("resize all with {size}", size=seen[0])] if seen[0] == seen[1] else []
        raise Refusal(f"{problem.problem}; {known}", problem.place, ways) from None
    here = list(table.pixels.shape[1:3])
    if seen is not None and seen != here:
        say(
            f"the network was trained on images of {seen[0]} x {seen[1]} pixels, and these are {here[0]} x {here[1]}; "
            "resize them to N x N with --size N"
        )
    return table


def _load_images(name: str, item: str | None, image: str | None, size: int | None, fit: "Fit") -> "ImageTable":
    from dissensus.datasets.sources import find_source
    from dissensus.study.sources import images_of_data_set
    from dissensus.train.image_sources import read_images, resize_images

    check_not_standard_input(name, "IMAGES -")
    source = find_source(name, "images", "labels")
    if isinstance(source, Path):
        with progress_bar(f"reading {source.name}") as progress:
            return read_images(source, item=item, image=image, size=size, fit=fit, say=say_or_warn, progress=progress)
    given = [f"--{option}" for option, column in (("item", item), ("image", image)) if column]
    if given:
        raise ValueError(f"{name}: a data set has no columns to choose; leave {', '.join(given)} out")
    images = images_of_data_set(name, quiet=False)  # shows a bar of its own
    return resize_images(images, size, say_or_warn, fit=fit)
