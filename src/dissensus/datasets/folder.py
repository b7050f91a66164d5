"""The data folder: where the files of the public data sets are looked up."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from dissensus.datasets.dataset import DataSet

VARIABLE = "DISSENSUS_DATA"


def data_folder() -> Path:
    """The folder named by the environment variable DISSENSUS_DATA, else a cache folder of this user."""
    named = os.environ.get(VARIABLE, "")
    if named:
        return Path(named).expanduser()
    import pooch

    return Path(pooch.os_cache("dissensus"))


def find(dataset: DataSet) -> list[Path | None]:
    """The paths a data set is read from: its needed files, then those that are used where present.

    Raises FileNotFoundError that says what was looked for, where, and the way out.
    """
    folder = data_folder()
    needed = [_first(folder, places) for places in dataset.files]
    missing = [places for places, path in zip(dataset.files, needed, strict=True) if path is None]
    if missing:
        looked = "; ".join(" or ".join(places) for places in missing)
        raise FileNotFoundError(
            f"data set {dataset.name!r} needs {looked}, which {'is' if len(missing) == 1 else 'are'} not in "
            f"{folder}{'' if folder.is_dir() else ' (no such folder)'}: {dataset.way_out}; "
            f"files that lie elsewhere are found by setting {VARIABLE} to their folder"
        )
    return needed + [_first(folder, places) for places in dataset.also]


def paths_of(dataset: DataSet) -> list[Path]:
    """The files a data set is read from, each once; a FileNotFoundError where one is missing."""
    return list(dict.fromkeys(path for path in find(dataset) if path is not None))


def read_found(dataset: DataSet, **options: Any) -> Any:
    """What a data set holds; files that are there but cannot be read are named with the way out."""
    paths = find(dataset)
    try:
        return dataset.read(*paths, **options)
    except (ImportError, MemoryError):  # no fault of the files
        raise
    except Exception as error:  # damaged files fail in as many ways as there are readers
        files = ", ".join(dict.fromkeys(str(path) for path in paths if path is not None))
        raise ValueError(
            f"data set {dataset.name!r} cannot be read from {files or 'the package'} ({described(error)}): see what "
            f"`dissensus data check {dataset.name}` says, and get the files again: {dataset.way_out}"
        ) from error


def described(error: Exception) -> str:
    """An error in words, with its kind where the text alone would not tell."""
    return str(error) if isinstance(error, ValueError) and str(error) else f"{type(error).__name__}: {error}"


def is_present(dataset: DataSet) -> bool:
    """Whether every needed file is there (always, for a set that needs none)."""
    folder = data_folder()
    return all(_first(folder, places) is not None for places in dataset.files)


def found_at(dataset: DataSet) -> dict[str, Path]:
    """Path of each file that was found, by its place in the data folder."""
    folder = data_folder()
    paths = (_first(folder, places) for places in dataset.files + dataset.also)
    return {path.relative_to(folder).as_posix(): path for path in paths if path is not None}


def _first(folder: Path, places: tuple[str, ...]) -> Path | None:
    return next((folder / place for place in places if (folder / place).is_file()), None)
