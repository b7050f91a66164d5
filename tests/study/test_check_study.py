"""The axes of a study whose models have different settings."""

from __future__ import annotations

from dissensus.study import cells_of
from dissensus.study.check_study import axes_of
from tests.study.world import small_study


def test_a_setting_that_only_one_model_has_is_an_axis_only_where_cells_of_that_model_differ():
    models = [{"head": "logistic"}, {"head": "mlp", "epochs": 2, "hidden": [8, 16]}]
    axes = axes_of(cells_of(small_study(model=models, delivery="soft")))
    assert axes == {"model": ["logistic", "mlp"], "hidden": [8, 16], "seed": [0, 1]}
