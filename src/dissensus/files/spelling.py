"""Text cells as the numbers they spell, and columns as the text that a CSV file has."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc


def infer_types(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A text column as numbers or booleans if every value is spelled as one ("7" and "0.5", not "07" and "0.50").

    What would not be written again as it is (20 digits, 1.10, nan) is a name and stays text.
    """
    if not pa.types.is_string(column.type) or column.null_count == len(column):
        return column
    for kind in (pa.int64(), pa.float64()):
        try:
            cast = column.cast(kind)
        except pa.ArrowInvalid:
            continue
        return cast if _is_spelled_alike(column, cast) else column
    if pc.all(pc.is_in(column, pa.array(["true", "false", None]))).as_py():
        return pc.equal(column, "true")
    return column


def as_numbers(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A text column as numbers if every value reads as one in any spelling, else as it is."""
    known = infer_types(column)
    if not pa.types.is_string(known.type):
        return known
    try:
        return column.cast(pa.float64())
    except pa.ArrowInvalid:
        return column


def whole_floats_in_text(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A text column of whole numbers, all or some of them spelled as floats, 1.0, as integers, 1; others as they are.

    pandas writes a column of integers with gaps like that.
    """
    if not pa.types.is_string(column.type) or not pc.any(pc.ends_with(column, ".0")).as_py():
        return column
    whole = pc.match_substring_regex(column, r"^(0|-?[1-9][0-9]*)(\.0)?$")
    return pc.replace_substring_regex(column, r"\.0$", "") if pc.all(whole).as_py() else column


def as_text(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column as a CSV file spells it, where it can."""
    try:
        return column.cast(pa.string())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return column


def _is_spelled_alike(column: pa.ChunkedArray, cast: pa.ChunkedArray) -> bool:
    """Whether numbers are written as the text they were read from, by Arrow (1) or else by Python (1.0)."""
    if pa.types.is_floating(cast.type) and not pc.all(pc.is_finite(cast)).as_py():
        return False
    if pc.all(pc.equal(cast.cast(pa.string()), column)).as_py():
        return True
    different = column.unique()  # few, where people rate: Python takes a thousand times as long as Arrow for each
    pairs = zip(different.to_pylist(), different.cast(cast.type).to_pylist(), strict=True)
    return all(text is None or text == repr(value) for text, value in pairs)
