"""SLURM by way of submitit, whose local executor does the same with processes of this machine."""

from __future__ import annotations

import pytest

from dissensus.study.engines.choose import make_engine
from dissensus.study.run import run_study
from tests.facts import refuses
from tests.study.small_studies import contents, head_and_network, undisturbed

pytest.importorskip("submitit", reason="submitit is not installed: pip install -c constraints.txt '.[slurm]'")


def test_jobs_of_submitit_give_what_this_process_gives_and_leave_nothing_behind(tmp_path):
    engine = make_engine("submitit", folder=tmp_path, address="local", jobs=2, options={"timeout_min": 30})
    ran = run_study(head_and_network(), tmp_path, engine=engine)
    assert ran.failures == {} and contents(tmp_path) == undisturbed(head_and_network)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cells", "study.json"]


def test_options_and_clusters_that_submitit_does_not_know_are_refused_before_anything_runs(tmp_path):
    with refuses("submitit:", "'queue'", "'slurm'", "partition"):
        make_engine("submitit", folder=tmp_path, address="local", options={"slurm_queue": "short"})
    with refuses("submitit:", "moon"):
        make_engine("submitit", folder=tmp_path, address="moon")
    assert not list(tmp_path.iterdir()), "another run may work there"
