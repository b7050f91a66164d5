"""read_images: images of a folder, a Parquet or Arrow file, or an array file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from dissensus.files.columnar import read_arrow, read_parquet
from dissensus.files.formats import ENDINGS
from dissensus.files.matrices import DAMAGE, describe_damage
from dissensus.files.notices import Say, to_stderr
from dissensus.files.tables.columns import Reading, choose, fold_name
from dissensus.files.tables.source import SourceTable
from dissensus.labels.names import as_names, first_repeated
from dissensus.labels.progress import Progress
from dissensus.labels.refusals import Refusal, Way, add_place, one_of
from dissensus.train.decode_images import EACH, decode_images
from dissensus.train.images import ImageTable, as_images
from dissensus.train.squares import Fit, check_fit, check_size, how_scaled, make_square, pillow

IMAGES = (".png", ".jpg", ".jpeg", ".webp", ".bmp", ".gif", ".tif", ".tiff")
IMAGE_COLUMNS = ("image", "img", "webp", "png", "jpeg", "jpg", "bytes", "picture")
ARRAYS = ("pixels", "images")  # of an .npz file


def read_images(
    path: Path | str,
    *,
    item: str | None = None,
    image: str | None = None,
    size: int | None = None,
    fit: Fit = "crop",
    say: Say = to_stderr,
    progress: Progress = lambda done, total: None,
) -> ImageTable:
    """Read images of one size from a folder, a Parquet or Arrow file, or an .npy or .npz file.

    A folder gives all images in it and below it, named by their paths. A Parquet or Arrow file has a column of encoded
    images (PNG, JPEG, WebP, …), binary or with bytes and path as Hugging Face writes it. An .npy file contains uint8
    (n, h, w, c); an .npz file the same as `pixels` or `images`, and names as `items`.

    Parameters
    ----------
    path : folder or file
    item : column of names, found as `read` finds it; "": none. Without one the images have no names
    image : column of images, found by its usual names or because it is the only one
    size : side of a square to which all are scaled by Pillow's antialiased bicubic filter; without it images of several
        sizes are refused
    fit : for images that are not square: "crop" takes the square in the middle, "pad" adds white, "stretch" distorts
    say : receives notices of what was recognised, converted and resized
    progress : called with the number of decoded images and of all

    Returns
    -------
    ImageTable

    Examples
    --------
    >>> np.savez("images.npz", pixels=np.zeros((2, 8, 8, 3), dtype=np.uint8), items=["a", "b"])
    >>> read_images("images.npz").items.tolist()
    ['a', 'b']
    """
    path = Path(path)
    check_size(size)
    fit = check_fit(fit)
    kind = "folder" if path.is_dir() else ENDINGS.get(path.suffix.lower(), "")
    if not path.exists():
        raise ValueError(f"{path}: no such file or folder")
    if kind in ("parquet", "arrow"):
        return _of_column(path, item, image, size, fit, say, progress)
    columns = {"item": item, "image": image}
    if given := [f"{name} (--{name})" for name, column in columns.items() if column]:
        raise ValueError(f"{path}: only Parquet and Arrow files have columns: leave {' and '.join(given)} out")
    if kind == "folder":
        return _of_folder(path, size, fit, say, progress)
    if kind in ("npy", "npz"):
        return resize_images(_of_array(path, say), size, say, progress, fit=fit)
    known = ", ".join(ending for ending, kind in ENDINGS.items() if kind in ("parquet", "arrow", "npy", "npz"))
    raise ValueError(f"{path}: cannot read images from the ending {path.suffix!r}; expected a folder, or {known}")


def image_files(folder: Path) -> tuple[list[Path], np.ndarray]:
    """List all images in a folder and below it, in the order of their paths, which are their names."""
    files = sorted(path for path in folder.rglob("*") if path.suffix.lower() in IMAGES and path.is_file())
    if not files:
        raise ValueError(f"{folder}: no image in it; looked for {', '.join(IMAGES)} here and in folders below")
    wrong = [path for path in files if not _is_unicode(str(path.relative_to(folder)))]
    if wrong:
        raise ValueError(
            f"{str(wrong[0])!r}: its name is not UTF-8, so no file of labels can hold it; {len(wrong):,} of "
            f"{len(files):,} images have such names: rename them, as `convmv -f latin1 -t utf8 -r --notest` does"
        )
    return files, as_names([path.relative_to(folder).as_posix() for path in files])


def _is_unicode(name: str) -> bool:
    return not any("\ud800" <= letter <= "\udfff" for letter in name)


def resize_images(
    images: ImageTable,
    size: int | None,
    say: Say = to_stderr,
    progress: Progress = lambda done, total: None,
    *,
    fit: Fit = "crop",
) -> ImageTable:
    """Resize images to a square as `read_images` does; images of this size stay as they are."""
    check_size(size)
    fit = check_fit(fit)
    n, height, width, channels = images.pixels.shape
    if size is None or (height, width) == (size, size):
        return images
    library, _ = pillow()
    pixels = np.empty((n, size, size, channels), dtype=np.uint8)
    for row, image in enumerate(images.pixels):
        picture = make_square(library.fromarray(image[..., 0] if channels == 1 else image), size, fit)
        pixels[row] = np.asarray(picture).reshape(size, size, channels)
        if (row + 1) % EACH == 0 or row + 1 == n:
            progress(row + 1, n)
    pixels.flags.writeable = False
    change = f"{n:,} of {n:,} images were resized to {size} x {size}: {how_scaled(fit)}"
    say(change)
    known = (images.source or {}) | _fit_image(fit)
    return replace(images, pixels=pixels, source=known | {"changed": [*known.get("changed", []), change]})


def _fit_image(fit: Fit) -> dict[str, Any]:
    """The entry of a card about how images became square; empty for the default."""
    return {} if fit == "crop" else {"fit": fit}


def add_colour(images: ImageTable, channels: int, say: Say = to_stderr) -> ImageTable:
    """Convert grey images for a network that takes colour."""
    if (images.pixels.shape[3], channels) != (1, 3):
        return images
    pixels = np.repeat(images.pixels, 3, axis=3)
    pixels.flags.writeable = False
    change = f"converted to RGB, as the network takes colour: {len(images):,} grey of {len(images):,} images"
    say(change)
    known = images.source or {}
    return replace(images, pixels=pixels, source=known | {"changed": [*known.get("changed", []), change]})


def _of_folder(folder: Path, size: int | None, fit: Fit, say: Say, progress: Progress) -> ImageTable:
    files, names = image_files(folder)
    pixels, said = decode_images(files, lambda row: str(files[row]), size=size, fit=fit, progress=progress)
    return _table(pixels, names, said, {"path": str(folder)} | (_fit_image(fit) if size else {}), say)


def _of_column(
    path: Path, item: str | None, image: str | None, size: int | None, fit: Fit, say: Say, progress: Progress
) -> ImageTable:
    table = read_parquet(path) if ENDINGS[path.suffix.lower()] == "parquet" else read_arrow(path)
    if (repeated := first_repeated(table.column_names)) is not None:
        raise ValueError(f"{path}: two columns are named {repeated!r}; rename one of {table.column_names}")
    image = _image_column(path, table, image)
    if item == image:
        raise Refusal(
            f"column {item!r} cannot be name and image at once", str(path), [Way("name another with {item}", item=...)]
        )
    encoded, beside = _find_encoded(table, image)
    others = SourceTable(beside, str(path))
    named_by = _name_column(others, image, item)
    say("took: " + ", ".join(f"{role} = {column}" for role, column in (("item", named_by), ("image", image)) if column))
    if named_by is None and item is None:
        say(
            f"warning: {path}: no column looks like the names of the items, so the images stay unnamed, and are not "
            f"matched to labels that have names; the columns are {', '.join(table.column_names)}: `item` (in `train`, "
            "`image_item`) names the right one"
        )
    names = None if named_by is None else as_names(others.names(named_by).to_pylist())
    if names is not None and (repeated := first_repeated(names)) is not None:
        raise ValueError(f"{path}: two images are both named {repeated!r} in column {named_by!r}; names must differ")

    def where(row: int) -> str:
        return f"{path}: row {row + 1}" + ("" if names is None else f" (item {names[row]})")

    if not len(encoded):
        raise ValueError(f"{path}: there are no rows in it; expected images")
    if encoded.null_count:
        row = encoded.is_null().to_pylist().index(True)
        raise ValueError(
            f"{where(row)} has no image in column {image!r}; {encoded.null_count:,} of {len(encoded):,} have none: "
            "leave these rows out, or write the bytes of the images into the file, and not only their paths"
        )
    data = [scalar.as_buffer() for scalar in encoded]
    pixels, said = decode_images(data, where, size=size, fit=fit, progress=progress)
    source = {"path": str(path), "image": image, "item": named_by} | (_fit_image(fit) if size else {})
    return _table(pixels, names, said, source, say)


def _image_column(path: Path, table: pa.Table, asked: str | None) -> str:
    """Find the column of encoded images: the given one, else one with a usual name, else the only one."""
    fitting = [name for name in table.column_names if _holds_bytes(table.schema.field(name).type)]
    columns = ", ".join(f"{field.name} ({field.type!s:.40})" for field in table.schema)
    if asked:
        if one_of("image column", asked, table.column_names, place=str(path)) in fitting:
            return asked
        raise Refusal(f"column {asked!r} has no encoded images; the columns are {columns}", str(path))
    usual = [name for name in fitting if fold_name(name) in IMAGE_COLUMNS]
    likely = usual or fitting
    if len(likely) == 1:
        return likely[0]
    if likely:
        raise Refusal(
            f"{len(likely)} columns look like images", str(path), [Way("pass {image}", image=name) for name in likely]
        )
    raise ValueError(
        f"{path}: no column has encoded images, as binary or as bytes with their path; the columns are {columns}: "
        "if they are paths of files, pass the folder of these files"
    )


def _find_encoded(table: pa.Table, image: str) -> tuple[pa.ChunkedArray, pa.Table]:
    """The bytes of the images, and the columns that could name them: the others, and the path beside the bytes."""
    flat = pa.table({image: table[image]}).flatten()
    nested = f"{image}.bytes" in flat.column_names
    rest = [f.name for f in table.schema if f.name != image and not _holds_bytes(f.type)]
    beside = table.select([name for name in rest if not pa.types.is_nested(table.schema.field(name).type)])
    if nested and f"{image}.path" in flat.column_names:
        beside = beside.append_column(f"{image}.path", flat[f"{image}.path"])
    return flat[f"{image}.bytes" if nested else image], beside


def _name_column(others: SourceTable, image: str, asked: str | None) -> str | None:
    """The column of names as `read` finds it; else the path beside the bytes, else `index`, where they can be names."""
    chosen = choose(others, "item", Reading(item=asked), needed=False)
    if chosen is not None or asked is not None:
        return chosen
    usable = (name for name in (f"{image}.path", "index") if name in others.columns)
    return next((name for name in usable if _differ(others.table[name])), None)


def _differ(column: pa.ChunkedArray) -> bool:
    """Whether every row has a value of its own."""
    return column.null_count == 0 and len(column.unique()) == len(column)


def _holds_bytes(kind: pa.DataType) -> bool:
    if pa.types.is_struct(kind):
        return kind.get_field_index("bytes") >= 0 and _holds_bytes(kind.field("bytes").type)
    return bool(pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_binary_view(kind))


def _of_array(path: Path, say: Say) -> ImageTable:
    """Pixels of an .npy file, or of an .npz file with names beside them; nothing in it is ever executed."""
    try:
        loaded = np.load(path, allow_pickle=False)
        if isinstance(loaded, np.ndarray):
            arrays, others = {"pixels": loaded}, []
        else:  # only what is needed: other arrays of the file may be large, or objects
            with loaded:
                arrays = {name: loaded[name] for name in (*ARRAYS, "items") if name in loaded.files}
                others = [name for name in loaded.files if name not in arrays]
    except DAMAGE as problem:
        raise describe_damage(path, problem) from None
    named = [name for name in ARRAYS if name in arrays]
    if len(named) != 1:
        raise ValueError(
            f"{path}: expected one array named {' or '.join(ARRAYS)}, and `items`; it holds "
            f"{', '.join([*arrays, *others]) or 'none'}"
        )
    arrays[named[0]].flags.writeable = False  # no other reference exists, so no copy is needed
    try:
        table = ImageTable(as_images(arrays[named[0]]).pixels, arrays.get("items"), {"path": str(path)})
    except ValueError as problem:
        raise add_place(problem, str(path)) from None
    if not table.named:
        say(f"warning: {path}: the images have no names, and are numbered from 0; .npz with `items` keeps names")
    return table


def _table(pixels: np.ndarray, names: Any, said: list[str], source: dict[str, Any], say: Say) -> ImageTable:
    for line in said:
        say(line)
    known = {key: value for key, value in source.items() if value is not None}
    return ImageTable(pixels, names, known | ({"changed": said} if said else {}))
