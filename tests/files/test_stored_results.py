"""Results are computed once, survive kill -9 whole, and are computed again if somebody damages them."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dissensus.files.stored_results import compute_once, find_result, inputs_key, result_path
from tests.facts import refuses

numbers = st.floats(allow_nan=False, allow_infinity=False) | st.integers() | st.text() | st.none() | st.booleans()
values = st.recursive(numbers, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=8)
INPUTS = {"seed": 0, "rates": [0.1, 0.01]}
MANY = 30


def counting(result: Any) -> tuple[Callable[[], Any], list[int]]:
    """A computation, and a list that grows by one with each call."""
    calls: list[int] = []

    def compute() -> Any:
        calls.append(1)
        return result

    return compute, calls


@given(values)
@settings(max_examples=30)
def test_the_first_call_and_all_later_ones_return_exactly_the_same(tmp_path_factory, value):
    folder = tmp_path_factory.mktemp("results")
    compute, calls = counting(value)
    first, second = (compute_once(folder, "one", INPUTS, compute) for _ in range(2))
    assert json.dumps(first) == json.dumps(second) == json.dumps(value) and len(calls) == 1


def test_each_input_has_its_own_result_and_their_order_does_not_matter(tmp_path):
    for seed in (0, 1, 0):
        assert compute_once(tmp_path, "draw", {"seed": seed, "n": 3}, lambda seed=seed: seed) == seed
    assert len(list(tmp_path.iterdir())) == 2
    assert compute_once(tmp_path, "draw", {"n": 3, "seed": 1}, lambda: "computed again") == 1
    assert inputs_key({"a": 1, "b": 2}) == inputs_key({"b": 2, "a": 1}) != inputs_key({"a": 2, "b": 1})


def test_a_result_of_none_is_a_result(tmp_path):
    assert find_result(tmp_path, "nothing", INPUTS) is None
    compute_once(tmp_path, "nothing", INPUTS, lambda: None)
    assert find_result(tmp_path, "nothing", INPUTS) == (None,)


@pytest.mark.parametrize("number", [np.nan, np.inf])
def test_a_number_that_json_does_not_have_is_refused_with_the_name(tmp_path, number):
    with refuses("curve", "NaN or infinity"):
        compute_once(tmp_path, "curve", INPUTS, lambda: {"loss": number})
    assert not list(tmp_path.iterdir())


def test_a_computation_that_fails_leaves_nothing(tmp_path):
    with pytest.raises(ZeroDivisionError):
        compute_once(tmp_path, "quotient", INPUTS, lambda: 1 / 0)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: "",
        lambda text: text[:-20],
        lambda text: text.replace("0.25", "0.75"),
        lambda text: text.replace('"seed":0', '"seed":1'),
        lambda text: text.replace('"format":1', '"format":9'),
        lambda text: "[]",
        lambda text: "null",
    ],
    ids=["empty", "cut off", "another number", "other inputs", "another format", "list", "null"],
)
def test_a_damaged_file_is_computed_again_with_one_notice(tmp_path, damage):
    compute, calls = counting({"share": 0.25})
    compute_once(tmp_path, "share", INPUTS, compute)
    path = result_path(tmp_path, "share", INPUTS)
    whole = path.read_text()
    path.write_text(damage(whole))
    notices: list[str] = []
    assert compute_once(tmp_path, "share", INPUTS, compute, say=notices.append) == {"share": 0.25}
    assert len(calls) == 2 and len(notices) == 1 and str(path) in notices[0]
    assert path.read_text() == whole


def test_a_missing_or_changed_file_beside_a_result_counts_as_damage(tmp_path):
    model = tmp_path / "model.bin"
    notices: list[str] = []

    def train() -> float:
        model.write_bytes(b"weights")
        return 0.5

    for changes in (None, model.unlink, lambda: model.write_bytes(b"other")):
        if changes is not None:
            changes()
        assert compute_once(tmp_path, "model", INPUTS, train, files=[model], say=notices.append) == 0.5
        assert model.read_bytes() == b"weights"
    assert len(notices) == 2 and all("model.bin" in notice for notice in notices)


DRIVER = f"""
import sys
from pathlib import Path
from dissensus.files.stored_results import compute_once

folder = Path(sys.argv[1])
for number in range({MANY}):
    def compute():
        with (folder / "log").open("a") as log:
            log.write(f"{{number}}\\n")
        return [number + place / 7 for place in range(20_000)]
    compute_once(folder / "results", "numbers", {{"number": number}}, compute)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="kill -9")
def test_a_run_that_is_killed_again_and_again_loses_at_most_the_result_it_was_working_on(tmp_path):
    log, killed = tmp_path / "log", 0
    rng = np.random.default_rng(0)

    def lines() -> int:
        return len(log.read_text().split()) if log.exists() else 0

    for _ in range(3):
        before = lines()
        run = subprocess.Popen([sys.executable, "-c", DRIVER, str(tmp_path)])
        while lines() == before and run.poll() is None:
            time.sleep(0.001)
        time.sleep(float(rng.uniform(0, 0.05)))
        killed += run.poll() is None
        run.kill()
        run.wait()
        notices: list[str] = []
        visible = [path for path in (tmp_path / "results").glob("*") if not path.name.startswith(".")]
        known = [find_result(tmp_path / "results", "numbers", {"number": n}, say=notices.append) for n in range(MANY)]
        assert not notices and sum(result is not None for result in known) == len(visible)
    subprocess.run([sys.executable, "-c", DRIVER, str(tmp_path)], check=True)
    assert killed and lines() <= MANY + killed
    for number in range(MANY):
        wanted = [number + place / 7 for place in range(20_000)]
        assert find_result(tmp_path / "results", "numbers", {"number": number}) == (wanted,)
