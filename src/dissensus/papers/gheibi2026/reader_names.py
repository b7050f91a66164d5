"""Deliveries, metrics, models and conditions as a reader knows them."""

from __future__ import annotations

from dissensus.papers.gheibi2026.studies import KS
from dissensus.papers.texts import read_tables

NAMES: dict[str, dict[str, str]] = read_tables("gheibi2026", "names.toml")
DELIVERIES, METRICS, DETECTORS, MODELS = (NAMES[kind] for kind in ("deliveries", "metrics", "detectors", "models"))
READER_NAMES = {
    **DELIVERIES,
    **MODELS,
    **{f"K = {k}": f"{k} votes" for k in KS},
    "held": "held labels",
    "chance": "chance",
}


def in_title(name: str) -> str:
    """The name at the start of a sentence."""
    return name[0].upper() + name[1:]
