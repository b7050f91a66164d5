"""Cells of the study of deliveries: what was trained before is taken again only where it is the same."""

from __future__ import annotations

import json

from studies.deliveries import SETTINGS, Cell, commits_of, run
from tests.facts import refuses

CELL = Cell("flip", None, 3, "soft")


def kept(folder, settings):
    record = {"setting": "flip", "votes": None, "seed": 3, "method": "soft", "commit": "abc"}
    (folder / f"{CELL.name}.json").write_text(json.dumps(record | ({} if settings is None else {"settings": settings})))


def test_a_cell_that_was_trained_with_other_settings_is_not_taken_for_this_one(tmp_path):
    same = json.loads(json.dumps(vars(SETTINGS["flip"]) | {"seed": 3}))
    kept(tmp_path, same)
    assert run(CELL, tmp_path)["settings"] == same
    kept(tmp_path, same | {"epochs": 2})
    with refuses(tmp_path / f"{CELL.name}.json", "other settings", "remove", "--work"):
        run(CELL, tmp_path)


def test_the_record_tells_at_which_commits_cells_were_trained():
    assert commits_of([{"commit": "b"}, {}, {"commit": "a"}, {"commit": "b"}]) == ["a", "b", "not recorded"]
