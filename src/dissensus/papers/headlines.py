"""The main claims of a paper in a table that fits on a screen: each effect as printed and as measured."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from dissensus.report.document import Column, Table

Row = Mapping[str, Any]  # a claim of a record
TITLES = ("claim", "paper", "here ± 95% CI", "verdict", "evidence (accuracy)")
PLACE = re.compile(r"(figure|section|table) [\d.]+")
SPREAD = re.compile(r" ± [\d.]*\d")  # behind a printed number


def main_claims(rows: Sequence[Row]) -> Table:
    """Return one row per claim: effect in the paper and here, verdict, and the model that decided with its accuracy."""
    cells = [(row["claim"], format_printed(row), format_measured(row), row["verdict"], _evidence(row)) for row in rows]
    return Table([Column(title, wraps=True) for title in TITLES], cells)


def format_printed(row: Row) -> str:
    """Write the effect that the paper prints; of a claim of no difference, a count or a size, the printed numbers."""
    judgement, outcome = row["judgement"], _deciding(row)
    effect, margin = judgement["effect"], judgement["margin"]
    no_difference = margin is not None and effect == 2 * margin
    counted = outcome is not None and (outcome["cells"] or math.isnan(_half_width(outcome)))
    if effect is None or no_difference or counted:
        has_numbers = re.search(r"\d", PLACE.sub("", row["published"]))
        return SPREAD.sub("", row["published"]) if has_numbers else "no number"
    scale, sign, unit = _style(row, outcome)
    return f"{float(f'{scale * effect:.{2 if unit else 3}g}'):{sign}g}{unit}"


def format_measured(row: Row) -> str:
    """Write the effect that was measured ± half of its 95% interval; of several effects, how many have the sign."""
    outcome = _deciding(row)
    if outcome is None:
        return "not tested"
    if outcome["cells"]:
        return f"{sum(outcome['cells'].values())} of {len(outcome['cells'])}"
    scale, sign, unit = _style(row, outcome)
    value, half = scale * outcome["value"]["value"], scale * _half_width(outcome)
    if not 0 < half < math.inf:
        return str(row["ours"])
    digits = max(0, 1 - math.floor(math.log10(half)))
    return f"{value:{sign}.{digits}f}{unit} ± {half:.{digits}f}{unit}"


def _deciding(row: Row) -> Mapping[str, Any] | None:
    decided = row["judgement"]["decided"]
    return None if decided is None else row["judgement"]["outcomes"][decided]


def _style(row: Row, outcome: Mapping[str, Any] | None) -> tuple[float, str, str]:
    """Factor, sign option and unit of an effect; only differences have a sign."""
    sign = "+" if outcome is not None and outcome["means"] else ""
    return (100.0, sign, "%") if row["judgement"]["relative"] else (1.0, sign, "")


def _half_width(outcome: Mapping[str, Any]) -> float:
    """Half of the width of the interval; NaN if there is none."""
    low, high = (outcome["value"][end] for end in ("low", "high"))
    return math.nan if low is None or high is None else (high - low) / 2


def _evidence(row: Row) -> str:
    """The model that decided, in short: the caution of a page says on which features its heads are trained."""
    if row["verdict"] == "cannot be tested here":
        return str(row["reason"])
    return shorten_models(row["evidence"]) or "no model"


def shorten_models(text: str) -> str:
    return text.replace(" on frozen features", "").replace("% accurate", "%")
