"""Times and sizes as people say them, and the axes of a study whose models have different settings."""

from __future__ import annotations

import pytest

from dissensus.cli.study_check import _size, axes_of, span
from dissensus.study import cells_of
from tests.study.world import small_study


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0.2, "a second"), (42, "42 s"), (300, "5 min"), (9000, "2.5 h"), (86400 * 3, "3.0 days")],
)
def test_a_time_has_the_unit_that_people_would_choose(seconds, said):
    assert span(seconds) == said


@pytest.mark.parametrize(
    ("size", "said"), [(200, "0.2 kB"), (45_600, "45.6 kB"), (2.5e6, "2.5 MB"), (3.1e10, "31 GB"), (2e12, "2.0 TB")]
)
def test_so_has_a_size(size, said):
    assert _size(size) == said


def test_a_setting_that_only_one_model_has_is_an_axis_only_where_cells_of_that_model_differ():
    models = [{"head": "logistic"}, {"head": "mlp", "epochs": 2, "hidden": [8, 16]}]
    axes = axes_of(cells_of(small_study(model=models, delivery="soft")))
    assert axes == {"model": ["logistic", "mlp"], "hidden": [8, 16], "seed": [0, 1]}
