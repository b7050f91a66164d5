"""The option `--contents`: texts or pictures of the items, to be shown on a page."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dissensus.cli.reading import say
from dissensus.cli.standard_input import check_not_standard_input

if TYPE_CHECKING:
    from dissensus.labels.shares import Labels
    from dissensus.report.items import ItemViews

Contents = Annotated[
    str | None,
    typer.Option(
        help="Show the items on the page: a table with a text column, a folder of images, or a data set. Data "
        "sets show their own items, label files their text column."
    ),
]


def item_views(contents: str | None, file: str, labels: "Labels") -> "ItemViews | None":
    """Return texts or pictures of the items: those asked for, else those of the data set or of the file."""
    from dissensus.datasets.sources import find_source, is_data_set

    if contents is None:
        return _of_data_set(file, quiet=True) if is_data_set(file) else _of_columns(labels)
    source = find_source(contents, "labels", "images")
    views = _of_path(source) if isinstance(source, Path) else _of_data_set(contents, quiet=False)
    known = 0 if views is None else views.knows(labels.items)
    if views is None or not known:
        first = "" if views is None else f" such as {views.names[0]!s:.40}"
        raise ValueError(
            f"--contents {contents}: has no item of {file}; its names are{first}, those of the labels such as "
            f"{labels.items[0]!s:.40}: expected the same names"
        )
    if known < labels.n_items:
        say(f"{contents}: shows {known:,} of {labels.n_items:,} items")
    return views


def check_page(contents: str | None, html: Path | None) -> None:
    """Refuse `--contents` without a page, or from standard input, which can only be labels."""
    check_not_standard_input(str(contents), "--contents -")
    if contents is not None and html is None:
        raise ValueError("--contents shows items on a page, and none is written: add --html FILE")


def _of_data_set(name: str, quiet: bool) -> "ItemViews | None":
    import numpy as np

    from dissensus.datasets.contents import NoContentsError, item_contents
    from dissensus.report.items import ItemViews

    try:
        items = item_contents(name)
    except NoContentsError:
        if not quiet:
            raise
        return None
    except (OSError, ImportError) as problem:
        if not quiet:
            raise
        say(f"the page is without pictures: {problem}")
        return None
    names = np.array(items.names, dtype=object)
    if items.pixels is not None:
        pixels = items.pixels
        return ItemViews(names, lambda place: pixels[place])
    texts, second = items.texts or [], items.second
    return ItemViews(names, lambda place: texts[place] if second is None else (texts[place], second[place]))


def _of_path(path: Path) -> "ItemViews":
    """The inputs of `embed`: a folder of images, or a table of texts."""
    from dissensus.report.items import ItemViews
    from dissensus.train.heads.encodable_items import read_items

    items = read_items(path, say=say)
    if not items.named:
        raise ValueError(f"--contents {path}: its rows have no names, so they cannot be matched: add a column of items")
    return ItemViews(items.names, lambda place: items.get(range(place, place + 1))[0])


def _of_columns(labels: "Labels") -> "ItemViews | None":
    """The text column of a label file, if it has one."""
    import numpy as np

    from dissensus.labels.distributions import Distributions
    from dissensus.report.items import ItemViews
    from dissensus.train.heads.encodable_items import text_columns

    if isinstance(labels, Distributions) or labels.extra is None:
        return None
    extra = labels.extra
    columns = text_columns(extra.column_names)
    if not columns:
        return None
    codes, first = np.unique(labels.item, return_index=True)  # the first answer of each item has its text
    texts = [extra[column].take(first).to_pylist() for column in columns]
    say(f"took: {', '.join(f'text = {column}' for column in columns)}, to show on the page")
    shown = [tuple("" if text is None else str(text) for text in row) for row in zip(*texts, strict=True)]
    return ItemViews(labels.items[codes], lambda place: _single_or_pair(shown[place]))


def _single_or_pair(texts: tuple[str, ...]) -> str | tuple[str, str]:
    return texts[0] if len(texts) == 1 else (texts[0], texts[1])
