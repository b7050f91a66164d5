"""`dissensus plan` as users call it."""

from __future__ import annotations

import json

import pytest

from tests.cli.commands import refused, run
from tests.facts import states

ASK = ["plan", "--items", "80", "--classes", "20", "--cost-ratio", "10"]


def test_the_fixed_interface():
    record = json.loads(run(*ASK, "--json").stdout)
    assert {"hard", "soft"} <= set(record["information_ratio"]) and {"hard", "soft"} <= set(record["constraints"])
    assert record["regime"] == "many-shot"
    assert set(record["recommendation"]) == {"kind", "k_hat", "why"}


def test_the_answer_in_plain_words():
    shown, record = run(*ASK).stdout, json.loads(run(*ASK, "--json").stdout)
    title, *lines = shown.splitlines()
    advice = record["recommendation"]
    assert states(title, 80, 20) and states(lines[0], f"{advice['kind']} labels", advice["k_hat"])
    sections = [section.partition("\n")[0] for section in shown.split("\n\n")]
    assert sections[2:4] == ["Options", "Reasons"] and len(sections) == 5


def test_a_pilot_and_a_page(tmp_path):
    pilot, page = tmp_path / "pilot.csv", tmp_path / "plan.html"
    rows = "".join(f"hard,{2 + i % 3},0\nsoft,{20 + i % 5},0.1\n" for i in range(20))
    pilot.write_text("kind,seconds,wrong\n" + rows)
    result = run("plan", "--items", "80", "--classes", "20", "--pilot", str(pilot), "--html", str(page), "--json")
    record = json.loads(result.stdout)
    assert states(result.stderr, page)
    assert {option["kind"] for option in record["pilot"]} == {"hard", "soft"} and 6 < record["cost_ratio"] < 9
    assert ">Pilot</h2>" in page.read_text()


def test_a_pilot_in_the_terminal_names_its_budget_and_what_was_measured(tmp_path):
    pilot = tmp_path / "pilot.csv"
    rows = "".join(f"sparse,{8 + i % 5},0.05,3\nsoft,{20 + i % 7},0.1,\n" for i in range(20))
    pilot.write_text("kind,seconds,wrong,k_hat\n" + rows)
    ask = ("plan", "--items", "1000", "--classes", "10", "--pilot", str(pilot), "--budget", "5000")
    shown, numbers = run(*ask).stdout, json.loads(run(*ask, "--json").stdout)
    assert states(shown, "3,000", "5,000", "all items", "3.3 s", "3 hard labels")
    table = {
        line.split("  ")[0]: line.split() for line in shown.splitlines() if " pilot " in line or " assumed " in line
    }
    for option in numbers["pilot"]:
        name = "sparse (3 classes)" if option["kind"] == "sparse" else option["kind"]
        assert table[name][-1] == f"{option['loss']['value']:.4f}" and "pilot" in table[name]
        assert abs(numbers["loss"][option["kind"]] - option["loss"]["value"]) < 1e-12
    assert "assumed" in table["hard"]


def test_the_scale_is_the_sets_own_or_as_asked_for():
    assert states(run(*ASK).stdout, "1,600 hard labels")
    fixed = run(*ASK, "--reference", "8100").stdout
    assert states(fixed, "8,100 hard labels") and states(fixed.splitlines()[1], "sparse labels", 14)
    record = json.loads(run(*ASK, "--reference", "8100", "--json").stdout)
    assert record["scale"]["cost"] == 8100 and record["recommendation"]["k_hat"] == 14


@pytest.mark.parametrize("utility", ["linear", "sigmoid", "inverse-sigmoid"])
def test_utilities_by_name(utility):
    assert json.loads(run(*ASK, "--utility", utility, "--json").stdout)["utility"] == utility


@pytest.mark.parametrize(
    ("words", "facts"),
    [
        (["plan", "--items", "80", "--classes", "20", "--cost-ratio", "0"], ["--cost-ratio 0.0", "above 0"]),
        (["plan", "--items", "80", "--classes", "20", "--cost-ratio", "-2"], ["--cost-ratio -2.0", "above 0"]),
        (["plan", "--items", "1", "--classes", "1"], ["1 items", "1 classes", "3 or more"]),
        (["plan", "--items", "0", "--classes", "4"], ["0 items", "1 or more"]),
        ([*ASK, "--utility", "cubic"], ["utility", "'cubic'", "linear, sigmoid, inverse-sigmoid"]),
        ([*ASK, "--estimate", "guess"], ["estimate", "'guess'", "information, simulation"]),
        ([*ASK, "--beta", "-1"], ["--beta -1.0", "0 or more"]),
        ([*ASK, "--reference", "0"], ["--reference 0.0", "above 0"]),
        ([*ASK, "--budget", "0"], ["budget", "0.0", "above 0"]),
        ([*ASK, "--seed", "-1"], ["--seed -1:", "0 or more"]),
        ([*ASK, "--seed", "1"], ["--seed 1", "--pilot"]),
        ([*ASK, "--estimate", "simulation", "--dimensions", "7"], ["--dimensions 7", "5, 25, 125"]),
        ([*ASK, "--dimensions", "5"], ["--dimensions 5", "--estimate simulation"]),
        ([*ASK, "--pilot", "nowhere.csv"], ["nowhere.csv"]),
    ],
)
def test_wrong_input_is_one_line_and_exit_code_2(words, facts):
    assert states(refused(*words), *facts)
