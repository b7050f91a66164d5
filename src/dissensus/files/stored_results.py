"""Results that take long to compute: stored under the hash of their inputs, and computed again only if damaged.

A result is a JSON file that appears whole or not at all, so a killed run resumes after the last one. It contains its
inputs and a checksum; a file that does not match either is reported and computed again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from dissensus.files.notices import Say, to_stderr
from dissensus.files.whole_files import write_text
from dissensus.labels.content_hash import hash_file, hash_text

FORMAT = 1


def compute_once(
    folder: Path,
    name: str,
    inputs: Mapping[str, Any],
    compute: Callable[[], Any],
    *,
    files: Sequence[Path] = (),
    say: Say = to_stderr,
) -> Any:
    """Return the stored result for these inputs, or compute and store it.

    The value returned is always the one read back from JSON, so a resumed run has exactly the same numbers.

    Parameters
    ----------
    folder : Path
        Created if needed.
    name : str
        Readable part of the file name; results with one name and different inputs are stored side by side.
    inputs : JSON values by name
        Everything that determines the result: settings, seeds, checksums of data, a version of the code.
    compute : () -> JSON value
    files : paths
        Files that `compute` writes. Their checksums are stored, and a missing or changed file counts as damage.
    say : (str) -> None
        Receives one notice per damaged file.

    Returns
    -------
    JSON value

    Raises
    ------
    ValueError
        If the result contains NaN or infinity, which JSON does not have.
    """
    stored = find_result(folder, name, inputs, files=files, say=say)
    if stored is None:
        folder.mkdir(parents=True, exist_ok=True)
        result = compute()
        missing = [path for path in files if not path.is_file()]
        assert not missing, f"computing {name} did not write {missing[0]}"
        try:
            text = _text(result)
        except ValueError:
            raise ValueError(f"the result of {name} contains NaN or infinity; expected None there") from None
        head = {"format": FORMAT, "inputs": inputs, "files": _checksums(files), "sha256": hash_text(text)}
        write_text(f'{_text(head)[:-1]},"result":{text}}}\n', result_path(folder, name, inputs))
        stored = (json.loads(text),)
    return stored[0]


def find_result(
    folder: Path, name: str, inputs: Mapping[str, Any], *, files: Sequence[Path] = (), say: Say = to_stderr
) -> tuple[Any] | None:
    """Read a stored result; None if there is none, or only a damaged one.

    The result is in a tuple of its own, since None is a result, too.
    """
    path = result_path(folder, name, inputs)
    try:
        stored = json.loads(path.read_bytes())
        _check(stored, inputs, files)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as problem:
        say(f"{path} is damaged ({problem}); it is computed again")
        return None
    return (stored["result"],)


def _check(stored: Any, inputs: Mapping[str, Any], files: Sequence[Path]) -> None:
    if not isinstance(stored, dict) or stored.get("format") != FORMAT or "result" not in stored:
        raise ValueError(f"not a result of format {FORMAT}")
    if stored.get("inputs") != json.loads(_text(inputs)):
        raise ValueError("its inputs are those of another result")
    if stored.get("sha256") != hash_text(_text(stored["result"])):
        raise ValueError("its checksum does not match")
    if stored.get("files") != _checksums(files):
        raise ValueError(f"{', '.join(path.name for path in files)} is missing or was changed")


def result_path(folder: Path, name: str, inputs: Mapping[str, Any]) -> Path:
    """Path of the file that stores a result."""
    return folder / f"{name}-{inputs_key(inputs)}.json"


def inputs_key(inputs: Mapping[str, Any]) -> str:
    """Return 16 hexadecimal digits that identify inputs."""
    return hash_text(_text(inputs, sort=True))[:16]


def _checksums(files: Sequence[Path]) -> dict[str, str]:
    """SHA-256 of the files that exist, by name."""
    return {path.name: hash_file(path) for path in files if path.is_file()}


def _text(value: Any, sort: bool = False) -> str:
    return json.dumps(value, sort_keys=sort, separators=(",", ":"), allow_nan=False)
