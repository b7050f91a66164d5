"""Which cells a study has, and how they are compared."""

import pytest

from tests.study.world import small_study


@pytest.mark.parametrize(
    ("scheme", "test"), [("per-seed", "corrected-t"), ("k-fold", "corrected-t"), ("fixed", "wilcoxon")]
)
def test_seeds_that_split_items_anew_are_tested_as_what_they_are(scheme, test):
    """Their training sets overlap, which only the corrected test allows for; a test that is named is taken."""
    compare = {"baseline": {"delivery": "soft"}}
    study = small_study(split={"scheme": scheme}, compare=compare)
    assert study.comparing.test == test
    named = small_study(split={"scheme": scheme}, compare=compare | {"test": "paired-t"})
    assert named.comparing.test == "paired-t"
