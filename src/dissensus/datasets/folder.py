"""The data folder: where the files of the public data sets are looked up."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

from dissensus.datasets.dataset import DataSet
from dissensus.labels.refusals import Refusal, Way

VARIABLE = "DISSENSUS_DATA"
NETWORKS = "networks"  # folder of stored networks


def data_folder() -> Path:
    """Return the folder that contains the files of public data sets.

    Returns
    -------
    Path : the folder named by the environment variable DISSENSUS_DATA, else a cache folder of this user

    Examples
    --------
    >>> import os
    >>> os.environ["DISSENSUS_DATA"] = "public"
    >>> data_folder().name
    'public'
    """
    named = os.environ.get(VARIABLE, "")
    return Path(named).expanduser() if named else _cache_folder()


def store_folders() -> list[Path]:
    """List the folders of networks that were pretrained here: in the data folder, then in the user's cache."""
    return list(dict.fromkeys(folder / NETWORKS for folder in (data_folder(), _cache_folder())))


def writable_store() -> Path:
    """Make and return the first of `store_folders` that can be written, as data folders may be read-only."""
    problems = []
    for folder in store_folders():
        try:
            folder.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=folder).close()
            return folder
        except OSError as problem:
            problems.append(f"{folder}: cannot be written: {problem.strerror}")
    raise ValueError(f"{'; '.join(problems)}; set {VARIABLE} to another folder")


def _cache_folder() -> Path:
    import pooch

    return Path(pooch.os_cache("dissensus"))


def find_files(dataset: DataSet) -> list[Path | None]:
    """Find the files of a data set: those it needs, then optional ones, None if absent.

    Raises
    ------
    FileNotFoundError : with the missing files, the folder, and how to get them
    """
    folder = data_folder()
    needed = [_first(folder, places) for places in dataset.files]
    missing = [places for places, path in zip(dataset.files, needed, strict=True) if path is None]
    if missing:
        names = "; ".join(" or ".join(places) for places in missing)
        raise FileNotFoundError(
            f"data set {dataset.name!r} needs {names}, which {'is' if len(missing) == 1 else 'are'} not in "
            f"{folder}{'' if folder.is_dir() else ' (no such folder)'}: {dataset.way_out}, or set {VARIABLE} to the "
            "folder that contains them"
        )
    return needed + [_first(folder, places) for places in dataset.also]


def paths_of(dataset: DataSet) -> list[Path]:
    """List the files that a data set is read from, each once; raises FileNotFoundError if one is missing."""
    return list(dict.fromkeys(path for path in find_files(dataset) if path is not None))


def read_data_set(dataset: DataSet, **options: Any) -> Any:
    """Read a data set; an error names the files that cannot be read, and how to get them again."""
    paths = find_files(dataset)
    try:
        return dataset.read(*paths, **options)
    except (ImportError, MemoryError):  # no fault of the files
        raise
    except Exception as error:  # damaged files fail in as many ways as there are readers
        files = ", ".join(dict.fromkeys(str(path) for path in paths if path is not None))
        ways = [
            Way(f"check the files with `dissensus data check {dataset.name}`"),
            Way(f"get them again: {dataset.way_out}"),
        ]
        problem = f"cannot read {files or 'the files in the package'} ({describe_error(error)})"
        raise Refusal(problem, f"data set {dataset.name!r}", ways) from error


def describe_error(error: Exception) -> str:
    """An error in words, with its type unless it is a ValueError."""
    return str(error) if isinstance(error, ValueError) and str(error) else f"{type(error).__name__}: {error}"


def is_present(dataset: DataSet) -> bool:
    """Whether every needed file is there (always, for a set that needs none)."""
    folder = data_folder()
    return all(_first(folder, places) is not None for places in dataset.files)


def locate_files(dataset: DataSet) -> dict[str, Path]:
    """Return the path of each file that is present, by its place in the data folder."""
    folder = data_folder()
    paths = (_first(folder, places) for places in dataset.files + dataset.also)
    return {path.relative_to(folder).as_posix(): path for path in paths if path is not None}


def _first(folder: Path, places: tuple[str, ...]) -> Path | None:
    return next((folder / place for place in places if (folder / place).is_file()), None)
