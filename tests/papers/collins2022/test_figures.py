"""Figures hold our numbers and those that the paper prints, and can be drawn from a record."""

from __future__ import annotations

import json

import numpy as np
import pytest

from dissensus.papers.collins2022.arms import KINDS
from dissensus.papers.collins2022.figures import figures
from dissensus.papers.collins2022.observe import observe
from dissensus.papers.collins2022.scores import SETS
from dissensus.papers.collins2022.studies import GROUPS
from dissensus.papers.figures import describe_figure, figure_of
from dissensus.papers.paper import Results

BINS = {"entropy": [0.1, 0.5], "mean": [0.9, 0.7]}


def results():
    """Every kind of labels scores 1 but one vote, which scores 2."""
    rows = {name: {"ce": 1.0, "calibration": 0.1, "fgsm": 3.0, "accuracy": 0.8} for name in SETS}
    scores = {kind: {"vgg11": {"0": rows, "1": rows}} for kind in KINDS}
    scores["h 1"] = {"vgg11": {seed: {name: row | {"ce": 2.0} for name, row in rows.items()} for seed in "01"}}
    numbers = {
        "labels": {"once": {}, "batches": {}, "bins": {"first_mass": BINS, "possible": BINS}},
        "choices": {"gamma": {}, "smoothing": {}},
        "scores-heads": {"scores": scores},
        "scores-networks": {"scores": scores},
    }
    return Results({}, numbers)


def test_the_first_is_figure_6_with_every_number_of_annotators_and_those_of_tables_2_and_3():
    made = figures(results(), "laptop", observe(results(), "laptop"))
    assert made[0].key == "figure-6-ce-10h"
    votes, stated = made[0].series
    assert votes.x == tuple(np.log2([1, 2, 4, 8, 16, 32, 51])) and votes.y == (2.0, 1, 1, 1, 1, 1, 1)
    assert stated.x == tuple(np.log2([1, 2, 3, 4, 5, 6]))
    votes, stated = made[0].published
    assert (votes.y, stated.y) == ((2.17, 1.71, 1.293), (1.58, 1.49, 1.281))
    seconds = next(figure for figure in made if figure.key == "figure-10-ce-10h").series
    assert np.allclose(seconds[0].x, np.log2(1.8 * np.array([1, 2, 4, 8, 16, 32, 51]))) and seconds[1].x[0] == 5.0


def test_comparisons_are_percentages_of_the_second_and_fit_a_screen():
    made = {figure.key: figure for figure in figures(results(), "laptop", observe(results(), "laptop"))}
    shown = made["tables-ce-10h"]
    place = shown.series[0].x.index("stated - votes, one annotator")
    assert [series.y[place] for series in shown.series] == [-50.0, -50.0]
    assert shown.published[0].y[place] == pytest.approx(100 * (1.58 / 2.17 - 1))
    for figure in made.values():
        if figure.kind == "dots":
            assert sum(len(series.x) for series in (*figure.series, *figure.published)) <= 12


def test_every_figure_survives_its_record_and_is_drawn():
    made = figures(results(), "laptop", observe(results(), "laptop"))
    assert len({figure.key for figure in made}) == len(made) == 2 + 6 + 12
    for figure in made:
        again = figure_of(json.loads(json.dumps(figure.as_json(), allow_nan=False)))
        assert again == figure and all(chart.drawing.startswith("<") for chart in describe_figure(again, "x"))


def test_a_night_draws_its_networks_and_leaves_other_figures_to_earlier_records():
    """Without networks, figure 6 of an earlier record stays; with those of tables 1 and 2, it has all votes."""
    scores = results().numbers["scores-networks"]["scores"]
    main = {kind: own for kind, own in scores.items() if kind in GROUPS["main"]}
    heads = {"scores-heads": {"scores": scores}}
    for numbers, drawn in ((heads, False), (heads | {"swift-main": {"scores": main}}, True)):
        night = Results({}, numbers)
        made = {figure.key: figure for figure in figures(night, "overnight", observe(night, "overnight"))}
        assert ("figure-6-fgsm-10h" in made) == drawn
        names = [series.name for series in made["tables-ce-10h"].series]
        assert names == (["small networks", "heads"] if drawn else ["heads"])
    assert made["figure-6-fgsm-10h"].series[0].x == (np.log2(51),)
    assert made["figure-6-fgsm-10h"].parts == tuple(f"swift-{group}" for group in GROUPS)
