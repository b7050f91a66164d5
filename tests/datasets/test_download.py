"""Fetching from a real local web server: checksums, broken transfers, archives, and no second transfer."""

from __future__ import annotations

import hashlib
import io
import tarfile
from dataclasses import replace

import pytest

from dissensus.datasets import DATASETS
from dissensus.datasets.dataset import DataSet, Download, Facts
from dissensus.datasets.download import fetch
from dissensus.labels.refusals import Refusal
from tests.facts import refuses

BODY = bytes(range(256)) * 2000


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("DISSENSUS_DATA", str(tmp_path / "data"))
    return tmp_path / "data"


def toy(address: str, body: bytes, **changes) -> DataSet:
    checksum = f"sha256:{hashlib.sha256(body).hexdigest()}"
    dataset = DataSet(
        name="toy",
        title="Toy",
        what="a toy",
        source="here",
        citation="nobody",
        licence="none stated",
        facts=Facts(items=1),
        read=bytes,
        files=(("toy/counts.npy",),),
        checksums={"toy/counts.npy": checksum},
        downloads=(Download(f"{address}/counts.npy", checksum, "toy/counts.npy"),),
    )
    return replace(dataset, **changes)


def tar(**files: bytes) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        for name, body in files.items():
            entry = tarfile.TarInfo(name.replace("__", "/"))
            entry.size = len(body)
            archive.addfile(entry, io.BytesIO(body))
    return out.getvalue()


def test_a_file_arrives_once(server, folder, capsys, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")  # rich then takes standard error for a terminal
    server.content["/counts.npy"] = BODY
    dataset = toy(server.address, BODY)
    assert fetch(dataset) == [folder / "toy/counts.npy"]
    assert (folder / "toy/counts.npy").read_bytes() == BODY
    assert "counts.npy" in capsys.readouterr().err  # the progress bar
    assert fetch(dataset, quiet=True) == [folder / "toy/counts.npy"]
    assert server.requests == ["/counts.npy"]
    assert capsys.readouterr().err == ""


def test_a_damaged_file_is_fetched_again(server, folder):
    server.content["/counts.npy"] = BODY
    dataset = toy(server.address, BODY)
    fetch(dataset, quiet=True)
    (folder / "toy/counts.npy").write_bytes(b"damaged")
    fetch(dataset, quiet=True)
    assert (folder / "toy/counts.npy").read_bytes() == BODY and len(server.requests) == 2


def test_a_wrong_checksum_is_refused_and_nothing_is_kept(server, folder):
    server.content["/counts.npy"] = BODY[:-1] + b"!"
    digest = hashlib.sha256(BODY).hexdigest()
    with refuses("checksum", f"sha256:{digest}", "not kept", place=f"{server.address}/counts.npy"):
        fetch(toy(server.address, BODY), quiet=True)
    assert leftovers(folder) == []


def test_an_interrupted_transfer_leaves_nothing_and_can_be_repeated(server, folder):
    server.content["/counts.npy"] = BODY
    server.cut = True
    with refuses(f"{server.address}/counts.npy", "nothing was kept", error=ConnectionError):
        fetch(toy(server.address, BODY), quiet=True)
    assert leftovers(folder) == []
    server.cut = False
    assert fetch(toy(server.address, BODY), quiet=True) == [folder / "toy/counts.npy"]


def test_nobody_answers(server, folder):
    with refuses(404, f"{server.address}/counts.npy", error=ConnectionError):
        fetch(toy(server.address, BODY), quiet=True)
    with refuses("http://127.0.0.1:9/counts.npy", "copy", folder / "toy/counts.npy", error=ConnectionError):
        fetch(toy("http://127.0.0.1:9", BODY), quiet=True)


def test_a_refusal_leaves_no_connection_open(server, folder):
    with pytest.raises(ConnectionError, match="404") as refused:
        fetch(toy(server.address, BODY), quiet=True)
    assert refused.value.__cause__.response.raw.closed


def archived(server, body: bytes) -> DataSet:
    server.content["/toy.tar.gz"] = body
    download = Download(f"{server.address}/toy.tar.gz", f"md5:{hashlib.md5(body).hexdigest()}", "toy.tar.gz", "batches")
    return toy("", b"", files=(("batches/one",), ("batches/two",)), checksums={}, downloads=(download,))


def test_an_archive_is_unpacked_and_removed(server, folder):
    dataset = archived(server, tar(batches__one=b"1", batches__two=b"2"))
    assert fetch(dataset, quiet=True) == [folder / "batches/one", folder / "batches/two"]
    assert leftovers(folder) == ["batches/one", "batches/two"]
    fetch(dataset, quiet=True)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("body", "facts"),
    [
        (tar(**{"..__..__escaped": b"x", "batches__one": b"1"}), ["unpacked", "'../../escaped'"]),
        (tar(other__one=b"1"), [["other"], "folder 'batches'"]),
        (b"no archive", ["unpacked"]),
    ],
    ids=["leads out", "holds another folder", "is none"],
)
def test_invalid_archives_and_paths_outside_the_folder_are_refused(server, folder, body, facts):
    with refuses(*facts, place=str(folder / "toy.tar.gz")):
        fetch(archived(server, body), quiet=True)
    assert leftovers(folder) == ["toy.tar.gz"] and not (folder.parent / "escaped").exists()


def test_a_data_set_without_an_address_is_refused_with_how_to_obtain_it(folder):
    with pytest.raises(Refusal, match="no public address") as refusal:
        fetch(DATASETS["popquorn"], quiet=True)
    assert refusal.value.place == "data set 'popquorn'" and "Jiaxin-Pei" in refusal.value.ways[0].text
    assert str(folder) in refusal.value.ways[0].text
    assert fetch(DATASETS["anesthesia"], quiet=True) == []


def leftovers(folder) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
