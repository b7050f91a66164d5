"""Folders of studies with numbers of one's own choice, as `read_folder` would give them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

from dissensus.study.description import StudyFolder

ARM = {
    "data": "digits",
    "votes": "all",
    "completion": "none",
    "aggregation": "none",
    "transforms": "none",
    "delivery": "soft",
    "model": "mlp",
    "epochs": 10,
    "hidden": 64,
}
SPLIT = {"scheme": "per-seed", "test": 0.2, "validation": 0.1, "folds": 5, "column": "split", "file": ""}
COMPARE = {"baseline": {"delivery": "soft"}, "test": "wilcoxon", "side": "two-sided", "family": "all"}


def record(arm: dict[str, Any], seed: int, scores: dict[str, float | None], **changed: Any) -> dict[str, Any]:
    """The record of a cell that is done; `changed` replaces parts of it."""
    fold = changed.pop("fold", None)
    settings = ARM | arm
    return {
        "format": 1,
        "cell": hashlib.sha256(repr((settings, seed, fold)).encode()).hexdigest()[:16],
        "status": "done",
        "arm": settings,
        "seed": seed,
        "fold": fold,
        "settings": {"delivery": settings["delivery"], "votes": settings["votes"], "seed": seed, "fold": fold},
        "packages": {"dissensus": "1.0", "numpy": "2.0"},
        "hardware": "Linux x86_64",
        "made": f"2026-01-01T00:00:{seed:02d}Z",
        "commit": "aaaaaaa",
        "scores": scores,
        "slices": {},
        "items": {"learned from": 72, "judged on": 20},
        "training": {"epoch": 2, "loss": [2.0, 1.0 + seed]},
        "seconds": 1.5,
    } | changed


def failed(arm: dict[str, Any], seed: int, error: str) -> dict[str, Any]:
    made = record(arm, seed, {}, status="failed", error=error, traceback=f"Traceback …\n{error}")
    return {key: value for key, value in made.items() if key not in ("scores", "slices", "items", "training")}


def folder(records: list[dict[str, Any]], *, missing: int = 0, others: int = 0, **changed: Any) -> StudyFolder:
    """A study of these records; `changed` replaces parts of its description."""
    seeds = changed.pop("seeds", sorted({record["seed"] for record in records}))
    metrics = changed.pop("metrics", ["soft_nll", "accuracy"])
    compare = changed.pop("compare", {})
    slices = list(dict.fromkeys(by for record in records for by in record.get("slices", {})))
    description = {
        "name": "a study",
        "question": "Does it matter how labels are delivered?",
        "seeds": seeds,
        "split": SPLIT | changed.pop("split", {}),
        "evaluation": {"metrics": metrics, "slices": slices, "probes": []},
        "compare": None if compare is None else COMPARE | compare,
        "data": {"digits": {"labels": "digits", "features": "pixels"}},
        "text": "",
        "cells": [record["cell"] for record in records] + ["f" * 16] * missing,
    } | changed
    return StudyFolder(description, records, missing, others)


def grid(arms: dict[str, Callable[[int], dict[str, float | None]]], seeds: int, **changed: Any) -> StudyFolder:
    """A study of deliveries by name, with scores as a function of the seed."""
    records = [record({"delivery": name}, seed, scores(seed)) for seed in range(seeds) for name, scores in arms.items()]
    return folder(records, **changed)
