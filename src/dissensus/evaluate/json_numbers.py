"""Numbers in JSON: an interval is {mean, low, high}, NaN is null, infinity is 1e999."""

from __future__ import annotations

import json
import math
from typing import Any

from dissensus.labels.intervals import Interval

INFINITE = "\x00infinite"  # stands for a number that JSON writes as 1e999


def interval_json(interval: Interval) -> Any:
    """A number, or {mean, low, high} where there is an interval; None for NaN."""
    if math.isnan(interval.low) or math.isinf(interval.value):
        return None if math.isnan(interval.value) else interval.value
    return {"mean": interval.value, "low": interval.low, "high": interval.high}


def json_text(record: dict[str, Any]) -> str:
    """JSON in which infinite numbers are 1e999.

    JSON has no name for infinity, but this is a number by its grammar, and Python, JavaScript, pandas and DuckDB
    read it as infinite. jq reads the largest double; pyarrow and polars refuse what no double holds.
    """

    def marked(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: marked(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [marked(inner) for inner in value]
        return f"{'-' * (value < 0)}{INFINITE}" if isinstance(value, float) and math.isinf(value) else value

    text = json.dumps(marked(record), indent=2, allow_nan=False)
    mark = json.dumps(INFINITE)[1:-1]
    return text.replace(f'"{mark}"', "1e999").replace(f'"-{mark}"', "-1e999")
