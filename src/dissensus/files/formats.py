"""The formats of files, and their endings."""

from __future__ import annotations

from pathlib import Path

from dissensus.files.exports import EXPORTS
from dissensus.labels.refusals import Refusal, Way, one_of

ENDINGS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".npy": "npy",
    ".npz": "npz",
}
FORMATS = tuple(dict.fromkeys(ENDINGS.values())) + tuple(EXPORTS)
WHOLE = ("parquet", "arrow")  # they keep everything
DELIMITED = ("csv", "tsv")
MATRICES = ("npy", "npz")


def format_of(path: Path, asked: str | None) -> str:
    """Return the format asked for, else the one of the ending."""
    kind = asked or ENDINGS.get(path.suffix.lower())
    if kind is None:
        raise Refusal(
            f"the ending {path.suffix!r} is not that of a known format; expected {', '.join(ENDINGS)}",
            str(path),
            [Way("pass {format}", format=...)],
        )
    return one_of("format", kind, FORMATS, place=str(path))
