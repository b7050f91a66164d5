"""Items to encode: texts, pairs of texts or images, with their names and a hash of their content."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from dissensus.files.notices import Say, to_stderr
from dissensus.files.plain_tables import read_table
from dissensus.files.tables.columns import Reading, choose
from dissensus.files.tables.source import SourceTable
from dissensus.labels.content_hash import hash_items
from dissensus.labels.display import shapes
from dissensus.labels.names import as_names, first_repeated
from dissensus.labels.refusals import Refusal, Way, one_of
from dissensus.labels.row_numbers import are_named, row_numbers
from dissensus.train.decode_images import Remarks, decode_image, upright_size
from dissensus.train.image_sources import image_files
from dissensus.train.squares import pillow

_TEXT_NAMES = ("text", "sentence", "comment", "tweet", "content")
_PAIR_NAMES = (("premise", "hypothesis"), ("sentence1", "sentence2"), ("text1", "text2"), ("question1", "question2"))


@dataclass(frozen=True)
class Items:
    """Items to encode.

    takes        inputs of the encoder: texts for "pair" too
    names        (n,) names of the items; numbers of rows if they have none
    get          function of positions to the texts, pairs of texts, or images (h, w, 3) uint8
    fingerprint  a hash of all content and names, so that work on the same items is recognised
    not_square   how many of them are images that are higher than wide, or wider than high
    """

    takes: Literal["text", "pair", "image"]
    names: np.ndarray
    get: Callable[[range], list[Any]]
    fingerprint: str
    not_square: int = 0

    __repr__ = shapes

    @property
    def named(self) -> bool:
        """Whether the items have names, not only row numbers."""
        return are_named(self.names)

    def __post_init__(self) -> None:
        repeated = first_repeated(self.names)
        if repeated is not None:
            raise ValueError(f"two items are both named {repeated!r}; names of items must differ")
        if not self.names.size:
            raise ValueError("there are no items to encode")


def read_items(
    path: str | Path,
    *,
    item: str | None = None,
    text: str | None = None,
    second: str | None = None,
    say: Say = to_stderr,
) -> Items:
    """Read the images of a folder, or the texts of a table.

    Images are named by their paths in the folder. A table has one row per item or one row per answer.

    Parameters
    ----------
    path : a folder of images, or a CSV, TSV, JSON, JSONL, Parquet or Arrow file
    item : column with the names of the items, found as `read` finds it; "" if there is none
    text : column with the text; usual names are recognised
    second : column with the second text of a pair
    say : receives the columns that were recognised, and warnings

    Returns
    -------
    Items, for `embed`

    Examples
    --------
    >>> with open("texts.csv", "w") as file:
    ...     _ = file.write("item,text\\na,What a day\\nb,Never again")
    >>> items = read_items("texts.csv")
    >>> items.takes, items.names.tolist()
    ('text', ['a', 'b'])
    """
    path = Path(path)
    return folder_items(path, say) if path.is_dir() else table_items(path, item=item, text=text, second=second, say=say)


def text_items(names: Any, texts: Sequence[str], second: Sequence[str] | None = None) -> Items:
    """Texts, or pairs of texts if `second` is given.  names: (n,), or None if the texts have none"""
    known = row_numbers(len(texts)) if names is None else as_names(names)
    columns = [list(texts)] if second is None else [list(texts), list(second)]
    for column in columns:
        if len(column) != known.size:
            raise ValueError(f"there are {len(column)} texts for {known.size} names; expected one each")
        bad = [row for row, text in enumerate(column) if not isinstance(text, str) or not text.strip()]
        if bad:
            raise ValueError(
                f"item {known[bad[0]]} has the text {column[bad[0]]!r}; expected words; {len(bad)} of {known.size} "
                "items have none: leave these items out"
            )
    content = (text.encode() for column in columns for text in column)
    mark = hash_items(known, content)
    if second is None:
        return Items("text", known, lambda rows: [columns[0][row] for row in rows], mark)
    return Items("pair", known, lambda rows: [(columns[0][row], columns[1][row]) for row in rows], mark)


def pixel_items(names: Any, pixels: np.ndarray) -> Items:
    """Make items of images in memory.  pixels: (n, h, w, 3) uint8"""
    known = as_names(names)
    if pixels.ndim != 4 or pixels.shape[3] != 3 or pixels.dtype != np.uint8 or len(pixels) != known.size:
        raise ValueError(
            f"{pixels.dtype} pixels of shape {pixels.shape} for {known.size} names; expected uint8 of shape "
            f"({known.size}, height, width, 3)"
        )
    mark = hash_items(known, [str(pixels.shape).encode(), np.ascontiguousarray(pixels).data])
    not_square = 0 if pixels.shape[1] == pixels.shape[2] else known.size
    return Items("image", known, lambda rows: [pixels[row] for row in rows], mark, not_square)


def folder_items(folder: Path, say: Say = to_stderr) -> Items:
    """Read all images in a folder and below it, in the order of their paths, which are their names.

    say  receives notices of the first image that is transparent (put on white), the first of 16 bits (scaled to 8), and
         the first with several frames
    """
    files, names = image_files(folder)
    remarks = Remarks()

    def get(rows: range) -> list[Any]:
        known = set(remarks.first)
        pictures = [decode_image(files[row], str(files[row]), remarks).convert("RGB") for row in rows]
        for kind, where in remarks.first.items():
            if kind not in known:
                say(f"warning: some images {kind}; the first is {where}")
        return [np.asarray(picture) for picture in pictures]

    pillow("encoding images", "encoders")  # the extra that reads them should also bring the encoders
    sizes = (upright_size(path) for path in files)
    not_square = sum(size is not None and size[0] != size[1] for size in sizes)
    return Items("image", names, get, hash_items(names, (path.read_bytes() for path in files)), not_square)


def table_items(
    path: Path, *, item: str | None = None, text: str | None = None, second: str | None = None, say: Say = to_stderr
) -> Items:
    """Read texts of a CSV, TSV, JSONL, JSON, Parquet or Arrow file, one row per item or one row per answer.

    item          column of names, found as `read` finds it; "" if there is none. Without one the texts stay
                  unnamed, in the order of the rows
    text, second  columns of the text and, for pairs, of the other text; usual names are recognised
    say           receives the columns that were recognised
    """
    table = read_table(path)
    known = table.column_names
    if text is None:
        pair = next((pair for pair in _PAIR_NAMES if set(pair) <= set(known)), None)
        text, second = pair if pair and second is None else (next((n for n in _TEXT_NAMES if n in known), None), second)
    if text is None:
        raise Refusal(
            f"no column looks like the text; the columns are {', '.join(known)}",
            str(path),
            [Way("name it with {text}", text=...)],
        )
    for column in (item, text, second):
        if column:
            one_of("column", column, known, place=str(path))
    item = choose(SourceTable(table, str(path)), "item", Reading(item=item), needed=False)
    taken = {"item": item, "text": text, "second": second}
    say("took: " + ", ".join(f"{role} = {column}" for role, column in taken.items() if column))
    texts = table[text].to_pylist()
    others = table[second].to_pylist() if second else None
    if item is None:
        say(
            f"warning: {path}: no column looks like the names of the items, so the features stay unnamed, and are not "
            f"matched to labels that have names; the columns are {', '.join(known)}: set `item` to the right one"
        )
        return text_items(None, texts, others)
    if item in (text, second):
        raise Refusal(
            f"column {item!r} cannot be name and text at once", str(path), [Way("name another with {item}", item=...)]
        )
    return text_items(*_once_each(path, table[item].to_pylist(), texts, others))


def _once_each(
    path: Path, names: list[Any], texts: list[Any], others: list[Any] | None
) -> tuple[list[Any], list[Any], list[Any] | None]:
    """Merge the rows of one item, one per answer; their texts must agree."""
    first: dict[Any, int] = {}
    for row, name in enumerate(names):
        place = first.setdefault(name, row)
        if texts[place] != texts[row] or (others and others[place] != others[row]):
            raise ValueError(
                f"{path}: item {name!r} has the text {texts[place]!r:.60} in row {place + 1} and {texts[row]!r:.60} in "
                f"row {row + 1}; expected one text per item"
            )
    rows = list(first.values())
    return list(first), [texts[row] for row in rows], [others[row] for row in rows] if others else None


def text_columns(names: Sequence[str]) -> tuple[str, ...]:
    """Find the columns with the content of an item by their usual names: two for a pair of texts, one, or none."""
    pair = next((pair for pair in _PAIR_NAMES if set(pair) <= set(names)), None)
    return pair or tuple(name for name in _TEXT_NAMES if name in names)[:1]
