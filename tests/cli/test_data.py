"""`dissensus data` as a user types it, and the checks behind `check`."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dissensus.datasets import DATASETS, load
from dissensus.datasets.check import verify
from dissensus.datasets.dataset import DataCheck, Download
from dissensus.labels.refusals import Refusal
from tests.cli import commands
from tests.facts import states


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("DISSENSUS_DATA", str(tmp_path))
    return tmp_path


def run(*words: str, code: int = 0):
    return commands.run("data", *words, code=code)


def refused(*words: str) -> str:
    return commands.refused("data", *words)


def claim_about(name: str, word: str) -> str:
    """The one claim about a data set that contains this word."""
    (claim,) = [check.claim for check in DATASETS[name].checks if word in check.claim]
    return claim


def test_list_names_every_set_with_its_licence(folder):
    rows = {row["name"]: row for row in json.loads(run("list", "--json").stdout)}
    assert list(rows) == list(DATASETS)
    assert rows["cifar10s"]["licence"] == "none stated" and rows["cifar10s"]["answers"] == 6_723
    assert rows["digits"]["present"] and not rows["cifar10s"]["present"]
    assert claim_about("cifar10h", "99.21%") in rows["cifar10h"]["checked"]
    assert str(folder.name) in run("list").stdout.replace("\n", "")


CHECKED = ("anesthesia", "cifar10h", "popquorn")


def test_check_tells_sound_from_damaged_from_absent(folder):
    (folder / "cifar10h").mkdir()
    counts = np.full((10_000, 10), 5)
    np.save(folder / "cifar10h/cifar10h-counts.npy", counts)
    rows = {row["name"]: row for row in json.loads(run("check", *CHECKED, "--json", code=1).stdout)}
    assert [rows[name]["state"] for name in CHECKED] == ["ok", "failed", "absent"]
    checksum, answers, fewest, most, claim = rows["cifar10h"]["problems"]
    known = DATASETS["cifar10h"].checksums["cifar10h/cifar10h-counts.npy"]
    assert states(checksum, folder / "cifar10h/cifar10h-counts.npy", known)
    assert states(answers, "answers", "500,000", "511,000")
    assert states(fewest, "fewest", 50, 47) and states(most, "most", 50, 63)
    assert claim.endswith(claim_about("cifar10h", "byte"))
    assert "answers 315" in " ".join(run("check", "anesthesia", "digits").stdout.split())


def test_check_claims_only_what_it_could_check(folder, data_folder):
    """Without the CIFAR-10 labels nothing can be said about the majority, nor about a file that is not there."""
    (folder / "cifar10h").mkdir()
    (folder / "cifar10h/counts.npy").write_bytes((data_folder / "cifar10h/counts.npy").read_bytes())
    outcome = verify(DATASETS["cifar10h"])
    assert outcome.state == "ok" and len(outcome.checked) == 2
    assert not any("majority" in claim or "checksum" in claim for claim in outcome.checked)


def test_check_reports_a_file_that_cannot_be_read(folder):
    (folder / "cifar10n").mkdir()
    (folder / "cifar10n/labels.npz").write_bytes(b"nothing")
    outcome = verify(DATASETS["cifar10n"])
    assert outcome.state == "failed" and outcome.problems[0].startswith("cannot be read: ")


DAMAGED = {
    "cifar10n": ("cifar10n/labels.npz", b"PK\x03\x04 cut short"),
    "cifar10h": ("cifar10h/counts.npy", b""),
    "cifar10s": ("cifar10s/elicitations.parquet", None),
    "popquorn": ("popquorn/offensiveness.parquet", None),
    "chaosnli-snli": ("chaosnli/nli.parquet", None),
    "hs-brexit": ("lewidi/hs_brexit.parquet", None),
}


def test_damaged_files_are_named_with_the_way_out_and_the_check_goes_on(folder):
    for place, content in DAMAGED.values():
        (folder / place).parent.mkdir(exist_ok=True)
        (folder / place).write_bytes(content if content is not None else b"")
        if content is None:
            pq.write_table(pa.table({"other": [1]}), folder / place)
    for name, (place, _) in DAMAGED.items():
        with pytest.raises(Refusal) as caught:
            load(name)
        check, again = (way.text for way in caught.value.ways)
        assert caught.value.place == f"data set {name!r}" and str(folder / place) in caught.value.problem
        assert f"`dissensus data check {name}`" in check and DATASETS[name].way_out in again
    result = run("check", *DAMAGED, "anesthesia", "--json", code=1)
    outcomes = {row["name"]: row["state"] for row in json.loads(result.stdout)}
    assert outcomes == dict.fromkeys(DAMAGED, "failed") | {"anesthesia": "ok"}


def test_cifar10h_probabilities_are_the_shares_of_its_counts(folder, data_folder):
    claim = claim_about("cifar10h", "cifar10h-probs.npy")
    (folder / "cifar10h").mkdir()
    for name in ("counts.npy", "probs.npy"):
        (folder / "cifar10h" / name).write_bytes((data_folder / "cifar10h" / name).read_bytes())
    assert claim in verify(DATASETS["cifar10h"]).checked
    probs = np.load(folder / "cifar10h/probs.npy")
    np.save(folder / "cifar10h/probs.npy", np.nextafter(probs, 1))
    assert any(problem.endswith(claim) for problem in verify(DATASETS["cifar10h"]).problems)


def test_every_verb_speaks_json(folder):
    assert json.loads(run("show", "anesthesia", "--json").stdout)["answers"] == 315
    (folder / "cifar10h").mkdir()
    np.save(folder / "cifar10h/counts.npy", np.zeros((1, 10)))
    record = json.loads(run("where", "cifar10h", "--json").stdout)
    assert record == {"name": "cifar10h", "files": [str(folder / "cifar10h/counts.npy")]}
    assert json.loads(run("get", "digits", "--json").stdout) == {"name": "digits", "files": []}


def test_check_notices_one_changed_vote(folder, data_folder):
    for name, place in (("cifar10n", "cifar10n/labels.npz"), ("cifar10h", "cifar10h/counts.npy")):
        (folder / place).parent.mkdir()
        if name == "cifar10h":
            counts = np.load(data_folder / place)
            row = counts[0].copy()
            counts[0] = np.roll(row, 1)
            np.save(folder / place, counts)
        else:
            with np.load(data_folder / place) as content:
                np.savez(folder / place, **{key: content[key] for key in content} | {"worst": content["clean"]})
        assert verify(DATASETS[name]).state == "failed"


QUICK = [name for name, dataset in DATASETS.items() if dataset.kind != "images"] + ["imagenet32-validation"]


@pytest.mark.parametrize("name", QUICK)
def test_what_is_in_the_data_folder_is_sound(name, data_folder):
    outcome = verify(DATASETS[name])
    assert outcome.state in ("ok", "absent"), outcome.problems


def test_where_prints_paths_or_the_way_out(folder):
    command = "`dissensus data get cifar10h`"
    assert states(refused("where", "cifar10h"), "'cifar10h'", "cifar10h/counts.npy", folder, command)
    (folder / "cifar10h").mkdir()
    np.save(folder / "cifar10h/counts.npy", np.zeros((1, 10)))
    assert run("where", "cifar10h").stdout.split() == [str(folder / "cifar10h/counts.npy")]
    embedded = run("where", "digits")
    assert states(embedded.stderr, "digits", "no file") and embedded.stdout == ""
    assert states(refused("where", "cifar"), "data set", "'cifar'", "'cifar10s'")


def test_get_fetches_cites_and_fails_without_a_traceback(folder, server, monkeypatch):
    body = b"counts"
    checksum = f"sha256:{hashlib.sha256(body).hexdigest()}"
    download = Download(f"{server.address}/counts", checksum, "cifar10h/cifar10h-counts.npy")
    monkeypatch.setitem(DATASETS, "cifar10h", replace(DATASETS["cifar10h"], downloads=(download,), checksums={}))
    assert states(refused("get", "cifar10h", "--quiet"), "cannot download", f"{server.address}/counts")
    server.content["/counts"] = b"other"
    assert states(refused("get", "cifar10h", "--quiet"), "checksum", checksum)
    server.content["/counts"] = body
    done = run("get", "cifar10h", "--quiet")
    assert done.stdout.split() == [str(folder / "cifar10h/cifar10h-counts.npy")]
    assert states(done.stderr, DATASETS["cifar10h"].licence, DATASETS["cifar10h"].citation)


def test_get_says_how_to_obtain_what_has_no_address(folder):
    line = refused("get", "cifar10s")
    assert states(line, "'cifar10s'", "cambridge-mlg/cifar-10s", "cifar10s/elicitations.parquet", folder)
    assert states(run("get", "digits").stderr, "digits", "nothing to download")


def test_a_claim_that_cannot_be_tested_fails_with_its_reason():
    """A check that raises an error neither passes nor contradicts the claim; the problem gives the error."""

    def stumbles(_):
        raise KeyError("gold")

    claim = "every patient has gold"
    outcome = verify(replace(DATASETS["anesthesia"], checks=(DataCheck(claim, stumbles),)))
    (problem,) = outcome.problems
    assert outcome.state == "failed"
    assert states(problem, "cannot be tested", "'gold'") and problem.endswith(claim)
