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

from dissensus.papers.catalogue import PAPERS
from dissensus.papers.evidence import EVIDENCE, Candidate, read_evidence
from dissensus.papers.expressions import difference
from dissensus.papers.judges import more
from dissensus.papers.judging import judge_again, judge_claims, judgements
from dissensus.papers.outcomes import Judgement
from dissensus.papers.pages import write_page
from dissensus.papers.paper import Gate, Paper, Part, Results
from dissensus.papers.peterson2019.tuned import processes
from dissensus.papers.published import Published, PublishedTable
from dissensus.papers.published import parse_printed as parse
from dissensus.papers.record import RECORD, read_record
from dissensus.papers.running import Step, reproduce
from dissensus.train.child_processes import cores
from tests.facts import refuses, states
from tests.papers.tiny_paper import CLAIMS, counted, slow_paper, study, tiny_paper, two_parts

DRIVER = Path(__file__).with_name("tiny_paper.py")
ROOT = DRIVER.parents[2]
INTERFACE = {"claim", "source", "published", "ours", "verdict"}


def calls(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").split() if path.exists() else []


def work_alone(path: Path, **fields: object) -> Paper:
    """A paper of one part."""
    part = Part(name="labels", work=counted(path), **fields)  # type: ignore[arg-type]
    return tiny_paper(part)


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which a study and work on it were run once."""
    place = tmp_path_factory.mktemp("tiny")
    reproduce(tiny_paper(*two_parts(place / "calls")), "quick", place)
    return place


def test_each_claim_has_what_came_out(done):
    closer, items, brains = read_record(done / RECORD)["claims"]
    assert [row["key"] for row in (closer, items, brains)] == [claim.key for claim in CLAIMS]
    (outcome,) = closer["judgement"]["outcomes"]
    assert closer["verdict"] == "same direction" and outcome["agreeing"] == 5 == len(outcome["runs"])
    assert sum(outcome["runs"].values()) / 5 == pytest.approx(outcome["value"]["value"])
    assert (outcome["model"], outcome["epoch"]) == ("heads", "last")
    assert outcome["means"]["soft"] - outcome["means"]["majority"] == pytest.approx(outcome["value"]["value"])
    assert (items["verdict"], items["ours"]) == ("equal", "1,797")
    assert (brains["verdict"], brains["reason"]) == ("cannot be tested here", "there is no scanner")


def test_claims_are_judged_again_from_the_stored_evidence(done):
    record = json.loads((done / RECORD).read_text(encoding="utf-8"))
    paper = tiny_paper(*two_parts(done / "calls"))
    assert judge_again(paper, record, done / EVIDENCE) == record
    turned = replace(CLAIMS[0], judge=more("kl", "soft", than="majority"))
    changed = judge_again(replace(paper, claims=(turned, *CLAIMS[1:])), record, done / EVIDENCE)
    assert [row["verdict"] for row in changed["claims"]] == ["differs", "equal", "cannot be tested here"]


def test_a_second_call_works_on_nothing_and_says_the_same(done):
    before = json.loads((done / RECORD).read_text(encoding="utf-8"))
    cells = {path: path.stat().st_mtime_ns for path in (done / "heads" / "cells").rglob("*") if path.is_file()}
    again = reproduce(tiny_paper(*two_parts(done / "calls")), "quick", done)
    assert calls(done / "calls") == ["labels"]
    assert json.loads(json.dumps(again.as_json())) == before
    assert cells == {path: path.stat().st_mtime_ns for path in cells}


@pytest.mark.parametrize(("printed", "stopped"), [("100", []), ("0.0001", ["labels", "more"])])
def test_parts_behind_a_gate_are_run_only_if_the_model_has_the_papers_level(tmp_path, printed, stopped):
    """The KL of soft labels is far below 100, and far above 0.0001."""
    table = PublishedTable(source="table 1", reference="soft", level=("kl",), numbers={"kl": {"soft": parse(printed)}})
    gate = Gate(
        source="table 1",
        candidate=Candidate("heads", "last"),
        expression=difference("kl", "soft", "majority"),
        stops=("labels",),
    )
    heads, labels = two_parts(tmp_path / "calls")
    more = Part(name="more", work=counted(tmp_path / "calls"), needs=("labels",))
    paper = replace(tiny_paper(replace(heads, gate=gate), labels, more), published=Published([table]))
    notices: list[str] = []
    made = reproduce(paper, "quick", tmp_path, say=notices.append)
    assert list(made.stopped) == list(made.unfinished) == stopped
    assert len(calls(tmp_path / "calls")) == 2 - len(stopped)
    assert bool(stopped) == any(states(notice, "heads", "below the paper's level", "labels") for notice in notices)
    write_page(read_record(tmp_path / RECORD), tmp_path / "page.md")
    page = (tmp_path / "page.md").read_text(encoding="utf-8")
    assert ("Stopped: labels, more" in page) == bool(stopped)


@pytest.mark.parametrize("paper", PAPERS.values(), ids=list(PAPERS))
@pytest.mark.parametrize("scale", ["quick", "laptop"])
def test_parts_may_be_left_out(paper, scale):
    """Without any part, no claim can be tested, and there are no figures."""
    nothing = Results({}, {})
    evidence = paper.observe(nothing, scale)
    judged = judgements(judge_claims(paper, evidence))
    assert {judgement.verdict for judgement in judged.values()} == {"cannot be tested here"}
    assert paper.conclude is None or paper.conclude(judged).short
    assert all(not any(series.y for series in figure.series) for figure in paper.figures(nothing, scale, evidence))
    assert not paper.beyond(nothing, scale)


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
        reproduce(tiny_paper(*parts), "quick", tmp_path)
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


def test_work_takes_no_more_cores_than_jobs(tmp_path, monkeypatch):
    monkeypatch.setattr("os.sched_getaffinity", lambda process: set(range(8)), raising=False)
    given: list[int] = []

    def work(folder: Path, needs: object, tell: object) -> dict[str, int]:
        given.extend((cores(), processes("quick")))
        return {"items": len(given)}

    for jobs in (1, 3, 100, None):
        part = Part(name="labels", work=work, settings={"jobs": jobs})  # so that it is not reused
        reproduce(tiny_paper(part), "quick", tmp_path, jobs=jobs)
    assert given == [1, 1, 3, 3, 8, 8, 8, 8]
    with refuses("jobs", "0", "1"):
        reproduce(work_alone(tmp_path / "calls"), "quick", tmp_path, jobs=0)


def test_an_unknown_scale_is_refused_with_the_known_ones(tmp_path):
    with refuses("'huge'", "quick", "laptop", "full"):
        reproduce(work_alone(tmp_path), "huge", tmp_path)  # type: ignore[arg-type]


def test_only_the_named_parts_run_with_those_they_need(tmp_path):
    parts = (
        Part(name="first", work=counted(tmp_path / "calls")),
        Part(name="alone", work=counted(tmp_path / "calls")),
        Part(name="second", work=counted(tmp_path / "calls"), needs=("first",)),
    )
    made = reproduce(tiny_paper(*parts), "quick", tmp_path, only=["second"])
    assert calls(tmp_path / "calls") == ["first", "second"] == list(made.parts)
    assert made.unfinished == ("alone",)
    assert reproduce(tiny_paper(*parts), "quick", tmp_path).unfinished == ()
    with refuses("'third'", "first", "alone", "second"):
        reproduce(tiny_paper(*parts), "quick", tmp_path, only=["third"])


def test_an_earlier_record_gives_the_numbers_that_a_run_does_not_have(done, tmp_path):
    parts = (Part(name="heads", study=study()), Part(name="labels", work=counted(tmp_path / "calls")))
    whole, labels = read_record(done / RECORD), tmp_path / "labels"
    alone = reproduce(tiny_paper(*parts), "quick", tmp_path / "alone", only=["labels"])
    assert [row.finding.verdict for row in alone.rows] == ["cannot be tested here", "equal", "cannot be tested here"]
    made = reproduce(tiny_paper(*parts), "quick", labels, only=["labels"], known=done / RECORD)
    assert [row.finding.verdict for row in made.rows] == [row["verdict"] for row in whole["claims"]]
    assert set(made.parts) == {"heads", "labels"} and made.parts["heads"].commit == whole["parts"]["heads"]["commit"]
    assert made.unfinished == () and {figure.key for figure in made.figures} >= {
        figure.key for figure in whole["figures"]
    }
    assert read_evidence(labels / EVIDENCE) == read_evidence(done / EVIDENCE)


def test_numbers_of_this_run_replace_those_of_the_earlier_record(done, tmp_path):
    known = tmp_path / "tiny-laptop.json"
    known.write_bytes((done / RECORD).read_bytes())
    evidence = (done / EVIDENCE).read_text(encoding="utf-8")
    known.with_suffix(".csv").write_text(evidence.replace("1797", "1000"), encoding="utf-8")
    made = reproduce(
        tiny_paper(Part(name="labels", work=counted(tmp_path / "calls"))), "quick", tmp_path / "run", known=known
    )
    assert [row.finding.verdict for row in made.rows][:2] == ["same direction", "equal"]


def test_a_record_of_another_paper_or_without_evidence_is_refused(done, tmp_path):
    lonely = tmp_path / "lonely.json"
    lonely.write_bytes((done / RECORD).read_bytes())
    with refuses("lonely.json", "lonely.csv"):
        reproduce(work_alone(tmp_path), "quick", tmp_path, known=lonely)
    with refuses("tiny2026", "other2026"):
        reproduce(replace(work_alone(tmp_path), name="other2026"), "quick", tmp_path, known=done / RECORD)


def test_two_claims_with_one_key_are_refused(tmp_path):
    with refuses("tiny2026", "'closer'"):
        replace(work_alone(tmp_path), claims=(*CLAIMS, CLAIMS[0]))


def test_a_part_has_a_study_or_work_and_not_both(tmp_path):
    with refuses("part x", "either", "study", "work"):
        Part(name="x")
    with refuses("part x", "either", "study", "work"):
        Part(name="x", study=study(), work=counted(tmp_path))


def test_parts_that_need_what_is_not_before_them_are_an_error(tmp_path):
    second = Part(name="second", work=counted(tmp_path / "calls"), needs=("first",))
    with pytest.raises(AssertionError, match="second needs first"):
        reproduce(tiny_paper(second), "quick", tmp_path)
    with pytest.raises(AssertionError, match=r"two parts.*heads"):
        reproduce(tiny_paper(Part(name="heads", study=study()), Part(name="heads", study=study())), "quick", tmp_path)


def test_cells_that_fail_are_told_and_nothing_is_judged(tmp_path):
    """A learning rate at which the loss is no number any more."""
    broken = study(model={"head": "mlp", "epochs": 1, "hidden": 4, "learning_rate": 1e30})
    with refuses("4 of 4 cells", "heads", "study status"):
        reproduce(tiny_paper(Part(name="heads", study=broken)), "quick", tmp_path, say=lambda notice: None)
    assert not (tmp_path / RECORD).exists()


def test_numbers_that_json_does_not_have_are_refused_with_the_part(tmp_path):
    def work(*given: object) -> dict[str, float]:
        return {"kl": float("nan")}

    paper = replace(work_alone(tmp_path), parts=lambda scale: [Part(name="labels", work=work)])
    with refuses("labels", "NaN or infinity", None):
        reproduce(paper, "quick", tmp_path)


def test_what_cannot_be_tested_needs_a_reason_and_headlines_are_claims(tmp_path):
    with pytest.raises(ValueError, match="needs a reason"):
        Judgement(verdict="cannot be tested here")
    with refuses("tiny2026", "'hearts'"):
        replace(work_alone(tmp_path), headlines=("hearts",))
