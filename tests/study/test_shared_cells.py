"""Studies that share cells: what one has trained, the other takes; what differs is trained."""

from __future__ import annotations

import json

from dissensus.study import read_folder, run_study
from tests.study.world import small_study


def test_another_study_takes_the_cells_that_it_has_in_common(tmp_path):
    first = run_study(small_study(seeds=2), tmp_path / "first", shared=tmp_path / "cells")
    second = run_study(small_study(seeds=3), tmp_path / "second", shared=tmp_path / "cells")
    assert (second.before, second.made) == (first.total, second.total - first.total) and second.made > 0
    own = {record["cell"]: record["scores"] for record in read_folder(tmp_path / "second").records}
    alone = run_study(small_study(seeds=3), tmp_path / "alone")
    assert alone.before == 0
    assert own == {record["cell"]: record["scores"] for record in read_folder(tmp_path / "alone").records}


def test_shared_cells_are_stored_once_and_a_name_of_one_study_stays_with_it(tmp_path):
    run_study(small_study(), tmp_path / "first", shared=tmp_path / "cells")
    run_study(small_study(), tmp_path / "second", shared=tmp_path / "cells")
    for cell in (tmp_path / "cells").iterdir():
        stored = {path.stat().st_ino for path in tmp_path.glob(f"*/{cell.name}/predictions.parquet")}
        stored |= {path.stat().st_ino for path in tmp_path.glob(f"*/cells/{cell.name}/predictions.parquet")}
        assert len(stored) == 1
    assert not [path for path in (tmp_path / "cells").iterdir() if path.name.startswith(".")]


def test_failed_cells_are_not_shared_and_damaged_ones_are_trained_again(tmp_path):
    run_study(small_study(seeds=1), tmp_path / "first", shared=tmp_path / "cells")
    (cell, *others) = sorted((tmp_path / "cells").iterdir())
    (cell / "record.json").unlink()
    for other in others:
        record = json.loads((other / "record.json").read_text(encoding="utf-8"))
        (other / "record.json").write_text(json.dumps(record | {"status": "failed", "error": "x"}), encoding="utf-8")
    again = run_study(small_study(seeds=1), tmp_path / "second", shared=tmp_path / "cells")
    assert again.made == again.total and not again.failures
