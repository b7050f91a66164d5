"""`dissensus plan` as users call it."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from dissensus.cli.main import app

ASK = ["plan", "--items", "80", "--classes", "20", "--cost-ratio", "10"]


def run(*words: str):
    return CliRunner().invoke(app, list(words))


def test_the_fixed_interface():
    result = run(*ASK, "--json")
    record = json.loads(result.stdout)
    assert result.exit_code == 0
    assert {"hard", "soft"} <= set(record["information_ratio"]) and {"hard", "soft"} <= set(record["constraints"])
    assert record["regime"] == "many-shot"
    assert set(record["recommendation"]) == {"kind", "k_hat", "why"}


def test_the_answer_in_plain_words():
    result = run(*ASK)
    lines = result.stdout.splitlines()
    assert result.exit_code == 0 and lines[1].startswith("Collect sparse labels: ")
    assert {"Options", "Reasons", "When to choose other labels"} <= set(lines)


def test_a_pilot_and_a_page(tmp_path):
    pilot, page = tmp_path / "pilot.csv", tmp_path / "plan.html"
    rows = "".join(f"hard,{2 + i % 3},0\nsoft,{20 + i % 5},0.1\n" for i in range(20))
    pilot.write_text("kind,seconds,wrong\n" + rows)
    result = run("plan", "--items", "80", "--classes", "20", "--pilot", str(pilot), "--html", str(page), "--json")
    record = json.loads(result.stdout)
    assert result.exit_code == 0 and f"wrote {page}" in result.stderr.replace("\n", "")
    assert {option["kind"] for option in record["pilot"]} == {"hard", "soft"} and 6 < record["cost_ratio"] < 9
    assert ">Pilot</h2>" in page.read_text()


def test_a_pilot_in_the_terminal_names_its_budget_and_what_was_measured(tmp_path):
    pilot = tmp_path / "pilot.csv"
    rows = "".join(f"sparse,{8 + i % 5},0.05,3\nsoft,{20 + i % 7},0.1,\n" for i in range(20))
    pilot.write_text("kind,seconds,wrong,k_hat\n" + rows)
    ask = ("plan", "--items", "1000", "--classes", "10", "--pilot", str(pilot), "--budget", "5000")
    shown, numbers = run(*ask).stdout, json.loads(run(*ask, "--json").stdout)
    assert "3,000 of the budget of 5,000" in shown and "all items" in shown
    assert " 3.3 s," in shown and "cost 3 hard labels" in shown
    table = {
        line.split("  ")[0]: line.split() for line in shown.splitlines() if " pilot " in line or " assumed " in line
    }
    for option in numbers["pilot"]:
        name = "sparse (3 classes)" if option["kind"] == "sparse" else option["kind"]
        assert table[name][-1] == f"{option['loss']['value']:.4f}" and "pilot" in table[name]
        assert abs(numbers["loss"][option["kind"]] - option["loss"]["value"]) < 1e-12
    assert "assumed" in table["hard"]


def test_the_scale_is_the_sets_own_or_as_asked_for():
    assert "A cost of 1 is 1,600 hard labels" in run(*ASK).stdout
    fixed = run(*ASK, "--reference", "8100")
    assert "A cost of 1 is 8,100 hard labels" in fixed.stdout
    assert "Collect sparse labels: numbers for the 14 " in fixed.stdout


@pytest.mark.parametrize("utility", ["linear", "sigmoid", "inverse-sigmoid"])
def test_utilities_by_name(utility):
    assert json.loads(run(*ASK, "--utility", utility, "--json").stdout)["utility"] == utility


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["plan", "--items", "80", "--classes", "20", "--cost-ratio", "0"], "expected a number above 0"),
        (["plan", "--items", "80", "--classes", "20", "--cost-ratio", "-2"], "expected a number above 0"),
        (["plan", "--items", "1", "--classes", "1"], "no three points"),
        (["plan", "--items", "0", "--classes", "4"], "0 items"),
        ([*ASK, "--utility", "cubic"], "unknown utility 'cubic'"),
        ([*ASK, "--estimate", "guess"], "unknown estimate 'guess'"),
        ([*ASK, "--beta", "-1"], "beta is -1.0"),
        ([*ASK, "--reference", "0"], "reference cost is 0.0"),
        ([*ASK, "--budget", "0"], "budget is 0.0"),
        ([*ASK, "--seed", "-1"], "--seed -1"),
        ([*ASK, "--pilot", "nowhere.csv"], "nowhere.csv"),
    ],
)
def test_wrong_input_is_one_line_and_exit_code_2(words, message):
    result = run(*words)
    assert result.exit_code == 2 and result.stdout == ""
    assert message in " ".join(result.stderr.split()) and "Traceback" not in result.stderr
