"""Fetching data sets that have a public address and a known checksum; what fails its checksum is not kept."""

from __future__ import annotations

import shutil
import tarfile
import tempfile
from pathlib import Path

from dissensus.datasets.dataset import DataSet, Download
from dissensus.datasets.folder import data_folder, found_at, is_present, paths_of
from dissensus.labels.content_hash import hash_file
from dissensus.labels.progress import ProgressBar

_CHUNK = 1 << 16


def fetch(dataset: DataSet, *, quiet: bool = False) -> list[Path]:
    """Bring a data set into the data folder, unless it is there, and return where its files lie.

    A transfer goes to a temporary file that takes its name only once it is complete and its checksum is right, so
    an interrupted one leaves nothing behind and starts anew; what is complete is not fetched again.
    Raises ValueError where there is nothing to fetch or the checksum is wrong, ConnectionError where no server answers.
    """
    if dataset.files and not dataset.downloads and not is_present(dataset):
        raise ValueError(
            f"data set {dataset.name!r} has no public address with a known checksum, so it cannot be fetched: "
            f"{dataset.way_out}; the data folder is {data_folder()}"
        )
    if not is_present(dataset) or _damaged(dataset):
        for download in dataset.downloads:
            _fetch_one(download, data_folder(), quiet)
    return paths_of(dataset)


def _damaged(dataset: DataSet) -> bool:
    """Whether a file that a download provides is there with another checksum."""
    present = found_at(dataset)
    expected = {place: dataset.checksums[place] for place in present if place in dataset.checksums}
    return any(hash_file(present[place], value.partition(":")[0]) != value for place, value in expected.items())


def _fetch_one(download: Download, folder: Path, quiet: bool) -> None:
    import pooch
    import requests

    pooch.get_logger().setLevel("WARNING")
    target = folder / download.path
    with _Progress(target.name, quiet) as progress:
        transfer = pooch.HTTPDownloader(progressbar=progress, chunk_size=_CHUNK, timeout=30)
        try:
            pooch.retrieve(
                download.address, download.checksum, fname=target.name, path=target.parent, downloader=transfer
            )
        except requests.RequestException as problem:
            if problem.response is not None:
                problem.response.close()  # pooch leaves the connection of a refusal open, until somebody collects it
            raise ConnectionError(
                f"cannot fetch {download.address}: {problem}; nothing was kept. Check the network and try again, or "
                f"put the file at {target} yourself"
            ) from problem
        except ValueError as problem:
            raise ValueError(
                f"the file at {download.address} does not have the checksum {download.checksum}, so it was not kept: "
                f"it changed, or the transfer was tampered with ({problem})"
            ) from problem
    if download.unpacks:
        _unpack(target, folder, download.unpacks)


def _unpack(archive: Path, folder: Path, name: str) -> None:
    """Unpack one folder of a tar archive beside it in one step, then remove the archive."""
    with tempfile.TemporaryDirectory(dir=folder, prefix=".unpacking-") as place:
        try:
            with tarfile.open(archive) as content:
                content.extractall(place, filter="data")  # refuses links and paths that lead out of the folder
        except tarfile.TarError as problem:
            raise ValueError(f"{archive} cannot be unpacked: {problem}; remove it and fetch it again") from problem
        unpacked = Path(place) / name
        if not unpacked.is_dir():
            unpacked_names = sorted(entry.name for entry in Path(place).iterdir())
            raise ValueError(f"{archive} holds {unpacked_names}; expected a folder {name!r}")
        if (folder / name).exists():
            shutil.rmtree(folder / name)
        unpacked.rename(folder / name)
    archive.unlink()


class _Progress:
    """A progress bar that speaks pooch's protocol: total, update, reset, close."""

    def __init__(self, title: str, quiet: bool) -> None:
        self.bar = ProgressBar(title, quiet=quiet, unit="bytes")

    def __enter__(self) -> _Progress:
        self.bar.__enter__()
        return self

    def __exit__(self, *problem: object) -> None:
        self.bar.__exit__(*problem)

    @property
    def total(self) -> float | None:
        return self.bar.total

    @total.setter
    def total(self, size: int) -> None:
        self.bar.show(self.bar.done, size or None)

    def update(self, size: int) -> None:
        self.bar.advance(size)

    def reset(self) -> None:
        self.bar.show(0)

    def close(self) -> None:
        """The bar goes away when the download ends."""
