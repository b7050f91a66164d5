"""CSV and TSV text <-> Arrow tables of text, with bounded memory and errors that name the row."""

from __future__ import annotations

import codecs
import csv as plain_csv
import io
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pyarrow.csv as csv

from dissensus.files.quotes import QuoteWatch, check_quotes
from dissensus.labels.names import first_repeated
from dissensus.labels.refusals import Refusal, Way

MAX_LINE = 16 << 20  # bytes; also the block size of the CSV reader, so a longer line cannot be held
ENCODINGS = "pass {encoding}, such as utf-8, utf-16 or latin-1"
MAX_COLUMNS = 100_000  # a header with more is not one of a table of labels, and each column costs memory


def read_delimited(path: Path, delimiter: str, encoding: str = "utf-8") -> pa.Table:
    """A CSV or TSV file with a header, every column as text exactly as typed; an empty cell is null.

    Handles a byte-order mark, quoted delimiters and quoted newlines. Rows are counted from 1 after the header. The file
    is read once, and each block checked on its way to the parser; only if something is wrong is it read
    again, to say where.
    """
    wide = _check_encoding(path, encoding)
    header = read_header(path, delimiter, encoding)
    texts = csv.ConvertOptions(
        column_types={name: pa.string() for name in header},
        strings_can_be_null=True,
        quoted_strings_can_be_null=False,
        null_values=[""],
    )
    quotes = QuoteWatch(delimiter)

    def look(block: bytes) -> None:
        if b"\0" in block:
            raise _nul_trouble(path)
        quotes.look(block)

    try:
        with (
            _Watched(path, look if not wide else lambda _: None) as file,
            csv.open_csv(file, _blocks(encoding), _cells(delimiter), texts) as rows,
        ):
            table = rows.read_all()
    except (pa.ArrowInvalid, UnicodeError) as error:
        raise _trouble(path, delimiter, encoding, str(error)) from None
    if wide or not quotes.all_in_pairs():
        check_quotes(path, delimiter, encoding)
    if table.num_rows == 0:
        raise ValueError(f"{path}: the header {header} is followed by no rows; expected one row per answer")
    return table


def write_delimited(table: pa.Table, kind: str, out: IO[bytes], name: str) -> None:
    """A table as CSV or TSV, text quoted so that an empty one differs from a missing one; `name` is for errors."""
    nested = [field.name for field in table.schema if pa.types.is_nested(field.type)]
    if nested:
        raise ValueError(f"{name}: column {nested[0]!r} has lists, which {kind} cannot have; write .parquet or .jsonl")
    csv.write_csv(table, out, csv.WriteOptions(delimiter="," if kind == "csv" else "\t", quoting_style="needed"))
    out.seek(0)
    if (line := _line_with_nul(out)) is not None:
        raise ValueError(
            f"{name}: line {line} would have a NUL byte, which {kind} cannot have; write .parquet or .jsonl"
        )


def _line_with_nul(lines: IO[bytes]) -> int | None:
    """The first line that has a NUL byte, from 1; None if there is none, as in any text."""
    number = 1
    while block := lines.read(MAX_LINE):
        if (place := block.find(b"\0")) >= 0:
            return number + block.count(b"\n", 0, place)
        number += block.count(b"\n")
    return None


class _Watched(io.FileIO):
    """A file whose blocks are checked on their way to the reader."""

    def __init__(self, path: Path, look: Callable[[bytes], None]) -> None:
        super().__init__(path)
        self._look = look

    def read(self, size: int | None = -1, /) -> bytes:
        block = super().read(-1 if size is None else size)
        self._look(block)
        return block


def _blocks(encoding: str) -> Any:
    return csv.ReadOptions(block_size=MAX_LINE, use_threads=False, encoding=encoding)


def _cells(delimiter: str, otherwise: Callable[[Any], str] | None = None) -> Any:
    return csv.ParseOptions(delimiter=delimiter, newlines_in_values=True, invalid_row_handler=otherwise)


def _check_encoding(path: Path, encoding: str) -> bool:
    """Whether characters take two bytes or more; an encoding that does not exist or cannot be right is refused."""
    try:
        codec = codecs.lookup(encoding)
    except LookupError:
        raise Refusal(f"unknown encoding {encoding!r}", str(path), [Way(ENCODINGS, encoding=...)]) from None
    if not codec._is_text_encoding:
        raise Refusal(f"{encoding!r} is not an encoding of text", str(path), [Way(ENCODINGS, encoding=...)])
    wide = codec.name.startswith(("utf-16", "utf-32"))
    with path.open("rb") as file:
        start = file.read(3)
    mark = start[:2]
    if start == codecs.BOM_UTF8 and codec.name not in ("utf-8", "utf-8-sig"):
        raise Refusal(
            f"this is UTF-8 text (it starts with the byte-order mark {start!r}), expected {encoding}",
            str(path),
            [Way("leave {encoding} out", encoding=...)],
        )
    if mark in (b"\xff\xfe", b"\xfe\xff") and not wide:
        raise Refusal(
            f"this is UTF-16 text (it starts with {mark!r}), expected {encoding}",
            str(path),
            [Way("pass {encoding}", encoding="utf-16"), Way("save it as UTF-8")],
        )
    return wide


def read_header(path: Path, delimiter: str, encoding: str = "utf-8") -> list[str]:
    """Return the names of the columns; refuse a header that makes further reading useless or costly."""
    try:
        # Not by Arrow: the thread with which it reads ahead may outlive the error and abort Python at its exit.
        names = next(plain_csv.reader(_first_record(path, delimiter, encoding), delimiter=delimiter))
    except (plain_csv.Error, UnicodeError) as error:
        raise _trouble(path, delimiter, encoding, str(error)) from None
    other = next((mark for mark in (";", "\t", "|", ",") if mark in names[0]), None) if len(names) == 1 else None
    if other is not None:
        raise Refusal(
            f"the header is one column {names[0]!r:.80}; expected columns separated by {delimiter!r}, and these seem "
            f"to be separated by {other!r}",
            str(path),
            _delimiter_ways(other, delimiter),
        )
    repeated = first_repeated(names)
    if repeated is not None:
        raise ValueError(f"{path}: two columns are named {repeated!r}; rename one in the header {names}")
    return names


def _first_record(path: Path, delimiter: str, encoding: str) -> list[str]:
    """The first line that is not empty, and those after it while a quote is open, without a byte-order mark."""
    lines: list[str] = []
    size = quotes = 0
    with path.open(encoding=encoding, newline="") as text:
        while size < MAX_LINE and (line := text.readline(MAX_LINE)):
            if not lines and not line.strip("\ufeff\r\n"):
                continue
            lines.append(line)
            size += len(line)
            quotes += line.count('"')
            if quotes % 2 == 0:
                break
    if not "".join(lines).strip():
        raise ValueError(f"{path}: the file is empty; expected a header line and one row per answer")
    if len(lines[0]) >= MAX_LINE:
        raise ValueError(f"{path}: the first line is longer than {MAX_LINE:,} bytes; expected a header line")
    if lines[0].count(delimiter) >= MAX_COLUMNS:
        raise ValueError(f"{path}: the first line names more than {MAX_COLUMNS:,} columns; expected a header line")
    return [lines[0].removeprefix("\ufeff"), *lines[1:]]


def _delimiter_ways(mark: str, given: str) -> list[Way]:
    known = {",": "csv", "\t": "tsv"}
    if mark in known and given in known:
        return [Way("pass {format}", format=known[mark])]
    ways = [Way("pass {delimiter}", delimiter=mark)]
    return ways if mark in known else [*ways, Way("save the file with commas")]


def _trouble(path: Path, delimiter: str, encoding: str, message: str) -> Refusal:
    """Return what is wrong with a file that Arrow could not parse: the bytes, a quote, a row, or Arrow's message."""
    undecodable = _undecodable(path, encoding)
    if undecodable is not None:
        return undecodable
    check_quotes(path, delimiter, encoding)
    ragged = _ragged_row(path, delimiter, encoding)
    if ragged is not None:
        return ragged
    if "straddling" in message or "block size" in message:
        return Refusal(
            f"a row is longer than {MAX_LINE:,} bytes; expected one answer per row (is a quote left open?)", str(path)
        )
    return Refusal(f"not readable as delimited text: {message}", str(path))


def _undecodable(path: Path, encoding: str) -> Refusal | None:
    """Return where the bytes stop being text in this encoding, for files that mix encodings."""
    decoder = codecs.getincrementaldecoder(encoding)()
    line = 1
    with path.open("rb") as text:
        try:
            while block := text.read(MAX_LINE):
                decoder.decode(block)
                line += block.count(b"\n")
            decoder.decode(b"", final=True)
        except UnicodeError as error:
            bad = b""
            if isinstance(error, UnicodeDecodeError):
                line += error.object.count(b"\n", 0, error.start)
                bad = error.object[error.start : error.start + 8].partition(b"\n")[0]
            return Refusal(
                f"line {line} is not {encoding} text (bytes {bad!r})",
                str(path),
                [Way("save the file as UTF-8"), Way("pass {encoding} if that is its encoding", encoding="latin-1")],
            )
    return None


def _ragged_row(path: Path, delimiter: str, encoding: str) -> Refusal | None:
    """Return the first row whose number of columns is not that of the header."""
    ragged: list[Refusal] = []

    def refuse(row: csv.InvalidRow) -> str:
        number = f"row {row.number - 1}" if row.number is not None else "a row"
        ragged.append(
            Refusal(
                f"{number} has {row.actual_columns} columns, the header has {row.expected_columns}: {row.text!r:.200}",
                str(path),
                [Way("quote values that contain the delimiter")],
            )
        )
        return "error"

    with (
        suppress(pa.ArrowInvalid, UnicodeError),
        csv.open_csv(path, _blocks(encoding), _cells(delimiter, refuse)) as rows,
    ):
        for _ in rows:
            pass
    return ragged[0] if ragged else None


def _nul_trouble(path: Path) -> Refusal:
    with path.open("rb") as lines:
        line = _line_with_nul(lines)
    return Refusal(
        f"line {line} has a NUL byte, expected text",
        str(path),
        [
            Way("get the file again if it is damaged"),
            Way("pass {encoding} if that is its encoding", encoding="utf-16"),
        ],
    )
