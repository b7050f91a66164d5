"""A paper is run part by part, what is there is kept, and every claim is judged, whatever happens in between."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from dissensus.labels.refusals import Refusal
from dissensus.papers.claims import Finding
from dissensus.papers.paper import Paper, Part
from dissensus.papers.record import RECORD, read_record
from dissensus.papers.running import Step, reproduce
from dissensus.papers.verdicts import cannot_test
from tests.papers.tiny_paper import CLAIMS, counted, slow_paper, study, tiny_paper, two_parts

DRIVER = Path(__file__).with_name("tiny_paper.py")
ROOT = DRIVER.parents[2]
INTERFACE = {"claim", "source", "published", "ours", "verdict"}


def calls(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").split() if path.exists() else []


def work_alone(path: Path, **fields: object) -> Paper:
    """A paper of one part."""
    part = Part(name="labels", work=counted(path), **fields)  # type: ignore[arg-type]
    return tiny_paper(
        part, findings=lambda results, scale: dict.fromkeys(("closer", "items", "brains"), cannot_test("-"))
    )


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which a study and work on it were run once."""
    place = tmp_path_factory.mktemp("tiny")
    reproduce(tiny_paper(*two_parts(place / "calls")), "quick", place)
    return place


def test_a_record_of_an_early_version_has_the_same_intervals(done, tmp_path):
    record = json.loads((done / RECORD).read_text())
    early = record | {"claims": [claim | {"value": _ends(claim["value"])} for claim in record["claims"]]}
    (tmp_path / RECORD).write_text(json.dumps(early))
    assert read_record(tmp_path / RECORD) == read_record(done / RECORD)


def _ends(value):
    return None if value is None else [value["value"], value["low"], value["high"]]


def test_each_claim_has_what_came_out_and_where_it_came_from(done):
    record = read_record(done / RECORD)
    assert [row["key"] for row in record["claims"]] == [claim.key for claim in CLAIMS]
    closer, items, brains = record["claims"]
    assert closer["verdict"] == "same direction" and "2 of 2 seeds" in closer["ours"]
    assert closer["seconds"] > 0 and len(closer["runs"]) == 2
    assert sum(closer["runs"].values()) / 2 == pytest.approx(closer["value"]["value"])
    assert items["verdict"] == "equal" and items["ours"] == "1,797"
    assert brains["verdict"] == "cannot be tested here" and brains["seconds"] == 0
    assert all(row["command"] == "dissensus reproduce tiny2026 --scale quick" for row in record["claims"])
    assert all(row["hardware"] == record["hardware"] for row in record["claims"])


def test_a_second_call_works_on_nothing_and_says_the_same(done):
    before = json.loads((done / RECORD).read_text(encoding="utf-8"))
    cells = {path: path.stat().st_mtime_ns for path in (done / "heads" / "cells").rglob("*") if path.is_file()}
    again = reproduce(tiny_paper(*two_parts(done / "calls")), "quick", done)
    assert calls(done / "calls") == ["labels"]
    assert json.loads(json.dumps(again.as_json())) == before
    assert cells == {path: path.stat().st_mtime_ns for path in cells}


def test_a_record_reads_back_as_it_was(done):
    made = reproduce(tiny_paper(*two_parts(done / "calls")), "quick", done)
    stored = read_record(done / RECORD)
    assert tuple(stored["figures"]) == made.figures
    assert {key: value for key, value in stored.items() if key != "figures"} == {
        key: value for key, value in json.loads(json.dumps(made.as_json())).items() if key != "figures"
    }


def test_the_json_has_the_fixed_interface_first(done):
    record = json.loads((done / RECORD).read_text(encoding="utf-8"))
    assert list(record)[:3] == ["paper", "scale", "claims"]
    assert all(
        set(row) >= INTERFACE and all(isinstance(row[key], str) for key in INTERFACE) for row in record["claims"]
    )


def test_other_settings_are_worked_on_anew(tmp_path):
    for size in (1, 1, 2):
        reproduce(work_alone(tmp_path / "calls", settings={"size": size}), "quick", tmp_path)
    assert len(calls(tmp_path / "calls")) == 2


def test_other_data_are_worked_on_anew_and_their_checksum_is_kept(tmp_path):
    file = tmp_path / "features.npy"
    sums = []
    for content in (b"one", b"one", b"two"):
        file.write_bytes(content)
        made = reproduce(work_alone(tmp_path / "calls", files={"features.npy": file}), "quick", tmp_path)
        sums.append(made.parts["labels"].data["features.npy"])
    assert len(calls(tmp_path / "calls")) == 2
    assert sums[0] == sums[1] != sums[2] and sums[0].startswith("sha256:")


def test_work_is_done_anew_where_the_study_that_it_needs_has_other_cells(tmp_path):
    for seeds in (1, 1, 2):
        parts = (
            Part(name="heads", study=study(seeds)),
            Part(name="labels", work=counted(tmp_path / "calls"), needs=("heads",)),
        )
        reproduce(tiny_paper(*parts), "quick", tmp_path)
    assert len(calls(tmp_path / "calls")) == 2


def test_work_is_done_anew_where_work_that_it_needs_was(tmp_path):
    for size in (1, 2):
        parts = (
            Part(name="first", work=counted(tmp_path / "calls"), settings={"size": size}),
            Part(name="second", work=counted(tmp_path / "calls"), needs=("first",)),
        )
        paper = tiny_paper(*parts, findings=work_alone(tmp_path).findings)
        reproduce(paper, "quick", tmp_path)
    assert calls(tmp_path / "calls") == ["first", "second"] * 2


@pytest.mark.parametrize("left", ["", '{"inputs": "', '{"inputs": "x"}', "[]", "null"])
def test_damaged_numbers_are_computed_again_with_a_notice(tmp_path, left):
    paper = work_alone(tmp_path / "calls")
    whole = reproduce(paper, "quick", tmp_path)
    (stored,) = (tmp_path / "labels").glob("labels-*.json")
    stored.write_text(left, encoding="utf-8")
    notices: list[str] = []
    again = reproduce(paper, "quick", tmp_path, say=notices.append)
    assert calls(tmp_path / "calls") == ["labels"] * 2
    assert again.rows == whole.rows and len(notices) == 1 and str(stored) in notices[0]


def test_earlier_settings_find_their_numbers_again(tmp_path):
    for size in (1, 2, 1):
        reproduce(work_alone(tmp_path / "calls", settings={"size": size}), "quick", tmp_path)
    assert len(calls(tmp_path / "calls")) == 2


@pytest.mark.skipif(sys.platform == "win32", reason="kill -9")
def test_a_run_that_is_killed_goes_on_where_it_was(tmp_path):
    run = subprocess.Popen(
        [sys.executable, str(DRIVER), str(tmp_path)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])},
    )
    while not (tmp_path / "slow" / "begun").exists():
        assert run.poll() is None
        time.sleep(0.02)
    run.kill()
    run.wait()
    assert not (tmp_path / RECORD).exists() and not list((tmp_path / "slow").glob("slow-*.json"))
    (tmp_path / "go").touch()
    made = reproduce(slow_paper(tmp_path), "quick", tmp_path)
    assert calls(tmp_path / "calls") == ["labels"]
    assert made.count("equal") == 1 and (tmp_path / RECORD).exists()


def test_progress_goes_from_nothing_to_all_and_never_back(tmp_path):
    steps: list[Step] = []
    parts = (Part(name="heads", study=study(), weight=3), Part(name="labels", work=counted(tmp_path / "calls")))
    reproduce(tiny_paper(*parts), "quick", tmp_path, progress=steps.append)
    shares = [step.share for step in steps]
    assert shares[0] == 0 and shares == sorted(shares) and shares[-1] == 1
    assert [step.part for step in steps if step.share == 0.75][-1] == "labels"


def test_an_unknown_scale_is_refused_with_the_known_ones(tmp_path):
    with pytest.raises(ValueError, match=r"unknown scale 'huge'.*quick, laptop, full"):
        reproduce(work_alone(tmp_path), "huge", tmp_path)  # type: ignore[arg-type]


@pytest.mark.parametrize("keys", [("closer", "items"), ("closer", "items", "brains", "hearts")])
def test_a_claim_without_a_finding_or_a_finding_without_a_claim_is_an_error(tmp_path, keys):
    paper = replace(
        work_alone(tmp_path / "calls"), findings=lambda results, scale: dict.fromkeys(keys, cannot_test("-"))
    )
    with pytest.raises(AssertionError, match=r"tiny2026: .*(brains|hearts)"):
        reproduce(paper, "quick", tmp_path)


def test_two_claims_with_one_key_are_refused(tmp_path):
    with pytest.raises(ValueError, match="two claims with the key 'closer'"):
        replace(work_alone(tmp_path), claims=(*CLAIMS, CLAIMS[0]))


def test_a_part_has_a_study_or_work_and_not_both(tmp_path):
    with pytest.raises(ValueError, match="part x needs either"):
        Part(name="x")
    with pytest.raises(ValueError, match="part x needs either"):
        Part(name="x", study=study(), work=counted(tmp_path))


def test_parts_that_need_what_is_not_before_them_are_an_error(tmp_path):
    second = Part(name="second", work=counted(tmp_path / "calls"), needs=("first",))
    with pytest.raises(AssertionError, match="second needs first"):
        reproduce(tiny_paper(second), "quick", tmp_path)
    with pytest.raises(AssertionError, match="two parts named heads"):
        reproduce(tiny_paper(Part(name="heads", study=study()), Part(name="heads", study=study())), "quick", tmp_path)


def test_cells_that_fail_are_told_and_nothing_is_judged(tmp_path):
    """A learning rate at which the loss is no number any more."""
    broken = study(model={"head": "mlp", "epochs": 1, "hidden": 4, "learning_rate": 1e30})
    with pytest.raises(ValueError, match=r"4 of 4 cells of heads.*study status"):
        reproduce(tiny_paper(Part(name="heads", study=broken)), "quick", tmp_path, say=lambda notice: None)
    assert not (tmp_path / RECORD).exists()


def test_numbers_that_json_does_not_have_are_refused_with_the_part(tmp_path):
    def work(*given: object) -> dict[str, float]:
        return {"kl": float("nan")}

    paper = replace(work_alone(tmp_path), parts=lambda scale: [Part(name="labels", work=work)])
    with pytest.raises(ValueError, match="labels contains NaN or infinity"):
        reproduce(paper, "quick", tmp_path)


def test_what_cannot_be_tested_needs_a_reason_and_a_verdict_is_one_of_four():
    with pytest.raises(ValueError, match="needs a reason"):
        Finding(ours="-", verdict="cannot be tested here")
    with pytest.raises(Refusal, match=r"unknown verdict 'nearly'.*equal, same direction"):
        Finding(ours="-", verdict="nearly")  # type: ignore[arg-type]
