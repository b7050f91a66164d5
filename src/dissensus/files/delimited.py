"""CSV and TSV text <-> Arrow tables of text, with bounded memory and errors that name the row."""

from __future__ import annotations

import codecs
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as csv

from dissensus.files.quotes import check_quotes
from dissensus.labels.names import first_repeated

MAX_LINE = 16 << 20  # bytes; also the block size of the CSV reader, so a longer line cannot be held
MAX_COLUMNS = 100_000  # a header with more is no table of labels, and each column costs memory


def read_delimited(path: Path, delimiter: str, encoding: str = "utf-8") -> pa.Table:
    """A CSV or TSV file with a header, every column as text exactly as typed; an empty cell is null.

    Handles a byte-order mark, quoted delimiters and quoted newlines. Rows are counted from 1 after the header.
    """
    wrong: list[str] = []

    def refuse(row: csv.InvalidRow) -> str:
        number = f"row {row.number - 1}" if row.number is not None else "a row"
        wrong.append(
            f"{path}: {number} has {row.actual_columns} columns, the header has {row.expected_columns}: "
            f"{row.text!r:.200}; quote values that contain the delimiter"
        )
        return "error"

    header = _header(path, delimiter, encoding)
    check_quotes(path, delimiter, encoding)
    texts = csv.ConvertOptions(
        column_types={name: pa.string() for name in header}, strings_can_be_null=True,
        quoted_strings_can_be_null=False, null_values=[""],
    )  # fmt: skip
    try:
        with csv.open_csv(path, _blocks(encoding), _cells(delimiter, refuse), texts) as rows:
            table = rows.read_all()
    except (pa.ArrowInvalid, UnicodeError) as error:
        if wrong:
            raise ValueError(wrong[0]) from None
        raise ValueError(_csv_trouble(path, str(error), encoding)) from None
    if table.num_rows == 0:
        raise ValueError(f"{path}: the header {header} is followed by no rows; expected one row per answer")
    return table


def write_delimited(table: pa.Table, kind: str, out: IO[bytes], name: str) -> None:
    """A table as CSV or TSV, text quoted so that an empty one differs from none; `name` is for errors."""
    nested = [field.name for field in table.schema if pa.types.is_nested(field.type)]
    if nested:
        raise ValueError(f"{name}: column {nested[0]!r} holds lists, which {kind} cannot; write .parquet or .jsonl")
    csv.write_csv(table, out, csv.WriteOptions(delimiter="," if kind == "csv" else "\t", quoting_style="needed"))
    out.seek(0)
    if (line := _line_with_nul(out)) is not None:
        raise ValueError(f"{name}: line {line} would hold a NUL byte, which {kind} cannot; write .parquet or .jsonl")


def typed(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A text column as numbers or booleans where every value is spelled as one ("7" and "0.5", not "07" and "0.50").

    What would not be written again as it stands (20 digits, 1.10, nan) is a name and stays text.
    """
    if not pa.types.is_string(column.type) or column.null_count == len(column):
        return column
    for kind in (pa.int64(), pa.float64()):
        try:
            cast = column.cast(kind)
        except pa.ArrowInvalid:
            continue
        return cast if _spelled_alike(column, cast) else column
    if pc.all(pc.is_in(column, pa.array(["true", "false", None]))).as_py():
        return pc.equal(column, "true")
    return column


def as_numbers(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A text column as numbers where every value reads as one in any spelling, else as it is."""
    known = typed(column)
    if not pa.types.is_string(known.type):
        return known
    try:
        return column.cast(pa.float64())
    except pa.ArrowInvalid:
        return column


def as_text(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column as a CSV file spells it, where it can."""
    try:
        return column.cast(pa.string())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return column


def _spelled_alike(column: pa.ChunkedArray, cast: pa.ChunkedArray) -> bool:
    """Whether numbers are written as the text they were read from, by Arrow (1) or else by Python (1.0)."""
    if pa.types.is_floating(cast.type) and not pc.all(pc.is_finite(cast)).as_py():
        return False
    if pc.all(pc.equal(cast.cast(pa.string()), column)).as_py():
        return True
    pairs = zip(column.to_pylist(), cast.to_pylist(), strict=True)
    return all(text is None or text == repr(value) for text, value in pairs)


def _line_with_nul(lines: IO[bytes]) -> int | None:
    """The first line that holds a NUL byte, from 1; None where there is none, as in any text."""
    number = 1
    while block := lines.read(MAX_LINE):
        if (place := block.find(b"\0")) >= 0:
            return number + block.count(b"\n", 0, place)
        number += block.count(b"\n")
    return None


def _blocks(encoding: str) -> Any:
    return csv.ReadOptions(block_size=MAX_LINE, use_threads=False, encoding=encoding)


def _cells(delimiter: str, otherwise: Any) -> Any:
    return csv.ParseOptions(delimiter=delimiter, newlines_in_values=True, invalid_row_handler=otherwise)


def _header(path: Path, delimiter: str, encoding: str) -> list[str]:
    """The names of the columns, after what would make reading on useless or costly was refused."""
    _check_start(path, delimiter, encoding)
    try:
        with csv.open_csv(
            path, _blocks(encoding), _cells(delimiter, lambda _: "skip"), csv.ConvertOptions(check_utf8=False)
        ) as rows:
            names: list[str] = rows.schema.names
    except (pa.ArrowInvalid, UnicodeError) as error:
        raise ValueError(_csv_trouble(path, str(error), encoding)) from None
    other = next((mark for mark in (";", "\t", "|", ",") if mark in names[0]), None) if len(names) == 1 else None
    if other is not None:
        raise ValueError(
            f"{path}: the header is one column {names[0]!r:.80}; expected columns separated by {delimiter!r}, and "
            f"these seem to be by {other!r}: " + _with_delimiter(other)
        )
    repeated = first_repeated(names)
    if repeated is not None:
        raise ValueError(f"{path}: two columns are named {repeated!r}; rename one in the header {names}")
    return names


def _check_start(path: Path, delimiter: str, encoding: str) -> None:
    with path.open("rb") as start:
        head = start.read(MAX_LINE)
    if not head.strip():
        raise ValueError(f"{path}: the file is empty; expected a header line and one row per answer")
    try:
        wide = codecs.lookup(encoding).name.startswith(("utf-16", "utf-32"))
    except LookupError:
        raise ValueError(f"{path}: no encoding {encoding!r}; pass one such as utf-8, utf-16, latin-1") from None
    if head[:2] in (b"\xff\xfe", b"\xfe\xff") and not wide:
        raise ValueError(
            f"{path}: this is UTF-16 text (it starts with {head[:2]!r}), expected {encoding}; pass encoding='utf-16' "
            "(--encoding utf-16) or save it as UTF-8"
        )
    first = head.splitlines()[0]
    if len(first) >= MAX_LINE:
        raise ValueError(f"{path}: the first line is longer than {MAX_LINE:,} bytes; expected a header line")
    if first.count(delimiter.encode()) >= MAX_COLUMNS:
        raise ValueError(f"{path}: the first line names more than {MAX_COLUMNS:,} columns; expected a header line")
    if wide:
        return
    with path.open("rb") as lines:
        damaged = _line_with_nul(lines)
    if damaged is not None:
        raise ValueError(
            f"{path}: line {damaged} holds a NUL byte, expected text; get the file again if it is damaged, or pass "
            "encoding='utf-16' (--encoding utf-16) if that is what it is"
        )
    # Arrow prints a traceback of its own when a ragged row is not UTF-8, so this is looked at before.
    if codecs.lookup(encoding).name.startswith("utf-8") and not _is_utf8(path):
        raise ValueError(_bad_bytes(path, encoding))


def _is_utf8(path: Path) -> bool:
    decoder = codecs.getincrementaldecoder("utf-8")()
    with path.open("rb") as text:
        try:
            while block := text.read(MAX_LINE):
                decoder.decode(block)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            return False
    return True


def _with_delimiter(mark: str) -> str:
    known = {",": "csv", "\t": "tsv"}
    return f"pass format={known[mark]!r}" if mark in known else "save the file with commas or as TSV"


def _csv_trouble(path: Path, message: str, encoding: str) -> str:
    if "straddling" in message or "block size" in message:
        return f"{path}: a row is longer than {MAX_LINE:,} bytes; expected one answer a row (is a quote left open?)"
    if "UTF8" in message or "utf" in message.lower() or "codec" in message:
        return _bad_bytes(path, encoding)
    return f"{path}: not readable as delimited text: {message}"


def _bad_bytes(path: Path, encoding: str) -> str:
    """Where the bytes stop being `encoding`, for files that mix encodings."""
    with path.open("rb") as lines:
        number = 0
        while line := lines.readline(MAX_LINE):
            number += 1
            try:
                line.decode(encoding)
            except (UnicodeDecodeError, LookupError) as error:
                bad = line[error.start : error.start + 8] if isinstance(error, UnicodeDecodeError) else line[:8]
                return (
                    f"{path}: line {number} is not {encoding} text (bytes {bad!r}); save the file as UTF-8, or pass "
                    "encoding='latin-1' (--encoding latin-1) if that is what it is"
                )
    return f"{path}: the text is not {encoding}; save the file as UTF-8, or pass encoding="
