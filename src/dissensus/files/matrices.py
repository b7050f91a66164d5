"""NPY and NPZ matrices <-> Distributions and Votes; nothing is ever unpickled."""

from __future__ import annotations

import tokenize
import zipfile
import zlib
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

import numpy as np

from dissensus.files.notices import Say
from dissensus.files.tables.class_doubts import are_counts
from dissensus.files.tables.columns import Reading
from dissensus.files.tables.from_labels import has_item_column
from dissensus.files.tables.matrix import matrix_distributions, refuse_percents_as_counts, rescale_rows
from dissensus.files.tables.took import class_list, classes_in_words, write_taken
from dissensus.labels.distributions import Distributions
from dissensus.labels.refusals import PythonWay, Refusal, Way, add_place
from dissensus.labels.row_errors import RowError
from dissensus.labels.row_numbers import row_numbers
from dissensus.labels.votes import Votes

ARCHIVE = (b"PK\3\4", b"PK\5\6")
MAGIC, PICKLE = b"\x93NUMPY", b"\x80"  # how an array and a pickle begin
MAX_NPZ = 8 << 30  # bytes when unpacked
MAX_CLASSES = 1_000_000  # codes beyond are not class codes, and naming each class costs memory
DAMAGE = (
    ValueError,
    OSError,
    EOFError,
    TypeError,
    KeyError,
    IndexError,
    SyntaxError,
    MemoryError,
    OverflowError,
    RecursionError,
    NotImplementedError,
    RuntimeError,
    tokenize.TokenError,
    zipfile.BadZipFile,
    zlib.error,
)


def read_npy(path: Path, reading: Reading, say: Say) -> Distributions | Votes:
    """An (n, k) matrix: whole numbers are counts, other numbers probabilities; with layout="annotators" the
    cells are class codes, one column per annotator, negative where not asked."""
    with path.open("rb") as file:
        archive = file.read(4) in ARCHIVE  # numpy would leave open a file that only begins like one
    if archive:
        raise ValueError(f"{path}: begins like an NPZ archive; if it is one, name it .npz")
    try:
        matrix = np.load(path, mmap_mode="r", allow_pickle=False)
    except DAMAGE as error:
        raise describe_damage(path, error) from None
    return _from_matrix(np.array(matrix), reading, say, str(path), {})


def read_npz(path: Path, reading: Reading, say: Say) -> Distributions | Votes:
    """An archive with `counts`, `probs` or `votes` (class codes, one column per annotator); optional `items`,
    `classes`, and `votes` of shape (n,) beside `probs`. An archive with one matrix of another name is read as NPY."""
    try:
        with zipfile.ZipFile(path) as archive:
            size = sum(entry.file_size for entry in archive.infolist())
        if size > MAX_NPZ:
            raise ValueError(f"unpacks to {size:,} bytes, more than {MAX_NPZ:,}")
        with np.load(path, allow_pickle=False) as archive:
            loaded = {name: archive[name] for name in archive.files}
    except DAMAGE as error:
        raise describe_damage(path, error) from None
    arrays = {name: array for name, array in loaded.items() if isinstance(array, np.ndarray)}
    if len(arrays) < len(loaded):
        say(f"parts of the archive that are not arrays left out: {sorted(loaded.keys() - arrays.keys())}")
    for key, layout in (("counts", "counts"), ("probs", "probabilities"), ("probabilities", "probabilities")):
        if key in arrays and reading.layout in (None, layout):
            return _from_matrix(arrays[key], reading, say, str(path), arrays, layout)
    if "votes" in arrays and arrays["votes"].ndim == 2:
        return _from_matrix(arrays["votes"], reading, say, str(path), arrays, "annotators")
    matrices = [name for name, array in arrays.items() if array.ndim == 2]
    if len(matrices) != 1:
        shapes = {name: array.shape for name, array in arrays.items()}
        raise ValueError(f"{path}: expected an array named counts, probs or votes, or a single matrix; it has {shapes}")
    return _from_matrix(arrays[matrices[0]], reading, say, str(path), arrays, taken=(f"matrix = {matrices[0]}",))


def npy_matrix(value: Distributions) -> tuple[str, np.ndarray]:
    """Return the layout of an NPY file and its matrix: counts if the rows are shares of votes, else probabilities."""
    if value.votes is not None:
        with suppress(ValueError):  # rounded shares, and estimates with a number of votes beside them
            return "counts", value.counts()
    return "probabilities", value.probs


def write_npz(value: Distributions, out: IO[bytes]) -> None:
    """probs, items if they have names, classes, and votes if known: everything."""
    arrays: dict[str, Any] = {"probs": value.probs, "classes": np.array(value.classes, dtype=str)}
    if has_item_column(value):
        arrays["items"] = _plain(np.asarray(value.items))
    if value.votes is not None:
        arrays["votes"] = value.votes
    np.savez_compressed(out, allow_pickle=False, **arrays)


def _from_matrix(
    matrix: np.ndarray,
    reading: Reading,
    say: Say,
    source: str,
    beside: dict[str, np.ndarray],
    layout: str | None = None,
    taken: tuple[str, ...] = (),
) -> Distributions | Votes:
    for option in ("drop", "gold"):
        if getattr(reading, option) is not None:
            problem = f"{{{option}}} names a column, and the columns of an array have no names"
            raise Refusal(problem, source, [Way("leave it out")], **{option: getattr(reading, option)})
    if matrix.ndim != 2 or matrix.dtype.kind not in "iuf":
        raise ValueError(f"{source}: has {matrix.dtype} of shape {matrix.shape}; expected numbers, items by classes")
    if 0 in matrix.shape:
        raise ValueError(f"{source}: the matrix of shape {matrix.shape} is empty")
    known_layout = reading.layout or layout
    layout = known_layout or ("counts" if are_counts(matrix) and not reading.rescale else "probabilities")
    if layout == "counts" and known_layout is None:
        refuse_percents_as_counts(matrix, source)
    items = reading.items if reading.items is not None else _names_beside("items", beside)
    classes = reading.classes if reading.classes is not None else _names_beside("classes", beside)
    votes = beside.get("votes")
    item = "row number" if items is None else "as named"
    try:
        if layout in ("counts", "probabilities"):
            known = votes if votes is not None and votes.ndim == 1 else None
            if reading.rescale and layout == "probabilities":
                matrix = rescale_rows(matrix, say)
            labels = matrix_distributions(matrix, items, classes, known, layout == "counts")
            if taken or known_layout is None:
                say(write_taken([*taken, f"item = {item}", f"classes = {class_list(labels.classes)} ({layout})"]))
            return labels
        if layout == "annotators":
            answers = _votes_from_codes(matrix, items, classes, reading)
            people = "as named" if reading.annotators is not None else f"{matrix.shape[1]:,} columns"
            said = [f"item = {item}", f"annotators = {people}", f"labels = {classes_in_words(answers.classes)}"]
            say(write_taken([*taken, *said]))
            return answers
    except RowError as error:
        raise error.with_number(error.row + 1, source) from None
    except ValueError as error:
        raise add_place(error, source) from None
    raise ValueError(f"{source}: a matrix has counts, probabilities or one column per annotator, not {layout!r}")


def _names_beside(key: str, beside: dict[str, np.ndarray]) -> np.ndarray | None:
    names = beside.get(key)
    if names is not None and names.ndim != 1:
        raise ValueError(f"the array {key!r} has shape {names.shape}; expected a list of names")
    if names is not None and names.dtype.kind == "S":
        try:
            return np.char.decode(names, "utf-8")
        except UnicodeDecodeError as error:
            raise ValueError(
                f"the array {key!r} has bytes that are not UTF-8 text ({error.object!r:.40}); save names as text"
            ) from None
    return names


def _votes_from_codes(matrix: np.ndarray, items: Any, classes: Any, reading: Reading) -> Votes:
    codes = np.where(np.isnan(matrix), -1, matrix) if matrix.dtype.kind == "f" else matrix
    bad = np.argwhere((codes >= MAX_CLASSES) | (codes != np.floor(codes)))
    if bad.size:
        row, column = bad[0]
        raise Refusal(
            f"row {row + 1}, column {column + 1} has {matrix[row, column]}; expected class codes 0, 1, ... below "
            f"{MAX_CLASSES:,}, negative if not asked; {len(bad)} cells are wrong",
            ways=[Way("correct them"), Way("choose another {layout}", layout=...)],
        )
    item, place = np.nonzero(codes >= 0)
    chosen = codes[item, place].astype(np.int64)
    if not chosen.size:
        raise ValueError("no cell has a class code, all are negative or NaN; expected codes 0, 1, ...")
    count = int(chosen.max()) + 1
    people: Any = np.arange(matrix.shape[1]) if reading.annotators is None else reading.annotators
    return Votes(
        item=item,
        items=row_numbers(matrix.shape[0]) if items is None else items,
        annotator=place,
        annotators=people,
        choice=chosen,
        classes=tuple(map(str, range(count) if classes is None else classes)),
    )


def _plain(names: np.ndarray) -> np.ndarray:
    return names if names.dtype.kind == "i" else names.astype(str)


def describe_damage(path: Path, error: Exception) -> Refusal:
    """Return the refusal of a file that NumPy cannot read, without NumPy's advice to load it unsafely."""
    if any(word in str(error) for word in ("pickle", "Object arrays", "Python objects")):
        with path.open("rb") as file:
            start = file.read(8)
        if start.startswith((MAGIC, PICKLE, *ARCHIVE)):
            return _refuse_objects(path)
        reason = f"it begins with {start!r}"
    else:
        reason = str(error)
    if path.suffix not in (".npy", ".npz"):
        return Refusal(f"not a NumPy file ({reason}); expected one that ends in .npy or .npz", str(path))
    way = Way("write it again with numpy.save")
    return Refusal(f"not a readable {path.suffix} file, or cut short ({reason})", str(path), [way])


def _refuse_objects(path: Path) -> Refusal:
    return Refusal(
        "has pickled objects, which can run any code when loaded and are never loaded here; expected plain numbers",
        str(path),
        [PythonWay("save them with np.save(path, np.asarray(values, dtype=float))")],
    )
