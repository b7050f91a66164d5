"""The tables of the pages have a row for every entry of the dictionary they list, and for nothing else."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
import torch

from benchmarks.shrinkage import tables as shrinkage_tables
from dissensus.cli.main import VERBS, name_of
from dissensus.evaluate import METRICS
from dissensus.labels import COMPLETIONS, TRANSFORMS
from dissensus.labels.distances import DISTANCES
from dissensus.labels.settings import markdown_rows
from dissensus.plan import Costs, Preferences
from dissensus.plan.advice.label_plan import plan_labels
from dissensus.probe import ATTACKS, DETECTORS, PROBES
from dissensus.study import read_spec
from dissensus.study.spec import Comparing, DataSource, Evaluation, LabelRecipe, Split
from dissensus.train.heads import ENCODERS
from dissensus.train.heads.fit_config import FitConfig
from dissensus.train.network_config import NetworkConfig
from dissensus.train.networks import NETWORKS

LABEL_DEFAULTS = {"votes": '`"all"`'} | dict.fromkeys(("completion", "aggregation", "transforms"), '`"none"`')
TEST_DEFAULT = '`"corrected-t"` with `per-seed` and `k-fold`, else `"wilcoxon"`'
DOCS = Path(__file__).parent.parent / "docs"


def names_in_column(page: str, heading: str, column: int = 0) -> list[str]:
    """The names in backticks in one column of the table under a heading, without arguments and models."""
    text = (DOCS / page).read_text(encoding="utf-8")
    rows = text.split(f"| {heading} |", 1)[1].split("\n\n", 1)[0].splitlines()[2:]
    cells = [row.strip("|").split(" | ")[column] for row in rows]
    return [re.split(r"[(:]", name)[0] for cell in cells for name in re.findall(r"`([^`]+)`", cell)]


def test_every_completion_has_its_row():
    assert set(names_in_column("completion.md", "name | uses")) == set(COMPLETIONS)


def test_every_transform_has_its_row():
    assert set(names_in_column("transforms.md", "I want … | function", 1)) >= {
        function.__name__ for function in TRANSFORMS.values()
    }


def test_every_distance_has_its_row():
    rows = set(names_in_column("transforms.md", "function | range | notes"))
    assert rows == {*DISTANCES, "entropy", "normalised_entropy"}


def test_every_encoder_has_its_row():
    assert set(names_in_column("train.md", "encoder | takes")) == set(ENCODERS)


def test_every_attack_detector_and_probe_has_its_row():
    assert names_in_column("probe.md", "attack") == list(ATTACKS)
    assert names_in_column("probe.md", "detector") == list(DETECTORS)
    assert names_in_column("cli.md", "`--what` | shows | needs") == list(PROBES)


@pytest.mark.parametrize(
    ("page", "heading", "config", "defaults"),
    [
        ("train.md", "setting of `FitConfig`", FitConfig, {"kind": "as `head`"}),
        ("networks.md", "setting of `NetworkConfig`", NetworkConfig, {}),
        ("study.md", "key of `[data.NAME]`", DataSource, {"labels": "required", "people": "the labels"}),
        ("study.md", "key of `[labels]`", LabelRecipe, LABEL_DEFAULTS),
        ("study.md", "key of `[split]`", Split, {}),
        ("study.md", "key of `[evaluate]`", Evaluation, {}),
        ("study.md", "key of `[compare]`", Comparing, {"baseline": "required", "test": TEST_DEFAULT}),
    ],
)
def test_tables_of_settings_are_made_from_the_settings(page, heading, config, defaults):
    rows = markdown_rows(config, toml=page == "study.md", defaults=defaults)
    text = (DOCS / page).read_text(encoding="utf-8")
    assert "\n".join([f"| {heading} | meaning | default |", "|---|---|---|", *rows]) + "\n\n" in text


def test_every_key_at_the_top_of_a_study_has_its_row():
    assert sorted(names_in_column("study.md", "key at the top")) == sorted(read_spec._TOP)


def test_every_verb_of_a_study_has_its_row():
    from dissensus.cli.study import study

    known = {command.name or command.callback.__name__ for command in study.registered_commands}
    assert {name.split()[1] for name in names_in_column("study.md", "verb | does")} == known


def test_every_network_has_its_row_with_what_is_counted():
    heading = "network | family | parameters | width | depth | from"
    names = names_in_column("networks.md", heading)
    assert names == list(NETWORKS)
    assert names_in_column("networks.md", heading, 1) == [recipe.family for recipe in NETWORKS.values()]
    text = (DOCS / "networks.md").read_text(encoding="utf-8")
    for name, recipe in NETWORKS.items():
        (row,) = [line for line in text.splitlines() if line.startswith(f"| `{name}` |")]
        with torch.device("meta"):
            parameters = sum(weights.numel() for weights in recipe().parameters())
        assert f" | {parameters:,} | " in row
        if recipe.family != "small":
            assert re.search(rf" {recipe.width} \| [^|]*\|[^|]*\|$", row), f"{name} is {recipe.width} wide"


def test_the_verbs_stand_in_the_order_of_the_stages():
    known = [name_of(verb) for verbs in VERBS.values() for verb in verbs]
    assert names_in_column("cli.md", "verb | does") == known
    sentence = (DOCS.parent / "README.md").read_text(encoding="utf-8").split("has a verb for each step: ", 1)[1]
    assert re.findall(r"`([^`]+)`", sentence.split(".\n", 1)[0]) == known


@pytest.mark.parametrize("name", [name for name, metric in METRICS.items() if metric.shown == "table"])
def test_every_score_that_the_terminal_shows_is_explained(name):
    assert name in names_in_column("evaluate.md", "score")


def test_no_score_is_explained_that_does_not_exist():
    assert set(names_in_column("evaluate.md", "score")) <= {*METRICS, "_majority", "_gold"}


def test_the_page_on_networks_shows_the_recorded_speed():
    results, page = DOCS.parent / "benchmarks" / "results", (DOCS / "networks.md").read_text(encoding="utf-8")
    runs = json.loads((results / "roofline.json").read_text(encoding="utf-8"))["runs"]
    rows: dict[str, list[str]] = {}
    for run in runs:
        cells = rows.setdefault(f"{run['threads']}, {run['precision']}", [])
        cells += [f"{run['images/s']:,}", f"{run['share of the roof']:.0%}"]
    for name, cells in rows.items():
        assert f"| {name} | {' | '.join(cells)} |" in page
    convolution = [run["shares"]["convolution"] for run in runs]
    assert all(next(iter(run["shares"])) == "convolution" and run["outside"] < 0.05 for run in runs)
    assert f"{min(convolution):.0%} to {max(convolution):.0%} of a step" in page
    common = json.loads((results / "training.json").read_text(encoding="utf-8"))["runs"]
    ratios = [run[name]["ratio"] for run in common for name in ("small", "ResNet-8")]
    assert f"{min(ratios):.1f} to {max(ratios):.1f} times as long" in page
    assert all(run["small"]["augmentation share"] < 0.01 for run in common)


def test_the_page_on_aggregation_shows_what_was_recorded_of_shrinkage():
    record = json.loads((DOCS.parent / "benchmarks" / "results" / "shrinkage.json").read_text(encoding="utf-8"))
    page = (DOCS / "aggregate.md").read_text(encoding="utf-8")
    for block in "\n".join(shrinkage_tables(record)).split("\n\n"):
        assert f"\n{block}\n" in page
    for row in record["items"]["cifar10h-annotators"]:
        if row["items"] == 10_000:
            cells = [f"{row[name]:.3f}" for name in ("+1/k", "best +c", "shrinkage")]
            assert f" | {row['votes']} | {' | '.join(cells)} |" in page


def test_what_a_plan_advises_is_what_its_page_shows():
    """Each cell names the label for most sets and, in brackets, another one up to so many items."""
    text = (DOCS / "plan.md").read_text(encoding="utf-8").replace(",", "")
    rows = text.split("| classes | 1 | 1.5 |", 1)[1].split("\n\n", 1)[0].splitlines()[2:]
    assert len(rows) == 4
    for row in rows:
        classes, *cells = row.strip("| ").split(" | ")
        k = int(classes)
        for ratio, cell in zip((1, 1.5, k / 2, k), cells, strict=True):
            usual, small, last = re.fullmatch(r"([^(]*?)(?: \((.*) up to (\d+) items\))?", cell).groups()
            turn = int(last or 0)
            for n in sorted({10, max(turn, 10), turn + 1 if turn else 11, 2_000, 100_000}):
                kind, asked = plan_labels(n, k, Preferences(Costs(ratio=ratio)), np.random.default_rng(0)).recommended
                told = kind if kind in ("hard", "soft") else f"{asked} of {k}"
                assert told == (small if n <= turn else usual), (k, ratio, n)
