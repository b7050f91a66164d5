"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import pyarrow as pa


def whole_or_not(target: Path, fill: Callable[[IO[bytes]], None]) -> None:
    """Write beside the target and move it into place, so that a crash leaves the old file or none.

    A link stays a link: what it leads to is written.
    """
    target = _place(target)
    try:
        with _beside(target, delete=False) as out:
            fill(out)
            out.flush()
            os.fsync(out.fileno())
        Path(out.name).chmod(0o666 & ~_umask())
        Path(out.name).replace(target)
    except (OSError, pa.ArrowException) as error:
        raise ValueError(f"{target}: cannot be written: {error}") from None
    finally:
        if "out" in locals():
            Path(out.name).unlink(missing_ok=True)


def check_writable(target: Path) -> None:
    """Refuse a place where `whole_or_not` could not write, before the work for it is done in vain."""
    target = _place(target)
    try:
        _beside(target, delete=True).close()
    except OSError as error:
        raise ValueError(f"{target}: cannot be written: {error}") from None


def write_text(text: str, path: str | os.PathLike[str]) -> None:
    """A text file, whole or not at all."""

    def fill(out: IO[bytes]) -> None:
        out.write(text.encode())

    whole_or_not(Path(path), fill)


def _place(target: Path) -> Path:
    """Where a file really lies, if it may be written there."""
    target = Path(os.path.realpath(target)) if target.is_symlink() else target
    if not target.parent.is_dir():
        raise ValueError(f"{target}: there is no folder {target.parent}; make it first")
    if target.exists() and not target.is_file():  # moving a file onto /dev/null would replace it
        raise ValueError(f"{target}: exists but is not a regular file; choose another name")
    return target


def _beside(target: Path, *, delete: bool) -> Any:
    return tempfile.NamedTemporaryFile(dir=target.parent, prefix=f".{target.name}.", suffix=".part", delete=delete)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
