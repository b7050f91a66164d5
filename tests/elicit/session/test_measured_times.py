"""What a browser measures beside the answer itself: when input counted, what was too early, what was played."""

from __future__ import annotations

import pytest

from dissensus.elicit.session.saved_answers import check_times
from dissensus.elicit.survey_run import RequestError

WHOLE = {
    "looked": 12.5, "ready": 330.1, "touched": 900.0, "submitted": 1500.0, "changes": [[900.0, "choice", "cat"]],
    "away": [], "played": [[0, 400.0, 800.0], [1, 850.0, None]], "early": 2, "reloads": 1,
}  # fmt: skip


def test_measured_times_are_kept_unchanged():
    assert check_times(WHOLE) == WHOLE


@pytest.mark.parametrize(
    ("field", "value", "told"),
    [
        ("ready", -1, "times.ready is -1; .*milliseconds"),
        ("ready", float("nan"), "times.ready is nan"),
        ("early", -1, "times.early is -1; .*0 to 1,000,000"),
        ("early", 1.5, "times.early is 1.5"),
        ("early", 10**7, "times.early is 10000000"),
        ("reloads", True, "times.reloads is True"),
        ("played", [[0, 1]], r"times.played: .*5,000 \[sound, from, to\]"),
        ("played", [[0, None, 3]], "times.played: "),
        ("later", 3, "times: .* away, changes"),
    ],
)
def test_what_makes_no_sense_is_refused(field, value, told):
    with pytest.raises(RequestError, match=told):
        check_times({**WHOLE, field: value})
