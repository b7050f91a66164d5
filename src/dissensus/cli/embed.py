"""`dissensus embed`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from dissensus.cli.notices import progress_bar, say_or_warn
from dissensus.cli.overwriting import refuse_overwriting
from dissensus.cli.printing import AsJson, print_result
from dissensus.cli.reading import errors, one_line_errors, say
from dissensus.cli.standard_input import check_not_standard_input

if TYPE_CHECKING:
    from dissensus.train.heads.encodable_items import Items


def embed(
    items: Annotated[str, typer.Argument(help="Items: a data set, a folder of images, or a table with a text column.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Write the features to this file, x.npy; x.npy.json is their card.")
    ],
    encoder: Annotated[
        str | None,
        typer.Option(
            help="Encode with minilm, efficientnet-lite0; or with :MODEL, sentence-transformers, "
            "hugging-face-text, hugging-face-image, timm or network, a file of `dissensus train` or a name of "
            "`dissensus data pretrain`.",
            show_default="by the kind of items",
        ),
    ] = None,
    text: Annotated[str | None, typer.Option(help="Read the text from this column.")] = None,
    second: Annotated[
        str | None, typer.Option(help="Read the second text from this column, if items are pairs.")
    ] = None,
    item: Annotated[
        str | None, typer.Option(help="Read the item names from this column.", show_default="found by its name")
    ] = None,
    fit: Annotated[
        str | None,
        typer.Option(
            help="Make images square: crop takes the middle, pad adds white, stretch distorts.",
            show_default="crop",
            metavar="METHOD",
        ),
    ] = None,
    batch: Annotated[int, typer.Option(help="Save after this many items.")] = 128,
    as_json: AsJson = False,
) -> None:
    """Encode items as features with a frozen encoder; rerun the command to resume.

    Example: dissensus embed comments.csv -o comments.npy --text comment
    """
    from dissensus.train.heads.embed_items import embed as run
    from dissensus.train.heads.encoders import default_encoder
    from dissensus.train.squares import check_fit

    with one_line_errors():
        refuse_overwriting({"items": items, "output": output})
        with errors.status(Text(f"reading {items}")):
            content = _read_items(items, {"text": text, "second": second, "item": item})
        if fit is not None and content.takes != "image":
            raise ValueError(f"--fit {fit}: is for images, and {items} contains texts; leave it out")
        name = encoder or default_encoder(content.takes)
        with progress_bar(f"encoding by {name}") as progress:
            features = run(content, name, output, batch=batch, fit=check_fit(fit or "crop"), say=say, progress=progress)
    n, d = features.values.shape
    source = {key: value for key, value in (features.source or {}).items() if value is not None}
    done = {"items": n, "named": features.named, "features": d, "output": str(output)} | source
    unnamed = "" if features.named else ", without names"
    print_result(done, f"{n:,} items{unnamed}, {d:,} features each by {name} -> {output}", as_json)


def _read_items(name: str, columns: dict[str, str | None]) -> "Items":
    """Read the items of a path or of a data set."""
    from dissensus.datasets.contents import item_contents
    from dissensus.datasets.sources import find_source
    from dissensus.train.heads.encodable_items import pixel_items, read_items, text_items

    check_not_standard_input(name, "ITEMS -")
    source = find_source(name, "images", "labels")
    if isinstance(source, Path):
        return read_items(source, **columns, say=say_or_warn)
    given = [f"--{option}" for option, value in columns.items() if value]
    if given:
        raise ValueError(f"{name}: a data set has no columns to choose; leave {', '.join(given)} out")
    contents = item_contents(name)
    if contents.pixels is not None:
        return pixel_items(contents.names, contents.pixels)
    return text_items(contents.names, contents.texts or [], contents.second)
