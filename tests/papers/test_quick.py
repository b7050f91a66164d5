"""Every paper runs as `dissensus reproduce NAME` does, in about a minute, and what must come out comes out.

These are whole papers, so `make test` leaves them out and `make papers` runs them.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dissensus.cli.main import app
from dissensus.papers.catalogue import PAPERS
from dissensus.papers.outcomes import VERDICTS
from dissensus.papers.record import RECORD, read_record

pytestmark = pytest.mark.papers

# Claims that hold by a wide margin even at this size. The tests of each paper show that they fail when the method is
# broken.
HOLD = {
    "peterson2019": ("section-4-per-image", "figure-2-far-cross_entropy", "figure-2-second-best", "figure-3-wrong"),
    "collins2022": ("completion", "figure-8", "table-1-people-10h", "figure-6-few"),
    "gheibi2026": ("proposition-objective", "table-3-shuffled-nll", "figure-4-10", "table-2-others-soft_nll"),
    "sucholutsky2023": (
        "soft-constraints",
        "simulated-soft-above-hard",
        "recovery-softer",
        "table-1-H-80",
        "shift-far",
    ),
    "singh2025": ("table-3-popquorn-kl", "table-3-cifar10h-hard-kl", "figure-5-popquorn"),
}


@pytest.mark.parametrize("name", PAPERS)
def test_a_paper_runs_and_its_main_claim_holds(name: str, data_folder: Path, tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["reproduce", name, "--scale", "quick", "-o", str(tmp_path / "run"), "--json"])
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert (told["paper"], told["scale"]) == (name, "quick")
    assert len(told["claims"]) == len(PAPERS[name].claims)
    for row in told["claims"]:
        assert list(row) == ["claim", "source", "published", "ours", "verdict"]
        assert row["verdict"] in VERDICTS
    kept = read_record(tmp_path / "run" / RECORD)["claims"]
    verdicts = {row["key"]: row["verdict"] for row in kept}
    assert {key: verdicts[key] for key in HOLD[name] if verdicts[key] not in ("equal", "same direction")} == {}
    assert (tmp_path / "run" / "page.md").exists()
