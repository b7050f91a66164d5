"""What is foreseen of the tests of a study is what they can give in the end."""

import pytest

from dissensus.study.grid import cells_of
from dissensus.study.summary.power import power_remark
from dissensus.study.summary.summary import summarise_study
from tests.facts import states
from tests.study.fabricated import grid
from tests.study.world import small_study

METRICS = ["soft_nll", "kl", "accuracy"]


def foreseen(seeds: int = 5, metrics=METRICS, **compare) -> str:
    compare = {"baseline": {"delivery": "soft"}, "test": "wilcoxon"} | compare
    study = small_study(
        seeds=seeds, delivery=["soft", "majority", "sls"], compare=compare, evaluate={"metrics": metrics}
    )
    return power_remark(study, cells_of(study))


@pytest.mark.parametrize("family", ["all", "metric"])
@pytest.mark.parametrize("side", ["two-sided", "less"])
def test_a_study_is_called_blind_if_and_only_if_arms_that_differ_in_every_seed_have_no_p_below_a_twentieth(
    family, side
):
    for seeds in range(4, 10):
        arms = {
            name: lambda seed, place=place: {
                "soft_nll": 0.7 - place * (0.1 + 0.01 * seed),
                "kl": 0.3 - place * (0.1 + 0.01 * seed),
                "accuracy": 0.8 - place * (0.1 + 0.02 * seed),
            }
            for place, name in enumerate(["soft", "majority", "sls"])
        }
        summary = summarise_study(grid(arms, seeds, metrics=METRICS, compare={"family": family, "side": side}))
        blind = all(d.test.adjusted_p >= 0.05 for d in summary.differences)
        assert bool(foreseen(seeds, family=family, side=side)) == blind, seeds


def test_the_remark_says_what_would_help():
    assert states(foreseen(5), "p < 0.05", "5 seeds", "0.062", "4 tests", "0.25", "8 seeds")
    assert not foreseen(8) and not foreseen(2, test="paired-t") and not foreseen(2, test="corrected-t")
    assert states(foreseen(1, test="paired-t"), "two seeds")
