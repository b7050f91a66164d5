"""Downloads of data sets that have a public address and a known checksum."""

from __future__ import annotations

import shutil
import tarfile
import tempfile
from pathlib import Path

from dissensus.datasets.dataset import DataSet, Download
from dissensus.datasets.folder import data_folder, is_present, locate_files, paths_of
from dissensus.labels.content_hash import hash_file
from dissensus.labels.progress import ProgressBar
from dissensus.labels.refusals import Refusal, Way

_CHUNK = 1 << 16


def fetch(dataset: DataSet, *, quiet: bool = False) -> list[Path]:
    """Download a data set into the data folder, unless its files are there.

    A transfer goes to a temporary file, which is renamed after its checksum was verified. An interrupted transfer
    leaves nothing behind and starts again; complete files are not downloaded twice.

    Parameters
    ----------
    dataset : an entry of `DATASETS`
    quiet : show no progress bar

    Returns
    -------
    list of Path : the files of the data set

    Raises
    ------
    Refusal : the data set has no public address, or the checksum of a file is wrong
    ConnectionError : no server answers

    Examples
    --------
    >>> fetch(lookup("anesthesia"))  # part of the package
    []
    """
    if dataset.files and not dataset.downloads and not is_present(dataset):
        raise Refusal(
            "no public address with a known checksum, so it cannot be downloaded",
            f"data set {dataset.name!r}",
            [Way(f"{dataset.way_out}; the data folder is {data_folder()}")],
        )
    if not is_present(dataset) or _is_damaged(dataset):
        for download in dataset.downloads:
            _fetch_one(download, data_folder(), quiet)
    return paths_of(dataset)


def _is_damaged(dataset: DataSet) -> bool:
    """Whether a downloaded file is present with a wrong checksum."""
    present = locate_files(dataset)
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
                problem.response.close()  # pooch leaves it open if the server refuses
            raise ConnectionError(
                f"cannot download {download.address}: {problem}; nothing was kept. Check the network and try again, or "
                f"copy the file to {target}"
            ) from problem
        except ValueError as problem:
            raise Refusal(
                f"the checksum is not {download.checksum}, so the file was not kept: it changed, or the transfer was "
                f"tampered with ({problem})",
                download.address,
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
            ways = [Way("remove it and download it again")]
            raise Refusal(f"cannot be unpacked: {problem}", str(archive), ways) from problem
        unpacked = Path(place) / name
        if not unpacked.is_dir():
            unpacked_names = sorted(entry.name for entry in Path(place).iterdir())
            raise Refusal(f"contains {unpacked_names}; expected a folder {name!r}", str(archive))
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
        """The bar disappears when the download ends."""
