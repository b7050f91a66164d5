"""`dissensus study`, as somebody uses it who has a file and a folder."""

from __future__ import annotations

import csv
import json
import os
import re
import shutil

import pytest

from dissensus.study.engines.catalogue import ENGINES
from dissensus.study.holding import hold_folder
from dissensus.study.reporting.tables import difference_overview
from dissensus.study.summary.summary import summarise_study
from tests.cli.study_files import changed, dissensus, make_study
from tests.facts import states
from tests.study.fabricated import grid


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A study of four cells that was run: its file, and its folder."""
    place = tmp_path_factory.mktemp("study")
    file = make_study(place)
    done = dissensus("study", "run", file, "-o", place / "out")
    assert done.exit_code == 0, done.output
    return file, place / "out", done


@pytest.fixture
def copied(finished, tmp_path):
    """The same for a test that changes it."""
    file, folder, _ = finished
    shutil.copytree(folder, tmp_path / "out")
    return changed(file, name=f"{tmp_path.name}.toml"), tmp_path / "out"


def test_a_run_reports_its_cells_and_the_next_command(finished):
    _, folder, done = finished
    command = f"dissensus study report {folder}"
    assert states(done.stdout, f"4 cells in {folder}:", "4 new", "0 reused") and states(done.stderr, command)
    assert sorted(place.name for place in next((folder / "cells").iterdir()).iterdir()) == [
        "predictions.parquet",
        "record.json",
    ]


def test_the_table_has_one_row_per_cell_with_its_settings_and_scores(finished):
    _, folder, _ = finished
    rows = json.loads(dissensus("study", "table", folder, "--json").stdout)
    records = [json.loads(path.read_text()) for path in sorted((folder / "cells").glob("*/record.json"))]
    assert len(rows) == 4
    for row in rows:
        (record,) = [record for record in records if record["cell"] == row["cell"]]
        assert (row["delivery"], row["hidden"], row["seed"]) == (record["arm"]["delivery"], 8, record["seed"])
        assert {name: row[name] for name in record["scores"]} == record["scores"]


def test_the_table_is_also_a_csv_file_and_markdown(finished, tmp_path):
    _, folder, _ = finished
    assert dissensus("study", "table", folder, "--csv", tmp_path / "cells.csv").exit_code == 0
    with (tmp_path / "cells.csv").open() as file:
        rows = list(csv.DictReader(file))
    wanted = json.loads(dissensus("study", "table", folder, "--json").stdout)
    assert [row["cell"] for row in rows] == [row["cell"] for row in wanted]
    assert [float(row["soft_nll"]) for row in rows] == [row["soft_nll"] for row in wanted]
    means = {arm: sum(row["accuracy"] for row in wanted if row["delivery"] == arm) / 2 for arm in ("soft", "majority")}
    for words, start in ((("--markdown",), "| {} | "), ((), "{} ")):
        lines = dissensus("study", "table", folder, *words).stdout.splitlines()
        for arm, mean in means.items():
            assert f"{mean:.3f}" in next(line for line in lines if line.startswith(start.format(arm)))


def test_the_report_is_written_where_it_was_asked_for(finished, tmp_path):
    _, folder, _ = finished
    words = ["--markdown", tmp_path / "r.md", "--latex", tmp_path / "r.tex"]
    done = dissensus("study", "report", folder, "-o", tmp_path / "r.html", *words)
    assert done.stdout.splitlines() == [f"wrote {tmp_path / name}" for name in ("r.html", "r.md", "r.tex")]
    assert (tmp_path / "r.html").read_text().startswith("<!doctype html>")
    assert (tmp_path / "r.md").read_text().startswith("# own files") and "tabular" in (tmp_path / "r.tex").read_text()
    both = dissensus("study", "report", folder, "-o", tmp_path / "x", "--markdown", tmp_path / "x")
    assert both.exit_code == 2 and states(both.stderr, f"{tmp_path / 'x'}:", "two results")


def test_a_study_differs_from_itself_in_nothing_and_from_another_in_what_was_changed(finished, tmp_path):
    file, folder, _ = finished
    assert json.loads(dissensus("study", "diff", folder, folder, "--json").stdout)["same"] is True
    other = changed(file, ("hidden = 8", "hidden = 4"), ("seeds = 2", "seeds = 1"))
    assert dissensus("study", "run", other, "-o", tmp_path).exit_code == 0
    found = json.loads(dissensus("study", "diff", folder, tmp_path, "--json").stdout)
    assert found["settings"] == {"model.hidden": {"a": [8], "b": [4]}}
    assert found["spec"] == {"seeds": {"a": [0, 1], "b": [0]}}
    assert states(dissensus("study", "diff", folder, tmp_path).stdout, "model.hidden", "seeds", "[0, 1]", "[0]")


def test_a_folder_with_the_name_of_its_data_is_refused(finished, tmp_path, monkeypatch):
    """The next run would take the folder for the data, since what is on the disk goes before a data set."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.toml").write_text('[data]\nlabels = "digits"\nfeatures = "pixels"\n[model]\nhead = "linear"\n')
    done = dissensus("study", "run", "s.toml", "-o", "digits")
    assert done.exit_code == 2 and not (tmp_path / "digits").exists()
    assert states(done.stderr, "s.toml, line 1:", "data.digits.labels", "'digits'", "folder")


def test_check_counts_cells_by_axis_says_what_is_there_and_times_the_rest(finished):
    file, folder, _ = finished
    more = changed(file, ("seeds = 2", "seeds = 5"), ("hidden = 8", "hidden = [8, 16]"))
    done = dissensus("study", "check", more, "-o", folder, "--json")
    facts = json.loads(done.stdout)
    assert facts["axes"] == {"delivery": ["soft", "majority"], "hidden": [8, 16], "seed": [0, 1, 2, 3, 4]}
    assert (facts["arms"], facts["cells"], facts["there"], facts["failed"], facts["left"]) == (4, 20, 4, 0, 16)
    assert facts["data"] == {"world": {"items": 120, "classes": 3}}
    guess = facts["estimate"]
    assert guess["seconds"] > 0 and guess["models"] == guess["timed"] == 2
    one_cell = sum(path.stat().st_size for path in next((folder / "cells").iterdir()).iterdir())
    assert 16 * one_cell / 1.5 < guess["size"] < 16 * one_cell * 1.5
    untimed = json.loads(dissensus("study", "check", more, "-o", folder, "--no-timing", "--json").stdout)
    assert (untimed["cells"], untimed["left"], untimed.get("estimate")) == (20, 16, None)
    assert states(dissensus("study", "check", more, "-o", folder, "--no-timing").stdout, 4, 20, 16)


def test_check_writes_nothing(finished, tmp_path):
    assert dissensus("study", "check", finished[0], "-o", tmp_path / "new", "--no-timing").exit_code == 0
    assert list(tmp_path.iterdir()) == []


def test_five_more_seeds_are_five_more_cells_per_arm_and_nothing_else(copied):
    file, folder = copied
    before = {path: path.stat().st_mtime_ns for path in folder.glob("cells/*/record.json")}
    assert states(dissensus("study", "add-seeds", file, 5).stdout, "seeds 2 to 6", file)
    ran = json.loads(dissensus("study", "run", file, "-o", folder, "--json").stdout)
    assert (ran["total"], ran["before"], ran["made"]) == (14, 4, 10)
    new = [path for path in folder.glob("cells/*/record.json") if path not in before]
    made = [(record["arm"]["delivery"], record["seed"]) for record in (json.loads(path.read_text()) for path in new)]
    assert sorted(made) == [(delivery, seed) for delivery in ("majority", "soft") for seed in range(2, 7)]
    assert {path: path.stat().st_mtime_ns for path in before} == before


def test_status_tells_who_works_on_it_and_what_other_code_made(copied):
    file, folder = copied
    path = next(folder.glob("cells/*/record.json"))
    path.write_text(json.dumps(json.loads(path.read_text()) | {"commit": "abc1234"}))
    shutil.rmtree(next(place for place in (folder / "cells").iterdir() if place != path.parent))
    facts = json.loads(dissensus("study", "status", folder, "--json").stdout)
    assert (facts["name"], facts["cells"], facts["done"], facts["failed"], facts["missing"]) == (
        "own files",
        4,
        3,
        {},
        1,
    )
    assert facts["older"] == {"abc1234": 1} and facts["running"] is facts["cut_off"] is None
    assert states(dissensus("study", "status", folder).stdout, "own files", "3 of 4", "abc1234")
    with hold_folder(folder):
        running = json.loads(dissensus("study", "status", folder, "--json").stdout)["running"]
        assert running["pid"] == os.getpid() and re.match(r"20\d\d-", running["since"])
        assert states(dissensus("study", "status", folder).stdout, *running.values())
        refused = dissensus("study", "run", file, "-o", folder)
        assert refused.exit_code == 2 and states(refused.stderr, f"{folder}:", *running.values(), "wait")
    (folder / ".running.json").write_text(json.dumps({"pid": 1, "host": "here", "since": "2026-01-01 10:00:00"}))
    facts = json.loads(dissensus("study", "status", folder, "--json").stdout)
    assert facts["running"] is None and facts["cut_off"]["host"] == "here"
    assert states(dissensus("study", "status", folder).stdout, "here", "2026-01-01 10:00:00")


def test_cells_of_another_spec_stay_and_are_counted(copied):
    file, folder = copied
    ran = dissensus("study", "run", changed(file, ("hidden = 8", "hidden = 4")), "-o", folder, "--json")
    assert json.loads(ran.stdout)["made"] == 4
    facts = json.loads(dissensus("study", "status", folder, "--json").stdout)
    assert (facts["cells"], facts["done"], facts["others"]) == (4, 4, 4)


@pytest.fixture(scope="module")
def failing(tmp_path_factory):
    """A study of which one arm fails: a class that only an item to choose by has cannot be learned from soft labels."""
    place = tmp_path_factory.mktemp("failing")
    file = make_study(place)
    rows = (place / "votes.csv").read_text().replace("fox", "dog").replace('"i0","a0","dog"', '"i0","a0","fox"')
    (place / "votes.csv").write_text(rows.replace('"i0","a0","cat"', '"i0","a0","fox"'))
    parts = ["validation" if item < 20 else "test" if item < 40 else "train" for item in range(120)]
    (place / "parts.csv").write_text("item,part\n" + "".join(f"i{item},{part}\n" for item, part in enumerate(parts)))
    return changed(
        file,
        ('"per-seed"', f'"file"\nfile = "{place}/parts.csv"'),
        ('["soft", "majority"]', '["soft", "sls"]'),
        ("seeds = 2", "seeds = 1"),
    )


def test_a_failure_is_a_record_with_its_traceback_and_is_tried_again_when_asked(failing, tmp_path):
    done = dissensus("study", "run", failing, "-o", tmp_path)
    assert done.exit_code == 1
    assert states(done.stdout, f"2 cells in {tmp_path}:", "2 new", "0 reused", "1 failed")
    assert states(done.stderr, "class fox", "validation", f"-o {tmp_path} --retry")
    path = tmp_path / re.search(r"cells/\w+/record\.json", done.stderr)[0]
    record = json.loads(path.read_text())
    assert record["status"] == "failed" and "Traceback" in record["traceback"]
    assert json.loads(dissensus("study", "status", tmp_path, "--json").stdout)["failed"] == {
        record["cell"]: record["error"]
    }
    status = dissensus("study", "status", tmp_path).stdout
    assert states(status, "1 of 2 cells", "1 failed", "class fox", "validation", "training", str(path))
    counts = {}
    for words in ((), ("--retry",)):
        again = dissensus("study", "run", failing, "-o", tmp_path, "--json", *words)
        assert again.exit_code == 1
        counts[words] = json.loads(again.stdout)["made"]
    assert counts == {(): 0, ("--retry",): 1}


def test_a_run_may_stop_at_the_first_failure(failing, tmp_path):
    done = dissensus("study", "run", failing, "-o", tmp_path, "--stop")
    assert done.exit_code == 1
    (cell,) = [path.parent.name for path in tmp_path.glob("cells/*/record.json") if "failed" in path.read_text()]
    assert states(done.stderr, f"error: cell {cell}", "class fox", "traceback")


def test_check_times_real_cells_so_a_cell_that_fails_is_reported_before_the_run(failing):
    done = dissensus("study", "check", failing)
    assert done.exit_code == 2
    assert states(done.stderr, "(world, soft, mlp, seed 0)", "ValueError:", "class fox")


def test_the_help_names_every_engine():
    text = " ".join(dissensus("study", "run", "--help").stdout.replace("│", " ").split())
    assert all(f"{name} ({kind.help})" in text for name, kind in ENGINES.items())


def test_what_a_verb_cannot_do_is_one_line_and_exit_code_2(finished, tmp_path):
    file, folder, _ = finished
    wrong = {
        ("run", file, "-o", folder, "--engine", "spark"): ["engine 'spark'", "local, ray, submitit"],
        ("run", file, "-o", folder, "--address", "x"): ["engine local", "no address", "--address x"],
        ("run", tmp_path / "no.toml", "-o", folder): [
            f"{tmp_path / 'no.toml'}:",
            "no such file",
            "`dissensus study init",
        ],
        ("run", file, "-o", tmp_path / "new", "--jobs", "0"): ["--jobs 0:", "1 or more"],
        ("run", file, "-o", folder, "--option", "a"): ["--option a:", "NAME=VALUE"],
        ("run", file, "-o", folder, "--option", "a=1"): ["engine local", "no options", "given a"],
        ("status", tmp_path): [tmp_path, "study.json", "`dissensus study run`"],
        ("add-seeds", file, 0): ["0 seeds", "1 or more"],
    }
    for words, facts in wrong.items():
        done = dissensus("study", *words)
        assert (done.exit_code, done.stdout) == (2, ""), words
        assert states(done.stderr, *facts) and len(done.stderr.strip().splitlines()) == 1


def test_a_report_is_not_written_over_other_files_or_to_the_name_of_an_option(finished, tmp_path):
    for options, facts in (
        (("--markdown", "--latex"), ["--markdown", "--latex", "option"]),
        (("-o", tmp_path / "study.toml"), [f"--output {tmp_path / 'study.toml'}:", tmp_path / "study.html"]),
    ):
        done = dissensus("study", "report", finished[1], *options)
        assert done.exit_code == 2 and states(done.stderr, *facts)
    missing = dissensus("study", "report", tmp_path / "nothing")
    assert missing.exit_code == 2 and states(missing.stderr, tmp_path / "nothing", "no study")
    assert not list(tmp_path.iterdir())


def test_the_table_names_its_test_and_side_and_not_the_ties_of_one_pair():
    equal = {"soft": lambda seed: {"soft_nll": 0.7}, "sls": lambda seed: {"soft_nll": 0.7 + 0.1 * seed}}
    table = difference_overview(summarise_study(grid(equal, 4, metrics=["soft_nll"], compare={"side": "greater"})))
    assert states(table.caption, "soft")
    assert states(table.note, "Wilcoxon", "exact", "one-sided: greater") and "tie" not in table.note
