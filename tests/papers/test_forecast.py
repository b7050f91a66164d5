"""The time of a night is told before it begins, for the trainings that are left."""

from __future__ import annotations

from pathlib import Path

from dissensus.papers.forecast import forecast
from dissensus.papers.paper import Part
from dissensus.papers.running import reproduce
from dissensus.study.read_spec import study_of
from dissensus.study.run import run_study
from dissensus.study.spec import Study
from tests.facts import states
from tests.papers.tiny_paper import counted, study, tiny_paper


def networks(seeds: int = 2) -> Study:
    model = {"network": "small", "width": 2, "depth": 1, "crop": 0, "epochs": 1, "keep": ["best", "last"]}
    data = {"digits": {"labels": "digits", "images": "digits"}}
    return study_of({"seeds": seeds, "data": data, "model": model})


def test_trainings_that_are_left_are_counted_and_timed(tmp_path):
    parts = [Part(name="heads", study=study()), Part(name="nets", study=networks())]
    (nets,) = forecast(parts, tmp_path)
    assert (nets.part, nets.trainings) == ("nets", 2) and nets.seconds > 0
    run_study(networks(1), tmp_path / "nets", jobs=1, say=lambda notice: None)
    (nets,) = forecast(parts, tmp_path)
    assert nets.trainings == 1
    run_study(networks(), tmp_path / "nets", jobs=1, say=lambda notice: None)
    assert not list(forecast(parts, tmp_path))


def test_a_long_run_begins_with_its_forecast_and_a_short_one_does_not(tmp_path: Path):
    parts = (
        Part(name="heads", study=study()),
        Part(name="labels", work=counted(tmp_path / "calls"), needs=("heads",)),
        Part(name="nets", study=networks()),
    )
    for scale in ("quick", "overnight"):
        notices: list[str] = []
        paper = tiny_paper(*parts, scales=("quick", "overnight"))
        reproduce(paper, scale, tmp_path / scale, only=["nets", "labels"], say=notices.append)
        told = [notice for notice in notices if notice.startswith("nets")]
        assert len(told) == (scale == "overnight")
        assert all(states(notice, "nets", 2) for notice in told)
